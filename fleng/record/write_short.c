// SPDX-License-Identifier: MIT
//
// Short records of a real run (short_record.h) in the order of virtual time: mostly nothing is to be done but
// to put the numbers of the trace for those of the machines, from one buffer to the next. All else is
// write_reduction()'s (sort_real_run.c), which does again what was done here before the record was found to
// be none of these.
#include "base/search.h"
#include "fleng/record/sorted.h"

// A record while it is read.
typedef struct {
    const fl_numbers *numbers;
    const uint32_t *own; // number of the first cell of the reduction, within those of its machine
    const uint32_t *at;
} words;

static inline words begin_words(const fl_numbers *c, const fl_short *x)
{
    return (words){.numbers = c,
                   .own = c->cells[x->machine] + x->first_cell,
                   .at = (const void *)(x + 1)};
}

// ---- Cells and values -----------------------------------------------------------------------

// TRACE_NONE: it is not in the trace. The cells of its own machine that a reduction names are not younger
// than its own, so they are among those that were looked at.
static inline uint32_t cell_of(words *x, uint32_t word)
{
    if (__builtin_expect((word & 7) == SHORT_NEAR, 1))
        return *(x->own - ((int32_t)word >> 3));
    return cell_at(x->numbers, word >> 3, *x->at++);
}

static inline uint32_t next_cell(words *x)
{
    uint32_t word = *x->at++;
    return cell_of(x, word);
}

// The next value as the writer has it. False: its cell is not in the trace, or its name not yet in a table.
static inline bool next_word(const fl_recorder *r, words *x, uint64_t *ret)
{
    uint32_t word = *x->at++, n = word >> 3;
    switch (word & 7) {
    case SHORT_NEAR:
    case SHORT_FAR:
        n = cell_of(x, word);
        *ret = tw_cell(n);
        return n != TRACE_NONE;
    case SHORT_ATOM:
        if (n >= r->atoms.n || r->atoms.at[n] == 0)
            return false;
        *ret = tw_atom(r->atoms.at[n] - 1);
        return true;
    default:
        *ret = tw_integer(short_int(word, &x->at));
        return true;
    }
}

static trace_value next_value(source *s, words *x)
{
    uint32_t word = *x->at++;
    switch (word & 7) {
    case SHORT_NEAR:
    case SHORT_FAR:
        return cell_value(s, cell_of(x, word));
    case SHORT_ATOM:
        return (trace_value){.kind = TV_ATOM, .id = fl_trace_atom(s->r, word >> 3)};
    default:
        return (trace_value){.kind = TV_INT, .i = short_int(word, &x->at)};
    }
}

// ---- Straight to the writer -----------------------------------------------------------------

static inline bool has(const uint32_t *list, uint32_t n, uint32_t cell)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == cell)
            return true;
    return false;
}

// What is read is in the trace, was bound to no variable, and is listed once.
static inline bool put_reads(const sorted *s, words *x, uint32_t n, uint32_t *to, uint32_t *ret_n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = next_cell(x);
        if (cell == TRACE_NONE || s->makers[cell] == 0 || is_aliased(s, cell))
            return false;
        if (!has(to, kept, cell))
            to[kept++] = cell;
    }
    *ret_n = kept;
    return true;
}

// Likewise; but the reduction itself may have bound it, so that is looked at later.
static bool put_followed(const sorted *s, words *x, uint32_t n, const uint32_t *reads,
                         uint32_t nreads, uint32_t *to, uint32_t *ret_n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t cell = next_cell(x);
        if (cell == TRACE_NONE || is_aliased(s, cell))
            return false;
        if (!has(reads, nreads, cell) && !has(to, kept, cell))
            to[kept++] = cell;
    }
    *ret_n = kept;
    return true;
}

static inline bool put_bindings(const fl_recorder *r, words *x, uint32_t n, tw_binding *to)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i].variable = next_cell(x);
        to[i].item = *x->at++ >> 1;
        if (!next_word(r, x, &to[i].value) || to[i].variable == TRACE_NONE)
            return false;
    }
    return true;
}

// Where the list ends; NULL: it is none to be written here.
static uint64_t *put_passed(const sorted *s, words *x, const fl_short *record, uint64_t *room)
{
    uint32_t *ends = (void *)room;
    for (uint32_t i = 0, n = record->nbindings; i < n; i++)
        ends[i] = *x->at++;
    room += tw_words(record->nbindings * sizeof *ends);
    uint32_t *passed = (void *)room;
    for (uint32_t i = 0, n = record->npassed; i < n; i++) {
        passed[i] = next_cell(x);
        if (passed[i] == TRACE_NONE || is_aliased(s, passed[i]))
            return NULL;
    }
    return room + tw_words(record->npassed * sizeof *passed);
}

static inline bool all_bound(const sorted *s, const uint32_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s->makers[at[i]] == 0)
            return false;
    return true;
}

static bool has_late(const sorted *s, const vm_stamp *maker)
{
    size_t at;
    if (s->nlate == 0)
        return false;
    FIRST_NOT(at, s->nlate, i, s->late[i].act.maker < maker);
    return at < s->nlate && s->late[at].act.maker == maker;
}

static inline void put_times(const fl_numbers *c, const fl_short *x, tw_times *to)
{
    uint64_t start = (uint64_t)x->start_upper << 32 | x->start;
    to->start = (int64_t)((double)start * c->tick);
    to->end = (int64_t)((double)(start + x->duration) * c->tick);
}

// The lists of a record. Their lengths go to ret; NULL: it is none to be written here.
static inline uint64_t *put_lists(sorted *s, const fl_short *record, uint32_t nholes, uint64_t *room,
                                  uint32_t reduction, tw_counts *ret)
{
    const fl_recorder *r = s->r;
    words x = begin_words(&s->numbers, record);
    uint32_t nreads, nfollowed = 0, nbindings = record->nbindings;
    uint32_t *reads = (void *)room, *followed, *passed = NULL;
    if (!put_reads(s, &x, short_reads(record), reads, &nreads))
        return NULL;
    room += tw_words(nreads * sizeof *reads);
    followed = (void *)room;
    if (__builtin_expect(short_followed(record) > 0, 0) &&
        !put_followed(s, &x, short_followed(record), reads, nreads, followed, &nfollowed))
        return NULL;
    room += tw_words(nfollowed * sizeof *followed);
    tw_binding *bindings = (void *)room;
    if (!put_bindings(r, &x, nbindings, bindings))
        return NULL;
    room = (void *)(bindings + nbindings);
    if (record->npassed > 0) {
        passed = (void *)(room + tw_words(nbindings * sizeof *passed));
        if (!(room = put_passed(s, &x, record, room)))
            return NULL;
    }
    for (uint32_t i = 0; i < nholes; i++)
        if (!next_word(r, &x, room++))
            return NULL;
    for (uint32_t i = 0; i < nbindings; i++)
        s->makers[bindings[i].variable] = reduction;
    *ret = (tw_counts){.nreads = nreads, .nfollowed = nfollowed, .nbindings = nbindings,
                       .npassed = record->npassed};
    return all_bound(s, followed, nfollowed) && all_bound(s, passed, record->npassed) ? room : NULL;
}

static size_t most_words(const fl_short *x, uint32_t nholes)
{
    return (sizeof(tw_record) + sizeof(tw_times)) / sizeof(uint64_t) + 2 * SHORT_MOST +
           3 * (size_t)x->nbindings + x->npassed + nholes;
}

bool fl_write_short(sorted *s, size_t place, const aged *age)
{
    fl_recorder *r = s->r;
    const fl_short *x = short_of(age->record);
    if (x->to_variable || r->part || has_late(s, age->stamp))
        return false;
    bool builtin = x->code & SHORT_BUILTIN;
    const fl_template *t = builtin ? NULL : r->code->clauses[x->code]->info;
    uint32_t clause = t ? x->code : fl_trace_dynamic(r, r->code->predicates[x->code & ~SHORT_BUILTIN]);
    uint32_t nholes = t ? t->nholes : 0;
    uint64_t *room = tw_take_room(r->writer, r->room, most_words(x, nholes));
    if (!room)
        return false;
    number_cells(s, x->machine, x->first_cell, x->ncells);
    s->ncells += x->ncells;
    tw_record *to = (void *)room;
    tw_times *times = (void *)(to + 1);
    uint64_t *end = put_lists(s, x, nholes, (void *)(times + 1), (uint32_t)place + 1, &to->n);
    if (__builtin_expect(!end, 0)) {
        s->ncells -= x->ncells;
        return false;
    }
    put_times(&s->numbers, x, times);
    to->kind = TW_REDUCTION;
    to->goal = age->goal;
    to->size = (uint64_t)(end - room);
    to->time = age->stamp->time;
    to->clause = clause;
    to->place = x->worker;
    r->room->at = end;
    age->stamp->recorder_number = 1 + s->ngoals;
    s->ngoals += t ? t->ngoals : 0;
    return true;
}

// ---- Like a long one ------------------------------------------------------------------------

static void get_cells(source *s, words *x, uint32_t n, uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = cell_value(s, next_cell(x)).id;
}

static void get_short_binding(source *s, words *x, trace_binding *ret)
{
    ret->variable = cell_value(s, next_cell(x)).id;
    ret->item = *x->at++;
    ret->value = next_value(s, x);
}

static void get_passed(source *s, words *x, const fl_short *record)
{
    fl_recorder *r = s->r;
    FL_RESERVE(r->recorded_ends, record->nbindings);
    FL_RESERVE(r->recorded, record->npassed);
    for (uint32_t i = 0; i < record->nbindings; i++)
        r->recorded_ends.at[i] = *x->at++;
    get_cells(s, x, record->npassed, r->recorded.at);
}

static void get_times(source *s, const fl_short *record, trace_reduction *ret)
{
    tw_times times;
    put_times(s->numbers, record, &times);
    ret->start = times.start;
    ret->end = times.end;
    ret->place = record->worker;
}

void fl_read_short(source *s, const fl_short *record, trace_reduction *ret)
{
    fl_recorder *r = s->r;
    words x = begin_words(s->numbers, record);
    get_times(s, record, ret);
    FL_RESERVE(r->reads, short_reads(record));
    FL_RESERVE(r->followed, short_followed(record));
    FL_RESERVE(r->bindings, record->nbindings);
    get_cells(s, &x, short_reads(record), r->reads.at);
    get_cells(s, &x, short_followed(record), r->followed.at);
    for (uint32_t i = 0; i < record->nbindings; i++)
        get_short_binding(s, &x, &r->bindings.at[i]);
    if (record->npassed > 0)
        get_passed(s, &x, record);
    ret->holes = NULL;
    if (record->code & SHORT_BUILTIN) {
        ret->clause = fl_trace_dynamic(r, r->code->predicates[record->code & ~SHORT_BUILTIN]);
        return;
    }
    ret->clause = record->code;
    FL_RESERVE(r->holes, ((const fl_template *)r->code->clauses[ret->clause]->info)->nholes);
    for (uint32_t i = 0; i < r->holes.n; i++)
        r->holes.at[i] = next_value(s, &x);
    ret->holes = r->holes.at;
}

bool fl_short_binding(source *s, const fl_short *record, uint32_t variable, trace_value *ret)
{
    words x = begin_words(s->numbers, record);
    for (uint32_t i = 0; i < short_reads(record) + short_followed(record); i++)
        next_cell(&x);
    for (uint32_t i = 0; i < record->nbindings; i++) {
        trace_binding b;
        get_short_binding(s, &x, &b);
        if (b.variable == variable) {
            *ret = b.value;
            return true;
        }
    }
    return false;
}
