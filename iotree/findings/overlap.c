// SPDX-License-Identifier: MIT
//
// Does a change let work go on while a value is made, or does it only spare a loop the steps
// between two values?
//
//     probe(N, X) :- move(X, Y), sent(Y, N).
//     sent(Y, N) :- Y > 0 | probe(N, Y).
//
// Without the wait of sent/2 the next probe/2 comes sooner; but its move/2 needs Y, so nothing but
// the steps of the loop is spared. They are what the value's place in the loop takes. A change is
// of use if it saves much less where the work that it lets begin sooner waits for the value after
// all, and only the steps of the loop do not.

#include "base/search.h"
#include "base/table.h"
#include "iotree/findings/clauses.h"
#include "iotree/findings/loops.h"
#include "iotree/terms/values.h"

enum {
    OTHER_STEPS = 2, // of a loop, beyond one for each of its predicates
    ASKED = 16       // readers, whether their values follow from each other
};

// The share of the saving that must come from work.
static const double share_of_work = 0.5;

typedef struct {
    clause_facts *facts;
    const wait_graph *g;
    const wait_change *change;
    uint32_t loop;    // predicate
    int64_t *times;   // under the change
    uint8_t *is_step; // by predicate: of the loop
    uint8_t *hands;   // by predicate: it takes terms that have the value inside before it is there
    uint32_t most;    // steps between two values
    uint32_t *value;  // by reduction: the maker of the value that it went ahead of; 0: of none
    uint32_t *ahead;  // how many reductions ago
    uint8_t *stalls;  // bits by reduction: it went ahead, but a goal of its body could not
    uint8_t *awaited; // bits by reduction: it makes a value that somebody no longer waits for
    size_t edit, add; // the next ones
    ARRAY_OF(wait_added) waits;
} search;

// Does a clause of the loop make several goals of the loop, so that each of them is the first of many?
static bool is_tree(const search *s)
{
    const trace *t = s->facts->t;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        uint32_t steps = 0;
        for (uint32_t k = 0; s->is_step[c->predicate] && k < c->nitems; k++)
            steps += c->items[k].kind == TI_GOAL && s->is_step[c->items[k].predicate];
        if (steps > 1)
            return true;
    }
    return false;
}

static void note_steps(search *s)
{
    const trace *t = s->facts->t;
    uint32_t n = trace_npredicates(t);
    s->is_step = base_allocate(n, 1);
    uint32_t steps;
    const uint32_t *loop = predicates_of_loop(s->facts, s->loop, &steps);
    for (uint32_t i = 0; i < steps; i++)
        s->is_step[loop[i]] = 1;
    s->most = OTHER_STEPS + steps;
}

// The reduction goes ahead of what this one went ahead of. Of two values the one that came later in
// the run counts: one that it waited for, too, may wait for the other one then.
static void follow(search *s, uint32_t r, uint32_t value, uint32_t ahead)
{
    if (!value || s->times[r] > s->times[value])
        return;
    if (s->value[r] && s->value[r] != value) {
        if (value < s->value[r])
            return;
        s->ahead[r] = 0;
    }
    s->value[r] = value;
    s->ahead[r] = ahead > s->ahead[r] ? ahead : s->ahead[r];
}

static void look_at_waits(search *s, uint32_t r)
{
    const wait_change *c = s->change;
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++) {
        uint32_t maker = s->g->makers[w];
        while (s->edit < c->nwaits && c->waits[s->edit].wait < w)
            s->edit++;
        if (s->edit < c->nwaits && c->waits[s->edit].wait == w) {
            follow(s, r, maker, 0);
            bit_set(s->awaited, maker);
        } else {
            follow(s, r, s->value[maker], s->ahead[maker] + 1);
        }
    }
    for (; s->add < c->nadded && c->added[s->add].reader <= r; s->add++)
        if (c->added[s->add].reader == r) {
            uint32_t maker = c->added[s->add].maker;
            follow(s, r, s->value[maker], s->ahead[maker] + 1);
        }
}

// Which reductions go ahead of a value.
static void go_ahead(search *s, uint32_t r)
{
    uint32_t parent = s->g->parents[r];
    follow(s, r, s->value[parent], s->ahead[parent] + 1);
    look_at_waits(s, r);
}

static void begin(search *s)
{
    s->edit = s->add = 0;
    memset(s->value, 0, s->g->n * sizeof *s->value);
    memset(s->ahead, 0, s->g->n * sizeof *s->ahead);
}

// Is it a value that is awaited, and not there when the reduction ends?
static bool is_awaited(const search *s, uint32_t r, trace_value v)
{
    const trace *t = s->facts->t;
    bool found = false;
    while (is_variable(t, v) && !found) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return false;
        uint32_t maker = trace_binding_maker(t, binding);
        found = bit_get(s->awaited, maker) && s->times[maker] >= s->times[r];
        v = trace_binding_value(t, binding);
    }
    return found;
}

static bool has_awaited(const search *s, uint32_t r, trace_value v)
{
    const trace *t = s->facts->t;
    bool list = is_cell_kind(t, v, TC_CONS);
    if (!list && !is_cell_kind(t, v, TC_STRUCT))
        return false;
    uint32_t arity = list ? 2 : trace_cell_arity(t, v.id);
    for (uint32_t k = 0; k < arity; k++)
        if (is_awaited(s, r, trace_cell_arg(t, v.id, k)))
            return true;
    return false;
}

// Does it take a term apart that has the value inside, which is not there yet? Then it hands on
// what is not finished.
static bool takes_unfinished(const search *s, uint32_t r)
{
    const trace *t = s->facts->t;
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, r));
    uint32_t goal = trace_reduction_goal(t, r);
    for (uint32_t i = 0; i < c->nhead; i++) {
        trace_node_kind kind = c->patterns[c->head[i]].kind;
        if ((kind == TN_CONS || kind == TN_STRUCT) &&
            has_awaited(s, r, iot_end_value(t, trace_goal_arg(t, goal, i))))
            return true;
    }
    return false;
}

static uint32_t predicate_of(const search *s, uint32_t r)
{
    const trace *t = s->facts->t;
    return trace_goal_predicate(t, trace_reduction_goal(t, r));
}

static void find_stalls(search *s)
{
    begin(s);
    for (uint32_t r = 1; r < s->g->n; r++) {
        uint32_t parent = s->g->parents[r], value = s->value[parent];
        go_ahead(s, r);
        if (value && s->times[r] > s->times[value])
            bit_set(s->stalls, parent);
        if (s->value[r] && s->ahead[r] > 0 && !s->hands[predicate_of(s, r)])
            s->hands[predicate_of(s, r)] = takes_unfinished(s, r);
    }
}

static bool comes_later(const search *s, uint32_t r, trace_value v)
{
    const trace *t = s->facts->t;
    bool later = false;
    while (is_variable(t, v) && !later) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return true;
        later = s->times[trace_binding_maker(t, binding)] > s->times[r];
        v = trace_binding_value(t, binding);
    }
    return later;
}

// Does it nothing but hand on what is not there yet?
static bool hands_on(const search *s, uint32_t r)
{
    const trace *t = s->facts->t;
    uint32_t first = trace_first_binding(t, r), end = trace_first_binding(t, r + 1);
    if (first == end || trace_first_goal(t, r) < trace_first_goal(t, r + 1))
        return false;
    for (uint32_t b = first; b < end; b++) {
        trace_value v = trace_binding_value(t, b);
        bool list = is_cell_kind(t, v, TC_CONS), later = comes_later(s, r, v);
        uint32_t n = list ? 1 : is_cell_kind(t, v, TC_STRUCT) ? trace_cell_arity(t, v.id) : 0;
        for (uint32_t i = 0; i < n; i++)
            later |= comes_later(s, r, trace_cell_arg(t, v.id, i));
        if (!later)
            return false;
    }
    return true;
}

// A step of the loop, of what can only begin to work, of who hands on what is not finished, or a
// built-in: it may go ahead.
static bool is_step(const search *s, uint32_t r)
{
    uint32_t p = predicate_of(s, r);
    return trace_get_predicate(s->facts->t, p)->origin == TRACE_BUILTIN || s->hands[p] ||
           bit_get(s->stalls, r) || hands_on(s, r) || (s->is_step[p] && s->ahead[r] <= s->most);
}

static void find_work(search *s)
{
    begin(s);
    for (uint32_t r = 1; r < s->g->n; r++) {
        go_ahead(s, r);
        if (!s->value[r] || s->ahead[r] == 0 || is_step(s, r))
            continue;
        ARRAY_PUSH(s->waits, (wait_added){r, s->value[r]});
        s->value[r] = 0;
    }
}

// ---------------------------------------------------------------------------------------------
// Values that do not follow from each other

static bool is_left_out(const wait_change *c, uint64_t wait)
{
    size_t first;
    FIRST_NOT(first, c->nwaits, i, c->waits[i].wait < wait);
    return first < c->nwaits && c->waits[first].wait == wait;
}

// The value that the reduction no longer waits for, the last one in the run; 0: none.
static uint32_t awaited_by(const search *s, uint32_t r)
{
    const trace *t = s->facts->t;
    uint32_t latest = 0;
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        if (is_left_out(s->change, w) && trace_time(t, s->g->makers[w]) > trace_time(t, latest))
            latest = s->g->makers[w];
    return latest;
}

static uint32_t awaited_above(const search *s, uint32_t r)
{
    uint32_t value = 0;
    for (r = s->g->parents[r]; r != 0 && !value; r = s->g->parents[r])
        if (predicate_of(s, r) == s->loop)
            value = awaited_by(s, r);
    return value;
}

typedef struct {
    uint32_t from, to;
    uint8_t *marks; // by reduction from `from` to `to`
} reach;

static void mark(reach *x, uint32_t r)
{
    if (r >= x->from && r <= x->to)
        x->marks[r - x->from] = 1;
}

static void mark_makers(const search *s, reach *x, trace_value v)
{
    const trace *t = s->facts->t;
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE)
            return;
        mark(x, trace_binding_maker(t, binding));
        v = trace_binding_value(t, binding);
    }
}

// Whoever makes a term, and whoever makes what is in it.
static void mark_value(const search *s, reach *x, uint32_t maker)
{
    const trace *t = s->facts->t;
    uint32_t end = trace_first_binding(t, maker + 1);
    mark(x, maker);
    for (uint32_t b = trace_first_binding(t, maker); b < end; b++) {
        trace_value v = trace_binding_value(t, b);
        uint32_t n = is_cell_kind(t, v, TC_STRUCT) ? trace_cell_arity(t, v.id) : 0;
        mark_makers(s, x, v);
        for (uint32_t i = 0; i < n; i++)
            mark_makers(s, x, trace_cell_arg(t, v.id, i));
    }
}

// Under the change. All that the later value needs was there when its reader went on.
static bool follows_from(const search *s, uint32_t later, uint32_t sooner, uint32_t reader)
{
    reach x = {.from = sooner, .to = reader};
    x.marks = base_allocate((size_t)(reader - sooner) + 1, 1);
    mark_value(s, &x, later);
    for (uint32_t r = reader; r > sooner; r--) {
        if (!x.marks[r - sooner])
            continue;
        mark(&x, s->g->parents[r]);
        for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
            if (!is_left_out(s->change, w))
                mark(&x, s->g->makers[w]);
        size_t add;
        FIRST_NOT(add, s->change->nadded, i, s->change->added[i].reader < r);
        for (; add < s->change->nadded && s->change->added[add].reader == r; add++)
            mark(&x, s->change->added[add].maker);
    }
    bool follows = x.marks[0];
    free(x.marks);
    return follows;
}

static uint32_t reader_of(const wait_graph *g, uint64_t wait)
{
    size_t next;
    FIRST_NOT(next, g->n, i, g->first[i] <= wait);
    return (uint32_t)next - 1;
}

// Do the values that the loop waits for follow from each other, mostly? Asked of some readers.
static bool is_state(const search *s)
{
    size_t n = s->change->nwaits, step = n / ASKED + 1;
    uint32_t following = 0, known = 0;
    for (size_t i = step / 2; i < n; i += step) {
        uint32_t r = reader_of(s->g, s->change->waits[i].wait);
        uint32_t later = awaited_by(s, r), sooner = awaited_above(s, r);
        if (!later || !sooner)
            continue;
        known++;
        following += follows_from(s, later, sooner, r);
    }
    return 2 * following >= known;
}

bool change_overlaps_work(clause_facts *f, const wait_graph *g, const wait_change *change,
                          const wait_change *beside, uint32_t loop, double wait)
{
    const wait_change nothing = {0};
    wait_change all = change_of_both(g, change, beside ? beside : &nothing);
    search s = {.facts = f, .g = g, .change = change, .loop = loop};
    s.times = base_allocate(g->n, sizeof *s.times);
    double without = iot_span_under(g, &all, s.times);
    double whole = beside ? iot_span_under(g, beside, NULL) : (double)g->span, with = whole;
    note_steps(&s);
    // One branch of a tree is work that goes on while another one makes the value.
    if (!is_tree(&s) && (wait <= s.most || is_state(&s))) {
        s.value = base_allocate(g->n, sizeof *s.value);
        s.ahead = base_allocate(g->n, sizeof *s.ahead);
        s.stalls = bits_allocate(g->n);
        s.awaited = bits_allocate(g->n);
        s.hands = base_allocate(trace_npredicates(f->t), 1);
        find_stalls(&s);
        find_work(&s);
        wait_change more = {.added = s.waits.at, .nadded = s.waits.n};
        wait_change both = change_of_both(g, &all, &more);
        with = iot_span_under(g, &both, NULL);
        iot_free_change(&both);
    }
    iot_free_change(&all);
    free(s.waits.at);
    free(s.is_step);
    free(s.times);
    free(s.value);
    free(s.ahead);
    free(s.stalls);
    free(s.awaited);
    free(s.hands);
    return with - without >= share_of_work * (whole - without);
}
