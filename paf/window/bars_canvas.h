// SPDX-License-Identifier: MIT
//
// bars_canvas: the page that shows the flat profile of a session as bars (layout/bars.h). A picture
// is made when the state changes; drawing replays it.
#ifndef PAF_BARS_CANVAS_H
#define PAF_BARS_CANVAS_H

#include "paf/layout/bars.h"
#include "paf/model/loader.h"
#include "paf/window/widget.h"

typedef struct paf_bars_canvas paf_bars_canvas;

paf_bars_canvas *paf_bars_canvas_create(void);
// Its GTK widget frees the canvas when it is destroyed.
paf_widget *paf_bars_canvas_widget(const paf_bars_canvas *c);
// Shows the totals of a session, or, if it has none, how often each predicate was reduced. NULL:
// shows nothing.
void paf_bars_canvas_show(paf_bars_canvas *c, paf_session *s);
void paf_bars_canvas_set_dark(paf_bars_canvas *c, bool dark);
// What is shown, for a picture that may be made when the canvas is gone. The caller frees
// ret->ignored. False: the canvas still waits for the totals, and only ret->dark has a meaning.
bool paf_bars_canvas_copy_view(const paf_bars_canvas *c, paf_bars_view *ret);
// Called with each new picture, and with NULL when there is none any more.
typedef void paf_bars_drawn(void *data, const paf_bars *bars, paf_session *session);
void paf_bars_canvas_on_drawn(paf_bars_canvas *c, paf_bars_drawn *drawn, void *data);
bool paf_bars_canvas_dark(const paf_bars_canvas *c);

// Undoes or redoes the last "ignore". False: there is none.
bool paf_bars_canvas_undo(paf_bars_canvas *c);
bool paf_bars_canvas_redo(paf_bars_canvas *c);
// From the top, with the automatic scale.
void paf_bars_canvas_fit(paf_bars_canvas *c);

// True if the key means something here.
bool paf_bars_canvas_key(paf_bars_canvas *c, const GdkEventKey *e);

#endif
