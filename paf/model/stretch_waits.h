// SPDX-License-Identifier: MIT
//
// stretch_waits: who waited for whom in a stretch of time, and how long of it.
#ifndef PAF_STRETCH_WAITS_H
#define PAF_STRETCH_WAITS_H

#include "paf/model/model.h"

typedef struct {
    uint32_t from, to; // modules: `to` waited for `from` (IOT_NONE: it is not known for whom)
    uint64_t waited;   // by all goals (of a measured run, at all places) together
} paf_waited;

// paf_waited, the longest first, of the steps or nanoseconds from..to; whatever was waited for may have been
// read later. Of a complete model. g_array_unref().
GArray *paf_waits_within(const paf_model *m, iot_clock clock, int64_t from, int64_t to);

#endif
