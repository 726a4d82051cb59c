// SPDX-License-Identifier: MIT
//
// Input and output put together: by the program unit that its statements stand in, by file.
#include "paf/model/totals.h"

#include <string.h>

static trace_measure nothing(const trace_totals *t)
{
    return trace_total_at(t, t->ntotals, 0);
}

// Of all statements of a unit at one node.
static trace_measure of_unit(const trace_totals *t, uint32_t unit, uint32_t node)
{
    trace_measure sum = nothing(t);
    for (uint32_t i = 0; i < t->ntotals; i++) {
        if (t->totals[i].kind != TT_IO || t->totals[i].unit != unit)
            continue;
        trace_measure m = trace_total_at(t, i, node);
        paf_add_measure(&sum, &m);
    }
    return sum;
}

static void append(GArray *rows, uint32_t total, trace_measure m, bool counts)
{
    paf_total_row row = {.total = total, .m = m, .value = counts ? m.times : paf_own_time(&m)};
    if (m.times >= 0 || m.time >= 0 || m.inclusive >= 0)
        g_array_append_val(rows, row);
}

GArray *paf_io_rows(const trace_totals *t, paf_io_group group, uint32_t nodes, bool counts)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_total_row));
    for (uint32_t i = 0; i < t->ntotals && group == PAF_IO_UNITS; i++)
        if (t->totals[i].kind == TT_UNIT)
            append(rows, i, paf_over_nodes(t, nodes, of_unit, i), counts);
    for (uint32_t i = 0; i < t->nfiles && group == PAF_IO_FILES; i++)
        append(rows, t->ntotals + i, paf_over_nodes(t, nodes, trace_file_at, i), counts);
    paf_sort_rows(rows);
    return rows;
}

char *paf_file_name(const trace *t, const trace_totals *all, uint32_t file)
{
    const trace_data_file *f = &all->files[file];
    const char *name = paf_total_text(t, f->name), *label = paf_total_text(t, f->label);
    if (name)
        return g_strdup(name);
    if (f->number >= 0)
        return g_strdup_printf("unit %" G_GINT64_FORMAT, (gint64)f->number);
    // The words that ktool's report has where a number should stand.
    return g_strdup(label && strcmp(label, "UNIT NO.") != 0 ? label : "unit not known");
}

bool paf_is_of_file(const trace *t, const trace_totals *all, uint32_t total, uint32_t file)
{
    const trace_data_file *f = &all->files[file];
    const trace_total *p = &all->totals[total];
    if (p->kind != TT_IO)
        return false;
    const char *name = paf_total_text(t, f->name), *own = paf_total_text(t, p->name);
    if (name || own)
        return name && own && strcmp(name, own) == 0;
    return f->number == p->number && g_strcmp0(paf_total_text(t, f->label),
                                               paf_total_text(t, p->label)) == 0;
}
