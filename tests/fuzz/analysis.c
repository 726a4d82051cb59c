// SPDX-License-Identifier: MIT
//
// libFuzzer target: the text of a partition file (none: the default one), a zero byte, and any
// bytes as a trace. A partition that was taken, written again, is read as the same; a trace that
// was taken is analysed and asked for all that reports and pictures show.
#include <stdio.h>

#include "chunks.h"
#include "mutate.h"
#include "iotree/findings.h"
#include "iotree/overview.h"
#include "iotree/prices.h"
#include "iotree/simulate.h"
#include "profiler/read/open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A few bytes can make a long history, whose analysis takes its time.
enum { MOST_REDUCTIONS = 4096, MOST_GOALS = 8192, MOST_CELLS = 16384, MOST_TERM = 100 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

static iot_partition *partition_of(const trace *t, const char *text)
{
    char *error = NULL;
    if (!*text)
        return iot_partition_default(t);
    iot_partition *p = iot_partition_parse(t, text, &error);
    require(!p != !error);
    free(error);
    return p;
}

// A damaged trace may have a predicate twice, which its name does not tell apart.
static void check_text(const trace *t, const iot_partition *p)
{
    char *error = NULL, *written = iot_partition_text(t, p);
    iot_partition *again = iot_partition_parse(t, written, &error);
    char *same = again ? iot_partition_text(t, again) : NULL;
    require(!again == (error != NULL));
    if (same && strcmp(written, same) != 0) {
        fprintf(stderr, "written: %s\nagain:   %s\n", written, same);
        abort();
    }
    iot_partition_destroy(again);
    free(error);
    free(written);
    free(same);
}

static void ask_tree(const iot *a, uint32_t process)
{
    bool complete;
    iot_tree *tree = iot_tree_build(a, process, 0, INT64_MAX, 1 << 16, &complete);
    const uint32_t *unused;
    for (uint32_t i = 0; i < iot_tree_nnodes(tree); i++)
        require(iot_tree_node(tree, i)->reduction < trace_nreductions(iot_trace(a)));
    iot_tree_unused(tree, &unused);
    iot_tree_destroy(tree);
}

static void ask_modules(const iot *a, iot_clock clock)
{
    iot_bucket buckets[8];
    int64_t end = iot_end(a, clock), width = end / 8 + 1;
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        iot_module m = iot_module_by(a, clock, i);
        require(m.name && m.first <= m.last + 1); // waits cost nothing
        for (int q = IOT_REDUCTIONS; q <= IOT_WAITING; q++)
            iot_profile_by(a, clock, (iot_quantity)q, i, 1, width, 8, buckets);
    }
}

static void ask_terms(const trace *t)
{
    iot_names *names = iot_names_create(t);
    uint32_t n = trace_ngoals(t) < 64 ? trace_ngoals(t) : 64;
    for (uint32_t g = 0; g < n; g++) {
        uint32_t arity = trace_get_predicate(t, trace_goal_predicate(t, g))->arity;
        for (uint32_t k = 0; k < arity && k < 8; k++)
            iot_names_add(names, trace_goal_arg(t, g, k), INT64_MAX, MOST_TERM);
    }
    iot_names_finish(names);
    for (uint32_t g = 0; g < n; g++)
        free(iot_goal_text(t, names, g, INT64_MAX, MOST_TERM));
    for (uint32_t i = 0; i < trace_nclauses(t) && i < 64; i++)
        free(iot_clause_text(t, i));
    iot_names_destroy(names);
}

static void ask_price(const iot *a, iot_operation_kind kind, const char *argument)
{
    iot_operation operation = {kind, argument};
    iot_price_answer answer;
    char *error = NULL;
    if (iot_price(a, &operation, 1, 0, NULL, NULL, &answer, &error) == IOT_PRICED) {
        iot_free_price(&answer);
    } else {
        require(error != NULL);
        free(error);
    }
}

static void ask_prices(const iot *a)
{
    const iot_class *classes;
    uint32_t n;
    require(iot_classes(a, NULL, NULL, &classes, &n));
    for (uint32_t i = 0; i < n && i < 8; i++)
        ask_price(a, IOT_WITHOUT, classes[i].name);
    for (uint32_t p = 0; p < trace_npredicates(iot_trace(a)) && p < 8; p++) {
        char *name = iot_predicate_text(iot_trace(a), p);
        ask_price(a, IOT_TREE, name);
        ask_price(a, IOT_EVEN, name);
        ask_price(a, IOT_UNORDERED, name);
        free(name);
    }
}

static void ask_processors(const iot *a)
{
    const iot_machine machines[] = {{1, 0, 0}, {3, 2, 4}, {IOT_UNLIMITED, 0, 0}};
    iot_simulation *simulation = iot_simulation_create(a, NULL, NULL);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        iot_simulated sums;
        iot_schedule schedule;
        require(iot_simulation_run(simulation, &machines[i], NULL, NULL, &sums, &schedule));
        require(sums.busy + sums.waiting + sums.idle ==
                sums.span * iot_schedule_processors(&schedule));
        require(i > 0 || sums.span == sums.busy);
        iot_schedule_free(&schedule);
    }
    iot_simulation_destroy(simulation);
    for (uint32_t i = 0; i < iot_nhasten(a); i++)
        require(iot_get_hasten(a, i)->binding < trace_nbindings(iot_trace(a)));
}

static void ask(const iot *a)
{
    const trace *t = iot_trace(a);
    ask_modules(a, IOT_VIRTUAL_TIME);
    if (trace_get_clock(t) != TRACE_VIRTUAL)
        ask_modules(a, IOT_REAL_TIME);
    for (uint32_t i = 0; i < iot_critical_length(a); i++)
        require(iot_critical_step(a, i).reduction < trace_nreductions(t));
    for (uint32_t i = 0; i < iot_ncritical_rows(a); i++)
        require(iot_get_critical_row(a, i)->predicate < trace_npredicates(t));
    for (uint32_t i = 0; i < iot_nprocesses(a) && i < 16; i++)
        ask_tree(a, i);
    for (uint32_t i = 0; i < iot_ndependencies(a); i++)
        require(iot_get_dependency(a, i)->from < iot_nmodules(a));
    for (uint32_t i = 0; i < iot_nunneeded(a); i++)
        require(iot_get_unneeded(a, i)->clause < trace_nclauses(t));
    for (uint32_t i = 0; i < iot_nwaiting(a); i++)
        require(iot_get_waiting(a, i)->module < iot_nmodules(a));
    for (uint32_t i = 0; i < iot_nfindings(a, true); i++)
        require(iot_get_finding(a, true, i)->text != NULL);
    for (uint32_t i = 0; i < iot_ntogether(a); i++)
        require(iot_get_together(a, i)->second < iot_nfindings(a, false));
    for (uint32_t i = 0; i < iot_nnotes(a); i++)
        require(iot_get_note(a, i)->title != NULL);
    ask_prices(a);
    if (!trace_is_measured(t))
        ask_processors(a);
    ask_terms(t);
}

static void ask_overview(const trace *t)
{
    iot *a = iot_overview(t);
    if (a)
        ask_modules(a, IOT_VIRTUAL_TIME);
    iot_destroy(a);
}

static bool is_small(const trace *t)
{
    return trace_nreductions(t) < MOST_REDUCTIONS && trace_ngoals(t) < MOST_GOALS &&
           trace_ncells(t) < MOST_CELLS;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    if (!zero || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, capacity);
    size_t text = (size_t)(zero - data), rest = size - text;
    if (seed % 8 > 2)
        return text + 1 + mutate_trace(zero + 1, rest - 1, capacity - text - 1, seed / 8);
    uint8_t *rest_of = malloc(rest); // from the zero on
    memcpy(rest_of, zero, rest);
    text = mutate_text(data, text, capacity - rest, seed / 8);
    memcpy(data + text, rest_of, rest);
    free(rest_of);
    return text + rest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    if (!zero)
        return 0;
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_memory(zero + 1, (size_t)(data + size - zero - 1), "input", true, &problem,
                                 &error);
    iot_partition *p = t ? partition_of(t, (const char *)data) : NULL;
    if (p)
        check_text(t, p);
    iot *a = p && trace_nreductions(t) > 0 && is_small(t) ? iot_analyse(t, p, NULL, NULL) : NULL;
    if (a) {
        ask(a);
        ask_overview(t);
        free(iot_check_summary(a));
    }
    iot_destroy(a);
    iot_partition_destroy(p);
    trace_close(t);
    free(error);
    return 0;
}
