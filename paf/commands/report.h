// SPDX-License-Identifier: MIT
//
// The parts of `paf report` that have files of their own: flat profiles of routines, loops and I/O
// (totals), profiles that were counted without a history, and samples.
#ifndef PAF_REPORT_H
#define PAF_REPORT_H

#include "paf/commands/command.h"
#include "profiler/totals.h"

// The report of a file that is a profile.
void paf_report_profile(const trace *t, bool json, bool csv);

// The report of a file that has samples.
void paf_report_samples(const trace *t, bool json, bool csv);

// The whole report of a trace that has totals and no history.
void paf_report_totals(const trace *t, bool json, bool csv);
// The part of a report about totals, which follows the part about the history. finding: begin with
// the most striking figure.
void paf_report_totals_text(const trace *t, const trace_totals *totals, bool finding);
json_t *paf_report_totals_json(const trace *t, const trace_totals *totals);

// Why the run took as long as it did, by real time.
json_t *paf_report_costs_json(const iot *a);
void paf_report_costs_text(const iot *a);
// What workers did, by real time.
json_t *paf_report_workers_json(const iot *a);
void paf_report_workers_text(const iot *a);
void paf_report_workers_csv(const iot *a);

// Which outputs to hasten first (iotree/simulate.h). Of a Fleng run.
json_t *paf_report_hasten_json(const iot *a);
void paf_report_hasten_text(const iot *a);

// Classes of reads on the critical path (iotree/prices.h).
json_t *paf_report_classes_json(const iot *a);
void paf_report_classes_text(const iot *a);
void paf_report_classes_csv(const iot *a);

#endif
