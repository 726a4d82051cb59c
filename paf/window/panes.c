// SPDX-License-Identifier: MIT
//
// How large the panes are, kept in the user's folder of settings. Pictures that scripts make do not depend on
// it.
#include "paf/window/window_private.h"

#define GROUP "panes"

static char *settings_path(void)
{
    return g_build_filename(g_get_user_config_dir(), "paf", "panes", NULL);
}

void paf_window_load_panes(paf_window *w)
{
    if (w->screenshot)
        return;
    GKeyFile *file = g_key_file_new();
    char *path = settings_path();
    if (g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL)) {
        paf_panes panes = {.side = g_key_file_get_double(file, GROUP, "side", NULL),
                           .bottom = g_key_file_get_double(file, GROUP, "bottom", NULL),
                           .details = g_key_file_get_double(file, GROUP, "details", NULL)};
        paf_canvas_set_panes(w->canvas, panes);
        w->what_if_width = g_key_file_get_integer(file, GROUP, "what-if", NULL);
    }
    g_free(path);
    g_key_file_free(file);
}

// What was never changed is not kept, so that it follows the window's size.
void paf_window_save_panes(paf_window *w)
{
    const paf_panes *p = &paf_canvas_view(w->canvas)->panes;
    if (w->screenshot || (p->side <= 0 && p->bottom <= 0 && p->details <= 0 && w->what_if_width <= 0))
        return;
    GKeyFile *file = g_key_file_new();
    char *path = settings_path(), *folder = g_path_get_dirname(path);
    g_key_file_set_double(file, GROUP, "side", p->side);
    g_key_file_set_double(file, GROUP, "bottom", p->bottom);
    g_key_file_set_double(file, GROUP, "details", p->details);
    g_key_file_set_integer(file, GROUP, "what-if", w->what_if_width);
    g_mkdir_with_parents(folder, 0700);
    g_key_file_save_to_file(file, path, NULL); // sizes are not worth a message
    g_free(folder);
    g_free(path);
    g_key_file_free(file);
}

static gboolean place(gpointer data)
{
    paf_window *w = data;
    int all = gtk_widget_get_allocated_width(w->history);
    w->placing = 0;
    if (w->what_if_width > 0 && all > w->what_if_width)
        gtk_paned_set_position(GTK_PANED(w->history), all - w->what_if_width);
    return G_SOURCE_REMOVE;
}

// Once it has been given its place.
void paf_window_place_what_if(paf_window *w)
{
    if (w->what_if_width > 0 && !w->placing)
        w->placing = g_idle_add(place, w);
}

static gboolean on_released(GtkWidget *paned, GdkEventButton *e, gpointer data)
{
    (void)e;
    paf_window *w = data;
    int all = gtk_widget_get_allocated_width(paned);
    if (gtk_widget_get_visible(paf_what_if_widget(w->what_if)))
        w->what_if_width = all - gtk_paned_get_position(GTK_PANED(paned));
    return FALSE;
}

GtkWidget *paf_window_make_history(paf_window *w)
{
    w->history = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_pack1(GTK_PANED(w->history), paf_source_pane_widget(w->source), TRUE, FALSE);
    gtk_paned_pack2(GTK_PANED(w->history), paf_what_if_widget(w->what_if), FALSE, FALSE);
    g_signal_connect(w->history, "button-release-event", G_CALLBACK(on_released), w);
    return w->history;
}
