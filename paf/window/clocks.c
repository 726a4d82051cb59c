// SPDX-License-Identifier: MIT
//
// The switch "Virtual | Real" in the header bar.
#include "paf/window/window_private.h"

static void on_clock(GtkToggleButton *button, gpointer data)
{
    paf_window *w = data;
    if (w->setting_clocks || !w->session || !w->session->m)
        return;
    bool real = GTK_WIDGET(button) == w->clocks[1];
    iot_clock wanted = real ? IOT_REAL_TIME : IOT_VIRTUAL_TIME;
    if (paf_canvas_view(w->canvas)->clock != wanted)
        paf_canvas_do(w->canvas, PAF_DO_CLOCK);
    paf_window_follow_clock(w); // real time may have to be made first
}

GtkWidget *paf_window_make_clocks(paf_window *w)
{
    static const char *const names[] = {"Virtual", "Real"};
    static const char *const tips[] = {"By the steps of an ideal machine (C)",
                                       "By the clock of the machine it ran on (C)"};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_style_context_add_class(gtk_widget_get_style_context(box), "linked");
    for (int i = 0; i < 2; i++) {
        w->clocks[i] = gtk_toggle_button_new_with_label(names[i]);
        gtk_widget_set_tooltip_text(w->clocks[i], tips[i]);
        gtk_widget_set_focus_on_click(w->clocks[i], FALSE);
        g_signal_connect(w->clocks[i], "toggled", G_CALLBACK(on_clock), w);
        gtk_box_pack_start(GTK_BOX(box), w->clocks[i], FALSE, FALSE, 0);
    }
    gtk_widget_show_all(box);
    gtk_widget_set_no_show_all(box, TRUE);
    gtk_widget_hide(box);
    return box;
}

void paf_window_follow_clock(paf_window *w)
{
    bool both = w->session && w->session->m && paf_has_clocks(w->session->m) && !w->other;
    gtk_widget_set_visible(gtk_widget_get_parent(w->clocks[0]), both);
    if (!both)
        return;
    bool real = paf_canvas_view(w->canvas)->clock == IOT_REAL_TIME;
    w->setting_clocks = true;
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(w->clocks[0]), !real);
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(w->clocks[1]), real);
    w->setting_clocks = false;
}
