// SPDX-License-Identifier: MIT
//
// What the files of built-in predicates share: functions that look at arguments, make terms and
// write text. Every built-in follows the rule of engine/builtin.h: look, wait, act.
#ifndef VM_ARGUMENTS_H
#define VM_ARGUMENTS_H

#include "vm/builtins.h"
#include "vm/engine/builtin.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

// ---- Looking (arguments.c): VM_DONE and *ret, VM_WAIT, or VM_FAIL for the wrong type ------------

vm_result vm_need(vm_machine *m, vm_word w, vm_word *ret); // anything bound
vm_result vm_need_atom(vm_machine *m, vm_word w, uint32_t *ret_number);
vm_result vm_need_string(vm_machine *m, vm_word w, const vm_string **ret);
vm_result vm_need_integer(vm_machine *m, vm_word w, vm_word *ret); // of any size
vm_result vm_need_small(vm_machine *m, vm_word w, int64_t *ret);   // immediate
vm_result vm_need_vector(vm_machine *m, vm_word w, vm_vector **ret);
// Name of a file: a string or an atom.
vm_result vm_need_name(vm_machine *m, vm_word w, const char **ret);

// Makes sure that a term is ground, so that the whole of it may be looked at without recording.
// *progress remembers how far an attempt came: a term that grows is not searched from the start.
vm_result vm_need_ground(vm_machine *m, void **progress, vm_word w);

typedef ARRAY_OF(vm_word) vm_items;
// The items of a list (not looked at). *progress as above.
vm_result vm_need_list(vm_machine *m, void **progress, vm_word w, vm_items *ret);

// ---- Making ----------------------------------------------------------------------------------

vm_word vm_list_from(vm_machine *m, const vm_word *items, size_t n, vm_word tail);
// The term name(args...): an atom, a list cell or a structure.
vm_word vm_compound_from(vm_machine *m, uint32_t name, const vm_word *args, size_t n);
// A string of any bytes: what is no UTF-8 is replaced.
vm_word vm_string_from(const char *bytes, size_t n);

// Is the goal's first argument a list that may still grow? A goal that serves a stream of messages
// is idle then: nothing but its maker can give it work.
bool vm_stream_is_open(const vm_goal *goal);
void vm_file_rewind(void *progress); // of write_file/2 (streams.c)

// ---- Vectors (vectors.c) ---------------------------------------------------------------------

void vm_vector_split(vm_machine *m, vm_vector *v, size_t at, vm_word *ret_lower,
                     vm_word *ret_upper);
vm_word vm_vector_join(vm_machine *m, vm_vector *a, vm_vector *b);

// generic:new(random_numbers, Numbers, Range[, Seed]) (control.c): n arguments behind the class.
vm_result vm_random_numbers(vm_machine *m, vm_word *args, uint32_t n);

// ---- Text ------------------------------------------------------------------------------------

// putc(C): a code, or an atom or string of one character (streams.c).
vm_result vm_put_character(vm_machine *m, base_text *t, vm_word w);
// The text of a message of the streams of stdout/1 that is ground.
vm_result vm_message_text(vm_machine *m, base_text *t, vm_word message);

extern const vm_print_options vm_write_options; // as write/1 does
extern const vm_print_options vm_quote_options; // as print/1 does

// Items of a list that is known to be ground, its text if it is a string, and so on (format.c).
vm_result vm_format(vm_machine *m, base_text *out, vm_word format, vm_word arguments);
// The number that text denotes; false: none. Blanks around it are allowed.
bool vm_number_from(const char *text, size_t length, vm_word *ret);

#endif
