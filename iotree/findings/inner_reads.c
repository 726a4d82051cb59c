// SPDX-License-Identifier: MIT
//
// What is read late inside a pattern: plan(Stops, rates(Day, Mile)) may wait for the plan, or only
// for the rates in it. Which of the two costs something, the run tells.
#include "iotree/findings/early_reads.h"

static bool is_free(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH;
}

// Does a pattern of the head have another one inside?
static bool has_inner(const trace_clause *c)
{
    for (uint32_t i = 0; i < c->npatterns; i++)
        for (uint32_t k = 0; !is_free(&c->patterns[i]) && k < c->patterns[i].n; k++)
            if (!is_free(&c->patterns[c->pattern_children[c->patterns[i].first + k]]))
                return true;
    return false;
}

// Every pattern is a test of its own, with its own number.
static void number_patterns(clause_tests *tests, const trace_clause *c)
{
    tests->by_pattern = base_allocate((size_t)c->npatterns + 1, sizeof(uint32_t));
    tests->by_guard = base_allocate((size_t)c->nguards + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < c->npatterns; i++)
        tests->by_pattern[i] = i;
    memset(tests->by_guard, 0xff, c->nguards * sizeof(uint32_t));
}

// Did the reduction wait for what it read, or only for its own creation?
static bool waits_for_reads(const early_search *s, uint32_t r)
{
    int64_t created = trace_time(s->t, s->g->parents[r]);
    for (uint64_t w = s->g->first[r]; w < s->g->first[r + 1]; w++)
        if (trace_time(s->t, s->g->makers[w]) > created)
            return true;
    return false;
}

// What the latest read costs, if one pattern alone made it.
static void weigh(early_search *s, uint32_t r, uint32_t clause, const clause_tests *tests,
                  uint64_t *costs)
{
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads), node = NO_TEST;
    uint64_t next = s->g->first[r], first;
    int64_t kept = trace_time(s->t, s->g->parents[r]), latest = kept;
    read_tests(&s->reader, r, clause, tests);
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t found = test_of_read(&s->reader, r, reads[i]);
        int64_t time = iot_latest_maker(s, first, next);
        if (time > latest) {
            kept = found == node ? kept : latest;
            latest = time;
            node = found;
        } else if (time > kept && found != node) {
            kept = time;
        }
    }
    if (node != NO_TEST)
        costs[node] += (uint64_t)(latest - kept);
}

void iot_weigh_inner_reads(early_search *s)
{
    uint32_t n = trace_nclauses(s->t);
    clause_tests *tests = base_allocate(n, sizeof *tests);
    s->costs = base_allocate(n, sizeof *s->costs);
    for (uint32_t k = 0; k < n; k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        if (!clause_is_told(s->facts, k) || !has_inner(c))
            continue;
        number_patterns(&tests[k], c);
        s->costs[k] = base_allocate(c->npatterns, sizeof **s->costs);
    }
    test_reader_begin(&s->reader, s->t);
    s->reader.inner = true;
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(s->t, r);
        if (s->costs[clause] && waits_for_reads(s, r))
            weigh(s, r, clause, &tests[clause], s->costs[clause]);
    }
    test_reader_end(&s->reader); // whose tests have other numbers from now on
    for (uint32_t k = 0; k < n; k++) {
        free(tests[k].by_pattern);
        free(tests[k].by_guard);
    }
    free(tests);
}

bool iot_waits_inside(const early_search *s, uint32_t clause, uint32_t pattern)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    const uint64_t *costs = s->costs[clause];
    uint64_t inside = 0;
    ARRAY_OF(uint32_t) stack = {0};
    if (!costs)
        return false;
    ARRAY_PUSH(stack, pattern);
    while (stack.n > 0) {
        uint32_t node = stack.at[--stack.n];
        inside += node == pattern ? 0 : costs[node];
        for (uint32_t i = 0; i < c->patterns[node].n; i++)
            ARRAY_PUSH(stack, c->pattern_children[c->patterns[node].first + i]);
    }
    free(stack.at);
    return inside > costs[pattern];
}
