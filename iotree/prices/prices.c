// SPDX-License-Identifier: MIT
//
// The price of operations as the command line names them.
#include <math.h>

#include "iotree/prices/classes.h"
#include "iotree/prices/operations.h"

// The operations are read in this order, whatever the order on the command line: classes that are left
// out and trees decide what a window may replace.
static const iot_operation_kind order[] = {IOT_SPEED_UP, IOT_EVEN,      IOT_WITHOUT,
                                           IOT_TREE,     IOT_UNORDERED, IOT_WINDOW};

// Cuts NAME=NUMBER at the last `=`. The name is malloc'ed.
static bool cut_number(const char *text, double least, char **ret_name, double *ret_number)
{
    const char *equals = strrchr(text, '=');
    char *end;
    if (!equals || equals == text || !equals[1])
        return false;
    double number = strtod(equals + 1, &end);
    if (*end || !(number >= least) || !isfinite(number) || number <= 0)
        return false;
    *ret_name = base_copy_bytes(text, (size_t)(equals - text));
    *ret_number = number;
    return true;
}

static char *count_text(uint64_t n, const char *one, const char *many, const char *what)
{
    return base_format("%llu %s %s", (unsigned long long)n, n == 1 ? one : many, what);
}

static char *names_of_modules(const iot *a)
{
    char *text = base_copy("");
    for (uint32_t m = 0; m < a->nmodules && m < 16; m++) {
        char *longer = base_format("%s%s%s", text, m ? ", " : "", a->modules[m].name);
        free(text);
        text = longer;
    }
    return text;
}

static iot_price_status speed_up(price_draft *d, const char *text, char **ret_said,
                                 char **ret_error)
{
    char *name;
    double divisor;
    if (!cut_number(text, 0, &name, &divisor)) {
        *ret_error = base_format("`%s` is not MODULE=K with a number K above 0", text);
        return IOT_NOT_UNDERSTOOD;
    }
    uint8_t *modules = bits_allocate(d->a->nmodules);
    bool found = false;
    for (uint32_t m = 0; m < d->a->nmodules; m++) {
        if (!strcmp(d->a->modules[m].name, name)) {
            bit_set(modules, m);
            found = true;
        }
    }
    if (found) {
        uint64_t n = iot_draft_speed_up(d, modules, divisor);
        char *what = base_format("of %s: costs divided by %g", name, divisor);
        *ret_said = count_text(n, "reduction", "reductions", what);
        free(what);
    } else {
        char *names = names_of_modules(d->a);
        *ret_error = base_format("no module %s: there are %s", name, names);
        free(names);
    }
    free(modules);
    free(name);
    return found ? IOT_PRICED : IOT_NOTHING_MATCHES;
}

static uint64_t waits_of(const wait_graph *g, const uint8_t *kinds)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < g->nkinds; k++)
        n += bit_get(kinds, k) ? g->kinds_of[k].waits : 0;
    return n;
}

static iot_price_status without(price_draft *d, const char *text, char **ret_said, char **ret_error)
{
    uint8_t *kinds = bits_allocate(d->g->nkinds);
    iot_price_status status = iot_find_class(d->a, d->g, text, kinds, ret_error);
    if (status != IOT_PRICED) {
        free(kinds);
        return status;
    }
    *ret_said = count_text(waits_of(d->g, kinds), "wait", "waits", "left out");
    if (!d->without)
        d->without = bits_allocate(d->g->nkinds);
    for (uint32_t i = 0; i <= d->g->nkinds / 8; i++)
        d->without[i] |= kinds[i];
    free(kinds);
    return IOT_PRICED;
}

static iot_price_status window(price_draft *d, const char *text, char **ret_said, char **ret_error)
{
    char *name;
    double n;
    if (!cut_number(text, 1, &name, &n) || n != floor(n) || n > UINT32_MAX) {
        *ret_error = base_format("`%s` is not CLASS=N with a whole number N from 1 on", text);
        return IOT_NOT_UNDERSTOOD;
    }
    uint8_t *kinds = bits_allocate(d->g->nkinds);
    iot_price_status status = iot_find_class(d->a, d->g, name, kinds, ret_error);
    if (status == IOT_PRICED) {
        char *what = n == 1 ? base_copy("changed: a window of 1 is the run as it was")
                            : base_format("wait for the one %.0f before instead", n - 1);
        *ret_said = count_text(iot_draft_window(d, kinds, (uint64_t)n), "read", "reads", what);
        free(what);
    }
    free(kinds);
    free(name);
    return status;
}

static iot_price_status of_predicate(price_draft *d, const iot_operation *o, char **ret_said,
                                     char **ret_error)
{
    uint8_t *predicates = bits_allocate(trace_npredicates(d->a->t));
    iot_price_status status = iot_find_predicates(d->a->t, o->argument, predicates, ret_error);
    uint32_t longest;
    uint64_t n = 0;
    if (status == IOT_PRICED && o->kind == IOT_TREE) {
        n = iot_draft_tree(d, predicates, &longest);
        char *what = base_format("of chains become trees%s%.0u", n ? "; the longest chain has " : "",
                                 longest);
        *ret_said = count_text(n, "goal", "goals", what);
        free(what);
    } else if (status == IOT_PRICED && o->kind == IOT_EVEN) {
        n = iot_draft_even(d, predicates);
        *ret_said = count_text(n, "goal", "goals", "with more work than the mean of their siblings "
                                                   "have the mean");
    } else if (status == IOT_PRICED) {
        n = iot_draft_unordered(d, predicates);
        *ret_said = count_text(n, "goal", "goals", "no longer wait for the one before");
    }
    free(predicates);
    return status;
}

static iot_price_status draft(price_draft *d, const iot_operation *o, char **ret_said,
                              char **ret_error)
{
    switch (o->kind) {
    case IOT_SPEED_UP:
        return speed_up(d, o->argument, ret_said, ret_error);
    case IOT_WITHOUT:
        return without(d, o->argument, ret_said, ret_error);
    case IOT_WINDOW:
        return window(d, o->argument, ret_said, ret_error);
    default:
        return of_predicate(d, o, ret_said, ret_error);
    }
}

static iot_price_status draft_all(const iot *a, const wait_graph *g,
                                  const iot_operation *operations,
                                  uint32_t n, wait_change *ret, char **said,
                                  char **ret_error)
{
    price_draft d = {.a = a, .g = g};
    iot_price_status status = IOT_PRICED;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (uint32_t i = 0; i < n && status == IOT_PRICED; i++)
            if (operations[i].kind == order[k])
                status = draft(&d, &operations[i], &said[i], ret_error);
    *ret = iot_finish_draft(&d);
    if (status != IOT_PRICED)
        iot_free_change(ret);
    return status;
}

iot_price_status iot_price(const iot *a, const iot_operation *operations, uint32_t n,
                           uint32_t processors, iot_progress progress, void *data, iot_price_answer *ret,
                           char **ret_error)
{
    const wait_graph *g = iot_waits(a, progress, data);
    if (!g)
        return IOT_PRICE_CANCELLED;
    wait_change change;
    iot_price_answer answer = {.said = base_allocate(n, sizeof *answer.said), .nsaid = n};
    iot_price_status status =
        draft_all(a, g, operations, n, &change, answer.said, ret_error);
    if (status == IOT_PRICED) {
        (void)processors;
        answer.span = (double)g->span;
        answer.span_without = iot_span_under(g, &change, NULL);
        iot_free_change(&change);
        *ret = answer;
    } else {
        iot_free_price(&answer);
    }
    return status;
}

void iot_free_price(iot_price_answer *answer)
{
    for (uint32_t i = 0; i < answer->nsaid; i++)
        free(answer->said[i]);
    free(answer->said);
}
