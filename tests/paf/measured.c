// SPDX-License-Identifier: MIT
//
// measured: writes a trace as the bridge makes it of an OpenMP program: in every step a region
// whose threads share a loop, more of it the higher their number, take turns in a critical section
// and wait for each other.
//
//   measured THREADS STEPS OUT.paf
#include "kpx-bridge/timeline/activities.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = 10000, HELD = 400, SERIAL = 3000 }; // nanoseconds

typedef struct {
    kpx_activities *m;
    kpx_statistics s;
    uint32_t threads, *places;
    uint32_t serial, region, loop, barrier, wait, critical, implied;
} program;

// "loop sample.c:12".
static uint32_t add_construct(program *p, trace_kind kind, uint32_t source, uint32_t line)
{
    char module[64];
    const char *name = trace_kind_name(kind);
    snprintf(module, sizeof module, line ? "%s sample.c:%" PRIu32 : "%s", name, line);
    return kpx_add_construct(p->m, module, kind, kpx_doing_of(kind), source, line);
}

static void make_program(program *p, uint32_t threads)
{
    *p = (program){.m = kpx_activities_create(), .threads = threads};
    p->places = calloc(threads, sizeof *p->places);
    for (uint32_t i = 0; i < threads; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread %" PRIu32, i);
        p->places[i] = kpx_add_place(p->m, name);
    }
    uint32_t source = kpx_add_source(p->m, "sample.c");
    p->serial = add_construct(p, TRACE_KIND_SERIAL, KPX_NONE, 0);
    p->region = add_construct(p, TRACE_KIND_REGION, source, 10);
    p->loop = add_construct(p, TRACE_KIND_LOOP, source, 12);
    p->critical = add_construct(p, TRACE_KIND_CRITICAL, source, 15);
    p->wait = kpx_add_sibling(p->m, p->critical, kpx_doing_of(TRACE_KIND_CRITICAL_WAIT));
    p->barrier = add_construct(p, TRACE_KIND_BARRIER, source, 18);
    p->implied = kpx_add_sibling(p->m, p->region, kpx_doing_of(TRACE_KIND_IMPLIED_BARRIER));
    kpx_region region = {.file = strdup("sample.c"), .line = 10, .construct = p->region};
    ARRAY_PUSH(p->s.regions, region);
    p->s.nodes = 1;
}

// One stretch of a thread.
static uint32_t stretch(program *p, uint32_t construct, uint32_t thread, uint32_t maker,
                        uint64_t from, uint64_t to)
{
    return kpx_add_activity(p->m, construct, p->places[thread], maker, from, to);
}

static void note_team(program *p, uint64_t start, uint64_t end)
{
    kpx_region *r = &p->s.regions.at[0];
    uint32_t *places = malloc(p->threads * sizeof *places);
    memcpy(places, p->places, p->threads * sizeof *places);
    ARRAY_PUSH(r->teams, ((kpx_team){.start = start, .end = end, .nplaces = p->threads, .places = places}));
    r->threads = p->threads;
    r->elapsed += end - start;
    r->thread_time += (end - start) * p->threads;
    uint64_t held = (uint64_t)r->teams.n * p->threads * HELD;
    r->figures[TRACE_CRITICAL] = (trace_figure){
        .observed = true, .count = r->figures[TRACE_CRITICAL].count + p->threads, .running = held, .ran = held};
    r->figures[TRACE_USER_BARRIER] = (trace_figure){.observed = true, .count = r->teams.n};
    p->s.parallel = r->elapsed;
    p->s.thread_time = r->thread_time;
    memcpy(p->s.figures, r->figures, sizeof p->s.figures);
}

// Returns the master's last activity; *time is when it ends.
static uint32_t run_region(program *p, uint32_t step, uint32_t fork, uint64_t *time)
{
    uint64_t start = *time, held = 0, last_end = 0;
    uint32_t holder = KPX_NONE, last = KPX_NONE, master = KPX_NONE;
    uint32_t *ends = calloc(p->threads, sizeof *ends);
    for (uint32_t i = 0; i < p->threads; i++) {
        uint64_t t = start + WORK + WORK * (uint64_t)i / p->threads;
        uint32_t a = stretch(p, p->loop, i, fork, start, t);
        kpx_add_schedule(p->m, a, TRACE_SCHEDULE_STATIC);
        kpx_add_value(p->m, a, TRACE_KEY_FIRST, i * 10);
        kpx_add_value(p->m, a, TRACE_KEY_ITERATIONS, 10);
        kpx_add_value(p->m, a, TRACE_KEY_LOOP, step);
        kpx_add_value(p->m, a, TRACE_KEY_OF, p->threads * 10);
        uint64_t got = t > held ? t : held;
        uint32_t w = stretch(p, p->wait, i, a, t, got);
        kpx_add_arrow(p->m, holder, w, TRACE_EDGE_CRITICAL);
        holder = ends[i] = stretch(p, p->critical, i, w, got, got + HELD);
        held = got + HELD;
        if (held > last_end) {
            last_end = held;
            last = ends[i];
        }
    }
    for (uint32_t i = 0; i < p->threads; i++) {
        uint32_t b = stretch(p, p->barrier, i, ends[i], kpx_activity_end(p->m, ends[i]), last_end);
        if (ends[i] != last)
            kpx_add_arrow(p->m, last, b, TRACE_EDGE_BARRIER);
        uint32_t r = stretch(p, p->region, i, b, last_end, last_end + 200 + 20 * i);
        uint64_t join = last_end + 200 + 20 * (p->threads - 1);
        uint32_t j = stretch(p, p->implied, i, r, kpx_activity_end(p->m, r), join);
        master = i == 0 ? j : master;
    }
    *time = last_end + 200 + 20 * (p->threads - 1);
    note_team(p, start, *time);
    free(ends);
    return master;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    program p;
    char *error = NULL;
    make_program(&p, (uint32_t)strtoul(argv[1], NULL, 10));
    uint64_t time = SERIAL;
    uint32_t steps = (uint32_t)strtoul(argv[2], NULL, 10), last = KPX_NONE;
    last = stretch(&p, p.serial, 0, last, 0, SERIAL);
    for (uint32_t i = 0; i < steps; i++) {
        last = run_region(&p, i, last, &time);
        last = stretch(&p, p.serial, 0, last, time, time + SERIAL);
        time += SERIAL;
    }
    p.s.elapsed = time;
    bool good = kpx_write(p.m, argv[3], "sample", &p.s, true, 0, "", &error);
    if (!good)
        fprintf(stderr, "measured: %s\n", error);
    free(error);
    kpx_statistics_free(&p.s);
    kpx_activities_destroy(p.m);
    free(p.places);
    return good ? 0 : 1;
}
