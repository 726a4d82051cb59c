// SPDX-License-Identifier: MIT
//
// Rings: like processes, each of which waits for a token from the one before and hands it on to the
// next, round and round:
//
//     station([token(S)|In], [F|Fs], Out) :- send(F, S, S1), Out = [token(S1)|Out1],
//         station(In, Fs, Out1).
//     station([token(S)|In], [], Out) :- Out = [token(S)|Out1], station(In, [], Out1).
//
// A *visit* is what a member of a chain does with a token. If nothing is done with what the token
// holds but to count, the price is the run in which nobody waits for it, except to end. Else it is
// the run in which a process does all that it has to do at the first visit: up to the last visit
// that does something, to take the token again takes no step, nor do later visits that do nothing.
#include "base/table.h"
#include "iotree/findings/clauses.h"
#include "iotree/findings/shapes.h"

#include "iotree/terms/values.h"

enum {
    MOST_LOOPS = 6,
    FEWEST_MEMBERS = 3, // of a ring
    FEWEST_ROUNDS = 3,
    MOST_IDLE = 3,       // steps of a visit that does nothing
    MOST_ARGUMENTS = 64, // of a goal
};
static const double worth_it = 0.2;    // share of the critical path
static const double idle_share = 0.25; // of the visits, where some work needs the token

typedef struct {
    uint32_t chain, reader; // who takes the token
    uint32_t argument;      // of the reader's goal: the list with the token
    uint32_t from;          // the chain that made it; IOT_NONE: none of the loop
    uint32_t number;        // of the visit, in its chain, from 0
    uint32_t steps;         // members of the chain until the next visit
    bool works;             // it takes many steps, or makes goals that do more than count
} visit;

typedef struct {
    const loops *l;
    uint32_t loop;
    uint32_t *side;
    ARRAY_OF(visit) visits;
    uint32_t *visit_of; // by member: its visit, from 1; 0: none
    uint32_t members, rounds;
    bool has_state;
} ring_study;

// ---------------------------------------------------------------------------------------------
// Visits

static bool is_member(const ring_study *s, uint32_t r)
{
    uint32_t chain = s->l->chain_of[r];
    return chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop;
}

// Does the head take apart a list that another chain of the loop has made? *ret: that chain.
static bool takes_token(const ring_study *s, uint32_t r, uint32_t *ret, uint32_t *ret_argument)
{
    const loops *l = s->l;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, r));
    uint32_t goal = trace_reduction_goal(l->t, r);
    for (uint32_t i = 0; i < c->nhead; i++) {
        if (c->patterns[c->head[i]].kind != TN_CONS)
            continue;
        trace_value v = iot_end_value(l->t, trace_goal_arg(l->t, goal, i));
        if (!is_cell_kind(l->t, v, TC_CONS))
            continue;
        uint32_t maker = trace_cell_maker(l->t, v.id);
        *ret = l->chain_of[maker];
        *ret_argument = i;
        if (maker && is_member(s, maker) && *ret != l->chain_of[r])
            return true;
    }
    return false;
}

// By chain the one that it gets its first token from. Returns a chain that gets one; IOT_NONE: none.
static uint32_t find_first_tokens(const ring_study *s, base_map *ret_before)
{
    const loops *l = s->l;
    uint32_t begin = IOT_NONE, from, argument;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t r = l->chains.at[i].loop == s->loop ? l->chains.at[i].first : 0;
        while (r && !takes_token(s, r, &from, &argument))
            r = l->next[r];
        if (r) {
            map_set(ret_before, i, from);
            begin = begin == IOT_NONE ? i : begin;
        }
    }
    return begin;
}

// Do the first tokens go round all chains that get one? Few loops are so, and in a long run the list
// of all visits is long.
static bool goes_round(ring_study *s)
{
    base_map before = {0};
    uint64_t begin = find_first_tokens(s, &before), at = begin;
    bool is = begin != IOT_NONE;
    for (s->members = 0; is && s->members <= before.n; s->members++) {
        if (s->members && at == begin)
            break;
        at = map_get(&before, at);
        is = at != MAP_ABSENT;
    }
    is = is && at == begin && s->members == before.n;
    map_free(&before);
    return is;
}

static void find_visits(ring_study *s)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < l->chains.n; i++) {
        uint32_t number = 0, from = IOT_NONE, argument = 0;
        for (uint32_t r = l->chains.at[i].loop == s->loop ? l->chains.at[i].first : 0; r;
             r = l->next[r]) {
            if (takes_token(s, r, &from, &argument))
                ARRAY_PUSH(s->visits, (visit){.chain = i,
                                              .reader = r,
                                              .argument = argument,
                                              .from = from,
                                              .number = number++});
            if (number == 0)
                continue;
            s->visit_of[r] = (uint32_t)s->visits.n;
            s->visits.at[s->visits.n - 1].steps++;
        }
    }
}

typedef struct {
    const uint8_t *token; // by variable of head and guards, holes first: it is of the token
    uint32_t nholes;
    uint32_t own, others;
} guard_view;

static void see_variable(void *data, head_variable v)
{
    guard_view *g = data;
    bool token = g->token[v.used ? v.index : g->nholes + v.index];
    g->others += token;
    g->own += !token;
}

static uint8_t *no_variables(const trace_clause *c)
{
    return base_allocate((size_t)c->nholes + c->nunused + 1, 1);
}

// Marks the variables below a pattern of the head.
static void mark_below(const trace_clause *c, uint32_t node, uint8_t *variables)
{
    ARRAY_OF(uint32_t) stack = {0};
    ARRAY_PUSH(stack, node);
    while (stack.n > 0) {
        const trace_node *n = &c->patterns[stack.at[--stack.n]];
        if (n->kind == TN_HOLE || n->kind == TN_FRESH)
            variables[n->kind == TN_HOLE ? n->index : c->nholes + n->index] = 1;
        for (uint32_t k = 0; k < n->n; k++)
            ARRAY_PUSH(stack, c->pattern_children[n->first + k]);
    }
    free(stack.at);
}

// Does what the process has tell whether there is something to do, and not what the token holds?
static bool decides_by_itself(const ring_study *s, const visit *v)
{
    const trace *t = s->l->t;
    uint32_t clause = trace_reduction_clause(t, v->reader);
    const trace_clause *c = trace_get_clause(t, clause);
    uint8_t *token = no_variables(c);
    bool own = false;
    mark_below(c, c->head[v->argument], token);
    for (uint32_t i = 0; i < c->nhead; i++) {
        trace_node_kind kind = c->patterns[c->head[i]].kind;
        own |= i != v->argument && kind != TN_HOLE && kind != TN_FRESH;
    }
    for (uint32_t i = 0; i < c->nguards; i++) {
        guard_view g = {.token = token, .nholes = c->nholes};
        test_variables(t, (clause_test){clause, true, i}, see_variable, &g);
        own |= g.own > 0 && g.others == 0 && !guard_computes(t, clause, i);
    }
    free(token);
    return own;
}

// Goals that count, and assignments that only compute from what their clause has, are no work.
static void find_work(ring_study *s)
{
    const loops *l = s->l;
    for (size_t i = 0; i < s->visits.n; i++)
        s->visits.at[i].works = s->visits.at[i].steps > MOST_IDLE;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t side = s->side[r], of = side ? s->visit_of[l->g->parents[side]] : 0;
        if (of && trace_get_predicate(l->t, loops_predicate(l, r))->origin != TRACE_BUILTIN)
            s->visits.at[of - 1].works = true;
        s->has_state |= of && predicate_acts(l->t, loops_predicate(l, r));
    }
}

// Do all visits of a chain get the token from one and the same chain?
static bool is_ring(ring_study *s)
{
    for (size_t i = 0; i < s->visits.n; i++) {
        const visit *v = &s->visits.at[i];
        if (v->number > 0 && v->from != s->visits.at[i - 1].from)
            return false;
        s->rounds = v->number + 1 > s->rounds ? v->number + 1 : s->rounds;
    }
    return s->members >= FEWEST_MEMBERS && s->rounds >= FEWEST_ROUNDS &&
           2 * s->visits.n > (size_t)s->members * s->rounds;
}

static uint32_t visit_with(const ring_study *s, uint32_t r)
{
    uint32_t side = s->side[r];
    return s->visit_of[side ? s->l->g->parents[side] : r];
}

// Bits: the arguments of the next member that hold something of the token. *ret_used: a goal that
// does more than count gets something of it.
static uint64_t follow_token(const ring_study *s, uint32_t r, const uint8_t *variables,
                             bool *ret_used)
{
    const loops *l = s->l;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, r));
    uint32_t next = l->next[r] ? loops_item(l, l->next[r]) : TRACE_NONE;
    uint64_t arguments = 0;
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        if (item->kind == TI_UNIFY) // Next = at(S): what gets Next uses S
            *ret_used |= c->nodes[c->children[item->first]].kind == TN_FRESH &&
                         item_has_hole_of(c, item, variables);
        if (item->kind != TI_GOAL)
            continue;
        if (i != next)
            *ret_used |= !iot_is_counter(l->t, c, i) && item_has_hole_of(c, item, variables);
        for (uint32_t k = 0; i == next && k < item->n && k < MOST_ARGUMENTS; k++)
            if (node_has_hole_of(c, c->children[item->first + k], variables))
                arguments |= 1ull << k;
    }
    return arguments;
}

// Does a guard of a further member look at something of the token?
static bool guards_use(const ring_study *s, uint32_t r, const uint8_t *variables)
{
    uint32_t clause = trace_reduction_clause(s->l->t, r);
    const trace_clause *c = trace_get_clause(s->l->t, clause);
    guard_view g = {.token = variables, .nholes = c->nholes};
    for (uint32_t i = 0; i < c->nguards; i++)
        test_variables(s->l->t, (clause_test){clause, true, i}, see_variable, &g);
    return g.others > 0;
}

// Does the work of the visit get something of what the token holds? *arguments: those of its first
// member that hold something of the tokens before, as bits; then of the next visit's.
static bool uses_token(const ring_study *s, const visit *v, uint64_t *arguments)
{
    const loops *l = s->l;
    bool used = false;
    for (uint32_t r = v->reader, n = v->steps; n > 0 && !used; n--, r = l->next[r]) {
        const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, r));
        uint8_t *variables = no_variables(c);
        for (uint32_t k = 0; k < c->nhead && k < MOST_ARGUMENTS; k++)
            if (*arguments >> k & 1)
                mark_below(c, c->head[k], variables);
        if (r == v->reader) // the item, not the rest of the list
            mark_below(c, c->pattern_children[c->patterns[c->head[v->argument]].first], variables);
        guards_spread(l->t, trace_reduction_clause(l->t, r), variables);
        *arguments = follow_token(s, r, variables, &used);
        used |= r != v->reader && guards_use(s, r, variables);
        free(variables);
    }
    return used;
}

static void find_state(ring_study *s)
{
    uint64_t arguments = 0;
    for (size_t i = 0; i < s->visits.n && !s->has_state; i++) {
        const visit *v = &s->visits.at[i];
        arguments = v->number ? arguments : 0;
        bool uses = uses_token(s, v, &arguments);
        s->has_state = v->works && uses;
    }
}

// ---------------------------------------------------------------------------------------------
// The price

// Nobody waits for the token, but for the last visit of each.
static void draft_free_members(const ring_study *s, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (size_t i = 0; i + 1 < s->visits.n; i++) {
        const visit *v = &s->visits.at[i];
        if (s->visits.at[i + 1].chain != v->chain)
            continue;
        for (uint32_t r = v->reader, n = v->steps; n > 0; n--, r = s->l->next[r])
            for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++) {
                uint32_t other = visit_with(s, g->makers[w]);
                if (!other || s->visits.at[other - 1].chain != v->chain)
                    draft_wait(d, w, IOT_NONE);
            }
    }
}

static uint32_t last_work(const ring_study *s)
{
    uint32_t last = 0;
    for (size_t i = 0; i < s->visits.n; i++)
        if (s->visits.at[i].works && s->visits.at[i].reader > last)
            last = s->visits.at[i].reader;
    return last;
}

static void draft_idle_visits(const ring_study *s, change_draft *d)
{
    uint32_t last = last_work(s);
    for (size_t i = 0; i < s->visits.n; i++) {
        const visit *v = &s->visits.at[i];
        if (v->number == 0 || v->reader > last)
            continue;
        for (uint32_t r = v->reader, n = v->works ? 1 : v->steps; n > 0; n--, r = s->l->next[r])
            draft_reduction(d, r, IOT_NONE, 0);
    }
}

static const visit *example_of(const ring_study *s)
{
    for (size_t i = s->visits.n / 2; i < s->visits.n; i++)
        if (s->visits.at[i].works && decides_by_itself(s, &s->visits.at[i]))
            return &s->visits.at[i];
    for (size_t i = 0; i < s->visits.n; i++)
        if (s->visits.at[i].works && decides_by_itself(s, &s->visits.at[i]))
            return &s->visits.at[i];
    return NULL;
}

static void say_ring(ring_study *s, candidates *c)
{
    const loops *l = s->l;
    const visit *v = example_of(s);
    size_t idle = 0;
    for (size_t i = 0; i < s->visits.n; i++)
        idle += !s->visits.at[i].works;
    // Where each visit computes with what the token holds, it is no token, but a neighbour's value.
    if (!v || (s->has_state && idle < idle_share * (double)s->visits.n))
        return;
    change_draft d = {0};
    if (s->has_state)
        draft_idle_visits(s, &d);
    else
        draft_free_members(s, &d);
    candidate *x =
        candidate_at(l->a, c, FINDING_ROUNDS, trace_reduction_clause(l->t, v->reader), v->reader);
    x->change = draft_finish(&d);
    x->estimate = true;
    for (uint32_t r = v->reader, n = v->steps; n > 0; n--, r = l->next[r])
        candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, r)));
    char *where = iot_site_text(l->a, &l->g->all_sites[l->g->sites[v->reader]]);
    char *name = iot_predicate_text(l->t, x->place.predicate);
    x->text = base_format("%s waits for a token that goes round %u processes, %u times: %zu of %zu "
                          "visits do nothing but hand it on%s",
                          where, s->members, s->rounds, idle, s->visits.n,
                          s->has_state ? "" : ", and no work needs what the token holds");
    x->advice =
        s->has_state
            ? base_format("let %s do all that it has to do before it hands the token on", name)
            : base_format("let %s go on without waiting for the token", name);
    x->condition =
        base_copy(s->has_state ? "with all work at the first visit" : "without waiting for it");
    free(where);
    free(name);
}

void iot_find_rings(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    for (uint32_t i = 0; i < n; i++) {
        ring_study s = {.l = l, .loop = looked[i]};
        if (l->near[looked[i]] < worth_it * l->path.n || !goes_round(&s))
            continue;
        s.visit_of = base_allocate(l->g->n, sizeof *s.visit_of);
        find_visits(&s);
        if (is_ring(&s)) {
            s.side = iot_side_goals(l, s.loop);
            find_work(&s);
            find_state(&s);
            say_ring(&s, c);
        }
        free(s.side);
        free(s.visit_of);
        free(s.visits.at);
    }
}
