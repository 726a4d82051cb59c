// SPDX-License-Identifier: MIT
//
// Tasks from a graph of waits under a change.
#include "iotree/processors/tasks.h"

#include <math.h>

#define TELL_EVERY 0x20000u // reductions
// Parts of a step if some costs are no whole steps: exact for shares up to a sixteenth.
#define PARTS 720720

// What is left of the edits while a pass goes through the reductions in order.
typedef struct {
    const wait_graph *g;
    const wait_change *c;
    size_t wait, added, reduction;
} edits;

// The reduction's own edit, or NULL.
static const reduction_edit *edit_of(edits *e, uint32_t r)
{
    bool its = e->reduction < e->c->nreductions && e->c->reductions[e->reduction].reduction == r;
    return its ? &e->c->reductions[e->reduction++] : NULL;
}

// The maker of a wait of r, asked in order; 0: nothing to wait for.
static uint32_t maker_of(edits *e, uint32_t r, uint64_t wait)
{
    uint32_t maker = e->g->makers[wait];
    if (e->wait < e->c->nwaits && e->c->waits[e->wait].wait == wait)
        maker = e->c->waits[e->wait++].maker;
    else if (e->c->without_kinds && bit_get(e->c->without_kinds, e->g->kinds[wait]))
        return 0;
    return maker < r ? maker : 0;
}

// The next maker that r waits for beside the recorded ones; false: no more.
static bool next_added(edits *e, uint32_t r, uint32_t *ret_maker)
{
    if (e->added >= e->c->nadded || e->c->added[e->added].reader != r)
        return false;
    uint32_t maker = e->c->added[e->added++].maker;
    *ret_maker = maker < r ? maker : 0;
    return true;
}

static uint32_t parent_of(const wait_graph *g, const reduction_edit *edit, uint32_t r)
{
    return edit && edit->parent < r ? edit->parent : g->parents[r];
}

// ---------------------------------------------------------------------------------------------
// Edges. Each is visited twice: to count, then to store.

typedef struct {
    task_graph *tasks;
    const uint32_t *task_of; // by reduction
    bool store;
} edge_pass;

static void add_edge(const edge_pass *p, uint32_t from, uint32_t task)
{
    task_graph *g = p->tasks;
    if (from == 0)
        return;
    uint64_t *at = &g->first[p->task_of[from] + 1];
    if (p->store)
        g->needed_by[*at] = task;
    else
        g->needs[task]++;
    (*at)++;
}

static bool visit_edges(const edge_pass *p, const wait_graph *g, const wait_change *c,
                        iot_progress progress, void *data)
{
    edits e = {.g = g, .c = c};
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t parent = parent_of(g, edit_of(&e, r), r), task = p->task_of[r], maker;
        if (!p->store)
            p->tasks->parents[task] = parent ? p->task_of[parent] : IOT_NONE;
        add_edge(p, parent, task);
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            add_edge(p, maker_of(&e, r, i), task);
        while (next_added(&e, r, &maker))
            add_edge(p, maker, task);
        if (r % TELL_EVERY == 0 && progress &&
            !progress(data, ((double)r / g->n + p->store) / 2))
            return false;
    }
    return true;
}

static bool make_edges(task_graph *tasks, const uint32_t *task_of, const wait_graph *g,
                       const wait_change *c, iot_progress progress, void *data)
{
    edge_pass p = {tasks, task_of, false};
    tasks->parents = base_allocate(tasks->n, sizeof *tasks->parents);
    tasks->needs = base_allocate(tasks->n, sizeof *tasks->needs);
    tasks->first = base_allocate((size_t)tasks->n + 1, sizeof *tasks->first);
    if (!visit_edges(&p, g, c, progress, data))
        return false;
    // The place of the next edge of task i is first[i + 1]: in the end that is where its list ends.
    uint64_t sum = 0;
    for (uint32_t i = 0; i < tasks->n; i++) {
        uint64_t many = tasks->first[i + 1];
        tasks->first[i + 1] = sum;
        sum += many;
    }
    tasks->needed_by = base_resize(NULL, sum, sizeof *tasks->needed_by);
    p.store = true;
    return visit_edges(&p, g, c, progress, data);
}

// ---------------------------------------------------------------------------------------------
// Costs

static double changed_cost(const wait_graph *g, const wait_change *c, const reduction_edit *edit,
                           uint32_t r)
{
    double cost = c->costs ? c->costs[r] : (double)wait_cost(g, r);
    if (edit && edit->cost >= 0)
        cost = edit->cost;
    return cost > 0 ? cost : 0;
}

// In how many parts a step has to be divided.
static int64_t choose_unit(const wait_graph *g, const wait_change *c)
{
    edits e = {.g = g, .c = c};
    double all = 0;
    bool whole = true;
    for (uint32_t r = 1; r < g->n; r++) {
        double cost = changed_cost(g, c, edit_of(&e, r), r);
        whole = whole && cost == floor(cost);
        all += cost;
    }
    return whole || all > 1e12 ? 1 : PARTS;
}

static void make_costs(task_graph *tasks, const uint32_t *task_of, const wait_graph *g,
                       const wait_change *c)
{
    edits e = {.g = g, .c = c};
    tasks->unit = 1;
    if (!g->costs && !c->costs && c->nreductions == 0)
        return;
    tasks->unit = choose_unit(g, c);
    tasks->costs = base_allocate(tasks->n, sizeof *tasks->costs);
    if (c->nreductions > 0)
        tasks->rests = base_allocate(tasks->n, sizeof *tasks->rests);
    for (uint32_t r = 1; r < g->n; r++) {
        const reduction_edit *edit = edit_of(&e, r);
        double was = changed_cost(g, c, NULL, r), cost = changed_cost(g, c, edit, r);
        double taken = cost < was ? cost : was;
        tasks->costs[task_of[r]] = llround(taken * (double)tasks->unit);
        if (tasks->rests)
            tasks->rests[task_of[r]] = llround((cost - taken) * (double)tasks->unit);
    }
}

// ---------------------------------------------------------------------------------------------

// Tasks in the order of their goals. Returns the task of each reduction.
static uint32_t *number_tasks(const trace *t, task_graph *tasks, uint32_t nreductions)
{
    uint32_t *task_of = base_allocate(nreductions, sizeof *task_of), ngoals = trace_ngoals(t);
    tasks->reductions = base_allocate(nreductions, sizeof *tasks->reductions);
    for (uint32_t goal = 0; goal < ngoals; goal++) {
        uint32_t r = trace_goal_reduction(t, goal);
        if (r == TRACE_NONE || r == 0)
            continue;
        tasks->reductions[tasks->n] = r;
        task_of[r] = tasks->n++;
    }
    return task_of;
}

bool iot_make_tasks(const iot *a, const wait_graph *g, const wait_change *change,
                    iot_progress progress, void *data, task_graph *ret)
{
    const wait_change none = {0};
    task_graph tasks = {0};
    if (!change)
        change = &none;
    uint32_t *task_of = number_tasks(a->t, &tasks, g->n);
    bool made = make_edges(&tasks, task_of, g, change, progress, data);
    if (made)
        make_costs(&tasks, task_of, g, change);
    free(task_of);
    if (made)
        *ret = tasks;
    else
        iot_free_tasks(&tasks);
    return made;
}

void iot_free_tasks(task_graph *g)
{
    free(g->reductions);
    free(g->parents);
    free(g->needs);
    free(g->first);
    free(g->needed_by);
    free(g->costs);
    free(g->rests);
    *g = (task_graph){0};
}
