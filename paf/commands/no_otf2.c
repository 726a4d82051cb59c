// SPDX-License-Identifier: MIT
//
// In place of export_otf2.c where libotf2 is missing.
#include "base/memory.h"
#include "paf/commands/export_otf2.h"

char *paf_write_otf2(const trace *t, const char *path)
{
    (void)t;
    return base_format("%s: this build writes no OTF2: libotf2 was missing when it was made", path);
}
