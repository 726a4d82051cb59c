// SPDX-License-Identifier: MIT
//
// libomp.so stands in for gcc's runtime, but in loops with ordered parts it ignores the chunks of
// schedule(static, N): it gives each thread one block of iterations, so that a thread waits in its
// first ordered part until another one has done its whole block. Here such loops begin as loops of
// clang do, which libomp hands out as the program says. The calls that follow are the same.
//
// Part of libkpx-idents.so, which is loaded before libomp.so (idents.c).
#include <dlfcn.h>

#include "kpx-bridge/recorder/recorder.h"

typedef unsigned long long ull;

typedef struct {
    long low, high, step;
} dimension;

enum { STATIC_CHUNKS = 33, ORDERED_STATIC_CHUNKS = 65 }; // as libomp numbers schedules

static kpx_ident nowhere = {.source = ";unknown;unknown;0;0;;"};

typedef int gnu_start(long, long, long, long, long *, long *);
typedef int gnu_start_unsigned(int, ull, ull, ull, ull, ull *, ull *);
typedef int gnu_doacross(unsigned, long *, long, long *, long *);

gnu_start GOMP_loop_ordered_static_start;
gnu_start_unsigned GOMP_loop_ull_ordered_static_start;
gnu_doacross GOMP_loop_doacross_static_start;

static struct {
    bool looked_up;
    gnu_start *ordered;
    gnu_start_unsigned *ordered_unsigned;
    gnu_doacross *doacross;
    int (*thread)(const kpx_ident *);
    void (*init)(const kpx_ident *, int, int, long, long, long, long);
    void (*init_unsigned)(const kpx_ident *, int, int, ull, ull, long, long);
    int (*next)(const kpx_ident *, int, int *, long *, long *, long *);
    int (*next_unsigned)(const kpx_ident *, int, int *, ull *, ull *, long *);
    void (*doacross_init)(const kpx_ident *, int, int, const dimension *);
    void (*doacross_end)(const kpx_ident *, int);
} of_runtime;

static void look_up(void)
{
    if (__atomic_load_n(&of_runtime.looked_up, __ATOMIC_ACQUIRE))
        return;
#define FIND(member, name) *(void **)&of_runtime.member = dlsym(RTLD_NEXT, name)
    FIND(ordered, "GOMP_loop_ordered_static_start");
    FIND(ordered_unsigned, "GOMP_loop_ull_ordered_static_start");
    FIND(doacross, "GOMP_loop_doacross_static_start");
    FIND(thread, "__kmpc_global_thread_num");
    FIND(init, "__kmpc_dispatch_init_8");
    FIND(init_unsigned, "__kmpc_dispatch_init_8u");
    FIND(next, "__kmpc_dispatch_next_8");
    FIND(next_unsigned, "__kmpc_dispatch_next_8u");
    FIND(doacross_init, "__kmpc_doacross_init");
    FIND(doacross_end, "__kmpc_doacross_fini");
#undef FIND
    __atomic_store_n(&of_runtime.looked_up, true, __ATOMIC_RELEASE);
}

// From here to leave() the runtime's events are those of the program's call that returns there.
static int enter(const void *address)
{
    look_up();
    kpx_omp_call = (kpx_omp_place){.address = address, .stands_for_all = true};
    return of_runtime.thread(&nowhere);
}

static void leave(void)
{
    kpx_omp_call.stands_for_all = false;
}

int GOMP_loop_ordered_static_start(long low, long end, long step, long chunk, long *ret_low,
                                   long *ret_end)
{
    look_up();
    if (chunk <= 0)
        return of_runtime.ordered(low, end, step, chunk, ret_low, ret_end);
    long high = step > 0 ? end - 1 : end + 1, stride;
    int any = step > 0 ? low < end : low > end;
    if (any) {
        int thread = enter(__builtin_return_address(0));
        of_runtime.init(&nowhere, thread, ORDERED_STATIC_CHUNKS, low, high, step, chunk);
        any = of_runtime.next(&nowhere, thread, NULL, ret_low, ret_end, &stride);
        leave();
    }
    if (any)
        *ret_end += step > 0 ? 1 : -1;
    return any;
}

// `up` is false where the step is negative.
int GOMP_loop_ull_ordered_static_start(int up, ull low, ull end, ull step, ull chunk, ull *ret_low,
                                       ull *ret_end)
{
    look_up();
    if (chunk == 0)
        return of_runtime.ordered_unsigned(up, low, end, step, chunk, ret_low, ret_end);
    ull high = up ? end - 1 : end + 1;
    int any = up ? low < end : low > end;
    long stride;
    if (any) {
        int thread = enter(__builtin_return_address(0));
        of_runtime.init_unsigned(&nowhere, thread, ORDERED_STATIC_CHUNKS, low, high, (long)step,
                                 (long)chunk);
        any = of_runtime.next_unsigned(&nowhere, thread, NULL, ret_low, ret_end, &stride);
        leave();
    }
    if (any)
        *ret_end += up ? 1u : -1ull;
    return any;
}

enum { MOST_LOOPS = 16 }; // of ordered(N)

// The outermost of the loops is shared, and each iteration waits for others: `depend(sink: ...)`.
int GOMP_loop_doacross_static_start(unsigned loops, long *counts, long chunk, long *ret_low,
                                    long *ret_end)
{
    dimension all[MOST_LOOPS];
    look_up();
    if (chunk <= 0 || loops > MOST_LOOPS)
        return of_runtime.doacross(loops, counts, chunk, ret_low, ret_end);
    for (unsigned i = 0; i < loops; i++)
        all[i] = (dimension){0, counts[i] - 1, 1};
    int thread = enter(__builtin_return_address(0)), any = counts[0] > 0;
    long stride;
    of_runtime.doacross_init(&nowhere, thread, (int)loops, all);
    if (any) {
        of_runtime.init(&nowhere, thread, STATIC_CHUNKS, 0, counts[0] - 1, 1, chunk);
        any = of_runtime.next(&nowhere, thread, NULL, ret_low, ret_end, &stride);
    }
    if (!any) // a thread with chunks asks for more until there is none: there the runtime ends the loop
        of_runtime.doacross_end(&nowhere, thread);
    leave();
    if (any)
        *ret_end += 1;
    return any;
}
