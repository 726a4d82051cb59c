// SPDX-License-Identifier: MIT
//
// The totals of a program in memory: what is the same place is one item, what was not observed
// stays so, sums over nodes.
#include "kpx-bridge/timeline/activities.h"
#include "kpx-bridge/totals/totals.h"
#include "profiler/trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "not so: %s\n", what);
        failures++;
    }
}

static void check_items(kpx_totals *t)
{
    kpx_item unit = kpx_item_of(KPX_UNIT), loop = kpx_item_of(KPX_LOOP);
    char name[] = "SOLVE";
    unit.name = name;
    unit.file = kpx_totals_file(t, "src/solve.f");
    unit.line = 3;
    uint32_t solve = kpx_totals_item(t, &unit);
    name[0] = 'X';
    check(strcmp(kpx_totals_get_item(t, solve)->name, "SOLVE") == 0, "texts are copied");
    name[0] = 'S';
    check(kpx_totals_item(t, &unit) == solve, "the same unit is one item");
    check(kpx_totals_file(t, "src/solve.f") == unit.file, "the same path is one file");
    check(kpx_totals_file(t, "lib/solve.f") != unit.file, "another path is another file");
    check(kpx_totals_file(t, NULL) == KPX_NO_ITEM, "no path is no file");
    loop.unit = solve;
    loop.line = 10;
    loop.label = "20";
    uint32_t labelled = kpx_totals_item(t, &loop);
    loop.label = NULL;
    check(kpx_totals_item(t, &loop) != labelled, "another label is another loop");
    loop.label = "20";
    check(kpx_totals_item(t, &loop) == labelled, "the same loop is one item");
    check(!kpx_totals_observed(t, KPX_LOOP), "a loop that is known need not have been measured");
    kpx_totals_measure(t, labelled, 0)->times = 0;
    check(kpx_totals_observed(t, KPX_LOOP), "who measures a loop looked for loops");
    check(!kpx_totals_observed(t, KPX_IO), "nobody looked for input and output");
}

static void check_measures(kpx_totals *t)
{
    const kpx_node nodes[] = {{0, 100, KPX_UNOBSERVED, 5, KPX_UNOBSERVED},
                              {1, 101, KPX_UNOBSERVED, 6, KPX_UNOBSERVED}};
    for (int i = 0; i < 2; i++)
        kpx_totals_add_node(t, &nodes[i]);
    kpx_measure *m = kpx_totals_measure(t, 0, 1);
    check(m->times == KPX_UNOBSERVED && m->time == KPX_UNOBSERVED, "nothing is observed at first");
    m->times = 4;
    m = kpx_totals_measure(t, 0, 0);
    m->times = 3;
    m->time = INT64_MAX;
    kpx_totals_measure(t, 0, 1)->time = 1;
    kpx_measure sum = kpx_totals_sum(t, 0);
    check(sum.times == 7, "times are added up over nodes");
    check(sum.time == INT64_MAX, "sums do not overflow");
    check(sum.rotation == KPX_UNOBSERVED, "what no node observed is not observed");
    check(kpx_totals_get(t, 2, 0).times == KPX_UNOBSERVED, "an item without measures has none");
}

static void check_messages(kpx_totals *t)
{
    check(!kpx_totals_messages_observed(t), "messages are not observed by themselves");
    kpx_totals_message(t, 0, 1, 2, 80);
    kpx_totals_message(t, 1, 0, 1, 8);
    kpx_totals_message(t, 0, 1, 1, 20);
    check(kpx_totals_ntraffic(t) == 2, "one pair, one direction, one entry");
    const kpx_traffic *first = kpx_totals_get_traffic(t, 0);
    check(first->messages == 3 && first->bytes == 100, "messages are added up");
}

// What a trace of them holds is the same, with the names of files in place of paths.
static void check_trace(kpx_totals *t)
{
    char path[] = "/tmp/totals-XXXXXX", *error = NULL;
    int fd = mkstemp(path);
    kpx_activities *m = kpx_activities_create();
    kpx_add_totals(m, t);
    check(fd >= 0 && kpx_write(m, path, "a.out", NULL, true, 0, "", &error), "totals alone are a trace");
    trace *file = trace_open(path, NULL, NULL, &error);
    check(file && !error, "the trace is sound");
    check(file && trace_nreductions(file) == 0, "there is no history");
    kpx_totals *again = file ? kpx_totals_of_trace(file, false) : NULL;
    check(again != NULL, "the trace has totals");
    if (again) {
        check(kpx_totals_nitems(again) == kpx_totals_nitems(t), "all items are there");
        const kpx_item *loop = kpx_totals_get_item(again, 1);
        check(loop->unit == 0 && loop->line == 10 && strcmp(loop->label, "20") == 0, "the loop");
        check(strcmp(kpx_totals_get_file(again, kpx_totals_get_item(again, 0)->file), "solve.f") == 0,
              "the unit's source");
        check(kpx_totals_get(again, 0, 1).times == 4 && kpx_totals_get(again, 0, 0).times == 3 &&
                  kpx_totals_get(again, 0, 1).rotation == KPX_UNOBSERVED,
              "measures by node");
        check(kpx_totals_get_node(again, 1)->pid == 101, "nodes");
        check(kpx_totals_ntraffic(again) == 2 && kpx_totals_get_traffic(again, 0)->bytes == 100,
              "messages");
        check(kpx_totals_observed(again, KPX_UNIT) && !kpx_totals_observed(again, KPX_IO),
              "what was looked for");
    }
    kpx_totals_destroy(again);
    trace_close(file);
    free(error);
    kpx_activities_destroy(m);
    unlink(path);
    close(fd);
}

int main(void)
{
    kpx_totals *t = kpx_totals_create("a.out", KPX_CLOCK_ELAPSED);
    check_items(t);
    check_measures(t);
    check_messages(t);
    check_trace(t); // and takes them
    kpx_totals_destroy(NULL);
    return failures > 0;
}
