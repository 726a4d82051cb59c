// SPDX-License-Identifier: MIT
//
// cache: answers that are asked for again. The oldest ones go when there is no room. For several threads.
#ifndef PAF_CACHE_H
#define PAF_CACHE_H

#include "base/text.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cache cache;

cache *cache_create(size_t most_bytes);
void cache_free(cache *c); // may be NULL
// state: of what the answer is made; an answer of another state is none. Adds the text to *ret.
bool cache_get(cache *c, const char *key, int64_t state, base_text *ret);
void cache_put(cache *c, const char *key, int64_t state, const char *text, size_t n);

#endif
