// SPDX-License-Identifier: MIT
//
// The library of C++ knows the names; it is loaded when the first one comes, if it is there.
#include "kpx-bridge/log/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef char *demangler(const char *symbol, char *buffer, size_t *length, int *status);

static demangler *find_demangler(void)
{
    static demangler *found;
    static int looked;
    if (!looked) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        *(void **)&found = library ? dlsym(library, "__cxa_demangle") : NULL;
        looked = 1;
    }
    return found;
}

char *kpx_demangle(const char *symbol)
{
    int status = 0;
    demangler *f = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
    if (!f)
        return base_copy(symbol);
    const char *suffix = symbol + strcspn(symbol, ".");
    char *stem = base_format("%.*s", (int)(suffix - symbol), symbol);
    char *name = f(stem, NULL, NULL, &status);
    char *both = name && status == 0 ? base_format("%s%s", name, suffix) : base_copy(symbol);
    free(name);
    free(stem);
    return both;
}
