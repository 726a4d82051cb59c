// SPDX-License-Identifier: MIT
//
// Threads that use the collected heap (vm/memory.h).
#ifndef VM_THREAD_H
#define VM_THREAD_H

#include <pthread.h>
#include <stdbool.h>

// Starts a thread that may allocate and look at terms. It ends where it finds no memory within the
// limit of vm_memory_limit(). False: the thread could not be started.
bool vm_start_thread(pthread_t *ret, void (*work)(void *data), void *data);

#endif
