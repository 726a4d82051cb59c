// SPDX-License-Identifier: MIT
//
// profiler-test FORMAT.md VERSION3: runs the tests of the profiler library in a folder of their own.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <unistd.h>

#include "check.h"
#include "files.h"

unsigned checks_passed, checks_failed;

bool check_at(bool good, const char *file, int line, const char *format, ...)
{
    if (good) {
        checks_passed++;
        return true;
    }
    if (checks_failed++ < 50) {
        const char *slash = strrchr(file, '/');
        printf("%s:%d: ", slash ? slash + 1 : file, line);
        va_list args;
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        printf("\n");
    }
    return false;
}

const char *path_in(char path[PATH_SIZE], const char *folder, const char *name)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    if (length < 0 || length >= PATH_SIZE)
        abort();
    return path;
}

bytes read_file(const char *path)
{
    bytes b = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return b;
    size_t capacity = 1 << 16, n = 1;
    while (n > 0) {
        b.data = realloc(b.data, capacity);
        if (!b.data)
            abort();
        n = fread(b.data + b.size, 1, capacity - b.size, f);
        b.size += n;
        capacity *= 2;
    }
    fclose(f);
    return b;
}

void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

static void remove_folder(const char *folder)
{
    char path[PATH_SIZE];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlink(path_in(path, folder, e->d_name));
    if (d)
        closedir(d);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: profiler-test FORMAT.md VERSION3\n");
        return 2;
    }
    const char *parent = getenv("TMPDIR");
    char folder[PATH_SIZE];
    path_in(folder, parent ? parent : "/tmp", "profiler-test-XXXXXX");
    if (!mkdtemp(folder)) {
        perror(folder);
        return 2;
    }
    test_roundtrip(folder);
    test_damage(folder);
    test_refusals(folder);
    test_figures(folder);
    test_totals(folder);
    test_regions(folder);
    test_samples(folder);
    test_summary(folder);
    test_memory(folder);
    test_narrow(folder);
    test_kinds(folder, argv[2]);
    test_format(folder, argv[1]);
    remove_folder(folder);
    printf("%u passed, %u failed\n", checks_passed, checks_failed);
    return checks_failed > 0;
}
