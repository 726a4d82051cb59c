// SPDX-License-Identifier: MIT
//
// Looks up the place of a region when it is entered for the first time, with the same code as the
// bridge (log/symbols.c). That code is a library of its own, libkpx-places.so, so a program loads
// it only if regions are chosen.
#include "kpx-bridge/recorder/choice.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kpx-bridge/recorder/recorder.h"
#include "kpx-bridge/log/symbols.h"

enum { PLACES = 256 }; // that are remembered; a power of two

static struct {
    const char *list; // NULL: all
    pthread_mutex_t lock;
    kpx_symbols *symbols;
    __typeof__(&kpx_symbols_find) find;
    __typeof__(&kpx_symbols_functions) functions;
    __typeof__(&kpx_symbols_ident) take_ident;
    __typeof__(&kpx_symbols_body) take_body;
    // Constructs << 1 | wanted, looked at without the lock.
    uint64_t known[PLACES];
} choice = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((constructor)) static void read_choice(void)
{
    choice.list = getenv("KPX_REGIONS");
}

bool kpx_wants_all(void)
{
    return !choice.list;
}

// ---- Places ---------------------------------------------------------------------------------

static void *places_library(void)
{
    Dl_info info;
    char path[4096];
    const char *slash;
    if (!dladdr((void *)places_library, &info) || !(slash = strrchr(info.dli_fname, '/')))
        return NULL;
    snprintf(path, sizeof path, "%.*s/libkpx-places.so", (int)(slash - info.dli_fname),
             info.dli_fname);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void load_symbols(void)
{
    void *library = places_library();
    __typeof__(&kpx_symbols_create) create = NULL;
    __typeof__(&kpx_symbols_map) map = NULL;
    if (library) {
        create = (__typeof__(create))dlsym(library, "kpx_symbols_create");
        map = (__typeof__(map))dlsym(library, "kpx_symbols_map");
        choice.find = (__typeof__(choice.find))dlsym(library, "kpx_symbols_find");
        choice.take_ident = (__typeof__(choice.take_ident))dlsym(library, "kpx_symbols_ident");
        choice.take_body = (__typeof__(choice.take_body))dlsym(library, "kpx_symbols_body");
        choice.functions = (__typeof__(choice.functions))dlsym(library, "kpx_symbols_functions");
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[4096 + 128];
    if (create && map)
        choice.symbols = create();
    while (choice.symbols && maps && fgets(line, sizeof line, maps)) {
        char mode[8];
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*s %7s", mode) == 1 && mode[2] == 'x')
            map(choice.symbols, line);
    }
    if (maps)
        fclose(maps);
    if (!choice.symbols) {
        kpx_complain("regions could not be looked up; all of them were recorded");
        choice.list = NULL;
    }
}

// ---- Names ----------------------------------------------------------------------------------

static bool equals(const char *text, size_t n, const char *name)
{
    return name && strlen(name) == n && memcmp(text, name, n) == 0;
}

// Compilers of Fortran add to names: heat_, heat.0, _QPheat, __module_MOD_heat, _QMmodulePheat.
static bool is_function(const char *text, size_t n, const char *function)
{
    if (!function || equals(text, n, function))
        return function;
    size_t length = strlen(function);
    if (length > n && memcmp(text, function, n) == 0 &&
        (function[n] == '.' || (function[n] == '_' && length == n + 1)))
        return true;
    if (length <= n || memcmp(text, function + length - n, n) != 0)
        return false;
    const char *before = function + length - n;
    return (function[0] == '_' && function[1] == 'Q' && before[-1] == 'P') ||
           (before - function >= 5 && memcmp(before - 5, "_MOD_", 5) == 0);
}

// FILE:LINE or FILE; a file by its name or with the end of its path.
static bool is_line(const char *text, size_t n, const kpx_source_place *place)
{
    const char *colon = memrchr(text, ':', n);
    size_t file = n;
    if (colon && colon + 1 < text + n &&
        strspn(colon + 1, "0123456789") == (size_t)(text + n - colon - 1)) {
        if (strtoul(colon + 1, NULL, 10) != place->line)
            return false;
        file = (size_t)(colon - text);
    }
    size_t path = place->file ? strlen(place->file) : 0;
    return file > 0 && path >= file && memcmp(place->file + path - file, text, file) == 0 &&
           (path == file || place->file[path - file - 1] == '/');
}

// The functions are those that the region's body was taken from and those that contain the call.
static bool is_function_chosen(const char *text, size_t n, uint64_t construct, uint64_t address)
{
    const char *functions[16];
    uint64_t at[] = {construct, address};
    for (int k = 0; k < 2; k++) {
        uint32_t nfunctions = choice.functions(choice.symbols, at[k], functions, 16);
        for (uint32_t i = 0; i < nfunctions; i++)
            if (is_function(text, n, functions[i]))
                return true;
    }
    return false;
}

static bool is_chosen(uint64_t construct, uint64_t address)
{
    char text[1024];
    const char *key = kpx_omp_describe((const void *)(uintptr_t)construct, text, sizeof text);
    if (key && strcmp(key, "ident") == 0)
        choice.take_ident(choice.symbols, text);
    else if (key)
        choice.take_body(choice.symbols, text);
    kpx_source_place place = choice.find(choice.symbols, construct);
    for (const char *at = choice.list; *at;) {
        size_t n = strcspn(at, "\n");
        if (n > 0 && (is_line(at, n, &place) || is_function_chosen(at, n, construct, address)))
            return true;
        at += n + (at[n] == '\n');
    }
    return false;
}

bool kpx_wants(const void *construct, const void *code)
{
    if (!choice.list)
        return true;
    uint64_t address = (uint64_t)(uintptr_t)construct;
    uint64_t *slot = &choice.known[(address ^ address >> 8) % PLACES];
    uint64_t known = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (known >> 1 == address)
        return known & 1;
    pthread_mutex_lock(&choice.lock);
    if (choice.list && !choice.symbols)
        load_symbols();
    bool wanted = true;
    if (choice.list) {
        wanted = is_chosen(address, (uint64_t)(uintptr_t)code);
        __atomic_store_n(slot, address << 1 | wanted, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&choice.lock);
    return wanted;
}
