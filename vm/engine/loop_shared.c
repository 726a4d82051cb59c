// SPDX-License-Identifier: MIT
#define STAMPED 0
#define SHARED 1
#define LOOP vm_loop_shared
#include "vm/engine/loop.h"
