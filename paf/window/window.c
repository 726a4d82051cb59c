// SPDX-License-Identifier: MIT
//
// Opening, analysing, the pages of the window, and screenshots.
#include "paf/window/window_private.h"
#include "paf/say/numbers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool failed;

bool paf_window_failed(void)
{
    return failed;
}

// ---------------------------------------------------------------------------------------------
// Appearance

static void show_page(paf_window *w, const char *page)
{
    gtk_stack_set_visible_child_name(GTK_STACK(w->stack), page);
}

void paf_window_show_message(paf_window *w, GtkMessageType kind, const char *text)
{
    if (w->closed) {
        if (kind == GTK_MESSAGE_ERROR) {
            fprintf(stderr, "paf: %s\n", text);
            failed = true;
        }
        return;
    }
    gtk_label_set_text(GTK_LABEL(w->info_label), text);
    gtk_widget_hide(w->again);
    gtk_info_bar_set_message_type(GTK_INFO_BAR(w->info), kind);
    gtk_widget_show(w->info);
    gtk_info_bar_set_revealed(GTK_INFO_BAR(w->info), TRUE);
}

void paf_window_hide_message(paf_window *w)
{
    gtk_widget_hide(w->info);
}

// The header bar in the colours of the picture below it, so that the window is one surface.
void paf_window_apply_theme(paf_window *w)
{
    g_object_set(gtk_settings_get_default(), "gtk-application-prefer-dark-theme", w->dark, NULL);
    const paf_theme *t = paf_theme_get(w->dark);
    char *css = g_strdup_printf(
        "headerbar { background: rgb(%.0f,%.0f,%.0f); box-shadow: none; min-height: 46px;"
        " border-color: rgb(%.0f,%.0f,%.0f); }\n"
        "headerbar button.text-button:not(.suggested-action) { padding: 2px 12px; min-height: "
        "26px; border-radius: 6px; transition: none;"
        " background: rgb(%.0f,%.0f,%.0f); border: 1px solid rgb(%.0f,%.0f,%.0f);"
        " box-shadow: none; text-shadow: none; }\n"
        "headerbar button.text-button:not(.suggested-action):hover"
        " { background: rgb(%.0f,%.0f,%.0f); }\n"
        ".dim-label { color: rgb(%.0f,%.0f,%.0f); opacity: 1; }\n"
        "headerbar button.text-button:checked { color: rgb(%.0f,%.0f,%.0f);"
        " background: rgb(%.0f,%.0f,%.0f); border-color: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-error { color: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-title { font-weight: bold; }\n"
        ".paf-empty { font-size: 15px; }\n"
        ".paf-note { padding: 8px 16px; border-radius: 6px; background: rgb(%.0f,%.0f,%.0f);"
        " color: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-pane { padding: 10px 12px; background: rgb(%.0f,%.0f,%.0f);"
        " border-left: 1px solid rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-caption { font-size: 11px; }\n"
        ".paf-caption, .paf-quiet { color: rgb(%.0f,%.0f,%.0f); }\n"
        ".paf-pane spinbutton { min-height: 26px; }\n"
        ".paf-pane spinbutton button { min-height: 0; padding: 0 4px; }\n",
        t->panel.r * 255, t->panel.g * 255, t->panel.b * 255, t->line.r * 255, t->line.g * 255,
        t->line.b * 255, t->card.r * 255, t->card.g * 255, t->card.b * 255, t->border.r * 255,
        t->border.g * 255, t->border.b * 255, t->track.r * 255, t->track.g * 255, t->track.b * 255,
        t->quiet.r * 255, t->quiet.g * 255, t->quiet.b * 255,
        t->on_amber.r * 255, t->on_amber.g * 255, t->on_amber.b * 255, t->amber.r * 255,
        t->amber.g * 255, t->amber.b * 255, t->amber.r * 255, t->amber.g * 255, t->amber.b * 255,
        t->bad.r * 255, t->bad.g * 255, t->bad.b * 255, t->ink.r * 255, t->ink.g * 255,
        t->ink.b * 255, t->window.r * 255, t->window.g * 255, t->window.b * 255,
        t->panel.r * 255, t->panel.g * 255, t->panel.b * 255, t->line.r * 255, t->line.g * 255,
        t->line.b * 255, t->quiet.r * 255, t->quiet.g * 255, t->quiet.b * 255);
    gtk_css_provider_load_from_data(w->css, css, -1, NULL);
    g_free(css);
    paf_canvas_set_dark(w->canvas, w->dark);
    paf_bars_canvas_set_dark(w->bars, w->dark);
    paf_samples_canvas_set_dark(w->samples, w->dark);
    paf_what_if_set_dark(w->what_if, w->dark);
    paf_window_update_comparison(w);
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
        gtk_widget_set_tooltip_text(w->summary, NULL);
        gtk_window_set_title(GTK_WINDOW(w->window), "Paf");
        return;
    }
    char *name = w->other ? g_strdup_printf("%s and %s", w->session->name, w->other->name)
                          : g_strdup(w->session->name);
    const trace *t = w->session->t;
    char *summary = w->other        ? g_strdup("side by side")
                    : w->session->a ? paf_run_summary(w->session->a)
                    : paf_is_of_samples(w->session)
                        ? paf_samples_summary(t)
                        : paf_totals_finding(t, trace_get_totals(t));
    gtk_label_set_text(GTK_LABEL(w->title), name);
    gtk_label_set_text(GTK_LABEL(w->summary), summary);
    gtk_widget_set_tooltip_text(w->summary, summary);
    gtk_window_set_title(GTK_WINDOW(w->window), name);
    g_free(name);
    g_free(summary);
}

// ---------------------------------------------------------------------------------------------
// Opening and analysing

static void unref(paf_window *w)
{
    // The window lives until it is closed and its last job and export have ended.
    if (!w->closed || w->job || w->exports > 0)
        return;
    paf_window_end_comparison(w);
    paf_session_unref(w->session);
    g_ptr_array_unref(w->partitions);
    g_string_free(w->edits, TRUE);
    g_object_unref(w->css);
    paf_shaped_text_destroy(w->compare_text);
    paf_overview_close(w->overview);
    paf_window_free_bookmarks(w);
    g_free(w->next_path);
    g_free(w->wanted_partition);
    g_free(w->screenshot);
    g_free(w->first_partitions[0]);
    g_free(w->first_partitions[1]);
    g_free(w);
}

void paf_window_begin_export(paf_window *w)
{
    w->exports++;
    g_application_hold(G_APPLICATION(w->application));
}

void paf_window_end_export(paf_window *w)
{
    w->exports--;
    g_application_release(G_APPLICATION(w->application));
    unref(w);
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

bool paf_window_shows_table(const paf_window *w)
{
    return w->session && !w->other && (w->table || !w->session->m) && !paf_window_shows_samples(w);
}

bool paf_window_shows_samples(const paf_window *w)
{
    return !w->other && paf_is_of_samples(w->session);
}

// Buttons that would do nothing are grey.
static void enable_actions(paf_window *w)
{
    bool timeline = w->session && w->session->m;
    const struct {
        const char *name;
        bool on;
    } actions[] = {{"export", w->session},
                   {"compare", timeline},
                   {"table", timeline && !w->other},
                   {"what-if", timeline && !w->other},
                   {"fit", w->session && !w->other}};
    for (unsigned i = 0; i < G_N_ELEMENTS(actions); i++) {
        GAction *action = g_action_map_lookup_action(G_ACTION_MAP(w->window), actions[i].name);
        g_simple_action_set_enabled(G_SIMPLE_ACTION(action), actions[i].on);
    }
}

void paf_window_show_content(paf_window *w)
{
    bool table = paf_window_shows_table(w), samples = paf_window_shows_samples(w);
    enable_actions(w);
    show_page(w, w->other      ? "compare"
                 : table       ? "table"
                 : samples     ? "samples"
                 : w->session  ? "canvas"
                 : w->overview ? "busy"
                               : "empty");
    // Keys go to what is seen: a page behind the one shown may never have been realized.
    if (w->session)
        gtk_widget_grab_focus(w->other  ? w->compare
                              : table   ? paf_widget_area(paf_bars_canvas_widget(w->bars))
                              : samples ? paf_widget_area(paf_samples_canvas_widget(w->samples))
                                        : w->canvas_widget);
    else
        gtk_window_set_focus(GTK_WINDOW(w->window), NULL);
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
    paf_window_show_content(w);
    return true;
}

// Of a program whose routines, loops or I/O were measured the bars come first, as in kview; of one
// that was recorded with OpenMP or MPI the timeline.
static bool begins_with_bars(const paf_session *s)
{
    const trace_totals *all = trace_get_totals(s->t);
    const trace_regions *regions = trace_get_regions(s->t);
    if (!all || all->tables[TT_CALL].observed || (regions && regions->nregions > 0))
        return false;
    return all->tables[TT_UNIT].observed || all->tables[TT_LOOP].observed ||
           all->tables[TT_IO].observed;
}

void paf_window_leave_comparison(paf_window *w)
{
    paf_window_end_comparison(w);
    w->comparing = false;
    set_titles(w);
    paf_window_show_content(w);
}

// What is shown stays: the file of an open trace may be made anew or end.
static void on_file_changed(GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
                            gpointer data)
{
    (void)monitor, (void)file, (void)other;
    paf_window *w = data;
    if (event != G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT || w->job || w->closed || !w->session)
        return;
    char *text = g_strdup_printf("%s has changed on disk.", w->session->name);
    paf_window_show_message(w, GTK_MESSAGE_INFO, text);
    gtk_widget_show(w->again);
    g_free(text);
}

static void watch_file(paf_window *w, const char *path)
{
    GFile *file = g_file_new_for_path(path);
    g_clear_object(&w->monitor);
    w->monitor = g_file_monitor_file(file, G_FILE_MONITOR_NONE, NULL, NULL);
    if (w->monitor)
        g_signal_connect(w->monitor, "changed", G_CALLBACK(on_file_changed), w);
    g_object_unref(file);
}

static void show_session(paf_window *w, paf_session *s)
{
    if (w->session)
        paf_session_drop_calls(w->session, w);
    paf_session_unref(w->session);
    w->session = s;
    watch_file(w, s->path);
    w->table = begins_with_bars(s);
    paf_window_note_recent(w);
    g_ptr_array_set_size(w->partitions, 0);
    g_ptr_array_add(w->partitions, g_strdup(s->partition));
    w->partition = 0;
    g_string_truncate(w->edits, 0);
    w->edit = 0;
    paf_canvas_set_bookmarks(w->canvas, NULL);
    paf_canvas_show(w->canvas, s->m ? s : NULL, false);
    if (s->m)
        paf_window_load_bookmarks(w);
    paf_what_if_show(w->what_if, s->m ? s : NULL);
    paf_bars_canvas_show(w->bars, paf_is_of_samples(s) ? NULL : s);
    paf_samples_canvas_show(w->samples, s);
    if (s->damage) {
        char *text = g_strdup_printf("%s. What is before the damage is shown.", s->damage);
        paf_window_show_message(w, GTK_MESSAGE_WARNING, text);
        g_free(text);
    }
}

// NULL: nothing is known of the run yet.
static void show_overview(paf_window *w, paf_overview *o)
{
    paf_overview_close(w->overview);
    w->overview = o;
    gtk_widget_set_visible(w->overview_area, o != NULL);
    gtk_widget_set_valign(gtk_widget_get_parent(w->overview_area),
                          o ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER);
    gtk_widget_set_visible(w->progress, true);
    gtk_widget_set_visible(w->cancel, true);
    gtk_widget_queue_draw(w->overview_area);
}

// The reductions could not be read. The overview stays if they are too many, or the user does not want
// to wait for them.
static void keep_overview(paf_window *w)
{
    char *text = g_strdup_printf("%s: the whole run, without its reductions", w->overview->name);
    gtk_label_set_text(GTK_LABEL(w->progress_label), text);
    gtk_widget_hide(w->progress);
    gtk_widget_hide(w->cancel);
    g_free(text);
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
    if (s && s->damage && w->options.screenshot) {
        fprintf(stderr, "paf: %s\n", s->damage);
        failed = true;
    }
    if (s && !second) {
        paf_window_end_comparison(w);
        show_overview(w, NULL);
        show_session(w, s);
    } else if (s && (!s->m || !w->session->m)) {
        error = "no timeline was recorded in one of the files: they cannot be compared";
        paf_session_unref(s);
    } else if (s) {
        paf_window_begin_comparison(w, s);
    }
    end_job(w);
    if (!s && w->overview && !w->session)
        keep_overview(w);
    else if (!s)
        show_overview(w, NULL);
    if (error)
        paf_window_show_message(w, GTK_MESSAGE_ERROR, error);
    set_titles(w);
    paf_window_show_content(w);
    char *next = w->next_path;
    w->next_path = NULL;
    if (next && s)
        paf_window_open_one(w, next);
    g_free(next);
    if (error && w->options.screenshot) {
        fprintf(stderr, "paf: %s\n", error);
        failed = true;
        gtk_widget_destroy(w->window);
    }
}

void paf_window_open_one(paf_window *w, const char *path)
{
    char *name = g_path_get_basename(path), *what = g_strdup_printf("Opening %s", name);
    bool second = w->comparing && w->session && !w->next_path;
    bool plain = !w->comparing && !w->first_partitions[0] && !w->options.clock;
    show_overview(w, plain ? paf_overview_open(path) : NULL);
    const char *partition = w->first_partitions[second];
    if (!partition && w->opened_bookmarks && !second)
        partition = w->opened_bookmarks->partition;
    begin_job(w, paf_job_open(path, partition, on_opened, w), what);
    g_free(what);
    g_free(name);
}

static void refuse(paf_window *w, const char *error)
{
    paf_window_show_message(w, GTK_MESSAGE_ERROR, error);
    if (!w->options.screenshot)
        return;
    fprintf(stderr, "paf: %s\n", error);
    failed = true;
    gtk_widget_destroy(w->window);
}

// The trace that a file of bookmarks names.
static void open_named(paf_window *w, const char *path)
{
    char *error = NULL, *named = paf_window_open_bookmarks(w, path, &error);
    w->comparing = false;
    if (named)
        paf_window_open_one(w, named);
    else
        refuse(w, error);
    g_free(error);
    g_free(named);
}

void paf_window_open(paf_window *w, const char *const *paths, int n)
{
    if (w->job || n == 0)
        return;
    paf_window_hide_message(w);
    if (n == 1 && paf_is_bookmarks(paths[0])) {
        open_named(w, paths[0]);
        return;
    }
    w->comparing = n == 2;
    g_free(w->next_path);
    w->next_path = n == 2 ? g_strdup(paths[1]) : NULL;
    paf_window_open_one(w, paths[0]);
}

static void add_edit(paf_window *w, char kind)
{
    g_string_truncate(w->edits, w->edit);
    g_string_append_c(w->edits, kind);
    w->edit++;
}

void paf_window_note_what_if(void *data)
{
    add_edit(data, 'w');
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
            add_edit(w, 'p');
        }
        paf_window_hide_message(w);
        paf_canvas_show(w->canvas, w->session, true);
        paf_what_if_show(w->what_if, w->session);
        set_titles(w);
    } else if (error) {
        paf_window_show_message(w, GTK_MESSAGE_ERROR, error);
    }
    w->undoing = false;
    gtk_widget_grab_focus(w->canvas_widget);
    g_free(wanted);
}

void paf_window_apply_partition(void *data, const char *text)
{
    paf_window *w = data;
    if (w->job || !w->session || !w->session->m)
        return;
    w->wanted_partition = g_strdup(text);
    begin_job(w, paf_job_analyse(w->session, text, on_analysed, w), "Analysing");
}

// Along the history of partitions: step -1 or 1.
static bool undo_partition(paf_window *w, int step)
{
    guint target = w->partition + (guint)step;
    if (w->job || !w->session || target >= w->partitions->len)
        return false;
    w->undoing = true;
    w->partition = target;
    paf_window_apply_partition(w, w->partitions->pdata[target]);
    return true;
}

bool paf_window_undo(paf_window *w, int step)
{
    if (w->job || !w->session || (step < 0 ? w->edit == 0 : w->edit == w->edits->len))
        return false;
    bool what_if = w->edits->str[step < 0 ? w->edit - 1 : w->edit] == 'w';
    if (what_if) // what is undone is seen
        g_action_group_change_action_state(G_ACTION_GROUP(w->window), "what-if", g_variant_new_boolean(TRUE));
    if (!(what_if ? paf_what_if_undo(w->what_if, step) : undo_partition(w, step)))
        return false;
    w->edit += (gsize)step;
    return true;
}

void paf_window_asked(void *data, paf_request request, const char *text)
{
    paf_window *w = data;
    if (request == PAF_ASK_UNMARK)
        paf_window_remove_bookmark(w, (guint)g_ascii_strtoull(text, NULL, 10));
    else if (request == PAF_ASK_EDIT)
        g_action_group_activate_action(G_ACTION_GROUP(w->window), "partition", NULL);
    else if (request == PAF_ASK_SAVE)
        paf_window_save_partition(w);
    else
        paf_window_apply_partition(w, text);
}

// ---------------------------------------------------------------------------------------------
// A picture of the window itself, for tests and documentation

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    paf_window *w = data;
    w->closed = true;
    paf_window_save_panes(w);
    if (w->placing)
        g_source_remove(w->placing);
    if (w->awaiting)
        g_source_remove(w->awaiting);
    if (w->note_end)
        g_source_remove(w->note_end);
    w->awaiting = w->note_end = 0;
    g_clear_object(&w->monitor);
    if (w->job)
        paf_job_cancel(w->job);
    if (w->session)
        paf_session_drop_calls(w->session, w);
    if (w->compare_awaiting)
        g_source_remove(w->compare_awaiting);
    w->compare_awaiting = 0;
    // The widgets within are destroyed after this, and some of their pages are the window's.
    paf_window_begin_export(w);
    g_idle_add_once((GSourceOnceFunc)paf_window_end_export, w);
}

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
    errno = 0;
    cairo_status_t status = cairo_surface_write_to_png(image, path);
    int reason = errno;
    cairo_surface_destroy(image);
    if (status != CAIRO_STATUS_SUCCESS)
        fprintf(stderr, "paf: %s: %s\n", path,
                reason ? strerror(reason) : cairo_status_to_string(status));
    return status == CAIRO_STATUS_SUCCESS;
}

// After a frame, when every widget has its place.
static void take_screenshot(GdkFrameClock *clock, gpointer data)
{
    paf_window *w = data;
    g_signal_handlers_disconnect_by_func(clock, G_CALLBACK(take_screenshot), w);
    failed = !save_widget(w->window, w->screenshot) || failed;
    // Not from within the frame that the window is in.
    g_idle_add_once((GSourceOnceFunc)gtk_widget_destroy, w->window);
}

static bool is_settled(const paf_window *w)
{
    if (w->other)
        return paf_window_comparison_settled(w);
    return paf_window_shows_table(w) || paf_window_shows_samples(w) ||
           (w->session && paf_canvas_settled(w->canvas) && paf_what_if_settled(w->what_if));
}

static gboolean await_picture(gpointer data)
{
    paf_window *w = data;
    bool ready = !w->job && is_settled(w);
    if (!ready || gtk_events_pending()) // the source pane scrolls when it is idle
        return G_SOURCE_CONTINUE;
    w->awaiting = 0;
    g_signal_connect(gtk_widget_get_frame_clock(w->window), "after-paint",
                     G_CALLBACK(take_screenshot), w);
    gtk_widget_queue_draw(w->window);
    return G_SOURCE_REMOVE;
}

paf_window *paf_window_create(GtkApplication *application, const paf_window_options *options)
{
    paf_window *w = g_new0(paf_window, 1);
    w->application = application;
    w->options = *options;
    w->screenshot = g_strdup(options->screenshot);
    for (int i = 0; i < 2; i++)
        w->first_partitions[i] = g_strdup(options->partitions[i]);
    w->edits = g_string_new(NULL);
    w->partitions = g_ptr_array_new_with_free_func(g_free);
    w->window = gtk_application_window_new(application);
    gtk_window_set_default_size(GTK_WINDOW(w->window), options->width, options->height);
    gtk_window_set_icon_name(GTK_WINDOW(w->window), "paf");
    paf_window_make_widgets(w);
    g_signal_connect(w->window, "destroy", G_CALLBACK(on_destroy), w);
    paf_canvas_set_clock(w->canvas, options->clock);
    paf_window_load_panes(w);
    w->dark = options->dark || (!options->light && desktop_is_dark());
    paf_window_apply_theme(w);
    gtk_widget_show_all(w->window);
    show_page(w, "empty");
    enable_actions(w);
    if (options->what_if.open)
        g_action_group_change_action_state(G_ACTION_GROUP(w->window), "what-if",
                                           g_variant_new_boolean(TRUE));
    if (w->screenshot)
        w->awaiting = g_timeout_add(50, await_picture, w);
    return w;
}
