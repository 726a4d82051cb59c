// SPDX-License-Identifier: MIT
//
// What the files that make findings share. Findings of Fleng programs and of measured runs have
// nothing else in common.
#ifndef IOTREE_FINDINGS_H
#define IOTREE_FINDINGS_H

#include "iotree/graph/model.h"

void iot_add_finding(iot *a, iot_finding f);
// Rounded, but never to "all" or "none" when that is not so.
int iot_percent(uint64_t part, uint64_t whole);
// "3.1 ms". malloc'ed.
char *iot_time_text(uint64_t nanoseconds);

// Appends the findings of a Fleng program, of a measured run, and of dropped events.
void iot_say_fleng(iot *a);
void iot_say_measured(iot *a);
void iot_say_dropped(iot *a);

void iot_ensure_unneeded(iot *a); // late_aliases.c
void iot_ensure_findings(iot *a);

#endif
