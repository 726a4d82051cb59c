// SPDX-License-Identifier: MIT
//
// From the clause IR to code: program, clauses, bodies.
#include "fleng/compile/compile.h"

#include "base/memory.h"
#include "fleng/compile/clause_selection.h"
#include "fleng/compile/emit.h"
#include "fleng/compile/work.h"
#include "fleng/reader/read_value.h"
#include "vm/code.h"

#include <stdlib.h>
#include <string.h>

uint32_t fl_registers(fl_emitter *e, uint32_t n)
{
    uint32_t first = e->next_register;
    e->next_register += n;
    if (e->next_register > e->most_registers)
        e->most_registers = e->next_register;
    return first;
}

uint32_t fl_constant(fl_emitter *e, vm_word w)
{
    FL_PUSH(e->constants, w);
    return e->constants.n - 1;
}

vm_word fl_functor_of(const fl_term *t)
{
    return vm_functor(vm_atom_intern(t->text, t->length), t->n);
}

// ---- Bodies ---------------------------------------------------------------------------------

void fl_emit_variable(fl_emitter *e, uint32_t var)
{
    const fl_clause *c = e->clause;
    const fl_variable *v = &c->variables[var];
    if (e->register_of[var] == FL_NO_REGISTER) {
        fl_error(e->messages, &e->sources[c->source], v->line, v->column,
                 "the guard waits for %s, which nothing before it can bind: it does not occur in "
                 "the head",
                 v->name);
        e->register_of[var] = fl_registers(e, 1);
    }
    FL_EMIT(e, OP_NEW, e->register_of[var], e->clause_id, var);
    e->known[var] = e->pending[var] = true;
}

// Nodes of the clause's variables; the fresh ones are made first, in order of first occurrence.
static void emit_variables(fl_emitter *e, fl_template *made)
{
    const fl_clause *c = e->clause;
    made->fresh_names = vm_alloc((c->nvariables + 1) * sizeof *made->fresh_names);
    made->hole_names = vm_alloc((c->nvariables + 1) * sizeof *made->hole_names);
    made->hole_registers = vm_alloc_atomic((c->nvariables + 1) * sizeof *made->hole_registers);
    for (uint32_t v = 0; v < c->nvariables; v++) {
        if (c->variables[v].body == 0)
            continue;
        if (e->known[v]) {
            made->hole_names[made->nholes] = c->variables[v].name;
            made->hole_registers[made->nholes] = e->register_of[v];
            e->node_of[v] = fl_add_node(e, (fl_node){.kind = TN_HOLE, .index = made->nholes++});
        } else {
            e->register_of[v] = fl_registers(e, 1);
            e->known[v] = true;
            FL_EMIT(e, OP_NEW, e->register_of[v], e->clause_id, v);
            made->fresh_names[made->nfresh] = c->variables[v].name;
            e->node_of[v] = fl_add_node(e, (fl_node){.kind = TN_FRESH, .index = made->nfresh++});
        }
    }
}

bool fl_is_queued(const fl_item *item)
{
    return item->priority.kind != PRIORITY_INHERITED;
}

uint32_t fl_emit_priority(fl_emitter *e, const fl_priority *p)
{
    uint32_t reg = p->value ? fl_emit_term(e, p->value, NULL) : 0;
    FL_EMIT(e, OP_PRIORITY, p->kind, reg);
    return OP_SPAWN_AT;
}

// In code for stamped runs: is the item the last one, made by EXEC?
static bool ends_body(const fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    return index + 1 == e->clause->nitems && !e->beginning && !item->unify &&
           !item->predicate->builtin && !fl_is_queued(item);
}

static void emit_item(fl_emitter *e, uint32_t index)
{
    const fl_item *item = &e->clause->items[index];
    uint32_t keep = e->next_register;
    uint32_t *regs = base_allocate(2 * item->n + 1, sizeof *regs), *nodes = regs + item->n;
    for (uint32_t i = 0; i < item->n; i++)
        regs[i] = fl_emit_term(e, item->args[i], &nodes[i]);
    FL_PUSH(e->item_first, e->children.n);
    for (uint32_t i = 0; i < item->n; i++)
        FL_PUSH(e->children, nodes[i]);
    if (item->unify) {
        FL_EMIT(e, OP_UNIFY, e->clause_id, index, regs[0], regs[1]);
    } else {
        uint32_t op = item->predicate->builtin ? OP_CALL
                      : ends_body(e, index)    ? OP_EXEC
                                               : OP_SPAWN;
        if (fl_is_queued(item))
            op = fl_emit_priority(e, &item->priority);
        FL_EMIT(e, op, e->clause_id, index, item->predicate->id, item->n);
        for (uint32_t i = 0; i < item->n; i++)
            fl_emit(e, regs[i]);
    }
    free(regs);
    e->next_register = keep;
}

static void emit_body(fl_emitter *e, fl_template *made)
{
    const fl_clause *c = e->clause;
    if (e->plain) {
        fl_emit_body_plain(e);
        return;
    }
    FL_EMIT(e, OP_COMMIT);
    emit_variables(e, made);
    for (uint32_t i = 0; i < c->nitems; i++)
        emit_item(e, i);
    if (c->nitems == 0 || !ends_body(e, c->nitems - 1))
        FL_EMIT(e, OP_END, e->clause_id);
}

// ---- Clauses --------------------------------------------------------------------------------

// Argument positions that commitment looks at: a pattern, or a variable used twice or guarded.
static void note_looks(const fl_clause *c, fl_template *made)
{
    made->looks = vm_alloc_atomic((c->predicate->arity + 1) * sizeof *made->looks);
    for (uint32_t i = 0; i < c->predicate->arity; i++) {
        const fl_term *t = c->head[i];
        if (t->kind != FL_VAR || c->variables[t->var].head > 1 || c->variables[t->var].guard > 0)
            made->looks[made->nlooks++] = i;
    }
}

static fl_template *finish_template(fl_emitter *e, fl_template *made)
{
    made->clause = e->clause;
    made->register_of = e->register_of;
    made->nstructs = e->nstructs;
    made->nnodes = e->nodes.n;
    made->nodes = e->nodes.at;
    made->nchildren = e->children.n;
    made->children = e->children.at;
    made->item_first = e->item_first.at;
    // cells of structures follow those of the fresh variables
    for (uint32_t i = 0; i < made->nnodes; i++)
        if (made->nodes[i].kind >= TN_CONS)
            made->nodes[i].index += made->nfresh;
    for (uint32_t i = 0; i < made->clause->nitems; i++)
        made->ngoals += !made->clause->items[i].unify;
    note_looks(e->clause, made);
    return made;
}

static void begin_clause(fl_emitter *e, const fl_clause *c)
{
    e->clause = c;
    e->next_register = e->most_registers = c->predicate->arity;
    e->register_of = vm_alloc_atomic((c->nvariables + 1) * sizeof *e->register_of);
    e->known = vm_alloc(c->nvariables + 1);
    e->pending = vm_alloc(c->nvariables + 1);
    e->node_of = vm_alloc((c->nvariables + 1) * sizeof *e->node_of);
    for (uint32_t v = 0; v < c->nvariables; v++)
        e->register_of[v] = FL_NO_REGISTER;
    e->nodes.at = NULL;
    e->children.at = e->item_first.at = NULL;
    e->nodes.n = e->nodes.capacity = e->nstructs = 0;
    e->children.n = e->children.capacity = e->item_first.n = e->item_first.capacity = 0;
}

bool fl_is_assignment(const fl_item *item)
{
    return !item->unify && item->predicate->builtin && item->n == 2 &&
           strcmp(item->predicate->name, ":=") == 0;
}

static vm_site *sites_of(const fl_clause *c)
{
    vm_site *sites = vm_alloc((c->nitems + 1) * sizeof *sites);
    for (uint32_t i = 0; i < c->nitems; i++) {
        const fl_item *item = &c->items[i];
        sites[i] =
            (vm_site){.line = item->line, .column = item->column, .queued = fl_is_queued(item)};
        if (fl_is_assignment(item))
            sites[i].expression = fl_pattern(c, item->args[1]);
    }
    return sites;
}

static vm_clause *describe(const fl_clause *c)
{
    vm_clause *v = vm_alloc(sizeof *v);
    v->predicate = c->predicate;
    v->number = c->number;
    v->source = c->source;
    v->line = c->line;
    v->column = c->column;
    v->end_line = c->end_line;
    v->nnames = c->nvariables;
    v->names = vm_alloc((c->nvariables + 1) * sizeof *v->names);
    for (uint32_t i = 0; i < c->nvariables; i++)
        v->names[i] = c->variables[i].name;
    v->nitems = c->nitems;
    v->sites = sites_of(c);
    return v;
}

static bool is_comparison(const fl_emitter *e, const fl_guard *g)
{
    return g->kind == GUARD_COMPARE && fl_is_computable(e, g->args[0]) &&
           fl_is_computable(e, g->args[1]);
}

static fl_tested emit_guards(fl_emitter *e, const fl_guards *guards)
{
    fl_tested tested = {0};
    while (tested.ntests < guards->n && is_comparison(e, guards->at[tested.ntests]))
        fl_emit_guard(e, guards->at[tested.ntests++]);
    tested.rest = e->code.n;
    tested.commits = tested.ntests == guards->n;
    for (uint32_t i = tested.ntests; i < guards->n; i++)
        fl_emit_guard(e, guards->at[i]);
    return tested;
}

// The code of a clause, behind no TRY. `above`: the clauses that must have failed before this one
// may be chosen; `switched` as in fl_emit_head. Returns where code begins that relies on SWITCH.
static uint32_t emit_clause(fl_emitter *e, const fl_clause *c, vm_clause *v,
                            vm_clause *const *above, uint32_t nabove, uint32_t switched,
                            fl_tested *ret_tested)
{
    uint32_t known;
    begin_clause(e, c);
    e->clause_id = v->id;
    v->code = e->code.n;
    for (uint32_t i = 0; i < nabove && !e->plain; i++)
        FL_EMIT(e, OP_ABOVE, above[i]->id);
    v->head = fl_emit_head(e, e->plain ? switched : FL_NO_REGISTER, &known);
    *ret_tested = emit_guards(e, &c->guards);
    fl_template *made = vm_alloc(sizeof *made);
    emit_body(e, made);
    fl_emit_slow_paths(e);
    fl_emit_deferred(e);
    if (!e->plain)
        fl_note_shape(e, nabove > 0, made);
    v->info = finish_template(e, made);
    v->registers = e->most_registers > c->nvariables ? e->most_registers : c->nvariables;
    if (v->registers > e->registers)
        e->registers = v->registers;
    return e->plain ? known : v->code;
}

static void emit_procedure(fl_emitter *e, const fl_procedure *q, vm_clause **clauses,
                           uint32_t *next)
{
    vm_predicate *p = q->predicate;
    fl_clause_selection s = fl_select_clauses(q);
    uint32_t nabove = 0;
    p->nclauses = q->nclauses;
    p->clauses = vm_alloc((q->nclauses + 1) * sizeof *p->clauses);
    s.known = vm_alloc_atomic((q->nclauses + 1) * sizeof *s.known);
    s.tested = vm_alloc_atomic((q->nclauses + 1) * sizeof *s.tested);
    for (uint32_t i = 0; i < q->nclauses; i++) {
        vm_clause *v = describe(q->clauses[i]);
        v->id = (*next)++;
        clauses[v->id] = p->clauses[i] = v;
        if (q->clauses[i]->after_otherwise)
            nabove = i;
        s.known[i] =
            emit_clause(e, q->clauses[i], v, p->clauses, nabove, s.argument, &s.tested[i]);
    }
    p->chains = e->code.n;
    fl_emit_clause_selection(e, q, &s);
}

static uint32_t count_clauses(const fl_program *p, uint32_t first)
{
    uint32_t n = p->beginning ? 1 : 0;
    for (uint32_t i = first; i < p->nprocedures; i++)
        n += p->procedures[i].nclauses;
    return n;
}

static bool has_pragma(void *unused, const fl_term *t)
{
    (void)unused;
    return fl_is_struct(t, "@", 2);
}

// Has the goal, or a term that may be called as a goal, a priority?
static bool gives_priority(const fl_item *item)
{
    bool gives = fl_is_queued(item);
    for (uint32_t i = 0; i < item->n && !gives; i++)
        gives = fl_any_part(item->args[i], has_pragma, NULL);
    return gives;
}

static bool clause_gives_priority(const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (gives_priority(&c->items[i]))
            return true;
    return false;
}

static bool has_priorities(const fl_program *p)
{
    if (p->beginning && clause_gives_priority(p->beginning))
        return true;
    for (uint32_t i = 0; i < p->nprocedures; i++)
        for (uint32_t k = 0; k < p->procedures[i].nclauses; k++)
            if (clause_gives_priority(p->procedures[i].clauses[k]))
                return true;
    return false;
}

// When all entries are known.
static void link_calls(fl_emitter *e, const fl_program *p)
{
    for (uint32_t i = 0; i < e->calls.n; i++) {
        uint32_t *operand = &e->code.at[e->calls.at[i]];
        *operand = p->predicates[operand[-1]]->code;
    }
}

static void add_predicates(const fl_emitter *e, const fl_program *p, vm_program *made)
{
    made->npredicates = p->npredicates + e->made.n;
    made->predicates = vm_alloc((made->npredicates + 1) * sizeof *made->predicates);
    memcpy(made->predicates, p->predicates, p->npredicates * sizeof *made->predicates);
    if (e->made.n > 0)
        memcpy(made->predicates + p->npredicates, e->made.at, e->made.n * sizeof *e->made.at);
}

// What comes behind the code of base (NULL: there is none).
static fl_emitter begin_behind(const vm_program *base, bool stamped, const fl_program *p,
                               fl_messages *messages)
{
    fl_emitter e = {.plain = !stamped,
                    .messages = messages,
                    .sources = p->sources,
                    .npredicates = p->npredicates};
    if (base) { // full arrays: they are copied as they grow
        e.code.at = base->code;
        e.code.n = e.code.capacity = base->ncode;
        e.constants.at = base->constants;
        e.constants.n = e.constants.capacity = base->nconstants;
        e.registers = base->registers;
    }
    return e;
}

static void fill_tables(vm_program *made, const fl_emitter *e, const fl_program *p)
{
    made->code = e->code.at;
    made->ncode = e->code.n;
    made->constants = e->constants.at;
    made->nconstants = e->constants.n;
    made->registers = e->registers + 1;
    made->sources = vm_alloc((p->nsources + 1) * sizeof *made->sources);
    for (uint32_t i = 0; i < p->nsources; i++)
        made->sources[i] = p->sources[i].name;
    made->find = p->find;
    made->find_data = (void *)p;
    made->read_term = fl_read_value;
    made->syntax_error = fl_syntax_error;
}

vm_program *fl_compile_behind(const vm_program *base, const fl_program *p, uint32_t first,
                              bool stamped, fl_messages *messages)
{
    fl_emitter e = begin_behind(base, stamped, p, messages);
    vm_program *made = vm_alloc(sizeof *made);
    uint32_t next = base ? base->nclauses : 0;
    made->nclauses = next + count_clauses(p, first);
    made->clauses = vm_alloc(made->nclauses * sizeof *made->clauses);
    if (base)
        memcpy(made->clauses, base->clauses, base->nclauses * sizeof *made->clauses);
    e.has_priorities = made->has_priorities = has_priorities(p);
    fl_clause *beginning = p->beginning;
    if (beginning) {
        e.beginning = true; // the machine comes back to it: no EXEC
        emit_procedure(&e, &(fl_procedure){beginning->predicate, 1, &beginning}, made->clauses,
                       &next);
        e.beginning = false;
    }
    for (uint32_t i = first; i < p->nprocedures; i++)
        emit_procedure(&e, &p->procedures[i], made->clauses, &next);
    link_calls(&e, p);
    add_predicates(&e, p, made);
    fill_tables(made, &e, p);
    return made;
}

vm_program *fl_compile(const fl_program *p, bool stamped, fl_messages *messages)
{
    fl_note_work(p);
    return fl_compile_behind(NULL, p, 0, stamped, messages);
}
