// SPDX-License-Identifier: MIT
//
// Calls of MPI. One that waits - for a message, for requests, for the others of a collective - is a
// wait until the last of what it needs is there, and the library's work from then on; any other is
// work. A message leads from what its sender did before to the end of that wait, a collective from
// what was done before by the last of those whom it waits for.
#include "kpx-bridge/converter.h"

#include <stdlib.h>

typedef enum { RUNS, WAITS, ASKS } call_kind;
typedef enum { NONE, ALL, FROM_ROOT, TO_ROOT } call_flow;

static const struct {
    const char *name;
    call_kind kind;
    call_flow flow;
} routines[] = {
#define ROUTINE(name, kind, flow) {"MPI_" #name, kind, flow},
#include "kpx-bridge/mpi_routines.def"
};

enum {
#define ROUTINE(name, kind, flow) ROUTINE_##name,
#include "kpx-bridge/mpi_routines.def"
    ROUTINES
};

bool kpx_is_abort(const kpx_event *e)
{
    return e->kind == KPX_MPI_BEGIN && e->flags == ROUTINE_Abort;
}

// Of a thread that is no part of OpenMP nothing is known before its first call. The stretch of no
// length is what its first messages lead from.
static void begin_computation(kpx_converter *c, kpx_thread_state *t)
{
    uint32_t construct =
        kpx_add_construct(c->m, "computation", "computation", false, KPX_NONE, 0);
    kpx_push(c, t, (kpx_frame){construct, KPX_THREAD_BEGIN, 0, TRACE_FIGURES, .waits = false});
    if (t->last == KPX_NONE && !c->paused.at[t->process])
        t->last = t->maker = kpx_add_activity(c->m, construct, t->place, KPX_NONE, c->now, c->now);
}

static void begin_call(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags >= ROUTINES)
        return;
    const char *name = routines[e->flags].name;
    bool waits = routines[e->flags].kind == WAITS;
    if (t->stack.n == 0)
        begin_computation(c, t);
    if (routines[e->flags].kind == ASKS)
        return;
    kpx_push(c, t, (kpx_frame){kpx_construct_at(c, t, name, name, waits, e->b), KPX_MPI_BEGIN,
                               e->flags, TRACE_FIGURES, .waits = waits});
}

static void add_value(kpx_thread_state *t, const char *name, int64_t number)
{
    KPX_PUSH(t->values, ((kpx_note_value){name, number}));
}

// The stretch before the call is what the message carries the results of.
static void send(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    add_value(t, "to", (int32_t)(e->a >> 32));
    add_value(t, "tag", (int32_t)e->a);
    add_value(t, "bytes", (int64_t)e->b);
    if (t->last != KPX_NONE)
        kpx_map_set(&c->sent_by, c->event, t->last);
}

// The thread has just got something. A test or a probe may not be written down as a call: what the
// thread does after it needs what it got.
static void receive(kpx_converter *c, kpx_thread_state *t)
{
    uint32_t index = kpx_map_get(&c->messages->send_of, c->event);
    if (index == KPX_NOT_THERE)
        return;
    if (!kpx_top(t) || kpx_top(t)->begun_by != KPX_MPI_BEGIN)
        kpx_close(c, t);
    kpx_needs(t, kpx_map_get(&c->sent_by, c->messages->sends.at[index]), "message");
}

static void received(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    add_value(t, "from", (int32_t)(e->a >> 32));
    add_value(t, "tag", (int32_t)e->a);
    add_value(t, "bytes", (int64_t)e->b);
    receive(c, t);
}

// ---- Collectives ----------------------------------------------------------------------------

static uint64_t collective_key(const kpx_converter *c, const kpx_thread_state *t,
                               uint32_t communicator, uint64_t number)
{
    const kpx_communicators *known = &c->communicators[t->process];
    uint64_t identity =
        communicator < known->identities.n ? known->identities.at[communicator] : 0;
    return (identity + 1) * 0x9e3779b97f4a7c15u + number;
}

static bool is_root(const kpx_converter *c, const kpx_thread_state *t, uint32_t communicator,
                    uint64_t root)
{
    const kpx_communicators *known = &c->communicators[t->process];
    return communicator < known->ranks.n && (uint64_t)known->ranks.at[communicator] + 1 == root;
}

// Who comes later overwrites who came before: at the end of the call the last one stands there.
static void come_to_collective(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    if (!f || f->begun_by != KPX_MPI_BEGIN || e->flags >= ROUTINES)
        return;
    uint64_t key = collective_key(c, t, e->value, (uint32_t)e->a);
    bool root = is_root(c, t, e->value, e->a >> 32);
    call_flow flow = routines[e->flags].flow;
    bool gives = flow == ALL || flow == TO_ROOT || (flow == FROM_ROOT && root);
    bool takes = flow == ALL || (flow == TO_ROOT && root) || (flow == FROM_ROOT && !root);
    if (flow == FROM_ROOT && root && f->waits) { // it waits for nobody
        f->construct = kpx_add_sibling(c->m, f->construct, routines[e->flags].name, false);
        f->waits = false;
    }
    f->first = (int64_t)key; // for the end of the call
    f->iterations = takes;
    if (e->b > 0)
        add_value(t, "bytes", (int64_t)e->b);
    if (gives && t->last != KPX_NONE)
        kpx_map_set(&c->collected_by, key, t->last);
}

// The request of a collective, from which the thread that completes it learns which one it is.
static uint64_t request_key(const kpx_thread_state *t, uint64_t request)
{
    return kpx_own(t, request) * 0x9e3779b97f4a7c15u;
}

static void completes_with(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    if (!f || f->begun_by != KPX_MPI_BEGIN || f->iterations != 1)
        return;
    f->iterations = 0; // the call itself does not wait
    KPX_PUSH(c->pending, (uint64_t)f->first);
    kpx_map_set(&c->pending_of, request_key(t, e->a), c->pending.n);
}

static void complete(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    receive(c, t);
    uint64_t key = request_key(t, e->a);
    uint32_t pending = kpx_map_get(&c->pending_of, key);
    if (pending == KPX_NOT_THERE || pending == 0)
        return;
    kpx_map_set(&c->pending_of, key, 0); // another one may get the name
    kpx_needs(t, kpx_map_get(&c->collected_by, c->pending.at[pending - 1]), "collective");
}

// ---- Calls ----------------------------------------------------------------------------------

static void end_call(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags >= ROUTINES || routines[e->flags].kind == ASKS)
        return;
    const kpx_frame *f = kpx_find_frame(t, KPX_MPI_BEGIN, e->flags);
    if (f && f->iterations == 1)
        kpx_needs(t, kpx_map_get(&c->collected_by, (uint64_t)f->first), "collective");
    kpx_pop(c, t, KPX_MPI_BEGIN, e->flags);
}

void kpx_take_mpi(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    switch ((kpx_kind)e->kind) {
    case KPX_MPI_BEGIN:
        begin_call(c, t, e);
        break;
    case KPX_MPI_END:
        end_call(c, t, e);
        break;
    case KPX_MPI_SEND:
        send(c, t, e);
        break;
    case KPX_MPI_RECV:
        received(c, t, e);
        break;
    case KPX_MPI_REQUEST:
        completes_with(c, t, e);
        break;
    case KPX_MPI_COMPLETED:
        complete(c, t, e);
        break;
    case KPX_MPI_COLLECTIVE:
        come_to_collective(c, t, e);
        break;
    default:
        break;
    }
}
