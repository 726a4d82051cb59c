// SPDX-License-Identifier: MIT
//
// Between the parts of the checker.
#ifndef MODEL_PRIVATE_H
#define MODEL_PRIVATE_H

#include "model.h"

enum {
    THREADS = 6,
    PROCESSES = 2 * THREADS, // threads, then their store buffers
    STEPS = 20000,           // an execution with more has no end
};

// ---- Operations: at each a thread stops before it carries it out (model.c) ---------------------

typedef enum {
    AT_LOAD,
    AT_STORE, // carried out at once: sequentially consistent, or there are no buffers
    AT_CHANGE, // read and write in one
    AT_FLUSH, // of a buffer: its oldest store
    AT_LOCK,
    AT_UNLOCK,
    AT_WAIT,   // gives the mutex back and sleeps
    AT_SIGNAL,
    AT_START,
    AT_JOIN,
    AT_END,
} op_kind;

typedef struct {
    op_kind kind;
    uintptr_t place;  // what it touches
    uintptr_t second; // AT_WAIT: the mutex; AT_LOAD: not 0: waits until the value changes
    uintptr_t from;   // where in the code (for addr2line)
} operation;

// A place in the code as addr2line takes it.
static inline uintptr_t model_code(const void *address)
{
    extern const char __executable_start[];
    return (uintptr_t)address - (uintptr_t)__executable_start;
}

bool model_is_local(uintptr_t place); // to a system thread
bool model_is_running(void); // a thread of the scenario, not the checker itself
unsigned model_thread(void); // which
void model_stop_at(operation op);
// What the thread that runs loaded: a loop that waits (model_yield) waits for it to change.
void model_saw(const volatile void *place, unsigned size, uint64_t value);
int model_yield(void);

// ---- Memory as C11 has it: who may see what, and data races (race.c) ---------------------------

typedef struct {
    uint32_t of[THREADS];
} vector_clock;

void race_reset(void);
void race_start(unsigned parent, unsigned child);
void race_join(unsigned parent, unsigned child);
// What the thread passes on by a mutex, and gets from one.
void race_release(unsigned thread, uintptr_t place);
void race_acquire(unsigned thread, uintptr_t place);

typedef struct {
    uintptr_t place;
    unsigned size;
    bool reads, writes, atomic;
    int order; // of atomic ones
    uintptr_t from;
} memory_access;

// Fails if it is part of a race.
void race_access(unsigned thread, const memory_access *access);
// A store that is seen later: taken note of when it is issued, here, and when it is seen.
vector_clock race_issue(unsigned thread, const memory_access *access);
void race_seen(uintptr_t place, const vector_clock *issued);
// Puts a store into the buffer of the thread that runs; false: there are none.
bool model_buffer(const memory_access *access, uint64_t value);
// The newest value that this thread's buffer has for the place; false: none.
bool model_buffered(uintptr_t place, uint64_t *ret);

#endif
