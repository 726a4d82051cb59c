// SPDX-License-Identifier: MIT
//
// The source pane of the window: a text widget over the place where a picture draws the source.
// Pictures that are exported do not have it, and neither does a window built without GtkSourceView.
#ifndef PAF_SOURCE_PANE_H
#define PAF_SOURCE_PANE_H

#include "paf/layout/source_card.h"

#include <gtk/gtk.h>

typedef struct paf_source_pane paf_source_pane;

// Over `beneath`, which becomes a part of the widget; freed when that is destroyed.
paf_source_pane *paf_source_pane_create(GtkWidget *beneath);
GtkWidget *paf_source_pane_widget(const paf_source_pane *p);
// Shows what a picture shows. Without a trace it forgets the one it knows.
void paf_source_pane_show(paf_source_pane *p, const trace *t, const paf_source_view *view,
                          bool dark);

#endif
