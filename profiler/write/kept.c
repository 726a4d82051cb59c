// SPDX-License-Identifier: MIT
//
// Parts of a reduction that are coded by the same bytes as those of the one before of its clause: all values
// are where they were guessed, and the bindings are those of the same sides of `=`. To check this takes less
// than to code them; what is written is the same.
#include "profiler/format/encode.h"
#include "profiler/write/encoder.h"

// predict(), with quick ways for what most addresses are: an argument, and an element of a structure to which
// a variable that was read is bound directly. `arguments`: of the goal.
static inline bool is_guessed(const encoder *e, const uint64_t *arguments, uint32_t address,
                              uint32_t nreads, uint64_t v)
{
    uint32_t x = address >> 2;
    if ((address & 3) == 0)
        return x < e->p.narguments && arguments[x] == v;
    if ((address & 3) == 1 && (x & 7) != 0 && x >> 3 < nreads) {
        uint64_t bound = block_bound(&e->b, packed_cell(e->r.reads[x >> 3]));
        if (element_of_cell(&e->b, bound, (x & 7) - 1) == v)
            return true;
    }
    return trace_predict_further(&e->p, address, nreads) == v;
}

static inline const uint64_t *arguments_of_goal(const encoder *e)
{
    return e->p.narguments > 0 ? e->b.arguments.at + e->p.first_argument : NULL;
}

static inline bool reads_are_guessed(const encoder *e)
{
    const step_record *r = &e->r;
    const guess *guesses = e->p.clause->guesses;
    const uint64_t *arguments = arguments_of_goal(e);
    for (uint32_t i = 0, n = r->nreads; i < n; i++)
        if (!is_guessed(e, arguments, guesses[i < READ_GUESSES ? i : READ_GUESSES - 1].address[0], i,
                        packed_cell(r->reads[i])))
            return false;
    return true;
}

static inline bool holes_are_guessed(const encoder *e, uint32_t n)
{
    const guess *guesses = e->p.clause->guesses + HOLE_GUESSES;
    const uint64_t *arguments = arguments_of_goal(e), *holes = e->r.holes;
    uint32_t nreads = e->r.nreads;
    for (uint32_t i = 0; i < n; i++)
        if (!is_guessed(e, arguments, guesses[i].address[0], nreads, holes[i]))
            return false;
    return true;
}

// Is the binding that of one side of a `=` to the other?
static inline bool is_as_coded(const encoder *e, const step_binding *b, uint32_t code)
{
    uint32_t how = code % BINDING_CODES;
    if (b->item != code / BINDING_CODES)
        return false;
    const uint64_t *sides = &e->p.clause->sides[2 * (size_t)b->item];
    return predict_side(&e->p, sides[how != BINDING_IS]) == packed_cell(b->variable) &&
           predict_side(&e->p, sides[how == BINDING_IS]) == b->value;
}

static bool bindings_are_coded(const encoder *e, const kept_codes *k)
{
    const step_record *r = &e->r;
    if (r->nbindings != k->nbindings || r->nfollowed != k->nfollowed || r->npassed > 0)
        return false;
    for (uint32_t i = 0; i < r->nfollowed; i++)
        if (!is_guessed(e, arguments_of_goal(e), e->p.clause->guesses[VARIABLE_GUESS].address[0],
                        r->nreads, packed_cell(r->followed[i])))
            return false;
    for (uint32_t i = 0; i < r->nbindings; i++)
        if (!is_as_coded(e, &r->bindings[i], k->codes[i]))
            return false;
    return true;
}

// How the binding would be coded; 0: not as one side of a `=`.
static uint32_t code_of(const encoder *e, const step_binding *b)
{
    if (!predict_sides(&e->p, b->item))
        return 0;
    for (uint32_t how = BINDING_IS; how <= BINDING_IS + 1; how++)
        if (is_as_coded(e, b, b->item * BINDING_CODES + how))
            return b->item * BINDING_CODES + how;
    return 0;
}

// Whether the bindings can be kept, which are not those kept; sets their codes.
static bool set_codes(const encoder *e, kept_codes *k)
{
    const step_record *r = &e->r;
    if (r->nbindings > KEPT_BINDINGS || r->npassed > 0)
        return false;
    k->nbindings = r->nbindings;
    k->nfollowed = r->nfollowed;
    for (uint32_t i = 0; i < r->nbindings; i++)
        if ((k->codes[i] = code_of(e, &r->bindings[i])) == 0)
            return false;
    return bindings_are_coded(e, k);
}

static inline void put_kept(column_out *out, const kept_bytes *kept)
{
    column_ensure(out);
    memcpy(out->at, kept->bytes, KEPT_BYTES);
    out->at += kept->size;
}

// Keeps what was put into the column from `size` bytes on.
static void keep(kept_bytes *kept, const column_out *out, size_t size)
{
    size_t n = column_size(out) - size;
    kept->known = n <= KEPT_BYTES && !out->failed;
    kept->size = kept->known ? (uint32_t)n : 0;
    memcpy(kept->bytes, out->start + size, kept->size);
}

void trace_put_reads(encoder *e, column_out *out, kept_codes *kept)
{
    const step_record *r = &e->r;
    bool guessed = reads_are_guessed(e);
    if (guessed && kept->reads.known && kept->nreads == r->nreads) {
        put_kept(out, &kept->reads);
        return;
    }
    size_t before = column_size(out);
    put_reads(out, &e->k, r);
    kept->nreads = r->nreads;
    kept->reads.known = false;
    if (guessed)
        keep(&kept->reads, out, before);
}

void trace_put_holes(encoder *e, column_out *out, kept_codes *kept)
{
    bool guessed = holes_are_guessed(e, e->k.nholes);
    if (guessed && kept->holes.known) {
        put_kept(out, &kept->holes);
        return;
    }
    size_t before = column_size(out);
    put_holes(out, &e->k, &e->r);
    kept->holes.known = false;
    if (guessed)
        keep(&kept->holes, out, before);
}

void trace_put_bindings(encoder *e, column_out *out, kept_codes *kept)
{
    if (kept->bindings.known && bindings_are_coded(e, kept)) {
        put_kept(out, &kept->bindings);
        return;
    }
    bool coded = set_codes(e, kept);
    size_t before = column_size(out);
    put_bindings(out, &e->k, &e->r);
    kept->bindings.known = false;
    if (coded)
        keep(&kept->bindings, out, before);
}
