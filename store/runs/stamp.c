// SPDX-License-Identifier: MIT
//
// Which file or folder a run is from: its digest, by which it is known again, and its date.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/table.h"
#include "store/store.h"

enum { BLOCK = 1 << 16, MOST_DEPTH = 3 };

static char *date_of(time_t seconds)
{
    char text[32];
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return base_copy(text);
}

// Two hashes of bytes, one after the other.
typedef struct {
    uint64_t first, second;
    time_t newest;
    char *error;
} digest;

static void add_bytes(digest *d, const void *bytes, size_t n)
{
    d->first = hash_bytes(d->first, bytes, n);
    d->second = hash_bytes(d->second, bytes, n);
}

static void add_file(digest *d, const char *path, const struct stat *about)
{
    FILE *file = fopen(path, "rb");
    char *block = base_allocate(BLOCK, 1);
    size_t n;
    while (file && (n = fread(block, 1, BLOCK, file)) > 0)
        add_bytes(d, block, n);
    if ((!file || ferror(file)) && !d->error)
        d->error = base_format("%s: cannot read: %s", path, strerror(errno));
    if (about->st_mtime > d->newest)
        d->newest = about->st_mtime;
    if (file)
        fclose(file);
    free(block);
}

// Files of a folder in the order of their names, folders in it as well.
static void add_path(digest *d, const char *path, int depth)
{
    struct stat about;
    struct dirent **entries;
    if (stat(path, &about) != 0) {
        if (!d->error)
            d->error = base_format("%s: cannot read: %s", path, strerror(errno));
        return;
    }
    if (S_ISREG(about.st_mode))
        add_file(d, path, &about);
    int n = S_ISDIR(about.st_mode) && depth < MOST_DEPTH ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            char *inner = base_format("%s/%s", path, entries[i]->d_name);
            add_bytes(d, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
            add_path(d, inner, depth + 1);
            free(inner);
        }
        free(entries[i]);
    }
    if (n > 0)
        free(entries);
}

bool store_run_stamp(store_run *r, const char *path, char **ret_error)
{
    digest d = {.second = 1};
    add_bytes(&d, r->origin, strlen(r->origin));
    add_path(&d, path, 0);
    *ret_error = d.error;
    if (d.error)
        return false;
    free(r->digest);
    r->digest = base_format("%016llx%016llx", (unsigned long long)d.first, (unsigned long long)d.second);
    if (!r->date)
        r->date = date_of(d.newest);
    return true;
}
