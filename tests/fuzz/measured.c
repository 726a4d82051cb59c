// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as what a measured program left: a list of sites, the counters of two
// threads, and what was not to be timed. They become totals, which are written as a trace. Tables
// have a size of their own, so the bytes are spread over one.
#include "kpx-bridge/totals/counters.h"
#include "kpx-bridge/timeline/activities.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "folder.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Lists of sites are text; what is spread over tables are numbers.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    if (size > 0 && memchr(data, '\t', size) && seed % 4 != 0)
        return mutate_text(data, size, capacity, seed / 4);
    return mutate_records(data, size, capacity, seed, 0, sizeof(uint64_t));
}

static void spread(uint8_t *to, size_t room, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < room && size > 0; i += size)
        memcpy(to + i, data, room - i < size ? room - i : size);
}

static uint8_t *make_table(uint32_t sites, const uint8_t *data, size_t size)
{
    size_t room = kpx_table_size(sites);
    uint8_t *bytes = calloc(1, room);
    kpx_table head = {.sites = sites, .depth = size % 40, .timed = 1, .ns1 = 1000, .tick1 = size};
    memcpy(head.magic, KPX_TABLE_MAGIC, sizeof head.magic);
    spread(bytes + KPX_TABLE_HEADER, sites * sizeof(kpx_counter), data, size);
    spread(bytes + kpx_table_frames_at(sites), 64 * sizeof(kpx_frame_row), data, size);
    spread(bytes + kpx_table_io_at(sites), 4 * sizeof(kpx_io_row), data, size);
    memcpy(bytes, &head, sizeof head);
    return bytes;
}

static void add_table(kpx_process_counters *p, uint32_t sites, const uint8_t *data, size_t size)
{
    uint8_t *bytes = make_table(sites, data, size);
    kpx_thread_counters counters;
    char *complaint = NULL;
    if (kpx_table_parse(bytes, kpx_table_size(sites), &counters, &complaint))
        ARRAY_PUSH(p->threads, counters);
    free(complaint);
    free(bytes);
}

static void as_folder(const uint8_t *data, size_t size)
{
    const char *log = empty_folder();
    char *error = NULL;
    kpx_site_list list = {0};
    uint32_t sites = kpx_sites_parse((const char *)data, size, &list, &error) ? list.sites.n : 0;
    size_t room = kpx_table_size(sites);
    uint8_t *table = make_table(sites, data, size);
    put_file("7.sites", data, size);
    put_file("7-0.table", table, room);
    put_file("7-1.table", table, room / 2);
    put_file("8-0.table", data, size);
    put_file(KPX_SUPPRESSED, data, size);
    kpx_counters *log_read = kpx_counters_read(log);
    if (log_read)
        kpx_counters_destroy(log_read);
    kpx_sites_free(&list);
    free(table);
    free(error);
}

static void as_file(const uint8_t *data, size_t size)
{
    kpx_thread_counters counters;
    char *complaint = NULL;
    if (kpx_table_parse(data, size, &counters, &complaint))
        kpx_thread_counters_free(&counters);
    free(complaint);
}

static void as_log(const uint8_t *data, size_t size)
{
    kpx_counters *log = base_allocate(1, sizeof *log);
    kpx_process_counters p = {0};
    char *complaint = NULL, *error = NULL;
    if (kpx_sites_parse((const char *)data, size, &p.list, &complaint))
        for (size_t i = 0; i < 2; i++)
            add_table(&p, p.list.sites.n, data + i * size / 2, size / 2);
    free(complaint);
    ARRAY_PUSH(log->processes, p);
    kpx_parse_suppressed((const char *)data, size, &log->suppressed);
    free(kpx_suppressed_strangers(log));
    kpx_activities *m = kpx_activities_create();
    kpx_totals *totals = kpx_counter_totals(log);
    if (!kpx_write_suppressed(totals, 2, empty_folder(), &error))
        free(error);
    error = NULL;
    kpx_add_totals(m, totals);
    kpx_write(m, "/dev/null", "fuzz", NULL, true, 0, "", &error);
    free(error);
    kpx_activities_destroy(m);
    kpx_counters_destroy(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_file(data, size);
    as_folder(data, size);
    as_log(data, size);
    return 0;
}
