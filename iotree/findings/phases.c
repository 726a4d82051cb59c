// SPDX-License-Identifier: MIT
//
// Finds the phases of teams and of ranks (measured_run.h).
#include "iotree/findings/measured_run.h"

static int by_phase(const void *a, const void *b)
{
    const segment *x = a, *y = b;
    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void index_phases(phases *p)
{
    if (p->list.n > 0)
        qsort(p->list.at, p->list.n, sizeof *p->list.at, by_phase);
    p->first = base_allocate((size_t)p->n + 2, sizeof *p->first);
    for (size_t i = 0; i < p->list.n; i++)
        p->first[p->list.at[i].phase + 1]++;
    for (uint32_t i = 0; i < p->n; i++)
        p->first[i + 1] += p->first[i];
}

static bool is_mpi(trace_kind kind)
{
    return kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE;
}

// What is left of each place when the recording ends within a region, as where a thread's events
// were more than are kept, is a phase of its own.
static void add_unfinished(measured_run *m, const uint32_t *since)
{
    const replay *r = m->r;
    uint32_t places = 0;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t last = r->at_place[p + 1];
        if (since[p] >= last || is_mpi(kind_of(m, r->by_place[last - 1])) ||
            kind_of(m, r->by_place[last - 1]) == TRACE_KIND_SERIAL)
            continue;
        ARRAY_PUSH(m->threads.list, ((segment){r->nmeetings, p, since[p], last}));
        places++;
    }
    m->threads.n += places > 1;
    if (places == 1)
        m->threads.list.n--;
    for (uint32_t p = 0; places > 1 && p < r->nplaces; p++)
        m->teams[p] = places > m->teams[p] ? places : m->teams[p];
    m->largest_team = places > 1 && places > m->largest_team ? places : m->largest_team;
}

static void find_thread_phases(measured_run *m)
{
    const replay *r = m->r;
    uint32_t *left = base_allocate((size_t)r->nplaces + 1, sizeof *left);
    m->threads.n = r->nmeetings;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t since = r->at_place[p];
        for (uint32_t i = since; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            if (kind_of(m, x) == TRACE_KIND_FORK && m->fork_teams[x] > 1)
                since = i + 1;
            if (!r->waits[x] || r->meetings[x] == IOT_NONE || is_mpi(kind_of(m, x)))
                continue;
            uint32_t meeting = r->meetings[x];
            uint32_t size = r->first_member[meeting + 1] - r->first_member[meeting];
            ARRAY_PUSH(m->threads.list, ((segment){meeting, p, since, i}));
            m->teams[p] = size > m->teams[p] ? size : m->teams[p];
            m->largest_team = size > m->largest_team ? size : m->largest_team;
            since = i + 1;
        }
        left[p] = since;
    }
    if (iot_lost_events(m->t, NULL) > 0)
        add_unfinished(m, left);
    free(left);
    iot_add_thread_groups(m);
    index_phases(&m->threads);
}

bool iot_is_main_call(const measured_run *m, uint32_t activity, const char *name)
{
    return is_mpi(kind_of(m, activity)) &&
           strncmp(name_of_clause(m, clause_of(m, activity)), name, strlen(name)) == 0;
}

static bool ends_rank_phase(const measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    return kind == TRACE_KIND_MPI_COLLECTIVE || iot_is_main_call(m, x, "MPI_Init") ||
           iot_is_main_call(m, x, "MPI_Finalize");
}

// Phases count along each place. If places have different numbers of them (several communicators),
// only meetings tell which ones belong together.
static bool same_counts(const measured_run *m)
{
    const replay *r = m->r;
    uint32_t each = 0;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t n = 0;
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++)
            n += ends_rank_phase(m, r->by_place[i]);
        if (n > 0 && each > 0 && n != each)
            return false;
        each = n > 0 ? n : each;
    }
    return true;
}

static void find_rank_phases(measured_run *m)
{
    const replay *r = m->r;
    bool counted = same_counts(m);
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t since = r->at_place[p], number = 0;
        for (uint32_t i = since; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            if (!ends_rank_phase(m, x))
                continue;
            uint32_t phase = counted ? number++ : r->meetings[x];
            if (phase == IOT_NONE)
                continue;
            if (!iot_is_main_call(m, x, "MPI_Init"))
                ARRAY_PUSH(m->ranks.list, ((segment){phase, p, since, i}));
            since = i + 1;
            m->ranks.n = phase + 1 > m->ranks.n ? phase + 1 : m->ranks.n;
        }
    }
    index_phases(&m->ranks);
}

// The computation that takes most of the segment in which most is computed.
static uint32_t main_computation(const measured_run *m, uint32_t phase, int64_t *by_clause)
{
    const replay *r = m->r;
    const segment *slowest = NULL;
    int64_t most = 0;
    for (uint32_t s = m->ranks.first[phase]; s < m->ranks.first[phase + 1]; s++) {
        const segment *g = &m->ranks.list.at[s];
        int64_t sum = 0;
        for (uint32_t i = g->from; i < g->to; i++)
            sum += computes(m, r->by_place[i]) ? r->costs[r->by_place[i]] : 0;
        if (sum > most) {
            most = sum;
            slowest = g;
        }
    }
    uint32_t best = IOT_NONE;
    for (uint32_t i = slowest ? slowest->from : 0; slowest && i < slowest->to; i++) {
        uint32_t x = r->by_place[i], clause = clause_of(m, x);
        if (!computes(m, x))
            continue;
        by_clause[clause] += r->costs[x];
        best = best == IOT_NONE || by_clause[clause] > by_clause[best] ? clause : best;
    }
    for (uint32_t i = slowest ? slowest->from : 0; slowest && i < slowest->to; i++)
        by_clause[clause_of(m, r->by_place[i])] = 0;
    return best;
}

uint32_t iot_end_of_phase(const measured_run *m, uint32_t clause, uint32_t phase)
{
    const replay *r = m->r;
    return kind_of_clause(m, clause) != TRACE_KIND_REGION || phase >= r->nmeetings
               ? IOT_NONE
               : clause_of(m, r->members[r->first_member[phase]]);
}

void iot_find_phases(measured_run *m)
{
    m->teams = base_allocate((size_t)m->r->nplaces + 1, sizeof *m->teams);
    iot_find_teams(m);
    find_thread_phases(m);
    find_rank_phases(m);
    int64_t *by_clause = base_allocate((size_t)trace_nclauses(m->t) + 1, sizeof *by_clause);
    m->rank_clauses = base_allocate((size_t)m->ranks.n + 1, sizeof *m->rank_clauses);
    for (uint32_t p = 0; p < m->ranks.n; p++)
        m->rank_clauses[p] = main_computation(m, p, by_clause);
    free(by_clause);
}

void iot_free_phases(measured_run *m)
{
    free(m->threads.list.at);
    free(m->threads.first);
    free(m->ranks.list.at);
    free(m->ranks.first);
    free(m->rank_clauses);
    free(m->teams);
    free(m->fork_teams);
    free(m->lone.at);
}
