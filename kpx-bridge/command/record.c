// SPDX-License-Identifier: MIT
//
// Finds the recorders, tells them by the environment what to record, and runs the command to its
// end.
#include "kpx-bridge/command/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "kpx-bridge/command/sample.h"

// ---- Logs -----------------------------------------------------------------------------------

char *kpx_log_folder(char **ret_error)
{
    const char *base = getenv("TMPDIR");
    char *folder = base_format("%s/kpx-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(folder))
        return folder;
    *ret_error = base_format("%s: cannot create: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

static bool is_of_log(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".process") == 0 || strcmp(dot, ".sites") == 0);
}

// The recorders' files have longer paths than the folder: ID-N.events, with 64 bits and 32 bits.
enum { LONGEST_NAME = sizeof "/18446744073709551615-4294967295.events" };

static bool is_too_long(const char *folder)
{
    char path[PATH_MAX];
    const char *whole = realpath(folder, path) ? path : folder;
    return strlen(whole) + LONGEST_NAME > PATH_MAX;
}

bool kpx_make_log(const char *folder, char **ret_error)
{
    int made = mkdir(folder, 0777);
    DIR *directory = made == 0 || errno == EEXIST ? opendir(folder) : NULL;
    if (!directory || access(folder, W_OK | X_OK) != 0) {
        *ret_error = base_format("%s: cannot create: %s", folder, strerror(errno));
        if (directory)
            closedir(directory);
        return false;
    }
    if (is_too_long(folder)) {
        *ret_error = base_format("%s: cannot create: %s", folder, strerror(ENAMETOOLONG));
        closedir(directory);
        if (made == 0)
            rmdir(folder);
        return false;
    }
    struct dirent *entry;
    bool used = false;
    while (!used && (entry = readdir(directory)))
        used = is_of_log(entry->d_name);
    closedir(directory);
    if (used)
        *ret_error = base_format("%s: it already holds a log", folder);
    return !used;
}

void kpx_remove_log(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(folder);
}

bool kpx_knows_kinds(const char *list)
{
    static const char *const kinds[] = {"chunks", "locks", "tasks", "polls", "timeline"};
    for (;;) {
        size_t n = strcspn(list, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            known = known || (strlen(kinds[i]) == n && memcmp(kinds[i], list, n) == 0);
        if (!known || list[n] == 0)
            return known;
        list += n + 1;
    }
}

// ---- Recorders ------------------------------------------------------------------------------

static char *no_recorder(const char *name)
{
    const char *needs = strcmp(name, "libkpx-openmp.so") == 0 ? "libomp-19-dev"
                        : strcmp(name, "libkpx-mpi.so") == 0  ? "libopenmpi-dev"
                                                              : NULL;
    return needs ? base_format("%s is missing: it is built only where %s is installed, and unless it is "
                               "switched off",
                               name, needs)
                 : base_format("%s is neither beside kpx-bridge nor in " KPX_LIBDIR, name);
}

// Beside this command, where it is built, or in the folder for libraries where it is installed.
char *kpx_find_recorder(const char *name, char **ret_error)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    char *beside = base_format("%s/%s", self, name),
         *installed = base_format(KPX_LIBDIR "/%s", name);
    char *found = access(beside, R_OK) == 0      ? beside
                  : access(installed, R_OK) == 0 ? installed
                                                 : NULL;
    if (found != beside)
        free(beside);
    if (found != installed)
        free(installed);
    if (!found)
        *ret_error = no_recorder(name);
    return found;
}

static void put_first(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char *both = old && *old ? base_format("%s:%s", value, old) : base_copy(value);
    setenv(variable, both, 1);
    free(both);
}

static bool set_openmp(char **ret_error)
{
    char *tool = kpx_find_recorder("libkpx-openmp.so", ret_error);
    if (!tool)
        return false;
    setenv("OMP_TOOL", "enabled", 1);
    put_first("OMP_TOOL_LIBRARIES", tool);
    // Programs of gcc are linked with a runtime that loads no tools; LLVM's has the same functions.
    char *idents = access(KPX_LIBOMP, R_OK) == 0 ? kpx_find_recorder("libkpx-idents.so", ret_error) : NULL;
    if (idents) {
        put_first("LD_PRELOAD", KPX_LIBOMP);
        put_first("LD_PRELOAD", idents);
    }
    free(idents);
    free(tool);
    return idents || access(KPX_LIBOMP, R_OK) != 0;
}

// kpx.h finds its functions by name, so their library must be loaded.
static bool set_log(char **ret_error)
{
    char *log = kpx_find_recorder("libkpx-log.so", ret_error);
    if (log)
        put_first("LD_PRELOAD", log);
    free(log);
    return log != NULL;
}

static bool set_mpi(char **ret_error)
{
    char *recorder = kpx_find_recorder("libkpx-mpi.so", ret_error);
    if (recorder)
        put_first("LD_PRELOAD", recorder);
    free(recorder);
    return recorder != NULL;
}

static bool set_threads(char **ret_error)
{
    char *recorder = kpx_find_recorder("libkpx-threads.so", ret_error);
    if (recorder)
        put_first("LD_PRELOAD", recorder);
    free(recorder);
    return recorder != NULL;
}

// The address sanitizer insists on being loaded first, even before preloaded libraries. It works in
// other places, too, since recorders define none of its functions.
static void allow_sanitizer(void)
{
    const char *old = getenv("ASAN_OPTIONS");
    char *both =
        base_format("%s%sverify_asan_link_order=0", old ? old : "", old && *old ? ":" : "");
    setenv("ASAN_OPTIONS", both, 1);
    free(both);
}

static void set_or_unset(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static bool set_measuring(const kpx_measure_choice *m, char **ret_error)
{
    if (!m->routines && !m->loops && !m->io) {
        unsetenv("KPX_MEASURE");
        return true;
    }
    char *what = base_format("%s%s%s", m->routines ? "routines," : "", m->loops ? "loops," : "",
                             m->io ? "io" : "");
    char *recorder = kpx_find_recorder("libkpx-routines.so", ret_error);
    setenv("KPX_MEASURE", what, 1);
    set_or_unset("KPX_COUNT", m->count ? "1" : NULL);
    char limit[24];
    snprintf(limit, sizeof limit, "%" PRId64, m->limit);
    set_or_unset("KPX_LIMIT", m->limit > 0 ? limit : NULL);
    set_or_unset("KPX_ONLY", m->only);
    set_or_unset("KPX_EXCEPT", m->except);
    if (recorder)
        put_first("LD_PRELOAD", recorder);
    free(recorder);
    free(what);
    return recorder != NULL;
}

// ---- Running --------------------------------------------------------------------------------

static bool set_environment(const kpx_record_options *o, const char *folder, char **ret_error)
{
    char path[PATH_MAX];
    setenv("KPX_LOG", realpath(folder, path) ? path : folder, 1);
    set_or_unset("KPX_EVENTS", o->events);
    set_or_unset("KPX_WITHOUT", o->without);
    set_or_unset("KPX_REGIONS", o->regions);
    set_or_unset("KPX_PAUSED", o->paused ? "1" : NULL);
    set_or_unset("KPX_CLOCK", o->measure.cpu ? "cpu" : NULL);
    allow_sanitizer();
    return set_log(ret_error) && (!o->openmp || set_openmp(ret_error)) &&
           (!o->mpi || set_mpi(ret_error)) && (!o->threads || set_threads(ret_error)) &&
           set_measuring(&o->measure, ret_error);
}

// Signals that would end the bridge are passed on to the command while it runs. A user who ends a
// group of processes may send two, so the second one must not end the conversion.
static volatile sig_atomic_t running, ended_by;

static void pass_on(int number)
{
    ended_by = number;
    if (running > 0)
        kill(running, number);
}

static void pass_on_signals(pid_t child)
{
    static const int numbers[] = {SIGTERM, SIGHUP};
    struct sigaction old, handler = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    running = child;
    for (int i = 0; i < 2; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &handler, NULL);
}

// The command gets the signals of the terminal itself; the bridge waits for it. It is there until
// waitpid(), so that no signal goes to another process with its number.
static int wait_for(pid_t child)
{
    siginfo_t info;
    int status;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    running = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// If the child cannot start the command, it sends its errno through a pipe. mask: signals of the
// child.
static int start(char **command, const sigset_t *mask, int *ret_errno)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *ret_errno = errno;
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(command[0], command);
        int reason = errno;
        if (write(ends[1], &reason, sizeof reason) < 0)
            _exit(126);
        _exit(127);
    }
    close(ends[1]);
    *ret_errno = child < 0 ? errno : 0;
    if (child > 0 && read(ends[0], ret_errno, sizeof *ret_errno) > 0) {
        wait_for(child);
        child = -1;
    }
    close(ends[0]);
    return child;
}

// ---- What had no end ----------------------------------------------------------------------------

// Whether the text of a process's file has a line `key value`; value NULL: any.
static bool has_line(const char *text, const char *key, const char *value)
{
    size_t n = strlen(key);
    for (const char *at = text; at; at = (at = strchr(at, '\n')) ? at + 1 : NULL)
        if (strncmp(at, key, n) == 0 && at[n] == ' ' &&
            (!value || (strncmp(at + n + 1, value, strlen(value)) == 0 && at[n + 1 + strlen(value)] == '\n')))
            return true;
    return false;
}

// Processes that were killed do not tell when. What they were in lasted until the command had ended.
static void mark_stopped(const char *folder, const char *name)
{
    char *path = base_format("%s/%s", folder, name), host[256] = "";
    int file = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    struct stat is;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    gethostname(host, sizeof host - 1);
    if (file >= 0 && fstat(file, &is) == 0 && is.st_size > 0 && is.st_size < 1 << 26) {
        char *text = base_allocate(1, (size_t)is.st_size + 1);
        ssize_t n = pread(file, text, (size_t)is.st_size, 0);
        text[n > 0 ? n : 0] = 0;
        if (has_line(text, "host", host) && !has_line(text, "end", NULL) && !has_line(text, "stopped", NULL))
            dprintf(file, "stopped %" PRIu64 "\n",
                    (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
        free(text);
    }
    if (file >= 0)
        close(file);
    free(path);
}

// By timeout(1), or by a signal that no fault of the program causes. After a fault the last event counts.
static bool is_ended_from_outside(int status)
{
    return status == 124 || status == 128 + SIGHUP || status == 128 + SIGINT || status == 128 + SIGKILL ||
           status == 128 + SIGTERM;
}

static void mark_all_stopped(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".process") == 0)
            mark_stopped(folder, entry->d_name);
    }
    if (directory)
        closedir(directory);
}

// ---- The status of the command ----------------------------------------------------------------

#define STATUS_FILE "status"

static void note_status(const char *folder, int status)
{
    char *path = base_format("%s/" STATUS_FILE, folder);
    FILE *file = fopen(path, "we");
    if (file) {
        fprintf(file, "%d\n", status);
        fclose(file);
    }
    free(path);
}

int kpx_recorded_status(const char *folder)
{
    char *path = base_format("%s/" STATUS_FILE, folder), line[32] = "";
    FILE *file = fopen(path, "re");
    if (file && !fgets(line, sizeof line, file))
        line[0] = 0;
    if (file)
        fclose(file);
    free(path);
    long status = strtol(line, NULL, 10);
    return status > 0 && status < 256 ? (int)status : 0;
}

int kpx_record(const kpx_record_options *o, const char *folder, char **command, char **ret_error)
{
    if (ended_by) // while an earlier run was counted
        return 128 + ended_by;
    if (!set_environment(o, folder, ret_error))
        return 2;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    sigset_t ends, mask;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, &mask);
    int reason;
    kpx_sampler *sampler = o->hertz > 0 ? kpx_sampler_start(folder, o->hertz, ret_error) : NULL;
    if (*ret_error) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        return 2;
    }
    pid_t child = start(command, &mask, &reason);
    if (child > 0)
        pass_on_signals(child);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (child < 0) {
        kpx_sampler_stop(sampler);
        *ret_error = base_format("%s: cannot run: %s", command[0], strerror(reason));
        return 127;
    }
    sigaction(SIGINT, &ignore, &old_int);
    sigaction(SIGQUIT, &ignore, &old_quit);
    int status = wait_for(child);
    kpx_sampler_stop(sampler);
    if (ended_by || is_ended_from_outside(status))
        mark_all_stopped(folder);
    note_status(folder, status);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    return status;
}
