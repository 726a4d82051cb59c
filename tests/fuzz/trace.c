// SPDX-License-Identifier: MIT
//
// libFuzzer target: the trace reader on any bytes. Checksums are not compared, and the columns of
// chunks that are stored plain are reached directly, so that mutations get deep.
//
//   clang -g -O1 -fsanitize=fuzzer,address,undefined -I. -Itests/profiler tests/fuzz/trace.c
//       tests/profiler/traverse.c profiler/*.c -lzstd -lpthread -o fuzz-trace
//   ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=256 ./fuzz-trace
//       -max_len=4096 CORPUS tests/fuzz/corpus/trace
//
// A trace that is accepted must answer every question with something in range.
#include <stdlib.h>

#include "model.h"
#include "profiler/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    trace *t = trace_open_memory(data, size, "input", true, &error);
    if (t && trace_ncells(t) < 1u << 20 && !traverse(t))
        abort();
    if (!t && !error)
        abort();
    trace_close(t);
    free(error);
    return 0;
}
