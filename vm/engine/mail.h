// SPDX-License-Identifier: MIT
//
// What a worker of a plain run asks of another one: to bind a variable, to run a goal that needs one,
// to hang a goal on one, to resume a goal (private to vm/). bind.h explains it.
#ifndef VM_MAIL_H
#define VM_MAIL_H

#include "vm/engine/loop_entry.h"

// The goal is in no queue; the other worker runs it, or suspends it.
void vm_send_goal(vm_machine *m, uint32_t to, vm_goal *goal);
void vm_send_hook(vm_machine *m, uint32_t to, vm_var *v, vm_goal *goal, uint64_t generation,
                  uint32_t home);
void vm_send_wake(vm_machine *m, uint32_t to, vm_goal *goal, uint64_t generation);
// Sends the bindings that m->abroad lists. If one fails the run ends with what is said here: by: a copy
// of the goal that reduced.
void vm_send_bindings(vm_machine *m, vm_goal *by, vm_origin where);

// Does what all letters say that are there. VM_CONTINUE, or why the run ends.
vm_outcome vm_read_mail(vm_machine *m);

#endif
