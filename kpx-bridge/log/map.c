// SPDX-License-Identifier: MIT
#include "kpx-bridge/log/map.h"

#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/log/array.h"

static uint32_t place_of(const kpx_map *map, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t at = (uint32_t)(hash >> 32) & (map->size - 1);
    while (map->values[at] != KPX_NOT_THERE && map->keys[at] != key)
        at = (at + 1) & (map->size - 1);
    return at;
}

uint32_t kpx_map_get(const kpx_map *map, uint64_t key)
{
    return map->size ? map->values[place_of(map, key)] : KPX_NOT_THERE;
}

static void grow(kpx_map *map)
{
    kpx_map old = *map;
    map->size = old.size ? 2 * old.size : 64;
    map->keys = kpx_allocate(map->size * sizeof *map->keys);
    map->values = kpx_allocate(map->size * sizeof *map->values);
    memset(map->values, 0xff, map->size * sizeof *map->values);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.values[i] != KPX_NOT_THERE) {
            uint32_t at = place_of(map, old.keys[i]);
            map->keys[at] = old.keys[i];
            map->values[at] = old.values[i];
        }
    kpx_map_free(&old);
}

void kpx_map_set(kpx_map *map, uint64_t key, uint32_t value)
{
    if (2 * map->n >= map->size)
        grow(map);
    uint32_t at = place_of(map, key);
    map->n += map->values[at] == KPX_NOT_THERE;
    map->keys[at] = key;
    map->values[at] = value;
}

void kpx_map_free(kpx_map *map)
{
    free(map->keys);
    free(map->values);
}

uint64_t kpx_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

uint64_t kpx_hash_text(uint64_t hash, const char *text)
{
    return text ? kpx_hash_bytes(hash + 1, text, strlen(text) + 1) : kpx_hash_bytes(hash, "", 1);
}

bool kpx_same_text(const char *x, const char *y)
{
    return x == y || (x && y && strcmp(x, y) == 0);
}
