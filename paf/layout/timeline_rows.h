// SPDX-License-Identifier: MIT
//
// What the parts of the timeline share: its rows, and the marks over them.
#ifndef PAF_LAYOUT_TIMELINE_ROWS_H
#define PAF_LAYOUT_TIMELINE_ROWS_H

#include "paf/layout/layout_private.h"
#include "paf/model/timeline.h"

typedef struct {
    const paf_timeline *l;
    double top;           // of the first row
    double pitch, bar;    // height of a row, and of the bars in it
    double level;         // height of a line below the row, for nested calls
    uint32_t levels;      // lines of a row
    double step;          // from row to row
    uint32_t rows, group; // group: how many locations share a row
    uint32_t columns;     // pixels of the axis
    bool *taken;          // by line above the rows (regions, loops) and column: a label is there
} paf_rows;

static inline double paf_row_y(const paf_rows *p, uint32_t place) // the middle
{
    return p->top + (place / p->group) * p->step + p->pitch / 2;
}

// Draws teams behind the rows, with their forks and joins.
void paf_draw_teams(paf_drawing *d, const paf_rows *p);
void paf_draw_executions(paf_drawing *d, const paf_rows *p);
void paf_draw_loops(paf_drawing *d, const paf_rows *p);
void paf_draw_hands(paf_drawing *d, const paf_rows *p);
void paf_draw_iterations(paf_drawing *d, const paf_rows *p); // beside the rows
void paf_draw_timeline_legend(paf_drawing *d, const paf_rows *p, double y);

// Of a real run of Fleng: below the rows of its workers (worker_states.c).
bool paf_has_worker_states(const paf_drawing *d);
void paf_draw_worker_states(paf_drawing *d, const paf_rows *p);
char *paf_ready_label(const paf_drawing *d); // g_free(); NULL: nothing is known of ready goals
double paf_draw_states_legend(paf_drawing *d, double x, double y); // returns where it ends

// The dashes of a wait of this kind, along a line.
void paf_draw_dashes(paf_drawing *d, paf_interval_kind s, double x0, double x1, double y,
                     bool thin);
paf_colour paf_dash_colour(const paf_drawing *d, paf_interval_kind s);

#endif
