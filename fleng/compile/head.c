// SPDX-License-Identifier: MIT
//
// Heads: patterns as data, and the code that matches them and builds nothing.

#include "fleng/compile/emit.h"

#include "vm/code.h"

// ---- Patterns -------------------------------------------------------------------------------

typedef struct {
    const fl_term *term;
    vm_pattern *pattern;
} pattern_work;

typedef ARRAY_OF(pattern_work) pattern_stack;

static void pattern_children(pattern_stack *stack, vm_pattern *p, const fl_term *t)
{
    p->n = t->n;
    p->children = vm_alloc((t->n + 1) * sizeof *p->children);
    for (uint32_t i = t->n; i > 0; i--) {
        p->children[i - 1] = vm_alloc(sizeof *p);
        FL_PUSH(*stack, (pattern_work){.term = t->args[i - 1], .pattern = p->children[i - 1]});
    }
}

// seen: by variable, whether it occurred before; NULL: nobody wants to know.
static void fill_pattern(const fl_clause *c, bool *seen, pattern_stack *stack, pattern_work w)
{
    const fl_term *t = w.term;
    vm_pattern *p = w.pattern;
    switch (t->kind) {
    case FL_VAR: {
        const fl_variable *v = &c->variables[t->var];
        p->kind = v->head + v->guard + v->body == 1 ? PATTERN_VOID
                  : seen && seen[t->var]            ? PATTERN_AGAIN
                                                    : PATTERN_FIRST;
        p->reg = t->var;
        if (seen)
            seen[t->var] = true;
        return;
    }
    case FL_CONS:
        p->kind = PATTERN_CONS;
        break;
    case FL_STRUCT:
        p->kind = PATTERN_STRUCT;
        p->constant = fl_functor_of(t);
        break;
    case FL_VECTOR:
        p->kind = PATTERN_VECTOR;
        break;
    default:
        p->kind = PATTERN_CONST;
        p->constant = fl_constant_of(t);
        return;
    }
    pattern_children(stack, p, t);
}

static vm_pattern *make_pattern(const fl_clause *c, bool *seen, const fl_term *t)
{
    vm_pattern *p = vm_alloc(sizeof *p);
    pattern_stack stack = {0};
    FL_PUSH(stack, (pattern_work){.term = t, .pattern = p});
    while (stack.n > 0)
        fill_pattern(c, seen, &stack, stack.at[--stack.n]);
    return p;
}

vm_pattern *fl_pattern(const fl_clause *c, const fl_term *t)
{
    return make_pattern(c, NULL, t);
}

// First occurrences are those first met from left to right, outer before inner.
static vm_pattern **make_patterns(fl_emitter *e)
{
    uint32_t arity = e->clause->predicate->arity;
    vm_pattern **patterns = vm_alloc((arity + 1) * sizeof *patterns);
    bool *seen = vm_alloc(e->clause->nvariables + 1);
    for (uint32_t i = 0; i < arity; i++)
        patterns[i] = make_pattern(e->clause, seen, e->clause->head[i]);
    return patterns;
}

// ---- Code -----------------------------------------------------------------------------------

typedef struct {
    uint32_t reg;
    const fl_term *term;
} head_work;

typedef ARRAY_OF(head_work) head_queue;

static bool is_void(const fl_emitter *e, const fl_term *t)
{
    const fl_variable *v = &e->clause->variables[t->var];
    return v->head + v->guard + v->body == 1;
}

// Of a repeated variable the body gets what its first occurrence in the text matched, which need
// not be the first met here.
static void variable_in(fl_emitter *e, const fl_term *t, uint32_t reg)
{
    const fl_variable *v = &e->clause->variables[t->var];
    if (e->known[t->var])
        FL_EMIT(e, OP_GET_AGAIN, e->register_of[t->var], reg);
    if (!e->known[t->var] || (t->line == v->line && t->column == v->column))
        e->register_of[t->var] = reg;
    e->known[t->var] = true;
}

static void match_part(fl_emitter *e, head_queue *queue, uint32_t reg, const fl_term *t)
{
    if (t->kind != FL_VAR)
        FL_PUSH(*queue, (head_work){.reg = reg, .term = t});
    else if (!is_void(e, t))
        variable_in(e, t, reg);
}

// known: SWITCH found a cons or structure there.
static void emit_get(fl_emitter *e, head_work w, uint32_t base, bool known)
{
    const fl_term *t = w.term;
    if (t->kind == FL_CONS)
        FL_EMIT(e, known ? OP_TAKE_CONS : OP_GET_CONS, w.reg, base);
    else if (t->kind == FL_STRUCT)
        FL_EMIT(e, known ? OP_TAKE_STRUCT : OP_GET_STRUCT, w.reg,
                fl_constant(e, fl_functor_of(t)), base);
    else if (t->kind == FL_VECTOR)
        FL_EMIT(e, OP_GET_VECTOR, w.reg, t->n, base);
    else if (vm_tag(fl_constant_of(t)) == TAG_BOX)
        FL_EMIT(e, OP_GET_BOX, w.reg, fl_constant(e, fl_constant_of(t)));
    else if (!known)
        FL_EMIT(e, OP_GET_CONST, w.reg, fl_constant(e, fl_constant_of(t)));
}

static uint32_t parts_of(const fl_term *t)
{
    return t->kind == FL_CONS || t->kind == FL_STRUCT || t->kind == FL_VECTOR ? t->n : 0;
}

static void match_parts(fl_emitter *e, head_queue *queue, head_work w, uint32_t base)
{
    for (uint32_t i = 0; i < parts_of(w.term); i++)
        match_part(e, queue, base + i, w.term->args[i]);
}

// The switched argument comes first, in two versions:
//
//            GET_... r        for those who come without SWITCH
//            GOTO rest
//     known: TAKE_... r
//     rest:
static void match_switched(fl_emitter *e, head_work w, uint32_t base, uint32_t *ret_known)
{
    emit_get(e, w, base, false);
    FL_EMIT(e, OP_GOTO, 0);
    uint32_t label = e->code.n - 1;
    *ret_known = e->code.n;
    emit_get(e, w, base, true);
    e->code.at[label] = e->code.n;
}

vm_pattern **fl_emit_head(fl_emitter *e, uint32_t switched, uint32_t *ret_known)
{
    head_queue queue = {0};
    uint32_t arity = e->clause->predicate->arity;
    *ret_known = e->code.n;
    if (switched != FL_NO_REGISTER && e->clause->head[switched]->kind != FL_VAR) {
        head_work w = {.reg = switched, .term = e->clause->head[switched]};
        uint32_t base = fl_registers(e, parts_of(w.term));
        match_switched(e, w, base, ret_known);
        match_parts(e, &queue, w, base);
    } else {
        switched = FL_NO_REGISTER;
    }
    for (uint32_t i = 0; i < arity; i++)
        if (i != switched)
            match_part(e, &queue, i, e->clause->head[i]);
    for (uint32_t i = 0; i < queue.n; i++) {
        uint32_t base = fl_registers(e, parts_of(queue.at[i].term));
        emit_get(e, queue.at[i], base, false);
        match_parts(e, &queue, queue.at[i], base);
    }
    return make_patterns(e);
}
