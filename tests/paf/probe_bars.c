// SPDX-License-Identifier: MIT
//
// The bars of a trace in a window of their own. After each change standard output has a block: the
// state, a line for each place that answers to the pointer, and `end`.
//   probe_bars FILE.paf WIDTHxHEIGHT
#include <stdio.h>
#include <stdlib.h>

#include "paf/window/bars_canvas_private.h"
#include "paf/window/source_pane.h"

static paf_source_pane *pane;
static paf_bars_canvas *bars_canvas;

static char *name_of(const paf_bars_canvas *c, uint32_t total)
{
    return total == TRACE_NONE
               ? g_strdup("-")
               : paf_bars_row_name(c->session->t, c->totals, total);
}

static void print_state(const paf_bars_canvas *c, const paf_bars *bars)
{
    const paf_bars_view *v = &c->view;
    char *unit = name_of(c, v->unit), *selected = name_of(c, v->selected);
    char *trips = name_of(c, v->trips), *hover = name_of(c, v->hover);
    char *nodes = paf_node_name(c->totals, v->nodes);
    printf("table=%s\nunit=%s\nby=%s\nnodes=%s\n", paf_bars_table_name(c->totals, v->table), unit,
           v->counts ? "counts" : "time", nodes);
    printf("rows=%u\nroom=%u\nvisible=%u\nfirst=%u\n", bars->nrows, bars->room, bars->visible,
           bars->first);
    printf("largest=%.9g\nmaximum=%.9g\n", bars->largest, v->maximum);
    printf("selected=%s\ntrips=%s\nhover=%s\nignored=%u\nlist=%d\n", selected, trips, hover,
           c->order->len, v->show_ignored);
    char *file = v->file == TRACE_NONE ? g_strdup("-")
                                       : paf_file_name(c->session->t, c->totals, v->file);
    printf("group=%d\nfile=%s\n", v->group, file);
    g_free(file);
    printf("source=%u\nwidth=%.0f\n", bars->source.there ? bars->source.line : 0, v->width);
    g_free(unit);
    g_free(selected);
    g_free(trips);
    g_free(hover);
    g_free(nodes);
}

static void print_hits(const paf_bars_canvas *c, const paf_picture *picture)
{
    for (uint32_t i = 0; i < paf_picture_nhits(picture); i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        bool total = hit->kind == PAF_BARS_ROW || hit->kind == PAF_BARS_IGNORE;
        char *name = total ? name_of(c, hit->a) : g_strdup_printf("%u", hit->a);
        printf("hit %d %.0f %.0f %.0f %.0f %s\n", hit->kind, hit->place.x, hit->place.y,
               hit->place.w, hit->place.h, name);
        g_free(name);
    }
}

// The source pane must not get another place while widgets are getting theirs: pages behind this
// one would get none any more.
static void check_moment(void)
{
    const GSignalInvocationHint *hint =
        bars_canvas
            ? g_signal_get_invocation_hint(paf_widget_area(paf_bars_canvas_widget(bars_canvas)))
            : NULL;
    if (!hint || hint->signal_id != g_signal_lookup("size-allocate", GTK_TYPE_WIDGET))
        return;
    fputs("there is a new picture within an allocation\n", stderr);
    exit(1);
}

static void on_drawn(void *data, const paf_bars *bars, paf_session *session)
{
    (void)data;
    check_moment();
    paf_source_pane_show(pane, bars ? session->t : NULL, bars ? &bars->source : NULL, false);
    if (!bars)
        return;
    print_state(bars_canvas, bars);
    print_hits(bars_canvas, bars->picture);
    puts("end");
    fflush(stdout);
}

static gboolean on_key(GtkWidget *widget, GdkEventKey *e, gpointer data)
{
    (void)widget, (void)data;
    if (e->keyval == GDK_KEY_q) {
        gtk_main_quit();
        return TRUE;
    }
    return paf_bars_canvas_key(bars_canvas, e);
}

static void on_opened(void *data, paf_session *session, const char *error)
{
    (void)data;
    if (!session) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    paf_bars_canvas_show(bars_canvas, session);
    paf_session_unref(session);
}

int main(int argc, char **argv)
{
    int width, height;
    gtk_init(&argc, &argv);
    if (argc != 3 || sscanf(argv[2], "%dx%d", &width, &height) != 2)
        return 2;
    GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    bars_canvas = paf_bars_canvas_create();
    pane = paf_source_pane_create(paf_widget_area(paf_bars_canvas_widget(bars_canvas)));
    gtk_container_add(GTK_CONTAINER(window), paf_source_pane_widget(pane));
    paf_bars_canvas_on_drawn(bars_canvas, on_drawn, NULL);
    g_signal_connect(paf_widget_area(paf_bars_canvas_widget(bars_canvas)), "key-press-event",
                     G_CALLBACK(on_key), NULL);
    g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
    paf_job_open(argv[1], NULL, on_opened, NULL);
    gtk_widget_show_all(window);
    gtk_widget_grab_focus(paf_widget_area(paf_bars_canvas_widget(bars_canvas)));
    gtk_main();
    return 0;
}
