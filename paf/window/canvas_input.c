// SPDX-License-Identifier: MIT
//
// Pointer and wheel on the canvas.
#include "paf/window/canvas_private.h"
#include "paf/model/details.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <math.h>

#define CLICK_SLOP 4.0 // pixels the pointer may move between press and release of a click

// ---------------------------------------------------------------------------------------------
// Wheel

// Deltas of a wheel click or of a smooth device, in wheel clicks.
static void wheel_deltas(const GdkEventScroll *e, double *ret_x, double *ret_y)
{
    *ret_x = *ret_y = 0;
    switch (e->direction) {
    case GDK_SCROLL_UP:
        *ret_y = -1;
        break;
    case GDK_SCROLL_DOWN:
        *ret_y = 1;
        break;
    case GDK_SCROLL_LEFT:
        *ret_x = -1;
        break;
    case GDK_SCROLL_RIGHT:
        *ret_x = 1;
        break;
    case GDK_SCROLL_SMOOTH:
        gdk_event_get_scroll_deltas((const GdkEvent *)e, ret_x, ret_y);
        break;
    }
}

static void scroll_cards(paf_canvas *c, double clicks)
{
    if (clicks > 0 && c->layout->more_cards)
        c->view.first_card++;
    else if (clicks < 0 && c->view.first_card > 0)
        c->view.first_card--;
    paf_canvas_invalidate(c);
}

static void scroll_source(paf_canvas *c, double clicks)
{
    c->view.source_scroll = CLAMP(c->view.source_scroll + clicks * 3, -100000, 100000);
    paf_canvas_invalidate(c);
}

static void scroll_regions(paf_canvas *c, double clicks)
{
    if (clicks > 0 && c->layout->more_regions)
        c->view.first_region++;
    else if (clicks < 0 && c->view.first_region > 0)
        c->view.first_region--;
    paf_canvas_invalidate(c);
}

static gboolean on_scroll(GtkWidget *widget, GdkEventScroll *e, gpointer data)
{
    (void)widget;
    paf_canvas *c = data;
    if (!c->session || !c->layout)
        return FALSE;
    double dx, dy;
    wheel_deltas(e, &dx, &dy);
    if (paf_rect_holds(&c->layout->regions, e->x, e->y)) {
        scroll_regions(c, dy);
        return TRUE;
    }
    if (paf_rect_holds(&c->layout->frame.side, e->x, e->y)) {
        scroll_cards(c, dy);
        return TRUE;
    }
    if (paf_rect_holds(&c->layout->frame.source, e->x, e->y)) {
        scroll_source(c, dy);
        return TRUE;
    }
    if (e->state & GDK_SHIFT_MASK) {
        dx += dy;
        dy = 0;
    }
    double width = c->view.to - c->view.from;
    if (dx != 0)
        paf_canvas_set_window(c, c->view.from + dx * width / 12, c->view.to + dx * width / 12);
    if (dy != 0) {
        const paf_frame *f = &c->layout->frame;
        double x = CLAMP(e->x, f->plot_x, f->plot_x + f->plot_w);
        paf_canvas_zoom(c, pow(1.25, -dy), paf_canvas_time_at(c, x));
    }
    return TRUE;
}

// ---------------------------------------------------------------------------------------------
// Clicks

static void toggle_fold(paf_canvas *c, uint32_t module)
{
    if (module >= c->folded->len)
        return;
    g_array_index(c->folded, guint8, module) ^= 1;
    paf_canvas_invalidate(c);
}

// The module's last reduction on the critical path: where its share ends.
static void select_critical(paf_canvas *c, uint32_t module)
{
    const iot *a = c->session->a;
    for (uint32_t i = 0; i < iot_critical_length(a); i++) {
        uint32_t r = iot_critical_step(a, i).reduction, process = iot_process_of(a, r);
        if (process == IOT_NONE || iot_get_process(a, process)->module != module)
            continue;
        paf_canvas_select(c, r);
        return;
    }
}

// Where a finding is: its reduction, or else the first by its clause.
static void select_finding(paf_canvas *c, const iot_finding *finding)
{
    uint32_t r = finding->reduction;
    for (uint32_t i = 1;
         r == IOT_NONE && finding->clause != IOT_NONE && i < trace_nreductions(c->session->t); i++)
        if (trace_reduction_clause(c->session->t, i) == finding->clause)
            r = i;
    if (r != IOT_NONE)
        paf_canvas_select(c, r);
}

// A region's statistics; once more: its first execution, from edge to edge.
static void choose_region(paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    bool again = c->view.region == region;
    paf_canvas_show_region(c, region);
    if (!again || !all)
        return;
    if (region >= all->nregions || all->regions[region].nteams == 0) {
        paf_canvas_set_window(c, 0, paf_canvas_end(c));
        return;
    }
    const trace_team *team = &all->regions[region].teams[0];
    double margin = (double)team->took * 0.04;
    paf_canvas_set_window(c, (double)team->start - margin,
                          (double)team->start + (double)team->took + margin);
}

static void click(paf_canvas *c, double x, double y)
{
    const paf_hit *hit = paf_hit_at(c->layout->picture, x, y);
    if (!hit)
        return;
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        paf_canvas_select(c, hit->b);
        break;
    case PAF_HIT_GO:
    case PAF_HIT_WHY:
        paf_canvas_select(c, hit->a);
        break;
    case PAF_HIT_FINDING:
        select_finding(c, iot_get_finding(c->session->a, hit->a));
        break;
    case PAF_HIT_CARD:
        select_critical(c, hit->a);
        break;
    case PAF_HIT_SECTION:
        toggle_fold(c, hit->a);
        break;
    case PAF_HIT_REGION:
        choose_region(c, hit->a);
        break;
    case PAF_HIT_CLOCK:
        paf_canvas_do(c, PAF_DO_CLOCK);
        break;
    case PAF_HIT_ROW:
        paf_canvas_select(c, paf_timeline_activity(paf_timeline_by(c->session->m, c->view.clock), hit->a,
                                                   paf_canvas_time_at(c, x)));
        break;
    case PAF_HIT_PARTITION:
        c->asked(c->data, PAF_ASK_EDIT, NULL);
        break;
    case PAF_HIT_BAND:
        if (hit->a != IOT_NONE && hit->a < c->folded->len &&
            g_array_index(c->folded, guint8, hit->a))
            toggle_fold(c, hit->a);
        else
            paf_canvas_zoom(c, 2, paf_canvas_time_at(c, x));
        break;
    case PAF_HIT_LANES:
    case PAF_HIT_LANE:
    case PAF_HIT_CHART:
        paf_canvas_select(c, IOT_NONE);
        break;
    default:
        break;
    }
}

// A double click on a node shows it from edge to edge.
static void zoom_to_node(paf_canvas *c, uint32_t reduction)
{
    if (c->view.clock == IOT_REAL_TIME) {
        double start = (double)trace_start(c->session->t, reduction);
        double end = (double)trace_end(c->session->t, reduction), edge = fmax((end - start) * 0.2, 2);
        paf_canvas_set_window(c, start - edge, end + edge);
        return;
    }
    const iot_node *node = paf_node_of_reduction(c->session->m, reduction, NULL, NULL);
    if (!node)
        return;
    double from = (double)(node->ninputs ? node->input_from : node->output_from);
    double to = (double)node->output_to, margin = fmax((to - from) * 0.2, 2);
    paf_canvas_set_window(c, from - margin, to + margin);
}

// ---------------------------------------------------------------------------------------------
// Dragging

static double overview_time(const paf_canvas *c, double x)
{
    const paf_rect *r = &c->layout->frame.overview;
    return CLAMP((x - r->x) / r->w, 0, 1) * paf_canvas_end(c);
}

static void begin_drag(paf_canvas *c, double x, double y)
{
    c->drag = DRAG_NONE;
    c->dragged = false;
    c->drag_x = x;
    c->drag_y = y;
    c->drag_from = c->view.from;
    c->drag_to = c->view.to;
    if (paf_rect_holds(&c->layout->frame.overview, x, y)) {
        double time = overview_time(c, x), end = paf_canvas_end(c);
        bool part = c->view.to - c->view.from < end * 0.98;
        bool inside = time >= c->view.from && time <= c->view.to;
        c->drag = part && inside ? DRAG_WINDOW : DRAG_RANGE;
    } else if (paf_canvas_over_time(c, x, y)) {
        c->drag = DRAG_PAN;
    }
}

static void continue_drag(paf_canvas *c, double x)
{
    double shift = 0;
    switch (c->drag) {
    case DRAG_PAN:
        shift = -(x - c->drag_x) / c->layout->frame.plot_w * (c->drag_to - c->drag_from);
        break;
    case DRAG_WINDOW:
        shift = overview_time(c, x) - overview_time(c, c->drag_x);
        break;
    case DRAG_RANGE: {
        double a = overview_time(c, c->drag_x), b = overview_time(c, x);
        paf_canvas_set_window(c, fmin(a, b), fmax(a, b));
        return;
    }
    case DRAG_NONE:
        return;
    }
    paf_canvas_set_window(c, c->drag_from + shift, c->drag_to + shift);
}

static gboolean on_press(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    paf_canvas *c = data;
    gtk_widget_grab_focus(widget);
    if (!c->session || !c->layout || c->paused)
        return FALSE;
    const paf_hit *hit = paf_hit_at(c->layout->picture, e->x, e->y);
    if (gdk_event_triggers_context_menu((GdkEvent *)e)) {
        if (hit)
            paf_canvas_popup(c, hit, (GdkEvent *)e);
        return TRUE;
    }
    if (e->button == GDK_BUTTON_PRIMARY && e->type == GDK_BUTTON_PRESS)
        begin_drag(c, e->x, e->y);
    else if (e->type == GDK_2BUTTON_PRESS && hit && hit->kind == PAF_HIT_NODE) {
        g_mutex_lock(&c->session->lock);
        zoom_to_node(c, hit->b);
        g_mutex_unlock(&c->session->lock);
    }
    return TRUE;
}

static gboolean on_release(GtkWidget *widget, GdkEventButton *e, gpointer data)
{
    (void)widget;
    paf_canvas *c = data;
    if (e->button != GDK_BUTTON_PRIMARY || !c->session || !c->layout || c->paused)
        return FALSE;
    if (!c->dragged) {
        g_mutex_lock(&c->session->lock);
        click(c, e->x, e->y);
        g_mutex_unlock(&c->session->lock);
    }
    c->drag = DRAG_NONE;
    c->dragged = false;
    return TRUE;
}

// ---------------------------------------------------------------------------------------------
// Hovering

static void set_cursor(paf_canvas *c, const paf_hit *hit)
{
    const char *name = "default";
    if (c->drag == DRAG_PAN && c->dragged)
        name = "grabbing";
    else if (hit)
        switch ((paf_hit_kind)hit->kind) {
        case PAF_HIT_NODE:
        case PAF_HIT_GO:
        case PAF_HIT_WHY:
        case PAF_HIT_FINDING:
        case PAF_HIT_CARD:
        case PAF_HIT_SECTION:
        case PAF_HIT_PARTITION:
        case PAF_HIT_REGION:
        case PAF_HIT_CLOCK:
            name = "pointer";
            break;
        default:
            break;
        }
    GdkWindow *window = gtk_widget_get_window(c->widget);
    GdkCursor *cursor = gdk_cursor_new_from_name(gdk_window_get_display(window), name);
    gdk_window_set_cursor(window, cursor);
    if (cursor)
        g_object_unref(cursor);
}

static gboolean on_motion(GtkWidget *widget, GdkEventMotion *e, gpointer data)
{
    (void)widget;
    paf_canvas *c = data;
    if (!c->session || !c->layout || c->paused)
        return FALSE;
    c->pointer_x = e->x;
    c->pointer_y = e->y;
    if ((e->state & GDK_BUTTON1_MASK) && c->drag != DRAG_NONE) {
        if (hypot(e->x - c->drag_x, e->y - c->drag_y) > CLICK_SLOP)
            c->dragged = true;
        if (c->dragged)
            continue_drag(c, e->x);
    }
    const paf_hit *hit = paf_hit_at(c->layout->picture, e->x, e->y);
    c->view.pointer = paf_canvas_over_time(c, e->x, e->y) ? paf_canvas_time_at(c, e->x) : NAN;
    c->view.hover = hit && hit->kind == PAF_HIT_NODE ? hit->b : IOT_NONE;
    set_cursor(c, hit);
    paf_canvas_invalidate(c);
    return TRUE;
}

static gboolean on_leave(GtkWidget *widget, GdkEventCrossing *e, gpointer data)
{
    (void)widget, (void)e;
    paf_canvas *c = data;
    c->view.pointer = NAN;
    c->view.hover = IOT_NONE;
    if (c->session)
        paf_canvas_invalidate(c);
    return FALSE;
}

// ---------------------------------------------------------------------------------------------
// Tips

// What each module did at a step (or in the stretch that a pixel covers).
static char *chart_tip(const paf_canvas *c, double x)
{
    const paf_model *m = c->session->m;
    double per_pixel = (c->view.to - c->view.from) / c->layout->frame.plot_w;
    int64_t width = (int64_t)fmax(ceil(per_pixel), 1);
    int64_t from = (int64_t)round(paf_canvas_time_at(c, x));
    if (from < 1 || (double)from > paf_end(m, c->view.clock))
        return NULL;
    char *at = paf_moment(c->session->t, from);
    GString *s = g_string_new(NULL);
    iot_bucket b;
    iot_profile_by(m->a, c->view.clock, IOT_REDUCTIONS, IOT_NONE, from, width, 1, &b);
    if (width == 1)
        g_string_printf(s, "at %s: %" PRIu64, at, b.sum);
    else {
        char *stretch = paf_duration(m->t, width);
        g_string_printf(s, "from %s, mean of %s: %.1f, peak %" PRIu64, at, stretch,
                        (double)b.sum / (double)width, b.peak);
        g_free(stretch);
    }
    for (uint32_t rank = 0, lines = 0; rank < m->nmodules && lines < 12; rank++) {
        uint32_t module = m->order[rank];
        iot_profile_by(m->a, c->view.clock, IOT_REDUCTIONS, module, from, width, 1, &b);
        iot_bucket w;
        iot_profile_by(m->a, c->view.clock, IOT_WAITING, module, from, width, 1, &w);
        if (b.sum == 0 && w.sum == 0)
            continue;
        g_string_append_printf(s, "\n%s: %.3g", iot_get_module(m->a, module)->name,
                               (double)b.sum / (double)width);
        if (w.sum)
            g_string_append_printf(s, " · %.3g waiting", (double)w.sum / (double)width);
        lines++;
    }
    g_free(at);
    return g_string_free(s, FALSE);
}

static char *card_tip(const paf_canvas *c, uint32_t module)
{
    const paf_model *m = c->session->m;
    const iot_module *info = iot_get_module(m->a, module);
    char *work = paf_work(c->session->t, info->work);
    char *processes = paf_count(info->processes, "process", "processes");
    char *waits = m->complete ? paf_number(m->waits[module]) : g_strdup("(being computed)");
    char *awaited = m->complete ? paf_number(m->awaited[module]) : g_strdup("(being computed)");
    char *first = paf_moment(c->session->t, info->first), *last = paf_moment(c->session->t, info->last);
    char *text = g_strdup_printf("%s\n%s in %s\nfrom %s to %s · parallelism %.1f · peak %" PRIu64
                                 "\nwaits %s · is awaited %s",
                                 info->name, work, processes, first, last, info->parallelism,
                                 info->peak, waits, awaited);
    g_free(work);
    g_free(processes);
    g_free(waits);
    g_free(awaited);
    g_free(first);
    g_free(last);
    return text;
}

static char *lane_tip(const paf_canvas *c, uint32_t process)
{
    const iot_process *p = iot_get_process(c->session->a, process);
    char *goal = paf_goal_text(c->session->t, p->goal, p->created, 14);
    char *members = paf_count(p->members, "reduction", "reductions");
    char *created = paf_moment(c->session->t, p->created);
    char *last = paf_moment(c->session->t, p->last);
    char *text =
        g_strdup_printf("%s\nprocess of %s, created %s, last reduced %s\n%s", goal,
                        iot_get_module(c->session->a, p->module)->name, created, last, members);
    g_free(goal);
    g_free(members);
    g_free(created);
    g_free(last);
    return text;
}

// What the place did at the time.
static char *row_tip(const paf_canvas *c, uint32_t place, double x)
{
    uint32_t r = paf_timeline_activity(paf_timeline_by(c->session->m, c->view.clock), place, paf_canvas_time_at(c, x));
    return r == IOT_NONE ? NULL : paf_reduction_tip(c->session->m, r);
}

static char *region_tip(const paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    if (!all || region >= all->nregions)
        return g_strdup("The whole program: its statistics");
    const trace_region *r = &all->regions[region];
    char *took = paf_duration(c->session->t, (int64_t)r->elapsed);
    char *times = paf_count(r->nteams, "time", "times");
    char *text = g_strdup_printf("parallel region %s:%" PRIu32 "\nexecuted %s by up to %" PRIu32
                                 " threads, %s\nclick: its statistics and source; again: zoom to it",
                                 r->file, r->line, times, r->threads, took);
    g_free(took);
    g_free(times);
    return text;
}

static char *bundle_tip(const paf_canvas *c, uint32_t from, uint32_t to)
{
    const iot *a = c->session->a;
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        if (d->from != from || d->to != to)
            continue;
        char *count = paf_count(d->count, "time", "times"), *wait = paf_number(d->wait);
        char *lag = paf_number((uint64_t)MAX(d->lag, 0)), *words = paf_number(d->words);
        char *text = g_strdup_printf("%s gives to %s %s\nwaited for: %s · lay unread: %s · "
                                     "words: %s",
                                     iot_get_module(a, from)->name, iot_get_module(a, to)->name,
                                     count, wait, lag, words);
        g_free(count);
        g_free(wait);
        g_free(lag);
        g_free(words);
        return text;
    }
    return NULL;
}

char *paf_canvas_tip(paf_canvas *c, double x, double y)
{
    const char *cut = paf_tip_at(c->layout->picture, x, y);
    if (cut)
        return g_strdup(cut);
    const paf_hit *hit = paf_hit_at(c->layout->picture, x, y);
    if (!hit)
        return NULL;
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        return paf_reduction_tip(c->session->m, hit->b);
    case PAF_HIT_GO:
        return paf_reduction_tip(c->session->m, hit->a);
    case PAF_HIT_ROW:
        return row_tip(c, hit->a, x);
    case PAF_HIT_REGION:
        return region_tip(c, hit->a);
    case PAF_HIT_CLOCK:
        return g_strdup("Real time, or the run replayed with as many processors as it can use (C)");
    case PAF_HIT_CHART:
        return chart_tip(c, x);
    case PAF_HIT_CARD:
        return card_tip(c, hit->a);
    case PAF_HIT_SECTION:
        return g_strdup_printf("%s: click to fold its processes into one band, or unfold them",
                               iot_get_module(c->session->a, hit->a)->name);
    case PAF_HIT_LANE:
        return lane_tip(c, hit->a);
    case PAF_HIT_BAND: {
        char *n = paf_count(hit->b, "process", "processes");
        char *text = g_strdup_printf("%s, folded: zoom in to see them", n);
        g_free(n);
        return text;
    }
    case PAF_HIT_BUNDLE:
        return bundle_tip(c, hit->a, hit->b);
    default:
        return NULL;
    }
}

static gboolean on_tip(GtkWidget *widget, gint x, gint y, gboolean keyboard, GtkTooltip *tip,
                       gpointer data)
{
    (void)widget;
    paf_canvas *c = data;
    if (keyboard || !c->session || !c->layout || c->paused || c->dragged ||
        !g_mutex_trylock(&c->session->lock))
        return FALSE;
    char *text = paf_canvas_tip(c, x, y);
    g_mutex_unlock(&c->session->lock);
    if (!text)
        return FALSE;
    // The first line is the thing itself.
    char *end = strchr(text, '\n');
    char *first = end ? g_strndup(text, (gsize)(end - text)) : g_strdup(text);
    char *markup =
        end ? g_markup_printf_escaped("<b>%s</b>%s", first, end) : g_markup_escape_text(text, -1);
    gtk_tooltip_set_markup(tip, markup);
    g_free(markup);
    g_free(first);
    g_free(text);
    return TRUE;
}

void paf_canvas_connect_input(paf_canvas *c)
{
    gtk_widget_set_can_focus(c->widget, TRUE);
    gtk_widget_set_has_tooltip(c->widget, TRUE);
    gtk_widget_add_events(c->widget, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                         GDK_POINTER_MOTION_MASK | GDK_LEAVE_NOTIFY_MASK |
                                         GDK_SCROLL_MASK | GDK_SMOOTH_SCROLL_MASK);
    g_signal_connect(c->widget, "scroll-event", G_CALLBACK(on_scroll), c);
    g_signal_connect(c->widget, "button-press-event", G_CALLBACK(on_press), c);
    g_signal_connect(c->widget, "button-release-event", G_CALLBACK(on_release), c);
    g_signal_connect(c->widget, "motion-notify-event", G_CALLBACK(on_motion), c);
    g_signal_connect(c->widget, "leave-notify-event", G_CALLBACK(on_leave), c);
    g_signal_connect(c->widget, "query-tooltip", G_CALLBACK(on_tip), c);
}
