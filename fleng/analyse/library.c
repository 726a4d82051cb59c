// SPDX-License-Identifier: MIT
//
// The library: modules in Fleng that are part of the command. A module is read when the program
// first names something of it, so other programs pay nothing. Only predicates that the program can
// reach are compiled; dumps and traces show no others.
#include "fleng/analyse/library.h"

#include "fleng/analyse/analysis.h"
#include "fleng/library/library_text.h"

#include <stdlib.h>

enum { MOST_EXTRA = 7 }; // arguments that call/8 adds

// ---- The index ----------------------------------------------------------------------------------

// What the module directive, the first sentence of the text, exports.
static void read_exports(fl_library *l)
{
    const char *at = l->source->text, *end = at + l->source->length;
    fl_term *t;
    uint32_t nvariables;
    fl_variable *variables;
    if (fl_read_term(l->source, &at, end, &t, &nvariables, &variables, NULL) != 1)
        return;
    for (t = t->args[0]->args[1]; t->kind == FL_CONS; t = t->args[1]) {
        const fl_term *name = t->args[0]->args[0], *arity = t->args[0]->args[1];
        fl_export e = {.name = name->text, .arity = (uint32_t)strtoul(arity->text, NULL, 10)};
        const char *key = fl_key(e.name, e.arity);
        FL_PUSH(l->exports, e);
        fl_enter(&l->exported, key, strlen(key), 1);
    }
}

void fl_library_open(struct fl_names *names)
{
    if (names->library.n > 0 || !names->analysis) // while it runs, only what is compiled is there
        return;
    for (uint32_t i = 0; i < fl_library_ntexts; i++) {
        const fl_library_text *text = &fl_library_texts[i];
        fl_library l = {.name = text->name};
        l.source = fl_source_from_text(text->file, text->text, text->length);
        l.source->library = true;
        read_exports(&l);
        for (uint32_t k = 0; k < l.exports.n; k++)
            fl_enter(&names->library_names, l.exports.at[k].name,
                       strlen(l.exports.at[k].name), 1);
        FL_PUSH(names->library, l);
    }
}

// ---- Modules and predicates ---------------------------------------------------------------------

static void read_module(struct fl_names *names, fl_library *l)
{
    if (l->unit || !names->analysis)
        return;
    l->unit = fl_read_unit(names->analysis, l->source);
    l->unit->library = true;
    fl_collect_library(names->analysis, l->unit);
}

fl_library *fl_library_find(struct fl_names *names, const char *name)
{
    fl_library_open(names);
    for (uint32_t i = 0; i < names->library.n; i++) {
        fl_library *l = &names->library.at[i];
        if (strcmp(l->name, name) != 0)
            continue;
        read_module(names, l);
        return l->unit ? l : NULL;
    }
    return NULL;
}

vm_predicate *fl_library_reach(struct fl_names *names, fl_module *m, fl_definition *d,
                               const char *key)
{
    if (d->predicate || !names->analysis)
        return d->predicate;
    if (fl_look_up(&names->modules, m->name, strlen(m->name))) { // the program's own has the name
        size_t size = strlen(m->name) + sizeof "library/";
        char *longer = vm_alloc_atomic(size);
        snprintf(longer, size, "library/%s", m->name);
        m->name = longer;
    }
    const char *slash = strrchr(key, '/');
    const char *name = fl_copy_text(key, (size_t)(slash - key));
    d->predicate = fl_add_predicate(names->analysis, m->name, name,
                                    (uint32_t)strtoul(slash + 1, NULL, 10));
    d->predicate->library = true;
    FL_PUSH(names->analysis->definitions, d);
    return d->predicate;
}

vm_predicate *fl_library_predicate(struct fl_names *names, const char *key)
{
    fl_library_open(names);
    for (uint32_t i = 0; i < names->library.n; i++) {
        fl_library *l = &names->library.at[i];
        if (!fl_look_up(&l->exported, key, strlen(key)))
            continue;
        read_module(names, l);
        if (!l->unit)
            return NULL;
        fl_module *m = l->unit->modules.at[0];
        fl_definition *d = (fl_definition *)fl_look_up(&m->defined, key, strlen(key));
        return d ? fl_library_reach(names, m, d, key) : NULL;
    }
    return NULL;
}

// ---- Goals that are made while the program runs -------------------------------------------------

// A name with n arguments, which call may give some more.
static void reach_extended(struct fl_names *names, const char *module, const char *name, uint32_t n)
{
    for (uint32_t extra = 0; extra <= MOST_EXTRA; extra++)
        fl_look_up_called(names, module, fl_key(name, n + extra));
}

static void reach_named(struct fl_names *names, const fl_term *t)
{
    ARRAY_OF(const fl_term *) stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        const fl_term *next = stack.at[--stack.n];
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
        if (fl_is_struct(next, ":", 2) && next->args[0]->kind == FL_ATOM &&
            fl_is_goal(next->args[1]) && fl_library_find(names, next->args[0]->text))
            reach_extended(names, next->args[0]->text, next->args[1]->text, next->args[1]->n);
        else if (fl_is_goal(next) &&
                 fl_look_up(&names->library_names, next->text, strlen(next->text)))
            reach_extended(names, NULL, next->text, next->n);
    }
}

void fl_library_reach_named(fl_analysis *a, const fl_clause *c)
{
    fl_library_open(a->names);
    for (uint32_t i = 0; i < c->nitems; i++)
        for (uint32_t k = 0; k < c->items[i].n; k++)
            reach_named(a->names, c->items[i].args[k]);
}

void fl_library_reach_used(fl_analysis *a)
{
    for (uint32_t i = 0; i < a->names->library.n; i++) {
        const fl_library *l = &a->names->library.at[i];
        for (uint32_t k = 0; l->used && k < l->exports.n; k++)
            fl_library_predicate(a->names, fl_key(l->exports.at[k].name, l->exports.at[k].arity));
    }
}

// ---- For readers --------------------------------------------------------------------------------

enum { LINE = 80 };

static void print_exports(const fl_library *l, FILE *out)
{
    int column = fprintf(out, "%s:", l->name);
    for (uint32_t i = 0; i < l->exports.n; i++) {
        const char *key = fl_key(l->exports.at[i].name, l->exports.at[i].arity);
        if (column + (int)strlen(key) + 1 > LINE)
            column = fprintf(out, "\n   ") - 1;
        column += fprintf(out, " %s", key);
    }
    fputs("\n", out);
}

bool fl_library_print(const char *module, FILE *out)
{
    fl_analysis a = {0};
    struct fl_names names = {.analysis = &a};
    fl_library_open(&names);
    for (uint32_t i = 0; i < names.library.n; i++) {
        const fl_library *l = &names.library.at[i];
        if (!module) {
            print_exports(l, out);
        } else if (strcmp(l->name, module) == 0) {
            fwrite(l->source->text, 1, l->source->length, out);
            return true;
        }
    }
    return !module;
}

void fl_library_visit(void (*visit)(void *data, const char *module, const char *name,
                                    uint32_t arity),
                      void *data)
{
    fl_analysis a = {0};
    struct fl_names names = {.analysis = &a};
    fl_library_open(&names);
    for (uint32_t i = 0; i < names.library.n; i++)
        for (uint32_t k = 0; k < names.library.at[i].exports.n; k++) {
            const fl_export *e = &names.library.at[i].exports.at[k];
            visit(data, names.library.at[i].name, e->name, e->arity);
        }
}
