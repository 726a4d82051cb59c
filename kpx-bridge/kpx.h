// SPDX-License-Identifier: MIT
//
// Choosing in the program what is recorded (C and C++; kpx.f90 is the same for Fortran):
//
//   kpx_stop()    nothing more of this process is recorded
//   kpx_start()   from here on it is again
//
// Any thread may call them at any time, and they do not nest. `kpx-bridge record --paused` begins
// as if stopped. Nothing has to be linked: they look for the recorder in the running program, and
// do nothing where there is none.
#ifndef KPX_H
#define KPX_H

#include <dlfcn.h>

// NULL is RTLD_DEFAULT: all that is loaded.
static inline void kpx_call_recorder(const char *name)
{
    union {
        void *address;
        void (*call)(void);
    } function;
    function.address = dlsym((void *)0, name);
    if (function.address)
        function.call();
}

static inline void kpx_start(void)
{
    kpx_call_recorder("kpx_recorder_start");
}

static inline void kpx_stop(void)
{
    kpx_call_recorder("kpx_recorder_stop");
}

#endif
