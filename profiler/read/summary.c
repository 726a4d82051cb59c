// SPDX-License-Identifier: MIT
//
// Loads a summary: its figures are checked against each other and kept in the tables' memory. Whether
// they are those of the reductions is for iotree to say.
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"

static bool add(uint64_t *sum, uint64_t n)
{
    return !__builtin_add_overflow(*sum, n, sum) && *sum <= INT64_MAX;
}

static bool sum_of(const uint64_t *values, uint32_t n, uint64_t *ret)
{
    *ret = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!add(ret, values[i]))
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Rows

// The largest step of a bucket may be all of it, and none needs a larger one.
static bool peaks_fit(const uint64_t *sums, const uint64_t *most, uint32_t n, uint64_t width)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t all;
        if (most[i] > sums[i] ||
            (!__builtin_mul_overflow(most[i], width, &all) && all < sums[i]))
            return false;
    }
    return true;
}

static bool check_ends(const trace_summary *s, const trace_sum_row *row)
{
    uint32_t first = s->nbuckets, last = 0;
    for (uint32_t i = 0; i < s->nbuckets; i++)
        if (row->reduced[i] > 0) {
            first = i < first ? i : first;
            last = i;
        }
    if (first == s->nbuckets)
        return row->first == 0 && row->last == 0;
    return row->first >= 1 && row->first <= row->last && row->last <= s->span &&
           row->first / s->width == first && row->last / s->width == last;
}

static bool check_row(loader *l, const trace_summary *s, const trace_sum_row *row, bool all)
{
    uint64_t sum;
    uint32_t n = s->nbuckets;
    if (all != (row->name == TRACE_NONE))
        return trace_refuse(l, "a row that is not where it must be");
    if (!all && row->name >= l->t->strings.n)
        return trace_refuse(l, "a string that does not exist");
    if (!sum_of(row->reduced, n, &sum) || !sum_of(row->waiting, n, &sum) ||
        !peaks_fit(row->reduced, row->most_reduced, n, (uint64_t)s->width) ||
        !peaks_fit(row->waiting, row->most_waiting, n, (uint64_t)s->width))
        return trace_refuse(l, "sums that cannot be");
    return check_ends(s, row) || trace_refuse(l, "a first or last reduction that is none");
}

static void add_changes(const uint64_t *changes, uint32_t n)
{
    uint64_t *list = (uint64_t *)changes, before = 0;
    for (uint32_t i = 0; i < n; i++) {
        before += (uint64_t)unzigzag(list[i]);
        list[i] = before;
    }
}

static bool load_row(loader *l, const coding *k, trace_sum_row *row)
{
    *row = (trace_sum_row){0};
    get_sum_row(&l->columns[COLUMN_SUMS], k, row);
    get_sum_reduced(&l->columns[COLUMN_SUM_REDUCED], k, row);
    get_sum_most_reduced(&l->columns[COLUMN_SUM_MOST_REDUCED], k, row);
    get_sum_waiting(&l->columns[COLUMN_SUM_WAITING], k, row);
    get_sum_most_waiting(&l->columns[COLUMN_SUM_MOST_WAITING], k, row);
    for (int i = COLUMN_SUMS; i <= COLUMN_SUM_MOST_WAITING; i++)
        if (!trace_column_sound(l, &l->columns[i]))
            return false;
    add_changes(row->reduced, k->nbuckets);
    add_changes(row->most_reduced, k->nbuckets);
    add_changes(row->waiting, k->nbuckets);
    add_changes(row->most_waiting, k->nbuckets);
    return true;
}

// ---------------------------------------------------------------------------------------------
// What must add up

// Bucket i of all modules together.
static bool check_bucket(const trace_summary *s, uint32_t i)
{
    const trace_sum_row *all = &s->rows[s->nmodules];
    uint64_t reduced = 0, waiting = 0, most = 0, most_waiting = 0;
    for (uint32_t m = 0; m < s->nmodules; m++) {
        const trace_sum_row *row = &s->rows[m];
        if (!add(&reduced, row->reduced[i]) || !add(&waiting, row->waiting[i]))
            return false;
        most = row->most_reduced[i] > most ? row->most_reduced[i] : most;
        most_waiting = row->most_waiting[i] > most_waiting ? row->most_waiting[i] : most_waiting;
    }
    return reduced == all->reduced[i] && waiting == all->waiting[i] &&
           most <= all->most_reduced[i] && most_waiting <= all->most_waiting[i];
}

static bool check_all(const trace_summary *s)
{
    const trace_sum_row *all = &s->rows[s->nmodules];
    uint64_t suspended = 0, processes = 0;
    for (uint32_t m = 0; m < s->nmodules; m++) {
        suspended += s->rows[m].suspended;
        processes += s->rows[m].processes;
    }
    for (uint32_t i = 0; i < s->nbuckets; i++)
        if (!check_bucket(s, i))
            return false;
    return suspended == all->suspended && processes == all->processes && all->last == s->span;
}

// The pairs of a module are all that it did.
static bool check_pairs(const trace_summary *s)
{
    uint64_t path = 0;
    uint32_t i = 0;
    for (uint32_t m = 0; m < s->nmodules; m++) {
        uint64_t work, waiting, pair_work = 0, pair_waiting = 0;
        sum_of(s->rows[m].reduced, s->nbuckets, &work);
        sum_of(s->rows[m].waiting, s->nbuckets, &waiting);
        for (; i < s->npairs && s->pairs[i].module == m; i++)
            if (!add(&pair_work, s->pairs[i].work) || !add(&pair_waiting, s->pairs[i].waiting) ||
                !add(&path, s->pairs[i].control) || !add(&path, s->pairs[i].data))
                return false;
        if (pair_work != work || pair_waiting != waiting)
            return false;
    }
    return i == s->npairs && path == (s->has_path ? (uint64_t)s->span : 0) && s->creation <= path;
}

static bool check_clauses(const trace_summary *s)
{
    uint64_t work, sum = 0;
    sum_of(s->rows[s->nmodules].reduced, s->nbuckets, &work);
    for (uint32_t c = 0; c < s->nclauses; c++) {
        const trace_sum_clause *clause = &s->clauses[c];
        bool any = clause->module != TRACE_NONE;
        if (any != (clause->work > 0) || (any && clause->module >= s->nmodules) ||
            !add(&sum, clause->work))
            return false;
    }
    return sum == work;
}

// ---------------------------------------------------------------------------------------------
// Loading

static bool lists_sound(const trace *t, const trace_summary *s)
{
    for (uint32_t i = 0; i < s->nentries; i++)
        if (s->entries[i].predicate >= t->predicates.n || s->entries[i].module >= s->nmodules ||
            (i > 0 && s->entries[i].predicate <= s->entries[i - 1].predicate))
            return false;
    for (uint32_t i = 0; i < s->npairs; i++) {
        const trace_sum_pair *p = &s->pairs[i], *before = &s->pairs[i > 0 ? i - 1 : 0];
        if (p->predicate >= t->predicates.n || p->module >= s->nmodules ||
            (i > 0 && (p->module < before->module ||
                       (p->module == before->module && p->predicate <= before->predicate))))
            return false;
    }
    return s->nclauses <= t->clauses.n;
}

static bool check_head(loader *l, const trace_summary *s, uint32_t count)
{
    if (count < 2)
        return trace_refuse(l, "a summary without modules");
    if (s->width < 1 || (s->width & (s->width - 1)) != 0 || s->nbuckets > TRACE_SUM_BUCKETS ||
        s->nbuckets != (uint64_t)(s->span / s->width) + 1)
        return trace_refuse(l, "buckets that do not fit the span");
    // Of each value of a row a byte is there, and of its other figures five.
    if ((uint64_t)count * 5 > column_left(&l->columns[COLUMN_SUMS]) ||
        (uint64_t)count * s->nbuckets > column_left(&l->columns[COLUMN_SUM_REDUCED]))
        return trace_refuse(l, "a record is cut short");
    return lists_sound(l->t, s) ||
           trace_refuse(l, "a predicate or a module that does not exist, or in another order");
}

bool trace_load_summary(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (t->summary)
        return trace_refuse(l, "a summary beside another one");
    trace_summary *s = trace_arena_take(&t->tables, sizeof *s);
    if (!s)
        return trace_refuse(l, trace_no_memory);
    *s = (trace_summary){0};
    get_summary(&l->columns[COLUMN_SUMS], &l->k, s);
    s->nmodules = count - 1;
    if (!trace_column_sound(l, &l->columns[COLUMN_SUMS]) || !check_head(l, s, count))
        return false;
    trace_sum_row *rows = trace_arena_take(&t->tables, count * sizeof *rows);
    if (!rows)
        return trace_refuse(l, trace_no_memory);
    coding k = {.nbuckets = s->nbuckets};
    s->rows = rows;
    for (l->record = 0; l->record < count; l->record++)
        if (!load_row(l, &k, &rows[l->record]) ||
            !check_row(l, s, &rows[l->record], l->record == s->nmodules))
            return false;
    if (!check_all(s) || !check_pairs(s) || !check_clauses(s))
        return trace_refuse(l, "rows that do not add up");
    t->summary = s;
    return true;
}

bool trace_summary_fits(const trace_summary *s, const end_record *end)
{
    const trace_sum_row *all = &s->rows[s->nmodules];
    uint64_t work;
    sum_of(all->reduced, s->nbuckets, &work);
    return work + 1 == end->reductions && work + all->suspended == end->goals && !end->cut;
}

const trace_summary *trace_get_summary(const trace *t)
{
    return t->summary;
}

uint64_t trace_told_reductions(const trace *t)
{
    return t->end.reductions > 0 ? t->end.reductions - 1 : 0;
}
