// SPDX-License-Identifier: MIT
//
// Head and guards of a clause as the trace describes them. Nested terms wait on a stack. A pattern is
// numbered when it is taken from there, before its children; in the end the order is reversed, so
// that children stand before it.
#include "fleng/compile/emit.h"

#include <string.h>

// One of the three, and which child it becomes: of the head, from `arity` on of `children`.
typedef struct {
    const fl_term *term;
    const fl_guard *guard;
    const fl_guards *guards;
    uint32_t child;
} part;

typedef struct {
    const fl_emitter *e;
    uint32_t arity;
    fl_words head, children;
    ARRAY_OF(fl_node) patterns;
    ARRAY_OF(trace_guard) guards;
    ARRAY_OF(const char *) names; // of guards
    ARRAY_OF(const char *) unused;
    uint32_t *unused_of; // by variable: its place in `unused` + 1
    ARRAY_OF(part) todo;
} shaping;

static uint32_t new_children(shaping *s, uint32_t n)
{
    uint32_t first = s->children.n;
    for (uint32_t i = 0; i < n; i++)
        FL_PUSH(s->children, 0);
    return first;
}

static uint32_t wait_for_terms(shaping *s, uint32_t n, fl_term *const *terms)
{
    uint32_t first = new_children(s, n);
    for (uint32_t i = n; i-- > 0;)
        FL_PUSH(s->todo, (part){.term = terms[i], .child = s->arity + first + i});
    return first;
}

static fl_node structure(const char *name, uint32_t first, uint32_t n)
{
    vm_word functor = vm_functor(vm_atom_intern(name, strlen(name)), n);
    return (fl_node){.kind = TN_STRUCT, .constant = functor, .first = first, .n = n};
}

// ---- Parts ----------------------------------------------------------------------------------

static fl_node variable(shaping *s, uint32_t v)
{
    const fl_clause *c = s->e->clause;
    if (c->variables[v].body > 0)
        return (fl_node){.kind = TN_HOLE, .index = s->e->nodes.at[s->e->node_of[v]].index};
    if (s->unused_of[v] == 0) {
        FL_PUSH(s->unused, c->variables[v].name);
        s->unused_of[v] = s->unused.n;
    }
    return (fl_node){.kind = TN_FRESH, .index = s->unused_of[v] - 1};
}

static fl_node term(shaping *s, const fl_term *t)
{
    switch (t->kind) {
    case FL_VAR:
        return variable(s, t->var);
    case FL_CONS:
        return (fl_node){.kind = TN_CONS, .first = wait_for_terms(s, t->n, t->args), .n = t->n};
    case FL_STRUCT:
        return (fl_node){.kind = TN_STRUCT,
                         .constant = fl_functor_of(t),
                         .first = wait_for_terms(s, t->n, t->args),
                         .n = t->n};
    case FL_VECTOR:
        return (fl_node){.kind = TN_VECTOR, .first = wait_for_terms(s, t->n, t->args), .n = t->n};
    default:
        return (fl_node){.kind = TN_CONST, .constant = fl_constant_of(t)};
    }
}

// The alternatives of a guard.
static uint32_t wait_for_alternatives(shaping *s, const fl_guard *g)
{
    uint32_t first = new_children(s, g->nalternatives);
    for (uint32_t i = g->nalternatives; i-- > 0;)
        FL_PUSH(s->todo, (part){.guards = &g->alternatives[i], .child = s->arity + first + i});
    return first;
}

static fl_node guard(shaping *s, const fl_guard *g)
{
    if (g->kind == GUARD_OR)
        return structure(";", wait_for_alternatives(s, g), g->nalternatives);
    return structure(g->name, wait_for_terms(s, g->n, g->args), g->n);
}

// A conjunction.
static fl_node guards(shaping *s, const fl_guards *all)
{
    if (all->n == 1)
        return guard(s, all->at[0]);
    if (all->n == 0)
        return (fl_node){.kind = TN_CONST, .constant = vm_atom(vm_atom_intern("true", 4))};
    uint32_t first = new_children(s, all->n);
    for (uint32_t i = all->n; i-- > 0;)
        FL_PUSH(s->todo, (part){.guard = all->at[i], .child = s->arity + first + i});
    return structure(",", first, all->n);
}

// ---- The clause -----------------------------------------------------------------------------

static void add_guard(shaping *s, const fl_guard *g)
{
    bool or = g->kind == GUARD_OR;
    trace_guard made = {.line = g->line, .column = g->column};
    made.first = or ? wait_for_alternatives(s, g) : wait_for_terms(s, g->n, g->args);
    made.n = or ? g->nalternatives : g->n;
    FL_PUSH(s->guards, made);
    FL_PUSH(s->names, or ? ";" : g->name);
}

static void shape_all(shaping *s)
{
    while (s->todo.n > 0) {
        part p = s->todo.at[--s->todo.n];
        uint32_t *place = p.child < s->arity ? &s->head.at[p.child] : &s->children.at[p.child - s->arity];
        *place = (uint32_t)s->patterns.n;
        fl_node made = p.term ? term(s, p.term) : p.guard ? guard(s, p.guard) : guards(s, p.guards);
        FL_PUSH(s->patterns, made);
    }
}

static void reverse(shaping *s)
{
    uint32_t last = (uint32_t)s->patterns.n - 1;
    for (uint32_t i = 0; i < s->patterns.n / 2; i++) {
        fl_node first = s->patterns.at[i];
        s->patterns.at[i] = s->patterns.at[last - i];
        s->patterns.at[last - i] = first;
    }
    for (uint32_t i = 0; i < s->head.n; i++)
        s->head.at[i] = last - s->head.at[i];
    for (uint32_t i = 0; i < s->children.n; i++)
        s->children.at[i] = last - s->children.at[i];
}

void fl_note_shape(fl_emitter *e, bool below_otherwise, fl_template *made)
{
    const fl_clause *c = e->clause;
    shaping s = {.e = e, .arity = c->predicate->arity};
    s.unused_of = vm_alloc_atomic((c->nvariables + 1) * sizeof *s.unused_of);
    memset(s.unused_of, 0, (c->nvariables + 1) * sizeof *s.unused_of);
    if (below_otherwise) {
        FL_PUSH(s.guards, (trace_guard){.line = c->line, .column = c->column});
        FL_PUSH(s.names, "otherwise");
    }
    for (uint32_t i = 0; i < c->guards.n; i++)
        add_guard(&s, c->guards.at[i]);
    for (uint32_t i = s.arity; i-- > 0;)
        FL_PUSH(s.todo, (part){.term = c->head[i], .child = i});
    for (uint32_t i = 0; i < s.arity; i++)
        FL_PUSH(s.head, 0);
    shape_all(&s);
    reverse(&s);
    made->shape = (fl_shape){
        .nhead = s.arity,
        .nguards = (uint32_t)s.guards.n,
        .nunused = (uint32_t)s.unused.n,
        .npatterns = (uint32_t)s.patterns.n,
        .nchildren = (uint32_t)s.children.n,
        .head = s.head.at,
        .children = s.children.at,
        .guards = s.guards.at,
        .guard_names = s.names.at,
        .unused = s.unused.at,
        .patterns = s.patterns.at,
    };
}
