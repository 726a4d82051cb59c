// SPDX-License-Identifier: MIT
//
// Where the places of a measured run were in the stretch that is shown: a row for each routine, loop and
// construct, with all places beside each other; below the chosen one what it called; and the chosen one
// large.
#include "paf/layout/layout_private.h"
#include "paf/model/calls.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define HEAD   24.0
#define ROW    20.0
#define LEAST_NAME 120.0
#define FIGURE 66.0
#define EVEN   72.0
#define GAP    16.0
#define INDENT 18.0
#define PANEL  124.0 // of the chosen one
#define ROOM   230.0 // that a place needs to have a panel

// A row: a call, or one of the callees of the chosen one (itself: what it did in none of them).
typedef struct {
    const paf_called *call;
    const paf_callee *callee; // or NULL
    bool itself;
} line;

typedef struct {
    const paf_calls *calls;
    const paf_called *chosen;
    double name_x, name_w, inclusive, exclusive, waits, even, strip_x, strip_w; // right borders of figures
} columns;

bool paf_lanes_there(const paf_model *m, iot_clock clock, bool ret[3])
{
    paf_timeline *l = clock == IOT_REAL_TIME ? m->timeline : m->replayed;
    bool rows = l && trace_is_measured(m->t);
    ret[PAF_LANES_ROWS] = l != NULL;
    ret[PAF_LANES_CALLS] = rows;
    ret[PAF_LANES_MESSAGES] = rows && paf_has_messages(l, NULL);
    return l != NULL;
}

paf_lanes_kind paf_lanes_shown(const paf_model *m, const paf_view *view)
{
    bool there[3];
    paf_lanes_kind asked = view->kind == PAF_VIEW_CALLS      ? PAF_LANES_CALLS
                           : view->kind == PAF_VIEW_MESSAGES ? PAF_LANES_MESSAGES
                           : view->kind == PAF_VIEW_ALL      ? view->lanes_kind
                                                             : PAF_LANES_ROWS;
    return paf_lanes_there(m, view->clock, there) && there[asked] ? asked : PAF_LANES_ROWS;
}

void paf_draw_lanes_tabs(paf_drawing *d, double x, double y)
{
    static const char *const names[] = {"Rows", "Calls", "Messages"};
    bool there[3];
    paf_lanes_kind shown = paf_lanes_shown(d->m, d->v);
    if (!paf_lanes_there(d->m, d->v->clock, there) || !there[PAF_LANES_CALLS] || d->v->kind != PAF_VIEW_ALL)
        return;
    for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (!there[i])
            continue;
        bool on = i == shown;
        paf_colour ink = on ? d->theme->ink : d->theme->amber;
        double w = paf_write(d->pic, PAF_TEXT_SMALL, ink, x, y, 0, 0, names[i]);
        if (on) {
            paf_box(d->pic, x, y + 4, w, 1.5);
            paf_fill(d->pic, d->theme->ink, 0);
        }
        paf_add_hit(d->pic, (paf_rect){x - 3, y - 12, w + 6, 18}, PAF_HIT_LANES_KIND, i, 0);
        x += w + 10;
    }
}

// ---------------------------------------------------------------------------------------------
// Rows

static GArray *list_lines(const columns *c)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(line));
    for (uint32_t i = 0; i < c->calls->n; i++) {
        line row = {&c->calls->calls[i], NULL, false};
        g_array_append_val(lines, row);
        if (row.call != c->chosen || row.call->ncallees == 0)
            continue;
        for (uint32_t k = 0; k < row.call->ncallees; k++) {
            line callee = {row.call, &c->calls->callees[row.call->first_callee + k], false};
            g_array_append_val(lines, callee);
        }
        line itself = {row.call, NULL, true};
        g_array_append_val(lines, itself);
    }
    return lines;
}

static columns make_columns(const paf_drawing *d, const paf_calls *calls, paf_rect place)
{
    columns c = {.calls = calls, .name_x = place.x + 14};
    c.chosen = paf_call_of(calls, d->v->call);
    if (!c.chosen && calls->n > 0)
        c.chosen = &calls->calls[0];
    // Columns that have no room are left out from the right.
    double room = place.w - 28 - LEAST_NAME, figures = 3 * FIGURE + EVEN;
    double *const rights[] = {&c.inclusive, &c.exclusive, &c.waits, &c.even};
    c.name_w = CLAMP(place.w - 28 - figures - 200, LEAST_NAME, 260);
    double x = c.name_x + c.name_w;
    for (unsigned i = 0; i < G_N_ELEMENTS(rights); i++) {
        double w = i < 3 ? FIGURE : EVEN;
        room -= w;
        x += w;
        *rights[i] = room >= 0 ? x : 0;
    }
    c.strip_x = x + GAP;
    c.strip_w = place.x + place.w - 26 - c.strip_x;
    return c;
}

static void write_figure(paf_drawing *d, double right, double y, int64_t time)
{
    if (right <= 0)
        return;
    char *text = time > 0 ? paf_duration_by(d->m->t, d->v->clock, time) : g_strdup("–");
    paf_write(d->pic, PAF_TEXT_SMALL, time > 0 ? d->theme->ink : d->theme->quiet, right, y, 0, 1, text);
    g_free(text);
}

// The longest time of a cell, waiting and all.
static double most_inside(const paf_calls *calls, const paf_called *call)
{
    double most = 0;
    for (uint32_t i = 0; i < calls->ncells; i++)
        most = fmax(most, call->inside[i]);
    return most;
}

// A bar for each cell, from below: what it ran itself, what it called ran, and, pale, what waited.
static void draw_cells(paf_drawing *d, const paf_calls *calls, const paf_called *call, paf_rect place)
{
    double step = place.w / calls->ncells, gap = step >= 4 ? 1 : 0, bottom = place.y + place.h;
    double most = most_inside(calls, call);
    paf_colour colour = paf_colour_of(d, call->module);
    const double *const own[] = {call->inside, call->inside, call->own};
    const paf_colour colours[] = {paf_mix(colour, d->theme->track, 0.22),
                                  paf_mix(colour, d->theme->track, 0.55), colour};
    for (int part = 0; part < 3; part++) {
        for (uint32_t i = 0; i < calls->ncells && most > 0; i++) {
            double h = (own[part][i] - (part == 1 ? call->waits[i] : 0)) / most * place.h;
            if (h > 0.2)
                paf_box(d->pic, place.x + i * step, bottom - h, fmax(step - gap, 0.5), h);
        }
        paf_fill(d->pic, colours[part], 0);
    }
}

static void draw_call(paf_drawing *d, const columns *c, const line *row, double y)
{
    const paf_called *call = row->call;
    uint32_t cell;
    double even = paf_call_imbalance(c->calls, call, &cell);
    write_figure(d, c->exclusive, y + 14, call->exclusive);
    write_figure(d, c->waits, y + 14, call->waiting);
    if (c->calls->nplaces > 1 && c->even > 0) {
        char *text = g_strdup_printf("× %.1f", even);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, c->even, y + 14, 0, 1, text);
        g_free(text);
    }
    if (c->strip_w > 40) {
        paf_box(d->pic, c->strip_x, y + ROW - 2, c->strip_w, 1);
        paf_fill(d->pic, d->theme->grid, 0);
        draw_cells(d, c->calls, call, (paf_rect){c->strip_x, y + 2, c->strip_w, ROW - 4});
    }
}

static void draw_line(paf_drawing *d, const columns *c, const line *row, double y, double right)
{
    bool head = !row->callee && !row->itself;
    uint32_t module = row->callee ? row->callee->callee : row->call->module;
    double x = c->name_x + (head ? 0 : INDENT);
    if (row->call == c->chosen && head) {
        paf_round_box(d->pic, c->name_x - 6, y, right - c->name_x + 12, ROW, 4);
        paf_fill(d->pic, paf_alpha(d->theme->amber, 0.16), 0);
    }
    if (!row->itself)
        paf_draw_swatch(d, x, y + 5, 10, module);
    const char *name = row->itself ? "itself" : iot_get_module(d->m->a, module)->name;
    paf_colour ink = row->itself ? d->theme->quiet : d->theme->ink;
    paf_write_name(d->pic, head ? PAF_TEXT_BODY : PAF_TEXT_SMALL, ink, x + 16, y + 14,
                   c->name_x + c->name_w - x - 16, 0, name);
    write_figure(d, c->inclusive, y + 14,
                 row->callee ? row->callee->time : row->itself ? row->call->exclusive : row->call->inclusive);
    if (head)
        draw_call(d, c, row, y);
    paf_add_hit(d->pic, (paf_rect){c->name_x - 6, y, right - c->name_x + 12, ROW}, PAF_HIT_CALL, module, 0);
}

static void write_heads(paf_drawing *d, const columns *c, double y)
{
    const struct {
        double right;
        const char *text;
    } heads[] = {{c->inclusive, "with calls"}, {c->exclusive, "itself"}, {c->waits, "of it waits"},
                 {c->even, "most/mean"}};
    paf_colour quiet = d->theme->quiet;
    for (unsigned i = 0; i < G_N_ELEMENTS(heads); i++)
        if (heads[i].right > 0)
            paf_write(d->pic, PAF_TEXT_SMALL, quiet, heads[i].right, y, 0, 1, heads[i].text);
    if (c->strip_w < 120)
        return;
    char *n = paf_count(c->calls->nplaces, "place", "places");
    char *all = g_strdup_printf("%s beside each other", n);
    bool fits = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, all) <= c->strip_w;
    paf_write(d->pic, PAF_TEXT_SMALL, quiet, c->strip_x, y, 0, 0, fits ? all : n);
    g_free(all);
    g_free(n);
}

// ---------------------------------------------------------------------------------------------
// The chosen one

static const char *place_name(const paf_drawing *d, uint32_t place)
{
    const char *name = trace_place_name(d->m->t, place);
    return name ? name : "place";
}

// "compute heat.f90:20 runs at most 2.1 s (rank 12), mean 1.6 s, at least 1.2 s (rank 3)"
static char *chosen_words(const paf_drawing *d, const columns *c, double mean)
{
    uint32_t most_at, least_at = 0;
    paf_call_imbalance(c->calls, c->chosen, &most_at);
    for (uint32_t i = 0; i < c->calls->ncells; i++)
        least_at = paf_call_time(c->chosen, i) < paf_call_time(c->chosen, least_at) ? i : least_at;
    char *a = paf_duration_by(d->m->t, d->v->clock, llround(paf_call_time(c->chosen, most_at)));
    char *b = paf_duration_by(d->m->t, d->v->clock, llround(mean));
    char *z = paf_duration_by(d->m->t, d->v->clock, llround(paf_call_time(c->chosen, least_at)));
    char *text = g_strdup_printf("%s: %s at most %s (%s) · mean %s · at least %s (%s)",
                                 iot_get_module(d->m->a, c->chosen->module)->name,
                                 paf_call_runs(c->chosen) ? "runs" : "waits", a,
                                 place_name(d, most_at * c->calls->each), b, z,
                                 place_name(d, least_at * c->calls->each));
    g_free(z);
    g_free(b);
    g_free(a);
    return text;
}

// The first by its name, then every second, fifth, tenth ... by its number.
static void label_places(paf_drawing *d, const columns *c, paf_rect bars)
{
    double step = bars.w / c->calls->ncells, taken = bars.x;
    uint32_t every = (uint32_t)paf_tick_step(fmax(34 / step, 1));
    for (uint32_t i = 0; i < c->calls->ncells; i += every) {
        const char *name = place_name(d, i * c->calls->each), *digits = name + strcspn(name, "0123456789");
        const char *text = i == 0 || !*digits ? name : digits;
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_TINY, text);
        double x = fmax(bars.x + (i + 0.5) * step - w / 2, bars.x);
        if (x < taken || x + w > bars.x + bars.w + 12)
            continue;
        paf_write(d->pic, PAF_TEXT_TINY, d->theme->quiet, x, bars.y + bars.h + 12, 0, 0, text);
        taken = x + w + 8;
    }
}

static double mean_of(const columns *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->calls->ncells; i++)
        sum += paf_call_time(c->chosen, i);
    return sum / c->calls->ncells;
}

// Where the mean is, dashed over the bars.
static void draw_mean(paf_drawing *d, paf_rect bars, double part)
{
    double y = bars.y + bars.h * (1 - part);
    for (double x = bars.x; x < bars.x + bars.w; x += 7)
        paf_box(d->pic, x, paf_snap(d->pic, y), 4, 1);
    paf_fill(d->pic, d->theme->ink, 0);
    if (y > bars.y + 16)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, bars.x - 8, y + 4, 0, 1, "mean");
}

static void draw_legend(paf_drawing *d, const columns *c, double right, double y)
{
    static const char *const names[] = {"waits", "what it calls", "itself"};
    const double shares[] = {0.22, 0.55, 1};
    for (int i = 0; i < 3; i++) {
        double w = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right, y, 0, 1, names[i]);
        paf_box(d->pic, right - w - 18, y - 8, 12, 8);
        paf_fill(d->pic, paf_mix(paf_colour_of(d, c->chosen->module), d->theme->track, shares[i]), 0);
        right -= w + 30;
    }
}

static void draw_chosen(paf_drawing *d, const columns *c, paf_rect place)
{
    double mean = mean_of(c), most = most_inside(c->calls, c->chosen), right = place.x + place.w - 26;
    paf_box(d->pic, place.x, place.y, place.w, 1);
    paf_fill(d->pic, d->theme->line, 0);
    char *words = chosen_words(d, c, mean), *top = paf_duration_by(d->m->t, d->v->clock, llround(most));
    bool legend = place.w > 860;
    if (legend)
        draw_legend(d, c, right, place.y + 19);
    paf_write_parts(d->pic, PAF_TEXT_BODY, d->theme->ink, place.x + 14, place.y + 19,
                    place.w - 40 - (legend ? 240 : 0), 0, words);
    paf_rect bars = {place.x + 90, place.y + 30, place.w - 116, place.h - 50};
    draw_cells(d, c->calls, c->chosen, bars);
    paf_box(d->pic, bars.x, bars.y + bars.h, bars.w, 1);
    paf_fill(d->pic, d->theme->line, 0);
    draw_mean(d, bars, most > 0 ? mean / most : 0);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, bars.x - 8, bars.y + 6, 0, 1, top);
    label_places(d, c, bars);
    double step = bars.w / c->calls->ncells;
    for (uint32_t i = 0; i < c->calls->ncells; i++)
        paf_add_hit(d->pic, (paf_rect){bars.x + i * step, bars.y, step, bars.h},
                    PAF_HIT_CALL_PLACE, c->chosen->module, i * c->calls->each);
    g_free(top);
    g_free(words);
}

void paf_draw_calls(paf_drawing *d, paf_rect place)
{
    paf_timeline *l = d->v->clock == IOT_REAL_TIME ? d->m->timeline : d->m->replayed;
    const paf_calls *calls = paf_calls_within(l, d->m->a, (int64_t)d->v->from, (int64_t)ceil(d->v->to));
    columns c = make_columns(d, calls, place);
    bool large = place.h >= ROOM && c.chosen && calls->nplaces > 1;
    double panel = large ? fmin(PANEL + fmax(place.h - 400, 0) * 0.3, 300) : 0;
    double top = place.y + HEAD, right = place.x + place.w - 26, height = place.h - HEAD - panel - 6;
    GArray *lines = list_lines(&c);
    uint32_t room = (uint32_t)fmax(floor(height / ROW), 1), n = lines->len;
    uint32_t first = MIN(d->v->first_row, n > room ? n - room : 0), shown = MIN(n - first, room);
    paf_clip(d->pic, place);
    paf_draw_lanes_tabs(d, place.x + 14, place.y + 13);
    write_heads(d, &c, place.y + 13);
    for (uint32_t i = first; i < first + shown; i++)
        draw_line(d, &c, &g_array_index(lines, line, i), top + (i - first) * ROW, right);
    if (n == 0)
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, place.x + 14, top + 16, 0, 0,
                  "Nothing ran or waited here.");
    paf_draw_rows_bar(d, (paf_rect){place.x + 2, top, 4, room * ROW}, n, first, shown);
    d->out->nrows = n;
    d->out->first_row = first;
    d->out->rows_shown = shown;
    d->out->rows_area = (paf_rect){place.x, top, place.w, room * ROW};
    if (panel > 0)
        draw_chosen(d, &c, (paf_rect){place.x, place.y + place.h - panel, place.w, panel});
    paf_unclip(d->pic);
    g_array_unref(lines);
}
