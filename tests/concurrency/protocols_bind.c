// SPDX-License-Identifier: MIT
//
// Binding, suspending and waking: a goal that waits for several variables is woken once, none is
// lost, a variable is bound once, variables bound to each other make no circle.
#include "protocols.h"

#include "vm/engine/bind.h"
#include "vm/engine/goal.h"
#include "vm/schedule/team.h"
#include "vm/engine/builtin.h"

static vm_var *x, *y, *z;
static vm_goal *first;
static uint32_t unified[WORKERS];

static void unify(unsigned number, vm_word a, vm_word b)
{
    unified[number] = vm_unify(worker[number], a, b);
}

// ---- Goals that wait ----------------------------------------------------------------------------

static void bind_x(void *data)
{
    (void)data;
    unify(1, vm_ref(x), vm_int(1));
}

static void bind_y(void *data)
{
    (void)data;
    unify(2, vm_ref(y), vm_int(2));
}

static void begin(unsigned workers)
{
    make_team(workers);
    x = new_variable();
    y = new_variable();
    z = new_variable();
}

// Both variables are bound while the goal hangs on both.
void bind_two_variables(void)
{
    begin(3);
    suspend_on(0, new_goal(0, 1), x, y);
    model_start(bind_x, NULL);
    model_start(bind_y, NULL);
    model_wait_for_all();
    expect_ready(1);
    expect(total_suspended() == 0, "no goal waits");
}

static void suspend_first(void *data)
{
    (void)data;
    suspend_on(0, first, x, y);
}

// Both variables are bound while the goal is being hung on them.
void bind_while_suspending(void)
{
    begin(3);
    first = new_goal(0, 1);
    model_start(suspend_first, NULL);
    model_start(bind_x, NULL);
    model_start(bind_y, NULL);
    model_wait_for_all();
    expect_ready(1);
    expect(total_suspended() == 0, "no goal waits");
}

// Worker 1 wakes the goal and reduces it; its record becomes another goal, which waits for z.
// Worker 2 comes by the record of the first goal, and must leave the second alone.
static void bind_x_and_recycle(void *data)
{
    bind_x(data);
    vm_goal *woken = vm_deque_pop(&worker[1]->worker.team->deques[1]);
    if (!woken)
        return;
    vm_goal_free(worker[1], woken);
    vm_goal *second = new_goal(1, 2);
    expect(second == woken, "the record is used again");
    suspend_on(1, second, z, NULL);
}

void bind_stale_record(void)
{
    begin(3);
    first = new_goal(0, 1);
    model_start(suspend_first, NULL);
    model_start(bind_x_and_recycle, NULL);
    model_start(bind_y, NULL);
    model_wait_for_all();
    if (first->id == 2) {
        expect_ready(0);
        expect(vm_goal_state(first) == GOAL_SUSPENDED, "the second goal waits");
        expect(total_suspended() == 1, "one goal waits");
    } else {
        expect_ready(1);
        expect(total_suspended() == 0, "no goal waits");
    }
}

static void suspend_another(void *data)
{
    (void)data;
    suspend_on(2, new_goal(2, 2), x, NULL);
}

// Two goals, from two workers, on one variable that a third binds.
void bind_two_goals(void)
{
    begin(3);
    first = new_goal(0, 1);
    model_start(suspend_first, NULL);
    model_start(bind_x, NULL);
    model_start(suspend_another, NULL);
    model_wait_for_all();
    expect_ready(2);
    expect(total_suspended() == 0, "no goal waits");
}

// A goal that waited for x and y, and was woken by y.
static void leave_stale_hook(void)
{
    suspend_on(0, new_goal(0, 5), x, y);
    unify(0, vm_ref(y), vm_int(1));
    vm_goal *woken = vm_deque_pop(&worker[0]->worker.team->deques[0]);
    expect(woken && woken->id == 5, "the goal is woken");
    vm_goal_free(worker[0], woken);
}

static void suspend_third(void *data)
{
    (void)data;
    suspend_on(0, new_goal(0, 3), x, NULL);
}

static void suspend_fourth(void *data)
{
    (void)data;
    suspend_on(2, new_goal(2, 4), x, NULL);
}

// Two workers take the stale record out of the list that a third, binding x, walks along.
void bind_sweeps(void)
{
    begin(3);
    suspend_on(0, new_goal(0, 1), x, NULL);
    leave_stale_hook();
    suspend_on(1, new_goal(1, 2), x, NULL);
    model_start(suspend_third, NULL);
    model_start(suspend_fourth, NULL);
    model_start(bind_x, NULL);
    model_wait_for_all();
    expect_ready(4);
    expect(total_suspended() == 0, "no goal waits");
}

// ---- Variables ----------------------------------------------------------------------------------

static void bind_x_otherwise(void *data)
{
    (void)data;
    unify(2, vm_ref(x), vm_int(2));
}

void bind_twice(void)
{
    begin(3);
    suspend_on(0, new_goal(0, 1), x, NULL);
    model_start(bind_x, NULL);
    model_start(bind_x_otherwise, NULL);
    model_wait_for_all();
    expect(unified[1] != unified[2], "one of two values is refused");
    expect(vm_end_of(vm_ref(x)) == vm_int(unified[1] ? 1 : 2), "the other one stays");
    expect_ready(1);
}

static void join_x_y(void *data)
{
    (void)data;
    unify(1, vm_ref(x), vm_ref(y));
}

static void join_y_x(void *data)
{
    (void)data;
    unify(2, vm_ref(y), vm_ref(x));
}

static void join_x_y_beside(void *data)
{
    (void)data;
    unify(3, vm_ref(x), vm_ref(y));
}

static void join_y_z(void *data)
{
    (void)data;
    unify(2, vm_ref(y), vm_ref(z));
}

static void join_z_x(void *data)
{
    (void)data;
    unify(3, vm_ref(z), vm_ref(x));
}

// One variable is bound to another, from both sides; then one of them gets a value.
void bind_crosswise(void)
{
    begin(3);
    model_start(join_x_y, NULL);
    model_start(join_y_x, NULL);
    model_wait_for_all();
    expect(vm_end_of(vm_ref(x)) == vm_end_of(vm_ref(y)), "both are one variable");
    expect(vm_unify(worker[0], vm_ref(x), vm_int(7)), "it is unbound");
    expect(vm_end_of(vm_ref(y)) == vm_int(7), "both have the value");
}

void bind_circle(void)
{
    begin(4);
    model_start(join_x_y, NULL);
    model_start(join_y_z, NULL);
    model_start(join_z_x, NULL);
    model_wait_for_all();
    expect(vm_end_of(vm_ref(x)) == vm_end_of(vm_ref(y)) && vm_end_of(vm_ref(y)) == vm_end_of(vm_ref(z)),
           "all are one variable");
    expect(vm_unify(worker[0], vm_ref(x), vm_int(7)), "it is unbound");
    expect(vm_end_of(vm_ref(z)) == vm_int(7), "all have the value");
}

// A goal waits for x and y, which are joined from both sides while x gets a value.
void bind_alias_waited_for(void)
{
    begin(4);
    suspend_on(0, new_goal(0, 1), y, x);
    model_start(bind_x, NULL);
    model_start(join_y_x, NULL);
    model_start(join_x_y_beside, NULL);
    model_wait_for_all();
    expect(vm_end_of(vm_ref(y)) == vm_int(1), "the value arrives");
    expect_ready(1);
    expect(total_suspended() == 0, "no goal waits");
}
