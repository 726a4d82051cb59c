// SPDX-License-Identifier: MIT
//
// Races: reductions of a real stamped run at which the schedule decided. A reduction raced if its `=`
// met a binding that is later in order than itself (real_unify.c), or if its clauses raced.
//
// The clauses of a reduction at time t raced if another clause of the predicate would have fitted,
// too, by the bindings that the goal may see at t. These are the bindings of t - cost and before;
// later ones cannot have caused the commit. None of them comes from the reduction itself, so under
// another schedule the goal could have committed to the other clause. If no reduction raced, each goal
// had one clause to take, and took the same clause as on the ideal machine.
//
// Clauses whose heads exclude each other need no trial. The other clauses are tried again when the
// reduction is made. A clause that fails then fails for good; a clause that fits has raced. If a
// clause waits for an unbound variable, a binding of an earlier virtual time may still come. Such a
// reduction stays open and is looked at again, at the latest after the run.
#include "vm/engine/bind.h"
#include "vm/engine/equal.h"
#include "vm/engine/goal.h"
#include "vm/engine/real.h"
#include "vm/schedule/team.h"
#include "vm/term/heap.h"

#include <string.h>

// ---- Clauses that cannot both fit -----------------------------------------------------------

typedef struct {
    const vm_pattern *a, *b;
} both;

static bool is_variable(const vm_pattern *p)
{
    return p->kind == PATTERN_VOID || p->kind == PATTERN_FIRST || p->kind == PATTERN_AGAIN;
}

static bool same_root(const vm_pattern *a, const vm_pattern *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    return a->kind == PATTERN_CONST    ? vm_equal_constants(a->constant, b->constant)
           : a->kind == PATTERN_STRUCT ? a->constant == b->constant
                                       : true;
}

static bool patterns_exclude(const vm_pattern *a, const vm_pattern *b)
{
    ARRAY_OF(both) todo = {0};
    VM_PUSH(todo, (both){a, b});
    while (todo.n > 0) {
        both p = todo.at[--todo.n];
        if (is_variable(p.a) || is_variable(p.b))
            continue;
        if (!same_root(p.a, p.b))
            return true;
        for (uint32_t i = 0; i < p.a->n; i++)
            VM_PUSH(todo, (both){p.a->children[i], p.b->children[i]});
    }
    return false;
}

static bool heads_exclude(const vm_clause *a, const vm_clause *b)
{
    for (uint32_t i = 0; i < a->predicate->arity; i++)
        if (patterns_exclude(a->head[i], b->head[i]))
            return true;
    return false;
}

static bool has_rivals(vm_real *r, const vm_clause *clause)
{
    if (r->rivals[clause->id] != VM_RIVALS_UNKNOWN)
        return r->rivals[clause->id] == VM_RIVALS;
    const vm_predicate *p = clause->predicate;
    r->rivals[clause->id] = VM_ALONE;
    for (uint32_t i = 0; i < p->nclauses; i++)
        if (p->clauses[i] != clause && !heads_exclude(clause, p->clauses[i]))
            r->rivals[clause->id] = VM_RIVALS;
    return r->rivals[clause->id] == VM_RIVALS;
}

// ---- Trials ---------------------------------------------------------------------------------

typedef enum { NOT_RACED, RACED, OPEN } verdict;

static verdict try_others(vm_machine *m, vm_goal *goal, const vm_clause *clause, int64_t limit)
{
    int32_t priority = m->worker.priority;
    m->attempt.limit = limit;
    m->attempt.dry = true;
    m->worker.priority = goal->priority; // a guard may ask for it
    m->real->trial = clause;
    vm_loop_real(m, goal);
    m->worker.priority = priority;
    m->real->trial = NULL;
    m->real->settled = false;
    m->attempt.dry = false;
    m->attempt.limit = INT64_MAX;
    if (m->real->fits > 0)
        return RACED;
    for (uint32_t i = 0; i < m->attempt.waits.n; i++)
        if (!vm_is_bound(m->attempt.waits.at[i]))
            return OPEN;
    return NOT_RACED;
}

// Looks at the open ones again; those still open are kept.
static void look_again(vm_machine *m)
{
    vm_real *r = m->real;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->open.n; i++) {
        vm_open_race o = r->open.at[i];
        verdict v = try_others(m, o.goal, o.clause, o.limit);
        r->raced += v == RACED;
        if (v == OPEN)
            r->open.at[kept++] = o;
    }
    if (kept < r->open.n)
        memset(&r->open.at[kept], 0, (r->open.n - kept) * sizeof *r->open.at);
    r->open.n = kept;
}

static void keep_open(vm_machine *m, const vm_goal *goal, const vm_clause *clause, int64_t limit)
{
    vm_real *r = m->real;
    VM_PUSH(r->open, (vm_open_race){.goal = vm_goal_copy(goal), .clause = clause, .limit = limit});
    if (r->open.n < r->open_limit)
        return;
    look_again(m);
    r->open_limit = r->open.n < 512 ? 1024 : 2 * r->open.n;
}

void vm_real_look_for_race(vm_machine *m, const vm_goal *goal, const vm_clause *clause)
{
    if (!has_rivals(m->real, clause))
        return;
    int64_t limit = m->reduction.now - goal->predicate->cost;
    verdict v = try_others(m, (vm_goal *)goal, clause, limit);
    m->real->raced += v == RACED;
    if (v == OPEN)
        keep_open(m, goal, clause, limit);
}

uint32_t vm_count_races(vm_machine *m)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < m->nmachines; i++) {
        vm_machine *worker = m->machines[i];
        look_again(worker);
        total += worker->real->raced;
    }
    return total;
}
