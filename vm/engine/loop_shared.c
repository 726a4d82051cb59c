// SPDX-License-Identifier: MIT
//
// The loop that reduces, for a worker that works together with others.
#define STAMPED 0
#define SHARED 1
#define LOOP vm_loop_shared
#include "vm/engine/loop.h"
