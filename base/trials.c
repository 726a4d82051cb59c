// SPDX-License-Identifier: MIT
#include "base/trials.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

enum { SIGNAL_STATUS = 128 };

typedef ARRAY_OF(char *) words;

// The process that runs now; a signal that would end this one goes to it.
static volatile sig_atomic_t running;
static volatile sig_atomic_t ended_by; // the signal; 0: none

const char *base_trials_add_condition(base_trials *t, const char *text)
{
    const char *at = text;
    while (true) {
        size_t key = strcspn(at, "=,"), value = at[key] == '=' ? strcspn(at + key + 1, ",") : 0;
        if (key == 0 || value == 0)
            return "--condition takes a list like OMP_NUM_THREADS=2,size=B";
        at += key + 1 + value;
        if (!*at)
            break;
        at++;
    }
    t->conditions = base_resize(t->conditions, t->nconditions + 1, sizeof *t->conditions);
    t->conditions[t->nconditions++] = text;
    return NULL;
}

const char *base_trials_check(const base_trials *t)
{
    if (t->n && !t->stored)
        return "--trials needs --store, where the runs are kept";
    if (!t->n && (t->stored || t->nconditions))
        return "--store and --condition are for runs that are repeated: --trials N";
    return NULL;
}

// Whether a word is the option of that name, with one dash or two. *ret_alone: it has no `=VALUE`.
static bool is_option(const char *word, const char *name, bool *ret_alone)
{
    size_t n = strlen(name);
    const char *at = word + strspn(word, "-");
    *ret_alone = strlen(at) == n;
    return at > word && !strncmp(at, name, n) && (!at[n] || at[n] == '=');
}

// Adds the words without the options of trials, and without the output that each run gets.
static void add_own_words(words *ret, char **argv, int from, int end, const char *output)
{
    bool alone;
    for (int i = from; i < end; i++) {
        if (is_option(argv[i], "store", &alone) || is_option(argv[i], output, &alone))
            continue;
        if (is_option(argv[i], "trials", &alone) || is_option(argv[i], "condition", &alone))
            i += alone; // its value is the next word
        else
            ARRAY_PUSH(*ret, base_copy(argv[i]));
    }
}

static bool is_capital(const char *key, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isupper((unsigned char)key[i]) && key[i] != '_' && (i == 0 || !isdigit((unsigned char)key[i])))
            return false;
    return true;
}

// What a condition says of a run: `set` in the environment of this process, which is the run's, or options.
static void apply_condition(const char *condition, words *options)
{
    for (const char *at = condition; *at;) {
        size_t key = strcspn(at, "="), value = strcspn(at + key + 1, ",");
        char *name = base_copy_bytes(at, key), *text = base_copy_bytes(at + key + 1, value);
        if (*name == '-' && options) {
            ARRAY_PUSH(*options, base_copy(name));
            ARRAY_PUSH(*options, base_copy(text));
        } else if (!options && is_capital(name, key)) {
            setenv(name, text, 1);
        }
        free(name);
        free(text);
        at += key + 1 + value;
        at += *at == ',';
    }
}

static void free_words(words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->at[i]);
    free(w->at);
}

// The terminal interrupts all processes by itself.
static void pass_on(int signal)
{
    ended_by = signal;
    if (running > 0 && signal != SIGINT)
        kill((pid_t)running, signal);
}

// The process's status, as a shell tells it.
static int wait_for(pid_t pid)
{
    int status;
    running = pid;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    running = 0;
    if (ended_by) // though the process may have been through by then
        return SIGNAL_STATUS + ended_by;
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_STATUS + WTERMSIG(status);
}

static int run(const char *program, words *w, const char *condition)
{
    ARRAY_PUSH(*w, NULL);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        if (condition)
            apply_condition(condition, NULL);
        execvp(program, w->at);
        fprintf(stderr, "%s: cannot run: %s\n", program, strerror(errno));
        _exit(127);
    }
    w->n--;
    return pid < 0 ? 1 : wait_for(pid);
}

// `paf`: beside this program, in the folder of its own beside this program's, or in $PATH. malloc'ed.
static char *find_paf(char *self)
{
    ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
    self[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(self, '/');
    int length = slash ? (int)(slash - self) : 0;
    char *places[] = {base_format("%.*s/paf", length, self), base_format("%.*s/../paf/paf", length, self),
                      base_copy("paf")};
    size_t found = 0;
    while (found < 2 && access(places[found], X_OK) != 0)
        found++;
    for (size_t i = 0; i < 3; i++)
        if (i != found)
            free(places[i]);
    return places[found];
}

static int add_to_store(const base_trials *t, const char *paf, const char *condition, const char *trace)
{
    words w = {0};
    ARRAY_PUSH(w, base_copy(paf));
    ARRAY_PUSH(w, base_copy("store"));
    ARRAY_PUSH(w, base_copy("add"));
    if (t->store) {
        ARRAY_PUSH(w, base_copy("--store"));
        ARRAY_PUSH(w, base_copy(t->store));
    }
    if (condition) {
        ARRAY_PUSH(w, base_copy("--condition"));
        ARRAY_PUSH(w, base_copy(condition));
    }
    ARRAY_PUSH(w, base_copy(trace));
    int status = run(paf, &w, NULL);
    free_words(&w);
    return status;
}

typedef struct {
    const base_trials *t;
    const char *command, *output, *self, *paf, *folder;
    char **argv;
    int argc, begin, end;
} plan;

static int run_trial(const plan *p, int64_t trial, const char *condition)
{
    words w = {0};
    char *trace = base_format("%s/trial-%lld.paf", p->folder, (long long)trial);
    for (int i = 0; i < p->begin; i++)
        ARRAY_PUSH(w, base_copy(p->argv[i]));
    ARRAY_PUSH(w, base_format("%s=%s", p->output, trace));
    if (condition)
        apply_condition(condition, &w);
    add_own_words(&w, p->argv, p->begin, p->end, p->output + strspn(p->output, "-"));
    for (int i = p->end; i < p->argc; i++)
        ARRAY_PUSH(w, base_copy(p->argv[i]));
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "trial %lld of %lld%s%s\n", (long long)trial, (long long)p->t->n,
                condition ? ": " : "", condition ? condition : "");
    int status = run(p->self, &w, condition);
    if (status)
        fprintf(stderr, "%s: trial %lld%s%s ended with status %d; the trials before it are in the store\n",
                p->command, (long long)trial, condition ? " of " : "", condition ? condition : "", status);
    else
        status = add_to_store(p->t, p->paf, condition, trace);
    unlink(trace);
    free(trace);
    free_words(&w);
    return status;
}

static char *make_folder(void)
{
    const char *place = getenv("TMPDIR");
    char *folder = base_format("%s/trials-XXXXXX", place && *place ? place : "/tmp");
    if (mkdtemp(folder))
        return folder;
    free(folder);
    return NULL;
}

int base_trials_run(const base_trials *t, const char *command, int argc, char **argv, int begin, int end,
                    const char *output)
{
    char self[PATH_MAX], *paf = find_paf(self), *folder = make_folder();
    plan p = {t, command, output, self, paf, folder, argv, argc, begin, end};
    size_t n = t->nconditions ? t->nconditions : 1;
    int status = folder ? 0 : 1;
    if (!folder)
        fprintf(stderr, "%s: cannot make a folder for traces: %s\n", command, strerror(errno));
    // This process stays to clean up.
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    for (int64_t trial = 1; trial <= t->n && !status; trial++)
        for (size_t i = 0; i < n && !status; i++)
            status = run_trial(&p, trial, t->nconditions ? t->conditions[i] : NULL);
    if (folder)
        rmdir(folder);
    free(folder);
    free(paf);
    return status;
}
