// SPDX-License-Identifier: MIT
//
// From a finding to the line, with clicks and keys on the real canvas: a click on a finding zooms to its
// stretch, chooses its longest reduction and opens its clause, and Escape goes back; dragging over the curve
// selects a stretch; rows of who waits for whom and arrows are lit and chosen; "why so late?" is a chain that
// is walked; what was shown before can be gone back to.
// Borders of panes are dragged, and modules to others.
//   check_views FILE.paf      a run with a finding, arrows and several modules
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paf/window/canvas_private.h"

static int failures;
static paf_canvas *canvas;
static paf_session *session;
static const char *doing = "opening";

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "FAILED: %s: %s\n", doing, what);
    failures++;
}

// ---------------------------------------------------------------------------------------------
// Events

static void settle(void)
{
    do {
        while (gtk_events_pending())
            gtk_main_iteration();
        g_usleep(1000);
    } while (!paf_canvas_settled(canvas));
}

static GtkWidget *area(void)
{
    return paf_widget_area(paf_canvas_widget(canvas));
}

static void send(GdkEventType type, double x, double y)
{
    GdkEvent *e = gdk_event_new(type);
    GdkWindow *window = g_object_ref(gtk_widget_get_window(area()));
    if (type == GDK_MOTION_NOTIFY) {
        e->motion.window = window;
        e->motion.x = x;
        e->motion.y = y;
        e->motion.state = GDK_BUTTON1_MASK;
    } else {
        e->button.window = window;
        e->button.x = x;
        e->button.y = y;
        e->button.button = 1;
        e->button.state = type == GDK_BUTTON_RELEASE ? GDK_BUTTON1_MASK : 0;
    }
    gdk_event_set_device(
        e, gdk_seat_get_pointer(gdk_display_get_default_seat(gtk_widget_get_display(area()))));
    gtk_widget_event(area(), e);
    gdk_event_free(e);
}

static void click(double x, double y)
{
    send(GDK_BUTTON_PRESS, x, y);
    send(GDK_BUTTON_RELEASE, x, y);
    settle();
}

static void drag(double x0, double x1, double y)
{
    send(GDK_BUTTON_PRESS, x0, y);
    for (int i = 1; i <= 4; i++)
        send(GDK_MOTION_NOTIFY, x0 + (x1 - x0) * i / 4, y);
    send(GDK_BUTTON_RELEASE, x1, y);
    settle();
}

static void do_it(paf_action action)
{
    paf_canvas_do(canvas, action);
    settle();
}

// The n-th place of a kind that answers in its middle, or NULL.
static const paf_hit *place_of(paf_hit_kind kind, uint32_t n, double *ret_x, double *ret_y)
{
    const paf_picture *picture = canvas->layout->picture;
    for (uint32_t i = 0; i < paf_picture_nhits(picture); i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        *ret_x = hit->curved ? (hit->curve[0] + hit->curve[2]) / 2 : hit->place.x + hit->place.w / 2;
        *ret_y = hit->place.y + hit->place.h / 2;
        if (hit->kind == (int)kind && paf_hit_at(picture, *ret_x, *ret_y) == hit && n-- == 0)
            return hit;
    }
    fprintf(stderr, "FAILED: %s: no place of kind %d\n", doing, kind);
    failures++;
    return NULL;
}

static bool click_on(paf_hit_kind kind, uint32_t n)
{
    double x, y;
    if (!place_of(kind, n, &x, &y))
        return false;
    click(x, y);
    return true;
}

static bool focused(paf_focus_kind kind)
{
    return canvas->focus && canvas->focus->kind == kind;
}

static bool whole(void)
{
    return canvas->view.from == 0 && canvas->view.to >= paf_end(session->m, canvas->view.clock);
}

// ---------------------------------------------------------------------------------------------
// What is tried

static void try_finding(void)
{
    doing = "a click on a finding";
    if (!click_on(PAF_HIT_FINDING, 0))
        return;
    const iot_finding *f = iot_get_finding(session->a, false, 0);
    const trace_clause *clause = trace_get_clause(session->t, f->clause);
    check(focused(PAF_FOCUS_FINDING) && canvas->focus->finding == iot_nnotes(session->a), "it has no focus");
    check(!whole(), "the view does not zoom");
    check(canvas->view.from < (double)canvas->focus->from && canvas->view.to > (double)canvas->focus->to,
          "its stretch is not shown");
    check(canvas->view.selected == canvas->focus->longest, "its longest is not chosen");
    check(canvas->layout->source.line == clause->line, "its clause is not open");
    do_it(PAF_DO_DESELECT);
    check(!canvas->focus && whole() && canvas->view.selected == IOT_NONE, "Escape does not go back");
    do_it(PAF_DO_BACK);
    check(focused(PAF_FOCUS_FINDING), "going back does not show it again");
    do_it(PAF_DO_FORWARD);
    check(!canvas->focus && whole(), "going forward does not leave it");
}

static void try_pointer(void)
{
    doing = "moving the pointer over the curve";
    const paf_layout *before = canvas->layout;
    const paf_rect *chart = &before->frame.chart;
    for (int i = 0; i < 5; i++) {
        send(GDK_MOTION_NOTIFY, before->frame.plot_x + 40 + 10 * i, chart->y + 6);
        settle();
    }
    check(!isnan(canvas->view.pointer), "its time is not known");
    check(canvas->layout == before, "another layout is made");
    paf_picture *over = paf_pointer_picture(session->t, &canvas->view, canvas->layout, canvas->text);
    check(paf_picture_nsteps(over) == 3, "it is not drawn: a line, and a box with a time");
    paf_picture_destroy(over);
}

static void try_stretch(void)
{
    doing = "dragging over the curve";
    const paf_rect *chart = &canvas->layout->frame.chart;
    double left = canvas->layout->frame.plot_x, w = canvas->layout->frame.plot_w;
    int64_t from = llround(paf_canvas_time_at(canvas, left + w * 0.25));
    int64_t to = llround(paf_canvas_time_at(canvas, left + w * 0.5));
    drag(left + w * 0.25, left + w * 0.5, chart->y + chart->h / 2);
    check(focused(PAF_FOCUS_STRETCH), "no stretch is selected");
    if (!focused(PAF_FOCUS_STRETCH))
        return;
    check(canvas->focus->from == from && canvas->focus->to == to, "another stretch is selected");
    check(whole(), "it pans");
    check(canvas->focus->path_steps == (uint64_t)(to - from + 1), "steps of the critical path are missing");
    do_it(PAF_DO_DESELECT);
    check(!canvas->focus, "Escape leaves it selected");
}

static void try_pair(void)
{
    doing = "a row of who waits for whom";
    double x, y;
    const paf_hit *hit = place_of(PAF_HIT_BUNDLE, 0, &x, &y);
    for (uint32_t i = 0; hit && hit->place.x < canvas->layout->frame.details.x + 1; i++)
        hit = place_of(PAF_HIT_BUNDLE, i, &x, &y);
    if (!hit)
        return;
    uint32_t from = hit->a, to = hit->b;
    send(GDK_MOTION_NOTIFY, x, y);
    check(canvas->pointed && canvas->pointed->from_module == from, "pointing at it lights nothing");
    click(x, y);
    check(focused(PAF_FOCUS_PAIR) && canvas->focus->from_module == from && canvas->focus->to_module == to,
          "it is not chosen");
    doing = "an arrow of a pair";
    click_on(PAF_HIT_ARROW, 0);
    check(focused(PAF_FOCUS_ARROW), "it is not chosen");
    click_on(PAF_HIT_GO, 0);
    check(canvas->view.selected != IOT_NONE && !focused(PAF_FOCUS_ARROW), "who made it is not chosen");
    do_it(PAF_DO_FIT);
    do_it(PAF_DO_DESELECT);
    do_it(PAF_DO_DESELECT);
}

static void try_chain(void)
{
    doing = "why so late";
    paf_canvas_select(canvas, trace_nreductions(session->t) - 1);
    settle();
    do_it(PAF_DO_WHY);
    check(focused(PAF_FOCUS_CHAIN), "there is no chain");
    if (!focused(PAF_FOCUS_CHAIN))
        return;
    for (guint i = 1; i < canvas->focus->rows->len && i < 5; i++) {
        do_it(PAF_DO_WHY);
        check(paf_focus_row_of(canvas->focus, canvas->view.selected) == i, "it is not walked row by row");
    }
    click_on(PAF_HIT_GO, 0);
    check(focused(PAF_FOCUS_CHAIN), "a click on a row leaves it");
    do_it(PAF_DO_DESELECT);
    check(!canvas->focus, "Escape does not leave it");
    do_it(PAF_DO_DESELECT);
}

static void try_path(void)
{
    doing = "the strip of the critical path";
    double x, y;
    if (!place_of(PAF_HIT_PATH, 0, &x, &y))
        return;
    click(x, y);
    uint32_t chosen = canvas->view.selected, step = IOT_NONE;
    for (uint32_t i = 0; i < iot_critical_length(session->a); i++)
        if (iot_critical_step(session->a, i).reduction == chosen)
            step = i;
    check(step != IOT_NONE, "what it chooses is not on the path");
    do_it(PAF_DO_PATH_BEFORE);
    check(step != IOT_NONE && iot_critical_step(session->a, step + 1).reduction == canvas->view.selected,
          "the step before is another one");
    do_it(PAF_DO_BACK);
    check(canvas->view.selected == chosen, "going back does not choose it again");
    do_it(PAF_DO_PATH);
    check(!canvas->view.path && paf_picture_nhits(canvas->layout->picture) > 0, "it cannot be hidden");
    do_it(PAF_DO_PATH);
    do_it(PAF_DO_DESELECT);
}

// ---------------------------------------------------------------------------------------------

static void on_opened(void *data, paf_session *s, const char *error)
{
    (void)data, (void)error;
    session = s;
}

static char *asked; // the partition that was asked for last

static void on_asked(void *data, paf_request request, const char *text)
{
    (void)data;
    if (request == PAF_ASK_PARTITION) {
        g_free(asked);
        asked = g_strdup(text);
    }
}

static void drag_to(double x0, double y0, double x1, double y1)
{
    send(GDK_BUTTON_PRESS, x0, y0);
    for (int i = 1; i <= 4; i++)
        send(GDK_MOTION_NOTIFY, x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4);
    send(GDK_BUTTON_RELEASE, x1, y1);
    settle();
}

static void try_borders(void)
{
    doing = "a border between panes";
    const paf_frame before = canvas->layout->frame;
    double x, y;
    if (!place_of(PAF_HIT_BORDER, PAF_BORDER_SIDE, &x, &y))
        return;
    drag_to(x, y, x + 60, y);
    check(canvas->layout->frame.side.w == before.side.w + 60,
          "the side bar is not as wide as it was dragged");
    place_of(PAF_HIT_BORDER, PAF_BORDER_BOTTOM, &x, &y);
    drag_to(x, y, x, y + 30);
    check(canvas->layout->frame.details.h == before.details.h - 30, "the panes below are as high as before");
    place_of(PAF_HIT_BORDER, PAF_BORDER_DETAILS, &x, &y);
    drag_to(x, y, x + 4000, y);
    check(canvas->layout->frame.source.w >= 200, "a pane is lost");
    check(whole(), "it pans");
    paf_canvas_set_panes(canvas, (paf_panes){0});
    settle();
    check(canvas->layout->frame.side.w == before.side.w, "it does not go back");
}

// The card of a module, by its rank.
static const char *card(uint32_t rank, double *ret_x, double *ret_y)
{
    const paf_hit *hit = place_of(PAF_HIT_CARD, rank, ret_x, ret_y);
    return hit ? iot_get_module(session->a, hit->a)->name : "";
}

static void try_moving(void)
{
    doing = "dragging a module to another one";
    double x0, y0, x1, y1;
    const char *first = card(0, &x0, &y0), *second = card(1, &x1, &y1);
    drag_to(x0, y0, x1, y1);
    char *gone = g_strdup_printf("%s=", first), *there = g_strdup_printf("%s=", second);
    check(asked && !strstr(asked, gone) && strstr(asked, there), "they are not merged");
    check(canvas->view.drop == IOT_NONE, "the card stays lit");
    g_clear_pointer(&asked, g_free);
    g_free(gone);
    g_free(there);
    drag_to(x0, y0, x0 + 500, y0);
    check(!asked, "dropped beside the cards it changes something");
    doing = "dragging a process's name to a module";
    const paf_hit *lane = place_of(PAF_HIT_SECTION, 0, &x0, &y0);
    uint32_t module = lane ? lane->a : 0;
    for (uint32_t i = 0; i < 3; i++) {
        const paf_hit *hit = place_of(PAF_HIT_CARD, i, &x1, &y1);
        if (hit && hit->a != module && hit->a != 0)
            break;
    }
    drag_to(x0, y0, x1, y1);
    check(asked != NULL, "nothing is asked for");
    g_clear_pointer(&asked, g_free);
}

int main(int argc, char **argv)
{
    if (!gtk_init_check(&argc, &argv) || argc != 2)
        return 77;
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    canvas = paf_canvas_create(on_asked, NULL);
    gtk_container_add(GTK_CONTAINER(window), area());
    gtk_widget_show_all(window);
    paf_job_open(argv[1], NULL, on_opened, NULL);
    while (!session)
        gtk_main_iteration();
    paf_canvas_show(canvas, session, false);
    settle();
    try_finding();
    try_pointer();
    try_stretch();
    try_pair();
    try_chain();
    try_path();
    try_borders();
    try_moving();
    gtk_widget_destroy(window);
    paf_session_unref(session);
    return failures > 0;
}
