// SPDX-License-Identifier: MIT
//
// Calls of MPI. A call that waits (for a message, for requests, for the others of a collective) is
// a wait until the last thing that it needs is there, then the library's work. Any other call is
// work.
//
// Edges lead to the end of a wait: for a message, from the sender's activity before the send; for
// a collective, from the activity before the last rank came that it waits for. A send that is known
// to wait gets an edge from the receiver's activity before the receive was posted.
#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "kpx-bridge/timeline/converter.h"

typedef enum { RUNS, WAITS, ASKS } call_kind;
typedef enum { NONE, ALL, EXCHANGE, FROM_ROOT, TO_ROOT, TO_LATER, NEIGHBOURS } call_flow;

static const struct {
    const char *name;
    call_kind kind;
    call_flow flow;
    trace_kind construct;
} routines[] = {
#define ROUTINE(name, kind, flow, construct) {"MPI_" #name, kind, flow, TRACE_KIND_MPI_##construct},
#include "kpx-bridge/log/mpi_routines.def"
};

enum {
#define ROUTINE(name, ...) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
    ROUTINES
};

bool kpx_is_abort(const kpx_event *e)
{
    return e->kind == KPX_MPI_BEGIN && e->flags == ROUTINE_Abort;
}

static kpx_doing doing_of(unsigned routine, bool waits)
{
    return (kpx_doing){routines[routine].construct, routines[routine].name, waits};
}

// Nothing is known about a thread outside of OpenMP before its first call. An empty activity is the
// source of its first messages.
static void begin_computation(kpx_converter *c, kpx_thread_state *t)
{
    kpx_doing doing = kpx_doing_of(TRACE_KIND_COMPUTATION);
    uint32_t construct = kpx_add_construct(c->m, doing.name, doing.kind, doing, KPX_NONE, 0);
    kpx_push(c, t, (kpx_frame){construct, KPX_THREAD_BEGIN, 0, TRACE_FIGURES, .waits = false});
    if (t->last == KPX_NONE && !c->paused.at[t->process])
        t->last = t->maker = kpx_add_activity(c->m, construct, t->place, KPX_NONE, c->now, c->now);
}

// ---- What events lead to ------------------------------------------------------------------------

static int by_event(const void *a, const void *b)
{
    const kpx_noted *x = a, *y = b;
    return x->event < y->event ? -1 : x->event > y->event;
}

// The events that these lead to, each once.
static kpx_notes notes_of(const kpx_event_map *pairs)
{
    kpx_notes notes = {0};
    size_t kept = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        kpx_store_at(i);
        STORE_PUSH(notes, ((kpx_noted){pairs->at[i].to, KPX_NONE}));
    }
    kpx_store_sort(notes.at, notes.n, sizeof *notes.at, by_event);
    for (size_t i = 0; i < notes.n; i++)
        if (i == 0 || notes.at[i].event != notes.at[kept - 1].event)
            notes.at[kept++] = notes.at[i];
    notes.n = kept;
    return notes;
}

// NULL: nobody asks for the event.
static kpx_noted *note_at(const kpx_notes *notes, uint64_t event)
{
    size_t first;
    FIRST_NOT(first, notes->n, i, notes->at[i].event < event);
    return first < notes->n && notes->at[first].event == event ? &notes->at[first] : NULL;
}

static void note(const kpx_notes *notes, uint64_t event, uint32_t activity)
{
    kpx_noted *noted = activity == KPX_NONE ? NULL : note_at(notes, event);
    if (noted)
        noted->activity = activity;
}

static uint32_t noted_at(const kpx_notes *notes, uint64_t event)
{
    const kpx_noted *noted = note_at(notes, event);
    return noted ? noted->activity : KPX_NONE;
}

// ---- Messages -----------------------------------------------------------------------------------

// If a send waits for the receive that is posted here, notes the activity before it.
static void post(kpx_converter *c, const kpx_thread_state *t)
{
    note(&c->mpi.posted_by, c->event, t->last);
}

// The computation between two calls is named by the second one, since a receive waits for what its
// sender did before the send. The interval that ends now gets the name.
static void push_call(kpx_converter *c, kpx_thread_state *t, kpx_frame f)
{
    kpx_frame *top = kpx_top(t);
    uint32_t outer = top ? t->stack.n - 1 : 0, plain = top ? top->construct : KPX_NONE;
    bool names = top && top->begun_by == KPX_THREAD_BEGIN && !top->waits &&
                 kpx_construct_kind(c->m, plain) == TRACE_KIND_COMPUTATION;
    if (names) {
        uint64_t before = map_get(&c->mpi.before_call, f.construct);
        if (before == MAP_ABSENT) {
            trace_kind kind = TRACE_KIND_COMPUTATION_BEFORE;
            char *name = base_format("%s %s", trace_kind_name(kind),
                                     kpx_construct_module(c->m, f.construct));
            before = kpx_add_sibling(c->m, plain, (kpx_doing){kind, name, false});
            map_set(&c->mpi.before_call, f.construct, before);
            free(name);
        }
        top->construct = before;
    }
    kpx_push(c, t, f);
    if (names)
        t->stack.at[outer].construct = plain;
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
    const kpx_frame *top = kpx_top(t);
    if (top && top->begun_by == KPX_MPI_BEGIN) // of calls the outermost are recorded: its end is lost
        kpx_pop(c, t, KPX_MPI_BEGIN, top->key);
    uint32_t construct = kpx_construct_at(c, t, routines[e->flags].construct, name,
                                          doing_of(e->flags, waits), e->b);
    push_call(c, t, (kpx_frame){construct, KPX_MPI_BEGIN, e->flags, TRACE_FIGURES, .waits = waits,
                              .awaits = e->value & 1, .awaited = e->a});
    post(c, t);
}

static void add_value(kpx_thread_state *t, trace_key key, int64_t number)
{
    ARRAY_PUSH(t->values, ((kpx_note_value){key, number}));
}

// The run ended in the call: it lasts until then, and nothing else is known of it than what it waits for.
void kpx_end_call(kpx_converter *c, kpx_thread_state *t)
{
    const kpx_frame *f = kpx_top(t);
    if (!f || f->begun_by != KPX_MPI_BEGIN || !f->awaits)
        return;
    int32_t rank = (int32_t)(f->awaited >> 32), tag = (int32_t)f->awaited;
    if (rank >= 0)
        add_value(t, TRACE_KEY_FROM, rank);
    if (tag >= 0)
        add_value(t, TRACE_KEY_TAG, tag);
    char *of = rank >= 0 ? base_format("of rank %d", rank) : base_copy("of any rank");
    char *with = tag >= 0 ? base_format(" with tag %d", tag) : base_copy("");
    kpx_tell_open(c->m, t->place, base_format("%s, for a message %s%s that did not come",
                                              kpx_construct_module(c->m, f->construct), of, with));
    free(of);
    free(with);
}

// The message carries the results of the interval before the call.
static void send(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    uint64_t posting = kpx_event_of(&c->messages->posting_of, c->event);
    add_value(t, TRACE_KEY_TO, (int32_t)(e->a >> 32));
    add_value(t, TRACE_KEY_TAG, (int32_t)e->a);
    add_value(t, TRACE_KEY_BYTES, (int64_t)e->b);
    note(&c->mpi.sent_by, c->event, t->last);
    if (posting == KPX_NO_EVENT || !f || f->begun_by != KPX_MPI_BEGIN)
        return;
    f->posting = posting + 1;
    if (!f->waits && f->key < ROUTINES) {
        f->construct = kpx_add_sibling(c->m, f->construct, doing_of((unsigned)f->key, true));
        f->waits = true;
    }
}

static void need_posting(kpx_converter *c, kpx_thread_state *t, uint64_t posting)
{
    if (posting != KPX_NO_EVENT)
        kpx_needs(t, noted_at(&c->mpi.posted_by, posting), TRACE_EDGE_RECEIVE);
}

// The thread has just received something. A test or a probe may not be recorded as a call; then the
// thread's next activity needs the message.
static void receive(kpx_converter *c, kpx_thread_state *t)
{
    uint64_t sent = kpx_event_of(&c->messages->send_of, c->event);
    if (sent == KPX_NO_EVENT)
        return;
    if (!kpx_top(t) || kpx_top(t)->begun_by != KPX_MPI_BEGIN)
        kpx_close(c, t);
    kpx_needs(t, noted_at(&c->mpi.sent_by, sent), TRACE_EDGE_MESSAGE);
}

static void received(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    add_value(t, TRACE_KEY_FROM, (int32_t)(e->a >> 32));
    add_value(t, TRACE_KEY_TAG, (int32_t)e->a);
    add_value(t, TRACE_KEY_BYTES, (int64_t)e->b);
    receive(c, t);
}

// ---- Collectives ----------------------------------------------------------------------------

// A communicator that the log does not describe belongs to this process alone.
static kpx_communicator communicator_of(const kpx_converter *c, const kpx_thread_state *t,
                                        uint32_t number)
{
    const kpx_communicator *known = kpx_communicator_of(&c->mpi.communicators[t->process], number);
    return known ? *known : (kpx_communicator){0};
}

static uint64_t collective_key(uint64_t identity, uint64_t number)
{
    return (identity + 1) * 0x9e3779b97f4a7c15u + number;
}

static uint64_t rank_key(uint64_t collective, uint32_t rank)
{
    return (collective ^ (uint64_t)rank << 40 ^ rank) * 0xff51afd7ed558ccdu;
}

void kpx_begin_mpi(kpx_converter *c)
{
    c->mpi.sent_by = notes_of(&c->messages->send_of);
    c->mpi.posted_by = notes_of(&c->messages->posting_of);
    c->mpi.communicators = base_allocate(c->logs->processes.n, sizeof *c->mpi.communicators);
    for (uint32_t i = 0; i < c->logs->processes.n; i++) {
        c->mpi.communicators[i] = kpx_find_communicators(&c->logs->processes.at[i]);
        const kpx_communicators *known = &c->mpi.communicators[i];
        for (uint32_t k = 0; k < known->list.n; k++) {
            uint64_t before = map_get(&c->mpi.sharing, known->list.at[k].identity);
            map_set(&c->mpi.sharing, known->list.at[k].identity,
                    before == MAP_ABSENT ? 1 : before + 1);
        }
    }
}

typedef struct {
    bool gives, takes;
} share;

// What a rank gives to a collective and takes from it. absent: of the root's group in an
// intercommunicator, where only the root takes part.
static share share_of(call_flow flow, bool root, bool absent, uint64_t bytes)
{
    switch (flow) {
    case ALL:
        return (share){true, true};
    case EXCHANGE:
    case TO_LATER:
    case NEIGHBOURS:
        return (share){bytes > 0, true};
    case FROM_ROOT:
        return (share){root, !root && !absent && bytes > 0};
    case TO_ROOT:
        return (share){!absent && bytes > 0, root};
    default:
        return (share){false, false};
    }
}

static uint32_t collective_at(kpx_converter *c, uint64_t key)
{
    uint32_t place = kpx_number_of(&c->mpi.collective_of, key);
    if (place == KPX_NONE) {
        place = kpx_place_for(&c->mpi.no_collectives, c->mpi.collectives.n);
        KPX_PUT_AT(c->mpi.collectives, place, (kpx_collective){.key = key, .last = KPX_NONE});
        map_set(&c->mpi.collective_of, key, place);
    }
    return place;
}

static void add_giver(kpx_converter *c, kpx_collective *to, uint32_t rank, uint32_t activity)
{
    uint32_t place = kpx_place_for(&c->mpi.no_givers, c->mpi.givers.n);
    KPX_PUT_AT(c->mpi.givers, place, (kpx_giver){rank, activity, to->last});
    to->last = place;
    map_set(&c->mpi.come_by, rank_key(to->key, rank), activity);
}

// One has left the collective. When all that share the communicator have, nobody asks for it any more.
static void leave_collective(kpx_converter *c, uint32_t collective, uint64_t identity)
{
    kpx_collective *of = &c->mpi.collectives.at[collective];
    if (++of->left < of->come || of->come < map_get(&c->mpi.sharing, identity))
        return;
    for (uint32_t i = of->last; i != KPX_NONE; i = c->mpi.givers.at[i].older) {
        map_remove(&c->mpi.come_by, rank_key(of->key, c->mpi.givers.at[i].rank));
        ARRAY_PUSH(c->mpi.no_givers, i);
    }
    map_remove(&c->mpi.collective_of, of->key);
    ARRAY_PUSH(c->mpi.no_collectives, collective);
}

static void forget_arrival(kpx_converter *c, const kpx_thread_state *t, uint32_t arrival)
{
    const kpx_arrival *a = &c->mpi.arrivals.at[arrival];
    leave_collective(c, a->collective, communicator_of(c, t, a->communicator).identity);
    ARRAY_PUSH(c->mpi.no_arrivals, arrival);
}

// Whether the library refused the arguments of the call that the thread is in.
static bool is_refused(const kpx_converter *c, kpx_thread_state *t)
{
    const kpx_thread_log *log = &c->logs->processes.at[t->process].threads.at[t->index];
    if (t->next > t->call_end) // else it is known
        t->refused = kpx_is_of_refused_call(log, t->next - 1, &t->call_end);
    return t->refused;
}

static void come_to_collective(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    kpx_frame *f = kpx_top(t);
    if (!f || f->begun_by != KPX_MPI_BEGIN || e->flags >= ROUTINES || is_refused(c, t))
        return;
    const kpx_communicator in = communicator_of(c, t, e->value);
    uint64_t key = collective_key(in.identity, (uint32_t)e->a);
    uint32_t root = (uint32_t)(e->a >> 32);
    call_flow flow = routines[e->flags].flow;
    share s = share_of(flow, root == in.rank + 1, root == KPX_ABSENT, e->b);
    bool alone = in.size == 1 && in.side == 0;
    if (f->waits && (alone || (flow == FROM_ROOT && s.gives))) { // it waits for nobody
        f->construct = kpx_add_sibling(c->m, f->construct, doing_of(e->flags, false));
        f->waits = false;
    }
    if (e->b > 0)
        add_value(t, TRACE_KEY_BYTES, (int64_t)e->b);
    uint32_t collective = collective_at(c, key), arrival = f->arrival;
    c->mpi.collectives.at[collective].come++;
    if (s.gives && t->last != KPX_NONE)
        add_giver(c, &c->mpi.collectives.at[collective], in.rank, t->last);
    f->arrival = 0;
    if (s.takes && !alone) {
        uint32_t place = kpx_place_for(&c->mpi.no_arrivals, c->mpi.arrivals.n);
        KPX_PUT_AT(c->mpi.arrivals, place, (kpx_arrival){collective, c->event, e->flags, e->value});
        f->arrival = place + 1;
    } else {
        leave_collective(c, collective, in.identity);
    }
    if (arrival > 0) // of a damaged log
        forget_arrival(c, t, arrival - 1);
}

// The later one of two activities; either may be KPX_NONE.
static uint32_t later(const kpx_converter *c, uint32_t a, uint32_t b)
{
    if (a == KPX_NONE || b == KPX_NONE)
        return a == KPX_NONE ? b : a;
    return kpx_activity_end(c->m, a) > kpx_activity_end(c->m, b) ? a : b;
}

static uint32_t last_to_come(const kpx_converter *c, const kpx_collective *of)
{
    return of->last == KPX_NONE ? KPX_NONE : c->mpi.givers.at[of->last].activity;
}

// The last of those with a lower rank. Each process comes once, unless the log is damaged.
static uint32_t last_below(const kpx_converter *c, const kpx_collective *of, uint32_t rank)
{
    uint32_t by = KPX_NONE, i = of->last;
    for (uint32_t n = 0; i != KPX_NONE && n < c->logs->processes.n; n++) {
        const kpx_giver *g = &c->mpi.givers.at[i];
        by = g->rank < rank ? later(c, g->activity, by) : by;
        i = g->older;
    }
    return by;
}

static uint32_t last_neighbour(const kpx_converter *c, const kpx_thread_state *t,
                               const kpx_communicator *in, uint64_t key)
{
    const kpx_neighbour *all = c->mpi.communicators[t->process].neighbours.at;
    uint32_t by = KPX_NONE;
    for (uint32_t i = 0; i < in->nneighbours; i++)
        by = later(c,
                   kpx_number_of(&c->mpi.come_by, rank_key(key, all[in->first_neighbour + i].rank)),
                   by);
    return by;
}

// The activity that the thread has waited for. If it leaves before all have come, it has not waited
// for the last one.
static uint32_t waited_for(const kpx_converter *c, const kpx_thread_state *t, const kpx_arrival *a)
{
    const kpx_communicator in = communicator_of(c, t, a->communicator);
    const kpx_collective *of = &c->mpi.collectives.at[a->collective];
    switch (routines[a->routine].flow) {
    case ALL:
    case EXCHANGE:
        if (of->come < map_get(&c->mpi.sharing, in.identity))
            return KPX_NONE;
        return last_to_come(c, of);
    case TO_LATER:
        return last_below(c, of, in.rank);
    case NEIGHBOURS:
        return last_neighbour(c, t, &in, of->key);
    default:
        return last_to_come(c, of);
    }
}

// The thread leaves the collective.
static void need_collective(kpx_converter *c, kpx_thread_state *t, uint32_t arrival)
{
    kpx_needs(t, waited_for(c, t, &c->mpi.arrivals.at[arrival]), TRACE_EDGE_COLLECTIVE);
    forget_arrival(c, t, arrival);
}

// The call that starts a collective does not wait for it.
static void completes_with(kpx_converter *c, kpx_thread_state *t)
{
    kpx_frame *f = kpx_top(t);
    if (!f || f->begun_by != KPX_MPI_BEGIN || f->arrival == 0)
        return;
    map_set(&c->mpi.arrival_of, c->mpi.arrivals.at[f->arrival - 1].event, f->arrival - 1);
    f->arrival = 0;
}

static void complete(kpx_converter *c, kpx_thread_state *t)
{
    receive(c, t);
    need_posting(c, t, kpx_event_of(&c->messages->posting_of, c->event));
    uint64_t collective = kpx_event_of(&c->messages->collective_of, c->event);
    uint32_t arrival =
        collective == KPX_NO_EVENT ? KPX_NONE : kpx_number_of(&c->mpi.arrival_of, collective);
    if (arrival == KPX_NONE)
        return;
    map_remove(&c->mpi.arrival_of, collective);
    need_collective(c, t, arrival);
}

// ---- Calls ----------------------------------------------------------------------------------

static void end_call(kpx_converter *c, kpx_thread_state *t, const kpx_event *e)
{
    if (e->flags >= ROUTINES || routines[e->flags].kind == ASKS)
        return;
    kpx_frame *f = kpx_find_frame(t, KPX_MPI_BEGIN, e->flags);
    if (f && f->arrival > 0) {
        need_collective(c, t, f->arrival - 1);
        f->arrival = 0;
    }
    if (f && f->posting > 0)
        need_posting(c, t, f->posting - 1);
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
    case KPX_MPI_POSTED:
    case KPX_MPI_RENAMED:
        post(c, t);
        break;
    case KPX_MPI_REQUEST:
        completes_with(c, t);
        break;
    case KPX_MPI_COMPLETED:
        complete(c, t);
        break;
    case KPX_MPI_COLLECTIVE:
        come_to_collective(c, t, e);
        break;
    default:
        break;
    }
}

void kpx_free_mpi(kpx_converter *c)
{
    kpx_mpi *s = &c->mpi;
    base_map *maps[] = {&s->before_call, &s->collective_of, &s->come_by, &s->sharing, &s->arrival_of};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
    for (uint32_t i = 0; i < c->logs->processes.n; i++)
        kpx_communicators_free(&s->communicators[i]);
    free(s->communicators);
    STORE_FREE(s->sent_by);
    STORE_FREE(s->posted_by);
    free(s->collectives.at);
    free(s->givers.at);
    free(s->arrivals.at);
    free(s->no_collectives.at);
    free(s->no_givers.at);
    free(s->no_arrivals.at);
}
