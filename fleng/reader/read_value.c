// SPDX-License-Identifier: MIT
//
// Terms that a running program reads (term_string, read_terms).
#include "fleng/reader/read_value.h"

#include "base/utf8.h"
#include "fleng/reader/parse.h"

typedef struct {
    const fl_term *term;
    vm_word *place; // where its value goes
    vm_word *args;  // of a compound: values of its arguments, NULL until they are under way
} value_work;

typedef struct {
    vm_machine *machine;
    const vm_word *variables;
    ARRAY_OF(value_work) todo;
} value_builder;

vm_word fl_constant_of(const fl_term *t)
{
    switch (t->kind) {
    case FL_INT:
        return vm_make_integer(t->text, 10);
    case FL_FLOAT:
        return vm_make_float(t->number);
    case FL_ATOM:
        return vm_atom(vm_atom_intern(t->text, t->length));
    case FL_STRING:
        return vm_make_string(t->text, t->length);
    default:
        return 0;
    }
}

static vm_word simple_value(const value_builder *b, const fl_term *t)
{
    vm_word constant = fl_constant_of(t);
    if (constant)
        return constant;
    if (t->kind != FL_VAR)
        return vm_make_vector(b->machine, NULL, 0);
    return b->variables[t->var] ? b->variables[t->var]
                                : vm_make_variable(b->machine, (vm_origin){VM_NO_CLAUSE, 0});
}

static vm_word compound_value(const value_builder *b, const fl_term *t, const vm_word *args)
{
    if (t->kind == FL_CONS)
        return vm_make_cons(b->machine, args[0], args[1]);
    if (t->kind == FL_VECTOR)
        return vm_make_vector(b->machine, args, t->n);
    return vm_make_struct(b->machine, vm_functor(vm_atom_intern(t->text, t->length), t->n), args);
}

// A compound stays on the stack while its arguments, above it, are made.
static vm_word build_value(value_builder *b, const fl_term *term)
{
    vm_word result = 0;
    FL_PUSH(b->todo, (value_work){.term = term, .place = &result});
    while (b->todo.n > 0) {
        value_work *work = &b->todo.at[b->todo.n - 1];
        const fl_term *t = work->term;
        if (t->n == 0 || work->args) {
            *work->place = t->n == 0 ? simple_value(b, t) : compound_value(b, t, work->args);
            b->todo.n--;
            continue;
        }
        vm_word *args = work->args = vm_alloc(t->n * sizeof *args);
        for (uint32_t i = t->n; i-- > 0;)
            FL_PUSH(b->todo, (value_work){.term = t->args[i], .place = &args[i]});
    }
    return result;
}

vm_word fl_make_value(vm_machine *m, const fl_term *t, const vm_word *variables)
{
    value_builder b = {.machine = m, .variables = variables};
    return build_value(&b, t);
}

// The place of the error within the text: lines are counted from its term on.
static char *placed(const char *text, const char *term, const fl_messages *messages)
{
    uint32_t lines = 0, columns = 0;
    for (const char *at = text; at < term; at++) {
        bool ends = *at == '\n';
        lines += ends;
        columns = ends ? 0 : columns + !utf8_continues(*at);
    }
    return fl_first_message(messages, lines, columns);
}

char *fl_syntax_error(const char *text, const char *end, const char **ret_term)
{
    fl_source source = {.name = "", .text = text, .length = (size_t)(end - text)};
    fl_messages *messages = fl_messages_create();
    const char *at = text, *before = text;
    int result;
    fl_term *term;
    uint32_t n;
    fl_variable *variables;
    do
        before = at;
    while ((result = fl_read_term(&source, &at, end, &term, &n, &variables, messages)) == 1);
    char *error = NULL;
    if (result < 0) {
        *ret_term = before;
        error = placed(text, before, messages);
    }
    fl_messages_destroy(messages);
    return error;
}

int fl_read_value(vm_machine *m, const char **text, const char *end, vm_word *ret_term)
{
    fl_source source = {.name = "", .text = *text, .length = (size_t)(end - *text)};
    fl_term *term;
    uint32_t n;
    fl_variable *variables;
    int result = fl_read_term(&source, text, end, &term, &n, &variables, NULL);
    if (result != 1)
        return result;
    vm_word *values = vm_alloc((n + 1) * sizeof *values);
    for (uint32_t i = 0; i < n; i++) {
        const char *name = variables[i].name;
        vm_origin origin = {VM_NO_CLAUSE, vm_atom_intern(name, strlen(name))};
        values[i] = vm_make_variable(m, origin);
    }
    *ret_term = fl_make_value(m, term, values);
    return 1;
}
