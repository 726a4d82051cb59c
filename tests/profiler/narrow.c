// SPDX-License-Identifier: MIT
//
// The reader keeps clauses and bindings in few bytes where they fit: both sides of each limit, and
// a trace whose first chunk has small numbers only.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"
#include "model.h"

#define GOALS   70000u // more than a chunk has
#define CLAUSES 66000u // more than 16 bits count
#define VALUES  48u    // one for each body item, more than 5 bits count

// The values bound, cell 0 by another variable.
static trace_value value_of(uint32_t i)
{
    static const int64_t integers[] = {0,         1,         -1,        8388607,      -8388608,
                                       8388608,   -8388609,  1 << 30,   1LL << 38,    1LL << 39,
                                       INT64_MAX, INT64_MIN, 549755813887, -(1LL << 39)};
    if (i < sizeof integers / sizeof *integers)
        return (trace_value){.kind = TV_INT, .i = integers[i]};
    if (i % 3 == 0)
        return (trace_value){.kind = TV_FLOAT, .d = i + 0.5};
    if (i % 3 == 1)
        return (trace_value){.kind = TV_ATOM, .id = 0};
    return (trace_value){.kind = TV_CELL, .id = VALUES + i}; // is never bound
}

// main :- V0 = ..., V1 = ..., ..., p, p, p, ...
static uint32_t beginning(tw *w, uint32_t main, uint32_t p)
{
    trace_node *nodes = calloc(3 * VALUES, sizeof *nodes);
    uint32_t *children = calloc(2 * VALUES, sizeof *children), names[2 * VALUES];
    trace_item *items = calloc(VALUES + GOALS, sizeof *items);
    if (!nodes || !children || !items)
        abort();
    for (uint32_t i = 0; i < 2 * VALUES; i++) {
        names[i] = TRACE_NONE;
        nodes[i] = (trace_node){.kind = TN_FRESH, .index = i};
    }
    for (uint32_t i = 0; i < VALUES; i++) {
        trace_value v = value_of(i);
        uint32_t node = 2 * VALUES + i;
        nodes[node] = v.kind == TV_CELL ? (trace_node){.kind = TN_FRESH, .index = v.id}
                                        : (trace_node){.kind = TN_CONST, .value = v};
        children[2 * i] = i;
        children[2 * i + 1] = node;
        items[i] = (trace_item){.kind = TI_UNIFY, .first = 2 * i, .n = 2};
    }
    for (uint32_t i = 0; i < GOALS; i++)
        items[VALUES + i] = (trace_item){.kind = TI_GOAL, .predicate = p, .first = 2 * VALUES};
    uint32_t clause = tw_clause(w, &(trace_clause){.predicate = main,
                                                   .number = 1,
                                                   .source = TRACE_NONE,
                                                   .nfresh = 2 * VALUES,
                                                   .names = names,
                                                   .nnodes = 3 * VALUES,
                                                   .nodes = nodes,
                                                   .nchildren = 2 * VALUES,
                                                   .children = children,
                                                   .nitems = VALUES + GOALS,
                                                   .items = items});
    free(nodes);
    free(children);
    free(items);
    return clause;
}

// Clause 0 is the beginning's. The first chunk has small numbers.
static uint32_t clause_of(uint32_t goal)
{
    return goal < 69000 ? 1 + goal % 1000 : 1 + goal % CLAUSES;
}

static void write_trace(const char *path)
{
    char *error = NULL;
    tw *w = tw_create(path, &(trace_run){.clock = TRACE_VIRTUAL}, "narrow", &error);
    if (!CHECK(w))
        return;
    uint32_t module = tw_module(w, "narrow");
    uint32_t main = tw_predicate(w, module, "main", 0, TRACE_PROGRAM);
    uint32_t p = tw_predicate(w, module, "p", 0, TRACE_PROGRAM);
    uint32_t first = beginning(w, main, p);
    for (uint32_t i = 1; i <= CLAUSES; i++)
        tw_clause(w, &(trace_clause){.predicate = p, .number = i, .source = TRACE_NONE});
    trace_binding bindings[VALUES];
    for (uint32_t i = 0; i < VALUES; i++)
        bindings[i] = (trace_binding){.variable = i, .item = i, .value = value_of(i)};
    tw_reduction(w, &(trace_reduction){.clause = first, .nbindings = VALUES, .bindings = bindings});
    for (uint32_t goal = 0; goal < GOALS; goal++)
        tw_reduction(w, &(trace_reduction){.goal = goal, .clause = clause_of(goal), .time = 1});
    CHECK_SAY(tw_finish(w, TRACE_NORMAL, 0, TRACE_NONE, "", &error), "%s", error ? error : "");
    free(error);
}

static bool equal(trace_value x, trace_value y)
{
    if (x.kind != y.kind)
        return false;
    return x.kind == TV_INT ? x.i == y.i : x.kind == TV_FLOAT ? x.d == y.d : x.id == y.id;
}

void test_narrow(const char *folder)
{
    char path[PATH_SIZE], *error = NULL;
    path_in(path, folder, "narrow.paf");
    write_trace(path);
    trace *t = trace_open(path, NULL, NULL, &error);
    if (!CHECK_SAY(t && !error, "%s", error ? error : ""))
        return;
    CHECK(trace_nreductions(t) == GOALS + 1);
    CHECK(trace_nbindings(t) == VALUES);
    for (uint32_t i = 0; i < trace_nbindings(t); i++) {
        CHECK_SAY(equal(trace_binding_value(t, i), value_of(i)), "value %u", i);
        CHECK_SAY(trace_binding_item(t, i) == i, "item %u", i);
        CHECK_SAY(trace_binding_variable(t, i) == i, "variable %u", i);
    }
    uint32_t wrong = 0;
    for (uint32_t goal = 0; goal < GOALS; goal++)
        wrong += trace_reduction_clause(t, goal + 1) != clause_of(goal) ||
                 trace_goal_reduction(t, goal) != goal + 1 || trace_goal_parent(t, goal) != 0 ||
                 trace_time(t, goal + 1) != 1;
    CHECK(wrong == 0);
    trace_close(t);
}
