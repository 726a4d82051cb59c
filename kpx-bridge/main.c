// SPDX-License-Identifier: MIT
//
// kpx-bridge: the command. It reads the words, runs what command/ has for them, and says the
// result.
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/output.h"
#include "kpx-bridge/command/advise.h"
#include "kpx-bridge/command/build.h"
#include "kpx-bridge/command/convert.h"
#include "kpx-bridge/command/decide.h"
#include "kpx-bridge/command/options.h"
#include "kpx-bridge/command/reports.h"
#include "kpx-bridge/command/show_source.h"
#include "kpx-bridge/command/two_pass.h"
#include "kpx-bridge/log/names.h"

static int fail(const char *subject, const char *reason)
{
    fprintf(stderr, "kpx-bridge: %s%s%s\n", subject, *subject ? ": " : "", reason);
    return 1;
}

static bool write_statistics(const char *text, const char *path)
{
    if (strcmp(path, "-") == 0) {
        fputs(text, stdout);
        return true;
    }
    char *error = NULL;
    base_output *out = base_output_open(path, BASE_OUTPUT_WHOLE, NULL, &error);
    FILE *file = out ? base_output_stream(out) : NULL;
    if (file)
        fputs(text, file);
    else
        base_output_abandon(out);
    if (file && base_output_close(out, &error))
        return true;
    fail("", error ? error : "out of memory");
    free(error);
    return false;
}

// Shows the progress of a conversion on a terminal, once it takes more than half a second.
typedef struct {
    double last; // seconds: when something was told, or it began
    bool shown;
} progress_line;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void show_progress(void *data, double part)
{
    progress_line *line = data;
    double now = seconds_now();
    if (part < 0) {
        if (line->shown)
            fputs("\r\033[K", stderr);
        line->shown = false;
    } else if (now - line->last > (line->shown ? 0.1 : 0.5)) {
        fprintf(stderr, "\rkpx-bridge: making the trace, %.0f %%", 100 * part);
        line->shown = true;
        line->last = now;
    }
}

// Returns whether the trace and the statistics were written; says why not.
static bool convert(const kpx_command_options *o, kpx_conversion *conversion, kpx_converted *ret)
{
    char *error = NULL, *statistics = NULL;
    base_limit_memory(o->memory); // of the recorded command it is not the limit
    progress_line line = {.last = seconds_now()};
    if (isatty(STDERR_FILENO))
        conversion->progress = (kpx_progress){show_progress, &line};
    char **wanted = o->statistics ? &statistics : NULL;
    kpx_converted done = kpx_convert(conversion, wanted, stderr, &error);
    bool written = done == KPX_CONVERTED || done == KPX_CONVERTED_IN_PART;
    if (!written)
        fail("", error);
    else if (statistics)
        written = write_statistics(statistics, o->statistics);
    free(error);
    free(statistics);
    *ret = done;
    return written;
}

// ---- record -------------------------------------------------------------------------------------

static const char *complain_of(const kpx_command_options *o)
{
    const kpx_measure_choice *m = &o->record.measure;
    bool measures = m->routines || m->loops || m->io;
    if ((o->two_pass || o->counts || m->count) && !measures)
        return "nothing to count: name --routines, --loops or --io";
    if (o->two_pass + (o->counts != NULL) + m->count > 1)
        return "--count, --counts and --two-pass exclude each other";
    return NULL;
}

// Opening a pipe would wait for its reader.
static bool is_plain(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

// Checks all files that will be written before the command runs, since a run whose trace cannot be
// written is lost. Without -o the trace's name is known only after the run.
static bool can_write_all(const kpx_command_options *o)
{
    bool statistics = o->statistics && strcmp(o->statistics, "-") != 0;
    const char *paths[] = {o->output, statistics ? o->statistics : NULL};
    base_output *opened[2] = {NULL};
    char *error = NULL;
    for (int i = 0; i < 2 && !error; i++)
        if (paths[i] && is_plain(paths[i]))
            opened[i] = base_output_open(paths[i], BASE_OUTPUT_WHOLE, NULL, &error);
    base_output_abandon(opened[0]);
    base_output_abandon(opened[1]);
    if (error) {
        fail("", error);
        free(error);
        return false;
    }
    if (o->output || access(".", W_OK | X_OK) == 0)
        return true;
    fail("cannot write a trace into this folder", strerror(errno));
    return false;
}

// By a signal that is meant for the whole command: there is no second run.
static bool is_stopped(int status)
{
    return status == 128 + SIGHUP || status == 128 + SIGINT || status == 128 + SIGQUIT ||
           status == 128 + SIGKILL || status == 128 + SIGTERM;
}

// Runs the command, after a counting run or with given counts. Returns the exit status of the run that is
// timed: the one that counts may end with any.
static int run(const kpx_command_options *o, const char *log, char **command, char **ret_error)
{
    int status = 1;
    if (o->counts && !kpx_use_counts(o->counts, o->limit, log, ret_error))
        return status;
    if (o->two_pass) {
        status = kpx_count_first(&o->record, o->limit, log, command, ret_error);
        if (*ret_error)
            return status ? status : 1;
        if (is_stopped(status))
            return status;
    }
    return kpx_record(&o->record, log, command, ret_error);
}

// A user who interrupts the conversion keeps the log, and a message says where. (While the command
// runs, SIGINT is for the command: kpx_record().)
static char *interrupted;

static void end_conversion(int number)
{
    base_output_remove_parts();
    if (write(2, interrupted, strlen(interrupted)) < 0)
        interrupted[0] = 0;
    signal(number, SIG_DFL);
    raise(number);
}

static void keep_when_interrupted(const char *log)
{
    interrupted = base_format("\nkpx-bridge: the log is kept: %s\n", log);
    if (signal(SIGINT, end_conversion) == SIG_IGN)
        signal(SIGINT, SIG_IGN);
}

// Makes the trace. Removes the log unless the user wants it or there is no trace. Returns the exit
// status.
static int convert_recorded(const kpx_command_options *o, const char *log)
{
    kpx_conversion conversion = {
        .log = log, .name = o->keep, .output = o->output, .asked = &o->record};
    kpx_converted done;
    bool written = convert(o, &conversion, &done), keep = done == KPX_NOT_WRITTEN;
    signal(SIGINT, SIG_DFL);
    if (keep && !o->keep)
        fprintf(stderr, "kpx-bridge: the log is kept: %s\n", log);
    if (!keep && !o->keep)
        kpx_remove_log(log);
    return written ? 0 : 1;
}

// Neither the program nor a file that it is given may be replaced by a trace.
static void protect_command(char **command)
{
    for (char **word = command; *word; word++)
        base_output_protect(*word, "it is a part of the command that is recorded");
}

// --only and --except choose by the names of routines and files, which other recorders do not know.
static void tell_of_patterns(const kpx_record_options *o)
{
    const char *option = o->measure.only ? "--only" : o->measure.except ? "--except" : NULL;
    if (option && (o->openmp || o->mpi || o->threads))
        fprintf(stderr, "kpx-bridge: %s chooses routines, loops and I/O: all of %s%s%s%s%s is recorded%s\n",
                option, o->openmp ? "OpenMP" : "", o->openmp && o->mpi ? ", " : "", o->mpi ? "MPI" : "",
                (o->openmp || o->mpi) && o->threads ? ", " : "", o->threads ? "threads' waits" : "",
                o->openmp ? " (--region chooses regions)" : "");
}

static int record(const kpx_command_options *given, char **command)
{
    kpx_command_options chosen = *given, *o = &chosen;
    char *found = command[0] && !kpx_has_choice(&o->record) ? kpx_decide(&o->record, command) : NULL;
    const char *complaint = command[0] ? complain_of(o) : "no command to record";
    if (complaint) {
        free(found);
        return kpx_fail_usage(complaint);
    }
    if (found)
        fprintf(stderr, "kpx-bridge: recording %s\n", found);
    tell_of_patterns(&o->record);
    free(found);
    protect_command(command);
    if (!can_write_all(o))
        return 1;
    char *error = NULL;
    char *log = o->keep ? base_copy(o->keep) : kpx_log_folder(&error);
    bool made = log && (!o->keep || kpx_make_log(log, &error));
    if (made)
        keep_when_interrupted(log);
    int status = made ? run(o, log, command, &error) : 1;
    if (error) {
        fail("", error);
        free(error);
        if (log && !o->keep)
            kpx_remove_log(log);
    } else {
        int converted = convert_recorded(o, log);
        status = status ? status : converted;
    }
    free(interrupted);
    free(log);
    return status;
}

// ---- build, convert -----------------------------------------------------------------------------

// The source with remarks, to standard output or to another file.
static int show_source(const kpx_command_options *o)
{
    char *error = NULL;
    base_output *out = o->output ? base_output_open(o->output, BASE_OUTPUT_WHOLE, NULL, &error) : NULL;
    FILE *to = out ? base_output_stream(out) : stdout;
    bool good = !error && kpx_show_source(&o->build, o->build.source, to, &error);
    if (out && good)
        good = base_output_close(out, &error);
    else if (out)
        base_output_abandon(out);
    if (!good)
        fail("", error);
    free(error);
    return good ? 0 : 2;
}

static int build(const kpx_command_options *o, char **command)
{
    if (o->build.source)
        return command[0] ? kpx_fail_usage("--source takes no compiler") : show_source(o);
    if (!command[0])
        return kpx_fail_usage("no compiler to run");
    char *error = NULL;
    int status = kpx_build(&o->build, command, &error);
    fail("", error);
    free(error);
    return status;
}

// LOG.paf, in this folder.
static char *output_for(const char *log)
{
    char *path = base_copy(log);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = 0;
    char *output = base_format("%s.paf", kpx_base_name(path));
    free(path);
    return output;
}

static int convert_log(const kpx_command_options *o, char **logs)
{
    if (!logs[0] || logs[1])
        return kpx_fail_usage("convert takes one log");
    char *output = o->output ? base_copy(o->output) : output_for(logs[0]);
    base_output_protect_folder(logs[0], "its folder is the log that is read");
    kpx_conversion conversion = {.log = logs[0], .name = logs[0], .output = output, .cpu = o->record.measure.cpu};
    kpx_converted done;
    bool written = convert(o, &conversion, &done);
    free(output);
    return written && done == KPX_CONVERTED ? 0 : 1;
}

static int advise(const kpx_command_options *o, char **logs)
{
    if (!logs[0] || logs[1])
        return kpx_fail_usage("advise takes one log (record --keep-log makes one)");
    char *error = NULL;
    kpx_logs *log = kpx_logs_read(logs[0], &error);
    if (!log) {
        fail(logs[0], error ? error : "nothing was recorded");
        free(error);
        return 1;
    }
    uint64_t events = o->record.events ? strtoull(o->record.events, NULL, 10) : 0;
    kpx_advise(log, o->times > 0 ? (uint64_t)o->times : 10, events, stdout);
    kpx_logs_destroy(log);
    return 0;
}

// ---- The command --------------------------------------------------------------------------------

static int fail_command(const char *word)
{
    const char *meant = kpx_similar_command(word);
    char *message = meant ? base_format("unknown command %s; did you mean %s?", word, meant)
                          : base_format("unknown command %s", word);
    kpx_fail_usage(message);
    free(message);
    return 2;
}

static int run_command(int argc, char **argv)
{
    kpx_command_options o = {.limit = 10000};
    if (argc < 2) {
        fputs(kpx_usage, stderr);
        return 2;
    }
    const char *command = argv[1];
    bool options = command[0] == '-';
    bool records = strcmp(command, "record") == 0, builds = strcmp(command, "build") == 0;
    bool reports = strcmp(command, "report") == 0, imports = strcmp(command, "import") == 0;
    bool advises = strcmp(command, "advise") == 0;
    if (!options && !records && !builds && !reports && !imports && !advises && strcmp(command, "convert") != 0)
        return fail_command(command);
    if (reports || imports)
        return reports ? kpx_command_report(argc - 1, argv + 1)
                       : kpx_command_import(argc - 1, argv + 1);
    int done = kpx_read_options(argc - !options, argv + !options, options || records || builds, &o);
    if (done)
        return done - 1;
    if (options)
        return kpx_fail_usage("the command comes first: record, convert, advise, build, report or import");
    char **rest = argv + 1 + optind;
    const char *wrong = base_trials_check(&o.trials);
    if (!wrong && o.trials.n && (!records || o.output || o.two_pass))
        wrong = "--trials is for record, without --output and --two-pass";
    if (wrong)
        return kpx_fail_usage(wrong);
    if (o.trials.n)
        return base_trials_run(&o.trials, "kpx-bridge record", argc, argv, 2, (int)(rest - argv), "--output");
    int status = records   ? record(&o, rest)
                 : builds  ? build(&o, rest)
                 : advises ? advise(&o, rest)
                           : convert_log(&o, rest);
    free(o.regions);
    return status;
}

int main(int argc, char **argv)
{
    base_output_begin();
    base_output_mind_signals();
    base_memory_doing("kpx-bridge");
    return base_output_end("kpx-bridge", run_command(argc, argv));
}
