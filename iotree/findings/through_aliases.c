// SPDX-License-Identifier: MIT
//
// Who reads what was bound by way of an alias (through_aliases.h).
#include "iotree/findings/through_aliases.h"

#include "iotree/terms/values.h"

// The latest alias on the way from this side of a `=` to the variable that it bound; 0: none.
static uint32_t alias_before(const trace *t, trace_value v, uint32_t binding)
{
    uint32_t variable = trace_binding_variable(t, binding), latest = 0;
    while (is_variable(t, v) && v.id != variable) {
        uint32_t next = trace_cell_binding(t, v.id);
        if (next == TRACE_NONE || next >= binding)
            return 0; // the other side
        uint32_t maker = trace_binding_maker(t, next);
        latest = maker > latest ? maker : latest;
        v = trace_binding_value(t, next);
    }
    return is_variable(t, v) ? latest : 0;
}

static void look_at_binding(alias_bindings *all, const trace *t, uint32_t r, uint32_t binding)
{
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    uint32_t item = trace_binding_item(t, binding), latest = 0;
    if (c->dynamic || item >= c->nitems || c->items[item].kind != TI_UNIFY)
        return;
    for (uint32_t side = 0; side < 2; side++) {
        const trace_node *n = &c->nodes[c->children[c->items[item].first + side]];
        uint32_t alias =
            n->kind == TN_HOLE ? alias_before(t, trace_hole(t, r, n->index), binding) : 0;
        latest = alias > latest ? alias : latest;
    }
    if (latest && latest < r)
        ARRAY_PUSH(all->list, (alias_binding){binding, r, latest});
}

void iot_find_alias_bindings(const trace *t, alias_bindings *ret)
{
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++)
            look_at_binding(ret, t, r, b);
    }
}

// By binding: the alias that its readers have to wait for, too; NULL: there is none.
static uint32_t *late_aliases(const alias_bindings *all, const trace *t, const wait_graph *g,
                              const wait_change *change)
{
    uint32_t *late = NULL;
    int64_t *times = base_allocate(g->n, sizeof *times);
    iot_span_under(g, change, times);
    for (size_t i = 0; i < all->list.n; i++) {
        const alias_binding *x = &all->list.at[i];
        if (times[x->maker] >= times[x->alias])
            continue;
        if (!late)
            late = base_allocate(trace_nbindings(t), sizeof *late);
        late[x->binding] = x->alias;
    }
    free(times);
    return late;
}

static int by_reader(const void *x, const void *y)
{
    const wait_added *a = x, *b = y;
    return a->reader < b->reader ? -1 : a->reader > b->reader;
}

void iot_wait_for_aliases(const alias_bindings *all, const trace *t, const wait_graph *g,
                          wait_change *change)
{
    uint32_t *late = all->list.n ? late_aliases(all, t, g, change) : NULL;
    ARRAY_OF(wait_added) added = {0};
    if (!late)
        return;
    for (size_t i = 0; i < change->nadded; i++)
        ARRAY_PUSH(added, change->added[i]);
    for (uint32_t r = 1; r < g->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(t, r, &reads);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t binding = trace_cell_binding(t, reads[i]);
            if (binding != TRACE_NONE && late[binding] && late[binding] < r)
                ARRAY_PUSH(added, (wait_added){r, late[binding]});
        }
    }
    if (added.n)
        qsort(added.at, added.n, sizeof *added.at, by_reader);
    free(late);
    free(change->added);
    change->added = added.at;
    change->nadded = added.n;
}

void iot_free_alias_bindings(alias_bindings *all)
{
    free(all->list.at);
}
