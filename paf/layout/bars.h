// SPDX-License-Identifier: MIT
//
// bars: a flat profile as bars. The tables are program units, DO loops, input and output, and MPI
// calls, by time or by executions, with the largest first. From a state to a picture, whenever the
// state changes.
#ifndef PAF_BARS_H
#define PAF_BARS_H

#include "paf/draw/picture.h"
#include "paf/layout/source_card.h"
#include "paf/model/totals.h"

typedef enum { PAF_FIGURE_REDUCTIONS, PAF_FIGURE_PATH, PAF_FIGURE_WAITED, PAF_FIGURES } paf_figure;

typedef struct {
    double width, height; // before the scale factor
    double scale;         // device pixels per pixel
    bool dark;
    bool header;       // draw the line with the file's name and the finding
    const char *title; // the file's name
    trace_total_kind table;
    uint32_t unit;      // show only rows of this unit (a total), or TRACE_NONE
    paf_io_group group; // of the table of input and output: what a row is
    uint32_t file;      // show only the statements of this file, or TRACE_NONE
    bool counts;       // executions, else time
    paf_figure figure; // of a history of Fleng: what rows are ordered by, and how long bars are
    uint32_t nodes;    // a node, or PAF_NODES_SUM ...
    double maximum;    // manual scale: the value of a full bar (seconds or executions); <= 0:
                       // automatic, the topmost visible bar is full
    uint32_t first;    // how many rows are scrolled out above
    uint32_t selected; // a row's total, or TRACE_NONE
    uint32_t trips;    // a loop whose trip counts are shown, or TRACE_NONE
    bool show_ignored; // show the list of ignored rows, of all tables
    const uint8_t *ignored; // by total; NULL: none
    uint32_t hover;       // row pointed at: a total, or TRACE_NONE
    double source_scroll; // lines below the place that is selected
} paf_bars_view;

typedef enum {
    PAF_BARS_NOTHING,
    PAF_BARS_TABLE,   // kind of places
    PAF_BARS_ROW,     // total
    PAF_BARS_BACK,    // to all units, or to all input and output
    PAF_BARS_BY,      // 0: time, 1: executions; of a history of Fleng: paf_figure
    PAF_BARS_NODES,   // the next choice of nodes
    PAF_BARS_SCALE,   // 0: automatic, 1: manual
    PAF_BARS_IGNORED, // the list of what is ignored, or back
    PAF_BARS_IGNORE,  // total: ignore it, or take that back
    PAF_BARS_SCROLLBAR,
    PAF_BARS_GROUP,   // paf_io_group
    PAF_BARS_SOURCE,
} paf_bars_hit;

typedef struct {
    paf_picture *picture;
    uint32_t nrows;   // of the table
    uint32_t room;    // rows that fit
    uint32_t visible; // and are there
    uint32_t first;   // rows above them
    uint32_t *rows;   // their totals; a file is the number of totals plus its own number
    double largest;   // value of a full bar, seconds or executions
    paf_rect scrollbar;     // all of it, w == 0: absent
    paf_source_view source; // of what is selected
} paf_bars;

paf_bars_view paf_bars_fit(const trace_totals *totals, double width, double height);
paf_bars *paf_bars_create(const trace *t, const trace_totals *totals, const paf_bars_view *view,
                          paf_shaped_text *text);
void paf_bars_destroy(paf_bars *b);

// True if rows are units or files, each of which leads to its statements.
bool paf_bars_is_grouped(const paf_bars_view *v);
// The total of a row; NULL if it is a file.
const trace_total *paf_bars_total(const trace_totals *totals, uint32_t row);
char *paf_bars_row_name(const trace *t, const trace_totals *totals, uint32_t row);

const char *paf_bars_table_name(const trace_totals *totals, trace_total_kind kind); // "DO loops"

#endif
