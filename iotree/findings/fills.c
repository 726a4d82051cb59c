// SPDX-License-Identifier: MIT
//
// Filling: loops whose steps make one version of a vector after the other, each with one element
// more:
//
//     fill(I, N, V0, V) :- I < N, I1 := I + 1 |
//         height(I, H), set_vector_element(V0, I, _, H, V1), fill(I1, N, V1, V).
//
// Each version waits for the one before, though no two steps set the same element, and nobody looks
// at a version in between or at an element that was replaced. The price is the run in which the
// steps are created as a tree, and the last version waits for all elements.
#include "base/table.h"
#include "iotree/findings/shapes.h"
#include "iotree/findings/steps.h"

enum {
    OLD_VECTOR = 0, // arguments of set_vector_element/5
    INDEX = 1,
    REPLACED = 2,
    SHORTEST_LINE = 20, // versions
    MOST_LOOPS = 4,     // around the goals that set elements
    MOST_FILLS = 4,
};

typedef struct {
    const loops *l;
    uint8_t *sets;      // bits by reduction: of set_vector_element
    uint32_t *before;   // by reduction: that made the version which it takes; 0: none
    uint32_t *versions; // by reduction: of the line that ends with it
    uint32_t *next;     // by reduction: that takes its version
    uint8_t *looked_at; // bits by reduction: others take its version, too
} fill_study;

// ---------------------------------------------------------------------------------------------
// Lines of versions

static bool sets_element(const loops *l, uint32_t r)
{
    uint32_t p = loops_predicate(l, r);
    const trace_predicate *x = trace_get_predicate(l->t, p);
    return x->origin == TRACE_BUILTIN && x->arity == 5 && loops_is_named(l->t, p, "set_vector_element");
}

static trace_value argument_of(const fill_study *s, uint32_t r, uint32_t argument)
{
    return trace_goal_arg(s->l->t, trace_reduction_goal(s->l->t, r), argument);
}

static void find_lines(fill_study *s)
{
    const loops *l = s->l;
    for (uint32_t r = 1; r < l->g->n; r++) {
        if (!sets_element(l, r))
            continue;
        bit_set(s->sets, r);
        s->versions[r] = 1;
        trace_value v = iot_end_value(l->t, argument_of(s, r, OLD_VECTOR));
        uint32_t maker = v.kind == TV_CELL ? trace_cell_maker(l->t, v.id) : 0;
        if (!maker || !bit_get(s->sets, maker))
            continue;
        if (s->next[maker])
            bit_set(s->looked_at, maker);
        s->next[maker] = r;
        s->before[r] = maker;
        s->versions[r] = s->versions[maker] + 1;
    }
    for (uint32_t r = 1; r < l->g->n; r++)
        for (uint64_t i = l->g->first[r]; i < l->g->first[r + 1]; i++) {
            uint32_t maker = l->g->makers[i];
            if (bit_get(s->sets, maker) && s->next[maker] && s->next[maker] != r)
                bit_set(s->looked_at, maker);
        }
}

// Does the text say that nobody gets the element that was replaced? That of array_put/4 does.
static bool drops_replaced(const loops *l, uint32_t r)
{
    uint32_t item = loops_item(l, r);
    if (item == TRACE_NONE)
        return false;
    const trace_clause *c = trace_get_clause(l->t, trace_reduction_clause(l->t, l->g->parents[r]));
    const trace_node *replaced = &c->nodes[c->children[c->items[item].first + REPLACED]];
    uint32_t places = 0;
    for (uint32_t i = 0; i < c->nchildren; i++) {
        const trace_node *n = &c->nodes[c->children[i]];
        places += n->kind == replaced->kind && n->index == replaced->index;
    }
    return replaced->kind == TN_FRESH && places == 1;
}

// Are all elements of the line different ones, and does nobody look at what it replaces?
static bool only_fills(const fill_study *s, uint32_t last)
{
    const loops *l = s->l;
    base_map set = {0}; // by index
    bool fills = true;
    for (uint32_t r = last; r && fills; r = s->before[r]) {
        trace_value index = iot_end_value(l->t, argument_of(s, r, INDEX));
        fills = index.kind == TV_INT && map_get(&set, (uint64_t)index.i) == MAP_ABSENT &&
                drops_replaced(l, r) && (r == last || !bit_get(s->looked_at, r));
        map_set(&set, (uint64_t)index.i, r);
    }
    map_free(&set);
    return fills;
}

// ---------------------------------------------------------------------------------------------
// The price

// The loops around the goals that set elements, the innermost one first, as far as their steps
// could be created as a tree.
static uint32_t find_loops(const fill_study *s, uint32_t last, loop_study *ret)
{
    const loops *l = s->l;
    uint32_t n = 0;
    for (uint32_t r = l->g->parents[last]; r && n < MOST_LOOPS; r = l->g->parents[r]) {
        uint32_t chain = l->chain_of[r];
        uint32_t loop = chain == IOT_NONE ? IOT_NONE : l->chains.at[chain].loop;
        if (loop == IOT_NONE || (n && ret[n - 1].loop == loop))
            continue;
        ret[n] = iot_study_loop(l, loop);
        if (ret[n].walks || ret[n].waits || ret[n].sequential) {
            iot_end_study(&ret[n]);
            break;
        }
        n++;
    }
    return n;
}

// Is it a wait for the version before?
static bool waits_for_version(const fill_study *s, uint32_t r, uint64_t wait)
{
    uint32_t variable = iot_variable_of_wait(s->l, r, wait);
    trace_value vector = argument_of(s, r, OLD_VECTOR);
    return s->l->g->makers[wait] == s->before[r] ||
           (variable != TRACE_NONE && iot_leads_to(s->l->t, vector, variable));
}

static void draft_line(const fill_study *s, uint32_t last, change_draft *d)
{
    const wait_graph *g = s->l->g;
    for (uint32_t r = last; s->before[r]; r = s->before[r]) {
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (waits_for_version(s, r, i))
                draft_wait(d, i, IOT_NONE);
        draft_add(d, last, s->before[r]);
    }
}

static void say_fill(const fill_study *s, uint32_t last, candidates *c)
{
    const loops *l = s->l;
    loop_study around[MOST_LOOPS];
    uint32_t n = find_loops(s, last, around);
    if (n == 0)
        return;
    change_draft d = {0};
    draft_line(s, last, &d);
    for (uint32_t i = 0; i < n; i++)
        iot_draft_creation(&around[i], &d);
    candidate *x = iot_add_loop_candidate(&around[0], c, FINDING_CHAIN, &d);
    candidate_also(x, iot_clause_location(l->a, iot_clause_near(l, last)));
    for (uint32_t i = 1, r; i < n; i++)
        candidate_also(x, iot_clause_location(l->a, iot_loop_clause(l, around[i].loop, &r)));
    char *loop = iot_loop_text(&around[0], x->clause);
    x->text = base_format("%s sets %u elements of a vector one after the other: each waits for the "
                          "version of the vector with the element before, and no version but the "
                          "last one is used",
                          loop, s->versions[last]);
    x->advice = base_format("make all elements at once with array_generate/3, which creates its "
                            "calls as a tree (%u levels)",
                            loops_levels(s->versions[last]));
    x->condition = base_copy("made at once");
    free(loop);
    while (n)
        iot_end_study(&around[--n]);
}

void iot_find_fills(const loops *l, candidates *c)
{
    uint32_t n = l->g->n, found = 0;
    fill_study s = {.l = l, .sets = bits_allocate(n), .looked_at = bits_allocate(n)};
    s.before = base_allocate(n, sizeof *s.before);
    s.versions = base_allocate(n, sizeof *s.versions);
    s.next = base_allocate(n, sizeof *s.next);
    find_lines(&s);
    for (uint32_t r = 1; r < n && found < MOST_FILLS; r++)
        if (s.versions[r] >= SHORTEST_LINE && !s.next[r] && only_fills(&s, r)) {
            say_fill(&s, r, c);
            found++;
        }
    free(s.sets);
    free(s.looked_at);
    free(s.before);
    free(s.versions);
    free(s.next);
}
