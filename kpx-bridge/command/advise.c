// SPDX-License-Identifier: MIT
#include "kpx-bridge/command/advise.h"

#include <inttypes.h>

#include "base/memory.h"
#include "kpx-bridge/command/convert.h"

enum {
    USUAL_CAP = 4194304,  // events of a thread that are kept unless --events says something else
    LEAST_SHARE = 10,     // per cent: of what leaving out is advised
};

typedef enum { CHUNKS, LOCKS, TASKS, POLLS, MESSAGES, SITES, WAITS, OWN, REGIONS, CLASSES } class;

static const struct {
    const char *name, *option; // that leaves it out, or NULL
} classes[CLASSES] = {
    [CHUNKS] = {"chunks of loops", "--without chunks"},
    [LOCKS] = {"locks, critical, ordered", "--without locks"},
    [TASKS] = {"tasks", "--without tasks"},
    [POLLS] = {"MPI: polls, what only asks", "--without polls"},
    [MESSAGES] = {"MPI: other calls", NULL},
    [SITES] = {"routines, loops, I/O", "--without timeline"},
    [WAITS] = {"threads and their waits", NULL},
    [OWN] = {"processor time", NULL},
    [REGIONS] = {"regions, loops, barriers", NULL},
};

static class class_of(const kpx_event *e)
{
    switch (e->kind) {
    case KPX_CHUNK:
        return CHUNKS;
    case KPX_MUTEX_ACQUIRE:
    case KPX_MUTEX_ACQUIRED:
    case KPX_MUTEX_RELEASED:
        return LOCKS;
    case KPX_TASK_CREATE:
    case KPX_TASK_SWITCH:
    case KPX_TASK_DEPENDS:
    case KPX_TASK_AFTER:
        return TASKS;
    case KPX_SITE_BEGIN:
    case KPX_SITE_END:
    case KPX_SITES_FULL:
        return SITES;
    case KPX_THREAD_MADE:
    case KPX_THREAD_STARTS:
    case KPX_THREAD_ENDS:
    case KPX_BLOCK_BEGIN:
    case KPX_BLOCK_END:
    case KPX_WAKE:
        return WAITS;
    case KPX_PROCESSOR_TIME:
    case KPX_THREAD_NEXT:
    case KPX_TICKS:
        return OWN;
    default:
        return e->kind >= KPX_MPI_BEGIN && e->kind <= KPX_MPI_COMM ? MESSAGES : REGIONS;
    }
}

typedef struct {
    uint64_t of[CLASSES], all; // dropped ones count as all of their thread
    uint64_t most;             // of a thread, without the recorder's own: what the limit is about
    uint64_t threads, first, last;
} counts;

static void count_event(const kpx_event *e, counts *c)
{
    c->of[class_of(e)]++;
    if (e->kind == KPX_MPI_END && e->b > 0) { // with its beginning
        c->of[MESSAGES] -= 2;
        c->of[POLLS] += 2;
    }
}

static void end_thread(uint64_t events, counts *c)
{
    c->most = events > c->most ? events : c->most;
    c->threads++;
}

// The log of threads that ran one after the other. If events are missing, they are the last one's.
static void count_log(const kpx_thread_log *t, counts *c)
{
    uint64_t seen = t->seen > t->n ? t->seen : t->n, of_thread = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const kpx_event *e = &t->events[i];
        count_event(e, c);
        if (e->kind == KPX_THREAD_NEXT) {
            end_thread(of_thread, c);
            of_thread = 0;
        }
        of_thread += class_of(e) != OWN;
    }
    end_thread(of_thread + seen - t->n, c);
    if (t->n > 0) {
        c->first = t->events[0].time < c->first ? t->events[0].time : c->first;
        c->last = t->events[t->n - 1].time > c->last ? t->events[t->n - 1].time : c->last;
    }
    c->all += seen;
}

static void print_size(FILE *out, double bytes)
{
    static const char *const units[] = {"KB", "MB", "GB", "TB"};
    int unit = 0;
    for (bytes /= 1000; bytes >= 1000 && unit < 3; unit++)
        bytes /= 1000;
    fprintf(out, "%.3g %s", bytes, units[unit]);
}

static void print_classes(const counts *c, uint64_t kept, FILE *out)
{
    for (int i = 0; i < CLASSES; i++)
        if (c->of[i] > 0)
            fprintf(out, "  %-28s %12" PRIu64 "  %5.1f %%%s%s\n", classes[i].name, c->of[i],
                    100 * (double)c->of[i] / (double)kept, classes[i].option ? "  " : "",
                    classes[i].option ? classes[i].option : "");
}

static void print_expected(const counts *c, uint64_t times, FILE *out)
{
    double events = (double)c->all * (double)times;
    fprintf(out, "a run of %" PRIu64 " times that: about %.3g events, a log of ", times, events);
    print_size(out, events * sizeof(kpx_event));
    fputs(", a trace of ", out);
    print_size(out, events * 2);
    fputs(" to ", out);
    print_size(out, events * 15);
    double memory = events < 1e15 ? (double)kpx_memory_to_make((uint64_t)events) : (double)KPX_STORE_MEMORY;
    fputs(", which takes ", out);
    print_size(out, memory);
    fputs(" of memory to make", out);
    if (memory < events * KPX_MEMORY_OF_EVENT) {
        fputs(" and ", out);
        print_size(out, events * KPX_DISK_OF_EVENT);
        fputs(" of disk space meanwhile", out);
    }
    fputc('\n', out);
}

static void print_advice(const counts *c, uint64_t kept, uint64_t times, uint64_t cap, double seconds,
                         FILE *out)
{
    double most = (double)c->most * (double)times;
    if (most > (double)cap)
        fprintf(out,
                "  --events %.0f keeps all events of each thread; with %" PRIu64 " the log of one is full "
                "after about %.3g s\n",
                most * 1.1, cap, seconds * (double)cap / (double)c->most);
    for (int i = 0; i < CLASSES; i++)
        if (classes[i].option && 100 * c->of[i] >= LEAST_SHARE * kept)
            fprintf(out, "  %s leaves out %.0f %% of the events (%s)\n", classes[i].option,
                    100 * (double)c->of[i] / (double)kept, classes[i].name);
    if (c->of[REGIONS] + c->of[CHUNKS] + c->of[LOCKS] + c->of[TASKS] > kept / 2)
        fputs("  --region FILE:LINE records some regions only, --paused and kpx_start() a part of the run\n",
              out);
}

void kpx_advise(const kpx_logs *logs, uint64_t times, uint64_t asked, FILE *out)
{
    counts c = {.first = UINT64_MAX};
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            count_log(&logs->processes.at[i].threads.at[k], &c);
    uint64_t kept = 0;
    for (int i = 0; i < CLASSES; i++)
        kept += c.of[i];
    if (kept == 0)
        return;
    double seconds = c.last > c.first ? (double)(c.last - c.first) / 1e9 : 0;
    fprintf(out, "%" PRIu64 " events of %" PRIu64 " thread%s in %.3g s", c.all, c.threads,
            c.threads == 1 ? "" : "s", seconds);
    if (seconds > 0)
        fprintf(out, ", %.3g a second", (double)c.all / seconds);
    fputs("\n", out);
    print_classes(&c, kept, out);
    print_expected(&c, times, out);
    print_advice(&c, kept, times, asked ? asked : USUAL_CAP, seconds, out);
}
