// SPDX-License-Identifier: MIT
//
// First reads, as in iotree/graph/dependencies.c, which has the whole run before it. The first readers of a
// binding are noted beside its maker; all others who read it are pairs.
#include "profiler/sums/dependencies.h"

#include <string.h>

#define MOST_MODULES 2048u
#define MOST_BINS    512u
#define ALL_BINS     (1u << 16) // of all rows together
#define MOST_READ    (UINT64_C(1) << 24)
#define MOST_PROCESSES (1u << 29)
#define MOST_LISTED  8u // readers of a binding beside the first; they are looked through one by one
#define ENOUGH       4096u // unpacked blocks that are always allowed

bool trace_dependencies_init(dependencies *d, uint32_t nmodules, dependency_limits limits)
{
    *d = (dependencies){.limits = limits, .nmodules = nmodules, .nbins = MOST_BINS};
    if (nmodules > MOST_MODULES) {
        d->lost = true;
        return false;
    }
    d->row_of = base_allocate((size_t)nmodules * nmodules, sizeof *d->row_of);
    trace_makers_init(&d->makers);
    return true;
}

void trace_dependencies_finish(dependencies *d)
{
    trace_makers_finish(&d->makers);
    map_free(&d->further);
    map_free(&d->own);
    free(d->walk.at);
    free(d->module_of.at);
    free(d->row_of);
    free(d->rows.at);
    free(d->bins);
    *d = (dependencies){.lost = true};
}

uint32_t trace_dependencies_process(dependencies *d, uint32_t module)
{
    uint32_t most = d->limits.processes > 0 ? d->limits.processes : MOST_PROCESSES;
    ARRAY_PUSH(d->module_of, (uint16_t)module);
    d->lost |= d->module_of.n >= most;
    return (uint32_t)d->module_of.n - 1;
}

// ---------------------------------------------------------------------------------------------
// Bins

static void add_waits(trace_sum_waits *to, const trace_sum_waits *more)
{
    to->count += more->count;
    to->wait += more->wait;
    to->lag += more->lag;
}

// Pairs of bins become one; so there is room for later ones.
static void widen(dependencies *d)
{
    uint32_t half = d->nbins / 2;
    for (size_t row = 0; row < d->rows.n; row++) {
        trace_sum_waits *bins = d->bins + row * d->nbins;
        for (uint32_t i = 0; i < half; i++) {
            trace_sum_waits both = bins[2 * i];
            add_waits(&both, &bins[2 * i + 1]);
            bins[i] = both;
        }
        memset(bins + half, 0, half * sizeof *bins);
    }
    d->shift++;
}

// The last half of each row is given up.
static void narrow(dependencies *d)
{
    uint32_t half = d->nbins / 2;
    widen(d);
    for (size_t row = 0; row < d->rows.n; row++)
        memmove(d->bins + row * half, d->bins + row * d->nbins, half * sizeof *d->bins);
    d->nbins = half;
    d->capacity *= 2;
}

static size_t add_row(dependencies *d, uint32_t from, uint32_t to)
{
    size_t row = d->rows.n;
    while (d->nbins > 1 && (row + 1) * d->nbins > ALL_BINS)
        narrow(d);
    if (row == d->capacity) {
        d->capacity = d->capacity > 0 ? 2 * d->capacity : 8;
        d->bins = base_resize(d->bins, d->capacity * d->nbins, sizeof *d->bins);
    }
    memset(d->bins + row * d->nbins, 0, d->nbins * sizeof *d->bins);
    ARRAY_PUSH(d->rows, (trace_sum_dependency){.from = from, .to = to});
    d->row_of[(size_t)from * d->nmodules + to] = (uint32_t)row + 1;
    return row;
}

// A row of one bin has no pairs.
static void more_steps(dependencies *d)
{
    if (d->nbins > 1)
        widen(d);
    else
        d->shift++;
}

static void count_read(dependencies *d, const dependency_reader *who, const maker_note *note)
{
    uint32_t from = d->module_of.at[(note->maker >> MAKER_SHIFT) - 2], to = d->module_of.at[who->process];
    uint32_t number = d->row_of[(size_t)from * d->nmodules + to];
    size_t row = number > 0 ? number - 1 : add_row(d, from, to);
    int64_t wait = note->time - who->created;
    trace_sum_waits read = {1, wait > 0 ? (uint64_t)wait : 0, who->time - 1 - note->time};
    uint64_t steps = read.wait + (uint64_t)llabs(read.lag);
    if (__builtin_add_overflow(d->steps, steps, &d->steps) || d->steps > INT64_MAX) {
        d->lost = true;
        return;
    }
    while (who->time >> d->shift >= d->nbins)
        more_steps(d);
    add_waits(&d->rows.at[row].all, &read);
    add_waits(&d->bins[row * d->nbins + (size_t)(who->time >> d->shift)], &read);
}

// ---------------------------------------------------------------------------------------------
// Reads

// False: it is there already.
static bool add_pair(dependencies *d, base_map *pairs, uint32_t process, uint32_t variable)
{
    uint64_t *place = map_at(pairs, (uint64_t)process << 32 | variable);
    bool new = *place == MAP_ABSENT;
    *place = 1;
    d->lost |= d->limits.pairs > 0 && pairs->n > d->limits.pairs;
    return new;
}

static void note_changed(dependencies *d, uint32_t variable)
{
    if (variable < d->makers.base)
        trace_makers_changed(&d->makers, variable);
}

// Of a binding that has a first reader. False: the process has read it before.
static bool add_further(dependencies *d, uint32_t process, uint32_t variable, maker_note *note)
{
    const maker_list *list = note->list;
    uint32_t n = list ? list->nreaders : 0;
    for (uint32_t i = 0; i < n; i++)
        if (list->at[list->npassed + i] == process + 2)
            return false;
    if (n == MOST_LISTED)
        return add_pair(d, &d->further, process, variable);
    trace_makers_add_reader(&d->makers, note, process + 2);
    note_changed(d, variable);
    return true;
}

// False: the process has read it before.
static bool add_reader(dependencies *d, uint32_t process, uint32_t variable, maker_note *note)
{
    if (note->reader != 0)
        return note->reader != process + 2 && add_further(d, process, variable, note);
    note->reader = process + 2;
    note_changed(d, variable);
    return true;
}

// Of a binding that passed something on, by the process itself. False: it was read before.
static bool read_own(dependencies *d, uint32_t variable, maker_note *note)
{
    if (note->maker & MAKER_READ)
        return false;
    note->maker |= MAKER_READ;
    note_changed(d, variable);
    return true;
}

// What the binding passed on is to be read, too.
static void push_passed(dependencies *d, const maker_note *note)
{
    for (uint32_t k = 0; note->list && k < note->list->npassed; k++)
        ARRAY_PUSH(d->walk, note->list->at[k]);
}

static void read_one(dependencies *d, const dependency_reader *who, uint32_t variable)
{
    maker_note *note = makers_new(&d->makers, variable);
    if (!note && variable < d->makers.base)
        note = trace_makers_old(&d->makers, variable);
    if (!note || note->maker == 0)
        return;
    uint32_t maker = note->maker >> MAKER_SHIFT;
    bool passed = note->maker & MAKER_PASSED, counts = maker != 1 && maker != who->process + 2;
    if (counts && !add_reader(d, who->process, variable, note))
        return;
    if (counts)
        count_read(d, who, note);
    else if (!passed ||
             !(maker == 1 ? add_pair(d, &d->own, who->process, variable) : read_own(d, variable, note)))
        return;
    d->lost |= ++d->nread > MOST_READ + 2 * d->nbindings; // whether all counts depends on the end
    if (passed)
        push_passed(d, note);
}

static void read_all(dependencies *d, const dependency_reader *who, uint32_t n, const uint32_t *variables)
{
    for (uint32_t i = 0; i < n; i++)
        read_one(d, who, variables[i]);
    while (d->walk.n > 0 && !d->lost)
        read_one(d, who, d->walk.at[--d->walk.n]);
}

static void bind_all(dependencies *d, const dependency_reader *who, const step_record *r)
{
    uint32_t maker = (who->process == NO_PROCESS ? 1 : who->process + 2) << MAKER_SHIFT, first = 0;
    for (uint32_t i = 0; i < r->nbindings; i++) {
        uint32_t end = r->npassed > 0 ? r->passed_ends[i] : 0;
        maker_note *note = makers_bind(&d->makers, r->bindings[i].variable);
        if (note)
            *note = (maker_note){maker | (end > first ? MAKER_PASSED : 0), 0, who->time, NULL};
        if (note && end > first)
            trace_makers_pass(&d->makers, note, r->passed + first, end - first);
        first = end;
    }
    d->nbindings += r->nbindings;
}

static bool is_too_much(const dependencies *d, uint32_t reductions)
{
    uint64_t most = d->limits.unpacks > 0 ? reductions / d->limits.unpacks + ENOUGH : UINT64_MAX;
    return d->makers.lost || d->makers.unpacked > most ||
           (d->limits.pairs > 0 && d->makers.nlisted > d->limits.pairs);
}

void trace_dependencies_take(dependencies *d, const dependency_reader *who, const step_record *r,
                             uint32_t ncells)
{
    if (who->process != NO_PROCESS && r->nreads > 0)
        read_all(d, who, r->nreads, r->reads);
    makers_add(&d->makers, ncells);
    if (r->nbindings > 0)
        bind_all(d, who, r);
    if (who->process != NO_PROCESS && r->nfollowed > 0)
        read_all(d, who, r->nfollowed, r->followed);
    d->nreductions++;
    if (d->lost || is_too_much(d, d->nreductions))
        trace_dependencies_finish(d);
}

// ---------------------------------------------------------------------------------------------
// The end

static int by_modules(const void *x, const void *y)
{
    const trace_sum_dependency *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

void trace_dependencies_list(dependencies *d, int64_t span, trace_summary *ret)
{
    while (span >> d->shift >= d->nbins)
        more_steps(d);
    ret->has_dependencies = true;
    ret->bin = INT64_C(1) << d->shift;
    ret->nbins = (uint32_t)(span >> d->shift) + 1;
    for (size_t row = 0; row < d->rows.n; row++) {
        trace_sum_waits *bins = base_allocate(ret->nbins, sizeof *bins);
        memcpy(bins, d->bins + row * d->nbins, ret->nbins * sizeof *bins);
        d->rows.at[row].bins = bins;
    }
    if (d->rows.n > 0)
        qsort(d->rows.at, d->rows.n, sizeof *d->rows.at, by_modules);
    ret->ndependencies = (uint32_t)d->rows.n;
    ret->dependencies = d->rows.at;
    d->rows.at = NULL;
    d->rows.n = 0;
    trace_dependencies_finish(d);
}
