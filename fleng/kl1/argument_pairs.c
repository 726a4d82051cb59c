// SPDX-License-Identifier: MIT
//
// KL1's argument pairs. A goal g(X)-S gets two more arguments: the value of S before the goal, and
// a new variable, the value of S after it:
//
//     p(X)-S :- q-S, S <= m(X), N...          p(X,S0,S) :- q(S0,S1), S1 = [m(X)|S2], ...
//
// S alone, as an argument, is its value at that place. In the head a pair is the first and the last
// value; if S never changes, the two are unified. +X attaches one argument, X; so does -X if X is
// not a variable.
#include "fleng/kl1/clause.h"

// The values of one pair name.
typedef struct {
    uint32_t name;    // the variable as written
    uint32_t current; // the variable that holds its value here
    uint32_t last;    // head pairs: the one that is to hold the last value
    bool in_head;
    bool changed;     // current was made in this clause's goals
} pair_state;

typedef struct {
    fl_kl1_clause *clause;
    ARRAY_OF(pair_state) pairs;
    uint32_t depth; // of conditionals and pragmas
} pair_scope;

static pair_state *find_pair(pair_scope *s, uint32_t name)
{
    for (uint32_t i = 0; i < s->pairs.n; i++)
        if (s->pairs.at[i].name == name)
            return &s->pairs.at[i];
    return NULL;
}

// The state of a name; where it is new its first value is the variable itself.
static pair_state *need_pair(pair_scope *s, uint32_t name)
{
    pair_state *p = find_pair(s, name);
    if (p)
        return p;
    FL_PUSH(s->pairs, (pair_state){.name = name, .current = name});
    return &s->pairs.at[s->pairs.n - 1];
}

// Replaces pair names in a term by what holds their values here.
static void replace_names(pair_scope *s, fl_term *t)
{
    fl_terms stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        const pair_state *p = next->kind == FL_VAR ? find_pair(s, next->var) : NULL;
        if (p)
            next->var = p->current;
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
}

// Moves a pair on; returns its new variable.
static uint32_t advance(pair_scope *s, pair_state *p, const fl_term *at)
{
    fl_kl1_clause *c = s->clause;
    p->current = fl_kl1_new_variable(c, c->variables.at[p->name].name, at);
    p->changed = true;
    return p->current;
}

// ---- Attached arguments -------------------------------------------------------------------------

static bool is_attached(const fl_term *t)
{
    return fl_is_struct(t, "-", 2) || fl_is_struct(t, "+", 2);
}

// Takes what is attached to t off, outermost last: the goal itself and the list of `-S`, `+X`.
static fl_term *take_off(fl_term *t, fl_terms *attached)
{
    fl_terms reversed = {0};
    for (; is_attached(t); t = t->args[0])
        FL_PUSH(reversed, t);
    while (reversed.n > 0)
        FL_PUSH(*attached, reversed.at[--reversed.n]);
    return t;
}

static void add_arguments(fl_term *goal, const fl_terms *more)
{
    fl_terms all = {0};
    for (uint32_t i = 0; i < goal->n; i++)
        FL_PUSH(all, goal->args[i]);
    for (uint32_t i = 0; i < more->n; i++)
        FL_PUSH(all, more->at[i]);
    goal->args = all.at;
    goal->n = all.n;
    if (all.n > 0 && goal->kind == FL_ATOM)
        goal->kind = FL_STRUCT;
}

static void expand_goal(pair_scope *s, fl_term **place)
{
    fl_terms attached = {0}, more = {0};
    fl_term *goal = take_off(*place, &attached);
    if (fl_is_struct(goal, ":", 2)) { // m:(g-S), or (m:g)-S
        fl_term *inner = take_off(goal->args[1], &attached);
        replace_names(s, inner);
        goal->args[1] = inner;
    } else {
        replace_names(s, goal);
    }
    for (uint32_t i = 0; i < attached.n; i++) {
        fl_term *t = attached.at[i], *what = t->args[1];
        if (*t->text == '+' || what->kind != FL_VAR) {
            replace_names(s, what);
            FL_PUSH(more, what);
            continue;
        }
        pair_state *p = need_pair(s, what->var);
        FL_PUSH(more, fl_new_variable(p->current, what));
        FL_PUSH(more, fl_new_variable(advance(s, p, what), what));
    }
    fl_term *target = fl_is_struct(goal, ":", 2) ? goal->args[1] : goal;
    if (target->kind == FL_STRUCT || target->kind == FL_ATOM)
        add_arguments(target, &more);
    else if (more.n > 0)
        fl_report(s->clause->file->messages, s->clause->file->source, target,
                  "arguments can be attached only to a name or name(Arguments)");
    *place = goal;
}

// ---- Goals that change a pair -------------------------------------------------------------------

static bool is_update(const fl_term *t)
{
    static const char *const left[] = {"<=", "<==", "+=", "-=", "*=", "/="};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (fl_is_struct(t, left[i], 2) && t->args[0]->kind == FL_VAR)
            return true;
    return fl_is_struct(t, "=>", 2) && t->args[1]->kind == FL_VAR;
}

static fl_term *cons(const fl_term *at, fl_term *head, fl_term *tail)
{
    fl_term *t = fl_new_binary(".", at, head, tail);
    t->kind = FL_CONS;
    return t;
}

static void expand_update(pair_scope *s, fl_term **place)
{
    fl_term *t = *place;
    bool right = fl_is_struct(t, "=>", 2);
    fl_term *name = t->args[right ? 1 : 0], *value = t->args[right ? 0 : 1];
    replace_names(s, value);
    pair_state *p = need_pair(s, name->var);
    fl_term *old = fl_new_variable(p->current, name);
    fl_term *made = fl_new_variable(advance(s, p, name), name);
    if (right)
        *place = fl_new_binary("=", t, made, cons(t, value, old));
    else if (strcmp(t->text, "<==") == 0)
        *place = fl_new_binary("=", t, made, value);
    else if (strcmp(t->text, "<=") == 0)
        *place = fl_new_binary("=", t, old, cons(t, value, made));
    else
        *place = fl_new_binary(":=", t, made,
                               fl_new_binary(fl_copy_text(t->text, 1), t, old, value));
}

// ---- Conjunctions and conditionals --------------------------------------------------------------

static void expand_conjunction(pair_scope *s, fl_term **conjunction);

// The values of the names behind a conditional are those behind the branch that was taken.
static void merge_values(pair_scope *s, const uint32_t *merged, uint32_t n, fl_term *branch)
{
    fl_terms parts = {0};
    FL_PUSH(parts, branch->args[1]);
    for (uint32_t i = 0; i < n; i++)
        FL_PUSH(parts, fl_new_binary("=", branch, fl_new_variable(merged[i], branch),
                                     fl_new_variable(s->pairs.at[i].current, branch)));
    branch->args[1] = fl_kl1_conjunction(&parts, branch->args[1]);
}

static bool changes_pair(const pair_scope *s, const uint32_t *before, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s->pairs.at[i].current != before[i])
            return true;
    return s->pairs.n > n;
}

static void expand_conditional(pair_scope *s, fl_term *t)
{
    fl_terms branches = {0};
    fl_flatten(&branches, t, ";");
    uint32_t n = s->pairs.n;
    uint32_t *before = vm_alloc_atomic((n + 1) * sizeof *before);
    uint32_t *merged = vm_alloc_atomic((n + 1) * sizeof *merged);
    for (uint32_t i = 0; i < n; i++) {
        before[i] = s->pairs.at[i].current;
        merged[i] = fl_kl1_new_variable(s->clause,
                                        s->clause->variables.at[s->pairs.at[i].name].name, t);
    }
    bool changed = false;
    fl_terms done = {0};
    ARRAY_OF(uint32_t) after = {0}; // n for each branch
    for (uint32_t i = 0; i < branches.n; i++) {
        fl_term *branch = branches.at[i];
        if (!fl_is_struct(branch, "->", 2)) {
            replace_names(s, branch); // of a guard's disjunction
            continue;
        }
        for (uint32_t k = 0; k < n; k++)
            s->pairs.at[k].current = before[k];
        expand_conjunction(s, &branch->args[0]);
        expand_conjunction(s, &branch->args[1]);
        changed |= changes_pair(s, before, n);
        FL_PUSH(done, branch);
        for (uint32_t k = 0; k < n; k++)
            FL_PUSH(after, s->pairs.at[k].current);
        s->pairs.n = n; // what begins in a branch ends there
    }
    for (uint32_t i = 0; changed && i < done.n; i++) {
        for (uint32_t k = 0; k < n; k++)
            s->pairs.at[k].current = after.at[i * n + k];
        merge_values(s, merged, n, done.at[i]);
    }
    for (uint32_t k = 0; k < n; k++) {
        s->pairs.at[k].current = changed ? merged[k] : before[k];
        s->pairs.at[k].changed |= changed;
    }
}

static bool too_deep(pair_scope *s, const fl_term *t)
{
    if (s->depth <= FL_KL1_DEEPEST)
        return false;
    fl_kl1_report_depth(s->clause, t);
    return true;
}

static void expand_part(pair_scope *s, fl_term **place)
{
    fl_term *t = *place;
    if (too_deep(s, t))
        return;
    s->depth++;
    if (fl_is_struct(t, "@", 2)) {
        expand_part(s, &t->args[0]);
        replace_names(s, t->args[1]);
    } else if (fl_is_struct(t, ";", 2) || fl_is_struct(t, "->", 2)) {
        expand_conditional(s, t);
    } else if (is_update(t)) {
        expand_update(s, place);
    } else {
        expand_goal(s, place);
    }
    s->depth--;
}

static void expand_conjunction(pair_scope *s, fl_term **conjunction)
{
    fl_terms parts = {0};
    fl_flatten(&parts, *conjunction, ",");
    for (uint32_t i = 0; i < parts.n; i++)
        expand_part(s, &parts.at[i]);
    *conjunction = fl_kl1_conjunction(&parts, *conjunction);
}

// ---- Clauses ------------------------------------------------------------------------------------

static void expand_head(pair_scope *s)
{
    fl_terms attached = {0}, more = {0};
    fl_kl1_clause *c = s->clause;
    c->head = take_off(c->head, &attached);
    for (uint32_t i = 0; i < attached.n; i++) {
        fl_term *t = attached.at[i], *what = t->args[1];
        if (*t->text == '+' || what->kind != FL_VAR) {
            FL_PUSH(more, what);
            continue;
        }
        uint32_t last = fl_kl1_new_variable(c, c->variables.at[what->var].name, what);
        pair_state *p = need_pair(s, what->var);
        p->in_head = true;
        p->last = last;
        FL_PUSH(more, fl_new_variable(what->var, what));
        FL_PUSH(more, fl_new_variable(last, what));
    }
    if (c->head->kind == FL_STRUCT || c->head->kind == FL_ATOM)
        add_arguments(c->head, &more);
}

// The last value of a head pair is the head's variable: it takes the place of the one made last.
static void rename_last(fl_term *t, uint32_t from, uint32_t to)
{
    fl_terms stack = {0};
    FL_PUSH(stack, t);
    while (stack.n > 0) {
        fl_term *next = stack.at[--stack.n];
        if (next->kind == FL_VAR && next->var == from)
            next->var = to;
        for (uint32_t i = 0; i < next->n; i++)
            FL_PUSH(stack, next->args[i]);
    }
}

static void finish_head(pair_scope *s)
{
    fl_kl1_clause *c = s->clause;
    fl_terms parts = {0};
    for (uint32_t i = 0; i < s->pairs.n; i++) {
        const pair_state *p = &s->pairs.at[i];
        if (!p->in_head)
            continue;
        if (p->changed) {
            rename_last(c->guard, p->current, p->last);
            rename_last(c->body, p->current, p->last);
        } else {
            FL_PUSH(parts, fl_new_binary("=", c->head, fl_new_variable(p->last, c->head),
                                         fl_new_variable(p->current, c->head)));
        }
    }
    if (parts.n == 0)
        return;
    FL_PUSH(parts, c->body);
    c->body = fl_kl1_conjunction(&parts, c->body);
}

// Does a goal, or the head, have something attached?  Then the clause is written with pairs.
static bool uses_pairs(const fl_kl1_clause *c)
{
    if (is_attached(c->head))
        return true;
    fl_terms stack = {0};
    FL_PUSH(stack, c->guard);
    FL_PUSH(stack, c->body);
    while (stack.n > 0) {
        fl_term *t = stack.at[--stack.n];
        if (is_attached(t) || is_update(t))
            return true;
        if (fl_is_struct(t, ":", 2)) {
            if (is_attached(t->args[1]))
                return true;
        } else if (fl_is_struct(t, ",", 2) || fl_is_struct(t, ";", 2) ||
                   fl_is_struct(t, "->", 2) || fl_is_struct(t, "@", 2)) {
            FL_PUSH(stack, t->args[0]);
            FL_PUSH(stack, t->args[1]);
        }
    }
    return false;
}

void fl_kl1_expand_pairs(fl_kl1_clause *c)
{
    if (!uses_pairs(c))
        return;
    pair_scope s = {.clause = c};
    expand_head(&s);
    expand_conjunction(&s, &c->guard);
    expand_conjunction(&s, &c->body);
    finish_head(&s);
}
