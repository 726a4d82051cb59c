// SPDX-License-Identifier: MIT
//
// What a page draws of a run by one clock: parallelism, the critical path, where findings are. A larger run
// is reduced to so many values; the page says so.
#include "iotree/findings.h"
#include "paf/model/focus.h"
#include "paf/model/real_times.h"
#include "paf/page/page_private.h"

#define LAYERS      13     // modules with a curve of their own; the others share one
#define MOST_VALUES 120000 // of all curves together
#define LEAST_N     2048
#define MOST_N      16384
#define MOST_PATH   6000 // stretches of the critical path
#define SCALE       1000 // of means that are not whole

// ---- Parallelism ----------------------------------------------------------------------------

static uint64_t value_of(uint64_t sum, int64_t width)
{
    return width == 1 ? sum : (uint64_t)((double)sum * SCALE / (double)width + 0.5);
}

// Zeros are frequent: n of them in a row are written as -n.
static json_t *curve_json(const uint64_t *sums, uint32_t n, int64_t width)
{
    json_t *array = json_array();
    int64_t zeros = 0;
    for (uint32_t i = 0; i <= n; i++) {
        uint64_t v = i < n ? value_of(sums[i], width) : 1;
        if (v == 0) {
            zeros++;
            continue;
        }
        if (zeros)
            paf_page_add(array, -zeros);
        zeros = 0;
        if (i < n)
            paf_page_add(array, (int64_t)v);
    }
    return array;
}

static json_t *curves_json(const paf_page_maker *p, const iot_bucket *buckets, uint32_t n, int64_t width)
{
    uint32_t own = MIN(p->m->nmodules, LAYERS);
    json_t *array = json_array();
    uint64_t *sums = g_new(uint64_t, n), *rest = g_new0(uint64_t, n);
    for (uint32_t rank = 0; rank < p->m->nmodules; rank++) {
        const iot_bucket *of = buckets + (size_t)p->m->order[rank] * n;
        for (uint32_t i = 0; i < n; i++) {
            sums[i] = of[i].sum;
            rest[i] += rank < own ? 0 : of[i].sum;
        }
        if (rank < own)
            json_array_append_new(array, curve_json(sums, n, width));
    }
    if (p->m->nmodules > own)
        json_array_append_new(array, curve_json(rest, n, width));
    g_free(sums);
    g_free(rest);
    return array;
}

static void set_curves(paf_page_maker *p, iot_clock clock, int64_t end, json_t *view)
{
    uint32_t most = MOST_VALUES / (MIN(p->m->nmodules, LAYERS) + 2);
    most = CLAMP(most, LEAST_N, MOST_N);
    int64_t width = (end + most) / most;
    uint32_t n = (uint32_t)(end / width) + 1;
    iot_bucket *buckets = g_new(iot_bucket, (size_t)(p->m->nmodules + 1) * n);
    iot_profiles_by(p->a, clock, IOT_REDUCTIONS, 0, width, n, buckets);
    json_object_set_new(view, "width", json_integer(width));
    json_object_set_new(view, "n", json_integer(n));
    json_object_set_new(view, "scale", json_integer(width == 1 ? 1 : SCALE));
    json_object_set_new(view, "curves", curves_json(p, buckets, n, width));
    g_free(buckets);
    if (width > 1 && clock == IOT_VIRTUAL_TIME) {
        char *steps = paf_number((uint64_t)width);
        paf_page_remark(p, "The curves are means of %s steps each.", steps);
        g_free(steps);
    }
}

// ---- The critical path ----------------------------------------------------------------------

// Stretches of one process: its module's rank, the process, when it ends. Short ones are taken together
// with what is before them where there are too many.
static json_t *path_json(paf_page_maker *p, iot_clock clock, int64_t end)
{
    json_t *array = json_array();
    uint32_t n = iot_critical_length(p->a);
    int64_t least = n > MOST_PATH ? end / MOST_PATH : 0, written = 0, last = 0;
    uint32_t process = IOT_NONE;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t reduction = iot_critical_step(p->a, i).reduction, now = iot_process_of(p->a, reduction);
        int64_t time = paf_reduced(p->m, clock, reduction);
        if (now == IOT_NONE)
            continue;
        if (process != IOT_NONE && now != process && last - written >= least) {
            paf_page_add(array, p->rank[iot_get_process(p->a, process)->module]);
            paf_page_add(array, process);
            paf_page_add(array, last);
            written = last;
            process = now;
        } else if (process == IOT_NONE) {
            process = now;
        }
        last = MAX(last, time);
    }
    if (process != IOT_NONE) {
        paf_page_add(array, p->rank[iot_get_process(p->a, process)->module]);
        paf_page_add(array, process);
        paf_page_add(array, last);
    }
    return array;
}

// ---- Findings -------------------------------------------------------------------------------

static bool is_place(const paf_page_maker *p, iot_clock clock)
{
    return trace_is_measured(p->t) || clock == IOT_REAL_TIME;
}

// By note and finding: from, to, row, when the one that cost most was; null: it has no place in the run.
static json_t *focus_json(const paf_page_maker *p, iot_clock clock)
{
    json_t *array = json_array();
    uint32_t n = iot_nnotes(p->a) + iot_nfindings(p->a, false);
    for (uint32_t i = 0; i < n; i++) {
        paf_focus *f = paf_focus_on_finding(p->m, clock, i);
        if (!f) {
            json_array_append_new(array, json_null());
            continue;
        }
        json_t *o = json_array();
        uint32_t r = f->longest;
        paf_page_add(o, f->from);
        paf_page_add(o, f->to);
        paf_page_add(o, r == IOT_NONE               ? -1
                        : is_place(p, clock)        ? (int64_t)trace_place(p->t, r)
                        : iot_process_of(p->a, r) == IOT_NONE ? -1
                                                    : (int64_t)iot_process_of(p->a, r));
        paf_page_add(o, r == IOT_NONE ? -1 : paf_reduced(p->m, clock, r));
        json_array_append_new(array, o);
        paf_focus_unref(f);
    }
    return array;
}

json_t *paf_page_view(paf_page_maker *p, iot_clock clock)
{
    json_t *view = json_object();
    int64_t end = MAX(iot_end(p->a, clock), 1);
    bool steps = clock == IOT_VIRTUAL_TIME && !trace_is_measured(p->t);
    json_object_set_new(view, "name", json_string(clock == IOT_VIRTUAL_TIME ? "virtual time" : "real time"));
    json_object_set_new(view, "unit", json_string(steps ? "steps" : "ns"));
    json_object_set_new(view, "end", json_integer(end));
    set_curves(p, clock, end, view);
    json_object_set_new(view, "path", path_json(p, clock, end));
    json_object_set_new(view, "focus", focus_json(p, clock));
    if (is_place(p, clock))
        paf_page_places(p, view);
    else
        paf_page_processes(p, clock, view);
    return view;
}
