// SPDX-License-Identifier: MIT
//
// Tiles of a profile, found by where they are. When there are too many all are forgotten: those of the
// present view come back at once.
#include "paf/model/profiles.h"

#include <glib.h>
#include <string.h>

#define TILE       64u   // stretches
#define MOST_TILES 8192u // 4 MB

typedef struct {
    int64_t width, first; // of a stretch; where the tile begins
    uint32_t module;
    iot_clock clock;
} tile_key;

typedef struct {
    tile_key key;
    uint64_t sums[TILE];
} tile;

struct paf_profiles {
    const iot *a;
    GHashTable *tiles; // tile_key -> tile, which begins with it
};

static guint hash_key(gconstpointer key)
{
    const tile_key *k = key;
    uint64_t h = (uint64_t)k->first * 0x9e3779b97f4a7c15u;
    h = (h ^ (uint64_t)k->width) * 0x9e3779b97f4a7c15u;
    h = (h ^ ((uint64_t)k->module << 1) ^ (uint64_t)k->clock) * 0x9e3779b97f4a7c15u;
    return (guint)(h >> 32);
}

static gboolean same_key(gconstpointer a, gconstpointer b)
{
    const tile_key *x = a, *y = b;
    return x->first == y->first && x->width == y->width && x->module == y->module && x->clock == y->clock;
}

paf_profiles *paf_profiles_create(const iot *a)
{
    paf_profiles *p = g_new(paf_profiles, 1);
    *p = (paf_profiles){a, g_hash_table_new_full(hash_key, same_key, NULL, g_free)};
    return p;
}

void paf_profiles_destroy(paf_profiles *p)
{
    if (!p)
        return;
    g_hash_table_destroy(p->tiles);
    g_free(p);
}

static const tile *tile_at(paf_profiles *p, const tile_key *key)
{
    tile *found = g_hash_table_lookup(p->tiles, key);
    if (found)
        return found;
    if (g_hash_table_size(p->tiles) >= MOST_TILES)
        g_hash_table_remove_all(p->tiles);
    iot_bucket buckets[TILE] = {{0}};
    tile *made = g_new0(tile, 1);
    made->key = *key;
    iot_profile_by(p->a, key->clock, IOT_REDUCTIONS, key->module, key->first, key->width, TILE, buckets);
    for (uint32_t i = 0; i < TILE; i++)
        made->sums[i] = buckets[i].sum;
    g_hash_table_insert(p->tiles, &made->key, made);
    return made;
}

void paf_profiles_sums(paf_profiles *p, iot_clock clock, uint32_t module, int64_t from, int64_t width,
                       uint32_t n, uint64_t *ret_sums)
{
    int64_t phase = from % width, index = from / width, end = iot_end(p->a, clock);
    memset(ret_sums, 0, n * sizeof *ret_sums);
    for (uint32_t i = 0; i < n;) {
        int64_t number = (index + i) / TILE;
        uint32_t at = (uint32_t)((index + i) % TILE), some = MIN(TILE - at, n - i);
        tile_key key = {width, phase + number * TILE * width, module, clock};
        if (key.first > end)
            return;
        memcpy(&ret_sums[i], &tile_at(p, &key)->sums[at], some * sizeof *ret_sums);
        i += some;
    }
}
