// SPDX-License-Identifier: MIT
//
// The bottom panes: what is known of the selected node, and its source.
#include "paf/model/details.h"
#include "paf/layout/layout_private.h"
#include "iotree/findings.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <string.h>

#define LINE 17.0
#define HINT_LINES 4

// ---------------------------------------------------------------------------------------------
// Details

static double write_heading(paf_drawing *d, double x, double y, const char *text)
{
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, x, y, 0, 0, text);
    return y + LINE;
}

// Columns of facts: times have the width that they need, terms and names share the rest.
typedef struct {
    double term, whom;
    bool brief;
} fact_columns;

static char *fact_times(const paf_fact *fact, bool brief)
{
    const char *times = brief ? fact->brief : fact->when;
    return fact->last ? g_strdup_printf("%s ← last", times) : g_strdup(times);
}

static fact_columns make_fact_columns(const paf_drawing *d, double w, const GArray *facts)
{
    paf_shaped_text *text = paf_picture_text(d->pic);
    fact_columns c = {.brief = w < 470};
    double times = 0, whom = 0;
    for (int brief = c.brief; brief < 2; brief++) {
        c.brief = brief;
        times = 0;
        for (guint i = 0; i < facts->len; i++) {
            const paf_fact *fact = &g_array_index(facts, paf_fact, i);
            char *when = fact_times(fact, brief);
            times = fmax(times, paf_shaped_text_width(text, PAF_TEXT_SMALL, when));
            whom = fmax(whom, paf_shaped_text_width(text, PAF_TEXT_SMALL, fact->whom));
            g_free(when);
        }
        if (times <= w * 0.45)
            break;
    }
    double rest = fmax(w - times - 2, 80);
    c.whom = fmin(whom + 12, fmax(rest * 0.45, rest - w * 0.38));
    c.term = rest - c.whom;
    return c;
}

// "to searcher +3": the name is cut, how many others there are is not.
static void write_whom(paf_drawing *d, double x, double y, double w, const char *whom)
{
    const char *more = strstr(whom, " +");
    char *name = more ? g_strndup(whom, (gsize)(more - whom)) : g_strdup(whom);
    double behind = more ? paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, more) : 0;
    double used = paf_write_name(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y, fmax(w - behind, 12), 0,
                                 name);
    if (more)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x + used, y, 0, 0, more);
    g_free(name);
}

static double write_fact(paf_drawing *d, paf_rect place, double y, const fact_columns *c,
                         const paf_fact *fact)
{
    double x = place.x, w = place.w;
    paf_write(d->pic, PAF_TEXT_MONO, d->theme->ink, x, y, c->term - 12, 0, fact->term);
    write_whom(d, x + c->term, y, c->whom - 10, fact->whom);
    char *when = fact_times(fact, c->brief);
    paf_write(d->pic, PAF_TEXT_SMALL, fact->last ? d->theme->amber : d->theme->quiet,
              x + c->term + c->whom, y, 0, 0, when);
    g_free(when);
    if (fact->go != IOT_NONE)
        paf_add_hit(d->pic, (paf_rect){x, y - 13, w, LINE}, PAF_HIT_GO, fact->go, 0);
    return y + LINE;
}

// As many facts as fit above `bottom`, and how many there are besides.
static double write_facts(paf_drawing *d, paf_rect place, double y, double bottom,
                          const GArray *facts, uint32_t more, const char *none)
{
    if (facts->len == 0) {
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, place.x, y, place.w, 0, none);
        return y + LINE;
    }
    fact_columns columns = make_fact_columns(d, place.w, facts);
    uint32_t room = (uint32_t)fmax((bottom - y) / LINE + 1, 1), shown = facts->len;
    if (shown + (more > 0) > room)
        shown = room > 1 ? room - 1 : 1;
    bool count = shown < room; // a line is left to say how many more there are
    // The last-arriving one is shown whatever the room.
    uint32_t last = IOT_NONE;
    for (guint i = 0; i < facts->len; i++)
        if (g_array_index(facts, paf_fact, i).last)
            last = i;
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t k = i + 1 == shown && last != IOT_NONE && last >= shown ? last : i;
        y = write_fact(d, place, y, &columns, &g_array_index(facts, paf_fact, k));
    }
    uint64_t rest = (uint64_t)more + facts->len - shown;
    if (rest && count) {
        char *number = paf_number(rest), *text = g_strdup_printf("+%s more", number);
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->faint, place.x, y, place.w, 0, text);
        y += LINE;
        g_free(number);
        g_free(text);
    }
    return y;
}

static void write_sentence(paf_drawing *d, paf_rect place, const paf_details *details)
{
    double y = place.y + place.h - 16, w = place.w;
    if (details->why != IOT_NONE) {
        double link = paf_write(d->pic, PAF_TEXT_STRONG, d->theme->amber, place.x + place.w, y, 0,
                                1, "Why so late? ⏎");
        paf_add_hit(d->pic, (paf_rect){place.x + place.w - link - 4, y - 16, link + 8, 24},
                    PAF_HIT_WHY, details->why, 0);
        w -= link + 16;
    }
    PangoLayout *piece =
        paf_shaped_text_paragraph(paf_picture_text(d->pic), PAF_TEXT_BODY, details->sentence, w, 2);
    int h;
    pango_layout_get_pixel_size(piece, NULL, &h);
    double top = h > 20 ? y - 12 - h / 2.0 + 2 : y - 13;
    paf_write_paragraph(d->pic, PAF_TEXT_BODY, d->theme->ink, place.x, top, w, 2,
                        details->sentence);
}

static void write_details(paf_drawing *d, paf_rect place, const paf_details *details)
{
    paf_shaped_text *text = paf_picture_text(d->pic);
    double y = place.y + 22, gap = 20;
    double title = paf_shaped_text_width(text, PAF_TEXT_MONO_BOLD, details->title);
    double subtitle = paf_shaped_text_width(text, PAF_TEXT_SMALL, details->subtitle);
    bool beside = title + gap + subtitle <= place.w;
    paf_write(d->pic, PAF_TEXT_MONO_BOLD, d->theme->ink, place.x, y, place.w, 0, details->title);
    if (!beside)
        y += LINE;
    paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet,
                    beside ? place.x + title + gap : place.x, y, beside ? subtitle + 2 : place.w, 0,
                    details->subtitle);
    double bottom = place.y + place.h - 44; // above the sentence
    // Half of the room for what it needed, unless what it gave leaves more.
    double needs_end =
        fmax(y + 26 + (bottom - y - 60) / 2, bottom - 34 - LINE * (details->gives->len + 0.0));
    y = write_heading(d, place.x, y + 26, "NEEDS");
    y = write_facts(d, place, y, needs_end, details->needs, details->more_needs,
                    "nothing from outside");
    if (y + 6 + LINE <= bottom) {
        y = write_heading(d, place.x, y + 6, "GIVES");
        write_facts(d, place, y, bottom, details->gives, details->more_gives, "nothing to others");
    }
    write_sentence(d, place, details);
}

// What the table's figures are, and what else the pane can show. As many lines as it needs, or, where that
// is too many for the pane, what is said of the figures alone.
static void write_hint(paf_drawing *d, paf_rect place)
{
    static const char *const hints[] = {
        "Waited and unread are sums over goals, not steps of the run. A box that is "
        "chosen says what it needed, gave, and why it came so late.",
        "Waited and unread are sums over goals.",
        "",
    };
    int height = 0;
    unsigned form = 0;
    for (; *hints[form]; form++) {
        PangoLayout *piece = paf_shaped_text_paragraph(paf_picture_text(d->pic), PAF_TEXT_SMALL, hints[form],
                                                       place.w, HINT_LINES);
        pango_layout_get_pixel_size(piece, NULL, &height);
        if (!pango_layout_is_ellipsized(piece) && height < place.h * 0.28)
            break;
        height = 0;
    }
    paf_draw_dependencies(d, (paf_rect){place.x, place.y, place.w, place.h - 12 - height - (height ? 8 : 0)});
    paf_write_paragraph(d->pic, PAF_TEXT_SMALL, d->theme->quiet, place.x, place.y + place.h - 12 - height,
                        place.w, HINT_LINES, hints[form]);
}

static bool shows_waiting(const paf_drawing *d)
{
    return d->m->complete && d->v->waiting < d->m->waiting->n;
}

void paf_draw_details(paf_drawing *d)
{
    const paf_rect *r = &d->f.details;
    paf_colour pane = d->theme->card;
    double width = r->w + d->f.source.w;
    paf_box(d->pic, r->x, r->y, width, r->h);
    paf_fill(d->pic, pane, 0);
    paf_box(d->pic, r->x, r->y, width, 1);
    paf_box(d->pic, r->x + r->w - 12, r->y + 14, 1, r->h - 28);
    paf_fill(d->pic, d->theme->line, 0);
    paf_rect place = {r->x + 18, r->y + 4, r->w - 48, r->h - 4};
    if (d->v->region != IOT_NONE && trace_get_regions(d->m->t)) {
        paf_draw_statistics(d, place);
        return;
    }
    if (paf_draw_focus_pane(d, place))
        return;
    if (shows_waiting(d)) {
        paf_draw_waiting_details(d, place);
        return;
    }
    if (d->v->selected == IOT_NONE || d->v->selected >= trace_nreductions(d->m->t)) {
        write_hint(d, place);
        return;
    }
    if (!d->m->complete) {
        paf_draw_computing(d, place.x, place.y + 22, place.w, "What it needed and gave");
        return;
    }
    paf_details *details = paf_details_create(d->m, d->v->clock, d->v->selected);
    write_details(d, place, details);
    paf_details_destroy(details);
}

// ---------------------------------------------------------------------------------------------
// Source

// The clause of a reduction; of what a built-in did or made, the clause that called it. IOT_NONE: the
// beginning of the run did.
static uint32_t clause_behind(const trace *t, uint32_t reduction)
{
    while (reduction != 0) {
        uint32_t clause = trace_reduction_clause(t, reduction);
        if (trace_get_clause(t, clause)->source != TRACE_NONE)
            return clause;
        uint32_t goal = trace_reduction_goal(t, reduction);
        if (goal == TRACE_NONE)
            break;
        reduction = trace_goal_parent(t, trace_goal_origin(t, goal));
    }
    return IOT_NONE;
}

// The clause the source pane is about: of the selection, of the first finding that names one, or
// the one reduced most.
static uint32_t clause_in_focus(const paf_drawing *d)
{
    const trace_regions *regions = trace_get_regions(d->m->t);
    if (regions && d->v->region < regions->nregions &&
        regions->regions[d->v->region].clause != TRACE_NONE)
        return regions->regions[d->v->region].clause;
    uint32_t waiting = shows_waiting(d) ? paf_waiting_clause(d->m->waiting, d->v->waiting) : IOT_NONE;
    if (waiting != IOT_NONE && trace_get_clause(d->m->t, waiting)->source != TRACE_NONE)
        return waiting;
    const paf_focus *f = d->v->focus;
    uint32_t reader =
        f && f->kind == PAF_FOCUS_ARROW ? paf_link_input(d->m, f->link)->reader : d->v->selected;
    uint32_t selected = reader < trace_nreductions(d->m->t) ? clause_behind(d->m->t, reader)
                                                                   : IOT_NONE;
    if (selected != IOT_NONE)
        return selected;
    for (uint32_t i = 0; d->m->complete && i < iot_nfindings(d->m->a, false); i++) {
        uint32_t clause = iot_get_finding(d->m->a, false, i)->clause;
        if (clause != IOT_NONE && trace_get_clause(d->m->t, clause)->source != TRACE_NONE)
            return clause;
    }
    uint32_t best = IOT_NONE;
    for (uint32_t c = 0; c < trace_nclauses(d->m->t); c++)
        if (trace_get_clause(d->m->t, c)->source != TRACE_NONE &&
            (best == IOT_NONE || d->m->clause_work[c] > d->m->clause_work[best]))
            best = c;
    return best;
}

// Reductions by line: those of the clauses that begin there.
static GArray *count_reductions(const paf_model *m, uint32_t source)
{
    GArray *counts = paf_line_counts(m->t, source);
    for (uint32_t c = 0; c < trace_nclauses(m->t); c++) {
        const trace_clause *clause = trace_get_clause(m->t, c);
        if (clause->source == source)
            paf_count_line(counts, clause->line, m->clause_work[c]);
    }
    return counts;
}

static paf_colour mark_colour(const paf_drawing *d)
{
    uint32_t module = 0;
    if (d->v->selected != IOT_NONE) {
        uint32_t process = iot_process_of(d->m->a, d->v->selected);
        module = process == IOT_NONE ? 0 : iot_get_process(d->m->a, process)->module;
    }
    return d->v->selected == IOT_NONE
               ? d->theme->track
               : paf_mix(paf_colour_of(d, module), d->theme->card,
                         d->theme->dark ? 0.34 : 0.22);
}

void paf_draw_source(paf_drawing *d)
{
    const paf_rect *r = &d->f.source;
    paf_rect card = {r->x + 4, r->y + 14, r->w - 24, r->h - 28};
    bool measured = trace_is_measured(d->m->t);
    uint32_t focus = clause_in_focus(d);
    paf_add_hit(d->pic, *r, PAF_HIT_SOURCE, 0, 0);
    if (focus == IOT_NONE || trace_get_clause(d->m->t, focus)->source == TRACE_NONE) {
        paf_draw_empty_card(d->pic, d->theme, card,
                            trace_nsources(d->m->t) == 0 ? "The trace holds no source."
                            : measured ? "No line is known of this activity."
                                       : "No line is known of this step.");
        return;
    }
    const trace_clause *clause = trace_get_clause(d->m->t, focus);
    d->out->source = (paf_source_view){
        .source = clause->source,
        .line = clause->line,
        .end = MAX(clause->end_line, clause->line),
        .mark = mark_colour(d),
        .counts = count_reductions(d->m, clause->source),
    };
    paf_draw_source_card(d->pic, d->theme, card, d->m->t, d->v->source_scroll,
                         measured ? "activities" : "reductions", &d->out->source);
}
