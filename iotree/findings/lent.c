// SPDX-License-Identifier: MIT
//
// Things that are lent: a dealer (dealers.h) gives each job one of a few things, as a tool, and takes it back
// when the job has ended:
//
//     forge([P|Ps], [fire(F)|Free], Back) :- Back = [merge(B)|Back1], heat(P, F, B), forge(Ps, Free, Back1).
//
// That nobody begins before something is free is what the program is about, although nobody looks at the
// thing. So neither may be left out that the dealer waits for it, nor that a job keeps it to its end.
//
// Workers are lent, too: several of them ask one queue for jobs, each again when it has done its own.
//
//     queue([want(P)|As], [Job|Jobs]) :- P = Job, queue(As, Jobs).
//     done(result(N), Ask, Out) :- Out = [N|Out1], Ask = [want(P)|Ask1], begin(P, Ask1, Out1).
#include "iotree/findings/dealers.h"
#include "iotree/findings/shapes.h"

enum {
    MOST_LOOPS = 6,
    MOST_ASKERS = 256,
    FEWEST_ASKED = 4, // of a queue
};

// Each clause once, though there are as many jobs as steps of the dealer. added: by clause.
static void add_place(const dealer *s, uint32_t r, bool *added, candidates *c)
{
    uint32_t clause = iot_clause_near(s->l, r);
    if (clause == IOT_NONE || added[clause])
        return;
    added[clause] = true;
    ARRAY_PUSH(c->lent, iot_clause_location(s->l->a, clause));
}

// The last step of a job that is the program's own: what it gives back may come through merges.
static uint32_t given_by(const dealer *s, uint32_t r)
{
    while (r && trace_get_predicate(s->l->t, loops_predicate(s->l, r))->origin != TRACE_PROGRAM)
        r = iot_latest_before(s, r);
    return r;
}

// ---------------------------------------------------------------------------------------------
// Workers

// Does the clause hand out what comes in one list to those who ask in another one?
static bool is_queue(const trace *t, uint32_t clause)
{
    const trace_clause *c = trace_get_clause(t, clause);
    uint32_t lists = 0;
    for (uint32_t i = 0; i < c->nhead; i++)
        lists += c->patterns[c->head[i]].kind == TN_CONS;
    return lists > 1;
}

// The chain of the queue that gives jobs to several chains of the loop, each of them more than one; IOT_NONE:
// none does.
static uint32_t queue_of(const loops *l, uint32_t loop)
{
    uint32_t queue = IOT_NONE, jobs = 0, workers[MOST_ASKERS], n = 0;
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != loop)
            continue;
        for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1]; w++) {
            uint32_t maker = l->g->makers[w], from = l->chain_of[maker], i = 0;
            if (from == IOT_NONE || l->chains.at[from].loop == loop ||
                !is_queue(l->t, trace_reduction_clause(l->t, maker)))
                continue;
            if (queue != IOT_NONE && from != queue)
                return IOT_NONE;
            queue = from;
            jobs++;
            while (i < n && workers[i] != chain)
                i++;
            if (i == n && n < MOST_ASKERS)
                workers[n++] = chain;
        }
    }
    return n > 1 && jobs >= FEWEST_ASKED && jobs >= 2 * n ? queue : IOT_NONE;
}

// Where a worker waits for what its own goals make of a job.
static void find_workers(const loops *l, uint32_t loop, bool *added, candidates *c)
{
    if (queue_of(l, loop) == IOT_NONE)
        return;
    uint32_t *side = iot_side_goals(l, loop);
    for (uint32_t r = 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r], clause = trace_reduction_clause(l->t, r);
        if (chain == IOT_NONE || l->chains.at[chain].loop != loop || added[clause])
            continue;
        for (uint64_t w = l->g->first[r]; w < l->g->first[r + 1] && !added[clause]; w++) {
            uint32_t goal = side[l->g->makers[w]];
            if (!goal || l->chain_of[l->g->parents[goal]] != chain)
                continue;
            added[clause] = true;
            ARRAY_PUSH(c->lent, iot_clause_location(l->a, clause));
        }
    }
    free(side);
}

void iot_find_lent(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    bool *added = base_allocate(trace_nclauses(l->t), sizeof *added);
    dealer s;
    iot_begin_dealer(&s, l);
    for (uint32_t i = 0; i < n; i++) {
        find_workers(l, looked[i], added, c);
        if (!iot_study_dealer(&s, l->biggest[looked[i]]) || !s.lends)
            continue;
        for (size_t k = 0; k < s.jobs.n; k++) {
            add_place(&s, s.jobs.at[k].dealt, added, c);
            if (s.jobs.at[k].freed)
                add_place(&s, given_by(&s, s.jobs.at[k].freed), added, c);
        }
    }
    iot_end_dealer(&s);
    free(added);
}
