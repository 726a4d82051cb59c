// SPDX-License-Identifier: MIT
//
// What a longer run will take to record, by the log of a short one (private to command/).
#ifndef KPX_ADVISE_H
#define KPX_ADVISE_H

#include <stdio.h>

#include "kpx-bridge/log/read_log.h"

// `times`: how many times as long the run will be. asked: its --events, or 0.
void kpx_advise(const kpx_logs *logs, uint64_t times, uint64_t asked, FILE *out);

#endif
