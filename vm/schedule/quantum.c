// SPDX-License-Identifier: MIT
//
// Which goal runs next: after a quantum, after a goal that is done or suspended, and under a seed.
#include "vm/schedule/worker.h"

enum { QUANTA_OF_ONE = 32, STARVES_AFTER = 64, BOOST_EVERY = 16, OLDEST_EVERY = 8 };

// ---- The low-priority queue -------------------------------------------------------------------

// In a program with priorities the oldest end of the goal's own level serves as one.
static void demote(vm_worker *w, vm_goal *goal)
{
    if (w->levels)
        vm_priority_queue_push_oldest(&w->levels[w->current], goal);
    else
        vm_priority_queue_push(&w->low, goal);
}

static vm_goal *oldest_low(vm_worker *w)
{
    return vm_priority_queue_oldest(w->levels ? &w->levels[w->current] : &w->low);
}

// ---- When a quantum is over -------------------------------------------------------------------

// goal had many quanta in a row: it is demoted. Several such goals are work for several workers.
static vm_goal *end_streak(vm_worker *w, vm_goal *goal)
{
    vm_goal *next = oldest_low(w);
    if (!next) {
        vm_set_streak(&w->quantum, (vm_streak){QUANTA_OF_ONE - 1, STREAK_OWN});
        return goal;
    }
    demote(w, goal);
    vm_set_streak(&w->quantum, (vm_streak){0, STREAK_SPARE});
    return next;
}

// Some goals had no quantum for a long time. The n-th boost goes to one of the low-priority queue,
// or to the oldest goal of the run queue; afterwards `goal` continues. NULL: nothing to boost. A
// goal that is alone in the run queue is often the consumer of `goal`, and its quantum comes
// anyway.
static vm_goal *boost(vm_worker *w, vm_goal *goal, vm_streak streak, uint32_t n)
{
    bool oldest = n % 4 == 3;
    vm_goal *next = oldest ? vm_own_oldest(w) : oldest_low(w);
    if (!next) {
        oldest = !oldest && vm_queued_count(w) > 1;
        next = oldest ? vm_own_oldest(w) : oldest_low(w);
    }
    if (!next)
        return NULL;
    vm_push(w, goal);
    w->quantum.before_boost = streak;
    vm_set_streak(&w->quantum, (vm_streak){0, oldest ? STREAK_BOOST_OLDEST : STREAK_BOOST_LOW});
    return next;
}

// The boosted goal returns to its queue. The goal before it continues, or a newer one.
static vm_goal *end_boost(vm_worker *w, vm_goal *boosted, vm_streak streak)
{
    vm_goal *next = vm_own_newest(w);
    if (!next)
        return boosted;
    if (streak.kind == STREAK_BOOST_OLDEST)
        vm_push(w, boosted);
    else if (VM_GET_COUNT(w->quantum.number) / BOOST_EVERY % 2 == 0 || w->levels)
        demote(w, boosted);
    else // newer goals often take from older ones, and should stay before them
        vm_priority_queue_push_oldest(&w->low, boosted);
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

// Where the goal taken is this worker's only one, all others have had their quanta.
static void note_if_only_one(vm_worker *w)
{
    if (vm_own_count(w) == 0)
        w->quantum.had_all = VM_GET_COUNT(w->quantum.number);
}

// If the goal whose quantum is over is suspended or done, the newest goal takes its part.
static vm_goal *next_after_quantum(vm_worker *w)
{
    bool goes_on = w->quantum.given != NULL;
    vm_goal *goal = vm_take_running(w), *next;
    vm_streak streak = vm_get_streak(&w->quantum);
    if (!goes_on && !w->levels && !w->shared)
        streak = (vm_streak){0}; // another goal runs now, which has a turn of its own
    uint32_t number = VM_GET_COUNT(w->quantum.number) + 1;
    streak.quanta++;
    w->quantum.given = NULL;
    vm_set_streak(&w->quantum, streak);
    VM_SET_COUNT(w->quantum.number, number);
    if (!w->levels && !w->shared)
        return vm_order_after_quantum(w, goal);
    if (!goal)
        return oldest_low(w);
    if (streak.kind >= STREAK_BOOST_LOW)
        return end_boost(w, goal, streak);
    note_if_only_one(w);
    if (number - w->quantum.had_all > STARVES_AFTER && number % BOOST_EVERY == 0 &&
        (next = boost(w, goal, streak, number / BOOST_EVERY)))
        return next;
    if (streak.quanta < 2) // it did not have all of the quantum
        return goal;
    if (vm_queued_count(w) > 0)
        return demote_for_newest(w, goal);
    return streak.quanta >= QUANTA_OF_ONE ? end_streak(w, goal) : goal;
}

// ---- When no quantum is over ------------------------------------------------------------------

static vm_goal *next_oldest(vm_worker *w)
{
    vm_goal *goal = oldest_low(w);
    return goal ? goal : vm_own_oldest(w);
}

static vm_goal *next_newest(vm_worker *w)
{
    if (!w->levels && !w->shared)
        return vm_order_next(w);
    vm_goal *goal = vm_own_newest(w);
    vm_set_streak(&w->quantum, (vm_streak){0});
    if (goal || w->levels)
        return goal;
    goal = vm_priority_queue_newest(&w->low);
    note_if_only_one(w);
    return goal;
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
    q->over = q->forgotten = q->oldest_next = q->ahead = false;
    vm_goal *goal = w->seeded     ? next_seeded(w)
                    : w->kind     ? next_fixed(w, over)
                    : over        ? next_after_quantum(w)
                    : oldest_next ? next_oldest(w) // a built-in asked for it
                                  : next_newest(w);
    q->yield = w->in_steps; // then every goal goes by the queues
    if (goal)
        w->priority = goal->priority;
    return goal;
}
