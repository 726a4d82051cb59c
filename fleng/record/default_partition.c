// SPDX-License-Identifier: MIT
//
// One module for each source module; if there is only one, one for each predicate that `main`
// calls.
#include "fleng/record/default_partition.h"

#include "fleng/reader/collected.h"
#include "fleng/compile/template.h"
#include "vm/profile.h"

typedef struct {
    const vm_program *code;
    ARRAY_OF(const char *) names;
    uint32_t *entries;
} builder;

static const fl_clause *source_of(const vm_clause *clause)
{
    const fl_template *t = clause->info;
    return t->clause;
}

static uint32_t module_named(builder *b, const char *name)
{
    for (uint32_t i = 0; i < b->names.n; i++)
        if (strcmp(b->names.at[i], name) == 0)
            return i;
    FL_PUSH(b->names, name);
    return b->names.n - 1;
}

// An entry of the module of that name, unless it is one already. What is built in and what the
// library has belongs to the process it occurs in.
static void add_entry(builder *b, const vm_predicate *p, const char *module)
{
    if (!p->builtin && !p->library && b->entries[p->id] == VM_NO_MODULE)
        b->entries[p->id] = module_named(b, module);
}

// The goal that a run begins with is no predicate of the program.
static bool is_user(const builder *b, const vm_predicate *p)
{
    return !p->builtin && p != b->code->clauses[0]->predicate;
}

// ---- Several modules ------------------------------------------------------------------------

// Calls visit for the predicates of the program, some more than once: the first time in the order
// of a trace's table.
static void visit_predicates(builder *b, void (*visit)(builder *b, const vm_predicate *p))
{
    for (uint32_t i = 0; i < b->code->nclauses; i++) {
        const fl_clause *c = source_of(b->code->clauses[i]);
        if (is_user(b, b->code->clauses[i]->predicate))
            visit(b, b->code->clauses[i]->predicate);
        for (uint32_t k = 0; k < c->nitems; k++)
            if (!c->items[k].unify && is_user(b, c->items[k].predicate))
                visit(b, c->items[k].predicate);
    }
}

static void add_of_own_module(builder *b, const vm_predicate *p)
{
    add_entry(b, p, p->module);
}

static bool has_several_modules(const vm_program *code)
{
    const char *first = NULL;
    for (uint32_t i = 1; i < code->nclauses; i++) {
        const char *module = code->clauses[i]->predicate->module;
        if (code->clauses[i]->predicate->library)
            continue;
        if (first && strcmp(first, module) != 0)
            return true;
        first = module;
    }
    return false;
}

// ---- One module -----------------------------------------------------------------------------

static void add_called(builder *b, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        if (!c->items[i].unify)
            add_entry(b, c->items[i].predicate, c->items[i].predicate->name);
}

static void add_first_goals(builder *b)
{
    const fl_clause *beginning = source_of(b->code->clauses[0]);
    for (uint32_t i = 0; i < beginning->nitems; i++) {
        const vm_predicate *p = beginning->items[i].predicate;
        if (beginning->items[i].unify || p->builtin)
            continue;
        if (strcmp(p->name, "main") != 0) {
            add_entry(b, p, p->name);
            continue;
        }
        for (uint32_t k = 0; k < p->nclauses; k++)
            add_called(b, source_of(p->clauses[k]));
    }
}

fl_partition fl_default_partition(const vm_program *code)
{
    builder b = {.code = code};
    b.entries = vm_alloc_atomic((code->npredicates + 1) * sizeof *b.entries);
    for (uint32_t i = 0; i < code->npredicates; i++)
        b.entries[i] = VM_NO_MODULE;
    module_named(&b, "main");
    if (has_several_modules(code))
        visit_predicates(&b, add_of_own_module);
    else
        add_first_goals(&b);
    return (fl_partition){.nmodules = b.names.n, .names = b.names.at, .entries = b.entries};
}
