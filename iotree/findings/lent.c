// SPDX-License-Identifier: MIT
//
// Things that are lent: a dealer (dealers.h) gives each job one of a few things, as a tool, and takes it back
// when the job has ended:
//
//     forge([P|Ps], [fire(F)|Free], Back) :- Back = [merge(B)|Back1], heat(P, F, B), forge(Ps, Free, Back1).
//
// That nobody begins before something is free is what the program is about, although nobody looks at the
// thing. So neither may be left out that the dealer waits for it, nor that a job keeps it to its end.
#include "iotree/findings/dealers.h"
#include "iotree/findings/shapes.h"

enum { MOST_LOOPS = 6 };

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

void iot_find_lent(const loops *l, candidates *c)
{
    uint32_t looked[MOST_LOOPS], n = iot_critical_loops(l, looked, MOST_LOOPS);
    bool *added = base_allocate(trace_nclauses(l->t), sizeof *added);
    dealer s;
    iot_begin_dealer(&s, l);
    for (uint32_t i = 0; i < n; i++) {
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
