// SPDX-License-Identifier: MIT
//
// Built-in predicates: KL1's timers. A time is time(Day, Sec, Usec). A goal that has to act later
// replaces itself by a new goal until the time has come. In between other goals run; if there are
// none it sleeps.
#include "vm/builtins/arguments.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/goal.h"
#include "vm/memory.h"
#include "vm/schedule/quantum.h"
#include "vm/schedule/worker.h"

#include <string.h>
#include <time.h>

#define MICROSECONDS ((int64_t)1000000)
#define DAY (86400 * MICROSECONDS)
enum { LONGEST_SLEEP = 50000 }; // microseconds; then interruption is noticed

// ---- Times ----------------------------------------------------------------------------------

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * MICROSECONDS + t.tv_nsec / 1000;
}

static vm_word time_term(vm_machine *m, int64_t t)
{
    vm_word parts[3] = {vm_int(t / DAY), vm_int(t % DAY / MICROSECONDS), vm_int(t % MICROSECONDS)};
    return vm_make_struct(m, vm_functor(vm_atom_intern("time", 4), 3), parts);
}

// time(Day, Sec, Usec) in microseconds, below 2^59; also time(Sec, Usec).
static vm_result need_time(vm_machine *m, vm_word w, int64_t *ret)
{
    static const int64_t units[] = {DAY, MICROSECONDS, 1};
    vm_word value;
    NEED(vm_need(m, w, &value));
    uint32_t time = vm_atom_intern("time", 4);
    uint32_t n = vm_tag(value) == TAG_STRUCT ? vm_functor_arity(vm_words(value)[0]) : 0;
    if ((n != 3 && n != 2) || vm_functor_name(vm_words(value)[0]) != time)
        return vm_error(m, value, "a time is expected: time(Day, Sec, Usec)");
    *ret = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t part, unit = units[i + 3 - n];
        NEED(vm_need_small(m, vm_struct_arg(value, i), &part));
        if (part < 0 || part > INT64_MAX / 16 / unit)
            return vm_error(m, value, "days, seconds and microseconds from 0 are expected");
        *ret += part * unit;
    }
    return VM_DONE;
}

vm_result vm_get_time_of_day(vm_machine *m, vm_word *args)
{
    return vm_return(m, args[0], time_term(m, now()));
}

vm_result vm_time_add(vm_machine *m, vm_word *args)
{
    int64_t a, b;
    NEED(need_time(m, args[0], &a));
    NEED(need_time(m, args[1], &b));
    return vm_return(m, args[2], time_term(m, a + b));
}

vm_result vm_time_sub(vm_machine *m, vm_word *args)
{
    int64_t a, b;
    NEED(need_time(m, args[0], &a));
    NEED(need_time(m, args[1], &b));
    if (b > a)
        return vm_error(m, args[1], "there are no negative times");
    return vm_return(m, args[2], time_term(m, a - b));
}

// timer:compare(T1, T2, R): R is <, = or >
vm_result vm_time_compare(vm_machine *m, vm_word *args)
{
    int64_t a, b;
    NEED(need_time(m, args[0], &a));
    NEED(need_time(m, args[1], &b));
    return vm_return(m, args[2], vm_atom(a < b ? ATOM_LESS : a > b ? ATOM_GREATER : ATOM_EQUALS));
}

// ---- Later ----------------------------------------------------------------------------------

// Has this worker goals to run that are no timers? One of a team does not know which are.
static bool others_are_ready(const vm_machine *m)
{
    uint64_t ready = m->ideal ? m->calendar.scheduled : vm_own_count_of_all(&m->worker);
    return m->worker.team ? ready > 0 : ready >= m->builtins.timers;
}

// What a timer keeps from one attempt to the next.
typedef struct {
    int64_t due;
    int32_t own; // the priority it was given
} vm_timer;

static bool is_timer(const vm_goal *goal)
{
    vm_builtin b = goal->predicate->builtin;
    return b == vm_instantiate_at || b == vm_instantiate_after || b == vm_instantiate_every;
}

// Goals of lower priority have to run while a timer waits: it is made anew as one of them. Where
// only timers are left it gets the lowest priority, as none of them must wait for this one.
static void make_anew(vm_machine *m, const vm_word *args, vm_timer *timer)
{
    vm_goal *goal = vm_goal_create(m, m->reduction.goal->predicate, m->reduction.goal->site);
    memcpy(goal->args, args, goal->predicate->arity * sizeof *args);
    goal->progress = timer;
    vm_goal_launch(m, goal, vm_priority_behind(&m->worker, timer->own, is_timer));
    vm_run_oldest_next(&m->worker);
}

// Makes the goal that runs anew. It sleeps first, but not in its first attempt, when goals beside
// it may not have been made yet.
static vm_result again(vm_machine *m, const vm_word *args, vm_timer *timer)
{
    int64_t left = timer->due - now();
    int64_t most = m->worker.team || m->builtins.timers > 1 ? 1000 : LONGEST_SLEEP;
    if (*vm_progress(m) && !others_are_ready(m) && left > 0) {
        int64_t sleep = left < most ? left : most;
        struct timespec t = {sleep / MICROSECONDS, sleep % MICROSECONDS * 1000};
        nanosleep(&t, NULL);
    }
    make_anew(m, args, timer);
    return VM_DONE;
}

static vm_timer *timer_at(vm_machine *m, int64_t due, int32_t priority)
{
    vm_timer *timer = vm_alloc_atomic(sizeof *timer);
    *timer = (vm_timer){.due = due, .own = priority};
    m->builtins.timers++;
    return timer;
}

static vm_result instantiate(vm_machine *m, vm_word *args, bool from_now)
{
    vm_timer *timer = *vm_progress(m);
    int64_t t;
    if (!timer) {
        NEED(need_time(m, args[0], &t));
        timer = timer_at(m, from_now ? now() + t : t, m->reduction.goal->priority);
    }
    if (now() < timer->due)
        return again(m, args, timer);
    m->builtins.timers--;
    return vm_return(m, args[1], VM_NIL);
}

vm_result vm_instantiate_at(vm_machine *m, vm_word *args)
{
    return instantiate(m, args, false);
}

vm_result vm_instantiate_after(vm_machine *m, vm_word *args)
{
    return instantiate(m, args, true);
}

// timer:instantiate_every(Interval, Stop, L): a [] in L after each interval, until Stop is bound
vm_result vm_instantiate_every(vm_machine *m, vm_word *args)
{
    vm_timer *timer = *vm_progress(m);
    int64_t interval;
    NEED(need_time(m, args[0], &interval));
    if (!timer)
        timer = timer_at(m, now() + interval, m->reduction.goal->priority);
    if (!vm_is_var(vm_deref(m, args[1]))) {
        m->builtins.timers--;
        return vm_return(m, args[2], VM_NIL);
    }
    if (now() < timer->due)
        return again(m, args, timer);
    vm_word rest = vm_new_variable(m, "L");
    vm_word next[3] = {args[0], args[1], rest};
    m->builtins.timers--;
    make_anew(m, next, timer_at(m, timer->due + interval, timer->own));
    return vm_return(m, args[2], vm_heap_cons(m, VM_NIL, rest));
}
