// SPDX-License-Identifier: MIT
//
// The figures of a stretch of time. Goals are counted where they are created and where they are reduced, as in
// sums/sums.c, but only their modules are kept, and only of goals that a chunk makes itself.
#include "profiler/read/stretch.h"

#include "base/memory.h"
#include "profiler/format/decode.h"

// From step `since` on W is `standing`, until the present step; in this so many were reduced, created.
typedef struct {
    int64_t since, standing;
    uint64_t reduced, created; // a file may say anything
} stretch_row;

struct stretch_sums {
    uint32_t nmodules, npredicates;
    uint32_t *module_of; // by predicate: whose processes its goals start, or TRACE_NONE
    int64_t end, span;   // the first step behind the stretch; the last of the run
    bool begun, over;
    int64_t time;      // of the present step
    stretch_row *rows; // by module, then all together
    uint32_t *touched; // in the present step
    uint32_t ntouched;
    uint32_t first_goal;         // of the goals whose modules are kept
    ARRAY_OF(uint32_t) goals;    // their modules
    older_record older;          // of the chunk
    uint32_t nolder;             // of these were reduced
    trace_sum_stretch *stretch;
    trace_sum_bucket *buckets; // the stretch's
};

// ---------------------------------------------------------------------------------------------
// What stands before a chunk

bool trace_get_standing(loader *l, uint32_t count, standing *ret)
{
    column_in *column = &l->columns[COLUMN_STANDING];
    stands_record head = {0};
    get_stands(column, &l->k, &head);
    if (count == 0 || (uint64_t)count * 3 > column_left(column))
        return trace_refuse(l, "a record is cut short");
    standing_record *modules = trace_arena_take(&l->t->scratch, count * sizeof *modules);
    if (!modules)
        return trace_refuse(l, trace_no_memory);
    for (uint32_t m = 0; m < count; m++)
        get_standing(column, &l->k, &modules[m]);
    *ret = (standing){.time = head.time, .nmodules = count, .modules = modules};
    get_older(&l->columns[COLUMN_OLDER], &l->k, &ret->older);
    if (!trace_column_sound(l, column) || !trace_column_sound(l, &l->columns[COLUMN_OLDER]))
        return false;
    for (uint32_t i = 0; i < ret->older.n; i++)
        if (ret->older.modules[i] >= count)
            return trace_refuse(l, "a module that does not exist");
    uint64_t stand = 0, created = 0, reduced = 0;
    for (uint32_t m = 0; m < count; m++) {
        if (modules[m].standing > INDEX_LIMIT)
            return trace_refuse(l, "more cells or goals than there can be");
        stand += modules[m].standing;
        created += modules[m].created;
        reduced += modules[m].reduced;
    }
    if (stand > INDEX_LIMIT || created > INDEX_LIMIT || reduced > INDEX_LIMIT)
        return trace_refuse(l, "more cells or goals than there can be");
    return true;
}

bool trace_load_standing(loader *l, uint32_t count)
{
    standing ignored;
    bool good = trace_get_standing(l, count, &ignored);
    trace_arena_reset(&l->t->scratch);
    return good;
}

// ---------------------------------------------------------------------------------------------
// Steps

static void add_values(stretch_sums *s, uint32_t row, int64_t from, int64_t to, uint64_t reduced, int64_t waiting)
{
    const trace_sum_stretch *x = s->stretch;
    trace_sum_bucket *buckets = s->buckets + (size_t)row * x->n;
    from = from > x->from ? from : x->from;
    to = to < s->end ? to : s->end;
    uint64_t stands = waiting > 0 ? (uint64_t)waiting : 0;
    while (from < to) {
        int64_t i = (from - x->from) / x->width, next = x->from + (i + 1) * x->width;
        trace_sum_bucket *b = &buckets[i];
        next = next < to ? next : to;
        b->reduced += reduced;
        b->waiting += stands * (uint64_t)(next - from);
        b->most_reduced = reduced > b->most_reduced ? reduced : b->most_reduced;
        b->most_waiting = stands > b->most_waiting ? stands : b->most_waiting;
        from = next;
    }
}

static void touch(stretch_sums *s, uint32_t row, uint32_t reduced, uint32_t created)
{
    stretch_row *x = &s->rows[row];
    if (x->reduced == 0 && x->created == 0)
        s->touched[s->ntouched++] = row;
    x->reduced += reduced;
    x->created += created;
}

static void count(stretch_sums *s, uint32_t module, uint32_t reduced, uint32_t created)
{
    touch(s, module, reduced, created);
    touch(s, s->nmodules, reduced, created);
}

static void end_step(stretch_sums *s)
{
    for (uint32_t i = 0; i < s->ntouched; i++) {
        stretch_row *x = &s->rows[s->touched[i]];
        add_values(s, s->touched[i], x->since, s->time, 0, x->standing);
        add_values(s, s->touched[i], s->time, s->time + 1, x->reduced, x->standing - (int64_t)x->reduced);
        x->standing += (int64_t)x->created - (int64_t)x->reduced;
        x->since = s->time + 1;
        x->reduced = x->created = 0;
    }
    s->ntouched = 0;
}

// ---------------------------------------------------------------------------------------------
// Chunks

// The first one that is read, or one behind it, which must say what follows from those before.
static bool take_standing(stretch_sums *s, const standing *before)
{
    bool first = !s->begun;
    if (before->nmodules != s->nmodules || (!first && before->time != s->time))
        return false;
    s->time = before->time;
    for (uint32_t m = 0; m < s->nmodules; m++) {
        const standing_record *is = &before->modules[m];
        stretch_row *x = &s->rows[m];
        if (first) {
            if (is->reduced > 0 || is->created > 0)
                count(s, m, is->reduced, is->created);
            x->standing = (int64_t)is->standing;
            x->since = s->rows[s->nmodules].since = before->time;
            s->rows[s->nmodules].standing += x->standing;
        } else if (x->standing != (int64_t)is->standing || x->reduced != is->reduced || x->created != is->created) {
            return false;
        }
    }
    return true;
}

// A goal that is reduced. False: it was never there.
static bool module_of_goal(stretch_sums *s, uint32_t goal, uint32_t *ret)
{
    if (goal < s->first_goal) {
        if (s->nolder == s->older.n)
            return false;
        *ret = s->older.modules[s->nolder++];
        return true;
    }
    if (goal - s->first_goal >= s->goals.n)
        return false;
    *ret = s->goals.at[goal - s->first_goal];
    return true;
}

static bool make_goal(stretch_sums *s, uint32_t predicate, uint32_t parent)
{
    if (predicate >= s->npredicates)
        return false;
    uint32_t module = s->module_of[predicate];
    if (module == TRACE_NONE)
        module = parent == TRACE_NONE ? 0 : parent;
    ARRAY_PUSH(s->goals, module);
    count(s, module, 0, 1);
    return true;
}

static bool take_step(stretch_sums *s, const steps *c, uint32_t i)
{
    uint32_t module = TRACE_NONE;
    if (c->times.at[i] != s->time) {
        end_step(s);
        s->time = c->times.at[i];
        s->over = s->time >= s->end;
    }
    if (s->over)
        return true;
    if (c->before.reductions + i > 0) {
        if (s->time < 1 || !module_of_goal(s, c->goals.at[i], &module))
            return false;
        count(s, module, 1, 0);
    }
    for (uint32_t k = i > 0 ? c->goal_ends.at[i - 1] : 0; k < c->goal_ends.at[i]; k++)
        if (!make_goal(s, c->predicates.at[k], module))
            return false;
    return true;
}

bool trace_stretch_take(stretch_sums *s, const steps *c, const standing *before)
{
    s->older.n = s->nolder = 0;
    if (c->broken || c->reason || (!before && !s->begun && c->before.reductions > 0) ||
        (before && before->time != c->before.time))
        return false;
    if (before) {
        if (!take_standing(s, before))
            return false;
        s->first_goal = c->before.goals;
        s->goals.n = 0;
        s->older = before->older;
    }
    s->begun = true;
    if (c->before.goals != s->first_goal + s->goals.n)
        return false;
    for (uint32_t i = 0; i < c->n && !s->over; i++)
        if (!take_step(s, c, i))
            return false;
    return s->over || s->nolder == s->older.n;
}

bool trace_stretch_over(const stretch_sums *s)
{
    return s->over;
}

// ---------------------------------------------------------------------------------------------
// Beginning and end

stretch_sums *trace_stretch_create(const trace *t, const trace_sum_stretch *wanted)
{
    const trace_summary *by = t->summary;
    int64_t all, end;
    if (wanted->from < 0 || wanted->width < 1 || wanted->n == 0 ||
        (uint64_t)wanted->n * (by->nmodules + UINT64_C(1)) > TRACE_STRETCH_VALUES ||
        __builtin_mul_overflow(wanted->width, (int64_t)wanted->n, &all) ||
        __builtin_add_overflow(wanted->from, all, &end))
        return NULL;
    stretch_sums *s = base_allocate(1, sizeof *s);
    s->nmodules = by->nmodules;
    s->npredicates = (uint32_t)t->predicates.n;
    s->span = by->span;
    s->end = end <= by->span ? end : by->span + 1;
    s->module_of = base_allocate(s->npredicates + (size_t)1, sizeof *s->module_of);
    memset(s->module_of, 0xff, s->npredicates * sizeof *s->module_of); // TRACE_NONE
    for (uint32_t i = 0; i < by->nentries; i++)
        s->module_of[by->entries[i].predicate] = by->entries[i].module;
    s->rows = base_allocate(s->nmodules + (size_t)1, sizeof *s->rows);
    s->touched = base_allocate(s->nmodules + (size_t)1, sizeof *s->touched);
    s->buckets = base_allocate((s->nmodules + (size_t)1) * wanted->n, sizeof *s->buckets);
    s->stretch = base_allocate(1, sizeof *s->stretch);
    *s->stretch = *wanted;
    s->stretch->rows = s->buckets;
    return s;
}

bool trace_stretch_finish(stretch_sums *s, trace *t)
{
    bool good = s->over || s->time == s->span;
    if (!s->over)
        end_step(s);
    for (uint32_t row = 0; row <= s->nmodules; row++)
        add_values(s, row, s->rows[row].since, s->end, 0, s->rows[row].standing);
    if (t && good)
        t->stretch = s->stretch;
    else
        trace_stretch_free(s->stretch);
    free(s->module_of);
    free(s->rows);
    free(s->touched);
    free(s->goals.at);
    free(s);
    return good;
}

void trace_stretch_free(trace_sum_stretch *stretch)
{
    if (!stretch)
        return;
    free((void *)stretch->rows);
    free(stretch);
}

const trace_sum_stretch *trace_get_stretch(const trace *t)
{
    return t->stretch;
}
