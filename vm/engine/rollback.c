// SPDX-License-Identifier: MIT
//
// Sessions. A stamped machine can be given more goals and more code whenever nothing is under way.
// Suspended goals stay, and resume when a later goal binds their variables.
//
//     quiet --vm_begin--> begun --vm_go_on--> ... --vm_go_on--> quiet again
//       ^                                |
//       +---------- vm_restore ----------+  failed, interrupted, out of memory
//
// A saved state is the list of suspended goals. A rollback takes back the later bindings of older
// variables and restores these goals; nothing else that is older than the saved state changes.
// (Input and output of built-ins is not undone; their goals continue from there.)
#include "vm/engine/bind.h"
#include "vm/engine/goal.h"
#include "vm/engine/loop_entry.h"
#include "vm/engine/output.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/session.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    vm_goal *goal; // a copy, in no list
    void *shared; // what it shares with others (vm_builtin_entry.save); NULL: nothing
} saved_goal;

struct vm_saved {
    uint32_t ngoals;
    saved_goal *goals;
    vm_arrange arrange;
};

// ---- More code and goals ----------------------------------------------------------------------

void vm_extend(vm_machine *m, const vm_program *p)
{
    m->program = p;
    vm_machine_reserve(m);
}

void vm_begin(vm_machine *m, const vm_clause *clause, const vm_word *values)
{
    m->start.clause = clause;
    m->start.made = false;
    memcpy(m->frame.registers, values, clause->predicate->arity * sizeof *values);
}

vm_word vm_session_variable(vm_machine *m, vm_origin origin)
{
    m->cells.next = m->cells.made;
    vm_word variable = vm_heap_variable(m, origin);
    m->cells.made = m->cells.next;
    return variable;
}

// ---- Saved states -----------------------------------------------------------------------------

static void save_goal(void *data, vm_goal *goal)
{
    vm_saved *saved = data;
    saved_goal *to = &saved->goals[saved->ngoals++];
    to->goal = vm_goal_copy(goal);
    if (goal->predicate->entry && goal->predicate->entry->save)
        to->shared = goal->predicate->entry->save(goal);
}

vm_saved *vm_save(vm_machine *m)
{
    vm_saved *saved = vm_alloc(sizeof *saved);
    saved->goals = vm_alloc(((size_t)m->worker.suspended + 1) * sizeof *saved->goals);
    saved->arrange = m->builtins.arrange;
    vm_goals_visit(m->slabs, GOAL_SUSPENDED, save_goal, saved);
    return saved;
}

static void drop_goal(void *data, vm_goal *goal)
{
    vm_goal_free(data, goal);
}

// Clears the remains of an interrupted attempt.
static void forget_attempt(vm_machine *m)
{
    for (uint32_t i = 0; i < m->reduction.bindings.n; i++)
        m->reduction.bindings.at[i].variable->value = VM_UNBOUND;
    m->reduction.bindings.n = m->reduction.followed.n = m->reduction.passed.n = 0;
    m->attempt.reads.n = m->attempt.waits.n = 0;
    m->cells.list.n = m->reduction.goals.n = m->attempt.either.n = 0;
    m->cells.listing = m->attempt.dry = m->worker.in_serial = false;
    m->start.made = true;
    free(m->end.failure.reason);
    m->end.failure = (vm_failure){0};
}

// The state between attempts that a built-in keeps in its goal. Unless its entry says otherwise
// that is a search for unbound variables: it may have passed some that are unbound again, and
// begins anew.
static void *kept_progress(const vm_goal *goal)
{
    const vm_builtin_entry *entry = goal->predicate->entry;
    if (!entry || !entry->keeps_progress)
        return NULL;
    if (entry->rewind && goal->progress)
        entry->rewind(goal->progress);
    return goal->progress;
}

static void put_back(vm_machine *m, const saved_goal *saved)
{
    const vm_goal *from = saved->goal;
    vm_goal *goal = vm_goal_take(m, from->predicate);
    goal->site = from->site;
    goal->id = from->id;
    goal->created = from->created;
    goal->module = from->module;
    goal->progress = kept_progress(from);
    memcpy(goal->args, from->args, from->nargs * sizeof *from->args);
    if (saved->shared)
        from->predicate->entry->restore(goal, saved->shared);
    vm_schedule(&m->calendar, goal, m->reduction.now + goal->predicate->cost, false);
}

void vm_restore(vm_machine *m, const vm_saved *saved, vm_var *const *bound, size_t nbound)
{
    forget_attempt(m);
    for (size_t i = 0; i < nbound; i++)
        bound[i]->value = VM_UNBOUND;
    vm_goals_visit(m->slabs, GOAL_READY, drop_goal, m);
    vm_goals_visit(m->slabs, GOAL_SUSPENDED, drop_goal, m);
    m->worker.suspended = 0;
    m->builtins.arrange = saved ? saved->arrange : NULL;
    m->builtins.timers = 0; // one that runs never waits
    vm_calendar_clear(&m->calendar);
    for (uint32_t i = 0; saved && i < saved->ngoals; i++)
        put_back(m, &saved->goals[i]);
}

void vm_redirect(vm_machine *m, vm_predicate *(*find)(void *data, vm_predicate *old), void *data)
{
    size_t n;
    vm_goal **goals = vm_suspended(m, &n);
    for (size_t i = 0; i < n; i++) {
        vm_predicate *new = find(data, goals[i]->predicate);
        if (!new || new == goals[i]->predicate)
            continue;
        goals[i]->predicate = new;
        vm_set_generation(goals[i], vm_next_generation(vm_get_generation(goals[i])));
        m->worker.suspended--;
        vm_schedule(&m->calendar, goals[i], m->reduction.now + new->cost, false);
    }
}

// ---- Step by step -----------------------------------------------------------------------------

static vm_outcome one_step(vm_machine *m)
{
    return m->start.made ? vm_reduce_step(m) : vm_loop_stamped(m, NULL);
}

bool vm_go_on(vm_machine *m, vm_ending *ret_ending)
{
    vm_outcome outcome = vm_guarded(m, one_step);
    if (outcome == VM_CONTINUE)
        return true;
    *ret_ending = vm_ending_of(m, outcome);
    return false;
}

uint32_t vm_cells_made(const vm_machine *m)
{
    return m->cells.made;
}

uint32_t vm_goals_made(const vm_machine *m)
{
    return m->reduction.next_goal;
}

bool vm_flush_output(vm_machine *m)
{
    vm_output_sync(m->builtins.output); // the streams keep the error: their next user is told
    return m->builtins.output->out.within_line;
}
