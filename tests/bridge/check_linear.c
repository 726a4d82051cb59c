// SPDX-License-Identifier: MIT
//
// Damaged logs of a million events: whatever stands in them, reading takes time in proportion. What
// looked at all events, or counted to any number that it read, again for each of them would take hours;
// that is what the limit of processor time is for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "kpx-bridge/log/clocks.h"
#include "kpx-bridge/timeline/events.h"
#include "kpx-bridge/log/openmp_kinds.h"

enum {
#define ROUTINE(name, ...) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
    ROUTINES
};

enum { MANY = 1000000, LIMIT = 240 }; // events; seconds

static kpx_logs *logs;

// Events are at one nanosecond after the other; one log after the other.
static void put(uint32_t process, uint16_t kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    kpx_thread_log *t = &logs->processes.at[process].threads.at[0];
    kpx_own_events(t)[t->n] = (kpx_event){1000 + t->n, kind, flags, value, a, b};
    t->n++;
}

static void begin(const char *what)
{
    printf("%s\n", what);
    fflush(stdout);
    logs = base_allocate(1, sizeof *logs);
    for (uint32_t i = 0; i < 2; i++) {
        kpx_process_log p = {.id = i,
                             .pid = i,
                             .rank = (int)i,
                             .launched = -1,
                             .sites = KPX_NO_SITES,
                             .host = base_copy(i == 0 ? "one" : "two"),
                             .symbols = kpx_symbols_create()};
        kpx_thread_log log = {0};
        log.events = kpx_store_take(&log.store, MANY + 16, sizeof *log.events);
        ARRAY_PUSH(p.threads, log);
        ARRAY_PUSH(logs->processes, p);
    }
}

static void convert(void)
{
    kpx_activities *m = kpx_activities_create();
    kpx_statistics statistics = {0};
    for (uint32_t i = 0; i < 2; i++)
        logs->processes.at[i].threads.at[0].seen = logs->processes.at[i].threads.at[0].n;
    kpx_messages *messages = kpx_match_messages(logs);
    free(kpx_agree_clocks(logs, messages));
    kpx_convert_events(m, logs, NULL, messages, &statistics);
    kpx_messages_free(messages);
    kpx_activities_destroy(m);
    kpx_statistics_free(&statistics);
    kpx_logs_destroy(logs);
}

static void collectives_that_do_not_end(void)
{
    begin("a call with a million collectives and no end");
    put(0, KPX_MPI_COMM, 0, 0, UINT64_C(0xfffffffe00000002), 77);
    put(0, KPX_MPI_BEGIN, ROUTINE_Scan, 0, 0, 0);
    for (uint64_t i = 0; i < MANY; i++)
        put(0, KPX_MPI_COLLECTIVE, ROUTINE_Scan, 0, i, 8);
    convert();
}

static void ranks_beyond(void)
{
    begin("scans of the rank 4294967294");
    put(0, KPX_MPI_COMM, 0, 0, UINT64_C(0xfffffffe00000002), 77);
    for (uint64_t i = 0; i < MANY / 4; i++) {
        put(0, KPX_MPI_BEGIN, ROUTINE_Scan, 0, 0, 0);
        put(0, KPX_MPI_COLLECTIVE, ROUTINE_Scan, 0, i % 2, 8);
        put(0, KPX_MPI_END, ROUTINE_Scan, 0, 0, 0);
    }
    convert();
}

static void neighbours_of_others(void)
{
    begin("many neighbours, and many calls among other ones");
    put(0, KPX_MPI_COMM, 0, 0, 2, 77);
    put(0, KPX_MPI_COMM, 0, 4000000000u, 2, 78);
    for (uint64_t i = 0; i < MANY / 2; i++)
        put(0, KPX_MPI_NEIGHBOUR, 0, i % 2 ? 4000000000u : 1, i, 0);
    for (uint64_t i = 0; i < MANY / 8; i++) {
        put(0, KPX_MPI_BEGIN, ROUTINE_Neighbor_allgather, 0, 0, 0);
        put(0, KPX_MPI_COLLECTIVE, ROUTINE_Neighbor_allgather, i % 2 ? 4000000000u : 0, i, 8);
        put(0, KPX_MPI_END, ROUTINE_Neighbor_allgather, 0, 0, 0);
    }
    convert();
}

static void requests_of_one_name(void)
{
    begin("requests of one name that the call completes in which they began");
    put(0, KPX_MPI_COMM, 0, 0, 2, 77);
    put(0, KPX_MPI_BEGIN, ROUTINE_Waitall, 0, 0, 0);
    for (uint64_t i = 0; i < MANY / 2; i++)
        put(0, KPX_MPI_POSTED, 0, 0, 5, 1);
    for (uint64_t i = 0; i < MANY / 2; i++)
        put(0, KPX_MPI_COMPLETED, 0, 0, 5, 1);
    convert();
}

static void sends_that_do_not_end(void)
{
    begin("sends that wait for their receives, and no end of their calls");
    for (uint32_t rank = 0; rank < 2; rank++)
        put(rank, KPX_MPI_COMM, 0, 0, (uint64_t)rank << 32 | 2, 77);
    for (uint64_t i = 0; i < MANY / 2; i++) {
        put(0, KPX_MPI_SEND, 1, 0, UINT64_C(1) << 32, 8);
        put(1, KPX_MPI_BEGIN, ROUTINE_Recv, 0, 0, 0);
        put(1, KPX_MPI_RECV, 0, 0, 0, 8);
    }
    convert();
}

static void waits_that_do_not_end(void)
{
    begin("waits behind a single that do not end");
    put(0, KPX_PARALLEL_BEGIN, 0, 2, 9, 0);
    put(0, KPX_IMPLICIT_BEGIN, 0, 2, 9, 10);
    put(0, KPX_WORK_BEGIN, KPX_WORK_SINGLE_OTHER, 0, 1, 0);
    put(0, KPX_TASK_CREATE, 0, 0, 50, 0);
    for (uint32_t i = 0; i < MANY / 4; i++) { // a task comes there, and is set aside
        put(0, KPX_TASK_SWITCH, 0, 0, 10, 50);
        put(0, KPX_WAIT_BEGIN, KPX_SYNC_BARRIER_IMPLEMENTATION, 2 * i, 9, 0);
        put(0, KPX_TASK_SWITCH, 0, 0, 50, 10);
    }
    convert();
}

static void tasks_that_begin_again(void)
{
    enum { TASKS = MANY / 8, FIRST = 100 };
    begin("a task of many dependences that begins many times");
    put(0, KPX_PARALLEL_BEGIN, 0, 2, 9, 0);
    put(0, KPX_IMPLICIT_BEGIN, 0, 2, 9, 10);
    for (uint64_t i = 0; i < TASKS; i++) {
        put(0, KPX_TASK_CREATE, 0, 0, FIRST + i, 0);
        put(0, KPX_TASK_SWITCH, 0, 0, 10, FIRST + i);
        put(0, KPX_TASK_SWITCH, KPX_TASK_COMPLETE, 0, FIRST + i, 10);
    }
    put(0, KPX_TASK_CREATE, 0, 0, 50, 0);
    for (uint64_t i = 0; i < TASKS; i++)
        put(0, KPX_TASK_AFTER, 0, 0, FIRST + i, 50);
    for (uint64_t i = 0; i < TASKS; i++) {
        put(0, KPX_TASK_SWITCH, 0, 0, 10, 50);
        put(0, KPX_TASK_SWITCH, KPX_TASK_COMPLETE, 0, 50, 10);
    }
    convert();
}

static void places_of_calls(void)
{
    puts("places that a million calls tell of");
    fflush(stdout);
    kpx_symbols *s = kpx_symbols_create();
    char text[64];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "%x %x", 0x1000 + i, 0x900000 + i);
        kpx_symbols_body(s, text);
    }
    kpx_symbols_destroy(s);
}

int main(void)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){LIMIT, LIMIT});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    collectives_that_do_not_end();
    ranks_beyond();
    neighbours_of_others();
    requests_of_one_name();
    sends_that_do_not_end();
    waits_that_do_not_end();
    tasks_that_begin_again();
    places_of_calls();
    return 0;
}
