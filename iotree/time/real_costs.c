// SPDX-License-Identifier: MIT
//
// Why a real run took as long as it did.
#include "base/memory.h"
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

// When each reduction ends on as many workers as there is work for. Reductions are in the order of
// virtual time, in which causes are before effects.
static int64_t *ends_of_chains(const iot *a, int64_t *ret_longest, int64_t *ret_busy)
{
    int64_t *ends = base_allocate(a->n, sizeof *ends);
    *ret_longest = *ret_busy = 0;
    for (uint32_t r = 1; r < a->n; r++) {
        ends[r] = ready_at(a, r, ends) + duration(a, r);
        *ret_longest = ends[r] > *ret_longest ? ends[r] : *ret_longest;
        *ret_busy += duration(a, r);
    }
    return ends;
}

// When the first reduction begins: until then the program is read, and workers begin.
static int64_t first_start(const iot *a)
{
    int64_t first = a->n > 1 ? trace_start(a->t, 1) : 0;
    for (uint32_t r = 2; r < a->n; r++)
        first = trace_start(a->t, r) < first ? trace_start(a->t, r) : first;
    return first;
}

static int64_t share(uint64_t time, uint32_t workers)
{
    return (int64_t)(time / (workers > 0 ? workers : 1));
}

static uint32_t count_workers(const iot *a)
{
    const trace_worker *workers;
    uint32_t n = trace_get_workers(a->t, &workers);
    return n > 0 ? n : trace_nplaces(a->t);
}

iot_real_costs iot_get_real_costs(const iot *a)
{
    const trace_worker *workers;
    trace_collector collector = trace_get_collector(a->t);
    uint32_t n = trace_get_workers(a->t, &workers);
    iot_real_costs c = {.workers = count_workers(a), .complete = n > 0};
    int64_t busy;
    uint64_t waiting = 0, locked = 0;
    for (uint32_t i = 0; i < n; i++) {
        c.retries += workers[i].waits;
        c.locks += workers[i].locks;
        waiting += workers[i].waiting;
        locked += workers[i].locked;
    }
    c.elapsed = trace_elapsed(a->t);
    free(ends_of_chains(a, &c.chain, &busy));
    c.few = share((uint64_t)busy, c.workers) - c.chain;
    c.few = c.few > 0 ? c.few : 0;
    c.retried = share(waiting, c.workers);
    c.without = c.elapsed - c.chain - c.few - c.retried;
    c.without = c.without > 0 ? c.without : 0;
    c.start = first_start(a);
    c.start = c.start < c.without ? c.start : c.without;
    c.without -= c.start;
    c.collections = collector.count;
    c.collecting = (int64_t)collector.time;
    c.longest = (int64_t)(collector.longest < collector.time ? collector.longest : collector.time);
    c.locked = share(locked, c.workers);
    uint64_t not_given;
    c.states = iot_goals_not_given(a, &not_given);
    c.not_given = share(not_given, c.workers);
    c.not_given = c.not_given < c.without ? c.not_given : c.without;
    return c;
}

// ---------------------------------------------------------------------------------------------
// When the work was done

static int by_time(const void *x, const void *y)
{
    const int64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void iot_get_work_done(const iot *a, uint32_t n, iot_work_done *ret)
{
    int64_t longest, busy, done = 0;
    uint32_t all = a->n > 0 ? a->n - 1 : 0, next = 0, workers = count_workers(a);
    int64_t *chains = ends_of_chains(a, &longest, &busy), last = 0;
    const uint32_t *order = iot_ensure_profile((iot *)a, IOT_REAL_TIME)->ends;
    qsort(chains + 1, all, sizeof *chains, by_time);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = (uint32_t)((uint64_t)all * (i + 1) / n);
        for (; next < part; next++) {
            done += duration(a, order[next]);
            last = later(last, trace_end(a->t, order[next]));
        }
        ret[i].chain = part > 0 ? chains[part] : 0;
        ret[i].few = later(ret[i].chain, share((uint64_t)done, workers));
        ret[i].real = later(ret[i].few, last);
    }
    free(chains);
}

// ---------------------------------------------------------------------------------------------
// Causes

// malloc'ed.
static char *no_goal_text(const iot_real_costs *c)
{
    if (!c->states)
        return base_copy("workers had no goal: none was ready, or none was given to them");
    if (c->not_given * 20 < c->without)
        return base_copy("workers had no goal, and hardly any was ready elsewhere");
    return base_format("workers had no goal; for %.0f %% of that time another one had goals ready that it "
                       "did not give",
                       100 * (double)c->not_given / (double)c->without);
}

static iot_real_finding cause_of(const iot_real_costs *c, iot_real_cause cause, uint32_t raced)
{
    static const char stopped[] = "all workers stood still while garbage was collected (a part of the "
                                  "other lines)";
    static const char locked[] = "workers waited for a lock (a part of the other lines)";
    switch (cause) {
    case IOT_COST_WORKERS:
        return (iot_real_finding){cause, c->few, c->workers, "workers",
                                  base_format("even if shared evenly, the work takes so much longer on "
                                              "%u worker%s than its longest chain",
                                              c->workers, c->workers == 1 ? "" : "s")};
    case IOT_COST_NO_GOAL:
        return (iot_real_finding){cause, c->without, 0, "no-goal", no_goal_text(c)};
    case IOT_COST_START:
        return (iot_real_finding){cause, c->start, 0, "start",
                                  base_copy("the program started: there was no goal yet")};
    case IOT_COST_RETRIES:
        return (iot_real_finding){cause, c->retried, c->retries, "retries",
                                  base_copy("goals were tried, and suspended because a variable was "
                                            "unbound")};
    case IOT_COST_COLLECTOR:
        return (iot_real_finding){cause, c->collecting, c->collections, "collector",
                                  base_copy(stopped)};
    case IOT_COST_LOCKS:
        return (iot_real_finding){cause, c->locked, c->locks, "locks",
                                  base_copy(locked)};
    default:
        return (iot_real_finding){IOT_COST_ORDER, -1, raced, "order",
                                  base_copy("reductions raced, so how much there is to do depends on the "
                                            "order: beside a run of the ideal machine, paf compare "
                                            "prices that")};
    }
}

static int by_price(const void *x, const void *y)
{
    const iot_real_finding *a = x, *b = y;
    if (a->price != b->price)
        return a->price > b->price ? -1 : 1;
    return a->cause < b->cause ? -1 : a->cause > b->cause;
}

uint32_t iot_get_real_findings(const iot *a, iot_real_finding *ret)
{
    iot_real_costs c = iot_get_real_costs(a);
    uint32_t n = 0;
    for (int cause = 0; cause < IOT_REAL_CAUSES; cause++) {
        iot_real_finding f = cause_of(&c, (iot_real_cause)cause, trace_raced(a->t));
        bool counted = f.count > 0 && cause != IOT_COST_WORKERS;
        if (f.price > 0 || counted)
            ret[n++] = f;
        else
            free(f.text);
    }
    qsort(ret, n, sizeof *ret, by_price);
    return n;
}
