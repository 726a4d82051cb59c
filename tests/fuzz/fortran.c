// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as a source in Fortran; the first one says in which form.
#include "kpx-bridge/fortran_scan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
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
    return 0;
}
