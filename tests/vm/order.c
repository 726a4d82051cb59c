// SPDX-License-Identifier: MIT
//
// The order of goals: a goal that is tried before it is given away has a turn of its own, and the goal that
// makes way for it is held.
#include "vm/schedule/worker.h"

#include "check.h"

#include <string.h>

enum { GOALS = 12, QUANTA = 4 };

static vm_worker worker; // what it refers to is not collected
static vm_goal goals[GOALS + 1];

static bool fits_always(vm_worker *w, const vm_goal *goal)
{
    return w && goal;
}

// A worker with old goals; one more of its goals ran for some quanta.
static vm_worker *worker_that_ran(vm_goal *running)
{
    vm_worker *w = &worker;
    memset(w, 0, sizeof *w);
    vm_worker_init(w, &(vm_worker_options){.queues = 1});
    for (int i = 0; i < GOALS; i++)
        vm_push_alone(w, &goals[i]);
    w->quantum.given = running;
    vm_order_try(w, fits_always); // notes which goals there are
    VM_SET_COUNT(w->quantum.number, QUANTA);
    w->quantum.streak = (vm_streak){QUANTA, STREAK_GUEST};
    return w;
}

static void tried_goal_has_own_turn(void)
{
    vm_goal *running = &goals[GOALS];
    vm_worker *w = worker_that_ran(running);
    CHECK(vm_order_try(w, fits_always));
    CHECK(w->quantum.given && w->quantum.given != running);
    CHECK(w->quantum.streak.quanta == 0 && w->quantum.streak.kind == STREAK_OWN);
    CHECK(w->order.held.n == 1 && w->order.held.at[0].goal == running);
    CHECK(vm_order_still_tries(&w->order));
}

static void nothing_is_held_where_nothing_ran(void)
{
    vm_worker *w = worker_that_ran(NULL);
    CHECK(!vm_order_try(w, fits_always));
    CHECK(w->order.held.n == 0 && w->order.places == 0 && !w->quantum.given);
    CHECK(vm_own_count(w) == GOALS);
}

void test_order(void)
{
    tried_goal_has_own_turn();
    nothing_is_held_where_nothing_ran();
}
