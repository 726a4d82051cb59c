// SPDX-License-Identifier: MIT
//
// A thread that writes what a program has printed, a twentieth of a second later, however busy
// the program is (private to vm/). Whoever changes a buffer that the thread writes holds the lock.
#ifndef VM_FLUSHER_H
#define VM_FLUSHER_H

typedef struct vm_flusher vm_flusher;

// write(data) writes the buffers. It runs with the lock held. NULL: there is no lock either.
vm_flusher *vm_flusher_create(void (*write)(void *data), void *data);
void vm_flusher_lock(vm_flusher *f);
void vm_flusher_unlock(vm_flusher *f);
// Something is in a buffer that was empty. The lock is held.
void vm_flusher_wake(vm_flusher *f);
// The thread ends. Nobody holds the lock.
void vm_flusher_stop(vm_flusher *f);

#endif
