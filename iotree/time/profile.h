// SPDX-License-Identifier: MIT
//
// Profiles over time: P_m(t), the reductions of module m at step t, and W_m(t), its goals that
// wait.
#ifndef IOTREE_PROFILE_H
#define IOTREE_PROFILE_H

#include "iotree/graph/model.h"
#include "profiler/summary.h"

// progress may be NULL; false: cancelled.
bool iot_build_profile(iot *a, iot_progress progress, void *data);
// The profile of an overview.
void iot_copy_profile(iot *a, const trace_summary *s);
const profile *iot_ensure_profile(iot *a, iot_clock clock);
void iot_destroy_profiles(iot *a);

// The parts that differ where reductions take time (measured_profile.c). The first fills base
// buckets, the second adds steps [from, to) of one base bucket.
void iot_build_measured_profile(const iot *a, profile *p);
void iot_sum_measured_profile(const iot *a, const profile *p, iot_quantity q, uint32_t row,
                              int64_t from, int64_t to, iot_bucket *ret);

// How long all workers of a real run together had no goal while another one had some to give. False: the
// trace does not tell (worker_states.c).
bool iot_goals_not_given(const iot *a, uint64_t *ret_time);

#endif
