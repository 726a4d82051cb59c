// SPDX-License-Identifier: MIT
//
// Finding a parallel region or a module by a part of its name, in traces that have hundreds of
// them.
#include "paf/window/canvas_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct paf_finder {
    paf_canvas *canvas; // a reference
    GtkWidget *popover, *entry, *count;
    GArray *found; // guint32: regions, then modules and processes counted on from there
    guint shown;   // the one of them that is
    uint32_t first_card; // before: the cards are not left scrolled to what was found
} finder;

static uint32_t count_regions(const paf_canvas *c)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    return all ? all->nregions : 0;
}

static bool holds(const char *name, const char *text)
{
    char *a = g_utf8_casefold(name, -1), *b = g_utf8_casefold(text, -1);
    bool found = strstr(a, b) != NULL;
    g_free(a);
    g_free(b);
    return found;
}

#define MOST_ASKED 200000u // processes whose goals are looked at
#define GOAL_CELLS 14u

// "#123": the process of that goal; else those with the text in their first goal.
static void find_processes(finder *f, const char *text, uint32_t before)
{
    const paf_canvas *c = f->canvas;
    uint32_t n = MIN(iot_nprocesses(c->session->a), MOST_ASKED);
    guint64 wanted = *text == '#' ? g_ascii_strtoull(text + 1, NULL, 10) : G_MAXUINT64;
    for (uint32_t i = 0; i < n; i++) {
        const iot_process *p = iot_get_process(c->session->a, i);
        uint32_t number = before + i;
        char *goal = *text == '#' ? NULL
                                  : iot_goal_text(c->session->t, NULL, p->goal, p->created, GOAL_CELLS);
        if (goal ? strstr(goal, text) != NULL : p->goal == wanted)
            g_array_append_val(f->found, number);
        free(goal);
    }
}

// The process gets a lane, as the one that is selected does.
static void show_process(paf_canvas *c, uint32_t process)
{
    const uint32_t *members;
    if (iot_members(c->session->a, process, &members) > 0)
        paf_canvas_select(c, members[0]);
}

static void find_all(finder *f, const char *text)
{
    const paf_canvas *c = f->canvas;
    const trace_regions *all = trace_get_regions(c->session->t);
    uint32_t nregions = count_regions(c);
    g_array_set_size(f->found, 0);
    f->shown = 0;
    for (uint32_t i = 0; i < nregions && *text; i++) {
        char *name = paf_region_name(all, i);
        if (holds(name, text))
            g_array_append_val(f->found, i);
        g_free(name);
    }
    for (uint32_t i = 0; i < c->session->m->nmodules && *text; i++) {
        uint32_t number = nregions + i;
        if (holds(iot_get_module(c->session->a, i)->name, text))
            g_array_append_val(f->found, number);
    }
    if (*text && !trace_is_measured(c->session->t))
        find_processes(f, text, nregions + c->session->m->nmodules);
}

// The module's card, and the first that happened in it.
static void show_module(paf_canvas *c, uint32_t module)
{
    const trace *t = c->session->t;
    c->view.first_card = c->session->m->rank[module];
    for (uint32_t r = 1; r < trace_nreductions(t); r++)
        if (iot_module_of_goal(c->session->a, trace_reduction_goal(t, r)) == module) {
            paf_canvas_select(c, r);
            return;
        }
}

static void show_found(finder *f)
{
    paf_canvas *c = f->canvas;
    uint32_t nregions = count_regions(c);
    char *count = NULL;
    if (f->found->len == 0) {
        bool asked = gtk_entry_get_text_length(GTK_ENTRY(f->entry)) > 0;
        gtk_label_set_text(GTK_LABEL(f->count), asked ? "none" : "");
        return;
    }
    uint32_t number = g_array_index(f->found, guint32, f->shown);
    if (number < nregions)
        paf_canvas_show_region(c, number);
    else if (number < nregions + c->session->m->nmodules)
        show_module(c, number - nregions);
    else
        show_process(c, number - nregions - c->session->m->nmodules);
    count = g_strdup_printf("%u of %u", f->shown + 1, f->found->len);
    gtk_label_set_text(GTK_LABEL(f->count), count);
    g_free(count);
}

// The finder may be closed by now.
static void find_text(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    if (!c->finder)
        return;
    find_all(c->finder, gtk_entry_get_text(GTK_ENTRY(c->finder->entry)));
    show_found(c->finder);
}

static void show_next(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    finder *f = c->finder;
    if (!f || f->found->len == 0)
        return;
    f->shown = (f->shown + 1) % f->found->len;
    show_found(f);
}

static void act(finder *f, paf_act *what)
{
    paf_canvas *c = f->canvas;
    if (c->widget && c->session && !c->paused)
        paf_canvas_act(c, what, &(paf_deed){0});
}

static void on_changed(GtkEditable *entry, gpointer data)
{
    (void)entry;
    act(data, find_text);
}

static void on_activate(GtkEntry *entry, gpointer data)
{
    (void)entry;
    act(data, show_next);
}

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    finder *f = data;
    if (f->canvas->finder == f)
        f->canvas->finder = NULL;
    f->canvas->view.first_card = f->first_card;
    if (f->canvas->widget && f->canvas->session)
        paf_canvas_invalidate(f->canvas);
    paf_canvas_unref(f->canvas);
    g_array_unref(f->found);
    g_free(f);
}

void paf_canvas_find(paf_canvas *c)
{
    finder *f = g_new0(finder, 1);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    const paf_rect *side = &c->layout->frame.side;
    GdkRectangle at = {(int)(side->x + side->w) - 2, (int)side->y + 24, 1, 1};
    f->canvas = paf_canvas_ref(c);
    f->first_card = c->view.first_card;
    c->finder = f;
    f->found = g_array_new(FALSE, FALSE, sizeof(guint32));
    f->entry = gtk_search_entry_new();
    f->count = gtk_label_new("");
    gtk_entry_set_placeholder_text(GTK_ENTRY(f->entry), "region, module, goal or #number");
    gtk_label_set_width_chars(GTK_LABEL(f->count), 10);
    g_signal_connect(f->entry, "changed", G_CALLBACK(on_changed), f);
    g_signal_connect(f->entry, "activate", G_CALLBACK(on_activate), f);
    gtk_box_pack_start(GTK_BOX(box), f->entry, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(box), f->count, FALSE, FALSE, 0);
    f->popover = paf_widget_popover(c->widget, &at, box);
    g_signal_connect(f->popover, "destroy", G_CALLBACK(on_destroy), f);
    gtk_popover_set_position(GTK_POPOVER(f->popover), GTK_POS_RIGHT);
    gtk_popover_popup(GTK_POPOVER(f->popover));
    gtk_widget_grab_focus(f->entry);
}
