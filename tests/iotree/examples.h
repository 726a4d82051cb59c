// SPDX-License-Identifier: MIT
//
// Runs of the specification's example programs, told reduction by reduction.
#ifndef TESTS_IOTREE_EXAMPLES_H
#define TESTS_IOTREE_EXAMPLES_H

#include "profiler/trace.h"

trace *append_run(void);             // main(Z) :- gen(1,3,S), append(S,[x],Z).
trace *reverse_run(bool late_alias); // main(C) :- gen(1,4,S), t1(S,[],C). or t2(S,[],C).

#endif
