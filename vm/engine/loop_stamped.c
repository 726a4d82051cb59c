// SPDX-License-Identifier: MIT
#define STAMPED 1
#define SHARED 0
#define LOOP vm_loop_stamped
#include "vm/engine/loop.h"
