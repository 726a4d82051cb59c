// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as the log of a recorded program. They are taken as a file, and as the
// events of four threads of two processes, which become activities and are written as a trace.
#include "kpx-bridge/clocks.h"
#include "kpx-bridge/converter.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_file(const uint8_t *data, size_t size)
{
    kpx_thread_log log;
    char *complaint = NULL;
    if (kpx_thread_log_parse(data, size, &log, &complaint))
        free(log.events);
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
        KPX_PUSH(p->threads, log);
    free(complaint);
    free(file);
}

static void as_events(const uint8_t *data, size_t size)
{
    kpx_logs *logs = kpx_allocate(sizeof *logs);
    uint32_t n = (uint32_t)(size / sizeof(kpx_event)), quarter = n / 4;
    kpx_event *events = calloc(n + 1, sizeof *events);
    memcpy(events, data, n * sizeof *events);
    for (uint32_t i = 0; i < n; i++) {
        events[i].kind %= KPX_EVENTS;
        events[i].time >>= 24;
    }
    for (uint32_t i = 0; i < 2; i++) {
        kpx_process_log p = {.id = i,
                             .pid = i,
                             .rank = (int)i,
                             .host = kpx_copy(i == 0 || size % 2 ? "one" : "two"),
                             .paused = size % 3 == 0,
                             .symbols = kpx_symbols_create()};
        for (uint32_t k = 0; k < 2; k++)
            add_thread(&p, k, events + (2 * i + k) * quarter, quarter);
        KPX_PUSH(logs->processes, p);
    }
    kpx_model *m = kpx_model_create();
    kpx_statistics statistics = {0};
    char *error = NULL;
    kpx_messages *messages = kpx_match_messages(logs);
    free(kpx_agree_clocks(logs, messages));
    kpx_convert_events(m, logs, NULL, messages, &statistics);
    kpx_messages_free(messages);
    kpx_write(m, "/dev/null", "fuzz", &statistics, true, 0, "", &error);
    free(error);
    kpx_model_destroy(m);
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
