// SPDX-License-Identifier: MIT
//
// Work that is begun only when it is known to be needed. A clause waits for what decides whether it
// is chosen, and only then calls a goal that takes long and needs nothing of that:
//
//     result(open(X), _, R) :- R = X.
//     result(stuck, K, R) :- listen(60, K, R).
//
// The goal could begin with the one that waits, if most of these have it. What is not needed then is
// done in vain. Not of loops, which would begin ever more, nor of goals that act on the world, nor
// where the decision is a state that an earlier step of a loop made: then it is meant to be waited
// for.
#include "iotree/findings/findings.h"

#include "iotree/findings/clauses.h"

enum {
    PROPOSED = 4,
    LONG = 10,    // steps of the goal's work, on the mean, that are worth it
    FEWEST = 3,   // goals
};
static const double mostly = 0.66; // of the goals that wait have the work

// Goals of one predicate that the clauses of another one call.
typedef struct {
    uint32_t caller, callee; // predicates
    uint32_t clause;         // one that calls
    uint64_t gained, n, late;
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

static uint32_t entry_of(search *s, uint32_t caller, uint32_t callee, uint32_t clause)
{
    for (uint32_t i = 0; i < s->all.n; i++)
        if (s->all.at[i].caller == caller && s->all.at[i].callee == callee)
            return i;
    ARRAY_PUSH(s->all, (started){.caller = caller, .callee = callee, .clause = clause, .longest = -1});
    return (uint32_t)s->all.n - 1;
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
                s->number[s->first_item[clause] + k] = entry_of(s, p, item->predicate, clause) + 1;
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
}

// ---------------------------------------------------------------------------------------------
// Candidates

// The goals begin when those that call them were made.
static wait_change begin_sooner(const search *s, uint32_t entry)
{
    ARRAY_OF(reduction_edit) edits = {0};
    for (uint32_t r = 1; r < s->g->n; r++)
        if (entry_of_child(s, r) == entry)
            ARRAY_PUSH(edits, (reduction_edit){r, s->g->parents[s->g->parents[r]], -1});
    return (wait_change){.reductions = edits.at, .nreductions = edits.n};
}

static void add_candidate(const search *s, candidates *list, uint32_t entry)
{
    const iot *a = s->a;
    const started *x = &s->all.at[entry];
    uint32_t parent = s->g->parents[x->example], above = s->g->parents[parent];
    uint32_t clause = trace_reduction_clause(s->t, parent);
    iot_location caller = {TRACE_NONE, 0, IOT_NONE, IOT_NONE};
    candidate *c = candidate_add(list, FINDING_EARLY_READ);
    c->place = iot_clause_location(a, clause);
    c->clause = clause;
    c->reduction = parent;
    c->estimate = true;
    c->doubt = LIKELY;
    c->change = begin_sooner(s, entry);
    for (uint32_t i = s->facts->first[x->caller]; i < s->facts->first[x->caller + 1]; i++)
        for (uint32_t k = s->first_item[s->facts->clauses[i]];
             k < s->first_item[s->facts->clauses[i] + 1]; k++)
            if (s->number[k] == entry + 1)
                candidate_also(c, iot_clause_location(a, s->facts->clauses[i]));
    char *name = iot_site_text(a, &s->g->all_sites[s->g->sites[parent]]);
    char *callee = iot_predicate_text(s->t, x->callee);
    char *where = above ? iot_maker_text(a, s->g, above, &caller) : base_copy("the first goal");
    char *steps = iot_amount_text(a, x->longest);
    c->text = base_format("%s calls %s only when it is known whether that is needed, up to %s after "
                          "%s could: %s needs nothing of what is waited for, and %llu of %u goals "
                          "need it",
                          name, callee, steps, where, callee, (unsigned long long)x->n,
                          s->times[x->caller]);
    c->advice = base_format("call %s in %s, before it is known whether its result is needed", callee,
                            where);
    c->condition = base_copy("begun at once");
    if (caller.line)
        candidate_also(c, caller);
    free(name);
    free(callee);
    free(where);
    free(steps);
}

static bool is_worth_it(const search *s, const started *x)
{
    return x->late >= FEWEST && x->n >= mostly * s->times[x->caller] &&
           x->steps >= LONG * (int64_t)x->n && iot_may_save(s->a, x->gained);
}

void iot_find_started_late(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    find_items(&s);
    if (s.all.n)
        gather(&s);
    uint32_t proposed = 0;
    for (uint32_t i = 0; i < s.all.n && proposed < PROPOSED; i++)
        if (is_worth_it(&s, &s.all.at[i])) {
            add_candidate(&s, c, i);
            proposed++;
        }
    clause_facts_destroy(s.facts);
    free(s.last);
    free(s.times);
    free(s.number);
    free(s.first_item);
    free(s.all.at);
}
