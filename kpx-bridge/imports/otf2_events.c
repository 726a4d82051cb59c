// SPDX-License-Identifier: MIT
//
// The events of an archive, in order of time, to lanes. What a location needs of another one is
// told by messages, collectives, forks and joins, barriers of teams, locks, tasks and threads.
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kpx-bridge/imports/otf2.h"

enum {
    BASE_KEY = 1,
    TEAM_KEY,
    REGIONS = 16
}; // keys of slices; those of regions begin with REGIONS

static uint64_t pair(uint64_t a, uint64_t b)
{
    return hash_word(hash_word(0, a), b);
}

static uint64_t triple(uint64_t a, uint64_t b, uint64_t c)
{
    return hash_word(pair(a, b), c);
}

// ---- The first reading ------------------------------------------------------------------------

static bool is_of_self(const kpx_otf2 *x, OTF2_CommRef communicator)
{
    uint64_t c = map_get(&x->communicator_of, communicator);
    uint64_t g = c == MAP_ABSENT ? MAP_ABSENT : map_get(&x->group_of, x->communicators.at[c].group);
    return g != MAP_ABSENT && x->groups.at[g].type == OTF2_GROUP_TYPE_COMM_SELF;
}

static OTF2_CallbackCode find_collective(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                         OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                         OTF2_CommRef communicator, uint32_t root, uint64_t sent,
                                         uint64_t received)
{
    kpx_otf2 *x = data;
    uint64_t place = map_get(&x->location_of, location);
    (void)time;
    (void)attributes;
    (void)op;
    (void)root;
    (void)sent;
    (void)received;
    if (place == MAP_ABSENT)
        return kpx_otf2_fail(x, "events of location %" PRIu64 ", which is not defined", location);
    uint64_t joins = pair(communicator, location), before = map_get(&x->joined, joins);
    uint64_t number = before == MAP_ABSENT ? 0 : before;
    map_set(&x->joined, joins, number + 1);
    uint64_t key = triple(communicator, number, is_of_self(x, communicator) ? location : 0);
    uint64_t found = map_get(&x->collective_of, key);
    if (found == MAP_ABSENT) {
        found = x->collectives.n;
        map_set(&x->collective_of, key, found);
        STORE_PUSH(x->collectives, ((kpx_otf2_collective){KPX_NONE, KPX_NONE, KPX_NONE}));
    }
    STORE_PUSH(x->locations.at[place].instances, (uint32_t)found);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_GlobalEvtReaderCallbacks *kpx_otf2_collective_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(c, find_collective);
    return c;
}

// ---- Time and place of an event ---------------------------------------------------------------

// An event's location, its place in the list, and its time in nanoseconds.
typedef struct {
    kpx_otf2 *x;
    kpx_otf2_location *l;
    uint32_t index, lane;
    uint64_t time;
} at;

static bool begin(at *e, void *data, OTF2_LocationRef location, OTF2_TimeStamp ticks)
{
    kpx_otf2 *x = data;
    uint64_t place = map_get(&x->location_of, location);
    if (place == MAP_ABSENT) {
        kpx_otf2_fail(x, "events of location %" PRIu64 ", which is not defined", location);
        return false;
    }
    kpx_otf2_location *l = &x->locations.at[place];
    uint64_t since = ticks > x->offset ? ticks - x->offset : 0;
    __uint128_t time = (__uint128_t)since * 1000000000u / x->resolution;
    if (time > INT64_MAX / 2) {
        kpx_otf2_fail(x,
                      "location %" PRIu64 ": an event at tick %" PRIu64
                      ", more than a century after the first",
                      location, ticks);
        return false;
    }
    if (l->lane == KPX_NONE) {
        kpx_otf2_fail(x, "location %" PRIu64 " has events, and is defined as one of metrics",
                      location);
        return false;
    }
    *e = (at){x, l, (uint32_t)place, l->lane, (uint64_t)time};
    x->taken++;
    kpx_store_at(x->taken);
    l->last = e->time > l->last ? e->time : l->last;
    x->end = l->last > x->end ? l->last : x->end;
    if (x->all > 0 && x->taken % 65536 == 0)
        kpx_tell_progress(x->m, 0.5 * (double)x->taken / (double)x->all);
    return true;
}

// The construct of what has no region of its own.
static uint32_t plain(const kpx_otf2 *x, trace_kind kind, const char *module)
{
    return kpx_add_construct(x->m, module, kind, kpx_doing_of(kind), KPX_NONE, 0);
}

// What a location does is known from its first event on; a thread of a team has no more than its
// team.
static void be_based(at *e, bool of_team)
{
    if (!e->l->begun && !of_team) {
        kpx_lane_enter(&e->x->lanes, e->lane, e->time,
                       (kpx_slice){.construct = plain(e->x, TRACE_KIND_COMPUTATION, "computation"),
                                   .waiting = KPX_NONE,
                                   .key = BASE_KEY});
        e->l->based = true;
    }
    e->l->begun = true;
}

#define BEGIN(of_team)                                                                             \
    at e;                                                                                          \
    (void)attributes;                                                                              \
    if (!begin(&e, data, location, time))                                                          \
        return OTF2_CALLBACK_INTERRUPT;                                                            \
    be_based(&e, of_team)

static uint32_t mark(at *e)
{
    return kpx_lane_mark(&e->x->lanes, e->lane, e->time);
}

static void need(at *e, uint32_t from, trace_edge edge)
{
    kpx_lane_need(&e->x->lanes, e->lane, from, edge);
}

// The result that the location has when it begins a call: of what it did before.
static uint32_t before_call(at *e)
{
    uint32_t last = e->x->lanes.list.at[e->lane].last;
    return last == KPX_NONE ? mark(e) : last;
}

static uint32_t later(const kpx_otf2 *x, uint32_t a, uint32_t b)
{
    if (a == KPX_NONE || b == KPX_NONE)
        return a == KPX_NONE ? b : a;
    return kpx_activity_end(x->m, a) > kpx_activity_end(x->m, b) ? a : b;
}

static void need_of(at *e, const base_map *map, uint64_t key, trace_edge edge)
{
    uint64_t from = map_get(map, key);
    if (from != MAP_ABSENT)
        need(e, (uint32_t)from, edge);
}

static void value(at *e, trace_key key, uint64_t number)
{
    kpx_lane_value_add(&e->x->lanes, e->lane, key,
                       number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

// ---- Regions ----------------------------------------------------------------------------------

static uint64_t barrier_key(const at *e)
{
    return triple(7, e->l->team, e->l->barriers);
}

static OTF2_CallbackCode enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    BEGIN(false);
    const kpx_otf2_region *r = kpx_otf2_region_of(e.x, region);
    if (!r)
        return kpx_otf2_fail(
            e.x, "location %" PRIu64 ", tick %" PRIu64 ": region %" PRIu32 " is not defined",
            location, time, region);
    trace_kind kind = kpx_construct_kind(e.x->m, r->construct);
    kpx_lane_enter(&e.x->lanes, e.lane, e.time,
                   (kpx_slice){.construct = r->construct,
                               .waiting = r->waiting,
                               .key = REGIONS + (uint64_t)region,
                               .execution = kind == TRACE_KIND_ROUTINE ||
                                            kind == TRACE_KIND_DO_LOOP || kind == TRACE_KIND_IO});
    if ((r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER) &&
        e.l->team != KPX_NONE) {
        uint64_t before = map_get(&e.x->barrier_of, barrier_key(&e));
        uint32_t last =
            later(e.x, before == MAP_ABSENT ? KPX_NONE : (uint32_t)before, before_call(&e));
        if (last != KPX_NONE)
            map_set(&e.x->barrier_of, barrier_key(&e), last);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    BEGIN(false);
    const kpx_otf2_region *r = kpx_otf2_region_of(e.x, region);
    if (!r)
        return kpx_otf2_fail(
            e.x, "location %" PRIu64 ", tick %" PRIu64 ": region %" PRIu32 " is not defined",
            location, time, region);
    bool barrier =
        r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    if (barrier && e.l->team != KPX_NONE) {
        uint64_t last = map_get(&e.x->barrier_of, barrier_key(&e));
        if (last != MAP_ABSENT && last != e.x->lanes.list.at[e.lane].last)
            need(&e, (uint32_t)last, TRACE_EDGE_BARRIER);
        e.l->barriers++;
    }
    if (r->role == OTF2_REGION_ROLE_TASK_WAIT) {
        need(&e, e.l->done, TRACE_EDGE_TASK);
        e.l->done = KPX_NONE;
    }
    kpx_lane_leave(&e.x->lanes, e.lane, e.time, REGIONS + (uint64_t)region);
    return OTF2_CALLBACK_SUCCESS;
}

// ---- Messages ---------------------------------------------------------------------------------

static kpx_otf2_channel *channel_of(kpx_otf2 *x, OTF2_CommRef communicator, uint32_t from,
                                    uint32_t to, uint32_t tag)
{
    uint64_t key = triple(pair(communicator, from), to, tag), found = map_get(&x->channel_of, key);
    if (found == MAP_ABSENT) {
        found = x->channels.n;
        map_set(&x->channel_of, key, found);
        ARRAY_PUSH(x->channels, ((kpx_otf2_channel){KPX_NONE, KPX_NONE, 0}));
    }
    return &x->channels.at[found];
}

static void put_message(kpx_otf2 *x, kpx_otf2_channel *c, uint32_t activity)
{
    uint32_t place = x->unused_message;
    if (place == KPX_NONE) {
        place = (uint32_t)x->messages.n;
        STORE_PUSH(x->messages, ((kpx_otf2_message){activity, KPX_NONE}));
    } else {
        x->unused_message = x->messages.at[place].next;
        x->messages.at[place] = (kpx_otf2_message){activity, KPX_NONE};
    }
    if (c->first == KPX_NONE)
        c->first = place;
    else
        x->messages.at[c->last].next = place;
    c->last = place;
}

static void send_message(at *e, uint32_t receiver, OTF2_CommRef communicator, uint32_t tag,
                         uint64_t bytes)
{
    uint32_t own = kpx_otf2_rank_in(e->x, communicator, e->l->id);
    uint32_t to = kpx_otf2_global_rank(e->x, communicator, receiver);
    kpx_otf2_channel *c = channel_of(e->x, communicator, own, receiver, tag);
    uint32_t activity = before_call(e);
    value(e, TRACE_KEY_TO, to == KPX_NONE ? receiver : to);
    value(e, TRACE_KEY_TAG, tag);
    value(e, TRACE_KEY_BYTES, bytes);
    if (c->owed > 0)
        c->owed--;
    else if (activity != KPX_NONE)
        put_message(e->x, c, activity);
}

static void receive_message(at *e, uint32_t sender, OTF2_CommRef communicator, uint32_t tag,
                            uint64_t bytes)
{
    uint32_t own = kpx_otf2_rank_in(e->x, communicator, e->l->id);
    uint32_t from = kpx_otf2_global_rank(e->x, communicator, sender);
    kpx_otf2_channel *c = channel_of(e->x, communicator, sender, own, tag);
    value(e, TRACE_KEY_FROM, from == KPX_NONE ? sender : from);
    value(e, TRACE_KEY_TAG, tag);
    value(e, TRACE_KEY_BYTES, bytes);
    if (c->first == KPX_NONE) {
        c->owed++;
        e->x->unmatched++;
        return;
    }
    uint32_t place = c->first;
    kpx_otf2_message *m = &e->x->messages.at[place];
    need(e, m->activity, TRACE_EDGE_MESSAGE);
    c->first = m->next;
    m->next = e->x->unused_message;
    e->x->unused_message = place;
}

static OTF2_CallbackCode sends(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, uint32_t receiver,
                               OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
    BEGIN(false);
    send_message(&e, receiver, communicator, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode starts_send(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, uint32_t receiver,
                                     OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
                                     uint64_t request)
{
    BEGIN(false);
    (void)request;
    send_message(&e, receiver, communicator, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode receives(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
    BEGIN(false);
    receive_message(&e, sender, communicator, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ends_receive(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                      OTF2_AttributeList *attributes, uint32_t sender,
                                      OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
                                      uint64_t request)
{
    BEGIN(false);
    (void)request;
    receive_message(&e, sender, communicator, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

// ---- Collectives ------------------------------------------------------------------------------

// The next collective of the location, or NULL: it is in none that ends.
static kpx_otf2_collective *collective_of(at *e)
{
    kpx_otf2_location *l = e->l;
    return l->collectives < l->instances.n ? &e->x->collectives.at[l->instances.at[l->collectives]]
                                           : NULL;
}

static OTF2_CallbackCode comes(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes)
{
    BEGIN(false);
    kpx_otf2_collective *c = collective_of(&e);
    uint32_t activity = before_call(&e);
    e.l->in_collective = true;
    if (!c || activity == KPX_NONE)
        return OTF2_CALLBACK_SUCCESS;
    STORE_PUSH(e.x->arrivals, ((kpx_otf2_arrival){e.index, activity, c->older}));
    c->older = (uint32_t)e.x->arrivals.n - 1;
    c->last = later(e.x, activity, c->last);
    return OTF2_CALLBACK_SUCCESS;
}

// The activity before the location of that rank, or one of a lower rank, came; KPX_NONE: none has
// come.
static uint32_t came(const at *e, const kpx_otf2_collective *c, OTF2_CommRef communicator,
                     uint32_t rank, bool lower)
{
    uint32_t found = KPX_NONE;
    for (uint32_t i = c->older; i != KPX_NONE; i = e->x->arrivals.at[i].older) {
        const kpx_otf2_arrival *a = &e->x->arrivals.at[i];
        uint32_t of = kpx_otf2_rank_in(e->x, communicator, e->x->locations.at[a->rank].id);
        if (of != KPX_NONE && (lower ? of < rank : of == rank))
            found = later(e->x, a->activity, found);
    }
    return found;
}

static OTF2_CallbackCode leaves_collective(OTF2_LocationRef location, OTF2_TimeStamp time,
                                           void *data, OTF2_AttributeList *attributes,
                                           OTF2_CollectiveOp op, OTF2_CommRef communicator,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN(false);
    kpx_otf2_collective *c = collective_of(&e);
    uint32_t own = kpx_otf2_rank_in(e.x, communicator, location), from = KPX_NONE;
    e.l->collectives++;
    if (!c || !e.l->in_collective)
        return OTF2_CALLBACK_SUCCESS;
    e.l->in_collective = false;
    switch (op) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        from = own == root ? KPX_NONE : came(&e, c, communicator, root, false);
        break;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        from = own == root ? c->last : KPX_NONE;
        break;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        from = own == KPX_NONE ? KPX_NONE : came(&e, c, communicator, own, true);
        break;
    default:
        from = c->last;
    }
    if (from != e.x->lanes.list.at[e.lane].last)
        need(&e, from, TRACE_EDGE_COLLECTIVE);
    if (sent || received)
        value(&e, TRACE_KEY_BYTES, sent > received ? sent : received);
    return OTF2_CALLBACK_SUCCESS;
}

// ---- Teams ------------------------------------------------------------------------------------

static void fork_team(at *e)
{
    kpx_otf2_process *p = &e->x->processes.at[e->l->process];
    const kpx_slice *top = kpx_lane_top(&e->x->lanes, e->lane);
    bool region = top && kpx_construct_kind(e->x->m, top->construct) == TRACE_KIND_REGION;
    p->construct = region ? top->construct : plain(e->x, TRACE_KIND_REGION, "parallel");
    p->fork = mark(e);
    p->forks++;
    p->left.n = 0;
}

static void join_team(at *e)
{
    kpx_otf2_process *p = &e->x->processes.at[e->l->process];
    for (size_t i = 0; i < p->left.n; i++)
        if (p->left.at[i] != e->x->lanes.list.at[e->lane].last)
            need(e, p->left.at[i], TRACE_EDGE_JOIN);
    p->left.n = 0;
    mark(e);
}

// What the lane does next was made by `from`, if that is later than what it did last.
static void made_by(at *e, uint32_t from)
{
    kpx_lane *lane = &e->x->lanes.list.at[e->lane];
    mark(e);
    if (from != KPX_NONE)
        lane->last = later(e->x, lane->last, from);
}

static OTF2_CallbackCode forks(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_Paradigm model,
                               uint32_t threads)
{
    BEGIN(false);
    (void)model;
    (void)threads;
    fork_team(&e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode forks_omp(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, uint32_t threads)
{
    BEGIN(false);
    (void)threads;
    fork_team(&e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode joins(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_Paradigm model)
{
    BEGIN(false);
    (void)model;
    join_team(&e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode joins_omp(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes)
{
    BEGIN(false);
    join_team(&e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode begins_team(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                     OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    BEGIN(true);
    kpx_otf2_process *p = &e.x->processes.at[e.l->process];
    uint64_t key = triple(team, e.l->process, p->forks), found = map_get(&e.x->team_of, key);
    if (found == MAP_ABSENT)
        map_set(&e.x->team_of, key, found = e.x->teams++);
    e.l->team = (uint32_t)found;
    e.l->barriers = 0;
    made_by(&e, p->fork);
    kpx_lane_enter(&e.x->lanes, e.lane, e.time,
                   (kpx_slice){.construct = p->forks ? p->construct
                                                     : plain(e.x, TRACE_KIND_REGION, "parallel"),
                               .waiting = KPX_NONE,
                               .key = TEAM_KEY});
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ends_team(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_CommRef team)
{
    BEGIN(true);
    kpx_otf2_process *p = &e.x->processes.at[e.l->process];
    (void)team;
    kpx_lane_leave(&e.x->lanes, e.lane, e.time, TEAM_KEY);
    uint32_t last = e.x->lanes.list.at[e.lane].last;
    if (last != KPX_NONE)
        ARRAY_PUSH(p->left, last);
    e.l->team = KPX_NONE;
    return OTF2_CALLBACK_SUCCESS;
}

// ---- Locks ------------------------------------------------------------------------------------

static void acquire(at *e, uint64_t lock)
{
    const kpx_slice *top = kpx_lane_top(&e->x->lanes, e->lane);
    bool critical = top && kpx_construct_kind(e->x->m, top->construct) == TRACE_KIND_CRITICAL;
    uint64_t from = map_get(&e->x->released, pair(e->l->process, lock));
    if (from == MAP_ABSENT || from == e->x->lanes.list.at[e->lane].last)
        return;
    need(e, (uint32_t)from, critical ? TRACE_EDGE_CRITICAL : TRACE_EDGE_LOCK);
    mark(e);
}

static void release(at *e, uint64_t lock)
{
    uint32_t last = mark(e);
    if (last != KPX_NONE)
        map_set(&e->x->released, pair(e->l->process, lock), last);
}

#define LOCK(name, does)                                                                           \
    static OTF2_CallbackCode name##_omp(OTF2_LocationRef location, OTF2_TimeStamp time,            \
                                        void *data, OTF2_AttributeList *attributes, uint32_t lock, \
                                        uint32_t order)                                            \
    {                                                                                              \
        BEGIN(false);                                                                              \
        (void)order;                                                                               \
        does(&e, lock);                                                                            \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }                                                                                              \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,      \
                                  OTF2_AttributeList *attributes, OTF2_Paradigm model,             \
                                  uint32_t lock, uint32_t order)                                   \
    {                                                                                              \
        BEGIN(false);                                                                              \
        (void)order;                                                                               \
        does(&e, (uint64_t)model << 32 | lock);                                                    \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
LOCK(acquires, acquire)
LOCK(releases, release)

// ---- Tasks ------------------------------------------------------------------------------------

static uint64_t task_key(OTF2_CommRef team, uint32_t thread, uint32_t generation, const at *e)
{
    return triple(pair(team, e->l->process), thread, generation);
}

static void create_task(at *e, uint64_t key)
{
    map_set(&e->x->task_of, key, e->x->tasks.n);
    ARRAY_PUSH(e->x->tasks, ((kpx_otf2_task){mark(e), e->index, false}));
}

static void switch_to_task(at *e, uint64_t key)
{
    uint64_t found = map_get(&e->x->task_of, key);
    mark(e);
    if (found == MAP_ABSENT || e->x->tasks.at[found].begun)
        return;
    e->x->tasks.at[found].begun = true;
    if (e->x->tasks.at[found].created != e->x->lanes.list.at[e->lane].last)
        need(e, e->x->tasks.at[found].created, TRACE_EDGE_TASK);
}

static void complete_task(at *e, uint64_t key)
{
    uint64_t found = map_get(&e->x->task_of, key);
    uint32_t last = mark(e);
    if (found == MAP_ABSENT)
        return;
    kpx_otf2_location *creator = &e->x->locations.at[e->x->tasks.at[found].by];
    creator->done = later(e->x, creator->done, last);
    map_remove(&e->x->task_of, key);
}

#define TASK(name, does)                                                                           \
    static OTF2_CallbackCode name##_omp(OTF2_LocationRef location, OTF2_TimeStamp time,            \
                                        void *data, OTF2_AttributeList *attributes, uint64_t task) \
    {                                                                                              \
        BEGIN(false);                                                                              \
        does(&e, task_key(0, (uint32_t)(task >> 32), (uint32_t)task, &e));                         \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }                                                                                              \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,      \
                                  OTF2_AttributeList *attributes, OTF2_CommRef team,               \
                                  uint32_t thread, uint32_t generation)                            \
    {                                                                                              \
        BEGIN(false);                                                                              \
        does(&e, task_key(team, thread, generation, &e));                                          \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
TASK(creates_task, create_task)
TASK(switches_task, switch_to_task)
TASK(completes_task, complete_task)

// ---- Threads of the program -------------------------------------------------------------------

static OTF2_CallbackCode creates(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                 OTF2_AttributeList *attributes, OTF2_CommRef threads,
                                 uint64_t number)
{
    BEGIN(false);
    uint32_t last = mark(&e);
    if (last != KPX_NONE)
        map_set(&e.x->created, pair(threads, number), last);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode begins(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                OTF2_AttributeList *attributes, OTF2_CommRef threads,
                                uint64_t number)
{
    BEGIN(true);
    uint64_t from = map_get(&e.x->created, pair(threads, number));
    made_by(&e, from == MAP_ABSENT ? KPX_NONE : (uint32_t)from);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode ends(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                              OTF2_AttributeList *attributes, OTF2_CommRef threads, uint64_t number)
{
    BEGIN(true);
    uint32_t last = mark(&e);
    if (last != KPX_NONE)
        map_set(&e.x->ended, pair(threads, number), last);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode awaits(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                OTF2_AttributeList *attributes, OTF2_CommRef threads,
                                uint64_t number)
{
    BEGIN(false);
    need_of(&e, &e.x->ended, pair(threads, number), TRACE_EDGE_JOIN);
    mark(&e);
    return OTF2_CALLBACK_SUCCESS;
}

// ---- All --------------------------------------------------------------------------------------

OTF2_GlobalEvtReaderCallbacks *kpx_otf2_event_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(c, enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(c, leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(c, sends);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(c, starts_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(c, receives);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(c, ends_receive);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, comes);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(c, leaves_collective);
    OTF2_GlobalEvtReaderCallbacks_SetOmpForkCallback(c, forks_omp);
    OTF2_GlobalEvtReaderCallbacks_SetOmpJoinCallback(c, joins_omp);
    OTF2_GlobalEvtReaderCallbacks_SetThreadForkCallback(c, forks);
    OTF2_GlobalEvtReaderCallbacks_SetThreadJoinCallback(c, joins);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTeamBeginCallback(c, begins_team);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTeamEndCallback(c, ends_team);
    OTF2_GlobalEvtReaderCallbacks_SetOmpAcquireLockCallback(c, acquires_omp);
    OTF2_GlobalEvtReaderCallbacks_SetOmpReleaseLockCallback(c, releases_omp);
    OTF2_GlobalEvtReaderCallbacks_SetThreadAcquireLockCallback(c, acquires);
    OTF2_GlobalEvtReaderCallbacks_SetThreadReleaseLockCallback(c, releases);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCreateCallback(c, creates_task_omp);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskSwitchCallback(c, switches_task_omp);
    OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCompleteCallback(c, completes_task_omp);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCreateCallback(c, creates_task);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskSwitchCallback(c, switches_task);
    OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCompleteCallback(c, completes_task);
    OTF2_GlobalEvtReaderCallbacks_SetThreadCreateCallback(c, creates);
    OTF2_GlobalEvtReaderCallbacks_SetThreadBeginCallback(c, begins);
    OTF2_GlobalEvtReaderCallbacks_SetThreadEndCallback(c, ends);
    OTF2_GlobalEvtReaderCallbacks_SetThreadWaitCallback(c, awaits);
    return c;
}

// A location's last slice ends with its last event.
void kpx_otf2_end_events(kpx_otf2 *x)
{
    for (uint32_t i = 0; i < x->locations.n; i++) {
        kpx_otf2_location *l = &x->locations.at[i];
        if (l->based)
            kpx_lane_leave(&x->lanes, l->lane, l->last, BASE_KEY);
    }
    x->unfinished = kpx_lanes_finish(&x->lanes, x->end);
}
