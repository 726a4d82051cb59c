// SPDX-License-Identifier: MIT
//
// get_NAME(in, k, r) for every coding and record of events.def. Errors that a column's bytes show
// alone are found here: numbers that are too large, cells that do not exist, lists longer than the
// column. The callers check what needs the tables. After an error (in->wrong) every count is 0, or
// its list has memory for all its items.
#ifndef PROFILER_DECODE_H
#define PROFILER_DECODE_H

#include "profiler/format/column.h"
#include "profiler/profile.h"
#include "profiler/regions.h"
#include "profiler/samples.h"
#include "profiler/summary.h"
#include "profiler/totals.h"
#include "profiler/workers.h"

static inline void get_uint(column_in *in, const coding *k, uint32_t *ret)
{
    (void)k;
    uint64_t x = get_varint(in);
    if (x > UINT32_MAX) {
        trace_column_wrong(in, "a number has more than 32 bits");
        x = 0;
    }
    *ret = (uint32_t)x;
}

static inline void get_sint(column_in *in, const coding *k, int32_t *ret)
{
    uint32_t x;
    get_uint(in, k, &x);
    *ret = (int32_t)unzigzag(x);
}

static inline void get_size(column_in *in, const coding *k, uint64_t *ret)
{
    (void)k;
    *ret = get_varint(in);
}

static inline void get_amount(column_in *in, const coding *k, int64_t *ret)
{
    (void)k;
    uint64_t x = get_varint(in);
    if (x > (uint64_t)INT64_MAX + 1) {
        trace_column_wrong(in, "a number has more than 63 bits");
        x = 0;
    }
    *ret = x == 0 ? TRACE_UNOBSERVED : (int64_t)(x - 1);
}

static inline void get_step(column_in *in, const coding *k, int64_t *ret)
{
    (void)k;
    uint64_t x = get_varint(in);
    if (x > INT64_MAX) {
        trace_column_wrong(in, "a time that cannot be");
        x = 0;
    }
    *ret = (int64_t)x;
}

static inline void get_optional(column_in *in, const coding *k, uint32_t *ret)
{
    get_uint(in, k, ret);
    *ret -= 1;
}

static inline void get_goal(column_in *in, const coding *k, uint32_t *ret)
{
    int64_t distance = unzigzag(get_varint(in));
    int64_t low = -(int64_t)k->goal, high = (int64_t)INDEX_LIMIT - k->goal;
    if (distance < low || distance > high) {
        trace_column_wrong(in, "a goal that does not exist");
        distance = low;
    }
    *ret = (uint32_t)(k->goal + distance);
}

static inline void get_time(column_in *in, const coding *k, int64_t *ret)
{
    uint64_t distance = get_varint(in);
    if (distance > (uint64_t)INT64_MAX - (uint64_t)k->time) {
        trace_column_wrong(in, "the time goes backwards");
        distance = 0;
    }
    *ret = k->time + (int64_t)distance;
}

static inline void get_start(column_in *in, const coding *k, int64_t *ret)
{
    if (__builtin_add_overflow(k->ended, unzigzag(get_varint(in)), ret) || *ret < 0) {
        trace_column_wrong(in, "a reduction starts before the run");
        *ret = 0;
    }
}

static inline void get_duration(column_in *in, const coding *k, int64_t *ret)
{
    uint64_t duration = get_varint(in);
    if (duration > (uint64_t)INT64_MAX - (uint64_t)k->start) {
        trace_column_wrong(in, "a reduction takes too long");
        duration = 0;
    }
    *ret = k->start + (int64_t)duration;
}

static inline uint32_t get_cell_before(column_in *in, uint32_t cells, uint64_t distance)
{
    if (distance >= cells) {
        trace_column_wrong(in, "a cell that does not exist");
        return 0;
    }
    return cells - 1u - (uint32_t)distance;
}

static inline void get_cell(column_in *in, const coding *k, uint32_t *ret)
{
    *ret = get_cell_before(in, k->cells, get_varint(in));
}

static inline void get_constant(column_in *in, uint64_t token, trace_value *ret)
{
    uint64_t rest = token >> 4, word;
    static const trace_value_kind kinds[] = {TV_INT, TV_ATOM, TV_STRING, TV_BIG};
    *ret = (trace_value){.kind = TV_INT};
    switch (token >> 1 & 7) {
    case TOKEN_INT:
        ret->i = unzigzag(rest);
        break;
    case TOKEN_ATOM:
    case TOKEN_STRING:
    case TOKEN_BIG:
        if (rest > UINT32_MAX)
            trace_column_wrong(in, "a string that does not exist");
        *ret = (trace_value){.kind = kinds[token >> 1 & 7], .id = (uint32_t)rest};
        break;
    case TOKEN_FLOAT:
        ret->kind = TV_FLOAT;
        word = trace_column_word(in);
        memcpy(&ret->d, &word, sizeof word);
        break;
    case TOKEN_LONG:
        ret->i = (int64_t)trace_column_word(in);
        break;
    default:
        trace_column_wrong(in, "a value of unknown kind");
    }
}

static inline void get_token(column_in *in, uint32_t cells, uint64_t token, trace_value *ret)
{
    if (token & 1)
        get_constant(in, token, ret);
    else
        *ret = (trace_value){.kind = TV_CELL, .id = get_cell_before(in, cells, token >> 1)};
}

static inline void get_value(column_in *in, const coding *k, trace_value *ret)
{
    get_token(in, k->cells, get_varint(in), ret);
}

// A packed value; a long one is appended to the longs of the block.
static inline uint64_t get_packed(column_in *in, const coding *k, uint32_t cells, uint64_t token)
{
    trace_value v;
    block *b = k->p->b;
    get_token(in, cells, token, &v);
    if (!value_is_long(&v))
        return pack_value(&v, 0, NULL, 0);
    if (!ARRAY_RESERVE(b->longs, 1)) {
        trace_column_wrong(in, trace_no_memory);
        return TV_INT;
    }
    return pack_value(&v, 0, b->longs.at, b->longs.n++);
}

static inline void get_term(column_in *in, const coding *k, uint64_t *ret)
{
    *ret = get_packed(in, k, k->cells, get_varint(in));
}

static inline uint64_t get_address(column_in *in, const coding *k, uint64_t address,
                                   uint32_t nreads, uint32_t cells)
{
    uint64_t v = address < UINT32_MAX ? predict(k->p, (uint32_t)address, nreads) : NOTHING;
    if (v == NOTHING) {
        trace_column_wrong(in, "an address of nothing");
        return TV_INT;
    }
    if (packed_kind(v) == TV_CELL && v >> 3 >= cells) {
        trace_column_wrong(in, "a cell that does not exist");
        return TV_INT;
    }
    return v;
}

static inline uint64_t get_found(column_in *in, const coding *k, uint32_t cells)
{
    uint64_t x = get_varint(in);
    return x & 1 ? get_address(in, k, x >> 1, k->p->r->nreads, cells)
                 : get_packed(in, k, cells, x >> 1);
}

static inline uint32_t get_found_cell(column_in *in, const coding *k, uint32_t nreads,
                                      uint32_t cells)
{
    uint64_t x = get_varint(in), v;
    if (!(x & 1))
        return get_cell_before(in, cells, x >> 1);
    v = get_address(in, k, x >> 1, nreads, cells);
    if (packed_kind(v) == TV_CELL)
        return (uint32_t)(v >> 3);
    trace_column_wrong(in, "a cell that does not exist");
    return 0;
}

static inline void get_hole(column_in *in, const coding *k, uint64_t *ret)
{
    *ret = get_found(in, k, k->old_cells);
}

static inline void get_read(column_in *in, const coding *k, uint32_t *ret)
{
    *ret = get_found_cell(in, k, (uint32_t)(ret - k->p->r->reads), k->old_cells);
}

static inline void get_variable(column_in *in, const coding *k, uint32_t *ret)
{
    *ret = get_found_cell(in, k, k->p->r->nreads, k->cells);
}

// What the bindings of the reduction passed on is kept in the block.
static inline void add_passed(column_in *in, block *b, const uint32_t *variables, uint32_t n)
{
    if (b->passed.n + n > INDEX_LIMIT || !ARRAY_RESERVE(b->passed, n)) {
        trace_column_wrong(in, trace_no_memory);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        b->passed.at[b->passed.n++] = variables[i];
}

static inline void get_passed(column_in *in, const coding *k)
{
    uint32_t n, variable;
    get_uint(in, k, &n);
    while (n-- > 0 && !in->wrong) {
        get_variable(in, k, &variable);
        add_passed(in, k->p->b, &variable, 1);
    }
}

// Known from the sides of its `=`. `how`: BINDING_IS, BINDING_FOLLOWS or one more.
static inline void get_known_binding(column_in *in, const coding *k, unsigned how,
                                     step_binding *ret)
{
    const uint64_t *sides = predict_sides(k->p, ret->item);
    uint64_t side = sides ? predict_side(k->p, sides[how % 2 == 1 ? 0 : 1]) : NOTHING;
    uint64_t other = sides ? predict_side(k->p, sides[how % 2 == 1 ? 1 : 0]) : NOTHING;
    if (packed_kind(side) != TV_CELL || other == NOTHING) {
        trace_column_wrong(in, "an address of nothing");
        return;
    }
    if (how >= BINDING_FOLLOWS) {
        uint32_t chain[MOST_PASSED], n = trace_block_chain(k->p->b, other, chain, &other);
        add_passed(in, k->p->b, chain, n);
    }
    ret->variable = (uint32_t)(side >> 3);
    ret->value = other;
}

static inline void get_coded_binding(column_in *in, const coding *k, unsigned codes,
                                     step_binding *ret)
{
    uint64_t x = get_varint(in), item = x / codes;
    unsigned how = (unsigned)(x % codes);
    *ret = (step_binding){.item = (uint32_t)item};
    if (item > ITEM_LIMIT) {
        trace_column_wrong(in, "a body item that does not exist");
        return;
    }
    if (how != 0 && how != BINDING_PASSES) {
        get_known_binding(in, k, how, ret);
        return;
    }
    if (how == BINDING_PASSES)
        get_passed(in, k);
    get_variable(in, k, &ret->variable);
    ret->value = get_found(in, k, k->cells);
}

static inline void get_binding(column_in *in, const coding *k, step_binding *ret)
{
    block *b = k->p->b;
    get_coded_binding(in, k, BINDING_CODES, ret);
    if (!ARRAY_RESERVE(b->passed_ends, 1))
        trace_column_wrong(in, trace_no_memory);
    else
        b->passed_ends.at[b->passed_ends.n++] = (uint32_t)b->passed.n;
}

static inline void get_binding_4(column_in *in, const coding *k, step_binding *ret)
{
    get_coded_binding(in, k, 3, ret);
}

static inline unsigned get_enum(column_in *in, unsigned limit)
{
    unsigned x = get_byte(in);
    if (x >= limit) {
        trace_column_wrong(in, "a kind that does not exist");
        x = 0;
    }
    return x;
}

#define FIELD(field, coding_) get_##coding_(in, k, &r->field);
#define ENUM(field, limit)    r->field = get_enum(in, limit);
#define TEXT(field, length)   r->field = trace_column_text(in, &r->length);
#define GIVEN(count, field, type, coding_)                                                         \
    {                                                                                              \
        uint64_t n_ = (count);                                                                     \
        type *list_ = get_list(in, n_, sizeof *list_);                                             \
        r->field = list_;                                                                          \
        for (uint64_t i = 0; list_ && i < n_; i++)                                                 \
            get_##coding_(in, k, &list_[i]);                                                       \
    }
#define LIST(count, field, type, coding_)                                                          \
    get_uint(in, k, &r->count);                                                                    \
    GIVEN(r->count, field, type, coding_)                                                          \
    if (!r->field)                                                                                 \
        r->count = 0;
#define RECORD(name, type, text, ...)                                                              \
    static inline void get_##name(column_in *in, const coding *k, type *r)                         \
    {                                                                                              \
        (void)k;                                                                                   \
        __VA_ARGS__                                                                                \
    }
#include "profiler/format/events.def"
#undef FIELD
#undef ENUM
#undef TEXT
#undef GIVEN
#undef LIST

#endif
