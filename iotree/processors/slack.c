// SPDX-License-Identifier: MIT
//
// Slack: how much later an output could come without a longer span. One pass back over the run
// finds by when each binding is needed: a reader needs it before the reader's own latest end, and
// so does who reads a binding that passed it on.
//
// What hastening brings: only outputs on the critical path can bring anything, since that path
// stays as long as it is whatever else comes earlier. So the places of the program that made those
// are priced: the times of the run again, where nobody waits for the outputs of one place.
#include "iotree/processors/slack.h"
#include "base/table.h"
#include "iotree/prices/waits.h"

#define NEVER INT64_MAX

// ---------------------------------------------------------------------------------------------
// Passes over the run

// What forward and backward passes share. A binding is there when its maker has reduced and all
// that it passed on is there, too.
typedef struct {
    const trace *t;
    uint32_t n;
    int64_t *times; // by reduction
    int64_t *there; // by binding
} timing;

static timing begin_timing(const trace *t)
{
    timing x = {.t = t, .n = trace_nreductions(t)};
    x.times = base_allocate(x.n, sizeof *x.times);
    x.there = base_allocate(trace_nbindings(t), sizeof *x.there);
    return x;
}

static void end_timing(timing *x)
{
    free(x->times);
    free(x->there);
}

static uint32_t parent_of(const trace *t, uint32_t reduction)
{
    return trace_goal_parent(t, trace_reduction_goal(t, reduction));
}

// The latest of what a reduction waited for, by the times of a timing. What it bound itself has a number
// from its first binding on, and TRACE_NONE is above all numbers.
static int64_t ready_at(const timing *x, uint32_t reduction)
{
    int64_t latest = x->times[parent_of(x->t, reduction)];
    const uint32_t *reads;
    uint32_t n = trace_reads(x->t, reduction, &reads), own = trace_first_binding(x->t, reduction);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t binding = trace_cell_binding(x->t, reads[i]);
        if (binding < own && x->there[binding] > latest)
            latest = x->there[binding];
    }
    return latest;
}

// The bindings of a reduction, when it has its time. Those that `early` holds (NULL: none) do not
// wait for it.
static void make_bindings(timing *x, uint32_t reduction, const uint8_t *early)
{
    uint32_t end = trace_first_binding(x->t, reduction + 1);
    for (uint32_t b = trace_first_binding(x->t, reduction); b < end; b++) {
        const uint32_t *passed;
        uint32_t n = trace_passed(x->t, b, &passed);
        int64_t at = early && bit_get(early, b) ? 0 : x->times[reduction];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t other = trace_cell_binding(x->t, passed[i]);
            if (other != TRACE_NONE && other < b && x->there[other] > at)
                at = x->there[other];
        }
        x->there[b] = at;
    }
}

// The recorded times; ret_costs: what each reduction took beyond what it waited for.
static timing recorded_timing(const trace *t, int64_t **ret_costs)
{
    timing x = begin_timing(t);
    *ret_costs = base_allocate(x.n, sizeof **ret_costs);
    for (uint32_t r = 0; r < x.n; r++) {
        x.times[r] = trace_time(t, r);
        (*ret_costs)[r] = r ? x.times[r] - ready_at(&x, r) : 0;
        make_bindings(&x, r, NULL);
    }
    return x;
}

static int64_t span_without(const trace *t, const int64_t *costs, const uint8_t *early)
{
    timing x = begin_timing(t);
    int64_t span = 0;
    for (uint32_t r = 0; r < x.n; r++) {
        x.times[r] = r ? costs[r] + ready_at(&x, r) : 0;
        span = x.times[r] > span ? x.times[r] : span;
        make_bindings(&x, r, early);
    }
    end_timing(&x);
    return span;
}

// ---------------------------------------------------------------------------------------------
// By when everything is needed

static void need_by(int64_t *at, int64_t time)
{
    *at = time < *at ? time : *at;
}

// needed[b] is by when binding b is needed, span at the latest. ends[r]: by when r must have ended.
static void go_back(const trace *t, const int64_t *costs, int64_t span, int64_t *ends,
                    int64_t *needed)
{
    uint32_t n = trace_nreductions(t), nbindings = trace_nbindings(t);
    for (uint32_t r = 0; r < n; r++)
        ends[r] = span;
    for (uint32_t b = 0; b < nbindings; b++)
        needed[b] = span;
    for (uint32_t r = n; r-- > 0;) {
        const uint32_t *variables;
        for (uint32_t b = trace_first_binding(t, r + 1); b-- > trace_first_binding(t, r);) {
            uint32_t npassed = trace_passed(t, b, &variables);
            for (uint32_t i = 0; i < npassed; i++) {
                uint32_t other = trace_cell_binding(t, variables[i]);
                if (other != TRACE_NONE && other < b)
                    need_by(&needed[other], needed[b]);
            }
            need_by(&ends[r], needed[b]);
        }
        if (r == 0)
            break;
        need_by(&ends[parent_of(t, r)], ends[r] - costs[r]);
        uint32_t nreads = trace_reads(t, r, &variables), own = trace_first_binding(t, r);
        for (uint32_t i = 0; i < nreads; i++) {
            uint32_t binding = trace_cell_binding(t, variables[i]);
            if (binding < own)
                need_by(&needed[binding], ends[r] - costs[r]);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Places of the program that make outputs

typedef struct {
    const iot *a;
    const wait_graph *g;
    ARRAY_OF(iot_hasten) rows;
    base_index index;   // of the rows
    ARRAY_OF(uint32_t) sites; // by row: of the maker
    uint32_t *on_path;  // by row: bindings of the critical path
    uint32_t *row_of;   // by binding: its row, IOT_NONE: no output
    const int64_t *slack; // by binding
} places;

static bool is_row(const places *p, uint32_t i, uint32_t module, uint32_t site, uint32_t item)
{
    const iot_hasten *row = &p->rows.at[i];
    return row->module == module && p->sites.at[i] == site && row->item == item;
}

static uint32_t row_of(places *p, uint32_t binding, uint32_t maker)
{
    const trace *t = p->a->t;
    uint32_t module = p->a->processes[process_of(p->a, maker)].module, site = p->g->sites[maker];
    uint32_t item = trace_binding_item(t, binding), found;
    uint64_t hash = hash_word(hash_word(module, site), item);
    INDEX_FIND(found, &p->index, hash, i, is_row(p, i, module, site, item));
    if (found != INDEX_NONE)
        return found;
    iot_hasten row = {.module = module,
                      .clause = trace_reduction_clause(t, maker),
                      .item = item,
                      .binding = binding,
                      .slack = NEVER};
    row.line = iot_reduction_line(t, maker, &row.source);
    index_add(&p->index, hash, (uint32_t)p->rows.n);
    ARRAY_PUSH(p->rows, row);
    ARRAY_PUSH(p->sites, site);
    return (uint32_t)p->rows.n - 1;
}

static void add_output(places *p, uint32_t binding, uint32_t maker)
{
    uint32_t i = row_of(p, binding, maker);
    iot_hasten *row = &p->rows.at[i];
    int64_t slack = p->slack[binding];
    p->row_of[binding] = i;
    row->outputs++;
    row->critical += slack == 0;
    if (slack < row->slack) {
        row->slack = slack;
        row->binding = binding;
    }
}

static void find_places(places *p)
{
    const trace *t = p->a->t;
    for (uint32_t r = 0; r < p->a->n; r++) {
        uint32_t end = trace_first_binding(t, r + 1);
        for (uint32_t b = trace_first_binding(t, r); b < end; b++) {
            p->row_of[b] = IOT_NONE;
            if (r > 0 && iot_is_output(p->a, b, r))
                add_output(p, b, r);
        }
    }
}

static void count_path(places *p)
{
    p->on_path = base_allocate(p->rows.n, sizeof *p->on_path);
    for (uint32_t i = 0; i < p->a->path.n; i++) {
        int64_t time;
        if (!bit_get(p->a->path.data_bits, i))
            continue;
        uint32_t binding = iot_latest_commit_read(p->a->t, p->a->path.steps[i], &time);
        if (p->row_of[binding] != IOT_NONE)
            p->on_path[p->row_of[binding]]++;
    }
}

// The place with the most bindings on the path that is not priced yet; IOT_NONE: none.
static uint32_t next_to_price(const places *p, const uint8_t *priced)
{
    uint32_t best = IOT_NONE;
    for (uint32_t i = 0; i < p->rows.n; i++)
        if (p->on_path[i] > 0 && !bit_get(priced, i) &&
            (best == IOT_NONE || p->on_path[i] > p->on_path[best]))
            best = i;
    return best;
}

static int64_t price_place(const places *p, const int64_t *costs, uint32_t row)
{
    uint32_t n = trace_nbindings(p->a->t);
    uint8_t *early = bits_allocate(n);
    for (uint32_t b = 0; b < n; b++)
        if (p->row_of[b] == row)
            bit_set(early, b);
    int64_t span = span_without(p->a->t, costs, early);
    free(early);
    return span;
}

// False: cancelled.
static bool price_places(places *p, const int64_t *costs, iot_progress progress, void *data)
{
    uint8_t *priced = bits_allocate((uint32_t)p->rows.n);
    bool going = true;
    for (uint32_t i = 0; i < p->rows.n; i++) {
        p->rows.at[i].span_without = p->a->span;
        p->rows.at[i].priced = p->on_path[i] == 0;
    }
    for (uint32_t i = 0; i < IOT_MOST_HASTENED && going; i++) {
        uint32_t row = next_to_price(p, priced);
        if (row == IOT_NONE)
            break;
        bit_set(priced, row);
        p->rows.at[row].span_without = price_place(p, costs, row);
        p->rows.at[row].priced = true;
        going = !progress || progress(data, 0.3 + 0.7 * i / IOT_MOST_HASTENED);
    }
    free(priced);
    return going;
}

static int by_saving(const void *x, const void *y)
{
    const iot_hasten *a = x, *b = y;
    if (a->span_without != b->span_without)
        return a->span_without < b->span_without ? -1 : 1;
    if (a->slack != b->slack)
        return a->slack < b->slack ? -1 : 1;
    return a->binding < b->binding ? -1 : a->binding > b->binding;
}

// ---------------------------------------------------------------------------------------------
// On demand

static int64_t *slack_of_bindings(const iot *a, const int64_t *costs)
{
    const trace *t = a->t;
    uint32_t n = trace_nbindings(t);
    int64_t *ends = base_allocate(a->n, sizeof *ends), *slack = base_allocate(n, sizeof *slack);
    go_back(t, costs, a->span, ends, slack);
    for (uint32_t b = 0; b < n; b++)
        slack[b] -= trace_time(t, trace_binding_maker(t, b));
    free(ends);
    return slack;
}

static bool find_slack(iot *a, iot_progress progress, void *data)
{
    int64_t *costs;
    places p = {.a = a, .g = iot_waits(a, NULL, NULL)};
    timing recorded = recorded_timing(a->t, &costs);
    end_timing(&recorded);
    iot_ensure_visibility(a);
    p.slack = a->slack.of_binding = slack_of_bindings(a, costs);
    p.row_of = base_resize(NULL, trace_nbindings(a->t), sizeof *p.row_of);
    find_places(&p);
    count_path(&p);
    bool done = (!progress || progress(data, 0.3)) && price_places(&p, costs, progress, data);
    if (p.rows.n > 0)
        qsort(p.rows.at, p.rows.n, sizeof *p.rows.at, by_saving);
    a->slack.rows = p.rows.at;
    a->slack.n = (uint32_t)p.rows.n;
    index_free(&p.index);
    free(p.sites.at);
    free(p.on_path);
    free(p.row_of);
    free(costs);
    return done;
}

void iot_destroy_slack(iot *a)
{
    free(a->slack.of_binding);
    free(a->slack.rows);
    a->slack.of_binding = NULL;
    a->slack.rows = NULL;
}

bool iot_find_slack(const iot *analysis, iot_progress progress, void *data)
{
    iot *a = (iot *)analysis;
    bool done = true;
    pthread_mutex_lock(&a->lock);
    if (!a->slack.of_binding) {
        done = find_slack(a, progress, data);
        if (!done)
            iot_destroy_slack(a);
    }
    pthread_mutex_unlock(&a->lock);
    return done;
}

int64_t iot_slack(const iot *a, uint32_t binding)
{
    iot_find_slack(a, NULL, NULL);
    return a->slack.of_binding[binding];
}

uint32_t iot_nhasten(const iot *a)
{
    iot_find_slack(a, NULL, NULL);
    return a->slack.n;
}

const iot_hasten *iot_get_hasten(const iot *a, uint32_t i)
{
    return iot_nhasten(a) > i ? &a->slack.rows[i] : NULL;
}
