// SPDX-License-Identifier: MIT
//
// Counting checks, and terms written down briefly.
#ifndef VM_TEST_CHECK_H
#define VM_TEST_CHECK_H

#include "vm/builtins.h"
#include "vm/code.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/print.h"
#include "vm/session.h"

extern unsigned checks_passed, checks_failed;

bool check_at(bool good, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void check_text_at(const char *got, const char *wanted, const char *file, int line);

#define CHECK(condition)        check_at((condition), __FILE__, __LINE__, "%s", #condition)
#define CHECK_SAY(good, ...)    check_at((good), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_TEXT(got, wanted) check_text_at((got), (wanted), __FILE__, __LINE__)

// Terms. Numbers are small.
vm_word term_string(const char *text);
vm_word term_struct(const char *name, uint32_t n, const vm_word *args);
vm_word term_list(uint32_t n, const vm_word *items, vm_word tail);
vm_word term_variable(void);

#define WORDS(...)                                                                                 \
    sizeof((vm_word[]){__VA_ARGS__}) / sizeof(vm_word), (vm_word[])                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define I(i)         vm_int(i)
#define A(name)      vm_atom_from(name)
#define S(text)      term_string(text)
#define T(name, ...) term_struct(name, WORDS(__VA_ARGS__))
#define L(...)       term_list(WORDS(__VA_ARGS__), VM_NIL)
#define V()          term_variable()

// As print/1 and as write/1 do; freed by nobody.
const char *quoted(vm_word term);
const char *written(vm_word term);

// The same numbers in every run.
uint64_t next_random(void);
uint64_t random_below(uint64_t n);

// The tests, one function for each file.
void test_atoms(void);
void test_arith(void);
void test_print(void);
void test_vectors(void);
void test_builtins(void);
void test_states(void);
void test_order(void);

#endif
