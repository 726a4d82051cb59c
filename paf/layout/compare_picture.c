// SPDX-License-Identifier: MIT
//
// The curves of two runs and the table of their modules.
#include "paf/layout/compare_picture.h"
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define GUTTER 112.0
#define MARGIN 32.0
#define ROW    24.0

// Colour means module, so the runs are told apart otherwise: the first is filled grey, the second
// a line in ink.
typedef struct {
    const paf_model *const *m;
    const char *const *titles;
    const paf_theme *theme;
    paf_picture *pic;
    paf_rect plot;
    // Pixels per step and time at the right edge, by run: the same unless one has times and the
    // other one steps.
    double zoom[2], end;
    double from[2]; // the time at the left edge, by run: 0 or, in both, where the window begins
    bool apart; // they have not the same; each is as wide as the plot
    iot_clock clock;
    iot_module *modules[2]; // by the clock
    double scale;
} comparison;

// ---------------------------------------------------------------------------------------------
// Curves

typedef struct {
    double *means;
    uint32_t n;
    int64_t first, width; // of the first stretch, of each
    double zoom, from;
} curve;

static curve make_curve(const comparison *c, int run)
{
    const paf_model *m = c->m[run];
    curve k = {.width = 1, .zoom = c->zoom[run], .from = c->from[run]};
    while ((double)k.width * k.zoom < 1)
        k.width *= 2;
    k.first = (int64_t)floor(k.from / (double)k.width) * k.width;
    double to = fmin(k.from + c->plot.w / k.zoom, (double)iot_end(m->a, c->clock));
    k.n = (uint32_t)fmax((to - (double)k.first + (double)k.width) / (double)k.width, 0);
    iot_bucket *b = g_new0(iot_bucket, k.n);
    iot_profile_by(m->a, c->clock, IOT_REDUCTIONS, IOT_NONE, k.first, k.width, k.n, b);
    k.means = g_new(double, k.n);
    for (uint32_t i = 0; i < k.n; i++)
        k.means[i] = (double)b[i].sum / (double)k.width;
    g_free(b);
    return k;
}

static double curve_top(const curve *k)
{
    double most = 0;
    for (uint32_t i = 0; i < k->n; i++)
        most = fmax(most, k->means[i]);
    return most;
}

static void curve_path(const comparison *c, const curve *k, double unit)
{
    double bottom = c->plot.y + c->plot.h;
    bool open = false;
    for (uint32_t i = 0; i < k->n; i++) {
        double from = (double)k->first + (double)i * (double)k->width - 0.5 - k->from;
        double x0 = paf_snap(c->pic, fmax(c->plot.x + from * k->zoom, c->plot.x));
        double x1 = paf_snap(c->pic, c->plot.x + (from + (double)k->width) * k->zoom);
        double y = paf_snap(c->pic, bottom - k->means[i] * unit);
        if (!open)
            paf_move(c->pic, x0, bottom);
        open = true;
        paf_line(c->pic, x0, y);
        paf_line(c->pic, x1, y);
        if (i + 1 == k->n)
            paf_line(c->pic, x1, bottom);
    }
}

static void draw_axes(const comparison *c, double top, double step, double unit)
{
    const paf_rect *r = &c->plot;
    // Percent where the runs have no time in common.
    double zoom = c->apart ? r->w / 100 : c->zoom[0], end = c->apart ? 100 : c->end;
    double ticks = fmax(paf_tick_step(80 / zoom), 1);
    double from = c->apart ? 0 : c->from[0], first = ceil(from / ticks) * ticks;
    for (double t = first; t <= end; t += ticks)
        paf_box(c->pic, paf_snap(c->pic, r->x + (t - from) * zoom), r->y, 1 / c->scale, r->h);
    for (double v = 0; v <= top; v += step)
        paf_box(c->pic, r->x, paf_snap(c->pic, r->y + r->h - v * unit), r->w, 1 / c->scale);
    paf_fill(c->pic, c->theme->grid, 0);
    for (double t = first; t <= end; t += ticks) {
        char *label = c->apart ? g_strdup_printf("%.0f %%", t)
                               : paf_moment_by(c->m[0]->t, c->clock, (int64_t)t);
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, r->x + (t - from) * zoom, r->y + r->h + 18, 0,
                  0.5, label);
        g_free(label);
    }
    for (double v = 0; v <= top; v += step) {
        char *label = paf_number((uint64_t)v);
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, r->x - 8, r->y + r->h - v * unit + 4, 0,
                  1, label);
        g_free(label);
    }
    paf_write(c->pic, PAF_TEXT_STRONG, c->theme->ink, 20, r->y - 12, GUTTER - 4, 0, "parallelism");
    paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, 20, r->y + r->h + 18, GUTTER - 24, 0,
              c->apart                          ? "part of the run"
              : c->clock == IOT_REAL_TIME     ? "real time"
              : trace_is_measured(c->m[0]->t) ? "replayed time"
                                              : "virtual time");
}

static paf_colour run_fill(const comparison *c)
{
    return paf_mix(c->theme->bars, c->theme->window, 0.75);
}

static void draw_curves(const comparison *c)
{
    curve a = make_curve(c, 0), b = make_curve(c, 1);
    double most = fmax(fmax(curve_top(&a), curve_top(&b)), 1);
    double step = fmax(paf_tick_step(most * 30 / c->plot.h), 1);
    double top = fmax(ceil(most / step) * step, step), unit = (c->plot.h - 4) / top;
    draw_axes(c, top, step, unit);
    paf_clip(c->pic, (paf_rect){c->plot.x - 1, c->plot.y - 2, c->plot.w + 3, c->plot.h + 4});
    curve_path(c, &a, unit);
    paf_fill_and_stroke(c->pic, run_fill(c), 0, c->theme->faint, 1);
    curve_path(c, &b, unit);
    paf_stroke(c->pic, c->theme->ink, 1.6);
    paf_unclip(c->pic);
    g_free(a.means);
    g_free(b.means);
}

// How each run is drawn, its name and its figures.
static void draw_legend(const comparison *c, double y, double width)
{
    for (int i = 0; i < 2; i++, y += 20) {
        if (i == 0) {
            paf_box(c->pic, c->plot.x + 0.5, y - 9.5, 21, 11);
            paf_fill_and_stroke(c->pic, run_fill(c), 0, c->theme->faint, 1);
        } else {
            paf_box(c->pic, c->plot.x, y - 5, 22, 2);
            paf_fill(c->pic, c->theme->ink, 0);
        }
        double x = c->plot.x + 32;
        double used =
            paf_write(c->pic, PAF_TEXT_STRONG, c->theme->ink, x, y, width * 0.4, 0, c->titles[i]);
        char *summary = paf_run_summary(c->m[i]->a);
        paf_write(c->pic, PAF_TEXT_BODY, c->theme->quiet, x + used + 16, y,
                  width - x - used - 16 - MARGIN, 0, summary);
        g_free(summary);
    }
}

// ---------------------------------------------------------------------------------------------
// Table: a row for each module of either run, by name

typedef struct {
    const char *name;
    uint32_t in[2];  // its number in each run, or IOT_NONE
    uint32_t hue;    // the same in both
} pairing;

static uint32_t find_module(const paf_model *m, const char *name)
{
    for (uint32_t i = 0; i < m->nmodules; i++)
        if (!strcmp(iot_get_module(m->a, i)->name, name))
            return i;
    return IOT_NONE;
}

static bool worth_a_row(const paf_model *m, uint32_t module)
{
    return iot_get_module(m->a, module)->work > 0;
}

// In the order of the slower run, then those only the other has.
static GArray *pair_modules(const comparison *c)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(pairing));
    int lead = c->m[1]->span > c->m[0]->span;
    for (int turn = 0; turn < 2; turn++) {
        int run = turn == 0 ? lead : !lead;
        for (uint32_t k = 0; k < c->m[run]->nmodules; k++) {
            uint32_t module = c->m[run]->order[k];
            pairing p = {.name = iot_get_module(c->m[run]->a, module)->name};
            p.in[run] = module;
            p.in[!run] = find_module(c->m[!run], p.name);
            if (!worth_a_row(c->m[run], module) || (turn == 1 && p.in[!run] != IOT_NONE))
                continue;
            p.hue = c->m[run]->hue[module];
            g_array_append_val(rows, p);
        }
    }
    return rows;
}

typedef enum { WORK, CRITICAL, WAITING, PEAK, PROCESSES, QUANTITIES } quantity;
static const char *const quantity_names[QUANTITIES] = {"work", "critical path", "waiting", "peak",
                                                       "processes"};

// Of a real run of Fleng by real time work is how long a module was busy.
static bool is_busy_time(const comparison *c, int run)
{
    return c->clock == IOT_REAL_TIME && !trace_is_measured(c->m[run]->t);
}

static uint64_t figure(const comparison *c, int run, uint32_t module, quantity q)
{
    const iot_module *info = &c->modules[run][module];
    switch (q) {
    case WORK:
        return is_busy_time(c, run) ? info->busy : info->work;
    case CRITICAL:
        return info->critical;
    case WAITING:
        return info->waiting;
    case PEAK:
        return info->peak;
    case PROCESSES:
    case QUANTITIES:
        break;
    }
    return info->processes;
}

static double column_right(const comparison *c, quantity q, int part)
{
    double names = c->plot.x + 150, group = (c->plot.x + c->plot.w - names) / QUANTITIES;
    return names + group * q + group * (part + 1) / 3 + (part < 2 ? 4 : -2);
}

static void write_figure(const comparison *c, const pairing *p, quantity q, int run, double y)
{
    if (p->in[run] == IOT_NONE) {
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->faint, column_right(c, q, run), y, 0, 1, "–");
        return;
    }
    uint64_t n = figure(c, run, p->in[run], q);
    const trace *t = c->m[run]->t;
    bool time = n > 0 && (trace_is_measured(t)   ? q <= WAITING
                          : is_busy_time(c, run) ? q == WORK || q == WAITING
                                                 : false);
    char *text = time ? paf_duration_by(t, c->clock, (int64_t)n) : paf_number(n);
    double room = column_right(c, q, 1) - column_right(c, q, 0) - 6;
    paf_write(c->pic, PAF_TEXT_SMALL, c->theme->ink, column_right(c, q, run), y, room, 1, text);
    g_free(text);
}

static void write_ratio(const comparison *c, const pairing *p, quantity q, double y)
{
    if (p->in[0] == IOT_NONE || p->in[1] == IOT_NONE)
        return;
    double a = (double)figure(c, 0, p->in[0], q), b = (double)figure(c, 1, p->in[1], q);
    if (a <= 0 || b <= 0)
        return;
    double ratio = b / a;
    char *text = ratio >= 100 || ratio < 0.01
                     ? g_strdup_printf("×%.2g", ratio)
                     : g_strdup_printf(ratio >= 10 ? "×%.0f" : "×%.2f", ratio);
    bool same = ratio > 0.95 && ratio < 1.05;
    paf_write(c->pic, PAF_TEXT_SMALL, same ? c->theme->faint : c->theme->quiet,
              column_right(c, q, 2), y, 0, 1, text);
    g_free(text);
}

// The runs by their files' names as far as these fit, else by their order.
static void write_run_name(const comparison *c, quantity q, int run, double y)
{
    double room = column_right(c, q, 1) - column_right(c, q, 0) - 8;
    char *stem = g_strdup(c->titles[run]);
    if (g_str_has_suffix(stem, ".paf"))
        stem[strlen(stem) - 4] = 0;
    bool fits = paf_shaped_text_width(paf_picture_text(c->pic), PAF_TEXT_SMALL, stem) <= room;
    paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, column_right(c, q, run), y, 0, 1,
              fits       ? stem
              : run == 0 ? "first"
                         : "second");
    g_free(stem);
}

static void write_table_head(const comparison *c, double y)
{
    paf_write(c->pic, PAF_TEXT_CAPS, c->theme->quiet, c->plot.x, y + 16, 0, 0, "MODULE");
    for (quantity q = 0; q < QUANTITIES; q++) {
        paf_write(c->pic, PAF_TEXT_STRONG, c->theme->ink, column_right(c, q, 1), y, 0, 1,
                  q == WORK && is_busy_time(c, 0) ? "busy" : quantity_names[q]);
        write_run_name(c, q, 0, y + 16);
        write_run_name(c, q, 1, y + 16);
    }
}

static void write_row(const comparison *c, const pairing *p, double y)
{
    paf_round_box(c->pic, c->plot.x, y - 10, 11, 11, 3);
    paf_fill(c->pic, paf_module_colour(c->theme, p->hue), paf_module_pattern(p->hue));
    paf_write_name(c->pic, PAF_TEXT_BODY, c->theme->ink, c->plot.x + 18, y, 128, 0, p->name);
    for (quantity q = 0; q < QUANTITIES; q++) {
        write_figure(c, p, q, 0, y);
        write_figure(c, p, q, 1, y);
        write_ratio(c, p, q, y);
    }
}

static void draw_table(const comparison *c, double y, double bottom)
{
    GArray *rows = pair_modules(c);
    write_table_head(c, y);
    y += 40;
    uint32_t room = (uint32_t)fmax((bottom - y) / ROW, 1);
    uint32_t shown = rows->len <= room ? rows->len : room - 1;
    for (uint32_t i = 0; i < shown; i++, y += ROW)
        write_row(c, &g_array_index(rows, pairing, i), y);
    if (shown < rows->len) {
        char *rest = paf_count(rows->len - shown, "more module", "more modules");
        char *text = g_strdup_printf("+%s", rest);
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, c->plot.x, y, 0, 0, text);
        g_free(text);
        g_free(rest);
    }
    g_array_free(rows, TRUE);
}

// Where the critical path changed most: "upd changed most: 12 of the critical path instead of 77." Empty if
// nowhere.
static char *moved(const comparison *c)
{
    GArray *rows = pair_modules(c);
    const pairing *most = NULL;
    double largest = 0;
    for (guint i = 0; i < rows->len; i++) {
        const pairing *p = &g_array_index(rows, pairing, i);
        double n[2];
        for (int run = 0; run < 2; run++)
            n[run] = p->in[run] == IOT_NONE ? 0 : (double)figure(c, run, p->in[run], CRITICAL);
        if (fabs(n[1] - n[0]) > largest) {
            largest = fabs(n[1] - n[0]);
            most = p;
        }
    }
    char *text = g_strdup("");
    if (most) {
        char *figures[2];
        for (int run = 0; run < 2; run++) {
            uint64_t n = most->in[run] == IOT_NONE ? 0 : figure(c, run, most->in[run], CRITICAL);
            figures[run] = trace_is_measured(c->m[run]->t)
                               ? paf_duration_by(c->m[run]->t, c->clock, (int64_t)n)
                               : paf_number(n);
        }
        g_free(text);
        text = g_strdup_printf("%s changed most: %s of the critical path instead of %s.", most->name,
                               figures[1], figures[0]);
        g_free(figures[0]);
        g_free(figures[1]);
    }
    g_array_free(rows, TRUE);
    return text;
}

// One sentence: which is faster and by how much.
static char *verdict(const comparison *c)
{
    double a = (double)MAX(iot_end(c->m[0]->a, c->clock), 1);
    double b = (double)MAX(iot_end(c->m[1]->a, c->clock), 1);
    if (c->apart)
        return g_strdup(
            "One was measured in seconds, the other one has steps: each is drawn over its "
            "own length.");
    for (int i = 0; i < 2; i++) {
        if (!iot_ran_to_end(c->m[i]->t))
            return g_strdup_printf("%s did not run to its end: the spans do not compare.",
                                   c->titles[i]);
    }
    double wa = (double)MAX(iot_work(c->m[0]->a), 1), wb = (double)MAX(iot_work(c->m[1]->a), 1);
    if (a == b)
        return g_strdup_printf("Both take equally long; the second does %.3g times the work.",
                               wb / wa);
    const char *slow = c->titles[a > b ? 0 : 1], *fast = c->titles[a > b ? 1 : 0];
    double times = a > b ? a / b : b / a, work = a > b ? wb / wa : wa / wb;
    return g_strdup_printf("%s is done %.3g times sooner than %s, with %.3g times the work.", fast,
                           times, slow, work);
}

static void draw_verdict(const comparison *c, double height, double width)
{
    char *sentence = verdict(c), *more = moved(c);
    double used = paf_write(c->pic, PAF_TEXT_HEAD, c->theme->ink, 20, height / 2 + 5, width - 40, 0,
                            sentence);
    if (width - 40 - used > 120)
        paf_write(c->pic, PAF_TEXT_BODY, c->theme->quiet, 28 + used, height / 2 + 5,
                  width - 48 - used, 0, more);
    g_free(sentence);
    g_free(more);
}

static iot_module *modules_by(const paf_model *m, iot_clock clock)
{
    iot_module *modules = g_new(iot_module, m->nmodules);
    for (uint32_t i = 0; i < m->nmodules; i++)
        modules[i] = iot_module_by(m->a, clock, i);
    return modules;
}

double paf_compare_end(const paf_model *const models[2], iot_clock clock)
{
    bool apart = trace_is_measured(models[0]->t) != trace_is_measured(models[1]->t);
    return apart ? 0 : (double)MAX(MAX(iot_end(models[0]->a, clock), iot_end(models[1]->a, clock)), 1) + 1;
}

void paf_compare_plot(double width, double *ret_x, double *ret_w)
{
    *ret_x = GUTTER + 12;
    *ret_w = fmax(width - GUTTER - 12 - MARGIN, 20);
}

paf_picture *paf_compare_picture(const paf_model *const models[2], const char *const titles[2],
                                 iot_clock clock, double width, double height, double scale,
                                 bool dark, bool header, const paf_compare_window *window,
                                 paf_shaped_text *text)
{
    comparison c = {.m = models,
                    .titles = titles,
                    .clock = clock,
                    .theme = paf_theme_get(dark),
                    .pic = paf_picture_create(text, scale),
                    .scale = scale,
                    .apart = trace_is_measured(models[0]->t) !=
                             trace_is_measured(models[1]->t)};
    paf_box(c.pic, 0, 0, width, height);
    paf_fill(c.pic, c.theme->window, 0);
    double top = header ? 46 : 0;
    if (header) {
        paf_box(c.pic, 0, 0, width, top);
        paf_fill(c.pic, c.theme->panel, 0);
        paf_box(c.pic, 0, top - 1, width, 1);
        paf_fill(c.pic, c.theme->line, 0);
    }
    double chart = round((height - top) * 0.42);
    c.plot =
        (paf_rect){GUTTER + 12, top + 76, fmax(width - GUTTER - 12 - MARGIN, 20), fmax(chart, 60)};
    int64_t ends[2] = {iot_end(models[0]->a, clock), iot_end(models[1]->a, clock)};
    c.end = (double)MAX(MAX(ends[0], ends[1]), 1) + 1;
    for (int i = 0; i < 2; i++) {
        c.zoom[i] = c.plot.w / (c.apart ? (double)ends[i] + 1 : c.end);
        if (window && !c.apart) {
            c.from[i] = window->from;
            c.zoom[i] = c.plot.w / (window->to - window->from);
        }
        c.modules[i] = modules_by(models[i], clock);
    }
    if (header)
        draw_verdict(&c, top, width);
    if (window && !c.apart)
        c.end = window->to;
    draw_legend(&c, top + 26, width);
    draw_curves(&c);
    draw_table(&c, c.plot.y + c.plot.h + 60, height - 16);
    g_free(c.modules[0]);
    g_free(c.modules[1]);
    return c.pic;
}
