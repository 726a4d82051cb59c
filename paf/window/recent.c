// SPDX-License-Identifier: MIT
//
// The traces that were opened last, from the desktop's list of recent files.
#include "paf/window/window_private.h"

#define APPLICATION "paf"
#define MOST_SHOWN  12

// Not for a picture, which a script may make of thousands.
void paf_window_note_recent(paf_window *w)
{
    char *path = g_canonicalize_filename(w->session->path, NULL);
    char *uri = w->options.screenshot ? NULL : g_filename_to_uri(path, NULL, NULL);
    GtkRecentData data = {.mime_type = "application/x-paf-trace",
                          .app_name = APPLICATION,
                          .app_exec = APPLICATION " %f"};
    if (uri)
        gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
    g_free(uri);
    g_free(path);
}

static void on_chosen(GtkRecentChooser *chooser, gpointer data)
{
    char *uri = gtk_recent_chooser_get_current_uri(chooser);
    char *path = uri ? g_filename_from_uri(uri, NULL, NULL) : NULL;
    if (path)
        paf_window_open(data, (const char *const[]){path}, 1);
    g_free(path);
    g_free(uri);
}

void paf_window_show_recent(paf_window *w)
{
    GtkWidget *menu = gtk_recent_chooser_menu_new();
    GtkRecentChooser *chooser = GTK_RECENT_CHOOSER(menu);
    GtkRecentFilter *filter = gtk_recent_filter_new();
    gtk_recent_filter_add_application(filter, APPLICATION);
    gtk_recent_chooser_add_filter(chooser, filter);
    gtk_recent_chooser_set_filter(chooser, filter);
    gtk_recent_chooser_set_sort_type(chooser, GTK_RECENT_SORT_MRU);
    gtk_recent_chooser_set_limit(chooser, MOST_SHOWN);
    gtk_recent_chooser_set_show_tips(chooser, TRUE); // the whole path
    gtk_recent_chooser_set_show_not_found(chooser, FALSE);
    g_signal_connect(menu, "item-activated", G_CALLBACK(on_chosen), w);
    gtk_menu_attach_to_widget(GTK_MENU(menu), w->stack, NULL);
    g_signal_connect(menu, "selection-done", G_CALLBACK(gtk_widget_destroy), NULL);
    gtk_widget_show_all(menu);
    gtk_menu_popup_at_widget(GTK_MENU(menu), w->stack, GDK_GRAVITY_NORTH, GDK_GRAVITY_NORTH, NULL);
}
