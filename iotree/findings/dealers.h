// SPDX-License-Identifier: MIT
//
// Loops that give jobs to whoever is free, or lend things that come back:
//
//     hand_out([Job|Jobs], [Free|Ask]) :- Free = Job, hand_out(Jobs, Ask).
//
// The steps of such a loop, the *dealer*, wait for somebody who is free, and what made him free follows from
// an earlier step: so the run tells how long each job takes.
#ifndef IOTREE_FINDINGS_DEALERS_H
#define IOTREE_FINDINGS_DEALERS_H

#include "iotree/findings/loops.h"

enum { MOST_WORKERS = 64 };

typedef struct {
    uint32_t dealt;      // the dealer's step
    uint32_t freed;      // the last step of the job, which let the dealer go on; 0: not known
    uint32_t before;     // the job after which somebody was free for this one, plus one; 0: he had none
    int64_t time, steps; // it began; it took
} job;

typedef struct {
    const loops *l;
    uint32_t chain; // the dealer's
    uint32_t *from; // by reduction: the step of the dealer that it follows from, plus one; 0: not known
    int64_t *below; // by reduction: time of the last one that descends from it, the dealer's steps left out
    ARRAY_OF(job) jobs; // by step of the dealer
    ARRAY_OF(uint32_t) way;
    int64_t begins[MOST_WORKERS]; // when those who had no job before got one
    uint32_t workers;             // how many; there may be more than MOST_WORKERS
    bool lends; // each job has one of a few things, which the next one gets that takes it from the list
} dealer;

void iot_begin_dealer(dealer *s, const loops *l);
void iot_end_dealer(dealer *s);
// Is the chain a dealer?
bool iot_study_dealer(dealer *s, uint32_t chain);

// The step of the dealer from which the reduction follows, plus one; 0: none.
uint32_t iot_dealt_by(dealer *s, uint32_t r);
// The latest of what a reduction waited for, its parent included; of several what it read, rather than
// the parent: a merge is created by its last step, and passes on what comes.
uint32_t iot_latest_before(const dealer *s, uint32_t r);

static inline int64_t end_of_job(const job *x)
{
    return x->time + x->steps;
}

#endif
