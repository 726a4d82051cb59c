// SPDX-License-Identifier: MIT
//
// Two hash tables, both with open addressing and powers of two places. All zero is empty and on the C heap.
//
// A `base_map` leads from 64-bit keys to 64-bit values.
//
// A `base_index` finds numbers by what they stand for. The things themselves lie in an array of the
// caller's; the caller gives a hash and says whether a number is the thing that is looked for:
//
//     uint64_t hash = hash_bytes(0, name, length);
//     INDEX_FIND(found, &index, hash, i, strcmp(names.at[i], name) == 0);
//     if (found == INDEX_NONE)
//         index_add(&index, hash, new_number);
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

#define MAP_ABSENT UINT64_MAX // no value may be this

typedef struct {
    uint64_t key, value;
} base_map_place;

typedef struct base_map {
    base_map_place *places;
    size_t n, size; // size: 0 or a power of two
    const base_heap *heap;
} base_map;

uint64_t map_get(const base_map *map, uint64_t key); // or MAP_ABSENT
// The value of a key to read and write, which is MAP_ABSENT at first; it must be set before the next
// call. The pointer is good until then.
uint64_t *map_at(base_map *map, uint64_t key);
void map_set(base_map *map, uint64_t key, uint64_t value);
void map_remove(base_map *map, uint64_t key); // if it is there
void map_free(base_map *map); // leaves an empty one

#define INDEX_NONE UINT32_MAX // no number may be this

typedef struct {
    uint32_t hash;
    uint32_t number; // plus one; 0: a free place
} base_index_place;

typedef struct base_index {
    base_index_place *places;
    size_t n, size; // size: 0 or a power of two
    const base_heap *heap;
} base_index;

// The part of a hash that an index keeps.
static inline uint32_t index_fold(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

// Where a search for this hash begins.
static inline size_t index_begin(const base_index *index, uint64_t hash)
{
    return index_fold(hash) & (index->size - 1);
}

// Sets `result` to the number i of this hash for which `same` holds, else to INDEX_NONE.
#define INDEX_FIND(result, index, hash_value, i, same)                                             \
    do {                                                                                           \
        const base_index *find_in = (index);                                                       \
        const uint64_t find_hash = (hash_value);                                                   \
        (result) = INDEX_NONE;                                                                     \
        if (find_in->size == 0)                                                                    \
            break;                                                                                 \
        for (size_t find_at = index_begin(find_in, find_hash); find_in->places[find_at].number;    \
             find_at = (find_at + 1) & (find_in->size - 1)) {                                      \
            if (find_in->places[find_at].hash != index_fold(find_hash))                            \
                continue;                                                                          \
            const uint32_t i = find_in->places[find_at].number - 1;                                \
            if (same) {                                                                            \
                (result) = i;                                                                      \
                break;                                                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// Room for one more number, so that the next index_add() cannot fail. False without memory.
bool index_reserve(base_index *index);
// Adds a number that INDEX_FIND did not find.
void index_add(base_index *index, uint64_t hash, uint32_t number);
void index_clear(base_index *index); // keeps its memory
void index_free(base_index *index);  // leaves an empty one

// Hashes of keys of several parts: begin with 0 and go on with the result.
uint64_t hash_word(uint64_t hash, uint64_t word);
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n);

#endif
