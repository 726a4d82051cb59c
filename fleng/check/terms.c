// SPDX-License-Identifier: MIT
//
// Unification, matching and comparison of terms of two clauses.
#include "fleng/check/terms.h"


enum {
    MOST_STEPS = 20000,
    LONGEST_KEY = 400,
};

fl_part fl_part_value(const fl_store *s, fl_part p)
{
    while (p.term->kind == FL_VAR && s->values[fl_part_variable(p)].term)
        p = s->values[fl_part_variable(p)];
    return p;
}

static bool same_constant(const fl_term *a, const fl_term *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    if (a->kind == FL_FLOAT)
        return a->number == b->number;
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

// Have two terms that are no variables the same shape?
static bool same_shape(const fl_term *a, const fl_term *b)
{
    if (a->kind == FL_CONS || a->kind == FL_VECTOR)
        return a->kind == b->kind && a->n == b->n;
    return same_constant(a, b);
}

typedef struct {
    fl_part a, b;
} pair;

typedef ARRAY_OF(pair) pair_stack;

static void push_arguments(pair_stack *todo, pair p)
{
    for (uint32_t i = p.a.term->n; i > 0; i--)
        FL_PUSH(*todo,
                (pair){{p.a.term->args[i - 1], p.a.base}, {p.b.term->args[i - 1], p.b.base}});
}

static bool too_many(fl_store *s)
{
    s->gave_up |= ++s->steps > MOST_STEPS;
    return s->gave_up;
}

static bool is_same_variable(fl_part a, fl_part b)
{
    return a.term->kind == FL_VAR && b.term->kind == FL_VAR &&
           fl_part_variable(a) == fl_part_variable(b);
}

bool fl_parts_unify(fl_store *s, fl_part a, fl_part b)
{
    pair_stack todo = {0};
    FL_PUSH(todo, (pair){a, b});
    while (todo.n > 0) {
        pair p = todo.at[--todo.n];
        p.a = fl_part_value(s, p.a);
        p.b = fl_part_value(s, p.b);
        if (too_many(s))
            return true;
        if (is_same_variable(p.a, p.b))
            continue;
        if (p.a.term->kind == FL_VAR)
            s->values[fl_part_variable(p.a)] = p.b;
        else if (p.b.term->kind == FL_VAR)
            s->values[fl_part_variable(p.b)] = p.a;
        else if (!same_shape(p.a.term, p.b.term))
            return false;
        else
            push_arguments(&todo, p);
    }
    return true;
}

bool fl_parts_same(fl_store *s, fl_part a, fl_part b)
{
    pair_stack todo = {0};
    FL_PUSH(todo, (pair){a, b});
    while (todo.n > 0) {
        pair p = todo.at[--todo.n];
        p.a = fl_part_value(s, p.a);
        p.b = fl_part_value(s, p.b);
        if (too_many(s))
            return false;
        if (is_same_variable(p.a, p.b))
            continue;
        if (p.a.term->kind == FL_VAR || p.b.term->kind == FL_VAR || !same_shape(p.a.term, p.b.term))
            return false;
        push_arguments(&todo, p);
    }
    return true;
}

// A value is a part of the special term, whose variables have none: it is not followed further.
bool fl_parts_match(fl_store *s, fl_part general, fl_part special)
{
    pair_stack todo = {0};
    FL_PUSH(todo, (pair){general, special});
    while (todo.n > 0) {
        pair p = todo.at[--todo.n];
        if (too_many(s))
            return false;
        if (p.a.term->kind == FL_VAR) {
            fl_part *value = &s->values[fl_part_variable(p.a)];
            if (value->term && !fl_parts_same(s, *value, p.b))
                return false;
            *value = p.b;
        } else if (p.b.term->kind == FL_VAR || !same_shape(p.a.term, p.b.term)) {
            return false;
        } else {
            push_arguments(&todo, p);
        }
    }
    return true;
}

const char *fl_part_key(fl_store *s, fl_part p)
{
    ARRAY_OF(fl_part) todo = {0};
    const char *text = "";
    FL_PUSH(todo, p);
    while (todo.n > 0) {
        p = fl_part_value(s, todo.at[--todo.n]);
        if (too_many(s) || strlen(text) > LONGEST_KEY)
            return NULL;
        const fl_term *t = p.term;
        if (t->kind == FL_VAR)
            text = fl_format("%s V%u", text, fl_part_variable(p));
        else if (t->kind == FL_FLOAT)
            text = fl_format("%s %.17g", text, t->number);
        else
            text = fl_format("%s %d:%s/%u", text, (int)t->kind, t->text ? t->text : "", t->n);
        for (uint32_t i = t->n; i > 0; i--)
            FL_PUSH(todo, (fl_part){t->args[i - 1], p.base});
    }
    return text;
}
