// SPDX-License-Identifier: MIT
//
// Groups are made when they are full.
#include "profiler/read/sequence.h"

#include <stdlib.h>

static sequence_width width_of(uint64_t distance)
{
    if (distance == 0)
        return WIDTH_0;
    if (distance <= UINT8_MAX)
        return WIDTH_1;
    if (distance <= UINT16_MAX)
        return WIDTH_2;
    return distance <= UINT32_MAX ? WIDTH_4 : WIDTH_8;
}

// Lays down the distances of the numbers in `rest`.
static void put_distances(uint8_t *to, const uint64_t *rest, sequence_width width)
{
    for (size_t i = 0; i < SEQUENCE_GROUP; i++) {
        uint64_t distance = rest[i] - rest[0];
        uint32_t four = (uint32_t)distance;
        uint16_t two = (uint16_t)distance;
        if (width == WIDTH_1)
            to[i] = (uint8_t)distance;
        else if (width == WIDTH_2)
            memcpy(to + 2 * i, &two, sizeof two);
        else if (width == WIDTH_4)
            memcpy(to + 4 * i, &four, sizeof four);
        else
            memcpy(to + 8 * i, &distance, sizeof distance);
    }
}

// `rest` is full: it becomes a group.
static bool close_group(sequence *s)
{
    static const uint8_t bytes[] = {0, 1, 2, 4, 8};
    sequence_width width = width_of(s->rest[SEQUENCE_GROUP - 1] - s->rest[0]);
    size_t nbytes = (size_t)bytes[width] * SEQUENCE_GROUP;
    if (!ARRAY_RESERVE(s->groups, 1) || !ARRAY_RESERVE(s->bytes, nbytes))
        return false;
    s->groups.at[s->groups.n++] =
        (sequence_group){.base = s->rest[0], .place = (uint64_t)s->bytes.n << 3 | width};
    if (width != WIDTH_0)
        put_distances(s->bytes.at + s->bytes.n, s->rest, width);
    s->bytes.n += nbytes;
    return true;
}

static inline bool push(sequence *s, uint64_t value)
{
    size_t i = s->n % SEQUENCE_GROUP;
    s->rest[i] = value;
    if (i == SEQUENCE_GROUP - 1 && !close_group(s))
        return false;
    s->n++;
    return true;
}

bool trace_sequence_append(sequence *s, const uint32_t *numbers, size_t n, uint64_t base)
{
    for (size_t i = 0; i < n; i++)
        if (!push(s, base + numbers[i]))
            return false;
    return true;
}

bool trace_sequence_append_times(sequence *s, const int64_t *times, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!push(s, (uint64_t)times[i]))
            return false;
    return true;
}

void trace_sequence_finish(sequence *s)
{
    free(s->groups.at);
    free(s->bytes.at);
    *s = (sequence){0};
}

bool trace_sequence_invert(const sequence *s, size_t n, sequence *ret)
{
    for (size_t place = 0; place < n; place++) {
        uint64_t end = sequence_get(s, place + 1 < n ? place + 1 : s->n - 1);
        while (ret->n < end)
            if (!push(ret, place))
                return false;
    }
    return true;
}
