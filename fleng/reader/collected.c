// SPDX-License-Identifier: MIT
//
// Two tables over those of base/: byte strings are found by an index into their entries, addresses
// by a map.
#include "fleng/reader/collected.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN_BYTES = 400, // of a text that is shortened
    KEPT_PLACES = 128, // of a table that is emptied; a larger one is dropped
};

const base_heap fl_heap = {.allocate = vm_alloc, .zeroed = true, .first = 8};
const base_heap fl_unscanned_heap = {.allocate = vm_alloc_atomic, .first = 8};

char *fl_copy_text(const char *text, size_t length)
{
    char *copy = vm_alloc_atomic(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

const char *fl_format(const char *format, ...)
{
    char *made = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&made, format, arguments);
    va_end(arguments);
    if (length < 0)
        return format;
    const char *copy = fl_copy_text(made, (size_t)length);
    free(made);
    return copy;
}

const char *fl_shorten(char *text, size_t length)
{
    const char *copy;
    if (length > SHOWN_BYTES) {
        size_t n = utf8_cut(text, SHOWN_BYTES);
        copy = fl_format("%.*s...", (int)n, text);
    } else {
        copy = fl_copy_text(text, length);
    }
    free(text);
    return copy;
}

// ---- Tables -------------------------------------------------------------------------------------

struct fl_entry {
    const char *key;
    size_t length;
    uintptr_t value;
};

static struct fl_entry *find(const fl_dictionary *d, const char *key, size_t length, uint64_t hash)
{
    const struct fl_entry *at = d->entries.at;
    uint32_t found;
    INDEX_FIND(found, &d->index, hash, i,
               at[i].length == length && memcmp(at[i].key, key, length) == 0);
    return found == INDEX_NONE ? NULL : &d->entries.at[found];
}

uintptr_t fl_look_up(const fl_dictionary *d, const char *key, size_t length)
{
    if (d->entries.n == 0)
        return 0;
    const struct fl_entry *found = find(d, key, length, hash_bytes(0, key, length));
    return found ? found->value : 0;
}

void fl_enter(fl_dictionary *d, const char *key, size_t length, uintptr_t value)
{
    uint64_t hash = hash_bytes(0, key, length);
    struct fl_entry *known = find(d, key, length, hash);
    if (known) {
        known->value = value;
        return;
    }
    d->index.heap = &fl_unscanned_heap;
    index_add(&d->index, hash, (uint32_t)d->entries.n);
    FL_PUSH(d->entries, (struct fl_entry){key, length, value});
}

void fl_forget_all(fl_dictionary *d)
{
    if (d->index.size > KEPT_PLACES)
        index_free(&d->index);
    else
        index_clear(&d->index);
    d->entries.n = 0;
}

uintptr_t fl_look_up_address(const base_map *map, const void *address)
{
    uint64_t value = map_get(map, (uintptr_t)address);
    return value == MAP_ABSENT ? 0 : (uintptr_t)value;
}

void fl_enter_address(base_map *map, const void *address, uintptr_t value)
{
    map->heap = &fl_heap;
    map_set(map, (uintptr_t)address, value);
}
