// SPDX-License-Identifier: MIT
//
// The functions of kinds.h, made from the table kinds.def.
#include "profiler/kinds.h"

#include <stddef.h>

typedef struct {
    const char *name;
    trace_role role;
} kind_row;

static const kind_row kinds[TRACE_KINDS] = {
    [TRACE_KIND_NONE] = {NULL, TRACE_ROLE_WORK},
#define KIND(id, name, role)                                                             \
    [TRACE_KIND_##id] = {name, TRACE_ROLE_##role},
#include "profiler/kinds.def"
};

static const char *const keys[TRACE_KEYS] = {
#define KEY(id, name) [TRACE_KEY_##id] = name,
#include "profiler/kinds.def"
};

static const char *const schedules[TRACE_SCHEDULES] = {
#define SCHEDULE(id, name) [TRACE_SCHEDULE_##id] = name,
#include "profiler/kinds.def"
};

static const struct {
    const char *name;
    trace_hand hand;
} edges[TRACE_EDGES] = {
#define EDGE(id, name, hand) [TRACE_EDGE_##id] = {name, TRACE_##hand},
#include "profiler/kinds.def"
};

static const kind_row *row_of(trace_kind kind)
{
    return &kinds[kind < TRACE_KINDS ? kind : TRACE_KIND_NONE];
}

const char *trace_kind_name(trace_kind kind)
{
    return row_of(kind)->name;
}

const char *trace_key_name(trace_key key)
{
    return keys[key < TRACE_KEYS ? key : TRACE_KEY_NONE];
}

const char *trace_schedule_name(trace_schedule schedule)
{
    return schedules[schedule < TRACE_SCHEDULES ? schedule : TRACE_SCHEDULE_NONE];
}

const char *trace_edge_name(trace_edge edge)
{
    return edges[edge < TRACE_EDGES ? edge : TRACE_EDGE_NONE].name;
}

static bool role_waits(trace_role role)
{
    return role >= TRACE_ROLE_BARRIER && role <= TRACE_ROLE_OTHERS;
}

bool trace_kind_waits(trace_kind kind)
{
    return role_waits(row_of(kind)->role);
}

trace_role trace_kind_role(trace_kind kind, bool waits)
{
    trace_role role = row_of(kind)->role;
    if (role != TRACE_ROLE_CALL && role_waits(role) == waits)
        return role;
    return waits ? TRACE_ROLE_OTHERS : TRACE_ROLE_WORK;
}

trace_hand trace_edge_hand(trace_edge edge)
{
    return edges[edge < TRACE_EDGES ? edge : TRACE_EDGE_NONE].hand;
}
