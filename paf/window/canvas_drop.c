// SPDX-License-Identifier: MIT
//
// Dragging within the canvas what is no time: a predicate, by the name of a process that begins with it, or a
// module to the card or the name of another module; and borders between panes.
#include "paf/model/partition_text.h"
#include "paf/window/canvas_private.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Predicates and modules

// The module whose card or name is there, or IOT_NONE.
static uint32_t module_at(const paf_hit *hit)
{
    return hit && (hit->kind == PAF_HIT_CARD || hit->kind == PAF_HIT_SECTION) ? hit->a : IOT_NONE;
}

bool paf_canvas_can_move(const paf_canvas *c, const paf_hit *hit)
{
    if (!hit || !c->session->partition || trace_is_measured(c->session->t))
        return false;
    return hit->kind == PAF_HIT_LANE || (module_at(hit) != IOT_NONE && hit->a != 0);
}

// What becomes of the partition; NULL: nothing.
static char *moved_partition(const paf_canvas *c, const paf_hit *what, uint32_t to)
{
    const paf_session *s = c->session;
    const char *into = iot_get_module(s->a, to)->name;
    if (what->kind != PAF_HIT_LANE && what->a == to)
        return NULL;
    if (what->kind != PAF_HIT_LANE)
        return paf_partition_merge(s->partition, iot_get_module(s->a, what->a)->name, into);
    const iot_process *p = iot_get_process(s->a, what->a);
    uint32_t predicate = trace_goal_predicate(s->t, p->goal);
    if (p->module == to || trace_get_predicate(s->t, predicate)->origin == TRACE_BUILTIN)
        return NULL;
    char *entry = paf_entry_name(s->t, predicate);
    char *made = paf_partition_move(s->partition, entry, into);
    g_free(entry);
    return made;
}

void paf_canvas_move_over(paf_canvas *c, const paf_hit *hit)
{
    uint32_t to = module_at(hit);
    if (c->view.drop == to)
        return;
    c->view.drop = to;
    paf_canvas_invalidate(c);
}

static void drop(paf_canvas *c, const paf_deed *deed)
{
    char *made = moved_partition(c, &deed->hit, deed->which);
    if (!made || !strcmp(made, c->session->partition))
        paf_widget_note(c->widget, "It is in that module already");
    else
        c->asked(c->data, PAF_ASK_PARTITION, made);
    g_free(made);
}

void paf_canvas_drop(paf_canvas *c, const paf_hit *hit)
{
    uint32_t to = module_at(hit);
    c->view.drop = IOT_NONE;
    paf_canvas_invalidate(c);
    if (to == IOT_NONE)
        paf_widget_note(c->widget, "On a module's card it would go to that module");
    else
        paf_canvas_act(c, drop, &(paf_deed){.hit = c->dragged, .which = to});
}

// ---------------------------------------------------------------------------------------------
// Borders between panes

void paf_canvas_drag_border(paf_canvas *c, double x, double y)
{
    switch ((paf_border)c->dragged.a) {
    case PAF_BORDER_SIDE:
        c->view.panes.side = fmax(x, 1);
        break;
    case PAF_BORDER_BOTTOM:
        c->view.panes.bottom = fmax(c->view.height - y, 1);
        break;
    case PAF_BORDER_DETAILS:
        c->view.panes.details = fmax(x - c->layout->frame.details.x, 1);
        break;
    }
    paf_canvas_invalidate(c);
}

void paf_canvas_set_panes(paf_canvas *c, paf_panes panes)
{
    c->view.panes = panes;
    paf_canvas_invalidate(c);
}
