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
#include "folder.h"
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
    kpx_wants_all();
    for (int twice = 0; twice < 2; twice++)
        kpx_wants(text, text + 1);
    memset(choice.known, 0, sizeof choice.known);
    choice.list = NULL;
}

// As in a program without the library of symbols: all is recorded.
static void without_symbols(const char *text)
{
    choice.symbols = NULL;
    choice.list = text;
    if (!kpx_wants(text, text) || choice.list)
        abort();
}

static void as_patterns(char *text)
{
    kpx_measured.only = text;
    kpx_measured.except = text + strlen(text) / 2;
    kpx_is_wanted("HEAT", "src/heat.f90");
    kpx_is_wanted(NULL, "heat.f90");
    kpx_measured.only = kpx_measured.except = NULL;
}

static void forget_suppressed(void)
{
    free(suppressed.text);
    free(suppressed.keys);
    memset(&suppressed, 0, sizeof suppressed);
}

static void as_suppressed(const uint8_t *data, size_t size)
{
    kpx_site s = {.kind = KPX_SITE_LOOP, .line = 34, .seq = 2, .routine = "PSH2", .file = "psh2.f"};
    take_suppressed(memcpy(calloc(1, size + 1), data, size), size);
    is_suppressed(&s);
    kpx_is_io_suppressed(KPX_IO_WRITE, "psh2.f", 34);
    forget_suppressed();
}

// The file of an object whose sites are these, whatever its section says of them: some kinds, one of a later
// version, one without a name.
static void as_object(const uint8_t *data, size_t size)
{
    enum { SITES = 8 };
    static kpx_site sites[SITES];
    Elf64_Addr at;
    uint64_t length;
    const char *path = put_file("object", data, size);
    struct dl_phdr_info object = {.dlpi_name = path};
    for (uint32_t i = 0; i < SITES; i++)
        sites[i] = (kpx_site){.version = KPX_SITE_VERSION + (i == 6), .kind = (uint8_t)(i % 4), .line = 30 + i,
                              .seq = i, .routine = i == 7 ? NULL : "PSH2", .file = "psh2.f", .folder = "/src",
                              .extra = "write\t6"};
    bool fits = find_section(data, size, &at, &length) && length <= sizeof sites;
    object.dlpi_addr = (Elf64_Addr)(uintptr_t)sites - at;
    if (fits)
        take_object(&object, sizeof object, NULL);
    for (uint32_t i = 0; i < SITES && !fits; i++)
        take_site(&sites[i]);
    kpx_list_sites(folder);
    found.n = 0;
}

// As a recorder begins: by the environment, and by the list that an earlier run left.
static void as_recorder(const uint8_t *data, size_t size)
{
    setenv("KPX_MEASURE", size % 2 ? "routines loops io" : "loops", true);
    setenv("OMPI_COMM_WORLD_RANK", "3", true);
    setenv("OMPI_COMM_WORLD_SIZE", "4", true);
    empty_folder();
    put_file(KPX_SUPPRESSED, data, size);
    kpx_find_sites(folder); // this program has none
    kpx_measured.count = size % 3 == 0;
    as_object(data, size);
    forget_suppressed();
    memset(&kpx_measured, 0, sizeof kpx_measured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    as_recorder(data, size);
    Elf64_Addr at;
    uint64_t length;
    char *text = strndup((const char *)data, size);
    as_regions(text);
    if (size % 16 == 0)
        without_symbols(text);
    as_patterns(text);
    free(text);
    as_suppressed(data, size);
    find_section(data, size, &at, &length);
    return 0;
}
