// SPDX-License-Identifier: MIT
//
// Tests, parts and makers of terms.
#include "fleng/reader/terms.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool fl_is_atom(const fl_term *t, const char *name)
{
    return t->kind == FL_ATOM && strcmp(t->text, name) == 0;
}

bool fl_is_struct(const fl_term *t, const char *name, uint32_t arity)
{
    return t->kind == FL_STRUCT && t->n == arity && strcmp(t->text, name) == 0;
}

bool fl_is_goal(const fl_term *t)
{
    return t->kind == FL_STRUCT || (t->kind == FL_ATOM && strcmp(t->text, "[]") != 0);
}

bool fl_any_part(const fl_term *t, bool (*test)(void *data, const fl_term *part), void *data)
{
    ARRAY_OF(const fl_term *) parts = {0};
    bool found = test(data, t);
    while (!found) {
        for (uint32_t i = 0; i < t->n; i++)
            ARRAY_PUSH(parts, t->args[i]);
        if (parts.n == 0)
            break;
        t = parts.at[--parts.n];
        found = test(data, t);
    }
    free(parts.at);
    return found;
}

void fl_term_start(const fl_term *t, uint32_t *ret_line, uint32_t *ret_column)
{
    while (t->kind == FL_STRUCT) {
        const fl_term *first = t->args[0];
        if (first->line > t->line || (first->line == t->line && first->column >= t->column))
            break;
        t = first;
    }
    *ret_line = t->line;
    *ret_column = t->column;
}

fl_term *fl_new_term(fl_kind kind, uint32_t line, uint32_t column, uint32_t n)
{
    fl_term *t = vm_alloc(sizeof *t);
    t->kind = kind;
    t->line = line;
    t->column = column;
    t->n = n;
    if (n > 0)
        t->args = vm_alloc(n * sizeof *t->args);
    return t;
}

fl_term *fl_new_atom(const char *name, uint32_t line, uint32_t column)
{
    fl_term *t = fl_new_term(FL_ATOM, line, column, 0);
    t->text = name;
    t->length = strlen(name);
    return t;
}

void fl_flatten(fl_terms *parts, fl_term *t, const char *name)
{
    fl_terms stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        if (fl_is_struct(next, name, 2)) {
            FL_PUSH(stack, next->args[1]);
            FL_PUSH(stack, next->args[0]);
        } else {
            FL_PUSH(*parts, next);
        }
    }
}

// Splits at the guard bar. `;` binds as `|` does, so that `G1 ; G2 | B` reads as `G1 ; (G2 | B)`:
// all before the bar is the guard. *ret_guard NULL: there is none.
void fl_split_clause(fl_term *rest, fl_term **ret_guard, fl_term **ret_body)
{
    ARRAY_OF(fl_term *) spine = {0};
    fl_term *t = rest;
    for (; fl_is_struct(t, ";", 2); t = t->args[1])
        FL_PUSH(spine, t);
    *ret_guard = NULL;
    *ret_body = rest;
    if (!fl_is_struct(t, "|", 2))
        return;
    *ret_guard = t->args[0];
    *ret_body = t->args[1];
    while (spine.n > 0) {
        fl_term *either = spine.at[--spine.n];
        either->args[1] = *ret_guard;
        *ret_guard = either;
    }
}

fl_term *fl_new_struct(const char *name, const fl_term *at, uint32_t n, fl_term **args)
{
    fl_term *t = fl_new_term(n ? FL_STRUCT : FL_ATOM, at->line, at->column, n);
    t->text = name;
    t->length = strlen(name);
    for (uint32_t i = 0; i < n; i++)
        t->args[i] = args[i];
    return t;
}

fl_term *fl_new_binary(const char *name, const fl_term *at, fl_term *left, fl_term *right)
{
    return fl_new_struct(name, at, 2, (fl_term *[]){left, right});
}

fl_term *fl_new_variable(uint32_t var, const fl_term *at)
{
    fl_term *t = fl_new_term(FL_VAR, at->line, at->column, 0);
    t->var = var;
    return t;
}

// ---- Near names -------------------------------------------------------------------------------

const char *fl_nearest_variable(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(name, names[i]) == 0)
            return names[i];
    size_t digits = strcspn(name, "0123456789");
    return name[digits] || strlen(name) < 4 ? NULL : nearest_of(name, names, n);
}
