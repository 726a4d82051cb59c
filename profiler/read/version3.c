// SPDX-License-Identifier: MIT
//
// Files of version 3, which have names where later ones have numbers. This is the only place that finds
// out the numbers from the names. It also leaves out the barrier between the nodes of a machine with
// distributed shared memory, which no program had.
#include "profiler/read/version3.h"

#include <string.h>

// The number of a name in a table, or 0. Of two kinds of the same name it is the first: activities in
// loops of OpenMP and in those of Fortran cannot be told apart by their names.
static trace_number find(const char *name, size_t length, unsigned n, const char *(*name_of)(trace_number))
{
    for (unsigned i = 1; i < n; i++) {
        const char *known = name_of((trace_number)i);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return (trace_number)i;
    }
    return 0;
}

void trace_version3_string(string_entry *s)
{
    s->means[MEANS_KEY] = find(s->text, s->length, TRACE_KEYS, trace_key_name);
    s->means[MEANS_SCHEDULE] = find(s->text, s->length, TRACE_SCHEDULES, trace_schedule_name);
    s->means[MEANS_EDGE] = find(s->text, s->length, TRACE_EDGES, trace_edge_name);
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static trace_kind kind_of(const char *name, size_t length)
{
    return begins_with(name, "MPI_") ? TRACE_KIND_MPI_CALL
                                     : find(name, length, TRACE_KINDS, trace_kind_name);
}

void trace_version3_predicate(const trace *t, trace_predicate *p)
{
    const string_entry *name = &t->strings.at[p->name];
    p->kind = kind_of(name->text, name->length);
    if (p->kind == TRACE_KIND_NONE && begins_with(name->text, "computation before "))
        p->kind = TRACE_KIND_COMPUTATION_BEFORE;
    if (p->kind == TRACE_KIND_NONE && t->modules.at[p->module].kind == TRACE_KIND_IO)
        p->kind = TRACE_KIND_IO; // its name is that of the statement
}

// The line of "FILE:LINE" if FILE is the name of one source only, which is *ret_source; else 0.
static uint32_t find_line(const trace *t, const char *place, uint32_t *ret_source)
{
    const char *colon = strrchr(place, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    uint32_t line = 0, found = TRACE_NONE;
    if (digits == 0 || digits > 9 || colon[1 + digits] != '\0')
        return 0;
    for (const char *at = colon + 1; *at; at++)
        line = 10 * line + (uint32_t)(*at - '0');
    for (uint32_t i = 0; i < t->sources.n; i++) {
        const string_entry *name = &t->strings.at[t->sources.at[i].name];
        if (name->length != (size_t)(colon - place) || memcmp(name->text, place, name->length) != 0)
            continue;
        if (found != TRACE_NONE)
            return 0;
        found = i;
    }
    *ret_source = line > 0 ? found : TRACE_NONE;
    return found == TRACE_NONE ? 0 : line;
}

// "critical a.c:5", "critical in a.c:5", "serial", "unit 6", "internal unit".
void trace_version3_module(const trace *t, trace_module *m)
{
    const string_entry *name = &t->strings.at[m->name];
    size_t word = strcspn(name->text, " ");
    const char *rest = name->text + word;
    m->kind = kind_of(name->text, word);
    if (begins_with(name->text, "unit ") || strcmp(name->text, "internal unit") == 0)
        m->kind = TRACE_KIND_IO;
    rest += begins_with(rest, " in ") ? 4 : *rest ? 1 : 0;
    m->line = find_line(t, rest, &m->source);
}

// Where the figures of version 3 had the barrier between nodes.
enum { BETWEEN_NODES = TRACE_IMPLIED_BARRIER + 1 };

void trace_version3_region(trace_region *r)
{
    trace_figure *figures = (trace_figure *)(uintptr_t)r->figures;
    memmove(&figures[BETWEEN_NODES], &figures[BETWEEN_NODES + 1],
            (TRACE_FIGURES - BETWEEN_NODES) * sizeof *figures);
}
