// SPDX-License-Identifier: MIT
//
// kpx-bridge: the command.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kpx-bridge/build.h"
#include "kpx-bridge/command_reports.h"
#include "kpx-bridge/convert.h"
#include "kpx-bridge/two_pass.h"

static const char usage[] =
    "usage: kpx-bridge record [OPTION...] -- COMMAND [ARGUMENT...]\n"
    "       kpx-bridge convert [OPTION...] LOG\n"
    "       kpx-bridge build [OPTION...] -- COMPILER [ARGUMENT...]\n"
    "       kpx-bridge report --ktool|--mtool [--node N] [-o FILE] FILE.paf\n"
    "       kpx-bridge import [-o FILE.paf] @@k_tool.f66|@@m_tool.f66\n"
    "\n"
    "record runs a command and records it; convert makes a trace of what was recorded; build runs a\n"
    "compiler of GCC so that routines, DO loops and I/O of the program can be measured.\n"
    "report writes a trace's totals as ktool or mtool does (--node: of one process, from 1); import\n"
    "makes a trace of such a report.\n"
    "\n"
    "  --openmp           record OpenMP: regions, loops, barriers, locks, tasks\n"
    "  --mpi              record MPI: messages, collectives (COMMAND: mpirun -n N ./program)\n"
    "  --routines         measure routines (of files compiled by build)\n"
    "  --loops            measure DO loops (likewise)\n"
    "  --io               measure I/O statements of Fortran\n"
    "  --count            count, without times\n"
    "  --two-pass         run the command twice: count, then time what is executed less often\n"
    "  --counts FILE      time what was executed less often in an earlier run (its trace, or its\n"
    "                     @@k_tool.f66)\n"
    "  --limit N          how often that is (default 10000)\n"
    "  --clock CLOCK      elapsed (default) or cpu\n"
    "  --only LIST, --except LIST\n"
    "                     measure these routines or files only, or others only (patterns, commas)\n"
    "  -o, --output FILE  the trace (default: the command's name with .paf)\n"
    "  --region PLACE     this parallel region only (FILE:LINE, FILE or FUNCTION; several)\n"
    "  --paused           record nothing until the program calls kpx_start() (kpx.h, kpx.f90)\n"
    "  --without LIST     leave out events: chunks, locks, tasks, polls\n"
    "  --events N         events kept per thread (default 4194304)\n"
    "  --keep-log FOLDER  keep the log there (convert can read it)\n"
    "  --statistics FILE  the statistics of regions as text (-: standard output)\n"
    "  --no-routines, --no-loops, --no-io\n"
    "                     build: what is not to be measured ever (--except: routines)\n"
    "  --help, --version\n"
    "\n"
    "The exit status of record is that of the command. Otherwise: 0; 1 nothing was recorded or the\n"
    "log is damaged; 2 usage.\n";

typedef struct {
    kpx_record_options record;
    kpx_build_options build;
    bool two_pass;
    const char *counts;
    int64_t limit;
    const char *output, *statistics, *keep;
    char *regions; // that record.regions points to
} options;

enum {
    OPT_OPENMP = 256,
    OPT_MPI,
    OPT_ROUTINES,
    OPT_LOOPS,
    OPT_IO,
    OPT_COUNT,
    OPT_TWO_PASS,
    OPT_COUNTS,
    OPT_LIMIT,
    OPT_CLOCK,
    OPT_ONLY,
    OPT_EXCEPT,
    OPT_NO_ROUTINES,
    OPT_NO_LOOPS,
    OPT_NO_IO,
    OPT_REGION,
    OPT_PAUSED,
    OPT_WITHOUT,
    OPT_EVENTS,
    OPT_KEEP,
    OPT_STATISTICS,
    OPT_HELP,
    OPT_VERSION
};

static int fail_usage(const char *message)
{
    fprintf(stderr, "kpx-bridge: %s\nTry `kpx-bridge --help`.\n", message);
    return 2;
}

static void add_region(options *o, const char *place)
{
    char *both = o->regions ? kpx_text("%s\n%s", o->regions, place) : kpx_copy(place);
    free(o->regions);
    o->record.regions = o->regions = both;
}

// What is measured. False: the option is none of these.
static bool take_measuring(options *o, int option)
{
    kpx_measure_choice *m = &o->record.measure;
    switch (option) {
    case OPT_ROUTINES:
        return m->routines = true;
    case OPT_LOOPS:
        return m->loops = true;
    case OPT_IO:
        return m->io = true;
    case OPT_COUNT:
        return m->count = true;
    case OPT_TWO_PASS:
        return o->two_pass = true;
    case OPT_COUNTS:
        o->counts = optarg;
        return true;
    case OPT_ONLY:
        m->only = optarg;
        return true;
    case OPT_EXCEPT:
        m->except = o->build.except = optarg;
        return true;
    case OPT_NO_ROUTINES:
        return o->build.no_routines = true;
    case OPT_NO_LOOPS:
        return o->build.no_loops = true;
    case OPT_NO_IO:
        return o->build.no_io = true;
    default:
        return false;
    }
}

static bool take_limit(options *o, const char *text)
{
    char *end;
    errno = 0;
    long long limit = strtoll(text, &end, 10);
    if (*end || end == text || errno || limit < 1)
        return false;
    o->limit = limit;
    return true;
}

static bool take_clock(options *o, const char *text)
{
    o->record.measure.cpu = strcmp(text, "cpu") == 0;
    return o->record.measure.cpu || strcmp(text, "elapsed") == 0;
}

// shorts: with "+", the first word that is no option begins a command. 0: go on; else the exit
// status + 1.
static int read_options(int argc, char **argv, const char *shorts, options *o)
{
    static const struct option longs[] = {{"openmp", no_argument, NULL, OPT_OPENMP},
                                          {"mpi", no_argument, NULL, OPT_MPI},
                                          {"routines", no_argument, NULL, OPT_ROUTINES},
                                          {"loops", no_argument, NULL, OPT_LOOPS},
                                          {"io", no_argument, NULL, OPT_IO},
                                          {"count", no_argument, NULL, OPT_COUNT},
                                          {"two-pass", no_argument, NULL, OPT_TWO_PASS},
                                          {"counts", required_argument, NULL, OPT_COUNTS},
                                          {"limit", required_argument, NULL, OPT_LIMIT},
                                          {"clock", required_argument, NULL, OPT_CLOCK},
                                          {"only", required_argument, NULL, OPT_ONLY},
                                          {"except", required_argument, NULL, OPT_EXCEPT},
                                          {"no-routines", no_argument, NULL, OPT_NO_ROUTINES},
                                          {"no-loops", no_argument, NULL, OPT_NO_LOOPS},
                                          {"no-io", no_argument, NULL, OPT_NO_IO},
                                          {"region", required_argument, NULL, OPT_REGION},
                                          {"paused", no_argument, NULL, OPT_PAUSED},
                                          {"without", required_argument, NULL, OPT_WITHOUT},
                                          {"output", required_argument, NULL, 'o'},
                                          {"events", required_argument, NULL, OPT_EVENTS},
                                          {"keep-log", required_argument, NULL, OPT_KEEP},
                                          {"statistics", required_argument, NULL, OPT_STATISTICS},
                                          {"help", no_argument, NULL, OPT_HELP},
                                          {"version", no_argument, NULL, OPT_VERSION},
                                          {0}};
    int option;
    while ((option = getopt_long(argc, argv, shorts, longs, NULL)) != -1)
        switch (option) {
        case OPT_OPENMP:
            o->record.openmp = true;
            break;
        case OPT_MPI:
            o->record.mpi = true;
            break;
        case OPT_LIMIT:
            if (!take_limit(o, optarg))
                return fail_usage("--limit takes a number from 1") + 1;
            break;
        case OPT_CLOCK:
            if (!take_clock(o, optarg))
                return fail_usage("--clock takes elapsed or cpu") + 1;
            break;
        case OPT_REGION:
            add_region(o, optarg);
            break;
        case OPT_PAUSED:
            o->record.paused = true;
            break;
        case OPT_WITHOUT:
            if (!kpx_knows_kinds(optarg))
                return fail_usage("--without takes chunks, locks, tasks, polls") + 1;
            o->record.without = optarg;
            break;
        case 'o':
            o->output = optarg;
            break;
        case OPT_EVENTS:
            o->record.events = optarg;
            break;
        case OPT_KEEP:
            o->keep = optarg;
            break;
        case OPT_STATISTICS:
            o->statistics = optarg;
            break;
        case OPT_HELP:
            fputs(usage, stdout);
            return 1;
        case OPT_VERSION:
            puts("kpx-bridge " FLENG_VERSION);
            return 1;
        default:
            if (take_measuring(o, option))
                break;
            fputs("Try `kpx-bridge --help`.\n", stderr);
            return 3;
        }
    return 0;
}

static char *default_output(const char *name)
{
    return kpx_text("%s.paf", kpx_base_name(name));
}

static bool write_statistics(const char *text, const char *path)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!out) {
        fprintf(stderr, "kpx-bridge: %s: %s\n", path, strerror(errno));
        return false;
    }
    fputs(text, out);
    return out == stdout ? fflush(out) == 0 : fclose(out) == 0;
}

static int convert(const options *o, const char *log, const char *output)
{
    char *error = NULL, *statistics = NULL;
    bool good = kpx_convert(log, output, o->statistics ? &statistics : NULL, stderr, &error);
    if (!good) {
        fprintf(stderr, "kpx-bridge: %s\n", error);
        free(error);
    } else if (statistics) {
        good = write_statistics(statistics, o->statistics);
    }
    free(statistics);
    return good ? 0 : 1;
}

static const char *complain_of(const options *o)
{
    const kpx_measure_choice *m = &o->record.measure;
    bool measures = m->routines || m->loops || m->io;
    if (!o->record.openmp && !o->record.mpi && !measures)
        return "nothing to record: name --openmp, --mpi, --routines, --loops or --io";
    if ((o->two_pass || o->counts || m->count) && !measures)
        return "nothing to count: name --routines, --loops or --io";
    if (o->two_pass + (o->counts != NULL) + m->count > 1)
        return "--count, --counts and --two-pass exclude each other";
    return NULL;
}

// Into the log, whatever it takes to know first. Returns the command's exit status.
static int run(const options *o, const char *log, char **command, char **ret_error)
{
    int status = 1;
    if (o->counts && !kpx_use_counts(o->counts, o->limit, log, ret_error))
        return status;
    if (o->two_pass) {
        status = kpx_count_first(&o->record, o->limit, log, command, ret_error);
        if (*ret_error || status)
            return status;
    }
    return kpx_record(&o->record, log, command, ret_error);
}

static int record_into(const options *o, const char *output, char **command)
{
    char *error = NULL;
    char *log = o->keep ? kpx_copy(o->keep) : kpx_log_folder(&error);
    int status = log ? run(o, log, command, &error) : 1;
    if (error) {
        fprintf(stderr, "kpx-bridge: %s\n", error);
        free(error);
        free(log);
        return status;
    }
    int converted = convert(o, log, output);
    if (converted && (o->record.measure.routines || o->record.measure.loops))
        fputs("kpx-bridge: routines and loops are measured in programs that `kpx-bridge build` has "
              "compiled and that are not linked with -static\n", stderr);
    if (!o->keep)
        kpx_remove_log(log);
    free(log);
    return status ? status : converted;
}

// Asked before the command runs: a run whose trace cannot be written is lost.
static bool can_write(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            errno = EISDIR;
        return !S_ISDIR(about.st_mode) && access(path, W_OK) == 0;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return errno == EEXIST; // a link to what is not there
    close(file);
    unlink(path);
    return true;
}

static int record(const options *o, char **command)
{
    const char *complaint = command[0] ? complain_of(o) : "no command to record";
    if (complaint)
        return fail_usage(complaint);
    char *output = o->output ? kpx_copy(o->output) : default_output(command[0]);
    int status = 1;
    if (can_write(output))
        status = record_into(o, output, command);
    else
        fprintf(stderr, "kpx-bridge: %s: %s\n", output, strerror(errno));
    free(output);
    return status;
}

static int build(const options *o, char **command)
{
    if (!command[0])
        return fail_usage("no compiler to run");
    char *error = NULL;
    int status = kpx_build(&o->build, command, &error);
    fprintf(stderr, "kpx-bridge: %s\n", error);
    free(error);
    return status;
}

static int convert_log(const options *o, char **logs)
{
    if (!logs[0] || logs[1])
        return fail_usage("convert takes one log");
    char *output = o->output ? kpx_copy(o->output) : default_output(logs[0]);
    int status = convert(o, logs[0], output);
    free(output);
    return status;
}

int main(int argc, char **argv)
{
    options o = {.limit = 10000};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("kpx-bridge " FLENG_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "report") == 0)
        return kpx_command_report(argc - 1, argv + 1);
    if (strcmp(argv[1], "import") == 0)
        return kpx_command_import(argc - 1, argv + 1);
    bool records = strcmp(argv[1], "record") == 0, builds = strcmp(argv[1], "build") == 0;
    if (!records && !builds && strcmp(argv[1], "convert") != 0)
        return fail_usage("unknown command");
    int done = read_options(argc - 1, argv + 1, records || builds ? "+o:" : "o:", &o);
    if (done)
        return done - 1;
    char **rest = argv + 1 + optind;
    int status = records ? record(&o, rest) : builds ? build(&o, rest) : convert_log(&o, rest);
    free(o.regions);
    return status;
}
