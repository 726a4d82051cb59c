// SPDX-License-Identifier: MIT
//
// Associative operations that take the result of the step before, or of the step inside, and could be done
// as a tree.
#include "iotree/findings/accumulate.h"
#include "iotree/findings/trees.h"

enum {
    FEW_STEPS = 10, // a chain so short is no cause
    FEW_SUMS = 16,  // short combinations so few are no cause, either
    SHORT_SUM = 3,  // steps of one
};

// ---------------------------------------------------------------------------------------------
// Goals that combine

// How long combinations take: those of level k of a tree, of which the operands are 2^k items, take
// what the chain's take on the mean from its step 2^k on. Those of large values (sets) take longer.
typedef struct {
    double steps[MOST_LEVELS];
} level_times;

// The one before was what the goal waited for last: between them is the time of one combination.
// `end`: of the links.
static bool follows_at_once(const loop_study *s, const fold_link *link, const fold_link *end)
{
    int64_t since = trace_time(s->l->t, link->reader) - wait_cost(s->l->g, link->reader);
    for (const fold_link *x = link; x < end && x->reader == link->reader; x++)
        if (trace_time(s->l->t, x->maker) >= since)
            return true;
    return false;
}

static level_times times_of_levels(const loop_study *s, const fold *f)
{
    const fold_link *links = &s->links.at[f->first];
    level_times x = {0};
    uint64_t n[MOST_LEVELS] = {0}, step = 0;
    int64_t last = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (i && links[i].goal == links[i - 1].goal)
            continue;
        bool goes_on = i && same_strand(&links[i], &links[i - 1]);
        int64_t time = trace_time(s->l->t, links[i].reader);
        step = goes_on ? step + 1 : 0;
        goes_on = goes_on && time > last && follows_at_once(s, &links[i], links + f->n);
        for (uint32_t k = 0; goes_on && k < MOST_LEVELS && step >> k; k++) {
            x.steps[k] += (double)(time - last);
            n[k]++;
        }
        last = time;
    }
    for (uint32_t k = 0; k < MOST_LEVELS; k++)
        x.steps[k] = n[k] ? x.steps[k] / (double)n[k] : k ? x.steps[k - 1] : 1;
    return x;
}

// What the goal waits for of all goals before it in its strand: a `C = A` passes on what they made.
static void draft_passed(const loop_study *s, const fold_link *link, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[link->reader]; i < g->first[link->reader + 1]; i++) {
        uint32_t other = s->side[g->makers[i]];
        if (other && other != link->goal &&
            loops_predicate(l, loops_called(l, other)) == link->predicate &&
            l->chain_of[g->parents[other]] == link->chain)
            draft_wait(d, i, IOT_NONE);
    }
}

// The goals of one strand: each takes the time of all levels, the last one waits for all others.
static void draft_strand(const loop_study *s, const fold_link *links, size_t n,
                         const level_times *times, change_draft *d)
{
    uint64_t goals = 1;
    uint32_t last = 0;
    double below = 0; // what all levels but the last take
    for (size_t i = 0; i < n; i++) {
        goals += i == 0 || links[i].goal != links[i - 1].goal;
        last = links[i].goal > links[last].goal ? (uint32_t)i : last;
    }
    if (goals < SHORTEST)
        return;
    while (last > 0 && links[last - 1].goal == links[last].goal)
        last--;
    for (uint32_t k = 0; k + 1 < loops_levels(goals); k++)
        below += times->steps[k < MOST_LEVELS ? k : MOST_LEVELS - 1];
    for (size_t i = 0; i < n; i++) {
        draft_passed(s, &links[i], d);
        if (i && links[i].goal == links[i - 1].goal)
            continue;
        draft_add(d, links[last].reader, links[i].maker);
        if (i != last)
            draft_reduction(d, links[i].reader, IOT_NONE,
                            below + (double)wait_cost(s->l->g, links[i].reader));
    }
}

// A goal that may pass its operand on, as `C = A` does, hands on what many before it made: those waits are
// far. Leaves out those of the fold's goals for what the fold's goals made.
static void draft_far(const loop_study *s, const fold *f, change_draft *d)
{
    const wait_graph *g = s->l->g;
    if (g->nfar_waits == 0)
        return;
    uint8_t *goals = bits_allocate(g->n), *makers = bits_allocate(g->nsites);
    for (size_t i = f->first; i < f->first + f->n; i++) {
        bit_set(goals, s->links.at[i].goal);
        bit_set(makers, g->sites[s->links.at[i].maker]);
    }
    for (uint32_t i = 0; i < g->nfar_waits; i++) {
        const far_wait *x = &g->far_waits[i];
        if (s->side[x->reader] && bit_get(goals, s->side[x->reader]) &&
            bit_get(makers, g->kinds_of[x->kind].maker))
            draft_kind(d, g, x->kind);
    }
    free(goals);
    free(makers);
}

void iot_draft_fold(const loop_study *s, const fold *f, change_draft *d)
{
    draft_far(s, f, d);
    level_times times = times_of_levels(s, f);
    size_t first = f->first, end = f->first + f->n;
    for (size_t i = first; i < end; i++) {
        if (i + 1 < end && same_strand(&s->links.at[i + 1], &s->links.at[i]))
            continue;
        draft_strand(s, &s->links.at[first], i + 1 - first, &times, d);
        first = i + 1;
    }
}

// Does the next step take the cell behind the one that this step takes? Where what a step calls takes
// cells, too, as in a parser, nobody knows where the next one begins. And where that cell comes later, it may
// wait for what this step answers.
static bool next_takes_next(const loops *l, uint32_t r)
{
    uint32_t next = l->next[r];
    if (!next || l->taken[next] == IOT_NONE)
        return false;
    trace_value rest = iot_end_value(l->t, trace_cell_arg(l->t, l->taken[r], 1));
    return rest.kind == TV_CELL && rest.id == l->taken[next] &&
           trace_time(l->t, trace_cell_maker(l->t, rest.id)) <= trace_time(l->t, r);
}

// Who takes a list in pairs takes half as many steps.
void iot_draft_pairs(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain != IOT_NONE && l->chains.at[chain].loop == s->loop && l->taken[r] != IOT_NONE &&
            next_takes_next(l, r))
            draft_reduction(d, r, IOT_NONE, (double)wait_cost(l->g, r) / 2);
    }
}

const fold *iot_biggest_fold(const loop_study *s)
{
    const fold *best = NULL;
    for (size_t i = 0; i < s->folds.n; i++)
        if (s->folds.at[i].associative && (!best || s->folds.at[i].goals > best->goals))
            best = &s->folds.at[i];
    return best;
}

static char *chain_advice(const loop_study *s, const fold *f, bool inward, bool whole)
{
    const loops *l = s->l;
    uint32_t loop = loops_predicate(l, l->chains.at[l->biggest[s->loop]].first);
    const trace_predicate *p = trace_get_predicate(l->t, loop);
    bool foldl =
        p->origin == TRACE_LIBRARY && strcmp(trace_string(l->t, p->name, NULL), "foldl") == 0;
    unsigned long long steps = f->longest;
    uint32_t levels = loops_levels(f->longest + 1);
    if (foldl)
        return base_format("use reduce/4, which combines neighbours in pairs (%u levels instead of "
                           "%llu steps), instead of foldl/4",
                           levels, steps);
    if (whole)
        return base_format("halve the range, and combine the results of both halves (%u levels "
                           "instead of %llu steps)",
                           levels, steps);
    return base_format("combine neighbours in pairs, then the results (%u levels instead of %llu "
                       "steps)%s",
                       levels, steps, inward ? ", or hand the result so far to the next step" : "");
}

void iot_say_chain(const loop_study *s, candidates *c, change_draft *d, bool whole)
{
    const loops *l = s->l;
    const fold *f = iot_biggest_fold(s);
    const fold_link *link = &s->links.at[f->first];
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CHAIN, d);
    char *loop = iot_loop_text(s, x->clause);
    char *by = iot_predicate_text(l->t, link->predicate);
    uint32_t line = iot_reduction_line(l->t, link->goal, NULL);
    char *place = base_format(" (line %u)", line);
    x->text = base_format(
        "%s %s %llu values one after the other: each %s%s waits for the result of "
        "the %s",
        loop, f->verb, (unsigned long long)f->longest + 1, by,
        trace_get_predicate(l->t, link->predicate)->origin == TRACE_BUILTIN ? place : "",
        link->inward ? "step inside" : "step before");
    x->advice = chain_advice(s, f, link->inward, whole);
    // Only of what the program itself defines it is not known from the text.
    bool known = strcmp(f->verb, "combines") != 0;
    x->condition =
        known ? base_copy("as a tree") : base_format("as a tree, if %s is associative,", by);
    free(loop);
    free(by);
    free(place);
}

// The fold that is worth a tree; NULL: none.
const fold *iot_long_fold(const loop_study *s)
{
    if (s->l->chains.at[s->l->biggest[s->loop]].n <= FEW_STEPS)
        return NULL;
    const fold *f = iot_biggest_fold(s);
    if (f && f->longest <= FEW_SUMS && times_of_levels(s, f).steps[0] <= SHORT_SUM)
        return NULL;
    return f;
}

// ---------------------------------------------------------------------------------------------
// Steps that combine by themselves

// Does the member wait here, with all waits of one read, for an item? Not for the list that holds
// it, nor for what a step of its own chain called, as a counter.
static bool waits_for_item(const loop_study *s, uint32_t r, uint64_t first)
{
    const loops *l = s->l;
    uint32_t maker = l->g->makers[first], variable = iot_variable_from(l, r, maker);
    uint32_t side = s->side[maker];
    bool own = side && l->chain_of[l->g->parents[side]] == l->chain_of[r];
    return !own && variable != TRACE_NONE && !iot_is_list(l->t, variable);
}

// Of a loop whose steps combine items themselves, in their guards: who waits for items is the last
// step, for all of them and for the levels of the tree. Returns how many items it is.
static uint64_t draft_accumulation(const loop_study *s, uint32_t chain, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint64_t items = 0;
    uint32_t last = l->chains.at[chain].first, steps = l->chains.at[chain].n;
    while (l->next[last])
        last = l->next[last];
    for (uint32_t r = l->chains.at[chain].first; r && r != last; r = l->next[r]) {
        bool item = false;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
            bool begins = bit_get(g->begins, (uint32_t)i);
            item = begins ? waits_for_item(s, r, i) : item;
            if (!item)
                continue;
            draft_wait(d, i, IOT_NONE);
            draft_add(d, last, g->makers[i]);
            items += begins;
        }
    }
    uint32_t period = l->predicates[s->loop];
    draft_reduction(d, last, IOT_NONE,
                    (double)loops_levels(steps / period) * period + (double)wait_cost(g, last));
    return items;
}

static void say_accumulation(const loop_study *s, const char *verb, uint64_t items, candidates *c,
                             change_draft *d)
{
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CHAIN, d);
    char *loop = iot_loop_text(s, x->clause);
    x->text =
        base_format("%s %s %llu values one after the other: each step waits for its value, and "
                    "the next one for the step",
                    loop, verb, (unsigned long long)items);
    x->advice = base_format("combine neighbours in pairs, then the results (%u levels instead of "
                            "%llu steps)",
                            loops_levels(items), (unsigned long long)items);
    x->condition = base_copy("as a tree");
    free(loop);
}

uint64_t iot_draft_accumulations(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    uint64_t items = 0;
    for (uint32_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == s->loop && l->chains.at[i].n > FEW_STEPS)
            items += draft_accumulation(s, i, d);
    return items;
}

// A loop that has no goals that combine: its steps do so themselves.
static void propose_accumulation(const loop_study *s, const char *verb, candidates *c)
{
    change_draft d = {0};
    uint64_t items = iot_draft_accumulations(s, &d);
    if (2 * items >= s->l->chains.at[s->l->biggest[s->loop]].n)
        say_accumulation(s, verb, items, c, &d);
    draft_free(&d);
    iot_propose_listed(s, c);
}

// Items that are ready stand behind one that is not: then the order is the cause, not the chain.
static bool is_head_of_line(const loops *l, uint32_t loop, const candidates *c)
{
    for (size_t i = 0; i < c->list.n; i++) {
        const candidate *x = &c->list.at[i];
        if (x->kind == FINDING_HEAD_OF_LINE && l->loop_of[x->place.predicate] == loop)
            return true;
    }
    return false;
}

void iot_find_accumulations(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        const char *verb;
        if (l->chains.at[l->biggest[looked[i]]].n <= FEW_STEPS ||
            !iot_is_lopsided(l, l->biggest[looked[i]]) || is_head_of_line(l, looked[i], c) ||
            !iot_loop_accumulates(l, looked[i], &verb))
            continue;
        loop_study s = iot_study_loop(l, looked[i]);
        if (!iot_biggest_fold(&s))
            propose_accumulation(&s, verb, c);
        iot_end_study(&s);
    }
}
