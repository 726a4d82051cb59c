// SPDX-License-Identifier: MIT
//
// Who sent to whom, as a map: a row for each sender, a column for each receiver, dark where it is much.
// Beside it the pairs with most of it.
#include "paf/layout/layout_private.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdlib.h>

#define HEAD    30.0
#define LABELS  64.0
#define SUMS    26.0 // beside and below the map
#define LIST_W  330.0
#define ROW     20.0

static const char *const names[] = {"messages", "bytes", "waited"};

// What both ways to draw it have; d NULL: of totals alone.
typedef struct {
    paf_drawing *d;
    const trace *t;
    const paf_messages *m;
    const paf_view *v;
    const paf_theme *theme;
    paf_picture *pic;
    const double *cells;
    paf_message_figure figure;
    double x, y, cell; // of the map
} map;

static char *figure_text(const map *p, double value)
{
    if (p->figure == PAF_MESSAGES_WAITED)
        return paf_nanoseconds(llround(value));
    return paf_number((uint64_t)value);
}

// "rank 3", "ranks 4–7", "3".
static char *rank_text(const map *p, uint32_t index, bool brief)
{
    uint32_t last = MIN(p->m->nranks, (index + 1) * p->m->each) - index * p->m->each;
    long long number = (long long)p->m->numbers[index];
    if (p->m->each == 1)
        return brief ? g_strdup_printf("%lld", number) : g_strdup_printf("rank %lld", number);
    return g_strdup_printf(brief ? "%lld–" : "ranks %lld to %lld", number, number + last - 1);
}

// Few are seen beside many: by the root.
static paf_colour heat(const map *p, double value, double most)
{
    double share = most > 0 ? sqrt(value / most) : 0;
    return paf_mix(p->theme->ink, p->theme->track, 0.12 + 0.88 * share);
}

// ---------------------------------------------------------------------------------------------
// The map

// Equal neighbours make one box, and nothing is drawn where nothing was sent.
static void draw_row(const map *p, uint32_t row)
{
    uint32_t n = p->m->n;
    const double *cells = p->cells + (size_t)row * n;
    double gap = p->cell >= 6 ? 1 : 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + 1;
        while (gap == 0 && end < n && cells[end] == cells[i])
            end++;
        if (cells[i] > 0) {
            paf_box(p->pic, p->x + i * p->cell, p->y + row * p->cell, (end - i) * p->cell - gap,
                    p->cell - gap);
            paf_fill(p->pic, heat(p, cells[i], p->m->most[p->figure]), 0);
        }
        i = end;
    }
}

static void draw_labels(const map *p)
{
    char *widest = rank_text(p, p->m->n > 0 ? p->m->n - 1 : 0, true);
    double w = paf_shaped_text_width(paf_picture_text(p->pic), PAF_TEXT_TINY, widest) + 8;
    uint32_t rows = (uint32_t)paf_tick_step(fmax(13 / p->cell, 1));
    uint32_t columns = (uint32_t)paf_tick_step(fmax(w / p->cell, 1));
    paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, p->x - 8, p->y - 6, 0, 1, "from ↓ to →");
    for (uint32_t i = 0; i < p->m->n; i++) {
        double middle = (i + 0.5) * p->cell;
        char *row = rank_text(p, i, p->m->each > 1), *column = rank_text(p, i, true);
        if (i % rows == 0)
            paf_write(p->pic, PAF_TEXT_TINY, p->theme->quiet, p->x - 8, p->y + middle + 3.5, 0, 1, row);
        if (i % columns == 0)
            paf_write(p->pic, PAF_TEXT_TINY, p->theme->quiet, p->x + middle, p->y - 6, 0, 0.5, column);
        g_free(column);
        g_free(row);
    }
    g_free(widest);
}

// What each sent and got, all together.
static void draw_sums(const map *p)
{
    uint32_t n = p->m->n;
    double *sent = g_new0(double, n + 1), *got = g_new0(double, n + 1), most = 0, side = n * p->cell;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            sent[i] += p->cells[(size_t)i * n + k];
            got[k] += p->cells[(size_t)i * n + k];
        }
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fmax(sent[i], got[i]));
    double gap = p->cell >= 4 ? 1 : 0;
    for (uint32_t i = 0; i < n && most > 0; i++) {
        paf_box(p->pic, p->x + side + 4, p->y + i * p->cell, sent[i] / most * SUMS, p->cell - gap);
        paf_box(p->pic, p->x + i * p->cell, p->y + side + 4, p->cell - gap, got[i] / most * SUMS);
    }
    paf_fill(p->pic, p->theme->bars, 0);
    g_free(sent);
    g_free(got);
}

static void draw_map(const map *p)
{
    double side = p->m->n * p->cell;
    paf_box(p->pic, p->x, p->y, side, side);
    paf_fill(p->pic, p->theme->track, 0);
    for (uint32_t row = 0; row < p->m->n; row++)
        draw_row(p, row);
    draw_labels(p);
    draw_sums(p);
    for (uint32_t row = 0; row < p->m->n; row++)
        for (uint32_t column = 0; column < p->m->n; column++)
            if (p->cells[(size_t)row * p->m->n + column] > 0)
                paf_add_hit(p->pic,
                            (paf_rect){p->x + column * p->cell, p->y + row * p->cell, p->cell, p->cell},
                            PAF_HIT_MESSAGES, row, column);
    if (p->v->sender < p->m->n && p->v->receiver < p->m->n) {
        paf_box(p->pic, p->x + p->v->receiver * p->cell - 1, p->y + p->v->sender * p->cell - 1, p->cell + 2,
                p->cell + 2);
        paf_stroke(p->pic, p->theme->amber, 2);
    }
}

// ---------------------------------------------------------------------------------------------
// Beside it

static void draw_figures(const map *p, double x, double y)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (i == PAF_MESSAGES_WAITED && !p->m->timed)
            continue;
        bool on = i == p->figure;
        double w = paf_shaped_text_width(paf_picture_text(p->pic), PAF_TEXT_BODY, names[i]) + 18;
        paf_round_box(p->pic, x, y, w, 22, 6);
        if (on)
            paf_fill(p->pic, p->theme->track, 0);
        else
            paf_fill_and_stroke(p->pic, p->theme->card, 0, p->theme->border, 1);
        paf_write(p->pic, on ? PAF_TEXT_STRONG : PAF_TEXT_BODY, p->theme->ink, x + w / 2, y + 15.5, 0, 0.5,
                  names[i]);
        paf_add_hit(p->pic, (paf_rect){x, y, w, 22}, PAF_HIT_FIGURE, i, 0);
        x += w + 4;
    }
}

static void draw_scale(const map *p, double x, double y)
{
    char *most = figure_text(p, p->m->most[p->figure]), *sum = figure_text(p, p->m->sums[p->figure]);
    char *text = g_strdup_printf("%s · all together %s", most, sum);
    double used = paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, x, y, 0, 0, "0") + 6;
    for (int i = 0; i < 60; i++) {
        paf_box(p->pic, x + used + i, y - 9, 1, 10);
        paf_fill(p->pic, heat(p, i, 60), 0);
    }
    paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, x + used + 66, y, 0, 0, text);
    g_free(text);
    g_free(sum);
    g_free(most);
}

typedef struct {
    uint32_t cell;
    double value;
} ranked;

static int most_first(gconstpointer x, gconstpointer y)
{
    const ranked *a = x, *b = y;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static char *pair_text(const map *p, uint32_t row, uint32_t column)
{
    char *from = rank_text(p, row, false), *to = rank_text(p, column, false);
    char *text = g_strdup_printf("%s → %s", from, to);
    g_free(to);
    g_free(from);
    return text;
}

// The chosen pair's figures, with the way to its longest wait.
static double draw_chosen(const map *p, double x, double y, double w)
{
    uint32_t n = p->m->n;
    if (p->v->sender >= n || p->v->receiver >= n)
        return y;
    size_t cell = (size_t)p->v->sender * n + p->v->receiver;
    char *pair = pair_text(p, p->v->sender, p->v->receiver);
    char *count = paf_count((uint64_t)p->m->cells[PAF_MESSAGES_COUNT][cell], "message", "messages");
    char *bytes = paf_count((uint64_t)p->m->cells[PAF_MESSAGES_BYTES][cell], "byte", "bytes");
    char *waited = paf_nanoseconds(llround(p->m->cells[PAF_MESSAGES_WAITED][cell]));
    char *words = p->m->timed ? g_strdup_printf("%s · %s · waited %s", count, bytes, waited)
                              : g_strdup_printf("%s · %s", count, bytes);
    paf_write(p->pic, PAF_TEXT_STRONG, p->theme->ink, x, y + 14, w, 0, pair);
    paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, x, y + 30, w, 0, words);
    y += 38;
    if (p->m->longest && p->m->longest[cell] != IOT_NONE) {
        uint32_t r = p->m->longest[cell];
        char *took = paf_nanoseconds(trace_end(p->t, r) - trace_start(p->t, r));
        char *at = paf_nanoseconds(trace_start(p->t, r));
        char *link = g_strdup_printf("the longest wait: %s, from %s on", took, at);
        paf_write(p->pic, PAF_TEXT_SMALL, p->theme->amber, x, y + 8, w, 0, link);
        paf_add_hit(p->pic, (paf_rect){x, y - 5, w, 18}, PAF_HIT_GO, r, 0);
        g_free(link);
        g_free(at);
        g_free(took);
        y += 18;
    }
    g_free(words);
    g_free(waited);
    g_free(bytes);
    g_free(count);
    g_free(pair);
    return y + 6;
}

static void draw_list(const map *p, double x, double y, double w, double bottom)
{
    uint32_t n = p->m->n, room = (uint32_t)fmax(floor((bottom - y - 22) / ROW), 0);
    GArray *all = g_array_new(FALSE, FALSE, sizeof(ranked));
    for (uint32_t i = 0; i < n * n; i++)
        if (p->cells[i] > 0) {
            ranked row = {i, p->cells[i]};
            g_array_append_val(all, row);
        }
    g_array_sort(all, most_first);
    paf_write(p->pic, PAF_TEXT_CAPS, p->theme->quiet, x, y + 12, 0, 0, "MOST");
    paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, x + w, y + 12, 0, 1, names[p->figure]);
    y += 20;
    if (all->len == 0)
        paf_write(p->pic, PAF_TEXT_SMALL, p->theme->quiet, x, y + 12, w, 0, "none here");
    for (guint i = 0; i < all->len && i < room; i++, y += ROW) {
        const ranked *row = &g_array_index(all, ranked, i);
        uint32_t from = row->cell / n, to = row->cell % n;
        char *pair = pair_text(p, from, to), *value = figure_text(p, row->value);
        double used = paf_write(p->pic, PAF_TEXT_SMALL, p->theme->ink, x + w, y + 12, 0, 1, value);
        paf_write(p->pic, PAF_TEXT_BODY, p->theme->ink, x, y + 12, w - used - 8, 0, pair);
        paf_add_hit(p->pic, (paf_rect){x, y - 2, w, ROW}, PAF_HIT_MESSAGES, from, to);
        g_free(value);
        g_free(pair);
    }
    g_array_unref(all);
}

static void draw(map *p, paf_rect place)
{
    double list = place.w > 620 ? LIST_W : 0, x = place.x + 14;
    double room = fmin(place.w - LABELS - SUMS - list - 40, place.h - HEAD - 14 - SUMS - 10);
    p->figure = p->m->timed || p->v->figure != PAF_MESSAGES_WAITED ? p->v->figure : PAF_MESSAGES_COUNT;
    p->cells = p->m->cells[p->figure];
    p->cell = fmax(room, 40) / fmax(p->m->n, 1);
    p->cell = p->cell >= 2 ? fmin(floor(p->cell), 44) : p->cell;
    p->x = x + LABELS;
    p->y = place.y + HEAD + 14;
    draw_map(p);
    if (list == 0)
        return;
    double left = p->x + p->m->n * p->cell + SUMS + 36, w = fmin(place.x + place.w - 26 - left, 460);
    draw_figures(p, left, place.y + 4);
    draw_scale(p, left, place.y + 44);
    double y = draw_chosen(p, left, place.y + 54, w);
    draw_list(p, left, y, w, place.y + place.h - 8);
}

void paf_draw_messages(paf_drawing *d, paf_rect place)
{
    paf_timeline *l = d->v->clock == IOT_REAL_TIME ? d->m->timeline : d->m->replayed;
    const paf_messages *m = paf_messages_within(l, (int64_t)d->v->from, (int64_t)ceil(d->v->to));
    map p = {.d = d, .t = d->m->t, .m = m, .v = d->v, .theme = d->theme, .pic = d->pic};
    paf_draw_lanes_tabs(d, place.x + 14, place.y + 13);
    paf_clip(d->pic, place);
    if (m)
        draw(&p, place);
    paf_unclip(d->pic);
}

paf_picture *paf_messages_picture(const paf_messages *messages, const trace *t, const paf_view *view,
                                  paf_shaped_text *text)
{
    map p = {.t = t, .m = messages, .v = view, .theme = paf_theme_get(view->dark),
             .pic = paf_picture_create(text, view->scale)};
    paf_box(p.pic, 0, 0, view->width, view->height);
    paf_fill(p.pic, p.theme->window, 0);
    const char *title = view->title ? view->title : "";
    paf_write(p.pic, PAF_TEXT_TITLE, p.theme->ink, 24, 28, view->width / 2, 0, title);
    paf_write(p.pic, PAF_TEXT_BODY, p.theme->quiet, view->width - 24, 28, 0, 1,
              "of the whole run, without its history");
    draw(&p, (paf_rect){10, 40, view->width - 20, view->height - 50});
    return p.pic;
}
