// SPDX-License-Identifier: MIT
//
// What the recorders share (libkpx-log.so, loaded into the recorded program): the logs of its
// threads. See kpx-bridge/log/log.h for the files. Configured by the environment:
//
//   KPX_LOG      the folder; without it nothing is recorded
//   KPX_EVENTS   events kept per thread (default 4194304: 128 MB); the rest is only counted
//   KPX_PAUSED   nothing is recorded until the program calls kpx_start() (kpx-bridge/kpx.h)
//   KPX_REGIONS  chosen parallel regions, each FILE:LINE, FILE or FUNCTION, parted by newlines
//   KPX_WITHOUT  kinds of events that are left out: chunks, locks, tasks, polls; parted by commas
//
// Everything here may be called by any thread at any time, before main and after exit as well.
// No file is kept open: programs close what they did not open.
#ifndef KPX_RECORDER_H
#define KPX_RECORDER_H

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "kpx-bridge/log/log.h"

// The calling thread's log. `next` runs from the first free event to `end`, the end of what is
// mapped; both are NULL until the first event and while nothing is kept.
typedef struct {
    kpx_event *next, *end;
    kpx_header *header;
} kpx_thread;

extern __thread kpx_thread kpx_log __attribute__((tls_model("initial-exec")));

// The beginning of what LLVM's compilers hand to every call of the OpenMP runtime: where it stands
// in the source, as ;FILE;FUNCTION;LINE;COLUMN;;
typedef struct {
    int32_t reserved[4];
    const char *source;
} kpx_ident;

// The call that the thread made last: that, and where it returns to (idents.c). `lower` and `upper`
// are the fifth and sixth argument, which of __kmpc_for_static_init_4() are the first and the last
// iteration that the thread gets. Programs of gcc have no ident; `body` is the function that gcc
// has made of the inside of a region or a task.
typedef struct {
    const kpx_ident *ident; // or NULL
    const void *address;
    const int32_t *lower, *upper;
    const void *body; // or NULL
} kpx_omp_place;

extern __thread kpx_omp_place kpx_omp_call __attribute__((tls_model("initial-exec")));

// The text of the call that returns to the address, if it is that one and compiled by flang, or
// NULL. flang names no files; its debug information has other lines than those, that of others
// suffices.
static inline const char *kpx_omp_by_flang(const void *address)
{
    static const char start[] = ";FIRModule;";
    const kpx_ident *i = kpx_omp_call.address == address ? kpx_omp_call.ident : NULL;
    return i && i->source && strncmp(i->source, start, sizeof start - 1) == 0 ? i->source : NULL;
}

static inline const void *kpx_omp_body(const void *address)
{
    return kpx_omp_call.address == address ? kpx_omp_call.body : NULL;
}

// Whether the process is recorded now: kpx_start() and kpx_stop() change it.
extern bool kpx_active;

// Makes room for one more event; false if it is not to be kept.
bool kpx_make_room(void);

static inline uint64_t kpx_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Written down even while the process is not recorded: what the meaning of later events rests on.
static inline void kpx_put_at(uint64_t time, kpx_kind kind, uint16_t flags, uint32_t value,
                              uint64_t a, uint64_t b)
{
    kpx_thread *log = &kpx_log;
    if (__builtin_expect(log->next == log->end, 0) && !kpx_make_room())
        return;
    *log->next++ = (kpx_event){time, (uint16_t)kind, flags, value, a, b};
    __atomic_store_n(&log->header->kept, log->header->kept + 1, __ATOMIC_RELEASE);
}

static inline void kpx_put_always(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a,
                                  uint64_t b)
{
    kpx_put_at(kpx_now(), kind, flags, value, a, b);
}

static inline void kpx_put(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    if (__atomic_load_n(&kpx_active, __ATOMIC_RELAXED))
        kpx_put_always(kind, flags, value, a, b);
}

bool kpx_is_recording(void); // whether there is a folder for logs at all

bool kpx_is_without(const char *kind); // whether KPX_WITHOUT names it

// What a recorder did until now is no part of the program, unless something is recorded already.
void kpx_begin_now(void);

// A line `key value` for the file of the process.
void kpx_note(const char *key, const char *value);
// Something that the user should know. A recorder never prints in the program's name: the bridge
// finds it in the log and says it.
void kpx_complain(const char *text);
// What an environment variable says, `otherwise` if it is not set. One that is no number is
// complained of in the log and counts as not set.
uint64_t kpx_number_from(const char *variable, uint64_t otherwise);

// What kpx.h calls, found by name.
void kpx_recorder_start(void);
void kpx_recorder_stop(void);

#endif
