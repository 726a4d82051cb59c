// SPDX-License-Identifier: MIT
//
// What follows from the table of operators.
#include "vm/code/arithmetic.h"

#include "vm/term/names.h"

const vm_arith_entry vm_arith_operators[] = {
#define OPERATOR(atom, arity, integers) {ATOM_##atom, arity, integers},
#include "vm/code/arithmetic.def"
#undef OPERATOR
};

// Operator plus one, by arity and atom number; 0: none.
static const uint8_t operator_of[3][ATOM_NAMES_END] = {
#define OPERATOR(atom, arity, integers) [arity][ATOM_##atom] = ARITH_##atom##_##arity + 1,
#include "vm/code/arithmetic.def"
#undef OPERATOR
};

int vm_arith_operator(vm_word functor)
{
    uint32_t name = vm_functor_name(functor), arity = vm_functor_arity(functor);
    return arity <= 2 && name < ATOM_NAMES_END ? operator_of[arity][name] - 1 : -1;
}

const char *vm_arith_name(int op)
{
    return op >= 0 && op < ARITH_COUNT ? vm_atom_text(vm_arith_operators[op].name) : "";
}

bool vm_arith_needs_integers(int op)
{
    return vm_arith_operators[op].integers;
}
