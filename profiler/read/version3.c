// SPDX-License-Identifier: MIT
//
// Files of version 3, which have names where later ones have numbers. This is the only place that finds
// out the numbers from the names. It also leaves out the barrier between the nodes of a machine with
// distributed shared memory, which no program had.
#include "profiler/read/version3.h"

#include <stdlib.h>
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

static uint64_t hash_of_source(const trace *t, uint32_t source)
{
    const string_entry *name = &t->strings.at[t->sources.at[source].name];
    return hash_bytes(0, name->text, name->length);
}

static bool has_name(const trace *t, uint32_t source, const char *text, size_t length)
{
    const string_entry *name = &t->strings.at[t->sources.at[source].name];
    return name->length == length && memcmp(name->text, text, length) == 0;
}

static uint32_t find_source(const version3_sources *s, const trace *t, const char *text,
                            size_t length)
{
    uint32_t found;
    INDEX_FIND(found, &s->by_name, hash_bytes(0, text, length), i, has_name(t, i, text, length));
    return found;
}

// Adds the sources that were loaded since the last call. False without memory.
static bool index_sources(version3_sources *s, const trace *t)
{
    for (; s->repeated.n < t->sources.n; s->repeated.n++) {
        uint32_t new = (uint32_t)s->repeated.n;
        const string_entry *name = &t->strings.at[t->sources.at[new].name];
        if (!ARRAY_RESERVE(s->repeated, 1) || !index_reserve(&s->by_name))
            return false;
        uint32_t older = find_source(s, t, name->text, name->length);
        s->repeated.at[new] = false;
        if (older != INDEX_NONE)
            s->repeated.at[older] = true;
        else
            index_add(&s->by_name, hash_of_source(t, new), new);
    }
    return true;
}

// The line of "FILE:LINE" if FILE is the name of one source only, which is *ret_source; else 0.
static uint32_t find_line(const version3_sources *s, const trace *t, const char *place,
                          uint32_t *ret_source)
{
    const char *colon = strrchr(place, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    uint32_t line = 0;
    if (digits == 0 || digits > 9 || colon[1 + digits] != '\0')
        return 0;
    for (const char *at = colon + 1; *at; at++)
        line = 10 * line + (uint32_t)(*at - '0');
    uint32_t found = find_source(s, t, place, (size_t)(colon - place));
    if (line == 0 || found == INDEX_NONE || s->repeated.at[found])
        return 0;
    *ret_source = found;
    return line;
}

// "critical a.c:5", "critical in a.c:5", "serial", "unit 6", "internal unit".
bool trace_version3_module(const trace *t, version3_sources *s, trace_module *m)
{
    const string_entry *name = &t->strings.at[m->name];
    size_t word = strcspn(name->text, " ");
    const char *rest = name->text + word;
    m->kind = kind_of(name->text, word);
    if (begins_with(name->text, "unit ") || strcmp(name->text, "internal unit") == 0)
        m->kind = TRACE_KIND_IO;
    rest += begins_with(rest, " in ") ? 4 : *rest ? 1 : 0;
    if (!index_sources(s, t))
        return false;
    m->line = find_line(s, t, rest, &m->source);
    return true;
}

void trace_version3_finish(version3_sources *s)
{
    index_free(&s->by_name);
    free(s->repeated.at);
}

// Where the figures of version 3 had the barrier between nodes.
enum { BETWEEN_NODES = TRACE_IMPLIED_BARRIER + 1 };

void trace_version3_region(trace_region *r)
{
    trace_figure *figures = (trace_figure *)(uintptr_t)r->figures;
    memmove(&figures[BETWEEN_NODES], &figures[BETWEEN_NODES + 1],
            (TRACE_FIGURES - BETWEEN_NODES) * sizeof *figures);
}
