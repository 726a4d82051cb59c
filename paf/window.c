// SPDX-License-Identifier: MIT
#include "paf/window.h"
#include "paf/canvas.h"
#include "paf/compare_picture.h"
#include "paf/partition_editor.h"
#include "paf/partition_text.h"
#include "paf/surface.h"
#include "paf/words.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>

struct paf_window {
    GtkApplication *application;
    paf_window_options options;
    char *screenshot, *first_partition;
    GtkWidget *window, *stack, *canvas_widget, *compare;
    GtkWidget *title, *summary, *info, *info_label;
    GtkWidget *progress, *progress_label, *cancel;
    GtkWidget *empty_label;
    GtkCssProvider *css;
    paf_canvas *canvas;
    paf_session *session, *other; // other: the second of a comparison
    paf_job *job;                 // opening or analysing
    guint pulse;                  // while a job is under way
    char *next_path;              // the second file, while the first is being opened
    char *wanted_partition;       // being analysed
    bool comparing, dark, closed;
    bool undoing; // the analysis under way goes along the history instead of adding to it
    GPtrArray *partitions;        // as text: the history
    guint partition;              // the present one's index
    paf_text *compare_text;
};

static bool failed;

bool paf_window_failed(void)
{
    return failed;
}

static void begin_job(paf_window *w, paf_job *job, const char *what);
static void open_next(paf_window *w, const char *path);

// ---------------------------------------------------------------------------------------------
// Appearance

static void show_page(paf_window *w, const char *page)
{
    gtk_stack_set_visible_child_name(GTK_STACK(w->stack), page);
}

static void show_message(paf_window *w, GtkMessageType kind, const char *text)
{
    gtk_label_set_text(GTK_LABEL(w->info_label), text);
    gtk_info_bar_set_message_type(GTK_INFO_BAR(w->info), kind);
    gtk_widget_show(w->info);
    gtk_info_bar_set_revealed(GTK_INFO_BAR(w->info), TRUE);
}

static void hide_message(paf_window *w)
{
    gtk_widget_hide(w->info);
}

// The header bar in the colours of the picture below it, so that the window is one surface.
static void apply_theme(paf_window *w)
{
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", w->dark, NULL);
    const paf_theme *t = paf_theme_get(w->dark);
    char *css = g_strdup_printf(
        "headerbar { background: rgb(%.0f,%.0f,%.0f); box-shadow: none; min-height: 46px;"
        " border-color: rgb(%.0f,%.0f,%.0f); }\n"
        "headerbar button.text-button:not(.suggested-action) { padding: 2px 12px; min-height: 26px; border-radius: 6px;"
        " background: rgb(%.0f,%.0f,%.0f); border: 1px solid rgb(%.0f,%.0f,%.0f);"
        " box-shadow: none; text-shadow: none; }\n"
        "headerbar button.text-button:not(.suggested-action):hover"
        " { background: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-error { color: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-title { font-weight: bold; }\n"
        ".paf-empty { font-size: 15px; }\n",
        t->panel.r * 255, t->panel.g * 255, t->panel.b * 255, t->line.r * 255, t->line.g * 255,
        t->line.b * 255, t->card.r * 255, t->card.g * 255, t->card.b * 255, t->border.r * 255,
        t->border.g * 255, t->border.b * 255, t->track.r * 255, t->track.g * 255,
        t->track.b * 255, t->bad.r * 255, t->bad.g * 255, t->bad.b * 255);
    gtk_css_provider_load_from_data(w->css, css, -1, NULL);
    g_free(css);
    paf_canvas_set_dark(w->canvas, w->dark);
    gtk_widget_queue_draw(w->compare);
}

static bool desktop_is_dark(void)
{
    gboolean prefers = FALSE;
    char *theme = NULL;
    g_object_get(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", &prefers,
                 "gtk-theme-name", &theme, NULL);
    bool dark = prefers || (theme && g_str_has_suffix(theme, "-dark"));
    g_free(theme);
    return dark;
}

static void set_titles(paf_window *w)
{
    if (!w->session) {
        gtk_label_set_text(GTK_LABEL(w->title), "Paf");
        gtk_label_set_text(GTK_LABEL(w->summary), "");
        gtk_window_set_title(GTK_WINDOW(w->window), "Paf");
        return;
    }
    char *name = w->other ? g_strdup_printf("%s and %s", w->session->name, w->other->name)
                          : g_strdup(w->session->name);
    char *summary = w->other ? g_strdup("side by side") : paf_run_summary(w->session->a);
    gtk_label_set_text(GTK_LABEL(w->title), name);
    gtk_label_set_text(GTK_LABEL(w->summary), summary);
    gtk_window_set_title(GTK_WINDOW(w->window), name);
    g_free(name);
    g_free(summary);
}

// ---------------------------------------------------------------------------------------------
// Opening and analysing

static void unref(paf_window *w)
{
    // The window lives until it is closed and its last job has ended.
    if (!w->closed || w->job)
        return;
    paf_session_unref(w->session);
    paf_session_unref(w->other);
    g_ptr_array_unref(w->partitions);
    g_object_unref(w->css);
    paf_text_destroy(w->compare_text);
    g_free(w->next_path);
    g_free(w->wanted_partition);
    g_free(w->screenshot);
    g_free(w->first_partition);
    g_free(w);
}

static gboolean on_pulse(gpointer data)
{
    paf_window *w = data;
    if (w->job)
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(w->progress), paf_job_progress(w->job));
    return G_SOURCE_CONTINUE;
}

static void begin_job(paf_window *w, paf_job *job, const char *what)
{
    w->job = job;
    paf_canvas_pause(w->canvas, true);
    gtk_label_set_text(GTK_LABEL(w->progress_label), what);
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(w->progress), 0);
    gtk_widget_set_sensitive(w->cancel, TRUE);
    show_page(w, "busy");
    w->pulse = g_timeout_add(60, on_pulse, w);
}

// True if the window is still there.
static bool end_job(paf_window *w)
{
    w->job = NULL;
    if (w->pulse)
        g_source_remove(w->pulse);
    w->pulse = 0;
    if (w->closed) {
        unref(w);
        return false;
    }
    paf_canvas_pause(w->canvas, false);
    show_page(w, w->other ? "compare" : w->session ? "canvas" : "empty");
    return true;
}

static void show_session(paf_window *w, paf_session *s)
{
    paf_session_unref(w->session);
    w->session = s;
    g_ptr_array_set_size(w->partitions, 0);
    g_ptr_array_add(w->partitions, g_strdup(s->partition));
    w->partition = 0;
    paf_canvas_show(w->canvas, s, false);
    if (s->damage) {
        char *text = g_strdup_printf("%s is damaged; what is before the damage is shown. %s",
                                     s->name, s->damage);
        show_message(w, GTK_MESSAGE_WARNING, text);
        g_free(text);
    }
}

static void on_opened(void *data, paf_session *s, const char *error)
{
    paf_window *w = data;
    if (w->closed) {
        paf_session_unref(s);
        end_job(w);
        return;
    }
    bool second = w->comparing && w->session && !w->next_path;
    if (s && !second) {
        paf_session_unref(w->other);
        w->other = NULL;
        show_session(w, s);
    } else if (s) {
        w->other = s;
        gtk_widget_queue_draw(w->compare);
    }
    end_job(w);
    if (error)
        show_message(w, GTK_MESSAGE_ERROR, error);
    set_titles(w);
    gtk_widget_grab_focus(w->canvas_widget);
    char *next = w->next_path;
    w->next_path = NULL;
    if (next && s)
        open_next(w, next);
    g_free(next);
    if (error && w->options.screenshot) {
        fprintf(stderr, "paf: %s\n", error);
        failed = true;
        gtk_widget_destroy(w->window);
    }
}

static void open_next(paf_window *w, const char *path)
{
    char *name = g_path_get_basename(path), *what = g_strdup_printf("Opening %s", name);
    begin_job(w, paf_job_open(path, w->first_partition, on_opened, w), what);
    g_free(what);
    g_free(name);
}

void paf_window_open(paf_window *w, const char *const *paths, int n)
{
    if (w->job || n == 0)
        return;
    hide_message(w);
    w->comparing = n == 2;
    g_free(w->next_path);
    w->next_path = n == 2 ? g_strdup(paths[1]) : NULL;
    open_next(w, paths[0]);
}

static void on_analysed(void *data, bool done, const char *error)
{
    paf_window *w = data;
    char *wanted = w->wanted_partition;
    w->wanted_partition = NULL;
    if (!end_job(w)) {
        g_free(wanted);
        return;
    }
    if (done) {
        if (!w->undoing) {
            g_ptr_array_set_size(w->partitions, (gint)w->partition + 1);
            g_ptr_array_add(w->partitions, g_strdup(w->session->partition));
            w->partition++;
        }
        hide_message(w);
        paf_canvas_show(w->canvas, w->session, true);
        set_titles(w);
    } else if (error) {
        show_message(w, GTK_MESSAGE_ERROR, error);
    }
    w->undoing = false;
    gtk_widget_grab_focus(w->canvas_widget);
    g_free(wanted);
}

static void apply_partition(void *data, const char *text)
{
    paf_window *w = data;
    if (w->job || !w->session)
        return;
    w->wanted_partition = g_strdup(text);
    begin_job(w, paf_job_analyse(w->session, text, on_analysed, w), "Analysing");
}

// Along the history of partitions: step -1 or 1.
static void undo_partition(paf_window *w, int step)
{
    guint target = w->partition + (guint)step;
    if (w->job || !w->session || target >= w->partitions->len)
        return;
    w->undoing = true;
    w->partition = target;
    apply_partition(w, w->partitions->pdata[target]);
}

static void on_asked(void *data, paf_request request, const char *text)
{
    paf_window *w = data;
    if (request == PAF_ASK_EDIT)
        g_action_group_activate_action(G_ACTION_GROUP(w->window), "partition", NULL);
    else
        apply_partition(w, text);
}

// ---------------------------------------------------------------------------------------------
// Dialogs

static GtkFileChooserNative *make_chooser(paf_window *w, const char *title,
                                          GtkFileChooserAction action, const char *accept)
{
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new(title, GTK_WINDOW(w->window),
                                                                action, accept, "_Cancel");
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
    if (w->job || !w->session)
        return;
    char *path = ask_trace(w, "Compare with");
    if (path) {
        hide_message(w);
        w->comparing = true;
        open_next(w, path);
    }
    g_free(path);
}

static paf_picture *make_comparison(paf_window *w, double width, double height, double scale)
{
    if (!w->compare_text)
        w->compare_text = paf_text_create(NULL, NULL);
    const paf_model *models[2] = {w->session->m, w->other->m};
    const char *titles[2] = {w->session->name, w->other->name};
    return paf_compare_picture(models, titles, width, height, scale, w->dark, true,
                               w->compare_text);
}

// What the window shows, as a file: with the header line that the window has in its header bar.
static void export_to(paf_window *w, const char *path)
{
    double width = gtk_widget_get_allocated_width(w->stack);
    double height = gtk_widget_get_allocated_height(w->stack) + 46, scale = 2;
    char *error = NULL;
    g_mutex_lock(&w->session->lock);
    if (w->other) {
        paf_picture *picture = make_comparison(w, width, height, scale);
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
    char *told = error ? NULL : g_strdup_printf("Written to %s", path);
    show_message(w, error ? GTK_MESSAGE_ERROR : GTK_MESSAGE_INFO, error ? error : told);
    g_free(error);
    g_free(told);
}

static void on_export(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    if (w->job || !w->session)
        return;
    GtkFileChooserNative *chooser = make_chooser(w, "Export the picture",
                                                 GTK_FILE_CHOOSER_ACTION_SAVE, "_Export");
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
    if (w->session && !w->job && !w->other)
        paf_partition_editor_open(GTK_WINDOW(w->window), w->session, apply_partition, w);
}

static void on_undo(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    undo_partition(data, -1);
}

static void on_redo(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    undo_partition(data, 1);
}

static void on_fit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_canvas_do(((paf_window *)data)->canvas, PAF_DO_FIT);
}

static void on_theme(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    w->dark = !w->dark;
    apply_theme(w);
}

static void on_close(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    gtk_widget_destroy(((paf_window *)data)->window);
}

// ---------------------------------------------------------------------------------------------
// Help

static const struct {
    const char *group, *key, *what;
} keys[] = {
    {"Time", "plus minus", "Zoom in, zoom out"},
    {"Time", "Left Right", "Earlier, later"},
    {"Time", "Home End", "To the beginning, to the end"},
    {"Time", "f", "Show the whole run"},
    {"Nodes", "Tab n", "Next node"},
    {"Nodes", "<Shift>Tab p", "Previous node"},
    {"Nodes", "Return", "Why so late? Goes to what it waited for"},
    {"Nodes", "BackSpace", "Back to the one before"},
    {"Nodes", "Escape", "Choose nothing"},
    {"Modules", "<Control>p", "Edit the partition"},
    {"Modules", "<Control>z", "Undo a change of the partition"},
    {"Modules", "<Control><Shift>z", "Redo it"},
    {"Window", "<Control>o", "Open a trace"},
    {"Window", "<Control>e", "Export the picture"},
    {"Window", "<Control>t", "Light or dark"},
    {"Window", "question F1", "These keys"},
    {"Window", "<Control>q", "Quit"},
};

static void append_shortcut(GString *ui, unsigned i)
{
    char *key = g_markup_escape_text(keys[i].key, -1);
    char *what = g_markup_escape_text(keys[i].what, -1);
    g_string_append_printf(ui,
                           "<child><object class='GtkShortcutsShortcut'>"
                           "<property name='visible'>1</property>"
                           "<property name='accelerator'>%s</property>"
                           "<property name='title'>%s</property></object></child>",
                           key, what);
    g_free(key);
    g_free(what);
}

static char *help_ui(void)
{
    GString *ui = g_string_new("<interface><object class='GtkShortcutsWindow' id='help'>"
                               "<property name='modal'>1</property><child>"
                               "<object class='GtkShortcutsSection'>"
                               "<property name='visible'>1</property>"
                               "<property name='max-height'>12</property>");
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (i == 0 || g_strcmp0(keys[i].group, keys[i - 1].group))
            g_string_append_printf(ui,
                                   "<child><object class='GtkShortcutsGroup'>"
                                   "<property name='visible'>1</property>"
                                   "<property name='title'>%s</property>",
                                   keys[i].group);
        append_shortcut(ui, i);
        if (i + 1 == G_N_ELEMENTS(keys) || g_strcmp0(keys[i].group, keys[i + 1].group))
            g_string_append(ui, "</object></child>");
    }
    g_string_append(ui, "</object></child></object></interface>");
    return g_string_free(ui, FALSE);
}

static void on_help(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    (void)action, (void)parameter;
    paf_window *w = data;
    char *ui = help_ui();
    GtkBuilder *builder = gtk_builder_new_from_string(ui, -1);
    GtkWidget *help = GTK_WIDGET(gtk_builder_get_object(builder, "help"));
    gtk_window_set_transient_for(GTK_WINDOW(help), GTK_WINDOW(w->window));
    gtk_widget_show(help);
    g_object_unref(builder);
    g_free(ui);
}

// ---------------------------------------------------------------------------------------------
// Keys

static bool do_key(paf_window *w, guint key, bool shift)
{
    static const struct {
        guint key;
        paf_action action;
    } actions[] = {
        {GDK_KEY_plus, PAF_DO_ZOOM_IN},       {GDK_KEY_equal, PAF_DO_ZOOM_IN},
        {GDK_KEY_KP_Add, PAF_DO_ZOOM_IN},     {GDK_KEY_minus, PAF_DO_ZOOM_OUT},
        {GDK_KEY_KP_Subtract, PAF_DO_ZOOM_OUT}, {GDK_KEY_Left, PAF_DO_LEFT},
        {GDK_KEY_Right, PAF_DO_RIGHT},        {GDK_KEY_Home, PAF_DO_HOME},
        {GDK_KEY_End, PAF_DO_END},            {GDK_KEY_f, PAF_DO_FIT},
        {GDK_KEY_F, PAF_DO_FIT},              {GDK_KEY_n, PAF_DO_NEXT},
        {GDK_KEY_p, PAF_DO_PREVIOUS},         {GDK_KEY_ISO_Left_Tab, PAF_DO_PREVIOUS},
        {GDK_KEY_Return, PAF_DO_WHY},         {GDK_KEY_KP_Enter, PAF_DO_WHY},
        {GDK_KEY_BackSpace, PAF_DO_BACK},     {GDK_KEY_Escape, PAF_DO_DESELECT},
    };
    if (key == GDK_KEY_Tab) {
        paf_canvas_do(w->canvas, shift ? PAF_DO_PREVIOUS : PAF_DO_NEXT);
        return true;
    }
    if (key == GDK_KEY_question) {
        on_help(NULL, NULL, w);
        return true;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(actions); i++)
        if (actions[i].key == key) {
            paf_canvas_do(w->canvas, actions[i].action);
            return true;
        }
    return false;
}

// Only while the canvas has the focus: a button in the header bar keeps Tab and Enter.
static gboolean on_key(GtkWidget *widget, GdkEventKey *e, gpointer data)
{
    (void)widget;
    paf_window *w = data;
    if (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))
        return FALSE;
    return do_key(w, e->keyval, e->state & GDK_SHIFT_MASK);
}

static void add_actions(paf_window *w)
{
    static const GActionEntry entries[] = {
        {.name = "open", .activate = on_open},
        {.name = "compare", .activate = on_compare},
        {.name = "export", .activate = on_export},
        {.name = "partition", .activate = on_partition},
        {.name = "undo", .activate = on_undo},
        {.name = "redo", .activate = on_redo},
        {.name = "fit", .activate = on_fit},
        {.name = "theme", .activate = on_theme},
        {.name = "help", .activate = on_help},
        {.name = "close", .activate = on_close},
    };
    static const struct {
        const char *action, *key;
    } accelerators[] = {
        {"win.open", "<Control>o"},         {"win.export", "<Control>e"},
        {"win.partition", "<Control>p"},    {"win.undo", "<Control>z"},
        {"win.redo", "<Control><Shift>z"},  {"win.theme", "<Control>t"},
        {"win.help", "F1"},                 {"win.close", "<Control>q"},
    };
    g_action_map_add_action_entries(G_ACTION_MAP(w->window), entries, G_N_ELEMENTS(entries), w);
    for (unsigned i = 0; i < G_N_ELEMENTS(accelerators); i++)
        gtk_application_set_accels_for_action(w->application, accelerators[i].action,
                                              (const char *const[]){accelerators[i].key, NULL});
}

// ---------------------------------------------------------------------------------------------
// Widgets

static GtkWidget *make_button(const char *label, const char *action, const char *tip)
{
    GtkWidget *button = gtk_button_new_with_label(label);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_tooltip_text(button, tip);
    gtk_widget_set_focus_on_click(button, FALSE);
    return button;
}

static void make_header(paf_window *w)
{
    GtkWidget *bar = gtk_header_bar_new();
    gtk_header_bar_set_show_close_button(GTK_HEADER_BAR(bar), TRUE);
    gtk_header_bar_set_custom_title(GTK_HEADER_BAR(bar), gtk_label_new(""));
    GtkWidget *names = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 24);
    w->title = gtk_label_new("Paf");
    gtk_style_context_add_class(gtk_widget_get_style_context(w->title), "paf-title");
    gtk_widget_set_margin_start(w->title, 12);
    w->summary = gtk_label_new("");
    gtk_label_set_ellipsize(GTK_LABEL(w->summary), PANGO_ELLIPSIZE_END);
    gtk_style_context_add_class(gtk_widget_get_style_context(w->summary), "dim-label");
    gtk_box_pack_start(GTK_BOX(names), w->title, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(names), w->summary, TRUE, TRUE, 0);
    gtk_header_bar_pack_start(GTK_HEADER_BAR(bar), names);
    const struct {
        const char *label, *action, *tip;
    } buttons[] = {
        {"Export", "win.export", "Write this picture to a PNG, SVG or PDF (Ctrl+E)"},
        {"Compare…", "win.compare", "Beside another run"},
        {"Open…", "win.open", "Open a trace (Ctrl+O)"},
        {"Fit", "win.fit", "Show the whole run (F)"},
        {"◐", "win.theme", "Light or dark (Ctrl+T)"},
        {"?", "win.help", "Keys (F1)"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(buttons); i++)
        gtk_header_bar_pack_end(GTK_HEADER_BAR(bar), make_button(buttons[i].label,
                                                                 buttons[i].action,
                                                                 buttons[i].tip));
    gtk_window_set_titlebar(GTK_WINDOW(w->window), bar);
}

static GtkWidget *make_empty_page(paf_window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 16);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    w->empty_label = gtk_label_new("No trace is open.\nMake one with  fleng -trace FILE.fl  and "
                                   "drop FILE.paf here.");
    gtk_label_set_justify(GTK_LABEL(w->empty_label), GTK_JUSTIFY_CENTER);
    gtk_style_context_add_class(gtk_widget_get_style_context(w->empty_label), "paf-empty");
    gtk_style_context_add_class(gtk_widget_get_style_context(w->empty_label), "dim-label");
    GtkWidget *button = make_button("Open a trace…", "win.open", "Ctrl+O");
    gtk_style_context_add_class(gtk_widget_get_style_context(button), "suggested-action");
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER);
    gtk_box_pack_start(GTK_BOX(box), w->empty_label, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), button, FALSE, FALSE, 0);
    return box;
}

static void on_cancel(GtkButton *button, gpointer data)
{
    (void)button;
    paf_window *w = data;
    if (w->job)
        paf_job_cancel(w->job);
    gtk_widget_set_sensitive(w->cancel, FALSE);
}

static GtkWidget *make_busy_page(paf_window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    w->progress_label = gtk_label_new("");
    w->progress = gtk_progress_bar_new();
    gtk_widget_set_size_request(w->progress, 320, -1);
    w->cancel = gtk_button_new_with_label("Cancel");
    gtk_widget_set_halign(w->cancel, GTK_ALIGN_CENTER);
    g_signal_connect(w->cancel, "clicked", G_CALLBACK(on_cancel), w);
    gtk_box_pack_start(GTK_BOX(box), w->progress_label, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), w->progress, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), w->cancel, FALSE, FALSE, 0);
    return box;
}

static gboolean on_draw_comparison(GtkWidget *widget, cairo_t *cr, gpointer data)
{
    paf_window *w = data;
    if (!w->session || !w->other)
        return FALSE;
    paf_picture *picture = make_comparison(w, gtk_widget_get_allocated_width(widget),
                                           gtk_widget_get_allocated_height(widget),
                                           gtk_widget_get_scale_factor(widget));
    paf_picture_draw(picture, cr);
    paf_picture_destroy(picture);
    return TRUE;
}

static void on_info_response(GtkInfoBar *bar, gint response, gpointer data)
{
    (void)bar, (void)response;
    hide_message(data);
}

static GtkWidget *make_info(paf_window *w)
{
    w->info = gtk_info_bar_new();
    gtk_info_bar_set_show_close_button(GTK_INFO_BAR(w->info), TRUE);
    w->info_label = gtk_label_new("");
    gtk_label_set_line_wrap(GTK_LABEL(w->info_label), TRUE);
    gtk_label_set_xalign(GTK_LABEL(w->info_label), 0);
    gtk_container_add(GTK_CONTAINER(gtk_info_bar_get_content_area(GTK_INFO_BAR(w->info))),
                      w->info_label);
    g_signal_connect(w->info, "response", G_CALLBACK(on_info_response), w);
    gtk_widget_show_all(w->info);
    gtk_widget_set_no_show_all(w->info, TRUE);
    gtk_widget_hide(w->info);
    return w->info;
}

static void on_drop(GtkWidget *widget, GdkDragContext *context, gint x, gint y,
                    GtkSelectionData *selection, guint info, guint time, gpointer data)
{
    (void)widget, (void)x, (void)y, (void)info;
    paf_window *w = data;
    char **uris = gtk_selection_data_get_uris(selection);
    const char *paths[2];
    int n = 0;
    for (char **u = uris; u && *u && n < 2; u++) {
        char *path = g_filename_from_uri(*u, NULL, NULL);
        if (path)
            paths[n++] = path;
    }
    gtk_drag_finish(context, n > 0, FALSE, time);
    paf_window_open(w, paths, n);
    for (int i = 0; i < n; i++)
        g_free((char *)paths[i]);
    g_strfreev(uris);
}

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    paf_window *w = data;
    w->closed = true;
    if (w->job)
        paf_job_cancel(w->job);
    unref(w);
}

static void make_stack(paf_window *w)
{
    w->stack = gtk_stack_new();
    w->canvas = paf_canvas_create(on_asked, w);
    w->canvas_widget = paf_canvas_widget(w->canvas);
    g_signal_connect(w->canvas_widget, "key-press-event", G_CALLBACK(on_key), w);
    w->compare = gtk_drawing_area_new();
    g_signal_connect(w->compare, "draw", G_CALLBACK(on_draw_comparison), w);
    gtk_stack_add_named(GTK_STACK(w->stack), make_empty_page(w), "empty");
    gtk_stack_add_named(GTK_STACK(w->stack), make_busy_page(w), "busy");
    gtk_stack_add_named(GTK_STACK(w->stack), w->canvas_widget, "canvas");
    gtk_stack_add_named(GTK_STACK(w->stack), w->compare, "compare");
}

// ---------------------------------------------------------------------------------------------
// A picture of the window itself, for tests and documentation

static bool save_widget(GtkWidget *widget, const char *path)
{
    int scale = gtk_widget_get_scale_factor(widget);
    cairo_surface_t *image = cairo_image_surface_create(
        CAIRO_FORMAT_ARGB32, gtk_widget_get_allocated_width(widget) * scale,
        gtk_widget_get_allocated_height(widget) * scale);
    cairo_surface_set_device_scale(image, scale, scale);
    cairo_t *cr = cairo_create(image);
    gtk_widget_draw(widget, cr);
    cairo_destroy(cr);
    cairo_status_t status = cairo_surface_write_to_png(image, path);
    cairo_surface_destroy(image);
    if (status != CAIRO_STATUS_SUCCESS)
        fprintf(stderr, "paf: %s: %s\n", path, cairo_status_to_string(status));
    return status == CAIRO_STATUS_SUCCESS;
}

static gboolean take_screenshot(gpointer data)
{
    paf_window *w = data;
    bool ready = !w->job && (w->other || (w->session && paf_canvas_settled(w->canvas)));
    if (!ready)
        return G_SOURCE_CONTINUE;
    failed = failed || !save_widget(w->window, w->screenshot);
    gtk_widget_destroy(w->window);
    return G_SOURCE_REMOVE;
}

paf_window *paf_window_create(GtkApplication *application, const paf_window_options *options)
{
    paf_window *w = g_new0(paf_window, 1);
    w->application = application;
    w->options = *options;
    w->screenshot = g_strdup(options->screenshot);
    w->first_partition = g_strdup(options->partition);
    w->partitions = g_ptr_array_new_with_free_func(g_free);
    w->window = gtk_application_window_new(application);
    gtk_window_set_default_size(GTK_WINDOW(w->window), options->width, options->height);
    gtk_window_set_icon_name(GTK_WINDOW(w->window), "paf");
    w->css = gtk_css_provider_new();
    gtk_style_context_add_provider_for_screen(gdk_screen_get_default(),
                                              GTK_STYLE_PROVIDER(w->css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    make_header(w);
    make_stack(w);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_pack_start(GTK_BOX(box), make_info(w), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), w->stack, TRUE, TRUE, 0);
    gtk_container_add(GTK_CONTAINER(w->window), box);
    add_actions(w);
    gtk_drag_dest_set(w->window, GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
    gtk_drag_dest_add_uri_targets(w->window);
    g_signal_connect(w->window, "drag-data-received", G_CALLBACK(on_drop), w);
    g_signal_connect(w->window, "destroy", G_CALLBACK(on_destroy), w);
    w->dark = options->dark || (!options->light && desktop_is_dark());
    apply_theme(w);
    gtk_widget_show_all(w->window);
    show_page(w, "empty");
    if (w->screenshot)
        g_timeout_add(50, take_screenshot, w);
    return w;
}
