// SPDX-License-Identifier: MIT
//
// Sets of inputs that share what they have in common (private to iotree/).
//
// The inputs of a process are laid out in *chains*: an input stands behind another where the first
// reduction that reads it already needs the other and all before. A set is then a map from chain to
// the length of the prefix it holds - for a process that reads k streams, a map of about k entries
// however long the streams are - kept as a Patricia trie whose parts are shared by pointer. A
// reader that needs an input without what stands before it gives the input a further place, on
// another chain, so that sets stay exact. An input is in a set if one of its places is.
//
// Only readers of the predicate that began a chain continue it. Else the many short-lived goals
// that a loop spawns would each continue the loop's own chain, which it could not use any more.
#ifndef IOTREE_REQSET_H
#define IOTREE_REQSET_H

#include "iotree/graph/model.h"

typedef uint32_t input_set; // 0: the empty set; else an index into the store

typedef struct {
    uint64_t hash;        // sum over the entries: equal maps have equal hashes
    uint32_t bit;         // a branch: the lowest bit in which its keys differ; 0: an entry
    uint32_t key;         // an entry: the chain; a branch: the bits below `bit`
    uint32_t left, right; // a branch: keys with the bit clear, set; an entry: length, unused
} set_node;

typedef struct {
    ARRAY_OF(uint32_t) inputs;
    uint32_t predicate; // of the readers that may continue it
    bool shared;        // made for second readers: further places go there
} input_chain;

typedef struct {
    uint32_t chain, position; // from 1
    uint32_t next;            // place of the same input, 0: none
} chain_place;

typedef struct {
    ARRAY_OF(set_node) nodes;
    ARRAY_OF(input_chain) chains;
    ARRAY_OF(chain_place) places;
    uint32_t *first_place; // by input
    uint32_t *stamp;       // by input: the listing that met it last
    uint32_t now;
} input_sets;

void iot_sets_init(input_sets *s, uint32_t ninputs);
void iot_sets_free(input_sets *s);

input_set iot_set_merge(input_sets *s, input_set a, input_set b);
// The set with this input, read by a goal of this predicate. hint: a chain worth trying first; the
// chain used is put there.
input_set iot_set_add(input_sets *s, input_set set, uint32_t input, uint32_t predicate, uint32_t *hint);
bool iot_set_has(const input_sets *s, input_set set, uint32_t input);
// Same map; two maps may still be the same set of inputs.
bool iot_set_same(const input_sets *s, input_set a, input_set b);
uint64_t iot_set_hash(const input_sets *s, input_set set);

// Appends the inputs that are in a and not in b, each once, in no order.
typedef struct {
    uint32_t *at; // the inputs: a base array
    size_t n, capacity;
    uint64_t steps; // entries and places looked at so far
} input_list;

void iot_set_difference(input_sets *s, input_set a, input_set b, input_list *list);

#endif
