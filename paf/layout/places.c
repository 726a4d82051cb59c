// SPDX-License-Identifier: MIT
//
// Where a real run ran: a row for each worker over real time, filled in proportion to how busy the
// worker was, in the colours of the modules. Of a simulated run: a row for each processor over its
// steps, in which a processor may also wait.
#include "iotree/simulate.h"
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LAYERS 12 // modules with a colour of their own; the rest make one grey layer
#define LEGEND 28.0
#define AXIS   28.0
#define LABELS 96.0
#define LEAST  10.0 // height of a row
#define MOST   44.0

// Busy time by row, column of a pixel and layer, as a share of the column. In the last layer
// processors wait; the one before has the modules without a colour of their own.
typedef struct {
    paf_rect plot;
    const iot_schedule *schedule; // NULL: as it ran
    double shift;                 // of a schedule: step s is drawn from s + shift on
    uint32_t rows, columns, layers;
    float *busy;
    double *sums, *waited; // by row, in the window's unit of time; sums: without waiting
} places;

static uint32_t count_rows(const paf_drawing *d, const iot_schedule *s)
{
    return s ? iot_schedule_processors(s) : trace_nplaces(d->m->t);
}

static uint32_t layer_of(const places *p, const paf_model *m, uint32_t module)
{
    uint32_t rank = m->rank[module];
    return rank < p->layers - 2 ? rank : p->layers - 2;
}

static void add(const paf_drawing *d, places *p, uint32_t row, double start, double end,
                uint32_t layer)
{
    start = fmax(start, d->v->from);
    end = fmin(end, d->v->to);
    if (row >= p->rows || end <= start)
        return;
    float *busy = p->busy + (size_t)row * p->columns * p->layers + layer;
    double zoom = p->plot.w / (d->v->to - d->v->from);
    double x0 = (start - d->v->from) * zoom, x1 = (end - d->v->from) * zoom;
    for (uint32_t c = (uint32_t)x0; c < p->columns && (double)c < x1; c++)
        busy[(size_t)c * p->layers] += (float)(fmin(x1, (double)c + 1) - fmax(x0, (double)c));
    *(layer < p->layers - 1 ? &p->sums[row] : &p->waited[row]) += end - start;
}

static void add_reduction(const paf_drawing *d, places *p, uint32_t r)
{
    const trace *t = d->m->t;
    const iot_schedule *s = p->schedule;
    uint32_t goal = trace_reduction_goal(t, r);
    uint32_t layer =
        layer_of(p, d->m, goal == TRACE_NONE ? 0 : iot_module_of_goal(d->m->a, goal));
    if (!s) {
        add(d, p, trace_place(t, r), (double)trace_start(t, r), (double)trace_end(t, r), layer);
        return;
    }
    double unit = (double)s->unit, start = (double)s->starts[r] / unit + p->shift;
    add(d, p, s->places[r], (double)s->waited[r] / unit + p->shift, start, p->layers - 1);
    add(d, p, s->places[r], start, (double)iot_schedule_end(s, r) / unit + p->shift, layer);
}

// The columns of one row and layer: equal neighbours make one box.
static void draw_layer(const paf_drawing *d, const places *p, uint32_t row, uint32_t layer,
                       double y, double h)
{
    const float *busy = p->busy + (size_t)row * p->columns * p->layers;
    double from = 0, bottom = 0, height = 0;
    for (uint32_t c = 0; c <= p->columns; c++) {
        double below = 0, here = 0;
        for (uint32_t l = 0; c < p->columns && l < layer; l++)
            below += busy[(size_t)c * p->layers + l];
        if (c < p->columns)
            here = fmin(busy[(size_t)c * p->layers + layer], fmax(1 - below, 0));
        if (fabs(here - height) < 0.01 && fabs(below - bottom) < 0.01)
            continue;
        if (height > 0)
            paf_box(d->pic, p->plot.x + from, y + h * (1 - bottom - height), (double)c - from,
                    h * height);
        from = c;
        bottom = below;
        height = here;
    }
    bool waits = layer == p->layers - 1, rest = layer == p->layers - 2;
    uint32_t module = waits || rest ? 0 : d->m->order[layer];
    paf_fill(d->pic,
             waits  ? paf_alpha(d->theme->faint, d->theme->dark ? 0.45 : 0.35)
             : rest ? d->theme->bars
                    : paf_colour_of(d, module),
             waits || rest ? 0 : paf_pattern_of(d, module));
}

static void draw_bar(const paf_drawing *d, const places *p, uint32_t row, double pitch)
{
    double y = p->plot.y + row * pitch, h = round(pitch * 0.8);
    paf_box(d->pic, p->plot.x, y, p->plot.w, h);
    paf_fill(d->pic, d->theme->track, 0);
    for (uint32_t l = 0; l < p->layers; l++)
        draw_layer(d, p, row, l, y, h);
}

static void draw_row(const paf_drawing *d, const places *p, uint32_t row, double pitch)
{
    double y = p->plot.y + row * pitch, h = round(pitch * 0.8);
    draw_bar(d, p, row, pitch);
    const char *named = d->v->schedule ? NULL : trace_place_name(d->m->t, row);
    char *name = named ? g_strdup(named)
                       : g_strdup_printf(d->v->schedule ? "processor %u" : "worker %u", row);
    char *share = paf_percent(p->sums[row], d->v->to - d->v->from);
    paf_write_name(d->pic, PAF_TEXT_SMALL, d->theme->ink, p->plot.x - 10, y + h / 2 + 4,
                   LABELS - 14, 1, name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + p->plot.w + 8, y + h / 2 + 4, 0,
              0, share);
    g_free(name);
    g_free(share);
}

// "2.5 ms"
static char *moment(double nanoseconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(units); i++)
        if (nanoseconds >= units[i].unit)
            return g_strdup_printf("%.6g %s", nanoseconds / units[i].unit, units[i].name);
    return g_strdup_printf("%.0f ns", nanoseconds);
}

static void draw_axis(const paf_drawing *d, const places *p, double bottom)
{
    bool simulated = d->v->schedule != NULL;
    double zoom = p->plot.w / (d->v->to - d->v->from), step = paf_tick_step(84 / zoom);
    if (simulated)
        step = fmax(step, 1);
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step)
        paf_box(d->pic, paf_snap(d->pic, p->plot.x + (t - d->v->from) * zoom), p->plot.y - 6,
                1 / d->v->scale, bottom - p->plot.y + 6);
    paf_fill(d->pic, d->theme->grid, 0);
    for (double t = ceil(d->v->from / step) * step; t <= d->v->to; t += step) {
        char *label = simulated ? paf_number((uint64_t)t) : moment(t);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + (t - d->v->from) * zoom,
                  p->plot.y - 12, 0, 0.5, label);
        g_free(label);
    }
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x - LABELS, p->plot.y - 12,
              LABELS - 40, 0, simulated ? "steps" : "real time");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x + p->plot.w + 8, p->plot.y - 12, 0,
              0, "busy");
}

static void draw_legend(const paf_drawing *d, const places *p, double y)
{
    double x = p->plot.x, right = p->plot.x + p->plot.w;
    for (uint32_t i = 0; i < d->m->nmodules; i++) {
        bool rest = i == p->layers - 2 && d->m->nmodules > p->layers - 1;
        uint32_t module = d->m->order[i];
        const char *name = rest ? "others" : iot_get_module(d->m->a, module)->name;
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, name);
        if (x + 16 + w > right)
            break;
        paf_draw_swatch((paf_drawing *)d, x, y - 9, 10, rest ? IOT_NONE : module);
        x += 16 + paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, x + 16, y, 0, 0, name) + 20;
        if (rest)
            break;
    }
    if (p->schedule && p->schedule->sums.waiting > 0 && x + 16 < right) {
        paf_box(d->pic, x, y - 9, 10, 10);
        paf_fill(d->pic, paf_alpha(d->theme->faint, d->theme->dark ? 0.45 : 0.35), 0);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + 16, y, right - x - 16, 0,
                  "waiting for what another processor made");
    }
}

void paf_draw_places(paf_drawing *d, paf_rect place)
{
    uint32_t n = count_rows(d, d->v->schedule);
    places p = {.schedule = d->v->schedule,
                .plot = {place.x + LABELS, place.y + AXIS, place.w - LABELS - 56,
                         place.h - AXIS - LEGEND}};
    double pitch = CLAMP(floor(p.plot.h / fmax(n, 1)), LEAST, MOST);
    p.rows = MIN(n, (uint32_t)fmax(floor(p.plot.h / pitch), 1));
    p.columns = (uint32_t)fmax(floor(p.plot.w), 1);
    p.plot.w = p.columns;
    p.layers = MIN(d->m->nmodules, LAYERS) + 2;
    p.busy = g_new0(float, (size_t)p.rows * p.columns * p.layers);
    p.sums = g_new0(double, p.rows);
    p.waited = g_new0(double, p.rows);
    for (uint32_t r = 0; r < trace_nreductions(d->m->t); r++)
        add_reduction(d, &p, r);
    double bottom = p.plot.y + p.rows * pitch;
    draw_axis(d, &p, bottom);
    for (uint32_t i = 0; i < p.rows; i++)
        draw_row(d, &p, i, pitch);
    draw_legend(d, &p, bottom + LEGEND - 8);
    if (p.rows < n) {
        char *rest = d->v->schedule
                         ? paf_count(n - p.rows, "more processor", "more processors")
                         : paf_count(n - p.rows, "more worker", "more workers");
        char *text = g_strdup_printf("+%s", rest);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, bottom + LEGEND - 8, LABELS, 0,
                  text);
        g_free(text);
        g_free(rest);
    }
    g_free(p.busy);
    g_free(p.sums);
    g_free(p.waited);
}

// ---------------------------------------------------------------------------------------------
// Below the chart of a history: on its axis, with a line that says what the processors did

#define HEADING 34.0

// The first of the schedule's reductions, in order of their start, that does not start before the time.
static uint32_t first_from(const paf_ghost *ghost, double time)
{
    uint32_t low = 0, high = ghost->run.schedule.n - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)ghost->run.schedule.starts[ghost->by_start[middle]] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_cached(const paf_busy_cache *c, const paf_view *v, const places *p)
{
    return c->busy && c->from == v->from && c->to == v->to && c->rows == p->rows &&
           c->columns == p->columns && c->layers == p->layers;
}

// The arrays belong to the ghost.
static void fill_from_ghost(const paf_drawing *d, places *p)
{
    paf_ghost *ghost = d->v->ghost;
    paf_busy_cache *c = &ghost->cache;
    if (!is_cached(c, d->v, p)) {
        g_free(c->busy);
        g_free(c->sums);
        g_free(c->waited);
        *c = (paf_busy_cache){d->v->from, d->v->to, p->rows, p->columns, p->layers,
                              g_new0(float, (size_t)p->rows * p->columns * p->layers),
                              g_new0(double, p->rows), g_new0(double, p->rows)};
        p->busy = c->busy;
        p->sums = c->sums;
        p->waited = c->waited;
        double unit = (double)p->schedule->unit;
        uint32_t from = first_from(ghost, (d->v->from - 1) * unit - (double)ghost->longest);
        uint32_t to = first_from(ghost, (d->v->to + 1) * unit + (double)ghost->longest);
        for (uint32_t i = from; i < to; i++)
            add_reduction(d, p, ghost->by_start[i]);
    }
    p->busy = c->busy;
    p->sums = c->sums;
    p->waited = c->waited;
}

// "8 processors: busy 61 %, idle 39 %, 5.2 times as fast as one"
static void draw_heading(const paf_drawing *d, double y)
{
    const paf_ghost *ghost = d->v->ghost;
    const iot_simulated *sums = &ghost->run.schedule.sums;
    uint32_t n = iot_schedule_processors(&ghost->run.schedule);
    double all = (double)n * (double)sums->span;
    char *count = paf_count(n, "processor", "processors"), *busy = paf_percent((double)sums->busy, all);
    char *waiting = paf_percent((double)sums->waiting, all);
    char *idle = paf_percent((double)sums->idle, all);
    double times = sums->span > 0 ? (double)sums->busy / (double)sums->span : 0;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "busy %s", busy);
    if (sums->waiting > 0)
        g_string_append_printf(text, " · waiting %s", waiting);
    g_string_append_printf(text, " · idle %s · %.3g times as fast as one", idle, times);
    double used = paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, d->f.plot_x, y, 0, 0, count);
    paf_write_parts(d->pic, PAF_TEXT_BODY, d->theme->quiet, d->f.plot_x + used + 16, y,
                    d->f.plot_w - used - 16, 0, text->str);
    g_string_free(text, TRUE);
    g_free(count);
    g_free(busy);
    g_free(waiting);
    g_free(idle);
}

// The processor's number, and how much of the window it was busy.
static void label_bar(const paf_drawing *d, const places *p, uint32_t row, double pitch)
{
    double y = p->plot.y + row * pitch + round(pitch * 0.8) / 2 + 4;
    char *name = paf_number(row), *share = paf_percent(p->sums[row], d->v->to - d->v->from);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, p->plot.x - 64, y, 0, 1, name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->plot.x - 10, y, 0, 1, share);
    g_free(name);
    g_free(share);
}

void paf_draw_simulated(paf_drawing *d, paf_rect place)
{
    const iot_schedule *s = &d->v->ghost->run.schedule;
    uint32_t n = count_rows(d, s);
    places p = {.schedule = s, .shift = 0.5};
    p.plot = (paf_rect){d->f.plot_x, place.y + HEADING, d->f.plot_w, place.h - HEADING - LEGEND};
    double pitch = CLAMP(floor(p.plot.h / fmax(n, 1)), 2 * LEAST - 6, MOST);
    p.rows = MIN(n, (uint32_t)fmax(floor(p.plot.h / pitch), 1));
    p.columns = (uint32_t)fmax(floor(p.plot.w), 1);
    p.layers = MIN(d->m->nmodules, LAYERS) + 2;
    fill_from_ghost(d, &p);
    paf_box(d->pic, place.x, place.y, place.w, place.h);
    paf_fill(d->pic, d->theme->lane, 0);
    draw_heading(d, place.y + 20);
    paf_write(d->pic, PAF_TEXT_STRONG, d->theme->ink, place.x + 14, place.y + 20,
              d->f.plot_x - place.x - 24, 0, "processors");
    for (uint32_t i = 0; i < p.rows; i++) {
        draw_bar(d, &p, i, pitch);
        label_bar(d, &p, i, pitch);
    }
    double bottom = p.plot.y + p.rows * pitch + LEGEND - 8;
    draw_legend(d, &p, bottom);
    if (p.rows < n) {
        char *rest = paf_count(n - p.rows, "more", "more"), *text = g_strdup_printf("+%s", rest);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p.plot.x - 10, bottom, 0, 1, text);
        g_free(text);
        g_free(rest);
    }
    paf_add_hit(d->pic, place, PAF_HIT_LANES, 0, 0);
}
