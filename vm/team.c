// SPDX-License-Identifier: MIT
#define GC_THREADS
#include "vm/team.h"

#include "vm/heap.h"
#include "vm/real.h"
#include "vm/scheduler.h"

#include <gc.h>
#include <stdlib.h>

#ifndef VM_STEAL_ROUNDS // before a worker goes to sleep
#define VM_STEAL_ROUNDS 64
#endif

static vm_deque *deque_of(const vm_machine *m)
{
    return &m->team->deques[m->number];
}

// ---- Goals ----------------------------------------------------------------------------------

// If somebody is about to sleep and this does not see it yet, the goal waits until this worker
// comes to it or has its next turn: nothing is lost, and the count of the idle stays right.
static void wake_one(vm_team *t)
{
    if (__atomic_load_n(&t->idle, __ATOMIC_RELAXED) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->woken);
    pthread_mutex_unlock(&t->lock);
}

void vm_team_push(vm_machine *m, vm_goal *goal)
{
    vm_deque_push(deque_of(m), goal);
    wake_one(m->team);
}

void vm_team_pushed(vm_machine *m)
{
    wake_one(m->team);
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

uint64_t vm_team_ready(const vm_team *t)
{
    uint64_t ready = t->n - __atomic_load_n(&t->idle, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < t->n; i++)
        ready += vm_own_count(t->workers[i]);
    return ready;
}

uint32_t vm_team_own_count(const vm_machine *m)
{
    return vm_deque_count(deque_of(m));
}

// Where the program has priorities; else NULL.
static vm_pool *pool_of(const vm_team *t, uint32_t worker)
{
    return t->workers[worker]->scheduler->pools;
}

static vm_goal *steal_from(vm_team *t, uint32_t worker)
{
    vm_pool *pool = pool_of(t, worker);
    if (!pool)
        return steal_oldest(&t->deques[worker]);
    return vm_pool_count(pool) > 0 ? vm_pool_oldest(pool) : NULL;
}

static vm_goal *steal_from_others(vm_machine *m)
{
    vm_team *t = m->team;
    for (uint32_t i = 1; i < t->n; i++) {
        vm_goal *goal = steal_from(t, (m->number + i) % t->n);
        if (goal)
            return goal;
    }
    return NULL;
}

static bool all_empty(const vm_team *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (pool_of(t, i) ? vm_pool_count(pool_of(t, i)) > 0 : !vm_deque_is_empty(&t->deques[i]))
            return false;
    return true;
}

static bool must_leave(const vm_team *t)
{
    return __atomic_load_n(&t->ended, __ATOMIC_RELAXED) ||
           __atomic_load_n(&t->stop, __ATOMIC_ACQUIRE) != VM_CONTINUE;
}

// LOOKING found nothing: waits until there is something to steal or the run is over.
static bool idle(vm_team *t)
{
    pthread_mutex_lock(&t->lock);
    __atomic_store_n(&t->idle, t->idle + 1, __ATOMIC_SEQ_CST);
    while (!must_leave(t) && all_empty(t)) {
        if (t->idle == t->n) {
            __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
            break;
        }
        pthread_cond_wait(&t->woken, &t->lock);
    }
    __atomic_store_n(&t->idle, t->idle - 1, __ATOMIC_SEQ_CST);
    bool goes_on = !must_leave(t);
    if (!goes_on)
        pthread_cond_broadcast(&t->woken);
    pthread_mutex_unlock(&t->lock);
    return goes_on;
}

vm_goal *vm_team_next(vm_machine *m)
{
    vm_team *t = m->team;
    uint32_t turns = m->turns;
    if (m->stop || must_leave(t))
        return NULL;
    vm_goal *goal = vm_next_goal(m);
    if (m->turns != turns && vm_own_count(m) > 0)
        wake_one(t);
    while (!goal) {
        for (int i = 0; i < VM_STEAL_ROUNDS && !goal; i++)
            goal = steal_from_others(m);
        if (!goal && !idle(t))
            return NULL;
    }
    m->priority = goal->priority;
    return goal;
}

// ---- Threads --------------------------------------------------------------------------------

static vm_machine *new_worker(vm_machine *first, vm_team *t, uint32_t number)
{
    vm_machine *m = number == 0 ? first : vm_machine_create(first->program, &first->options);
    m->team = t;
    m->number = number;
    m->output = first->output;
    m->begun = number > 0;
    m->cells_made = VM_CELL_FIRST(number);
    if (m->real)
        m->real->began = first->real->began;
    if (number > 0) // made here: a thread has no lists of its own to make them from
        m->free_lists = vm_alloc((VM_SMALL_GRANULES + 1) * sizeof *m->free_lists);
    return m;
}

vm_team *vm_team_create(vm_machine *first)
{
    vm_team *t = vm_alloc(sizeof *t);
    t->n = first->options.workers;
    t->workers = vm_alloc(t->n * sizeof(vm_machine *));
    t->deques = vm_alloc(t->n * sizeof *t->deques);
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->serial, NULL);
    pthread_cond_init(&t->woken, NULL);
    for (uint32_t i = 0; i < t->n; i++) {
        vm_deque_init(&t->deques[i]);
        t->workers[i] = new_worker(first, t, i);
    }
    vm_threads = t->n > 1;
    return t;
}

static void end_all(vm_machine *m, vm_outcome outcome)
{
    vm_team *t = m->team;
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
    return must_leave(m->team);
}

static vm_outcome run_shared(vm_machine *m)
{
    return m->real ? vm_real_run(m) : vm_loop_shared(m, NULL);
}

static void *work(void *data)
{
    vm_machine *m = data;
    if (m->number > 0)
        vm_heap_use_lists(m->free_lists);
    vm_outcome outcome = vm_guarded(m, run_shared);
    if (m->in_serial) // memory was exhausted within
        pthread_mutex_unlock(&m->team->serial);
    if (outcome != VM_EXHAUSTED)
        end_all(m, outcome);
    return NULL;
}

vm_outcome vm_team_run(vm_team *t, vm_machine **ret_by)
{
    pthread_t *threads = vm_alloc_atomic(t->n * sizeof *threads);
    uint32_t started = 1;
    while (started < t->n && pthread_create(&threads[started], NULL, work, t->workers[started]) == 0)
        started++;
    if (started < t->n) { // the system gives no more threads: those workers are idle for good
        pthread_mutex_lock(&t->lock);
        __atomic_store_n(&t->idle, t->idle + t->n - started, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&t->lock);
    }
    work(t->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    *ret_by = t->stopped_by ? t->stopped_by : t->workers[0];
    return t->stop == VM_CONTINUE ? VM_EXHAUSTED : (vm_outcome)t->stop;
}
