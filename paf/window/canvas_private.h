// SPDX-License-Identifier: MIT
#ifndef PAF_CANVAS_PRIVATE_H
#define PAF_CANVAS_PRIVATE_H

#include "paf/window/canvas.h"

typedef enum { DRAG_NONE, DRAG_PAN, DRAG_RANGE, DRAG_WINDOW } paf_drag;

struct paf_canvas {
    GtkWidget *widget;
    int references; // the widget's, and one for each tree job under way
    paf_asked *asked;
    void *data;
    paf_laid_out *laid_out; // may be NULL
    void *laid_out_data;
    paf_session *session; // a reference
    paf_text *text;
    paf_view view;
    GArray *folded;     // guint8 by module
    GArray *history;    // guint32: reductions selected before
    paf_layout *layout; // the latest
    guint idle;         // a layout is due
    bool paused, building;
    guint awaiting; // shows how far the completion of the model is
    // Dragging: where it began (x, y), and the window then.
    paf_drag drag;
    bool dragged;
    double drag_x, drag_y, drag_from, drag_to;
    double pointer_x, pointer_y;
};

void paf_canvas_invalidate(paf_canvas *c);
// Shows [from, to], kept within the run and not narrower than a few steps.
void paf_canvas_set_window(paf_canvas *c, double from, double to);
double paf_canvas_end(const paf_canvas *c); // of the axis
// Statistics of a parallel region; IOT_NONE: of none.
void paf_canvas_show_region(paf_canvas *c, uint32_t region);
void paf_canvas_zoom(paf_canvas *c, double factor, double around);
void paf_canvas_select(paf_canvas *c, uint32_t reduction); // and brings it into view
double paf_canvas_time_at(const paf_canvas *c, double x);
bool paf_canvas_over_time(const paf_canvas *c, double x, double y);

// Asks for a part of the name of a parallel region or a module, and shows it.
void paf_canvas_find(paf_canvas *c);

void paf_canvas_connect_input(paf_canvas *c);
void paf_canvas_popup(paf_canvas *c, const paf_hit *hit, const GdkEvent *event);
// What the tip of a place says, or NULL.
char *paf_canvas_tip(paf_canvas *c, double x, double y);

#endif
