// SPDX-License-Identifier: MIT
//
// The bottom pane while the view is about something: the chain of causes of a reduction, an arrow, a pair of
// modules, a stretch of time. Each line leads somewhere.
#include "paf/layout/layout_private.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"

#include <math.h>

#define LINE       17.0
#define GAP        14.0
#define TERM_CELLS 12u
#define GOAL_CELLS 14u

typedef struct {
    paf_drawing *d;
    paf_rect place;
    double y, bottom;
} pane;

// ---------------------------------------------------------------------------------------------
// What the panes have in common

// "A title, and what is small beside it or below it."
static pane begin_pane(paf_drawing *d, paf_rect place, const char *title, const char *subtitle)
{
    double y = place.y + 22;
    paf_write(d->pic, PAF_TEXT_MONO_BOLD, d->theme->ink, place.x, y, place.w, 0, title);
    paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, y + LINE, place.w, 0, subtitle);
    return (pane){d, place, y + 2 * LINE + 6, place.y + place.h - 10};
}

static double text_width(const paf_drawing *d, const char *text)
{
    return paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, text);
}

static const char *module_name(const paf_drawing *d, uint32_t reduction)
{
    uint32_t process = iot_process_of(d->m->a, reduction);
    return process == IOT_NONE ? "start"
                               : iot_get_module(d->m->a, iot_get_process(d->m->a, process)->module)->name;
}

static void draw_swatch_of(paf_drawing *d, double x, double y, uint32_t reduction)
{
    uint32_t process = iot_process_of(d->m->a, reduction);
    if (process != IOT_NONE)
        paf_draw_swatch(d, x, y - 9, 10, iot_get_process(d->m->a, process)->module);
}

// A figure with what it is, and where a click on it goes (PAF_HIT_NONE: nowhere).
static void write_fact(pane *p, const char *what, const char *text, paf_hit_kind kind, uint32_t a)
{
    paf_drawing *d = p->d;
    bool leads = kind != PAF_HIT_NONE;
    if (p->y > p->bottom)
        return;
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->place.x, p->y, 76, 0, what);
    paf_write(d->pic, PAF_TEXT_BODY, leads ? d->theme->amber : d->theme->ink, p->place.x + 80, p->y,
              p->place.w - 80, 0, text);
    if (leads)
        paf_add_hit(d->pic, (paf_rect){p->place.x, p->y - 13, p->place.w, LINE}, kind, a, 0);
    p->y += LINE + 1;
}

static char *reduction_words(const paf_drawing *d, uint32_t reduction)
{
    char *predicate = paf_predicate_name(
        d->m->t, trace_goal_predicate(d->m->t, trace_reduction_goal(d->m->t, reduction)));
    char *at = paf_moment_by(d->m->t, d->v->clock, paf_reduced(d->m, d->v->clock, reduction));
    char *place = paf_reduction_place(d->m->t, reduction);
    char *text = g_strdup_printf("%s at %s · %s · %s", predicate, at, module_name(d, reduction), place);
    g_free(place);
    g_free(at);
    g_free(predicate);
    return text;
}

// ---------------------------------------------------------------------------------------------
// The chain of causes

static char *who_of(const paf_drawing *d, const paf_chain_row *row)
{
    char *name = paf_predicate_name(
        d->m->t, trace_goal_predicate(d->m->t, trace_reduction_goal(d->m->t, row->reduction)));
    if (row->n == 1)
        return name;
    char *n = paf_number(row->n), *text = g_strdup_printf("%s × %s", name, n);
    g_free(n);
    g_free(name);
    return text;
}

static char *what_of(const paf_drawing *d, const paf_focus *f, const paf_chain_row *row)
{
    if (row->reduction == f->asked)
        return g_strdup("came so late");
    if (row->variable == TRACE_NONE)
        return g_strdup(trace_is_measured(d->m->t) ? "came before" : "made the goal");
    uint32_t name = trace_cell_name(d->m->t, row->variable);
    return name == TRACE_NONE ? g_strdup("gave a value")
                              : g_strdup_printf("gave %s", trace_name(d->m->t, name));
}

static void write_chain_row(pane *p, const paf_focus *f, uint32_t index, double figures, double took)
{
    paf_drawing *d = p->d;
    const paf_chain_row *row = &g_array_index(f->rows, paf_chain_row, index);
    double x = p->place.x, right = x + p->place.w, left_w = p->place.w - figures;
    if (paf_focus_row_of(f, d->v->selected) == index) {
        paf_round_box(d->pic, x - 6, p->y - 13, p->place.w + 12, LINE, 4);
        paf_fill(d->pic, paf_alpha(d->theme->amber, 0.16), 0);
    }
    char *who = who_of(d, row), *what = what_of(d, f, row);
    char *at = paf_moment_by(d->m->t, d->v->clock, row->to);
    char *long_ = paf_duration_by(d->m->t, d->v->clock, MAX(row->to - row->from, 0));
    draw_swatch_of(d, x, p->y, row->reduction);
    paf_write(d->pic, PAF_TEXT_MONO, d->theme->ink, x + 16, p->y, left_w * 0.6 - 24, 0, who);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + left_w * 0.6, p->y, left_w * 0.4 - 8, 0, what);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, right - took - GAP, p->y, 0, 1, at);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, right, p->y, 0, 1, long_);
    paf_add_hit(d->pic, (paf_rect){x - 6, p->y - 13, p->place.w + 12, LINE}, PAF_HIT_GO, row->reduction, 0);
    p->y += LINE;
    g_free(long_);
    g_free(at);
    g_free(what);
    g_free(who);
}

// The row of the choice stands in the middle, unless the wheel has moved the list.
static uint32_t first_row(const paf_drawing *d, const paf_focus *f, uint32_t room)
{
    uint32_t chosen = paf_focus_row_of(f, d->v->selected);
    double first = (chosen == IOT_NONE ? 0 : (double)chosen - room / 2) + d->v->row_scroll;
    return (uint32_t)CLAMP(first, 0, (double)(f->rows->len > room ? f->rows->len - room : 0));
}

static void draw_chain(paf_drawing *d, paf_rect place)
{
    const paf_focus *f = d->v->focus;
    char *goal = paf_goal_text(d->m->t, trace_reduction_goal(d->m->t, f->asked),
                               trace_time(d->m->t, f->asked), GOAL_CELLS);
    char *title = g_strdup_printf("Why so late? %s", goal);
    char *n = paf_count(f->members->len, "cause", "causes"), *rows = paf_count(f->rows->len, "row", "rows");
    char *subtitle = g_strdup_printf("a chain of %s in %s%s · ⏎ the next one · Esc back", n, rows,
                                     f->ended ? "" : " and more before");
    pane p = begin_pane(d, place, title, subtitle);
    uint32_t room = (uint32_t)fmax((p.bottom - p.y - LINE) / LINE + 1, 1), first = first_row(d, f, room);
    double at = text_width(d, "until"), took = text_width(d, "took");
    for (uint32_t i = first; i < f->rows->len && i < first + room; i++) {
        const paf_chain_row *row = &g_array_index(f->rows, paf_chain_row, i);
        char *until = paf_moment_by(d->m->t, d->v->clock, row->to);
        char *long_ = paf_duration_by(d->m->t, d->v->clock, MAX(row->to - row->from, 0));
        at = fmax(at, text_width(d, until));
        took = fmax(took, text_width(d, long_));
        g_free(long_);
        g_free(until);
    }
    paf_colour quiet = d->theme->quiet;
    double figures = at + took + 2 * GAP, right = place.x + place.w;
    paf_write(d->pic, PAF_TEXT_SMALL, quiet, place.x + 16, p.y, 0, 0, "who");
    paf_write(d->pic, PAF_TEXT_SMALL, quiet, place.x + (place.w - figures) * 0.6, p.y, 0, 0, "what");
    paf_write(d->pic, PAF_TEXT_SMALL, quiet, right - took - GAP, p.y, 0, 1, "until");
    paf_write(d->pic, PAF_TEXT_SMALL, quiet, right, p.y, 0, 1, "took");
    p.y += LINE;
    for (uint32_t i = first; i < f->rows->len && i < first + room; i++)
        write_chain_row(&p, f, i, figures, took);
    g_free(subtitle);
    g_free(rows);
    g_free(n);
    g_free(title);
    g_free(goal);
}

// ---------------------------------------------------------------------------------------------
// An arrow

static void draw_arrow(paf_drawing *d, paf_rect place)
{
    const iot_input *in = paf_link_input(d->m, d->v->focus->link);
    uint32_t maker = trace_binding_maker(d->m->t, in->binding), others;
    others = paf_links_of_binding(d->m, in->binding, &(uint32_t){0}) - 1;
    char *term = paf_binding_text(d->m->t, in->binding, in->time, TERM_CELLS);
    char *more = paf_number(others), *besides = g_strdup_printf(" · read by %s more", more);
    char *subtitle = g_strdup_printf("%s gives to %s%s", module_name(d, maker),
                                     module_name(d, in->reader), others ? besides : "");
    pane p = begin_pane(d, place, term, subtitle);
    char *made = reduction_words(d, maker), *read = reduction_words(d, in->reader);
    int64_t wait = paf_input_wait(d->m, d->v->clock, in);
    int64_t bound = paf_binding_made(d->m, d->v->clock, in->binding);
    int64_t lay = MAX(paf_input_read(d->m, d->v->clock, in) - bound - (d->v->clock == IOT_VIRTUAL_TIME), 0);
    char *waited = paf_duration_by(d->m->t, d->v->clock, wait);
    char *unread = paf_duration_by(d->m->t, d->v->clock, lay);
    uint32_t goal = trace_reduction_goal(d->m->t, in->reader);
    char *since = paf_moment_by(d->m->t, d->v->clock, paf_goal_created(d->m, d->v->clock, goal));
    char *words = wait > 0 ? g_strdup_printf("%s, since its goal was made at %s", waited, since)
                           : g_strdup("not at all: it was there first");
    write_fact(&p, "bound by", made, PAF_HIT_GO, maker);
    write_fact(&p, "read by", read, PAF_HIT_GO, in->reader);
    write_fact(&p, "waited for", words, PAF_HIT_NONE, 0);
    write_fact(&p, "lay unread", lay > 0 ? unread : "not at all", PAF_HIT_NONE, 0);
    g_free(words);
    g_free(since);
    g_free(unread);
    g_free(waited);
    g_free(read);
    g_free(made);
    g_free(subtitle);
    g_free(besides);
    g_free(more);
    g_free(term);
}

// ---------------------------------------------------------------------------------------------
// A pair of modules

static void write_link(pane *p, uint32_t link)
{
    paf_drawing *d = p->d;
    const iot_input *in = paf_link_input(d->m, link);
    if (p->y > p->bottom)
        return;
    char *term = paf_binding_text(d->m->t, in->binding, in->time, TERM_CELLS);
    char *bound = paf_moment_by(d->m->t, d->v->clock, paf_binding_made(d->m, d->v->clock, in->binding));
    char *waited = paf_duration_by(d->m->t, d->v->clock, paf_input_wait(d->m, d->v->clock, in));
    char *when = g_strdup_printf("@%s · waited %s", bound, waited);
    double w = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p->place.x + p->place.w, p->y, 0, 1, when);
    paf_write(d->pic, PAF_TEXT_MONO, d->theme->ink, p->place.x, p->y, p->place.w - w - GAP, 0, term);
    paf_add_hit(d->pic, (paf_rect){p->place.x, p->y - 13, p->place.w, LINE}, PAF_HIT_ARROW, link, 0);
    p->y += LINE;
    g_free(when);
    g_free(waited);
    g_free(bound);
    g_free(term);
}

static char *pair_words(const paf_drawing *d, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < iot_ndependencies(d->m->a); i++) {
        const iot_dependency *row = iot_get_dependency(d->m->a, i);
        if (row->from != from || row->to != to)
            continue;
        char *times = paf_count(row->count, "time", "times"), *words = paf_count(row->words, "word", "words");
        char *waited = paf_duration_by(d->m->t, d->v->clock, (int64_t)paf_wait_by(d->v->clock, d->m, row));
        char *text = g_strdup_printf("%s · goals waited %s together · %s", times, waited, words);
        g_free(waited);
        g_free(words);
        g_free(times);
        return text;
    }
    return g_strdup("");
}

static void draw_pair(paf_drawing *d, paf_rect place)
{
    const paf_focus *f = d->v->focus;
    char *title = g_strdup_printf("%s gives to %s", iot_get_module(d->m->a, f->from_module)->name,
                                  iot_get_module(d->m->a, f->to_module)->name);
    char *subtitle = pair_words(d, f->from_module, f->to_module);
    pane p = begin_pane(d, place, title, subtitle);
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, place.x, p.y, 0, 0, "LONGEST WAITS");
    p.y += LINE;
    for (guint i = 0; i < f->links->len; i++)
        write_link(&p, g_array_index(f->links, uint32_t, i));
    g_free(subtitle);
    g_free(title);
}

// ---------------------------------------------------------------------------------------------
// A stretch

typedef struct {
    uint32_t index; // of a module, or of a pair
    uint64_t weight;
} ranked;

static int by_weight(gconstpointer x, gconstpointer y)
{
    const ranked *a = x, *b = y;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static uint64_t work_of(const paf_drawing *d, uint32_t module)
{
    const paf_focus *f = d->v->focus;
    iot_bucket b;
    iot_profile_by(d->m->a, d->v->clock, IOT_REDUCTIONS, module, f->from, f->to - f->from + 1, 1, &b);
    return b.sum;
}

static char *work_text(const paf_drawing *d, uint64_t work)
{
    bool times = trace_is_measured(d->m->t) || d->v->clock == IOT_REAL_TIME;
    return times ? paf_duration_by(d->m->t, d->v->clock, (int64_t)work) : paf_number(work);
}

// Right borders of the figures, from the right: share of the path, mean, work; 0: left out.
typedef struct {
    double path, mean, work, name_w;
} module_columns;

static void write_module(pane *p, const module_columns *c, const ranked *row, int64_t width)
{
    paf_drawing *d = p->d;
    double x = p->place.x;
    char *work = work_text(d, row->weight);
    char *mean = g_strdup_printf("%.1f", (double)row->weight / (double)width);
    char *path = paf_percent((double)d->v->focus->path_of[row->index], (double)d->v->focus->path_steps);
    paf_draw_swatch(d, x, p->y - 9, 10, row->index);
    paf_write_name(d->pic, PAF_TEXT_BODY, d->theme->ink, x + 16, p->y, c->name_w, 0,
                   iot_get_module(d->m->a, row->index)->name);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, c->work, p->y, 0, 1, work);
    if (c->mean > 0)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, c->mean, p->y, 0, 1, mean);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, c->path, p->y, 0, 1, path);
    paf_add_hit(d->pic, (paf_rect){x, p->y - 13, c->path - x, LINE}, PAF_HIT_CARD, row->index, 0);
    p->y += LINE;
    g_free(path);
    g_free(mean);
    g_free(work);
}

// Narrow places have no mean: it is the work by the length that the head tells.
static module_columns make_columns(const pane *p, double w, const GArray *rows)
{
    double path = text_width(p->d, "< 0.1 %"), mean = text_width(p->d, "9,999.9"), work = 28;
    for (guint i = 0; i < rows->len; i++) {
        char *text = work_text(p->d, g_array_index(rows, ranked, i).weight);
        work = fmax(work, text_width(p->d, text));
        g_free(text);
    }
    module_columns c = {.path = p->place.x + w};
    double left = c.path - path - 10;
    if (w > path + mean + work + 130) {
        c.mean = left;
        left -= mean + 10;
    }
    c.work = left;
    c.name_w = c.work - work - 8 - p->place.x - 16;
    return c;
}

static void write_modules(pane p, double w)
{
    paf_drawing *d = p.d;
    int64_t width = d->v->focus->to - d->v->focus->from + 1;
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(ranked));
    for (uint32_t i = 0; i < d->m->nmodules; i++) {
        ranked row = {i, work_of(d, i)};
        if (row.weight > 0)
            g_array_append_val(rows, row);
    }
    g_array_sort(rows, by_weight);
    module_columns c = make_columns(&p, w, rows);
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, p.place.x, p.y, 0, 0, "MODULES");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, c.work, p.y, 0, 1, "work");
    if (c.mean > 0)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, c.mean, p.y, 0, 1, "mean");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, c.path, p.y, 0, 1, "path");
    p.y += LINE;
    for (guint i = 0; i < rows->len && p.y <= p.bottom; i++)
        write_module(&p, &c, &g_array_index(rows, ranked, i), width);
    g_array_unref(rows);
}

static void write_wait(pane *p, const paf_waited *row)
{
    paf_drawing *d = p->d;
    bool known = row->from < d->m->nmodules;
    const char *waiter = iot_get_module(d->m->a, row->to)->name;
    char *waited = work_text(d, row->waited);
    char *names = known ? g_strdup_printf("%s ← %s", waiter, iot_get_module(d->m->a, row->from)->name)
                        : g_strdup(waiter);
    double w = paf_write(d->pic, PAF_TEXT_SMALL, d->theme->ink, p->place.x + p->place.w, p->y, 0, 1, waited);
    paf_write(d->pic, PAF_TEXT_BODY, d->theme->ink, p->place.x, p->y, p->place.w - w - 8, 0, names);
    if (known)
        paf_add_hit(d->pic, (paf_rect){p->place.x, p->y - 13, p->place.w, LINE}, PAF_HIT_BUNDLE, row->from,
                    row->to);
    p->y += LINE;
    g_free(names);
    g_free(waited);
}

// Who waited for whom in the stretch, whenever it was read; then the findings that are there.
static void write_waits(pane p)
{
    paf_drawing *d = p.d;
    const paf_focus *f = d->v->focus;
    const GArray *rows = f->waits;
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, p.place.x, p.y, 0, 0, "WAITED FOR");
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p.place.x + p.place.w, p.y, 0, 1, "together");
    p.y += LINE;
    guint shown = MIN(rows->len, f->findings->len ? 3u : 8u);
    for (guint i = 0; i < shown && p.y <= p.bottom; i++)
        write_wait(&p, &g_array_index(rows, paf_waited, i));
    if (rows->len == 0) {
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, p.place.x, p.y, p.place.w, 0, "nobody waited");
        p.y += LINE;
    }
    for (guint i = 0; i < f->findings->len && p.y <= p.bottom; i++) {
        const paf_share *share = &g_array_index(f->findings, paf_share, i);
        char *part = paf_percent(share->share, 1);
        char *text = g_strdup_printf("%s of finding %u here", part, share->finding + 1);
        paf_write(d->pic, PAF_TEXT_BODY, d->theme->amber, p.place.x, p.y, p.place.w, 0, text);
        paf_add_hit(d->pic, (paf_rect){p.place.x, p.y - 13, p.place.w, LINE}, PAF_HIT_FINDING,
                    share->finding, 0);
        p.y += LINE;
        g_free(text);
        g_free(part);
    }
}

static void draw_stretch(paf_drawing *d, paf_rect place)
{
    const paf_focus *f = d->v->focus;
    int64_t width = f->to - f->from + 1;
    uint64_t work = work_of(d, IOT_NONE);
    char *from = paf_moment_by(d->m->t, d->v->clock, f->from);
    char *to = paf_moment_by(d->m->t, d->v->clock, f->to);
    char *title = g_strdup_printf("%s to %s", from, to);
    char *took = paf_duration_by(d->m->t, d->v->clock, width), *all = work_text(d, work);
    char *path = paf_number(f->path_steps);
    char *subtitle = g_strdup_printf("%s · work %s · parallelism %.1f · critical path %s", took, all,
                                     (double)work / (double)width, path);
    pane p = begin_pane(d, place, title, subtitle);
    double left = round((place.w - 20) * 0.48);
    write_modules(p, left);
    p.place.x += left + 20;
    p.place.w -= left + 20;
    if (f->waits)
        write_waits(p);
    g_free(subtitle);
    g_free(path);
    g_free(all);
    g_free(took);
    g_free(title);
    g_free(to);
    g_free(from);
}

// ---------------------------------------------------------------------------------------------

bool paf_draw_focus_pane(paf_drawing *d, paf_rect place)
{
    const paf_focus *f = d->v->focus;
    switch (f ? f->kind : PAF_FOCUS_FINDING) {
    case PAF_FOCUS_CHAIN:
        if (d->v->selected != IOT_NONE && paf_focus_row_of(f, d->v->selected) == IOT_NONE)
            return false; // something else was chosen
        draw_chain(d, place);
        return true;
    case PAF_FOCUS_ARROW:
        draw_arrow(d, place);
        return true;
    case PAF_FOCUS_PAIR:
        draw_pair(d, place);
        return true;
    case PAF_FOCUS_STRETCH:
        draw_stretch(d, place);
        return true;
    case PAF_FOCUS_FINDING:
        break;
    }
    return false;
}
