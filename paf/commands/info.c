// SPDX-License-Identifier: MIT
//
// `paf info`: what a trace file holds.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "paf/commands/command.h"
#include "iotree/overview.h"
#include "paf/say/numbers.h"
#include "profiler/profile.h"
#include "profiler/regions.h"
#include "profiler/samples.h"
#include "profiler/totals.h"

#define SHOWN_WAITING 10u // suspended goals told one by one
#define SHOWN_CELLS   12u // of a goal's arguments

static const char help[] =
    "usage: paf info [OPTION...] FILE.paf\n"
    "What the file holds: program, clock, how the run ended, and how much of everything.\n"
    "\n"
    "  --verify       read every checksum, too, and compare the summary with the reductions\n"
    "  --json         as JSON\n"
    "  --memory SIZE  that may be taken, as in 500M or 2G\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0; 1 the file is damaged (what is readable is told); 2 usage.\n";

typedef struct {
    uint64_t work, suspended;
    uint32_t variables;
    int64_t span;
    double bytes_each;      // per reduction
    uint32_t *by_predicate; // reductions
} counts;

// A profile has figures in place of goals.
static void count_profile(const trace_profile *p, counts *c)
{
    if (!p)
        return;
    const trace_profile_row *all = &p->rows[p->nmodules];
    for (uint32_t i = 0; i < p->nbuckets; i++)
        c->work += all->reduced[i];
    c->suspended = all->suspended;
    c->span = p->span;
}

static counts count(const trace *t)
{
    counts c = {.work = trace_nreductions(t) ? trace_nreductions(t) - 1 : 0};
    c.span = c.work ? trace_time(t, c.work) : 0;
    count_profile(trace_get_profile(t), &c);
    c.bytes_each = c.work ? (double)trace_file_size(t) / (double)c.work : 0;
    c.by_predicate = base_allocate((size_t)trace_npredicates(t) + 1, sizeof *c.by_predicate);
    for (uint32_t g = 0; g < trace_ngoals(t); g++) {
        if (trace_goal_reduction(t, g) == TRACE_NONE)
            c.suspended++;
        else
            c.by_predicate[trace_goal_predicate(t, g)]++;
    }
    for (uint32_t i = 0; i < trace_ncells(t); i++)
        c.variables += trace_cell_get_kind(t, i) == TC_VARIABLE;
    return c;
}

// ---------------------------------------------------------------------------------------------
// JSON

static json_t *sources_json(const trace *t)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < trace_nsources(t); i++) {
        const trace_source *s = trace_get_source(t, i);
        size_t length;
        trace_string(t, s->text, &length);
        json_t *o = json_object();
        json_object_set_new(o, "name", paf_json_text(trace_string(t, s->name, NULL)));
        json_object_set_new(o, "bytes", paf_json_count(length));
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *predicates_json(const trace *t, const counts *c)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *p = trace_get_predicate(t, i);
        json_t *o = json_object();
        json_object_set_new(o, "predicate", paf_json_take(iot_predicate_text(t, i)));
        json_object_set_new(o, "module", paf_json_text(trace_module_name(t, p->module)));
        json_object_set_new(o, "builtin", json_boolean(p->origin == TRACE_BUILTIN));
        json_object_set_new(o, "reductions", paf_json_count(c->by_predicate[i]));
        json_array_append_new(array, o);
    }
    return array;
}

static const char *kind_of(const trace *t)
{
    bool history = trace_nreductions(t) > 0;
    return trace_get_samples(t) && !history ? "samples"
           : trace_get_profile(t)           ? "profile"
           : history                        ? "trace"
                                            : "totals";
}

static json_t *totals_json(const trace_totals *totals)
{
    static const char *const names[] = {"units", "loops", "io", "calls"};
    static const char *const clocks[] = {"elapsed", "cpu", "unknown"};
    uint64_t n[TRACE_TOTAL_KINDS] = {0};
    if (!totals)
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "clock", paf_json_text(clocks[totals->clock]));
    json_object_set_new(o, "nodes", paf_json_count(totals->nnodes));
    for (uint32_t i = 0; i < totals->ntotals; i++)
        n[totals->totals[i].kind]++;
    for (int i = 0; i < TRACE_TOTAL_KINDS; i++)
        json_object_set_new(o, names[i],
                            totals->tables[i].observed ? paf_json_count(n[i]) : json_null());
    json_object_set_new(o, "messages", json_boolean(totals->messages));
    return o;
}

static void print_json(const trace *t, const char *path, const counts *c)
{
    uint32_t failed = trace_failed_goal(t);
    json_t *o = paf_json_answer();
    json_object_set_new(o, "file", paf_json_text(path));
    json_object_set_new(o, "kind", paf_json_text(kind_of(t)));
    json_object_set_new(o, "version", paf_json_count(trace_version(t)));
    json_object_set_new(o, "program", paf_json_text(trace_program(t)));
    json_object_set_new(o, "clock", paf_json_text(paf_clock_name(t)));
    json_object_set_new(o, "ending", paf_json_text(paf_ending_name(trace_get_ending(t))));
    json_object_set_new(o, "exit_status", json_integer(trace_exit_status(t)));
    json_object_set_new(o, "message", paf_json_text(trace_message(t)));
    json_object_set_new(o, "failed_goal",
                        failed == TRACE_NONE ? json_null() : paf_json_count(failed));
    json_object_set_new(o, "reductions", paf_json_count(c->work));
    json_object_set_new(o, "span", json_integer(c->span));
    if (trace_part(t))
        json_object_set_new(o, "recorded", paf_json_text(trace_part(t)));
    if (trace_is_older_definition(t))
        json_object_set_new(o, "older_definition", json_true());
    if (iot_lost_events(t, NULL) > 0)
        json_object_set_new(o, "losses", paf_json_dropped(t));
    if (trace_get_cut(t))
        json_object_set_new(o, "cut", paf_json_cut(trace_get_cut(t)));
    json_object_set_new(o, "workers", paf_json_count(trace_nplaces(t)));
    if (trace_get_machine(t).processors > 0)
        json_object_set_new(o, "processors", paf_json_count(trace_get_machine(t).processors));
    json_object_set_new(o, "nanoseconds", json_integer(trace_elapsed(t)));
    json_object_set_new(o, "raced", paf_json_count(trace_raced(t)));
    json_object_set_new(o, "goals", paf_json_count(trace_ngoals(t)));
    json_object_set_new(o, "suspended", paf_json_count(c->suspended));
    json_object_set_new(o, "variables", paf_json_count(c->variables));
    json_object_set_new(o, "bindings", paf_json_count(trace_nbindings(t)));
    json_object_set_new(o, "cells", paf_json_count(trace_ncells(t)));
    json_object_set_new(o, "bytes", paf_json_count(trace_file_size(t)));
    json_object_set_new(o, "bytes_per_reduction", json_real(c->bytes_each));
    json_object_set_new(o, "totals", totals_json(trace_get_totals(t)));
    json_object_set_new(o, "sources", sources_json(t));
    json_object_set_new(o, "predicates", predicates_json(t, c));
    paf_json_print(o);
}

// ---------------------------------------------------------------------------------------------
// Text

static void print_suspended(const trace *t, const counts *c)
{
    if (!c->suspended)
        return;
    printf("\n%s%s%s\n", paf_style_begin(STYLE_STRONG),
           trace_get_cut(t) ? "Not reduced as far as the trace goes" : "Suspended at the end",
           paf_style_end(STYLE_STRONG));
    uint32_t shown = 0;
    for (uint32_t g = 0; g < trace_ngoals(t) && shown < SHOWN_WAITING; g++) {
        const uint32_t *variables;
        if (trace_goal_reduction(t, g) != TRACE_NONE)
            continue;
        char *goal = iot_goal_text(t, NULL, g, INT64_MAX, SHOWN_CELLS);
        uint32_t n = trace_waits(t, g, &variables);
        printf("  #%u %s%s", g, goal, n ? " waits for " : "");
        free(goal);
        for (uint32_t i = 0; i < n; i++) {
            if (i && variables[i] == variables[i - 1])
                continue;
            trace_value v = {.kind = TV_CELL, .id = variables[i]};
            char *name = iot_term(t, NULL, v, 0, 1);
            printf("%s%s", i ? ", " : "", name);
            free(name);
        }
        putchar('\n');
        shown++;
    }
    if (c->suspended > shown)
        printf("  and %" PRIu64 " more\n", c->suspended - shown);
}

static void print_measured(const trace *t)
{
    uint32_t processors = trace_get_machine(t).processors;
    printf("  measured    on %u place%s", trace_nplaces(t), trace_nplaces(t) == 1 ? "" : "s");
    if (processors > 0)
        printf(" and %u processor%s", processors, processors == 1 ? "" : "s");
    printf(", %.6g ms\n", (double)trace_elapsed(t) / 1e6);
}

static void print_predicates(const trace *t, const counts *c)
{
    printf("\n%sPredicates%s\n", paf_style_begin(STYLE_STRONG), paf_style_end(STYLE_STRONG));
    uint32_t beginning = trace_get_clause(t, trace_reduction_clause(t, 0))->predicate;
    paf_table *table = paf_table_create("lrl");
    paf_table_add(table, "predicate");
    paf_table_add(table, "reductions");
    paf_table_add(table, "module");
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *p = trace_get_predicate(t, i);
        char *name = iot_predicate_text(t, i);
        if (c->by_predicate[i] || (p->origin != TRACE_BUILTIN && i != beginning)) {
            paf_table_add(table, "%s", name);
            paf_table_add(table, "%u", c->by_predicate[i]);
            paf_table_add(table, "%s",
                          p->origin == TRACE_BUILTIN ? "built-in"
                                                     : trace_module_name(t, p->module));
        }
        free(name);
    }
    paf_table_print(table);
}

static void print_counts(const trace *t, const counts *c)
{
    printf("  goals       %u, %" PRIu64 " never reduced\n", trace_ngoals(t), c->suspended);
    printf("  variables   %u, %u bound\n", c->variables, trace_nbindings(t));
    printf("  structures  %u\n", trace_ncells(t) - c->variables);
}

static void print_cut(const trace_cut *cut)
{
    if (!cut)
        return;
    printf("  cut         at its size: the run had %" PRIu64 " reductions, span %" PRId64 "; ",
           cut->reductions, cut->span);
    if (cut->bytes)
        printf("a limit of %" PRIu64 " bytes is enough\n", cut->bytes);
    else
        puts("no trace can be as large");
}

static void print_regions(const trace_regions *r)
{
    uint64_t teams = 0;
    for (uint32_t i = 0; r && i < r->nregions; i++)
        teams += r->regions[i].nteams;
    if (r)
        printf("  regions     %u, executed %" PRIu64 " time%s (paf report --statistics)\n",
               r->nregions, teams, teams == 1 ? "" : "s");
}

static void print_losses(const trace *t)
{
    char *text;
    uint64_t lost = iot_lost_events(t, &text);
    if (lost == 0)
        return;
    printf("  not kept    %" PRIu64 " event%s: %s\n", lost, lost == 1 ? "" : "s", text);
    free(text);
}

static void print_history(const trace *t, const counts *c)
{
    print_losses(t);
    print_regions(trace_get_regions(t));
    if (trace_is_measured(t))
        print_measured(t);
    else if (trace_get_clock(t) == TRACE_REAL)
        printf("  real run    %u worker%s, %.6g ms, %u reduction%s raced\n", trace_nplaces(t),
               trace_nplaces(t) == 1 ? "" : "s", (double)trace_elapsed(t) / 1e6, trace_raced(t),
               trace_raced(t) == 1 ? "" : "s");
    if (trace_get_profile(t)) {
        uint32_t n = trace_get_profile(t)->nmodules;
        printf("  profile     of %u module%s, %" PRIu64 " goal%s never reduced\n", n,
               n == 1 ? "" : "s", c->suspended, c->suspended == 1 ? "" : "s");
    } else {
        print_counts(t, c);
    }
}

static void print_sources(const trace *t)
{
    for (uint32_t i = 0; i < trace_nsources(t); i++) {
        const trace_source *s = trace_get_source(t, i);
        size_t length;
        trace_string(t, s->text, &length);
        printf("  %s  %s, %zu bytes\n", i ? "          " : "sources   ",
               trace_name(t, s->name), length);
    }
}

// How many places of each kind the totals have.
static void print_totals(const trace_totals *totals)
{
    static const char *const names[][2] = {{"program unit", "program units"},
                                           {"DO loop", "DO loops"},
                                           {"I/O statement", "I/O statements"},
                                           {"MPI call place", "MPI call places"}};
    uint32_t n[TRACE_TOTAL_KINDS] = {0};
    for (uint32_t i = 0; i < totals->ntotals; i++)
        n[totals->totals[i].kind]++;
    printf("  totals      of %u process%s:", totals->nnodes, totals->nnodes == 1 ? "" : "es");
    for (int i = 0; i < TRACE_TOTAL_KINDS; i++) {
        printf("%s ", i > 0 ? "," : "");
        if (totals->tables[i].observed)
            printf("%u %s", n[i], names[i][n[i] != 1]);
        else
            printf("%s not observed", names[i][1]);
    }
    printf("\n");
}

static void print_samples(const trace_samples *s)
{
    char *every = paf_nanoseconds((int64_t)s->every);
    printf("  samples     %" PRIu64 " of each of %u worker%s, one every %s\n", s->n, s->nworkers,
           s->nworkers == 1 ? "" : "s", every);
    g_free(every);
}

static void print_summary(const trace_summary *s)
{
    if (s)
        printf("  summary     of %u module%s, %u buckets of %" PRId64 " step%s\n", s->nmodules,
               s->nmodules == 1 ? "" : "s", s->nbuckets, s->width, s->width == 1 ? "" : "s");
}

static void print_text(const trace *t, const char *path, const counts *c)
{
    const char *message = trace_message(t);
    printf("%s%s%s\n", paf_style_begin(STYLE_STRONG), path, paf_style_end(STYLE_STRONG));
    printf("  program     %s\n", trace_program(t));
    printf("  clock       %s\n", paf_clock_name(t));
    printf("  ended       %s", paf_ending_name(trace_get_ending(t)));
    if (trace_exit_status(t) >= 0)
        printf(", exit status %d", trace_exit_status(t));
    printf("\n");
    if (*message)
        printf("  message     %s\n", message);
    if (trace_get_totals(t))
        print_totals(trace_get_totals(t));
    if (trace_get_samples(t) && trace_nreductions(t) == 0) {
        print_samples(trace_get_samples(t));
    } else if (trace_nreductions(t) == 0 && !trace_get_profile(t)) {
        printf("  timeline    none was recorded\n");
    } else {
        printf("  reductions  %" PRIu64 "\n", c->work);
        printf("  span        %" PRId64 "\n", c->span);
        print_cut(trace_get_cut(t));
        if (trace_part(t))
            printf("  in full     %s; of what other modules read only what decided their times\n",
                   trace_part(t));
        print_history(t, c);
    }
    if (trace_is_older_definition(t))
        printf("  definition  the older one: a `=` counts as needing the value that it passes on\n");
    printf("  file        %llu bytes, version %u", (unsigned long long)trace_file_size(t),
           trace_version(t));
    if (c->work)
        printf(", %.2f bytes per reduction", c->bytes_each);
    printf("\n");
    print_summary(trace_get_summary(t));
    print_sources(t);
    if (trace_nreductions(t) > 0) {
        print_predicates(t, c);
        print_suspended(t, c);
    }
}

// ---------------------------------------------------------------------------------------------

// Whether the summary has the figures of the reductions.
static int verify_summary(const trace *t, const char *path, bool json)
{
    if (!trace_get_summary(t) || trace_nreductions(t) < 2)
        return COMMAND_OK;
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    char *difference = iot_check_summary(a);
    if (difference)
        paf_complain("info", "%s: its summary is not that of its reductions: %s", path, difference);
    else if (!json)
        puts("\nthe summary has the figures of the reductions");
    int status = difference ? COMMAND_NOTHING : COMMAND_OK;
    free(difference);
    iot_destroy(a);
    iot_partition_destroy(p);
    return status;
}

// told: opening the file has complained of damage, so that the first of it need not be told again.
static int verify(const char *path, bool json, bool told)
{
    char *error = NULL;
    if (trace_verify(path, &error)) {
        if (!json && !told)
            printf("\nevery checksum is right\n");
        return COMMAND_OK;
    }
    if (!told)
        paf_complain("info", "%s", error);
    free(error);
    return COMMAND_NOTHING;
}

int paf_command_info(int argc, char **argv)
{
    bool verifying = false, json = false;
    const paf_option options[] = {
        {.name = "verify", .to.flag = &verifying}, {.name = "json", .to.flag = &json}, {0}};
    const paf_usage usage = {"info", help, options, 1, 1};
    int status;
    if (!paf_read_options(&usage, argc, argv, &status))
        return status;
    const char *path = argv[optind];
    trace *t = paf_open_trace("info", path, &status);
    if (!t)
        return status;
    counts c = count(t);
    if (json)
        print_json(t, path, &c);
    else
        print_text(t, path, &c);
    free(c.by_predicate);
    if (verifying && verify_summary(t, path, json) != COMMAND_OK)
        status = COMMAND_NOTHING;
    trace_close(t);
    if (verifying && verify(path, json, status != COMMAND_OK))
        status = COMMAND_NOTHING;
    return status;
}
