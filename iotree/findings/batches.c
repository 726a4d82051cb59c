// SPDX-License-Identifier: MIT
//
// Stages that collect all items before they pass the first one on: a chain takes a list apart and
// hands its items on in an argument, `p([X|Xs], A, ...) :- ... p(Xs, [X|A], ...)`, and when it has
// them all another chain goes through them again, in the order in which they came (so they were
// turned round twice). The price is the run in which every item is passed on when it is there.
#include "iotree/findings/combine.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    FEWEST_ITEMS = 8,
    MOST_TURNS = 64, // times that a list may be turned round
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

// Does a goal of the clause's own loop get `[X|A]`, with A from the head?
static bool collects_items(const loops *l, const trace_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind != TI_GOAL || l->loop_of[item->predicate] != l->loop_of[c->predicate])
            continue;
        for (uint32_t k = 0; k < item->n; k++) {
            const trace_node *node = &c->nodes[c->children[item->first + k]];
            if (node->kind == TN_CONS && c->nodes[c->children[node->first + 1]].kind == TN_HOLE)
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
        s->collects[i] = s->takes[i] && collects_items(s->l, c);
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
        if (chain == IOT_NONE || l->chains.at[chain].n < FEWEST_ITEMS ||
            (cell = l->taken[r]) == IOT_NONE)
            continue;
        uint32_t from = l->chain_of[trace_cell_maker(l->t, cell)];
        s->collected[chain] += s->collects[trace_reduction_clause(l->t, r)];
        if (s->sure[chain] == 0)
            s->source[chain] = from;
        s->sure[chain] += from == s->source[chain] ? 1 : (uint32_t)-1;
    }
}

static bool is_collector(const batch_study *s, uint32_t chain)
{
    return chain != IOT_NONE &&
           5 * (uint64_t)s->collected[chain] >= 4 * s->l->chains.at[chain].n - 5;
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
    return turns && turns % 2 == 0 && turns < MOST_TURNS && !is_collector(s, chain) ? collector
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
        for (uint64_t i = g->first[taker]; taker && i < g->first[taker + 1]; i++)
            draft_add(d, r, g->makers[i]);
    }
    // Nothing is turned round.
    for (uint32_t i = 1, at = s->source[chain]; i < turns; i++, at = s->source[at])
        for (uint32_t r = l->chains.at[at].first; r; r = l->next[r])
            draft_reduction(d, r, IOT_NONE, 0);
    if (collects_for(s, chain, turns, g->parents[first]))
        draft_reduction(d, first, g->parents[l->chains.at[collector].first], -1);
}

// ---------------------------------------------------------------------------------------------
// The candidate

static void say_batch(const batch_study *s, uint32_t chain, uint32_t turns, uint32_t collector,
                      candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    draft_passing(s, chain, turns, collector, &d);
    candidate *x = candidate_add(c, FINDING_BATCH);
    uint32_t first = l->chains.at[collector].first, passes = l->chains.at[chain].first;
    x->reduction = first;
    x->clause = trace_reduction_clause(l->t, first);
    x->place = iot_clause_location(l->a, x->clause);
    x->change = draft_finish(&d);
    x->estimate = true;
    uint32_t last = first;
    while (l->next[last])
        last = l->next[last];
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, last)));
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, passes)));
    char *where = iot_site_text(l->a, &l->g->all_sites[l->g->sites[first]]);
    char *next = iot_site_text(l->a, &l->g->all_sites[l->g->sites[passes]]);
    x->text = base_format("%s collects all %u items before it passes the first one on to %s: the "
                          "first is there at step %lld and goes on at step %lld",
                          where, l->chains.at[collector].n - 1, next,
                          (long long)trace_time(l->t, first), (long long)trace_time(l->t, passes));
    x->advice = base_format("pass each item on as it comes: bind the output to [Item|Rest] in the "
                            "same step, instead of collecting them in an argument");
    x->condition = base_copy("passing each item on at once");
    free(where);
    free(next);
}

void iot_find_batches(const loops *l, candidates *c)
{
    batch_study s = {.l = l};
    study_clauses(&s);
    study_chains(&s);
    uint32_t longest = IOT_NONE, longest_turns = 0, longest_collector = IOT_NONE;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t turns, collector;
        if (l->chains.at[i].n < FEWEST_ITEMS ||
            (collector = collector_of(&s, i, &turns)) == IOT_NONE)
            continue;
        if (longest == IOT_NONE || l->chains.at[i].n > l->chains.at[longest].n) {
            longest = i;
            longest_turns = turns;
            longest_collector = collector;
        }
    }
    if (longest != IOT_NONE)
        say_batch(&s, longest, longest_turns, longest_collector, c);
    free(s.takes);
    free(s.collects);
    free(s.source);
    free(s.sure);
    free(s.collected);
}
