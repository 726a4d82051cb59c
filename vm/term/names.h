// SPDX-License-Identifier: MIT
//
// Numbers of the atoms that the engine itself uses.
#ifndef VM_NAMES_H
#define VM_NAMES_H

#include "vm/term.h"

enum {
    ATOM_BEFORE_NAMES = ATOM_FIXED - 1,
#define NAME(identifier, text) ATOM_##identifier,
#include "vm/term/names.def"
#undef NAME
    ATOM_NAMES_END,
};

#endif
