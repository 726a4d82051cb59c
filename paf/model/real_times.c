// SPDX-License-Identifier: MIT
//
// Times by both clocks.
#include "paf/model/real_times.h"
#include "base/search.h"

#include <stdlib.h>

typedef struct {
    int64_t time;
    uint32_t index;
} timed;

// Of a process: its inputs and outputs in order of real time.
typedef struct {
    timed *inputs, *outputs;
    uint32_t ninputs, noutputs;
} traffic;

// A cache, filled by whoever holds the session's lock.
struct paf_real_times {
    int64_t *created, *last; // by process
    iot_module *modules;
    uint64_t busy; // of all of them
    paf_costs costs;
    GHashTable *traffic;     // process -> traffic *
    timed *links;            // NULL: not yet
    GHashTable *pairs;       // paf_pair * -> real_pair *
};

static void free_traffic(gpointer data)
{
    traffic *t = data;
    g_free(t->inputs);
    g_free(t->outputs);
    g_free(t);
}

// Of a pair: its links by real time, and the sums of waits as paf_pair has them.
typedef struct {
    timed *links;
    uint64_t *waited;
    paf_wait_span *spans;
} real_pair;

static void free_pair(gpointer data)
{
    real_pair *pair = data;
    g_free(pair->links);
    g_free(pair->waited);
    g_free(pair->spans);
    g_free(pair);
}

paf_real_times *paf_real_times_create(const iot *a)
{
    const trace *t = iot_trace(a);
    uint32_t n = iot_nprocesses(a);
    paf_real_times *real = g_new0(paf_real_times, 1);
    real->created = g_new0(int64_t, n + 1);
    real->last = g_new0(int64_t, n + 1);
    real->traffic = g_hash_table_new_full(NULL, NULL, NULL, free_traffic);
    real->pairs = g_hash_table_new_full(NULL, NULL, NULL, free_pair);
    real->modules = g_new0(iot_module, iot_nmodules(a) + 1);
    for (uint32_t i = 0; i < iot_nmodules(a); i++) {
        real->modules[i] = iot_module_by(a, IOT_REAL_TIME, i);
        real->busy += real->modules[i].busy;
    }
    real->costs.sums = iot_get_real_costs(a);
    real->costs.nfindings = iot_get_real_findings(a, real->costs.findings);
    iot_get_work_done(a, PAF_WORK_PARTS, real->costs.done);
    for (uint32_t p = 0; p < n; p++)
        real->created[p] = trace_end(t, trace_goal_parent(t, iot_get_process(a, p)->goal));
    for (uint32_t r = 1; r < trace_nreductions(t); r++) {
        uint32_t p = iot_process_of(a, r);
        if (p != IOT_NONE)
            real->last[p] = MAX(real->last[p], trace_end(t, r));
    }
    return real;
}

void paf_real_times_destroy(paf_real_times *real)
{
    if (!real)
        return;
    for (uint32_t i = 0; i < real->costs.nfindings; i++)
        free(real->costs.findings[i].text);
    g_free(real->modules);
    g_free(real->created);
    g_free(real->last);
    g_free(real->links);
    g_hash_table_destroy(real->traffic);
    g_hash_table_destroy(real->pairs);
    g_free(real);
}

// ---------------------------------------------------------------------------------------------
// Single times

static bool is_real(const paf_model *m, iot_clock clock)
{
    return clock == IOT_REAL_TIME && m->real != NULL;
}

iot_module paf_module_by(const paf_model *m, iot_clock clock, uint32_t module)
{
    return is_real(m, clock) ? m->real->modules[module] : *iot_get_module(m->a, module);
}

const paf_costs *paf_costs_of(const paf_model *m)
{
    return &m->real->costs;
}

uint64_t paf_busy_time(const paf_model *m)
{
    return m->real ? m->real->busy : 0;
}

uint64_t paf_wait_by(iot_clock clock, const paf_model *m, const iot_dependency *d)
{
    return is_real(m, clock) ? d->real_wait : d->wait;
}

int64_t paf_lag_by(iot_clock clock, const paf_model *m, const iot_dependency *d)
{
    return is_real(m, clock) ? d->real_lag : d->lag;
}

void paf_module_waits(const paf_model *m, iot_clock clock, uint32_t module, uint64_t *ret_waits,
                      uint64_t *ret_awaited)
{
    *ret_waits = *ret_awaited = 0;
    for (uint32_t i = 0; i < iot_ndependencies(m->a); i++) {
        const iot_dependency *d = iot_get_dependency(m->a, i);
        if (d->from == d->to)
            continue;
        *ret_waits += d->to == module ? paf_wait_by(clock, m, d) : 0;
        *ret_awaited += d->from == module ? paf_wait_by(clock, m, d) : 0;
    }
}

int64_t paf_process_created(const paf_model *m, iot_clock clock, uint32_t process)
{
    return is_real(m, clock) ? m->real->created[process] : iot_get_process(m->a, process)->created;
}

int64_t paf_process_last(const paf_model *m, iot_clock clock, uint32_t process)
{
    return is_real(m, clock) ? m->real->last[process] : iot_get_process(m->a, process)->last;
}

int64_t paf_reduced(const paf_model *m, iot_clock clock, uint32_t reduction)
{
    return clock == IOT_REAL_TIME ? trace_end(m->t, reduction) : trace_time(m->t, reduction);
}

int64_t paf_binding_made(const paf_model *m, iot_clock clock, uint32_t binding)
{
    return paf_reduced(m, clock, trace_binding_maker(m->t, binding));
}

int64_t paf_goal_created(const paf_model *m, iot_clock clock, uint32_t goal)
{
    return paf_reduced(m, clock, trace_goal_parent(m->t, goal));
}

int64_t paf_input_available(const paf_model *m, iot_clock clock, uint32_t process,
                            const iot_input *input)
{
    if (!is_real(m, clock))
        return input->available;
    return input->binding == IOT_NONE ? m->real->created[process]
                                      : paf_binding_made(m, clock, input->binding);
}

int64_t paf_input_read(const paf_model *m, iot_clock clock, const iot_input *input)
{
    return is_real(m, clock) ? trace_end(m->t, input->reader) : input->time;
}

// ---------------------------------------------------------------------------------------------
// Nodes

static void widen(int64_t time, bool first, int64_t *from, int64_t *to)
{
    *from = first ? time : MIN(*from, time);
    *to = first ? time : MAX(*to, time);
}

paf_node_times *paf_node_times_make(const paf_model *m, const paf_tree *tree)
{
    const iot_input *inputs;
    const iot_output *outputs;
    iot_inputs(m->a, tree->process, &inputs);
    iot_outputs(m->a, tree->process, &outputs);
    paf_node_times *times = g_new0(paf_node_times, tree->nnodes + 1);
    for (uint32_t i = 0; i < tree->nnodes; i++) {
        const iot_node *node = iot_tree_node(tree->tree, i);
        const uint32_t *in = iot_tree_inputs(tree->tree) + node->first_input;
        const uint32_t *out = iot_tree_outputs(tree->tree) + node->first_output;
        for (uint32_t k = 0; k < node->ninputs; k++)
            widen(trace_end(m->t, inputs[in[k]].reader), k == 0, &times[i].input_from,
                  &times[i].input_to);
        for (uint32_t k = 0; k < node->noutputs; k++)
            widen(paf_binding_made(m, IOT_REAL_TIME, outputs[out[k]].binding), k == 0,
                  &times[i].output_from, &times[i].output_to);
    }
    return times;
}

paf_node_times paf_node_by(iot_clock clock, const paf_tree *tree, uint32_t node)
{
    if (clock == IOT_REAL_TIME && tree->real)
        return tree->real[node];
    const iot_node *n = iot_tree_node(tree->tree, node);
    return (paf_node_times){n->input_from, n->input_to, n->output_from, n->output_to};
}

// ---------------------------------------------------------------------------------------------
// Inputs and outputs of a process

static int by_time(const void *x, const void *y)
{
    const timed *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static const traffic *traffic_of(const paf_model *m, uint32_t process)
{
    traffic *t = g_hash_table_lookup(m->real->traffic, GUINT_TO_POINTER(process + 1));
    if (t)
        return t;
    const iot_input *inputs;
    const iot_output *outputs;
    t = g_new0(traffic, 1);
    t->ninputs = iot_inputs(m->a, process, &inputs);
    t->noutputs = iot_outputs(m->a, process, &outputs);
    t->inputs = g_new(timed, t->ninputs + 1);
    t->outputs = g_new(timed, t->noutputs + 1);
    for (uint32_t i = 0; i < t->ninputs; i++)
        t->inputs[i] = (timed){trace_end(m->t, inputs[i].reader), i};
    for (uint32_t i = 0; i < t->noutputs; i++)
        t->outputs[i] = (timed){paf_binding_made(m, IOT_REAL_TIME, outputs[i].binding), i};
    qsort(t->inputs, t->ninputs, sizeof *t->inputs, by_time);
    qsort(t->outputs, t->noutputs, sizeof *t->outputs, by_time);
    g_hash_table_insert(m->real->traffic, GUINT_TO_POINTER(process + 1), t);
    return t;
}

static uint32_t before(const timed *list, uint32_t n, int64_t time)
{
    size_t first;
    FIRST_NOT(first, n, i, list[i].time < time);
    return (uint32_t)first;
}

static uint32_t outputs_before(const iot_output *outputs, uint32_t n, int64_t time)
{
    size_t first;
    FIRST_NOT(first, n, i, outputs[i].time < time);
    return (uint32_t)first;
}

static uint32_t inputs_before(const iot_input *inputs, uint32_t n, int64_t time)
{
    size_t first;
    FIRST_NOT(first, n, i, inputs[i].time < time);
    return (uint32_t)first;
}

uint32_t paf_outputs_between(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                             int64_t to)
{
    if (is_real(m, clock)) {
        const traffic *t = traffic_of(m, process);
        return before(t->outputs, t->noutputs, to) - before(t->outputs, t->noutputs, from);
    }
    const iot_output *outputs;
    uint32_t n = iot_outputs(m->a, process, &outputs);
    return outputs_before(outputs, n, to) - outputs_before(outputs, n, from);
}

uint32_t paf_inputs_between(const paf_model *m, iot_clock clock, uint32_t process, int64_t from,
                            int64_t to)
{
    if (is_real(m, clock)) {
        const traffic *t = traffic_of(m, process);
        return before(t->inputs, t->ninputs, to) - before(t->inputs, t->ninputs, from);
    }
    const iot_input *inputs;
    uint32_t n = iot_inputs(m->a, process, &inputs);
    return inputs_before(inputs, n, to) - inputs_before(inputs, n, from);
}

bool paf_steps_of_outputs(const paf_model *m, uint32_t process, int64_t from, int64_t to,
                          uint32_t most, int64_t *ret_from, int64_t *ret_to)
{
    const traffic *t = traffic_of(m, process);
    uint32_t first = before(t->outputs, t->noutputs, from);
    uint32_t end = before(t->outputs, t->noutputs, to + 1);
    if (end <= first || end - first > most)
        return false;
    const iot_output *outputs;
    iot_outputs(m->a, process, &outputs);
    for (uint32_t i = first; i < end; i++)
        widen(outputs[t->outputs[i].index].time, i == first, ret_from, ret_to);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Links

static const timed *links_by_real_time(const paf_model *m)
{
    if (!m->real->links) {
        m->real->links = g_new(timed, m->nlinks + 1);
        for (uint32_t i = 0; i < m->nlinks; i++)
            m->real->links[i] = (timed){trace_end(m->t, paf_link_input(m, i)->reader), i};
        qsort(m->real->links, m->nlinks, sizeof *m->real->links, by_time);
    }
    return m->real->links;
}

static uint32_t first_link_at(const paf_model *m, int64_t time)
{
    size_t first;
    FIRST_NOT(first, m->nlinks, i, paf_link_input(m, i)->time < time);
    return (uint32_t)first;
}

uint32_t paf_links_between(const paf_model *m, iot_clock clock, int64_t from, int64_t to,
                           uint32_t *ret_first)
{
    bool real = is_real(m, clock);
    *ret_first = real ? before(links_by_real_time(m), m->nlinks, from) : first_link_at(m, from);
    uint32_t end = real ? before(links_by_real_time(m), m->nlinks, to) : first_link_at(m, to);
    return end > *ret_first ? end - *ret_first : 0;
}

uint32_t paf_link_at(const paf_model *m, iot_clock clock, uint32_t place)
{
    return is_real(m, clock) ? links_by_real_time(m)[place].index : place;
}

static real_pair *make_real_pair(const paf_model *m, const paf_pair *pair)
{
    real_pair *made = g_new0(real_pair, 1);
    made->links = g_new(timed, pair->n + 1);
    made->waited = g_new0(uint64_t, pair->n / PAF_PAIR_BLOCK + 2);
    made->spans = paf_wait_spans_create(pair->n);
    for (uint32_t i = 0; i < pair->n; i++)
        made->links[i] = (timed){trace_end(m->t, paf_link_input(m, pair->links[i])->reader),
                                 pair->links[i]};
    qsort(made->links, pair->n, sizeof *made->links, by_time);
    for (uint32_t i = 0; i < pair->n; i++) {
        const iot_input *in = paf_link_input(m, made->links[i].index);
        uint64_t *block = &made->waited[i / PAF_PAIR_BLOCK];
        if (i % PAF_PAIR_BLOCK == 0)
            block[1] = block[0];
        block[1] += (uint64_t)paf_input_wait(m, IOT_REAL_TIME, in);
        paf_wait_span_take(m, IOT_REAL_TIME, &made->spans[i / PAF_PAIR_BLOCK], in);
    }
    return made;
}

static const real_pair *real_pair_of(const paf_model *m, const paf_pair *pair)
{
    real_pair *made = g_hash_table_lookup(m->real->pairs, pair);
    if (!made) {
        made = make_real_pair(m, pair);
        g_hash_table_insert(m->real->pairs, (gpointer)pair, made);
    }
    return made;
}

int64_t paf_input_wait(const paf_model *m, iot_clock clock, const iot_input *input)
{
    if (!is_real(m, clock))
        return input->wait;
    uint32_t goal = trace_reduction_goal(m->t, input->reader);
    if (input->binding == IOT_NONE || goal == TRACE_NONE)
        return 0;
    return MAX(paf_binding_made(m, clock, input->binding) - paf_goal_created(m, clock, goal), 0);
}

static uint32_t pair_before(const paf_model *m, const paf_pair *pair, int64_t time)
{
    size_t first;
    FIRST_NOT(first, pair->n, i, paf_link_input(m, pair->links[i])->time < time);
    return (uint32_t)first;
}

uint32_t paf_pair_between(const paf_model *m, iot_clock clock, const paf_pair *pair, int64_t from,
                          int64_t to, uint32_t *ret_first)
{
    uint32_t end;
    if (is_real(m, clock)) {
        const real_pair *real = real_pair_of(m, pair);
        *ret_first = before(real->links, pair->n, from);
        end = before(real->links, pair->n, to);
    } else {
        *ret_first = pair_before(m, pair, from);
        end = pair_before(m, pair, to);
    }
    return end > *ret_first ? end - *ret_first : 0;
}

uint32_t paf_pair_link(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t place)
{
    return is_real(m, clock) ? real_pair_of(m, pair)->links[place].index : pair->links[place];
}

static uint64_t waited_before(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t place)
{
    const uint64_t *blocks = is_real(m, clock) ? real_pair_of(m, pair)->waited : pair->waited;
    uint64_t sum = blocks[place / PAF_PAIR_BLOCK];
    for (uint32_t i = place - place % PAF_PAIR_BLOCK; i < place; i++)
        sum += (uint64_t)paf_input_wait(m, clock,
                                        paf_link_input(m, paf_pair_link(m, clock, pair, i)));
    return sum;
}

uint64_t paf_pair_waited(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t first,
                         uint32_t n)
{
    return waited_before(m, clock, pair, first + n) - waited_before(m, clock, pair, first);
}

// ---------------------------------------------------------------------------------------------
// Waits within a stretch

// A reader waits in the steps after its goal was created, up to the one in which what it needs is there.
static bool wait_of(const paf_model *m, iot_clock clock, const iot_input *input, int64_t *ret_since,
                    int64_t *ret_until)
{
    int64_t wait = paf_input_wait(m, clock, input);
    uint32_t goal = trace_reduction_goal(m->t, input->reader);
    if (wait <= 0 || goal == TRACE_NONE)
        return false;
    *ret_since = paf_goal_created(m, clock, goal) + 1;
    *ret_until = *ret_since + wait - 1;
    return true;
}

paf_wait_span *paf_wait_spans_create(uint32_t n)
{
    paf_wait_span *spans = g_new(paf_wait_span, n / PAF_PAIR_BLOCK + 1);
    for (uint32_t i = 0; i <= n / PAF_PAIR_BLOCK; i++)
        spans[i] = (paf_wait_span){INT64_MAX, INT64_MIN};
    return spans;
}

void paf_wait_span_take(const paf_model *m, iot_clock clock, paf_wait_span *span, const iot_input *input)
{
    int64_t since, until;
    if (!wait_of(m, clock, input, &since, &until))
        return;
    span->since = MIN(span->since, since);
    span->until = MAX(span->until, until);
}

static uint64_t waited_of_block(const paf_model *m, iot_clock clock, const paf_pair *pair, uint32_t block,
                                int64_t from, int64_t to)
{
    uint32_t first = block * PAF_PAIR_BLOCK, end = MIN(first + PAF_PAIR_BLOCK, pair->n);
    uint64_t sum = 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t since, until;
        if (wait_of(m, clock, paf_link_input(m, paf_pair_link(m, clock, pair, i)), &since, &until))
            sum += (uint64_t)MAX(MIN(until, to) - MAX(since, from) + 1, 0);
    }
    return sum;
}

// Most blocks are all outside or all inside.
uint64_t paf_pair_waited_within(const paf_model *m, iot_clock clock, const paf_pair *pair, int64_t from,
                                int64_t to)
{
    const real_pair *real = is_real(m, clock) ? real_pair_of(m, pair) : NULL;
    const paf_wait_span *spans = real ? real->spans : pair->spans;
    const uint64_t *waited = real ? real->waited : pair->waited;
    uint64_t sum = 0;
    for (uint32_t i = 0; i * PAF_PAIR_BLOCK < pair->n; i++) {
        if (spans[i].since > to || spans[i].until < from)
            continue;
        if (spans[i].since >= from && spans[i].until <= to)
            sum += waited[i + 1] - waited[i];
        else
            sum += waited_of_block(m, clock, pair, i, from, to);
    }
    return sum;
}
