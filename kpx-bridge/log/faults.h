// SPDX-License-Identifier: MIT
//
// Which signal ended a process, and where it was then.
#ifndef KPX_LOG_FAULTS_H
#define KPX_LOG_FAULTS_H

#include <stdbool.h>

#include "kpx-bridge/log/read_log.h"

// SIGSEGV (Segmentation fault); all texts here are malloc'ed.
char *kpx_name_of_signal(int number);
// Of an exit status as shells make it; NULL: it stands for no signal.
char *kpx_signal_of_status(int status);

// Whether the process ended by a fault that it noted.
bool kpx_has_fault(const kpx_process_log *p);
// The signal and the place: SIGSEGV (Segmentation fault) in heat.c:31
char *kpx_tell_fault(const kpx_process_log *p);

void kpx_fault_parse(kpx_fault *f, const char *text);

#endif
