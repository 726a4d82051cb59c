// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as the log of a recorded program. They are taken as a file, and as
// the events of four threads of two processes, which become activities and are written as a trace.
#include "kpx-bridge/log/clocks.h"
#include "kpx-bridge/timeline/events.h"
#include "kpx-bridge/timeline/executions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A file has a head; what is taken as events has none.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    bool file = size > KPX_HEADER_SIZE && memcmp(data, KPX_MAGIC, sizeof KPX_MAGIC - 1) == 0;
    return mutate_records(data, size, capacity, seed, file ? KPX_HEADER_SIZE : 0, sizeof(kpx_event));
}

static void as_file(const uint8_t *data, size_t size)
{
    kpx_thread_log log;
    char *complaint = NULL;
    if (kpx_thread_log_parse(data, size, &log, &complaint))
        kpx_thread_log_free(&log);
    free(complaint);
}

// A file with these events, taken apart again.
static void add_thread(kpx_process_log *p, uint32_t number, const kpx_event *events, uint32_t n)
{
    size_t size = KPX_HEADER_SIZE + n * sizeof *events;
    uint8_t *file = calloc(1, size);
    kpx_header header = {.event_size = sizeof *events, .thread = number, .kept = n, .seen = n};
    kpx_thread_log log;
    char *complaint = NULL;
    memcpy(header.magic, KPX_MAGIC, sizeof header.magic);
    memcpy(file, &header, sizeof header);
    if (n > 0)
        memcpy(file + KPX_HEADER_SIZE, events, n * sizeof *events);
    if (kpx_thread_log_parse(file, size, &log, &complaint))
        ARRAY_PUSH(p->threads, log);
    free(complaint);
    free(file);
}

// What the events of executions are of: three sites, one of them executed very often, and two rows
// of I/O.
static kpx_counters *measure(void)
{
    static const char text[] = "sites 3\n"
                               "0\t0\t2\t0\t1\t1\t9\t0\t1\tone\tone.f\t/x\t\n"
                               "1\t1\t2\t0\t1\t3\t5\t0\t1\tone\tone.f\t/x\t\n"
                               "2\t0\t2\t0\t1\t12\t15\t0\t12\ttwo\tone.f\t\t\n";
    kpx_counters *log = base_allocate(1, sizeof *log);
    for (uint32_t i = 0; i < 2; i++) {
        kpx_process_counters p = {.id = i};
        kpx_thread_counters t = {0};
        char *complaint = NULL;
        kpx_sites_parse(text, sizeof text - 1, &p.list, &complaint);
        free(complaint);
        for (uint64_t k = 0; k < 3; k++)
            ARRAY_PUSH(t.counters, ((kpx_counter){.count = k * 60}));
        for (uint64_t k = 0; k < 2; k++)
            ARRAY_PUSH(t.ios, ((kpx_io_row){.key = k, .line = 4, .unit = k ? KPX_INTERNAL : -3}));
        ARRAY_PUSH(p.threads, t);
        ARRAY_PUSH(log->processes, p);
    }
    return log;
}

static void tame(kpx_event *e)
{
    e->kind %= KPX_EVENTS;
    e->time >>= 24;
    if (e->kind == KPX_SITE_BEGIN || e->kind == KPX_SITE_END) {
        e->a %= 4;
        e->value %= 16;
    } else if (e->kind == KPX_TICKS) {
        e->a >>= 24;
        e->b >>= 24;
    }
}

static void as_events(const uint8_t *data, size_t size)
{
    kpx_logs *logs = base_allocate(1, sizeof *logs);
    uint32_t n = (uint32_t)(size / sizeof(kpx_event)), quarter = n / 4;
    kpx_event *events = calloc(n + 1, sizeof *events);
    memcpy(events, data, n * sizeof *events);
    for (uint32_t i = 0; i < n; i++)
        tame(&events[i]);
    for (uint32_t i = 0; i < 2; i++) {
        kpx_process_log p = {.id = i,
                             .pid = i,
                             .rank = (int)i,
                             .sites = i,
                             .limit = 100,
                             .host = base_copy(i == 0 || size % 2 ? "one" : "two"),
                             .paused = size % 3 == 0,
                             .symbols = kpx_symbols_create()};
        for (uint32_t k = 0; k < 2; k++)
            add_thread(&p, k, events + (2 * i + k) * quarter, quarter);
        ARRAY_PUSH(logs->processes, p);
    }
    kpx_activities *m = kpx_activities_create();
    kpx_statistics statistics = {0};
    char *error = NULL;
    kpx_messages *messages = kpx_match_messages(logs);
    free(kpx_agree_clocks(logs, messages));
    kpx_counters *measured = measure();
    free(kpx_left_out(logs, measured));
    kpx_convert_events(m, logs, measured, messages, &statistics);
    kpx_counters_destroy(measured);
    kpx_messages_free(messages);
    kpx_write(m, "/dev/null", "fuzz", &statistics, true, 0, "", &error);
    free(error);
    kpx_activities_destroy(m);
    kpx_statistics_free(&statistics);
    kpx_logs_destroy(logs);
    free(events);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_file(data, size);
    as_events(data, size);
    return 0;
}
