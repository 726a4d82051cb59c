// SPDX-License-Identifier: MIT
//
// Open addressing with linear probing; a table of powers of two, at most half full.
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

uint64_t hash_word(uint64_t hash, uint64_t word) // a step of MurmurHash's finish
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return hash ^ hash >> 29;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) // FNV-1a
{
    const unsigned char *at = bytes;
    hash ^= 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

// ---- Maps ---------------------------------------------------------------------------------------

static base_map_place *place_of(const base_map *map, uint64_t key)
{
    size_t at = (size_t)hash_word(0, key) & (map->size - 1);
    while (map->places[at].value != MAP_ABSENT && map->places[at].key != key)
        at = (at + 1) & (map->size - 1);
    return &map->places[at];
}

static void grow_map(base_map *map)
{
    base_map old = *map;
    map->size = old.size ? 2 * old.size : 64;
    map->places = base_take(map->heap, map->size, sizeof *map->places);
    memset(map->places, 0xff, map->size * sizeof *map->places); // all values are MAP_ABSENT
    for (size_t i = 0; i < old.size; i++)
        if (old.places[i].value != MAP_ABSENT)
            *place_of(map, old.places[i].key) = old.places[i];
    base_give_back(map->heap, old.places);
}

uint64_t map_get(const base_map *map, uint64_t key)
{
    return map->size ? place_of(map, key)->value : MAP_ABSENT;
}

uint64_t *map_at(base_map *map, uint64_t key)
{
    if (2 * map->n >= map->size)
        grow_map(map);
    base_map_place *place = place_of(map, key);
    map->n += place->value == MAP_ABSENT;
    place->key = key;
    return &place->value;
}

void map_set(base_map *map, uint64_t key, uint64_t value)
{
    *map_at(map, key) = value;
}

// What comes behind the hole and could stand in it moves there, and leaves a hole of its own.
void map_remove(base_map *map, uint64_t key)
{
    base_map_place *place = map->size ? place_of(map, key) : NULL;
    if (!place || place->value == MAP_ABSENT)
        return;
    size_t most = map->size - 1, hole = (size_t)(place - map->places);
    for (size_t at = (hole + 1) & most; map->places[at].value != MAP_ABSENT; at = (at + 1) & most) {
        size_t home = (size_t)hash_word(0, map->places[at].key) & most;
        if (((at - home) & most) >= ((at - hole) & most)) {
            map->places[hole] = map->places[at];
            hole = at;
        }
    }
    map->places[hole].value = MAP_ABSENT;
    map->n--;
}

void map_free(base_map *map)
{
    base_give_back(map->heap, map->places);
    *map = (base_map){.heap = map->heap};
}

// ---- Indices ------------------------------------------------------------------------------------

static void put(base_index *index, base_index_place new)
{
    size_t at = new.hash & (index->size - 1);
    while (index->places[at].number)
        at = (at + 1) & (index->size - 1);
    index->places[at] = new;
}

// Moves the numbers to `places`, of twice the size.
static void grow_index(base_index *index, base_index_place *places)
{
    base_index old = *index;
    index->size = old.size ? 2 * old.size : 64;
    index->places = places;
    memset(index->places, 0, index->size * sizeof *index->places);
    for (size_t i = 0; i < old.size; i++)
        if (old.places[i].number)
            put(index, old.places[i]);
    base_give_back(index->heap, old.places);
}

bool index_reserve(base_index *index)
{
    size_t size = index->size ? 2 * index->size : 64;
    if (2 * index->n < index->size)
        return true;
    base_index_place *places =
        index->heap ? index->heap->allocate(size * sizeof *places) : malloc(size * sizeof *places);
    if (places)
        grow_index(index, places);
    return places != NULL;
}

void index_add(base_index *index, uint64_t hash, uint32_t number)
{
    if (!index_reserve(index))
        base_out_of_memory(2 * index->size * sizeof *index->places, __FILE__, __LINE__);
    put(index, (base_index_place){index_fold(hash), number + 1});
    index->n++;
}

void index_clear(base_index *index)
{
    if (index->n)
        memset(index->places, 0, index->size * sizeof *index->places);
    index->n = 0;
}

void index_free(base_index *index)
{
    base_give_back(index->heap, index->places);
    *index = (base_index){.heap = index->heap};
}
