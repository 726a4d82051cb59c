// SPDX-License-Identifier: MIT
//
// Translates KL1's names: guards and goals in functional form, methods in guards, directives.
#include "fleng/kl1/kl1.h"

#include "vm/code.h"

// ---- Arithmetic in functional form --------------------------------------------------------------

static const struct {
    const char *name;
    uint32_t operands;
    const char *operator;
} arithmetic[] = {
    {"add", 2, "+"},          {"subtract", 2, "-"},   {"multiply", 2, "*"},
    {"divide", 2, "/"},       {"modulo", 2, "rem"},   {"and", 2, "/\\"},
    {"or", 2, "\\/"},         {"exclusive_or", 2, "xor"}, {"shift_left", 2, "<<"},
    {"shift_right", 2, ">>"}, {"plus", 1, "+"},       {"minus", 1, "-"},
    {"complement", 1, "\\"},  {"floating_point_to_integer", 1, "truncate"},
};

// add(X, Y, Z) as Z := X + Y; NULL: t is nothing of the kind.
static fl_term *assignment(fl_term *t)
{
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
        if (!fl_is_struct(t, arithmetic[i].name, arithmetic[i].operands + 1))
            continue;
        fl_term *value =
            fl_new_struct(arithmetic[i].operator, t, arithmetic[i].operands, t->args);
        return fl_new_binary(":=", t, t->args[t->n - 1], value);
    }
    return NULL;
}

// ---- Floats -------------------------------------------------------------------------------------

static fl_term *as_float(fl_term *t)
{
    return fl_new_struct("float", t, 1, &t);
}

static bool is_rounding(const fl_term *t)
{
    return fl_is_struct(t, "floor", 1) || fl_is_struct(t, "ceiling", 1) ||
           fl_is_struct(t, "round", 1) || fl_is_struct(t, "truncate", 1) ||
           fl_is_struct(t, "integer", 1);
}

// Every operand becomes a float; what float() encloses is an expression of integers.
static fl_term *float_expression(fl_term *expression)
{
    ARRAY_OF(fl_term **) stack = {0};
    fl_term *result = expression;
    FL_PUSH(stack, &result);
    while (stack.n > 0) {
        fl_term **place = stack.at[--stack.n];
        fl_term *t = *place;
        if (t->kind == FL_VAR || t->kind == FL_INT)
            *place = as_float(t);
        if (t->kind != FL_STRUCT || fl_is_struct(t, "float", 1))
            continue;
        if (fl_is_struct(t, "pow", 2))
            t->text = "**";
        if (fl_is_struct(t, "ceil", 1))
            t->text = "ceiling";
        if (fl_is_struct(t, "int", 1))
            t->text = "truncate";
        t->length = strlen(t->text);
        if (is_rounding(t))
            *place = as_float(t);
        for (uint32_t i = 0; i < t->n; i++)
            FL_PUSH(stack, &t->args[i]);
    }
    return result;
}

fl_term *fl_kl1_goal(fl_term *t)
{
    if (fl_is_struct(t, "$:=", 2))
        return fl_new_binary(":=", t, t->args[0], float_expression(t->args[1]));
    fl_term *assigned = assignment(t);
    return assigned ? assigned : t;
}

fl_term *fl_kl1_expression(const fl_source *source, fl_term *t)
{
    fl_terms stack = {0};
    if (source->kl1)
        FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
        if (fl_is_struct(next, "mod", 2))
            next->text = "rem";
        if (fl_is_struct(next, "int", 1)) {
            next->text = "truncate";
            next->length = 8;
        }
    }
    return t;
}

// ---- Guards -------------------------------------------------------------------------------------

static fl_guard *add_guard(fl_guards *guards, fl_guard_kind kind, const char *name,
                           const fl_term *at, uint32_t n, fl_term **args)
{
    fl_guard *g = vm_alloc(sizeof *g);
    g->kind = kind;
    g->name = name;
    fl_term_start(at, &g->line, &g->column);
    g->n = n;
    g->args = args;
    guards->at[guards->n++] = g;
    return g;
}

static bool assigning_guard(const fl_source *source, fl_term *t, fl_guards *guards)
{
    fl_term *assigned = assignment(t);
    if (!assigned && fl_is_struct(t, "$:=", 2))
        assigned = fl_new_binary(":=", t, t->args[0], float_expression(t->args[1]));
    if (!assigned)
        return false;
    assigned->args[1] = fl_kl1_expression(source, assigned->args[1]);
    add_guard(guards, GUARD_ASSIGN, ":=", t, 2, assigned->args);
    return true;
}

static bool comparing_guard(const fl_source *source, fl_term *t, fl_guards *guards)
{
    static const struct {
        const char *name, *test;
        bool floats;
    } table[] = {
        {"less_than", "<", false},      {"not_less_than", ">=", false},
        {"greater_than", ">", false},   {"not_greater_than", "=<", false},
        {"equal", "=:=", false},        {"not_equal", "=\\=", false},
        {"$<", "<", true},              {"$>", ">", true},
        {"$=<", "=<", true},            {"$>=", ">=", true},
        {"$=:=", "=:=", true},          {"$=\\=", "=\\=", true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!fl_is_struct(t, table[i].name, 2))
            continue;
        for (uint32_t k = 0; k < 2; k++)
            t->args[k] = table[i].floats ? float_expression(t->args[k])
                                         : fl_kl1_expression(source, t->args[k]);
        add_guard(guards, GUARD_COMPARE, table[i].test, t, 2, t->args);
        return true;
    }
    return false;
}

static bool ordering_guard(fl_term *t, fl_guards *guards)
{
    static const char *const names[] = {"@<", "@>", "@=<", "@>="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fl_is_struct(t, names[i], 2)) {
            add_guard(guards, GUARD_ORDER, names[i], t, 2, t->args);
            return true;
        }
    return false;
}

static bool querying_guard(fl_term *t, fl_guards *guards)
{
    int query = -1;
    if (fl_is_struct(t, "string", 2)) // string(S, N) leaves the second output out
        query = VM_QUERY_STRING;
    else if (t->kind == FL_STRUCT)
        query = vm_query_number('g', t->text, t->n);
    if (query < 0)
        return false;
    add_guard(guards, GUARD_QUERY, t->text, t, t->n, t->args)->query = (uint32_t)query;
    return true;
}

// ---- Methods in guards --------------------------------------------------------------------------

// generic:m(Object, In...):Out:... as m(Object, In..., Out...).
static fl_term *method_term(fl_term *t)
{
    fl_terms outputs = {0}, all = {0};
    fl_term *method = t->args[1];
    fl_term *rest = NULL;
    if (fl_is_struct(method, ":", 2)) {
        rest = method->args[1];
        method = method->args[0];
    }
    for (; rest && fl_is_struct(rest, ":", 2); rest = rest->args[1])
        FL_PUSH(outputs, rest->args[0]);
    if (rest)
        FL_PUSH(outputs, rest);
    for (uint32_t i = 0; i < method->n; i++)
        FL_PUSH(all, method->args[i]);
    for (uint32_t i = 0; i < outputs.n; i++)
        FL_PUSH(all, outputs.at[i]);
    return fl_new_struct(method->text, t, all.n, all.at);
}

static bool method_guard(fl_messages *m, const fl_source *source, fl_term *t, fl_guards *guards)
{
    static const struct {
        const char *name;
        uint32_t arity;
        fl_guard_kind kind;
        const char *test;
        vm_query_kind query; // of GUARD_QUERY
    } table[] = { // beside the methods of vm/code/queries.def
        {"arity", 2, GUARD_QUERY, "predicate", VM_QUERY_PREDICATE},
        {"predicate", 1, GUARD_QUERY, "predicate", VM_QUERY_PREDICATE},
        {"float", 1, GUARD_TYPE, "float", 0},
        {"less_than", 2, GUARD_ORDER, "@<", 0},
        {"not_less_than", 2, GUARD_ORDER, "@>=", 0},
        {"greater_than", 2, GUARD_ORDER, "@>", 0},
        {"not_greater_than", 2, GUARD_ORDER, "@=<", 0},
        {"equal", 2, GUARD_EQUAL, "==", 0},
        {"not_equal", 2, GUARD_DIFFER, "\\=", 0},
    };
    if (!fl_is_struct(t, ":", 2) || !fl_is_atom(t->args[0], "generic"))
        return false;
    fl_term *method = method_term(t);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!fl_is_struct(method, table[i].name, table[i].arity))
            continue;
        add_guard(guards, table[i].kind, table[i].test, t, method->n, method->args)->query =
            table[i].query;
        return true;
    }
    int query = vm_query_number('m', method->text, method->n);
    if (query >= 0) {
        add_guard(guards, GUARD_QUERY, method->text, t, method->n, method->args)->query =
            (uint32_t)query;
        return true;
    }
    fl_report(m, source, t, "guards have no method generic:%.80s/%u", method->text,
              method->n);
    return true;
}

bool fl_kl1_guard(fl_messages *m, const fl_source *source, fl_term *t, fl_guards *guards)
{
    if (fl_is_struct(t, "=", 2)) {
        add_guard(guards, GUARD_UNIFY, "=", t, 2, t->args);
        return true;
    }
    if (fl_is_struct(t, "diff", 2)) {
        add_guard(guards, GUARD_DIFFER, "\\=", t, 2, t->args);
        return true;
    }
    if (fl_is_struct(t, ":", 2) && fl_is_atom(t->args[0], "inline")) {
        fl_report(m, source, t, "C code within a program is not part of the language");
        return true;
    }
    return assigning_guard(source, t, guards) || comparing_guard(source, t, guards) ||
           ordering_guard(t, guards) || querying_guard(t, guards) ||
           method_guard(m, source, t, guards);
}

// ---- Definitions and directives -----------------------------------------------------------------

// What KL1 does not know may be defined, even if it is built in elsewhere.
bool fl_kl1_reserves(const char *name, uint32_t arity)
{
    static const struct {
        const char *name;
        uint32_t arity;
    } table[] = {
        {":=", 2},           {"$:=", 2},           {"=..", 2},          {"functor", 3},
        {"arg", 3},          {"new_vector", 2},    {"vector_element", 3},
        {"vector_element", 4}, {"set_vector_element", 4}, {"set_vector_element", 5},
        {"new_string", 3},   {"string_element", 3}, {"string_element", 4},
        {"set_string_element", 4}, {"call", 1},
    };
    static const char *const tests[] = {"<",  ">",   "=<",  ">=",  "=:=",  "=\\=",  "==", "\\=",
                                        "$<", "$>", "$=<", "$>=", "$=:=", "$=\\=", "@<", "@>"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].arity == arity && strcmp(table[i].name, name) == 0)
            return true;
    for (size_t i = 0; arity == 2 && i < sizeof tests / sizeof *tests; i++)
        if (strcmp(tests[i], name) == 0)
            return true;
    return false;
}

bool fl_kl1_directive(fl_messages *m, const fl_source *source, const fl_term *d)
{
    static const char *const ignored[] = {
        "public", "publicp", "local", "with_macro", "implicit", "local_implicit",
        "mode",   "spy",     "nospy", "pragma",     "optimize", "version",
    };
    if (fl_is_struct(d, ":", 2) && fl_is_atom(d->args[0], "inline")) {
        fl_report(m, source, d, "C code within a program is not part of the language");
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (fl_is_goal(d) && strcmp(d->text, ignored[i]) == 0)
            return true;
    return false;
}
