// SPDX-License-Identifier: MIT
//
// Finding parallel regions, modules, predicates, goals, terms and variables. A slice of the run is looked
// through whenever the window has nothing else to do; what is found so far can be gone through meanwhile.
#include "paf/window/canvas_private.h"
#include "paf/model/search.h"
#include "paf/say/numbers.h"

#define SLICE 8000 // microseconds

typedef struct paf_finder {
    paf_canvas *canvas; // a reference, while the popover is open
    GtkWidget *popover, *entry, *count; // NULL: it is closed
    paf_search *search; // or NULL
    guint shown;        // which one of those found is shown
    bool any;           // one is
    guint idle;         // looks through the next slice
    uint32_t first_card; // before: the cards are not left scrolled to what was found
} finder;

static void stop(finder *f)
{
    if (f->idle)
        g_source_remove(f->idle);
    f->idle = 0;
}

void paf_canvas_drop_search(paf_canvas *c)
{
    if (!c->finder)
        return;
    stop(c->finder);
    paf_search_free(c->finder->search);
    c->finder->search = NULL;
    c->finder->any = false;
}

void paf_canvas_free_finder(paf_canvas *c)
{
    paf_canvas_drop_search(c);
    g_free(c->finder);
    c->finder = NULL;
}

static bool goes_on(const finder *f)
{
    return f->idle != 0;
}

static void tell(finder *f)
{
    guint n = f->search ? f->search->found->len : 0;
    if (!f->count)
        return;
    char *all = paf_number(n), *at = paf_number(f->shown + 1), *text;
    if (!f->search || !*f->search->text)
        text = g_strdup("");
    else if (goes_on(f))
        text = n ? g_strdup_printf("%s of %s, %.0f %%", at, all, paf_search_done(f->search) * 100)
                 : g_strdup_printf("searching, %.0f %%", paf_search_done(f->search) * 100);
    else
        text = n ? g_strdup_printf("%s of %s", at, all) : g_strdup("none");
    gtk_label_set_text(GTK_LABEL(f->count), text);
    g_free(text);
    g_free(at);
    g_free(all);
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

static void show(finder *f)
{
    paf_canvas *c = f->canvas;
    if (!f->search || f->shown >= f->search->found->len)
        return;
    const paf_found *found = &g_array_index(f->search->found, paf_found, f->shown);
    f->any = true;
    c->view.first_card = f->first_card;
    switch (found->kind) {
    case PAF_FOUND_REGION:
        paf_canvas_show_region(c, found->index);
        break;
    case PAF_FOUND_MODULE:
        show_module(c, found->index);
        break;
    case PAF_FOUND_WAITING:
        paf_canvas_show_waiting(c, found->index);
        break;
    case PAF_FOUND_REDUCTION:
        paf_canvas_select(c, found->index);
        break;
    }
}

// With the session locked, or not at all: the next slice can wait.
static gboolean on_idle(gpointer data)
{
    paf_canvas *c = data;
    finder *f = c->finder;
    if (!g_mutex_trylock(&c->session->lock))
        return G_SOURCE_CONTINUE;
    bool more = paf_search_continue(f->search, SLICE);
    if (!f->any)
        show(f);
    g_mutex_unlock(&c->session->lock);
    if (!more)
        f->idle = 0;
    tell(f);
    return more ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void find_regions(finder *f)
{
    const trace_regions *all = trace_get_regions(f->canvas->session->t);
    for (uint32_t i = 0; all && i < all->nregions && *f->search->text; i++) {
        char *name = paf_region_name(all, i);
        paf_found found = {PAF_FOUND_REGION, i};
        if (paf_search_shows(f->search, name))
            g_array_append_val(f->search->found, found);
        g_free(name);
    }
}

// The finder may be closed by now. What is found at once is shown at once.
static void find_text(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    finder *f = c->finder;
    if (!f || !f->entry)
        return;
    paf_canvas_drop_search(c);
    const char *text = gtk_entry_get_text(GTK_ENTRY(f->entry));
    paf_search *named = paf_search_create(c->session->m, text);
    GArray *rest = named->found;
    f->search = named;
    named->found = g_array_new(FALSE, FALSE, sizeof(paf_found));
    find_regions(f);
    g_array_append_vals(named->found, rest->data, rest->len);
    g_array_unref(rest);
    f->shown = 0;
    bool more = paf_search_continue(f->search, SLICE);
    show(f);
    if (more)
        f->idle = g_idle_add(on_idle, c);
    tell(f);
}

static void show_another(paf_canvas *c, const paf_deed *deed)
{
    finder *f = c->finder;
    guint n = f && f->search ? f->search->found->len : 0;
    if (n == 0) {
        if (!f || !f->entry)
            paf_widget_note(c->widget, "Nothing is looked for: / asks what");
        return;
    }
    f->shown = (f->shown + (deed->which ? 1 : n - 1)) % n;
    show(f);
    tell(f);
}

static void act(paf_canvas *c, paf_act *what, bool next)
{
    if (c->widget && c->session && !c->paused)
        paf_canvas_act(c, what, &(paf_deed){.which = next});
}

void paf_canvas_find_next(paf_canvas *c, bool next)
{
    if (!c->finder)
        c->finder = g_new0(finder, 1);
    c->finder->canvas = c;
    act(c, show_another, next);
}

// ---------------------------------------------------------------------------------------------
// The popover

static void on_changed(GtkEditable *entry, gpointer data)
{
    (void)entry;
    act(data, find_text, true);
}

static void on_activate(GtkEntry *entry, gpointer data)
{
    (void)entry;
    act(data, show_another, true);
}

static void on_next(GtkWidget *widget, gpointer data)
{
    (void)widget;
    act(data, show_another, true);
}

static void on_previous(GtkWidget *widget, gpointer data)
{
    (void)widget;
    act(data, show_another, false);
}

static gboolean on_key(GtkWidget *entry, GdkEventKey *e, gpointer data)
{
    (void)entry;
    bool enter = e->keyval == GDK_KEY_Return || e->keyval == GDK_KEY_KP_Enter || e->keyval == GDK_KEY_F3;
    bool back = e->keyval == GDK_KEY_Up || (enter && (e->state & GDK_SHIFT_MASK));
    if (!back && e->keyval != GDK_KEY_Down && e->keyval != GDK_KEY_F3)
        return FALSE; // Enter alone is the entry's
    act(data, show_another, !back);
    return TRUE;
}

// What was found stays, for F3.
static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    paf_canvas *c = data;
    finder *f = c->finder;
    if (f) {
        f->popover = f->entry = f->count = NULL;
        c->view.first_card = f->first_card;
    }
    if (c->widget && c->session)
        paf_canvas_invalidate(c);
    paf_canvas_unref(c);
}

static GtkWidget *make_button(const char *icon, const char *tip, GCallback clicked, paf_canvas *c)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon, GTK_ICON_SIZE_BUTTON);
    gtk_widget_set_tooltip_text(button, tip);
    atk_object_set_name(gtk_widget_get_accessible(button), tip);
    gtk_button_set_relief(GTK_BUTTON(button), GTK_RELIEF_NONE);
    g_signal_connect(button, "clicked", clicked, c);
    return button;
}

static GtkWidget *make_content(finder *f, paf_canvas *c)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    f->entry = gtk_search_entry_new();
    f->count = gtk_label_new("");
    gtk_entry_set_placeholder_text(GTK_ENTRY(f->entry), "name, term, Variable or #goal");
    gtk_entry_set_width_chars(GTK_ENTRY(f->entry), 28);
    gtk_label_set_width_chars(GTK_LABEL(f->count), 16);
    g_signal_connect(f->entry, "changed", G_CALLBACK(on_changed), c);
    g_signal_connect(f->entry, "activate", G_CALLBACK(on_activate), c);
    g_signal_connect(f->entry, "key-press-event", G_CALLBACK(on_key), c);
    gtk_box_pack_start(GTK_BOX(box), f->entry, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(box), f->count, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box),
                       make_button("go-up-symbolic", "Previous (Shift+F3)", G_CALLBACK(on_previous), c),
                       FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_button("go-down-symbolic", "Next (F3)", G_CALLBACK(on_next), c),
                       FALSE, FALSE, 0);
    return box;
}

void paf_canvas_find(paf_canvas *c)
{
    const paf_rect *side = &c->layout->frame.side;
    GdkRectangle at = {(int)(side->x + side->w) - 2, (int)side->y + 24, 1, 1};
    if (!c->finder)
        c->finder = g_new0(finder, 1);
    finder *f = c->finder;
    if (f->popover)
        return;
    f->canvas = paf_canvas_ref(c);
    f->first_card = c->view.first_card;
    f->popover = paf_widget_popover(c->widget, &at, make_content(f, c));
    g_signal_connect(f->popover, "destroy", G_CALLBACK(on_destroy), c);
    gtk_popover_set_position(GTK_POPOVER(f->popover), GTK_POS_RIGHT);
    gtk_popover_popup(GTK_POPOVER(f->popover));
    gtk_widget_grab_focus(f->entry);
}
