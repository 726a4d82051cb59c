// SPDX-License-Identifier: MIT
//
// Groups of tasks that need each other by their depend clauses, and how long the chains are that
// follow. Tasks of several constructs that name one variable are one chain:
//
//     for (f = 0; f < n; f++) {
//     #pragma omp task depend(out: tray)
//         develop(&tray, f);
//     #pragma omp task depend(in: tray)
//         print(&tray);
//     }
//
// Chains cost time where they allow much less at a time than the team could do, two thirds of it at
// most: the tasks of a wavefront, or many short chains, keep all threads busy and are no cause.
#include "iotree/findings/measured_run.h"

static bool is_task(const measured_run *m, uint32_t x)
{
    return x != IOT_NONE && kind_of(m, x) == TRACE_KIND_TASK && !m->r->waits[x];
}

static uint32_t group_of(uint32_t *group, uint32_t clause)
{
    while (group[clause] != clause)
        clause = group[clause] = group[group[clause]];
    return clause;
}

void iot_find_task_groups(measured_run *m)
{
    uint32_t n = trace_nclauses(m->t);
    m->task_group = base_allocate((size_t)n + 1, sizeof *m->task_group);
    for (uint32_t i = 0; i < n; i++)
        m->task_group[i] = i;
    for (uint32_t i = 1; i < m->r->n; i++) {
        if (!is_task(m, i))
            continue;
        for (uint64_t k = m->r->first[i]; k < m->r->first[i + 1]; k++) {
            if (!is_task(m, m->r->sources[k]))
                continue;
            uint32_t a = group_of(m->task_group, clause_of(m, i));
            uint32_t b = group_of(m->task_group, clause_of(m, m->r->sources[k]));
            m->task_group[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        m->task_group[i] = group_of(m->task_group, i);
}

typedef struct {
    int64_t total, longest;
} chain_time;

// By activity: the time of the longest chain of tasks of its group that ends with it.
static int64_t *find_chains(const measured_run *m)
{
    int64_t *chains = base_allocate((size_t)m->r->n + 1, sizeof *chains);
    for (uint32_t i = 1; i < m->r->n; i++) {
        int64_t before = 0;
        if (!is_task(m, i))
            continue;
        for (uint64_t k = m->r->first[i]; k < m->r->first[i + 1]; k++) {
            uint32_t from = m->r->sources[k];
            if (is_task(m, from) && from < i && chains[from] > before)
                before = chains[from];
        }
        chains[i] = before + m->r->costs[i];
    }
    return chains;
}

static void add_task(const measured_run *m, uint32_t x, const int64_t *chains, chain_time *times)
{
    if (!is_task(m, x))
        return;
    chain_time *time = &times[m->task_group[clause_of(m, x)]];
    time->total += m->r->costs[x];
    time->longest = chains[x] > time->longest ? chains[x] : time->longest;
}

// Adds what the longest chains of a phase take beyond their parts of the team's work. Each group is
// looked at with its first task.
static void take_chains(const measured_run *m, uint32_t phase, chain_time *times, int64_t *weights)
{
    uint32_t first = m->threads.first[phase], end = m->threads.first[phase + 1];
    for (uint32_t k = first; k < end; k++)
        for (uint32_t i = m->threads.list.at[k].from; i < m->threads.list.at[k].to; i++) {
            uint32_t x = m->r->by_place[i];
            if (!is_task(m, x))
                continue;
            uint32_t group = m->task_group[clause_of(m, x)];
            int64_t longest = times[group].longest;
            int64_t rest = longest - times[group].total / (int64_t)(end - first);
            weights[group] += 3 * rest > longest ? rest : 0;
            times[group] = (chain_time){0, 0};
        }
}

void iot_each_task_group(const measured_run *m,
                         void (*f)(void *data, uint32_t group, int64_t weight), void *data)
{
    uint32_t n = trace_nclauses(m->t);
    chain_time *times = base_allocate((size_t)n + 1, sizeof *times);
    int64_t *weights = base_allocate((size_t)n + 1, sizeof *weights);
    int64_t *chains = find_chains(m);
    for (uint32_t p = 0; p < m->threads.n; p++) {
        for (uint32_t k = m->threads.first[p]; k < m->threads.first[p + 1]; k++)
            for (uint32_t i = m->threads.list.at[k].from; i < m->threads.list.at[k].to; i++)
                add_task(m, m->r->by_place[i], chains, times);
        take_chains(m, p, times, weights);
    }
    for (uint32_t i = 0; i < n; i++)
        if (weights[i] > 0)
            f(data, i, weights[i]);
    free(times);
    free(weights);
    free(chains);
}
