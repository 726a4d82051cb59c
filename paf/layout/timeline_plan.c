// SPDX-License-Identifier: MIT
//
// Which rows a timeline has and how high they are: places by node and process, in the order that the view
// asks for. Rows are at least as high as a line of text and are scrolled, unless all are to be seen at once.
// Then they are as low as they must be, and several places share one if that is not enough.
#include "paf/layout/timeline_rows.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define TITLES   36.0 // above the rows: regions, loops
#define LEGEND   26.0 // below
#define LEAST    4.0  // height of a row
#define READABLE 15.0 // of one with a name
#define MOST     64.0
#define LEVEL    14.0 // of a line below it
#define LEAST_LEVEL 3.0
#define STATES   20.0 // height of the line below a worker's row
#define BESIDE_STATES 40.0 // and the most of the row
#define INDENT   10.0

// ---------------------------------------------------------------------------------------------
// Which rows there are

static bool is_shut(const paf_drawing *d, uint32_t group)
{
    return d->v->shut && d->v->shut[group];
}

static void add(GArray *rows, paf_row row)
{
    g_array_append_val(rows, row);
}

// The heads of the groups that begin with the place order[at]. Returns how many places a closed one hides.
static uint32_t add_heads(const paf_drawing *d, const paf_rows *p, GArray *rows, uint32_t at,
                          uint32_t within[2])
{
    const paf_place_groups *g = p->l->groups;
    uint32_t group = g->group_of[p->order[at]];
    uint32_t parent = group == TRACE_NONE ? TRACE_NONE : g->groups[group].parent;
    const uint32_t levels[2] = {parent == TRACE_NONE ? group : parent, parent == TRACE_NONE ? parent : group};
    for (uint32_t k = 0; k < 2; k++) {
        if (levels[k] == TRACE_NONE || levels[k] == within[k])
            continue;
        uint32_t n = g->groups[levels[k]].n;
        bool shut = is_shut(d, levels[k]);
        within[k] = levels[k];
        add(rows, (paf_row){at, n, levels[k], !shut, k});
        if (shut)
            return n;
    }
    return 0;
}

static void list_rows(const paf_drawing *d, paf_rows *p, GArray *rows)
{
    const paf_place_groups *g = p->l->groups;
    uint32_t within[2] = {TRACE_NONE, TRACE_NONE};
    for (uint32_t i = 0; i < g->nplaces;) {
        uint32_t hidden = add_heads(d, p, rows, i, within);
        if (hidden == 0) {
            uint32_t group = g->group_of[p->order[i]];
            uint32_t depth = group == TRACE_NONE ? 0 : g->groups[group].parent == TRACE_NONE ? 1 : 2;
            add(rows, (paf_row){i, 1, IOT_NONE, false, depth});
            hidden = 1;
        }
        for (uint32_t k = i; k < i + hidden; k++)
            p->row_of[p->order[k]] = rows->len - 1;
        i += hidden;
    }
}

// So many places in each.
static void squeeze_rows(paf_rows *p, GArray *rows, double room)
{
    uint32_t n = p->l->nplaces, each = 1;
    while (ceil((double)n / each) * LEAST > room)
        each++;
    g_array_set_size(rows, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (i % each == 0)
            add(rows, (paf_row){i, MIN(each, n - i), IOT_NONE, false, 0});
        p->row_of[p->order[i]] = i / each;
    }
    p->squeezed = each > 1;
}

// ---------------------------------------------------------------------------------------------
// How high they are

// One line for states and ready goals of a worker.
static void plan_states(paf_rows *p, double room)
{
    if (p->squeezed || room < STATES + 20)
        return;
    p->pitch = fmin(p->pitch, fmin(room - STATES, BESIDE_STATES));
    p->levels = 1;
    p->level = fmin(room - p->pitch, 2 * STATES);
    p->step = p->pitch + p->level;
}

// Lines for what was called within what, from what is left of a row's room.
static void plan_levels(paf_rows *p, double room)
{
    uint32_t n = p->l->nlevels;
    if (n == 0 || p->squeezed || room < MOST / 2)
        return;
    p->pitch = fmin(p->pitch, fmax(floor(room - n * LEVEL), MOST / 2));
    p->level = CLAMP(floor((room - p->pitch) / n), LEAST_LEVEL, LEVEL);
    p->levels = (uint32_t)fmin(floor((room - p->pitch) / p->level), n);
    p->step = p->pitch + p->levels * p->level;
}

static void plan_heights(const paf_drawing *d, paf_rows *p, double room)
{
    double each = floor(room / MAX(p->n, 1)), least = d->v->all_rows ? LEAST : READABLE;
    each = d->v->row_height > 0 && !d->v->all_rows ? d->v->row_height : fmax(each, least);
    p->pitch = fmin(each, MOST);
    p->step = p->pitch;
    plan_levels(p, each);
    if (paf_has_worker_states(d))
        plan_states(p, each);
    p->bar = fmax(fmin(round(p->pitch * 0.68), 34), 3);
    uint32_t fit = (uint32_t)fmax(floor(room / p->step + 0.001), 1);
    p->first = MIN(d->v->first_row, p->n > fit ? p->n - fit : 0);
    p->shown = MIN(p->n - p->first, fit);
}

paf_rows paf_plan_rows(const paf_drawing *d)
{
    paf_rows p = {.l = paf_timeline_by(d->m, d->v->clock), .top = d->f.lanes.y + TITLES};
    double room = fmax(d->f.lanes.h - TITLES - LEGEND, LEAST);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(paf_row));
    p.order = paf_places_in_order(p.l->groups, d->v->by_wait);
    p.row_of = g_new0(uint32_t, p.l->nplaces + 1);
    list_rows(d, &p, rows);
    if (d->v->all_rows && rows->len * LEAST > room)
        squeeze_rows(&p, rows, room);
    p.n = rows->len;
    p.row = (paf_row *)(void *)g_array_free(rows, FALSE);
    plan_heights(d, &p, room);
    p.bottom = p.top + p.shown * p.step;
    p.columns = (uint32_t)fmax(floor(d->f.plot_w), 1);
    p.taken = g_new0(bool, 2 * (size_t)p.columns);
    d->out->nrows = p.n;
    d->out->first_row = p.first;
    d->out->rows_shown = p.shown;
    d->out->row_step = p.step;
    g_array_set_size(d->out->row_of, 0);
    g_array_append_vals(d->out->row_of, p.row_of, p.l->nplaces);
    return p;
}

void paf_free_rows(paf_rows *p)
{
    g_free(p->row);
    g_free(p->order);
    g_free(p->row_of);
    g_free(p->taken);
}

// ---------------------------------------------------------------------------------------------
// Beside the rows

static const char *full_name(const paf_rows *p, uint32_t place)
{
    const char *name = trace_place_name(p->l->t, place);
    return name ? name : p->l->groups->names[place];
}

// "thread 12–15", or the first one's name with how many more there are.
static char *name_of_several(const paf_rows *p, const paf_row *row)
{
    const char *a = full_name(p, p->order[row->first]), *b = full_name(p, p->order[row->first + row->n - 1]);
    size_t words = strcspn(a, "0123456789");
    bool counted = a[words] && strncmp(a, b, words) == 0 && !a[words + strspn(a + words, "0123456789")] &&
                   b[words] && !b[words + strspn(b + words, "0123456789")];
    for (uint32_t i = 1; i < row->n && counted; i++)
        counted = p->order[row->first + i] == p->order[row->first] + i;
    return counted ? g_strdup_printf("%s–%s", a, b + words) : g_strdup_printf("%s … +%u", a, row->n - 1);
}

static char *name_of_row(const paf_rows *p, const paf_row *row)
{
    uint32_t place = p->order[row->first];
    if (row->group != IOT_NONE) {
        const paf_place_group *g = &p->l->groups->groups[row->group];
        return row->open ? g_strdup_printf("▾ %s", g->name) : g_strdup_printf("▸ %s (%u)", g->name, g->n);
    }
    if (row->n > 1)
        return name_of_several(p, row);
    return g_strdup(row->depth > 0 ? p->l->groups->names[place] : full_name(p, place));
}

void paf_label_row(paf_drawing *d, const paf_rows *p, uint32_t index, double part)
{
    const paf_row *row = &p->row[index];
    double middle = paf_row_middle(p, index), y = middle + 4;
    double right = d->f.plot_x - 12, left = d->f.lanes.x + 14 + INDENT * row->depth;
    if (p->pitch < 11 && (index - p->first) % (uint32_t)ceil(12 / p->pitch) != 0)
        return;
    char *name = name_of_row(p, row), *share = paf_percent(part, 1);
    double used = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right, y, 0, 1, share);
    paf_write_name(d->pic, row->group != IOT_NONE ? PAF_TEXT_STRONG : PAF_TEXT_SMALL, d->theme->ink, left, y,
                   right - used - 8 - left, 0, name);
    double high = fmax(p->pitch, 11);
    paf_rect place = {d->f.lanes.x, middle - high / 2, right - d->f.lanes.x, high};
    if (row->group != IOT_NONE)
        paf_add_hit(d->pic, place, PAF_HIT_GROUP, row->group, row->n);
    else
        paf_add_hit(d->pic, place, PAF_HIT_PLACE, p->order[row->first], row->n);
    if (p->levels * p->level >= LEVEL && row->group == IOT_NONE) {
        bool workers = !trace_is_measured(d->m->t);
        char *below = workers ? paf_ready_label(d) : g_strdup("what called what");
        if (below)
            paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right,
                      y + p->pitch / 2 + (workers ? p->level / 2 : 7), 0, 1, below);
        g_free(below);
    }
    g_free(name);
    g_free(share);
}

void paf_draw_rows_bar(paf_drawing *d, paf_rect track, uint32_t n, uint32_t first, uint32_t shown)
{
    if (shown >= n)
        return;
    paf_round_box(d->pic, track.x, track.y, track.w, track.h, 2);
    paf_fill(d->pic, d->theme->track, 0);
    double h = fmax(track.h * shown / n, 14);
    double y = track.y + (track.h - h) * first / (n - shown);
    paf_round_box(d->pic, track.x, y, track.w, h, 2);
    paf_fill(d->pic, d->theme->quiet, 0);
    d->out->rows_bar = (paf_rect){track.x - 3, track.y, track.w + 6, track.h};
    paf_add_hit(d->pic, d->out->rows_bar, PAF_HIT_ROWS_BAR, 0, 0);
}

void paf_head_rows(paf_drawing *d, const paf_rows *p)
{
    const paf_rect *r = &d->f.lanes;
    d->out->rows_area = (paf_rect){r->x, r->y, d->f.plot_x - r->x, r->h};
    const char *figure = d->v->by_wait && trace_is_measured(d->m->t) ? "waits" : "runs";
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, d->f.plot_x - 12, r->y + 29, 0, 1, figure);
    paf_rect track = {d->f.plot_x - 8, p->top, 4, p->bottom - p->top};
    paf_draw_rows_bar(d, track, p->n, p->first, p->shown);
    paf_draw_lanes_tabs(d, r->x + 14, r->y + 13);
    if (p->shown >= p->n)
        return;
    char *text = g_strdup_printf("%u–%u of %u rows", p->first + 1, p->first + p->shown, p->n);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, r->x + 14, p->bottom + 17, d->f.plot_x - r->x - 26, 0,
              text);
    g_free(text);
}
