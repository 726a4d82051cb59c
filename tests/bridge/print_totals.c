// SPDX-License-Identifier: MIT
//
// Prints the totals of a trace, a line per item and node, for tests:
//   KIND UNIT SEQ LABEL LINE FILE DEFINITE TYPE NUMBER | RANK THREAD TIMES ROTATION TIME INCLUSIVE
// What is not known is `-`; times are nanoseconds.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kpx-bridge/totals/totals.h"
#include "kpx-bridge/log/names.h"
#include "profiler/trace_reader.h"

static void put(int64_t number)
{
    if (number == KPX_UNOBSERVED)
        fputs(" -", stdout);
    else
        printf(" %" PRId64, number);
}

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static void print_item(const kpx_totals *t, uint32_t i)
{
    static const char *const kinds[] = {"unit", "loop", "io", "call"};
    const kpx_item *item = kpx_totals_get_item(t, i);
    const char *unit = item->kind == KPX_UNIT        ? item->name
                       : item->unit == KPX_NO_ITEM ? NULL
                                                   : kpx_totals_get_item(t, item->unit)->name;
    const char *file =
        item->file == KPX_NO_ITEM ? NULL : kpx_base_name(kpx_totals_get_file(t, item->file));
    for (uint32_t node = 0; node < kpx_totals_nnodes(t); node++) {
        kpx_measure m = kpx_totals_get(t, i, node);
        const kpx_node *n = kpx_totals_get_node(t, node);
        printf("%s %s %" PRIu32 " %s %" PRIu32 " %s %d %s", kinds[item->kind], or_dash(unit), item->seq,
               or_dash(item->label), item->line, or_dash(file), item->definite, or_dash(item->type));
        put(item->number);
        fputs(" |", stdout);
        put(n->rank), put(n->thread);
        put(m.times), put(m.rotation), put(m.time), put(m.inclusive);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    kpx_totals *totals = t ? kpx_totals_of_trace(t, false) : NULL;
    if (!totals) {
        fprintf(stderr, "%s\n", error ? error : "no totals");
        free(error);
        return 1;
    }
    for (uint32_t i = 0; i < kpx_totals_nitems(totals); i++)
        print_item(totals, i);
    kpx_totals_destroy(totals);
    trace_close(t);
    return 0;
}
