// SPDX-License-Identifier: MIT
//
// The context menu of a node, a process or a module.
#include "paf/window/canvas_private.h"
#include "paf/model/partition_text.h"
#include "paf/say/numbers.h"

#include <inttypes.h>

// A menu item whose activation asks for a partition (owned by the item).
static void on_partition(GtkMenuItem *item, gpointer data)
{
    paf_canvas *c = data;
    c->asked(c->data, PAF_ASK_PARTITION, g_object_get_data(G_OBJECT(item), "partition"));
}

void paf_menu_add_partition(paf_canvas *c, GtkWidget *menu, char *label, char *partition)
{
    if (partition && g_strcmp0(partition, c->session->partition)) {
        GtkWidget *item = gtk_menu_item_new_with_label(label);
        g_object_set_data_full(G_OBJECT(item), "partition", partition, g_free);
        g_signal_connect(item, "activate", G_CALLBACK(on_partition), c);
        gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
    } else {
        g_free(partition);
    }
    g_free(label);
}

static void select_it(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_select(c, deed->which);
}

static void ask_why(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_select(c, deed->which);
    paf_canvas_select_why(c);
}

static void act_on_item(paf_canvas *c, GtkMenuItem *item, paf_act *act)
{
    uint32_t reduction = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(item), "reduction"));
    paf_canvas_act(c, act, &(paf_deed){.which = reduction});
}

static void on_select(GtkMenuItem *item, gpointer data)
{
    act_on_item(data, item, select_it);
}

static void on_why(GtkMenuItem *item, gpointer data)
{
    act_on_item(data, item, ask_why);
}

static void add_select_item(paf_canvas *c, GtkWidget *menu, const char *label, uint32_t reduction,
                            GCallback callback)
{
    GtkWidget *item = gtk_menu_item_new_with_label(label);
    g_object_set_data(G_OBJECT(item), "reduction", GUINT_TO_POINTER(reduction));
    g_signal_connect(item, "activate", callback, c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

static void add_goal_items(paf_canvas *c, GtkWidget *menu, uint32_t goal)
{
    const paf_session *s = c->session;
    uint32_t predicate = trace_goal_predicate(s->t, goal);
    if (trace_get_predicate(s->t, predicate)->origin == TRACE_BUILTIN)
        return;
    char *entry = paf_entry_name(s->t, predicate);
    if (!paf_partition_has_entry(s->partition, entry))
        paf_menu_add_partition(c, menu, g_strdup_printf("Make %s a module", entry),
                           paf_partition_add(s->partition, entry));
    char *one = g_strdup_printf("#%" PRIu32, goal);
    paf_menu_add_partition(c, menu, g_strdup_printf("Make this goal of %s a module", entry),
                       paf_partition_add(s->partition, one));
    paf_menu_add_moves(c, menu, entry);
    g_free(one);
    g_free(entry);
}

static void add_process_items(paf_canvas *c, GtkWidget *menu, uint32_t process)
{
    const paf_session *s = c->session;
    paf_menu_add_partition(c, menu, g_strdup("Go inside this process"),
                       paf_partition_inside(s->partition, s->a, process));
}

static void on_edit(GtkMenuItem *item, gpointer data)
{
    (void)item;
    paf_canvas *c = data;
    c->asked(c->data, PAF_ASK_EDIT, NULL);
}

static void on_clock(GtkMenuItem *item, gpointer data)
{
    (void)item;
    paf_canvas_do(data, PAF_DO_CLOCK);
}

static void add_clock_item(paf_canvas *c, GtkWidget *menu)
{
    if (!paf_has_clocks(c->session->m))
        return;
    GtkWidget *item = gtk_menu_item_new_with_label(c->view.clock == IOT_REAL_TIME
                                                       ? "Virtual time: replay the run (C)"
                                                       : "Real time (C)");
    g_signal_connect(item, "activate", G_CALLBACK(on_clock), c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

static void on_action(GtkMenuItem *item, gpointer data)
{
    paf_canvas_do(data, (paf_action)GPOINTER_TO_INT(g_object_get_data(G_OBJECT(item), "action")));
}

// What keys do with rows of places.
static void add_rows_items(paf_canvas *c, GtkWidget *menu)
{
    static const struct {
        const char *label;
        paf_action action;
    } items[] = {{"Rows, calls, messages (V)", PAF_DO_LANES},
                 {"Order by waiting or by number (O)", PAF_DO_BY_WAIT},
                 {"Fold or unfold nodes and processes (H)", PAF_DO_ROWS_FOLD},
                 {"Higher rows (K)", PAF_DO_ROWS_HIGHER},
                 {"Lower rows (J)", PAF_DO_ROWS_LOWER},
                 {"Messages, bytes, waits (E)", PAF_DO_FIGURE}};
    bool there[3];
    if (!paf_lanes_there(c->session->m, c->view.clock, there) || !there[PAF_LANES_CALLS])
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(items); i++) {
        GtkWidget *item = gtk_menu_item_new_with_label(items[i].label);
        g_object_set_data(G_OBJECT(item), "action", GINT_TO_POINTER(items[i].action));
        g_signal_connect(item, "activate", G_CALLBACK(on_action), c);
        gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
    }
}

static void on_unmark(GtkMenuItem *item, gpointer data)
{
    paf_canvas *c = data;
    c->asked(c->data, PAF_ASK_UNMARK, g_object_get_data(G_OBJECT(item), "bookmark"));
}

static void add_unmark_item(paf_canvas *c, GtkWidget *menu, uint32_t bookmark)
{
    GtkWidget *item = gtk_menu_item_new_with_label("Remove this bookmark");
    g_object_set_data_full(G_OBJECT(item), "bookmark", g_strdup_printf("%" PRIu32, bookmark), g_free);
    g_signal_connect(item, "activate", G_CALLBACK(on_unmark), c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

static void add_items(paf_canvas *c, GtkWidget *menu, const paf_hit *hit)
{
    const paf_session *s = c->session;
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        add_select_item(c, menu, "Select", hit->b, G_CALLBACK(on_select));
        add_select_item(c, menu, "Why so late?", hit->b, G_CALLBACK(on_why));
        add_goal_items(c, menu, trace_reduction_goal(s->t, hit->b));
        add_process_items(c, menu, hit->a);
        paf_menu_add_modules(c, menu, iot_get_process(s->a, hit->a)->module);
        break;
    case PAF_HIT_MARK:
        add_unmark_item(c, menu, hit->a);
        break;
    case PAF_HIT_LANE:
        add_goal_items(c, menu, iot_get_process(s->a, hit->a)->goal);
        add_process_items(c, menu, hit->a);
        paf_menu_add_modules(c, menu, iot_get_process(s->a, hit->a)->module);
        break;
    case PAF_HIT_CARD:
    case PAF_HIT_SECTION:
    case PAF_HIT_BAND:
        if (hit->a != IOT_NONE && s->m->first_process[hit->a + 1] > s->m->first_process[hit->a])
            add_process_items(c, menu, s->m->processes[s->m->first_process[hit->a]]);
        paf_menu_add_modules(c, menu, hit->a);
        break;
    default:
        break;
    }
}

void paf_canvas_popup(paf_canvas *c, const paf_deed *deed)
{
    GtkWidget *menu = gtk_menu_new();
    add_items(c, menu, &deed->hit);
    add_rows_items(c, menu);
    add_clock_item(c, menu);
    GtkWidget *edit = gtk_menu_item_new_with_label("Edit partition…");
    g_signal_connect(edit, "activate", G_CALLBACK(on_edit), c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), edit);
    paf_menu_add_save(c, menu);
    gtk_menu_attach_to_widget(GTK_MENU(menu), paf_widget_area(c->widget), NULL);
    g_signal_connect(menu, "selection-done", G_CALLBACK(gtk_widget_destroy), NULL);
    gtk_widget_show_all(menu);
    gtk_menu_popup_at_pointer(GTK_MENU(menu), deed->event);
}
