// SPDX-License-Identifier: MIT
//
// Assignments of plain runs whose operands are not known at the end of the clause:
//
//     fib(N, R) :- N >= 2 | ..., fib(N1, R1), fib(N2, R2), R := R1 + R2.
//
// A goal `:=` would have to interpret the expression. Instead the compiler makes a predicate with
// code of its own, whose arguments are the left side and the variables of the expression:
//
//     entry:  ADD slow ...      r := value
//             ASSIGN slow r0 r
//             END
//     slow:   AWAIT ...         waits for each variable of the expression
//             STRUCT ...        otherwise: the goal of the text
//             CALL :=
//             PASS
//
// A goal of such a predicate waits for its variables, and is shown as the goal of the text then
// (fl_goal_of_text). It never fails, and never waits for the parts of what a variable is bound to: the
// goal of the text does so in its place.
#include "fleng/compile/compile.h"

#include "fleng/compile/emit.h"
#include "vm/code.h"
#include "vm/goal.h"

#include <string.h>

enum { MOST_VARIABLES = 16 };

// The variables of an expression of operators, numbers and variables, each once. False: it is none,
// or there are too many.
static bool variables_of(const fl_term *expression, fl_words *ret)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, expression);
    while (todo.n > 0) {
        const fl_term *t = todo.at[--todo.n];
        if (t->kind == FL_STRUCT && t->n <= 2 && vm_arith_operator(fl_functor_of(t)) >= 0) {
            for (uint32_t i = t->n; i > 0; i--)
                FL_PUSH(todo, t->args[i - 1]);
        } else if (t->kind == FL_VAR) {
            uint32_t i = 0;
            while (i < ret->n && ret->at[i] != t->var)
                i++;
            if (i == ret->n)
                FL_PUSH(*ret, t->var);
        } else if (t->kind != FL_INT && t->kind != FL_FLOAT) {
            return false;
        }
    }
    return ret->n <= MOST_VARIABLES;
}

bool fl_defer(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    fl_deferred deferred = {.item = index};
    if (!fl_is_assignment(item) || item->args[1]->kind != FL_STRUCT ||
        fl_is_deep(item->args[1]) || !variables_of(item->args[1], &deferred.variables))
        return false;
    vm_predicate *p = vm_alloc(sizeof *p);
    *p = (vm_predicate){
        .module = e->clause->predicate->module,
        .name = item->predicate->name,
        .arity = deferred.variables.n + 1,
        .id = e->npredicates + e->made.n,
        .cost = item->predicate->cost,
        .made = true,
        .small = true,
    };
    deferred.predicate = p;
    FL_PUSH(e->made, p);
    FL_PUSH(e->deferred, deferred);
    return true;
}

static void emit_code(fl_emitter *e, const fl_deferred *d)
{
    const fl_item *item = &e->clause->items[d->item];
    uint32_t n = e->clause->nvariables;
    memset(e->known, false, n);
    for (uint32_t i = 0; i < d->variables.n; i++) {
        e->register_of[d->variables.at[i]] = i + 1;
        e->known[d->variables.at[i]] = true;
    }
    e->next_register = d->predicate->arity;
    d->predicate->code = e->code.n;
    fl_words slow = {0};
    uint32_t reg = fl_registers(e, 1);
    fl_compute(e, item->args[1], reg, &slow, false);
    FL_EMIT(e, OP_ASSIGN, 0);
    FL_PUSH(slow, e->code.n - 1);
    FL_EMIT(e, 0, reg, OP_END, e->clause_id);
    for (uint32_t i = 0; i < slow.n; i++)
        e->code.at[slow.at[i]] = e->code.n;
    for (uint32_t i = 0; i < d->variables.n; i++)
        FL_EMIT(e, OP_AWAIT, i + 1);
    uint32_t expression = fl_emit_term(e, item->args[1], NULL);
    FL_EMIT(e, OP_CALL, e->clause_id, d->item, item->predicate->id, 2, 0, expression, OP_PASS);
}

void fl_emit_deferred(fl_emitter *e)
{
    for (uint32_t i = 0; i < e->deferred.n; i++)
        emit_code(e, &e->deferred.at[i]);
    e->deferred.n = 0;
}

// ---- What is shown of them --------------------------------------------------------------------

// The expression with its variables replaced by values.
static vm_word build(const fl_term *t, const fl_words *variables, const vm_word *values)
{
    if (t->kind == FL_VAR) {
        uint32_t i = 0;
        while (variables->at[i] != t->var)
            i++;
        return values[i];
    }
    if (t->kind != FL_STRUCT)
        return fl_constant_of(t);
    vm_word operands[2]; // no operator has more
    for (uint32_t i = 0; i < t->n; i++)
        operands[i] = build(t->args[i], variables, values);
    return vm_make_struct(NULL, fl_functor_of(t), operands);
}

vm_goal *fl_goal_of_text(const vm_program *code, vm_goal *goal)
{
    if (!goal->predicate->made)
        return goal;
    const fl_template *made = code->clauses[goal->site.clause]->info;
    const fl_item *item = &made->clause->items[goal->site.index];
    fl_words variables = {0};
    variables_of(item->args[1], &variables);
    vm_goal *shown = vm_alloc(sizeof *shown + 2 * sizeof *shown->args);
    *shown = *goal;
    shown->predicate = item->predicate;
    shown->nargs = 2;
    shown->args[0] = goal->args[0];
    shown->args[1] = build(item->args[1], &variables, goal->args + 1);
    return shown;
}
