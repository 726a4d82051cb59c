// SPDX-License-Identifier: MIT
//
// Heaps of the simulation: tasks by age, and tasks by time.
#ifndef IOTREE_PROCESSORS_QUEUES_H
#define IOTREE_PROCESSORS_QUEUES_H

#include "base/array.h"

#include <stdint.h>

// The smallest key comes first. `value` goes along.
typedef struct {
    int64_t key;
    uint32_t value;
} queued;

typedef struct {
    ARRAY_OF(queued) of;
} queue;

static inline void queue_push(queue *q, int64_t key, uint32_t value)
{
    ARRAY_PUSH(q->of, (queued){key, value});
    queued *at = q->of.at;
    size_t i = q->of.n - 1;
    for (; i > 0 && at[(i - 1) / 2].key > key; i = (i - 1) / 2)
        at[i] = at[(i - 1) / 2];
    at[i] = (queued){key, value};
}

static inline queued queue_pop(queue *q)
{
    queued *at = q->of.at, top = at[0], last = at[--q->of.n];
    size_t i = 0, n = q->of.n;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && at[child + 1].key < at[child].key)
            child++;
        if (at[child].key >= last.key)
            break;
        at[i] = at[child];
    }
    at[i] = last;
    return top;
}

#endif
