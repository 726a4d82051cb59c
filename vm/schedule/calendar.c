// SPDX-License-Identifier: MIT
//
// The calendar of the ideal machine.
#include "vm/schedule/calendar.h"

#include "vm/memory.h"

#include <stdlib.h>

static int64_t largest_cost(const vm_program *p)
{
    int64_t largest = 1;
    for (uint32_t i = 0; i < p->npredicates; i++)
        if (p->predicates[i]->cost > largest)
            largest = p->predicates[i]->cost;
    return largest;
}

void vm_schedule(vm_calendar *c, vm_goal *goal, int64_t step, bool fresh)
{
    vm_step *at = &c->steps[step % c->nsteps];
    if (fresh)
        VM_PUSH(at->fresh, goal);
    else
        VM_PUSH(at->resumed, goal);
    c->scheduled++;
}

static int by_age(const void *a, const void *b)
{
    uint32_t x = (*(vm_goal *const *)a)->id, y = (*(vm_goal *const *)b)->id;
    return x < y ? -1 : x > y;
}

static void sort_by_age(vm_goal **goals, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (goals[i - 1]->id > goals[i]->id) {
            qsort(goals, n, sizeof *goals, by_age);
            return;
        }
}

static void merge_step(vm_calendar *c, vm_step *step)
{
    sort_by_age(step->fresh.at, step->fresh.n);
    sort_by_age(step->resumed.at, step->resumed.n);
    uint32_t f = 0, w = 0;
    c->batch.n = 0;
    while (f < step->fresh.n || w < step->resumed.n) {
        bool fresh = w == step->resumed.n ||
                     (f < step->fresh.n && step->fresh.at[f]->id < step->resumed.at[w]->id);
        VM_PUSH(c->batch, fresh ? step->fresh.at[f++] : step->resumed.at[w++]);
    }
    step->fresh.n = step->resumed.n = 0;
}

int64_t vm_next_step(vm_calendar *c, int64_t now)
{
    c->batch.n = 0;
    if (c->scheduled == 0)
        return 0;
    for (int64_t t = now + 1;; t++) {
        vm_step *step = &c->steps[t % c->nsteps];
        if (step->fresh.n + step->resumed.n == 0)
            continue;
        merge_step(c, step);
        c->scheduled -= c->batch.n;
        return t;
    }
}

void vm_calendar_clear(vm_calendar *c)
{
    for (uint32_t i = 0; i < c->nsteps; i++)
        c->steps[i].fresh.n = c->steps[i].resumed.n = 0;
    c->scheduled = c->batch.n = 0;
}

void vm_calendar_reserve(vm_calendar *c, const vm_program *p)
{
    uint32_t wanted = (uint32_t)largest_cost(p) + 1;
    if (wanted <= c->nsteps)
        return;
    c->nsteps = wanted;
    c->steps = vm_alloc(c->nsteps * sizeof *c->steps);
}
