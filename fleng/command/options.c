// SPDX-License-Identifier: MIT
//
// The command line. The table of options comes after the functions that take their values.
#include "fleng/command/options.h"

#include "base/access.h"
#include "base/machine_memory.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/text.h"
#include "vm/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKERS = 256, MIN_MEMORY = 4 << 20 };

// What a program in a sandbox may take, unless options say otherwise.
enum { SANDBOX_MEMORY = 1 << 30, SANDBOX_SECONDS = 60, SANDBOX_OUTPUT = 64 << 20 };

typedef struct {
    fl_options *options;
    char *error;
    bool asks_ideal; // by -time
    bool allows;     // doors of a sandbox
} parsing;

__attribute__((format(printf, 2, 3))) static bool fail(parsing *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    base_text text = {0};
    text_add_arguments(&text, format, arguments);
    p->error = text_finish(&text);
    va_end(arguments);
    return false;
}

// ---- Values -----------------------------------------------------------------------------------

// A whole number of at least 1, with a suffix k, M or G if `scaled`.
static bool read_number(parsing *p, const char *option, const char *text, bool scaled,
                        uint64_t *ret_number)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    uint64_t scale = 1;
    if (scaled && *end) {
        scale = *end == 'k' ? 1000 : *end == 'M' ? 1000000 : *end == 'G' ? 1000000000 : 0;
        end++;
    }
    if (*text < '0' || *text > '9' || *end || scale == 0)
        return fail(p, "-%s takes a number%s, not %s", option,
                    scaled ? " (k, M or G may follow)" : "", *text ? text : "nothing");
    if (errno || n == 0 || n > INT64_MAX / scale)
        return fail(p, "-%s: %s is out of range", option, text);
    *ret_number = n * scale;
    return true;
}

static bool set_goal(parsing *p, const char *value)
{
    if (p->options->goal)
        return fail(p, "-e is given twice: write -e 'A, B' for two goals");
    p->options->goal = value;
    return true;
}

static bool set_trace(parsing *p, const char *value)
{
    if (value && !*value)
        return fail(p, "-trace= needs the name of a file");
    p->options->trace = true;
    p->options->trace_path = value;
    return true;
}

static bool set_profile(parsing *p, const char *value)
{
    if (value && !*value)
        return fail(p, "-profile= needs the name of a file");
    p->options->profile = true;
    p->options->profile_path = value;
    return true;
}

static bool set_time(parsing *p, const char *value)
{
    p->options->real = strcmp(value, "real") == 0;
    if (p->options->real)
        return true;
    if (strcmp(value, "ideal") != 0)
        return fail(p, "-time takes ideal or real, not %s", value);
    p->options->ideal = p->asks_ideal = true;
    return true;
}

static bool set_limit(parsing *p, const char *value)
{
    return read_number(p, "limit", value, true, &p->options->limit);
}

static bool set_until(parsing *p, const char *value)
{
    uint64_t until;
    if (!read_number(p, "until", value, false, &until))
        return false;
    p->options->until = (int64_t)until;
    p->options->ideal = true; // there is no virtual time elsewhere
    return true;
}

static bool set_workers(parsing *p, const char *value)
{
    uint64_t workers;
    if (!read_number(p, "j", value, false, &workers))
        return false;
    if (workers > MAX_WORKERS)
        return fail(p, "-j: at most %d workers", MAX_WORKERS);
    p->options->workers = (uint32_t)workers;
    return true;
}

static bool set_seed(parsing *p, const char *value)
{
    char *end;
    errno = 0;
    p->options->seed = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno)
        return fail(p, "-seed takes a whole number, not %s", value);
    p->options->seeded = true;
    return true;
}

// A size: a number with k, M or G, powers of 1024.
static bool read_size(parsing *p, const char *option, const char *text, uint64_t *ret_size)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (shift)
        end++;
    if (*text < '0' || *text > '9' || *end || errno || n == 0 || n > (UINT64_MAX >> shift))
        return fail(p, "-%s takes a size, as in -%s 500M, not %s", option, option, text);
    *ret_size = (uint64_t)n << shift;
    return true;
}

static bool set_memory(parsing *p, const char *value)
{
    uint64_t size;
    if (!read_size(p, "m", value, &size))
        return false;
    p->options->memory = (size_t)size;
    if (p->options->memory < MIN_MEMORY)
        return fail(p, "-m: at least %dM", MIN_MEMORY >> 20);
    return true;
}

static bool set_time_limit(parsing *p, const char *value)
{
    return read_number(p, "time-limit", value, false, &p->options->time_limit);
}

static bool set_output_limit(parsing *p, const char *value)
{
    return read_size(p, "output-limit", value, &p->options->output_limit);
}

static bool set_sandbox(parsing *p, const char *value)
{
    (void)value;
    p->options->sandbox = true;
    return true;
}

static bool set_allow(parsing *p, const char *value)
{
    const char *reason;
    p->allows = true;
    return base_access_allow(value, &reason) || fail(p, "-allow %s: %s", value, reason);
}

static bool set_trials(parsing *p, const char *value)
{
    char *end;
    errno = 0;
    p->options->trials.n = strtoll(value, &end, 10);
    if (errno || *end || end == value || p->options->trials.n < 1 || p->options->trials.n > 1000000)
        return fail(p, "-trials=%s: a number from 1 is expected", value);
    return true;
}

static bool set_store(parsing *p, const char *value)
{
    p->options->trials.stored = true;
    p->options->trials.store = value;
    return true;
}

static bool set_condition(parsing *p, const char *value)
{
    const char *wrong = base_trials_add_condition(&p->options->trials, value);
    return !wrong || fail(p, "%s", wrong);
}

static bool set_trace_limit(parsing *p, const char *value)
{
    return read_size(p, "trace-limit", value, &p->options->trace_limit);
}

static bool set_trace_sample(parsing *p, const char *value)
{
    const uint64_t hour = 3600000000000; // longer ones say nothing, and the file counts nanoseconds
    if (!read_number(p, "trace-sample", value, true, &p->options->sample))
        return false;
    if (p->options->sample > hour)
        return fail(p, "-trace-sample: %s is out of range: at most an hour, 3600G", value);
    return true;
}

static bool set_trace_modules(parsing *p, const char *value)
{
    p->options->trace_modules = value;
    return true;
}

static bool set_dump(parsing *p, const char *value)
{
    static const char *const names[] = {"", "ast", "ir", "code"};
    for (unsigned i = DUMP_AST; i <= DUMP_CODE; i++)
        if (strcmp(value, names[i]) == 0) {
            p->options->dump = (fl_dump)i;
            return true;
        }
    return fail(p, "-dump takes ast, ir or code, not %s", value);
}

static bool set_library(parsing *p, const char *value)
{
    p->options->library = true;
    p->options->library_module = value;
    return true;
}

static bool set_check(parsing *p, const char *value)
{
    p->options->check = true;
    p->options->check_json = value && strcmp(value, "json") == 0;
    if (value && !p->options->check_json && strcmp(value, "text") != 0)
        return fail(p, "-check takes text or json, not %s", value);
    return true;
}

static bool set_warnings(parsing *p, const char *value)
{
    (void)value;
    p->options->warnings = true;
    return true;
}

static bool set_colour(parsing *p, const char *value)
{
    static const char *const names[] = {"auto", "always", "never"};
    if (!value)
        value = "always";
    for (unsigned i = COLOUR_AUTO; i <= COLOUR_NEVER; i++)
        if (strcmp(value, names[i]) == 0) {
            p->options->colour = (fl_colour)i;
            return true;
        }
    return fail(p, "-color takes auto, always or never, not %s", value);
}

static bool set_gc_stress(parsing *p, const char *value)
{
    uint64_t every;
    if (!read_number(p, "gc-stress", value, false, &every))
        return false;
    p->options->gc_stress = every > UINT32_MAX ? UINT32_MAX : (unsigned)every;
    return true;
}

// P/N=K: the last `=`, and before it the last `/`, are those meant.
static bool set_cost(parsing *p, const char *value)
{
    const char *equals = strrchr(value, '=');
    const char *slash = equals ? memrchr(value, '/', (size_t)(equals - value)) : NULL;
    if (!slash || slash == value || slash + 1 == equals ||
        strspn(slash + 1, "0123456789") != (size_t)(equals - slash) - 1)
        return fail(p, "-cost takes P/N=K, as in -cost append/3=2, not %s", value);
    uint64_t cost;
    if (!read_number(p, "cost", equals + 1, false, &cost))
        return false;
    fl_options *o = p->options;
    o->ideal = true; // there is no virtual time elsewhere
    o->costs = base_resize(o->costs, o->ncosts + 1, sizeof *o->costs);
    o->costs[o->ncosts++] = (fl_cost){base_copy_bytes(value, (size_t)(slash - value)),
                                      (uint32_t)strtoul(slash + 1, NULL, 10), (int64_t)cost, value};
    return true;
}

static bool set_order(parsing *p, const char *value)
{
    static const char *const names[] = {
        [ORDER_NEWEST] = "newest",         [ORDER_OLDEST] = "oldest", [ORDER_TURNS] = "turns",
        [ORDER_LONG_TURNS] = "long-turns", [ORDER_TIME] = "time",
    };
    for (int i = ORDER_NEWEST; i <= ORDER_TIME; i++)
        if (strcmp(value, names[i]) == 0) {
            p->options->order = (vm_order_kind)i;
            return true;
        }
    return fail(p, "-order takes newest, oldest, turns, long-turns or time, not %s", value);
}

static bool set_report(parsing *p, const char *value)
{
    (void)value;
    p->options->report = true;
    return true;
}

static bool set_together(parsing *p, const char *value)
{
    (void)value;
    p->options->together = true;
    return true;
}

static bool set_help(parsing *p, const char *value)
{
    (void)value;
    p->options->help = true;
    return true;
}

static bool set_version(parsing *p, const char *value)
{
    (void)value;
    p->options->version = true;
    return true;
}

// ---- Options ----------------------------------------------------------------------------------

typedef enum { VALUE_NONE, VALUE_OPTIONAL, VALUE_NEEDED } value_kind;

typedef struct {
    const char *name;
    value_kind value;
    bool (*set)(parsing *p, const char *value);
    const char *argument; // as the help shows it
    const char *help;     // NULL: another spelling of an option
} option_row;

// In the order of the help. The lines of a help text are at most 78 characters long.
static const option_row table[] = {
    {"e", VALUE_NEEDED, set_goal, " GOAL",
     "run GOAL (or `A, B`) instead of main, and print its variables at the end"},
    {"trace", VALUE_OPTIONAL, set_trace, "[=OUT.paf]",
     "record every reduction for paf (default: FILE with the suffix .paf, in the\n"
     "current folder)"},
    {"trace-limit", VALUE_NEEDED, set_trace_limit, " SIZE",
     "limit the trace to SIZE, as in 500k or 20M. It then ends with the last step\n"
     "that fits, and the run goes on"},
    {"trace-modules", VALUE_NEEDED, set_trace_modules, " M,...",
     "record these modules in full; of other modules, only the reads that decided\n"
     "when a goal was reduced. The file is smaller"},
    {"trace-sample", VALUE_NEEDED, set_trace_sample, " N[k|M|G]",
     "record only what each worker does every N nanoseconds: busy, looking for a goal,\n"
     "idle, collecting. For parallel runs too long to record (file name as for -trace)"},
    {"trials", VALUE_NEEDED, set_trials, " N",
     "with -trace and -store: run the program N times, and add each trace to the\n"
     "store of runs. For -time=real: ideal runs are all alike"},
    {"store", VALUE_OPTIONAL, set_store, "[=STORE]",
     "which store (default: that of `paf store`)"},
    {"condition", VALUE_NEEDED, set_condition, " KEYS",
     "of the trials, as -j=2,size=B; a key with a dash is an option of their runs.\n"
     "May be given several times: the conditions take turns"},
    {"profile", VALUE_OPTIONAL, set_profile, "[=OUT.paf]",
     "record only sums for each module: work, parallelism and waiting over virtual\n"
     "time. Cheap, and the file stays small however long the run (default file name\n"
     "as for -trace)"},
    {"time", VALUE_NEEDED, set_time, "=ideal|real",
     "run on the ideal machine, in virtual time (implied by -trace and -profile), or\n"
     "in parallel (the default otherwise). A trace of a parallel run has both clocks"},
    {"j", VALUE_NEEDED, set_workers, " N",
     "use N workers (default: as many as processors; one with -limit and in ideal\n"
     "runs)"},
    {"jobs", VALUE_NEEDED, set_workers, NULL, NULL},
    {"seed", VALUE_NEEDED, set_seed, " N",
     "a reproducible schedule: N decides after every reduction which of the virtual\n"
     "workers (-j, default 4) on one thread runs next"},
    {"limit", VALUE_NEEDED, set_limit, " N[k|M|G]", "stop after N reductions"},
    {"until", VALUE_NEEDED, set_until, " T", "stop at virtual time T"},
    {"cost", VALUE_NEEDED, set_cost, " P/N=K",
     "a reduction of predicate P/N takes K units of virtual time"},
    {"m", VALUE_NEEDED, set_memory, " SIZE",
     "memory limit, as in 500M or 2G; a run that needs more fails (default: three\n"
     "quarters of what the machine or its control group has)"},
    {"memory", VALUE_NEEDED, set_memory, NULL, NULL},
    {"time-limit", VALUE_NEEDED, set_time_limit, " S",
     "stop the run after S seconds, with exit status 142"},
    {"output-limit", VALUE_NEEDED, set_output_limit, " SIZE",
     "the run fails when the program has written SIZE, to files, too"},
    {"sandbox", VALUE_NONE, set_sandbox, "",
     "the program reaches no files, environment or processes, and gets 1 GB, 60 seconds\n"
     "and 64 MB of output, unless -m, -time-limit and -output-limit say otherwise.\n"
     "It uses modules of its own folder only"},
    {"allow", VALUE_NEEDED, set_allow, " DOOR",
     "what a program in the sandbox reaches all the same: read=DIR, write=DIR (regular\n"
     "files below DIR), environment or run (commands); may be given several times"},
    {"check", VALUE_OPTIONAL, set_check, "[=json]",
     "do not run: report errors, and what is probably a mistake"},
    {"W", VALUE_NONE, set_warnings, "",
     "report what is probably a mistake, as -check does, and run (without -W: when the\n"
     "run has failed)"},
    {"dump", VALUE_NEEDED, set_dump, "=ast|ir|code",
     "do not run: print what the compiler made of the program"},
    {"library", VALUE_OPTIONAL, set_library, "[=MODULE]",
     "list the predicates of the library, or print the source of one module"},
    {"color", VALUE_OPTIONAL, set_colour, "=auto|always|never",
     "use colours in messages (default auto: on a terminal, unless NO_COLOR is set)"},
    {"colour", VALUE_OPTIONAL, set_colour, NULL, NULL},
    {"report", VALUE_NONE, set_report, "",
     "at the end write to standard error how many reductions there were"},
    {"gc-stress", VALUE_NEEDED, set_gc_stress, " N",
     "collect garbage at every Nth allocation (to test the engine)"},
    {"order", VALUE_NEEDED, set_order, "=newest|oldest|turns|long-turns|time",
     "run the goals of one worker in a fixed order, to compare the engine's own with\n"
     "it: the newest first, the oldest first, the newest for turns of 4,096 or 65,536\n"
     "reductions, or by virtual time. Goals may starve, and memory may run out"},
    {"together", VALUE_NONE, set_together, "",
     "let all workers share the work from the beginning, even where that is slower\n"
     "(to test the engine)"},
    {"help", VALUE_NONE, set_help, "", "print this text"},
    {"h", VALUE_NONE, set_help, NULL, NULL},
    {"version", VALUE_NONE, set_version, "", "print the version"},
};

enum { NOPTIONS = sizeof table / sizeof *table };

size_t fl_memory_limit(const fl_options *o)
{
    if (o->memory)
        return o->memory;
    size_t memory = base_memory_of_machine();
    size_t limit = memory == SIZE_MAX ? 0 : memory / 4 * 3;
    return o->sandbox && (limit == 0 || limit > SANDBOX_MEMORY) ? SANDBOX_MEMORY : limit;
}

// ---- Help -------------------------------------------------------------------------------------

enum { HELP_COLUMN = 21 };

static void print_help(const option_row *o, FILE *out)
{
    int width = fprintf(out, "  -%s%s", o->name, o->argument);
    if (width > HELP_COLUMN - 1)
        width = fprintf(out, "\n") - 1;
    for (const char *line = o->help; line; line = strchr(line, '\n'), line += line != NULL) {
        fprintf(out, "%*s%.*s\n", HELP_COLUMN - width, "", (int)strcspn(line, "\n"), line);
        width = 0;
    }
}

void fl_print_usage(FILE *out)
{
    fputs(
        "usage: fleng [OPTION...] FILE... [-- ARG...]\n"
        "       fleng [OPTION...] [-- ARG...]\n"
        "\n"
        "Runs a Fleng program: main/0 of the module main, or of the first file. Without a file or\n"
        "-e it shows a prompt that runs goals as they are typed; its command :help says more.\n"
        "\n",
        out);
    for (size_t i = 0; i < NOPTIONS; i++)
        if (table[i].help)
            print_help(&table[i], out);
    fputs("\n"
          "Every option may be written with two dashes. The arguments after `--` are for the\n"
          "program (argv/1).\n"
          "\n"
          "Exit status: 0 the run ended or was stopped by -limit or -until; N halt(N); 1 failure;\n"
          "2 usage or compile error; 3 deadlock; 128 + S interrupted by signal S (^C: 130).\n",
          out);
}

// ---- The command line -------------------------------------------------------------------------

static bool unknown_option(parsing *p, const char *argument, const char *name)
{
    const char *names[NOPTIONS];
    for (size_t i = 0; i < NOPTIONS; i++)
        names[i] = table[i].name;
    const char *near = nearest_of(name, names, NOPTIONS);
    if (near)
        return fail(p, "unknown option %s; did you mean -%s?", argument, near);
    return fail(p, "unknown option %s", argument);
}

// getopt_long_only() would accept every unambiguous beginning of a name, where this says which
// option may be meant, and would stop at the first file where POSIXLY_CORRECT is set. *index is the
// argument's; it is moved on if the next argument is the value.
static bool take_option(parsing *p, int argc, char **argv, int *index)
{
    const char *argument = argv[*index];
    const char *name = argument + (argument[1] == '-' ? 2 : 1);
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    for (size_t i = 0; i < NOPTIONS; i++) {
        if (strlen(table[i].name) != length || strncmp(table[i].name, name, length) != 0)
            continue;
        const char *value = equals ? equals + 1 : NULL;
        if (table[i].value == VALUE_NONE && value)
            return fail(p, "option -%s takes no value", table[i].name);
        if (table[i].value == VALUE_NEEDED && !value && *index + 1 == argc)
            return fail(p, "option -%s needs a value", table[i].name);
        if (table[i].value == VALUE_NEEDED && !value)
            value = argv[++*index];
        return table[i].set(p, value);
    }
    char *plain = base_copy_bytes(name, length);
    unknown_option(p, argument, plain);
    free(plain);
    return false;
}

static bool suits_prompt(const fl_options *o)
{
    return !o->trace && !o->trace_limit && !o->trace_modules && !o->sample && !o->profile && !o->ideal &&
           !o->workers && !o->seeded && !o->limit && !o->until && o->dump == DUMP_NONE &&
           !o->sandbox && !o->time_limit && !o->output_limit;
}

// Is it the name of a trace after an option that takes it with `=`?
static bool is_trace_behind(const char *option, const char *file)
{
    size_t n = strlen(file);
    option += strncmp(option, "--", 2) == 0;
    return n > 4 && strcmp(file + n - 4, ".paf") == 0 &&
           (strcmp(option, "-trace") == 0 || strcmp(option, "-profile") == 0);
}

static bool take_arguments(parsing *p, int argc, char **argv)
{
    fl_options *o = p->options;
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!take_option(p, argc, argv, &i))
                return false;
        } else if (i > 1 && is_trace_behind(argv[i - 1], argv[i])) {
            return fail(p, "write the name of the file after `=`: %s=%s", argv[i - 1], argv[i]);
        } else {
            o->files[o->nfiles++] = argv[i];
        }
    }
    if (i < argc) { // after `--`
        o->argc = argc - i - 1;
        o->argv = argv + i + 1;
    }
    return true;
}

// What to do: run files or a goal, show the prompt, or show the library.
static bool choose_task(parsing *p)
{
    fl_options *o = p->options;
    o->prompt = o->nfiles == 0 && !o->goal && !o->help && !o->version && !o->library;
    if (o->prompt && !suits_prompt(o))
        return fail(p, "no FILE to run and no goal (-e); the prompt takes only -m, -gc-stress, "
                       "-color and -- ARG...");
    if (o->library && !o->library_module && o->nfiles == 1)
        o->library_module = o->files[0];
    else if (o->library && o->nfiles > 0)
        return fail(p, "-library lists all modules, -library=MODULE shows one; %s is neither",
                    o->files[0]);
    return true;
}

static bool check_sampling(parsing *p)
{
    const fl_options *o = p->options;
    if (o->real || o->ideal || o->profile || o->seeded)
        return fail(p, "-trace-sample is of a plain run: leave -%s out",
                    o->profile ? "profile" : o->seeded ? "seed" : o->until ? "until"
                    : o->ncosts > 0 ? "cost" : "time");
    if (o->trace_limit || o->trace_modules)
        return fail(p, "-trace-sample records no reductions: leave -trace-%s out",
                    o->trace_limit ? "limit" : "modules");
    return true;
}

// Options that exclude or need each other.
static bool check_together(parsing *p)
{
    fl_options *o = p->options;
    if (o->seeded && o->trace && !o->sample && !p->asks_ideal)
        o->real = true; // the ideal machine has no schedule that a seed could choose
    if (p->allows && !o->sandbox)
        return fail(p, "-allow opens a door of -sandbox, which is not given");
    if (o->sandbox && !o->time_limit)
        o->time_limit = SANDBOX_SECONDS;
    if (o->sandbox && !o->output_limit)
        o->output_limit = SANDBOX_OUTPUT;
    if (o->real && o->profile)
        return fail(p, "-profile is for the ideal machine: leave -time=real out");
    if (o->real && o->until)
        return fail(p, "-until is a time of the ideal machine: leave -time=real out");
    if (o->real && o->ncosts > 0 && !o->trace)
        return fail(p, "-cost is in virtual time, which -time=real has only with -trace");
    if (o->order && (o->seeded || o->ideal || o->real || o->profile || (o->trace && !o->sample) ||
                     o->workers > 1))
        return fail(p, "-order is for plain runs with one worker");
    if (o->seeded && !o->real && (o->ideal || o->profile))
        return fail(p,
                    "-seed chooses a parallel schedule; the ideal machine has only one schedule");
    if (o->profile && o->trace)
        return fail(p, "give -profile or -trace, not both: a trace has all figures of a profile");
    if (o->sample && !check_sampling(p))
        return false;
    const char *wrong = base_trials_check(&o->trials);
    if (wrong)
        return fail(p, "%s", wrong);
    if (o->trials.n && (!o->trace || o->trace_path))
        return fail(p, "-trials needs -trace, without a name");
    if ((o->trace_limit || o->trace_modules) && !o->trace)
        return fail(p, "-trace-%s needs -trace", o->trace_limit ? "limit" : "modules");
    return true;
}

bool fl_options_parse(int argc, char **argv, fl_options *ret_options, char **ret_error)
{
    fl_options options = {0};
    parsing p = {.options = &options};
    options.files = base_allocate((size_t)argc + 1, sizeof *options.files);
    if (take_arguments(&p, argc, argv) && choose_task(&p) && check_together(&p)) {
        *ret_options = options;
        return true;
    }
    *ret_error = p.error;
    fl_options_finish(&options);
    return false;
}

void fl_options_finish(fl_options *o)
{
    for (uint32_t i = 0; i < o->ncosts; i++)
        free((char *)o->costs[i].predicate);
    free(o->costs);
    free(o->files);
}
