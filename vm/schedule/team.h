// SPDX-License-Identifier: MIT
//
// Several workers, one run (private to vm/). Each worker is a thread with a machine of its own. Its ready
// goals are its own as well: nobody else touches its queues. Workers send letters (mailbox.h).
//
// Life of a worker; all but the first begin with their first gift:
//
//     +--> WORKING --no goal, no letter--> HUNGRY --a letter--> WORKING
//     |                                       |
//     |                             nothing came for a moment (under the lock: idle + 1)
//     |                                       v
//     +-------------- a letter ------------- IDLE --all are idle, no letter--> ENDED, all leave
//
// Only a worker that is WORKING makes goals ready or sends letters. So when all are IDLE and all
// mailboxes are empty, no goal is ready and none will be: the run is over, exactly. Goals that are still
// suspended then are suspended for good.
//
// Gifts. Work is given on request, never taken. At the end of a quantum a worker looks whether somebody
// is hungry, which is one load of a word that seldom changes. If so it gives its oldest goals, which
// are the biggest: those at the bottom of its stack, else the oldest that were woken. It never gives the
// goal that runs, nor, unless the last gifts were long, one that was not there two quanta before. Before a
// thread begins it tries one of these goals itself: a goal that is soon done is worth no thread.
//
//     giver:    [ oldest ][ ... ][ ... ][ newest ]  running
//                  |
//                  +--- letter: gift ---> hungry worker
//
// What a gift is worth is counted, not timed: how many reductions the receiver made for each letter
// that it sent or got, until it was hungry again. If these are few, goals were given that belong
// together with others: the giver lets twice as many quanta pass before it gives again. If the gift was
// good but short, the next one has more goals.
//
// Retreat. Workers that are busy may exchange so many letters that one alone is faster. A worker that
// counts more than a few letters in a thousand reductions retreats to the worker that it wrote to most,
// if that has a lower number: it sends its ready goals there, and from now on all that become ready, and
// is not hungry for a time that doubles with each retreat. Its variables stay its own.
//
// No more workers are given goals than there are processors. A worker that gets a letter for one of its
// variables is woken in any case.
#ifndef VM_TEAM_H
#define VM_TEAM_H

#include "vm/schedule/mailbox.h"
#include "vm/schedule/worker.h"

#include <pthread.h>

typedef struct vm_team {
    uint32_t n;
    vm_worker **workers; // whose memory the engine keeps
    bool together;       // goals are given whatever they are worth, to more workers than processors, too
    uint32_t processors;
    vm_fits fits;  // may a goal be given? Not if it is small, or would only wait
    vm_fits works; // would a goal that stays here keep its worker busy?
    bool (*start)(vm_worker *w); // gives a worker its thread; false: the system has none
    pthread_mutex_t lock; // of idle, ended, and of those who sleep
    uint32_t idle;   // written under the lock, read without it as a hint
    bool ended;
    uint32_t outcome; // why the run ended for all, set once; 0: it has not
    vm_worker *ended_by;
    char apart[64];
    uint32_t hungry;  // how many workers want a gift
    char apart2[64];
    pthread_mutex_t serial; // held by built-ins that share state
} vm_team;

// A team of n workers, which are initialised. together: see vm_team.
vm_team *vm_team_create(vm_worker **workers, uint32_t n, bool together, vm_fits fits,
                        vm_fits works);

// ---- A run, as the engine goes through it -------------------------------------------------------

// All workers but the first have no thread until they get their first gift, so that a run without
// gifts is the run of one worker. `start` is called with the team's lock held.
void vm_team_begin(vm_team *t, bool (*start)(vm_worker *w));
// At the end of the first worker: a worker whose thread is to be joined; NULL: there is none any more.
vm_worker *vm_team_end_of_thread(vm_team *t);
// For a worker that has no goal: waits until it has mail. False: the run is over.
bool vm_team_wait(vm_worker *w);
// When a quantum is over, or before a worker waits for something else: gives goals to the hungry.
void vm_team_quantum_over(vm_worker *w);
// Did this worker exchange so many letters that it should end its quantum, to see whether it pays to
// retreat? reductions: those that it made.
bool vm_team_is_chatty(const vm_worker *w, uint64_t reductions);
// For a worker that retreated: sends its ready goals where it retreated to.
void vm_team_forward(vm_worker *w);
// Ends the run for all, for a reason other than 0; the first reason counts.
void vm_team_end(vm_worker *w, uint32_t outcome);
bool vm_team_is_over(const vm_worker *w); // some worker ended the run
// Gives back the locks that the worker holds because memory was exhausted.
void vm_team_release(vm_worker *w);

// ---- Letters ---------------------------------------------------------------------------------------

void vm_team_send(vm_worker *w, uint32_t to, vm_mail *mail); // to may be w itself
vm_mail *vm_team_take_mail(vm_worker *w); // the oldest first
void vm_team_unpack(vm_worker *w, const vm_mail *gift); // its goals become ready

// Letters between the workers, and how many of them were gifts; approximately, while they run.
void vm_team_count(const vm_team *t, uint64_t *ret_letters, uint64_t *ret_gifts);
uint64_t vm_team_ready(const vm_team *t); // ready goals, and workers that run one, approximately

#endif
