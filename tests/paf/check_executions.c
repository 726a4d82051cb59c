// SPDX-License-Identifier: MIT
//
// Stretches that tell how many executions were open become these executions, in levels.
//
//   check_executions FILE.paf (it is written)
#include "kpx-bridge/timeline/activities.h"
#include "paf/model/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *module; // without file and line
    trace_key depth;    // of its value, or none
    int64_t open;
    uint64_t start, end;
} stretch;

static const stretch stretches[] = {
    {"computation", TRACE_KEY_NONE, 0, 0, 10},  {"main", TRACE_KEY_DEPTH, 1, 10, 20},
    {"solve", TRACE_KEY_DEPTH, 2, 20, 30},    {"MPI_Recv", TRACE_KEY_WITHIN, 2, 30, 45},
    {"solve", TRACE_KEY_DEPTH, 2, 45, 50},    {"inner", TRACE_KEY_DEPTH, 3, 50, 60},
    {"other", TRACE_KEY_DEPTH, 3, 60, 65},    {"main", TRACE_KEY_DEPTH, 1, 65, 70},
    {"solve", TRACE_KEY_DEPTH, 2, 70, 75},    {"main", TRACE_KEY_DEPTH, 1, 75, 80},
    {"computation", TRACE_KEY_NONE, 0, 80, 90}, {"late", TRACE_KEY_DEPTH, 2, 100, 120},
};

static const struct {
    uint32_t level;
    const char *module; // NULL: not known
    int64_t start, end;
} expected[] = {
    {0, "main", 10, 80},  {0, NULL, 100, 120}, {1, "solve", 20, 65},  {1, "solve", 70, 75},
    {1, "late", 100, 120}, {2, "inner", 50, 60}, {2, "other", 60, 65},
};

static bool write_trace(const char *path, char **ret_error)
{
    kpx_activities *m = kpx_activities_create();
    uint32_t place = kpx_add_place(m, "thread 0"), last = KPX_NONE;
    for (size_t i = 0; i < G_N_ELEMENTS(stretches); i++) {
        const stretch *s = &stretches[i];
        uint32_t construct = kpx_add_construct(m, s->module, TRACE_KIND_ROUTINE,
                                               kpx_doing_of(TRACE_KIND_ROUTINE), KPX_NONE, 0);
        last = kpx_add_activity(m, construct, place, last, s->start, s->end);
        if (s->depth)
            kpx_add_value(m, last, s->depth, s->open);
    }
    bool good = kpx_write(m, path, "program", NULL, true, 0, "", ret_error);
    kpx_activities_destroy(m);
    return good;
}

static int check(const iot *a)
{
    paf_timeline *l = paf_timeline_create(a, IOT_REAL_TIME);
    int failures = 0;
    uint32_t n = l->first_execution[l->nlevels];
    if (l->nlevels != 3 || n != G_N_ELEMENTS(expected)) {
        fprintf(stderr, "%u executions on %u levels\n", n, l->nlevels);
        failures++;
    }
    for (uint32_t i = 0; failures == 0 && i < n; i++) {
        const paf_execution *x = &l->executions[i];
        const char *module = x->module == IOT_NONE ? NULL : iot_get_module(a, x->module)->name;
        bool here = i >= l->first_execution[expected[i].level] &&
                    i < l->first_execution[expected[i].level + 1];
        if (!here || g_strcmp0(module, expected[i].module) != 0 || x->start != expected[i].start ||
            x->end != expected[i].end) {
            fprintf(stderr, "execution %u: %s from %d to %d\n", i, module ? module : "not known",
                    (int)x->start, (int)x->end);
            failures++;
        }
    }
    if (failures == 0 && (paf_timeline_execution(l, 0, 1, 64) != 2 ||
                          paf_timeline_execution(l, 0, 1, 65) != 3)) {
        fprintf(stderr, "what is open at a time is not found\n");
        failures++;
    }
    paf_timeline_destroy(l);
    return failures;
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 && write_trace(argv[1], &error)
                   ? trace_open(argv[1], NULL, NULL, &error)
                   : NULL;
    if (!t) {
        fprintf(stderr, "%s\n", error ? error : "usage: check_executions FILE.paf");
        free(error);
        return 1;
    }
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    int failures = check(a);
    iot_partition_destroy(p);
    iot_destroy(a);
    trace_close(t);
    return failures > 0;
}
