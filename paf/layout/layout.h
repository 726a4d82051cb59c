// SPDX-License-Identifier: MIT
//
// layout: from a model and the state of a view to a picture. A layout is made when the state
// changes, not whenever the window is drawn.
#ifndef PAF_LAYOUT_H
#define PAF_LAYOUT_H

#include "paf/model/bookmarks.h"
#include "paf/model/focus.h"
#include "paf/model/model.h"
#include "paf/draw/palette.h"
#include "paf/draw/picture.h"
#include "paf/layout/source_card.h"
#include "paf/model/messages.h"
#include "profiler/regions.h"

typedef enum {
    PAF_VIEW_ALL,          // everything, as in the window
    PAF_VIEW_PARALLELISM,  // ruler and chart
    PAF_VIEW_IOTREE,       // ruler and processes
    PAF_VIEW_DEPENDENCIES, // who waits for whom
    PAF_VIEW_COSTS,        // of a real run of Fleng: what it took its time for
    PAF_VIEW_CALLS,        // of a measured run: where its places were, beside each other
    PAF_VIEW_MESSAGES,     // of a run with messages: which rank sent to which
    PAF_VIEW_PLACES,       // of a measured or real run: locations over real time (from, to:
                           // nanoseconds); of a simulated one: processors over its steps
    PAF_VIEW_RUN,          // ruler, chart and processes of one of two runs
} paf_view_kind;

// What is shown of the places of a measured run below the curve.
typedef enum { PAF_LANES_ROWS, PAF_LANES_CALLS, PAF_LANES_MESSAGES } paf_lanes_kind;

// The bar of modules and findings: where there is room, always, never.
typedef enum { PAF_SIDE_ROOM, PAF_SIDE_SHOWN, PAF_SIDE_HIDDEN } paf_side;

// In pixels; 0: as it fits the window. Limits hold, so that no pane is lost.
typedef struct {
    double side, bottom, details; // width, height, width
} paf_panes;

typedef enum { PAF_BORDER_SIDE, PAF_BORDER_BOTTOM, PAF_BORDER_DETAILS } paf_border;

typedef struct {
    paf_view_kind kind;
    paf_panes panes;
    uint32_t drop; // module whose card something is dragged to, or IOT_NONE
    double width, height; // before the scale factor
    double scale;         // device pixels per pixel
    bool dark;
    bool header;       // draw the line with the file's name and the figures of the run
    const char *title; // the file's name
    iot_clock clock;   // of the axis; real time once the model has it (paf_model_has_real())
    double from, to;   // the window of time shown, from < to
    uint32_t selected; // reduction, or IOT_NONE
    uint32_t waiting;  // group of waiting goals (m->waiting) whose details are shown, or IOT_NONE
    double pointer;    // time under the pointer, or NAN: no part of the layout (paf_pointer_picture())
    uint32_t hover;    // reduction of the node under the pointer, or IOT_NONE
    const paf_focus *pointed; // of the pair of modules under the pointer, or NULL
    uint32_t hover_link; // of the arrow under the pointer, or IOT_NONE
    const paf_focus *focus;  // NULL: none
    const GPtrArray *bookmarks; // paf_bookmark: flags on the axis; NULL: none
    bool path;               // the critical path is drawn
    double row_scroll;       // of the rows of a chain, in rows, from those around the choice
    const struct iot_schedule *schedule; // of the view of places: a simulated run; NULL: as it ran
    struct paf_ghost *ghost; // the run as it would be if something were different, or NULL
    paf_side side;
    // Modules shown as one band, by module; NULL: none.
    const uint8_t *folded;
    uint32_t scrolled;      // a module of more processes than have lanes: so many are left out above
    uint32_t first_process;
    bool by_wait;           // processes that waited longest come first, else those of most reductions;
                            // and rows of places, else by number
    paf_lanes_kind lanes_kind;
    uint32_t call;          // of the calls: the module whose places are beside each other, or IOT_NONE: the
                            // first one
    paf_message_figure figure;       // of the messages
    uint32_t sender, receiver;       // row and column that are chosen, or IOT_NONE
    uint32_t first_row;     // rows of places scrolled out above
    double row_height;      // of each row of places, with what is below it; 0: as there is room
    bool all_rows;          // all rows of places are in sight, however low
    const uint8_t *shut;    // by group of places (place_groups.h): one row stands for it; NULL: none
    uint32_t first_card;  // cards scrolled out above
    uint32_t region;      // the parallel region whose statistics are shown (the number of regions:
                          // the whole program), or IOT_NONE
    uint32_t first_region; // regions scrolled out above
    double source_scroll;  // in lines, from the line that the selection asks for
    double least_top;      // the chart's axis goes at least so far up
    double computed;       // how far a model that is not complete has come, 0..1
} paf_view;

// What a place in the picture stands for. In brackets: its numbers a and b.
typedef enum {
    PAF_HIT_NONE,
    PAF_HIT_OVERVIEW,
    PAF_HIT_CHART,
    PAF_HIT_LANES,
    PAF_HIT_CARD,    // module
    PAF_HIT_FINDING, // index: notes, then findings
    PAF_HIT_SECTION, // module, number of processes: its name beside them
    PAF_HIT_LANE,    // process
    PAF_HIT_BAND,    // module (IOT_NONE: several), number of processes
    PAF_HIT_NODE,    // process, reduction
    PAF_HIT_WAITING, // group of goals that wait for ever
    PAF_HIT_BUNDLE,  // producing module, reading module
    PAF_HIT_ARROW,   // link
    PAF_HIT_MARK,    // number of a bookmark
    PAF_HIT_PATH,    // the strip of the critical path
    PAF_HIT_GO,      // reduction to select
    PAF_HIT_WHY,     // reduction to select: why the selected one came so late
    PAF_HIT_PARTITION,
    PAF_HIT_REGION, // parallel region; their number: the whole program
    PAF_HIT_ROW,    // first place, number of places
    PAF_HIT_PLACE,  // the same: its name
    PAF_HIT_GROUP,  // group of places, number of places: its name
    PAF_HIT_LANES_KIND, // paf_lanes_kind: shows that
    PAF_HIT_CALL,       // module
    PAF_HIT_CALL_PLACE, // module, place
    PAF_HIT_MESSAGES,   // row, column
    PAF_HIT_FIGURE,     // paf_message_figure: shows that
    PAF_HIT_ROWS_BAR, // scrolls the rows of places
    PAF_HIT_CLOCK,  // the other clock: whether there is one
    PAF_HIT_COSTS,  // why the run took as long as it did
    PAF_HIT_SIDE,
    PAF_HIT_SIDE_SWITCH, // shows or hides it
    PAF_HIT_SOURCE,
    PAF_HIT_MODULE_ROW, // of two runs' table: module, run
    PAF_HIT_BORDER,     // paf_border: between panes
    PAF_HIT_RUN,        // what is said of one of two runs, 0 or 1, or of both, 2
} paf_hit_kind;

typedef struct {
    paf_rect header, side, sentence, overview, ruler, chart, lanes, details, source; // w == 0: absent
    paf_rect workers;      // of a real run of Fleng by real time: above the lanes
    paf_rect loops;        // beside the timeline: iterations of a loop
    double plot_x, plot_w; // the time axis, shared by overview, chart and lanes
    double time_bottom;    // where what it is the axis of ends
} paf_frame;

typedef struct {
    paf_picture *picture;
    paf_frame frame;
    paf_source_view source;
    GArray *wants;   // paf_want: trees with which the picture would show more
    bool more_cards; // some modules' cards are below the side bar's end
    paf_rect regions;      // the rows of parallel regions; w == 0: there are none
    bool more_regions;     // some are scrolled out below
    // Rows of places: how many there are, and which are in sight; by place its row; how far apart they are.
    uint32_t nrows, first_row, rows_shown;
    GArray *row_of; // uint32_t
    double row_step;
    paf_rect rows_bar, rows_area; // the scrollbar (w == 0: all are in sight); their names
    uint32_t hidden_hands; // how many edges are not drawn, because there are too many
} paf_layout;

paf_layout *paf_layout_create(const paf_model *m, const paf_view *view, paf_shaped_text *text);
// The pointer and its time, to be drawn over the layout's picture: what moves with it needs no other layout,
// and asks nothing of the model.
paf_picture *paf_pointer_picture(const trace *t, const paf_view *view, const paf_layout *layout,
                                 paf_shaped_text *text);
// Whether the view of an overview (iotree/overview.h) would be the same of an analysis of the reductions.
bool paf_layout_is_exact(const paf_model *m, const paf_view *view);
// The stretch of time that the view shows, as trace_open_stretch() wants it. False: it is too long.
bool paf_layout_needs(const paf_model *m, const paf_view *view, int64_t *ret_from, int64_t *ret_width,
                      uint32_t *ret_n);
// Shows a bookmark, of a complete model that has real time if the bookmark is by that. *ret_focus is the
// view's (paf_focus_unref), or NULL. folded: by module.
void paf_view_take_bookmark(paf_view *view, const paf_model *m, const paf_bookmark *b, paf_focus **ret_focus,
                            uint8_t *folded);
void paf_layout_destroy(paf_layout *layout);

// Of one of two runs (PAF_VIEW_RUN): ruler, chart and processes at the places of into->frame, and its
// findings in a column, under the run's name. They add to into's picture and wants.
void paf_layout_draw_run(const paf_model *m, const paf_view *view, paf_layout *into);
void paf_draw_run_findings(const paf_model *m, const paf_view *view, paf_layout *into, paf_rect column,
                           const char *title);
// How high the chart of the view goes, at so many pixels per step.
double paf_chart_top(const paf_model *m, const paf_view *view, double zoom);

// The side bar shows this many parallel regions at once, the longest first.
#define PAF_REGIONS_SHOWN 5u
// How many of them come before this one.
uint32_t paf_region_rank(const trace_regions *all, uint32_t region);
// "heat.c:20"; g_free().
char *paf_region_name(const trace_regions *all, uint32_t region);

// The reduction of the critical path at the time, or IOT_NONE.
uint32_t paf_path_step_at(const paf_model *m, iot_clock clock, double time);

// The end of the axis: the end of the run by the clock.
double paf_end(const paf_model *m, iot_clock clock);
// The same, or that of the view's ghost if that comes later.
double paf_axis_end(const paf_model *m, const paf_view *view);
// True if views can have a second clock.
bool paf_has_clocks(const paf_model *m);
// A view of the whole run at this size, by its first clock.
paf_view paf_view_fit(const paf_model *m, double width, double height);
// What can be shown of places; ret: by paf_lanes_kind. False: there are no rows.
bool paf_lanes_there(const paf_model *m, iot_clock clock, bool ret[3]);
// What the view shows of them: rows if it cannot show what it was asked for.
paf_lanes_kind paf_lanes_shown(const paf_model *m, const paf_view *view);
// The messages of a run without a history, as --view messages shows them.
paf_picture *paf_messages_picture(const paf_messages *messages, const trace *t, const paf_view *view,
                                  paf_shaped_text *text);
// Builds the trees that the layouts of this view want. For exports and tests; a window does it in
// the background.
void paf_model_prepare(paf_model *m, const paf_view *view, paf_shaped_text *text);

#endif
