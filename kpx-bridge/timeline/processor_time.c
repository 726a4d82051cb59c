// SPDX-License-Identifier: MIT
#include "kpx-bridge/timeline/processor_time.h"

#include "base/memory.h"

typedef struct {
    uint64_t time, ran, queued;
    bool fresh; // `queued` was read; else it is that of an earlier look
} look;

// Between two looks: how long, and of that in waits, without a processor, and queued; when the last event
// before the second look was, and whether a wait followed it.
typedef struct {
    look from, to;
    uint64_t waits, idle, queued, last;
    bool ends_waiting;
} span;

// What follows such an event, up to the thread's next one, counts as a wait.
static bool begins_wait(const kpx_event *e)
{
    return e->kind == KPX_WAIT_BEGIN || e->kind == KPX_MUTEX_ACQUIRE || e->kind == KPX_BLOCK_BEGIN ||
           e->kind == KPX_MPI_BEGIN;
}

// A small share is what the look and the clocks take. Who looks at each event sees what is shorter: a thread
// that is interrupted is away for a microsecond at least.
static bool counts(uint64_t idle, const span *s)
{
    uint64_t passed = s->to.time - s->from.time;
    return 10 * idle >= passed || (!(s->from.fresh && s->to.fresh) && idle >= 1000);
}

// Of a long while without a look all events but the last one came soon after the first look, unless looks were
// rare: so it was queued at the end, in the last interval. What this one has no room for was before it.
static void place_queued(kpx_window *v, const span *s)
{
    double last = (double)(s->to.time - s->last), early = (double)(s->last - s->from.time);
    double room = last * (1 - v->slept[s->ends_waiting]), queued = (double)s->queued;
    double late = queued < room ? queued : room, waits = (double)s->waits - (s->ends_waiting ? last : 0);
    waits = waits > 0 ? waits : 0;
    double awake = early - v->slept[1] * waits - v->slept[0] * (early - waits);
    double part = awake > 0 ? (queued - late) / awake : 0;
    v->late_from = v->to - (uint64_t)late;
    v->early_to = s->last;
    for (int i = 0; i < 2; i++)
        v->queued[i] = (1 - v->slept[i]) * (part < 1 ? part : 1);
}

static void add_window(kpx_windows *w, const span *s)
{
    double passed = (double)(s->to.time - s->from.time), waits = (double)s->waits, work = passed - waits;
    uint64_t slept_ns = s->idle > s->queued ? s->idle - s->queued : 0;
    double slept = counts(slept_ns, s) ? (double)slept_ns : 0, queued = (double)s->queued;
    if (s->to.time <= s->from.time || (slept == 0 && queued == 0))
        return;
    kpx_window v = {s->from.time, s->to.time, s->to.time, s->to.time, {0}, {0}};
    double in_waits = slept < waits ? slept : waits, rest = passed - slept;
    double part = rest > 0 ? queued / rest : 0;
    part = part < 1 ? part : 1;
    v.slept[1] = waits > 0 ? in_waits / waits : 0;
    v.slept[0] = work > 0 ? (slept - in_waits) / work : 0;
    for (int i = 0; i < 2; i++)
        v.queued[i] = (1 - v.slept[i]) * part;
    if (queued > 0 && passed > 2 * KPX_LOOK_EVERY)
        place_queued(&v, s);
    ARRAY_PUSH(w->list, v);
}

// Since the first of the spans it was queued for so long, and maybe before it, where no look told: each of them
// has its part, by what it idled.
static void share_queued(span *spans, uint32_t n, uint64_t queued)
{
    uint64_t idle = 0;
    for (uint32_t i = 0; i < n; i++)
        idle += spans[i].idle;
    double part = idle > queued ? (double)queued / (double)idle : 1;
    for (uint32_t i = 0; i < n; i++)
        spans[i].queued = (uint64_t)((double)spans[i].idle * part);
}

static span span_of(const look *from, const look *to, uint64_t waits)
{
    uint64_t passed = to->time - from->time, ran = to->ran > from->ran ? to->ran - from->ran : 0;
    return (span){.from = *from, .to = *to, .waits = waits < passed ? waits : passed,
                  .idle = passed > ran ? passed - ran : 0, .last = from->time};
}

kpx_windows kpx_find_windows(const kpx_thread_log *log)
{
    kpx_windows w = {0};
    ARRAY_OF(span) spans = {0}; // since the last look that is fresh
    look last = {0};
    uint64_t waits = 0, before = 0, last_event = 0, queued = 0;
    bool waiting = false;
    for (uint64_t i = 0; i < log->n; i++) {
        const kpx_event *e = &log->events[i];
        kpx_store_at(i);
        waits += waiting && before > 0 ? e->time - before : 0;
        last_event = before;
        before = e->time;
        if (e->kind == KPX_THREAD_NEXT) { // which begins with no processor time
            for (uint32_t k = 0; k < spans.n; k++)
                add_window(&w, &spans.at[k]);
            spans.n = 0;
            last = (look){0};
            queued = 0;
        }
        if (e->kind != KPX_PROCESSOR_TIME) {
            waiting = begins_wait(e);
            continue;
        }
        look now = {e->time, e->a, e->b, !(e->flags & KPX_QUEUED_BEFORE)};
        if (last.time > 0 && now.time > last.time) {
            span s = span_of(&last, &now, waits);
            s.last = last_event > s.last && last_event < now.time ? last_event : s.last;
            s.ends_waiting = waiting;
            ARRAY_PUSH(spans, s);
        }
        if (now.fresh) {
            share_queued(spans.at, spans.n, now.queued > queued ? now.queued - queued : 0);
            for (uint32_t k = 0; k < spans.n; k++)
                add_window(&w, &spans.at[k]);
            spans.n = 0;
            queued = now.queued;
        }
        last = now;
        waits = 0;
    }
    for (uint32_t k = 0; k < spans.n; k++)
        add_window(&w, &spans.at[k]);
    free(spans.at);
    return w;
}

kpx_idle kpx_idle_in(kpx_windows *w, uint64_t since, uint64_t end, bool waits)
{
    double slept = 0, queued = 0;
    while (w->at < w->list.n && w->list.at[w->at].to <= since)
        w->at++;
    for (uint32_t i = w->at; i < w->list.n && w->list.at[i].from < end; i++) {
        const kpx_window *v = &w->list.at[i];
        uint64_t from = since > v->from ? since : v->from, to = end < v->to ? end : v->to;
        uint64_t early = to < v->early_to ? to : v->early_to, late = from > v->late_from ? from : v->late_from;
        slept += v->slept[waits] * (double)(to - from);
        queued += from < early ? v->queued[waits] * (double)(early - from) : 0;
        queued += late < to ? (double)(to - late) : 0;
    }
    return (kpx_idle){(uint64_t)slept, (uint64_t)queued};
}
