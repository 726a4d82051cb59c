// SPDX-License-Identifier: MIT
//
// The table of built-in predicates.
#include "vm/builtins.h"

#include "vm/builtins/arguments.h"
#include "vm/builtins/merge.h"
#include "vm/builtins/quick.h"
#include "vm/kl1/channel.h"

#define BUILTIN(name, arity, function, modes, ...)                                                 \
    _Static_assert(sizeof modes - 1 == (arity), name ": one mode is wanted for each argument");
#include "vm/builtins.def"
#undef BUILTIN

#define BUILTIN(name_, arity_, function_, modes_, text, ...)                                       \
    {.name = name_, .arity = arity_, .function = function_, .modes = modes_, ##__VA_ARGS__},
const vm_builtin_entry vm_builtins[] = {
#include "vm/builtins.def"
};
#undef BUILTIN

const uint32_t vm_nbuiltins = sizeof vm_builtins / sizeof *vm_builtins;
