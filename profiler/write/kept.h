// SPDX-License-Identifier: MIT
//
// Parts of a reduction that are coded by the same bytes as those of one before of its clause: all values
// are where they were guessed, and the bindings are those of the same sides of `=`. To check this takes less
// than to code them; what is written is the same.
#ifndef PROFILER_KEPT_H
#define PROFILER_KEPT_H

#include "profiler/format/encode.h"
#include "profiler/write/encoder.h"

// Each codes a part of the reduction and keeps its bytes if it can.
void trace_code_reads(encoder *e, column_out *out, kept_codes *kept);
void trace_code_holes(encoder *e, column_out *out, kept_codes *kept);
void trace_code_bindings(encoder *e, column_out *out, kept_codes *kept);

static inline void put_kept(column_out *out, const kept_bytes *kept)
{
    column_ensure(out);
    memcpy(out->at, kept->bytes, KEPT_BYTES);
    out->at += kept->size;
}

static inline const uint64_t *arguments_of_goal(const encoder *e)
{
    return e->b.values.at ? e->b.values.at + e->p.first_argument : NULL; // none has any argument yet
}

// predict(), with quick ways for what most addresses are: an argument, an element of one, and an element of a
// structure to which a variable that was read is bound directly.
static inline bool is_guessed(const encoder *e, uint32_t address, uint32_t nreads, uint64_t v)
{
    uint32_t x = address >> 2;
    if ((address & 3) == 0)
        return x < e->p.narguments && arguments_of_goal(e)[x] == v;
    if ((address & 3) == 1 && (x & 7) != 0 && x >> 3 < nreads) {
        uint64_t bound = block_bound(&e->b, packed_cell(e->r.reads[x >> 3]));
        if (element_of_cell(&e->b, bound, (x & 7) - 1) == v)
            return true;
    }
    if ((address & 3) == 2) {
        const uint64_t *elements;
        uint64_t of = x >> 3 < e->p.narguments ? arguments_of_goal(e)[x >> 3] : NOTHING;
        return (x & 7) < elements_of(&e->b, of, &elements) && elements[x & 7] == v;
    }
    return trace_predict_further(&e->p, address, nreads) == v;
}

static inline bool are_reads_kept(const encoder *e, const kept_codes *kept)
{
    const step_record *r = &e->r;
    if (!kept->reads.known || r->nreads != kept->nreads)
        return false;
    for (uint32_t i = 0, n = r->nreads; i < n; i++)
        if (!is_guessed(e, kept->read_addresses[i], i, packed_cell(r->reads[i])))
            return false;
    return true;
}

static inline void put_kept_reads(encoder *e, column_out *out, kept_codes *kept)
{
    if (are_reads_kept(e, kept))
        put_kept(out, &kept->reads);
    else
        trace_code_reads(e, out, kept);
}

// Are the holes that are elements of one structure what was kept? Its address is that of a read variable
// or an argument, as an address has it whose lowest bits are 1 or 2.
static inline bool are_elements_kept(const encoder *e, const kept_codes *kept)
{
    const uint64_t *holes = e->r.holes, *elements;
    uint32_t root = kept->structure >> 5;
    uint64_t v;
    if ((kept->structure & 3) == 1)
        v = root < e->r.nreads ? packed_cell(e->r.reads[root]) : NOTHING;
    else
        v = root < e->p.narguments ? arguments_of_goal(e)[root] : NOTHING;
    if (elements_of(&e->b, v, &elements) < kept->least)
        return false;
    for (uint32_t i = 0, n = kept->nelements; i < n; i++)
        if (holes[kept->elements[i].hole] != elements[kept->elements[i].address])
            return false;
    return true;
}

static inline bool are_holes_kept(const encoder *e, const kept_codes *kept)
{
    const uint64_t *holes = e->r.holes, *arguments = arguments_of_goal(e);
    if (!kept->holes.known || e->p.narguments < kept->narguments)
        return false;
    for (uint32_t i = 0, n = kept->ninherited; i < n; i++)
        if (holes[kept->inherited[i].hole] != arguments[kept->inherited[i].address])
            return false;
    if (kept->nelements > 0 && !are_elements_kept(e, kept))
        return false;
    for (uint32_t i = 0, n = kept->nfound; i < n; i++)
        if (!is_guessed(e, kept->found[i].address, e->r.nreads, holes[kept->found[i].hole]))
            return false;
    return true;
}

static inline void put_kept_holes(encoder *e, column_out *out, kept_codes *kept)
{
    if (are_holes_kept(e, kept))
        put_kept(out, &kept->holes);
    else
        trace_code_holes(e, out, kept);
}

static inline bool is_binding_kept(const encoder *e, const step_binding *b, const kept_binding *kept)
{
    return b->item == kept->item && predict_side(&e->p, kept->variable) == packed_cell(b->variable) &&
           predict_side(&e->p, kept->value) == b->value;
}

// Whether these are bindings whose codes are kept: only the value of an open one is not.
static inline bool are_bindings_kept(const encoder *e, const kept_codes *k)
{
    const step_record *r = &e->r;
    if (r->nbindings != k->nbindings || r->nfollowed != k->nfollowed || r->npassed > 0)
        return false;
    for (uint32_t i = 0, n = r->nfollowed; i < n; i++)
        if (!is_guessed(e, k->variable_address, r->nreads, packed_cell(r->followed[i])))
            return false;
    if (k->is_open)
        return r->bindings->item == k->sides[0].item &&
               is_guessed(e, k->variable_address, r->nreads, packed_cell(r->bindings->variable));
    for (uint32_t i = 0, n = r->nbindings; i < n; i++)
        if (!is_binding_kept(e, &r->bindings[i], &k->sides[i]))
            return false;
    return true;
}

static inline void put_kept_bindings(encoder *e, column_out *out, kept_codes *kept)
{
    if (!kept->bindings.known || !are_bindings_kept(e, kept)) {
        trace_code_bindings(e, out, kept);
        return;
    }
    put_kept(out, &kept->bindings);
    e->coded |= kept->is_open;
    if (kept->is_open)
        put_found(out, &e->k, VALUE_GUESS, e->k.cells, e->r.bindings->value);
}

#endif
