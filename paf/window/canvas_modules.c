// SPDX-License-Identifier: MIT
//
// Items of the context menu that change modules: merge, split, rename, dissolve, fold, save; and move a
// predicate to another module. Each is another partition, so Ctrl+Z takes it back.
#include "paf/model/partition_text.h"
#include "paf/window/canvas_private.h"

#include <string.h>

#define MOST_TARGETS 24u // modules of a submenu: a menu of a hundred is no choice

static GtkWidget *add_submenu(GtkWidget *menu, char *label)
{
    GtkWidget *item = gtk_menu_item_new_with_label(label), *sub = gtk_menu_new();
    gtk_menu_item_set_submenu(GTK_MENU_ITEM(item), sub);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
    g_free(label);
    return sub;
}

// A submenu is not shown if there is nothing to choose.
static void finish_submenu(GtkWidget *sub)
{
    GList *children = gtk_container_get_children(GTK_CONTAINER(sub));
    if (!children)
        gtk_widget_destroy(gtk_menu_get_attach_widget(GTK_MENU(sub)));
    g_list_free(children);
}

// ---------------------------------------------------------------------------------------------
// Renaming

typedef struct {
    paf_canvas *canvas; // a reference
    char *module;
} renaming;

static void free_renaming(gpointer data, GClosure *closure)
{
    (void)closure;
    renaming *r = data;
    paf_canvas_unref(r->canvas);
    g_free(r->module);
    g_free(r);
}

static void on_name(GtkEntry *entry, gpointer data)
{
    const renaming *r = data;
    paf_canvas *c = r->canvas;
    char *made = c->session && c->session->partition
                     ? paf_partition_rename(c->session->partition, r->module,
                                            gtk_entry_get_text(entry))
                     : NULL;
    if (made) {
        gtk_popover_popdown(GTK_POPOVER(gtk_widget_get_ancestor(GTK_WIDGET(entry), GTK_TYPE_POPOVER)));
        c->asked(c->data, PAF_ASK_PARTITION, made);
    } else if (c->widget) {
        paf_widget_note(c->widget, "Letters, digits and _ make a name; no other module has it");
    }
    g_free(made);
}

static renaming *new_renaming(paf_canvas *c, const char *module)
{
    renaming *r = g_new(renaming, 1);
    *r = (renaming){paf_canvas_ref(c), g_strdup(module)};
    return r;
}

static void on_rename(GtkMenuItem *item, gpointer data)
{
    (void)item;
    const renaming *r = data;
    paf_canvas *c = r->canvas;
    if (!c->widget || !c->layout)
        return;
    GtkWidget *entry = gtk_entry_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_box_pack_start(GTK_BOX(box), gtk_label_new("Name"), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(box), entry, TRUE, TRUE, 0);
    gtk_entry_set_text(GTK_ENTRY(entry), r->module);
    gtk_widget_set_tooltip_text(entry, "The module's new name; Enter takes it");
    g_signal_connect_data(entry, "activate", G_CALLBACK(on_name), new_renaming(c, r->module),
                          free_renaming, 0);
    GdkRectangle at = {(int)c->layout->frame.side.w / 2, 60, 1, 1};
    gtk_popover_popup(GTK_POPOVER(paf_widget_popover(c->widget, &at, box)));
    gtk_widget_grab_focus(entry);
}

// ---------------------------------------------------------------------------------------------

static void on_fold(GtkMenuItem *item, gpointer data)
{
    paf_canvas *c = data;
    uint32_t module = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(item), "module"));
    if (c->widget && module < c->folded->len) {
        g_array_index(c->folded, guint8, module) ^= 1;
        paf_canvas_invalidate(c);
    }
}

static void add_fold(paf_canvas *c, GtkWidget *menu, uint32_t module)
{
    if (module >= c->folded->len)
        return;
    GtkWidget *item = gtk_menu_item_new_with_label(g_array_index(c->folded, guint8, module)
                                                       ? "Show its processes"
                                                       : "Hide its processes");
    g_object_set_data(G_OBJECT(item), "module", GUINT_TO_POINTER(module));
    g_signal_connect(item, "activate", G_CALLBACK(on_fold), c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

static void add_rename(paf_canvas *c, GtkWidget *menu, const char *name)
{
    GtkWidget *item = gtk_menu_item_new_with_label("Rename…");
    g_signal_connect_data(item, "activate", G_CALLBACK(on_rename), new_renaming(c, name),
                          free_renaming, 0);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}

void paf_menu_add_modules(paf_canvas *c, GtkWidget *menu, uint32_t module)
{
    if (module == IOT_NONE)
        return;
    add_fold(c, menu, module);
    if (module == 0)
        return;
    const paf_session *s = c->session;
    const char *name = iot_get_module(s->a, module)->name;
    paf_menu_add_partition(c, menu, g_strdup_printf("Dissolve module %s", name),
                           paf_partition_without(s->partition, name));
    if (trace_is_measured(s->t)) // whose constructs have names of their own
        return;
    paf_menu_add_partition(c, menu, g_strdup_printf("Split %s: each of its predicates a module", name),
                           paf_partition_split(s->partition, name));
    GtkWidget *targets = add_submenu(menu, g_strdup_printf("Merge %s with", name));
    for (uint32_t i = 0, n = 0; i < s->m->nmodules && n < MOST_TARGETS; i++) {
        const char *other = iot_get_module(s->a, s->m->order[i])->name;
        if (s->m->order[i] == 0 || !strcmp(other, name))
            continue;
        paf_menu_add_partition(c, targets, g_strdup(other),
                               paf_partition_merge(s->partition, name, other));
        n++;
    }
    finish_submenu(targets);
    add_rename(c, menu, name);
}

void paf_menu_add_moves(paf_canvas *c, GtkWidget *menu, const char *entry)
{
    const paf_session *s = c->session;
    GtkWidget *targets = add_submenu(menu, g_strdup_printf("Move %s to", entry));
    for (uint32_t i = 0, n = 0; i < s->m->nmodules && n < MOST_TARGETS; i++) {
        const char *into = iot_get_module(s->a, s->m->order[i])->name;
        if (s->m->order[i] == 0)
            continue;
        paf_menu_add_partition(c, targets, g_strdup(into),
                               paf_partition_move(s->partition, entry, into));
        n++;
    }
    finish_submenu(targets);
}

static void on_save(GtkMenuItem *item, gpointer data)
{
    (void)item;
    paf_canvas *c = data;
    c->asked(c->data, PAF_ASK_SAVE, NULL);
}

void paf_menu_add_save(paf_canvas *c, GtkWidget *menu)
{
    GtkWidget *item = gtk_menu_item_new_with_label("Save modules…");
    g_signal_connect(item, "activate", G_CALLBACK(on_save), c);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
}
