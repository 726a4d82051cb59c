// SPDX-License-Identifier: MIT
//
// Which send a receive got its message from (private to kpx-bridge/). Messages between two ranks in
// one communicator with one tag are received in the order of their sends, by receives in the order
// of their posting. A receive with a wildcard counts for the rank and tag that it received from. A
// request may also complete a send that waits for its receive, or a collective.
//
// A send certainly waits for its receive if it is synchronous, or if its message is larger than
// what any transport between the two processes sends before the receive is posted.
#ifndef KPX_MESSAGES_H
#define KPX_MESSAGES_H

#include <stdbool.h>

#include "kpx-bridge/log/read_log.h"
#include "kpx-bridge/log/store.h"

// Leads from one event to another; both are kpx_event_key().
typedef struct {
    uint64_t from, to;
} kpx_event_pair;

typedef STORE_OF(kpx_event_pair) kpx_event_map; // by `from`, each once

typedef struct {
    kpx_event_map send_of; // from the completion of a receive to the send
    // From the completion of a send that waits for its receive to the event where the receive is
    // posted. If the call itself waits, its MPI_SEND stands for its completion.
    kpx_event_map posting_of;
    kpx_event_map collective_of; // from the completion of a started collective to MPI_COLLECTIVE
    uint64_t unmatched; // receives without a send: the log of a rank is missing or incomplete
} kpx_messages;

#define KPX_NO_EVENT UINT64_MAX

// process and thread are indices in the log, which is limited to as many as fit.
static inline uint64_t kpx_event_key(uint32_t process, uint32_t thread, uint32_t event)
{
    return (uint64_t)process << 48 | (uint64_t)(thread & 0xffff) << 32 | event;
}

// Or KPX_NO_EVENT.
uint64_t kpx_event_of(const kpx_event_map *map, uint64_t key);

kpx_messages *kpx_match_messages(const kpx_logs *logs);
void kpx_messages_free(kpx_messages *m);

// The library refused the call that the event belongs to, so nothing of the call happened. The
// answer holds for all events from there to *ret_end.
bool kpx_is_of_refused_call(const kpx_thread_log *log, uint32_t event, uint32_t *ret_end);

#endif
