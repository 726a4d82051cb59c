// SPDX-License-Identifier: MIT
//
// The limits of control groups, from files as the kernel shows them.
#include "base/machine_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int failed;

#define CHECK(condition) check_at(condition, #condition, __LINE__)

static void check_at(int good, const char *text, int line)
{
    if (!good) {
        printf("%s:%d: %s\n", __FILE__, line, text);
        failed++;
    }
}

typedef struct {
    char root[64];
} tree;

// Makes a file and the folders above it.
static void put(const tree *t, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", t->root, name);
    for (char *slash = path + strlen(t->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

static void plant(tree *t, const char *groups)
{
    snprintf(t->root, sizeof t->root, "/tmp/machine-memory-XXXXXX");
    CHECK(mkdtemp(t->root) != NULL);
    put(t, "proc/self/cgroup", groups);
}

static void fell(const tree *t)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", t->root);
    CHECK(system(command) == 0);
}

static void check_version_2(void)
{
    tree t;
    plant(&t, "0::/a/b\n");
    CHECK(base_memory_of_group(t.root) == SIZE_MAX);
    put(&t, "sys/fs/cgroup/a/b/memory.max", "max\n");
    CHECK(base_memory_of_group(t.root) == SIZE_MAX);
    put(&t, "sys/fs/cgroup/a/memory.max", "3000000000\n");
    CHECK(base_memory_of_group(t.root) == 3000000000u);
    put(&t, "sys/fs/cgroup/a/b/memory.max", "2000000\n");
    CHECK(base_memory_of_group(t.root) == 2000000);
    fell(&t);
}

// The process sees its group as `/`, or by a path that is not there; its folder is the root.
static void check_container(void)
{
    tree t;
    plant(&t, "0::/\n");
    put(&t, "sys/fs/cgroup/memory.max", "500000000\n");
    CHECK(base_memory_of_group(t.root) == 500000000);
    fell(&t);
    plant(&t, "0::/../elsewhere/far/away\n");
    put(&t, "sys/fs/cgroup/memory.max", "600000000\n");
    CHECK(base_memory_of_group(t.root) == 600000000);
    fell(&t);
}

static void check_version_1(void)
{
    tree t;
    plant(&t, "9:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/f00\n0::/\n");
    put(&t, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(&t, "sys/fs/cgroup/memory/docker/f00/memory.limit_in_bytes", "700000000\n");
    CHECK(base_memory_of_group(t.root) == 700000000);
    put(&t, "sys/fs/cgroup/unified/memory.max", "1000\n");
    CHECK(base_memory_of_group(t.root) == 1000);
    fell(&t);
}

static void check_nonsense(void)
{
    static const char *const lines[] = {"", "\n", "::\n", "0:\n", "0::", "x:memory\n", "7:memory:a\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        tree t;
        plant(&t, lines[i]);
        CHECK(base_memory_of_group(t.root) == SIZE_MAX);
        fell(&t);
    }
    CHECK(base_memory_of_group("/nowhere/at/all") == SIZE_MAX);
}

int main(void)
{
    check_version_2();
    check_container();
    check_version_1();
    check_nonsense();
    CHECK(base_memory_of_machine() > 1 << 20);
    return failed > 0;
}
