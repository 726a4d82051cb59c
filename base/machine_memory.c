// SPDX-License-Identifier: MIT
//
// How much memory the machine has, or the control group of this process (Linux, cgroups 1 and 2). A
// group's limit holds for the groups within it, so all from the process's own one up to the root count.
// The path may be as another namespace sees it: a folder that is not there is passed by.
#include "base/machine_memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

// The number in a file; SIZE_MAX: there is none, or it says `max`.
static size_t limit_in(const char *path)
{
    unsigned long long n;
    FILE *file = fopen(path, "re");
    if (!file)
        return SIZE_MAX;
    bool read = fscanf(file, "%llu", &n) == 1 && n > 0 && n < SIZE_MAX;
    fclose(file);
    return read ? (size_t)n : SIZE_MAX;
}

// The smallest limit of `name` in the group's folder and those above it, up to `mounted`.
static size_t smallest_limit(const char *mounted, const char *group, const char *name)
{
    char folder[MOST_PATH], file[MOST_PATH + 64];
    size_t smallest = SIZE_MAX, top = strlen(mounted);
    int length = snprintf(folder, sizeof folder, "%s%s", mounted, group);
    if (length < 0 || (size_t)length >= sizeof folder)
        snprintf(folder, sizeof folder, "%s", mounted);
    for (;;) {
        snprintf(file, sizeof file, "%s/%s", folder, name);
        size_t limit = limit_in(file);
        smallest = limit < smallest ? limit : smallest;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top)
            return smallest;
        *slash = '\0';
    }
}

// A line of /proc/self/cgroup: `0::GROUP` (2) or `N:memory:GROUP` (1; several may share N).
static size_t limit_of_line(const char *root, char *line)
{
    char mounted[MOST_PATH];
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return SIZE_MAX;
    *controllers++ = *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (*controllers == '\0') {
        size_t limit = SIZE_MAX;
        static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            snprintf(mounted, sizeof mounted, "%s%s", root, places[i]);
            size_t found = smallest_limit(mounted, group, "memory.max");
            limit = found < limit ? found : limit;
        }
        return limit;
    }
    for (char *rest, *name = strtok_r(controllers, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, "memory") == 0) {
            snprintf(mounted, sizeof mounted, "%s/sys/fs/cgroup/memory", root);
            return smallest_limit(mounted, group, "memory.limit_in_bytes");
        }
    return SIZE_MAX;
}

size_t base_memory_of_group(const char *root)
{
    char path[MOST_PATH], *line = NULL;
    size_t smallest = SIZE_MAX, room = 0;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (!file)
        return SIZE_MAX;
    while (getline(&line, &room, file) > 0) {
        size_t limit = limit_of_line(root, line);
        smallest = limit < smallest ? limit : smallest;
    }
    free(line);
    fclose(file);
    return smallest;
}

// What `ulimit -v` and `ulimit -d` leave.
static size_t limit_of_process(void)
{
    static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t smallest = SIZE_MAX;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct rlimit r;
        if (getrlimit(kinds[i], &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur < smallest)
            smallest = (size_t)r.rlim_cur;
    }
    return smallest;
}

size_t base_memory_of_machine(void)
{
    size_t group = base_memory_of_group("");
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t machine = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
    size_t allowed = limit_of_process();
    machine = allowed < machine ? allowed : machine;
    return group < machine ? group : machine;
}
