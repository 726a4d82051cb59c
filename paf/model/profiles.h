// SPDX-License-Identifier: MIT
//
// profiles: how many reductions there were in equal stretches of time. What was asked before is remembered,
// in tiles that stand still while a view pans, so that a frame asks only for what is new in it.
#ifndef PAF_PROFILES_H
#define PAF_PROFILES_H

#include "iotree/iotree.h"

typedef struct paf_profiles paf_profiles;

// The analysis must outlive it.
paf_profiles *paf_profiles_create(const iot *a);
void paf_profiles_destroy(paf_profiles *p);
// The sum of each of n stretches from `from` >= 0 on. module IOT_NONE: of all. As with the analysis, one
// thread at a time asks.
void paf_profiles_sums(paf_profiles *p, iot_clock clock, uint32_t module, int64_t from, int64_t width,
                       uint32_t n, uint64_t *ret_sums);

#endif
