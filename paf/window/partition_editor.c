// SPDX-License-Identifier: MIT
//
// The partition editor: a dialog. What it asks of the trace it asks in calls (loader.h).
#include "paf/window/partition_editor.h"
#include "paf/model/partition_text.h"
#include "paf/say/numbers.h"

#include <stdlib.h>

typedef struct {
    GtkWidget *dialog;
    GtkTextBuffer *text;
    GtkWidget *message;
    GtkListStore *predicates;
    paf_session *session; // a reference
    paf_apply_partition *apply;
    void *data;
    bool checking; // a check waits for the session
    bool applying; // the text is to be applied if that check finds nothing wrong
} editor;

enum { COLUMN_ENTRY, COLUMN_IN, COLUMN_WORK, COLUMN_WORK_TEXT, COLUMNS };
enum { RESPONSE_DEFAULT = 1 };

// ---------------------------------------------------------------------------------------------
// Text

// One module a line is easier to read and to edit than one line.
static char *as_lines(const char *partition)
{
    char **words = g_strsplit_set(partition, " \t\n", -1);
    GString *lines = g_string_new(NULL);
    for (char **w = words; *w; w++)
        if (**w)
            g_string_append_printf(lines, "%s%s", lines->len ? "\n" : "", *w);
    g_strfreev(words);
    return g_string_free(lines, FALSE);
}

static char *get_text(const editor *e)
{
    GtkTextIter start, end;
    gtk_text_buffer_get_bounds(e->text, &start, &end);
    return gtk_text_buffer_get_text(e->text, &start, &end, FALSE);
}

static void set_text(editor *e, const char *partition)
{
    char *lines = as_lines(partition);
    gtk_text_buffer_set_text(e->text, lines, -1);
    g_free(lines);
}

static void mark_entries(editor *e, const char *text)
{
    GtkTreeModel *model = GTK_TREE_MODEL(e->predicates);
    GtkTreeIter row;
    for (gboolean more = gtk_tree_model_get_iter_first(model, &row); more;
         more = gtk_tree_model_iter_next(model, &row)) {
        char *entry;
        gtk_tree_model_get(model, &row, COLUMN_ENTRY, &entry, -1);
        gtk_list_store_set(e->predicates, &row, COLUMN_IN, paf_partition_has_entry(text, entry),
                           -1);
        g_free(entry);
    }
}

// With the session locked: checks the text as it is by now.
static void check_text(void *data)
{
    editor *e = data;
    char *text = get_text(e);
    char *wrong = paf_session_check_partition(e->session, text);
    e->checking = false;
    gtk_label_set_text(GTK_LABEL(e->message), wrong ? wrong : "");
    gtk_dialog_set_response_sensitive(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY, wrong == NULL);
    mark_entries(e, text);
    bool apply = e->applying && !wrong;
    e->applying = false;
    g_free(wrong);
    g_free(text);
    if (apply)
        gtk_dialog_response(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY);
}

// Until it is checked it cannot be applied.
static void on_changed(GtkTextBuffer *buffer, gpointer data)
{
    (void)buffer;
    editor *e = data;
    if (e->checking)
        return;
    e->checking = true;
    if (!paf_session_call(e->session, e, check_text, e, NULL))
        gtk_dialog_set_response_sensitive(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY, FALSE);
}

// Takes the entry out of its module, and the module with it if it was the only one.
static char *without_entry(const char *text, const char *entry)
{
    char **words = g_strsplit_set(text, " \t\n", -1);
    GString *made = g_string_new(NULL);
    for (char **w = words; *w; w++) {
        char *equals = strchr(*w, '=');
        if (!equals)
            continue;
        char **entries = g_strsplit(equals + 1, ",", -1);
        GString *kept = g_string_new(NULL);
        for (char **x = entries; *x; x++)
            if (g_strcmp0(*x, entry))
                g_string_append_printf(kept, "%s%s", kept->len ? "," : "", *x);
        if (kept->len)
            g_string_append_printf(made, "%.*s=%s ", (int)(equals - *w), *w, kept->str);
        g_string_free(kept, TRUE);
        g_strfreev(entries);
    }
    g_strfreev(words);
    return g_string_free(made, FALSE);
}

static void on_toggled(GtkCellRendererToggle *cell, char *path, gpointer data)
{
    (void)cell;
    editor *e = data;
    GtkTreeIter row;
    if (!gtk_tree_model_get_iter_from_string(GTK_TREE_MODEL(e->predicates), &row, path))
        return;
    char *entry, *text = get_text(e);
    gtk_tree_model_get(GTK_TREE_MODEL(e->predicates), &row, COLUMN_ENTRY, &entry, -1);
    char *changed = paf_partition_has_entry(text, entry) ? without_entry(text, entry)
                                                         : paf_partition_add(text, entry);
    set_text(e, changed);
    g_free(changed);
    g_free(text);
    g_free(entry);
}

// ---------------------------------------------------------------------------------------------
// Predicates

// Each user predicate with its reductions, those with most first.
static void fill_predicates(void *data)
{
    editor *e = data;
    const trace *t = e->session->t;
    uint32_t n = trace_npredicates(t);
    guint64 *work = g_new0(guint64, n + 1);
    for (uint32_t i = 0; i < iot_npredicate_rows(e->session->a); i++) {
        const iot_predicate_row *row = iot_get_predicate_row(e->session->a, i);
        work[row->predicate] += row->work;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (trace_get_predicate(t, i)->origin == TRACE_BUILTIN || work[i] == 0)
            continue;
        char *entry = paf_entry_name(t, i), *count = paf_number(work[i]);
        GtkTreeIter row;
        gtk_list_store_append(e->predicates, &row);
        gtk_list_store_set(e->predicates, &row, COLUMN_ENTRY, entry, COLUMN_WORK, work[i],
                           COLUMN_WORK_TEXT, count, -1);
        g_free(entry);
        g_free(count);
    }
    g_free(work);
    gtk_tree_sortable_set_sort_column_id(GTK_TREE_SORTABLE(e->predicates), COLUMN_WORK,
                                         GTK_SORT_DESCENDING);
    char *text = get_text(e);
    mark_entries(e, text);
    g_free(text);
}

static GtkWidget *make_list(editor *e)
{
    e->predicates =
        gtk_list_store_new(COLUMNS, G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_UINT64, G_TYPE_STRING);
    GtkWidget *list = gtk_tree_view_new_with_model(GTK_TREE_MODEL(e->predicates));
    g_object_unref(e->predicates);
    GtkCellRenderer *toggle = gtk_cell_renderer_toggle_new();
    g_signal_connect(toggle, "toggled", G_CALLBACK(on_toggled), e);
    gtk_tree_view_append_column(GTK_TREE_VIEW(list), gtk_tree_view_column_new_with_attributes(
                                                         "", toggle, "active", COLUMN_IN, NULL));
    GtkTreeViewColumn *name = gtk_tree_view_column_new_with_attributes(
        "Predicate", gtk_cell_renderer_text_new(), "text", COLUMN_ENTRY, NULL);
    gtk_tree_view_column_set_expand(name, TRUE);
    gtk_tree_view_column_set_sort_column_id(name, COLUMN_ENTRY);
    gtk_tree_view_append_column(GTK_TREE_VIEW(list), name);
    GtkCellRenderer *right = gtk_cell_renderer_text_new();
    g_object_set(right, "xalign", 1.0, NULL);
    GtkTreeViewColumn *work = gtk_tree_view_column_new_with_attributes("Reductions", right, "text",
                                                                       COLUMN_WORK_TEXT, NULL);
    gtk_tree_view_column_set_sort_column_id(work, COLUMN_WORK);
    gtk_tree_view_append_column(GTK_TREE_VIEW(list), work);
    gtk_tree_view_set_search_column(GTK_TREE_VIEW(list), COLUMN_ENTRY);
    GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);
    gtk_scrolled_window_set_shadow_type(GTK_SCROLLED_WINDOW(scrolled), GTK_SHADOW_IN);
    gtk_container_add(GTK_CONTAINER(scrolled), list);
    return scrolled;
}

// ---------------------------------------------------------------------------------------------
// Dialog

static void set_default(void *data)
{
    editor *e = data;
    iot_partition *p = iot_partition_default(e->session->t);
    char *text = iot_partition_text(e->session->t, p);
    set_text(e, text);
    free(text);
    iot_partition_destroy(p);
}

static void on_response(GtkDialog *dialog, gint response, gpointer data)
{
    editor *e = data;
    if (response == RESPONSE_DEFAULT) {
        paf_session_call(e->session, e, set_default, e, NULL);
        return;
    }
    if (response == GTK_RESPONSE_APPLY) {
        char *text = get_text(e);
        e->apply(e->data, text);
        g_free(text);
    }
    gtk_widget_destroy(GTK_WIDGET(dialog));
}

static void on_destroy(GtkWidget *widget, gpointer data)
{
    (void)widget;
    editor *e = data;
    paf_session_drop_calls(e->session, e);
    paf_session_unref(e->session);
    g_free(e);
}

// Control-Enter applies from within the text, where Enter makes a line.
static gboolean on_key(GtkWidget *widget, GdkEventKey *key, gpointer data)
{
    (void)widget;
    editor *e = data;
    bool enter = key->keyval == GDK_KEY_Return || key->keyval == GDK_KEY_KP_Enter;
    GtkWidget *apply =
        gtk_dialog_get_widget_for_response(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY);
    if (!enter || !(key->state & GDK_CONTROL_MASK))
        return FALSE;
    if (e->checking) {
        e->applying = true;
        return TRUE;
    }
    if (!gtk_widget_get_sensitive(apply))
        return FALSE;
    gtk_dialog_response(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY);
    return TRUE;
}

static GtkWidget *make_text(editor *e)
{
    GtkWidget *view = gtk_text_view_new();
    gtk_text_view_set_monospace(GTK_TEXT_VIEW(view), TRUE);
    gtk_text_view_set_wrap_mode(GTK_TEXT_VIEW(view), GTK_WRAP_CHAR);
    g_object_set(view, "left-margin", 8, "right-margin", 8, "top-margin", 8, "bottom-margin", 8,
                 NULL);
    e->text = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    GtkWidget *scrolled = gtk_scrolled_window_new(NULL, NULL);
    gtk_scrolled_window_set_shadow_type(GTK_SCROLLED_WINDOW(scrolled), GTK_SHADOW_IN);
    gtk_container_add(GTK_CONTAINER(scrolled), view);
    gtk_widget_set_size_request(scrolled, -1, 140);
    return scrolled;
}

static GtkWidget *make_label(const char *text)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 60);
    return label;
}

static void fill_dialog(editor *e)
{
    GtkWidget *box = gtk_dialog_get_content_area(GTK_DIALOG(e->dialog));
    gtk_container_set_border_width(GTK_CONTAINER(box), 16);
    gtk_box_set_spacing(GTK_BOX(box), 8);
    gtk_box_pack_start(
        GTK_BOX(box),
        make_label("A module is named by entries: predicates (p/2) or goals (#1234) that start a "
                   "process of it. One module a line: NAME=p/2,q/3"),
        FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_text(e), TRUE, TRUE, 0);
    e->message = make_label("");
    gtk_style_context_add_class(gtk_widget_get_style_context(e->message), "paf-error");
    gtk_box_pack_start(GTK_BOX(box), e->message, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), make_list(e), TRUE, TRUE, 0);
}

void paf_partition_editor_open(GtkWindow *parent, paf_session *s, paf_apply_partition *apply,
                               void *data)
{
    editor *e = g_new0(editor, 1);
    e->session = paf_session_ref(s);
    e->apply = apply;
    e->data = data;
    e->dialog = gtk_dialog_new_with_buttons(
        "Edit partition", parent, GTK_DIALOG_MODAL | GTK_DIALOG_USE_HEADER_BAR, "_Cancel",
        GTK_RESPONSE_CANCEL, "_Apply", GTK_RESPONSE_APPLY, "_Default", RESPONSE_DEFAULT, NULL);
    gtk_window_set_default_size(GTK_WINDOW(e->dialog), 560, 560);
    GtkWidget *button =
        gtk_dialog_get_widget_for_response(GTK_DIALOG(e->dialog), GTK_RESPONSE_APPLY);
    gtk_style_context_add_class(gtk_widget_get_style_context(button), "suggested-action");
    gtk_widget_set_tooltip_text(button, "Control-Enter");
    fill_dialog(e);
    paf_session_call(s, e, fill_predicates, e, NULL);
    g_signal_connect(e->text, "changed", G_CALLBACK(on_changed), e);
    g_signal_connect(e->dialog, "response", G_CALLBACK(on_response), e);
    g_signal_connect(e->dialog, "destroy", G_CALLBACK(on_destroy), e);
    g_signal_connect(e->dialog, "key-press-event", G_CALLBACK(on_key), e);
    set_text(e, s->partition);
    gtk_widget_show_all(e->dialog);
}
