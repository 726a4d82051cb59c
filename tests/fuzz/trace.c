// SPDX-License-Identifier: MIT
//
// libFuzzer target: the trace reader on any bytes. Checksums are not compared, and the columns of
// chunks that are stored plain are reached directly, so that mutations get deep.
//
// A trace that is accepted must answer every question with something in range.
#include "chunks.h"
#include "folder.h"
#include "model.h"
#include "profiler/read/open.h"
#include "profiler/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_trace(data, size, capacity, seed);
}

// A summary that is accepted names what there is.
static bool summary_is_sound(const trace *t)
{
    const trace_summary *s = trace_get_summary(t);
    uint64_t sum = 0;
    for (uint32_t m = 0; s && m < s->nmodules; m++)
        for (uint32_t i = 0; i < s->nbuckets; i++)
            sum += s->rows[m].reduced[i];
    for (uint32_t i = 0; s && i < s->npairs; i++)
        if (s->pairs[i].predicate >= trace_npredicates(t) || s->pairs[i].module >= s->nmodules)
            return false;
    return !s || sum + 1 == trace_nreductions(t);
}

// Checksums are compared, so that most mutants are damaged; what opens without a complaint verifies.
static void as_file(const uint8_t *data, size_t size)
{
    char *why = NULL, *error = NULL;
    trace_error problem;
    empty_folder();
    const char *path = put_file("input.paf", data, size);
    bool sound = trace_verify(path, &why);
    trace *t = trace_open_explained(path, NULL, NULL, &problem, &error);
    if (t && problem.kind == TRACE_SOUND && !sound)
        abort();
    trace_close(t);
    trace_close(trace_open_head(path));
    free(why);
    free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    trace_error problem;
    trace *t = trace_open_memory(data, size, "input", true, &problem, &error);
    if (t && trace_ncells(t) < 1u << 20 && !traverse(t))
        abort();
    if ((!t && !error) || (t && !summary_is_sound(t)))
        abort();
    trace_close(t);
    free(error);
    as_file(data, size);
    return 0;
}
