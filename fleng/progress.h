// SPDX-License-Identifier: MIT
#ifndef FLENG_PROGRESS_H
#define FLENG_PROGRESS_H

#include "vm/run.h"

// From now on SIGUSR1 writes a line on standard error: how far this machine is.
void fl_tell_progress_of(const vm_machine *m);

#endif
