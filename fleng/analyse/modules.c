// SPDX-License-Identifier: MIT
//
// Sorts sentences into definitions: directives, `otherwise.`, clause heads.
#include "fleng/analyse/analysis.h"

#include "fleng/kl1/kl1.h"
#include "vm/memory.h"

#include <stdlib.h>

// A file being collected.
typedef struct {
    fl_analysis *analysis;
    fl_unit *unit;
    fl_module *module;         // NULL until a file that declares one has done so
    bool otherwise;            // `otherwise.` stands before the next clause
    const fl_term *between;    // that otherwise or alternatively
    const fl_definition *last; // of the clause before
    bool complained;           // of a clause before the module directive
} collection;

// ---- Modules ----------------------------------------------------------------------------------

// The clauses of a KL1 module may stand in several files.
static fl_module *new_module(fl_analysis *a, fl_unit *unit, const char *name, const fl_term *at)
{
    fl_module *known = fl_find_module(a->names, name);
    if (known && unit->source->kl1) {
        FL_PUSH(unit->modules, known);
        return known;
    }
    fl_module *m = vm_alloc(sizeof *m);
    m->name = name;
    m->library = unit->library;
    FL_PUSH(unit->modules, m);
    if (m->library)
        return m;
    if (known)
        fl_report(a->messages, unit->source, at, "the module %s is defined already", name);
    fl_enter(&a->names->modules, name, strlen(name), (uintptr_t)m);
    FL_PUSH(a->names->module_list, m);
    return m;
}

fl_definition *fl_define(fl_analysis *a, fl_module *m, const char *name, uint32_t arity)
{
    const char *key = fl_key(name, arity);
    fl_definition *d = (fl_definition *)fl_look_up(&m->defined, key, strlen(key));
    if (d)
        return d;
    d = vm_alloc(sizeof *d);
    fl_enter(&m->defined, key, strlen(key), (uintptr_t)d);
    if (m->library)
        return d;
    d->predicate = fl_add_predicate(a, m->name, name, arity);
    FL_PUSH(m->definitions, d);
    FL_PUSH(a->definitions, d);
    return d;
}

// A list of name/arity. False if it is none (reported).
static bool read_indicators(collection *c, const fl_term *list, fl_module *exports,
                            fl_dictionary *only)
{
    for (; list->kind == FL_CONS; list = list->args[1]) {
        const fl_term *t = list->args[0];
        if (!fl_is_struct(t, "/", 2) || t->args[0]->kind != FL_ATOM || t->args[1]->kind != FL_INT ||
            t->args[1]->length > 6 || *t->args[1]->text == '-') {
            fl_report(c->analysis->messages, c->unit->source, t,
                      "a predicate is written as name/arity here");
            return false;
        }
        uint32_t arity = (uint32_t)strtoul(t->args[1]->text, NULL, 10);
        const char *key = fl_key(t->args[0]->text, arity);
        uint32_t line, column;
        fl_term_start(t, &line, &column);
        if (exports)
            FL_PUSH(exports->exports,
                    (fl_export){t->args[0]->text, arity, c->unit->source, line, column});
        fl_enter(only ? only : &exports->exported, key, strlen(key), 1);
    }
    if (!fl_is_atom(list, "[]")) {
        fl_report(c->analysis->messages, c->unit->source, list,
                  "a list of name/arity is expected here");
        return false;
    }
    return true;
}

// ---- Directives -------------------------------------------------------------------------------

static void module_directive(collection *c, const fl_term *d)
{
    if (d->args[0]->kind != FL_ATOM) {
        fl_report(c->analysis->messages, c->unit->source, d->args[0],
                  "the name of a module is an atom");
        return;
    }
    c->module = new_module(c->analysis, c->unit, d->args[0]->text, d->args[0]);
    c->last = NULL;
    if (d->n == 2) {
        c->module->has_exports = true;
        read_indicators(c, d->args[1], c->module, NULL);
    }
}

static void use_directive(collection *c, const fl_term *name, const fl_term *imports)
{
    fl_unit *used = fl_load_used(c->analysis, c->unit, name);
    fl_dictionary *only = imports ? vm_alloc(sizeof *only) : NULL;
    if (!used || (only && !read_indicators(c, imports, NULL, only)))
        return;
    fl_use use = {.unit = used, .only = only, .source = c->unit->source};
    fl_term_start(name, &use.line, &use.column);
    FL_PUSH(c->module->uses, use);
}

static void directive(collection *c, const fl_term *d)
{
    if (fl_is_struct(d, "module", 1) || fl_is_struct(d, "module", 2)) {
        module_directive(c, d);
    } else if (c->unit->source->kl1 &&
               fl_kl1_directive(c->analysis->messages, c->unit->source, d)) {
        return;
    } else if (!c->module) {
        fl_report(c->analysis->messages, c->unit->source, d,
                  "the module directive must come first in its file");
    } else if (fl_is_struct(d, "use_module", 2)) {
        use_directive(c, d->args[0], d->args[1]);
    } else if (fl_is_struct(d, "use_module", 1)) {
        const fl_term *names = d->args[0];
        for (; names->kind == FL_CONS; names = names->args[1])
            use_directive(c, names->args[0], NULL);
        if (!fl_is_atom(names, "[]"))
            use_directive(c, names, NULL);
    } else {
        fl_report(c->analysis->messages, c->unit->source, d,
                  "unknown directive; there are module/1, module/2, use_module/1 and "
                  "use_module/2");
    }
}

// ---- Clauses ----------------------------------------------------------------------------------

static bool is_control(const char *name, uint32_t arity)
{
    static const char *const binary[] = {",", ";", "->", "|", ":-", "-->", "=", "@"};
    static const char *const plain[] = {"true", "otherwise", "alternatively", "!"};
    for (size_t i = 0; arity == 2 && i < sizeof binary / sizeof *binary; i++)
        if (strcmp(name, binary[i]) == 0)
            return true;
    for (size_t i = 0; arity == 0 && i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i]) == 0)
            return true;
    return false;
}

// What the compiler knows by name. All other built-in predicates are hidden in a module that defines their name.
static bool is_core(const char *name, uint32_t arity)
{
    return fl_is_guard_test(name, arity) || (arity == 2 && strcmp(name, ":=") == 0) ||
           (arity > 0 && strcmp(name, "call") == 0);
}

// The head without its own module's name, or NULL if it is none (reported).
static fl_term *check_head(collection *c, fl_term *head)
{
    fl_analysis *a = c->analysis;
    if (fl_is_struct(head, ":", 2) && fl_is_atom(head->args[0], c->module->name))
        head = head->args[1];
    if (fl_is_struct(head, ":", 2)) {
        fl_report(a->messages, c->unit->source, head,
                  "a clause defines a predicate of its own module, %s", c->module->name);
        return NULL;
    }
    if (fl_is_struct(head, "-->", 2)) {
        fl_report(a->messages, c->unit->source, head, "grammar rules are not part of the language");
        return NULL;
    }
    if (fl_is_struct(head, ",", 2)) {
        fl_error(a->messages, c->unit->source, head->line, head->column,
                 "a clause has one head: is a full stop missing here?");
        return NULL;
    }
    if (!fl_is_goal(head)) {
        fl_report(a->messages, c->unit->source, head,
                  "a clause begins with a name, or name(Arguments)");
        return NULL;
    }
    bool reserved = c->unit->source->kl1 ? fl_kl1_reserves(head->text, head->n)
                                         : is_core(head->text, head->n);
    if (reserved || is_control(head->text, head->n)) {
        fl_report(a->messages, c->unit->source, head, "%s is built in and cannot be defined",
                  fl_key(head->text, head->n));
        return NULL;
    }
    return head;
}

// A clause with the goal `otherwise` first in its guard stands below all others, as if `otherwise.`
// were written before it.
static bool takes_otherwise(fl_term **rest)
{
    fl_term *r = *rest;
    if (!r || !fl_is_struct(r, "|", 2))
        return false;
    fl_term *guard = r->args[0];
    if (fl_is_atom(guard, "otherwise")) {
        *rest = r->args[1];
        return true;
    }
    if (fl_is_struct(guard, ",", 2) && fl_is_atom(guard->args[0], "otherwise")) {
        r->args[0] = guard->args[1];
        return true;
    }
    return false;
}

// A clause that could not be read may have been what belongs around it.
static void misplaced(collection *c)
{
    if (c->between && fl_error_count(c->analysis->messages) == 0)
        fl_report(c->analysis->messages, c->unit->source, c->between,
                  "`%s.` must stand between two clauses of one predicate", c->between->text);
    c->between = NULL;
    c->otherwise = false;
}

static void clause(collection *c, const fl_sentence *s)
{
    fl_term *head = s->term, *rest = NULL;
    if (fl_is_struct(head, ":-", 2)) {
        rest = head->args[1];
        head = head->args[0];
    }
    if (!c->module) {
        if (!c->complained)
            fl_report(c->analysis->messages, c->unit->source, head,
                      "a module directive must come before all clauses of its file");
        c->complained = true;
        return;
    }
    head = check_head(c, head);
    if (!head)
        return;
    fl_definition *d = fl_define(c->analysis, c->module, head->text, head->n);
    if (d != c->last)
        misplaced(c);
    bool otherwise = takes_otherwise(&rest) || c->otherwise;
    if (d->clauses.n == 0)
        d->layer = c->unit->layer;
    if (d->layer == c->unit->layer)
        FL_PUSH(d->clauses, (fl_raw_clause){.sentence = *s,
                                        .module = c->module,
                                        .source = c->unit->source,
                                        .source_number = c->unit->number,
                                        .after_otherwise = otherwise,
                                        .after_alternatively =
                                            c->between && fl_is_atom(c->between, "alternatively"),
                                        .head = head,
                                        .rest = rest});
    c->last = d;
    c->otherwise = false;
    c->between = NULL;
}

static void sentence(collection *c, const fl_sentence *s)
{
    const fl_term *t = s->term;
    if (fl_is_struct(t, ":-", 1)) {
        directive(c, t->args[0]);
    } else if (fl_is_struct(t, "?-", 1)) {
        fl_report(c->analysis->messages, c->unit->source, t,
                  "a file cannot contain queries: run a goal with the option -e");
    } else if (fl_is_atom(t, "otherwise") || fl_is_atom(t, "alternatively")) {
        c->otherwise |= fl_is_atom(t, "otherwise");
        c->between = t;
    } else {
        clause(c, s);
    }
}

static void collect_unit(fl_analysis *a, fl_unit *unit, fl_module *module)
{
    collection c = {.analysis = a, .unit = unit, .module = module};
    if (module && unit->modules.n == 0)
        FL_PUSH(unit->modules, module);
    for (uint32_t i = 0; i < unit->sentences.n; i++)
        sentence(&c, &unit->sentences.at[i]);
    misplaced(&c);
    unit->sentences.at = NULL; // what is needed of them lives on in the definitions
    unit->sentences.n = unit->sentences.capacity = 0;
}

void fl_collect_library(fl_analysis *a, fl_unit *unit)
{
    collect_unit(a, unit, NULL);
}

// Files without a module directive are modules under their own names, except that files of the
// command line none of which has one are one module together.
static fl_module *module_of_unit(fl_analysis *a, fl_unit *unit, fl_module **together)
{
    if (unit->declares)
        return NULL;
    if (!unit->named || !together)
        return new_module(a, unit, fl_base_name(unit->source->name), NULL);
    if (!*together)
        *together = new_module(a, unit, fl_base_name(unit->source->name), NULL);
    return *together;
}

static void check_exports(fl_analysis *a, const fl_module *m)
{
    for (uint32_t i = 0; i < m->exports.n; i++) {
        const fl_export *e = &m->exports.at[i];
        const char *key = fl_key(e->name, e->arity);
        if (!fl_look_up(&m->defined, key, strlen(key)) &&
            !fl_look_up(&a->skipped, e->name, strlen(e->name)))
            fl_error(a->messages, e->source, e->line, e->column,
                     "%s exports %s, which it does not define", m->name, key);
    }
}

void fl_collect(fl_analysis *a)
{
    bool declared = false;
    for (uint32_t i = 0; i < a->names->units.n; i++)
        declared |= a->names->units.at[i]->declares;
    fl_module *together = NULL;
    for (uint32_t i = 0; i < a->names->units.n; i++) { // grows as files are used
        fl_unit *unit = a->names->units.at[i];
        collect_unit(a, unit, module_of_unit(a, unit, declared ? NULL : &together));
    }
    for (uint32_t i = 0; i < a->names->module_list.n; i++)
        check_exports(a, a->names->module_list.at[i]);
}
