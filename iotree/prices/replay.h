// SPDX-License-Identifier: MIT
//
// Replay of a measured run in real time: activities keep their place and the order at it, and begin
// and end when what they need allows.
//
//     start' = max(end' of the one before at the place, end' of its maker and of the sources of edges
//              that had ended before it began) + gap
//     end'   = start' + cost', of an activity that runs
//     end'   = max(start', end' of the sources of its edges, its meeting) + cost', of one that waits
//
// The gap, and the cost of a wait (what it takes once all is there), are the rest of what was
// measured. So without changes every activity ends when it ended, and the replay takes what the run
// took.
//
// A *meeting* is one execution of a barrier or of a collective call in which all wait for all:
// it is over when the last of its waits has begun. The trace tells who came last; under a change
// that may be somebody else.
//
// If threads are more than processors, the ones that compute share them (replay_shared.c). If other
// programs had its processors for a notable part of the run, the replay is the run without that
// (replay_busy.c), and its activities have other times than those that were measured.
//
// Two more waits follow from the trace: a thread that waits until it gets a task waits for what
// created the task; the root of a reduction or a gather waits for all ranks.
#ifndef IOTREE_PRICES_REPLAY_H
#define IOTREE_PRICES_REPLAY_H

#include "iotree/graph/model.h"

typedef struct replay {
    const trace *t;
    uint32_t n;          // activities (reductions of the trace), the beginning included
    uint32_t *by_place;  // all but the beginning, by place, in order of real time
    uint32_t *at_place;  // of place p: [at_place[p], at_place[p + 1])
    uint32_t nplaces;
    uint32_t *before;    // by activity: the one before at its place, or IOT_NONE
    uint32_t *makers;    // by activity: what created it
    uint64_t *first;     // edges to activity r: [first[r], first[r + 1])
    uint32_t *sources;   // by edge: activity
    uint8_t *waits;      // by activity
    int64_t *gaps, *costs;
    uint32_t *meetings;  // by activity: its meeting, or IOT_NONE
    uint32_t nmeetings;
    uint32_t *first_member; // of meeting m: members[first_member[m]] ...
    uint32_t *members;      // waits
    uint32_t *order;     // in which they are computed: activities, and n + meeting
    uint32_t norder;
    int64_t elapsed;
    uint32_t processors; // that the run might use; 0: not known
    bool shares;         // more activities than processors computed at the same time; then costs are
                         // what they take alone, and whoever computes shares the processors
    bool *computes;      // by activity; told only if places are more than processors
    bool disturbed;      // others had its processors for a notable time; all that follows is without that
    int64_t *starts, *ends; // by activity, as replayed; NULL: as measured
} replay;

// When the activity began and ended; of a disturbed run with its processors.
static inline int64_t replay_start(const replay *r, uint32_t activity)
{
    return r->starts ? r->starts[activity] : trace_start(r->t, activity);
}

static inline int64_t replay_end(const replay *r, uint32_t activity)
{
    return r->ends ? r->ends[activity] : trace_end(r->t, activity);
}

// Is the activity a task, or a chunk of a loop that the next free thread got? Of gcc's loops no schedule
// may be known; those that are not handed out have one activity.
bool iot_is_handed_out(const replay *r, uint32_t activity);

// Owned by the analysis, made when it is first asked for. Of a measured run only. NULL: cancelled.
const replay *iot_replay(const iot *a, iot_progress progress, void *data);

void iot_replay_free(replay *r);

// A change of the run; members that are NULL change nothing. Bits and numbers by activity.
typedef struct {
    const uint8_t *free;   // bits: it needs no sources of edges and no meeting
    const int64_t *costs;  // in place of the replay's costs, all of them
    const int64_t *gaps;   // in place of the replay's gaps
    const uint32_t *sources; // by edge, in place of the replay's; IOT_NONE: left out
} replay_change;

// What the run takes under a change. ret_ends (may be NULL): by activity.
int64_t iot_elapsed_under(const replay *r, const replay_change *change, int64_t *ret_ends);

// A description of changes: `change` fills in one of them, starting from what the run was.
typedef struct {
    uint8_t *free;
    int64_t *costs, *gaps;
    uint32_t *sources;
} replay_edit;
typedef void replay_editor(const void *data, uint32_t number, const replay *r, replay_edit *edit);
// The same of many, one pass each, in the memory of one. False: cancelled.
bool iot_elapsed_under_each(const replay *r, replay_editor *edit, const void *edit_data, uint32_t n,
                            int64_t *ret_elapsed, iot_progress progress, void *data);

// ---- Wait states --------------------------------------------------------------------------------

typedef enum {
#define WAIT_STATE(id, name, text) WAIT_##id,
#include "iotree/prices/wait_states.def"
    WAIT_STATES
} wait_state;

const char *iot_wait_state_name(wait_state state);
// WAIT_STATES: it waits for nobody that is known.
wait_state iot_wait_state_of(const iot *a, const replay *r, uint32_t activity);

// A class of waits: a wait state at a line, "barrier@heat.c:20". Most time first.
typedef struct {
    wait_state state;
    uint32_t source, line; // of the construct where it is waited; TRACE_NONE and 0 if unknown
    uint32_t waits;
    int64_t time;          // waited
    int64_t elapsed_without;
} wait_class;
// malloc'ed, *ret_n of them. NULL: cancelled.
wait_class *iot_wait_classes(const iot *a, uint32_t most, uint32_t *ret_n, iot_progress progress,
                             void *data);
char *iot_wait_class_text(const iot *a, const wait_class *c); // malloc'ed
bool iot_is_wait_class(const char *text); // by its looks
// Sets the bits of the activities that wait so: "STATE", "STATE@FILE:LINE" or "@FILE:LINE". False
// and *ret_error (malloc'ed) if there is no such state or no such wait.
bool iot_free_class(const iot *a, const replay *r, const char *text, uint8_t *bits,
                    char **ret_error);

#endif
