// SPDX-License-Identifier: MIT
//
// Times and counts of routines, loops and I/O statements: one table per thread, and its timeline.
#include "kpx-bridge/recorder/tables.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#include <x86intrin.h>
#endif

#include "kpx-bridge/recorder/recorder.h"

// How far stacks of one thread lie apart at most, if they are the same stack.
#define STACK_MOST (UINT64_C(1) << 28)
// Ticks after which the two clocks are compared anew.
#define SYNC_TICKS (UINT64_C(1) << 24)
// Of the timeline, by default.
#define MOST_EXECUTIONS 10000u
#define MOST_EVENTS 1048576u
#define MOST_THREADS 1024u // with logs; others may follow each other by the thousands

static __thread kpx_thread_table mine __attribute__((tls_model("initial-exec")));

// Read at every event, hardly ever written.
static struct {
    bool tsc;     // ticks are those of the processor, which never stops and is the same for all
    bool stopped; // by kpx_stop()
    uint32_t stops;        // how often it was
    uint64_t frozen, away; // when it was, and for how long in all
} ticks __attribute__((aligned(64)));

typedef struct kpx_table_file {
    struct kpx_table_file *next;
    kpx_table *table;
    bool free; // its thread has ended
} kpx_table_file;

static struct {
    char folder[PATH_MAX];
    pid_t pid;
    long id; // of its files; 0: it has none yet, -1: it cannot have any
    uint64_t tick0, ns0;
    bool timeline;
    uint64_t limit, cap; // of it: executions of a site, events of a thread
    pthread_mutex_t lock; // of what follows
    bool noted; // the log says which process it is of
    uint32_t logged; // threads that are on the timeline
    uint32_t threads;
    kpx_table_file *files;
    pthread_key_t key;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- The clock ------------------------------------------------------------------------------

static bool has_steady_ticks(void)
{
#if defined __x86_64__
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
    return false;
#endif
}

static uint64_t raw_tick(void)
{
#if defined __x86_64__
    if (__builtin_expect(ticks.tsc, 1))
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(kpx_measured.cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// A thread's clock stops when the thread notices that it should.
static uint64_t cpu_tick(kpx_thread_table *t)
{
    uint64_t now = raw_tick();
    bool stopped = __atomic_load_n(&ticks.stopped, __ATOMIC_RELAXED);
    if (stopped && !t->stopped)
        t->frozen = now;
    else if (!stopped && t->stopped)
        t->away += now - t->frozen;
    t->stopped = stopped;
    return (stopped ? t->frozen : now) - t->away;
}

uint64_t kpx_table_now(kpx_thread_table *t)
{
    if (__builtin_expect(kpx_measured.cpu, 0))
        return cpu_tick(t);
    if (__builtin_expect(__atomic_load_n(&ticks.stopped, __ATOMIC_ACQUIRE), 0))
        return ticks.frozen;
    t->away = ticks.away;
    return raw_tick() - t->away;
}

bool kpx_is_stopped(void)
{
    return __atomic_load_n(&ticks.stopped, __ATOMIC_RELAXED);
}

static void call_next(const char *name)
{
    union {
        void *address;
        void (*call)(void);
    } next = {.address = dlsym(RTLD_NEXT, name)};
    if (next.address)
        next.call();
}

// ---- Tables ---------------------------------------------------------------------------------

static void compare_clocks(kpx_table *table)
{
    if (kpx_measured.cpu)
        return;
    for (int i = 0; i < 3; i++) { // unless something came in between
        table->ns1 = kpx_now();
        table->tick1 = raw_tick();
        if (kpx_now() - table->ns1 < 1000)
            break;
    }
}

static kpx_table *map_table(const char *path, size_t size)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    void *at = MAP_FAILED;
    // No room on the disk: a write to a mapping would kill the program.
    int reason = file >= 0 ? posix_fallocate(file, 0, (off_t)size) : errno;
    if (reason == 0)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    else
        errno = reason;
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

static kpx_table *new_table(uint32_t number)
{
    char path[PATH_MAX + 64];
    if (process.id == 0)
        process.id = kpx_list_sites(process.folder);
    if (process.id < 0)
        return NULL;
    snprintf(path, sizeof path, "%s/%ld-%u.table", process.folder, process.id, number);
    kpx_table *table = map_table(path, kpx_table_size(kpx_measured.sites));
    if (!table) {
        char text[256];
        snprintf(text, sizeof text, "threads of process %ld were not measured: %s",
                 (long)process.pid, strerror(errno));
        kpx_complain(text);
        return NULL;
    }
    table->pid = (uint32_t)process.pid;
    table->thread = number;
    table->tid = (uint32_t)syscall(SYS_gettid);
    table->sites = kpx_measured.sites;
    table->clock = kpx_measured.cpu;
    table->timed = !kpx_measured.count;
    table->tick0 = process.tick0;
    table->ns0 = process.ns0;
    compare_clocks(table);
    memcpy(table->magic, KPX_TABLE_MAGIC, sizeof table->magic);
    return table;
}

// One that a thread has left, or a new one.
static kpx_table *take_table(void)
{
    kpx_table *table = NULL;
    pthread_mutex_lock(&process.lock);
    for (kpx_table_file *f = process.files; f && !table; f = f->next)
        if (f->free) {
            f->free = false;
            table = f->table;
        }
    kpx_table_file *file = table ? NULL : calloc(1, sizeof *file);
    if (file && (table = new_table(process.threads))) {
        process.threads++;
        *file = (kpx_table_file){process.files, table, false};
        process.files = file;
    } else {
        free(file);
    }
    pthread_mutex_unlock(&process.lock);
    return table;
}

// Whose list of sites the events are of.
static void note_process(void)
{
    char text[32];
    int rank, ranks;
    snprintf(text, sizeof text, "%ld", process.id);
    kpx_note("sites", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)process.limit);
    kpx_note("limit", text);
    if (!kpx_find_rank(&rank, &ranks))
        return;
    snprintf(text, sizeof text, "%d", rank);
    kpx_note("launched", text);
}

// Ticks are to be understood from here on.
static void begin_timeline(kpx_thread_table *t)
{
    t->begun = true;
    pthread_mutex_lock(&process.lock);
    bool first = !process.noted;
    process.noted = true;
    pthread_mutex_unlock(&process.lock);
    if (first)
        note_process();
    kpx_put_at(kpx_now(), KPX_TICKS, 0, 0, process.tick0, process.ns0); // which makes the log
    compare_clocks(t->table);
    kpx_put_at(t->table->ns1, KPX_TICKS, 0, 0, t->table->tick1, t->table->ns1);
}

static bool begin_thread(kpx_thread_table *t)
{
    if (!kpx_measured.on || t->failed)
        return false;
    t->failed = true; // until it has worked: it may be called from within
    kpx_table *table = take_table();
    if (!table)
        return false;
    uint8_t *at = (uint8_t *)table;
    t->table = table;
    t->counters = (kpx_counter *)(at + KPX_TABLE_HEADER);
    t->frames = (kpx_frame_row *)(at + kpx_table_frames_at(table->sites));
    t->ios = (kpx_io_row *)(at + kpx_table_io_at(table->sites));
    memset(t->innermost, 0, sizeof t->innermost);
    t->timeline = process.timeline &&
                  __atomic_fetch_add(&process.logged, 1, __ATOMIC_RELAXED) < MOST_THREADS;
    table->unlogged += process.timeline && !t->timeline;
    t->left = process.cap;
    t->told = 0;
    t->failed = t->begun = false;
    pthread_setspecific(process.key, table);
    if (t->timeline && !kpx_is_stopped()) // before the first time is read
        begin_timeline(t);
    return true;
}

kpx_thread_table *kpx_begin_measuring(void)
{
    kpx_thread_table *t = &mine;
    if (__builtin_expect(t->busy, 0))
        return NULL;
    t->busy = true;
    if (__builtin_expect(!t->table, 0) && !begin_thread(t)) {
        t->busy = false;
        return NULL;
    }
    return t;
}

void kpx_end_measuring(kpx_thread_table *t)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t->busy = false;
}

// ---- The timeline ---------------------------------------------------------------------------

static kpx_counter *counter_of(const kpx_thread_table *t, const kpx_frame_row *f)
{
    return f->number >= KPX_IO_FRAME ? &t->ios[f->number - KPX_IO_FRAME].counter
                                     : &t->counters[f->number];
}

static void put_ticks(kpx_thread_table *t)
{
    if (t->begun && t->left > 0)
        kpx_put_at(t->table->ns1, KPX_TICKS, 0, 0, t->table->tick1, t->table->ns1);
}

// Makes room for an event, or counts that there was none.
static bool may_put(kpx_thread_table *t, uint64_t now)
{
    if (__builtin_expect(!t->begun, 0))
        begin_timeline(t);
    if (__builtin_expect(t->left > 1, 1)) {
        t->left--;
        return true;
    }
    if (t->left == 1)
        kpx_put_at(now + t->away, KPX_SITES_FULL, 0, 0, 0, 0);
    t->left = 0;
    if (kpx_log.header)
        kpx_log.header->lost++;
    return false;
}

static void put_begin(kpx_thread_table *t, const kpx_frame_row *f, uint64_t depth, uint16_t flags,
                      uint64_t now)
{
    uint64_t site = f->number >= KPX_IO_FRAME ? t->ios[f->number - KPX_IO_FRAME].key : f->number;
    if (may_put(t, now))
        kpx_put_at(now + t->away, KPX_SITE_BEGIN, (uint16_t)((f->kind & 0xff) | flags),
                   (uint32_t)depth, site, 0);
}

// Tells of the outermost frames, as many, that began while nothing was recorded.
static void tell_open(kpx_thread_table *t, uint64_t frames, uint64_t now)
{
    uint32_t stops = __atomic_load_n(&ticks.stops, __ATOMIC_RELAXED);
    if (__builtin_expect(t->stops != stops, 0)) {
        t->stops = stops;
        t->told = 0;
    }
    for (; t->told < frames; t->told++)
        if (!(t->frames[t->told].kind & KPX_FRAME_HIDDEN))
            put_begin(t, &t->frames[t->told], t->told, KPX_OPEN_ALREADY, now);
}

// The innermost frame has begun.
static void tell_begin(kpx_thread_table *t, uint64_t now)
{
    uint64_t top = t->table->depth - 1;
    kpx_frame_row *f = &t->frames[top];
    if (counter_of(t, f)->count >= process.limit) {
        f->kind |= KPX_FRAME_HIDDEN;
        t->told += t->told == top; // there is nothing to tell of it
        return;
    }
    tell_open(t, top, now);
    put_begin(t, f, top, 0, now);
    t->told = top + 1;
}

// A frame that the log has ends.
static void tell_end(kpx_thread_table *t, const kpx_frame_row *f, uint64_t depth, uint64_t now,
                     uint64_t rotation)
{
    t->told = depth;
    if (!(f->kind & KPX_FRAME_HIDDEN) && !kpx_is_stopped() && may_put(t, now))
        kpx_put_at(now + t->away, KPX_SITE_END, 0, (uint32_t)depth, 0, rotation);
}

// ---- Frames ---------------------------------------------------------------------------------

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void pop(kpx_thread_table *t, uint64_t now, uint64_t rotation)
{
    kpx_table *table = t->table;
    const kpx_frame_row *f = &t->frames[table->depth - 1];
    if (t->told >= table->depth)
        tell_end(t, f, table->depth - 1, now, rotation);
    kpx_counter *c = counter_of(t, f);
    uint64_t time = less(now, f->start);
    c->self += less(time, f->inner);
    c->exclusive += less(time, f->inner_same);
    if (--c->active == 0)
        c->inclusive += time;
    t->innermost[f->kind & 0xff] = f->outer_same;
    if (f->outer_same)
        t->frames[f->outer_same - 1].inner_same += time;
    table->depth--;
    if (table->depth > 0)
        t->frames[table->depth - 1].inner += time;
}

// What called the activation, as the frame has it: two that begin at the same address of the stack
// are told apart by it.
static uint64_t return_address(const void *frame)
{
#if defined __x86_64__
    return ((const uint64_t *)frame)[-1];
#else
    (void)frame;
    return 0;
#endif
}

static bool is_dead(const kpx_frame_row *f, uint64_t frame)
{
    return f->frame < frame && frame - f->frame < STACK_MOST;
}

void kpx_drop_frames(kpx_thread_table *t, const void *frame, uint64_t now)
{
    uint64_t here = (uint64_t)(uintptr_t)frame;
    while (__builtin_expect(
        t->table->depth > 0 && is_dead(&t->frames[t->table->depth - 1], here), 0))
        pop(t, now, 0);
}

void kpx_push_frame(kpx_thread_table *t, uint64_t number, kpx_site_kind kind, const void *frame,
                    uint64_t now)
{
    kpx_table *table = t->table;
    bool counted = !kpx_is_stopped();
    if (__builtin_expect(table->depth == KPX_FRAMES, 0)) {
        table->beyond++;
        if (counted && number < KPX_IO_FRAME)
            t->counters[number].count++;
        return;
    }
    kpx_frame_row *f = &t->frames[table->depth];
    f->number = number;
    f->frame = (uint64_t)(uintptr_t)frame;
    f->return_address = return_address(frame);
    f->start = now;
    f->inner = f->inner_same = 0;
    f->outer_same = t->innermost[kind];
    f->kind = (uint64_t)kind | (counted ? KPX_FRAME_COUNTED : 0);
    t->innermost[kind] = ++table->depth;
    kpx_counter *c = counter_of(t, f);
    c->active++;
    c->count += counted;
    table->last = now;
    table->events++;
    if (t->timeline && counted)
        tell_begin(t, now);
    if (__builtin_expect(ticks.tsc && now + t->away - table->tick1 > SYNC_TICKS && counted, 0)) {
        compare_clocks(table);
        put_ticks(t);
    }
}

void kpx_pop_frame(kpx_thread_table *t, uint64_t number, const void *frame, uint64_t rotation,
                   uint64_t now)
{
    uint64_t here = (uint64_t)(uintptr_t)frame, at = t->table->depth;
    while (at > 0 && t->frames[at - 1].frame == here && t->frames[at - 1].number != number)
        at--;
    if (at == 0 || t->frames[at - 1].frame != here)
        return; // it was begun when nothing was measured
    while (t->table->depth > at)
        pop(t, now, 0);
    if (t->frames[at - 1].kind & KPX_FRAME_COUNTED)
        counter_of(t, &t->frames[at - 1])->rotation += rotation;
    pop(t, now, rotation);
    t->table->last = now;
    t->table->events++;
}

// A loop that an assigned GOTO has left is begun again without having ended.
static void drop_same_loop(kpx_thread_table *t, uint64_t number, uint64_t frame, uint64_t now)
{
    for (uint64_t i = t->table->depth; i > 0; i--) {
        const kpx_frame_row *f = &t->frames[i - 1];
        if (f->frame != frame || (f->kind & 0xff) != KPX_SITE_LOOP)
            return;
        if (f->number != number)
            continue;
        while (t->table->depth >= i)
            pop(t, now, 0);
        return;
    }
}

// ---- Hooks ----------------------------------------------------------------------------------

void kpx_enter_timed(kpx_site *site, const void *frame, uint64_t rotation)
{
    (void)rotation;
    kpx_thread_table *t = kpx_begin_measuring();
    if (!t)
        return;
    uint64_t now = kpx_table_now(t), here = (uint64_t)(uintptr_t)frame;
    kpx_drop_frames(t, frame, now);
    if (site->kind == KPX_SITE_LOOP) {
        drop_same_loop(t, site->number, here, now);
    } else {
        // Called from the same frame as one that longjmp() left, by another call.
        const kpx_frame_row *top = &t->frames[t->table->depth - 1];
        while (t->table->depth > 0 && top->frame == here &&
               top->return_address != return_address(frame)) {
            pop(t, now, 0);
            top--;
        }
    }
    kpx_push_frame(t, site->number, site->kind, frame, now);
    kpx_end_measuring(t);
}

void kpx_leave_timed(kpx_site *site, const void *frame, uint64_t rotation)
{
    kpx_thread_table *t = kpx_begin_measuring();
    if (!t)
        return;
    uint64_t now = kpx_table_now(t);
    kpx_drop_frames(t, frame, now);
    kpx_pop_frame(t, site->number, frame, rotation, now);
    kpx_end_measuring(t);
}

void kpx_enter_counted(kpx_site *site, const void *frame, uint64_t rotation)
{
    (void)frame;
    (void)rotation;
    kpx_thread_table *t = kpx_is_stopped() ? NULL : kpx_begin_measuring();
    if (!t)
        return;
    t->counters[site->number].count++;
    kpx_end_measuring(t);
}

void kpx_leave_counted(kpx_site *site, const void *frame, uint64_t rotation)
{
    (void)frame;
    kpx_thread_table *t = rotation == 0 || kpx_is_stopped() ? NULL : kpx_begin_measuring();
    if (!t)
        return;
    t->counters[site->number].rotation += rotation;
    kpx_end_measuring(t);
}

// ---- Start and stop -------------------------------------------------------------------------

// kpx.h calls these functions first, and they call the recorder of events. Recording events begins
// earlier and ends later than measuring, so the log keeps all events of executions.
void kpx_recorder_start(void)
{
    call_next("kpx_recorder_start");
    pthread_mutex_lock(&process.lock);
    if (ticks.stopped) {
        ticks.away = raw_tick() - ticks.frozen;
        __atomic_store_n(&ticks.stopped, false, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&process.lock);
    kpx_thread_table *t = mine.table ? kpx_begin_measuring() : NULL;
    if (!t)
        return;
    if (t->timeline)
        tell_open(t, t->table->depth, kpx_table_now(t));
    kpx_end_measuring(t);
}

void kpx_recorder_stop(void)
{
    pthread_mutex_lock(&process.lock);
    if (!ticks.stopped) {
        ticks.frozen = raw_tick() - ticks.away;
        ticks.stops++;
        __atomic_store_n(&ticks.stopped, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&process.lock);
    call_next("kpx_recorder_stop");
}

// ---- Begin and end --------------------------------------------------------------------------

static void close_frames(kpx_thread_table *t)
{
    if (!t->table)
        return;
    uint64_t now = kpx_table_now(t);
    while (t->table->depth > 0)
        pop(t, now, 0);
    t->table->last = now;
    compare_clocks(t->table);
    put_ticks(t);
}

static void end_thread(void *table)
{
    mine.busy = true;
    close_frames(&mine);
    mine.table = NULL;
    mine.failed = true; // whatever runs after this is not measured
    mine.busy = false;
    pthread_mutex_lock(&process.lock);
    for (kpx_table_file *f = process.files; f; f = f->next)
        if (f->table == table)
            f->free = true;
    pthread_mutex_unlock(&process.lock);
}

// A child made by fork() shares the tables of its parent, which it must not write to.
static void forget_after_fork(void)
{
    process.pid = getpid();
    process.files = NULL;
    process.threads = 0;
    pthread_mutex_init(&process.lock, NULL);
    mine = (kpx_thread_table){0};
    process.id = 0;
    process.noted = false;
    process.logged = 0;
}

// After kpx_find_sites().
static void read_timeline(void)
{
    process.timeline = !kpx_measured.count && !kpx_measured.cpu && !kpx_is_without("timeline");
    process.limit = kpx_number_from("KPX_LIMIT", MOST_EXECUTIONS);
    process.cap = kpx_number_from("KPX_EVENTS", MOST_EVENTS);
}

__attribute__((constructor(102))) static void begin_process(void)
{
    const char *folder = getenv("KPX_LOG");
    if (!folder || strlen(folder) >= sizeof process.folder)
        return;
    strcpy(process.folder, folder);
    process.pid = getpid();
    pthread_key_create(&process.key, end_thread);
    pthread_atfork(NULL, NULL, forget_after_fork);
    const char *clock = getenv("KPX_CLOCK");
    ticks.tsc = !(clock && strcmp(clock, "cpu") == 0) && has_steady_ticks();
    ticks.stopped = getenv("KPX_PAUSED") != NULL;
    process.ns0 = kpx_now();
    process.tick0 = ticks.frozen = raw_tick();
    kpx_find_sites(process.folder);
    read_timeline();
    // The list says what the program could execute, even if it executes nothing.
    if (kpx_measured.on && kpx_measured.sites > 0)
        process.id = kpx_list_sites(process.folder);
    kpx_begin_now();
}

__attribute__((destructor(102))) static void end_process(void)
{
    if (process.pid != getpid())
        return;
    mine.busy = true;
    close_frames(&mine);
    pthread_mutex_lock(&process.lock);
    for (kpx_table_file *f = process.files; f; f = f->next)
        f->table->ended = 1;
    pthread_mutex_unlock(&process.lock);
}
