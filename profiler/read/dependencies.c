// SPDX-License-Identifier: MIT
//
// Loads the dependencies between modules that a summary has: bin by bin, checked against the sums of all.
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"

typedef struct {
    loader *l;
    trace_summary *s;
    coding k;
    trace_sum_waits *all; // sums of the rows so far, by bin
} loading;

// False: more than there can be. Steps of a run are at most INT64_MAX.
static bool add(uint64_t *sum, uint64_t n)
{
    return !__builtin_add_overflow(*sum, n, sum) && *sum <= INT64_MAX;
}

static bool add_lag(int64_t *sum, int64_t n)
{
    return !__builtin_add_overflow(*sum, n, sum);
}

static bool add_waits(trace_sum_waits *to, const trace_sum_waits *more)
{
    return add(&to->count, more->count) && add(&to->wait, more->wait) && add_lag(&to->lag, more->lag) &&
           (more->count > 0 || (more->wait == 0 && more->lag == 0));
}

static bool read_flow(loading *x, trace_sum_flow *ret)
{
    column_in *columns = x->l->columns;
    get_flow(&columns[COLUMN_FLOWS], &x->k, ret);
    get_flow_count(&columns[COLUMN_FLOW_COUNT], &x->k, ret);
    get_flow_wait(&columns[COLUMN_FLOW_WAIT], &x->k, ret);
    get_flow_lag(&columns[COLUMN_FLOW_LAG], &x->k, ret);
    for (int i = COLUMN_FLOWS; i <= COLUMN_FLOW_LAG; i++)
        if (!trace_column_sound(x->l, &columns[i]))
            return false;
    return true;
}

static trace_sum_waits bin_of(const trace_sum_flow *r, uint32_t i)
{
    return (trace_sum_waits){r->count[i], r->wait[i], unzigzag(r->lag[i])};
}

static bool is_in_order(const trace_sum_dependency *before, const trace_sum_flow *r)
{
    return !before || before->from < r->from || (before->from == r->from && before->to < r->to);
}

static bool load_row(loading *x, trace_sum_dependency *to, const trace_sum_dependency *before)
{
    trace_sum_flow r = {0};
    if (!read_flow(x, &r))
        return false;
    if (r.from >= x->s->nmodules || r.to >= x->s->nmodules || !is_in_order(before, &r))
        return trace_refuse(x->l, "a module that does not exist, or in another order");
    trace_sum_waits *bins = trace_arena_take(&x->l->t->tables, x->k.nbuckets * sizeof *bins);
    if (!bins)
        return trace_refuse(x->l, trace_no_memory);
    *to = (trace_sum_dependency){.from = r.from, .to = r.to, .bins = bins};
    for (uint32_t i = 0; i < x->k.nbuckets; i++) {
        bins[i] = bin_of(&r, i);
        if (!add_waits(&to->all, &bins[i]) || !add_waits(&x->all[i], &bins[i]))
            return trace_refuse(x->l, "sums that cannot be");
    }
    return true;
}

static bool check_all(loading *x)
{
    trace_sum_flow r = {0};
    if (!read_flow(x, &r))
        return false;
    bool same = r.from == TRACE_NONE && r.to == TRACE_NONE;
    for (uint32_t i = 0; i < x->k.nbuckets && same; i++) {
        trace_sum_waits bin = bin_of(&r, i);
        same = bin.count == x->all[i].count && bin.wait == x->all[i].wait && bin.lag == x->all[i].lag;
    }
    return same || trace_refuse(x->l, "rows that do not add up");
}

static bool check_head(loading *x, const trace_sum_flows *head, uint32_t count)
{
    const column_in *counts = &x->l->columns[COLUMN_FLOW_COUNT];
    if (head->bin < 1 || (head->bin & (head->bin - 1)) != 0 || head->nbins > TRACE_SUM_BUCKETS ||
        head->nbins != (uint64_t)(x->s->span / head->bin) + 1)
        return trace_refuse(x->l, "bins that do not fit the span");
    // Each value takes a byte.
    if ((uint64_t)count * head->nbins > column_left(counts))
        return trace_refuse(x->l, "a record is cut short");
    return true;
}

static bool load_rows(loading *x, uint32_t n)
{
    loader *l = x->l;
    trace_sum_dependency *rows = trace_arena_take(&l->t->tables, (n + (size_t)1) * sizeof *rows);
    x->all = trace_arena_take(&l->t->tables, x->k.nbuckets * sizeof *x->all);
    if (!rows || !x->all)
        return trace_refuse(l, trace_no_memory);
    memset(x->all, 0, x->k.nbuckets * sizeof *x->all);
    for (l->record = 0; l->record < n; l->record++)
        if (!load_row(x, &rows[l->record], l->record > 0 ? &rows[l->record - 1] : NULL))
            return false;
    x->s->dependencies = rows;
    x->s->ndependencies = n;
    return check_all(x);
}

bool trace_load_dependencies(loader *l, uint32_t count)
{
    trace_summary *s = l->t->summary;
    if (!s || s->has_dependencies || count < 1)
        return trace_refuse(l, "dependencies without a summary, or beside others");
    loading x = {.l = l, .s = s};
    trace_sum_flows head = {0};
    get_flows(&l->columns[COLUMN_FLOWS], &l->k, &head);
    if (!trace_column_sound(l, &l->columns[COLUMN_FLOWS]) || !check_head(&x, &head, count))
        return false;
    x.k.nbuckets = head.nbins;
    s->bin = head.bin;
    s->nbins = head.nbins;
    return load_rows(&x, count - 1) && (s->has_dependencies = true);
}
