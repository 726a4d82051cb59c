// SPDX-License-Identifier: MIT
//
// What a predicate that computes with integers comes to (evaluate.h). A goal that gets the result goes on
// in the place of its clause; goals for what it needs besides are followed to a small depth.
#include "iotree/findings/evaluate.h"

#include "iotree/terms/values.h"

enum {
    DEEPEST_TERM = 4,
    DEEPEST_CALL = 4,
};

typedef struct {
    bool known;
    int64_t n;
} number;

// The variables of the clause in hand: holes, then those that the body does not use, then those that
// it makes.
typedef struct {
    const trace *t;
    const clause_facts *facts;
    const trace_clause *c;
    number *variables;
    uint32_t *steps;
} frame;

static bool evaluate(const clause_facts *facts, uint32_t predicate, const int64_t *inputs, int depth,
                     uint32_t *steps, int64_t *ret);

// ---------------------------------------------------------------------------------------------
// Terms

bool iot_calculate(const char *name, int64_t a, int64_t b, int64_t *ret)
{
    if (strcmp(name, "+") == 0)
        return !__builtin_add_overflow(a, b, ret);
    if (strcmp(name, "-") == 0)
        return !__builtin_sub_overflow(a, b, ret);
    if (strcmp(name, "*") == 0)
        return !__builtin_mul_overflow(a, b, ret);
    bool max = strcmp(name, "max") == 0;
    if (max || strcmp(name, "min") == 0) {
        *ret = (a > b) == max ? a : b;
        return true;
    }
    if (b <= 0 || a < 0)
        return false;
    bool mod = strcmp(name, "mod") == 0;
    *ret = mod ? a % b : a / b;
    return mod || strcmp(name, "//") == 0;
}

static number *variable_of(const frame *f, const trace_node *n, bool body)
{
    if (n->kind == TN_HOLE)
        return &f->variables[n->index];
    if (n->kind != TN_FRESH)
        return NULL;
    return &f->variables[f->c->nholes + n->index + (body ? f->c->nunused : 0)];
}

// A node of the head and guards, or of the body.
static bool value_of(const frame *f, bool body, uint32_t node, int depth, int64_t *ret)
{
    const trace_node *n = body ? &f->c->nodes[node] : &f->c->patterns[node];
    const uint32_t *children = (body ? f->c->children : f->c->pattern_children) + n->first;
    const number *variable = variable_of(f, n, body);
    int64_t a, b;
    if (variable) {
        *ret = variable->n;
        return variable->known;
    }
    if (n->kind == TN_CONST) {
        *ret = n->value.i;
        return n->value.kind == TV_INT;
    }
    return n->kind == TN_STRUCT && n->n == 2 && depth < DEEPEST_TERM &&
           value_of(f, body, children[0], depth + 1, &a) &&
           value_of(f, body, children[1], depth + 1, &b) &&
           iot_calculate(trace_string(f->t, n->value.id, NULL), a, b, ret);
}

// ---------------------------------------------------------------------------------------------
// The clause that is chosen

typedef enum { HOLDS, FAILS, NOT_KNOWN } verdict;

static verdict compare(const char *name, int64_t a, int64_t b)
{
    static const struct {
        const char *name;
        bool less, equal, more;
    } all[] = {
        {"<", true, false, false},   {"=<", true, true, false},   {">", false, false, true},
        {">=", false, true, true},   {"=:=", false, true, false}, {"==", false, true, false},
        {"=\\=", true, false, true}, {"\\==", true, false, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return (a < b ? all[i].less : a > b ? all[i].more : all[i].equal) ? HOLDS : FAILS;
    return NOT_KNOWN;
}

static verdict try_guard(const frame *f, const trace_guard *g)
{
    const char *name = trace_string(f->t, g->name, NULL);
    const uint32_t *sides = &f->c->pattern_children[g->first];
    int64_t a, b;
    if (g->n == 0)
        return strcmp(name, "otherwise") == 0 ? HOLDS : NOT_KNOWN;
    if (g->n == 1)
        return strcmp(name, "integer") == 0 ? HOLDS : NOT_KNOWN;
    if (g->n != 2 || !value_of(f, false, sides[1], 0, &b))
        return NOT_KNOWN;
    number *variable = variable_of(f, &f->c->patterns[sides[0]], false);
    if (strcmp(name, ":=") == 0 && variable) {
        *variable = (number){true, b};
        return HOLDS;
    }
    return value_of(f, false, sides[0], 0, &a) ? compare(name, a, b) : NOT_KNOWN;
}

static verdict try_clause(const frame *f, const int64_t *inputs)
{
    for (uint32_t i = 0; i + 1 < f->c->nhead; i++) {
        const trace_node *n = &f->c->patterns[f->c->head[i]];
        number *variable = variable_of(f, n, false);
        if (variable && variable->known && variable->n != inputs[i])
            return FAILS;
        if (variable)
            *variable = (number){true, inputs[i]};
        else if (n->kind != TN_CONST || n->value.kind != TV_INT || n->value.i != inputs[i])
            return FAILS;
    }
    for (uint32_t g = 0; g < f->c->nguards; g++) {
        verdict v = try_guard(f, &f->c->guards[g]);
        if (v != HOLDS)
            return v;
    }
    return HOLDS;
}

// Sets the clause in hand, with its variables. False: none is chosen for sure.
static bool choose(frame *f, uint32_t predicate, const int64_t *inputs)
{
    for (uint32_t k = f->facts->first[predicate]; k < f->facts->first[predicate + 1]; k++) {
        f->c = trace_get_clause(f->t, f->facts->clauses[k]);
        if (f->c->dynamic || f->c->nhead < 2 || f->c->nhead > MOST_INPUTS + 1)
            return false;
        free(f->variables);
        f->variables = base_allocate((size_t)f->c->nholes + f->c->nunused + f->c->nfresh + 1,
                                     sizeof *f->variables);
        verdict v = try_clause(f, inputs);
        if (v != FAILS)
            return v == HOLDS;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------
// Its body

typedef enum { NOT_YET, DONE, RESULT, GOES_ON, FAILED } progress;

// The node is where the clause's result goes.
static bool is_result(const frame *f, const trace_node *n)
{
    const trace_node *last = &f->c->patterns[f->c->head[f->c->nhead - 1]];
    return n->kind == TN_HOLE && last->kind == TN_HOLE && n->index == last->index;
}

static progress bind(const frame *f, const trace_node *to, int64_t n, int64_t *ret)
{
    number *variable = variable_of(f, to, true);
    if (is_result(f, to)) {
        *ret = n;
        return RESULT;
    }
    if (!variable || variable->known)
        return FAILED;
    *variable = (number){true, n};
    return DONE;
}

static progress unify(const frame *f, const trace_item *item, int64_t *ret)
{
    int64_t n;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t to = f->c->children[item->first + side], from = f->c->children[item->first + 1 - side];
        const number *variable = variable_of(f, &f->c->nodes[to], true);
        if (variable && !variable->known && value_of(f, true, from, DEEPEST_TERM, &n))
            return bind(f, &f->c->nodes[to], n, ret);
    }
    return NOT_YET;
}

// A goal whose inputs are known. GOES_ON: it makes the result; *predicate and inputs are its own.
static progress call(const frame *f, const trace_item *item, int depth, uint32_t *predicate,
                     int64_t *inputs, int64_t *ret)
{
    const trace_predicate *p = trace_get_predicate(f->t, item->predicate);
    bool built_in = p->origin == TRACE_BUILTIN;
    const uint32_t *arguments = &f->c->children[item->first];
    int64_t values[MOST_INPUTS], n;
    if (built_in && item->n == 2 && strcmp(trace_string(f->t, p->name, NULL), ":=") == 0)
        return value_of(f, true, arguments[1], 0, &n) ? bind(f, &f->c->nodes[arguments[0]], n, ret)
                                                      : NOT_YET;
    if (built_in || item->n < 2 || item->n > MOST_INPUTS + 1)
        return FAILED;
    for (uint32_t i = 0; i + 1 < item->n; i++)
        if (!value_of(f, true, arguments[i], DEEPEST_TERM, &values[i]))
            return NOT_YET;
    const trace_node *to = &f->c->nodes[arguments[item->n - 1]];
    if (is_result(f, to)) {
        memcpy(inputs, values, (item->n - 1) * sizeof *values);
        *predicate = item->predicate;
        return GOES_ON;
    }
    if (depth == DEEPEST_CALL || !evaluate(f->facts, item->predicate, values, depth + 1, f->steps, &n))
        return FAILED;
    return bind(f, to, n, ret);
}

// Until the clause has its result, or a goal goes on for it.
static progress follow_body(const frame *f, int depth, uint32_t *predicate, int64_t *inputs,
                            int64_t *ret)
{
    uint8_t *done = base_allocate((size_t)f->c->nitems + 1, 1);
    progress all = NOT_YET;
    for (bool changed = true; changed && all == NOT_YET;) {
        changed = false;
        for (uint32_t i = 0; i < f->c->nitems && all == NOT_YET; i++) {
            const trace_item *item = &f->c->items[i];
            if (done[i])
                continue;
            progress one = item->kind == TI_UNIFY ? unify(f, item, ret)
                                                  : call(f, item, depth, predicate, inputs, ret);
            done[i] = one == DONE;
            changed |= one == DONE;
            all = one == DONE ? NOT_YET : one;
        }
    }
    free(done);
    return all;
}

static bool evaluate(const clause_facts *facts, uint32_t predicate, const int64_t *given, int depth,
                     uint32_t *steps, int64_t *ret)
{
    frame f = {.t = facts->t, .facts = facts, .steps = steps};
    int64_t inputs[MOST_INPUTS];
    progress at = GOES_ON;
    uint32_t arity = trace_get_predicate(facts->t, predicate)->arity;
    if (arity < 2 || arity > MOST_INPUTS + 1)
        return false;
    memcpy(inputs, given, (arity - 1) * sizeof *given);
    while (at == GOES_ON && *steps > 0) {
        --*steps;
        at = choose(&f, predicate, inputs) ? follow_body(&f, depth, &predicate, inputs, ret) : FAILED;
    }
    free(f.variables);
    return at == RESULT;
}

bool iot_evaluate(const clause_facts *facts, uint32_t predicate, const int64_t *inputs,
                  uint32_t *steps, int64_t *ret)
{
    return evaluate(facts, predicate, inputs, 0, steps, ret);
}

// ---------------------------------------------------------------------------------------------
// Structures of numbers

static bool is_structure(const trace_node *n)
{
    return n->kind == TN_STRUCT || n->kind == TN_VECTOR;
}

static bool is_alike(const trace_node *x, const trace_node *y)
{
    return x->kind == y->kind && x->n == y->n &&
           (x->kind == TN_VECTOR || is_same_value(x->value, y->value));
}

// The parts of a structure in the head are numbers.
static bool take_parts(const frame *f, const trace_node *structure, const int64_t *parts, uint32_t n)
{
    if (!is_structure(structure) || structure->n != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t child = f->c->pattern_children[structure->first + i];
        number *variable = variable_of(f, &f->c->patterns[child], false);
        if (!variable || variable->known)
            return false;
        *variable = (number){true, parts[i]};
    }
    return true;
}

// The structure that the clause binds its result to; NULL: none.
static const trace_node *resulting_structure(const frame *f)
{
    for (uint32_t i = 0; i < f->c->nitems; i++) {
        const trace_item *item = &f->c->items[i];
        for (uint32_t side = 0; item->kind == TI_UNIFY && side < 2; side++) {
            const trace_node *to = &f->c->nodes[f->c->children[item->first + side]];
            const trace_node *from = &f->c->nodes[f->c->children[item->first + 1 - side]];
            if (is_result(f, to) && is_structure(from))
                return from;
        }
    }
    return NULL;
}

static bool follow_structures(frame *f, uint32_t n, const int64_t *inputs, int64_t *ret)
{
    const trace_clause *c = f->c;
    uint32_t predicate;
    int64_t given[MOST_INPUTS], one;
    const trace_node *x = &c->patterns[c->head[0]], *y = &c->patterns[c->head[1]];
    if (!is_alike(x, y) || !take_parts(f, x, inputs, n) || !take_parts(f, y, inputs + n, n))
        return false;
    for (uint32_t g = 0; g < c->nguards; g++)
        if (try_guard(f, &c->guards[g]) != HOLDS)
            return false;
    const trace_node *result = resulting_structure(f);
    if (!result || !is_alike(result, x) || follow_body(f, 0, &predicate, given, &one) != NOT_YET)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!value_of(f, true, c->children[result->first + i], DEEPEST_TERM, &ret[i]))
            return false;
    return true;
}

bool iot_evaluate_structures(const clause_facts *facts, uint32_t predicate, uint32_t n,
                             const int64_t *inputs, uint32_t *steps, int64_t *ret)
{
    frame f = {.t = facts->t, .facts = facts, .steps = steps};
    uint32_t clause = facts->first[predicate];
    if (facts->first[predicate + 1] != clause + 1 || *steps == 0)
        return false;
    --*steps;
    f.c = trace_get_clause(f.t, facts->clauses[clause]);
    if (f.c->dynamic || f.c->nhead != 3)
        return false;
    f.variables = base_allocate((size_t)f.c->nholes + f.c->nunused + f.c->nfresh + 1, sizeof *f.variables);
    bool known = follow_structures(&f, n, inputs, ret);
    free(f.variables);
    return known;
}
