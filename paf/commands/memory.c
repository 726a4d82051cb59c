// SPDX-License-Identifier: MIT
//
// How much memory a command may take (base/memory_limit.h), and what a trace would need.
#include "paf/commands/command.h"

#include "base/memory_limit.h"
#include "profiler/summary.h"
#include "profiler/trace_reader.h"

#include <inttypes.h>
#include <string.h>

void paf_limit_memory(void)
{
    base_limit_memory(0);
    trace_limit_memory(base_memory_limit());
}

bool paf_set_memory(const char *command, const char *size)
{
    uint64_t bytes = base_read_memory_size(size);
    if (bytes == 0) {
        paf_complain(command, "--memory takes a size of at least %uM, as in 500M or 2G, not %s",
                     BASE_LEAST_MEMORY >> 20, size);
        return false;
    }
    base_limit_memory(bytes);
    trace_limit_memory(base_memory_limit());
    return true;
}

static bool partial; // only a part of what the command can do

void paf_expect_part(void)
{
    partial = true;
}

// Bytes for each record, with the trace itself; measured on streams, sorts and searches, and on loops and
// critical sections of 2 to 64 threads. Of a measured run the first records need more, whose times all differ.
enum { FIRST = 150000, MORE_FOR_FIRST = 600 };

typedef struct {
    const char *command;
    uint64_t bytes, part, measured, measured_part;
} need_of_record;

static uint64_t need_of(const char *command, uint64_t n, bool measured)
{
    static const need_of_record needs[] = {
        {"report", 220, 105, 220, 110},   {"iotree", 220, 220, 600, 600},  {"whatif", 130, 130, 160, 160},
        {"simulate", 190, 190, 190, 190}, {"compare", 220, 220, 220, 220}, {"export", 250, 105, 530, 190},
        {"", 250, 250, 530, 530},
    };
    const need_of_record *need = NULL;
    for (size_t i = 0; i < sizeof needs / sizeof *needs && !need; i++)
        if (strcmp(needs[i].command, command) == 0)
            need = &needs[i];
    uint64_t first = n < FIRST ? n : FIRST;
    if (!need)
        return 0;
    if (!measured)
        return n * (partial ? need->part : need->bytes);
    return n * (partial ? need->measured_part : need->measured) + first * MORE_FOR_FIRST;
}

static bool admit(const char *command, const char *path, uint64_t records, bool measured)
{
    static uint64_t admitted; // of traces that are open beside this one
    uint64_t need = need_of(command, records, measured) + admitted;
    uint64_t limit = base_memory_limit();
    if (need > limit) {
        paf_complain(command,
                     "%s: the analysis of its %" PRIu64 " records would take about %" PRIu64
                     " MB of memory, and %" PRIu64 " MB are allowed (--memory)%s",
                     path, records, need >> 20, limit >> 20,
                     strcmp(command, "report") == 0 && !partial ? "; --no-what-if takes less" : "");
        return false;
    }
    admitted = need;
    return true;
}

bool paf_admit(const char *command, const char *path)
{
    trace *t = base_memory_limit() > 0 ? trace_open_outline(path) : NULL;
    bool admitted = !t || admit(command, path, trace_told_reductions(t), trace_is_measured(t));
    trace_close(t);
    return admitted;
}
