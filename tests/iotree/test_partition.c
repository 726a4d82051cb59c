// SPDX-License-Identifier: MIT
//
// Partitions: as text, as defaults, and which processes they make.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "examples.h"
#include "story.h"

static void refused(const trace *t, const char *text, const char *says)
{
    char *error = NULL;
    iot_partition *p = iot_partition_parse(t, text, &error);
    CHECK(!p && error && strstr(error, says));
    if (error && !strstr(error, says))
        printf("`%s`: got `%s`, should say `%s`\n", text, error, says);
    iot_partition_destroy(p);
    free(error);
}

static void round_trip(const trace *t, const char *text, const char *want)
{
    char *error = NULL;
    iot_partition *p = iot_partition_parse(t, text, &error);
    check_no_error(error);
    char *again = p ? iot_partition_text(t, p) : NULL;
    CHECK_TEXT(again, want);
    iot_partition_destroy(p);
    if (!p)
        return;
    p = iot_partition_parse(t, want, &error);
    check_no_error(error);
    CHECK_TEXT(iot_partition_text(t, p), want);
    iot_partition_destroy(p);
}

static void test_text(void)
{
    trace *t = append_run();
    round_trip(t, "a=append/3", "a=append/3");
    round_trip(t, " a = append/3 , gen/3\n b=main/1", "a=append/3,gen/3\nb=main/1");
    round_trip(t, "# gen/3 alone\n% or\na=gen/3 % here\n a=append/3", "a=gen/3,append/3");
    round_trip(t, "x=#2 'two words'=user:gen/3", "x=#2\n'two words'=gen/3");
    round_trip(t, "gen$1=gen/3", "gen$1=gen/3");
    round_trip(t, "", "");
    refused(t, "a=gen$1/2", "no predicate gen$1/2");
    refused(t, "a=append/2", "no predicate append/2 (it has append/3)");
    refused(t, "a=b:gen/3", "no predicate b:gen/3");
    refused(t, "a=':='/2", "built-in");
    refused(t, "a=append/3 b=append/3", "entry of both a and b");
    refused(t, "a=#99", "no goal #99");
    refused(t, "a=append", "expected an entry");
    refused(t, "append/3", "expected NAME=");
    refused(t, "a=", "expected an entry");
    refused(t, "a=append/3,", "expected an entry");
    refused(t, "'a=append/3", "not closed");
    refused(t, "a=append/99999999999999", "no predicate");
    iot_partition *p = iot_partition_default(t);
    CHECK_TEXT(iot_partition_text(t, p), "gen=gen/3\nappend=append/3");
    iot_partition_destroy(p);
    trace_close(t);
}

// One goal as the entry: what it makes is its process, but the same predicate elsewhere is not.
static void test_goal_entry(void)
{
    trace *t = append_run();
    iot *a = analyse(t, "rest=#4");
    CHECK_IS((int64_t)iot_get_module(a, 0)->work, 7);
    CHECK_IS((int64_t)iot_get_module(a, 1)->work, 5);
    CHECK_IS(iot_nprocesses(a), 2);
    CHECK_IS(iot_get_process(a, 1)->goal, 4);
    CHECK_IS(iot_get_process(a, 1)->created, 2);
    CHECK(iot_starts_process(a, 4));
    CHECK(!iot_starts_process(a, 0));
    iot_destroy(a);
    trace_close(t);
}

// p/1 calls q/1 calls p/1 ...: an inner p starts a process of its own, as a q stands between.
static void test_nested(void)
{
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false), p = predicate(s, "p", 1, false);
    uint32_t q = predicate(s, "q", 1, false);
    uint32_t begin = clause(s, start, 0, 1, "", "", "p(X), p(Y)");
    uint32_t p_clause = clause(s, p, 1, 2, "", "A", "p(A), q(A)");
    uint32_t p_end = clause(s, p, 2, 3, "", "A", "A=1");
    uint32_t q_clause = clause(s, q, 1, 4, "", "A", "p(A)");
    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    values x = {{cell(0)}};
    reduce(s, 0, p_clause, 1, (cells){0}, x); // goals 2: p, 3: q
    reduce(s, 2, p_clause, 2, (cells){0}, x); // goals 4: p, 5: q
    reduce(s, 3, q_clause, 2, (cells){0}, x); // goal 6: p
    reduce(s, 6, p_end, 3, (cells){0}, x);
    waits(s, 5, 0);
    trace *t = story_end(s);

    iot *a = analyse(t, "p=p/1 q=q/1");
    CHECK_IS(iot_nprocesses(a), 3); // p(X); its q; the p of that; p(Y) and the other q wait
    CHECK_IS(iot_get_process(a, 0)->members, 2);
    CHECK_IS(iot_get_process(a, 1)->module, 2);
    CHECK_IS(iot_get_process(a, 2)->module, 1);
    CHECK_IS(iot_get_module(a, 1)->processes, 2);
    CHECK_IS(iot_suspended(a), 3);
    CHECK_IS(iot_module_of_goal(a, 5), 2);
    CHECK(iot_starts_process(a, 5));
    CHECK(!iot_starts_process(a, 4));
    CHECK_IS((int64_t)iot_get_module(a, 1)->waiting, 3 + 1); // p(Y), and goal 4 at time 3
    CHECK_IS((int64_t)iot_get_module(a, 2)->waiting, 1);     // goal 5 at time 3
    CHECK_IS((int64_t)iot_get_module(a, 0)->work, 0);
    iot_destroy(a);

    a = analyse(t, "main=q/1"); // a module called main is the one above all others
    CHECK_IS(iot_nmodules(a), 1);
    CHECK_IS(iot_nprocesses(a), 1);
    CHECK_IS(iot_get_process(a, 0)->members, 4);
    iot_destroy(a);

    a = analyse(t, NULL); // called by the beginning
    CHECK_IS(iot_nmodules(a), 2);
    CHECK(!strcmp(iot_get_module(a, 1)->name, "p"));
    iot_destroy(a);
    trace_close(t);
}

static void test_source_modules(void)
{
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false), p = predicate(s, "p", 0, false);
    uint32_t q = predicate_in(s, "other", "q", 0), q2 = predicate_in(s, "third", "q", 0);
    uint32_t begin = clause(s, start, 0, 1, "", "", "p");
    uint32_t p_clause = clause(s, p, 1, 2, "", "", "");
    clause(s, q, 1, 3, "", "", "");
    clause(s, q2, 1, 4, "", "", "");
    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    reduce(s, 0, p_clause, 1, (cells){0}, (values){0});
    trace *t = story_end(s);
    iot_partition *d = iot_partition_default(t);
    CHECK_TEXT(iot_partition_text(t, d), "user=p/0\nother=other:q/0\nthird=third:q/0");
    iot_partition_destroy(d);
    refused(t, "x=q/0", "in several modules: write other:q/0 or third:q/0");
    CHECK_TEXT(iot_predicate_text(t, q), "other:q/0");
    CHECK_TEXT(iot_predicate_text(t, p), "p/0");
    trace_close(t);
}

// More processes than 16 bits count: a loop that starts one at each step.
static void test_many_processes(void)
{
    enum { N = 70000 };
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false), p = predicate(s, "p", 0, false);
    uint32_t loop = predicate(s, "loop", 0, false);
    uint32_t begin = clause(s, start, 0, 1, "", "", "loop");
    uint32_t p_clause = clause(s, p, 1, 2, "", "", "");
    uint32_t loop_clause = clause(s, loop, 1, 3, "", "", "p, loop");
    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    for (uint32_t i = 0; i < N; i++) { // goals 2i + 1: p, 2i + 2: loop
        if (i > 0)
            reduce(s, 2 * i - 1, p_clause, i + 1, (cells){0}, (values){0});
        reduce(s, 2 * i, loop_clause, i + 1, (cells){0}, (values){0});
    }
    reduce(s, 2 * N - 1, p_clause, N + 1, (cells){0}, (values){0});
    trace *t = story_end(s);
    iot *a = analyse(t, "p=p/0");
    CHECK_IS(iot_nprocesses(a), N + 1);
    CHECK_IS(iot_process_of(a, 0), IOT_NONE);
    uint32_t wrong = 0, p_number = 0;
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        bool is_p = trace_reduction_clause(t, r) == p_clause;
        wrong += iot_process_of(a, r) != (is_p ? ++p_number : 0);
    }
    CHECK_IS(wrong, 0);
    CHECK_IS(iot_get_process(a, 0)->members, N);
    CHECK_IS((int64_t)iot_get_module(a, 1)->work, N);
    iot_destroy(a);
    trace_close(t);
}

void test_partition(void)
{
    test_many_processes();
    test_text();
    test_goal_entry();
    test_nested();
    test_source_modules();
}
