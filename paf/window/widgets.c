// SPDX-License-Identifier: MIT
//
// The widgets of the window: header bar, pages, message bar, drop target.
#include "paf/window/window_private.h"

#include <string.h>

static GtkWidget *make_button(const char *label, const char *action, const char *tip)
{
    GtkWidget *button = gtk_button_new_with_label(label);
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
    gtk_widget_set_tooltip_text(button, tip);
    gtk_widget_set_focus_on_click(button, FALSE);
    return button;
}

// The longest beginning of whole parts that is no wider; g_object_unref().
static PangoLayout *fitting_parts(GtkWidget *label, int width)
{
    PangoLayout *parts = gtk_widget_create_pango_layout(label, NULL);
    char *text = g_strdup(gtk_label_get_text(GTK_LABEL(label))), *end = text + strlen(text);
    int w = 0;
    for (bool cut = false;; cut = true) {
        *end = 0;
        char *shown = g_strconcat(text, cut ? " …" : "", NULL);
        pango_layout_set_text(parts, shown, -1);
        pango_layout_get_pixel_size(parts, &w, NULL);
        g_free(shown);
        if (w <= width || !(end = g_strrstr(text, " · ")))
            break;
    }
    if (w > width)
        pango_layout_set_text(parts, "", -1);
    g_free(text);
    return parts;
}

// What does not fit is left out by whole parts: a figure is never cut. All of it is in the tip.
static gboolean on_draw_summary(GtkWidget *label, cairo_t *cr, gpointer data)
{
    (void)data;
    int x, y;
    GtkAllocation place;
    gtk_widget_get_allocation(label, &place);
    gtk_label_get_layout_offsets(GTK_LABEL(label), &x, &y);
    PangoLayout *parts = fitting_parts(label, place.width);
    gtk_render_layout(gtk_widget_get_style_context(label), cr, 0, y - place.y, parts);
    g_object_unref(parts);
    return TRUE;
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
    gtk_label_set_xalign(GTK_LABEL(w->summary), 0);
    g_signal_connect(w->summary, "draw", G_CALLBACK(on_draw_summary), NULL);
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
        {"Table", "win.table", "Totals as bars, or the timeline (Ctrl+B)"},
        {"Fit", "win.fit", "Show the whole run (F)"},
        {"◐", "win.theme", "Light or dark (Ctrl+T)"},
        {"?", "win.help", "Keys (F1)"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(buttons); i++)
        gtk_header_bar_pack_end(GTK_HEADER_BAR(bar),
                                make_button(buttons[i].label, buttons[i].action, buttons[i].tip));
    GtkWidget *what_if = gtk_toggle_button_new_with_label("What if");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(what_if), "win.what-if");
    gtk_widget_set_tooltip_text(what_if, "What the run would take if something were different (Ctrl+I)");
    gtk_widget_set_focus_on_click(what_if, FALSE);
    gtk_header_bar_pack_end(GTK_HEADER_BAR(bar), what_if);
    gtk_header_bar_pack_end(GTK_HEADER_BAR(bar), paf_window_make_clocks(w));
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

static gboolean on_draw_overview(GtkWidget *widget, cairo_t *cr, gpointer data)
{
    paf_window *w = data;
    int width = gtk_widget_get_allocated_width(widget);
    int height = gtk_widget_get_allocated_height(widget);
    if (!w->overview || width < 200 || height < 120)
        return TRUE;
    if (!w->compare_text)
        w->compare_text = paf_shaped_text_create(NULL, NULL);
    paf_view view = paf_view_fit(w->overview->m, width, height);
    view.kind = PAF_VIEW_PARALLELISM;
    view.scale = gtk_widget_get_scale_factor(widget);
    view.dark = w->dark;
    view.header = true;
    view.title = w->overview->name;
    paf_layout *layout = paf_layout_create(w->overview->m, &view, w->compare_text);
    paf_picture_draw(layout->picture, cr);
    paf_layout_destroy(layout);
    return TRUE;
}

static GtkWidget *make_progress(paf_window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    gtk_container_set_border_width(GTK_CONTAINER(box), 12);
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

// Of a long run that has a summary the whole is shown at once, with the progress below it.
static GtkWidget *make_busy_page(paf_window *w)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *progress = make_progress(w);
    w->overview_area = gtk_drawing_area_new();
    g_signal_connect(w->overview_area, "draw", G_CALLBACK(on_draw_overview), w);
    gtk_box_pack_start(GTK_BOX(box), w->overview_area, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(box), progress, FALSE, FALSE, 0);
    gtk_widget_show_all(box);
    gtk_widget_set_no_show_all(w->overview_area, TRUE);
    gtk_widget_hide(w->overview_area);
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER);
    return box;
}

static void on_info_response(GtkInfoBar *bar, gint response, gpointer data)
{
    (void)bar;
    paf_window *w = data;
    paf_window_hide_message(w);
    if (response == GTK_RESPONSE_ACCEPT && w->session && !w->job) {
        char *path = g_strdup(w->session->path);
        paf_window_open(w, (const char *const[]){path}, 1);
        g_free(path);
    }
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
    w->again = gtk_info_bar_add_button(GTK_INFO_BAR(w->info), "Read again", GTK_RESPONSE_ACCEPT);
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

static void on_layout(void *data, const paf_layout *layout, paf_session *session)
{
    paf_window *w = data;
    paf_source_pane_show(w->source, layout ? session->t : NULL, layout ? &layout->source : NULL,
                         paf_canvas_view(w->canvas)->dark);
    if (layout)
        paf_window_follow_clock(w);
}

static void on_bars(void *data, const paf_bars *bars, paf_session *session)
{
    paf_window *w = data;
    paf_source_pane_show(w->table_source, bars ? session->t : NULL, bars ? &bars->source : NULL,
                         paf_bars_canvas_dark(w->bars));
}

static gboolean on_note_end(gpointer data)
{
    paf_window *w = data;
    w->note_end = 0;
    gtk_revealer_set_reveal_child(GTK_REVEALER(w->note), FALSE);
    return G_SOURCE_REMOVE;
}

void paf_window_note(paf_window *w, const char *text)
{
    gtk_label_set_text(GTK_LABEL(w->note_label), text);
    gtk_revealer_set_reveal_child(GTK_REVEALER(w->note), TRUE);
    if (w->note_end)
        g_source_remove(w->note_end);
    w->note_end = g_timeout_add(3500, on_note_end, w);
}

// Over the pages, so that nothing moves when it comes.
static GtkWidget *make_note(paf_window *w)
{
    GtkWidget *overlay = gtk_overlay_new();
    w->note = gtk_revealer_new();
    w->note_label = gtk_label_new("");
    gtk_revealer_set_transition_type(GTK_REVEALER(w->note), GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
    gtk_style_context_add_class(gtk_widget_get_style_context(w->note_label), "paf-note");
    gtk_container_add(GTK_CONTAINER(w->note), w->note_label);
    gtk_widget_set_halign(w->note, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(w->note, GTK_ALIGN_END);
    gtk_widget_set_margin_bottom(w->note, 24);
    gtk_container_add(GTK_CONTAINER(overlay), w->stack);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), w->note);
    gtk_overlay_set_overlay_pass_through(GTK_OVERLAY(overlay), w->note, TRUE);
    return overlay;
}

static void on_note(void *data, const char *text)
{
    paf_window_note(data, text);
}

// What no widget of the pane takes is for the picture beside it; Tab goes from one to the next, and Escape
// leaves them.
static gboolean on_pane_key(GtkWidget *pane, GdkEventKey *e, gpointer data)
{
    (void)pane;
    paf_window *w = data;
    if (e->keyval == GDK_KEY_Tab || e->keyval == GDK_KEY_ISO_Left_Tab)
        return FALSE;
    if (e->keyval == GDK_KEY_Escape)
        gtk_widget_grab_focus(w->canvas_widget);
    return paf_window_on_key(w->canvas_widget, e, w);
}

static void make_stack(paf_window *w)
{
    w->stack = gtk_stack_new();
    w->canvas = paf_canvas_create(paf_window_asked, w);
    w->canvas_widget = paf_widget_area(paf_canvas_widget(w->canvas));
    paf_widget_on_note(paf_canvas_widget(w->canvas), on_note, w);
    g_signal_connect(w->canvas_widget, "key-press-event", G_CALLBACK(paf_window_on_key), w);
    w->source = paf_source_pane_create(w->canvas_widget);
    paf_canvas_on_layout(w->canvas, on_layout, w);
    w->compare_page = paf_widget_create(&paf_comparison_page, w);
    w->compare = paf_widget_area(w->compare_page);
    g_signal_connect(w->compare, "key-press-event", G_CALLBACK(paf_window_on_key), w);
    paf_widget_on_note(w->compare_page, on_note, w);
    gtk_stack_add_named(GTK_STACK(w->stack), make_empty_page(w), "empty");
    gtk_stack_add_named(GTK_STACK(w->stack), make_busy_page(w), "busy");
    w->what_if = paf_what_if_create(w->canvas, &w->options.what_if);
    paf_what_if_on_change(w->what_if, paf_window_note_what_if, w);
    g_signal_connect(paf_what_if_widget(w->what_if), "key-press-event", G_CALLBACK(on_pane_key), w);
    gtk_stack_add_named(GTK_STACK(w->stack), paf_window_make_history(w), "canvas");
    gtk_stack_add_named(GTK_STACK(w->stack), w->compare, "compare");
    w->bars = paf_bars_canvas_create();
    GtkWidget *bars = paf_widget_area(paf_bars_canvas_widget(w->bars));
    g_signal_connect(bars, "key-press-event", G_CALLBACK(paf_window_on_key), w);
    paf_widget_on_note(paf_bars_canvas_widget(w->bars), on_note, w);
    w->table_source = paf_source_pane_create(bars);
    paf_bars_canvas_on_drawn(w->bars, on_bars, w);
    gtk_stack_add_named(GTK_STACK(w->stack), paf_source_pane_widget(w->table_source), "table");
    w->samples = paf_samples_canvas_create();
    GtkWidget *samples = paf_widget_area(paf_samples_canvas_widget(w->samples));
    g_signal_connect(samples, "key-press-event", G_CALLBACK(paf_window_on_key), w);
    paf_widget_on_note(paf_samples_canvas_widget(w->samples), on_note, w);
    gtk_stack_add_named(GTK_STACK(w->stack), samples, "samples");
}

void paf_window_make_widgets(paf_window *w)
{
    w->css = gtk_css_provider_new();
    gtk_style_context_add_provider_for_screen(gdk_screen_get_default(), GTK_STYLE_PROVIDER(w->css),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
    make_header(w);
    make_stack(w);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_pack_start(GTK_BOX(box), make_info(w), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_note(w), TRUE, TRUE, 0);
    gtk_container_add(GTK_CONTAINER(w->window), box);
    paf_window_add_actions(w);
    gtk_drag_dest_set(w->window, GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
    gtk_drag_dest_add_uri_targets(w->window);
    g_signal_connect(w->window, "drag-data-received", G_CALLBACK(on_drop), w);
}
