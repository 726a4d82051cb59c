// SPDX-License-Identifier: MIT
//
// The source pane of the window: a text widget over the place where the picture draws the source.
// Pictures that are exported do not have it, and neither does a window built without GtkSourceView.
#ifndef PAF_SOURCE_PANE_H
#define PAF_SOURCE_PANE_H

#include "paf/canvas.h"

// A widget that holds the canvas and, where there is one, the pane.
GtkWidget *paf_source_pane_create(paf_canvas *canvas);

#endif
