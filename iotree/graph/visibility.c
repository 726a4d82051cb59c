// SPDX-License-Identifier: MIT
//
// Which variables are visible outside the process that made them.
//
// A variable is visible outside its process if it occurs in an argument of a goal that starts
// another process, or in the term of a binding that is itself an output. One walk over the whole
// run finds all of them. It starts at those arguments and at the bindings that another process made
// than the one that made the variable, and follows structures and bindings. For every other process
// a variable is visible by definition, so one bit per variable is enough.
#include "iotree/graph/model.h"

// ---------------------------------------------------------------------------------------------
// Visibility

// Marked cells whose contents are not marked yet, by neighbourhood. Terms are decoded by intervals
// of the run, and a walk straight along each term would decode the same interval again and again.
#define NEAR 16

typedef ARRAY_OF(uint32_t) neighbourhood;

typedef struct {
    iot *a;
    neighbourhood *near;
    uint32_t nnear;
    size_t pending;
} walk;

static void mark(walk *w, trace_value v)
{
    if (v.kind != TV_CELL || bit_get(w->a->visible, v.id))
        return;
    bit_set(w->a->visible, v.id);
    ARRAY_PUSH(w->near[v.id >> NEAR], v.id);
    w->pending++;
}

static void mark_contents(walk *w, uint32_t cell)
{
    const trace *t = w->a->t;
    if (trace_cell_get_kind(t, cell) == TC_VARIABLE) {
        uint32_t binding = trace_cell_binding(t, cell);
        if (binding != TRACE_NONE)
            mark(w, trace_binding_value(t, binding));
        return;
    }
    uint32_t n = trace_cell_arity(t, cell);
    for (uint32_t i = 0; i < n; i++)
        mark(w, trace_cell_arg(t, cell, i));
}

static void run_walk(walk *w)
{
    while (w->pending) {
        for (uint32_t i = 0; i < w->nnear; i++) {
            for (neighbourhood *here = &w->near[i]; here->n; w->pending--)
                mark_contents(w, here->at[--here->n]);
        }
    }
}

// Made by another process than the variable: an output whatever is visible.
static bool crosses(const iot *a, uint32_t binding, uint32_t maker)
{
    uint32_t creator = trace_cell_maker(a->t, trace_binding_variable(a->t, binding));
    return maker != 0 && process_of(a, maker) != process_of(a, creator);
}

static void mark_arguments(walk *w, uint32_t goal)
{
    const trace *t = w->a->t;
    uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, goal))->arity;
    for (uint32_t i = 0; i < arity; i++)
        mark(w, trace_goal_arg(t, goal, i));
}

static void find_visible(iot *a)
{
    const trace *t = a->t;
    a->visible = bits_allocate(trace_ncells(t));
    walk w = {.a = a, .nnear = (trace_ncells(t) >> NEAR) + 1};
    w.near = base_allocate(w.nnear, sizeof *w.near);
    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
        if (iot_starts_process(a, g))
            mark_arguments(&w, g);
    }
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++) {
            if (crosses(a, b, r))
                mark(&w, trace_binding_value(t, b));
        }
    }
    run_walk(&w);
    for (uint32_t i = 0; i < w.nnear; i++)
        free(w.near[i].at);
    free(w.near);
}

void iot_ensure_visibility(iot *a)
{
    pthread_mutex_lock(&a->locks.visible);
    if (!a->visible)
        find_visible(a);
    pthread_mutex_unlock(&a->locks.visible);
}

bool iot_is_output(const iot *a, uint32_t binding, uint32_t maker)
{
    return bit_get(a->visible, trace_binding_variable(a->t, binding)) ||
           crosses(a, binding, maker);
}
