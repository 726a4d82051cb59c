// SPDX-License-Identifier: MIT
//
// The logs of threads that have ended, which stay mapped. Making a log takes many times as long as most
// threads of programs that make a hundred thousand of them. Nothing here waits or takes a lock.
#ifndef KPX_RECORDER_RESTING_H
#define KPX_RECORDER_RESTING_H

#include <stdbool.h>

#include "kpx-bridge/log/log.h"

// False: there is no room for a log of its number.
bool kpx_let_rest(kpx_header *header);
kpx_header *kpx_take_resting(void); // or NULL
// In a child made by fork(), which has no right to them.
void kpx_forget_resting(void);

#endif
