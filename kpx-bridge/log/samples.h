// SPDX-License-Identifier: MIT
//
// The file `samples` of a log: where threads of the recorded processes ran, now and then. The bridge
// writes it while the command runs; one record after the other, in no order.
#ifndef KPX_SAMPLES_H
#define KPX_SAMPLES_H

#include <stdint.h>

#define KPX_SAMPLES "samples"

typedef struct {
    uint64_t time;    // CLOCK_MONOTONIC, nanoseconds
    uint64_t address; // of the instruction
    uint32_t pid, tid;
    uint64_t every;   // nanoseconds of processor time that it stands for
} kpx_sample;

#endif
