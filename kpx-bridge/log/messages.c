// SPDX-License-Identifier: MIT
//
// Follows the requests of each process and pairs sends with receives.
#include "kpx-bridge/log/messages.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "base/table.h"
#include "kpx-bridge/log/communicators.h"

#define NONE UINT32_MAX // no index

// ---- Events to events -----------------------------------------------------------------------

uint64_t kpx_event_of(const kpx_event_map *map, uint64_t key)
{
    size_t first;
    FIRST_NOT(first, map->n, i, map->at[i].from < key);
    return first < map->n && map->at[first].from == key ? map->at[first].to : KPX_NO_EVENT;
}

static void add_pair(kpx_event_map *map, uint64_t from, uint64_t to)
{
    STORE_PUSH(*map, ((kpx_event_pair){from, to}));
}

static int by_from(const void *x, const void *y)
{
    const kpx_event_pair *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

// Of a damaged log an event may lead to several.
static void sort_pairs(kpx_event_map *map)
{
    size_t kept = 0;
    kpx_store_sort(map->at, map->n, sizeof *map->at, by_from);
    for (size_t i = 0; i < map->n; i++) {
        kpx_store_at(i);
        if (i + 1 == map->n || map->at[i + 1].from != map->at[i].from)
            map->at[kept++] = map->at[i];
    }
    map->n = kept;
}

bool kpx_is_of_refused_call(const kpx_thread_log *log, uint32_t event, uint32_t *ret_end)
{
    uint32_t i = event;
    while (i < log->n && log->events[i].kind != KPX_MPI_END &&
           (i == event || log->events[i].kind != KPX_MPI_BEGIN))
        i++;
    *ret_end = i;
    return i < log->n && log->events[i].kind == KPX_MPI_END && (log->events[i].a & 1);
}

// ---- Sends and receives ---------------------------------------------------------------------

// A send or a receive. `order` numbers those of its process in the order of posting.
typedef struct {
    uint64_t identity;  // of the communicator; one of two groups has one for each direction
    uint32_t from, to;  // ranks in it
    uint32_t tag;
    uint32_t process : 29; // its place in the log
    uint32_t synchronous : 1, large : 1, dropped : 1;
    uint64_t order;
    uint64_t key;       // of the send, or of what completed the receive
    uint64_t partner;   // of a receive: where it was posted; of a send: what completes it
    uint64_t bytes;
} message;

typedef STORE_OF(message) message_list;

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
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key; // of a damaged log
}

static bool same_channel(const message *a, const message *b)
{
    return a->identity == b->identity && a->from == b->from && a->to == b->to && a->tag == b->tag;
}

typedef enum { A_RECEIVE, A_SEND, A_COLLECTIVE } request_kind;

// An operation that a request completes.
typedef struct {
    request_kind kind;
    uint64_t request, order;
    uint64_t key;          // where a receive was posted; a collective
    uint64_t peer_and_tag; // as posted
    uint32_t communicator;
    uint32_t send;         // index
    uint32_t older;        // another one of that name, or NONE
} open_request;

// The call that a thread is in.
typedef struct {
    uint64_t order, key; // of its beginning; 0: in none that is known
    uint32_t last_send;  // what it has sent last, NONE: nothing
    uint64_t collective; // that it has come to last, or KPX_NO_EVENT
} open_call;

typedef struct {
    const kpx_process_log *log;
    uint32_t process;
    kpx_communicators communicators;
    ARRAY_OF(open_request) open;
    ARRAY_OF(uint32_t) unused; // of `open`
    base_map newest;           // by request: index into open + 1
    uint64_t order;
    ARRAY_OF(open_call) calls; // by thread
    message_list *sends, *receives;
    kpx_messages *result;
} scan;

static const kpx_communicator *known(const scan *s, uint32_t communicator)
{
    return kpx_communicator_of(&s->communicators, communicator);
}

static message message_of(const scan *s, const kpx_communicator *c, uint64_t peer_and_tag,
                          bool is_send, uint64_t order, uint64_t key)
{
    uint32_t peer = (uint32_t)(peer_and_tag >> 32);
    uint64_t direction = c->side == 0 ? 0 : is_send ? c->side : 3 - c->side;
    return (message){.identity = c->identity + direction,
                     .from = is_send ? c->rank : peer,
                     .to = is_send ? peer : c->rank,
                     .tag = (uint32_t)peer_and_tag,
                     .process = s->process,
                     .order = order,
                     .key = key,
                     .partner = KPX_NO_EVENT};
}

// ---- Requests -------------------------------------------------------------------------------

static void open(scan *s, open_request r)
{
    uint64_t newest = map_get(&s->newest, r.request);
    uint32_t at = s->unused.n > 0 ? s->unused.at[--s->unused.n] : s->open.n;
    r.order = ++s->order;
    r.older = newest == MAP_ABSENT ? NONE : (uint32_t)newest - 1;
    if (at == s->open.n)
        ARRAY_PUSH(s->open, r);
    else
        s->open.at[at] = r;
    map_set(&s->newest, r.request, at + 1);
}

// The request that is completed, or NONE. The library may reuse the handle before the thread that
// completed the request has recorded that. The new request began after the thread's call did, so it
// is skipped. Each thread may be late with one request of that handle.
static uint32_t close_request(scan *s, uint64_t request, const open_call *call)
{
    uint64_t newest = map_get(&s->newest, request);
    uint32_t at = newest == MAP_ABSENT ? NONE : (uint32_t)newest - 1;
    uint32_t younger = NONE, late = 0;
    while (at != NONE && call->order > 0 && s->open.at[at].order > call->order &&
           late++ < s->log->threads.n) {
        younger = at;
        at = s->open.at[at].older;
    }
    if (at == NONE || late > s->log->threads.n)
        return NONE;
    uint32_t older = s->open.at[at].older;
    if (younger != NONE)
        s->open.at[younger].older = older;
    else if (older == NONE)
        map_remove(&s->newest, request);
    else
        map_set(&s->newest, request, older + 1);
    ARRAY_PUSH(s->unused, at);
    return at;
}

static void complete(scan *s, const open_call *call, const kpx_event *e, uint64_t key)
{
    bool cancelled = e->flags & 1, freed = e->flags & 2;
    uint32_t at = close_request(s, e->a, call);
    if (at == NONE)
        return;
    const open_request *r = &s->open.at[at];
    const kpx_communicator *in = known(s, r->communicator);
    switch (r->kind) {
    case A_RECEIVE: // one that is freed gets its message from where it was posted to
        if (cancelled || !in)
            return;
        STORE_PUSH(*s->receives, message_of(s, in, freed ? r->peer_and_tag : e->b, false, r->order,
                                            freed ? KPX_NO_EVENT : key));
        s->receives->at[s->receives->n - 1].partner = r->key;
        break;
    case A_SEND:
        s->sends->at[r->send].dropped = cancelled;
        s->sends->at[r->send].partner = freed ? KPX_NO_EVENT : key;
        break;
    case A_COLLECTIVE:
        if (!freed)
            add_pair(&s->result->collective_of, key, r->key);
        break;
    }
}

// A probed message is received from now on, and completes with another request.
static void rename_posted(scan *s, const open_call *call, const kpx_event *e, uint64_t key)
{
    uint32_t at = close_request(s, e->a, call);
    if (at == NONE)
        return;
    open_request r = s->open.at[at];
    uint64_t order = r.order;
    r.request = e->b;
    r.key = key;
    open(s, r);
    s->open.at[map_get(&s->newest, r.request) - 1].order = order;
}

// ---- Events ---------------------------------------------------------------------------------

static void add_send(scan *s, open_call *call, const kpx_event *e, uint64_t key)
{
    const kpx_communicator *in = known(s, e->value);
    if (!in)
        return;
    message m = message_of(s, in, e->a, true, ++s->order, key);
    m.synchronous = e->flags & 1;
    m.large = (e->flags & 2) != 0;
    m.bytes = e->b;
    m.partner = key;
    call->last_send = (uint32_t)s->sends->n;
    call->collective = KPX_NO_EVENT;
    STORE_PUSH(*s->sends, m);
}

// A blocking receive is posted at the beginning of its call.
static void add_receive(scan *s, const open_call *call, const kpx_event *e, uint64_t key)
{
    const kpx_communicator *in = known(s, e->value);
    if (!in)
        return;
    message m = message_of(s, in, e->a, false, call->order ? call->order : ++s->order, key);
    m.partner = call->order ? call->key : KPX_NO_EVENT;
    STORE_PUSH(*s->receives, m);
}

// The request completes the operation that the call began last.
static void add_request(scan *s, open_call *call, uint64_t request)
{
    if (call->collective != KPX_NO_EVENT)
        open(s, (open_request){.kind = A_COLLECTIVE, .request = request, .key = call->collective});
    else if (call->last_send != NONE) {
        s->sends->at[call->last_send].partner = KPX_NO_EVENT; // until that completes
        open(s, (open_request){.kind = A_SEND, .request = request, .send = call->last_send});
    }
}

static void end_call(scan *s, open_call *call, const kpx_event *e)
{
    if ((e->a & 1) && call->last_send != NONE)
        s->sends->at[call->last_send].dropped = true;
    *call = (open_call){.last_send = NONE, .collective = KPX_NO_EVENT};
}

static void scan_event(scan *s, uint32_t thread, const kpx_event *e, uint64_t key)
{
    open_call *call = &s->calls.at[thread];
    switch ((kpx_kind)e->kind) {
    case KPX_MPI_BEGIN:
        *call = (open_call){++s->order, key, NONE, KPX_NO_EVENT};
        break;
    case KPX_MPI_END:
        end_call(s, call, e);
        break;
    case KPX_MPI_RENAMED:
        rename_posted(s, call, e, key);
        break;
    case KPX_MPI_SEND:
        add_send(s, call, e, key);
        break;
    case KPX_MPI_RECV:
        add_receive(s, call, e, key);
        break;
    case KPX_MPI_COLLECTIVE:
        call->collective = key;
        break;
    case KPX_MPI_REQUEST:
        add_request(s, call, e->a);
        break;
    case KPX_MPI_POSTED:
        open(s, (open_request){.kind = A_RECEIVE,
                               .request = e->a,
                               .key = key,
                               .peer_and_tag = e->b,
                               .communicator = e->value});
        break;
    case KPX_MPI_COMPLETED:
        complete(s, call, e, key);
        break;
    default:
        break;
    }
}

// Takes the events of all threads of a process in order of time.
static void scan_process(scan *s)
{
    const kpx_process_log *p = s->log;
    uint32_t *next = base_allocate(p->threads.n, sizeof *next);
    for (uint32_t i = 0; i < p->threads.n; i++)
        ARRAY_PUSH(s->calls, ((open_call){.last_send = NONE, .collective = KPX_NO_EVENT}));
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
        kpx_store_at(next[first]);
        scan_event(s, first, e, kpx_event_key(s->process, first, next[first]));
        next[first]++;
    }
    free(next);
}

// ---- Matching -------------------------------------------------------------------------------

// Whether the send certainly did not end before its receive was posted.
static bool waits(const kpx_logs *logs, const message *send, const message *receive)
{
    const kpx_process_log *from = &logs->processes.at[send->process];
    const kpx_process_log *to = &logs->processes.at[receive->process];
    if (send->synchronous)
        return true;
    uint64_t limit = kpx_same_machine(from, to) ? from->eager_near : from->eager_far;
    return send->large && limit > 0 && send->bytes > limit;
}

static void pair(kpx_messages *m, const kpx_logs *logs, const message *send, const message *receive)
{
    if (receive->key != KPX_NO_EVENT)
        add_pair(&m->send_of, receive->key, send->key);
    if (send->partner != KPX_NO_EVENT && receive->partner != KPX_NO_EVENT &&
        waits(logs, send, receive))
        add_pair(&m->posting_of, send->partner, receive->partner);
}

static void sort(message_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        kpx_store_at(i);
        if (!list->at[i].dropped)
            list->at[kept++] = list->at[i];
    }
    list->n = kept;
    kpx_store_sort(list->at, kept, sizeof *list->at, by_channel);
}

static void match(kpx_messages *m, const kpx_logs *logs, message_list *sends,
                  message_list *receives)
{
    sort(sends);
    sort(receives);
    uint32_t s = 0;
    for (uint32_t r = 0; r < receives->n; r++) {
        const message *got = &receives->at[r];
        kpx_store_at(r);
        if (r > 0 && !same_channel(got, &receives->at[r - 1]))
            while (s < sends->n && same_channel(&sends->at[s], &receives->at[r - 1]))
                s++; // sent and never received
        message channel = *got;
        channel.order = 0;
        while (s < sends->n && by_channel(&sends->at[s], &channel) < 0)
            s++;
        if (s == sends->n || !same_channel(&sends->at[s], got)) {
            m->unmatched += got->key != KPX_NO_EVENT;
            continue;
        }
        pair(m, logs, &sends->at[s], got);
        s++;
    }
}

kpx_messages *kpx_match_messages(const kpx_logs *logs)
{
    kpx_messages *m = base_allocate(1, sizeof *m);
    message_list sends = {0}, receives = {0};
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        scan s = {.log = &logs->processes.at[i],
                  .process = i,
                  .sends = &sends,
                  .receives = &receives,
                  .result = m};
        s.communicators = kpx_find_communicators(s.log);
        if (s.communicators.list.n > 0)
            scan_process(&s);
        kpx_communicators_free(&s.communicators);
        map_free(&s.newest);
        free(s.open.at);
        free(s.unused.at);
        free(s.calls.at);
    }
    match(m, logs, &sends, &receives);
    STORE_FREE(sends);
    STORE_FREE(receives);
    sort_pairs(&m->send_of);
    sort_pairs(&m->posting_of);
    sort_pairs(&m->collective_of);
    return m;
}

void kpx_messages_free(kpx_messages *m)
{
    STORE_FREE(m->send_of);
    STORE_FREE(m->posting_of);
    STORE_FREE(m->collective_of);
    free(m);
}
