// SPDX-License-Identifier: MIT
//
// Machines: making one, plain and ideal runs, calls of built-ins, how a run ends and what is left.
#include "vm/engine/machine.h"

#include "vm/engine/arith.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/goal.h"
#include "vm/engine/loop_entry.h"
#include "vm/engine/mail.h"
#include "vm/engine/match.h"
#include "vm/engine/output.h"
#include "vm/engine/profile.h"
#include "vm/engine/real.h"
#include "vm/engine/workers.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"
#include "vm/term/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUANTUM = 4096 }; // plain and real runs: reductions

#ifndef VM_QUANTUM_TOGETHER // where all workers are to exchange goals, whatever it is worth
#define VM_QUANTUM_TOGETHER 16
#endif

static uint64_t quantum_of(const vm_machine *m)
{
    return m->options.together ? VM_QUANTUM_TOGETHER : QUANTUM;
}

// Set by signal handlers on any thread, looked at by all workers.
static int interrupted_by;

void vm_interrupt(int signal)
{
    __atomic_store_n(&interrupted_by, signal, __ATOMIC_RELAXED);
}

void vm_clear_interrupt(void)
{
    __atomic_store_n(&interrupted_by, 0, __ATOMIC_RELAXED);
}

int vm_interrupted_by(void)
{
    return __atomic_load_n(&interrupted_by, __ATOMIC_RELAXED);
}

bool vm_is_interrupted(void)
{
    return vm_interrupted_by() != 0;
}

static uint32_t largest_arity(const vm_program *p)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < p->npredicates; i++)
        if (p->predicates[i]->arity > largest)
            largest = p->predicates[i]->arity;
    return largest;
}

void vm_machine_reserve(vm_machine *m)
{
    uint32_t arity = largest_arity(m->program);
    uint32_t registers = m->program->registers + arity + 1;
    if (registers > m->frame.room) {
        m->frame.room = registers;
        m->frame.registers = vm_alloc(registers * sizeof(vm_word));
        m->attempt.first = vm_alloc(registers * sizeof(vm_word));
        m->frame.arguments = vm_alloc(registers * sizeof(vm_word));
        m->frame.floats = vm_alloc_atomic(registers * sizeof *m->frame.floats);
    }
    if (m->ideal)
        vm_calendar_reserve(&m->calendar, m->program);
}

static void begin_scheduling(vm_machine *m)
{
    const vm_options *o = &m->options;
    vm_worker_init(&m->worker, &(vm_worker_options){
                                   .queues = o->seeded ? o->workers : 1,
                                   .seeded = o->seeded,
                                   .seed = o->seed,
                                   .order = o->order,
                                   .has_priorities = m->program->has_priorities,
                               });
}

// The only machine of a run, unless vm_workers_create() adds others.
static void be_the_only_one(vm_machine *m)
{
    m->nmachines = 1;
    m->machines = vm_alloc(sizeof *m->machines);
    m->machines[0] = m;
}

vm_machine *vm_machine_create(const vm_program *p, const vm_options *o)
{
    vm_machine *m = vm_alloc(sizeof *m);
    m->program = p;
    m->start.clause = p->nclauses > 0 ? p->clauses[0] : NULL;
    m->options = *o;
    m->stamped = o->stamped;
    m->ideal = o->stamped && !o->real;
    if (o->stamped && o->real)
        m->real = vm_real_create(p);
    m->cells = (vm_cells){
        .is_long = m->stamped, .has_maker = m->real != NULL, .unbound = VM_UNBOUND};
    m->start.results = vm_alloc((o->result_registers + 1) * sizeof(vm_word));
    m->slabs = vm_alloc(sizeof *m->slabs);
    vm_machine_reserve(m);
    if (!m->ideal)
        begin_scheduling(m);
    m->worker.quantum.end = o->limit && o->limit < quantum_of(m) ? o->limit : quantum_of(m);
    return m;
}

vm_machine *vm_create(const vm_program *p, const vm_options *o)
{
    vm_machine *m = vm_machine_create(p, o);
    m->builtins.output = vm_output_create(m->options.output_limit);
    m->end.by = m;
    be_the_only_one(m);
    if (o->limit || o->order || m->options.workers == 0) // the limit is exact, and orders are of one
        m->options.workers = o->seeded ? o->workers : 1;
    if (!o->seeded && (m->real || (m->options.workers > 1 && !o->stamped)))
        vm_workers_create(m);
    return m;
}

void vm_destroy(vm_machine *m)
{
    vm_output_destroy(m->builtins.output);
    free(m->end.failure.reason);
}

void vm_began(vm_machine *m)
{
    memcpy(m->start.results, m->frame.registers,
           m->options.result_registers * sizeof *m->start.results);
}

static int64_t total_suspended(const vm_machine *m)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < m->nmachines; i++)
        total += VM_GET_COUNT(m->machines[i]->worker.suspended);
    return total;
}

// A letter is put into a box by one locked instruction and taken out by another. A gift ends hunger by
// two, and two began it. A list takes the collector's locks three times, and it adds to a counter. What
// is written and others have: for a letter the box, the letter and the variable or goal that it is
// about, for a gift two words, for a list the locks and the counter. Nothing else is shared.
static void count_what_is_shared(const vm_machine *m, vm_progress_report *ret)
{
    enum { LOCKED_LETTER = 2, LOCKED_GIFT = 4, LOCKED_LIST = 6 };
    enum { SHARED_LETTER = 3, SHARED_GIFT = 2, SHARED_LIST = 3 };
    vm_team_count(m->worker.team, &ret->letters, &ret->gifts);
    for (uint32_t i = 0; i < m->nmachines; i++)
        ret->lists += vm_lists_made(m->machines[i]->worker.free_lists);
    ret->locked =
        ret->letters * LOCKED_LETTER + ret->gifts * LOCKED_GIFT + ret->lists * LOCKED_LIST;
    ret->shared =
        ret->letters * SHARED_LETTER + ret->gifts * SHARED_GIFT + ret->lists * SHARED_LIST;
}

void vm_how_far(const vm_machine *m, vm_progress_report *ret)
{
    *ret = (vm_progress_report){
        .reductions = vm_reductions(m),
        .waiting = (uint64_t)total_suspended(m),
        .now = m->ideal ? m->reduction.now : 0,
        .memory = vm_memory_used(),
        .workers = m->worker.team ? m->nmachines : 1,
    };
    if (m->worker.team) {
        ret->ready = vm_team_ready(m->worker.team);
        count_what_is_shared(m, ret);
    } else if (m->ideal)
        ret->ready = m->reduction.next_goal - m->worker.reductions - (uint64_t)m->worker.suspended;
    else
        ret->ready = vm_own_count_of_all(&m->worker) + 1; // and the goal that runs, which is in no queue
}

void vm_pause(vm_machine *m)
{
    vm_quantum *q = &m->worker.quantum;
    uint64_t reductions = VM_GET_COUNT(m->worker.reductions), limit = m->options.limit;
    q->yield = q->over = true;
    q->stop = vm_is_interrupted() || (m->worker.team && vm_team_is_over(&m->worker)) ||
              (limit && reductions >= limit) || m->way.is_short;
    q->end = reductions + quantum_of(m);
    if (limit && !q->stop && q->end > limit)
        q->end = limit;
}

vm_word vm_calculate(uint32_t op, const vm_word *values, uint32_t n)
{
    vm_word operands[2], result;
    const char *reason;
    if (vm_is_interrupted()) // the goal for it stops
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        operands[i] = vm_end_of(values[i]);
        if (!vm_is_number(operands[i]))
            return 0;
    }
    if (vm_arith_is_long((int)op, operands, n)) // a goal can be told of where memory is short
        return 0;
    return vm_arith_apply((int)op, operands, &result, &reason) == ARITH_OK ? result : 0;
}

// ---- Built-ins ------------------------------------------------------------------------------

vm_result vm_error(vm_machine *m, vm_word culprit, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    free(m->end.failure.reason);
    m->end.failure.reason = NULL;
    if (vasprintf(&m->end.failure.reason, format, args) < 0)
        m->end.failure.reason = NULL;
    va_end(args);
    m->end.failure.kind = FAIL_BUILTIN;
    m->end.failure.left = culprit;
    return VM_FAIL;
}

vm_result vm_undefined(vm_machine *m, vm_word culprit, const char *module, const char *name,
                       uint32_t arity)
{
    vm_error(m, culprit, "there is no predicate %s%s%s/%u", module ? module : "", module ? ":" : "",
             name, arity);
    m->end.failure.kind = FAIL_UNDEFINED;
    m->end.failure.name = name;
    m->end.failure.arity = arity;
    return VM_FAIL;
}

void vm_spawn(vm_machine *m, vm_predicate *p, const vm_word *args, void *progress)
{
    vm_goal *goal = vm_goal_create(m, p, m->reduction.goal->site);
    memcpy(goal->args, args, p->arity * sizeof *args);
    goal->progress = progress;
    vm_goal_launch(m, goal, m->worker.priority);
}

void vm_spawn_at(vm_machine *m, vm_predicate *p, const vm_word *args, int32_t priority)
{
    vm_goal *goal = vm_goal_create(m, p, m->reduction.goal->site);
    memcpy(goal->args, args, p->arity * sizeof *args);
    vm_goal_launch(m, goal, priority);
}

vm_predicate *vm_builtin_predicate(vm_machine *m, vm_builtin function)
{
    const vm_program *p = m->program;
    for (uint32_t i = 0; i < p->npredicates && p->predicates[i]->builtin; i++)
        if (p->predicates[i]->builtin == function)
            return p->predicates[i];
    return NULL;
}

static vm_outcome builtin_failed(vm_machine *m, vm_goal *goal)
{
    m->end.failure.goal = goal;
    m->end.failure.where = goal->site;
    return VM_FAILED;
}

bool vm_serial_try(vm_machine *m, const vm_goal *goal)
{
    if (!m->worker.team || !goal->predicate->entry->serial)
        return true;
    m->worker.in_serial = pthread_mutex_trylock(&m->worker.team->serial) == 0;
    return m->worker.in_serial;
}

void vm_serial_begin(vm_machine *m, const vm_goal *goal)
{
    if (vm_serial_try(m, goal))
        return;
    pthread_mutex_lock(&m->worker.team->serial);
    m->worker.in_serial = true;
}

void vm_serial_end(vm_machine *m)
{
    if (!m->worker.in_serial)
        return;
    m->worker.in_serial = false;
    pthread_mutex_unlock(&m->worker.team->serial);
}

bool vm_is_early(vm_machine *m, const vm_goal *goal)
{
    vm_worker *w = &m->worker;
    if (!w->team || !goal->predicate->entry->reads_input)
        return false;
    bool others = vm_own_count(w) > 0 && !w->levels;
    while (!vm_output_has_input(m->builtins.output, &w->team->serial, !others)) {
        if (vm_team_is_over(w) || vm_is_interrupted())
            vm_pause(m);
        if (others || vm_has_mail(&w->mail) || w->quantum.stop)
            return true;
    }
    return false;
}

vm_outcome vm_call_plain(vm_machine *m, vm_goal *goal)
{
    m->reduction.goal = goal;
    m->attempt.waits.n = 0;
    m->attempt.identity = false;
    if (vm_is_interrupted())
        vm_pause(m); // with long built-ins the quantum may be far from over
    if (vm_is_early(m, goal)) {
        vm_push_oldest(&m->worker, goal);
        return VM_CONTINUE;
    }
    if (m->worker.quantum.stop) {
        vm_push(&m->worker, goal);
        return m->options.limit ? VM_STOPPED : VM_CONTINUE; // diagnostics see the body's other goals, too
    }
    VM_SET_COUNT(m->worker.in_builtin, 1);
    vm_serial_begin(m, goal);
    vm_result result = goal->predicate->builtin(m, goal->args);
    vm_serial_end(m);
    VM_SET_COUNT(m->worker.in_builtin, 0);
    if (m->abroad.n > 0)
        vm_send_bindings(m, vm_goal_copy(goal), goal->site);
    switch (result) {
    case VM_DONE:
        vm_goal_free(m, goal);
        return VM_REDUCED;
    case VM_WAIT:
        vm_suspend(m, goal);
        return VM_CONTINUE;
    case VM_HALT:
        return VM_HALTED;
    case VM_FAIL:
        break;
    }
    return builtin_failed(m, goal);
}

vm_outcome vm_call_stamped(vm_machine *m, vm_goal *goal)
{
    m->reduction.goal = goal;
    m->reduction.item = 0;
    m->attempt.waits.n = m->attempt.reads.n = m->cells.list.n = 0;
    m->attempt.identity = false;
    m->cells.next = m->cells.made;
    m->cells.listing = true;
    vm_result result = goal->predicate->builtin(m, goal->args);
    m->cells.listing = false;
    switch (result) {
    case VM_WAIT:
        vm_suspend(m, goal);
        return VM_CONTINUE;
    case VM_DONE:
    case VM_HALT:
        m->cells.made = m->cells.next;
        vm_reduced(m, goal, NULL);
        return result == VM_HALT ? VM_HALTED : VM_CONTINUE;
    case VM_FAIL:
        break;
    }
    return builtin_failed(m, goal);
}

// ---- Runs -----------------------------------------------------------------------------------

// Keeps each variable once, and drops those of an earlier list.
static uint32_t without_duplicates(vm_machine *m, vm_var **at, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (at[i]->mark != m->reduction.next_mark) {
            at[i]->mark = m->reduction.next_mark;
            at[kept++] = at[i];
        }
    return kept;
}

// Each variable once in what was read and followed; most reductions have at most one.
static inline void list_once(vm_machine *m)
{
    if (m->attempt.reads.n + m->reduction.followed.n < 2)
        return;
    m->reduction.next_mark++;
    m->attempt.reads.n = without_duplicates(m, m->attempt.reads.at, m->attempt.reads.n);
    m->reduction.followed.n =
        without_duplicates(m, m->reduction.followed.at, m->reduction.followed.n);
}

void vm_reduced(vm_machine *m, vm_goal *goal, const vm_clause *clause)
{
    if (m->options.profile)
        vm_profile_reduce(m->options.profile, m->reduction.now);
    if (m->options.recorder) {
        list_once(m);
        vm_event event = vm_event_of(m, goal, clause);
        m->options.recorder->reduction(m->options.recorder->data, &event);
    }
    m->reduction.followed.n = m->reduction.passed.n = m->reduction.bindings.n = 0;
    m->cells.list.n = m->reduction.goals.n = 0;
    if (!goal)
        return;
    m->worker.reductions++;
    vm_goal_free(m, goal);
}

// Overwrites the part of the stack that the frame of the loop occupied.
static __attribute__((noinline)) void clear_stack(void)
{
    char area[4096];
    memset(area, 0, sizeof area);
    __asm__ volatile("" : : "r"(area) : "memory"); // keeps the compiler from dropping the memset
}

void vm_forget_quantum(vm_machine *m)
{
    clear_stack();
    memset(m->frame.registers, 0, m->frame.room * sizeof *m->frame.registers);
    memset(m->attempt.first, 0, m->frame.room * sizeof *m->attempt.first);
    memset(m->frame.arguments, 0, m->frame.room * sizeof *m->frame.arguments);
    if (m->attempt.waits.capacity)
        memset(m->attempt.waits.at, 0, m->attempt.waits.capacity * sizeof *m->attempt.waits.at);
    m->attempt.compared = NULL;
    m->attempt.compares = m->attempt.partial = m->attempt.whole = false;
    m->worker.quantum.forgotten = true;
}

// Clears a list whose old elements may point to the beginning of a stream, and retain all of it.
#define FORGET(list)                                                                               \
    do {                                                                                           \
        if ((list).capacity > KEPT_LIST)                                                           \
            memset(&(list), 0, sizeof(list));                                                      \
        else if ((list).capacity > 0)                                                              \
            memset((list).at, 0, (list).capacity * sizeof *(list).at);                             \
    } while (0)

enum { FORGETS_AFTER = 4096, KEPT_LIST = 4096 }; // steps, elements

// Between two steps of the ideal machine.
static void forget_steps(vm_machine *m)
{
    vm_forget_quantum(m);
    FORGET(m->attempt.reads);
    FORGET(m->reduction.followed);
    FORGET(m->reduction.passed);
    FORGET(m->reduction.bindings);
    FORGET(m->reduction.goals);
    FORGET(m->cells.list);
}

static vm_outcome attempt_stamped(vm_machine *m, vm_goal *goal)
{
    m->attempt.limit = m->reduction.now - goal->predicate->cost;
    if (m->options.profile)
        m->options.profile->state->goal = goal;
    m->attempt.goal = goal;
    vm_outcome outcome =
        goal->predicate->builtin ? vm_call_stamped(m, goal) : vm_loop_stamped(m, goal);
    m->attempt.goal = NULL;
    return outcome;
}

vm_outcome vm_reduce_step(vm_machine *m)
{
    int64_t t = vm_next_step(&m->calendar, m->reduction.now);
    if (t == 0)
        return VM_EXHAUSTED;
    if (m->options.until && t > m->options.until)
        return VM_STOPPED;
    if (t / FORGETS_AFTER > m->reduction.now / FORGETS_AFTER)
        forget_steps(m);
    m->reduction.now = t;
    if (m->options.profile)
        vm_profile_step(m->options.profile, t, m->worker.reductions);
    if (m->builtins.arrange)
        m->builtins.arrange(m, m->calendar.batch.at, m->calendar.batch.n);
    vm_outcome outcome = VM_CONTINUE;
    for (uint32_t i = 0; i < m->calendar.batch.n && outcome == VM_CONTINUE; i++) {
        if (vm_is_interrupted() || (m->options.limit && m->worker.reductions >= m->options.limit))
            return VM_STOPPED;
        outcome = attempt_stamped(m, m->calendar.batch.at[i]);
    }
    return outcome;
}

static vm_outcome run_stamped(vm_machine *m)
{
    vm_outcome outcome = vm_loop_stamped(m, NULL);
    while (outcome == VM_CONTINUE)
        outcome = vm_reduce_step(m);
    return outcome;
}

// goal: the one that was reducing or about to reduce; NULL: not known.
static vm_outcome memory_failed(vm_machine *m, vm_goal *goal)
{
    m->end.failure = (vm_failure){.kind = FAIL_MEMORY, .goal = goal};
    return VM_FAILED;
}

vm_outcome vm_guarded(vm_machine *m, vm_outcome (*run)(vm_machine *m))
{
    m->way.busy = m->stamped ? NULL : &m->worker.in_builtin;
    m->way.is_short = false;
    vm_memory_exit = &m->way;
    vm_outcome outcome =
        setjmp(m->way.exit) == 0
            ? run(m)
            : memory_failed(m, m->worker.in_builtin ? m->reduction.goal : m->attempt.goal);
    vm_memory_exit = NULL;
    if (m->way.is_short && outcome != VM_FAILED && outcome != VM_HALTED)
        return memory_failed(m, vm_take_running(&m->worker));
    return outcome;
}

static vm_outcome run_plain(vm_machine *m)
{
    vm_outcome outcome;
    while ((outcome = vm_loop_plain(m, NULL)) == VM_QUANTUM_OVER)
        vm_forget_quantum(m);
    return outcome;
}

// May the goal stay suspended at the end without a deadlock?
static bool is_idle(const vm_goal *goal)
{
    const vm_builtin_entry *entry = goal->predicate->entry;
    return entry && entry->is_idle && entry->is_idle(goal);
}

static bool something_waits(vm_machine *m)
{
    size_t n;
    if (total_suspended(m) == 0)
        return false;
    vm_goal **goals = vm_suspended(m, &n);
    for (size_t i = 0; i < n; i++)
        if (!is_idle(goals[i]))
            return true;
    return false;
}

vm_ending vm_ending_of(vm_machine *m, vm_outcome outcome)
{
    if (vm_is_interrupted() && outcome != VM_EXHAUSTED && outcome != VM_HALTED)
        return END_INTERRUPTED;
    switch (outcome) {
    case VM_FAILED:
        return END_FAILED;
    case VM_HALTED:
        return END_HALTED;
    case VM_STOPPED:
        return END_STOPPED;
    default:
        return something_waits(m) ? END_DEADLOCK : END_NORMAL;
    }
}

vm_ending vm_run(vm_machine *m)
{
    vm_outcome outcome = m->worker.team ? vm_workers_run(m)
                                        : vm_guarded(m, m->real      ? vm_real_run
                                                        : m->stamped ? run_stamped
                                                                     : run_plain);
    vm_memory_limit(0); // diagnostics may use all memory there is
    vm_output_flush(m->builtins.output);
    if (m->options.profile)
        vm_profile_finish(m->options.profile, m->worker.reductions);
    return vm_ending_of(m, outcome);
}

// ---- What is left ---------------------------------------------------------------------------

const vm_failure *vm_get_failure(const vm_machine *m)
{
    return &m->end.by->end.failure;
}

int vm_halt_status(const vm_machine *m)
{
    return m->end.by->end.halt_status;
}

uint64_t vm_reductions(const vm_machine *m)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < m->nmachines; i++)
        total += VM_GET_COUNT(m->machines[i]->worker.reductions);
    return total;
}

int64_t vm_now(const vm_machine *m)
{
    return m->ideal ? m->reduction.now : 0; // real: each worker has its own
}

const vm_word *vm_results(const vm_machine *m)
{
    return m->start.results;
}

typedef struct {
    ARRAY_OF(vm_goal *) goals;
} found_goals;

static void note_goal(void *data, vm_goal *goal)
{
    found_goals *found = data;
    VM_PUSH(found->goals, goal);
}

uint32_t vm_goal_number(const vm_machine *m, const vm_goal *goal)
{
    return m->stamped ? goal->id : 0;
}

static int by_number(const void *a, const void *b, void *machine)
{
    const vm_goal *x = *(vm_goal *const *)a, *y = *(vm_goal *const *)b;
    uint32_t i = vm_goal_number(machine, x), k = vm_goal_number(machine, y);
    if (i != k)
        return i < k ? -1 : 1;
    return x < y ? -1 : x > y;
}

static vm_goal **goals_in(vm_machine *m, uint32_t state, size_t *ret_n)
{
    found_goals found = {0};
    for (uint32_t i = 0; i < m->nmachines; i++)
        vm_goals_visit(m->machines[i]->slabs, state, note_goal,
                       &found);
    if (found.goals.n > 0)
        qsort_r(found.goals.at, found.goals.n, sizeof *found.goals.at, by_number, m);
    *ret_n = found.goals.n;
    return found.goals.at;
}

vm_goal **vm_suspended(vm_machine *m, size_t *ret_n)
{
    return goals_in(m, GOAL_SUSPENDED, ret_n);
}

vm_goal **vm_ready(vm_machine *m, size_t *ret_n)
{
    return goals_in(m, GOAL_READY, ret_n);
}

vm_var **vm_goal_waits(vm_machine *m, vm_goal *goal, size_t *ret_n)
{
    m->attempt.dry = true;
    m->attempt.limit = INT64_MAX;
    m->reduction.goal = goal;
    m->attempt.waits.n = m->attempt.reads.n = 0;
    if (goal->predicate->builtin)
        goal->predicate->builtin(m, goal->args);
    else if (m->stamped)
        m->real ? vm_loop_real(m, goal) : vm_loop_stamped(m, goal);
    else
        vm_loop_plain(m, goal);
    m->attempt.dry = false;
    *ret_n = m->attempt.waits.n;
    return m->attempt.waits.at;
}
