// SPDX-License-Identifier: MIT
//
// --memory SIZE: how much memory a command may take. A command tells what it would need before it takes it.
// Should that have been too little the system stops the process (RLIMIT_DATA) at twice the limit: it counts
// reserved memory, too, of which growing arrays and threads have much.
#ifndef BASE_MEMORY_LIMIT_H
#define BASE_MEMORY_LIMIT_H

#include <stdint.h>

#define BASE_LEAST_MEMORY (32u << 20) // bytes; no limit is below

// Bytes of "500M", "2G", or bytes without a letter; 0: it is none of them, or too small.
uint64_t base_read_memory_size(const char *text);
// From now on, and for the commands that this process starts. 0: three quarters of what the machine or the
// control group has, if that is known.
void base_limit_memory(uint64_t bytes);
uint64_t base_memory_limit(void); // bytes; 0: none

#endif
