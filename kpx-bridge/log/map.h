// SPDX-License-Identifier: MIT
//
// From 64-bit keys to 32-bit numbers (private to kpx-bridge/): open addressing, no removal.
#ifndef KPX_MAP_H
#define KPX_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *keys;
    uint32_t *values;
    uint32_t n, size; // size: a power of two, or 0
} kpx_map;

#define KPX_NOT_THERE UINT32_MAX

uint32_t kpx_map_get(const kpx_map *map, uint64_t key); // or KPX_NOT_THERE
void kpx_map_set(kpx_map *map, uint64_t key, uint32_t value); // value: not KPX_NOT_THERE
void kpx_map_free(kpx_map *map);

// What keys are made of; goes on with `hash` (0 at first). A text may be NULL, which is none.
uint64_t kpx_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t kpx_hash_text(uint64_t hash, const char *text);
bool kpx_same_text(const char *x, const char *y);

#endif
