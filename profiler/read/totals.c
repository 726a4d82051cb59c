// SPDX-License-Identifier: MIT
//
// Loads totals and answers questions about them; they are kept in the tables' memory.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"

static bool string_or_none(const trace *t, uint32_t string)
{
    return string == TRACE_NONE || string < t->strings.n;
}

static bool check_place(loader *l, const trace_totals *t, const trace_total *p)
{
    const trace *file = l->t;
    if (!string_or_none(file, p->name) || !string_or_none(file, p->type) ||
        !string_or_none(file, p->label))
        return trace_refuse(l, "a string that does not exist");
    if (p->source != TRACE_NONE && p->source >= file->sources.n)
        return trace_refuse(l, "a source that does not exist");
    if (p->unit == TRACE_NONE)
        return true;
    if (p->kind == TT_UNIT || p->unit >= t->ntotals || t->totals[p->unit].kind != TT_UNIT)
        return trace_refuse(l, "a place in what is no unit");
    return true;
}

static bool is_behind(uint32_t a, uint32_t b, uint32_t before_a, uint32_t before_b)
{
    return a > before_a || (a == before_a && b > before_b);
}

// Of places, or of files: there are `nplaces`.
static bool check_measures(loader *l, const trace_measure *measures, uint32_t n, uint32_t nplaces,
                           uint32_t nnodes)
{
    for (uint32_t i = 0; i < n; i++) {
        const trace_measure *m = &measures[i];
        if (m->total >= nplaces || m->node >= nnodes)
            return trace_refuse(l, "a measure of a place or node that does not exist");
        if (i > 0 && !is_behind(m->total, m->node, m[-1].total, m[-1].node))
            return trace_refuse(l, "measures that are not in order");
    }
    return true;
}

static bool check_traffic(loader *l, const trace_totals *t)
{
    for (uint32_t i = 0; i < t->ntraffic; i++) {
        const trace_traffic *m = &t->traffic[i];
        if (m->from >= t->nnodes || m->to >= t->nnodes)
            return trace_refuse(l, "messages of a node that does not exist");
        if (i > 0 && !is_behind(m->from, m->to, m[-1].from, m[-1].to))
            return trace_refuse(l, "messages that are not in order");
    }
    return true;
}

bool trace_load_totals(loader *l, uint32_t count)
{
    trace *file = l->t;
    if (count != 1 || file->totals)
        return trace_refuse(l, "totals are given twice");
    trace_totals *t = trace_arena_take(&file->tables, sizeof *t);
    if (!t)
        return trace_refuse(l, trace_no_memory);
    *t = (trace_totals){.files_reported = TRACE_UNOBSERVED};
    get_totals(&l->columns[COLUMN_HEAD], &l->k, t);
    get_total_places(&l->columns[COLUMN_TOTALS], &l->k, t);
    get_measures(&l->columns[COLUMN_MEASURES], &l->k, t);
    get_messages(&l->columns[COLUMN_MESSAGES], &l->k, t);
    for (int i = COLUMN_HEAD; i <= COLUMN_MESSAGES; i++)
        if (!trace_column_sound(l, &l->columns[i]))
            return false;
    for (uint32_t i = 0; i < t->ntotals; i++)
        if (!check_place(l, t, &t->totals[i]))
            return false;
    if (!check_measures(l, t->measures, t->nmeasures, t->ntotals, t->nnodes) || !check_traffic(l, t))
        return false;
    file->totals = t;
    return true;
}

bool trace_load_data_files(loader *l, uint32_t count)
{
    trace_totals *of = l->t->totals, t = {0};
    if (count != 1 || !of || of->nfiles > 0)
        return trace_refuse(l, "files without totals, or twice");
    get_data_files(&l->columns[0], &l->k, &t);
    get_file_measures(&l->columns[1], &l->k, &t);
    if (!trace_column_sound(l, &l->columns[0]) || !trace_column_sound(l, &l->columns[1]))
        return false;
    for (uint32_t i = 0; i < t.nfiles; i++)
        if (!string_or_none(l->t, t.files[i].name) || !string_or_none(l->t, t.files[i].label))
            return trace_refuse(l, "a string that does not exist");
    if (!check_measures(l, t.file_measures, t.nfile_measures, t.nfiles, of->nnodes))
        return false;
    of->files_reported = t.files_reported;
    of->nfiles = t.nfiles;
    of->files = t.files;
    of->nfile_measures = t.nfile_measures;
    of->file_measures = t.file_measures;
    return true;
}

static trace_measure measure_at(const trace_measure *measures, uint32_t n, uint32_t total,
                                uint32_t node)
{
    uint32_t place;
    FIRST_NOT(place, n, i, is_behind(total, node, measures[i].total, measures[i].node));
    if (place < n && measures[place].total == total && measures[place].node == node)
        return measures[place];
    return (trace_measure){.total = total,
                           .node = node,
                           .times = TRACE_UNOBSERVED,
                           .time = TRACE_UNOBSERVED,
                           .inclusive = TRACE_UNOBSERVED,
                           .rotation = TRACE_UNOBSERVED,
                           .bytes = TRACE_UNOBSERVED};
}

trace_measure trace_total_at(const trace_totals *t, uint32_t total, uint32_t node)
{
    return measure_at(t->measures, t->nmeasures, total, node);
}

trace_measure trace_file_at(const trace_totals *t, uint32_t file, uint32_t node)
{
    return measure_at(t->file_measures, t->nfile_measures, file, node);
}

int64_t trace_node_number(const trace_totals *t, uint32_t node)
{
    const trace_total_node *n = &t->nodes[node];
    return n->rank >= 0 ? n->rank : n->pid >= 0 ? n->pid : (int64_t)node + 1;
}

uint32_t trace_find_node(const trace_totals *t, int64_t number)
{
    for (uint32_t i = 0; i < t->nnodes; i++)
        if (trace_node_number(t, i) == number)
            return i;
    return TRACE_NONE;
}

// The first node of another number than that of the one before it, from i on; nnodes: there is none.
static uint32_t next_number(const trace_totals *t, uint32_t i)
{
    while (i > 0 && i < t->nnodes && trace_node_number(t, i) == trace_node_number(t, i - 1))
        i++;
    return i;
}

void trace_describe_nodes(const trace_totals *t, char *buffer, size_t size)
{
    enum { MOST = 8 };
    uint32_t n = 0, used = 0, told = 0;
    int64_t last = 0;
    bool ranks = t->nnodes > 0, follow = true; // one after the other
    for (uint32_t i = 0; i < t->nnodes; i = next_number(t, i + 1), n++) {
        ranks = ranks && t->nodes[i].rank >= 0;
        follow = follow && (i == 0 || trace_node_number(t, i) - 1 == last);
        last = trace_node_number(t, i);
    }
    const char *what = ranks ? "rank" : "process";
    if (follow && n > 2) {
        snprintf(buffer, size, "%s %" PRId64 " to %" PRId64, what, trace_node_number(t, 0), last);
        return;
    }
    snprintf(buffer, size, "%s", n > 0 ? what : "no process");
    for (uint32_t i = 0; i < t->nnodes && told < MOST && used < size; i = next_number(t, i + 1)) {
        used = (uint32_t)strlen(buffer);
        snprintf(buffer + used, size - used, "%s %" PRId64, told++ > 0 ? "," : "",
                 trace_node_number(t, i));
    }
    used = (uint32_t)strlen(buffer);
    if (n > MOST && used < size)
        snprintf(buffer + used, size - used, " ... (%" PRIu32 ")", n);
}
