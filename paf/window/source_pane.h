// SPDX-License-Identifier: MIT
//
// source_pane: a text widget that lies over the place where a picture draws the source. Exported
// pictures have none, and a window built without GtkSourceView has none either.
#ifndef PAF_SOURCE_PANE_H
#define PAF_SOURCE_PANE_H

#include "paf/layout/source_card.h"

#include <gtk/gtk.h>

typedef struct paf_source_pane paf_source_pane;

// Lies over `beneath`, which becomes a part of the pane's widget. Freed when that widget is
// destroyed.
paf_source_pane *paf_source_pane_create(GtkWidget *beneath);
GtkWidget *paf_source_pane_widget(const paf_source_pane *p);
// Shows the source that a picture shows. t == NULL: forgets the trace.
void paf_source_pane_show(paf_source_pane *p, const trace *t, const paf_source_view *view,
                          bool dark);

#endif
