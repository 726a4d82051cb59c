// SPDX-License-Identifier: MIT
//
// lanes: where the processes are drawn. A section is a module. A lane is one process, or a band
// into which many processes are folded. A process is drawn as boxes, one for each node, or as
// density if the boxes would not fit.
//
//   section  |  lane: boxes      [==]--[#]   [==]--[#]
//            |                     [====]---[#]
//            |  lane: density    ..::||||::..||||
//            |  lane: band       ....::::....   "+12 processes"
//            |  lane: waiting       [//////////////   a goal that waits for ever
//   section  |  ...
#ifndef PAF_LANES_H
#define PAF_LANES_H

#include "paf/layout/layout_private.h"

typedef enum { PAF_LANE_BOXES, PAF_LANE_DENSITY, PAF_LANE_BAND, PAF_LANE_WAITING } paf_lane_kind;

typedef struct {
    paf_lane_kind kind;
    uint32_t section;
    uint32_t module;  // IOT_NONE: a band of several modules
    uint32_t process; // IOT_NONE: a band, or waiting
    uint32_t waiting; // waiting: group of goals; the last of a section may stand for more
    uint32_t nmore;   // waiting: so many groups
    uint32_t nfolded; // band: how many processes
    paf_tree *tree;   // boxes
    uint32_t rows;    // that it takes
    uint32_t nshapes; // boxes: how many there are in the window
    // Boxes: packed row -> row shown. Rows that are empty in the window are left out. If there is
    // no room for all rows, the rest of them share the last one, which is `merged`.
    uint8_t *row_of;
    uint32_t merged;    // that row, or IOT_NONE
    uint32_t first_box; // boxes: boxes[first_box ..], in the order of the tree
    uint32_t *box_of;   // boxes: node -> box, or IOT_NONE
    double y, h;
} paf_lane;

typedef struct {
    uint32_t module; // IOT_NONE: the modules for which there is no room
    uint32_t nmodules;
    uint32_t nprocesses; // alive in the window
    uint32_t first_lane, nlanes;
    uint32_t rows;
    bool titled;  // its name has a line of its own above the lanes
    bool compact; // many modules: one lane, as low as its label allows
    double y, h;
} paf_section;

// The shape of a node in pixels: a pale box from x0 to x1, a line, a solid box from s0 to s1. If
// the node needs no input, x0 == x1 and there is only the solid box.
typedef struct {
    uint32_t lane, node;
    double x0, x1, s0, s1, y, h;
    bool merged; // it shares its row with others and has no outline
    bool lit;    // the focus is on it, or there is none
} paf_shape;

typedef struct {
    GArray *sections;            // paf_section
    GArray *lanes;               // paf_lane
    GArray *shapes;              // paf_shape
    GHashTable *lane_of_process; // process -> lane index + 1
    uint32_t *band_of_module;    // module -> lane index of its band, or IOT_NONE
    double pitch;                // height of a row
    uint32_t rest_rank;          // modules from this rank on share the last section
    iot_clock clock;
    int64_t from, to;            // the window by the clock
} paf_lanes;

static inline paf_lane *paf_lane_at(const paf_lanes *l, uint32_t i)
{
    return &g_array_index(l->lanes, paf_lane, i);
}

static inline paf_shape *paf_shape_at(const paf_lanes *l, uint32_t i)
{
    return &g_array_index(l->shapes, paf_shape, i);
}

static inline double paf_shape_left(const paf_shape *s)
{
    return s->x1 > s->x0 ? MIN(s->x0, s->s0) : s->s0;
}

// Chooses lanes and rows for the window and places the shapes.
paf_lanes *paf_lanes_plan(paf_drawing *d);
void paf_lanes_free(paf_lanes *l);

// The lane that shows the process, boxes, density or band; IOT_NONE: it is not shown.
uint32_t paf_lane_of(const paf_drawing *d, const paf_lanes *l, uint32_t process);

void paf_draw_shapes(paf_drawing *d, const paf_lanes *l);
void paf_draw_density(paf_drawing *d, const paf_lanes *l);
void paf_draw_tree_lines(paf_drawing *d, const paf_lanes *l);
void paf_draw_waiting(paf_drawing *d, const paf_lanes *l);
void paf_draw_path(paf_drawing *d, const paf_lanes *l); // path.c
void paf_draw_selection(paf_drawing *d, const paf_lanes *l);
void paf_draw_shape_labels(paf_drawing *d, const paf_lanes *l);

// Arrows between processes: the output of one is an input of another. Where they are few enough for
// the pixels that they have, each is drawn; strong, if the reader waited longest for it. Others are
// bundled. A bundle stands where its median arrow does and is as wide as its arrows were waited for.
typedef enum {
    PAF_ARROW_FAINT,
    PAF_ARROW_STRONG,
    PAF_ARROW_SELECTED,
    PAF_ARROW_SELECTED_LAST
} paf_arrow_kind;

typedef struct {
    double x0, y0, x1, y1;
    uint32_t module; // producer's
    uint32_t link;   // that it stands for, or IOT_NONE
    bool lit;        // the focus is on it; without a focus: no arrow is dimmed
    paf_arrow_kind kind;
} paf_arrow;

typedef struct {
    double x0, x1, y0, y1;
    uint32_t from, to; // modules
    uint32_t n;
    uint64_t waited; // by the readers together
    double width;
} paf_bundle;

typedef struct {
    GArray *arrows;   // paf_arrow
    GArray *bundles;  // paf_bundle
    uint64_t total;   // links read in the window
    uint64_t bundled; // of these
    uint64_t hidden;  // of these: in bundles for which there is no room
} paf_arrows;

// Faint ones are drawn before the shapes, strong ones after them. The note at the foot says how many
// there are in the window, and whether they are bundled.
paf_arrows *paf_arrows_collect(paf_drawing *d, const paf_lanes *l);
void paf_arrows_draw_faint(paf_drawing *d, const paf_arrows *arrows);
void paf_arrows_draw_strong(paf_drawing *d, const paf_arrows *arrows);
void paf_arrows_draw_counts(paf_drawing *d, const paf_arrows *arrows); // after all other text
void paf_arrows_add_hits(paf_drawing *d, const paf_arrows *arrows);
char *paf_arrows_note(const paf_arrows *arrows);
void paf_arrows_free(paf_arrows *arrows);

#endif
