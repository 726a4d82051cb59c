// SPDX-License-Identifier: MIT
//
// Executions are timed by ticks of the processor; the reader of a log makes times of them.
#include "kpx-bridge/log/read_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

// times: what the events are to have, in order.
static void check(const char *what, const kpx_event *events, uint32_t n, const uint64_t *times,
                  bool complains)
{
    size_t size = KPX_HEADER_SIZE + n * sizeof *events;
    uint8_t *file = calloc(1, size);
    kpx_header header = {.event_size = sizeof *events, .cap = 100, .kept = n};
    kpx_thread_log log;
    char *complaint = NULL;
    memcpy(header.magic, KPX_MAGIC, sizeof header.magic);
    memcpy(file, &header, sizeof header);
    memcpy(file + KPX_HEADER_SIZE, events, n * sizeof *events);
    bool good = kpx_thread_log_parse(file, size, &log, &complaint) && log.n == n;
    for (uint32_t i = 0; good && i < n; i++)
        if (log.events[i].time != times[i]) {
            printf("FAILED: %s: event %" PRIu32 " is at %" PRIu64 ", not %" PRIu64 "\n", what, i,
                   log.events[i].time, times[i]);
            failures++;
        }
    if (!good || complains != (complaint != NULL)) {
        printf("FAILED: %s: %s\n", what, complaint ? complaint : "no complaint");
        failures++;
    }
    if (good)
        kpx_thread_log_free(&log);
    free(complaint);
    free(file);
}

#define MARK(time, tick, ns) {time, KPX_TICKS, 0, 0, tick, ns}
#define BEGIN(tick)          {tick, KPX_SITE_BEGIN, 0, 0, 0, 0}
#define END(tick)            {tick, KPX_SITE_END, 0, 0, 0, 0}

int main(void)
{
    // Between marks by the line through them, beyond the last one by that through all.
    const kpx_event clocks[] = {MARK(15000, 1000, 10000), MARK(20000, 2000, 20000),
                                BEGIN(1500),              BEGIN(2500),
                                MARK(40000, 3000, 40000), END(2900),
                                END(4000)};
    const uint64_t clock_times[] = {15000, 15000, 15000, 30000, 38000, 38000, 55000};
    check("two speeds", clocks, 7, clock_times, false);

    // What other recorders tell is by the system's clock, and the two differ a little.
    const kpx_event mixed[] = {MARK(10000, 1000, 10000),
                               MARK(20000, 2000, 20000),
                               BEGIN(2100),
                               {20990, KPX_WORK_BEGIN, 1, 0, 0, 0},
                               {30000, KPX_WORK_END, 1, 0, 0, 0},
                               END(2990)};
    const uint64_t mixed_times[] = {10000, 20000, 21000, 21000, 30000, 30000};
    check("events of others", mixed, 6, mixed_times, false);

    // A damaged log: marks that go backwards say nothing, and without any there are no times.
    const kpx_event backwards[] = {MARK(1000, 1000, 10000), MARK(1000, 500, 20000),
                                   MARK(1000, 2000, 20000), BEGIN(1500)};
    const uint64_t backward_times[] = {1000, 1000, 1000, 15000};
    check("marks that go backwards", backwards, 4, backward_times, false);
    const kpx_event alone[] = {{5000000, KPX_WORK_BEGIN, 1, 0, 0, 0}, BEGIN(UINT64_MAX), END(7)};
    const uint64_t alone_times[] = {5000000, 5000000, 5000000};
    check("no marks", alone, 3, alone_times, true);
    return failures > 0;
}
