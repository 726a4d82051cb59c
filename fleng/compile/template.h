// SPDX-License-Identifier: MIT
//
// What every reduction by a clause makes, as the trace describes it. The compiler fills the
// template while it emits the clause's code, so that both number cells in the same order.
#ifndef FLENG_TEMPLATE_H
#define FLENG_TEMPLATE_H

#include "fleng/ir.h"
#include "profiler/trace.h"

typedef struct {
    trace_node_kind kind;
    uint32_t index;    // as in trace_node
    vm_word constant;  // TN_CONST: the term; TN_STRUCT: the functor
    uint32_t first, n; // children
} fl_node;

// Head and guards, as in trace_clause. `unused` and guard_names are texts.
typedef struct {
    uint32_t nhead, nguards, nunused, npatterns, nchildren;
    uint32_t *head, *children;
    trace_guard *guards;
    const char **guard_names, **unused;
    fl_node *patterns;
} fl_shape;

typedef struct fl_template {
    uint32_t nfresh, nstructs, nholes;
    const char **fresh_names;
    const char **hole_names;
    uint32_t *hole_registers; // where the machine keeps their values
    uint32_t nnodes, nchildren;
    fl_node *nodes;
    uint32_t *children;
    uint32_t ngoals;      // that a reduction creates
    uint32_t *item_first; // by body item: its arguments are children[first .. first + item->n)
    uint32_t nlooks;
    uint32_t *looks;
    fl_shape shape; // in programs for stamped runs
    const fl_clause *clause;
    const uint32_t *register_of; // by variable of the clause; UINT32_MAX: none
} fl_template;

#endif
