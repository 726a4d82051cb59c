// SPDX-License-Identifier: MIT
//
// Clauses that are never chosen, and clauses between which timing chooses.
//
// A goal takes the first clause in the text that can commit. So a clause is never chosen if an
// earlier one has a more general head and a guard that requires no more. Timing chooses between two
// clauses that fit one goal if the later one can commit while the earlier one still waits.
// `alternatively.` between them says that the author knows.
#include "fleng/check/check.h"

#include <stdlib.h>

enum {
    MOST_PAIRS = 200000, // of clauses of one predicate that are compared
    MOST_NEEDS = 200,    // of one clause
};

// ---- What a clause waits for --------------------------------------------------------------------

// Places in the arguments of a goal: argument numbers, outermost first, e.g. 2.1 for the head of
// the list that is argument 2.
typedef struct {
    fl_dictionary places; // by text
    fl_dictionary deep;   // of these, those of which all parts may be needed
    ARRAY_OF(const char *) list;
    const char **of_variable; // its first place; NULL: none
    const fl_clause *clause;
} needs;

static const char *inner_place(const char *place, uint32_t argument)
{
    size_t size = strlen(place) + 12;
    char *text = vm_alloc_atomic(size);
    snprintf(text, size, *place ? "%s.%u" : "%s%u", place, argument);
    return text;
}

static void need(needs *n, const char *place)
{
    if (!place || n->list.n == MOST_NEEDS || fl_look_up(&n->places, place, strlen(place)))
        return;
    fl_enter(&n->places, place, strlen(place), 1);
    FL_PUSH(n->list, place);
}

static void need_deeply(needs *n, const char *place)
{
    need(n, place);
    if (place)
        fl_enter(&n->deep, place, strlen(place), 1);
}

// Is the place, or one that it is part of, looked at?
static bool is_needed(const needs *n, const char *place)
{
    if (fl_look_up(&n->places, place, strlen(place)))
        return true;
    for (size_t length = strlen(place); length > 0; length--)
        if ((place[length] == '.' || !place[length]) && fl_look_up(&n->deep, place, length))
            return true;
    return false;
}

typedef struct {
    const fl_term *term;
    const char *place;
} placed;

static void need_by_head(needs *n)
{
    ARRAY_OF(placed) todo = {0};
    for (uint32_t i = n->clause->predicate->arity; i > 0; i--)
        FL_PUSH(todo, (placed){n->clause->head[i - 1], inner_place("", i)});
    while (todo.n > 0 && n->list.n < MOST_NEEDS) {
        placed p = todo.at[--todo.n];
        if (p.term->kind != FL_VAR) {
            need(n, p.place);
            for (uint32_t i = p.term->n; i > 0; i--)
                FL_PUSH(todo, (placed){p.term->args[i - 1], inner_place(p.place, i)});
            continue;
        }
        const char **first = &n->of_variable[p.term->var];
        if (*first) { // both are needed to tell whether they are equal
            need_deeply(n, *first);
            need_deeply(n, p.place);
        } else {
            *first = p.place;
        }
    }
}

static void need_variables(needs *n, const fl_term *t, bool deeply)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR && deeply)
            need_deeply(n, n->of_variable[t->var]);
        else if (t->kind == FL_VAR)
            need(n, n->of_variable[t->var]);
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
}

// Of a disjunction nothing is needed for certain.
static void need_by_guards(needs *n)
{
    const fl_guards *guards = &n->clause->guards;
    for (uint32_t i = 0; i < guards->n; i++) {
        const fl_guard *g = guards->at[i];
        bool deeply =
            g->kind != GUARD_COMPARE && g->kind != GUARD_ASSIGN && g->kind != GUARD_TYPE;
        for (uint32_t k = 0; k < g->n && g->kind != GUARD_UNBOUND; k++)
            need_variables(n, g->args[k], deeply);
    }
}

static needs *needs_of(const fl_clause *c)
{
    needs *n = vm_alloc(sizeof *n);
    n->clause = c;
    n->of_variable = vm_alloc((c->nvariables + 1) * sizeof *n->of_variable);
    need_by_head(n);
    need_by_guards(n);
    return n;
}

// ---- Pairs --------------------------------------------------------------------------------------

typedef struct {
    const fl_check *check;
    const fl_procedure *procedure;
    needs **needs;     // by clause, made when asked for
    uint32_t *barrier; // by clause: `otherwise`s and `alternatively`s above it
    bool *never;       // by clause: it is never chosen (said)
    bool *overlaps;    // by clause: said
    uint64_t pairs;    // compared
} clauses;

static needs *ask_needs(clauses *x, uint32_t i)
{
    if (!x->needs[i])
        x->needs[i] = needs_of(x->procedure->clauses[i]);
    return x->needs[i];
}

static bool tests_unbound(const fl_guards *guards)
{
    for (uint32_t i = 0; i < guards->n; i++) {
        const fl_guard *g = guards->at[i];
        if (g->kind == GUARD_UNBOUND)
            return true;
        for (uint32_t k = 0; k < g->nalternatives; k++)
            if (tests_unbound(&g->alternatives[k]))
                return true;
    }
    return false;
}

static bool has_disjunction(const fl_guards *guards)
{
    for (uint32_t i = 0; i < guards->n; i++)
        if (guards->at[i]->kind == GUARD_OR)
            return true;
    return false;
}

// Something that the earlier clause waits for and the later one does not; NULL: there is nothing.
static const char *waits_alone(clauses *x, uint32_t earlier, uint32_t later)
{
    const needs *a = ask_needs(x, earlier), *b = ask_needs(x, later);
    if (b->list.n == MOST_NEEDS || has_disjunction(&b->clause->guards))
        return NULL;
    for (uint32_t i = 0; i < a->list.n; i++)
        if (!is_needed(b, a->list.at[i]))
            return a->list.at[i];
    return NULL;
}

static uint32_t head_width(const fl_clause *c)
{
    return fl_text_width(c->predicate->name, strlen(c->predicate->name));
}

static void report_never(clauses *x, uint32_t earlier, uint32_t later)
{
    const fl_clause *a = x->procedure->clauses[earlier], *b = x->procedure->clauses[later];
    x->never[later] = true;
    fl_warn(x->check, b, FL_WARNING, "never-chosen", b->line, b->column, head_width(b),
            "this clause of %s/%u is never chosen: clause %u (line %u) comes first and fits every "
            "goal that this one fits",
            b->predicate->name, b->predicate->arity, a->number, a->line);
}

static void report_overlap(clauses *x, uint32_t earlier, uint32_t later, const char *place)
{
    const fl_clause *a = x->procedure->clauses[earlier], *b = x->procedure->clauses[later];
    x->overlaps[later] = true;
    const char *dot = strchr(place, '.');
    fl_warn(
        x->check, b, FL_WARNING, "overlap", b->line, b->column, head_width(b),
        "clauses %u and %u of %s/%u fit the same goals, and this one can be chosen while clause "
        "%u (line %u) still waits for %sargument %.*s: timing decides",
        a->number, b->number, b->predicate->name, b->predicate->arity, a->number, a->line,
        dot ? "a part of " : "", (int)(dot ? dot - place : (long)strlen(place)), place);
}

static void compare(clauses *x, uint32_t earlier, uint32_t later)
{
    const fl_clause *a = x->procedure->clauses[earlier], *b = x->procedure->clauses[later];
    if (x->never[later] || x->never[earlier] || ++x->pairs > MOST_PAIRS)
        return;
    if (fl_covers(a, b)) {
        report_never(x, earlier, later);
        return;
    }
    if (x->overlaps[later] || x->barrier[earlier] != x->barrier[later] ||
        tests_unbound(&a->guards) || tests_unbound(&b->guards))
        return;
    const char *place = waits_alone(x, earlier, later);
    if (place && fl_can_hold(a, b) == FL_CAN_HOLD && !fl_same_bodies(a, b))
        report_overlap(x, earlier, later, place);
}

// ---- Which pairs --------------------------------------------------------------------------------

typedef ARRAY_OF(uint32_t) numbers;

typedef struct {
    numbers list;      // clauses, in the order of the text
    uint32_t argument; // the next to tell them apart by
} bundle;

static const char *key_of(const fl_term *t)
{
    size_t size = t->length + 40;
    char *key = vm_alloc_atomic(size);
    if (t->kind == FL_FLOAT)
        snprintf(key, size, "%d:%.17g", (int)t->kind, t->number);
    else
        snprintf(key, size, "%d:%u:%s", (int)t->kind, t->n, t->text ? t->text : "");
    return key;
}

typedef ARRAY_OF(bundle) bundles;

// Compares the clauses with a variable at the argument with all others; of these only those with
// the same key there remain to be compared with each other.
static void divide(clauses *x, const bundle *b, bundles *todo)
{
    fl_dictionary groups = {0};
    ARRAY_OF(numbers *) lists = {0};
    numbers *variables = vm_alloc(sizeof *variables);
    FL_PUSH(lists, variables);
    for (uint32_t i = 0; i < b->list.n; i++) {
        uint32_t clause = b->list.at[i];
        const fl_term *t = x->procedure->clauses[clause]->head[b->argument];
        const char *key = t->kind == FL_VAR ? NULL : key_of(t);
        numbers *list = key ? (numbers *)fl_look_up(&groups, key, strlen(key)) : variables;
        if (!list) {
            list = vm_alloc(sizeof *list);
            fl_enter(&groups, key, strlen(key), (uintptr_t)list);
            FL_PUSH(lists, list);
        }
        FL_PUSH(*list, clause);
    }
    for (uint32_t v = 0; v < variables->n && variables->n < b->list.n; v++)
        for (uint32_t i = 0; i < b->list.n && x->pairs < MOST_PAIRS; i++) {
            uint32_t one = variables->at[v], other = b->list.at[i];
            if (x->procedure->clauses[other]->head[b->argument]->kind != FL_VAR)
                compare(x, one < other ? one : other, one < other ? other : one);
        }
    for (uint32_t i = lists.n; i > 0; i--)
        if (lists.at[i - 1]->n > 1)
            FL_PUSH(*todo, (bundle){*lists.at[i - 1], b->argument + 1});
}

static void compare_all(clauses *x, const numbers *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        for (uint32_t k = i + 1; k < list->n && x->pairs < MOST_PAIRS; k++)
            compare(x, list->at[i], list->at[k]);
}

static void check_pairs(clauses *x)
{
    bundles todo = {0};
    bundle all = {0};
    for (uint32_t i = 0; i < x->procedure->nclauses; i++)
        FL_PUSH(all.list, i);
    FL_PUSH(todo, all);
    while (todo.n > 0) {
        bundle b = todo.at[--todo.n];
        if (b.argument < x->procedure->predicate->arity)
            divide(x, &b, &todo);
        else
            compare_all(x, &b.list);
    }
}

// ---- All ----------------------------------------------------------------------------------------

static void check_contradiction(clauses *x, uint32_t i)
{
    const fl_clause *c = x->procedure->clauses[i];
    for (uint32_t k = 0; k < c->guards.n; k++)
        if (c->guards.at[k]->kind == GUARD_FAIL) // so it is meant
            return;
    if (c->guards.n == 0 || fl_can_hold(c, NULL) != FL_CANNOT_HOLD)
        return;
    x->never[i] = true;
    const fl_guard *g = c->guards.at[0];
    fl_warn(x->check, c, FL_WARNING, "never-chosen", g->line, g->column, 0,
            "this clause of %s/%u is never chosen: its head and guard cannot hold together",
            c->predicate->name, c->predicate->arity);
}

void fl_check_clauses(const fl_check *k, const fl_procedure *q)
{
    clauses x = {.check = k, .procedure = q};
    x.needs = vm_alloc((q->nclauses + 1) * sizeof *x.needs);
    x.barrier = vm_alloc_atomic((q->nclauses + 1) * sizeof *x.barrier);
    x.never = vm_alloc(q->nclauses + 1);
    x.overlaps = vm_alloc(q->nclauses + 1);
    uint32_t barrier = 0;
    for (uint32_t i = 0; i < q->nclauses; i++) {
        barrier += q->clauses[i]->after_otherwise || q->clauses[i]->after_alternatively;
        x.barrier[i] = barrier;
        if (fl_is_in_error(k, q->clauses[i]))
            x.never[i] = true; // nothing is said of it
        else
            check_contradiction(&x, i);
    }
    check_pairs(&x);
}
