// SPDX-License-Identifier: MIT
//
// What the files of built-in predicates share (private to vm/). The rule that all of them follow
// stands in machine.h: look, wait, act.
#ifndef VM_BUILTINS_H
#define VM_BUILTINS_H

#include "vm/engine/machine.h"
#include "vm/term/heap.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

// Every built-in predicate is `vm_result f(vm_machine *m, vm_word *args)`.
#define BUILTIN(name, arity, function, text) vm_result function(vm_machine *m, vm_word *args);
#include "vm/builtins/builtins.def"
#undef BUILTIN

// Leaves the built-in where `look` did not end with VM_DONE.
#define NEED(look)                                                                                 \
    do {                                                                                           \
        vm_result need_ = (look);                                                                  \
        if (need_ != VM_DONE)                                                                      \
            return need_;                                                                          \
    } while (0)

// ---- Looking (builtins.c): VM_DONE and *ret, VM_WAIT, or VM_FAIL for the wrong type ------------

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

// ---- Strings (strings.c): in constant time where every character is one byte -----------------

size_t vm_string_count(const vm_string *s); // characters
// Byte at which character number i begins; the length where there are fewer.
size_t vm_string_offset(const vm_string *s, size_t i);
bool vm_string_code(const vm_string *s, size_t i, uint32_t *ret); // false: there are fewer

// The standard order of two terms: negative, 0 or positive. Waits for what decides it (order.c).
vm_result vm_compare_order(vm_machine *m, vm_word a, vm_word b, int *ret_order);

// ---- Vectors (vectors.c) ---------------------------------------------------------------------

void vm_vector_split(vm_machine *m, vm_vector *v, size_t at, vm_word *ret_lower,
                     vm_word *ret_upper);
vm_word vm_vector_join(vm_machine *m, vm_vector *a, vm_vector *b);

// generic:new(random_numbers, Numbers, Range[, Seed]) (control.c): n arguments behind the class.
vm_result vm_random_numbers(vm_machine *m, vm_word *args, uint32_t n);

// ---- Code as data (objects.c) ----------------------------------------------------------------

// What `predicate#(m:p/n)` and `module#m` of KL1 stand for.
typedef struct {
    bool is_predicate; // else a module: name
    const char *module, *name;
    uint32_t arity;
} vm_code_object;

bool vm_code_constant(vm_machine *m, vm_word w, vm_code_object *ret);

// KL1's wrapped terms (tables.c): ground terms that say of what kind each part is.
vm_word vm_wrap_term(vm_machine *m, vm_word term);
// Of a ground one; variables of one name become one variable.
vm_result vm_unwrap_term(vm_machine *m, vm_word wrapped, vm_word *ret);

// ---- Text ------------------------------------------------------------------------------------

// putc(C): a code, or an atom or string of one character (streams.c).
vm_result vm_put_character(vm_machine *m, vm_text *t, vm_word w);
// The text of a message of the streams of stdout/1 that is ground.
vm_result vm_message_text(vm_machine *m, vm_text *t, vm_word message);

extern const vm_print_options vm_write_options; // as write/1 does
extern const vm_print_options vm_quote_options; // as print/1 does

// Items of a list that is known to be ground, its text if it is a string, and so on (format.c).
vm_result vm_format(vm_machine *m, vm_text *out, vm_word format, vm_word arguments);
// The number that text denotes; false: none. Blanks around it are allowed.
bool vm_number_from(const char *text, size_t length, vm_word *ret);

#endif
