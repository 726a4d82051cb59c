// SPDX-License-Identifier: MIT
//
// Pointer, wheel and keys on the canvas.
#include "paf/window/canvas_private.h"
#include "iotree/findings.h"
#include "paf/model/details.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Wheel

static void scroll_cards(paf_canvas *c, double clicks)
{
    if (clicks > 0 && c->layout->more_cards)
        c->view.first_card++;
    else if (clicks < 0 && c->view.first_card > 0)
        c->view.first_card--;
    paf_canvas_invalidate(c);
}

static void scroll_source(paf_canvas *c, double clicks)
{
    c->view.source_scroll = CLAMP(c->view.source_scroll + clicks * 3, -100000, 100000);
    paf_canvas_invalidate(c);
}

static void scroll_regions(paf_canvas *c, double clicks)
{
    if (clicks > 0 && c->layout->more_regions)
        c->view.first_region++;
    else if (clicks < 0 && c->view.first_region > 0)
        c->view.first_region--;
    paf_canvas_invalidate(c);
}

static void turn_wheel(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx,
                       double dy)
{
    (void)hit;
    paf_canvas *c = page;
    if (paf_rect_holds(&c->layout->regions, e->x, e->y)) {
        scroll_regions(c, dy);
        return;
    }
    if (paf_rect_holds(&c->layout->frame.side, e->x, e->y)) {
        scroll_cards(c, dy);
        return;
    }
    if (paf_rect_holds(&c->layout->frame.source, e->x, e->y)) {
        scroll_source(c, dy);
        return;
    }
    if (e->state & GDK_SHIFT_MASK) {
        dx += dy;
        dy = 0;
    }
    double width = c->view.to - c->view.from;
    if (dx != 0)
        paf_canvas_set_window(c, c->view.from + dx * width / 12, c->view.to + dx * width / 12);
    if (dy != 0) {
        const paf_frame *f = &c->layout->frame;
        double x = CLAMP(e->x, f->plot_x, f->plot_x + f->plot_w);
        paf_canvas_zoom(c, pow(1.25, -dy), paf_canvas_time_at(c, x));
    }
}

// ---------------------------------------------------------------------------------------------
// Clicks

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

// Where a note or a finding is: its reduction, or else the first by its clause.
static void select_finding(paf_canvas *c, uint32_t index)
{
    const iot *a = c->session->a;
    uint32_t notes = iot_nnotes(a), r, clause;
    if (index < notes) {
        r = iot_get_note(a, index)->reduction;
        clause = iot_get_note(a, index)->clause;
    } else {
        r = iot_get_finding(a, false, index - notes)->reduction;
        clause = iot_get_finding(a, false, index - notes)->clause;
    }
    for (uint32_t i = 1;
         r == IOT_NONE && clause != IOT_NONE && i < trace_nreductions(c->session->t); i++)
        if (trace_reduction_clause(c->session->t, i) == clause)
            r = i;
    if (r != IOT_NONE)
        paf_canvas_select(c, r);
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

static void click(paf_canvas *c, const paf_deed *deed)
{
    const paf_hit *hit = &deed->hit;
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        paf_canvas_select(c, hit->b);
        break;
    case PAF_HIT_GO:
    case PAF_HIT_WHY:
        paf_canvas_select(c, hit->a);
        break;
    case PAF_HIT_FINDING:
        select_finding(c, hit->a);
        break;
    case PAF_HIT_CARD:
        select_critical(c, hit->a);
        break;
    case PAF_HIT_SECTION:
        toggle_fold(c, hit->a);
        break;
    case PAF_HIT_REGION:
        choose_region(c, hit->a);
        break;
    case PAF_HIT_CLOCK:
        paf_canvas_do(c, PAF_DO_CLOCK);
        break;
    case PAF_HIT_ROW:
        paf_canvas_select(c, paf_timeline_activity(paf_timeline_by(c->session->m, c->view.clock),
                                                   hit->a, deed->time));
        break;
    case PAF_HIT_PARTITION:
        c->asked(c->data, PAF_ASK_EDIT, NULL);
        break;
    case PAF_HIT_BAND:
        if (hit->a != IOT_NONE && hit->a < c->folded->len &&
            g_array_index(c->folded, guint8, hit->a))
            toggle_fold(c, hit->a);
        else
            paf_canvas_zoom(c, 2, deed->time);
        break;
    case PAF_HIT_LANES:
    case PAF_HIT_LANE:
    case PAF_HIT_CHART:
        paf_canvas_select(c, IOT_NONE);
        break;
    default:
        break;
    }
}

// A double click on a node shows it from edge to edge.
static void zoom_to_node(paf_canvas *c, const paf_deed *deed)
{
    uint32_t reduction = deed->hit.b;
    if (c->view.clock == IOT_REAL_TIME) {
        double start = (double)trace_start(c->session->t, reduction);
        double end = (double)trace_end(c->session->t, reduction),
               edge = fmax((end - start) * 0.2, 2);
        paf_canvas_set_window(c, start - edge, end + edge);
        return;
    }
    const iot_node *node = paf_node_of_reduction(c->session->m, reduction, NULL, NULL);
    if (!node)
        return;
    double from = (double)(node->ninputs ? node->input_from : node->output_from);
    double to = (double)node->output_to, margin = fmax((to - from) * 0.2, 2);
    paf_canvas_set_window(c, from - margin, to + margin);
}

// ---------------------------------------------------------------------------------------------
// Dragging

static double overview_time(const paf_canvas *c, double x)
{
    const paf_rect *r = &c->layout->frame.overview;
    return CLAMP((x - r->x) / r->w, 0, 1) * paf_canvas_end(c);
}

static void begin_drag(paf_canvas *c, double x, double y)
{
    c->drag = DRAG_NONE;
    c->drag_x = x;
    c->drag_from = c->view.from;
    c->drag_to = c->view.to;
    if (paf_rect_holds(&c->layout->frame.overview, x, y)) {
        double time = overview_time(c, x), end = paf_canvas_end(c);
        bool part = c->view.to - c->view.from < end * 0.98;
        bool inside = time >= c->view.from && time <= c->view.to;
        c->drag = part && inside ? DRAG_WINDOW : DRAG_RANGE;
    } else if (paf_canvas_over_time(c, x, y)) {
        c->drag = DRAG_PAN;
    }
}

static void continue_drag(void *page, double x, double y)
{
    (void)y;
    paf_canvas *c = page;
    double shift = 0;
    switch (c->drag) {
    case DRAG_PAN:
        shift = -(x - c->drag_x) / c->layout->frame.plot_w * (c->drag_to - c->drag_from);
        break;
    case DRAG_WINDOW:
        shift = overview_time(c, x) - overview_time(c, c->drag_x);
        break;
    case DRAG_RANGE: {
        double a = overview_time(c, c->drag_x), b = overview_time(c, x);
        paf_canvas_set_window(c, fmin(a, b), fmax(a, b));
        return;
    }
    case DRAG_NONE:
        return;
    }
    paf_canvas_set_window(c, c->drag_from + shift, c->drag_to + shift);
}

static bool press(void *page, const paf_hit *hit, const GdkEventButton *e)
{
    paf_canvas *c = page;
    if (gdk_event_triggers_context_menu((const GdkEvent *)e)) {
        if (hit)
            paf_canvas_act(c, paf_canvas_popup,
                           &(paf_deed){.hit = *hit, .event = gdk_event_copy((const GdkEvent *)e)});
        return false;
    }
    if (e->button == GDK_BUTTON_PRIMARY && e->type == GDK_BUTTON_PRESS) {
        begin_drag(c, e->x, e->y);
        return c->drag != DRAG_NONE;
    }
    if (e->type == GDK_2BUTTON_PRESS && hit && hit->kind == PAF_HIT_NODE)
        paf_canvas_act(c, zoom_to_node, &(paf_deed){.hit = *hit});
    return false;
}

static void release(void *page, const paf_hit *hit, const GdkEventButton *e, bool dragged)
{
    paf_canvas *c = page;
    if (e->button != GDK_BUTTON_PRIMARY)
        return;
    c->drag = DRAG_NONE;
    if (!dragged && hit)
        paf_canvas_act(c, click, &(paf_deed){.hit = *hit, .time = paf_canvas_time_at(c, e->x)});
}

static void give_up(void *page)
{
    ((paf_canvas *)page)->drag = DRAG_NONE;
}

// ---------------------------------------------------------------------------------------------
// Hovering

static const char *cursor_of(void *page, const paf_hit *hit)
{
    const paf_canvas *c = page;
    if (c->drag == DRAG_PAN && paf_widget_is_dragged(c->widget))
        return "grabbing";
    switch (hit ? (paf_hit_kind)hit->kind : PAF_HIT_NONE) {
    case PAF_HIT_NODE:
    case PAF_HIT_GO:
    case PAF_HIT_WHY:
    case PAF_HIT_FINDING:
    case PAF_HIT_CARD:
    case PAF_HIT_SECTION:
    case PAF_HIT_PARTITION:
    case PAF_HIT_REGION:
    case PAF_HIT_CLOCK:
        return "pointer";
    default:
        return "default";
    }
}

static void hover(void *page, const paf_hit *hit, double x, double y)
{
    paf_canvas *c = page;
    bool over = !isnan(x) && paf_canvas_over_time(c, x, y);
    c->view.pointer = over ? paf_canvas_time_at(c, x) : NAN;
    c->view.hover = hit && hit->kind == PAF_HIT_NODE ? hit->b : IOT_NONE;
    if (c->session)
        paf_canvas_invalidate(c);
}

// ---------------------------------------------------------------------------------------------
// Tips

// What each module did at a step (or in the interval that a pixel covers).
static char *chart_tip(const paf_canvas *c, double x)
{
    const paf_model *m = c->session->m;
    double per_pixel = (c->view.to - c->view.from) / c->layout->frame.plot_w;
    int64_t width = (int64_t)fmax(ceil(per_pixel), 1);
    int64_t from = (int64_t)round(paf_canvas_time_at(c, x));
    if (from < 1 || (double)from > paf_end(m, c->view.clock))
        return NULL;
    char *at = paf_moment(c->session->t, from);
    GString *s = g_string_new(NULL);
    iot_bucket b;
    iot_profile_by(m->a, c->view.clock, IOT_REDUCTIONS, IOT_NONE, from, width, 1, &b);
    if (width == 1)
        g_string_printf(s, "at %s: %" PRIu64, at, b.sum);
    else {
        char *interval = paf_duration(m->t, width);
        g_string_printf(s, "from %s, mean of %s: %.1f, peak %" PRIu64, at, interval,
                        (double)b.sum / (double)width, b.peak);
        g_free(interval);
    }
    for (uint32_t rank = 0, lines = 0; rank < m->nmodules && lines < 12; rank++) {
        uint32_t module = m->order[rank];
        iot_profile_by(m->a, c->view.clock, IOT_REDUCTIONS, module, from, width, 1, &b);
        iot_bucket w;
        iot_profile_by(m->a, c->view.clock, IOT_WAITING, module, from, width, 1, &w);
        if (b.sum == 0 && w.sum == 0)
            continue;
        g_string_append_printf(s, "\n%s: %.3g", iot_get_module(m->a, module)->name,
                               (double)b.sum / (double)width);
        if (w.sum)
            g_string_append_printf(s, " · %.3g waiting", (double)w.sum / (double)width);
        lines++;
    }
    g_free(at);
    return g_string_free(s, FALSE);
}

static char *card_tip(const paf_canvas *c, uint32_t module)
{
    const paf_model *m = c->session->m;
    const iot_module *info = iot_get_module(m->a, module);
    char *work = paf_work(c->session->t, info->work);
    char *processes = paf_count(info->processes, "process", "processes");
    char *waits = m->complete ? paf_number(m->waits[module]) : g_strdup("(being computed)");
    char *awaited = m->complete ? paf_number(m->awaited[module]) : g_strdup("(being computed)");
    char *first = paf_moment(c->session->t, info->first),
         *last = paf_moment(c->session->t, info->last);
    char *text = g_strdup_printf("%s\n%s in %s\nfrom %s to %s · parallelism %.1f · peak %" PRIu64
                                 "\nwaits %s · is awaited %s",
                                 info->name, work, processes, first, last, info->parallelism,
                                 info->peak, waits, awaited);
    g_free(work);
    g_free(processes);
    g_free(waits);
    g_free(awaited);
    g_free(first);
    g_free(last);
    return text;
}

static char *lane_tip(const paf_canvas *c, uint32_t process)
{
    const iot_process *p = iot_get_process(c->session->a, process);
    char *goal = paf_goal_text(c->session->t, p->goal, p->created, 14);
    char *members = paf_count(p->members, "reduction", "reductions");
    char *created = paf_moment(c->session->t, p->created);
    char *last = paf_moment(c->session->t, p->last);
    char *text =
        g_strdup_printf("%s\nprocess of %s, created %s, last reduced %s\n%s", goal,
                        iot_get_module(c->session->a, p->module)->name, created, last, members);
    g_free(goal);
    g_free(members);
    g_free(created);
    g_free(last);
    return text;
}

// What the place did at the time.
static char *row_tip(const paf_canvas *c, uint32_t place, double x)
{
    uint32_t r = paf_timeline_activity(paf_timeline_by(c->session->m, c->view.clock), place,
                                       paf_canvas_time_at(c, x));
    return r == IOT_NONE ? NULL : paf_reduction_tip(c->session->m, r);
}

static char *region_tip(const paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    if (!all || region >= all->nregions)
        return g_strdup("The whole program: its statistics");
    const trace_region *r = &all->regions[region];
    char *took = paf_duration(c->session->t, (int64_t)r->elapsed);
    char *times = paf_count(r->nteams, "time", "times");
    char *text =
        g_strdup_printf("parallel region %s:%" PRIu32 "\nexecuted %s by up to %" PRIu32
                        " threads, %s\nclick: its statistics and source; again: zoom to it",
                        r->file, r->line, times, r->threads, took);
    g_free(took);
    g_free(times);
    return text;
}

static char *bundle_tip(const paf_canvas *c, uint32_t from, uint32_t to)
{
    const iot *a = c->session->a;
    for (uint32_t i = 0; i < iot_ndependencies(a); i++) {
        const iot_dependency *d = iot_get_dependency(a, i);
        if (d->from != from || d->to != to)
            continue;
        char *count = paf_count(d->count, "time", "times"), *wait = paf_number(d->wait);
        char *lag = paf_number((uint64_t)MAX(d->lag, 0)), *words = paf_number(d->words);
        char *text = g_strdup_printf("%s gives to %s %s\nwaited for: %s · lay unread: %s · "
                                     "words: %s",
                                     iot_get_module(a, from)->name, iot_get_module(a, to)->name,
                                     count, wait, lag, words);
        g_free(count);
        g_free(wait);
        g_free(lag);
        g_free(words);
        return text;
    }
    return NULL;
}

static char *clock_tip(const paf_canvas *c, bool both)
{
    if (!both)
        return g_strdup("Virtual time only: this run is of the ideal machine\n"
                        "fleng -time=real -trace records both clocks");
    return g_strdup(trace_is_measured(c->session->t)
                        ? "Real time, or the run replayed with as many processors as it can use (C)"
                        : "Real time as the workers ran, or virtual time (C)");
}

static char *tip_of(const paf_canvas *c, const paf_hit *hit, double x)
{
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        return paf_reduction_tip(c->session->m, hit->b);
    case PAF_HIT_GO:
        return paf_reduction_tip(c->session->m, hit->a);
    case PAF_HIT_ROW:
        return row_tip(c, hit->a, x);
    case PAF_HIT_REGION:
        return region_tip(c, hit->a);
    case PAF_HIT_CLOCK:
        return clock_tip(c, hit->a);
    case PAF_HIT_CHART:
        return chart_tip(c, x);
    case PAF_HIT_CARD:
        return card_tip(c, hit->a);
    case PAF_HIT_SECTION:
        return g_strdup_printf("%s: click to fold its processes into one band, or unfold them",
                               iot_get_module(c->session->a, hit->a)->name);
    case PAF_HIT_LANE:
        return lane_tip(c, hit->a);
    case PAF_HIT_BAND: {
        char *n = paf_count(hit->b, "process", "processes");
        char *text = g_strdup_printf("%s, folded: zoom in to see them", n);
        g_free(n);
        return text;
    }
    case PAF_HIT_BUNDLE:
        return bundle_tip(c, hit->a, hit->b);
    default:
        return NULL;
    }
}

// A tip is not worth waiting for.
static char *tip(void *page, const paf_hit *hit, double x, double y)
{
    (void)y;
    const paf_canvas *c = page;
    if (!g_mutex_trylock(&c->session->lock))
        return NULL;
    char *text = tip_of(c, hit, x);
    g_mutex_unlock(&c->session->lock);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Keys

bool paf_canvas_key(paf_canvas *c, const GdkEventKey *e)
{
    static const struct {
        guint key;
        paf_action action;
    } keys[] = {
        {GDK_KEY_plus, PAF_DO_ZOOM_IN},
        {GDK_KEY_equal, PAF_DO_ZOOM_IN},
        {GDK_KEY_KP_Add, PAF_DO_ZOOM_IN},
        {GDK_KEY_minus, PAF_DO_ZOOM_OUT},
        {GDK_KEY_KP_Subtract, PAF_DO_ZOOM_OUT},
        {GDK_KEY_Left, PAF_DO_LEFT},
        {GDK_KEY_Right, PAF_DO_RIGHT},
        {GDK_KEY_Home, PAF_DO_HOME},
        {GDK_KEY_End, PAF_DO_END},
        {GDK_KEY_f, PAF_DO_FIT},
        {GDK_KEY_F, PAF_DO_FIT},
        {GDK_KEY_c, PAF_DO_CLOCK},
        {GDK_KEY_C, PAF_DO_CLOCK},
        {GDK_KEY_r, PAF_DO_REGION},
        {GDK_KEY_R, PAF_DO_REGION},
        {GDK_KEY_slash, PAF_DO_FIND},
        {GDK_KEY_Tab, PAF_DO_NEXT},
        {GDK_KEY_n, PAF_DO_NEXT},
        {GDK_KEY_p, PAF_DO_PREVIOUS},
        {GDK_KEY_ISO_Left_Tab, PAF_DO_PREVIOUS},
        {GDK_KEY_Return, PAF_DO_WHY},
        {GDK_KEY_KP_Enter, PAF_DO_WHY},
        {GDK_KEY_BackSpace, PAF_DO_BACK},
        {GDK_KEY_Escape, PAF_DO_DESELECT},
    };
    if (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))
        return false;
    guint key =
        e->keyval == GDK_KEY_Tab && (e->state & GDK_SHIFT_MASK) ? GDK_KEY_ISO_Left_Tab : e->keyval;
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
        if (keys[i].key == key) {
            paf_canvas_do(c, keys[i].action);
            return true;
        }
    if (c->session && key > 0 && key < 128 && strchr("1234eagmiIu ", (int)key))
        paf_widget_note(c->widget, "That is a key of the table: Ctrl+B shows it");
    return false;
}

// ---------------------------------------------------------------------------------------------

static const paf_picture *picture(void *page)
{
    const paf_canvas *c = page;
    return c->layout ? c->layout->picture : NULL;
}

static bool answers(void *page)
{
    const paf_canvas *c = page;
    return c->session && c->layout && !c->paused;
}

static void refresh(void *page)
{
    paf_canvas_refresh(page);
}

static void gone(void *page)
{
    paf_canvas_gone(page);
}

const paf_page paf_canvas_page = {
    .picture = picture,
    .answers = answers,
    .refresh = refresh,
    .press = press,
    .drag = continue_drag,
    .slop = 4,
    .release = release,
    .give_up = give_up,
    .hover = hover,
    .cursor = cursor_of,
    .tip = tip,
    .wheel = turn_wheel,
    .gone = gone,
};
