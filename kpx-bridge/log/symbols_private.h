// SPDX-License-Identifier: MIT
//
// Mapped files and their debug information (private to symbols.c and tail_calls.c).
#ifndef KPX_SYMBOLS_PRIVATE_H
#define KPX_SYMBOLS_PRIVATE_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/array.h"
#include "kpx-bridge/log/symbols.h"

typedef struct {
    uint64_t address;
    const char *file; // NULL: code without lines begins here
    uint32_t line;
    bool by_flang, by_gcc, by_gfortran;
    bool begins; // a statement
    uint32_t order;   // of reading; sorts entries of one address
    Dwarf_Off unit;   // the compilation unit
} kpx_line_entry;

typedef struct {
    uint64_t address, size;
    const char *name;
} kpx_function_entry;

typedef struct {
    char *path;
    bool loaded;
    uint64_t base; // of addresses in the file: p_vaddr - p_offset of its code
    int descriptor;
    Elf *elf;
    Dwarf *dwarf;
    ARRAY_OF(kpx_line_entry) lines;
    ARRAY_OF(kpx_function_entry) functions;
} kpx_image;

typedef struct {
    uint64_t from, to, offset; // addresses in memory; where `from` is in the file
    uint32_t image;
} kpx_mapping;

typedef struct {
    uint64_t address; // that stands for the construct
    uint64_t returns; // where its call returns to
    uint64_t body;    // the function that it runs, or 0
    uint32_t line;    // of its ident; 0: it has none
    char *file, *function; // of its ident, or NULL
    size_t order;     // the first one noted at an address counts
} kpx_call_place;

typedef struct {
    uint64_t address; // the same
    uint32_t line;
} kpx_known_line;

struct kpx_symbols {
    ARRAY_OF(kpx_image) images;
    ARRAY_OF(kpx_mapping) mappings;
    ARRAY_OF(kpx_call_place) calls;
    size_t ordered_calls; // how many of the first are in order of address, each address once
    ARRAY_OF(kpx_known_line) known; // they override `lines`
    char *complaint;
};

// The mapped file that contains the call that returns to `address`, and the call's address in that
// file. NULL: nothing is mapped there. ret_mapping may be NULL.
kpx_image *kpx_image_at(kpx_symbols *s, uint64_t address, uint64_t *ret_address,
                        const kpx_mapping **ret_mapping);
// The last line entry at or below the address, or NULL.
const kpx_line_entry *kpx_line_at(const kpx_image *m, uint64_t address);

#endif
