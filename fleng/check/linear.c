// SPDX-License-Identifier: MIT
//
// Comparisons as bounds of linear forms: `X + 1 < Y` bounds X - Y by -1 from above. Each form is
// decided by itself; conclusions from several different forms are not drawn.
#include "fleng/check/linear.h"

#include "vm/code.h"

#include <math.h>
#include <stdlib.h>

enum {
    DEEPEST = 100,       // operators in operators
    OPAQUE = 1u << 30,   // variables from here on stand for expressions
    MOST_BOUNDS = 200,
};
static const double largest = 9007199254740992.0; // integers up to here are exact

// ---- Types --------------------------------------------------------------------------------------

fl_types fl_type_of(const fl_term *t)
{
    switch (t->kind) {
    case FL_INT:
        return FL_TYPE_INTEGER;
    case FL_FLOAT:
        return FL_TYPE_FLOAT;
    case FL_ATOM:
        return FL_TYPE_ATOM;
    case FL_STRING:
        return FL_TYPE_STRING;
    case FL_CONS:
        return FL_TYPE_LIST;
    case FL_STRUCT:
        return FL_TYPE_STRUCT;
    case FL_VECTOR:
        return FL_TYPE_VECTOR;
    default:
        return FL_TYPE_ANY;
    }
}

static fl_types types_of_kind(char kind)
{
    switch (kind) { // the letters of vm/code/tests.def
    case 'i':
        return FL_TYPE_INTEGER;
    case 'f':
        return FL_TYPE_FLOAT;
    case 'a':
        return FL_TYPE_ATOM;
    case 's':
        return FL_TYPE_STRING;
    case 'l':
        return FL_TYPE_LIST;
    case 'c':
        return FL_TYPE_STRUCT;
    default:
        return FL_TYPE_VECTOR;
    }
}

fl_types fl_types_of_test(const char *name)
{
    int test = vm_test_number(name);
    fl_types types = 0;
    for (const char *kind = test < 0 ? "" : vm_test_kinds((vm_test)test); *kind; kind++)
        types |= types_of_kind(*kind);
    return types;
}

// ---- Forms --------------------------------------------------------------------------------------

// form += factor * variable. False: it has too many.
static bool add_variable(fl_form *form, uint32_t variable, double factor)
{
    uint32_t i = 0;
    while (i < form->n && form->variable[i] < variable)
        i++;
    if (i < form->n && form->variable[i] == variable) {
        form->factor[i] += factor;
        if (form->factor[i] != 0)
            return true;
        form->n--;
        for (; i < form->n; i++) {
            form->variable[i] = form->variable[i + 1];
            form->factor[i] = form->factor[i + 1];
        }
        return true;
    }
    if (form->n == FL_MOST_TERMS)
        return false;
    for (uint32_t k = form->n++; k > i; k--) {
        form->variable[k] = form->variable[k - 1];
        form->factor[k] = form->factor[k - 1];
    }
    form->variable[i] = variable;
    form->factor[i] = factor;
    return true;
}

// Any other expression is a variable of its own: equal expressions are the same one.
static bool add_opaque(fl_linear *l, fl_store *s, fl_form *form, fl_part p, double factor)
{
    const char *key = fl_part_key(s, p);
    if (!key)
        return false;
    uint32_t i = 0;
    while (i < l->opaque.n && strcmp(l->opaque.at[i], key) != 0)
        i++;
    if (i > MOST_BOUNDS)
        return false;
    if (i == l->opaque.n)
        FL_PUSH(l->opaque, key);
    return add_variable(form, OPAQUE + i, factor);
}

static bool constant_of(const fl_term *t, double *ret)
{
    *ret = t->kind == FL_INT ? strtod(t->text, NULL) : t->number;
    return (t->kind == FL_INT || t->kind == FL_FLOAT) && fabs(*ret) < largest;
}

static const struct fl_defined *definition_of(const fl_linear *l, const fl_store *s, uint32_t v)
{
    for (uint32_t i = 0; i < l->defined.n; i++) {
        fl_term at = {.kind = FL_VAR};
        fl_part p = fl_part_value(s, (fl_part){&at, l->defined.at[i].variable});
        if (p.term->kind == FL_VAR && fl_part_variable(p) == v)
            return &l->defined.at[i];
    }
    return NULL;
}

// form += factor * p. Nested as deep as DEEPEST at most. False: it is not understood.
static bool add_expression(fl_linear *l, fl_store *s, fl_form *form, fl_part p, double factor,
                           int depth)
{
    p = fl_part_value(s, p);
    const fl_term *t = p.term;
    double number;
    if (depth > DEEPEST)
        return false;
    if (t->kind == FL_VAR) {
        const struct fl_defined *d = definition_of(l, s, fl_part_variable(p));
        return d ? add_expression(l, s, form, d->expression, factor, depth + 1)
                 : add_variable(form, fl_part_variable(p), factor);
    }
    if (constant_of(t, &number)) {
        form->constant += factor * number;
        return fabs(form->constant) < largest;
    }
    if (t->kind != FL_STRUCT)
        return false;
    bool minus = strcmp(t->text, "-") == 0;
    if (t->n == 2 && (minus || strcmp(t->text, "+") == 0))
        return add_expression(l, s, form, (fl_part){t->args[0], p.base}, factor, depth + 1) &&
               add_expression(l, s, form, (fl_part){t->args[1], p.base}, minus ? -factor : factor,
                              depth + 1);
    if (t->n == 1 && minus)
        return add_expression(l, s, form, (fl_part){t->args[0], p.base}, -factor, depth + 1);
    for (uint32_t i = 0; t->n == 2 && strcmp(t->text, "*") == 0 && i < 2; i++)
        if (constant_of(fl_part_value(s, (fl_part){t->args[i], p.base}).term, &number) &&
            number != 0)
            return add_expression(l, s, form, (fl_part){t->args[1 - i], p.base}, factor * number,
                                  depth + 1);
    return add_opaque(l, s, form, p, factor);
}

// ---- Bounds -------------------------------------------------------------------------------------

static bool same_form(const fl_form *a, const fl_form *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->variable[i] != b->variable[i] || a->factor[i] != b->factor[i])
            return false;
    return true;
}

static fl_bounds *bounds_of(fl_linear *l, const fl_form *form)
{
    for (uint32_t i = 0; i < l->bounds.n; i++)
        if (same_form(&l->bounds.at[i].form, form))
            return &l->bounds.at[i];
    FL_PUSH(l->bounds, (fl_bounds){.form = *form, .low = -INFINITY, .high = INFINITY});
    return &l->bounds.at[l->bounds.n - 1];
}

// Without floats all is about integers: open bounds are drawn in to the next one.
static void bound_below(fl_bounds *b, double low, bool open, bool integers)
{
    if (integers) {
        low = open ? floor(low) + 1 : ceil(low);
        open = false;
    }
    if (low > b->low || (low == b->low && open)) {
        b->low = low;
        b->low_open = open;
    }
}

static void bound_above(fl_bounds *b, double high, bool open, bool integers)
{
    if (integers) {
        high = open ? ceil(high) - 1 : floor(high);
        open = false;
    }
    if (high < b->high || (high == b->high && open)) {
        b->high = high;
        b->high_open = open;
    }
}

static bool is_empty(fl_bounds *b, bool integers)
{
    for (bool again = true; again && integers;) { // excluded ends are no ends
        again = false;
        for (uint32_t i = 0; i < b->excluded.n; i++) {
            bool low = b->excluded.at[i] == b->low, high = b->excluded.at[i] == b->high;
            b->low += low;
            b->high -= high && !low;
            again |= low || high;
        }
        again &= b->low <= b->high;
    }
    if (b->low > b->high || (b->low == b->high && (b->low_open || b->high_open)))
        return true;
    for (uint32_t i = 0; i < b->excluded.n; i++)
        if (b->low == b->high && b->excluded.at[i] == b->low)
            return true;
    return false;
}

static bool constant_holds(const char *name, double value)
{
    return strcmp(name, "<") == 0      ? value < 0
           : strcmp(name, "=<") == 0   ? value <= 0
           : strcmp(name, ">") == 0    ? value > 0
           : strcmp(name, ">=") == 0   ? value >= 0
           : strcmp(name, "=:=") == 0  ? value == 0
           : strcmp(name, "=\\=") == 0 ? value != 0
                                       : true;
}

// The form's variables, the first with factor 1, against -constant.
static bool bound(fl_linear *l, fl_form form, const char *name)
{
    double factor = form.factor[0], value = -form.constant / factor;
    bool integers = !l->floats, less = *name == '<' || strcmp(name, "=<") == 0;
    bool open = strcmp(name, "<") == 0 || strcmp(name, ">") == 0;
    bool equal = strcmp(name, "=:=") == 0, differ = strcmp(name, "=\\=") == 0;
    form.constant = 0;
    for (uint32_t i = 0; i < form.n; i++) {
        form.factor[i] /= factor;
        integers &= form.factor[i] == floor(form.factor[i]);
    }
    fl_bounds *b = bounds_of(l, &form);
    if (differ) {
        if (b->excluded.n < MOST_BOUNDS)
            FL_PUSH(b->excluded, value);
        return !is_empty(b, integers);
    }
    if (equal || less == (factor > 0))
        bound_above(b, value, open, integers);
    if (equal || less == (factor < 0))
        bound_below(b, value, open, integers);
    return !is_empty(b, integers);
}

bool fl_linear_compare(fl_linear *l, fl_store *s, const char *name, fl_part left, fl_part right)
{
    fl_form form = {0};
    if (l->bounds.n > MOST_BOUNDS || !add_expression(l, s, &form, left, 1, 0) ||
        !add_expression(l, s, &form, right, -1, 0))
        return true;
    bool holds = form.n == 0 ? constant_holds(name, form.constant) : bound(l, form, name);
    l->empty |= !holds;
    return holds;
}

bool fl_linear_define(fl_linear *l, fl_store *s, fl_part variable, fl_part expression)
{
    fl_part v = fl_part_value(s, variable);
    if (l->defined.n > MOST_BOUNDS)
        return true;
    if (v.term->kind == FL_VAR && !definition_of(l, s, fl_part_variable(v))) {
        FL_PUSH(l->defined, (struct fl_defined){fl_part_variable(v), expression});
        return true;
    }
    return fl_linear_compare(l, s, "=:=", variable, expression);
}

bool fl_linear_holds(const fl_linear *l)
{
    return !l->empty;
}
