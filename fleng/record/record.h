// SPDX-License-Identifier: MIT
//
// Recording: the engine's events become a trace file.
#ifndef FLENG_RECORD_H
#define FLENG_RECORD_H

#include "fleng/reader/source.h"
#include "profiler/trace_writer.h"
#include "vm/run.h"

typedef struct fl_recorder fl_recorder;

typedef struct {
    uint64_t limit;      // bytes the trace may grow to; 0: any number
    const char *modules; // that are recorded in full, with commas between them; NULL: all
} fl_record_options;

// NULL and *ret_error (malloc'ed) if the file cannot be created. A real run gives the number of
// workers and of machines (threads), an ideal run 0, 0. `o` says how much is recorded.
fl_recorder *fl_recorder_create(const char *path, const fl_program *p, const vm_program *code,
                                uint32_t workers, uint32_t machines, const fl_record_options *o,
                                char **ret_error);
vm_recorder *fl_recorder_interface(fl_recorder *r);
// Of a real run: for what its workers do when, as vm_options wants it; else NULL. Who runs the machine begins
// and ends it (vm/states.h).
vm_states *fl_recorder_states(fl_recorder *r);
// Before the run: the recorder will get the events of m.
void fl_recorder_begin(fl_recorder *r, vm_machine *m);
// Adds the suspended goals and completes the file. status: exit status of the run.
bool fl_recorder_finish(fl_recorder *r, vm_machine *m, vm_ending ending, int status,
                        const char *message, char **ret_error);
// For a real run that ends because its process must: the file has all reductions so far, and no end.
void fl_recorder_leave(fl_recorder *r, vm_machine *m);
// What the finished trace would have had without its size limit; all 0 if it is complete. Valid as
// long as r.
const trace_cut *fl_recorder_cut(const fl_recorder *r);

// The ending of a run as a trace names it, and the program's text in the trace.
trace_ending fl_trace_ending(vm_ending ending);
void fl_write_sources(tw *w, const fl_program *p);

#endif
