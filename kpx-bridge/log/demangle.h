// SPDX-License-Identifier: MIT
//
// Names of functions as they are in the source (private to kpx-bridge/).
#ifndef KPX_DEMANGLE_H
#define KPX_DEMANGLE_H

// The name that a symbol has in C++; of other symbols a copy. What compilers put behind the name of a
// function that they made of a part of it (`.omp_outlined.1`, `._omp_fn.0`) stays behind. malloc'ed.
char *kpx_demangle(const char *symbol);

#endif
