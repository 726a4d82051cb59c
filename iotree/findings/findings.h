// SPDX-License-Identifier: MIT
//
// What the files that make findings share (private to iotree/).
#ifndef IOTREE_FINDINGS_H
#define IOTREE_FINDINGS_H

#include "iotree/graph/model.h"

void iot_add_finding(iot *a, iot_finding f);
// Rounded, but never to "all" or "none" when that is not so.
int iot_percent(uint64_t part, uint64_t whole);
// "3 steps"; of a measured run "3.1 ms". malloc'ed.
char *iot_duration(const iot *a, uint64_t steps);

void say_measured(iot *a);
void say_losses(iot *a);

#endif
