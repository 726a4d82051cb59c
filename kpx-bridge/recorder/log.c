// SPDX-License-Identifier: MIT
#include "kpx-bridge/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Events per window of a file that is mapped at a time: 1 MB.
#define WINDOW 32768u
#define MOST_EVENTS 4194304u

__thread kpx_thread kpx_log __attribute__((tls_model("initial-exec")));

static struct {
    char folder[PATH_MAX];
    uint64_t cap;
    uint32_t threads; // that have logs
    int notes;        // PID.process, or -1
    pid_t pid;
    pthread_once_t once;
    pthread_key_t key; // its destructor ends a thread's log
} process = {.notes = -1, .once = PTHREAD_ONCE_INIT};

// What of a thread's log is not needed for every event.
static __thread struct {
    int file;         // -1 after a failure
    bool begun;
    uint64_t mapped;  // events in windows up to the current one
} thread_file;

bool kpx_is_recording(void)
{
    return process.folder[0] != 0;
}

// ---- The process ----------------------------------------------------------------------------

void kpx_note(const char *key, const char *value)
{
    if (process.notes >= 0)
        dprintf(process.notes, "%s %s\n", key, value);
}

// Which files with code are where, so that addresses can be looked up later.
static void note_maps(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = 0;
        char mode[8];
        if (sscanf(line, "%*s %7s", mode) == 1 && mode[2] == 'x' && strchr(line, '/'))
            kpx_note("map", line);
    }
    if (maps)
        fclose(maps);
}

static void note_command(void)
{
    char text[4096];
    ssize_t n = -1;
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        n = read(file, text, sizeof text - 1);
        close(file);
    }
    for (ssize_t i = 0; i + 1 < n; i++)
        if (text[i] == 0 || text[i] == '\n')
            text[i] = ' ';
    text[n > 0 ? n : 0] = 0;
    kpx_note("command", text);
    char path[PATH_MAX];
    n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = 0;
        kpx_note("program", path);
    }
}

static void begin_process(void)
{
    char path[PATH_MAX + 32];
    process.pid = getpid();
    snprintf(path, sizeof path, "%s/%ld.process", process.folder, (long)process.pid);
    process.notes = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (process.notes < 0) {
        fprintf(stderr, "kpx-bridge: cannot create %s: %s; nothing is recorded\n", path,
                strerror(errno));
        process.folder[0] = 0;
        return;
    }
    note_command();
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)kpx_now());
    kpx_note("begin", number);
}

__attribute__((constructor(101))) static void read_environment(void)
{
    const char *folder = getenv("KPX_LOG"), *events = getenv("KPX_EVENTS");
    process.cap = events ? strtoull(events, NULL, 10) : MOST_EVENTS;
    if (!folder || strlen(folder) >= sizeof process.folder)
        return;
    strcpy(process.folder, folder);
    begin_process();
}

__attribute__((destructor(101))) static void end_process(void)
{
    if (process.notes < 0 || process.pid != getpid())
        return;
    note_maps();
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)kpx_now());
    kpx_note("end", number);
}

// A child made by fork() shares the mappings of its parent, which it must not write to.
static void forget_after_fork(void)
{
    kpx_log = (kpx_thread){0};
    thread_file.begun = false;
    process.threads = 0;
    if (process.notes >= 0)
        close(process.notes);
    process.notes = -1;
    if (kpx_is_recording())
        begin_process();
}

// ---- Threads --------------------------------------------------------------------------------

// The window of events that begins at thread_file.mapped.
static bool map_window(void)
{
    off_t from = (off_t)KPX_HEADER_SIZE + (off_t)(thread_file.mapped * sizeof(kpx_event));
    size_t size = WINDOW * sizeof(kpx_event);
    if (kpx_log.end)
        munmap(kpx_log.end - WINDOW, size);
    kpx_log.next = kpx_log.end = NULL;
    if (ftruncate(thread_file.file, from + (off_t)size) != 0 ||
        posix_fallocate(thread_file.file, from, (off_t)size) != 0)
        return false; // no room on the disk: a write to a mapping would kill the program
    void *window = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        thread_file.file, from);
    if (window == MAP_FAILED)
        return false;
    kpx_log.next = window;
    kpx_log.end = kpx_log.next + WINDOW;
    thread_file.mapped += WINDOW;
    return true;
}

static void make_key(void);

static bool begin_thread(void)
{
    thread_file.begun = true;
    thread_file.file = -1;
    thread_file.mapped = 0;
    uint32_t number = __atomic_fetch_add(&process.threads, 1, __ATOMIC_RELAXED);
    if (number == 0) {
        pthread_atfork(NULL, NULL, forget_after_fork);
        note_maps();
    }
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%ld-%u.events", process.folder, (long)process.pid, number);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, KPX_HEADER_SIZE) != 0)
        return false;
    kpx_header *header = mmap(NULL, KPX_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (header == MAP_FAILED) {
        close(file);
        return false;
    }
    *header = (kpx_header){.event_size = sizeof(kpx_event),
                           .pid = (uint32_t)process.pid,
                           .tid = (uint32_t)syscall(SYS_gettid),
                           .thread = number,
                           .cap = process.cap};
    memcpy(header->magic, KPX_MAGIC, sizeof header->magic);
    kpx_log.header = header;
    thread_file.file = file;
    pthread_once(&process.once, make_key);
    pthread_setspecific(process.key, header);
    return true;
}

// The thread is over: its file is as long as it will get.
static void end_thread(void *unused)
{
    (void)unused;
    kpx_header *header = kpx_log.header;
    if (kpx_log.end)
        munmap(kpx_log.end - WINDOW, WINDOW * sizeof(kpx_event));
    if (thread_file.file >= 0)
        close(thread_file.file);
    if (header)
        munmap(header, KPX_HEADER_SIZE);
    kpx_log = (kpx_thread){0};
    thread_file.file = -1;
}

static void make_key(void)
{
    pthread_key_create(&process.key, end_thread);
}

bool kpx_make_room(void)
{
    if (!kpx_is_recording() || (!thread_file.begun && !begin_thread()) || !kpx_log.header)
        return false;
    kpx_header *header = kpx_log.header;
    if (thread_file.file >= 0 && header->kept < header->cap && map_window()) {
        uint64_t left = header->cap - header->kept;
        if (left < WINDOW) // the last one
            kpx_log.end = kpx_log.next + left;
        return true;
    }
    if (thread_file.file >= 0) {
        close(thread_file.file);
        thread_file.file = -1;
    }
    header->seen++;
    return false;
}
