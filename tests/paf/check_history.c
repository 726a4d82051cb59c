// SPDX-License-Identifier: MIT
//
// The table of a run of Fleng: its sums are those of the analysis, and nothing has a row that was never
// reduced. Of a measured run: nothing has a row that took no time. Beside a table each line of the source has
// the reductions of the clauses that begin there.
//
//   check_history FILE.paf...
#include "paf/layout/bars.h"

#include <stdio.h>

static int failures;
static const char *about;

static void same(const char *what, uint64_t a, uint64_t b)
{
    if (a != b && failures++ < 20)
        fprintf(stderr, "%s: %s: %llu, not %llu\n", about, what, (unsigned long long)a,
                (unsigned long long)b);
}

typedef struct {
    uint64_t rows, reductions, critical, waited;
} sums;

static sums sum_of(const trace_totals *all, trace_total_kind kind)
{
    sums s = {0};
    GArray *rows = paf_total_rows(all, kind, TRACE_NONE, 0, true);
    for (guint i = 0; i < rows->len; i++) {
        const paf_total_row *row = &g_array_index(rows, paf_total_row, i);
        const paf_history_figures *f = paf_history_of(all, row->total, NULL);
        s.rows++;
        s.reductions += row->m.times > 0 ? (uint64_t)row->m.times : 0;
        s.critical += f ? f->critical : 0;
        s.waited += f ? f->waited : 0;
        if (kind == TT_UNIT)
            same("a row without reductions", row->m.times <= 0, 0);
    }
    g_array_unref(rows);
    return s;
}

static void check_fleng(const trace *t, const iot *a, const trace_totals *all)
{
    sums predicates = sum_of(all, TT_UNIT), modules = sum_of(all, TT_CALL);
    uint64_t waiting = 0, path = 0;
    for (uint32_t i = 0; i < iot_nmodules(a); i++)
        waiting += iot_get_module(a, i)->waiting;
    paf_history_of(all, 0, &path);
    same("reductions of predicates", predicates.reductions, trace_nreductions(t) - 1);
    same("reductions of modules", modules.reductions, trace_nreductions(t) - 1);
    same("what the path's share is of", path, iot_critical_cost(a));
    same("critical path of predicates", predicates.critical, path);
    same("critical path of modules", modules.critical, path);
    same("waiting of modules", modules.waited, waiting);
    if (iot_suspended(a) == 0)
        same("waiting of predicates", predicates.waited, waiting);
}

static void check_lines(const trace *t, const paf_source_view *view)
{
    uint64_t *expected = g_new0(uint64_t, view->counts->len + 1);
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
        if (c->source == view->source && c->line > 0 && c->line <= view->counts->len)
            expected[c->line - 1]++;
    }
    for (guint i = 0; i < view->counts->len; i++)
        same("reductions of a line", g_array_index(view->counts, paf_line_count, i).count, expected[i]);
    g_free(expected);
}

// Each row is chosen once.
static void check_source(const trace *t, const trace_totals *all)
{
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    paf_bars_view view = paf_bars_fit(all, 1280, 800);
    for (uint32_t i = 0; i < MIN(all->ntotals, 40u); i++) {
        view.selected = i;
        paf_bars *bars = paf_bars_create(t, all, &view, text);
        if (bars->source.counts)
            check_lines(t, &bars->source);
        paf_bars_destroy(bars);
    }
    paf_shaped_text_destroy(text);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        about = argv[i];
        char *error = NULL;
        trace *t = trace_open(argv[i], NULL, NULL, &error);
        if (!t || error)
            return 2;
        iot_partition *p = iot_partition_default(t);
        iot *a = iot_analyse(t, p, NULL, NULL);
        iot_partition_destroy(p);
        paf_totals *own = paf_totals_of_history(t, a);
        if (own && paf_is_fleng_history(paf_totals_get(own)))
            check_fleng(t, a, paf_totals_get(own));
        else if (own)
            sum_of(paf_totals_get(own), TT_UNIT);
        if (own)
            check_source(t, paf_totals_get(own));
        paf_totals_free(own);
        iot_destroy(a);
        trace_close(t);
    }
    return failures ? 1 : 0;
}
