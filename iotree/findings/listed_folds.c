// SPDX-License-Identifier: MIT
//
// Values that one loop lists one by one and another loop combines one after the other:
//
//     range(I, N, Xs) :- I =< N, I1 := I + 1 | Xs = [I|Xs1], range(I1, N, Xs1).
//     sum([X|Xs], A, S) :- A1 := A + X, sum(Xs, A1, S).
//
// A tree of the sums alone waits for the list, and a list made as a tree waits for the sums. The
// price is the run in which both are trees. It is dropped if that of the combinations alone saves
// half as much, and where most of the run is something else, since a list is then as good as
// anything.
#include "iotree/findings/trees.h"

static const double worth_it = 0.5; // share of the run

// What takes the items of the list is begun where they are made, and needs no tree of its own.
static void draft_taker(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    iot_draft_creation(s, d);
    for (uint32_t r = 1; r < l->g->n; r++)
        if (iot_is_member(s, r) && iot_is_lopsided(l, l->chain_of[r]))
            draft_reduction(d, r, l->g->parents[l->chains.at[l->chain_of[r]].first],
                            (double)wait_cost(l->g, r));
}

static void draft_lists(const loop_study *s, const list_makers *makers, change_draft *d)
{
    draft_taker(s, d);
    for (uint32_t i = 0; i + 1 < makers->n; i++)
        draft_taker(&makers->made[i], d);
    iot_draft_creation(&makers->made[makers->n - 1], d);
}

static bool is_own(const loops *l, uint32_t clause)
{
    return trace_get_predicate(l->t, trace_get_clause(l->t, clause)->predicate)->origin ==
           TRACE_PROGRAM;
}

// "weights/2 (x.fl:5) makes item by item from the list of accounts/3 (x.fl:3)". malloc'ed.
static char *makers_text(const list_makers *makers, candidate *x)
{
    base_text text = {0};
    for (uint32_t i = 0; i < makers->n; i++) {
        const loop_study *m = &makers->made[i];
        const loops *l = m->l;
        uint32_t reduction, clause = iot_loop_clause(l, m->loop, &reduction);
        char *name = is_own(l, clause)
                         ? iot_loop_text(m, clause)
                         : iot_predicate_text(l->t, trace_get_clause(l->t, clause)->predicate);
        text_add_format(&text, "%s%s%s",
                        i == 0   ? ""
                        : i == 1 ? " from the list of "
                                 : ", from that of ",
                        name, i == 0 ? " makes item by item" : "");
        if (is_own(l, clause))
            candidate_also(x, iot_clause_location(l->a, clause));
        free(name);
    }
    return text_finish(&text);
}

// What to do about the loop that begins it all. malloc'ed.
static char *advice_text(const loop_study *first, uint64_t values)
{
    const loops *l = first->l;
    uint32_t reduction, clause = iot_loop_clause(l, first->loop, &reduction);
    char *name = iot_predicate_text(l->t, trace_get_clause(l->t, clause)->predicate);
    char *text = base_format(
        "%s%s halve its range, and combine the results of both halves instead of making a "
        "list (%u levels instead of %llu steps)",
        is_own(l, clause) ? "let " : "let a predicate in place of ", name, loops_levels(values),
        (unsigned long long)values);
    free(name);
    return text;
}

static void say_listed(const loop_study *s, const list_makers *makers, const char *verb,
                       uint64_t values, candidates *c, change_draft *d)
{
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CHAIN, d);
    char *loop = iot_loop_text(s, x->clause);
    char *list = makers_text(makers, x);
    x->at_least = worth_it;
    x->text = base_format(
        "%s %s %llu values one after the other, from a list that %s: either holds up the other",
        loop, verb, (unsigned long long)values, list);
    x->advice = advice_text(&makers->made[makers->n - 1], values);
    x->condition = base_copy("with both as trees");
    free(loop);
    free(list);
}

// Does a step of a maker combine values, too? Then the items follow from each other.
static bool makes_sums(const list_makers *makers)
{
    for (uint32_t i = 0; i < makers->n; i++)
        if (iot_biggest_fold(&makers->made[i]))
            return true;
    return false;
}

static bool find_makers(const loop_study *s, list_makers *makers)
{
    iot_find_list_makers(s, makers);
    return makers->n > 0 && !makes_sums(makers);
}

void iot_propose_listed_fold(const loop_study *s, candidates *c)
{
    list_makers makers = {0};
    if (!s->sequential && !s->has_state && find_makers(s, &makers)) {
        const fold *f = iot_biggest_fold(s);
        change_draft d = {0};
        draft_lists(s, &makers, &d);
        for (size_t i = 0; i < s->folds.n; i++)
            if (s->folds.at[i].associative)
                iot_draft_fold(s, &s->folds.at[i], &d);
        say_listed(s, &makers, f->verb, f->longest + 1, c, &d);
        draft_free(&d);
    }
    iot_free_list_makers(&makers);
}

void iot_propose_listed_accumulation(const loop_study *s, const char *verb, candidates *c)
{
    list_makers makers = {0};
    if (find_makers(s, &makers)) {
        change_draft d = {0};
        draft_lists(s, &makers, &d);
        iot_draft_accumulations(s, &d);
        say_listed(s, &makers, verb, s->l->chains.at[s->l->biggest[s->loop]].n, c, &d);
        draft_free(&d);
    }
    iot_free_list_makers(&makers);
}
