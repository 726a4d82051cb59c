// SPDX-License-Identifier: MIT
//
// Pointer, wheel and keys on the canvas.
#include "paf/window/canvas_private.h"
#include "iotree/findings.h"
#include "paf/model/details.h"

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

// The list of a module's processes, over its name.
static void scroll_processes(paf_canvas *c, uint32_t module, uint32_t n, double clicks)
{
    paf_view *v = &c->view;
    int64_t first = v->scrolled == module ? v->first_process : 0;
    int64_t step = n > 1000 ? n / 100 : 3;
    v->scrolled = module;
    v->first_process = (uint32_t)CLAMP(first + (clicks > 0 ? step : -step), 0, (int64_t)n - 1);
    paf_canvas_invalidate(c);
}

// More of the chain, when the list comes to its end.
static void extend_chain(paf_canvas *c, const paf_deed *deed)
{
    (void)deed;
    if (!c->focus || c->focus->kind != PAF_FOCUS_CHAIN)
        return;
    uint32_t chosen = paf_focus_row_of(c->focus, c->view.selected);
    double first = (chosen == IOT_NONE ? 0 : chosen) + c->view.row_scroll;
    if (first + 30 > c->focus->rows->len)
        paf_focus_extend(c->session->m, c->focus);
    c->view.row_scroll = fmin(c->view.row_scroll, (double)c->focus->rows->len);
    paf_canvas_invalidate(c);
}

static void turn_wheel(void *page, const paf_hit *hit, const GdkEventScroll *e, double dx,
                       double dy)
{
    paf_canvas *c = page;
    if (hit && hit->kind == PAF_HIT_SECTION && hit->b > 1 && dy != 0) {
        scroll_processes(c, hit->a, hit->b, dy);
        return;
    }
    if (paf_rect_holds(&c->layout->rows_area, e->x, e->y) && c->layout->rows_shown < c->layout->nrows) {
        paf_canvas_scroll_rows(c, dy > 0 ? ceil(3 * dy) : floor(3 * dy));
        return;
    }
    if (paf_rect_holds(&c->layout->regions, e->x, e->y)) {
        scroll_regions(c, dy);
        return;
    }
    if (paf_rect_holds(&c->layout->frame.side, e->x, e->y)) {
        scroll_cards(c, dy);
        return;
    }
    if (c->focus && c->focus->kind == PAF_FOCUS_CHAIN &&
        paf_rect_holds(&c->layout->frame.details, e->x, e->y)) {
        c->view.row_scroll = CLAMP(c->view.row_scroll + dy * 3, -1e7, 1e7);
        paf_canvas_act(c, extend_chain, &(paf_deed){0});
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

// moves: the key is held with which it always pans.
static void begin_drag(paf_canvas *c, const paf_hit *hit, double x, double y, bool moves)
{
    c->drag = hit && hit->kind == PAF_HIT_BORDER   ? DRAG_BORDER
              : paf_canvas_can_move(c, hit)        ? DRAG_MOVE
                                                   : DRAG_NONE;
    if (c->drag != DRAG_NONE) {
        c->dragged = *hit;
        c->dragged.tip = NULL;
        return;
    }
    c->drag_x = x;
    c->drag_from = c->view.from;
    c->drag_to = c->view.to;
    if (c->layout->rows_bar.w > 0 && paf_rect_holds(&c->layout->rows_bar, x, y)) {
        c->drag = DRAG_ROWS;
        paf_canvas_drag_rows(c, y);
    } else if (paf_rect_holds(&c->layout->frame.overview, x, y)) {
        double time = overview_time(c, x), end = paf_canvas_end(c);
        bool part = c->view.to - c->view.from < end * 0.98;
        bool inside = time >= c->view.from && time <= c->view.to;
        c->drag = part && inside ? DRAG_WINDOW : DRAG_RANGE;
    } else if (paf_canvas_over_time(c, x, y)) {
        c->drag = paf_rect_holds(&c->layout->frame.chart, x, y) && !moves ? DRAG_STRETCH : DRAG_PAN;
        c->drag_from = c->drag == DRAG_STRETCH ? paf_canvas_time_at(c, x) : c->drag_from;
    }
}

// From where the drag began to the time; which: it has ended.
static void mark_stretch(paf_canvas *c, const paf_deed *deed)
{
    double end = paf_end(c->session->m, c->view.clock);
    int64_t a = (int64_t)llround(CLAMP(c->drag_from, 1, end));
    int64_t b = (int64_t)llround(CLAMP(deed->time, 1, end));
    paf_focus *f = paf_focus_on_stretch(c->session->m, c->view.clock, MIN(a, b), MAX(a, b), deed->which);
    if (c->focus && c->focus->kind == PAF_FOCUS_STRETCH)
        paf_canvas_set_focus(c, f);
    else
        paf_canvas_focus_on(c, f);
    c->view.selected = IOT_NONE;
    paf_canvas_invalidate(c);
}

static void continue_drag(void *page, double x, double y)
{
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
    case DRAG_STRETCH:
        paf_canvas_act(c, mark_stretch, &(paf_deed){.time = paf_canvas_time_at(c, x), .which = false});
        return;
    case DRAG_ROWS:
        paf_canvas_drag_rows(c, y);
        return;
    case DRAG_MOVE:
        paf_canvas_move_over(c, paf_hit_at(c->layout->picture, x, y));
        return;
    case DRAG_BORDER:
        paf_canvas_drag_border(c, x, y);
        return;
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
        begin_drag(c, hit, e->x, e->y, e->state & GDK_SHIFT_MASK);
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
    if (dragged && c->drag == DRAG_STRETCH)
        paf_canvas_act(c, mark_stretch, &(paf_deed){.time = paf_canvas_time_at(c, e->x), .which = true});
    if (dragged && c->drag == DRAG_MOVE)
        paf_canvas_drop(c, hit);
    c->drag = DRAG_NONE;
    if (!dragged && hit)
        paf_canvas_act(c, paf_canvas_click, &(paf_deed){.hit = *hit, .time = paf_canvas_time_at(c, e->x)});
}

static void give_up(void *page)
{
    ((paf_canvas *)page)->drag = DRAG_NONE;
    paf_canvas_move_over(page, NULL);
}

// ---------------------------------------------------------------------------------------------
// Hovering

static const char *cursor_of(void *page, const paf_hit *hit)
{
    const paf_canvas *c = page;
    if (c->drag == DRAG_PAN && paf_widget_is_dragged(c->widget))
        return "grabbing";
    if (c->drag == DRAG_MOVE && paf_widget_is_dragged(c->widget))
        return c->view.drop == IOT_NONE ? "grabbing" : "copy";
    if (hit && hit->kind == PAF_HIT_BORDER)
        return hit->a == PAF_BORDER_BOTTOM ? "row-resize" : "col-resize";
    return paf_canvas_is_clicked(hit) ? "pointer" : "default";
}

// The arrows of the pair of modules under the pointer are lit, unless a worker has the session.
static void point_at_pair(paf_canvas *c, const paf_hit *hit)
{
    bool pair = hit && hit->kind == PAF_HIT_BUNDLE && c->session && c->session->m->complete;
    if (!pair)
        paf_canvas_set_pointed(c, NULL);
    if (!pair || (c->pointed && c->pointed->from_module == hit->a && c->pointed->to_module == hit->b) ||
        !g_mutex_trylock(&c->session->lock))
        return;
    paf_canvas_set_pointed(c, paf_focus_on_pair(c->session->m, c->view.clock, hit->a, hit->b));
    g_mutex_unlock(&c->session->lock);
}

static void hover(void *page, const paf_hit *hit, double x, double y)
{
    paf_canvas *c = page;
    bool over = !isnan(x) && paf_canvas_over_time(c, x, y);
    uint32_t node = c->view.hover, link = c->view.hover_link;
    const paf_focus *pair = c->pointed;
    c->view.pointer = over ? paf_canvas_time_at(c, x) : NAN;
    c->view.hover = hit && hit->kind == PAF_HIT_NODE ? hit->b : IOT_NONE;
    c->view.hover_link = hit && hit->kind == PAF_HIT_ARROW ? hit->a : IOT_NONE;
    point_at_pair(c, hit);
    if (!c->session)
        return;
    if (c->view.hover != node || c->view.hover_link != link || c->pointed != pair)
        paf_canvas_invalidate(c);
    else
        gtk_widget_queue_draw(paf_widget_area(c->widget));
}

static void draw_over(void *page, cairo_t *cr)
{
    const paf_canvas *c = page;
    if (!c->session || !c->layout || isnan(c->view.pointer))
        return;
    paf_picture *p = paf_pointer_picture(c->session->t, &c->view, c->layout, c->text);
    paf_picture_draw(p, cr);
    paf_picture_destroy(p);
}

// ---------------------------------------------------------------------------------------------
// Tips

// A tip is not worth waiting for.
static char *tip(void *page, const paf_hit *hit, double x, double y)
{
    (void)y;
    const paf_canvas *c = page;
    if (!g_mutex_trylock(&c->session->lock))
        return NULL;
    char *text = paf_canvas_tip(c, hit, x);
    g_mutex_unlock(&c->session->lock);
    return text;
}

// ---------------------------------------------------------------------------------------------
// Keys

// Letters mean the same with and without Shift.
static const struct {
    guint key;
    GdkModifierType with; // Shift or Alt
    paf_action action;
} keys[] = {
    {GDK_KEY_plus, 0, PAF_DO_ZOOM_IN},
    {GDK_KEY_equal, 0, PAF_DO_ZOOM_IN},
    {GDK_KEY_KP_Add, 0, PAF_DO_ZOOM_IN},
    {GDK_KEY_w, 0, PAF_DO_ZOOM_IN},
    {GDK_KEY_minus, 0, PAF_DO_ZOOM_OUT},
    {GDK_KEY_KP_Subtract, 0, PAF_DO_ZOOM_OUT},
    {GDK_KEY_s, 0, PAF_DO_ZOOM_OUT},
    {GDK_KEY_Left, 0, PAF_DO_LEFT},
    {GDK_KEY_a, 0, PAF_DO_LEFT},
    {GDK_KEY_Right, 0, PAF_DO_RIGHT},
    {GDK_KEY_d, 0, PAF_DO_RIGHT},
    {GDK_KEY_Home, 0, PAF_DO_HOME},
    {GDK_KEY_End, 0, PAF_DO_END},
    {GDK_KEY_f, 0, PAF_DO_FIT},
    {GDK_KEY_c, 0, PAF_DO_CLOCK},
    {GDK_KEY_o, 0, PAF_DO_BY_WAIT},
    {GDK_KEY_Page_Up, 0, PAF_DO_ROWS_UP},
    {GDK_KEY_Page_Down, 0, PAF_DO_ROWS_DOWN},
    {GDK_KEY_k, 0, PAF_DO_ROWS_HIGHER},
    {GDK_KEY_j, 0, PAF_DO_ROWS_LOWER},
    {GDK_KEY_h, 0, PAF_DO_ROWS_FOLD},
    {GDK_KEY_v, 0, PAF_DO_LANES},
    {GDK_KEY_e, 0, PAF_DO_FIGURE},
    {GDK_KEY_b, 0, PAF_DO_SIDE},
    {GDK_KEY_r, 0, PAF_DO_REGION},
    {GDK_KEY_x, 0, PAF_DO_PATH},
    {GDK_KEY_slash, 0, PAF_DO_FIND},
    {GDK_KEY_F3, 0, PAF_DO_FIND_NEXT},
    {GDK_KEY_F3, GDK_SHIFT_MASK, PAF_DO_FIND_PREVIOUS},
    {GDK_KEY_comma, 0, PAF_DO_PATH_BEFORE},
    {GDK_KEY_period, 0, PAF_DO_PATH_AFTER},
    {GDK_KEY_less, 0, PAF_DO_MODULE_BEFORE},
    {GDK_KEY_greater, 0, PAF_DO_MODULE_AFTER},
    {GDK_KEY_Tab, 0, PAF_DO_NEXT},
    {GDK_KEY_n, 0, PAF_DO_NEXT},
    {GDK_KEY_Tab, GDK_SHIFT_MASK, PAF_DO_PREVIOUS},
    {GDK_KEY_ISO_Left_Tab, 0, PAF_DO_PREVIOUS},
    {GDK_KEY_p, 0, PAF_DO_PREVIOUS},
    {GDK_KEY_Return, 0, PAF_DO_WHY},
    {GDK_KEY_KP_Enter, 0, PAF_DO_WHY},
    {GDK_KEY_BackSpace, 0, PAF_DO_BACK},
    {GDK_KEY_Left, GDK_MOD1_MASK, PAF_DO_BACK},
    {GDK_KEY_Right, GDK_MOD1_MASK, PAF_DO_FORWARD},
    {GDK_KEY_Down, 0, PAF_DO_RING_NEXT},
    {GDK_KEY_Up, 0, PAF_DO_RING_PREVIOUS},
    {GDK_KEY_space, 0, PAF_DO_PRESS},
    {GDK_KEY_Escape, 0, PAF_DO_DESELECT},
};

// One that needs Shift to be typed has no Shift in the table.
static bool is_pressed(guint key, GdkModifierType with, const GdkEventKey *e)
{
    GdkModifierType state = e->state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_MOD1_MASK);
    bool named = key > 255; // Home, F3: no character
    if (key < 128 && g_ascii_isalpha((char)key))
        return gdk_keyval_to_lower(e->keyval) == key && (state & ~GDK_SHIFT_MASK) == with;
    return e->keyval == key &&
           (named && key != GDK_KEY_ISO_Left_Tab ? state : state & ~GDK_SHIFT_MASK) == with;
}

bool paf_canvas_key(paf_canvas *c, const GdkEventKey *e)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
        if (is_pressed(keys[i].key, keys[i].with, e)) {
            paf_canvas_do(c, keys[i].action);
            return true;
        }
    if (e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK))
        return false;
    guint key = gdk_keyval_to_lower(e->keyval);
    if (c->session && key >= GDK_KEY_1 && key <= GDK_KEY_9) {
        paf_canvas_act(c, paf_canvas_show_numbered, &(paf_deed){.which = key - GDK_KEY_1});
        return true;
    }
    if (c->session && key > 0 && key < 128 && strchr("gmiuz", (int)key))
        paf_widget_note(c->widget, "That is a key of the table: Ctrl+B shows it");
    return false;
}

// ---------------------------------------------------------------------------------------------

// ---------------------------------------------------------------------------------------------
// Without a pointer

static void activate(void *page, const paf_hit *hit)
{
    paf_canvas *c = page;
    if (c->session && c->layout && !c->paused)
        paf_canvas_act(c, paf_canvas_click,
                       &(paf_deed){.hit = *hit,
                                   .time = paf_canvas_time_at(c, hit->place.x + hit->place.w / 2)});
}

// Boxes have keys of their own.
static bool stops(void *page, const paf_hit *hit)
{
    (void)page;
    return paf_canvas_is_ringed(hit);
}

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
    .draw_over = draw_over,
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
    .name = paf_canvas_name,
    .activate = activate,
    .stops = stops,
    .gone = gone,
};
