// SPDX-License-Identifier: MIT
//
// libFuzzer target: the trace reader on any bytes. Checksums are not compared, and the columns of
// chunks that are stored plain are reached directly, so that mutations get deep.
//
// A trace that is accepted must answer every question with something in range.
#include "chunks.h"
#include "model.h"
#include "profiler/read/open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_trace(data, size, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_memory(data, size, "input", true, &problem, &error);
    if (t && trace_ncells(t) < 1u << 20 && !traverse(t))
        abort();
    if (!t && !error)
        abort();
    trace_close(t);
    free(error);
    return 0;
}
