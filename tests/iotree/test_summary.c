// SPDX-License-Identifier: MIT
//
// test_summary FILE.paf...: sums the reductions of each trace as a writer does, with few and with many
// buckets, and compares the summary with the analysis of the trace; then changes the summary, which the
// comparison must notice.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iotree/graph/model.h"
#include "iotree/overview.h"
#include "profiler/read/opened.h"
#include "profiler/sums/sums.h"

static unsigned failures;

static void fail(const char *path, const char *what)
{
    printf("%s: %s\n", path, what);
    failures++;
}

static sums *begin(const trace *t, const iot *a, uint32_t nbuckets)
{
    trace_sum_modules m = {.nmodules = a->nmodules, .npredicates = trace_npredicates(t),
                           .module_of = a->entries.module_of};
    uint32_t *names = base_allocate(m.nmodules, sizeof *names);
    sums_wanted wanted = {.dependencies = true, .more = trace_get_clock(t) == TRACE_VIRTUAL};
    sums *s = trace_sums_create(&m, names, wanted);
    if (nbuckets < s->nbuckets)
        s->nbuckets = nbuckets;
    free(names);
    return s;
}

// What the bindings of the reduction passed on, one after the other.
static uint32_t *take_passed(const trace *t, uint32_t r, step_record *step, uint32_t *ends)
{
    uint32_t *all = NULL;
    for (uint32_t i = 0; i < step->nbindings; i++) {
        const uint32_t *passed;
        uint32_t n = trace_passed(t, trace_first_binding(t, r) + i, &passed);
        all = base_resize(all, step->npassed + n + 1u, sizeof *all);
        if (n > 0)
            memcpy(all + step->npassed, passed, n * sizeof *all);
        step->npassed += n;
        ends[i] = step->npassed;
    }
    return all;
}

static void take(sums *s, const trace *t, uint32_t r)
{
    step_record step = {.goal = trace_reduction_goal(t, r), .clause = trace_reduction_clause(t, r),
                        .time = trace_time(t, r)};
    const uint32_t *reads;
    step.nreads = trace_reads(t, r, &reads);
    step.reads = reads;
    step.nbindings = trace_first_binding(t, r + 1) - trace_first_binding(t, r);
    step_binding *bindings = base_allocate(step.nbindings + 1u, sizeof *bindings);
    for (uint32_t i = 0; i < step.nbindings; i++)
        bindings[i].variable = trace_binding_variable(t, trace_first_binding(t, r) + i);
    step.bindings = bindings;
    step.nfollowed = trace_followed(t, r, &step.followed);
    uint32_t *ends = base_allocate(step.nbindings + 1u, sizeof *ends);
    uint32_t *passed = take_passed(t, r, &step, ends);
    step.passed = passed;
    step.passed_ends = ends;
    step.ncells = trace_first_cell(t, r + 1) - trace_first_cell(t, r);
    step.ngoals = trace_first_goal(t, r + 1) - trace_first_goal(t, r);
    step_goal *goals = base_allocate(step.ngoals + 1u, sizeof *goals);
    for (uint32_t i = 0; i < step.ngoals; i++)
        goals[i].predicate = trace_goal_predicate(t, trace_first_goal(t, r) + i);
    step.goals = goals;
    trace_sums_take(s, &t->clauses.at[step.clause], &step, NO_ALIAS);
    free(ends);
    free(passed);
    free(bindings);
    free(goals);
}

// The names are those of the analysis, whatever strings the trace has.
static void check(const char *path, trace *t, iot *a, uint32_t nbuckets)
{
    sums *s = begin(t, a, nbuckets);
    trace_summary made;
    for (uint32_t r = 0; r < a->n; r++)
        take(s, t, r);
    if (!trace_sums_finish(s, UINT64_MAX, &made)) {
        if (a->n > 1)
            fail(path, "there is no summary");
        trace_sums_destroy(s);
        return;
    }
    trace_summary *kept = t->summary;
    t->summary = &made;
    for (uint32_t m = 0; m < made.nmodules; m++) {
        uint32_t string = 0;
        while (strcmp(trace_name(t, string), a->modules[m].name) != 0 && string + 1 < t->strings.n)
            string++;
        ((trace_sum_row *)made.rows)[m].name = string;
    }
    char *difference = iot_check_summary(a);
    if (difference)
        fail(path, difference);
    free(difference);
    // In a real run whose reductions raced a predecessor may be further away, as with costs.
    bool ideal = trace_get_clock(t) == TRACE_VIRTUAL && !strstr(path, "cost");
    if (!made.has_path && a->path.n > 0 && ideal)
        fail(path, "the critical path is not known");
    if (!made.has_dependencies)
        fail(path, "the dependencies are not known");
    if (made.has_path && made.ndependencies > 0) {
        ((trace_sum_dependency *)made.dependencies)[made.ndependencies / 2].all.wait++;
        difference = iot_check_summary(a);
        if (!difference)
            fail(path, "a wrong dependency is not noticed");
        free(difference);
        ((trace_sum_dependency *)made.dependencies)[made.ndependencies / 2].all.wait--;
    }
    ((uint64_t *)made.rows[made.nmodules].waiting)[made.nbuckets / 2]++;
    difference = iot_check_summary(a);
    if (!difference)
        fail(path, "a wrong figure is not noticed");
    free(difference);
    t->summary = kept;
    trace_sums_free(&made);
    trace_sums_destroy(s);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *error = NULL;
        trace *t = trace_open(argv[i], NULL, NULL, &error);
        if (!t || error) {
            fail(argv[i], error ? error : "cannot be read");
            return 1;
        }
        iot_partition *p = iot_partition_default(t);
        iot *a = iot_analyse(t, p, NULL, NULL);
        check(argv[i], t, a, 4);
        check(argv[i], t, a, TRACE_SUM_BUCKETS);
        iot_destroy(a);
        iot_partition_destroy(p);
        trace_close(t);
    }
    printf("%d traces, %u failures\n", argc - 1, failures);
    return failures > 0 || argc < 2;
}
