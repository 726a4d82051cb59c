// SPDX-License-Identifier: MIT
//
// What a command's programs use, for a recording without a choice (private to command/).
#ifndef KPX_DECIDE_H
#define KPX_DECIDE_H

#include "kpx-bridge/command/record.h"

// Whether the user has chosen what is recorded.
bool kpx_has_choice(const kpx_record_options *o);

// Looks at each word of the command that is a program (`mpirun -n 2 ./prog`, `timeout 5 ./prog`), and
// chooses what they are linked with: OpenMP, MPI, sites of `kpx-bridge build`, Fortran's input and
// output. Threads and waits are recorded in any case. Returns what was chosen as words: "OpenMP, threads";
// malloc'ed.
char *kpx_decide(kpx_record_options *o, char **command);

#endif
