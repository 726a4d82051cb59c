// SPDX-License-Identifier: MIT
//
// Sums by module while a run goes on, and the summary at its end.
#include "profiler/sums/sums.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS     (UINT64_C(1) << 24) // of a module and a predicate, places in the table of them
#define MOST_PLACES    (UINT64_C(1) << 20) // buckets of all modules
#define FEWEST_BUCKETS 512u
#define LATEST         (INT64_MAX / 2) // step of a sum: the end of its bucket is a number, too

#define RARELY __attribute__((noinline)) // not in each reduction, which has few registers

sums *trace_sums_create(const trace_sum_modules *m, const uint32_t *names, sums_wanted wanted)
{
    uint64_t places = MOST_PLACES / (m->nmodules + UINT64_C(1)), n = TRACE_SUM_BUCKETS;
    while (n > places)
        n /= 2;
    if ((uint64_t)m->nmodules * (m->npredicates + UINT64_C(1)) > MOST_PAIRS || n < FEWEST_BUCKETS)
        return NULL;
    sums *s = base_allocate(1, sizeof *s);
    s->nmodules = m->nmodules;
    s->npredicates = m->npredicates;
    s->wanted = wanted;
    s->nbuckets = (uint32_t)n;
    s->names = base_allocate(m->nmodules, sizeof *s->names);
    memcpy(s->names, names, m->nmodules * sizeof *names);
    s->module_of = base_allocate(m->npredicates + (size_t)1, sizeof *s->module_of);
    if (m->npredicates > 0)
        memcpy(s->module_of, m->module_of, m->npredicates * sizeof *s->module_of);
    s->modules = base_allocate(m->nmodules + (size_t)1, sizeof *s->modules);
    s->touched = base_allocate(m->nmodules + (size_t)1, sizeof *s->touched);
    s->pair_of = base_allocate((m->npredicates + (size_t)1) * m->nmodules, sizeof *s->pair_of);
    s->buckets = base_allocate((m->nmodules + (size_t)1) * s->nbuckets, sizeof *s->buckets);
    trace_open_goals_init(&s->goals);
    trace_path_init(&s->path, wanted.more);
    s->dependencies.lost = true;
    if (wanted.dependencies && trace_dependencies_init(&s->dependencies, m->nmodules, wanted.limits))
        trace_dependencies_process(&s->dependencies, 0);
    s->nprocesses = 1;
    if (wanted.more)
        s->stretches.reduced =
            base_allocate((m->nmodules + (size_t)1) * MOST_STRETCHES, sizeof *s->stretches.reduced);
    return s;
}

void trace_sums_destroy(sums *s)
{
    if (!s)
        return;
    trace_open_goals_finish(&s->goals);
    trace_path_finish(&s->path);
    trace_dependencies_finish(&s->dependencies);
    free(s->stretches.reduced);
    free(s->names);
    free(s->module_of);
    free(s->modules);
    free(s->touched);
    free(s->pair_of);
    free(s->pairs.at);
    free(s->clauses.at);
    for (size_t i = 0; i < s->bodies.n; i++)
        free(s->bodies.at[i].who);
    free(s->bodies.at);
    free(s->buckets);
    free(s);
}

void trace_sums_predicate(sums *s, trace_origin origin)
{
    uint32_t n = s->npredicates + 1;
    if (origin == TRACE_PROGRAM || (n + UINT64_C(1)) * s->nmodules > MOST_PAIRS) {
        s->lost = true;
        return;
    }
    s->module_of = base_resize(s->module_of, n, sizeof *s->module_of);
    s->module_of[n - 1] = TRACE_NONE;
    s->pair_of = base_resize(s->pair_of, (size_t)n * s->nmodules, sizeof *s->pair_of);
    memset(s->pair_of + (size_t)(n - 1) * s->nmodules, 0, s->nmodules * sizeof *s->pair_of);
    s->npredicates = n;
}

// ---------------------------------------------------------------------------------------------
// Buckets

static void join(trace_sum_bucket *into, const trace_sum_bucket *b)
{
    into->reduced += b->reduced;
    into->waiting += b->waiting;
    if (b->most_reduced > into->most_reduced)
        into->most_reduced = b->most_reduced;
    if (b->most_waiting > into->most_waiting)
        into->most_waiting = b->most_waiting;
}

static void widen(sums *s)
{
    for (uint32_t m = 0; m <= s->nmodules; m++) {
        trace_sum_bucket *b = s->buckets + (size_t)m * s->nbuckets;
        for (uint32_t i = 0; i < s->nbuckets / 2; i++) {
            trace_sum_bucket both = b[2 * i];
            join(&both, &b[2 * i + 1]);
            b[i] = both;
        }
        memset(b + s->nbuckets / 2, 0, s->nbuckets / 2 * sizeof *b);
    }
    s->shift++;
}

// W of steps from .. to - 1.
static void add_waiting(sums *s, uint32_t m, int64_t from, int64_t to, int64_t value)
{
    if (value <= 0)
        return;
    trace_sum_bucket *row = s->buckets + (size_t)m * s->nbuckets;
    for (int64_t at = from; at < to;) {
        trace_sum_bucket *b = &row[at >> s->shift];
        int64_t end = ((at >> s->shift) + 1) << s->shift;
        end = end < to ? end : to;
        b->waiting += (uint64_t)(end - at) * (uint64_t)value;
        if ((uint64_t)value > b->most_waiting)
            b->most_waiting = (uint64_t)value;
        at = end;
    }
}

static void note_time(trace_sum_row *row, int64_t time)
{
    if (row->last == 0)
        row->first = time;
    row->last = time;
}

// What all modules did in the step.
static void add_up(sums *s)
{
    sum_module *all = &s->modules[s->nmodules];
    for (uint32_t i = 0; i < s->ntouched; i++) {
        all->reduced += s->modules[s->touched[i]].reduced;
        all->created += s->modules[s->touched[i]].created;
    }
    s->touched[s->ntouched++] = s->nmodules;
}

static void widen_stretches(sums *s)
{
    for (uint32_t m = 0; m <= s->nmodules; m++) {
        uint64_t *row = s->stretches.reduced + (size_t)m * MOST_STRETCHES;
        for (uint32_t i = 0; i < MOST_STRETCHES / 2; i++)
            row[i] = row[2 * i] + row[2 * i + 1];
        memset(row + MOST_STRETCHES / 2, 0, MOST_STRETCHES / 2 * sizeof *row);
    }
    s->stretches.shift++;
}

static void add_to_stretch(sums *s, uint32_t m, uint32_t reduced)
{
    while ((s->time - 1) >> s->stretches.shift >= MOST_STRETCHES)
        widen_stretches(s);
    s->stretches.reduced[(size_t)m * MOST_STRETCHES + (size_t)((s->time - 1) >> s->stretches.shift)] +=
        reduced;
}

static RARELY void end_step(sums *s)
{
    while (s->time >> s->shift >= s->nbuckets)
        widen(s);
    if (s->ntouched > 0)
        add_up(s);
    for (uint32_t i = 0; i < s->ntouched; i++) {
        uint32_t m = s->touched[i];
        sum_module *x = &s->modules[m];
        if (x->reduced > 0)
            note_time(&x->row, s->time);
        if (x->reduced > 0 && s->stretches.reduced)
            add_to_stretch(s, m, x->reduced);
        if (s->time > x->since)
            add_waiting(s, m, x->since, s->time, x->standing);
        trace_sum_bucket *b = &s->buckets[(size_t)m * s->nbuckets + (size_t)(s->time >> s->shift)];
        b->reduced += x->reduced;
        if (x->reduced > b->most_reduced)
            b->most_reduced = x->reduced;
        add_waiting(s, m, s->time, s->time + 1, x->standing - x->reduced);
        x->standing += (int64_t)x->created - x->reduced;
        x->since = s->time + 1;
        x->reduced = x->created = 0;
    }
    s->ntouched = 0;
}

static sum_module *touch(sums *s, uint32_t m)
{
    sum_module *x = &s->modules[m];
    if (x->reduced == 0 && x->created == 0)
        s->touched[s->ntouched++] = m;
    return x;
}

// ---------------------------------------------------------------------------------------------
// Goals

static uint32_t pair_at(sums *s, uint32_t predicate, uint32_t module)
{
    uint32_t *number = &s->pair_of[(size_t)predicate * s->nmodules + module];
    if (*number == 0) {
        ARRAY_PUSH(s->pairs, (trace_sum_pair){.module = module, .predicate = predicate});
        *number = (uint32_t)s->pairs.n;
        if (s->wanted.more && !s->path.lost)
            ARRAY_PUSH(s->path.module_of, module);
    }
    return *number - 1;
}

// Who a goal of the predicate is, made by a process of module `parent` (TRACE_NONE: by the beginning): twice
// its pair; + 1: it starts a process. False: the predicate is not known.
static bool tell_who(sums *s, uint32_t predicate, uint32_t parent, uint32_t *ret)
{
    if (predicate >= s->npredicates)
        return false;
    uint32_t module = s->module_of[predicate];
    bool starts = module != TRACE_NONE && module != parent;
    if (!starts)
        module = parent == TRACE_NONE ? 0 : parent;
    *ret = 2 * pair_at(s, predicate, module) + starts;
    return true;
}

typedef struct {
    uint32_t reduction, module, process; // module, process: TRACE_NONE, NO_PROCESS of the beginning
    uint32_t first_cell;
} goal_maker;

static RARELY uint32_t new_process(sums *s, uint32_t module)
{
    if (!s->dependencies.lost)
        trace_dependencies_process(&s->dependencies, module);
    return s->nprocesses++;
}

// A goal waits from the step after its creation until the step before its reduction: when it is created,
// the former is taken off, and when it is reduced, the latter is added.
// maker: who makes them.
static inline void add_goals(sums *s, const uint32_t *who, uint32_t n, const goal_maker *maker)
{
    trace_sum_pair *pairs = s->pairs.at;
    uint64_t time = (uint64_t)s->time;
    for (uint32_t i = 0; i < n; i++) {
        pairs[who[i] / 2].waiting -= time;
        uint32_t process = maker->process == NO_PROCESS ? s->root : maker->process;
        if (who[i] % 2 == 1)
            process = new_process(s, pairs[who[i] / 2].module);
        open_goals_add(&s->goals, (open_goal){who[i], maker->reduction, process, maker->first_cell, s->time});
    }
}

static void count_created(sums *s, uint32_t who)
{
    touch(s, s->pairs.at[who / 2].module)->created++;
}

static void create(sums *s, uint32_t predicate, const goal_maker *maker)
{
    uint32_t who;
    if (!tell_who(s, predicate, maker->module, &who)) {
        s->lost = true;
        return;
    }
    add_goals(s, &who, 1, maker);
    count_created(s, who);
}

static uint32_t predicate_of(const clause_entry *c, uint32_t goal)
{
    return c->clause.items[c->goal_items[goal]].predicate;
}

// The goals that the clause makes for a process of the module. False: a predicate is not known.
static RARELY bool prepare_body(sums *s, sum_body *body, const clause_entry *c, uint32_t module)
{
    if (!body->who)
        body->who = base_allocate(c->ngoals, sizeof *body->who);
    body->module = TRACE_NONE;
    body->stays = true;
    for (uint32_t i = 0; i < c->ngoals; i++) {
        if (!tell_who(s, predicate_of(c, i), module, &body->who[i]))
            return false;
        body->stays &= s->pairs.at[body->who[i] / 2].module == module;
    }
    body->module = module;
    return true;
}

// What a reduction of a clause with a template makes.
static void create_body(sums *s, const clause_entry *c, uint32_t clause, const goal_maker *maker)
{
    sum_body *body = &s->bodies.at[clause];
    uint32_t module = maker->module;
    if (__builtin_expect(body->module != module, 0) && !prepare_body(s, body, c, module)) {
        s->lost = true;
        return;
    }
    add_goals(s, body->who, c->ngoals, maker);
    if (body->stays)
        s->modules[module].created += c->ngoals; // the reduction has touched it
    for (uint32_t i = 0; i < c->ngoals && !body->stays; i++)
        count_created(s, body->who[i]);
}

static RARELY void add_clauses(sums *s, uint32_t clause)
{
    while (s->clauses.n <= clause) {
        ARRAY_PUSH(s->clauses, (trace_sum_clause){.module = TRACE_NONE});
        ARRAY_PUSH(s->bodies, (sum_body){.module = TRACE_NONE});
    }
}

static inline void count_clause(sums *s, uint32_t clause, uint32_t module)
{
    if (s->clauses.n <= clause)
        add_clauses(s, clause);
    s->clauses.at[clause].work++;
    s->clauses.at[clause].module = module;
}

static RARELY void count_process(sums *s, bool starts, uint32_t module)
{
    if (starts || !s->has_root) {
        s->modules[module].row.processes++;
        s->modules[s->nmodules].row.processes++;
    }
    s->has_root |= !starts;
}

// The goal that is reduced by reduction `number`, and its module.
static inline bool reduce(sums *s, const step_record *r, uint32_t number, open_goal *ret,
                          uint32_t *ret_module)
{
    open_goal g;
    if (!open_goals_take(&s->goals, r->goal, &g) || r->time < 1)
        return false;
    trace_sum_pair *pair = &s->pairs.at[g.who / 2];
    uint32_t module = pair->module;
    pair->work++;
    pair->waiting += (uint64_t)r->time - (g.parent < s->first); // in its parent's step it has not waited
    if (g.who % 2 == 1 || g.parent == 0)
        count_process(s, g.who % 2, module);
    count_clause(s, r->clause, module);
    touch(s, module)->reduced++;
    *ret = g;
    *ret_module = module;
    if (s->path.lost)
        return true;
    path_step step = {number, r->goal, g.who, g.parent, r->nreads, r->nbindings, r->reads,
                      r->bindings};
    path_take(&s->path, &step);
    return true;
}

// Goals one by one, of the beginning or of a clause without a template.
static RARELY void create_any(sums *s, const clause_entry *c, const step_record *r, const goal_maker *maker)
{
    uint32_t n = c->clause.dynamic ? r->ngoals : c->ngoals;
    for (uint32_t i = 0; i < n && !s->lost; i++)
        create(s, c->clause.dynamic ? r->goals[i].predicate : predicate_of(c, i), maker);
}

static uint32_t cells_of(const clause_entry *c, const step_record *r)
{
    return c->clause.dynamic ? r->ncells : ncells_of(c);
}

void trace_sums_take(sums *s, const clause_entry *c, const step_record *r, uint32_t youngest)
{
    goal_maker maker = {s->nreductions, TRACE_NONE, NO_PROCESS, s->ncells};
    open_goal g = {.process = NO_PROCESS};
    if (s->lost)
        return;
    s->nreductions++;
    if (r->time > LATEST) {
        s->lost = true;
        return;
    }
    if (r->time != s->time) {
        end_step(s);
        trace_path_begin_step(&s->path, maker.reduction, s->time + 1 == r->time);
        s->time = r->time;
        s->first = maker.reduction;
    }
    if (maker.reduction > 0 && !reduce(s, r, maker.reduction, &g, &maker.module)) {
        s->lost = true;
        return;
    }
    s->module = maker.module;
    maker.process = g.process;
    s->has_aliases |= youngest != NO_ALIAS && g.parent > 0 && youngest <= g.first_cell;
    dependency_reader reader = {g.process, g.created, r->time};
    uint32_t ncells = cells_of(c, r);
    s->ncells += ncells;
    if (!s->dependencies.lost)
        trace_dependencies_take(&s->dependencies, &reader, r, ncells);
    if (maker.reduction > 0 && !c->clause.dynamic)
        create_body(s, c, r->clause, &maker);
    else
        create_any(s, c, r, &maker);
}

// ---------------------------------------------------------------------------------------------
// The end

static void count_suspended(void *data, const open_goal *g)
{
    sums *s = data;
    trace_sum_pair *pair = &s->pairs.at[g->who / 2];
    pair->waiting += (uint64_t)s->time;
    s->modules[pair->module].row.suspended++;
    s->modules[s->nmodules].row.suspended++;
}

static int by_module(const void *x, const void *y)
{
    const trace_sum_pair *a = x, *b = y;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

static bool sum_path(sums *s, uint64_t *ret_creation)
{
    critical *p = &s->path;
    if (!trace_path_sum(p, ret_creation))
        return false;
    for (size_t i = 0; i < p->counted.n; i++) {
        uint32_t key = p->counted.at[i], what = key % TALLIES;
        trace_sum_pair *pair = &s->pairs.at[what <= TALLY_DATA ? key / TALLIES : 0];
        if (what <= TALLY_DATA)
            *(what == TALLY_DATA ? &pair->data : &pair->control) += p->counts.at[key];
    }
    return true;
}

// Beside the critical path.
static void list_cycles(const sums *s, trace_summary *ret)
{
    const critical *p = &s->path;
    uint32_t n = p->cycles ? (uint32_t)p->cycles->list.n : 0;
    trace_sum_cycle *cycles = base_allocate(n + (size_t)1, sizeof *cycles);
    for (uint32_t i = 0; i < n; i++) {
        const path_cycle *x = &p->cycles->list.at[i];
        uint32_t *modules = base_allocate(x->n, sizeof *modules);
        memcpy(modules, p->cycles->modules.at + x->first, x->n * sizeof *modules);
        cycles[i] = (trace_sum_cycle){.modules = modules, .nmodules = x->n};
    }
    for (size_t i = 0; i < p->counted.n; i++) {
        uint32_t key = p->counted.at[i], what = key % TALLIES;
        if (what == TALLY_ROUNDS)
            cycles[key / TALLIES].rounds = p->counts.at[key];
        else if (what == TALLY_STEPS)
            cycles[key / TALLIES].steps = p->counts.at[key];
    }
    ret->ncycles = n;
    ret->cycles = cycles;
}

// Rows that stand close together.
static void list_stretches(sums *s, trace_summary *ret)
{
    ret->step_width = INT64_C(1) << s->stretches.shift;
    ret->nsteps = (uint32_t)((s->time - 1) >> s->stretches.shift) + 1;
    for (uint32_t m = 0; m <= s->nmodules; m++)
        memmove(s->stretches.reduced + (size_t)m * ret->nsteps,
                s->stretches.reduced + (size_t)m * MOST_STRETCHES, ret->nsteps * sizeof(uint64_t));
    ret->in_steps = s->stretches.reduced;
    s->stretches.reduced = NULL;
}

static const uint64_t *column(const trace_sum_bucket *b, size_t offset, uint32_t n)
{
    uint64_t *values = base_allocate(n + (size_t)1, sizeof *values);
    for (uint32_t i = 0; i < n; i++)
        memcpy(&values[i], (const char *)&b[i] + offset, sizeof *values);
    return values;
}

static const trace_sum_row *make_rows(const sums *s, uint32_t n)
{
    trace_sum_row *rows = base_allocate(s->nmodules + (size_t)1, sizeof *rows);
    for (uint32_t m = 0; m <= s->nmodules; m++) {
        const trace_sum_bucket *b = s->buckets + (size_t)m * s->nbuckets;
        rows[m] = s->modules[m].row;
        rows[m].name = m < s->nmodules ? s->names[m] : TRACE_NONE;
        rows[m].reduced = column(b, offsetof(trace_sum_bucket, reduced), n);
        rows[m].most_reduced = column(b, offsetof(trace_sum_bucket, most_reduced), n);
        rows[m].waiting = column(b, offsetof(trace_sum_bucket, waiting), n);
        rows[m].most_waiting = column(b, offsetof(trace_sum_bucket, most_waiting), n);
    }
    return rows;
}

static void list_entries(const sums *s, trace_summary *ret)
{
    trace_sum_entry *entries = base_allocate(s->npredicates + (size_t)1, sizeof *entries);
    for (uint32_t p = 0; p < s->npredicates; p++)
        if (s->module_of[p] != TRACE_NONE)
            entries[ret->nentries++] = (trace_sum_entry){p, s->module_of[p]};
    ret->entries = entries;
}

static void end_waiting(sums *s)
{
    for (uint32_t m = 0; m <= s->nmodules; m++)
        add_waiting(s, m, s->modules[m].since, s->time + 1, s->modules[m].standing);
}

bool trace_sums_finish(sums *s, uint64_t most, trace_summary *ret)
{
    if (s->lost || s->nreductions < 2 || s->nreductions - 1 < s->wanted.least)
        return false;
    *ret = (trace_summary){.nmodules = s->nmodules};
    end_step(s);
    end_waiting(s);
    uint64_t values = 4 * (s->nmodules + UINT64_C(1));
    while ((uint64_t)(s->time >> s->shift) >= FEWEST_BUCKETS &&
           ((uint64_t)(s->time >> s->shift) + 1) * values > most)
        widen(s);
    trace_open_goals_visit(&s->goals, count_suspended, s);
    ret->span = s->time;
    ret->width = INT64_C(1) << s->shift;
    ret->nbuckets = (uint32_t)(s->time >> s->shift) + 1;
    ret->has_path = sum_path(s, &ret->creation);
    ret->rows = make_rows(s, ret->nbuckets);
    list_entries(s, ret);
    qsort(s->pairs.at, s->pairs.n, sizeof *s->pairs.at, by_module);
    ret->npairs = (uint32_t)s->pairs.n;
    ret->pairs = s->pairs.at;
    ret->nclauses = (uint32_t)s->clauses.n;
    ret->clauses = s->clauses.at;
    if (!s->dependencies.lost)
        trace_dependencies_list(&s->dependencies, s->time, ret);
    if (s->wanted.more) {
        ret->has_more = true;
        ret->has_aliases = s->has_aliases;
        list_cycles(s, ret);
        list_stretches(s, ret);
    }
    s->lost = true;
    return true;
}

void trace_sums_free(trace_summary *summary)
{
    for (uint32_t m = 0; summary->rows && m <= summary->nmodules; m++) {
        free((void *)summary->rows[m].reduced);
        free((void *)summary->rows[m].most_reduced);
        free((void *)summary->rows[m].waiting);
        free((void *)summary->rows[m].most_waiting);
    }
    free((void *)summary->rows);
    free((void *)summary->entries);
    for (uint32_t i = 0; i < summary->ndependencies; i++)
        free((void *)summary->dependencies[i].bins);
    free((void *)summary->dependencies);
    for (uint32_t i = 0; i < summary->ncycles; i++)
        free((void *)summary->cycles[i].modules);
    free((void *)summary->cycles);
    free((void *)summary->in_steps);
}
