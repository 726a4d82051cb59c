// SPDX-License-Identifier: MIT
#ifndef PAF_REPORT_TOTALS_H
#define PAF_REPORT_TOTALS_H

#include "paf/commands/command.h"
#include "paf/model/totals.h"

// The whole report of a trace that has totals and no history; false if it could not be written.
bool report_totals(const trace *t, bool json, bool csv);
// The part of a report that is about totals: below one of a history, as text or as a value.
// finding: it begins with what stands out.
void report_totals_text(const trace *t, const trace_totals *totals, bool finding);
json_t *report_totals_json(const trace *t, const trace_totals *totals);

#endif
