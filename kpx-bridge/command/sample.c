// SPDX-License-Identifier: MIT
//
// An event of the system for each processor, which children of this process inherit and which is enabled when
// they become other programs. A thread of the bridge empties their rings into the file.
#include "kpx-bridge/command/sample.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"
#include "kpx-bridge/log/samples.h"

enum { RING = 1 << 16, PAUSE = 20000000 }; // bytes; nanoseconds between two looks

typedef struct {
    int file;
    struct perf_event_mmap_page *head; // RING bytes follow its page
} ring;

struct kpx_sampler {
    ARRAY_OF(ring) rings;
    FILE *out;
    uint64_t every;
    pthread_t thread;
    bool stop;
};

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

// As the system writes a sample with the wishes of open_ring().
typedef struct {
    struct perf_event_header header;
    uint64_t address;
    uint32_t pid, tid;
    uint64_t time;
} record;

static void copy_out(const ring *r, uint64_t at, void *to, size_t n)
{
    const char *data = (const char *)r->head + page_size();
    for (size_t i = 0; i < n; i++)
        ((char *)to)[i] = data[(at + i) % RING];
}

static void empty(kpx_sampler *s, const ring *r)
{
    uint64_t end = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), at = r->head->data_tail;
    while (at < end) {
        record next;
        copy_out(r, at, &next.header, sizeof next.header);
        if (next.header.size < sizeof next.header)
            break;
        if (next.header.type == PERF_RECORD_SAMPLE && next.header.size >= sizeof next) {
            copy_out(r, at, &next, sizeof next);
            kpx_sample sample = {next.time, next.address, next.pid, next.tid, s->every};
            fwrite(&sample, sizeof sample, 1, s->out);
        }
        at += next.header.size;
    }
    __atomic_store_n(&r->head->data_tail, end, __ATOMIC_RELEASE);
}

static void *empty_all(void *data)
{
    kpx_sampler *s = data;
    for (bool last = false; !last;) {
        last = __atomic_load_n(&s->stop, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; i < s->rings.n; i++)
            empty(s, &s->rings.at[i]);
        if (!last)
            nanosleep(&(struct timespec){0, PAUSE}, NULL);
    }
    return NULL;
}

static bool open_ring(kpx_sampler *s, int processor)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof a,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = s->every,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .enable_on_exec = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
    int file = (int)syscall(SYS_perf_event_open, &a, 0, processor, -1, PERF_FLAG_FD_CLOEXEC);
    void *head = file >= 0 ? mmap(NULL, page_size() + RING, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                           : MAP_FAILED;
    if (head == MAP_FAILED) {
        int reason = errno;
        if (file >= 0)
            close(file);
        errno = reason;
        return false;
    }
    ARRAY_PUSH(s->rings, ((ring){file, head}));
    return true;
}

static void close_all(kpx_sampler *s)
{
    for (uint32_t i = 0; i < s->rings.n; i++) {
        munmap(s->rings.at[i].head, page_size() + RING);
        close(s->rings.at[i].file);
    }
    free(s->rings.at);
    if (s->out)
        fclose(s->out);
    free(s);
}

// Signals are for the thread that waits for the command.
static bool start_thread(kpx_sampler *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&s->thread, NULL, empty_all, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return !failed;
}

kpx_sampler *kpx_sampler_start(const char *folder, uint32_t hertz, char **ret_error)
{
    kpx_sampler *s = base_allocate(1, sizeof *s);
    s->every = 1000000000u / hertz;
    char *path = base_format("%s/" KPX_SAMPLES, folder);
    s->out = fopen(path, "we");
    bool good = s->out;
    free(path);
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < processors && good; i++)
        good = open_ring(s, (int)i) || errno == ENODEV; // one that is off
    good = good && s->rings.n > 0 && start_thread(s);
    if (good)
        return s;
    *ret_error = base_format("--sample: the system does not allow it: %s (see "
                             "/proc/sys/kernel/perf_event_paranoid)", strerror(errno));
    close_all(s);
    return NULL;
}

void kpx_sampler_stop(kpx_sampler *s)
{
    if (!s)
        return;
    __atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
    pthread_join(s->thread, NULL);
    close_all(s);
}
