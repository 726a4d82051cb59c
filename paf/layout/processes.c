// SPDX-License-Identifier: MIT
//
// The processes: sections with their labels, and everything in them, in the order that keeps it
// readable: background, grid, lines of the trees, faint arrows, shapes, strong arrows, selection.
#include "paf/layout/lanes.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LABEL_MAX_CELLS 6  // of a process's goal beside its lane
#define LEAST_TWO_LINES 46 // height of a section whose label tells the processes as well
#define LEAST_LABELLED  11 // height of a lane that a line of small text still fits

static double label_x(const paf_drawing *d)
{
    return d->f.lanes.x + 14;
}

static double label_w(const paf_drawing *d)
{
    return d->f.plot_x - label_x(d) - 10;
}

// ---------------------------------------------------------------------------------------------
// Labels

static char *section_count(const paf_section *s)
{
    return paf_count(s->nprocesses, "process", "processes");
}

static void label_beside(paf_drawing *d, const paf_section *s, const char *name)
{
    double x = label_x(d), w = label_w(d);
    bool two = s->compact || s->h >= LEAST_TWO_LINES;
    double y = s->y + (s->compact ? 16 : two ? 22 : s->h / 2 + 4.5);
    paf_draw_swatch(d, x, y - 10, 11, s->module);
    paf_write_name(d->pic, PAF_TEXT_HEAD, d->theme->ink, x + 17, y, w - 17, 0, name);
    if (!two)
        return;
    char *count = s->nprocesses ? section_count(s) : g_strdup("only waits");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + (s->compact ? 17 : 0),
              y + (s->compact ? 14 : 17), w, 0, count);
    g_free(count);
}

// The name, and the count beside it. No shape stands in this line, so a long name with its count goes on over
// the beginning of the axis, on a ground of its own.
static void label_above(paf_drawing *d, const paf_section *s, const char *name)
{
    paf_shaped_text *text = paf_picture_text(d->pic);
    double x = label_x(d) + 17, w = label_w(d) - 17, y = s->y + 20;
    char *count = section_count(s);
    double beside = paf_shaped_text_width(text, PAF_TEXT_SMALL, count) + 8;
    double most = fmax(paf_shaped_text_width(text, PAF_TEXT_HEAD, name), 1);
    double used = fmin(most, fmax(w - beside, w * 0.6));
    if (used + beside > w + 6) {
        paf_box(d->pic, d->f.plot_x - 4, y - 12, x + used + beside + 8 - d->f.plot_x, 16);
        paf_fill(d->pic, d->theme->lane, 0);
    }
    paf_draw_swatch(d, x - 17, y - 10, 11, s->module);
    used = paf_write_name(d->pic, PAF_TEXT_HEAD, d->theme->ink, x, y, used + 1, 0, name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + used + 8, y, 0, 0, count);
    g_free(count);
}

static char *lane_label(const paf_drawing *d, const paf_lane *lane)
{
    if (lane->kind == PAF_LANE_BAND) {
        char *n = paf_count(lane->nfolded, "process", "processes");
        bool scrolled = d->v->scrolled == lane->module && d->v->first_process > 0;
        char *above = scrolled ? paf_number(d->v->first_process) : NULL;
        char *text = scrolled ? g_strdup_printf("+%s, %s above", n, above) : g_strdup_printf("+%s", n);
        g_free(above);
        g_free(n);
        return text;
    }
    const iot_process *p = iot_get_process(d->m->a, lane->process);
    return paf_goal_text(d->m->t, p->goal, p->created, LABEL_MAX_CELLS);
}

// All lanes or none: a few labels among bare lanes would look as if the others had no name. A
// lane without one names itself in its tip.
static void label_lanes(paf_drawing *d, const paf_lanes *l, const paf_section *s)
{
    bool room = true;
    for (uint32_t i = 0; i < s->nlanes; i++)
        room = room && paf_lane_at(l, s->first_lane + i)->h >= LEAST_LABELLED;
    for (uint32_t i = 0; i < s->nlanes; i++) {
        const paf_lane *lane = paf_lane_at(l, s->first_lane + i);
        bool band = lane->kind == PAF_LANE_BAND;
        if ((!room && !band) || lane->kind == PAF_LANE_WAITING)
            continue;
        char *text = lane_label(d, lane);
        double y = lane->y + (band ? lane->h : MIN(l->pitch, lane->h)) / 2 + 3.5;
        paf_write(d->pic, band ? PAF_TEXT_SMALL : PAF_TEXT_TINY, d->theme->quiet, label_x(d) + 17,
                  y, label_w(d) - 17, 0, text);
        g_free(text);
    }
}

static const char *section_name(const paf_drawing *d, const paf_section *s, char **ret_free)
{
    if (s->module != IOT_NONE)
        return iot_get_module(d->m->a, s->module)->name;
    char *n = paf_number(s->nmodules);
    *ret_free = g_strdup_printf("+%s modules", n);
    g_free(n);
    return *ret_free;
}

static void label_section(paf_drawing *d, const paf_lanes *l, const paf_section *s)
{
    char *made = NULL;
    const char *name = section_name(d, s, &made);
    paf_rect place = {d->f.lanes.x, s->y, d->f.plot_x - d->f.lanes.x - 6, s->h};
    if (s->module != IOT_NONE && s->nprocesses > 1)
        paf_add_hit(d->pic, place, PAF_HIT_SECTION, s->module, s->nprocesses);
    else if (s->module != IOT_NONE)
        paf_add_hit(d->pic, place, PAF_HIT_SECTION, s->module, 0);
    if (s->titled) {
        label_above(d, s, name);
        label_lanes(d, l, s);
    } else {
        label_beside(d, s, name);
    }
    g_free(made);
}

// ---------------------------------------------------------------------------------------------
// Backgrounds and places

static void draw_sections(paf_drawing *d, const paf_lanes *l)
{
    const paf_rect *r = &d->f.lanes;
    double bottom = r->y;
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        bottom = s->y + s->h;
    }
    paf_box(d->pic, r->x, r->y, r->w, bottom - r->y);
    paf_fill(d->pic, d->theme->lane, 0);
    paf_draw_grid(d, *r);
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        paf_box(d->pic, r->x, paf_snap(d->pic, s->y), r->w, 1);
    }
    paf_fill(d->pic, d->theme->line, 0);
}

static void add_lane_hits(paf_drawing *d, const paf_lanes *l)
{
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = s->first_lane; k < s->first_lane + s->nlanes; k++) {
            const paf_lane *lane = paf_lane_at(l, k);
            paf_rect place = {d->f.plot_x, lane->y, d->f.plot_w, lane->h};
            if (lane->kind == PAF_LANE_WAITING) // its box answers
                continue;
            if (lane->kind == PAF_LANE_BAND) {
                paf_add_hit(d->pic, place, PAF_HIT_BAND, lane->module, lane->nfolded);
                continue;
            }
            paf_add_hit(d->pic, place, PAF_HIT_LANE, lane->process, 0);
            if (s->titled)
                paf_add_hit(d->pic,
                            (paf_rect){d->f.lanes.x, lane->y, d->f.plot_x - d->f.lanes.x, lane->h},
                            PAF_HIT_LANE, lane->process, 0);
        }
    }
}

static void add_shape_hits(paf_drawing *d, const paf_lanes *l)
{
    for (guint i = 0; i < l->shapes->len; i++) {
        const paf_shape *s = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, s->lane);
        // In a shared row only the solid parts tell nodes apart.
        double left = fmax(s->merged ? s->s0 : paf_shape_left(s), d->f.plot_x);
        double right = fmin(s->s1, d->f.plot_x + d->f.plot_w);
        if (right > left)
            paf_add_hit(d->pic, (paf_rect){left, s->y, right - left, s->h}, PAF_HIT_NODE,
                        lane->process, iot_tree_node(lane->tree->tree, s->node)->reduction);
    }
}

// What may be the matter where nothing is to be seen.
static const char *empty_hint(const trace *t)
{
    if (iot_ran_to_end(t))
        return "More modules in the partition may show what passes between them.";
    switch (trace_get_ending(t)) {
    case TRACE_DEADLOCK:
        return "The run ended in a deadlock: goals wait that nothing can wake.";
    case TRACE_FAILED:
        return "The run failed.";
    default:
        return "The run was cut short.";
    }
}

// In the middle, with no line of the grid through it.
static void write_hint(paf_drawing *d, paf_colour ink, double y, const char *text)
{
    double x = d->f.plot_x + d->f.plot_w / 2;
    double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, text) + 16;
    w = fmin(w, d->f.plot_w);
    paf_box(d->pic, x - w / 2, y - 14, w, 20);
    paf_fill(d->pic, d->theme->window, 0);
    paf_write(d->pic, PAF_TEXT_BODY, ink, x, y, d->f.plot_w, 0.5, text);
}

static void draw_note(paf_drawing *d, const paf_lanes *l, const paf_arrows *arrows)
{
    const paf_rect *r = &d->f.lanes;
    if (l->sections->len == 0) {
        double y = r->y + fmin(r->h / 2, 60);
        write_hint(d, d->theme->quiet, y, "No process takes or gives anything in this stretch of time.");
        write_hint(d, d->theme->faint, y + 20, empty_hint(d->m->t));
        return;
    }
    const paf_section *last = &g_array_index(l->sections, paf_section, l->sections->len - 1);
    char *note = paf_arrows_note(arrows);
    double y = fmin(last->y + last->h + 15, r->y + r->h - 6);
    paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->f.plot_x + d->f.plot_w, y, d->f.plot_w,
                    1, note);
    g_free(note);
}

void paf_draw_lanes(paf_drawing *d)
{
    const paf_rect *r = &d->f.lanes;
    if (!d->m->complete) {
        paf_add_hit(d->pic, (paf_rect){d->f.plot_x, r->y, d->f.plot_w, r->h}, PAF_HIT_LANES, 0, 0);
        paf_draw_computing(d, d->f.plot_x, r->y + fmin(r->h / 2, 60), d->f.plot_w,
                           "Inputs, outputs and arrows");
        return;
    }
    paf_lanes *l = paf_lanes_plan(d);
    paf_arrows *arrows = paf_arrows_collect(d, l);
    paf_clip(d->pic, *r);
    draw_sections(d, l);
    paf_add_hit(d->pic, (paf_rect){d->f.plot_x, r->y, d->f.plot_w, r->h}, PAF_HIT_LANES, 0, 0);
    for (guint i = 0; i < l->sections->len; i++)
        label_section(d, l, &g_array_index(l->sections, paf_section, i));
    add_lane_hits(d, l);
    // The first and the last step may stick out a little where the run begins and ends.
    double before = d->v->from <= 0 ? 4 : 0, after = d->v->to > paf_end(d->m, d->v->clock) ? 4 : 0;
    paf_clip(d->pic, (paf_rect){d->f.plot_x - before, r->y, d->f.plot_w + before + after, r->h});
    paf_draw_tree_lines(d, l);
    paf_arrows_draw_faint(d, arrows);
    paf_draw_density(d, l);
    paf_draw_shapes(d, l);
    paf_arrows_draw_strong(d, arrows);
    paf_draw_path(d, l);
    paf_draw_shape_labels(d, l);
    paf_draw_waiting(d, l);
    paf_arrows_draw_counts(d, arrows);
    paf_arrows_add_hits(d, arrows);
    add_shape_hits(d, l);
    if (paf_focus_dims(d->v->focus) && l->sections->len) {
        const paf_section *last = &g_array_index(l->sections, paf_section, l->sections->len - 1);
        paf_draw_wash(d, (paf_rect){r->x, r->y, r->w, last->y + last->h - r->y});
    }
    paf_draw_selection(d, l);
    paf_unclip(d->pic);
    draw_note(d, l, arrows);
    paf_unclip(d->pic);
    paf_arrows_free(arrows);
    paf_lanes_free(l);
}
