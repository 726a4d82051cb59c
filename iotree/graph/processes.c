// SPDX-License-Identifier: MIT
//
// The module and the process of every goal, the members of each process, and the sums per module
// and predicate that need no time axis.
#include "iotree/graph/model.h"

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
    a->entries.module_of = base_allocate(npredicates, sizeof *a->entries.module_of);
    for (uint32_t i = 0; i < npredicates; i++)
        a->entries.module_of[i] = IOT_NONE;
    a->entries.goals = base_allocate(p->nentries, sizeof *a->entries.goals);
    for (uint32_t i = 0; i < p->nentries; i++) {
        if (p->entries[i].goal != IOT_NONE)
            a->entries.goals[a->entries.ngoals++] = p->entries[i];
        else
            a->entries.module_of[p->entries[i].predicate] = p->entries[i].module;
    }
    qsort(a->entries.goals, a->entries.ngoals, sizeof *a->entries.goals, by_goal);
}

// The module that the goal is an entry of. An entry that names the goal itself is the stronger.
static uint32_t entry_of(const iot *a, uint32_t goal)
{
    if (a->entries.ngoals) {
        partition_entry key = {.goal = goal};
        const partition_entry *e =
            bsearch(&key, a->entries.goals, a->entries.ngoals, sizeof key, by_goal);
        if (e)
            return e->module;
    }
    return a->entries.module_of[trace_goal_predicate(a->t, goal)];
}

// IOT_NONE where there is no process: of the beginning.
static uint32_t parent_process(const iot *a, uint32_t goal)
{
    return process_of(a, trace_goal_parent(a->t, goal));
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
        return a->processes[process_of(a, reduction)].module;
    uint32_t parent = parent_process(a, goal), module = starts(a, goal, parent);
    if (module != IOT_NONE)
        return module;
    return parent == IOT_NONE ? 0 : a->processes[parent].module;
}

bool iot_keeps_module(const iot *a, uint32_t module, uint32_t predicate)
{
    uint32_t own = trace_get_predicate(a->t, predicate)->module;
    return strcmp(a->modules[module].name, trace_module_name(a->t, own)) == 0;
}

bool iot_starts_process(const iot *a, uint32_t goal)
{
    return entry_of(a, goal) != IOT_NONE && starts(a, goal, parent_process(a, goal)) != IOT_NONE;
}

// ---------------------------------------------------------------------------------------------
// Processes

static uint32_t new_process(iot *a, size_t *capacity, uint32_t module, uint32_t goal)
{
    if (a->nprocesses == *capacity) {
        *capacity = array_larger(*capacity, 1, ARRAY_FIRST);
        a->processes = base_resize(a->processes, *capacity, sizeof *a->processes);
    }
    a->processes[a->nprocesses] = (iot_process){
        .module = module,
        .goal = goal,
        .created = trace_time(a->t, trace_goal_parent(a->t, goal)),
    };
    return a->nprocesses++;
}

// Sums of one module and predicate; the table of all of them is mostly empty.
typedef struct {
    iot *a;
    size_t capacity; // of a->processes
    uint32_t root;   // the process main of the first goals that are no entries
    bool has_root;   // it will have members
    uint32_t npredicates;
    iot_predicate_row *rows; // by module and predicate
} assignment;

// How many steps a goal is counted as waiting: those after its creation and before its reduction.
static uint64_t goal_waiting(const iot *a, uint32_t reduction, int64_t created)
{
    int64_t end = a->span;
    if (reduction != TRACE_NONE)
        end = trace_time(a->t, reduction) - trace_cost(a->t, reduction);
    return end > created ? (uint64_t)(end - created) : 0;
}

static void set_process(iot *a, uint32_t reduction, uint32_t process)
{
    if (process >= FEW_PROCESSES && !a->process_by_reduction.many) {
        uint32_t *many = base_allocate(a->n, sizeof *many);
        for (uint32_t r = 0; r < a->n; r++)
            many[r] = process_of(a, r);
        a->process_by_reduction.many = many;
        free(a->process_by_reduction.few);
        a->process_by_reduction.few = NULL;
    }
    if (a->process_by_reduction.many)
        a->process_by_reduction.many[reduction] = process;
    else
        a->process_by_reduction.few[reduction] = (uint16_t)process;
}

static void assign_goal(assignment *x, uint32_t goal, uint32_t parent, int64_t created)
{
    iot *a = x->a;
    uint32_t reduction = trace_goal_reduction(a->t, goal), process = parent;
    uint32_t module = starts(a, goal, parent);
    bool first = module != IOT_NONE;
    if (!first)
        module = parent == IOT_NONE ? 0 : a->processes[parent].module;
    if (!first && parent == IOT_NONE && x->root == IOT_NONE && x->has_root)
        x->root = new_process(a, &x->capacity, 0, goal);
    uint64_t waiting = goal_waiting(a, reduction, created);
    iot_predicate_row *row =
        &x->rows[(size_t)module * x->npredicates + trace_goal_predicate(a->t, goal)];
    row->waiting += waiting;
    a->modules[module].waiting += waiting;
    if (reduction == TRACE_NONE) {
        a->nsuspended++;
        return;
    }
    uint64_t cost = (uint64_t)trace_cost(a->t, reduction);
    row->work += cost;
    row->reductions++;
    a->modules[module].work += cost;
    a->work += cost;
    if (first)
        process = new_process(a, &x->capacity, module, goal);
    else if (parent == IOT_NONE)
        process = x->root;
    set_process(a, reduction, process);
}

// Whether some first goal that is no entry was reduced: it need not be the oldest.
static bool has_root(const iot *a)
{
    uint32_t end = trace_first_goal(a->t, 1);
    for (uint32_t goal = 0; goal < end; goal++)
        if (trace_goal_reduction(a->t, goal) != TRACE_NONE &&
            starts(a, goal, IOT_NONE) == IOT_NONE)
            return true;
    return false;
}

// In order of creation, so that the process of a goal's parent is known.
static bool assign(assignment *x, iot_progress progress, void *data)
{
    iot *a = x->a;
    uint32_t goal = 0;
    x->has_root = has_root(a);
    for (uint32_t r = 0; r < a->n; r++) {
        if (progress && !(r & 0xfffff) && !progress(data, 0.5 * r / a->n))
            return false;
        uint32_t end = trace_first_goal(a->t, r + 1), process = process_of(a, r);
        int64_t time = goal < end ? trace_time(a->t, r) : 0;
        for (; goal < end; goal++)
            assign_goal(x, goal, process, time);
    }
    return true;
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

void iot_sort_predicate_rows(iot_predicate_row *rows, uint32_t n)
{
    if (n > 0)
        qsort(rows, n, sizeof *rows, by_work);
}

static void keep_rows(assignment *x)
{
    iot *a = x->a;
    size_t size = (size_t)a->nmodules * x->npredicates;
    for (size_t i = 0; i < size; i++) {
        if (x->rows[i].work || x->rows[i].waiting || x->rows[i].reductions) {
            iot_predicate_row *row = &x->rows[a->predicates.n++];
            *row = x->rows[i];
            row->module = (uint32_t)(i / x->npredicates);
            row->predicate = (uint32_t)(i % x->npredicates);
        }
    }
    iot_sort_predicate_rows(x->rows, a->predicates.n);
    a->predicates.rows = base_resize(x->rows, a->predicates.n, sizeof *x->rows);
    x->rows = NULL;
}

static void time_processes(iot *a)
{
    for (uint32_t r = 1; r < a->n; r++) {
        iot_process *p = &a->processes[process_of(a, r)];
        p->last = trace_time(a->t, r);
        if (!p->members++)
            p->first = p->last - trace_cost(a->t, r) + 1; // the step it begins in
    }
}

static void sum_modules(iot *a)
{
    for (uint32_t p = 0; p < a->nprocesses; p++) {
        const iot_process *process = &a->processes[p];
        iot_module *m = &a->modules[process->module];
        bool others = m->processes++ > 0;
        m->first = others && m->first < process->first ? m->first : process->first;
        m->last = others && m->last > process->last ? m->last : process->last;
    }
    for (uint32_t m = 0; m < a->nmodules; m++) {
        iot_module *module = &a->modules[m];
        if (module->processes && module->last >= module->first)
            module->parallelism = (double)module->work / (double)(module->last - module->first + 1);
    }
}

bool iot_build_processes(iot *a, iot_progress progress, void *data)
{
    index_entries(a);
    a->process_by_reduction.few = base_allocate(a->n, sizeof *a->process_by_reduction.few);
    memset(a->process_by_reduction.few, 0xff, a->n * sizeof *a->process_by_reduction.few);
    a->nmodules = a->partition->nmodules;
    a->modules = base_allocate(a->nmodules, sizeof *a->modules);
    for (uint32_t m = 0; m < a->nmodules; m++)
        a->modules[m].name = a->partition->names[m];
    assignment x = {.a = a, .root = IOT_NONE, .npredicates = trace_npredicates(a->t)};
    x.rows = base_allocate((size_t)a->nmodules * x.npredicates, sizeof *x.rows);
    if (!assign(&x, progress, data)) {
        free(x.rows);
        return false;
    }
    keep_rows(&x);
    time_processes(a);
    sum_modules(a);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Members

void iot_ensure_members(iot *a)
{
    if (a->members.all)
        return;
    a->members.start = base_allocate((size_t)a->nprocesses + 1, sizeof *a->members.start);
    a->members.rank = base_allocate(a->n, sizeof *a->members.rank);
    uint32_t *members = base_allocate(a->n, sizeof *members);
    uint32_t *next = base_allocate(a->nprocesses, sizeof *next);
    for (uint32_t p = 0; p < a->nprocesses; p++)
        a->members.start[p + 1] = a->members.start[p] + a->processes[p].members;
    for (uint32_t r = 1; r < a->n; r++) {
        uint32_t p = process_of(a, r);
        a->members.rank[r] = next[p]++;
        members[a->members.start[p] + a->members.rank[r]] = r;
    }
    free(next);
    a->members.all = members;
}

uint32_t iot_members(const iot *analysis, uint32_t process, const uint32_t **ret_reductions)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->lock);
    iot_ensure_members(a);
    pthread_mutex_unlock(&a->lock);
    *ret_reductions = a->members.all + a->members.start[process];
    return a->processes[process].members;
}
