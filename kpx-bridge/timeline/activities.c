// SPDX-License-Identifier: MIT
//
// Tables of sources, places and constructs, and the activities, edges and values that refer to
// them.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/varint.h"
#include "kpx-bridge/log/encoding.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/timeline/activities_private.h"

kpx_activities *kpx_activities_create(void)
{
    return base_allocate(1, sizeof(kpx_activities));
}

void kpx_set_progress(kpx_activities *m, kpx_progress progress)
{
    m->progress = progress;
}

void kpx_tell_progress(const kpx_activities *m, double part)
{
    if (m->progress.tell)
        m->progress.tell(m->progress.data, part);
}

void kpx_activities_destroy(kpx_activities *m)
{
    for (uint32_t i = 0; i < m->sources.n; i++) {
        free(m->sources.at[i].path);
        free(m->sources.at[i].text);
    }
    for (uint32_t i = 0; i < m->places.n; i++)
        free(m->places.at[i]);
    for (uint32_t i = 0; i < m->constructs.n; i++) {
        free(m->constructs.at[i].module);
        free(m->constructs.at[i].name);
    }
    free(m->sources.at);
    free(m->places.at);
    free(m->constructs.at);
    STORE_FREE(m->activities);
    STORE_FREE(m->arrows);
    STORE_FREE(m->values);
    free(m->dropped.at);
    free(m->open);
    kpx_totals_destroy(m->totals);
    free(m);
}

// ---- Tables ---------------------------------------------------------------------------------

uint32_t kpx_add_source(kpx_activities *m, const char *path)
{
    if (!path)
        return KPX_NONE;
    for (uint32_t i = 0; i < m->sources.n; i++)
        if (strcmp(m->sources.at[i].path, path) == 0)
            return i;
    kpx_source source = {.path = base_copy(path)};
    source.text = kpx_as_utf8(kpx_read_source(path, &source.length), &source.length);
    ARRAY_PUSH(m->sources, source);
    return m->sources.n - 1;
}

uint32_t kpx_add_place(kpx_activities *m, const char *name)
{
    ARRAY_PUSH(m->places, base_copy(name));
    return m->places.n - 1;
}

uint32_t kpx_add_construct(kpx_activities *m, const char *module, trace_kind of, kpx_doing doing,
                           uint32_t source, uint32_t line)
{
    for (uint32_t i = m->constructs.n; i > 0; i--) {
        const kpx_construct *c = &m->constructs.at[i - 1];
        if (c->line == line && c->source == source && c->waits == doing.waits &&
            c->kind == doing.kind && strcmp(c->module, module) == 0 &&
            strcmp(c->name, doing.name) == 0)
            return i - 1;
    }
    ARRAY_PUSH(m->constructs, ((kpx_construct){.module = base_copy(module),
                                               .name = base_copy(doing.name),
                                               .of = of,
                                               .kind = doing.kind,
                                               .waits = doing.waits,
                                               .source = source,
                                               .line = line}));
    return m->constructs.n - 1;
}

uint32_t kpx_construct_line(const kpx_activities *m, uint32_t construct, const char **ret_file)
{
    const kpx_construct *c = &m->constructs.at[construct];
    *ret_file = c->source == KPX_NONE ? NULL : m->sources.at[c->source].path;
    return c->line;
}

const char *kpx_construct_module(const kpx_activities *m, uint32_t construct)
{
    return m->constructs.at[construct].module;
}

trace_kind kpx_construct_kind(const kpx_activities *m, uint32_t construct)
{
    return m->constructs.at[construct].kind;
}

const char *kpx_source_text(const kpx_activities *m, uint32_t source, size_t *ret_length)
{
    *ret_length = m->sources.at[source].length;
    return m->sources.at[source].text;
}

uint32_t kpx_add_sibling(kpx_activities *m, uint32_t construct, kpx_doing doing)
{
    const kpx_construct *c = &m->constructs.at[construct];
    return kpx_add_construct(m, c->module, c->of, doing, c->source, c->line);
}

uint32_t kpx_add_within(kpx_activities *m, uint32_t construct, trace_kind of, const char *called,
                        kpx_doing doing)
{
    const kpx_construct c = m->constructs.at[construct];
    char *module = c.source != KPX_NONE && c.line
                       ? base_format("%s in %s:%u", called,
                                     kpx_base_name(m->sources.at[c.source].path), c.line)
                       : base_format("%s in unknown", called);
    uint32_t made = kpx_add_construct(m, module, of, doing, c.source, c.line);
    free(module);
    return made;
}

// ---- Activities -----------------------------------------------------------------------------

uint32_t kpx_add_activity(kpx_activities *m, uint32_t construct, uint32_t place, uint32_t maker,
                          uint64_t start, uint64_t end)
{
    uint64_t least = maker == KPX_NONE ? 0 : m->activities.at[maker].end;
    if (start < least || end < least)
        m->clock_faults++;
    end = end < least ? least : end;
    start = start < least ? least : start;
    STORE_PUSH(m->activities, ((kpx_activity){.start = start > end ? end : start,
                                              .end = end,
                                              .construct = construct,
                                              .place = place,
                                              .maker = maker,
                                              .first_value = m->values.n}));
    return (uint32_t)m->activities.n - 1;
}

kpx_stored_value kpx_take_value(const uint8_t **at)
{
    trace_key key = (trace_key)*(*at)++;
    return (kpx_stored_value){key, unzigzag(varint_get(at))};
}

static void add_value(kpx_activities *m, uint32_t activity, kpx_stored_value v)
{
    kpx_activity *a = &m->activities.at[activity];
    kpx_construct *c = &m->constructs.at[a->construct];
    uint8_t packed[1 + VARINT_LONGEST] = {(uint8_t)v.key};
    const uint8_t *end = varint_put(packed + 1, zigzag(v.number));
    for (const uint8_t *at = packed; at < end; at++)
        STORE_PUSH(m->values, *at);
    a->nvalues++;
    if (c->nvalues < a->nvalues)
        c->nvalues = a->nvalues;
}

void kpx_add_value(kpx_activities *m, uint32_t activity, trace_key key, int64_t number)
{
    add_value(m, activity, (kpx_stored_value){key, number});
}

void kpx_add_schedule(kpx_activities *m, uint32_t activity, trace_schedule schedule)
{
    add_value(m, activity, (kpx_stored_value){TRACE_KEY_SCHEDULE, schedule});
}

void kpx_add_arrow(kpx_activities *m, uint32_t from, uint32_t to, trace_edge edge)
{
    if (from != KPX_NONE && to != KPX_NONE)
        STORE_PUSH(m->arrows, ((kpx_arrow){from, to, edge}));
}

void kpx_tell_open(kpx_activities *m, uint32_t place, char *text)
{
    char *all = base_format("%s%s%s was still in %s", m->open ? m->open : "", m->open ? "; " : "",
                            m->places.at[place], text);
    free(m->open);
    free(text);
    m->open = all;
}

const char *kpx_open_calls(const kpx_activities *m)
{
    return m->open;
}

void kpx_set_machine(kpx_activities *m, const trace_machine *machine)
{
    m->machine = *machine;
}

void kpx_add_loss(kpx_activities *m, uint32_t place, uint64_t kept, uint64_t seen, bool capped)
{
    const uint64_t most = TRACE_MOST_EVENTS; // a damaged log may claim more
    seen = seen < most ? seen : most;
    if (kept < seen)
        ARRAY_PUSH(m->dropped, ((trace_dropped){place, kept, seen, capped}));
}

void kpx_add_totals(kpx_activities *m, kpx_totals *totals)
{
    m->totals = totals;
}

uint32_t kpx_nplaces(const kpx_activities *m)
{
    return m->places.n;
}

uint32_t kpx_nactivities(const kpx_activities *m)
{
    return (uint32_t)m->activities.n;
}

uint64_t kpx_activity_end(const kpx_activities *m, uint32_t activity)
{
    return m->activities.at[activity].end;
}

uint32_t kpx_clock_faults(const kpx_activities *m)
{
    return m->clock_faults;
}
