// SPDX-License-Identifier: MIT
//
// Sampling: a file with what each worker did at regular times, of a plain run.
#ifndef FLENG_SAMPLES_H
#define FLENG_SAMPLES_H

#include "fleng/reader/source.h"
#include "vm/run.h"

typedef struct fl_sampler fl_sampler;

// every: nanoseconds. NULL and *ret_error (malloc'ed) if the file cannot be created.
fl_sampler *fl_sampler_create(const char *path, const fl_program *p, uint32_t workers, uint64_t every,
                              char **ret_error);
vm_states *fl_sampler_states(fl_sampler *f);
// Before and after the run, in the thread that runs it. Between them the file grows.
void fl_sampler_begin(fl_sampler *f);
void fl_sampler_end(fl_sampler *f);
// Completes the file. status: exit status of the run.
bool fl_sampler_finish(fl_sampler *f, vm_ending ending, int status, const char *message,
                       char **ret_error);

#endif
