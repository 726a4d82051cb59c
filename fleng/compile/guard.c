// SPDX-License-Identifier: MIT
//
// Guards. The instructions look at values in the order that the language defines: tests from left
// to right; in an expression the functor first, then the operands from left to right.

#include "fleng/compile/emit.h"

#include "vm/code.h"

#include <string.h>

static void unknown_variable(fl_emitter *e, const fl_term *t)
{
    const fl_clause *c = e->clause;
    fl_error(e->messages, &e->sources[c->source], t->line, t->column,
             "the guard waits for %s, which nothing before it can bind: it does not occur in the "
             "head",
             c->variables[t->var].name);
}

// ---- Expressions ----------------------------------------------------------------------------


// An operation whose operands are being looked at.
typedef struct {
    const fl_term *term;
    uint32_t reg, base, next;
    int op;
    bool integer; // the value must be one
} operation;

typedef ARRAY_OF(operation) operations;

static void operand(fl_emitter *e, operations *stack, const fl_term *t, uint32_t reg, bool integer)
{
    int op = t->kind == FL_STRUCT ? vm_arith_operator(fl_functor_of(t)) : -1;
    if (t->kind == FL_VAR && !e->known[t->var])
        unknown_variable(e, t);
    else if (t->kind == FL_VAR)
        FL_EMIT(e, integer ? OP_INTEGER : OP_NUMBER, reg, e->register_of[t->var]);
    else if (t->kind == FL_INT || (t->kind == FL_FLOAT && !integer))
        FL_EMIT(e, OP_CONST, reg, fl_constant(e, fl_constant_of(t)));
    else if (op < 0)
        FL_EMIT(e, OP_FAIL);
    else
        FL_PUSH(*stack, (operation){t, reg, fl_registers(e, t->n), 0, op, integer});
}

static void expression(fl_emitter *e, const fl_term *t, uint32_t reg, bool integer)
{
    operations stack = {0};
    operand(e, &stack, t, reg, integer);
    while (stack.n > 0) {
        operation *o = &stack.at[stack.n - 1];
        if (o->next < o->term->n) {
            uint32_t i = o->next++;
            operand(e, &stack, o->term->args[i], o->base + i, vm_arith_needs_integers(o->op));
            continue;
        }
        FL_EMIT(e, OP_ARITH, (uint32_t)o->op, o->reg, o->term->n, o->base);
        if (o->integer)
            FL_EMIT(e, OP_CHECK_INTEGER, o->reg);
        stack.n--;
    }
}

static uint32_t value_of(fl_emitter *e, const fl_term *t)
{
    uint32_t reg = fl_registers(e, 1);
    expression(e, t, reg, false);
    return reg;
}

// Is the value of the expression worth computing by code for small integers?
static bool is_operation_of_known(const fl_emitter *e, const fl_term *t)
{
    return e->plain && t->kind == FL_STRUCT && fl_is_computable(e, t);
}

// An expression that is bound by the guard: computed with small integers or, on the slow path, in
// general.
static uint32_t assigned_value(fl_emitter *e, const fl_term *t)
{
    if (!is_operation_of_known(e, t))
        return value_of(e, t);
    uint32_t reg = fl_registers(e, 1);
    fl_words slow = {0};
    fl_compute(e, t, reg, &slow, false);
    uint32_t from = e->code.n;
    expression(e, t, reg, false);
    fl_move_slow_path(e, from, &slow);
    return reg;
}

// ---- Comparisons ----------------------------------------------------------------------------

typedef struct {
    const char *name;
    uint32_t both;     // of two values
    uint32_t constant; // of a value and a small integer
    uint32_t mirrored; // of a small integer and a value
    uint32_t numbers;  // of two numbers
    bool swapped;      // `numbers` takes them the other way round
} comparison;

static const comparison *find_comparison(const char *name)
{
    static const comparison table[] = {
        {"<", OP_IF_LESS, OP_IF_LESS_K, OP_IF_GREATER_K, OP_LESS, false},
        {">", OP_IF_GREATER, OP_IF_GREATER_K, OP_IF_LESS_K, OP_LESS, true},
        {"=<", OP_IF_LESS_EQUAL, OP_IF_LESS_EQUAL_K, OP_IF_GREATER_EQUAL_K, OP_LESS_EQUAL, false},
        {">=", OP_IF_GREATER_EQUAL, OP_IF_GREATER_EQUAL_K, OP_IF_LESS_EQUAL_K, OP_LESS_EQUAL, true},
        {"=:=", OP_IF_SAME, OP_IF_SAME_K, OP_IF_SAME_K, OP_SAME, false},
        {"=\\=", OP_IF_NOT_SAME, OP_IF_NOT_SAME_K, OP_IF_NOT_SAME_K, OP_NOT_SAME, false},
    };
    const comparison *c = table;
    while (strcmp(c->name, name) != 0)
        c++;
    return c;
}

static bool is_known_variable(const fl_emitter *e, const fl_term *t)
{
    return t->kind == FL_VAR && e->known[t->var];
}

static vm_word small_integer(const fl_term *t) // 0: it is none
{
    vm_word k = t->kind == FL_INT ? fl_constant_of(t) : 0;
    return vm_tag(k) == TAG_INT ? k : 0;
}

// X < Y of two variables, or of a variable and a small integer, in one instruction.
static bool compare_simple(fl_emitter *e, const comparison *c, const fl_term *a, const fl_term *b)
{
    vm_word ka = small_integer(a), kb = small_integer(b);
    if (is_known_variable(e, a) && is_known_variable(e, b))
        FL_EMIT(e, c->both, e->register_of[a->var], e->register_of[b->var]);
    else if (is_known_variable(e, a) && kb)
        FL_EMIT(e, c->constant, e->register_of[a->var], fl_constant(e, kb));
    else if (ka && is_known_variable(e, b))
        FL_EMIT(e, c->mirrored, e->register_of[b->var], fl_constant(e, ka));
    else
        return false;
    return true;
}

static uint32_t small_side(fl_emitter *e, const fl_term *t, fl_words *slow)
{
    if (t->kind == FL_VAR)
        return e->register_of[t->var];
    uint32_t reg = fl_registers(e, 1);
    fl_compute(e, t, reg, slow, true);
    return reg;
}

// Compares with code for small integers; *ret_slow: where it leaves that.
static bool compare_small(fl_emitter *e, const comparison *c, const fl_term *a, const fl_term *b,
                          fl_words *ret_slow)
{
    if ((!is_operation_of_known(e, a) && !is_operation_of_known(e, b)) ||
        !fl_is_computable(e, a) || !fl_is_computable(e, b))
        return false;
    uint32_t left = small_side(e, a, ret_slow);
    if (small_integer(b))
        FL_EMIT(e, c->constant, left, fl_constant(e, small_integer(b)));
    else
        FL_EMIT(e, c->both, left, small_side(e, b, ret_slow));
    return true;
}

static void compare(fl_emitter *e, const fl_guard *g)
{
    const comparison *c = find_comparison(g->name);
    if (compare_simple(e, c, g->args[0], g->args[1]))
        return;
    fl_words slow = {0};
    bool small = compare_small(e, c, g->args[0], g->args[1], &slow);
    uint32_t from = e->code.n;
    uint32_t left = value_of(e, g->args[0]), right = value_of(e, g->args[1]);
    FL_EMIT(e, c->numbers, c->swapped ? right : left, c->swapped ? left : right);
    if (small)
        fl_move_slow_path(e, from, &slow);
}

// ---- Tests ----------------------------------------------------------------------------------

// reg holds something computed: the variable (or term) t is it, or is equal to it.
static void is_equal(fl_emitter *e, const fl_term *t, uint32_t reg)
{
    if (t->kind != FL_VAR || e->known[t->var]) {
        FL_EMIT(e, OP_EQUAL, fl_emit_term(e, t, NULL), reg);
        return;
    }
    if (e->register_of[t->var] == FL_NO_REGISTER)
        e->register_of[t->var] = reg;
    else // another alternative of a disjunction has its place already
        FL_EMIT(e, OP_MOVE, e->register_of[t->var], reg);
    e->known[t->var] = true;
}

static void type_test(fl_emitter *e, const fl_guard *g)
{
    uint32_t reg = fl_emit_term(e, g->args[0], NULL);
    FL_EMIT(e, OP_TEST, (uint32_t)vm_test_number(g->name), reg);
}

static void functor_test(fl_emitter *e, const fl_guard *g)
{
    uint32_t reg = fl_emit_term(e, g->args[0], NULL);
    uint32_t name = fl_registers(e, 1), arity = fl_registers(e, 1);
    FL_EMIT(e, OP_GUARD_FUNCTOR, reg, name, arity);
    is_equal(e, g->args[1], name);
    is_equal(e, g->args[2], arity);
}

static void argument_test(fl_emitter *e, const fl_guard *g)
{
    uint32_t index = fl_emit_term(e, g->args[0], NULL);
    uint32_t compound = fl_emit_term(e, g->args[1], NULL);
    uint32_t argument = fl_registers(e, 1);
    FL_EMIT(e, OP_GUARD_ARG, index, compound, argument);
    is_equal(e, g->args[2], argument);
}

// ---- KL1 ------------------------------------------------------------------------------------

// Puts inputs into consecutive registers; outputs go behind them. Returns the first register.
static uint32_t query(fl_emitter *e, uint32_t number, fl_term *const *in, uint32_t nin,
                      uint32_t nout)
{
    uint32_t base = fl_registers(e, nin), out = fl_registers(e, nout + 1);
    for (uint32_t i = 0; i < nin; i++)
        FL_EMIT(e, OP_MOVE, base + i, fl_emit_term(e, in[i], NULL));
    FL_EMIT(e, OP_QUERY, number, base, out);
    return out;
}

static void order_guard(fl_emitter *e, const fl_guard *g)
{
    static const struct {
        const char *name;
        uint32_t op; // of the result and 0
    } table[] = {
        {"@<", OP_IF_LESS_K},
        {"@>", OP_IF_GREATER_K},
        {"@=<", OP_IF_LESS_EQUAL_K},
        {"@>=", OP_IF_GREATER_EQUAL_K},
    };
    uint32_t out = query(e, VM_QUERY_COMPARE, g->args, 2, 1);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, g->name) == 0)
            FL_EMIT(e, table[i].op, out, fl_constant(e, vm_int(0)));
}

typedef struct {
    const fl_term *term;
    uint32_t reg; // holds what it is to fit
} part;

typedef ARRAY_OF(part) parts;

static bool is_unknown(void *e, const fl_term *t)
{
    return fl_is_unknown(e, t);
}

static bool has_unknown(fl_emitter *e, const fl_term *t)
{
    return fl_any_part(t, is_unknown, e);
}

// A cons or structure: its name and number of arguments, then each argument. A vector: its length,
// then each element.
static void take_part(fl_emitter *e, part p, parts *todo)
{
    const fl_term *t = p.term;
    uint32_t n = t->n, arguments = fl_registers(e, n + 1);
    if (t->kind == FL_VECTOR) {
        uint32_t length = fl_registers(e, 1);
        FL_EMIT(e, OP_QUERY, VM_QUERY_VECTOR, p.reg, length);
        FL_EMIT(e, OP_IF_SAME_K, length, fl_constant(e, vm_int(n)));
    } else {
        uint32_t name = fl_registers(e, 1), arity = fl_registers(e, 1), same = fl_registers(e, 1);
        bool cons = t->kind == FL_CONS;
        FL_EMIT(e, OP_GUARD_FUNCTOR, p.reg, name, arity);
        FL_EMIT(e, OP_IF_SAME_K, arity, fl_constant(e, vm_int(n)));
        FL_EMIT(e, OP_CONST, same,
                fl_constant(e, vm_atom(cons ? (uint32_t)ATOM_DOT
                                            : vm_atom_intern(t->text, t->length))));
        FL_EMIT(e, OP_EQUAL, name, same);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = fl_registers(e, 1);
        FL_EMIT(e, OP_CONST, index, fl_constant(e, vm_int((int64_t)i + 1)));
        FL_EMIT(e, OP_GUARD_ARG, index, p.reg, arguments + i);
        FL_PUSH(*todo, (part){t->args[i], arguments + i});
    }
}

// The term matches the value of reg: variables that nothing before binds get their parts of it.
static void fit(fl_emitter *e, const fl_term *t, uint32_t reg)
{
    parts todo = {0};
    FL_PUSH(todo, (part){t, reg});
    for (uint32_t i = 0; i < todo.n; i++) {
        part p = todo.at[i];
        if (p.term->kind == FL_VAR || !has_unknown(e, p.term))
            is_equal(e, p.term, p.reg);
        else
            take_part(e, p, &todo);
    }
}

static void query_guard(fl_emitter *e, const fl_guard *g)
{
    uint32_t nin = vm_query_inputs(g->query);
    uint32_t out = query(e, g->query, g->args, nin, vm_query_outputs(g->query));
    for (uint32_t i = nin; i < g->n; i++)
        fit(e, g->args[i], out + i - nin);
}

// `=`: variables that nothing before it binds get their values; nothing else is bound.
static void unify_guard(fl_emitter *e, const fl_guard *g)
{
    const fl_term *left = g->args[0], *right = g->args[1];
    if (has_unknown(e, left)) {
        left = g->args[1];
        right = g->args[0];
    }
    if (has_unknown(e, left)) {
        const fl_term *t = g->args[0]->kind == FL_VAR ? g->args[0] : g->args[1];
        fl_error(e->messages, &e->sources[e->clause->source], g->line, g->column,
                 "nothing before this guard binds either side of `=`%s%s",
                 t->kind == FL_VAR ? ": " : "",
                 t->kind == FL_VAR ? e->clause->variables[t->var].name : "");
        return;
    }
    fit(e, right, fl_emit_term(e, left, NULL));
}

// A variable is known behind a disjunction if every alternative makes it known.
static void disjunction(fl_emitter *e, const fl_guard *g)
{
    uint32_t n = e->clause->nvariables;
    bool *before = vm_alloc_atomic(n + 1), *after = vm_alloc_atomic(n + 1);
    memcpy(before, e->known, n);
    memset(after, true, n);
    fl_words ends = {0};
    uint32_t label = 0; // operand to be patched
    for (uint32_t i = 0; i < g->nalternatives; i++) {
        if (i > 0)
            e->code.at[label] = e->code.n;
        FL_EMIT(e, i == 0 ? OP_EITHER : OP_ELSE, 0);
        label = e->code.n - 1;
        memcpy(e->known, before, n);
        fl_emit_guards(e, &g->alternatives[i]);
        for (uint32_t v = 0; v < n; v++)
            after[v] = after[v] && e->known[v];
        FL_EMIT(e, OP_OR, 0);
        FL_PUSH(ends, e->code.n - 1);
    }
    e->code.at[label] = e->code.n;
    FL_EMIT(e, OP_NEITHER);
    for (uint32_t i = 0; i < ends.n; i++)
        e->code.at[ends.at[i]] = e->code.n;
    memcpy(e->known, after, n);
}

void fl_emit_guard(fl_emitter *e, const fl_guard *g)
{
    switch (g->kind) {
    case GUARD_COMPARE:
        compare(e, g);
        break;
    case GUARD_ASSIGN:
        is_equal(e, g->args[0], assigned_value(e, g->args[1]));
        break;
    case GUARD_EQUAL:
    case GUARD_DIFFER: {
        uint32_t left = fl_emit_term(e, g->args[0], NULL);
        uint32_t right = fl_emit_term(e, g->args[1], NULL);
        FL_EMIT(e, g->kind == GUARD_EQUAL ? OP_EQUAL : OP_NOT_EQUAL, left, right);
        break;
    }
    case GUARD_TYPE:
        type_test(e, g);
        break;
    case GUARD_UNBOUND:
        FL_EMIT(e, OP_UNBOUND, fl_emit_term(e, g->args[0], NULL));
        break;
    case GUARD_FUNCTOR:
        functor_test(e, g);
        break;
    case GUARD_ARGUMENT:
        argument_test(e, g);
        break;
    case GUARD_UNIFY:
        unify_guard(e, g);
        break;
    case GUARD_ORDER:
        order_guard(e, g);
        break;
    case GUARD_QUERY:
        query_guard(e, g);
        break;
    case GUARD_FAIL:
        FL_EMIT(e, OP_FAIL);
        break;
    case GUARD_OR:
        disjunction(e, g);
        break;
    }
}

void fl_emit_guards(fl_emitter *e, const fl_guards *guards)
{
    for (uint32_t i = 0; i < guards->n; i++)
        fl_emit_guard(e, guards->at[i]);
}
