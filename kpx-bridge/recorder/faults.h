// SPDX-License-Identifier: MIT
//
// Faults that end the program (libkpx-log.so).
#ifndef KPX_RECORDER_FAULTS_H
#define KPX_RECORDER_FAULTS_H

enum { KPX_FAULT_WORDS = 64 }; // of the stack, which are noted

// From now on faults are noted, unless the program ignores them. Libraries that have seen to them since are
// asked afterwards.
void kpx_watch_faults(void);
// Before a library looks whether anybody else sees to them.
void kpx_ignore_faults(void);

#endif
