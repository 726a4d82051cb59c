// SPDX-License-Identifier: MIT
//
// Sets of inputs that share their common parts.
//
// The inputs of a process lie on *chains*: an input follows another one if the first reduction that
// reads it already needs the other input and all inputs before that. A set maps each chain to the
// length of the prefix that it contains. For a process that reads k streams the map has about k
// entries, however long the streams are. It is a Patricia trie whose subtries are shared by
// pointer. If a reader needs an input but not the inputs before it on its chain, the input is
// entered on a second chain as well, so that prefixes stay exact. A set contains an input if it
// contains one of the input's places.
//
// Only readers of the predicate that began a chain continue it. Otherwise each of the many
// short-lived goals that a loop spawns would continue the chain of the loop, and the loop could no
// longer use it.
#ifndef IOTREE_INPUT_SETS_H
#define IOTREE_INPUT_SETS_H

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
    bool shared;        // for second places of inputs
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
input_set iot_set_add(input_sets *s, input_set set, uint32_t input, uint32_t predicate,
                      uint32_t *hint);
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
