// SPDX-License-Identifier: MIT
//
// Rows of handlers: goals of one predicate, each of which takes what is its own from a list and
// passes the rest on to the next one:
//
//     clerk([letter(D, X)|Ls], D, Out, S) :- file(X, S, S1), clerk(Ls, D, Out, S1).
//     otherwise.
//     clerk([L|Ls], D, Out, S) :- Out = [L|Out1], clerk(Ls, D, Out1, S).
//
// So an item goes through all handlers before its own, and stands behind what these have to do. It
// is known beforehand whose it is if one part of the item, compared with one argument of the
// handler, says so of all items of the run. (A sieve is no row of handlers, nor is a row of cells
// that keep the smaller one of two.) The price is the run in which a handler gets its items from
// where they come from, and passing them on takes no time.
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 16,
    MOST_ARGUMENTS = 8, // of a handler, and of an item
    FEWEST_HANDLERS = 4,
    FEWEST_PASSES = 16,
};

enum { EQUAL, LESS, AT_MOST, MORE, AT_LEAST, RELATIONS };

// What a handler does with one item.
typedef struct {
    uint32_t member; // that takes it
    uint32_t cell,
        passed;      // of the list: the one that is taken, the one that is made for it or IOT_NONE
    uint32_t source; // who made the item's first cell, before any handler had it
} handling;

typedef struct {
    const loops *l;
    uint32_t loop, predicate;
    ARRAY_OF(handling) steps; // all zero the first one
    uint32_t *step;           // by member: its step; 0: none
    uint32_t *side;
    uint32_t *end;    // by chain: who ended the list that its handlers come after; 0: not known
    bool makes_items; // a handler puts another item in the place of one: the list is a state, made
                      // anew
    uint64_t passes;
    uint32_t handlers, example;
    uint32_t waiting; // handlers that were there before their first item
    // Of an item's part (0: the whole item) and a handler's argument: relations that tell whose it
    // is.
    uint8_t tells[MOST_ARGUMENTS + 1][MOST_ARGUMENTS];
} search;

// ---------------------------------------------------------------------------------------------
// The run

static bool is_of_loop(const search *s, uint32_t r)
{
    uint32_t chain = s->l->chain_of[r];
    return chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop;
}

static uint32_t member_of(const search *s, uint32_t r)
{
    return s->side[r] ? s->l->g->parents[s->side[r]] : r;
}

static handling *step_of(search *s, uint32_t r)
{
    uint32_t i = s->step[member_of(s, r)];
    return i ? &s->steps.at[i] : NULL;
}

static uint32_t passed_cell(const search *s, uint32_t member, trace_value item)
{
    const trace *t = s->l->t;
    uint32_t end = trace_first_cell(t, member + 1);
    for (uint32_t cell = trace_first_cell(t, member); cell < end; cell++)
        if (trace_cell_get_kind(t, cell) == TC_CONS &&
            iot_is_same_item(t, trace_cell_arg(t, cell, 0), item))
            return cell;
    return IOT_NONE;
}

// Members that take no item belong to the step before. All chains in the order of the run, so that
// what a handler gets was passed on before.
static void take_steps(search *s)
{
    const loops *l = s->l;
    const trace *t = l->t;
    ARRAY_PUSH(s->steps, (handling){0});
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!is_of_loop(s, r))
            continue;
        uint32_t before = l->chains.at[l->chain_of[r]].first == r ? 0 : s->step[l->g->parents[r]];
        s->step[r] = before;
        if (l->taken[r] != IOT_NONE && loops_predicate(l, r) == s->predicate) {
            uint32_t maker = trace_cell_maker(t, l->taken[r]);
            const handling *from = step_of(s, maker);
            s->makes_items |=
                from && from->passed != l->taken[r] && l->chain_of[from->member] != l->chain_of[r];
            bool passed = from && from->passed == l->taken[r];
            s->step[r] = (uint32_t)s->steps.n;
            ARRAY_PUSH(s->steps,
                       (handling){r, l->taken[r], IOT_NONE, passed ? from->source : maker});
        } else if (before && loops_predicate(l, r) == s->predicate) {
            s->step[r] = 0; // it takes the end of the list
            continue;
        }
        handling *x = &s->steps.at[s->step[r]];
        if (s->step[r] && x->passed == IOT_NONE)
            x->passed = passed_cell(s, r, trace_cell_arg(t, x->cell, 0));
    }
}

static bool is_plain(trace_value v)
{
    return v.kind == TV_INT || v.kind == TV_ATOM || v.kind == TV_STRING;
}

// Was the goal there before the item? Who begins with what another handler left, as with the least
// of it, cannot be given anything sooner.
static bool was_waiting(const search *s, const handling *first)
{
    const trace *t = s->l->t;
    uint32_t goal = trace_reduction_goal(t, first->member),
             arity = trace_get_predicate(t, s->predicate)->arity;
    int64_t came = trace_time(t, trace_cell_maker(t, first->cell));
    bool waited = reduction_created(t, first->member) <= came;
    for (uint32_t i = 0; i < arity; i++) {
        trace_value v = trace_goal_arg(t, goal, i);
        uint32_t binding = is_variable(t, v) ? trace_cell_binding(t, v.id) : TRACE_NONE;
        if (binding != TRACE_NONE && is_plain(iot_end_value(t, v)))
            waited &=
                binding_time(t, binding) <= came || trace_binding_maker(t, binding) > first->member;
    }
    return waited;
}

// Counts the handlers in a row: those that get most of their items from another one.
static void count_handlers(search *s)
{
    const loops *l = s->l;
    uint32_t *items = base_allocate(l->chains.n, sizeof *items),
             *got = base_allocate(l->chains.n, sizeof *got);
    for (size_t i = 1; i < s->steps.n; i++) {
        const handling *x = &s->steps.at[i];
        uint32_t chain = l->chain_of[x->member];
        if (items[chain]++ == 0 && x->source != trace_cell_maker(l->t, x->cell))
            s->waiting += was_waiting(s, x);
        got[chain] += x->source != trace_cell_maker(l->t, x->cell);
        s->passes += x->passed != IOT_NONE;
        s->example = !s->example && x->passed != IOT_NONE ? x->member : s->example;
    }
    for (size_t i = 0; i < l->chains.n; i++)
        s->handlers += items[i] > 0 && 2 * got[i] > items[i];
    free(items);
    free(got);
}

// ---------------------------------------------------------------------------------------------
// Whose an item is

// Bits of the relations in which the item's part is to the handler's argument.
static uint8_t relations_of(trace_value part, trace_value own)
{
    uint8_t bits = 0;
    if (part.kind != TV_INT || own.kind != TV_INT)
        return is_plain(part) && is_same_value(part, own) ? 1 << EQUAL : 0;
    bits |= (part.i == own.i) << EQUAL | (part.i < own.i) << LESS | (part.i <= own.i) << AT_MOST;
    return bits | (uint8_t)((part.i > own.i) << MORE | (part.i >= own.i) << AT_LEAST);
}

// Strikes out what does not tell whose the item is. The argument must be as it was when the handler
// began.
static void look_at_step(search *s, const handling *x)
{
    const loops *l = s->l;
    const trace *t = l->t;
    uint32_t goal = trace_reduction_goal(t, x->member);
    uint32_t first = trace_reduction_goal(t, l->chains.at[l->chain_of[x->member]].first);
    uint32_t arity = trace_get_predicate(t, s->predicate)->arity;
    trace_value item = iot_end_value(t, trace_cell_arg(t, x->cell, 0));
    uint32_t parts = is_cell_kind(t, item, TC_STRUCT) ? trace_cell_arity(t, item.id) : 0;
    bool began = trace_goal_predicate(t, first) == s->predicate;
    for (uint32_t a = 0; a < MOST_ARGUMENTS; a++) {
        trace_value own = {.kind = TV_CELL};
        bool is = began && a < arity;
        if (is) {
            own = iot_end_value(t, trace_goal_arg(t, goal, a));
            is = is_plain(own) && is_same_value(own, iot_end_value(t, trace_goal_arg(t, first, a)));
        }
        for (uint32_t p = 0; p <= MOST_ARGUMENTS; p++) {
            if (!is || p > parts) {
                s->tells[p][a] = 0;
                continue;
            }
            trace_value part = p ? iot_end_value(t, trace_cell_arg(t, item.id, p - 1)) : item;
            uint8_t holds = relations_of(part, own);
            s->tells[p][a] &= x->passed == IOT_NONE ? holds : (uint8_t)~holds;
        }
    }
}

// Which part of an item says whose it is, by which argument of the handler? False: none does.
static bool find_key(search *s, uint32_t *ret_part, uint32_t *ret_argument)
{
    memset(s->tells, (1 << RELATIONS) - 1, sizeof s->tells);
    for (size_t i = 1; i < s->steps.n; i++)
        look_at_step(s, &s->steps.at[i]);
    for (uint32_t p = 0; p <= MOST_ARGUMENTS; p++)
        for (uint32_t a = 0; a < MOST_ARGUMENTS; a++)
            if (s->tells[p][a]) {
                *ret_part = p;
                *ret_argument = a;
                return true;
            }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Without the row

// Who ended the list that the chain of this member reads: of one that another handler made, who
// ended the list that it read itself.
static uint32_t end_source(search *s, uint32_t r, uint32_t maker)
{
    uint32_t other =
        is_of_loop(s, member_of(s, maker)) ? s->l->chain_of[member_of(s, maker)] : IOT_NONE;
    if (other == IOT_NONE || other == s->l->chain_of[r])
        return 0;
    return s->end[other] ? s->end[other] : maker;
}

// Waits for what another handler made: for a list's cell it is for who made the item's first one,
// for its end for who ended the first list. What else others do when they pass an item on, nobody
// needs.
static void draft_waits(search *s, uint32_t r, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    const handling *mine = step_of(s, r);
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t maker = g->makers[i];
        const handling *other = step_of(s, maker);
        if (mine && r == mine->member && maker == trace_cell_maker(l->t, mine->cell)) {
            draft_wait(d, i, mine->source);
        } else if (!mine && is_of_loop(s, r)) {
            uint32_t source = end_source(s, r, maker);
            if (!source)
                continue;
            s->end[l->chain_of[r]] = source;
            draft_wait(d, i, source);
        } else if (mine && other && other->passed != IOT_NONE &&
                   l->chain_of[other->member] != l->chain_of[mine->member]) {
            draft_wait(d, i, IOT_NONE);
        }
    }
    if (!mine && is_of_loop(s, r) && !s->end[l->chain_of[r]] && g->first[r] < g->first[r + 1])
        s->end[l->chain_of[r]] = g->makers[g->first[r]];
}

static void draft_dispatch(search *s, change_draft *d)
{
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        const handling *x = step_of(s, r);
        if (!x && !is_of_loop(s, r))
            continue;
        draft_waits(s, r, d);
        if (x && x->passed != IOT_NONE)
            draft_reduction(d, r, IOT_NONE, 0);
    }
}

static void add_candidate(search *s, uint32_t part, uint32_t argument, candidates *list)
{
    const loops *l = s->l;
    change_draft d = {0};
    draft_dispatch(s, &d);
    uint32_t clause = trace_reduction_clause(l->t, s->example);
    candidate *c = candidate_at(l->a, list, FINDING_RELAY, clause, s->example);
    uint32_t first = l->chains.at[l->chain_of[s->example]].first;
    uint32_t creator = iot_clause_near(l, l->g->parents[first]);
    if (creator != IOT_NONE)
        candidate_also(c, iot_clause_location(l->a, creator));
    for (uint32_t r = l->next[s->example]; r && loops_predicate(l, r) != s->predicate;
         r = l->next[r])
        candidate_also(c, iot_clause_location(l->a, trace_reduction_clause(l->t, r)));
    char *name = iot_predicate_text(l->t, s->predicate);
    char *where = iot_place_text(l->t, c->place.source, c->place.line);
    char *key = part ? base_format("argument %u of the item", part) : base_copy("the item");
    c->change = draft_finish(&d);
    c->estimate = true;
    c->text = base_format("%s%s passes on what is not its own: items go through %u goals of %s in "
                          "a row, which hand them "
                          "on %llu times, though %s tells whose it is",
                          name, where, s->handlers + 1, name, (unsigned long long)s->passes, key);
    c->advice = base_format(
        "let one process give each item at once to the goal of %s that it is for by argument %u: "
        "keep their lists in a vector or a tree",
        name, argument + 1);
    c->condition = base_copy("given out at once");
    free(name);
    free(where);
    free(key);
}

static bool is_row(const search *s)
{
    uint64_t steps = s->steps.n - 1, kept = steps - s->passes;
    return !s->makes_items && s->handlers + 1 >= FEWEST_HANDLERS &&
           4 * s->waiting >= 3 * s->handlers && kept >= FEWEST_HANDLERS &&
           s->passes >= FEWEST_PASSES && s->passes >= kept;
}

static void look_at_loop(search *s, candidates *c)
{
    const loops *l = s->l;
    uint32_t part, argument;
    s->predicate = loops_predicate(l, l->chains.at[l->biggest[s->loop]].first);
    if (trace_get_predicate(l->t, s->predicate)->origin != TRACE_PROGRAM)
        return;
    s->side = iot_side_goals(l, s->loop);
    s->step = base_allocate(l->g->n, sizeof *s->step);
    s->end = base_allocate(l->chains.n, sizeof *s->end);
    take_steps(s);
    count_handlers(s);
    if (is_row(s) && find_key(s, &part, &argument))
        add_candidate(s, part, argument, c);
    free(s->side);
    free(s->step);
    free(s->end);
    free(s->steps.at);
}

void iot_find_handlers(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        search s = {.l = l, .loop = looked[i]};
        look_at_loop(&s, c);
    }
}
