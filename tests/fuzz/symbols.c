// SPDX-License-Identifier: MIT
//
// libFuzzer target: any bytes as the file of a program, in which the places of addresses are looked
// up.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kpx-bridge/log/symbols.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The head, then what may be headers of sections or segments: fields of 8 bytes and less.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    return mutate_records(data, size, capacity, seed, sizeof(Elf64_Ehdr), sizeof(uint64_t));
}

static void count_source(void *n, const char *path)
{
    *(uint32_t *)n += *path != 0;
}

static bool is_header(const char *file)
{
    size_t n = strlen(file);
    return n > 0 && file[n - 1] == 'h';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[128];
    uint32_t sources = 0;
    int file = memfd_create("program", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(line, sizeof line, "1000-3000 r-xp 00000000 00:00 0 /proc/self/fd/%d", file);
    kpx_symbols *s = kpx_symbols_create();
    kpx_symbols_map(s, line);
    kpx_symbols_ident(s, "1040 ;FIRModule;main;5;1;;");
    kpx_symbols_body(s, "1080 10a0");
    for (uint64_t address = 0x1000; address <= 0x3000; address += 0x20) {
        const char *names[4];
        uint32_t lines[2];
        kpx_symbols_find(s, address);
        kpx_symbols_functions(s, address, names, 4);
        kpx_symbols_lines_around(s, address, &lines[0], &lines[1]);
        kpx_symbols_call(s, address, "f");
        kpx_source_place places[4] = {{0}};
        kpx_symbols_callers(s, address, places, 4);
        kpx_symbols_within(s, address, is_header, &places[0]);
        if (address % 0x100 == 0)
            kpx_symbols_correct(s, address, 7);
    }
    kpx_symbols_complaint(s);
    kpx_symbols_sources(s, count_source, &sources);
    kpx_symbols_destroy(s);
    close(file);
    return 0;
}
