// SPDX-License-Identifier: MIT
//
// Finds the value that a built-in could not use: the argument of the goal that holds it, and its
// place in the text of the clause that made the goal.
#include "fleng/explain/bad_value.h"

#include "base/utf8.h"
#include "fleng/reader/collected.h"
#include "vm/look.h"

enum { MOST_STEPS = 100000 }; // of a search

typedef struct {
    const fl_term *term; // as written, or the variable that stands for a term around it
    vm_word value;
} both;

typedef ARRAY_OF(both) both_stack;

static bool has_parts(const fl_term *t, vm_word w)
{
    static const unsigned tags[] = {
        [FL_CONS] = TAG_CONS, [FL_STRUCT] = TAG_STRUCT, [FL_VECTOR] = TAG_BOX};
    return t->n > 0 && vm_tag(w) == tags[t->kind] && vm_arguments(w) == t->n;
}

static void push_parts(both_stack *todo, both at)
{
    int64_t n = vm_arguments(at.value);
    bool written = at.term && has_parts(at.term, at.value);
    for (int64_t i = n; i > 0; i--)
        FL_PUSH(*todo, (both){written ? at.term->args[i - 1] : at.term,
                              vm_argument(at.value, (uint32_t)i - 1)});
}

// The first occurrence of the bad value, as evaluation meets it: outer before inner, left to right.
static bool search(both from, vm_word bad_value, const fl_term **ret_term)
{
    both_stack todo = {0};
    FL_PUSH(todo, from);
    for (uint32_t steps = 0; todo.n > 0 && steps < MOST_STEPS; steps++) {
        both next = todo.at[--todo.n];
        next.value = vm_value(next.value);
        if (next.value == bad_value) {
            *ret_term = next.term;
            return true;
        }
        push_parts(&todo, next);
    }
    return false;
}

// The characters of a term as written; of an operation, those of the operator.
static uint32_t width_of(const fl_clause *c, const fl_term *t)
{
    switch (t->kind) {
    case FL_VAR:
        return (uint32_t)utf8_count(c->variables[t->var].name, strlen(c->variables[t->var].name));
    case FL_INT:
    case FL_ATOM:
    case FL_STRUCT:
        return (uint32_t)utf8_count(t->text, t->length);
    case FL_STRING:
        return (uint32_t)utf8_count(t->text, t->length) + 2;
    default:
        return 1;
    }
}

bool fl_find_bad_value(const fl_report_context *c, const vm_goal *goal, vm_word bad_value,
                     fl_bad_value *ret)
{
    const fl_clause *clause = NULL;
    const fl_item *item = fl_item_of(c, goal, &clause);
    bad_value = vm_value(bad_value);
    for (uint32_t i = 0; i < goal->nargs; i++) {
        const fl_term *written = item && i < item->n ? item->args[i] : NULL, *term;
        if (!search((both){written, goal->args[i]}, bad_value, &term))
            continue;
        *ret = (fl_bad_value){.argument = i + 1, .whole = vm_value(goal->args[i]) == bad_value};
        if (!term)
            return true;
        ret->place = (fl_place){.other_line = term->line,
                                .other_column = term->column,
                                .other_width = width_of(clause, term)};
        if (term->kind == FL_VAR)
            ret->variable = clause->variables[term->var].name;
        return true;
    }
    return false;
}
