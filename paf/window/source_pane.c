// SPDX-License-Identifier: MIT
//
// The source pane on GtkSourceView.
#include "paf/window/source_pane.h"

#include "paf/say/numbers.h"

#include <gtksourceview/gtksource.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_SPACING = 3, // pixels above and below a line, so that it is as high as in the picture
    NUMBER_MARGIN = 8,
    LINE_WIDTH = 36,  // of the numbers on the left
    COUNT_WIDTH = 64, // on the right
};

struct paf_source_pane {
    GtkWidget *overlay, *scrolled;
    GtkSourceView *view;
    GtkSourceBuffer *buffer;
    GtkAdjustment *vertical;
    GtkTextTag *mark;
    GtkCssProvider *css;
    GArray *counts; // paf_line_count by line, or NULL
    paf_rect place;
    guint idle; // scrolls
    bool scrolled_by_user;
    // what is shown
    const trace *trace;
    uint32_t source, line, end;
    paf_colour colour;
    int dark; // -1: no scheme yet
};

typedef struct paf_source_pane pane;

// ---------------------------------------------------------------------------------------------
// Where the language and the schemes are

// The folder of the executable, and `path` from there.
static char *beside_executable(const char *path)
{
    char *executable = g_file_read_link("/proc/self/exe", NULL);
    if (!executable)
        return NULL;
    char *folder = g_path_get_dirname(executable);
    char *joined = g_build_filename(folder, path, NULL);
    g_free(folder);
    g_free(executable);
    return joined;
}

// The search path with two folders before it: that of the build, and that of the installation.
static char **search_path(const char *const *usual, const char *installed)
{
    GPtrArray *path = g_ptr_array_new();
    const char *const own[] = {"../editors", installed};
    for (unsigned i = 0; i < G_N_ELEMENTS(own); i++) {
        char *folder = beside_executable(own[i]);
        if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(path, folder);
        else
            g_free(folder);
    }
    for (; usual && *usual; usual++)
        g_ptr_array_add(path, g_strdup(*usual));
    g_ptr_array_add(path, NULL);
    return (char **)g_ptr_array_free(path, FALSE);
}

static GtkSourceLanguageManager *languages(void)
{
    static GtkSourceLanguageManager *manager;
    if (manager)
        return manager;
    manager = gtk_source_language_manager_new();
    char **path = search_path(gtk_source_language_manager_get_search_path(manager),
                              "../share/gtksourceview-4/language-specs");
    gtk_source_language_manager_set_search_path(manager, path);
    g_strfreev(path);
    return manager;
}

static GtkSourceStyleScheme *scheme(bool dark)
{
    static GtkSourceStyleSchemeManager *manager;
    if (!manager) {
        manager = gtk_source_style_scheme_manager_new();
        char **path = search_path(gtk_source_style_scheme_manager_get_search_path(manager),
                                  "../share/gtksourceview-4/styles");
        gtk_source_style_scheme_manager_set_search_path(manager, path);
        g_strfreev(path);
    }
    return gtk_source_style_scheme_manager_get_scheme(manager, dark ? "paf-dark" : "paf-light");
}

// ---------------------------------------------------------------------------------------------
// What is shown

// Numbers beside a line, in one of the theme's greys.
static void show_number(GtkSourceGutterRenderer *renderer, const char *number, paf_colour c)
{
    char *markup =
        g_strdup_printf("<span foreground='#%02x%02x%02x'>%s</span>", (unsigned)(c.r * 255 + 0.5),
                        (unsigned)(c.g * 255 + 0.5), (unsigned)(c.b * 255 + 0.5), number);
    gtk_source_gutter_renderer_text_set_markup(GTK_SOURCE_GUTTER_RENDERER_TEXT(renderer), markup,
                                               -1);
    g_free(markup);
}

static void show_line(GtkSourceGutterRenderer *renderer, GtkTextIter *start, GtkTextIter *end,
                      GtkSourceGutterRendererState state, gpointer data)
{
    (void)end, (void)state;
    const pane *p = data;
    char number[16];
    g_snprintf(number, sizeof number, "%d", gtk_text_iter_get_line(start) + 1);
    show_number(renderer, number, paf_theme_get(p->dark == 1)->faint);
}

static void show_counts(GtkSourceGutterRenderer *renderer, GtkTextIter *start, GtkTextIter *end,
                        GtkSourceGutterRendererState state, gpointer data)
{
    (void)end, (void)state;
    pane *p = data;
    guint line = (guint)gtk_text_iter_get_line(start);
    const paf_line_count *count =
        p->counts && line < p->counts->len ? &g_array_index(p->counts, paf_line_count, line) : NULL;
    if (!count || !count->begins) {
        gtk_source_gutter_renderer_text_set_text(GTK_SOURCE_GUTTER_RENDERER_TEXT(renderer), "", -1);
        return;
    }
    const paf_theme *t = paf_theme_get(p->dark == 1);
    char *number = paf_number(count->count);
    show_number(renderer, number, count->count ? t->quiet : t->faint);
    g_free(number);
}

static void set_theme(pane *p, bool dark)
{
    if (p->dark == dark)
        return;
    p->dark = dark;
    gtk_source_buffer_set_style_scheme(p->buffer, scheme(dark));
    const paf_theme *t = paf_theme_get(dark);
    paf_colour card = dark ? t->lane : t->card;
    char *css = g_strdup_printf("textview { font: 12px \"%s\", monospace; }\n"
                                "textview, textview text, textview border"
                                " { background-color: rgb(%.0f,%.0f,%.0f); }\n",
                                "DejaVu Sans Mono", card.r * 255, card.g * 255, card.b * 255);
    gtk_css_provider_load_from_data(p->css, css, -1, NULL);
    g_free(css);
}

// The text and its language.
static void set_source(pane *p, const trace *t, uint32_t number)
{
    const trace_source *source = trace_get_source(t, number);
    const char *name = trace_name(t, source->name);
    char *text = g_utf8_make_valid(trace_string(t, source->text, NULL), -1);
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = 0; // the view would number a line behind the last one
    gtk_source_buffer_set_language(
        p->buffer, gtk_source_language_manager_guess_language(languages(), name, NULL));
    gtk_text_buffer_set_text(GTK_TEXT_BUFFER(p->buffer), text, -1);
    g_free(text);
    p->trace = t;
    p->source = number;
    p->line = 0;
}

static void set_counts(pane *p, GArray *counts)
{
    bool same = p->counts && counts && p->counts->len == counts->len &&
                memcmp(p->counts->data, counts->data, counts->len * sizeof(paf_line_count)) == 0;
    if (same)
        return;
    if (p->counts)
        g_array_unref(p->counts);
    p->counts = counts ? g_array_ref(counts) : NULL;
    gtk_widget_queue_draw(GTK_WIDGET(p->view));
}

// Brings what is marked a quarter down the pane, with a whole line on top; at once, where the widget's own
// way is to glide.
static gboolean scroll(gpointer data)
{
    pane *p = data;
    GtkTextIter at;
    int y, height;
    p->idle = 0;
    gtk_text_buffer_get_iter_at_line(GTK_TEXT_BUFFER(p->buffer), &at, (int)p->line - 1);
    gtk_text_view_get_line_yrange(GTK_TEXT_VIEW(p->view), &at, &y, &height);
    double above = floor(gtk_adjustment_get_page_size(p->vertical) / 4 / MAX(height, 1));
    gtk_adjustment_set_value(p->vertical, y - above * height);
    return G_SOURCE_REMOVE;
}

static void scroll_soon(pane *p)
{
    if (!p->idle)
        p->idle = g_idle_add(scroll, p);
}

// The heights of lines get known little by little.
static void on_changed(GtkAdjustment *adjustment, gpointer data)
{
    (void)adjustment;
    pane *p = data;
    if (!p->scrolled_by_user)
        scroll_soon(p);
}

static gboolean on_scroll(GtkWidget *widget, GdkEvent *event, gpointer data)
{
    (void)widget, (void)event;
    pane *p = data;
    p->scrolled_by_user = true;
    return FALSE;
}

// Marks what the pane is about.
static void set_mark(pane *p, const paf_source_view *view)
{
    GtkTextBuffer *buffer = GTK_TEXT_BUFFER(p->buffer);
    GtkTextIter from, to;
    gtk_text_buffer_get_bounds(buffer, &from, &to);
    gtk_text_buffer_remove_tag(buffer, p->mark, &from, &to);
    GdkRGBA colour = {view->mark.r, view->mark.g, view->mark.b, 1};
    g_object_set(p->mark, "paragraph-background-rgba", &colour, NULL);
    gtk_text_buffer_get_iter_at_line(buffer, &from, (int)view->line - 1);
    gtk_text_buffer_get_iter_at_line(buffer, &to, (int)view->end - 1);
    gtk_text_iter_forward_line(&to);
    gtk_text_buffer_apply_tag(buffer, p->mark, &from, &to);
    gtk_source_buffer_ensure_highlight(p->buffer, &from, &to);
    if (p->line != view->line) {
        p->scrolled_by_user = false;
        scroll_soon(p);
    }
    p->line = view->line;
    p->end = view->end;
    p->colour = view->mark;
}

static bool same_colour(paf_colour a, paf_colour b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static bool same_place(const paf_rect *a, const paf_rect *b)
{
    return a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h;
}

void paf_source_pane_show(pane *p, const trace *t, const paf_source_view *view, bool dark)
{
    bool there = t && view->there && view->text.w > 0;
    gtk_widget_set_visible(p->scrolled, there);
    if (!t)
        p->trace = NULL; // it may be gone
    if (!there)
        return;
    set_theme(p, dark);
    if (p->trace != t || p->source != view->source)
        set_source(p, t, view->source);
    set_counts(p, view->counts);
    if (p->line != view->line || p->end != view->end || !same_colour(p->colour, view->mark))
        set_mark(p, view);
    if (!same_place(&p->place, &view->text)) {
        p->place = view->text;
        gtk_widget_queue_resize(p->overlay);
    }
}

// ---------------------------------------------------------------------------------------------
// Widgets

static gboolean on_place(GtkOverlay *overlay, GtkWidget *child, GdkRectangle *ret, gpointer data)
{
    (void)overlay, (void)child;
    const pane *p = data;
    int x = (int)(p->place.x + 0.5), y = (int)(p->place.y + 0.5);
    *ret = (GdkRectangle){x, y, MAX((int)(p->place.x + p->place.w) - x, 1),
                          MAX((int)(p->place.y + p->place.h) - y, 1)};
    return TRUE;
}

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    pane *p = data;
    if (p->idle)
        g_source_remove(p->idle);
    g_signal_handlers_disconnect_by_data(p->vertical, p);
    g_object_unref(p->vertical);
    g_object_unref(p->css);
    if (p->counts)
        g_array_unref(p->counts);
    g_free(p);
}

// "…" over the end of a line that goes on to the right of the pane. (x, y): its top right corner.
static void draw_cut(pane *p, cairo_t *cr, int x, int y, int height, bool marked)
{
    enum { WIDTH = 14 };
    const paf_theme *t = paf_theme_get(p->dark == 1);
    paf_colour behind = marked ? p->colour : p->dark == 1 ? t->lane : t->card;
    PangoLayout *dots = gtk_widget_create_pango_layout(GTK_WIDGET(p->view), "…");
    int w, h;
    pango_layout_get_pixel_size(dots, &w, &h);
    cairo_rectangle(cr, x - WIDTH, y, WIDTH, height);
    cairo_set_source_rgb(cr, behind.r, behind.g, behind.b);
    cairo_fill(cr);
    cairo_move_to(cr, x - (WIDTH + w) / 2.0, y + (height - h) / 2.0);
    cairo_set_source_rgb(cr, t->quiet.r, t->quiet.g, t->quiet.b);
    pango_cairo_show_layout(cr, dots);
    g_object_unref(dots);
}

static gboolean on_drawn(GtkWidget *widget, cairo_t *cr, gpointer data)
{
    pane *p = data;
    GtkTextView *view = GTK_TEXT_VIEW(widget);
    GdkRectangle seen, end;
    GtkTextIter at;
    gtk_text_view_get_visible_rect(view, &seen);
    gtk_text_view_get_line_at_y(view, &at, seen.y, NULL);
    do {
        int y, height, x, top;
        uint32_t line = (uint32_t)gtk_text_iter_get_line(&at) + 1;
        gtk_text_view_get_line_yrange(view, &at, &y, &height);
        if (y >= seen.y + seen.height)
            break;
        GtkTextIter last = at;
        if (!gtk_text_iter_ends_line(&last))
            gtk_text_iter_forward_to_line_end(&last);
        gtk_text_view_get_iter_location(view, &last, &end);
        if (end.x <= seen.x + seen.width)
            continue;
        gtk_text_view_buffer_to_window_coords(view, GTK_TEXT_WINDOW_WIDGET, seen.x + seen.width, y, &x, &top);
        draw_cut(p, cr, x, top, height, line >= p->line && line <= p->end);
    } while (gtk_text_iter_forward_line(&at));
    return FALSE;
}

static void add_numbers(pane *p, GtkTextWindowType side, int width, GCallback show)
{
    GtkSourceGutterRenderer *renderer = gtk_source_gutter_renderer_text_new();
    gtk_source_gutter_renderer_set_size(renderer, width);
    gtk_source_gutter_renderer_set_alignment(renderer, 1, 0.5);
    gtk_source_gutter_renderer_set_padding(renderer, NUMBER_MARGIN, -1);
    g_signal_connect(renderer, "query-data", show, p);
    gtk_source_gutter_insert(gtk_source_view_get_gutter(p->view, side), renderer, 0);
}

static void make_view(pane *p)
{
    p->buffer = gtk_source_buffer_new(NULL);
    p->mark = gtk_text_buffer_create_tag(GTK_TEXT_BUFFER(p->buffer), NULL, NULL);
    gtk_source_buffer_set_highlight_matching_brackets(p->buffer, FALSE);
    GtkWidget *view = gtk_source_view_new_with_buffer(p->buffer);
    g_object_unref(p->buffer);
    p->view = GTK_SOURCE_VIEW(view);
    gtk_text_view_set_editable(GTK_TEXT_VIEW(view), FALSE);
    gtk_text_view_set_cursor_visible(GTK_TEXT_VIEW(view), FALSE);
    gtk_text_view_set_left_margin(GTK_TEXT_VIEW(view), NUMBER_MARGIN);
    gtk_text_view_set_pixels_above_lines(GTK_TEXT_VIEW(view), LINE_SPACING);
    gtk_text_view_set_pixels_below_lines(GTK_TEXT_VIEW(view), LINE_SPACING);
    gtk_widget_set_can_focus(view, FALSE); // keys are the canvas's
    gtk_style_context_add_provider(gtk_widget_get_style_context(view), GTK_STYLE_PROVIDER(p->css),
                                   GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
    g_signal_connect_after(view, "draw", G_CALLBACK(on_drawn), p);
    add_numbers(p, GTK_TEXT_WINDOW_LEFT, LINE_WIDTH, G_CALLBACK(show_line));
    add_numbers(p, GTK_TEXT_WINDOW_RIGHT, COUNT_WIDTH, G_CALLBACK(show_counts));
}

pane *paf_source_pane_create(GtkWidget *beneath)
{
    pane *p = g_new0(pane, 1);
    p->dark = -1;
    p->css = gtk_css_provider_new();
    make_view(p);
    p->scrolled = gtk_scrolled_window_new(NULL, NULL);
    // Bars fade in and out, and a picture of the window would not be the same twice.
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(p->scrolled), GTK_POLICY_EXTERNAL,
                                   GTK_POLICY_EXTERNAL);
    gtk_container_add(GTK_CONTAINER(p->scrolled), GTK_WIDGET(p->view));
    gtk_widget_show(GTK_WIDGET(p->view));
    gtk_widget_set_no_show_all(p->scrolled, TRUE);
    g_signal_connect(p->scrolled, "button-press-event", G_CALLBACK(on_scroll), p);
    g_signal_connect(p->view, "scroll-event", G_CALLBACK(on_scroll), p);
    p->vertical = g_object_ref(
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(p->scrolled)));
    g_signal_connect(p->vertical, "changed", G_CALLBACK(on_changed), p);
    p->overlay = gtk_overlay_new();
    gtk_container_add(GTK_CONTAINER(p->overlay), beneath);
    gtk_overlay_add_overlay(GTK_OVERLAY(p->overlay), p->scrolled);
    g_signal_connect(p->overlay, "get-child-position", G_CALLBACK(on_place), p);
    g_signal_connect(p->overlay, "destroy", G_CALLBACK(on_destroy), p);
    return p;
}

GtkWidget *paf_source_pane_widget(const pane *p)
{
    return p->overlay;
}
