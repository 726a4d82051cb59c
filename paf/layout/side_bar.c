// SPDX-License-Identifier: MIT
//
// The side bar: a card for each module with its share of the critical path, and the findings.
#include "paf/layout/layout_private.h"
#include "paf/model/real_times.h"
#include "iotree/findings.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PAD        10 // between the side bar's edge and a card
#define INSET      10 // between a card's edge and its text
#define CARD       96 // a card with everything
#define SHORT_CARD 64 // without waiting and sparkline: module off the critical path
#define LINE       26 // a module in one line
#define GAP        8
#define FINDINGS   4 // findings that are given room before modules
#define MORE       18 // the line that counts hidden findings
enum { TITLE_LINES = 3, TEXT_LINES = 8, ADVICE_LINES = 7, NOTE_LINES = 3 }; // of a finding

static double cards_x(const paf_drawing *d)
{
    return d->f.side.x + PAD;
}

static double cards_w(const paf_drawing *d)
{
    return d->f.side.w - 2 * PAD;
}

// ---------------------------------------------------------------------------------------------
// Modules

// A real run of Fleng by real time: its cards tell how long modules were busy.
static bool tells_busy(const paf_drawing *d)
{
    return d->v->clock == IOT_REAL_TIME && d->m->real;
}

// What the share of a card is of: busy time, or the critical path.
static uint64_t part_of(const paf_drawing *d, uint32_t module)
{
    return tells_busy(d) ? paf_module_by(d->m, IOT_REAL_TIME, module).busy
                         : iot_get_module(d->m->a, module)->critical;
}

static uint64_t whole_of(const paf_drawing *d)
{
    return tells_busy(d) ? paf_busy_time(d->m) : iot_critical_cost(d->m->a);
}

// Has it a share that is worth a full card?
static bool is_full(const paf_drawing *d, uint32_t module)
{
    return part_of(d, module) * 50 > whole_of(d);
}

// The one module that nearly all of this one's waiting is for, or IOT_NONE.
static uint32_t waits_mostly_for(const paf_drawing *d, uint32_t module, uint64_t all)
{
    for (uint32_t i = 0; i < iot_ndependencies(d->m->a); i++) {
        const iot_dependency *row = iot_get_dependency(d->m->a, i);
        uint64_t wait = paf_wait_by(d->v->clock, d->m, row);
        if (row->to == module && row->from != module && wait &&
            (double)wait * 10 >= (double)all * 9)
            return row->from;
    }
    return IOT_NONE;
}

// Reductions, or the time of a measured run or by real time.
static char *amount(const paf_drawing *d, uint64_t n, bool brief)
{
    if (trace_is_measured(d->m->t) || tells_busy(d))
        return paf_duration_by(d->m->t, d->v->clock, (int64_t)n);
    return brief ? paf_short_number(n) : paf_number(n);
}

// "2 goals wait for ever", or NULL.
static char *waiting_for_ever(const paf_drawing *d, uint32_t module)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->m->waiting->n; i++)
        n += d->m->waiting->groups[i].module == module ? d->m->waiting->groups[i].count : 0;
    return n ? paf_count(n, "goal waits for ever", "goals wait for ever") : NULL;
}

// "goals waited 12 for evaluator · awaited 44", as much of it as fits. These are sums over goals.
static char *waiting_words(const paf_drawing *d, uint32_t module, double width)
{
    const paf_model *m = d->m;
    uint64_t wait, wanted;
    if (!m->complete)
        return g_strdup("waiting: being computed");
    paf_module_waits(m, d->v->clock, module, &wait, &wanted);
    char *ever = waiting_for_ever(d, module);
    if (ever)
        return ever;
    if (!wait && !wanted)
        return g_strdup("waits for nobody");
    uint32_t whom = waits_mostly_for(d, module, wait);
    char *text = NULL;
    // With the name, without it, with short numbers, with fewer words.
    for (int form = whom == IOT_NONE; form < 4; form++) {
        char *waits = amount(d, wait, form >= 2), *awaited = amount(d, wanted, form >= 2);
        GString *s = g_string_new(form == 3 ? "" : wait ? "goals " : "goals were ");
        if (wait)
            g_string_append_printf(s, "waited %s", waits);
        if (wait && form == 0)
            g_string_append_printf(s, " for %s", iot_get_module(m->a, whom)->name);
        if (wanted)
            g_string_append_printf(s, "%sawaited %s", wait ? " · " : "", awaited);
        g_free(text);
        g_free(waits);
        g_free(awaited);
        text = g_string_free(s, FALSE);
        if (paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, text) <= width)
            break;
    }
    return text;
}

// P_m(t) over the whole run, small.
static void draw_sparkline(paf_drawing *d, paf_rect place, uint32_t module)
{
    uint32_t n = (uint32_t)MAX(place.w / 2, 1);
    int64_t span = iot_end(d->m->a, d->v->clock), width = (span + n) / n;
    n = (uint32_t)((span + width) / width);
    uint64_t *sums = g_new(uint64_t, n);
    paf_profiles_sums(d->m->profiles, d->v->clock, module, 1, width, n, sums);
    double most = 1e-9, step = place.w / n;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, (double)sums[i]);
    double bottom = place.y + place.h;
    for (uint32_t i = 0; i < n; i++) {
        double y = bottom - (double)sums[i] / most * place.h;
        if (i == 0)
            paf_move(d->pic, place.x, y);
        else
            paf_line(d->pic, place.x + i * step, y);
        paf_line(d->pic, place.x + (i + 1) * step, y);
    }
    paf_stroke(d->pic, paf_colour_of(d, module), 1);
    g_free(sums);
}

static void draw_name_line(paf_drawing *d, paf_rect card, double y, uint32_t module)
{
    const iot_module *info = iot_get_module(d->m->a, module);
    char *share = paf_percent((double)part_of(d, module), (double)whole_of(d));
    double right = card.x + card.w - INSET - 2;
    paf_colour ink = part_of(d, module) ? paf_ink_of(d, module) : d->theme->faint;
    double w = paf_write(d->pic, PAF_TEXT_HEAD, ink, right, y, 0, 1, share);
    paf_draw_swatch(d, card.x + INSET, y - 10, 12, module);
    double x = card.x + INSET + 20, room = right - w - 8 - x;
    bool fits = paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_HEAD, info->name) <= room;
    paf_write_name(d->pic, fits ? PAF_TEXT_HEAD : PAF_TEXT_STRONG, d->theme->ink, x, y, room, 0,
                   info->name);
    g_free(share);
}

static void draw_share_bar(paf_drawing *d, paf_rect place, uint32_t module)
{
    double part = whole_of(d) ? (double)part_of(d, module) / (double)whole_of(d) : 0;
    paf_round_box(d->pic, place.x, place.y, place.w, place.h, place.h / 2);
    paf_fill(d->pic, d->theme->track, 0);
    if (part <= 0)
        return;
    paf_round_box(d->pic, place.x, place.y, fmax(part * place.w, place.h), place.h, place.h / 2);
    paf_fill(d->pic, paf_colour_of(d, module), paf_pattern_of(d, module));
}

// "48.3 ms", "57.1 ms": of the first one the number is enough.
static void drop_same_unit(char *part, const char *whole)
{
    char *a = strrchr(part, ' ');
    const char *b = strrchr(whole, ' ');
    if (a && b && strcmp(a, b) == 0)
        *a = 0;
}

// "46 of 66 on the critical path", or as much of it as fits; numbers are shortened last.
static char *critical_words(const paf_drawing *d, uint32_t module, bool full, double width)
{
    const char *const behind[] = {tells_busy(d) ? " busy" : " on the critical path",
                                  tells_busy(d) ? " busy" : " critical", ""};
    char *line = NULL;
    for (unsigned i = full ? 0 : 2; i < 2 * G_N_ELEMENTS(behind); i++) {
        bool brief = i >= G_N_ELEMENTS(behind);
        char *part = amount(d, part_of(d, module), brief);
        char *whole = amount(d, whole_of(d), brief);
        if (brief)
            drop_same_unit(part, whole);
        g_free(line);
        line = g_strdup_printf("%s of %s%s", part, whole,
                               full ? behind[i % G_N_ELEMENTS(behind)] : "");
        g_free(part);
        g_free(whole);
        if (paf_shaped_text_width(paf_picture_text(d->pic), PAF_TEXT_SMALL, line) <= width)
            break;
    }
    return line;
}

static double draw_card(paf_drawing *d, double y, uint32_t module, bool full)
{
    paf_rect card = {cards_x(d), y, cards_w(d), full ? CARD : SHORT_CARD};
    paf_draw_card(d, card);
    paf_add_hit(d->pic, card, PAF_HIT_CARD, module, 0);
    if (d->v->drop == module) {
        paf_round_box(d->pic, card.x + 0.5, card.y + 0.5, card.w - 1, card.h - 1, 6);
        paf_stroke(d->pic, d->theme->amber, 2);
    }
    draw_name_line(d, card, y + 22, module);
    double x = card.x + INSET, w = card.w - 2 * INSET;
    draw_share_bar(d, (paf_rect){x, y + 32, w, 5}, module);
    char *line = critical_words(d, module, full, w);
    char *ever = full || !d->m->complete ? NULL : waiting_for_ever(d, module);
    if (ever) {
        char *both = g_strdup_printf("%s · %s", line, ever);
        g_free(line);
        g_free(ever);
        line = both;
    }
    paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y + 53, w, 0, line);
    if (full) {
        char *waiting = waiting_words(d, module, w);
        paf_write_parts(d->pic, PAF_TEXT_SMALL, d->theme->quiet, x, y + 68, w, 0, waiting);
        draw_sparkline(d, (paf_rect){x, y + 76, w, 12}, module);
        g_free(waiting);
    }
    g_free(line);
    return card.h + GAP;
}

static double draw_line(paf_drawing *d, double y, uint32_t module)
{
    paf_rect place = {cards_x(d), y, cards_w(d), LINE};
    paf_add_hit(d->pic, place, PAF_HIT_CARD, module, 0);
    draw_name_line(d, place, y + 18, module);
    return LINE;
}

typedef struct {
    uint32_t full, shorts, lines, hidden;
} card_plan;

// Cards for as many modules as fit, then lines, then a count of the rest. A module that had
// nothing on the critical path gets a short card, as there is less to say of it.
static card_plan plan_cards(const paf_drawing *d, double room)
{
    uint32_t first = d->v->first_card, n = d->m->ncards > first ? d->m->ncards - first : 0;
    card_plan plan = {0};
    double used = 0;
    while (plan.full + plan.shorts < n) {
        uint32_t module = d->m->order[first + plan.full + plan.shorts];
        bool full = is_full(d, module);
        double h = (full ? CARD : SHORT_CARD) + GAP;
        uint32_t rest = n - plan.full - plan.shorts - 1;
        // The rest must still find a line each, or the cards take no more than half.
        if (used + h + rest * LINE > room && used + h > room / 2)
            break;
        if (used + h > room)
            break;
        used += h;
        if (full)
            plan.full++;
        else
            plan.shorts++;
    }
    uint32_t rest = n - plan.full - plan.shorts;
    plan.lines = (uint32_t)MIN((double)rest, fmax(floor((room - used) / LINE), 0));
    if (plan.lines < rest && plan.lines > 0)
        plan.lines--; // the last line counts the hidden ones
    plan.hidden = rest - plan.lines;
    return plan;
}

static double draw_hidden_count(paf_drawing *d, double y, uint32_t n)
{
    char *count = paf_count(n, "more module", "more modules");
    char *text = g_strdup_printf("+%s", count);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, cards_x(d) + INSET, y + 17,
              cards_w(d) - 2 * INSET, 0, text);
    g_free(count);
    g_free(text);
    return LINE;
}

static double draw_modules(paf_drawing *d, double y, double room)
{
    card_plan plan = plan_cards(d, room);
    uint32_t rank = d->v->first_card;
    double start = y;
    for (uint32_t i = 0; i < plan.full + plan.shorts; i++, rank++) {
        uint32_t module = d->m->order[rank];
        bool full = is_full(d, module);
        y += draw_card(d, y, module, full);
    }
    for (uint32_t i = 0; i < plan.lines; i++, rank++)
        y += draw_line(d, y, d->m->order[rank]);
    if (plan.hidden)
        y += draw_hidden_count(d, y, plan.hidden);
    d->out->more_cards = plan.hidden > 0;
    return y - start;
}

// ---------------------------------------------------------------------------------------------
// Findings

// What a card says, of a note or of a finding.
typedef struct {
    char *title, *own; // g_malloc'ed; own: a text, or NULL
    const char *text, *advice;
    uint32_t module;
} finding_card;

static uint32_t cards_count(const paf_drawing *d)
{
    return iot_nnotes(d->m->a) + iot_nfindings(d->m->a, false);
}

// Of a deadlock, what fleng says first: the goal, what it waits for, and who could bind that.
static char *deadlock_text(const paf_drawing *d)
{
    const paf_waiting_goals *w = d->m->waiting;
    if (trace_get_ending(d->m->t) != TRACE_DEADLOCK || w->n == 0)
        return NULL;
    char *place = paf_waiting_place(w, 0), *title = paf_waiting_title(w, 0);
    char *lines = paf_waiting_lines(w, 0), *all = paf_count(w->ngoals, "goal waits", "goals wait");
    char **each = g_strsplit(lines, "\n", -1), *what = g_strjoinv("; ", each);
    char *text = g_strdup_printf("%s. %s: %s %s", all, place, title, what);
    g_strfreev(each);
    g_free(what);
    g_free(all);
    g_free(lines);
    g_free(title);
    g_free(place);
    return text;
}

// Of a finding that saves less than 5 % alone, and is there because it saves more beside another one; else 0.
static double saving_together(const iot *a, uint32_t finding)
{
    double most = 0;
    if (iot_get_finding(a, false, finding)->saving >= 0.05)
        return 0;
    for (uint32_t i = 0; i < iot_ntogether(a); i++) {
        const iot_together *both = iot_get_together(a, i);
        if (both->first == finding || both->second == finding)
            most = fmax(most, both->saving);
    }
    return most;
}

// Notes come first.
static finding_card card_of(const paf_drawing *d, uint32_t index)
{
    uint32_t notes = iot_nnotes(d->m->a);
    if (index < notes) {
        const iot_note *note = iot_get_note(d->m->a, index);
        char *own = index == 0 ? deadlock_text(d) : NULL;
        return (finding_card){g_strdup(note->title), own, own ? own : note->detail, "", note->module};
    }
    const iot_finding *f = iot_get_finding(d->m->a, false, index - notes);
    double both = saving_together(d->m->a, index - notes);
    char *percent = paf_percent(fmin(fmax(f->saving, both), 0.99), 1); // as its text says it
    char *title = g_strdup_printf("−%s %s%s", percent, iot_mechanism_name(f->kind),
                                  both > f->saving ? ", with another" : "");
    g_free(percent);
    char *own = paf_sentence(f->text);
    return (finding_card){title, own, own, f->advice, f->place.module};
}

static double paragraph_height(paf_drawing *d, paf_text_style kind, const char *text, int lines)
{
    int height;
    if (!*text || lines == 0)
        return 0;
    pango_layout_get_pixel_size(paf_shaped_text_paragraph(paf_picture_text(d->pic), kind, text,
                                                          cards_w(d) - 24, lines),
                                NULL, &height);
    return height + 2;
}

typedef struct {
    int text, advice; // lines at most
} card_room;

// Notes leave room for the findings below them.
static card_room room_of(const paf_drawing *d, uint32_t index)
{
    uint32_t notes = iot_nnotes(d->m->a);
    bool brief = index < notes && cards_count(d) > notes;
    return (card_room){brief ? NOTE_LINES : TEXT_LINES, ADVICE_LINES};
}

static double finding_height(paf_drawing *d, uint32_t index, card_room room)
{
    finding_card card = card_of(d, index);
    double height = 14 + paragraph_height(d, PAF_TEXT_STRONG, card.title, TITLE_LINES) +
                    paragraph_height(d, PAF_TEXT_SMALL, card.text, room.text) +
                    paragraph_height(d, PAF_TEXT_SMALL, card.advice, room.advice);
    g_free(card.title);
    g_free(card.own);
    return height;
}

static double write_paragraph(paf_drawing *d, paf_text_style kind, paf_colour colour, double y,
                              const char *text, int lines)
{
    if (!*text || lines == 0)
        return y;
    return y + 2 +
           paf_write_paragraph(d->pic, kind, colour, cards_x(d) + 13, y, cards_w(d) - 24, lines,
                               text);
}

static void draw_finding(paf_drawing *d, double y, double height, uint32_t index, card_room room)
{
    finding_card card = card_of(d, index);
    paf_rect box = {cards_x(d), y, cards_w(d), height};
    paf_draw_card(d, box);
    paf_add_hit(d->pic, box, PAF_HIT_FINDING, index, 0);
    if (d->v->focus && d->v->focus->kind == PAF_FOCUS_FINDING && d->v->focus->finding == index) {
        paf_round_box(d->pic, box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1, 6);
        paf_stroke(d->pic, d->theme->amber, 1.5);
    }
    paf_colour accent =
        card.module == IOT_NONE ? d->theme->faint : paf_colour_of(d, card.module);
    paf_round_box(d->pic, box.x, y + 6, 3, height - 12, 1.5);
    paf_fill(d->pic, accent, 0);
    y = write_paragraph(d, PAF_TEXT_STRONG, d->theme->ink, y + 8, card.title, TITLE_LINES);
    y = write_paragraph(d, PAF_TEXT_SMALL, d->theme->quiet, y, card.text, room.text);
    write_paragraph(d, PAF_TEXT_SMALL, d->theme->ink, y, card.advice, room.advice);
    g_free(card.title);
    g_free(card.own);
}

static double findings_room(paf_drawing *d)
{
    double room = 0;
    if (!d->m->complete)
        return 64;
    uint32_t n = MIN(cards_count(d), FINDINGS);
    for (uint32_t i = 0; i < n; i++)
        room += finding_height(d, i, room_of(d, i)) + GAP;
    return (room > 0 ? room : 22) + 32; // a line says that there is none
}

// The card that leads is there in any room, with fewer lines: first of the advice, then of the text.
static card_room fit_card(paf_drawing *d, uint32_t index, double height, bool leads)
{
    card_room room = room_of(d, index);
    while (leads && finding_height(d, index, room) > height && room.text + room.advice > 0) {
        bool advice = room.advice > 2 || room.text == 0 || (room.text == 1 && room.advice > 0);
        room.advice -= advice;
        room.text -= !advice;
    }
    return room;
}

// The first card that is shown: not the first one only if that of the focus would be hidden then.
static uint32_t first_finding(paf_drawing *d, double y, double bottom)
{
    const paf_focus *f = d->v->focus;
    if (!f || f->kind != PAF_FOCUS_FINDING || f->finding >= cards_count(d))
        return 0;
    double used = 0;
    uint32_t first = f->finding;
    for (uint32_t i = 0; i <= f->finding; i++)
        used += finding_height(d, i, room_of(d, i)) + GAP;
    for (first = 0; first < f->finding && y + used + MORE > bottom; first++)
        used -= finding_height(d, first, room_of(d, first)) + GAP;
    return first;
}

// How many there is no room for; a click leads to the first of them.
static void count_hidden_findings(paf_drawing *d, double y, double bottom, uint32_t first)
{
    char *count = paf_count(cards_count(d) - first, "more finding", "more findings");
    char *text = g_strdup_printf("+%s", count);
    y = fmin(y, bottom - MORE);
    paf_write(d->pic, PAF_TEXT_SMALL, d->theme->amber, cards_x(d) + 6, y + 13, cards_w(d) - 6, 0, text);
    paf_add_hit(d->pic, (paf_rect){cards_x(d), y, cards_w(d), MORE}, PAF_HIT_FINDING, first, 0);
    g_free(text);
    g_free(count);
}

static void draw_findings(paf_drawing *d, double y, double bottom, const char *title)
{
    uint32_t n = d->m->complete ? cards_count(d) : 0;
    if (y + (n == 0 && d->m->complete ? 48 : 60) > bottom)
        return;
    paf_write_name(d->pic, PAF_TEXT_CAPS, d->theme->quiet, d->f.side.x + 16, y + 16, d->f.side.w - 26, 0,
                   title);
    y += 26;
    if (!d->m->complete) {
        paf_draw_computing(d, cards_x(d) + 6, y + 16, cards_w(d) - 6, "Findings");
        return;
    }
    if (n == 0)
        paf_write(d->pic, PAF_TEXT_SMALL, d->theme->quiet, cards_x(d) + 6, y + 14, cards_w(d) - 6, 0,
                  "nothing that saves 5 % or more");
    uint32_t first = n > 0 ? first_finding(d, y, bottom) : 0;
    for (uint32_t i = first; i < n; i++) {
        double more = i + 1 < n ? MORE : 0;
        card_room room = fit_card(d, i, bottom - y - more, i == first);
        double h = finding_height(d, i, room);
        if (y + h + more > bottom) {
            count_hidden_findings(d, y, bottom, i);
            return;
        }
        draw_finding(d, y, h, i, room);
        y += h + GAP;
    }
}

// By real time: why the run took as long as it did. Returns the height taken.
static double draw_costs(paf_drawing *d, double y, double bottom)
{
    double h = tells_busy(d) ? paf_costs_height(d) : 0;
    if (h == 0 || y + h + 34 > bottom)
        return 0;
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, d->f.side.x + 16, y + 16, 0, 0, "REAL TIME");
    paf_draw_costs_card(d, (paf_rect){cards_x(d), y + 26, cards_w(d), h});
    return h + 34;
}

void paf_draw_side(paf_drawing *d)
{
    const paf_rect *r = &d->f.side;
    paf_box(d->pic, r->x, r->y, r->w, r->h);
    paf_fill(d->pic, d->theme->panel, 0);
    paf_box(d->pic, r->x + r->w - 1, r->y, 1, r->h);
    paf_fill(d->pic, d->theme->line, 0);
    paf_add_hit(d->pic, *r, PAF_HIT_SIDE, 0, 0);
    double y = r->y + 26, bottom = r->y + r->h - 8;
    y += paf_draw_regions(d, y);
    paf_write(d->pic, PAF_TEXT_CAPS, d->theme->quiet, r->x + 16, y, 0, 0, "MODULES");
    double w = paf_write(d->pic, PAF_TEXT_STRONG, d->theme->amber, r->x + r->w - 16, y, 0, 1,
                         "Edit partition");
    paf_add_hit(d->pic, (paf_rect){r->x + r->w - 20 - w, y - 16, w + 8, 22}, PAF_HIT_PARTITION, 0,
                0);
    y += 12;
    double costs = tells_busy(d) ? paf_costs_height(d) + 34 : 0;
    double findings = fmin(findings_room(d) + costs, (bottom - y) * 0.55);
    y += draw_modules(d, y, bottom - y - findings);
    y += draw_costs(d, y + 6, bottom);
    draw_findings(d, y + 6, bottom, "FINDINGS");
}

void paf_draw_findings(paf_drawing *d, paf_rect column, const char *run)
{
    char *title = g_strdup_printf("FINDINGS · %s", run);
    d->f.side = column;
    draw_findings(d, column.y, column.y + column.h, title);
    g_free(title);
}
