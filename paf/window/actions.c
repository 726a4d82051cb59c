// SPDX-License-Identifier: MIT
//
// What the window does when asked: open, compare, export, partition, theme.
#include "paf/layout/compare_picture.h"
#include "paf/window/partition_editor.h"
#include "paf/draw/surface.h"
#include "paf/window/window_private.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------
// Dialogs

static GtkFileChooserNative *make_chooser(paf_window *w, const char *title,
                                          GtkFileChooserAction action, const char *accept)
{
    GtkFileChooserNative *chooser =
        gtk_file_chooser_native_new(title, GTK_WINDOW(w->window), action, accept, "_Cancel");
    if (w->session) {
        char *folder = g_path_get_dirname(w->session->path);
        gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(chooser), folder);
        g_free(folder);
    }
    return chooser;
}

static void add_pattern(GtkFileChooserNative *chooser, const char *name, const char *pattern)
{
    GtkFileFilter *filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, name);
    gtk_file_filter_add_pattern(filter, pattern);
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser), filter);
}

static char *ask_trace(paf_window *w, const char *title)
{
    GtkFileChooserNative *chooser = make_chooser(w, title, GTK_FILE_CHOOSER_ACTION_OPEN, "_Open");
    add_pattern(chooser, "Traces (*.paf)", "*.paf");
    add_pattern(chooser, "All files", "*");
    char *path = NULL;
    if (gtk_native_dialog_run(GTK_NATIVE_DIALOG(chooser)) == GTK_RESPONSE_ACCEPT)
        path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(chooser));
    g_object_unref(chooser);
    return path;
}

static void on_open(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    char *path = w->job ? NULL : ask_trace(w, "Open a trace");
    if (path)
        paf_window_open(w, (const char *const[]){path}, 1);
    g_free(path);
}

static void on_compare(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (w->job || !w->session || !w->session->m)
        return;
    char *path = ask_trace(w, "Compare with");
    if (path) {
        paf_window_hide_message(w);
        w->comparing = true;
        paf_window_open_one(w, path);
    }
    g_free(path);
}

paf_picture *paf_window_comparison(paf_window *w, double width, double height, double scale)
{
    if (!w->compare_text)
        w->compare_text = paf_text_create(NULL, NULL);
    const paf_model *models[2] = {w->session->m, w->other->m};
    const char *titles[2] = {w->session->name, w->other->name};
    return paf_compare_picture(models, titles, width, height, scale, w->dark, true,
                               w->compare_text);
}

void paf_window_update_comparison(paf_window *w)
{
    paf_picture_destroy(w->comparison);
    w->comparison = NULL;
    if (!w->session || !w->other)
        return;
    w->comparison = paf_window_comparison(w, gtk_widget_get_allocated_width(w->compare),
                                          gtk_widget_get_allocated_height(w->compare),
                                          gtk_widget_get_scale_factor(w->compare));
    gtk_widget_queue_draw(w->compare);
}

// What the window shows, as a file: with the header line that the window has in its header bar.
static void export_to(paf_window *w, const char *path)
{
    double width = gtk_widget_get_allocated_width(w->stack);
    double height = gtk_widget_get_allocated_height(w->stack) + 46, scale = 2;
    char *error = NULL;
    g_mutex_lock(&w->session->lock);
    if (paf_window_shows_table(w)) {
        paf_text *text = paf_text_create(NULL, NULL);
        paf_bars *bars =
            paf_bars_canvas_picture(w->bars, width, height, scale, w->session->name, text);
        paf_picture_save(bars->picture, path, width, height, scale, &error);
        paf_bars_destroy(bars);
        paf_text_destroy(text);
    } else if (w->other) {
        paf_picture *picture = paf_window_comparison(w, width, height, scale);
        paf_picture_save(picture, path, width, height, scale, &error);
        paf_picture_destroy(picture);
    } else {
        paf_text *text = paf_text_create(NULL, NULL);
        paf_view view = *paf_canvas_view(w->canvas);
        view.width = width;
        view.height = height;
        view.scale = scale;
        view.header = true;
        view.title = w->session->name;
        view.pointer = NAN;
        view.hover = IOT_NONE;
        paf_layout *layout = paf_layout_create(w->session->m, &view, text);
        paf_picture_save(layout->picture, path, width, height, scale, &error);
        paf_layout_destroy(layout);
        paf_text_destroy(text);
    }
    g_mutex_unlock(&w->session->lock);
    bool complete = w->other || !w->session->m || w->session->m->complete;
    char *told = error ? NULL
                       : g_strdup_printf("Written to %s%s", path,
                                         complete ? "" : ", with what was computed by then");
    paf_window_show_message(w, error ? GTK_MESSAGE_ERROR : GTK_MESSAGE_INFO, error ? error : told);
    g_free(error);
    g_free(told);
}

static void on_export(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (w->job || !w->session)
        return;
    GtkFileChooserNative *chooser =
        make_chooser(w, "Export the picture", GTK_FILE_CHOOSER_ACTION_SAVE, "_Export");
    gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(chooser), TRUE);
    char *name = g_strdup_printf("%s.png", w->session->name);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), name);
    add_pattern(chooser, "PNG", "*.png");
    add_pattern(chooser, "SVG", "*.svg");
    add_pattern(chooser, "PDF", "*.pdf");
    if (gtk_native_dialog_run(GTK_NATIVE_DIALOG(chooser)) == GTK_RESPONSE_ACCEPT) {
        char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(chooser));
        export_to(w, path);
        g_free(path);
    }
    g_free(name);
    g_object_unref(chooser);
}

static void on_partition(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (w->job || !w->session)
        return;
    if (w->other || !w->session->m)
        paf_window_note(w, w->other ? "The partition is one run's: Esc leaves the comparison"
                                    : "Without a timeline there is nothing to be parted");
    else
        paf_partition_editor_open(GTK_WINDOW(w->window), w->session, paf_window_apply_partition, w);
}

// Of the page that is shown: what is ignored, or the partition.
static void undo(paf_window *w, int step)
{
    bool done;
    if (w->job || !w->session)
        return;
    if (paf_window_shows_table(w))
        done = step < 0 ? paf_bars_canvas_undo(w->bars) : paf_bars_canvas_redo(w->bars);
    else
        done = !w->other && paf_window_undo(w, step);
    if (!done)
        paf_window_note(w, step < 0 ? "Nothing to undo" : "Nothing to redo");
}

static void on_undo(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    undo(data, -1);
}

static void on_redo(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    undo(data, 1);
}

static void on_fit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (paf_window_shows_table(w))
        paf_bars_canvas_fit(w->bars);
    else
        paf_canvas_do(w->canvas, PAF_DO_FIT);
}

static void on_clock(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_canvas_do(((paf_window *)data)->canvas, PAF_DO_CLOCK);
}

static void on_table(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (!w->session || !w->session->m || w->other || w->job)
        return;
    w->table = !w->table;
    paf_window_show_content(w);
}

static void on_theme(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    w->dark = !w->dark;
    paf_window_apply_theme(w);
}

static void on_close(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    gtk_widget_destroy(((paf_window *)data)->window);
}

static void on_help(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window_help(data);
}

void paf_window_add_actions(paf_window *w)
{
    static const GActionEntry entries[] = {
        {.name = "open", .activate = on_open},     {.name = "compare", .activate = on_compare},
        {.name = "export", .activate = on_export}, {.name = "partition", .activate = on_partition},
        {.name = "undo", .activate = on_undo},     {.name = "redo", .activate = on_redo},
        {.name = "fit", .activate = on_fit},       {.name = "theme", .activate = on_theme},
        {.name = "clock", .activate = on_clock},   {.name = "table", .activate = on_table},
        {.name = "help", .activate = on_help},     {.name = "close", .activate = on_close},
    };
    static const struct {
        const char *action, *key;
    } accelerators[] = {
        {"win.open", "<Control>o"},
        {"win.export", "<Control>e"},
        {"win.partition", "<Control>p"},
        {"win.undo", "<Control>z"},
        {"win.redo", "<Control><Shift>z"},
        {"win.theme", "<Control>t"},
        {"win.table", "<Control>b"},
        {"win.help", "F1"},
        {"win.close", "<Control>q"},
    };
    g_action_map_add_action_entries(G_ACTION_MAP(w->window), entries, G_N_ELEMENTS(entries), w);
    for (unsigned i = 0; i < G_N_ELEMENTS(accelerators); i++)
        gtk_application_set_accels_for_action(w->application, accelerators[i].action,
                                              (const char *const[]){accelerators[i].key, NULL});
}
