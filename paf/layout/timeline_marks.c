// SPDX-License-Identifier: MIT
//
// Over the rows of the timeline: teams with fork and join, the beginnings and ends of loops, and
// edges between locations. Beside the rows: the iterations of a loop that each thread got.
#include "paf/layout/timeline_rows.h"
#include "base/search.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define MOST_TEAMS  300 // drawn with fork and join
#define MOST_LOOPS  300
#define MOST_HANDS  400
#define MOST_LOOKED_AT 8000 // if there are more, none is drawn
#define HAND_GAP    6 // pixels between two of them
#define NARROW      5.0  // pixels below which a team has no lines
#define NARROW_LOOP 32.0 // and a loop

// A label above the rows, from x on and no wider than `width`, unless another one is there: what is
// at the same time at other places has no room for its own.
static void write_label(paf_drawing *d, const paf_rows *p, int line, paf_colour colour, double x,
                        double width, const char *text)
{
    double used =
        fmin(paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, text), width);
    bool *taken = p->taken + (size_t)line * p->columns;
    uint32_t from = (uint32_t)fmax(x - d->f.plot_x, 0);
    uint32_t to = MIN((uint32_t)fmax(x + used + 6 - d->f.plot_x, 0), p->columns);
    for (uint32_t c = from; c < to; c++)
        if (taken[c])
            return;
    for (uint32_t c = from; c < to; c++)
        taken[c] = true;
    paf_write(d->pic, PAF_TEXT_SMALL, colour, x, d->f.lanes.y + (line == 0 ? 13 : 29), width, 0,
              text);
}

// ---------------------------------------------------------------------------------------------
// Teams

// brief: without the file.
static const char *region_name(const trace_region *r, bool brief, char *buffer, size_t size)
{
    if (r->line)
        g_snprintf(buffer, size, "%s:%u", brief ? "" : r->file, r->line);
    else
        g_snprintf(buffer, size, "%s", *r->file ? r->file : "region");
    return buffer;
}

// The middles of its first and its last row.
static void rows_of(const paf_rows *p, const trace_team *team, double *ret_first, double *ret_last)
{
    *ret_first = *ret_last = paf_row_y(p, team->places[0]);
    for (uint32_t i = 1; i < team->nplaces; i++) {
        *ret_first = fmin(*ret_first, paf_row_y(p, team->places[i]));
        *ret_last = fmax(*ret_last, paf_row_y(p, team->places[i]));
    }
}

static void draw_fork(paf_drawing *d, const paf_rows *p, const trace_team *team, double x)
{
    double first, last;
    rows_of(p, team, &first, &last);
    paf_box(d->pic, paf_snap(d->pic, x), first, 1, last - first);
    for (uint32_t i = 0; i < team->nplaces && p->pitch >= 12; i++)
        if (paf_row_is_own(p, team->places[i]))
            paf_box(d->pic, paf_snap(d->pic, x) - 1,
                    paf_snap(d->pic, paf_row_y(p, team->places[i]) - 1.5), 3, 3);
}

static void draw_team(paf_drawing *d, const paf_rows *p, const trace_region *r, uint32_t index,
                      const trace_team *team, double x0, double x1)
{
    uint32_t module = r->clause == TRACE_NONE ? 0 : paf_module_of_clause(d->m, r->clause);
    double first, last, left = fmax(x0, d->f.plot_x), right = fmin(x1, d->f.plot_x + d->f.plot_w);
    char name[256];
    rows_of(p, team, &first, &last);
    paf_clip(d->pic, (paf_rect){d->f.plot_x, p->top, d->f.plot_w, p->bottom - p->top});
    paf_box(d->pic, x0, first - p->pitch / 2, x1 - x0, last - first + p->pitch);
    paf_fill(d->pic, paf_alpha(paf_colour_of(d, module), d->theme->dark ? 0.1 : 0.07),
             0);
    draw_fork(d, p, team, x0);
    draw_fork(d, p, team, x1);
    paf_fill(d->pic, d->theme->quiet, 0);
    paf_unclip(d->pic);
    region_name(r,
                right - left - 6 < paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL,
                                                         region_name(r, false, name, sizeof name)),
                name, sizeof name);
    if (right - left > 24)
        write_label(d, p, 0,
                    d->v->region == index ? d->theme->amber : paf_ink_of(d, module),
                    left + 3, right - left - 6, name);
    paf_add_hit(d->pic, (paf_rect){left, d->f.lanes.y, right - left, 18}, PAF_HIT_REGION, index, 0);
}

void paf_draw_teams(paf_drawing *d, const paf_rows *p)
{
    const trace_regions *regions = trace_get_regions(d->m->t);
    uint32_t drawn = 0;
    if (!regions)
        return;
    paf_clip(d->pic, (paf_rect){d->f.plot_x, d->f.lanes.y, d->f.plot_w, d->f.lanes.h});
    for (uint32_t i = 0; i < regions->nregions; i++)
        for (uint32_t k = 0; k < regions->regions[i].nteams && drawn < MOST_TEAMS; k++) {
            const trace_team *team = &regions->regions[i].teams[k];
            double start = (double)team->start, end = start + (double)team->took;
            double x0 = paf_x(d, start), x1 = paf_x(d, end);
            if (start >= d->v->to || end <= d->v->from || x1 - x0 < NARROW || team->nplaces == 0)
                continue;
            draw_team(d, p, &regions->regions[i], i, team, x0, x1);
            drawn++;
        }
    paf_unclip(d->pic);
}

// ---------------------------------------------------------------------------------------------
// Loops

// Parts [first, first + n) are of one execution of a loop.
typedef struct {
    uint32_t first, n;
    double from, to; // of all of them
} loop_run;

static loop_run run_at(const paf_timeline *l, uint32_t first)
{
    loop_run run = {first, 0, (double)l->parts[first].start, (double)l->parts[first].end};
    for (uint32_t i = first; i < l->nparts && l->parts[i].loop == l->parts[first].loop; i++) {
        run.n++;
        run.from = fmin(run.from, (double)l->parts[i].start);
        run.to = fmax(run.to, (double)l->parts[i].end);
    }
    return run;
}

static const paf_chunk *chunk_at(const paf_timeline *l, uint32_t index)
{
    return paf_timeline_chunk(l, l->by_place[index]);
}

// "static", "static, 4", "dynamic, 2", "guided".
static char *schedule_of(const paf_timeline *l, const loop_run *run)
{
    const paf_chunk *first = chunk_at(l, l->parts[run->first].first);
    const char *name = trace_name(l->t, first->schedule);
    int64_t n = first->n;
    for (uint32_t i = run->first; i < run->first + run->n; i++)
        n = MAX(n, chunk_at(l, l->parts[i].first)->n);
    trace_schedule schedule = trace_string_schedule(l->t, first->schedule);
    bool blocks = schedule == TRACE_SCHEDULE_STATIC && first->every == 0;
    if (blocks || schedule == TRACE_SCHEDULE_GUIDED)
        return g_strdup(name);
    return g_strdup_printf("%s, %" G_GINT64_FORMAT, name, n);
}

// One line through the places that have a part, where each begins (ends) it.
static void add_border(paf_drawing *d, const paf_rows *p, const loop_run *run, bool end)
{
    double half = p->pitch / 2;
    uint32_t before = IOT_NONE; // the row above, if the line comes from there
    for (uint32_t i = run->first; i < run->first + run->n; i++) {
        const paf_loop_part *part = &p->l->parts[i];
        double x = paf_x(d, (double)(end ? part->end : part->start)), y = paf_row_y(p, part->place);
        if (!paf_row_is_own(p, part->place))
            continue;
        if (before == IOT_NONE || (p->row_of[part->place] != before + 1 && p->row_of[part->place] != before))
            paf_move(d->pic, x, y - half);
        else
            paf_line(d->pic, x, y - half);
        paf_line(d->pic, x, y + half);
        before = p->row_of[part->place];
    }
    paf_stroke(d->pic, paf_alpha(d->theme->ink, 0.55), 1);
}

static void draw_loop(paf_drawing *d, const paf_rows *p, const loop_run *run)
{
    double x0 = fmax(paf_x(d, run->from), d->f.plot_x);
    double x1 = fmin(paf_x(d, run->to), d->f.plot_x + d->f.plot_w);
    add_border(d, p, run, false);
    add_border(d, p, run, true);
    if (x1 - x0 < 28)
        return;
    char *schedule = schedule_of(p->l, run);
    write_label(d, p, 1, d->theme->quiet, x0 + 3, x1 - x0 - 6, schedule);
    g_free(schedule);
}

void paf_draw_loops(paf_drawing *d, const paf_rows *p)
{
    uint32_t drawn = 0;
    if (p->squeezed)
        return;
    for (uint32_t i = 0; i < p->l->nparts && drawn < MOST_LOOPS;) {
        loop_run run = run_at(p->l, i);
        i += run.n;
        if (run.from >= d->v->to || run.to <= d->v->from ||
            (run.to - run.from) * d->zoom < NARROW_LOOP)
            continue;
        draw_loop(d, p, &run);
        drawn++;
    }
}

// ---------------------------------------------------------------------------------------------
// Who handed over to whom

static uint32_t first_hand(const paf_timeline *l, double time)
{
    size_t first;
    FIRST_NOT(first, l->nhands, i, (double)paf_timeline_end(l, l->hands[i].to) < time);
    return (uint32_t)first;
}

static void add_hand(paf_drawing *d, const paf_rows *p, uint32_t from, uint32_t to,
                     paf_hand_kind kind)
{
    const trace *t = d->m->t;
    bool starts =
        kind == PAF_HAND_TASK && paf_timeline_start(p->l, to) >=
                                     paf_timeline_end(p->l, from); // a task begins when it is there
    double x0 = paf_x(d, (double)paf_timeline_end(p->l, from)),
           y0 = paf_row_y(p, trace_place(t, from));
    double x1 =
        paf_x(d, (double)(starts ? paf_timeline_start(p->l, to) : paf_timeline_end(p->l, to)));
    double y1 = paf_row_y(p, trace_place(t, to)), side = y1 > y0 ? 1 : -1;
    y0 += side * p->bar / 2;
    y1 -= side * p->bar / 2;
    paf_move(d->pic, x0, y0);
    paf_line(d->pic, x1, y1);
    double length = hypot(x1 - x0, y1 - y0);
    if (length < 6)
        return;
    double ux = (x1 - x0) / length * 5, uy = (y1 - y0) / length * 5;
    paf_move(d->pic, x1 - ux - uy * 0.45, y1 - uy + ux * 0.45);
    paf_line(d->pic, x1, y1);
    paf_line(d->pic, x1 - ux + uy * 0.45, y1 - uy - ux * 0.45);
}

// Arrows between two rows are as far apart as can be told from each other; those in between are
// left out, so that many of them make no solid block. latest: by pair of places, the pixel where
// the last one arrived, from 1 on.
static bool has_room(const paf_drawing *d, const paf_rows *p, const paf_hand *hand,
                     GHashTable *latest)
{
    uint64_t from = trace_place(d->m->t, hand->from), to = trace_place(d->m->t, hand->to);
    double x = paf_x(d, (double)paf_timeline_end(paf_timeline_by(d->m, d->v->clock), hand->to)) -
               d->f.plot_x;
    gsize pixel = (gsize)CLAMP(x, 0, 100000) + 1;
    gpointer pair = (gpointer)(gsize)(MIN(from, to) * p->l->nplaces + MAX(from, to));
    gsize before = (gsize)g_hash_table_lookup(latest, pair);
    if (before && pixel < before + HAND_GAP)
        return false;
    g_hash_table_insert(latest, pair, (gpointer)pixel);
    return true;
}

static void draw_needs_of(paf_drawing *d, const paf_rows *p, uint32_t reduction)
{
    const trace *t = d->m->t;
    const uint32_t *reads;
    if (reduction == IOT_NONE || reduction == 0 || reduction >= trace_nreductions(t))
        return;
    uint32_t n = trace_reads(t, reduction, &reads);
    uint32_t parent = trace_goal_parent(t, trace_reduction_goal(t, reduction));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(t, reads[i]);
        uint32_t maker = binding == TRACE_NONE ? 0 : trace_binding_maker(t, binding);
        if (maker > 0 && trace_place(t, maker) != trace_place(t, reduction))
            add_hand(d, p, maker, reduction, PAF_HAND_MUTEX);
    }
    if (parent > 0 && trace_place(t, parent) != trace_place(t, reduction))
        add_hand(d, p, parent, reduction, PAF_HAND_TASK);
    paf_stroke(d->pic, d->theme->amber, 1.5);
}

void paf_draw_hands(paf_drawing *d, const paf_rows *p)
{
    const paf_timeline *l = p->l;
    uint32_t first = first_hand(l, d->v->from), end = first_hand(l, d->v->to);
    if (end < l->nhands)
        end++; // the one that ends beyond the window
    uint32_t n = end - first, drawn = 0;
    GHashTable *latest = g_hash_table_new(NULL, NULL);
    for (uint32_t i = first; i < end && n <= MOST_LOOKED_AT && drawn < MOST_HANDS; i++)
        if (has_room(d, p, &l->hands[i], latest)) {
            add_hand(d, p, l->hands[i].from, l->hands[i].to, l->hands[i].kind);
            drawn++;
        }
    g_hash_table_unref(latest);
    d->out->hidden_hands = n - drawn;
    paf_stroke(d->pic, paf_alpha(d->theme->ink, 0.6), 1);
    draw_needs_of(d, p, d->v->selected);
}

// ---------------------------------------------------------------------------------------------
// Which iterations each thread got

// The loop of the selection, of what is pointed at, or the longest one in the window.
static bool loop_in_focus(const paf_drawing *d, const paf_timeline *l, loop_run *ret)
{
    const uint32_t asked[] = {d->v->selected, d->v->hover};
    for (int i = 0; i < 2; i++) {
        uint32_t r = asked[i], first;
        const paf_chunk *chunk =
            r < trace_nreductions(d->m->t) ? paf_timeline_chunk(l, r) : NULL;
        if (!chunk)
            continue;
        paf_timeline_loop(l, chunk->loop, &first);
        *ret = run_at(l, first);
        return true;
    }
    double most = 0;
    for (uint32_t i = 0; i < l->nparts;) {
        loop_run run = run_at(l, i);
        double shown = fmin(run.to, d->v->to) - fmax(run.from, d->v->from);
        i += run.n;
        if (shown > most) {
            most = shown;
            *ret = run;
        }
    }
    return most > 0;
}

typedef struct {
    double first, end; // iterations
    uint32_t n;        // pixels
    float *part;       // of each pixel
} strip;

static void add_range(strip *s, double first, double n, double weight)
{
    double scale = s->n / (s->end - s->first);
    double x0 = fmax((first - s->first) * scale, 0),
           x1 = fmin((first + n - s->first) * scale, s->n);
    for (uint32_t c = (uint32_t)x0; c < s->n && (double)c < x1; c++)
        s->part[c] += (float)(weight * (fmin(x1, (double)c + 1) - fmax(x0, (double)c)));
}

static void add_chunk(strip *s, const paf_chunk *c)
{
    double scale = s->n / (s->end - s->first), first = (double)c->first, every = (double)c->every;
    if (c->every == 0)
        add_range(s, first, (double)c->n, 1);
    else if (every * scale < 2) // too fine to be seen: a share of every pixel
        add_range(s, first, s->end - first, (double)c->n / every);
    else
        for (; first < s->end; first += every)
            add_range(s, first, (double)c->n, 1);
}

static void draw_strip(paf_drawing *d, const strip *s, paf_rect place, uint32_t module)
{
    paf_colour colour = paf_colour_of(d, module);
    paf_box(d->pic, place.x, place.y, place.w, place.h);
    paf_fill(d->pic, d->theme->track, 0);
    for (uint32_t c = 0; c < s->n;) {
        uint32_t end = c + 1;
        while (end < s->n && fabsf(s->part[end] - s->part[c]) < 0.02f)
            end++;
        if (s->part[c] > 0.01f) {
            paf_box(d->pic, place.x + c, place.y, end - c, place.h);
            paf_fill(d->pic, paf_alpha(colour, fmin(s->part[c], 1)), 0);
        }
        c = end;
    }
}

// The iterations of the loop: chunks of static loops begin at the first one's.
static void measure(const paf_timeline *l, const loop_run *run, strip *s)
{
    double total = 0;
    s->first = INFINITY;
    s->end = -INFINITY;
    for (uint32_t i = run->first; i < run->first + run->n; i++)
        for (uint32_t k = l->parts[i].first; k <= l->parts[i].last; k++) {
            const paf_chunk *c = chunk_at(l, k);
            if (!c || c->loop != l->parts[i].loop)
                continue;
            s->first = fmin(s->first, (double)c->first);
            s->end = fmax(s->end, (double)c->first + (double)c->n);
            total = fmax(total, (double)c->total);
        }
    s->end = fmax(s->end, s->first + total);
}

static void write_heading(paf_drawing *d, const loop_run *run, const strip *s)
{
    const paf_rect *r = &d->f.loops;
    const paf_timeline *l = paf_timeline_by(d->m, d->v->clock);
    const paf_loop_part *part = &l->parts[run->first];
    char *schedule = schedule_of(l, run);
    char *range = g_strdup_printf("%s: %.0f … %.0f", schedule, s->first, s->end - 1);
    paf_write_name(d->pic, PAF_TEXT_SMALL, paf_ink_of(d, part->module), r->x,
              d->f.lanes.y + 13, r->w, 0, iot_get_module(d->m->a, part->module)->name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, r->x, d->f.lanes.y + 29, r->w, 0, range);
    g_free(schedule);
    g_free(range);
}

void paf_draw_iterations(paf_drawing *d, const paf_rows *p)
{
    const paf_timeline *l = p->l;
    loop_run run;
    strip s = {.n = (uint32_t)d->f.loops.w};
    if (p->squeezed || s.n == 0 || !loop_in_focus(d, l, &run))
        return;
    measure(l, &run, &s);
    write_heading(d, &run, &s);
    s.part = g_new(float, s.n);
    for (uint32_t i = run.first; i < run.first + run.n;) {
        const paf_loop_part *part = &l->parts[i];
        memset(s.part, 0, s.n * sizeof *s.part);
        for (; i < run.first + run.n && l->parts[i].place == part->place; i++)
            for (uint32_t k = l->parts[i].first; k <= l->parts[i].last; k++)
                if (chunk_at(l, k) && chunk_at(l, k)->loop == part->loop)
                    add_chunk(&s, chunk_at(l, k));
        double h = fmax(round(p->bar * 0.7), 3);
        if (!paf_row_is_own(p, part->place))
            continue;
        draw_strip(
            d, &s,
            (paf_rect){d->f.loops.x, paf_snap(d->pic, paf_row_y(p, part->place) - h / 2), s.n, h},
            part->module);
    }
    g_free(s.part);
}

// ---------------------------------------------------------------------------------------------
// Legend

static double draw_sample(paf_drawing *d, double x, double y, paf_interval_kind s, const char *name)
{
    double w = 26;
    if (paf_interval_waits(s)) {
        paf_box(d->pic, x, y - 8, w, 8);
        paf_fill(d->pic, d->theme->track, 0);
        paf_draw_dashes(d, s, x, x + w, y - 4, false);
        paf_fill(d->pic, paf_dash_colour(d, s), 0);
    } else {
        paf_box(d->pic, x, y - 8, w, 8);
        paf_fill(d->pic, d->theme->bars, 0);
        if (s == PAF_INTERVAL_INNER) {
            paf_box(d->pic, x, y - 5, w, 2);
            paf_fill(d->pic, d->theme->ink, 0);
        }
    }
    return x + w + 6 +
           paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + w + 6, y, 0, 0, name) + 18;
}

// At the right: what there is no room for.
static void note_hidden(paf_drawing *d, double x, double y, const char *one, const char *many)
{
    double right = d->f.plot_x + d->f.plot_w;
    if (!d->out->hidden_hands)
        return;
    char *n = paf_count(d->out->hidden_hands, one, many), *number = paf_number(d->out->hidden_hands);
    char *forms[] = {g_strdup_printf("%s: zoom in", n), g_strdup_printf("+%s: zoom in", number),
                     g_strdup_printf("+%s", number)};
    bool written = false;
    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, forms[i]);
        if (!written && w <= right - x) {
            paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right, y, 0, 1, forms[i]);
            written = true;
        }
        g_free(forms[i]);
    }
    g_free(number);
    g_free(n);
}

// Names of the modules, where no side bar tells them: a line below the others.
static void draw_modules_legend(paf_drawing *d, double y)
{
    double x = d->f.plot_x, right = d->f.plot_x + d->f.plot_w;
    for (uint32_t rank = 0; rank < d->m->ncards; rank++) {
        uint32_t module = d->m->order[rank];
        const char *name = iot_get_module(d->m->a, module)->name;
        double w = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, name);
        if (x + 16 + w > right)
            return;
        paf_draw_swatch(d, x, y - 9, 10, module);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, x + 16, y, 0, 0, name);
        x += 16 + w + 20;
    }
}

// Of workers of Fleng: what the bars and the arrows are.
static void draw_workers_legend(paf_drawing *d, double y)
{
    double x = draw_sample(d, d->f.plot_x, y, PAF_INTERVAL_WORK, "busy, by module");
    paf_move(d->pic, x, y - 8);
    paf_line(d->pic, x + 22, y - 1);
    paf_move(d->pic, x + 18, y - 5);
    paf_line(d->pic, x + 22, y - 1);
    paf_line(d->pic, x + 16.5, y - 0.5);
    paf_stroke(d->pic, paf_alpha(d->theme->ink, 0.6), 1);
    x += 28;
    x += 18 + paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y, 0, 0,
                        "a goal taken from another worker");
    x = paf_draw_states_legend(d, x, y);
    note_hidden(d, x, y, "more goal taken", "more goals taken");
    if (d->f.side.w == 0 && y + 28 < d->f.lanes.y + d->f.lanes.h)
        draw_modules_legend(d, y + 22);
}

void paf_draw_timeline_legend(paf_drawing *d, const paf_rows *p, double y)
{
    if (!trace_is_measured(d->m->t)) {
        draw_workers_legend(d, y);
        return;
    }
    static const char *const names[] = {[PAF_INTERVAL_WORK] = "running",
                                        [PAF_INTERVAL_INNER] = "one at a time",
                                        [PAF_INTERVAL_USER] = "barrier",
                                        [PAF_INTERVAL_IMPLIED] = "implied barrier",
                                        [PAF_INTERVAL_MUTEX] = "waits its turn",
                                        [PAF_INTERVAL_OTHER] = "waits for tasks or messages"};
    bool seen[G_N_ELEMENTS(names)] = {[PAF_INTERVAL_WORK] = true};
    double x = d->f.plot_x, right = d->f.plot_x + d->f.plot_w;
    for (uint32_t c = 0; c < trace_nclauses(d->m->t); c++)
        if (d->m->clause_work[c] > 0)
            seen[p->l->interval_of[c]] = true;
    for (unsigned s = PAF_INTERVAL_WORK; s < G_N_ELEMENTS(names); s++)
        if (seen[s] &&
            x + 60 + paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, names[s]) <
                right)
            x = draw_sample(d, x, y, (paf_interval_kind)s, names[s]);
    note_hidden(d, x, y, "more hand-over", "more hand-overs");
}
