// SPDX-License-Identifier: MIT
//
// The parts of `paf report`, each as text, as JSON and as CSV where it has them.
#ifndef PAF_REPORT_H
#define PAF_REPORT_H

#include "paf/commands/command.h"
#include "profiler/totals.h"

// Are these the times of a run of Fleng as it ran?
bool paf_is_as_it_ran(const iot *a, iot_clock clock);
// Before a part for people.
void paf_report_heading(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Notes and findings. all: those that save little, too.
json_t *paf_report_notes_json(const iot *a);
json_t *paf_report_findings_json(const iot *a, bool all);
json_t *paf_report_together_json(const iot *a);
void paf_report_notes_text(const iot *a);
void paf_report_findings_text(const iot *a, bool all);
// What the findings of a report for so many processors compare with.
void paf_report_processors_text(const iot *a, int64_t processors);

// Modules, and P(t) of all of them and of each, as sums over buckets of so many steps.
int64_t paf_report_bucket(const iot *a, iot_clock clock);
void paf_report_modules_json(const iot *a, iot_clock clock, json_t *root);
void paf_report_modules_text(const iot *a, iot_clock clock);
void paf_report_modules_csv(const iot *a, iot_clock clock);
void paf_report_series_csv(const iot *a, iot_clock clock);

// The critical path with its cycles; dependencies between modules; aliases that come late. As CSV all
// three.
json_t *paf_report_critical_json(const iot *a);
json_t *paf_report_cycles_json(const iot *a);
json_t *paf_report_dependencies_json(const iot *a, iot_clock clock);
json_t *paf_report_unneeded_json(const iot *a);
void paf_report_critical_text(const iot *a);
void paf_report_dependencies_text(const iot *a, iot_clock clock);
void paf_report_unneeded_text(const iot *a);
void paf_report_paths_csv(const iot *a, iot_clock clock);

// What a measured run waited for.
json_t *paf_report_waiting_json(const iot *a);
void paf_report_waiting_text(const iot *a);

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
// What a real run did more than the ideal machine and waited for, each with its price.
json_t *paf_report_real_findings_json(const iot *a);
void paf_report_real_findings_text(const iot *a);
// What workers did, by real time.
json_t *paf_report_workers_json(const iot *a);
void paf_report_workers_text(const iot *a);
void paf_report_workers_csv(const iot *a);

// How much of its work each place had a processor. The text only if some waited for one, or `always`.
json_t *paf_report_processor_time_json(const iot *a);
void paf_report_processor_time_text(const iot *a, bool always);

// Which outputs to hasten first (iotree/simulate.h). Of a Fleng run.
json_t *paf_report_hasten_json(const iot *a);
void paf_report_hasten_text(const iot *a);

// Classes of reads on the critical path (iotree/prices.h).
json_t *paf_report_classes_json(const iot *a);
void paf_report_classes_text(const iot *a);
void paf_report_classes_csv(const iot *a);

#endif
