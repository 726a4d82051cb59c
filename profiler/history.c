// SPDX-License-Identifier: MIT
//
// Reductions, their places, and waiting goals. A reduction is decoded from its columns, checked in full and only
// then appended, so that what is loaded before a wrong one is whole.
#include "profiler/decode.h"
#include "profiler/reader.h"

// A reduction being loaded.
typedef struct {
    trace_reduction r;
    const clause_entry *clause;
    uint32_t number, ncells, ngoals;
} step;

static uint32_t nreductions(const trace *t)
{
    return (uint32_t)t->goals_reduced.n;
}

// ---------------------------------------------------------------------------------------------
// Which goal, which clause

static bool check_skeleton(loader *l, step *s)
{
    trace *t = l->t;
    if (s->r.clause >= t->clauses.n)
        return wrong(l, "a clause that does not exist");
    s->clause = &t->clauses.items[s->r.clause];
    if (s->number == 0)
        return s->r.goal == l->k.goal || wrong(l, "the beginning reduces a goal");
    if (s->r.goal >= t->goals.n)
        return wrong(l, "a goal that does not exist");
    if (!(t->goals.items[s->r.goal] & GOAL_OPEN))
        return wrong(l, "a goal is reduced twice");
    if ((t->goals.items[s->r.goal] & ~GOAL_OPEN) != s->clause->clause.predicate)
        return wrong(l, "a goal is reduced by a clause of another predicate");
    return true;
}

// ---------------------------------------------------------------------------------------------
// What a dynamic reduction makes

uint32_t vector_length(const trace *t, uint32_t cell)
{
    if (cell < t->cells.n) { // else of the reduction being loaded
        uint32_t maker = trace_cell_maker(t, cell);
        const clause_entry *c = clause_of(t, maker);
        if (!c->clause.dynamic)
            return struct_node(c, cell - trace_first_cell(t, maker))->n;
    }
    size_t low = 0, high = t->vectors.n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (t->vectors.items[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return t->vectors.items[low].n;
}

static bool check_values(loader *l, const trace_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!value_is_sound(l->t, &values[i]))
            return wrong(l, "a string that does not exist or is no number");
    return true;
}

// An update's old vector must be older than it, so that the versions end.
static bool check_update(loader *l, const trace_cell *c, uint32_t cell)
{
    const trace *t = l->t;
    if (c->nargs != 3 || c->args[0].kind != TV_CELL || c->args[1].kind != TV_INT)
        return wrong(l, "a vector update of another form");
    uint32_t old = c->args[0].id;
    if (old >= cell || t->cells.items[old] != CELL_VECTOR)
        return wrong(l, "an update of what is no older vector");
    if (vector_length(t, old) != c->n)
        return wrong(l, "an update changes the length of a vector");
    return (c->args[1].i >= 0 && c->args[1].i < c->n) || wrong(l, "an index outside of a vector");
}

static bool check_cell(loader *l, const trace_cell *c, uint32_t cell)
{
    bool good = true;
    if (c->name != TRACE_NONE && c->name >= l->t->strings.n)
        return wrong(l, "a string that does not exist");
    switch (c->kind) {
    case TC_VARIABLE:
        good = c->n == 0 && c->nargs == 0;
        break;
    case TC_CONS:
        good = c->n == 2 && c->nargs == 2;
        break;
    case TC_STRUCT:
        good = c->nargs == c->n && c->name != TRACE_NONE;
        break;
    case TC_VECTOR:
        good = c->nargs == c->n || (c->nargs == 1 && c->n > 0);
        break;
    case TC_VECTOR_UPDATE:
        if (!check_update(l, c, cell))
            return false;
        break;
    }
    return good ? check_values(l, c->args, c->nargs) : wrong(l, "a cell of another form");
}

static uint32_t mark_of(trace_cell_kind kind)
{
    if (kind == TC_VARIABLE)
        return CELL_UNBOUND;
    return kind == TC_CONS || kind == TC_STRUCT ? CELL_STRUCT : CELL_VECTOR;
}

// Room for the new cells and their marks. The marks lie behind the end of the list until the
// reduction is appended.
static bool mark_cells(loader *l, step *s)
{
    trace *t = l->t;
    if (!LIST_RESERVE(&t->cells, s->ncells) || !LIST_RESERVE(&t->goals, s->ngoals))
        return wrong(l, "out of memory");
    uint32_t *marks = t->cells.items + t->cells.n;
    if (s->clause->clause.dynamic) {
        for (uint32_t i = 0; i < s->ncells; i++)
            marks[i] = mark_of(s->r.cells[i].kind);
        return true;
    }
    uint32_t nfresh = s->clause->clause.nfresh;
    for (uint32_t i = 0; i < nfresh; i++)
        marks[i] = CELL_UNBOUND;
    for (uint32_t i = nfresh; i < s->ncells; i++)
        marks[i] = struct_node(s->clause, i)->kind == TN_VECTOR ? CELL_VECTOR : CELL_STRUCT;
    return true;
}

static bool check_made_goals(loader *l, const step *s)
{
    const trace *t = l->t;
    for (uint32_t i = 0; i < s->ngoals; i++) {
        const trace_goal *goal = &s->r.goals[i];
        if (goal->predicate >= t->predicates.n)
            return wrong(l, "a predicate that does not exist");
        if (goal->nargs != t->predicates.items[goal->predicate].arity)
            return wrong(l, "a goal with too few or too many arguments");
        if (!check_values(l, goal->args, goal->nargs))
            return false;
    }
    return true;
}

// The vectors of this reduction are listed at once: updates of the same reduction look for them.
// The caller takes them back if the reduction is wrong.
static bool check_made(loader *l, step *s)
{
    trace *t = l->t;
    for (uint32_t i = 0; i < s->ncells; i++) {
        const trace_cell *c = &s->r.cells[i];
        uint32_t cell = (uint32_t)t->cells.n + i;
        if (!check_cell(l, c, cell))
            return false;
        if (mark_of(c->kind) != CELL_VECTOR)
            continue;
        if (!LIST_RESERVE(&t->vectors, 1))
            return wrong(l, "out of memory");
        t->vectors.items[t->vectors.n++] = (vector_entry){.cell = cell, .n = c->n};
    }
    return check_made_goals(l, s);
}

static bool too_many(loader *l, const step *s)
{
    return (uint64_t)l->k.cells + s->ncells > INDEX_LIMIT ||
           (uint64_t)l->t->goals.n + s->ngoals > INDEX_LIMIT;
}

// The terms column.
static bool load_terms(loader *l, step *s)
{
    column_in *in = &l->columns[COLUMN_TERMS];
    const clause_entry *c = s->clause;
    bool dynamic = c->clause.dynamic;
    if (dynamic)
        get_counts(in, &l->k, &s->r);
    s->ncells = dynamic ? s->r.ncells : ncells_of(c);
    s->ngoals = dynamic ? s->r.ngoals : c->ngoals;
    l->k.nholes = c->clause.nholes;
    if (too_many(l, s))
        return wrong(l, "more cells or goals than there can be");
    l->k.cells += s->ncells;
    if (dynamic)
        get_made(in, &l->k, &s->r);
    else
        get_holes(in, &l->k, &s->r);
    if (!column_sound(l, in) || !mark_cells(l, s))
        return false;
    if (dynamic ? !check_made(l, s) : !check_values(l, s->r.holes, c->clause.nholes))
        return false;
    return block_add(&l->t->work, c, &s->r, s->ncells, s->ngoals) || wrong(l, "out of memory");
}

// ---------------------------------------------------------------------------------------------
// What it read and bound

// A variable that is bound: what is read or followed.
static bool is_bound(const trace *t, uint32_t cell)
{
    return t->cells.items[cell] < CELL_VECTOR;
}

static bool check_bound(loader *l, const uint32_t *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_bound(l->t, cells[i]))
            return wrong(l, "reads what is no bound variable");
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
    if (!LIST_RESERVE(&l->skips, 2 * NSKIPS))
        return wrong(l, "out of memory");
    memset(l->skips.items, 0xff, 2 * NSKIPS * sizeof *l->skips.items);
    l->skips.n = 2 * NSKIPS;
    return true;
}

static bool chain_end(loader *l, uint32_t cell, uint32_t *ret)
{
    const trace *t = l->t;
    uint32_t start = cell, steps = 0;
    while (is_bound(t, cell)) {
        trace_value v =
            unpack_value(t->binding_values.items[t->cells.items[cell]], t->binding_longs.items);
        if (v.kind != TV_CELL)
            break;
        cell = v.id;
        if (++steps < LONG_WALK)
            continue;
        if (!skips_prepare(l))
            return false;
        const uint32_t *skip = &l->skips.items[cell % NSKIPS * 2];
        if (skip[0] == cell)
            cell = skip[1];
    }
    if (steps >= LONG_WALK) {
        l->skips.items[start % NSKIPS * 2] = start;
        l->skips.items[start % NSKIPS * 2 + 1] = cell;
    }
    *ret = cell;
    return true;
}

// Chains of variables have ends: a binding does not close a ring.
static bool check_ring(loader *l, const trace_binding *b)
{
    uint32_t end;
    if (b->value.kind != TV_CELL)
        return true;
    if (!chain_end(l, b->value.id, &end))
        return false;
    return end != b->variable || wrong(l, "variables are bound in a ring");
}

static bool check_binding(loader *l, const step *s, const trace_binding *b)
{
    const trace_clause *c = &s->clause->clause;
    if (l->t->cells.items[b->variable] != CELL_UNBOUND)
        return wrong(l, "binds what is no unbound variable");
    if (c->dynamic ? b->item != 0 : b->item >= c->nitems)
        return wrong(l, "a body item that does not exist");
    if (!value_is_sound(l->t, &b->value))
        return wrong(l, "a string that does not exist or is no number");
    return check_ring(l, b);
}

static void take_back_bindings(trace *t, size_t n)
{
    while (t->binding_variables.n > n) {
        uint32_t variable = t->binding_variables.items[--t->binding_variables.n];
        t->cells.items[variable] = CELL_UNBOUND;
    }
    t->binding_values.n = n;
}

// Appends the bindings one by one: each is checked against those before it.
static bool append_bindings(loader *l, const step *s)
{
    trace *t = l->t;
    for (uint32_t i = 0; i < s->r.nbindings; i++) {
        const trace_binding *b = &s->r.bindings[i];
        if (!check_binding(l, s, b))
            return false;
        size_t n = t->binding_variables.n++;
        t->cells.items[b->variable] = (uint32_t)n;
        t->binding_variables.items[n] = b->variable;
        t->binding_values.items[n] =
            pack_value(&b->value, b->item, t->binding_longs.items, t->binding_longs.n);
        t->binding_longs.n += value_is_long(&b->value);
        t->binding_values.n++;
    }
    return true;
}

// Room for all that a reduction adds but goals and cells.
static bool reserve_step(loader *l, const step *s)
{
    trace *t = l->t;
    uint64_t reads = t->reads.n + (uint64_t)s->r.nreads;
    uint64_t followed = t->followed.n + (uint64_t)s->r.nfollowed;
    uint64_t bindings = t->binding_variables.n + (uint64_t)s->r.nbindings;
    if (bindings > INDEX_LIMIT)
        return wrong(l, "more bindings than there can be");
    bool good =
        LIST_RESERVE(&t->goals_reduced, 1) && LIST_RESERVE(&t->clauses_used, 1) &&
        LIST_RESERVE(&t->reads, s->r.nreads) && LIST_RESERVE(&t->followed, s->r.nfollowed) &&
        LIST_RESERVE(&t->binding_variables, s->r.nbindings) &&
        LIST_RESERVE(&t->binding_values, s->r.nbindings) &&
        LIST_RESERVE(&t->binding_longs, s->r.nbindings) &&
        sequence_reserve(&t->times, (uint64_t)s->r.time) &&
        sequence_reserve(&t->first_read, reads) && sequence_reserve(&t->first_followed, followed) &&
        sequence_reserve(&t->first_binding, bindings) &&
        sequence_reserve(&t->first_cell, l->k.cells) &&
        sequence_reserve(&t->first_goal, t->goals.n + s->ngoals);
    return good || wrong(l, "out of memory");
}

// The bindings column. On failure the bindings are as before.
static bool load_bindings(loader *l, step *s)
{
    trace *t = l->t;
    size_t nbindings = t->binding_variables.n, nlongs = t->binding_longs.n;
    column_in *in = &l->columns[COLUMN_BINDINGS];
    l->p.bound = bindings_of(t);
    get_bindings(in, &l->k, &s->r);
    if (column_sound(l, in) && reserve_step(l, s) && append_bindings(l, s) &&
        check_bound(l, s->r.followed, s->r.nfollowed))
        return true;
    take_back_bindings(t, nbindings);
    t->binding_longs.n = nlongs;
    return false;
}

static bool load_reads(loader *l, step *s)
{
    column_in *in = &l->columns[COLUMN_READS];
    get_reads(in, &l->k, &s->r);
    return column_sound(l, in) && check_bound(l, s->r.reads, s->r.nreads);
}

// ---------------------------------------------------------------------------------------------
// Appending

static void append_goals(trace *t, const step *s)
{
    uint32_t *goals = t->goals.items + t->goals.n;
    for (uint32_t i = 0; i < s->ngoals; i++) {
        const trace_clause *c = &s->clause->clause;
        uint32_t predicate =
            c->dynamic ? s->r.goals[i].predicate : c->items[s->clause->goal_items[i]].predicate;
        goals[i] = GOAL_OPEN | predicate;
    }
    t->goals.n += s->ngoals;
}

static void append_list(uint32_t *items, size_t *n, const uint32_t *list, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        items[*n + i] = list[i];
    *n += length;
}

static void append_step(trace *t, const step *s)
{
    const trace_reduction *r = &s->r;
    if (s->number > 0)
        t->goals.items[r->goal] = s->number;
    t->goals_reduced.items[t->goals_reduced.n++] = s->number > 0 ? r->goal : TRACE_NONE;
    t->clauses_used.items[t->clauses_used.n++] = r->clause;
    append_list(t->reads.items, &t->reads.n, r->reads, r->nreads);
    append_list(t->followed.items, &t->followed.n, r->followed, r->nfollowed);
    append_goals(t, s);
    t->cells.n += s->ncells;
    sequence_push(&t->times, (uint64_t)r->time);
    sequence_push(&t->first_read, t->reads.n);
    sequence_push(&t->first_followed, t->followed.n);
    sequence_push(&t->first_binding, t->binding_variables.n);
    sequence_push(&t->first_cell, t->cells.n);
    sequence_push(&t->first_goal, t->goals.n);
}

static bool load_skeleton(loader *l, step *s)
{
    get_goal_of(&l->columns[COLUMN_GOAL], &l->k, &s->r);
    get_clause_of(&l->columns[COLUMN_CLAUSE], &l->k, &s->r);
    get_time_of(&l->columns[COLUMN_TIME], &l->k, &s->r);
    return column_sound(l, &l->columns[COLUMN_GOAL]) &&
           column_sound(l, &l->columns[COLUMN_CLAUSE]) &&
           column_sound(l, &l->columns[COLUMN_TIME]) && check_skeleton(l, s);
}

// The next reduction. If it is wrong the trace is as it was, only marks of cells and the vectors
// behind the ends of their lists have changed.
static bool load_step(loader *l)
{
    trace *t = l->t;
    step s = {.number = nreductions(t)};
    size_t nvectors = t->vectors.n;
    if (s.number >= REDUCTION_LIMIT)
        return wrong(l, "more reductions than there can be");
    if (t->run.clock != TRACE_VIRTUAL && s.number >= t->places.n)
        return wrong(l, "a reduction without a place");
    arena_reset(&t->scratch);
    l->k.old_cells = l->k.cells = (uint32_t)t->cells.n;
    l->k.p = &l->p;
    if (!load_skeleton(l, &s))
        return false;
    l->p = (predictor){.b = &t->work,
                       .clauses = t->clauses.items,
                       .clause = s.clause,
                       .goal = s.number > 0 ? s.r.goal : TRACE_NONE,
                       .r = &s.r,
                       .bound = bindings_of(t)};
    if (!load_reads(l, &s) || !load_terms(l, &s) || !load_bindings(l, &s)) {
        t->vectors.n = nvectors;
        return false;
    }
    append_step(t, &s);
    l->k.time = s.r.time;
    l->k.goal = s.number > 0 ? s.r.goal + 1 : 0;
    return true;
}

static void enlarge(size_t *largest, size_t size)
{
    if (*largest < size)
        *largest = size;
}

static bool append_block(loader *l, uint32_t first, uint32_t n)
{
    trace *t = l->t;
    const block *b = &t->work;
    uint8_t *stored = malloc(l->stored_terms_size + 1u);
    if (!stored || !LIST_RESERVE(&t->blocks, 1)) {
        free(stored);
        return wrong(l, "out of memory");
    }
    memcpy(stored, l->stored_terms, l->stored_terms_size);
    t->blocks.items[t->blocks.n++] = (term_block){
        .first = first,
        .n = n,
        .stored = stored,
        .stored_size = l->stored_terms_size,
        .raw_size = l->raw_terms_size,
        .slot = -1,
    };
    enlarge(&t->largest.steps, b->steps.n);
    enlarge(&t->largest.values, b->values.n);
    enlarge(&t->largest.longs, b->longs.n);
    enlarge(&t->largest.dynamics, b->dynamics.n);
    enlarge(&t->largest.cells, b->cells.n);
    enlarge(&t->largest.goals, b->goals.n);
    enlarge(&t->largest.raw, l->raw_terms_size);
    return true;
}

static bool load_steps(loader *l, uint32_t count)
{
    for (l->record = 0; l->record < count; l->record++)
        if (!load_step(l))
            return false;
    return true;
}

bool load_reductions(loader *l, uint32_t count)
{
    trace *t = l->t;
    if (count > BLOCK_REDUCTIONS)
        return wrong(l, "too many reductions in a chunk");
    if (t->waiting.n > 0)
        return wrong(l, "a reduction after the end of the run");
    if (t->profile)
        return wrong(l, "reductions beside a profile");
    uint32_t first = nreductions(t);
    block_begin(&t->work, (uint32_t)t->cells.n, (uint32_t)t->goals.n);
    bool good = load_steps(l, count);
    uint32_t n = nreductions(t) - first;
    if (n > 0 && !append_block(l, first, n)) {
        l->lost_terms = true;
        return false;
    }
    return good;
}

// ---------------------------------------------------------------------------------------------
// Places

static bool load_place(loader *l)
{
    trace *t = l->t;
    trace_reduction r = {0};
    get_place_of(&l->columns[COLUMN_PLACE], &l->k, &r);
    if (!column_sound(l, &l->columns[COLUMN_PLACE]))
        return false;
    if (r.place >= TRACE_PLACES)
        return wrong(l, "a place that does not exist");
    if (!LIST_RESERVE(&l->place_ends, r.place + 1u) || !LIST_RESERVE(&t->places, 1) ||
        !LIST_RESERVE(&t->starts, 1) || !LIST_RESERVE(&t->ends, 1))
        return wrong(l, "out of memory");
    while (l->place_ends.n <= r.place)
        l->place_ends.items[l->place_ends.n++] = 0;
    l->k.ended = l->place_ends.items[r.place];
    get_start_of(&l->columns[COLUMN_START], &l->k, &r);
    l->k.start = r.start;
    get_end_of(&l->columns[COLUMN_END], &l->k, &r);
    if (!column_sound(l, &l->columns[COLUMN_START]) || !column_sound(l, &l->columns[COLUMN_END]))
        return false;
    l->place_ends.items[r.place] = r.end;
    t->places.items[t->places.n++] = (uint16_t)r.place;
    t->starts.items[t->starts.n++] = r.start;
    t->ends.items[t->ends.n++] = r.end;
    return true;
}

bool load_places(loader *l, uint32_t count)
{
    const trace *t = l->t;
    if (t->run.clock == TRACE_VIRTUAL)
        return wrong(l, "places of a virtual run");
    if (count > BLOCK_REDUCTIONS || t->places.n > nreductions(t))
        return wrong(l, "places without reductions");
    for (l->record = 0; l->record < count; l->record++)
        if (!load_place(l))
            return false;
    return true;
}

void finish_places(trace *t)
{
    if (t->places.n > nreductions(t))
        t->places.n = t->starts.n = t->ends.n = nreductions(t);
    t->nplaces = t->run.places;
    for (size_t i = 0; i < t->places.n; i++) {
        if (t->nplaces <= t->places.items[i])
            t->nplaces = t->places.items[i] + 1u;
        if (t->elapsed < t->ends.items[i])
            t->elapsed = t->ends.items[i];
    }
}

// ---------------------------------------------------------------------------------------------
// Waiting goals

static bool check_waiting(loader *l, const waiting_record *r)
{
    const trace *t = l->t;
    if (r->goal >= t->goals.n)
        return wrong(l, "a goal that does not exist");
    if (!(t->goals.items[r->goal] & GOAL_OPEN))
        return wrong(l, "a goal that was reduced waits");
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t mark = t->cells.items[r->variables[i]];
        if (mark == CELL_STRUCT || mark == CELL_VECTOR)
            return wrong(l, "a goal waits for what is no variable");
    }
    return true;
}

bool load_waiting(loader *l, uint32_t count)
{
    trace *t = l->t;
    column_in *in = &l->columns[0];
    for (l->record = 0; l->record < count; l->record++) {
        waiting_record r;
        coding k = {.goal = l->waiting_goal, .cells = (uint32_t)t->cells.n};
        arena_reset(&t->scratch);
        get_waiting(in, &k, &r);
        if (!column_sound(l, in) || !check_waiting(l, &r))
            return false;
        if (!LIST_RESERVE(&t->waiting, 1) || !LIST_RESERVE(&t->waiting_variables, r.n))
            return wrong(l, "out of memory");
        t->waiting.items[t->waiting.n++] =
            (waiting_entry){.goal = r.goal, .n = r.n, .first = t->waiting_variables.n};
        append_list(t->waiting_variables.items, &t->waiting_variables.n, r.variables, r.n);
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

bool finish_waiting(loader *l)
{
    trace *t = l->t;
    if (t->waiting.n == 0)
        return true;
    qsort(t->waiting.items, t->waiting.n, sizeof *t->waiting.items, compare_waiting);
    size_t n = 1;
    for (size_t i = 1; i < t->waiting.n; i++)
        if (t->waiting.items[i].goal != t->waiting.items[n - 1].goal)
            t->waiting.items[n++] = t->waiting.items[i];
    bool good = n == t->waiting.n;
    t->waiting.n = n;
    return good || wrong(l, "a goal waits twice");
}
