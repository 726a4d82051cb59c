// SPDX-License-Identifier: MIT
//
// Processes that a loop creates one after another, and that could be created as a tree.
#include "iotree/findings/trees.h"

#include "iotree/terms/values.h"

enum {
    FEWEST = 20,     // processes that are worth a tree
    FEW_WORKERS = 8, // of a chain, so many are worth a tree if most steps create none
};
static const double worth_creating = 0.10; // share of the critical path
static const double worth_creating_lists = 0.40;

// ---------------------------------------------------------------------------------------------
// As a tree

// The member's wait is left out. A goal of its body that gets what is made of the value needs the value
// all the same: which part of it, or which number, nobody knew before.
static void draft_takers(const loop_study *s, uint32_t goal, change_draft *d)
{
    const wait_graph *g = s->l->g;
    uint32_t member = g->parents[goal];
    for (uint64_t i = g->first[member]; i < g->first[member + 1]; i++)
        if (iot_takes_of_wait(s, goal, i))
            draft_add(d, goal, g->makers[i]);
}

// Every member is created at its level of a tree; the counters of the steps are known there.
void iot_draft_creation(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t chain = l->chain_of[r];
        bool counter = bit_get(s->counters, r), member = iot_is_member(s, r);
        if (s->side[r] == r && !counter && iot_is_member(s, g->parents[r]))
            draft_takers(s, r, d);
        if (!member && !counter)
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if ((member && iot_is_own_wait(s, r, i)) || bit_get(s->counters, g->makers[i]))
                draft_wait(d, i, IOT_NONE);
        if (!member || !iot_is_lopsided(l, chain))
            continue;
        double levels = loops_levels(l->chains.at[chain].total);
        draft_reduction(d, r, g->parents[l->chains.at[chain].first],
                        levels * (double)wait_cost(g, r));
    }
}

// Does the predicate only go to the end of a list, as array_from_list/2 does before it makes the
// vector?
static bool only_seeks_end(const loops *l, uint32_t predicate, const uint8_t *takes)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        if (c->predicate != predicate || !takes[i])
            continue;
        const trace_node *list = &c->patterns[c->head[takes[i] - 1]];
        const trace_node *item = &c->patterns[c->pattern_children[list->first]];
        goes_on = c->nitems == 1 && c->nguards == 0 && c->items[0].kind == TI_GOAL &&
                  c->items[0].predicate == predicate && item->kind == TN_FRESH;
        if (!goes_on)
            return false;
    }
    return goes_on;
}

// What is known of a list that is made as a tree, such as its end, is known to who only seeks the
// end. Returns the predicate that does; IOT_NONE: none.
static uint32_t draft_seekers(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    uint8_t *takes = iot_list_arguments(l->t), *seeks = bits_allocate(trace_npredicates(l->t));
    uint32_t found = IOT_NONE;
    for (uint32_t p = 0; p < trace_npredicates(l->t); p++)
        if (l->loop_of[p] != IOT_NONE && l->predicates[l->loop_of[p]] == 1 &&
            only_seeks_end(l, p, takes))
            bit_set(seeks, p);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t p = loops_predicate(l, r);
        if (!bit_get(seeks, p) || l->taken[r] == IOT_NONE)
            continue;
        uint32_t chain = l->chain_of[trace_cell_maker(l->t, l->taken[r])];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop)
            continue;
        draft_reduction(d, r, IOT_NONE, 0);
        found = p;
    }
    free(takes);
    free(seeks);
    return found;
}

static int64_t max_time(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

// When the cell of the list was made that the member takes.
static int64_t time_of_item(const loops *l, uint32_t member)
{
    return trace_time(l->t, trace_cell_maker(l->t, l->taken[member]));
}

// A list that nobody makes as a tree becomes a vector when it has all its items: who takes one of
// them waits for the last one.
void iot_draft_vector(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        const loop_chain *chain = &l->chains.at[i];
        uint32_t above = l->g->parents[chain->first];
        int64_t begun = trace_time(l->t, above), complete = begun;
        if (chain->loop != s->loop || !iot_is_lopsided(l, i))
            continue;
        for (uint32_t r = chain->first; r; r = l->next[r])
            if (l->taken[r] != IOT_NONE)
                complete = max_time(complete, time_of_item(l, r));
        for (uint32_t r = chain->first; r; r = l->next[r]) {
            int64_t has = l->taken[r] == IOT_NONE ? begun : max_time(begun, time_of_item(l, r));
            draft_reduction(d, r, above,
                            (double)(complete - has) +
                                loops_levels(chain->total) * (double)wait_cost(l->g, r));
        }
    }
}

// ---------------------------------------------------------------------------------------------
// The candidate

static void say_seeker(const loops *l, candidate *x, uint32_t seeker)
{
    char *name = iot_predicate_text(l->t, seeker), *advice = x->advice;
    x->advice = base_format("%s; and make a vector of the list with new_vector/2: %s goes to the "
                            "end step by step",
                            advice, name);
    free(name);
    free(advice);
}

// The goals that the steps of the loop's longest chain create for its work.
typedef struct {
    uint32_t n, first, last; // first and last: as reductions
} created_goals;

static created_goals find_created(const loop_study *s)
{
    const loops *l = s->l;
    created_goals x = {0};
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (s->side[r] != r || l->chain_of[l->g->parents[r]] != l->biggest[s->loop] ||
            loops_predicate(l, loops_called(l, r)) != s->worker)
            continue;
        x.first = x.n++ ? x.first : r;
        x.last = r;
    }
    return x;
}

// Does the loop walk along a list? Then there is no range to halve.
static bool takes_cells(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t first = l->chains.at[l->biggest[s->loop]].first;
    return l->taken[first] != IOT_NONE || (l->next[first] && l->taken[l->next[first]] != IOT_NONE);
}

static int64_t time_created(const loops *l, uint32_t reduction)
{
    return trace_time(l->t, l->g->parents[reduction]);
}

// The goals that are created combine as well, each with the result of the one before.
static void say_combining(const loop_study *s, candidate *x, const fold *f)
{
    char *by = iot_predicate_text(s->l->t, s->links.at[f->first].predicate), *advice = x->advice;
    x->advice = base_format("%s; combine the results of both halves with %s", advice, by);
    free(by);
    free(advice);
}

// What to do about a list that others make item by item: nobody halves it before it is there. malloc'ed.
static char *advice_for_list(const list_makers *makers, const char *loop, uint32_t levels)
{
    const loop_study *first = &makers->made[makers->n - 1];
    uint32_t reduction, clause = iot_loop_clause(first->l, first->loop, &reduction);
    bool own = iot_is_own_clause(first->l, clause);
    char *name = iot_predicate_text(first->l->t, trace_get_clause(first->l->t, clause)->predicate);
    char *text = base_format("let %s%s halve its range, and do for each item what %s does with it, instead "
                             "of making a list: all are created after %u levels",
                             own ? "" : "a predicate in place of ", name, loop, levels);
    free(name);
    return text;
}

static char *advice_for_range(const loop_study *s, const char *loop, uint32_t levels)
{
    return s->walks || takes_cells(s)
               ? base_format("give %s its items as a vector and let it call itself for both halves: all are "
                             "created after %u levels",
                             loop, levels)
               : base_format("let %s halve its range and call itself for both halves: all are created after "
                             "%u levels",
                             loop, levels);
}

// "30 in a row", "30 in the course of 90 steps", and from which list. malloc'ed.
static char *number_text(const loop_study *s, uint32_t n, const list_makers *makers, candidate *x)
{
    uint32_t steps = s->l->chains.at[s->l->biggest[s->loop]].n;
    char *list = makers && makers->n ? iot_makers_text(makers, x) : NULL;
    char *number = 3 * (uint64_t)n >= steps ? base_format("%u in a row", n)
                                            : base_format("%u in the course of %u steps", n, steps);
    char *text = list ? base_format("%s, from a list that %s", number, list) : base_copy(number);
    free(list);
    free(number);
    return text;
}

void iot_say_creation(const loop_study *s, const fold *f, const list_makers *makers, candidates *c,
                      change_draft *d)
{
    const loops *l = s->l;
    uint32_t seeker = draft_seekers(s, d);
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CREATION, d);
    created_goals goals = find_created(s);
    char *loop = iot_loop_text(s, x->clause), *worker = iot_predicate_text(l->t, s->worker);
    char *how_many = number_text(s, goals.n, makers, x);
    x->text =
        base_format("%s creates the goals of %s one after the other, %s: the first at step %lld, "
                    "the last at step %lld",
                    loop, worker, how_many, (long long)time_created(l, goals.first),
                    (long long)time_created(l, goals.last));
    free(how_many);
    char *name = iot_predicate_text(l->t, trace_get_clause(l->t, x->clause)->predicate);
    x->advice = makers && makers->n ? advice_for_list(makers, name, loops_levels(goals.n))
                                    : advice_for_range(s, name, loops_levels(goals.n));
    x->condition = base_copy("created as a tree");
    if (f)
        say_combining(s, x, f);
    if (seeker != IOT_NONE)
        say_seeker(l, x, seeker);
    free(loop);
    free(worker);
    free(name);
}

// ---------------------------------------------------------------------------------------------
// Is it worth one?

// Do enough of the loop's steps create a worker? A loop that only counts and calls a goal at the
// end creates nothing one after the other. Of a range of numbers a step in many is enough: halving
// it spares the others, too.
bool iot_steps_create(const loop_study *s, bool whole)
{
    uint64_t steps = 0, chains = 0;
    for (size_t i = 0; i < s->l->chains.n; i++)
        if (s->l->chains.at[i].loop == s->loop) {
            steps += s->l->chains.at[i].n;
            chains++;
        }
    bool sparse = whole && s->workers >= FEW_WORKERS * chains;
    return s->worker != IOT_NONE && (sparse || 3 * s->workers >= steps);
}

static bool is_part(const trace *t, trace_value whole, trace_value part)
{
    for (uint32_t i = 0; part.kind == TV_CELL && i < trace_cell_arity(t, whole.id); i++) {
        trace_value v = iot_end_value(t, trace_cell_arg(t, whole.id, i));
        if (v.kind == TV_CELL && v.id == part.id)
            return true;
    }
    return false;
}

// Does the loop go down a structure, as to a leaf of a tree? Nobody knows the way beforehand.
static bool goes_down_run(const loop_study *s)
{
    const loops *l = s->l;
    const trace *t = l->t;
    uint32_t first = l->chains.at[l->biggest[s->loop]].first, steps = 0, down = 0;
    for (uint32_t r = first, before = 0; r; r = l->next[r]) {
        uint32_t p = loops_predicate(l, r);
        if (p != loops_predicate(l, first))
            continue;
        bool found = false;
        uint32_t arity = trace_get_predicate(t, p)->arity;
        for (uint32_t i = 0; before && i < arity && !found; i++) {
            trace_value x = iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, before), i));
            trace_value y = iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), i));
            found = is_cell_kind(t, x, TC_STRUCT) && is_part(t, x, y);
        }
        steps += before != 0;
        down += found;
        before = r;
    }
    return 2 * down > steps;
}

bool iot_creates_one_by_one(const loop_study *s, const list_makers *m)
{
    const loops *l = s->l;
    double worth_it =
        l->critical[s->loop] >= worth_creating * l->path.n ? 0 : worth_creating_lists;
    if (goes_down_run(s))
        return false;
    return l->chains.at[l->biggest[s->loop]].n >= FEWEST &&
           l->critical[s->loop] + m->critical >= worth_it * l->path.n;
}
