// SPDX-License-Identifier: MIT
//
// The state of the bars' widget, and what its two files offer each other: bars_canvas.c changes the
// state, bars_input.c says what the pointer and keys mean.
#ifndef PAF_BARS_CANVAS_PRIVATE_H
#define PAF_BARS_CANVAS_PRIVATE_H

#include "paf/window/bars_canvas.h"

struct paf_bars_canvas {
    paf_widget *widget;
    paf_session *session; // a reference
    paf_totals *own;      // of a trace without totals, or NULL
    const trace_totals *totals;
    paf_shaped_text *text;
    paf_bars_drawn *drawn; // may be NULL
    void *drawn_data;
    paf_bars_view view;
    uint8_t *ignored; // by total
    GArray *order;    // guint32: the ignored totals, latest last
    GArray *undone;   // guint32: totals whose "ignore" was undone, latest last
    paf_bars *bars;
    double scrolled;  // by a smooth wheel: the part of a row that is left over
    double drag_y;    // where the drag of the scrollbar began,
    uint32_t drag_first; // and the rows above then
    guint32 switched;    // when a click led to another table (0: the last one did not),
    double switched_x, switched_y; // and where
};

void paf_bars_update(paf_bars_canvas *c); // a new picture
void paf_bars_scroll_to(paf_bars_canvas *c, int64_t first);
void paf_bars_show_table(paf_bars_canvas *c, trace_total_kind table, uint32_t unit);
void paf_bars_show_by(paf_bars_canvas *c, uint32_t by); // as PAF_BARS_BY
void paf_bars_show_ignored(paf_bars_canvas *c, bool on);
void paf_bars_set_maximum(paf_bars_canvas *c, double maximum); // 0: automatic
void paf_bars_select(paf_bars_canvas *c, uint32_t total);
void paf_bars_show_group(paf_bars_canvas *c, paf_io_group group);
void paf_bars_go_back(paf_bars_canvas *c);
void paf_bars_choose(paf_bars_canvas *c, uint32_t total);
void paf_bars_ignore(paf_bars_canvas *c, uint32_t total, bool on);
void paf_bars_next_nodes(paf_bars_canvas *c, int step);

extern const paf_page paf_bars_page;    // what the bars answer (bars_input.c)
void paf_bars_gone(paf_bars_canvas *c); // the widget is destroyed

#endif
