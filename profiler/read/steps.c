// SPDX-License-Identifier: MIT
//
// Decodes one chunk of reductions. Here only those errors are found that the tables and the chunk
// show; history.c finds the others, in the order of the chunks.
#include "profiler/format/decode.h"
#include "profiler/read/steps.h"
#include "profiler/sums/sums.h"

// A reduction being decoded.
typedef struct {
    step_record r;
    const clause_entry *clause;
    uint32_t ncells, ngoals;
    bool got_structures; // in those it makes, as far as the chunk tells
    column_in *columns;
} step;

static bool refuse(steps *s, const char *reason)
{
    if (!s->reason)
        s->reason = reason;
    return false;
}

static bool sound(steps *s, const column_in *in)
{
    return !in->wrong || refuse(s, in->wrong);
}

// ---------------------------------------------------------------------------------------------
// What a dynamic reduction makes

static bool check_value(steps *s, uint64_t value)
{
    unsigned kind = packed_kind(value);
    if (kind < TV_ATOM || kind > TV_BIG)
        return true;
    trace_value v = {.kind = (trace_value_kind)kind, .id = (uint32_t)packed_payload(value)};
    return trace_value_is_sound(s->t, &v, s->tables.strings) ||
           refuse(s, "a string that does not exist or is no number");
}

// Whether the value is, or may be, a structure or vector: what a cell of an earlier chunk is, is not known here.
static bool may_be_structure(const steps *s, uint64_t value)
{
    if (packed_kind(value) != TV_CELL)
        return false;
    uint64_t cell = packed_payload(value) - s->before.cells; // large if it is older
    return cell >= s->cells.n || s->cells.at[cell] != CELL_UNBOUND;
}

static bool check_values(steps *s, const uint64_t *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!check_value(s, values[i]))
            return false;
        s->size.wide += !term_is_narrow(values[i]);
    }
    return true;
}

// An update's old vector must be older than it, so that the versions end; what it is, is asked
// later.
static bool check_update(steps *s, const step_cell *c, uint32_t cell)
{
    if (c->nargs != 3 || packed_kind(c->args[0]) != TV_CELL)
        return refuse(s, "a vector update of another form");
    trace_value index = unpack_value(c->args[1], s->work.longs.at);
    uint32_t old = (uint32_t)packed_payload(c->args[0]);
    if (index.kind != TV_INT)
        return refuse(s, "a vector update of another form");
    if (old >= cell)
        return refuse(s, "an update of what is no older vector");
    if (index.i < 0 || index.i >= c->n)
        return refuse(s, "an index outside of a vector");
    if (!ARRAY_RESERVE(s->updates, 1))
        return refuse(s, trace_no_memory);
    s->updates.at[s->updates.n++] = (vector_entry){.cell = old, .n = c->n};
    return true;
}

static bool check_cell(steps *s, step *x, const step_cell *c, uint32_t cell)
{
    bool good = true;
    if (c->name != TRACE_NONE && c->name >= s->tables.strings)
        return refuse(s, "a string that does not exist");
    switch ((trace_cell_kind)c->kind) {
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
        if (!check_update(s, c, cell))
            return false;
        break;
    }
    for (uint32_t i = 0; i < c->nargs; i++)
        x->got_structures |= may_be_structure(s, c->args[i]);
    return good ? check_values(s, c->args, c->nargs) : refuse(s, "a cell of another form");
}

static uint32_t mark_of(trace_cell_kind kind)
{
    if (kind == TC_VARIABLE)
        return CELL_UNBOUND;
    if (kind == TC_CONS)
        return CELL_CONS;
    return kind == TC_STRUCT ? CELL_STRUCT : CELL_VECTOR;
}

static bool add_cell(steps *s, uint32_t mark, uint32_t cell, uint32_t n)
{
    s->cells.at[s->cells.n++] = mark;
    if (mark != CELL_VECTOR)
        return true;
    if (!ARRAY_RESERVE(s->vectors, 1))
        return refuse(s, trace_no_memory);
    s->vectors.at[s->vectors.n++] = (vector_entry){.cell = cell, .n = n};
    return true;
}

static bool check_made(steps *s, step *x)
{
    for (uint32_t i = 0; i < x->ncells; i++) {
        const step_cell *c = &x->r.cells[i];
        uint32_t cell = s->k.old_cells + i;
        if (!check_cell(s, x, c, cell) || !add_cell(s, mark_of((trace_cell_kind)c->kind), cell, c->n))
            return false;
        s->size.values += c->nargs;
    }
    for (uint32_t i = 0; i < x->ngoals; i++) {
        const step_goal *goal = &x->r.goals[i];
        if (goal->predicate >= s->tables.predicates)
            return refuse(s, "a predicate that does not exist");
        if (goal->nargs != s->t->predicates.at[goal->predicate].arity)
            return refuse(s, "a goal with too few or too many arguments");
        if (!check_values(s, goal->args, goal->nargs))
            return false;
        s->predicates.at[s->predicates.n++] = goal->predicate;
        s->size.values += goal->nargs;
    }
    s->size.dynamics++;
    s->size.cells += x->ncells;
    s->size.goals += x->ngoals;
    return true;
}

// ---------------------------------------------------------------------------------------------
// What a template makes

static bool add_template(steps *s, step *x)
{
    const trace_clause *c = &x->clause->clause;
    const placed_value *held = x->clause->values + x->clause->nconstants + x->clause->ncells;
    for (uint32_t i = 0; i < x->clause->nheld; i++)
        x->got_structures |= may_be_structure(s, x->r.holes[held[i].made]);
    for (uint32_t i = 0; i < c->nfresh; i++)
        s->cells.at[s->cells.n++] = CELL_UNBOUND;
    for (uint32_t i = c->nfresh; i < x->ncells; i++) {
        const trace_node *node = struct_node(x->clause, i);
        uint32_t mark = node->kind == TN_VECTOR ? CELL_VECTOR
                        : node->kind == TN_CONS ? CELL_CONS
                                                : CELL_STRUCT;
        if (!add_cell(s, mark, s->k.old_cells + i, node->n))
            return false;
    }
    for (uint32_t i = 0; i < x->ngoals; i++)
        s->predicates.at[s->predicates.n++] = c->items[x->clause->goal_items[i]].predicate;
    s->size.values += c->nholes;
    return true;
}

// The terms column.
static bool decode_terms(steps *s, step *x)
{
    column_in *in = &x->columns[COLUMN_TERMS];
    const clause_entry *c = x->clause;
    bool dynamic = c->clause.dynamic;
    if (dynamic)
        get_counts(in, &s->k, &x->r);
    x->ncells = dynamic ? x->r.ncells : ncells_of(c);
    x->ngoals = dynamic ? x->r.ngoals : c->ngoals;
    s->k.nholes = c->clause.nholes;
    if ((uint64_t)s->k.cells + x->ncells > INDEX_LIMIT ||
        (uint64_t)s->before.goals + s->predicates.n + x->ngoals > INDEX_LIMIT)
        return refuse(s, "more cells or goals than there can be");
    s->k.cells += x->ncells;
    if (dynamic)
        get_made(in, &s->k, &x->r);
    else
        get_holes(in, &s->k, &x->r);
    if (!sound(s, in))
        return false;
    if (!ARRAY_RESERVE(s->cells, x->ncells) || !ARRAY_RESERVE(s->predicates, x->ngoals))
        return refuse(s, trace_no_memory);
    if (dynamic ? !check_made(s, x)
                : !check_values(s, x->r.holes, c->clause.nholes) || !add_template(s, x))
        return false;
    return block_add(&s->work, c, &x->r) || refuse(s, trace_no_memory);
}

// ---------------------------------------------------------------------------------------------
// The other columns

static bool decode_skeleton(steps *s, step *x)
{
    column_in *columns = x->columns;
    get_goal_of(&columns[COLUMN_GOAL], &s->k, &x->r);
    get_clause_of(&columns[COLUMN_CLAUSE], &s->k, &x->r);
    get_time_of(&columns[COLUMN_TIME], &s->k, &x->r);
    if (!sound(s, &columns[COLUMN_GOAL]) || !sound(s, &columns[COLUMN_CLAUSE]) ||
        !sound(s, &columns[COLUMN_TIME]))
        return false;
    if (x->r.clause >= s->tables.clauses)
        return refuse(s, "a clause that does not exist");
    x->clause = &s->t->clauses.at[x->r.clause];
    return true;
}

static bool check_bindings(steps *s, const step *x)
{
    const trace_clause *c = &x->clause->clause;
    for (uint32_t i = 0; i < x->r.nbindings; i++) {
        const step_binding *b = &x->r.bindings[i];
        if (c->dynamic ? b->item != 0 : b->item >= c->nitems)
            return refuse(s, "a body item that does not exist");
        if (!check_value(s, b->value))
            return false;
    }
    return true;
}

#define APPEND(list, items_, n_)                                                                   \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < (n_); i_++)                                                     \
            (list)->at[(list)->n + i_] = (items_)[i_];                                             \
        (list)->n += (n_);                                                                         \
    } while (0)

#define PUSH(list, item) ((list)->at[(list)->n++] = (item))

// What the bindings of the reduction, which come next, passed on.
static bool append_passed(steps *s)
{
    const block *b = &s->work;
    uint32_t before = 0, first = (uint32_t)s->bindings.n;
    if (b->passed.n == 0)
        return true;
    if (s->passed.n + b->passed.n > INDEX_LIMIT || !ARRAY_RESERVE(s->passed, b->passed.n) ||
        !ARRAY_RESERVE(s->passing, b->passed_ends.n))
        return false;
    uint32_t passed = (uint32_t)s->passed.n;
    APPEND(&s->passed, b->passed.at, b->passed.n);
    for (uint32_t i = 0; i < b->passed_ends.n; i++) {
        uint32_t end = b->passed_ends.at[i];
        if (end > before)
            PUSH(&s->passing, ((passing_entry){first + i, passed + end}));
        before = end;
    }
    return true;
}

// Of a value that a `=` of the text has on one side, if that is a variable of the clause's head.
static uint32_t age_of(uint64_t value)
{
    return packed_kind(value) == TV_CELL ? (uint32_t)packed_payload(value) + 1 : 0;
}

static uint32_t youngest_of(const step *x)
{
    uint32_t least = NO_ALIAS;
    const clause_entry *c = x->clause;
    for (uint32_t i = 0; i < x->r.nbindings && !c->clause.dynamic; i++) {
        uint32_t item = x->r.bindings[i].item;
        const uint64_t *sides = &c->sides[2 * (size_t)item];
        if (c->clause.items[item].kind != TI_UNIFY || packed_kind(sides[0]) != TV_NODE ||
            packed_kind(sides[1]) != TV_NODE)
            continue;
        uint32_t left = age_of(instance_of(sides[0], x->r.holes, 0));
        uint32_t right = age_of(instance_of(sides[1], x->r.holes, 0));
        uint32_t younger = left > right ? left : right;
        least = younger < least ? younger : least;
    }
    return least;
}

static bool append_step(steps *s, const step *x)
{
    const step_record *r = &x->r;
    if (!ARRAY_RESERVE(s->reads, r->nreads) || !ARRAY_RESERVE(s->followed, r->nfollowed) ||
        !ARRAY_RESERVE(s->bindings, r->nbindings) || !append_passed(s))
        return refuse(s, trace_no_memory);
    APPEND(&s->reads, r->reads, r->nreads);
    APPEND(&s->followed, r->followed, r->nfollowed);
    APPEND(&s->bindings, r->bindings, r->nbindings);
    PUSH(&s->goals, r->goal);
    PUSH(&s->clauses, r->clause);
    PUSH(&s->got_structures, x->got_structures);
    PUSH(&s->times, r->time);
    PUSH(&s->read_ends, (uint32_t)s->reads.n);
    PUSH(&s->followed_ends, (uint32_t)s->followed.n);
    PUSH(&s->passing_ends, (uint32_t)s->passing.n);
    PUSH(&s->binding_ends, (uint32_t)s->bindings.n);
    PUSH(&s->cell_ends, (uint32_t)s->cells.n);
    PUSH(&s->goal_ends, (uint32_t)s->predicates.n);
    PUSH(&s->vector_ends, (uint32_t)s->vectors.n);
    PUSH(&s->update_ends, (uint32_t)s->updates.n);
    if (s->summing)
        PUSH(&s->youngest, youngest_of(x));
    s->n++;
    return true;
}

static bool decode_step(steps *s, column_in *columns)
{
    step x = {.columns = columns};
    bool beginning = s->before.reductions == 0 && s->n == 0;
    trace_arena_reset(&s->scratch);
    s->k.old_cells = s->k.cells;
    if (!decode_skeleton(s, &x))
        return false;
    if (beginning && x.r.time != 0)
        return refuse(s, "the beginning is not at time 0");
    uint32_t goal = beginning ? TRACE_NONE : x.r.goal;
    predictor_begin(&s->p, &s->work, x.clause, &x.r, goal, s->k.old_cells);
    s->k.p = &s->p;
    get_reads(&columns[COLUMN_READS], &s->k, &x.r);
    if (!sound(s, &columns[COLUMN_READS]))
        return false;
    size_t reads = arena_used(&s->scratch);
    if (!decode_terms(s, &x))
        return false;
    size_t scratch = arena_used(&s->scratch) - reads;
    s->work_size.scratch = s->work_size.scratch < scratch ? scratch : s->work_size.scratch;
    s->work.passed.n = s->work.passed_ends.n = 0;
    if (s->t->format < FILE_PASSES)
        get_bindings_4(&columns[COLUMN_BINDINGS], &s->k, &x.r);
    else
        get_bindings(&columns[COLUMN_BINDINGS], &s->k, &x.r);
    if (!sound(s, &columns[COLUMN_BINDINGS]) || !check_bindings(s, &x))
        return false;
    block_bind(&s->work, &x.r);
    if (!append_step(s, &x))
        return false;
    s->k.time = x.r.time;
    s->k.goal = beginning ? 0 : x.r.goal + 1;
    return true;
}

// ---------------------------------------------------------------------------------------------
// A chunk

static void begin(steps *s)
{
    s->n = 0;
    s->reason = NULL;
    s->broken = false;
    s->size = (slot_size){0};
    s->before = (before_record){0};
#define STEP_LIST(type, name) s->name.n = 0;
#define PART_LIST(type, name) s->name.n = 0;
#include "profiler/read/lists.def"
}

static bool reserve(steps *s, uint32_t count)
{
    bool good = true;
#define STEP_LIST(type, name) good = good && ARRAY_RESERVE(s->name, count);
#include "profiler/read/lists.def"
    return good || refuse(s, trace_no_memory);
}

static void measure(steps *s, const chunk *c)
{
    const block *b = &s->work;
    size_t longs = b->longs.n;
    for (size_t i = 0; i < s->bindings.n; i++)
        longs += packed_is_long(s->bindings.at[i].value);
    s->size.steps = s->n;
    s->size.longs = (uint32_t)longs;
    s->work_size.raw = c->raw[COLUMN_TERMS];
    s->work_size.made_cells = b->cells.n;
    s->work_size.made_goals = b->goals.n;
    s->work_size.values = b->values.n;
}

// The terms stay compressed: they are decoded again when they are asked for.
static bool keep_terms(steps *s, const chunk *c)
{
    const uint8_t *stored = c->payload;
    if (s->summing)
        return true;
    for (int i = 0; i < COLUMN_TERMS; i++)
        stored += c->stored[i];
    s->stored_size = c->stored[COLUMN_TERMS];
    s->stored_terms = malloc(s->stored_size + (size_t)1);
    if (!s->stored_terms)
        return refuse(s, trace_no_memory);
    memcpy(s->stored_terms, stored, s->stored_size);
    return true;
}

static bool decode_before(steps *s, column_in *in)
{
    before_record *b = &s->before;
    get_before(in, &s->k, b);
    if (!sound(s, in))
        return false;
    if (b->cells > INDEX_LIMIT || b->goals > INDEX_LIMIT || b->goal > INDEX_LIMIT)
        return refuse(s, "more cells or goals than there can be");
    s->k = (coding){.time = b->time, .goal = b->goal, .cells = b->cells};
    trace_block_begin(&s->work, b->cells, b->goals);
    return true;
}

static bool decode_steps(steps *s, const chunk *c)
{
    column_in columns[COLUMNS];
    if (c->count > BLOCK_REDUCTIONS)
        return refuse(s, "too many reductions in a chunk");
    const char *reason = trace_unpack_chunk(&s->columns, s->zstd, c);
    if (reason)
        return refuse(s, reason);
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = (column_in){.at = s->columns.raw[i],
                                 .end = s->columns.raw[i] + c->raw[i],
                                 .memory = &s->scratch};
    if (!keep_terms(s, c) || !reserve(s, c->count) || !decode_before(s, &columns[COLUMN_GOAL]))
        return false;
    while (s->n < c->count)
        if (!decode_step(s, columns))
            return false;
    for (int i = 0; i < COLUMNS; i++)
        if (column_left(&columns[i]) > 0)
            return refuse(s, "a chunk has bytes left over");
    return true;
}

void trace_steps_decode(steps *s, const chunk *c, table_sizes tables)
{
    begin(s);
    s->tables = tables;
    decode_steps(s, c);
    measure(s, c);
}

void trace_steps_refuse(steps *s, const char *reason)
{
    begin(s);
    s->reason = reason;
    s->broken = true;
}

bool trace_steps_init(steps *s, const trace *t, bool summing)
{
    *s = (steps){.t = t, .summing = summing, .zstd = ZSTD_createDCtx()};
    return s->zstd != NULL;
}

void trace_steps_finish(steps *s)
{
    free(s->stored_terms);
#define STEP_LIST(type, name) free(s->name.at);
#define PART_LIST(type, name) free(s->name.at);
#include "profiler/read/lists.def"
    trace_unpacked_finish(&s->columns);
    trace_block_finish(&s->work);
    trace_arena_finish(&s->scratch);
    ZSTD_freeDCtx(s->zstd);
}
