// SPDX-License-Identifier: MIT
//
// The actions of the window and their keys: open, compare, export, partition, theme ...
#include "paf/layout/compare_picture.h"
#include "paf/layout/ghost.h"
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
    add_pattern(chooser, "Views (*.view)", "*.view");
    add_pattern(chooser, "Reports of ktool and mtool (*.f66)", "*.f66");
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

// ---------------------------------------------------------------------------------------------
// Export

#define EXPORT_SCALE 2
#define TRY_AGAIN    20 // milliseconds until both sessions may be free

typedef enum { EXPORT_CANVAS, EXPORT_TABLE, EXPORT_SAMPLES, EXPORT_COMPARISON } export_kind;

// A picture of what the window showed when the user asked for it. The job may wait for a worker.
// Meanwhile the window may show another file or close. The job therefore owns all that it draws
// from, and nobody drops its call: it is the call's owner itself. The window has a header bar; the
// file has a line.
typedef struct {
    paf_window *w; // lives until the job has ended, even if it is closed
    export_kind kind;
    paf_session *session, *other; // references; other: of a comparison, else NULL
    char *path;                // NULL: it is printed
    char *pdf;                 // a file that is printed to, without a dialog; or NULL
    cairo_surface_t *recorded; // what is printed, or NULL
    double width, height;
    bool dark;
    paf_view view;      // of the canvas
    paf_compare_view compared; // of two runs; its module is the job's
    uint8_t *folded, *shut; // the view's
    paf_focus *focus;   // the view's; a reference, or NULL
    paf_bars_view bars; // of the table
    bool has_bars;      // false: the table still waited for its totals
    paf_samples_view samples; // of samples
    int uses;         // calls and timers that have the job
    bool has_session; // the first one is locked
} export_job;

// To the file; or, to be printed once no lock is held, to memory.
static bool deliver(export_job *x, const paf_picture *picture, char **ret_error)
{
    if (x->path)
        return paf_picture_save(picture, x->path, x->width, x->height, EXPORT_SCALE, ret_error);
    x->recorded = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA,
                                                 &(cairo_rectangle_t){0, 0, x->width, x->height});
    cairo_t *cr = cairo_create(x->recorded);
    paf_picture_draw(picture, cr);
    cairo_destroy(cr);
    return true;
}

static bool save_table(export_job *x, paf_shaped_text *text, char **ret_error)
{
    const trace *t = x->session->t;
    const trace_totals *totals = trace_get_totals(t);
    paf_totals *own = totals ? NULL : paf_totals_of_history(t, x->session->a);
    if (own)
        totals = paf_totals_get(own);
    if (!totals) {
        *ret_error = g_strdup_printf("%s: not written: %s has no figures", x->path,
                                     x->session->name);
        return false;
    }
    paf_bars_view view = x->has_bars ? x->bars : paf_bars_fit(totals, x->width, x->height);
    view.width = x->width;
    view.height = x->height;
    view.scale = EXPORT_SCALE;
    view.dark = x->dark;
    view.header = true;
    view.title = x->session->name;
    view.hover = TRACE_NONE;
    paf_bars *bars = paf_bars_create(t, totals, &view, text);
    bool saved = deliver(x, bars->picture, ret_error);
    paf_bars_destroy(bars);
    paf_totals_free(own);
    return saved;
}

static bool save_samples(export_job *x, paf_shaped_text *text, char **ret_error)
{
    paf_samples_view view = x->samples;
    view.width = x->width;
    view.height = x->height;
    view.scale = EXPORT_SCALE;
    view.dark = x->dark;
    view.header = true;
    view.title = x->session->name;
    paf_samples_picture *p = paf_samples_create(x->session->t, &view, text);
    bool saved = deliver(x, p->picture, ret_error);
    paf_samples_destroy(p);
    return saved;
}

static bool save_comparison(export_job *x, paf_shaped_text *text, char **ret_error)
{
    const paf_model *models[2] = {x->session->m, x->other->m};
    const char *titles[2] = {x->session->name, x->other->name};
    x->compared.width = x->width;
    x->compared.height = x->height - 46; // it has no line for the file
    x->compared.scale = EXPORT_SCALE;
    x->compared.dark = x->dark;
    paf_comparison *c = paf_comparison_create(models, titles, &x->compared, text);
    bool saved = deliver(x, c->picture, ret_error);
    paf_comparison_destroy(c);
    return saved;
}

static bool save_canvas(export_job *x, paf_shaped_text *text, char **ret_error)
{
    paf_view view = x->view;
    view.width = x->width;
    view.height = x->height;
    view.scale = EXPORT_SCALE;
    view.header = true;
    view.title = x->session->name;
    view.folded = x->folded;
    view.shut = x->shut;
    view.pointer = NAN;
    view.hover = view.hover_link = IOT_NONE;
    view.pointed = NULL;
    if (x->focus && x->focus->model == x->session->m)
        view.focus = x->focus;
    if (view.clock == IOT_REAL_TIME)
        paf_model_make_real(x->session->m);
    paf_layout *layout = paf_layout_create(x->session->m, &view, text);
    bool saved = deliver(x, layout->picture, ret_error);
    paf_layout_destroy(layout);
    return saved;
}

static bool is_complete(const paf_session *s)
{
    return !s || !s->m || s->m->complete;
}

// With the session locked; of two runs both.
static void export_picture(export_job *x)
{
    char *error = NULL;
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    bool saved = x->kind == EXPORT_TABLE        ? save_table(x, text, &error)
                 : x->kind == EXPORT_SAMPLES    ? save_samples(x, text, &error)
                 : x->kind == EXPORT_COMPARISON ? save_comparison(x, text, &error)
                                                : save_canvas(x, text, &error);
    paf_shaped_text_destroy(text);
    if (x->recorded)
        return;
    bool complete = is_complete(x->session) && is_complete(x->other);
    char *told = g_strdup_printf("Written to %s%s", x->path,
                                 complete ? "" : ", with what was computed by then");
    paf_window_show_message(x->w, saved ? GTK_MESSAGE_INFO : GTK_MESSAGE_ERROR,
                            saved ? told : error);
    g_free(error);
    g_free(told);
}

static void draw_page(GtkPrintOperation *operation, GtkPrintContext *context, gint page, gpointer data)
{
    (void)operation, (void)page;
    const export_job *x = data;
    cairo_t *cr = gtk_print_context_get_cairo_context(context);
    double scale = fmin(gtk_print_context_get_width(context) / x->width,
                        gtk_print_context_get_height(context) / x->height);
    cairo_scale(cr, scale, scale);
    cairo_set_source_surface(cr, x->recorded, 0, 0);
    cairo_paint(cr);
}

// On one page across.
static void print_recorded(export_job *x)
{
    GtkPrintOperation *operation = gtk_print_operation_new();
    GtkPageSetup *setup = gtk_page_setup_new();
    GError *error = NULL;
    gtk_page_setup_set_orientation(setup, GTK_PAGE_ORIENTATION_LANDSCAPE);
    gtk_print_operation_set_default_page_setup(operation, setup);
    gtk_print_operation_set_n_pages(operation, 1);
    gtk_print_operation_set_job_name(operation, x->session->name);
    g_signal_connect(operation, "draw-page", G_CALLBACK(draw_page), x);
    if (x->pdf)
        gtk_print_operation_set_export_filename(operation, x->pdf);
    gtk_print_operation_run(operation,
                            x->pdf ? GTK_PRINT_OPERATION_ACTION_EXPORT
                                   : GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG,
                            x->w->closed ? NULL : GTK_WINDOW(x->w->window), &error);
    if (error)
        paf_window_show_message(x->w, GTK_MESSAGE_ERROR, error->message);
    g_clear_error(&error);
    g_object_unref(setup);
    g_object_unref(operation);
    cairo_surface_destroy(x->recorded);
    x->recorded = NULL;
}

static void release_export(gpointer data);

static gboolean on_recorded(gpointer data)
{
    print_recorded(data);
    release_export(data);
    return G_SOURCE_REMOVE;
}

static void release_export(gpointer data)
{
    export_job *x = data;
    if (x->recorded) { // the dialog has a loop of its own, and no lock may be held
        g_idle_add(on_recorded, x);
        return;
    }
    g_free(x->pdf);
    paf_session_unref(x->session);
    paf_session_unref(x->other);
    paf_window_end_export(x->w);
    g_free(x->path);
    g_free(x->folded);
    g_free(x->shut);
    paf_focus_unref(x->focus);
    paf_ghost_unref(x->view.ghost);
    g_free((void *)x->bars.ignored);
    g_free((char *)x->compared.module);
    g_free(x);
}

// A call or a timer has done with the job; the last one ends it.
static void leave_export(gpointer data)
{
    export_job *x = data;
    if (--x->uses == 0)
        release_export(x);
}

static void with_session(void *data);

static void begin_export(export_job *x)
{
    x->uses++;
    paf_session_call(x->session, x, with_session, x, leave_export);
}

static gboolean try_again(gpointer data)
{
    begin_export(data);
    leave_export(data);
    return G_SOURCE_REMOVE;
}

// With the second session locked; the first one is, too, unless a worker had the second one.
static void with_other(void *data)
{
    export_job *x = data;
    if (x->has_session) {
        export_picture(x);
    } else {
        x->uses++;
        g_timeout_add(TRY_AGAIN, try_again, x);
    }
}

static void with_session(void *data)
{
    export_job *x = data;
    if (x->kind != EXPORT_COMPARISON) {
        export_picture(x);
        return;
    }
    x->uses++;
    x->has_session = true;
    paf_session_call(x->other, x, with_other, x, leave_export);
    x->has_session = false;
}

// path NULL: it is printed, to `pdf` if that is not NULL.
static void export_to(paf_window *w, const char *path, const char *pdf)
{
    export_job *x = g_new0(export_job, 1);
    x->w = w;
    x->kind = paf_window_shows_table(w)     ? EXPORT_TABLE
              : paf_window_shows_samples(w) ? EXPORT_SAMPLES
              : w->other                    ? EXPORT_COMPARISON
                                        : EXPORT_CANVAS;
    x->session = paf_session_ref(w->session);
    x->other = w->other ? paf_session_ref(w->other) : NULL;
    x->path = g_strdup(path);
    x->width = gtk_widget_get_allocated_width(w->stack);
    x->height = gtk_widget_get_allocated_height(w->stack) + 46;
    x->dark = w->dark && path;
    x->pdf = g_strdup(pdf);
    if (x->kind == EXPORT_CANVAS)
        x->view = paf_canvas_copy_view(w->canvas, &x->folded, &x->shut, &x->focus);
    x->view.dark = x->dark;
    if (x->kind == EXPORT_SAMPLES)
        x->samples = paf_samples_canvas_view(w->samples);
    if (x->kind == EXPORT_TABLE)
        x->has_bars = paf_bars_canvas_copy_view(w->bars, &x->bars);
    if (!x->has_bars)
        x->bars.ignored = NULL;
    if (x->other) {
        x->compared = w->compare_view;
        x->compared.module = g_strdup(w->compare_view.module);
        x->compared.pointer = NAN;
        x->compared.focus[0] = x->compared.focus[1] = NULL;
    }
    paf_window_begin_export(w);
    begin_export(x);
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
        export_to(w, path, NULL);
        g_free(path);
    }
    g_free(name);
    g_object_unref(chooser);
}

void paf_window_print(paf_window *w, const char *pdf)
{
    if (!w->job && w->session)
        export_to(w, NULL, pdf);
}

static void on_recent(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (!w->job)
        paf_window_show_recent(w);
}

static void on_print(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window_print(data, NULL);
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

static bool write_partition(const char *path, const char *partition, char **ret_error)
{
    char **words = g_strsplit_set(partition, " \t\n", -1), *lines = g_strjoinv("\n", words);
    char *text = g_strconcat(lines, "\n", NULL);
    GError *error = NULL;
    bool good = g_file_set_contents(path, text, -1, &error);
    *ret_error = good ? NULL : g_strdup_printf("%s: %s", path, error->message);
    g_clear_error(&error);
    g_strfreev(words);
    g_free(lines);
    g_free(text);
    return good;
}

void paf_window_save_partition(paf_window *w)
{
    if (w->job || !w->session || !w->session->partition)
        return;
    GtkFileChooserNative *chooser =
        make_chooser(w, "Save the modules", GTK_FILE_CHOOSER_ACTION_SAVE, "_Save");
    gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(chooser), TRUE);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), "modules.txt");
    if (gtk_native_dialog_run(GTK_NATIVE_DIALOG(chooser)) == GTK_RESPONSE_ACCEPT) {
        char *path = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(chooser)), *error;
        bool saved = write_partition(path, w->session->partition, &error);
        char *told = g_strdup_printf("Written to %s: paf -p %s has these modules", path, path);
        paf_window_show_message(w, saved ? GTK_MESSAGE_INFO : GTK_MESSAGE_ERROR,
                                saved ? told : error);
        g_free(told);
        g_free(error);
        g_free(path);
    }
    g_object_unref(chooser);
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
    else if (paf_window_shows_samples(w))
        paf_samples_canvas_fit(w->samples);
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

static void on_what_if(GSimpleAction *action, GVariant *value, gpointer data)
{
    paf_window *w = data;
    g_simple_action_set_state(action, value);
    paf_what_if_open(w->what_if, g_variant_get_boolean(value));
    paf_window_place_what_if(w);
    if (!g_variant_get_boolean(value) && gtk_widget_get_mapped(w->canvas_widget))
        gtk_widget_grab_focus(w->canvas_widget);
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

static void on_bookmark(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window_ask_note(data);
}

static void on_next_bookmark(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window_step_bookmark(data, 1);
}

static void on_previous_bookmark(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window_step_bookmark(data, -1);
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
        {.name = "recent", .activate = on_recent},
        {.name = "print", .activate = on_print},
        {.name = "bookmark", .activate = on_bookmark},
        {.name = "next-bookmark", .activate = on_next_bookmark},
        {.name = "previous-bookmark", .activate = on_previous_bookmark},
        {.name = "help", .activate = on_help},     {.name = "close", .activate = on_close},
        {.name = "what-if", .state = "false", .change_state = on_what_if},
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
        {"win.recent", "<Control><Shift>o"},
        {"win.print", "<Control><Shift>p"},
        {"win.bookmark", "<Control>d"},
        {"win.next-bookmark", "<Control>Page_Down"},
        {"win.previous-bookmark", "<Control>Page_Up"},
        {"win.what-if", "<Control>i"},
        {"win.help", "F1"},
        {"win.close", "<Control>q"},
    };
    g_action_map_add_action_entries(G_ACTION_MAP(w->window), entries, G_N_ELEMENTS(entries), w);
    for (unsigned i = 0; i < G_N_ELEMENTS(accelerators); i++)
        gtk_application_set_accels_for_action(w->application, accelerators[i].action,
                                              (const char *const[]){accelerators[i].key, NULL});
}
