// SPDX-License-Identifier: MIT
//
// A growing text (private to iotree/).
#ifndef IOTREE_TEXT_H
#define IOTREE_TEXT_H

#include "iotree/graph/model.h"

typedef struct {
    char *text; // not terminated
    size_t n, capacity;
} text;

static inline void text_add(text *s, const char *more, size_t length)
{
    if (s->capacity - s->n < length) {
        s->capacity = 2 * s->capacity + length + 32;
        s->text = iot_grow(s->text, s->capacity, 1);
    }
    if (length)
        memcpy(s->text + s->n, more, length);
    s->n += length;
}

static inline void text_add_string(text *s, const char *more)
{
    text_add(s, more, strlen(more));
}

// Terminates it; the caller owns the result.
static inline char *text_finish(text *s)
{
    text_add(s, "", 1);
    return s->text;
}

#endif
