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
const char *__lsan_default_suppressions(void);

// libdw loses memory of its own where a table of lines is damaged.
const char *__lsan_default_suppressions(void)
{
    return "leak:libdw.so";
}

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

// The programs of the corpus have their code between these two places.
enum { FIRST = 0x1000, CODE = 0x10b0, CODE_END = 0x1150, LAST = 0x3000 };

// What constructs tell: by clang, by flang, twice, and of a body alone.
static const char *const idents[] = {"1121 1124 1120 ;s.c;f;5;1;;", "1121 1130 1120 ;s.c;f;6;1;;", "10b9 10c0 10b0 ;s.c;f;2;1;;",
                                     "1131 1134 1130 ;FIRModule;f;5;1;;", "1131 1138 0 ;./s.c;g;9;1;;",
                                     "1190 1198 1120 ;other.c;f;3;1;;", "1040 ;FIRModule;main;5;1;;"};
static const char *const bodies[] = {"1120 1131", "10b0 10b8", "1130 1131", "1120 1150", "1138 1125", "1080 10a0"};

static void look_up(kpx_symbols *s, uint64_t address)
{
    const char *names[4];
    uint32_t lines[2];
    kpx_source_place places[4] = {{0}};
    kpx_symbols_find(s, address);
    kpx_symbols_functions(s, address, names, 4);
    kpx_symbols_lines_around(s, address, &lines[0], &lines[1]);
    kpx_symbols_call(s, address, "f");
    kpx_symbols_callers(s, address, places, 4);
    kpx_symbols_within(s, address, is_header, &places[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[128];
    uint32_t sources = 0;
    int file = memfd_create("program", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(line, sizeof line, "%x-%x r-xp 00000000 00:00 0 /proc/self/fd/%d", FIRST, LAST, file);
    kpx_symbols *s = kpx_symbols_create();
    kpx_symbols_map(s, line);
    kpx_symbols_map(s, line); // told twice
    for (size_t i = 0; i < sizeof idents / sizeof *idents; i++)
        kpx_symbols_ident(s, idents[i]);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        kpx_symbols_body(s, bodies[i]);
    for (uint64_t address = FIRST; address <= LAST; address += 0x40)
        look_up(s, address);
    for (uint64_t address = CODE; address < CODE_END; address++)
        look_up(s, address);
    kpx_symbols_correct(s, CODE + 1, 7);
    look_up(s, CODE + 1);
    kpx_symbols_complaint(s);
    kpx_symbols_sources(s, count_source, &sources);
    kpx_symbols_destroy(s);
    close(file);
    return 0;
}
