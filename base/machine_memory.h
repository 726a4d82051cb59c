// SPDX-License-Identifier: MIT
//
// How much memory there is, in bytes.
#ifndef BASE_MACHINE_MEMORY_H
#define BASE_MACHINE_MEMORY_H

#include <stddef.h>

// Of the machine, or of the process's control group if that is less; SIZE_MAX: not known.
size_t base_memory_of_machine(void);
// The limit of the control group; SIZE_MAX: there is none. root: "", or where a test keeps such files.
size_t base_memory_of_group(const char *root);

#endif
