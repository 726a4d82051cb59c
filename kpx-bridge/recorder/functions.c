// SPDX-License-Identifier: MIT
#include "kpx-bridge/recorder/functions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The parts of a library's dynamic section.
typedef struct {
    const ElfW(Sym) *symbols;
    const char *names;
    const uint32_t *hash;
} dynamic;

// glibc makes addresses of them when it loads a library, on most machines.
static const void *address_in(const struct link_map *library, ElfW(Addr) value)
{
    return (const void *)(value < library->l_addr ? library->l_addr + value : value);
}

static dynamic read_dynamic(const struct link_map *library)
{
    dynamic d = {NULL, NULL, NULL};
    for (const ElfW(Dyn) *at = library->l_ld; at && at->d_tag != DT_NULL; at++) {
        const void *is = address_in(library, at->d_un.d_ptr);
        if (at->d_tag == DT_SYMTAB)
            d.symbols = is;
        else if (at->d_tag == DT_STRTAB)
            d.names = is;
        else if (at->d_tag == DT_GNU_HASH)
            d.hash = is;
    }
    return d;
}

// The table of hashes: number of buckets, first symbol, words of a filter, a shift, the filter, the buckets,
// and for each symbol from the first one a word whose lowest bit ends its chain.
static uint32_t count_symbols(const uint32_t *hash)
{
    uint32_t nbuckets = hash[0], first = hash[1], last = 0;
    const uint32_t *buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof *hash);
    const uint32_t *chains = buckets + nbuckets;
    for (uint32_t i = 0; i < nbuckets; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return first;
    while (!(chains[last - first] & 1))
        last++;
    return last + 1;
}

static bool has(const ElfW(Sym) *symbol, ElfW(Addr) place)
{
    return symbol->st_shndx != SHN_UNDEF && place >= symbol->st_value &&
           place - symbol->st_value < symbol->st_size;
}

const char *kpx_function_in(const struct link_map *library, const void *address)
{
    dynamic d = read_dynamic(library);
    ElfW(Addr) place = (ElfW(Addr))(uintptr_t)address - library->l_addr;
    uint32_t n = d.symbols && d.names && d.hash ? count_symbols(d.hash) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (has(&d.symbols[i], place))
            return d.names + d.symbols[i].st_name;
    return NULL;
}
