// SPDX-License-Identifier: MIT
//
// A process that does nothing but hand out numbers: each request is a variable, which it binds to one more
// than the one before.
//
//     turnstile([number(T)|Rs], N) :- T = N, N1 := N + 1, turnstile(Rs, N1).
//
// The requests come from a merge, and all of them sooner than they are answered, so nobody knows which
// number he gets; he only needs one of his own. That may be given to him when he is made: the number of
// his place in a range or in a list. The price is the run in which numbers are there from the start, and
// nobody hands them out. (Numbers that tell an order, as who comes in first, are asked for when something is
// done, not at the beginning; items of a list that are counted come from no merge.)
#include "iotree/findings/servers.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_NUMBERS = 8,
    MOST_LOOPS = 6,
};
static const double worth_it = 0.2;       // share of the critical path
static const double asked_at_once = 0.25; // of the time until the last answer: all have asked by then

typedef struct {
    uint32_t member;  // of the loop: it takes the request
    uint32_t binding; // of the answer
} handed_out;

typedef struct {
    const loops *l;
    uint32_t loop;
    ARRAY_OF(handed_out) all;
    uint8_t *inside; // bits by reduction: of the loop or below it
} number_study;

static bool is_merge(const loops *l, uint32_t r)
{
    uint32_t p = loops_predicate(l, r);
    return r && trace_get_predicate(l->t, p)->origin != TRACE_PROGRAM &&
           (loops_is_named(l->t, p, "merge") || loops_is_named(l->t, p, "merge_two"));
}

// The variable that is all of the request; TRACE_NONE: it says something, too.
static uint32_t asked_variable(const trace *t, uint32_t cell)
{
    trace_value v = trace_cell_arg(t, cell, 0);
    if (is_variable(t, v) && iot_end_value(t, v).kind == TV_INT)
        return v.id;
    v = iot_end_value(t, v);
    if (!is_cell_kind(t, v, TC_STRUCT) || trace_cell_arity(t, v.id) != 1)
        return TRACE_NONE;
    v = trace_cell_arg(t, v.id, 0);
    return is_variable(t, v) ? v.id : TRACE_NONE;
}

// Who bound it to a number, or to what became one; TRACE_NONE: it is none.
static uint32_t binding_of_number(const trace *t, uint32_t variable, int64_t *ret)
{
    uint32_t binding = trace_cell_binding(t, variable);
    if (binding == TRACE_NONE)
        return TRACE_NONE;
    trace_value v = iot_end_value(t, trace_binding_value(t, binding));
    *ret = v.i;
    return v.kind == TV_INT ? binding : TRACE_NONE;
}

static void mark_inside(number_study *s)
{
    const loops *l = s->l;
    s->inside = bits_allocate(l->g->n);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        bool member = chain != IOT_NONE && l->chains.at[chain].loop == s->loop;
        if (member || bit_get(s->inside, l->g->parents[r]))
            bit_set(s->inside, r);
    }
}

// Does each member that takes a cell answer with a number one step from the one before?
static bool hands_out_numbers(number_study *s)
{
    const loops *l = s->l;
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    int64_t number, last = 0, step = 0;
    for (uint32_t r = chain->first; r; r = l->next[r]) {
        uint32_t cell = l->taken[r];
        if (cell == IOT_NONE)
            continue;
        uint32_t variable = asked_variable(l->t, cell);
        uint32_t binding = variable == TRACE_NONE || !is_merge(l, trace_cell_maker(l->t, cell))
                               ? TRACE_NONE
                               : binding_of_number(l->t, variable, &number);
        if (binding == TRACE_NONE || !bit_get(s->inside, trace_binding_maker(l->t, binding)) ||
            bit_get(s->inside, trace_cell_maker(l->t, variable)))
            return false;
        int64_t further = (int64_t)((uint64_t)number - (uint64_t)last); // they may be any integers
        if (s->all.n == 1)
            step = further;
        if (s->all.n >= 1 && (step == 0 || further != step))
            return false;
        last = number;
        ARRAY_PUSH(s->all, (handed_out){r, binding});
    }
    return s->all.n >= FEWEST_NUMBERS;
}

// Is anything else that it binds asked for, as how many there were?
static bool makes_more(const number_study *s)
{
    const loops *l = s->l;
    uint64_t bound = 0;
    for (uint32_t b = 0; b < trace_nbindings(l->t); b++) {
        uint32_t maker = trace_binding_maker(l->t, b);
        bound += bit_get(s->inside, maker) &&
                 !bit_get(s->inside, trace_cell_maker(l->t, trace_binding_variable(l->t, b)));
    }
    return bound > s->all.n;
}

// Did all ask at the beginning, long before they were answered? Who asks when something is done is told when.
static bool ask_at_once(const number_study *s)
{
    const trace *t = s->l->t;
    int64_t last = 0, answered = 0;
    for (size_t i = 0; i < s->all.n; i++) {
        const handed_out *x = &s->all.at[i];
        uint32_t variable = asked_variable(t, s->l->taken[x->member]);
        int64_t asked = trace_time(t, trace_cell_maker(t, variable));
        int64_t at = trace_time(t, trace_binding_maker(t, x->binding));
        last = asked > last ? asked : last;
        answered = at > answered ? at : answered;
    }
    return (double)last < asked_at_once * (double)answered;
}

// The merges that bring the requests, those that bring them to these, and so on.
static void mark_merges(const number_study *s, uint8_t *gone)
{
    const wait_graph *g = s->l->g;
    for (size_t i = 0; i < s->all.n; i++)
        bit_set(gone, trace_cell_maker(s->l->t, s->l->taken[s->all.at[i].member]));
    for (uint32_t r = g->n; r-- > 1;) {
        if (!bit_get(gone, r) || !is_merge(s->l, r))
            continue;
        if (is_merge(s->l, g->parents[r]))
            bit_set(gone, g->parents[r]);
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            if (is_merge(s->l, g->makers[w]))
                bit_set(gone, g->makers[w]);
    }
}

static wait_change without_numbers(const number_study *s)
{
    const wait_graph *g = s->l->g;
    change_draft d = {0};
    uint8_t *gone = bits_allocate(g->n);
    mark_merges(s, gone);
    for (uint32_t r = 1; r < g->n; r++) {
        if (bit_get(s->inside, r) || bit_get(gone, r)) {
            draft_reduction(&d, r, IOT_NONE, 0);
            continue;
        }
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            if (bit_get(s->inside, g->makers[w]))
                draft_wait(&d, w, IOT_NONE);
    }
    free(gone);
    return draft_finish(&d);
}

static void say_numbers(const number_study *s, candidates *c)
{
    const loops *l = s->l;
    const handed_out *example = &s->all.at[s->all.n / 2];
    const trace *t = l->t;
    uint32_t variable = asked_variable(t, l->taken[example->member]);
    uint32_t asker = trace_reduction_clause(t, trace_cell_maker(t, variable));
    change_draft none = {0};
    char *where;
    uint32_t maker = trace_binding_maker(t, example->binding);
    candidate *x = iot_add_server(l, c, example->member, maker, &none, &where);
    x->change = without_numbers(s);
    candidate_also(x, iot_clause_location(l->a, asker));
    char *name = iot_predicate_text(t, trace_get_clause(t, asker)->predicate);
    char *place = iot_place_text(t, trace_get_clause(t, asker)->source, trace_get_clause(t, asker)->line);
    x->text = base_format("%s hands out %zu numbers one after the other, to all that %s%s makes: each of "
                          "these waits for its own, and any number that no other has would do",
                          where, s->all.n, name, place);
    x->advice = base_format("let %s give each one a number when it makes it, as its place in the range or "
                            "list that is there anyway, unless the numbers tell who came first",
                            name);
    x->condition = base_copy("with numbers from the start");
    free(where);
    free(name);
    free(place);
}

void iot_find_numbers(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        number_study s = {.l = l, .loop = looked[i]};
        if (l->near[looked[i]] < worth_it * l->path.n)
            continue;
        mark_inside(&s);
        if (hands_out_numbers(&s) && !makes_more(&s) && ask_at_once(&s))
            say_numbers(&s, c);
        free(s.inside);
        free(s.all.at);
    }
}
