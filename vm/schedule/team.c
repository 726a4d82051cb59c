// SPDX-License-Identifier: MIT
#define GC_THREADS
#include "vm/schedule/team.h"

#include "vm/term/heap.h"
#include "vm/engine/real.h"
#include "vm/schedule/scheduler.h"

#include <gc.h>
#include <stdlib.h>
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

static vm_deque *deque_of(const vm_machine *m)
{
    return &m->worker.team->deques[m->worker.number];
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
static bool has_one_to_spare(const vm_machine *m)
{
    uint32_t streak = VM_GET_COUNT(m->quantum.streak);
    return streak >= STREAK_SPARE && streak < STREAK_VISIT;
}

static bool has_to_take(const vm_machine *m)
{
    uint32_t n = vm_own_count(m);
    return n > 1 || (n == 1 && (VM_LONE_TOO || m->options.together || has_one_to_spare(m)));
}

// Wakes a sleeper if there is one, and something to take for it.
static void call(vm_machine *m)
{
    vm_team *t = m->worker.team;
    if (__builtin_expect(count_of(&t->asleep) == 0, 1) || !has_to_take(m))
        return;
    pthread_mutex_lock(&t->lock);
    if (count_of(&t->asleep) > 0) {
        set_count(&t->asleep, count_of(&t->asleep) - 1);
        t->calls++;
        pthread_cond_signal(&t->woken);
    }
    pthread_mutex_unlock(&t->lock);
}

void vm_team_push(vm_machine *m, vm_goal *goal)
{
    vm_deque_push(deque_of(m), goal);
    call(m);
}

void vm_team_pushed(vm_machine *m)
{
    call(m);
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

vm_goal *vm_team_own_newest(vm_machine *m)
{
    return vm_deque_pop(deque_of(m));
}

vm_goal *vm_team_own_oldest(vm_machine *m)
{
    return steal_oldest(deque_of(m));
}

uint32_t vm_team_own_count(const vm_machine *m)
{
    return vm_deque_count(deque_of(m));
}

uint64_t vm_team_ready(const vm_team *t)
{
    uint64_t ready = t->n - count_of(&t->idle);
    for (uint32_t i = 0; i < t->n; i++)
        ready += vm_own_count(t->workers[i]);
    return ready;
}

// ---- Goals of others ------------------------------------------------------------------------

static vm_goal *take_oldest(vm_machine *from)
{
    vm_scheduler *s = from->scheduler;
    if (s->pools)
        return vm_pool_oldest(&s->pools[0]);
    vm_goal *goal = vm_pool_oldest(&s->aside);
    return goal ? goal : steal_oldest(deque_of(from));
}

// Also from one that had no turn since (m->worker.seen), if it has a goal.
static vm_goal *steal(vm_machine *m, bool rested)
{
    vm_team *t = m->worker.team;
    for (uint32_t i = 1; i < t->n; i++) {
        uint32_t number = (m->worker.number + i) % t->n;
        vm_machine *other = t->workers[number];
        bool stuck = rested && VM_GET_COUNT(other->worker.in_builtin) &&
                     VM_GET_COUNT(other->quantum.turns) == m->worker.seen[number];
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

static vm_machine *chosen_of(const vm_team *t)
{
    return __atomic_load_n(&t->chosen, __ATOMIC_RELAXED);
}

// Is another one to be alone? Then this one gives up its goals.
static bool must_hand_over(const vm_machine *m)
{
    return chosen_of(m->worker.team) && chosen_of(m->worker.team) != m;
}

static bool must_leave(const vm_team *t)
{
    return __atomic_load_n(&t->ended, __ATOMIC_RELAXED) ||
           __atomic_load_n(&t->stop, __ATOMIC_ACQUIRE) != VM_CONTINUE;
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

// While another one is alone, or is to be, there is nothing to take for this one.
static bool has_no_part(const vm_machine *m)
{
    return m->worker.team->alone || must_hand_over(m);
}

typedef struct {
    vm_machine *worker;
    bool rested; // the nap is over
} vm_sleep;

// Sleeps until it is called, until the nap is over, until it is handed goals or all must leave; in
// any case while it has no part. The lock is held.
static void *sleep_idle(void *data)
{
    vm_sleep *s = data;
    vm_team *t = s->worker->worker.team;
    struct timespec end = end_of_nap(s->worker->worker.nap);
    while (!must_leave(t) &&
           (has_no_part(s->worker) || (t->calls == 0 && !s->rested && t->handed.count == 0))) {
        s->rested = pthread_cond_timedwait(&t->woken, &t->lock, &end) != 0;
        if (s->rested && has_no_part(s->worker))
            end = end_of_nap(LONGEST_NAP);
    }
    return NULL;
}

// The collector need not stop this thread meanwhile.
static void sleep_in_peace(vm_machine *m, bool *ret_rested)
{
    vm_team *t = m->worker.team;
    vm_sleep s = {.worker = m};
    set_count(&t->asleep, count_of(&t->asleep) + 1);
    GC_do_blocking(sleep_idle, &s);
    *ret_rested = s.rested;
    if (t->calls > 0)
        t->calls--; // and the caller has counted this worker out
    else
        set_count(&t->asleep, count_of(&t->asleep) - 1);
}

// LOOKING found nothing: waits until there may be something, *ret_rested as above, or the run is
// over: false.
static bool idle(vm_machine *m, bool *ret_rested)
{
    vm_team *t = m->worker.team;
    *ret_rested = false;
    for (uint32_t i = 0; i < t->n; i++)
        m->worker.seen[i] = VM_GET_COUNT(t->workers[i]->quantum.turns);
    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + 1);
    if (count_of(&t->idle) == t->n && t->handed.count == 0)
        __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
    else if (!must_leave(t) && (has_no_part(m) || !some_have_to_take(t)))
        sleep_in_peace(m, ret_rested);
    set_count(&t->idle, count_of(&t->idle) - 1);
    bool goes_on = !must_leave(t);
    if (!goes_on)
        pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
    m->worker.nap = !*ret_rested                  ? SHORTEST_NAP
                    : m->worker.nap < LONGEST_NAP ? 2 * m->worker.nap
                                                  : m->worker.nap;
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

static vm_goal *take_handed(vm_machine *m)
{
    vm_team *t = m->worker.team;
    pthread_mutex_lock(&t->lock);
    vm_goal *goal = chosen_of(t) == m ? vm_queue_oldest(&t->handed) : NULL;
    pthread_mutex_unlock(&t->lock);
    return goal;
}

static vm_goal *look_for_goal(vm_machine *m)
{
    bool rested = false;
    do {
        for (uint32_t round = 0; round < VM_STEAL_ROUNDS && !must_leave(m->worker.team); round++) {
            if (must_hand_over(m))
                break;
            vm_goal *goal = chosen_of(m->worker.team) ? take_handed(m) : NULL;
            if (!goal)
                goal = steal(m, rested);
            if (goal)
                return goal;
            relax(round);
        }
    } while (idle(m, &rested));
    return NULL;
}

vm_goal *vm_team_next(vm_machine *m)
{
    uint32_t turns = VM_GET_COUNT(m->quantum.turns);
    if (m->quantum.stop || must_leave(m->worker.team))
        return NULL;
    vm_goal *goal = vm_next_goal(m);
    if (VM_GET_COUNT(m->quantum.turns) != turns)
        call(m);
    return goal;
}

bool vm_team_find(vm_machine *m)
{
    vm_goal *goal = look_for_goal(m);
    if (!goal)
        return false;
    if (m->scheduler->pools)
        vm_pool_push(&m->scheduler->pools[0], goal);
    else
        vm_deque_push(deque_of(m), goal);
    return true;
}

// ---- Threads --------------------------------------------------------------------------------

static vm_machine *new_worker(vm_machine *first, vm_team *t, uint32_t number)
{
    vm_machine *m = number == 0 ? first : vm_machine_create(first->program, &first->options);
    m->worker.team = t;
    m->worker.number = number;
    m->builtins.output = first->builtins.output;
    m->start.made = number > 0;
    m->cells.made = VM_CELL_FIRST(number);
    if (m->real)
        m->real->began = first->real->began;
    m->worker.shared = true;
    m->worker.seen = vm_alloc(t->n * sizeof *m->worker.seen);
    m->worker.nap = SHORTEST_NAP;
    if (number > 0) // made here: a thread has no lists of its own to make them from
        m->worker.free_lists = vm_alloc((VM_SMALL_GRANULES + 1) * sizeof *m->worker.free_lists);
    return m;
}

vm_team *vm_team_create(vm_machine *first)
{
    vm_team *t = vm_alloc(sizeof *t);
    vm_deque_prepare();
    t->n = first->options.workers;
    t->workers = vm_alloc(t->n * sizeof(vm_machine *));
    t->deques = vm_alloc(t->n * sizeof *t->deques);
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->serial, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&t->woken, &clock);
    pthread_condattr_destroy(&clock);
    for (uint32_t i = 0; i < t->n; i++) {
        vm_deque_init(&t->deques[i]);
        t->workers[i] = new_worker(first, t, i);
    }
    vm_threads = t->n > 1;
    return t;
}

static void end_all(vm_machine *m, vm_outcome outcome)
{
    vm_team *t = m->worker.team;
    pthread_mutex_lock(&t->lock);
    if (t->stop == VM_CONTINUE) {
        t->stopped_by = m;
        __atomic_store_n(&t->stop, (uint32_t)outcome, __ATOMIC_RELEASE);
    }
    pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
}

bool vm_team_is_over(const vm_machine *m)
{
    return must_leave(m->worker.team);
}

// ---- One alone ------------------------------------------------------------------------------

enum { LONELY_TURNS = 8 };

static uint64_t clock_now(void) // ns
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void set_chosen(vm_team *t, vm_machine *m)
{
    __atomic_store_n(&t->chosen, m, __ATOMIC_RELAXED);
}

// The lock is held, or there are no other threads yet; all others are idle.
static void become_alone(vm_machine *m)
{
    vm_team *t = m->worker.team;
    vm_scheduler *s = m->scheduler;
    vm_goal *goal;
    t->alone = m;
    set_chosen(t, NULL);
    m->worker.shared = false;
    m->worker.lonely = 0;
    while ((goal = vm_team_own_newest(m)))
        vm_queue_push_oldest(&s->queues[0], goal);
    while ((goal = vm_queue_newest(&t->handed))) // they are older
        s->pools ? vm_pool_push_oldest(&s->pools[0], goal)
                 : vm_queue_push_oldest(&s->queues[0], goal);
}

// Memory may be exhausted while goals change queues: work() lets go of the lock then.
static void lock_team(vm_machine *m)
{
    pthread_mutex_lock(&m->worker.team->lock);
    m->worker.in_team = true;
}

static void unlock_team(vm_machine *m)
{
    m->worker.in_team = false;
    pthread_mutex_unlock(&m->worker.team->lock);
}

void vm_team_work_alone(vm_machine *m)
{
    vm_team *t = m->worker.team;
    lock_team(m);
    if (!t->alone && !must_hand_over(m) && count_of(&t->idle) == t->n - 1 && !must_leave(t)) {
        become_alone(m);
        vm_pace_change(&t->pace, false, clock_now(), vm_reductions(m));
    }
    unlock_team(m);
}

void vm_team_work_together(vm_machine *m)
{
    vm_team *t = m->worker.team;
    vm_goal *goal;
    lock_team(m);
    t->alone = NULL;
    m->worker.shared = true;
    while ((goal = vm_queue_oldest(&m->scheduler->queues[0])))
        vm_deque_push(deque_of(m), goal);
    vm_pace_change(&t->pace, true, clock_now(), vm_reductions(m));
    if (t->calls > 0) // before one was alone
        pthread_cond_broadcast(&t->woken);
    unlock_team(m);
    call(m);
}

void vm_team_choose(vm_machine *m)
{
    pthread_mutex_lock(&m->worker.team->lock);
    if (!chosen_of(m->worker.team) && !m->worker.team->alone)
        set_chosen(m->worker.team, m);
    pthread_mutex_unlock(&m->worker.team->lock);
}

// The newest of all goals of this worker.
static vm_goal *any_own(vm_machine *m)
{
    vm_scheduler *s = m->scheduler;
    vm_goal *goal = m->quantum.given;
    m->quantum.given = NULL;
    if (!goal)
        goal = s->pools ? vm_pool_newest(&s->pools[0]) : vm_team_own_newest(m);
    return goal || s->pools ? goal : vm_pool_newest(&s->aside);
}

void vm_team_hand_over(vm_machine *m)
{
    vm_team *t = m->worker.team;
    vm_goal *goal;
    lock_team(m);
    if (must_hand_over(m)) { // still
        while ((goal = any_own(m)))
            vm_queue_push_oldest(&t->handed, goal);
        pthread_cond_broadcast(&t->woken);
    }
    unlock_team(m);
}

static bool pays(vm_machine *m)
{
    vm_team *t = m->worker.team;
    pthread_mutex_lock(&t->lock);
    bool result = vm_pace_pays(&t->pace, clock_now(), vm_reductions(m), t->n);
    pthread_mutex_unlock(&t->lock);
    return result;
}

// After a turn of one that works together with others; wanted: there is something for them to take.
static void choose_in_team(vm_machine *m, bool wanted)
{
    vm_team *t = m->worker.team;
    bool others_idle = count_of(&t->idle) == t->n - 1;
    if (must_hand_over(m))
        vm_team_hand_over(m);
    else if (chosen_of(t) == m)
        m->worker.lonely = LONELY_TURNS;
    else if (!pays(m))
        vm_team_choose(m);
    else
        m->worker.lonely = wanted || !others_idle ? 0 : m->worker.lonely + 1;
    if (m->worker.lonely >= LONELY_TURNS && others_idle)
        vm_team_work_alone(m);
}

// After a turn.
static void choose_company(vm_machine *m)
{
    bool asked = m->worker.company, wanted = asked || has_to_take(m);
    m->worker.company = false;
    if (m->options.together)
        return;
    if (m->worker.shared)
        choose_in_team(m, wanted);
    else if ((vm_pace_may_join(&m->worker.team->pace, clock_now(), vm_reductions(m)) && wanted) ||
             asked)
        vm_team_work_together(m);
}

static vm_outcome run_worker(vm_machine *m)
{
    bool rested;
    // it must not look around: the first may be alone
    if (m->worker.number > 0 && !idle(m, &rested))
        return VM_EXHAUSTED;
    for (;;) {
        vm_outcome outcome = m->real     ? vm_real_run(m)
                             : m->worker.shared ? vm_loop_shared(m, NULL)
                                         : vm_loop_plain(m, NULL);
        vm_forget_turn(m); // before it may sleep, too
        if (outcome == VM_TURN) {
            choose_company(m);
            continue;
        }
        if (!m->worker.shared)
            vm_team_work_together(m);
        if (outcome != VM_EXHAUSTED || !vm_team_find(m))
            return outcome;
    }
}

static void *work(void *data)
{
    vm_machine *m = data;
    if (m->worker.number > 0)
        vm_heap_use_lists(m->worker.free_lists);
    vm_outcome outcome = vm_guarded(m, run_worker);
    if (m->worker.in_serial) // memory was exhausted within
        pthread_mutex_unlock(&m->worker.team->serial);
    if (m->worker.in_team)
        unlock_team(m);
    if (outcome != VM_EXHAUSTED)
        end_all(m, outcome);
    return NULL;
}

vm_outcome vm_team_run(vm_team *t, vm_machine **ret_by)
{
    pthread_t *threads = vm_alloc_atomic(t->n * sizeof *threads);
    vm_pace_begin(&t->pace, clock_now(), vm_reductions(t->workers[0]));
    if (VM_BEGIN_ALONE && !t->workers[0]->options.together && !t->workers[0]->real)
        become_alone(t->workers[0]);
    uint32_t started = 1;
    while (started < t->n && pthread_create(&threads[started], NULL, work, t->workers[started]) == 0)
        started++;
    if (started < t->n) { // the system gives no more threads: those workers are idle for good
        pthread_mutex_lock(&t->lock);
        set_count(&t->idle, count_of(&t->idle) + t->n - started);
        pthread_mutex_unlock(&t->lock);
    }
    work(t->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    *ret_by = t->stopped_by ? t->stopped_by : t->workers[0];
    return t->stop == VM_CONTINUE ? VM_EXHAUSTED : (vm_outcome)t->stop;
}
