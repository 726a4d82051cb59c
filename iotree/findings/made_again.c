// SPDX-License-Identifier: MIT
//
// Terms that are made again. A clause takes an input apart and makes an output that is the same:
//
//     return(paper(X, S), Up) :- Up = paper(X, S).
//     tower(I, signal(X), Out, L) :- Out = signal(X), lamp(X, I, L).
//
// If all clauses of the predicate do, the output is the input, `Up = Paper`, and who reads it need
// not wait until the goal has looked at the input: a step for each goal that passes the term on.
//
// Not where a clause waits for something else, too: then it may be there to wait. Nor where it acts
// on the world, nor of constants only: what says `yes` for yes may be a table. The price is the run
// in which the goal makes the output without a look at the input.
#include "iotree/findings/clauses.h"
#include "iotree/findings/findings.h"
#include "iotree/findings/late_items.h"
#include "iotree/findings/loops.h"

enum {
    FEWEST = 4,  // goals
    PROPOSED = 8 // predicates
};

typedef struct {
    uint32_t input, output; // arguments; IOT_NONE: it passes nothing on
    bool only;              // no clause does anything else
    bool takes_apart;       // a clause takes a term apart
} relay_facts;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    relay_facts *relays; // by predicate
    uint64_t *gained;    // by predicate: steps on the critical path
    uint32_t *n;         // by predicate: goals
    uint32_t *example;
} search;

// ---------------------------------------------------------------------------------------------
// Text

static bool is_structure(const trace_node *p)
{
    return p->kind != TN_HOLE && p->kind != TN_FRESH;
}

// Does a pattern take a term apart?
static bool takes_apart(const trace_node *p)
{
    return is_structure(p) && p->kind != TN_CONST;
}

static bool is_number(const trace_node *p)
{
    return p->kind == TN_CONST && (p->value.kind == TV_INT || p->value.kind == TV_FLOAT);
}

// The argument of the head that is this hole, as a whole; IOT_NONE: none, or several are.
static uint32_t argument_of_hole(const trace_clause *c, const trace_node *n)
{
    uint32_t found = IOT_NONE;
    for (uint32_t i = 0; n->kind == TN_HOLE && i < c->nhead; i++) {
        const trace_node *p = &c->patterns[c->head[i]];
        if (p->kind == TN_HOLE && p->index == n->index) {
            if (found != IOT_NONE)
                return IOT_NONE;
            found = i;
        }
    }
    return found;
}

// Does the clause wait for nothing but this input, and for what it counts and computes with?
static bool waits_for_input_only(const trace *t, const trace_clause *c, uint32_t input)
{
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *p = &c->patterns[c->head[i]];
        if (i != input && is_structure(p) && !is_number(p))
            return false;
    }
    for (uint32_t i = 0; i < c->nguards; i++)
        if (iot_is_type_test(trace_string(t, c->guards[i].name, NULL)))
            return false;
    return true;
}

// Does the clause make what it took apart again, and bind an output to it?
static bool makes_again(const search *s, uint32_t clause, relay_facts *ret)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    for (uint32_t k = 0; k < c->nitems; k++) {
        const trace_item *item = &c->items[k];
        if (item->kind != TI_UNIFY)
            continue;
        uint32_t output = argument_of_hole(c, &c->nodes[c->children[item->first]]);
        for (uint32_t i = 0; output != IOT_NONE && i < c->nhead; i++)
            if (is_structure(&c->patterns[c->head[i]]) && !is_number(&c->patterns[c->head[i]]) &&
                iot_is_made_again(c, c->head[i], c->children[item->first + 1]) &&
                waits_for_input_only(s->t, c, i)) {
                bool apart = takes_apart(&c->patterns[c->head[i]]);
                *ret = (relay_facts){i, output, c->nitems == 1, apart};
                return true;
            }
    }
    return false;
}

static relay_facts facts_of(const search *s, uint32_t predicate)
{
    const clause_facts *f = s->facts;
    const relay_facts nothing = {IOT_NONE, IOT_NONE, false, false};
    relay_facts all = {IOT_NONE, IOT_NONE, true, false}, x;
    for (uint32_t i = f->first[predicate]; i < f->first[predicate + 1]; i++) {
        uint32_t clause = f->clauses[i];
        if (!clause_is_told(f, clause) || clause_acts(s->t, clause) || !makes_again(s, clause, &x))
            return nothing;
        if (all.input != IOT_NONE && (all.input != x.input || all.output != x.output))
            return nothing;
        x.only &= all.only;
        x.takes_apart |= all.takes_apart;
        all = x;
    }
    return all.takes_apart ? all : nothing;
}

// ---------------------------------------------------------------------------------------------
// The run

static uint32_t predicate_of(const search *s, uint32_t r)
{
    return trace_goal_predicate(s->t, trace_reduction_goal(s->t, r));
}

static void gather(search *s)
{
    for (uint32_t r = 1; r < s->g->n; r++) {
        uint32_t p = predicate_of(s, r);
        s->n[p]++;
        s->example[p] = r;
    }
    for (uint32_t i = 0; i < s->a->path.n; i++)
        if (s->a->path.steps[i])
            s->gained[predicate_of(s, s->a->path.steps[i])]++;
}

// The goal itself takes no time; but what it calls in the repaired clause has still to look at the
// input.
static wait_change without_steps(const search *s, uint32_t predicate)
{
    change_draft d = {0};
    for (uint32_t r = 1; r < s->g->n; r++) {
        uint32_t parent = s->g->parents[r];
        if (predicate_of(s, r) == predicate)
            draft_reduction(&d, r, IOT_NONE, 0);
        else if (parent && predicate_of(s, parent) == predicate)
            draft_reduction(&d, r, IOT_NONE, 2 * (double)wait_cost(s->g, r));
    }
    return draft_finish(&d);
}

static void set_texts(const search *s, uint32_t p, candidate *x)
{
    const relay_facts *f = &s->relays[p];
    char *where = iot_site_text(s->a, &s->g->all_sites[s->g->sites[s->example[p]]]);
    char *name = iot_predicate_text(s->t, p);
    x->text = base_format("%s takes argument %u apart and makes the same term again as argument "
                          "%u, %u times: who reads that waits until each goal on the way has "
                          "looked at the term",
                          where, f->input + 1, f->output + 1, s->n[p]);
    x->advice =
        f->only ? base_format("leave %s out, and hand on the variable that it reads", name)
                : base_format("let %s bind argument %u to argument %u, and call a goal that takes "
                              "the term apart",
                              name, f->output + 1, f->input + 1);
    x->condition = base_copy("handing it on as it is");
    free(where);
    free(name);
}

static void name_callers(const search *s, uint32_t p, candidate *x)
{
    uint32_t last = IOT_NONE;
    for (uint32_t r = 1; r < s->g->n && s->relays[p].only; r++) {
        uint32_t parent = s->g->parents[r];
        uint32_t clause =
            predicate_of(s, r) == p && parent ? trace_reduction_clause(s->t, parent) : IOT_NONE;
        if (clause != IOT_NONE && clause != last)
            candidate_also(x, iot_clause_location(s->a, clause));
        last = clause == IOT_NONE ? last : clause;
    }
}

static void add_candidate(const search *s, uint32_t p, candidates *c)
{
    uint32_t example = s->example[p];
    candidate *x =
        candidate_at(s->a, c, FINDING_ALIAS, trace_reduction_clause(s->t, example), example);
    x->estimate = true;
    x->change = without_steps(s, p);
    for (uint32_t i = s->facts->first[p]; i < s->facts->first[p + 1]; i++)
        candidate_also(x, iot_clause_location(s->a, s->facts->clauses[i]));
    name_callers(s, p, x);
    set_texts(s, p, x);
}

void iot_find_made_again(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    uint32_t n = trace_npredicates(a->t), proposed = 0;
    s.facts = clause_facts_create(a->t);
    s.relays = base_allocate(n, sizeof *s.relays);
    s.gained = base_allocate(n, sizeof *s.gained);
    s.n = base_allocate(n, sizeof *s.n);
    s.example = base_allocate(n, sizeof *s.example);
    gather(&s);
    for (uint32_t p = 0; p < n && proposed < PROPOSED; p++) {
        if (s.n[p] < FEWEST || !iot_may_save(a, s.gained[p]))
            continue;
        s.relays[p] = facts_of(&s, p);
        if (s.relays[p].input == IOT_NONE)
            continue;
        add_candidate(&s, p, c);
        proposed++;
    }
    clause_facts_destroy(s.facts);
    free(s.relays);
    free(s.gained);
    free(s.n);
    free(s.example);
}
