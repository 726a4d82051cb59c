// SPDX-License-Identifier: MIT
//
// TAU's profiles: a folder of files profile.NODE.CONTEXT.THREAD, or of folders MULTI__METRIC of such files.
//
//     3 templated_functions_MULTI_TIME
//     # Name Calls Subrs Excl Incl ProfileCalls #
//     "main [{a.c} {3,1}-{9,1}]" 1 2 1200 5000 0 GROUP="TAU_USER"
//     "main => solve" 1 0 3800 3800 0 GROUP="TAU_CALLPATH|TAU_USER"
//     0 aggregates
//     1 userevents
//     # eventname numevents max min mean sumsqr
//     "Message size sent to all nodes" 10 8 8 8 640
//
// Times are microseconds.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/imports/formats.h"
#include "store/imports/lines.h"

#define NANOSECONDS 1000.0 // of a microsecond

typedef struct {
    store_run *r;
    lines l;
    uint32_t place;
    char *metric;
    bool is_time, is_first; // of the metric; is_first: it counts calls, too
    double longest;         // inclusive time of any function at this place
} reading;

static bool parse_place(const char *name, int64_t ret[3])
{
    int used = 0;
    long long node, context, thread;
    if (sscanf(name, "profile.%lld.%lld.%lld%n", &node, &context, &thread, &used) != 3 || name[used] ||
        node < 0 || context < 0 || thread < 0 || node > 1 << 20 || thread > 1 << 20)
        return false;
    ret[0] = node, ret[1] = context, ret[2] = thread;
    return true;
}

static bool is_wall_clock(const char *metric)
{
    static const char *const names[] = {"TIME", "GET_TIME_OF_DAY", "P_WALL_CLOCK_TIME", "LINUX_TIMERS",
                                        "TAUGPU_TIME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(metric, names[i]))
            return true;
    return false;
}

// "main [{a.c} {3,1}-{9,1}]": ends the name before the place, which it returns, or "".
static const char *split_place(char *name, int64_t *ret_line)
{
    char *at = strstr(name, " [{"), *end = at ? strchr(at, '}') : NULL;
    *ret_line = 0;
    if (!end)
        return "";
    *at = *end = 0;
    if (end[1] == ' ' && end[2] == '{')
        *ret_line = strtoll(end + 3, NULL, 10);
    return at + 3;
}

static const char *kind_of(const char *name, const char *groups)
{
    return strstr(groups, "TAU_CALLPATH")                             ? "call path"
           : strstr(groups, "MPI") || !strncmp(name, "MPI_", 4)       ? "mpi"
           : !strncmp(name, "Loop:", 5) || strstr(groups, "TAU_LOOP") ? "loop"
           : strstr(groups, "TAU_IO")                                 ? "io"
                                                                      : "routine";
}

static void add_metric(reading *x, uint32_t function, const char *name, const char *unit, double inclusive,
                       double exclusive)
{
    uint32_t metric = store_run_metric(x->r, name, unit);
    store_run_measurement(x->r, function, x->place, metric, inclusive, exclusive);
}

static bool read_function(reading *x)
{
    char *at = x->l.text, *name = lines_quoted(&at);
    double calls, subcalls, exclusive, inclusive, profiled;
    int64_t line;
    if (!name)
        return lines_fail(&x->l, "a function in double quotes is expected");
    if (!lines_number(&at, &calls) || !lines_number(&at, &subcalls) || !lines_number(&at, &exclusive) ||
        !lines_number(&at, &inclusive) || !lines_number(&at, &profiled))
        return lines_fail(&x->l, "five numbers are expected after the function");
    if (calls < 0 || exclusive < 0 || exclusive > inclusive * (1 + 1e-9))
        return lines_fail(&x->l, "%s has %g exclusive and %g inclusive", name, exclusive, inclusive);
    const char *groups = strstr(at, "GROUP=");
    const char *kind = kind_of(name, groups ? groups : ""), *file = "";
    line = 0;
    if (strcmp(kind, "call path")) // its parts have places of their own
        file = split_place(name, &line);
    uint32_t f = store_run_function(x->r, kind, name, "", 1, file, line);
    if (x->is_first)
        store_run_profile(x->r, f, x->place, calls, subcalls, x->is_time ? inclusive * NANOSECONDS : NAN,
                          x->is_time ? exclusive * NANOSECONDS : NAN);
    if (!x->is_time)
        add_metric(x, f, x->metric, "count", inclusive, exclusive);
    else if (!x->is_first)
        add_metric(x, f, x->metric, "ns", inclusive * NANOSECONDS, exclusive * NANOSECONDS);
    if (inclusive > x->longest)
        x->longest = inclusive;
    return true;
}

// What a program counted: number of events and their sum.
static bool read_event(reading *x)
{
    char *at = x->l.text, *name = lines_quoted(&at);
    double n, most, least, mean;
    if (!name || !lines_number(&at, &n) || !lines_number(&at, &most) || !lines_number(&at, &least) ||
        !lines_number(&at, &mean))
        return lines_fail(&x->l, "an event and numbers are expected");
    if (x->is_first) {
        uint32_t f = store_run_function(x->r, "event", name, "", 1, "", 0);
        store_run_profile(x->r, f, x->place, n, NAN, NAN, NAN);
        add_metric(x, f, "sum of events", "count", n * mean, n * mean);
    }
    return true;
}

// A line "N what..." that begins a section; the number, or -1.
static double read_section(reading *x, const char *what, char **ret_rest)
{
    double n;
    char *at;
    if (!lines_next(&x->l)) {
        lines_fail(&x->l, "the file ends before `%s`", what);
        return -1;
    }
    at = x->l.text;
    if (!lines_number(&at, &n) || n < 0 || n > 1e8 || *at != ' ' || strncmp(at + 1, what, strlen(what))) {
        lines_fail(&x->l, "`NUMBER %s` is expected", what);
        return -1;
    }
    *ret_rest = at + 1 + strlen(what);
    return n;
}

static bool read_rows(reading *x, double n, bool row(reading *x))
{
    for (double i = 0; i < n; i++) {
        do {
            if (!lines_next(&x->l))
                return lines_fail(&x->l, "the file ends after %.0f of %.0f rows", i, n);
        } while (x->l.text[0] == '#');
        if (!row(x))
            return false;
    }
    return true;
}

static bool read_sections(reading *x)
{
    char *rest;
    double n = read_section(x, "templated_functions", &rest);
    if (n < 0)
        return false;
    const char *metric = !strncmp(rest, "_MULTI_", 7) ? rest + 7 : "TIME";
    free(x->metric);
    x->metric = base_copy_bytes(metric, strcspn(metric, " \t"));
    x->is_time = is_wall_clock(x->metric);
    if (!read_rows(x, n, read_function))
        return false;
    if ((n = read_section(x, "aggregates", &rest)) != 0)
        return x->l.error ? false : lines_fail(&x->l, "aggregates are not read");
    if (!lines_next(&x->l))
        return !x->l.error; // files without events end here
    char *at = x->l.text;
    if (!lines_number(&at, &n) || strncmp(at, " userevents", 11))
        return lines_fail(&x->l, "`NUMBER userevents` is expected");
    return read_rows(x, n, read_event);
}

static bool read_file(store_run *r, const char *path, const int64_t where[3], bool is_first,
                      char **ret_error)
{
    reading x = {.r = r, .is_first = is_first};
    int64_t number = (where[0] << 40) + (where[1] << 20) + where[2];
    char *name = where[1] || where[2]
                     ? base_format("rank %lld thread %lld", (long long)where[0], (long long)where[2])
                     : base_format("rank %lld", (long long)where[0]);
    x.place = store_run_place(r, number, name);
    free(name);
    if (lines_open(&x.l, path))
        read_sections(&x);
    if (x.is_time && x.longest * NANOSECONDS > (double)r->elapsed)
        r->elapsed = (int64_t)(x.longest * NANOSECONDS);
    free(x.metric);
    return lines_close(&x.l, ret_error);
}

typedef ARRAY_OF(char *) names;

static int by_text(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static names list_folder(const char *path)
{
    names n = {0};
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        ARRAY_PUSH(n, base_copy(entry->d_name));
    if (folder)
        closedir(folder);
    if (n.n)
        qsort(n.at, n.n, sizeof *n.at, by_text);
    return n;
}

static void free_names(names n)
{
    for (size_t i = 0; i < n.n; i++)
        free(n.at[i]);
    free(n.at);
}

// All profiles of a folder; *ret_nfiles grows by their number.
static bool read_folder(store_run *r, const char *path, bool is_first, size_t *ret_nfiles, char **ret_error)
{
    names n = list_folder(path);
    bool good = true;
    for (size_t i = 0; i < n.n && good; i++) {
        int64_t where[3];
        char *file = base_format("%s/%s", path, n.at[i]);
        if (parse_place(n.at[i], where)) {
            good = read_file(r, file, where, is_first, ret_error);
            ++*ret_nfiles;
        }
        free(file);
    }
    free_names(n);
    return good;
}

// The clock's metric first: it has the times.
static bool read_metrics(store_run *r, const char *path, size_t *ret_nfiles, char **ret_error)
{
    names n = list_folder(path);
    bool good = true;
    size_t clock = SIZE_MAX;
    for (size_t i = 0; i < n.n; i++)
        if (!strncmp(n.at[i], "MULTI__", 7) && (clock == SIZE_MAX || is_wall_clock(n.at[i] + 7)))
            clock = i;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n.n && good; i++) {
            char *folder = base_format("%s/%s", path, n.at[i]);
            if (!strncmp(n.at[i], "MULTI__", 7) && (i == clock) == (pass == 0))
                good = read_folder(r, folder, pass == 0, ret_nfiles, ret_error);
            free(folder);
        }
    }
    free_names(n);
    return good;
}

bool store_looks_like_tau(const char *path, const char *head)
{
    names n = list_folder(path);
    int64_t where[3];
    bool found = strstr(head, " templated_functions") != NULL;
    for (size_t i = 0; i < n.n; i++)
        found |= parse_place(n.at[i], where) || !strncmp(n.at[i], "MULTI__", 7);
    free_names(n);
    return found;
}

bool store_read_tau(store_run *r, const char *path, char **ret_error)
{
    struct stat about;
    size_t nfiles = 0;
    char number[24];
    if (stat(path, &about) == 0 && !S_ISDIR(about.st_mode)) {
        const char *slash = strrchr(path, '/');
        int64_t where[3] = {0};
        parse_place(slash ? slash + 1 : path, where);
        nfiles = 1;
        if (!read_file(r, path, where, true, ret_error))
            return false;
    } else if (!read_folder(r, path, true, &nfiles, ret_error) ||
               !read_metrics(r, path, &nfiles, ret_error)) {
        return false;
    }
    if (!nfiles) {
        *ret_error = base_format("%s: the folder has no profile.N.C.T", path);
        return false;
    }
    snprintf(number, sizeof number, "%zu", r->places.n);
    store_run_set_key(r, "ranks", number);
    return true;
}
