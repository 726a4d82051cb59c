// SPDX-License-Identifier: MIT
//
// Which parallel regions are recorded (KPX_REGIONS of recorder.h).
#ifndef KPX_CHOICE_H
#define KPX_CHOICE_H

#include <stdbool.h>

bool kpx_wants_all(void); // no regions were chosen
// Whether the region is recorded. construct: kpx_omp_construct() of the return address of its call.
bool kpx_wants(const void *construct, const void *address);

#endif
