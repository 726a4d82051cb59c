// SPDX-License-Identifier: MIT
//
// What a view can be about: the stretch of a finding holds most of it and no shorter one does; a chain of
// causes has no gap and reaches the beginning; the sums of a stretch are those of the run; an arrow answers
// on its curve and not beside it; what is in focus is lit. The critical path's strip has a module at every
// step. What is looked for is found in slices as at once.
//
//   check_focus FILE.paf...
#include "paf/layout/path.h"
#include "paf/layout/lanes.h"
#include "paf/model/bookmarks.h"
#include "paf/model/details.h"
#include "paf/model/real_times.h"
#include "paf/model/search.h"
#include "paf/model/sentence.h"
#include "paf/say/numbers.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;
static const char *about;

static void check(bool good, const char *what, double a, double b)
{
    if (!good && failures++ < 20)
        fprintf(stderr, "%s: %s (%g, %g)\n", about, what, a, b);
}

static void check_finding(const paf_model *m, uint32_t index)
{
    paf_focus *f = paf_focus_on_finding(m, IOT_VIRTUAL_TIME, index);
    check(f != NULL, "a finding without a place", index, 0);
    if (!f)
        return;
    check(f->from <= f->to && f->from >= 0 && f->to <= m->span, "a stretch outside the run", (double)f->from,
          (double)f->to);
    check(paf_focus_lights(f, m, f->longest), "its longest reduction is not lit", index, f->longest);
    int64_t time = trace_time(m->t, f->longest);
    check(f->from <= time && time <= f->to, "its longest reduction is not in its stretch", (double)time,
          (double)f->to);
    paf_focus *s = paf_focus_on_stretch(m, IOT_VIRTUAL_TIME, f->from, f->to, true);
    double share = 0;
    for (guint i = 0; i < s->findings->len; i++)
        if (g_array_index(s->findings, paf_share, i).finding == index)
            share = g_array_index(s->findings, paf_share, i).share;
    check(share >= 0.79, "its stretch does not hold most of it", index, share); // of long runs, of samples
    uint32_t lit = 0;
    for (uint32_t r = 1; r < trace_nreductions(m->t); r++)
        lit += paf_focus_lights(f, m, r);
    check(lit > 0 && lit < trace_nreductions(m->t) - 1, "all is lit, or nothing", lit, 0);
    paf_focus_unref(s);
    paf_focus_unref(f);
}

static void check_chain(const paf_model *m, uint32_t reduction)
{
    paf_focus *f = paf_focus_on_chain(m, IOT_VIRTUAL_TIME, reduction);
    while (!f->ended)
        paf_focus_extend(m, f);
    int64_t took = 0;
    uint32_t n = 0;
    for (guint i = 0; i < f->rows->len; i++) {
        const paf_chain_row *row = &g_array_index(f->rows, paf_chain_row, i);
        took += row->to - row->from;
        n += row->n;
        check(paf_focus_row_of(f, row->reduction) == i && paf_focus_row_of(f, row->first) == i,
              "a row does not find itself", i, row->reduction);
        if (i + 1 < f->rows->len)
            check(row->from == g_array_index(f->rows, paf_chain_row, i + 1).to,
                  "a gap", i, (double)row->from);
    }
    check(n == f->members->len, "rows and causes", n, f->members->len);
    check(took == trace_time(m->t, reduction), "the chain does not make up its time", (double)took,
          (double)trace_time(m->t, reduction));
    for (guint i = 0; i + 1 < f->members->len; i++) {
        uint32_t variable, now = g_array_index(f->members, uint32_t, i);
        check(paf_decider(m, now, &variable) == g_array_index(f->members, uint32_t, i + 1),
              "no cause", now, i);
        check(paf_focus_lights(f, m, now), "a cause is not lit", now, i);
    }
    paf_focus_unref(f);
}

// All steps of the path, in parts and as a whole.
static void check_stretches(const paf_model *m)
{
    uint64_t parts = 0, whole;
    for (int i = 0; i < 4; i++) {
        int64_t from = 1 + m->span * i / 4, to = m->span * (i + 1) / 4;
        if (to < from)
            continue;
        paf_focus *f = paf_focus_on_stretch(m, IOT_VIRTUAL_TIME, from, to, false);
        uint64_t sum = 0;
        for (uint32_t k = 0; k < m->nmodules; k++)
            sum += f->path_of[k];
        check(sum == f->path_steps, "steps of no module", (double)sum, (double)f->path_steps);
        parts += f->path_steps;
        paf_focus_unref(f);
    }
    paf_focus *f = paf_focus_on_stretch(m, IOT_VIRTUAL_TIME, 1, m->span, false);
    whole = f->path_steps;
    check(whole >= iot_critical_length(m->a) && whole <= iot_critical_length(m->a) +
                                                            (uint64_t)m->span / 50000,
          "steps of the whole run", (double)whole, iot_critical_length(m->a));
    if (m->span < 50000)
        check(parts == whole, "parts and the whole", (double)parts, (double)whole);
    paf_focus_unref(f);
}

// How long goals that read what another module made waited for it in the stretch, link by link.
static uint64_t waited_within(const paf_model *m, int64_t from, int64_t to)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < m->npairs; p++)
        for (uint32_t i = 0; i < m->pairs[p].n; i++) {
            const iot_input *in = paf_link_input(m, m->pairs[p].links[i]);
            int64_t made = paf_goal_created(m, IOT_VIRTUAL_TIME, trace_reduction_goal(m->t, in->reader));
            int64_t overlap = MIN(made + in->wait, to) - MAX(made, from - 1);
            sum += in->wait > 0 && overlap > 0 ? (uint64_t)overlap : 0;
        }
    return sum;
}

// What is read behind a stretch was waited for within it.
static void check_waits(const paf_model *m)
{
    uint64_t parts = 0, all = 0;
    for (uint32_t p = 0; p < m->npairs; p++)
        all += paf_pair_waited(m, IOT_VIRTUAL_TIME, &m->pairs[p], 0, m->pairs[p].n);
    for (int i = 0; i < 7; i++) {
        int64_t from = 1 + m->span * i / 7, to = m->span * (i + 1) / 7;
        if (to < from)
            continue;
        paf_focus *f = paf_focus_on_stretch(m, IOT_VIRTUAL_TIME, from, to, false);
        uint64_t sum = 0;
        for (guint k = 0; k < f->waits->len; k++)
            sum += g_array_index(f->waits, paf_waited, k).waited;
        if (m->nlinks < 100000)
            check(sum == waited_within(m, from, to), "waits within a stretch", (double)sum, (double)from);
        parts += sum;
        paf_focus_unref(f);
    }
    check(parts == all, "waits of parts and of the whole", (double)parts, (double)all);
}

// Of a measured run all that its places waited for, by its own clock.
static void check_measured_waits(const paf_model *m)
{
    uint64_t all = 0, sum = 0;
    for (uint32_t r = 1; r < trace_nreductions(m->t); r++)
        if (paf_interval_waits(paf_interval_of(m->timeline, r)))
            all += (uint64_t)(trace_end(m->t, r) - trace_start(m->t, r));
    int64_t end = iot_end(m->a, IOT_REAL_TIME), half = end / 2;
    for (int i = 0; i < 2; i++) {
        paf_focus *f = paf_focus_on_stretch(m, IOT_REAL_TIME, i ? half + 1 : 1, i ? end : half, false);
        for (guint k = 0; k < f->waits->len; k++)
            sum += g_array_index(f->waits, paf_waited, k).waited;
        paf_focus_unref(f);
    }
    check(sum == all, "waits of two halves of a measured run", (double)sum, (double)all);
}

static void check_strip(const paf_model *m)
{
    paf_view view = paf_view_fit(m, 1280, 800);
    paf_drawing d = {.m = m, .v = &view};
    uint32_t n = (uint32_t)MIN(m->span, 500), turns;
    uint32_t *modules = paf_path_modules(&d, 0.5, 1, n, &turns);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = paf_path_step_at(m, IOT_VIRTUAL_TIME, i + 1), process = iot_process_of(m->a, r);
        check(r != 0 && trace_time(m->t, r) == (int64_t)i + 1, "no step of the path", r, i + 1);
        check(process == IOT_NONE || modules[i] == iot_get_process(m->a, process)->module,
              "another module has the path", modules[i], i + 1);
    }
    g_free(modules);
}

// In the middle of the curve, and some pixels beside it.
static void check_curves(const paf_picture *pic)
{
    uint32_t checked = 0;
    for (uint32_t i = 0; i < paf_picture_nhits(pic) && checked < 50; i++) {
        const paf_hit *hit = paf_picture_hit(pic, i);
        if (hit->kind != PAF_HIT_ARROW)
            continue;
        const double *c = hit->curve;
        double x = (c[0] + c[2]) / 2, y = (c[1] + c[3]) / 2;
        const paf_hit *there = paf_hit_at(pic, x, y);
        check(there && there->kind != PAF_HIT_LANES && there->kind != PAF_HIT_LANE, "a silent arrow",
              x, y);
        double beside = fabs(c[2] - c[0]) / 2 + 8;
        const paf_hit *off = paf_hit_at(pic, x + beside, y);
        check(off != hit, "an arrow answers beside its curve", x + beside, y);
        checked++;
    }
}

static void check_arrow(paf_model *m, paf_shaped_text *text, uint32_t link)
{
    paf_view view = paf_view_fit(m, 1280, 800);
    paf_focus *f = paf_focus_on_arrow(m, view.clock, link);
    uint32_t lit = 0;
    for (uint32_t i = 0; i < m->nlinks; i++)
        lit += paf_focus_lights_link(f, m, i);
    check(lit == 1, "links lit by one arrow", lit, link);
    view.focus = f;
    paf_layout *layout = paf_layout_create(m, &view, text);
    uint32_t ends = 0;
    for (uint32_t i = 0; i < paf_picture_nhits(layout->picture); i++) {
        const paf_hit *hit = paf_picture_hit(layout->picture, i);
        ends += hit->kind == PAF_HIT_GO && paf_rect_holds(&layout->frame.details, hit->place.x, hit->place.y);
    }
    check(ends == 2, "an arrow's ends lead nowhere", ends, link);
    paf_layout_destroy(layout);
    paf_focus_unref(f);
}

static void check_pairs(paf_model *m)
{
    for (uint32_t i = 0; i < MIN(m->npairs, 8); i++) {
        paf_focus *f = paf_focus_on_pair(m, IOT_VIRTUAL_TIME, m->pairs[i].from, m->pairs[i].to);
        int64_t most = 0, last = INT64_MAX;
        for (uint32_t k = 0; k < m->pairs[i].n; k++)
            most = MAX(most, paf_input_wait(m, IOT_VIRTUAL_TIME, paf_link_input(m, m->pairs[i].links[k])));
        for (guint k = 0; k < f->links->len; k++) {
            uint32_t link = g_array_index(f->links, uint32_t, k);
            int64_t wait = paf_input_wait(m, IOT_VIRTUAL_TIME, paf_link_input(m, link));
            check(wait <= last, "waits out of order", (double)wait, (double)last);
            check(k > 0 || wait == most, "not the longest wait", (double)wait, (double)most);
            check(paf_focus_lights_link(f, m, link), "a pair's arrow is not lit", link, i);
            last = wait;
        }
        paf_focus_unref(f);
    }
}

static paf_search *search_all(const paf_model *m, const char *text, int64_t slice)
{
    paf_search *s = paf_search_create(m, text);
    while (paf_search_continue(s, slice))
        continue;
    return s;
}

static uint32_t count_reductions(const paf_search *s, uint32_t *ret_first)
{
    uint32_t n = 0, last = 0;
    *ret_first = IOT_NONE;
    for (guint i = 0; i < s->found->len; i++) {
        const paf_found *found = &g_array_index(s->found, paf_found, i);
        if (found->kind != PAF_FOUND_REDUCTION)
            continue;
        *ret_first = n++ ? *ret_first : found->index;
        check(found->index > last, "found out of order", last, found->index);
        last = found->index;
    }
    return n;
}

// By predicate all of its reductions, by variable all that bind one of that name, by number one goal.
static void check_search(const paf_model *m)
{
    uint32_t r = trace_nreductions(m->t) / 2, goal = trace_reduction_goal(m->t, r), first, expected = 0;
    uint32_t predicate = trace_goal_predicate(m->t, goal), binders = 0;
    char *name = paf_predicate_name(m->t, predicate), *number = g_strdup_printf("#%u", goal);
    for (uint32_t i = 1; i < trace_nreductions(m->t); i++)
        expected += trace_goal_predicate(m->t, trace_reduction_goal(m->t, i)) == predicate;
    paf_search *s = search_all(m, name, 100);
    check(count_reductions(s, &first) >= expected, "reductions of a predicate", expected, s->found->len);
    paf_search_free(s);
    s = search_all(m, number, 100);
    bool one = count_reductions(s, &first) == 1 && s->found->len == 1;
    check(one && first == r, "a goal by its number", first, r);
    paf_search_free(s);
    const char *variable = NULL;
    for (uint32_t b = 0; b < trace_nbindings(m->t); b++) {
        uint32_t known = trace_cell_name(m->t, trace_binding_variable(m->t, b));
        if (known == TRACE_NONE || trace_binding_maker(m->t, b) == 0)
            continue;
        variable = variable ? variable : trace_name(m->t, known);
        binders += !strcmp(variable, trace_name(m->t, known));
    }
    s = variable ? search_all(m, variable, 1000) : NULL;
    check(!s || count_reductions(s, &first) > 0, "what binds a variable", binders, 0);
    paf_search_free(s);
    s = search_all(m, "no such text", 1000000);
    check(s->found->len == 0, "what is not there is found", s->found->len, 0);
    paf_search_free(s);
    g_free(number);
    g_free(name);
}

// What is written is read again.
static void check_text(const paf_model *m, const paf_focus *f)
{
    char *text = paf_focus_text(f, m);
    paf_focus *again = paf_focus_of_text(m, f->clock, text);
    char *second = again ? paf_focus_text(again, m) : NULL;
    check(second && !strcmp(text, second), text, f->kind, 0);
    g_free(second);
    g_free(text);
    paf_focus_unref(again);
}

static void check_texts(const paf_model *m)
{
    paf_focus *all[] = {paf_focus_on_stretch(m, IOT_VIRTUAL_TIME, 1, m->span, false),
                        paf_focus_on_chain(m, IOT_VIRTUAL_TIME, trace_nreductions(m->t) - 1),
                        m->nlinks ? paf_focus_on_arrow(m, IOT_VIRTUAL_TIME, m->nlinks / 2) : NULL,
                        m->npairs ? paf_focus_on_pair(m, IOT_VIRTUAL_TIME, m->pairs[0].from, m->pairs[0].to)
                                  : NULL};
    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        if (all[i])
            check_text(m, all[i]);
        paf_focus_unref(all[i]);
    }
    static const char *const wrong[] = {"", "finding 0", "finding 999", "chain 0", "chain 4000000000",
                                        "arrow 1 0",
                                        "stretch 5 4", "stretch -1 4", "pair a", "pair  > "};
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
        check(!paf_focus_of_text(m, IOT_VIRTUAL_TIME, wrong[i]), wrong[i], i, 0);
}

static paf_bookmarks *reread(const char *path, const char *text, char **ret_error)
{
    *ret_error = NULL;
    g_file_set_contents(path, text, -1, NULL);
    return paf_bookmarks_read(path, ret_error);
}

static void check_bookmarks(void)
{
    char *folder = g_dir_make_tmp("focus-XXXXXX", NULL), *path = g_build_filename(folder, "a.view", NULL);
    char *error = NULL, *before = NULL, *after = NULL;
    paf_bookmarks *b = reread(path,
                              "paf-view 1\ntrace sub/a.paf\npartition x=p/2\n\n# ours\nbookmark why here\n"
                              "clock real\nwindow 17.5 80\nselect 123\nfocus finding 1\nfold a b\nfold c\n"
                              "bookmark\n",
                              &error);
    check(b && b->all->len == 2, "bookmarks are not read", 0, 0);
    if (b && paf_bookmarks_write(b, path, &error) && g_file_get_contents(path, &before, NULL, NULL)) {
        paf_bookmarks *again = paf_bookmarks_read(path, &error);
        check(again && paf_bookmarks_write(again, path, &error), "what is written is not read", 0, 0);
        g_file_get_contents(path, &after, NULL, NULL);
        check(after && !strcmp(before, after), "it is written otherwise", 0, 0);
        const paf_bookmark *one = again ? paf_bookmarks_find(again, "why") : NULL;
        check(one && one->from == 17.5 && one->selected == 123 && one->folded->len == 2 &&
                  one->clock == IOT_REAL_TIME && !strcmp(one->focus, "finding 1"),
              "a bookmark has changed", 0, 0);
        check(again && !paf_bookmarks_find(again, "nothing"), "a bookmark that there is not", 0, 0);
        paf_bookmarks_free(again);
    }
    paf_bookmarks_free(b);
    static const struct {
        const char *text, *error;
    } wrong[] = {{"nonsense\n", ":1:"},
                 {"paf-view 1\n", "no trace"},
                 {"paf-view 1\ntrace a\nclock real\n", ":3:"},
                 {"paf-view 1\ntrace a\nbookmark\nwindow 8 4\n", ":4:"},
                 {"paf-view 1\ntrace a\nbookmark\nselect x\n", ":4:"},
                 {"paf-view 1\ntrace a\nbookmark\nclock lunar\n", ":4:"},
                 {"paf-view 1\ntrace \377\n", "UTF-8"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        b = reread(path, wrong[i].text, &error);
        check(!b && error && strstr(error, wrong[i].error), wrong[i].error, i, 0);
        g_free(error);
        paf_bookmarks_free(b);
    }
    g_remove(path);
    g_rmdir(folder);
    g_free(after);
    g_free(before);
    g_free(path);
    g_free(folder);
}

static void check_file(const char *path)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    about = path;
    check(t && !error, "cannot be read", 0, 0);
    if (!t || error || trace_nreductions(t) < 2) {
        trace_close(t);
        g_free(error);
        return;
    }
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    paf_model *m = paf_model_create(a, NULL, NULL);
    paf_shaped_text *text = paf_shaped_text_create(NULL, NULL);
    uint32_t notes = iot_nnotes(a), n = trace_nreductions(t);
    for (uint32_t i = notes; i < notes + iot_nfindings(a, false) && !trace_is_measured(t); i++)
        check_finding(m, i);
    for (int i = 1; i <= 5 && !trace_is_measured(t); i++)
        check_chain(m, (uint32_t)((uint64_t)(n - 1) * (uint64_t)i / 5));
    if (!trace_is_measured(t)) {
        check_stretches(m);
        check_waits(m);
        check_strip(m);
        check_pairs(m);
        check_search(m);
        check_texts(m);
    }
    if (trace_is_measured(t))
        check_measured_waits(m);
    for (uint32_t i = 0; i < 3 && i < m->nlinks && !trace_is_measured(t); i++)
        check_arrow(m, text, m->nlinks / 3 * i);
    paf_view view = paf_view_fit(m, 1280, 800);
    paf_model_prepare(m, &view, text);
    paf_layout *layout = paf_layout_create(m, &view, text);
    check_curves(layout->picture);
    paf_layout_destroy(layout);
    char *sentence = paf_run_sentence(m, view.clock, 0);
    check(g_str_has_suffix(sentence, "."), "no sentence", 0, 0);
    g_free(sentence);
    paf_shaped_text_destroy(text);
    paf_model_destroy(m);
    iot_destroy(a);
    iot_partition_destroy(p);
    trace_close(t);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_file(argv[i]);
    about = "bookmarks";
    check_bookmarks();
    return failures > 0;
}
