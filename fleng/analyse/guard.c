// SPDX-License-Identifier: MIT
//
// Guards: a conjunction of tests, or of disjunctions of conjunctions.
#include "fleng/analyse/analysis.h"

#include "base/nearest.h"
#include "fleng/kl1/kl1.h"
#include "vm/code.h"
#include "vm/memory.h"

enum { DEEPEST_GUARD = 5000 }; // disjunctions within disjunctions; some 400 bytes of stack each

static const struct {
    const char *name;
    uint32_t arity;
    fl_guard_kind kind;
} others[] = { // beside the type tests of vm/code/tests.def
    {"<", 2, GUARD_COMPARE},    {">", 2, GUARD_COMPARE},       {"=<", 2, GUARD_COMPARE},
    {">=", 2, GUARD_COMPARE},   {"=:=", 2, GUARD_COMPARE},     {"=\\=", 2, GUARD_COMPARE},
    {":=", 2, GUARD_ASSIGN},    {"==", 2, GUARD_EQUAL},        {"\\=", 2, GUARD_DIFFER},
    {"unbound", 1, GUARD_UNBOUND}, {"functor", 3, GUARD_FUNCTOR}, {"arg", 3, GUARD_ARGUMENT},
};

enum { NOTHERS = sizeof others / sizeof *others, NTESTS = VM_TESTS + NOTHERS };

static void build_conjunction(fl_building *b, fl_term *t, fl_guards *ret_guards, uint32_t depth);

static fl_guard *new_guard(const fl_term *t, fl_guard_kind kind)
{
    fl_guard *g = vm_alloc(sizeof *g);
    g->kind = kind;
    g->name = t->text;
    fl_term_start(t, &g->line, &g->column);
    return g;
}

static void report_no_guard(fl_building *b, const fl_term *t)
{
    fl_analysis *a = b->analysis;
    if (!fl_is_goal(t)) {
        fl_report(a->messages, b->source, t, "a guard is a test, such as `X > 0` or atom(X)");
        return;
    }
    const char *key = fl_key(t->text, t->n), *near = NULL, *names[NTESTS];
    for (size_t i = 0; i < NTESTS; i++)
        names[i] = i < VM_TESTS ? fl_key(vm_test_name(i), 1)
                                : fl_key(others[i - VM_TESTS].name, others[i - VM_TESTS].arity);
    near = nearest_of(key, names, NTESTS);
    if (fl_is_struct(t, "=", 2))
        fl_report(a->messages, b->source, t,
                  "a guard binds nothing: `==` tests whether terms are equal");
    else if (fl_is_struct(t, "\\==", 2))
        fl_report(a->messages, b->source, t,
                  "there is no guard test \\==/2: `\\=` is the test for different terms");
    else if (fl_is_struct(t, "is", 2))
        fl_report(a->messages, b->source, t,
                  "is/2 is not a guard: a number is computed by `X := Expression`");
    else if (fl_is_struct(t, "|", 2))
        fl_report(a->messages, b->source, t, "a clause has one guard bar `|`");
    else if (fl_defines(b->module, t->text, t->n))
        fl_report(a->messages, b->source, t,
                  "there is no guard test %.100s, and a guard calls no predicate: call it in the body, and give "
                  "what it answers to a predicate with a clause for each answer",
                  key);
    else if (near)
        fl_report(a->messages, b->source, t, "there is no guard test %.100s; did you mean %s?", key,
                  near);
    else
        fl_report(a->messages, b->source, t, "there is no guard test %.100s", key);
}

static bool is_test(const fl_term *t, fl_guard_kind *ret_kind)
{
    *ret_kind = GUARD_TYPE;
    if (t->n == 1 && fl_is_struct(t, t->text, 1) && vm_test_number(t->text) >= 0)
        return true;
    for (size_t i = 0; i < NOTHERS; i++)
        if (fl_is_struct(t, others[i].name, others[i].arity)) {
            *ret_kind = others[i].kind;
            return true;
        }
    return false;
}

static void build_test(fl_building *b, fl_term *t, fl_guards *guards)
{
    fl_guard_kind kind;
    if (is_test(t, &kind)) {
        fl_guard *g = new_guard(t, kind);
        g->n = t->n;
        g->args = t->args;
        if (g->kind == GUARD_ASSIGN && t->args[0]->kind != FL_VAR)
            fl_report(b->analysis->messages, b->source, t->args[0],
                      "`:=` in a guard needs a variable on its left: `=:=` compares numbers");
        if (g->kind == GUARD_ASSIGN || g->kind == GUARD_COMPARE)
            for (uint32_t k = g->kind == GUARD_ASSIGN; k < t->n; k++)
                g->args[k] = fl_kl1_expression(b->source, g->args[k]);
        guards->at[guards->n++] = g;
        return;
    }
    if (b->source->kl1 && fl_kl1_guard(b->analysis->messages, b->source, t, guards))
        return;
    if (b->source->ghc && fl_is_struct(t, "=", 2) &&
        fl_kl1_guard(b->analysis->messages, b->source, t, guards))
        return;
    report_no_guard(b, t);
}

static void build_disjunction(fl_building *b, fl_term *t, fl_guards *guards, uint32_t depth)
{
    if (depth > DEEPEST_GUARD) {
        fl_report(b->analysis->messages, b->source, t, "guards are nested more than %d deep",
                  DEEPEST_GUARD);
        return;
    }
    fl_terms parts = {0};
    fl_flatten(&parts, t, ";");
    fl_guard *g = new_guard(t, GUARD_OR);
    g->nalternatives = parts.n;
    g->alternatives = vm_alloc(parts.n * sizeof *g->alternatives);
    for (uint32_t i = 0; i < parts.n; i++)
        build_conjunction(b, parts.at[i], &g->alternatives[i], depth + 1);
    guards->at[guards->n++] = g;
}

static void build_conjunction(fl_building *b, fl_term *t, fl_guards *ret_guards, uint32_t depth)
{
    fl_terms parts = {0};
    fl_flatten(&parts, t, ",");
    ret_guards->at = vm_alloc((parts.n + 1) * sizeof *ret_guards->at);
    for (uint32_t i = 0; i < parts.n; i++) {
        fl_term *part = parts.at[i];
        if (fl_is_struct(part, ";", 2)) {
            build_disjunction(b, part, ret_guards, depth);
        } else if (fl_is_atom(part, "fail") || fl_is_atom(part, "false")) {
            ret_guards->at[ret_guards->n++] = new_guard(part, GUARD_FAIL);
        } else if (!fl_is_atom(part, "true")) {
            build_test(b, part, ret_guards);
        }
    }
}

void fl_build_guards(fl_building *b, fl_term *guard)
{
    fl_count_variables(b->clause, guard, SECTION_GUARD);
    build_conjunction(b, guard, &b->clause->guards, 0);
}
