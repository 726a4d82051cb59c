// SPDX-License-Identifier: MIT
//
// Which member holds up the rounds. The critical path comes by a reader again and again; between
// two such steps it goes through the member that comes last. A member is known by its key: a number
// or an atom that goals of one predicate have in one argument, where others of the predicate have
// other ones.
#include "base/table.h"
#include "iotree/findings/findings.h"
#include "iotree/terms/values.h"

enum {
    FEWEST_ROUNDS = 4,
    FEWEST_MEMBERS = 3,
    ARGUMENTS = 8, // of a goal that are looked at
    NEAR = 8,      // goals above that are looked at
};
static const double mostly = 0.6; // of the rounds

typedef struct {
    uint32_t predicate, argument;
    trace_value value;
    uint32_t rounds; // that went through it and through no other of its predicate and argument
} holder;

// A predicate and argument, in the round in hand.
typedef struct {
    uint32_t round, rounds; // the last one in which there was a key; how many
    uint32_t holder;        // of the round
    bool several;
} key_place;

typedef struct {
    const trace *t;
    base_map place_of, holder_of; // by predicate and argument; by these and value
    ARRAY_OF(key_place) places;
    ARRAY_OF(holder) holders;
    uint32_t round;
} holder_search;

static uint64_t hash_of(uint32_t predicate, uint32_t argument, trace_value v)
{
    uint64_t x = v.kind == TV_INT ? (uint64_t)v.i * 2 : (uint64_t)v.id * 2 + 1;
    return ((uint64_t)predicate * ARGUMENTS + argument) * 0x9e3779b97f4a7c15u ^ x;
}

static uint32_t holder_at(holder_search *s, uint32_t predicate, uint32_t argument, trace_value v)
{
    uint64_t *at = map_at(&s->holder_of, hash_of(predicate, argument, v));
    if (*at == MAP_ABSENT) {
        *at = s->holders.n;
        ARRAY_PUSH(s->holders, (holder){predicate, argument, v, 0});
    }
    return (uint32_t)*at;
}

static key_place *place_at(holder_search *s, uint32_t predicate, uint32_t argument)
{
    uint64_t *at = map_at(&s->place_of, (uint64_t)predicate * ARGUMENTS + argument);
    if (*at == MAP_ABSENT) {
        *at = s->places.n;
        ARRAY_PUSH(s->places, (key_place){.round = UINT32_MAX});
    }
    return &s->places.at[*at];
}

// Whether the goal of the reduction had a number or an atom there.
static bool is_key(const trace *t, uint32_t r, uint32_t argument, trace_value *ret)
{
    trace_value v = trace_goal_arg(t, trace_reduction_goal(t, r), argument);
    while (is_variable(t, v)) {
        uint32_t binding = trace_cell_binding(t, v.id);
        if (binding == TRACE_NONE || trace_binding_maker(t, binding) >= r)
            return false;
        v = trace_binding_value(t, binding);
    }
    *ret = v;
    return v.kind == TV_INT || v.kind == TV_ATOM;
}

static void see_step(holder_search *s, uint32_t r)
{
    uint32_t goal = trace_reduction_goal(s->t, r), p = trace_goal_predicate(s->t, goal);
    uint32_t n = trace_get_predicate(s->t, p)->arity;
    if (trace_get_predicate(s->t, p)->origin != TRACE_PROGRAM)
        return;
    for (uint32_t i = 0; i < n && i < ARGUMENTS; i++) {
        trace_value v;
        if (!is_key(s->t, r, i, &v))
            continue;
        uint32_t found = holder_at(s, p, i, v);
        key_place *place = place_at(s, p, i);
        if (place->round != s->round) {
            place->round = s->round;
            place->rounds++;
            place->holder = found;
            place->several = false;
            s->holders.at[found].rounds++;
        } else if (place->holder != found && !place->several) {
            place->several = true;
            s->holders.at[place->holder].rounds--;
        }
    }
}

static uint32_t predicate_of(const iot *a, uint32_t r)
{
    return trace_goal_predicate(a->t, trace_reduction_goal(a->t, r));
}

static void see_path(holder_search *s, const iot *a, uint32_t reader)
{
    for (uint32_t i = 0; i < a->path.n; i++) {
        if (a->path.steps[i] == 0)
            continue;
        if (predicate_of(a, a->path.steps[i]) == reader)
            s->round++;
        else
            see_step(s, a->path.steps[i]);
    }
}

static bool same_key(trace_value x, trace_value y)
{
    return x.kind == y.kind && (x.kind == TV_INT ? x.i == y.i : x.id == y.id);
}

// Does a goal of the predicate not far above have another key there? Then it counts or computes.
static bool changes(const holder_search *s, const iot *a, uint32_t r, const holder *x,
                    trace_value key)
{
    trace_value above;
    for (int up = 0; up < NEAR && r; up++) {
        r = trace_goal_parent(a->t, trace_reduction_goal(a->t, r));
        if (r && predicate_of(a, r) == x->predicate)
            return !is_key(s->t, r, x->argument, &above) || !same_key(key, above);
    }
    return false;
}

// Have at least as many goals of the predicate other keys there, of three members and more?
static bool is_one_of_several(const holder_search *s, const iot *a, const holder *x)
{
    base_map counts = {0};
    uint32_t members = 0;
    bool is = true;
    for (uint32_t r = 1; r < a->n && is; r++) {
        trace_value v;
        if (predicate_of(a, r) != x->predicate || !is_key(s->t, r, x->argument, &v))
            continue;
        is = !changes(s, a, r, x, v);
        uint64_t *n = map_at(&counts, hash_of(x->predicate, x->argument, v));
        *n = *n == MAP_ABSENT ? 1 : *n + 1;
        members += *n == x->rounds;
    }
    map_free(&counts);
    return is && members >= FEWEST_MEMBERS;
}

char *iot_holder_text(const iot *a, uint32_t reader)
{
    holder_search s = {.t = a->t};
    const holder *best = NULL;
    uint32_t rounds = 0;
    see_path(&s, a, reader);
    for (size_t i = 0; i < s.holders.n; i++) {
        const holder *x = &s.holders.at[i];
        const key_place *place = place_at(&s, x->predicate, x->argument);
        if (x->rounds < FEWEST_ROUNDS || x->rounds < mostly * place->rounds ||
            (best && x->rounds <= best->rounds) || !is_one_of_several(&s, a, x))
            continue;
        best = x;
        rounds = place->rounds;
    }
    char *text = NULL;
    if (best) {
        char *name = iot_predicate_text(a->t, best->predicate);
        char *key = best->value.kind == TV_INT
                        ? base_format("%lld", (long long)best->value.i)
                        : base_copy(trace_string(a->t, best->value.id, NULL));
        text = base_format("; the last one is %s with %s in argument %u, %u of %u times", name, key,
                           best->argument + 1, best->rounds, rounds);
        free(name);
        free(key);
    }
    map_free(&s.place_of);
    map_free(&s.holder_of);
    free(s.places.at);
    free(s.holders.at);
    return text ? text : base_copy("");
}
