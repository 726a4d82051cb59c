// SPDX-License-Identifier: MIT
//
// Runs with several workers (private to vm/): a thread and a machine for each worker of a team.
// What workers give each other and when they sleep is in vm/schedule/team.h.
#ifndef VM_WORKERS_H
#define VM_WORKERS_H

#include "vm/engine/loop_entry.h"

// Makes the machines of the other workers and a team of all; `first` is the first worker.
void vm_workers_create(vm_machine *first);
// Runs all workers, the first on this thread, until the run is over. first->end.by is then the
// worker whose failure or halt ended it.
vm_outcome vm_workers_run(vm_machine *first);

#endif
