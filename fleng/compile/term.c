// SPDX-License-Identifier: MIT
//
// Terms of bodies, and terms that guards compare with: the code that builds them, innermost first,
// and for stamped runs their nodes in the clause's template.
//
// The compounds along the last arguments, the spine, are made one after the other in one register,
// so a long list needs few registers. Other nested terms wait on a stack of this file, not on C's.

#include "fleng/compile/emit.h"

#include "vm/code.h"

#include <string.h>

uint32_t fl_add_node(fl_emitter *e, fl_node node)
{
    FL_PUSH(e->nodes, node);
    return e->nodes.n - 1;
}

static void node_children(fl_emitter *e, uint32_t *node, fl_node made, const uint32_t *children,
                          uint32_t n)
{
    if (!node)
        return;
    made.first = e->children.n;
    made.n = n;
    made.index = e->nstructs++;
    for (uint32_t i = 0; i < n; i++)
        FL_PUSH(e->children, children[i]);
    *node = fl_add_node(e, made);
}

// Emits the making of one compound whose arguments are in registers.
static void make_compound(fl_emitter *e, const fl_term *t, uint32_t reg, const uint32_t *regs,
                          const uint32_t *nodes, uint32_t *ret_node)
{
    if (t->kind == FL_CONS) {
        FL_EMIT(e, OP_CONS, reg, regs[0], regs[1]);
        node_children(e, ret_node, (fl_node){.kind = TN_CONS}, nodes, t->n);
        return;
    }
    if (t->kind == FL_STRUCT) {
        FL_EMIT(e, OP_STRUCT, reg, fl_constant(e, fl_functor_of(t)), t->n);
        node_children(e, ret_node, (fl_node){.kind = TN_STRUCT, .constant = fl_functor_of(t)},
                      nodes, t->n);
    } else {
        FL_EMIT(e, OP_VECTOR, reg, t->n);
        node_children(e, ret_node, (fl_node){.kind = TN_VECTOR}, nodes, t->n);
    }
    for (uint32_t i = 0; i < t->n; i++)
        fl_emit(e, regs[i]);
}

static uint32_t leaf(fl_emitter *e, const fl_term *t, uint32_t *ret_node)
{
    if (t->kind == FL_VAR) {
        if (ret_node)
            *ret_node = e->node_of[t->var];
        if (!e->known[t->var])
            fl_emit_variable(e, t->var);
        return e->register_of[t->var];
    }
    vm_word constant = fl_constant_of(t);
    uint32_t reg = fl_registers(e, 1);
    FL_EMIT(e, OP_CONST, reg, fl_constant(e, constant));
    if (ret_node)
        *ret_node = fl_add_node(e, (fl_node){.kind = TN_CONST, .constant = constant});
    return reg;
}

static bool is_compound(const fl_term *t)
{
    return (t->kind == FL_CONS || t->kind == FL_STRUCT || t->kind == FL_VECTOR) && t->n > 0;
}

bool fl_is_unknown(const fl_emitter *e, const fl_term *t)
{
    return t->kind == FL_VAR && !e->known[t->var];
}

enum { MOST_STEPS = 1000 }; // of a search; beyond, the variable is taken to occur

// Does the variable occur in an argument of t other than this one and the last?
static bool occurs_beside(const fl_clause *c, const fl_term *t, uint32_t argument, uint32_t var)
{
    const fl_variable *v = &c->variables[var];
    if (v->head + v->guard + v->body == 1)
        return false;
    ARRAY_OF(const fl_term *) todo = {0};
    for (uint32_t i = 0; i + 1 < t->n; i++)
        if (i != argument)
            FL_PUSH(todo, t->args[i]);
    for (uint32_t steps = 0; todo.n > 0; steps++) {
        const fl_term *next = todo.at[--todo.n];
        if ((next->kind == FL_VAR && next->var == var) || steps == MOST_STEPS)
            return true;
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(todo, next->args[i]);
    }
    return false;
}

// In a plain run a variable that first occurs as an argument of a compound lives there, but for
// the head of a cons: a reference to its place would look like one to a variable of its own.
static bool lives_in(const fl_emitter *e, const fl_term *t, uint32_t argument)
{
    return e->plain && fl_is_unknown(e, t->args[argument]) && t->kind != FL_VECTOR &&
           t->n <= 30 && !(t->kind == FL_CONS && argument == 0) &&
           e->register_of[t->args[argument]->var] != FL_NO_REGISTER &&
           !occurs_beside(e->clause, t, argument, t->args[argument]->var);
}

static uint32_t emit_hole(fl_emitter *e, const fl_term *variable)
{
    uint32_t reg = fl_registers(e, 1);
    FL_EMIT(e, OP_HOLE, reg, e->clause_id, variable->var);
    return reg;
}

static void take_place(fl_emitter *e, const fl_term *t, uint32_t compound, uint32_t argument)
{
    uint32_t var = t->args[argument]->var;
    FL_EMIT(e, OP_PLACE, e->register_of[var], compound, argument);
    e->known[var] = e->pending[var] = true;
}

typedef struct {
    uint32_t reg, node; // of the end of the spine so far
    bool hole;          // its end is a variable that lives in the innermost compound
} spine_end;

// A compound being made: the links of its spine from the innermost one out, each when its other
// arguments are made.
typedef struct {
    ARRAY_OF(const fl_term *) spine;
    uint32_t left;      // links still to be made
    uint32_t reg, node; // of the end of the spine so far
    uint32_t own;       // register that the links are made in
    bool hole;          // its end is a variable that lives in the innermost link
    bool numbered;

    // the link under way
    bool begun;
    uint32_t keep; // registers in use before it
    uint32_t next; // argument
    uint32_t *regs, *nodes;
    bool *lives; // by argument: a variable that comes to live in the link
} making;

typedef ARRAY_OF(making) making_stack;

static uint32_t emit_simple(fl_emitter *e, const fl_term *t, uint32_t *ret_node)
{
    if (t->kind != FL_VECTOR)
        return leaf(e, t, ret_node);
    uint32_t reg = fl_registers(e, 1);
    make_compound(e, t, reg, NULL, NULL, ret_node);
    return reg;
}

static void begin_compound(fl_emitter *e, making_stack *stack, const fl_term *t, bool numbered)
{
    making m = {.own = fl_registers(e, 1), .numbered = numbered};
    for (; is_compound(t); t = t->args[t->n - 1])
        FL_PUSH(m.spine, t);
    const fl_term *inner = m.spine.at[m.spine.n - 1];
    m.left = m.spine.n;
    m.hole = lives_in(e, inner, inner->n - 1);
    if (!m.hole)
        m.reg = emit_simple(e, t, numbered ? &m.node : NULL);
    FL_PUSH(*stack, m);
}

// [Head|Tail] with a new variable Tail that lives in it has an instruction of its own.
static bool makes_tail(const making *m, const fl_term *link)
{
    return m->hole && link->kind == FL_CONS;
}

static void begin_link(fl_emitter *e, making *m, const fl_term *link)
{
    uint32_t n = link->n;
    m->begun = true;
    m->keep = e->next_register;
    m->next = 0;
    m->regs = vm_alloc_atomic(2 * n * sizeof *m->regs);
    m->nodes = m->regs + n;
    m->lives = vm_alloc(n);
    if (makes_tail(m, link))
        return;
    m->lives[n - 1] = m->hole;
    m->regs[n - 1] = m->hole ? emit_hole(e, link->args[n - 1]) : m->reg;
    m->nodes[n - 1] = m->node;
}

// The next argument of the link. False: it is a compound, to be made first.
static bool make_argument(fl_emitter *e, making *m, const fl_term *link)
{
    uint32_t k = m->next;
    const fl_term *t = link->args[k];
    m->lives[k] = !makes_tail(m, link) && lives_in(e, link, k);
    if (m->lives[k])
        m->regs[k] = emit_hole(e, t);
    else if (is_compound(t))
        return false;
    else
        m->regs[k] = emit_simple(e, t, m->numbered ? &m->nodes[k] : NULL);
    m->next++;
    return true;
}

static void end_link(fl_emitter *e, making *m, const fl_term *link)
{
    if (makes_tail(m, link)) {
        uint32_t tail = link->args[1]->var;
        FL_EMIT(e, OP_CONS_TAIL, m->own, m->regs[0], e->register_of[tail], e->clause_id, tail);
        e->known[tail] = e->pending[tail] = true;
    } else {
        make_compound(e, link, m->own, m->regs, m->nodes, m->numbered ? &m->node : NULL);
        for (uint32_t k = 0; k < link->n; k++)
            if (m->lives[k])
                take_place(e, link, m->own, k);
    }
    e->next_register = m->keep;
    m->reg = m->own;
    m->hole = m->begun = false;
    m->left--;
}

uint32_t fl_emit_term(fl_emitter *e, const fl_term *t, uint32_t *ret_node)
{
    making_stack stack = {0};
    if (!is_compound(t))
        return emit_simple(e, t, ret_node);
    begin_compound(e, &stack, t, ret_node != NULL);
    for (;;) {
        making *m = &stack.at[stack.n - 1];
        if (m->left == 0) { // it is an argument of the one below
            stack.n--;
            if (stack.n == 0)
                break;
            making *outer = &stack.at[stack.n - 1];
            outer->regs[outer->next] = stack.at[stack.n].own;
            outer->nodes[outer->next++] = stack.at[stack.n].node;
            continue;
        }
        const fl_term *link = m->spine.at[m->left - 1];
        if (!m->begun)
            begin_link(e, m, link);
        if (m->next == link->n - 1)
            end_link(e, m, link);
        else if (!make_argument(e, m, link))
            begin_compound(e, &stack, link->args[m->next], m->numbered);
    }
    if (ret_node)
        *ret_node = stack.at[0].node;
    return stack.at[0].own;
}
