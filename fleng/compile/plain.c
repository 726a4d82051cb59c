// SPDX-License-Identifier: MIT
//
// Bodies for plain runs. The order of a body's goals does not change the answer. So assignments
// that can be computed at once come first, then unifications, then built-ins with the assignments
// that need what they bind, then goals; the first goal continues in the registers. Variables that
// get their value by an assignment or unification this way are never made.

#include "fleng/compile/emit.h"

#include "vm/code.h"

#include <string.h>

typedef enum { ITEM_OPEN, ITEM_DONE } item_state;

// ---- Expressions ----------------------------------------------------------------------------

enum { DEEPEST = 500 }; // operators in operators; deeper expressions are left to goals

typedef struct {
    const fl_term *term;
    uint32_t depth;
} nested;

bool fl_is_deep(const fl_term *t)
{
    ARRAY_OF(nested) todo = {0};
    FL_PUSH(todo, (nested){t, 0});
    while (todo.n > 0) {
        nested next = todo.at[--todo.n];
        if (next.depth == DEEPEST)
            return true;
        for (uint32_t i = 0; i < next.term->n; i++)
            FL_PUSH(todo, (nested){next.term->args[i], next.depth + 1});
    }
    return false;
}

// Are the values of all its variables there, and is all of it operators and numbers?
bool fl_is_computable(const fl_emitter *e, const fl_term *t)
{
    ARRAY_OF(const fl_term *) todo = {0};
    if (fl_is_deep(t))
        return false;
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR && (!e->known[t->var] || e->pending[t->var]))
            return false;
        if (t->kind == FL_ATOM || t->kind == FL_STRING || t->kind == FL_CONS ||
            t->kind == FL_VECTOR)
            return false;
        if (t->kind != FL_STRUCT)
            continue;
        if (vm_arith_operator(fl_functor_of(t)) < 0 || t->n > 2)
            return false;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
    return true;
}

static vm_word small_constant(const fl_term *t)
{
    vm_word k = t->kind == FL_INT ? fl_constant_of(t) : 0;
    return vm_tag(k) == TAG_INT ? k : 0;
}

static void emit_labelled(fl_emitter *e, fl_words *slow, uint32_t op)
{
    FL_EMIT(e, op, 0);
    FL_PUSH(*slow, e->code.n - 1);
}

static uint32_t operand(fl_emitter *e, const fl_term *t, fl_words *slow)
{
    if (t->kind == FL_VAR)
        return e->register_of[t->var];
    uint32_t reg = fl_registers(e, 1);
    fl_compute(e, t, reg, slow, true);
    return reg;
}

static bool is_operator(const fl_term *t, const char *name)
{
    return t->n == 2 && strcmp(t->text, name) == 0;
}

// X + K, X - K in one instruction.
static bool compute_step(fl_emitter *e, const fl_term *t, uint32_t reg, fl_words *slow, bool inner)
{
    bool minus = is_operator(t, "-");
    vm_word k = minus || is_operator(t, "+") ? small_constant(t->args[1]) : 0;
    if (k == 0 || vm_int_value(k) == VM_INT_MIN)
        return false;
    uint32_t left = operand(e, t->args[0], slow);
    emit_labelled(e, slow, OP_ADD_K);
    FL_EMIT(e, reg, left, fl_constant(e, vm_int(minus ? -vm_int_value(k) : vm_int_value(k))),
            inner);
    return true;
}

// Operators on two values that have an instruction of their own.
static bool compute_pair(fl_emitter *e, const fl_term *t, uint32_t reg, fl_words *slow, bool inner)
{
    static const struct {
        const char *name;
        uint32_t op;
    } table[] = {{"+", OP_ADD}, {"-", OP_SUB}, {"*", OP_MUL}, {"mod", OP_MOD}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!is_operator(t, table[i].name))
            continue;
        uint32_t left = operand(e, t->args[0], slow), right = operand(e, t->args[1], slow);
        emit_labelled(e, slow, table[i].op);
        FL_EMIT(e, reg, left, right);
        if (table[i].op != OP_MOD)
            fl_emit(e, inner);
        return true;
    }
    return false;
}

static void compute_operation(fl_emitter *e, const fl_term *t, uint32_t reg, fl_words *slow,
                              bool inner)
{
    if (compute_step(e, t, reg, slow, inner) || compute_pair(e, t, reg, slow, inner))
        return;
    uint32_t base = fl_registers(e, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->args[i]->kind == FL_VAR)
            FL_EMIT(e, OP_MOVE, base + i, e->register_of[t->args[i]->var]);
        else
            fl_compute(e, t->args[i], base + i, slow, true);
    }
    emit_labelled(e, slow, OP_CALC);
    FL_EMIT(e, (uint32_t)vm_arith_operator(fl_functor_of(t)), reg, t->n, base);
}

void fl_compute(fl_emitter *e, const fl_term *t, uint32_t reg, fl_words *slow, bool inner)
{
    if (t->kind != FL_STRUCT) {
        FL_EMIT(e, OP_CONST, reg, fl_constant(e, fl_constant_of(t)));
        return;
    }
    compute_operation(e, t, reg, slow, inner);
}


// ---- Slow ways ------------------------------------------------------------------------------

void fl_move_slow_path(fl_emitter *e, uint32_t from, const fl_words *slow)
{
    fl_slow_path path = {.labels = *slow, .join = from};
    for (uint32_t i = from; i < e->code.n; i++)
        FL_PUSH(path.code, e->code.at[i]);
    e->code.n = from;
    FL_PUSH(e->slow_paths, path);
}

// None has labels of its own: their code has no branches.
void fl_emit_slow_paths(fl_emitter *e)
{
    for (uint32_t k = 0; k < e->slow_paths.n; k++) {
        const fl_slow_path *a = &e->slow_paths.at[k];
        for (uint32_t i = 0; i < a->labels.n; i++)
            e->code.at[a->labels.at[i]] = e->code.n;
        for (uint32_t i = 0; i < a->code.n; i++)
            fl_emit(e, a->code.at[i]);
        FL_EMIT(e, OP_GOTO, a->join);
    }
    e->slow_paths.n = 0;
}

// ---- Items ----------------------------------------------------------------------------------

static void emit_goal(fl_emitter *e, uint32_t index, uint32_t op)
{
    const fl_item *item = &e->clause->items[index];
    uint32_t keep = e->next_register;
    fl_words regs = {0};
    for (uint32_t i = 0; i < item->n; i++) {
        uint32_t reg = fl_emit_term(e, item->args[i], NULL);
        FL_PUSH(regs, reg);
    }
    FL_EMIT(e, op, e->clause_id, index, item->predicate->id, item->n);
    for (uint32_t i = 0; i < item->n; i++)
        fl_emit(e, regs.at[i]);
    e->next_register = keep;
}

// Assignment computed at once, or where that does not work out, by a goal:
//
//           ADD slow ...       reg := value
//     join: ...                the rest of the clause
//     slow: NEW                where X was not known
//           CALL :=
//           GOTO join
static void emit_assignment(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    const fl_term *left = item->args[0];
    uint32_t keep = e->next_register;
    bool fresh = fl_is_unknown(e, left);
    fl_words slow = {0};
    uint32_t reg = fresh ? e->register_of[left->var] : fl_registers(e, 1);
    fl_compute(e, item->args[1], reg, &slow, false);
    if (!fresh)
        FL_EMIT(e, OP_UNIFY, e->clause_id, index, fl_emit_term(e, left, NULL), reg);
    if (slow.n > 0) {
        uint32_t from = e->code.n;
        emit_goal(e, index, OP_CALL);
        fl_move_slow_path(e, from, &slow);
    }
    if (left->kind == FL_VAR) {
        e->known[left->var] = true;
        e->pending[left->var] = false;
    }
    e->next_register = keep;
}

static bool is_variable(void *var, const fl_term *t)
{
    return t->kind == FL_VAR && t->var == *(const uint32_t *)var;
}

static bool occurs(const fl_term *t, uint32_t var)
{
    return fl_any_part(t, is_variable, &var);
}

// A cons just made into reg goes to the variable in `target` in the same instruction.
static bool emit_bind_cons(fl_emitter *e, uint32_t index, uint32_t target, uint32_t reg,
                           uint32_t before)
{
    const uint32_t *end = e->code.at + e->code.n;
    if (e->code.n >= before + 4 && end[-4] == OP_CONS && end[-3] == reg) {
        uint32_t head = end[-2], tail = end[-1];
        e->code.n -= 4;
        FL_EMIT(e, OP_BIND_CONS, e->clause_id, index, target, head, tail);
    } else if (e->code.n >= before + 6 && end[-6] == OP_CONS_TAIL && end[-5] == reg) {
        uint32_t head = end[-4], tail = end[-3], name = end[-1];
        e->code.n -= 6;
        FL_EMIT(e, OP_BIND_CONS_TAIL, e->clause_id, index, target, head, tail, e->clause_id, name);
    } else {
        return false;
    }
    return true;
}

static void emit_unification(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    const fl_term *left = item->args[0], *right = item->args[1];
    uint32_t keep = e->next_register;
    if (fl_is_unknown(e, right) && !fl_is_unknown(e, left)) {
        const fl_term *other = left;
        left = right;
        right = other;
    }
    if (fl_is_unknown(e, left) && !occurs(right, left->var)) {
        uint32_t reg = fl_emit_term(e, right, NULL);
        FL_EMIT(e, OP_MOVE, e->register_of[left->var], reg);
        e->known[left->var] = true;
        e->pending[left->var] = right->kind == FL_VAR && e->pending[right->var];
    } else {
        uint32_t target = fl_emit_term(e, item->args[0], NULL), before = e->code.n;
        uint32_t reg = fl_emit_term(e, item->args[1], NULL);
        if (item->args[1]->kind != FL_CONS || !emit_bind_cons(e, index, target, reg, before))
            FL_EMIT(e, OP_UNIFY, e->clause_id, index, target, reg);
    }
    e->next_register = keep;
}

// ---- Bodies ---------------------------------------------------------------------------------

static void reserve_registers(fl_emitter *e)
{
    for (uint32_t v = 0; v < e->clause->nvariables; v++)
        if (!e->known[v] && e->clause->variables[v].body > 0 &&
            e->register_of[v] == FL_NO_REGISTER)
            e->register_of[v] = fl_registers(e, 1);
}

// Emits the item if it is an assignment whose operands are there.
static bool emit_computable(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    if (!fl_is_assignment(item) || item->args[1]->kind == FL_VAR ||
        !fl_is_computable(e, item->args[1]))
        return false;
    emit_assignment(e, index);
    return true;
}

// A goal of call/N, to go on with as with any other goal. With priorities it is called at once: its
// goal may have one that is higher than that of the clause.
static bool is_call(const fl_emitter *e, const fl_item *item)
{
    return !e->has_priorities && item->predicate->entry && item->predicate->entry->calls;
}

// The goal that goes on in the registers: the first one of the text. It is likely to bind what the
// others wait for.
static uint32_t first_user_goal(const fl_emitter *e, const item_state *state)
{
    const fl_clause *c = e->clause;
    for (uint32_t i = 0; i < c->nitems && !e->beginning; i++)
        if (state[i] == ITEM_OPEN && !fl_is_queued(&c->items[i]) &&
            (!c->items[i].predicate->builtin || is_call(e, &c->items[i])))
            return i;
    return FL_NO_REGISTER;
}

// A goal whose arguments are in registers. made: of a predicate that was made for it, or NULL.
static void emit_created(fl_emitter *e, uint32_t op, uint32_t index, const vm_predicate *made,
                         const fl_words *arguments)
{
    const fl_item *item = &e->clause->items[index];
    const vm_predicate *p = made ? made : item->predicate;
    if (op == OP_SPAWN && e->has_priorities)
        op = fl_emit_priority(e, &item->priority);
    FL_EMIT(e, op, e->clause_id, index, p->id, arguments->n);
    for (uint32_t i = 0; i < arguments->n; i++)
        fl_emit(e, arguments->at[i]);
}

// Goes on with a goal: its first argument, and those others that are not in their place yet, are
// put there.
static void emit_last(fl_emitter *e, uint32_t index, const fl_words *arguments)
{
    static const uint32_t ops[] = {OP_EXEC_1, OP_EXEC_2, OP_EXEC_3,
                                   OP_EXEC_4, OP_EXEC_5, OP_EXEC_6};
    const fl_item *item = &e->clause->items[index];
    fl_words moves = {0};
    for (uint32_t i = 1; i < item->n; i++)
        if (arguments->at[i] != i) {
            FL_PUSH(moves, i);
            FL_PUSH(moves, arguments->at[i]);
        }
    if (is_call(e, item)) {
        emit_created(e, OP_EXEC_CALL, index, NULL, arguments);
        return;
    }
    if (e->has_priorities || moves.n / 2 >= sizeof ops / sizeof *ops) {
        emit_created(e, OP_EXEC, index, NULL, arguments);
        return;
    }
    FL_EMIT(e, ops[moves.n / 2], e->clause_id, index, item->predicate->id, 0);
    FL_PUSH(e->calls, e->code.n - 1);
    fl_emit(e, item->n > 0 ? arguments->at[0] : 0);
    for (uint32_t i = 0; i < moves.n; i++)
        fl_emit(e, moves.at[i]);
}

// The arguments of a goal, made. Returns the predicate that was made for it, or NULL.
static const vm_predicate *emit_arguments(fl_emitter *e, uint32_t index, fl_words *ret_registers)
{
    const fl_item *item = &e->clause->items[index];
    bool deferred = fl_defer(e, index);
    for (uint32_t i = 0; i < (deferred ? 1 : item->n); i++) {
        uint32_t reg = fl_emit_term(e, item->args[i], NULL);
        FL_PUSH(*ret_registers, reg);
    }
    if (!deferred)
        return NULL;
    const fl_deferred *d = &e->deferred.at[e->deferred.n - 1];
    for (uint32_t i = 0; i < d->variables.n; i++) {
        uint32_t var = d->variables.at[i];
        if (!e->known[var])
            fl_emit_variable(e, var);
        FL_PUSH(*ret_registers, e->register_of[var]);
    }
    return d->predicate;
}

// What is left are goals. Their arguments are made in the order of the text, so that variables may
// live where they occur first; they are pushed from the last one to the second, so that the second
// is taken when the first, which goes on, is done.
static void emit_goals(fl_emitter *e, const item_state *state)
{
    const fl_clause *c = e->clause;
    uint32_t keep = e->next_register, first = first_user_goal(e, state);
    fl_words *arguments = vm_alloc((c->nitems + 1) * sizeof *arguments);
    const vm_predicate **made = vm_alloc((c->nitems + 1) * sizeof *made);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (state[i] == ITEM_OPEN)
            made[i] = emit_arguments(e, i, &arguments[i]);
    for (uint32_t i = c->nitems; i > 0; i--)
        if (state[i - 1] == ITEM_OPEN && i - 1 != first)
            emit_created(e, OP_SPAWN, i - 1, made[i - 1], &arguments[i - 1]);
    if (first != FL_NO_REGISTER)
        emit_last(e, first, &arguments[first]);
    else
        FL_EMIT(e, OP_END, e->clause_id);
    e->next_register = keep;
}

// Emits the item if it is a built-in whose inputs are there.
static bool emit_ready(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    if (item->unify || !item->predicate->builtin || fl_is_assignment(item) || is_call(e, item) ||
        fl_is_queued(item) || !fl_is_ready(e, item))
        return false;
    emit_goal(e, index, OP_CALL);
    fl_note_run(e, item);
    return true;
}

// An input of a quick way: a constant, or a variable whose value is there.
static bool is_quick_input(const fl_emitter *e, const fl_term *t)
{
    if (t->kind == FL_VAR)
        return e->known[t->var] && !e->pending[t->var];
    return t->n == 0 && t->kind != FL_VECTOR;
}

static bool is_unused(const fl_emitter *e, const fl_term *t)
{
    if (t->kind != FL_VAR)
        return false;
    const fl_variable *v = &e->clause->variables[t->var];
    return v->head + v->guard + v->body == 1;
}

// The argument that gets the result of a quick way, which must be a new variable.
static const fl_term *quick_result(const fl_emitter *e, const fl_item *item)
{
    bool first = item->predicate->entry->modes[0] == 'o';
    const fl_term *result = item->args[first ? 0 : item->n - 1];
    return fl_is_unknown(e, result) && !is_unused(e, result) ? result : NULL;
}

static bool has_quick_way(const fl_emitter *e, const fl_item *item)
{
    if (item->unify || !item->predicate->builtin || !item->predicate->entry->quick ||
        fl_is_queued(item) || !quick_result(e, item))
        return false;
    const fl_term *result = quick_result(e, item);
    for (uint32_t i = 0; i < item->n; i++) {
        bool input = i + 1 != item->predicate->entry->quick_without;
        if (item->args[i] == result)
            continue;
        if (input ? !is_quick_input(e, item->args[i]) : !is_unused(e, item->args[i]))
            return false;
    }
    return true;
}

// A built-in with a quick way, computed at once, or where that does not work out, by a goal:
//
//           QUICK slow ...     reg := result
//     join: ...                the rest of the clause
//     slow: NEW
//           CALL
//           GOTO join
static bool emit_quick(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    if (!has_quick_way(e, item))
        return false;
    const fl_term *result = quick_result(e, item);
    uint32_t keep = e->next_register;
    fl_words inputs = {0}, slow = {0};
    for (uint32_t i = 0; i < item->n; i++)
        if (item->args[i] != result && i + 1 != item->predicate->entry->quick_without)
            FL_PUSH(inputs, fl_emit_term(e, item->args[i], NULL));
    emit_labelled(e, &slow, OP_QUICK);
    FL_EMIT(e, item->predicate->id, e->register_of[result->var], inputs.n);
    for (uint32_t i = 0; i < inputs.n; i++)
        fl_emit(e, inputs.at[i]);
    uint32_t from = e->code.n;
    emit_goal(e, index, OP_CALL);
    fl_move_slow_path(e, from, &slow);
    e->known[result->var] = true;
    fl_note_run(e, item);
    e->next_register = keep;
    return true;
}

// Assignments whose operands are there, as many as become so; with built-ins, also those and the
// assignments that need what they bind. What waits for a goal of the body is left to emit_goals.
static void emit_at_once(fl_emitter *e, item_state *state, bool builtins)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < e->clause->nitems; i++)
            if (state[i] == ITEM_OPEN &&
                (emit_computable(e, i) || emit_quick(e, i) || (builtins && emit_ready(e, i)))) {
                state[i] = ITEM_DONE;
                more = true;
            }
    }
}

void fl_emit_body_plain(fl_emitter *e)
{
    const fl_clause *c = e->clause;
    item_state *state = vm_alloc((c->nitems + 1) * sizeof *state);
    reserve_registers(e);
    if (e->beginning) // its variables are shown: all are made
        for (uint32_t v = 0; v < c->nvariables; v++) {
            fl_emit_variable(e, v);
            e->pending[v] = false; // its goals begin in the order of the text
        }
    emit_at_once(e, state, false);
    for (uint32_t i = 0; i < c->nitems; i++)
        if (c->items[i].unify) {
            emit_unification(e, i);
            state[i] = ITEM_DONE;
        }
    emit_at_once(e, state, true);
    emit_goals(e, state);
}
