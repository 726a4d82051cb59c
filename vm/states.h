// SPDX-License-Identifier: MIT
//
// What the workers of a run do: run goals, look for some, sleep, or stand still while garbage is collected.
// Each change is noted when it happens, so nobody has to look at regular times: what a worker did at each
// of these times is known afterwards.
//
// Sample k is of the time k * every, from 0 on. Samples become *due* as the run goes on; who takes them
// may be another thread than the workers.
#ifndef VM_STATES_H
#define VM_STATES_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    STATE_BUSY,
    STATE_LOOKING,    // it has no goal, and is awake for one
    STATE_IDLE,       // it sleeps, waits for input, or has no thread yet
    STATE_COLLECTING, // it is stopped, and was not idle
} vm_state;

// Successive samples with one state are a run: their number * 4 + the state.
typedef ARRAY_OF(uint64_t) vm_state_runs;

// How many goals of a worker were ready at a sample.
typedef struct {
    uint64_t sample;
    uint32_t goals;
} vm_ready_count;
typedef ARRAY_OF(vm_ready_count) vm_ready_counts;

typedef struct vm_states vm_states;

// every: nanoseconds, at least 1. All workers are idle.
vm_states *vm_states_create(uint32_t workers, uint64_t every);
// The run begins: its first worker is the calling thread, and busy.
void vm_states_begin(vm_states *s);
// In the same thread: the run is over, and with it all other threads of workers. Nothing is noted any more.
void vm_states_end(void);
void vm_states_destroy(vm_states *s); // NULL: nothing

uint64_t vm_states_due(vm_states *s); // samples of each worker until now, or until the end; at least one
// Moves a worker's samples up to number `until`, which was due, to *ret, an empty array.
void vm_states_take(vm_states *s, uint32_t worker, uint64_t until, vm_state_runs *ret);

// Moves what was noted of the worker's ready goals to *ret, an empty array. Of very many notes every second,
// fourth ... is kept.
void vm_states_take_ready(vm_states *s, uint32_t worker, vm_ready_counts *ret);
// Nanoseconds of the monotonic clock when the run began.
uint64_t vm_states_began(const vm_states *s);

// ---- For the engine ---------------------------------------------------------------------------

// The calling thread is this worker from now on. s: NULL where nobody wants samples.
void vm_states_join(vm_states *s, uint32_t worker);
// The state of the calling worker from now on; returns the one before.
vm_state vm_state_enter(vm_state state);
// The calling worker has so many ready goals now.
void vm_state_note_ready(uint32_t goals);

#endif
