// SPDX-License-Identifier: MIT
//
// Tasks from a graph of waits under a change.
#include "iotree/processors/tasks.h"

#include <math.h>

#define TELL_EVERY 0x20000u // reductions
// Parts of a step if some costs are no whole steps: exact for shares up to a sixteenth.
#define PARTS 720720
// All costs together are at most this, whatever times a trace has.
#define LONGEST_RUN 1e18

// What is left of the edits while a pass goes through the reductions in order.
typedef struct {
    const wait_graph *g;
    const wait_change *c;
    size_t wait, added, reduction;
    uint32_t far; // the next far wait
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

// The next relay that r waits for; false: no more.
static bool next_relay(edits *e, uint32_t r, uint32_t *ret_relay)
{
    for (; e->far < e->g->nfar_waits && e->g->far_waits[e->far].reader == r; e->far++) {
        const far_wait *f = &e->g->far_waits[e->far];
        if (e->c->without_kinds && bit_get(e->c->without_kinds, f->kind))
            continue;
        *ret_relay = f->relay;
        e->far++;
        return true;
    }
    return false;
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

static void add_task_edge(const edge_pass *p, uint32_t from, uint32_t to)
{
    task_graph *g = p->tasks;
    uint64_t *at = &g->first[from + 1];
    if (p->store)
        g->needed_by[*at] = to;
    else
        g->needs[to]++;
    (*at)++;
}

// From a reduction. Nobody waits for the beginning.
static void add_edge(const edge_pass *p, uint32_t from, uint32_t task)
{
    if (from != 0)
        add_task_edge(p, p->task_of[from], task);
}

// From a relay, unless all of its inputs are there from the beginning.
static void add_relay_edge(const edge_pass *p, uint32_t relay, uint32_t task)
{
    uint32_t from = p->tasks->nreductions + relay;
    if (p->tasks->needs[from] > 0)
        add_task_edge(p, from, task);
}

static void visit_relays(const edge_pass *p, const wait_graph *g)
{
    for (uint32_t i = 0; i < g->nrelays; i++) {
        uint32_t task = p->tasks->nreductions + i;
        if (!p->store)
            p->tasks->parents[task] = IOT_NONE;
        for (uint32_t k = g->relays[i].first; k < g->relays[i + 1].first; k++) {
            if (g->inputs[k] < g->n)
                add_edge(p, g->inputs[k], task);
            else
                add_relay_edge(p, g->inputs[k] - g->n, task);
        }
    }
}

static bool visit_edges(const edge_pass *p, const wait_graph *g, const wait_change *c,
                        iot_progress progress, void *data)
{
    edits e = {.g = g, .c = c};
    visit_relays(p, g);
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t parent = parent_of(g, edit_of(&e, r), r), task = p->task_of[r], maker, relay;
        if (!p->store)
            p->tasks->parents[task] = parent ? p->task_of[parent] : IOT_NONE;
        add_edge(p, parent, task);
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            add_edge(p, maker_of(&e, r, i), task);
        while (next_added(&e, r, &maker))
            add_edge(p, maker, task);
        while (next_relay(&e, r, &relay))
            add_relay_edge(p, relay, task);
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
    return fmin(fmax(cost, 0), LONGEST_RUN / g->n);
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
    if (!g->costs && !c->costs && c->nreductions == 0 && g->nrelays == 0)
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
        tasks->reductions[tasks->nreductions] = r;
        task_of[r] = tasks->nreductions++;
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
    tasks.n = tasks.nreductions + g->nrelays;
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
