// SPDX-License-Identifier: MIT
//
// How much memory a command may take (base/memory_limit.h), and what a trace would need.
#include "paf/commands/command.h"

#include "base/memory_limit.h"
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

static uint64_t expected; // 0: what the command usually needs

void paf_expect_need(uint64_t bytes)
{
    expected = bytes;
}

// Bytes for each reduction, with the trace itself; measured on streams, sorts and searches.
static uint64_t need_of(const char *command)
{
    if (expected > 0)
        return expected;
    static const struct {
        const char *command;
        uint64_t bytes;
    } needs[] = {{"report", 220}, {"iotree", 220}, {"whatif", 130}, {"simulate", 190},
                 {"compare", 220}, {"export", 250}, {"", 250}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(needs[i].command, command) == 0)
            return needs[i].bytes;
    return 0;
}

bool paf_admit(const char *command, const char *path, const trace *t)
{
    static uint64_t admitted; // of traces that are open beside this one
    uint64_t records = trace_nreductions(t), need = need_of(command) * records + admitted;
    uint64_t limit = base_memory_limit();
    admitted = need;
    if (limit == 0 || need <= limit)
        return true;
    paf_complain(command,
                 "%s: the analysis of its %" PRIu64 " records would take about %" PRIu64
                 " MB of memory, and %" PRIu64 " MB are allowed (--memory)%s",
                 path, records, need >> 20, limit >> 20,
                 strcmp(command, "report") == 0 && expected == 0 ? "; --no-what-if takes less" : "");
    return false;
}
