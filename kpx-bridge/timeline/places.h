// SPDX-License-Identifier: MIT
//
// Which places the threads of a process are (private to timeline/).
#ifndef KPX_PLACES_H
#define KPX_PLACES_H

#include "kpx-bridge/log/read_log.h"

// A place and the thread whose place it is.
typedef struct {
    char *name;     // "thread 1"; malloc'ed
    uint32_t index; // of the thread in the log
} kpx_thread_place;

// The threads of a process in the order of their places. A thread is called what omp_get_thread_num()
// is in its outermost region: "thread 1". One that is in inner regions only is called after the thread
// that began the first of them: "thread 1.1". If the program's own threads begin regions, each is thread
// 0 of its own team; those after the first are told apart: "team 2 thread 0". Threads without regions
// come last, with the next numbers. Release the names and the array.
kpx_thread_place *kpx_make_places(const kpx_process_log *p);

#endif
