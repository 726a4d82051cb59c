// SPDX-License-Identifier: MIT
#include "vm/scheduler.h"

#include "vm/team.h"

#include <stdlib.h>
#include <string.h>

static int64_t largest_cost(const vm_program *p)
{
    int64_t largest = 1;
    for (uint32_t i = 0; i < p->npredicates; i++)
        if (p->predicates[i]->cost > largest)
            largest = p->predicates[i]->cost;
    return largest;
}

vm_scheduler *vm_scheduler_create(const vm_machine *m)
{
    vm_scheduler *s = vm_alloc(sizeof *s);
    if (m->stamped) {
        s->nsteps = (uint32_t)largest_cost(m->program) + 1;
        s->steps = vm_alloc(s->nsteps * sizeof *s->steps);
    } else {
        s->size = 1024;
        s->ring = vm_alloc(s->size * sizeof *s->ring);
    }
    return s;
}

// ---- Plain ----------------------------------------------------------------------------------

static void grow_ring(vm_scheduler *s)
{
    vm_goal **ring = vm_alloc(2 * (size_t)s->size * sizeof *ring);
    for (uint32_t i = 0; i < s->count; i++)
        ring[i] = s->ring[(s->first + i) & (s->size - 1)];
    s->ring = ring;
    s->first = 0;
    s->size *= 2;
}

void vm_push(vm_machine *m, vm_goal *goal)
{
    if (m->team)
        vm_team_push(m, goal);
    else
        vm_push_newest(m->scheduler, goal);
}

void vm_push_newest(vm_scheduler *s, vm_goal *goal)
{
    if (s->count == s->size)
        grow_ring(s);
    s->ring[(s->first + s->count++) & (s->size - 1)] = goal;
}

void vm_push_oldest(vm_scheduler *s, vm_goal *goal)
{
    if (s->count == s->size)
        grow_ring(s);
    s->first = (s->first - 1) & (s->size - 1);
    s->ring[s->first] = goal;
    s->count++;
}

vm_goal *vm_pop_newest(vm_scheduler *s)
{
    if (s->count == 0)
        return NULL;
    return s->ring[(s->first + --s->count) & (s->size - 1)];
}

vm_goal *vm_pop_oldest(vm_scheduler *s)
{
    if (s->count == 0)
        return NULL;
    vm_goal *goal = s->ring[s->first];
    s->first = (s->first + 1) & (s->size - 1);
    s->count--;
    return goal;
}

// ---- Stamped --------------------------------------------------------------------------------

void vm_schedule(vm_scheduler *s, vm_goal *goal, int64_t step, bool fresh)
{
    vm_step *at = &s->steps[step % s->nsteps];
    if (fresh)
        VM_PUSH(at->fresh, goal);
    else
        VM_PUSH(at->woken, goal);
    s->scheduled++;
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

static void merge_step(vm_scheduler *s, vm_step *step)
{
    sort_by_age(step->fresh.at, step->fresh.n);
    sort_by_age(step->woken.at, step->woken.n);
    uint32_t f = 0, w = 0;
    s->batch.n = 0;
    while (f < step->fresh.n || w < step->woken.n) {
        bool fresh = w == step->woken.n ||
                     (f < step->fresh.n && step->fresh.at[f]->id < step->woken.at[w]->id);
        VM_PUSH(s->batch, fresh ? step->fresh.at[f++] : step->woken.at[w++]);
    }
    step->fresh.n = step->woken.n = 0;
}

int64_t vm_next_step(vm_scheduler *s, int64_t now)
{
    s->batch.n = 0;
    if (s->scheduled == 0)
        return 0;
    for (int64_t t = now + 1;; t++) {
        vm_step *step = &s->steps[t % s->nsteps];
        if (step->fresh.n + step->woken.n == 0)
            continue;
        merge_step(s, step);
        s->scheduled -= s->batch.n;
        return t;
    }
}
