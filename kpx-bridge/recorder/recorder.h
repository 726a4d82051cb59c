// SPDX-License-Identifier: MIT
//
// What the recorders share (libkpx-log.so, loaded into the recorded program): the logs of its
// threads. kpx-bridge/log/log.h describes the files. The environment configures it:
//
//   KPX_LOG      the folder; without it nothing is recorded
//   KPX_EVENTS   how many events of a thread are kept (default 4194304: 128 MB); others are counted
//   KPX_PAUSED   nothing is recorded until the program calls kpx_start() (kpx-bridge/kpx.h)
//   KPX_REGIONS  chosen parallel regions, each FILE:LINE, FILE or FUNCTION, separated by newlines
//   KPX_CLOCK    cpu: each event has the processor time of its thread
//   KPX_WITHOUT  kinds of events to leave out: chunks, locks, tasks, polls; separated by commas
//
// Any thread may call any function here at any time, also before main and after exit.
//
// Recorders are guests in the program's process. They never print, never end the process, and rely on no
// open file (programs close descriptors that they did not open); the one that a thread keeps has a high
// number (log.c). kpx_complain() leaves a word in the log.
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
    uint64_t look_at; // when the thread's processor time is recorded again, at the earliest
} kpx_thread;

extern __thread kpx_thread kpx_log __attribute__((tls_model("initial-exec")));

// The beginning of the structure that LLVM's compilers pass to every call of the OpenMP runtime:
// `source` is the call's place, ;FILE;FUNCTION;LINE;COLUMN;;
typedef struct {
    int32_t reserved[4];
    const char *source;
} kpx_ident;

// The last call of the runtime by this thread, noted by idents.c: its ident and its return address.
// `lower` and `upper` are the fifth and sixth argument; for __kmpc_for_static_init_4() they point
// to the first and the last iteration of the thread. `body` is the function that the compiler made of
// the body of a region or a task. Programs of gcc have no ident.
typedef struct {
    const kpx_ident *ident; // or NULL
    const void *address;
    const int32_t *lower, *upper;
    const void *body; // or NULL
    bool stands_for_all; // this is the place of all events now (static_chunks.c)
} kpx_omp_place;

extern __thread kpx_omp_place kpx_omp_call __attribute__((tls_model("initial-exec")));

// From where to where the OpenMP runtime is in memory; both 0 until the runtime asks for its tool.
extern uintptr_t kpx_omp_code[2];

// Whether the compiler wrote a place into the ident (clang and flang do with -g).
static inline bool kpx_has_place(const kpx_ident *i)
{
    static const char unknown[] = ";unknown;";
    return i && i->source && strncmp(i->source, unknown, sizeof unknown - 1) != 0;
}

// The address that stands for the construct of the call that returns to `address`: its ident if that
// has a place, else its body, else the address itself. Optimisers make one call of two, and jumps of
// calls, so several constructs may have the same return address.
static inline const void *kpx_omp_construct(const void *address)
{
    const kpx_omp_place *call = &kpx_omp_call;
    if (call->stands_for_all)
        return call->address;
    if (!address || call->address != address)
        return address;
    return kpx_has_place(call->ident) ? call->ident : call->body ? call->body : address;
}

// Writes what is known of the construct as log.h says. Returns the key of that note; NULL: `construct`
// is a return address or not the last call's.
const char *kpx_omp_describe(const void *construct, char *text, size_t size);

// Whether recording is on now. kpx_start() and kpx_stop() change it.
extern bool kpx_active;

// Makes room for one more event, of this time. False: the event is dropped.
bool kpx_make_room(uint64_t time);

static inline uint64_t kpx_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Records an event even while recording is off, since the meaning of later events depends on it.
static inline void kpx_put_at(uint64_t time, kpx_kind kind, uint16_t flags, uint32_t value,
                              uint64_t a, uint64_t b)
{
    kpx_thread *log = &kpx_log;
    if (__builtin_expect(log->next == log->end, 0) && !kpx_make_room(time))
        return;
    *log->next++ = (kpx_event){time, (uint16_t)kind, flags, value, a, b};
    __atomic_store_n(&log->header->kept, log->header->kept + 1, __ATOMIC_RELEASE);
}

// A look takes some 2 us, which is part of what the program seems to do: so it is one part in LOOK_SHARE of
// the time at most.
#define KPX_LOOK_SHARE 200u

// Records how long the thread ran until now. Interruptions and sleep are told from work with it. Gives the
// time of the event that follows: systems interrupt threads where they call it, and an interruption in the
// look, which it counts already, is to be before both.
uint64_t kpx_look(uint64_t now);

static inline void kpx_put_always(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a,
                                  uint64_t b)
{
    uint64_t now = kpx_now();
    if (__builtin_expect(now >= kpx_log.look_at, 0))
        now = kpx_look(now);
    kpx_put_at(now, kind, flags, value, a, b);
}

static inline void kpx_put(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    if (__atomic_load_n(&kpx_active, __ATOMIC_RELAXED))
        kpx_put_always(kind, flags, value, a, b);
}

bool kpx_is_recording(void); // whether there is a folder for logs at all

bool kpx_is_without(const char *kind); // whether KPX_WITHOUT names it

// The process begins now, unless something is recorded already: the time that a recorder took for
// its own start is not the program's.
void kpx_begin_now(void);

// The process is about to become another program; false: it did not.
void kpx_becomes_another(bool begins);

// A line `key value` for the file of the process.
void kpx_note(const char *key, const char *value);
// Leaves a message for the user in the log. A recorder never prints; the bridge prints it later.
void kpx_complain(const char *text);
// The number in an environment variable, or `otherwise` if it is not set. If the value is not a
// number, it counts as not set and the log gets a complaint.
uint64_t kpx_number_from(const char *variable, uint64_t otherwise);

// A signal for a fault: where the program was, and `n` words of its stack. Called in a signal handler.
void kpx_note_fault(int number, uintptr_t address, const uintptr_t *words, size_t n);

// kpx.h finds these by name.
void kpx_recorder_start(void);
void kpx_recorder_stop(void);

#endif
