// SPDX-License-Identifier: MIT
//
// The table of formats, and which of them a file looks like.
#include "store/imports.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/imports/formats.h"

enum { HEAD = 4096 };

static bool looks_like_ninja(const char *path, const char *head)
{
    (void)path;
    return !strncmp(head, "# ninja log v", 13);
}

static bool looks_like_slurm(const char *path, const char *head)
{
    (void)path;
    size_t n = strcspn(head, "\n");
    return memmem(head, n, "JobID|", 6) || (memmem(head, n, "|State", 6) && memmem(head, n, "JobID", 5));
}

// "1700000000.123456 openat(...", "1234 1700000000.123456 read(...", "[pid 1234] 1700000000.123456 ...".
static bool looks_like_strace(const char *path, const char *head)
{
    const char *at = head;
    (void)path;
    if (!strncmp(at, "[pid", 4))
        at += strcspn(at, "]") + 1;
    for (int i = 0; i < 2; i++) {
        size_t digits = strspn(at += strspn(at, " "), "0123456789");
        if (digits >= 9 && at[digits] == '.')
            return true;
        at += digits;
    }
    return false;
}

typedef struct {
    store_format format;
    bool (*looks_like)(const char *path, const char *head);
    bool (*read)(store_run *r, const char *path, char **ret_error);
} reader;

static const reader readers[] = {
    {{"tau", "TAU: a folder of profile.N.C.T, or of MULTI__METRIC folders"},
     store_looks_like_tau,
     store_read_tau},
    {{"ninja", ".ninja_log: jobs of a build"}, looks_like_ninja, store_read_ninja},
    {{"slurm", "sacct --parsable2: jobs of a cluster"}, looks_like_slurm, store_read_slurm},
    {{"strace", "strace -f -ttt -T -y: processes and file accesses"}, looks_like_strace, store_read_strace},
};
enum { READERS = sizeof readers / sizeof *readers };

size_t store_nformats(void)
{
    return READERS;
}

const store_format *store_get_format(size_t i)
{
    return &readers[i].format;
}

// The last part of a path, without a dot before it and an ending: the application. malloc'ed.
static char *name_of(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    const char *begin = path + n;
    while (begin > path && begin[-1] != '/')
        begin--;
    size_t length = (size_t)(path + n - begin);
    if (length > 1 && *begin == '.')
        begin++, length--;
    const char *dot = memchr(begin + 1, '.', length ? length - 1 : 0);
    return base_copy_bytes(begin, dot ? (size_t)(dot - begin) : length);
}

static bool read_head(const char *path, char *head, char **ret_error)
{
    struct stat about;
    head[0] = 0;
    if (stat(path, &about) != 0) {
        *ret_error = base_format("%s: cannot read: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(about.st_mode))
        return true;
    if (!S_ISREG(about.st_mode)) {
        *ret_error = base_format("%s: neither a file nor a folder", path);
        return false;
    }
    FILE *file = fopen(path, "r");
    if (!file) {
        *ret_error = base_format("%s: cannot read: %s", path, strerror(errno));
        return false;
    }
    head[fread(head, 1, HEAD, file)] = 0;
    fclose(file);
    return true;
}

static const reader *choose(const char *path, const char *format, const char *head, char **ret_error)
{
    for (size_t i = 0; i < READERS; i++)
        if (format ? !strcmp(readers[i].format.name, format) : readers[i].looks_like(path, head))
            return &readers[i];
    *ret_error = format
                     ? base_format("there is no format %s (`paf store import --help`)", format)
                     : base_format("%s: this looks like no format that is known; --format names one", path);
    return NULL;
}

// Jobs compare like functions: how long those of a name took, by host.
static void add_jobs_as_functions(store_run *r)
{
    for (size_t i = 0; i < r->jobs.n; i++) {
        const store_job *j = &r->jobs.at[i];
        int64_t number = 0;
        while (number < (int64_t)r->places.n &&
               strcmp(r->places.at[number].name, j->host ? j->host : "this machine"))
            number++;
        uint32_t place = store_run_place(r, number, j->host ? j->host : "this machine");
        uint32_t f = store_run_function(r, "job", j->name, "", 1, "", 0);
        double took = j->ends >= 0 ? (double)(j->ends - j->begins) : NAN; // NAN: it had not ended
        store_run_profile(r, f, place, 1, NAN, took, took);
    }
}

store_run *store_import(const char *path, const char *format, char **ret_error)
{
    char head[HEAD + 1];
    *ret_error = NULL;
    if (!read_head(path, head, ret_error))
        return NULL;
    const reader *x = choose(path, format, head, ret_error);
    if (!x)
        return NULL;
    store_run *r = store_run_create(path, x->format.name);
    r->application = name_of(path);
    if (x->read(r, path, ret_error)) {
        add_jobs_as_functions(r);
        if (r->functions.n || r->accesses.n)
            return r;
        *ret_error = base_format("%s: nothing is in it that could be added", path);
    }
    store_run_destroy(r);
    return NULL;
}
