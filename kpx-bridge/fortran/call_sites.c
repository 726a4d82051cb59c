// SPDX-License-Identifier: MIT
//
// Corrects the addresses and lines of MPI calls in a log, once for each address and routine.
#include "kpx-bridge/fortran/call_sites.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "kpx-bridge/fortran/lines.h"
#include "kpx-bridge/log/file.h"

static const char *const routines[] = {
#define ROUTINE(name, ...) "MPI_" #name,
#include "kpx-bridge/log/mpi_routines.def"
};

enum { ROUTINES = sizeof routines / sizeof *routines };

// A statement with a name that begins with MPI_.
typedef struct {
    uint32_t first, last; // lines
    char *text;           // as kpx_statement
} statement;

typedef struct {
    char *path;
    ARRAY_OF(statement) statements; // in order
    ARRAY_OF(uint32_t) units;       // lines where program units end
} source;

typedef ARRAY_OF(source) source_list;

// ---- Sources ----------------------------------------------------------------------------------

static void read_statements(source *s, const char *text, size_t length)
{
    kpx_statements all = kpx_statements_begin(text, length, kpx_fortran_form(s->path));
    kpx_statement one = {0};
    while (kpx_next_statement(&all, &one)) {
        if (one.text.n == 0)
            continue;
        uint32_t first = one.at.at[0].line, last = one.at.at[one.at.n - 1].line;
        if (strcmp(one.text.at, "end") == 0 || strncmp(one.text.at, "endsubroutine", 13) == 0 ||
            strncmp(one.text.at, "endfunction", 11) == 0 ||
            strncmp(one.text.at, "endprogram", 10) == 0)
            ARRAY_PUSH(s->units, last);
        if (strstr(one.text.at, "mpi_"))
            ARRAY_PUSH(s->statements, ((statement){first, last, base_copy(one.text.at)}));
    }
    if (all.failed)
        base_out_of_memory(length, __FILE__, __LINE__);
    kpx_statement_free(&one);
}

static const source *source_at(source_list *list, const char *path)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].path, path) == 0)
            return &list->at[i];
    source s = {.path = base_copy(path)};
    size_t length;
    char *text = kpx_read_source(path, &length);
    if (text)
        read_statements(&s, text, length);
    free(text);
    ARRAY_PUSH(*list, s);
    return &list->at[list->n - 1];
}

static void free_sources(source_list *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        for (uint32_t k = 0; k < list->at[i].statements.n; k++)
            free(list->at[i].statements.at[k].text);
        free(list->at[i].statements.at);
        free(list->at[i].units.at);
        free(list->at[i].path);
    }
    free(list->at);
}

// ---- Statements -------------------------------------------------------------------------------

static bool calls(const statement *s, const char *routine)
{
    size_t n = strlen(routine);
    for (const char *at = s->text; (at = strcasestr(at, routine)); at += n)
        if ((at == s->text || (!isdigit((unsigned char)at[-1]) && at[-1] != '_')) &&
            (at[n] == '(' || at[n] == '\0'))
            return true;
    return false;
}

// Only the line of the program unit is known. The statement is in that unit, and the lines next to
// it in the code are next to it in the text.
static uint32_t search(const source *s, const char *routine, uint32_t line, uint32_t before,
                       uint32_t after)
{
    uint32_t end = UINT32_MAX, nearest = 0, next = 0, any = 0;
    for (uint32_t i = s->units.n; i > 0 && s->units.at[i - 1] >= line; i--)
        end = s->units.at[i - 1];
    for (uint32_t i = 0; i < s->statements.n; i++) {
        const statement *one = &s->statements.at[i];
        if (one->first < line || !calls(one, routine))
            continue;
        if (one->first <= after && one->first <= end)
            nearest = one->first;
        if (next == 0 && one->first >= before && one->first <= end)
            next = one->first;
        if (any == 0)
            any = one->first;
    }
    return nearest ? nearest : next ? next : any;
}

// 0: no better line is known.
static uint32_t line_of(const source *s, const char *routine, uint32_t line, uint32_t before,
                        uint32_t after)
{
    for (uint32_t i = 0; i < s->statements.n; i++) {
        const statement *one = &s->statements.at[i];
        if (one->first <= line && line <= one->last && calls(one, routine))
            return one->first;
    }
    return search(s, routine, line, before, after);
}

// ---- Calls ------------------------------------------------------------------------------------

static uint64_t correct(kpx_symbols *symbols, source_list *sources, uint64_t address,
                        const char *routine)
{
    uint64_t at = kpx_symbols_call(symbols, address, routine);
    kpx_source_place place = kpx_symbols_find(symbols, at);
    if (!place.file || place.line == 0 || !kpx_is_fortran(place.file))
        return at;
    uint32_t before, after;
    kpx_symbols_lines_around(symbols, at, &before, &after);
    uint32_t line = line_of(source_at(sources, place.file), routine, place.line, before, after);
    if (line != 0 && line != place.line)
        kpx_symbols_correct(symbols, at, line);
    return at;
}

static void correct_process(kpx_process_log *p, source_list *sources)
{
    ARRAY_OF(uint64_t) corrected = {0};
    base_map known = {0}; // address and routine: index
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++) {
            const kpx_event *e = &p->threads.at[i].events[k];
            kpx_store_at(k);
            if (e->kind != KPX_MPI_BEGIN || e->flags >= ROUTINES || e->b == 0)
                continue;
            uint64_t key = e->b * ROUTINES + e->flags;
            uint64_t index = map_get(&known, key);
            if (index == MAP_ABSENT) {
                index = corrected.n;
                ARRAY_PUSH(corrected, correct(p->symbols, sources, e->b, routines[e->flags]));
                map_set(&known, key, index);
            }
            if (corrected.at[index] != e->b)
                kpx_own_events(&p->threads.at[i])[k].b = corrected.at[index];
        }
    map_free(&known);
    free(corrected.at);
}

void kpx_correct_calls(kpx_logs *logs)
{
    source_list sources = {0};
    for (uint32_t i = 0; i < logs->processes.n; i++)
        correct_process(&logs->processes.at[i], &sources);
    free_sources(&sources);
}
