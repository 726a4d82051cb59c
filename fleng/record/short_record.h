// SPDX-License-Identifier: MIT
//
// The record of most reductions of a real run: a head and words of 32 bits, each written and read in a few
// instructions. What does not fit (cells that a built-in made, strings, floats, large numbers, long lists)
// makes the reduction one of real_run.def's. The address of a record says which kind it is.
//
//   head | reads | followed | bindings: variable, item, value | what they passed on: ends, variables | holes
//
// An item is twice a body item, + 1 if the value that is bound is a variable. A cell or a value has one or two
// words, the first one with a kind in its lowest 3 bits:
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
    uint64_t start;      // ticks
    uint64_t first_cell; // of this reduction: machine and count
    uint32_t duration;   // ticks
    uint32_t ncells;
    uint32_t clause;    // + 1; 0: a built-in
    uint32_t predicate; // of a built-in
    uint16_t worker;
    uint8_t nreads, nfollowed, nbindings, npassed;
    bool to_variable; // the value of a binding is a variable
} fl_short;

enum { SHORT_NEAR, SHORT_FAR, SHORT_INT, SHORT_WIDE, SHORT_ATOM };
enum { SHORT_LOOKS = 16, SHORT_BINDINGS = 16, SHORT_PASSED = 255 }; // reads and followed together

_Static_assert(sizeof(fl_short) % sizeof(uint64_t) == 0, "records are at addresses that 8 divides");

// ---- Writing --------------------------------------------------------------------------------

// Does it have one? (Its values may still be none that fit.)
static inline bool short_fits(const vm_event *e)
{
    return e->nreads + e->nfollowed <= SHORT_LOOKS && e->nbindings <= SHORT_BINDINGS &&
           e->npassed <= SHORT_PASSED && e->end - e->start <= UINT32_MAX &&
           e->end_cell - e->first_cell <= UINT32_MAX && e->worker <= UINT16_MAX &&
           (e->clause || e->ncells + e->ngoals == 0);
}

static inline size_t short_most_bytes(const vm_event *e, uint32_t nholes)
{
    return sizeof(fl_short) +
           sizeof(uint32_t) * (2 * ((size_t)e->nreads + e->nfollowed + e->npassed + nholes) +
                               6 * (size_t)e->nbindings);
}

static inline bool short_is_small(int64_t i)
{
    return (uint64_t)(i + (1 << 28)) < 1 << 29;
}

// What follows returns where the next word is; NULL: the value does not fit.
static inline uint32_t *short_put_cell(uint32_t *at, uint64_t first_cell, uint64_t number)
{
    int64_t before = (int64_t)(first_cell - number);
    if (__builtin_expect(short_is_small(before), 1)) {
        *at = (uint32_t)before << 3 | SHORT_NEAR;
        return at + 1;
    }
    at[0] = VM_CELL_MACHINE(number) << 3 | SHORT_FAR;
    at[1] = (uint32_t)VM_CELL_COUNT(number);
    return VM_CELL_COUNT(number) <= UINT32_MAX ? at + 2 : NULL;
}

static inline uint32_t *short_put_int(uint32_t *at, int64_t i)
{
    if (short_is_small(i)) {
        *at = (uint32_t)i << 3 | SHORT_INT;
        return at + 1;
    }
    at[0] = (uint32_t)(i >> 32) << 3 | SHORT_WIDE;
    at[1] = (uint32_t)i;
    return tw_fits(i) ? at + 2 : NULL;
}

static inline uint32_t *short_put_value(uint32_t *at, uint64_t first_cell, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_REF:
        return short_put_cell(at, first_cell, vm_as_var(w)->number);
    case TAG_CONS:
        return short_put_cell(at, first_cell, vm_words(w)[2]);
    case TAG_INT:
        return short_put_int(at, vm_int_value(w));
    case TAG_STRUCT:
        return short_put_cell(at, first_cell, vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1]);
    case TAG_ATOM:
        *at = vm_atom_number(w) << 3 | SHORT_ATOM;
        return vm_atom_number(w) >> 29 == 0 ? at + 1 : NULL;
    default:
        if (!vm_is_box(w, BOX_VECTOR))
            return NULL;
        return short_put_cell(at, first_cell, ((const vm_vector *)vm_as_box(w))->cell);
    }
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

// A word of the kind NEAR.
static inline uint64_t short_near(const fl_short *s, uint32_t word)
{
    return s->first_cell - (uint64_t)((int32_t)word >> 3);
}

// Of the kinds INT and WIDE; *at is behind the first word.
static inline int64_t short_int(uint32_t word, const uint32_t **at)
{
    int64_t upper = (int32_t)word >> 3;
    return (word & 7) == SHORT_INT ? upper : (int64_t)((uint64_t)upper << 32 | *(*at)++);
}

#endif
