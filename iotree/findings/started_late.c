// SPDX-License-Identifier: MIT
//
// Work that is begun only when it is known to be needed. A clause waits for what decides whether it
// is chosen, and only then calls a goal that takes long and needs nothing of that:
//
//     result(open(X), _, R) :- R = X.
//     result(stuck, K, R) :- listen(60, K, R).
//
// The goal could begin with the one that waits, if most of these have it. What is not needed then is
// done in vain. The same holds of two or three goals of which mostly one is needed:
//
//     choose(calm, X, Y, Cost) :- by_sea(X, Y, Cost).
//     choose(storm, X, Y, Cost) :- by_land(X, Y, Cost).
//
// And it holds of *tries in turn*, where a clause of the second try decides about the third:
//
//     after_train(none, X, Plan) :- bus(X, B), after_bus(B, X, Plan).
//     after_bus(none, X, Plan) :- walk(X, W), after_walk(W, Plan).
//
// All of them could begin with the first one, also where fewer goals come so far.
//
// Not of loops, which would begin ever more, nor of goals that act on the world, nor
// where the decision is a state that an earlier step of a loop made: then it is meant to be waited
// for.
#include "iotree/findings/findings.h"

#include "iotree/findings/clauses.h"

enum {
    PROPOSED = 4,
    LONG = 10,    // steps of the goal's work, on the mean, that are worth it
    FEWEST = 3,   // goals
    MOST_ALTERNATIVES = 3,
    MOST_TRIES = 8, // callers, each of which decides about the next one
    MOST_GOALS = 2 * MOST_TRIES,
};
static const double mostly = 0.66; // of the goals that wait have the work
static const double often = 0.2;   // of those that decide about a try come to it

// Goals of one predicate, or of a few, that the clauses of another one call.
typedef struct {
    uint32_t caller; // predicate
    uint32_t callees[MOST_GOALS], members[MOST_GOALS]; // predicates, their own entries
    uint32_t ncallees;
    uint32_t tries; // in turn; 0: of one caller only
    uint64_t gained, n, late; // n: goals; of alternatives, goals that call one
    uint64_t prompt;          // goals that wait for nothing when they are called
    int64_t steps, longest;
    uint32_t example;
} started;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    uint32_t *last;   // by reduction: the last one below it
    uint32_t *times;  // by predicate: reductions
    uint32_t *users;  // by predicate: of these, how many call one that has an entry
    uint32_t *number; // by item of all clauses: its entry in `all`, plus one; 0: none
    uint32_t *first_item; // by clause
    ARRAY_OF(started) all;
} search;

static bool acts(search *s, uint32_t predicate)
{
    for (uint32_t p = 0; p < trace_npredicates(s->t); p++)
        if (predicate_acts(s->t, p) && predicate_reaches(s->facts, predicate, p))
            return true;
    return false;
}

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
                predicate_reaches(s->facts, c->items[k].predicate, predicate))
                return true;
    }
    return false;
}

static uint32_t entry_of(search *s, uint32_t caller, uint32_t callee)
{
    uint32_t n = (uint32_t)s->all.n;
    for (uint32_t i = 0; i < n; i++)
        if (s->all.at[i].caller == caller && s->all.at[i].callees[0] == callee)
            return i;
    ARRAY_PUSH(s->all, (started){.caller = caller, .callees = {callee}, .members = {n}, .ncallees = 1,
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
                !acts(s, item->predicate))
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

// Did a goal that the same clause called decide?
static bool is_decided_beside(const search *s, uint32_t r)
{
    const wait_graph *g = s->g;
    uint32_t last = 0, above = g->parents[r];
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (last == 0 || trace_time(s->t, g->makers[i]) >= trace_time(s->t, last))
            last = g->makers[i];
    while (last > above)
        last = g->parents[last];
    return last && last == above;
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
        if (entry == IOT_NONE)
            continue;
        started *x = &s->all.at[entry];
        uint32_t parent = g->parents[r];
        int64_t gain = trace_time(t, parent) - trace_time(t, g->parents[parent]);
        x->n++;
        x->prompt += trace_time(t, r) <= trace_time(t, parent) + 1;
        s->users[x->caller] += !bit_get(counted, parent);
        bit_set(counted, parent);
        x->steps += trace_time(t, s->last[r]) - trace_time(t, parent);
        if (gain <= 1 || !is_decided_beside(s, parent))
            continue;
        x->late++;
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

// The goals begin when those that call them were made; of tries in turn, with the first one.
static wait_change begin_sooner(const search *s, const started *x)
{
    ARRAY_OF(reduction_edit) edits = {0};
    for (uint32_t r = 1; r < s->g->n; r++) {
        if (!is_member(x, entry_of_child(s, r)))
            continue;
        uint32_t caller = s->g->parents[r];
        while (x->tries && is_member(x, entry_of_child(s, caller)))
            caller = s->g->parents[caller];
        ARRAY_PUSH(edits, (reduction_edit){r, s->g->parents[caller], -1});
    }
    return (wait_change){.reductions = edits.at, .nreductions = edits.n};
}

// How long a goal takes, on the mean, that was not needed here, of those that a caller's clauses or
// later tries call; 0: the caller is none of them.
static int64_t steps_in_vain(const search *s, const started *x, uint32_t caller)
{
    int64_t longest = 0;
    bool from = false;
    for (uint32_t k = 0; k < x->ncallees; k++) {
        const started *y = &s->all.at[x->members[k]];
        from |= y->caller == caller;
        int64_t steps = from && y->prompt ? y->steps / (int64_t)y->n : 0;
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

// What is done in vain takes its time, too: the run does not end before. Returns when that is, and
// the span without it.
static int64_t end_of_vain(const search *s, const started *x, const wait_change *change,
                           int64_t *ret_span)
{
    const wait_graph *g = s->g;
    uint8_t *calls = bits_allocate(g->n);
    int64_t *times = base_allocate(g->n, sizeof *times), end = 0;
    *ret_span = (int64_t)iot_span_under(g, change, times);
    for (uint32_t r = g->n; r-- > 1;) {
        if (is_member(x, entry_of_child(s, r)))
            bit_set(calls, g->parents[r]);
        uint32_t predicate = trace_goal_predicate(s->t, trace_reduction_goal(s->t, r)), caller = r;
        int64_t steps = bit_get(calls, r) ? 0 : steps_in_vain(s, x, predicate);
        while (is_member(x, entry_of_child(s, caller)))
            caller = g->parents[caller];
        if (steps && times[g->parents[caller]] + steps > end)
            end = times[g->parents[caller]] + steps;
    }
    free(times);
    free(calls);
    return end;
}

static void name_callers(const search *s, const started *x, uint32_t caller, candidate *c)
{
    for (uint32_t i = s->facts->first[caller]; i < s->facts->first[caller + 1]; i++)
        for (uint32_t k = s->first_item[s->facts->clauses[i]];
             k < s->first_item[s->facts->clauses[i] + 1]; k++)
            if (s->number[k] && is_member(x, s->number[k] - 1))
                candidate_also(c, iot_clause_location(s->a, s->facts->clauses[i]));
}

// "by_sea/4, by_land/4"; malloc'ed. Of tries in turn those that do not wait for what a try comes to.
static char *callees_text(const search *s, const started *x, const char *last)
{
    base_text text = {0};
    uint32_t named[MOST_GOALS], n = 0;
    for (uint32_t k = 0; k < x->ncallees; k++)
        if (!x->tries || s->all.at[x->members[k]].prompt > 0)
            named[n++] = x->callees[k];
    for (uint32_t k = 0; k < n; k++) {
        char *name = iot_predicate_text(s->t, named[k]);
        text_add_format(&text, "%s%s", k == 0 ? "" : k + 1 == n ? last : ", ", name);
        free(name);
    }
    return text_finish(&text);
}

static void set_texts(const search *s, const started *x, candidate *c)
{
    uint32_t parent = s->g->parents[x->example], above = s->g->parents[parent];
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
                          one ? all : "they", one ? " needs" : " need",
                          (unsigned long long)x->n, s->times[x->caller], one ? "it" : "one");
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

static void set_texts_of_tries(const search *s, const started *x, candidate *c)
{
    uint32_t parent = s->g->parents[x->example], above = s->g->parents[parent];
    iot_location caller = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    char *name = iot_site_text(s->a, &s->g->all_sites[s->g->sites[parent]]);
    char *all = callees_text(s, x, " and ");
    char *where = above ? iot_maker_text(s->a, s->g, above, &caller) : base_copy("the first goal");
    c->text = base_format("%s begins the next of %u tries only when the one before has failed, "
                          "though no try needs anything of another one",
                          name, x->tries);
    c->advice = base_format("call %s in %s, all at once, and take the first that succeeds", all,
                            where);
    c->condition = base_copy("begun at once");
    if (caller.line)
        candidate_also(c, caller);
    free(name);
    free(all);
    free(where);
}

static void add_candidate(const search *s, candidates *list, const started *x)
{
    uint32_t parent = s->g->parents[x->example];
    uint32_t clause = trace_reduction_clause(s->t, parent);
    candidate *c = candidate_add(list, FINDING_EARLY_READ);
    c->place = iot_clause_location(s->a, clause);
    c->clause = clause;
    c->reduction = parent;
    c->estimate = true;
    c->doubt = LIKELY;
    c->change = begin_sooner(s, x);
    int64_t span, end = end_of_vain(s, x, &c->change, &span);
    c->has_span = end > span;
    c->span_without = end;
    name_callers(s, x, x->caller, c);
    for (uint32_t k = 0; x->tries && k < x->ncallees; k++)
        name_callers(s, x, s->all.at[x->members[k]].caller, c);
    if (x->tries)
        set_texts_of_tries(s, x, c);
    else
        set_texts(s, x, c);
}

static bool is_worth_it(const search *s, const started *x)
{
    return x->late >= FEWEST && x->n >= mostly * s->times[x->caller] &&
           x->steps >= LONG * (int64_t)x->n && iot_may_save(s->a, x->gained);
}

// All entries of this one's caller together; false: there are too many, or too few that need them. Each goal of the caller
// counts once.
static bool join_alternatives(const search *s, uint32_t first, started *ret)
{
    *ret = (started){.caller = s->all.at[first].caller, .longest = -1};
    for (uint32_t i = 0; i < s->all.n; i++) {
        const started *x = &s->all.at[i];
        if (x->caller != ret->caller || x->late == 0 || x->steps < LONG * (int64_t)x->n)
            continue;
        if (i < first || ret->ncallees == MOST_ALTERNATIVES)
            return false;
        ret->callees[ret->ncallees] = x->callees[0];
        ret->members[ret->ncallees++] = i;
        ret->gained += x->gained;
        ret->late += x->late;
        ret->steps += x->steps;
        if (x->longest > ret->longest) {
            ret->longest = x->longest;
            ret->example = x->example;
        }
    }
    ret->n = s->users[ret->caller];
    return ret->ncallees > 1 && is_worth_it(s, ret);
}

// The entry of a goal by which this caller hands on to another one that decides about a goal that
// takes long; IOT_NONE: none.
static uint32_t next_try(const search *s, uint32_t caller)
{
    for (uint32_t i = 0; i < s->all.n; i++) {
        if (s->all.at[i].caller != caller)
            continue;
        for (uint32_t k = 0; k < s->all.n; k++)
            if (s->all.at[k].caller == s->all.at[i].callees[0])
                return i;
    }
    return IOT_NONE;
}

// Adds the goals of one caller. False: none of them takes long, none waits for a decision, or few of
// the caller's goals come to them.
static bool add_try(const search *s, uint32_t caller, started *x)
{
    bool takes_long = false;
    for (uint32_t i = 0; i < s->all.n && x->ncallees < MOST_GOALS; i++) {
        const started *y = &s->all.at[i];
        if (y->caller != caller || y->n == 0)
            continue;
        takes_long |= y->late && y->steps >= LONG * (int64_t)y->n && y->n >= often * s->times[caller];
        x->callees[x->ncallees] = y->callees[0];
        x->members[x->ncallees++] = i;
        x->gained += y->gained;
        x->late += y->late;
        x->example = x->tries == 0 && y->example ? y->example : x->example;
    }
    x->tries++;
    return takes_long;
}

// The tries that begin with this caller, if it is the first of several.
static bool join_tries(const search *s, uint32_t caller, started *ret)
{
    uint32_t hand_on, tries = 0;
    for (uint32_t i = 0; i < s->all.n; i++)
        if (s->all.at[i].callees[0] == caller)
            return false;
    *ret = (started){.caller = caller, .longest = -1};
    while (add_try(s, caller, ret) && ++tries < MOST_TRIES &&
           (hand_on = next_try(s, caller)) != IOT_NONE)
        caller = s->all.at[hand_on].callees[0];
    ret->tries = tries + 1; // with the one that the first caller waits for
    return tries > 1 && ret->late >= FEWEST && iot_may_save(s->a, ret->gained);
}

static void find_tries(const search *s, candidates *c)
{
    for (uint32_t i = 0; i < s->all.n; i++) {
        started tries;
        bool first = true;
        for (uint32_t k = 0; k < i; k++)
            first &= s->all.at[k].caller != s->all.at[i].caller;
        if (first && join_tries(s, s->all.at[i].caller, &tries))
            add_candidate(s, c, &tries);
    }
}

void iot_find_started_late(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    find_items(&s);
    if (s.all.n)
        gather(&s);
    find_tries(&s, c);
    uint32_t proposed = 0;
    for (uint32_t i = 0; i < s.all.n && proposed < PROPOSED; i++) {
        started alternatives;
        if (join_alternatives(&s, i, &alternatives))
            add_candidate(&s, c, &alternatives);
        else if (is_worth_it(&s, &s.all.at[i]))
            add_candidate(&s, c, &s.all.at[i]);
        else
            continue;
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
