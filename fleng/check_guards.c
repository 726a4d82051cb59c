// SPDX-License-Identifier: MIT
//
// Can the heads and guards of two clauses hold for one goal?  Terms that are to be equal are
// unified; variables get the types that tests leave to them; comparisons become bounds of linear
// forms. What is not understood is taken to hold, so that "cannot hold" is certain.
#include "check_linear.h"

#include <stdlib.h>

enum { MOST_CHOICES = 1024 }; // of alternatives

typedef struct {
    const fl_guard *guard;
    uint32_t base;
} test;

typedef FL_ARRAY(test) tests;

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
    FL_ARRAY(const fl_term *) todo = {0};
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

// What makes terms equal, first: all else looks at what they are then.
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
    for (uint32_t i = 0; i < list->n; i++)
        for (uint32_t k = i + 1; k < list->n; k++)
            if (!same_question(x, list->at[i], list->at[k]))
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
    FL_ARRAY(const fl_term *) todo = {0};
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

// Of one clause it is asked whether it can be chosen at all: then numbers may be floats. Of two it is
// asked whether the author keeps them apart: then they are what they look like.
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

// Variables of a may get values, those of b not: they are told apart by being taken for constants.
bool fl_is_more_general(const fl_clause *a, const fl_clause *b)
{
    fl_store s;
    make_store(&s, a->nvariables + b->nvariables);
    for (uint32_t i = 0; i < a->predicate->arity; i++)
        if (!fl_parts_match(&s, (fl_part){a->head[i], 0}, (fl_part){b->head[i], a->nvariables}))
            return false;
    return !s.gave_up;
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
