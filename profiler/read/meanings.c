// SPDX-License-Identifier: MIT
//
// Strings that have a meaning in a measured run: keys of arguments, schedules, edges.
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"
#include "profiler/trace_reader.h"

bool trace_load_meanings(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->run.clock != TRACE_MEASURED)
        return trace_refuse(l, "meanings in a run that was not measured");
    for (l->record = 0; l->record < count; l->record++) {
        meaning_record r = {0};
        get_meaning(&l->columns[0], &l->k, &r);
        if (!trace_column_sound(l, &l->columns[0]))
            return false;
        if (r.string >= t->strings.n)
            return trace_refuse(l, "a string that does not exist");
        t->strings.at[r.string].means[r.table] = r.number;
    }
    return true;
}

static trace_number meaning_of(const trace *t, uint32_t string, meaning_table table)
{
    return string < t->strings.n ? t->strings.at[string].means[table] : 0;
}

trace_key trace_string_key(const trace *t, uint32_t string)
{
    return meaning_of(t, string, MEANS_KEY);
}

trace_schedule trace_string_schedule(const trace *t, uint32_t string)
{
    return meaning_of(t, string, MEANS_SCHEDULE);
}

trace_edge trace_string_edge(const trace *t, uint32_t string)
{
    return meaning_of(t, string, MEANS_EDGE);
}
