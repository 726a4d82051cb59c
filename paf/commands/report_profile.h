// SPDX-License-Identifier: MIT
#ifndef PAF_REPORT_PROFILE_H
#define PAF_REPORT_PROFILE_H

#include "paf/commands/command.h"

// The report of a file that is a profile. False if it could not be written.
bool report_profile(const trace *t, bool json, bool csv);

#endif
