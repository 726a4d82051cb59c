// SPDX-License-Identifier: MIT
//
// Places of reads, goal by goal in order of creation: the terms of a trace are stored block by
// block, and this is the order of the blocks.
#include "iotree/prices/look.h"

#include "iotree/terms/values.h"

#define PROGRESS_PERIOD (1u << 16)
#define PER_REDUCTION   64u // terms that may be visited, and
#define PER_READ        16u

typedef struct {
    looker look;
    uint8_t **wanted; // by clause and pattern; NULL: not asked yet
    ARRAY_OF(trace_value) args;
} place_search;

// ---------------------------------------------------------------------------------------------
// One commit

static void count_mention(const looker *l, uint32_t pattern, uint32_t *mentions)
{
    const trace_node *n = &l->c->patterns[pattern];
    if (is_pattern_variable(n))
        mentions[iot_variable_of(l, n)]++;
}

static uint8_t *wanted_patterns(const looker *l)
{
    const trace_clause *c = l->c;
    uint8_t *wanted = base_allocate(c->npatterns, 1);
    uint32_t *mentions = base_allocate((size_t)c->nholes + c->nunused, sizeof *mentions);
    for (uint32_t i = 0; i < c->nhead; i++)
        count_mention(l, c->head[i], mentions);
    for (uint32_t i = 0; i < c->npattern_children; i++)
        count_mention(l, c->pattern_children[i], mentions);
    for (uint32_t i = 0; i < c->npatterns; i++)
        wanted[i] = !is_pattern_variable(&c->patterns[i]) ||
                    mentions[iot_variable_of(l, &c->patterns[i])] > 1;
    free(mentions);
    return wanted;
}

static void forget_variables(looker *l)
{
    size_t n = (size_t)l->c->nholes + l->c->nunused;
    if (n > l->variables) {
        l->values = base_resize(l->values, n, sizeof *l->values);
        l->known = base_resize(l->known, n, sizeof *l->known);
        l->origins = base_resize(l->origins, n, sizeof *l->origins);
        l->variables = n;
    }
    if (n > 0)
        memset(l->known, 0, n);
    l->vague = 0;
}

static void look_at_clause(place_search *s, uint32_t clause)
{
    looker *l = &s->look;
    if (!s->wanted[clause])
        s->wanted[clause] = wanted_patterns(l);
    l->wanted = s->wanted[clause];
    forget_variables(l);
    iot_look_at_head(l, s->args.at);
    iot_look_at_guards(l);
    place_code rest = l->vague                            ? l->vague
                      : iot_has_otherwise(l->t, l->c) ? place_pack(PLACE_GUARD, 0)
                                                      : 0;
    for (uint32_t i = 0; rest && i < l->nreads; i++)
        if (l->places->codes[l->first_read + i] == 0)
            iot_mark_read(l, i, rest);
}

// A built-in looks at all that its arguments hold. Most of its reads lead to an argument itself; only
// for others the terms are searched, so no vector is walked for each of its elements that is taken.
static void look_at_arguments(place_search *s, uint32_t arity)
{
    looker *l = &s->look;
    for (uint32_t i = 0; i < arity; i++)
        s->args.at[i] = iot_follow(l, s->args.at[i], place_pack(PLACE_ARGUMENT, i + 1));
    bool all = true;
    for (uint32_t i = 0; i < l->nreads && all; i++)
        all = l->places->codes[l->first_read + i] != 0;
    for (uint32_t i = 0; i < arity && !all; i++)
        iot_reach(l, (look_term){NULL, s->args.at[i]}, place_pack(PLACE_ARGUMENT, i + 1));
}

static void look_at_commit(place_search *s, uint32_t goal, uint32_t reduction)
{
    looker *l = &s->look;
    uint32_t clause = trace_reduction_clause(l->t, reduction);
    uint32_t arity = trace_get_predicate(l->t, trace_goal_predicate(l->t, goal))->arity;
    l->c = trace_get_clause(l->t, clause);
    l->first_read = l->places->first[reduction];
    l->more = l->places->more.n;
    l->allowance += PER_REDUCTION + (uint64_t)l->nreads * PER_READ;
    s->args.n = 0;
    if (!ARRAY_RESERVE(s->args, arity))
        base_out_of_memory(arity * sizeof *s->args.at, __FILE__, __LINE__);
    trace_goal_args(l->t, goal, s->args.at);
    for (uint32_t i = 0; l->nreads > FEW_READS && i < l->nreads; i++)
        map_set(&l->many, l->reads[i], i);
    if (l->c->nhead > 0)
        look_at_clause(s, clause);
    else
        look_at_arguments(s, arity);
    map_free(&l->many);
}

// ---------------------------------------------------------------------------------------------
// All of them

static int by_read(const void *x, const void *y)
{
    const more_place *a = x, *b = y;
    if (a->read != b->read)
        return a->read < b->read ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

static bool visit_goals(place_search *s, iot_progress progress, void *data)
{
    looker *l = &s->look;
    uint32_t n = trace_ngoals(l->t);
    for (uint32_t g = 0; g < n; g++) {
        uint32_t r = trace_goal_reduction(l->t, g);
        if (r != TRACE_NONE) {
            l->nreads = trace_reads(l->t, r, &l->reads);
            if (l->nreads > 0)
                look_at_commit(s, g, r);
        }
        if (g % PROGRESS_PERIOD == 0 && progress && !progress(data, (double)g / n))
            return false;
    }
    return true;
}

bool iot_find_places(const trace *t, read_places *ret, iot_progress progress, void *data)
{
    uint32_t n = trace_nreductions(t), nclauses = trace_nclauses(t);
    read_places places = {.first = base_allocate((size_t)n + 1, sizeof *places.first)};
    const uint32_t *ignored;
    for (uint32_t r = 0; r < n; r++)
        places.first[r + 1] = places.first[r] + trace_reads(t, r, &ignored);
    places.codes = base_allocate(places.first[n], sizeof *places.codes);
    place_search s = {.look = {.t = t, .places = &places}};
    s.wanted = base_allocate(nclauses, sizeof *s.wanted);
    bool done = visit_goals(&s, progress, data);
    for (uint32_t i = 0; i < nclauses; i++)
        free(s.wanted[i]);
    free(s.wanted);
    free(s.args.at);
    free(s.look.values);
    free(s.look.known);
    free(s.look.origins);
    free(s.look.stack.at);
    free(s.look.pairs.at);
    free(s.look.path.at);
    if (places.more.n)
        qsort(places.more.at, places.more.n, sizeof *places.more.at, by_read);
    *ret = places;
    if (!done)
        iot_free_places(ret);
    return done;
}

void iot_free_places(read_places *p)
{
    free(p->first);
    free(p->codes);
    free(p->more.at);
    *p = (read_places){0};
}
