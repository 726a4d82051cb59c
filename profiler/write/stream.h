// SPDX-License-Identifier: MIT
//
// Records on their way from the producer (the thread that reduces goals) to the consumer (the
// encoder). They are collected in a few large buffers:
//
//   producer  ->  [filled][filled][ being filled ]  ->  consumer, in the order they were filled
//
// On a machine with several processors a thread is started when the first buffer is full. Before
// that, and on a machine with one processor, the producer runs the consumer itself when a buffer is
// full or trace_stream_drain() is called. The records and their order are the same in both cases.
// The producer waits while all buffers are full.
#ifndef PROFILER_STREAM_H
#define PROFILER_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/trace_writer.h"

#define STREAM_BUFFERS 4
#define STREAM_WORDS   (1u << 16) // of a buffer, unless a single record is longer
#define STREAM_FIRST   (1u << 13) // of the first: a run killed early leaves a trace too

typedef struct {
    uint64_t *words;
    size_t n, capacity; // n: once it is filled
} stream_buffer;

typedef struct {
    // Whole records, which it may change.
    void (*consume)(void *data, uint64_t *words, size_t n);
    void *data;
    stream_buffer buffers[STREAM_BUFFERS];
    unsigned filling; // the producer's buffer
    tw_room room;     // what is free in it
    bool tried, threaded;
    pthread_t thread;
    pthread_mutex_t lock; // of all below
    pthread_cond_t changed;
    unsigned nfilled; // buffers before `filling` that are not yet empty
    bool ended;
} stream;

void trace_stream_init(stream *s, void (*consume)(void *, uint64_t *, size_t), void *data);
void trace_stream_finish(stream *s); // what was not drained is lost

// Room for a record of n words; NULL without memory. It counts once it is added.
uint64_t *trace_stream_room_slowly(stream *s, size_t n);

static inline uint64_t *stream_room(stream *s, size_t n)
{
    if (__builtin_expect(n <= (size_t)(s->room.end - s->room.at), 1))
        return s->room.at;
    return trace_stream_room_slowly(s, n);
}

static inline void stream_add(stream *s, size_t n)
{
    s->room.at += n;
}

// Returns when everything added was consumed. Until the next record is added the consumer's data
// are the caller's.
void trace_stream_drain(stream *s);

#endif
