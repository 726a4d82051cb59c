// SPDX-License-Identifier: MIT
//
// Takes the events of all threads in order of time and hands each to the files that know it.
#include "kpx-bridge/timeline/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/timeline/converter.h"
#include "kpx-bridge/timeline/places.h"

// ---- Order --------------------------------------------------------------------------------------

static const kpx_thread_log *log_of(const kpx_converter *c, const kpx_thread_state *t)
{
    return &c->logs->processes.at[t->process].threads.at[t->index];
}

static uint64_t time_of(const kpx_converter *c, uint32_t i)
{
    const kpx_thread_state *t = &c->threads[i];
    return log_of(c, t)->events[t->next].time;
}

static bool comes_before(const void *data, uint32_t a, uint32_t b)
{
    const kpx_converter *c = data;
    uint64_t x = time_of(c, a), y = time_of(c, b);
    return x != y ? x < y : a < b;
}

// A process's first thread is in its serial part until an event says otherwise.
static void begin_process(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_process_log *p = &c->logs->processes.at[t->process];
    kpx_begin_serial(c, t);
    t->since = p->begin && p->begin <= c->now ? p->begin : c->now;
}

// Recording starts or stops. Only regions survive a pause: other constructs may end during it.
static void set_recording(kpx_converter *c, uint32_t process, bool on)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        kpx_thread_state *t = &c->threads[i];
        uint32_t kept = 0;
        if (t->process != process)
            continue;
        kpx_close(c, t);
        for (uint32_t k = 0; k < t->stack.n; k++)
            if (t->stack.at[k].begun_by == KPX_THREAD_BEGIN ||
                t->stack.at[k].begun_by == KPX_IMPLICIT_BEGIN)
                t->stack.at[kept++] = t->stack.at[k];
        t->stack.n = kept;
    }
    c->paused.at[process] = !on;
}

// The thread's log ends here, but the thread goes on. From now on its work is unknown, also in its
// team.
static void lose_sight(kpx_converter *c, kpx_thread_state *t)
{
    kpx_close(c, t);
    t->stack.n = 0;
    kpx_enter_region(c, t, KPX_NONE);
}

// What follows is another thread's.
static void begin_next_thread(kpx_converter *c, kpx_thread_state *t)
{
    lose_sight(c, t);
    t->last = t->maker = t->last_work = KPX_NONE;
    t->barrier = t->loops = 0;
    t->task = 0;
    t->since = c->now;
}

enum { TOLD_EVERY = 1 << 16 }; // events

static uint64_t count_events(const kpx_logs *logs)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            n += logs->processes.at[i].threads.at[k].n;
    return n;
}

static void take_events(kpx_converter *c)
{
    uint64_t all = count_events(c->logs), taken = 0;
    while (c->heap.n > 0) {
        if (++taken % TOLD_EVERY == 0) // writing takes as long
            kpx_tell_progress(c->m, 0.5 * (double)taken / (double)all);
        kpx_store_at(taken);
        kpx_thread_state *t = &c->threads[c->heap.at[0]];
        const kpx_thread_log *log = log_of(c, t);
        const kpx_event *e = &log->events[t->next];
        c->now = e->time;
        c->event = kpx_event_key(t->process, t->index, t->next);
        bool says = e->kind != KPX_TICKS && e->kind != KPX_PROCESSOR_TIME && e->kind != KPX_THREAD_NEXT;
        if (e->kind == KPX_THREAD_NEXT)
            begin_next_thread(c, t);
        if (!t->begun && t->index == 0 && says)
            begin_process(c, t);
        t->begun = t->begun || says;
        t->next++;
        if (e->kind == KPX_RECORDING)
            set_recording(c, t->process, e->flags & 1);
        kpx_take_openmp(c, t, e);
        kpx_take_mpi(c, t, e);
        kpx_take_execution(c, t, e);
        kpx_take_wait(c, t, e);
        if (t->next == log->n && log->cut)
            lose_sight(c, t);
        if (t->next == log->n)
            kpx_heap_take(&c->heap, comes_before, c);
        else
            kpx_heap_sink(&c->heap, 0, comes_before, c);
    }
}

static bool has_threads(const kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        if (logs->processes.at[i].threads.n > 1)
            return true;
    return false;
}

static bool has_nodes(const kpx_logs *logs)
{
    for (uint32_t i = 1; i < logs->processes.n; i++) {
        const char *a = logs->processes.at[i - 1].host, *b = logs->processes.at[i].host;
        if (a && b && strcmp(a, b) != 0)
            return true;
    }
    return false;
}

// "@node7" if the processes ran on several machines, else "".
static char *node_of(const kpx_logs *logs, const kpx_process_log *p)
{
    return p->host && has_nodes(logs) ? base_format("@%.*s", (int)strcspn(p->host, ". "), p->host)
                                      : base_copy("");
}

// called: what the thread is called within its process.
static uint32_t add_place(kpx_converter *c, uint32_t process, const char *node, const char *called)
{
    const kpx_process_log *p = &c->logs->processes.at[process];
    int rank = p->rank >= 0 ? p->rank : p->launched;
    char *name = c->logs->processes.n == 1 && p->ranks <= 1 ? base_copy(called)
                 : rank >= 0 && !has_threads(c->logs)       ? base_format("rank %d%s", rank, node)
                 : rank >= 0                                ? base_format("rank %d%s %s", rank, node, called)
                                             : base_format("process %u%s %s", process, node, called);
    uint32_t place = kpx_add_place(c->m, name);
    free(name);
    return place;
}

static void add_thread(kpx_converter *c, uint32_t process, uint32_t index, uint32_t place)
{
    const kpx_process_log *p = &c->logs->processes.at[process];
    c->threads[c->nthreads] = (kpx_thread_state){.process = process,
                                                 .index = index,
                                                 .place = place,
                                                 .last = KPX_NONE,
                                                 .maker = KPX_NONE,
                                                 .region = KPX_NONE,
                                                 .last_work = KPX_NONE};
    const kpx_thread_log *log = &p->threads.at[index];
    c->threads[c->nthreads].windows = kpx_find_windows(log);
    if (log->n < log->seen)
        kpx_add_loss(c->m, c->threads[c->nthreads].place, log->n - log->looks,
                     log->seen - log->looks, log->capped);
    if (log->n > 0)
        kpx_heap_put(&c->heap, c->nthreads, comes_before, c);
    c->nthreads++;
}

// The places in their order, the threads in the order of their logs.
static void add_process(kpx_converter *c, uint32_t process)
{
    const kpx_process_log *p = &c->logs->processes.at[process];
    kpx_thread_place *places = kpx_make_places(p);
    char *node = node_of(c->logs, p);
    uint32_t *place_of = base_allocate(p->threads.n + (size_t)1, sizeof *place_of);
    for (uint32_t k = 0; k < p->threads.n; k++) {
        place_of[places[k].index] = add_place(c, process, node, places[k].name);
        free(places[k].name);
    }
    for (uint32_t k = 0; k < p->threads.n; k++)
        add_thread(c, process, k, place_of[k]);
    free(node);
    free(place_of);
    free(places);
}

static void make_threads(kpx_converter *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->logs->processes.n; i++)
        n += c->logs->processes.at[i].threads.n;
    c->threads = base_allocate(n, sizeof *c->threads);
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        ARRAY_PUSH(c->paused, c->logs->processes.at[i].paused);
        add_process(c, i);
    }
}

// The time until which the thread's work is known.
static uint64_t end_of(const kpx_converter *c, const kpx_thread_state *t)
{
    const kpx_process_log *p = &c->logs->processes.at[t->process];
    uint64_t end = p->end ? p->end : p->stopped;
    return end > t->since ? end : c->now;
}

// Ends all intervals that were open at the end of the programs.
static void end_all(kpx_converter *c)
{
    uint64_t last = c->now;
    for (uint32_t i = 0; i < c->nthreads; i++) {
        c->now = end_of(c, &c->threads[i]);
        if (!c->logs->processes.at[c->threads[i].process].end)
            kpx_end_call(c, &c->threads[i]);
        kpx_close(c, &c->threads[i]);
        c->now = last;
    }
}

static void free_all(kpx_converter *c)
{
    for (uint32_t i = 0; i < c->nthreads; i++) {
        free(c->threads[i].stack.at);
        free(c->threads[i].windows.list.at);
        free(c->threads[i].needs.at);
        free(c->threads[i].values.at);
    }
    free(c->threads);
    free(c->heap.at);
    free(c->paused.at);
    map_free(&c->construct_of);
    kpx_free_openmp(c);
    kpx_free_mpi(c);
    kpx_free_executions(c);
    kpx_free_waits(c);
}

void kpx_convert_events(kpx_activities *m, const kpx_logs *logs, const kpx_counters *measured,
                        const kpx_messages *messages, kpx_statistics *statistics)
{
    kpx_converter c = {
        .m = m, .logs = logs, .measured = measured, .messages = messages, .statistics = statistics};
    make_threads(&c);
    kpx_begin_executions(&c);
    kpx_begin_mpi(&c);
    kpx_begin_openmp(&c);
    take_events(&c);
    end_all(&c);
    kpx_finish_openmp(&c);
    free_all(&c);
}
