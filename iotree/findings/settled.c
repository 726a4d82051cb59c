// SPDX-License-Identifier: MIT
//
// Rounds in which nothing changes any more. A loop makes its state anew in each round, a number
// counts the rounds, and from some round on the new state is equal to the old one:
//
//     rounds(K, Labels, Roads, Final) :- K > 0, K1 := K - 1 |
//         array_map(least(Labels), Roads, Labels1), rounds(K1, Labels1, Roads, Final).
//
// If the number does nothing but count, all further rounds find the same. The price is the run
// in which these take no time. Those before take as long as the first one, and the comparison of
// both states: it waits for the whole state, so rounds no longer overlap. A loop may be called
// several times, once in each year: each time it has rounds of its own.
#include "iotree/findings/clauses.h"
#include "iotree/findings/equal_terms.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 8,  // that change nothing
    MOST_ARGUMENTS = 8, // of the loop
    MOST_LOOPS = 16,
    PARTS = 4,          // of terms that are compared, by reduction of the run
    COMPARING = 2       // steps
};
static const double worth_it = 0.1; // share of the critical path

typedef struct {
    const loops *l;
    uint32_t loop, predicate;
    uint32_t arity;
    bool counts[MOST_ARGUMENTS]; // arguments that only count
    ARRAY_OF(uint32_t) rounds;   // members of one chain that begin a round
    term_walk walk;
    uint32_t *side;              // by reduction (loops.h)
    // Of chain i, members and their side goals: reductions[first[i] .. first[i + 1])
    uint32_t *first, *reductions;
    uint8_t *after; // bits by reduction: what waits for the last round that is left. All 0 in between
} search;

// ---------------------------------------------------------------------------------------------
// One round

// Has the next round the same argument, as it is?
static bool is_handed_on(const search *s, uint32_t i)
{
    const trace *t = s->l->t;
    uint32_t x = trace_reduction_goal(t, s->rounds.at[0]);
    uint32_t y = trace_reduction_goal(t, s->rounds.at[1]);
    return is_same_value(trace_goal_arg(t, x, i), trace_goal_arg(t, y, i));
}

static bool waits_for_nothing(const search *s, uint32_t r)
{
    return s->l->g->first[r] == s->l->g->first[r + 1];
}

// How long the first round takes to create its goals, as far as they wait for nothing.
static int64_t creation_time(const search *s)
{
    const trace *t = s->l->t;
    uint32_t member = s->rounds.at[0];
    int64_t begun = trace_time(t, member), latest = begun;
    ARRAY_OF(uint32_t) stack = {0};
    ARRAY_PUSH(stack, member);
    while (stack.n > 0) {
        uint32_t r = stack.at[--stack.n], end = trace_first_goal(t, r + 1);
        latest = trace_time(t, r) > latest ? trace_time(t, r) : latest;
        for (uint32_t g = trace_first_goal(t, r); g < end; g++) {
            uint32_t child = trace_goal_reduction(t, g);
            if (child != TRACE_NONE && (r != member || s->side[child] == child) &&
                waits_for_nothing(s, child))
                ARRAY_PUSH(stack, child);
        }
    }
    free(stack.at);
    return latest - begun;
}

// Is it a number, or a structure of numbers? One guard compares it.
static bool is_flat(const trace *t, trace_value v)
{
    v = iot_end_value(t, v);
    bool structure = is_cell_kind(t, v, TC_STRUCT), flat = structure || v.kind != TV_CELL;
    for (uint32_t i = 0; structure && i < trace_cell_arity(t, v.id); i++)
        flat &= iot_end_value(t, trace_cell_arg(t, v.id, i)).kind != TV_CELL;
    return flat;
}

// One round after the other that changes something, from the time on at which the first one has all
// that it needs. What comes after its state is its result.
typedef struct {
    int64_t begun; // the first one
    uint32_t after; // the reduction that made the last part of what it needs; 0: none did
    int64_t steps; // of all
} rounds_in_turn;

static rounds_in_turn take_in_turn(search *s, uint32_t rounds)
{
    const trace *t = s->l->t;
    uint32_t first = trace_reduction_goal(t, s->rounds.at[0]);
    uint32_t second = trace_reduction_goal(t, s->rounds.at[1]);
    rounds_in_turn x = {.begun = trace_time(t, s->rounds.at[0])};
    int64_t made = 0;
    bool flat = true;
    for (uint32_t i = 0; i < s->arity; i++) {
        bool state = !s->counts[i] && !is_handed_on(s, i);
        flat &= !state || is_flat(t, trace_goal_arg(t, first, i));
        int64_t time = state ? iot_end_of_term(&s->walk, trace_goal_arg(t, second, i)).time : 0;
        made = time > made ? time : made;
    }
    for (uint32_t i = 0; i < s->arity; i++) {
        term_end end = {0};
        if (!s->counts[i])
            end = iot_end_of_term(&s->walk, trace_goal_arg(t, first, i));
        if (end.time > x.begun && end.time <= made) {
            x.begun = end.time;
            x.after = end.maker;
        }
    }
    // Goals that were created ahead of the state will be created in the round, and what goes through
    // a list to compare it takes as long as what makes it.
    int64_t ahead = x.begun - trace_time(t, s->rounds.at[0]), create = creation_time(s);
    x.steps = rounds * (made - x.begun + (flat && ahead < create ? ahead : create) + COMPARING);
    return x;
}

// ---------------------------------------------------------------------------------------------
// Rounds

// Does nothing in the clause but counters need this argument, or what its guards compute from it,
// and the goal of the next round?
static bool only_counts(const search *s, uint32_t clause, uint32_t argument)
{
    const trace_clause *c = trace_get_clause(s->l->t, clause);
    if (argument >= c->nhead) // an older file
        return false;
    const trace_node *n = &c->patterns[c->head[argument]];
    if (n->kind != TN_HOLE && n->kind != TN_FRESH)
        return true;
    uint8_t *variables = base_allocate((size_t)c->nholes + c->nunused + 1, 1);
    variables[n->kind == TN_HOLE ? n->index : c->nholes + n->index] = 1;
    guards_spread(s->l->t, clause, variables);
    bool only = true;
    for (uint32_t i = 0; i < c->nitems && only; i++) {
        const trace_item *item = &c->items[i];
        bool counter = item->kind == TI_GOAL && iot_is_counter(s->l->t, c, i);
        bool own = item->kind == TI_GOAL && s->l->loop_of[item->predicate] == s->loop;
        only = counter || own || !item_has_hole_of(c, item, variables);
    }
    free(variables);
    return only;
}

// Where several clauses go on, the number may choose between them.
static bool one_clause_goes_on(const search *s)
{
    const trace *t = s->l->t;
    uint32_t clauses = 0;
    for (uint32_t k = 0; k < trace_nclauses(t); k++) {
        const trace_clause *c = trace_get_clause(t, k);
        bool own = false;
        for (uint32_t i = 0; c->predicate == s->predicate && i < c->nitems; i++)
            own |= c->items[i].kind == TI_GOAL && s->l->loop_of[c->items[i].predicate] == s->loop;
        clauses += own;
    }
    return clauses == 1;
}

static trace_value argument_of(const search *s, uint32_t r, uint32_t i)
{
    const trace *t = s->l->t;
    return iot_end_value(t, trace_goal_arg(t, trace_reduction_goal(t, r), i));
}

// Which arguments count, by the text and by three rounds of the run.
static bool find_counters(search *s)
{
    const trace *t = s->l->t;
    bool found = false;
    for (uint32_t i = 0; i < s->arity; i++) {
        trace_value x = argument_of(s, s->rounds.at[0], i), y = argument_of(s, s->rounds.at[1], i);
        trace_value z = argument_of(s, s->rounds.at[2], i);
        bool counts = x.kind == TV_INT && y.kind == TV_INT && z.kind == TV_INT && x.i != y.i &&
                      (uint64_t)x.i - (uint64_t)y.i == (uint64_t)y.i - (uint64_t)z.i;
        for (uint32_t k = 0; counts && k < trace_nclauses(t); k++) {
            const trace_clause *c = trace_get_clause(t, k);
            counts = c->predicate != s->predicate || (!c->dynamic && only_counts(s, k, i));
        }
        s->counts[i] = counts;
        found |= counts;
    }
    return found;
}

// Is the state of both rounds the same? It must have been made anew.
static bool same_state(search *s, uint32_t x, uint32_t y)
{
    const trace *t = s->l->t;
    int64_t made = -1;
    bool same = true;
    for (uint32_t i = 0; i < s->arity && same; i++)
        same = s->counts[i] || iot_are_equal(&s->walk, trace_goal_arg(t, trace_reduction_goal(t, x), i),
                                         trace_goal_arg(t, trace_reduction_goal(t, y), i), &made);
    return same && made >= 0;
}

// Are the rounds of the chain so many that some may be left out?
static bool take_rounds(search *s, uint32_t chain)
{
    const loops *l = s->l;
    s->rounds.n = 0;
    for (uint32_t r = l->chains.at[chain].first; r; r = l->next[r])
        if (loops_predicate(l, r) == s->predicate)
            ARRAY_PUSH(s->rounds, r);
    return s->rounds.n > FEWEST_ROUNDS;
}

static bool begin_rounds(search *s)
{
    const loops *l = s->l;
    s->predicate = loops_predicate(l, l->chains.at[l->biggest[s->loop]].first);
    s->arity = trace_get_predicate(l->t, s->predicate)->arity;
    return take_rounds(s, l->biggest[s->loop]) && s->arity <= MOST_ARGUMENTS &&
           trace_get_predicate(l->t, s->predicate)->origin == TRACE_PROGRAM &&
           one_clause_goes_on(s) && find_counters(s);
}

// The first round that begins with the state of the one before; the number of rounds: none does.
static uint32_t settled_at(search *s)
{
    uint32_t n = (uint32_t)s->rounds.n, k = n;
    while (k > 1 && same_state(s, s->rounds.at[k - 2], s->rounds.at[k - 1]))
        k--;
    return k;
}

// Is enough of the critical path in the loop's goals?
static bool is_near(const search *s)
{
    const loops *l = s->l;
    uint32_t steps = 0;
    for (uint32_t i = 0; i < l->path.n; i++)
        steps += s->side[l->path.steps[i]] != 0;
    return steps >= worth_it * l->path.n;
}

static bool acts(const search *s)
{
    for (uint32_t r = 1; r < s->l->g->n; r++)
        if (s->side[r] && predicate_acts(s->l->t, loops_predicate(s->l, r)))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Candidates

// The chain whose member or side goal it is; IOT_NONE: none of the loop's.
static uint32_t chain_with(const search *s, uint32_t r)
{
    const loops *l = s->l;
    uint32_t chain = l->chain_of[s->side[r] ? l->g->parents[s->side[r]] : r];
    return chain != IOT_NONE && l->chains.at[chain].loop == s->loop ? chain : IOT_NONE;
}

static void list_by_chain(search *s)
{
    uint32_t n = s->l->g->n, chain;
    s->first = base_allocate(s->l->chains.n + 2, sizeof *s->first);
    for (uint32_t r = 1; r < n; r++)
        if ((chain = chain_with(s, r)) != IOT_NONE)
            s->first[chain + 2]++;
    for (uint32_t i = 0; i < s->l->chains.n; i++)
        s->first[i + 2] += s->first[i + 1];
    s->reductions = base_allocate(n, sizeof *s->reductions);
    for (uint32_t r = 1; r < n; r++)
        if ((chain = chain_with(s, r)) != IOT_NONE)
            s->reductions[s->first[chain + 1]++] = r;
}

static bool waits_for_any(const wait_graph *g, uint32_t r, const uint8_t *of)
{
    bool waits = bit_get(of, g->parents[r]);
    for (uint64_t i = g->first[r]; i < g->first[r + 1] && !waits; i++)
        waits = bit_get(of, g->makers[i]);
    return waits;
}

// The rounds from `settled` on take no time. What they make comes after those before: the first of
// their goals wait, and the others for them. (A reduction waits for older ones only.)
static void draft_rounds(search *s, uint32_t chain, uint32_t settled, change_draft *d)
{
    const loops *l = s->l;
    uint32_t from = s->rounds.at[settled];
    rounds_in_turn x = take_in_turn(s, settled);
    for (uint32_t i = s->first[chain]; i < s->first[chain + 1]; i++) {
        uint32_t r = s->reductions[i], member = s->side[r] ? l->g->parents[s->side[r]] : r;
        if (member < from)
            continue;
        bool first = r > x.after && !waits_for_any(l->g, r, s->after);
        if (first && x.after)
            draft_add(d, r, x.after);
        if (r > x.after)
            bit_set(s->after, r);
        int64_t ahead = x.after ? 0 : trace_time(l->t, r) - x.begun;
        draft_reduction(d, r, IOT_NONE, first && x.steps > ahead ? (double)(x.steps - ahead) : 0);
    }
    for (uint32_t i = s->first[chain]; i < s->first[chain + 1]; i++)
        bit_clear(s->after, s->reductions[i]);
}

// Rounds that change nothing.
typedef struct {
    uint32_t longest; // of one chain
    uint32_t from;    // the first one of that chain, as a reduction
    uint32_t settled; // its number
    uint32_t rounds;  // of all chains
    uint32_t times;   // chains
} settled_rounds;

static void add_candidate(const search *s, const settled_rounds *x, change_draft *d, candidates *list)
{
    const loops *l = s->l;
    candidate *c =
        candidate_at(l->a, list, FINDING_REPEATED, trace_reduction_clause(l->t, x->from), x->from);
    c->change = draft_finish(d);
    c->estimate = true;
    char *name = iot_predicate_text(l->t, s->predicate);
    char *where = iot_place_text(l->t, c->place.source, c->place.line);
    char *after = x->times > 1 ? base_format("a round that changes nothing (in each of %u calls)", x->times)
                               : base_format("round %u, which changes nothing", x->settled);
    c->text = base_format("%s%s goes on for %u rounds after %s: each of them computes the same state "
                          "again",
                          name, where, x->rounds, after);
    c->advice = base_format("compare the new state with the old one in %s, and end when both are "
                            "equal",
                            name);
    c->condition = base_copy("without these rounds");
    free(name);
    free(where);
    free(after);
}

// Of all chains of the loop, for which `begin_rounds` was called.
static void look_at_chains(search *s, candidates *c)
{
    const loops *l = s->l;
    settled_rounds found = {0};
    change_draft d = {0};
    s->side = iot_side_goals(l, s->loop);
    bool is = is_near(s) && !acts(s);
    if (is) {
        list_by_chain(s);
        s->after = bits_allocate(l->g->n);
    }
    for (uint32_t i = 0; is && i < l->chains.n; i++) {
        if (l->chains.at[i].loop != s->loop || !take_rounds(s, i))
            continue;
        uint32_t settled = settled_at(s), rounds = (uint32_t)s->rounds.n - settled;
        if (rounds < FEWEST_ROUNDS)
            continue;
        if (rounds > found.longest) {
            found.longest = rounds;
            found.from = s->rounds.at[settled];
            found.settled = settled;
        }
        found.rounds += rounds;
        found.times++;
        draft_rounds(s, i, settled, &d);
    }
    if (found.times > 0)
        add_candidate(s, &found, &d, c);
    else
        draft_free(&d);
    free(s->side);
    free(s->first);
    free(s->reductions);
    free(s->after);
}

void iot_find_settled(const loops *l, candidates *c)
{
    term_walk walk = {l->t, (uint64_t)PARTS * l->g->n + 1000};
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        search s = {.l = l, .loop = looked[i], .walk = walk};
        if (begin_rounds(&s))
            look_at_chains(&s, c);
        free(s.rounds.at);
        walk = s.walk;
    }
}
