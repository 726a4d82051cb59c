// SPDX-License-Identifier: MIT
//
// Memory: the one allocation seam. All terms, goals and code live in the collected heap (Boehm GC).
// No function here returns NULL: a run that reaches the limit fails, anything else ends the
// process.
#ifndef VM_MEMORY_H
#define VM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void vm_memory_init(void);
void vm_memory_for_worker(unsigned number); // which begins to allocate beside others
void *vm_alloc(size_t bytes);        // zeroed, scanned
void *vm_alloc_atomic(size_t bytes); // not zeroed, holds no pointers
void vm_free(void *p); // at once what the collector would find to be free later; NULL: nothing
void vm_memory_limit(size_t bytes);  // of the heap; a run that needs more fails (FAIL_MEMORY). 0: none
// What comes now takes that much at once. A run that may not have it fails here, and not after the minutes
// that computing a large number takes.
void vm_memory_admit(size_t bytes);
// The collections so far, which stop the run: how many, and nanoseconds.
typedef struct {
    uint64_t count, total, longest;
} vm_memory_pauses;
vm_memory_pauses vm_memory_get_pauses(void);
// `told` is called when a collection begins, and when it is over and all threads run again; with the
// collector's lock held. NULL: nobody is told.
void vm_memory_on_collection(void (*told)(void *data, bool begins), void *data);
size_t vm_memory_used(void); // bytes in use or not yet collected; for signal handlers, too
void vm_gc_stress(unsigned every);   // collect at every Nth allocation; 0: off

#endif
