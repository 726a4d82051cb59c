// SPDX-License-Identifier: MIT
//
// Binding, suspending and waking by letters: a goal that waits for several variables is woken once, none
// is lost, a variable is bound once, variables bound to each other make no circle.
#include "protocols.h"

#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/goal.h"
#include "vm/engine/mail.h"
#include "vm/schedule/team.h"

static vm_var *x, *y, *z; // of workers 0, 1, 2
static vm_goal *first;
static unsigned failures;

static void unify(unsigned number, vm_word a, vm_word b)
{
    vm_machine *m = worker[number];
    if (!vm_unify(m, a, b))
        __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    vm_send_bindings(m, NULL, (vm_origin){0});
}

// What a worker does first; then it reads its letters until nobody has one.
typedef struct {
    unsigned number;
    void (*act)(unsigned number);
} part;

static part parts[WORKERS];

static void play(void *data)
{
    const part *p = data;
    vm_machine *m = worker[p->number];
    if (p->act)
        p->act(p->number);
    do {
        if (vm_read_mail(m) != VM_CONTINUE)
            __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
    } while (vm_team_wait(&m->worker));
}

static void begin(void)
{
    make_team(3);
    failures = 0;
    x = new_variable(0);
    y = new_variable(1);
    z = new_variable(2);
}

static void run(void (*a)(unsigned), void (*b)(unsigned), void (*c)(unsigned))
{
    void (*acts[])(unsigned) = {a, b, c};
    for (unsigned i = 0; i < 3; i++) {
        parts[i] = (part){i, acts[i]};
        model_start(play, &parts[i]);
    }
    model_wait_for_all();
}

static void expect_one_awake(void)
{
    expect_ready(1);
    expect(total_suspended() == 0, "no goal waits");
    expect(failures == 0, "nothing fails");
}

// ---- Goals that wait ----------------------------------------------------------------------------

static void bind_x(unsigned number)
{
    unify(number, vm_ref(x), vm_int(1));
}

static void bind_y(unsigned number)
{
    unify(number, vm_ref(y), vm_int(2));
}

static void bind_z(unsigned number)
{
    unify(number, vm_ref(z), vm_int(3));
}

static void suspend_on_y_and_z(unsigned number)
{
    suspend_on(number, first, y, z);
}

// A goal of worker 0 is hung on two variables of others, while they bind them.
void bind_while_suspending(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_on_y_and_z, bind_y, bind_z);
    expect_one_awake();
}

static void suspend_on_x_and_y(unsigned number)
{
    suspend_on(number, first, x, y);
}

// One is its own, and a third worker wants it bound.
void bind_two_variables(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_on_x_and_y, bind_y, bind_x);
    expect_one_awake();
}

static void suspend_on_y(unsigned number)
{
    suspend_on(number, first, y, NULL);
}

// The goal goes to the owner of what it needs.
void bind_moves(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_on_y, bind_y, NULL);
    expect_one_awake();
}

static vm_goal *take_one(vm_machine *m)
{
    vm_goals goals = {0};
    vm_take_all(&m->worker, &goals);
    return goals.n == 1 ? goals.at[0] : NULL;
}

// Worker 0 takes the goal when it is woken. Its record becomes another goal, which waits for x; the
// letter that the other variable is bound must leave it alone.
static void suspend_and_recycle(unsigned number)
{
    vm_machine *m = worker[number];
    vm_goal *woken = NULL;
    suspend_on(number, first, y, z);
    while (!woken && vm_team_wait(&m->worker)) {
        vm_read_mail(m);
        woken = take_one(m);
    }
    expect(woken != NULL, "the goal is woken");
    vm_goal_free(m, woken);
    vm_goal *second = new_goal(number, 2);
    expect(second == woken, "the record is used again");
    suspend_on(number, second, x, NULL);
}

void bind_stale_record(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_and_recycle, bind_y, bind_z);
    expect_ready(0);
    expect(vm_goal_state(first) == GOAL_SUSPENDED, "the second goal waits");
    expect(total_suspended() == 1, "one goal waits");
}

static void suspend_another(unsigned number)
{
    suspend_on(number, new_goal(number, 2), y, x);
}

// Two goals, of two workers, on two variables.
void bind_two_goals(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_on_x_and_y, bind_y, suspend_another);
    expect_ready(2);
    expect(total_suspended() == 0, "no goal waits");
}

// Goal 4 waited for x and another variable, and was woken by that one: its record on x, between those of
// goals 1 and 2, is stale.
static void suspend_many(unsigned number)
{
    vm_machine *m = worker[number];
    vm_var *own = new_variable(number);
    suspend_on(number, new_goal(number, 1), x, NULL);
    suspend_on(number, new_goal(number, 4), x, own);
    unify(number, vm_ref(own), vm_int(1));
    vm_goal *woken = take_one(m);
    expect(woken && woken->site.index == 4, "the goal is woken");
    vm_goal_free(m, woken);
    suspend_on(number, new_goal(number, 2), x, NULL);
    suspend_on(number, new_goal(number, 3), x, NULL);
}

void bind_sweeps(void)
{
    begin();
    run(suspend_many, bind_x, NULL);
    expect_ready(3);
    expect(total_suspended() == 0, "no goal waits");
}

// ---- Variables ----------------------------------------------------------------------------------

static void bind_x_otherwise(unsigned number)
{
    unify(number, vm_ref(x), vm_int(2));
}

void bind_twice(void)
{
    begin();
    run(NULL, bind_x, bind_x_otherwise);
    expect(failures == 1, "one of two values is refused");
    vm_word value = vm_end_of(vm_ref(x));
    expect(value == vm_int(1) || value == vm_int(2), "the other one stays");
}

// Also where the owner binds it itself.
void bind_own_and_others(void)
{
    begin();
    run(bind_x, bind_x_otherwise, NULL);
    expect(failures == 1, "one of two values is refused");
    expect(vm_end_of(vm_ref(x)) == vm_int(1), "the owner is first");
}

static void join_x_y(unsigned number)
{
    unify(number, vm_ref(x), vm_ref(y));
}

static void join_y_z(unsigned number)
{
    unify(number, vm_ref(y), vm_ref(z));
}

static void join_z_x(unsigned number)
{
    unify(number, vm_ref(z), vm_ref(x));
}

static void join_y_x(unsigned number)
{
    unify(number, vm_ref(y), vm_ref(x));
}

// Are they one variable? (unification ends if they make no circle)
static void expect_one_variable(vm_var *a, vm_var *b)
{
    vm_word end = vm_ref(a);
    for (unsigned i = 0; i < 8 && vm_is_var(end) && vm_is_bound(vm_as_var(end)); i++)
        end = vm_as_var(end)->value;
    expect(!vm_is_var(end) || !vm_is_bound(vm_as_var(end)), "there is no circle");
    expect(end == vm_end_of(vm_ref(b)), "both are one variable");
}

// One variable is bound to another, from both sides.
void bind_crosswise(void)
{
    begin();
    run(join_x_y, join_y_x, NULL);
    expect_one_variable(x, y);
}

void bind_circle(void)
{
    begin();
    run(join_x_y, join_y_z, join_z_x);
    expect_one_variable(x, y);
    expect_one_variable(y, z);
}

// A goal waits for x and y, which are joined while x gets a value.
void bind_alias_waited_for(void)
{
    begin();
    first = new_goal(0, 1);
    run(suspend_on_x_and_y, join_y_x, bind_x);
    expect(vm_end_of(vm_ref(y)) == vm_int(1), "the value arrives");
    expect_one_awake();
}
