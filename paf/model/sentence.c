// SPDX-License-Identifier: MIT
//
// What a run is about, in one line: who holds it up, who waits for it, what that costs.
#include "paf/model/sentence.h"
#include "paf/model/real_times.h"
#include "iotree/findings.h"
#include "paf/say/numbers.h"

#include <inttypes.h>
#include <math.h>

static char *holder_words(const paf_model *m, uint32_t module, bool brief)
{
    uint64_t part = iot_get_module(m->a, module)->critical, whole = iot_critical_cost(m->a);
    char *span = paf_duration(m->t, (int64_t)whole), *share = paf_percent((double)part, (double)whole);
    const char *name = iot_get_module(m->a, module)->name;
    char *text = whole == 0      ? g_strdup("Nothing was reduced")
                 : brief         ? g_strdup_printf("%s: %s of the path", name, share)
                 : part == whole ? g_strdup_printf("%s holds the whole critical path of %s", name, span)
                                 : g_strdup_printf("%s holds %s of the critical path of %s", name, share,
                                                   span);
    g_free(share);
    g_free(span);
    return text;
}

static void append_waits(const paf_model *m, iot_clock clock, uint32_t module, GString *s)
{
    const iot_dependency *most = NULL;
    for (uint32_t i = 0; i < iot_ndependencies(m->a); i++) {
        const iot_dependency *d = iot_get_dependency(m->a, i);
        if (d->from != d->to && (!most || paf_wait_by(clock, m, d) > paf_wait_by(clock, m, most)))
            most = d;
    }
    if (!most || paf_wait_by(clock, m, most) == 0)
        return;
    g_string_append_printf(s, "; %s waits longest for %s", iot_get_module(m->a, most->to)->name,
                           most->from == module ? "it" : iot_get_module(m->a, most->from)->name);
}

static void append_finding(const paf_model *m, GString *s)
{
    if (iot_nfindings(m->a, false) == 0)
        return;
    const iot_finding *f = iot_get_finding(m->a, false, 0);
    char *share = paf_percent(fmin(f->saving, 0.99), 1);
    g_string_append(s, "; without the cause ");
    if (f->place.source != TRACE_NONE && f->place.line > 0) {
        char *file = g_path_get_basename(trace_name(m->t, trace_get_source(m->t, f->place.source)->name));
        g_string_append_printf(s, "at %s:%" PRIu32 " ", file, f->place.line);
        g_free(file);
    }
    g_string_append_printf(s, "it would take %s%s less", f->estimate ? "about " : "", share);
    g_free(share);
}

// "" if the run did what its program does.
static const char *ending_words(const trace *t)
{
    switch (trace_get_ending(t)) {
    case TRACE_DEADLOCK:
        return "It ended in a deadlock. ";
    case TRACE_FAILED:
        return "It failed. ";
    default:
        return "";
    }
}

char *paf_run_sentence(const paf_model *m, iot_clock clock, int brief)
{
    uint32_t module = m->order[0]; // of the first card: that with the largest share of the critical path
    char *first = holder_words(m, module, brief >= 3);
    GString *s = g_string_new(brief < 3 ? ending_words(m->t) : "");
    g_string_append(s, first);
    if (m->complete && brief < 1)
        append_waits(m, clock, module, s);
    if (m->complete && brief < 2)
        append_finding(m, s);
    g_string_append_c(s, '.');
    g_free(first);
    return g_string_free(s, FALSE);
}
