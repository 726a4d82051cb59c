// SPDX-License-Identifier: MIT
//
// Loops that make lists which other loops take item by item (trees.h).
#include "iotree/findings/trees.h"

enum {
    FEWEST = 20,        // cells that are worth a tree
    WORKERS_STEPS = 12, // of a process, on the mean, for which its list is worth a tree, too
};

uint32_t iot_list_maker(const loops *l, uint32_t loop)
{
    uint32_t found = IOT_NONE, takes = 0, n = 0;
    for (uint32_t r = l->chains.at[l->biggest[loop]].first; r; r = l->next[r]) {
        uint32_t cell = l->taken[r];
        uint32_t chain = cell == IOT_NONE ? IOT_NONE : l->chain_of[trace_cell_maker(l->t, cell)];
        if (chain == IOT_NONE)
            continue;
        if (found == IOT_NONE)
            found = l->chains.at[chain].loop;
        takes += l->chains.at[chain].loop == found;
        n++;
    }
    bool most = takes >= FEWEST && 4 * (uint64_t)takes >= 3 * (uint64_t)n;
    return most && found != loop ? found : IOT_NONE;
}

bool iot_creates_processes(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t *last = base_allocate(l->g->n, sizeof *last); // by goal: the last reduction below it
    int64_t steps = 0;
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] && trace_time(l->t, r) >= trace_time(l->t, last[s->side[r]]))
            last[s->side[r]] = r;
    for (uint32_t r = 1; r < l->g->n; r++)
        if (s->side[r] == r)
            steps += trace_time(l->t, last[r]) - trace_time(l->t, r);
    free(last);
    return steps >= WORKERS_STEPS * (int64_t)s->workers;
}

void iot_find_list_makers(const loop_study *s, list_makers *m)
{
    const loops *l = s->l;
    for (const loop_study *x = s; m->n < MOST_MAKERS; x = &m->made[m->n - 1]) {
        uint32_t loop = iot_list_maker(l, x->loop);
        if (loop == IOT_NONE || !iot_is_lopsided(l, l->biggest[loop]))
            return;
        loop_study *next = &m->made[m->n];
        *next = iot_study_loop(l, loop);
        if (next->sequential || next->has_state ||
            (next->waits && iot_list_maker(l, loop) == IOT_NONE)) {
            iot_end_study(next);
            return;
        }
        m->critical += l->critical[loop];
        m->n++;
    }
}

void iot_free_list_makers(list_makers *m)
{
    while (m->n)
        iot_end_study(&m->made[--m->n]);
}

bool iot_is_own_clause(const loops *l, uint32_t clause)
{
    return trace_get_predicate(l->t, trace_get_clause(l->t, clause)->predicate)->origin ==
           TRACE_PROGRAM;
}

char *iot_makers_text(const list_makers *makers, candidate *x)
{
    base_text text = {0};
    for (uint32_t i = 0; i < makers->n; i++) {
        const loop_study *m = &makers->made[i];
        const loops *l = m->l;
        uint32_t reduction, clause = iot_loop_clause(l, m->loop, &reduction);
        char *name = iot_is_own_clause(l, clause)
                         ? iot_loop_text(m, clause)
                         : iot_predicate_text(l->t, trace_get_clause(l->t, clause)->predicate);
        text_add_format(&text, "%s%s%s",
                        i == 0   ? ""
                        : i == 1 ? " from the list of "
                                 : ", from that of ",
                        name, i == 0 ? " makes item by item" : "");
        if (iot_is_own_clause(l, clause))
            candidate_also(x, iot_clause_location(l->a, clause));
        free(name);
    }
    return text_finish(&text);
}
