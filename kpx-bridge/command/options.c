// SPDX-License-Identifier: MIT
//
// Usage text and options of kpx-bridge record, build and convert: one table of rules.
#include "kpx-bridge/command/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/nearest.h"

const char kpx_usage[] =
    "usage: kpx-bridge record [OPTION...] -- COMMAND [ARGUMENT...]\n"
    "       kpx-bridge convert [OPTION...] LOG\n"
    "       kpx-bridge advise [--times N] [--events N] LOG\n"
    "       kpx-bridge build [OPTION...] -- COMPILER [ARGUMENT...]\n"
    "       kpx-bridge build --source FILE [-o FILE]\n"
    "       kpx-bridge report --ktool|--mtool [--node N] [-o FILE] FILE.paf\n"
    "       kpx-bridge import [-o FILE.paf] @@k_tool.f66|@@m_tool.f66|ARCHIVE.otf2|TRACE.json\n"
    "\n"
    "record runs a command and records it; convert makes a trace of a log; advise says, by the log of\n"
    "a short run, what a longer one takes and what to leave out; build runs a compiler of\n"
    "GCC and instruments routines, DO loops and I/O statements, so that they can be measured; "
    "report\n"
    "writes the totals of a trace as ktool or mtool does (--node: one rank or process only); "
    "import\n"
    "makes a trace of such a report, of an archive of OTF2 or of a Chrome trace.\n"
    "\n"
    "  --openmp           record OpenMP: regions, loops, barriers, locks, tasks\n"
    "  --mpi              record MPI: messages, collectives (COMMAND: mpirun -n N ./program)\n"
    "  --threads          record threads: waits for locks, conditions, semaphores, joins, sleep, I/O\n"
    "  --routines         measure routines (of files compiled by build)\n"
    "  --loops            measure DO loops (of files compiled by build)\n"
    "  --io               measure I/O statements of Fortran\n"
    "  --trials N         runs the command N times, and adds each trace to the store of runs (paf store)\n"
    "  --store[=STORE]    which one (default: that of paf store)\n"
    "  --condition KEYS   of the trials, as OMP_NUM_THREADS=2,size=B; a key in capitals is set in their\n"
    "                     environment. May be given several times: the conditions take turns\n"
    "  --sample HZ        where threads run, so many times a second: functions with their processor time,\n"
    "                     without compiling anew\n"
    "  --count            count executions, do not time them\n"
    "  --two-pass         run the command twice: count, then time what is executed rarely enough\n"
    "  --counts FILE      time what an earlier run executed rarely enough (FILE: its trace, or "
    "its\n"
    "                     @@k_tool.f66)\n"
    "  --limit N          rarely enough means less than N times (default 10000); the timeline "
    "leaves\n"
    "                     out everything else, too\n"
    "  --clock CLOCK      elapsed (default) or cpu: times with a processor only, read at each event\n"
    "  --only LIST        measure only these routines and files (patterns, separated by commas)\n"
    "  --except LIST      measure all but these routines and files; with build: all but these "
    "routines\n"
    "  -o, --output FILE  the trace (default: the name of the program, log or report with .paf)\n"
    "  --region PLACE     record only this parallel region (FILE:LINE, FILE or FUNCTION; "
    "repeatable)\n"
    "  --paused           record nothing until the program calls kpx_start() (kpx.h, kpx.f90)\n"
    "  --without LIST     leave out kinds of events: chunks, locks, tasks, polls, timeline (of\n"
    "                     routines, loops and I/O: totals only)\n"
    "  --events N         keep N events per thread and drop the others (default 4194304; of\n"
    "                     routines, loops and I/O 1048576)\n"
    "  --keep-log FOLDER  keep the log in FOLDER (convert can read it)\n"
    "  --statistics FILE  write the statistics of regions as text (-: standard output)\n"
    "  --no-routines, --no-loops, --no-io\n"
    "                     build: do not instrument these\n"
    "  --source FILE      build: compile nothing; write this source in Fortran with remarks where it is measured\n"
    "  --times N          advise: the run will be N times as long (default 10)\n"
    "  --memory SIZE      that making the trace may take, as in 500M or 2G (default: three quarters\n"
    "                     of what the machine has)\n"
    "  -h, --help, --version\n"
    "\n"
    "The exit status of record is that of the command. Otherwise: 0; 1 nothing was recorded or "
    "the\n"
    "log is damaged; 2 usage.\n";

int kpx_fail_usage(const char *message)
{
    bool asks = message[strlen(message) - 1] == '?';
    fprintf(stderr, "kpx-bridge: %s%s\n", message, asks ? "" : "; see kpx-bridge --help");
    return 2;
}

int kpx_next_option(int argc, char **argv, const char *letters, const struct option *options)
{
    opterr = 0;
    int before = optind, c = getopt_long(argc, argv, letters, options, NULL);
    if (c != '?' && c != ':')
        return c;
    // After an unknown letter within a word optind still points to the word.
    const char *word = optind > before ? argv[optind - 1] : argv[before];
    bool known = optopt && strncmp(word, "--", 2) == 0;
    char *message = c == ':' ? base_format("option %s needs a value", word)
                    : known  ? base_format("option %s takes no value", word)
                    : optopt ? base_format("unknown option -%c", optopt)
                             : base_format("unknown or ambiguous option %s", word);
    kpx_fail_usage(message);
    free(message);
    return '?';
}

// ---- Options that take more than a word as it is ------------------------------------------------

static const char *take_limit(kpx_command_options *o, const char *text)
{
    char *end;
    errno = 0;
    long long limit = strtoll(text, &end, 10);
    if (*end || end == text || errno || limit < 1)
        return "--limit takes a number from 1";
    o->limit = o->record.measure.limit = limit;
    return NULL;
}

static const char *take_times(kpx_command_options *o, const char *text)
{
    char *end;
    errno = 0;
    long long times = strtoll(text, &end, 10);
    o->times = times;
    bool good = !*end && end != text && !errno && times >= 1 && times <= 1000000000;
    return good ? NULL : "--times takes a number from 1";
}

static const char *take_sample(kpx_command_options *o, const char *text)
{
    char *end;
    errno = 0;
    long hertz = strtol(text, &end, 10);
    bool good = !*end && end != text && !errno && hertz >= 1 && hertz <= 10000;
    o->record.hertz = good ? (uint32_t)hertz : 0;
    return good ? NULL : "--sample takes a number from 1 to 10000";
}

static const char *take_events(kpx_command_options *o, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    o->record.events = text;
    return digits > 0 && digits < 19 && !text[digits] && strtoll(text, NULL, 10) > 0
               ? NULL
               : "--events takes a number from 1";
}

static const char *take_clock(kpx_command_options *o, const char *text)
{
    o->record.measure.cpu = strcmp(text, "cpu") == 0;
    return o->record.measure.cpu || strcmp(text, "elapsed") == 0 ? NULL
                                                                 : "--clock takes elapsed or cpu";
}

static const char *take_trials(kpx_command_options *o, const char *text)
{
    char *end;
    errno = 0;
    o->trials.n = strtoll(text, &end, 10);
    bool good = !*end && end != text && !errno && o->trials.n >= 1 && o->trials.n <= 1000000;
    return good ? NULL : "--trials takes a number from 1";
}

static const char *take_store(kpx_command_options *o, const char *where)
{
    o->trials.stored = true;
    o->trials.store = where;
    return NULL;
}

static const char *take_condition(kpx_command_options *o, const char *text)
{
    return base_trials_add_condition(&o->trials, text);
}

static const char *take_region(kpx_command_options *o, const char *place)
{
    char *both = o->regions ? base_format("%s\n%s", o->regions, place) : base_copy(place);
    free(o->regions);
    o->record.regions = o->regions = both;
    return NULL;
}

static const char *take_without(kpx_command_options *o, const char *list)
{
    o->record.without = list;
    return kpx_knows_kinds(list) ? NULL : "--without takes chunks, locks, tasks, polls, timeline";
}

static const char *take_memory(kpx_command_options *o, const char *size)
{
    o->memory = base_read_memory_size(size);
    return o->memory ? NULL : "--memory takes a size from 32M up, as in 500M or 2G";
}

static const char *take_except(kpx_command_options *o, const char *list)
{
    o->record.measure.except = o->build.except = list;
    return NULL;
}

// ---- All ----------------------------------------------------------------------------------------

typedef struct {
    const char *name;
    enum { FLAG, WORD, TAKEN, PERHAPS, HELP, VERSION } kind;
    size_t at; // FLAG, WORD: in the options
    const char *(*take)(kpx_command_options *o, const char *word); // TAKEN, PERHAPS: what is wrong, or NULL
} rule;

#define FLAG(name, member)  {name, FLAG, offsetof(kpx_command_options, member), NULL}
#define WORD(name, member)  {name, WORD, offsetof(kpx_command_options, member), NULL}
#define TAKEN(name, take)   {name, TAKEN, 0, take}

static const rule rules[] = {
    FLAG("openmp", record.openmp),
    FLAG("mpi", record.mpi),
    FLAG("threads", record.threads),
    FLAG("routines", record.measure.routines),
    FLAG("loops", record.measure.loops),
    FLAG("io", record.measure.io),
    FLAG("count", record.measure.count),
    FLAG("two-pass", two_pass),
    WORD("counts", counts),
    TAKEN("limit", take_limit),
    TAKEN("clock", take_clock),
    WORD("only", record.measure.only),
    TAKEN("except", take_except),
    FLAG("no-routines", build.no_routines),
    FLAG("no-loops", build.no_loops),
    FLAG("no-io", build.no_io),
    WORD("source", build.source),
    TAKEN("region", take_region),
    FLAG("paused", record.paused),
    TAKEN("without", take_without),
    TAKEN("events", take_events),
    WORD("keep-log", keep),
    TAKEN("sample", take_sample),
    TAKEN("times", take_times),
    TAKEN("trials", take_trials),
    {"store", PERHAPS, 0, take_store},
    TAKEN("condition", take_condition),
    TAKEN("memory", take_memory),
    WORD("statistics", statistics),
    WORD("output", output),
    {"help", HELP, 0, NULL},
    {"version", VERSION, 0, NULL},
};

enum { RULES = sizeof rules / sizeof *rules, FIRST = 256 };

// As kpx_read_options().
static int take(kpx_command_options *o, const rule *r, const char *word)
{
    void *at = (char *)o + r->at;
    const char *complaint;
    switch (r->kind) {
    case FLAG:
        *(bool *)at = true;
        return 0;
    case WORD:
        *(const char **)at = word;
        return 0;
    case TAKEN:
    case PERHAPS: // =WORD may be left out
        complaint = r->take(o, word);
        return complaint ? kpx_fail_usage(complaint) + 1 : 0;
    case HELP:
        fputs(kpx_usage, stdout);
        return 1;
    default:
        puts("kpx-bridge " FLENG_VERSION);
        return 1;
    }
}

static const rule *rule_of(int option)
{
    const char *name = option == 'o' ? "output" : option == 'h' ? "help" : NULL;
    for (int i = 0; i < RULES; i++)
        if (name ? strcmp(rules[i].name, name) == 0 : option == FIRST + i)
            return &rules[i];
    return NULL;
}

int kpx_read_options(int argc, char **argv, bool in_order, kpx_command_options *o)
{
    struct option longs[RULES + 1] = {0};
    for (int i = 0; i < RULES; i++) {
        bool alone = rules[i].kind != WORD && rules[i].kind != TAKEN && rules[i].kind != PERHAPS;
        longs[i] = (struct option){rules[i].name, alone ? no_argument : rules[i].kind == PERHAPS ? optional_argument : required_argument, NULL,
                                   FIRST + i};
    }
    int option, done = 0;
    const char *shorts = in_order ? "+:ho:" : ":ho:";
    while (!done && (option = kpx_next_option(argc, argv, shorts, longs)) != -1) {
        const rule *r = rule_of(option);
        done = r ? take(o, r, optarg) : 3;
    }
    return done;
}

// ---- Commands -----------------------------------------------------------------------------------

const char *kpx_similar_command(const char *word)
{
    static const char *const names[] = {"record", "convert", "advise", "build", "report", "import"};
    return nearest_of(word, names, sizeof names / sizeof *names);
}
