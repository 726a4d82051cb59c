// SPDX-License-Identifier: MIT
//
// Tables of bars, the choices above them, trip counts, and the source beside them.
#include "paf/layout/bars.h"

#include "paf/model/omissions.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

enum { HEADER = 46, TOOLS = 44, HEADING = 28, ROW = 26, MARGIN = 16, GAP = 12 };
enum { LEAST_NAME = 150, LEAST_BAR = 24 }; // width

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
    uint8_t *omitted; // by total: paf_omission
    int64_t sum;      // what shares are of
    double x, y, w, h; // where the table is
    double rows_y;     // and its first row
    int figures;       // columns of figures that are there
    double name_x, name_w, bar_x, bar_w, value_x, share_x, times_x, place_x, place_w;
} drawing;

const char *paf_bars_table_name(const trace_totals *totals, trace_total_kind kind)
{
    static const char *const names[] = {"Program units", "DO loops", "Input/output", "MPI calls"};
    static const char *const of_fleng[] = {"Predicates", "", "", "Modules"};
    return paf_is_fleng_history(totals) ? of_fleng[kind] : names[kind];
}

// Reductions, steps of the critical path, or steps waited by all goals.
static int64_t figure_of(const trace_totals *t, const paf_total_row *row, paf_figure figure)
{
    const paf_history_figures *f = paf_history_of(t, row->total, NULL);
    return figure == PAF_FIGURE_REDUCTIONS || !f ? row->m.times
           : figure == PAF_FIGURE_PATH           ? (int64_t)f->critical
                                                 : (int64_t)f->waited;
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
                           .file = TRACE_NONE,
                           .counts = paf_totals_sum(totals, first_table(totals), PAF_NODES_SUM) < 0,
                           .figure = PAF_FIGURE_REDUCTIONS,
                           .nodes = totals->nnodes == 1 ? 0 : PAF_NODES_SUM,
                           .selected = TRACE_NONE,
                           .hover = TRACE_NONE,
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

// omitted: what the recording left out stands beside what the user ignores.
static void keep_rows(GArray *rows, const paf_bars_view *v, const uint8_t *omitted, uint32_t n)
{
    guint kept = 0;
    for (guint i = 0; i < rows->len; i++) {
        paf_total_row row = g_array_index(rows, paf_total_row, i);
        bool left_out = v->show_ignored && row.total < n && omitted[row.total];
        if (left_out || is_ignored(v, row.total) == v->show_ignored)
            g_array_index(rows, paf_total_row, kept++) = row;
    }
    g_array_set_size(rows, kept);
}

bool paf_bars_is_grouped(const paf_bars_view *v)
{
    return v->table == TT_IO && v->group != PAF_IO_STATEMENTS && !v->show_ignored &&
           v->unit == TRACE_NONE && v->file == TRACE_NONE;
}

const trace_total *paf_bars_total(const trace_totals *totals, uint32_t row)
{
    return row < totals->ntotals ? &totals->totals[row] : NULL;
}

char *paf_bars_row_name(const trace *t, const trace_totals *totals, uint32_t row)
{
    const trace_total *p = paf_bars_total(totals, row);
    return p ? paf_total_name(t, totals, p) : paf_file_name(t, totals, row - totals->ntotals);
}

static int by_value(const void *x, const void *y)
{
    const paf_total_row *a = x, *b = y;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->total < b->total ? -1 : a->total > b->total;
}

static void order_by_figure(GArray *rows, const trace_totals *t, const paf_bars_view *v)
{
    for (guint i = 0; i < rows->len; i++) {
        paf_total_row *row = &g_array_index(rows, paf_total_row, i);
        row->value = figure_of(t, row, v->figure);
    }
    g_array_sort(rows, by_value);
}

static void keep_file(const trace *file, GArray *rows, const trace_totals *t,
                      const paf_bars_view *v)
{
    guint kept = 0;
    for (guint i = 0; i < rows->len && v->file != TRACE_NONE; i++) {
        paf_total_row row = g_array_index(rows, paf_total_row, i);
        if (paf_is_of_file(file, t, row.total, v->file))
            g_array_index(rows, paf_total_row, kept++) = row;
    }
    if (v->file != TRACE_NONE)
        g_array_set_size(rows, kept);
}

// All tables, with what has no figures since it was not measured.
static GArray *find_all_rows(const trace_totals *t, const paf_bars_view *v, const uint8_t *omitted)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_total_row));
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++) {
        GArray *some = paf_total_rows(t, (trace_total_kind)k, TRACE_NONE, v->nodes, v->counts);
        g_array_append_vals(rows, some->data, some->len);
        g_array_unref(some);
    }
    for (uint32_t i = 0; i < t->ntotals; i++) {
        paf_total_row row = {i, paf_total_measure(t, i, v->nodes), TRACE_UNOBSERVED};
        if (omitted[i] == PAF_NOT_BUILT || omitted[i] == PAF_NOT_CHOSEN)
            g_array_append_val(rows, row);
    }
    return rows;
}

static GArray *find_rows(const trace *file, const trace_totals *t, const paf_bars_view *v, const uint8_t *omitted)
{
    GArray *rows;
    if (paf_bars_is_grouped(v))
        return paf_io_rows(t, v->group, v->nodes, v->counts);
    if (!v->show_ignored)
        rows = paf_total_rows(t, v->table, v->unit, v->nodes, v->counts);
    else
        rows = find_all_rows(t, v, omitted);
    keep_rows(rows, v, omitted, t->ntotals);
    if (paf_is_fleng_history(t))
        order_by_figure(rows, t, v);
    if (!v->show_ignored)
        keep_file(file, rows, t, v);
    return rows;
}

// Units have hues in the order of their times, and lend them to what stands in them.
static uint32_t *find_hues(const trace_totals *t)
{
    uint32_t *hue = g_new0(uint32_t, t->ntotals + 1);
    for (uint32_t i = 0; i < t->ntotals && paf_is_fleng_history(t); i++)
        hue[i] = paf_history_of(t, i, NULL)->hue;
    if (paf_is_fleng_history(t))
        return hue;
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

// A button that has no room is not there: its key is.
static double button(const drawing *d, double x, double y, const char *label, bool on, bool able,
                     int kind, uint32_t a)
{
    double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_BODY, label) + 20;
    if (x + w > d->view->width - 4)
        return d->view->width;
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
        n += is_ignored(d->view, i) || d->omitted[i];
    return n;
}

static double draw_choices(const drawing *d, double x, double y)
{
    const paf_bars_view *v = d->view;
    char *nodes = paf_node_name(d->all, v->nodes);
    char *which = v->nodes >= PAF_NODES_MEAN ? g_strdup_printf("%s of %u", nodes, d->all->nnodes)
                                             : g_strdup(nodes);
    if (paf_is_fleng_history(d->all)) {
        x = button(d, x, y, "Reductions", v->figure == PAF_FIGURE_REDUCTIONS, true, PAF_BARS_BY,
                   PAF_FIGURE_REDUCTIONS);
        x = button(d, x, y, "Critical path", v->figure == PAF_FIGURE_PATH, true, PAF_BARS_BY,
                   PAF_FIGURE_PATH);
        x = button(d, x, y, "Waited", v->figure == PAF_FIGURE_WAITED, true, PAF_BARS_BY,
                   PAF_FIGURE_WAITED) +
            GAP;
    } else {
        x = button(d, x, y, "Time", !v->counts, true, PAF_BARS_BY, 0);
        x = button(d, x, y, "Executions", v->counts, true, PAF_BARS_BY, 1) + GAP;
    }
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
    // A history can have no tables but its own.
    bool all = trace_get_totals(d->t) != NULL;
    for (int k = 0; k < TRACE_TOTAL_KINDS; k++)
        if (all || d->all->tables[k].observed)
            x = button(d, x, y, paf_bars_table_name(d->all, (trace_total_kind)k),
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
    paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->quiet, MARGIN + used + 16, HEADER / 2 + 5,
                   d->view->width - used - 3 * MARGIN, 0, finding);
    g_free(finding);
}

// ---------------------------------------------------------------------------------------------
// The table

static void place_columns(drawing *d)
{
    double w = d->w;
    d->place_w = w > 760 ? 150 : w > 560 ? 100 : 0;
    // A narrow table leaves out figures from the right, and then the bar; names come before.
    d->figures = w > 380 ? 3 : w > 300 ? 2 : 1;
    d->name_w = fmin(260, fmax(w * 0.3, fmin(LEAST_NAME, w * 0.5)));
    d->name_x = d->x;
    d->place_x = d->x + w - d->place_w;
    d->times_x = d->place_x - (d->place_w > 0 ? 16 : 8);
    d->share_x = d->figures > 2 ? d->times_x - 96 : d->times_x;
    d->value_x = d->figures > 1 ? d->share_x - 62 : d->times_x;
    d->bar_x = d->name_x + d->name_w + GAP;
    d->bar_w = d->value_x - (paf_is_fleng_history(d->all) ? 104 : 84) - d->bar_x;
    if (d->bar_w < LEAST_BAR) {
        d->bar_w = 0;
        d->name_w = fmax(d->value_x - (paf_is_fleng_history(d->all) ? 92 : 76) - d->name_x, 60);
    }
}

static void draw_headings(const drawing *d, double y)
{
    const paf_theme *th = d->theme;
    const char *what = d->view->show_ignored ? "IGNORED" : "WHAT";
    bool fleng = paf_is_fleng_history(d->all);
    const paf_text_style caps = PAF_TEXT_CAPS;
    paf_write_head(d->pic, caps, th->quiet, d->name_x + 18, y, 0, what,
                   d->view->show_ignored ? "What bars and shares leave out, which a click brings back, and what the recording did"
                                         : "What the row is of; the bar is as long as its figure is large");
    paf_write_head(d->pic, caps, th->quiet, d->value_x, y, 1, fleng ? "REDUCTIONS" : d->unit->heading,
                   fleng ? "How often its goals were reduced"
                         : "What all its executions took, or how many they were, on the process that is "
                           "shown");
    if (d->figures > 1)
        paf_write_head(d->pic, caps, th->quiet, d->share_x, y, 1, fleng ? "OF PATH" : "SHARE",
                   fleng ? "How much of the critical path its reductions are: the run can be no shorter than "
                           "that"
                         : "How much of the sum of the table this is, without what is ignored");
    if (d->figures > 2)
        paf_write_head(d->pic, caps, th->quiet, d->times_x, y, 1, fleng ? "WAITED Σ" : "TIMES",
                   fleng ? "For how many steps its goals waited, all of them together: more than the run has"
                         : "How often it was executed");
    if (d->place_w > 0)
        paf_write_head(d->pic, caps, th->quiet, d->place_x, y, 0, "PLACE", "File and line where it begins");
}

// What the bars' full width stands for.
static void draw_scale(const drawing *d, double largest, double y)
{
    if (d->bar_w <= 0)
        return;
    char *most = d->view->counts ? paf_number((uint64_t)fmax(largest, 0))
                                 : g_strdup_printf("%.3f %s", largest * 1e9 / d->unit->size,
                                                   d->unit->name);
    if (paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, most) + 14 < d->bar_w)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, d->bar_x, y, 0, 0, "0");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, d->bar_x + d->bar_w, y, 0, 1, most);
    g_free(most);
}

static void draw_bar(const drawing *d, const paf_total_row *row, double y, double largest)
{
    double value = value_of(d, row), share = largest > 0 ? value / largest : 0;
    bool file = row->total >= d->all->ntotals; // of no unit
    uint32_t hue = file ? 0 : d->hue[row->total];
    paf_colour colour = file ? d->theme->bars : paf_module_colour(d->theme, hue);
    if (d->bar_w <= 0)
        return;
    paf_round_box(d->pic, d->bar_x, y + 6, d->bar_w, ROW - 12, 3);
    paf_fill(d->pic, d->theme->track, 0);
    if (share > 0) {
        paf_round_box(d->pic, d->bar_x, y + 6, fmax(fmin(share, 1) * d->bar_w, 1.5), ROW - 12, 3);
        paf_fill(d->pic, colour, paf_module_pattern(hue));
    }
    if (share > 1.0000001) // it goes on beyond the manual scale
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, d->bar_x + d->bar_w + 3, y + 17, 0, 0,
                  "▸");
}

// Of Fleng: reductions, the share of the critical path, and what its goals waited together.
static void draw_figures(const drawing *d, const paf_total_row *row, double y)
{
    uint64_t path = 0;
    const paf_history_figures *f = paf_history_of(d->all, row->total, &path);
    char *figures[PAF_FIGURES] = {
        [PAF_FIGURE_REDUCTIONS] = paf_number((uint64_t)MAX(row->m.times, 0)),
        [PAF_FIGURE_PATH] = path ? paf_percent((double)f->critical, (double)path) : g_strdup("–"),
        [PAF_FIGURE_WAITED] = paf_number(f->waited)};
    const double right[PAF_FIGURES] = {d->value_x, d->share_x, d->times_x};
    for (int i = 0; i < PAF_FIGURES; i++) {
        bool chosen = (int)d->view->figure == i;
        if (i < d->figures)
            paf_write(d->pic, PAF_TEXT_BODY, chosen ? d->theme->ink : d->theme->quiet, right[i], y, 0, 1,
                      figures[i]);
        g_free(figures[i]);
    }
    const trace_total *p = paf_bars_total(d->all, row->total);
    char *place = p ? paf_total_place(d->t, p) : NULL;
    if (place && d->place_w > 0)
        paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->quiet, d->place_x, y, d->place_w, 0, place);
    g_free(place);
}

static void draw_numbers(const drawing *d, const paf_total_row *row, double y)
{
    if (paf_is_fleng_history(d->all)) {
        draw_figures(d, row, y);
        return;
    }
    const paf_theme *th = d->theme;
    int64_t time = paf_own_time(&row->m);
    bool table = !d->view->show_ignored;
    const trace_total *p = paf_bars_total(d->all, row->total);
    int decimals = d->unit->size < 1e9 || !p || p->kind != TT_CALL ? 3 : 6;
    char *seconds = time < 0 ? g_strdup("–")
                             : g_strdup_printf("%.*f", decimals, (double)time / d->unit->size);
    double part = -1;
    if (table && !paf_bars_is_grouped(d->view))
        part = paf_total_share(d->all, row->total, &row->m, d->sum);
    else if (table && time >= 0 && d->sum > 0)
        part = (double)time / (double)d->sum;
    char *share = part < 0                    ? g_strdup("–")
                  : part > 0 && part < 0.001 ? g_strdup("< 0.1 %")
                                             : g_strdup_printf("%.1f %%", 100 * part);
    char *times = row->m.times < 0 ? g_strdup("–") : paf_number((uint64_t)row->m.times);
    char *place = p ? paf_total_place(d->t, p) : NULL;
    paf_write(d->pic, PAF_TEXT_BODY, d->view->counts ? th->quiet : th->ink, d->value_x, y, 84, 1,
              seconds);
    if (d->figures > 1)
        paf_write(d->pic, PAF_TEXT_BODY, th->quiet, d->share_x, y, 56, 1, share);
    if (d->figures > 2)
        paf_write(d->pic, PAF_TEXT_BODY, d->view->counts ? th->ink : th->quiet, d->times_x, y, 90, 1,
                  times);
    if (place && d->place_w > 0)
        paf_write_name(d->pic, PAF_TEXT_BODY, th->quiet, d->place_x, y, d->place_w, 0, place);
    g_free(seconds);
    g_free(share);
    g_free(times);
    g_free(place);
}

// Why the recording left out a row that the user does not ignore; NULL: it did not.
static const char *omission(const drawing *d, uint32_t total)
{
    bool omitted = total < d->all->ntotals && !is_ignored(d->view, total);
    return omitted ? paf_omission_text((paf_omission)d->omitted[total]) : NULL;
}

static void draw_row(const drawing *d, const paf_total_row *row, double y, double largest)
{
    char *name = paf_bars_row_name(d->t, d->all, row->total);
    bool selected = d->view->selected == row->total;
    if (selected) {
        paf_round_box(d->pic, d->x - 6, y + 1, d->w + 12, ROW - 2, 4);
        paf_fill(d->pic, paf_alpha(d->theme->amber, 0.22), 0);
    } else if (d->view->hover == row->total) {
        paf_round_box(d->pic, d->x - 6, y + 1, d->w + 12, ROW - 2, 4);
        paf_fill(d->pic, paf_alpha(d->theme->ink, 0.05), 0);
    }
    paf_add_hit(d->pic, (paf_rect){d->x - 6, y, d->w + 12, ROW}, PAF_BARS_ROW, row->total, 0);
    if (!paf_bars_is_grouped(d->view) && !(d->view->show_ignored && omission(d, row->total))) {
        paf_write(d->pic, PAF_TEXT_BODY,
                  d->view->hover == row->total ? d->theme->ink : d->theme->faint, d->name_x + 5,
                  y + 17.5, 0, 0.5, d->view->show_ignored ? "+" : "×");
        paf_add_hit(d->pic, (paf_rect){d->name_x - 4, y, 18, ROW}, PAF_BARS_IGNORE, row->total, 0);
    }
    paf_write_name(d->pic, selected ? PAF_TEXT_STRONG : PAF_TEXT_BODY, d->theme->ink,
                   d->name_x + 18, y + 17.5, d->name_w - 18, 0, name);
    const char *why = d->view->show_ignored ? omission(d, row->total) : NULL;
    if (why)
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->quiet, d->bar_x, y + 17.5,
                  d->value_x - 24 - d->bar_x, 0, why); // the column of times has a dash
    else
        draw_bar(d, row, y, largest);
    draw_numbers(d, row, y + 17.5);
    g_free(name);
}

static void draw_scrollbar(const drawing *d, double top, double height, paf_bars *result)
{
    double n = d->rows->len, x = d->x + d->w + 8;
    if (result->room >= d->rows->len)
        return;
    paf_round_box(d->pic, x, top, 4, height, 2);
    paf_fill(d->pic, d->theme->track, 0);
    paf_round_box(d->pic, x, top + height * result->first / n, 4,
                  fmax(height * result->visible / n, 12), 2);
    paf_fill(d->pic, d->theme->quiet, 0);
    result->scrollbar = (paf_rect){x - 4, top, 12, height}; // easier to be hit than it looks
    paf_add_hit(d->pic, result->scrollbar, PAF_BARS_SCROLLBAR, 0, 0);
}

static void draw_empty(const drawing *d)
{
    const paf_bars_view *v = d->view;
    const char *name = paf_bars_table_name(d->all, v->table);
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

// What a row of input and output is.
static double draw_groups(const drawing *d)
{
    static const char *const names[] = {"By statement", "By program unit", "By file"};
    double x = d->x;
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        x = button(d, x, d->y, names[i], d->view->group == i,
                   i != PAF_IO_FILES || d->all->nfiles > 0, PAF_BARS_GROUP, i);
    return d->y + 32;
}

static double draw_path(drawing *d)
{
    bool part = d->view->unit != TRACE_NONE || d->view->file != TRACE_NONE;
    if (d->view->table == TT_IO && !part && !d->view->show_ignored)
        return draw_groups(d);
    if (!part || d->view->show_ignored)
        return d->y;
    uint32_t of = d->view->unit != TRACE_NONE ? d->view->unit : d->all->ntotals + d->view->file;
    char *name = paf_bars_row_name(d->t, d->all, of);
    char *text = g_strdup_printf("‹ %s: %s", paf_bars_table_name(d->all, d->view->table), name);
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
    uint32_t first = MIN(d->view->first, d->rows->len > room ? d->rows->len - room : 0);
    result->room = room;
    result->first = first;
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
    d->rows_y = y;
    draw_scrollbar(d, y, room * (double)ROW, result);
    for (uint32_t i = 0; i < result->visible; i++)
        draw_row(d, &g_array_index(d->rows, paf_total_row, first + i), y + i * (double)ROW,
                 result->largest);
}

// ---------------------------------------------------------------------------------------------
// Trip counts, and the source

// "473,344.0"
static char *mean_text(double mean)
{
    uint64_t tenths = (uint64_t)round(mean * 10);
    char *whole = paf_number(tenths / 10);
    char *text = g_strdup_printf("%s.%u", whole, (unsigned)(tenths % 10));
    g_free(whole);
    return text;
}

// Below the row that it is about, or, where there is no room, above it.
static paf_rect place_trips(const drawing *d, const paf_bars *b)
{
    paf_rect r = {d->bar_x, d->rows_y, 300, 118};
    for (uint32_t i = 0; i < b->visible; i++)
        if (b->rows[b->first + i] == d->view->trips)
            r.y = d->rows_y + (i + 1) * (double)ROW + 2;
    if (r.y + r.h > d->view->height - 8)
        r.y = fmax(r.y - ROW - 4 - r.h, d->y);
    return r;
}

static void draw_trips(const drawing *d, const paf_bars *b)
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
                     : mean_text((double)m.rotation / (double)m.times);
    const char *const rows[][2] = {
        {"Iterations", total},
        {"Mean per execution", mean},
        {"Their number", kinds[loop->definite + 1]},
    };
    paf_rect r = place_trips(d, b);
    double w = r.w, x = r.x, y = r.y;
    paf_round_box(d->pic, x, y, w, r.h, 8);
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

static bool has_place(const trace_total *p)
{
    return p->source != TRACE_NONE && p->line > 0;
}

// What the source is about: the selection, or the topmost visible row of which a line is known.
static uint32_t total_in_focus(const drawing *d)
{
    // Not what led here, if there is nothing to be seen of it.
    const trace_total *selected = paf_bars_total(d->all, d->view->selected);
    bool led_here = d->view->file != TRACE_NONE || (selected && d->view->unit == d->view->selected);
    if (d->view->selected != TRACE_NONE && (!led_here || (selected && has_place(selected))))
        return d->view->selected;
    for (guint i = d->view->first; i < d->rows->len; i++) {
        uint32_t total = g_array_index(d->rows, paf_total_row, i).total;
        const trace_total *p = paf_bars_total(d->all, total);
        if (p && has_place(p))
            return total;
    }
    return TRACE_NONE;
}

static bool has_sources(const drawing *d)
{
    for (uint32_t i = 0; i < trace_nsources(d->t); i++)
        if (*trace_string(d->t, trace_get_source(d->t, i)->text, NULL))
            return true;
    return false;
}

// A history knows each clause's own: a predicate's sum is of none of its lines.
static GArray *count_clauses(const trace *t, const uint64_t *times, uint32_t source)
{
    GArray *counts = paf_line_counts(t, source);
    for (uint32_t c = 0; c < trace_nclauses(t); c++) {
        const trace_clause *clause = trace_get_clause(t, c);
        if (clause->source == source)
            paf_count_line(counts, clause->line, times[c]);
    }
    return counts;
}

// Executions by line.
static GArray *count_executions(const drawing *d, uint32_t source)
{
    const uint64_t *times = paf_clause_times(d->all);
    if (times)
        return count_clauses(d->t, times, source);
    GArray *counts = paf_line_counts(d->t, source);
    for (uint32_t i = 0; i < d->all->ntotals; i++) {
        const trace_total *p = &d->all->totals[i];
        if (p->source != source)
            continue;
        int64_t n = paf_total_measure(d->all, i, d->view->nodes).times;
        if (n >= 0)
            paf_count_line(counts, p->line, (uint64_t)n);
    }
    return counts;
}

static void draw_source(const drawing *d, paf_rect pane, paf_source_view *ret)
{
    uint32_t focus = total_in_focus(d);
    const trace_total *p = paf_bars_total(d->all, focus);
    paf_add_hit(d->pic, pane, PAF_BARS_SOURCE, 0, 0);
    if (!p || !has_place(p)) {
        paf_draw_empty_card(d->pic, d->theme, pane,
                            focus == TRACE_NONE ? NULL
                            : p                 ? "No line is known of it."
                                                : "A click on a file leads to its statements.");
        return;
    }
    *ret = (paf_source_view){
        .source = p->source,
        .line = p->line,
        .end = p->line,
        .mark = focus != d->view->selected
                    ? d->theme->track
                    : paf_mix(paf_module_colour(d->theme, d->hue[focus]), d->theme->card,
                              d->theme->dark ? 0.34 : 0.22),
        .counts = count_executions(d, p->source),
    };
    paf_draw_source_card(d->pic, d->theme, pane, d->t, d->view->source_scroll,
                         paf_is_fleng_history(d->all) ? "reductions" : "executions", ret);
}

// A trace without sources has no pane to say so when a row is chosen.
static void note_place(const drawing *d)
{
    const trace_total *p = paf_bars_total(d->all, d->view->selected);
    if (!p || !has_place(p))
        return;
    char *place = paf_total_place(d->t, p);
    char *text = g_strdup_printf("%s: the source was not found when the trace was made.", place);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->x + 18, d->view->height - 12, d->w - 18,
              0, text);
    g_free(text);
    g_free(place);
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

// The table, and beside or below it the source, whatever is selected: nothing moves then.
static void place_parts(drawing *d, double y, paf_rect *ret_pane)
{
    double w = d->view->width, h = d->view->height - y;
    bool pane = has_sources(d);
    d->x = MARGIN;
    d->y = y;
    d->w = w - 2 * MARGIN - 8;
    d->h = h - (pane ? 8 : 28);
    *ret_pane = (paf_rect){0};
    if (pane && w >= 900) {
        double width = round(w * 0.36);
        *ret_pane = (paf_rect){w - MARGIN - width, y, width, h - 8};
        d->w -= width + GAP;
    } else if (pane && h >= 320) {
        double height = round(h * 0.4);
        *ret_pane = (paf_rect){MARGIN, y + h - 8 - height, w - 2 * MARGIN, height};
        d->h -= height + GAP;
    }
}

paf_bars *paf_bars_create(const trace *t, const trace_totals *totals, const paf_bars_view *view,
                          paf_shaped_text *text)
{
    paf_bars_view counted = *view; // of Fleng there are no times to choose
    counted.counts |= paf_is_fleng_history(totals);
    view = &counted;
    uint8_t *omitted = paf_find_omissions(totals);
    drawing d = {.t = t,
                 .all = totals,
                 .view = view,
                 .theme = paf_theme_get(view->dark),
                 .pic = paf_picture_create(text, view->scale),
                 .rows = find_rows(t, totals, view, omitted),
                 .hue = find_hues(totals),
                 .omitted = omitted,
                 .sum = paf_totals_sum(totals, view->table, view->nodes)};
    double top = view->header ? HEADER : 0;
    paf_rect pane;
    paf_bars *b = make_result(&d);
    paf_box(d.pic, 0, 0, view->width, view->height);
    paf_fill(d.pic, d.theme->window, 0);
    if (view->header)
        draw_header(&d);
    draw_tools(&d, top);
    place_parts(&d, top + TOOLS + 6, &pane);
    d.unit = choose_unit(d.rows);
    place_columns(&d);
    draw_table(&d, b);
    if (pane.w > 0)
        draw_source(&d, pane, &b->source);
    else
        note_place(&d);
    draw_trips(&d, b);
    g_array_unref(d.rows);
    g_free(d.hue);
    g_free(omitted);
    return b;
}

void paf_bars_destroy(paf_bars *b)
{
    if (!b)
        return;
    if (b->source.counts)
        g_array_unref(b->source.counts);
    paf_picture_destroy(b->picture);
    g_free(b->rows);
    g_free(b);
}
