// SPDX-License-Identifier: MIT
//
// Data races, by vector clocks: an access has the time of its thread's own clock; a thread knows of
// another's accesses up to the time that its vector has for it. Releasing stores hand the vector to
// the place, acquiring loads take it from there. The rules are those of C++20 where they are
// stricter: a relaxed store ends what was released at the place, even by the same thread.
#include "model_private.h"

#include <stdio.h>
#include <string.h>

enum { GRANULE = 4, SHADOWS = 1 << 18 };

// The last access of each thread: read or write, plain or atomic.
typedef struct {
    uintptr_t granule;
    uint32_t execution;
    uint32_t time[2][2][THREADS];
    uintptr_t from[2][2][THREADS];
} shadow;

typedef struct {
    uintptr_t place;
    uint32_t execution;
    vector_clock released;
} place_clock;

static shadow shadows[SHADOWS];
static place_clock places[SHADOWS];
static vector_clock clocks[THREADS];
static uint32_t execution;

void race_reset(void)
{
    execution++;
    memset(clocks, 0, sizeof clocks);
    for (unsigned t = 0; t < THREADS; t++)
        clocks[t].of[t] = 1;
}

static unsigned hash(uintptr_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15u >> 40) & (SHADOWS - 1);
}

static shadow *shadow_of(uintptr_t granule)
{
    for (unsigned at = hash(granule), tries = 0; tries < SHADOWS; at = (at + 1) & (SHADOWS - 1)) {
        shadow *s = &shadows[at];
        if (s->execution != execution) {
            memset(s, 0, sizeof *s);
            s->granule = granule;
            s->execution = execution;
        }
        if (s->granule == granule)
            return s;
        tries++;
    }
    model_fail("the scenario uses too much memory for the checker");
}

static place_clock *clock_of(uintptr_t place)
{
    for (unsigned at = hash(place), tries = 0; tries < SHADOWS; at = (at + 1) & (SHADOWS - 1)) {
        place_clock *p = &places[at];
        if (p->execution != execution)
            *p = (place_clock){.place = place, .execution = execution};
        if (p->place == place)
            return p;
        tries++;
    }
    model_fail("the scenario uses too many places for the checker");
}

static void join(vector_clock *a, const vector_clock *b)
{
    for (unsigned t = 0; t < THREADS; t++)
        if (b->of[t] > a->of[t])
            a->of[t] = b->of[t];
}

void race_start(unsigned parent, unsigned child)
{
    join(&clocks[child], &clocks[parent]);
    clocks[parent].of[parent]++;
}

void race_join(unsigned parent, unsigned child)
{
    join(&clocks[parent], &clocks[child]);
}

void race_release(unsigned thread, uintptr_t place)
{
    join(&clock_of(place)->released, &clocks[thread]);
    clocks[thread].of[thread]++;
}

void race_acquire(unsigned thread, uintptr_t place)
{
    join(&clocks[thread], &clock_of(place)->released);
}

static bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

// Any access of another thread that this one may not stand beside?
static void check(unsigned thread, const memory_access *a, const shadow *s)
{
    for (unsigned write = 0; write < 2; write++)
        for (unsigned atomic = 0; atomic < 2; atomic++) {
            if ((!a->writes && !write) || (a->atomic && atomic))
                continue;
            for (unsigned t = 0; t < THREADS; t++)
                if (t != thread && s->time[write][atomic][t] > clocks[thread].of[t])
                    model_fail("data race: thread %u %s%s at [%#zx], thread %u %s%s at [%#zx]",
                               thread, a->writes ? "writes" : "reads",
                               a->atomic ? " atomically" : "", (size_t)a->from, t,
                               write ? "wrote" : "read", atomic ? " atomically" : "",
                               (size_t)s->from[write][atomic][t]);
        }
}

static void note(unsigned thread, const memory_access *a)
{
    for (uintptr_t g = a->place / GRANULE; g <= (a->place + a->size - 1) / GRANULE; g++) {
        shadow *s = shadow_of(g);
        check(thread, a, s);
        s->time[a->writes][a->atomic][thread] = clocks[thread].of[thread];
        s->from[a->writes][a->atomic][thread] = a->from;
    }
}

void race_access(unsigned thread, const memory_access *a)
{
    note(thread, a);
    if (!a->atomic)
        return;
    place_clock *p = clock_of(a->place);
    if (a->reads && acquires(a->order))
        join(&clocks[thread], &p->released);
    if (!a->writes)
        return;
    if (!a->reads)
        p->released = (vector_clock){0};
    if (releases(a->order)) {
        join(&p->released, &clocks[thread]);
        clocks[thread].of[thread]++;
    }
}

vector_clock race_issue(unsigned thread, const memory_access *a)
{
    note(thread, a);
    if (!releases(a->order))
        return (vector_clock){0};
    vector_clock issued = clocks[thread];
    clocks[thread].of[thread]++;
    return issued;
}

void race_seen(uintptr_t place, const vector_clock *issued)
{
    clock_of(place)->released = *issued;
}
