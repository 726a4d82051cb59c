// SPDX-License-Identifier: MIT
//
// Workers of one run: what they take from each other, when they sleep, and when one is alone. The
// engine runs them (vm/engine/workers.c).
#define GC_THREADS
#include "vm/schedule/team.h"

#include "vm/memory.h"
#include "vm/term/heap.h"

#include <gc.h>
#include <time.h>

#ifndef VM_STEAL_ROUNDS // before a worker goes to sleep
#define VM_STEAL_ROUNDS 16
#endif

#ifndef VM_LONE_TOO // thieves take the only goal of a worker, too
#define VM_LONE_TOO false
#endif

#ifndef VM_BEGIN_ALONE
#define VM_BEGIN_ALONE true
#endif

static vm_deque *deque_of(const vm_worker *w)
{
    return &w->team->deques[w->number];
}

// ---- Own goals ------------------------------------------------------------------------------

static uint32_t count_of(const uint32_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void set_count(uint32_t *counter, uint32_t n)
{
    __atomic_store_n(counter, n, __ATOMIC_RELAXED);
}

// Do both the goal that the worker runs and another one take long?
static bool has_one_to_spare(const vm_worker *w)
{
    return vm_get_streak(&w->quantum).kind == STREAK_SPARE;
}

static bool has_to_take(const vm_worker *w)
{
    uint32_t n = vm_own_count(w);
    return n > 1 || (n == 1 && (VM_LONE_TOO || w->team->together || has_one_to_spare(w)));
}

// Wakes a sleeper, if there is one and something for it to take.
static void call(vm_worker *w)
{
    vm_team *t = w->team;
    if (__builtin_expect(count_of(&t->asleep) == 0, 1) || !has_to_take(w))
        return;
    pthread_mutex_lock(&t->lock);
    if (count_of(&t->asleep) > 0) {
        set_count(&t->asleep, count_of(&t->asleep) - 1);
        t->calls++;
        pthread_cond_signal(&t->woken);
    }
    pthread_mutex_unlock(&t->lock);
}

void vm_team_push(vm_worker *w, vm_goal *goal)
{
    vm_deque_push(deque_of(w), goal);
    call(w);
}

void vm_team_pushed(vm_worker *w)
{
    call(w);
}

static vm_goal *steal_oldest(vm_deque *d)
{
    bool again;
    vm_goal *goal;
    do
        goal = vm_deque_steal(d, &again);
    while (again);
    return goal;
}

vm_goal *vm_team_own_newest(vm_worker *w)
{
    return vm_deque_pop(deque_of(w));
}

vm_goal *vm_team_own_oldest(vm_worker *w)
{
    return steal_oldest(deque_of(w));
}

uint32_t vm_team_own_count(const vm_worker *w)
{
    return vm_deque_count(deque_of(w));
}

uint64_t vm_team_ready(const vm_team *t)
{
    uint64_t ready = t->n - count_of(&t->idle);
    for (uint32_t i = 0; i < t->n; i++)
        ready += vm_own_count(t->workers[i]);
    return ready;
}

// ---- Goals of others ------------------------------------------------------------------------

static vm_goal *take_oldest(vm_worker *from)
{
    if (from->levels)
        return vm_priority_queue_oldest(&from->levels[0]);
    vm_goal *goal = vm_priority_queue_oldest(&from->low);
    return goal ? goal : steal_oldest(deque_of(from));
}

// rested: also takes the only goal of a worker that is in a built-in and ended no quantum since
// this one became idle (w->seen).
static vm_goal *steal(vm_worker *w, bool rested)
{
    vm_team *t = w->team;
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t number = (w->number + i) % t->n;
        vm_worker *other = t->workers[number];
        bool stuck = rested && VM_GET_COUNT(other->in_builtin) &&
                     VM_GET_COUNT(other->quantum.number) == w->seen[number];
        vm_goal *goal = stuck || has_to_take(other) ? take_oldest(other) : NULL;
        if (goal)
            return goal;
    }
    return NULL;
}

static bool some_have_to_take(const vm_team *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (has_to_take(t->workers[i]))
            return true;
    return false;
}

static vm_worker *chosen_of(const vm_team *t)
{
    return __atomic_load_n(&t->chosen, __ATOMIC_RELAXED);
}

// Is another worker to be alone? Then this one gives up its goals.
static bool must_hand_over(const vm_worker *w)
{
    return chosen_of(w->team) && chosen_of(w->team) != w;
}

static bool must_leave(const vm_team *t)
{
    return __atomic_load_n(&t->ended, __ATOMIC_RELAXED) ||
           __atomic_load_n(&t->outcome, __ATOMIC_ACQUIRE) != 0;
}

// ---- Idle workers ---------------------------------------------------------------------------

enum { SHORTEST_NAP = 1, LONGEST_NAP = 32 }; // ms

static struct timespec end_of_nap(uint32_t ms)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += (long)ms * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    return end;
}

// While another worker is alone, or is to be, there is nothing for this one to take.
static bool has_no_part(const vm_worker *w)
{
    return w->team->alone || must_hand_over(w);
}

typedef struct {
    vm_worker *worker;
    bool rested; // the nap is over
} vm_sleep;

// Sleeps until the worker is called, its nap is over, goals are handed over or all must leave. While
// it has no part in the work it sleeps on in the first three cases. The lock is held.
static void *sleep_idle(void *data)
{
    vm_sleep *s = data;
    vm_team *t = s->worker->team;
    struct timespec end = end_of_nap(s->worker->nap);
    while (!must_leave(t) &&
           (has_no_part(s->worker) || (t->calls == 0 && !s->rested && vm_queue_count(&t->handed) == 0))) {
        s->rested = pthread_cond_timedwait(&t->woken, &t->lock, &end) != 0;
        if (s->rested && has_no_part(s->worker))
            end = end_of_nap(LONGEST_NAP);
    }
    return NULL;
}

// The collector need not stop this thread meanwhile.
static void sleep_in_peace(vm_worker *w, bool *ret_rested)
{
    vm_team *t = w->team;
    vm_sleep s = {.worker = w};
    set_count(&t->asleep, count_of(&t->asleep) + 1);
    GC_do_blocking(sleep_idle, &s);
    *ret_rested = s.rested;
    if (t->calls > 0)
        t->calls--; // and the caller has counted this worker out
    else
        set_count(&t->asleep, count_of(&t->asleep) - 1);
}

// For a worker that found nothing to take: waits until there may be something (*ret_rested: the nap is
// over) or the run is over (false).
static bool idle(vm_worker *w, bool *ret_rested)
{
    vm_team *t = w->team;
    *ret_rested = false;
    for (uint32_t i = 0; i < t->n; i++)
        w->seen[i] = VM_GET_COUNT(t->workers[i]->quantum.number);
    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + 1);
    if (count_of(&t->idle) == t->n && vm_queue_count(&t->handed) == 0)
        __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
    else if (!must_leave(t) && (has_no_part(w) || !some_have_to_take(t)))
        sleep_in_peace(w, ret_rested);
    set_count(&t->idle, count_of(&t->idle) - 1);
    bool goes_on = !must_leave(t);
    if (!goes_on)
        pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
    w->nap = !*ret_rested                  ? SHORTEST_NAP
                    : w->nap < LONGEST_NAP ? 2 * w->nap
                                                  : w->nap;
    return goes_on;
}

static void relax(uint32_t round)
{
    for (uint32_t i = 0; i < 1u << (round < 6 ? round : 6); i++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
    }
}

static vm_goal *take_handed(vm_worker *w)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    vm_goal *goal = chosen_of(t) == w ? vm_queue_oldest(&t->handed) : NULL;
    pthread_mutex_unlock(&t->lock);
    return goal;
}

static vm_goal *look_for_goal(vm_worker *w)
{
    bool rested = false;
    do {
        for (uint32_t round = 0; round < VM_STEAL_ROUNDS && !must_leave(w->team); round++) {
            if (must_hand_over(w))
                break;
            vm_goal *goal = chosen_of(w->team) ? take_handed(w) : NULL;
            if (!goal)
                goal = steal(w, rested);
            if (goal)
                return goal;
            relax(round);
        }
    } while (idle(w, &rested));
    return NULL;
}

vm_goal *vm_team_next(vm_worker *w)
{
    uint32_t number = VM_GET_COUNT(w->quantum.number);
    if (w->quantum.stop || must_leave(w->team))
        return NULL;
    vm_goal *goal = vm_next_goal(w);
    if (VM_GET_COUNT(w->quantum.number) != number)
        call(w);
    return goal;
}

bool vm_team_find(vm_worker *w)
{
    vm_goal *goal = look_for_goal(w);
    if (!goal)
        return false;
    if (w->levels)
        vm_priority_queue_push(&w->levels[0], goal);
    else
        vm_deque_push(deque_of(w), goal);
    return true;
}

// ---- Threads --------------------------------------------------------------------------------

vm_team *vm_team_create(vm_worker **workers, uint32_t n, bool together)
{
    vm_team *t = vm_alloc(sizeof *t);
    vm_deque_prepare();
    t->n = n;
    t->workers = workers;
    t->deques = vm_alloc(n * sizeof *t->deques);
    t->together = together;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->serial, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->woken, &clock);
    pthread_condattr_destroy(&clock);
    for (uint32_t i = 0; i < n; i++) {
        vm_worker *w = workers[i];
        vm_deque_init(&t->deques[i]);
        w->team = t;
        w->number = i;
        w->shared = true;
        w->seen = vm_alloc(n * sizeof *w->seen);
        w->nap = SHORTEST_NAP;
    }
    vm_threads = n > 1;
    return t;
}

void vm_team_end(vm_worker *w, uint32_t outcome)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    if (t->outcome == 0) {
        t->ended_by = w;
        __atomic_store_n(&t->outcome, outcome, __ATOMIC_RELEASE);
    }
    pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
}

bool vm_team_is_over(const vm_worker *w)
{
    return must_leave(w->team);
}

// ---- One alone ------------------------------------------------------------------------------

enum { LONELY_TURNS = 8 };

static uint64_t clock_now(void) // ns
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t reductions_of(const vm_team *t)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < t->n; i++)
        total += VM_GET_COUNT(t->workers[i]->reductions);
    return total;
}

static void set_chosen(vm_team *t, vm_worker *w)
{
    __atomic_store_n(&t->chosen, w, __ATOMIC_RELAXED);
}

// The lock is held, or there are no other threads yet; all others are idle.
static void become_alone(vm_worker *w)
{
    vm_team *t = w->team;
    vm_goal *goal;
    t->alone = w;
    set_chosen(t, NULL);
    vm_set_streak(&w->quantum, (vm_streak){0}); // kinds of streaks differ
    w->shared = false;
    w->lonely = 0;
    while ((goal = vm_team_own_newest(w)))
        vm_queue_push_oldest(&w->order.stack, goal);
    while ((goal = vm_priority_queue_newest(&w->low)))
        vm_queue_push_oldest(&w->order.stack, goal);
    while ((goal = vm_queue_newest(&t->handed))) // they are older
        w->levels ? vm_priority_queue_push_oldest(&w->levels[0], goal)
                 : vm_queue_push_oldest(&w->order.stack, goal);
}

// Memory may be exhausted while goals change queues: vm_team_release() gives the lock back then.
static void lock_team(vm_worker *w)
{
    pthread_mutex_lock(&w->team->lock);
    w->in_team = true;
}

static void unlock_team(vm_worker *w)
{
    w->in_team = false;
    pthread_mutex_unlock(&w->team->lock);
}

void vm_team_work_alone(vm_worker *w)
{
    vm_team *t = w->team;
    lock_team(w);
    if (!t->alone && !must_hand_over(w) && count_of(&t->idle) == t->n - 1 && !must_leave(t)) {
        become_alone(w);
        vm_pace_change(&t->pace, false, clock_now(), reductions_of(t));
    }
    unlock_team(w);
}

void vm_team_work_together(vm_worker *w)
{
    vm_team *t = w->team;
    vm_goal *goal;
    lock_team(w);
    t->alone = NULL;
    vm_set_streak(&w->quantum, (vm_streak){0});
    w->shared = true;
    while ((goal = vm_order_take_last(&w->order)))
        vm_deque_push(deque_of(w), goal);
    vm_pace_change(&t->pace, true, clock_now(), reductions_of(t));
    if (t->calls > 0) // before one was alone
        pthread_cond_broadcast(&t->woken);
    unlock_team(w);
    call(w);
}

void vm_team_choose(vm_worker *w)
{
    pthread_mutex_lock(&w->team->lock);
    if (!chosen_of(w->team) && !w->team->alone)
        set_chosen(w->team, w);
    pthread_mutex_unlock(&w->team->lock);
}

// The newest of all goals of this worker.
static vm_goal *any_own(vm_worker *w)
{
    vm_goal *goal = w->quantum.given;
    w->quantum.given = NULL;
    if (!goal)
        goal = w->levels ? vm_priority_queue_newest(&w->levels[0]) : vm_team_own_newest(w);
    return goal || w->levels ? goal : vm_priority_queue_newest(&w->low);
}

void vm_team_hand_over(vm_worker *w)
{
    vm_team *t = w->team;
    vm_goal *goal;
    lock_team(w);
    if (must_hand_over(w)) { // still
        while ((goal = any_own(w)))
            vm_queue_push_oldest(&t->handed, goal);
        pthread_cond_broadcast(&t->woken);
    }
    unlock_team(w);
}

static bool pays(vm_worker *w)
{
    vm_team *t = w->team;
    pthread_mutex_lock(&t->lock);
    bool result = vm_pace_pays(&t->pace, clock_now(), reductions_of(t), t->n);
    pthread_mutex_unlock(&t->lock);
    return result;
}

// After a quantum of a worker that works together with others; wanted: there is something for them
// to take.
static void choose_in_team(vm_worker *w, bool wanted)
{
    vm_team *t = w->team;
    bool others_idle = count_of(&t->idle) == t->n - 1;
    if (must_hand_over(w))
        vm_team_hand_over(w);
    else if (chosen_of(t) == w)
        w->lonely = LONELY_TURNS;
    else if (!pays(w))
        vm_team_choose(w);
    else
        w->lonely = wanted || !others_idle ? 0 : w->lonely + 1;
    if (w->lonely >= LONELY_TURNS && others_idle)
        vm_team_work_alone(w);
}

void vm_team_quantum_over(vm_worker *w)
{
    vm_team *t = w->team;
    bool asked = w->wants_company, wanted = asked || has_to_take(w);
    w->wants_company = false;
    if (t->together)
        return;
    if (w->shared)
        choose_in_team(w, wanted);
    else if ((vm_pace_may_join(&t->pace, clock_now(), reductions_of(t)) && wanted) ||
             asked)
        vm_team_work_together(w);
}

// ---- From the beginning to the end ------------------------------------------------------------

void vm_team_begin(vm_team *t, bool may_be_alone)
{
    vm_pace_begin(&t->pace, clock_now(), reductions_of(t));
    if (VM_BEGIN_ALONE && may_be_alone && !t->together)
        become_alone(t->workers[0]);
}

bool vm_team_join(vm_worker *w)
{
    bool rested;
    return idle(w, &rested);
}

void vm_team_miss(vm_team *t, uint32_t n)
{
    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + n);
    pthread_mutex_unlock(&t->lock);
}

void vm_team_release(vm_worker *w)
{
    if (w->in_serial)
        pthread_mutex_unlock(&w->team->serial);
    if (w->in_team)
        unlock_team(w);
}
