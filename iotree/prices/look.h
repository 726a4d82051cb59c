// SPDX-License-Identifier: MIT
//
// What one commit looked at, followed again: through bindings that it read, and through no other.
#ifndef IOTREE_PRICES_LOOK_H
#define IOTREE_PRICES_LOOK_H

#include "base/table.h"
#include "iotree/prices/places.h"

#define FEW_READS 16u // that are looked through one by one

#define VAGUE 2 // has a value that depends on which of some alternatives was true

// A term of the commit: a value of the run, or a pattern of the clause.
typedef struct {
    const trace_node *node; // NULL: the value
    trace_value value;
} look_term;

typedef struct {
    look_term a, b;
    uint32_t above; // the pair that holds it, or IOT_NONE
    uint32_t first_a, first_b, end; // reads in `path`: of a's chain, of b's chain, the end
} look_pair;

typedef struct {
    const trace *t;
    read_places *places;
    // The commit in hand
    const trace_clause *c;
    const uint32_t *reads; // variables
    uint32_t nreads;
    uint64_t first_read;
    const uint8_t *wanted; // by pattern: all but variables that nothing else mentions
    base_map many;         // variable -> place among the reads, if they are many
    trace_value *values;   // of clause variables: the holes', then those of `unused`
    uint8_t *known;        // by clause variable: 1 if it has a value, or VAGUE
    place_code vague;      // the first guard after which a variable is vague; 0: none
    place_code *origins;   // by clause variable: where the head has it first
    size_t variables;      // room in these
    uint64_t allowance;    // terms that may still be visited: linear in what there is
    // Scratch
    ARRAY_OF(look_term) stack;
    ARRAY_OF(look_pair) pairs;
    ARRAY_OF(uint32_t) path; // places among the reads
    size_t more;             // of `places->more`, where those of this commit begin
} looker;

// Which of the reads a variable is; IOT_NONE if the commit did not read it.
uint32_t iot_read_of(const looker *l, uint32_t variable);
void iot_mark_read(looker *l, uint32_t read, place_code place);
// Follows bindings that were read. Marks them, unless place is 0.
trace_value iot_follow(looker *l, trace_value v, place_code place);
// Marks all reads that lead somewhere in the term.
void iot_reach(looker *l, look_term term, place_code place);
// Compares two terms argument by argument, from left to right. Marks the bindings that this
// follows; if the terms differ, those on the way to the first difference.
void iot_compare(looker *l, look_term a, look_term b, place_code place_a, place_code place_b);
// A pattern's variable as its value, if that is known; a value of an unknown one is a node.
look_term iot_term_of(const looker *l, uint32_t pattern);
uint32_t iot_variable_of(const looker *l, const trace_node *n); // in `values`

void iot_look_at_head(looker *l, const trace_value *args);
void iot_look_at_guards(looker *l);
bool iot_has_otherwise(const trace *t, const trace_clause *c);

static inline bool is_pattern_variable(const trace_node *n)
{
    return n->kind == TN_HOLE || n->kind == TN_FRESH;
}

#endif
