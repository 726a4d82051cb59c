// SPDX-License-Identifier: MIT
//
// Calls of MPI. One that waits - for a message, for requests, for the others of a collective - is a
// wait until the last of what it needs is there, and the library's work from then on; any other is
// work. A message leads from what its sender did before to the end of that wait.
#include "kpx-bridge/converter.h"

#include <stdlib.h>

typedef enum { RUNS, RECEIVES, COLLECTIVE } call_kind;

static const struct {
    const char *name;
    call_kind kind;
} routines[] = {
#define ROUTINE(name, kind) {"MPI_" #name, kind},
#include "kpx-bridge/mpi_routines.def"
};

enum { ROUTINES = sizeof routines / sizeof *routines };

static void begin_call(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags >= ROUTINES)
        return;
    const char *name = routines[e->flags].name;
    bool waits = routines[e->flags].kind != RUNS;
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

static void receive(kpx_converter *c, kpx_thread_state *t)
{
    uint32_t index = kpx_map_get(&c->messages->send_of, c->event);
    if (index != KPX_NOT_THERE)
        kpx_needs(t, kpx_map_get(&c->sent_by, c->messages->sends.at[index]), "message");
}

static void received(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    add_value(t, "from", (int32_t)(e->a >> 32));
    add_value(t, "tag", (int32_t)e->a);
    add_value(t, "bytes", (int64_t)e->b);
    receive(c, t);
}

static uint64_t collective_key(const kpx_converter *c, const kpx_thread_state *t,
                               uint32_t communicator, uint64_t number)
{
    const kpx_communicators *known = &c->communicators[t->process];
    uint64_t identity =
        communicator < known->identities.n ? known->identities.at[communicator] : 0;
    return (identity + 1) * 0x9e3779b97f4a7c15u + number;
}

// Who comes later overwrites who came before: at the end of the call the last one stands there.
static void come_to_collective(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    uint64_t key = collective_key(c, t, e->value, e->a);
    if (!f || f->begun_by != KPX_MPI_BEGIN)
        return;
    f->first = (int64_t)key; // for the end of the call
    f->iterations = 1;
    if (e->b > 0)
        add_value(t, "bytes", (int64_t)e->b);
    if (t->last != KPX_NONE)
        kpx_map_set(&c->collected_by, key, t->last);
}

static void end_call(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
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
    case KPX_MPI_COMPLETED:
        receive(c, t);
        break;
    case KPX_MPI_COLLECTIVE:
        come_to_collective(c, t, e);
        break;
    default:
        break;
    }
}
