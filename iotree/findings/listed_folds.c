// SPDX-License-Identifier: MIT
//
// Values that one loop lists one by one and another loop combines one after the other:
//
//     range(I, N, Xs) :- I =< N, I1 := I + 1 | Xs = [I|Xs1], range(I1, N, Xs1).
//     sum([X|Xs], A, S) :- A1 := A + X, sum(Xs, A1, S).
//
// and perhaps further loops that combine the items of the same list. A tree of the sums alone waits
// for the list, and a list made as a tree waits for the sums. The price is the run in which both
// are trees. It is dropped if that of the combinations alone saves half as much, and where most of
// the run is something else, since a list is then as good as anything.
#include "iotree/findings/accumulate.h"
#include "iotree/findings/trees.h"

enum { MOST_OTHERS = 4 };           // loops that may combine the items of the same list
static const double worth_it = 0.6; // share of the run

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

static void draft_lists(const list_makers *makers, change_draft *d)
{
    for (uint32_t i = 0; i + 1 < makers->n; i++)
        draft_taker(&makers->made[i], d);
    iot_draft_creation(&makers->made[makers->n - 1], d);
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
        iot_is_own_clause(l, clause) ? "let " : "let a predicate in place of ", name, loops_levels(values),
        (unsigned long long)values);
    free(name);
    return text;
}

// The loop's combinations as a tree. False: it does something else.
static bool draft_combinations(const loop_study *s, change_draft *d, const char **ret_verb,
                               uint64_t *ret_values)
{
    const fold *f = iot_biggest_fold(s);
    if (f && (s->sequential || s->has_state))
        return false;
    if (!f && !iot_loop_accumulates(s->l, s->loop, ret_verb))
        return false;
    draft_taker(s, d);
    for (size_t i = 0; f && i < s->folds.n; i++)
        if (s->folds.at[i].associative)
            iot_draft_fold(s, &s->folds.at[i], d);
    if (!f)
        iot_draft_accumulations(s, d);
    *ret_verb = f ? f->verb : *ret_verb;
    *ret_values = f ? f->longest + 1 : s->l->chains.at[s->l->biggest[s->loop]].n;
    return true;
}

// Other loops that combine the items of the same list. Their names: ", like len/3 (x.fl:7)";
// malloc'ed.
static char *draft_others(const loop_study *s, const list_makers *makers, candidate *x,
                          change_draft *d)
{
    const loops *l = s->l;
    uint32_t others = 0, looked = 0;
    base_text text = {0};
    for (uint32_t i = 0; i < l->nloops && looked < MOST_OTHERS; i++) {
        const char *verb = NULL;
        uint64_t values = 0;
        if (i == s->loop || l->biggest[i] == IOT_NONE ||
            iot_list_maker(l, i) != makers->made[0].loop)
            continue;
        loop_study other = iot_study_loop(l, i);
        looked++;
        if (draft_combinations(&other, d, &verb, &values)) {
            uint32_t reduction, clause = iot_loop_clause(l, i, &reduction);
            char *name = iot_loop_text(&other, clause);
            text_add_format(&text, "%s%s", others++ == 0 ? ", like " : " and ", name);
            if (iot_is_own_clause(l, clause))
                candidate_also(x, iot_clause_location(l->a, clause));
            free(name);
        }
        iot_end_study(&other);
    }
    return text_finish(&text);
}

static void say_listed(const loop_study *s, const list_makers *makers, const char *verb,
                       uint64_t values, candidates *c, change_draft *d)
{
    change_draft none = {0};
    candidate *x = iot_add_loop_candidate(s, c, FINDING_CHAIN, &none);
    char *loop = iot_loop_text(s, x->clause), *list = iot_makers_text(makers, x);
    char *others = draft_others(s, makers, x, d);
    x->change = draft_finish(d);
    x->at_least = worth_it;
    x->text = base_format(
        "%s %s %llu values one after the other%s, from a list that %s: either holds up the other",
        loop, verb, (unsigned long long)values, others, list);
    x->advice = advice_text(&makers->made[makers->n - 1], values);
    x->condition = base_copy("with all as trees");
    free(loop);
    free(list);
    free(others);
}

// Does it make fewer cells than it takes? Then it is a stage of a pipeline that picks items out.
static bool picks_out(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t taken = 0, made = 0;
    for (uint32_t r = l->chains.at[l->biggest[s->loop]].first; r; r = l->next[r]) {
        taken += l->taken[r] != IOT_NONE;
        made += iot_makes_list(l->t, r);
    }
    return made < taken;
}

// Does a step of a maker combine values, too? Then the items follow from each other.
static bool are_plain(const list_makers *makers)
{
    for (uint32_t i = 0; i < makers->n; i++)
        if (iot_biggest_fold(&makers->made[i]) || picks_out(&makers->made[i]))
            return false;
    return true;
}

void iot_propose_listed(const loop_study *s, candidates *c)
{
    list_makers makers = {0};
    change_draft d = {0};
    const char *verb = NULL;
    uint64_t values = 0;
    iot_find_list_makers(s, &makers);
    if (makers.n > 0 && are_plain(&makers) && draft_combinations(s, &d, &verb, &values)) {
        draft_lists(&makers, &d);
        say_listed(s, &makers, verb, values, c, &d);
    }
    draft_free(&d);
    iot_free_list_makers(&makers);
}
