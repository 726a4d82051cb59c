// SPDX-License-Identifier: MIT
//
// Short records of a real run (short_record.h) in the order of virtual time: mostly nothing is to be done but
// to put the numbers of the trace for those of the machines, from one buffer to the next. All else is
// write_reduction()'s (sort_real_run.c), which does again what was done here before the record was found to
// be none of these.
#include "base/search.h"
#include "fleng/record/sorted.h"

// ---- Cells and values -----------------------------------------------------------------------

// TRACE_NONE: it is not in the trace.
static inline uint32_t cell_of(const fl_numbers *c, const fl_short *x, uint32_t word,
                               const uint32_t **at)
{
    if (__builtin_expect((word & 7) == SHORT_NEAR, 1))
        return cell_of_number(c, short_near(x, word));
    return cell_at(c, word >> 3, *(*at)++);
}

static inline uint32_t next_cell(const fl_numbers *c, const fl_short *x, const uint32_t **at)
{
    uint32_t word = *(*at)++;
    return cell_of(c, x, word, at);
}

// The next value as the writer has it. False: its cell is not in the trace, or its name not yet in a table.
static inline bool next_word(const sorted *s, const fl_short *x, const uint32_t **at, uint64_t *ret)
{
    const fl_recorder *r = s->r;
    uint32_t word = *(*at)++, n = word >> 3;
    switch (word & 7) {
    case SHORT_NEAR:
    case SHORT_FAR:
        n = cell_of(&s->numbers, x, word, at);
        *ret = tw_cell(n);
        return n != TRACE_NONE;
    case SHORT_ATOM:
        if (n >= r->atoms.n || r->atoms.at[n] == 0)
            return false;
        *ret = tw_atom(r->atoms.at[n] - 1);
        return true;
    default:
        *ret = tw_integer(short_int(word, at));
        return true;
    }
}

static trace_value next_value(source *x, const fl_short *record, const uint32_t **at)
{
    uint32_t word = *(*at)++;
    switch (word & 7) {
    case SHORT_NEAR:
    case SHORT_FAR:
        return cell_value(x, cell_of(x->numbers, record, word, at));
    case SHORT_ATOM:
        return (trace_value){.kind = TV_ATOM, .id = fl_trace_atom(x->r, word >> 3)};
    default:
        return (trace_value){.kind = TV_INT, .i = short_int(word, at)};
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
static inline bool put_reads(const sorted *s, const fl_short *x, const uint32_t **at, uint32_t *to,
                             uint32_t *ret_n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, n = x->nreads; i < n; i++) {
        uint32_t cell = next_cell(&s->numbers, x, at);
        if (!is_bound(s, cell) || is_aliased(s, cell))
            return false;
        if (!has(to, kept, cell))
            to[kept++] = cell;
    }
    *ret_n = kept;
    return true;
}

// Likewise; but the reduction itself may have bound it, so that is looked at later.
static inline bool put_followed(const sorted *s, const fl_short *x, const uint32_t **at,
                                const uint32_t *reads, uint32_t nreads, uint32_t *to,
                                uint32_t *ret_n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0, n = x->nfollowed; i < n; i++) {
        uint32_t cell = next_cell(&s->numbers, x, at);
        if (cell == TRACE_NONE || is_aliased(s, cell))
            return false;
        if (!has(reads, nreads, cell) && !has(to, kept, cell))
            to[kept++] = cell;
    }
    *ret_n = kept;
    return true;
}

static inline bool put_bindings(const sorted *s, const fl_short *x, const uint32_t **at,
                                tw_binding *to)
{
    for (uint32_t i = 0, n = x->nbindings; i < n; i++) {
        to[i].variable = next_cell(&s->numbers, x, at);
        to[i].item = *(*at)++ >> 1;
        if (!next_word(s, x, at, &to[i].value) || to[i].variable == TRACE_NONE)
            return false;
    }
    return true;
}

static bool put_passed(const sorted *s, const fl_short *x, const uint32_t **at, uint64_t *room,
                       uint64_t **ret_end)
{
    uint32_t *ends = (void *)room;
    for (uint32_t i = 0, n = x->nbindings; i < n; i++)
        ends[i] = *(*at)++;
    room += tw_words(x->nbindings * sizeof *ends);
    uint32_t *passed = (void *)room;
    for (uint32_t i = 0, n = x->npassed; i < n; i++) {
        passed[i] = next_cell(&s->numbers, x, at);
        if (passed[i] == TRACE_NONE || is_aliased(s, passed[i]))
            return false;
    }
    *ret_end = room + tw_words(x->npassed * sizeof *passed);
    return true;
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
    to->start = (int64_t)((double)x->start * c->tick);
    to->end = (int64_t)((double)(x->start + x->duration) * c->tick);
}

// The lists of a record. Their lengths go to ret; NULL: it is none to be written here.
static inline uint64_t *put_lists(sorted *s, const fl_short *x, uint32_t nholes, uint64_t *room,
                                  uint32_t reduction, tw_counts *ret)
{
    const uint32_t *at = (const void *)(x + 1), *followed, *passed = NULL;
    uint32_t *reads = (void *)room;
    *ret = (tw_counts){.nbindings = x->nbindings, .npassed = x->npassed};
    if (!put_reads(s, x, &at, reads, &ret->nreads))
        return NULL;
    room += tw_words(ret->nreads * sizeof *reads);
    followed = (void *)room;
    if (!put_followed(s, x, &at, reads, ret->nreads, (void *)room, &ret->nfollowed))
        return NULL;
    room += tw_words(ret->nfollowed * sizeof *followed);
    tw_binding *bindings = (void *)room;
    if (!put_bindings(s, x, &at, bindings))
        return NULL;
    room = (void *)(bindings + x->nbindings);
    if (x->npassed > 0) {
        passed = (void *)(room + tw_words(x->nbindings * sizeof *passed));
        if (!put_passed(s, x, &at, room, &room))
            return NULL;
    }
    for (uint32_t i = 0; i < nholes; i++)
        if (!next_word(s, x, &at, room++))
            return NULL;
    for (uint32_t i = 0, n = x->nbindings; i < n; i++)
        s->makers[bindings[i].variable] = reduction;
    return all_bound(s, followed, ret->nfollowed) && all_bound(s, passed, x->npassed) ? room : NULL;
}

static size_t most_words(const fl_short *x, uint32_t nholes)
{
    return (sizeof(tw_record) + sizeof(tw_times)) / sizeof(uint64_t) + x->nreads + x->nfollowed +
           3 * (size_t)x->nbindings + x->npassed + nholes;
}

bool fl_write_short(sorted *s, size_t place, const aged *age)
{
    fl_recorder *r = s->r;
    const fl_short *x = short_of(age->record);
    if (x->to_variable || r->part || has_late(s, age->stamp))
        return false;
    const fl_template *t = x->clause ? r->code->clauses[x->clause - 1]->info : NULL;
    uint32_t clause = t ? x->clause - 1 : fl_trace_dynamic(r, r->code->predicates[x->predicate]);
    uint32_t nholes = t ? t->nholes : 0;
    uint64_t *room = tw_take_room(r->writer, r->room, most_words(x, nholes));
    if (!room)
        return false;
    number_cells(s, x->first_cell, x->ncells);
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

static void get_cells(source *x, const fl_short *record, const uint32_t **at, uint32_t n,
                      uint32_t *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = cell_value(x, next_cell(x->numbers, record, at)).id;
}

static void get_short_binding(source *x, const fl_short *record, const uint32_t **at,
                              trace_binding *ret)
{
    ret->variable = cell_value(x, next_cell(x->numbers, record, at)).id;
    ret->item = *(*at)++;
    ret->value = next_value(x, record, at);
}

void fl_read_short(source *x, const fl_short *record, trace_reduction *ret)
{
    fl_recorder *r = x->r;
    const uint32_t *at = (const void *)(record + 1);
    tw_times times;
    put_times(x->numbers, record, &times);
    ret->start = times.start;
    ret->end = times.end;
    ret->place = record->worker;
    FL_RESERVE(r->reads, record->nreads);
    FL_RESERVE(r->followed, record->nfollowed);
    FL_RESERVE(r->bindings, record->nbindings);
    get_cells(x, record, &at, record->nreads, r->reads.at);
    get_cells(x, record, &at, record->nfollowed, r->followed.at);
    for (uint32_t i = 0; i < record->nbindings; i++)
        get_short_binding(x, record, &at, &r->bindings.at[i]);
    if (record->npassed > 0) {
        FL_RESERVE(r->recorded_ends, record->nbindings);
        FL_RESERVE(r->recorded, record->npassed);
        for (uint32_t i = 0; i < record->nbindings; i++)
            r->recorded_ends.at[i] = *at++;
        get_cells(x, record, &at, record->npassed, r->recorded.at);
    }
    ret->holes = NULL;
    if (record->clause) {
        uint32_t n = ((const fl_template *)r->code->clauses[record->clause - 1]->info)->nholes;
        FL_RESERVE(r->holes, n);
        for (uint32_t i = 0; i < n; i++)
            r->holes.at[i] = next_value(x, record, &at);
        ret->clause = record->clause - 1;
        ret->holes = r->holes.at;
    } else {
        ret->clause = fl_trace_dynamic(r, r->code->predicates[record->predicate]);
    }
}

bool fl_short_binding(source *x, const fl_short *record, uint32_t variable, trace_value *ret)
{
    const uint32_t *at = (const void *)(record + 1);
    for (uint32_t i = 0; i < record->nreads + record->nfollowed; i++)
        next_cell(x->numbers, record, &at);
    for (uint32_t i = 0; i < record->nbindings; i++) {
        trace_binding b;
        get_short_binding(x, record, &at, &b);
        if (b.variable == variable) {
            *ret = b.value;
            return true;
        }
    }
    return false;
}
