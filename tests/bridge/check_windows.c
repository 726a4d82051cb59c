// SPDX-License-Identifier: MIT
//
// How much of an interval a thread had a processor, by the looks in its log.
#include "kpx-bridge/timeline/processor_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

// In work, or in a wait, from `since` to `end`.
static void check_in(const char *what, kpx_event *events, uint32_t n, uint64_t since, uint64_t end, bool waits,
                     kpx_idle is)
{
    kpx_windows w = kpx_find_windows(&(kpx_thread_log){.events = events, .n = n});
    kpx_idle idle = kpx_idle_in(&w, since, end, waits);
    if (idle.slept != is.slept || idle.queued != is.queued) {
        printf("FAILED: %s: slept %" PRIu64 ", queued %" PRIu64 "\n", what, idle.slept, idle.queued);
        failures++;
    }
    free(w.list.at);
}

static void check(const char *what, kpx_event *events, uint32_t n, uint64_t since, uint64_t end, kpx_idle is)
{
    check_in(what, events, n, since, end, false, is);
}

#define LOOK(time, ran, queued) {time, KPX_PROCESSOR_TIME, 0, 0, ran, queued}
#define OLD_LOOK(time, ran)     {time, KPX_PROCESSOR_TIME, KPX_QUEUED_BEFORE, 0, ran, 0}

int main(void)
{
    kpx_event idles[] = {LOOK(1000000, 1000000, 0), LOOK(3000000, 2000000, 500000)};
    check("half of it idle", idles, 2, 1000000, 3000000, (kpx_idle){500000, 500000});

    // Its queue of before is known at the second look only.
    kpx_event begins[] = {OLD_LOOK(60000000, 100000), LOOK(62000000, 2100000, 50000000)};
    check("queued before its first event", begins, 2, 60000000, 62000000, (kpx_idle){0, 0});

    kpx_event often[] = {OLD_LOOK(60000000, 100000), OLD_LOOK(61000000, 1100000),
                         LOOK(62000000, 2100000, 50000000)};
    check("likewise, with a look between", often, 3, 60000000, 62000000, (kpx_idle){0, 0});

    // A look follows the first event after its time, so of a long while all events but the last are early.
    kpx_event late[] = {LOOK(1000000, 1000000, 0), LOOK(6000000, 2500000, 3500000)};
    check("queued since the last event: before it", late, 2, 1000000, 2000000, (kpx_idle){0, 0});
    check("queued since the last event: after it", late, 2, 2000000, 6000000, (kpx_idle){0, 3500000});

    // Looks are rare where they are slow: there may be more events, and little room behind the last of them.
    kpx_event rare[] = {LOOK(1000000, 1000000, 0), {4000000, KPX_BLOCK_BEGIN, 0, 0, 0, 0},
                        {7000000, KPX_BLOCK_END, 0, 0, 0, 0}, {10000000, KPX_BLOCK_BEGIN, 0, 0, 0, 0},
                        LOOK(13500000, 6500000, 1000000)};
    check_in("the first wait slept", rare, 5, 4000000, 7000000, true, (kpx_idle){2769230, 27065});
    check_in("the last wait slept, and had no processor then", rare, 5, 10000000, 13500000, true,
             (kpx_idle){3230769, 269230});
    check("what it had no room for", rare, 5, 1000000, 4000000, (kpx_idle){0, 351851});

    printf("%d failed\n", failures);
    return failures > 0;
}
