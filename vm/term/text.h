// SPDX-License-Identifier: MIT
//
// The text of terms, and the characters of strings. Texts grow as base_text, on the collected heap.
#ifndef VM_TEXT_H
#define VM_TEXT_H

#include "base/text.h"
#include "vm/print.h"
#include "vm/term/heap.h"

// An empty text on the collected heap, which nobody frees.
#define VM_TEXT {.heap = &vm_unscanned}

// Adds the text of a term. It follows every binding made so far and records none: a built-in that
// prints has recorded its reads when it made sure that the term is ground.
void vm_text_add_term(base_text *t, vm_word term, const vm_print_options *o);
// Does a term contain itself, so that it has no whole text? Records nothing.
bool vm_is_cyclic(vm_word w);

size_t vm_string_size(size_t length); // bytes of a string with a text of so many
vm_word vm_string_append(const vm_string *a, const vm_string *b);
const char *vm_string_terminated(const vm_string *s); // its text with a NUL behind

// The characters of a string: in constant time, but for the first time.
size_t vm_string_count(const vm_string *s);
// Byte at which character number i begins; the length where there are fewer.
size_t vm_string_offset(const vm_string *s, size_t i);
bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret); // false: there are fewer

#endif
