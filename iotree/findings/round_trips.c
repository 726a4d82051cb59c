// SPDX-License-Identifier: MIT
//
// Round trips between modules: a module asks another one, perhaps through others, waits for the
// answer and sends the values of the answer back as the next question. What is asked depends on the
// answer before, so no question can be sent earlier; yet the module that answers had all the values
// itself and could follow them on by itself. The recorded values show it: each value of a question
// is as in the question before, or goes on in equal steps (a number of the question), or was in the
// answer before. Where anybody on the way computes a new value from an answer there is no finding.
//
// The price is estimated: the steps on the way there and back count once, not in each round. The
// steps in the module that answers count as before, but for those that only take the question.
#include "base/table.h"
#include "iotree/findings/shapes.h"
#include "iotree/graph/model.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 5,
    MOST_VALUES = 24, // of a question or an answer
    FARTHEST = 64,    // goals above a step
    MOST_MODULES = 8, // that may answer
};

// Steps of the critical path in one module, one after the other: [first, end), oldest first.
typedef struct {
    uint32_t module, first, end;
} visit;

typedef struct {
    trace_value at[MOST_VALUES];
    uint32_t n;
    bool more; // than there is room for
} values;

// The visits in which a module answers.
typedef struct {
    const loops *l;
    const uint32_t *steps; // of the critical path, oldest first
    uint32_t nsteps;
    ARRAY_OF(visit) visits;     // of all modules
    uint32_t module;            // that answers
    ARRAY_OF(uint32_t) answers; // visits of the module
    ARRAY_OF(uint32_t) takes;   // by answer: the step that takes the question
    uint8_t *dropped;           // by site: 1: on the way, 2: needed to answer
} trip_study;

// ---------------------------------------------------------------------------------------------
// Values

static void add_value(values *x, trace_value v)
{
    x->more |= x->n == MOST_VALUES;
    if (!x->more)
        x->at[x->n++] = v;
}

// Adds the numbers and atoms that the value has below it; of a list those of the first element.
static void add_values(const trace *t, trace_value root, values *x)
{
    ARRAY_OF(trace_value) stack = {0};
    ARRAY_PUSH(stack, root);
    for (uint32_t looked = 0; stack.n > 0 && looked < 4 * MOST_VALUES; looked++) {
        trace_value v = iot_end_value(t, stack.at[--stack.n]);
        if (v.kind == TV_INT || v.kind == TV_ATOM)
            add_value(x, v);
        else if (v.kind == TV_CELL && !is_variable(t, v))
            for (uint32_t i = is_cell_kind(t, v, TC_CONS) ? 1 : trace_cell_arity(t, v.id); i-- > 0;)
                ARRAY_PUSH(stack, trace_cell_arg(t, v.id, i));
    }
    x->more |= stack.n > 0;
    free(stack.at);
}

static bool is_equal(trace_value a, trace_value b)
{
    return a.kind == b.kind && (a.kind == TV_INT ? a.i == b.i : a.id == b.id);
}

static bool has_value(const values *x, trace_value v)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (is_equal(x->at[i], v))
            return true;
    return false;
}

static uint32_t module_of(const trip_study *s, uint32_t r)
{
    uint32_t process = r ? process_of(s->l->a, r) : IOT_NONE;
    return process == IOT_NONE ? IOT_NONE : s->l->a->processes[process].module;
}

// Is it a place for the answer: a variable that the module binds after it took the question?
static bool is_answered(const trip_study *s, uint32_t take, trace_value v)
{
    const trace *t = s->l->t;
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        uint32_t maker = binding == TRACE_NONE ? 0 : trace_binding_maker(t, binding);
        if (maker >= take && module_of(s, maker) == s->module)
            return true;
        if (binding == TRACE_NONE)
            return false;
        v = trace_binding_value(t, binding);
    }
    return false;
}

// What the question that a visit takes holds, and the answer to it.
static void read_question(const trip_study *s, uint32_t answer, values *asked, values *answered)
{
    const loops *l = s->l;
    const visit *x = &s->visits.at[s->answers.at[answer]];
    uint32_t take = s->takes.at[answer];
    trace_value q = iot_end_value(l->t, trace_cell_arg(l->t, l->taken[take], 0));
    *asked = *answered = (values){0};
    if (!is_cell_kind(l->t, q, TC_STRUCT))
        add_values(l->t, q, asked);
    else
        for (uint32_t i = 0; i < trace_cell_arity(l->t, q.id); i++) {
            trace_value v = trace_cell_arg(l->t, q.id, i);
            add_values(l->t, v, is_answered(s, take, v) ? answered : asked);
        }
    if (x->end == s->nsteps)
        return;
    uint32_t variable = iot_variable_from(l, s->steps[x->end], s->steps[x->end - 1]);
    if (variable != TRACE_NONE)
        add_values(l->t, (trace_value){.kind = TV_CELL, .id = variable}, answered);
}

static bool goes_on(trace_value a, trace_value b, trace_value c)
{
    return a.kind == TV_INT && b.kind == TV_INT && c.kind == TV_INT &&
           (uint64_t)b.i - (uint64_t)a.i == (uint64_t)c.i - (uint64_t)b.i;
}

// Is each value of a question one of the answer before, or known without it?
static bool asks_what_was_answered(const trip_study *s)
{
    values asked[3], answered[2] = {0};
    size_t n = s->answers.n, handed_on = 0;
    for (uint32_t i = 0; i < n; i++) {
        values *now = &asked[i % 3], *last = &asked[(i + 2) % 3], *older = &asked[(i + 1) % 3];
        const values *answer = &answered[(i + 1) % 2];
        read_question(s, i, now, &answered[i % 2]);
        if (now->more || answered[i % 2].more || now->n == 0 || (i > 0 && now->n != last->n))
            return false;
        bool any = false;
        for (uint32_t k = 0; i > 0 && k < now->n; k++) {
            bool same = is_equal(now->at[k], last->at[k]);
            bool counts = i > 1 && goes_on(older->at[k], last->at[k], now->at[k]);
            bool known = has_value(answer, now->at[k]);
            any |= known && !same && !counts;
            if (!same && !counts && !known && i > 1)
                return false;
        }
        handed_on += any;
    }
    return 2 * handed_on >= n;
}

// ---------------------------------------------------------------------------------------------
// Visits

static void list_visits(trip_study *s)
{
    for (uint32_t i = 0; i < s->nsteps; i++) {
        uint32_t module = module_of(s, s->steps[i]);
        if (s->visits.n == 0 || s->visits.at[s->visits.n - 1].module != module)
            ARRAY_PUSH(s->visits, (visit){.module = module, .first = i});
        s->visits.at[s->visits.n - 1].end = i + 1;
    }
}

// Does the step take a question that another module made?
static bool takes_question(const trip_study *s, uint32_t r)
{
    uint32_t cell = s->l->taken[r];
    return cell != IOT_NONE && module_of(s, trace_cell_maker(s->l->t, cell)) != s->module;
}

// The step that takes the question: in the visit, or, where the path comes by a value that the
// question got later, above its first step; 0: none.
static uint32_t taking_step(const trip_study *s, const visit *x)
{
    for (uint32_t i = x->first; i < x->end; i++)
        if (takes_question(s, s->steps[i]))
            return s->steps[i];
    uint32_t r = s->steps[x->first];
    for (uint32_t far = 0; far < FARTHEST && r && module_of(s, r) == s->module; far++) {
        if (takes_question(s, r))
            return r;
        r = s->l->g->parents[r];
    }
    return 0;
}

// Each visit of the module, but for its first and last ones, takes a question.
static bool list_answers(trip_study *s)
{
    size_t visits = 0;
    s->answers.n = s->takes.n = 0;
    for (uint32_t i = 0; i < s->visits.n; i++) {
        if (s->visits.at[i].module != s->module)
            continue;
        visits++;
        uint32_t take = taking_step(s, &s->visits.at[i]);
        if (!take)
            continue;
        ARRAY_PUSH(s->answers, i);
        ARRAY_PUSH(s->takes, take);
    }
    return s->answers.n >= FEWEST_ROUNDS && visits <= s->answers.n + 2;
}

// ---------------------------------------------------------------------------------------------
// The price

// By module, how often the path comes to it between the first answer and the last one.
static uint32_t *count_visits(const trip_study *s)
{
    uint32_t *n = base_allocate(s->l->a->nmodules + 1, sizeof *n);
    for (uint32_t i = s->answers.at[0]; i < s->answers.at[s->answers.n - 1]; i++)
        if (s->visits.at[i].module != IOT_NONE)
            n[s->visits.at[i].module]++;
    return n;
}

// Which module is the first of those in the rounds: it asks.
static uint32_t asking_module(const trip_study *s)
{
    uint32_t *visits = count_visits(s), found = IOT_NONE;
    for (uint32_t i = 0; i < s->answers.at[0] && found == IOT_NONE; i++) {
        uint32_t module = s->visits.at[i].module;
        if (module != IOT_NONE && module != s->module && visits[module] + 1 >= s->answers.n)
            found = module;
    }
    free(visits);
    return found;
}

// The built-ins that the steps on the way call count with them.
static void mark_called(trip_study *s)
{
    const wait_graph *g = s->l->g;
    uint8_t *way = base_allocate(trace_npredicates(s->l->t) + 1, 1);
    for (uint32_t i = 0; i < g->nsites; i++)
        if (s->dropped[i] == 1 && g->all_sites[i].item == IOT_NONE)
            way[g->all_sites[i].predicate] = 1;
    for (uint32_t i = 0; i < g->nsites; i++) {
        const wait_site *x = &g->all_sites[i];
        if (!s->dropped[i] && x->item != IOT_NONE && x->clause != IOT_NONE &&
            way[trace_get_clause(s->l->t, x->clause)->predicate])
            s->dropped[i] = 1;
    }
    free(way);
}

// How many places of the clause's head ask for a certain term.
static uint32_t count_looks(const trace_clause *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->npatterns; i++)
        n += c->patterns[i].kind != TN_HOLE && c->patterns[i].kind != TN_FRESH;
    return n;
}

// Must the module do the step to get from an answer to the next one? The step that takes a question
// must be done only if it looks deeper than at [question(...)|...]. One that looks at nothing must
// be done only if its parent must.
static bool is_needed(const trip_study *s, uint32_t r, const uint8_t *needed)
{
    const wait_graph *g = s->l->g;
    uint32_t clause = trace_reduction_clause(s->l->t, r);
    if (module_of(s, r) != s->module)
        return false;
    const trace_clause *c = clause == TRACE_NONE ? NULL : trace_get_clause(s->l->t, clause);
    uint32_t looks = c ? count_looks(c) + c->nguards : 1;
    if (takes_question(s, r))
        return looks > 2;
    return looks > 0 || g->first[r] < g->first[r + 1] || bit_get(needed, g->parents[r]);
}

static bool waits_for_others(const trip_study *s, uint32_t r, uint32_t module)
{
    const wait_graph *g = s->l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (module_of(s, g->makers[i]) != module)
            return true;
    return false;
}

// Does the module that asks choose between clauses by the answer to the first question? Then the
// choice moves with the loop.
static bool decides_by_answer(const trip_study *s, uint32_t asking)
{
    const trace *t = s->l->t;
    uint32_t *clauses = base_allocate(trace_npredicates(t) + 1, sizeof *clauses);
    bool found = false;
    for (uint32_t i = 0; i < trace_nclauses(t); i++)
        clauses[trace_get_clause(t, i)->predicate]++;
    uint32_t end = s->visits.at[s->answers.at[1]].first;
    for (uint32_t i = s->visits.at[s->answers.at[0]].end; i < end && !found; i++)
        found = module_of(s, s->steps[i]) == asking &&
                clauses[loops_predicate(s->l, s->steps[i])] > 1 &&
                waits_for_others(s, s->steps[i], asking);
    free(clauses);
    return found;
}

// Marks the sites of the steps of the rounds, from the first answer on.
static bool mark_sites(trip_study *s)
{
    const wait_graph *g = s->l->g;
    uint32_t first = s->visits.at[s->answers.at[0]].end, way = 0, asking = asking_module(s);
    uint32_t end = s->visits.at[s->answers.at[s->answers.n - 1]].first;
    uint8_t *needed = bits_allocate(g->n);
    bool decides = decides_by_answer(s, asking);
    memset(s->dropped, 0, g->nsites);
    for (uint32_t i = first; i < end; i++) {
        uint32_t r = s->steps[i];
        bool is = is_needed(s, r, needed) || (decides && module_of(s, r) == asking);
        if (is)
            bit_set(needed, r);
        s->dropped[g->sites[r]] |= is ? 2 : 1;
        way += !is;
    }
    free(needed);
    mark_called(s);
    return 2 * way >= end - first;
}

// The steps of the modules that each round visits once are done in any case, one after the other.
static double most_in_one_module(const trip_study *s)
{
    uint32_t rounds = (uint32_t)s->answers.n - 1, most = 0, *visits = count_visits(s);
    uint32_t *steps = base_allocate(s->l->a->nmodules + 1, sizeof *steps);
    for (uint32_t i = s->answers.at[0]; i < s->answers.at[rounds]; i++) {
        const visit *x = &s->visits.at[i];
        if (x->module == IOT_NONE || x->module == s->module || 2 * visits[x->module] > 3 * rounds)
            continue;
        steps[x->module] += x->end - x->first;
        most = steps[x->module] > most ? steps[x->module] : most;
    }
    free(visits);
    free(steps);
    return most;
}

// `more` steps are added to the last answer.
static wait_change draft_trips(const trip_study *s, double more)
{
    const wait_graph *g = s->l->g;
    const trace *t = s->l->t;
    change_draft d = {0};
    const visit *first = &s->visits.at[s->answers.at[0]];
    const visit *last = &s->visits.at[s->answers.at[s->answers.n - 1]];
    int64_t from = trace_time(t, s->steps[first->end - 1]);
    int64_t to = trace_time(t, s->steps[last->first]);
    for (uint32_t r = 1; r < g->n; r++)
        if (s->dropped[g->sites[r]] == 1 && trace_time(t, r) > from && trace_time(t, r) < to)
            draft_reduction(&d, r, IOT_NONE, 0);
    uint32_t r = s->steps[last->first];
    draft_reduction(&d, r, IOT_NONE, (double)wait_cost(g, r) + more);
    return draft_finish(&d);
}

static double price_trips(const trip_study *s, double *ret_more)
{
    wait_change change = draft_trips(s, 0);
    double span = iot_span_under(s->l->g, &change, NULL);
    uint32_t first = s->visits.at[s->answers.at[0]].end;
    double least = (double)trace_time(s->l->t, s->steps[first - 1]) + most_in_one_module(s);
    iot_free_change(&change);
    *ret_more = span < least ? least - span : 0;
    return span + *ret_more;
}

// ---------------------------------------------------------------------------------------------
// All modules

// The program's clauses of a round in the middle; of the module that asks the last one.
static uint32_t name_places(const trip_study *s, uint32_t asking, candidate *x)
{
    const loops *l = s->l;
    size_t middle = s->answers.n / 2;
    uint32_t asker = 0, end = s->visits.at[s->answers.at[middle]].first;
    for (uint32_t i = s->visits.at[s->answers.at[middle - 1]].end; i < end; i++)
        if (module_of(s, s->steps[i]) == asking)
            asker = s->steps[i];
    for (uint32_t i = s->visits.at[s->answers.at[middle - 1]].end; asker && i < end; i++) {
        uint32_t clause = iot_clause_near(l, s->steps[i]);
        if (clause != IOT_NONE && clause != iot_clause_near(l, asker))
            candidate_also(x, iot_clause_location(l->a, clause));
    }
    candidate_also(x, iot_clause_location(l->a, trace_reduction_clause(l->t, s->takes.at[middle])));
    return asker;
}

static void say_trips(const trip_study *s, uint32_t asking, wait_change change, candidates *c)
{
    const loops *l = s->l;
    uint32_t rounds = (uint32_t)s->answers.n - 1;
    uint32_t way = s->visits.at[s->answers.at[rounds]].first - s->visits.at[s->answers.at[0]].first;
    candidate *x = candidate_add(c, FINDING_ROUNDS);
    x->change = change;
    x->estimate = true;
    uint32_t asker = name_places(s, asking, x);
    x->reduction = asker;
    x->clause = iot_clause_near(l, asker);
    x->place = iot_clause_location(l->a, x->clause);
    x->place.module = asking;
    const char *asked = l->a->modules[s->module].name;
    char *who = iot_site_text(l->a, &l->g->all_sites[l->g->sites[asker]]);
    char *by = iot_site_text(l->a, &l->g->all_sites[l->g->sites[s->takes.at[rounds / 2]]]);
    x->text = base_format("%s asks module %s for one item at a time, and each question holds what "
                          "%s answered before: %zu questions, one every %.1f steps",
                          who, asked, by, s->answers.n, (double)way / rounds);
    x->advice = base_format("ask once for all items: let %s follow its own answers and send them "
                            "as one list",
                            by);
    x->condition = base_format("with one question for all");
    free(who);
    free(by);
}

// Of several modules that hand on the same questions the one that has most to do answers.
static void study_module(trip_study *s, uint32_t module, uint32_t *best, double *most)
{
    s->module = module;
    if (!list_answers(s) || asking_module(s) == IOT_NONE || !mark_sites(s) ||
        !asks_what_was_answered(s))
        return;
    double more, span = price_trips(s, &more);
    if (span <= *most)
        return;
    *most = span;
    *best = module;
}

void iot_find_round_trips(const loops *l, candidates *c)
{
    const iot *a = l->a;
    trip_study s = {.l = l, .nsteps = a->path.n};
    uint32_t *steps = base_allocate(a->path.n + 1, sizeof *steps), best = IOT_NONE;
    double most = 0;
    for (uint32_t i = 0; i < a->path.n; i++)
        steps[i] = a->path.steps[a->path.n - 1 - i];
    s.steps = steps;
    s.dropped = base_allocate(l->g->nsites + 1, 1);
    list_visits(&s);
    uint8_t *studied = bits_allocate(a->nmodules);
    for (uint32_t i = 0, left = MOST_MODULES; i < a->cycles.n; i++) {
        const iot_cycle *cycle = &a->cycles.rows[i];
        for (uint32_t k = 0; cycle->rounds + 1 >= FEWEST_ROUNDS && k < cycle->nmodules; k++) {
            if (left == 0 || bit_get(studied, cycle->modules[k]))
                continue;
            bit_set(studied, cycle->modules[k]);
            study_module(&s, cycle->modules[k], &best, &most);
            left--;
        }
    }
    free(studied);
    if (best != IOT_NONE) {
        s.module = best;
        list_answers(&s);
        mark_sites(&s);
        double more;
        price_trips(&s, &more);
        say_trips(&s, asking_module(&s), draft_trips(&s, more), c);
    }
    free(steps);
    free(s.dropped);
    free(s.visits.at);
    free(s.answers.at);
    free(s.takes.at);
}
