// SPDX-License-Identifier: MIT
//
// What the files of the recorder for threads share: functions behind those that they interpose, whose calls
// are the program's, and the events of a wait (threads.c).
#ifndef KPX_RECORDER_WAITING_H
#define KPX_RECORDER_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void *kpx_find_next(const char *name);

#define KPX_MEMBER(name) __typeof__(&name) name;

#define KPX_FIND_NEXT(name)                                                                        \
    __atomic_store_n(&next.name, (__typeof__(next.name))kpx_find_next(#name), __ATOMIC_RELAXED);

// Defines `next`, with the functions of the C library behind those of the file: EACH(x) has x(name) for each.
// A constructor finds all: a search takes the loader's lock. A library that is being loaded holds this
// lock, and may wait for a thread meanwhile.
#define KPX_NEXT_OF(EACH)                                                                          \
    static struct {                                                                                \
        EACH(KPX_MEMBER)                                                                           \
    } next;                                                                                        \
    __attribute__((constructor)) static void find_all_next(void)                                   \
    {                                                                                              \
        EACH(KPX_FIND_NEXT)                                                                        \
    }

// Only constructors of other libraries may call before the constructor.
#define NEXT(name)                                                                                 \
    ({                                                                                             \
        if (!__atomic_load_n(&next.name, __ATOMIC_RELAXED))                                        \
            KPX_FIND_NEXT(name)                                                                    \
        __atomic_load_n(&next.name, __ATOMIC_RELAXED);                                             \
    })

extern __thread int kpx_inside; // a function of the recorder, which it may call again

// The place of the call if it is the program's, else NULL.
const void *kpx_place_of(const void *address);

// kind: of thread_kinds.h. Whether a wait began, which kpx_wait_ends() has to end.
bool kpx_wait_begins(uint16_t kind, const void *object, const void *address);
void kpx_wait_ends(bool begun, uint16_t kind, const void *object, bool in_vain);
// Before the call that ends the waits of others, or nobody's.
void kpx_wakes(uint16_t kind, const void *object, const void *address);
// What began then and ends now may have been a wait.
void kpx_tell_slow(uint64_t since, const void *address);

// A thread of the program: what is to be run in it, and its number.
typedef struct {
    void *(*body)(void *);
    int (*body_of_c11)(void *);
    void *argument;
    uintptr_t place;
    uint64_t number;
} kpx_thread_start;

// The start of a thread that the program makes at `place`; the event is recorded. `function`: what the body
// may call, or 0. NULL: without memory.
kpx_thread_start *kpx_make_thread(const void *place, uintptr_t place_of_body, uintptr_t function,
                                  void *argument);
void kpx_thread_begins(const kpx_thread_start *s);
void kpx_thread_ends(void *nothing);

#define HERE __builtin_return_address(0)

// A wait of which `real` is the call.
#define BLOCK(kind, object, real)                                                                  \
    ({                                                                                             \
        bool begun = kpx_wait_begins(kind, object, HERE);                                          \
        __typeof__(real) came = real;                                                              \
        kpx_wait_ends(begun, kind, object, came != 0);                                             \
        came;                                                                                      \
    })

#define SLOW(type, name, parameters, arguments)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        uint64_t since = kpx_now();                                                                \
        type result = NEXT(name) arguments;                                                        \
        kpx_tell_slow(since, HERE);                                                                \
        return result;                                                                             \
    }

#pragma GCC visibility pop

#endif
