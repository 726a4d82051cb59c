// SPDX-License-Identifier: MIT
//
// Inputs and outputs of a process, and the last-arriving input of each output.
#include "iotree/tree/arguments.h"
#include "iotree/tree/causes.h"

// ---------------------------------------------------------------------------------------------
// Outputs

static bool later(const process_io *io, uint32_t x, uint32_t y)
{
    if (x == IOT_NONE || y == IOT_NONE)
        return x != IOT_NONE;
    const iot_input *a = &io->inputs[x], *b = &io->inputs[y];
    if (a->available != b->available)
        return a->available > b->available;
    if (a->time != b->time)
        return a->time > b->time;
    return x > y;
}

static void find_last(const process_causes *g, const process_io *io, uint32_t *last)
{
    for (uint32_t i = 0; i < g->n; i++) {
        last[i] = IOT_NONE;
        for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
            uint32_t link = g->links[j];
            uint32_t candidate = link & LINK_INPUT ? link & ~LINK_INPUT : last[link];
            if (candidate != last[i] && later(io, candidate, last[i]))
                last[i] = candidate;
        }
    }
}

static void find_outputs(iot *a, uint32_t process, process_io *io)
{
    const uint32_t *members;
    uint32_t n = iot_members(a, process, &members);
    uint32_t *last = base_allocate(a->io.causes->n, sizeof *last);
    ARRAY_OF(iot_output) outputs = {0};
    ARRAY_OF(uint32_t) makers = {0};
    find_last(a->io.causes, io, last);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = trace_first_binding(a->t, members[i] + 1);
        for (uint32_t b = trace_first_binding(a->t, members[i]); b < end; b++) {
            if (!iot_is_output(a, b, members[i]))
                continue;
            ARRAY_PUSH(makers, i);
            ARRAY_PUSH(outputs, (iot_output){
                                    .binding = b,
                                    .time = trace_time(a->t, members[i]),
                                    .needed = IOT_NONE,
                                    .last_input = last[node_of_rank(a->io.causes, i)],
                                });
        }
    }
    io->outputs = outputs.at;
    io->noutputs = (uint32_t)outputs.n;
    io->makers = makers.at;
    free(last);
}

// ---------------------------------------------------------------------------------------------

const process_io *iot_ensure_io(iot *a, uint32_t process)
{
    if (!a->io.of_process)
        __atomic_store_n(&a->io.of_process, base_allocate(a->nprocesses, sizeof(process_io *)),
                         __ATOMIC_RELEASE);
    if (a->io.of_process[process])
        return a->io.of_process[process];
    iot_ensure_members(a);
    iot_ensure_visibility(a);
    process_io *io = base_allocate(1, sizeof *io);
    iot_read_process(a, process, io, true);
    find_outputs(a, process, io);
    iot_count_needed(a, a->io.causes, io);
    __atomic_store_n(&a->io.of_process[process], io, __ATOMIC_RELEASE);
    return io;
}

const process_causes *iot_ensure_causes(iot *a, uint32_t process)
{
    const process_io *io = iot_ensure_io(a, process);
    if (!a->io.causes || a->io.causes->process != process)
        iot_read_process(a, process, (process_io *)io, false);
    return a->io.causes;
}

void iot_destroy_io(iot *a)
{
    for (uint32_t i = 0; a->io.of_process && i < a->nprocesses; i++) {
        process_io *io = a->io.of_process[i];
        if (io) {
            free(io->inputs);
            free(io->outputs);
            free(io->makers);
            free(io);
        }
    }
    free(a->io.of_process);
    free(a->io.input_of_binding);
    free(a->io.met_at);
    free(a->io.bundle_of_binding);
    free(a->passed.heavy);
    iot_destroy_argument_moves(a);
    iot_free_causes(a->io.causes);
}

// Asked for very often, and what was found once never changes: then without the lock.
static const process_io *get_io(const iot *analysis, uint32_t process)
{
    iot *a = (iot *)analysis;
    process_io **all = __atomic_load_n(&a->io.of_process, __ATOMIC_ACQUIRE);
    const process_io *io = all ? __atomic_load_n(&all[process], __ATOMIC_ACQUIRE) : NULL;
    if (io)
        return io;
    pthread_mutex_lock(&a->lock);
    io = iot_ensure_io(a, process);
    pthread_mutex_unlock(&a->lock);
    return io;
}

uint32_t iot_inputs(const iot *analysis, uint32_t process, const iot_input **ret_inputs)
{
    const process_io *io = get_io(analysis, process);
    *ret_inputs = io->inputs;
    return io->ninputs;
}

bool iot_is_cut(const iot *a)
{
    return a->passed.cut;
}

uint32_t iot_outputs(const iot *analysis, uint32_t process, const iot_output **ret_outputs)
{
    const process_io *io = get_io(analysis, process);
    *ret_outputs = io->outputs;
    return io->noutputs;
}
