// SPDX-License-Identifier: MIT
//
// From the events of an OpenMP program to activities and arrows, and to the statistics of its
// regions (private to kpx-bridge/).
#ifndef KPX_OPENMP_H
#define KPX_OPENMP_H

#include "kpx-bridge/model.h"
#include "kpx-bridge/read_log.h"
#include "kpx-bridge/statistics.h"

// Adds what the threads of one process did. The places get `prefix` in front of their names ("" or
// "rank 2 "). statistics may be NULL.
void kpx_convert_openmp(kpx_model *m, const kpx_process_log *p, const char *prefix,
                        kpx_statistics *statistics);

#endif
