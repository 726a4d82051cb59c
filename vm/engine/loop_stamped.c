// SPDX-License-Identifier: MIT
//
// The loop that reduces, for the ideal machine.
#define STAMPED 1
#define SHARED 0
#define LOOP vm_loop_stamped
#include "vm/engine/loop.h"
