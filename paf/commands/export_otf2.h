// SPDX-License-Identifier: MIT
//
// `paf export -o X.otf2`: an archive of OTF2, for the tools that read these (private to
// paf/commands/).
#ifndef PAF_EXPORT_OTF2_H
#define PAF_EXPORT_OTF2_H

#include "profiler/trace_reader.h"

// Writes the anchor, the definitions beside it and the folder of events, all of them or none: what each place did, and who sent
// what to whom. NULL; or what is wrong (malloc'ed), also in builds without libotf2.
char *paf_write_otf2(const trace *t, const char *path);

#endif
