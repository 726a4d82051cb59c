// SPDX-License-Identifier: MIT
//
// kpx-bridge report and import: from the totals of a trace to the reports of kpx and back.
#include "kpx-bridge/command/reports.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "kpx-bridge/command/options.h"
#include "kpx-bridge/imports/imports.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/log/store.h"
#include "kpx-bridge/reports/import.h"
#include "kpx-bridge/reports/report.h"
#include "kpx-bridge/timeline/activities.h"
#include "profiler/trace_reader.h"

static int fail(int status, const char *subject, const char *reason)
{
    fprintf(stderr, "kpx-bridge: %s%s%s\n", subject, *subject ? ": " : "", reason);
    return status;
}

// ---- report -----------------------------------------------------------------------------------

typedef struct {
    bool ktool, mtool;
    const char *output;
    const char *node; // its number as views and reports name it; NULL: all
} report_options;

enum { OPT_KTOOL = 256, OPT_MTOOL, OPT_NODE };

// 0: go on; else the exit status + 1.
static int read_options(int argc, char **argv, report_options *o)
{
    static const struct option longs[] = {{"ktool", no_argument, NULL, OPT_KTOOL},
                                          {"mtool", no_argument, NULL, OPT_MTOOL},
                                          {"node", required_argument, NULL, OPT_NODE},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    int option;
    while ((option = kpx_next_option(argc, argv, ":ho:", longs)) != -1)
        switch (option) {
        case OPT_KTOOL:
            o->ktool = true;
            break;
        case OPT_MTOOL:
            o->mtool = true;
            break;
        case OPT_NODE:
            o->node = optarg;
            break;
        case 'o':
            o->output = optarg;
            break;
        case 'h':
            fputs(kpx_usage, stdout);
            return 1;
        default:
            return 3;
        }
    return 0;
}

// The index of a node's process in totals by process, which are fewer if processes have threads.
static uint32_t process_of(const trace_totals *raw, const kpx_totals *t, uint32_t node)
{
    for (uint32_t i = 0; i < kpx_totals_nnodes(t) && kpx_totals_nnodes(t) < raw->nnodes; i++) {
        const kpx_node *n = kpx_totals_get_node(t, i);
        if (n->rank == raw->nodes[node].rank && n->pid == raw->nodes[node].pid)
            return i;
    }
    return node;
}

// The process that the user asks for, or KPX_ALL_NODES. False, with a message: there is no such
// one.
static bool find_node(const trace_totals *t, const report_options *o, const char *path,
                      uint32_t *ret)
{
    char *end, there[160];
    *ret = KPX_ALL_NODES;
    if (!o->node)
        return true;
    errno = 0;
    long long number = strtoll(o->node, &end, 10);
    *ret = errno || end == o->node || *end ? TRACE_NONE : trace_find_node(t, number);
    if (*ret != TRACE_NONE)
        return true;
    trace_describe_nodes(t, there, sizeof there);
    char *reason = base_format("no such process: %s (%s)", o->node, there);
    fail(1, path, reason);
    free(reason);
    return false;
}

static int write_report(const trace_totals *raw, const kpx_totals *t, const report_options *o,
                        const char *path)
{
    uint32_t node;
    bool any = kpx_totals_observed(t, KPX_UNIT) || kpx_totals_observed(t, KPX_LOOP) ||
               kpx_totals_observed(t, KPX_IO);
    if (o->ktool && !any)
        return fail(1, path, "units, loops and input/output were not observed");
    if (o->mtool && !kpx_totals_observed(t, KPX_CALL))
        return fail(1, path, "calls of MPI were not observed");
    if (!find_node(raw, o, path, &node))
        return 1;
    node = node == KPX_ALL_NODES ? node : process_of(raw, t, node);
    bool named = o->output && strcmp(o->output, "-") != 0;
    char *error = NULL;
    base_output *file =
        named ? base_output_open(o->output, BASE_OUTPUT_WHOLE, NULL, &error) : NULL;
    FILE *out = file ? base_output_stream(file) : named ? NULL : stdout;
    if (out && o->ktool)
        kpx_write_ktool(t, node, out);
    else if (out)
        kpx_write_mtool(t, out);
    if (out && !file)
        return 0;
    if (out && base_output_close(file, &error))
        return 0;
    if (!out)
        base_output_abandon(file);
    int status = fail(1, "", error ? error : "out of memory");
    free(error);
    return status;
}

int kpx_command_report(int argc, char **argv)
{
    report_options o = {0};
    int done = read_options(argc, argv, &o);
    if (done)
        return done - 1;
    if (o.ktool == o.mtool)
        return kpx_fail_usage("report: name --ktool or --mtool");
    if (o.mtool && o.node)
        return kpx_fail_usage(
            "report: an mtool report always has all nodes; --node is for --ktool");
    if (optind + 1 != argc)
        return kpx_fail_usage("report takes one trace");
    char *error = NULL;
    base_output_protect(argv[optind], "it is read");
    trace *t = trace_open(argv[optind], NULL, NULL, &error);
    if (error)
        fail(0, "", error);
    int status = error ? 1 : 0;
    free(error);
    if (!t)
        return 1;
    kpx_totals *totals = kpx_totals_of_trace(t, true);
    int written = totals ? write_report(trace_get_totals(t), totals, &o, argv[optind])
                         : fail(1, argv[optind], "it holds no totals");
    kpx_totals_destroy(totals);
    trace_close(t);
    return written ? written : status;
}

// ---- import -----------------------------------------------------------------------------------

// NAME.paf in this folder for a report @@NAME.f66, an archive NAME.otf2, or a NAME.json.
static char *output_for(const char *name)
{
    name += strspn(name, "@");
    size_t n = strlen(name);
    static const char *const endings[] = {".f66", ".otf2", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t of = strlen(endings[i]);
        if (n > of && strcmp(name + n - of, endings[i]) == 0)
            n -= of;
    }
    return base_format("%.*s.paf", (int)n, *name ? name : "report");
}

static int import_report(const char *path, const char *output)
{
    const char *name = kpx_base_name(path);
    bool is_trace;
    char *error = NULL;
    kpx_totals *totals = kpx_import_file(path, &is_trace, &error);
    int status = error ? fail(1, "", error) : is_trace ? fail(1, path, "it is already a trace") : 0;
    if (totals) {
        kpx_activities *m = kpx_activities_create();
        kpx_add_totals(m, totals);
        if (!kpx_write(m, output, name, NULL, true, 0, "", &error))
            status = fail(1, "", error);
        else
            fprintf(stderr, "kpx-bridge: %s: %u totals\n", output, kpx_totals_nitems(totals));
        kpx_activities_destroy(m);
    }
    free(error);
    return status;
}

static void tell_notes(char *notes)
{
    for (char *line = strtok(notes, "\n"); line; line = strtok(NULL, "\n"))
        fprintf(stderr, "kpx-bridge: %s\n", line);
}

// The file's name without what surrounds it: what the program is called.
static char *program_of(const char *path)
{
    char *name = output_for(kpx_base_name(path));
    name[strlen(name) - strlen(".paf")] = 0;
    return name;
}

static int import_timeline(kpx_timeline_kind kind, const char *path, const char *output)
{
    char *error = NULL, *text = NULL;
    size_t size;
    FILE *notes = open_memstream(&text, &size);
    kpx_activities *m = kpx_activities_create();
    kpx_store_beside(output);
    bool good = notes && (kind == KPX_OTF2 ? kpx_import_otf2(m, path, notes, &error)
                                           : kpx_import_chrome(m, path, notes, &error));
    if (notes)
        fclose(notes);
    char *program = program_of(path);
    good = good && kpx_write(m, output, program, NULL, true, 0, "", &error);
    if (!good) {
        fail(1, "", error ? error : strerror(ENOMEM));
    } else {
        tell_notes(text);
        if (kpx_clock_faults(m) > 0)
            fprintf(stderr, "kpx-bridge: %u timestamps were inconsistent and have been adjusted\n",
                    kpx_clock_faults(m));
        fprintf(stderr, "kpx-bridge: %s: %u places, %u activities\n", output, kpx_nplaces(m),
                kpx_nactivities(m));
    }
    kpx_activities_destroy(m);
    free(program);
    free(text);
    free(error);
    return good ? 0 : 1;
}

// libotf2 may end the process that reads a damaged archive, so that is another one.
static int import_apart(const char *path, const char *output)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        _exit(import_timeline(KPX_OTF2, path, output));
    }
    int status = 0;
    if (child < 0)
        return fail(1, path, strerror(errno));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    return fail(1, path, "the archive is damaged: libotf2 ended while it was read");
}

int kpx_command_import(int argc, char **argv)
{
    report_options o = {0};
    int done = read_options(argc, argv, &o);
    if (done)
        return done - 1;
    if (o.ktool || o.mtool || o.node)
        return kpx_fail_usage("import recognises the file: its only option is -o");
    if (optind + 1 != argc)
        return kpx_fail_usage("import takes one file");
    const char *path = argv[optind];
    char *output = o.output ? base_copy(o.output) : output_for(kpx_base_name(path));
    kpx_timeline_kind kind = kpx_timeline_kind_of(path);
    int status = kind == KPX_OTF2     ? import_apart(path, output)
                 : kind == KPX_CHROME ? import_timeline(kind, path, output)
                                      : import_report(path, output);
    free(output);
    return status;
}
