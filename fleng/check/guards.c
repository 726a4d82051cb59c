// SPDX-License-Identifier: MIT
//
// Decides whether the heads and guards of two clauses can hold for one goal. Terms that must be
// equal are unified; tests limit the types of variables; comparisons become bounds of linear forms.
// Any other test is assumed to hold, so the answer "cannot hold" is certain.
#include "fleng/check/linear.h"

#include <stdlib.h>

enum {
    MOST_CHOICES = 1024, // of alternatives
    MOST_TESTS = 300,    // that are compared with each other
};

typedef struct {
    const fl_guard *guard;
    uint32_t base;
} test;

typedef ARRAY_OF(test) tests;

// ---- Alternatives -------------------------------------------------------------------------------

// Appends the tests of a conjunction; of each disjunction the alternative that *choice says, whose
// digits are used up from the lowest.
static void choose(tests *list, const fl_guards *guards, uint32_t base, uint32_t *choice)
{
    for (uint32_t i = 0; i < guards->n; i++) {
        const fl_guard *g = guards->at[i];
        if (g->kind != GUARD_OR) {
            FL_PUSH(*list, (test){g, base});
            continue;
        }
        uint32_t pick = *choice % g->nalternatives;
        *choice /= g->nalternatives;
        choose(list, &g->alternatives[pick], base, choice);
    }
}

static uint32_t count_choices(const fl_guards *guards)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < guards->n && n <= MOST_CHOICES; i++) {
        const fl_guard *g = guards->at[i];
        uint64_t most = 0;
        for (uint32_t k = 0; k < g->nalternatives; k++) {
            uint32_t inner = count_choices(&g->alternatives[k]);
            most = inner > most ? inner : most;
        }
        if (g->kind == GUARD_OR)
            n *= g->nalternatives * most;
    }
    return n > MOST_CHOICES ? MOST_CHOICES + 1 : (uint32_t)n;
}

// ---- Tests --------------------------------------------------------------------------------------

typedef struct {
    fl_store store;
    fl_types *types; // by variable
    fl_linear linear;
    bool unknown; // a test that is not understood
} trial;

static fl_part argument(test t, uint32_t i)
{
    return (fl_part){t.guard->args[i], t.base};
}

static bool restrict_to(trial *x, fl_part p, fl_types types)
{
    p = fl_part_value(&x->store, p);
    if (p.term->kind != FL_VAR)
        return (fl_type_of(p.term) & types) != 0;
    return (x->types[fl_part_variable(p)] &= types) != 0;
}

// Every variable of an expression stands for a number.
static bool restrict_to_numbers(trial *x, fl_part expression)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, expression.term);
    while (todo.n > 0) {
        const fl_term *t = todo.at[--todo.n];
        if (t->kind == FL_VAR && !restrict_to(x, (fl_part){t, expression.base}, FL_TYPE_NUMBER))
            return false;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
    return true;
}

static bool test_type(trial *x, test t)
{
    fl_types types = fl_types_of_test(t.guard->name);
    if (!types)
        x->unknown = true;
    return !types || restrict_to(x, argument(t, 0), types);
}

// Equations come first: all other tests look at the terms that they make equal.
static bool take_equalities(trial *x, const tests *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].guard->kind == GUARD_EQUAL &&
            !fl_parts_unify(&x->store, argument(list->at[i], 0), argument(list->at[i], 1)))
            return false;
    return true;
}

// Of the same term functor/3 and arg/3 give the same.
static bool same_question(trial *x, test a, test b)
{
    if (a.guard->kind != b.guard->kind)
        return true;
    if (a.guard->kind == GUARD_FUNCTOR &&
        fl_parts_same(&x->store, argument(a, 0), argument(b, 0)))
        return fl_parts_unify(&x->store, argument(a, 1), argument(b, 1)) &&
               fl_parts_unify(&x->store, argument(a, 2), argument(b, 2));
    if (a.guard->kind == GUARD_ARGUMENT &&
        fl_parts_same(&x->store, argument(a, 0), argument(b, 0)) &&
        fl_parts_same(&x->store, argument(a, 1), argument(b, 1)))
        return fl_parts_unify(&x->store, argument(a, 2), argument(b, 2));
    return true;
}

static bool take_questions(trial *x, const tests *list)
{
    tests questions = {0};
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].guard->kind == GUARD_FUNCTOR || list->at[i].guard->kind == GUARD_ARGUMENT)
            FL_PUSH(questions, list->at[i]);
    if (questions.n > MOST_TESTS) {
        x->unknown = true;
        return true;
    }
    for (uint32_t i = 0; i < questions.n; i++)
        for (uint32_t k = i + 1; k < questions.n; k++)
            if (!same_question(x, questions.at[i], questions.at[k]))
                return false;
    return true;
}

static bool take_definitions(trial *x, const tests *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].guard->kind == GUARD_ASSIGN &&
            !fl_linear_define(&x->linear, &x->store, argument(list->at[i], 0),
                              argument(list->at[i], 1)))
            return false;
    return true;
}

static bool take_test(trial *x, test t)
{
    switch (t.guard->kind) {
    case GUARD_COMPARE:
        return restrict_to_numbers(x, argument(t, 0)) && restrict_to_numbers(x, argument(t, 1)) &&
               fl_linear_compare(&x->linear, &x->store, t.guard->name, argument(t, 0),
                                 argument(t, 1));
    case GUARD_ASSIGN:
        return restrict_to(x, argument(t, 0), FL_TYPE_NUMBER) &&
               restrict_to_numbers(x, argument(t, 1));
    case GUARD_TYPE:
        return test_type(x, t);
    case GUARD_UNBOUND:
        return restrict_to(x, argument(t, 0), FL_TYPE_UNBOUND);
    case GUARD_FAIL:
        return false;
    case GUARD_FUNCTOR:
    case GUARD_ARGUMENT:
        return restrict_to(x, argument(t, t.guard->kind == GUARD_ARGUMENT), ~FL_TYPE_UNBOUND);
    case GUARD_EQUAL:
    case GUARD_DIFFER:
        return true;
    default:
        x->unknown = true;
        return true;
    }
}

static bool take_differences(trial *x, const tests *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].guard->kind == GUARD_DIFFER &&
            fl_parts_same(&x->store, argument(list->at[i], 0), argument(list->at[i], 1)))
            return false;
    return true;
}

// ---- Clauses ------------------------------------------------------------------------------------

static void make_store(fl_store *s, uint32_t n)
{
    *s = (fl_store){.n = n};
    s->values = vm_alloc((n + 1) * sizeof *s->values);
}

static bool heads_unify(fl_store *s, const fl_clause *a, const fl_clause *b)
{
    for (uint32_t i = 0; i < a->predicate->arity; i++)
        if (!fl_parts_unify(s, (fl_part){a->head[i], 0}, (fl_part){b->head[i], a->nvariables}))
            return false;
    return true;
}

static bool mentions_floats(const tests *list)
{
    ARRAY_OF(const fl_term *) todo = {0};
    for (uint32_t i = 0; i < list->n; i++) {
        const fl_guard *g = list->at[i].guard;
        if (g->kind == GUARD_TYPE && strcmp(g->name, "float") == 0)
            return true;
        for (uint32_t k = 0; k < g->n; k++)
            FL_PUSH(todo, g->args[k]);
    }
    while (todo.n > 0) {
        const fl_term *t = todo.at[--todo.n];
        if (t->kind == FL_FLOAT)
            return true;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
    return false;
}

// The question about one clause is whether it can be chosen at all: there numbers may be floats.
// The question about two is whether the author keeps them apart: there numbers are as they are
// written.
static fl_decision try(const fl_clause *a, const fl_clause *b, const tests *list)
{
    trial x = {.linear.floats = !b || mentions_floats(list)};
    uint32_t n = a->nvariables + (b ? b->nvariables : 0);
    make_store(&x.store, n);
    x.types = vm_alloc_atomic((n + 1) * sizeof *x.types);
    for (uint32_t i = 0; i < n; i++)
        x.types[i] = FL_TYPE_ANY;
    bool holds = (!b || heads_unify(&x.store, a, b)) && take_equalities(&x, list) &&
                 take_questions(&x, list) && take_definitions(&x, list);
    for (uint32_t i = 0; i < list->n && holds; i++)
        holds = take_test(&x, list->at[i]);
    holds = holds && take_differences(&x, list) && fl_linear_holds(&x.linear);
    if (x.store.gave_up || (holds && x.unknown))
        return FL_UNDECIDED;
    return holds ? FL_CAN_HOLD : FL_CANNOT_HOLD;
}

fl_decision fl_can_hold(const fl_clause *a, const fl_clause *b)
{
    uint64_t choices = count_choices(&a->guards);
    choices *= b ? count_choices(&b->guards) : 1;
    if (choices > MOST_CHOICES)
        return FL_UNDECIDED;
    fl_decision best = FL_CANNOT_HOLD;
    for (uint32_t i = 0; i < choices && best != FL_CAN_HOLD; i++) {
        tests list = {0};
        uint32_t choice = i;
        choose(&list, &a->guards, 0, &choice);
        if (b)
            choose(&list, &b->guards, a->nvariables, &choice);
        fl_decision one = try(a, b, &list);
        if (one != FL_CANNOT_HOLD)
            best = one;
    }
    return best;
}

// Variables of a may get values. Variables of b may not: they count as different constants.
static bool is_more_general(const fl_clause *a, const fl_clause *b)
{
    fl_store s;
    make_store(&s, a->nvariables + b->nvariables);
    for (uint32_t i = 0; i < a->predicate->arity; i++)
        if (!fl_parts_match(&s, (fl_part){a->head[i], 0}, (fl_part){b->head[i], a->nvariables}))
            return false;
    return !s.gave_up;
}

// ---- Does one clause fit whatever another does? -------------------------------------------------

// Clause a has the variables from 0 on, which get values. The tests of b hold, and its variables
// stay as they are.
typedef struct {
    const fl_clause *a, *b;
    fl_store store;
    const tests *theirs; // of b
} cover;

// The same test is in b; the variables of a's test get the variables of b's as values.
static bool has_test(cover *c, test ours)
{
    if (c->theirs->n > MOST_TESTS)
        return false;
    for (uint32_t i = 0; i < c->theirs->n; i++) {
        test t = c->theirs->at[i];
        if (t.guard->kind != ours.guard->kind || t.guard->n != ours.guard->n ||
            strcmp(t.guard->name, ours.guard->name) != 0)
            continue;
        fl_store before = c->store;
        before.values = vm_alloc((before.n + 1) * sizeof *before.values);
        memcpy(before.values, c->store.values, before.n * sizeof *before.values);
        bool same = true;
        for (uint32_t k = 0; k < t.guard->n && same; k++)
            same = fl_parts_match(&c->store, argument(ours, k), argument(t, k));
        if (same)
            return true;
        c->store = before;
    }
    return false;
}

// What b's tests leave possible; false if they cannot hold.
static bool take_theirs(cover *c, trial *x)
{
    *x = (trial){.store = c->store, .linear.floats = true};
    x->store.values = vm_alloc((c->store.n + 1) * sizeof *x->store.values);
    memcpy(x->store.values, c->store.values, c->store.n * sizeof *x->store.values);
    x->types = vm_alloc_atomic((c->store.n + 1) * sizeof *x->types);
    for (uint32_t i = 0; i < c->store.n; i++)
        x->types[i] = FL_TYPE_ANY;
    bool holds = take_equalities(x, c->theirs) && take_definitions(x, c->theirs);
    for (uint32_t i = 0; i < c->theirs->n && holds; i++)
        holds = take_test(x, c->theirs->at[i]);
    return holds && fl_linear_holds(&x->linear);
}

// Do b's tests leave nothing but these types to the term?
static bool is_of_types(const trial *x, fl_part p, fl_types types)
{
    p = fl_part_value(&x->store, p);
    fl_types left = p.term->kind == FL_VAR ? x->types[fl_part_variable(p)] : fl_type_of(p.term);
    return types && (left & ~types) == 0;
}

static bool is_computable(const trial *x, fl_part expression)
{
    ARRAY_OF(fl_part) todo = {0};
    FL_PUSH(todo, expression);
    while (todo.n > 0) {
        fl_part p = fl_part_value(&x->store, todo.at[--todo.n]);
        if (p.term->kind == FL_VAR && !is_of_types(x, p, FL_TYPE_NUMBER))
            return false;
        for (uint32_t i = 0; i < p.term->n; i++)
            FL_PUSH(todo, (fl_part){p.term->args[i], p.base});
    }
    return true;
}

static const char *opposite(const char *comparison)
{
    static const char *const pairs[][2] = {{"<", ">="}, {">", "=<"}, {"=:=", "=\\="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(comparison, pairs[i][k]) == 0)
                return pairs[i][!k];
    return NULL;
}

// Does the test hold, and is that seen without waiting, whenever b's tests hold?
static bool follows(cover *c, test ours)
{
    trial x;
    if (has_test(c, ours))
        return true;
    if (!take_theirs(c, &x))
        return false;
    fl_part left = argument(ours, 0);
    switch (ours.guard->kind) {
    case GUARD_TYPE:
        return is_of_types(&x, left, fl_types_of_test(ours.guard->name));
    case GUARD_EQUAL:
        return fl_parts_same(&x.store, left, argument(ours, 1));
    case GUARD_COMPARE: {
        const char *name = opposite(ours.guard->name);
        return name && is_computable(&x, left) && is_computable(&x, argument(ours, 1)) &&
               !(fl_linear_compare(&x.linear, &x.store, name, left, argument(ours, 1)) &&
                 fl_linear_holds(&x.linear));
    }
    default:
        return false;
    }
}

static bool all_follow(const fl_clause *a, const fl_clause *b, const tests *ours,
                       const tests *theirs)
{
    cover c = {.a = a, .b = b, .theirs = theirs};
    make_store(&c.store, a->nvariables + b->nvariables);
    for (uint32_t i = 0; i < a->predicate->arity; i++)
        if (!fl_parts_match(&c.store, (fl_part){a->head[i], 0},
                            (fl_part){b->head[i], a->nvariables}))
            return false;
    for (uint32_t i = 0; i < ours->n; i++)
        if (!follows(&c, ours->at[i]))
            return false;
    return !c.store.gave_up;
}

bool fl_covers(const fl_clause *a, const fl_clause *b)
{
    uint64_t ways = count_choices(&a->guards), cases = count_choices(&b->guards);
    if (a->guards.n == 0)
        return is_more_general(a, b);
    if (ways * cases > MOST_CHOICES || !is_more_general(a, b))
        return false;
    for (uint32_t i = 0; i < cases; i++) {
        tests theirs = {0};
        uint32_t choice = i;
        bool covered = false;
        choose(&theirs, &b->guards, a->nvariables, &choice);
        for (uint32_t k = 0; k < ways && !covered; k++) {
            tests ours = {0};
            choice = k;
            choose(&ours, &a->guards, 0, &choice);
            covered = all_follow(a, b, &ours, &theirs);
        }
        if (!covered)
            return false;
    }
    return true;
}

bool fl_same_bodies(const fl_clause *a, const fl_clause *b)
{
    fl_store s;
    make_store(&s, a->nvariables + b->nvariables);
    if (a->nitems != b->nitems || !heads_unify(&s, a, b))
        return false;
    for (uint32_t i = 0; i < a->nitems; i++) {
        const fl_item *x = &a->items[i], *y = &b->items[i];
        if (x->unify != y->unify || x->predicate != y->predicate)
            return false;
        for (uint32_t k = 0; k < x->n; k++)
            if (!fl_parts_same(&s, (fl_part){x->args[k], 0}, (fl_part){y->args[k], a->nvariables}))
                return false;
    }
    return !s.gave_up;
}
