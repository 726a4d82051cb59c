// SPDX-License-Identifier: MIT
//
// put_NAME(out, k, r) for every coding and record of events.def.
#ifndef PROFILER_ENCODE_H
#define PROFILER_ENCODE_H

#include "profiler/format/column.h"
#include "profiler/profile.h"
#include "profiler/regions.h"
#include "profiler/samples.h"
#include "profiler/summary.h"
#include "profiler/workers.h"
#include "profiler/totals.h"

static inline void put_uint(column_out *out, const coding *k, const uint32_t *x)
{
    (void)k;
    put_varint(out, *x);
}

static inline void put_sint(column_out *out, const coding *k, const int32_t *x)
{
    (void)k;
    put_varint(out, zigzag(*x));
}

static inline void put_size(column_out *out, const coding *k, const uint64_t *x)
{
    (void)k;
    put_varint(out, *x);
}

static inline void put_amount(column_out *out, const coding *k, const int64_t *x)
{
    (void)k;
    put_varint(out, *x < 0 ? 0 : (uint64_t)*x + 1);
}

static inline void put_step(column_out *out, const coding *k, const int64_t *step)
{
    (void)k;
    put_varint(out, (uint64_t)*step);
}

static inline void put_optional(column_out *out, const coding *k, const uint32_t *x)
{
    (void)k;
    put_varint(out, (uint32_t)(*x + 1));
}

static inline void put_goal(column_out *out, const coding *k, const uint32_t *goal)
{
    put_varint(out, zigzag((int64_t)*goal - k->goal));
}

static inline void put_time(column_out *out, const coding *k, const int64_t *time)
{
    put_varint(out, (uint64_t)*time - (uint64_t)k->time);
}

static inline void put_start(column_out *out, const coding *k, const int64_t *start)
{
    put_varint(out, zigzag(*start - k->ended));
}

static inline void put_duration(column_out *out, const coding *k, const int64_t *end)
{
    put_varint(out, (uint64_t)(*end - k->start));
}

// `cells` is the count that a cell's distance is measured from.
static inline uint32_t cell_distance(column_out *out, uint32_t cells, uint32_t cell)
{
    if (__builtin_expect(cell >= cells, 0))
        out->astray = true;
    return cells - 1u - cell;
}

static inline void put_cell(column_out *out, const coding *k, const uint32_t *cell)
{
    put_varint(out, cell_distance(out, k->cells, *cell));
}

static inline void put_long(column_out *out, enum token kind, uint64_t word)
{
    put_varint(out, TOKEN(kind, 0));
    column_ensure(out);
    store64(out->at, word);
    out->at += 8;
}

static inline void put_token(column_out *out, uint32_t cells, const trace_value *v)
{
    uint64_t bits;
    switch (v->kind) {
    case TV_CELL:
        put_varint(out, (uint64_t)cell_distance(out, cells, v->id) << 1);
        break;
    case TV_INT:
        bits = zigzag(v->i);
        if (bits >> TOKEN_BITS)
            put_long(out, TOKEN_LONG, (uint64_t)v->i);
        else
            put_varint(out, TOKEN(TOKEN_INT, bits));
        break;
    case TV_ATOM:
        put_varint(out, TOKEN(TOKEN_ATOM, v->id));
        break;
    case TV_STRING:
        put_varint(out, TOKEN(TOKEN_STRING, v->id));
        break;
    case TV_BIG:
        put_varint(out, TOKEN(TOKEN_BIG, v->id));
        break;
    case TV_FLOAT:
        memcpy(&bits, &v->d, sizeof bits);
        put_long(out, TOKEN_FLOAT, bits);
        break;
    case TV_NODE: // never given: children name their nodes directly
        put_varint(out, TOKEN(TOKEN_INT, 0));
        break;
    }
}

static inline void put_value(column_out *out, const coding *k, const trace_value *v)
{
    put_token(out, k->cells, v);
}

// The token of a packed value, `extra` bits further up. A long one's word follows.
static inline void put_packed(column_out *out, const coding *k, uint32_t cells, uint64_t v,
                              unsigned extra)
{
    static const uint8_t tokens[] = {
        [TV_INT] = TOKEN_INT,       [TV_ATOM] = TOKEN_ATOM,     [TV_STRING] = TOKEN_STRING,
        [TV_BIG] = TOKEN_BIG,       [TV_FLOAT] = TOKEN_FLOAT,   [PACKED_LONG] = TOKEN_LONG,
    };
    uint64_t payload = packed_payload(v);
    if (packed_kind(v) == TV_CELL) {
        put_varint(out, (uint64_t)cell_distance(out, cells, (uint32_t)payload) << 1 << extra);
    } else if (packed_is_long(v)) {
        put_varint(out, TOKEN(tokens[packed_kind(v)], 0) << extra);
        column_ensure(out);
        store64(out->at, k->p->b->longs.at[payload]);
        out->at += 8;
    } else {
        put_varint(out, TOKEN(tokens[packed_kind(v)], payload) << extra);
    }
}

static inline void put_term(column_out *out, const coding *k, const uint64_t *v)
{
    put_packed(out, k, k->cells, *v, 0);
}

// An address of the value at this place of the clause, or TRACE_NONE.
static inline uint32_t find_address(const coding *k, uint32_t place, uint32_t nreads, uint64_t v)
{
    guess *g = &k->p->clause->guesses[place];
    if (__builtin_expect(predict(k->p, g->address[0], nreads) != v, 0))
        return trace_predict_find(k->p, g, nreads, v);
    g->misses = 0;
    return g->address[0];
}

static inline void put_found(column_out *out, const coding *k, uint32_t place, uint32_t cells,
                             uint64_t v)
{
    uint32_t address = find_address(k, place, k->p->r->nreads, v);
    if (address == TRACE_NONE)
        put_packed(out, k, cells, v, 1);
    else
        put_varint(out, (uint64_t)address << 1 | 1);
}

static inline void put_hole(column_out *out, const coding *k, const uint64_t *v)
{
    put_found(out, k, HOLE_GUESSES + (uint32_t)(v - k->p->r->holes), k->old_cells, *v);
}

static inline void put_found_cell(column_out *out, const coding *k, uint32_t place,
                                  uint32_t nreads, uint32_t cells, uint32_t cell)
{
    uint32_t address = find_address(k, place, nreads, packed_cell(cell));
    if (address == TRACE_NONE)
        put_varint(out, (uint64_t)cell_distance(out, cells, cell) << 1);
    else
        put_varint(out, (uint64_t)address << 1 | 1);
}

static inline void put_read(column_out *out, const coding *k, const uint32_t *cell)
{
    uint32_t i = (uint32_t)(cell - k->p->r->reads), place = i < READ_GUESSES ? i : READ_GUESSES - 1;
    put_found_cell(out, k, place, i, k->old_cells, *cell);
}

static inline void put_variable(column_out *out, const coding *k, const uint32_t *cell)
{
    put_found_cell(out, k, VARIABLE_GUESS, k->p->r->nreads, k->cells, *cell);
}

// What the binding passed on.
static inline uint32_t passed_by(const step_record *r, const step_binding *b, const uint32_t **ret)
{
    if (__builtin_expect(r->npassed == 0, 1))
        return 0;
    size_t i = (size_t)(b - r->bindings);
    uint32_t first = i > 0 ? r->passed_ends[i - 1] : 0;
    *ret = r->passed + first;
    return r->passed_ends[i] - first;
}

// Is `side` what was bound, and do the bindings of the chunk lead from `other` to the value, so that
// they are what was passed on?
static inline bool side_tells(const coding *k, const step_binding *b, uint64_t side, uint64_t other,
                              const uint32_t *passed, uint32_t npassed)
{
    uint32_t chain[MOST_PASSED], n;
    if (side != packed_cell(b->variable))
        return false;
    if (npassed == 0)
        return same_value(k->p->b, other, b->value);
    n = trace_block_chain(k->p->b, other, chain, &other);
    return n == npassed && same_value(k->p->b, other, b->value) &&
           memcmp(chain, passed, n * sizeof *chain) == 0;
}

static inline void put_binding(column_out *out, const coding *k, const step_binding *b)
{
    const uint64_t *sides = predict_sides(k->p, b->item);
    const uint32_t *passed = NULL;
    uint32_t npassed = passed_by(k->p->r, b, &passed), how = npassed > 0 ? BINDING_PASSES : 0;
    if (sides) {
        uint64_t left = predict_side(k->p, sides[0]), right = predict_side(k->p, sides[1]);
        if (side_tells(k, b, left, right, passed, npassed))
            how = npassed > 0 ? BINDING_FOLLOWS : BINDING_IS;
        else if (side_tells(k, b, right, left, passed, npassed))
            how = npassed > 0 ? BINDING_FOLLOWS + 1 : BINDING_IS + 1;
    }
    put_varint(out, BINDING_CODES * (uint64_t)b->item + how);
    if (how != 0 && how != BINDING_PASSES)
        return;
    if (how == BINDING_PASSES) {
        put_varint(out, npassed);
        for (uint32_t i = 0; i < npassed; i++)
            put_variable(out, k, &passed[i]);
    }
    put_variable(out, k, &b->variable);
    put_found(out, k, VALUE_GUESS, k->cells, b->value);
}

#define put_binding_4 put_binding // never written

#define FIELD(field, coding_) put_##coding_(out, k, &r->field);
#define ENUM(field, limit)    put_byte(out, (uint8_t)r->field);
#define TEXT(field, length)                                                                        \
    put_varint(out, r->length);                                                                    \
    put_bytes(out, r->field, (size_t)r->length);
#define GIVEN(count, field, type, coding_)                                                         \
    for (uint64_t i = 0, n_ = (count); i < n_; i++)                                                \
        put_##coding_(out, k, &r->field[i]);
#define LIST(count, field, type, coding_)                                                          \
    put_varint(out, r->count);                                                                     \
    GIVEN(r->count, field, type, coding_)
#define RECORD(name, type, text, ...)                                                              \
    static inline void put_##name(column_out *out, const coding *k, const type *r)                 \
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
