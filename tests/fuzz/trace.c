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

#include <stdlib.h>

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
    for (uint32_t i = 0; s && i < s->ndependencies; i++)
        if (s->dependencies[i].from >= s->nmodules || s->dependencies[i].to >= s->nmodules ||
            s->dependencies[i].all.count < s->dependencies[i].bins[s->nbins - 1].count)
            return false;
    return !s || sum + 1 == trace_nreductions(t);
}

// Every other predicate is an entry of a module. What the reductions are summed up to has the figures that a
// trace without anything wrong has.
static bool sums_are_sound(const uint8_t *data, size_t size, const trace *t, bool sound)
{
    static const char *const names[] = {"main", "odd"};
    uint32_t n = trace_npredicates(t), *module_of = calloc(n + (size_t)1, sizeof *module_of);
    for (uint32_t i = 0; i < n; i++)
        module_of[i] = i % 2 == 1 ? 1 : TRACE_NONE;
    trace_sum_modules modules = {2, names, n, module_of};
    trace *summed = trace_sum_up_memory(data, size, "input", true, &modules);
    const trace_summary *s = summed ? trace_get_summary(summed) : NULL;
    uint64_t work = 0;
    for (uint32_t i = 0; s && i < s->nbuckets; i++)
        work += s->rows[s->nmodules].reduced[i];
    bool good = !summed || (s && s->has_more && (!sound || work + 1 == trace_nreductions(t)));
    trace_close(summed);
    free(module_of);
    return good;
}

// Of a stretch in the middle: what is reduced there is no more than what the run reduces.
static bool stretch_is_sound(const uint8_t *data, size_t size)
{
    trace *head = trace_open_stretch_memory(data, size, "input", true, 0, 1, 1);
    const trace_summary *s = head ? trace_get_summary(head) : NULL;
    int64_t span = s ? s->span : 0, width = span / 64 + 1;
    trace *t = s ? trace_open_stretch_memory(data, size, "input", true, span / 3, width, 16) : NULL;
    const trace_sum_stretch *x = t ? trace_get_stretch(t) : NULL;
    bool good = !t || (x && x->n == 16);
    for (uint32_t i = 0; x && i < (s->nmodules + 1) * x->n; i++)
        good = good && x->rows[i].most_reduced <= x->rows[i].reduced &&
               x->rows[i].most_waiting <= x->rows[i].waiting;
    trace_close(t);
    trace_close(head);
    return good;
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
    trace_close(trace_open_tables(path));
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
    if (t && !sums_are_sound(data, size, t, !error))
        abort();
    if (!stretch_is_sound(data, size))
        abort();
    trace_close(t);
    free(error);
    as_file(data, size);
    return 0;
}
