// SPDX-License-Identifier: MIT
//
// The loop that reduces, for one worker, or one that is alone in its team: no atomic instructions.
#define STAMPED 0
#define SHARED 0
#define LOOP vm_loop_plain
#include "vm/engine/loop.h"
