// SPDX-License-Identifier: MIT
//
// `paf report` of a profile: figures by module, without the history of the run. Figures that need a
// history are null in JSON and left out elsewhere.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "paf/commands/report.h"

#include "profiler/profile.h"

#define MOST_BUCKETS 100000 // of a profile in JSON

typedef struct {
    uint64_t work, waiting, peak;
} row_sums;

static row_sums sum_row(const trace_profile *p, const trace_profile_row *row)
{
    row_sums s = {.peak = row->peak};
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        s.work += row->reduced[i];
        s.waiting += row->waiting[i];
    }
    return s;
}

static const trace_profile_row *whole(const trace_profile *p)
{
    return &p->rows[p->nmodules];
}

static double parallelism(const trace_profile *p)
{
    return p->span ? (double)sum_row(p, whole(p)).work / (double)p->span : 0;
}

// main is shown only if a goal was its own.
static bool is_shown(const trace_profile *p, uint32_t module)
{
    row_sums s = sum_row(p, &p->rows[module]);
    return module || s.work || s.waiting || p->rows[module].suspended;
}

// How many buckets of the file make one of the answer.
static uint32_t merged(const trace_profile *p)
{
    uint32_t n = (p->nbuckets + MOST_BUCKETS - 1) / MOST_BUCKETS;
    return n ? n : 1;
}

static json_t *profile_json(const trace_profile *p, const trace_profile_row *row)
{
    json_t *array = json_array();
    uint32_t step = merged(p);
    for (uint32_t i = 0; i < p->nbuckets; i += step) {
        uint64_t sum = 0;
        for (uint32_t j = i; j < i + step && j < p->nbuckets; j++)
            sum += row->reduced[j];
        json_array_append_new(array, paf_json_count(sum));
    }
    return array;
}

static json_t *module_json(const trace *t, const trace_profile *p, const trace_profile_row *row)
{
    row_sums s = sum_row(p, row);
    json_t *o = json_object();
    json_object_set_new(o, "name", paf_json_text(trace_string(t, row->name, NULL)));
    json_object_set_new(o, "work", paf_json_count(s.work));
    json_object_set_new(o, "first", json_integer(row->first));
    json_object_set_new(o, "last", json_integer(row->last));
    json_object_set_new(o, "peak", paf_json_count(s.peak));
    json_object_set_new(o, "waiting", paf_json_count(s.waiting));
    json_object_set_new(o, "critical", json_null());
    json_object_set_new(o, "profile", profile_json(p, row));
    return o;
}

static void print_json(const trace *t, const trace_profile *p)
{
    json_t *root = paf_json_answer(), *modules = json_array();
    int64_t width = p->width * merged(p);
    json_object_set_new(root, "program", paf_json_text(trace_program(t)));
    json_object_set_new(root, "clock", paf_json_text(paf_clock_name(t)));
    json_object_set_new(root, "work", paf_json_count(sum_row(p, whole(p)).work));
    json_object_set_new(root, "span", json_integer(p->span));
    json_object_set_new(root, "parallelism", json_real(parallelism(p)));
    json_object_set_new(root, "suspended", paf_json_count(whole(p)->suspended));
    if (width > 1)
        json_object_set_new(root, "bucket", json_integer(width));
    json_object_set_new(root, "profile", profile_json(p, whole(p)));
    for (uint32_t m = 0; m < p->nmodules; m++) {
        if (is_shown(p, m))
            json_array_append_new(modules, module_json(t, p, &p->rows[m]));
    }
    json_object_set_new(root, "modules", modules);
    static const char *const lacking[] = {"dependencies", "critical_path", "cycles", "unneeded",
                                          "findings",     "together",      "notes",  "hasten"};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        json_object_set_new(root, lacking[i], json_null());
    paf_json_print(root);
}

static void print_modules(const trace *t, const trace_profile *p, bool csv)
{
    paf_table *table = csv ? NULL : paf_table_create("lrrrrr");
    const char *const names[] = {"name", "work", "first", "last", "peak", "waiting"};
    for (size_t i = 0; !csv && i < sizeof names / sizeof *names; i++)
        paf_table_add(table, "%s", names[i]);
    for (uint32_t m = 0; m < p->nmodules; m++) {
        const trace_profile_row *row = &p->rows[m];
        row_sums s = sum_row(p, row);
        const char *name = trace_name(t, row->name);
        if (!is_shown(p, m))
            continue;
        if (csv) {
            paf_csv_text(name, ',');
            printf("%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 "\n", s.work,
                   row->first, row->last, s.peak, s.waiting);
            continue;
        }
        paf_table_add(table, "%s", name);
        paf_table_add(table, "%" PRIu64, s.work);
        paf_table_add(table, "%" PRId64, row->first);
        paf_table_add(table, "%" PRId64, row->last);
        paf_table_add(table, "%" PRIu64, s.peak);
        paf_table_add(table, "%" PRIu64, s.waiting);
    }
    if (!csv)
        paf_table_print(table);
}

static void print_csv(const trace *t, const trace_profile *p)
{
    puts("program,clock,work,span,parallelism,suspended");
    paf_csv_text(trace_program(t), ',');
    printf("%s,%" PRIu64 ",%" PRId64 ",%.17g,%" PRIu64 "\n", paf_clock_name(t),
           sum_row(p, whole(p)).work, p->span, parallelism(p), whole(p)->suspended);
    puts("\nname,work,first,last,peak,waiting");
    print_modules(t, p, true);
    printf("\ntime,all");
    for (uint32_t m = 0; m < p->nmodules; m++) {
        if (is_shown(p, m)) {
            putchar(',');
            paf_csv_text(trace_name(t, p->rows[m].name), 0);
        }
    }
    putchar('\n');
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        printf("%" PRId64 ",%" PRIu64, 1 + i * p->width, whole(p)->reduced[i]);
        for (uint32_t m = 0; m < p->nmodules; m++) {
            if (is_shown(p, m))
                printf(",%" PRIu64, p->rows[m].reduced[i]);
        }
        putchar('\n');
    }
}

static void print_text(const trace *t, const trace_profile *p)
{
    row_sums s = sum_row(p, whole(p));
    uint64_t suspended = whole(p)->suspended;
    printf("%s%s%s: %" PRIu64 " reduction%s in %" PRId64
           " step%s, parallelism %.4g, at most %" PRIu64 " at once, %" PRIu64
           " goal%s never reduced\n",
           paf_style_begin(STYLE_STRONG), trace_program(t), paf_style_end(STYLE_STRONG), s.work,
           s.work == 1 ? "" : "s", p->span, p->span == 1 ? "" : "s", parallelism(p), s.peak,
           suspended, suspended == 1 ? "" : "s");
    printf("This is a profile: figures by module, without causes. Record with -trace to see the\n"
           "critical path and who waits for whom.\n\n");
    print_modules(t, p, false);
}

void paf_report_profile(const trace *t, bool json, bool csv)
{
    const trace_profile *p = trace_get_profile(t);
    if (json)
        print_json(t, p);
    else if (csv)
        print_csv(t, p);
    else
        print_text(t, p);
}
