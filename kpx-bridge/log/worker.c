// SPDX-License-Identifier: MIT
//
// Which of the recorded processes is the program that the user means: one that starts another one and waits
// for its end, as timeout(1) and shells do, is not.
#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/read_log.h"

typedef struct {
    uint64_t elapsed, waiting; // nanoseconds, of all threads
} spent;

static uint64_t end_of_process(const kpx_process_log *p)
{
    return p->end ? p->end : p->became ? p->became : p->stopped;
}

static void add_thread(spent *s, const kpx_thread_log *t, uint64_t begin, uint64_t end)
{
    uint64_t since = 0, waiting = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const kpx_event *e = &t->events[i];
        if (e->kind == KPX_BLOCK_BEGIN)
            since = e->time;
        else if (e->kind == KPX_BLOCK_END && since > 0) {
            waiting += e->time - since;
            since = 0;
        }
    }
    uint64_t last = t->n > 0 ? t->events[t->n - 1].time : begin;
    last = end > last ? end : last;
    if (since > 0)
        waiting += last - since;
    s->elapsed += last > begin ? last - begin : 0;
    s->waiting += waiting;
}

// The first thread lasts as long as the process, the others from their first event to their last one.
static spent spent_by(const kpx_process_log *p)
{
    spent s = {0, 0};
    for (uint32_t i = 0; i < p->threads.n; i++) {
        const kpx_thread_log *t = &p->threads.at[i];
        bool first = i == 0;
        if (first || t->n > 0)
            add_thread(&s, t, first ? p->begin : t->events[0].time, first ? end_of_process(p) : 0);
    }
    return s;
}

enum { MUCH = 10 }; // a tenth

static uint64_t work_of(spent s)
{
    return s.elapsed > s.waiting ? s.elapsed - s.waiting : 0;
}

static bool mostly_waits(spent s)
{
    return s.waiting > 0 && work_of(s) < s.elapsed / MUCH;
}

// If the first one does nothing but wait, the first of those that work about as much as any.
const kpx_process_log *kpx_logs_worker(const kpx_logs *logs)
{
    const kpx_process_log *first = &logs->processes.at[0];
    if (logs->processes.n == 1 || !mostly_waits(spent_by(first)))
        return first;
    uint64_t most = 0;
    for (uint32_t i = 1; i < logs->processes.n; i++) {
        uint64_t work = work_of(spent_by(&logs->processes.at[i]));
        most = work > most ? work : most;
    }
    for (uint32_t i = 1; i < logs->processes.n; i++) {
        spent s = spent_by(&logs->processes.at[i]);
        if (work_of(s) > 0 && work_of(s) >= most / MUCH && !mostly_waits(s))
            return &logs->processes.at[i];
    }
    return first;
}
