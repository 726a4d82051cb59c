// SPDX-License-Identifier: MIT
//
// A decoded chunk as the records that it was coded from. What only the chunks before could tell is not
// checked here as history.c does: the sums notice what does not fit together, and figures of what they do
// not notice are those of a file that nobody wrote.
#include "profiler/read/sum_steps.h"

// Older bindings are looked for at most so rarely: else the whole run had better be read.
#define UNPACK_EVERY 16

static bool add_string(trace *t, const char *name, uint32_t *ret)
{
    size_t length = strlen(name);
    char *text = trace_arena_take(&t->tables, length + 1);
    if (!text || !ARRAY_RESERVE(t->strings, 1))
        return false;
    memcpy(text, name, length + 1);
    *ret = (uint32_t)t->strings.n;
    t->strings.at[t->strings.n++] = (string_entry){.text = text, .length = length};
    return true;
}

sums *trace_sums_of(trace *t, const trace_sum_modules *m, bool more)
{
    uint32_t *names = calloc(m->nmodules, sizeof *names);
    bool good = names != NULL && m->npredicates == t->predicates.n;
    for (uint32_t i = 0; i < m->nmodules && good; i++)
        good = add_string(t, m->names[i], &names[i]);
    sums_wanted wanted = {.dependencies = more, .more = more, .limits = {.unpacks = UNPACK_EVERY}};
    sums *s = good ? trace_sums_create(m, names, wanted) : NULL;
    free(names);
    return s;
}

// The lists that a record needs in another form than the chunk has them.
typedef struct {
    ARRAY_OF(uint32_t) passed_ends;
    ARRAY_OF(step_goal) goals;
    size_t passing; // the entry after those of the reductions before
} recast;

static uint32_t before(const uint32_t *ends, uint32_t i)
{
    return i > 0 ? ends[i - 1] : 0;
}

static void set_passed(step_record *r, recast *x, const steps *s, uint32_t first)
{
    uint32_t passed = x->passing > 0 ? s->passing.at[x->passing - 1].end : 0, begin = passed;
    x->passed_ends.n = 0;
    for (uint32_t i = 0; i < r->nbindings; i++) {
        if (x->passing < s->passing.n && s->passing.at[x->passing].binding == first + i)
            passed = s->passing.at[x->passing++].end;
        ARRAY_PUSH(x->passed_ends, passed - begin);
    }
    r->npassed = passed - begin;
    r->passed = s->passed.at + begin;
    r->passed_ends = x->passed_ends.at;
}

static void set_goals(step_record *r, recast *x, const steps *s, uint32_t i)
{
    x->goals.n = 0;
    for (uint32_t k = before(s->goal_ends.at, i); k < s->goal_ends.at[i]; k++)
        ARRAY_PUSH(x->goals, (step_goal){.predicate = s->predicates.at[k]});
    r->ngoals = (uint32_t)x->goals.n;
    r->goals = x->goals.at;
}

static void sum_step(sums *to, recast *x, const steps *s, uint32_t i)
{
    uint32_t read = before(s->read_ends.at, i), followed = before(s->followed_ends.at, i);
    uint32_t binding = before(s->binding_ends.at, i);
    const clause_entry *c = &s->t->clauses.at[s->clauses.at[i]];
    step_record r = {
        .goal = s->goals.at[i],
        .clause = s->clauses.at[i],
        .time = s->times.at[i],
        .nreads = s->read_ends.at[i] - read,
        .nfollowed = s->followed_ends.at[i] - followed,
        .nbindings = s->binding_ends.at[i] - binding,
        .ncells = s->cell_ends.at[i] - before(s->cell_ends.at, i),
        .reads = s->reads.at + read,
        .followed = s->followed.at + followed,
        .bindings = s->bindings.at + binding,
    };
    if (s->passing_ends.at[i] > x->passing)
        set_passed(&r, x, s, binding);
    if (c->clause.dynamic || (s->before.reductions == 0 && i == 0))
        set_goals(&r, x, s, i);
    trace_sums_take(to, c, &r, s->youngest.at[i]);
}

bool trace_sum_steps(sums *to, const steps *s)
{
    const before_record *b = &s->before;
    recast x = {0};
    if (s->broken || s->reason || b->reductions != to->nreductions || b->cells != to->ncells ||
        b->goals != to->goals.ngoals || b->time != to->time)
        return false;
    for (uint32_t i = 0; i < s->n && !to->lost; i++)
        sum_step(to, &x, s, i);
    free(x.passed_ends.at);
    free(x.goals.at);
    return !to->lost;
}
