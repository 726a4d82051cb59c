// SPDX-License-Identifier: MIT
//
// Instructions: one uint32_t for the opcode and one for each operand (code/code.def). The tests and
// queries of guards, and the operators of expressions, are operands by number.
#ifndef VM_CODE_H
#define VM_CODE_H

#include "vm/program.h"

#include <stdio.h>

typedef enum {
#define OP(name, operands, text) OP_##name,
#include "vm/code/code.def"
#undef OP
    OP_COUNT
} vm_opcode;

typedef enum { // type tests of guards
#define TEST(name, ...) VM_TEST_##name,
#include "vm/code/tests.def"
#undef TEST
    VM_TESTS, // how many there are
} vm_test;

typedef enum { // guards that look into terms
#define QUERY(name, ...) VM_QUERY_##name,
#include "vm/code/queries.def"
#undef QUERY
} vm_query_kind;

int vm_test_number(const char *name); // a vm_test; -1: no test has this name
const char *vm_test_name(vm_test test);
const char *vm_test_kinds(vm_test test); // letters: see code/tests.def
// The vm_query_kind that callers of this kind (queries.def) use by this name with that many inputs
// and outputs; -1: none.
int vm_query_number(char caller, const char *text, uint32_t arity);
uint32_t vm_query_inputs(vm_query_kind query);
uint32_t vm_query_outputs(vm_query_kind query);

extern const char *const vm_op_names[];    // by opcode
extern const char *const vm_op_operands[]; // letters: see code.def

// Writes one instruction to out, and what it does; returns its length in words. names may be NULL.
typedef struct {
    const char *(*name_register)(void *data, uint32_t reg); // NULL result: it has none; may be NULL
    void *data;
    const bool *target; // by position: something goes on there; may be NULL
} vm_code_names;
uint32_t vm_disassemble(const vm_program *p, uint32_t at, const vm_code_names *names, FILE *out);
// Length in words of the instruction at `at`, or 0 if the code ends before it does.
size_t vm_code_length(const vm_program *p, size_t at);
bool *vm_jump_targets(const vm_program *p); // of code that is verified
// Checks operands, targets and register bounds. NULL, or what is wrong (malloc'ed).
char *vm_verify(const vm_program *p);

// Operators of expressions, by functor word; -1 if it is none.
int vm_arith_operator(vm_word functor);
const char *vm_arith_name(int op);
bool vm_arith_needs_integers(int op); // all its operands must be integers

#endif
