// SPDX-License-Identifier: MIT
//
// The loop that reduces, for plain runs: no atomic instructions.
#define STAMPED 0
#define SHARED 0
#define LOOP vm_loop_plain
#include "vm/engine/loop.h"
