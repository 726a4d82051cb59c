// SPDX-License-Identifier: MIT
//
// Modules and processes: which module and process every goal belongs to, the members of each
// process, and the sums per module and predicate that need no time axis.
#include "iotree/model.h"

// ---------------------------------------------------------------------------------------------
// Entries

static int by_goal(const void *x, const void *y)
{
    const partition_entry *a = x, *b = y;
    return a->goal < b->goal ? -1 : a->goal > b->goal;
}

static void index_entries(iot *a)
{
    const iot_partition *p = a->partition;
    uint32_t npredicates = trace_npredicates(a->t);
    a->entry_module = iot_alloc(npredicates, sizeof *a->entry_module);
    for (uint32_t i = 0; i < npredicates; i++)
        a->entry_module[i] = IOT_NONE;
    a->goal_entries = iot_alloc(p->nentries, sizeof *a->goal_entries);
    for (uint32_t i = 0; i < p->nentries; i++) {
        if (p->entries[i].goal != IOT_NONE)
            a->goal_entries[a->ngoal_entries++] = p->entries[i];
        else
            a->entry_module[p->entries[i].predicate] = p->entries[i].module;
    }
    qsort(a->goal_entries, a->ngoal_entries, sizeof *a->goal_entries, by_goal);
}

// The module that the goal is an entry of. An entry that names the goal itself is the stronger.
static uint32_t entry_of(const iot *a, uint32_t goal)
{
    if (a->ngoal_entries) {
        partition_entry key = {.goal = goal};
        const partition_entry *e = bsearch(&key, a->goal_entries, a->ngoal_entries,
                                           sizeof key, by_goal);
        if (e)
            return e->module;
    }
    return a->entry_module[trace_goal_predicate(a->t, goal)];
}

// IOT_NONE where there is no process: of the beginning.
static uint32_t parent_process(const iot *a, uint32_t goal)
{
    return a->process_of[trace_goal_parent(a->t, goal)];
}

// The module whose process the goal starts, or IOT_NONE if it starts none.
static uint32_t starts(const iot *a, uint32_t goal, uint32_t parent)
{
    uint32_t module = entry_of(a, goal);
    if (module == IOT_NONE || (parent != IOT_NONE && a->processes[parent].module == module))
        return IOT_NONE;
    return module;
}

uint32_t iot_module_of_goal(const iot *a, uint32_t goal)
{
    uint32_t reduction = trace_goal_reduction(a->t, goal);
    if (reduction != TRACE_NONE)
        return a->processes[a->process_of[reduction]].module;
    uint32_t parent = parent_process(a, goal), module = starts(a, goal, parent);
    if (module != IOT_NONE)
        return module;
    return parent == IOT_NONE ? 0 : a->processes[parent].module;
}

bool iot_starts_process(const iot *a, uint32_t goal)
{
    return starts(a, goal, parent_process(a, goal)) != IOT_NONE;
}

// ---------------------------------------------------------------------------------------------
// Processes

static uint32_t new_process(iot *a, uint32_t *capacity, uint32_t module, uint32_t goal)
{
    ROOM(a->processes, a->nprocesses, *capacity);
    a->processes[a->nprocesses] = (iot_process){
        .module = module,
        .goal = goal,
        .created = trace_time(a->t, trace_goal_parent(a->t, goal)),
    };
    return a->nprocesses++;
}

// In order of creation of the goals: the parent of each was handled before.
static bool assign(iot *a, iot_progress progress, void *data)
{
    uint32_t capacity = 0, root = IOT_NONE, ngoals = trace_ngoals(a->t);
    for (uint32_t g = 0; g < ngoals; g++) {
        if (progress && !(g & 0xfffff) && !progress(data, 0.4 * g / ngoals))
            return false;
        uint32_t reduction = trace_goal_reduction(a->t, g);
        if (reduction == TRACE_NONE) {
            a->nsuspended++;
            continue;
        }
        uint32_t process = parent_process(a, g), module = starts(a, g, process);
        if (module != IOT_NONE)
            process = new_process(a, &capacity, module, g);
        else if (process == IOT_NONE)
            process = root = root != IOT_NONE ? root : new_process(a, &capacity, 0, g);
        a->process_of[reduction] = process;
    }
    return true;
}

// Sorts the reductions by process, which keeps them in order of time.
static void collect_members(iot *a)
{
    const trace *t = a->t;
    a->member_start = iot_alloc((size_t)a->nprocesses + 1, sizeof *a->member_start);
    a->members = iot_alloc(a->n, sizeof *a->members);
    a->rank = iot_alloc(a->n, sizeof *a->rank);
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t p = a->process_of[r];
        a->rank[r] = a->processes[p].members++;
    }
    for (uint32_t p = 0; p < a->nprocesses; p++)
        a->member_start[p + 1] = a->member_start[p] + a->processes[p].members;
    for (uint32_t r = 1; r < a->n; r++)
        a->members[a->member_start[a->process_of[r]] + a->rank[r]] = r;
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        a->processes[p].first = trace_time(t, a->members[a->member_start[p]]);
        a->processes[p].last = trace_time(t, a->members[a->member_start[p + 1] - 1]);
    }
}

// ---------------------------------------------------------------------------------------------
// Sums

static void make_modules(iot *a)
{
    a->nmodules = a->partition->nmodules;
    a->modules = iot_alloc(a->nmodules, sizeof *a->modules);
    for (uint32_t m = 0; m < a->nmodules; m++)
        a->modules[m].name = a->partition->names[m];
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        const iot_process *process = &a->processes[p];
        iot_module *m = &a->modules[process->module];
        m->processes++;
        m->first = m->work && m->first < process->first ? m->first : process->first;
        m->last = m->work && m->last > process->last ? m->last : process->last;
        m->work += process->members;
    }
    for (uint32_t m = 0; m < a->nmodules; m++) {
        iot_module *module = &a->modules[m];
        if (module->work)
            module->parallelism = (double)module->work / (double)(module->last - module->first + 1);
    }
}

// How many steps a goal is counted as waiting: those after its creation and before its reduction.
static uint64_t goal_waiting(const iot *a, uint32_t goal)
{
    int64_t created = trace_time(a->t, trace_goal_parent(a->t, goal));
    uint32_t reduction = trace_goal_reduction(a->t, goal);
    int64_t end = reduction == TRACE_NONE ? a->span : trace_time(a->t, reduction) - 1;
    return end > created ? (uint64_t)(end - created) : 0;
}

static int by_work(const void *x, const void *y)
{
    const iot_predicate_row *a = x, *b = y;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    if (a->waiting != b->waiting)
        return a->waiting > b->waiting ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

// The sums are gathered in a table of modules by predicates, most of which is empty.
static bool sum_goals(iot *a, iot_progress progress, void *data)
{
    uint32_t npredicates = trace_npredicates(a->t), ngoals = trace_ngoals(a->t);
    size_t size = (size_t)a->nmodules * npredicates;
    iot_predicate_row *all = iot_alloc(size, sizeof *all);
    for (uint32_t g = 0; g < ngoals; g++) {
        if (progress && !(g & 0xfffff) && !progress(data, 0.4 + 0.2 * g / ngoals)) {
            free(all);
            return false;
        }
        uint32_t module = iot_module_of_goal(a, g);
        uint64_t waiting = goal_waiting(a, g);
        iot_predicate_row *row = &all[(size_t)module * npredicates + trace_goal_predicate(a->t, g)];
        row->work += trace_goal_reduction(a->t, g) != TRACE_NONE;
        row->waiting += waiting;
        a->modules[module].waiting += waiting;
    }
    for (size_t i = 0; i < size; i++) {
        if (all[i].work || all[i].waiting) {
            iot_predicate_row *row = &all[a->npredicate_rows++];
            row->work = all[i].work;
            row->waiting = all[i].waiting;
            row->module = (uint32_t)(i / npredicates);
            row->predicate = (uint32_t)(i % npredicates);
        }
    }
    qsort(all, a->npredicate_rows, sizeof *all, by_work);
    a->predicate_rows = iot_grow(all, a->npredicate_rows, sizeof *all);
    return true;
}

bool build_processes(iot *a, iot_progress progress, void *data)
{
    index_entries(a);
    a->process_of = iot_alloc(a->n, sizeof *a->process_of);
    memset(a->process_of, 0xff, a->n * sizeof *a->process_of);
    if (!assign(a, progress, data))
        return false;
    collect_members(a);
    make_modules(a);
    return sum_goals(a, progress, data);
}
