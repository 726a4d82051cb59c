// SPDX-License-Identifier: MIT
//
// Keys of a page, and the overlay that lists all keys.
#include "paf/window/window_private.h"

// ---------------------------------------------------------------------------------------------
// Help

static const struct {
    const char *group, *key, *what;
} keys[] = {
    {"Time", "w s plus minus", "Zoom in and out, at the choice"},
    {"Time", "a d Left Right", "Earlier, later"},
    {"Time", "Home End", "Beginning, end"},
    {"Time", "f", "The whole run"},
    {"Time", "c", "The other clock"},
    {"Time", "<Alt>Left BackSpace", "Back to what was shown"},
    {"Time", "<Alt>Right", "Forward again"},
    {"Boxes", "Tab n", "Next one"},
    {"Boxes", "<Shift>Tab p", "Previous one"},
    {"Boxes", "Return", "Why so late? Its causes, one by one"},
    {"Boxes", "comma period", "Along the critical path"},
    {"Boxes", "less greater", "The same, to another module"},
    {"Boxes", "x", "Show or hide the critical path"},
    {"Boxes", "Escape", "Back from a finding; choose nothing"},
    {"Find", "1...9", "The finding of that number"},
    {"Find", "slash", "A name, a term, a variable, #goal"},
    {"Find", "F3 <Shift>F3", "The next one, the one before"},
    {"Find", "Down Up", "To cards, findings, rows"},
    {"Find", "space", "As a click there"},
    {"Find", "<Control>d", "Keep this view, with a note"},
    {"Find", "<Control>Page_Down <Control>Page_Up", "The next view kept"},
    {"Find", "r", "The next parallel region"},
    {"Rows", "Page_Up Page_Down", "Scroll the rows of places"},
    {"Rows", "k j", "Higher, lower; at last all in sight"},
    {"Rows", "h", "Fold nodes and processes, unfold"},
    {"Rows", "v", "Rows, calls, messages of places"},
    {"Rows", "e", "Messages, their bytes, their waits"},
    {"Rows", "o", "Order by waiting, by reductions"},
    {"Two runs", "0", "Align them by their starts"},
    {"Table", "<Control>b", "Totals as bars, or the timeline"},
    {"Table", "1 2 3 4", "Units, loops, I/O, calls of MPI"},
    {"Table", "a d Left Right", "The table before, after it"},
    {"Table", "w s plus minus", "Longer, shorter bars"},
    {"Table", "z m f", "Automatic, manual scale; top"},
    {"Table", "g e", "Group of I/O; time, executions"},
    {"Table", "n p", "Next, previous process"},
    {"Table", "Tab Down Up", "Rows"},
    {"Table", "Return", "Into a unit; to the source"},
    {"Table", "BackSpace", "Back to all units"},
    {"Table", "space", "A loop: how often it turns"},
    {"Table", "i u <Shift>i", "Ignore, undo, what is ignored"},
    {"Window", "b", "Modules and findings beside it"},
    {"Window", "<Control>i", "What if something were different"},
    {"Window", "<Control>o", "Open a trace"},
    {"Window", "<Control><Shift>o", "One that was open before"},
    {"Window", "<Control>e", "Export the picture"},
    {"Window", "<Control><Shift>p", "Print it"},
    {"Window", "<Control>p", "Edit the partition"},
    {"Window", "<Control>z <Control><Shift>z", "Undo and redo an edit, a switch"},
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
                               "<property name='max-height'>11</property>");
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
            w, "+, − and arrows move both runs, 0 aligns their starts, Esc leaves the second one");
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
           : paf_window_shows_samples(w) ? paf_samples_canvas_key(w->samples, e)
                                         : table_key(w, e);
}
