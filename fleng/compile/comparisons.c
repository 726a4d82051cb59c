// SPDX-License-Identifier: MIT
//
// Orders the comparisons at the beginning of several guards, so that each is made once.
#include "fleng/compile/comparisons.h"

#include "vm/code.h"

#include <string.h>

// A term of a guard, its variables by the registers that hold them.
typedef struct {
    const fl_clause *clause;
    const uint32_t *registers; // by variable
    const fl_term *term;
} operand;

// a < b, or a =:= b.
typedef struct {
    bool less;
    operand a, b;
    bool holds; // as it is wanted, or known
} relation;

typedef struct {
    operand of;
    uint32_t reg;
} computed;

// More facts and values than these are not looked through for one that helps.
enum { MOST_FACTS = 32, MOST_VALUES = 32 };

typedef struct {
    fl_emitter *e;
    const fl_candidates *c;
    fl_comparisons *made;
    ARRAY_OF(relation) facts;  // that hold where code is emitted
    ARRAY_OF(computed) values; // that are in registers there
    fl_words failed;           // operands that are to lead to the next clause
    bool reached;              // code goes on to the next clause where it ends
} chooser;

// ---- Heads ----------------------------------------------------------------------------------

static bool take(const fl_clause *c, const fl_term *t, uint32_t reg, uint32_t *registers)
{
    if (t->kind != FL_VAR || c->variables[t->var].head > 1)
        return false;
    registers[t->var] = reg;
    return true;
}

// The registers of the head's variables. False: the head has more to match than SWITCH has seen.
static bool take_head(const fl_candidates *c, const fl_clause *clause, uint32_t *registers)
{
    uint32_t arity = clause->predicate->arity;
    for (uint32_t i = 0; i < arity; i++) {
        const fl_term *t = clause->head[i];
        bool seen = c->looked && i == c->selection->argument;
        if (seen && t->kind == FL_CONS) {
            if (!c->opened || !take(clause, t->args[0], arity, registers) ||
                !take(clause, t->args[1], arity + 1, registers))
                return false;
        } else if (seen && t->kind != FL_VAR) {
            vm_word k = fl_constant_of(t);
            if (vm_tag(k) != TAG_INT && vm_tag(k) != TAG_ATOM)
                return false;
        } else if (!take(clause, t, i, registers)) {
            return false;
        }
    }
    return true;
}

// ---- What is known --------------------------------------------------------------------------

static bool same_operand(operand a, operand b)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, a.term);
    FL_PUSH(todo, b.term);
    while (todo.n > 0) {
        const fl_term *y = todo.at[--todo.n], *x = todo.at[--todo.n];
        if (x->kind != y->kind || x->n != y->n)
            return false;
        if (x->kind == FL_VAR ? a.registers[x->var] != b.registers[y->var]
            : x->kind == FL_FLOAT ? x->number != y->number
                                  : strcmp(x->text, y->text) != 0)
            return false;
        for (uint32_t i = 0; i < x->n; i++) {
            FL_PUSH(todo, x->args[i]);
            FL_PUSH(todo, y->args[i]);
        }
    }
    return true;
}

typedef enum { UNKNOWN, FALSE, TRUE } truth;

// What one fact says about whether the relation holds.
static truth follows(const relation *fact, const relation *r)
{
    bool straight = same_operand(fact->a, r->a) && same_operand(fact->b, r->b);
    bool crosswise = same_operand(fact->a, r->b) && same_operand(fact->b, r->a);
    if (fact->less == r->less && (straight || (crosswise && !r->less)))
        return fact->holds ? TRUE : FALSE;
    return fact->holds && (straight || crosswise) ? FALSE : UNKNOWN; // one of <, >, =:= holds
}

static truth is_known(const chooser *x, const relation *r)
{
    truth t = UNKNOWN;
    for (uint32_t i = 0; i < x->facts.n && t == UNKNOWN; i++)
        t = follows(&x->facts.at[i], r);
    return t;
}

static relation relation_of(const fl_clause *c, const uint32_t *registers, const fl_guard *g)
{
    operand left = {c, registers, g->args[0]}, right = {c, registers, g->args[1]};
    if (strcmp(g->name, "<") == 0)
        return (relation){true, left, right, true};
    if (strcmp(g->name, ">") == 0)
        return (relation){true, right, left, true};
    if (strcmp(g->name, "=<") == 0)
        return (relation){true, right, left, false};
    if (strcmp(g->name, ">=") == 0)
        return (relation){true, left, right, false};
    return (relation){false, left, right, strcmp(g->name, "=:=") == 0};
}

// ---- Code -----------------------------------------------------------------------------------

static void patch(fl_emitter *e, const fl_words *labels, uint32_t target)
{
    for (uint32_t i = 0; i < labels->n; i++)
        e->code.at[labels->at[i]] = target;
}

static uint32_t value_in_register(chooser *x, operand o)
{
    fl_emitter *e = x->e;
    if (o.term->kind == FL_VAR)
        return o.registers[o.term->var];
    for (uint32_t i = 0; i < x->values.n; i++)
        if (same_operand(x->values.at[i].of, o))
            return x->values.at[i].reg;
    uint32_t reg = fl_registers(e, 1);
    e->clause = o.clause;
    memcpy(e->register_of, o.registers, o.clause->nvariables * sizeof *e->register_of);
    fl_compute(e, o.term, reg, &x->made->slow, true);
    if (x->values.n < MOST_VALUES)
        FL_PUSH(x->values, (computed){o, reg});
    return reg;
}

static vm_word small_constant(operand o) // 0: it is none
{
    vm_word k = o.term->kind == FL_INT ? fl_constant_of(o.term) : 0;
    return vm_tag(k) == TAG_INT ? k : 0;
}

// Returns the place of the operand that says where to go on if the relation holds; the one behind
// it is for where it does not.
static uint32_t emit_when(chooser *x, const relation *r)
{
    fl_emitter *e = x->e;
    vm_word a = small_constant(r->a), b = small_constant(r->b);
    operand in_register = b ? r->a : r->b;
    uint32_t reg = value_in_register(x, in_register), op, other;
    if (a || b) {
        op = !r->less ? OP_WHEN_SAME_K : b ? OP_WHEN_LESS_K : OP_WHEN_GREATER_K;
        other = fl_constant(e, b ? b : a);
    } else {
        op = r->less ? OP_WHEN_LESS : OP_WHEN_SAME;
        other = reg;
        reg = value_in_register(x, r->a);
    }
    FL_EMIT(e, op, 0, 0, 0, reg, other);
    FL_PUSH(x->made->slow, e->code.n - 5);
    return e->code.n - 4;
}

// All jumps to here (x->failed, and the code so far) continue behind the tests of the clause at
// place k of the chain.
static void lead_to_rest(chooser *x, fl_words *from, uint32_t k)
{
    const fl_tested *t = &x->c->selection->tested[x->c->chain->at[k]];
    if (t->commits) {
        patch(x->e, from, t->rest);
        return;
    }
    for (uint32_t i = 0; i < from->n; i++)
        FL_PUSH(x->made->tests[k], from->at[i]);
}

// The tests of one clause that are not known yet. Of several tests the next clause does not know
// which one failed.
static void emit_tests(chooser *x, uint32_t k, const uint32_t *registers)
{
    uint32_t i = x->c->chain->at[k];
    const fl_clause *c = x->c->procedure->clauses[i];
    ARRAY_OF(relation) open = {0};
    for (uint32_t g = 0; g < x->c->selection->tested[i].ntests; g++) {
        relation r = relation_of(c, registers, c->guards.at[g]);
        truth t = is_known(x, &r);
        if (t != UNKNOWN && (t == TRUE) != r.holds)
            return; // fails
        if (t == UNKNOWN)
            FL_PUSH(open, r);
    }
    if (open.n == 0) {
        x->reached = false;
        if (x->failed.n == 0)
            x->made->entry = x->c->selection->tested[i].rest;
        lead_to_rest(x, &x->failed, k);
        return;
    }
    patch(x->e, &x->failed, x->e->code.n);
    x->failed.n = 0;
    uint32_t values = 0;
    fl_words passed = {0};
    for (uint32_t g = 0; g < open.n; g++) {
        patch(x->e, &passed, x->e->code.n);
        passed.n = 0;
        uint32_t holds = emit_when(x, &open.at[g]);
        FL_PUSH(passed, open.at[g].holds ? holds : holds + 1);
        FL_PUSH(x->failed, open.at[g].holds ? holds + 1 : holds);
        if (g == 0)
            values = x->values.n;
    }
    lead_to_rest(x, &passed, k);
    x->values.n = values;
    if (open.n == 1 && x->facts.n < MOST_FACTS) {
        open.at[0].holds = !open.at[0].holds;
        FL_PUSH(x->facts, open.at[0]);
    }
}

bool fl_emit_comparisons(fl_emitter *e, const fl_candidates *c, fl_comparisons *ret)
{
    uint32_t n = c->chain->n;
    chooser x = {.e = e, .c = c, .made = ret, .reached = true};
    *ret = (fl_comparisons){.entry = e->code.n, .tests = vm_alloc((n + 1) * sizeof *ret->tests)};
    e->next_register = c->procedure->predicate->arity + 2;
    e->most_registers = e->next_register;
    while (ret->n < n && x.reached) {
        uint32_t i = c->chain->at[ret->n];
        const fl_clause *clause = c->procedure->clauses[i];
        const fl_tested *t = &c->selection->tested[i];
        uint32_t *registers = vm_alloc_atomic((clause->nvariables + 1) * sizeof *registers);
        bool worthwhile = ret->n > 0 || t->commits;
        if (!worthwhile || !take_head(c, clause, registers))
            break;
        e->register_of = vm_alloc_atomic((clause->nvariables + 1) * sizeof *e->register_of);
        emit_tests(&x, ret->n++, registers);
    }
    ret->none = x.failed;
    if (!x.reached)
        ret->none.n = 0;
    if (e->most_registers > e->registers)
        e->registers = e->most_registers;
    return ret->n > 0;
}
