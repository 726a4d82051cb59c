// SPDX-License-Identifier: MIT
//
// Bookmarks of the window: they are read from the file beside the trace, or the one that was opened, and
// written there whenever one is added or removed.
#include "paf/window/window_private.h"


static void forget(paf_window *w)
{
    paf_canvas_set_bookmarks(w->canvas, NULL);
    paf_bookmarks_free(w->bookmarks);
    g_free(w->bookmarks_path);
    w->bookmarks = NULL;
    w->bookmarks_path = NULL;
}

void paf_window_free_bookmarks(paf_window *w)
{
    paf_bookmarks_free(w->bookmarks);
    paf_bookmarks_free(w->opened_bookmarks);
    g_free(w->bookmarks_path);
    g_free(w->opened_path);
}

// The session's own: those that named it, or the file beside it.
void paf_window_load_bookmarks(paf_window *w)
{
    char *error = NULL;
    forget(w);
    bool named = w->opened_bookmarks != NULL;
    w->bookmarks = w->opened_bookmarks;
    w->bookmarks_path = w->opened_path;
    w->opened_bookmarks = NULL;
    w->opened_path = NULL;
    if (!named) {
        w->bookmarks_path = paf_bookmarks_beside(w->session->path);
        if (g_file_test(w->bookmarks_path, G_FILE_TEST_EXISTS))
            w->bookmarks = paf_bookmarks_read(w->bookmarks_path, &error);
    }
    if (error)
        paf_window_show_message(w, GTK_MESSAGE_WARNING, error);
    g_free(error);
    if (!w->bookmarks)
        return;
    paf_canvas_set_bookmarks(w->canvas, w->bookmarks->all);
    const paf_bookmark *b = named ? paf_bookmarks_find(w->bookmarks, w->options.bookmark) : NULL;
    guint index;
    if (b && g_ptr_array_find(w->bookmarks->all, b, &index))
        paf_canvas_show_bookmark(w->canvas, index);
    else if (named)
        paf_window_show_message(w, GTK_MESSAGE_WARNING, "There is no such bookmark in the file");
}

char *paf_window_open_bookmarks(paf_window *w, const char *path, char **ret_error)
{
    paf_bookmarks *b = paf_bookmarks_read(path, ret_error);
    if (!b)
        return NULL;
    paf_bookmarks_free(w->opened_bookmarks);
    g_free(w->opened_path);
    w->opened_bookmarks = b;
    w->opened_path = g_strdup(path);
    return paf_bookmarks_trace(b, path);
}

static void write_all(paf_window *w)
{
    char *error = NULL;
    g_free(w->bookmarks->partition);
    w->bookmarks->partition = g_strdelimit(g_strdup(w->session->partition), "\r\n", ' ');
    if (paf_bookmarks_write(w->bookmarks, w->bookmarks_path, &error)) {
        char *name = g_path_get_basename(w->bookmarks_path);
        char *told = g_strdup_printf("Written to %s", name);
        paf_window_note(w, told);
        g_free(told);
        g_free(name);
    } else {
        paf_window_show_message(w, GTK_MESSAGE_ERROR, error);
    }
    g_free(error);
    paf_canvas_set_bookmarks(w->canvas, w->bookmarks->all);
}

static void on_note(GtkEntry *entry, gpointer data)
{
    paf_window *w = data;
    if (!w->session || !w->session->m)
        return;
    if (!w->bookmarks) {
        char *name = g_path_get_basename(w->session->path);
        w->bookmarks = paf_bookmarks_create(name);
        g_free(name);
    }
    paf_canvas_fill_bookmark(w->canvas, paf_bookmarks_add(w->bookmarks, gtk_entry_get_text(entry)));
    write_all(w);
    gtk_popover_popdown(GTK_POPOVER(gtk_widget_get_ancestor(GTK_WIDGET(entry), GTK_TYPE_POPOVER)));
}

void paf_window_ask_note(paf_window *w)
{
    if (!w->session || !w->session->m || w->other || w->job || paf_window_shows_table(w)) {
        paf_window_note(w, "Bookmarks are of the timeline of one run");
        return;
    }
    GtkWidget *entry = gtk_entry_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GdkRectangle at = {gtk_widget_get_allocated_width(w->canvas_widget) / 2, 60, 1, 1};
    gtk_entry_set_placeholder_text(GTK_ENTRY(entry), "Note for this view, then Enter");
    gtk_entry_set_width_chars(GTK_ENTRY(entry), 40);
    g_signal_connect(entry, "activate", G_CALLBACK(on_note), w);
    gtk_box_pack_start(GTK_BOX(box), entry, TRUE, TRUE, 0);
    GtkWidget *popover = paf_widget_popover(paf_canvas_widget(w->canvas), &at, box);
    gtk_popover_popup(GTK_POPOVER(popover));
    gtk_widget_grab_focus(entry);
}

void paf_window_remove_bookmark(paf_window *w, guint index)
{
    if (!w->bookmarks || index >= w->bookmarks->all->len)
        return;
    paf_canvas_set_bookmarks(w->canvas, NULL);
    g_ptr_array_remove_index(w->bookmarks->all, index);
    write_all(w);
}

// From the last one that was shown.
void paf_window_step_bookmark(paf_window *w, int step)
{
    guint n = w->bookmarks ? w->bookmarks->all->len : 0;
    if (n == 0 || w->other || paf_window_shows_table(w)) {
        paf_window_note(w, "There is no bookmark: Ctrl+D makes one");
        return;
    }
    w->bookmark = (w->bookmark + n + (guint)(step > 0 ? 1 : (int)n - 1)) % n;
    paf_canvas_show_bookmark(w->canvas, w->bookmark);
    paf_window_note(w, ((const paf_bookmark *)w->bookmarks->all->pdata[w->bookmark])->note);
}
