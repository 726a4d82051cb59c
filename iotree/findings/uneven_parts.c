// SPDX-License-Identifier: MIT
//
// Loops that call themselves for several parts of a range of numbers, of which one is much larger than the
// others: divided in the middle the parts are as many levels down as in a tree of halves.
#include "iotree/findings/trees.h"

enum {
    MOST_FOLLOWING = 8, // one part in so many may begin with what another one comes to
};

// ---------------------------------------------------------------------------------------------
// Does it divide a range?

// Does the loop call itself for several parts, most of the time?
static bool divides(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t biggest = l->biggest[s->loop], parts = 0;
    for (size_t i = 0; i < l->chains.n; i++)
        parts += l->chains.at[i].loop == s->loop &&
                 l->chain_of[l->g->parents[l->chains.at[i].first]] == biggest;
    uint64_t steps = l->chains.at[biggest].n / (s->waits ? l->predicates[s->loop] : 1);
    return 3 * (uint64_t)parts >= 2 * steps;
}

// Does it go down a structure? How that branches, it does not decide.
static bool goes_down(const loop_study *s)
{
    const loops *l = s->l;
    for (uint32_t i = 0; i < trace_nclauses(l->t); i++) {
        const trace_clause *c = trace_get_clause(l->t, i);
        for (uint32_t k = 0; l->loop_of[c->predicate] == s->loop && k < c->nhead; k++)
            if (c->patterns[c->head[k]].kind == TN_STRUCT ||
                c->patterns[c->head[k]].kind == TN_CONS)
                return true;
    }
    return false;
}

static bool is_of_loop(const loop_study *s, uint32_t r)
{
    uint32_t chain = s->l->chain_of[r];
    return chain != IOT_NONE && s->l->chains.at[chain].loop == s->loop;
}

static bool item_has_fresh(const trace_clause *c, const trace_item *item, uint32_t fresh)
{
    ARRAY_OF(uint32_t) stack = {0};
    bool has = false;
    for (uint32_t i = 0; i < item->n; i++)
        ARRAY_PUSH(stack, c->children[item->first + i]);
    while (stack.n > 0 && !has) {
        const trace_node *n = &c->nodes[stack.at[--stack.n]];
        has = n->kind == TN_FRESH && n->index == fresh;
        for (uint32_t i = 0; i < n->n; i++)
            ARRAY_PUSH(stack, c->children[n->first + i]);
    }
    free(stack.at);
    return has;
}

// How many goals of the loop the clause calls with the variable.
static uint32_t parts_with(const loop_study *s, const trace_clause *c, uint32_t fresh)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nitems; i++)
        n += c->items[i].kind == TI_GOAL && s->l->loop_of[c->items[i].predicate] == s->loop &&
             item_has_fresh(c, &c->items[i], fresh);
    return n;
}

// Do two parts get the variable, or one part the variable and the other one what `:=` makes of it?
// Then it is where a range is cut.
static bool is_shared(const loop_study *s, uint32_t variable)
{
    const trace *t = s->l->t;
    uint32_t maker = trace_cell_maker(t, variable), fresh = variable - trace_first_cell(t, maker);
    const trace_clause *c = trace_get_clause(t, trace_reduction_clause(t, maker));
    if (c->dynamic || fresh >= c->nfresh)
        return false;
    uint32_t parts = parts_with(s, c, fresh);
    for (uint32_t i = 0; i < c->nitems && parts > 0; i++) {
        const trace_item *item = &c->items[i];
        const trace_node *result = item->n ? &c->nodes[c->children[item->first]] : NULL;
        if (item->kind == TI_GOAL && item->n == 2 && loops_is_named(t, item->predicate, ":=") &&
            result->kind == TN_FRESH && result->index != fresh && item_has_fresh(c, item, fresh))
            parts += parts_with(s, c, result->index);
    }
    return parts > 1;
}

// The goal of a step that computes the number for which the member waits here, as where to cut its
// range; 0: it waits for something else.
static uint32_t cut_of(const loop_study *s, uint32_t r, uint32_t maker)
{
    const loops *l = s->l;
    uint32_t side = s->side[maker], variable = iot_variable_from(l, r, maker);
    if (!side || variable == TRACE_NONE || !is_of_loop(s, l->g->parents[side]))
        return 0;
    trace_value v = iot_end_value(l->t, (trace_value){.kind = TV_CELL, .id = variable});
    return v.kind == TV_INT && is_shared(s, variable) ? side : 0;
}

// Bits by reduction: the goals that compute numbers for which members wait. NULL: they wait for
// something else, too. malloc'ed.
static uint8_t *find_cuts(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    uint8_t *cuts = bits_allocate(g->n);
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t i = g->first[r]; is_of_loop(s, r) && i < g->first[r + 1]; i++) {
            uint32_t cut = cut_of(s, r, g->makers[i]);
            if (!cut && g->makers[i] >= s->l->chains.at[s->l->biggest[s->loop]].first) {
                free(cuts);
                return NULL;
            }
            bit_set(cuts, cut);
        }
    return cuts;
}

// Does all that the steps wait for follow from where the range was cut above? Then it could as well
// be cut elsewhere.
static bool waits_for_cuts(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    uint32_t first = s->l->chains.at[s->l->biggest[s->loop]].first;
    uint8_t *cuts = find_cuts(s);
    bool only = cuts != NULL;
    for (uint32_t r = first; only && r < g->n; r++)
        for (uint64_t i = g->first[r];
             s->side[r] && bit_get(cuts, s->side[r]) && i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i];
            only &= maker < first || (s->side[maker] && bit_get(cuts, s->side[maker]));
        }
    free(cuts);
    return only;
}

// Does a step, or a goal that it calls, wait for what another part comes to?
static bool waits_for_other_step(const loop_study *s, uint32_t r, uint32_t step)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++) {
        uint32_t side = s->side[g->makers[i]], other = side ? g->parents[side] : g->makers[i];
        if (other > g->parents[g->parents[step]] && other != step && other != g->parents[step] &&
            l->chain_of[other] != IOT_NONE && l->chains.at[l->chain_of[other]].loop == s->loop)
            return true;
    }
    return false;
}

// Does a part need what another part comes to, before it has parts of its own? Then they are no
// parts of one range. What the steps above have found out is no result of a part.
static bool parts_follow(const loop_study *s)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t following = 0, members = 0;
    for (uint32_t r = 1; r < g->n; r++) {
        uint32_t step = s->side[r] ? g->parents[s->side[r]] : r, chain = l->chain_of[step];
        bool member = step == r && chain != IOT_NONE && l->chains.at[chain].loop == s->loop;
        members += member;
        if (member || (s->side[r] && !l->next[step]))
            following += waits_for_other_step(s, r, step);
    }
    return MOST_FOLLOWING * following >= members;
}

// ---------------------------------------------------------------------------------------------
// In halves

// What a level takes where steps wait for the cut: the mean of the longest chain.
static double time_of_level(const loop_study *s)
{
    const loops *l = s->l;
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    uint32_t last = chain->first;
    while (l->next[last])
        last = l->next[last];
    return (double)(trace_time(l->t, last) - trace_time(l->t, chain->first)) / chain->n *
           l->predicates[s->loop];
}

// All parts are created after as many levels as there are in a tree of all.
static void draft_parts(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    uint32_t root = l->chains.at[l->biggest[s->loop]].first;
    uint32_t total = l->chains.at[l->biggest[s->loop]].total;
    double levels = loops_levels(s->waits ? total / l->predicates[s->loop] : total);
    double of_cuts = s->waits ? time_of_level(s) : 0;
    uint8_t *below = bits_allocate(l->g->n);
    bit_set(below, root);
    for (uint32_t r = root + 1; r < l->g->n; r++) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop ||
            !bit_get(below, l->g->parents[r]))
            continue;
        bit_set(below, r);
        draft_reduction(d, r, l->g->parents[root],
                        levels * (of_cuts > 0 ? of_cuts : (double)wait_cost(l->g, r)));
        for (uint64_t i = l->g->first[r]; s->waits && i < l->g->first[r + 1]; i++)
            if (cut_of(s, r, l->g->makers[i]))
                draft_wait(d, i, IOT_NONE);
    }
    free(below);
}

// Did a goal of another step of the loop make what the side goal reads? Not a counter.
static bool is_of_other_part(const loop_study *s, uint32_t r, uint32_t maker)
{
    const wait_graph *g = s->l->g;
    return s->side[maker] && !bit_get(s->counters, maker) &&
           g->parents[s->side[maker]] != g->parents[s->side[r]];
}

static bool waits_for_part(const loop_study *s, uint32_t r)
{
    const wait_graph *g = s->l->g;
    for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
        if (is_of_other_part(s, r, g->makers[i]))
            return true;
    return false;
}

// By reduction, how many members of the loop descend from it, itself included. The caller frees it.
static uint32_t *members_below(const loop_study *s)
{
    const loops *l = s->l;
    uint32_t *below = base_allocate(l->g->n, sizeof *below);
    for (uint32_t r = l->g->n; r-- > 1;) {
        uint32_t chain = l->chain_of[r];
        if (chain == IOT_NONE || l->chains.at[chain].loop != s->loop)
            continue;
        below[r]++;
        below[l->g->parents[r]] += below[r];
    }
    return below;
}

// When what a step got from its parts was there, and when another step could have what it came to.
typedef struct {
    int64_t came, made;
} combined;

static combined *combinations(const loop_study *s)
{
    const wait_graph *g = s->l->g;
    const trace *t = s->l->t;
    combined *all = base_allocate(g->n, sizeof *all);
    for (uint32_t r = 1; r < g->n; r++)
        for (uint64_t i = g->first[r]; s->side[r] && i < g->first[r + 1]; i++) {
            uint32_t maker = g->makers[i];
            if (!is_of_other_part(s, r, maker))
                continue;
            combined *by = &all[g->parents[s->side[maker]]], *of = &all[g->parents[s->side[r]]];
            int64_t time = trace_time(t, maker);
            of->came = time > of->came ? time : of->came;
            by->made = time > by->made ? time : by->made;
        }
    return all;
}

// How long the combinations take in a tree of halves, all levels but the last one: those of 2^k
// members take what combinations of as many took on the mean.
static double steps_of_levels(const loop_study *s, uint32_t levels)
{
    uint32_t *below = members_below(s);
    combined *all = combinations(s);
    double steps[MOST_LEVELS] = {0}, n[MOST_LEVELS] = {0}, sum = 0, last = 1;
    for (uint32_t r = 1; r < s->l->g->n; r++) {
        if (below[r] < 2 || !all[r].came || !all[r].made)
            continue;
        uint32_t k = loops_levels((uint64_t)below[r] + 1) - 1;
        steps[k < MOST_LEVELS ? k : MOST_LEVELS - 1] +=
            all[r].made > all[r].came ? (double)(all[r].made - all[r].came) : 1;
        n[k < MOST_LEVELS ? k : MOST_LEVELS - 1]++;
    }
    for (uint32_t k = 1; k < levels; k++) {
        uint32_t of = k < MOST_LEVELS ? k : MOST_LEVELS - 1;
        last = n[of] > 0 ? steps[of] / n[of] : last;
        sum += last;
    }
    free(below);
    free(all);
    return sum;
}

// What the parts come to is combined in as many levels as halves have, at the top: the last one of
// the goals that combine waits for all others.
static void draft_results(const loop_study *s, change_draft *d)
{
    const loops *l = s->l;
    const wait_graph *g = l->g;
    uint32_t root = l->chains.at[l->biggest[s->loop]].first, top = 0;
    for (uint32_t r = root; r < g->n; r++)
        top = s->side[r] == r && g->parents[r] == root && waits_for_part(s, r) ? r : top;
    for (uint32_t r = root; r < g->n && top; r++) {
        if (!s->side[r])
            continue;
        for (uint64_t i = g->first[r]; i < g->first[r + 1]; i++)
            if (is_of_other_part(s, r, g->makers[i])) {
                draft_wait(d, i, IOT_NONE);
                draft_add(d, top, g->makers[i]);
            }
    }
    uint32_t leaves = (l->chains.at[l->biggest[s->loop]].total + 1) / 2;
    if (top)
        draft_reduction(d, top, IOT_NONE,
                        steps_of_levels(s, loops_levels(leaves)) + (double)wait_cost(g, top));
}

static void say_uneven_parts(const loop_study *s, candidates *c, change_draft *d)
{
    const loops *l = s->l;
    const loop_chain *chain = &l->chains.at[l->biggest[s->loop]];
    candidate *x = iot_add_loop_candidate(s, c, FINDING_UNEVEN, d);
    char *loop = iot_loop_text(s, x->clause);
    uint32_t levels = loops_levels(chain->total);
    x->text =
        base_format("%s divides unevenly: it calls itself for several parts, %u times in all, "
                    "and the last part is %u levels down; divided in halves it is %u levels",
                    loop, chain->total, chain->n, levels);
    x->advice =
        base_format("let %s divide in the middle, so that both parts are about as large", loop);
    x->condition = base_copy("divided in halves");
    free(loop);
}

// A loop that calls itself for parts of a range of numbers, of which one is much larger than the
// other.
bool iot_propose_even_parts(const loop_study *s, candidates *c)
{
    if (s->walks || goes_down(s) || !divides(s) || (s->waits && !waits_for_cuts(s)) ||
        parts_follow(s))
        return false;
    change_draft d = {0};
    iot_draft_creation(s, &d);
    draft_parts(s, &d);
    draft_results(s, &d);
    say_uneven_parts(s, c, &d);
    draft_free(&d);
    return true;
}
