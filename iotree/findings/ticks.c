// SPDX-License-Identifier: MIT
//
// Ticks: loops that go on by one until it is time for something, though what they wait for is
// known:
//
//     run(T, [car(At, C)|Cs], S, R) :- T < At | T1 := T + 1, run(T1, [car(At, C)|Cs], S, R).
//     run(T, [car(At, C)|Cs], S, R) :- T >= At | board(C, S, S1), run(T, Cs, S1, R).
//
// In an *idle* step all arguments are as they were, or equal, but numbers that go on by the same
// amount as in all such steps; clauses only compare these with others (only_compared.h), and one
// of them never goes back. So a step could go on at once to the number for which something else happens. The
// price is the run in which of several idle steps in a row one takes time; where the state is made
// anew in each, the next step comes after all of it was looked through. A loop that does nothing
// but count to one end stands for something that takes time.
#include "base/table.h"
#include "iotree/findings/clauses.h"
#include "iotree/findings/equal_terms.h"
#include "iotree/findings/only_compared.h"
#include "iotree/findings/shapes.h"

enum {
    MOST_LOOPS = 16,
    MOST_ARGUMENTS = 8, // of the loop
    MOST_PLACES = 24,   // arguments, and parts of structures in them
    FEWEST_IDLE = 8,    // steps of a chain
    FEWEST_RUNS = 3,    // of idle steps, with others in between
    PARTS = 4,          // of terms that are compared, by reduction of the run
    COMPARING = 2       // steps of looking through a state
};

// Of a member: the step of the loop that it belongs to.
enum { BUSY, FIRST_IDLE, IDLE };

typedef struct {
    uint32_t member;  // that begins it
    uint64_t changes; // what changes until the next one; 0: more than numbers
    int64_t looked; // when the new state is complete, counted from the member; 0: it is the old one
    bool idle;
} tick;

typedef struct {
    const loops *l;
    uint32_t loop, predicate, arity;
    term_walk walk;
    ARRAY_OF(tick) ticks; // of one chain
    number_place places[MOST_PLACES];
    uint32_t nplaces;
    ARRAY_OF(number_place) clocks; // of all chains: where numbers go on in idle steps
    uint8_t *state;          // by member
    uint8_t *clauses;        // bits: of idle steps
    uint32_t *side;
    change_draft d;
    uint32_t idle, all, example; // of all chains
    number_place clock;          // that of the example which never goes back
    bool anew;                   // a state was made again
} search;

// ---------------------------------------------------------------------------------------------
// What a step changes

static trace_value value_at(const search *s, uint32_t r, uint32_t place)
{
    const trace *t = s->l->t;
    number_place x = s->places[place];
    trace_value v = trace_goal_arg(t, trace_reduction_goal(t, r), x.argument);
    if (x.part == WHOLE)
        return v;
    v = iot_end_value(t, v);
    return is_cell_kind(t, v, TC_STRUCT) && x.part < trace_cell_arity(t, v.id)
               ? trace_cell_arg(t, v.id, x.part)
               : (trace_value){.kind = TV_ATOM};
}

// The arguments that the loop begins with; of a structure that it makes anew in each step, its
// parts.
static void find_places(search *s, uint32_t first)
{
    const trace *t = s->l->t;
    s->nplaces = 0;
    for (uint32_t i = 0; i < s->arity; i++) {
        trace_value v = iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, first), i));
        uint32_t n = is_cell_kind(t, v, TC_STRUCT) ? trace_cell_arity(t, v.id) : 0;
        if (n == 0 || s->nplaces + n + s->arity > MOST_PLACES)
            s->places[s->nplaces++] = (number_place){s->predicate, i, WHOLE};
        else
            for (uint32_t k = 0; k < n; k++)
                s->places[s->nplaces++] = (number_place){s->predicate, i, k};
    }
}

static bool same_structures(const search *s, uint32_t r, uint32_t next)
{
    const trace *t = s->l->t;
    for (uint32_t i = 0; i < s->nplaces; i++) {
        if (s->places[i].part != 0)
            continue;
        trace_value v =
            iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), s->places[i].argument));
        trace_value w = iot_end_value(
            t, trace_goal_arg(t, trace_reduction_goal(t, next), s->places[i].argument));
        if (!is_cell_kind(t, v, TC_STRUCT) || !is_cell_kind(t, w, TC_STRUCT) ||
            trace_cell_arity(t, v.id) != trace_cell_arity(t, w.id) ||
            trace_cell_name(t, v.id) != trace_cell_name(t, w.id))
            return false;
    }
    return true;
}

// By how much the number goes on. 0: it stays, or is none.
static int64_t goes_on_by(const search *s, uint32_t r, uint32_t next, uint32_t place)
{
    int64_t by;
    trace_value x = iot_end_value(s->l->t, value_at(s, r, place));
    trace_value y = x.kind == TV_INT ? iot_end_value(s->l->t, value_at(s, next, place)) : x;
    return x.kind == TV_INT && y.kind == TV_INT && !__builtin_sub_overflow(y.i, x.i, &by) ? by : 0;
}

// Sets what changes between two steps: which numbers, by how much.
static void compare(search *s, tick *x, uint32_t next)
{
    uint64_t hash = 0;
    int64_t made = -1, begun = trace_time(s->l->t, x->member);
    bool same = same_structures(s, x->member, next);
    for (uint32_t i = 0; i < s->nplaces && same; i++) {
        int64_t by = goes_on_by(s, x->member, next, i);
        if (by != 0)
            hash = hash_word(hash_word(hash, i), (uint64_t)by) | 1;
        else
            same = iot_are_equal(&s->walk, value_at(s, x->member, i), value_at(s, next, i), &made);
    }
    x->changes = same ? hash : 0;
    x->looked = made > begun ? made - begun : 0;
}

static void take_ticks(search *s, uint32_t chain)
{
    const loops *l = s->l;
    s->ticks.n = 0;
    find_places(s, l->chains.at[chain].first);
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r])
        if (loops_predicate(l, r) == s->predicate)
            ARRAY_PUSH(s->ticks, (tick){.member = r});
    for (size_t i = 0; i + 1 < s->ticks.n; i++)
        compare(s, &s->ticks.at[i], s->ticks.at[i + 1].member);
}

// Idle are the steps that change what most of them change, if there are enough of them.
static bool find_idle(search *s)
{
    base_map counts = {0};
    uint64_t most = 0, best = 0;
    for (size_t i = 0; i < s->ticks.n; i++) {
        uint64_t changes = s->ticks.at[i].changes;
        if (!changes)
            continue;
        uint64_t *n = map_at(&counts, changes);
        *n = *n == MAP_ABSENT ? 1 : *n + 1;
        best = *n > most ? changes : best;
        most = *n > most ? *n : most;
    }
    map_free(&counts);
    size_t runs = 0;
    for (size_t i = 0; i < s->ticks.n; i++) {
        s->ticks.at[i].idle = best && s->ticks.at[i].changes == best;
        runs += s->ticks.at[i].idle && (i == 0 || !s->ticks.at[i - 1].idle);
    }
    return most >= FEWEST_IDLE && 2 * most >= s->ticks.n && runs >= FEWEST_RUNS;
}

static void note_clock(search *s, number_place x)
{
    for (size_t i = 0; i < s->clocks.n; i++)
        if (s->clocks.at[i].argument == x.argument && s->clocks.at[i].part == x.part)
            return;
    ARRAY_PUSH(s->clocks, x);
}

// Notes which numbers go on. Is there one that never goes back? Others may be timers, which are set
// anew.
static bool has_clock(search *s)
{
    size_t first = 0;
    bool found = false;
    while (!s->ticks.at[first].idle)
        first++;
    for (uint32_t i = 0; i < s->nplaces; i++) {
        bool back = false;
        int64_t idle_by = goes_on_by(s, s->ticks.at[first].member, s->ticks.at[first + 1].member, i);
        for (size_t k = 0; idle_by && k + 1 < s->ticks.n && !back; k++) {
            int64_t by = goes_on_by(s, s->ticks.at[k].member, s->ticks.at[k + 1].member, i);
            back = by != 0 && (by < 0) != (idle_by < 0);
        }
        if (idle_by)
            note_clock(s, s->places[i]);
        if (idle_by && !back && !found && !s->example)
            s->clock = s->places[i];
        found |= idle_by && !back;
    }
    return found;
}

// ---------------------------------------------------------------------------------------------
// Whole loops

// Marks the members of the chain, and what steps after idle ones wait for.
static void mark_members(search *s, uint32_t chain)
{
    const loops *l = s->l;
    size_t n = 0;
    int64_t looked = 0; // through the state, in the idle step before
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r]) {
        if (n < s->ticks.n && s->ticks.at[n].member == r)
            n++;
        const tick *x = n ? &s->ticks.at[n - 1] : NULL;
        if (!x || !x->idle) {
            if (x && looked && x->member == r)
                draft_reduction(&s->d, r, IOT_NONE,
                                (double)(wait_cost(l->g, r) + looked + COMPARING));
            looked = 0;
            continue;
        }
        bool first = n < 2 || !s->ticks.at[n - 2].idle;
        s->state[r] = first ? FIRST_IDLE : IDLE;
        looked = first ? x->looked : looked;
        s->anew |= x->looked > 0;
        s->idle += x->member == r;
        s->example = s->example ? s->example : r;
    }
    s->all += (uint32_t)s->ticks.n;
}

static uint32_t member_of(const search *s, uint32_t r)
{
    return s->side[r] ? s->l->g->parents[s->side[r]] : r;
}

// Idle steps but the first ones take no time. False: one of them acts on the world.
static bool draft_idle(search *s)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint8_t state = s->state[member_of(s, r)];
        if (state == BUSY)
            continue;
        if (predicate_acts(l->t, loops_predicate(l, r)))
            return false;
        bit_set(s->clauses, trace_reduction_clause(l->t, r));
        if (state == IDLE)
            draft_reduction(&s->d, r, IOT_NONE, 0);
    }
    return true;
}

// Does nobody do more with the numbers that go on than compare them?
static bool are_clocks(const search *s)
{
    for (size_t i = 0; i < s->clocks.n; i++)
        if (!iot_is_only_compared(s->l->t, s->clocks.at[i], s->clauses))
            return false;
    return true;
}

static char *clock_name(const search *s, const trace_clause *c)
{
    number_place x = s->clock;
    if (c->predicate == s->predicate) {
        const trace_node *n = &c->patterns[c->head[x.argument]];
        if (x.part != WHOLE && n->kind == TN_STRUCT && x.part < n->n)
            n = &c->patterns[c->pattern_children[n->first + x.part]];
        head_variable v = {n->kind == TN_HOLE, n->index};
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            return base_copy(head_variable_name(c, s->l->t, v));
    }
    return base_format("argument %u", x.argument + 1);
}

static void add_candidate(search *s, candidates *list)
{
    const loops *l = s->l;
    uint32_t clause = trace_reduction_clause(l->t, s->example);
    candidate *c = candidate_at(l->a, list, FINDING_IDLE, clause, s->example);
    char *name = iot_predicate_text(l->t, s->predicate);
    char *where = iot_place_text(l->t, c->place.source, c->place.line);
    char *clock = clock_name(s, trace_get_clause(l->t, clause));
    c->change = draft_finish(&s->d);
    c->estimate = true;
    c->text = base_format("%s%s counts %s step by step: in %u of %u steps nothing else changes",
                          name, where, clock, s->idle, s->all);
    char *known = s->anew ? base_copy("the least that a part of its state waits for")
                          : base_format("the value with which it compares %s", clock);
    c->advice = base_format("let %s go on at once with the next %s at which something happens: %s",
                            name, clock, known);
    free(known);
    c->condition = base_copy("without these steps");
    free(name);
    free(where);
    free(clock);
}

static void look_at_loop(search *s, candidates *c)
{
    const loops *l = s->l;
    s->predicate = loops_predicate(l, l->chains.at[l->biggest[s->loop]].first);
    s->arity = trace_get_predicate(l->t, s->predicate)->arity;
    if (s->arity > MOST_ARGUMENTS ||
        trace_get_predicate(l->t, s->predicate)->origin != TRACE_PROGRAM)
        return;
    s->state = base_allocate(l->g->n, 1);
    bool is = true;
    for (uint32_t i = 0; i < l->chains.n && is; i++) {
        if (l->chains.at[i].loop != s->loop || l->chains.at[i].n < FEWEST_IDLE)
            continue;
        take_ticks(s, i);
        if (find_idle(s) && (is = has_clock(s)))
            mark_members(s, i);
    }
    if (is && s->idle > 0) {
        s->side = iot_side_goals(l, s->loop);
        s->clauses = bits_allocate(trace_nclauses(l->t));
        if (draft_idle(s) && are_clocks(s))
            add_candidate(s, c);
    }
    draft_free(&s->d);
    free(s->state);
    free(s->side);
    free(s->clauses);
    free(s->ticks.at);
    free(s->clocks.at);
}

void iot_find_ticks(const loops *l, candidates *c)
{
    term_walk walk = {l->t, (uint64_t)PARTS * l->g->n + 1000};
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        search s = {.l = l, .loop = looked[i], .walk = walk};
        look_at_loop(&s, c);
        walk = s.walk;
    }
}
