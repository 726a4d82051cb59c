// SPDX-License-Identifier: MIT
//
// Who reads and who binds the arguments of each predicate, and what follows: variables that are
// waited for and that nobody binds, and variables that two goals bind to different things.
//
//   may read, may bind    found from below: nothing until some clause does it
//   does bind             found from above: every clause does until one does not
//
// "At the top" is the argument itself, "inside" what its value contains. A variable that is put
// into a structure may be bound by whoever gets that, so it may be bound.
#include "fleng/check/modes.h"

enum { // flags of an argument
    READS = 1,
    READS_INSIDE = 2,
    BINDS = 4,
    BINDS_INSIDE = 8,
    ALL = 15,
};

// What a variable is bound to.
typedef enum { VALUE_NONE, VALUE_CONSTANT, VALUE_SHAPE, VALUE_SEVERAL } value_kind;
typedef struct {
    value_kind kind;
    const fl_term *term; // constant, or compound of the shape
} value;

typedef struct {
    uint8_t *flags; // by argument
    bool *binds;    // by argument: every clause does bind it
    value *values;  // by argument: what it is bound to
    ARRAY_OF(const fl_procedure *) callers;
    bool waiting; // in the work list
} modes;

typedef struct {
    const fl_clause *clause; // NULL: none
    uint32_t *from, *items;
} occurrences;

typedef struct mode_analysis {
    const fl_check *check;
    modes *of;        // by predicate number
    occurrences body; // of the clause that was asked about last
    ARRAY_OF(const fl_procedure *) todo;
} mode_analysis;

// ---- Built-in predicates ------------------------------------------------------------------------

// The letters of vm/builtins.def.
static uint8_t flags_of_mode(char mode)
{
    switch (mode) {
    case 'i':
        return READS | READS_INSIDE;
    case 't':
        return READS;
    case 'o':
        return BINDS;
    case 'e':
        return READS | READS_INSIDE | BINDS_INSIDE;
    default:
        return BINDS | BINDS_INSIDE;
    }
}

static void set_builtin(modes *m, const vm_predicate *p)
{
    for (uint32_t i = 0; i < p->arity; i++) {
        m->flags[i] = flags_of_mode(p->entry->modes[i]);
        m->binds[i] = p->entry->modes[i] == 'o';
        m->values[i].kind = VALUE_SEVERAL;
    }
}

// ---- What the body and guard of a clause do to its variables ------------------------------------

static void add_to_variables(uint8_t *uses, const fl_term *t, uint8_t flags)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR)
            uses[t->var] |= flags;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
}

// Flags of an argument as its parts see them.
static uint8_t seen_inside(uint8_t flags)
{
    uint8_t inside = 0;
    if (flags & READS_INSIDE)
        inside |= READS | READS_INSIDE;
    if (flags & BINDS_INSIDE)
        inside |= BINDS | BINDS_INSIDE;
    return inside;
}

static void use_argument(uint8_t *uses, const fl_term *t, uint8_t flags)
{
    if (t->kind == FL_VAR)
        uses[t->var] |= flags;
    else
        add_to_variables(uses, t, seen_inside(flags));
}

static void use_unification(uint8_t *uses, const fl_item *item)
{
    for (uint32_t i = 0; i < 2; i++) {
        const fl_term *t = item->args[i], *other = item->args[1 - i];
        if (t->kind != FL_VAR)
            add_to_variables(uses, t, BINDS | BINDS_INSIDE);
        else if (other->kind == FL_VAR)
            uses[t->var] |= ALL & ~READS;
        else
            uses[t->var] |= BINDS | BINDS_INSIDE | READS_INSIDE;
    }
}

static void use_guards(uint8_t *uses, const fl_guards *guards)
{
    for (uint32_t i = 0; i < guards->n; i++) {
        const fl_guard *g = guards->at[i];
        bool takes_apart = g->kind != GUARD_COMPARE && g->kind != GUARD_TYPE &&
                           g->kind != GUARD_ASSIGN && g->kind != GUARD_EQUAL &&
                           g->kind != GUARD_DIFFER;
        bool waits = g->kind != GUARD_UNBOUND && g->kind != GUARD_EQUAL && g->kind != GUARD_DIFFER;
        for (uint32_t k = 0; k < g->n; k++)
            add_to_variables(uses, g->args[k],
                             (waits ? READS : 0) | READS_INSIDE |
                                 (takes_apart ? BINDS_INSIDE : 0));
        for (uint32_t k = 0; k < g->nalternatives; k++)
            use_guards(uses, &g->alternatives[k]);
    }
}

static uint8_t *uses_of(const mode_analysis *a, const fl_clause *c)
{
    uint8_t *uses = vm_alloc(c->nvariables + 1);
    use_guards(uses, &c->guards);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const fl_item *item = &c->items[i];
        if (item->unify)
            use_unification(uses, item);
        for (uint32_t k = 0; k < item->n && !item->unify; k++)
            use_argument(uses, item->args[k], a->of[item->predicate->id].flags[k]);
    }
    return uses;
}

bool fl_may_bind(const mode_analysis *a, const vm_predicate *p, uint32_t k)
{
    return a->of[p->id].flags[k] & BINDS;
}

static void count_in_term(uint32_t *counts, const fl_term *t)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        if (t->kind == FL_VAR)
            counts[t->var]++;
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(todo, t->args[i]);
    }
}

void fl_count_binders(const mode_analysis *a, const fl_item *item, uint32_t *counts)
{
    for (uint32_t k = 0; k < item->n; k++) {
        const fl_term *t = item->args[k];
        uint8_t flags = item->unify ? BINDS | BINDS_INSIDE : a->of[item->predicate->id].flags[k];
        if (flags & (t->kind == FL_VAR ? BINDS : BINDS_INSIDE))
            count_in_term(counts, t);
    }
}

// ---- May read, may bind -------------------------------------------------------------------------

static uint8_t flags_of_head(const fl_clause *c, const fl_term *t, const uint8_t *uses)
{
    if (t->kind == FL_VAR) {
        const fl_variable *v = &c->variables[t->var];
        return uses[t->var] | (v->head > 1 ? READS_INSIDE : 0); // a variable is equal to itself
    }
    uint8_t flags = READS;
    ARRAY_OF(const fl_term *) todo = {0};
    for (uint32_t i = 0; i < t->n; i++)
        FL_PUSH(todo, t->args[i]);
    while (todo.n > 0) {
        const fl_term *part = todo.at[--todo.n];
        uint8_t use = READS;
        if (part->kind == FL_VAR)
            use = uses[part->var] | (c->variables[part->var].head > 1 ? READS_INSIDE : 0);
        if (use & (READS | READS_INSIDE))
            flags |= READS_INSIDE;
        if (use & (BINDS | BINDS_INSIDE))
            flags |= BINDS_INSIDE;
        for (uint32_t i = 0; i < part->n; i++)
            FL_PUSH(todo, part->args[i]);
    }
    return flags;
}

static bool update_flags(mode_analysis *a, const fl_procedure *q)
{
    modes *m = &a->of[q->predicate->id];
    bool changed = false;
    for (uint32_t k = 0; k < q->nclauses; k++) {
        const uint8_t *uses = uses_of(a, q->clauses[k]);
        for (uint32_t i = 0; i < q->predicate->arity; i++) {
            uint8_t flags =
                m->flags[i] | flags_of_head(q->clauses[k], q->clauses[k]->head[i], uses);
            changed |= flags != m->flags[i];
            m->flags[i] = flags;
        }
    }
    return changed;
}

// ---- Does bind ----------------------------------------------------------------------------------

enum { LONG_BODY = 32 };

// By variable, from which place on `items` has the items of a long body that it is an argument of.
static void index_body(occurrences *o, const fl_clause *c)
{
    o->clause = c;
    o->from = vm_alloc_atomic((c->nvariables + 2) * sizeof *o->from);
    memset(o->from, 0, (c->nvariables + 2) * sizeof *o->from);
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++)
            if (c->items[i].args[k]->kind == FL_VAR)
                o->from[c->items[i].args[k]->var + 2]++; // the place of the variable before is filled
    for (uint32_t v = 0; v <= c->nvariables; v++)
        o->from[v + 1] += o->from[v];
    o->items = vm_alloc_atomic((o->from[c->nvariables + 1] + 1) * sizeof *o->items);
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++)
            if (c->items[i].args[k]->kind == FL_VAR)
                o->items[o->from[c->items[i].args[k]->var + 1]++] = i;
}

static bool does_bind(const mode_analysis *a, const fl_item *item, uint32_t variable)
{
    for (uint32_t k = 0; k < item->n; k++) {
        const fl_term *t = item->args[k];
        if (t->kind == FL_VAR && t->var == variable &&
            (item->unify ? item->args[1 - k]->kind != FL_VAR
                         : a->of[item->predicate->id].binds[k]))
            return true;
    }
    return false;
}

// The item of the body that binds the variable for certain, from number `from` on; nitems: none.
static uint32_t find_binder(mode_analysis *a, const fl_clause *c, uint32_t variable, uint32_t from)
{
    if (c->nitems < LONG_BODY) {
        while (from < c->nitems && !does_bind(a, &c->items[from], variable))
            from++;
        return from;
    }
    if (a->body.clause != c)
        index_body(&a->body, c);
    for (uint32_t i = a->body.from[variable]; i < a->body.from[variable + 1]; i++)
        if (a->body.items[i] >= from && does_bind(a, &c->items[a->body.items[i]], variable))
            return a->body.items[i];
    return c->nitems;
}

static bool update_binds(mode_analysis *a, const fl_procedure *q)
{
    modes *m = &a->of[q->predicate->id];
    bool changed = false;
    for (uint32_t i = 0; i < q->predicate->arity; i++)
        for (uint32_t k = 0; k < q->nclauses && m->binds[i]; k++) {
            const fl_clause *c = q->clauses[k];
            const fl_term *t = c->head[i];
            if (t->kind == FL_VAR && c->variables[t->var].head == 1 &&
                find_binder(a, c, t->var, 0) < c->nitems)
                continue;
            m->binds[i] = false;
            changed = true;
        }
    return changed;
}

// ---- To what ------------------------------------------------------------------------------------

static bool same_constant(const fl_term *a, const fl_term *b)
{
    return a->kind == b->kind && a->n == b->n && a->length == b->length &&
           (a->kind == FL_FLOAT ? a->number == b->number
                                : !a->text || memcmp(a->text, b->text, a->length) == 0);
}

static value value_of_term(const fl_term *t)
{
    return (value){t->n > 0 || t->kind == FL_VECTOR ? VALUE_SHAPE : VALUE_CONSTANT, t};
}

static value value_of_binder(const mode_analysis *a, const fl_item *item, uint32_t variable)
{
    for (uint32_t k = 0; k < item->n; k++) {
        const fl_term *t = item->args[k];
        if (t->kind != FL_VAR || t->var != variable)
            continue;
        if (item->unify)
            return value_of_term(item->args[1 - k]);
        if (a->of[item->predicate->id].binds[k])
            return a->of[item->predicate->id].values[k];
    }
    return (value){VALUE_SEVERAL, NULL};
}

static value join(value a, value b)
{
    if (a.kind == VALUE_NONE)
        return b;
    if (b.kind == VALUE_NONE)
        return a;
    bool same = a.kind == b.kind && a.term && b.term && same_constant(a.term, b.term);
    return same ? a : (value){VALUE_SEVERAL, NULL};
}

static bool update_values(mode_analysis *a, const fl_procedure *q)
{
    modes *m = &a->of[q->predicate->id];
    bool changed = false;
    for (uint32_t i = 0; i < q->predicate->arity; i++) {
        value v = m->values[i];
        for (uint32_t k = 0; k < q->nclauses && m->binds[i]; k++) {
            const fl_clause *c = q->clauses[k];
            uint32_t variable = c->head[i]->var;
            v = join(v, value_of_binder(a, &c->items[find_binder(a, c, variable, 0)], variable));
        }
        changed |= v.kind != m->values[i].kind;
        m->values[i] = v;
    }
    return changed;
}

// ---- Fixed points -------------------------------------------------------------------------------

static void make_modes(mode_analysis *a)
{
    const fl_program *p = a->check->program;
    a->of = vm_alloc((p->npredicates + 1) * sizeof *a->of);
    for (uint32_t i = 0; i < p->npredicates; i++) {
        const vm_predicate *q = p->predicates[i];
        modes *m = &a->of[q->id];
        m->flags = vm_alloc(q->arity + 1);
        m->binds = vm_alloc(q->arity + 1);
        m->values = vm_alloc((q->arity + 1) * sizeof *m->values);
        const fl_procedure *own = a->check->procedure_of[q->id];
        if (q->builtin)
            set_builtin(m, q);
        for (uint32_t k = 0; own && k < q->arity; k++)
            m->binds[k] = own->nclauses > 0;
    }
}

static void note_callers(mode_analysis *a)
{
    const fl_program *p = a->check->program;
    for (uint32_t i = 0; i < p->nprocedures; i++) {
        const fl_procedure *q = &p->procedures[i];
        for (uint32_t k = 0; k < q->nclauses; k++)
            for (uint32_t j = 0; j < q->clauses[k]->nitems; j++) {
                const vm_predicate *called = q->clauses[k]->items[j].predicate;
                modes *m = called && !called->builtin ? &a->of[called->id] : NULL;
                if (m && (m->callers.n == 0 || m->callers.at[m->callers.n - 1] != q))
                    FL_PUSH(m->callers, q);
            }
    }
}

static void settle(mode_analysis *a, bool (*update)(mode_analysis *a, const fl_procedure *q))
{
    const fl_program *p = a->check->program;
    for (uint32_t i = p->nprocedures; i > 0; i--) {
        FL_PUSH(a->todo, &p->procedures[i - 1]);
        a->of[p->procedures[i - 1].predicate->id].waiting = true;
    }
    while (a->todo.n > 0) {
        const fl_procedure *q = a->todo.at[--a->todo.n];
        modes *m = &a->of[q->predicate->id];
        m->waiting = false;
        if (!update(a, q))
            continue;
        for (uint32_t i = 0; i < m->callers.n; i++) {
            modes *caller = &a->of[m->callers.at[i]->predicate->id];
            if (!caller->waiting)
                FL_PUSH(a->todo, m->callers.at[i]);
            caller->waiting = true;
        }
    }
}

// ---- Findings -----------------------------------------------------------------------------------

// Where the variable stands in the item.
static const fl_term *occurrence(const fl_item *item, uint32_t variable)
{
    ARRAY_OF(const fl_term *) todo = {0};
    for (uint32_t i = item->n; i > 0; i--)
        FL_PUSH(todo, item->args[i - 1]);
    while (todo.n > 0) {
        const fl_term *t = todo.at[--todo.n];
        if (t->kind == FL_VAR && t->var == variable)
            return t;
        for (uint32_t i = t->n; i > 0; i--)
            FL_PUSH(todo, t->args[i - 1]);
    }
    return NULL;
}

static void check_no_writer(const mode_analysis *a, const fl_clause *c, const uint8_t *uses)
{
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const fl_variable *v = &c->variables[i];
        if (v->head + v->guard > 0 || v->body < 2 || *v->name == '_' || v->line == 0)
            continue;
        if ((uses[i] & READS) && !(uses[i] & BINDS))
            fl_warn(a->check, c, FL_WARNING, "no-writer", v->line, v->column,
                    fl_text_width(v->name, strlen(v->name)),
                    "%s is waited for and has no writer: no goal here can bind it", v->name);
    }
}

static bool clash(value a, value b)
{
    if (a.kind == VALUE_NONE || b.kind == VALUE_NONE)
        return false;
    if (a.kind == b.kind && a.term && b.term)
        return !same_constant(a.term, b.term);
    return true;
}

static void check_two_writers(mode_analysis *a, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nvariables; i++) {
        const fl_variable *v = &c->variables[i];
        if (v->body < 2 || v->line == 0)
            continue;
        uint32_t first = find_binder(a, c, i, 0);
        uint32_t second = first < c->nitems ? find_binder(a, c, i, first + 1) : c->nitems;
        if (second == c->nitems || !clash(value_of_binder(a, &c->items[first], i),
                                          value_of_binder(a, &c->items[second], i)))
            continue;
        const fl_term *at = occurrence(&c->items[second], i);
        fl_warn(a->check, c, FL_WARNING, "two-writers", at->line, at->column,
                fl_text_width(v->name, strlen(v->name)),
                "%s has two writers: the goal in line %u, column %u, binds it, too", v->name,
                c->items[first].line, c->items[first].column);
    }
}

void fl_check_modes(const fl_check *k)
{
    mode_analysis a = {.check = k};
    make_modes(&a);
    note_callers(&a);
    settle(&a, update_flags);
    settle(&a, update_binds);
    settle(&a, update_values);
    for (uint32_t i = 0; i < k->program->nprocedures; i++) {
        const fl_procedure *q = &k->program->procedures[i];
        for (uint32_t j = 0; j < q->nclauses && fl_is_checked(q->predicate); j++) {
            check_no_writer(&a, q->clauses[j], uses_of(&a, q->clauses[j]));
            check_two_writers(&a, q->clauses[j]);
        }
    }
    fl_check_outputs(k, &a);
}
