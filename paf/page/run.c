// SPDX-License-Identifier: MIT
//
// What a page says of one run, whichever clock is looked at: its figures, modules, findings and sources.
#include "base/utf8.h"
#include "iotree/findings.h"
#include "paf/draw/palette.h"
#include "paf/model/focus.h"
#include "paf/model/real_times.h"
#include "paf/model/sentence.h"
#include "paf/page/page_private.h"

#include <math.h>
#include <string.h>

#define MOST_SOURCE (512u << 10) // bytes of one source that the page holds
#define MOST_ALSO   20           // places of one finding

json_t *paf_page_text(const char *text)
{
    base_text out = {0};
    size_t n = strlen(text), at = 0;
    text_reserve(&out, n + 1);
    while (at < n) {
        uint32_t code = utf8_next(text, n, &at);
        text_add_code(&out, utf8_hidden(code) && code != '\n' && code != '\t' ? UTF8_REPLACEMENT : code);
    }
    json_t *value = json_stringn(out.at, out.n);
    free(out.at);
    return value;
}

json_t *paf_page_take(char *text)
{
    json_t *value = paf_page_text(text);
    g_free(text);
    return value;
}

void paf_page_add(json_t *array, int64_t n)
{
    json_array_append_new(array, json_integer(n));
}

void paf_page_remark(paf_page_maker *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_array_append_new(p->remarks, paf_page_take(g_strdup_vprintf(format, arguments)));
    va_end(arguments);
}

// How an activity of a measured run is drawn; 0 of all others.
static uint8_t interval_of(const paf_page_maker *p, uint32_t clause)
{
    return trace_is_measured(p->t) && p->m->timeline ? p->m->timeline->interval_of[clause] : 0;
}

uint32_t paf_page_spot(paf_page_maker *p, uint32_t reduction)
{
    uint32_t clause = iot_reduction_clause(p->t, reduction), source;
    uint32_t line = iot_reduction_line(p->t, reduction, &source);
    uint32_t process = iot_process_of(p->a, reduction);
    uint32_t module = process == IOT_NONE ? 0 : iot_get_process(p->a, process)->module;
    uint64_t key = hash_word(hash_word(hash_word(0, clause), line), module) & INT64_MAX;
    uint64_t *at = map_at(&p->spot_of, key);
    if (*at != MAP_ABSENT)
        return (uint32_t)*at;
    *at = json_array_size(p->spots);
    uint32_t predicate = trace_get_clause(p->t, clause)->predicate;
    char *name = trace_is_measured(p->t)
                     ? base_copy(trace_name(p->t, trace_get_predicate(p->t, predicate)->name))
                     : iot_clause_text(p->t, clause);
    json_t *spot = json_array();
    json_array_append_new(spot, paf_page_text(name));
    paf_page_add(spot, source == TRACE_NONE ? -1 : (int64_t)source);
    paf_page_add(spot, line);
    paf_page_add(spot, p->rank[module]);
    paf_page_add(spot, interval_of(p, clause));
    json_array_append_new(p->spots, spot);
    free(name);
    return (uint32_t)json_array_size(p->spots) - 1;
}

// ---- Modules --------------------------------------------------------------------------------

static json_t *colour_json(paf_colour c)
{
    char text[8];
    snprintf(text, sizeof text, "#%02x%02x%02x", (unsigned)lround(c.r * 255) & 255,
             (unsigned)lround(c.g * 255) & 255, (unsigned)lround(c.b * 255) & 255);
    return json_string(text);
}

static json_t *module_json(const paf_page_maker *p, uint32_t module)
{
    const iot_module *of = iot_get_module(p->a, module);
    uint32_t hue = p->m->hue[module];
    json_t *o = json_object();
    json_object_set_new(o, "name", paf_page_text(of->name));
    json_object_set_new(o, "colour", colour_json(paf_module_colour(paf_theme_get(false), hue)));
    json_object_set_new(o, "light", colour_json(paf_module_ink(paf_theme_get(false), hue)));
    json_object_set_new(o, "dark", colour_json(paf_module_ink(paf_theme_get(true), hue)));
    json_object_set_new(o, "pattern", json_integer(paf_module_pattern(hue)));
    json_object_set_new(o, "critical", json_integer((json_int_t)of->critical));
    json_object_set_new(o, "share", paf_page_take(paf_percent((double)of->critical, (double)p->m->span)));
    json_object_set_new(o, "work", paf_page_take(paf_work(p->t, of->work)));
    json_object_set_new(o, "onpath", paf_page_take(paf_duration(p->t, (int64_t)of->critical)));
    json_object_set_new(o, "waited", paf_page_take(paf_duration(p->t, (int64_t)p->m->waits[module])));
    json_object_set_new(o, "awaited", paf_page_take(paf_duration(p->t, (int64_t)p->m->awaited[module])));
    json_object_set_new(o, "processes", json_integer(of->processes));
    return o;
}

// ---- Findings -------------------------------------------------------------------------------

static void add_place(json_t *array, const paf_page_maker *p, const iot_location *place)
{
    if (place->source == TRACE_NONE || place->line == 0)
        return;
    (void)p;
    json_array_append_new(array, json_pack("[i,i]", (int)place->source, (int)place->line));
}

static json_t *finding_json(paf_page_maker *p, const iot_finding *f)
{
    json_t *o = json_object(), *places = json_array();
    char *share = paf_percent(fmin(f->saving, 0.99), 1);
    char *title = g_strdup_printf("−%s %s", share, iot_mechanism_name(f->kind));
    json_object_set_new(o, "title", paf_page_take(title));
    json_object_set_new(o, "text", paf_page_take(paf_sentence(f->text)));
    json_object_set_new(o, "advice", paf_page_text(f->advice));
    json_object_set_new(o, "module",
                        json_integer(f->place.module == IOT_NONE ? -1 : (int)p->rank[f->place.module]));
    add_place(places, p, &f->place);
    for (uint32_t i = 0; i < f->nalso && i < MOST_ALSO; i++)
        add_place(places, p, &f->also[i]);
    json_object_set_new(o, "places", places);
    g_free(share);
    return o;
}

static json_t *note_json(paf_page_maker *p, const iot_note *note)
{
    json_t *o = json_object(), *places = json_array();
    json_object_set_new(o, "title", paf_page_text(note->title));
    json_object_set_new(o, "text", paf_page_take(paf_sentence(note->detail)));
    json_object_set_new(o, "note", json_true());
    json_object_set_new(o, "module",
                        json_integer(note->module == IOT_NONE ? -1 : (int)p->rank[note->module]));
    if (note->clause != IOT_NONE) {
        const trace_clause *c = trace_get_clause(p->t, note->clause);
        iot_location place = {.source = c->source, .line = c->line};
        add_place(places, p, &place);
    }
    json_object_set_new(o, "places", places);
    return o;
}

// Notes, then findings: in the order of paf_focus_on_finding().
static json_t *findings_json(paf_page_maker *p)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nnotes(p->a); i++)
        json_array_append_new(array, note_json(p, iot_get_note(p->a, i)));
    for (uint32_t i = 0; i < iot_nfindings(p->a, false); i++)
        json_array_append_new(array, finding_json(p, iot_get_finding(p->a, false, i)));
    return array;
}

// ---- Sources --------------------------------------------------------------------------------

static json_t *sources_json(paf_page_maker *p)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < trace_nsources(p->t); i++) {
        const trace_source *source = trace_get_source(p->t, i);
        size_t n;
        const char *text = trace_string(p->t, source->text, &n);
        char *cut = g_strndup(text, utf8_cut(text, MIN(n, MOST_SOURCE)));
        json_t *o = json_object();
        json_object_set_new(o, "name", paf_page_text(trace_name(p->t, source->name)));
        json_object_set_new(o, "text", paf_page_text(cut));
        json_array_append_new(array, o);
        if (n > MOST_SOURCE)
            paf_page_remark(p, "%s is shown up to its first %u KiB.", trace_name(p->t, source->name),
                            MOST_SOURCE >> 10);
        g_free(cut);
    }
    return array;
}

// ---------------------------------------------------------------------------------------------

static json_t *views_json(paf_page_maker *p)
{
    json_t *array = json_array();
    if (!trace_is_measured(p->t))
        json_array_append_new(array, paf_page_view(p, IOT_VIRTUAL_TIME));
    if (paf_model_make_real(p->m))
        json_array_append_new(array, paf_page_view(p, IOT_REAL_TIME));
    return array;
}

json_t *paf_page_run_json(const paf_page_run *run)
{
    paf_page_maker p = {.m = run->m, .a = run->m->a, .t = run->m->t, .rank = run->m->rank,
                        .spots = json_array(), .remarks = json_array()};
    json_t *o = json_object(), *modules = json_array();
    bool measured = trace_is_measured(p.t);
    json_object_set_new(o, "title", paf_page_text(run->title));
    json_object_set_new(o, "program", paf_page_text(trace_program(p.t)));
    json_object_set_new(o, "summary", paf_page_take(paf_run_summary(p.a)));
    json_object_set_new(o, "sentence",
                        paf_page_take(paf_run_sentence(p.m, measured ? IOT_REAL_TIME : IOT_VIRTUAL_TIME, 0)));
    json_object_set_new(o, "measured", json_boolean(measured));
    for (uint32_t i = 0; i < p.m->nmodules; i++)
        json_array_append_new(modules, module_json(&p, p.m->order[i]));
    json_object_set_new(o, "modules", modules);
    json_object_set_new(o, "cards", json_integer(p.m->ncards));
    json_object_set_new(o, "findings", findings_json(&p));
    json_object_set_new(o, "views", views_json(&p));
    json_object_set_new(o, "tables", paf_page_tables(&p));
    json_object_set_new(o, "sources", sources_json(&p));
    json_object_set_new(o, "spots", p.spots);
    json_object_set_new(o, "remarks", p.remarks);
    map_free(&p.spot_of);
    return o;
}
