// SPDX-License-Identifier: MIT
//
// Work that is begun only when it is known to be needed. A clause waits for what decides whether it
// is chosen, and only then calls a goal that takes long and needs nothing of that:
//
//     result(open(X), _, R) :- R = X.
//     result(stuck, K, R) :- listen(60, K, R).
//
// The goal could begin with the one that waits, if most of these have it. What is not needed then
// is done in vain. The same holds of two or three goals of which mostly one is needed:
//
//     choose(calm, X, Y, Cost) :- by_sea(X, Y, Cost).
//     choose(storm, X, Y, Cost) :- by_land(X, Y, Cost).
//
// And of goals that are tried one after the other, each where the one before has failed: all can
// begin with the first one, even if fewer come so far. What is done in vain then takes its time, too:
// the price counts it. So can a single second try, if the first one takes as long:
//
//     second(some(R), _, Answer) :- Answer = R.
//     second(none, Question, Answer) :- professor(Question, Answer).
//
// Not of loops, which would begin ever more, nor of goals that act on the world, nor where the
// decision is a state that an earlier step of a loop made: then it is meant to be waited for.
#include "iotree/findings/findings.h"

#include "iotree/findings/clauses.h"
#include "iotree/findings/loops.h"

enum {
    PROPOSED = 4,
    LONG = 10,             // steps of the goal's work, on the mean, that are worth it
    FEWEST = 3,            // goals
    MOST_ALTERNATIVES = 3, // of one predicate
    MOST_ARGUMENTS = 64,
    MOST_CALLERS = 4, // of which each calls the next one
    SAMPLES = 16,     // goals that were tried first of which it is asked how long they took
    FARTHEST = 256,   // steps of one of these
    MOST_GOALS = MOST_ALTERNATIVES * MOST_CALLERS
};

// What goals must be worth it: how many have the work of those that wait, and how many are late.
typedef struct {
    double share;
    uint64_t late;
} demand;

// Of one caller; of each of several, of which one calls the next.
static const demand alone = {0.66, FEWEST}, in_turn = {0.2, 1};

// Goals of one predicate, or of a few, that the clauses of another one call, or of one that these
// call.
typedef struct {
    uint32_t callers[MOST_CALLERS], ncallers;          // predicates
    uint32_t callees[MOST_GOALS], members[MOST_GOALS]; // predicates, their own entries
    uint32_t ncallees;
    uint64_t gained, n, late; // n: goals; of alternatives, goals that call one
    int64_t steps, longest;
    int64_t first_try; // steps of what decided, of the first SAMPLES that are late
    uint32_t example;
} started;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    uint32_t *last;       // by reduction: the last one below it
    uint32_t *times;      // by predicate: reductions
    uint32_t *users;      // by predicate: of these, how many call one that has an entry
    uint32_t *number;     // by item of all clauses: its entry in `all`, plus one; 0: none
    uint32_t *first_item; // by clause
    ARRAY_OF(started) all;
} search;

// Does a goal `X := E` of the body make this new variable?
static bool is_assigned(const trace *t, const trace_clause *c, uint32_t fresh)
{
    for (uint32_t i = 0; i < c->nitems; i++) {
        const trace_item *item = &c->items[i];
        const trace_node *n = item->n == 2 ? &c->nodes[c->children[item->first]] : NULL;
        if (item->kind == TI_GOAL && n && n->kind == TN_FRESH && n->index == fresh &&
            strcmp(trace_string(t, trace_get_predicate(t, item->predicate)->name, NULL), ":=") == 0)
            return true;
    }
    return false;
}

// Is every argument a constant, a new variable, or a whole argument of the head?
static bool needs_whole_arguments(const trace *t, const trace_clause *c, const trace_item *item)
{
    uint32_t handed = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        const trace_node *n = &c->nodes[c->children[item->first + i]];
        if (n->kind == TN_CONST || (n->kind == TN_FRESH && !is_assigned(t, c, n->index)))
            continue;
        bool whole = false;
        for (uint32_t k = 0; n->kind == TN_HOLE && k < c->nhead && !whole; k++) {
            const trace_node *m = &c->patterns[c->head[k]];
            whole = m->kind == TN_HOLE && m->index == n->index;
        }
        if (!whole)
            return false;
        handed++;
    }
    return handed > 0;
}

static bool is_in_loop(search *s, uint32_t predicate)
{
    const clause_facts *f = s->facts;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        const trace_clause *c = trace_get_clause(s->t, f->clauses[i]);
        for (uint32_t k = 0; k < c->nitems; k++)
            if (c->items[k].kind == TI_GOAL &&
                predicates_call_each_other(s->facts, c->items[k].predicate, predicate))
                return true;
    }
    return false;
}

static uint32_t entry_of(search *s, uint32_t caller, uint32_t callee)
{
    uint32_t n = (uint32_t)s->all.n;
    for (uint32_t i = 0; i < n; i++)
        if (s->all.at[i].callers[0] == caller && s->all.at[i].callees[0] == callee)
            return i;
    ARRAY_PUSH(s->all, (started){.callers = {caller},
                                 .ncallers = 1,
                                 .callees = {callee},
                                 .members = {n},
                                 .ncallees = 1,
                                 .longest = -1});
    return n;
}

static void look_at_predicate(search *s, uint32_t p)
{
    const clause_facts *f = s->facts;
    if (f->first[p + 1] - f->first[p] < 2 || is_in_loop(s, p))
        return;
    for (uint32_t i = f->first[p]; i < f->first[p + 1]; i++) {
        uint32_t clause = f->clauses[i];
        const trace_clause *c = trace_get_clause(s->t, clause);
        for (uint32_t k = 0; clause_is_told(f, clause) && k < c->nitems; k++) {
            const trace_item *item = &c->items[k];
            if (item->kind == TI_GOAL && needs_whole_arguments(s->t, c, item) &&
                trace_get_predicate(s->t, item->predicate)->origin != TRACE_BUILTIN &&
                !predicate_leads_to_act(s->facts, item->predicate))
                s->number[s->first_item[clause] + k] = entry_of(s, p, item->predicate) + 1;
        }
    }
}

static void find_items(search *s)
{
    uint32_t n = 0, nclauses = trace_nclauses(s->t);
    s->first_item = base_allocate((size_t)nclauses + 1, sizeof *s->first_item);
    for (uint32_t i = 0; i < nclauses; i++) {
        s->first_item[i] = n;
        n += trace_get_clause(s->t, i)->nitems;
    }
    s->number = base_allocate(n, sizeof *s->number);
    for (uint32_t p = 0; p < trace_npredicates(s->t); p++)
        look_at_predicate(s, p);
}

// ---------------------------------------------------------------------------------------------
// The run

// The entry of the goal that this reduction reduced; IOT_NONE: none.
static uint32_t entry_of_child(const search *s, uint32_t r)
{
    uint32_t item = trace_goal_item(s->t, trace_reduction_goal(s->t, r)), parent = s->g->parents[r];
    if (parent == 0 || item == TRACE_NONE)
        return IOT_NONE;
    return s->number[s->first_item[trace_reduction_clause(s->t, parent)] + item] - 1;
}

// The goal, called by the same clause, that decided; 0: none did.
static uint32_t decided_by(const search *s, uint32_t r)
{
    const wait_graph *g = s->g;
    uint32_t last = 0, above = g->parents[r];
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (last == 0 || trace_time(s->t, g->makers[i]) >= trace_time(s->t, last))
            last = g->makers[i];
    uint32_t goal = 0;
    for (; last > above; last = g->parents[last])
        goal = last;
    return last && last == above ? goal : 0;
}

static bool descends_from(const search *s, uint32_t r, uint32_t goal)
{
    for (uint32_t up = 0; r > goal && up < FARTHEST; up++)
        r = s->g->parents[r];
    return r == goal;
}

// How long the goal took that decided for this reduction, from the last thing on that it waited for.
static int64_t steps_of_try(const search *s, uint32_t r, uint32_t goal)
{
    const wait_graph *g = s->g;
    uint32_t at = r, cause = r;
    for (uint32_t n = 0; n < FARTHEST && cause && (at == r || descends_from(s, cause, goal)); n++) {
        at = cause;
        cause = at == r ? 0 : g->parents[at];
        for (uint64_t i = g->first[at]; i < g->first[at + 1]; i++)
            if (!cause || trace_time(s->t, g->makers[i]) > trace_time(s->t, cause))
                cause = g->makers[i];
    }
    return trace_time(s->t, r) - trace_time(s->t, cause);
}

static void gather(search *s)
{
    const trace *t = s->t;
    const wait_graph *g = s->g;
    s->last = base_allocate(g->n, sizeof *s->last);
    s->times = base_allocate(trace_npredicates(t), sizeof *s->times);
    s->users = base_allocate(trace_npredicates(t), sizeof *s->users);
    uint8_t *counted = bits_allocate(g->n);
    for (uint32_t r = g->n; r-- > 1;) {
        s->last[r] = s->last[r] ? s->last[r] : r;
        uint32_t *above = &s->last[g->parents[r]];
        *above = s->last[r] > *above ? s->last[r] : *above;
        s->times[trace_goal_predicate(t, trace_reduction_goal(t, r))]++;
        uint32_t entry = entry_of_child(s, r);
        if (entry == IOT_NONE || decided_by(s, r)) // what waits for its neighbour needs that
            continue;
        started *x = &s->all.at[entry];
        uint32_t parent = g->parents[r];
        int64_t gain = trace_time(t, parent) - trace_time(t, g->parents[parent]);
        x->n++;
        s->users[x->callers[0]] += !bit_get(counted, parent);
        bit_set(counted, parent);
        x->steps += trace_time(t, s->last[r]) - trace_time(t, parent);
        uint32_t first = decided_by(s, parent);
        if (gain <= 1 || !first)
            continue;
        x->late++;
        if (x->late <= SAMPLES)
            x->first_try += steps_of_try(s, parent, first);
        x->gained += (uint64_t)gain;
        if (gain > x->longest) {
            x->longest = gain;
            x->example = r;
        }
    }
    free(counted);
}

// ---------------------------------------------------------------------------------------------
// Candidates

static bool is_member(const started *x, uint32_t entry)
{
    for (uint32_t k = 0; k < x->ncallees; k++)
        if (x->members[k] == entry)
            return true;
    return false;
}

// Where the head of the clause has the variable as a whole argument; IOT_NONE: nowhere.
static uint32_t argument_of(const trace_clause *c, const trace_node *n)
{
    for (uint32_t k = 0; n->kind == TN_HOLE && k < c->nhead; k++)
        if (c->patterns[c->head[k]].kind == TN_HOLE && c->patterns[c->head[k]].index == n->index)
            return k;
    return IOT_NONE;
}

// The arguments (bits) of the goal that made this reduction, as the reduction above called it: ret
// gets the arguments of that one's head that they are. False: one is none.
static bool are_handed_on(const search *s, uint32_t r, uint64_t arguments, uint64_t *ret)
{
    const trace *t = s->t;
    uint32_t above = s->g->parents[r], item = trace_goal_item(t, trace_reduction_goal(t, r));
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, above));
    *ret = 0;
    for (uint32_t i = 0; item != TRACE_NONE && arguments; i++, arguments >>= 1) {
        if (!(arguments & 1))
            continue;
        const trace_node *n = &c->nodes[c->children[c->items[item].first + i]];
        uint32_t k = argument_of(c, n);
        if (n->kind != TN_CONST && (k == IOT_NONE || k >= MOST_ARGUMENTS))
            return false;
        *ret |= n->kind == TN_CONST ? 0 : 1ull << k;
    }
    return item != TRACE_NONE;
}

// Which arguments of the head the body's goal has that this reduction is of.
static uint64_t arguments_of_call(const search *s, uint32_t r)
{
    const trace_clause *c = trace_get_clause(s->t, trace_reduction_clause(s->t, s->g->parents[r]));
    const trace_item *item = &c->items[trace_goal_item(s->t, trace_reduction_goal(s->t, r))];
    uint64_t arguments = 0;
    for (uint32_t i = 0; i < item->n; i++) {
        uint32_t k = argument_of(c, &c->nodes[c->children[item->first + i]]);
        if (k < MOST_ARGUMENTS)
            arguments |= 1ull << k;
    }
    return arguments;
}

static bool is_caller(const started *x, uint32_t predicate)
{
    for (uint32_t i = 0; i < x->ncallers; i++)
        if (x->callers[i] == predicate)
            return true;
    return false;
}

// Where the goal of this reduction could begin: where the goal that calls it was made, or, if that
// was called by another one that waits, where that one was.
static uint32_t beginning_of(const search *s, const started *x, uint32_t r)
{
    uint32_t below = s->g->parents[r], above = s->g->parents[below];
    uint64_t arguments = arguments_of_call(s, r);
    while (above && is_caller(x, trace_goal_predicate(s->t, trace_reduction_goal(s->t, above))) &&
           are_handed_on(s, below, arguments, &arguments)) {
        below = above;
        above = s->g->parents[below];
    }
    return above;
}

// The goals begin when those that call them were made; what they come to is taken when it is known that it
// is needed.
static wait_change begin_sooner(const search *s, const started *x)
{
    change_draft d = {0};
    for (uint32_t r = 1; r < s->g->n; r++) {
        if (!is_member(x, entry_of_child(s, r)))
            continue;
        draft_reduction(&d, r, beginning_of(s, x, r), -1);
        draft_add(&d, s->last[r], s->g->parents[r]);
    }
    return draft_finish(&d);
}

// How long a goal takes, on the mean, of those that this caller's clauses call, or those of a later
// caller; 0: it is none of the callers.
static int64_t steps_in_vain(const search *s, const started *x, uint32_t caller)
{
    int64_t longest = 0;
    bool from = false;
    for (uint32_t k = 0; k < x->ncallees; k++) {
        const started *y = &s->all.at[x->members[k]];
        from |= y->callers[0] == caller;
        int64_t steps = from ? y->steps / (int64_t)y->n : 0;
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

// When the last goal ends that is done in vain. *ret_span: when the others do.
static int64_t end_of_vain(const search *s, const started *x, const wait_change *change,
                           int64_t *ret_span)
{
    const wait_graph *g = s->g;
    uint8_t *calls = bits_allocate(g->n);
    int64_t *times = base_allocate(g->n, sizeof *times), end = 0;
    *ret_span = iot_span_under(g, change, times);
    for (uint32_t r = g->n; r-- > 1;) {
        uint32_t predicate = trace_goal_predicate(s->t, trace_reduction_goal(s->t, r));
        if (is_member(x, entry_of_child(s, r)))
            bit_set(calls, g->parents[r]);
        if (bit_get(calls, r) || !is_caller(x, predicate))
            continue;
        uint32_t above = g->parents[r];
        while (above && is_caller(x, trace_goal_predicate(s->t, trace_reduction_goal(s->t, above))))
            above = g->parents[above];
        int64_t steps = times[above] + steps_in_vain(s, x, predicate);
        end = steps > end ? steps : end;
    }
    free(times);
    free(calls);
    return end;
}

static void name_callers(const search *s, const started *x, candidate *c)
{
    const clause_facts *f = s->facts;
    for (uint32_t n = 0; n < x->ncallers; n++)
        for (uint32_t i = f->first[x->callers[n]]; i < f->first[x->callers[n] + 1]; i++)
            for (uint32_t k = s->first_item[f->clauses[i]]; k < s->first_item[f->clauses[i] + 1];
                 k++)
                if (s->number[k] && is_member(x, s->number[k] - 1))
                    candidate_also(c, iot_clause_location(s->a, f->clauses[i]));
}

// "by_sea/4, by_land/4"; malloc'ed.
static char *callees_text(const search *s, const started *x, const char *last)
{
    base_text text = {0};
    for (uint32_t k = 0; k < x->ncallees; k++) {
        char *name = iot_predicate_text(s->t, x->callees[k]);
        text_add_format(&text, "%s%s", k == 0 ? "" : k + 1 == x->ncallees ? last : ", ", name);
        free(name);
    }
    return text_finish(&text);
}

static void set_texts(const search *s, const started *x, candidate *c)
{
    uint32_t parent = s->g->parents[x->example], above = beginning_of(s, x, x->example);
    iot_location caller = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    bool one = x->ncallees == 1;
    char *name = iot_site_text(s->a, &s->g->all_sites[s->g->sites[parent]]);
    char *callee = callees_text(s, x, " or "), *all = callees_text(s, x, " and ");
    char *where = above ? iot_maker_text(s->a, s->g, above, &caller) : base_copy("the first goal");
    char *steps = iot_amount_text(s->a, x->longest);
    c->text = base_format("%s calls %s only when it is known %s is needed, up to %s after "
                          "%s could: %s%s nothing of what is waited for, and %llu of %u goals "
                          "need %s",
                          name, callee, one ? "whether that" : "which of them", steps, where,
                          one ? all : "they", one ? " needs" : " need", (unsigned long long)x->n,
                          s->times[x->callers[0]], one ? "it" : "one");
    c->advice = base_format("call %s in %s, before it is known whether %s needed", all, where,
                            one ? "its result is" : "their results are");
    c->condition = base_copy("begun at once");
    if (caller.line)
        candidate_also(c, caller);
    free(name);
    free(callee);
    free(all);
    free(where);
    free(steps);
}

static void add_candidate(const search *s, candidates *list, const started *x)
{
    uint32_t parent = s->g->parents[x->example];
    uint32_t clause = trace_reduction_clause(s->t, parent);
    candidate *c = candidate_at(s->a, list, FINDING_EARLY_READ, clause, parent);
    c->estimate = true;
    c->doubt = LIKELY;
    c->change = begin_sooner(s, x);
    int64_t span, end = end_of_vain(s, x, &c->change, &span);
    c->has_span = end > span;
    c->span_without = end;
    name_callers(s, x, c);
    set_texts(s, x, c);
}

static bool is_worth_it(const search *s, const started *x, demand of)
{
    return x->late >= of.late && x->n >= of.share * s->times[x->callers[0]] &&
           x->steps >= LONG * (int64_t)x->n && iot_may_save(s->a, x->gained);
}

static void join_entry(started *x, const started *y)
{
    x->callees[x->ncallees] = y->callees[0];
    x->members[x->ncallees++] = y->members[0];
    x->gained += y->gained;
    x->late += y->late;
    x->steps += y->steps;
    x->first_try += y->first_try;
    if (y->longest > x->longest) {
        x->longest = y->longest;
        x->example = y->example;
    }
}

// The entries of a predicate that are worth it, together or one alone. Each goal of the predicate
// counts once.
static bool own_goals(const search *s, uint32_t caller, demand of, started *ret)
{
    const started *best = NULL;
    uint32_t n = 0;
    *ret = (started){.callers = {caller}, .ncallers = 1, .longest = -1};
    for (uint32_t i = 0; i < s->all.n; i++) {
        const started *x = &s->all.at[i];
        if (x->callers[0] != caller || x->late == 0 || x->steps < LONG * (int64_t)x->n)
            continue;
        if (is_worth_it(s, x, of) && (!best || x->gained > best->gained))
            best = x;
        if (n++ < MOST_ALTERNATIVES)
            join_entry(ret, x);
    }
    ret->n = s->users[caller];
    if (n > 0 && n <= MOST_ALTERNATIVES && is_worth_it(s, ret, of))
        return true;
    if (best)
        *ret = *best;
    return best != NULL;
}

// What callers call that wait again before they call goals.
static void add_next_goals(const search *s, started *x)
{
    const clause_facts *f = s->facts;
    for (uint32_t n = 0; n < x->ncallers; n++)
        for (uint32_t i = f->first[x->callers[n]]; i < f->first[x->callers[n] + 1]; i++) {
            const trace_clause *c = trace_get_clause(s->t, f->clauses[i]);
            for (uint32_t k = 0; k < c->nitems && x->ncallers < MOST_CALLERS; k++) {
                started next;
                if (c->items[k].kind != TI_GOAL || is_caller(x, c->items[k].predicate) ||
                    !own_goals(s, c->items[k].predicate, in_turn, &next))
                    continue;
                uint32_t example = x->example; // of the first caller
                x->callers[x->ncallers++] = c->items[k].predicate;
                for (uint32_t m = 0; m < next.ncallees; m++)
                    join_entry(x, &s->all.at[next.members[m]]);
                x->example = example;
            }
        }
}

// Does another predicate with such goals call this one?
static bool is_next(const search *s, uint32_t predicate)
{
    for (uint32_t i = 0; i < trace_nclauses(s->t); i++) {
        const trace_clause *c = trace_get_clause(s->t, i);
        started x;
        bool calls = false;
        for (uint32_t k = 0; k < c->nitems; k++)
            calls |= c->items[k].kind == TI_GOAL && c->items[k].predicate == predicate;
        if (calls && own_goals(s, c->predicate, in_turn, &x))
            return true;
    }
    return false;
}

// Does the clause only hand on what came: second(some(R), _, Answer) :- Answer = R?
static bool hands_on(const trace_clause *c)
{
    bool hands = c->nitems == 1 && c->items[0].kind == TI_UNIFY;
    for (uint32_t side = 0; hands && side < 2; side++)
        hands = c->nodes[c->children[c->items[0].first + side]].kind == TN_HOLE;
    return hands;
}

// Is it a second try? Its other clauses only hand on what the first one found, which takes as long as the
// second one: a short look, as into a cache, is meant to spare the work.
static bool is_second_try(const search *s, const started *x)
{
    const clause_facts *f = s->facts;
    uint32_t handing = 0, trying = 0, clauses = f->first[x->callers[0] + 1] - f->first[x->callers[0]];
    for (uint32_t i = f->first[x->callers[0]]; i < f->first[x->callers[0] + 1]; i++) {
        const trace_clause *c = trace_get_clause(s->t, f->clauses[i]);
        uint32_t item = s->first_item[f->clauses[i]];
        handing += hands_on(c);
        trying += c->nitems == 1 && s->number[item] && is_member(x, s->number[item] - 1);
    }
    int64_t n = x->late < SAMPLES ? (int64_t)x->late : SAMPLES;
    return x->ncallees == 1 && handing > 0 && trying > 0 && handing + trying == clauses &&
           x->first_try / n >= x->steps / (int64_t)x->n;
}

// What begins with the goals that this predicate calls. False: nothing that is worth it.
static bool goals_from(const search *s, uint32_t predicate, started *ret)
{
    if (own_goals(s, predicate, alone, ret)) {
        add_next_goals(s, ret);
        return true;
    }
    if (!own_goals(s, predicate, in_turn, ret) || is_next(s, predicate))
        return false;
    add_next_goals(s, ret);
    return ret->late >= alone.late && (ret->ncallers > 1 || is_second_try(s, ret));
}

void iot_find_started_late(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    find_items(&s);
    if (s.all.n)
        gather(&s);
    uint32_t proposed = 0;
    for (uint32_t p = 0; p < trace_npredicates(a->t) && s.all.n && proposed < PROPOSED; p++) {
        started x;
        if (!goals_from(&s, p, &x))
            continue;
        add_candidate(&s, c, &x);
        proposed++;
    }
    clause_facts_destroy(s.facts);
    free(s.last);
    free(s.times);
    free(s.users);
    free(s.number);
    free(s.first_item);
    free(s.all.at);
}
