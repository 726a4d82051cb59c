// SPDX-License-Identifier: MIT
//
// The recorder for OpenMP: a tool for the OMPT interface (OpenMP 5.1, chapter 4), loaded by the
// runtime of LLVM. It writes events down as they come; what they mean is found out afterwards
// (kpx-bridge/openmp.c). A region is known by a number of its own, since runtimes use addresses again.
#include <stddef.h>
#include <stdint.h>

#include <omp-tools.h>
#include "kpx-bridge/recorder/recorder.h"

// Regions and tasks are numbered in each thread: number of the thread's log << 40 | count.
static __thread uint64_t made;

static uint64_t new_number(void)
{
    uint64_t thread = kpx_log.header ? kpx_log.header->thread + 1u : 0;
    return thread << 40 | ++made;
}

static uint64_t code(const void *address)
{
    return (uint64_t)(uintptr_t)address;
}

static uint64_t number_of(const ompt_data_t *data)
{
    return data ? data->value : 0;
}

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
    region->value = new_number();
    kpx_put(KPX_PARALLEL_BEGIN, 0, threads, region->value, code(address));
}

static void on_parallel_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *address)
{
    (void)task, (void)flags;
    kpx_put(KPX_PARALLEL_END, 0, 0, number_of(region), code(address));
}

static void on_implicit_task(ompt_scope_endpoint_t point, ompt_data_t *region, ompt_data_t *task,
                             unsigned int threads, unsigned int index, int flags)
{
    if (point == ompt_scope_begin)
        task->value = new_number();
    kpx_put(point == ompt_scope_begin ? KPX_IMPLICIT_BEGIN : KPX_IMPLICIT_END,
            (flags & ompt_task_initial) != 0, index << 16 | threads, number_of(region),
            task->value);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                    ompt_data_t *task, uint64_t count, const void *address)
{
    (void)region, (void)task;
    kpx_put(point == ompt_scope_begin ? KPX_WORK_BEGIN : KPX_WORK_END, (uint16_t)kind, 0, count,
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
    }
    kpx_put(KPX_CHUNK, (uint16_t)kind, 0, first, count);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                    ompt_data_t *task, const void *address)
{
    (void)task;
    kpx_put(point == ompt_scope_begin ? KPX_SYNC_BEGIN : KPX_SYNC_END, (uint16_t)kind, 0,
            number_of(region), code(address));
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                    ompt_data_t *task, const void *address)
{
    (void)task;
    kpx_put(point == ompt_scope_begin ? KPX_WAIT_BEGIN : KPX_WAIT_END, (uint16_t)kind, 0,
            number_of(region), code(address));
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t point, ompt_data_t *region,
                         ompt_data_t *task, const void *address)
{
    (void)task, (void)kind;
    kpx_put(point == ompt_scope_begin ? KPX_REDUCTION_BEGIN : KPX_REDUCTION_END, 0, 0,
            number_of(region), code(address));
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int implementation,
                             ompt_wait_id_t mutex, const void *address)
{
    (void)hint, (void)implementation;
    kpx_put(KPX_MUTEX_ACQUIRE, (uint16_t)kind, 0, mutex, code(address));
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t mutex, const void *address)
{
    kpx_put(KPX_MUTEX_ACQUIRED, (uint16_t)kind, 0, mutex, code(address));
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t mutex, const void *address)
{
    kpx_put(KPX_MUTEX_RELEASED, (uint16_t)kind, 0, mutex, code(address));
}

static void on_masked(ompt_scope_endpoint_t point, ompt_data_t *region, ompt_data_t *task,
                      const void *address)
{
    (void)task;
    kpx_put(point == ompt_scope_begin ? KPX_MASKED_BEGIN : KPX_MASKED_END, 0, 0,
            number_of(region), code(address));
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task,
                           int flags, int has_dependences, const void *address)
{
    (void)parent, (void)frame;
    if (flags & ompt_task_initial)
        return; // on_implicit_task tells of it
    task->value = new_number();
    kpx_put(KPX_TASK_CREATE, (uint16_t)(flags & 0xffff), (uint32_t)has_dependences, task->value,
            code(address));
}

static void on_task_schedule(ompt_data_t *left, ompt_task_status_t status, ompt_data_t *begun)
{
    kpx_put(KPX_TASK_SWITCH, (uint16_t)status, 0, number_of(left), number_of(begun));
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int n)
{
    for (int i = 0; i < n; i++)
        kpx_put(KPX_TASK_DEPENDS, (uint16_t)list[i].dependence_type, 0, task->value,
                list[i].variable.value);
}

static void on_task_dependence(ompt_data_t *before, ompt_data_t *after)
{
    kpx_put(KPX_TASK_AFTER, 0, 0, number_of(before), number_of(after));
}

// ---- Start ----------------------------------------------------------------------------------

typedef struct {
    ompt_callbacks_t event;
    ompt_callback_t function;
} registration;

// Flush is left out on purpose: it comes at every barrier and says nothing.
static const registration callbacks[] = {
    {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin},
    {ompt_callback_thread_end, (ompt_callback_t)on_thread_end},
    {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin},
    {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end},
    {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task},
    {ompt_callback_work, (ompt_callback_t)on_work},
    {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
    {ompt_callback_sync_region, (ompt_callback_t)on_sync},
    {ompt_callback_sync_region_wait, (ompt_callback_t)on_wait},
    {ompt_callback_reduction, (ompt_callback_t)on_reduction},
    {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire},
    {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired},
    {ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released},
    {ompt_callback_masked, (ompt_callback_t)on_masked},
    {ompt_callback_task_create, (ompt_callback_t)on_task_create},
    {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule},
    {ompt_callback_dependences, (ompt_callback_t)on_dependences},
    {ompt_callback_task_dependence, (ompt_callback_t)on_task_dependence},
};

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    (void)device, (void)tool;
    ompt_set_callback_t set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    if (!set_callback)
        return 0;
    for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
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
    kpx_note("openmp", runtime);
    return &result;
}
