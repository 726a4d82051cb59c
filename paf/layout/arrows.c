// SPDX-License-Identifier: MIT
//
// Which arrows there are between processes, and which of them are drawn one by one. A flow is what
// passes from one lane to another; where lanes are many, from one module to another. Each stretch of
// a flow has a bundle if its arrows would lie closer than readers can tell them apart.
#include "paf/layout/lanes.h"
#include "paf/model/details.h"
#include "paf/model/real_times.h"

#include <math.h>
#include <stdlib.h>

#define ARROW_ROOM   5.0    // pixels that an arrow needs beside others of its flow
#define STRETCH      110.0  // pixels of a flow's stretch, at least
#define BUNDLE_ROOM  44.0   // pixels between bundles of a flow
#define STRONG_ROOM  24.0   // pixels of the axis for each strong arrow
#define SLAB         24.0   // pixels within which there may be so many arrows of one lane
#define MOST_IN_SLAB 10u
#define BUNDLES_ROOM 14.0   // pixels of the axis for each bundle
#define MOST_LOOKED  20000u // links of a window that are looked at one by one
#define LOOK_AROUND  16u    // links of a stretch among which one is looked for that is shown

// Links in order of the time read: listed, or a pair of modules has them.
typedef struct {
    const paf_pair *pair; // NULL: listed
    GArray *links;        // uint32_t
    uint32_t from, to;    // lanes, if listed
} flow;

// One end: a shape, or a lane that shows no shapes.
typedef struct {
    double x, top, bottom;
    uint32_t reduction; // of the node, or IOT_NONE
} arrow_end;

static arrow_end lane_end(const paf_drawing *d, const paf_lane *lane, int64_t time)
{
    return (arrow_end){paf_x(d, (double)time), lane->y + 1, lane->y + lane->h - 1, IOT_NONE};
}

static arrow_end shape_end(const paf_drawing *d, const paf_lane *lane, const paf_shape *s, int64_t time)
{
    double x = CLAMP(paf_x(d, (double)time), paf_shape_left(s) + 1, s->s1 - 1);
    return (arrow_end){x, s->y, s->y + s->h, iot_tree_node(lane->tree->tree, s->node)->reduction};
}

static int64_t read_at(const paf_drawing *d, const iot_input *in)
{
    return paf_input_read(d->m, d->v->clock, in);
}

static void add_arrow(const paf_drawing *d, paf_arrows *a, const arrow_end *from, const arrow_end *to,
                      uint32_t module, uint32_t link, paf_arrow_kind kind)
{
    bool down = to->top + to->bottom > from->top + from->bottom;
    bool selected = d->v->selected != IOT_NONE &&
                    (from->reduction == d->v->selected || to->reduction == d->v->selected);
    if (selected)
        kind = kind == PAF_ARROW_STRONG && to->reduction == d->v->selected ? PAF_ARROW_SELECTED_LAST
                                                                           : PAF_ARROW_SELECTED;
    paf_arrow made = {
        from->x, down ? from->bottom : from->top, to->x, down ? to->top : to->bottom, module, link,
        !paf_focus_dims(paf_lighting(d)) ||
            (link != IOT_NONE && paf_focus_lights_link(paf_lighting(d), d->m, link)),
        kind};
    g_array_append_val(a->arrows, made);
}

// Where the binding comes from, in its lane.
static arrow_end producer_end(const paf_drawing *d, const paf_lanes *l, const iot_input *in, uint32_t index)
{
    int64_t available = paf_binding_made(d->m, d->v->clock, in->binding);
    const paf_lane *lane = paf_lane_at(l, index);
    if (lane->kind == PAF_LANE_BOXES) {
        uint32_t output = paf_output_of_binding(d->m->a, in->from, in->binding);
        uint32_t node = output == IOT_NONE ? IOT_NONE : paf_tree_node_of_output(lane->tree, output);
        if (node != IOT_NONE && lane->box_of[node] != IOT_NONE)
            return shape_end(d, lane, paf_shape_at(l, lane->box_of[node]), available);
    }
    return lane_end(d, lane, available); // outside the window, or beyond the boxes of it
}

// False: not shown, or within one lane.
static bool lanes_of(const paf_drawing *d, const paf_lanes *l, uint32_t link, uint32_t *ret_from,
                     uint32_t *ret_to)
{
    const iot_input *in = paf_link_input(d->m, link);
    *ret_from = paf_lane_of(d, l, in->from);
    *ret_to = paf_lane_of(d, l, d->m->links[link].process);
    return *ret_from != IOT_NONE && *ret_to != IOT_NONE && *ret_from != *ret_to;
}

// The boxes that need the input of a link, or its lane if none does.
static uint32_t reader_ends(const paf_drawing *d, const paf_lanes *l, uint32_t link, uint32_t index,
                            arrow_end *ret, uint32_t most)
{
    const iot_input *in = paf_link_input(d->m, link);
    const paf_lane *lane = paf_lane_at(l, index);
    uint32_t found = 0, first = 0, n = 0;
    if (lane->kind == PAF_LANE_BOXES)
        n = paf_tree_nodes_of_input(lane->tree, d->m->links[link].input, &first);
    for (uint32_t i = 0; i < n && found < most; i++) {
        uint32_t node = lane->tree->inputs[first + i].node;
        if (lane->box_of[node] != IOT_NONE)
            ret[found++] =
                shape_end(d, lane, paf_shape_at(l, lane->box_of[node]), read_at(d, in));
    }
    if (found == 0)
        ret[found++] = lane_end(d, lane, read_at(d, in));
    return found;
}

static uint32_t producer_module(const paf_drawing *d, const iot_input *in)
{
    return iot_get_process(d->m->a, in->from)->module;
}

static void add_link(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, uint32_t link)
{
    enum { MOST_JOINED = 32 };
    uint32_t from_lane, to_lane;
    if (!lanes_of(d, l, link, &from_lane, &to_lane))
        return;
    const iot_input *in = paf_link_input(d->m, link);
    arrow_end from = producer_end(d, l, in, from_lane), to[MOST_JOINED];
    uint32_t n = reader_ends(d, l, link, to_lane, to, MOST_JOINED);
    for (uint32_t i = 0; i < n; i++)
        add_arrow(d, a, &from, &to[i], producer_module(d, in), link, PAF_ARROW_FAINT);
}

// ---------------------------------------------------------------------------------------------
// Flows

static uint32_t link_of(const paf_drawing *d, const flow *f, uint32_t place)
{
    return f->pair ? paf_pair_link(d->m, d->v->clock, f->pair, place)
                   : g_array_index(f->links, uint32_t, place);
}

static int64_t time_of(const paf_drawing *d, const flow *f, uint32_t place)
{
    return read_at(d, paf_link_input(d->m, link_of(d, f, place)));
}

static uint64_t waited(const paf_drawing *d, const flow *f, uint32_t first, uint32_t n)
{
    if (f->pair)
        return paf_pair_waited(d->m, d->v->clock, f->pair, first, n);
    uint64_t sum = 0;
    for (uint32_t i = first; i < first + n; i++)
        sum += (uint64_t)paf_input_wait(d->m, d->v->clock, paf_link_input(d->m, link_of(d, f, i)));
    return sum;
}

// An arrow of the stretch that is between two lanes: the median one, or the next beside it.
static bool median_of(const paf_drawing *d, const paf_lanes *l, const flow *f, uint32_t first,
                      uint32_t n, uint32_t *ret_link)
{
    uint32_t from, to, middle = first + n / 2;
    for (uint32_t i = 0; i < LOOK_AROUND && i < n; i++) {
        uint32_t place = i % 2 ? middle - (i + 1) / 2 : middle + i / 2;
        if (place < first || place >= first + n)
            continue;
        *ret_link = link_of(d, f, place);
        if (lanes_of(d, l, *ret_link, &from, &to))
            return true;
    }
    return false;
}

static const paf_section *section_of(const paf_lanes *l, uint32_t lane)
{
    return &g_array_index(l->sections, paf_section, paf_lane_at(l, lane)->section);
}

// Of a section with several lanes, all of them: a bundle of modules is for none of them alone.
static void widen_to_section(const paf_lanes *l, uint32_t lane, arrow_end *e)
{
    const paf_section *s = section_of(l, lane);
    if (s->nlanes < 2)
        return;
    const paf_lane *first = paf_lane_at(l, s->first_lane);
    const paf_lane *last = paf_lane_at(l, s->first_lane + s->nlanes - 1);
    e->top = first->y;
    e->bottom = last->y + last->h;
}

static bool add_bundle(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, const flow *f,
                       uint32_t first, uint32_t n)
{
    uint32_t link, from_lane, to_lane;
    if (!median_of(d, l, f, first, n, &link) || !lanes_of(d, l, link, &from_lane, &to_lane))
        return false;
    const iot_input *in = paf_link_input(d->m, link);
    arrow_end from = producer_end(d, l, in, from_lane), to;
    reader_ends(d, l, link, to_lane, &to, 1);
    if (f->pair && f->pair->from != f->pair->to) {
        widen_to_section(l, from_lane, &from);
        widen_to_section(l, to_lane, &to);
    }
    bool down = to.top + to.bottom > from.top + from.bottom;
    paf_bundle b = {.x0 = from.x,
                    .x1 = to.x,
                    .y0 = down ? from.bottom : from.top,
                    .y1 = down ? to.top : to.bottom,
                    .from = producer_module(d, in),
                    .to = iot_get_process(d->m->a, d->m->links[link].process)->module,
                    .n = n,
                    .waited = waited(d, f, first, n)};
    g_array_append_val(a->bundles, b);
    a->bundled += n;
    return true;
}

// The longer one of the stretches of time in which they were made and read. Many that leave or arrive
// together can be told apart if they fan out.
static double extent_of(const paf_drawing *d, const flow *f, uint32_t first, uint32_t n)
{
    double extent = (double)(time_of(d, f, first + n - 1) - time_of(d, f, first)) * d->zoom;
    if (n * ARROW_ROOM > d->f.plot_w)
        return extent;
    int64_t from = INT64_MAX, to = INT64_MIN;
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t binding = paf_link_input(d->m, link_of(d, f, i))->binding;
        int64_t made = paf_binding_made(d->m, d->v->clock, binding);
        from = MIN(from, made);
        to = MAX(to, made);
    }
    return fmax(extent, (double)(to - from) * d->zoom);
}

// Arrows that have room beside each other, or a bundle.
static void add_stretch(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, const flow *f,
                        uint32_t first, uint32_t n)
{
    if (n > 2 && (n - 1) * ARROW_ROOM > extent_of(d, f, first, n) && add_bundle(d, l, a, f, first, n))
        return;
    for (uint32_t i = first; i < first + n; i++)
        add_link(d, l, a, link_of(d, f, i));
}

// The next link of the flow that is read at `time` or later.
static uint32_t next_from(const paf_drawing *d, const flow *f, uint32_t first, uint32_t end,
                          int64_t time)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (time_of(d, f, middle) < time)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// Stretches begin at multiples of their length, so panning leaves them as they are. One whose median
// arrow would stand too close to the last one's is joined to it.
static void add_flow(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, const flow *f,
                     uint32_t first, uint32_t n)
{
    int64_t length = (int64_t)fmax(ceil(paf_tick_step(STRETCH / d->zoom)), 1);
    uint32_t end = first + n, begun = first;
    while (first < end) {
        int64_t border = (time_of(d, f, first) / length + 1) * length;
        uint32_t next = next_from(d, f, first, end, border);
        double here = paf_x(d, (double)time_of(d, f, begun + (first - begun) / 2));
        double there = paf_x(d, (double)time_of(d, f, first + (next - first) / 2));
        if (first > begun && there - here >= BUNDLE_ROOM) {
            add_stretch(d, l, a, f, begun, first - begun);
            begun = first;
        }
        first = next;
    }
    if (end > begun)
        add_stretch(d, l, a, f, begun, end - begun);
}

// ---------------------------------------------------------------------------------------------
// All flows of the window

static void clear_flow(gpointer data)
{
    g_array_unref(((flow *)data)->links);
}

// Which of the pixels `apart` from each other is at x, in 20 bits. Far outside of the window all are one.
static guint64 pixel(double x, double apart)
{
    return (guint64)(gint64)floor(CLAMP(x, -1e5, 1e5) / apart) & 0xfffff;
}

// Do many arrows leave one lane, or reach one, within a few pixels? Then they are a slab although each
// goes its own way.
static bool has_slab(const paf_drawing *d, const paf_arrows *a)
{
    GHashTable *places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    bool slab = false;
    for (guint i = 0; i < a->arrows->len && !slab; i++) {
        const paf_arrow *w = &g_array_index(a->arrows, paf_arrow, i);
        for (int end = 0; end < 2 && !slab; end++) {
            double x = (end ? w->x1 : w->x0) - d->f.plot_x, other = (end ? w->x0 : w->x1) - d->f.plot_x;
            gint64 key = (gint64)(pixel(x, SLAB) << 41 | pixel(other, SLAB) << 21 |
                                  pixel(end ? w->y1 : w->y0, 1) << 1 | (guint64)end);
            guint n = GPOINTER_TO_UINT(g_hash_table_lookup(places, &key)) + 1;
            g_hash_table_insert(places, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(n));
            slab = n > MOST_IN_SLAB;
        }
    }
    g_hash_table_destroy(places);
    return slab;
}

// By lanes. False: too many for that.
static bool collect_by_lanes(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, uint32_t first,
                             uint32_t n)
{
    GArray *flows = g_array_new(FALSE, FALSE, sizeof(flow));
    GHashTable *found = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_array_set_clear_func(flows, clear_flow);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t link = paf_link_at(d->m, d->v->clock, first + i), from, to;
        if (!lanes_of(d, l, link, &from, &to))
            continue;
        gint64 key = (gint64)from << 32 | to;
        guint index = GPOINTER_TO_UINT(g_hash_table_lookup(found, &key));
        if (index == 0) {
            flow f = {NULL, g_array_new(FALSE, FALSE, sizeof(uint32_t)), from, to};
            g_array_append_val(flows, f);
            index = flows->len;
            g_hash_table_insert(found, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
        }
        g_array_append_val(g_array_index(flows, flow, index - 1).links, link);
    }
    for (guint i = 0; i < flows->len; i++) {
        const flow *f = &g_array_index(flows, flow, i);
        add_flow(d, l, a, f, 0, f->links->len);
    }
    g_hash_table_destroy(found);
    g_array_unref(flows);
    return (a->arrows->len + a->bundles->len) * 2 * ARROW_ROOM <= 5 * d->f.plot_w && !has_slab(d, a) &&
           a->bundles->len * BUNDLES_ROOM <= d->f.plot_w;
}

static void collect_by_modules(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    for (uint32_t i = 0; i < d->m->npairs; i++) {
        flow f = {.pair = &d->m->pairs[i]};
        uint32_t first;
        uint32_t n = paf_pair_between(d->m, d->v->clock, f.pair, l->from, l->to + 1, &first);
        if (n > 0)
            add_flow(d, l, a, &f, first, n);
    }
}

static void forget(paf_arrows *a)
{
    g_array_set_size(a->arrows, 0);
    g_array_set_size(a->bundles, 0);
    a->bundled = 0;
}

static int by_size(const void *x, const void *y)
{
    const paf_bundle *a = x, *b = y;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->x1 < b->x1 ? -1 : a->x1 > b->x1;
}

// The largest ones are drawn, as many as there is room for.
static void finish_bundles(const paf_drawing *d, paf_arrows *a)
{
    guint room = (guint)fmax(d->f.plot_w / BUNDLES_ROOM, 8);
    if (a->bundles->len)
        qsort(a->bundles->data, a->bundles->len, sizeof(paf_bundle), by_size);
    for (guint i = room; i < a->bundles->len; i++)
        a->hidden += g_array_index(a->bundles, paf_bundle, i).n;
    if (a->bundles->len > room)
        g_array_set_size(a->bundles, room);
    uint64_t most = 1;
    for (guint i = 0; i < a->bundles->len; i++)
        most = MAX(most, g_array_index(a->bundles, paf_bundle, i).waited);
    for (guint i = 0; i < a->bundles->len; i++) {
        paf_bundle *b = &g_array_index(a->bundles, paf_bundle, i);
        b->width = 1.5 + 6 * sqrt((double)b->waited / (double)most);
    }
}

// ---------------------------------------------------------------------------------------------
// Strong ones: of the inputs that arrived last at their nodes, those waited for longest

typedef struct {
    int64_t wait;
    uint32_t shape, input;
} candidate;

static int by_wait(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->wait != b->wait)
        return a->wait > b->wait ? -1 : 1;
    return a->shape < b->shape ? -1 : a->shape > b->shape;
}

static GArray *find_last(const paf_drawing *d, const paf_lanes *l)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(candidate));
    for (guint i = 0; i < l->shapes->len; i++) {
        const paf_shape *s = paf_shape_at(l, i);
        const paf_lane *lane = paf_lane_at(l, s->lane);
        const iot_node *node = iot_tree_node(lane->tree->tree, s->node);
        const iot_input *inputs;
        uint32_t n = iot_inputs(d->m->a, lane->process, &inputs), last = node->last_input;
        if (last >= n || inputs[last].binding == IOT_NONE || inputs[last].from == IOT_NONE)
            continue;
        candidate c = {paf_input_wait(d->m, d->v->clock, &inputs[last]), i, last};
        if (c.wait > 0 || node->reduction == d->v->selected)
            g_array_append_val(found, c);
    }
    if (found->len)
        qsort(found->data, found->len, sizeof(candidate), by_wait);
    return found;
}

// Of many that were waited for equally long none stands out.
static int64_t least_strong(const GArray *found, guint room)
{
    if (found->len <= room)
        return 1;
    return g_array_index(found, candidate, room).wait + 1;
}

static uint32_t link_of_input(const paf_drawing *d, uint32_t process, uint32_t input, const iot_input *in)
{
    enum { MOST_ASKED = 4096 };
    uint32_t first, n = paf_links_of_binding(d->m, in->binding, &first);
    for (uint32_t i = 0; i < MIN(n, MOST_ASKED); i++) {
        uint32_t link = d->m->by_binding[first + i];
        if (d->m->links[link].process == process && d->m->links[link].input == input)
            return link;
    }
    return IOT_NONE;
}

static void collect_last(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    GArray *found = find_last(d, l);
    int64_t least = least_strong(found, (guint)fmax(d->f.plot_w / STRONG_ROOM, 8));
    for (guint i = 0; i < found->len; i++) {
        const candidate *c = &g_array_index(found, candidate, i);
        const paf_shape *s = paf_shape_at(l, c->shape);
        const paf_lane *lane = paf_lane_at(l, s->lane);
        const iot_input *inputs;
        iot_inputs(d->m->a, lane->process, &inputs);
        const iot_input *in = &inputs[c->input];
        arrow_end to = shape_end(d, lane, s, read_at(d, in));
        uint32_t from_lane = paf_lane_of(d, l, in->from);
        bool selected = to.reduction == d->v->selected && d->v->selected != IOT_NONE;
        if ((c->wait < least && !selected) || from_lane == IOT_NONE || from_lane == s->lane)
            continue;
        arrow_end from = producer_end(d, l, in, from_lane);
        add_arrow(d, a, &from, &to, producer_module(d, in), link_of_input(d, lane->process, c->input, in),
                  PAF_ARROW_STRONG);
    }
    g_array_unref(found);
}

// What the selected node needs and gives is drawn even where arrows are bundled.
static void collect_selected(const paf_drawing *d, const paf_lanes *l, paf_arrows *a)
{
    enum { MOST_SELECTED = 200 };
    const paf_tree *tree = NULL;
    const iot_node *node = d->v->selected == IOT_NONE || a->bundled == 0
                               ? NULL
                               : paf_node_of_reduction(d->m, d->v->selected, &tree, NULL);
    if (!node)
        return;
    const iot_output *outputs;
    iot_outputs(d->m->a, tree->process, &outputs);
    uint32_t left = MOST_SELECTED;
    for (uint32_t i = 0; i < node->noutputs && left > 0; i++) {
        uint32_t output = iot_tree_outputs(tree->tree)[node->first_output + i], first;
        uint32_t n = paf_links_of_binding(d->m, outputs[output].binding, &first);
        for (uint32_t k = 0; k < n && left > 0; k++, left--)
            add_link(d, l, a, d->m->by_binding[first + k]);
    }
    const iot_input *inputs;
    iot_inputs(d->m->a, tree->process, &inputs);
    for (uint32_t i = 0; i < node->ninputs && left > 0; i++) {
        const iot_input *in = &inputs[iot_tree_inputs(tree->tree)[node->first_input + i]];
        if (in->binding == IOT_NONE || in->from == IOT_NONE)
            continue;
        uint32_t first, n = paf_links_of_binding(d->m, in->binding, &first);
        for (uint32_t k = 0; k < n && left > 0; k++) {
            uint32_t link = d->m->by_binding[first + k];
            if (d->m->links[link].process == tree->process) {
                add_link(d, l, a, link);
                left--;
            }
        }
    }
}

// What the focus is on, too.
static void collect_focus(const paf_drawing *d, const paf_lanes *l, paf_arrows *a, uint32_t first, uint32_t n)
{
    enum { MOST_LIT = 150 };
    const paf_focus *f = paf_lighting(d);
    if (!paf_focus_dims(f))
        return;
    if (f->kind == PAF_FOCUS_ARROW)
        add_link(d, l, a, f->link);
    for (guint i = 0; f->kind == PAF_FOCUS_PAIR && i < f->links->len; i++)
        add_link(d, l, a, g_array_index(f->links, uint32_t, i));
    if (f->kind == PAF_FOCUS_ARROW || f->kind == PAF_FOCUS_PAIR || a->bundled == 0)
        return;
    for (uint32_t i = 0, lit = 0; i < MIN(n, MOST_LOOKED) && lit < MOST_LIT; i++) {
        uint32_t link = paf_link_at(d->m, d->v->clock, first + i);
        if (paf_focus_lights_link(f, d->m, link)) {
            add_link(d, l, a, link);
            lit++;
        }
    }
}

// ---------------------------------------------------------------------------------------------

paf_arrows *paf_arrows_collect(paf_drawing *d, const paf_lanes *l)
{
    paf_arrows *a = g_new0(paf_arrows, 1);
    a->arrows = g_array_new(FALSE, FALSE, sizeof(paf_arrow));
    a->bundles = g_array_new(FALSE, FALSE, sizeof(paf_bundle));
    uint32_t first;
    uint32_t n = paf_links_between(d->m, d->v->clock, l->from, l->to + 1, &first);
    a->total = n;
    // Those made in the window that are read soon after it lead out of it.
    uint32_t after, beyond = paf_links_between(d->m, d->v->clock, l->to + 1,
                                               2 * l->to - l->from + 1, &after);
    if (n > MOST_LOOKED || !collect_by_lanes(d, l, a, first, n)) {
        forget(a);
        collect_by_modules(d, l, a);
    } else {
        for (uint32_t i = 0; i < MIN(beyond, n); i++) {
            uint32_t link = paf_link_at(d->m, d->v->clock, after + i);
            int64_t made = paf_binding_made(d->m, d->v->clock, paf_link_input(d->m, link)->binding);
            if (made <= l->to && a->bundled == 0)
                add_link(d, l, a, link);
        }
    }
    finish_bundles(d, a);
    collect_last(d, l, a);
    collect_selected(d, l, a);
    collect_focus(d, l, a, first, n);
    return a;
}

void paf_arrows_free(paf_arrows *a)
{
    g_array_unref(a->arrows);
    g_array_unref(a->bundles);
    g_free(a);
}
