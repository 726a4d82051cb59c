// SPDX-License-Identifier: MIT
//
// The Chrome trace event format.
#include "paf/commands/export.h"
#include "paf/commands/command.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_EVENTS 100000 // of a counter

// The text as JSON has it, with quotes; to be freed with free().
static char *quoted(const char *text)
{
    json_t *value = paf_json_text(text);
    char *result = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return result;
}

static void begin(const iot *a, const char *unit, FILE *file)
{
    char *name = quoted(trace_program(iot_trace(a)));
    fprintf(file,
            "{\"displayTimeUnit\": \"%s\", \"traceEvents\": [\n"
            "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": %s}}",
            unit, name);
    free(name);
}

static void write_threads(const trace *t, FILE *file)
{
    for (uint32_t i = 0; i < trace_nplaces(t); i++) {
        const char *named = trace_place_name(t, i);
        char *plain = named ? g_strdup(named) : g_strdup_printf("worker %u", i);
        char *name = quoted(plain);
        fprintf(file,
                ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", "
                "\"args\": {\"name\": %s}}",
                i, name);
        g_free(plain);
        free(name);
    }
}

static void write_reduction(const iot *a, uint32_t r, char **predicates, char **modules, FILE *file)
{
    const trace *t = iot_trace(a);
    uint32_t goal = trace_reduction_goal(t, r);
    bool beginning = goal == TRACE_NONE;
    fprintf(file,
            ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f, \"dur\": %.3f, "
            "\"name\": %s, \"cat\": %s, \"args\": {\"time\": %" PRId64,
            trace_place(t, r), (double)trace_start(t, r) / 1e3,
            (double)(trace_end(t, r) - trace_start(t, r)) / 1e3,
            beginning ? "\"beginning\"" : predicates[trace_goal_predicate(t, goal)],
            modules[beginning ? 0 : iot_module_of_goal(a, goal)], trace_time(t, r));
    if (!beginning)
        fprintf(file, ", \"goal\": %u", goal);
    fputs("}}", file);
}

static char **quoted_modules(const iot *a)
{
    uint32_t n = iot_nmodules(a);
    char **names = g_new(char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = quoted(iot_get_module(a, i)->name);
    names[n] = NULL;
    return names;
}

// All calls and loops of a measured run have the same predicates: their modules tell them apart.
static char *name_of(const trace *t, uint32_t predicate)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    if (p->kind == TRACE_KIND_ROUTINE || p->kind == TRACE_KIND_LOOP ||
        p->kind == TRACE_KIND_DO_LOOP)
        return g_strdup(trace_module_name(t, p->module));
    return paf_predicate_name(t, predicate);
}

static char **quoted_predicates(const trace *t)
{
    uint32_t n = trace_npredicates(t);
    char **names = g_new(char *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        char *plain = name_of(t, i);
        names[i] = quoted(plain);
        g_free(plain);
    }
    names[n] = NULL;
    return names;
}

static void free_names(char **names)
{
    for (char **name = names; *name; name++)
        free(*name);
    g_free(names);
}

enum { SAMPLES = 1000 };

// About, by some of the reductions; less than SAMPLES are not estimated.
uint64_t paf_places_size(const iot *a, double from, double to)
{
    const trace *t = iot_trace(a);
    uint32_t n = trace_nreductions(t), every = n / SAMPLES;
    uint64_t taken = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *file = every > 0 ? open_memstream(&text, &size) : NULL;
    if (!file)
        return 0;
    char **predicates = quoted_predicates(t), **modules = quoted_modules(a);
    for (uint32_t r = 0; r < n; r += every)
        if ((double)trace_end(t, r) >= from && (double)trace_start(t, r) < to) {
            write_reduction(a, r, predicates, modules, file);
            taken++;
        }
    free_names(predicates);
    free_names(modules);
    bool whole = fclose(file) == 0;
    free(text);
    return whole && taken > 0 ? (uint64_t)size * every : 0;
}

void paf_write_places(const iot *a, double from, double to, FILE *file)
{
    const trace *t = iot_trace(a);
    char **predicates = quoted_predicates(t), **modules = quoted_modules(a);
    begin(a, "ns", file);
    write_threads(t, file);
    for (uint32_t r = 0; r < trace_nreductions(t); r++)
        if ((double)trace_end(t, r) >= from && (double)trace_start(t, r) < to)
            write_reduction(a, r, predicates, modules, file);
    fputs("\n]}\n", file);
    free_names(predicates);
    free_names(modules);
}

static void write_processors(const iot_schedule *s, FILE *file)
{
    for (uint32_t i = 0; i < s->sums.processors; i++)
        fprintf(file,
                ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", "
                "\"args\": {\"name\": \"processor %u\"}}",
                i, i);
}

static void write_simulated(const iot *a, const iot_schedule *s, uint32_t r, char **predicates,
                            char **modules, FILE *file)
{
    uint32_t goal = trace_reduction_goal(iot_trace(a), r);
    if (s->waited[r] < s->starts[r])
        fprintf(file,
                ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %" PRId64 ", \"dur\": %" PRId64
                ", \"name\": \"waiting\", \"cat\": \"waiting\", \"args\": {\"goal\": %u}}",
                s->places[r], s->waited[r], s->starts[r] - s->waited[r], goal);
    fprintf(file,
            ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %" PRId64 ", \"dur\": %" PRId64
            ", \"name\": %s, \"cat\": %s, \"args\": {\"time\": %" PRId64 ", \"goal\": %u}}",
            s->places[r], s->starts[r], iot_schedule_end(s, r) - s->starts[r],
            predicates[trace_goal_predicate(iot_trace(a), goal)],
            modules[iot_module_of_goal(a, goal)], trace_time(iot_trace(a), r), goal);
}

void paf_write_schedule(const iot *a, const iot_schedule *s, double from, double to, FILE *file)
{
    char **predicates = quoted_predicates(iot_trace(a)), **modules = quoted_modules(a);
    begin(a, "ms", file);
    write_processors(s, file);
    for (uint32_t r = 1; r < s->n; r++)
        if ((double)iot_schedule_end(s, r) > from && (double)s->waited[r] < to)
            write_simulated(a, s, r, predicates, modules, file);
    fputs("\n]}\n", file);
    free_names(predicates);
    free_names(modules);
}

void paf_write_parallelism(const iot *a, iot_clock clock, int64_t from, int64_t to, FILE *file)
{
    uint32_t nmodules = iot_nmodules(a);
    int64_t width = 1;
    while ((to - from) / width > MOST_EVENTS)
        width *= 2;
    uint32_t n = (uint32_t)((to - from + width - 1) / width);
    char **modules = quoted_modules(a);
    iot_bucket *buckets = g_new0(iot_bucket, (size_t)n * (nmodules + (size_t)1));
    iot_profiles_by(a, clock, IOT_REDUCTIONS, from, width, n, buckets);
    begin(a, "ms", file);
    bool timed = trace_is_measured(iot_trace(a)) || clock == IOT_REAL_TIME;
    for (uint32_t i = 0; i <= n; i++) {
        int64_t step = i < n ? from + i * width : to;
        fputs(",\n{\"ph\": \"C\", \"pid\": 1, \"name\": \"parallelism\", \"ts\": ", file);
        if (timed)
            fprintf(file, "%.3f", (double)step / 1e3);
        else
            fprintf(file, "%" PRId64, step);
        fputs(", \"args\": {", file);
        for (uint32_t m = 0; m < nmodules; m++)
            fprintf(file, "%s%s: %.10g", m ? ", " : "", modules[m],
                    i < n ? (double)buckets[(size_t)m * n + i].sum / (double)width : 0);
        fputs("}}", file);
    }
    fputs("\n]}\n", file);
    g_free(buckets);
    free_names(modules);
}
