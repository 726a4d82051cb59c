// SPDX-License-Identifier: MIT
//
// The compiler plugin puts hooks (kpx-bridge/log/sites.h) at the beginning and end of routines and
// of Fortran's DO loops. It works on GIMPLE before the control flow graph is built. At that time
// the lexical structure of a loop is still there, so all jumps out of it are found, and later
// optimisations treat the hooks as calls outside of loops.
//
// The plugin is a guest in the compiler: it reports through the compiler's diagnostics and never
// exits.
#ifndef KPX_PLUGIN_H
#define KPX_PLUGIN_H

#include "gcc-plugin.h"

#include "tree.h"
#include "gimple.h"

extern "C" {
#include "kpx-bridge/fortran/scan.h"
#include "kpx-bridge/log/sites.h"
}

// The arguments of the plugin, -fplugin-arg-kpx_hooks-NAME.
struct kpx_plugin_options {
    bool routines, loops, io;
    const char *except; // patterns for routines without hooks, separated by commas; or NULL
};
extern struct kpx_plugin_options kpx_options;

// ---- Sites (plugin_sites.cc) ----------------------------------------------------------------

struct kpx_site_text {
    kpx_site_kind kind;
    unsigned flags;
    unsigned seq, line, last_line, label, routine_line;
    const char *routine, *file, *extra; // extra may be NULL
};

// Makes the variable of a site in the program.
tree kpx_make_site(const kpx_site_text &text);
// The address of its hook: 0 is `enter`, 1 is `leave`.
tree kpx_site_hook(tree site, unsigned which);

// ---- Sources (plugin_sites.cc) --------------------------------------------------------------

struct kpx_source_scan {
    char *file;
    kpx_scan *scan;   // empty if the file cannot be read
    tree *sites;      // of its loops
    bool *seen;       // by loop: it has hooks
};

// The scan of a file, by its name in locations. All its loops and I/O statements get sites.
kpx_source_scan *kpx_scan_of(const char *file);
// The loop whose DO statement contains the place, or UINT32_MAX.
uint32_t kpx_loop_at(const kpx_scan *scan, int line, int column);
// The unit of the routine of this name at this line, or NULL.
const kpx_unit *kpx_unit_at(const kpx_scan *scan, const char *name, int line);
// The site of a loop that gets hooks now; NULL_TREE if the loop has hooks already.
tree kpx_loop_site(kpx_source_scan *source, uint32_t loop);

// ---- Code (plugin_hooks.cc) -----------------------------------------------------------------

bool kpx_is_compiling_fortran(void);
// Whether the patterns leave a routine out.
bool kpx_is_excepted(const char *routine);
// Puts hooks into a function in GIMPLE.
void kpx_instrument(tree function);

#endif
