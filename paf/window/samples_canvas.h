// SPDX-License-Identifier: MIT
//
// samples_canvas: the page that shows what the workers of a run did by samples (layout/samples_picture.h),
// where there is no history. It zooms and pans as the timeline does.
#ifndef PAF_SAMPLES_CANVAS_H
#define PAF_SAMPLES_CANVAS_H

#include "paf/layout/samples_picture.h"
#include "paf/model/loader.h"
#include "paf/window/widget.h"

typedef struct paf_samples_canvas paf_samples_canvas;

paf_samples_canvas *paf_samples_canvas_create(void);
// Its GTK widget frees the canvas when it is destroyed.
paf_widget *paf_samples_canvas_widget(const paf_samples_canvas *c);
// Whether the session has samples and nothing else to show.
bool paf_is_of_samples(const paf_session *s);
// Shows the samples of a session, if it is of samples; else, and of NULL, nothing.
void paf_samples_canvas_show(paf_samples_canvas *c, paf_session *s);
void paf_samples_canvas_set_dark(paf_samples_canvas *c, bool dark);
paf_samples_view paf_samples_canvas_view(const paf_samples_canvas *c);
void paf_samples_canvas_fit(paf_samples_canvas *c); // the whole run

// True if the key means something here.
bool paf_samples_canvas_key(paf_samples_canvas *c, const GdkEventKey *e);

#endif
