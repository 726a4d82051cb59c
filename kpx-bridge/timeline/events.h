// SPDX-License-Identifier: MIT
//
// From the events of a log to activities (private to kpx-bridge/). converter.h says how.
#ifndef KPX_EVENTS_H
#define KPX_EVENTS_H

#include "kpx-bridge/log/messages.h"
#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/timeline/statistics.h"
#include "kpx-bridge/totals/counters.h"

// Adds to the model and the statistics. measured: NULL if nothing was.
void kpx_convert_events(kpx_activities *m, const kpx_logs *logs, const kpx_counters *measured,
                        const kpx_messages *messages, kpx_statistics *statistics);

#endif
