// SPDX-License-Identifier: MIT
//
// Real stamped runs: stamps, built-ins, the goals of a body, and the loop of one worker.
#include "vm/engine/real.h"

#include "vm/engine/bind.h"
#include "vm/engine/goal.h"
#include "vm/engine/mail.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"
#include "vm/term/heap.h"

#include <stdlib.h>
#include <string.h>

vm_real *vm_real_create(const vm_program *p)
{
    vm_real *r = vm_alloc(sizeof *r);
    r->rivals = vm_alloc_atomic(p->nclauses + 1);
    memset(r->rivals, 0, p->nclauses + 1);
    r->open_limit = 1024;
    r->clock = vm_clock_begin();
    return r;
}

// ---- Stamps ---------------------------------------------------------------------------------

// Goals at one time are as old as the reductions that created them; where those are of one time,
// too, as old as their goals, and so on. The times before never increase, so it ends.
int vm_stamp_compare(const vm_stamp *a, const vm_stamp *b)
{
    while (a != b) {
        if (a->time != b->time)
            return a->time < b->time ? -1 : 1;
        if (a->parent == b->parent)
            return a->item < b->item ? -1 : 1;
        a = a->parent;
        b = b->parent;
    }
    return 0;
}

static void add_block(vm_machine *m)
{
    vm_real *r = m->real;
    const vm_recorder *recorder = m->options.recorder;
    size_t size = VM_BLOCK_STAMPS * sizeof(vm_stamp);
    vm_stamps_block *block = r->last_block ? vm_alloc(sizeof *block) : &r->first_block;
    if (recorder->take_room)
        block->stamps = recorder->take_room(recorder->data, size);
    if (!block->stamps)
        block->stamps = vm_alloc_atomic(size);
    if (r->last_block)
        r->last_block->next = block;
    r->last_block = block;
    r->stamps_left = VM_BLOCK_STAMPS;
}

static vm_stamp *new_stamp(vm_machine *m)
{
    vm_real *r = m->real;
    if (r->stamps_left == 0)
        add_block(m);
    vm_stamp *stamp = &r->last_block->stamps[VM_BLOCK_STAMPS - r->stamps_left--];
    *stamp = (vm_stamp){0};
    return stamp;
}

static size_t copy_stamps(const vm_real *r, size_t n, vm_stamp **to)
{
    const vm_stamps_block *block = &r->first_block;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && i % VM_BLOCK_STAMPS == 0)
            block = block->next;
        to[i] = &block->stamps[i % VM_BLOCK_STAMPS];
    }
    return n;
}

vm_stamp **vm_stamps(const vm_machine *m, size_t *ret_n)
{
    uint32_t workers = m->nmachines;
    size_t *completed = malloc(workers * sizeof *completed), total = 0, n = 0;
    for (uint32_t i = 0; completed && i < workers; i++) {
        const vm_real *r = m->machines[i]->real;
        total += completed[i] = __atomic_load_n(&r->completed, __ATOMIC_ACQUIRE);
    }
    vm_stamp **stamps = completed ? malloc((total + 1) * sizeof(vm_stamp *)) : NULL;
    for (uint32_t i = 0; stamps && i < workers; i++)
        n += copy_stamps(m->machines[i]->real, completed[i],
                         stamps + n);
    free(completed);
    *ret_n = n;
    return stamps;
}

uint32_t vm_real_threads(const vm_machine *m)
{
    return m->nmachines;
}

vm_real_sums vm_real_get_sums(const vm_machine *m, uint32_t thread)
{
    return m->machines[thread]->real->sums;
}

uint64_t vm_real_began(const vm_machine *m)
{
    return (uint64_t)m->real->clock.nanoseconds;
}

double vm_tick(const vm_machine *m)
{
    return vm_clock_tick(&m->real->clock);
}

void vm_real_commit(vm_machine *m, const vm_goal *goal)
{
    vm_stamp *s = new_stamp(m);
    if (goal) {
        int64_t last = goal->parent->time;
        if (m->real->floor > last)
            last = m->real->floor;
        for (uint32_t i = 0; i < m->attempt.reads.n; i++)
            if (m->attempt.reads.at[i]->time > last)
                last = m->attempt.reads.at[i]->time;
        s->time = last + goal->predicate->cost;
        s->parent = goal->parent;
        s->item = goal->id;
    }
    m->real->stamp = s;
    m->real->floor = 0;
    m->real->met = false;
    m->reduction.now = s->time;
    m->reduction.next_goal = 0;
}

// ---- Reductions -----------------------------------------------------------------------------

static void tell(vm_machine *m, const vm_goal *goal, const vm_clause *clause)
{
    vm_real *r = m->real;
    vm_event event = vm_event_of(m, goal, clause);
    event.stamp = r->stamp;
    event.machine = m->worker.number;
    event.worker = m->options.seeded ? m->worker.current : m->worker.number;
    event.start = r->start;
    event.end = vm_clock_now(&r->clock);
    event.first_cell = m->cells.made;
    event.end_cell = m->cells.next;
    event.nlate = r->late.n;
    event.late = r->late.at;
    m->options.recorder->reduction(m->options.recorder->data, &event);
    __atomic_store_n(&r->completed, VM_GET_COUNT(r->completed) + 1, __ATOMIC_RELEASE);
    r->start = event.end;
}

void vm_real_reduced(vm_machine *m, vm_goal *goal, const vm_clause *clause)
{
    tell(m, goal, clause);
    m->cells.made = m->cells.next;
    m->reduction.followed.n = m->reduction.passed.n = m->reduction.bindings.n = 0;
    m->cells.list.n = m->reduction.goals.n = m->real->late.n = 0;
    if (!goal)
        return;
    VM_SET_COUNT(m->worker.reductions, VM_GET_COUNT(m->worker.reductions) + 1);
    if (m->real->met)
        m->real->raced++;
    else if (clause && m->real->rivals[clause->id] != VM_ALONE)
        vm_real_look_for_race(m, goal, clause);
    vm_goal_free(m, goal);
}

// For the recorder: another worker may have made something else of the record by then.
static void note_goal(vm_machine *m, const vm_goal *goal)
{
    VM_PUSH(m->reduction.goals, vm_goal_copy(goal));
}

// The goals of a body are launched when all of them are made (launch_body).
void vm_real_launch(vm_machine *m, vm_goal *goal)
{
    if (m->cells.listing) {
        note_goal(m, goal);
        vm_push(&m->worker, goal);
    } else {
        VM_PUSH(m->real->next, goal);
    }
}

static void serial_begin(vm_machine *m, const vm_goal *goal)
{
    if (vm_serial_try(m, goal))
        return;
    int64_t begun = vm_clock_now(&m->real->clock);
    vm_serial_begin(m, goal);
    m->real->sums.locks++;
    m->real->sums.locked += (uint64_t)(vm_clock_now(&m->real->clock) - begun);
}

static vm_result run_builtin(vm_machine *m, vm_goal *goal)
{
    serial_begin(m, goal);
    m->cells.listing = true;
    vm_result result = goal->predicate->builtin(m, goal->args);
    m->cells.listing = false;
    vm_serial_end(m);
    return result;
}

static vm_outcome call(vm_machine *m, vm_goal *goal)
{
    m->reduction.goal = goal;
    m->reduction.item = 0;
    m->attempt.waits.n = m->attempt.reads.n = m->cells.list.n = 0;
    m->cells.next = m->cells.made;
    m->real->stamp = NULL;
    m->real->floor = 0;
    if (vm_is_interrupted())
        vm_pause(m);
    if (!m->options.seeded && vm_is_early(m, goal)) {
        vm_push_oldest(&m->worker, goal);
        return VM_CONTINUE;
    }
    if (m->worker.quantum.stop)
        return VM_CONTINUE; // it stays ready
    vm_result result = run_builtin(m, goal);
    switch (result) {
    case VM_WAIT:
        vm_suspend(m, goal);
        return VM_CONTINUE;
    case VM_DONE:
    case VM_HALT:
        vm_real_stamp(m);
        vm_real_reduced(m, goal, NULL);
        return result == VM_HALT ? VM_HALTED : VM_CONTINUE;
    case VM_FAIL:
        break;
    }
    m->end.failure.goal = goal;
    m->end.failure.where = goal->site;
    return VM_FAILED;
}

// ---- A worker -------------------------------------------------------------------------------

// One from the own queue begins when the one before it ends.
static vm_goal *next_goal(vm_machine *m)
{
    if (m->options.seeded)
        return m->worker.quantum.stop ? NULL : vm_next_goal(&m->worker);
    bool at_once = vm_own_count(&m->worker) > 0;
    vm_read_mail(m); // gifts: real runs have no other letters
    if (m->worker.quantum.over && !m->worker.quantum.stop)
        vm_team_quantum_over(&m->worker);
    vm_goal *goal = m->worker.quantum.stop ? NULL : vm_next_goal(&m->worker);
    if (!at_once)
        m->real->start = vm_clock_now(&m->real->clock);
    return goal;
}

static vm_outcome attempt(vm_machine *m, vm_goal *goal)
{
    uint64_t reductions = VM_GET_COUNT(m->worker.reductions);
    m->attempt.goal = goal;
    vm_outcome outcome = goal->predicate->builtin ? call(m, goal) : vm_loop_real(m, goal);
    m->attempt.goal = NULL;
    if (VM_GET_COUNT(m->worker.reductions) == reductions) { // it waits
        int64_t now = vm_clock_now(&m->real->clock);
        m->real->sums.waits++;
        m->real->sums.waiting += (uint64_t)(now - m->real->start);
        m->real->start = now;
    }
    if (VM_GET_COUNT(m->worker.reductions) >= m->worker.quantum.end)
        vm_pause(m);
    return outcome;
}

// Has the goal of a body a priority of its own?
static bool is_queued(const vm_machine *m, const vm_goal *goal)
{
    return m->program->has_priorities &&
           m->program->clauses[goal->site.clause]->sites[goal->site.index].queued;
}

// Runs the built-ins of the body just made, each at once; the other goals remain.
static vm_outcome try_builtins(vm_machine *m)
{
    vm_real *r = m->real;
    vm_outcome outcome = VM_CONTINUE;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->next.n; i++) {
        vm_goal *goal = r->next.at[i];
        if (outcome != VM_CONTINUE || !goal->predicate->builtin || is_queued(m, goal))
            r->next.at[kept++] = goal;
        else if (m->options.seeded && vm_toss(&m->worker))
            vm_push(&m->worker, goal);
        else
            outcome = attempt(m, goal);
    }
    r->next.n = kept;
    return outcome;
}

// Body goals are taken in the order of plain runs: built-ins run at once, before the goals beside
// them. The first of the other goals runs next, unless it has a priority of its own; the rest are
// pushed from the last to the first. *ret_goal: the goal that runs next, or NULL.
static vm_outcome launch_body(vm_machine *m, bool beginning, vm_goal **ret_goal)
{
    vm_real *r = m->real;
    uint32_t first = UINT32_MAX;
    *ret_goal = NULL;
    vm_outcome outcome = try_builtins(m);
    if (outcome != VM_CONTINUE)
        return outcome;
    for (uint32_t i = 0; i < r->next.n && !beginning && first == UINT32_MAX; i++)
        if (!is_queued(m, r->next.at[i]))
            first = i;
    for (uint32_t i = r->next.n; i > 0; i--)
        if (i - 1 == first)
            *ret_goal = r->next.at[first];
        else
            vm_push(&m->worker, r->next.at[i - 1]);
    r->next.n = 0;
    return outcome;
}

// The goal (NULL: none) runs next, unless its quantum is over or a goal of higher priority is
// ready.
static vm_goal *choose_goal(vm_machine *m, vm_goal *goal)
{
    if (goal && !m->worker.quantum.yield)
        return goal;
    if (goal)
        vm_give_way(&m->worker, goal);
    return next_goal(m);
}

vm_outcome vm_real_run(vm_machine *m)
{
    vm_real *r = m->real;
    m->attempt.limit = INT64_MAX;
    r->start = vm_clock_now(&r->clock);
    bool beginning = !m->start.made;
    vm_outcome outcome = beginning ? vm_loop_real(m, NULL) : VM_CONTINUE;
    while (outcome == VM_CONTINUE) {
        vm_goal *goal;
        outcome = launch_body(m, beginning, &goal);
        if (outcome != VM_CONTINUE)
            break;
        beginning = false;
        goal = choose_goal(m, goal);
        if (!goal)
            return m->worker.quantum.stop ? VM_STOPPED : VM_EXHAUSTED;
        outcome = attempt(m, goal);
    }
    return outcome;
}
