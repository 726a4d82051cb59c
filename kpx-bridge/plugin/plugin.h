// SPDX-License-Identifier: MIT
//
// The compiler plugin: hooks (kpx-bridge/log/sites.h) at the beginning and end of routines and of
// Fortran's DO loops. It works on GIMPLE before its control flow graph is built, where what a loop
// is lexically made of is still there: jumps out of it are found whatever they are, and the
// optimisers that come later treat hooks as calls outside of loops.
#ifndef KPX_PLUGIN_H
#define KPX_PLUGIN_H

#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"

extern "C" {
#include "kpx-bridge/fortran/scan.h"
#include "kpx-bridge/log/sites.h"
}

// What the compiler was asked for by -fplugin-arg-kpx_hooks-NAME.
struct kpx_plugin_options {
    bool routines, loops, io;
    const char *except; // patterns for routines that get no hooks, commas between; or NULL
};
extern struct kpx_plugin_options kpx_options;

// ---- Sites (plugin_sites.cc) ----------------------------------------------------------------

struct kpx_site_text {
    kpx_site_kind kind;
    unsigned flags;
    unsigned seq, line, last_line, label, routine_line;
    const char *routine, *file, *extra; // extra may be NULL
};

// A variable for it in the program.
tree kpx_make_site(const kpx_site_text &text);
// The address of its hook: 0 is `enter`, 1 is `leave`.
tree kpx_site_hook(tree site, unsigned which);

// ---- Sources (plugin_sites.cc) --------------------------------------------------------------

struct kpx_source_scan {
    char *file;
    kpx_scan *scan;   // empty if the file cannot be read
    tree *sites;      // of its loops
    bool *seen;       // those that have hooks
};

// The scan of a file by the name that locations have. What it finds has its sites then.
kpx_source_scan *kpx_scan_of(const char *file);
// The loop whose DO statement a place is in, or UINT32_MAX.
uint32_t kpx_loop_at(const kpx_scan *scan, int line, int column);
// The unit that a routine of this name at this line is, or NULL.
const kpx_unit *kpx_unit_at(const kpx_scan *scan, const char *name, int line);
// The site of a loop that gets hooks now; NULL_TREE if it has them already.
tree kpx_loop_site(kpx_source_scan *source, uint32_t loop);

// ---- Code (plugin_hooks.cc) -----------------------------------------------------------------

bool kpx_is_compiling_fortran(void);
// Whether the patterns leave a routine out.
bool kpx_is_excepted(const char *routine);
// Puts hooks into a function that has just been made into GIMPLE.
void kpx_instrument(tree function);

#endif
