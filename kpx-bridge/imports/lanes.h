// SPDX-License-Identifier: MIT
//
// Places with a stack of slices (private to imports/). The top slice says how a place spends its
// time; whenever the stack changes, the interval until then becomes an activity of that slice. With
// an empty stack a place does nothing that is known, and its next activity is made by its last one.
//
// What an interval needs of other places is told while it is open. If its slice may wait, it waited
// until the last of these had ended, and ran from there on.
//
// Calls for one place are in order of time; an earlier time counts as the last one.
#ifndef KPX_LANES_H
#define KPX_LANES_H

#include "kpx-bridge/timeline/activities.h"

typedef struct {
    uint32_t construct; // while it runs
    uint32_t waiting;   // the construct while it waits, or KPX_NONE: it does not
    uint64_t key;       // what its end names
    bool execution;     // of a routine: views show its nesting
    bool seen;          // it has an activity
} kpx_slice;

typedef struct {
    uint32_t from;
    trace_edge edge;
} kpx_lane_edge;

typedef struct {
    trace_key key;
    int64_t number;
} kpx_lane_value;

typedef struct {
    uint32_t place;
    uint32_t last;  // activity, or KPX_NONE
    uint32_t open;  // slices that are executions
    uint64_t since; // when the open interval began
    bool used;      // something was told of it
    ARRAY_OF(kpx_slice) stack;
    ARRAY_OF(kpx_lane_edge) needs;
    ARRAY_OF(kpx_lane_value) values;
} kpx_lane;

typedef struct {
    kpx_activities *m;
    ARRAY_OF(kpx_lane) list;
    uint64_t unbegun; // ends of slices that never began
} kpx_lanes;

// A name of a file for people: without control characters, and valid UTF-8. malloc'ed.
char *kpx_import_name(const char *text);

uint32_t kpx_lane_add(kpx_lanes *l, const char *place);
kpx_slice *kpx_lane_top(kpx_lanes *l, uint32_t lane); // NULL: it is in nothing
void kpx_lane_enter(kpx_lanes *l, uint32_t lane, uint64_t time, kpx_slice slice);
// Ends the innermost slice of that key. Slices within it that have not ended stay.
void kpx_lane_leave(kpx_lanes *l, uint32_t lane, uint64_t time, uint64_t key);
// Ends the open interval; the lane's last activity, or KPX_NONE. Others may need it.
uint32_t kpx_lane_mark(kpx_lanes *l, uint32_t lane, uint64_t time);
// Of the open interval, or of the next one if there is none. from: an activity, or KPX_NONE.
void kpx_lane_need(kpx_lanes *l, uint32_t lane, uint32_t from, trace_edge edge);
void kpx_lane_value_add(kpx_lanes *l, uint32_t lane, trace_key key, int64_t number);
// Ends all slices that are open, at that time, and frees the lanes. Returns how many were open.
uint64_t kpx_lanes_finish(kpx_lanes *l, uint64_t end);

#endif
