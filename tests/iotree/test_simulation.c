// SPDX-License-Identifier: MIT
//
// Random graphs of tasks on random machines: against a simulation that looks at every task in every
// step, and against Brent's bounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "iotree/processors/simulation.h"

#define MOST_TASKS 60
#define MOST_EDGES (MOST_TASKS * 8)

static uint64_t seed;

static uint32_t roll(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)(seed >> 33) % n : 0;
}

typedef struct {
    uint32_t n, parents[MOST_TASKS], needs[MOST_TASKS], nedges;
    uint32_t from[MOST_EDGES], to[MOST_EDGES];
    int64_t costs[MOST_TASKS], rests[MOST_TASKS];
} plain_graph;

static void add(plain_graph *p, uint32_t from, uint32_t to)
{
    p->from[p->nedges] = from;
    p->to[p->nedges++] = to;
    p->needs[to]++;
}

// Parents are older; what a task reads may have been made by a younger one.
static void make_graph(plain_graph *p, bool costs, bool rests)
{
    static uint32_t order[MOST_TASKS]; // time of the recorded run: edges go forward in it
    uint32_t near = 1 + roll(8), reads = roll(4), zero = roll(3);
    *p = (plain_graph){.n = 1 + roll(MOST_TASKS)};
    for (uint32_t i = 0; i < p->n; i++) {
        p->parents[i] = i == 0 || roll(12) == 0 ? IOT_NONE : i - 1 - roll(i < near ? i : near);
        order[i] = (p->parents[i] == IOT_NONE ? 0 : order[p->parents[i]]) + 1 + roll(6);
        p->costs[i] = costs ? (int64_t)roll(5) + (zero ? 1 : 0) : 1;
        p->rests[i] = rests && roll(3) == 0 ? roll(6) : 0;
        if (p->parents[i] != IOT_NONE)
            add(p, p->parents[i], i);
    }
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = roll(reads + 1); k > 0; k--) {
            uint32_t maker = roll(p->n);
            if (order[maker] < order[i])
                add(p, maker, i);
        }
}

static task_graph tasks_of(const plain_graph *p, bool costs, bool rests)
{
    task_graph g = {.n = p->n, .nreductions = p->n, .unit = 1};
    g.parents = base_allocate(p->n, sizeof *g.parents);
    g.needs = base_allocate(p->n, sizeof *g.needs);
    g.first = base_allocate(p->n + 1, sizeof *g.first);
    g.needed_by = base_allocate(p->nedges, sizeof *g.needed_by);
    memcpy(g.parents, p->parents, p->n * sizeof *g.parents);
    memcpy(g.needs, p->needs, p->n * sizeof *g.needs);
    for (uint32_t i = 0, at = 0; i < p->n; i++) {
        for (uint32_t k = 0; k < p->nedges; k++)
            if (p->from[k] == i)
                g.needed_by[at++] = p->to[k];
        g.first[i + 1] = at;
    }
    if (costs) {
        g.costs = base_allocate(p->n, sizeof *g.costs);
        memcpy(g.costs, p->costs, p->n * sizeof *g.costs);
    }
    if (rests) {
        g.rests = base_allocate(p->n, sizeof *g.rests);
        memcpy(g.rests, p->rests, p->n * sizeof *g.rests);
    }
    return g;
}

// ---------------------------------------------------------------------------------------------
// The same from the definition: step by step, every task against every processor

typedef struct {
    const plain_graph *p;
    const iot_machine *m;
    uint32_t nprocessors, places[MOST_TASKS];
    int64_t starts[MOST_TASKS], busy_until[MOST_TASKS], now, waiting, span;
} slow;

static int64_t plain_end(const slow *s, uint32_t i)
{
    return s->starts[i] + s->p->costs[i];
}

static bool has_ended(const slow *s, uint32_t i)
{
    return s->starts[i] >= 0 && plain_end(s, i) <= s->now;
}

// When the task may begin at a place; INT64_MAX: something that it needs has not ended.
static int64_t may_begin(const slow *s, uint32_t task, uint32_t place)
{
    int64_t at = 0;
    for (uint32_t k = 0; k < s->p->nedges; k++) {
        uint32_t from = s->p->from[k];
        if (s->p->to[k] != task)
            continue;
        if (!has_ended(s, from))
            return INT64_MAX;
        int64_t here = plain_end(s, from) + (s->places[from] == place ? 0 : s->m->delay);
        at = here > at ? here : at;
    }
    return at + s->p->rests[task];
}

static uint32_t plain_latest(const slow *s, uint32_t task)
{
    uint32_t latest = IOT_NONE;
    for (uint32_t k = 0; k < s->p->nedges; k++) {
        uint32_t from = s->p->from[k];
        if (s->p->to[k] != task)
            continue;
        if (latest == IOT_NONE || plain_end(s, from) > plain_end(s, latest) ||
            (plain_end(s, from) == plain_end(s, latest) && from < latest))
            latest = from;
    }
    return latest;
}

static int64_t subtree_cost(const plain_graph *p, uint32_t task)
{
    int64_t sum = p->costs[task];
    for (uint32_t i = task + 1; i < p->n; i++)
        if (p->parents[i] == task)
            sum += subtree_cost(p, i);
    return sum;
}

static bool stays(const slow *s, uint32_t task)
{
    return s->p->parents[task] != IOT_NONE && subtree_cost(s->p, task) < s->m->grain;
}

static bool is_free(const slow *s, uint32_t place)
{
    return place < s->nprocessors && s->busy_until[place] <= s->now;
}

// The processor on which a task could begin now, or IOT_NONE.
static uint32_t where(const slow *s, uint32_t task)
{
    uint32_t latest = plain_latest(s, task);
    uint32_t home = latest == IOT_NONE ? IOT_NONE : s->places[latest];
    if (s->starts[task] >= 0 || may_begin(s, task, IOT_NONE) == INT64_MAX)
        return IOT_NONE;
    if (stays(s, task))
        home = s->places[s->p->parents[task]];
    if (home != IOT_NONE && (is_free(s, home) || s->p->costs[task] == 0) &&
        may_begin(s, task, home) <= s->now)
        return home;
    if (home == IOT_NONE && s->p->costs[task] == 0 && may_begin(s, task, IOT_NONE) <= s->now)
        return 0;
    if (stays(s, task) || may_begin(s, task, IOT_NONE) > s->now)
        return IOT_NONE;
    for (uint32_t place = 0; place < s->nprocessors; place++)
        if (is_free(s, place))
            return place;
    return IOT_NONE;
}

static void begin_one(slow *s, uint32_t task, uint32_t place)
{
    uint32_t latest = plain_latest(s, task);
    int64_t made = (latest == IOT_NONE ? 0 : plain_end(s, latest)) + s->p->rests[task];
    s->starts[task] = s->now;
    s->places[task] = place;
    s->span = plain_end(s, task) > s->span ? plain_end(s, task) : s->span;
    if (s->p->costs[task] == 0)
        return;
    s->waiting += s->now - (made > s->busy_until[place] ? made : s->busy_until[place]);
    s->busy_until[place] = plain_end(s, task);
}

// One task that may begin now: those that take no time, then those that stay, then the oldest.
static bool begin_some(slow *s)
{
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < s->p->n; i++) {
            bool first = s->p->costs[i] == 0, second = stays(s, i);
            if ((round == 0 && !first) || (round == 1 && !second))
                continue;
            uint32_t place = where(s, i);
            if (place != IOT_NONE) {
                begin_one(s, i, place);
                return true;
            }
        }
    return false;
}

static void run_slowly(slow *s, const plain_graph *p, const iot_machine *m)
{
    *s = (slow){.p = p, .m = m, .nprocessors = m->processors < p->n ? m->processors : p->n};
    for (uint32_t i = 0; i < p->n; i++)
        s->starts[i] = -1;
    for (uint32_t left = p->n; left > 0; s->now++)
        while (begin_some(s))
            left--;
}

// ---------------------------------------------------------------------------------------------

static int64_t longest_path(const plain_graph *p, int64_t *ret_work)
{
    int64_t ends[MOST_TASKS] = {0}, span = 0;
    *ret_work = 0;
    for (uint32_t i = 0; i < p->n; i++)
        *ret_work += p->costs[i];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->n; i++) {
            int64_t at = 0;
            for (uint32_t k = 0; k < p->nedges; k++)
                if (p->to[k] == i && ends[p->from[k]] > at)
                    at = ends[p->from[k]];
            at += p->costs[i] + p->rests[i];
            changed |= at != ends[i];
            ends[i] = at;
            span = at > span ? at : span;
        }
    }
    return span;
}

static void check_bounds(const plain_graph *p, const iot_machine *m, int64_t took)
{
    int64_t work, span = longest_path(p, &work);
    if (m->delay == 0 && m->grain == 0) {
        CHECK(took >= span && took * m->processors >= work);
        CHECK((took - span) * m->processors <= work);
    }
    if (m->processors == 1 && m->delay == 0)
        CHECK_IS(took, work);
    if (m->processors >= p->n && m->delay == 0 && m->grain == 0)
        CHECK_IS(took, span);
}

static void check_one(uint64_t number)
{
    static plain_graph p;
    static slow s;
    seed = number;
    bool costs = roll(2), rests = roll(4) == 0;
    make_graph(&p, costs, rests);
    iot_machine m = {1 + roll(roll(2) ? 4 : p.n + 2), roll(2) ? 0 : roll(5), 0};
    m.grain = roll(2) ? 0 : roll(12);
    task_graph g = tasks_of(&p, costs, rests);
    iot_simulated got;
    task_times times;
    CHECK(iot_run_tasks(&g, &m, NULL, NULL, &got, &times));
    run_slowly(&s, &p, &m);
    uint32_t different = 0;
    for (uint32_t i = 0; i < p.n; i++)
        different += times.starts[i] != s.starts[i] || times.places[i] != s.places[i];
    if (different)
        printf("seed %llu: %u of %u tasks differ\n", (unsigned long long)number, different, p.n);
    CHECK_IS(different, 0);
    CHECK_IS(got.span, s.span);
    CHECK_IS(got.waiting, s.waiting);
    CHECK_IS(got.busy + got.waiting + got.idle, got.span * m.processors);
    if (!rests)
        check_bounds(&p, &m, got.span);
    iot_free_tasks(&g);
    free(times.starts);
    free(times.places);
    free(times.waited);
}

void test_simulation(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++)
        check_one(i);
}
