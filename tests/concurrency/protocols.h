// SPDX-License-Identifier: MIT
//
// The scenarios of protocols.c, and what they share.
#ifndef PROTOCOLS_H
#define PROTOCOLS_H

#include "model.h"

#include "vm/engine/machine.h"

enum { WORKERS = 4 };

// A team of n workers without a program, and goals for it.
void use_priorities(bool has_priorities); // in the teams that are made
void make_team(unsigned n);
extern vm_machine *worker[WORKERS];
vm_goal *new_goal(unsigned of_worker, uint32_t id);
vm_var *new_variable(unsigned of_worker);
void suspend_on(unsigned on_worker, vm_goal *goal, vm_var *a, vm_var *b); // b may be NULL
// Takes all goals out of all queues, and fails unless those with ids 1..n are there once, others
// not.
void expect_ready(unsigned n);
void expect(bool condition, const char *what);
int64_t total_suspended(void);

// bind
void bind_two_variables(void);
void bind_while_suspending(void);
void bind_moves(void);
void bind_stale_record(void);
void bind_two_goals(void);
void bind_sweeps(void);
void bind_twice(void);
void bind_own_and_others(void);
void bind_crosswise(void);
void bind_circle(void);
void bind_alias_waited_for(void);
// team
void team_ends(void);
void team_gives(void);
void team_gives_on(void);
void team_of_three(void);
void team_priorities(void);
void team_begins_late(void);
void team_begins_later(void);
void team_without_thread(void);
void team_with_one_thread(void);

#endif
