// SPDX-License-Identifier: MIT
//
// The database sums within a condition; the rows of conditions are put side by side here.
#include "store/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "store/runs/store_private.h"

// An aspect, and the question for the sums of a condition: name and figures.
typedef struct {
    store_aspect aspect;
    const char *question;
} source;

#define OF_CONDITION " JOIN run ON run.id = x.run WHERE run.condition = $1 AND run.enabled = 1 "

static const source sources[] = {
    {{"messages", "from, to", 2, {"messages", "bytes"}, {"", "bytes"}},
     "SELECT a.name || ' -> ' || b.name, SUM(1.0 * x.messages), SUM(1.0 * x.bytes) FROM message x "
     "JOIN place a ON a.id = x.from_place JOIN place b ON b.id = x.to_place" OF_CONDITION
     "GROUP BY a.name, b.name"},
    {{"files", "access, file", 3, {"calls", "bytes", "time"}, {"", "bytes", "ns"}},
     "SELECT x.access || ' ' || x.file, SUM(1.0 * x.calls), SUM(1.0 * x.bytes), SUM(1.0 * "
     "x.time_spent) "
     "FROM file_access x" OF_CONDITION "GROUP BY x.access, x.file"},
    {{"jobs", "job", 3, {"jobs", "processor time", "time"}, {"", "ns", "ns"}},
     "SELECT x.name, COUNT(*) * 1.0, SUM(1.0 * x.user_time + x.system_time), "
     "SUM(1.0 * x.end_time - x.begin_time) FROM job x" OF_CONDITION "GROUP BY x.name"},
};

size_t store_naspects(void)
{
    return sizeof sources / sizeof *sources;
}

const store_aspect *store_get_aspect(size_t i)
{
    return &sources[i].aspect;
}

typedef struct {
    store_details *d;
    base_index by_name;
    size_t capacity;
} collecting;

static store_detail *row_of(collecting *x, const char *name)
{
    uint64_t hash = hash_bytes(0, name, strlen(name));
    store_details *d = x->d;
    uint32_t found;
    INDEX_FIND(found, &x->by_name, hash, i, !strcmp(d->rows[i].name, name));
    if (found != INDEX_NONE)
        return &d->rows[found];
    if (d->n == x->capacity) {
        x->capacity = x->capacity ? 2 * x->capacity : 64;
        d->rows = base_resize(d->rows, x->capacity, sizeof *d->rows);
    }
    d->rows[d->n] = (store_detail){
        base_copy(name), base_allocate(STORE_FIGURES * d->nconditions, sizeof(double)), 0};
    index_add(&x->by_name, hash, (uint32_t)d->n);
    return &d->rows[d->n++];
}

// A sum of which nothing was observed is not observed.
static void add_to_total(double *total, double mean)
{
    if (!isnan(mean))
        *total = isnan(*total) ? mean : *total + mean;
}

static void collect(collecting *x, store *s, const source *from, const store_comparison *c,
                    size_t which)
{
    const store_condition *k = &c->conditions[which];
    store_details *d = x->d;
    db_rows *r = db_ask(s->database, from->question, "i", k->id);
    while (r && db_next(r)) {
        store_detail *row = row_of(x, db_text(r, 0) ? db_text(r, 0) : "");
        for (size_t f = 0; f < from->aspect.nfigures; f++) {
            double mean = db_real(r, (int)f + 1) / (double)k->ntrials; // NaN: not observed
            row->means[f * d->nconditions + which] = mean;
            add_to_total(&d->totals[f * d->nconditions + which], mean);
        }
    }
    db_end(r);
}

static int by_difference(const void *x, const void *y)
{
    const store_detail *a = x, *b = y;
    double first = fabs(a->difference), second = fabs(b->difference);
    return first > second ? -1 : first < second ? 1 : strcmp(a->name, b->name);
}

static double known(double x)
{
    return isnan(x) ? 0 : x;
}

store_details *store_compare_details(store *s, const store_comparison *c,
                                     const store_aspect *aspect)
{
    collecting x = {.d = base_allocate(1, sizeof *x.d)};
    const source *from = &sources[0];
    while (&from->aspect != aspect)
        from++;
    store_details *d = x.d;
    d->aspect = aspect;
    d->nconditions = c->nconditions;
    d->totals = base_allocate(STORE_FIGURES * d->nconditions, sizeof *d->totals);
    for (size_t i = 0; i < STORE_FIGURES * d->nconditions; i++)
        d->totals[i] = NAN;
    for (size_t i = 0; i < c->nconditions && !db_error(s->database); i++)
        collect(&x, s, from, c, i);
    index_free(&x.by_name);
    if (db_error(s->database)) {
        store_give_up(s);
        store_details_free(d);
        return NULL;
    }
    const double *last;
    for (size_t i = 0; i < d->n; i++) {
        last = d->rows[i].means + (aspect->nfigures - 1) * d->nconditions;
        d->rows[i].difference = known(last[c->slower]) - known(last[c->faster]);
    }
    if (d->n)
        qsort(d->rows, d->n, sizeof *d->rows, by_difference);
    return d;
}

void store_details_free(store_details *d)
{
    for (size_t i = 0; d && i < d->n; i++) {
        free(d->rows[i].name);
        free(d->rows[i].means);
    }
    if (d) {
        free(d->rows);
        free(d->totals);
    }
    free(d);
}
