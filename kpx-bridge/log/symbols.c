// SPDX-License-Identifier: MIT
//
// Lines come from the line tables of all compilation units, read once for each mapped file: clang
// writes no .debug_aranges, so units cannot be looked up by address.
//
// This file is also a part of libkpx-places.so, which is loaded into the recorded program.
// Therefore it never ends the process: without memory a place is unknown.
#include <dwarf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/search.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/log/symbols_private.h"

static void free_call(kpx_call_place *c)
{
    free(c->file);
    free(c->function);
}

kpx_symbols *kpx_symbols_create(void)
{
    elf_version(EV_CURRENT);
    return calloc(1, sizeof(kpx_symbols));
}

void kpx_symbols_destroy(kpx_symbols *s)
{
    for (uint32_t i = 0; i < s->images.n; i++) {
        kpx_image *m = &s->images.at[i];
        free(m->path);
        free(m->lines.at);
        free(m->functions.at);
        if (m->dwarf)
            dwarf_end(m->dwarf);
        if (m->elf)
            elf_end(m->elf);
        if (m->loaded && m->descriptor >= 0)
            close(m->descriptor);
    }
    for (uint32_t i = 0; i < s->calls.n; i++)
        free_call(&s->calls.at[i]);
    free(s->images.at);
    free(s->mappings.at);
    free(s->known.at);
    free(s->calls.at);
    free(s->complaint);
    free(s);
}

// False without memory.
static bool find_image(kpx_symbols *s, const char *path, uint32_t *ret)
{
    for (*ret = 0; *ret < s->images.n; ++*ret)
        if (strcmp(s->images.at[*ret].path, path) == 0)
            return true;
    char *copy = ARRAY_RESERVE(s->images, 1) ? strdup(path) : NULL;
    if (copy)
        s->images.at[s->images.n++] = (kpx_image){.path = copy};
    return copy;
}

void kpx_symbols_map(kpx_symbols *s, const char *line)
{
    kpx_mapping m;
    int path = 0;
    char mode[5];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &m.from, &m.to, mode,
               &m.offset, &path) < 4 ||
        path == 0 || line[path] != '/')
        return;
    for (uint32_t i = 0; i < s->mappings.n; i++)
        if (s->mappings.at[i].from == m.from)
            return; // noted more than once
    if (ARRAY_RESERVE(s->mappings, 1) && find_image(s, line + path, &m.image))
        s->mappings.at[s->mappings.n++] = m;
}

// ---- Calls that say where they are --------------------------------------------------------------

static int by_call(const void *a, const void *b)
{
    const kpx_call_place *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

// Searches the ordered calls only.
static kpx_call_place *ordered_call(const kpx_symbols *s, uint64_t address)
{
    size_t first;
    FIRST_NOT(first, s->ordered_calls, i, s->calls.at[i].address < address);
    bool found = first < s->ordered_calls && s->calls.at[first].address == address;
    return found ? &s->calls.at[first] : NULL;
}

// The first note about the construct that the address stands for, or NULL.
static const kpx_call_place *call_at(kpx_symbols *s, uint64_t address)
{
    size_t kept = 0;
    if (s->ordered_calls < s->calls.n) {
        qsort(s->calls.at, s->calls.n, sizeof *s->calls.at, by_call);
        for (size_t i = 0; i < s->calls.n; i++)
            if (kept == 0 || s->calls.at[i].address != s->calls.at[kept - 1].address)
                s->calls.at[kept++] = s->calls.at[i];
            else
                free_call(&s->calls.at[i]);
        s->calls.n = s->ordered_calls = kept;
    }
    return ordered_call(s, address);
}

// Takes the names. Only the first note about a construct counts.
static void add_call(kpx_symbols *s, kpx_call_place *c)
{
    c->order = s->calls.n;
    if (!ordered_call(s, c->address) && ARRAY_RESERVE(s->calls, 1))
        s->calls.at[s->calls.n++] = *c;
    else
        free_call(c);
}

void kpx_symbols_body(kpx_symbols *s, const char *text)
{
    kpx_call_place c = {0};
    if (sscanf(text, "%" SCNx64 " %" SCNx64, &c.address, &c.returns) == 2 && c.address) {
        c.body = c.address;
        add_call(s, &c);
    }
}

void kpx_symbols_ident(kpx_symbols *s, const char *text)
{
    kpx_call_place c = {0};
    int file = 0, file_end = 0, from = 0, to = 0;
    if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64 " ;%n%*[^;]%n;%n%*[^;]%n;%" SCNu32 ";", &c.address,
               &c.returns, &c.body, &file, &file_end, &from, &to, &c.line) < 4 ||
        to <= from || c.line == 0 || c.address == 0)
        return;
    c.file = strndup(text + file, (size_t)(file_end - file));
    c.function = strndup(text + from, (size_t)(to - from));
    if (c.file && c.function)
        add_call(s, &c);
    else
        free_call(&c);
}

// ---- Reading an image -----------------------------------------------------------------------

static int by_address(const void *a, const void *b)
{
    const kpx_line_entry *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if ((x->file != NULL) != (y->file != NULL)) // the end of code with lines comes first
        return (x->file != NULL) - (y->file != NULL);
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_function(const void *a, const void *b)
{
    const kpx_function_entry *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool is_made_by(Dwarf_Die *unit, const char *compiler)
{
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    return producer && strstr(producer, compiler);
}

// False without memory.
static bool read_unit(kpx_image *m, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t n;
    bool by_flang = is_made_by(unit, "flang"), by_gcc = is_made_by(unit, "GNU "),
         by_gfortran = is_made_by(unit, "GNU Fortran");
    if (dwarf_getsrclines(unit, &lines, &n) != 0)
        return true;
    if (!ARRAY_RESERVE(m->lines, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *l = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        int line = 0;
        bool ends = false, begins = false;
        dwarf_lineaddr(l, &address);
        dwarf_lineno(l, &line);
        dwarf_lineendsequence(l, &ends);
        dwarf_linebeginstatement(l, &begins);
        uint32_t order = (uint32_t)m->lines.n;
        m->lines.at[m->lines.n++] =
            (kpx_line_entry){.address = address,
                             .file = ends ? NULL : dwarf_linesrc(l, NULL, NULL),
                             .line = (uint32_t)(line > 0 ? line : 0),
                             .by_flang = by_flang,
                             .by_gcc = by_gcc,
                             .by_gfortran = by_gfortran,
                             .begins = begins,
                             .order = order,
                             .unit = dwarf_dieoffset(unit)};
    }
    return true;
}

// Reads all lines or none: with some missing, an address would get the line of another one.
static void read_lines(kpx_image *m)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    bool all = true;
    while (all && dwarf_nextcu(m->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(m->dwarf, offset + header, &unit))
            all = read_unit(m, &unit);
        offset = next;
    }
    if (!all)
        m->lines.n = 0;
    if (m->lines.n > 0)
        qsort(m->lines.at, m->lines.n, sizeof *m->lines.at, by_address);
}

static void add_function(kpx_image *m, const GElf_Sym *symbol, const char *name)
{
    if (ARRAY_RESERVE(m->functions, 1))
        m->functions.at[m->functions.n++] =
            (kpx_function_entry){symbol->st_value, symbol->st_size, name};
}

static void read_functions(kpx_image *m)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(m->elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
            header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol))
                break;
            if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0)
                continue;
            const char *name = elf_strptr(m->elf, header.sh_link, symbol.st_name);
            if (name) // NULL: beyond the texts of a damaged file
                add_function(m, &symbol, name);
        }
    }
    if (m->functions.n > 0)
        qsort(m->functions.at, m->functions.n, sizeof *m->functions.at, by_function);
}

static void read_base(kpx_image *m)
{
    size_t n = 0;
    elf_getphdrnum(m->elf, &n);
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(m->elf, (int)i, &header)) // a damaged file names more than it has
            break;
        if (header.p_type == PT_LOAD && (header.p_flags & PF_X))
            m->base = header.p_vaddr - header.p_offset;
    }
}

// What comes with the system, as a shell, is not compiled by the user.
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/lib", "/usr/bin/", "/usr/sbin/", "/lib", "/bin/", "/sbin/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static void load(kpx_symbols *s, kpx_image *m)
{
    if (m->loaded)
        return;
    m->loaded = true;
    m->descriptor = open(m->path, O_RDONLY | O_CLOEXEC);
    m->elf = m->descriptor >= 0 ? elf_begin(m->descriptor, ELF_C_READ_MMAP, NULL) : NULL;
    if (!m->elf)
        return;
    read_base(m);
    read_functions(m);
    m->dwarf = dwarf_begin_elf(m->elf, DWARF_C_READ, NULL);
    if (m->dwarf)
        read_lines(m);
    if (m->lines.n == 0 && !s->complaint && !is_of_system(m->path) &&
        asprintf(&s->complaint, "%s has no debug information (compile it with -g)", m->path) < 0)
        s->complaint = NULL;
}

// ---- Looking up -----------------------------------------------------------------------------

const kpx_line_entry *kpx_line_at(const kpx_image *m, uint64_t address)
{
    size_t behind;
    FIRST_NOT(behind, m->lines.n, i, m->lines.at[i].address <= address);
    return behind > 0 && m->lines.at[behind - 1].file ? &m->lines.at[behind - 1] : NULL;
}

static const kpx_function_entry *function_at(const kpx_image *m, uint64_t address)
{
    size_t behind;
    FIRST_NOT(behind, m->functions.n, i, m->functions.at[i].address <= address);
    const kpx_function_entry *f = behind > 0 ? &m->functions.at[behind - 1] : NULL;
    return f && address - f->address < f->size ? f : NULL;
}

static const char *function_name(const kpx_image *m, uint64_t address)
{
    const kpx_function_entry *f = function_at(m, address);
    return f ? f->name : NULL;
}

// The line of the entry, or else of the nearest earlier entry of the function that has a line; 0:
// none.
static uint32_t line_before(const kpx_image *m, const kpx_line_entry *line, uint64_t address)
{
    const kpx_function_entry *f = function_at(m, address);
    uint64_t start = f ? f->address : address;
    for (; line->line == 0 && line > m->lines.at && line[-1].address >= start; line--)
        continue;
    return line->line;
}

// The last line of the function's code in the file of the entry at the address. In Fortran the text
// itself says where a unit ends.
static uint32_t last_line(const kpx_image *m, const kpx_line_entry *line, uint64_t address)
{
    const kpx_function_entry *f = function_at(m, address);
    const kpx_line_entry *end = m->lines.at + m->lines.n;
    const kpx_line_entry *l = f ? kpx_line_at(m, f->address) : NULL;
    uint32_t last = line->by_gfortran ? UINT32_MAX : line->line;
    for (; l && l < end && l->address < f->address + f->size; l++)
        if (l->file && l->line > last && strcmp(l->file, line->file) == 0)
            last = l->line;
    return last;
}

// flang names no file.
static bool is_by_flang(const kpx_call_place *c)
{
    return c->file && strcmp(c->file, "FIRModule") == 0;
}

// The return address that has the code of a construct; of others the address itself.
static uint64_t code_of(kpx_symbols *s, uint64_t address)
{
    const kpx_call_place *c = call_at(s, address);
    return !c ? address : c->body && !is_by_flang(c) ? c->body + 1 : c->returns;
}

kpx_image *kpx_image_at(kpx_symbols *s, uint64_t address, uint64_t *ret_address,
                        const kpx_mapping **ret_mapping)
{
    uint64_t call = (address = code_of(s, address)) - 1;
    for (uint32_t i = 0; address > 0 && i < s->mappings.n; i++) {
        const kpx_mapping *m = &s->mappings.at[i];
        if (call < m->from || call >= m->to)
            continue;
        kpx_image *in = &s->images.at[m->image];
        load(s, in);
        *ret_address = call - m->from + m->offset + in->base;
        if (ret_mapping)
            *ret_mapping = m;
        return in;
    }
    return NULL;
}

static bool is_runtime(const char *path)
{
    const char *name = kpx_base_name(path);
    return strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0 ||
           strncmp(name, "libgomp", 7) == 0;
}

// The file that a function of this name begins in, or NULL.
static const char *file_in(const kpx_image *m, const char *function)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (strcmp(m->functions.at[i].name, function) == 0) {
            const kpx_line_entry *line = kpx_line_at(m, m->functions.at[i].address);
            return line ? line->file : NULL;
        }
    return NULL;
}

// The same, in the image of the call if it is there. (A call that is a jump returns to another image.)
static const char *file_of(kpx_symbols *s, const kpx_image *in, const char *function)
{
    const char *file = in ? file_in(in, function) : NULL;
    for (uint32_t i = 0; i < s->images.n && !file; i++) {
        load(s, &s->images.at[i]);
        file = file_in(&s->images.at[i], function);
    }
    return file;
}

// Whether the path ends with these names of folders and file.
static bool ends_with(const char *path, const char *name)
{
    size_t n = strlen(path), length = strlen(name);
    while (length > 2 && name[0] == '.' && name[1] == '/')
        name += 2, length -= 2;
    return n >= length && strcmp(path + n - length, name) == 0 &&
           (n == length || path[n - length - 1] == '/');
}

// The path in the debug information of a file that an ident names: `near` if it is that, else the first
// one. The compiler's name itself where there is no debug information.
static const char *path_of(const kpx_image *m, const char *name, const char *near)
{
    const char *last = NULL;
    if (near && ends_with(near, name))
        return near;
    for (uint32_t i = 0; m && i < m->lines.n; i++) {
        const char *file = m->lines.at[i].file;
        if (file && file != last && ends_with(last = file, name))
            return file;
    }
    return name;
}

// The first line of the function that begins at the address in memory.
static void add_body_place(kpx_symbols *s, uint64_t body, kpx_source_place *place)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, body + 1, &at, NULL);
    const kpx_line_entry *line = in ? kpx_line_at(in, at) : NULL;
    if (!line || line->address != at)
        return;
    // Those of functions that were put into this one come behind, and the end of the function
    // before it may come first; only that begins no statement.
    const kpx_line_entry *first = line;
    while (line > in->lines.at && line[-1].address == at && line[-1].file)
        if ((--line)->begins || !first->begins)
            first = line;
    if (first->line) {
        place->file = first->file;
        place->line = first->line;
    }
}

static const char *file_at(kpx_symbols *s, uint64_t body)
{
    uint64_t at;
    const kpx_image *in = body ? kpx_image_at(s, body + 1, &at, NULL) : NULL;
    const kpx_function_entry *f = in ? function_at(in, at) : NULL;
    const kpx_line_entry *line = f ? kpx_line_at(in, f->address + f->size - 1) : NULL;
    return line ? line->file : NULL;
}

// Whether the call that returns there also runs other bodies.
static bool is_shared(const kpx_symbols *s, const kpx_call_place *call)
{
    for (size_t i = 0; i < s->calls.n; i++)
        if (s->calls.at[i].returns == call->returns && &s->calls.at[i] != call)
            return true;
    return false;
}

static void name_place(const kpx_image *in, uint64_t address, kpx_source_place *place)
{
    const kpx_function_entry *f = function_at(in, address);
    place->image = in->path;
    place->function = f ? f->name : NULL;
    place->offset = f ? address - f->address : address;
}

// Without a line a construct is named by its call, if that is in the function that the body was taken
// from, and runs no other body; else by its body.
static void name_by_call(kpx_symbols *s, const kpx_call_place *c, kpx_source_place *place)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, c->returns, &at, NULL);
    const kpx_function_entry *f = in && !is_runtime(in->path) ? function_at(in, at) : NULL;
    const char *body = place->function;
    size_t n = f ? strlen(f->name) : 0;
    bool is_own = f && body && (strncmp(body, ".omp_task_entry", 15) == 0 ||
                                (strncmp(body, f->name, n) == 0 && body[n] == '.'));
    if (is_own && !is_shared(s, c)) {
        name_place(in, at, place);
        place->offset++; // it returns to the next address
    }
}

// Uses the place that the call itself passed to the runtime.
static void add_call_place(kpx_symbols *s, const kpx_image *in, const kpx_call_place *c,
                           kpx_source_place *place)
{
    place->in_runtime = false;
    if (c->line == 0) {
        add_body_place(s, c->body, place);
        if (place->line == 0)
            name_by_call(s, c, place);
        return;
    }
    const char *file = is_by_flang(c) ? file_of(s, in, c->function)
                                      : path_of(in, c->file, place->file);
    place->file = file ? file : place->file ? place->file : file_at(s, c->body);
    place->line = c->line;
    place->near = is_by_flang(c) ? c->line : 0;
    place->until = 0;
    if (!place->function || !strstr(place->function, c->function))
        place->function = c->function; // the call is a jump: it returns to another function
}

static uint32_t known_line(const kpx_symbols *s, uint64_t address, uint32_t line)
{
    for (uint32_t i = 0; i < s->known.n; i++)
        if (s->known.at[i].address == address)
            return s->known.at[i].line;
    return line;
}

void kpx_symbols_correct(kpx_symbols *s, uint64_t address, uint32_t line)
{
    if (ARRAY_RESERVE(s->known, 1))
        s->known.at[s->known.n++] = (kpx_known_line){address, line};
}

void kpx_symbols_within(kpx_symbols *s, uint64_t address, bool (*skip)(const char *file),
                        kpx_source_place *place)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, address, &at, NULL);
    const kpx_function_entry *f = in ? function_at(in, at) : NULL;
    const kpx_line_entry *l = f ? kpx_line_at(in, f->address) : NULL;
    for (; l && l < in->lines.at + in->lines.n && l->address < f->address + f->size; l++)
        if (l->file && l->line && !skip(l->file)) {
            place->file = l->file;
            place->line = l->line;
            return;
        }
}

void kpx_symbols_lines_around(kpx_symbols *s, uint64_t address, uint32_t *ret_before,
                              uint32_t *ret_after)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, address, &at, NULL);
    const kpx_line_entry *line = in ? kpx_line_at(in, at) : NULL;
    *ret_before = *ret_after = 0;
    if (!line)
        return;
    const kpx_line_entry *first = in->lines.at, *end = first + in->lines.n, *near = line;
    while (near > first && near->file && near->line == line->line)
        near--;
    *ret_before = near->file ? near->line : 0;
    for (near = line; near < end && near->file && near->line == line->line;)
        near++;
    *ret_after = near < end && near->file ? near->line : 0;
}

kpx_source_place kpx_symbols_find(kpx_symbols *s, uint64_t address)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, address, &at, NULL);
    const kpx_line_entry *line = in ? kpx_line_at(in, at) : NULL;
    const kpx_call_place *c = call_at(s, address);
    kpx_source_place place = {.file = line ? line->file : NULL,
                              .line = line ? known_line(s, address, line->line) : 0,
                              .in_runtime = in && is_runtime(in->path),
                              .near = line && line->by_flang ? line_before(in, line, at) : 0,
                              .until = line && line->by_gcc ? last_line(in, line, at) : 0};
    if (in)
        name_place(in, at, &place);
    if (in && !(c && c->body))
        place.offset++; // of a return address
    if (c)
        add_call_place(s, in, c, &place);
    return place;
}

// ---- What code stands in --------------------------------------------------------------------

enum { DEEPEST = 64 };

typedef struct {
    uint64_t address;
    Dwarf_Die *found;
    bool is_found;
} function_search;

static int take_function(Dwarf_Die *function, void *data)
{
    function_search *s = data;
    if (dwarf_haspc(function, s->address) != 1)
        return DWARF_CB_OK;
    *s->found = *function;
    s->is_found = true;
    return DWARF_CB_ABORT;
}

static bool child_at(Dwarf_Die *parent, uint64_t at, Dwarf_Die *ret)
{
    if (dwarf_child(parent, ret) != 0)
        return false;
    do {
        int tag = dwarf_tag(ret);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
            dwarf_haspc(ret, at) == 1)
            return true;
    } while (dwarf_siblingof(ret, ret) == 0);
    return false;
}

// The function that has the code, and the blocks and inlined functions in it, outermost first.
// (dwarf_getscopes finds nothing in inlined methods of C++.)
static uint32_t scopes_at(const kpx_image *in, const kpx_line_entry *line, uint64_t at,
                          Dwarf_Die *ret_unit, Dwarf_Die ret[DEEPEST])
{
    function_search search = {.address = at, .found = ret};
    if (!line || !dwarf_offdie(in->dwarf, line->unit, ret_unit))
        return 0;
    dwarf_getfuncs(ret_unit, take_function, &search, 0);
    uint32_t n = search.is_found;
    while (n > 0 && n < DEEPEST && child_at(&ret[n - 1], at, &ret[n]))
        n++;
    return n;
}

static uint32_t number_in(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word number;
    return dwarf_formudata(dwarf_attr(die, attribute, &found), &number) == 0 && number < UINT32_MAX
               ? (uint32_t)number
               : 0;
}

uint32_t kpx_symbols_callers(kpx_symbols *s, uint64_t address, kpx_source_place *ret, uint32_t most)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, address, &at, NULL);
    const kpx_line_entry *line = in ? kpx_line_at(in, at) : NULL;
    Dwarf_Die unit, scopes[DEEPEST];
    Dwarf_Files *files;
    uint32_t found = 0;
    uint32_t n = scopes_at(in, line, at, &unit, scopes);
    if (n == 0 || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return 0;
    for (uint32_t i = n; i > 0 && found < most; i--) {
        if (dwarf_tag(&scopes[i - 1]) != DW_TAG_inlined_subroutine)
            continue;
        uint32_t file = number_in(&scopes[i - 1], DW_AT_call_file);
        ret[found++] = (kpx_source_place){.file = dwarf_filesrc(files, file, NULL, NULL),
                                          .line = number_in(&scopes[i - 1], DW_AT_call_line)};
    }
    return found;
}

uint32_t kpx_symbols_functions(kpx_symbols *s, uint64_t address, const char **ret, uint32_t most)
{
    uint64_t at;
    const kpx_image *in = kpx_image_at(s, address, &at, NULL);
    const kpx_line_entry *line = in ? kpx_line_at(in, at) : NULL;
    Dwarf_Die unit, scopes[DEEPEST];
    uint32_t found = 0;
    for (uint32_t i = scopes_at(in, line, at, &unit, scopes); i > 0 && found < most; i--) {
        int tag = dwarf_tag(&scopes[i - 1]);
        const char *name = dwarf_diename(&scopes[i - 1]);
        if (name && (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram))
            ret[found++] = name;
    }
    const char *function = in ? function_name(in, at) : NULL;
    if (function && found < most)
        ret[found++] = function;
    return found;
}

void kpx_symbols_sources(kpx_symbols *s, void (*each)(void *data, const char *path), void *data)
{
    for (uint32_t i = 0; i < s->images.n; i++) {
        const kpx_image *m = &s->images.at[i];
        const char *last = NULL;
        for (uint32_t k = 0; m->loaded && k < m->lines.n; k++)
            if (m->lines.at[k].file && m->lines.at[k].file != last)
                each(data, last = m->lines.at[k].file);
    }
}

const char *kpx_symbols_complaint(const kpx_symbols *s)
{
    return s->complaint;
}
