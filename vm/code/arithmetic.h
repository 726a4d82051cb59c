// SPDX-License-Identifier: MIT
//
// The operators of expressions as numbers, ARITH_PLUS_2 for binary `+`.
#ifndef VM_ARITHMETIC_H
#define VM_ARITHMETIC_H

#include "vm/code.h"

typedef enum {
#define OPERATOR(atom, arity, integers) ARITH_##atom##_##arity,
#include "vm/code/arithmetic.def"
#undef OPERATOR
    ARITH_COUNT,
} vm_arith_op;

typedef struct {
    uint32_t name, arity;
    bool integers; // all operands must be
} vm_arith_entry;

extern const vm_arith_entry vm_arith_operators[]; // by vm_arith_op

#endif
