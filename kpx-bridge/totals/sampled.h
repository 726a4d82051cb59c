// SPDX-License-Identifier: MIT
//
// From samples to totals of functions (private to kpx-bridge/).
#ifndef KPX_SAMPLED_H
#define KPX_SAMPLED_H

#include <stdbool.h>

#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/totals/totals.h"

// Whether the log has a file of samples.
bool kpx_has_samples(const char *folder);
// Adds a unit for each function of the recorded programs where samples were: its own processor time. Its
// line is the one with most samples. How often it was called is not observed. Returns how many there were.
uint64_t kpx_add_samples(kpx_totals *t, const kpx_logs *logs, const char *folder);

#endif
