// SPDX-License-Identifier: MIT
//
// Servers that begin to make an answer only when they are asked for it, though no question tells
// anything: a question is a term with nothing but places for the answer.
//
//     lexer([next(T)|Rs], Codes) :- token(Codes, T, Rest), lexer_rest(Rest, Rs).
//     lexer_rest(rest(Codes), Rs) :- lexer(Rs, Codes).
//
// The price is the run in which the answers are made ahead, one after the other, and a step of the
// server hands on the next one when it is asked. It is no candidate where whoever asks binds a
// place in the question (as one that gives something back does), nor where the server reads or
// writes.
#include "iotree/findings/clauses.h"
#include "iotree/findings/shapes.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_QUESTIONS = 8,
    MOST_LOOPS = 12,
    MOST_PLACES = 8 // of a question
};

typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    uint32_t *asked_by; // by binding of a place: the member that took the question; 0: none
    uint32_t questions, example;
    int64_t answered; // when the last question was
    uint32_t turns;   // questions that were asked after the one before was answered
    uint32_t worker;  // the predicate of the goals that answer; IOT_NONE: none
} server;

// ---------------------------------------------------------------------------------------------
// Questions

static bool is_of_server(const server *s, uint32_t r)
{
    const loops *l = s->l;
    uint32_t chain = l->chain_of[r];
    return s->side[r] || (chain != IOT_NONE && l->chains.at[chain].loop == s->loop);
}

// Is the argument of a question a variable that the server binds when it has taken the question?
static bool is_place(const server *s, trace_value v, uint32_t taker, uint32_t *ret_binding)
{
    const trace *t = s->l->t;
    if (!is_variable(t, v))
        return false;
    uint32_t binding = *ret_binding = trace_cell_binding(t, v.id);
    if (binding == TRACE_NONE)
        return true;
    uint32_t maker = trace_binding_maker(t, binding);
    return maker >= taker && is_of_server(s, maker);
}

// The places of the question that the member takes. False: it tells something.
static bool note_question(server *s, uint32_t taker)
{
    const trace *t = s->l->t;
    trace_value item = trace_cell_arg(t, s->l->taken[taker], 0), places[MOST_PLACES];
    uint32_t n = 1, bindings[MOST_PLACES], bound = 0;
    if (is_place(s, item, taker, &bindings[0])) {
        places[0] = item;
    } else {
        item = iot_end_value(t, item);
        n = is_cell_kind(t, item, TC_STRUCT) ? trace_cell_arity(t, item.id) : 0;
        for (uint32_t i = 0; i < n && n <= MOST_PLACES; i++)
            places[i] = trace_cell_arg(t, item.id, i);
    }
    if (n == 0 || n > MOST_PLACES)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_place(s, places[i], taker, &bindings[i]))
            return false;
        bound += bindings[i] != TRACE_NONE;
    }
    s->turns += trace_time(t, trace_cell_maker(t, s->l->taken[taker])) > s->answered;
    s->answered = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (bindings[i] == TRACE_NONE)
            continue;
        int64_t time = binding_time(t, bindings[i]);
        s->asked_by[bindings[i]] = taker;
        s->answered = time > s->answered ? time : s->answered;
    }
    return bound > 0;
}

// Do all members of the loop's longest chain that take an item of a list take such a question, made
// by others, most of them when they have the answer before?
static bool takes_questions(server *s)
{
    const loops *l = s->l;
    for (uint32_t r = l->chains.at[l->biggest[s->loop]].first; r; r = l->next[r]) {
        if (l->taken[r] == IOT_NONE)
            continue;
        if (is_of_server(s, trace_cell_maker(l->t, l->taken[r])) || !note_question(s, r))
            return false;
        s->questions++;
        s->example = r;
    }
    return s->questions >= FEWEST_QUESTIONS && 4 * s->turns >= 3 * s->questions;
}

// Does the server work for its answers, without a look at the world?
static bool works_for_answers(server *s)
{
    const loops *l = s->l;
    uint64_t steps = 0;
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!s->side[r])
            continue;
        if (predicate_acts(l->t, loops_predicate(l, r)))
            return false;
        steps++;
        if (s->side[r] == r && l->g->parents[r] == s->example && s->worker == IOT_NONE)
            s->worker = loops_predicate(l, r);
    }
    return steps >= s->questions && s->worker != IOT_NONE;
}

// ---------------------------------------------------------------------------------------------
// The change

// What a member creates, but for the next one that takes a question, is created ahead.
static void draft_children(const server *s, uint32_t member, uint32_t ahead, change_draft *d)
{
    const loops *l = s->l;
    uint32_t end = trace_first_goal(l->t, member + 1);
    for (uint32_t g = trace_first_goal(l->t, member); g < end; g++) {
        uint32_t child = trace_goal_reduction(l->t, g);
        if (child != TRACE_NONE && (s->side[child] || l->taken[child] == IOT_NONE))
            draft_reduction(d, child, ahead, -1);
    }
}

static void draft_ahead(const server *s, change_draft *d)
{
    const loops *l = s->l;
    uint32_t first = l->chains.at[l->biggest[s->loop]].first, ahead = l->g->parents[first];
    for (uint32_t r = first; r; r = l->next[r])
        if (l->taken[r] == IOT_NONE)
            ahead = r;
        else
            draft_children(s, r, ahead, d);
}

// Who reads an answer has asked for it.
static void draft_answers(const server *s, change_draft *d)
{
    const trace *t = s->l->t;
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(t, r, &reads);
        for (uint32_t i = 0; i < n && !is_of_server(s, r); i++) {
            uint32_t binding = trace_cell_binding(t, reads[i]);
            if (binding != TRACE_NONE && s->asked_by[binding] && s->asked_by[binding] < r)
                draft_add(d, r, s->asked_by[binding]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

static void name_places(const server *s, candidate *x)
{
    const loops *l = s->l;
    uint32_t first = l->chains.at[l->biggest[s->loop]].first, last = IOT_NONE;
    uint32_t caller = iot_caller_clause(l, first);
    for (uint32_t r = first, looked = 0; r && looked < 4 * FEWEST_QUESTIONS; r = l->next[r]) {
        uint32_t clause = trace_reduction_clause(l->t, r);
        if (clause != last)
            candidate_also(x, iot_clause_location(l->a, clause));
        last = clause;
        looked++;
    }
    if (caller != IOT_NONE)
        candidate_also(x, iot_clause_location(l->a, caller));
    uint32_t asks = trace_cell_maker(l->t, l->taken[s->example]);
    if (asks)
        candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, asks)));
}

static void add_candidate(const server *s, candidates *c)
{
    const loops *l = s->l;
    change_draft d = {0};
    candidate *x =
        candidate_at(l->a, c, FINDING_ROUNDS, trace_reduction_clause(l->t, s->example), s->example);
    draft_ahead(s, &d);
    draft_answers(s, &d);
    x->change = draft_finish(&d);
    x->estimate = true;
    name_places(s, x);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    char *where = iot_place_text(l->t, x->place.source, x->place.line);
    char *worker = iot_predicate_text(l->t, s->worker);
    x->text = base_format("%s%s begins %s only when it is asked for an answer, %u times, though no "
                          "question tells it anything: %s and the goals that ask take turns",
                          name, where, worker, s->questions, worker);
    x->advice = base_format("let a loop of its own make the answers ahead, as a list, and let %s "
                            "hand on the next one when it is asked",
                            name);
    x->condition = base_copy("with the answers made ahead");
    free(name);
    free(where);
    free(worker);
}

void iot_find_asked_for(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    uint32_t *asked_by = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (l->chains.at[l->biggest[looked[i]]].n < FEWEST_QUESTIONS)
            continue;
        if (!asked_by)
            asked_by = base_allocate(trace_nbindings(l->t), sizeof *asked_by);
        memset(asked_by, 0, trace_nbindings(l->t) * sizeof *asked_by);
        server s = {.l = l, .loop = looked[i], .asked_by = asked_by, .worker = IOT_NONE};
        s.side = iot_side_goals(l, looked[i]);
        if (takes_questions(&s) && works_for_answers(&s))
            add_candidate(&s, c);
        free(s.side);
    }
    free(asked_by);
}
