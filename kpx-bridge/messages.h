// SPDX-License-Identifier: MIT
//
// Which send a receive got its message from (private to kpx-bridge/). Messages between two ranks, in
// one communicator and with one tag, come in the order of their sends and go to receives in the order
// they were posted in; a receive with a wildcard counts where it got its message from.
#ifndef KPX_MESSAGES_H
#define KPX_MESSAGES_H

#include "kpx-bridge/map.h"
#include "kpx-bridge/read_log.h"

typedef struct {
    kpx_map send_of; // by kpx_event_key() of what completes a receive: index into sends
    KPX_ARRAY(uint64_t) sends; // kpx_event_key() of them
    uint64_t unmatched;        // receives without a send: a rank's log is missing or incomplete
} kpx_messages;

// process and thread: their places in the log.
static inline uint64_t kpx_event_key(uint32_t process, uint32_t thread, uint32_t event)
{
    return (uint64_t)process << 48 | (uint64_t)(thread & 0xffff) << 32 | event;
}

kpx_messages *kpx_match_messages(const kpx_logs *logs);
void kpx_messages_free(kpx_messages *m);

// Identity of a process's communicator number, which all its ranks share; 0: unknown.
typedef struct {
    KPX_ARRAY(uint64_t) identities; // by number
    KPX_ARRAY(uint32_t) ranks;      // own rank, by number
    KPX_ARRAY(uint32_t) sides;      // 1 or 2 where there are two groups, by number
} kpx_communicators;

kpx_communicators kpx_find_communicators(const kpx_process_log *p);
void kpx_communicators_free(kpx_communicators *c);

#endif
