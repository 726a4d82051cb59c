// SPDX-License-Identifier: MIT
//
// What head and guards of the committing clause looked at.
#include "iotree/prices/look.h"

#include "iotree/terms/values.h"

// ---------------------------------------------------------------------------------------------
// The head

typedef struct {
    uint32_t pattern;
    trace_value value;
} head_item;

// A variable of the head: its first occurrence gives its value, others are compared with it.
static void take_variable(looker *l, const trace_node *n, trace_value v, place_code place)
{
    uint32_t variable = iot_variable_of(l, n);
    if (l->known[variable]) {
        iot_compare(l, (look_term){NULL, l->values[variable]}, (look_term){NULL, v},
                    l->origins[variable], place);
        return;
    }
    l->known[variable] = 1;
    l->values[variable] = v;
    l->origins[variable] = place;
}

// What the head takes apart at one argument.
static void look_at_argument(looker *l, uint32_t pattern, trace_value value, place_code place)
{
    ARRAY_OF(head_item) open = {0};
    ARRAY_PUSH(open, (head_item){pattern, value});
    while (open.n > 0) {
        head_item x = open.at[--open.n];
        const trace_node *n = &l->c->patterns[x.pattern];
        if (is_pattern_variable(n)) {
            take_variable(l, n, x.value, place);
            continue;
        }
        trace_value end = iot_follow(l, x.value, place);
        if (n->kind == TN_CONST || end.kind != TV_CELL ||
            trace_cell_get_kind(l->t, end.id) == TC_VARIABLE ||
            trace_cell_arity(l->t, end.id) < n->n)
            continue;
        for (uint32_t i = n->n; i > 0; i--) {
            uint32_t child = l->c->pattern_children[n->first + i - 1];
            if (l->wanted[child])
                ARRAY_PUSH(open, (head_item){child, trace_cell_arg(l->t, end.id, i - 1)});
        }
    }
    free(open.at);
}

void iot_look_at_head(looker *l, const trace_value *args)
{
    for (uint32_t i = 0; i < l->c->nhead; i++)
        if (l->wanted[l->c->head[i]])
            look_at_argument(l, l->c->head[i], args[i], place_pack(PLACE_ARGUMENT, i + 1));
}

// ---------------------------------------------------------------------------------------------
// Guards

typedef struct {
    const char *name;
    uint32_t n;
    const uint32_t *args; // patterns
    place_code place;
} guard;

static trace_value follow_arg(looker *l, const guard *g, uint32_t i)
{
    look_term x = iot_term_of(l, g->args[i]);
    return x.node ? (trace_value){.kind = TV_NODE} : iot_follow(l, x.value, g->place);
}

// A guard gives a value: a new variable of the guard takes it, else the two are compared.
static void give(looker *l, const guard *g, uint32_t i, trace_value v)
{
    const trace_node *n = &l->c->patterns[g->args[i]];
    if (is_pattern_variable(n) && !l->known[iot_variable_of(l, n)])
        take_variable(l, n, v, g->place);
    else
        iot_compare(l, iot_term_of(l, g->args[i]), (look_term){NULL, v}, g->place, g->place);
}

// The same of a number or a name that nobody needs to know: it equals every other one.
static void give_some_constant(looker *l, const guard *g, uint32_t i)
{
    if (i < g->n)
        give(l, g, i, (trace_value){.kind = TV_NODE});
}

// Visits the variables of a guard. What `;` gives a value depends on the alternative that was true:
// its variables are VAGUE from then on. Returns whether one is vague already; to_vague makes those
// vague that have no value.
static bool visit_variables(looker *l, const guard *g, bool to_vague)
{
    bool vague = false;
    ARRAY_OF(uint32_t) open = {0};
    for (uint32_t i = 0; i < g->n; i++)
        ARRAY_PUSH(open, g->args[i]);
    while (open.n > 0) {
        const trace_node *n = &l->c->patterns[open.at[--open.n]];
        if (is_pattern_variable(n)) {
            uint8_t *known = &l->known[iot_variable_of(l, n)];
            if (*known == 0 && to_vague)
                *known = VAGUE;
            vague = vague || *known == VAGUE;
        } else if (n->kind != TN_CONST) {
            for (uint32_t i = 0; i < n->n; i++)
                ARRAY_PUSH(open, l->c->pattern_children[n->first + i]);
        }
    }
    free(open.at);
    return vague;
}

static void reach_all(looker *l, const guard *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        iot_reach(l, iot_term_of(l, g->args[i]), g->place);
}

static void look_at_element(looker *l, const guard *g, uint32_t of, uint32_t index, int64_t base)
{
    trace_value term = follow_arg(l, g, of), number = follow_arg(l, g, index);
    if (term.kind == TV_CELL && trace_cell_get_kind(l->t, term.id) != TC_VARIABLE &&
        number.kind == TV_INT && number.i >= base &&
        number.i - base < trace_cell_arity(l->t, term.id))
        give(l, g, 2, trace_cell_arg(l->t, term.id, (uint32_t)(number.i - base)));
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

// Looks at nothing but the ends of its arguments.
static bool is_shallow(const guard *g)
{
    static const char *const tests[] = {"wait",   "integer", "float",  "number", "atom", "atomic",
                                        "list",   "compound", "string", "vector", "unbound",
                                        "functor", NULL};
    return is_one_of(g->name, tests);
}

static void look_at_guard(looker *l, const guard *g)
{
    if (!strcmp(g->name, ";") || visit_variables(l, g, false)) {
        reach_all(l, g);
        if (visit_variables(l, g, true) && !l->vague)
            l->vague = g->place;
    } else if (g->n == 2 && (!strcmp(g->name, "==") || !strcmp(g->name, "\\="))) {
        iot_compare(l, iot_term_of(l, g->args[0]), iot_term_of(l, g->args[1]), g->place, g->place);
    } else if (g->n == 3 && !strcmp(g->name, "arg")) {
        look_at_element(l, g, 1, 0, 1);
    } else if (g->n == 3 && !strcmp(g->name, "vector_element")) {
        look_at_element(l, g, 0, 1, 0);
    } else if (is_shallow(g)) {
        follow_arg(l, g, 0);
        give_some_constant(l, g, 1);
        give_some_constant(l, g, 2);
    } else if (g->n == 2 && !strcmp(g->name, ":=")) {
        iot_reach(l, iot_term_of(l, g->args[1]), g->place);
        give_some_constant(l, g, 0);
    } else {
        reach_all(l, g);
        for (uint32_t i = 0; i < g->n; i++)
            if (iot_term_of(l, g->args[i]).node)
                give_some_constant(l, g, i);
    }
}

bool iot_has_otherwise(const trace *t, const trace_clause *c)
{
    return c->nguards > 0 && c->guards[0].n == 0 &&
           !strcmp(trace_string(t, c->guards[0].name, NULL), "otherwise");
}

void iot_look_at_guards(looker *l)
{
    bool otherwise = iot_has_otherwise(l->t, l->c);
    for (uint32_t i = otherwise; i < l->c->nguards; i++) {
        const trace_guard *written = &l->c->guards[i];
        guard g = {.name = trace_string(l->t, written->name, NULL),
                   .n = written->n,
                   .args = l->c->pattern_children + written->first,
                   .place = place_pack(PLACE_GUARD, i + !otherwise)};
        look_at_guard(l, &g);
    }
}
