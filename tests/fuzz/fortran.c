// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as a source in Fortran; the first one says in which form. Its loops
// and statements for I/O are found, and its directives of OpenMP.
#include "kpx-bridge/timeline/directives.h"
#include "kpx-bridge/fortran/scan.h"
#include "mutate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    if (size < 2 || seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, capacity);
    return 1 + mutate_text(data + 1, size - 1, capacity - 1, seed / 16);
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void find_directives(const char *text, size_t size)
{
    static const trace_kind kinds[] = {TRACE_KIND_LOOP, TRACE_KIND_CRITICAL, TRACE_KIND_SINGLE,
                                       TRACE_KIND_SECTIONS, TRACE_KIND_TASK};
    for (uint32_t line = 1; line < 20; line++) {
        trace_kind kind = kinds[line % 5];
        uint32_t found = kpx_directive_line(text, size, line, &kind);
        require(kind != TRACE_KIND_NONE && (found == 0 || found >= line));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    kpx_scan_form form = {.fixed = data[0] & 1, .line_length = data[0] & 2 ? UINT32_MAX : 0};
    kpx_scan *s = kpx_scan_fortran((const char *)data + 1, size - 1, form);
    for (uint32_t i = 0; i < s->loops.n; i++) {
        const kpx_do_loop *l = &s->loops.at[i];
        require(l->unit < s->units.n && (l->parent == UINT32_MAX || l->parent < i));
        require(!l->definite || l->kind == KPX_DO_COUNTED);
    }
    for (uint32_t i = 0; i < s->ios.n; i++)
        require(s->ios.at[i].unit < s->units.n);
    kpx_scan_destroy(s);
    find_directives((const char *)data + 1, size - 1);
    return 0;
}
