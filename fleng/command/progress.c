// SPDX-License-Identifier: MIT
//
// The signal's handler writes the line, so it works whatever the run is doing, and takes no locks.
#include "fleng/command/progress.h"

#include "vm/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const vm_machine *running;

static char *put_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *put_number(char *to, uint64_t n)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void write_report(void)
{
    char line[200], *to = line;
    vm_progress_report r;
    vm_how_far(running, &r);
    to = put_number(put_text(to, "fleng: "), r.reductions);
    to = put_number(put_text(to, r.reductions == 1 ? " reduction, " : " reductions, "), r.ready);
    to = put_number(put_text(to, r.ready == 1 ? " goal ready, " : " goals ready, "), r.waiting);
    to = put_number(put_text(to, " waiting, "), r.memory / 1000000);
    to = put_number(put_text(to, "."), r.memory / 100000 % 10);
    to = put_text(to, " MB");
    if (r.now > 0)
        to = put_number(put_text(to, ", virtual time "), (uint64_t)r.now);
    to = put_text(to, "\n");
    ssize_t written = write(STDERR_FILENO, line, (size_t)(to - line));
    (void)written; // there is nobody to tell
}

static void on_report(int signal)
{
    int error = errno;
    (void)signal;
    write_report();
    errno = error;
}

// In kB; 0: the system does not tell. (getrusage() counts what this process was before exec, too.)
static uint64_t most_memory(void)
{
    char line[256];
    uint64_t kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtoull(line + 6, NULL, 10);
    if (status)
        fclose(status);
    return kilobytes;
}

static double per_thousand(uint64_t n, uint64_t reductions)
{
    return reductions ? 1e3 * (double)n / (double)reductions : 0.0;
}

static void tell_what_is_shared(const vm_progress_report *r)
{
    fprintf(stderr,
            "fleng: %" PRIu64 " letter%s between %" PRIu32 " workers (%.2f per 1,000 reductions), "
            "%" PRIu64 " of them with goals to share the work\n",
            r->letters, r->letters == 1 ? "" : "s", r->workers,
            per_thousand(r->letters, r->reductions), r->gifts);
    fprintf(stderr,
            "fleng: about %.2f locked instructions and %.2f writes to shared lines per 1,000 reductions\n",
            per_thousand(r->locked, r->reductions), per_thousand(r->shared, r->reductions));
}

void fl_tell_how_far(const vm_machine *m)
{
    vm_progress_report r;
    vm_how_far(m, &r);
    fprintf(stderr, "fleng: %" PRIu64 " reduction%s, %" PRIu64 " goal%s waiting, a heap of %.1f MB\n",
            r.reductions, r.reductions == 1 ? "" : "s", r.waiting, r.waiting == 1 ? "" : "s",
            (double)r.memory / 1e6);
    if (r.workers > 1)
        tell_what_is_shared(&r);
    uint64_t most = most_memory();
    if (most > 0)
        fprintf(stderr, "fleng: at most %" PRIu64 ".%" PRIu64 " MB of the system's memory\n",
                most / 1000, most / 100 % 10);
}

void fl_tell_progress_of(const vm_machine *m)
{
    struct sigaction action = {.sa_handler = on_report, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    running = m;
    sigaction(SIGUSR1, &action, NULL);
}
