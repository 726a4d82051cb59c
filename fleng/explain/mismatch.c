// SPDX-License-Identifier: MIT
//
// Why a clause does not fit a goal:
//
//     clause 1, line 2: argument 2 wants a, found 1
//         p(N,[a|_])
//              ^
//     clause 2, line 3: the head fits, the guard fails: N > 9
//         N > 9 does not hold for N = 7
#include "fleng/explain/mismatch.h"

#include "fleng/compile/dump.h"
#include "fleng/compile/template.h"
#include "fleng/reader/parse.h"
#include "vm/look.h"

#include <stdlib.h>

enum {
    HEAD_CELLS = 40,
    VALUE_CELLS = 12,
    SHOWN_VALUES = 6,
};

// ---- Heads --------------------------------------------------------------------------------------

static const char *pattern_text(fl_report_context *c, const vm_clause *clause, const vm_pattern *p)
{
    switch (p->kind) {
    case PATTERN_CONST:
        return fl_value_text(c, p->constant);
    case PATTERN_CONS:
        return "a list [_|_]";
    case PATTERN_STRUCT:
        return fl_format("%s/%u", vm_atom_text(vm_functor_name(p->constant)),
                         vm_functor_arity(p->constant));
    case PATTERN_VECTOR:
        return fl_format("a vector of %u element%s", p->n, p->n == 1 ? "" : "s");
    case PATTERN_AGAIN:
        return fl_format("the value of %s elsewhere in the head",
                         p->reg < clause->nnames ? clause->names[p->reg] : "it");
    default:
        return "anything";
    }
}

typedef struct {
    const fl_term *term;
    const vm_pattern *pattern;
} both;

// The part of the head that is this pattern.
static const fl_term *find_part(const vm_clause *clause, const fl_clause *written,
                                const vm_pattern *wanted)
{
    ARRAY_OF(both) todo = {0};
    for (uint32_t i = clause->predicate->arity; i > 0; i--)
        FL_PUSH(todo, (both){written->head[i - 1], clause->head[i - 1]});
    while (todo.n > 0) {
        both next = todo.at[--todo.n];
        if (next.pattern == wanted)
            return next.term;
        for (uint32_t i = next.pattern->n; i > 0 && next.term->n == next.pattern->n; i--)
            FL_PUSH(todo, (both){next.term->args[i - 1], next.pattern->children[i - 1]});
    }
    return NULL;
}

static void print_head(fl_report_context *c, const fl_clause *written, const fl_term *marked)
{
    const vm_predicate *p = written->predicate;
    fl_term head = {.kind = p->arity > 0 ? FL_STRUCT : FL_ATOM,
                    .text = p->name,
                    .length = strlen(p->name),
                    .n = p->arity,
                    .args = written->head};
    fl_print_marked(c, "      ",
                    fl_term_text_marked(&head, written->variables, HEAD_CELLS, marked));
}

// ---- Guards -------------------------------------------------------------------------------------

// Every variable of the term that is not listed yet, with its value: `N = 7, K = 3`.
static const char *values_text(fl_report_context *c, const fl_clause *clause, const fl_guard *g,
                               const vm_word *values)
{
    ARRAY_OF(const fl_term *) todo = {0};
    bool *listed = vm_alloc_atomic(clause->nvariables + 1);
    memset(listed, 0, clause->nvariables + 1);
    const char *text = "";
    uint32_t n = 0;
    for (uint32_t i = g->n; i > 0; i--)
        FL_PUSH(todo, g->args[i - 1]);
    while (todo.n > 0) {
        const fl_term *t = todo.at[--todo.n];
        for (uint32_t i = t->n; i > 0; i--)
            FL_PUSH(todo, t->args[i - 1]);
        if (t->kind != FL_VAR || listed[t->var] || !values[t->var] || n == SHOWN_VALUES)
            continue;
        listed[t->var] = true;
        text = fl_format("%s%s%s = %s", text, n++ ? ", " : "", clause->variables[t->var].name,
                         fl_short_text(c, values[t->var], VALUE_CELLS));
    }
    return text;
}

static bool is_plain(const fl_term *t)
{
    return t->kind == FL_VAR || t->kind == FL_INT || t->kind == FL_FLOAT;
}

static void print_failed_test(fl_report_context *c, const fl_clause *clause,
                              const fl_failed_test *f, const vm_word *values)
{
    const fl_guard *g = f->guard;
    const char *text = fl_guard_text(clause, g), *with = values_text(c, clause, g, values);
    fprintf(c->out, "      %s%s does not hold%s%s", text, f->unsure ? ", or a later test," : "",
            *with ? " for " : "", with);
    if (f->reason)
        fprintf(c->out, ": %s, in %s", f->reason, fl_short_text(c, f->bad_value, VALUE_CELLS));
    else if (f->left && f->right && !(is_plain(g->args[0]) && is_plain(g->args[1])))
        fprintf(c->out, ": %s %s %s", fl_short_text(c, f->left, VALUE_CELLS), g->name,
                fl_short_text(c, f->right, VALUE_CELLS));
    fputs("\n", c->out);
}

static void explain_guard(fl_report_context *c, const vm_clause *clause, const fl_clause *written,
                          const vm_mismatch *m)
{
    fprintf(c->out, "the head fits, the guard fails: %s\n", fl_guards_text(written));
    vm_word *values = vm_alloc((written->nvariables + 1) * sizeof *values);
    for (uint32_t i = 0; i < written->nvariables && i < clause->registers; i++)
        values[i] = m->values[i];
    fl_failed_tests failed = {0};
    if (!fl_find_failed_tests(c, written, values, &failed))
        return;
    for (uint32_t i = 0; i < failed.n; i++)
        if (failed.at[i].guard->kind != GUARD_FAIL)
            print_failed_test(c, written, &failed.at[i], values);
}

void fl_print_mismatch(fl_report_context *c, const vm_goal *goal, const vm_clause *clause)
{
    const fl_clause *written = ((const fl_template *)clause->info)->clause;
    vm_mismatch mismatch;
    vm_explain(c->machine, goal, clause, &mismatch);
    fprintf(c->out, "  %s %u, line %u: ",
            fl_is_conditional(clause->predicate) ? "branch" : "clause", clause->number,
            clause->line);
    if (mismatch.argument == 0 || !mismatch.wanted) {
        explain_guard(c, clause, written, &mismatch);
        return;
    }
    fprintf(c->out, "argument %u wants %s, found %s\n", mismatch.argument,
            pattern_text(c, clause, mismatch.wanted), fl_value_text(c, mismatch.found));
    print_head(c, written, find_part(clause, written, mismatch.wanted));
}
