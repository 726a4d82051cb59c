// SPDX-License-Identifier: MIT
//
// The recorder for OpenMP: a tool for the OMPT interface (OpenMP 5.1, chapter 4), loaded by LLVM's
// runtime. It records events as they come; timeline/openmp.c finds out what they mean. Each region
// gets a number of its own, since runtimes use addresses again.
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <omp-tools.h>

#include "kpx-bridge/log/openmp_kinds.h"
#include "kpx-bridge/recorder/choice.h"
#include "kpx-bridge/recorder/recorder.h"

// Commands of omp_control_tool(), as omp.h numbers them.
enum { CONTROL_START = 1, CONTROL_PAUSE = 2, CONTROL_END = 4 };

// Regions and tasks are numbered in each log: number of the log << 40 | count. A thread without a log has
// numbers of its own, which may be those of others.
static uint64_t new_number(void)
{
    static __thread uint64_t made;
    kpx_header *log = kpx_log.header;
    return log ? (log->thread + UINT64_C(1)) << 40 | ++log->numbers : ++made;
}

// ---- Places ---------------------------------------------------------------------------------

enum { PLACES = 4096, PROBES = 8 }; // that are remembered; a power of two

// Constructs that were noted. One that finds no room is noted again.
static const void *noted[PLACES];

static const void **slot_of(const void *construct, unsigned probe)
{
    uint64_t mixed = (uint64_t)(uintptr_t)construct * 0x9e3779b97f4a7c15u;
    return &noted[((mixed >> 40) + probe) % PLACES];
}

static __attribute__((noinline)) void note_construct(const void *construct)
{
    char text[1024];
    for (unsigned i = 0; i < PROBES; i++) {
        const void *in = __atomic_load_n(slot_of(construct, i), __ATOMIC_RELAXED);
        if (in == construct)
            return;
        if (!in || i == PROBES - 1) {
            __atomic_store_n(slot_of(construct, i), construct, __ATOMIC_RELAXED);
            break;
        }
    }
    const char *key = kpx_omp_describe(construct, text, sizeof text);
    if (key)
        kpx_note(key, text);
}

// A child made by fork() has a log of its own.
static void forget_places(void)
{
    memset(noted, 0, sizeof noted);
}

static int find_code(struct dl_phdr_info *info, size_t size, void *of)
{
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + h->p_vaddr, end = begin + h->p_memsz;
        from = h->p_type == PT_LOAD && begin < from ? begin : from;
        to = h->p_type == PT_LOAD && end > to ? end : to;
    }
    if ((uintptr_t)of < from || (uintptr_t)of >= to)
        return 0;
    kpx_omp_code[0] = from;
    kpx_omp_code[1] = to;
    return 1;
}

// Of some calls of gcc the runtime tells an address of its own.
static bool is_in_runtime(const void *address)
{
    return (uintptr_t)address - kpx_omp_code[0] < kpx_omp_code[1] - kpx_omp_code[0];
}

static uint64_t code(const void *address)
{
    const void *call = kpx_omp_call.address;
    if (is_in_runtime(address) && call)
        address = call;
    const void *construct = kpx_omp_construct(address);
    if (construct != address && __atomic_load_n(slot_of(construct, 0), __ATOMIC_RELAXED) != construct)
        note_construct(construct);
    return (uint64_t)(uintptr_t)construct;
}

// ---- Numbers --------------------------------------------------------------------------------

static uint64_t number_of(const ompt_data_t *data)
{
    return data ? data->value : 0;
}

// ---- What is recorded -----------------------------------------------------------------------

// The teams that the thread is in, innermost last; deeper ones count as the last. Regions that are
// not chosen have the number 0.
enum { LEVELS = 32 };
static __thread struct {
    bool unwanted[LEVELS];
    uint32_t barriers[LEVELS]; // that the thread has been to: all of a team count the same ones
    uint32_t depth;
} levels;

static uint32_t level(void)
{
    return levels.depth < LEVELS ? levels.depth : LEVELS - 1;
}

static bool is_wanted(void)
{
    return levels.depth == 0 ? kpx_wants_all() : !levels.unwanted[level()];
}

static void put(kpx_kind kind, uint16_t flags, uint32_t value, uint64_t a, uint64_t b)
{
    if (is_wanted())
        kpx_put(kind, flags, value, a, b);
}

// ---- Threads and regions --------------------------------------------------------------------

// Which thread is in which region is recorded even while recording is off, since later events need
// it.
static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
    (void)thread;
    kpx_put(KPX_THREAD_BEGIN, (uint16_t)type, 0, 0, 0);
}

static void on_thread_end(ompt_data_t *thread)
{
    (void)thread;
    kpx_put(KPX_THREAD_END, 0, 0, 0, 0);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                              unsigned int threads, int flags, const void *address)
{
    (void)task, (void)frame, (void)flags;
    bool wanted = (levels.depth > 0 && is_wanted()) || kpx_wants(kpx_omp_construct(address), address);
    region->value = wanted ? new_number() : 0;
    if (wanted)
        kpx_put_always(KPX_PARALLEL_BEGIN, 0, threads, region->value, code(address));
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *address)
{
    (void)task, (void)flags;
    if (number_of(region))
        kpx_put_always(KPX_PARALLEL_END, 0, 0, number_of(region), code(address));
}

static void on_implicit_task(ompt_scope_endpoint_t point, ompt_data_t *region, ompt_data_t *task,
                             unsigned int threads, unsigned int index, int flags)
{
    // The initial threads of teams are told as such, too; they have a region.
    bool begins = point == ompt_scope_begin;
    bool initial = (flags & ompt_task_initial) && number_of(region) == 0 &&
                   (begins || levels.depth == 0);
    if (begins)
        task->value = new_number();
    if (begins && !initial && index > 0) // the calls of earlier regions tell nothing here
        kpx_omp_call.address = NULL;
    if (begins && !initial) {
        levels.depth++;
        levels.unwanted[level()] = number_of(region) == 0;
        levels.barriers[level()] = 0;
    }
    if (is_wanted())
        kpx_put_always(begins ? KPX_IMPLICIT_BEGIN : KPX_IMPLICIT_END, initial,
                       index << 16 | threads, number_of(region), task->value);
    if (!begins && !initial && levels.depth > 0)
        levels.depth--;
}

// ---- Work-sharing and synchronisation -------------------------------------------------------

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                    ompt_data_t *task, uint64_t count, const void *address)
{
    (void)region, (void)task;
    if (!address) // the sections of gcc
        address = kpx_omp_call.address;
    put(point == ompt_scope_begin ? KPX_WORK_BEGIN : KPX_WORK_END, (uint16_t)kind, 0, count,
            code(address));
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance)
{
    (void)region, (void)task;
    uint64_t first = instance.value, count = 0;
    if (kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_taskloop_chunk ||
        kind == ompt_dispatch_distribute_chunk) {
        const ompt_dispatch_chunk_t *chunk = instance.ptr;
        first = chunk->start;
        count = chunk->iterations;
    } else if (kind == ompt_dispatch_section && instance.ptr && instance.ptr == kpx_omp_call.address) {
        // clang makes a static loop of sections; of gcc's the runtime does not tell which one it
        // is.
        int32_t last = *kpx_omp_call.upper;
        first = (uint64_t)*kpx_omp_call.lower;
        count = last >= *kpx_omp_call.lower ? (uint64_t)((int64_t)last - *kpx_omp_call.lower + 1) : 0;
    } else if (kind == ompt_dispatch_section) {
        first = 0;
    }
    put(KPX_CHUNK, (uint16_t)kind, 0, first, count);
}

static bool is_barrier(ompt_sync_region_t kind)
{
    return kind != ompt_sync_region_taskwait && kind != ompt_sync_region_taskgroup &&
           kind != ompt_sync_region_reduction;
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                    ompt_data_t *task, const void *address)
{
    (void)task;
    uint32_t number = 0;
    if (point == ompt_scope_begin && is_barrier(kind))
        number = levels.barriers[level()]++;
    put(point == ompt_scope_begin ? KPX_WAIT_BEGIN : KPX_WAIT_END, (uint16_t)kind, number,
        number_of(region), code(address));
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                         ompt_data_t *task, const void *address)
{
    (void)task, (void)kind;
    put(point == ompt_scope_begin ? KPX_REDUCTION_BEGIN : KPX_REDUCTION_END, 0, 0,
            number_of(region), code(address));
}

// ---- Mutexes and tasks ----------------------------------------------------------------------

static void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation,
                             ompt_wait_id_t mutex, const void *address)
{
    (void)hint, (void)implementation;
    put(KPX_MUTEX_ACQUIRE, (uint16_t)kind, 0, mutex, code(address));
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t mutex, const void *address)
{
    put(KPX_MUTEX_ACQUIRED, (uint16_t)kind, 0, mutex, code(address));
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t mutex, const void *address)
{
    put(KPX_MUTEX_RELEASED, (uint16_t)kind, 0, mutex, code(address));
}

// A nested lock that the thread has already. Giving back one level is not recorded, only the
// release.
static void on_nest_lock(ompt_scope_endpoint_t point, ompt_wait_id_t mutex, const void *address)
{
    if (point == ompt_scope_begin)
        put(KPX_MUTEX_ACQUIRED, KPX_MUTEX_NEST_LOCK, KPX_HELD_ALREADY, mutex, code(address));
}

static void on_masked(ompt_scope_endpoint_t point, ompt_data_t *region, ompt_data_t *task,
                      const void *address)
{
    (void)task;
    put(point == ompt_scope_begin ? KPX_MASKED_BEGIN : KPX_MASKED_END, 0, 0,
            number_of(region), code(address));
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task,
                           int flags, int has_dependences, const void *address)
{
    (void)parent, (void)frame;
    if (flags & ompt_task_initial)
        return; // on_implicit_task tells of it
    task->value = new_number();
    put(KPX_TASK_CREATE, (uint16_t)(flags & 0xffff), (uint32_t)has_dependences, task->value,
            code(address));
}

static void on_task_schedule(ompt_data_t *left, ompt_task_status_t status, ompt_data_t *begun)
{
    put(KPX_TASK_SWITCH, (uint16_t)status, 0, number_of(left), number_of(begun));
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
    if (n > 0 && list[0].dependence_type >= ompt_dependence_type_source) {
        uint64_t iteration = 0; // of all loops that the construct stands for
        for (int i = 0; i < n; i++)
            iteration = iteration * 0x100000001b3u + list[i].variable.value;
        put(KPX_TASK_DEPENDS, (uint16_t)list[0].dependence_type, 0, task->value, iteration);
        return;
    }
    for (int i = 0; i < n; i++)
        put(KPX_TASK_DEPENDS, (uint16_t)list[i].dependence_type, 0, task->value,
                list[i].variable.value);
}

static void on_task_dependence(ompt_data_t *before, ompt_data_t *after)
{
    put(KPX_TASK_AFTER, 0, 0, number_of(before), number_of(after));
}

static void on_cancel(ompt_data_t *task, int flags, const void *address)
{
    (void)task;
    put(KPX_CANCEL, (uint16_t)flags, 0, 0, code(address));
}

// The program's own way to choose what is recorded, in OpenMP itself.
static int on_control(uint64_t command, uint64_t modifier, void *argument, const void *address)
{
    (void)modifier, (void)argument, (void)address;
    if (command == CONTROL_START)
        kpx_recorder_start();
    else if (command == CONTROL_PAUSE || command == CONTROL_END)
        kpx_recorder_stop();
    return 0;
}

// ---- Start ----------------------------------------------------------------------------------

typedef struct {
    ompt_callbacks_t event;
    ompt_callback_t function;
    const char *kind; // that can be left out, or NULL
} registration;

// Two callbacks are left out on purpose: flush comes at every barrier and has no information;
// sync_region comes with sync_region_wait and adds nothing.
static const registration callbacks[] = {
    {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin, NULL},
    {ompt_callback_thread_end, (ompt_callback_t)on_thread_end, NULL},
    {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin, NULL},
    {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end, NULL},
    {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task, NULL},
    {ompt_callback_work, (ompt_callback_t)on_work, NULL},
    {ompt_callback_dispatch, (ompt_callback_t)on_dispatch, "chunks"},
    {ompt_callback_sync_region_wait, (ompt_callback_t)on_wait, NULL},
    {ompt_callback_reduction, (ompt_callback_t)on_reduction, NULL},
    {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire, "locks"},
    {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired, "locks"},
    {ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released, "locks"},
    {ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock, "locks"},
    {ompt_callback_masked, (ompt_callback_t)on_masked, NULL},
    {ompt_callback_task_create, (ompt_callback_t)on_task_create, "tasks"},
    {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule, "tasks"},
    {ompt_callback_dependences, (ompt_callback_t)on_dependences, "tasks"},
    {ompt_callback_cancel, (ompt_callback_t)on_cancel, NULL},
    {ompt_callback_control_tool, (ompt_callback_t)on_control, NULL},
    {ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence, "tasks"},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    (void)device, (void)tool;
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (!set_callback)
        return 0;
    dl_iterate_phdr(find_code, *(void **)&set_callback);
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
        if (!callbacks[i].kind || !kpx_is_without(callbacks[i].kind))
            set_callback(callbacks[i].event, callbacks[i].function);
    return 1;
}

static void finalize(ompt_data_t *tool)
{
    (void)tool;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version;
    if (!kpx_is_recording())
        return NULL;
    pthread_atfork(NULL, NULL, forget_places);
    kpx_note("openmp", runtime);
    return &result;
}
