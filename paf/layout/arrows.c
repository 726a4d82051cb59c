// SPDX-License-Identifier: MIT
//
// Arrows between processes: the output of one process is an input of another. A few arrows are
// drawn one by one, strong if they lead to the last-arriving input of a node. Many are bundled by
// pair of modules, with a count.
#include "paf/layout/lanes.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define MOST_ARROWS 1200 // in a window drawn one by one
#define MOST_STRONG 700  // strong ones that are still drawn beside bundles
#define MOST_PAIRS  10   // pairs of modules that get bundles
#define BUNDLE_ROOM 46.0 // pixels between bundles
#define HEAD        6.0  // length of an arrow's head

typedef enum { ARROW_FAINT, ARROW_STRONG, ARROW_SELECTED, ARROW_SELECTED_LAST } arrow_kind;

typedef struct {
    double x0, y0, x1, y1;
    uint32_t module; // producer's
    arrow_kind kind;
} arrow;

typedef struct {
    double x0, x1, y0, y1;
    uint32_t from, to, n;
    double width;
} bundle;

struct paf_arrows {
    GArray *arrows;  // arrow
    GArray *bundles; // bundle
    uint64_t total;  // links read in the window
    bool bundled;
};

// One end: a shape, or a lane that shows no shapes.
typedef struct {
    double x, top, bottom;
    uint32_t reduction; // of the node, or IOT_NONE
} end;

static end lane_end(const paf_drawing *d, const paf_lane *lane, int64_t time)
{
    return (end){paf_x(d, (double)time), lane->y + 1, lane->y + lane->h - 1, IOT_NONE};
}

static end shape_end(const paf_drawing *d, const paf_lane *lane, const paf_shape *s, int64_t time)
{
    double x = CLAMP(paf_x(d, (double)time), paf_shape_left(s) + 1, s->s1 - 1);
    return (end){x, s->y, s->y + s->h, iot_tree_node(lane->tree->tree, s->node)->reduction};
}

static void add_arrow(const paf_drawing *d, paf_arrows *a, const end *from, const end *to,
                      uint32_t module, bool last)
{
    bool down = to->top + to->bottom > from->top + from->bottom;
    bool selected = d->v->selected != IOT_NONE &&
                    (from->reduction == d->v->selected || to->reduction == d->v->selected);
    arrow_kind kind = selected ? ARROW_SELECTED : last ? ARROW_STRONG : ARROW_FAINT;
    if (last && d->v->selected != IOT_NONE && to->reduction == d->v->selected)
        kind = ARROW_SELECTED_LAST;
    arrow made = {
        from->x, down ? from->bottom : from->top, to->x, down ? to->top : to->bottom, module, kind};
    g_array_append_val(a->arrows, made);
}

static int64_t read_at(const paf_drawing *d, const iot_input *in)
{
    return paf_input_read(d->m, d->v->clock, in);
}

// Where the binding comes from; false if that is not shown.
static bool find_producer(const paf_drawing *d, const paf_lanes *l, const iot_input *in,
                          uint32_t *ret_lane, end *ret_end)
{
    int64_t available = paf_binding_made(d->m, d->v->clock, in->binding);
    uint32_t index = paf_lane_of(d, l, in->from);
    if (index == IOT_NONE)
        return false;
    const paf_lane *lane = paf_lane_at(l, index);
    *ret_lane = index;
    *ret_end = lane_end(d, lane, available);
    if (lane->kind != PAF_LANE_BOXES)
        return true;
    uint32_t output = paf_output_of_binding(d->m->a, in->from, in->binding);
    uint32_t node = output == IOT_NONE ? IOT_NONE : paf_tree_node_of_output(lane->tree, output);
    if (node == IOT_NONE || lane->box_of[node] == IOT_NONE)
        return available < l->from; // from beyond the left edge: at the lane's height
    *ret_end = shape_end(d, lane, paf_shape_at(l, lane->box_of[node]), available);
    return true;
}

static void add_link(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, uint32_t process,
                     uint32_t index, const iot_input *in)
{
    uint32_t to_lane = paf_lane_of(d, l, process), from_lane;
    end from, to;
    if (to_lane == IOT_NONE || !find_producer(d, l, in, &from_lane, &from) || from_lane == to_lane)
        return;
    uint32_t module = iot_get_process(d->m->a, in->from)->module;
    const paf_lane *lane = paf_lane_at(l, to_lane);
    if (lane->kind != PAF_LANE_BOXES) {
        to = lane_end(d, lane, read_at(d, in));
        add_arrow(d, a, &from, &to, module, false);
        return;
    }
    uint32_t first, n = paf_tree_nodes_of_input(lane->tree, index, &first);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = lane->tree->inputs[first + i].node;
        if (lane->box_of[node] == IOT_NONE)
            continue;
        to = shape_end(d, lane, paf_shape_at(l, lane->box_of[node]), read_at(d, in));
        bool last = iot_tree_node(lane->tree->tree, node)->last_input == index;
        add_arrow(d, a, &from, &to, module, last);
    }
}

// Every link read in the window, and those made in it that are read soon after.
static void collect_each(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    uint32_t first, n = paf_links_between(d->m, d->v->clock, l->from, 2 * l->to - l->from + 1, &first);
    n = MIN(n, 3 * MOST_ARROWS);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t link = paf_link_at(d->m, d->v->clock, first + i);
        const iot_input *in = paf_link_input(d->m, link);
        if (paf_binding_made(d->m, d->v->clock, in->binding) > l->to)
            continue;
        add_link(d, l, a, d->m->links[link].process, d->m->links[link].input, in);
    }
}

// ---------------------------------------------------------------------------------------------
// Bundles

static const paf_section *section_of(const paf_drawing *d, const paf_lanes *l, uint32_t module)
{
    const paf_section *rest = NULL;
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        if (s->module == module)
            return s;
        if (s->module == IOT_NONE)
            rest = s;
    }
    return d->m->rank[module] >= l->rest_rank ? rest : NULL;
}

// Of its lanes, without the title.
static double section_middle(const paf_lanes *l, const paf_section *s)
{
    const paf_lane *first = paf_lane_at(l, s->first_lane);
    const paf_lane *last = paf_lane_at(l, s->first_lane + s->nlanes - 1);
    return (first->y + last->y + last->h) / 2;
}

static void add_bundle(const paf_drawing *d, const paf_lanes *l, paf_arrows *a,
                       const paf_pair *pair, uint32_t n, double x, double lean)
{
    const paf_section *from = section_of(d, l, pair->from), *to = section_of(d, l, pair->to);
    if (!from || !to || from == to)
        return;
    bundle b = {.x0 = x - lean,
                .x1 = x + lean,
                .y0 = section_middle(l, from),
                .y1 = section_middle(l, to),
                .from = pair->from,
                .to = pair->to,
                .n = n};
    g_array_append_val(a->bundles, b);
}

static void set_bundle_widths(paf_arrows *a)
{
    uint32_t most = 1;
    for (guint i = 0; i < a->bundles->len; i++)
        most = MAX(most, g_array_index(a->bundles, bundle, i).n);
    for (guint i = 0; i < a->bundles->len; i++) {
        bundle *b = &g_array_index(a->bundles, bundle, i);
        b->width = 1.5 + 6 * sqrt((double)b->n / most);
    }
}

// The window is divided into equal slots; in each, every pair of modules has its own place.
static void collect_bundles(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    const paf_pair *pairs[MOST_PAIRS];
    uint32_t npairs = 0;
    for (uint32_t i = 0; i < d->m->npairs && npairs < MOST_PAIRS; i++) {
        const paf_pair *pair = &d->m->pairs[i];
        if (pair->from != pair->to && paf_pair_between(d->m, d->v->clock, pair, l->from, l->to + 1) > 0 &&
            section_of(d, l, pair->from) != section_of(d, l, pair->to))
            pairs[npairs++] = pair;
    }
    if (npairs == 0)
        return;
    uint32_t slots = (uint32_t)fmax(d->f.plot_w / fmax(BUNDLE_ROOM * npairs, 120), 1);
    double width = d->f.plot_w / slots;
    for (uint32_t i = 0; i < slots; i++) {
        int64_t from = (int64_t)floor(d->v->from + (d->v->to - d->v->from) * i / slots);
        int64_t to = (int64_t)floor(d->v->from + (d->v->to - d->v->from) * (i + 1) / slots);
        for (uint32_t k = 0; k < npairs; k++) {
            uint32_t n = paf_pair_between(d->m, d->v->clock, pairs[k], from, to);
            double x = d->f.plot_x + i * width + (k + 0.5) * width / npairs;
            if (n > 0)
                add_bundle(d, l, a, pairs[k], n, x, fmin(width / npairs * 0.2, 10));
        }
    }
    set_bundle_widths(a);
}

// Beside bundles, the input that each shown node waited for last.
static void collect_last(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    for (guint i = 0; i < l->shapes->len; i++) {
        const paf_shape *s = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, s->lane);
        uint32_t last = iot_tree_node(lane->tree->tree, s->node)->last_input;
        const iot_input *inputs;
        if (last == IOT_NONE || last >= iot_inputs(d->m->a, lane->process, &inputs))
            continue;
        const iot_input *in = &inputs[last];
        uint32_t from_lane;
        end from, to = shape_end(d, lane, s, read_at(d, in));
        if (in->binding != IOT_NONE && in->from != IOT_NONE &&
            find_producer(d, l, in, &from_lane, &from) && from_lane != s->lane)
            add_arrow(d, a, &from, &to, iot_get_process(d->m->a, in->from)->module, true);
    }
}

paf_arrows *paf_arrows_collect(paf_drawing *d, const paf_lanes *l)
{
    paf_arrows *a = g_new0(paf_arrows, 1);
    a->arrows = g_array_new(FALSE, FALSE, sizeof(arrow));
    a->bundles = g_array_new(FALSE, FALSE, sizeof(bundle));
    uint32_t first;
    a->total = paf_links_between(d->m, d->v->clock, l->from, l->to + 1, &first);
    if (a->total <= MOST_ARROWS) {
        collect_each(d, l, a);
        return a;
    }
    a->bundled = true;
    collect_bundles(d, l, a);
    if (l->shapes->len <= MOST_STRONG)
        collect_last(d, l, a);
    return a;
}

void paf_arrows_free(paf_arrows *a)
{
    g_array_unref(a->arrows);
    g_array_unref(a->bundles);
    g_free(a);
}

char *paf_arrows_note(const paf_arrows *a)
{
    if (a->total == 0 && !a->arrows->len)
        return g_strdup("nothing passes between processes here");
    char *n = paf_count(a->total, "arrow", "arrows");
    char *note = g_strdup_printf(a->bundled ? "%s in bundles · zoom in to see each"
                                            : "%s · last-arriving ones strong, the rest faint "
                                              "until selected",
                                 n);
    g_free(n);
    return note;
}

// ---------------------------------------------------------------------------------------------
// Drawing

// Between neighbouring rows there is little room for a head.
static double head_size(double y0, double y1)
{
    return CLAMP(fabs(y1 - y0) * 0.5, 3.5, HEAD);
}

// Leaves and arrives upright; the head is drawn apart, the line ends inside it.
static void line_path(paf_drawing *d, double x0, double y0, double x1, double y1)
{
    double dy = y1 - y0, head = head_size(y0, y1), tail = dy > 0 ? -head + 1 : head - 1;
    double reach = dy * 0.5;
    paf_move(d->pic, x0, y0);
    paf_curve(d->pic, x0, y0 + reach, x1, y1 + tail - reach, x1, y1 + tail);
}

static void head_path(paf_drawing *d, double x, double y, double from_y, double size)
{
    double back = y > from_y ? -size : size;
    paf_move(d->pic, x, y);
    paf_line(d->pic, x - size * 0.5, y + back);
    paf_line(d->pic, x + size * 0.5, y + back);
    paf_close(d->pic);
}

// All arrows of one kind and module as two paths: lines and heads.
static void draw_kind(paf_drawing *d, const paf_arrows *a, arrow_kind kind, uint32_t module,
                      paf_colour colour, double width)
{
    for (int pass = 0; pass < 2; pass++) {
        for (guint i = 0; i < a->arrows->len; i++) {
            const arrow *w = &g_array_index(a->arrows, arrow, i);
            if (w->kind != kind || (module != IOT_NONE && w->module != module))
                continue;
            if (pass == 0)
                line_path(d, w->x0, w->y0, w->x1, w->y1);
            else
                head_path(d, w->x1, w->y1, w->y0, head_size(w->y0, w->y1));
        }
        if (pass == 0)
            paf_stroke(d->pic, colour, width);
        else
            paf_fill(d->pic, colour, 0);
    }
}

static void draw_bundles(paf_drawing *d, const paf_arrows *a)
{
    for (guint i = 0; i < a->bundles->len; i++) {
        const bundle *b = &g_array_index(a->bundles, bundle, i);
        paf_colour colour = paf_alpha(paf_module_colour(d->theme, b->from), 0.6);
        line_path(d, b->x0, b->y0, b->x1, b->y1);
        paf_stroke(d->pic, colour, b->width);
        head_path(d, b->x1, b->y1, b->y0, HEAD + b->width);
        paf_fill(d->pic, colour, 0);
    }
}

static bool meets_text(const paf_drawing *d, const paf_rect *place)
{
    for (uint32_t i = 0; i < paf_picture_nsteps(d->pic); i++) {
        const paf_step *step = paf_picture_step(d->pic, i);
        const paf_rect *r = &step->place;
        if (step->kind == PAF_STEP_TEXT && r->x < place->x + place->w && place->x < r->x + r->w &&
            r->y < place->y + place->h && place->y < r->y + r->h)
            return true;
    }
    return false;
}

// In the middle of the bundle, or a bit off where names or other counts are. False: nowhere.
static bool place_count(const paf_drawing *d, const bundle *b, double w, paf_rect *ret)
{
    static const double parts[] = {0.5, 0.6, 0.4, 0.72, 0.28, 0.85, 0.15};
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        double x = b->x0 + (b->x1 - b->x0) * parts[i], y = b->y0 + (b->y1 - b->y0) * parts[i];
        *ret = (paf_rect){x - w / 2, y - 8, w, 16};
        if (!meets_text(d, ret))
            return true;
    }
    return false;
}

static void draw_bundle_counts(paf_drawing *d, const paf_arrows *a)
{
    for (guint i = 0; i < a->bundles->len; i++) {
        const bundle *b = &g_array_index(a->bundles, bundle, i);
        char *label = paf_short_number(b->n);
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, label) + 8;
        paf_rect place;
        if (place_count(d, b, w, &place)) {
            paf_round_box(d->pic, place.x, place.y, place.w, place.h, 4);
            paf_fill(d->pic, paf_alpha(d->theme->card, 0.92), 0);
            paf_write(d->pic, PAF_TEXT_SMALL, paf_module_ink(d->theme, b->from), place.x + w / 2,
                      place.y + 12, 0, 0.5, label);
            paf_add_hit(d->pic, place, PAF_HIT_BUNDLE, b->from, b->to);
        }
        g_free(label);
    }
}

void paf_arrows_draw_faint(paf_drawing *d, const paf_arrows *a)
{
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len; i++) {
        paf_colour colour =
            paf_mix(paf_module_colour(d->theme, i), d->theme->lane, d->theme->dark ? 0.36 : 0.3);
        draw_kind(d, a, ARROW_FAINT, i, colour, 0.9);
    }
}

void paf_arrows_draw_strong(paf_drawing *d, const paf_arrows *a)
{
    draw_bundles(d, a);
    bool selection = d->v->selected != IOT_NONE;
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len; i++) {
        paf_colour colour = paf_module_colour(d->theme, i);
        draw_kind(d, a, ARROW_STRONG, i, paf_alpha(colour, selection ? 0.55 : 0.88), 1.3);
    }
    for (uint32_t i = 0; i < d->m->nmodules && a->arrows->len && selection; i++)
        draw_kind(d, a, ARROW_SELECTED, i, paf_module_colour(d->theme, i), 1.8);
    draw_kind(d, a, ARROW_SELECTED_LAST, IOT_NONE, d->theme->amber, 2.2);
    draw_bundle_counts(d, a);
}
