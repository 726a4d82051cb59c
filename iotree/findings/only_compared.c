// SPDX-License-Identifier: MIT
//
// Follows a number through guards and bodies, with all sums and differences that are made of it, as
// whole arguments from goal to goal (only_compared.h).
#include "iotree/findings/only_compared.h"

#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "iotree/terms/values.h"

typedef struct {
    const trace *t;
    const uint8_t *clauses;
    ARRAY_OF(number_place) places; // that get it; those behind `next` are not looked at yet
    base_map known;
} search;

// One clause: of its variables (holes, then those that the body does not use, then those that it
// makes) those that hold the number, or a sum with it.
typedef struct {
    search *s;
    const trace_clause *c;
    uint8_t *holds;
    bool changed;
} clause_look;

typedef struct {
    const clause_look *k;
    bool body;
    uint32_t at;
} term;

static const trace_node *node_of(term x)
{
    return x.body ? &x.k->c->nodes[x.at] : &x.k->c->patterns[x.at];
}

static term child_of(term x, uint32_t i)
{
    uint32_t at = node_of(x)->first + i;
    x.at = x.body ? x.k->c->children[at] : x.k->c->pattern_children[at];
    return x;
}

static uint8_t *variable_of(term x)
{
    const trace_node *n = node_of(x);
    if (n->kind == TN_HOLE)
        return &x.k->holds[n->index];
    if (n->kind == TN_FRESH)
        return &x.k->holds[x.k->c->nholes + (x.body ? x.k->c->nunused : 0) + n->index];
    return NULL;
}

static bool mentions(const clause_look *k, term root)
{
    ARRAY_OF(term) stack = {0};
    bool found = false;
    (void)k;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0 && !found) {
        term x = stack.at[--stack.n];
        const uint8_t *v = variable_of(x);
        found = v && *v;
        for (uint32_t i = 0; i < node_of(x)->n; i++)
            ARRAY_PUSH(stack, child_of(x, i));
    }
    free(stack.at);
    return found;
}

// Is it made of variables and numbers by adding and subtracting?
static bool is_sum(const trace *t, term root)
{
    ARRAY_OF(term) stack = {0};
    bool sum = true;
    ARRAY_PUSH(stack, root);
    while (stack.n > 0 && sum) {
        term x = stack.at[--stack.n];
        const trace_node *n = node_of(x);
        if (n->kind != TN_STRUCT) {
            sum = n->kind == TN_CONST || variable_of(x);
            continue;
        }
        const char *op = trace_string(t, n->value.id, NULL);
        sum = n->n == 2 && (strcmp(op, "+") == 0 || strcmp(op, "-") == 0);
        for (uint32_t i = 0; i < n->n && sum; i++)
            ARRAY_PUSH(stack, child_of(x, i));
    }
    free(stack.at);
    return sum;
}

static bool is_comparison(const char *name)
{
    static const char *const names[] = {"<", ">", "=<", ">=", "=:=", "=\\=", "==", "\\=="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

// `V := E` with a sum of it in E: V holds it, too.
static bool look_at_assignment(clause_look *k, term result, term e)
{
    uint8_t *v = variable_of(result);
    if (!mentions(k, e))
        return true;
    if (!v || !is_sum(k->s->t, e))
        return false;
    k->changed |= !*v;
    *v = 1;
    return true;
}

static bool look_at_guards(clause_look *k)
{
    const trace_clause *c = k->c;
    for (uint32_t i = 0; i < c->nguards; i++) {
        const trace_guard *g = &c->guards[i];
        const char *name = trace_string(k->s->t, g->name, NULL);
        term side[2] = {{k, false, 0}, {k, false, 0}};
        bool found = false;
        for (uint32_t a = 0; a < g->n; a++) {
            term x = {k, false, c->pattern_children[g->first + a]};
            found |= mentions(k, x);
            if (a < 2)
                side[a] = x;
        }
        if (!found || (g->n == 1 && strcmp(name, "integer") == 0))
            continue;
        bool good = g->n == 2 &&
                    (strcmp(name, ":=") == 0 ? look_at_assignment(k, side[0], side[1])
                                             : is_comparison(name) && is_sum(k->s->t, side[0]) &&
                                                   is_sum(k->s->t, side[1]));
        if (!good)
            return false;
    }
    return true;
}

static void add_place(search *s, number_place x)
{
    uint64_t *known = map_at(&s->known, (uint64_t)x.predicate << 32 | (x.argument & 0xffff) << 16 |
                                            (x.part & 0xffff));
    if (*known != MAP_ABSENT)
        return;
    *known = 1;
    ARRAY_PUSH(s->places, x);
}

// The argument of a goal mentions the number. False: neither as a whole nor as a part of a
// structure.
static bool hand_on(clause_look *k, uint32_t predicate, uint32_t argument, term x)
{
    if (variable_of(x)) {
        add_place(k->s, (number_place){predicate, argument, WHOLE});
        return true;
    }
    if (node_of(x)->kind != TN_STRUCT)
        return false;
    for (uint32_t i = 0; i < node_of(x)->n; i++) {
        term part = child_of(x, i);
        if (!mentions(k, part))
            continue;
        if (!variable_of(part))
            return false;
        add_place(k->s, (number_place){predicate, argument, i});
    }
    return true;
}

static bool look_at_item(clause_look *k, const trace_item *item)
{
    const trace *t = k->s->t;
    const trace_predicate *p =
        item->kind == TI_GOAL ? trace_get_predicate(t, item->predicate) : NULL;
    const uint32_t *arguments = &k->c->children[item->first];
    if (p && p->origin == TRACE_BUILTIN && item->n == 2 &&
        strcmp(trace_string(t, p->name, NULL), ":=") == 0)
        return look_at_assignment(k, (term){k, true, arguments[0]}, (term){k, true, arguments[1]});
    for (uint32_t i = 0; i < item->n; i++) {
        term x = {k, true, arguments[i]};
        if (!mentions(k, x))
            continue;
        if (!p || p->origin == TRACE_BUILTIN || !hand_on(k, item->predicate, i, x))
            return false;
    }
    return true;
}

static bool look_at_body(clause_look *k)
{
    do {
        k->changed = false;
        for (uint32_t i = 0; i < k->c->nitems; i++)
            if (!look_at_item(k, &k->c->items[i]))
                return false;
    } while (k->changed);
    return true;
}

// The pattern of the head at which the number is. False: nothing of the head is in its place.
static bool find_pattern(const clause_look *k, number_place x, term *ret)
{
    *ret = (term){k, false, k->c->head[x.argument]};
    if (x.part == WHOLE)
        return variable_of(*ret) || node_of(*ret)->kind == TN_CONST;
    if (node_of(*ret)->kind == TN_STRUCT && x.part < node_of(*ret)->n) {
        *ret = child_of(*ret, x.part);
        return variable_of(*ret) || node_of(*ret)->kind == TN_CONST;
    }
    return node_of(*ret)->kind == TN_CONST ||
           (variable_of(*ret) && node_of(*ret)->kind == TN_FRESH);
}

static bool look_at_clause(search *s, uint32_t clause, number_place x)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    if (c->dynamic || x.argument >= c->nhead)
        return false;
    clause_look k = {.s = s, .c = c};
    k.holds = base_allocate((size_t)c->nholes + c->nunused + c->nfresh + 1, 1);
    term head;
    bool good = find_pattern(&k, x, &head);
    if (good && variable_of(head))
        *variable_of(head) = 1;
    good = good && look_at_guards(&k) && (!bit_get(s->clauses, clause) || look_at_body(&k));
    free(k.holds);
    return good;
}

bool iot_is_only_compared(const trace *t, number_place from, const uint8_t *clauses)
{
    search s = {.t = t, .clauses = clauses};
    bool good = true;
    add_place(&s, from);
    for (size_t next = 0; next < s.places.n && good; next++) {
        number_place x = s.places.at[next];
        for (uint32_t i = 0; i < trace_nclauses(t) && good; i++)
            if (trace_get_clause(t, i)->predicate == x.predicate)
                good = look_at_clause(&s, i, x);
    }
    free(s.places.at);
    map_free(&s.known);
    return good;
}
