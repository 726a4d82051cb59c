// SPDX-License-Identifier: MIT
//
// SIGUSR1 asks for a line about the progress of a run.
#ifndef FLENG_PROGRESS_H
#define FLENG_PROGRESS_H

#include "vm/run.h"

// From now on SIGUSR1 writes a line about this machine to standard error.
void fl_tell_progress_of(const vm_machine *m);

// The same line, at once, and how much memory the process had at most.
void fl_tell_how_far(const vm_machine *m);

#endif
