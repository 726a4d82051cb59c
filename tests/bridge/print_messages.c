// SPDX-License-Identifier: MIT
//
// Prints which send each receive of a log got its message from, a line each, in the order in which a
// rank's receives completed:
//
//   message RANK FROM NUMBER TAG BYTES      NUMBER: of the sender's sends that were not refused, from 0
//   waits RANK FROM                         a send of RANK waits for its receive at FROM
//   unmatched N
//
// usage: print_messages LOG
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kpx-bridge/log/messages.h"

static const kpx_event *event_of(const kpx_logs *logs, uint64_t key)
{
    const kpx_process_log *p = &logs->processes.at[key >> 48];
    return &p->threads.at[key >> 32 & 0xffff].events[(uint32_t)key];
}

static int rank_of(const kpx_logs *logs, uint64_t key)
{
    return logs->processes.at[key >> 48].rank;
}

static uint32_t number_of(const kpx_logs *logs, uint64_t key)
{
    uint32_t number = 0;
    const kpx_thread_log *t = &logs->processes.at[key >> 48].threads.at[key >> 32 & 0xffff];
    for (uint32_t i = 0, end; i < (uint32_t)key; i++)
        number += t->events[i].kind == KPX_MPI_SEND && !kpx_is_of_refused_call(t, i, &end);
    return number;
}

static void print_event(const kpx_logs *logs, const kpx_messages *m, uint64_t key)
{
    uint64_t sent = kpx_event_of(&m->send_of, key), posted = kpx_event_of(&m->posting_of, key);
    if (sent != KPX_NO_EVENT) {
        const kpx_event *e = event_of(logs, sent);
        printf("message %d %d %" PRIu32 " %d %" PRIu64 "\n", rank_of(logs, key), rank_of(logs, sent),
               number_of(logs, sent), (int)(int32_t)e->a, e->b);
    }
    if (posted != KPX_NO_EVENT)
        printf("waits %d %d\n", rank_of(logs, key), rank_of(logs, posted));
}

int main(int argc, char **argv)
{
    char *error = NULL;
    kpx_logs *logs = argc == 2 ? kpx_logs_read(argv[1], &error) : NULL;
    if (!logs) {
        fprintf(stderr, "%s\n", error ? error : "usage: print_messages LOG");
        free(error);
        return 1;
    }
    kpx_messages *m = kpx_match_messages(logs);
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            for (uint32_t e = 0; e < logs->processes.at[i].threads.at[k].n; e++)
                print_event(logs, m, kpx_event_key(i, k, e));
    printf("unmatched %" PRIu64 "\n", m->unmatched);
    kpx_messages_free(m);
    kpx_logs_destroy(logs);
    return 0;
}
