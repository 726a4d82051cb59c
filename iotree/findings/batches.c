// SPDX-License-Identifier: MIT
//
// Stages that collect all items before they pass the first one on: a chain takes a list apart and
// hands its items on in an argument, `p([X|Xs], A, ...) :- ... p(Xs, [X|A], ...)`, and when it has
// them all another chain goes through them again, in the order in which they came (so they were
// turned round twice); or each step inserts its item into the list that the step before has made,
// at a place that does not depend on the items. The price is the run in which every item is passed
// on when it is there.
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 8,
    MOST_TURNS = 64, // times that a list may be turned round
    STEP_PREDICATES = 16, // steps of a chain for one that collects, at most
    DEEPEST_TAKEN = 4,    // cells that a head takes apart at once
    NEAR_STEP = 6, // parents above an insertion, to the step that asked for it
    FOLLOWED = 64, // links of a chain of bound variables
};

typedef struct {
    const loops *l;
    uint8_t *takes;    // by clause: the argument, from 1, whose list the head takes apart; 0: none
    uint8_t *collects; // by clause: hands a longer list on in an argument
    uint32_t *source;  // by chain: the chain that made most of the cells it took; IOT_NONE: none
    uint32_t *sure;    // by chain: for the majority
    uint32_t *collected; // by chain: members that collect
} batch_study;

// ---------------------------------------------------------------------------------------------
// Clauses

// Is the list of the body one that the head takes apart? Then its item is put back, as a merge of sorted
// lists does with the larger one.
static bool is_put_back(const trace_clause *c, const trace_node *list)
{
    const trace_node *item = &c->nodes[c->children[list->first]];
    const trace_node *rest = &c->nodes[c->children[list->first + 1]];
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind != TN_CONS)
            continue;
        const trace_node *first = &c->patterns[c->pattern_children[n->first]];
        const trace_node *others = &c->patterns[c->pattern_children[n->first + 1]];
        if (first->kind == TN_HOLE && item->kind == TN_HOLE && first->index == item->index &&
            others->kind == TN_HOLE && others->index == rest->index)
            return true;
    }
    return false;
}

// Does a goal of the clause's own loop get `[X|A]`, with A from the head?
static bool collects_items(const loops *l, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind != TI_GOAL || l->loop_of[item->predicate] != l->loop_of[c->predicate])
            continue;
        for (uint32_t k = 0; k < item->n; k++) {
            const trace_node *node = &c->nodes[c->children[item->first + k]];
            if (node->kind == TN_CONS && c->nodes[c->children[node->first + 1]].kind == TN_HOLE &&
                !is_put_back(c, node))
                return true;
        }
    }
    return false;
}

static void study_clauses(batch_study *s)
{
    uint32_t n = trace_nclauses(s->l->t);
    s->takes = iot_list_arguments(s->l->t);
    s->collects = base_allocate(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        const trace_clause *c = trace_get_clause(s->l->t, i);
        if (s->l->loop_of[c->predicate] == IOT_NONE)
            continue;
        s->collects[i] = collects_items(s->l, c);
    }
}

// ---------------------------------------------------------------------------------------------
// Chains

static void study_chains(batch_study *s)
{
    const loops *l = s->l;
    size_t n = l->chains.n;
    s->source = base_allocate(n, sizeof *s->source);
    s->sure = base_allocate(n, sizeof *s->sure);
    s->collected = base_allocate(n, sizeof *s->collected);
    for (size_t i = 0; i < n; i++)
        s->source[i] = IOT_NONE;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], cell;
        if (chain == IOT_NONE || l->chains.at[chain].n < FEWEST_ITEMS)
            continue;
        s->collected[chain] += s->collects[trace_reduction_clause(l->t, r)];
        if ((cell = l->taken[r]) == IOT_NONE)
            continue;
        uint32_t from = l->chain_of[trace_cell_maker(l->t, cell)];
        if (s->sure[chain] == 0)
            s->source[chain] = from;
        s->sure[chain] += from == s->source[chain] ? 1 : (uint32_t)-1;
    }
}

// A step that collects an item may be one of a few predicates that call each other.
static bool is_collector(const batch_study *s, uint32_t chain)
{
    return chain != IOT_NONE && s->collected[chain] >= FEWEST_ITEMS &&
           STEP_PREDICATES * (uint64_t)s->collected[chain] >= s->l->chains.at[chain].n;
}

static bool only_collects(const batch_study *s, uint32_t chain)
{
    return 5 * (uint64_t)s->collected[chain] >= 4 * s->l->chains.at[chain].n - 5;
}

// The collector at the beginning, for a chain that takes what was collected and turned round an
// even number of times; IOT_NONE: it does not.
static uint32_t collector_of(const batch_study *s, uint32_t chain, uint32_t *ret_turns)
{
    uint32_t collector = IOT_NONE, turns = 0;
    for (uint32_t at = s->source[chain];
         turns < MOST_TURNS && is_collector(s, at) && s->l->chains.at[at].n >= FEWEST_ITEMS;
         at = s->source[at]) {
        collector = at;
        turns++;
    }
    *ret_turns = turns;
    return turns && turns % 2 == 0 && turns < MOST_TURNS && !only_collects(s, chain) ? collector
                                                                                     : IOT_NONE;
}

// The member of the collector that took this member's item; 0: it is none of the collector's.
static uint32_t first_taker(const batch_study *s, uint32_t r, uint32_t turns, uint32_t collector)
{
    for (uint32_t i = 0; i < turns && r; i++) {
        uint32_t cell = s->l->taken[r];
        r = cell == IOT_NONE ? 0 : trace_cell_maker(s->l->t, cell);
    }
    return r && s->l->chain_of[r] == collector ? r : 0;
}

// Is the reduction one of those that collect and turn round what the chain takes?
static bool collects_for(const batch_study *s, uint32_t chain, uint32_t turns, uint32_t r)
{
    for (uint32_t i = 0, at = chain; i < turns; i++) {
        at = s->source[at];
        if (s->l->chain_of[r] == at)
            return true;
    }
    return false;
}

// The collector may hand the items on in bundles: who takes a bundle apart can have it when its
// first item is there.
static void draft_bundle(const batch_study *s, uint32_t first, uint32_t turns, uint32_t collector,
                         change_draft *d)
{
    const wait_graph *g = s->l->g;
    uint32_t r = g->parents[first], taker = first_taker(s, first, turns, collector);
    for (uint64_t i = g->first[r]; taker && r && i < g->first[r + 1]; i++)
        if (s->l->chain_of[g->makers[i]] == collector) {
            draft_wait(d, i, IOT_NONE);
            draft_add(d, r, taker);
        }
}

static void draft_passing(const batch_study *s, uint32_t chain, uint32_t turns, uint32_t collector,
                          change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t first = l->chains.at[chain].first;
    for (uint32_t r = first; r; r = l->next[r]) {
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (collects_for(s, chain, turns, g->makers[i]))
                draft_wait(d, i, IOT_NONE);
        uint32_t taker = first_taker(s, r, turns, collector);
        if (taker)
            draft_add(d, r, taker);
    }
    // Nothing is turned round.
    for (uint32_t i = 1, at = s->source[chain]; i < turns; i++, at = s->source[at])
        for (uint32_t r = l->chains.at[at].first; r; r = l->next[r])
            draft_reduction(d, r, IOT_NONE, 0);
    if (collects_for(s, chain, turns, g->parents[first]))
        draft_reduction(d, first, g->parents[l->chains.at[collector].first], -1);
    else
        draft_bundle(s, first, turns, collector, d);
}

// ---------------------------------------------------------------------------------------------
// Insertion

// Does a clause of the loop decide by what it compares or computes?
static bool compares(const loops *l, uint32_t loop)
{
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        for (uint32_t k = 0; l->loop_of[c->predicate] == loop && k < c->nguards; k++)
            if (!iot_is_type_test(trace_string(l->t, c->guards[k].name, NULL)))
                return true;
    }
    return false;
}

// The chain of another loop whose step made the goal that a chain began with; IOT_NONE: none near.
static uint32_t chain_above(const loops *l, uint32_t chain)
{
    uint32_t r = l->g->parents[l->chains.at[chain].first];
    for (int up = 0; up < NEAR_STEP && r; up++, r = l->g->parents[r]) {
        uint32_t at = l->chain_of[r];
        if (at != IOT_NONE && l->chains.at[at].loop != l->chains.at[chain].loop)
            return at;
    }
    return IOT_NONE;
}

// The chain whose steps insert the items, for a chain that takes a list which the last insertion
// has made; IOT_NONE: there is none.
static uint32_t inserter_of(const batch_study *s, uint32_t chain)
{
    const loops *l = s->l;
    uint32_t last = s->source[chain];
    if (last == IOT_NONE || l->chains.at[last].loop == l->chains.at[chain].loop ||
        compares(l, l->chains.at[last].loop))
        return IOT_NONE;
    uint32_t at = chain_above(l, last);
    return at != chain && at != IOT_NONE && l->chains.at[at].n >= FEWEST_ITEMS ? at : IOT_NONE;
}

// Is the item one that this step has made, or taken?
static bool is_item_of(const loops *l, trace_value item, uint32_t step)
{
    const trace *t = l->t;
    for (int i = 0; i < FOLLOWED && item.kind == TV_CELL; i++) {
        if (trace_cell_maker(t, item.id) == step)
            return true;
        uint32_t binding = is_variable(t, item) ? trace_cell_binding(t, item.id) : TRACE_NONE;
        if (binding == TRACE_NONE)
            break;
        item = trace_binding_value(t, binding);
    }
    trace_value taken = iot_end_value(t, trace_cell_arg(t, l->taken[step], 0));
    return is_same_value(iot_end_value(t, item), taken);
}

// The next step after this one that takes an item; 0: none.
static uint32_t next_taker(const loops *l, uint32_t step)
{
    for (step = l->next[step]; step && l->taken[step] == IOT_NONE; step = l->next[step])
        ;
    return step;
}

// Makes the draft of passing each item on at once. False: the items are not taken in the order in
// which they were inserted.
static bool draft_inserted(const loops *l, uint32_t chain, uint32_t inserter, change_draft *d)
{
    const wait_graph *g = l->g;
    uint32_t from = l->chains.at[inserter].first, last = from, items = 0;
    from = l->taken[from] == IOT_NONE ? next_taker(l, from) : from;
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r]) {
        uint32_t cell = l->taken[r];
        if (cell != IOT_NONE) {
            while (from && !is_item_of(l, trace_cell_arg(l->t, cell, 0), from))
                from = next_taker(l, from);
            if (!from)
                return false;
            items++;
            last = from;
            from = next_taker(l, from);
        } else if (!l->next[r]) {
            for (; l->next[last]; last = l->next[last])
                ;
        }
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
            uint32_t variable = iot_variable_of_wait(l, r, i);
            if (variable == TRACE_NONE || iot_is_list(l->t, variable))
                draft_wait(d, i, IOT_NONE);
        }
        draft_add(d, r, last);
    }
    if (chain_above(l, chain) == inserter)
        draft_reduction(d, l->chains.at[chain].first, g->parents[l->chains.at[inserter].first], -1);
    return items >= FEWEST_ITEMS;
}

// Nothing is inserted.
static void draft_no_insertion(const batch_study *s, uint32_t chain, uint32_t inserter,
                               change_draft *d)
{
    const loops *l = s->l;
    uint32_t loop = l->chains.at[s->source[chain]].loop;
    for (uint32_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == loop && chain_above(l, i) == inserter)
            for (uint32_t r = l->chains.at[i].first; r; r = l->next[r])
                draft_reduction(d, r, IOT_NONE, 0);
}

// ---------------------------------------------------------------------------------------------
// The candidate

static uint32_t last_member(const loops *l, uint32_t chain)
{
    uint32_t last = l->chains.at[chain].first;
    while (l->next[last])
        last = l->next[last];
    return last;
}

static uint32_t count_taken(const loops *l, uint32_t chain)
{
    uint32_t taken = 0;
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r])
        taken += l->taken[r] != IOT_NONE;
    return taken;
}

// `passes`: the first who takes one of the items; `passed`: how many are taken.
static void say_batch(const batch_study *s, uint32_t passes, uint32_t passed, uint32_t collector,
                      change_draft d, candidates *c)
{
    uint32_t items =
        s->collected[collector] ? s->collected[collector] : s->l->chains.at[collector].n - 1;
    const loops *l = s->l;
    uint32_t first = l->chains.at[collector].first;
    candidate *x = candidate_at(l->a, c, FINDING_BATCH, trace_reduction_clause(l->t, first), first);
    x->change = draft_finish(&d);
    x->estimate = true;
    uint32_t last = last_member(l, collector);
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, last)));
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, passes)));
    char *where = iot_site_text(l->a, &l->g->all_sites[l->g->sites[first]]);
    char *next = iot_site_text(l->a, &l->g->all_sites[l->g->sites[passes]]);
    x->text = base_format("%s collects %s%u items before it passes the first one on to %s: the "
                          "first is there at step %lld and goes on at step %lld",
                          where, 2 * passed < items ? "up to " : "all ",
                          2 * passed < items ? passed : items, next,
                          (long long)trace_time(l->t, first), (long long)trace_time(l->t, passes));
    x->advice = base_format("pass each item on as it comes: bind the output to [Item|Rest] in the "
                            "same step, instead of collecting them in an argument");
    x->condition = base_copy("passing each item on at once");
    free(where);
    free(next);
}

// The last cell that the head of a member takes apart.
static uint32_t last_taken(const batch_study *s, uint32_t r)
{
    const trace *t = s->l->t;
    uint32_t clause = trace_reduction_clause(t, r), cell = s->l->taken[r];
    const trace_clause *c = trace_get_clause(t, clause);
    if (cell == IOT_NONE || !s->takes[clause])
        return cell;
    const trace_node *n = &c->patterns[c->head[s->takes[clause] - 1]];
    for (int i = 0; i < DEEPEST_TAKEN && n->kind == TN_CONS; i++) {
        n = &c->patterns[c->pattern_children[n->first + 1]];
        trace_value next = iot_end_value(t, trace_cell_arg(t, cell, 1));
        if (n->kind != TN_CONS || !is_cell_kind(t, next, TC_CONS))
            break;
        cell = next.id;
    }
    return cell;
}

// The member of the collector that took the item which this member takes out of the list that the
// chain `last` has turned round; 0: it takes nothing of that.
static uint32_t taker_of(const batch_study *s, uint32_t r, uint32_t last, uint32_t turns,
                         uint32_t collector)
{
    const loops *l = s->l;
    uint32_t cell = l->chain_of[r] == IOT_NONE ? IOT_NONE : last_taken(s, r);
    if (cell == IOT_NONE || l->chain_of[trace_cell_maker(l->t, cell)] != last)
        return 0;
    return first_taker(s, trace_cell_maker(l->t, cell), turns - 1, collector);
}

// Whoever reads the list that the chain `last` has turned round has each item when the collector
// has it, and its end when the collector ends. Returns how many take
// items, and the first of them.
static uint32_t draft_readers(const batch_study *s, uint32_t last, uint32_t turns,
                              uint32_t collector, uint32_t *ret_first, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t end = last_member(l, collector), takers = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        bool waits = false;
        if (l->chain_of[r] == last || l->chain_of[r] == collector)
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (l->chain_of[g->makers[i]] == last) {
                draft_wait(d, i, IOT_NONE);
                waits = true;
            }
        uint32_t taker = taker_of(s, r, last, turns, collector);
        *ret_first = taker && takers == 0 ? r : *ret_first;
        takers += taker != 0;
        if (taker && taker < r)
            draft_add(d, r, taker);
        else if (waits && end < r)
            draft_add(d, r, end);
    }
    for (uint32_t i = 1, at = last; i < turns; i++, at = s->source[at])
        for (uint32_t r = l->chains.at[at].first; r; r = l->next[r])
            draft_reduction(d, r, IOT_NONE, 0);
    return takers;
}

// The collector of what this chain turns round for the last time; IOT_NONE: it turns nothing.
static uint32_t collector_for_last(const batch_study *s, uint32_t last, uint32_t *ret_turns)
{
    uint32_t collector = IOT_NONE, turns = 0;
    if (!only_collects(s, last))
        return IOT_NONE;
    for (uint32_t at = last; turns < MOST_TURNS && is_collector(s, at); at = s->source[at]) {
        collector = at;
        turns++;
    }
    *ret_turns = turns;
    return turns && turns % 2 == 0 && turns < MOST_TURNS && !only_collects(s, collector)
               ? collector
               : IOT_NONE;
}

// A list that was turned round, whoever takes it apart, be it that one goal goes on where another one
// stopped. Whether there is one.
static bool find_turned_for_many(const batch_study *s, candidates *c)
{
    const loops *l = s->l;
    uint32_t longest = IOT_NONE, turns_of_longest = 0, its_collector = IOT_NONE, turns;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        if (l->chains.at[i].n < FEWEST_ITEMS ||
            (longest != IOT_NONE && l->chains.at[i].n <= l->chains.at[longest].n))
            continue;
        uint32_t collector = collector_for_last(s, i, &turns);
        if (collector == IOT_NONE)
            continue;
        longest = i;
        turns_of_longest = turns;
        its_collector = collector;
    }
    change_draft d = {0};
    if (longest == IOT_NONE)
        return false;
    uint32_t first = 0;
    uint32_t taken = draft_readers(s, longest, turns_of_longest, its_collector, &first, &d);
    if (taken >= FEWEST_ITEMS) {
        say_batch(s, first, taken, its_collector, d, c);
        return true;
    }
    draft_free(&d);
    return false;
}

// The longest chain that takes what was collected and turned round. Whether there is one.
static bool find_turned(const batch_study *s, candidates *c)
{
    const loops *l = s->l;
    uint32_t longest = IOT_NONE, longest_collector = IOT_NONE;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t turns, collector;
        if (l->chains.at[i].n < FEWEST_ITEMS ||
            (collector = collector_of(s, i, &turns)) == IOT_NONE)
            continue;
        if (longest == IOT_NONE || l->chains.at[i].n > l->chains.at[longest].n) {
            longest = i;
            longest_collector = collector;
        }
    }
    if (longest == IOT_NONE)
        return false;
    change_draft d = {0};
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t turns;
        if (l->chains.at[i].loop == l->chains.at[longest].loop &&
            l->chains.at[i].n >= FEWEST_ITEMS && collector_of(s, i, &turns) == longest_collector)
            draft_passing(s, i, turns, longest_collector, &d);
    }
    say_batch(s, l->chains.at[longest].first, count_taken(l, longest), longest_collector, d, c);
    return true;
}

// The longest chain that takes what was inserted.
static void find_inserted(const batch_study *s, candidates *c)
{
    const loops *l = s->l;
    uint32_t longest = IOT_NONE, longest_inserter = IOT_NONE;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t inserter;
        if (l->chains.at[i].n < FEWEST_ITEMS ||
            (longest != IOT_NONE && l->chains.at[i].n <= l->chains.at[longest].n) ||
            (inserter = inserter_of(s, i)) == IOT_NONE)
            continue;
        longest = i;
        longest_inserter = inserter;
    }
    change_draft d = {0};
    if (longest != IOT_NONE && draft_inserted(l, longest, longest_inserter, &d)) {
        draft_no_insertion(s, longest, longest_inserter, &d);
        say_batch(s, l->chains.at[longest].first, count_taken(l, longest), longest_inserter, d, c);
    } else {
        draft_free(&d);
    }
}

void iot_find_batches(const loops *l, candidates *c)
{
    batch_study s = {.l = l};
    study_clauses(&s);
    study_chains(&s);
    if (!find_turned_for_many(&s, c))
        find_turned(&s, c);
    find_inserted(&s, c);
    free(s.takes);
    free(s.collects);
    free(s.source);
    free(s.sure);
    free(s.collected);
}
