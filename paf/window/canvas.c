// SPDX-License-Identifier: MIT
//
// The canvas: layouts, completing the model, the window of time, and actions.
#include "paf/window/canvas_private.h"
#include "paf/layout/ghost.h"
#include "paf/model/details.h"
#include "paf/model/real_times.h"
#include "paf/model/waiting_goals.h"

#include <math.h>
#include <string.h>

#define NARROWEST  4.0                           // steps shown at the closest zoom
#define SMALL_TREE 600                           // outputs of a process whose tree is built at once
#define AT_ONCE    (6 * G_TIME_SPAN_MILLISECOND) // time a layout may spend on such trees

// ---------------------------------------------------------------------------------------------
// Layouts

paf_canvas *paf_canvas_ref(paf_canvas *c)
{
    c->references++;
    return c;
}

void paf_canvas_unref(paf_canvas *c)
{
    if (--c->references > 0)
        return;
    paf_canvas_free_finder(c);
    paf_layout_destroy(c->layout);
    paf_shaped_text_destroy(c->text);
    paf_session_unref(c->session);
    g_array_unref(c->folded);
    g_array_unref(c->shut);
    paf_focus_unref(c->focus);
    paf_focus_unref(c->pointed);
    g_array_unref(c->past);
    g_array_unref(c->future);
    paf_ghost_unref(c->view.ghost);
    g_free(c);
}

static void trees_built(void *data)
{
    paf_canvas *c = data;
    c->building = false;
    if (c->widget)
        paf_canvas_invalidate(c);
    paf_canvas_unref(c);
}

// Small trees are built here and now, so that zooming shows boxes without a flicker; for the rest
// a worker is sent. Returns true if the picture is out of date at once.
static bool fulfil_wants(paf_canvas *c)
{
    GArray *wants = c->layout->wants;
    gint64 end = g_get_monotonic_time() + AT_ONCE;
    bool built = false;
    for (guint i = 0; i < wants->len;) {
        const paf_want *want = &g_array_index(wants, paf_want, i);
        const iot_process *p = iot_get_process(c->session->a, want->process);
        if (p->members > 20 * SMALL_TREE || g_get_monotonic_time() > end) {
            i++;
            continue;
        }
        paf_model_take(c->session->m, paf_tree_build(c->session->m, want));
        built = true;
        g_array_remove_index_fast(wants, i);
    }
    if (wants->len && !c->building) {
        c->building = true;
        paf_job_build(c->session, wants, trees_built, paf_canvas_ref(c));
    }
    return built;
}

// ---------------------------------------------------------------------------------------------
// The model comes in two steps; the first picture needs the first.

static gboolean on_progress(gpointer data)
{
    paf_canvas *c = data;
    if (c->session && c->session->completing) {
        c->view.computed = paf_job_progress(c->session->completing);
        paf_canvas_invalidate(c);
    }
    return G_SOURCE_CONTINUE;
}

static void stop_awaiting(paf_canvas *c)
{
    if (c->awaiting)
        g_source_remove(c->awaiting);
    c->awaiting = 0;
}

static void completed(void *data)
{
    paf_canvas *c = data;
    if (c->widget) {
        if (c->session && !c->session->completing)
            stop_awaiting(c);
        paf_canvas_invalidate(c);
    }
    paf_canvas_unref(c);
}

static void complete_model(paf_canvas *c)
{
    c->view.computed = 0;
    stop_awaiting(c);
    if (c->session->m->complete)
        return;
    c->awaiting = g_timeout_add(250, on_progress, c);
    if (c->session->completing)
        return;
    paf_job_complete(c->session, completed, paf_canvas_ref(c));
}

// The one that was waited with until its findings and its clock were there.
static void take_bookmark(paf_canvas *c)
{
    const GPtrArray *all = c->view.bookmarks;
    const paf_bookmark *b = all && c->bookmark < all->len ? all->pdata[c->bookmark] : NULL;
    paf_model *m = c->session->m;
    if (!m->complete && b)
        return;
    c->bookmark = G_MAXUINT;
    if (!b)
        return;
    if (b->clock == IOT_REAL_TIME)
        paf_model_make_real(m);
    paf_focus *focus;
    paf_canvas_remember(c);
    paf_view_take_bookmark(&c->view, m, b, &focus, (uint8_t *)c->folded->data);
    paf_canvas_set_focus(c, focus);
    paf_canvas_set_window(c, c->view.from, c->view.to);
}

void paf_canvas_set_bookmarks(paf_canvas *c, const GPtrArray *bookmarks)
{
    c->view.bookmarks = bookmarks;
    c->bookmark = G_MAXUINT;
    if (c->session)
        paf_canvas_invalidate(c);
}

void paf_canvas_show_bookmark(paf_canvas *c, guint index)
{
    c->bookmark = index;
    paf_canvas_invalidate(c);
}

void paf_canvas_fill_bookmark(const paf_canvas *c, paf_bookmark *b)
{
    const paf_view *v = &c->view;
    bool whole = v->from <= 0 && v->to >= paf_canvas_end(c);
    b->clock = v->clock;
    b->from = whole ? 0 : v->from;
    b->to = whole ? 0 : v->to;
    b->selected = v->selected;
    b->focus = c->focus ? paf_focus_text(c->focus, c->session->m) : NULL;
    for (guint i = 0; i < c->folded->len; i++)
        if (g_array_index(c->folded, guint8, i))
            g_ptr_array_add(b->folded, g_strdup(iot_get_module(c->session->a, i)->name));
}

static void make_layout(void *data)
{
    paf_canvas *c = data;
    c->laying = false;
    if (!c->widget || !c->session || c->paused)
        return;
    GtkWidget *area = paf_widget_area(c->widget);
    c->view.width = gtk_widget_get_allocated_width(area);
    c->view.height = gtk_widget_get_allocated_height(area);
    c->view.scale = gtk_widget_get_scale_factor(area);
    take_bookmark(c);
    c->view.folded = c->folded->len ? (const uint8_t *)c->folded->data : NULL;
    c->view.shut = paf_canvas_shut(c);
    for (int round = 0; round < 3; round++) {
        paf_layout_destroy(c->layout);
        c->layout = paf_layout_create(c->session->m, &c->view, c->text);
        if (!fulfil_wants(c))
            break;
    }
    if (c->reveal != IOT_NONE && c->layout->row_of->len > 0)
        paf_canvas_show_place(c, c->reveal);
    if (c->laid_out)
        c->laid_out(c->laid_out_data, c->layout, c->session);
    paf_widget_drawn(c->widget);
    gtk_widget_queue_draw(area);
}

static void release_canvas(gpointer data)
{
    paf_canvas_unref(data);
}

// While a worker has the session the present picture stays.
void paf_canvas_refresh(paf_canvas *c)
{
    if (!c->session || c->paused || c->laying)
        return;
    c->laying = true;
    paf_session_call(c->session, c, make_layout, paf_canvas_ref(c), release_canvas);
}

void paf_canvas_invalidate(paf_canvas *c)
{
    paf_widget_invalidate(c->widget);
}

void paf_canvas_gone(paf_canvas *c)
{
    stop_awaiting(c);
    paf_canvas_drop_search(c);
    c->widget = NULL;
    if (c->session && c->session->completing)
        paf_job_cancel(c->session->completing);
    if (c->session)
        paf_session_drop_calls(c->session, c);
    paf_canvas_unref(c);
}

// ---------------------------------------------------------------------------------------------
// Deeds

typedef struct {
    paf_canvas *canvas; // a reference
    paf_act *act;
    paf_deed deed;
    bool waits; // the widget's cursor says so
} asked_deed;

static void do_deed(void *data)
{
    asked_deed *d = data;
    if (d->canvas->widget)
        d->act(d->canvas, &d->deed);
}

static void release_deed(gpointer data)
{
    asked_deed *d = data;
    if (d->waits && d->canvas->widget)
        paf_widget_wait(d->canvas->widget, -1);
    if (d->deed.event)
        gdk_event_free(d->deed.event);
    paf_canvas_unref(d->canvas);
    g_free(d);
}

void paf_canvas_act(paf_canvas *c, paf_act *act, const paf_deed *deed)
{
    asked_deed *d = g_new(asked_deed, 1);
    *d = (asked_deed){paf_canvas_ref(c), act, *deed, false};
    d->deed.hit.tip = NULL;
    if (paf_session_call(c->session, c, do_deed, d, release_deed))
        return;
    d->waits = true;
    paf_widget_wait(c->widget, 1);
}

// ---------------------------------------------------------------------------------------------
// Creation and state

// The desktop's own font family, so that the picture and the widgets around it look alike.
static char *desktop_font(void)
{
    char *name = NULL;
    g_object_get(gtk_settings_get_default(), "gtk-font-name", &name, NULL);
    if (!name)
        return NULL;
    PangoFontDescription *font = pango_font_description_from_string(name);
    char *family = g_strdup(pango_font_description_get_family(font));
    pango_font_description_free(font);
    g_free(name);
    return family;
}

static void change_clock(paf_canvas *c);

paf_canvas *paf_canvas_create(paf_asked *asked, void *data)
{
    paf_canvas *c = g_new0(paf_canvas, 1);
    c->references = 1;
    c->asked = asked;
    c->data = data;
    char *family = desktop_font();
    c->text = paf_shaped_text_create(family, NULL);
    g_free(family);
    c->view.selected = c->view.hover = c->view.waiting = IOT_NONE;
    c->reveal = IOT_NONE;
    c->view.call = c->view.sender = c->view.receiver = IOT_NONE;
    c->view.pointer = NAN;
    c->view.drop = IOT_NONE;
    c->folded = g_array_new(FALSE, TRUE, sizeof(guint8));
    c->shut = g_array_new(FALSE, TRUE, sizeof(guint8));
    c->past = paf_canvas_states();
    c->future = paf_canvas_states();
    c->view.hover_link = IOT_NONE;
    c->view.path = true;
    c->bookmark = G_MAXUINT;
    c->widget = paf_widget_create(&paf_canvas_page, c);
    gtk_widget_set_size_request(paf_widget_area(c->widget), 480, 320);
    return c;
}

void paf_canvas_on_layout(paf_canvas *c, paf_laid_out *laid_out, void *data)
{
    c->laid_out = laid_out;
    c->laid_out_data = data;
}

paf_widget *paf_canvas_widget(const paf_canvas *c)
{
    return c->widget;
}

void paf_canvas_show(paf_canvas *c, paf_session *s, bool keep_window)
{
    paf_layout_destroy(c->layout);
    c->layout = NULL;
    if (c->laid_out)
        c->laid_out(c->laid_out_data, NULL, NULL);
    if (s)
        paf_session_ref(s);
    if (c->session && c->session != s && c->session->completing)
        paf_job_cancel(c->session->completing);
    if (c->session)
        paf_session_drop_calls(c->session, c);
    c->laying = false;
    paf_session_unref(c->session);
    c->session = s;
    g_clear_pointer(&c->view.ghost, paf_ghost_unref);
    c->view.hover = c->view.call = IOT_NONE;
    c->view.pointer = NAN;
    c->view.first_card = 0;
    g_array_set_size(c->folded, 0);
    c->view.hover_link = IOT_NONE;
    paf_canvas_forget(c, !s || !keep_window);
    paf_canvas_drop_search(c);
    bool was_real = s && keep_window && c->view.clock == IOT_REAL_TIME;
    if (was_real && !paf_model_has_real(s->m)) // of another partition: made anew
        c->view.clock = IOT_VIRTUAL_TIME;
    if (!s) {
        stop_awaiting(c);
        gtk_widget_queue_draw(paf_widget_area(c->widget));
        return;
    }
    complete_model(c);
    g_array_set_size(c->folded, s->m->nmodules);
    if (!keep_window) {
        paf_view fit = paf_view_fit(s->m, 1, 1);
        c->view.clock = fit.clock;
        c->view.region = fit.region;
        c->view.first_region = 0;
        c->view.from = fit.from;
        c->view.to = fit.to;
        c->view.selected = c->view.waiting = IOT_NONE;
        c->view.source_scroll = 0;
        c->view.first_process = c->view.first_row = 0;
        c->view.lanes_kind = PAF_LANES_ROWS;
        c->view.sender = c->view.receiver = IOT_NONE;
        g_array_set_size(c->shut, 0);
    }
    paf_canvas_invalidate(c);
    const char *clock = was_real ? "real" : keep_window ? NULL : c->first_clock;
    if (clock && !strcmp(clock, "real") != (c->view.clock == IOT_REAL_TIME))
        change_clock(c);
}

void paf_canvas_set_clock(paf_canvas *c, const char *clock)
{
    c->first_clock = clock;
}

void paf_canvas_set_dark(paf_canvas *c, bool dark)
{
    c->view.dark = dark;
    paf_canvas_invalidate(c);
}

void paf_canvas_pause(paf_canvas *c, bool pause)
{
    c->paused = pause;
    if (!pause)
        paf_canvas_invalidate(c);
}

bool paf_canvas_settled(const paf_canvas *c)
{
    return c->layout && !paf_widget_is_invalid(c->widget) && !c->laying && !c->building &&
           !c->timing && c->bookmark == G_MAXUINT &&
           c->session->m->complete;
}

const paf_view *paf_canvas_view(const paf_canvas *c)
{
    return &c->view;
}

paf_view paf_canvas_copy_view(const paf_canvas *c, uint8_t **ret_folded, uint8_t **ret_shut,
                              paf_focus **ret_focus)
{
    paf_view view = c->view;
    *ret_shut = paf_canvas_shut(c) ? g_memdup2(c->shut->data, c->shut->len) : NULL;
    *ret_folded = c->folded->len ? g_memdup2(c->folded->data, c->folded->len) : NULL;
    *ret_focus = c->focus ? paf_focus_ref(c->focus) : NULL;
    view.folded = view.shut = NULL;
    view.focus = view.pointed = NULL;
    view.bookmarks = NULL;
    paf_ghost_ref(view.ghost);
    return view;
}

double paf_canvas_end(const paf_canvas *c)
{
    return fmax(paf_axis_end(c->session->m, &c->view), 1) + 1;
}

void paf_canvas_set_ghost(paf_canvas *c, paf_ghost *ghost)
{
    bool whole = c->session && c->view.from <= 0 && c->view.to >= paf_canvas_end(c);
    paf_ghost_ref(ghost);
    paf_ghost_unref(c->view.ghost);
    c->view.ghost = ghost;
    if (!c->session)
        return;
    double end = paf_canvas_end(c);
    paf_canvas_set_window(c, whole ? 0 : c->view.from, whole ? end : fmin(c->view.to, end));
}

void paf_canvas_set_window(paf_canvas *c, double from, double to)
{
    double end = paf_canvas_end(c);
    double width = CLAMP(to - from, fmin(NARROWEST, end), end);
    if (width != to - from) {
        double middle = (from + to) / 2;
        from = middle - width / 2;
    }
    c->view.from = CLAMP(from, 0, end - width);
    c->view.to = c->view.from + width;
    paf_canvas_invalidate(c);
}

void paf_canvas_zoom(paf_canvas *c, double factor, double around)
{
    double from = around - (around - c->view.from) / factor;
    double to = around + (c->view.to - around) / factor;
    double end = paf_canvas_end(c);
    if (to - from < NARROWEST && factor > 1) { // as close as it gets, around the same point
        double width = fmin(NARROWEST, end),
               part = (around - c->view.from) / (c->view.to - c->view.from);
        from = around - part * width;
        to = from + width;
    }
    paf_canvas_set_window(c, from, to);
}

double paf_canvas_time_at(const paf_canvas *c, double x)
{
    const paf_frame *f = &c->layout->frame;
    return c->view.from + (x - f->plot_x) / f->plot_w * (c->view.to - c->view.from);
}

bool paf_canvas_over_time(const paf_canvas *c, double x, double y)
{
    if (!c->layout)
        return false;
    const paf_frame *f = &c->layout->frame;
    return x >= f->plot_x && x <= f->plot_x + f->plot_w && y >= f->ruler.y && y < f->time_bottom;
}

// Moves the window, without changing its width, so that the time is well inside.
static void bring_into_view(paf_canvas *c, double time)
{
    double width = c->view.to - c->view.from, margin = width * 0.04;
    if (time < c->view.from + margin || time > c->view.to - margin)
        paf_canvas_set_window(c, time - width / 2, time + width / 2);
}

void paf_canvas_select(paf_canvas *c, uint32_t reduction)
{
    if (reduction != c->view.selected || c->view.waiting != IOT_NONE)
        paf_canvas_remember(c);
    c->view.selected = reduction;
    c->view.row_scroll = 0;
    c->view.waiting = IOT_NONE;
    if (c->focus && (c->focus->kind == PAF_FOCUS_ARROW || c->focus->kind == PAF_FOCUS_STRETCH) &&
        reduction != IOT_NONE)
        paf_canvas_set_focus(c, NULL); // its pane makes room
    c->view.source_scroll = 0;
    c->view.region = IOT_NONE;
    if (reduction != IOT_NONE)
        c->view.lanes_kind = PAF_LANES_ROWS;
    if (reduction != IOT_NONE && reduction != 0 && trace_nplaces(c->session->t) > 0)
        paf_canvas_show_place(c, trace_place(c->session->t, reduction));
    if (reduction != IOT_NONE)
        bring_into_view(c, c->view.clock == IOT_REAL_TIME
                               ? (double)trace_start(c->session->t, reduction)
                               : (double)trace_time(c->session->t, reduction));
    paf_canvas_invalidate(c);
}

void paf_canvas_show_waiting(paf_canvas *c, uint32_t group)
{
    const paf_model *m = c->session->m;
    if (group >= m->waiting->n)
        return;
    paf_canvas_select(c, IOT_NONE);
    c->view.waiting = group;
    int64_t since = paf_goal_created(m, c->view.clock, m->waiting->groups[group].goal);
    if ((double)since > c->view.to)
        bring_into_view(c, (double)since);
    paf_canvas_invalidate(c);
}

// ---------------------------------------------------------------------------------------------
// Actions

static int by_reduction(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return x < y ? -1 : x > y;
}

// The node shown that comes after (before) the selected one in order of time.
static uint32_t neighbour(const paf_canvas *c, bool next)
{
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (uint32_t i = 0; i < paf_picture_nhits(c->layout->picture); i++) {
        const paf_hit *hit = paf_picture_hit(c->layout->picture, i);
        if (hit->kind == PAF_HIT_NODE)
            g_array_append_val(nodes, hit->b);
    }
    g_array_sort(nodes, by_reduction);
    uint32_t found = IOT_NONE, selected = c->view.selected;
    for (guint i = 0; i < nodes->len; i++) {
        guint32 r = g_array_index(nodes, guint32, i);
        if (next && (selected == IOT_NONE || r > selected)) {
            found = r;
            break;
        }
        if (!next && (selected == IOT_NONE || r < selected))
            found = r;
    }
    g_array_free(nodes, TRUE);
    return found;
}

static void select_neighbour(paf_canvas *c, bool next)
{
    uint32_t node = neighbour(c, next);
    if (node != IOT_NONE)
        paf_canvas_select(c, node);
    else
        paf_widget_note(c->widget, c->view.selected == IOT_NONE
                                       ? "Nothing here is wide enough to be chosen: + zooms in"
                                       : "That was the last one here: F shows the whole run");
}

// What a goal that was never reduced waits for: a chain leads back from reductions only.
static void note_waiting(paf_canvas *c)
{
    const paf_waiting_goals *w = c->session->m->waiting;
    char *title = paf_waiting_title(w, c->view.waiting), *lines = paf_waiting_lines(w, c->view.waiting);
    char **each = g_strsplit(lines, "\n", -1);
    char *text = g_strdup_printf("%s: %s", title, each[0] ? each[0] : "");
    paf_widget_note(c->widget, text);
    g_free(text);
    g_strfreev(each);
    g_free(lines);
    g_free(title);
}

// The chain of causes; once more: its next row.
void paf_canvas_select_why(paf_canvas *c)
{
    const paf_model *m = c->session->m;
    if (c->view.selected == IOT_NONE && c->view.waiting != IOT_NONE) {
        note_waiting(c);
        return;
    }
    if (c->view.selected == IOT_NONE) {
        paf_widget_note(c->widget, "Nothing is chosen: Tab or a click chooses");
        return;
    }
    uint32_t row = c->focus ? paf_focus_row_of(c->focus, c->view.selected) : IOT_NONE;
    if (row != IOT_NONE && row + 1 >= c->focus->rows->len)
        paf_focus_extend(m, c->focus);
    if (row == IOT_NONE)
        paf_canvas_focus_on(c, paf_focus_on_chain(m, c->view.clock, c->view.selected));
    else if (row + 1 < c->focus->rows->len)
        paf_canvas_select(c, g_array_index(c->focus->rows, paf_chain_row, row + 1).reduction);
    else
        paf_widget_note(c->widget, "That is the beginning of the run");
}

// ---------------------------------------------------------------------------------------------
// The focus

void paf_canvas_set_focus(paf_canvas *c, paf_focus *focus)
{
    if (c->focus != focus)
        c->view.row_scroll = 0;
    paf_focus_unref(c->focus);
    c->focus = focus;
    c->view.focus = focus;
    paf_canvas_set_pointed(c, NULL);
    c->view.hover_link = IOT_NONE;
}

void paf_canvas_set_pointed(paf_canvas *c, paf_focus *pointed)
{
    paf_focus_unref(c->pointed);
    c->pointed = pointed;
    c->view.pointed = pointed;
}

void paf_canvas_focus_on(paf_canvas *c, paf_focus *focus)
{
    paf_canvas_remember(c);
    paf_canvas_set_focus(c, focus);
    c->view.region = c->view.waiting = IOT_NONE;
    paf_canvas_invalidate(c);
}

// The stretch that holds most of it, with some room beside it.
static void zoom_to_focus(paf_canvas *c)
{
    double width = (double)(c->focus->to - c->focus->from), margin = fmax(width * 0.06, 1.5);
    paf_canvas_set_window(c, (double)c->focus->from - margin, (double)c->focus->to + margin);
}

void paf_canvas_show_finding(paf_canvas *c, uint32_t finding)
{
    paf_focus *f = paf_focus_on_finding(c->session->m, c->view.clock, finding);
    if (!f) {
        paf_widget_note(c->widget, "It has no place in the run");
        return;
    }
    paf_canvas_focus_on(c, f);
    c->view.selected = f->longest;
    c->view.source_scroll = 0;
    zoom_to_focus(c);
}

static uint32_t module_of_step(const iot *a, uint32_t step)
{
    uint32_t process = iot_process_of(a, iot_critical_step(a, step).reduction);
    return process == IOT_NONE ? IOT_NONE : iot_get_process(a, process)->module;
}

// Along the critical path: to the step before or after the chosen one, or (`far`) to where another module
// has it. From elsewhere: to the path's step at that time. Step 0 is the last one.
static void walk_path(paf_canvas *c, bool later, bool far)
{
    const iot *a = c->session->a;
    uint32_t n = iot_critical_length(a), at = 0;
    while (at < n && iot_critical_step(a, at).reduction > c->view.selected)
        at++; // all steps that come after the choice
    bool on_path = at < n && iot_critical_step(a, at).reduction == c->view.selected;
    uint32_t from = on_path ? module_of_step(a, at) : IOT_NONE;
    if (c->view.selected == IOT_NONE)
        at = later ? n : 0;
    bool moved = !on_path && !later && at < n;
    do {
        if (later ? at == 0 : !moved && at + 1 >= n)
            break;
        at = moved ? at : later ? at - 1 : at + 1;
        moved = false;
    } while (far && on_path && module_of_step(a, at) == from);
    if (at < n && iot_critical_step(a, at).reduction != c->view.selected)
        paf_canvas_select(c, iot_critical_step(a, at).reduction);
    else
        paf_widget_note(c->widget, "The critical path goes no further");
}

static void go(paf_canvas *c, int direction)
{
    if (!paf_canvas_go(c, direction))
        paf_widget_note(c->widget, direction < 0 ? "This was shown first" : "Nothing was shown after this");
}

static double time_of_choice(const paf_canvas *c)
{
    return c->view.clock == IOT_REAL_TIME ? (double)trace_start(c->session->t, c->view.selected)
                                          : (double)trace_time(c->session->t, c->view.selected);
}

// Keys zoom at what is chosen, if it is in view, else at the pointer, else in the middle.
static double centre_of_zoom(const paf_canvas *c)
{
    double chosen = c->view.selected == IOT_NONE ? NAN : time_of_choice(c);
    if (chosen >= c->view.from && chosen <= c->view.to)
        return chosen;
    return isnan(c->view.pointer) ? (c->view.from + c->view.to) / 2 : c->view.pointer;
}

static void move(paf_canvas *c, paf_action action)
{
    double width = c->view.to - c->view.from, end = paf_canvas_end(c);
    double around = centre_of_zoom(c);
    switch (action) {
    case PAF_DO_FIT:
        paf_canvas_remember(c);
        paf_canvas_set_window(c, 0, end);
        break;
    case PAF_DO_ZOOM_IN:
        paf_canvas_zoom(c, 1.5, around);
        break;
    case PAF_DO_ZOOM_OUT:
        paf_canvas_zoom(c, 1 / 1.5, around);
        break;
    case PAF_DO_LEFT:
        paf_canvas_set_window(c, c->view.from - width / 8, c->view.to - width / 8);
        break;
    case PAF_DO_RIGHT:
        paf_canvas_set_window(c, c->view.from + width / 8, c->view.to + width / 8);
        break;
    case PAF_DO_HOME:
        paf_canvas_set_window(c, 0, width);
        break;
    default:
        paf_canvas_set_window(c, end - width, end);
    }
}

// The whole run, since no interval of the one clock is an interval of the other.
static void show_clock(paf_canvas *c, iot_clock clock)
{
    paf_canvas_remember(c);
    paf_canvas_set_focus(c, NULL); // its times are of the other one
    c->view.clock = clock;
    c->view.pointer = NAN;
    paf_canvas_set_window(c, 0, paf_canvas_end(c));
}

// With the session locked.
static void real_time_made(void *data)
{
    paf_canvas *c = data;
    c->timing = false;
    if (c->widget) {
        paf_widget_wait(c->widget, -1);
        if (c->session && paf_model_has_real(c->session->m))
            show_clock(c, IOT_REAL_TIME);
    }
    paf_canvas_unref(c);
}

// A real run of Fleng has its real time made when it is first asked for.
static void make_real_time(paf_canvas *c)
{
    if (c->timing)
        return;
    c->timing = true;
    paf_widget_wait(c->widget, 1);
    paf_job_make_real(c->session, real_time_made, paf_canvas_ref(c));
}

static void change_clock(paf_canvas *c)
{
    if (!paf_has_clocks(c->session->m))
        paf_widget_note(c->widget, "The ideal machine has virtual time only: fleng -time=real -trace "
                                   "records both clocks");
    else if (c->view.clock == IOT_REAL_TIME)
        show_clock(c, IOT_VIRTUAL_TIME);
    else if (paf_model_has_real(c->session->m))
        show_clock(c, IOT_REAL_TIME);
    else
        make_real_time(c);
}

void paf_canvas_show_region(paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    if (!all)
        return;
    c->view.region = region > all->nregions ? IOT_NONE : region;
    if (region < all->nregions) { // its row is among those that are shown
        uint32_t rank = paf_region_rank(all, region), first = c->view.first_region;
        if (rank < first || rank >= first + PAF_REGIONS_SHOWN)
            c->view.first_region = rank > PAF_REGIONS_SHOWN / 2 ? rank - PAF_REGIONS_SHOWN / 2 : 0;
    }
    c->view.selected = c->view.waiting = IOT_NONE;
    c->view.source_scroll = 0;
    paf_canvas_invalidate(c);
}

// The whole program, one region after the other, none.
static void next_region(paf_canvas *c)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    uint32_t n = all ? all->nregions : 0, now = c->view.region;
    if (n == 0)
        paf_widget_note(c->widget, "This run has no parallel regions");
    else
        paf_canvas_show_region(c, now == IOT_NONE ? n
                                  : now == n      ? 0
                                  : now + 1 == n  ? IOT_NONE
                                                  : now + 1);
}

static void deselect(paf_canvas *c)
{
    paf_widget_drop_ring(c->widget);
    if (c->focus)
        paf_canvas_leave_focus(c);
    else
        paf_canvas_select(c, IOT_NONE);
}

static void press_ring(paf_canvas *c)
{
    if (paf_widget_has_ring(c->widget))
        paf_widget_press_ring(c->widget);
    else
        paf_widget_note(c->widget, "Nothing is in the ring: ↓ moves it");
}

// What is shown besides the stretch of time. False: the action is none of these.
static bool change_view(paf_canvas *c, paf_action action)
{
    switch (action) {
    case PAF_DO_PATH:
        c->view.path = !c->view.path;
        paf_canvas_invalidate(c);
        return true;
    case PAF_DO_CLOCK:
        change_clock(c);
        return true;
    case PAF_DO_REGION:
        next_region(c);
        return true;
    case PAF_DO_BY_WAIT:
        paf_canvas_order(c);
        return true;
    case PAF_DO_ROWS_UP:
    case PAF_DO_ROWS_DOWN:
    case PAF_DO_ROWS_HIGHER:
    case PAF_DO_ROWS_LOWER:
    case PAF_DO_ROWS_FOLD:
    case PAF_DO_LANES:
    case PAF_DO_FIGURE:
        paf_canvas_do_rows(c, action);
        return true;
    case PAF_DO_SIDE:
        c->view.side = c->layout->frame.side.w > 0 ? PAF_SIDE_HIDDEN : PAF_SIDE_SHOWN;
        paf_canvas_invalidate(c);
        return true;
    default:
        return false;
    }
}

static void do_action(paf_canvas *c, const paf_deed *deed)
{
    paf_action action = (paf_action)deed->which;
    switch (action) {
    case PAF_DO_NEXT:
    case PAF_DO_PREVIOUS:
        select_neighbour(c, action == PAF_DO_NEXT);
        break;
    case PAF_DO_WHY:
        paf_canvas_select_why(c);
        break;
    case PAF_DO_BACK:
    case PAF_DO_FORWARD:
        go(c, action == PAF_DO_BACK ? -1 : 1);
        break;
    case PAF_DO_PATH_BEFORE:
    case PAF_DO_PATH_AFTER:
        walk_path(c, action == PAF_DO_PATH_AFTER, false);
        break;
    case PAF_DO_MODULE_BEFORE:
    case PAF_DO_MODULE_AFTER:
        walk_path(c, action == PAF_DO_MODULE_AFTER, true);
        break;
    case PAF_DO_DESELECT:
        deselect(c);
        break;
    case PAF_DO_FIND:
        paf_canvas_find(c);
        break;
    case PAF_DO_FIND_NEXT:
    case PAF_DO_FIND_PREVIOUS:
        paf_canvas_find_next(c, action == PAF_DO_FIND_NEXT);
        break;
    case PAF_DO_RING_NEXT:
    case PAF_DO_RING_PREVIOUS:
        paf_widget_move_ring(c->widget, action == PAF_DO_RING_NEXT ? 1 : -1);
        break;
    case PAF_DO_PRESS:
        press_ring(c);
        break;
    default:
        if (!change_view(c, action))
            move(c, action);
    }
}

void paf_canvas_do(paf_canvas *c, paf_action action)
{
    if (c->session && c->layout && !c->paused)
        paf_canvas_act(c, do_action, &(paf_deed){.which = action});
}
