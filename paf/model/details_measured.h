// SPDX-License-Identifier: MIT
//
// details of what was measured: where it ran and when by the clock, what it waited for, who waited
// for it.
#ifndef PAF_DETAILS_MEASURED_H
#define PAF_DETAILS_MEASURED_H

#include "paf/model/details.h"

// Fills in the subtitle, what it needed and gave, and the sentence.
void paf_details_measured(paf_details *details, const paf_model *m, uint32_t reduction);
// The same in brief, for a tip; lines, the first being the goal.
char *paf_tip_measured(const paf_model *m, uint32_t reduction);

#endif
