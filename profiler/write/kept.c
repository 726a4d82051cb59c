// SPDX-License-Identifier: MIT
//
// How parts of a reduction are coded where kept bytes are not right; then their bytes may be kept (kept.h).
#include "profiler/write/kept.h"

// Keeps what was put into the column from `size` bytes on.
static void keep(kept_bytes *kept, const column_out *out, size_t size)
{
    size_t n = column_size(out) - size;
    kept->known = n <= KEPT_BYTES && !out->failed;
    kept->size = kept->known ? (uint32_t)n : 0;
    memcpy(kept->bytes, out->start + size, kept->size);
}

// ---------------------------------------------------------------------------------------------
// Reads

static inline uint32_t guessed_read(const encoder *e, uint32_t i)
{
    return e->p.clause->guesses[i < READ_GUESSES ? i : READ_GUESSES - 1].address[0];
}

// Whether the reads can be kept, all of which were just coded by addresses.
static bool set_reads(const encoder *e, kept_codes *kept)
{
    const step_record *r = &e->r;
    if (r->nreads > KEPT_READS)
        return false;
    kept->nreads = r->nreads;
    for (uint32_t i = 0; i < r->nreads; i++) {
        kept->read_addresses[i] = guessed_read(e, i);
        if (!is_guessed(e, kept->read_addresses[i], i, packed_cell(r->reads[i])))
            return false;
    }
    return true;
}

void trace_code_reads(encoder *e, column_out *out, kept_codes *kept)
{
    size_t before = column_size(out);
    e->coded = true;
    put_reads(out, &e->k, &e->r);
    kept->reads.known = false;
    if (set_reads(e, kept))
        keep(&kept->reads, out, before);
}

// ---------------------------------------------------------------------------------------------
// Holes

// Notes how the hole was found.
static void set_hole(kept_codes *kept, uint32_t hole, uint32_t address)
{
    enum { ELEMENT = 7 << 2 };
    uint32_t kind = address & 3, element = (address & ELEMENT) >> 2;
    if (kind == 0) {
        kept->inherited[kept->ninherited++] = (kept_hole){hole, address >> 2};
        if (address >> 2 >= kept->narguments)
            kept->narguments = (address >> 2) + 1;
    } else if ((kind == 2 || (kind == 1 && element != 0)) &&
               (kept->nelements == 0 || kept->structure == (address & ~(uint32_t)ELEMENT))) {
        kept->structure = address & ~(uint32_t)ELEMENT;
        element -= kind == 1;
        kept->elements[kept->nelements++] = (kept_hole){hole, element};
        if (element >= kept->least)
            kept->least = element + 1;
    } else {
        kept->found[kept->nfound++] = (kept_hole){hole, address};
    }
}

// Whether the holes can be kept, all of which were just coded by addresses.
static bool set_holes(const encoder *e, kept_codes *kept)
{
    const guess *guesses = e->p.clause->guesses + HOLE_GUESSES;
    if (e->k.nholes > KEPT_HOLES)
        return false;
    kept->ninherited = kept->nelements = kept->nfound = kept->narguments = kept->least = 0;
    for (uint32_t i = 0; i < e->k.nholes; i++) {
        if (!is_guessed(e, guesses[i].address[0], e->r.nreads, e->r.holes[i]))
            return false;
        set_hole(kept, i, guesses[i].address[0]);
    }
    return true;
}

void trace_code_holes(encoder *e, column_out *out, kept_codes *kept)
{
    size_t before = column_size(out);
    e->coded = true;
    put_holes(out, &e->k, &e->r);
    kept->holes.known = false;
    if (set_holes(e, kept))
        keep(&kept->holes, out, before);
}

// ---------------------------------------------------------------------------------------------
// Bindings

// Whether the binding is that of one side of a `=` to the other; then *ret.
static bool find_sides(const encoder *e, const step_binding *b, kept_binding *ret)
{
    const uint64_t *sides = predict_sides(&e->p, b->item);
    for (int side = 0; side < 2 && sides; side++) {
        *ret = (kept_binding){b->item, sides[side], sides[!side]};
        if (is_binding_kept(e, b, ret))
            return true;
    }
    return false;
}

// Whether the bindings, which were just coded, can be kept.
static bool set_bindings(const encoder *e, kept_codes *k)
{
    const step_record *r = &e->r;
    uint32_t ntold = 0;
    if (r->nbindings > KEPT_BINDINGS || r->npassed > 0)
        return false;
    k->nbindings = r->nbindings;
    k->nfollowed = r->nfollowed;
    k->variable_address = e->p.clause->guesses[VARIABLE_GUESS].address[0];
    while (ntold < r->nbindings && find_sides(e, &r->bindings[ntold], &k->sides[ntold]))
        ntold++;
    k->is_open = r->nbindings == 1 && ntold == 0;
    return (k->is_open || ntold == r->nbindings) && are_bindings_kept(e, k);
}

// Puts what put_bindings() puts before the value of an open binding.
static void put_before_value(encoder *e, column_out *out)
{
    const step_record *r = &e->r;
    put_varint(out, r->nfollowed);
    for (uint32_t i = 0; i < r->nfollowed; i++)
        put_variable(out, &e->k, &r->followed[i]);
    put_varint(out, 1);
    put_varint(out, BINDING_CODES * (uint64_t)r->bindings->item);
    put_variable(out, &e->k, &r->bindings->variable);
}

static void keep_bindings(encoder *e, column_out *out, kept_codes *kept, size_t before)
{
    if (!kept->is_open) {
        keep(&kept->bindings, out, before);
        return;
    }
    size_t end = column_size(out);
    put_before_value(e, out);
    keep(&kept->bindings, out, end);
    out->at = out->start + end;
}

void trace_code_bindings(encoder *e, column_out *out, kept_codes *kept)
{
    size_t before = column_size(out);
    e->coded = true;
    put_bindings(out, &e->k, &e->r);
    kept->bindings.known = false;
    if (set_bindings(e, kept) && !out->failed)
        keep_bindings(e, out, kept, before);
}
