// SPDX-License-Identifier: MIT
//
// fleng, the command: reads, compiles and runs a program, and says how the run ended.
#include "fleng/analyse/analyse.h"

#include "base/access.h"
#include "base/output.h"
#include "fleng/analyse/library.h"
#include "fleng/check/check.h"
#include "fleng/command/options.h"
#include "fleng/command/progress.h"
#include "fleng/compile/compile.h"
#include "fleng/compile/dump.h"
#include "fleng/explain/run_end.h"
#include "fleng/prompt/prompt.h"
#include "fleng/record/guard.h"
#include "fleng/record/profile.h"
#include "fleng/record/record.h"
#include "fleng/record/samples.h"
#include "vm/code.h"
#include "vm/memory.h"
#include "vm/print.h"
#include "vm/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_INTERNAL = 70 };
enum { CHECK_MESSAGES = 1000, RUN_WARNINGS = 10 }; // told at most of each severity

typedef struct {
    fl_options options;
    fl_messages *messages;
    fl_program *program;
    vm_program *code;
    vm_machine *machine;
    fl_recorder *recorder;
    fl_profiler *profiler;
    fl_sampler *sampler;
    fl_report_context report;
} session;

static int usage_error(const char *text)
{
    bool asks = text[strlen(text) - 1] == '?';
    fprintf(stderr, "fleng: %s%s\n", text, asks ? "" : "; see fleng -help");
    return EXIT_USAGE;
}

// ---- Compiling --------------------------------------------------------------------------------

// Messages go to standard error, in colour on a terminal that has any (no-color.org).
static bool in_colour(const fl_options *o)
{
    if (o->colour != COLOUR_AUTO)
        return o->colour == COLOUR_ALWAYS;
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(none && *none) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

// Prints what was collected; true if there were errors.
static bool failed(session *s)
{
    if (fl_error_count(s->messages) == 0)
        return false;
    char *text = fl_messages_text(s->messages, in_colour(&s->options));
    fputs(text, stderr);
    free(text);
    return true;
}

// `p`, or `m:p` for that of one module.
static bool cost_applies(const fl_cost *cost, const vm_predicate *p)
{
    if (p->arity != cost->arity)
        return false;
    if (strcmp(cost->predicate, p->name) == 0)
        return true;
    size_t n = p->module ? strlen(p->module) : 0;
    return n > 0 && strncmp(cost->predicate, p->module, n) == 0 && cost->predicate[n] == ':' &&
           strcmp(cost->predicate + n + 1, p->name) == 0;
}

static bool set_costs(session *s)
{
    for (uint32_t i = 0; i < s->options.ncosts; i++) {
        const fl_cost *cost = &s->options.costs[i];
        bool found = false;
        for (uint32_t k = 0; k < s->program->npredicates; k++) {
            vm_predicate *p = s->program->predicates[k];
            if (!cost_applies(cost, p))
                continue;
            p->cost = cost->cost;
            found = true;
        }
        if (!found) {
            fprintf(stderr, "fleng: -cost %s: there is no predicate %s/%u\n", cost->text,
                    cost->predicate, cost->arity);
            return false;
        }
    }
    return true;
}

static bool is_stamped(const fl_options *o)
{
    return o->real ? o->trace : o->ideal || (o->trace && !o->sample) || o->profile;
}

// Errors and warnings of the program, which is not run.
static int check(session *s)
{
    const fl_options *o = &s->options;
    fl_messages_keep(s->messages, CHECK_MESSAGES);
    s->program =
        fl_analyse(o->files, o->nfiles, o->goal ? o->goal : fl_main_if_any, s->messages);
    if (fl_error_count(s->messages) == 0)
        fl_compile(s->program, false, s->messages);
    fl_check_program(s->program, s->messages);
    char *text = o->check_json ? fl_messages_json(s->messages)
                               : fl_messages_text(s->messages, in_colour(o));
    fputs(text, o->check_json ? stdout : stderr);
    free(text);
    return fl_error_count(s->messages) ? EXIT_USAGE : 0;
}

// True if a dump was asked for and made.
static bool dump(const session *s)
{
    switch (s->options.dump) {
    case DUMP_AST:
        fl_dump_ast(s->program, stdout);
        return true;
    case DUMP_IR:
        fl_dump_ir(s->program, stdout);
        return true;
    case DUMP_CODE:
        fl_dump_code(s->program, s->code, is_stamped(&s->options), stdout);
        return true;
    case DUMP_NONE:
        break;
    }
    return false;
}

// The program's files, and modules below their folders, may be read while it is compiled.
static bool enter_sandbox(const fl_options *o)
{
    for (uint32_t i = 0; i < o->nfiles; i++) {
        const char *slash = strrchr(o->files[i], '/'), *reason;
        char *folder = slash ? base_copy_bytes(o->files[i], (size_t)(slash - o->files[i]) + 1) : NULL;
        bool good = base_access_lend(folder ? folder : ".", &reason);
        if (!good)
            fprintf(stderr, "fleng: cannot read %s: %s\n", o->files[i], reason);
        free(folder);
        if (!good)
            return false;
    }
    base_access_close();
    return true;
}

// 0, or the exit status.
static int compile(session *s)
{
    s->program = fl_analyse(s->options.files, s->options.nfiles, s->options.goal, s->messages);
    if (failed(s))
        return EXIT_USAGE;
    if (!set_costs(s))
        return EXIT_USAGE;
    s->code = fl_compile(s->program, is_stamped(&s->options), s->messages);
    if (failed(s))
        return EXIT_USAGE;
    char *wrong = vm_verify(s->code);
    if (wrong) {
        fprintf(stderr, "fleng: internal error: the compiler made invalid code: %s\n", wrong);
        free(wrong);
        return EXIT_INTERNAL;
    }
    return 0;
}

// What is probably a mistake, of a program without errors.
static void tell_warnings(const session *s)
{
    fl_messages *warnings = fl_messages_create();
    fl_messages_keep(warnings, RUN_WARNINGS);
    fl_check_program(s->program, warnings);
    char *text = fl_messages_text(warnings, in_colour(&s->options));
    fputs(text, stderr);
    free(text);
    fl_messages_destroy(warnings);
}

// ---- Running ----------------------------------------------------------------------------------

static const char *trace_path(const fl_options *o)
{
    if (o->trace_path || o->profile_path)
        return o->trace_path ? o->trace_path : o->profile_path;
    const char *name = o->nfiles > 0 ? fl_base_name(o->files[0]) : "goal";
    size_t size = strlen(name) + 5;
    char *path = vm_alloc_atomic(size);
    snprintf(path, size, "%s.paf", name);
    return path;
}

// No output may replace what the program consists of or is given.
static void protect_inputs(const session *s)
{
    for (uint32_t i = 0; i < s->program->nsources; i++)
        if (!s->program->sources[i].library)
            base_output_protect(s->program->sources[i].name, "it is a source of the program");
    for (int i = 0; i < s->options.argc; i++)
        base_output_protect(s->options.argv[i], "it is an argument of the program");
}

static uint32_t default_workers(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 ? (uint32_t)processors : 1;
}

enum { VIRTUAL_WORKERS = 4 };

static uint32_t count_workers(const fl_options *o)
{
    if ((o->limit && !o->seeded) || o->order)
        return 1;
    return o->workers ? o->workers : o->seeded ? VIRTUAL_WORKERS : default_workers();
}

static fl_recorder *new_recorder(session *s, char **ret_error)
{
    const fl_options *o = &s->options;
    uint32_t workers = o->real ? count_workers(o) : 0;
    return fl_recorder_create(trace_path(o), s->program, s->code, workers,
                              workers && o->seeded ? 1 : workers,
                              &(fl_record_options){o->trace_limit, o->trace_modules}, ret_error);
}

static int create_recorder(session *s)
{
    char *error = NULL;
    protect_inputs(s);
    if (s->options.sample)
        s->sampler = fl_sampler_create(trace_path(&s->options), s->program,
                                       count_workers(&s->options), s->options.sample, &error);
    else if (s->options.trace)
        s->recorder = new_recorder(s, &error);
    else if (s->options.profile)
        s->profiler = fl_profiler_create(trace_path(&s->options), s->program, s->code, &error);
    else
        return 0;
    if (s->recorder)
        fl_guard_trace(trace_path(&s->options));
    if (s->recorder || s->profiler || s->sampler)
        return 0;
    fprintf(stderr, "fleng: %s\n", error ? error : "the file cannot be created");
    free(error);
    return EXIT_USAGE;
}

static void on_interrupt(int number)
{
    static volatile sig_atomic_t seen[NSIG];
    bool echo = fl_guard_is_echo(number);
    if (seen[number] && !echo && number != SIGXCPU && number != SIGPIPE) {
        signal(number, SIG_DFL);
        raise(number);
    }
    seen[number] = 1;
    vm_interrupt(number);
}

// The first signal of a kind ends the run in good order, the second one at once; but SIGXCPU comes each
// second until the limit that kills is reached, and SIGPIPE for each write. A run that nohup began does not
// end with its terminal. Those that end any other run at once end one that is recorded in good order, too.
static void catch_interrupts(bool recorded)
{
    static const struct {
        int number;
        bool of_recorded, may_be_ignored;
    } signals[] = {
        {SIGINT, false, false}, {SIGTERM, false, false}, {SIGXCPU, false, false},
        {SIGHUP, false, true},  {SIGQUIT, true, true},   {SIGPIPE, true, true},
    };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int number = signals[i].number;
        struct sigaction before, action = {.sa_handler = on_interrupt};
        action.sa_flags = number == SIGXCPU ? SA_RESTART : 0;
        sigemptyset(&action.sa_mask);
        if (signals[i].of_recorded && !recorded)
            continue;
        if (signals[i].may_be_ignored && sigaction(number, NULL, &before) == 0 &&
            before.sa_handler == SIG_IGN)
            continue;
        sigaction(number, &action, NULL);
    }
}

// What is recorded is complete: now the process ends as one that is not recorded does.
static void end_as_unrecorded(void)
{
    static const int numbers[] = {SIGQUIT, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] == vm_interrupted_by()) {
            signal(numbers[i], SIG_DFL);
            raise(numbers[i]);
        }
}

// Is the program running, so that its run can be asked to end?
static volatile sig_atomic_t is_running;
static volatile sig_atomic_t is_asked; // to end, by the limit of time

static void on_time_limit(int signal)
{
    static const char told[] = "fleng: the limit of time is reached (see -time-limit)\n";
    if (!is_running || is_asked) { // the run did not end within GRACE
        ssize_t unused = write(STDERR_FILENO, told, sizeof told - 1);
        (void)unused;
        _exit(128 + signal);
    }
    is_asked = 1;
    vm_interrupt(signal);
}

enum { GRACE = 2 }; // seconds

// From the first file that is compiled to the last result that is printed.
static void begin_time_limit(uint64_t seconds)
{
    struct sigaction action = {.sa_handler = on_time_limit};
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds, .it_interval.tv_sec = GRACE};
    if (seconds == 0)
        return;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &timer, NULL) != 0) {
        perror("fleng: -time-limit");
        exit(EXIT_USAGE);
    }
}

static void end_time_limit(void)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static vm_ending run(session *s)
{
    const fl_options *o = &s->options;
    vm_options options = {
        .stamped = is_stamped(o),
        .real = o->real,
        .workers = count_workers(o),
        .together = o->together,
        .order = o->order,
        .seeded = o->seeded,
        .seed = o->seed,
        .limit = o->limit,
        .output_limit = o->output_limit,
        .until = o->until,
        .recorder = s->recorder ? fl_recorder_interface(s->recorder) : NULL,
        .profile = s->profiler ? fl_profiler_figures(s->profiler) : NULL,
        .states = s->sampler    ? fl_sampler_states(s->sampler)
                  : s->recorder ? fl_recorder_states(s->recorder)
                                : NULL,
        .argc = o->argc,
        .argv = o->argv,
        .result_registers = s->program->beginning->nvariables,
    };
    s->machine = vm_create(s->code, &options);
    if (s->recorder)
        fl_recorder_begin(s->recorder, s->machine);
    catch_interrupts(s->recorder || s->profiler || s->sampler);
    fl_tell_progress_of(s->machine);
    vm_memory_limit(fl_memory_limit(o));
    if (s->sampler)
        fl_sampler_begin(s->sampler);
    else if (options.states)
        vm_states_begin(options.states);
    is_running = 1;
    vm_ending ending = vm_run(s->machine);
    is_running = 0;
    if (s->sampler)
        fl_sampler_end(s->sampler);
    else if (options.states)
        vm_states_end();
    return ending;
}

enum { LONGEST_CELL = 16 }; // about what one cell of a term takes as text, in bytes

// The variables of -e and what they became, or have become so far. A term of few words may have a text of
// many: an output limit ends it, with "...".
static void print_results(session *s)
{
    const fl_clause *beginning = s->program->beginning;
    const vm_word *results = vm_results(s->machine);
    fl_namer namer = {.code = s->code, .plain = true};
    vm_print_options options = {.quoted = true, .variable_name = fl_name_variable, .data = &namer};
    uint64_t cells = s->options.output_limit / LONGEST_CELL;
    if (s->options.output_limit)
        options.max_cells = cells < UINT32_MAX ? (uint32_t)cells + 1 : UINT32_MAX;
    for (uint32_t i = 0; i < beginning->nvariables; i++) {
        if (*beginning->variables[i].name == '_')
            continue;
        size_t length;
        char *text = vm_term_text(results[i], &options, &length);
        printf("%s = ", beginning->variables[i].name);
        fwrite(text, 1, length, stdout);
        putchar('\n');
        free(text);
    }
}

static void tell_cut(const trace_cut *cut)
{
    if (cut->recorded == 0)
        return;
    fprintf(stderr,
            "fleng: the trace has reached its limit: it has %" PRIu64 " of %" PRIu64
            " reductions, steps 1 to %" PRId64 " of %" PRId64 "\n",
            cut->recorded, cut->reductions, cut->last, cut->span);
    if (cut->bytes)
        fprintf(stderr, "       (-trace-limit %" PRIu64 " would have been enough for all)\n",
                cut->bytes);
}

// The pauses of the run that -profile measures; small runs have none.
static void tell_pauses(void)
{
    vm_memory_pauses p = vm_memory_get_pauses();
    if (p.count > 0)
        fprintf(stderr,
                "fleng: %" PRIu64 " collection%s of garbage: %.1f ms in all, %.1f ms the longest\n",
                p.count, p.count == 1 ? "" : "s", (double)p.total / 1e6, (double)p.longest / 1e6);
}

static int finish_trace(session *s, vm_ending ending, int status, const char *message)
{
    char *error = NULL;
    bool good = true;
    if (s->recorder)
        good = fl_recorder_finish(s->recorder, s->machine, ending, status, message, &error);
    else if (s->profiler)
        good = fl_profiler_finish(s->profiler, s->machine, ending, status, message, &error);
    else if (s->sampler)
        good = fl_sampler_finish(s->sampler, ending, status, message, &error);
    if (s->recorder)
        tell_cut(fl_recorder_cut(s->recorder));
    if (s->profiler)
        tell_pauses();
    if (good)
        return status;
    fprintf(stderr, "fleng: the %s is not complete: %s\n",
            s->recorder ? "trace" : s->profiler ? "profile" : "file of samples",
            error ? error : "unknown error");
    free(error);
    return status ? status : 1;
}

// The exit status: 1 if anything was lost. That nobody reads any more ends the run, and is told so.
static int finish_output(session *s)
{
    char *lost = vm_finish_output(s->machine);
    bool printed = lost || fflush(stdout) == 0;
    int reason = errno;
    bool unread = vm_interrupted_by() == SIGPIPE;
    if (lost && !unread)
        fprintf(stderr, "fleng: %s\n", lost);
    else if (!printed && !unread)
        fprintf(stderr, "fleng: standard output: cannot write: %s\n", strerror(reason));
    if (!printed)
        clearerr(stdout); // it is told once
    bool good = !lost && printed;
    free(lost);
    return good ? 0 : 1;
}

static int run_program(session *s)
{
    int status = create_recorder(s);
    if (status)
        return status;
    if (s->options.warnings)
        tell_warnings(s);
    vm_ending ending = run(s);
    if (fl_guard_is_orphan()) {
        fl_recorder_leave(s->recorder, s->machine);
        _exit(128 + SIGKILL);
    }
    s->report = (fl_report_context){.machine = s->machine,
                                    .program = s->program,
                                    .code = s->code,
                                    .colour = in_colour(&s->options),
                                    .out = stderr};
    if (ending != END_FAILED && ending != END_HALTED)
        print_results(s);
    end_time_limit();
    status = finish_output(s);
    const char *message;
    if (s->options.report)
        fl_tell_how_far(s->machine);
    vm_memory_limit(0); // what is said takes memory, too
    int reported = fl_report_run_end(&s->report, ending, &message);
    if ((ending == END_FAILED || ending == END_DEADLOCK) && !s->options.warnings)
        tell_warnings(s); // one of them may be the cause
    status = finish_trace(s, ending, reported ? reported : status, message);
    vm_destroy(s->machine);
    end_as_unrecorded();
    return status;
}

static int show_library(const char *module)
{
    if (!fl_library_print(module, stdout)) {
        fprintf(stderr, "fleng: the library has no module %s (-library lists them)\n", module);
        return EXIT_USAGE;
    }
    return 0;
}

static int run_command(int argc, char **argv)
{
    session s = {0};
    char *error = NULL;
    if (!fl_options_parse(argc, argv, &s.options, &error)) {
        int status = usage_error(error ? error : "bad options");
        free(error);
        return status;
    }
    if (s.options.help || s.options.version) {
        if (s.options.help)
            fl_print_usage(stdout);
        else
            puts("fleng " FLENG_VERSION);
        fl_options_finish(&s.options);
        return 0;
    }
    if (s.options.trials.n) {
        int status = base_trials_run(&s.options.trials, "fleng", argc, argv, 1, argc - s.options.argc, "-trace");
        fl_options_finish(&s.options);
        return status;
    }
    if (s.options.real && s.options.trace && !s.options.sample)
        fl_guard_begin();
    vm_memory_init();
    vm_gc_stress(s.options.gc_stress);
    if (s.options.library) {
        int shown = show_library(s.options.library_module);
        fl_options_finish(&s.options);
        return shown;
    }
    if (s.options.prompt) {
        int prompt_status = fl_prompt_run(&s.options);
        fl_options_finish(&s.options);
        return prompt_status;
    }
    s.messages = fl_messages_create();
    if (s.options.sandbox && !enter_sandbox(&s.options))
        return EXIT_USAGE;
    begin_time_limit(s.options.time_limit);
    int status = s.options.check ? check(&s) : compile(&s);
    base_access_end_loans();
    if (status == 0 && !s.options.check && !dump(&s))
        status = run_program(&s);
    fl_messages_destroy(s.messages);
    fl_options_finish(&s.options);
    return status;
}

int main(int argc, char **argv)
{
    base_output_begin();
    base_memory_doing("fleng");
    return base_output_end("fleng", run_command(argc, argv));
}
