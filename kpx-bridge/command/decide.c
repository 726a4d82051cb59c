// SPDX-License-Identifier: MIT
//
// Only the words of the command are looked at: what a script starts must be chosen by options.
#include "kpx-bridge/command/decide.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "kpx-bridge/log/uses.h"

bool kpx_has_choice(const kpx_record_options *o)
{
    const kpx_measure_choice *m = &o->measure;
    return o->openmp || o->mpi || o->threads || m->routines || m->loops || m->io;
}

static void take_file(kpx_record_options *o, const char *path)
{
    kpx_uses uses = kpx_uses_of(path);
    o->openmp = o->openmp || uses.openmp;
    o->mpi = o->mpi || uses.mpi;
    o->measure.routines = o->measure.routines || uses.sites;
    o->measure.loops = o->measure.loops || uses.sites;
    o->measure.io = o->measure.io || uses.sites || uses.fortran;
}

// A word without a slash is a program of $PATH.
static void take_word(kpx_record_options *o, const char *word)
{
    if (strchr(word, '/')) {
        take_file(o, word);
        return;
    }
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        char *path = base_format("%.*s/%s", (int)n, at, word);
        bool there = access(path, X_OK) == 0;
        if (there)
            take_file(o, path);
        free(path);
        if (there)
            return;
        at += n + (at[n] == ':');
    }
}

char *kpx_decide(kpx_record_options *o, char **command)
{
    for (char **word = command; *word; word++)
        if (word == command || strchr(*word, '/'))
            take_word(o, *word);
    o->threads = true;
    return base_format("%s%s%s%sthreads", o->openmp ? "OpenMP, " : "", o->mpi ? "MPI, " : "",
                       o->measure.routines ? "routines, loops, " : "",
                       o->measure.io ? "input and output, " : "");
}
