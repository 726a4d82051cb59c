// SPDX-License-Identifier: MIT
//
// Writes totals into a trace and reads them from one.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "kpx-bridge/totals/totals.h"
#include "profiler/trace_reader.h"
#include "profiler/trace_writer.h"

// ---- Writing ----------------------------------------------------------------------------------

static uint32_t string_or_none(tw *w, const char *text)
{
    return text ? tw_string(w, text, strlen(text)) : TRACE_NONE;
}

static trace_total place_of(tw *w, const kpx_item *item, const uint32_t *sources)
{
    static const trace_total_kind kinds[] = {[KPX_UNIT] = TT_UNIT,
                                             [KPX_LOOP] = TT_LOOP,
                                             [KPX_IO] = TT_IO,
                                             [KPX_CALL] = TT_CALL};
    return (trace_total){.kind = kinds[item->kind],
                         .name = string_or_none(w, item->name),
                         .type = string_or_none(w, item->type),
                         .label = string_or_none(w, item->label),
                         .unit = item->unit == KPX_NO_ITEM ? TRACE_NONE : item->unit,
                         .source = item->file == KPX_NO_ITEM ? TRACE_NONE : sources[item->file],
                         .line = item->line,
                         .seq = item->seq,
                         .number = item->number,
                         .definite = item->definite,
                         .share = item->reported.share,
                         .mean = item->reported.mean,
                         .average = item->reported.average};
}

typedef ARRAY_OF(trace_measure) measure_list;
typedef ARRAY_OF(trace_traffic) traffic_list;

static void add_measures(measure_list *list, const kpx_totals *t, uint32_t item,
                         kpx_measure get(const kpx_totals *t, uint32_t item, uint32_t node))
{
    for (uint32_t node = 0; node < kpx_totals_nnodes(t); node++) {
        kpx_measure m = get(t, item, node);
        if (m.times >= 0 || m.time >= 0 || m.inclusive >= 0 || m.rotation >= 0 || m.bytes >= 0)
            ARRAY_PUSH(*list, ((trace_measure){item, node, m.times, m.time, m.inclusive, m.rotation,
                                               m.bytes}));
    }
}

static trace_data_file data_file_of(tw *w, const kpx_data_file *f)
{
    return (trace_data_file){string_or_none(w, f->name), string_or_none(w, f->label), f->number,
                             f->share};
}

static int by_pair(const void *x, const void *y)
{
    const trace_traffic *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static traffic_list sorted_traffic(const kpx_totals *t)
{
    traffic_list list = {0};
    for (uint32_t i = 0; i < kpx_totals_ntraffic(t); i++) {
        const kpx_traffic *pair = kpx_totals_get_traffic(t, i);
        ARRAY_PUSH(list, ((trace_traffic){pair->from, pair->to, pair->messages, pair->bytes}));
    }
    if (list.n > 0)
        qsort(list.at, list.n, sizeof *list.at, by_pair);
    return list;
}

void kpx_put_totals(tw *w, const kpx_totals *t, const uint32_t *sources)
{
    ARRAY_OF(trace_total_node) nodes = {0};
    ARRAY_OF(trace_total) places = {0};
    ARRAY_OF(trace_data_file) files = {0};
    measure_list measures = {0}, file_measures = {0};
    traffic_list traffic = sorted_traffic(t);
    trace_total_table tables[KPX_ITEM_KINDS];
    for (uint32_t i = 0; i < KPX_ITEM_KINDS; i++)
        tables[i] = (trace_total_table){kpx_totals_observed(t, i), kpx_totals_reported_total(t, i)};
    for (uint32_t i = 0; i < kpx_totals_nnodes(t); i++) {
        const kpx_node *n = kpx_totals_get_node(t, i);
        ARRAY_PUSH(nodes,
                   ((trace_total_node){n->rank, n->pid, n->thread, n->elapsed, n->overhead}));
    }
    for (uint32_t i = 0; i < kpx_totals_nitems(t); i++) {
        ARRAY_PUSH(places, place_of(w, kpx_totals_get_item(t, i), sources));
        add_measures(&measures, t, i, kpx_totals_get);
    }
    for (uint32_t i = 0; i < kpx_totals_ndata_files(t); i++) {
        ARRAY_PUSH(files, data_file_of(w, kpx_totals_get_data_file(t, i)));
        add_measures(&file_measures, t, i, kpx_totals_get_data);
    }
    tw_totals(w, &(trace_totals){.clock = (trace_totals_clock)kpx_totals_get_clock(t),
                                 .messages = kpx_totals_messages_observed(t),
                                 .tables = tables,
                                 .nnodes = nodes.n,
                                 .nodes = nodes.at,
                                 .ntotals = places.n,
                                 .totals = places.at,
                                 .nmeasures = measures.n,
                                 .measures = measures.at,
                                 .ntraffic = traffic.n,
                                 .traffic = traffic.at,
                                 .files_reported = kpx_totals_reported_data_total(t),
                                 .nfiles = files.n,
                                 .files = files.at,
                                 .nfile_measures = file_measures.n,
                                 .file_measures = file_measures.at});
    free(nodes.at), free(places.at), free(measures.at), free(traffic.at);
    free(files.at), free(file_measures.at);
}

_Static_assert((int)KPX_CLOCK_ELAPSED == (int)TRACE_ELAPSED &&
                   (int)KPX_CLOCK_CPU == (int)TRACE_CPU &&
                   (int)KPX_CLOCK_UNKNOWN == (int)TRACE_NO_CLOCK,
               "clocks have the same numbers");
_Static_assert((int)KPX_UNIT == (int)TT_UNIT && (int)KPX_CALL == (int)TT_CALL &&
                   (int)KPX_ITEM_KINDS == (int)TRACE_TOTAL_KINDS,
               "kinds of places have the same numbers");

// ---- Reading ----------------------------------------------------------------------------------

static const char *text_of(const trace *t, uint32_t string)
{
    return string == TRACE_NONE ? NULL : trace_string(t, string, NULL);
}

static void read_place(kpx_totals *totals, const trace *t, const trace_total *p,
                       const uint32_t *files)
{
    kpx_item item = kpx_item_of((kpx_item_kind)p->kind);
    item.name = text_of(t, p->name);
    item.type = text_of(t, p->type);
    item.label = text_of(t, p->label);
    item.unit = p->unit == TRACE_NONE ? KPX_NO_ITEM : p->unit;
    item.file = p->source == TRACE_NONE ? KPX_NO_ITEM : files[p->source];
    item.line = p->line;
    item.seq = p->seq;
    item.number = p->number;
    item.definite = (int)p->definite;
    item.reported = (kpx_reported){p->share, p->mean, p->average};
    kpx_totals_add_item(totals, &item);
}

static void read_places(kpx_totals *totals, const trace *t, const trace_totals *from)
{
    uint32_t *files = base_allocate((trace_nsources(t) + (size_t)1), sizeof *files);
    for (uint32_t i = 0; i < trace_nsources(t); i++)
        files[i] = kpx_totals_add_file(totals, trace_string(t, trace_get_source(t, i)->name, NULL));
    for (uint32_t i = 0; i < from->ntotals; i++)
        read_place(totals, t, &from->totals[i], files);
    free(files);
}

static void add_measure(kpx_measure *sum, const trace_measure *m)
{
    kpx_add_amount(&sum->times, m->times);
    kpx_add_amount(&sum->time, m->time);
    kpx_add_amount(&sum->inclusive, m->inclusive);
    kpx_add_amount(&sum->rotation, m->rotation);
    kpx_add_amount(&sum->bytes, m->bytes);
}

// The node of the totals for each node of the trace: its own, or its process's.
static uint32_t *read_nodes(kpx_totals *totals, const trace_totals *from, bool by_process)
{
    uint32_t *nodes = base_allocate((from->nnodes + (size_t)1), sizeof *nodes);
    ARRAY_OF(kpx_node) made = {0};
    base_map made_of = {0};
    for (uint32_t i = 0; i < from->nnodes; i++) {
        const trace_total_node *n = &from->nodes[i];
        kpx_node node = {n->rank, n->pid, n->thread, n->elapsed, n->overhead};
        uint64_t process = (uint64_t)(n->rank + 1) * 0x9e3779b97f4a7c15u + (uint64_t)n->pid;
        bool is_thread = by_process && n->thread >= 0;
        uint64_t known = is_thread ? map_get(&made_of, process) : MAP_ABSENT;
        nodes[i] = known == MAP_ABSENT ? made.n : known;
        if (known != MAP_ABSENT) {
            kpx_node *of = &made.at[known];
            of->elapsed = n->elapsed > of->elapsed ? n->elapsed : of->elapsed;
            kpx_add_amount(&of->overhead, n->overhead);
            continue;
        }
        node.thread = is_thread ? KPX_UNOBSERVED : n->thread;
        if (is_thread)
            map_set(&made_of, process, made.n);
        ARRAY_PUSH(made, node);
    }
    for (uint32_t i = 0; i < made.n; i++)
        kpx_totals_add_node(totals, &made.at[i]);
    free(made.at);
    map_free(&made_of);
    return nodes;
}

// Traces of earlier versions have no files, only names at the statements.
static void read_data_files(kpx_totals *totals, const trace *t, const trace_totals *from,
                            const uint32_t *nodes)
{
    for (uint32_t i = 0; i < from->nfiles; i++) {
        const trace_data_file *f = &from->files[i];
        kpx_totals_add_data_file(
            totals, &(kpx_data_file){text_of(t, f->name), text_of(t, f->label), f->number, f->share});
    }
    for (uint32_t i = 0; i < from->nfile_measures; i++) {
        const trace_measure *m = &from->file_measures[i];
        add_measure(kpx_totals_data_measure(totals, m->total, nodes[m->node]), m);
    }
    kpx_totals_report_data_total(totals, from->files_reported);
    kpx_totals_sum_data_files(totals);
}

kpx_totals *kpx_totals_of_trace(const trace *t, bool by_process)
{
    const trace_totals *from = trace_get_totals(t);
    if (!from)
        return NULL;
    kpx_totals *totals = kpx_totals_create(trace_program(t), (kpx_totals_clock)from->clock);
    uint32_t *nodes = read_nodes(totals, from, by_process);
    for (uint32_t i = 0; i < KPX_ITEM_KINDS; i++) {
        if (from->tables[i].observed)
            kpx_totals_observe(totals, (kpx_item_kind)i);
        kpx_totals_report_total(totals, (kpx_item_kind)i, from->tables[i].reported);
    }
    read_places(totals, t, from);
    for (uint32_t i = 0; i < from->nmeasures; i++) {
        const trace_measure *m = &from->measures[i];
        add_measure(kpx_totals_measure(totals, m->total, nodes[m->node]), m);
    }
    read_data_files(totals, t, from, nodes);
    if (from->messages)
        kpx_totals_observe_messages(totals);
    for (uint32_t i = 0; i < from->ntraffic; i++) {
        const trace_traffic *pair = &from->traffic[i];
        kpx_totals_message(totals, nodes[pair->from], nodes[pair->to], pair->messages, pair->bytes);
    }
    free(nodes);
    return totals;
}
