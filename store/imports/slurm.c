// SPDX-License-Identifier: MIT
//
// Jobs of a cluster as `sacct --parsable2` lists them: a line of names, then a line for each job, with bars
// between the fields. Start and End, or Start and Elapsed, are needed; NodeList or Partition, State,
// UserCPU and SystemCPU are read if they are there. Steps of a job ("123.batch") are left out: the job has
// their time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/imports/formats.h"
#include "store/imports/lines.h"

#define SECOND INT64_C(1000000000)

enum { JOB_ID, JOB_NAME, NODES, STATE, START, END, ELAPSED, USER, SYSTEM, COLUMNS };
enum { MOST_FIELDS = 200 };

static const char *const titles[COLUMNS] = {"JobID", "JobName", "NodeList", "State",    "Start",
                                            "End",   "Elapsed", "UserCPU",  "SystemCPU"};

typedef struct {
    store_run *r;
    lines l;
    int column[COLUMNS]; // field of each; -1: none
    int64_t first;       // nanoseconds since 1970 when the first job began
} reading;

static int split(char *text, char **fields)
{
    int n = 0;
    while (text && n < MOST_FIELDS) {
        fields[n++] = text;
        text = strchr(text, '|');
        if (text)
            *text++ = 0;
    }
    return n;
}

static bool read_titles(reading *x)
{
    char *fields[MOST_FIELDS];
    if (!lines_next(&x->l))
        return lines_fail(&x->l, "a line with the names of columns is expected");
    int n = split(x->l.text, fields);
    for (int c = 0; c < COLUMNS; c++) {
        x->column[c] = -1;
        for (int i = 0; i < n; i++)
            if (!strcmp(fields[i], titles[c]))
                x->column[c] = i;
    }
    if (x->column[JOB_ID] < 0 || x->column[START] < 0 || (x->column[END] < 0 && x->column[ELAPSED] < 0))
        return lines_fail(&x->l, "columns JobID, Start, and End or Elapsed are needed (sacct --parsable2 "
                                 "--format=JobID,JobName,NodeList,State,Start,End,UserCPU,SystemCPU)");
    return true;
}

// "2026-01-31T12:00:00"; -1 for Unknown and None, -2 for what is no time.
static int64_t read_moment(const char *text)
{
    struct tm t = {0};
    if (!*text || !strcmp(text, "Unknown") || !strcmp(text, "None"))
        return -1;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &t);
    return end && !*end ? (int64_t)timegm(&t) * SECOND : -2;
}

// "[DAYS-][[HOURS:]MINUTES:]SECONDS[.FRACTION]"; -1 for nothing, -2 for what is no duration.
static int64_t read_duration(const char *text)
{
    double parts[4] = {0}, days = 0;
    int n = 0;
    char *at = (char *)text;
    const char *dash = strchr(text, '-');
    if (!*text)
        return -1;
    if (dash && (!lines_number(&at, &days) || at != dash || days < 0))
        return -2;
    at += dash ? 1 : 0;
    for (;; at++) {
        if (n == 3 || !lines_number(&at, &parts[n++]) || parts[n - 1] < 0)
            return -2;
        if (*at != ':')
            break;
    }
    double seconds = days * 86400;
    for (int i = 0; i < n; i++)
        seconds += parts[i] * pow(60, n - 1 - i);
    return *at || seconds > 1e9 ? -2 : (int64_t)(seconds * (double)SECOND);
}

static const char *field(const reading *x, char **fields, int n, int column)
{
    int at = x->column[column];
    return at >= 0 && at < n ? fields[at] : "";
}

static bool read_job(reading *x)
{
    char *fields[MOST_FIELDS];
    int n = split(x->l.text, fields);
    const char *id = field(x, fields, n, JOB_ID), *name = field(x, fields, n, JOB_NAME);
    if (!*id || strchr(id, '.'))
        return true;
    int64_t begins = read_moment(field(x, fields, n, START)), ends = read_moment(field(x, fields, n, END));
    int64_t elapsed = read_duration(field(x, fields, n, ELAPSED));
    int64_t user = read_duration(field(x, fields, n, USER)),
            system = read_duration(field(x, fields, n, SYSTEM));
    if (begins == -2 || ends == -2)
        return lines_fail(&x->l, "Start `%s` and End `%s` are no times", field(x, fields, n, START),
                          field(x, fields, n, END));
    if (elapsed == -2 || user == -2 || system == -2)
        return lines_fail(&x->l, "Elapsed, UserCPU or SystemCPU is no duration");
    if (begins < 0)
        return true; // it has not begun
    if (ends < 0)
        ends = elapsed > 0 ? begins + elapsed : -1; // it runs
    if (ends >= 0 && ends < begins)
        return lines_fail(&x->l, "job %s ends before it begins", id);
    const char *host = field(x, fields, n, NODES), *state = field(x, fields, n, STATE);
    if (x->first < 0 || begins < x->first)
        x->first = begins;
    ARRAY_PUSH(x->r->jobs, ((store_job){base_copy(*name ? name : id), *host ? base_copy(host) : NULL,
                                        *state ? base_copy(state) : NULL, begins, ends, user, system}));
    return true;
}

static int64_t plus(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

bool store_read_slurm(store_run *r, const char *path, char **ret_error)
{
    reading x = {.r = r, .first = -1};
    bool good = lines_open(&x.l, path) && read_titles(&x);
    while (good && lines_next(&x.l))
        good = read_job(&x);
    for (size_t i = 0; i < r->jobs.n; i++) {
        store_job *j = &r->jobs.at[i];
        j->begins -= x.first;
        j->ends -= j->ends >= 0 ? x.first : 0;
        r->user = plus(r->user, j->user);
        r->system = plus(r->system, j->system);
        if (j->ends > r->elapsed)
            r->elapsed = j->ends;
    }
    return lines_close(&x.l, ret_error);
}
