// SPDX-License-Identifier: MIT
//
// What `paf report` says of measured runs alone.
#ifndef PAF_REPORT_MEASURED_H
#define PAF_REPORT_MEASURED_H

#include <jansson.h>

#include "iotree/iotree.h"

// How long it took, and what the times of the tables are.
void report_clock(const iot *a, iot_clock clock);
// In what was waited, how long, and what for.
void report_waiting(const iot *a);
json_t *report_waiting_json(const iot *a);

#endif
