// SPDX-License-Identifier: MIT
//
// The engine's protocols under all schedules.
//
// usage: protocols [-limit N] [SCENARIO...]      all must be sound
//        protocols -find [-seed N] SCENARIO      a planted fault must be found; with a seed, by random
//                                                schedules
#include "protocols.h"

#include "vm/engine/bind.h"
#include "vm/engine/goal.h"
#include "vm/engine/workers.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    void (*run)(void);
} scenario;

static const scenario scenarios[] = {
    {"bind-two-variables", bind_two_variables},
    {"bind-while-suspending", bind_while_suspending},
    {"bind-moves", bind_moves},
    {"bind-stale-record", bind_stale_record},
    {"bind-two-goals", bind_two_goals},
    {"bind-sweeps", bind_sweeps},
    {"bind-twice", bind_twice},
    {"bind-own-and-others", bind_own_and_others},
    {"bind-crosswise", bind_crosswise},
    {"bind-circle", bind_circle},
    {"bind-alias-waited-for", bind_alias_waited_for},
    {"team-ends", team_ends},
    {"team-gives", team_gives},
    {"team-gives-on", team_gives_on},
    {"team-of-three", team_of_three},
    {"team-priorities", team_priorities},
    {"team-begins-late", team_begins_late},
    {"team-begins-later", team_begins_later},
    {"team-without-thread", team_without_thread},
    {"team-with-one-thread", team_with_one_thread},
};

// ---- What scenarios share -----------------------------------------------------------------------

vm_machine *worker[WORKERS];
static vm_predicate predicate = {.name = "p", .cost = 1};
static vm_clause beginning;
static vm_program program = {.clauses = (vm_clause *[]){&beginning}, .nclauses = 1};

void use_priorities(bool has_priorities)
{
    program.has_priorities = has_priorities;
}

void make_team(unsigned n)
{
    vm_options options = {.workers = n, .together = true};
    worker[0] = vm_machine_create(&program, &options);
    vm_workers_create(worker[0]);
    for (unsigned i = 1; i < n; i++)
        worker[i] = worker[0]->machines[i];
}

vm_goal *new_goal(unsigned of_worker, uint32_t id)
{
    vm_goal *goal = vm_goal_create(worker[of_worker], &predicate, (vm_origin){.index = id});
    goal->priority = (int32_t)id;
    return goal;
}

vm_var *new_variable(unsigned of_worker)
{
    return vm_as_var(vm_make_variable(worker[of_worker], (vm_origin){0}));
}

void suspend_on(unsigned on_worker, vm_goal *goal, vm_var *a, vm_var *b)
{
    vm_machine *m = worker[on_worker];
    m->attempt.waits.n = 0;
    VM_PUSH(m->attempt.waits, a);
    if (b)
        VM_PUSH(m->attempt.waits, b);
    vm_suspend(m, goal);
}

void expect(bool condition, const char *what)
{
    if (!condition)
        model_fail("it is not so that %s", what);
}

void expect_ready(unsigned n)
{
    unsigned found[8] = {0};
    vm_team *t = worker[0]->worker.team;
    vm_goals goals = {0};
    for (unsigned i = 0; i < t->n; i++)
        vm_take_all(t->workers[i], &goals);
    for (size_t i = 0; i < goals.n; i++)
        found[goals.at[i]->site.index < 8 ? goals.at[i]->site.index : 0]++;
    for (unsigned id = 0; id < 8; id++)
        if (found[id] != (id >= 1 && id <= n))
            model_fail("goal %u is ready %u times", id, found[id]);
}

int64_t total_suspended(void)
{
    int64_t total = 0;
    for (unsigned i = 0; i < worker[0]->worker.team->n; i++)
        total += worker[i]->worker.suspended;
    return total;
}

// ---- The command --------------------------------------------------------------------------------

static const scenario *find(const char *name)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return &scenarios[i];
    fprintf(stderr, "there is no scenario %s\n", name);
    exit(2);
}

static bool explore(const scenario *s, uint64_t limit, uint64_t seed, bool quiet)
{
    model_options options = {
        .scenario = s->run, .buffers = true, .quiet = quiet, .limit = limit, .seed = seed};
    model_result result;
    model_explore(&options, &result);
    printf("%-22s %8llu schedules, %8llu broken off, up to %3llu steps: %s\n", s->name,
           (unsigned long long)result.executions, (unsigned long long)result.pruned,
           (unsigned long long)result.longest,
           result.fault      ? result.message
           : result.complete ? "sound"
                             : "sound as far as it was searched");
    fflush(stdout);
    return !result.fault;
}

static int find_fault(int argc, char **argv, int at)
{
    enum { AT_RANDOM = 200000 };
    uint64_t seed = 0;
    if (at + 2 < argc && strcmp(argv[at], "-seed") == 0) {
        seed = strtoull(argv[at + 1], NULL, 10);
        at += 2;
    }
    return explore(find(argv[at]), seed ? AT_RANDOM : 0, seed, true) ? 1 : 0;
}

int main(int argc, char **argv)
{
    uint64_t limit = 0;
    int at = 1;
    vm_memory_init();
    vm_atom_intern("", 0);
    if (at + 1 < argc && strcmp(argv[at], "-find") == 0)
        return find_fault(argc, argv, at + 1);
    if (at + 1 < argc && strcmp(argv[at], "-limit") == 0) {
        limit = strtoull(argv[at + 1], NULL, 10);
        at += 2;
    }
    bool sound = true;
    if (at == argc)
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
            sound &= explore(&scenarios[i], limit, 0, false);
    for (; at < argc; at++)
        sound &= explore(find(argv[at]), limit, 0, false);
    return sound ? 0 : 1;
}
