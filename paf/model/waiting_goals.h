// SPDX-License-Identifier: MIT
//
// waiting_goals: the goals that a run left waiting: for what, who could still bind that, and who waits in
// a circle. What fleng says of a deadlock, from the trace.
#ifndef PAF_WAITING_GOALS_H
#define PAF_WAITING_GOALS_H

#include "iotree/iotree.h"

#include <glib.h>

typedef struct {
    uint32_t goal;   // the one shown: with the fewest causes above it
    uint32_t count;  // with the others of its predicate that were created at the same place
    uint32_t module; // of that goal
    uint32_t cause;  // the group whose goal could bind what it waits for, or IOT_NONE
    uint32_t level;  // how many groups are above it
    bool circle;     // it is part of a circle: each waits for the next
} paf_waiting;

typedef struct {
    const trace *t;
    uint32_t ngoals;     // that wait
    uint32_t n;
    paf_waiting *groups; // causes first, and below each what waits because of it
    GHashTable *holders; // variable -> 1 + the waiting goal that could bind it; NULL: nothing waits
    bool searched_all;   // what has no holder has no writer
} paf_waiting_goals;

// Never NULL. paf_waiting_goals_free().
paf_waiting_goals *paf_waiting_goals_find(const iot *a);
void paf_waiting_goals_free(paf_waiting_goals *w);
uint32_t paf_waiting_group_of(const paf_waiting_goals *w, uint32_t goal); // IOT_NONE: none shows it

// The group whose goal could bind what this one waits for, in a circle too; IOT_NONE: none is shown.
uint32_t paf_waiting_binder(const paf_waiting_goals *w, uint32_t group);

// "total(S1,6,T)"; g_free(), as the others.
char *paf_waiting_goal(const paf_waiting_goals *w, uint32_t group);
// The same with how many others: "w(X,50), and 49 more goals of w/2 from there".
char *paf_waiting_title(const paf_waiting_goals *w, uint32_t group);
// "S1, T": what it waits for.
char *paf_waiting_variables(const paf_waiting_goals *w, uint32_t group);
// "waits for S1, made by clause 1 of numbers/3 (stuck.fl:3); no writer of it remains", line by line.
char *paf_waiting_lines(const paf_waiting_goals *w, uint32_t group);
// "stuck.fl:6:36": where the goal stands in the text.
char *paf_waiting_place(const paf_waiting_goals *w, uint32_t group);
// The clause in whose body it stands, or IOT_NONE.
uint32_t paf_waiting_clause(const paf_waiting_goals *w, uint32_t group);

#endif
