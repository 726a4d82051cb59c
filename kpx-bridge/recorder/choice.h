// SPDX-License-Identifier: MIT
//
// Which parallel regions are recorded (KPX_REGIONS of recorder.h).
#ifndef KPX_CHOICE_H
#define KPX_CHOICE_H

#include <stdbool.h>

bool kpx_wants_all(void); // no regions were chosen
bool kpx_wants(const void *code); // the return address of the call that begins it

#endif
