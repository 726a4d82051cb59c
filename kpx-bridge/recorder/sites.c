// SPDX-License-Identifier: MIT
//
// Finds the sites of all loaded objects, decides how each is measured, and writes their list.
#include "kpx-bridge/recorder/tables.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/site_key.h"

kpx_measure_options kpx_measured;

// All sites, and how each is measured.
static struct {
    kpx_site **sites;
    uint8_t *states;
    uint32_t n, capacity;
} found;

// The sites that are not timed. The list is kept for the I/O statements of files without sites.
static struct {
    char *text; // of the file, which keys point into
    kpx_site_key *keys;
    uint32_t n;
} suppressed;

// ---- What is wanted -------------------------------------------------------------------------

static bool matches(const char *patterns, const char *text)
{
    char pattern[256];
    while (*patterns) {
        size_t n = strcspn(patterns, ",");
        if (n > 0 && n < sizeof pattern) {
            memcpy(pattern, patterns, n);
            pattern[n] = 0;
            if (fnmatch(pattern, text, FNM_CASEFOLD) == 0)
                return true;
        }
        patterns += n + (patterns[n] == ',');
    }
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool matches_either(const char *patterns, const char *routine, const char *file)
{
    return (routine && matches(patterns, routine)) || matches(patterns, file) ||
           matches(patterns, base_name(file));
}

bool kpx_is_wanted(const char *routine, const char *file)
{
    if (kpx_measured.only && !matches_either(kpx_measured.only, routine, file))
        return false;
    return !kpx_measured.except || !matches_either(kpx_measured.except, routine, file);
}

static bool is_suppressed(const kpx_site *s)
{
    for (uint32_t i = 0; i < suppressed.n; i++)
        if (kpx_is_keyed(&suppressed.keys[i], s->kind, s->line, s->seq, s->routine, s->file))
            return true;
    return false;
}

// Where the file has sites they know the lines of the whole statement. They are those of the same
// compilation, so the file has the same name.
bool kpx_is_io_suppressed(kpx_io_kind kind, const char *file, uint32_t line)
{
    for (uint32_t i = 0; i < found.n && suppressed.n > 0; i++) {
        const kpx_site *s = found.sites[i];
        if (s->kind == KPX_SITE_IO && line >= s->line && line <= s->last_line &&
            kpx_is_io_kind(s->extra, kind) && strcmp(s->file, file) == 0)
            return found.states[i] == KPX_SITE_SUPPRESSED;
    }
    for (uint32_t i = 0; i < suppressed.n; i++) {
        const kpx_site_key *k = &suppressed.keys[i];
        if (k->kind == KPX_SITE_IO && k->line == line && kpx_is_named(k->file, base_name(file)))
            return true;
    }
    return false;
}

static kpx_site_state state_for(const kpx_site *s)
{
    bool kind = s->kind == KPX_SITE_ROUTINE ? kpx_measured.routines
                : s->kind == KPX_SITE_LOOP  ? kpx_measured.loops
                                            : kpx_measured.io;
    if (!kind || (s->flags & KPX_SITE_UNSEEN) || !kpx_is_wanted(s->routine, s->file))
        return KPX_SITE_OFF;
    if (kpx_measured.count)
        return KPX_SITE_COUNTED;
    return is_suppressed(s) ? KPX_SITE_SUPPRESSED : KPX_SITE_TIMED;
}

// ---- Finding --------------------------------------------------------------------------------

static bool add_site(kpx_site *s, kpx_site_state state)
{
    if (found.n == found.capacity) {
        uint32_t capacity = found.capacity ? 2 * found.capacity : 256;
        kpx_site **sites = reallocarray(found.sites, capacity, sizeof *sites);
        if (!sites)
            return false;
        found.sites = sites;
        uint8_t *states = realloc(found.states, capacity);
        if (!states)
            return false;
        found.states = states;
        found.capacity = capacity;
    }
    found.sites[found.n] = s;
    found.states[found.n] = (uint8_t)state;
    s->number = found.n++;
    return true;
}

static void take_site(kpx_site *s)
{
    if (s->version != KPX_SITE_VERSION)
        return;
    if (s->kind >= KPX_SITE_KINDS || !s->routine || !s->file || !s->folder)
        return;
    kpx_site_state state = state_for(s);
    if (!add_site(s, state) || s->kind == KPX_SITE_IO)
        return;
    s->enter = state == KPX_SITE_TIMED     ? kpx_enter_timed
               : state == KPX_SITE_COUNTED ? kpx_enter_counted
                                           : NULL;
    s->leave = state == KPX_SITE_TIMED     ? kpx_leave_timed
               : state == KPX_SITE_COUNTED ? kpx_leave_counted
                                           : NULL;
}

// The section's address as the file has it. False: there is none.
static bool find_section(const uint8_t *file, size_t size, Elf64_Addr *ret_at, uint64_t *ret_size)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return false;
    memcpy(&head, file, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > size ||
        (size - head.e_shoff) / sizeof(Elf64_Shdr) < head.e_shnum ||
        head.e_shstrndx >= head.e_shnum)
        return false;
    Elf64_Shdr names, section;
    memcpy(&names, file + head.e_shoff + head.e_shstrndx * sizeof names, sizeof names);
    if (names.sh_offset > size || size - names.sh_offset < names.sh_size)
        return false;
    for (uint16_t i = 0; i < head.e_shnum; i++) {
        memcpy(&section, file + head.e_shoff + i * sizeof section, sizeof section);
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_name >= names.sh_size ||
            names.sh_size - section.sh_name < sizeof KPX_SITES ||
            memcmp(file + names.sh_offset + section.sh_name, KPX_SITES, sizeof KPX_SITES) != 0)
            continue;
        *ret_at = section.sh_addr;
        *ret_size = section.sh_size;
        return true;
    }
    return false;
}

static int take_object(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    const char *path = *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0)
        return 0;
    uint8_t *bytes = MAP_FAILED;
    if (fstat(file, &about) == 0 && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return 0;
    Elf64_Addr at;
    uint64_t length;
    if (find_section(bytes, (size_t)about.st_size, &at, &length))
        for (uint64_t i = 0; i + sizeof(kpx_site) <= length; i += sizeof(kpx_site))
            take_site((kpx_site *)(object->dlpi_addr + at + i));
    munmap(bytes, (size_t)about.st_size);
    return 0;
}

static bool take_key(char *line, kpx_site_key *ret)
{
    char *fields[5];
    for (int i = 0; i < 5; i++)
        if (!(fields[i] = strsep(&line, "\t")))
            return false;
    ret->kind = (uint32_t)strtoul(fields[0], NULL, 10);
    ret->line = (uint32_t)strtoul(fields[1], NULL, 10);
    ret->seq = (uint32_t)strtoul(fields[2], NULL, 10);
    ret->routine = fields[3];
    ret->file = fields[4];
    return true;
}

// Takes the text, which ends with a zero byte.
static void take_suppressed(char *text, size_t length)
{
    size_t lines = 1;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    suppressed.text = text;
    suppressed.keys = calloc(lines, sizeof *suppressed.keys);
    char *rest = suppressed.keys ? text : NULL, *line;
    while ((line = strsep(&rest, "\n")))
        suppressed.n += take_key(line, &suppressed.keys[suppressed.n]);
}

static void read_suppressed(const char *folder)
{
    char path[PATH_MAX + 16], *text = NULL;
    snprintf(path, sizeof path, "%s/" KPX_SUPPRESSED, folder);
    FILE *file = fopen(path, "re");
    size_t size = 0;
    if (!file)
        return;
    ssize_t length = getdelim(&text, &size, 0, file);
    fclose(file);
    if (length > 0)
        take_suppressed(text, (size_t)length);
    else
        free(text);
}

void kpx_find_sites(const char *folder)
{
    const char *what = getenv("KPX_MEASURE"), *clock = getenv("KPX_CLOCK");
    if (!what)
        return;
    kpx_measured.on = true;
    kpx_measured.routines = strstr(what, "routines");
    kpx_measured.loops = strstr(what, "loops");
    kpx_measured.io = strstr(what, "io");
    kpx_measured.count = getenv("KPX_COUNT") != NULL;
    kpx_measured.cpu = clock && strcmp(clock, "cpu") == 0;
    kpx_measured.only = getenv("KPX_ONLY");
    kpx_measured.except = getenv("KPX_EXCEPT");
    read_suppressed(folder);
    dl_iterate_phdr(take_object, NULL);
    kpx_measured.sites = found.n;
}

// ---- The list -------------------------------------------------------------------------------

static void put_text(FILE *out, const char *text, char end)
{
    for (; text && *text; text++)
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    fputc(end, out);
}

// Creates a file with a new name: process numbers are reused, and a process may become another
// program.
static FILE *create(const char *folder, long *ret_id)
{
    char path[PATH_MAX];
    int file = -1;
    *ret_id = (long)getpid();
    for (int i = 0; i < 1000 && file < 0; i++) {
        snprintf(path, sizeof path, "%s/%ld.sites", folder, *ret_id);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (file < 0 && errno != EEXIST)
            break;
        *ret_id += file < 0 ? (long)KPX_PIDS : 0;
    }
    // Without a file nothing is measured. The bridge finds no log and looks why.
    return file < 0 ? NULL : fdopen(file, "w");
}

bool kpx_find_rank(int *ret_rank, int *ret_ranks)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"}};
    for (int i = 0; i < 2; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (!rank || !size)
            continue;
        *ret_rank = atoi(rank);
        *ret_ranks = atoi(size);
        return true;
    }
    return false;
}

static void put_process(FILE *out)
{
    char path[PATH_MAX];
    int rank, ranks;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    fprintf(out, "pid %ld\nprogram ", (long)getpid());
    put_text(out, path, '\n');
    if (kpx_find_rank(&rank, &ranks))
        fprintf(out, "rank %d\nranks %d\n", rank, ranks);
}

long kpx_list_sites(const char *folder)
{
    long id;
    FILE *out = create(folder, &id);
    if (!out)
        return -1;
    put_process(out);
    fprintf(out, "measured%s%s%s\n", kpx_measured.routines ? " routines" : "",
            kpx_measured.loops ? " loops" : "", kpx_measured.io ? " io" : "");
    fprintf(out, "sites %u\n", found.n);
    for (uint32_t i = 0; i < found.n; i++) {
        const kpx_site *s = found.sites[i];
        fprintf(out, "%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t", i, s->kind, found.states[i], s->flags,
                s->seq, s->line, s->last_line, s->label, s->routine_line);
        put_text(out, s->routine, '\t');
        put_text(out, s->file, '\t');
        put_text(out, s->folder, '\t');
        put_text(out, s->extra, '\n');
    }
    fclose(out);
    return id;
}
