// SPDX-License-Identifier: MIT
//
// The analyses on traces made by hand, with the figures that the definitions give.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "examples.h"
#include "story.h"

static void check_profile(const iot *a, iot_quantity q, uint32_t module, uint32_t n,
                          const uint64_t *want)
{
    iot_bucket *got = calloc(n, sizeof *got);
    iot_profile(a, q, module, 1, 1, n, got);
    for (uint32_t i = 0; i < n; i++)
        CHECK_IS((int64_t)got[i].sum, (int64_t)want[i]);
    free(got);
}

static void test_append(void)
{
    trace *t = append_run();
    iot *a = analyse(t, NULL);
    CHECK_IS((int64_t)iot_work(a), 12);
    CHECK_IS(iot_span(a), 9);
    CHECK_IS(iot_suspended(a), 0);
    CHECK_IS(iot_nmodules(a), 3);
    CHECK(!strcmp(iot_get_module(a, 1)->name, "gen"));
    CHECK(!strcmp(iot_get_module(a, 2)->name, "append"));
    CHECK_IS((int64_t)iot_get_module(a, 0)->work, 1);
    CHECK_IS((int64_t)iot_get_module(a, 1)->work, 7);
    CHECK_IS((int64_t)iot_get_module(a, 2)->work, 4);
    CHECK_IS(iot_get_module(a, 2)->first, 3);
    CHECK_IS(iot_get_module(a, 2)->last, 9);
    CHECK_IS((int64_t)iot_get_module(a, 2)->waiting, 4);
    CHECK_IS((int64_t)iot_get_module(a, 1)->waiting, 3);
    check_profile(a, IOT_REDUCTIONS, IOT_NONE, 9, (uint64_t[]){1, 1, 2, 1, 2, 1, 2, 1, 1});
    check_profile(a, IOT_REDUCTIONS, 1, 9, (uint64_t[]){0, 1, 1, 1, 1, 1, 1, 1, 0});
    check_profile(a, IOT_WAITING, 2, 9, (uint64_t[]){0, 1, 0, 1, 0, 1, 0, 1, 0});
    check_profile(a, IOT_WAITING, 1, 9, (uint64_t[]){0, 0, 1, 0, 1, 0, 1, 0, 0});
    iot_bucket wide[3];
    iot_profile(a, IOT_REDUCTIONS, IOT_NONE, 0, 4, 3, wide);
    CHECK_IS((int64_t)wide[0].sum, 4);
    CHECK_IS((int64_t)wide[1].sum, 6);
    CHECK_IS((int64_t)wide[1].peak, 2);
    CHECK_IS((int64_t)wide[2].sum, 2);
    CHECK_TEXT(trees_text(a, 2), "append(S,[x],Z) created @1\n"
                                 "{[S=[1|S1] @3 (2)], [Z=[1|Z1] @3]}\n"
                                 "  {[S1=[2|S2] @5 (4)], [Z1=[2|Z2] @5]}\n"
                                 "    {[S2=[3|S3] @7 (6)], [Z2=[3|Z3] @7]}\n"
                                 "      {[S3=[] @9 (8)], [Z3=[x] @9]}\n");
    CHECK_TEXT(trees_text(a, 1),
               "gen(1,3,S) created @1\n"
               "{[arg1=1 @2 (1), arg2=3 @2 (1)], [S=[1|S1] @2, N1=2 @3, S1=[2|S2] @4, N2=3 @5, "
               "S2=[3|S3] @6, S3=[] @8]}\n");
    CHECK_IS(iot_critical_length(a), 9);
    CHECK_IS(iot_ncritical_rows(a), 4);
    CHECK_IS(iot_ndependencies(a), 1);
    const iot_dependency *d = iot_get_dependency(a, 0);
    CHECK_IS((int64_t)d->from, 1);
    CHECK_IS((int64_t)d->to, 2);
    CHECK_IS((int64_t)d->count, 4);
    CHECK_IS((int64_t)d->wait, 4);
    CHECK_IS((int64_t)d->lag, 0);
    CHECK_IS(iot_nunneeded(a), 0);
    iot_destroy(a);
    trace_close(t);
}

static void test_t1_t2(void)
{
    trace *t = reverse_run(true);
    iot *a = analyse(t, NULL);
    CHECK_IS((int64_t)iot_work(a), 21);
    CHECK_IS(iot_span(a), 16);
    CHECK_TEXT(trees_text(a, 2),
               "t1(S,[],C) created @1\n"
               "{[S=[1|S1] @3 (2), S1=[2|S2] @5 (4), S2=[3|S3] @7 (6), S3=[4|S4] @9 (8), "
               "S4=[] @11 (10)], [C=[4,3,2,1] @16]}\n");
    CHECK_IS(iot_nunneeded(a), 1);
    const iot_unneeded *u = iot_get_unneeded(a, 0);
    CHECK_IS(u->span_without, 11);
    CHECK_IS(u->count, 1);
    CHECK_IS((int64_t)u->delay, 9);
    CHECK(!strcmp(trace_string(t, u->output, NULL), "D"));
    CHECK(!strcmp(trace_string(t, u->input, NULL), "B"));
    CHECK_IS(trace_get_clause(t, u->clause)->line, 7);
    iot_destroy(a);
    trace_close(t);

    t = reverse_run(false);
    a = analyse(t, NULL);
    CHECK_IS((int64_t)iot_work(a), 21);
    CHECK_IS(iot_span(a), 11);
    CHECK_TEXT(trees_text(a, 2),
               "t2(S,[],C) created @1\n"
               "{[S=[1|S1] @3 (2), S1=[2|S2] @5 (4), S2=[3|S3] @7 (6), S3=[4|S4] @9 (8), "
               "S4=[] @11 (10)], [C=[4,3,2,1] @11]}\n");
    CHECK_IS(iot_nunneeded(a), 0);
    iot_destroy(a);
    trace_close(t);
}

int main(int argc, char **argv)
{
    test_append();
    test_t1_t2();
    test_partition();
    test_prices();
    test_terms();
    test_trees();
    test_simulation(argc > 1 ? 10 * (uint32_t)atoi(argv[1]) : 5000);
    test_random(argc > 1 ? (uint32_t)atoi(argv[1]) : 200);
    printf("%d passed, %d failed\n", npassed, nfailed);
    return nfailed != 0;
}
