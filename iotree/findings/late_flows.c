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
    uint32_t binding, sooner; // it could be made by this reduction,
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
    uint32_t *case_of; // by binding, plus one; 0: none
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

// When the value is there; -1: only by way of this binding.
static int64_t time_of(const trace *t, trace_value v, uint32_t without)
{
    int64_t latest = 0;
    while (is_variable(t, v)) {
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

static void look_at_flow(search *s, uint32_t r, uint32_t clause, variable_flow flow)
{
    const trace *t = s->t;
    trace_value late = trace_node_value(t, r, flow.late);
    if (!is_variable(t, late))
        return;
    uint32_t binding = trace_cell_binding(t, late.id);
    if (binding == TRACE_NONE || s->case_of[binding])
        return;
    trace_value there = trace_node_value(t, r, flow.there);
    uint32_t maker = trace_binding_maker(t, binding), made = trace_reduction_clause(t, maker);
    int64_t soonest = time_of(t, there, binding), now = trace_time(t, maker);
    if (soonest < 0 || maker <= r || !clause_is_told(s->facts, made) ||
        reduction_checks(s->facts, maker))
        return;
    soonest = trace_time(t, r) > soonest ? trace_time(t, r) : soonest;
    if (now <= soonest)
        return;
    uint32_t of = subject_of(s, made, trace_binding_item(t, binding));
    ARRAY_PUSH(s->cases, (late_flow){binding, r, there, flow.late, clause});
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
    s->case_of = base_allocate(trace_nbindings(s->t), sizeof *s->case_of);
    for (uint32_t r = 1; r < s->a->n; r++) {
        uint32_t clause = trace_reduction_clause(s->t, r);
        for (uint32_t i = 0; i < s->nflows[clause]; i++)
            look_at_flow(s, r, clause, s->flows[clause][i]);
    }
}

// Readers wait for what makes the value, and for the goal that could hand it on.
static wait_change change_of(const search *s, uint32_t of)
{
    const trace *t = s->t;
    ARRAY_OF(wait_edit) edits = {0};
    ARRAY_OF(wait_added) added = {0};
    for (uint32_t r = 1; r < s->a->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(t, r, &reads);
        uint64_t next = s->g->first[r], first;
        for (uint32_t i = 0; i < n; i++) {
            if (!waits_of_read(t, s->g, r, reads[i], &next, &first))
                continue;
            uint32_t number = s->case_of[trace_cell_binding(t, reads[i])];
            if (!number || s->subject_of.at[number - 1] != of)
                continue;
            const late_flow *x = &s->cases.at[number - 1];
            for (uint64_t w = first; w < next; w++)
                ARRAY_PUSH(edits, (wait_edit){w, w == first && x->sooner ? x->sooner : IOT_NONE});
            for (trace_value v = x->there; is_variable(t, v);) {
                uint32_t b = trace_cell_binding(t, v.id), maker = trace_binding_maker(t, b);
                uint32_t also = s->case_of[b];
                if (also && s->subject_of.at[also - 1] == of && s->cases.at[also - 1].sooner)
                    maker = s->cases.at[also - 1].sooner;
                if (maker != 0 && maker < r)
                    ARRAY_PUSH(added, (wait_added){r, maker});
                v = trace_binding_value(t, b);
            }
        }
    }
    return (wait_change){
        .waits = edits.at, .nwaits = edits.n, .added = added.at, .nadded = added.n};
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
        c->reduction = trace_binding_maker(a->t, s.cases.at[x->example].binding);
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
    free(s.subjects.at);
    free(s.subject_of.at);
    clause_facts_destroy(s.facts);
}
