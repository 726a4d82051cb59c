// SPDX-License-Identifier: MIT
//
// real_times: when the processes, nodes and links of a real run of Fleng came, by both clocks. By real
// time a binding comes when the reduction that made it ends, and an input is read when its reader
// ends.
//
// By virtual time all are in the order of their numbers. By real time they are not, so their times
// are sorted when a view first asks for them: of a process, or of all links.
#ifndef PAF_REAL_TIMES_H
#define PAF_REAL_TIMES_H

#include "paf/model/model.h"

paf_real_times *paf_real_times_create(const iot *a);
void paf_real_times_destroy(paf_real_times *real); // NULL: nothing

// Why the run took as long as it did. Of a model that has real time (m->real).
#define PAF_WORK_PARTS 200
typedef struct {
    iot_real_costs sums;
    iot_work_done done[PAF_WORK_PARTS]; // when each part of the work was done
    iot_real_finding findings[IOT_REAL_CAUSES];
    uint32_t nfindings;
} paf_costs;
const paf_costs *paf_costs_of(const paf_model *m);

// The module's figures by the clock (iot_module_by()), at once.
iot_module paf_module_by(const paf_model *m, iot_clock clock, uint32_t module);
// How long the module waited for others and others for it, by the clock, of a complete model.
void paf_module_waits(const paf_model *m, iot_clock clock, uint32_t module, uint64_t *ret_waits,
                      uint64_t *ret_awaited);
uint64_t paf_wait_by(iot_clock clock, const paf_model *m, const iot_dependency *d);
int64_t paf_lag_by(iot_clock clock, const paf_model *m, const iot_dependency *d);
uint64_t paf_busy_time(const paf_model *m); // of all modules, by real time

// When the first goal of the process was created, and when its last member was reduced.
int64_t paf_process_created(const paf_model *m, iot_clock clock, uint32_t process);
int64_t paf_process_last(const paf_model *m, iot_clock clock, uint32_t process);

// Of an input of the process: when it was there, and when it was read first.
int64_t paf_input_available(const paf_model *m, iot_clock clock, uint32_t process,
                            const iot_input *input);
int64_t paf_input_read(const paf_model *m, iot_clock clock, const iot_input *input);
int64_t paf_binding_made(const paf_model *m, iot_clock clock, uint32_t binding);
int64_t paf_goal_created(const paf_model *m, iot_clock clock, uint32_t goal);
// When a reduction is marked on the axis: its step, or its end.
int64_t paf_reduced(const paf_model *m, iot_clock clock, uint32_t reduction);

// The times of a node of a held tree.
paf_node_times paf_node_by(iot_clock clock, const paf_tree *tree, uint32_t node);

// How many outputs (inputs) of a process have a time in [from, to).
uint32_t paf_outputs_between(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                             int64_t to);
uint32_t paf_inputs_between(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                            int64_t to);
// The steps between which the outputs of [from, to] by real time were made. False: there are none, or
// more than `most`.
bool paf_steps_of_outputs(const paf_model *m, uint32_t process, int64_t from, int64_t to,
                          uint32_t most, int64_t *ret_from, int64_t *ret_to);

// The links whose input is read in [from, to): the result is their number, and paf_link_at() of
// *ret_first and the numbers after it are their indices.
uint32_t paf_links_between(const paf_model *m, iot_clock clock, int64_t from, int64_t to,
                           uint32_t *ret_first);
uint32_t paf_link_at(const paf_model *m, iot_clock clock, uint32_t place);
// The same of the links of a pair.
uint32_t paf_pair_between(const paf_model *m, iot_clock clock, const paf_pair *pair, int64_t from,
                          int64_t to, uint32_t *ret_first);
uint32_t paf_pair_link(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t place);
// How long the readers of `n` links of the pair waited for them together.
uint64_t paf_pair_waited(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t first,
                         uint32_t n);
// How long goals that read the pair's links waited for them together in [from, to], whenever they were read.
uint64_t paf_pair_waited_within(const paf_model *m, iot_clock clock, const paf_pair *pair, int64_t from,
                                int64_t to);
// The spans of n links, in which nobody waited yet; then of each link.
paf_wait_span *paf_wait_spans_create(uint32_t n);
void paf_wait_span_take(const paf_model *m, iot_clock clock, paf_wait_span *span, const iot_input *input);
// How long the reader of an input had existed when it was made; 0: it was made before.
int64_t paf_input_wait(const paf_model *m, iot_clock clock, const iot_input *input);

// Of a tree just built: the times of its nodes by the clock.
paf_node_times *paf_node_times_make(const paf_model *m, const paf_tree *tree);

#endif
