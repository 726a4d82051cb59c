// SPDX-License-Identifier: MIT
//
// libFuzzer target: what recorders read within the program that they are loaded into: which
// regions, routines and files are chosen, the list of what is not to be timed, and the program's
// own file as far as sites are looked for in it. Their functions are private, so the sources are
// part of this one.
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/recorder/choice.c"
#include "kpx-bridge/recorder/sites.c"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_text(data, size, capacity, seed);
}

// ---- What they call elsewhere ---------------------------------------------------------------

#define HOOK(name)                                                                                 \
    void name(kpx_site *site, const void *frame, uint64_t rotation)                                \
    {                                                                                              \
        (void)site, (void)frame, (void)rotation;                                                   \
    }

HOOK(kpx_enter_timed)
HOOK(kpx_leave_timed)
HOOK(kpx_enter_counted)
HOOK(kpx_leave_counted)

// No address of the target is a construct of a runtime.
const char *kpx_omp_describe(const void *construct, char *text, size_t size)
{
    (void)construct, (void)text, (void)size;
    return NULL;
}

__thread kpx_omp_place kpx_omp_call;

void kpx_complain(const char *text)
{
    (void)text;
}

// ---- Readers ----------------------------------------------------------------------------------

static kpx_source_place find_place(kpx_symbols *s, uint64_t address)
{
    (void)s;
    return (kpx_source_place){.file = address & 1 ? "/src/heat.c" : NULL, .line = 41};
}

static uint32_t find_functions(kpx_symbols *s, uint64_t address, const char **ret, uint32_t most)
{
    static const char *const names[] = {"heat_", "main", "_QMmodulePheat", "__module_MOD_heat"};
    uint32_t n = 0;
    (void)s;
    for (; n < 4 && n < most && address >> n & 1; n++)
        ret[n] = names[n];
    return n;
}

static void as_regions(const char *text)
{
    choice.list = text;
    choice.symbols = (kpx_symbols *)&choice; // not looked into
    choice.find = find_place;
    choice.functions = find_functions;
    for (uint64_t address = 0; address < 16; address++)
        is_chosen(address, address);
    choice.list = NULL;
}

static void as_patterns(char *text)
{
    kpx_measured.only = text;
    kpx_measured.except = text + strlen(text) / 2;
    kpx_is_wanted("HEAT", "src/heat.f90");
    kpx_is_wanted(NULL, "heat.f90");
    kpx_measured.only = kpx_measured.except = NULL;
}

static void as_suppressed(const uint8_t *data, size_t size)
{
    kpx_site s = {.kind = KPX_SITE_LOOP, .line = 34, .seq = 2, .routine = "PSH2", .file = "psh2.f"};
    take_suppressed(memcpy(calloc(1, size + 1), data, size), size);
    is_suppressed(&s);
    kpx_is_io_suppressed(KPX_IO_WRITE, "psh2.f", 34);
    free(suppressed.text);
    free(suppressed.keys);
    memset(&suppressed, 0, sizeof suppressed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Elf64_Addr at;
    uint64_t length;
    char *text = strndup((const char *)data, size);
    as_regions(text);
    as_patterns(text);
    free(text);
    as_suppressed(data, size);
    find_section(data, size, &at, &length);
    return 0;
}
