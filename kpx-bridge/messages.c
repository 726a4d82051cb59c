// SPDX-License-Identifier: MIT
#include "kpx-bridge/messages.h"

#include <stdlib.h>

// ---- Communicators --------------------------------------------------------------------------

kpx_communicators kpx_find_communicators(const kpx_process_log *p)
{
    kpx_communicators c = {0};
    for (uint32_t i = 0; i < p->threads.n; i++)
        for (uint32_t k = 0; k < p->threads.at[i].n; k++) {
            const kpx_event *e = &p->threads.at[i].events[k];
            if (e->kind != KPX_MPI_COMM || e->value > 1u << 20)
                continue;
            while (c.identities.n <= e->value) {
                KPX_PUSH(c.identities, 0);
                KPX_PUSH(c.ranks, 0);
                KPX_PUSH(c.sides, 0);
            }
            c.identities.at[e->value] = e->b;
            c.ranks.at[e->value] = (uint32_t)(e->a >> 32);
            c.sides.at[e->value] = e->flags & 3;
        }
    return c;
}

void kpx_communicators_free(kpx_communicators *c)
{
    free(c->identities.at);
    free(c->ranks.at);
    free(c->sides.at);
}

// ---- Sends and receives ---------------------------------------------------------------------

// One of either; `order` is its place among those of its process: when it was posted.
typedef struct {
    uint64_t identity;  // of the communicator; one of two groups has one for each direction
    uint32_t from, to;  // ranks in it
    uint32_t tag;
    uint64_t order;
    uint64_t key;       // kpx_event_key() of the send, or of what completed the receive
} message;

typedef KPX_ARRAY(message) message_list;

static int by_channel(const void *x, const void *y)
{
    const message *a = x, *b = y;
    if (a->identity != b->identity)
        return a->identity < b->identity ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static bool same_channel(const message *a, const message *b)
{
    return a->identity == b->identity && a->from == b->from && a->to == b->to && a->tag == b->tag;
}

// A receive that was posted and has not completed.
typedef struct {
    uint64_t request, order;
    uint64_t peer_and_tag; // as posted
    uint32_t communicator;
} posted;

typedef struct {
    const kpx_process_log *log;
    kpx_communicators communicators;
    KPX_ARRAY(posted) open;
    uint64_t order;
    KPX_ARRAY(uint64_t) begun; // by thread: order of the call that it is in
    message_list *sends, *receives;
} scan;

static bool known(const scan *s, uint32_t communicator)
{
    return communicator < s->communicators.identities.n;
}

static message message_of(const scan *s, uint32_t communicator, uint64_t peer_and_tag, bool is_send,
                          uint64_t order, uint64_t key)
{
    uint32_t peer = (uint32_t)(peer_and_tag >> 32), own = s->communicators.ranks.at[communicator];
    uint32_t side = s->communicators.sides.at[communicator];
    uint64_t direction = side == 0 ? 0 : is_send ? side : 3 - side;
    return (message){.identity = s->communicators.identities.at[communicator] + direction,
                     .from = is_send ? own : peer,
                     .to = is_send ? peer : own,
                     .tag = (uint32_t)peer_and_tag,
                     .order = order,
                     .key = key};
}

static void complete(scan *s, const kpx_event *e, uint64_t key)
{
    for (uint32_t i = s->open.n; i > 0; i--) {
        posted p = s->open.at[i - 1];
        if (p.request != e->a)
            continue;
        bool freed = e->flags & 2; // where it gets its message from was known if it was posted so
        if (!(e->flags & 1) && known(s, p.communicator))
            KPX_PUSH(*s->receives, message_of(s, p.communicator, freed ? p.peer_and_tag : e->b,
                                              false, p.order, key));
        s->open.at[i - 1] = s->open.at[--s->open.n];
        return;
    }
}

// A message that was probed, or a receive: its completion comes under another name.
static void rename_posted(scan *s, uint64_t from, uint64_t to)
{
    for (uint32_t i = s->open.n; i > 0; i--)
        if (s->open.at[i - 1].request == from) {
            s->open.at[i - 1].request = to;
            return;
        }
}

// A receive that waits has its place among the others from the beginning of its call on.
static void scan_event(scan *s, uint32_t thread, const kpx_event *e, uint64_t key)
{
    uint64_t *begun = &s->begun.at[thread];
    switch ((kpx_kind)e->kind) {
    case KPX_MPI_BEGIN:
        *begun = ++s->order;
        break;
    case KPX_MPI_END:
        *begun = 0;
        break;
    case KPX_MPI_RENAMED:
        rename_posted(s, e->a, e->b);
        break;
    case KPX_MPI_SEND:
        if (known(s, e->value))
            KPX_PUSH(*s->sends, message_of(s, e->value, e->a, true, ++s->order, key));
        break;
    case KPX_MPI_RECV:
        if (known(s, e->value))
            KPX_PUSH(*s->receives, message_of(s, e->value, e->a, false,
                                              *begun ? *begun : ++s->order, key));
        break;
    case KPX_MPI_POSTED:
        KPX_PUSH(s->open, ((posted){e->a, ++s->order, e->b, e->value}));
        break;
    case KPX_MPI_COMPLETED:
        complete(s, e, key);
        break;
    default:
        break;
    }
}

// A process's events in order of time, over its threads.
static void scan_process(scan *s, uint32_t process)
{
    const kpx_process_log *p = s->log;
    uint32_t *next = kpx_allocate(p->threads.n * sizeof *next);
    for (uint32_t i = 0; i < p->threads.n; i++)
        KPX_PUSH(s->begun, 0);
    for (;;) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < p->threads.n; i++)
            if (next[i] < p->threads.at[i].n &&
                (first == UINT32_MAX || p->threads.at[i].events[next[i]].time <
                                            p->threads.at[first].events[next[first]].time))
                first = i;
        if (first == UINT32_MAX)
            break;
        const kpx_event *e = &p->threads.at[first].events[next[first]];
        scan_event(s, first, e, kpx_event_key(process, first, next[first]));
        next[first]++;
    }
    free(next);
}

static void match(kpx_messages *m, message_list *sends, message_list *receives)
{
    if (sends->n > 0)
        qsort(sends->at, sends->n, sizeof *sends->at, by_channel);
    if (receives->n > 0)
        qsort(receives->at, receives->n, sizeof *receives->at, by_channel);
    uint32_t s = 0;
    for (uint32_t r = 0; r < receives->n; r++) {
        const message *got = &receives->at[r];
        if (r > 0 && !same_channel(got, &receives->at[r - 1]))
            while (s < sends->n && same_channel(&sends->at[s], &receives->at[r - 1]))
                s++; // sent and never received
        message channel = *got;
        channel.order = 0;
        while (s < sends->n && by_channel(&sends->at[s], &channel) < 0)
            s++;
        if (s == sends->n || !same_channel(&sends->at[s], got)) {
            m->unmatched++;
            continue;
        }
        kpx_map_set(&m->send_of, got->key, m->sends.n);
        KPX_PUSH(m->sends, sends->at[s].key);
        s++;
    }
}

kpx_messages *kpx_match_messages(const kpx_logs *logs)
{
    kpx_messages *m = kpx_allocate(sizeof *m);
    message_list sends = {0}, receives = {0};
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        scan s = {.log = &logs->processes.at[i], .sends = &sends, .receives = &receives};
        s.communicators = kpx_find_communicators(s.log);
        if (s.communicators.identities.n > 0)
            scan_process(&s, i);
        kpx_communicators_free(&s.communicators);
        free(s.open.at);
        free(s.begun.at);
    }
    match(m, &sends, &receives);
    free(sends.at);
    free(receives.at);
    return m;
}

void kpx_messages_free(kpx_messages *m)
{
    kpx_map_free(&m->send_of);
    free(m->sends.at);
    free(m);
}
