// SPDX-License-Identifier: MIT
#include "vm/schedule/scheduler.h"

#include "vm/engine/bind.h"
#include "vm/schedule/team.h"

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
    if (m->ideal) {
        s->nsteps = (uint32_t)largest_cost(m->program) + 1;
        s->steps = vm_alloc(s->nsteps * sizeof *s->steps);
    } else {
        s->nqueues = m->options.seeded ? m->options.workers : 1;
        s->queues = vm_alloc(s->nqueues * sizeof *s->queues);
        s->random = m->options.seed;
        if (m->program->has_priorities)
            s->pools = vm_alloc(s->nqueues * sizeof *s->pools);
    }
    return s;
}

// ---- Plain ----------------------------------------------------------------------------------

static uint32_t count_of_queue(const vm_machine *m, uint32_t queue)
{
    const vm_scheduler *s = m->scheduler;
    if (s->pools)
        return vm_pool_count(&s->pools[queue]);
    return m->worker.shared ? vm_team_own_count(m) : s->queues[queue].count;
}

// This worker's own goals but those set aside.
static uint32_t queued_count(const vm_machine *m)
{
    return count_of_queue(m, m->scheduler->turn);
}

uint64_t vm_ready_count(const vm_machine *m)
{
    uint64_t count = vm_pool_count(&m->scheduler->aside);
    if (m->ideal)
        return m->scheduler->scheduled;
    for (uint32_t i = 0; i < m->scheduler->nqueues; i++)
        count += count_of_queue(m, i);
    return count;
}

uint32_t vm_own_count(const vm_machine *m)
{
    return queued_count(m) + vm_pool_count(&m->scheduler->aside);
}

static vm_goal *own_newest(vm_machine *m)
{
    vm_scheduler *s = m->scheduler;
    if (s->pools)
        return vm_pool_newest(&s->pools[s->turn]);
    return m->worker.shared ? vm_team_own_newest(m) : vm_queue_newest(&s->queues[s->turn]);
}

vm_goal *vm_own_oldest(vm_machine *m)
{
    vm_scheduler *s = m->scheduler;
    if (s->pools)
        return vm_pool_oldest(&s->pools[s->turn]);
    return m->worker.shared ? vm_team_own_oldest(m) : vm_queue_oldest(&s->queues[s->turn]);
}

vm_goal *vm_next_of_turn(vm_machine *m)
{
    return m->quantum.given ? m->quantum.given : own_newest(m);
}

void vm_push(vm_machine *m, vm_goal *goal)
{
    vm_scheduler *s = m->scheduler;
    if (s->pools) {
        if (goal->priority > m->worker.priority)
            m->quantum.yield = true;
        vm_pool_push(&s->pools[s->turn], goal);
        if (m->worker.shared)
            vm_team_pushed(m);
    } else if (m->worker.shared) {
        vm_team_push(m, goal);
    } else {
        vm_push_alone(s, goal);
    }
}

void vm_give_way(vm_machine *m, vm_goal *goal)
{
    goal->priority = m->worker.priority;
    if (m->quantum.turn_over && !m->options.seeded && !m->scheduler->pools)
        m->quantum.given = goal; // out of the sight of thieves until it is decided who goes on
    else
        vm_push(m, goal);
}

int32_t vm_priority(const vm_machine *m, vm_priority_kind kind, vm_word value)
{
    if (kind == PRIORITY_INHERITED) // value is not set
        return m->worker.priority;
    vm_word w = vm_end_of(value);
    if (vm_tag(w) != TAG_INT)
        return m->worker.priority;
    int64_t p = vm_int_value(w);
    if (kind == PRIORITY_LOWER && __builtin_sub_overflow((int64_t)m->worker.priority, p, &p))
        return m->worker.priority;
    return p < INT32_MIN ? INT32_MIN : p > INT32_MAX ? INT32_MAX : (int32_t)p;
}

enum { TURNS_OF_ONE = 32, STARVES_AFTER = 64, VISIT_EVERY = 16, OLDEST_EVERY = 8 };

static void set_aside(vm_machine *m, vm_goal *goal)
{
    if (m->scheduler->pools)
        vm_pool_push_oldest(&m->scheduler->pools[m->scheduler->turn], goal);
    else
        vm_pool_push(&m->scheduler->aside, goal);
}

void vm_put_off(vm_machine *m)
{
    m->quantum.yield = m->quantum.put_off = true;
}

static vm_goal *next_aside(vm_machine *m)
{
    vm_scheduler *s = m->scheduler;
    return vm_pool_oldest(s->pools ? &s->pools[s->turn] : &s->aside);
}

// goal had many turns in a row: it is set aside. Several such goals are work for several workers.
static vm_goal *take_turns(vm_machine *m, vm_goal *goal)
{
    vm_goal *next = next_aside(m);
    if (!next) {
        VM_SET_COUNT(m->quantum.streak, TURNS_OF_ONE - 1);
        return goal;
    }
    set_aside(m, goal);
    VM_SET_COUNT(m->quantum.streak, STREAK_SPARE);
    return next;
}

// Some goals had no turn for long. One that was set aside, or the oldest, has one, the n-th out of
// turn; then goal goes on. NULL: there is none. Where there is but one in the queue it is often the
// consumer of goal, and its turn comes anyway.
static vm_goal *visit(vm_machine *m, vm_goal *goal, uint32_t streak, uint32_t n)
{
    bool oldest = n % 4 == 3;
    vm_goal *next = oldest ? vm_own_oldest(m) : next_aside(m);
    if (!next) {
        oldest = !oldest && queued_count(m) > 1;
        next = oldest ? vm_own_oldest(m) : next_aside(m);
    }
    if (!next)
        return NULL;
    vm_push(m, goal);
    m->quantum.streak_before = streak;
    VM_SET_COUNT(m->quantum.streak, oldest ? STREAK_OLDEST : STREAK_VISIT);
    return next;
}

// The visitor goes back to where it came from, the goal before it goes on, or who is newer.
static vm_goal *end_visit(vm_machine *m, vm_goal *visitor, uint32_t streak)
{
    vm_goal *next = own_newest(m);
    if (!next)
        return visitor;
    if (streak >= STREAK_OLDEST)
        vm_push(m, visitor);
    else if (VM_GET_COUNT(m->quantum.turns) / VISIT_EVERY % 2 == 0 || m->scheduler->pools)
        set_aside(m, visitor);
    else // what is newer often takes from what is older, and should stay before it
        vm_pool_push_oldest(&m->scheduler->aside, visitor);
    VM_SET_COUNT(m->quantum.streak, m->quantum.streak_before);
    return next;
}

static vm_goal *give_way(vm_machine *m, vm_goal *goal)
{
    vm_goal *next = own_newest(m);
    if (!next)
        return goal;
    set_aside(m, goal);
    VM_SET_COUNT(m->quantum.streak, 0);
    return next;
}

// Where the goal taken is this worker's only one, all others have had their turns.
static void note_if_alone(vm_machine *m)
{
    if (vm_own_count(m) == 0)
        m->quantum.alone = VM_GET_COUNT(m->quantum.turns);
}

// If the goal whose turn is over waits or came to its end, the newest one stands for it.
static vm_goal *next_turn(vm_machine *m)
{
    vm_goal *goal = m->quantum.given ? m->quantum.given : own_newest(m), *next;
    m->quantum.given = NULL;
    uint32_t streak = VM_GET_COUNT(m->quantum.streak) + 1,
             turns = VM_GET_COUNT(m->quantum.turns) + 1;
    VM_SET_COUNT(m->quantum.streak, streak);
    VM_SET_COUNT(m->quantum.turns, turns);
    if (!goal)
        return next_aside(m);
    if (streak > STREAK_VISIT)
        return end_visit(m, goal, streak);
    note_if_alone(m);
    if (turns - m->quantum.alone > STARVES_AFTER && turns % VISIT_EVERY == 0 &&
        (next = visit(m, goal, streak, turns / VISIT_EVERY)))
        return next;
    if (streak % STREAK_SPARE < 2) // it did not have all of the turn
        return goal;
    if (queued_count(m) > 0)
        return give_way(m, goal);
    return streak % STREAK_SPARE >= TURNS_OF_ONE ? take_turns(m, goal) : goal;
}

static vm_goal *next_oldest(vm_machine *m)
{
    vm_goal *goal = next_aside(m);
    return goal ? goal : vm_own_oldest(m);
}

static vm_goal *next_newest(vm_machine *m)
{
    vm_goal *goal = own_newest(m);
    VM_SET_COUNT(m->quantum.streak, 0);
    if (goal || m->scheduler->pools)
        return goal;
    goal = vm_pool_newest(&m->scheduler->aside);
    note_if_alone(m);
    return goal;
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

static vm_goal *next_seeded(vm_machine *m)
{
    vm_scheduler *s = m->scheduler;
    uint64_t draw = next_random(s), victim = next_random(s);
    s->turn = (uint32_t)(draw % s->nqueues);
    vm_goal *goal = (draw >> 32) % OLDEST_EVERY == 0 ? vm_own_oldest(m) : own_newest(m);
    for (uint32_t i = 0, turn = s->turn; i < s->nqueues && !goal; i++) {
        s->turn = (uint32_t)((victim + i) % s->nqueues);
        goal = vm_own_oldest(m);
        s->turn = turn;
    }
    return goal;
}

vm_goal *vm_next_goal(vm_machine *m)
{
    bool turn_over = m->quantum.turn_over, put_off = m->quantum.put_off;
    m->quantum.turn_over = m->quantum.forgotten = m->quantum.put_off = false;
    vm_goal *goal = m->options.seeded ? next_seeded(m)
                    : turn_over       ? next_turn(m)
                    : put_off         ? next_oldest(m) // a built-in has put itself off
                                      : next_newest(m);
    m->quantum.yield = m->options.seeded; // then every goal goes by the queues
    if (goal)
        m->worker.priority = goal->priority;
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

void vm_scheduler_clear(vm_scheduler *s)
{
    for (uint32_t i = 0; i < s->nsteps; i++)
        s->steps[i].fresh.n = s->steps[i].woken.n = 0;
    s->scheduled = s->batch.n = 0;
}

void vm_scheduler_reserve(vm_scheduler *s, const vm_program *p)
{
    uint32_t wanted = (uint32_t)largest_cost(p) + 1;
    if (wanted <= s->nsteps)
        return;
    s->nsteps = wanted;
    s->steps = vm_alloc(s->nsteps * sizeof *s->steps);
}
