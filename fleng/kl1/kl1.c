// SPDX-License-Identifier: MIT
//
// Writes out KL1's shorter forms: constants, arithmetic in arguments, conditionals in bodies.
#include "fleng/kl1/clause.h"

#include "base/utf8.h"

#include <stdlib.h>

// ---- Clauses ------------------------------------------------------------------------------------

uint32_t fl_kl1_new_variable(fl_kl1_clause *c, const char *name, const fl_term *at)
{
    FL_PUSH(c->variables, (fl_variable){.name = name, .line = at->line, .column = at->column});
    return c->variables.n - 1;
}

fl_term *fl_kl1_conjunction(const fl_terms *parts, const fl_term *at)
{
    if (parts->n == 0)
        return fl_new_struct("true", at, 0, NULL);
    fl_term *t = parts->at[parts->n - 1];
    for (uint32_t i = parts->n - 1; i > 0; i--)
        t = fl_new_binary(",", parts->at[i - 1], parts->at[i - 1], t);
    return t;
}

static void make_integer(fl_term *t, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    *t = (fl_term){.kind = FL_INT, .line = t->line, .column = t->column};
    t->text = fl_copy_text(digits, (size_t)n);
    t->length = (size_t)n;
}

// ---- Constants --------------------------------------------------------------------------------

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : 99;
}

// 16#"ff"
static bool based_integer(fl_term *t, const fl_term *base, const fl_term *digits)
{
    int radix = atoi(base->text);
    if (base->length > 2 || radix < 2 || radix > 36 || digits->length == 0)
        return false;
    for (size_t i = 0; i < digits->length; i++)
        if (digit(digits->text[i]) >= radix)
            return false;
    *t = (fl_term){.kind = FL_INT, .line = t->line, .column = t->column};
    t->text = fl_decimal(digits->text, radix);
    t->length = strlen(t->text);
    return true;
}

// The code of a string of one character.
static bool character(fl_term *t, const fl_term *s)
{
    uint32_t code;
    if (s->length == 0 || utf8_decode(s->text, s->length, &code) != s->length)
        return false;
    make_integer(t, code);
    return true;
}

// A#B; false: it stands for itself.
static bool sharp_pair(fl_term *t)
{
    fl_term *kind = t->args[0], *what = t->args[1];
    if (kind->kind == FL_INT && what->kind == FL_STRING)
        return based_integer(t, kind, what);
    if (fl_is_atom(kind, "string") && what->kind == FL_STRING) {
        *t = *what;
        return true;
    }
    if ((fl_is_atom(kind, "c") || fl_is_atom(kind, "ascii")) && what->kind == FL_STRING)
        return character(t, what);
    if (fl_is_atom(kind, "key") && (fl_is_atom(what, "lf") || fl_is_atom(what, "cr"))) {
        make_integer(t, fl_is_atom(what, "lf") ? 10 : 13);
        return true;
    }
    if (fl_is_atom(kind, "predicate") && fl_is_struct(what, ":", 2) &&
        fl_is_struct(what->args[1], "/", 2)) { // m:(p/n), which is read where `:` binds loosely
        fl_term *name = what->args[1];
        fl_term *path = fl_new_binary(":", what, what->args[0], name->args[0]);
        t->args[1] = fl_new_binary("/", what, path, name->args[1]);
    }
    return false;
}

static void expand_constants(fl_term *t)
{
    fl_terms stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        bool made = fl_is_struct(next, "#", 2)   ? sharp_pair(next)
                    : fl_is_struct(next, "#", 1) ? next->args[0]->kind == FL_STRING &&
                                                       character(next, next->args[0])
                                                 : false;
        for (uint32_t i = 0; !made && i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
}

// ---- Arithmetic in arguments --------------------------------------------------------------------

// ~(E) within an expression is E.
static void take_marks_off(fl_term *expression)
{
    fl_terms stack = {0};
    FL_PUSH(stack, expression);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        while (fl_is_struct(next, "~", 1) || fl_is_struct(next, "$~", 1))
            *next = *next->args[0];
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
}

// Replaces ~(E) and $~(E) in the arguments of a goal by variables; what computes them goes to
// `before`.
static void take_expressions(fl_kl1_clause *c, fl_term *goal, fl_terms *before)
{
    fl_terms stack = {0};
    for (uint32_t i = 0; i < goal->n; i++)
        FL_PUSH(stack, goal->args[i]);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        if (fl_is_struct(next, "~", 1) || fl_is_struct(next, "$~", 1)) {
            const char *assign = *next->text == '~' ? ":=" : "$:=";
            fl_term *expression = next->args[0];
            take_marks_off(expression);
            uint32_t v = fl_kl1_new_variable(c, "Value", next);
            *next = *fl_new_variable(v, next);
            FL_PUSH(*before, fl_new_binary(assign, next, fl_new_variable(v, next), expression));
            continue;
        }
        for (uint32_t i = next->n; i > 0; i--)
            FL_PUSH(stack, next->args[i - 1]);
    }
}

static bool has_expression(const fl_term *t)
{
    ARRAY_OF(const fl_term *) stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        const fl_term *next = stack.at[--stack.n];
        if (fl_is_struct(next, "~", 1) || fl_is_struct(next, "$~", 1))
            return true;
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
    return false;
}

static void expand_expressions(fl_kl1_clause *c, fl_term **conjunction)
{
    if (!has_expression(*conjunction))
        return;
    fl_terms parts = {0}, made = {0};
    fl_flatten(&parts, *conjunction, ",");
    for (uint32_t i = 0; i < parts.n; i++) {
        take_expressions(c, parts.at[i], &made);
        FL_PUSH(made, parts.at[i]);
    }
    *conjunction = fl_kl1_conjunction(&made, *conjunction);
}

// ---- Guards that print ------------------------------------------------------------------------

// display_console(X) in a guard: the guard waits, the body prints.
static void expand_display(fl_kl1_clause *c)
{
    fl_terms parts = {0}, body = {0};
    fl_flatten(&parts, c->guard, ",");
    for (uint32_t i = 0; i < parts.n; i++) {
        fl_term *t = parts.at[i];
        if (!fl_is_struct(t, "display_console", 1) && !fl_is_struct(t, "put_console", 1))
            continue;
        t->text = "wait";
        t->length = 4;
        fl_term *print = fl_new_struct("print", t, 1, t->args);
        FL_PUSH(body, fl_new_binary(":", t, fl_new_struct("builtin", t, 0, NULL), print));
    }
    if (body.n > 0) {
        FL_PUSH(body, c->body);
        c->body = fl_kl1_conjunction(&body, c->body);
    }
}

// ---- Conditionals -------------------------------------------------------------------------------

// How often each variable of the clause occurs in t; counts has a place for each.
static void count_variables(const fl_term *t, uint32_t *counts)
{
    ARRAY_OF(const fl_term *) stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        const fl_term *next = stack.at[--stack.n];
        if (next->kind == FL_VAR)
            counts[next->var]++;
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
}

// The variables of a branch are numbered anew.
typedef struct {
    fl_kl1_clause *from;
    uint32_t *number; // by variable of the whole clause, plus one; 0: not met yet
    ARRAY_OF(fl_variable) variables;
} renaming;

static void rename_variables(renaming *r, fl_term *t)
{
    fl_terms stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        for (uint32_t i = next->n; i > 0; i--)
            FL_PUSH(stack, next->args[i - 1]);
        if (next->kind != FL_VAR)
            continue;
        if (r->number[next->var] == 0) {
            fl_variable v = r->from->variables.at[next->var];
            v.line = next->line;
            v.column = next->column;
            FL_PUSH(r->variables, v);
            r->number[next->var] = r->variables.n;
        }
        next->var = r->number[next->var] - 1;
    }
}

// One branch as a clause of the conditional's predicate.
static void add_branch(fl_kl1_clause *c, const char *name, const fl_terms *interface,
                       fl_term *branch, fl_sentences *extra)
{
    fl_sentence s = {.end_line = c->sentence->end_line};
    if (fl_is_atom(branch, "otherwise") || fl_is_atom(branch, "alternatively")) {
        s.term = branch;
        FL_PUSH(*extra, s);
        return;
    }
    if (!fl_is_struct(branch, "->", 2)) {
        fl_report(c->file->messages, c->file->source, branch,
                  "a branch of a conditional is written `Guard -> Goals`");
        return;
    }
    fl_term **args = vm_alloc((interface->n + 1) * sizeof *args);
    for (uint32_t i = 0; i < interface->n; i++)
        args[i] = fl_new_variable(interface->at[i]->var, branch);
    fl_term *head = fl_new_struct(name, branch, interface->n, args);
    fl_term *rest = fl_new_binary("|", branch, branch->args[0], branch->args[1]);
    s.term = fl_new_binary(":-", branch, head, rest);
    renaming r = {.from = c, .number = vm_alloc_atomic((c->variables.n + 1) * sizeof *r.number)};
    memset(r.number, 0, c->variables.n * sizeof *r.number);
    rename_variables(&r, s.term);
    s.nvariables = r.variables.n;
    s.variables = r.variables.at;
    FL_PUSH(*extra, s);
}

static bool is_conditional(const fl_term *t)
{
    return fl_is_struct(t, "->", 2) || fl_is_struct(t, ";", 2);
}

// Replaces a conditional by a goal; its branches become the clauses of a predicate.
static fl_term *take_conditional(fl_kl1_clause *c, fl_term *t, const uint32_t *all,
                                 fl_sentences *extra)
{
    uint32_t *inside = vm_alloc_atomic((c->variables.n + 1) * sizeof *inside);
    memset(inside, 0, c->variables.n * sizeof *inside);
    count_variables(t, inside);
    fl_terms interface = {0}, branches = {0};
    for (uint32_t v = 0; v < c->variables.n; v++)
        if (inside[v] > 0 && inside[v] < all[v])
            FL_PUSH(interface, fl_new_variable(v, t));
    const char *of = c->head->text;
    size_t size = strlen(of) + 24;
    char *name = vm_alloc_atomic(size);
    snprintf(name, size, "%s$%u", of, ++*c->file->conditionals);
    fl_flatten(&branches, t, ";");
    for (uint32_t i = 0; i < branches.n; i++)
        add_branch(c, name, &interface, branches.at[i], extra);
    fl_term *goal = fl_new_struct(name, t, interface.n, interface.at);
    fl_term_start(t, &goal->line, &goal->column);
    return goal;
}

static void expand_conditionals(fl_kl1_clause *c, fl_sentences *extra)
{
    fl_terms parts = {0};
    fl_flatten(&parts, c->body, ",");
    bool any = false;
    for (uint32_t i = 0; i < parts.n; i++)
        any |= is_conditional(parts.at[i]);
    if (!any)
        return;
    uint32_t *all = vm_alloc_atomic((c->variables.n + 1) * sizeof *all);
    memset(all, 0, c->variables.n * sizeof *all);
    count_variables(c->head, all);
    count_variables(c->guard, all);
    count_variables(c->body, all);
    for (uint32_t i = 0; i < parts.n; i++)
        if (is_conditional(parts.at[i]))
            parts.at[i] = take_conditional(c, parts.at[i], all, extra);
    c->body = fl_kl1_conjunction(&parts, c->body);
}

// ---- Sentences ----------------------------------------------------------------------------------

// What stands behind `:-` as guard and body.
static void take_apart(fl_kl1_clause *c)
{
    fl_term *t = c->sentence->term, *rest = NULL;
    c->guard = c->body = fl_new_struct("true", t, 0, NULL);
    c->head = t;
    if (fl_is_struct(t, ":-", 2)) {
        c->head = t->args[0];
        rest = t->args[1];
    }
    if (rest) {
        fl_term *guard;
        fl_split_clause(rest, &guard, &c->body);
        c->guard = guard ? guard : c->guard;
    }
}

static void put_together(fl_kl1_clause *c)
{
    fl_term *t = c->sentence->term;
    bool fact = !fl_is_struct(t, ":-", 2);
    if (!fact || !fl_is_atom(c->body, "true")) {
        fl_term *rest = c->body;
        if (!fl_is_atom(c->guard, "true"))
            rest = fl_new_binary("|", c->guard, c->guard, c->body);
        c->sentence->term = fl_new_binary(":-", t, c->head, rest);
    } else {
        c->sentence->term = c->head;
    }
    c->sentence->nvariables = c->variables.n;
    c->sentence->variables = c->variables.at;
}

static bool is_clause(const fl_term *t)
{
    return !fl_is_struct(t, ":-", 1) && !fl_is_struct(t, "?-", 1) && !fl_is_struct(t, "-->", 2) &&
           !fl_is_atom(t, "otherwise") && !fl_is_atom(t, "alternatively");
}

static void expand_clause(const fl_kl1_file *file, fl_sentence *s, fl_sentences *extra, bool pairs)
{
    fl_kl1_clause c = {.file = file, .sentence = s};
    for (uint32_t i = 0; i < s->nvariables; i++)
        FL_PUSH(c.variables, s->variables[i]);
    take_apart(&c);
    if (pairs)
        fl_kl1_expand_pairs(&c);
    expand_display(&c);
    expand_conditionals(&c, extra);
    expand_expressions(&c, &c.guard);
    expand_expressions(&c, &c.body);
    put_together(&c);
}

void fl_kl1_expand(const fl_kl1_file *file, fl_sentence *s, fl_sentences *extra)
{
    expand_constants(s->term);
    if (!is_clause(s->term))
        return;
    uint32_t next = extra->n;
    expand_clause(file, s, extra, true);
    uint32_t end = extra->n, depth = 0; // of the branches that are nested so deep
    for (; next < extra->n; next++) {
        if (next == end) {
            end = extra->n;
            depth++;
        }
        fl_sentence branch = extra->at[next];
        if (depth > FL_KL1_DEEPEST) {
            fl_kl1_report_depth(&(fl_kl1_clause){.file = file}, branch.term);
            return;
        }
        if (is_clause(branch.term))
            expand_clause(file, &branch, extra, false);
        extra->at[next] = branch;
    }
}

void fl_kl1_report_depth(const fl_kl1_clause *c, const fl_term *at)
{
    fl_report(c->file->messages, c->file->source, at, "conditionals are nested more than %d deep",
              FL_KL1_DEEPEST);
}
