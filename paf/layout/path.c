// SPDX-License-Identifier: MIT
//
// The critical path: a strip that tells at each time which module has it, and a line through the curve and
// the boxes where it changes seldom enough for the pixels there are.
#include "paf/layout/lanes.h"
#include "paf/layout/path.h"
#include "paf/model/real_times.h"
#include "base/search.h"
#include "paf/say/numbers.h"

#include <math.h>

#define STRIP     6.0 // its height
#define SAMPLES   5u  // steps of a pixel that are asked which module they are of
#define STEP_ROOM 0.5 // pixels for each step, at least, for a line through the boxes
#define BOX_ROOM  14.0 // pixels for each turn of a line from box to box
#define TURN_ROOM 5.0  // of a line from lane to lane

static int64_t time_of(const paf_drawing *d, uint32_t step)
{
    return paf_reduced(d->m, d->v->clock, iot_critical_step(d->m->a, step).reduction);
}

// Steps are counted from the end of the run: the first one that is before `time`.
static uint32_t step_before(const paf_drawing *d, double time)
{
    // By virtual time nearly always each step of the run is one of the path.
    uint32_t n = iot_critical_length(d->m->a);
    double guess = (double)d->m->span - ceil(time) + 1;
    if (guess >= 1 && guess < n && (double)time_of(d, (uint32_t)guess) < time &&
        (double)time_of(d, (uint32_t)guess - 1) >= time)
        return (uint32_t)guess;
    size_t first;
    FIRST_NOT(first, n, i, (double)time_of(d, (uint32_t)i) >= time);
    return (uint32_t)first;
}

static uint32_t module_of(const paf_drawing *d, uint32_t step)
{
    uint32_t process = iot_process_of(d->m->a, iot_critical_step(d->m->a, step).reduction);
    return process == IOT_NONE ? IOT_NONE : iot_get_process(d->m->a, process)->module;
}

// The module of most of these steps, later [to, from) earlier; of many, of samples.
static uint32_t main_module(const paf_drawing *d, uint32_t to, uint32_t from)
{
    uint32_t seen[SAMPLES], counts[SAMPLES], n = 0, best = 0, every = (from - to) / SAMPLES + 1;
    for (uint32_t i = to; i < from; i += every) {
        uint32_t module = module_of(d, i), k = 0;
        while (k < n && seen[k] != module)
            k++;
        if (k == n) {
            seen[n] = module;
            counts[n++] = 0;
        }
        if (++counts[k] > counts[best])
            best = k;
    }
    return n ? seen[best] : IOT_NONE;
}

uint32_t *paf_path_modules(const paf_drawing *d, double from, double width, uint32_t n, uint32_t *ret_turns)
{
    uint32_t *modules = g_new(uint32_t, n), next = step_before(d, from), turns = 0, last = IOT_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = step_before(d, from + (i + 1) * width);
        modules[i] = end < next ? main_module(d, end, next) : IOT_NONE;
        turns += modules[i] != IOT_NONE && modules[i] != last;
        last = modules[i] == IOT_NONE ? last : modules[i];
        next = end;
    }
    *ret_turns = turns;
    return modules;
}

// The path of a measured run is that of its replay: by real time its steps are not one after the other. The
// view of parallelism alone has none: it may be drawn from a summary, which does not tell the path.
bool paf_has_path(const paf_drawing *d)
{
    bool replayed = trace_is_measured(d->m->t) && d->v->clock == IOT_REAL_TIME;
    return d->v->path && d->v->kind != PAF_VIEW_PARALLELISM && !replayed && iot_critical_length(d->m->a) > 0;
}

// ---------------------------------------------------------------------------------------------
// The strip

// Where no step of the path ends in a pixel, the one that ends next is under way. after: of the first step
// behind all pixels.
static void fill_gaps(uint32_t *modules, uint32_t n, uint32_t after)
{
    if (modules[n - 1] == IOT_NONE)
        modules[n - 1] = after;
    for (uint32_t i = n - 1; i-- > 0;)
        if (modules[i] == IOT_NONE)
            modules[i] = modules[i + 1];
}

void paf_draw_path_strip(paf_drawing *d, double y)
{
    if (!paf_has_path(d))
        return;
    uint32_t n = (uint32_t)fmax(d->f.plot_w, 1), turns;
    double width = (d->v->to - d->v->from) / n, left = d->f.plot_x, end = paf_end(d->m, d->v->clock);
    double first = d->v->clock == IOT_VIRTUAL_TIME ? 0.5 : 0; // steps are around their times
    uint32_t *modules = paf_path_modules(d, d->v->from - 0.5, width, n, &turns);
    uint32_t behind = step_before(d, d->v->to - 0.5);
    fill_gaps(modules, n, behind > 0 ? module_of(d, behind - 1) : IOT_NONE);
    for (uint32_t i = 0, to; i < n; i = to) {
        for (to = i + 1; to < n && modules[to] == modules[i];)
            to++;
        double right = fmin(left + to, paf_x(d, end + 0.5));
        double begin = fmax(left + i, paf_x(d, first));
        if (modules[i] == IOT_NONE || right <= begin)
            continue;
        paf_box(d->pic, begin, y, right - begin, STRIP);
        paf_fill(d->pic, paf_colour_of(d, modules[i]), paf_pattern_of(d, modules[i]));
    }
    g_free(modules);
    double x = d->f.chart.x + 14;
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y + STRIP + 1, d->f.plot_x - x - 8, 0,
              "critical path");
    paf_add_hit(d->pic, (paf_rect){d->f.plot_x, y - 3, d->f.plot_w, STRIP + 6}, PAF_HIT_PATH, 0, 0);
}

uint32_t paf_path_step_at(const paf_model *m, iot_clock clock, double time)
{
    uint32_t n = iot_critical_length(m->a);
    size_t first;
    FIRST_NOT(first, n, i,
              (double)paf_reduced(m, clock, iot_critical_step(m->a, (uint32_t)i).reduction) > time + 0.5);
    return n == 0 ? IOT_NONE : iot_critical_step(m->a, MIN((uint32_t)first, n - 1)).reduction;
}

// ---------------------------------------------------------------------------------------------
// The line through the boxes

typedef struct {
    double x, y;
} point;

// boxes: in the middle of its box, else of its lane.
static bool place_step(const paf_drawing *d, const paf_lanes *l, uint32_t step, bool boxes, point *ret)
{
    uint32_t r = iot_critical_step(d->m->a, step).reduction, process = iot_process_of(d->m->a, r);
    uint32_t index = process == IOT_NONE ? IOT_NONE : paf_lane_of(d, l, process);
    if (index == IOT_NONE)
        return false;
    const paf_lane *lane = paf_lane_at(l, index);
    *ret = (point){paf_x(d, (double)time_of(d, step)), lane->y + lane->h / 2};
    uint32_t node =
        boxes && lane->kind == PAF_LANE_BOXES ? paf_tree_node_with(d->m, lane->tree, r) : IOT_NONE;
    if (node != IOT_NONE && lane->box_of[node] != IOT_NONE) {
        const paf_shape *s = paf_shape_at(l, lane->box_of[node]);
        ret->y = s->y + s->h / 2;
    }
    return true;
}

// Turns halfway between steps. NULL if it would turn more often than there is room.
static GArray *find_points(const paf_drawing *d, const paf_lanes *l, bool boxes)
{
    uint32_t from = step_before(d, d->v->from), to = step_before(d, d->v->to + 1);
    from = MIN(from + 1, iot_critical_length(d->m->a));
    to -= to > 0;
    if ((from - to) * STEP_ROOM > d->f.plot_w * 4)
        return NULL;
    GArray *points = g_array_new(FALSE, FALSE, sizeof(point));
    uint32_t turns = 0;
    for (uint32_t i = from; i-- > to;) {
        point p;
        if (!place_step(d, l, i, boxes, &p))
            continue;
        turns += points->len && g_array_index(points, point, points->len - 1).y != p.y;
        g_array_append_val(points, p);
    }
    if (points->len > 1 && turns * (boxes ? BOX_ROOM : TURN_ROOM) <= d->f.plot_w)
        return points;
    g_array_unref(points);
    return NULL;
}

static void line_path(paf_drawing *d, const GArray *points)
{
    point last = g_array_index(points, point, 0);
    paf_move(d->pic, last.x - d->zoom / 2, last.y);
    for (guint i = 1; i < points->len; i++) {
        point p = g_array_index(points, point, i);
        if (p.y != last.y) {
            double x = (p.x + last.x) / 2;
            paf_line(d->pic, x, last.y);
            paf_line(d->pic, x, p.y);
        }
        last = p;
    }
    paf_line(d->pic, last.x + d->zoom / 2, last.y);
}

void paf_draw_path(paf_drawing *d, const paf_lanes *l)
{
    GArray *points = paf_has_path(d) ? find_points(d, l, true) : NULL;
    if (!points && paf_has_path(d))
        points = find_points(d, l, false);
    if (!points)
        return;
    line_path(d, points);
    paf_stroke(d->pic, paf_alpha(d->theme->lane, 0.7), 3);
    line_path(d, points);
    paf_stroke(d->pic, paf_alpha(d->theme->ink, 0.8), 1.4);
    g_array_unref(points);
}
