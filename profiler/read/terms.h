// SPDX-License-Identifier: MIT
//
// Terms, which are decoded again when somebody asks for one. The reduction must belong to a block.
#ifndef PROFILER_TERMS_H
#define PROFILER_TERMS_H

#include "profiler/read/opened.h"

bool trace_terms_prepare(trace *t); // once everything is loaded
void trace_terms_finish(trace *t);

trace_value trace_terms_hole(const trace *t, uint32_t reduction, uint32_t hole);
// Of those of n nodes of the reduction's clause that are holes; others of ret stay as they are.
void trace_terms_holes(const trace *t, uint32_t reduction, const uint32_t *nodes, uint32_t n,
                       trace_value *ret);
// Cells and goals of a dynamic reduction, counted from its first.
trace_cell trace_terms_cell(const trace *t, uint32_t reduction, uint32_t cell); // args is NULL
trace_value trace_terms_cell_arg(const trace *t, uint32_t reduction, uint32_t cell,
                                 uint32_t argument);
trace_value trace_terms_goal_arg(const trace *t, uint32_t reduction, uint32_t goal,
                                 uint32_t argument);
void trace_terms_goal_args(const trace *t, uint32_t reduction, uint32_t goal, uint32_t n,
                           trace_value *ret); // the first n
bool trace_terms_pair(const trace *t, uint32_t reduction, uint32_t cell, uint32_t *ret_name,
                      trace_value *ret_arg); // see trace_cell_pair()

#endif
