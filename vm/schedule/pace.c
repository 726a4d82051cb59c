// SPDX-License-Identifier: MIT
//
// Measures how many reductions are made per second alone and together, and decides which to do.
#include "vm/schedule/pace.h"

#define MS ((uint64_t)1000000) // in ns

// A trial together that does not pay lasts one window, and up to half of its time is lost. The rests
// between trials grow so fast that even a run of half a second has few of them.
#define WINDOW_ALONE MS
#define WINDOW_TOGETHER (2 * MS)
#define FIRST_REST (10 * MS)
#define LONGEST_REST (400 * MS)
#define SAMPLE (2 * MS)
#define FIRST_STRETCH (4 * MS) // what was measured first is the speed of cold caches
#define LONGEST_STRETCH (1000 * MS)

// Workers bring their counts up to date once in a turn: this many make that a small error.
enum { REDUCTIONS_OF_WORKER = 1 << 16 };

// Two workers that reduce hardly more than one are not worth the other processor.
static const double least_gain = 1.05;

static void add_up(vm_pace *p, uint64_t now, uint64_t made)
{
    vm_pace_window *w = &p->windows[p->together];
    w->time += now - p->since;
    p->together_for += p->together ? now - p->since : 0;
    w->made += made - p->made;
    p->since = now;
    p->made = made;
}

static double end_window(vm_pace_window *w)
{
    double rate = (double)w->made / (double)w->time;
    *w = (vm_pace_window){0};
    return rate;
}

void vm_pace_begin(vm_pace *p, uint64_t now, uint64_t made)
{
    *p = (vm_pace){
        .since = now,
        .made = made,
        .until = now + WINDOW_ALONE,
        .rest = FIRST_REST,
        .stretch = FIRST_STRETCH,
    };
}

bool vm_pace_may_join(vm_pace *p, uint64_t now, uint64_t made)
{
    vm_pace_window *w = &p->windows[false];
    add_up(p, now, made);
    if (w->time >= WINDOW_ALONE) {
        p->alone = end_window(w);
        p->together_for = 0;
    }
    return now >= p->until;
}

bool vm_pace_pays(vm_pace *p, uint64_t now, uint64_t made, uint32_t workers)
{
    vm_pace_window *w = &p->windows[true];
    add_up(p, now, made);
    if (w->time < WINDOW_TOGETHER || w->made < (uint64_t)workers * REDUCTIONS_OF_WORKER)
        return true;
    if (end_window(w) < least_gain * p->alone) {
        p->alone_for = p->rest;
        p->rest = 3 * p->rest < LONGEST_REST ? 3 * p->rest : LONGEST_REST;
        p->stretch = FIRST_STRETCH;
        return false;
    }
    p->rest = FIRST_REST;
    if (p->together_for < p->stretch)
        return true;
    p->alone_for = SAMPLE;
    p->stretch = 2 * p->stretch < LONGEST_STRETCH ? 2 * p->stretch : LONGEST_STRETCH;
    return false;
}

void vm_pace_change(vm_pace *p, bool together, uint64_t now, uint64_t made)
{
    add_up(p, now, made);
    p->together = together;
    if (!together)
        p->windows[false] = (vm_pace_window){0};
    p->until = now + p->alone_for;
    p->alone_for = 0;
}
