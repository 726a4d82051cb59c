// SPDX-License-Identifier: MIT
//
// A recorder that checks the stamps of a real run instead of writing them.
#ifndef REAL_CHECK_H
#define REAL_CHECK_H

#include "vm/run.h"

extern vm_recorder real_check;

#endif
