// SPDX-License-Identifier: MIT
//
// Two runs, one above the other: where everything stands, and the axis that both have.
#include "paf/layout/compare_private.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define GUTTER   152.0 // labels left of the time axis
#define MARGIN   26.0  // right of it
#define HEADER   46.0
#define TITLE    26.0
#define RULER    28.0
#define GAP      14.0
#define TABLE    0.56 // of the width; the rest is of the findings
#define LEAST    176.0 // height of table and findings
#define LEAST_TABLE    96.0 // of the table alone; below it there is none
#define LEAST_RUN      124.0 // height of a run's title, axis, curve and critical path
#define LEAST_LANES    36.0
#define LEAST_ROWS     96.0 // of locations, with their titles and legend
#define LEAST_FINDINGS 168.0 // width of a run's
#define NARROWEST 4.0  // steps

// ---------------------------------------------------------------------------------------------
// The axis

static bool are_apart(const paf_model *const models[2])
{
    return trace_is_measured(models[0]->t) != trace_is_measured(models[1]->t);
}

const char *paf_compare_refuses(const paf_model *const models[2], const paf_compare_view *v)
{
    if (v->alignment == PAF_ALIGN_MARKS && (isnan(v->marks[0]) || isnan(v->marks[1])))
        return "each run needs a mark";
    for (int i = 0; i < 2 && v->alignment == PAF_ALIGN_MODULE; i++) {
        uint32_t module = paf_compare_find_module(models[i], v->module);
        if (module == IOT_NONE || iot_get_module(models[i]->a, module)->work == 0)
            return i == 0 ? "the first run has no such module" : "the second run has no such module";
    }
    return NULL;
}

// The time of a run that stands above the one of the other run.
static double zero_of(const paf_model *m, const paf_compare_view *v, int run)
{
    if (v->alignment == PAF_ALIGN_MARKS)
        return v->marks[run];
    if (v->alignment == PAF_ALIGN_MODULE)
        return (double)iot_module_by(m->a, v->clock, paf_compare_find_module(m, v->module)).first;
    return 0;
}

static void make_axis(const paf_compared *c)
{
    paf_comparison *out = c->out;
    bool aligned = !paf_compare_refuses(c->m, c->v);
    for (int i = 0; i < 2; i++) {
        double end = paf_end(c->m[i], c->v->clock) + 1;
        out->ends[i] = end - 1;
        out->zero[i] = aligned ? zero_of(c->m[i], c->v, i) : 0;
        out->unit[i] = c->apart ? end / 100 : 1;
        out->start = fmin(out->start, -out->zero[i] / out->unit[i]);
        out->end = fmax(out->end, (end - out->zero[i]) / out->unit[i]);
    }
    double whole = out->end - out->start, width = c->v->to - c->v->from;
    if (width <= 0 || width >= whole) {
        out->from = out->start;
        out->to = out->end;
        return;
    }
    width = fmax(width, fmin(NARROWEST / fmax(out->unit[0], out->unit[1]), whole));
    out->from = CLAMP(c->v->from, out->start, out->end - width);
    out->to = out->from + width;
}

// ---------------------------------------------------------------------------------------------
// A run

// What of the run is in view, at its place on the axis. False: nothing.
static bool place_run(const paf_compared *c, int run, paf_view *ret_view, paf_frame *f)
{
    const paf_comparison *o = c->out;
    double zero = o->zero[run], unit = o->unit[run], end = paf_end(c->m[run], c->v->clock) + 1;
    double from = zero + unit * o->from, to = zero + unit * o->to, zoom = o->plot_w / (to - from);
    ret_view->from = fmax(from, 0);
    ret_view->to = fmin(to, end);
    if (ret_view->to <= ret_view->from)
        return false;
    f->plot_x = o->plot_x + (ret_view->from - from) * zoom;
    f->plot_w = (ret_view->to - ret_view->from) * zoom;
    return true;
}

static paf_view view_of(const paf_compared *c, int run)
{
    paf_view v = paf_view_fit(c->m[run], c->v->width, c->v->height);
    v.kind = PAF_VIEW_RUN;
    v.clock = c->v->clock;
    v.scale = c->v->scale;
    v.dark = c->v->dark;
    v.focus = c->v->focus[run];
    return v;
}

static paf_frame frame_of(const paf_compared *c, int run)
{
    paf_rect r = c->out->runs[run];
    double y = r.y + TITLE, rest = r.h - TITLE - RULER;
    double chart = round(CLAMP(rest * 0.42, 40, 260));
    bool lanes = (paf_model_has_real(c->m[run]) || c->v->clock == IOT_VIRTUAL_TIME) &&
                 rest - chart - 16 >= (trace_is_measured(c->m[run]->t) ? LEAST_ROWS : LEAST_LANES);
    paf_frame f = {.ruler = {c->out->plot_x, y, c->out->plot_w, RULER}};
    y += RULER;
    f.chart = (paf_rect){r.x, y, r.w, lanes ? chart : fmax(rest - 16, 20)}; // below it: the critical path
    if (lanes)
        f.lanes = (paf_rect){r.x, y + chart + 16, r.w, fmax(rest - chart - 16, 0)};
    return f;
}

// The highest curve of both, so that heights compare.
static double common_top(const paf_compared *c)
{
    double top = 1;
    for (int run = 0; run < 2; run++) {
        paf_view v = view_of(c, run);
        paf_frame f = {0};
        if (place_run(c, run, &v, &f))
            top = fmax(top, paf_chart_top(c->m[run], &v, f.plot_w / (v.to - v.from)));
    }
    return top;
}

// Where the run is aligned, or will be once the other one has a mark, too.
static void draw_mark(const paf_compared *c, int run)
{
    const paf_comparison *o = c->out;
    double time = c->v->alignment == PAF_ALIGN_START ? c->v->marks[run] : o->zero[run];
    if (isnan(time))
        return;
    double at = (time - o->zero[run]) / o->unit[run], y = o->runs[run].y + TITLE + RULER - 8;
    double x = o->plot_x + (at - o->from) / (o->to - o->from) * o->plot_w;
    if (x < o->plot_x || x > o->plot_x + o->plot_w)
        return;
    x = paf_snap(c->pic, x);
    paf_box(c->pic, x, y, 1.5, o->runs[run].y + o->runs[run].h - y);
    paf_fill(c->pic, c->theme->amber, 0);
    paf_move(c->pic, x - 5, y - 5);
    paf_line(c->pic, x + 6, y - 5);
    paf_line(c->pic, x + 0.75, y + 4);
    paf_close(c->pic);
    paf_fill(c->pic, c->theme->amber, 0);
}

// How they are aligned, or how they can be.
static char *alignment_words(const paf_compared *c)
{
    const char *why = paf_compare_refuses(c->m, c->v);
    if (why)
        return g_strdup_printf("aligned at their starts: %s", why);
    if (c->v->alignment == PAF_ALIGN_MODULE)
        return g_strdup_printf("aligned where %s begins · 0 aligns their starts", c->v->module);
    if (c->v->alignment == PAF_ALIGN_MARKS)
        return g_strdup("aligned at their marks · 0 aligns their starts");
    if (!isnan(c->v->marks[0]) || !isnan(c->v->marks[1]))
        return g_strdup("a click in the other run aligns both there");
    return g_strdup("a click in each run aligns them there, one on a module where it begins");
}

static void draw_title(const paf_compared *c, int run)
{
    const paf_rect *r = &c->out->runs[run];
    double x = r->x + 14, y = r->y + 18, right = r->x + r->w - MARGIN;
    char *words = run == 0 ? alignment_words(c) : g_strdup("");
    double wide = paf_shaped_text_width(paf_picture_text(c->pic), PAF_TEXT_SMALL, words);
    double used = paf_write_name(c->pic, PAF_TEXT_HEAD, c->theme->ink, x, y, r->w * 0.3, 0, c->titles[run]);
    char *summary = paf_run_summary(c->m[run]->a);
    double room = right - x - used - 16;
    double said = paf_write_parts(c->pic, PAF_TEXT_BODY, c->theme->quiet, x + used + 16, y, room, 0, summary);
    if (wide + 24 <= room - said)
        paf_write(c->pic, PAF_TEXT_SMALL, c->theme->quiet, right, y, wide + 4, 1, words);
    paf_add_hit(c->pic, (paf_rect){x, r->y, right - x, TITLE}, PAF_HIT_RUN, (uint32_t)run, 0);
    g_free(summary);
    g_free(words);
}

static void draw_run(const paf_compared *c, int run, double top)
{
    paf_view v = view_of(c, run);
    paf_frame f = frame_of(c, run);
    GArray *row_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    paf_layout part = {.picture = c->pic, .wants = c->out->wants[run], .row_of = row_of};
    draw_title(c, run);
    v.least_top = top;
    if (place_run(c, run, &v, &f)) {
        part.frame = f;
        paf_layout_draw_run(c->m[run], &v, &part);
    } else {
        paf_write(c->pic, PAF_TEXT_BODY, c->theme->quiet, c->out->plot_x + c->out->plot_w / 2,
                  f.chart.y + f.chart.h / 2, c->out->plot_w, 0.5, "This run has nothing here.");
    }
    draw_mark(c, run);
    g_array_free(row_of, TRUE);
}

// ---------------------------------------------------------------------------------------------
// Findings

static void draw_findings(const paf_compared *c, int run)
{
    paf_view v = view_of(c, run);
    paf_layout part = {.picture = c->pic, .wants = c->out->wants[run]};
    paf_draw_run_findings(c->m[run], &v, &part, c->out->findings[run], c->titles[run]);
}

// ---------------------------------------------------------------------------------------------

// As many words as fit: the figure first.
static void draw_verdict(const paf_compared *c, double width)
{
    double y = HEADER / 2 + 5;
    char *sentence = paf_compare_verdict(c), *more = paf_compare_moved(c);
    bool fits = paf_shaped_text_width(paf_picture_text(c->pic), PAF_TEXT_HEAD, sentence) <= width;
    char *comma = fits ? NULL : strchr(sentence, ',');
    if (comma)
        *comma = 0;
    fits = paf_shaped_text_width(paf_picture_text(c->pic), PAF_TEXT_HEAD, sentence) <= width;
    if (fits) {
        double used = paf_write(c->pic, PAF_TEXT_HEAD, c->theme->ink, 14, y, 0, 0, sentence);
        if (width - used > 120)
            paf_write(c->pic, PAF_TEXT_BODY, c->theme->quiet, 22 + used, y, width - 8 - used, 0, more);
    } else {
        paf_write_paragraph(c->pic, PAF_TEXT_SMALL, c->theme->ink, 14, 8, width, 2, sentence);
    }
    g_free(sentence);
    g_free(more);
}

static void draw_header(const paf_compared *c)
{
    double width = c->v->width;
    paf_box(c->pic, 0, 0, width, HEADER);
    paf_fill(c->pic, c->theme->panel, 0);
    paf_box(c->pic, 0, HEADER - 1, width, 1);
    paf_fill(c->pic, c->theme->line, 0);
    draw_verdict(c, width - 34);
    paf_add_hit(c->pic, (paf_rect){14, 0, width - 34, HEADER}, PAF_HIT_RUN, 2, 0);
}

static void split(paf_compared *c)
{
    double width = c->v->width, room = c->v->height - HEADER - 8;
    double wanted = fmax(paf_compare_table_height(paf_compare_rows(c)) + GAP, LEAST);
    double bottom = round(fmin(fmin(wanted, room * 0.4), room - 2 * LEAST_RUN));
    if (bottom < LEAST_TABLE)
        bottom = 0;
    double each = floor((room - bottom) / 2), y = HEADER + 2 * each + GAP, h = bottom - GAP;
    for (int i = 0; i < 2; i++)
        c->out->runs[i] = (paf_rect){0, HEADER + i * each, width, each - 6};
    double table = round(width * TABLE), column = (width - table - 16) / 2;
    bool findings = column >= LEAST_FINDINGS;
    if (bottom > 0)
        c->table = (paf_rect){14, y, findings ? table - 34 : width - 28, h};
    for (int i = 0; i < 2 && bottom > 0 && findings; i++)
        c->out->findings[i] = (paf_rect){table + i * column, y - 6, column, h + 6};
    c->out->plot_x = GUTTER;
    c->out->plot_w = fmax(width - GUTTER - MARGIN, 20);
}

static iot_module *modules_by(const paf_model *m, iot_clock clock)
{
    iot_module *modules = g_new(iot_module, m->nmodules);
    for (uint32_t i = 0; i < m->nmodules; i++)
        modules[i] = iot_module_by(m->a, clock, i);
    return modules;
}

bool paf_compare_has_room(double width, double height)
{
    return width >= PAF_COMPARE_LEAST_WIDTH && height >= PAF_COMPARE_LEAST_HEIGHT;
}

static void draw_refusal(const paf_compared *c)
{
    char *text = g_strdup_printf("Two runs need room: %d × %d pixels at least.", PAF_COMPARE_LEAST_WIDTH,
                                 PAF_COMPARE_LEAST_HEIGHT);
    double w = fmax(c->v->width - 32, 40), y = fmax(c->v->height / 2 - 24, 4);
    paf_write_paragraph(c->pic, PAF_TEXT_BODY, c->theme->quiet, 16, y, w, 3, text);
    g_free(text);
}

static void draw_all(paf_compared *c)
{
    paf_box(c->pic, 0, 0, c->v->width, c->v->height);
    paf_fill(c->pic, c->theme->window, 0);
    split(c);
    make_axis(c);
    if (!paf_compare_has_room(c->v->width, c->v->height)) {
        draw_refusal(c);
        return;
    }
    draw_header(c);
    double top = common_top(c);
    for (int run = 0; run < 2; run++)
        draw_run(c, run, top);
    paf_box(c->pic, 0, c->out->runs[1].y - 4, c->v->width, 1);
    if (c->table.w > 0)
        paf_box(c->pic, 0, c->table.y - GAP, c->v->width, 1);
    paf_fill(c->pic, c->theme->line, 0);
    if (c->table.w > 0)
        paf_compare_draw_table(c);
    for (int run = 0; run < 2 && c->out->findings[0].w > 0; run++)
        draw_findings(c, run);
}

paf_compare_view paf_compare_fit(iot_clock clock, double width, double height)
{
    return (paf_compare_view){.clock = clock, .width = width, .height = height, .scale = 1,
                              .marks = {NAN, NAN}, .pointer = NAN};
}

paf_comparison *paf_comparison_create(const paf_model *const models[2], const char *const titles[2],
                                      const paf_compare_view *view, paf_shaped_text *text)
{
    paf_comparison *out = g_new0(paf_comparison, 1);
    out->picture = paf_picture_create(text, view->scale);
    paf_compared c = {.m = models,
                      .titles = titles,
                      .v = view,
                      .theme = paf_theme_get(view->dark),
                      .pic = out->picture,
                      .out = out,
                      .apart = are_apart(models)};
    for (int i = 0; i < 2; i++) {
        out->wants[i] = g_array_new(FALSE, FALSE, sizeof(paf_want));
        c.modules[i] = modules_by(models[i], view->clock);
    }
    draw_all(&c);
    for (int i = 0; i < 2; i++)
        g_free(c.modules[i]);
    return out;
}

void paf_comparison_destroy(paf_comparison *c)
{
    if (!c)
        return;
    paf_picture_destroy(c->picture);
    for (int i = 0; i < 2; i++)
        g_array_unref(c->wants[i]);
    g_free(c);
}

void paf_compare_prepare(paf_model *const models[2], const paf_compare_view *view, paf_shaped_text *text)
{
    const paf_model *const both[2] = {models[0], models[1]};
    const char *const titles[2] = {"", ""};
    bool built = true;
    // Trees that arrive change which others are wanted; twice is nearly always enough.
    for (int round = 0; round < 3 && built; round++) {
        paf_comparison *c = paf_comparison_create(both, titles, view, text);
        built = false;
        for (int run = 0; run < 2; run++)
            for (guint i = 0; i < c->wants[run]->len; i++, built = true)
                paf_model_take(models[run],
                               paf_tree_build(models[run], &g_array_index(c->wants[run], paf_want, i)));
        paf_comparison_destroy(c);
    }
}

// What moves with the pointer needs no other layout, and asks nothing of the models.
paf_picture *paf_comparison_pointer(const paf_comparison *c, const trace *const traces[2],
                                    const paf_compare_view *v, paf_shaped_text *text)
{
    paf_picture *p = paf_picture_create(text, v->scale);
    for (int i = 0; i < 2 && !isnan(v->pointer); i++) {
        const paf_rect *r = &c->runs[i];
        double time = round(c->zero[i] + c->unit[i] * v->pointer);
        if (time < 0 || time > c->ends[i] || r->w <= 0)
            continue;
        double at = (time - c->zero[i]) / c->unit[i], y = r->y + TITLE;
        double x = c->plot_x + (at - c->from) / (c->to - c->from) * c->plot_w;
        if (x < c->plot_x || x > c->plot_x + c->plot_w)
            continue;
        char *label = paf_moment_by(traces[i], v->clock, (int64_t)time);
        paf_draw_moment(p, paf_theme_get(v->dark),
                        (paf_moment_place){x, y, r->y + r->h, v->width, v->scale}, label);
        g_free(label);
    }
    return p;
}

int paf_comparison_run_at(const paf_comparison *c, double x, double y)
{
    for (int i = 0; i < 2; i++)
        if (paf_rect_holds(&c->runs[i], x, y) || paf_rect_holds(&c->findings[i], x, y))
            return i;
    return 2;
}

const char *paf_compare_row_name(const paf_model *const models[2], const paf_hit *hit)
{
    return iot_get_module(models[hit->b]->a, hit->a)->name;
}
