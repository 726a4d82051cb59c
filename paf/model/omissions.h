// SPDX-License-Identifier: MIT
//
// omissions: what a recording left out of measuring, and why. A trace has such places without figures.
#ifndef PAF_OMISSIONS_H
#define PAF_OMISSIONS_H

#include "profiler/totals.h"

#include <stdint.h>

typedef enum {
    PAF_MEASURED,
    PAF_NOT_BUILT,  // its file was compiled as usual
    PAF_NOT_CHOSEN, // by patterns
    PAF_NOT_TIMED,  // counted only, since it was executed too often
} paf_omission;

// By total; freed with g_free(). Reports and histories leave out nothing.
uint8_t *paf_find_omissions(const trace_totals *t);
// "not timed (--two-pass, --counts)"; NULL: measured.
const char *paf_omission_text(paf_omission why);

#endif
