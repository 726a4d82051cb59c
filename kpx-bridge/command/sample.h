// SPDX-License-Identifier: MIT
//
// Samples of where the recorded processes run, taken by the system (perf_event_open): nothing happens within
// them (private to command/).
#ifndef KPX_SAMPLE_H
#define KPX_SAMPLE_H

#include <stdint.h>

typedef struct kpx_sampler kpx_sampler;

// What the calling process starts from now on is sampled, `hertz` times a second of each thread's processor
// time, into a file in the folder. NULL and *ret_error: the system does not allow it.
kpx_sampler *kpx_sampler_start(const char *folder, uint32_t hertz, char **ret_error);
void kpx_sampler_stop(kpx_sampler *s); // NULL is accepted

#endif
