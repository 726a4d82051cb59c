// SPDX-License-Identifier: MIT
//
// get_NAME(x, r) and skip_NAME(x) for every coding and record of real_run.def. The bytes are the
// recorder's own, so nothing is checked.
#ifndef FLENG_GET_REAL_RUN_H
#define FLENG_GET_REAL_RUN_H

#include "base/varint.h"
#include "fleng/record/recorder.h"

// Which cells of the machines are in the trace, and as which.
typedef struct {
    fl_look *looks;   // by machine
    uint32_t **cells; // by machine and count: number in the trace; TRACE_NONE: not in it
    double tick;      // nanoseconds
} fl_numbers;

// The record of one reduction, while it is read.
typedef struct {
    fl_recorder *r;
    const fl_numbers *numbers;
    const uint8_t *at;
    fl_head head; // once it is got
    uint32_t nholes, nends;
    uint64_t start; // once it is got: ticks
    uint64_t kind; // of the cell that is being got
    bool known;    // all cells met are in the trace
} source;

static inline uint32_t cell_at(const fl_numbers *c, uint32_t machine, uint64_t count)
{
    return count < c->looks[machine].ncells ? c->cells[machine][count] : TRACE_NONE;
}

static inline uint32_t cell_of_number(const fl_numbers *c, uint64_t number)
{
    return cell_at(c, VM_CELL_MACHINE(number), VM_CELL_COUNT(number));
}

static inline trace_value cell_value(source *x, uint32_t cell)
{
    x->known &= cell != TRACE_NONE;
    return (trace_value){.kind = TV_CELL, .id = cell};
}

// ---- Codings --------------------------------------------------------------------------------

static inline void get_amount(source *x, uint64_t *ret)
{
    *ret = varint_get(&x->at);
}

static inline void get_number(source *x, uint32_t *ret)
{
    *ret = (uint32_t)varint_get(&x->at);
}

static inline void get_start(source *x, int64_t *ret)
{
    x->start = varint_get(&x->at);
    *ret = (int64_t)((double)x->start * x->numbers->tick);
}

static inline void get_duration(source *x, int64_t *ret)
{
    *ret = (int64_t)((double)(x->start + varint_get(&x->at)) * x->numbers->tick);
}

static inline void get_float(source *x, trace_value *ret)
{
    *ret = (trace_value){.kind = TV_FLOAT};
    memcpy(&ret->d, x->at, sizeof ret->d);
    x->at += sizeof ret->d;
}

static inline void get_value(source *x, trace_value *ret)
{
    uint64_t token = varint_get(&x->at), n = token >> 3;
    const fl_head *h = &x->head;
    switch (token & 7) {
    case FL_TOKEN_OWN:
        *ret =
            cell_value(x, cell_at(x->numbers, h->machine, h->first_cell - (uint64_t)unzigzag(n)));
        break;
    case FL_TOKEN_FOREIGN:
        *ret = cell_value(x, cell_at(x->numbers, (uint32_t)n & 0xff, n >> 8));
        break;
    case FL_TOKEN_INT:
        *ret = (trace_value){.kind = TV_INT, .i = unzigzag(n)};
        break;
    case FL_TOKEN_ATOM:
        *ret = (trace_value){.kind = TV_ATOM, .id = fl_trace_atom(x->r, (uint32_t)n)};
        break;
    case FL_TOKEN_FLOAT:
        get_float(x, ret);
        break;
    default:
        *ret = fl_trace_box(x->r, x->numbers->looks[h->machine].boxes[n]);
    }
}

static inline void get_variable(source *x, uint32_t *ret)
{
    trace_value v;
    get_value(x, &v);
    *ret = v.id;
}

static inline void get_kind(source *x, trace_cell_kind *ret)
{
    x->kind = varint_get(&x->at);
    *ret = (trace_cell_kind)x->kind;
}

static inline void get_name(source *x, uint32_t *ret)
{
    uint32_t atom = (uint32_t)varint_get(&x->at);
    bool has_name = x->kind == TC_VARIABLE || x->kind == TC_STRUCT;
    *ret = has_name ? fl_trace_atom(x->r, atom) : TRACE_NONE;
}

static inline void get_predicate(source *x, uint32_t *ret)
{
    *ret = fl_trace_predicate(x->r, x->r->code->predicates[varint_get(&x->at)]);
}

static inline void skip_number(source *x)
{
    varint_get(&x->at);
}

static inline void skip_value(source *x)
{
    if ((varint_get(&x->at) & 7) == FL_TOKEN_FLOAT)
        x->at += sizeof(double);
}

#define get_item       get_number
#define get_vm_cell    get_cell
#define skip_amount    skip_number
#define skip_start     skip_number
#define skip_duration  skip_number
#define skip_variable  skip_value
#define skip_item      skip_number
#define skip_kind      skip_number
#define skip_name      skip_number
#define skip_predicate skip_number
#define skip_vm_cell   skip_cell

// ---- Records --------------------------------------------------------------------------------

#define FIELD(field, coding, what) get_##coding(x, &r->field);
#define GIVEN(count, known, field, array, coding, what)                                            \
    {                                                                                              \
        uint32_t n_ = (known), first_ = (uint32_t)x->r->array.n;                                   \
        FL_RESERVE(x->r->array, first_ + n_);                                                      \
        for (uint32_t i = 0; i < n_; i++)                                                          \
            get_##coding(x, &x->r->array.at[first_ + i]);                                          \
        r->field = x->r->array.at + first_;                                                        \
    }
#define LIST(count, field, array, coding, what)                                                    \
    get_number(x, &r->count);                                                                      \
    GIVEN(, r->count, field, array, coding, what)
#define RECORD(name, from, to, text, ...)                                                          \
    static inline void get_##name(source *x, to *r)                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#include "fleng/record/real_run.def"
#undef FIELD
#undef GIVEN
#undef LIST

#define FIELD(field, coding, what) skip_##coding(x);
#define GIVEN(count, known, field, array, coding, what)                                            \
    for (uint64_t n_ = (known); n_ > 0; n_--)                                                      \
        skip_##coding(x);
#define LIST(count, field, array, coding, what)                                                    \
    GIVEN(, varint_get(&x->at), field, array, coding, what)
#define RECORD(name, from, to, text, ...)                                                          \
    static inline void skip_##name(source *x)                                                      \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#include "fleng/record/real_run.def"
#undef FIELD
#undef GIVEN
#undef LIST

#endif
