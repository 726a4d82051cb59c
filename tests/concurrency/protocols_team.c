// SPDX-License-Identifier: MIT
//
// Workers that look for goals, sleep and wake: every goal is run once, and all workers leave when,
// and only when, no goal is left.
#include "protocols.h"

#include "vm/engine/goal.h"
#include "vm/schedule/team.h"
#include "vm/memory.h"

enum { GOALS = 8 };

// Running goal i makes the goals children[i], by number, 0 ends.
static const uint32_t (*children)[3];
static unsigned *runs; // how often, by goal
static unsigned total, running_now;

static void run_goal(unsigned number, vm_goal *goal)
{
    uint32_t id = goal->id;
    __atomic_add_fetch(&runs[id], 1, __ATOMIC_RELAXED);
    vm_goal_free(worker[number], goal);
    for (unsigned i = 0; i < 3 && children[id][i]; i++)
        vm_push(&worker[number]->worker, new_goal(number, children[id][i]));
}

static void work(void *data)
{
    unsigned number = (unsigned)(uintptr_t)data;
    vm_goal *goal;
    do
        while ((goal = vm_team_next(&worker[number]->worker)))
            run_goal(number, goal);
    while (vm_team_find(&worker[number]->worker));
}

// Works alone for a goal whenever all others are idle, and then together with them for one.
static void work_by_turns(void *data)
{
    unsigned number = (unsigned)(uintptr_t)data;
    vm_machine *m = worker[number];
    vm_goal *goal;
    do {
        while ((goal = vm_team_next(&m->worker))) {
            if (m->worker.shared)
                vm_team_work_alone(&m->worker);
            else
                vm_team_work_together(&m->worker);
            run_goal(number, goal);
        }
        if (!m->worker.shared)
            vm_team_work_together(&m->worker);
    } while (vm_team_find(&m->worker));
}

// Worker 1 is chosen before it has a goal; the other one gives up those that it makes.
static void work_for_one(void *data)
{
    unsigned number = (unsigned)(uintptr_t)data;
    vm_machine *m = worker[number];
    vm_goal *goal;
    do {
        while ((goal = vm_team_next(&m->worker))) {
            run_goal(number, goal);
            if (!m->worker.shared) {
                vm_team_work_together(&m->worker);
            } else if (number == 1) {
                vm_team_work_alone(&m->worker);
            } else {
                vm_team_hand_over(&m->worker);
            }
        }
        if (!m->worker.shared)
            vm_team_work_together(&m->worker);
    } while (vm_team_find(&m->worker));
}

static bool is_chosen;

static void (*way_of_work)(void *data) = work;

static void run_team(unsigned workers, const uint32_t (*tree)[3], unsigned n)
{
    make_team(workers);
    children = tree;
    total = n;
    running_now = 0;
    runs = vm_alloc(GOALS * sizeof *runs);
    vm_push(&worker[0]->worker, new_goal(0, 1));
    if (is_chosen)
        vm_team_choose(&worker[1]->worker);
    for (uintptr_t i = 0; i < workers; i++)
        model_start(way_of_work, (void *)i);
    model_wait_for_all();
    for (unsigned id = 1; id <= total; id++)
        if (runs[id] != 1)
            model_fail("goal %u was run %u times", id, runs[id]);
    expect(worker[0]->worker.team->idle == 0, "nobody is counted as idle at the end");
}

void team_ends(void)
{
    static const uint32_t tree[GOALS][3] = {{0}};
    run_team(2, tree, 1);
}

void team_spawns(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2}};
    run_team(2, tree, 2);
}

// The goals are in pools, each with its number as priority.
void team_priorities(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    use_priorities(true);
    run_team(2, tree, 3);
    use_priorities(false);
}

void team_alone(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    way_of_work = work_by_turns;
    run_team(2, tree, 3);
    way_of_work = work;
}

void team_chooses(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2}};
    is_chosen = true;
    way_of_work = work_for_one;
    run_team(2, tree, 2);
    way_of_work = work;
    is_chosen = false;
}

void team_of_three(void)
{
    static const uint32_t tree[GOALS][3] = {{0}};
    run_team(3, tree, 1);
}

void team_wakes(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    run_team(2, tree, 3);
}
