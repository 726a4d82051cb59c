// SPDX-License-Identifier: MIT
//
// Rows of threads by the clock of the replay: chunks of a loop at replayed times, and none where a
// thread would do two things at a time.
//
//   check_replayed FILE.paf (it is written)
#include "kpx-bridge/timeline/activities.h"
#include "paf/model/timeline.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

static void check(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "%s\n", what);
    failures++;
}

static uint32_t add_chunk(kpx_activities *m, uint32_t construct, uint32_t place, uint32_t maker, uint64_t start,
                          uint64_t end, int64_t first)
{
    uint32_t a = kpx_add_activity(m, construct, place, maker, start, end);
    kpx_add_schedule(m, a, TRACE_SCHEDULE_DYNAMIC);
    kpx_add_value(m, a, TRACE_KEY_FIRST, first);
    kpx_add_value(m, a, TRACE_KEY_ITERATIONS, 4);
    kpx_add_value(m, a, TRACE_KEY_LOOP, 0);
    kpx_add_value(m, a, TRACE_KEY_OF, 12);
    return a;
}

// Thread 1 begins late; thread 0 has to wait for it. with_task: thread 0 carries out a task that
// thread 1 has made, too, in the time that it waits.
static bool write_trace(const char *path, bool with_task, char **ret_error)
{
    kpx_activities *m = kpx_activities_create();
    uint32_t place[] = {kpx_add_place(m, "thread 0"), kpx_add_place(m, "thread 1")};
    uint32_t serial = kpx_add_construct(m, "serial", TRACE_KIND_SERIAL, kpx_doing_of(TRACE_KIND_SERIAL),
                                        KPX_NONE, 0);
    uint32_t loop = kpx_add_construct(m, "loop a.c:3", TRACE_KIND_LOOP, kpx_doing_of(TRACE_KIND_LOOP),
                                      KPX_NONE, 0);
    uint32_t wait = kpx_add_sibling(m, loop, kpx_doing_of(TRACE_KIND_IMPLIED_BARRIER));
    uint32_t fork = kpx_add_activity(m, serial, place[0], KPX_NONE, 0, 10);
    uint32_t a = add_chunk(m, loop, place[0], fork, 10, 30, 0);
    uint32_t b = add_chunk(m, loop, place[1], fork, 50, 80, 4);
    uint32_t c = add_chunk(m, loop, place[1], b, 80, 90, 8);
    if (with_task) {
        uint32_t task = kpx_add_construct(m, "task a.c:9", TRACE_KIND_TASK, kpx_doing_of(TRACE_KIND_TASK),
                                          KPX_NONE, 0);
        kpx_add_activity(m, task, place[0], fork, 60, 70);
    }
    uint32_t over = kpx_add_activity(m, wait, place[0], a, 70, 95);
    kpx_add_arrow(m, c, over, TRACE_EDGE_BARRIER);
    bool good = kpx_write(m, path, "program", NULL, true, 0, "", ret_error);
    kpx_activities_destroy(m);
    return good;
}

static void check_rows(const paf_timeline *l)
{
    // serial, the chunk and the wait of thread 0; the two chunks of thread 1: none begins late
    static const int64_t expected[][2] = {{0, 10}, {10, 30}, {30, 50}, {10, 40}, {40, 50}};
    check(l->nchunks == 3 && l->nparts == 2, "a loop of three chunks on two threads");
    check(l->first_of[1] == 3 && l->first_of[2] == 5, "rows of two threads");
    for (uint32_t i = 0; i < 5 && failures == 0; i++)
        check(paf_timeline_start(l, l->by_place[i]) == expected[i][0] &&
                  paf_timeline_end(l, l->by_place[i]) == expected[i][1],
              "times of the replay");
    check(l->parts[0].start == 10 && l->parts[0].end == 30 && l->parts[1].start == 10 &&
              l->parts[1].end == 50,
          "borders of the loop");
    check(paf_timeline_activity(l, 1, 45) == l->by_place[4], "what a thread does at a time");
}

static void check_trace(const char *path, bool with_task)
{
    char *error = NULL;
    trace *t = write_trace(path, with_task, &error) ? trace_open(path, NULL, NULL, &error) : NULL;
    check(t != NULL, error ? error : "no trace");
    free(error);
    if (!t)
        return;
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    paf_timeline *real = paf_timeline_create(a, IOT_REAL_TIME);
    paf_timeline *replayed = paf_timeline_create(a, IOT_VIRTUAL_TIME);
    check(real != NULL, "rows by real time");
    check((replayed != NULL) == !with_task, "rows of a replay if no thread does two things at a time");
    if (replayed && !with_task)
        check_rows(replayed);
    paf_timeline_destroy(real);
    paf_timeline_destroy(replayed);
    iot_partition_destroy(p);
    iot_destroy(a);
    trace_close(t);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: check_replayed FILE.paf\n", stderr);
        return 1;
    }
    check_trace(argv[1], false);
    check_trace(argv[1], true);
    return failures > 0;
}
