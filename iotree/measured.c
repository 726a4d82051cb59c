// SPDX-License-Identifier: MIT
//
// P_m(t) and W_m(t) where reductions take time: one that ends at t and costs c runs in the steps
// t - c + 1 .. t, and waits from the step after its creation until it begins. One that costs
// nothing (a wait) waits until t. The changes of both numbers are sorted by time, once.
#include "iotree/model.h"

typedef struct profile_change {
    int64_t time; // holds from this step on
    uint32_t row;
    int8_t running, standing;
} profile_change;

static void add_change(profile *p, int64_t time, uint32_t row, int running, int standing)
{
    p->changes[p->nchanges++] =
        (profile_change){time, row, (int8_t)running, (int8_t)standing};
}

static int by_time(const void *x, const void *y)
{
    const profile_change *a = x, *b = y;
    return a->time < b->time ? -1 : a->time > b->time;
}

// By the clock it runs from its start to its end, and waits only if it is a wait.
static void list_real_changes(const iot *a, profile *p)
{
    p->changes = iot_alloc(2 * (size_t)a->n, sizeof *p->changes);
    for (uint32_t r = 1; r < a->n; r++) {
        bool waits = trace_get_clause(a->t, trace_reduction_clause(a->t, r))->waits;
        uint32_t row = a->processes[process_of(a, r)].module;
        int64_t begin = trace_start(a->t, r) + 1, end = trace_end(a->t, r) + 1;
        if (begin == end)
            continue;
        add_change(p, begin, row, !waits, waits);
        add_change(p, end, row, -!waits, -waits);
    }
}

static void list_changes(const iot *a, profile *p)
{
    uint32_t ngoals = trace_ngoals(a->t);
    p->changes = iot_alloc(3 * (size_t)ngoals, sizeof *p->changes);
    for (uint32_t goal = 0; goal < ngoals; goal++) {
        uint32_t row = iot_module_of_goal(a, goal), r = trace_goal_reduction(a->t, goal);
        add_change(p, trace_time(a->t, trace_goal_parent(a->t, goal)) + 1, row, 0, 1);
        if (r == TRACE_NONE)
            continue;
        int64_t end = trace_time(a->t, r) + 1, begin = end - trace_cost(a->t, r);
        add_change(p, begin, row, begin < end, -1);
        if (begin < end)
            add_change(p, end, row, -1, 0);
    }
}

// ---------------------------------------------------------------------------------------------
// Base buckets

typedef struct {
    int64_t since; // what stands has not been told from here on
    int64_t running, standing;
} row_now;

static void add_steps(iot_bucket *b, int64_t steps, int64_t value)
{
    b->sum += (uint64_t)steps * (uint64_t)value;
    if (steps > 0 && (uint64_t)value > b->peak)
        b->peak = (uint64_t)value;
}

// What a row has been from row->since to `to`.
static void tell(profile *p, uint32_t row, row_now *now, int64_t to)
{
    size_t first = (size_t)row * p->nbase;
    for (int64_t i = now->since / p->width; now->since < to; i++) {
        int64_t start = i * p->width, end = start + p->width < to ? start + p->width : to;
        if (start == now->since) {
            p->standing[first + (size_t)i] = (uint64_t)now->standing;
            p->running[first + (size_t)i] = (uint64_t)now->running;
        }
        add_steps(&p->of[IOT_REDUCTIONS].levels[0][first + (size_t)i], end - now->since,
                  now->running);
        add_steps(&p->of[IOT_WAITING].levels[0][first + (size_t)i], end - now->since,
                  now->standing);
        now->since = end;
    }
}

void build_measured(const iot *a, profile *p)
{
    uint32_t all = a->nmodules;
    p->running = iot_alloc((size_t)p->nbase * p->nrows, sizeof *p->running);
    row_now *rows = iot_alloc(p->nrows, sizeof *rows);
    if (p->clock == IOT_REAL_TIME)
        list_real_changes(a, p);
    else
        list_changes(a, p);
    if (p->nchanges > 0)
        qsort(p->changes, p->nchanges, sizeof *p->changes, by_time);
    for (size_t i = 0; i < p->nchanges; i++) {
        const profile_change *c = &p->changes[i];
        const uint32_t changed[] = {c->row, all};
        for (int k = 0; k < 2; k++) {
            row_now *now = &rows[changed[k]];
            tell(p, changed[k], now, c->time);
            now->running += c->running;
            now->standing += c->standing;
        }
    }
    for (uint32_t row = 0; row < p->nrows; row++)
        tell(p, row, &rows[row], p->end + 1);
    free(rows);
}

// ---------------------------------------------------------------------------------------------
// Within a bucket

static size_t first_change(const profile *p, int64_t time)
{
    size_t low = 0, high = p->nchanges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->changes[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sum_measured(const iot *a, const profile *p, iot_quantity q, uint32_t row, int64_t from,
                  int64_t to, iot_bucket *ret)
{
    int64_t bucket = from / p->width, since = bucket * p->width;
    size_t index = (size_t)row * p->nbase + (size_t)bucket;
    int64_t value = (int64_t)(q == IOT_REDUCTIONS ? p->running : p->standing)[index];
    for (size_t i = first_change(p, since + 1); i < p->nchanges; i++) {
        const profile_change *c = &p->changes[i];
        if (c->time >= to)
            break;
        if (row != a->nmodules && row != c->row)
            continue;
        if (c->time > from)
            add_steps(ret, c->time - (since > from ? since : from), value);
        value += q == IOT_REDUCTIONS ? c->running : c->standing;
        since = c->time;
    }
    add_steps(ret, to - (since > from ? since : from), value);
}
