// SPDX-License-Identifier: MIT
//
// Arrays, tables and texts of base/ on the collected heap, where all data about a program lives:
// none is released by hand. All zero is empty.
//
//     ARRAY_OF(fl_term *) parts = {0};
//     FL_PUSH(parts, t);
#ifndef FLENG_COLLECTED_H
#define FLENG_COLLECTED_H

#include "base/array.h"
#include "base/table.h"
#include "vm/memory.h"

#include <stdint.h>

// The collected heap: memory that may hold pointers, and memory that holds none (which the collector
// does not look at).
extern const base_heap fl_heap, fl_unscanned_heap;

#define FL_PUSH(array, ...) ARRAY_PUSH_ON(&fl_heap, array, __VA_ARGS__)

// ---- Texts --------------------------------------------------------------------------------------

// A NUL-terminated copy.
char *fl_copy_text(const char *text, size_t length);
const char *fl_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A copy, cut at a character if the text is long. Frees the text.
const char *fl_shorten(char *text, size_t length);

// ---- Tables -------------------------------------------------------------------------------------

// From byte strings to words that are not 0.
typedef struct {
    base_index index;
    ARRAY_OF(struct fl_entry) entries;
} fl_dictionary;

// The value of the key, or 0.
uintptr_t fl_look_up(const fl_dictionary *d, const char *key, size_t length);
// Sets the value of the key, which is not copied and must not change.
void fl_enter(fl_dictionary *d, const char *key, size_t length, uintptr_t value);
void fl_forget_all(fl_dictionary *d);

// From addresses to words that are not 0. The table keeps what it refers to alive.
uintptr_t fl_look_up_address(const base_map *map, const void *address); // or 0
void fl_enter_address(base_map *map, const void *address, uintptr_t value);

#endif
