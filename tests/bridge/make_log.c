// SPDX-License-Identifier: MIT
//
// Writes the log of a program that did not run, as the recorders would: of as many events as a test or a
// measurement wants, which no recording gives at once. Times are those of a simulation.
//
//   regions    small regions with a dynamic loop, a critical section and a barrier
//   tasks      one thread makes tasks that the others carry out
//   locks      threads of the program take turns with a mutex; each log goes on with several threads
//   messages   ranks pass messages around a ring, some by requests, and meet now and then
//
// usage: make_log FOLDER KIND EVENTS [THREADS]     (the folder exists and is empty)
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/log/log.h"
#include "kpx-bridge/log/openmp_kinds.h"
#include "kpx-bridge/log/thread_kinds.h"

enum {
#define ROUTINE(name, ...) ROUTINE_##name,
#include "kpx-bridge/log/mpi_routines.def"
};

enum { WINDOW = 2048, MOST_THREADS = 64, PID = 1000 };

#define BEGIN UINT64_C(1000000000) // nanoseconds

// A thread, with what its window will have at the end.
typedef struct {
    FILE *file;
    uint64_t now, kept;
    uint32_t process, index;
    kpx_event window[WINDOW];
} thread;

static const char *folder;
static uint64_t most, written; // events
static uint32_t nthreads = 2;
static thread *threads;
static uint64_t seed = 1;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t chance(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static void put(thread *t, kpx_kind kind, unsigned flags, uint32_t value, uint64_t a, uint64_t b)
{
    if (t->kept > 0 && t->kept % WINDOW == 0 && fwrite(t->window, sizeof t->window, 1, t->file) != 1)
        fail("write");
    t->now += 20 + chance(30);
    t->window[t->kept++ % WINDOW] = (kpx_event){t->now, (uint16_t)kind, (uint16_t)flags, value, a, b};
    written++;
}

static void work(thread *t, uint64_t about)
{
    t->now += about / 2 + chance(about);
}

// An address of this program, so that constructs have names.
static uint64_t code(int place)
{
    return (uint64_t)(uintptr_t)&fail + 16 * (uint64_t)place;
}

static uint64_t latest(void)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < nthreads; i++)
        last = threads[i].now > last ? threads[i].now : last;
    return last;
}

// ---- Kinds of programs --------------------------------------------------------------------------

static void wait_at_barrier(uint64_t region, unsigned kind, uint32_t number)
{
    for (uint32_t i = 0; i < nthreads; i++)
        put(&threads[i], KPX_WAIT_BEGIN, kind, number, region, code(4));
    uint64_t last = latest();
    for (uint32_t i = 0; i < nthreads; i++) {
        threads[i].now = last;
        put(&threads[i], KPX_WAIT_END, kind, 0, region, code(4));
    }
}

static void begin_region(uint64_t region)
{
    put(&threads[0], KPX_PARALLEL_BEGIN, 0, nthreads, region, code(0));
    for (uint32_t i = 0; i < nthreads; i++) {
        threads[i].now = threads[i].now > threads[0].now ? threads[i].now : threads[0].now;
        put(&threads[i], KPX_IMPLICIT_BEGIN, 0, i << 16 | nthreads, region, region << 8 | (i + 1));
    }
}

static void end_region(uint64_t region, uint32_t barriers)
{
    wait_at_barrier(region, KPX_SYNC_BARRIER_IMPLICIT_PARALLEL, barriers);
    for (uint32_t i = nthreads; i-- > 0;)
        put(&threads[i], KPX_IMPLICIT_END, 0, i << 16 | nthreads, region, region << 8 | (i + 1));
    put(&threads[0], KPX_PARALLEL_END, 0, 0, region, code(0));
}

static uint64_t region_number(uint64_t step)
{
    return UINT64_C(1) << 40 | (step + 1);
}

// The threads come to the critical section in the order of their times.
static void take_turns(void)
{
    uint64_t free_at = 0;
    for (uint32_t i = 0; i < nthreads; i++) {
        thread *t = &threads[i];
        put(t, KPX_MUTEX_ACQUIRE, KPX_MUTEX_CRITICAL, 0, 77, code(3));
        t->now = t->now > free_at ? t->now : free_at;
        put(t, KPX_MUTEX_ACQUIRED, KPX_MUTEX_CRITICAL, 0, 77, code(3));
        work(t, 200);
        put(t, KPX_MUTEX_RELEASED, KPX_MUTEX_CRITICAL, 0, 77, code(3));
        free_at = t->now;
    }
}

static void make_regions(uint64_t step)
{
    uint64_t region = region_number(step);
    work(&threads[0], 300);
    begin_region(region);
    for (uint32_t i = 0; i < nthreads; i++) {
        put(&threads[i], KPX_WORK_BEGIN, KPX_WORK_LOOP_DYNAMIC, 0, 64, code(1));
        for (uint32_t k = 0; k < 8; k++) {
            put(&threads[i], KPX_CHUNK, 0, 0, (k * nthreads + i) * 4, 4);
            work(&threads[i], 400);
        }
        put(&threads[i], KPX_WORK_END, KPX_WORK_LOOP_DYNAMIC, 0, 64, code(1));
    }
    wait_at_barrier(region, KPX_SYNC_BARRIER_EXPLICIT, 1);
    take_turns();
    end_region(region, 2);
}

static void make_tasks(uint64_t step)
{
    uint64_t region = region_number(0), task = (step + 1) << 8;
    if (step == 0) {
        begin_region(region);
        for (uint32_t i = 1; i < nthreads; i++)
            put(&threads[i], KPX_WAIT_BEGIN, KPX_SYNC_BARRIER_IMPLICIT_PARALLEL, 1, region, code(4));
    }
    thread *maker = &threads[0], *runner = &threads[1 + step % (nthreads - 1)];
    uint64_t own = region << 8 | (runner->index + 1);
    work(maker, 100);
    put(maker, KPX_TASK_CREATE, 0, 0, task, code(2));
    runner->now = runner->now > maker->now ? runner->now : maker->now;
    put(runner, KPX_TASK_SWITCH, 7, 0, own, task);
    work(runner, 300);
    put(runner, KPX_TASK_SWITCH, KPX_TASK_COMPLETE, 0, task, own);
}

static void make_locks(uint64_t step)
{
    thread *t = &threads[step % nthreads], *before = &threads[(step + nthreads - 1) % nthreads];
    if (step < nthreads)
        put(t, KPX_THREAD_BEGIN, step == 0 ? KPX_THREAD_INITIAL : 4, 0, 0, 0);
    work(t, 500);
    put(t, KPX_BLOCK_BEGIN, KPX_BLOCK_LOCK, 0, 4096, code(5));
    if (step > 0 && t->now < before->now)
        t->now = before->now;
    if (step > 0)
        put(before, KPX_WAKE, KPX_BLOCK_LOCK, 0, 4096, code(5));
    t->now = t->now > before->now ? t->now : before->now;
    put(t, KPX_BLOCK_END, KPX_BLOCK_LOCK, 1, 4096, 0);
    if (step % 100000 == 99999 && t->index > 0) { // a thread ends with what it holds; another one goes on
        put(t, KPX_WAKE, KPX_BLOCK_LOCK, 0, 4096, code(5));
        put(t, KPX_THREAD_ENDS, 0, 0, t->index, 0);
        put(t, KPX_THREAD_NEXT, 0, 5000 + (uint32_t)(step / 100000), 0, 0);
        put(t, KPX_THREAD_STARTS, 0, (uint32_t)(step / 100000) + 1, t->index, code(6) + 1);
    }
}

static void send_on(thread *t, uint32_t to, uint64_t step)
{
    bool starts = step % 3 == 0;
    work(t, 2000);
    put(t, KPX_MPI_BEGIN, starts ? ROUTINE_Isend : ROUTINE_Send, 0, 0, code(7));
    put(t, KPX_MPI_SEND, 0, 1, (uint64_t)to << 32 | (step & 7), 800);
    if (starts)
        put(t, KPX_MPI_REQUEST, 0, 0, 64 + (step & 15), 0);
    put(t, KPX_MPI_END, starts ? ROUTINE_Isend : ROUTINE_Send, 0, 0, 0);
}

static void receive_of(thread *t, uint32_t from, uint64_t step)
{
    put(t, KPX_MPI_BEGIN, ROUTINE_Recv, 1, (uint64_t)from << 32 | (step & 7), code(8));
    t->now = t->now > threads[from].now ? t->now : threads[from].now;
    work(t, 300);
    put(t, KPX_MPI_RECV, 0, 1, (uint64_t)from << 32 | (step & 7), 800);
    put(t, KPX_MPI_END, ROUTINE_Recv, 0, 0, 0);
    if (step % 3 == 0) {
        put(t, KPX_MPI_BEGIN, ROUTINE_Wait, 0, 0, code(9));
        put(t, KPX_MPI_COMPLETED, 0, 1, 64 + (step & 15), 0);
        put(t, KPX_MPI_END, ROUTINE_Wait, 0, 0, 0);
    }
}

static void meet(uint64_t number)
{
    for (uint32_t i = 0; i < nthreads; i++) {
        put(&threads[i], KPX_MPI_BEGIN, ROUTINE_Allreduce, 0, 0, code(10));
        put(&threads[i], KPX_MPI_COLLECTIVE, ROUTINE_Allreduce, 1, number, 8);
    }
    uint64_t last = latest();
    for (uint32_t i = 0; i < nthreads; i++) {
        threads[i].now = last;
        put(&threads[i], KPX_MPI_END, ROUTINE_Allreduce, 0, 0, 0);
    }
}

static void make_messages(uint64_t step)
{
    for (uint32_t i = 0; i < nthreads && step == 0; i++)
        put(&threads[i], KPX_MPI_COMM, 0, 1, (uint64_t)i << 32 | nthreads, 12345);
    for (uint32_t i = 0; i < nthreads; i++)
        send_on(&threads[i], (i + 1) % nthreads, step);
    for (uint32_t i = 0; i < nthreads; i++)
        receive_of(&threads[i], (i + nthreads - 1) % nthreads, step);
    if (step % 10 == 9)
        meet(step / 10);
}

// ---- Files --------------------------------------------------------------------------------------

static FILE *create(uint32_t process, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%u%s", folder, PID + process, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        fail(path);
    return file;
}

static void create_thread(uint32_t i, bool is_process)
{
    char name[32];
    threads[i].process = is_process ? i : 0;
    threads[i].index = is_process ? 0 : i;
    threads[i].now = BEGIN + 1000 * i;
    snprintf(name, sizeof name, "-%u.events", threads[i].index);
    threads[i].file = create(threads[i].process, name);
    if (fseek(threads[i].file, KPX_HEADER_SIZE + (long)sizeof threads[i].window, SEEK_SET) != 0)
        fail(name);
}

static void finish_thread(thread *t)
{
    uint64_t moved = t->kept > 0 ? (t->kept - 1) / WINDOW * WINDOW : 0;
    kpx_header header = {.magic = KPX_MAGIC,
                         .event_size = sizeof(kpx_event),
                         .pid = PID + t->process,
                         .tid = PID + t->process + t->index,
                         .thread = t->index,
                         .cap = most,
                         .kept = t->kept,
                         .moved = moved,
                         .window = WINDOW};
    bool good = fseek(t->file, 0, SEEK_SET) == 0 && fwrite(&header, sizeof header, 1, t->file) == 1 &&
                fseek(t->file, KPX_HEADER_SIZE, SEEK_SET) == 0 &&
                fwrite(t->window, sizeof t->window, 1, t->file) == 1;
    if (fclose(t->file) != 0 || !good)
        fail("write");
}

static void copy_maps(FILE *out)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "r-xp") && strchr(line, '/'))
            fprintf(out, "map %s", line);
    if (maps)
        fclose(maps);
}

static void write_process(uint32_t process, const char *kind, bool is_process)
{
    FILE *out = create(process, ".process");
    fprintf(out, "program /p/%s\npid %u\nhost one\nbegin %" PRIu64 "\nend %" PRIu64 "\nclock 20000\n", kind,
            PID + process, BEGIN, latest());
    fprintf(out, "processors %x\n", (1u << (nthreads < 31 ? nthreads : 31)) - 1);
    if (is_process)
        fprintf(out, "rank %u\nranks %u\n", process, nthreads);
    else if (strcmp(kind, "locks") != 0)
        fputs("openmp made\n", out);
    copy_maps(out);
    fclose(out);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(uint64_t step);
        bool is_process;
    } kinds[] = {{"regions", make_regions, false},
                 {"tasks", make_tasks, false},
                 {"locks", make_locks, false},
                 {"messages", make_messages, true}};
    size_t k = 0;
    if (argc < 4 || argc > 5)
        return fputs("usage: make_log FOLDER regions|tasks|locks|messages EVENTS [THREADS]\n", stderr), 2;
    while (k < sizeof kinds / sizeof *kinds && strcmp(argv[2], kinds[k].name) != 0)
        k++;
    folder = argv[1];
    most = strtoull(argv[3], NULL, 10);
    nthreads = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : nthreads;
    if (k == sizeof kinds / sizeof *kinds || nthreads < 2 || nthreads > MOST_THREADS)
        return fputs("make_log: no such kind, or not 2 to 64 threads\n", stderr), 2;
    threads = calloc(nthreads, sizeof *threads);
    if (!threads)
        fail("memory");
    for (uint32_t i = 0; i < nthreads; i++)
        create_thread(i, kinds[k].is_process);
    for (uint64_t step = 0; written < most; step++)
        kinds[k].make(step);
    for (uint32_t i = 0; i < (kinds[k].is_process ? nthreads : 1); i++)
        write_process(i, kinds[k].name, kinds[k].is_process);
    for (uint32_t i = 0; i < nthreads; i++)
        finish_thread(&threads[i]);
    free(threads);
    return 0;
}
