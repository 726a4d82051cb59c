// SPDX-License-Identifier: MIT
//
// The frame of a picture: which region is where, and who draws it.
#include "iotree/overview.h"
#include "iotree/simulate.h"
#include "paf/layout/layout_private.h"
#include "paf/model/sentence.h"
#include "paf/say/numbers.h"

#include <math.h>

// Measures of the frame, on an 8 px grid.
#define HEADER      46
#define BORDER      6 // of what answers between two panes
#define SIDE        232
#define ROOM_FOR_SIDE 780
#define GUTTER      112 // labels left of the time axis
#define WIDE_GUTTER 152 // with room for the goal of each process
#define MARGIN      26  // right of the time axis
#define LOOPS       128 // right of the timeline: who got which iterations
#define OVERVIEW    26
#define SENTENCE    24 // what the run is about
#define WORKER      60 // of a worker's row, with what is above and below all rows
#define WORKERS_ROOM 78
#define RULER       28
#define LEAST_LANES 56 // height of the processes; a picture with less room for them has none
#define LEAST_TIMELINE 96 // the same of rows of locations, with their titles and legend

// ---------------------------------------------------------------------------------------------
// The frame

// True if some module has several processes, whose goals want room beside them.
static bool many_processes(const paf_model *m)
{
    for (uint32_t i = 0; i < m->nmodules; i++)
        // Before it is known which of them have anything to show, all count.
        if (m->complete ? m->first_process[i + 1] - m->first_process[i] > 1
                        : iot_get_module(m->a, i)->processes > 1)
            return true;
    return false;
}

static double bottom_height(const paf_view *v, double room)
{
    if (v->kind != PAF_VIEW_ALL || room < 420)
        return 0;
    if (v->panes.bottom > 0)
        return round(CLAMP(v->panes.bottom, 96, room - 260));
    return round(CLAMP(room * 0.265, 150, 300));
}

static bool has_lanes(const paf_view *v, double room, bool timeline)
{
    double least = 60 + 18 + (timeline ? LEAST_TIMELINE : LEAST_LANES);
    return v->kind != PAF_VIEW_PARALLELISM && (v->kind != PAF_VIEW_ALL || room >= least);
}

static double chart_height(const paf_view *v, double room, bool timeline)
{
    if (v->kind == PAF_VIEW_IOTREE || v->kind == PAF_VIEW_PLACES)
        return 0;
    if (!has_lanes(v, room, timeline))
        return fmax(room - (v->path ? 22 : 8), 40); // below it: the strip of the critical path
    return round(CLAMP(room * 0.27, 60, 260));
}

static void split_bottom(paf_frame *f, const paf_view *v, const paf_rect *main, double height)
{
    double y = main->y + main->h - height;
    double left = round(CLAMP(main->w * 0.41, 300, 620));
    if (v->panes.details > 0)
        left = round(CLAMP(v->panes.details, 220, fmax(main->w - 220, 220)));
    f->details = (paf_rect){main->x, y, left, height};
    f->source = (paf_rect){main->x + left, y, main->w - left, height};
}

static bool has_timeline(const paf_model *m, const paf_view *v)
{
    const paf_timeline *l = paf_timeline_by(m, v->clock);
    return l && l->nplaces > 0 &&
           (v->kind == PAF_VIEW_ALL || v->kind == PAF_VIEW_PLACES);
}

// Rows of workers take what they need, but no more than half of the room of the processes.
static void split_workers(const paf_model *m, const paf_view *v, paf_frame *f)
{
    if (trace_is_measured(m->t) || !has_timeline(m, v) || v->kind == PAF_VIEW_PLACES)
        return;
    double wanted = WORKERS_ROOM + (double)WORKER * paf_timeline_by(m, v->clock)->nplaces;
    f->workers = f->lanes;
    f->workers.h = fmin(wanted, round(f->lanes.h / 2));
    f->lanes.y += f->workers.h;
    f->lanes.h -= f->workers.h;
}

// A narrow picture keeps its width for the axis, unless it is told otherwise.
static bool has_side(const paf_view *v)
{
    return v->kind == PAF_VIEW_ALL &&
           (v->side == PAF_SIDE_SHOWN || (v->side == PAF_SIDE_ROOM && v->width >= ROOM_FOR_SIDE));
}

// Header on top, side bar at the left; in the main part overview, ruler, chart and processes one
// below the other, details and source at the bottom.
static paf_frame make_frame(const paf_model *m, const paf_view *v)
{
    paf_frame f = {.plot_w = 1};
    double top = 0, left = 0;
    if (v->header) {
        f.header = (paf_rect){0, 0, v->width, HEADER};
        top = HEADER;
    }
    if (has_side(v)) {
        left = v->panes.side > 0 ? round(CLAMP(v->panes.side, 180, v->width * 0.4)) : SIDE;
        f.side = (paf_rect){0, top, left, v->height - top};
    }
    paf_rect main = {left, top, v->width - left, v->height - top};
    double bottom = bottom_height(v, main.h);
    if (bottom > 0)
        split_bottom(&f, v, &main, bottom);
    bool timeline = has_timeline(m, v), wide = timeline || many_processes(m);
    double gutter = v->kind != PAF_VIEW_PARALLELISM && wide ? WIDE_GUTTER : GUTTER;
    double loops =
        timeline && paf_timeline_by(m, v->clock)->nchunks > 0 && main.w > 720 ? LOOPS : 0;
    f.plot_x = main.x + gutter;
    f.plot_w = fmax(main.w - gutter - MARGIN - loops, 20);
    double y = main.y + 12;
    if (v->kind == PAF_VIEW_ALL) {
        f.sentence = (paf_rect){main.x + 14, y - 6, main.w - 14 - MARGIN, SENTENCE};
        y += SENTENCE;
    }
    if (v->kind != PAF_VIEW_IOTREE) {
        f.overview = (paf_rect){f.plot_x, y, f.plot_w, OVERVIEW};
        y += OVERVIEW;
    }
    f.ruler = (paf_rect){f.plot_x, y, f.plot_w, RULER};
    y += RULER + 2;
    double end = main.y + main.h - bottom;
    double chart = chart_height(v, end - y, timeline);
    if (chart > 0)
        f.chart = (paf_rect){main.x, y, main.w, chart};
    bool lanes = has_lanes(v, end - y, timeline);
    y += chart + (chart > 0 && v->kind == PAF_VIEW_ALL ? 18 : 0);
    if (lanes)
        f.lanes = (paf_rect){main.x, y, main.w, fmax(end - y, 0)};
    split_workers(m, v, &f);
    bool timed = !timeline || paf_lanes_shown(m, v) == PAF_LANES_ROWS;
    f.time_bottom = timed && f.lanes.w > 0 ? f.lanes.y + f.lanes.h : f.chart.y + f.chart.h;
    if (loops > 0)
        f.loops = (paf_rect){f.plot_x + f.plot_w + MARGIN - 4, y, LOOPS - 8, f.lanes.h};
    return f;
}

// ---------------------------------------------------------------------------------------------
// What several parts draw

void paf_draw_card(paf_drawing *d, paf_rect place)
{
    paf_round_box(d->pic, place.x + 0.5, place.y + 0.5, place.w - 1, place.h - 1, 6);
    paf_fill_and_stroke(d->pic, d->theme->card, 0, d->theme->border, 1);
}

void paf_draw_swatch(paf_drawing *d, double x, double y, double size, uint32_t module)
{
    paf_colour colour = module == IOT_NONE ? d->theme->bars : paf_colour_of(d, module);
    paf_round_box(d->pic, x, y, size, size, 3);
    paf_fill(d->pic, colour, module == IOT_NONE ? 0 : paf_pattern_of(d, module));
}

void paf_draw_computing(paf_drawing *d, double x, double y, double width, const char *what)
{
    char *done = g_strdup_printf("being computed, %.0f %%", floor(d->v->computed * 100));
    char *text = g_strdup_printf("%s: %s", what, done);
    bool fits = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, text) <= width;
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, x, y, width, 0, fits ? text : done);
    g_free(text);
    g_free(done);
}

double paf_tick_step(double least)
{
    double step = pow(10, floor(log10(fmax(least, 1e-9))));
    while (step < least) {
        if (step * 2 >= least)
            return step * 2;
        if (step * 5 >= least)
            return step * 5;
        step *= 10;
    }
    return step;
}

// "simulated on 6 processors - 1,890 reductions - 355 steps"
static char *simulation_summary(const paf_drawing *d)
{
    const iot_schedule *s = d->v->schedule;
    char *processors = paf_count(iot_schedule_processors(s), "processor", "processors");
    char *work = paf_work(d->m->t, iot_work(d->m->a));
    char *span = paf_duration(d->m->t, s->sums.span);
    char *text = g_strdup_printf("simulated on %s · %s · %s", processors, work, span);
    g_free(processors);
    g_free(work);
    g_free(span);
    return text;
}

static void draw_header(paf_drawing *d)
{
    const paf_rect *r = &d->f.header;
    paf_box(d->pic, r->x, r->y, r->w, r->h);
    paf_fill(d->pic, d->theme->panel, 0);
    paf_box(d->pic, r->x, r->y + r->h - 1, r->w, 1);
    paf_fill(d->pic, d->theme->line, 0);
    double y = r->y + r->h / 2 + 5;
    double used = paf_write(d->pic, PAF_TEXT_TITLE, d->theme->ink, 20, y, r->w * 0.4, 0,
                            d->v->title ? d->v->title : "");
    char *summary = d->v->schedule ? simulation_summary(d) : paf_run_summary(d->m->a);
    double x = 20 + used + 24;
    paf_write_parts(d->pic, PAF_TEXT_BODY, d->theme->quiet, x, y, r->w - x - 20, 0, summary);
    g_free(summary);
}

// At the right, if the side bar is not there: what brings it. Returns its width.
static double draw_side_switch(paf_drawing *d)
{
    const paf_rect *r = &d->f.sentence;
    if (d->f.side.w > 0)
        return 0;
    double right = r->x + r->w;
    double w = paf_write(d->pic, PAF_TEXT_STRONG, d->theme->amber, right, r->y + 16, 0, 1, "Findings ▸");
    paf_add_hit(d->pic, (paf_rect){right - w - 6, r->y, w + 12, r->h}, PAF_HIT_SIDE_SWITCH, 0, 0);
    return w + 16;
}

// One line; a click leads to the finding that it names.
static void draw_sentence(paf_drawing *d)
{
    paf_rect place = d->f.sentence, *r = &place;
    r->w -= draw_side_switch(d);
    char *text = paf_run_sentence(d->m, d->v->clock, 0);
    for (int brief = 1; brief < 4; brief++) {
        if (paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, text) <= r->w)
            break;
        g_free(text);
        text = paf_run_sentence(d->m, d->v->clock, brief);
    }
    paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->ink, r->x, r->y + 16, r->w, 0, text);
    if (d->m->complete && iot_nfindings(d->m->a, false) > 0)
        paf_add_hit(d->pic, *r, PAF_HIT_FINDING, iot_nnotes(d->m->a), 0);
    g_free(text);
}

// ---------------------------------------------------------------------------------------------
// Creation

static void draw_background(paf_drawing *d)
{
    paf_box(d->pic, 0, 0, d->v->width, d->v->height);
    paf_fill(d->pic, d->theme->window, 0);
}

static void draw_nothing(paf_drawing *d)
{
    double x = d->f.plot_x + d->f.plot_w / 2;
    double y = d->f.chart.w > 0 ? d->f.chart.y + d->f.chart.h / 2 : d->v->height / 2;
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, x, y, d->f.plot_w, 0.5,
              "Nothing was reduced in this run: there is no time to show.");
}

void paf_draw_wash(paf_drawing *d, paf_rect place)
{
    const paf_focus *f = d->v->focus;
    if (!f || (f->kind != PAF_FOCUS_FINDING && f->kind != PAF_FOCUS_STRETCH) || f->clock != d->v->clock)
        return;
    double left = d->f.plot_x, right = left + d->f.plot_w, pixel = 1 / d->v->scale;
    double from = CLAMP(paf_x(d, (double)f->from - 0.5), left, right);
    double to = CLAMP(paf_x(d, (double)f->to + 0.5), left, right);
    paf_box(d->pic, left - 4, place.y, from - left + 4, place.h);
    paf_box(d->pic, to, place.y, right + 4 - to, place.h);
    paf_fill(d->pic, paf_alpha(d->theme->window, 0.72), 0);
    if (from > left)
        paf_box(d->pic, paf_snap(d->pic, from), place.y, pixel, place.h);
    if (to < right)
        paf_box(d->pic, paf_snap(d->pic, to), place.y, pixel, place.h);
    paf_fill(d->pic, paf_alpha(d->theme->amber, 0.8), 0);
}

// Of the stretch that is shown; without the curve, a line says which that is.
static void draw_kind_alone(paf_drawing *d, paf_rect place)
{
    char *from = paf_moment_by(d->m->t, d->v->clock, (int64_t)d->v->from);
    char *to = paf_moment_by(d->m->t, d->v->clock, (int64_t)fmin(d->v->to, paf_end(d->m, d->v->clock)));
    char *text = g_strdup_printf("from %s to %s", from, to);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x + place.w, place.y + 4, 0, 1, text);
    g_free(text);
    g_free(to);
    g_free(from);
    place.y += 16;
    place.h -= 16;
    if (d->v->kind == PAF_VIEW_CALLS)
        paf_draw_calls(d, place);
    else
        paf_draw_messages(d, place);
}

// The rows of places, or what the view has in their place.
static void draw_places(paf_drawing *d)
{
    switch (paf_lanes_shown(d->m, d->v)) {
    case PAF_LANES_CALLS:
        paf_draw_calls(d, d->f.lanes);
        break;
    case PAF_LANES_MESSAGES:
        paf_draw_messages(d, d->f.lanes);
        break;
    case PAF_LANES_ROWS:
        paf_draw_timeline(d, d->f.lanes);
        break;
    }
}

// Above all else, since they are narrow.
static void add_borders(paf_drawing *d)
{
    const paf_frame *f = &d->f;
    double half = BORDER / 2;
    if (f->side.w > 0)
        paf_add_hit(d->pic, (paf_rect){f->side.x + f->side.w - half, f->side.y, BORDER, f->side.h},
                    PAF_HIT_BORDER, PAF_BORDER_SIDE, 0);
    if (f->details.w <= 0)
        return;
    paf_add_hit(d->pic, (paf_rect){f->details.x, f->details.y - half, d->v->width - f->details.x, BORDER},
                PAF_HIT_BORDER, PAF_BORDER_BOTTOM, 0);
    paf_add_hit(d->pic, (paf_rect){f->source.x - half, f->source.y, BORDER, f->source.h}, PAF_HIT_BORDER,
                PAF_BORDER_DETAILS, 0);
}

static void draw_parts(paf_drawing *d)
{
    draw_background(d);
    if (d->f.header.w > 0)
        draw_header(d);
    paf_rect below = {24, d->f.header.h + 16, d->v->width - 48, d->v->height - d->f.header.h - 32};
    if (d->v->kind == PAF_VIEW_DEPENDENCIES) {
        paf_draw_dependencies(d, below);
        return;
    }
    if (d->v->kind == PAF_VIEW_COSTS) {
        paf_draw_costs(d, below);
        return;
    }
    if (d->v->kind == PAF_VIEW_CALLS || d->v->kind == PAF_VIEW_MESSAGES) {
        draw_kind_alone(d, below);
        return;
    }
    if (d->v->kind == PAF_VIEW_PLACES && (d->v->schedule || !d->m->timeline)) {
        paf_draw_places(d, below);
        return;
    }
    if (d->f.side.w > 0)
        paf_draw_side(d);
    if (paf_end(d->m, d->v->clock) <= 0) {
        draw_nothing(d);
    } else {
        if (d->f.workers.w > 0)
            paf_draw_timeline(d, d->f.workers);
        bool simulated = paf_shows_ghost(d) && d->v->ghost->by_start;
        if (d->f.lanes.w > 0 && simulated)
            paf_draw_simulated(d, d->f.lanes);
        else if (d->f.lanes.w > 0 && has_timeline(d->m, d->v) && d->f.workers.w == 0)
            draw_places(d);
        else if (d->f.lanes.w > 0)
            paf_draw_lanes(d);
        if (d->f.chart.w > 0)
            paf_draw_chart(d);
        if (d->f.overview.w > 0)
            paf_draw_overview(d);
        paf_draw_ruler(d);
        if (d->f.sentence.w > 0)
            draw_sentence(d);
    }
    if (d->f.details.w > 0) {
        paf_draw_details(d);
        paf_draw_source(d);
    }
    add_borders(d);
}

static paf_drawing drawing_of(const paf_model *m, const paf_view *v, paf_layout *into)
{
    return (paf_drawing){.m = m,
                         .v = v,
                         .theme = paf_theme_get(v->dark),
                         .pic = into->picture,
                         .out = into,
                         .f = into->frame,
                         .zoom = into->frame.plot_w / (v->to - v->from)};
}

void paf_layout_draw_run(const paf_model *m, const paf_view *v, paf_layout *into)
{
    paf_drawing d = drawing_of(m, v, into);
    if (paf_end(m, v->clock) <= 0) {
        draw_nothing(&d);
        return;
    }
    if (d.f.lanes.h > 0 && trace_is_measured(m->t) && paf_timeline_by(m, v->clock))
        paf_draw_timeline(&d, d.f.lanes);
    else if (d.f.lanes.h > 0)
        paf_draw_lanes(&d);
    paf_draw_chart(&d);
    paf_draw_ruler(&d);
}

void paf_draw_run_findings(const paf_model *m, const paf_view *v, paf_layout *into, paf_rect column,
                           const char *title)
{
    paf_drawing d = drawing_of(m, v, into);
    paf_draw_findings(&d, column, title);
}

paf_layout *paf_layout_create(const paf_model *m, const paf_view *view, paf_shaped_text *text)
{
    paf_layout *layout = g_new0(paf_layout, 1);
    layout->picture = paf_picture_create(text, view->scale);
    layout->wants = g_array_new(FALSE, FALSE, sizeof(paf_want));
    layout->row_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    layout->frame = make_frame(m, view);
    paf_drawing d = drawing_of(m, view, layout);
    draw_parts(&d);
    return layout;
}

static bool is_fine(int64_t finest, double zoom)
{
    return finest == 1 || (double)(finest / 2) * zoom < 1;
}

bool paf_layout_is_exact(const paf_model *m, const paf_view *view)
{
    paf_frame f = make_frame(m, view);
    return is_fine(iot_finest(m->a), f.plot_w / (view->to - view->from)) &&
           (f.overview.w == 0 ||
            is_fine(iot_finest_of_run(m->a), f.overview.w / (paf_axis_end(m, view) + 1)));
}

// The chart asks for buckets that begin before the window or end behind it.
#define BESIDE 4

bool paf_layout_needs(const paf_model *m, const paf_view *view, int64_t *ret_from, int64_t *ret_width,
                      uint32_t *ret_n)
{
    double zoom = make_frame(m, view).plot_w / (view->to - view->from);
    int64_t width = 1;
    while ((double)width * zoom < 1)
        width *= 2;
    int64_t first = (int64_t)(fmax(view->from, 0) / (double)width) - BESIDE;
    int64_t last = (int64_t)(view->to / (double)width) + BESIDE;
    first = MAX(first, 0);
    if (last - first > TRACE_STRETCH_VALUES)
        return false;
    *ret_from = first * width;
    *ret_width = width;
    *ret_n = (uint32_t)(last - first);
    return true;
}

void paf_layout_destroy(paf_layout *layout)
{
    if (!layout)
        return;
    paf_picture_destroy(layout->picture);
    g_array_unref(layout->wants);
    g_array_unref(layout->row_of);
    if (layout->source.counts)
        g_array_unref(layout->source.counts);
    g_free(layout);
}

double paf_end(const paf_model *m, iot_clock clock)
{
    return (double)iot_end(m->a, clock);
}

double paf_axis_end(const paf_model *m, const paf_view *v)
{
    bool ghost = v->ghost && v->ghost->run.clock == v->clock;
    return fmax(paf_end(m, v->clock), ghost ? paf_ghost_end(v->ghost) : 0);
}

bool paf_has_clocks(const paf_model *m)
{
    return iot_has_real_time(m->t);
}

paf_view paf_view_fit(const paf_model *m, double width, double height)
{
    iot_clock clock = trace_is_measured(m->t) ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    return (paf_view){.kind = PAF_VIEW_ALL,
                      .clock = clock,
                      .drop = IOT_NONE,
                      .region = IOT_NONE,
                      .width = width,
                      .height = height,
                      .scale = 1,
                      .path = true,
                      .from = 0,
                      .to = fmax(paf_end(m, clock), 1) + 1,
                      .selected = IOT_NONE,
                      .waiting = IOT_NONE,
                      .call = IOT_NONE,
                      .sender = IOT_NONE,
                      .receiver = IOT_NONE,
                      .pointer = NAN,
                      .hover = IOT_NONE,
                      .hover_link = IOT_NONE};
}

void paf_model_prepare(paf_model *m, const paf_view *view, paf_shaped_text *text)
{
    // Trees that arrive change how many rows there are, and so which others are wanted; twice is
    // nearly always enough.
    for (int round = 0; round < 3; round++) {
        paf_layout *layout = paf_layout_create(m, view, text);
        guint n = layout->wants->len;
        for (guint i = 0; i < n; i++)
            paf_model_take(m, paf_tree_build(m, &g_array_index(layout->wants, paf_want, i)));
        paf_layout_destroy(layout);
        if (n == 0)
            break;
    }
}

void paf_view_take_bookmark(paf_view *view, const paf_model *m, const paf_bookmark *b, paf_focus **ret_focus,
                            uint8_t *folded)
{
    if (b->clock == IOT_VIRTUAL_TIME || paf_model_has_real(m))
        view->clock = b->clock;
    double end = fmax(paf_end(m, view->clock), 1) + 1;
    bool whole = b->from >= b->to || b->from >= end;
    view->from = whole ? 0 : fmax(b->from, 0);
    view->to = whole ? end : fmin(b->to, end);
    view->selected = b->selected < trace_nreductions(m->t) ? b->selected : IOT_NONE;
    view->waiting = view->region = IOT_NONE;
    *ret_focus = b->focus ? paf_focus_of_text(m, view->clock, b->focus) : NULL;
    view->focus = *ret_focus;
    for (uint32_t i = 0; i < m->nmodules; i++)
        folded[i] = g_ptr_array_find_with_equal_func(b->folded, iot_get_module(m->a, i)->name, g_str_equal,
                                                     NULL);
}
