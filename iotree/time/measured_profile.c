// SPDX-License-Identifier: MIT
//
// P_m(t) and W_m(t) of runs whose reductions take time. In virtual time a reduction that ends at t
// and costs c runs in the steps t - c + 1 .. t; its goal waits from the step after its creation
// until then. A reduction that costs nothing is a wait and waits until t. By the clock a reduction
// runs from its start to its end, and only waits count as waiting. In a real run of Fleng no
// reduction is a wait: there goals wait, from the end of the reduction that creates them until they
// begin.
//
// Both quantities change where a goal is created, begins and ends. Goals and reductions are
// numbered in order of virtual time, so only the begins, and by the clock the ends and the
// creations, have to be sorted.
#include "base/search.h"
#include "iotree/time/profile.h"

typedef enum { CREATED, BEGUN, ENDED, MADE, STARTED, STOPPED } change_kind; // from MADE on by the clock

typedef struct {
    int64_t time; // holds from this step on
    uint32_t row;
    int running, standing;
} profile_change;

// By the clock. A goal that begins before its creator ends (as another worker sees the time) was there.
static int64_t made_at(const iot *a, uint32_t goal)
{
    int64_t made = trace_end(a->t, trace_goal_parent(a->t, goal));
    uint32_t r = trace_goal_reduction(a->t, goal);
    return r != TRACE_NONE && trace_start(a->t, r) < made ? trace_start(a->t, r) : made;
}

static int64_t time_of(const iot *a, change_kind kind, uint32_t i)
{
    switch (kind) {
    case MADE:
        return made_at(a, i) + 1;
    case CREATED:
        return trace_time(a->t, trace_goal_parent(a->t, i)) + 1;
    case BEGUN:
        return trace_time(a->t, i) + 1 - trace_cost(a->t, i);
    case ENDED:
        return trace_time(a->t, i) + 1;
    case STARTED:
        return trace_start(a->t, i) + 1;
    default:
        return trace_end(a->t, i) + 1;
    }
}

static bool is_goal(change_kind kind)
{
    return kind == CREATED || kind == MADE;
}

// i: a goal or a reduction.
static profile_change change_of(const iot *a, change_kind kind, uint32_t i)
{
    profile_change c = {.time = time_of(a, kind, i)};
    if (is_goal(kind)) {
        c.row = iot_module_of_goal(a, i);
        c.standing = 1;
        return c;
    }
    c.row = a->processes[process_of(a, i)].module;
    if (kind == BEGUN || kind == ENDED) {
        c.running = trace_cost(a->t, i) == 0 ? 0 : kind == BEGUN ? 1 : -1;
        c.standing = kind == BEGUN ? -1 : 0;
        return c;
    }
    int moves = trace_start(a->t, i) == trace_end(a->t, i) ? 0 : kind == STARTED ? 1 : -1;
    if (!trace_is_measured(a->t)) {
        c.running = moves;
        c.standing = kind == STARTED ? -1 : 0;
        return c;
    }
    bool waits = trace_get_clause(a->t, trace_reduction_clause(a->t, i))->waits;
    c.running = waits ? 0 : moves;
    c.standing = waits ? moves : 0;
    return c;
}

// ---------------------------------------------------------------------------------------------
// Sorting

typedef struct {
    const iot *a;
    change_kind kind;
} sorting;

static int by_time(const void *x, const void *y, void *data)
{
    const sorting *s = data;
    uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
    int64_t a = time_of(s->a, s->kind, i), b = time_of(s->a, s->kind, j);
    if (a != b)
        return a < b ? -1 : 1;
    return i < j ? -1 : i > j;
}

// A damaged trace may have times before its begin or after its end.
static uint32_t bucket_of(int64_t time, uint64_t width, uint32_t nbuckets)
{
    uint64_t bucket = time > 0 ? (uint64_t)time / width : 0;
    return bucket < nbuckets ? (uint32_t)bucket : nbuckets - 1;
}

// All goals, or the reductions from 1 on.
static uint32_t count_of(const iot *a, change_kind kind)
{
    return is_goal(kind) ? trace_ngoals(a->t) : a->n > 0 ? a->n - 1 : 0;
}

static uint32_t first_of(change_kind kind)
{
    return is_goal(kind) ? 0 : 1;
}

enum { FEW = 16 };

static void sort_bucket(uint32_t *list, uint32_t n, sorting *s)
{
    if (n > FEW) {
        qsort_r(list, n, sizeof *list, by_time, s);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t item = list[i], at = i;
        for (; at > 0 && by_time(&list[at - 1], &item, s) > 0; at--)
            list[at] = list[at - 1];
        list[at] = item;
    }
}

// In order of time: first into buckets of equal stretches of time, then within each, where there are
// mostly few.
static uint32_t *sort(const iot *a, change_kind kind, int64_t end)
{
    uint32_t n = count_of(a, kind), nbuckets = n / 4 + 1, least = first_of(kind);
    uint64_t width = (uint64_t)end / nbuckets + 1;
    uint32_t *order = base_allocate(n, sizeof *order);
    uint32_t *next = base_allocate((size_t)nbuckets + 1, sizeof *next);
    for (uint32_t i = least; i < least + n; i++)
        next[bucket_of(time_of(a, kind, i), width, nbuckets) + 1]++;
    for (uint32_t i = 0; i < nbuckets; i++)
        next[i + 1] += next[i];
    for (uint32_t i = least; i < least + n; i++)
        order[next[bucket_of(time_of(a, kind, i), width, nbuckets)]++] = i;
    sorting s = {a, kind};
    for (uint32_t i = 0, first = 0; i < nbuckets; first = next[i++])
        sort_bucket(order + first, next[i] - first, &s);
    free(next);
    return order;
}

// ---------------------------------------------------------------------------------------------
// All changes in order of time, from one on

typedef struct {
    change_kind kind;
    const uint32_t *order; // NULL: by number
    uint32_t first, at, n; // first: the number at place 0 without an order
    profile_change next;   // that at `at`, if there is one
} change_list;

typedef struct {
    const iot *a;
    change_list lists[3];
    int nlists;
} changes;

static uint32_t number_at(const change_list *l, uint32_t place)
{
    return l->order ? l->order[place] : l->first + place;
}

static void load(const iot *a, change_list *l)
{
    if (l->at < l->n)
        l->next = change_of(a, l->kind, number_at(l, l->at));
}

static void add_list(changes *c, change_kind kind, const uint32_t *order, int64_t from)
{
    change_list *l = &c->lists[c->nlists++];
    *l = (change_list){
        .kind = kind, .order = order, .first = first_of(kind), .n = count_of(c->a, kind)};
    size_t first;
    FIRST_NOT(first, l->n, i, time_of(c->a, kind, number_at(l, (uint32_t)i)) < from);
    l->at = (uint32_t)first;
    load(c->a, l);
}

// Those at or after a time.
static changes changes_from(const iot *a, const profile *p, int64_t from)
{
    changes c = {.a = a};
    if (p->clock == IOT_REAL_TIME) {
        if (p->makes)
            add_list(&c, MADE, p->makes, from);
        add_list(&c, STARTED, p->begins, from);
        add_list(&c, STOPPED, p->ends, from);
    } else {
        add_list(&c, CREATED, NULL, from);
        add_list(&c, BEGUN, p->begins, from);
        add_list(&c, ENDED, NULL, from);
    }
    return c;
}

static bool next_change(changes *c, profile_change *ret)
{
    change_list *first = NULL;
    for (int i = 0; i < c->nlists; i++) {
        change_list *l = &c->lists[i];
        if (l->at < l->n && (!first || l->next.time < first->next.time))
            first = l;
    }
    if (!first)
        return false;
    *ret = first->next;
    first->at++;
    load(c->a, first);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Base buckets

typedef struct {
    int64_t since; // up to here the buckets are complete
    int64_t running, standing;
} row_now;

static void add_steps(iot_bucket *b, int64_t steps, int64_t value)
{
    b->sum += (uint64_t)steps * (uint64_t)value;
    if (steps > 0 && (uint64_t)value > b->peak)
        b->peak = (uint64_t)value;
}

// Adds the values of the row from now->since to `to` to its buckets.
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

void iot_build_measured_profile(const iot *a, profile *p)
{
    uint32_t all = a->nmodules;
    p->running = base_allocate((size_t)p->nbase * p->nrows, sizeof *p->running);
    row_now *rows = base_allocate(p->nrows, sizeof *rows);
    bool real = p->clock == IOT_REAL_TIME;
    p->begins = sort(a, real ? STARTED : BEGUN, p->end);
    if (real)
        p->ends = sort(a, STOPPED, p->end);
    if (real && !trace_is_measured(a->t))
        p->makes = sort(a, MADE, p->end);
    profile_change c;
    for (changes all_of_them = changes_from(a, p, INT64_MIN); next_change(&all_of_them, &c);) {
        const uint32_t changed[] = {c.row, all};
        for (int k = 0; k < 2 && (c.running || c.standing); k++) {
            row_now *now = &rows[changed[k]];
            tell(p, changed[k], now, c.time);
            now->running += c.running;
            now->standing += c.standing;
        }
    }
    for (uint32_t row = 0; row < p->nrows; row++)
        tell(p, row, &rows[row], p->end + 1);
    free(rows);
}

uint32_t iot_in_order_of_start(const iot *a, const uint32_t **ret_reductions)
{
    *ret_reductions = iot_ensure_profile((iot *)a, IOT_REAL_TIME)->begins;
    return iot_has_real_time(a->t) ? count_of(a, STARTED) : 0;
}

// ---------------------------------------------------------------------------------------------
// Within a bucket

void iot_sum_measured_profile(const iot *a, const profile *p, iot_quantity q, uint32_t row,
                              int64_t from, int64_t to, iot_bucket *ret)
{
    int64_t bucket = from / p->width, since = bucket * p->width;
    size_t index = (size_t)row * p->nbase + (size_t)bucket;
    int64_t value = (int64_t)(q == IOT_REDUCTIONS ? p->running : p->standing)[index];
    changes all = changes_from(a, p, since + 1);
    profile_change c;
    while (next_change(&all, &c) && c.time < to) {
        if (row != a->nmodules && row != c.row)
            continue;
        if (c.time > from)
            add_steps(ret, c.time - (since > from ? since : from), value);
        value += q == IOT_REDUCTIONS ? c.running : c.standing;
        since = c.time;
    }
    add_steps(ret, to - (since > from ? since : from), value);
}
