// SPDX-License-Identifier: MIT
//
// `-profile`: writes the figures of a run by module to a file.
#ifndef FLENG_PROFILE_H
#define FLENG_PROFILE_H

#include "fleng/ir.h"
#include "profiler/trace.h"
#include "vm/run.h"

typedef struct fl_profiler fl_profiler;

// NULL and *ret_error (malloc'ed) if the file cannot be created.
fl_profiler *fl_profiler_create(const char *path, const fl_program *p, const vm_program *code,
                                char **ret_error);
vm_profile *fl_profiler_figures(fl_profiler *f); // for the machine, which fills it
// Completes the file and frees f. status: exit status of the run.
bool fl_profiler_finish(fl_profiler *f, vm_machine *m, vm_ending ending, int status,
                        const char *message, char **ret_error);

#endif
