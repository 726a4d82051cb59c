// SPDX-License-Identifier: MIT
#define STAMPED 0
#define SHARED 0
#define LOOP vm_loop_plain
#include "vm/engine/loop.h"
