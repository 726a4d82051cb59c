// SPDX-License-Identifier: MIT
//
// How much memory a command may take. What a trace would need is told before it is taken. Should that
// have been too little the system stops the process (RLIMIT_DATA) at twice the limit: it counts reserved
// memory, too, of which growing arrays and threads have much.
#include "paf/commands/command.h"

#include "base/machine_memory.h"
#include "profiler/trace_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

enum { LEAST_MEMORY = 32 << 20 };

// The sanitizers reserve far more than there is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { HELD_BY_SYSTEM = 0 };
#elif defined(__has_feature)
enum { HELD_BY_SYSTEM = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) };
#else
enum { HELD_BY_SYSTEM = 1 };
#endif

static uint64_t limit; // 0: none

static void set_limit(uint64_t bytes)
{
    struct rlimit r;
    rlim_t reserved = bytes < RLIM_INFINITY / 2 ? 2 * bytes : RLIM_INFINITY;
    limit = bytes;
    trace_limit_memory(bytes);
    if (HELD_BY_SYSTEM && getrlimit(RLIMIT_DATA, &r) == 0) {
        r.rlim_cur = reserved < r.rlim_max ? reserved : r.rlim_max;
        setrlimit(RLIMIT_DATA, &r);
    }
}

void paf_limit_memory(void)
{
    size_t memory = base_memory_of_machine();
    if (memory != SIZE_MAX)
        set_limit(memory / 4 * 3);
}

bool paf_set_memory(const char *command, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    int shift = *end == 'k' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift > 0;
    if (*text < '0' || *text > '9' || *end || errno || n > UINT64_MAX >> shift ||
        n << shift < LEAST_MEMORY) {
        paf_complain(command, "--memory takes a size of at least %dM, as in 500M or 2G, not %s",
                     LEAST_MEMORY >> 20, text);
        return false;
    }
    set_limit(n << shift);
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
