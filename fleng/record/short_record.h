// SPDX-License-Identifier: MIT
//
// The record of most reductions of a real run: a head and words of 32 bits, each written and read in a few
// instructions. What does not fit (cells that a built-in made, strings, floats, large numbers, long lists)
// makes the reduction one of real_run.def's. The address of a record says which kind it is.
//
//   head | reads | followed | bindings: variable, item, value | what they passed on: ends, variables | holes
//
// An item is twice a body item, + 1 if the value that is bound is a variable. A cell or a value has one or
// two words, the first one with a kind in its lowest 3 bits:
//
//   NEAR   the cell that is so far before the first one of this reduction      29 bits, signed
//   FAR    machine; the next word: the cell by its count
//   INT    an integer of 29 bits       WIDE   its upper bits; the next word: its lower 32
//   ATOM   its number
#ifndef FLENG_SHORT_RECORD_H
#define FLENG_SHORT_RECORD_H

#include "profiler/trace_writer.h"
#include "vm/recorder.h"
#include "vm/term.h"

typedef struct {
    uint32_t start, start_upper; // ticks: lower and upper half
    uint32_t duration;           // ticks
    uint32_t first_cell;         // of this reduction, by its machine's count
    uint32_t code;               // the clause; of a built-in its predicate + SHORT_BUILTIN
    uint16_t ncells, worker;
    uint8_t machine;
    uint8_t nlooks; // 16 * followed + reads
    uint8_t npassed;
    uint8_t nbindings : 7;
    bool to_variable : 1; // the value of a binding is a variable
} fl_short;

#define SHORT_BUILTIN (UINT32_C(1) << 31)

enum { SHORT_NEAR, SHORT_FAR, SHORT_INT, SHORT_WIDE, SHORT_ATOM };
enum { SHORT_MOST = 15, SHORT_PASSED = 255 }; // reads and followed together, bindings; passed on

_Static_assert(sizeof(fl_short) == 28, "first touches of memory are what a record costs most");

static inline uint32_t short_reads(const fl_short *s)
{
    return s->nlooks & 15;
}

static inline uint32_t short_followed(const fl_short *s)
{
    return s->nlooks >> 4;
}

// ---- Writing --------------------------------------------------------------------------------

// Does it have one? (Its values may still be none that fit.)
static inline bool short_fits(const vm_event *e)
{
    uint64_t ncells = e->end_cell - e->first_cell;
    return ((e->nreads + e->nfollowed) | e->nbindings) <= SHORT_MOST && e->npassed <= SHORT_PASSED &&
           ((uint64_t)(e->end - e->start) | VM_CELL_COUNT(e->first_cell)) <= UINT32_MAX &&
           (e->worker | ncells) <= UINT16_MAX && (e->clause || e->ncells + e->ngoals == 0);
}

// Two words for each cell or value, two more for a binding.
static inline size_t short_most_bytes(const vm_event *e, uint32_t nholes)
{
    return sizeof(fl_short) +
           sizeof(uint32_t) * (8 * SHORT_MOST + 2 * ((size_t)e->npassed + nholes));
}

static inline bool short_is_small(int64_t i)
{
    return (uint64_t)(i + (1 << 28)) < 1 << 29;
}

// What follows returns where the next word is; *ret_odd: the value does not fit.
static inline uint32_t *short_put_cell(uint32_t *at, uint64_t first_cell, uint64_t number,
                                       bool *ret_odd)
{
    int64_t before = (int64_t)(first_cell - number);
    at[0] = (uint32_t)before << 3 | SHORT_NEAR;
    if (__builtin_expect(short_is_small(before), 1))
        return at + 1;
    at[0] = VM_CELL_MACHINE(number) << 3 | SHORT_FAR;
    at[1] = (uint32_t)VM_CELL_COUNT(number);
    *ret_odd |= VM_CELL_COUNT(number) > UINT32_MAX;
    return at + 2;
}

static inline uint32_t *short_put_int(uint32_t *at, int64_t i, bool *ret_odd)
{
    at[0] = (uint32_t)i << 3 | SHORT_INT;
    if (__builtin_expect(short_is_small(i), 1))
        return at + 1;
    at[0] = (uint32_t)(i >> 32) << 3 | SHORT_WIDE;
    at[1] = (uint32_t)i;
    *ret_odd |= !tw_fits(i);
    return at + 2;
}

static inline uint32_t *short_put_value(uint32_t *at, uint64_t first_cell, vm_word w, bool *ret_odd)
{
    uint64_t number = 0;
    if (vm_tag(w) == TAG_REF) {
        number = vm_as_var(w)->number;
    } else if (vm_tag(w) == TAG_CONS) {
        number = vm_words(w)[2];
    } else if (vm_tag(w) == TAG_INT) {
        return short_put_int(at, vm_int_value(w), ret_odd);
    } else if (vm_tag(w) == TAG_STRUCT) {
        number = vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1];
    } else if (vm_tag(w) == TAG_ATOM) {
        *at = vm_atom_number(w) << 3 | SHORT_ATOM;
        *ret_odd |= vm_atom_number(w) >> 29 != 0;
        return at + 1;
    } else if (vm_is_box(w, BOX_VECTOR)) {
        number = ((const vm_vector *)vm_as_box(w))->cell;
    } else {
        *ret_odd = true;
    }
    return short_put_cell(at, first_cell, number, ret_odd);
}

// ---- Reading --------------------------------------------------------------------------------

static inline void *short_tagged(void *record)
{
    return (char *)record + 1;
}

// Which kind a record is, by its place.
static inline bool is_short(const void *place)
{
    return (uintptr_t)place & 1;
}

static inline const fl_short *short_of(const void *place)
{
    return (const void *)((const char *)place - 1);
}

// Of the kinds INT and WIDE; *at is behind the first word.
static inline int64_t short_int(uint32_t word, const uint32_t **at)
{
    int64_t upper = (int32_t)word >> 3;
    return (word & 7) == SHORT_INT ? upper : (int64_t)((uint64_t)upper << 32 | *(*at)++);
}

#endif
