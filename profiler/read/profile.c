// SPDX-License-Identifier: MIT
//
// Loads a profile: its rows are checked against each other and kept in the tables' memory.
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"

// ---------------------------------------------------------------------------------------------
// What a row must fulfil

// The largest step is in a bucket that it may be all of, and none needs a larger one.
static bool check_peak(const trace_profile *p, const trace_profile_row *row)
{
    uint64_t most = 0, all;
    for (uint32_t i = 0; i < p->nbuckets; i++)
        most = row->reduced[i] > most ? row->reduced[i] : most;
    return row->peak <= most &&
           (__builtin_mul_overflow(row->peak, (uint64_t)p->width, &all) || all >= most);
}

static uint32_t bucket_of(const trace_profile *p, int64_t step)
{
    return (uint32_t)((step - 1) / p->width);
}

// Reductions stand in the buckets from the first to the last only, and in these.
static bool check_ends(const trace_profile *p, const trace_profile_row *row)
{
    uint32_t first = p->nbuckets, last = 0;
    for (uint32_t i = 0; i < p->nbuckets; i++)
        if (row->reduced[i] > 0) {
            first = i < first ? i : first;
            last = i;
        }
    if (first == p->nbuckets)
        return row->first == 0 && row->last == 0;
    return row->first >= 1 && row->first <= row->last && row->last <= p->span &&
           bucket_of(p, row->first) == first && bucket_of(p, row->last) == last;
}

// All modules together are what is read last.
static bool check_total(const trace_profile *p,
                        const uint64_t *(*column)(const trace_profile_row *))
{
    const uint64_t *all = column(&p->rows[p->nmodules]);
    for (uint32_t i = 0; i < p->nbuckets; i++) {
        uint64_t sum = 0;
        for (uint32_t m = 0; m < p->nmodules; m++)
            if (__builtin_add_overflow(sum, column(&p->rows[m])[i], &sum))
                return false;
        if (sum != all[i])
            return false;
    }
    return true;
}

static const uint64_t *reduced_of(const trace_profile_row *row)
{
    return row->reduced;
}

static const uint64_t *waiting_of(const trace_profile_row *row)
{
    return row->waiting;
}

// No sum over a whole row overflows, so that nobody need ask.
static bool check_size(const trace_profile *p, const uint64_t *sums)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->nbuckets; i++)
        if (__builtin_add_overflow(sum, sums[i], &sum) || sum > INT64_MAX)
            return false;
    return true;
}

static bool check_row(loader *l, const trace_profile *p, const trace_profile_row *row, bool all)
{
    if (all != (row->name == TRACE_NONE))
        return trace_refuse(l, "a row that is not where it must be");
    if (!all && row->name >= l->t->strings.n)
        return trace_refuse(l, "a string that does not exist");
    if (!check_size(p, row->reduced) || !check_size(p, row->waiting) ||
        row->suspended > INT64_MAX || !check_peak(p, row))
        return trace_refuse(l, "sums that cannot be");
    return check_ends(p, row) || trace_refuse(l, "a first or last reduction that is none");
}

static bool check_all(loader *l, const trace_profile *p)
{
    const trace_profile_row *all = &p->rows[p->nmodules];
    uint64_t suspended = 0;
    for (uint32_t i = 0; i < p->nmodules; i++)
        if (__builtin_add_overflow(suspended, p->rows[i].suspended, &suspended))
            return trace_refuse(l, "rows that do not add up");
    if (suspended != all->suspended || all->last != p->span || !check_total(p, reduced_of) ||
        !check_total(p, waiting_of))
        return trace_refuse(l, "rows that do not add up");
    return true;
}

// ---------------------------------------------------------------------------------------------
// Loading

static bool check_head(loader *l, const trace_profile *p, uint32_t count)
{
    if (count < 2)
        return trace_refuse(l, "a profile without modules");
    if (p->width < 1 || p->nbuckets > TRACE_BUCKETS ||
        p->nbuckets != p->span / p->width + (p->span % p->width > 0))
        return trace_refuse(l, "buckets that do not fit the span");
    return true;
}

// Changes from bucket to bucket become values. The list is that of a row being loaded.
static void add_changes(const uint64_t *changes, uint32_t n)
{
    uint64_t *list = (uint64_t *)changes, before = 0;
    for (uint32_t i = 0; i < n; i++) {
        before += (uint64_t)unzigzag(list[i]);
        list[i] = before;
    }
}

static bool load_row(loader *l, const coding *k, trace_profile_row *row)
{
    *row = (trace_profile_row){0};
    get_row(&l->columns[COLUMN_ROWS], k, row);
    get_reduced(&l->columns[COLUMN_REDUCED], k, row);
    get_waited(&l->columns[COLUMN_WAITED], k, row);
    for (int i = COLUMN_ROWS; i <= COLUMN_WAITED; i++)
        if (!trace_column_sound(l, &l->columns[i]))
            return false;
    add_changes(row->reduced, k->nbuckets);
    add_changes(row->waiting, k->nbuckets);
    return true;
}

bool trace_load_profile(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->profile || t->samples || t->goals_reduced.n > 0)
        return trace_refuse(l, "a profile beside reductions, samples or another profile");
    trace_profile *p = trace_arena_take(&t->tables, sizeof *p);
    if (!p)
        return trace_refuse(l, trace_no_memory);
    *p = (trace_profile){0};
    get_profile(&l->columns[COLUMN_ROWS], &l->k, p);
    if (!trace_column_sound(l, &l->columns[COLUMN_ROWS]) || !check_head(l, p, count))
        return false;
    // A record takes four bytes at least.
    if (count > column_left(&l->columns[COLUMN_ROWS]))
        return trace_refuse(l, "a record is cut short");
    trace_profile_row *rows = trace_arena_take(&t->tables, count * sizeof *rows);
    if (!rows)
        return trace_refuse(l, trace_no_memory);
    coding k = {.nbuckets = p->nbuckets};
    p->nmodules = count - 1;
    p->rows = rows;
    for (l->record = 0; l->record < count; l->record++)
        if (!load_row(l, &k, &rows[l->record]) ||
            !check_row(l, p, &rows[l->record], l->record == p->nmodules))
            return false;
    if (!check_all(l, p))
        return false;
    t->profile = p;
    return true;
}
