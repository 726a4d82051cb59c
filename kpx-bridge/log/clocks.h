// SPDX-License-Identifier: MIT
//
// One clock for programs that ran on several machines (private to kpx-bridge/).
//
// All processes of one machine share CLOCK_MONOTONIC. The clocks of two machines differ by an
// offset and drift apart. Messages and barriers bound the offset: a message arrives after it was
// sent, and nobody leaves a barrier before the last one has come. The result is the straight line
// that keeps farthest from all bounds. Where clocks did not drift evenly, a message may still
// arrive before it was sent: then the receive is shifted, with everything after it on its machine.
#ifndef KPX_CLOCKS_H
#define KPX_CLOCKS_H

#include "kpx-bridge/log/messages.h"

// Corrects the times of the log. Returns a message about it (malloc'ed), or NULL if all processes
// ran on one machine.
char *kpx_agree_clocks(kpx_logs *logs, const kpx_messages *messages);

#endif
