// SPDX-License-Identifier: MIT
//
// Matching heads against patterns, for the cases that the code of a clause leaves open.
#include "vm/engine/match.h"

#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/equal.h"
#include "vm/look.h"
#include "vm/memory.h"

#include <string.h>

typedef struct {
    const vm_pattern *pattern; // a compound
    vm_word value;
    uint32_t next; // child
    uint32_t mark; // reads on the way to it
} level;

typedef struct {
    uint32_t from, n; // in `seen`
} span;

// The value that an occurrence of a register's variable matched. Listed while it is undecided whether
// it equals the value of the first occurrence.
typedef struct {
    uint32_t reg;
    vm_word value;
    span way;
} occurrence;

typedef struct {
    vm_machine *m;
    bool path; // keep only the reads on the path to the current pattern
    vm_word *first; // by register: the value its first occurrence matched; 0: not reached
    span *way;      // path: the reads on the way to it
    ARRAY_OF(occurrence) open;
    ARRAY_OF(vm_var *) seen;
    ARRAY_OF(level) levels;
    uint32_t base; // reads before the match
    const vm_pattern *wanted;
    vm_word found;
} matcher;

// Keeps only the reads on the path to the current pattern.
static span way_here(matcher *x)
{
    span way = {.from = x->seen.n, .n = x->path ? x->m->attempt.reads.n - x->base : 0};
    for (uint32_t i = 0; i < way.n; i++)
        VM_PUSH(x->seen, x->m->attempt.reads.at[x->base + i]);
    return way;
}

static void note_first(matcher *x, uint32_t reg, vm_word value)
{
    x->first[reg] = value;
    if (x->path)
        x->way[reg] = way_here(x);
}

// Are the values of two occurrences equal? If not, the path to the earlier one counts as read, too.
static vm_match compare_occurrences(matcher *x, vm_word earlier, span way, vm_word value)
{
    uint32_t reads = x->m->attempt.reads.n;
    switch (vm_test_equal(x->m, earlier, value)) {
    case VM_EQUAL:
        return MATCH_FITS;
    case VM_UNDECIDED:
        x->m->attempt.reads.n = reads;
        return MATCH_WAITS;
    case VM_DIFFERENT:
        break;
    }
    for (uint32_t i = 0; i < way.n; i++)
        VM_PUSH(x->m->attempt.reads, x->seen.at[way.from + i]);
    return MATCH_FAILS;
}

// Any two occurrences that differ decide, whether or not they equal the first one. The first one may
// not have been reached, because it lies inside a term that is waited for; then this occurrence takes
// its place.
static vm_match match_again(matcher *x, const vm_pattern *p, vm_word value)
{
    if (x->first[p->reg] == 0) {
        note_first(x, p->reg, value);
        return MATCH_FITS;
    }
    span way = x->path ? x->way[p->reg] : (span){0};
    vm_match result = compare_occurrences(x, x->first[p->reg], way, value);
    if (result != MATCH_WAITS)
        return result;
    for (uint32_t i = 0; i < x->open.n; i++) {
        const occurrence *o = &x->open.at[i];
        if (o->reg == p->reg && compare_occurrences(x, o->value, o->way, value) == MATCH_FAILS)
            return MATCH_FAILS;
    }
    VM_PUSH(x->open, (occurrence){.reg = p->reg, .value = value, .way = way_here(x)});
    return MATCH_WAITS;
}

static bool has_shape(const vm_pattern *p, vm_word value)
{
    switch (p->kind) {
    case PATTERN_CONST:
        return vm_equal_constants(value, p->constant);
    case PATTERN_CONS:
        return vm_tag(value) == TAG_CONS;
    case PATTERN_STRUCT:
        return vm_tag(value) == TAG_STRUCT && vm_words(value)[0] == p->constant;
    default: // PATTERN_VECTOR
        return vm_is_box(value, BOX_VECTOR) && vm_arguments(value) == p->n;
    }
}

// Matches one pattern against one value. *ret_value: the term with which to match its children.
static vm_match match_one(matcher *x, const vm_pattern *p, vm_word *value, bool *ret_inside)
{
    *ret_inside = false;
    switch (p->kind) {
    case PATTERN_VOID:
        return MATCH_FITS;
    case PATTERN_FIRST:
        note_first(x, p->reg, *value);
        return MATCH_FITS;
    case PATTERN_AGAIN:
        return match_again(x, p, *value);
    default:
        break;
    }
    *value = vm_deref(x->m, *value);
    if (vm_is_var(*value)) {
        vm_wait(x->m, *value);
        return MATCH_WAITS;
    }
    if (!has_shape(p, *value))
        return MATCH_FAILS;
    *ret_inside = p->n > 0;
    return MATCH_FITS;
}

static vm_match match_argument(matcher *x, const vm_pattern *p, vm_word value)
{
    vm_match result = MATCH_FITS;
    x->levels.n = 0;
    for (;;) {
        bool inside;
        vm_word at = value;
        vm_match one = match_one(x, p, &at, &inside);
        if (one == MATCH_FAILS) {
            x->wanted = p;
            x->found = value;
            return one;
        }
        if (one == MATCH_WAITS)
            result = one;
        if (inside)
            VM_PUSH(x->levels, (level){.pattern = p, .value = at, .mark = x->m->attempt.reads.n});
        while (x->levels.n > 0 &&
               x->levels.at[x->levels.n - 1].next == x->levels.at[x->levels.n - 1].pattern->n)
            x->levels.n--;
        if (x->levels.n == 0)
            return result;
        level *top = &x->levels.at[x->levels.n - 1];
        if (x->path)
            x->m->attempt.reads.n = top->mark;
        p = top->pattern->children[top->next];
        value = vm_argument(top->value, top->next++);
    }
}

static vm_match match_head(matcher *x, const vm_clause *clause, const vm_word *args,
                           vm_mismatch *ret_mismatch)
{
    vm_match result = MATCH_FITS;
    uint32_t waits = x->m->attempt.waits.n;
    x->base = x->m->attempt.reads.n;
    x->first = x->m->attempt.first;
    memset(x->first, 0, clause->registers * sizeof *x->first);
    if (x->path)
        x->way = vm_alloc_atomic((clause->registers + 1) * sizeof *x->way);
    for (uint32_t i = 0; i < clause->predicate->arity; i++) {
        if (x->path)
            x->m->attempt.reads.n = x->base;
        vm_match one = match_argument(x, clause->head[i], args[i]);
        if (one == MATCH_FAILS) {
            x->m->attempt.waits.n = waits;
            if (ret_mismatch)
                *ret_mismatch = (vm_mismatch){
                    .fails = true, .argument = i + 1, .wanted = x->wanted, .found = x->found};
            return one;
        }
        if (one == MATCH_WAITS)
            result = one;
    }
    return result;
}

vm_match vm_match_head(vm_machine *m, const vm_clause *clause, const vm_word *args,
                       vm_mismatch *ret_mismatch)
{
    matcher x = {.m = m};
    return match_head(&x, clause, args, ret_mismatch);
}

bool vm_match_path(vm_machine *m, const vm_clause *clause, const vm_word *args)
{
    matcher x = {.m = m, .path = true};
    uint32_t reads = m->attempt.reads.n, waits = m->attempt.waits.n;
    if (match_head(&x, clause, args, NULL) == MATCH_FAILS)
        return true;
    m->attempt.reads.n = reads;
    m->attempt.waits.n = waits;
    return false;
}
