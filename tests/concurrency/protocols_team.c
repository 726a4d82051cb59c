// SPDX-License-Identifier: MIT
//
// Workers that ask for goals, give, sleep and wake, and threads that begin late: every goal is run once, and
// all workers leave when, and only when, no goal is left.
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

static void begin(unsigned workers, const uint32_t (*tree)[3], unsigned n)
{
    make_team(workers);
    children = tree;
    total = n;
    runs = vm_alloc(GOALS * sizeof *runs);
    vm_push(&worker[0]->worker, new_goal(0, 1));
}

static void expect_end(void)
{
    for (unsigned id = 1; id <= total; id++)
        if (runs[id] != 1)
            model_fail("goal %u was run %u times", id, runs[id]);
    // Who never began is idle and hungry all the time, unless the system had no thread for it.
    unsigned absent = 0, asking = 0;
    for (unsigned i = 0; i < worker[0]->nmachines; i++) {
        absent += worker[i]->worker.absent || worker[i]->worker.threadless;
        asking += worker[i]->worker.absent;
    }
    expect(worker[0]->worker.team->idle == absent, "nobody else is counted as idle at the end");
    expect(worker[0]->worker.team->hungry == asking, "nobody else is hungry at the end");
}

static void run_team(unsigned workers, const uint32_t (*tree)[3], unsigned n)
{
    begin(workers, tree, n);
    for (uintptr_t i = 0; i < workers; i++)
        model_start(work, (void *)i);
    model_wait_for_all();
    expect_end();
}

// ---- Threads that begin with the first gift -----------------------------------------------------

static unsigned most_threads; // that the system has for the workers besides the first
static unsigned threads;

static void *work_late(void *data)
{
    work(data);
    return NULL;
}

static bool start_late(vm_worker *w)
{
    if (threads == most_threads)
        return false;
    threads++;
    return model_thread_create(&w->thread, NULL, work_late, (void *)(uintptr_t)w->number) == 0;
}

// As vm_workers_run() does it.
static void run_late(unsigned workers, unsigned most, const uint32_t (*tree)[3], unsigned n)
{
    vm_worker *w;
    begin(workers, tree, n);
    threads = 0;
    most_threads = most;
    vm_team_begin(worker[0]->worker.team, start_late);
    work((void *)(uintptr_t)0);
    while ((w = vm_team_end_of_thread(worker[0]->worker.team)))
        model_thread_join(w->thread, NULL);
    for (unsigned i = 1; i < workers; i++)
        expect(!worker[i]->worker.has_thread, "each thread is joined");
    expect_end();
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

void team_begins_late(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}, {4}};
    run_late(2, 1, tree, 4);
}

// Two workers want to give to the third at the same time.
void team_begins_later(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}, {4, 5}, {6}};
    run_late(3, 2, tree, 6);
}

void team_without_thread(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}, {4}};
    run_late(2, 0, tree, 4);
}

void team_with_one_thread(void)
{
    static const uint32_t tree[GOALS][3] = {{0}, {2, 3}, {4, 5}};
    run_late(3, 1, tree, 5);
}
