// SPDX-License-Identifier: MIT
//
// The replay of measured runs. Of every file given: without changes it takes what the run took, and
// every activity ends when it ended; leaving out waits makes no run longer.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "iotree/findings.h"
#include "iotree/prices/replay.h"

int npassed, nfailed;

void check_at(const char *file, int line, int ok, const char *what)
{
    npassed += ok;
    nfailed += !ok;
    if (!ok)
        printf("%s:%d: %s\n", file, line, what);
}

void check_number_at(const char *file, int line, int64_t got, int64_t want, const char *what)
{
    check_at(file, line, got == want, what);
    if (got != want)
        printf("    %lld instead of %lld\n", (long long)got, (long long)want);
}

static iot *analyse_file(const trace *t)
{
    iot_partition *p = iot_partition_default(t);
    iot *a = iot_analyse(t, p, NULL, NULL);
    iot_partition_destroy(p);
    return a;
}

static void check_exact(const iot *a)
{
    const trace *t = iot_trace(a);
    const replay *r = iot_replay(a, NULL, NULL);
    int64_t *ends = calloc(r->n + 1, sizeof *ends), wrong = 0;
    int64_t exact = r->shares ? r->n : 0; // where processors are shared, costs are rounded
    int64_t elapsed = r->disturbed ? r->elapsed : trace_elapsed(t);
    CHECK(llabs(iot_elapsed_under(r, &(replay_change){0}, ends) - elapsed) <= exact);
    CHECK(llabs(r->elapsed - elapsed) <= exact && r->elapsed <= trace_elapsed(t) + exact);
    for (uint32_t i = 1; i < r->n; i++)
        wrong += llabs(ends[i] - replay_end(r, i)) > exact || replay_start(r, i) > replay_end(r, i) + exact;
    CHECK_IS(wrong, 0);
    free(ends);
}

// With a processor for each place nobody shares; one processor does all work one after the other.
static void check_processors(const iot *a)
{
    const replay *r = iot_replay(a, NULL, NULL);
    replay other = *r;
    int64_t computed = 0;
    for (uint32_t i = 1; i < r->n; i++)
        computed += r->computes[i] ? r->costs[i] : 0;
    other.shares = true;
    other.processors = r->nplaces;
    int64_t many = iot_elapsed_under(&other, &(replay_change){0}, NULL);
    CHECK(many <= r->elapsed + r->n);
    CHECK(r->shares || llabs(many - r->elapsed) <= r->n);
    other.processors = 1;
    int64_t one = iot_elapsed_under(&other, &(replay_change){0}, NULL);
    CHECK(one + r->n >= r->elapsed && one + r->n >= computed);
}

// Leaving out more waits never makes the run longer.
static void check_classes(const iot *a)
{
    const replay *r = iot_replay(a, NULL, NULL);
    uint8_t *bits = calloc(r->n / 8 + 1, 1);
    uint32_t n;
    int64_t last = r->elapsed;
    wait_class *classes = iot_wait_classes(a, 64, &n, NULL, NULL);
    for (uint32_t i = 0; i < n; i++) {
        char *text = iot_wait_class_text(a, &classes[i]), *error = NULL;
        CHECK(classes[i].elapsed_without <= r->elapsed);
        CHECK(iot_free_class(a, r, text, bits, &error));
        int64_t without = iot_elapsed_under(r, &(replay_change){.free = bits}, NULL);
        CHECK(without <= last && without <= classes[i].elapsed_without);
        last = without;
        free(text);
    }
    free(classes);
    free(bits);
}

static void check_file(const char *path)
{
    char *error = NULL;
    trace *t = trace_open(path, NULL, NULL, &error);
    CHECK(t && trace_is_measured(t));
    if (!t || !trace_is_measured(t)) {
        printf("%s: %s\n", path, error ? error : "not measured");
        return;
    }
    int before = nfailed;
    iot *a = analyse_file(t);
    check_exact(a);
    check_processors(a);
    check_classes(a);
    for (uint32_t i = 0; i < iot_nfindings(a, true); i++) {
        const iot_finding *f = iot_get_finding(a, true, i);
        CHECK(f->span_without < trace_elapsed(t) && f->saving > 0 && f->place.line > 0);
        CHECK(*f->text && *f->advice);
    }
    if (nfailed > before)
        printf("in %s\n", path);
    iot_destroy(a);
    trace_close(t);
    free(error);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_file(argv[i]);
    printf("%d passed, %d failed\n", npassed, nfailed);
    return nfailed != 0;
}
