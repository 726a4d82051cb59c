// SPDX-License-Identifier: MIT
//
// LLVM's runtime (to version 21 at least) asks its thread number 0 for an address when any thread leaves a
// critical section and a tool wants to know. Number 0 is the thread that called the runtime first. If the
// program made that thread and it has ended, the runtime reads through a null pointer, and the program
// crashes in a recorder.
//
// So thread 0 stays known to the runtime after its end: the runtime's destructor, which it has as the
// destructor of a key of threads, is not called for it. The value of the key is the thread's number + 1.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "kpx-bridge/recorder/recorder.h"

typedef int create_function(pthread_key_t *key, void (*destructor)(void *));

static create_function *create;
static void (*end_of_runtime)(void *);

// Before the program loads libraries: a search takes the loader's lock.
__attribute__((constructor)) static void find_create(void)
{
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_key_create");
}

static void end_of_root(void *number)
{
    if ((uintptr_t)number != 1)
        end_of_runtime(number);
}

// Other libraries have names that begin likewise, as libomptarget.so, and keys of their own.
static bool is_of_runtime(void (*destructor)(void *))
{
    struct dl_find_object found;
    void *address;
    memcpy(&address, &destructor, sizeof address);
    if (!destructor || _dl_find_object(address, &found) != 0)
        return false;
    const char *path = found.dlfo_link_map->l_name, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, "libomp.", 7) == 0 || strncmp(name, "libomp-", 7) == 0;
}

__attribute__((visibility("default"))) int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    if (!create)
        find_create();
    bool first = !end_of_runtime || end_of_runtime == destructor;
    if (kpx_is_recording() && first && is_of_runtime(destructor)) {
        end_of_runtime = destructor;
        destructor = end_of_root;
    }
    return create(key, destructor);
}
