// SPDX-License-Identifier: MIT
//
// A ring of entries, the newest first. Looking one up walks the ring: there are hundreds of them, and what
// a hit saves is more than that.
#include "paf/http/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    struct entry *before, *after;
    char *key, *text;
    size_t n;
    int64_t state;
} entry;

struct cache {
    pthread_mutex_t lock;
    entry ring;
    size_t bytes, most;
};

cache *cache_create(size_t most_bytes)
{
    cache *c = base_allocate(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->ring.before = c->ring.after = &c->ring;
    c->most = most_bytes;
    return c;
}

static void insert(cache *c, entry *e)
{
    e->before = &c->ring;
    e->after = c->ring.after;
    e->before->after = e->after->before = e;
}

static void unlink_entry(entry *e)
{
    e->before->after = e->after;
    e->after->before = e->before;
}

static size_t size_of(const entry *e)
{
    return sizeof *e + strlen(e->key) + e->n;
}

static void drop(cache *c, entry *e)
{
    c->bytes -= size_of(e);
    unlink_entry(e);
    free(e->key);
    free(e->text);
    free(e);
}

void cache_free(cache *c)
{
    if (!c)
        return;
    while (c->ring.after != &c->ring)
        drop(c, c->ring.after);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static entry *find(cache *c, const char *key)
{
    for (entry *e = c->ring.after; e != &c->ring; e = e->after)
        if (!strcmp(e->key, key))
            return e;
    return NULL;
}

bool cache_get(cache *c, const char *key, int64_t state, base_text *ret)
{
    pthread_mutex_lock(&c->lock);
    entry *e = find(c, key);
    bool good = e && e->state == state;
    if (good) {
        unlink_entry(e);
        insert(c, e);
        text_add(ret, e->text, e->n);
    }
    pthread_mutex_unlock(&c->lock);
    return good;
}

void cache_put(cache *c, const char *key, int64_t state, const char *text, size_t n)
{
    if (n > c->most / 4)
        return;
    pthread_mutex_lock(&c->lock);
    entry *e = find(c, key);
    if (e)
        drop(c, e);
    e = base_allocate(1, sizeof *e);
    *e = (entry){.key = base_copy(key), .text = base_copy_bytes(text, n), .n = n, .state = state};
    insert(c, e);
    c->bytes += size_of(e);
    while (c->bytes > c->most)
        drop(c, c->ring.before);
    pthread_mutex_unlock(&c->lock);
}
