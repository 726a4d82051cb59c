// SPDX-License-Identifier: MIT
//
// The clock of real runs (private to vm/). A reduction takes less time than the system's clock needs
// to be read, so ticks are those of the processor's counter, where the system itself uses it as its
// clock. What a tick is worth is known when the ticks are written.
#ifndef VM_CLOCK_H
#define VM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

typedef struct {
    bool counter;  // ticks are the processor's; otherwise nanoseconds
    int64_t began; // ticks
    int64_t nanoseconds; // at that moment, on the monotonic clock
} vm_clock;

static inline int64_t vm_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t vm_ticks_of(bool counter)
{
#if defined __x86_64__
    if (counter)
        return (int64_t)__rdtsc();
#endif
    (void)counter;
    return vm_nanoseconds();
}

// Ticks since the clock began.
static inline int64_t vm_clock_now(const vm_clock *c)
{
    return vm_ticks_of(c->counter) - c->began;
}

vm_clock vm_clock_begin(void);
// Nanoseconds of one tick, as measured since the clock began.
double vm_clock_tick(const vm_clock *c);

#endif
