// SPDX-License-Identifier: MIT
//
// A log of ninja: a line for each output of each job, "BEGIN END MTIME OUTPUT HASH" with tabs between
// them, times in milliseconds since the build began. A job with several outputs has a line for each. What
// was built again has a later line, which counts.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "store/imports/formats.h"
#include "store/imports/lines.h"

#define VERSION "# ninja log v"
enum { OLDEST = 4, NEWEST = 7 };
#define NANOSECONDS INT64_C(1000000) // of a millisecond

typedef struct {
    store_run *r;
    base_index by_output; // number of a job, by the text of its output
    base_index by_work;   // the same, by its times and hash
    ARRAY_OF(char *) hashes;
} reading;

// Cuts the line at its tabs. False unless it has five fields.
static bool split(char *text, char *fields[5])
{
    for (int i = 0; i < 5; i++) {
        fields[i] = text;
        text = text ? strchr(text, '\t') : NULL;
        if (i < 4 && !text)
            return false;
        if (text)
            *text++ = 0;
    }
    return true;
}

static bool read_time(const char *text, int64_t *ret)
{
    char *end;
    *ret = strtoll(text, &end, 10);
    return end > text && !*end && *ret >= 0 && *ret < INT64_MAX / NANOSECONDS;
}

static void add(reading *x, int64_t begins, int64_t ends, const char *output, const char *command)
{
    uint64_t of_work =
        hash_bytes(hash_word(hash_word(0, (uint64_t)begins), (uint64_t)ends), command, strlen(command));
    uint64_t of_output = hash_bytes(0, output, strlen(output));
    uint32_t job;
    store_job *jobs = x->r->jobs.at;
    INDEX_FIND(job, &x->by_work, of_work, i,
               jobs[i].begins == begins && jobs[i].ends == ends && !strcmp(x->hashes.at[i], command));
    if (job != INDEX_NONE)
        return; // another output of this job
    INDEX_FIND(job, &x->by_output, of_output, i, !strcmp(jobs[i].name, output));
    if (job != INDEX_NONE) { // it was built again
        jobs[job].begins = begins;
        jobs[job].ends = ends;
        return;
    }
    job = (uint32_t)x->r->jobs.n;
    ARRAY_PUSH(x->r->jobs, ((store_job){base_copy(output), NULL, base_copy("done"), begins, ends, -1, -1}));
    ARRAY_PUSH(x->hashes, base_copy(command));
    index_add(&x->by_work, of_work, job);
    index_add(&x->by_output, of_output, job);
}

static bool read_line(reading *x, lines *l)
{
    char *fields[5];
    int64_t begins, ends;
    if (!strncmp(l->text, VERSION, sizeof VERSION - 1)) {
        long version = strtol(l->text + sizeof VERSION - 1, NULL, 10);
        return (version >= OLDEST && version <= NEWEST) ||
               lines_fail(l, "version %ld of the log; versions %d to %d are read", version, OLDEST, NEWEST);
    }
    if (l->text[0] == '#' || !l->text[0])
        return true;
    if (!split(l->text, fields))
        return lines_fail(l, "five fields with tabs between them are expected");
    if (!read_time(fields[0], &begins) || !read_time(fields[1], &ends) || ends < begins)
        return lines_fail(l, "`%s` and `%s` are no times from begin to end", fields[0], fields[1]);
    add(x, begins * NANOSECONDS, ends * NANOSECONDS, fields[3], fields[4]);
    return true;
}

bool store_read_ninja(store_run *r, const char *path, char **ret_error)
{
    reading x = {.r = r};
    lines l;
    bool good = lines_open(&l, path);
    while (good && lines_next(&l))
        good = read_line(&x, &l);
    for (size_t i = 0; i < r->jobs.n; i++)
        if (r->jobs.at[i].ends > r->elapsed)
            r->elapsed = r->jobs.at[i].ends;
    for (size_t i = 0; i < x.hashes.n; i++)
        free(x.hashes.at[i]);
    free(x.hashes.at);
    index_free(&x.by_work);
    index_free(&x.by_output);
    return lines_close(&l, ret_error);
}
