// SPDX-License-Identifier: MIT
//
// What combines two structures of numbers: its clause is followed for operands of the run.
#include "iotree/findings/combine_structures.h"

#include "iotree/findings/evaluate.h"
#include "iotree/terms/values.h"

enum {
    MOST_PARTS = 6,
    SAMPLES = 5, // operands of the run that are combined in both groupings, three at a time
    FEWEST_SAMPLES = 3,
    TRIAL_STEPS = 40000,
};

// A structure's parts.
typedef struct {
    int64_t at[MOST_PARTS];
} parts;

typedef struct {
    const clause_facts *facts;
    uint32_t predicate, nparts;
    parts x[SAMPLES];
    uint32_t n;
    uint32_t steps; // that are left
} trial;

// False: the argument is no structure of numbers. *ret_n: how many.
static bool parts_of_argument(const trace *t, uint32_t goal, uint32_t argument, parts *ret,
                              uint32_t *ret_n)
{
    trace_value v = iot_end_value(t, trace_goal_arg(t, goal, argument));
    if ((!is_cell_kind(t, v, TC_STRUCT) && !is_cell_kind(t, v, TC_VECTOR)) ||
        trace_cell_arity(t, v.id) > MOST_PARTS)
        return false;
    *ret = (parts){0};
    *ret_n = trace_cell_arity(t, v.id);
    for (uint32_t i = 0; i < *ret_n; i++) {
        trace_value part = iot_end_value(t, trace_cell_arg(t, v.id, i));
        if (part.kind != TV_INT)
            return false;
        ret->at[i] = part.i;
    }
    return true;
}

static bool add_sample(trial *y, const parts *x)
{
    for (uint32_t i = 0; i < y->n; i++)
        if (memcmp(&y->x[i], x, sizeof *x) == 0)
            return false;
    y->x[y->n++] = *x;
    return true;
}

// Different operands of goals of the predicate, from both arguments.
static void find_samples(const loops *l, trial *y)
{
    for (uint32_t r = 1; r < l->g->n && y->n < SAMPLES; r++) {
        uint32_t goal = trace_reduction_goal(l->t, r), n;
        parts x;
        for (uint32_t i = 0; trace_goal_predicate(l->t, goal) == y->predicate && i < 2; i++)
            if (y->n < SAMPLES && parts_of_argument(l->t, goal, i, &x, &n) && n == y->nparts)
                add_sample(y, &x);
    }
}

static bool combine(trial *y, const parts *a, const parts *b, parts *ret)
{
    int64_t inputs[2 * MOST_PARTS];
    memcpy(inputs, a->at, y->nparts * sizeof *inputs);
    memcpy(inputs + y->nparts, b->at, y->nparts * sizeof *inputs);
    *ret = (parts){0};
    return iot_evaluate_structures(y->facts, y->predicate, y->nparts, inputs, &y->steps, ret->at);
}

// Is (X o Y) o Z the same as X o (Y o Z)?
static grouping try_three(trial *y, const parts *a, const parts *b, const parts *c)
{
    parts ab, bc, left, right;
    if (!combine(y, a, b, &ab) || !combine(y, b, c, &bc) || !combine(y, &ab, c, &left) ||
        !combine(y, a, &bc, &right))
        return GROUPING_NOT_KNOWN;
    return memcmp(&left, &right, sizeof left) == 0 ? GROUPING_DOES_NOT_MATTER : GROUPING_MATTERS;
}

static grouping try_all(trial *y)
{
    grouping all = y->n >= FEWEST_SAMPLES ? GROUPING_DOES_NOT_MATTER : GROUPING_NOT_KNOWN;
    for (uint32_t i = 0; i < y->n * y->n * y->n && all == GROUPING_DOES_NOT_MATTER; i++)
        all = try_three(y, &y->x[i % y->n], &y->x[i / y->n % y->n], &y->x[i / y->n / y->n]);
    return all;
}

grouping iot_grouping_of_structures(const loops *l, uint32_t reduction, base_map *tried)
{
    const trace *t = l->t;
    uint32_t goal = trace_reduction_goal(t, reduction), p = trace_goal_predicate(t, goal), n, m;
    parts x;
    if (trace_get_predicate(t, p)->arity != 3 || !parts_of_argument(t, goal, 0, &x, &n) ||
        !parts_of_argument(t, goal, 1, &x, &m) || n != m)
        return GROUPING_NOT_KNOWN;
    uint64_t *known = map_at(tried, 1ull << 62 | p);
    if (*known != MAP_ABSENT)
        return (grouping)*known;
    clause_facts *facts = clause_facts_create(t);
    trial y = {.facts = facts, .predicate = p, .nparts = n, .steps = TRIAL_STEPS};
    find_samples(l, &y);
    *known = try_all(&y);
    clause_facts_destroy(facts);
    return (grouping)*known;
}
