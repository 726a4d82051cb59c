// SPDX-License-Identifier: MIT
//
// `paf report` of samples: what each worker did at regular times, without the history of the run.
// Figures that need a history are null in JSON and left out elsewhere.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/commands/report.h"

#include "paf/say/numbers.h"
#include "profiler/samples.h"

enum { MOST_BUCKETS = 1000, COLUMNS_SHOWN = 64 }; // of a timeline: in JSON, in text
enum { MOST_CELLS = 1 << 20 };                    // of all timelines

static const char *const state_names[TRACE_STATES] = {"busy", "looking", "idle", "collecting"};
static const char state_letters[TRACE_STATES] = {'#', '?', '.', 'c'}; // as print_timeline() tells

typedef struct {
    uint64_t of[TRACE_STATES]; // samples
} sums;

// A timeline: bucket b of worker w is at[w * n + b].
typedef struct {
    uint64_t width; // samples of a bucket; the last one may have fewer
    uint32_t n;
    sums *at;
} timeline;

// The samples of one worker, divided among its buckets.
static void fill_row(const trace_sampled *w, uint64_t width, sums *row)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < w->nruns; i++) {
        uint64_t end = at + (w->runs[i] >> 2), next;
        for (; at < end; at = next) {
            next = (at / width + 1) * width;
            next = next < end ? next : end;
            row[at / width].of[w->runs[i] & 3] += next - at;
        }
    }
}

static timeline make_timeline(const trace_samples *s, uint32_t most)
{
    if (most > MOST_CELLS / s->nworkers)
        most = MOST_CELLS / s->nworkers;
    timeline l = {.width = s->n / most + (s->n % most > 0)};
    l.n = (uint32_t)(s->n / l.width + (s->n % l.width > 0));
    l.at = base_allocate((size_t)l.n * s->nworkers, sizeof *l.at);
    for (uint32_t i = 0; i < s->nworkers; i++)
        fill_row(&s->workers[i], l.width, l.at + (size_t)i * l.n);
    return l;
}

static sums sum_of(const timeline *l, uint32_t worker)
{
    sums sum = {0};
    for (uint32_t b = 0; b < l->n; b++)
        for (int k = 0; k < TRACE_STATES; k++)
            sum.of[k] += l->at[(size_t)worker * l->n + b].of[k];
    return sum;
}

static sums sum_of_all(const timeline *l, uint32_t workers)
{
    sums sum = {0};
    for (uint32_t i = 0; i < workers; i++) {
        sums one = sum_of(l, i);
        for (int k = 0; k < TRACE_STATES; k++)
            sum.of[k] += one.of[k];
    }
    return sum;
}

// ---- JSON and CSV ---------------------------------------------------------------------------

static json_t *sums_json(const sums *s, uint64_t every)
{
    json_t *o = json_object();
    for (int k = 0; k < TRACE_STATES; k++)
        json_object_set_new(o, state_names[k], paf_json_count(s->of[k] * every));
    return o;
}

static json_t *timeline_json(const timeline *l, uint32_t worker, uint64_t every)
{
    json_t *o = json_object();
    for (int k = 0; k < TRACE_STATES; k++) {
        json_t *array = json_array();
        for (uint32_t b = 0; b < l->n; b++)
            json_array_append_new(array,
                                  paf_json_count(l->at[(size_t)worker * l->n + b].of[k] * every));
        json_object_set_new(o, state_names[k], array);
    }
    return o;
}

static void print_json(const trace *t, const trace_samples *s)
{
    json_t *root = paf_json_answer(), *workers = json_array();
    timeline l = make_timeline(s, MOST_BUCKETS);
    sums all = sum_of_all(&l, s->nworkers);
    json_object_set_new(root, "program", paf_json_text(trace_program(t)));
    json_object_set_new(root, "clock", paf_json_text(paf_clock_name(t)));
    json_object_set_new(root, "every", paf_json_count(s->every));
    json_object_set_new(root, "samples", paf_json_count(s->n));
    json_object_set_new(root, "all", sums_json(&all, s->every));
    json_object_set_new(root, "bucket", paf_json_count(l.width * s->every));
    for (uint32_t i = 0; i < s->nworkers; i++) {
        sums one = sum_of(&l, i);
        json_t *row = sums_json(&one, s->every);
        json_object_set_new(row, "name", paf_json_take(g_strdup_printf("worker %u", i)));
        json_object_set_new(row, "timeline", timeline_json(&l, i, s->every));
        json_array_append_new(workers, row);
    }
    json_object_set_new(root, "workers", workers);
    static const char *const lacking[] = {
        "work",          "span",   "parallelism", "suspended", "profile",  "modules", "dependencies",
        "critical_path", "cycles", "unneeded",    "findings",  "together", "notes",   "hasten"};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
        json_object_set_new(root, lacking[i], json_null());
    paf_json_print(root);
    free(l.at);
}

static void print_csv_row(const sums *s, uint64_t every)
{
    for (int k = 0; k < TRACE_STATES; k++)
        printf(",%" PRIu64, s->of[k] * every);
    putchar('\n');
}

static void print_csv(const trace *t, const trace_samples *s)
{
    timeline l = make_timeline(s, MOST_BUCKETS);
    puts("program,clock,every,samples");
    paf_csv_text(trace_program(t), ',');
    printf("%s,%" PRIu64 ",%" PRIu64 "\n\nworker,busy,looking,idle,collecting\n", paf_clock_name(t),
           s->every, s->n);
    for (uint32_t i = 0; i < s->nworkers; i++) {
        sums one = sum_of(&l, i);
        printf("worker %u", i);
        print_csv_row(&one, s->every);
    }
    puts("\ntime,worker,busy,looking,idle,collecting");
    for (uint32_t b = 0; b < l.n; b++)
        for (uint32_t i = 0; i < s->nworkers; i++) {
            printf("%" PRIu64 ",worker %u", b * l.width * s->every, i);
            print_csv_row(&l.at[(size_t)i * l.n + b], s->every);
        }
    free(l.at);
}

// ---- For people -----------------------------------------------------------------------------

static void add_row(paf_table *table, const char *name, const sums *s, double samples)
{
    paf_table_add(table, "%s", name);
    for (int k = 0; k < TRACE_STATES; k++) {
        char *share = paf_percent((double)s->of[k], samples);
        paf_table_add(table, "%s", share);
        g_free(share);
    }
}

static void print_shares(const trace_samples *s, const timeline *l)
{
    paf_table *table = paf_table_create("lrrrr");
    paf_table_add(table, "worker");
    for (int k = 0; k < TRACE_STATES; k++)
        paf_table_add(table, "%s", state_names[k]);
    for (uint32_t i = 0; i < s->nworkers; i++) {
        char *name = g_strdup_printf("worker %u", i);
        sums one = sum_of(l, i);
        add_row(table, name, &one, (double)s->n);
        g_free(name);
    }
    sums all = sum_of_all(l, s->nworkers);
    if (s->nworkers > 1)
        add_row(table, "all", &all, (double)s->n * s->nworkers);
    paf_table_print(table);
}

static char letter_of(const sums *s)
{
    int most = 0;
    for (int k = 1; k < TRACE_STATES; k++)
        if (s->of[k] > s->of[most])
            most = k;
    return state_letters[most];
}

static void print_timeline(const trace_samples *s, const timeline *l)
{
    char *width = paf_nanoseconds((int64_t)(l->width * s->every));
    paf_table *table = paf_table_create("ll");
    paf_table_add(table, "timeline");
    paf_table_add(table, "%s a letter; # busy, ? looking, . idle, c collecting", width);
    g_free(width);
    for (uint32_t i = 0; i < s->nworkers; i++) {
        char row[COLUMNS_SHOWN + 1] = "";
        for (uint32_t b = 0; b < l->n; b++)
            row[b] = letter_of(&l->at[(size_t)i * l->n + b]);
        paf_table_add(table, "worker %u", i);
        paf_table_add(table, "%s", row);
    }
    paf_table_print(table);
}

static void print_text(const trace *t, const trace_samples *s)
{
    timeline l = make_timeline(s, COLUMNS_SHOWN);
    char *every = paf_nanoseconds((int64_t)s->every);
    char *elapsed = paf_nanoseconds((int64_t)(s->n * s->every));
    char *samples = paf_count(s->n, "sample", "samples");
    char *workers = paf_count(s->nworkers, "worker", "workers");
    printf("%s%s%s: %s, %s of each in %s, one every %s\n", paf_style_begin(STYLE_STRONG),
           trace_program(t), paf_style_end(STYLE_STRONG), workers, samples, elapsed, every);
    puts("These are samples of what workers did, without reductions. Record with -trace to see what\n"
         "they reduced, and who waited for whom.\n");
    g_free(every);
    g_free(elapsed);
    g_free(samples);
    g_free(workers);
    print_shares(s, &l);
    putchar('\n');
    print_timeline(s, &l);
    free(l.at);
}

void paf_report_samples(const trace *t, bool json, bool csv)
{
    const trace_samples *s = trace_get_samples(t);
    if (json)
        print_json(t, s);
    else if (csv)
        print_csv(t, s);
    else
        print_text(t, s);
}
