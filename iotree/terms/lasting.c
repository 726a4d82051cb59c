// SPDX-License-Identifier: MIT
//
// Names that outlast edits. A construct of a measured run is named after its line ("region heat.c:31"), which
// moves when a line is added above. What stays is its kind, its file or function, and which of these it is
// in the order of the text.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "iotree/iotree.h"

typedef struct {
    const char *name;
    uint32_t line, module;
} place;

// "region heat.c:31" without ":31", if that is the module's line. malloc'ed.
static char *without_line(const trace *t, uint32_t module)
{
    char *name = base_copy(trace_module_name(t, module));
    uint32_t line = trace_get_module(t, module)->line;
    char *suffix = base_format(":%u", line);
    size_t n = strlen(name), m = strlen(suffix);
    if (line && n > m && !strcmp(name + n - m, suffix))
        name[n - m] = 0;
    free(suffix);
    return name;
}

static int by_name_and_line(const void *x, const void *y)
{
    const place *a = x, *b = y;
    int names = strcmp(a->name, b->name);
    if (names)
        return names;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->module < b->module ? -1 : a->module > b->module;
}

iot_lasting *iot_lasting_names(const trace *t)
{
    uint32_t n = trace_nmodules(t);
    iot_lasting *names = base_allocate(n, sizeof *names);
    place *order = base_allocate(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        names[i].name = trace_is_measured(t) ? without_line(t, i) : base_copy(trace_module_name(t, i));
        order[i] = (place){names[i].name, trace_get_module(t, i)->line, i};
    }
    if (n)
        qsort(order, n, sizeof *order, by_name_and_line);
    for (uint32_t i = 0; i < n; i++) {
        bool same = i > 0 && !strcmp(order[i - 1].name, order[i].name);
        names[order[i].module].ordinal = same ? names[order[i - 1].module].ordinal + 1 : 1;
    }
    free(order);
    return names;
}

void iot_lasting_free(const trace *t, iot_lasting *names)
{
    for (uint32_t i = 0; names && i < trace_nmodules(t); i++)
        free(names[i].name);
    free(names);
}
