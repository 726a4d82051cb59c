// SPDX-License-Identifier: MIT
//
// What the tips over the canvas say.
#include "paf/model/calls.h"
#include "paf/model/details.h"
#include "paf/model/real_times.h"
#include "paf/say/numbers.h"
#include "paf/window/canvas_private.h"

#include <inttypes.h>
#include <math.h>

// What each module did at a step (or in the interval that a pixel covers).
static char *chart_tip(const paf_canvas *c, double x)
{
    const paf_model *m = c->session->m;
    double per_pixel = (c->view.to - c->view.from) / c->layout->frame.plot_w;
    int64_t width = (int64_t)fmax(ceil(per_pixel), 1);
    int64_t from = (int64_t)round(paf_canvas_time_at(c, x));
    if (from < 1 || (double)from > paf_end(m, c->view.clock))
        return NULL;
    char *at = paf_moment_by(c->session->t, c->view.clock, from);
    GString *s = g_string_new(NULL);
    iot_bucket b;
    iot_profile_by(m->a, c->view.clock, IOT_REDUCTIONS, IOT_NONE, from, width, 1, &b);
    char *sum = paf_number(b.sum);
    if (width == 1)
        g_string_printf(s, "at %s: %s", at, sum);
    else {
        char *interval = paf_duration_by(m->t, c->view.clock, width);
        char *peak = paf_number(b.peak);
        g_string_printf(s, "from %s, mean of %s: %.1f, at one moment of it up to %s", at, interval,
                        (double)b.sum / (double)width, peak);
        g_free(peak);
        g_free(interval);
    }
    g_free(sum);
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

// A clock's line of a tip has its name where a run has two.
static const char *clock_name(const paf_model *m, iot_clock clock)
{
    if (trace_is_measured(m->t) || !paf_model_has_real(m))
        return "";
    return clock == IOT_REAL_TIME ? "real time: " : "virtual time: ";
}

static void append_waits(const paf_model *m, iot_clock clock, uint32_t module, GString *s)
{
    if (!m->complete) {
        g_string_append(s, "\nwaiting: being computed");
        return;
    }
    uint64_t waits, awaited;
    paf_module_waits(m, clock, module, &waits, &awaited);
    bool steps = clock == IOT_VIRTUAL_TIME && !trace_is_measured(m->t);
    char *waited = steps ? paf_number(waits) : paf_duration_by(m->t, clock, (int64_t)waits);
    char *wanted = steps ? paf_number(awaited) : paf_duration_by(m->t, clock, (int64_t)awaited);
    g_string_append_printf(s, "\nsums over goals: waited %s · awaited %s", waited, wanted);
    g_free(waited);
    g_free(wanted);
}

static void append_figures(const paf_model *m, iot_clock clock, uint32_t module, GString *s)
{
    iot_module info = paf_module_by(m, clock, module);
    char *first = paf_moment_by(m->t, clock, info.first);
    char *last = paf_moment_by(m->t, clock, info.last);
    char *peak = paf_number(info.peak);
    g_string_append_printf(s, "\n%sfrom %s to %s · parallelism %.1f · at one moment up to %s",
                           clock_name(m, clock), first, last, info.parallelism, peak);
    g_free(peak);
    if (clock == IOT_REAL_TIME && !trace_is_measured(m->t)) {
        char *busy = paf_duration_by(m->t, clock, (int64_t)info.busy);
        g_string_append_printf(s, " · busy %s", busy);
        g_free(busy);
    }
    append_waits(m, clock, module, s);
    g_free(first);
    g_free(last);
}

static char *card_tip(const paf_canvas *c, uint32_t module)
{
    const paf_model *m = c->session->m;
    const iot_module *info = iot_get_module(m->a, module);
    char *work = paf_work(m->t, info->work);
    char *processes = paf_count(info->processes, "process", "processes");
    GString *s = g_string_new(info->name);
    g_string_append_printf(s, "\n%s in %s", work, processes);
    append_figures(m, IOT_VIRTUAL_TIME, module, s);
    if (m->real)
        append_figures(m, IOT_REAL_TIME, module, s);
    g_free(work);
    g_free(processes);
    return g_string_free(s, FALSE);
}

static void append_life(const paf_model *m, iot_clock clock, uint32_t process, GString *s)
{
    char *created = paf_moment_by(m->t, clock, paf_process_created(m, clock, process));
    char *last = paf_moment_by(m->t, clock, paf_process_last(m, clock, process));
    g_string_append_printf(s, "\n%screated %s, last reduced %s", clock_name(m, clock), created, last);
    g_free(created);
    g_free(last);
}

static char *lane_tip(const paf_canvas *c, uint32_t process)
{
    const paf_model *m = c->session->m;
    const iot_process *p = iot_get_process(m->a, process);
    char *goal = paf_goal_text(m->t, p->goal, p->created, 14);
    char *members = paf_count(p->members, "reduction", "reductions");
    GString *s = g_string_new(goal);
    g_string_append_printf(s, "\nprocess of %s, %s", iot_get_module(m->a, p->module)->name, members);
    append_life(m, IOT_VIRTUAL_TIME, process, s);
    if (m->real)
        append_life(m, IOT_REAL_TIME, process, s);
    g_free(goal);
    g_free(members);
    return g_string_free(s, FALSE);
}

// What the place did at the time.
static char *row_tip(const paf_canvas *c, uint32_t place, double x)
{
    uint32_t r = paf_timeline_activity(paf_timeline_by(c->session->m, c->view.clock), place,
                                       paf_canvas_time_at(c, x));
    if (r != IOT_NONE)
        return paf_reduction_tip(c->session->m, r);
    return trace_is_measured(c->session->t) ? NULL
                                            : g_strdup_printf("worker %" PRIu32 ": no reduction", place);
}

static char *lanes_tip(uint32_t kind)
{
    static const char *const tips[] = {
        [PAF_LANES_ROWS] = "A row for each place: what it did when (V)",
        [PAF_LANES_CALLS] = "The time of routines, loops and constructs, all places beside each other (V)",
        [PAF_LANES_MESSAGES] = "Which rank sent to which, and how long that was waited for (V)"};
    return g_strdup(tips[kind]);
}

static const paf_called *shown_call(const paf_canvas *c, uint32_t module)
{
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    return l && l->calls ? paf_call_of(l->calls, module) : NULL;
}

static char *call_tip(const paf_canvas *c, uint32_t module)
{
    const paf_called *call = shown_call(c, module);
    if (!call)
        return NULL;
    char *all = paf_duration_by(c->session->t, c->view.clock, call->inclusive);
    char *own = paf_duration_by(c->session->t, c->view.clock, call->exclusive);
    char *waits = paf_duration_by(c->session->t, c->view.clock, call->waiting);
    char *text = g_strdup_printf("%s\nof all places together: %s with what it calls, %s itself, %s of it "
                                 "waiting\n"
                                 "click: what it calls, and its places beside each other",
                                 iot_get_module(c->session->a, module)->name, all, own, waits);
    g_free(waits);
    g_free(own);
    g_free(all);
    return text;
}

static char *call_place_tip(const paf_canvas *c, uint32_t module, uint32_t place)
{
    const paf_called *call = shown_call(c, module);
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    uint32_t cell = call ? place / l->calls->each : 0;
    const char *name = trace_place_name(c->session->t, place);
    if (!call || cell >= l->calls->ncells)
        return NULL;
    char *all = paf_duration_by(c->session->t, c->view.clock, llround(call->inside[cell]));
    char *waits = paf_duration_by(c->session->t, c->view.clock, llround(call->waits[cell]));
    char *text = g_strdup_printf("%s: %s in %s, %s of it waiting\nclick: its longest among the rows",
                                 name ? name : "place", all, iot_get_module(c->session->a, module)->name,
                                 waits);
    g_free(waits);
    g_free(all);
    return text;
}

static char *messages_tip(const paf_canvas *c, uint32_t row, uint32_t column)
{
    const paf_timeline *l = paf_timeline_by(c->session->m, c->view.clock);
    const paf_messages *m = l ? l->messages : NULL;
    if (!m || row >= m->n || column >= m->n)
        return NULL;
    size_t cell = (size_t)row * m->n + column;
    char *count = paf_count((uint64_t)m->cells[PAF_MESSAGES_COUNT][cell], "message", "messages");
    char *bytes = paf_count((uint64_t)m->cells[PAF_MESSAGES_BYTES][cell], "byte", "bytes");
    char *waited = paf_nanoseconds(llround(m->cells[PAF_MESSAGES_WAITED][cell]));
    char *text = g_strdup_printf("rank %" PRId64 " to rank %" PRId64 "\n%s, %s · waited for: %s",
                                 m->numbers[row], m->numbers[column], count, bytes, waited);
    g_free(waited);
    g_free(bytes);
    g_free(count);
    return text;
}

static char *region_tip(const paf_canvas *c, uint32_t region)
{
    const trace_regions *all = trace_get_regions(c->session->t);
    if (!all || region >= all->nregions)
        return g_strdup("The whole program: its statistics");
    const trace_region *r = &all->regions[region];
    char *took = paf_duration(c->session->t, (int64_t)(r->elapsed / MAX(all->nodes, 1)));
    char *times = paf_count(r->nteams, "time", "times");
    char *name = paf_region_name(all, region);
    char *text =
        g_strdup_printf("parallel %s%s\nexecuted %s by up to %" PRIu32
                        " threads, %s\nclick: its statistics and source; again: zoom to it",
                        r->line || *r->file ? "region " : "", name, times, r->threads, took);
    g_free(name);
    g_free(took);
    g_free(times);
    return text;
}

static void append_dependency(const paf_model *m, iot_clock clock, const iot_dependency *d, GString *s)
{
    bool steps = clock == IOT_VIRTUAL_TIME && !trace_is_measured(m->t);
    uint64_t wait = paf_wait_by(clock, m, d), lag = (uint64_t)MAX(paf_lag_by(clock, m, d), 0);
    char *waited = steps ? paf_number(wait) : paf_duration_by(m->t, clock, (int64_t)wait);
    char *unread = steps ? paf_number(lag) : paf_duration_by(m->t, clock, (int64_t)lag);
    g_string_append_printf(s, "\n%swaited for: %s · lay unread: %s", clock_name(m, clock), waited, unread);
    g_free(waited);
    g_free(unread);
}

static char *bundle_tip(const paf_canvas *c, uint32_t from, uint32_t to)
{
    const paf_model *m = c->session->m;
    for (uint32_t i = 0; i < iot_ndependencies(m->a); i++) {
        const iot_dependency *d = iot_get_dependency(m->a, i);
        if (d->from != from || d->to != to)
            continue;
        char *count = paf_count(d->count, "time", "times"), *words = paf_number(d->words);
        GString *s = g_string_new(NULL);
        g_string_append_printf(s, "%s gives to %s %s", iot_get_module(m->a, from)->name,
                               iot_get_module(m->a, to)->name, count);
        append_dependency(m, IOT_VIRTUAL_TIME, d, s);
        if (m->real)
            append_dependency(m, IOT_REAL_TIME, d, s);
        g_string_append_printf(s, "\nwords: %s", words);
        g_free(count);
        g_free(words);
        return g_string_free(s, FALSE);
    }
    return NULL;
}

// The value; who made it and when, who reads it and how long it was waited for.
static char *arrow_tip(const paf_canvas *c, uint32_t link)
{
    const paf_model *m = c->session->m;
    const iot_input *in = paf_link_input(m, link);
    iot_clock clock = c->view.clock;
    char *term = paf_binding_text(m->t, in->binding, in->time, 14);
    char *bound = paf_moment_by(m->t, clock, paf_binding_made(m, clock, in->binding));
    char *read = paf_moment_by(m->t, clock, paf_input_read(m, clock, in));
    char *waited = paf_duration_by(m->t, clock, paf_input_wait(m, clock, in));
    char *text = g_strdup_printf(
        "%s\n%s → %s\nbound %s · read %s · waited for %s", term,
        iot_get_module(m->a, iot_get_process(m->a, in->from)->module)->name,
        iot_get_module(m->a, iot_get_process(m->a, m->links[link].process)->module)->name, bound, read,
        waited);
    g_free(waited);
    g_free(read);
    g_free(bound);
    g_free(term);
    return text;
}

static char *mark_tip(const paf_canvas *c, uint32_t index)
{
    if (!c->view.bookmarks || index >= c->view.bookmarks->len)
        return NULL;
    const paf_bookmark *b = c->view.bookmarks->pdata[index];
    return g_strdup_printf("%s\nbookmark: click shows it", *b->note ? b->note : "(no note)");
}

static char *path_tip(const paf_canvas *c, double x)
{
    uint32_t r = paf_path_step_at(c->session->m, c->view.clock, paf_canvas_time_at(c, x));
    if (r == IOT_NONE || r == 0)
        return NULL;
    char *what = paf_reduction_tip(c->session->m, r);
    char *text = g_strdup_printf("%s\non the critical path: click chooses it, , and . walk along it", what);
    g_free(what);
    return text;
}

static char *finding_tip(const paf_canvas *c, uint32_t index)
{
    bool shown = c->focus && c->focus->kind == PAF_FOCUS_FINDING && c->focus->finding == index;
    return g_strdup(shown ? "Click or Esc: back to what was shown before"
                          : "Click: where in the run most of it is, and its place in the source");
}

static char *waiting_tip(const paf_waiting_goals *w, uint32_t group)
{
    char *title = paf_waiting_title(w, group), *place = paf_waiting_place(w, group);
    char *lines = paf_waiting_lines(w, group), *text = g_strdup_printf("%s\n%s\n%s", title, place, lines);
    g_free(lines);
    g_free(place);
    g_free(title);
    return text;
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

// What each part is.
static char *costs_tip(const paf_model *m)
{
    const paf_costs *costs = paf_costs_of(m);
    GString *s = g_string_new("When each part of the work was done: as the data flow allows it (below), and "
                              "as it ran (above)");
    for (uint32_t i = 0; i < costs->nfindings; i++) {
        const iot_real_finding *f = &costs->findings[i];
        char *price = f->price < 0 ? paf_count(f->count, "time", "times") : paf_nanoseconds(f->price);
        g_string_append_printf(s, "\n%s: %s", price, f->text);
        g_free(price);
    }
    return g_string_free(s, FALSE);
}

char *paf_canvas_tip(const paf_canvas *c, const paf_hit *hit, double x)
{
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        return paf_reduction_tip(c->session->m, hit->b);
    case PAF_HIT_GO:
        return paf_reduction_tip(c->session->m, hit->a);
    case PAF_HIT_ROW:
        return row_tip(c, hit->a, x);
    case PAF_HIT_GROUP:
        return g_strdup_printf("%" PRIu32 " places: click opens or closes them (H: all groups)", hit->b);
    case PAF_HIT_LANES_KIND:
        return lanes_tip(hit->a);
    case PAF_HIT_CALL:
        return call_tip(c, hit->a);
    case PAF_HIT_CALL_PLACE:
        return call_place_tip(c, hit->a, hit->b);
    case PAF_HIT_MESSAGES:
        return messages_tip(c, hit->a, hit->b);
    case PAF_HIT_FIGURE:
        return g_strdup(hit->a == PAF_MESSAGES_WAITED ? "How long receivers waited for messages (E)"
                        : hit->a == PAF_MESSAGES_BYTES ? "How many bytes were sent (E)"
                                                       : "How many messages were sent (E)");
    case PAF_HIT_ROWS_BAR:
        return g_strdup("Page Up, Page Down, or the wheel over the names; J and K: lower and higher rows");
    case PAF_HIT_SIDE_SWITCH:
        return g_strdup("Modules and findings beside the picture, or not (B)");
    case PAF_HIT_REGION:
        return region_tip(c, hit->a);
    case PAF_HIT_CLOCK:
        return clock_tip(c, hit->a);
    case PAF_HIT_COSTS:
        return costs_tip(c->session->m);
    case PAF_HIT_CHART:
        return chart_tip(c, x);
    case PAF_HIT_CARD:
        return card_tip(c, hit->a);
    case PAF_HIT_SECTION:
        return g_strdup_printf("%s: click to fold its processes into one band, or unfold them; turn the "
                               "wheel to see others",
                               iot_get_module(c->session->a, hit->a)->name);
    case PAF_HIT_LANE:
        return lane_tip(c, hit->a);
    case PAF_HIT_BAND: {
        char *n = paf_count(hit->b, "process", "processes");
        char *text = g_strdup_printf("%s, folded: zoom in to see them", n);
        g_free(n);
        return text;
    }
    case PAF_HIT_WAITING:
        return waiting_tip(c->session->m->waiting, hit->a);
    case PAF_HIT_ARROW:
        return arrow_tip(c, hit->a);
    case PAF_HIT_PATH:
        return path_tip(c, x);
    case PAF_HIT_FINDING:
        return finding_tip(c, hit->a);
    case PAF_HIT_MARK:
        return mark_tip(c, hit->a);
    case PAF_HIT_BUNDLE:
        return bundle_tip(c, hit->a, hit->b);
    default:
        return NULL;
    }
}

// ---------------------------------------------------------------------------------------------
// Names for those who do not see the picture

// A tip in one line; NULL while a worker has the session. Names are also asked for while a new picture is
// made known, with the session locked.
static char *name_by_tip(const paf_canvas *c, const paf_hit *hit)
{
    bool own = c->session->calling;
    if (!own && !g_mutex_trylock(&c->session->lock))
        return NULL;
    char *text = paf_canvas_tip(c, hit, hit->place.x + hit->place.w / 2);
    if (!own)
        g_mutex_unlock(&c->session->lock);
    char **lines = g_strsplit(text ? text : "", "\n", -1), *name = g_strjoinv(", ", lines);
    g_strfreev(lines);
    g_free(text);
    return name;
}

// What stands there, or its tip; NULL: neither.
static char *name_by_text(const paf_canvas *c, const paf_hit *hit)
{
    char *text = paf_widget_texts(c->layout->picture, &hit->place);
    if (*text)
        return text;
    g_free(text);
    return name_by_tip(c, hit);
}

char *paf_canvas_name(void *page, const paf_hit *hit, AtkRole *ret_role)
{
    const paf_canvas *c = page;
    if (!c->session || !c->layout)
        return NULL;
    switch ((paf_hit_kind)hit->kind) {
    case PAF_HIT_NODE:
        *ret_role = ATK_ROLE_LIST_ITEM;
        return name_by_tip(c, hit);
    case PAF_HIT_BUNDLE:
        *ret_role = ATK_ROLE_TABLE_CELL;
        return name_by_tip(c, hit);
    case PAF_HIT_ARROW:
        *ret_role = ATK_ROLE_LINK;
        return name_by_tip(c, hit);
    case PAF_HIT_GO:
        *ret_role = ATK_ROLE_LINK;
        return name_by_text(c, hit);
    case PAF_HIT_CARD:
    case PAF_HIT_FINDING:
    case PAF_HIT_WHY:
    case PAF_HIT_PARTITION:
    case PAF_HIT_CLOCK:
    case PAF_HIT_REGION:
    case PAF_HIT_SECTION:
    case PAF_HIT_WAITING:
    case PAF_HIT_LANE:
    case PAF_HIT_BAND:
    case PAF_HIT_MARK:
    case PAF_HIT_GROUP:
    case PAF_HIT_LANES_KIND:
    case PAF_HIT_FIGURE:
    case PAF_HIT_SIDE_SWITCH:
        return name_by_text(c, hit);
    case PAF_HIT_CALL:
    case PAF_HIT_CALL_PLACE:
    case PAF_HIT_MESSAGES:
        *ret_role = ATK_ROLE_TABLE_CELL;
        return name_by_tip(c, hit);
    case PAF_HIT_PLACE:
        *ret_role = ATK_ROLE_ROW_HEADER;
        return name_by_text(c, hit);
    default:
        return NULL;
    }
}
