// SPDX-License-Identifier: MIT
//
// Says how a run ended: the failed goal and why it failed, or the goals that wait and their causes.
#ifndef FLENG_RUN_END_H
#define FLENG_RUN_END_H

#include "fleng/explain/report.h"
#include "vm/run.h"

// Writes why the run ended, unless it ended normally or by halt, and returns the exit status. The
// first line alone is in *ret_message (on the collected heap).
int fl_report_run_end(fl_report_context *c, vm_ending ending, const char **ret_message);

#endif
