// SPDX-License-Identifier: MIT
//
// Notes and findings, as text and as JSON.
#include "paf/commands/report.h"
#include "iotree/findings.h"
#include "paf/say/numbers.h"

#include <stdio.h>

// ---- JSON -----------------------------------------------------------------------------------

static const char *source_name(const trace *t, uint32_t source)
{
    return trace_name(t, trace_get_source(t, source)->name);
}

// file, line and predicate; null where they are not known.
static void set_place(json_t *row, const trace *t, const iot_location *place)
{
    bool known = place->source != TRACE_NONE && place->line != 0;
    json_object_set_new(row, "file",
                        known ? paf_json_text(source_name(t, place->source)) : json_null());
    json_object_set_new(row, "line", known ? json_integer(place->line) : json_null());
    json_object_set_new(row, "predicate",
                        place->predicate == IOT_NONE
                            ? json_null()
                            : paf_json_take(iot_predicate_text(t, place->predicate)));
}

static json_t *finding_json(const iot *a, const iot_finding *f)
{
    const trace *t = iot_trace(a);
    json_t *row = json_object(), *also = json_array();
    json_object_set_new(row, "kind", json_string(iot_mechanism_name(f->kind)));
    set_place(row, t, &f->place);
    json_object_set_new(row, "module",
                        f->place.module == IOT_NONE
                            ? json_null()
                            : paf_json_text(iot_get_module(a, f->place.module)->name));
    for (uint32_t i = 0; i < f->nalso; i++) {
        json_t *place = json_object();
        set_place(place, t, &f->also[i]);
        json_array_append_new(also, place);
    }
    json_object_set_new(row, "also", also);
    json_object_set_new(row, "span_without", json_integer(f->span_without));
    json_object_set_new(row, "saving", json_real(f->saving));
    if (f->estimate)
        json_object_set_new(row, "estimate", json_true());
    json_object_set_new(row, "text", paf_json_text(f->text));
    json_object_set_new(row, "advice", paf_json_text(f->advice));
    return row;
}

json_t *paf_report_findings_json(const iot *a, bool all)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nfindings(a, all); i++)
        json_array_append_new(array, finding_json(a, iot_get_finding(a, all, i)));
    return array;
}

json_t *paf_report_together_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_ntogether(a); i++) {
        const iot_together *both = iot_get_together(a, i);
        json_array_append_new(array, json_pack("{s:[i,i],s:I,s:f}", "findings", (int)both->first,
                                               (int)both->second, "span_without",
                                               (json_int_t)both->span_without, "saving",
                                               both->saving));
    }
    return array;
}

json_t *paf_report_notes_json(const iot *a)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < iot_nnotes(a); i++) {
        const iot_note *note = iot_get_note(a, i);
        json_t *row = json_object();
        json_object_set_new(row, "title", paf_json_text(note->title));
        json_object_set_new(row, "detail", paf_json_text(note->detail));
        json_array_append_new(array, row);
    }
    return array;
}

// ---- For people -----------------------------------------------------------------------------

void paf_report_notes_text(const iot *a)
{
    for (uint32_t i = 0; i < iot_nnotes(a); i++) {
        const iot_note *note = iot_get_note(a, i);
        printf("%s%s%s\n", paf_style_begin(STYLE_NOTE), note->title, paf_style_end(STYLE_NOTE));
        printf("    %s\n", note->detail);
    }
}

static void print_together(const iot *a)
{
    for (uint32_t i = 0; i < iot_ntogether(a); i++) {
        const iot_together *both = iot_get_together(a, i);
        char *without = paf_amount(iot_trace(a), both->span_without);
        char *whole = paf_amount(iot_trace(a), iot_whole(a));
        printf("without both %u and %u %s%s instead of %s (−%.0f %%)\n", both->first + 1,
               both->second + 1, without, trace_is_measured(iot_trace(a)) ? "" : " steps", whole,
               100 * both->saving);
        g_free(without);
        g_free(whole);
    }
}

void paf_report_processors_text(const iot *a, int64_t processors)
{
    char *took = paf_amount(iot_trace(a), iot_whole(a));
    printf("on %lld processor%s the run takes %s%s; findings say what they save of that\n",
           (long long)processors, processors == 1 ? "" : "s", took,
           trace_is_measured(iot_trace(a)) ? "" : " steps");
    g_free(took);
}

static void print_undisturbed(const iot *a)
{
    char *measured = paf_amount(iot_trace(a), trace_elapsed(iot_trace(a)));
    char *without = paf_amount(iot_trace(a), iot_whole(a));
    printf("the machine was busy: with its processors the run takes about %s instead of %s; findings tell "
           "processor times, and what they save of that\n", without, measured);
    g_free(measured);
    g_free(without);
}

void paf_report_findings_text(const iot *a, bool all)
{
    uint32_t n = iot_nfindings(a, all);
    if (iot_is_disturbed(a))
        print_undisturbed(a);
    for (uint32_t i = 0; i < n; i++) {
        const iot_finding *f = iot_get_finding(a, all, i);
        printf("%s%u. %s%s\n", paf_style_begin(STYLE_NOTE), i + 1, f->text,
               paf_style_end(STYLE_NOTE));
        if (*f->advice)
            printf("   Change: %s\n", f->advice);
    }
    print_together(a);
    if (n == 0)
        printf("%sno change was found that saves 5 %% or more%s\n", paf_style_begin(STYLE_NOTE),
               paf_style_end(STYLE_NOTE));
}
