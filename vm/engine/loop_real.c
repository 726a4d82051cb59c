// SPDX-License-Identifier: MIT
//
// The loop that reduces, for a real stamped run.
#define STAMPED 1
#define SHARED 1
#define LOOP vm_loop_real
#include "vm/engine/loop.h"
