// SPDX-License-Identifier: MIT
//
// Built without GtkSourceView: the source is what the picture shows of it.
#include "paf/source_pane.h"

GtkWidget *paf_source_pane_create(paf_canvas *canvas)
{
    return paf_canvas_widget(canvas);
}
