// SPDX-License-Identifier: MIT
//
// Values that come out of a state at the end though they went into it at the beginning: the text
// says that whatever the goals between find out, it is the same value (flows.h). Who reads it could
// have had it when the clause was chosen that has both in hand.
#include "iotree/findings/findings.h"
#include "iotree/findings/flows.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum { PROPOSED = 6 };

typedef struct {
    uint32_t binding, last; // the same, or where it leads to
    uint32_t sooner;          // it could be made by this reduction,
    trace_value there;        // and would be this
    uint32_t late, clause;    // node of the clause of that reduction
} late_flow;

// Bindings that one item of a clause makes.
typedef struct {
    uint32_t clause, item;
    uint64_t gained, n;
    int64_t longest;
    uint32_t example; // in `cases`
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    variable_flow **flows; // by clause
    uint32_t *nflows;
    ARRAY_OF(late_flow) cases;
    uint8_t *on_the_way; // bits by binding: between that of a case and its last one
    uint32_t *case_of;   // by binding, plus one; 0: none
    ARRAY_OF(subject) subjects;
    ARRAY_OF(uint32_t) subject_of; // by case
} search;

static void find_flows(search *s)
{
    uint32_t n = trace_nclauses(s->t);
    flows *f = flows_create(s->facts);
    s->flows = base_allocate(n, sizeof *s->flows);
    s->nflows = base_allocate(n, sizeof *s->nflows);
    for (uint32_t k = 0; k < n; k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        if (!c->dynamic && trace_get_predicate(s->t, c->predicate)->origin == TRACE_PROGRAM)
            s->flows[k] = flows_in_clause(f, k, &s->nflows[k]);
    }
    flows_destroy(f);
}

// When the value is there, or a time from `enough` on, if that is later; -1: only by way of this binding.
static int64_t time_of(const trace *t, trace_value v, uint32_t without, int64_t enough)
{
    int64_t latest = 0;
    while (is_variable(t, v) && latest < enough) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE || binding == without)
            return -1;
        int64_t time = binding_time(t, binding);
        latest = time > latest ? time : latest;
        v = trace_binding_value(t, binding);
    }
    return latest;
}

static uint32_t subject_of(search *s, uint32_t clause, uint32_t item)
{
    size_t i = 0;
    while (i < s->subjects.n &&
           (s->subjects.at[i].clause != clause || s->subjects.at[i].item != item))
        i++;
    if (i == s->subjects.n)
        ARRAY_PUSH(s->subjects, (subject){.clause = clause, .item = item, .longest = -1});
    return (uint32_t)i;
}

// The binding by which the variable is a term in the end: a loop may bind its output to a new one at each step,
// and the last of them when it ends. Those on the way are no cases of their own.
static uint32_t last_binding(search *s, uint32_t binding)
{
    const trace *t = s->t;
    for (;;) {
        trace_value v = trace_binding_value(t, binding);
        uint32_t next = is_variable(t, v) ? trace_cell_binding(t, v.id) : TRACE_NONE;
        if (next == TRACE_NONE || bit_get(s->on_the_way, next) ||
            trace_binding_maker(t, next) <= trace_binding_maker(t, binding))
            return binding;
        bit_set(s->on_the_way, next);
        binding = next;
    }
}

static void look_at_flow(search *s, uint32_t r, uint32_t clause, variable_flow flow)
{
    const trace *t = s->t;
    trace_value late = trace_node_value(t, r, flow.late);
    if (!is_variable(t, late))
        return;
    uint32_t binding = trace_cell_binding(t, late.id);
    if (binding == TRACE_NONE || s->case_of[binding] || bit_get(s->on_the_way, binding))
        return;
    trace_value there = trace_node_value(t, r, flow.there);
    uint32_t last = last_binding(s, binding), maker = trace_binding_maker(t, last);
    uint32_t made = trace_reduction_clause(t, maker);
    int64_t now = trace_time(t, maker);
    if (maker <= r || !clause_is_told(s->facts, made) || reduction_checks(s->facts, maker))
        return;
    int64_t soonest = time_of(t, there, binding, now);
    if (soonest < 0)
        return;
    soonest = trace_time(t, r) > soonest ? trace_time(t, r) : soonest;
    if (now <= soonest)
        return;
    uint32_t of = subject_of(s, made, trace_binding_item(t, last));
    ARRAY_PUSH(s->cases, (late_flow){binding, last, r, there, flow.late, clause});
    ARRAY_PUSH(s->subject_of, of);
    s->case_of[binding] = (uint32_t)s->cases.n;
    subject *x = &s->subjects.at[of];
    x->gained += (uint64_t)(now - soonest);
    x->n++;
    if (now - soonest > x->longest) {
        x->longest = now - soonest;
        x->example = (uint32_t)s->cases.n - 1;
    }
}

static void find_cases(search *s)
{
    s->on_the_way = bits_allocate(trace_nbindings(s->t));
    s->case_of = base_allocate(trace_nbindings(s->t), sizeof *s->case_of);
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(s->t, r);
        for (uint32_t i = 0; i < s->nflows[clause]; i++)
            look_at_flow(s, r, clause, s->flows[clause][i]);
    }
}

// A change that is made: of one subject.
typedef struct {
    const search *s;
    uint32_t of;
    ARRAY_OF(wait_edit) edits;
    ARRAY_OF(wait_added) added;
    uint8_t *passing; // bits by site: makers of aliases between the late variable and the value
    uint8_t *kinds;   // bits: of far waits, left out
} flow_change;

// Does the reduction pass the value on in the loop that ends with the late binding?
static bool passes_on(const flow_change *x, const late_flow *flow, uint32_t maker)
{
    const search *s = x->s;
    uint32_t last = trace_binding_maker(s->t, flow->last);
    uint32_t p = trace_goal_predicate(s->t, trace_reduction_goal(s->t, maker));
    uint32_t q = trace_goal_predicate(s->t, trace_reduction_goal(s->t, last));
    return p == q || predicates_call_each_other(s->facts, p, q);
}

// There may be a row of aliases, one for each step of a loop. The end of a long one is read by way of far
// waits.
static void note_passing(flow_change *x, const late_flow *flow, uint64_t first, uint64_t end)
{
    const wait_graph *g = x->s->g;
    for (uint64_t w = first; w < end; w++)
        if (passes_on(x, flow, g->makers[w]))
            bit_set(x->passing, g->sites[g->makers[w]]);
}

static void leave_out_far(flow_change *x, uint32_t r, uint32_t *far)
{
    const wait_graph *g = x->s->g;
    while (*far < g->nfar_waits && g->far_waits[*far].reader < r)
        (*far)++;
    for (uint32_t i = *far; i < g->nfar_waits && g->far_waits[i].reader == r; i++)
        if (bit_get(x->passing, g->kinds_of[g->far_waits[i].kind].maker))
            bit_set(x->kinds, g->far_waits[i].kind);
}

// Who reads the value waits for what makes it.
static void wait_for_value(flow_change *x, uint32_t r, trace_value v)
{
    const search *s = x->s;
    while (is_variable(s->t, v)) {
        uint32_t b = trace_cell_binding(s->t, v.id), maker = trace_binding_maker(s->t, b);
        uint32_t also = s->case_of[b];
        if (also && s->subject_of.at[also - 1] == x->of && s->cases.at[also - 1].sooner)
            maker = s->cases.at[also - 1].sooner;
        if (maker != 0 && maker < r)
            ARRAY_PUSH(x->added, (wait_added){r, maker});
        v = trace_binding_value(s->t, b);
    }
}

// The waits of a read; but for one of them, which is for `sooner` then.
static void leave_out(flow_change *x, uint64_t first, uint64_t end, uint32_t sooner)
{
    for (uint64_t w = first; w < end; w++)
        ARRAY_PUSH(x->edits, (wait_edit){w, w == first ? sooner : IOT_NONE});
}

// Does the reduction read what comes late?
static bool edit_reads(flow_change *x, uint32_t r)
{
    const search *s = x->s;
    const uint32_t *reads;
    uint32_t n = trace_reads(s->t, r, &reads);
    uint64_t next = s->g->first[r], first;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
            continue;
        uint32_t binding = trace_cell_binding(s->t, reads[i]), number = s->case_of[binding];
        if (any && bit_get(s->on_the_way, binding))
            leave_out(x, first, next, IOT_NONE);
        if (!number || s->subject_of.at[number - 1] != x->of)
            continue;
        const late_flow *flow = &s->cases.at[number - 1];
        leave_out(x, first, next, flow->sooner ? flow->sooner : IOT_NONE);
        note_passing(x, flow, first, next);
        wait_for_value(x, r, flow->there);
        any = true;
    }
    return any;
}

// Readers wait for what makes the value, and for the goal that could hand it on.
static wait_change change_of(const search *s, uint32_t of)
{
    flow_change x = {.s = s, .of = of};
    x.passing = bits_allocate(s->g->nsites);
    x.kinds = bits_allocate(s->g->nkinds);
    for (uint32_t r = 1, far = 0; r < s->a->n; r++)
        if (edit_reads(&x, r))
            leave_out_far(&x, r, &far);
    free(x.passing);
    return (wait_change){.waits = x.edits.at,
                         .nwaits = x.edits.n,
                         .added = x.added.at,
                         .nadded = x.added.n,
                         .without_kinds = x.kinds};
}

// "Mail", of a node of the clause's body. malloc'ed.
static char *node_name(const trace *t, uint32_t clause, uint32_t node)
{
    const trace_clause *c = trace_get_clause(t, clause);
    const trace_node *n = &c->nodes[node];
    uint32_t name = c->names[n->kind == TN_HOLE ? c->nfresh + n->index : n->index];
    return base_copy(name == TRACE_NONE ? "_" : trace_name(t, name));
}

static uint32_t flow_there(const search *s, const late_flow *x)
{
    for (uint32_t i = 0; i < s->nflows[x->clause]; i++)
        if (s->flows[x->clause][i].late == x->late)
            return s->flows[x->clause][i].there;
    return x->late;
}

static void set_texts(const search *s, candidate *c, const subject *x)
{
    const late_flow *example = &s->cases.at[x->example];
    iot_location above;
    char *what = item_text(s->t, x->clause, x->item), *name, *where, *sooner, *steps;
    char *late = node_name(s->t, example->clause, example->late);
    char *there = node_name(s->t, example->clause, flow_there(s, example));
    name = iot_predicate_text(s->t, c->place.predicate);
    where = iot_place_text(s->t, c->place.source, c->place.line);
    sooner = iot_maker_text(s->a, s->g, example->sooner, &above);
    steps = iot_amount_text(s->a, x->longest);
    c->text =
        base_format("%s%s makes %s %s later than %s could: what comes out there as %s always is "
                    "%s, which goes in (%llu time%s)",
                    name, where, what, steps, sooner, late, there, (unsigned long long)x->n,
                    x->n == 1 ? "" : "s");
    c->advice = base_format("make %s = %s in %s, or use %s there instead of %s", late, there,
                            sooner, there, late);
    candidate_also(c, above);
    free(what);
    free(name);
    free(where);
    free(sooner);
    free(steps);
    free(late);
    free(there);
}

void iot_find_late_flows(const iot *a, candidates *list)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    find_flows(&s);
    find_cases(&s);
    uint64_t *gained = base_allocate(s.subjects.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.subjects.n; i++)
        gained[i] = s.subjects.at[i].longest > 1 ? s.subjects.at[i].gained : 0;
    uint32_t n = iot_most_gained(a, gained, s.subjects.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++) {
        candidate *c = candidate_add(list, FINDING_ALIAS);
        const subject *x = &s.subjects.at[best[i]];
        c->place = iot_clause_location(a, x->clause);
        c->clause = x->clause;
        c->item = x->item;
        c->reduction = trace_binding_maker(a->t, s.cases.at[x->example].last);
        c->change = change_of(&s, best[i]);
        set_texts(&s, c, x);
    }
    for (uint32_t k = 0; k < trace_nclauses(a->t); k++)
        free(s.flows[k]);
    free(gained);
    free(s.flows);
    free(s.nflows);
    free(s.cases.at);
    free(s.case_of);
    free(s.on_the_way);
    free(s.subjects.at);
    free(s.subject_of.at);
    clause_facts_destroy(s.facts);
}
