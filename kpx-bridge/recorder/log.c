// SPDX-License-Identifier: MIT
//
// The logs of the process and its threads. Nothing here prints or exits. Of files only one for each
// thread stays open, in which the system tells how long it was ready.
#include "kpx-bridge/recorder/recorder.h"
#include "kpx-bridge/recorder/faults.h"
#include "kpx-bridge/recorder/resting.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Events: 64 KB. Where there are many threads, few of them have many events, and their windows are smaller.
#define WINDOW 2048u
#define SMALL_WINDOW 128u
#define LARGE_WINDOWS 64u // of the first threads
#define MOST_EVENTS 4194304u

__thread kpx_thread kpx_log __attribute__((tls_model("initial-exec")));
__thread kpx_omp_place kpx_omp_call __attribute__((tls_model("initial-exec")));
uintptr_t kpx_omp_code[2];
bool kpx_active;

static struct {
    char folder[PATH_MAX];
    uint64_t cap, begin;
    uint32_t threads; // that have logs
    uint64_t id;      // of the log, once `begun`
    bool begun;
    pid_t pid;
    pthread_mutex_t lock; // of `begun`
    pthread_once_t once;
    pthread_key_t key; // its destructor ends a thread's log
    bool keeps;  // a log is of one thread only
    bool by_cpu; // the processor time of every event is recorded
    const char *wrong[4]; // environment variables that are no numbers
} process = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

// The parts of a thread's log that are not needed for every event.
static __thread struct {
    bool begun, ended;
    kpx_event *window; // or NULL
} thread_file;

bool kpx_is_recording(void)
{
    return process.folder[0] != 0;
}

bool kpx_is_without(const char *kind)
{
    const char *list = getenv("KPX_WITHOUT");
    size_t n = strlen(kind);
    for (const char *at = list; at && (at = strstr(at, kind)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

// ---- The process ----------------------------------------------------------------------------

static int open_process(uint64_t id, int flags)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%llu.process", process.folder, (unsigned long long)id);
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
}

// Must be async-signal-safe (no malloc), like everything that end_process() calls: a signal handler
// that interrupted malloc() may call _exit().
static void write_note(int file, const char *key, const char *value)
{
    char line[PATH_MAX + 256];
    int n = snprintf(line, sizeof line, "%s %s\n", key, value);
    if (n >= (int)sizeof line) {
        n = (int)sizeof line - 1;
        line[n - 1] = '\n';
    }
    for (ssize_t at = 0, more = 1; at < n && more > 0; at += more)
        more = write(file, line + at, (size_t)(n - at));
}

static void write_number(int file, const char *key, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    write_note(file, key, text);
}

// `ADDRESS-ADDRESS r-xp ...`
static void note_map(int file, const char *line)
{
    const char *space = strchr(line, ' ');
    if (space && strnlen(space, 4) == 4 && space[3] == 'x' && strchr(line, '/'))
        write_note(file, "map", line);
}

// Records where files with code are mapped, so that the bridge can look up addresses later.
static void write_maps(int file)
{
    char text[PATH_MAX + 128];
    size_t n = 0;
    ssize_t got = 0;
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (maps >= 0 && (got = read(maps, text + n, sizeof text - n)) > 0) {
        char *line = text, *end;
        n += (size_t)got;
        while ((end = memchr(line, '\n', n - (size_t)(line - text)))) {
            *end = 0;
            note_map(file, line);
            line = end + 1;
        }
        n -= (size_t)(line - text);
        memmove(text, line, n);
    }
    if (maps >= 0)
        close(maps);
}

// The beginning of a file of the system, without its last newline.
static ssize_t read_start(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    if (n > 0 && text[n - 1] == '\n')
        n--;
    text[n > 0 ? n : 0] = 0;
    return n;
}

static void write_command(int file)
{
    char text[4096];
    ssize_t n = read_start("/proc/self/cmdline", text, sizeof text);
    for (ssize_t i = 0; i + 1 < n; i++)
        if (text[i] == 0 || text[i] == '\n')
            text[i] = ' ';
    write_note(file, "command", text);
    n = readlink("/proc/self/exe", text, sizeof text - 1);
    if (n > 0) {
        text[n] = 0;
        write_note(file, "program", text);
    }
}

static void write_host(int file)
{
    char text[256];
    if (gethostname(text, sizeof text - 1) == 0)
        write_note(file, "host", text);
    ssize_t n = read_start("/proc/sys/kernel/random/boot_id", text, sizeof text);
    if (n <= 0)
        return;
    text[n++] = ' '; // processes of one system may have clocks of their own
    ssize_t more = readlink("/proc/self/ns/time", text + n, sizeof text - 1 - (size_t)n);
    text[more > 0 ? n + more : n - 1] = 0;
    write_note(file, "boot", text);
}

// The processors that this process may use, as words of bits in base 16, the lowest first.
static void write_processors(int file)
{
    uint64_t words[16] = {0};
    char text[320];
    long bytes = syscall(SYS_sched_getaffinity, getpid(), sizeof words, words);
    size_t length = 0;
    for (long i = 0; i < bytes / 8 && length + 20 < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%llx", i > 0 ? " " : "",
                                   (unsigned long long)words[i]);
    if (length > 0)
        write_note(file, "processors", text);
}

enum { READINGS = 128 };

// Most of what recording an event takes is reading the clock.
static void write_clock(int file)
{
    char text[32];
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < READINGS; i++)
        clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t took = (int64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
    snprintf(text, sizeof text, "%lld", (long long)(took * 1000 / READINGS));
    write_note(file, "clock", text);
}

// How many threads the user wants teams to have.
static void write_threads(int file)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    char text[16];
    size_t n = wanted ? strspn(wanted, "0123456789") : 0;
    if (n == 0 || n >= sizeof text)
        return;
    memcpy(text, wanted, n);
    text[n] = 0;
    write_note(file, "threads", text);
}

static void write_wrong(int file)
{
    for (int i = 0; i < 4 && process.wrong[i]; i++) {
        char text[256];
        const char *value = getenv(process.wrong[i]);
        snprintf(text, sizeof text, "%s=%.64s is not a number and was ignored", process.wrong[i],
                 value ? value : "");
        write_note(file, "complaint", text);
    }
}

// The log of the process, begun when there is something to write. With the lock.
static bool begin_process(void)
{
    int file = -1;
    for (uint64_t id = (uint64_t)process.pid; file < 0 && id < 1024u * (uint64_t)KPX_PIDS;
         id += KPX_PIDS) {
        process.id = id;
        file = open_process(id, O_CREAT | O_EXCL);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0) { // there is nowhere to say so: the bridge finds no log and looks why
        process.folder[0] = 0;
        return false;
    }
    write_number(file, "pid", (uint64_t)process.pid);
    write_command(file);
    write_host(file);
    write_processors(file);
    write_threads(file);
    write_clock(file);
    write_number(file, "begin", process.begin);
    if (getenv("KPX_PAUSED"))
        write_note(file, "paused", "1");
    if (getenv("KPX_REGIONS"))
        write_note(file, "chosen", "1");
    if (process.by_cpu)
        write_note(file, "cpu", "1");
    write_wrong(file);
    write_maps(file);
    close(file);
    kpx_watch_faults(); // again: the main program of gfortran has seen to them, too
    __atomic_store_n(&process.begun, true, __ATOMIC_RELEASE);
    return true;
}

static bool has_log(void)
{
    if (__atomic_load_n(&process.begun, __ATOMIC_ACQUIRE))
        return true;
    pthread_mutex_lock(&process.lock);
    bool has = process.begun || (kpx_is_recording() && begin_process());
    pthread_mutex_unlock(&process.lock);
    return has;
}

void kpx_note(const char *key, const char *value)
{
    int file = has_log() ? open_process(process.id, 0) : -1;
    if (file < 0)
        return;
    write_note(file, key, value);
    close(file);
}

const char *kpx_omp_describe(const void *construct, char *text, size_t size)
{
    const kpx_omp_place *call = &kpx_omp_call;
    unsigned long long is = (uintptr_t)construct, address = (uintptr_t)call->address;
    if (construct == call->ident) {
        snprintf(text, size, "%llx %llx %llx %s", is, address,
                 (unsigned long long)(uintptr_t)call->body, call->ident->source);
        return "ident";
    }
    snprintf(text, size, "%llx %llx", is, address);
    return construct == call->body ? "body" : NULL;
}

void kpx_complain(const char *text)
{
    kpx_note("complaint", text);
}

uint64_t kpx_number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    size_t n = text ? strlen(text) : 0;
    if (n == 0)
        return otherwise;
    if (n < 20 && strspn(text, "0123456789") == n)
        return strtoull(text, NULL, 10);
    int i = 0;
    while (i < 4 && process.wrong[i] && strcmp(process.wrong[i], variable) != 0)
        i++;
    if (i < 4)
        process.wrong[i] = variable;
    return otherwise;
}

// The file in which the system tells of the thread. It stays open, which makes a look five times as
// cheap, with a number that the program does not get by chance. A program may need its files for itself: of
// more than MOST_OPEN threads, and where the limit of files is low, the others open theirs at each look.
static __thread struct {
    int file; // 0: none
    dev_t device;
    ino_t node;
} delays;

enum { FIRST_NUMBER = 500, MOST_OPEN = 64 };
static int files_open; // of all threads

// Programs close files that are not theirs, and get the numbers for others.
static bool is_open(void)
{
    struct stat s;
    return delays.file > 0 && fstat(delays.file, &s) == 0 && s.st_dev == delays.device &&
           s.st_ino == delays.node;
}

static bool open_file(void)
{
    struct stat s;
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    int own = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, FIRST_NUMBER) : -1;
    if (file >= 0)
        close(file);
    if (own < 0 || fstat(own, &s) != 0)
        return false;
    delays.file = own;
    delays.device = s.st_dev;
    delays.node = s.st_ino;
    return true;
}

static void open_delays(void)
{
    bool may = __atomic_add_fetch(&files_open, 1, __ATOMIC_RELAXED) <= MOST_OPEN;
    if (!may || !open_file())
        __atomic_sub_fetch(&files_open, 1, __ATOMIC_RELAXED);
}

static void close_delays(void)
{
    if (is_open())
        close(delays.file);
    if (delays.file > 0)
        __atomic_sub_fetch(&files_open, 1, __ATOMIC_RELAXED);
    delays.file = 0;
}

// A child made by fork() shares the mappings of its parent and must not write to them. The end of
// its thread is not the end of the parent's log.
static void forget_after_fork(void)
{
    if (thread_file.window)
        pthread_setspecific(process.key, NULL);
    kpx_log = (kpx_thread){0};
    thread_file.begun = thread_file.ended = false;
    thread_file.window = NULL;
    close_delays();
    files_open = 0; // those of the other threads are open in the child, too, which has no name for them
    process.threads = 0;
    kpx_forget_resting();
    process.begun = false;
    process.pid = getpid();
    process.begin = kpx_now();
    pthread_mutex_init(&process.lock, NULL);
}

static void end_process(void);
static bool begin_thread(uint64_t now);

__attribute__((constructor(101))) static void read_environment(void)
{
    const char *folder = getenv("KPX_LOG");
    process.cap = kpx_number_from("KPX_EVENTS", MOST_EVENTS);
    // No folder has a longer path. The bridge refuses such a name before it runs a program.
    if (!folder || strlen(folder) >= sizeof process.folder)
        return;
    strcpy(process.folder, folder);
    process.pid = getpid();
    process.begin = kpx_now();
    kpx_active = !getenv("KPX_PAUSED");
    process.keeps = getenv("KPX_MEASURE") != NULL; // their tables are by thread
    const char *clock = getenv("KPX_CLOCK");
    process.by_cpu = clock && strcmp(clock, "cpu") == 0;
    pthread_atfork(NULL, NULL, forget_after_fork);
    at_quick_exit(end_process);
    kpx_watch_faults();
}

void kpx_begin_now(void)
{
    pthread_mutex_lock(&process.lock);
    if (!process.begun)
        process.begin = kpx_now();
    pthread_mutex_unlock(&process.lock);
}

__attribute__((destructor(101))) static void end_process(void)
{
    if (!process.begun || process.pid != getpid())
        return;
    int file = open_process(process.id, 0);
    if (file < 0)
        return;
    write_maps(file);
    write_number(file, "end", kpx_now());
    close(file);
}

void kpx_becomes_another(bool begins)
{
    if (!process.begun || process.pid != getpid())
        return;
    int error = errno, file = open_process(process.id, 0);
    if (file >= 0) {
        if (begins)
            write_maps(file);
        write_number(file, "exec", begins ? kpx_now() : 0);
        close(file);
    }
    errno = error;
}

// A process that ends by _exit() runs no destructors, so end_process() is called here.
void _exit(int status)
{
    end_process();
    for (;;)
        syscall(SYS_exit_group, status);
}

void _Exit(int status)
{
    _exit(status);
}

// ---- Processor time ---------------------------------------------------------------------------

// Nanoseconds that the thread was ready and had no processor. False: the system does not tell.
static bool read_delay(uint64_t *ret)
{
    char text[96], *end;
    if (!is_open()) {
        close_delays();
        open_delays();
    }
    ssize_t n = delays.file > 0 ? pread(delays.file, text, sizeof text - 1, 0)
                                : read_start("/proc/thread-self/schedstat", text, sizeof text);
    if (n <= 0)
        return false;
    text[n] = 0;
    strtoull(text, &end, 10); // that it ran, which lags behind the clock
    *ret = strtoull(end, NULL, 10);
    return true;
}

// How many looks there are depends on time. So each that is kept raises the cap, and one that is not
// counts nowhere: the cap is about events of the program.
static void put_own(uint64_t now, kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    kpx_header *header = kpx_log.header;
    uint64_t kept = header ? header->kept : 0;
    kpx_put_at(now, kind, flags, value, a, b);
    header = kpx_log.header;
    if (!header)
        return;
    if (header->kept > kept) {
        header->cap++;
        header->looks++;
        if (kpx_log.end < thread_file.window + header->window)
            kpx_log.end++;
    } else if (header->seen > 0) {
        header->seen--;
    }
}

static uint64_t thread_time(void)
{
    struct timespec ran;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran) != 0)
        return 0;
    return (uint64_t)ran.tv_sec * 1000000000u + (uint64_t)ran.tv_nsec;
}

enum { INTERRUPTION = 50000 }; // nanoseconds; a look of a thread that keeps its processor takes less

// Nanoseconds until the next look, by the processor time that this one took. A thread that is
// interrupted in a look seems to take long for it; it rests by the look before, or what it sleeps
// meanwhile would count as work.
static uint64_t rest_after(uint64_t took)
{
    static __thread uint64_t took_before = UINT64_MAX;
    uint64_t least = took < took_before ? took : took_before;
    took_before = took;
    return least > KPX_LOOK_EVERY / KPX_LOOK_SHARE ? least * KPX_LOOK_SHARE : KPX_LOOK_EVERY;
}

// Where processor time is the clock, it is read at every event, which takes a system call; what the thread
// was ready without a processor is read as rarely as otherwise.
static __thread struct {
    uint64_t next, delay;
} queued;

// The time of a look that began then.
static uint64_t time_of_look(uint64_t began)
{
    uint64_t now = kpx_now();
    return now - began > INTERRUPTION ? now : began;
}

// Makes the thread's log, which may wait for a disk for long: what the thread had before and has then are two
// looks, and its first event comes behind both. So that time belongs to nothing the program does.
static uint64_t begin_log(uint64_t now, uint64_t *ran)
{
    uint64_t delay = 0;
    bool fresh = *ran >= KPX_LOOK_EVERY && read_delay(&delay);
    if (!begin_thread(now) || *ran == 0)
        return now;
    uint64_t then = kpx_now();
    if (then - now <= INTERRUPTION)
        return now;
    put_own(now, KPX_PROCESSOR_TIME, fresh ? 0 : KPX_QUEUED_BEFORE, 0, *ran, delay);
    *ran = thread_time();
    return then;
}

uint64_t kpx_look(uint64_t now)
{
    int error = errno;
    uint64_t ran = thread_time();
    if (!thread_file.begun)
        now = begin_log(now, &ran);
    uint64_t begun = now < queued.next ? 0 : thread_time();
    if (!kpx_is_recording() || !kpx_log.header || ran == 0) {
        queued.next = now + KPX_LOOK_EVERY;
    } else if (queued.next == 0 && ran < KPX_LOOK_EVERY) { // a new thread, which may end soon
        put_own(now, KPX_PROCESSOR_TIME, KPX_QUEUED_BEFORE, 0, ran, 0);
        queued.next = now + KPX_LOOK_EVERY;
    } else if (now < queued.next) {
        now = time_of_look(now);
        put_own(now, KPX_PROCESSOR_TIME, KPX_QUEUED_BEFORE, 0, ran, queued.delay);
    } else {
        bool read = read_delay(&queued.delay);
        now = time_of_look(now);
        if (read)
            put_own(now, KPX_PROCESSOR_TIME, 0, 0, ran, queued.delay);
        queued.next = kpx_now() + rest_after(thread_time() - begun);
    }
    kpx_log.look_at = process.by_cpu ? 0 : queued.next;
    errno = error;
    return now;
}

// ---- Faults ---------------------------------------------------------------------------------

// The thread may have been interrupted while it had the lock.
static bool has_log_now(void)
{
    if (__atomic_load_n(&process.begun, __ATOMIC_ACQUIRE))
        return true;
    if (!kpx_is_recording() || pthread_mutex_trylock(&process.lock) != 0)
        return false;
    bool has = process.begun || begin_process();
    pthread_mutex_unlock(&process.lock);
    return has;
}

void kpx_note_fault(int number, uintptr_t address, const uintptr_t *words, size_t n)
{
    char text[64 + 17 * KPX_FAULT_WORDS];
    int file = process.pid == getpid() && has_log_now() ? open_process(process.id, 0) : -1;
    if (file < 0)
        return;
    int length = snprintf(text, sizeof text, "%d %llu %llx", number, (unsigned long long)kpx_now(),
                          (unsigned long long)address);
    for (size_t i = 0; i < n && i < KPX_FAULT_WORDS; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %llx", (unsigned long long)words[i]);
    write_maps(file); // with libraries that were loaded since
    write_note(file, "fault", text);
    close(file);
}

// ---- Start and stop -------------------------------------------------------------------------

void kpx_recorder_start(void)
{
    if (kpx_is_recording() && !__atomic_exchange_n(&kpx_active, true, __ATOMIC_SEQ_CST))
        kpx_put_always(KPX_RECORDING, 1, 0, 0, 0);
}

void kpx_recorder_stop(void)
{
    if (kpx_is_recording() && __atomic_exchange_n(&kpx_active, false, __ATOMIC_SEQ_CST))
        kpx_put_always(KPX_RECORDING, 0, 0, 0, 0);
}

// ---- Threads --------------------------------------------------------------------------------

static int open_events(uint32_t number, int flags)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%llu-%u.events", process.folder, (unsigned long long)process.id,
             number);
    return open(path, O_RDWR | O_CLOEXEC | flags, 0644);
}

static size_t mapped_size(uint64_t window)
{
    return KPX_HEADER_SIZE + window * sizeof(kpx_event);
}

// Events go on behind those that the window has.
static void set_end(void)
{
    const kpx_header *header = kpx_log.header;
    uint64_t in_window = header->kept - header->moved, left = header->cap - header->kept;
    uint64_t room = header->window - in_window;
    kpx_log.next = thread_file.window + in_window;
    kpx_log.end = kpx_log.next + (left < room ? left : room);
}

// Appends the full window to the file and empties it.
static bool move_window(void)
{
    kpx_header *header = kpx_log.header;
    uint64_t window = header->window;
    size_t size = window * sizeof(kpx_event);
    off_t at = (off_t)(mapped_size(window) + header->moved * sizeof(kpx_event));
    int file = open_events(header->thread, 0);
    bool good = file >= 0 && pwrite(file, thread_file.window, size, at) == (ssize_t)size;
    if (file >= 0)
        close(file);
    if (good)
        __atomic_store_n(&header->moved, header->moved + window, __ATOMIC_RELEASE);
    return good;
}

static void make_key(void);

// NULL: it cannot be written. One complaint is enough.
static void *map_events(uint32_t number, uint64_t window)
{
    size_t size = mapped_size(window);
    static bool told;
    int file = open_events(number, O_CREAT | O_TRUNC);
    // On a full disk a write to the mapping would kill the program, so room is reserved first.
    int reason = file >= 0 ? posix_fallocate(file, 0, (off_t)size) : errno;
    void *header = MAP_FAILED;
    if (reason == 0) {
        header = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        reason = errno;
    }
    if (file >= 0)
        close(file);
    if (header != MAP_FAILED)
        return header;
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) {
        char text[256];
        snprintf(text, sizeof text, "threads of process %ld were not recorded: %s",
                 (long)process.pid, strerror(reason));
        kpx_complain(text);
    }
    return NULL;
}

// The time of the last event, which stands before the free part of the window or at its end. There is one.
static uint64_t last_time(const kpx_header *header)
{
    const kpx_event *window = (const kpx_event *)((const char *)header + KPX_HEADER_SIZE);
    uint64_t in_window = header->kept - header->moved;
    return window[(in_window > 0 ? in_window : header->window) - 1].time;
}

// The log of a thread that has ended before `now`, or NULL. A thread looks at the clock, or begins to wait,
// before it needs a log: meanwhile another one may have gone on and ended.
static kpx_header *take_resting(uint64_t now)
{
    kpx_header *header = kpx_take_resting();
    if (!header || last_time(header) <= now)
        return header;
    kpx_let_rest(header);
    return NULL;
}

// Takes the log of a thread that has ended, or makes one. NULL: neither is possible.
static kpx_header *open_log(uint64_t now)
{
    kpx_header *header = take_resting(now);
    if (header) {
        header->cap = header->kept + process.cap;
        return header;
    }
    uint32_t number = __atomic_fetch_add(&process.threads, 1, __ATOMIC_RELAXED);
    uint64_t window = number < LARGE_WINDOWS ? WINDOW : SMALL_WINDOW;
    header = map_events(number, window);
    if (!header)
        return NULL;
    *header = (kpx_header){.event_size = sizeof(kpx_event),
                           .pid = (uint32_t)process.pid,
                           .tid = (uint32_t)syscall(SYS_gettid),
                           .thread = number,
                           .cap = process.cap,
                           .window = window};
    memcpy(header->magic, KPX_MAGIC, sizeof header->magic);
    return header;
}

// The event that the thread is about to record may have an earlier time than now has.
static void go_on(void)
{
    uint64_t before = last_time(kpx_log.header);
    set_end();
    put_own(before, KPX_THREAD_NEXT, 0, (uint32_t)syscall(SYS_gettid), 0, 0);
}

// now: the time of its first event.
static bool begin_thread(uint64_t now)
{
    thread_file.begun = true;
    thread_file.ended = true; // until all is well
    thread_file.window = NULL;
    kpx_header *header = has_log() ? open_log(now) : NULL;
    if (!header)
        return false;
    kpx_log.header = header;
    thread_file.window = (kpx_event *)((char *)header + KPX_HEADER_SIZE);
    thread_file.ended = false;
    pthread_once(&process.once, make_key);
    pthread_setspecific(process.key, header);
    if (header->kept > 0)
        go_on();
    return true;
}

// Its file is cut to its events, if they never left the window.
static void close_log(kpx_header *header)
{
    uint64_t size = header->moved > 0 ? 0 : KPX_HEADER_SIZE + header->kept * sizeof(kpx_event);
    int file = size > 0 ? open_events(header->thread, 0) : -1;
    munmap(header, mapped_size(header->window));
    if (file >= 0) {
        if (ftruncate(file, (off_t)size) != 0)
            size = 0; // the file stays longer than its header says, which does no harm
        close(file);
    }
}

// The thread has ended. One that begins later goes on with its log, if nothing is missing there.
static void end_thread(void *data)
{
    kpx_header *header = data;
    close_delays();
    kpx_log = (kpx_thread){0};
    thread_file.window = NULL;
    thread_file.ended = true;
    bool whole = header->seen == 0 && header->lost == 0 && !process.keeps;
    if (!whole || !kpx_let_rest(header))
        close_log(header);
}

static void make_key(void)
{
    pthread_key_create(&process.key, end_thread);
}

bool kpx_make_room(uint64_t time)
{
    bool begins = !thread_file.begun;
    if (!kpx_is_recording() || (begins && !begin_thread(time)) || !kpx_log.header)
        return false;
    if (begins && kpx_log.next != kpx_log.end) // it goes on with a log that has room
        return true;
    kpx_header *header = kpx_log.header;
    bool full = kpx_log.end != NULL; // else there was nothing yet
    if (!thread_file.ended && header->kept < header->cap && (!full || move_window())) {
        set_end();
        return true;
    }
    kpx_log.next = kpx_log.end = NULL;
    thread_file.ended = true;
    header->seen = (header->seen ? header->seen : header->kept) + 1;
    return false;
}
