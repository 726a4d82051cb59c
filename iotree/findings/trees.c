// SPDX-License-Identifier: MIT
//
// What is done step by step and could be done as a tree: processes that a loop creates one after
// another, and an associative operation that takes the result of the step before, or of the step
// inside. (A step that needs a state of the step before is neither.)
#include "iotree/findings/accumulate.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

#include "iotree/terms/values.h"

enum {
    FEW_STEPS = 10,  // a chain so short is no cause
    FEWEST = 20,     // processes that are worth a tree
    FEW_WORKERS = 8, // of a chain, so many are worth a tree if most steps create none
    FEW_SUMS = 16,   // short combinations so few are no cause, either
    SHORT_SUM = 3,   // steps of one
    MOST_LOOPS = 24, // that are looked at: those with most of the critical path
    MOST_LEVELS = 24,
    MOST_MAKERS = 4,    // loops, each of which makes the list that the one before takes
    MOST_FOLLOWING = 8, // one part in so many may begin with what another one comes to
    WORKERS_STEPS = 12, // of a process, on the mean, for which its list is worth a tree, too
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

static void draft_fold(const loop_study *s, const fold *f, change_draft *d)
{
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
// cells, too, as in a parser, nobody knows where the next one begins.
static bool next_takes_next(const loops *l, uint32_t r)
{
    uint32_t next = l->next[r];
    if (!next || l->taken[next] == IOT_NONE)
        return false;
    trace_value rest = iot_end_value(l->t, trace_cell_arg(l->t, l->taken[r], 1));
    return rest.kind == TV_CELL && rest.id == l->taken[next];
}

// Who takes a list in pairs takes half as many steps.
static void draft_pairs(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain != IOT_NONE && l->chains.at[chain].loop == s->loop && l->taken[r] != IOT_NONE &&
            next_takes_next(l, r))
            draft_reduction(d, r, IOT_NONE, (double)wait_cost(l->g, r) / 2);
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
static void draft_vector(const loop_study *s, change_draft *d)
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

// ---------------------------------------------------------------------------------------------
// Candidates

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

// f: the fold that the tree combines, too; NULL: none.
static void say_creation(const loop_study *s, const fold *f, candidates *c, change_draft *d)
{
    const loops *l = s->l;
    uint32_t seeker = draft_seekers(s, d);
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CREATION, d);
    created_goals goals = find_created(s);
    char *loop = iot_loop_text(s, x->clause), *worker = iot_predicate_text(l->t, s->worker);
    uint32_t steps = l->chains.at[l->biggest[s->loop]].n;
    char *how_many = 3 * (uint64_t)goals.n >= steps
                         ? base_format("%u in a row", goals.n)
                         : base_format("%u in the course of %u steps", goals.n, steps);
    x->text =
        base_format("%s creates the goals of %s one after the other, %s: the first at step %lld, "
                    "the last at step %lld",
                    loop, worker, how_many, (long long)time_created(l, goals.first),
                    (long long)time_created(l, goals.last));
    free(how_many);
    char *name = iot_predicate_text(l->t, trace_get_clause(l->t, x->clause)->predicate);
    x->advice = s->walks || s->waits || takes_cells(s)
                    ? base_format("give %s its items as a vector and let it call itself for both "
                                  "halves: all are created after %u levels",
                                  name, loops_levels(goals.n))
                    : base_format("let %s halve its range and call itself for both halves: all are "
                                  "created after %u levels",
                                  name, loops_levels(goals.n));
    x->condition = base_copy("created as a tree");
    if (f)
        say_combining(s, x, f);
    if (seeker != IOT_NONE)
        say_seeker(l, x, seeker);
    free(loop);
    free(worker);
    free(name);
}

static const fold *biggest_fold(const loop_study *s)
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

static void say_chain(const loop_study *s, candidates *c, change_draft *d, bool whole)
{
    const loops *l = s->l;
    const fold *f = biggest_fold(s);
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

// A loop that has no goals that combine: its steps do so themselves.
static void propose_accumulation(const loop_study *s, const char *verb, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    uint64_t items = 0;
    for (uint32_t i = 0; i < l->chains.n; i++)
        if (l->chains.at[i].loop == s->loop && l->chains.at[i].n > FEW_STEPS)
            items += draft_accumulation(s, i, &d);
    if (2 * items >= l->chains.at[l->biggest[s->loop]].n)
        say_accumulation(s, verb, items, c, &d);
    draft_free(&d);
}

// Do enough of the loop's steps create a worker? A loop that only counts and calls a goal at the
// end creates nothing one after the other. Of a range of numbers a step in many is enough: halving
// it spares the others, too.
static bool steps_create(const loop_study *s, bool whole)
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

// The loop whose steps make the cells of the list that most steps of this loop take; IOT_NONE:
// none.
static uint32_t list_maker(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t found = IOT_NONE, takes = 0, n = 0;
    for (uint32_t r = l->chains.at[l->biggest[s->loop]].first; r; r = l->next[r]) {
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
    return most && found != s->loop ? found : IOT_NONE;
}

// Loops that make lists, the first one that which the loop of processes takes its items from. A
// list of which no item depends on the one before can be made as a tree, with the processes.
typedef struct {
    loop_study made[MOST_MAKERS];
    uint32_t n;
    uint32_t critical; // steps of the critical path
} list_makers;

// Do the goals that the loop creates work for some time? What only computes one item of a list is
// no process: a list of such items is as good as any.
static bool creates_processes(const loop_study *s)
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

static void find_list_makers(const loop_study *s, list_makers *m)
{
    const loops *l = s->l;
    if (!creates_processes(s))
        return;
    for (const loop_study *x = s; m->n < MOST_MAKERS; x = &m->made[m->n - 1]) {
        uint32_t loop = list_maker(x);
        if (loop == IOT_NONE || !iot_is_lopsided(l, l->biggest[loop]))
            return;
        loop_study *next = &m->made[m->n];
        *next = iot_study_loop(l, loop);
        if (next->sequential || next->has_state || (next->waits && list_maker(next) == IOT_NONE)) {
            iot_end_study(next);
            return;
        }
        m->critical += l->critical[loop];
        m->n++;
    }
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

static bool creates_one_by_one(const loop_study *s, const list_makers *m)
{
    const loops *l = s->l;
    double worth_it =
        l->critical[s->loop] >= worth_creating * l->a->path.n ? 0 : worth_creating_lists;
    if (goes_down_run(s))
        return false;
    return l->chains.at[l->biggest[s->loop]].n >= FEWEST &&
           l->critical[s->loop] + m->critical >= worth_it * l->a->path.n;
}

// Does the loop call itself for several parts, most of the time?
static bool divides(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t biggest = l->biggest[s->loop], parts = 0;
    for (size_t i = 0; i < l->chains.n; i++)
        parts += l->chains.at[i].loop == s->loop &&
                 l->chain_of[l->g->parents[l->chains.at[i].first]] == biggest;
    uint64_t steps = l->chains.at[biggest].n / (s->waits ? l->predicates[s->loop] : 1);
    return 3 * (uint64_t)parts >= 2 * steps;
}

// Does it go down a structure? How that branches, it does not decide.
static bool goes_down(const loop_study *s)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        for (uint32_t k = 0; l->loop_of[c->predicate] == s->loop && k < c->nhead; k++)
            if (c->patterns[c->head[k]].kind == TN_STRUCT ||
                c->patterns[c->head[k]].kind == TN_CONS)
                return true;
    }
    return false;
}

static void say_uneven_parts(const loop_study *s, candidates *c, change_draft *d)
{
    const loops *l = s->l;
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    candidate *x = iot_add_loop_candidate(s, c, FINDING_UNEVEN, d);
    char *loop = iot_loop_text(s, x->clause);
    uint32_t levels = loops_levels(chain->total);
    x->text =
        base_format("%s divides unevenly: it calls itself for several parts, %u times in all, "
                    "and the last part is %u levels down; divided in halves it is %u levels",
                    loop, chain->total, chain->n, levels);
    x->advice =
        base_format("let %s divide in the middle, so that both parts are about as large", loop);
    x->condition = base_copy("divided in halves");
    free(loop);
}

static bool is_of_loop(const loop_study *s, uint32_t r)
{
    uint32_t chain = s->l->chain_of[r];
    return chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop;
}

static bool item_has_fresh(const trace_clause *c, const trace_item *item, uint32_t fresh)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool has = false;
    for (uint32_t i = 0; i < item->n; i++)
        ARRAY_PUSH(stack, c->children[item->first + i]);
    while (stack.n > 0 && !has) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        has = n->kind == TN_FRESH && n->index == fresh;
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return has;
}

// How many goals of the loop the clause calls with the variable.
static uint32_t parts_with(const loop_study *s, const trace_clause *c, uint32_t fresh)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nitems; i++)
        n += c->items[i].kind == TI_GOAL && s->l->loop_of[c->items[i].predicate] == s->loop &&
             item_has_fresh(c, &c->items[i], fresh);
    return n;
}

// Do two parts get the variable, or one part the variable and the other one what `:=` makes of it?
// Then it is where a range is cut.
static bool is_shared(const loop_study *s, uint32_t variable)
{
    const trace *t = s->l->t;
    uint32_t maker = trace_cell_maker(t, variable), fresh = variable - trace_first_cell(t, maker);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, maker));
    if (c->dynamic || fresh >= c->nfresh)
        return false;
    uint32_t parts = parts_with(s, c, fresh);
    for (uint32_t i = 0; i < c->nitems && parts > 0; i++) {
        const trace_item *item = &c->items[i];
        const trace_node *result = item->n ? &c->nodes[c->children[item->first]] : NULL;
        if (item->kind == TI_GOAL && item->n == 2 && loops_is_named(t, item->predicate, ":=") &&
            result->kind == TN_FRESH && result->index != fresh && item_has_fresh(c, item, fresh))
            parts += parts_with(s, c, result->index);
    }
    return parts > 1;
}

// The goal of a step that computes the number for which the member waits here, as where to cut its
// range; 0: it waits for something else.
static uint32_t cut_of(const loop_study *s, uint32_t r, uint32_t maker)
{
    const loops *l = s->l;
    uint32_t side = s->side[maker], variable = iot_variable_from(l, r, maker);
    if (!side || variable == TRACE_NONE || !is_of_loop(s, l->g->parents[side]))
        return 0;
    trace_value v = iot_end_value(l->t, (trace_value){.kind = TV_CELL, .id = variable});
    return v.kind == TV_INT && is_shared(s, variable) ? side : 0;
}

// Bits by reduction: the goals that compute numbers for which members wait. NULL: they wait for
// something else, too. malloc'ed.
static uint8_t *find_cuts(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    uint8_t *cuts = bits_allocate(g->n);
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t i = g->first[r]; is_of_loop(s, r) && i < g->first[r + 1]; i++) {
            uint32_t cut = cut_of(s, r, g->makers[i]);
            if (!cut && g->makers[i] >= s->l->chains.at[s->l->biggest[s->loop]].first) {
                free(cuts);
                return NULL;
            }
            bit_set(cuts, cut);
        }
    return cuts;
}

// Does all that the steps wait for follow from where the range was cut above? Then it could as well
// be cut elsewhere.
static bool waits_for_cuts(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    uint32_t first = s->l->chains.at[s->l->biggest[s->loop]].first;
    uint8_t *cuts = find_cuts(s);
    bool only = cuts != NULL;
    for (uint32_t r = first; only && r < g->n; r++)
        for (uint64_t i = g->first[r];
             s->side[r] && bit_get(cuts, s->side[r]) && i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i];
            only &= maker < first || (s->side[maker] && bit_get(cuts, s->side[maker]));
        }
    free(cuts);
    return only;
}

// What a level takes where steps wait for the cut: the mean of the longest chain.
static double time_of_level(const loop_study *s)
{
    const loops *l = s->l;
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    uint32_t last = chain->first;
    while (l->next[last])
        last = l->next[last];
    return (double)(trace_time(l->t, last) - trace_time(l->t, chain->first)) / chain->n *
           l->predicates[s->loop];
}

// All parts are created after as many levels as there are in a tree of all.
static void draft_parts(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    uint32_t root = l->chains.at[l->biggest[s->loop]].first;
    uint32_t total = l->chains.at[l->biggest[s->loop]].total;
    double levels = loops_levels(s->waits ? total / l->predicates[s->loop] : total);
    double of_cuts = s->waits ? time_of_level(s) : 0;
    uint8_t *below = bits_allocate(l->g->n);
    bit_set(below, root);
    for (uint32_t r = root + 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop ||
            !bit_get(below, l->g->parents[r]))
            continue;
        bit_set(below, r);
        draft_reduction(d, r, l->g->parents[root],
                        levels * (of_cuts > 0 ? of_cuts : (double)wait_cost(l->g, r)));
        for (uint64_t i = l->g->first[r]; s->waits && i < l->g->first[r + 1]; i++)
            if (cut_of(s, r, l->g->makers[i]))
                draft_wait(d, i, IOT_NONE);
    }
    free(below);
}

// Did a goal of another step of the loop make what the side goal reads? Not a counter.
static bool is_of_other_part(const loop_study *s, uint32_t r, uint32_t maker)
{
    const wait_graph *g = s->l->g;
    return s->side[maker] && !bit_get(s->counters, maker) &&
           g->parents[s->side[maker]] != g->parents[s->side[r]];
}

static bool waits_for_part(const loop_study *s, uint32_t r)
{
    const wait_graph *g = s->l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (is_of_other_part(s, r, g->makers[i]))
            return true;
    return false;
}

// By reduction, how many members of the loop descend from it, itself included. The caller frees it.
static uint32_t *members_below(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t *below = base_allocate(l->g->n, sizeof *below);
    for (uint32_t r = l->g->n; r-- > 1;) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop)
            continue;
        below[r]++;
        below[l->g->parents[r]] += below[r];
    }
    return below;
}

// When what a step got from its parts was there, and when another step could have what it came to.
typedef struct {
    int64_t came, made;
} combined;

static combined *combinations(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    const trace *t = s->l->t;
    combined *all = base_allocate(g->n, sizeof *all);
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t i = g->first[r]; s->side[r] && i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i];
            if (!is_of_other_part(s, r, maker))
                continue;
            combined *by = &all[g->parents[s->side[maker]]], *of = &all[g->parents[s->side[r]]];
            int64_t time = trace_time(t, maker);
            of->came = time > of->came ? time : of->came;
            by->made = time > by->made ? time : by->made;
        }
    return all;
}

// How long the combinations take in a tree of halves, all levels but the last one: those of 2^k
// members take what combinations of as many took on the mean.
static double steps_of_levels(const loop_study *s, uint32_t levels)
{
    uint32_t *below = members_below(s);
    combined *all = combinations(s);
    double steps[MOST_LEVELS] = {0}, n[MOST_LEVELS] = {0}, sum = 0, last = 1;
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        if (below[r] < 2 || !all[r].came || !all[r].made)
            continue;
        uint32_t k = loops_levels((uint64_t)below[r] + 1) - 1;
        steps[k < MOST_LEVELS ? k : MOST_LEVELS - 1] +=
            all[r].made > all[r].came ? (double)(all[r].made - all[r].came) : 1;
        n[k < MOST_LEVELS ? k : MOST_LEVELS - 1]++;
    }
    for (uint32_t k = 1; k < levels; k++) {
        uint32_t of = k < MOST_LEVELS ? k : MOST_LEVELS - 1;
        last = n[of] > 0 ? steps[of] / n[of] : last;
        sum += last;
    }
    free(below);
    free(all);
    return sum;
}

// What the parts come to is combined in as many levels as halves have, at the top: the last one of
// the goals that combine waits for all others.
static void draft_results(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t root = l->chains.at[l->biggest[s->loop]].first, top = 0;
    for (uint32_t r = root; r < g->n; r++)
        top = s->side[r] == r && g->parents[r] == root && waits_for_part(s, r) ? r : top;
    for (uint32_t r = root; r < g->n && top; r++) {
        if (!s->side[r])
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (is_of_other_part(s, r, g->makers[i])) {
                draft_wait(d, i, IOT_NONE);
                draft_add(d, top, g->makers[i]);
            }
    }
    uint32_t leaves = (l->chains.at[l->biggest[s->loop]].total + 1) / 2;
    if (top)
        draft_reduction(d, top, IOT_NONE,
                        steps_of_levels(s, loops_levels(leaves)) + (double)wait_cost(g, top));
}

// Does a step, or a goal that it calls, wait for what another part comes to?
static bool waits_for_other_step(const loop_study *s, uint32_t r, uint32_t step)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t side = s->side[g->makers[i]], other = side ? g->parents[side] : g->makers[i];
        if (other > g->parents[g->parents[step]] && other != step && other != g->parents[step] &&
            l->chain_of[other] != IOT_NONE && l->chains.at[l->chain_of[other]].loop == s->loop)
            return true;
    }
    return false;
}

// Does a part need what another part comes to, before it has parts of its own? Then they are no
// parts of one range. What the steps above have found out is no result of a part.
static bool parts_follow(const loop_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t following = 0, members = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t step = s->side[r] ? g->parents[s->side[r]] : r, chain = l->chain_of[step];
        bool member = step == r && chain != IOT_NONE && l->chains.at[chain].loop == s->loop;
        members += member;
        if (member || (s->side[r] && !l->next[step]))
            following += waits_for_other_step(s, r, step);
    }
    return MOST_FOLLOWING * following >= members;
}

// A loop that calls itself for parts of a range of numbers, of which one is much larger than the
// other.
static bool propose_even_parts(const loop_study *s, candidates *c)
{
    if (s->walks || goes_down(s) || !divides(s) || (s->waits && !waits_for_cuts(s)) ||
        parts_follow(s))
        return false;
    change_draft d = {0};
    iot_draft_creation(s, &d);
    draft_parts(s, &d);
    draft_results(s, &d);
    say_uneven_parts(s, c, &d);
    draft_free(&d);
    return true;
}

// The fold that is worth a tree; NULL: none.
static const fold *long_fold(const loop_study *s)
{
    if (s->l->chains.at[s->l->biggest[s->loop]].n <= FEW_STEPS)
        return NULL;
    const fold *f = biggest_fold(s);
    if (f && f->longest <= FEW_SUMS && times_of_levels(s, f).steps[0] <= SHORT_SUM)
        return NULL;
    return f;
}

static void propose(const loop_study *s, candidates *c)
{
    for (size_t i = 0; i < s->folds.n; i++)
        if (s->folds.at[i].copies && s->folds.at[i].goals >= SHORTEST)
            iot_say_copying(s, &s->folds.at[i], c);
    if (propose_even_parts(s, c))
        return;
    const fold *f = long_fold(s);
    bool whole = !s->walks && !s->waits && !s->sequential && !(f && s->has_state);
    list_makers makers = {0};
    bool creates = !s->sequential && steps_create(s, whole);
    if (creates)
        find_list_makers(s, &makers);
    creates = creates && creates_one_by_one(s, &makers);
    change_draft d = {0};
    if (whole && (f || creates))
        iot_draft_creation(s, &d);
    for (size_t i = 0; f && i < s->folds.n; i++)
        if (s->folds.at[i].associative)
            draft_fold(s, &s->folds.at[i], &d);
    if (f && !whole)
        draft_pairs(s, &d);
    if (whole && creates)
        say_creation(s, f, c, &d);
    else if (f)
        say_chain(s, c, &d, whole);
    if (!whole && creates) {
        iot_draft_creation(s, &d);
        for (uint32_t i = 0; i < makers.n; i++)
            iot_draft_creation(&makers.made[i], &d);
        if (makers.n == 0)
            draft_vector(s, &d);
        say_creation(s, NULL, c, &d);
    }
    while (makers.n)
        iot_end_study(&makers.made[--makers.n]);
    draft_free(&d);
}

void iot_find_trees(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        if (!iot_is_lopsided(l, l->biggest[looked[i]]))
            continue;
        loop_study s = iot_study_loop(l, looked[i]);
        propose(&s, c);
        iot_end_study(&s);
    }
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
        if (!biggest_fold(&s))
            propose_accumulation(&s, verb, c);
        iot_end_study(&s);
    }
}
