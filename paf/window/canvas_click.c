// SPDX-License-Identifier: MIT
//
// What a click on each place of the canvas does; Return in the ring of the keyboard, and assistive
// technology, do the same.
#include "paf/window/canvas_private.h"

static void toggle_fold(paf_canvas *c, uint32_t module)
{
    if (module >= c->folded->len)
        return;
    g_array_index(c->folded, guint8, module) ^= 1;
    paf_canvas_invalidate(c);
}

// The module's last reduction on the critical path: where its share ends.
static void select_critical(paf_canvas *c, uint32_t module)
{
    const iot *a = c->session->a;
    for (uint32_t i = 0; i < iot_critical_length(a); i++) {
        uint32_t r = iot_critical_step(a, i).reduction, process = iot_process_of(a, r);
        if (process == IOT_NONE || iot_get_process(a, process)->module != module)
            continue;
        paf_canvas_select(c, r);
        return;
    }
}

static void show_finding(paf_canvas *c, uint32_t index)
{
    bool waits = trace_get_ending(c->session->t) == TRACE_DEADLOCK && c->session->m->waiting->n > 0;
    if (index == 0 && iot_nnotes(c->session->a) > 0 && waits)
        paf_canvas_show_waiting(c, 0);
    else if (c->focus && c->focus->kind == PAF_FOCUS_FINDING && c->focus->finding == index)
        paf_canvas_leave_focus(c);
    else
        paf_canvas_show_finding(c, index);
}

void paf_canvas_show_numbered(paf_canvas *c, const paf_deed *deed)
{
    const iot *a = c->session->a;
    uint32_t n = c->session->m->complete ? iot_nnotes(a) + iot_nfindings(a, false) : 0;
    if (deed->which < n)
        show_finding(c, deed->which);
    else
        paf_widget_note(c->widget, "There are not so many findings");
}

static void show_pair(paf_canvas *c, uint32_t from, uint32_t to)
{
    paf_focus *now = c->focus;
    if (now && now->kind == PAF_FOCUS_PAIR && now->from_module == from && now->to_module == to)
        paf_canvas_leave_focus(c);
    else
        paf_canvas_focus_on(c, paf_focus_on_pair(c->session->m, c->view.clock, from, to));
}

// A region's statistics; once more: its first execution, from edge to edge.
static void choose_region(paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    bool again = c->view.region == region;
    paf_canvas_show_region(c, region);
    if (!again || !all)
        return;
    if (region >= all->nregions || all->regions[region].nteams == 0) {
        paf_canvas_set_window(c, 0, paf_canvas_end(c));
        return;
    }
    const trace_team *team = &all->regions[region].teams[0];
    double margin = (double)team->took * 0.04;
    paf_canvas_set_window(c, (double)team->start - margin,
                          (double)team->start + (double)team->took + margin);
}

// What a click on a place does, whether the pointer shows it, and whether the ring of the keyboard stops
// there.
typedef void clicked(paf_canvas *c, const paf_deed *deed);
enum { HAND = 1, STOP = 2 };

static void click_node(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_select(c, deed->hit.b);
}

static void click_go(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_select(c, deed->hit.a);
}

static void click_why(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    paf_canvas_select_why(c);
}

static void click_path(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_select(c, paf_path_step_at(c->session->m, c->view.clock, deed->time));
}

static void click_mark(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_show_bookmark(c, deed->hit.a);
}

static void click_arrow(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_focus_on(c, paf_focus_on_arrow(c->session->m, c->view.clock, deed->hit.a));
}

static void click_bundle(paf_canvas *c, const paf_deed *deed)
{
    show_pair(c, deed->hit.a, deed->hit.b);
}

static void click_finding(paf_canvas *c, const paf_deed *deed)
{
    show_finding(c, deed->hit.a);
}

static void click_waiting(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_show_waiting(c, deed->hit.a);
}

static void click_card(paf_canvas *c, const paf_deed *deed)
{
    select_critical(c, deed->hit.a);
}

static void click_section(paf_canvas *c, const paf_deed *deed)
{
    toggle_fold(c, deed->hit.a);
}

static void click_region(paf_canvas *c, const paf_deed *deed)
{
    choose_region(c, deed->hit.a);
}

static void click_clock(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    paf_canvas_do(c, PAF_DO_CLOCK);
}

static void click_row(paf_canvas *c, const paf_deed *deed)
{
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    paf_canvas_select(c, paf_timeline_activity(l, deed->hit.a, deed->time));
}

static void click_group(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_toggle_group(c, deed->hit.a);
}

static void click_lanes_kind(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_show_lanes(c, (paf_lanes_kind)deed->hit.a);
}

static void click_call(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_choose_call(c, deed->hit.a);
}

static void click_call_place(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_show_call_at(c, deed->hit.a, deed->hit.b);
}

static void click_messages(paf_canvas *c, const paf_deed *deed)
{
    paf_canvas_show_messages(c, deed->hit.a, deed->hit.b);
}

static void click_figure(paf_canvas *c, const paf_deed *deed)
{
    c->view.figure = (paf_message_figure)deed->hit.a;
    paf_canvas_invalidate(c);
}

static void click_side_switch(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    paf_canvas_do(c, PAF_DO_SIDE);
}

static void click_partition(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    c->asked(c->data, PAF_ASK_EDIT, NULL);
}

static void click_band(paf_canvas *c, const paf_deed *deed)
{
    uint32_t module = deed->hit.a;
    bool known = module != IOT_NONE && module < c->folded->len;
    bool folded = known && g_array_index(c->folded, guint8, module);
    if (folded)
        toggle_fold(c, module);
    else
        paf_canvas_zoom(c, 2, deed->time);
}

static void click_beside(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    paf_canvas_select(c, IOT_NONE);
    paf_canvas_set_focus(c, NULL);
    paf_canvas_invalidate(c);
}

static const struct {
    clicked *click;
    int looks;
} places[] = {
    [PAF_HIT_NODE] = {click_node, HAND},
    [PAF_HIT_GO] = {click_go, HAND | STOP},
    [PAF_HIT_WHY] = {click_why, HAND | STOP},
    [PAF_HIT_PATH] = {click_path, HAND},
    [PAF_HIT_MARK] = {click_mark, HAND | STOP},
    [PAF_HIT_ARROW] = {click_arrow, HAND | STOP},
    [PAF_HIT_BUNDLE] = {click_bundle, HAND | STOP},
    [PAF_HIT_FINDING] = {click_finding, HAND | STOP},
    [PAF_HIT_WAITING] = {click_waiting, HAND | STOP},
    [PAF_HIT_CARD] = {click_card, HAND | STOP},
    [PAF_HIT_SECTION] = {click_section, HAND | STOP},
    [PAF_HIT_REGION] = {click_region, HAND | STOP},
    [PAF_HIT_CLOCK] = {click_clock, HAND | STOP},
    [PAF_HIT_ROW] = {click_row, 0},
    [PAF_HIT_GROUP] = {click_group, HAND | STOP},
    [PAF_HIT_LANES_KIND] = {click_lanes_kind, HAND | STOP},
    [PAF_HIT_CALL] = {click_call, HAND | STOP},
    [PAF_HIT_CALL_PLACE] = {click_call_place, HAND | STOP},
    [PAF_HIT_MESSAGES] = {click_messages, HAND | STOP},
    [PAF_HIT_FIGURE] = {click_figure, HAND | STOP},
    [PAF_HIT_SIDE_SWITCH] = {click_side_switch, HAND | STOP},
    [PAF_HIT_PARTITION] = {click_partition, HAND | STOP},
    [PAF_HIT_BAND] = {click_band, 0},
    [PAF_HIT_LANES] = {click_beside, 0},
    [PAF_HIT_LANE] = {click_beside, 0},
    [PAF_HIT_CHART] = {click_beside, 0},
};

static bool looks(const paf_hit *hit, int how)
{
    return hit && hit->kind >= 0 && (unsigned)hit->kind < G_N_ELEMENTS(places) &&
           (places[hit->kind].looks & how);
}

bool paf_canvas_is_clicked(const paf_hit *hit)
{
    return looks(hit, HAND);
}

bool paf_canvas_is_ringed(const paf_hit *hit)
{
    return looks(hit, STOP);
}

void paf_canvas_click(paf_canvas *c, const paf_deed *deed)
{
    int kind = deed->hit.kind;
    if (kind >= 0 && (unsigned)kind < G_N_ELEMENTS(places) && places[kind].click)
        places[kind].click(c, deed);
}
