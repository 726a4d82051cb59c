// SPDX-License-Identifier: MIT
//
// P_m(t) and W_m(t) at any zoom. One sweep over the run turns each into a step function. Base
// buckets of equal width keep its sums and peaks; further levels keep those of pairs of buckets,
// pairs of pairs, and so on. A base bucket is one step wide as long as the memory for that is
// acceptable. For longer runs, the part of a requested interval that covers no whole base bucket is
// swept again.
#include "base/search.h"
#include "iotree/graph/jobs.h"
#include "iotree/time/profile.h"

#define CELLS    (1u << 19) // base buckets of all rows together
#define MIN_BASE 64u

// ---------------------------------------------------------------------------------------------
// The sweep. Steps of the run are visited in order; for each the standing goals and what changes.
// From the step `since` on W_m is `standing`. At a step with reductions it is `standing` without
// the goals that are reduced there; the goals that these create are standing from the next step on.

typedef struct {
    int64_t since;    // first step that has not been told yet
    int64_t standing; // goals created before it and not reduced before it
    uint32_t reduced; // of the present step
    uint32_t created;
} row_state;

typedef void (*segment)(void *data, iot_quantity q, uint32_t row, int64_t from, int64_t to,
                        int64_t value, int64_t standing);

typedef struct {
    const iot *a;
    row_state *rows; // by module, then all
    uint32_t *touched;
    uint32_t ntouched;
    segment tell;
    void *data;
} sweep;

static void touch(sweep *s, uint32_t row, uint32_t reduced, uint32_t created)
{
    row_state *state = &s->rows[row];
    if (!state->reduced && !state->created)
        s->touched[s->ntouched++] = row;
    state->reduced += reduced;
    state->created += created;
}

static void end_step(sweep *s, int64_t time)
{
    for (uint32_t i = 0; i < s->ntouched; i++) {
        uint32_t row = s->touched[i];
        row_state *state = &s->rows[row];
        if (time > state->since)
            s->tell(s->data, IOT_WAITING, row, state->since, time, state->standing,
                    state->standing);
        if (state->reduced)
            s->tell(s->data, IOT_REDUCTIONS, row, time, time + 1, state->reduced, 0);
        int64_t waiting = state->standing - state->reduced;
        s->tell(s->data, IOT_WAITING, row, time, time + 1, waiting > 0 ? waiting : 0,
                state->standing);
        state->standing += (int64_t)state->created - state->reduced;
        state->since = time + 1;
        state->reduced = state->created = 0;
    }
    s->ntouched = 0;
}

// Sweeps reductions [first, last), which are whole steps. only: a row, or IOT_NONE for every row.
static void sweep_reductions(sweep *s, uint32_t first, uint32_t last, uint32_t only)
{
    const iot *a = s->a;
    uint32_t all = a->nmodules;
    for (uint32_t r = first; r < last; r++) {
        int64_t time = trace_time(a->t, r);
        if (r > 0) {
            uint32_t module = a->processes[process_of(a, r)].module;
            if (only == IOT_NONE || only == module)
                touch(s, module, 1, 0);
            if (only == IOT_NONE || only == all)
                touch(s, all, 1, 0);
        }
        uint32_t end = trace_first_goal(a->t, r + 1);
        for (uint32_t g = trace_first_goal(a->t, r); g < end; g++) {
            uint32_t module = only == all ? all : iot_module_of_goal(a, g);
            if (module != all && (only == IOT_NONE || only == module))
                touch(s, module, 0, 1);
            if (only == IOT_NONE || only == all)
                touch(s, all, 0, 1);
        }
        if (r + 1 == last || trace_time(a->t, r + 1) != time)
            end_step(s, time);
    }
}

// Tells the standing goals from the last change of the row to `to`.
static void end_row(sweep *s, uint32_t row, int64_t to)
{
    row_state *state = &s->rows[row];
    if (to > state->since)
        s->tell(s->data, IOT_WAITING, row, state->since, to, state->standing, state->standing);
}

// ---------------------------------------------------------------------------------------------
// Building

static void add_value(iot_bucket *b, int64_t steps, int64_t value)
{
    b->sum += (uint64_t)steps * (uint64_t)value;
    if ((uint64_t)value > b->peak)
        b->peak = (uint64_t)value;
}

static void add_segment(void *data, iot_quantity q, uint32_t row, int64_t from, int64_t to,
                        int64_t value, int64_t standing)
{
    profile *p = data;
    iot_bucket *base = p->of[q].levels[0] + (size_t)row * p->nbase;
    uint64_t *stands = p->standing + (size_t)row * p->nbase;
    for (int64_t i = from / p->width; i * p->width < to; i++) {
        int64_t start = i * p->width, end = start + p->width;
        if (q == IOT_WAITING && start >= from)
            stands[i] = (uint64_t)standing;
        add_value(&base[i], (to < end ? to : end) - (from > start ? from : start), value);
    }
}

static uint32_t level_count(const profile *p, uint32_t level)
{
    uint32_t n = p->nbase;
    while (level--)
        n = (n + 1) / 2;
    return n;
}

static void make_levels(profile *p, summary *s)
{
    for (uint32_t l = 1; l < p->nlevels; l++) {
        uint32_t below = level_count(p, l - 1), n = level_count(p, l);
        s->levels[l] = base_allocate((size_t)n * p->nrows, sizeof *s->levels[l]);
        for (uint32_t row = 0; row < p->nrows; row++) {
            const iot_bucket *from = s->levels[l - 1] + (size_t)row * below;
            iot_bucket *to = s->levels[l] + (size_t)row * n;
            for (uint32_t i = 0; i < below; i++) {
                to[i / 2].sum += from[i].sum;
                if (from[i].peak > to[i / 2].peak)
                    to[i / 2].peak = from[i].peak;
            }
        }
    }
}

// With base buckets of so many steps.
static void make_base(profile *p, int64_t width)
{
    p->width = width;
    p->nbase = (uint32_t)(p->end / p->width + 1);
    for (p->nlevels = 1; level_count(p, p->nlevels - 1) > 1; p->nlevels++)
        ;
    for (int q = 0; q < 2; q++) {
        p->of[q].levels = base_allocate(p->nlevels, sizeof *p->of[q].levels);
        p->of[q].levels[0] = base_allocate((size_t)p->nbase * p->nrows, sizeof(iot_bucket));
    }
    p->standing = base_allocate((size_t)p->nbase * p->nrows, sizeof *p->standing);
}

static void size_profile(const iot *a, profile *p, iot_clock clock)
{
    p->clock = clock;
    p->end = iot_end(a, clock);
    p->nrows = a->nmodules + 1;
    uint32_t most = CELLS / p->nrows;
    most = most < MIN_BASE ? MIN_BASE : most;
    make_base(p, p->end / most + 1);
}

void iot_copy_profile(iot *a, const trace_summary *s)
{
    profile *p = &a->profiles.virtual_time;
    p->clock = IOT_VIRTUAL_TIME;
    p->end = s->span;
    p->nrows = s->nmodules + 1;
    make_base(p, s->width);
    for (uint32_t row = 0; row < p->nrows; row++)
        for (uint32_t i = 0; i < p->nbase; i++) {
            const trace_sum_row *from = &s->rows[row];
            size_t at = (size_t)row * p->nbase + i;
            p->of[IOT_REDUCTIONS].levels[0][at] = (iot_bucket){from->reduced[i], from->most_reduced[i]};
            p->of[IOT_WAITING].levels[0][at] = (iot_bucket){from->waiting[i], from->most_waiting[i]};
        }
    for (int q = 0; q < 2; q++)
        make_levels(p, &p->of[q]);
}

// Of an overview, which has no steps: the part of the bucket's sum, as if all its steps were alike.
static void share_bucket(const profile *p, iot_quantity q, uint32_t row, int64_t from, int64_t to,
                         iot_bucket *ret)
{
    const iot_bucket *b = &p->of[q].levels[0][(size_t)row * p->nbase + (size_t)(from / p->width)];
    double part = (double)(to - from) / (double)p->width;
    ret->sum += (uint64_t)((double)b->sum * part);
    if (b->peak > ret->peak)
        ret->peak = b->peak;
}

static void finish_profile(iot *a)
{
    profile *p = &a->profiles.virtual_time;
    for (int q = 0; q < 2; q++)
        make_levels(p, &p->of[q]);
    for (uint32_t m = 0; m < a->nmodules; m++)
        a->modules[m].peak = p->of[IOT_REDUCTIONS].levels[p->nlevels - 1][m].peak;
}

bool iot_build_profile(iot *a, iot_progress progress, void *data)
{
    profile *p = &a->profiles.virtual_time;
    size_profile(a, p, IOT_VIRTUAL_TIME);
    if (trace_is_measured(a->t)) {
        iot_build_measured_profile(a, p);
        finish_profile(a);
        return !progress || progress(data, 0.9);
    }
    sweep s = {.a = a, .tell = add_segment, .data = p};
    s.rows = base_allocate(p->nrows, sizeof *s.rows);
    s.touched = base_allocate(p->nrows, sizeof *s.touched);
    bool go_on = true;
    for (uint32_t first = 0; first < a->n && go_on;) {
        uint32_t last = a->n - first > 1u << 20 ? first + (1u << 20) : a->n;
        while (last < a->n && trace_time(a->t, last) == trace_time(a->t, last - 1))
            last++;
        sweep_reductions(&s, first, last, IOT_NONE);
        first = last;
        go_on = !progress || progress(data, 0.6 + 0.3 * last / a->n);
    }
    for (uint32_t row = 0; row < p->nrows; row++)
        end_row(&s, row, a->span + 1);
    free(s.rows);
    free(s.touched);
    finish_profile(a);
    return go_on;
}

const profile *iot_ensure_profile(iot *a, iot_clock clock)
{
    profile *p = &a->profiles.real_time;
    if (clock == IOT_VIRTUAL_TIME || !iot_has_real_time(a->t))
        return &a->profiles.virtual_time;
    // Pictures ask for it while other things are computed under the lock.
    if (__atomic_load_n(&a->profiles.have_real_time, __ATOMIC_ACQUIRE))
        return p;
    pthread_mutex_lock(&a->lock);
    if (!a->profiles.have_real_time) {
        size_profile(a, p, clock);
        iot_build_measured_profile(a, p);
        for (int q = 0; q < 2; q++)
            make_levels(p, &p->of[q]);
        __atomic_store_n(&a->profiles.have_real_time, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&a->lock);
    return p;
}

static void destroy_one(profile *p)
{
    for (int q = 0; q < 2; q++) {
        for (uint32_t l = 0; p->of[q].levels && l < p->nlevels; l++)
            free(p->of[q].levels[l]);
        free(p->of[q].levels);
    }
    free(p->standing);
    free(p->running);
    free(p->begins);
    free(p->ends);
    free(p->makes);
}

void iot_destroy_profiles(iot *a)
{
    destroy_one(&a->profiles.virtual_time);
    destroy_one(&a->profiles.real_time);
}

// ---------------------------------------------------------------------------------------------
// Asking

static void merge(iot_bucket *into, const iot_bucket *b)
{
    into->sum += b->sum;
    if (b->peak > into->peak)
        into->peak = b->peak;
}

// Base buckets [i, j): climbs the levels, taking the odd one at either end of each.
static void sum_base(const profile *p, iot_quantity q, uint32_t row, uint32_t i, uint32_t j,
                     iot_bucket *ret)
{
    for (uint32_t l = 0; i < j; l++, i /= 2, j /= 2) {
        const iot_bucket *level = p->of[q].levels[l] + (size_t)row * level_count(p, l);
        if (i & 1)
            merge(ret, &level[i++]);
        if (i < j && (j & 1))
            merge(ret, &level[--j]);
    }
}

typedef struct {
    iot_quantity quantity;
    int64_t from, to;
    iot_bucket *ret;
} clip;

static void add_clipped(void *data, iot_quantity q, uint32_t row, int64_t from, int64_t to,
                        int64_t value, int64_t standing)
{
    (void)row;
    (void)standing;
    clip *c = data;
    from = from > c->from ? from : c->from;
    to = to < c->to ? to : c->to;
    if (q == c->quantity && from < to)
        add_value(c->ret, to - from, value);
}

// First reduction at or after the time.
static uint32_t reduction_at(const iot *a, int64_t time)
{
    size_t first;
    FIRST_NOT(first, a->n, i, trace_time(a->t, (uint32_t)i) < time);
    return (uint32_t)first;
}

// Steps [from, to) of one base bucket, read from the run.
static void sum_steps(const iot *a, const profile *p, iot_quantity q, uint32_t row, int64_t from,
                      int64_t to, iot_bucket *ret)
{
    if (a->overview) {
        share_bucket(p, q, row, from, to, ret);
        return;
    }
    if (trace_is_measured(a->t) || p->clock == IOT_REAL_TIME) {
        iot_sum_measured_profile(a, p, q, row, from, to, ret);
        return;
    }
    int64_t bucket = from / p->width;
    clip c = {q, from, to, ret};
    sweep s = {.a = a, .tell = add_clipped, .data = &c};
    uint32_t touched[1];
    s.touched = touched;
    row_state *rows = base_allocate(p->nrows, sizeof *rows);
    rows[row].since = bucket * p->width;
    rows[row].standing = (int64_t)p->standing[(size_t)row * p->nbase + (size_t)bucket];
    s.rows = rows;
    sweep_reductions(&s, reduction_at(a, rows[row].since), reduction_at(a, to), row);
    end_row(&s, row, to);
    free(rows);
}

// Of an overview with a stretch: steps that are buckets of it. False: they are none.
static bool sum_stretch(const iot *a, const profile *p, iot_quantity q, uint32_t row, int64_t from, int64_t to,
                        iot_bucket *ret)
{
    const trace_sum_stretch *s = a->overview ? trace_get_stretch(a->t) : NULL;
    if (!s || from < s->from || to > s->from + s->n * s->width || (from - s->from) % s->width != 0 ||
        ((to - s->from) % s->width != 0 && to != p->end + 1))
        return false;
    const trace_sum_bucket *b = s->rows + (size_t)row * s->n;
    for (int64_t i = (from - s->from) / s->width; s->from + i * s->width < to; i++) {
        iot_bucket is = {b[i].reduced, b[i].most_reduced};
        if (q == IOT_WAITING)
            is = (iot_bucket){b[i].waiting, b[i].most_waiting};
        merge(ret, &is);
    }
    return true;
}

static void sum_range(const iot *a, const profile *p, iot_quantity q, uint32_t row, int64_t from,
                      int64_t to, iot_bucket *ret)
{
    from = from < 0 ? 0 : from;
    to = to > p->end + 1 ? p->end + 1 : to;
    if (from >= to || sum_stretch(a, p, q, row, from, to, ret))
        return;
    int64_t i = (from + p->width - 1) / p->width, j = to / p->width;
    if (to == p->end + 1)
        j = p->nbase; // the last base bucket reaches beyond the run
    if (i > j) {
        sum_steps(a, p, q, row, from, to, ret);
        return;
    }
    if (from < i * p->width)
        sum_steps(a, p, q, row, from, i * p->width < to ? i * p->width : to, ret);
    sum_base(p, q, row, (uint32_t)i, (uint32_t)j, ret);
    if (j * p->width < to)
        sum_steps(a, p, q, row, j * p->width, to, ret);
}

void iot_profile_by(const iot *a, iot_clock clock, iot_quantity quantity, uint32_t module,
                    int64_t from, int64_t width, uint32_t n, iot_bucket *ret_buckets)
{
    const profile *p = iot_ensure_profile((iot *)a, clock);
    uint32_t row = module == IOT_NONE ? a->nmodules : module;
    memset(ret_buckets, 0, n * sizeof *ret_buckets);
    for (uint32_t i = 0; i < n; i++) {
        int64_t start = from + (int64_t)i * width;
        sum_range(a, p, quantity, row, start, start + width, &ret_buckets[i]);
    }
}

void iot_profile(const iot *a, iot_quantity quantity, uint32_t module, int64_t from, int64_t width,
                 uint32_t n, iot_bucket *ret_buckets)
{
    iot_profile_by(a, IOT_VIRTUAL_TIME, quantity, module, from, width, n, ret_buckets);
}

// ---------------------------------------------------------------------------------------------
// All rows at once: one sweep, in parts that several processors take. A part begins at a base bucket, where
// the standing goals of every row are known.

#define PARTS 16u

typedef struct {
    const iot *a;
    const profile *p;
    iot_quantity quantity;
    int64_t from, width;
    uint32_t n;
    iot_bucket *ret; // by row and bucket
} all_rows;

typedef struct {
    const all_rows *x;
    int64_t from, to; // steps
} part_of_rows;

static void add_to_row(void *data, iot_quantity q, uint32_t row, int64_t from, int64_t to, int64_t value,
                       int64_t standing)
{
    (void)standing;
    const part_of_rows *part = data;
    const all_rows *x = part->x;
    from = from > part->from ? from : part->from;
    to = to < part->to ? to : part->to;
    if (q != x->quantity || from >= to)
        return;
    iot_bucket *buckets = x->ret + (size_t)row * x->n;
    for (int64_t i = (from - x->from) / x->width; from < to; i++) {
        int64_t end = x->from + (i + 1) * x->width;
        end = end < to ? end : to;
        add_value(&buckets[i], end - from, value);
        from = end;
    }
}

// Steps of buckets [first, last), as far as the run has them.
static void sweep_part(void *data, uint32_t job)
{
    const all_rows *x = data;
    const profile *p = x->p;
    uint32_t first = (uint32_t)((uint64_t)x->n * job / PARTS);
    uint32_t last = (uint32_t)((uint64_t)x->n * (job + 1) / PARTS);
    part_of_rows part = {x, x->from + first * x->width, x->from + last * x->width};
    part.from = part.from < 0 ? 0 : part.from;
    part.to = part.to > p->end + 1 ? p->end + 1 : part.to;
    if (part.from >= part.to)
        return;
    int64_t bucket = part.from / p->width, since = bucket * p->width;
    sweep s = {.a = x->a, .tell = add_to_row, .data = &part};
    s.rows = base_allocate(p->nrows, sizeof *s.rows);
    s.touched = base_allocate(p->nrows, sizeof *s.touched);
    for (uint32_t row = 0; row < p->nrows; row++) {
        s.rows[row].since = since;
        s.rows[row].standing = (int64_t)p->standing[(size_t)row * p->nbase + (size_t)bucket];
    }
    sweep_reductions(&s, reduction_at(x->a, since), reduction_at(x->a, part.to), IOT_NONE);
    for (uint32_t row = 0; row < p->nrows; row++)
        end_row(&s, row, part.to);
    free(s.rows);
    free(s.touched);
}

// Row by row the ends of each bucket are swept, at most a base bucket at either end.
static bool is_one_sweep_less(const iot *a, const profile *p, int64_t width)
{
    bool stepwise = !a->overview && !trace_is_measured(a->t) && p->clock == IOT_VIRTUAL_TIME;
    return stepwise && p->width > 1 && width < p->width * p->nrows;
}

// Of an overview that was made from the reductions: sums, if these are the stretches that it has.
static bool copy_stretches(const iot *a, iot_quantity quantity, int64_t from, int64_t width, uint32_t n,
                           iot_bucket *ret)
{
    const trace_summary *s = a->overview ? trace_get_summary(a->t) : NULL;
    if (!s || !s->has_more || quantity != IOT_REDUCTIONS || from != 1 || width != s->step_width ||
        n != s->nsteps)
        return false;
    for (size_t i = 0; i < (a->nmodules + (size_t)1) * n; i++)
        ret[i] = (iot_bucket){.sum = s->in_steps[i]};
    return true;
}

void iot_profiles_by(const iot *a, iot_clock clock, iot_quantity quantity, int64_t from, int64_t width,
                     uint32_t n, iot_bucket *ret_buckets)
{
    const profile *p = iot_ensure_profile((iot *)a, clock);
    if (copy_stretches(a, quantity, from, width, n, ret_buckets))
        return;
    if (!is_one_sweep_less(a, p, width)) {
        for (uint32_t row = 0; row < p->nrows; row++)
            iot_profile_by(a, clock, quantity, row < a->nmodules ? row : IOT_NONE, from, width, n,
                           ret_buckets + (size_t)row * n);
        return;
    }
    all_rows x = {a, p, quantity, from, width, n, ret_buckets};
    memset(ret_buckets, 0, (size_t)p->nrows * n * sizeof *ret_buckets);
    iot_run_jobs(PARTS, sweep_part, NULL, &x);
}
