// SPDX-License-Identifier: MIT
#include "fleng/reader/map.h"

#include "vm/memory.h"

#include <string.h>

static uint64_t hash(const char *key, size_t length) // FNV-1a
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)key[i]) * 0x100000001b3u;
    return h ^ (h >> 29);
}

static fl_map_slot *find_slot(const fl_map *map, const char *key, size_t length)
{
    size_t mask = map->capacity - 1;
    for (size_t i = hash(key, length) & mask;; i = (i + 1) & mask) {
        fl_map_slot *slot = &map->slots[i];
        if (slot->value == 0)
            return slot;
        if (slot->length == length && memcmp(slot->key, key, length) == 0)
            return slot;
    }
}

uintptr_t fl_map_get(const fl_map *map, const char *key, size_t length)
{
    return map->n == 0 ? 0 : find_slot(map, key, length)->value;
}

static void grow(fl_map *map)
{
    fl_map larger = {.capacity = map->capacity ? map->capacity * 2 : 16, .n = map->n};
    larger.slots = vm_alloc(larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        const fl_map_slot *slot = &map->slots[i];
        if (slot->value != 0)
            *find_slot(&larger, slot->key, slot->length) = *slot;
    }
    *map = larger;
}

void fl_map_put(fl_map *map, const char *key, size_t length, uintptr_t value)
{
    if ((map->n + 1) * 2 > map->capacity)
        grow(map);
    fl_map_slot *slot = find_slot(map, key, length);
    if (slot->value == 0)
        map->n++;
    *slot = (fl_map_slot){key, length, value};
}

void fl_map_clear(fl_map *map)
{
    if (map->n == 0)
        return;
    if (map->capacity > 64)
        *map = (fl_map){0};
    else
        memset(map->slots, 0, map->capacity * sizeof *map->slots);
    map->n = 0;
}
