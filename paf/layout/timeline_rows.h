// SPDX-License-Identifier: MIT
//
// What the parts of the timeline share: its rows, and the marks over them.
#ifndef PAF_LAYOUT_TIMELINE_ROWS_H
#define PAF_LAYOUT_TIMELINE_ROWS_H

#include "paf/layout/layout_private.h"
#include "paf/model/timeline.h"

// One place; the head of a group, with the mean of its places; or, where there is no room, several places.
typedef struct {
    uint32_t first, n; // places: order[first .. first + n)
    uint32_t group;    // whose head it is, or IOT_NONE
    bool open;         // a head: its places have rows of their own below it
    uint32_t depth;    // how many groups it is in
} paf_row;

typedef struct {
    const paf_timeline *l;
    double top, bottom;    // of the rows that are in sight
    double pitch, bar;     // height of a row, and of the bars in it
    double level;          // height of a line below the row, for nested calls
    uint32_t levels;       // lines of a row
    double step;           // from row to row
    uint32_t n;            // rows, also those that are scrolled out
    uint32_t first, shown; // those in sight
    paf_row *row;
    uint32_t *order;       // places in order of the rows
    uint32_t *row_of;      // by place: its own row, or that of the closed group that it is in
    bool squeezed;         // several places have a row that is no head
    uint32_t columns;      // pixels of the axis
    bool *taken;           // by line above the rows (regions, loops) and column: a label is there
} paf_rows;

// The rows of the view's timeline (timeline_plan.c).
paf_rows paf_plan_rows(const paf_drawing *d);
void paf_free_rows(paf_rows *p);
// Their names, and what the figures beside them are.
void paf_label_row(paf_drawing *d, const paf_rows *p, uint32_t row, double part);
void paf_head_rows(paf_drawing *d, const paf_rows *p);

static inline double paf_row_middle(const paf_rows *p, uint32_t row)
{
    return p->top + ((double)row - p->first) * p->step + p->pitch / 2;
}

static inline double paf_row_y(const paf_rows *p, uint32_t place) // the middle
{
    return paf_row_middle(p, p->row_of[place]);
}

// Whether the place has a row of its own, and that is in sight.
static inline bool paf_row_is_own(const paf_rows *p, uint32_t place)
{
    uint32_t row = p->row_of[place];
    bool seen = row >= p->first && row < p->first + p->shown;
    return seen && p->row[row].n == 1 && p->row[row].group == IOT_NONE;
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
