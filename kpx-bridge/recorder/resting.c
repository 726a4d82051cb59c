// SPDX-License-Identifier: MIT
//
// A stack of logs. Its top has a count of all changes, so that a thread that was interrupted while it took
// the top does not take it for unchanged when others have come and gone meanwhile.
#include "kpx-bridge/recorder/resting.h"

#include <stddef.h>

enum { LOGS = 65536 };

static struct {
    uint64_t top; // changes << 32 | number of the log + 1; 0 there: the stack is empty
    kpx_header *logs[LOGS];
    uint32_t below[LOGS]; // number + 1
} resting;

static uint64_t with_top(uint64_t before, uint32_t top)
{
    return ((before >> 32) + 1) << 32 | top;
}

bool kpx_let_rest(kpx_header *header)
{
    uint32_t number = header->thread;
    if (number >= LOGS)
        return false;
    resting.logs[number] = header;
    uint64_t top = __atomic_load_n(&resting.top, __ATOMIC_ACQUIRE);
    do
        __atomic_store_n(&resting.below[number], (uint32_t)top, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&resting.top, &top, with_top(top, number + 1), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
    return true;
}

kpx_header *kpx_take_resting(void)
{
    uint64_t top = __atomic_load_n(&resting.top, __ATOMIC_ACQUIRE);
    uint32_t number, below;
    do {
        number = (uint32_t)top;
        if (number == 0)
            return NULL;
        below = __atomic_load_n(&resting.below[number - 1], __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&resting.top, &top, with_top(top, below), true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    return resting.logs[number - 1];
}

void kpx_forget_resting(void)
{
    resting.top = 0;
}
