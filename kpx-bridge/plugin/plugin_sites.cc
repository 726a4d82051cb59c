// SPDX-License-Identifier: MIT
//
// The variables of sites in the program, and the scans of sources that say where loops are.
#include "plugin.h"

#include "cgraph.h"
#include "diagnostic-core.h"
#include "langhooks.h"
#include <options.h>
#include "opts.h"
#include "stringpool.h"
#include "toplev.h"

#include <errno.h>

// ---- Variables of the program ---------------------------------------------------------------

// The address of a text of the program, as a word.
static tree text_word(const char *text)
{
    if (!text)
        return build_int_cst(long_unsigned_type_node, 0);
    tree literal = build_string(strlen(text) + 1, text);
    tree index = build_index_type(size_int(strlen(text)));
    TREE_TYPE(literal) =
        build_array_type(build_qualified_type(char_type_node, TYPE_QUAL_CONST), index);
    TREE_READONLY(literal) = 1;
    TREE_STATIC(literal) = 1;
    return build1(NOP_EXPR, long_unsigned_type_node,
                  build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(literal)), literal));
}

static tree number_word(unsigned low, unsigned high)
{
    return build_int_cstu(long_unsigned_type_node,
                          (unsigned HOST_WIDE_INT)high << 32 | (unsigned HOST_WIDE_INT)low);
}

static tree words_of(const kpx_site_text &t, tree type)
{
    const unsigned head = KPX_SITE_VERSION | (unsigned)t.kind << 8 | t.flags << 16;
    const tree words[] = {
        number_word(0, 0),
        number_word(0, 0),
        number_word(0, 0),
        number_word(head, t.seq),
        number_word(t.line, t.last_line),
        number_word(t.label, t.routine_line),
        text_word(t.routine),
        text_word(t.file),
        text_word(get_src_pwd()),
        text_word(t.extra),
    };
    vec<constructor_elt, va_gc> *elements = NULL;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        CONSTRUCTOR_APPEND_ELT(elements, size_int(i), words[i]);
    tree initial = build_constructor(type, elements);
    TREE_CONSTANT(initial) = 1;
    TREE_STATIC(initial) = 1;
    return initial;
}

tree kpx_make_site(const kpx_site_text &text)
{
    static unsigned count;
    char name[32];
    tree type = build_array_type_nelts(long_unsigned_type_node, sizeof(kpx_site) / 8);
    snprintf(name, sizeof name, "kpx_site.%u", count++);
    tree site = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);
    TREE_STATIC(site) = 1;
    TREE_ADDRESSABLE(site) = 1;
    TREE_USED(site) = 1;
    DECL_ARTIFICIAL(site) = 1;
    DECL_IGNORED_P(site) = 1;
    // The recorder writes to it, unseen by the optimisers.
    DECL_PRESERVE_P(site) = 1;
    SET_DECL_ALIGN(site, 32 * BITS_PER_UNIT);
    DECL_USER_ALIGN(site) = 1;
    DECL_INITIAL(site) = words_of(text, type);
    set_decl_section_name(site, KPX_SITES);
    varpool_node::finalize_decl(site);
    return site;
}

tree kpx_site_hook(tree site, unsigned which)
{
    return build4(ARRAY_REF, long_unsigned_type_node, site, size_int(which), NULL_TREE, NULL_TREE);
}

// ---- Sources --------------------------------------------------------------------------------

static vec<kpx_source_scan *> sources;

// -ffixed-form and the like, over what the name says.
static kpx_scan_form form_of(const char *file)
{
    kpx_scan_form form = kpx_fortran_form(file);
    for (unsigned i = 1; i < save_decoded_options_count; i++) {
        const char *option = save_decoded_options[i].orig_option_with_args_text;
        if (!option)
            continue;
        if (strcmp(option, "-ffixed-form") == 0)
            form.fixed = true;
        else if (strcmp(option, "-ffree-form") == 0)
            form.fixed = false;
        else if (strcmp(option, "-ffixed-line-length-none") == 0)
            form.line_length = UINT32_MAX;
        else if (sscanf(option, "-ffixed-line-length-%u", &form.line_length) == 1 &&
                 form.line_length == 0)
            form.line_length = UINT32_MAX;
    }
    return form;
}

static char *read_file(const char *file, size_t *ret_length)
{
    FILE *in = fopen(file, "r");
    char *text = NULL;
    size_t n = 0, capacity = 0, got = 0;
    if (!in)
        return NULL;
    do {
        n += got;
        capacity = capacity ? 2 * capacity : 65536;
        text = XRESIZEVEC(char, text, capacity);
    } while ((got = fread(text + n, 1, capacity - n, in)) == capacity - n);
    fclose(in);
    *ret_length = n + got;
    return text;
}

uint32_t kpx_loop_at(const kpx_scan *scan, int line, int column)
{
    uint32_t on_line = UINT32_MAX;
    for (uint32_t i = 0; i < scan->loops.n; i++) {
        const kpx_do_loop *l = &scan->loops.at[i];
        if (l->kind == KPX_DO_CONCURRENT || (uint32_t)line < l->line ||
            (uint32_t)line > l->header_line)
            continue;
        bool begun = (uint32_t)line > l->line || (uint32_t)column >= l->column;
        // What the bounds are made of has the statement's last column.
        bool ended = (uint32_t)line == l->header_line && (uint32_t)column >= l->header_column &&
                     l->kind == KPX_DO_COUNTED;
        if (begun && !ended)
            on_line = i;
    }
    return on_line;
}

const kpx_unit *kpx_unit_at(const kpx_scan *scan, const char *name, int line)
{
    const kpx_unit *nearest = NULL;
    for (uint32_t i = 0; i < scan->units.n; i++) {
        const kpx_unit *u = &scan->units.at[i];
        bool same = strcasecmp(u->name, name) == 0 ||
                    (u->kind == KPX_UNIT_PROGRAM && strcmp(name, "MAIN__") == 0);
        if (!same || u->kind == KPX_UNIT_OTHER)
            continue;
        if (u->line <= (uint32_t)line && (uint32_t)line <= u->last_line)
            return u;
        nearest = u;
    }
    return nearest;
}

// ---- Sites of a source ----------------------------------------------------------------------

static kpx_site_text text_of_loop(const kpx_source_scan *source, uint32_t loop)
{
    const kpx_do_loop *l = &source->scan->loops.at[loop];
    const kpx_unit *u = &source->scan->units.at[l->unit];
    const unsigned flags = (l->definite ? KPX_SITE_DEFINITE : 0) |
                           (source->seen[loop] ? 0 : KPX_SITE_UNSEEN);
    return {KPX_SITE_LOOP, flags, l->seq, l->line, l->last_line, l->label, u->line, u->name,
            source->file, NULL};
}

static void make_io_site(const kpx_source_scan *source, const kpx_io_statement *io)
{
    const kpx_unit *u = &source->scan->units.at[io->unit];
    char extra[KPX_NAME_SIZE + 16];
    snprintf(extra, sizeof extra, "%s %s", io->kind, io->number);
    kpx_make_site({KPX_SITE_IO, 0, io->seq, io->line, io->last_line, 0, u->line, u->name,
                   source->file, extra});
}

// All of them: the report has a line for what was never executed, too.
static void make_sites(kpx_source_scan *source)
{
    const uint32_t n = source->scan->loops.n;
    source->sites = XCNEWVEC(tree, n + 1); // the table of symbols keeps them alive
    source->seen = XCNEWVEC(bool, n + 1);
    for (uint32_t i = 0; kpx_options.loops && i < n; i++)
        if (source->scan->loops.at[i].kind != KPX_DO_CONCURRENT)
            source->sites[i] = kpx_make_site(text_of_loop(source, i));
    for (uint32_t i = 0; kpx_options.io && i < source->scan->ios.n; i++)
        make_io_site(source, &source->scan->ios.at[i]);
}

tree kpx_loop_site(kpx_source_scan *source, uint32_t loop)
{
    if (source->seen[loop])
        return NULL_TREE;
    source->seen[loop] = true;
    tree site = source->sites[loop];
    DECL_INITIAL(site) = words_of(text_of_loop(source, loop), TREE_TYPE(site));
    return site;
}

// What an INCLUDE line brings into a routine looks like a main program that has no name: it is part
// of the routine that is being compiled.
static void adopt_included(kpx_source_scan *s)
{
    kpx_unit *first = s->scan->units.n > 0 ? &s->scan->units.at[0] : NULL;
    if (!current_function_decl || !first || first->kind != KPX_UNIT_PROGRAM ||
        strcmp(first->name, "main") != 0)
        return;
    expanded_location place = expand_location(DECL_SOURCE_LOCATION(current_function_decl));
    if (!place.file || strcmp(place.file, s->file) == 0)
        return;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(current_function_decl));
    const kpx_unit *around = kpx_unit_at(kpx_scan_of(place.file)->scan, name, place.line);
    if (!around)
        return;
    memcpy(first->name, around->name, sizeof first->name);
    first->line = around->line;
}

kpx_source_scan *kpx_scan_of(const char *file)
{
    for (kpx_source_scan *s : sources)
        if (strcmp(s->file, file) == 0)
            return s;
    kpx_source_scan *s = XCNEW(kpx_source_scan);
    size_t length = 0;
    char *text = read_file(file, &length);
    s->file = xstrdup(file);
    s->scan = kpx_scan_fortran(text ? text : "", length, form_of(file));
    if (!s->scan) {
        warning(0,
                "kpx-bridge: no memory to scan %qs: its loops and I/O statements are not measured",
                file);
        s->scan = XCNEW(kpx_scan);
    }
    free(text);
    adopt_included(s);
    make_sites(s);
    sources.safe_push(s);
    return s;
}
