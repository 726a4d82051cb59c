// SPDX-License-Identifier: MIT
#include "kpx-bridge/log/faults.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/demangle.h"
#include "kpx-bridge/log/names.h"

char *kpx_name_of_signal(int number)
{
    const char *name = number > 0 && number < NSIG ? sigabbrev_np(number) : NULL;
    return name ? base_format("SIG%s (%s)", name, sigdescr_np(number)) : base_format("signal %d", number);
}

char *kpx_signal_of_status(int status)
{
    return status > 128 && status < 128 + SIGRTMIN ? kpx_name_of_signal(status - 128) : NULL;
}

bool kpx_has_fault(const kpx_process_log *p)
{
    return p->fault.number > 0 && p->end == 0;
}

// FILE:LINE, of a place with both.
static char *line_of(const kpx_source_place *place)
{
    return base_format("%s:%u", kpx_base_name(place->file), place->line);
}

// Where no line is known, as within a library: the function, and the nearest line that is on the stack.
static char *place_without_line(const kpx_process_log *p, const kpx_source_place *at)
{
    char *name = at->function ? kpx_demangle(at->function) : NULL;
    const char *image = at->image ? kpx_base_name(at->image) : NULL;
    char *where = name    ? base_format("%s%s%s", name, image ? " of " : "", image ? image : "")
                  : image ? base_copy(image)
                          : base_copy("at no code");
    free(name);
    for (uint32_t i = 0; i < p->fault.nwords; i++) {
        kpx_source_place caller = kpx_symbols_find(p->symbols, p->fault.words[i]);
        if (!caller.file || !caller.line)
            continue;
        char *line = line_of(&caller), *both = base_format("%s, probably called by %s", where, line);
        free(line);
        free(where);
        return both;
    }
    return where;
}

char *kpx_tell_fault(const kpx_process_log *p)
{
    char *signal = kpx_name_of_signal(p->fault.number);
    // It is asked for calls, by where they return to.
    kpx_source_place at = kpx_symbols_find(p->symbols, p->fault.address + 1);
    char *where = p->fault.address == 0 && p->fault.nwords == 0 ? NULL
                  : at.file && at.line                          ? line_of(&at)
                                                                : place_without_line(p, &at);
    char *text = base_format("%s%s%s", signal, where ? " in " : "", where ? where : "");
    free(where);
    free(signal);
    return text;
}

// `NUMBER TIME ADDRESS WORD...`, the latter in base 16.
void kpx_fault_parse(kpx_fault *f, const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    *f = (kpx_fault){.number = number > 0 && number < NSIG ? (int)number : 0};
    uint64_t time = strtoull(end, &end, 10);
    f->time = time >> 62 ? 0 : time;
    f->address = strtoull(end, &end, 16);
    while (*end == ' ' && f->nwords < KPX_MOST_WORDS) {
        const char *at = end;
        uint64_t word = strtoull(at, &end, 16);
        if (end == at)
            return;
        f->words[f->nwords++] = word;
    }
}
