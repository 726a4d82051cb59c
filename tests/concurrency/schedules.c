// SPDX-License-Identifier: MIT
//
// The whole engine, with several workers, on tiny programs under all schedules.
//
// usage: schedules [OPTION...] FILE...
//   -j N        workers (2)
//   -limit N    schedules at most (all)
//   -seed N     schedules at random, -limit of them
//   -find       a planted fault must be found in one of the files
//   -real       with stamps, as -time=real -trace runs; they are checked (real_check.c)
//   -same       the answer must be that of one worker, whatever the order of what is written
//   -e GOAL     instead of main; the answer ends with its variables
//
// A program says in comments what it may answer, `% allowed: ENDING: OUTPUT` (lines joined by
// blanks). All schedules must answer one of these; if all were run, each must have been answered.
#include "model.h"
#include "model_system.h"
#include "real_check.h"

#include "fleng/analyse/analyse.h"
#include "fleng/compile/compile.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 16, LENGTH = 4000 };

typedef struct {
    uint32_t workers;
    uint64_t limit, seed;
    bool find, same, real;
    const char *goal;
} settings;

static const settings *options;
static vm_program *code;
static uint32_t nvariables; // of the goal
static char allowed[ANSWERS][LENGTH];
static bool seen[ANSWERS];
static unsigned nallowed;

// ---- One run ------------------------------------------------------------------------------------

static void describe_ending(vm_machine *m, vm_ending ending, char *text, size_t size)
{
    size_t n = 0;
    switch (ending) {
    case END_NORMAL:
        snprintf(text, size, "normal:");
        break;
    case END_FAILED:
        snprintf(text, size, "failed:");
        break;
    case END_HALTED:
        snprintf(text, size, "halted %d:", vm_halt_status(m));
        break;
    case END_DEADLOCK:
        vm_suspended(m, &n);
        snprintf(text, size, "deadlock %zu:", n);
        break;
    default:
        snprintf(text, size, "%d:", (int)ending);
    }
}

static int by_value(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

static void add(char *answer, const char *text, size_t n)
{
    size_t at = strlen(answer);
    if (n > LENGTH - 1 - at)
        model_fail("the answer is too long for the checker");
    memcpy(answer + at, text, n);
    answer[at + n] = '\0';
}

static void add_output(char *answer)
{
    size_t n, from = strlen(answer) + 1;
    const char *text = model_written(&n);
    if (n == 0)
        return;
    add(answer, " ", 1);
    add(answer, text, n - (!options->same && text[n - 1] == '\n'));
    for (char *c = answer + from; *c; c++)
        if (*c == '\n')
            *c = ' ';
    if (options->same)
        qsort(answer + from, strlen(answer + from), 1, by_value);
}

static void add_variables(vm_machine *m, char *answer)
{
    static const vm_print_options print = {.quoted = true};
    for (uint32_t i = 0; i < nvariables; i++) {
        size_t n;
        char *text = vm_term_text(vm_results(m)[i], &print, &n);
        add(answer, " ", 1);
        add(answer, text, n);
        free(text);
    }
}

static void run(char *ret_answer)
{
    vm_options o = {
        .workers = options->workers, .together = true, .result_registers = nvariables};
    o.stamped = options->real;
    o.real = options->real && options->workers > 1; // one alone: on the ideal machine
    o.recorder = o.real ? &real_check : NULL;
    vm_machine *m = vm_create(code, &o);
    vm_ending ending = vm_run(m);
    describe_ending(m, ending, ret_answer, LENGTH);
    add_output(ret_answer);
    if (ending == END_NORMAL)
        add_variables(m, ret_answer);
    vm_destroy(m);
}

static void scenario(void)
{
    char answer[LENGTH];
    run(answer);
    for (unsigned i = 0; i < nallowed; i++)
        if (strcmp(answer, allowed[i]) == 0) {
            seen[i] = true;
            return;
        }
    model_fail("the answer is `%s`", answer);
}

// ---- Programs -----------------------------------------------------------------------------------

static bool read_allowed(const char *path)
{
    static const char sign[] = "% allowed: ";
    char line[LENGTH];
    FILE *file = fopen(path, "r");
    nallowed = 0;
    if (!file)
        return false;
    nallowed = options->same; // the first is put there by one worker
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, sign, sizeof sign - 1) == 0 && nallowed < ANSWERS)
            snprintf(allowed[nallowed++], LENGTH, "%s", line + sizeof sign - 1);
    }
    fclose(file);
    return nallowed > 0;
}

static bool load(const char *path)
{
    fl_messages *messages = fl_messages_create();
    fl_program *program = fl_analyse(&path, 1, options->goal, messages);
    if (fl_error_count(messages) == 0)
        code = fl_compile(program, options->real, messages);
    nvariables = options->goal ? program->beginning->nvariables : 0;
    bool loaded = fl_error_count(messages) == 0;
    if (!loaded)
        fputs(fl_messages_text(messages, false), stderr);
    fl_messages_destroy(messages);
    return loaded;
}

// One run beside the checker makes the atoms: they stay, whatever an execution takes back.
static void run_alone(void)
{
    settings one = *options;
    char answer[LENGTH];
    one.workers = 1;
    const settings *kept = options;
    options = &one;
    run(answer);
    options = kept;
    if (options->same)
        memcpy(allowed[0], answer, LENGTH);
}

static bool explore(const char *path)
{
    model_result r;
    model_options o = {
        .scenario = scenario,
        .buffers = true,
        .quiet = options->find,
        .limit = options->limit,
        .seed = options->seed,
    };
    if (!read_allowed(path) || !load(path)) {
        fprintf(stderr, "%s: this is no program with allowed answers\n", path);
        exit(2);
    }
    run_alone();
    memset(seen, 0, sizeof seen);
    model_explore(&o, &r);
    const char *name = strrchr(path, '/');
    printf("%-20s %8llu schedules, %8llu broken off, up to %4llu steps: %s\n",
           name ? name + 1 : path, (unsigned long long)r.executions, (unsigned long long)r.pruned,
           (unsigned long long)r.longest,
           r.fault      ? r.message
           : r.complete ? "sound"
                        : "sound as far as it was searched");
    for (unsigned i = 0; i < nallowed && r.complete; i++)
        if (!seen[i]) {
            printf("    no schedule answers `%s`\n", allowed[i]);
            r.fault = true;
        }
    fflush(stdout);
    return !r.fault;
}

// ---- The command --------------------------------------------------------------------------------

static uint64_t number(int argc, char **argv, int at)
{
    if (at < argc)
        return strtoull(argv[at], NULL, 10);
    fprintf(stderr, "%s needs a number\n", argv[at - 1]);
    exit(2);
}

int main(int argc, char **argv)
{
    settings s = {.workers = 2};
    int at = 1;
    for (; at < argc && *argv[at] == '-'; at++) {
        if (strcmp(argv[at], "-find") == 0)
            s.find = true;
        else if (strcmp(argv[at], "-real") == 0)
            s.real = true;
        else if (strcmp(argv[at], "-same") == 0)
            s.same = true;
        else if (strcmp(argv[at], "-e") == 0 && at + 1 < argc)
            s.goal = argv[++at];
        else if (strcmp(argv[at], "-j") == 0)
            s.workers = (uint32_t)number(argc, argv, ++at);
        else if (strcmp(argv[at], "-limit") == 0)
            s.limit = number(argc, argv, ++at);
        else if (strcmp(argv[at], "-seed") == 0)
            s.seed = number(argc, argv, ++at);
        else
            return 2;
    }
    options = &s;
    vm_memory_init();
    bool sound = at < argc;
    for (; at < argc; at++)
        sound &= explore(argv[at]);
    return sound != s.find ? 0 : 1;
}
