// SPDX-License-Identifier: MIT
//
// Operations on the graph of waits: other costs, windows, and goals that no longer follow each
// other. Where their definition (time-and-trace, section 5) leaves room, the comments here decide.
#include "iotree/prices/operations.h"

#include "iotree/prices/chains.h"

#define MANY IOT_NONE // of a link: more than one

static uint8_t *bits_of_waits(const wait_graph *g)
{
    return base_allocate(g->first[g->n] / 8 + 1, 1);
}

static void wait_set(uint8_t *bits, uint64_t wait)
{
    bits[wait >> 3] |= (uint8_t)(1u << (wait & 7));
}

// ---------------------------------------------------------------------------------------------
// Costs

static double *own_costs(price_draft *d)
{
    if (!d->costs) {
        d->costs = base_allocate(d->g->n, sizeof *d->costs);
        for (uint32_t r = 0; r < d->g->n; r++)
            d->costs[r] = (double)wait_cost(d->g, r);
    }
    return d->costs;
}

uint64_t iot_draft_speed_up(price_draft *d, const uint8_t *modules, double divisor)
{
    double *costs = own_costs(d);
    uint64_t n = 0;
    for (uint32_t r = 1; r < d->g->n; r++) {
        if (bit_get(modules, d->a->processes[process_of(d->a, r)].module)) {
            costs[r] /= divisor;
            n++;
        }
    }
    return n;
}

// By reduction the only child of its predicate, 0: none, or MANY.
static uint32_t *only_children(const wait_graph *g)
{
    uint32_t *child = base_allocate(g->n, sizeof *child);
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t p = g->parents[r];
        if (p && g->all_sites[g->sites[p]].predicate == g->all_sites[g->sites[r]].predicate)
            child[p] = child[p] ? MANY : r;
    }
    return child;
}

// By reduction the first of its creation chain: goals of one predicate each of which made the next,
// and no other of that predicate.
static uint32_t *creation_chains(const wait_graph *g)
{
    uint32_t *child = only_children(g), *heads = base_allocate(g->n, sizeof *heads);
    for (uint32_t r = 1; r < g->n; r++)
        heads[r] = child[g->parents[r]] == r ? heads[g->parents[r]] : r;
    free(child);
    return heads;
}

// Siblings: goals of one predicate whose parents are one goal, or of one creation chain. A goal
// that continues a chain of its own predicate is nobody's sibling, nor is one below a goal that has
// siblings. `work` is what a goal and all below it cost.
typedef struct {
    const wait_graph *g;
    const uint8_t *predicates;
    uint32_t *heads;
    double *work;
    double *sums; // by the head of the parents' chain
    uint32_t *counts;
    uint8_t *below; // bits by reduction: is, or is below, a goal that has siblings
} siblings;

static bool may_be_sibling(const siblings *s, uint32_t r)
{
    return is_of(s->g, r, s->predicates) && s->heads[r] == r;
}

static uint32_t group_of(const siblings *s, uint32_t r)
{
    return s->heads[s->g->parents[r]];
}

static siblings find_siblings(const wait_graph *g, const uint8_t *predicates)
{
    siblings s = {.g = g, .predicates = predicates, .heads = creation_chains(g)};
    s.work = base_allocate(g->n, sizeof *s.work);
    s.sums = base_allocate(g->n, sizeof *s.sums);
    s.counts = base_allocate(g->n, sizeof *s.counts);
    s.below = bits_allocate(g->n);
    for (uint32_t r = g->n - 1; r > 0; r--) {
        s.work[r] += (double)wait_cost(g, r);
        s.work[g->parents[r]] += s.work[r];
        s.counts[group_of(&s, r)] += may_be_sibling(&s, r);
    }
    for (uint32_t r = 1; r < g->n; r++)
        if (bit_get(s.below, g->parents[r]) ||
            (may_be_sibling(&s, r) && s.counts[group_of(&s, r)] > 1))
            bit_set(s.below, r);
    memset(s.counts, 0, g->n * sizeof *s.counts);
    for (uint32_t r = 1; r < g->n; r++) {
        if (may_be_sibling(&s, r) && !bit_get(s.below, g->parents[r])) {
            s.sums[group_of(&s, r)] += s.work[r];
            s.counts[group_of(&s, r)]++;
        }
    }
    return s;
}

// Of one predicate.
static uint64_t even_out(price_draft *d, const uint8_t *predicate)
{
    const wait_graph *g = d->g;
    siblings s = find_siblings(g, predicate);
    double *costs = own_costs(d), *factors = base_allocate(g->n, sizeof *factors);
    uint64_t n = 0;
    factors[0] = 1;
    for (uint32_t r = 1; r < g->n; r++) {
        factors[r] = factors[g->parents[r]];
        if (may_be_sibling(&s, r) && !bit_get(s.below, g->parents[r])) {
            double mean = s.sums[group_of(&s, r)] / s.counts[group_of(&s, r)];
            if (s.work[r] > mean) {
                factors[r] = mean / s.work[r];
                n++;
            }
        }
        costs[r] *= factors[r];
    }
    free(factors);
    free(s.heads);
    free(s.work);
    free(s.sums);
    free(s.counts);
    free(s.below);
    return n;
}

uint64_t iot_draft_even(price_draft *d, const uint8_t *predicates)
{
    uint32_t npredicates = trace_npredicates(d->a->t);
    uint64_t n = 0;
    for (uint32_t p = 0; p < npredicates; p++) {
        if (bit_get(predicates, p)) {
            uint8_t *one = bits_allocate(npredicates);
            bit_set(one, p);
            n += even_out(d, one);
            free(one);
        }
    }
    return n;
}

// ---------------------------------------------------------------------------------------------
// Goals that no longer follow each other

static uint32_t *own_parents(price_draft *d)
{
    if (!d->parents) {
        d->parents = base_allocate(d->g->n, sizeof *d->parents);
        memset(d->parents, 0xff, d->g->n * sizeof *d->parents); // IOT_NONE
    }
    return d->parents;
}

static double levels(uint32_t n)
{
    double depth = 0;
    for (uint64_t reach = 1; reach < n; reach *= 2)
        depth++;
    return depth;
}

uint64_t iot_draft_tree(price_draft *d, const uint8_t *predicates, uint32_t *ret_longest)
{
    const wait_graph *g = d->g;
    goal_chains c = iot_find_chains(g, d->a->t, predicates);
    uint32_t *parents = own_parents(d);
    uint64_t n = 0;
    if (!d->depths)
        d->depths = base_allocate(g->n, sizeof *d->depths);
    if (!d->dropped)
        d->dropped = bits_of_waits(g);
    *ret_longest = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        if (c.length[r] < 2)
            continue;
        parents[r] = g->parents[c.oldest[r]];
        d->depths[r] = levels(c.length[r]);
        *ret_longest = c.length[r] > *ret_longest ? c.length[r] : *ret_longest;
        n++;
        if (c.read[r] != NO_READ) {
            uint64_t end = end_of_read(g, c.read[r], g->first[r + 1]);
            for (uint64_t w = c.read[r]; w < end; w++)
                wait_set(d->dropped, w);
        }
    }
    iot_free_chains(&c);
    return n;
}

// The chain of a goal goes on at the next goal of the predicates below it, if that is the only one
// that is next; what lies between waits as it did.
uint64_t iot_draft_unordered(price_draft *d, const uint8_t *predicates)
{
    const wait_graph *g = d->g;
    uint32_t *above = base_allocate(g->n, sizeof *above); // the nearest such goal, or 0
    uint32_t *next = base_allocate(g->n, sizeof *next);   // 0: none, or MANY
    uint32_t *heads = base_allocate(g->n, sizeof *heads), *parents = own_parents(d);
    uint64_t n = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t p = g->parents[r];
        above[r] = is_of(g, p, predicates) ? p : above[p];
        if (above[r] && is_of(g, r, predicates))
            next[above[r]] = next[above[r]] ? MANY : r;
    }
    for (uint32_t r = 1; r < g->n; r++) {
        heads[r] = r;
        if (!is_of(g, r, predicates) || next[above[r]] != r)
            continue;
        heads[r] = heads[above[r]];
        parents[r] = g->parents[heads[r]];
        n++;
    }
    free(above);
    free(next);
    free(heads);
    return n;
}

// ---------------------------------------------------------------------------------------------
// Windows

// The reads that have waits of the class, by process and in order.
typedef struct {
    const price_draft *d;
    const uint8_t *kinds;
    uint64_t *start;  // of process p: [start[p], start[p + 1])
    uint64_t *reads;  // the first wait of each
    uint32_t *reader; // of each
} class_reads;

static bool is_in_window(const class_reads *c, uint64_t wait)
{
    const price_draft *d = c->d;
    uint32_t kind = d->g->kinds[wait];
    return bit_get(c->kinds, kind) && !(d->without && bit_get(d->without, kind)) &&
           !(d->dropped && wait_bit(d->dropped, wait));
}

// Counts them by process, or (if they are counted) puts them where they belong.
static void visit_reads(class_reads *c, uint64_t *places)
{
    const wait_graph *g = c->d->g;
    for (uint32_t r = 1; r < g->n; r++) {
        for (uint64_t i = g->first[r], end = g->first[r + 1], next; i < end; i = next) {
            bool in = false;
            next = end_of_read(g, i, end);
            for (uint64_t w = i; w < next; w++)
                in = in || is_in_window(c, w);
            if (!in)
                continue;
            uint64_t place = places[process_of(c->d->a, r)]++;
            if (c->reads) {
                c->reads[place] = i;
                c->reader[place] = r;
            }
        }
    }
}

static class_reads find_reads(const price_draft *d, const uint8_t *kinds)
{
    uint32_t n = d->a->nprocesses;
    class_reads c = {.d = d, .kinds = kinds};
    uint64_t *places = base_allocate(n, sizeof *places);
    c.start = base_allocate((size_t)n + 1, sizeof *c.start);
    visit_reads(&c, places);
    for (uint32_t p = 0; p < n; p++) {
        c.start[p + 1] = c.start[p] + places[p];
        places[p] = c.start[p];
    }
    c.reads = base_allocate(c.start[n], sizeof *c.reads);
    c.reader = base_allocate(c.start[n], sizeof *c.reader);
    visit_reads(&c, places);
    free(places);
    return c;
}

// Read i of the list waits for what read j waited for; UINT64_MAX: for nothing. Only the class's
// waits count, of both.
static void replace_read(price_draft *d, const class_reads *c, uint64_t i, uint64_t j)
{
    const wait_graph *g = d->g;
    uint64_t end;
    if (j != UINT64_MAX) {
        end = end_of_read(g, c->reads[j], g->first[c->reader[j] + 1]);
        for (uint64_t w = c->reads[j]; w < end; w++)
            if (is_in_window(c, w))
                ARRAY_PUSH(d->added, (wait_added){c->reader[i], g->makers[w]});
    }
}

static int by_reader(const void *x, const void *y)
{
    const wait_added *a = x, *b = y;
    if (a->reader != b->reader)
        return a->reader < b->reader ? -1 : 1;
    return a->maker < b->maker ? -1 : a->maker > b->maker;
}

uint64_t iot_draft_window(price_draft *d, const uint8_t *kinds, uint64_t n)
{
    const wait_graph *g = d->g;
    class_reads c = find_reads(d, kinds);
    uint64_t changed = 0;
    uint8_t *left = bits_of_waits(g);
    for (uint32_t p = 0; n > 1 && p < d->a->nprocesses; p++) {
        for (uint64_t i = c.start[p]; i < c.start[p + 1]; i++) {
            uint64_t place = i - c.start[p];
            replace_read(d, &c, i, place >= n - 1 ? i - (n - 1) : UINT64_MAX);
            uint64_t end = end_of_read(g, c.reads[i], g->first[c.reader[i] + 1]);
            for (uint64_t w = c.reads[i]; w < end; w++)
                if (is_in_window(&c, w))
                    wait_set(left, w);
            changed++;
        }
    }
    if (d->added.n)
        qsort(d->added.at, d->added.n, sizeof *d->added.at, by_reader);
    if (d->dropped) {
        for (uint64_t i = 0; i <= g->first[g->n] / 8; i++)
            d->dropped[i] |= left[i];
        free(left);
    } else {
        d->dropped = left;
    }
    free(c.start);
    free(c.reads);
    free(c.reader);
    return changed;
}

// ---------------------------------------------------------------------------------------------
// The change

wait_change iot_finish_draft(price_draft *d)
{
    const wait_graph *g = d->g;
    ARRAY_OF(wait_edit) waits = {0};
    ARRAY_OF(reduction_edit) reductions = {0};
    for (uint64_t w = 0; d->dropped && w < g->first[g->n]; w++)
        if (wait_bit(d->dropped, w))
            ARRAY_PUSH(waits, (wait_edit){w, IOT_NONE});
    for (uint32_t r = 1; (d->parents || d->depths) && r < g->n; r++) {
        double depth = d->depths ? d->depths[r] : 0;
        double cost = d->costs ? d->costs[r] : (double)wait_cost(g, r);
        reduction_edit edit = {r, d->parents ? d->parents[r] : IOT_NONE,
                               depth > 0 ? cost * depth : -1};
        if (edit.parent != IOT_NONE || depth > 0)
            ARRAY_PUSH(reductions, edit);
    }
    wait_change change = {.without_kinds = d->without,
                          .waits = waits.at,
                          .nwaits = waits.n,
                          .added = d->added.at,
                          .nadded = d->added.n,
                          .reductions = reductions.at,
                          .nreductions = reductions.n,
                          .costs = d->costs};
    free(d->dropped);
    free(d->parents);
    free(d->depths);
    *d = (price_draft){0};
    return change;
}
