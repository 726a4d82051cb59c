// SPDX-License-Identifier: MIT
#include "paf/bars.h"

#include "paf/words.h"

#include <math.h>
#include <string.h>

enum { HEADER = 46, TOOLS = 44, HEADING = 28, ROW = 26, MARGIN = 16, GAP = 12, SOURCE_LINE = 17 };

// What a picture is made of while it is made.
typedef struct {
    double size; // in nanoseconds
    const char *name, *heading;
} time_unit;

typedef struct {
    const trace *t;
    const trace_totals *all;
    const paf_bars_view *view;
    const paf_theme *theme;
    paf_picture *pic;
    GArray *rows;     // paf_total_row
    const time_unit *unit;
    uint32_t *hue;    // by total: of its unit
    int64_t sum;      // what shares are of
    double x, y, w, h; // where the table is
    double name_x, name_w, bar_x, bar_w, value_x, share_x, times_x, place_x, place_w;
} drawing;

const char *paf_bars_table_name(trace_total_kind kind)
{
    static const char *const names[] = {"Program units", "DO loops", "Input/output", "MPI calls"};
    return names[kind];
}

// The first table that has something, best the units.
static trace_total_kind first_table(const trace_totals *t)
{
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        if (t->tables[k].observed)
            return (trace_total_kind)k;
    return TT_UNIT;
}

paf_bars_view paf_bars_fit(const trace_totals *totals, double width, double height)
{
    return (paf_bars_view){.width = width,
                           .height = height,
                           .scale = 1,
                           .table = first_table(totals),
                           .unit = TRACE_NONE,
                           .counts = paf_totals_sum(totals, first_table(totals), PAF_NODES_SUM) < 0,
                           .nodes = totals->nnodes == 1 ? 0 : PAF_NODES_SUM,
                           .selected = TRACE_NONE,
                           .trips = TRACE_NONE};
}

// ---------------------------------------------------------------------------------------------
// Rows

static const time_unit time_units[] = {
    {1e9, "s", "SECONDS"}, {1e6, "ms", "TIME, ms"}, {1e3, "µs", "TIME, µs"}};

// In which the largest of the rows' times still has some digits.
static const time_unit *choose_unit(const GArray *rows)
{
    int64_t most = 0;
    for (guint i = 0; i < rows->len; i++)
        most = MAX(most, paf_own_time(&g_array_index(rows, paf_total_row, i).m));
    return &time_units[most <= 0 || most >= 100000000 ? 0 : most >= 1000000 ? 1 : 2];
}

static bool is_ignored(const paf_bars_view *v, uint32_t total)
{
    return v->ignored && v->ignored[total];
}

static void keep_rows(GArray *rows, const paf_bars_view *v)
{
    guint kept = 0;
    for (guint i = 0; i < rows->len; i++) {
        paf_total_row row = g_array_index(rows, paf_total_row, i);
        if (is_ignored(v, row.total) == v->show_ignored)
            g_array_index(rows, paf_total_row, kept++) = row;
    }
    g_array_set_size(rows, kept);
}

static GArray *find_rows(const trace_totals *t, const paf_bars_view *v)
{
    GArray *rows;
    if (!v->show_ignored) {
        rows = paf_total_rows(t, v->table, v->unit, v->nodes, v->counts);
    } else {
        rows = g_array_new(FALSE, FALSE, sizeof(paf_total_row));
        for (int k = 0; k < TRACE_TOTAL_KINDS; k++) {
            GArray *some = paf_total_rows(t, (trace_total_kind)k, TRACE_NONE, v->nodes, v->counts);
            g_array_append_vals(rows, some->data, some->len);
            g_array_unref(some);
        }
    }
    keep_rows(rows, v);
    return rows;
}

// Units have hues in the order of their times, and lend them to what stands in them.
static uint32_t *find_hues(const trace_totals *t)
{
    uint32_t *hue = g_new0(uint32_t, t->ntotals + 1);
    GArray *units = paf_total_rows(t, TT_UNIT, TRACE_NONE, PAF_NODES_SUM, false);
    for (guint i = 0; i < units->len; i++)
        hue[g_array_index(units, paf_total_row, i).total] = i + 1;
    uint32_t next = units->len + 1; // units that were not measured themselves
    for (uint32_t i = 0; i < t->ntotals; i++)
        if (t->totals[i].kind == TT_UNIT && hue[i] == 0)
            hue[i] = next++;
    for (uint32_t i = 0; i < t->ntotals; i++)
        if (t->totals[i].kind != TT_UNIT && t->totals[i].unit != TRACE_NONE)
            hue[i] = hue[t->totals[i].unit];
    g_array_unref(units);
    return hue;
}

// As bars have it: seconds or executions.
static double value_of(const drawing *d, const paf_total_row *row)
{
    return row->value < 0 ? 0 : d->view->counts ? (double)row->value : (double)row->value / 1e9;
}

// ---------------------------------------------------------------------------------------------
// Tools

static double button(const drawing *d, double x, double y, const char *label, bool on, bool able,
                     int kind, uint32_t a)
{
    double w = paf_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, label) + 20;
    paf_round_box(d->pic, x, y, w, 26, 6);
    if (on)
        paf_fill(d->pic, d->theme->track, 0);
    else
        paf_fill_and_stroke(d->pic, d->theme->card, 0, d->theme->border, 1);
    paf_write(d->pic, on ? PAF_TEXT_STRONG : PAF_TEXT_BODY, able ? d->theme->ink : d->theme->faint,
              x + w / 2, y + 17.5, 0, 0.5, label);
    paf_add_hit(d->pic, (paf_rect){x, y, w, 26}, kind, a, 0);
    return x + w + 4;
}

static uint32_t count_ignored(const drawing *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->all->ntotals; i++)
        n += is_ignored(d->view, i);
    return n;
}

static double draw_choices(const drawing *d, double x, double y)
{
    const paf_bars_view *v = d->view;
    char *nodes = paf_node_name(d->all, v->nodes);
    char *which = v->nodes >= PAF_NODES_MEAN ? g_strdup_printf("%s of %u", nodes, d->all->nnodes)
                                             : g_strdup(nodes);
    x = button(d, x, y, "Time", !v->counts, true, PAF_BARS_BY, 0);
    x = button(d, x, y, "Executions", v->counts, true, PAF_BARS_BY, 1) + GAP;
    x = button(d, x, y, "Automatic scale", v->maximum <= 0, true, PAF_BARS_SCALE, 0);
    x = button(d, x, y, "Manual scale", v->maximum > 0, true, PAF_BARS_SCALE, 1) + GAP;
    if (d->all->nnodes > 1)
        x = button(d, x, y, which, false, true, PAF_BARS_NODES, 0) + GAP;
    g_free(nodes);
    g_free(which);
    return x;
}

static void draw_tools(const drawing *d, double top)
{
    const paf_bars_view *v = d->view;
    double x = MARGIN, y = top + 9;
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        x = button(d, x, y, paf_bars_table_name((trace_total_kind)k),
                   !v->show_ignored && v->table == (trace_total_kind)k,
                   d->all->tables[k].observed, PAF_BARS_TABLE, (uint32_t)k);
    x = draw_choices(d, x + GAP, y);
    char *ignored = g_strdup_printf("Ignored: %u", count_ignored(d));
    button(d, x, y, ignored, v->show_ignored, count_ignored(d) > 0, PAF_BARS_IGNORED, 0);
    g_free(ignored);
}

static void draw_header(const drawing *d)
{
    char *finding = paf_totals_finding(d->t, d->all);
    const char *title = d->view->title ? d->view->title : "";
    paf_box(d->pic, 0, 0, d->view->width, HEADER);
    paf_fill(d->pic, d->theme->panel, 0);
    paf_box(d->pic, 0, HEADER - 1, d->view->width, 1);
    paf_fill(d->pic, d->theme->line, 0);
    double used = paf_write(d->pic, PAF_TEXT_TITLE, d->theme->ink, MARGIN, HEADER / 2 + 5,
                            d->view->width / 3, 0, title);
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, MARGIN + used + 16, HEADER / 2 + 5,
              d->view->width - used - 3 * MARGIN, 0, finding);
    g_free(finding);
}

// ---------------------------------------------------------------------------------------------
// The table

static void place_columns(drawing *d)
{
    double w = d->w;
    d->place_w = w > 760 ? 150 : w > 560 ? 100 : 0;
    d->name_w = fmin(260, w * 0.3);
    d->name_x = d->x;
    d->place_x = d->x + w - d->place_w;
    d->times_x = d->place_x - (d->place_w > 0 ? 16 : 8);
    d->share_x = d->times_x - 96;
    d->value_x = d->share_x - 62;
    d->bar_x = d->name_x + d->name_w + GAP;
    d->bar_w = fmax(d->value_x - 84 - d->bar_x, 10);
}

static void draw_headings(const drawing *d, double y)
{
    const paf_theme *th = d->theme;
    const char *what = d->view->show_ignored ? "IGNORED" : "WHAT";
    paf_write(d->pic, PAF_TEXT_CAPS, th->quiet, d->name_x + 18, y, 0, 0, what);
    paf_write(d->pic, PAF_TEXT_CAPS, th->quiet, d->value_x, y, 0, 1, d->unit->heading);
    paf_write(d->pic, PAF_TEXT_CAPS, th->quiet, d->share_x, y, 0, 1, "SHARE");
    paf_write(d->pic, PAF_TEXT_CAPS, th->quiet, d->times_x, y, 0, 1, "TIMES");
    if (d->place_w > 0)
        paf_write(d->pic, PAF_TEXT_CAPS, th->quiet, d->place_x, y, d->place_w, 0, "PLACE");
}

// What the bars' full width stands for.
static void draw_scale(const drawing *d, double largest, double y)
{
    char *most = d->view->counts ? paf_number((uint64_t)fmax(largest, 0))
                                 : g_strdup_printf("%.3f %s", largest * 1e9 / d->unit->size,
                                                   d->unit->name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, d->bar_x, y, 0, 0, "0");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, d->bar_x + d->bar_w, y, 0, 1, most);
    g_free(most);
}

static void draw_bar(const drawing *d, const paf_total_row *row, double y, double largest)
{
    double value = value_of(d, row), share = largest > 0 ? value / largest : 0;
    paf_colour colour = paf_module_colour(d->theme, d->hue[row->total]);
    paf_round_box(d->pic, d->bar_x, y + 6, d->bar_w, ROW - 12, 3);
    paf_fill(d->pic, d->theme->track, 0);
    if (share > 0) {
        paf_round_box(d->pic, d->bar_x, y + 6, fmax(fmin(share, 1) * d->bar_w, 1.5), ROW - 12, 3);
        paf_fill(d->pic, colour, paf_module_pattern(d->hue[row->total]));
    }
    if (share > 1.0000001) // it goes on beyond the manual scale
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, d->bar_x + d->bar_w + 3, y + 17, 0, 0,
                  "▸");
}

static void draw_numbers(const drawing *d, const paf_total_row *row, double y)
{
    const paf_theme *th = d->theme;
    int64_t time = paf_own_time(&row->m);
    bool table = !d->view->show_ignored;
    int decimals = d->unit->size < 1e9 || d->all->totals[row->total].kind != TT_CALL ? 3 : 6;
    char *seconds = time < 0 ? g_strdup("–")
                             : g_strdup_printf("%.*f", decimals, (double)time / d->unit->size);
    double part = table ? paf_total_share(d->all, row->total, &row->m, d->sum) : -1;
    char *share = part < 0 ? g_strdup("–") : paf_percent(part, 1);
    char *times = row->m.times < 0 ? g_strdup("–") : paf_number((uint64_t)row->m.times);
    char *place = paf_total_place(d->t, &d->all->totals[row->total]);
    paf_write(d->pic, PAF_TEXT_BODY, d->view->counts ? th->quiet : th->ink, d->value_x, y, 84, 1,
              seconds);
    paf_write(d->pic, PAF_TEXT_BODY, th->quiet, d->share_x, y, 56, 1, share);
    paf_write(d->pic, PAF_TEXT_BODY, d->view->counts ? th->ink : th->quiet, d->times_x, y, 90, 1,
              times);
    if (place && d->place_w > 0)
        paf_write_name(d->pic, PAF_TEXT_BODY, th->quiet, d->place_x, y, d->place_w, 0, place);
    g_free(seconds);
    g_free(share);
    g_free(times);
    g_free(place);
}

static void draw_row(const drawing *d, const paf_total_row *row, double y, double largest)
{
    char *name = paf_total_name(d->t, d->all, &d->all->totals[row->total]);
    bool selected = d->view->selected == row->total;
    if (selected) {
        paf_round_box(d->pic, d->x - 6, y + 1, d->w + 12, ROW - 2, 4);
        paf_fill(d->pic, paf_alpha(d->theme->amber, 0.22), 0);
    }
    paf_add_hit(d->pic, (paf_rect){d->x - 6, y, d->w + 12, ROW}, PAF_BARS_ROW, row->total, 0);
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->faint, d->name_x + 5, y + 17.5, 0, 0.5,
              d->view->show_ignored ? "+" : "×");
    paf_add_hit(d->pic, (paf_rect){d->name_x - 4, y, 18, ROW}, PAF_BARS_IGNORE, row->total, 0);
    paf_write_name(d->pic, selected ? PAF_TEXT_STRONG : PAF_TEXT_BODY, d->theme->ink, d->name_x + 18,
              y + 17.5, d->name_w - 18, 0, name);
    draw_bar(d, row, y, largest);
    draw_numbers(d, row, y + 17.5);
    g_free(name);
}

static void draw_scrollbar(const drawing *d, double top, double height, uint32_t visible)
{
    double n = d->rows->len, x = d->x + d->w + 8;
    if (visible >= d->rows->len)
        return;
    paf_round_box(d->pic, x, top, 4, height, 2);
    paf_fill(d->pic, d->theme->track, 0);
    paf_round_box(d->pic, x, top + height * d->view->first / n, 4,
                  fmax(height * visible / n, 12), 2);
    paf_fill(d->pic, d->theme->quiet, 0);
}

static void draw_empty(const drawing *d)
{
    const paf_bars_view *v = d->view;
    const char *name = paf_bars_table_name(v->table);
    char *text;
    if (v->show_ignored)
        text = g_strdup("Nothing is ignored.");
    else if (!d->all->tables[v->table].observed)
        text = g_strdup_printf("%s: not observed in this run.", name);
    else if (v->unit != TRACE_NONE)
        text = g_strdup_printf("%s: none were measured in this unit, or all are ignored.", name);
    else
        text = g_strdup_printf("%s: there are none, or all are ignored.", name);
    paf_write(d->pic, PAF_TEXT_HEAD, d->theme->quiet, d->x + d->w / 2, d->y + d->h / 3, d->w, 0.5,
              text);
    g_free(text);
}

static double draw_path(drawing *d)
{
    if (d->view->unit == TRACE_NONE || d->view->show_ignored)
        return d->y;
    char *name = paf_total_name(d->t, d->all, &d->all->totals[d->view->unit]);
    char *text = g_strdup_printf("‹ %s in %s", paf_bars_table_name(d->view->table), name);
    double w = paf_write(d->pic, PAF_TEXT_HEAD, d->theme->ink, d->x, d->y + 18, d->w, 0, text);
    paf_add_hit(d->pic, (paf_rect){d->x, d->y, w, 26}, PAF_BARS_BACK, 0, 0);
    g_free(text);
    g_free(name);
    return d->y + 30;
}

static void draw_table(drawing *d, paf_bars *result)
{
    double y = draw_path(d), bottom = d->y + d->h;
    uint32_t room = (uint32_t)fmax((bottom - y - HEADING) / ROW, 1);
    uint32_t first = MIN(d->view->first, d->rows->len);
    result->room = room;
    result->visible = MIN(room, d->rows->len - first);
    if (d->rows->len == 0) {
        draw_empty(d);
        return;
    }
    if (result->visible > 0 && d->view->maximum <= 0)
        result->largest = value_of(d, &g_array_index(d->rows, paf_total_row, first));
    else
        result->largest = d->view->maximum;
    draw_headings(d, y + 17);
    draw_scale(d, result->largest, y + 17);
    y += HEADING;
    draw_scrollbar(d, y, room * (double)ROW, room);
    for (uint32_t i = 0; i < result->visible; i++)
        draw_row(d, &g_array_index(d->rows, paf_total_row, first + i), y + i * (double)ROW,
                 result->largest);
}

// ---------------------------------------------------------------------------------------------
// Trip counts, and the source

static void draw_trips(const drawing *d)
{
    if (d->view->trips == TRACE_NONE)
        return;
    const trace_total *loop = &d->all->totals[d->view->trips];
    trace_measure m = paf_total_measure(d->all, d->view->trips, d->view->nodes);
    static const char *const kinds[] = {"not observed", "not known before it runs",
                                        "known when it begins"};
    char *name = paf_total_name(d->t, d->all, loop);
    char *total = m.rotation < 0 ? g_strdup("not observed") : paf_number((uint64_t)m.rotation);
    char *mean = m.rotation < 0 || m.times <= 0
                     ? g_strdup("not observed")
                     : g_strdup_printf("%.1f", (double)m.rotation / (double)m.times);
    const char *const rows[][2] = {
        {"Iterations", total},
        {"Mean per execution", mean},
        {"Their number", kinds[loop->definite + 1]},
    };
    double w = 300, h = 118, x = d->x + d->w / 2 - w / 2, y = d->y + 60;
    paf_round_box(d->pic, x, y, w, h, 8);
    paf_fill_and_stroke(d->pic, d->theme->card, 0, d->theme->border, 1);
    paf_write(d->pic, PAF_TEXT_HEAD, d->theme->ink, x + 16, y + 26, w - 32, 0, name);
    for (int i = 0; i < 3; i++) {
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, x + 16, y + 52 + 22 * i, 0, 0,
                  rows[i][0]);
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->ink, x + w - 16, y + 52 + 22 * i, 160, 1,
                  rows[i][1]);
    }
    g_free(name);
    g_free(total);
    g_free(mean);
}

static bool has_source(const drawing *d)
{
    size_t length = 0;
    if (d->view->selected == TRACE_NONE)
        return false;
    const trace_total *p = &d->all->totals[d->view->selected];
    if (p->source != TRACE_NONE)
        trace_string(d->t, trace_get_source(d->t, p->source)->text, &length);
    return length > 0 && p->line > 0;
}

static const char *skip_lines(const char *text, uint32_t n)
{
    while (n-- > 0 && text) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static void draw_source_line(const drawing *d, paf_rect pane, const char *line, uint32_t number,
                             double y)
{
    size_t length = strcspn(line, "\n");
    char *text = g_strndup(line, MIN(length, 400)), *valid = g_utf8_make_valid(text, -1);
    char *label = g_strdup_printf("%u", number);
    g_strdelimit(valid, "\t\r", ' ');
    if (number == d->all->totals[d->view->selected].line) {
        paf_box(d->pic, pane.x, y - 13, pane.w, SOURCE_LINE);
        paf_fill(d->pic, paf_alpha(d->theme->amber, 0.3), 0);
    }
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, pane.x + 40, y, 0, 1, label);
    paf_write(d->pic, PAF_TEXT_MONO, d->theme->ink, pane.x + 50, y, pane.w - 58, 0, valid);
    g_free(text);
    g_free(valid);
    g_free(label);
}

// The line of what is selected, in the middle.
static void draw_source(const drawing *d, paf_rect pane)
{
    const trace_total *p = &d->all->totals[d->view->selected];
    const trace_source *s = trace_get_source(d->t, p->source);
    uint32_t room = (uint32_t)fmax((pane.h - 46) / SOURCE_LINE, 1);
    uint32_t first = p->line > room / 2 ? p->line - room / 2 : 1;
    const char *line = skip_lines(trace_string(d->t, s->text, NULL), first - 1);
    paf_round_box(d->pic, pane.x, pane.y, pane.w, pane.h, 8);
    paf_fill_and_stroke(d->pic, d->theme->card, 0, d->theme->border, 1);
    paf_write(d->pic, PAF_TEXT_HEAD, d->theme->ink, pane.x + 12, pane.y + 24, pane.w - 24, 0,
              trace_string(d->t, s->name, NULL));
    paf_clip(d->pic, pane);
    for (uint32_t i = 0; i < room && line && *line; i++, line = skip_lines(line, 1))
        draw_source_line(d, pane, line, first + i, pane.y + 50 + i * (double)SOURCE_LINE);
    paf_unclip(d->pic);
}

// ---------------------------------------------------------------------------------------------

static paf_bars *make_result(const drawing *d)
{
    paf_bars *b = g_new0(paf_bars, 1);
    b->picture = d->pic;
    b->nrows = d->rows->len;
    b->rows = g_new(uint32_t, d->rows->len + 1);
    for (guint i = 0; i < d->rows->len; i++)
        b->rows[i] = g_array_index(d->rows, paf_total_row, i).total;
    return b;
}

paf_bars *paf_bars_create(const trace *t, const trace_totals *totals, const paf_bars_view *view,
                          paf_text *text)
{
    drawing d = {.t = t,
                 .all = totals,
                 .view = view,
                 .theme = paf_theme_get(view->dark),
                 .pic = paf_picture_create(text, view->scale),
                 .rows = find_rows(totals, view),
                 .hue = find_hues(totals),
                 .sum = paf_totals_sum(totals, view->table, view->nodes)};
    double top = view->header ? HEADER : 0;
    paf_bars *b = make_result(&d);
    paf_box(d.pic, 0, 0, view->width, view->height);
    paf_fill(d.pic, d.theme->window, 0);
    if (view->header)
        draw_header(&d);
    draw_tools(&d, top);
    double pane = has_source(&d) && view->width >= 800 ? round(view->width * 0.36) : 0;
    d.x = MARGIN;
    d.y = top + TOOLS + 6;
    d.w = view->width - 2 * MARGIN - (pane > 0 ? pane + GAP : 0) - 8;
    d.h = view->height - d.y - 8;
    d.unit = choose_unit(d.rows);
    place_columns(&d);
    draw_table(&d, b);
    if (pane > 0)
        draw_source(&d, (paf_rect){view->width - MARGIN - pane, d.y, pane, d.h});
    draw_trips(&d);
    g_array_unref(d.rows);
    g_free(d.hue);
    return b;
}

void paf_bars_destroy(paf_bars *b)
{
    if (!b)
        return;
    paf_picture_destroy(b->picture);
    g_free(b->rows);
    g_free(b);
}
