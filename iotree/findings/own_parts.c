// SPDX-License-Identifier: MIT
//
// Loops that take turns to change one state, each of them other parts of it:
//
//     rain(K, X, st(A, B, C), End) :- K > 0, K1 := K - 1 | A1 := A + X, rain(K1, X, st(A1, B, C), End).
//     wind(K, X, st(A, B, C), End) :- K > 0, K1 := K - 1 | B1 := B * X, wind(K1, X, st(A, B1, C), End).
//
// Wind waits for the whole state that rain makes, though nothing that it needs of it has changed.
#include "iotree/findings/early_reads.h"
#include "iotree/terms/values.h"

enum { MOST_LOOPS = 8 }; // that change one state

// Does the clause's goal of its own predicate get the same structure again, with some parts as they were?
// Marks the variables of those.
static bool marks_handed_parts(const trace_clause *c, uint32_t pattern, uint32_t node, uint8_t *handed)
{
    const trace_node *p = &c->patterns[pattern], *q = &c->nodes[node];
    uint32_t n = 0;
    if (p->kind != TN_STRUCT || q->kind != TN_STRUCT || p->n != q->n || !is_same_value(p->value, q->value))
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const trace_node *x = &c->patterns[c->pattern_children[p->first + i]];
        const trace_node *y = &c->nodes[c->children[q->first + i]];
        if (x->kind == TN_HOLE && y->kind == TN_HOLE && x->index == y->index) {
            handed[x->index] = 1;
            n++;
        }
    }
    for (uint32_t i = 0; i < p->n; i++) {
        const trace_node *y = &c->nodes[c->children[q->first + i]];
        if (y->kind != TN_HOLE && node_has_hole_of(c, c->children[q->first + i], handed))
            return false;
    }
    return n > 0 && n < p->n;
}

// Is it the state of a loop, of which the loop changes parts of its own, and does not look at the others?
static bool has_own_parts(const early_search *s, clause_test test)
{
    const trace_clause *c = trace_get_clause(s->t, test.clause);
    uint32_t argument = test.guard ? IOT_NONE : test_argument(s->t, test), again = 0;
    if (argument == IOT_NONE || c->head[argument] != test.at)
        return false;
    uint8_t *handed = base_allocate(c->nholes, 1);
    bool own = true;
    for (uint32_t i = 0; i < c->nitems && own; i++)
        if (c->items[i].kind == TI_GOAL && c->items[i].predicate == c->predicate) {
            own = marks_handed_parts(c, test.at, c->children[c->items[i].first + argument], handed);
            again++;
        }
    for (uint32_t i = 0; i < c->nitems && own; i++)
        for (uint32_t k = 0; k < c->items[i].n && own; k++)
            own = (c->items[i].kind == TI_GOAL && c->items[i].predicate == c->predicate && k == argument) ||
                  !node_has_hole_of(c, c->children[c->items[i].first + k], handed);
    own = own && again == 1 && !guards_look_at(s->t, test.clause, handed);
    free(handed);
    return own;
}

bool iot_waits_for_other_parts(const early_search *s, const read_group *g)
{
    uint32_t maker = s->g->all_sites[s->g->sites[g->maker]].predicate;
    return has_own_parts(s, s->tests.at[g->test]) &&
           !predicates_call_each_other(s->facts, g->predicate, maker);
}

void iot_advise_own_parts(const early_search *s, candidate *x, const read_group *g)
{
    char *what = test_text(s->t, s->tests.at[g->test]);
    char *reader = iot_predicate_text(s->t, x->place.predicate);
    free(x->advice);
    x->advice = base_format("keep the parts of %s in arguments of their own: %s changes only some of them "
                            "and hands the others on as they are",
                            what, reader);
    free(what);
    free(reader);
}

// ---------------------------------------------------------------------------------------------
// All loops of one state

static const trace_node *state_of(const early_search *s, const read_group *g)
{
    clause_test test = s->tests.at[g->test];
    return &trace_get_clause(s->t, test.clause)->patterns[test.at];
}

static bool have_one_state(const early_search *s, const read_group *g, const read_group *h)
{
    const trace_node *x = state_of(s, g), *y = state_of(s, h);
    return g->predicate != h->predicate && x->n == y->n && is_same_value(x->value, y->value);
}

static void add_joint(const early_search *s, candidates *list, const uint32_t *of, uint32_t n)
{
    const wait_change nothing = {0};
    wait_change all = change_of_both(s->g, &list->list.at[of[0]].change, &nothing);
    base_text others = {0};
    for (uint32_t i = 1; i < n; i++) {
        const iot_location *place = &list->list.at[of[i]].place;
        wait_change more = change_of_both(s->g, &all, &list->list.at[of[i]].change);
        char *name = iot_predicate_text(s->t, place->predicate);
        char *where = iot_place_text(s->t, place->source, place->line);
        iot_free_change(&all);
        all = more;
        text_add_format(&others, "%s%s%s", i == 1 ? "" : i + 1 == n ? " and " : ", ", name, where);
        free(name);
        free(where);
    }
    candidate *y = candidate_add(list, FINDING_EARLY_READ);
    const candidate *first = &list->list.at[of[0]];
    char *rest = text_finish(&others);
    y->place = first->place;
    y->clause = first->clause;
    y->reduction = first->reduction;
    y->estimate = true;
    y->change = all;
    for (uint32_t i = 0; i < n; i++)
        candidate_also(y, list->list.at[of[i]].place);
    y->text = base_format("%s; %s wait%s for it in the same way, and change%s other parts", first->text, rest,
                          n == 2 ? "s" : "", n == 2 ? "s" : "");
    y->advice = base_copy(first->advice);
    y->condition = base_copy("with all these waits at once");
    free(rest);
}

void iot_join_own_parts(const early_search *s, candidates *list, const uint32_t *groups, uint32_t n)
{
    uint32_t of[MOST_LOOPS], found = 0, first = (uint32_t)list->list.n - n, example = 0;
    for (uint32_t i = 0; i < n && found < MOST_LOOPS; i++) {
        const read_group *g = &s->groups.at[groups[i]];
        if (!iot_waits_for_other_parts(s, g) ||
            (found && !have_one_state(s, &s->groups.at[groups[example]], g)))
            continue;
        example = found ? example : i;
        of[found++] = first + i;
    }
    if (found > 1)
        add_joint(s, list, of, found);
}
