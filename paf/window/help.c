// SPDX-License-Identifier: MIT
//
// Keys of a page, and the overlay that lists all keys.
#include "paf/window/window_private.h"

// ---------------------------------------------------------------------------------------------
// Help

static const struct {
    const char *group, *key, *what;
} keys[] = {
    {"Time", "plus minus", "Zoom in, zoom out"},
    {"Time", "Left Right", "Earlier, later"},
    {"Time", "Home End", "To the beginning, to the end"},
    {"Time", "f", "Show the whole run"},
    {"Time", "c", "The other clock: real time, or virtual (replayed) time"},
    {"Boxes", "Tab n", "Next one"},
    {"Boxes", "<Shift>Tab p", "Previous one"},
    {"Boxes", "Return", "Why so late? Goes to what it waited for"},
    {"Boxes", "comma period", "Along the critical path; with Shift to another module"},
    {"Boxes", "BackSpace", "Back to the one before"},
    {"Boxes", "Escape", "Choose nothing; leave a comparison"},
    {"Modules", "r", "Statistics of the next parallel region"},
    {"Modules", "w", "Processes that waited longest first, or most reductions"},
    {"Modules", "slash", "Find a region, a module or a process by its name"},
    {"Modules", "<Control>p", "Edit the partition"},
    {"Modules", "<Control>z", "Undo: a partition, or what is ignored"},
    {"Modules", "<Control><Shift>z", "Redo it"},
    {"Table", "<Control>b", "Totals as bars, or the timeline"},
    {"Table", "1 2 3 4", "Units, loops, input/output, calls of MPI"},
    {"Table", "Left Right", "The table before, after it"},
    {"Table", "g", "Input/output by statement, unit, file"},
    {"Table", "e", "Time, executions"},
    {"Table", "n p", "Next, previous process; sum, largest, smallest, mean"},
    {"Table", "plus minus", "Longer, shorter bars"},
    {"Table", "a m", "Automatic scale, manual scale"},
    {"Table", "f", "From the top, with the automatic scale"},
    {"Table", "Tab Down", "Next row"},
    {"Table", "<Shift>Tab Up", "Previous row"},
    {"Table", "Return", "A unit: its loops; else: its place in the source"},
    {"Table", "BackSpace", "Back to all units"},
    {"Table", "space", "A loop: how often it turns"},
    {"Table", "i u", "Ignore, undo that"},
    {"Table", "<Shift>i", "The list of what is ignored"},
    {"Window", "<Control>i", "What if something were different"},
    {"Window", "<Control>o", "Open a trace"},
    {"Window", "<Control>e", "Export the picture"},
    {"Window", "<Control>t", "Light or dark"},
    {"Window", "question F1", "These keys"},
    {"Window", "<Control>q", "Quit"},
};

static void append_shortcut(GString *ui, unsigned i)
{
    char *key = g_markup_escape_text(keys[i].key, -1);
    char *what = g_markup_escape_text(keys[i].what, -1);
    g_string_append_printf(ui,
                           "<child><object class='GtkShortcutsShortcut'>"
                           "<property name='visible'>1</property>"
                           "<property name='accelerator'>%s</property>"
                           "<property name='title'>%s</property></object></child>",
                           key, what);
    g_free(key);
    g_free(what);
}

static char *help_ui(void)
{
    GString *ui = g_string_new("<interface><object class='GtkShortcutsWindow' id='help'>"
                               "<property name='modal'>1</property><child>"
                               "<object class='GtkShortcutsSection'>"
                               "<property name='visible'>1</property>"
                               "<property name='max-height'>12</property>");
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (i == 0 || g_strcmp0(keys[i].group, keys[i - 1].group))
            g_string_append_printf(ui,
                                   "<child><object class='GtkShortcutsGroup'>"
                                   "<property name='visible'>1</property>"
                                   "<property name='title'>%s</property>",
                                   keys[i].group);
        append_shortcut(ui, i);
        if (i + 1 == G_N_ELEMENTS(keys) || g_strcmp0(keys[i].group, keys[i + 1].group))
            g_string_append(ui, "</object></child>");
    }
    g_string_append(ui, "</object></child></object></interface>");
    return g_string_free(ui, FALSE);
}

static GtkWidget *make_help(paf_window *w)
{
    char *ui = help_ui();
    GtkBuilder *builder = gtk_builder_new_from_string(ui, -1);
    GtkWidget *help = GTK_WIDGET(gtk_builder_get_object(builder, "help"));
    gtk_window_set_transient_for(GTK_WINDOW(help), GTK_WINDOW(w->window));
    gtk_window_set_destroy_with_parent(GTK_WINDOW(help), TRUE);
    // Hidden, not destroyed: GTK 3 keeps styles of such a window, and complains at the next theme.
    g_signal_connect(help, "delete-event", G_CALLBACK(gtk_widget_hide_on_delete), NULL);
    g_object_unref(builder);
    g_free(ui);
    return help;
}

void paf_window_help(paf_window *w)
{
    if (!w->help)
        w->help = make_help(w);
    gtk_window_present(GTK_WINDOW(w->help));
}

// ---------------------------------------------------------------------------------------------
// Keys

static bool table_key(paf_window *w, const GdkEventKey *e)
{
    // Its action is off, and so leaves the key.
    if ((e->state & GDK_CONTROL_MASK) && e->keyval == GDK_KEY_b) {
        paf_window_note(w, "No timeline was recorded: there are totals only");
        return true;
    }
    return paf_bars_canvas_key(w->bars, e);
}

static bool comparison_key(paf_window *w, const GdkEventKey *e)
{
    if (e->keyval == GDK_KEY_Escape) {
        paf_window_leave_comparison(w);
        return true;
    }
    if (!(e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) &&
        (e->keyval == GDK_KEY_c || e->keyval == GDK_KEY_C)) {
        paf_window_change_comparison_clock(w);
        return true;
    }
    if (!(e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) && paf_window_move_comparison(w, e->keyval))
        return true;
    if (!(e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) && !e->is_modifier)
        paf_window_note(
            w, "+, − and arrows move in both runs: Esc leaves the comparison for the first one");
    return false;
}

// Only while a page has the focus: a button in the header bar keeps Tab and Enter.
gboolean paf_window_on_key(GtkWidget *widget, GdkEventKey *e, gpointer data)
{
    paf_window *w = data;
    if (e->keyval == GDK_KEY_question && !(e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))) {
        paf_window_help(w);
        return TRUE;
    }
    return widget == w->compare         ? comparison_key(w, e)
           : widget == w->canvas_widget ? paf_canvas_key(w->canvas, e)
                                        : table_key(w, e);
}
