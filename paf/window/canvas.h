// SPDX-License-Identifier: MIT
//
// canvas: the page that shows the history of a session: zooming, panning, selecting, hovering. It
// holds the state of the view. A layout is made before the next frame when the state has changed;
// drawing replays the latest layout.
#ifndef PAF_CANVAS_H
#define PAF_CANVAS_H

#include "paf/layout/layout.h"
#include "paf/model/loader.h"
#include "paf/window/widget.h"

typedef struct paf_canvas paf_canvas;

typedef enum {
    PAF_ASK_EDIT,      // the partition is to be edited
    PAF_ASK_PARTITION, // it is to become `text`
    PAF_ASK_SAVE,      // it is to be written to a file
    PAF_ASK_UNMARK,    // the bookmark with this number is to be removed
} paf_request;

// Called with each new layout, and with NULL when there is none any more.
typedef void paf_laid_out(void *data, const paf_layout *layout, paf_session *session);

// Called when the user asks for something that the window has to do.
typedef void paf_asked(void *data, paf_request request, const char *text);

paf_canvas *paf_canvas_create(paf_asked *asked, void *data);
void paf_canvas_on_layout(paf_canvas *c, paf_laid_out *laid_out, void *data);
// Its GTK widget frees the canvas when it is destroyed.
paf_widget *paf_canvas_widget(const paf_canvas *c);
// Shows a session, or nothing (NULL). keep_window: the window of time and the selection stay,
// because it is the same trace in another partition.
void paf_canvas_show(paf_canvas *c, paf_session *s, bool keep_window);
// The clock of the runs that are shown from now on, `real` or `virtual`; NULL: the first one of each.
void paf_canvas_set_clock(paf_canvas *c, const char *clock);
void paf_canvas_set_panes(paf_canvas *c, paf_panes panes);
void paf_canvas_set_dark(paf_canvas *c, bool dark);
// Flags on the axis; the array has to live until others are set. NULL: none.
void paf_canvas_set_bookmarks(paf_canvas *c, const GPtrArray *bookmarks);
// Shows one, once the model is complete.
void paf_canvas_show_bookmark(paf_canvas *c, guint index);
void paf_canvas_fill_bookmark(const paf_canvas *c, paf_bookmark *b); // with what is shown
// Between these calls a worker opens or analyses, and the canvas does not answer.
void paf_canvas_pause(paf_canvas *c, bool pause);

// Shows what the run would be over what it was, or no longer (NULL). If all was shown, all is.
void paf_canvas_set_ghost(paf_canvas *c, struct paf_ghost *ghost);

typedef enum {
    PAF_DO_FIT,
    PAF_DO_ZOOM_IN,
    PAF_DO_ZOOM_OUT,
    PAF_DO_LEFT,
    PAF_DO_RIGHT,
    PAF_DO_HOME,
    PAF_DO_END,
    PAF_DO_NEXT,
    PAF_DO_PREVIOUS,
    PAF_DO_WHY,
    PAF_DO_BACK,    // to what was shown before
    PAF_DO_FORWARD,
    PAF_DO_PATH,    // draws the critical path, or does not
    PAF_DO_PATH_BEFORE, // along the critical path, by reduction
    PAF_DO_PATH_AFTER,
    PAF_DO_MODULE_BEFORE, // to where another module has it
    PAF_DO_MODULE_AFTER,
    PAF_DO_DESELECT, // or leaves the focus
    PAF_DO_CLOCK,  // a measured run: real time, or virtual time
    PAF_DO_REGION, // the next parallel region's statistics
    PAF_DO_BY_WAIT, // processes that waited longest first, or those of most reductions
    PAF_DO_FIND,   // asks for a text, and goes where it is
    PAF_DO_RING_NEXT, // the ring of the keyboard: around the next card, finding, row
    PAF_DO_RING_PREVIOUS,
    PAF_DO_PRESS,     // as a click on what is in the ring
    PAF_DO_FIND_NEXT,
    PAF_DO_FIND_PREVIOUS,
    PAF_DO_ROWS_UP, // rows of places: scrolled
    PAF_DO_ROWS_DOWN,
    PAF_DO_ROWS_HIGHER,
    PAF_DO_ROWS_LOWER,
    PAF_DO_ROWS_FOLD, // their groups have one row each, or are open
    PAF_DO_LANES,     // of places: rows, calls, messages
    PAF_DO_FIGURE,    // of messages: how many, how much, how long they were waited for
    PAF_DO_SIDE,      // shows the side bar, or hides it
} paf_action;

// Does it now or, while a worker has the session, as soon as the worker has left it. A note says
// why an action cannot be done.
void paf_canvas_do(paf_canvas *c, paf_action action);
// True if the key means something here.
bool paf_canvas_key(paf_canvas *c, const GdkEventKey *e);
bool paf_canvas_settled(const paf_canvas *c); // nothing is being computed that it would show
const paf_view *paf_canvas_view(const paf_canvas *c);
// The view for a picture that may be made when the canvas is gone. *ret_folded and *ret_shut (g_free) take
// the place of its `folded` and `shut`, which are the canvas's own; *ret_focus (paf_focus_unref) that of its
// `focus`; its ghost is a reference (paf_ghost_unref()).
paf_view paf_canvas_copy_view(const paf_canvas *c, uint8_t **ret_folded, uint8_t **ret_shut,
                              paf_focus **ret_focus);

#endif
