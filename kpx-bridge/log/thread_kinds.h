// SPDX-License-Identifier: MIT
//
// What a thread waits for outside of OpenMP and MPI: kinds of the events WAKE and BLOCK.
#ifndef KPX_THREAD_KINDS_H
#define KPX_THREAD_KINDS_H

enum {
    KPX_BLOCK_LOCK = 1,      // mutex, rwlock, spin lock
    KPX_BLOCK_CONDITION = 2,
    KPX_BLOCK_SEMAPHORE = 3,
    KPX_BLOCK_BARRIER = 4,
    KPX_BLOCK_JOIN = 5,
    KPX_BLOCK_SLEEP = 6,
    KPX_BLOCK_IO = 7,
    KPX_BLOCK_FUTEX = 8,     // by syscall(): std::atomic::wait, semaphores of C++20
};

#endif
