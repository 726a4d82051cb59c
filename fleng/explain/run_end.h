// SPDX-License-Identifier: MIT
//
// Says how a run ended: the failed goal and why it failed, or the goals that wait and their causes.
#ifndef FLENG_RUN_END_H
#define FLENG_RUN_END_H

#include "fleng/explain/report.h"
#include "vm/run.h"

// Writes what ended the run, unless it ended normally or by halt. The first line by itself is put
// to *ret_message (in the collected heap). Returns the exit status.
int fl_report_run_end(fl_report_context *c, vm_ending ending, const char **ret_message);

#endif
