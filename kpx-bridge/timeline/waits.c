// SPDX-License-Identifier: MIT
//
// Threads of the program and what they wait for. An edge leads to the end of a wait from the activity
// that ended it: of the thread that gave the lock back, signalled, posted, came last or ended.
#include "kpx-bridge/timeline/waits.h"

#include "kpx-bridge/log/thread_kinds.h"
#include "kpx-bridge/timeline/converter.h"

static const struct {
    trace_kind of, waits;
    trace_edge edge;
} kinds[] = {
    [KPX_BLOCK_LOCK] = {TRACE_KIND_LOCK, TRACE_KIND_LOCK_WAIT, TRACE_EDGE_LOCK},
    [KPX_BLOCK_CONDITION] = {TRACE_KIND_CONDITION, TRACE_KIND_CONDITION, TRACE_EDGE_SIGNAL},
    [KPX_BLOCK_SEMAPHORE] = {TRACE_KIND_SEMAPHORE, TRACE_KIND_SEMAPHORE, TRACE_EDGE_SIGNAL},
    [KPX_BLOCK_BARRIER] = {TRACE_KIND_BARRIER, TRACE_KIND_BARRIER, TRACE_EDGE_BARRIER},
    [KPX_BLOCK_JOIN] = {TRACE_KIND_THREAD_JOIN, TRACE_KIND_THREAD_JOIN, TRACE_EDGE_JOIN},
    [KPX_BLOCK_SLEEP] = {TRACE_KIND_SLEEP, TRACE_KIND_SLEEP, TRACE_EDGE_SIGNAL},
    [KPX_BLOCK_IO] = {TRACE_KIND_IO_WAIT, TRACE_KIND_IO_WAIT, TRACE_EDGE_SIGNAL},
    [KPX_BLOCK_FUTEX] = {TRACE_KIND_CONDITION, TRACE_KIND_CONDITION, TRACE_EDGE_SIGNAL},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void thread_made(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_close(c, t);
    if (t->last != KPX_NONE)
        map_set(&c->waits.made_by, kpx_own(t, e->value), t->last);
    if (e->a != 0)
        map_set(&c->waits.functions, kpx_own(t, e->value), e->a);
}

// The code that tells what the thread runs: of std::thread, if that was given a function or a member
// function, the function. Its own code is the library's, for all threads with arguments of the same types.
static uint64_t code_of_thread(const kpx_converter *c, const kpx_thread_state *t, const kpx_event *e)
{
    uint64_t function = map_get(&c->waits.functions, kpx_own(t, e->value));
    kpx_symbols *symbols = c->logs->processes.at[t->process].symbols;
    if (function == MAP_ABSENT || function == UINT64_MAX)
        return e->b;
    const char *runs = kpx_symbols_find(symbols, e->b).function;
    const char *given = runs && strstr(runs, "_State_impl") ? strstr(runs, "tupleIJ") : NULL;
    given = given ? given + strlen("tupleIJ") : "";
    if (strncmp(given, "PF", 2) != 0 && strncmp(given, "PDoF", 4) != 0 && *given != 'M')
        return e->b;
    kpx_source_place place = kpx_symbols_find(symbols, function + 1);
    return place.function && place.offset <= 1 ? function + 1 : e->b;
}

static void thread_starts(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_close(c, t);
    t->stack.n = 0;
    t->last = KPX_NONE;
    t->maker = kpx_number_of(&c->waits.made_by, kpx_own(t, e->value));
    uint32_t body = kpx_openmp_at(c, t, TRACE_KIND_THREAD, TRACE_KIND_THREAD,
                                  code_of_thread(c, t, e));
    kpx_push(c, t, (kpx_frame){body, KPX_THREAD_STARTS, 0, TRACE_FIGURES, .waits = false});
}

static void thread_ends(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_close(c, t);
    t->stack.n = 0;
    if (t->last != KPX_NONE)
        map_set(&c->waits.ended_with, kpx_own(t, e->a), t->last);
}

static void block(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags == 0 || e->flags >= KINDS)
        return;
    uint32_t construct = kpx_openmp_at(c, t, kinds[e->flags].of, kinds[e->flags].waits, e->b);
    kpx_push(c, t, (kpx_frame){construct, KPX_BLOCK_BEGIN, e->flags, TRACE_FIGURES, .waits = true});
    if (e->flags == KPX_BLOCK_BARRIER && t->last != KPX_NONE)
        map_set(&c->waits.came_last, kpx_own(t, e->a), t->last);
}

static void unblock(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (!kpx_find_frame(t, KPX_BLOCK_BEGIN, e->flags) || e->flags == 0 || e->flags >= KINDS)
        return;
    const base_map *from = e->flags == KPX_BLOCK_BARRIER ? &c->waits.came_last
                           : e->flags == KPX_BLOCK_JOIN  ? &c->waits.ended_with
                                                         : &c->waits.woken_by;
    if (e->a != 0)
        kpx_needs(t, kpx_number_of(from, kpx_own(t, e->a)), kinds[e->flags].edge);
    uint32_t of = kpx_find_frame(t, KPX_BLOCK_BEGIN, e->flags)->construct;
    kpx_pop(c, t, KPX_BLOCK_BEGIN, e->flags);
    if (e->flags == KPX_BLOCK_LOCK && e->value == 1) // until it gives the lock back
        kpx_push(c, t, (kpx_frame){kpx_add_sibling(c->m, of, kpx_doing_of(TRACE_KIND_LOCK)), KPX_BLOCK_END,
                                   e->a, TRACE_FIGURES, .waits = false});
}

static void wake(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags != KPX_BLOCK_LOCK || !kpx_pop(c, t, KPX_BLOCK_END, e->a))
        kpx_close(c, t);
    if (t->last != KPX_NONE)
        map_set(&c->waits.woken_by, kpx_own(t, e->a), t->last);
}

void kpx_take_wait(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    switch (e->kind) {
    case KPX_THREAD_MADE:
        thread_made(c, t, e);
        break;
    case KPX_THREAD_STARTS:
        thread_starts(c, t, e);
        break;
    case KPX_THREAD_ENDS:
        thread_ends(c, t, e);
        break;
    case KPX_BLOCK_BEGIN:
        block(c, t, e);
        break;
    case KPX_BLOCK_END:
        unblock(c, t, e);
        break;
    case KPX_WAKE:
        wake(c, t, e);
        break;
    default:
        break;
    }
}

void kpx_free_waits(kpx_converter *c)
{
    base_map *maps[] = {&c->waits.made_by, &c->waits.functions,
                        &c->waits.ended_with, &c->waits.woken_by, &c->waits.came_last};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
}
