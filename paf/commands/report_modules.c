// SPDX-License-Identifier: MIT
//
// The modules of a run and when they ran: as text, as JSON and as CSV.
#include "paf/commands/report.h"
#include "base/memory.h"
#include "paf/say/numbers.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_BUCKETS 100000 // of a profile
#define MOST_OF_REAL 2000 // of a real run of Fleng, by the clock

// main is shown only if a goal was its own.
static bool is_shown(const iot *a, uint32_t module)
{
    if (module || iot_get_module(a, 0)->work || iot_get_module(a, 0)->waiting)
        return true;
    const trace *t = iot_trace(a);
    for (uint32_t g = 0; iot_suspended(a) && g < trace_ngoals(t); g++) {
        if (trace_goal_reduction(t, g) == TRACE_NONE && iot_module_of_goal(a, g) == 0)
            return true;
    }
    return false;
}

// ---- Profiles -------------------------------------------------------------------------------

typedef struct {
    iot_clock clock;
    int64_t width; // steps of a bucket
    uint32_t n;
} buckets;

static buckets choose_buckets(const iot *a, iot_clock clock)
{
    int64_t span = iot_end(a, clock);
    buckets b = {.clock = clock, .width = 1};
    // By the clock of a real run a few hundred reductions have millions of nanoseconds.
    int64_t most = clock == IOT_REAL_TIME && !trace_is_measured(iot_trace(a)) ? MOST_OF_REAL : MOST_BUCKETS;
    while (span > most * b.width) // as the buckets of a profile grow
        b.width *= 2;
    b.n = (uint32_t)((span + b.width - 1) / b.width);
    return b;
}

// By module, all together last.
static iot_bucket *profiles_of(const iot *a, buckets b)
{
    iot_bucket *values = base_allocate((iot_nmodules(a) + (size_t)1) * b.n, sizeof *values);
    iot_profiles_by(a, b.clock, IOT_REDUCTIONS, 1, b.width, b.n, values);
    return values;
}

static json_t *profile_json(const iot_bucket *values, uint32_t n)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(array, paf_json_count(values[i].sum));
    return array;
}

int64_t paf_report_bucket(const iot *a, iot_clock clock)
{
    return choose_buckets(a, clock).width;
}

static json_t *modules_json(const iot *a, buckets b, const iot_bucket *profiles)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        if (!is_shown(a, i))
            continue;
        const iot_module m = iot_module_by(a, b.clock, i);
        json_t *row = json_object();
        json_object_set_new(row, "name", paf_json_text(m.name));
        json_object_set_new(row, "work", paf_json_count(m.work));
        json_object_set_new(row, "first", json_integer(m.first));
        json_object_set_new(row, "last", json_integer(m.last));
        if (paf_is_as_it_ran(a, b.clock))
            json_object_set_new(row, "busy", paf_json_count(m.busy));
        json_object_set_new(row, "peak", paf_json_count(m.peak));
        json_object_set_new(row, "waiting", paf_json_count(m.waiting));
        json_object_set_new(row, "critical", paf_json_count(m.critical));
        json_object_set_new(row, "profile", profile_json(profiles + (size_t)i * b.n, b.n));
        json_array_append_new(array, row);
    }
    return array;
}

void paf_report_modules_json(const iot *a, iot_clock clock, json_t *root)
{
    buckets b = choose_buckets(a, clock);
    iot_bucket *profiles = profiles_of(a, b);
    json_object_set_new(root, "profile", profile_json(profiles + (size_t)iot_nmodules(a) * b.n, b.n));
    json_object_set_new(root, "modules", modules_json(a, b, profiles));
    free(profiles);
}

// ---- CSV ------------------------------------------------------------------------------------

void paf_report_modules_csv(const iot *a, iot_clock clock)
{
    puts("\nname,work,first,last,peak,waiting,critical");
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module m = iot_module_by(a, clock, i);
        if (!is_shown(a, i))
            continue;
        paf_csv_text(m.name, ',');
        printf("%llu,%lld,%lld,%llu,%llu,%llu\n", (unsigned long long)m.work, (long long)m.first,
               (long long)m.last, (unsigned long long)m.peak, (unsigned long long)m.waiting,
               (unsigned long long)m.critical);
    }
}

void paf_report_series_csv(const iot *a, iot_clock clock)
{
    buckets b = choose_buckets(a, clock);
    iot_bucket *profiles = profiles_of(a, b);
    const iot_bucket **columns = base_allocate(iot_nmodules(a), sizeof *columns);
    printf("\ntime,all");
    for (uint32_t m = 0; m < iot_nmodules(a); m++) {
        if (is_shown(a, m)) {
            putchar(',');
            paf_csv_text(iot_get_module(a, m)->name, 0);
            columns[m] = profiles + (size_t)m * b.n;
        }
    }
    putchar('\n');
    const iot_bucket *all = profiles + (size_t)iot_nmodules(a) * b.n;
    for (uint32_t i = 0; i < b.n; i++) {
        printf("%lld,%llu", (long long)(1 + i * b.width), (unsigned long long)all[i].sum);
        for (uint32_t m = 0; m < iot_nmodules(a); m++) {
            if (columns[m])
                printf(",%llu", (unsigned long long)columns[m][i].sum);
        }
        putchar('\n');
    }
    free(columns);
    free(profiles);
}

// ---- For people -----------------------------------------------------------------------------

void paf_report_modules_text(const iot *a, iot_clock clock)
{
    const trace *t = iot_trace(a);
    paf_report_heading("Modules");
    bool real = paf_is_as_it_ran(a, clock);
    paf_table *table = paf_table_create(real ? "lrrrrrrrrrr" : "lrrrrrrrrr");
    const char *const names[] = {"name",    "work",     "busy",  "first",       "last",     "peak",
                                 "waiting", "critical", "share", "parallelism", "processes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (i != 2 || real)
            paf_table_add(table, "%s", names[i]);
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        const iot_module m = iot_module_by(a, clock, i);
        if (!is_shown(a, i))
            continue;
        paf_table_add(table, "%s", m.name);
        paf_table_add_amount(table, t, (int64_t)m.work);
        if (real)
            paf_table_add_nanoseconds(table, (int64_t)m.busy);
        paf_table_add_time(table, t, clock, m.first);
        paf_table_add_time(table, t, clock, m.last);
        paf_table_add(table, "%llu", (unsigned long long)m.peak);
        paf_table_add_time(table, t, clock, (int64_t)m.waiting);
        paf_table_add_amount(table, t, (int64_t)m.critical);
        char *share = paf_percent((double)m.critical, (double)iot_critical_cost(a));
        paf_table_add(table, "%s", share);
        g_free(share);
        paf_table_add(table, "%.2f", m.parallelism);
        paf_table_add(table, "%u", m.processes);
    }
    paf_table_print(table);
}
