// SPDX-License-Identifier: MIT
//
// A growing text and what is written to it (private to vm/).
#ifndef VM_TEXT_H
#define VM_TEXT_H

#include "vm/print.h"
#include "vm/term/heap.h"

typedef struct { // on the collected heap; all zero is an empty text
    char *at;
    size_t n, capacity;
} vm_text;

void vm_text_reserve(vm_text *t, size_t bytes); // room for that many more
void vm_text_add(vm_text *t, const char *bytes, size_t n);
void vm_text_add_string(vm_text *t, const char *s); // NUL-terminated
void vm_text_add_char(vm_text *t, char c);
void vm_text_add_code(vm_text *t, uint32_t code); // as UTF-8
bool vm_is_character(int64_t code); // one that UTF-8 has

// The text of a term. Follows every binding made so far and records none: a built-in that prints
// has recorded its reads when it made sure that the term is ground.
void vm_text_add_term(vm_text *t, vm_word term, const vm_print_options *o);
// Does a term contain itself, so that it has no whole text? Records nothing.
bool vm_is_cyclic(vm_word w);

// UTF-8. Bytes that are no valid UTF-8 count as one character each.
size_t vm_utf8_count(const char *text, size_t length);
// The place of character number n (or the end of the text).
size_t vm_utf8_offset(const char *text, size_t length, size_t n);
// Decodes the character at *at and moves on. Needs *at < length.
uint32_t vm_utf8_next(const char *text, size_t length, size_t *at);
bool vm_utf8_valid(const char *text, size_t length);

// The characters of a string: in constant time where every character is one byte.
size_t vm_string_count(const vm_string *s);
// Byte at which character number i begins; the length where there are fewer.
size_t vm_string_offset(const vm_string *s, size_t i);
bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret); // false: there are fewer

#endif
