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
        s->nqueues = m->options.seeded ? m->options.workers : 1;
        s->queues = vm_alloc(s->nqueues * sizeof *s->queues);
        s->random = m->options.seed;
        for (uint32_t i = 0; i < s->nqueues; i++) {
            s->queues[i].size = 256;
            s->queues[i].ring = vm_alloc(s->queues[i].size * sizeof *s->queues[i].ring);
        }
    }
    return s;
}

// ---- Plain ----------------------------------------------------------------------------------

void vm_queue_grow(vm_queue *q)
{
    vm_goal **ring = vm_alloc(2 * (size_t)q->size * sizeof *ring);
    for (uint32_t i = 0; i < q->count; i++)
        ring[i] = q->ring[(q->first + i) & (q->size - 1)];
    q->ring = ring;
    q->first = 0;
    q->size *= 2;
}

static vm_goal *newest(vm_queue *q)
{
    if (q->count == 0)
        return NULL;
    return q->ring[(q->first + --q->count) & (q->size - 1)];
}

static vm_goal *oldest(vm_queue *q)
{
    if (q->count == 0)
        return NULL;
    vm_goal *goal = q->ring[q->first];
    q->first = (q->first + 1) & (q->size - 1);
    q->count--;
    return goal;
}

void vm_push(vm_machine *m, vm_goal *goal)
{
    if (m->team)
        vm_team_push(m, goal);
    else
        vm_push_alone(m->scheduler, goal);
}

vm_goal *vm_pop_newest(vm_scheduler *s)
{
    return newest(&s->queues[0]);
}

vm_goal *vm_pop_oldest(vm_scheduler *s)
{
    return oldest(&s->queues[0]);
}

// ---- Seeded ---------------------------------------------------------------------------------

static uint64_t next_random(vm_scheduler *s) // splitmix64 (Steele, Lea, Flood, OOPSLA 2014)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

bool vm_toss(vm_scheduler *s)
{
    return next_random(s) >> 63;
}

vm_goal *vm_pop_seeded(vm_scheduler *s)
{
    s->turn = (uint32_t)(next_random(s) % s->nqueues);
    vm_goal *goal = newest(&s->queues[s->turn]);
    uint32_t victim = (uint32_t)(next_random(s) % s->nqueues);
    for (uint32_t i = 0; i < s->nqueues && !goal; i++)
        goal = oldest(&s->queues[(victim + i) % s->nqueues]);
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
