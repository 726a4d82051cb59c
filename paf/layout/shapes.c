// SPDX-License-Identifier: MIT
//
// Nodes as shapes (pale box, line, solid box), and the density that replaces too many of them.
#include "paf/layout/lanes.h"
#include "paf/model/real_times.h"
#include "base/search.h"
#include "paf/say/numbers.h"

#include <math.h>

#define DENSITY_COLUMN 3.0  // pixels
#define LABEL_LEAST    44.0 // width from which a box carries its term
#define MOST_LABELS    160
#define LABEL_CELLS    8

static double radius_of(double h, double w)
{
    // Small corners cannot be seen, and square ones are drawn many times faster.
    return w < 7 || h < 8 ? 0 : MIN(3.0, 0.3 * MIN(w, h));
}

// ---------------------------------------------------------------------------------------------
// Lines inside the trees

// From parent to child. One after the other: a curve from end to beginning. Overlapping in time:
// a short drop where the child begins, so that no line runs backwards.
static void add_tree_line(paf_drawing *d, const paf_lanes *l, const paf_shape *parent,
                          const paf_shape *child)
{
    (void)l;
    double p0 = paf_shape_left(parent), p1 = parent->s1, c0 = paf_shape_left(child);
    double py = parent->y + parent->h / 2, cy = child->y + child->h / 2;
    if (c0 >= p1) {
        double reach = CLAMP((c0 - p1) * 0.5, 3, 40);
        paf_move(d->pic, p1, py);
        if (fabs(py - cy) < 1)
            paf_line(d->pic, c0, cy);
        else
            paf_curve(d->pic, p1 + reach, py, c0 - reach, cy, c0, cy);
        return;
    }
    double x = fmax(p0, c0) + 4;
    bool down = cy > py;
    paf_move(d->pic, x, down ? parent->y + parent->h : parent->y);
    paf_line(d->pic, x, down ? child->y : child->y + child->h);
}

void paf_draw_tree_lines(paf_drawing *d, const paf_lanes *l)
{
    for (guint i = 0; i < l->shapes->len; i++) {
        const paf_shape *child = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, child->lane);
        const iot_node *node = iot_tree_node(lane->tree->tree, child->node);
        if (node->parent == IOT_NONE || lane->box_of[node->parent] == IOT_NONE || child->merged)
            continue;
        add_tree_line(d, l, paf_shape_at(l, lane->box_of[node->parent]), child);
    }
    paf_stroke(d->pic, paf_alpha(d->theme->tree, 0.7), 0.8);
}

// ---------------------------------------------------------------------------------------------
// Shapes: three passes per module, so that each is one path of one colour

typedef void shape_path(paf_drawing *d, const paf_shape *s);

static void response_path(paf_drawing *d, const paf_shape *s)
{
    if (s->x1 > s->x0 && s->s0 > s->x1) {
        paf_move(d->pic, s->x1, s->y + s->h / 2);
        paf_line(d->pic, s->s0, s->y + s->h / 2);
    }
}

// Far outside the picture coordinates lose their precision: shapes end just beyond it.
static void clip_path(paf_drawing *d, double x0, double x1, const paf_shape *s, double inset)
{
    double left = d->f.plot_x - 20, right = d->f.plot_x + d->f.plot_w + 20;
    x0 = CLAMP(x0, left, right);
    x1 = CLAMP(x1, left, right);
    if (x1 - x0 <= 2 * inset)
        return;
    paf_round_box(d->pic, x0 + inset, s->y + inset, x1 - x0 - 2 * inset, s->h - 2 * inset,
                  radius_of(s->h, x1 - x0));
}

static void pale_path(paf_drawing *d, const paf_shape *s)
{
    if (s->x1 > s->x0 && !s->merged)
        clip_path(d, s->x0, s->x1, s, 0.5);
}

// In a shared row outlines would only cross each other: there, pale means that something waits.
static void merged_path(paf_drawing *d, const paf_shape *s)
{
    if (s->x1 > s->x0 && s->merged)
        clip_path(d, s->x0, s->x1, s, 0);
}

static void solid_path(paf_drawing *d, const paf_shape *s)
{
    clip_path(d, s->s0, s->s1, s, 0);
}

static void each_shape(paf_drawing *d, const paf_lanes *l, const paf_section *section, bool lit,
                       shape_path *path)
{
    for (uint32_t k = 0; k < section->nlanes; k++) {
        uint32_t lane_index = section->first_lane + k;
        const paf_lane *lane = paf_lane_at(l, lane_index);
        if (lane->kind != PAF_LANE_BOXES)
            continue;
        for (guint i = lane->first_box; i < l->shapes->len; i++) {
            const paf_shape *s = paf_shape_at(l, i);
            if (s->lane != lane_index)
                break;
            if (s->lit == lit)
                path(d, s);
        }
    }
}

// Those that the focus is not on, first, with little of their colour.
static void draw_shapes_of(paf_drawing *d, const paf_lanes *l, const paf_section *section, bool lit)
{
    double pale_share = d->theme->dark ? 0.34 : 0.22;
    paf_colour full = paf_colour_of(d, section->module);
    paf_colour colour = lit ? full : paf_mix(full, d->theme->lane, 0.3);
    paf_colour pale = paf_mix(colour, d->theme->lane, pale_share);
    each_shape(d, l, section, lit, response_path);
    paf_stroke(d->pic, colour, 1.5);
    each_shape(d, l, section, lit, merged_path);
    paf_fill(d->pic, pale, 0);
    each_shape(d, l, section, lit, pale_path);
    paf_fill_and_stroke(d->pic, pale, 0, colour, 1);
    each_shape(d, l, section, lit, solid_path);
    paf_fill(d->pic, colour, paf_pattern_of(d, section->module));
}

void paf_draw_shapes(paf_drawing *d, const paf_lanes *l)
{
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *section = &g_array_index(l->sections, paf_section, i);
        if (section->module == IOT_NONE)
            continue;
        if (paf_focus_dims(paf_lighting(d)))
            draw_shapes_of(d, l, section, false);
        draw_shapes_of(d, l, section, true);
    }
}

// ---------------------------------------------------------------------------------------------
// Terms inside boxes, close in

// Of a box that begins or ends outside the window, what it takes last and gives first within it. By real
// time inputs are in another order: there, the box's own last and first ones.
static uint32_t last_input_shown(const paf_drawing *d, const paf_lane *lane, const iot_node *node)
{
    const iot_input *inputs;
    const uint32_t *in = iot_tree_inputs(lane->tree->tree) + node->first_input;
    iot_inputs(d->m->a, lane->process, &inputs);
    size_t n = node->ninputs;
    if (d->v->clock == IOT_VIRTUAL_TIME)
        FIRST_NOT(n, node->ninputs, i, (double)inputs[in[i]].time <= d->v->to);
    return node->first_input + (uint32_t)(n > 0 ? n - 1 : 0);
}

static uint32_t first_output_shown(const paf_drawing *d, const paf_lane *lane, const iot_node *node)
{
    const iot_output *outputs;
    const uint32_t *out = iot_tree_outputs(lane->tree->tree) + node->first_output;
    iot_outputs(d->m->a, lane->process, &outputs);
    size_t n = 0;
    if (d->v->clock == IOT_VIRTUAL_TIME)
        FIRST_NOT(n, node->noutputs, i, (double)outputs[out[i]].time < d->v->from);
    return node->first_output + (uint32_t)MIN(n, node->noutputs - 1);
}

static char *input_text(const paf_drawing *d, const paf_lane *lane, const iot_node *node)
{
    const iot_input *inputs;
    iot_inputs(d->m->a, lane->process, &inputs);
    const iot_input *in = &inputs[iot_tree_inputs(lane->tree->tree)[last_input_shown(d, lane, node)]];
    if (in->binding != IOT_NONE)
        return paf_binding_text(d->m->t, in->binding, in->time, LABEL_CELLS);
    uint32_t goal = iot_get_process(d->m->a, lane->process)->goal;
    return paf_term_text(d->m->t, trace_goal_arg(d->m->t, goal, in->argument - 1), in->time,
                         LABEL_CELLS);
}

static char *output_text(const paf_drawing *d, const paf_lane *lane, const iot_node *node)
{
    const iot_output *outputs;
    iot_outputs(d->m->a, lane->process, &outputs);
    const iot_output *out = &outputs[iot_tree_outputs(lane->tree->tree)[first_output_shown(d, lane, node)]];
    return paf_binding_text(d->m->t, out->binding, out->time, LABEL_CELLS);
}

static void write_label(paf_drawing *d, double x0, double x1, const paf_shape *s, paf_colour colour,
                        char *text)
{
    x0 = fmax(x0, d->f.plot_x) + 5;
    x1 = fmin(x1, d->f.plot_x + d->f.plot_w) - 5;
    if (x1 - x0 > LABEL_LEAST - 10)
        paf_write(d->pic, PAF_TEXT_TINY, colour, x0, s->y + s->h / 2 + 3.5, x1 - x0, 0, text);
    g_free(text);
}

static bool wide_enough(const paf_drawing *d, double x0, double x1)
{
    return fmin(x1, d->f.plot_x + d->f.plot_w) - fmax(x0, d->f.plot_x) >= LABEL_LEAST;
}

void paf_draw_shape_labels(paf_drawing *d, const paf_lanes *l)
{
    if (l->pitch < 17)
        return;
    uint32_t written = 0;
    for (guint i = 0; i < l->shapes->len && written < MOST_LABELS; i++) {
        const paf_shape *s = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, s->lane);
        const iot_node *node = iot_tree_node(lane->tree->tree, s->node);
        double pale_end = fmin(s->x1, s->s0);
        if (s->merged || !s->lit)
            continue;
        if (node->ninputs && wide_enough(d, s->x0, pale_end)) {
            write_label(d, s->x0, pale_end, s, d->theme->ink, input_text(d, lane, node));
            written++;
        }
        if (node->noutputs && wide_enough(d, s->s0, s->s1)) {
            paf_colour colour = paf_colour_of(d, lane->module);
            bool bright = colour.r * 0.3 + colour.g * 0.59 + colour.b * 0.11 > 0.55;
            paf_colour on = bright ? paf_theme_get(false)->ink : paf_theme_get(false)->card;
            write_label(d, s->s0, s->s1, s, on, output_text(d, lane, node));
            written++;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Density

typedef struct {
    double x, width; // of a column
    int64_t from, step;
    uint32_t n;
} columns;

static columns make_columns(const paf_drawing *d)
{
    int64_t step = (int64_t)fmax(ceil(DENSITY_COLUMN / d->zoom), 1);
    int64_t first = (int64_t)floor(fmax(d->v->from, 0) / (double)step) * step;
    return (columns){paf_x(d, (double)first - 0.5), (double)step * d->zoom, first, step,
                     (uint32_t)((d->v->to - (double)first) / (double)step) + 1};
}

// Heights grow with the square root: a single event stays visible beside a thousand. All edges lie
// on whole pixels, which makes a thousand columns cheap to draw.
static void add_columns(paf_drawing *d, const columns *c, const double *counts, double most,
                        double base, double height, bool up)
{
    double pixel = 1 / d->v->scale, gap = c->width >= 5 ? pixel : 0;
    base = paf_snap(d->pic, base);
    for (uint32_t i = 0; i < c->n; i++) {
        if (counts[i] <= 0)
            continue;
        double h = fmax(paf_snap(d->pic, sqrt(counts[i] / most) * height), pixel);
        double x0 = paf_snap(d->pic, c->x + i * c->width);
        double x1 = paf_snap(d->pic, c->x + (i + 1) * c->width);
        paf_box(d->pic, x0, up ? base - h : base, fmax(x1 - x0 - gap, pixel), h);
    }
}

static double largest(const double *counts, uint32_t n)
{
    double most = 1e-9;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, counts[i]);
    return most;
}

// One process: what it takes above the middle, pale; what it gives below, solid.
static void draw_process_density(paf_drawing *d, const paf_lane *lane, const columns *c)
{
    double *in = g_new0(double, c->n), *out = g_new0(double, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t t = c->from + (int64_t)i * c->step;
        in[i] = paf_inputs_between(d->m, d->v->clock, lane->process, t, t + c->step);
        out[i] = paf_outputs_between(d->m, d->v->clock, lane->process, t, t + c->step);
    }
    double most = fmax(largest(in, c->n), largest(out, c->n));
    double middle = lane->y + lane->h / 2, height = fmax(lane->h / 2 - 1, 2);
    paf_colour colour = paf_colour_of(d, lane->module);
    int64_t created = paf_process_created(d->m, d->v->clock, lane->process);
    int64_t last = paf_process_last(d->m, d->v->clock, lane->process);
    double x0 = fmax(paf_x(d, (double)created), d->f.plot_x);
    double x1 = fmin(paf_x(d, (double)last), d->f.plot_x + d->f.plot_w);
    paf_box(d->pic, x0, middle - 0.5, fmax(x1 - x0, 1), 1);
    paf_fill(d->pic, paf_alpha(colour, 0.6), 0);
    add_columns(d, c, in, most, middle, height, true);
    paf_fill(d->pic, paf_mix(colour, d->theme->lane, 0.45), 0);
    add_columns(d, c, out, most, middle, height, false);
    paf_fill(d->pic, colour, 0);
    g_free(in);
    g_free(out);
}

static void add_module(const paf_drawing *d, const columns *c, uint32_t module, double *counts)
{
    iot_bucket *b = g_new0(iot_bucket, c->n);
    iot_profile_by(d->m->a, d->v->clock, IOT_REDUCTIONS, module, c->from, c->step, c->n, b);
    for (uint32_t i = 0; i < c->n; i++)
        counts[i] += (double)b[i].sum;
    g_free(b);
}

static uint32_t members_before(const trace *t, const uint32_t *members, uint32_t n, int64_t time)
{
    size_t first;
    FIRST_NOT(first, n, i, trace_time(t, members[i]) < time);
    return (uint32_t)first;
}

// The time of a reduction, from the columns that it lies in.
static void subtract_busy(const trace *t, const columns *c, uint32_t reduction, double *counts)
{
    int64_t start = MAX(trace_start(t, reduction), c->from), end = trace_end(t, reduction);
    for (int64_t i = (start - c->from) / c->step; i < c->n && c->from + i * c->step < end; i++) {
        int64_t from = MAX(start, c->from + i * c->step);
        int64_t to = MIN(end, c->from + (i + 1) * c->step);
        counts[i] -= (double)(to - from);
    }
}

static void subtract_process(const paf_drawing *d, const columns *c, uint32_t process,
                             double *counts)
{
    const uint32_t *members;
    uint32_t n = iot_members(d->m->a, process, &members);
    if (d->v->clock == IOT_REAL_TIME) {
        for (uint32_t i = 0; i < n; i++)
            subtract_busy(d->m->t, c, members[i], counts);
        return;
    }
    uint32_t before = members_before(d->m->t, members, n, c->from);
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t end = c->from + (int64_t)(i + 1) * c->step;
        uint32_t next = before + members_before(d->m->t, members + before, n - before, end);
        counts[i] -= next - before;
        before = next;
    }
}

// Many processes: their reductions, those of the processes that have a lane taken off.
static void draw_band(paf_drawing *d, const paf_lanes *l, const paf_lane *band, const columns *c)
{
    double *counts = g_new0(double, c->n);
    const paf_section *s = &g_array_index(l->sections, paf_section, band->section);
    if (band->module == IOT_NONE) {
        for (uint32_t rank = l->rest_rank; rank < d->m->nmodules; rank++)
            add_module(d, c, d->m->order[rank], counts);
    } else {
        add_module(d, c, band->module, counts);
        for (uint32_t k = 0; k < s->nlanes; k++) {
            const paf_lane *lane = paf_lane_at(l, s->first_lane + k);
            if (lane->process != IOT_NONE)
                subtract_process(d, c, lane->process, counts);
        }
    }
    paf_colour colour =
        band->module == IOT_NONE ? d->theme->bars : paf_colour_of(d, band->module);
    double bottom = band->y + band->h - 1;
    paf_box(d->pic, d->f.plot_x, bottom, d->f.plot_w, 1);
    paf_fill(d->pic, paf_alpha(colour, 0.35), 0);
    add_columns(d, c, counts, largest(counts, c->n), bottom, band->h - 3, true);
    paf_fill(d->pic, paf_mix(colour, d->theme->lane, 0.6), 0);
    g_free(counts);
}

void paf_draw_density(paf_drawing *d, const paf_lanes *l)
{
    columns c = make_columns(d);
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = 0; k < s->nlanes; k++) {
            const paf_lane *lane = paf_lane_at(l, s->first_lane + k);
            if (lane->kind == PAF_LANE_DENSITY)
                draw_process_density(d, lane, &c);
            else if (lane->kind == PAF_LANE_BAND)
                draw_band(d, l, lane, &c);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Selection

static void outline(paf_drawing *d, const paf_shape *s, paf_colour colour, double width)
{
    double left = CLAMP(paf_shape_left(s), d->f.plot_x - 20, d->f.plot_x + d->f.plot_w + 20);
    double right = CLAMP(s->s1, d->f.plot_x - 20, d->f.plot_x + d->f.plot_w + 20);
    paf_round_box(d->pic, left - 2.5, s->y - 2.5, right - left + 5, s->h + 5, 5);
    paf_stroke(d->pic, colour, width);
}

// A reduction that begins no node: a mark at its time in its process's lane.
static void mark_reduction(paf_drawing *d, const paf_lanes *l, uint32_t reduction)
{
    uint32_t process = iot_process_of(d->m->a, reduction);
    uint32_t index = process == IOT_NONE ? IOT_NONE : paf_lane_of(d, l, process);
    if (index == IOT_NONE)
        return;
    const paf_lane *lane = paf_lane_at(l, index);
    double x = paf_x(d, (double)paf_reduced(d->m, d->v->clock, reduction));
    double half = fmax(d->zoom * 0.5, 2);
    paf_box(d->pic, x - half, lane->y, 2 * half, lane->h);
    paf_fill(d->pic, paf_alpha(d->theme->amber, 0.25), 0);
    paf_move(d->pic, x, lane->y - 1);
    paf_line(d->pic, x - 4, lane->y - 7);
    paf_line(d->pic, x + 4, lane->y - 7);
    paf_close(d->pic);
    paf_fill(d->pic, d->theme->amber, 0);
}

// The box of a reduction: it begins its node, or it reads what that needs or makes what that gives.
static const paf_shape *shape_of(const paf_drawing *d, const paf_lanes *l, uint32_t reduction)
{
    uint32_t process = reduction == 0 ? IOT_NONE : iot_process_of(d->m->a, reduction);
    uint32_t index = process == IOT_NONE ? IOT_NONE : paf_lane_of(d, l, process);
    const paf_lane *lane = index == IOT_NONE ? NULL : paf_lane_at(l, index);
    if (!lane || lane->kind != PAF_LANE_BOXES)
        return NULL;
    for (uint32_t i = 0; i < lane->tree->nnodes; i++)
        if (lane->box_of[i] != IOT_NONE && iot_tree_node(lane->tree->tree, i)->reduction == reduction)
            return paf_shape_at(l, lane->box_of[i]);
    uint32_t node = paf_tree_node_with(d->m, lane->tree, reduction);
    return node == IOT_NONE || lane->box_of[node] == IOT_NONE ? NULL
                                                              : paf_shape_at(l, lane->box_of[node]);
}

void paf_draw_selection(paf_drawing *d, const paf_lanes *l)
{
    const paf_shape *chosen =
        d->v->selected == IOT_NONE ? NULL : shape_of(d, l, d->v->selected);
    const paf_shape *pointed = d->v->hover == IOT_NONE ? NULL : shape_of(d, l, d->v->hover);
    if (pointed && pointed != chosen)
        outline(d, pointed, d->theme->quiet, 1);
    if (chosen)
        outline(d, chosen, d->theme->amber, 2);
    else if (d->v->selected != IOT_NONE)
        mark_reduction(d, l, d->v->selected);
}
