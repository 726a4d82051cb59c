// SPDX-License-Identifier: MIT
//
// The critical path as it goes under one change, and what a second change would spare on it. Who looks
// for a pair of changes asks this first: a second change that touches nothing on the path that the first
// one leaves brings nothing beside it.
#ifndef IOTREE_PRICES_SPARED_H
#define IOTREE_PRICES_SPARED_H

#include "iotree/prices/waits.h"

// Reductions, the last one first. times: of iot_times_under() under the change. malloc'ed.
uint32_t *iot_path_under(const wait_graph *g, const wait_change *change, const double *times,
                         uint32_t *ret_n);

// What the second change may spare on this path, about: the sum of what each step gains while all others stay
// as they are, of one that is changed at least what it takes. Of a long path some thousand steps are looked at.
double iot_spared_on_path(const wait_graph *g, const wait_change *first, const wait_change *second,
                          const double *times, const uint32_t *path, uint32_t n);

#endif
