// SPDX-License-Identifier: MIT
//
// Prints the activities of a trace, in the order in which each ended in the replay, for tests:
//   PLACE|START|END|MODULE|NAME|VALUES
// Times are nanoseconds; values are as in `depth=2 iterations=7`.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/trace_reader.h"

static const char *text_of(const trace *t, uint32_t string)
{
    return trace_string(t, string, NULL);
}

static void print_values(const trace *t, uint32_t goal, uint32_t n)
{
    const char *before = "";
    for (uint32_t i = 0; i < n; i++) {
        trace_value v = trace_goal_arg(t, goal, i);
        if (v.kind != TV_CELL || trace_cell_arity(t, v.id) != 1)
            continue; // the activity has no such value
        trace_value value = trace_cell_arg(t, v.id, 0);
        printf("%s%s=", before, text_of(t, trace_cell_name(t, v.id)));
        if (value.kind == TV_INT)
            printf("%" PRId64, value.i);
        else
            fputs(text_of(t, value.id), stdout);
        before = " ";
    }
    putchar('\n');
}

static void print_activity(const trace *t, uint32_t r)
{
    uint32_t goal = trace_reduction_goal(t, r);
    const trace_predicate *p = trace_get_predicate(t, trace_goal_predicate(t, goal));
    const char *place = trace_place_name(t, trace_place(t, r));
    printf("%s|%" PRId64 "|%" PRId64 "|%s|%s|", place ? place : "-", trace_start(t, r),
           trace_end(t, r), trace_module_name(t, p->module), text_of(t, p->name));
    print_values(t, goal, p->arity);
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    if (!t) {
        fprintf(stderr, "%s\n", error ? error : "usage: print_timeline FILE.paf");
        free(error);
        return 1;
    }
    for (uint32_t r = 1; r < trace_nreductions(t); r++)
        print_activity(t, r);
    trace_close(t);
    return 0;
}
