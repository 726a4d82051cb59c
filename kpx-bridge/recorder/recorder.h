// SPDX-License-Identifier: MIT
//
// What the recorders share (libkpx-log.so, loaded into the recorded program): the logs of its
// threads. See kpx-bridge/log.h for the files. Configured by the environment:
//
//   KPX_LOG      the folder; without it nothing is recorded
//   KPX_EVENTS   events kept per thread (default 4194304: 128 MB); the rest is only counted
//
// Everything here may be called by any thread at any time, before main and after exit as well.
#ifndef KPX_RECORDER_H
#define KPX_RECORDER_H

#include <stdbool.h>
#include <time.h>

#include "kpx-bridge/log.h"

// The calling thread's log. `next` runs from the first free event to `end`, the end of what is
// mapped; both are NULL until the first event and while nothing is kept.
typedef struct {
    kpx_event *next, *end;
    kpx_header *header;
} kpx_thread;

extern __thread kpx_thread kpx_log __attribute__((tls_model("initial-exec")));

// Makes room for one more event; false if it is not to be kept.
bool kpx_make_room(void);

static inline uint64_t kpx_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void kpx_put_at(uint64_t time, kpx_kind kind, uint16_t flags, uint32_t value,
                              uint64_t a, uint64_t b)
{
    kpx_thread *log = &kpx_log;
    if (__builtin_expect(log->next == log->end, 0) && !kpx_make_room())
        return;
    *log->next++ = (kpx_event){time, (uint16_t)kind, flags, value, a, b};
    __atomic_store_n(&log->header->seen, log->header->seen + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&log->header->kept, log->header->kept + 1, __ATOMIC_RELEASE);
}

static inline void kpx_put(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    kpx_put_at(kpx_now(), kind, flags, value, a, b);
}

bool kpx_is_recording(void); // whether there is a folder for logs at all

// A line `key value` for PID.process.
void kpx_note(const char *key, const char *value);

#endif
