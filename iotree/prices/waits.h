// SPDX-License-Identifier: MIT
//
// The graph of waits of one run, in flat arrays, and the times that it has under changes.
//
// Every reduction waits for its parent and for the makers of what its commit read; where a maker's
// `=` passed something on, also for the makers of that. A *wait* is one such edge to a maker. Waits
// that say the same in the program's text are of one *kind*: the reader's site, the place in it
// where the value was read, and the maker's site. A class of the command line (time-and-trace,
// section 5) is a set of kinds.
//
//     t'(r) = cost(r) + max(t'(parent), t' of the makers of its waits that are not left out)
//
// (and of its far waits, which hardly any run has).
//
// Reductions are numbered as in the trace, 0 is the beginning, and every edge leads to a smaller
// number, so one pass in order computes all times. Nobody waits for the beginning, whose time is 0.
#ifndef IOTREE_PRICES_WAITS_H
#define IOTREE_PRICES_WAITS_H

#include "iotree/graph/model.h"

// Where a reduction stands in the text: a clause (its head's line), or the goal of a built-in in
// the clause that calls it. A goal that a built-in makes (`call`) stands where the built-in does.
typedef struct {
    uint32_t predicate;
    uint32_t clause;       // trace index; of a built-in: the clause that calls it
    uint32_t item;         // IOT_NONE: the clause; else the body item that calls the built-in
    uint32_t source, line; // TRACE_NONE and 0 if unknown
    uint32_t number;       // 1, 2, ... among the sites of the predicate on this line
    uint32_t reductions;   // how many
} wait_site;

// At which place of the reader a value was read.
typedef enum { PLACE_UNKNOWN, PLACE_ARGUMENT, PLACE_GUARD } wait_place_kind;
typedef struct {
    uint32_t reader, maker; // sites
    wait_place_kind place_kind;
    uint32_t place; // from 1: argument or guard; guard 0 is `otherwise`; 0 if unknown
    bool passed;    // the maker made what the read binding passed on
    uint32_t waits; // how many
} wait_kind;

// What a binding passed on may be long: it passed on what passed on ... A read has waits for the
// makers of the first MOST_PASSED of that. For the rest there are *relays*, each of which has the
// latest time of all makers of one site that a binding passed on, directly or through others;
// readers share them.
#define MOST_PASSED 16u

typedef struct {
    uint32_t at;    // the reduction that made the binding: it is known then
    uint32_t first; // of its inputs; they end where those of the next relay begin
} wait_relay;

typedef struct {
    uint32_t reader;
    uint32_t relay;
    uint32_t kind; // as of a wait
} far_wait;

typedef struct wait_graph {
    uint32_t n;        // reductions, the beginning included
    uint32_t *parents; // by reduction: the reduction that created its goal
    uint64_t *first;   // waits of reduction r: [first[r], first[r + 1])
    uint32_t *makers;  // by wait: reduction, never 0
    uint32_t *kinds;   // by wait: index into kinds_of
    uint8_t *begins;   // bits by wait: the first of the waits of one read
    uint32_t *sites;   // by reduction
    int64_t *costs;    // by reduction; NULL: 1 each (0 for the beginning)
    wait_site *all_sites;
    uint32_t nsites;
    wait_kind *kinds_of;
    uint32_t nkinds;
    int64_t span;
    wait_relay *relays; // nrelays and one more, in order of `at`; inputs are older
    uint32_t nrelays;
    uint32_t *inputs;   // of relays: a reduction, or n + a relay
    far_wait *far_waits; // in order of readers
    uint32_t nfar_waits;
} wait_graph;

static inline int64_t wait_cost(const wait_graph *g, uint32_t reduction)
{
    return g->costs ? g->costs[reduction] : reduction != 0;
}

// Owned by the analysis, made when it is first asked for. NULL if cancelled.
const wait_graph *iot_waits(const iot *a, iot_progress progress, void *data);
void iot_destroy_waits(iot *a);

// Another maker for one wait; IOT_NONE: the wait is left out. A maker that is not older than the
// reader counts as left out.
typedef struct {
    uint64_t wait;
    uint32_t maker;
} wait_edit;

// One more wait of a reduction, for an older one.
typedef struct {
    uint32_t reader, maker;
} wait_added;

// Another parent or cost for one reduction.
typedef struct {
    uint32_t reduction;
    uint32_t parent; // IOT_NONE: as it is. Its time counts instead of the parent's
    double cost;     // below 0: as it is
} reduction_edit;

// One change of the run, as a recomputation sees it. All zero changes nothing. Edits are in order
// of waits and of reductions, at most one for each; waits that are added in order of their readers.
// An edit of a wait counts more than its kind.
typedef struct wait_change {
    uint8_t *without_kinds; // bits by kind: these waits are left out
    wait_edit *waits;
    size_t nwaits;
    wait_added *added;
    size_t nadded;
    reduction_edit *reductions;
    size_t nreductions;
    double *costs; // by reduction, instead of the graph's; for changes of most of the run
} wait_change;

void iot_free_change(wait_change *change); // what it points to; leaves one that changes nothing

// The span under a change. ret_times (NULL: not wanted): by reduction, rounded.
double iot_span_under(const wait_graph *g, const wait_change *change, int64_t *ret_times);
// The same with times that are not rounded: by reduction, then by relay.
double iot_times_under(const wait_graph *g, const wait_change *change, double *ret_times);
// The same of many at once, in a few passes: ret_spans[i] under changes[i]. False: cancelled.
bool iot_spans_under(const wait_graph *g, const wait_change *changes, uint32_t n, double *ret_spans,
                     iot_progress progress, void *data);

// Where passes keep the times that somebody still asks for: under these changes, or under any that
// consist of parts of them. Who prices several times makes it once.
typedef struct time_slots time_slots;
time_slots *iot_make_slots(const wait_graph *g, const wait_change *changes, uint32_t n);
void iot_free_slots(time_slots *slots); // NULL is allowed

// The same for findings and classes: on the processors that were chosen (iot_choose_processors), if
// any were. slots: of such changes, or NULL.
bool iot_price_changes(const iot *a, const wait_graph *g, const time_slots *slots,
                       const wait_change *changes, uint32_t n, double *ret_spans,
                       iot_progress progress, void *data);

#endif
