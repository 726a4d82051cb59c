// SPDX-License-Identifier: MIT
//
// Workers that ask for goals, give, sleep and wake: every goal is run once, and all workers leave when,
// and only when, no goal is left.
#include "protocols.h"

#include "vm/engine/goal.h"
#include "vm/engine/mail.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"

enum { GOALS = 8 };

// Running goal i makes the goals children[i], by number, 0 ends.
static const uint32_t (*children)[3];
static unsigned *runs; // how often, by goal
static unsigned total;

static void run_goal(unsigned number, vm_goal *goal)
{
    uint32_t id = goal->site.index;
    __atomic_add_fetch(&runs[id], 1, __ATOMIC_RELAXED);
    vm_goal_free(worker[number], goal);
    for (unsigned i = 0; i < 3 && children[id][i]; i++)
        vm_push(&worker[number]->worker, new_goal(number, children[id][i]));
}

// Each goal is a quantum.
static void work(void *data)
{
    unsigned number = (unsigned)(uintptr_t)data;
    vm_worker *w = &worker[number]->worker;
    vm_goal *goal;
    do {
        vm_read_mail(worker[number]);
        while ((goal = vm_next_goal(w))) {
            run_goal(number, goal);
            VM_SET_COUNT(w->quantum.number, VM_GET_COUNT(w->quantum.number) + 1);
            vm_team_quantum_over(w);
            vm_read_mail(worker[number]);
        }
    } while (vm_team_wait(w));
}

static void run_team(unsigned workers, const uint32_t (*tree)[3], unsigned n)
{
    make_team(workers);
    children = tree;
    total = n;
    runs = vm_alloc(GOALS * sizeof *runs);
    vm_push(&worker[0]->worker, new_goal(0, 1));
    for (uintptr_t i = 0; i < workers; i++)
        model_start(work, (void *)i);
    model_wait_for_all();
    for (unsigned id = 1; id <= total; id++)
        if (runs[id] != 1)
            model_fail("goal %u was run %u times", id, runs[id]);
    expect(worker[0]->worker.team->idle == 0, "nobody is counted as idle at the end");
    expect(worker[0]->worker.team->hungry == 0, "nobody is hungry at the end");
}

void team_ends(void)
{
    static const uint32_t tree[GOALS][3] = {{0}};
    run_team(2, tree, 1);
}

void team_gives(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    run_team(2, tree, 3);
}

// The goals are in pools, each with its number as priority.
void team_priorities(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    use_priorities(true);
    run_team(2, tree, 3);
    use_priorities(false);
}

void team_of_three(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}};
    run_team(3, tree, 3);
}

// What is given is given again.
void team_gives_on(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}, {4}, {5}};
    run_team(2, tree, 5);
}
