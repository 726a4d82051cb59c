// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as what a process tells of itself in its log (ID.process), alone and in a folder
// with another process, of which they are the half, and with threads' events, which they are, too.
#include <stdlib.h>

#include "folder.h"
#include "kpx-bridge/log/read_log.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

static void as_folder(const uint8_t *data, size_t size)
{
    enum { EVENTS = 4 };
    uint8_t events[KPX_HEADER_SIZE + EVENTS * sizeof(kpx_event)] = KPX_MAGIC;
    kpx_header head = {.event_size = sizeof(kpx_event), .kept = EVENTS};
    char *error = NULL;
    memcpy(head.magic, KPX_MAGIC, sizeof head.magic);
    memcpy(events, &head, sizeof head);
    for (size_t i = 0; size > 0 && i < EVENTS * sizeof(kpx_event); i++)
        events[KPX_HEADER_SIZE + i] = data[i % size];
    const char *log = empty_folder();
    put_file("7.process", data, size);
    put_file("8.process", data, size / 2);
    put_file("7-0.events", events, sizeof events);
    put_file("7-1.events", data, size);
    put_file("7-3.events", events, sizeof events); // 7-2 is missing
    head.window = 2;
    head.moved = 1;
    memcpy(events, &head, sizeof head);
    put_file("9-0.events", events, sizeof events); // in a window; nothing tells what the process was
    kpx_logs *logs = kpx_logs_read(log, &error);
    if (!logs && !error)
        abort();
    if (logs) {
        kpx_logs_processors(logs);
        kpx_logs_threads(logs);
        kpx_logs_destroy(logs);
    }
    kpx_logs_count_events(log);
    free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_folder(data, size);
    kpx_process_log p = {.rank = -1, .symbols = kpx_symbols_create()};
    kpx_process_parse(&p, (const char *)data, size);
    if (p.rank < -1 || p.ranks < 0)
        abort();
    kpx_process_free(&p);
    return 0;
}
