// SPDX-License-Identifier: MIT
//
// app: the viewer as a command - `paf [OPTION...] [FILE.paf...]`.
#ifndef PAF_APP_H
#define PAF_APP_H

int paf_app_run(int argc, char **argv); // the exit status

#endif
