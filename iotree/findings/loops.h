// SPDX-License-Identifier: MIT
//
// Loops of a program and what became of them in a run.
//
// A *loop* is a set of predicates that call each other: a cycle of the calls in the text. A *chain*
// is what a loop did in the run: reductions of one loop, each created by the one before. Where a
// reduction creates several goals of its loop (as halving does), the chain goes on with the one
// that has most below it; the others begin chains of their own. All other goals that a member of a
// chain creates are its *side goals*.
#ifndef IOTREE_FINDINGS_LOOPS_H
#define IOTREE_FINDINGS_LOOPS_H

#include "iotree/findings/findings.h"

typedef struct {
    uint32_t loop;
    uint32_t first; // reduction
    uint32_t n;     // members
    uint32_t total; // reductions of the loop that descend from the first, itself included
} loop_chain;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    uint32_t nloops;
    uint32_t *loop_of;  // by predicate; IOT_NONE: it is in no cycle
    uint32_t *next;     // by reduction: the next member of its chain; 0: none
    uint32_t *chain_of; // by reduction; IOT_NONE: no member
    uint32_t *position; // by reduction: its place in its chain, from 0
    ARRAY_OF(loop_chain) chains;
    // The critical path, the last reduction first; or the one that is left when something is changed.
    struct {
        const uint32_t *steps;
        uint32_t n;
    } path;
    const wait_change *beside; // that change; NULL: none
    double span;
    uint32_t
        *taken; // by reduction: the cell of a list that a member's head took apart, or IOT_NONE
    uint32_t *called;     // by reduction of call/N: the goal that it called; 0: none. NULL: no calls
    uint32_t *critical;   // by loop: members on the path
    uint32_t *near;       // by loop: steps of the path that are its members or below them
    uint32_t *biggest;    // by loop: its longest chain
    uint32_t *predicates; // by loop: how many predicates it has
} loops;

void iot_begin_loops(loops *l, const iot *a, const wait_graph *g);
void iot_end_loops(loops *l);
// Another path: what is critical if something is changed. Both must last as long as detectors run. NULL: the
// critical path of the run as it is.
void iot_look_along(loops *l, const wait_change *beside, const uint32_t *steps, uint32_t n);
// The span under a change, beside the one that is looked along; it is l->span without the second one.
double iot_span_beside(const loops *l, const wait_change *change);

static inline uint32_t loops_predicate(const loops *l, uint32_t reduction)
{
    return l->g->all_sites[l->g->sites[reduction]].predicate;
}

// What a goal does: of call/N the goal that it called.
static inline uint32_t loops_called(const loops *l, uint32_t reduction)
{
    while (l->called && l->called[reduction])
        reduction = l->called[reduction];
    return reduction;
}

// Who created the goal: of one that call/N called, who called call/N.
static inline uint32_t loops_creator(const loops *l, uint32_t reduction)
{
    uint32_t parent = l->g->parents[reduction];
    while (l->called && l->called[parent])
        parent = l->g->parents[parent];
    return parent;
}

// The clause in the program that called the goal of a chain, through library predicates; IOT_NONE:
// none. Of a goal of the program itself it is the clause that created it.
uint32_t iot_caller_clause(const loops *l, uint32_t reduction);

// By reduction, the side goal of the loop that it is or descends from, as the reduction of that
// goal; 0: none. The caller frees it.
uint32_t *iot_side_goals(const loops *l, uint32_t loop);

// The loops near the path, most steps first; at most `most`. Returns how many.
uint32_t iot_critical_loops(const loops *l, uint32_t *ret_loops, uint32_t most);

// Which member's child: the body item of the goal that this reduction reduced; TRACE_NONE if
// dynamic.
static inline uint32_t loops_item(const loops *l, uint32_t reduction)
{
    return trace_goal_item(l->t, trace_reduction_goal(l->t, reduction));
}

// 0 for 1, else how many levels a tree over n leaves has.
static inline uint32_t loops_levels(uint64_t n)
{
    return n < 2 ? 0 : 64 - (uint32_t)__builtin_clzll(n - 1);
}

// The clause of the loop that has most of the members of its longest chain, and one of these.
uint32_t iot_loop_clause(const loops *l, uint32_t loop, uint32_t *ret_reduction);

// The program's clause that a reduction is by, or that called the library. IOT_NONE: none near.
uint32_t iot_clause_near(const loops *l, uint32_t r);

// Is the body's goal `X := Y + c` or `X := Y - c`?
bool iot_is_counter(const trace *t, const trace_clause *c, uint32_t item);
// Do its guards compute nothing but `X := Y + 1` and the like, with a constant?
bool iot_guards_only_count(const trace *t, const trace_clause *c);

// By clause, the argument, from 1, whose list the head takes apart; 0: none. The caller frees it.
uint8_t *iot_list_arguments(const trace *t);
// The value behind bound variables.
trace_value iot_end_value(const trace *t, trace_value v);

// The variable that the reader read and the maker bound; TRACE_NONE: none.
uint32_t iot_variable_from(const loops *l, uint32_t reader, uint32_t maker);
// The same of a wait that is the first of those of one read.
static inline uint32_t iot_variable_of_wait(const loops *l, uint32_t reader, uint64_t wait)
{
    return iot_variable_from(l, reader, l->g->makers[wait]);
}

// Is it bound to a list, be it an empty one?
bool iot_is_list(const trace *t, uint32_t variable);

static inline bool loops_is_named(const trace *t, uint32_t predicate, const char *name)
{
    return strcmp(trace_string(t, trace_get_predicate(t, predicate)->name, NULL), name) == 0;
}

// Are both one item, or two terms of one name with the same arguments: parcel(Code, I, B) that a clause
// takes apart and makes again?
bool iot_is_same_item(const trace *t, trace_value x, trace_value y);

// Does a reduction bind a variable to a cell of a list?
bool iot_makes_list(const trace *t, uint32_t maker);

// integer(X), wait(X): a guard that asks only what kind of value there is.
bool iot_is_type_test(const char *name);

// Is the value this variable, or a variable bound to it?
bool iot_leads_to(const trace *t, trace_value v, uint32_t variable);

// Does a goal of the loop in the clause's body get this variable of the head (TN_HOLE), or does a
// guard that is no test of a type look at it?
bool iot_is_carried(const loops *l, uint32_t loop, const trace_clause *c,
                    const trace_node *variable);

// Bits by reduction: the goals `X := Y + c` and `X := Y - c` that count the steps of the loop's
// chains. They follow from the number of the step. The caller frees it.
uint8_t *iot_counters(const loops *l, uint32_t loop);

// ---- A change, made in any order

typedef struct {
    ARRAY_OF(wait_edit) waits;
    ARRAY_OF(wait_added) added;
    ARRAY_OF(reduction_edit) reductions;
    uint8_t *without_kinds; // bits by kind, or NULL
} change_draft;

void draft_wait(change_draft *d, uint64_t wait, uint32_t maker); // IOT_NONE: left out
void draft_add(change_draft *d, uint32_t reader, uint32_t maker);
void draft_kind(change_draft *d, const wait_graph *g, uint32_t kind); // all waits of the kind are left out
void draft_reduction(change_draft *d, uint32_t reduction, uint32_t parent, double cost);
// In order and without doubles: of two edits of one thing the later one counts. Empties the draft.
wait_change draft_finish(change_draft *d);
void draft_free(change_draft *d);

#endif
