// SPDX-License-Identifier: MIT
//
// Kinds of constructs of measured programs, keys of their activities' arguments, schedules of loops, and
// edges between activities, as numbers; kinds.def is the table. Numbers in a file may be above those of
// the table: all functions take any number, and treat what they do not know as none.
#ifndef PROFILER_KINDS_H
#define PROFILER_KINDS_H

#include <stdbool.h>
#include <stdint.h>

// A kind, a key, a schedule or an edge in memory: 0 is none.
typedef uint8_t trace_number;

enum {
    TRACE_KIND_NONE,
#define KIND(id, name, role) TRACE_KIND_##id,
#include "profiler/kinds.def"
    TRACE_KINDS
};

enum {
    TRACE_KEY_NONE,
#define KEY(id, name) TRACE_KEY_##id,
#include "profiler/kinds.def"
    TRACE_KEYS
};

enum {
    TRACE_SCHEDULE_NONE,
#define SCHEDULE(id, name) TRACE_SCHEDULE_##id,
#include "profiler/kinds.def"
    TRACE_SCHEDULES
};

enum {
    TRACE_EDGE_NONE,
#define EDGE(id, name, hand) TRACE_EDGE_##id,
#include "profiler/kinds.def"
    TRACE_EDGES
};

typedef trace_number trace_kind, trace_key, trace_schedule, trace_edge;

typedef enum {
    TRACE_ROLE_BASE,    // runs, in nothing in particular: between the other constructs
    TRACE_ROLE_WORK,    // runs
    TRACE_ROLE_ALONE,   // runs while nobody else may
    TRACE_ROLE_BARRIER, // waits at a barrier of the text
    TRACE_ROLE_IMPLIED, // waits at a barrier implied by a construct
    TRACE_ROLE_TURN,    // waits until it is its turn
    TRACE_ROLE_OTHERS,  // waits for tasks
    TRACE_ROLE_CALL,    // runs or waits for others
} trace_role;

typedef enum {
    TRACE_NO_HAND,
    TRACE_MUTEX_HAND,
    TRACE_TASK_HAND,
    TRACE_MESSAGE_HAND,
    TRACE_COLLECTIVE_HAND,
} trace_hand;

// NULL: none, or one of a later writer.
const char *trace_kind_name(trace_kind kind);
const char *trace_key_name(trace_key key);
const char *trace_schedule_name(trace_schedule schedule);
const char *trace_edge_name(trace_edge edge);

// What an activity does in a construct of the kind; `waits` as its clause has it. The answer always
// agrees with that: TRACE_ROLE_CALL is never given, and a kind whose role is another one, or none, is
// TRACE_ROLE_WORK or TRACE_ROLE_OTHERS.
trace_role trace_kind_role(trace_kind kind, bool waits);
// Whether activities of the kind wait. Of a CALL: false.
bool trace_kind_waits(trace_kind kind);
trace_hand trace_edge_hand(trace_edge edge);

#endif
