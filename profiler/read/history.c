// SPDX-License-Identifier: MIT
//
// Reductions, their places, and waiting goals. Chunks of reductions arrive decoded (steps.c), in
// the order of the file. Each reduction is checked against all earlier ones and then appended as a
// whole, so the trace before a wrong reduction is complete.
#include "base/search.h"
#include "profiler/format/decode.h"
#include "profiler/read/loader.h"
#include "profiler/trace_reader.h"

static uint32_t nreductions(const trace *t)
{
    return (uint32_t)t->goals_reduced.n;
}

// ---------------------------------------------------------------------------------------------
// Vectors

uint32_t trace_vector_length(const trace *t, uint32_t cell)
{
    size_t place;
    FIRST_NOT(place, t->vectors.n, i, t->vectors.at[i].cell < cell);
    return t->vectors.at[place].n;
}

// ---------------------------------------------------------------------------------------------
// Bindings

// A variable that is bound: what is read or followed.
static inline bool is_bound(const trace *t, uint32_t cell)
{
    return t->cells.at[cell] < CELL_MARKS;
}

static bool check_bound(loader *l, const uint32_t *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_bound(l->t, cells[i]))
            return trace_refuse(l, "reads what is no bound variable");
    return true;
}

// The end of the chain of bound variables that starts at `cell`: an unbound variable, or a
// variable bound to another thing, or no variable. Chains grow at either end (a variable bound to
// the first of a long chain makes it longer by one), so the ends of long walks are kept: skips is
// a table of pairs (cell, a cell further on), found by the cell's number; a later pair replaces an
// earlier one in its place.
#define LONG_WALK 64u
#define NSKIPS    65536u

static bool skips_prepare(loader *l)
{
    if (l->skips.n > 0)
        return true;
    if (!ARRAY_RESERVE(l->skips, 2 * NSKIPS))
        return trace_refuse(l, trace_no_memory);
    memset(l->skips.at, 0xff, 2 * NSKIPS * sizeof *l->skips.at);
    l->skips.n = 2 * NSKIPS;
    return true;
}

static bool chain_end(loader *l, uint32_t cell, uint32_t *ret)
{
    const trace *t = l->t;
    uint32_t start = cell, walked = 0;
    while (is_bound(t, cell)) {
        uint64_t v = binding_packed(t, t->cells.at[cell]);
        if (packed_kind(v) != TV_CELL)
            break;
        cell = (uint32_t)packed_payload(v);
        if (++walked < LONG_WALK)
            continue;
        if (!skips_prepare(l))
            return false;
        const uint32_t *skip = &l->skips.at[cell % NSKIPS * 2];
        if (skip[0] == cell)
            cell = skip[1];
    }
    if (walked >= LONG_WALK) {
        l->skips.at[start % NSKIPS * 2] = start;
        l->skips.at[start % NSKIPS * 2 + 1] = cell;
    }
    *ret = cell;
    return true;
}

// Chains of variables have ends: a binding does not close a ring.
static bool check_ring(loader *l, uint32_t variable, uint64_t value)
{
    uint32_t end;
    if (packed_kind(value) != TV_CELL)
        return true;
    if (!chain_end(l, (uint32_t)packed_payload(value), &end))
        return false;
    return end != variable || trace_refuse(l, "variables are bound in a ring");
}

// Longs are those of the chunk.
static bool append_binding(loader *l, const step_binding *b, const uint64_t *longs)
{
    trace *t = l->t;
    if (t->cells.at[b->variable] != CELL_UNBOUND)
        return trace_refuse(l, "binds what is no unbound variable");
    if (!check_ring(l, b->variable, b->value))
        return false;
    uint64_t value = b->value;
    size_t n = t->binding_variables.n++;
    if (packed_is_long(value)) {
        t->binding_longs.at[t->binding_longs.n] = longs[packed_payload(value)];
        value = packed_kind(value) | (uint64_t)t->binding_longs.n++ << 3;
    }
    value |= (uint64_t)b->item << PACKED_ITEM;
    t->cells.at[b->variable] = (uint32_t)n;
    t->binding_variables.at[n] = b->variable;
    uint32_t *narrow = &t->binding_values.at[t->binding_values.n++];
    if (binding_narrow(value, b->variable, narrow))
        return true;
    if (t->binding_wide.n > UINT32_MAX >> 3)
        return trace_refuse(l, "more bindings than there can be");
    *narrow = NARROW_ELSEWHERE | (uint32_t)t->binding_wide.n << 3;
    t->binding_wide.at[t->binding_wide.n++] = value;
    return true;
}

// Of the lists that bindings go to, how long they were.
typedef struct {
    size_t n, wide, longs, passed, passing;
} binding_sizes;

static binding_sizes sizes_of_bindings(const trace *t)
{
    return (binding_sizes){t->binding_variables.n, t->binding_wide.n, t->binding_longs.n,
                           t->passed.n, t->passing.n};
}

static void take_back_bindings(trace *t, binding_sizes sizes)
{
    size_t n = sizes.n;
    while (t->binding_variables.n > n) {
        uint32_t variable = t->binding_variables.at[--t->binding_variables.n];
        t->cells.at[variable] = CELL_UNBOUND;
    }
    t->binding_values.n = n;
    t->binding_wide.n = sizes.wide;
    t->binding_longs.n = sizes.longs;
    t->passed.n = sizes.passed;
    t->passing.n = sizes.passing;
}

// ---------------------------------------------------------------------------------------------
// Reductions

// The part of lists of a chunk that belongs to reduction i of it.
typedef struct {
    uint32_t first, end;
} part;

static part part_of(const uint32_t *ends, uint32_t i)
{
    return (part){i > 0 ? ends[i - 1] : 0, ends[i]};
}

static bool check_goal(loader *l, const steps *s, uint32_t i)
{
    const trace *t = l->t;
    uint32_t goal = s->goals.at[i];
    if (s->before.reductions + i == 0)
        return goal == 0 || trace_refuse(l, "the beginning reduces a goal");
    if (goal >= t->goals.n)
        return trace_refuse(l, "a goal that does not exist");
    uint32_t state = t->goals.at[goal];
    if (!(state & GOAL_OPEN))
        return trace_refuse(l, "a goal is reduced twice");
    if ((state & ~GOAL_OPEN) != t->clauses.at[s->clauses.at[i]].clause.predicate)
        return trace_refuse(l, "a goal is reduced by a clause of another predicate");
    return true;
}

// Vectors are listed at once: updates of the same reduction look for them.
static bool check_vectors(loader *l, const steps *s, uint32_t i)
{
    trace *t = l->t;
    part vectors = part_of(s->vector_ends.at, i), updates = part_of(s->update_ends.at, i);
    for (uint32_t j = vectors.first; j < vectors.end; j++)
        t->vectors.at[t->vectors.n++] = s->vectors.at[j];
    for (uint32_t j = updates.first; j < updates.end; j++) {
        uint32_t older = s->updates.at[j].cell;
        if (t->cells.at[older] != CELL_VECTOR)
            return trace_refuse(l, "an update of what is no older vector");
        if (trace_vector_length(t, older) != s->updates.at[j].n)
            return trace_refuse(l, "an update changes the length of a vector");
    }
    return true;
}

static void append_cells(trace *t, const steps *s, uint32_t i)
{
    part cells = part_of(s->cell_ends.at, i);
    uint32_t *to = t->cells.at + t->cells.n;
    for (uint32_t j = cells.first; j < cells.end; j++)
        *to++ = s->cells.at[j];
    t->cells.n += cells.end - cells.first;
}

static void append_goals(trace *t, const steps *s, uint32_t i)
{
    part goals = part_of(s->goal_ends.at, i);
    uint32_t *to = t->goals.at + t->goals.n;
    for (uint32_t j = goals.first; j < goals.end; j++)
        *to++ = GOAL_OPEN | s->predicates.at[j];
    t->goals.n += goals.end - goals.first;
}

// What each binding passed on was bound before it.
static bool append_passed(loader *l, const steps *s, uint32_t i)
{
    trace *t = l->t;
    part passing = part_of(s->passing_ends.at, i);
    if (t->passed.n + s->passed.n > INDEX_LIMIT)
        return trace_refuse(l, "more bindings than there can be");
    for (uint32_t j = passing.first; j < passing.end; j++) {
        uint32_t binding = s->before.bindings + s->passing.at[j].binding;
        part passed = {j > 0 ? s->passing.at[j - 1].end : 0, s->passing.at[j].end};
        for (uint32_t k = passed.first; k < passed.end; k++) {
            if (t->cells.at[s->passed.at[k]] >= binding)
                return trace_refuse(l, "passes on what was not bound before");
            t->passed.at[t->passed.n++] = s->passed.at[k];
        }
        t->passing.at[t->passing.n++] = (passing_entry){binding, (uint32_t)t->passed.n};
    }
    return true;
}

static bool append_bindings(loader *l, const steps *s, uint32_t i)
{
    part bindings = part_of(s->binding_ends.at, i);
    part followed = part_of(s->followed_ends.at, i);
    for (uint32_t j = bindings.first; j < bindings.end; j++)
        if (!append_binding(l, &s->bindings.at[j], s->work.longs.at))
            return false;
    return append_passed(l, s, i) &&
           check_bound(l, s->followed.at + followed.first, followed.end - followed.first);
}

bool trace_finish_passing(trace *t)
{
    size_t n = t->passing.n > 0 ? t->binding_variables.n / 64 + 1 : 0, entry = 0;
    if (!ARRAY_RESERVE(t->passing_words, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        passing_word w = {.before = (uint32_t)entry};
        for (; entry < t->passing.n && t->passing.at[entry].binding / 64 == i; entry++)
            w.bits |= UINT64_C(1) << t->passing.at[entry].binding % 64;
        t->passing_words.at[t->passing_words.n++] = w;
    }
    return true;
}

// The next reduction. If it is wrong the trace is as it was.
static bool load_step(loader *l, const steps *s, uint32_t i)
{
    trace *t = l->t;
    uint32_t number = s->before.reductions + i;
    part reads = part_of(s->read_ends.at, i);
    if (t->run.clock != TRACE_VIRTUAL && number >= t->places.n)
        return trace_refuse(l, "a reduction without a place");
    if (!check_goal(l, s, i) || !check_bound(l, s->reads.at + reads.first, reads.end - reads.first))
        return false;
    size_t ncells = t->cells.n, nvectors = t->vectors.n;
    binding_sizes bindings = sizes_of_bindings(t);
    append_cells(t, s, i);
    if (!check_vectors(l, s, i) || !append_bindings(l, s, i)) {
        take_back_bindings(t, bindings);
        t->vectors.n = nvectors;
        t->cells.n = ncells;
        return false;
    }
    if (number > 0)
        t->goals.at[s->goals.at[i]] = number;
    append_goals(t, s, i);
    return true;
}

// ---------------------------------------------------------------------------------------------
// Chunks of them

// Room for the clauses of the chunk; from the first chunk on that needs it in the wide list.
static bool reserve_clauses(trace *t, const steps *s)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < s->n; i++)
        largest = s->clauses.at[i] > largest ? s->clauses.at[i] : largest;
    if (t->wide_clauses.at)
        return ARRAY_RESERVE(t->wide_clauses, s->n);
    if (largest <= UINT16_MAX)
        return ARRAY_RESERVE(t->clauses_used, s->n);
    size_t n = t->clauses_used.n;
    if (!ARRAY_RESERVE(t->wide_clauses, n + s->n))
        return false;
    for (size_t i = 0; i < n; i++)
        t->wide_clauses.at[i] = t->clauses_used.at[i];
    t->wide_clauses.n = n;
    return true;
}

static void append_clauses(trace *t, const uint32_t *clauses, uint32_t n)
{
    if (t->wide_clauses.at) {
        memcpy(t->wide_clauses.at + t->wide_clauses.n, clauses, n * sizeof *clauses);
        t->wide_clauses.n += n;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        t->clauses_used.at[t->clauses_used.n++] = (uint16_t)clauses[i];
}

// Room for everything in the chunk.
static bool reserve_chunk(loader *l, const steps *s)
{
    trace *t = l->t;
    bool good = reserve_clauses(t, s);
#define CHUNK_LIST(type, name, most) good = good && ARRAY_RESERVE(t->name, most);
#include "profiler/read/lists.def"
    return good || trace_refuse(l, trace_no_memory);
}

// The first n reductions of the chunk, which were checked; false without memory: then they count as
// not loaded, and nothing that follows is.
static bool append_numbers(trace *t, const steps *s, uint32_t n)
{
    bool good = true;
#define SEQUENCE(name, append) good = good && append;
#include "profiler/read/lists.def"
    return good;
}

// Of n reductions, of which the first is this one.
static void append_bits(trace *t, const uint8_t *got_structures, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((first + i) % 64 == 0)
            t->got_structures.at[t->got_structures.n++] = 0;
        t->got_structures.at[t->got_structures.n - 1] |= (uint64_t)got_structures[i] << (first + i) % 64;
    }
}

static void append_list(uint32_t *items, size_t *n, const uint32_t *list, uint32_t length)
{
    if (length > 0)
        memcpy(items + *n, list, length * sizeof *list);
    *n += length;
}

static void append_lists(trace *t, const steps *s, uint32_t n)
{
    append_list(t->reads.at, &t->reads.n, s->reads.at, s->read_ends.at[n - 1]);
    append_list(t->followed.at, &t->followed.n, s->followed.at, s->followed_ends.at[n - 1]);
    append_clauses(t, s->clauses.at, n);
    append_bits(t, s->got_structures.at, s->before.reductions, n);
    append_list(t->goals_reduced.at, &t->goals_reduced.n, s->goals.at, n);
    if (s->before.reductions == 0)
        t->goals_reduced.at[0] = TRACE_NONE;
}

#define ENLARGE(size, other, member)                                                               \
    ((size)->member = (size)->member < (other)->member ? (other)->member : (size)->member)

static void enlarge_slot(slot_size *largest, const slot_size *size)
{
    ENLARGE(largest, size, steps);
    ENLARGE(largest, size, values);
    ENLARGE(largest, size, wide);
    ENLARGE(largest, size, longs);
    ENLARGE(largest, size, dynamics);
    ENLARGE(largest, size, cells);
    ENLARGE(largest, size, goals);
}

static void enlarge_work(work_size *largest, const work_size *size)
{
    ENLARGE(largest, size, made_cells);
    ENLARGE(largest, size, made_goals);
    ENLARGE(largest, size, values);
    ENLARGE(largest, size, scratch);
    ENLARGE(largest, size, raw);
}

static void append_block(trace *t, steps *s, uint32_t n)
{
    t->blocks.at[t->blocks.n++] = (term_block){
        .first = s->before.reductions,
        .n = n,
        .stored = s->stored_terms,
        .stored_size = s->stored_size,
        .raw_size = (uint32_t)s->work_size.raw,
        .size = s->size,
        .own = -1,
        .slot = -1,
    };
    s->stored_terms = NULL;
    enlarge_slot(&t->largest, &s->size);
    enlarge_work(&t->work_size, &s->work_size);
}

static bool check_before(loader *l, const steps *s)
{
    const trace *t = l->t;
    const before_record *b = &s->before;
    uint32_t n = nreductions(t);
    uint32_t goal = n > 1 ? t->goals_reduced.at[n - 1] + 1 : 0;
    int64_t time = n > 0 ? trace_time(t, n - 1) : 0;
    if (b->reductions != n || b->goals != t->goals.n || b->cells != t->cells.n ||
        b->bindings != t->binding_variables.n || b->goal != goal || b->time != time)
        return trace_refuse(l, "chunks are missing: the totals differ");
    if (b->reductions + (uint64_t)s->n > REDUCTION_LIMIT)
        return trace_refuse(l, "more reductions than there can be");
    if (b->bindings + (uint64_t)s->bindings.n > INDEX_LIMIT)
        return trace_refuse(l, "more bindings than there can be");
    return true;
}

bool trace_load_steps(loader *l, steps *s)
{
    trace *t = l->t;
    l->record = 0;
    if (t->waiting.n > 0)
        return trace_refuse(l, "a reduction after the end of the run");
    if (t->profile || t->samples)
        return trace_refuse(l, "reductions beside a profile or samples");
    if (s->n == 0)
        return !s->reason || trace_refuse(l, s->reason);
    if (!check_before(l, s) || !reserve_chunk(l, s))
        return false;
    while (l->record < s->n && load_step(l, s, l->record))
        l->record++;
    if (l->record > 0) {
        if (!append_numbers(t, s, l->record)) {
            l->lost_terms = true;
            return trace_refuse(l, trace_no_memory);
        }
        append_lists(t, s, l->record);
        append_block(t, s, l->record);
    }
    return !l->reason && (!s->reason || trace_refuse(l, s->reason));
}

// ---------------------------------------------------------------------------------------------
// Places

static bool load_place(loader *l)
{
    trace *t = l->t;
    step_record r = {0};
    get_place_of(&l->columns[COLUMN_PLACE], &l->k, &r);
    if (!trace_column_sound(l, &l->columns[COLUMN_PLACE]))
        return false;
    if (r.place >= TRACE_PLACES)
        return trace_refuse(l, "a place that does not exist");
    if (!ARRAY_RESERVE(l->place_ends, r.place + 1u) || !ARRAY_RESERVE(t->places, 1) ||
        !ARRAY_RESERVE(t->starts, 1) || !ARRAY_RESERVE(t->ends, 1))
        return trace_refuse(l, trace_no_memory);
    while (l->place_ends.n <= r.place)
        l->place_ends.at[l->place_ends.n++] = 0;
    l->k.ended = l->place_ends.at[r.place];
    get_start_of(&l->columns[COLUMN_START], &l->k, &r);
    l->k.start = r.start;
    get_end_of(&l->columns[COLUMN_END], &l->k, &r);
    if (!trace_column_sound(l, &l->columns[COLUMN_START]) ||
        !trace_column_sound(l, &l->columns[COLUMN_END]))
        return false;
    l->place_ends.at[r.place] = r.end;
    t->places.at[t->places.n++] = (uint16_t)r.place;
    t->starts.at[t->starts.n++] = r.start;
    t->ends.at[t->ends.n++] = r.end;
    return true;
}

bool trace_load_places(loader *l, uint32_t count)
{
    const trace *t = l->t;
    if (t->run.clock == TRACE_VIRTUAL)
        return trace_refuse(l, "places of a virtual run");
    if (count > BLOCK_REDUCTIONS || t->places.n > nreductions(t))
        return trace_refuse(l, "places without reductions");
    for (l->record = 0; l->record < count; l->record++)
        if (!load_place(l))
            return false;
    return true;
}

void trace_finish_places(trace *t)
{
    if (t->places.n > nreductions(t))
        t->places.n = t->starts.n = t->ends.n = nreductions(t);
    t->nplaces = t->run.places;
    for (size_t i = 0; i < t->places.n; i++) {
        if (t->nplaces <= t->places.at[i])
            t->nplaces = t->places.at[i] + 1u;
        if (t->elapsed < t->ends.at[i])
            t->elapsed = t->ends.at[i];
    }
}

// ---------------------------------------------------------------------------------------------
// Waiting goals

static bool check_waiting(loader *l, const waiting_record *r)
{
    const trace *t = l->t;
    if (r->goal >= t->goals.n)
        return trace_refuse(l, "a goal that does not exist");
    if (!(t->goals.at[r->goal] & GOAL_OPEN))
        return trace_refuse(l, "a goal that was reduced waits");
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t mark = t->cells.at[r->variables[i]];
        if (mark >= CELL_MARKS && mark != CELL_UNBOUND)
            return trace_refuse(l, "a goal waits for what is no variable");
    }
    return true;
}

bool trace_load_waiting(loader *l, uint32_t count)
{
    trace *t = l->t;
    column_in *in = &l->columns[0];
    for (l->record = 0; l->record < count; l->record++) {
        waiting_record r;
        coding k = {.goal = l->waiting_goal, .cells = (uint32_t)t->cells.n};
        trace_arena_reset(&t->scratch);
        get_waiting(in, &k, &r);
        if (!trace_column_sound(l, in) || !check_waiting(l, &r))
            return false;
        if (!ARRAY_RESERVE(t->waiting, 1) || !ARRAY_RESERVE(t->waiting_variables, r.n))
            return trace_refuse(l, trace_no_memory);
        t->waiting.at[t->waiting.n++] =
            (waiting_entry){.goal = r.goal, .n = r.n, .first = t->waiting_variables.n};
        append_list(t->waiting_variables.at, &t->waiting_variables.n, r.variables, r.n);
        l->waiting_goal = r.goal + 1;
    }
    return true;
}

static int compare_waiting(const void *a, const void *b)
{
    const waiting_entry *x = a, *y = b;
    if (x->goal != y->goal)
        return x->goal < y->goal ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

bool trace_finish_waiting(loader *l)
{
    trace *t = l->t;
    if (t->waiting.n == 0)
        return true;
    qsort(t->waiting.at, t->waiting.n, sizeof *t->waiting.at, compare_waiting);
    size_t n = 1;
    for (size_t i = 1; i < t->waiting.n; i++)
        if (t->waiting.at[i].goal != t->waiting.at[n - 1].goal)
            t->waiting.at[n++] = t->waiting.at[i];
    bool good = n == t->waiting.n;
    t->waiting.n = n;
    return good || trace_refuse(l, "a goal waits twice");
}
