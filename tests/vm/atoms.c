// SPDX-License-Identifier: MIT
//
// Atoms: one number for each text, also for many of them.
#include "check.h"

#include <string.h>

enum { MANY = 20000 };

void test_atoms(void)
{
    CHECK(vm_atom_from("[]") == VM_NIL);
    CHECK(vm_atom_number(vm_atom_from("true")) == ATOM_TRUE);
    CHECK(vm_atom_number(vm_atom_from(".")) == ATOM_DOT);
    CHECK(vm_atom_intern("", 0) == vm_atom_intern("", 0));
    CHECK(vm_atom_intern("a\0b", 3) != vm_atom_intern("a\0c", 3));
    CHECK(vm_atom_length(vm_atom_intern("a\0b", 3)) == 3);
    uint32_t numbers[MANY];
    char name[24];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "atom_%d", i);
        numbers[i] = vm_atom_intern(name, strlen(name));
    }
    bool same = true;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "atom_%d", i);
        same = same && vm_atom_intern(name, strlen(name)) == numbers[i] &&
               strcmp(vm_atom_text(numbers[i]), name) == 0;
    }
    CHECK(same);
}
