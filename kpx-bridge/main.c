// SPDX-License-Identifier: MIT
//
// kpx-bridge: the command.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kpx-bridge/convert.h"
#include "kpx-bridge/record.h"

static const char usage[] =
    "usage: kpx-bridge record [OPTION...] -- COMMAND [ARGUMENT...]\n"
    "       kpx-bridge convert [OPTION...] LOG\n"
    "\n"
    "record runs a command and records it; convert makes a trace of what was recorded.\n"
    "\n"
    "  --openmp           record OpenMP: regions, loops, barriers, locks, tasks\n"
    "  --mpi              record MPI: messages, collectives (COMMAND: mpirun -n N ./program)\n"
    "  -o, --output FILE  the trace (default: the command's name with .paf)\n"
    "  --region PLACE     this parallel region only (FILE:LINE, FILE or FUNCTION; several)\n"
    "  --paused           record nothing until the program calls kpx_start() (kpx.h, kpx.f90)\n"
    "  --without LIST     leave out events: chunks, locks, tasks, polls\n"
    "  --events N         events kept per thread (default 4194304)\n"
    "  --keep-log FOLDER  keep the log there (convert can read it)\n"
    "  --statistics FILE  the statistics of regions as text (-: standard output)\n"
    "  --help, --version\n"
    "\n"
    "The exit status of record is that of the command. Otherwise: 0; 1 nothing was recorded or the\n"
    "log is damaged; 2 usage.\n";

typedef struct {
    kpx_record_options record;
    const char *output, *statistics, *keep;
    char *regions; // that record.regions points to
} options;

enum {
    OPT_OPENMP = 256,
    OPT_MPI,
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

// 0: go on; else the exit status + 1.
static int read_options(int argc, char **argv, options *o)
{
    static const struct option longs[] = {{"openmp", no_argument, NULL, OPT_OPENMP},
                                          {"mpi", no_argument, NULL, OPT_MPI},
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
    while ((option = getopt_long(argc, argv, "+o:", longs, NULL)) != -1)
        switch (option) {
        case OPT_OPENMP:
            o->record.openmp = true;
            break;
        case OPT_MPI:
            o->record.mpi = true;
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

static int record(const options *o, char **command)
{
    if (!command[0])
        return fail_usage("no command to record");
    if (!o->record.openmp && !o->record.mpi)
        return fail_usage("nothing to record: name --openmp, --mpi or both");
    char *error = NULL;
    char *log = o->keep ? kpx_copy(o->keep) : kpx_log_folder(&error);
    int status = 1;
    if (log)
        status = kpx_record(&o->record, log, command, &error);
    if (error) {
        fprintf(stderr, "kpx-bridge: %s\n", error);
        free(error);
        free(log);
        return status;
    }
    char *output = o->output ? kpx_copy(o->output) : default_output(command[0]);
    int converted = convert(o, log, output);
    if (!o->keep)
        kpx_remove_log(log);
    free(output);
    free(log);
    return status ? status : converted;
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
    options o = {0};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("kpx-bridge " FLENG_VERSION);
        return 0;
    }
    bool records = strcmp(argv[1], "record") == 0;
    if (!records && strcmp(argv[1], "convert") != 0)
        return fail_usage("unknown command");
    int done = read_options(argc - 1, argv + 1, &o);
    if (done)
        return done - 1;
    char **rest = argv + 1 + optind;
    int status = records ? record(&o, rest) : convert_log(&o, rest);
    free(o.regions);
    return status;
}
