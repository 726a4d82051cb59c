// SPDX-License-Identifier: MIT
//
// The threads of a run with several workers, and which loop each of them is in.
#define GC_THREADS
#include "vm/engine/workers.h"

#include "vm/code.h"
#include "vm/engine/bind.h"
#include "vm/engine/called.h"
#include "vm/engine/mail.h"
#include "vm/engine/real.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"
#include "vm/states.h"

#include <gc.h>
#include <stddef.h>

static vm_machine *new_machine(const vm_machine *first, uint32_t number)
{
    vm_machine *m = vm_machine_create(first->program, &first->options);
    m->builtins.output = first->builtins.output;
    m->start.made = true;
    m->cells.made = VM_CELL_FIRST(number);
    if (!m->real)
        m->cells.unbound = vm_unbound_of(number);
    if (m->real)
        m->real->clock = first->real->clock;
    // Made here: a thread has no lists of its own to make them from.
    m->worker.free_lists = vm_alloc((VM_SMALL_GRANULES + 1) * sizeof *m->worker.free_lists);
    return m;
}

// ---- What is given away ------------------------------------------------------------------------
//
// Goals that belong together stay together: who reads a list and who makes it.

enum {
    SEEN = 384,             // elements that looks may see for each quantum; what is left is kept,
    SEEN_AT_ONCE = 1 << 16, // but not more than this
    LONG_LIST = 1 << 14,    // elements: its reader is busy for a while, also if somebody still makes it
    ELEMENTS = 512,         // of a list that is being made: for so many it is not seen for a quantum
    LONG_WAIT = 2,          // quanta that a reader waits
    SELDOM = 8,             // quanta between looks that ask for another one, to see who still waits
};

static uint32_t number_of_look(const vm_machine *m)
{
    return VM_GET_COUNT(m->worker.quantum.number) + 1;
}

// A worker looks for a gift in a quantum at most.
static void begin_look(vm_hunt *hunt, uint32_t number)
{
    uint64_t left = hunt->left + (uint64_t)(number - hunt->number) * SEEN;
    hunt->left = hunt->number > 0 && left < SEEN_AT_ONCE ? (uint32_t)left : SEEN_AT_ONCE;
    hunt->number = number;
}

// Goes on where the last look at this list ended, and stops where this one has looked at enough.
static vm_word look_through(vm_hunt *hunt, vm_word list)
{
    vm_word first = list, last = list, reached = ~hunt->reached;
    uint32_t elements = 0;
    if (hunt->collections == GC_get_gc_no() && hunt->begun == ~first) { // it is alive from here on
        list = reached;
        elements = hunt->elements;
    }
    for (; vm_tag(list) == TAG_CONS && hunt->left > 0 && elements < LONG_LIST;
         hunt->left--, elements++) {
        last = list;
        list = vm_end_of(vm_tail(list));
    }
    if (vm_tag(list) == TAG_CONS && last != list) {
        hunt->begun = ~first;
        hunt->reached = ~last;
        hunt->elements = elements;
        hunt->collections = GC_get_gc_no();
    } else if (vm_is_var(list)) {
        hunt->open = ~first;
        hunt->open_until = hunt->number + elements / ELEMENTS;
    }
    return list;
}

// A list that somebody is still making, and that its reader might soon have read? One that is too long to be
// looked through at once may be.
static bool is_unfinished(vm_machine *m, vm_word list)
{
    vm_hunt *hunt = &m->hunt;
    if (hunt->number != number_of_look(m))
        begin_look(hunt, number_of_look(m));
    if (hunt->whole == ~list)
        return false;
    if (hunt->open == ~list && (int32_t)(hunt->number - hunt->open_until) < 0)
        return true;
    vm_word end = look_through(hunt, list);
    bool is_begun = hunt->begun == ~list && vm_tag(end) == TAG_CONS;
    bool is_long = is_begun && hunt->elements >= LONG_LIST;
    m->worker.soon |= is_begun && !is_long;
    if (vm_is_var(end) || (vm_tag(end) == TAG_CONS && !is_long))
        return true;
    hunt->whole = ~list;
    return false;
}

// Where a goal's predicate begins with a switch; NULL: it does not.
static const uint32_t *switch_of(const vm_machine *m, const vm_goal *goal)
{
    const uint32_t *pc = m->program->code + goal->predicate->code;
    return !goal->predicate->builtin && (*pc == OP_SWITCH || *pc == OP_SWITCH_FIRST) ? pc : NULL;
}

// Does the goal, which waits for v, want a list there?
static bool reads_list(const vm_machine *m, const vm_goal *goal, vm_word v)
{
    const uint32_t *pc = switch_of(m, goal);
    if (pc)
        return pc[3] != pc[4] && vm_end_of(goal->args[pc[1]]) == v;
    return goal->predicate->builtin &&
           goal->predicate->entry->keeps_progress; // as those do that serve streams
}

// Has nobody bound v for some quanta? Then its maker makes few elements, or large ones. The reader
// follows the maker, so a gift costs two letters only.
static bool has_waited_long(vm_machine *m, vm_word v)
{
    vm_hunt *hunt = &m->hunt;
    uint32_t number = number_of_look(m);
    if (hunt->noted != number && hunt->awaited != ~v) {
        hunt->awaited = ~v;
        hunt->since = number;
        m->worker.soon |= number - hunt->asked > SELDOM;
        hunt->asked = number;
    }
    hunt->noted = number;
    return hunt->awaited == ~v && number - hunt->since >= LONG_WAIT;
}

// Is v a variable of this worker whose newest waiting goal reads a list, and did so a moment ago?
static bool has_reader(vm_machine *m, vm_word v)
{
    vm_word value = vm_load(&vm_as_var(v)->value);
    if (m->real || vm_tag(value) != TAG_UNBOUND || vm_is_unawaited(value) || !vm_is_mine(m, value))
        return false;
    const vm_suspension *record = vm_first_waiter(value);
    return record->in.own && reads_list(m, vm_waiter(record), v) && !has_waited_long(m, v);
}

static bool has_partner(vm_machine *m, const vm_goal *goal)
{
    for (uint32_t i = 0; i < goal->nargs; i++) {
        vm_word value = vm_end_of(goal->args[i]);
        if (vm_is_var(value) ? has_reader(m, value)
                             : vm_tag(value) == TAG_CONS && is_unfinished(m, value))
            return true;
    }
    return false;
}

// Is it more than a step, and is there what it needs?
static bool begins_well(const vm_machine *m, const vm_goal *goal)
{
    if (goal->predicate->builtin)
        return vm_is_call(goal);
    const uint32_t *pc = switch_of(m, goal);
    if (goal->predicate->small || (pc && vm_is_var(vm_end_of(goal->args[pc[1]]))))
        return false;
    uint64_t needs = goal->predicate->needs;
    for (uint32_t i = 0; i < goal->nargs && needs > 0; i++, needs >>= 1)
        if (needs & 1 && vm_is_var(vm_end_of(goal->args[i])))
            return false;
    return true;
}

static vm_machine *machine_of(vm_worker *w)
{
    return (vm_machine *)((char *)w - offsetof(vm_machine, worker));
}

static bool works(vm_worker *w, const vm_goal *goal)
{
    return begins_well(machine_of(w), goal);
}

static bool fits(vm_worker *w, const vm_goal *goal)
{
    vm_machine *m = machine_of(w);
    return m->options.together || (begins_well(m, goal) && !has_partner(m, goal));
}

void vm_workers_create(vm_machine *first)
{
    uint32_t n = first->options.workers;
    vm_machine **machines = vm_alloc(n * sizeof(vm_machine *));
    vm_worker **workers = vm_alloc(n * sizeof(vm_worker *));
    for (uint32_t i = 0; i < n; i++) {
        machines[i] = i == 0 ? first : new_machine(first, i);
        machines[i]->machines = machines;
        machines[i]->nmachines = n;
        workers[i] = &machines[i]->worker;
    }
    first->worker.free_lists = vm_free_lists;
    vm_team_create(workers, n, first->options.together, fits, works);
}

// ---- Runs ---------------------------------------------------------------------------------------

static vm_outcome run_worker(vm_machine *m)
{
    vm_worker *w = &m->worker;
    for (;;) {
        vm_outcome outcome = vm_read_mail(m);
        vm_team_forward(w);
        if (outcome == VM_CONTINUE)
            outcome = m->real ? vm_real_run(m) : vm_loop_plain(m, NULL);
        if (outcome == VM_MAIL)
            continue;
        vm_forget_quantum(m); // before it may sleep, too
        if (outcome == VM_QUANTUM_OVER)
            vm_team_quantum_over(w);
        else if (outcome != VM_EXHAUSTED || !vm_team_wait(w))
            return outcome;
    }
}

static void *work(void *data)
{
    vm_machine *m = data;
    if (m->worker.number > 0) {
        vm_heap_use_lists(m->worker.free_lists);
        vm_states_join(m->options.states, m->worker.number);
    }
    vm_outcome outcome = vm_guarded(m, run_worker);
    vm_team_release(&m->worker);
    if (outcome != VM_EXHAUSTED)
        vm_team_end(&m->worker, outcome);
    vm_state_enter(STATE_IDLE);
    return NULL;
}

static bool start(vm_worker *w)
{
    if (!vm_threads) // others read it
        vm_threads = true;
    vm_memory_for_worker(w->number);
    return pthread_create(&w->thread, NULL, work, machine_of(w)) == 0;
}

vm_outcome vm_workers_run(vm_machine *first)
{
    vm_team *t = first->worker.team;
    vm_worker *w;
    if (!first->real) // its recorder has a thread of its own
        vm_threads = false; // until the first gift
    vm_team_begin(t, start);
    work(first);
    while ((w = vm_team_end_of_thread(t)))
        pthread_join(w->thread, NULL);
    first->end.by = t->ended_by ? first->machines[t->ended_by->number] : first;
    return t->ended_by ? (vm_outcome)t->outcome : VM_EXHAUSTED;
}
