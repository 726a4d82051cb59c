// SPDX-License-Identifier: MIT
//
// Parts of a term that are known long before the term is made, and readers that take nothing but
// these parts out of it:
//
//     measure(Rs, Record) :- zero(Rs, Zero), season(Rs, Zero, 0, Record).
//     season([R|Rs], Zero, High, Record) :- High1 := max(High, R - Zero), season(Rs, Zero, High1, Record).
//     season([], Zero, High, Record) :- Record = record(Zero, High).
//     chart(record(Zero, _), Chart) :- draw(Zero, Chart).
//
// Goals only hand Zero down to where the record is made, so chart/2 could have it before the season.
// An output of its own for the part lets such readers begin; who reads the rest waits as before.
#include "iotree/findings/findings.h"
#include "iotree/findings/late_ways.h"
#include "iotree/findings/loops.h"
#include "iotree/findings/test_reads.h"
#include "iotree/terms/values.h"

enum {
    PROPOSED = 4,
    MOST_PARTS = 16,  // of a term
    MOST_SIDES = 2,   // of `=`
    LONGEST_WAY = 16, // aliases from what is read to the term
};

typedef struct {
    late_item item;
    uint64_t gained, n;
    int64_t longest;
    uint32_t example, sooner, reader; // reductions
} subject;

typedef struct {
    const iot *a;
    const trace *t;
    const wait_graph *g;
    clause_facts *facts;
    late_ways ways;
    ARRAY_OF(subject) subjects;
    uint32_t *first;  // of clause c: subjects [first[c], first[c + 1])
    uint32_t *sooner; // by subject: of the reduction in `sooner_of`
    uint32_t *sooner_of;
} search;

// ---------------------------------------------------------------------------------------------
// Terms with parts that goals hand down

static bool is_term(const trace_node *n)
{
    return n->kind == TN_STRUCT && n->n > 1 && n->n <= MOST_PARTS;
}

// The needs are the variable that gets the term, and the part.
static bool find_needs(const trace_clause *c, const trace_node *variable, const trace_node *part,
                       late_item *x)
{
    return part->kind == TN_HOLE && iot_add_need(x, c, variable->index) &&
           iot_add_need(x, c, part->index) && x->n == 2 && x->inner[0].depth == 0;
}

static void find_in_item(search *s, uint32_t clause, uint32_t item)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    const trace_item *unify = &c->items[item];
    for (uint32_t side = 0; side < MOST_SIDES; side++) {
        const trace_node *variable = &c->nodes[c->children[unify->first + side]];
        const trace_node *term = &c->nodes[c->children[unify->first + 1 - side]];
        if (variable->kind != TN_HOLE || !is_term(term))
            continue;
        for (uint32_t k = 0; k < term->n; k++) {
            subject x = {.item = {.clause = clause, .item = item, .part = k + 1}, .longest = -1};
            if (find_needs(c, variable, &c->nodes[c->children[term->first + k]], &x.item))
                ARRAY_PUSH(s->subjects, x);
        }
    }
}

static void find_subjects(search *s)
{
    uint32_t n = trace_nclauses(s->t);
    s->first = base_allocate((size_t)n + 1, sizeof *s->first);
    for (uint32_t k = 0; k < n; k++) {
        const trace_clause *c = trace_get_clause(s->t, k);
        s->first[k] = (uint32_t)s->subjects.n;
        if (clause_is_told(s->facts, k) && !iot_only_passes_time(s->facts, k))
            for (uint32_t i = 0; i < c->nitems; i++)
                if (c->items[i].kind == TI_UNIFY)
                    find_in_item(s, k, i);
    }
    s->first[n] = (uint32_t)s->subjects.n;
    s->sooner = base_allocate(s->subjects.n, sizeof *s->sooner);
    s->sooner_of = base_allocate(s->subjects.n, sizeof *s->sooner_of);
}

// ---------------------------------------------------------------------------------------------
// Readers that take only parts

static bool is_variable_node(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH;
}

// Does the clause look at nothing but these parts (bits) of the term that the pattern takes apart?
static bool takes_only(search *s, uint32_t clause, uint32_t pattern, uint32_t parts)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    const trace_node *n = &c->patterns[pattern];
    for (uint32_t k = 0; k < n->n; k++) {
        const trace_node *child = &c->patterns[c->pattern_children[n->first + k]];
        if (parts >> k & 1)
            continue;
        if (child->kind != TN_FRESH)
            return false;
        for (uint32_t g = 0; g < c->nguards; g++)
            if (test_has_variable(s->t, (clause_test){clause, true, g}, child))
                return false;
    }
    return !test_decides(s->facts, (clause_test){clause, false, pattern});
}

// The pattern of an argument that takes this term apart; IOT_NONE: none.
static uint32_t pattern_of(const search *s, uint32_t r, uint32_t clause, trace_value term)
{
    const trace_clause *c = trace_get_clause(s->t, clause);
    uint32_t goal = trace_reduction_goal(s->t, r);
    for (uint32_t i = 0; i < c->nhead; i++) {
        const trace_node *n = &c->patterns[c->head[i]];
        if (n->kind == TN_STRUCT &&
            is_same_value(iot_end_value(s->t, trace_goal_arg(s->t, goal, i)), term))
            return c->head[i];
    }
    return IOT_NONE;
}

// The binding that made the term that a read came to; IOT_NONE: it is none.
static uint32_t binding_of_term(const trace *t, uint32_t variable)
{
    uint32_t binding = trace_cell_binding(t, variable);
    for (uint32_t i = 0; binding != TRACE_NONE && i < LONGEST_WAY; i++) {
        trace_value v = trace_binding_value(t, binding);
        if (!is_variable(t, v))
            return is_cell_kind(t, v, TC_STRUCT) ? binding : IOT_NONE;
        binding = trace_cell_binding(t, v.id);
    }
    return IOT_NONE;
}

// The earliest that the subject's term could tell its part to the readers of this reduction.
static uint32_t sooner_of(search *s, uint32_t subject_number, uint32_t r)
{
    if (s->sooner_of[subject_number] != r) {
        s->sooner_of[subject_number] = r;
        s->sooner[subject_number] = late_soonest(&s->ways, &s->subjects.at[subject_number].item, r);
    }
    return s->sooner[subject_number];
}

// One read of a term by a clause that takes parts of it.
typedef struct {
    uint32_t reader, clause, binding;
    uint64_t first, end; // its waits
} part_read;

// Which subjects' parts are all that the clause takes; *ret_sooner: since when the last of them is known.
// Returns a subject, or IOT_NONE: it takes something else.
static uint32_t subject_of(search *s, const part_read *x, uint32_t *ret_sooner)
{
    uint32_t maker = trace_binding_maker(s->t, x->binding);
    uint32_t made = trace_reduction_clause(s->t, maker), latest = IOT_NONE, parts = 0;
    if (maker == 0 || s->first[made] == s->first[made + 1])
        return IOT_NONE;
    uint32_t pattern = pattern_of(s, x->reader, x->clause, trace_binding_value(s->t, x->binding));
    if (pattern == IOT_NONE)
        return IOT_NONE;
    const trace_clause *c = trace_get_clause(s->t, x->clause);
    for (uint32_t i = s->first[made]; i < s->first[made + 1]; i++) {
        const subject *y = &s->subjects.at[i];
        const trace_node *n = &c->patterns[pattern];
        if (y->item.item != trace_binding_item(s->t, x->binding) || y->item.part > n->n)
            continue;
        const trace_node *child = &c->patterns[c->pattern_children[n->first + y->item.part - 1]];
        uint32_t sooner = sooner_of(s, i, maker);
        if ((is_variable_node(child) && child->kind == TN_FRESH) || sooner == IOT_NONE ||
            sooner == s->g->parents[maker])
            continue;
        parts |= 1u << (y->item.part - 1);
        if (latest == IOT_NONE || sooner > *ret_sooner) {
            latest = i;
            *ret_sooner = sooner;
        }
    }
    return latest != IOT_NONE && takes_only(s, x->clause, pattern, parts) ? latest : IOT_NONE;
}

typedef void visit_read(search *s, const part_read *x, uint32_t subject_number, uint32_t sooner,
                        void *data);

static void visit_reads(search *s, visit_read *visit, void *data)
{
    for (uint32_t r = 1; r < s->a->n; r++) {
        const uint32_t *reads;
        uint32_t n = trace_reads(s->t, r, &reads), sooner = 0;
        uint64_t next = s->g->first[r], first;
        part_read x = {.reader = r, .clause = trace_reduction_clause(s->t, r)};
        if (!clause_is_told(s->facts, x.clause))
            continue;
        for (uint32_t i = 0; i < n; i++) {
            if (!waits_of_read(s->t, s->g, r, reads[i], &next, &first))
                continue;
            x.binding = binding_of_term(s->t, reads[i]);
            x.first = first;
            x.end = next;
            uint32_t number = x.binding == IOT_NONE ? IOT_NONE : subject_of(s, &x, &sooner);
            if (number != IOT_NONE)
                visit(s, &x, number, sooner, data);
        }
    }
}

static void count_read(search *s, const part_read *x, uint32_t number, uint32_t sooner, void *data)
{
    (void)data;
    subject *y = &s->subjects.at[number];
    uint32_t maker = trace_binding_maker(s->t, x->binding);
    int64_t gain = trace_time(s->t, maker) - trace_time(s->t, sooner);
    y->gained += (uint64_t)(gain > 0 ? gain : 0);
    y->n++;
    if (gain > y->longest) {
        y->longest = gain;
        y->example = maker;
        y->sooner = sooner;
        y->reader = x->reader;
    }
}

// ---------------------------------------------------------------------------------------------
// Candidates

typedef struct {
    uint32_t number;
    change_draft draft;
} part_move;

static void move_read(search *s, const part_read *x, uint32_t number, uint32_t sooner, void *data)
{
    part_move *m = data;
    uint32_t maker = trace_binding_maker(s->t, x->binding);
    for (uint64_t w = x->first; w < x->end && number == m->number; w++)
        if (s->g->makers[w] == maker)
            draft_wait(&m->draft, w, sooner ? sooner : IOT_NONE);
}

static void set_texts(const search *s, candidate *x, const subject *late)
{
    const iot *a = s->a;
    const trace_clause *c = trace_get_clause(s->t, late->item.clause);
    iot_location above = {TRACE_NONE, 0, IOT_NONE, IOT_NONE}, read;
    char *what = item_text(s->t, late->item.clause, late->item.item);
    char *name = iot_predicate_text(s->t, x->place.predicate);
    char *where = iot_place_text(s->t, x->place.source, x->place.line);
    char *sooner = late->sooner == 0 ? base_copy("the first goal")
                                     : iot_maker_text(a, s->g, late->sooner, &above);
    char *reader = iot_maker_text(a, s->g, late->reader, &read);
    char *steps = iot_amount_text(a, late->longest);
    head_variable v = {true, late->item.holes[1]};
    const char *part = head_variable_name(c, s->t, v);
    x->text = base_format("%s%s makes %s, of which %s takes nothing but %s; %s could tell that %s "
                          "sooner, goals only hand it down (%llu time%s)",
                          name, where, what, reader, part, sooner, steps,
                          (unsigned long long)late->n, late->n == 1 ? "" : "s");
    x->advice = base_format("give %s an output of its own, which %s binds, and let %s take that", part,
                            sooner, reader);
    candidate_also(x, read);
    if (above.line != 0)
        candidate_also(x, above);
    free(what);
    free(name);
    free(where);
    free(sooner);
    free(reader);
    free(steps);
}

static void add_candidate(search *s, candidates *c, uint32_t number)
{
    part_move m = {.number = number};
    const subject *late = &s->subjects.at[number];
    candidate *x =
        candidate_at(s->a, c, FINDING_LATE_OUTPUT, late->item.clause, late->example);
    visit_reads(s, move_read, &m);
    x->estimate = true;
    x->change = draft_finish(&m.draft);
    set_texts(s, x, late);
}

void iot_find_late_parts(const iot *a, candidates *c)
{
    search s = {.a = a, .t = a->t, .g = iot_waits(a, NULL, NULL)};
    s.facts = clause_facts_create(a->t);
    s.ways = late_ways_of(a, s.facts);
    find_subjects(&s);
    if (s.subjects.n > 0)
        visit_reads(&s, count_read, NULL);
    uint64_t *gained = base_allocate(s.subjects.n, sizeof *gained);
    uint32_t best[PROPOSED];
    for (size_t i = 0; i < s.subjects.n; i++)
        gained[i] = s.subjects.at[i].longest > 1 ? s.subjects.at[i].gained : 0;
    uint32_t n = iot_most_gained(a, gained, s.subjects.n, PROPOSED, best);
    for (uint32_t i = 0; i < n; i++)
        add_candidate(&s, c, best[i]);
    free(gained);
    free(s.subjects.at);
    free(s.first);
    free(s.sooner);
    free(s.sooner_of);
    clause_facts_destroy(s.facts);
}
