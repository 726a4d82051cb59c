// SPDX-License-Identifier: MIT
//
// Finds the clause that made a variable, and its name there.
//
// A variable with memory of its own has an origin. In plain runs a variable may be an argument of a
// cons or structure instead (code.def: HOLE, PLACE, CONS_TAIL), which has none. But some body made
// the compound around it, so that body has a term of this shape with a new variable in this
// argument. Few bodies do, often one.
#include "fleng/explain/variable_origin.h"

#include "fleng/compile/template.h"
#include "fleng/reader/collected.h"
#include "vm/look.h"

struct fl_maker {
    const fl_clause *clause;
    const fl_term *compound;
    uint32_t argument;
    struct fl_maker *next; // of the same shape and place
};

// ---- All the places of the program where a variable may come to live ----------------------------

typedef struct {
    vm_word functor; // 0: of a cons
    vm_word argument; // as wide, for a key has no padding
} shape;

static bool is_new(const fl_clause *c, const fl_term *t)
{
    return t->kind == FL_VAR && c->variables[t->var].head + c->variables[t->var].guard == 0;
}

static void add_maker(fl_dictionary *makers, const fl_clause *c, const fl_term *t,
                      uint32_t argument)
{
    shape *key = vm_alloc(sizeof *key);
    key->argument = argument;
    if (t->kind == FL_STRUCT)
        key->functor = vm_functor(vm_atom_intern(t->text, t->length), t->n);
    struct fl_maker *made = vm_alloc(sizeof *made);
    *made = (struct fl_maker){.clause = c, .compound = t, .argument = argument};
    made->next = (struct fl_maker *)fl_look_up(makers, (char *)key, sizeof *key);
    fl_enter(makers, (char *)key, sizeof *key, (uintptr_t)made);
}

static void add_term(fl_dictionary *makers, const fl_clause *c, const fl_term *t)
{
    ARRAY_OF(const fl_term *) todo = {0};
    FL_PUSH(todo, t);
    while (todo.n > 0) {
        t = todo.at[--todo.n];
        for (uint32_t i = t->n; i > 0; i--) {
            FL_PUSH(todo, t->args[i - 1]);
            if (is_new(c, t->args[i - 1]) && t->kind != FL_VECTOR)
                add_maker(makers, c, t, i - 1);
        }
    }
}

static void add_clause(fl_dictionary *makers, const fl_clause *c)
{
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++)
            add_term(makers, c, c->items[i].args[k]);
}

// The last clause first, so that of several the first in the text is found first.
static fl_dictionary *find_makers(const fl_program *p)
{
    fl_dictionary *makers = vm_alloc(sizeof *makers);
    for (uint32_t i = p->nprocedures; i > 0; i--)
        for (uint32_t k = p->procedures[i - 1].nclauses; k > 0; k--)
            add_clause(makers, p->procedures[i - 1].clauses[k - 1]);
    add_clause(makers, p->beginning);
    return makers;
}

// ---- Which of them ------------------------------------------------------------------------------

// How many of the arguments are as the clause's term has them, and 1 more; 0: it cannot have made
// them.
static uint32_t agreement(const fl_term *t, uint32_t argument, const vm_word *args)
{
    uint32_t agree = 1;
    for (uint32_t i = 0; i < t->n; i++) {
        if (i == argument || t->args[i]->kind == FL_VAR)
            continue;
        vm_word w = vm_value(args[i]);
        const fl_term *wanted = t->args[i];
        bool good = wanted->kind == FL_ATOM ? w == vm_atom_from(wanted->text)
                    : wanted->kind == FL_CONS ? vm_tag(w) == TAG_CONS
                    : wanted->kind == FL_STRUCT
                        ? vm_tag(w) == TAG_STRUCT && vm_arguments(w) == wanted->n
                    : wanted->kind == FL_INT ? vm_tag(w) == TAG_INT || vm_tag(w) == TAG_BOX
                                             : vm_tag(w) == TAG_BOX;
        if (!good)
            return 0;
        agree++;
    }
    return agree;
}

static const struct fl_maker *makers_of(fl_namer *n, vm_word functor, size_t argument)
{
    shape key = {.functor = functor, .argument = argument};
    return (struct fl_maker *)fl_look_up(n->makers, (char *)&key, sizeof key);
}

// The first of those that agree best.
static void choose(fl_variable_origin *o, const struct fl_maker *m, const vm_word *args)
{
    uint32_t best = 0;
    for (; m; m = m->next) {
        uint32_t agree = agreement(m->compound, m->argument, args);
        uint32_t variable = m->compound->args[m->argument]->var;
        const char *name = m->clause->variables[variable].name;
        if (agree == 0 || agree < best)
            continue;
        if (agree > best)
            *o = (fl_variable_origin){.name = name, .clause = m->clause, .variable = variable};
        else if (m->clause != o->clause)
            o->others++;
        best = agree;
        if (strcmp(o->name, name) != 0)
            o->name = "_";
    }
}

static void find_home(fl_namer *n, const vm_var *v, fl_variable_origin *ret)
{
    const vm_word *words;
    size_t size;
    if (!vm_get_home(v, &words, &size))
        return;
    size_t place = (size_t)((const vm_word *)v - words);
    if (!n->makers)
        n->makers = find_makers(n->program);
    const struct fl_maker *m = makers_of(n, words[0], place - 1);
    if (m && vm_functor_arity(words[0]) < size)
        choose(ret, m, words + 1);
    if (!ret->clause && place == 1)
        choose(ret, makers_of(n, 0, 1), words);
}

// ---- By the goals that hold it ------------------------------------------------------------------

// A goal's arguments as its clause wrote them: what each variable there is called.
void fl_note_goal(fl_namer *n, const vm_goal *goal)
{
    if (!n->program || goal->site.clause >= n->code->nclauses)
        return;
    const fl_template *made = n->code->clauses[goal->site.clause]->info;
    const fl_clause *c = made->clause;
    if (goal->site.index >= c->nitems || c->items[goal->site.index].predicate != goal->predicate)
        return;
    const fl_item *item = &c->items[goal->site.index];
    for (uint32_t i = 0; i < item->n && i < goal->nargs; i++) {
        vm_word w = vm_value(goal->args[i]);
        if (item->args[i]->kind != FL_VAR || vm_tag(w) != TAG_REF)
            continue;
        fl_variable_origin *known =
            (fl_variable_origin *)fl_look_up_address(&n->noted, vm_as_var(w));
        if (known && (known->clause || !is_new(c, item->args[i])))
            continue;
        fl_variable_origin *o = vm_alloc(sizeof *o);
        o->name = c->variables[item->args[i]->var].name;
        if (is_new(c, item->args[i])) {
            o->clause = c;
            o->variable = item->args[i]->var;
        }
        fl_enter_address(&n->noted, vm_as_var(w), (uintptr_t)o);
    }
}

fl_variable_origin fl_find_variable_origin(fl_namer *n, const vm_var *v)
{
    fl_variable_origin found = {.name = "_"};
    vm_origin origin;
    if (vm_get_origin(v, &origin)) {
        found.builtin = origin.clause == VM_NO_CLAUSE;
        if (found.builtin)
            found.name = vm_atom_text(origin.index);
        if (origin.clause < n->code->nclauses &&
            origin.index < n->code->clauses[origin.clause]->nnames) {
            found.clause = ((const fl_template *)n->code->clauses[origin.clause]->info)->clause;
            found.variable = origin.index;
            found.name = n->code->clauses[origin.clause]->names[origin.index];
        }
        return found;
    }
    if (!n->program)
        return found;
    const fl_variable_origin *noted = (fl_variable_origin *)fl_look_up_address(&n->noted, v);
    if (noted && noted->clause)
        return *noted;
    find_home(n, v, &found);
    if (noted && strcmp(found.name, "_") == 0)
        found.name = noted->name;
    return found;
}

// ---- Names --------------------------------------------------------------------------------------

const char *fl_name_variable(void *data, const vm_var *v)
{
    fl_namer *namer = data;
    const char *known = (const char *)fl_look_up_address(&namer->by_variable, v);
    if (known)
        return known;
    const char *name = namer->plain ? "_" : fl_find_variable_origin(namer, v).name;
    uintptr_t same = fl_look_up(&namer->counts, name, strlen(name)) + 1;
    fl_enter(&namer->counts, name, strlen(name), same);
    if (namer->plain)
        name = fl_format("_%u", ++namer->n);
    else if (strcmp(name, "_") == 0)
        name = fl_format("_%u", (unsigned)same);
    else if (same > 1)
        name = fl_format("%s_%u", name, (unsigned)same);
    fl_call_variable(namer, v, name);
    return name;
}

void fl_call_variable(fl_namer *namer, const vm_var *v, const char *name)
{
    fl_enter_address(&namer->by_variable, v, (uintptr_t)name); // which keeps the variable
}
