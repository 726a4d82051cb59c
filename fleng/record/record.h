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

// NULL and *ret_error (malloc'ed) if the file cannot be created. Of a real run: how many workers,
// and on how many machines (threads); 0, 0: of an ideal one. What it records, and how much: see
// options.
fl_recorder *fl_recorder_create(const char *path, const fl_program *p, const vm_program *code,
                                uint32_t workers, uint32_t machines, const fl_record_options *o,
                                char **ret_error);
vm_recorder *fl_recorder_interface(fl_recorder *r);
// Before the run: m will be told to it.
void fl_recorder_begin(fl_recorder *r, vm_machine *m);
// Adds what is left waiting, completes the file. status: exit status of the run.
bool fl_recorder_finish(fl_recorder *r, vm_machine *m, vm_ending ending, int status,
                        const char *message, char **ret_error);
// Of a trace that is finished, and not for longer than r was: what it would have had without the
// limit. All 0: it has everything.
const trace_cut *fl_recorder_cut(const fl_recorder *r);

// What a trace says of how a run ended, and the program's text in it.
trace_ending fl_trace_ending(vm_ending ending);
void fl_write_sources(tw *w, const fl_program *p);

#endif
