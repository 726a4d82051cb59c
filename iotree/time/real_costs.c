// SPDX-License-Identifier: MIT
//
// Why a real run took as long as it did.
#include "iotree/time/profile.h"
#include "profiler/workers.h"

static int64_t duration(const iot *a, uint32_t reduction)
{
    return trace_end(a->t, reduction) - trace_start(a->t, reduction);
}

// When the last of what the reduction waits for ends, as `ends` tells of earlier reductions.
static int64_t ready_at(const iot *a, uint32_t reduction, const int64_t *ends)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(a->t, reduction, &reads);
    uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, reduction));
    int64_t ready = parent < reduction ? ends[parent] : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(a->t, reads[i]);
        uint32_t maker = binding == TRACE_NONE ? 0 : trace_binding_maker(a->t, binding);
        if (maker < reduction && ends[maker] > ready)
            ready = ends[maker];
    }
    return ready;
}

// Reductions are in the order of virtual time, in which causes are before effects.
static int64_t longest_chain(const iot *a, int64_t *ret_busy)
{
    int64_t *ends = base_allocate(a->n, sizeof *ends), longest = 0, busy = 0;
    for (uint32_t r = 1; r < a->n; r++) {
        ends[r] = ready_at(a, r, ends) + duration(a, r);
        longest = ends[r] > longest ? ends[r] : longest;
        busy += duration(a, r);
    }
    free(ends);
    *ret_busy = busy;
    return longest;
}

static int64_t share(uint64_t time, uint32_t workers)
{
    return (int64_t)(time / (workers > 0 ? workers : 1));
}

iot_real_costs iot_get_real_costs(const iot *a)
{
    const trace_worker *workers;
    trace_collector collector = trace_get_collector(a->t);
    uint32_t n = trace_get_workers(a->t, &workers);
    iot_real_costs c = {.workers = n > 0 ? n : trace_nplaces(a->t), .complete = n > 0};
    int64_t busy;
    uint64_t waiting = 0, locked = 0;
    for (uint32_t i = 0; i < n; i++) {
        c.retries += workers[i].waits;
        c.locks += workers[i].locks;
        waiting += workers[i].waiting;
        locked += workers[i].locked;
    }
    c.elapsed = trace_elapsed(a->t);
    c.chain = longest_chain(a, &busy);
    c.few = share((uint64_t)busy, c.workers) - c.chain;
    c.few = c.few > 0 ? c.few : 0;
    c.retried = share(waiting, c.workers);
    c.without = c.elapsed - c.chain - c.few - c.retried;
    c.without = c.without > 0 ? c.without : 0;
    c.collections = collector.count;
    c.collecting = (int64_t)collector.time;
    c.longest = (int64_t)(collector.longest < collector.time ? collector.longest : collector.time);
    c.locked = share(locked, c.workers);
    return c;
}
