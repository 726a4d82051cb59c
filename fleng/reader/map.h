// SPDX-License-Identifier: MIT
//
// A map from byte strings to words, in the collected heap (private to fleng/).
#ifndef FLENG_MAP_H
#define FLENG_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *key;
    size_t length;
    uintptr_t value; // 0: the slot is free
} fl_map_slot;

// All zero is an empty map.
typedef struct {
    fl_map_slot *slots;
    size_t n, capacity; // capacity: 0 or a power of two
} fl_map;

// The value of key, or 0.
uintptr_t fl_map_get(const fl_map *map, const char *key, size_t length);
// key is not copied and must stay as it is; value is not 0.
void fl_map_put(fl_map *map, const char *key, size_t length, uintptr_t value);
void fl_map_clear(fl_map *map);

#endif
