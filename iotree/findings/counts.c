// SPDX-License-Identifier: MIT
//
// Values that are found by counting a list, though the loop that made the list counted its items
// off from a number that was there when it began:
//
//     main :- expose(24, 71, Strips), length(Strips, N), profile(N, P), ...
//
// N comes when the list is complete; it is 24. The same holds of a list that was made item by item
// from another one. The price is the run in which those who read N wait for the number instead.
#include "base/table.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/test_reads.h"

#include "iotree/terms/values.h"

enum {
    SHORTEST_LIST = 4,
    MOST_LISTS = 8,      // made from each other item by item
    MOST_ARGUMENTS = 16, // of a goal that are looked at
    PROPOSED = 4,        // counts
};

// A chain that does nothing but count the cells of a list.
typedef struct {
    uint32_t chain;
    uint32_t list;     // its first cell
    int64_t n;         // cells
    uint32_t variable; // the number
    uint32_t known;    // the reduction that had the number
    uint32_t maker;    // one of the chain that counted the items off
    uint64_t gained;
    uint64_t readers;
    uint32_t reader; // one of them
} list_count;

typedef struct {
    const loops *l;
    base_map count_of; // by variable that is bound to a count: its number
    ARRAY_OF(list_count) counts;
} count_study;

// ---------------------------------------------------------------------------------------------
// Counts

// Does the clause take a list apart and not look at the item?
static bool drops_item(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_CONS)
            return c->patterns[c->pattern_children[n->first]].kind == TN_FRESH;
    }
    return false;
}

// The variable among the arguments of the chain's first goal that got the number n; TRACE_NONE.
static uint32_t counted_variable(const loops *l, uint32_t chain, int64_t n)
{
    const trace *t = l->t;
    uint32_t first = l->chains.at[chain].first, goal = trace_reduction_goal(t, first);
    uint32_t arity = trace_get_predicate(t, loops_predicate(l, first))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        trace_value v = trace_goal_arg(t, goal, i), end = iot_end_value(t, v);
        if (is_variable(t, v) && end.kind == TV_INT && end.i == n &&
            trace_cell_binding(t, v.id) != TRACE_NONE &&
            trace_binding_maker(t, trace_cell_binding(t, v.id)) > first)
            return v.id;
    }
    return TRACE_NONE;
}

static void look_at_chain(count_study *s, uint32_t chain)
{
    const loops *l = s->l;
    uint32_t first = l->chains.at[chain].first, list = l->taken[first];
    int64_t n = 0;
    if (l->chains.at[chain].n <= SHORTEST_LIST || list == IOT_NONE)
        return;
    for (uint32_t r = first; r && l->taken[r] != IOT_NONE; r = l->next[r], n++)
        if (!drops_item(l->t, trace_reduction_clause(l->t, r)))
            return;
    uint32_t variable =
        n + 1 == l->chains.at[chain].n ? counted_variable(l, chain, n) : TRACE_NONE;
    if (variable == TRACE_NONE)
        return;
    ARRAY_PUSH(s->counts,
               (list_count){.chain = chain, .list = list, .n = n, .variable = variable});
}

// ---------------------------------------------------------------------------------------------
// The number

// The number in argument i of the reduction's goal; false: there is none.
static bool number_in(const loops *l, uint32_t r, uint32_t i, int64_t *ret)
{
    if (i >= trace_get_predicate(l->t, loops_predicate(l, r))->arity)
        return false;
    trace_value v = iot_end_value(l->t, trace_goal_arg(l->t, trace_reduction_goal(l->t, r), i));
    *ret = v.i;
    return v.kind == TV_INT;
}

// The next cell of a list; IOT_NONE: none.
static uint32_t next_cell(const trace *t, uint32_t cell)
{
    trace_value v = iot_end_value(t, trace_cell_arg(t, cell, 1));
    return is_cell_kind(t, v, TC_CONS) ? v.id : IOT_NONE;
}

// Does the argument go up or down by one from each maker of a cell to the next?
static bool counts_cells(const loops *l, uint32_t cell, uint32_t argument)
{
    int64_t before = 0, now, step = 0;
    for (uint32_t n = 0; cell != IOT_NONE; cell = next_cell(l->t, cell), n++) {
        if (!number_in(l, trace_cell_maker(l->t, cell), argument, &now))
            return false;
        if ((n == 1 && now != before + 1 && now != before - 1) || (n > 1 && now != before + step))
            return false;
        step = n ? now - before : 0;
        before = now;
    }
    return true;
}

// The reduction that knew the number n, an argument of the goal; 0: none of the arguments is n.
static uint32_t knows(const loops *l, uint32_t r, int64_t n)
{
    const trace *t = l->t;
    uint32_t arity = trace_get_predicate(t, loops_predicate(l, r))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++) {
        int64_t value;
        if (!number_in(l, r, i, &value) || value != n)
            continue;
        uint32_t latest = l->g->parents[r];
        trace_value v = trace_goal_arg(t, trace_reduction_goal(t, r), i);
        while (is_variable(t, v)) {
            uint32_t binding = trace_cell_binding(t, v.id), maker = trace_binding_maker(t, binding);
            latest = maker > latest ? maker : latest;
            v = trace_binding_value(t, binding);
        }
        return latest;
    }
    return 0;
}

// The chain whose members made all cells of the list; IOT_NONE: not one alone.
static uint32_t maker_chain(const loops *l, uint32_t cell)
{
    uint32_t chain = l->chain_of[trace_cell_maker(l->t, cell)];
    for (; cell != IOT_NONE && chain != IOT_NONE; cell = next_cell(l->t, cell))
        if (l->chain_of[trace_cell_maker(l->t, cell)] != chain)
            chain = IOT_NONE;
    return chain;
}

static bool counts_off(const loops *l, const list_count *x, uint32_t list)
{
    uint32_t maker = trace_cell_maker(l->t, list);
    uint32_t arity = trace_get_predicate(l->t, loops_predicate(l, maker))->arity;
    for (uint32_t i = 0; i < arity && i < MOST_ARGUMENTS; i++)
        if (counts_cells(l, list, i))
            return knows(l, l->chains.at[x->maker].first, x->n) != 0;
    return false;
}

// The list from whose cells the chain made its own, one from each; IOT_NONE: none.
static uint32_t source_list(const loops *l, const list_count *x)
{
    uint32_t first = IOT_NONE;
    int64_t n = 0;
    for (uint32_t r = l->chains.at[x->maker].first; r; r = l->next[r]) {
        if (l->taken[r] == IOT_NONE)
            continue;
        first = first == IOT_NONE ? l->taken[r] : first;
        n++;
    }
    return n == x->n ? first : IOT_NONE;
}

// Whether the number of cells was known before.
static bool find_number(const loops *l, list_count *x)
{
    uint32_t list = x->list;
    for (int i = 0; i < MOST_LISTS && list != IOT_NONE; i++) {
        x->maker = maker_chain(l, list);
        if (x->maker == IOT_NONE)
            return false;
        if (counts_off(l, x, list)) {
            x->known = knows(l, l->chains.at[x->maker].first, x->n);
            return true;
        }
        list = source_list(l, x);
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Who reads it

static void gather_reader(count_study *s, uint32_t r)
{
    const loops *l = s->l;
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, r, &reads);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t number = map_get(&s->count_of, reads[i]);
        if (number == MAP_ABSENT || l->chain_of[r] == s->counts.at[number].chain)
            continue;
        list_count *x = &s->counts.at[number];
        int64_t gain = trace_time(l->t, r) - trace_time(l->t, x->known);
        x->gained += gain > 0 ? (uint64_t)gain : 0;
        x->reader = x->readers++ ? x->reader : r;
    }
}

static void draft_reader(const count_study *s, const list_count *x, uint32_t r, change_draft *d)
{
    const loops *l = s->l;
    const uint32_t *reads;
    uint32_t n = trace_reads(l->t, r, &reads);
    uint64_t next = l->g->first[r], first;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(l->t, l->g, r, reads[i], &next, &first) || reads[i] != x->variable)
            continue;
        for (uint64_t w = first; w < next; w++)
            draft_wait(d, w, IOT_NONE);
        draft_add(d, r, x->known);
    }
}

static void say_count(const count_study *s, const list_count *x, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    for (uint32_t r = x->known + 1; r < l->g->n; r++)
        if (l->chain_of[r] != x->chain)
            draft_reader(s, x, r, &d);
    uint32_t counter = l->chains.at[x->chain].first, made = l->chains.at[x->maker].first;
    uint32_t caller = iot_clause_near(l, l->g->parents[counter]);
    candidate *y = candidate_add(c, FINDING_LATE_OUTPUT);
    y->reduction = x->reader;
    y->clause = caller == IOT_NONE ? trace_reduction_clause(l->t, counter) : caller;
    y->place = iot_clause_location(l->a, y->clause);
    y->estimate = true;
    y->change = draft_finish(&d);
    candidate_also(y, iot_clause_location(l->a, trace_reduction_clause(l->t, x->reader)));
    candidate_also(y, iot_clause_location(l->a, trace_reduction_clause(l->t, made)));
    char *where = iot_site_text(l->a, &(wait_site){.predicate = y->place.predicate,
                                                   .source = y->place.source,
                                                   .line = y->place.line});
    char *maker = iot_site_text(l->a, &l->g->all_sites[l->g->sites[made]]);
    char *reader = iot_site_text(l->a, &l->g->all_sites[l->g->sites[x->reader]]);
    char *counts = iot_predicate_text(l->t, loops_predicate(l, counter));
    uint32_t name = trace_cell_name(l->t, x->variable);
    const char *what = name == TRACE_NONE ? "the number" : trace_string(l->t, name, NULL);
    y->text = base_format("%s counts a list with %s, so %s gets %s only when all %lld items are "
                          "there, though %s had the number %lld when it began",
                          where, counts, reader, what, (long long)x->n, maker, (long long)x->n);
    y->advice = base_format("hand the number that %s gets to %s, too, instead of counting the list",
                            maker, reader);
    y->condition = base_copy("with that number");
    free(where);
    free(maker);
    free(reader);
    free(counts);
}

static void study_counts(count_study *s)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < l->chains.n; i++)
        look_at_chain(s, i);
    size_t n = 0;
    for (size_t i = 0; i < s->counts.n; i++) {
        list_count x = s->counts.at[i];
        if (!find_number(l, &x))
            continue;
        map_set(&s->count_of, x.variable, n);
        s->counts.at[n++] = x;
    }
    s->counts.n = n;
    for (uint32_t r = 1; r < l->g->n && n > 0; r++)
        gather_reader(s, r);
}

void iot_find_counts(const loops *l, candidates *c)
{
    count_study s = {.l = l};
    study_counts(&s);
    for (int i = 0; i < PROPOSED; i++) {
        list_count *best = NULL;
        for (size_t k = 0; k < s.counts.n; k++)
            if (s.counts.at[k].readers && (!best || s.counts.at[k].gained > best->gained))
                best = &s.counts.at[k];
        if (!best || !iot_may_save(l->a, best->gained))
            break;
        say_count(&s, best, c);
        best->readers = 0;
    }
    map_free(&s.count_of);
    free(s.counts.at);
}
