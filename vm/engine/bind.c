// SPDX-License-Identifier: MIT
//
// Suspending, resuming, and `X = T` in plain and ideal runs.
#include "vm/engine/bind.h"

#include "vm/engine/builtin.h"
#include "vm/engine/equal.h"
#include "vm/engine/goal.h"
#include "vm/engine/mail.h"
#include "vm/engine/real.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/term/pairs.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>

vm_word vm_deref(vm_machine *m, vm_word w)
{
    while (vm_tag(w) == TAG_REF) {
        vm_var *v = vm_as_var(w);
        if (!vm_is_visible(m, v))
            return w;
        if (m->stamped)
            VM_PUSH(m->attempt.reads, v);
        w = vm_load(&v->value);
    }
    return w;
}

vm_result vm_wait(vm_machine *m, vm_word variable)
{
    VM_PUSH(m->attempt.waits, vm_as_var(variable));
    return VM_WAIT;
}

vm_word vm_await(const vm_var *v)
{
    vm_word value;
    while ((value = vm_load(&v->value)) == VM_BUSY)
        sched_yield();
    return value;
}

// ---- Suspension -----------------------------------------------------------------------------

static bool is_stale(const vm_suspension *record)
{
    return !record->in.own && vm_get_generation(record->goal) != record->generation;
}

// The list without the stale records; *ret_length of them stay.
static vm_word sweep(vm_word list, uint32_t *ret_length)
{
    vm_suspension *last = NULL;
    uint32_t length = 0;
    vm_word first = list, rest = list;
    for (vm_suspension *record; (record = vm_first_waiter(rest)); rest = vm_after(record)) {
        if (is_stale(record))
            continue;
        if (!last)
            first = rest;
        else if (vm_after(last) != rest)
            __atomic_store_n(&last->in.next, rest, __ATOMIC_RELAXED);
        last = record;
        length++;
    }
    if (!last)
        first = rest;
    else if (vm_after(last) != rest)
        __atomic_store_n(&last->in.next, rest, __ATOMIC_RELAXED);
    *ret_length = length;
    return first;
}

#ifndef VM_SWEPT_FROM // records
#define VM_SWEPT_FROM 16
#endif

static bool is_due(uint32_t length, uint32_t swept)
{
    return length >= VM_SWEPT_FROM && length >> swept > 0 && swept < 31;
}

static uint32_t bits(uint32_t n)
{
    uint32_t count = 0;
    while (count < 31 && n >> count)
        count++;
    return count;
}

// Puts a record before the list of a variable of `owner`. Nobody else knows the record yet.
static void link_before(vm_suspension *record, vm_word list, uint32_t owner)
{
    const vm_suspension *first = vm_first_waiter(list);
    uint32_t length = first ? first->in.length : 0, swept = first ? first->in.swept : 0;
    if (is_due(length, swept)) {
        list = sweep(list, &length);
        swept = bits(length) + 1;
    }
    record->in.next = list;
    record->in.length = length + 1;
    record->in.swept = (uint16_t)(swept < 31 ? swept : 31);
    __atomic_store_n(&record->in.owner, (uint16_t)owner, __ATOMIC_RELAXED);
}

static vm_suspension *new_record(vm_goal *goal, uint64_t generation, uint32_t home)
{
    vm_suspension *record = vm_alloc(sizeof *record);
    record->goal = goal;
    record->generation = generation;
    record->in.home = (uint16_t)(home % VM_OWNERS);
    return record;
}

static bool swap_record_in(vm_machine *m, vm_suspension *record, vm_var *v)
{
    vm_word records = vm_load(&v->value);
    do {
        if (records == VM_BUSY)
            records = vm_await(v);
        if (vm_tag(records) != TAG_UNBOUND)
            return false;
        link_before(record, records, 0);
    } while (!__atomic_compare_exchange_n(&v->value, &records, (vm_word)record | TAG_UNBOUND, true,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    (void)m;
    return true;
}

// Of a variable that is unbound and this worker's. Others may look at the record from now on.
static void add_to_mine(vm_machine *m, vm_suspension *record, vm_var *v)
{
    link_before(record, __atomic_load_n(&v->value, __ATOMIC_RELAXED), m->worker.number);
    __atomic_store_n(&v->value, (vm_word)record | TAG_UNBOUND, __ATOMIC_RELEASE);
}

static bool hook(vm_machine *m, vm_var *v, vm_suspension *record)
{
    vm_word value = vm_load(&v->value);
    if (vm_tag(value) != TAG_UNBOUND)
        return false;
    if (!vm_is_mine(m, value))
        vm_send_hook(m, vm_owner(value), v, record->goal, record->generation, record->in.home);
    else
        add_to_mine(m, record, v);
    return true;
}

bool vm_hook(vm_machine *m, vm_var *v, vm_goal *goal, uint64_t generation, uint32_t home)
{
    return hook(m, v, new_record(goal, generation, home));
}

static bool is_of_another(const vm_machine *m, const vm_var *v)
{
    vm_word value = vm_load(&v->value);
    return vm_tag(value) == TAG_UNBOUND && !vm_is_mine(m, value);
}

// Adds a suspension record to the variable. False: another worker bound it meanwhile.
static bool add_record(vm_machine *m, vm_goal *goal, uint64_t generation, vm_var *v)
{
    if (vm_swaps(m))
        return swap_record_in(m, new_record(goal, generation, 0), v);
    bool alone = !m->stamped && m->attempt.waits.n == 1 && !is_of_another(m, v);
    vm_suspension *record = alone ? (vm_suspension *)&goal->waiting
                                  : new_record(goal, generation, m->worker.number);
    record->in.for_value = !m->attempt.identity;
    record->in.own = alone;
    return hook(m, v, record);
}

// Takes a goal that is suspended in this generation. False: it is resumed already.
static bool claim(vm_machine *m, vm_goal *goal, uint64_t generation)
{
    uint64_t resumed = vm_next_generation(generation);
    if (vm_swaps(m))
        return __atomic_compare_exchange_n(&goal->generation, &generation, resumed, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (vm_get_generation(goal) != generation)
        return false;
    vm_set_generation(goal, resumed);
    return true;
}

static void ready(vm_machine *m, vm_goal *goal)
{
    VM_SET_COUNT(m->worker.suspended, VM_GET_COUNT(m->worker.suspended) - 1);
    if (m->ideal)
        vm_schedule(&m->calendar, goal, m->reduction.now + goal->predicate->cost, false);
    else
        vm_wake(&m->worker, goal);
}

// When the first of the needed variables that are bound already becomes visible; 0: none is.
static int64_t first_visible(const vm_machine *m, const vm_goal *goal)
{
    int64_t first = 0;
    if (!m->ideal)
        return 0;
    for (uint32_t i = 0; i < m->attempt.waits.n; i++) {
        const vm_var *v = m->attempt.waits.at[i];
        if (vm_is_bound(v) && (first == 0 || v->time + goal->predicate->cost < first))
            first = v->time + goal->predicate->cost;
    }
    return first;
}

// Plain runs with several workers: all that the goal needs is another's, of one worker that runs goals
// (*ret_owner). One that retreated would send the goal back as often as it gets it. What the goal
// needs is in the list once.
static bool is_anothers(vm_machine *m, uint32_t *ret_owner)
{
    uint32_t n = m->attempt.waits.n > 0, owner = m->worker.number;
    for (uint32_t i = 1; i < m->attempt.waits.n; i++)
        if (m->attempt.waits.at[i] != m->attempt.waits.at[n - 1])
            m->attempt.waits.at[n++] = m->attempt.waits.at[i];
    m->attempt.waits.n = n;
    for (uint32_t i = 0; i < n; i++) {
        vm_word value = vm_load(&m->attempt.waits.at[i]->value);
        if (vm_tag(value) != TAG_UNBOUND || vm_is_mine(m, value) ||
            (i > 0 && vm_owner(value) != owner))
            return false;
        owner = vm_owner(value);
    }
    *ret_owner = owner;
    return owner != m->worker.number && !VM_GET_COUNT(m->machines[owner]->worker.away);
}

void vm_suspend(vm_machine *m, vm_goal *goal)
{
    uint32_t owner;
    if (m->attempt.dry)
        return;
    int64_t again = first_visible(m, goal);
    if (again) {
        vm_schedule(&m->calendar, goal, again, false);
        return;
    }
    if (vm_threads && m->worker.team && !m->real && is_anothers(m, &owner)) {
        goal->priority = m->worker.priority;
        vm_send_goal(m, owner, goal);
        return;
    }
    VM_SET_COUNT(m->worker.suspended, VM_GET_COUNT(m->worker.suspended) + 1);
    if (vm_is_crowded(&m->worker))
        m->worker.quantum.yield = true;
    goal->priority = m->worker.priority;
    uint64_t generation = vm_generation_in(vm_get_generation(goal), GOAL_SUSPENDED);
    // From now on others may take it.
    __atomic_store_n(&goal->generation, generation, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < m->attempt.waits.n; i++)
        if (!add_record(m, goal, generation, m->attempt.waits.at[i])) {
            if (claim(m, goal, generation))
                ready(m, goal);
            return;
        }
}

void vm_wake_suspended(vm_machine *m, vm_goal *goal, uint64_t generation)
{
    if (claim(m, goal, generation))
        ready(m, goal);
}

static void resume(vm_machine *m, vm_suspension *record)
{
    vm_goal *goal = vm_waiter(record);
    uint64_t generation = record->in.own ? vm_get_generation(goal) : record->generation;
    if (record->in.own)
        record->in.next = 0;
    if (!record->in.own && record->in.home != m->worker.number && !vm_swaps(m))
        vm_send_wake(m, record->in.home, goal, generation);
    else
        vm_wake_suspended(m, goal, generation);
}

void vm_resume(vm_machine *m, vm_word records)
{
    vm_suspension *record;
    while ((record = vm_first_waiter(records))) {
        records = vm_after(record);
        resume(m, record);
    }
}

void vm_pass_on(vm_machine *m, vm_word records, vm_word value)
{
    vm_word end = vm_end_of(value), unbound = vm_is_var(end) ? vm_load(&vm_as_var(end)->value) : 0;
    if (vm_tag(unbound) != TAG_UNBOUND || !vm_is_mine(m, unbound) || m->real) {
        vm_resume(m, records);
        return;
    }
    vm_suspension *record;
    while ((record = vm_first_waiter(records))) {
        records = vm_after(record);
        if (!record->in.for_value)
            resume(m, record);
        else if (!is_stale(record))
            add_to_mine(m, record, vm_as_var(end));
    }
}

// ---- Active unification ---------------------------------------------------------------------

static inline vm_word follow(vm_machine *m, vm_word w)
{
    while (vm_tag(w) == TAG_REF && vm_is_bound(vm_as_var(w))) {
        if (m->stamped)
            VM_PUSH(m->reduction.followed, vm_as_var(w));
        w = vm_load(&vm_as_var(w)->value);
    }
    return w;
}

typedef struct {
    vm_word left, right; // compounds of the same shape
    uint32_t next, n;    // arguments
} pair;

static bool unify_failed(vm_machine *m, vm_word left, vm_word right)
{
    m->end.failure.kind = FAIL_UNIFY;
    m->end.failure.left = left;
    m->end.failure.right = right;
    return false;
}

// Binds a variable, or notes that its owner is to bind it. False: it was bound meanwhile.
static bool bind(vm_machine *m, vm_var *v, vm_word value)
{
    vm_word now = vm_load(&v->value);
    if (vm_tag(now) != TAG_UNBOUND)
        return false;
    if (m->stamped || vm_is_mine(m, now))
        vm_bind_alone(m, v, value);
    else
        VM_PUSH(m->abroad, (vm_wish){.variable = v, .value = value});
    return true;
}

// Binds one end of two chains to the other. Of two variables the left one is bound to the right. But
// workers which bind two to each other at the same time might close a circle: they bind the one with
// the higher address. False: an end was bound by another worker meanwhile.
static bool join(vm_machine *m, vm_word a, vm_word b)
{
    bool left = vm_is_var(a) && !(m->worker.team && vm_is_var(b) && a < b);
    return left ? bind(m, vm_as_var(a), b) : bind(m, vm_as_var(b), a);
}

// Of the bindings followed from `from` on, those from `middle` on were followed on the right side.
// Both sides may have ended at one bound variable and gone on from there together.
static bool sides_meet(const vm_machine *m, uint32_t from, uint32_t middle)
{
    uint32_t to = m->reduction.followed.n;
    return middle > from && to > middle &&
           m->reduction.followed.at[middle - 1] == m->reduction.followed.at[to - 1];
}

// Moves what was followed on the side that is passed on, [first, end), to the list of it.
static void pass_on(vm_machine *m, uint32_t first, uint32_t end)
{
    vm_var **followed = m->reduction.followed.at;
    uint32_t after = m->reduction.followed.n - end;
    for (uint32_t i = first; i < end; i++)
        VM_PUSH(m->reduction.passed, followed[i]);
    memmove(followed + first, followed + end, after * sizeof(vm_var *));
    m->reduction.followed.n = first + after;
}

// What was followed, as above: it is read as far as it leads to an end that is bound now, or where
// two terms are compared; passed on on the other side; and neither where nothing happens.
static void settle_followed(vm_machine *m, vm_word a, vm_word b, uint32_t from, uint32_t middle)
{
    if (m->reduction.followed.n == from)
        return;
    if ((a == b && vm_is_var(a)) || sides_meet(m, from, middle))
        m->reduction.followed.n = from;
    else if (vm_is_var(a))
        pass_on(m, middle, m->reduction.followed.n);
    else if (vm_is_var(b))
        pass_on(m, from, middle);
}

bool vm_unify(vm_machine *m, vm_word left, vm_word right)
{
    if (m->real)
        return vm_real_unify(m, left, right);
    ARRAY_OF(pair) stack = {0};
    vm_pairs met = {0};
    uint32_t npairs = 0;
    for (vm_word a = left, b = right;;) {
        uint32_t from = m->reduction.followed.n;
        a = follow(m, a);
        uint32_t middle = m->reduction.followed.n;
        b = follow(m, b);
        settle_followed(m, a, b, from, middle);
        if (a == b) {
            // the same variable, constant or occurrence of a term
        } else if (vm_is_var(a) || vm_is_var(b)) {
            if (!join(m, a, b))
                continue;
        } else if (!vm_equal_constants(a, b)) {
            if (!vm_same_shape(a, b))
                return unify_failed(m, left, right);
            npairs += npairs < VM_MANY_PAIRS;
            if (npairs < VM_MANY_PAIRS || !vm_met_before(&met, a, b))
                VM_PUSH(stack, (pair){.left = a, .right = b, .n = (uint32_t)vm_arguments(a)});
        }
        while (stack.n > 0 && stack.at[stack.n - 1].next == stack.at[stack.n - 1].n)
            stack.n--;
        if (stack.n == 0)
            return true;
        pair *top = &stack.at[stack.n - 1];
        a = vm_argument(top->left, top->next);
        b = vm_argument(top->right, top->next++);
    }
}
