// SPDX-License-Identifier: MIT
//
// Of Fleng by the links between modules; of a measured run by its own clock by what its places did.
#include "paf/model/stretch_waits.h"
#include "paf/model/real_times.h"

static int longest_first(gconstpointer x, gconstpointer y)
{
    const paf_waited *a = x, *b = y;
    if (a->waited != b->waited)
        return a->waited > b->waited ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static void add_pairs(const paf_model *m, iot_clock clock, int64_t from, int64_t to, GArray *rows)
{
    for (uint32_t i = 0; i < m->npairs; i++) {
        const paf_pair *pair = &m->pairs[i];
        paf_waited row = {pair->from, pair->to, paf_pair_waited_within(m, clock, pair, from, to)};
        if (row.waited > 0)
            g_array_append_val(rows, row);
    }
}

// Sums by pair of modules; a cause that is not known has a column of its own.
static void add_activities(const paf_model *m, const paf_timeline *l, int64_t from, int64_t to,
                           GHashTable *sums)
{
    for (uint32_t place = 0; place < l->nplaces; place++)
        for (uint32_t i = paf_timeline_at(l, place, (double)from - 1); i < l->first_of[place + 1]; i++) {
            uint32_t r = l->by_place[i];
            int64_t start = MAX(paf_timeline_start(l, r), from - 1);
            int64_t end = MIN(paf_timeline_end(l, r), to);
            if (paf_timeline_start(l, r) >= to)
                break;
            if (end <= start || !paf_interval_waits(paf_interval_of(l, r)))
                continue;
            uint32_t cause = iot_wait_cause(m->a, r);
            gint64 module = iot_module_of_goal(m->a, trace_reduction_goal(m->t, r));
            gint64 key = module * (m->nmodules + 1) + MIN(cause, m->nmodules);
            paf_waited *row = g_hash_table_lookup(sums, &key);
            if (!row) {
                row = g_new0(paf_waited, 1);
                *row = (paf_waited){cause, (uint32_t)module, 0};
                g_hash_table_insert(sums, g_memdup2(&key, sizeof key), row);
            }
            row->waited += (uint64_t)(end - start);
        }
}

GArray *paf_waits_within(const paf_model *m, iot_clock clock, int64_t from, int64_t to)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_waited));
    if (trace_is_measured(m->t) && clock == IOT_REAL_TIME && m->timeline) {
        GHashTable *sums = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
        GHashTableIter iterator;
        gpointer row;
        add_activities(m, m->timeline, from, to, sums);
        g_hash_table_iter_init(&iterator, sums);
        while (g_hash_table_iter_next(&iterator, NULL, &row))
            g_array_append_vals(rows, row, 1);
        g_hash_table_destroy(sums);
    } else {
        add_pairs(m, clock, from, to, rows);
    }
    g_array_sort(rows, longest_first);
    return rows;
}
