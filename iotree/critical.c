// SPDX-License-Identifier: MIT
//
// The critical path. It is a walk back from the last step: where the latest binding read is as
// late as the goal's creation, to its maker (data), else to the goal's parent (control).
#include "iotree/model.h"

// Is the goal of reduction r older than that of s? Of one step not always the order of the
// reductions: the streams of a merge go by the ages of the streams.
static bool is_older(const trace *t, uint32_t r, uint32_t s)
{
    return trace_reduction_goal(t, r) < trace_reduction_goal(t, s);
}

uint32_t latest_commit_read(const trace *t, uint32_t reduction, int64_t *ret_time)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(t, reduction, &reads), best = IOT_NONE, best_maker = 0;
    int64_t best_time = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(t, reads[i]);
        if (binding == TRACE_NONE)
            continue;
        uint32_t maker = trace_binding_maker(t, binding);
        if (maker == 0)
            continue;
        int64_t time = trace_time(t, maker);
        if (best == IOT_NONE || time > best_time ||
            (time == best_time && is_older(t, maker, best_maker))) {
            best = binding;
            best_maker = maker;
            best_time = time;
        }
    }
    if (best != IOT_NONE)
        *ret_time = best_time;
    return best;
}

// The oldest goal's reduction of the last step. Never the beginning.
static uint32_t last_step(const iot *a)
{
    uint32_t oldest = a->n - 1;
    for (uint32_t r = oldest; r > 0 && trace_time(a->t, r) == a->span; r--)
        if (is_older(a->t, r, oldest))
            oldest = r;
    return oldest;
}

static void walk_back(iot *a)
{
    uint32_t capacity = 0;
    for (uint32_t r = last_step(a); r != 0;) {
        int64_t time;
        uint32_t binding = latest_commit_read(a->t, r, &time);
        bool data = binding != IOT_NONE && time >= reduction_created(a->t, r);
        ROOM(a->critical, a->ncritical, capacity);
        a->critical[a->ncritical++] = (iot_step){r, data};
        bit_set(a->critical_bits, r);
        r = data ? trace_binding_maker(a->t, binding)
                 : trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
    }
}

static int by_count(const void *x, const void *y)
{
    const iot_critical_row *a = x, *b = y;
    uint64_t na = a->control + a->data, nb = b->control + b->data;
    if (na != nb)
        return na > nb ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

static int by_place(const void *x, const void *y)
{
    const iot_critical_row *a = x, *b = y;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

static void count_rows(iot *a)
{
    iot_critical_row *rows = iot_alloc(a->ncritical, sizeof *rows);
    for (uint32_t i = 0; i < a->ncritical; i++) {
        uint32_t r = a->critical[i].reduction;
        rows[i].module = a->processes[a->process_of[r]].module;
        rows[i].predicate = trace_goal_predicate(a->t, trace_reduction_goal(a->t, r));
        rows[i].data = a->critical[i].data;
        rows[i].control = !a->critical[i].data;
        a->modules[rows[i].module].critical++;
    }
    qsort(rows, a->ncritical, sizeof *rows, by_place);
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->ncritical; i++) {
        if (n && !by_place(&rows[n - 1], &rows[i])) {
            rows[n - 1].data += rows[i].data;
            rows[n - 1].control += rows[i].control;
        } else {
            rows[n++] = rows[i];
        }
    }
    qsort(rows, n, sizeof *rows, by_count);
    a->critical_rows = rows;
    a->ncritical_rows = n;
    for (uint32_t i = 0; i < a->npredicate_rows; i++) {
        iot_predicate_row *p = &a->predicate_rows[i];
        for (uint32_t j = 0; j < n; j++) {
            if (rows[j].module == p->module && rows[j].predicate == p->predicate)
                p->critical = rows[j].control + rows[j].data;
        }
    }
}

void build_critical(iot *a)
{
    a->critical_bits = iot_alloc((size_t)a->n / 8 + 1, 1);
    if (a->n > 1)
        walk_back(a);
    count_rows(a);
}
