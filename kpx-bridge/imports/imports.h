// SPDX-License-Identifier: MIT
//
// Timelines of other tools: what they tell becomes activities and edges (activities.h), and so a
// trace like any other. Each reader returns false and *ret_error (malloc'ed; place and reason) if
// the file is damaged; then nothing may be made of the activities. What was left out is told in
// notes, a line each.
#ifndef KPX_IMPORTS_H
#define KPX_IMPORTS_H

#include <stdio.h>

#include "kpx-bridge/timeline/activities.h"

typedef enum { KPX_NO_TIMELINE, KPX_OTF2, KPX_CHROME } kpx_timeline_kind;

// What the file looks like: an archive of OTF2 by its ending, a Chrome trace by its first bytes.
kpx_timeline_kind kpx_timeline_kind_of(const char *path);
// Reads the file into the model. For an archive that ends its library, too, a process of its own
// reads it.
bool kpx_import_chrome(kpx_activities *m, const char *path, FILE *notes, char **ret_error);
// The anchor of an archive (`X.otf2`). In builds without libotf2 it fails and says so.
bool kpx_import_otf2(kpx_activities *m, const char *path, FILE *notes, char **ret_error);

#endif
