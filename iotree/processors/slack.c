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
#include "iotree/graph/stage.h"
#include "iotree/prices/relays.h"

#define NEVER      INT64_MAX
#define FEW_PASSED 16u // bindings, of which a read waits for each itself
#define NO_PLACE   IOT_MOST_HASTENED // the kind of waits for outputs of no place that is priced

// ---------------------------------------------------------------------------------------------
// The run as what each reduction waited for

// Bindings that reduction r read, without the ones that it made: [first[r], first[r + 1]).
typedef struct {
    const trace *t;
    uint32_t n;
    const uint32_t *parents; // by reduction
    uint64_t *first;
    ARRAY_OF(uint32_t) reads;
    int64_t *costs; // by reduction: what it took beyond what it waited for
} flow;

// What a reduction bound itself has a number from its first binding on, and TRACE_NONE is above all
// numbers.
static void list_reads(flow *f)
{
    f->first = base_allocate((size_t)f->n + 1, sizeof *f->first);
    for (uint32_t r = 0; r < f->n; r++) {
        const uint32_t *variables;
        uint32_t n = trace_reads(f->t, r, &variables), own = trace_first_binding(f->t, r);
        f->first[r] = f->reads.n;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t binding = trace_cell_binding(f->t, variables[i]);
            if (binding < own)
                ARRAY_PUSH(f->reads, binding);
        }
    }
    f->first[f->n] = f->reads.n;
}

// The bindings that this one passed on are there only if they are older.
static uint32_t older(const flow *f, uint32_t variable, uint32_t binding)
{
    uint32_t other = trace_cell_binding(f->t, variable);
    return other < binding ? other : IOT_NONE;
}

// A binding is there when its maker has reduced and all that it passed on is there, too.
static void find_costs(flow *f)
{
    int64_t *there = base_allocate(trace_nbindings(f->t), sizeof *there);
    f->costs = base_allocate(f->n, sizeof *f->costs);
    for (uint32_t r = 0; r < f->n; r++) {
        int64_t time = trace_time(f->t, r), latest = trace_time(f->t, f->parents[r]);
        for (uint64_t i = f->first[r]; i < f->first[r + 1]; i++)
            latest = there[f->reads.at[i]] > latest ? there[f->reads.at[i]] : latest;
        f->costs[r] = r ? time - latest : 0;
        uint32_t end = trace_first_binding(f->t, r + 1);
        for (uint32_t b = trace_first_binding(f->t, r); b < end; b++) {
            const uint32_t *passed;
            uint32_t n = trace_passed(f->t, b, &passed), other;
            there[b] = time;
            for (uint32_t i = 0; i < n; i++)
                if ((other = older(f, passed[i], b)) != IOT_NONE && there[other] > there[b])
                    there[b] = there[other];
        }
    }
    free(there);
}

static void end_flow(flow *f)
{
    free(f->first);
    free(f->reads.at);
    free(f->costs);
}

// ---------------------------------------------------------------------------------------------
// By when everything is needed

static void need_by(int64_t *at, int64_t time)
{
    *at = time < *at ? time : *at;
}

// needed[b] is by when binding b is needed, span at the latest. ends[r]: by when r must have ended.
static void go_back(const flow *f, int64_t span, int64_t *ends, int64_t *needed)
{
    uint32_t nbindings = trace_nbindings(f->t);
    for (uint32_t r = 0; r < f->n; r++)
        ends[r] = span;
    for (uint32_t b = 0; b < nbindings; b++)
        needed[b] = span;
    for (uint32_t r = f->n; r-- > 0;) {
        for (uint32_t b = trace_first_binding(f->t, r + 1); b-- > trace_first_binding(f->t, r);) {
            const uint32_t *passed;
            uint32_t npassed = trace_passed(f->t, b, &passed), other;
            for (uint32_t i = 0; i < npassed; i++)
                if ((other = older(f, passed[i], b)) != IOT_NONE)
                    need_by(&needed[other], needed[b]);
            need_by(&ends[r], needed[b]);
        }
        if (r == 0)
            break;
        need_by(&ends[f->parents[r]], ends[r] - f->costs[r]);
        for (uint64_t i = f->first[r]; i < f->first[r + 1]; i++)
            need_by(&needed[f->reads.at[i]], ends[r] - f->costs[r]);
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

// ---------------------------------------------------------------------------------------------
// What the places bring: a graph of waits whose kinds are the places that are priced

typedef struct {
    const flow *f;
    const uint8_t *kinds; // by binding
    uint64_t *first;
    ARRAY_OF(uint32_t) makers;
    ARRAY_OF(uint32_t) kinds_of; // by wait
    ARRAY_OF(far_wait) far_waits;
    relay_table relays;
} place_waits;

static void wait_for(place_waits *w, uint32_t binding)
{
    uint32_t maker = trace_binding_maker(w->f->t, binding);
    if (maker == 0)
        return;
    ARRAY_PUSH(w->makers, maker);
    ARRAY_PUSH(w->kinds_of, w->kinds[binding]);
}

// The binding and what it passed on, and that passed on, and so on down; 0 if that is too much.
static uint32_t list_passed(const flow *f, uint32_t binding, uint32_t *ret)
{
    uint32_t n = 1;
    ret[0] = binding;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *passed;
        uint32_t npassed = trace_passed(f->t, ret[k], &passed);
        for (uint32_t i = 0; i < npassed; i++) {
            uint32_t other = older(f, passed[i], ret[k]);
            if (other == IOT_NONE)
                continue;
            if (n == FEW_PASSED)
                return 0;
            ret[n++] = other;
        }
    }
    return n;
}

static void add_read(place_waits *w, uint32_t reader, uint32_t binding)
{
    uint32_t all[FEW_PASSED], n = list_passed(w->f, binding, all);
    for (uint32_t i = 0; i < n; i++)
        wait_for(w, all[i]);
    if (n > 0)
        return;
    wait_for(w, binding);
    relay_group g = iot_relays_of(&w->relays, binding);
    for (uint32_t i = g.first; i < g.first + g.n; i++)
        ARRAY_PUSH(w->far_waits, (far_wait){reader, i, w->relays.list.at[i].site});
}

// The caller frees all but what belongs to the flow.
static wait_graph graph_of_places(const flow *f, const uint8_t *kinds, int64_t span)
{
    place_waits w = {.f = f, .kinds = kinds, .relays = {.t = f->t, .kinds = kinds}};
    w.first = base_allocate((size_t)f->n + 1, sizeof *w.first);
    for (uint32_t r = 1; r < f->n; r++) {
        w.first[r] = w.makers.n;
        for (uint64_t i = f->first[r]; i < f->first[r + 1]; i++)
            add_read(&w, r, f->reads.at[i]);
    }
    w.first[f->n] = w.makers.n;
    wait_graph g = {.n = f->n,
                    .parents = (uint32_t *)(uintptr_t)f->parents,
                    .first = w.first,
                    .makers = w.makers.at,
                    .kinds = w.kinds_of.at,
                    .costs = f->costs,
                    .nkinds = NO_PLACE + 1,
                    .span = span,
                    .far_waits = w.far_waits.at,
                    .nfar_waits = (uint32_t)w.far_waits.n};
    iot_end_relays(&w.relays, &g);
    return g;
}

static void free_graph_of_places(wait_graph *g)
{
    free(g->first);
    free(g->makers);
    free(g->kinds);
    free(g->relays);
    free(g->inputs);
    free(g->far_waits);
}

// rows: the n places to price. False: cancelled.
static bool price_rows(places *p, const flow *f, const uint32_t *rows, uint32_t n,
                       stage *pricing)
{
    wait_change changes[IOT_MOST_HASTENED] = {0};
    uint8_t left_out[IOT_MOST_HASTENED][NO_PLACE / 8 + 1] = {0};
    double spans[IOT_MOST_HASTENED];
    uint32_t nbindings = trace_nbindings(f->t);
    uint8_t *kind_of = base_resize(NULL, (size_t)p->rows.n + 1, 1);
    uint8_t *kinds = base_resize(NULL, nbindings, 1);
    memset(kind_of, NO_PLACE, p->rows.n + 1);
    for (uint32_t i = 0; i < n; i++) {
        kind_of[rows[i]] = (uint8_t)i;
        bit_set(left_out[i], i);
        changes[i].without_kinds = left_out[i];
    }
    for (uint32_t b = 0; b < nbindings; b++)
        kinds[b] = p->row_of[b] == IOT_NONE ? NO_PLACE : kind_of[p->row_of[b]];
    wait_graph g = graph_of_places(f, kinds, p->a->span);
    free(kinds);
    free(kind_of);
    bool done = iot_spans_under(&g, changes, n, spans, tell_stage, pricing);
    free_graph_of_places(&g);
    for (uint32_t i = 0; done && i < n; i++) {
        p->rows.at[rows[i]].span_without = (int64_t)spans[i];
        p->rows.at[rows[i]].priced = true;
    }
    return done;
}

// False: cancelled.
static bool price_places(places *p, const flow *f, stage *pricing)
{
    uint8_t *priced = bits_allocate((uint32_t)p->rows.n);
    uint32_t rows[IOT_MOST_HASTENED], n = 0, row;
    for (uint32_t i = 0; i < p->rows.n; i++) {
        p->rows.at[i].span_without = p->a->span;
        p->rows.at[i].priced = p->on_path[i] == 0;
    }
    while (n < IOT_MOST_HASTENED && (row = next_to_price(p, priced)) != IOT_NONE) {
        bit_set(priced, row);
        rows[n++] = row;
    }
    free(priced);
    return n == 0 || price_rows(p, f, rows, n, pricing);
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

static int64_t *slack_of_bindings(const iot *a, const flow *f)
{
    uint32_t n = trace_nbindings(a->t);
    int64_t *ends = base_allocate(a->n, sizeof *ends), *slack = base_allocate(n, sizeof *slack);
    go_back(f, a->span, ends, slack);
    free(ends);
    for (uint32_t r = 0; r < a->n; r++) {
        uint32_t end = trace_first_binding(a->t, r + 1);
        for (uint32_t b = trace_first_binding(a->t, r); b < end; b++)
            slack[b] -= trace_time(a->t, r);
    }
    return slack;
}

static bool find_rows(places *p, const flow *f, stage *pricing)
{
    p->row_of = base_resize(NULL, trace_nbindings(p->a->t), sizeof *p->row_of);
    find_places(p);
    count_path(p);
    bool done = tell_stage(pricing, 0) && price_places(p, f, pricing);
    if (p->rows.n > 0)
        qsort(p->rows.at, p->rows.n, sizeof *p->rows.at, by_saving);
    index_free(&p->index);
    free(p->sites.at);
    free(p->on_path);
    free(p->row_of);
    return done;
}

static bool find_slack(iot *a, iot_progress progress, void *data)
{
    places p = {.a = a, .g = iot_waits(a, progress, data)};
    if (!p.g)
        return false;
    flow f = {.t = a->t, .n = a->n, .parents = p.g->parents};
    list_reads(&f);
    find_costs(&f);
    iot_ensure_visibility(a);
    p.slack = a->slack.of_binding = slack_of_bindings(a, &f);
    // Three tenths were for finding what is needed.
    stage pricing = {progress, data, 0.3, 1};
    bool done = find_rows(&p, &f, &pricing);
    a->slack.rows = p.rows.at;
    a->slack.n = (uint32_t)p.rows.n;
    end_flow(&f);
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
    pthread_mutex_lock(&a->locks.slack);
    if (!a->slack.of_binding) {
        done = find_slack(a, progress, data);
        if (!done)
            iot_destroy_slack(a);
    }
    pthread_mutex_unlock(&a->locks.slack);
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
