// SPDX-License-Identifier: MIT
//
// Planning lanes and rows for a window of time, and placing the shapes.
#include "paf/layout/lanes.h"
#include "paf/layout/pack.h"
#include "paf/model/real_times.h"

#include <math.h>
#include <stdlib.h>

#define PITCH_MOST     24.0
#define PITCH_LEAST    9.0
#define PAD            8.0  // above and below the lanes of a section
#define TITLE          20.0 // line of a titled section
#define LEAST_BESIDE   16.0 // height that a label beside the lanes takes
#define LEAST_ROWS     3    // below a title: two lanes and a band are less than that
#define COMPACT        36.0 // height of a compact section: two lines of label
#define COMPACT_ROWS   2
#define DENSITY_ROWS   3    // rows that density would like
#define CROWD          9.0  // pixels per shape below which density says more than shapes
#define NOTE           22.0 // the line at the foot
#define MOST_WAITING   6    // groups of waiting goals of a module with a lane each
#define MOST_PROCESSES 48   // of a module that may get lanes of their own

// ---------------------------------------------------------------------------------------------
// Which processes: those alive in the window

static bool alive(const paf_drawing *d, const paf_lanes *l, uint32_t process)
{
    return paf_process_created(d->m, d->v->clock, process) <= l->to &&
           paf_process_last(d->m, d->v->clock, process) >= l->from;
}

typedef struct {
    uint32_t process;
    uint64_t weight; // reductions, or how long it waited
} candidate;

static int by_weight(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->process < b->process ? -1 : a->process > b->process;
}

static int by_process(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    return a->process < b->process ? -1 : a->process > b->process;
}

static guint smallest(const GArray *found)
{
    guint least = 0;
    for (guint i = 1; i < found->len; i++)
        if (by_weight(&g_array_index(found, candidate, i), &g_array_index(found, candidate, least)) > 0)
            least = i;
    return least;
}

static candidate weigh(const paf_drawing *d, uint32_t process)
{
    return (candidate){process, d->v->by_wait ? d->m->process_waits[process]
                                              : iot_get_process(d->m->a, process)->members};
}

// The process that the selection is in: it has a lane among however many.
static uint32_t selected_process(const paf_drawing *d)
{
    return d->v->selected < trace_nreductions(d->m->t) && d->v->selected != 0
               ? iot_process_of(d->m->a, d->v->selected)
               : IOT_NONE;
}

static void include_selected(const paf_drawing *d, const paf_lanes *l, uint32_t module, GArray *found)
{
    uint32_t process = selected_process(d);
    if (process == IOT_NONE || iot_get_process(d->m->a, process)->module != module ||
        !alive(d, l, process) || found->len == 0)
        return;
    for (guint i = 0; i < found->len; i++)
        if (g_array_index(found, candidate, i).process == process)
            return;
    g_array_index(found, candidate, smallest(found)) = weigh(d, process);
}

// Scrolled down a list: those behind the ones that are left out.
static GArray *find_behind(const paf_drawing *d, const paf_lanes *l, uint32_t module, uint32_t skip)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(candidate));
    for (uint32_t i = d->m->first_process[module]; i < d->m->first_process[module + 1]; i++) {
        candidate c = weigh(d, d->m->processes[i]);
        if (alive(d, l, c.process))
            g_array_append_val(all, c);
    }
    g_array_sort(all, by_weight);
    skip = MIN(skip, all->len > 0 ? all->len - 1 : 0);
    g_array_remove_range(all, 0, skip);
    if (all->len > MOST_PROCESSES)
        g_array_set_size(all, MOST_PROCESSES);
    return all;
}

static uint32_t count_alive(const paf_drawing *d, const paf_lanes *l, uint32_t module)
{
    uint32_t n = 0;
    for (uint32_t i = d->m->first_process[module]; i < d->m->first_process[module + 1]; i++)
        n += alive(d, l, d->m->processes[i]);
    return n;
}

// The processes of a module alive in the window that come first, in order of creation, or, scrolled or
// by waiting, in that order. *ret_alive: how many there are.
static GArray *find_alive(const paf_drawing *d, const paf_lanes *l, uint32_t module,
                          uint32_t *ret_alive)
{
    uint32_t skip = d->v->scrolled == module ? d->v->first_process : 0;
    *ret_alive = count_alive(d, l, module);
    GArray *found;
    if (skip > 0 || (d->v->by_wait && *ret_alive > 1)) {
        found = find_behind(d, l, module, skip);
        include_selected(d, l, module, found);
        return found;
    }
    found = g_array_new(FALSE, FALSE, sizeof(candidate));
    guint least = 0; // of those found, once there are as many as may be
    for (uint32_t i = d->m->first_process[module]; i < d->m->first_process[module + 1]; i++) {
        candidate c = weigh(d, d->m->processes[i]);
        if (!alive(d, l, c.process))
            continue;
        if (found->len < MOST_PROCESSES) {
            g_array_append_val(found, c);
        } else if (c.weight > g_array_index(found, candidate, least).weight) {
            g_array_index(found, candidate, least) = c;
        } else {
            continue;
        }
        if (found->len == MOST_PROCESSES)
            least = smallest(found);
    }
    include_selected(d, l, module, found);
    g_array_sort(found, by_process);
    return found;
}

// ---------------------------------------------------------------------------------------------
// Rows of one process

static bool in_window(const paf_lanes *l, const paf_tree *tree, uint32_t node)
{
    paf_node_times times = paf_node_by(l->clock, tree, node);
    int64_t start = iot_tree_node(tree->tree, node)->ninputs
                        ? MIN(times.input_from, times.output_from)
                        : times.output_from;
    return start <= l->to + 1 && times.output_to >= l->from - 1;
}

// Numbers the rows of the tree that hold a shape of the window. Nodes that found no row when the
// tree was packed share the last one.
static void number_rows(const paf_lanes *l, paf_lane *lane)
{
    paf_tree *tree = lane->tree;
    bool used[PAF_NO_ROW + 1] = {false};
    for (uint32_t i = 0; i < tree->nnodes; i++)
        if (in_window(l, tree, i)) {
            used[tree->rows[i]] = true;
            lane->nshapes++;
        }
    uint32_t rows = 0;
    lane->row_of = g_malloc(PAF_NO_ROW + 1);
    for (uint32_t row = 0; row <= PAF_NO_ROW; row++)
        lane->row_of[row] = used[row] ? (uint8_t)rows++ : 0;
    lane->rows = MAX(rows, 1);
    lane->merged = used[PAF_NO_ROW] ? rows - 1 : IOT_NONE;
}

// The last rows become one.
static void merge_rows(paf_lane *lane, uint32_t rows)
{
    lane->rows = rows;
    lane->merged = rows - 1;
    for (uint32_t row = 0; row <= PAF_NO_ROW; row++)
        lane->row_of[row] = MIN(lane->row_of[row], (uint8_t)(rows - 1));
}

static void drop_boxes(paf_lane *lane, uint32_t rows)
{
    lane->kind = PAF_LANE_DENSITY;
    lane->tree = NULL;
    lane->rows = rows;
    g_free(lane->row_of);
    lane->row_of = NULL;
}

// Where nothing comes or goes in the window there is only a line to draw.
static uint32_t density_rows(const paf_drawing *d, const paf_lanes *l, uint32_t process)
{
    bool busy = paf_outputs_between(d->m, l->clock, process, l->from, l->to + 1) ||
                paf_inputs_between(d->m, l->clock, process, l->from, l->to + 1);
    return busy ? DENSITY_ROWS : 1;
}

static bool crowded(const paf_drawing *d, const paf_lane *lane)
{
    return lane->nshapes * CROWD > d->f.plot_w * lane->rows;
}

static paf_lane make_lane(paf_drawing *d, const paf_lanes *l, uint32_t section, uint32_t process)
{
    paf_lane lane = {.kind = PAF_LANE_DENSITY,
                     .section = section,
                     .module = iot_get_process(d->m->a, process)->module,
                     .process = process,
                     .rows = density_rows(d, l, process),
                     .merged = IOT_NONE};
    paf_want want;
    if (paf_model_wants(d->m, l->clock, process, l->from, l->to, &want))
        g_array_append_val(d->out->wants, want);
    lane.tree = paf_model_tree(d->m, l->clock, process, l->from, l->to);
    if (!lane.tree)
        return lane;
    paf_pack(lane.tree, l->clock, d->zoom);
    number_rows(l, &lane);
    lane.kind = PAF_LANE_BOXES;
    if (crowded(d, &lane))
        drop_boxes(&lane, DENSITY_ROWS);
    return lane;
}

static void limit_rows(const paf_drawing *d, paf_lane *lane, uint32_t rows)
{
    if (lane->rows <= rows)
        return;
    if (lane->kind == PAF_LANE_BOXES)
        merge_rows(lane, rows);
    lane->rows = rows;
    if (lane->kind == PAF_LANE_BOXES && crowded(d, lane))
        drop_boxes(lane, rows);
}

static paf_lane make_band(uint32_t section, uint32_t module, uint32_t nfolded)
{
    return (paf_lane){.kind = PAF_LANE_BAND,
                      .section = section,
                      .module = module,
                      .process = IOT_NONE,
                      .nfolded = nfolded,
                      .rows = 2,
                      .merged = IOT_NONE};
}

// ---------------------------------------------------------------------------------------------
// Goals that wait for ever

static int64_t waiting_since(const paf_drawing *d, uint32_t group)
{
    return paf_goal_created(d->m, d->v->clock, d->m->waiting->groups[group].goal);
}

static bool waits_in(const paf_drawing *d, const paf_lanes *l, uint32_t group, uint32_t module)
{
    return d->m->waiting->groups[group].module == module && waiting_since(d, group) <= l->to;
}

static uint32_t count_waiting(const paf_drawing *d, const paf_lanes *l, uint32_t module)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->m->waiting->n; i++)
        n += waits_in(d, l, i, module);
    return n;
}

// The first groups of the module, causes before what waits because of them, one lane each. The
// last one stands for the others, too.
static void add_waiting(const paf_drawing *d, paf_lanes *l, uint32_t module, uint32_t most)
{
    uint32_t n = count_waiting(d, l, module), shown = 0;
    for (uint32_t i = 0; i < d->m->waiting->n && shown < MIN(n, most); i++) {
        if (!waits_in(d, l, i, module))
            continue;
        shown++;
        paf_lane lane = {.kind = PAF_LANE_WAITING,
                         .section = l->sections->len,
                         .module = module,
                         .process = IOT_NONE,
                         .waiting = i,
                         .nmore = shown == most ? n - shown : 0,
                         .rows = 1,
                         .merged = IOT_NONE};
        g_array_append_val(l->lanes, lane);
    }
}

// ---------------------------------------------------------------------------------------------
// Sections: first everything they would like to show, then cut down to the rows they get

static void add_section(paf_drawing *d, paf_lanes *l, uint32_t module, bool compact)
{
    uint32_t nalive;
    GArray *found = find_alive(d, l, module, &nalive);
    paf_section s = {.module = module,
                     .nmodules = 1,
                     .nprocesses = nalive,
                     .first_lane = l->lanes->len,
                     .titled = nalive > 1,
                     .compact = compact};
    bool folded = (compact && nalive > 1) || (d->v->folded && d->v->folded[module]);
    for (guint i = 0; i < found->len && !folded; i++) {
        paf_lane lane =
            make_lane(d, l, l->sections->len, g_array_index(found, candidate, i).process);
        if (compact)
            limit_rows(d, &lane, COMPACT_ROWS);
        g_array_append_val(l->lanes, lane);
    }
    uint32_t shown = l->lanes->len - s.first_lane;
    if (nalive > shown) {
        paf_lane band = make_band(l->sections->len, module, nalive - shown);
        g_array_append_val(l->lanes, band);
    }
    if (folded)
        s.titled = false;
    add_waiting(d, l, module, compact ? 1 : MOST_WAITING);
    s.nlanes = l->lanes->len - s.first_lane;
    if (s.nlanes)
        g_array_append_val(l->sections, s);
    g_array_free(found, TRUE);
}

// One section for the modules there is no room for: a band of all their processes.
static void add_rest(paf_drawing *d, paf_lanes *l, uint32_t first_rank)
{
    paf_section s = {.module = IOT_NONE, .first_lane = l->lanes->len, .nlanes = 1, .compact = true};
    for (uint32_t rank = first_rank; rank < d->m->nmodules; rank++) {
        uint32_t module = d->m->order[rank], n = 0;
        for (uint32_t i = d->m->first_process[module]; i < d->m->first_process[module + 1]; i++)
            n += alive(d, l, d->m->processes[i]);
        s.nmodules += n > 0;
        s.nprocesses += n;
    }
    if (s.nprocesses == 0)
        return;
    paf_lane band = make_band(l->sections->len, IOT_NONE, s.nprocesses);
    g_array_append_val(l->lanes, band);
    g_array_append_val(l->sections, s);
}

// The least height that a section for each module with something to show would take.
static double least_height(const paf_drawing *d, const paf_lanes *l)
{
    double height = 0;
    for (uint32_t module = 0; module < d->m->nmodules; module++) {
        uint32_t end = d->m->first_process[module + 1], n = 0;
        for (uint32_t i = d->m->first_process[module]; i < end && n < 2; i++)
            n += alive(d, l, d->m->processes[i]);
        bool folded = d->v->folded && d->v->folded[module];
        uint32_t waiting = MIN(count_waiting(d, l, module), MOST_WAITING);
        height += waiting * PITCH_LEAST;
        if (n > 0 || waiting > 0)
            height +=
                2 * PAD + (n > 1 && !folded ? TITLE + LEAST_ROWS * PITCH_LEAST : 2 * PITCH_LEAST);
    }
    return height;
}

// Too many modules for a section each: compact ones; too many for that: the last holds the rest.
static void find_sections(paf_drawing *d, paf_lanes *l)
{
    bool compact = least_height(d, l) > d->f.lanes.h - NOTE;
    uint32_t most = compact ? (uint32_t)fmax((d->f.lanes.h - NOTE) / COMPACT, 1) : UINT32_MAX;
    uint32_t rank = 0;
    for (; rank < d->m->nmodules; rank++) {
        if (l->sections->len + 1 >= most && rank + 1 < d->m->nmodules)
            break;
        add_section(d, l, d->m->order[rank], compact);
    }
    l->rest_rank = rank;
    if (rank < d->m->nmodules)
        add_rest(d, l, rank);
}

static uint32_t section_rows(const paf_lanes *l, const paf_section *s)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < s->nlanes; i++)
        rows += paf_lane_at(l, s->first_lane + i)->rows;
    return rows;
}

// The lane with most rows gives up one.
static bool shrink_largest(paf_lanes *l, const paf_section *s)
{
    paf_lane *largest = NULL;
    for (uint32_t i = 0; i < s->nlanes; i++) {
        paf_lane *lane = paf_lane_at(l, s->first_lane + i);
        if ((lane->kind == PAF_LANE_BOXES || lane->kind == PAF_LANE_DENSITY) && lane->rows > 1 &&
            (!largest || lane->rows > largest->rows))
            largest = lane;
    }
    if (!largest)
        return false;
    if (largest->kind == PAF_LANE_BOXES)
        merge_rows(largest, largest->rows - 1);
    else
        largest->rows--;
    return true;
}

// Keeps the lanes of the processes with most members and folds the others into the section's band.
static void fold_small(const paf_drawing *d, paf_lanes *l, paf_section *s, uint32_t quota)
{
    uint32_t keep = quota > 3 ? quota - 2 : 1, n = 0, folded = 0;
    GArray *order = g_array_new(FALSE, FALSE, sizeof(candidate));
    bool *kept = g_new0(bool, s->nlanes);
    for (uint32_t i = 0; i < s->nlanes; i++) {
        paf_lane *lane = paf_lane_at(l, s->first_lane + i);
        kept[i] = lane->kind == PAF_LANE_WAITING;
        folded += lane->kind == PAF_LANE_BAND ? lane->nfolded : 0;
        if (lane->process == IOT_NONE)
            continue;
        // `process` holds the lane here. In a list that is ordered the first ones stay.
        bool ordered = d->v->by_wait || (d->v->scrolled == s->module && d->v->first_process > 0);
        candidate c = {i, lane->process == selected_process(d) ? UINT64_MAX
                          : ordered ? s->nlanes - i
                                    : iot_get_process(d->m->a, lane->process)->members};
        g_array_append_val(order, c);
    }
    g_array_sort(order, by_weight);
    for (guint i = 0; i < order->len && i < keep; i++)
        kept[g_array_index(order, candidate, i).process] = true;
    uint32_t section = paf_lane_at(l, s->first_lane)->section;
    for (uint32_t i = 0; i < s->nlanes; i++) {
        paf_lane *lane = paf_lane_at(l, s->first_lane + i);
        if (kept[i]) {
            *paf_lane_at(l, s->first_lane + n++) = *lane;
        } else if (lane->kind != PAF_LANE_BAND) {
            g_free(lane->row_of);
            folded++;
        }
    }
    if (folded > 0) // there is room: a band was left out, or a process
        *paf_lane_at(l, s->first_lane + n++) = make_band(section, s->module, folded);
    s->nlanes = n; // lanes after these, if any, stay unused
    g_array_free(order, TRUE);
    g_free(kept);
}

static void cut_section(const paf_drawing *d, paf_lanes *l, paf_section *s, uint32_t quota)
{
    while (section_rows(l, s) > quota && shrink_largest(l, s))
        continue;
    if (section_rows(l, s) > quota && s->nlanes > 1)
        fold_small(d, l, s, quota);
    for (uint32_t i = 0; i < s->nlanes; i++) {
        paf_lane *lane = paf_lane_at(l, s->first_lane + i);
        if (lane->kind == PAF_LANE_BOXES && crowded(d, lane))
            drop_boxes(lane, lane->rows);
    }
}

static double section_height(const paf_section *s, double pitch)
{
    if (s->compact)
        return COMPACT;
    double rows = s->rows * pitch;
    return 2 * PAD + (s->titled ? TITLE + rows : fmax(rows, LEAST_BESIDE));
}

// Rows that a section takes at the least pitch, with those its label needs.
static uint32_t wanted_rows(const paf_section *s)
{
    uint32_t label = s->titled ? 0 : (uint32_t)ceil(LEAST_BESIDE / PITCH_LEAST);
    return MAX(s->rows, label);
}

// Shares `rows` rows between sections. First each gets the few it cannot do without; of the others
// each gets an equal part, and what one does not need goes to the rest.
static void share_rows(const paf_lanes *l, uint32_t rows, uint32_t *quota)
{
    uint32_t n = l->sections->len, open = n;
    for (uint32_t i = 0; i < n; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        quota[i] = MIN(wanted_rows(s), s->titled ? LEAST_ROWS : 2);
        rows -= MIN(quota[i], rows);
    }
    bool *done = g_new0(bool, n);
    while (open > 0) {
        uint32_t part = rows / open;
        bool progress = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t more = wanted_rows(&g_array_index(l->sections, paf_section, i)) - quota[i];
            if (done[i] || more > part)
                continue;
            quota[i] += more;
            rows -= MIN(more, rows);
            done[i] = progress = true;
            open--;
        }
        if (progress)
            continue;
        for (uint32_t i = 0; i < n; i++)
            if (!done[i])
                quota[i] += part;
        break;
    }
    g_free(done);
}

// The largest pitch, in whole pixels, at which everything fits.
static double choose_pitch(const paf_lanes *l, double room)
{
    for (double pitch = PITCH_MOST; pitch > PITCH_LEAST; pitch--) {
        double height = 0;
        for (guint i = 0; i < l->sections->len; i++)
            height += section_height(&g_array_index(l->sections, paf_section, i), pitch);
        if (height <= room)
            return pitch;
    }
    return PITCH_LEAST;
}

static void fit_rows(const paf_drawing *d, paf_lanes *l)
{
    double room = d->f.lanes.h - NOTE, rows = room;
    for (guint i = 0; i < l->sections->len; i++) {
        paf_section *s = &g_array_index(l->sections, paf_section, i);
        s->rows = section_rows(l, s);
        rows -= 2 * PAD + (s->titled ? TITLE : 0);
    }
    uint32_t *quota = g_new0(uint32_t, l->sections->len);
    share_rows(l, (uint32_t)fmax(rows / PITCH_LEAST, 1), quota);
    for (guint i = 0; i < l->sections->len; i++) {
        paf_section *s = &g_array_index(l->sections, paf_section, i);
        if (s->rows > quota[i])
            cut_section(d, l, s, quota[i]);
        s->rows = section_rows(l, s);
    }
    g_free(quota);
    l->pitch = choose_pitch(l, room);
    if (l->sections->len && g_array_index(l->sections, paf_section, 0).compact)
        l->pitch = PITCH_LEAST + 3;
}

static void place_lanes(const paf_drawing *d, paf_lanes *l)
{
    double y = d->f.lanes.y;
    for (guint i = 0; i < l->sections->len; i++) {
        paf_section *s = &g_array_index(l->sections, paf_section, i);
        s->y = y;
        double rows = s->rows * l->pitch;
        s->h = section_height(s, l->pitch);
        // A single low lane stands in the middle, beside its label.
        double lane_y = s->titled ? y + PAD + TITLE : y + (s->h - rows) / 2;
        for (uint32_t k = 0; k < s->nlanes; k++) {
            paf_lane *lane = paf_lane_at(l, s->first_lane + k);
            lane->y = lane_y;
            lane->h = lane->rows * l->pitch;
            lane_y += lane->h;
            if (lane->kind == PAF_LANE_BAND && lane->module != IOT_NONE)
                l->band_of_module[lane->module] = s->first_lane + k;
            else if (lane->process != IOT_NONE)
                g_hash_table_insert(l->lane_of_process, GUINT_TO_POINTER(lane->process),
                                    GUINT_TO_POINTER(s->first_lane + k + 1));
        }
        y += s->h;
    }
}

// ---------------------------------------------------------------------------------------------
// Shapes

static void place_shape(const paf_drawing *d, paf_lanes *l, uint32_t lane_index, uint32_t index)
{
    paf_lane *lane = paf_lane_at(l, lane_index);
    const iot_node *node = iot_tree_node(lane->tree->tree, index);
    paf_node_times times = paf_node_by(l->clock, lane->tree, index);
    double half = paf_half_width(d->zoom), pad = l->pitch > 19   ? 4
                                                 : l->pitch > 14 ? 3
                                                 : l->pitch > 11 ? 2
                                                                 : 1;
    paf_shape shape = {.lane = lane_index,
                       .node = index,
                       .s0 = paf_x(d, (double)times.output_from) - half,
                       .s1 = paf_x(d, (double)times.output_to) + half,
                       .y = lane->y + lane->row_of[lane->tree->rows[index]] * l->pitch + pad,
                       .h = l->pitch - 2 * pad};
    shape.merged = lane->row_of[lane->tree->rows[index]] == lane->merged;
    shape.lit = !paf_focus_dims(paf_lighting(d)) ||
                paf_focus_lights_node(paf_lighting(d), d->m, lane->tree, index);
    if (node->ninputs) {
        shape.x0 = paf_x(d, (double)times.input_from) - half;
        shape.x1 = paf_x(d, (double)times.input_to) + half;
        // Reading and giving in one step: the solid part is its later half.
        if (times.input_to >= times.output_from)
            shape.s0 += times.input_from >= times.output_from ? half : 0;
    } else {
        shape.x0 = shape.x1 = shape.s0;
    }
    lane->box_of[index] = l->shapes->len;
    g_array_append_val(l->shapes, shape);
}

static void place_shapes(const paf_drawing *d, paf_lanes *l)
{
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = s->first_lane; k < s->first_lane + s->nlanes; k++) {
            paf_lane *lane = paf_lane_at(l, k);
            if (lane->kind != PAF_LANE_BOXES)
                continue;
            lane->first_box = l->shapes->len;
            lane->box_of = g_new(uint32_t, lane->tree->nnodes + 1);
            for (uint32_t n = 0; n < lane->tree->nnodes; n++) {
                lane->box_of[n] = IOT_NONE;
                if (in_window(l, lane->tree, n))
                    place_shape(d, l, k, n);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------

static void clear_lane(gpointer data)
{
    paf_lane *lane = data;
    g_free(lane->box_of);
}

paf_lanes *paf_lanes_plan(paf_drawing *d)
{
    paf_lanes *l = g_new0(paf_lanes, 1);
    l->sections = g_array_new(FALSE, FALSE, sizeof(paf_section));
    l->lanes = g_array_new(FALSE, FALSE, sizeof(paf_lane));
    g_array_set_clear_func(l->lanes, clear_lane);
    l->shapes = g_array_new(FALSE, FALSE, sizeof(paf_shape));
    l->lane_of_process = g_hash_table_new(g_direct_hash, g_direct_equal);
    l->band_of_module = g_new(uint32_t, d->m->nmodules);
    for (uint32_t i = 0; i < d->m->nmodules; i++)
        l->band_of_module[i] = IOT_NONE;
    l->clock = d->v->clock;
    l->from = (int64_t)floor(d->v->from);
    l->to = (int64_t)ceil(d->v->to);
    find_sections(d, l);
    fit_rows(d, l);
    place_lanes(d, l);
    place_shapes(d, l);
    return l;
}

void paf_lanes_free(paf_lanes *l)
{
    for (guint i = 0; i < l->sections->len; i++) {
        const paf_section *s = &g_array_index(l->sections, paf_section, i);
        for (uint32_t k = 0; k < s->nlanes; k++)
            g_free(paf_lane_at(l, s->first_lane + k)->row_of);
    }
    g_array_unref(l->sections);
    g_array_unref(l->lanes);
    g_array_unref(l->shapes);
    g_hash_table_destroy(l->lane_of_process);
    g_free(l->band_of_module);
    g_free(l);
}

uint32_t paf_lane_of(const paf_drawing *d, const paf_lanes *l, uint32_t process)
{
    gpointer found = g_hash_table_lookup(l->lane_of_process, GUINT_TO_POINTER(process));
    if (found)
        return GPOINTER_TO_UINT(found) - 1;
    uint32_t module = iot_get_process(d->m->a, process)->module;
    if (l->band_of_module[module] != IOT_NONE)
        return l->band_of_module[module];
    if (d->m->rank[module] < l->rest_rank || l->sections->len == 0)
        return IOT_NONE;
    const paf_section *s = &g_array_index(l->sections, paf_section, l->sections->len - 1);
    return s->module == IOT_NONE ? s->first_lane : IOT_NONE;
}
