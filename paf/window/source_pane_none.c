// SPDX-License-Identifier: MIT
//
// Built without GtkSourceView: the picture alone shows the source.
#include "paf/window/source_pane.h"

struct paf_source_pane {
    GtkWidget *beneath;
};

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    g_free(data);
}

paf_source_pane *paf_source_pane_create(GtkWidget *beneath)
{
    paf_source_pane *p = g_new0(paf_source_pane, 1);
    p->beneath = beneath;
    g_signal_connect(beneath, "destroy", G_CALLBACK(on_destroy), p);
    return p;
}

GtkWidget *paf_source_pane_widget(const paf_source_pane *p)
{
    return p->beneath;
}

void paf_source_pane_show(paf_source_pane *p, const trace *t, const paf_source_view *view,
                          bool dark)
{
    (void)p, (void)t, (void)view, (void)dark;
}
