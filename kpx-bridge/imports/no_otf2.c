// SPDX-License-Identifier: MIT
//
// In place of otf2.c where libotf2 is missing.
#include "base/memory.h"
#include "kpx-bridge/imports/imports.h"

bool kpx_import_otf2(kpx_activities *m, const char *path, FILE *notes, char **ret_error)
{
    (void)m;
    (void)notes;
    *ret_error =
        base_format("%s: this build reads no OTF2: libotf2 was missing when it was made", path);
    return false;
}
