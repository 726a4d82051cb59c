// SPDX-License-Identifier: MIT
//
// The table of a run of Fleng: its sums are those of the analysis, and nothing has a row that was never
// reduced. Of a measured run: nothing has a row that took no time.
//
//   check_history FILE.paf...
#include "paf/model/totals.h"

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
        paf_totals_free(own);
        iot_destroy(a);
        trace_close(t);
    }
    return failures ? 1 : 0;
}
