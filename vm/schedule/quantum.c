// SPDX-License-Identifier: MIT
//
// Which goal runs next: after a quantum, after a goal that is done or suspended, and under a seed.
#include "vm/schedule/worker.h"

enum { QUANTA_OF_ONE = 32, STARVES_AFTER = 64, BOOST_EVERY = 16, OLDEST_EVERY = 8 };

// ---- When a quantum is over: programs with priorities ------------------------------------------

// The oldest end of a goal's own level is where it goes when it had many quanta.
static void demote(vm_worker *w, vm_goal *goal)
{
    vm_priority_queue_push_oldest(&w->levels[w->current], goal);
}

static vm_goal *end_streak(vm_worker *w, vm_goal *goal)
{
    vm_goal *next = vm_own_oldest(w);
    vm_set_streak(&w->quantum, (vm_streak){next ? 0 : QUANTA_OF_ONE - 1, STREAK_OWN});
    if (!next)
        return goal;
    demote(w, goal);
    return next;
}

// Some goals had no quantum for a long time: one of them has this one; afterwards `goal` continues.
// NULL: nothing to boost.
static vm_goal *boost(vm_worker *w, vm_goal *goal, vm_streak streak)
{
    vm_goal *next = vm_own_oldest(w);
    if (!next)
        return NULL;
    vm_push(w, goal);
    w->quantum.before_boost = streak;
    vm_set_streak(&w->quantum, (vm_streak){0, STREAK_BOOST});
    return next;
}

// The boosted goal returns to its place. The goal before it continues, or a newer one.
static vm_goal *end_boost(vm_worker *w, vm_goal *boosted)
{
    vm_goal *next = vm_own_newest(w);
    if (!next)
        return boosted;
    demote(w, boosted);
    vm_set_streak(&w->quantum, w->quantum.before_boost);
    return next;
}

static vm_goal *demote_for_newest(vm_worker *w, vm_goal *goal)
{
    vm_goal *next = vm_own_newest(w);
    if (!next)
        return goal;
    demote(w, goal);
    vm_set_streak(&w->quantum, (vm_streak){0});
    return next;
}

static vm_goal *next_by_priority(vm_worker *w, vm_goal *goal, vm_streak streak)
{
    uint32_t number = VM_GET_COUNT(w->quantum.number);
    vm_goal *next;
    if (!goal)
        return vm_own_oldest(w);
    if (streak.kind == STREAK_BOOST)
        return end_boost(w, goal);
    if (vm_own_count(w) == 0) // all others have had their quanta
        w->quantum.had_all = number;
    if (number - w->quantum.had_all > STARVES_AFTER && number % BOOST_EVERY == 0 &&
        (next = boost(w, goal, streak)))
        return next;
    if (streak.quanta < 2) // it did not have all of the quantum
        return goal;
    if (vm_own_count(w) > 0)
        return demote_for_newest(w, goal);
    return streak.quanta >= QUANTA_OF_ONE ? end_streak(w, goal) : goal;
}

// ---- When a quantum is over -------------------------------------------------------------------

// If the goal whose quantum is over is suspended or done, the newest goal takes its part.
static vm_goal *next_after_quantum(vm_worker *w)
{
    bool goes_on = w->quantum.given != NULL;
    vm_goal *goal = vm_take_running(w);
    vm_streak streak = vm_get_streak(&w->quantum);
    if (!goes_on && !w->levels)
        streak = (vm_streak){0}; // another goal runs now, which has a turn of its own
    streak.quanta++;
    w->quantum.given = NULL;
    vm_set_streak(&w->quantum, streak);
    VM_SET_COUNT(w->quantum.number, VM_GET_COUNT(w->quantum.number) + 1);
    return w->levels ? next_by_priority(w, goal, streak) : vm_order_after_quantum(w, goal);
}

// ---- When no quantum is over ------------------------------------------------------------------

static vm_goal *next_newest(vm_worker *w)
{
    if (!w->levels)
        return vm_order_next(w);
    vm_set_streak(&w->quantum, (vm_streak){0});
    return vm_own_newest(w);
}

void vm_run_oldest_next(vm_worker *w)
{
    w->quantum.yield = w->quantum.oldest_next = true;
}

// ---- Under a seed -----------------------------------------------------------------------------

static uint64_t next_random(vm_worker *w) // splitmix64 (Steele, Lea, Flood, OOPSLA 2014)
{
    uint64_t z = w->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

bool vm_toss(vm_worker *w)
{
    return next_random(w) >> 63;
}

static vm_goal *next_seeded(vm_worker *w)
{
    vm_goal *made;
    while ((made = vm_queue_oldest(&w->order.stack)))
        vm_queue_push(&w->queues[w->current], made);
    uint64_t draw = next_random(w), victim = next_random(w);
    w->current = (uint32_t)(draw % w->nqueues);
    vm_goal *goal = (draw >> 32) % OLDEST_EVERY == 0 ? vm_own_oldest(w) : vm_own_newest(w);
    for (uint32_t i = 0, current = w->current; i < w->nqueues && !goal; i++) {
        w->current = (uint32_t)((victim + i) % w->nqueues);
        goal = vm_own_oldest(w);
        w->current = current;
    }
    return goal;
}

static vm_goal *next_fixed(vm_worker *w, bool over)
{
    vm_goal *running = w->quantum.given;
    w->quantum.given = NULL;
    return vm_fixed_next(w, over, running);
}

// ---- The next goal ----------------------------------------------------------------------------

vm_goal *vm_next_goal(vm_worker *w)
{
    vm_quantum *q = &w->quantum;
    bool over = q->over, oldest_next = q->oldest_next;
    q->over = q->forgotten = q->oldest_next = false;
    vm_goal *goal = w->seeded     ? next_seeded(w)
                    : w->kind     ? next_fixed(w, over)
                    : over        ? next_after_quantum(w)
                    : oldest_next ? vm_own_oldest(w) // a built-in asked for it
                                  : next_newest(w);
    q->yield = w->in_steps; // then every goal goes by the queues
    if (goal)
        w->priority = goal->priority;
    return goal;
}
