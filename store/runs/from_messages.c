// SPDX-License-Identifier: MIT
//
// Who sent how much to whom, by the values of activities: of a measured run whose totals do not
// tell it.
#include "store/runs/from_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"

typedef struct {
    store_run *r;
    const trace *t;
    const uint32_t *places;
    base_map place_of; // a rank: the first place of it
    base_map found;    // sender and receiver: place among the run's messages
} counting;

// The number of "rank 3" or "rank 3 thread 1", or -1.
static int64_t rank_of(const trace *t, uint32_t place)
{
    const char *name = trace_place_name(t, place);
    int number;
    return name && sscanf(name, "rank %d", &number) == 1 && number >= 0 ? number : -1;
}

static int64_t sum_of(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void count(counting *c, uint32_t place, int64_t to, int64_t bytes)
{
    int64_t own = rank_of(c->t, place);
    uint64_t from = own < 0 ? MAP_ABSENT : map_get(&c->place_of, (uint64_t)own);
    uint64_t receiver = map_get(&c->place_of, (uint64_t)to);
    if (from == MAP_ABSENT || receiver == MAP_ABSENT)
        return;
    uint64_t key = from << 32 | receiver, at = map_get(&c->found, key);
    if (at == MAP_ABSENT) {
        at = c->r->messages.n;
        map_set(&c->found, key, at);
        ARRAY_PUSH(c->r->messages, ((store_message){(uint32_t)from, (uint32_t)receiver, 0, 0}));
    }
    store_message *m = &c->r->messages.at[at];
    m->messages++;
    m->bytes = sum_of(m->bytes, bytes < 0 ? 0 : bytes);
}

// Arguments to(R) and bytes(B) of each message, one after the other.
static void take(counting *c, uint32_t reduction)
{
    uint32_t goal = trace_reduction_goal(c->t, reduction), string;
    uint32_t arity = trace_get_predicate(c->t, trace_goal_predicate(c->t, goal))->arity;
    if (arity < 2)
        return;
    trace_value *args = base_allocate(arity, sizeof *args), v;
    int64_t to = -1;
    trace_goal_args(c->t, goal, args);
    for (uint32_t i = 0; i < arity; i++) {
        if (args[i].kind != TV_CELL || !trace_cell_pair(c->t, args[i].id, &string, &v) ||
            v.kind != TV_INT)
            continue;
        trace_key key = trace_string_key(c->t, string);
        if (key == TRACE_KEY_TO)
            to = v.i;
        if (key != TRACE_KEY_BYTES || to < 0)
            continue;
        count(c, trace_place(c->t, reduction), to, v.i);
        to = -1;
    }
    free(args);
}

void store_run_count_messages(store_run *r, const trace *t, const uint32_t *places)
{
    counting c = {.r = r, .t = t, .places = places};
    for (uint32_t i = trace_nplaces(t); i > 0; i--)
        if (rank_of(t, i - 1) >= 0)
            map_set(&c.place_of, (uint64_t)rank_of(t, i - 1), places[i - 1]);
    for (uint32_t i = 1; c.place_of.n > 0 && i < trace_nreductions(t); i++)
        if (trace_reduction_goal(t, i) != TRACE_NONE && trace_place(t, i) < trace_nplaces(t))
            take(&c, i);
    map_free(&c.place_of);
    map_free(&c.found);
}
