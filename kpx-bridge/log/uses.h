// SPDX-License-Identifier: MIT
//
// What a program uses that can be recorded (private to kpx-bridge/).
#ifndef KPX_USES_H
#define KPX_USES_H

#include <stdbool.h>

typedef struct {
    bool openmp, mpi, fortran; // it is linked with a runtime of these
    bool sites;                // `kpx-bridge build` compiled a part of it
} kpx_uses;

// All false if the file is no program or library.
kpx_uses kpx_uses_of(const char *path);

#endif
