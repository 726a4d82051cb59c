// SPDX-License-Identifier: MIT
//
// From a clause's term to its IR.
#include "fleng/analyse/analysis.h"

#include "base/nearest.h"
#include "fleng/kl1/kl1.h"

// ---- Terms ------------------------------------------------------------------------------------

void fl_count_variables(fl_clause *c, const fl_term *t, fl_section section)
{
    ARRAY_OF(const fl_term *) stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        const fl_term *next = stack.at[--stack.n];
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
        if (next->kind != FL_VAR)
            continue;
        fl_variable *v = &c->variables[next->var];
        *(section == SECTION_HEAD    ? &v->head
          : section == SECTION_GUARD ? &v->guard
                                     : &v->body) += 1;
    }
}

// ---- Goals of a body --------------------------------------------------------------------------

typedef struct {
    fl_term *term;
    fl_module *module; // NULL: there is no file
    fl_priority priority;
} body_part;

typedef ARRAY_OF(body_part) body_stack;

static void add_item(fl_building *b, const fl_term *at, vm_predicate *p, uint32_t n, fl_term **args)
{
    fl_item item = {.unify = !p, .predicate = p, .priority = b->priority, .n = n, .args = args};
    fl_term_start(at, &item.line, &item.column);
    FL_PUSH(b->items, item);
    for (uint32_t i = 0; i < n; i++)
        fl_count_variables(b->clause, args[i], SECTION_BODY);
}

// A goal known only when the program runs.
static void add_call(fl_building *b, fl_module *m, fl_term *goal)
{
    vm_predicate *call = fl_resolve(b->analysis, m, b->source, goal, "call", 1, b->start);
    fl_term **args = vm_alloc(sizeof *args);
    args[0] = goal;
    if (call)
        add_item(b, goal, call, 1, args);
}

// The priority that a pragma gives: an absolute one, or how much lower than that of the parent.
static bool priority_of(const fl_term *pragma, fl_priority *ret)
{
    static fl_term one = {.kind = FL_INT, .text = "1", .length = 1};
    if (fl_is_struct(pragma, "priority", 1))
        *ret = (fl_priority){PRIORITY_ABSOLUTE, pragma->args[0]};
    else if (fl_is_struct(pragma, "priority", 2) && fl_is_atom(pragma->args[0], "*"))
        *ret = (fl_priority){PRIORITY_ABSOLUTE, pragma->args[1]};
    else if (fl_is_struct(pragma, "lower_priority", 1))
        *ret = (fl_priority){PRIORITY_LOWER, pragma->args[0]};
    else if (fl_is_atom(pragma, "lower_priority"))
        *ret = (fl_priority){PRIORITY_LOWER, &one};
    else
        return false;
    return true;
}

// Where a goal is to run, and a share of priorities that are left, in KL1.
static bool says_nothing(const fl_term *pragma)
{
    return fl_is_struct(pragma, "node", 1) || fl_is_struct(pragma, "processor", 1) ||
           (fl_is_struct(pragma, "priority", 2) && fl_is_atom(pragma->args[0], "$"));
}

// A pragma applies to all goals of what stands before it. Workers share the goals among them, so
// node(N) says nothing here.
static void pragma(fl_building *b, body_stack *stack, body_part part)
{
    const fl_term *what = part.term->args[1];
    if (fl_is_struct(what, "@", 2)) { // g@(p@q) is (g@p)@q
        fl_term *inner = fl_new_binary("@", part.term, part.term->args[0], what->args[0]);
        fl_term *outer = fl_new_binary("@", what, inner, what->args[1]);
        FL_PUSH(*stack, (body_part){outer, part.module, part.priority});
        return;
    }
    fl_priority priority = part.priority;
    if (!priority_of(what, &priority) && !says_nothing(what))
        fl_report(b->analysis->messages, b->source, what,
                  "unknown pragma; there are priority(P), lower_priority and node(N)");
    else if (priority.value && priority.value->kind != FL_INT && priority.value->kind != FL_VAR)
        fl_report(b->analysis->messages, b->source, what,
                  "a priority is an integer or a variable, known when the goal is created");
    else if (priority.value)
        fl_count_variables(b->clause, priority.value, SECTION_BODY);
    else
        fl_count_variables(b->clause, what, SECTION_BODY);
    FL_PUSH(*stack, (body_part){part.term->args[0], part.module, priority});
}

static void qualified(fl_building *b, body_stack *stack, body_part part)
{
    fl_term *module = part.term->args[0], *goal = part.term->args[1];
    if (module->kind == FL_VAR || goal->kind == FL_VAR) {
        add_call(b, part.module, part.term);
        return;
    }
    if (module->kind != FL_ATOM) {
        fl_report(b->analysis->messages, b->source, module,
                  "the name of a module is expected before `:`");
        return;
    }
    fl_module *m = fl_find_any_module(b->analysis->names, module->text);
    if (fl_is_struct(goal, "@", 2)) { // m:(g@p) is (m:g)@p
        fl_term *inner = fl_new_binary(":", part.term, module, goal->args[0]);
        FL_PUSH(*stack, (body_part){fl_new_binary("@", goal, inner, goal->args[1]), part.module,
                                    part.priority});
        return;
    }
    vm_predicate *p = fl_is_goal(goal) ? fl_find_builtin(b->analysis->names, m, module->text,
                                                         goal->text, goal->n)
                                       : NULL;
    if (p) {
        add_item(b, part.term, p, goal->n, goal->args);
        return;
    }
    if (m) {
        FL_PUSH(*stack, (body_part){goal, m, part.priority});
        return;
    }
    if (fl_is_builtin_module(module->text)) {
        fl_report(b->analysis->messages, b->source, goal, "undefined predicate %.100s:%.100s/%u",
                  module->text, fl_is_goal(goal) ? goal->text : "", goal->n);
        return;
    }
    const struct fl_names *names = b->analysis->names;
    ARRAY_OF(const char *) known = {0};
    for (uint32_t i = 0; i < names->module_list.n; i++)
        FL_PUSH(known, names->module_list.at[i]->name);
    for (uint32_t i = 0; i < names->library.n; i++)
        FL_PUSH(known, names->library.at[i].name);
    const char *near = nearest_of(module->text, known.at, known.n);
    fl_report(b->analysis->messages, b->source, module, "unknown module %.100s%s%s%s", module->text,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

// The terms that a reader of Prolog expects in a body and that are none here. True if reported.
static bool foreign_control(fl_building *b, const fl_term *t)
{
    if (fl_is_struct(t, ";", 2) || fl_is_struct(t, "->", 2))
        fl_error(b->analysis->messages, b->source, t->line, t->column,
                 "a body cannot contain `%s`: write a predicate with a clause for each case",
                 t->text);
    else if (fl_is_struct(t, "|", 2))
        fl_error(b->analysis->messages, b->source, t->line, t->column,
                 "a clause has one guard bar `|`");
    else if (fl_is_struct(t, ":-", 2))
        fl_error(b->analysis->messages, b->source, t->line, t->column,
                 "a body cannot contain a clause: is the full stop of the clause before missing?");
    else
        return false;
    return true;
}

static void plain_goal(fl_building *b, body_part part)
{
    fl_term *t = part.term;
    if (foreign_control(b, t))
        return;
    if (!fl_is_goal(t)) {
        fl_report(b->analysis->messages, b->source, t, "a goal is a name, or name(Arguments)");
        return;
    }
    if (b->source->kl1 && !fl_defines(part.module, t->text, t->n))
        t = fl_kl1_goal(t);
    vm_predicate *p = fl_resolve(b->analysis, part.module, b->source, t, t->text, t->n, b->start);
    if (!p)
        return;
    if (p->builtin && fl_is_struct(t, ":=", 2))
        fl_kl1_expression(b->source, t->args[1]);
    add_item(b, t, p, t->n, t->args);
}

static void body_goal(fl_building *b, body_stack *stack, body_part part)
{
    fl_term *t = part.term;
    b->priority = part.priority;
    if (fl_is_struct(t, ",", 2)) {
        FL_PUSH(*stack, (body_part){t->args[1], part.module, part.priority});
        FL_PUSH(*stack, (body_part){t->args[0], part.module, part.priority});
    } else if (t->kind == FL_VAR) {
        add_call(b, part.module, t);
    } else if (fl_is_struct(t, "@", 2)) {
        pragma(b, stack, part);
    } else if (fl_is_struct(t, ":", 2)) {
        qualified(b, stack, part);
    } else if (fl_is_struct(t, "=", 2)) {
        add_item(b, t, NULL, 2, t->args);
    } else if (!fl_is_atom(t, "true")) {
        plain_goal(b, part);
    }
}

void fl_build_body(fl_building *b, fl_term *body)
{
    body_stack stack = {0};
    FL_PUSH(stack, (body_part){.term = body, .module = b->module});
    while (stack.n > 0) {
        body_part part = stack.at[--stack.n];
        body_goal(b, &stack, part);
    }
    b->clause->nitems = b->items.n;
    b->clause->items = b->items.at;
}

// ---- Clauses ----------------------------------------------------------------------------------

fl_clause *fl_build_clause(fl_analysis *a, const fl_definition *d, const fl_raw_clause *raw,
                           uint32_t number)
{
    fl_clause *c = vm_alloc(sizeof *c);
    fl_building b = {.analysis = a, .module = raw->module, .source = raw->source, .clause = c};
    c->predicate = d->predicate;
    c->number = number;
    c->source = raw->source_number;
    fl_term_start(raw->head, &c->line, &c->column);
    c->end_line = raw->sentence.end_line;
    c->after_otherwise = raw->after_otherwise;
    c->after_alternatively = raw->after_alternatively;
    c->nvariables = raw->sentence.nvariables;
    c->variables = raw->sentence.variables;
    c->head = raw->head->args;
    for (uint32_t i = 0; i < raw->head->n; i++)
        fl_count_variables(c, c->head[i], SECTION_HEAD);
    if (!raw->rest)
        return c;
    fl_term *guard, *body;
    fl_split_clause(raw->rest, &guard, &body);
    if (fl_is_struct(body, "|", 2))
        foreign_control(&b, body);
    if (guard)
        fl_build_guards(&b, guard);
    if (!fl_is_struct(body, "|", 2))
        fl_build_body(&b, body);
    return c;
}
