// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as what a process tells of itself in its log (ID.process).
#include <stdlib.h>

#include "kpx-bridge/log/read_log.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kpx_process_log p = {.rank = -1, .symbols = kpx_symbols_create()};
    kpx_process_parse(&p, (const char *)data, size);
    if (p.rank < -1 || p.ranks < 0)
        abort();
    kpx_process_free(&p);
    return 0;
}
