// SPDX-License-Identifier: MIT
//
// The critical path, a walk back from the last step. If the latest binding that a reduction read is
// at least as late as the creation of its goal, the walk goes on at the maker of the binding (data
// dependency), else at the parent of the goal (control dependency).
#include "iotree/graph/model.h"

uint32_t iot_latest_commit_read(const trace *t, uint32_t reduction, int64_t *ret_time)
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
        if (best == IOT_NONE || time > best_time || (time == best_time && maker < best_maker)) {
            best = binding;
            best_maker = maker;
            best_time = time;
        }
    }
    if (best != IOT_NONE)
        *ret_time = best_time;
    return best;
}

// The oldest goal's reduction of the last step. Never the beginning. It need not be the first: the
// streams of a merge go by the ages of the streams.
static uint32_t last_step(const iot *a)
{
    uint32_t oldest = a->n - 1;
    for (uint32_t r = oldest; r > 0 && trace_time(a->t, r) == a->span; r--)
        if (trace_reduction_goal(a->t, r) < trace_reduction_goal(a->t, oldest))
            oldest = r;
    return oldest;
}

static void walk_back(iot *a)
{
    ARRAY_OF(uint32_t) steps = {0};
    for (uint32_t r = last_step(a); r != 0;) {
        int64_t time;
        uint32_t binding = iot_latest_commit_read(a->t, r, &time);
        uint32_t parent = trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
        bool data = binding != IOT_NONE && time >= trace_time(a->t, parent);
        if (data)
            bit_set(a->path.data_bits, (uint32_t)steps.n);
        ARRAY_PUSH(steps, r);
        a->path.cost += (uint64_t)trace_cost(a->t, r);
        r = data ? trace_binding_maker(a->t, binding) : parent;
    }
    a->path.n = (uint32_t)steps.n;
    a->path.steps = base_resize(steps.at, steps.n, sizeof *steps.at);
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

void iot_sort_critical_rows(iot_critical_row *rows, uint32_t n)
{
    if (n > 0)
        qsort(rows, n, sizeof *rows, by_count);
}

static void count_rows(iot *a)
{
    uint32_t npredicates = trace_npredicates(a->t), n = 0;
    size_t size = (size_t)a->nmodules * npredicates;
    iot_critical_row *rows = base_allocate(size, sizeof *rows);
    for (uint32_t i = 0; i < a->path.n; i++) {
        uint32_t r = a->path.steps[i], module = a->processes[process_of(a, r)].module;
        uint32_t predicate = trace_goal_predicate(a->t, trace_reduction_goal(a->t, r));
        iot_critical_row *row = &rows[(size_t)module * npredicates + predicate];
        uint64_t cost = (uint64_t)trace_cost(a->t, r);
        if (bit_get(a->path.data_bits, i))
            row->data += cost;
        else
            row->control += cost;
        a->modules[module].critical += cost;
    }
    for (uint32_t i = 0; i < a->predicates.n; i++) {
        iot_predicate_row *p = &a->predicates.rows[i];
        const iot_critical_row *row = &rows[(size_t)p->module * npredicates + p->predicate];
        p->critical = row->control + row->data;
    }
    for (size_t i = 0; i < size; i++) {
        if (rows[i].control || rows[i].data) {
            rows[n] = rows[i];
            rows[n].module = (uint32_t)(i / npredicates);
            rows[n++].predicate = (uint32_t)(i % npredicates);
        }
    }
    iot_sort_critical_rows(rows, n);
    a->path.rows = base_resize(rows, n, sizeof *rows);
    a->path.nrows = n;
}

// Steps that went into making processes: those reached by their parents, in an unbroken chain of
// such steps up to the first goal of a process.
static void find_creation(iot *a)
{
    uint32_t chain = 0;
    for (uint32_t i = a->path.n; i-- > 0;) { // oldest first
        chain = bit_get(a->path.data_bits, i) ? 0 : chain + 1;
        if (!iot_starts_process(a, trace_reduction_goal(a->t, a->path.steps[i])))
            continue;
        a->path.ncreation += chain;
        for (; chain > 0; chain--)
            bit_set(a->path.creation_bits, i + chain - 1);
    }
}

void iot_build_critical_path(iot *a)
{
    a->path.data_bits = bits_allocate(a->n);
    a->path.creation_bits = bits_allocate(a->n);
    if (a->n > 1)
        walk_back(a);
    find_creation(a);
    count_rows(a);
}

bool iot_is_creation_bound(const iot *a)
{
    return !trace_is_measured(a->t) && a->path.n >= 4 &&
           2 * (uint64_t)a->path.ncreation >= a->path.n;
}
