// SPDX-License-Identifier: MIT
//
// Notes on a measured run: its parallelism, and events that it lost. What it waited for stands in
// the tables of the report; causes are in measured_causes.c.
#include <string.h>

#include "base/text.h"
#include "iotree/findings/findings.h"
#include "profiler/regions.h"

static iot_note about_all(void)
{
    return (iot_note){.module = IOT_NONE, .reduction = IOT_NONE, .clause = IOT_NONE};
}

// ---- Losses ---------------------------------------------------------------------------------

enum { SHOWN_LOSSES = 4 }; // places told one by one

// "thread 0 kept 1000 of 8000". malloc'ed.
static char *loss_text(const trace *t, const trace_dropped *l)
{
    const char *name = trace_place_name(t, l->place);
    char *place = name ? base_copy(name) : base_format("place %u", l->place);
    char *text = base_format("%s kept %llu of %llu", place, (unsigned long long)l->kept,
                            (unsigned long long)l->seen);
    free(place);
    return text;
}

// "thread 0 kept 1000 of 8000, thread 1 kept ...; --events 8000 would have been enough". malloc'ed.
static char *dropped_text(const trace *t, const trace_dropped *dropped, uint32_t n, uint64_t enough)
{
    base_text text = {0};
    for (uint32_t i = 0; i < n && i < SHOWN_LOSSES; i++) {
        char *one = loss_text(t, &dropped[i]);
        text_add_format(&text, "%s%s", i > 0 ? ", " : "", one);
        free(one);
    }
    if (n > SHOWN_LOSSES)
        text_add_format(&text, ", and so %u more", n - SHOWN_LOSSES);
    if (enough > 0)
        text_add_format(&text, "; --events %llu would have been enough",
                        (unsigned long long)enough);
    return text_finish(&text);
}

uint64_t iot_lost_events(const trace *t, char **ret_text)
{
    const trace_dropped *dropped;
    uint32_t n = trace_get_dropped(t, &dropped);
    uint64_t lost = 0, enough = 0;
    for (uint32_t i = 0; i < n; i++) {
        lost += dropped[i].seen - dropped[i].kept;
        if (dropped[i].capped && dropped[i].seen > enough)
            enough = dropped[i].seen;
    }
    if (n > 0 && ret_text)
        *ret_text = dropped_text(t, dropped, n, enough);
    return lost;
}

void iot_note_dropped(const iot *a, notes *n)
{
    char *text;
    uint64_t lost = iot_lost_events(a->t, &text);
    if (lost == 0)
        return;
    iot_note f = about_all();
    f.title =
        base_format("%llu event%s of the run %s not kept: what came later is not known",
                    (unsigned long long)lost, lost == 1 ? "" : "s", lost == 1 ? "was" : "were");
    f.detail = text;
    ARRAY_PUSH(n->list, f);
}

// ---- Processors -------------------------------------------------------------------------------

enum { LEAST_QUEUED = 20 }; // one part in so many of the work is told

static bool are_ranks(const trace *t)
{
    const char *name = trace_nplaces(t) > 0 ? trace_place_name(t, 0) : NULL;
    return name && strncmp(name, "rank ", 5) == 0 && !strchr(name + 5, ' '); // "rank 0 thread 1" is one
}

// "2 processors for 8 threads: " or, if there were enough, an empty text. malloc'ed.
static char *lack_text(const trace *t, uint32_t worked)
{
    uint32_t processors = trace_get_machine(t).processors;
    if (processors == 0 || worked <= processors)
        return base_copy("");
    return base_format("%u processor%s for %u %s: ", processors, processors == 1 ? "" : "s", worked,
                       are_ranks(t) ? "ranks" : "threads");
}

static void note_queued(const iot *a, notes *n)
{
    uint32_t nplaces = trace_nplaces(a->t), worked = 0;
    iot_processor_row *rows = iot_processor_time(a), all = rows[nplaces];
    for (uint32_t i = 0; i < nplaces; i++)
        worked += rows[i].work > 0;
    free(rows);
    if (all.queued == 0 || all.queued < all.work / LEAST_QUEUED)
        return;
    char *lack = lack_text(a->t, worked), *ran = iot_time_text(all.ran), *work = iot_time_text(all.work);
    iot_note f = about_all();
    f.title = base_format("%s%.0f %% of the work was waiting for a processor", lack,
                          100 * (double)all.queued / (double)all.work);
    f.detail = base_format("of %s of work a processor did %s; %s", work, ran,
                           iot_is_disturbed(a) || !*lack
                               ? "other programs had the processors, so findings tell processor times"
                               : are_ranks(a->t) ? "fewer ranks would wait less"
                                                 : "fewer threads would wait less");
    ARRAY_PUSH(n->list, f);
    free(lack);
    free(ran);
    free(work);
}

// ---- The whole ---------------------------------------------------------------------------------

static uint64_t waited(const iot *a)
{
    uint64_t time = 0;
    for (uint32_t r = 1; r < a->n; r++)
        if (trace_get_clause(a->t, trace_reduction_clause(a->t, r))->waits)
            time += (uint64_t)(trace_end(a->t, r) - trace_start(a->t, r));
    return time;
}

void iot_note_measured(const iot *a, notes *n)
{
    iot_note f = about_all();
    char *work = iot_time_text(a->work), *span = iot_time_text((uint64_t)a->span);
    char *elapsed = iot_time_text((uint64_t)trace_elapsed(a->t));
    char *waiting = iot_time_text(waited(a));
    f.title = base_format("parallelism %.1f: %s of work in %s",
                         a->span > 0 ? (double)a->work / (double)a->span : 0, work, span);
    f.detail = base_format("it took %s on %u place%s, with %s of waiting", elapsed,
                          trace_nplaces(a->t), trace_nplaces(a->t) == 1 ? "" : "s", waiting);
    ARRAY_PUSH(n->list, f);
    free(work);
    free(span);
    free(elapsed);
    free(waiting);
    note_queued(a, n);
}
