// SPDX-License-Identifier: MIT
//
// Which send a receive got its message from (private to kpx-bridge/). Messages between two ranks,
// in one communicator and with one tag, come in the order of their sends and go to receives in the
// order they were posted in; a receive with a wildcard counts where it got its message from. Also
// what a request completes that is no receive: a send that waits for its receive, a collective.
//
// A send is known to wait for its receive if it is synchronous, or if its message has more bytes
// than any transport between the two processes takes before the receive is posted.
#ifndef KPX_MESSAGES_H
#define KPX_MESSAGES_H

#include <stdbool.h>

#include "base/table.h"
#include "kpx-bridge/log/read_log.h"

// Leads from one event to another; both are kpx_event_key().
typedef struct {
    uint64_t from, to;
} kpx_event_pair;

typedef struct {
    base_map index; // by `from`: into pairs
    ARRAY_OF(kpx_event_pair) pairs;
} kpx_event_map;

typedef struct {
    kpx_event_map send_of; // by what completes a receive: the send
    // By what completes a send that waits for its receive: the event where that is posted. Where
    // the call itself waits its own MPI_SEND stands for its end.
    kpx_event_map posting_of;
    base_map postings; // what it leads to
    kpx_event_map collective_of; // by what completes a collective that was started: MPI_COLLECTIVE
    uint64_t unmatched; // receives without a send: a rank's log is missing or incomplete
} kpx_messages;

#define KPX_NO_EVENT UINT64_MAX

// process and thread: their places in the log, which has no more of them than fit.
static inline uint64_t kpx_event_key(uint32_t process, uint32_t thread, uint32_t event)
{
    return (uint64_t)process << 48 | (uint64_t)(thread & 0xffff) << 32 | event;
}

// Or KPX_NO_EVENT.
uint64_t kpx_event_of(const kpx_event_map *map, uint64_t key);

kpx_messages *kpx_match_messages(const kpx_logs *logs);
void kpx_messages_free(kpx_messages *m);

// The call that the event belongs to was refused: nothing of it happened. The same is true of all
// events from there to *ret_end.
bool kpx_is_of_refused_call(const kpx_thread_log *log, uint32_t event, uint32_t *ret_end);

#endif
