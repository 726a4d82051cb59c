// SPDX-License-Identifier: MIT
//
// One clock for programs that ran on several machines (private to kpx-bridge/). Within a machine
// all processes share CLOCK_MONOTONIC; of two machines it differs by an offset and drifts. What was
// recorded bounds the offset: a message arrives after it was sent, and nobody leaves a barrier
// before the last one has come. The straight line that keeps farthest from all bounds is taken;
// where clocks did not drift evenly, what still arrives too early is moved, with all that follows
// on its machine.
#ifndef KPX_CLOCKS_H
#define KPX_CLOCKS_H

#include "kpx-bridge/log/messages.h"

// Changes the times of the log. Returns what to tell of it (malloc'ed), NULL if all ran on one
// machine.
char *kpx_agree_clocks(kpx_logs *logs, const kpx_messages *messages);

#endif
