// SPDX-License-Identifier: MIT
//
// Between the threads of a scenario (threads.c) and who chooses which goes on (explore.c). A
// process is a thread (0 .. THREADS-1) or the store buffer of one (THREADS + its number).
#ifndef THREADS_H
#define THREADS_H

#include "model_private.h"

#include <stdarg.h>

void threads_begin(void (*scenario)(void *data), void *data, bool buffers);
void threads_keep_memory(void); // what was allocated so far stays for all executions
bool threads_can_go_on(unsigned process);
bool threads_pending(unsigned process, operation *ret); // false: nothing
unsigned threads_issued(unsigned process); // of a buffer: the step that issued its oldest store
void threads_step(unsigned process, unsigned number); // one operation, and on to the next
bool threads_all_ended(void);
const char *threads_failed(void); // why; NULL: nothing was wrong so far

// The step under way made it possible for the thread to go on.
void model_woke(unsigned thread);

// What is local to a system thread, for each coroutine (scenarios that have such things set them).
void model_switch_to(unsigned thread);
void model_switch_from(unsigned thread);
void model_forget_locals(void);

#endif
