// SPDX-License-Identifier: MIT
#include "vm/bind.h"

#include "vm/goal.h"

#include <string.h>

vm_word vm_deref(vm_machine *m, vm_word w)
{
    while (vm_tag(w) == TAG_REF) {
        vm_var *v = vm_as_var(w);
        if (!vm_is_visible(m, v))
            return w;
        if (m->stamped)
            VM_PUSH(m->reads, v);
        w = v->value;
    }
    return w;
}

vm_result vm_wait(vm_machine *m, vm_word variable)
{
    VM_PUSH(m->waits, vm_as_var(variable));
    return VM_WAIT;
}

// ---- Suspension -----------------------------------------------------------------------------

static void hang(vm_goal *goal, vm_var *v)
{
    vm_hook *hook = vm_alloc(sizeof *hook);
    hook->next = vm_pointer(v->value);
    hook->goal = goal;
    hook->seq = goal->seq;
    v->value = (vm_word)hook | TAG_HOOK;
}

// When the first of the needed variables that are bound already becomes visible; 0: none is.
static int64_t first_visible(const vm_machine *m, const vm_goal *goal)
{
    int64_t first = 0;
    if (!m->stamped)
        return 0;
    for (uint32_t i = 0; i < m->waits.n; i++) {
        const vm_var *v = m->waits.at[i];
        if (vm_is_bound(v) && (first == 0 || v->time + goal->predicate->cost < first))
            first = v->time + goal->predicate->cost;
    }
    return first;
}

void vm_suspend(vm_machine *m, vm_goal *goal)
{
    if (m->dry)
        return;
    int64_t again = first_visible(m, goal);
    if (again) {
        goal->state = GOAL_READY;
        vm_schedule(m->scheduler, goal, again, false);
        return;
    }
    goal->state = GOAL_SUSPENDED;
    m->suspended++;
    for (uint32_t i = 0; i < m->waits.n; i++)
        hang(goal, m->waits.at[i]);
}

void vm_wake(vm_machine *m, vm_hook *hook)
{
    for (; hook; hook = hook->next) {
        vm_goal *goal = hook->goal;
        if (goal->state != GOAL_SUSPENDED || goal->seq != hook->seq)
            continue;
        goal->seq++;
        goal->state = GOAL_READY;
        m->suspended--;
        if (m->stamped)
            vm_schedule(m->scheduler, goal, m->now + goal->predicate->cost, false);
        else
            vm_push_newest(m->scheduler, goal);
    }
}

// ---- Active unification ---------------------------------------------------------------------

static vm_word follow(vm_machine *m, vm_word w)
{
    while (vm_tag(w) == TAG_REF && vm_is_bound(vm_as_var(w))) {
        if (m->stamped)
            VM_PUSH(m->followed, vm_as_var(w));
        w = vm_as_var(w)->value;
    }
    return w;
}

typedef struct {
    vm_word left, right; // compounds of the same shape
    uint32_t next, n;    // arguments
} pair;

static bool unify_failed(vm_machine *m, vm_word left, vm_word right)
{
    m->failure.kind = FAIL_UNIFY;
    m->failure.left = left;
    m->failure.right = right;
    return false;
}

bool vm_unify(vm_machine *m, vm_word left, vm_word right)
{
    VM_ARRAY(pair) stack = {0};
    for (vm_word a = left, b = right;;) {
        a = follow(m, a);
        b = follow(m, b);
        if (a == b) {
            // the same variable, constant or occurrence of a term
        } else if (vm_is_var(a)) {
            vm_bind(m, vm_as_var(a), b);
        } else if (vm_is_var(b)) {
            vm_bind(m, vm_as_var(b), a);
        } else if (!vm_equal_constants(a, b)) {
            if (!vm_same_shape(a, b))
                return unify_failed(m, left, right);
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
