// SPDX-License-Identifier: MIT
//
// The whole engine, with several workers, on tiny programs under all schedules.
//
// usage: schedules [OPTION...] FILE...
//   -j N        workers (2)
//   -limit N    schedules at most (all)
//   -seed N     schedules at random, -limit of them
//   -find       a planted fault must be found in one of the files
//
// A program says in comments what it may answer, `% allowed: ENDING: OUTPUT` (lines joined by
// blanks). All schedules must answer one of these; if all were run, each must have been answered.
#include "model.h"
#include "model_system.h"

#include "fleng/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWERS = 16, LENGTH = 200 };

typedef struct {
    uint32_t workers;
    uint64_t limit, seed;
    bool find;
} settings;

static const settings *options;
static vm_program *code;
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

static void run(char *ret_answer)
{
    vm_options o = {.workers = options->workers};
    vm_machine *m = vm_create(code, &o);
    vm_ending ending = vm_run(m);
    describe_ending(m, ending, ret_answer, LENGTH);
    vm_destroy(m);
    size_t n, at = strlen(ret_answer);
    const char *text = model_written(&n);
    if (n > 0 && at < LENGTH - 1)
        ret_answer[at++] = ' ';
    for (size_t i = 0; i < n && at < LENGTH - 1; i++)
        if (i + 1 < n || text[i] != '\n')
            ret_answer[at++] = text[i] == '\n' ? ' ' : text[i];
    ret_answer[at] = '\0';
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
    fl_program *program = fl_analyse(&path, 1, NULL, messages);
    if (fl_error_count(messages) == 0)
        code = fl_compile(program, false, messages);
    bool loaded = fl_error_count(messages) == 0;
    if (!loaded)
        fputs(fl_messages_text(messages, false), stderr);
    fl_messages_destroy(messages);
    return loaded;
}

// One run beside the checker makes the atoms: they stay, whatever an execution takes back.
static void warm_up(void)
{
    settings one = *options;
    char answer[LENGTH];
    one.workers = 1;
    const settings *kept = options;
    options = &one;
    run(answer);
    options = kept;
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
    warm_up();
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
