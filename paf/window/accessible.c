// SPDX-License-Identifier: MIT
//
// The objects are made when somebody asks for them, so a window without assistive technology has none.
#include "paf/window/accessible.h"

#include <gtk/gtk-a11y.h>
#include <math.h>
#include <string.h>

#define MOST_THINGS 4000u // of one picture

// ---------------------------------------------------------------------------------------------
// The area

typedef struct {
    GtkDrawingArea parent;
    const paf_things *things; // NULL: the page is gone
    void *data;
} PafArea;
typedef struct {
    GtkDrawingAreaClass parent;
} PafAreaClass;

typedef struct {
    GtkWidgetAccessible parent;
    GPtrArray *children; // PafThing; NULL: nobody has asked
    bool old;            // they are of a picture before
} PafAreaAccessible;
typedef struct {
    GtkWidgetAccessibleClass parent;
} PafAreaAccessibleClass;

typedef struct {
    AtkObject parent;
    PafArea *area; // NULL: it is gone
    paf_hit hit;   // without its tip
    char *name;
    int index;
} PafThing;
typedef struct {
    AtkObjectClass parent;
} PafThingClass;

GType paf_area_get_type(void);
GType paf_area_accessible_get_type(void);
GType paf_thing_get_type(void);
static void implement_action(AtkActionIface *iface);
static void implement_component(AtkComponentIface *iface);

G_DEFINE_TYPE(PafArea, paf_area, GTK_TYPE_DRAWING_AREA)
G_DEFINE_TYPE(PafAreaAccessible, paf_area_accessible, GTK_TYPE_WIDGET_ACCESSIBLE)
G_DEFINE_TYPE_WITH_CODE(PafThing, paf_thing, ATK_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(ATK_TYPE_ACTION, implement_action)
                            G_IMPLEMENT_INTERFACE(ATK_TYPE_COMPONENT, implement_component))

static void paf_area_init(PafArea *area)
{
    (void)area;
}

static void paf_area_class_init(PafAreaClass *class)
{
    gtk_widget_class_set_accessible_type(GTK_WIDGET_CLASS(class), paf_area_accessible_get_type());
}

GtkWidget *paf_area_new(const paf_things *things, void *data)
{
    PafArea *area = g_object_new(paf_area_get_type(), NULL);
    area->things = things;
    area->data = data;
    return GTK_WIDGET(area);
}

// ---------------------------------------------------------------------------------------------
// A thing

static void paf_thing_init(PafThing *thing)
{
    (void)thing;
}

static void thing_finalize(GObject *object)
{
    g_free(((PafThing *)object)->name);
    G_OBJECT_CLASS(paf_thing_parent_class)->finalize(object);
}

static int thing_index(AtkObject *object)
{
    return ((PafThing *)object)->index;
}

static AtkStateSet *thing_states(AtkObject *object)
{
    AtkStateSet *states = ATK_OBJECT_CLASS(paf_thing_parent_class)->ref_state_set(object);
    if (!((PafThing *)object)->area)
        atk_state_set_add_state(states, ATK_STATE_DEFUNCT);
    else
        atk_state_set_add_states(states,
                                 (AtkStateType[]){ATK_STATE_ENABLED, ATK_STATE_SENSITIVE, ATK_STATE_VISIBLE,
                                                  ATK_STATE_SHOWING, ATK_STATE_FOCUSABLE},
                                 5);
    return states;
}

static void paf_thing_class_init(PafThingClass *class)
{
    G_OBJECT_CLASS(class)->finalize = thing_finalize;
    ATK_OBJECT_CLASS(class)->get_index_in_parent = thing_index;
    ATK_OBJECT_CLASS(class)->ref_state_set = thing_states;
}

static gboolean click(AtkAction *action, gint i)
{
    PafThing *thing = (PafThing *)action;
    if (i != 0 || !thing->area || !thing->area->things)
        return FALSE;
    thing->area->things->activate(thing->area->data, &thing->hit);
    return TRUE;
}

static gint count_actions(AtkAction *action)
{
    (void)action;
    return 1;
}

static const gchar *action_name(AtkAction *action, gint i)
{
    (void)action;
    return i == 0 ? "click" : NULL;
}

static void implement_action(AtkActionIface *iface)
{
    iface->do_action = click;
    iface->get_n_actions = count_actions;
    iface->get_name = action_name;
    iface->get_localized_name = action_name;
}

static void extents(AtkComponent *component, gint *x, gint *y, gint *width, gint *height, AtkCoordType type)
{
    PafThing *thing = (PafThing *)component;
    *x = *y = *width = *height = -1;
    if (!thing->area)
        return;
    AtkObject *area = gtk_widget_get_accessible(GTK_WIDGET(thing->area));
    atk_component_get_extents(ATK_COMPONENT(area), x, y, width, height, type);
    *x += (int)floor(thing->hit.place.x);
    *y += (int)floor(thing->hit.place.y);
    *width = (int)ceil(thing->hit.place.w);
    *height = (int)ceil(thing->hit.place.h);
}

static void implement_component(AtkComponentIface *iface)
{
    iface->get_extents = extents;
}

// ---------------------------------------------------------------------------------------------
// The children of the area

static PafArea *area_of(AtkObject *object)
{
    return (PafArea *)gtk_accessible_get_widget(GTK_ACCESSIBLE(object));
}

static PafThing *make_thing(AtkObject *parent, PafArea *area, const paf_hit *hit, char *name, AtkRole role)
{
    PafThing *thing = g_object_new(paf_thing_get_type(), NULL);
    thing->area = area;
    thing->hit = *hit;
    thing->hit.tip = NULL;
    thing->name = name;
    atk_object_set_parent(ATK_OBJECT(thing), parent);
    atk_object_set_role(ATK_OBJECT(thing), role);
    atk_object_set_name(ATK_OBJECT(thing), name);
    if (hit->kind == PAF_HEAD)
        atk_object_set_description(ATK_OBJECT(thing), hit->tip + strlen(name) + 1);
    return thing;
}

static void release_thing(gpointer data)
{
    ((PafThing *)data)->area = NULL;
    g_object_unref(data);
}

static bool same(const PafThing *thing, const paf_hit *hit, const char *name)
{
    return thing->hit.kind == hit->kind && thing->hit.a == hit->a && thing->hit.b == hit->b &&
           g_str_equal(thing->name, name);
}

// The head of a column is called what it says, and described by its legend.
static char *name_of(const PafArea *area, const paf_hit *hit, AtkRole *ret_role)
{
    if (hit->kind != PAF_HEAD)
        return hit->kind ? area->things->name(area->data, hit, ret_role) : NULL;
    *ret_role = ATK_ROLE_COLUMN_HEADER;
    return g_strndup(hit->tip, strcspn(hit->tip, "\n"));
}

// The places of the present picture. An object whose place and name are as before stays.
static void list(PafAreaAccessible *a)
{
    PafArea *area = area_of(ATK_OBJECT(a));
    const paf_picture *picture = area && area->things ? area->things->picture(area->data) : NULL;
    if (a->children && !a->old)
        return;
    GPtrArray *before = a->children, *now = g_ptr_array_new_with_free_func(release_thing);
    for (uint32_t i = 0; picture && i < paf_picture_nhits(picture) && now->len < MOST_THINGS; i++) {
        const paf_hit *hit = paf_picture_hit(picture, i);
        AtkRole role = ATK_ROLE_PUSH_BUTTON;
        char *name = name_of(area, hit, &role);
        PafThing *old = before && now->len < before->len ? before->pdata[now->len] : NULL;
        if (name && old && same(old, hit, name)) {
            old->hit.place = hit->place;
            g_ptr_array_add(now, g_object_ref(old));
            g_free(name);
        } else if (name) {
            PafThing *thing = make_thing(ATK_OBJECT(a), area, hit, name, role);
            thing->index = (int)now->len;
            g_ptr_array_add(now, thing);
        }
    }
    a->children = now;
    a->old = false;
    for (guint i = 0; before && i < before->len; i++)
        if (i < now->len && now->pdata[i] == before->pdata[i]) {
            g_object_unref(before->pdata[i]);
            before->pdata[i] = NULL;
        }
    for (guint i = 0; before && i < before->len; i++)
        if (before->pdata[i])
            release_thing(before->pdata[i]);
    if (before) {
        g_ptr_array_set_free_func(before, NULL);
        g_ptr_array_unref(before);
    }
}

static gint count_children(AtkObject *object)
{
    PafAreaAccessible *a = (PafAreaAccessible *)object;
    list(a);
    return (gint)a->children->len;
}

static AtkObject *ref_child(AtkObject *object, gint i)
{
    PafAreaAccessible *a = (PafAreaAccessible *)object;
    list(a);
    return i >= 0 && (guint)i < a->children->len ? g_object_ref(a->children->pdata[i]) : NULL;
}

static void area_accessible_finalize(GObject *object)
{
    PafAreaAccessible *a = (PafAreaAccessible *)object;
    if (a->children)
        g_ptr_array_unref(a->children);
    G_OBJECT_CLASS(paf_area_accessible_parent_class)->finalize(object);
}

static void paf_area_accessible_init(PafAreaAccessible *a)
{
    (void)a;
}

static void paf_area_accessible_class_init(PafAreaAccessibleClass *class)
{
    G_OBJECT_CLASS(class)->finalize = area_accessible_finalize;
    ATK_OBJECT_CLASS(class)->get_n_children = count_children;
    ATK_OBJECT_CLASS(class)->ref_child = ref_child;
}

static PafAreaAccessible *accessible_of(GtkWidget *area)
{
    AtkObject *object = gtk_widget_get_accessible(area);
    return object && G_TYPE_CHECK_INSTANCE_TYPE(object, paf_area_accessible_get_type())
               ? (PafAreaAccessible *)object
               : NULL;
}

void paf_area_forget(GtkWidget *widget)
{
    ((PafArea *)widget)->things = NULL;
}

void paf_area_renew(GtkWidget *area)
{
    PafAreaAccessible *a = accessible_of(area);
    if (!a || !a->children || a->old)
        return;
    a->old = true;
    g_signal_emit_by_name(a, "children-changed::add", 0, NULL, NULL);
}

void paf_area_point_at(GtkWidget *area, const paf_hit *hit)
{
    PafAreaAccessible *a = accessible_of(area);
    if (!a || !a->children)
        return;
    list(a);
    for (guint i = 0; i < a->children->len; i++) {
        PafThing *thing = a->children->pdata[i];
        if (thing->hit.kind == hit->kind && thing->hit.a == hit->a && thing->hit.b == hit->b) {
            atk_object_notify_state_change(ATK_OBJECT(thing), ATK_STATE_FOCUSED, TRUE);
            return;
        }
    }
}
