// SPDX-License-Identifier: MIT
//
// What `strace -f -ttt -T -y` writes: a line for each call to the system, with its process, when it began,
// the file of each descriptor, and how long it took.
//
//     812 1700000000.000100 openat(AT_FDCWD</home>, "a.txt", O_RDONLY) = 3</home/a.txt> <0.000020>
//     812 1700000000.000200 read(3</home/a.txt>,  <unfinished ...>
//     812 1700000000.000900 <... read resumed>"..."..., 4096) = 120 <0.000700>
//
// Accesses are summed by process, file and function; processes become jobs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "store/imports/formats.h"
#include "store/imports/lines.h"

#define SECOND 1e9
#define LATEST 8e9  // seconds since 1970: nanoseconds are still numbers then,
#define LONGEST 1e9 // and where a call of so many seconds ends

typedef struct {
    int64_t pid, first, last; // nanoseconds since 1970
    char *pending;            // file of its call that has not ended; malloc'ed
} process;

typedef struct {
    store_run *r;
    lines l;
    ARRAY_OF(process) processes;
    base_map by_pid;
    base_index by_access;
} reading;

// A call, as a line tells it. Its texts lie in the line.
typedef struct {
    int64_t pid, when;
    char *name, *arguments;
    bool begins, ends; // a call that others interrupt has a line for each
} call;

// "812 1700.5 ", "[pid 812] 1700.5 ", "1700.5 ": moves behind it.
static bool read_begin(char **at, call *c)
{
    double first, second;
    bool named = !strncmp(*at, "[pid", 4);
    *at += named ? 4 : 0;
    if (!lines_number(at, &first))
        return false;
    *at += strspn(*at, "] ");
    if (**at >= '0' && **at <= '9') {
        if (!lines_number(at, &second))
            return false;
    } else {
        second = first;
        first = 0;
    }
    if (!(first >= 0 && first < LATEST && second > 0 && second < LATEST))
        return false;
    c->pid = (int64_t)first;
    c->when = (int64_t)(second * SECOND);
    *at += strspn(*at, " ");
    return true;
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || (c >= 'A' && c <= 'Z');
}

// False for lines about signals and ends, which are no calls.
static bool read_name(char *at, call *c)
{
    c->begins = strncmp(at, "<... ", 5) != 0;
    at += c->begins ? 0 : 5;
    c->name = at;
    while (is_name_char(*at))
        at++;
    if (at == c->name || (c->begins ? *at != '(' : strncmp(at, " resumed>", 9)))
        return false;
    c->arguments = at + (c->begins ? 1 : 9);
    *at = 0;
    c->ends = !strstr(c->arguments, "<unfinished ...>");
    return true;
}

// "3</a/b>": the file of the first descriptor in a text, with what it is if it is none. NULL: none.
// malloc'ed.
static char *file_of(const char *text)
{
    const char *open = strchr(text, '<');
    while (open && (open == text || open[-1] < '0' || open[-1] > '9'))
        open = strchr(open + 1, '<');
    const char *close = open ? strchr(open, '>') : NULL;
    if (!close)
        return NULL;
    if (close[-1] == '-') // "TCP:[1.2.3.4:5->6.7.8.9:10]"
        close = strchr(close + 1, '>');
    if (!close)
        return NULL;
    const char *colon = memchr(open, ':', (size_t)(close - open));
    if (open[1] != '/' && colon) // "pipe:[12]", "socket:[34]": their numbers mean nothing elsewhere
        return base_copy_bytes(open + 1, (size_t)(colon - open - 1));
    return base_copy_bytes(open + 1, (size_t)(close - open - 1));
}

static char *quoted_in(char *text)
{
    char *begin = strchr(text, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;
    return end ? base_copy_bytes(begin + 1, (size_t)(end - begin - 1)) : NULL;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof names / sizeof *names)

static const char *const moving[] = {"read",    "write",   "pread64",  "pwrite64",  "readv",
                                     "writev",  "preadv",  "pwritev",  "recvfrom",  "sendto",
                                     "recvmsg", "sendmsg", "sendfile", "getdents64"};
static const char *const by_path[] = {
    "open",   "openat",    "creat",      "stat",     "lstat",      "newfstatat", "statx",
    "access", "faccessat", "faccessat2", "unlink",   "unlinkat",   "mkdir",      "mkdirat",
    "rename", "renameat",  "renameat2",  "readlink", "readlinkat", "truncate",   "chdir"};

static process *find_process(reading *x, const call *c)
{
    uint64_t *at = map_at(&x->by_pid, (uint64_t)c->pid);
    if (*at == MAP_ABSENT) {
        *at = x->processes.n;
        char *name = c->pid ? base_format("process %lld", (long long)c->pid) : base_copy("process");
        ARRAY_PUSH(x->processes, ((process){.pid = c->pid, .first = c->when, .last = c->when}));
        ARRAY_PUSH(x->r->jobs, ((store_job){name, NULL, NULL, 0, 0, -1, -1}));
    }
    return &x->processes.at[*at];
}

// Numbers of a damaged log may be of any size.
static int64_t plus(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void add_access(reading *x, size_t job, const char *file, const char *name, int64_t bytes,
                       int64_t took)
{
    uint64_t hash = hash_bytes(hash_bytes(hash_word(0, job), file, strlen(file)), name, strlen(name));
    store_access *all = x->r->accesses.at;
    uint32_t found;
    INDEX_FIND(found, &x->by_access, hash, i,
               all[i].job == (int64_t)job && !strcmp(all[i].file, file) && !strcmp(all[i].access, name));
    if (found == INDEX_NONE) {
        found = (uint32_t)x->r->accesses.n;
        ARRAY_PUSH(x->r->accesses,
                   ((store_access){(int64_t)job, base_copy(file), base_copy(name), 0, 0, 0}));
        index_add(&x->by_access, hash, found);
    }
    store_access *a = &x->r->accesses.at[found];
    a->calls++;
    a->bytes = plus(a->bytes, bytes);
    a->time = plus(a->time, took);
}

// The result behind the last " = " (a text in the arguments may have one, too), and the time in the last
// "<...>".
static bool read_end(const call *c, const char **ret_result, double *ret_seconds)
{
    char *time = strrchr(c->arguments, '<'), *at = time ? time + 1 : NULL;
    const char *result = NULL;
    for (const char *p = c->arguments; (p = strstr(p, " = "));)
        result = p += 3;
    *ret_result = result;
    return result && at && lines_number(&at, ret_seconds) && *at == '>' && *ret_seconds >= 0 &&
           *ret_seconds < LONGEST;
}

static void add_call(reading *x, size_t job, process *p, const call *c)
{
    const char *result;
    double seconds;
    char *file =
        c->begins ? (IS_ONE_OF(c->name, by_path) ? quoted_in(c->arguments) : file_of(c->arguments)) : NULL;
    if (c->begins && !c->ends) {
        free(p->pending);
        p->pending = file;
        return;
    }
    if (!c->begins) {
        file = p->pending;
        p->pending = NULL;
    }
    if (read_end(c, &result, &seconds)) {
        if (c->when + (int64_t)(seconds * SECOND) > p->last)
            p->last = c->when + (int64_t)(seconds * SECOND);
        char *opened =
            IS_ONE_OF(c->name, by_path) && *result >= '0' && *result <= '9' ? file_of(result) : NULL;
        if (opened) {
            free(file);
            file = opened;
        }
        int64_t bytes = IS_ONE_OF(c->name, moving) ? strtoll(result, NULL, 10) : 0;
        if (file)
            add_access(x, job, file, c->name, bytes > 0 ? bytes : 0, (int64_t)(seconds * SECOND));
    }
    free(file);
}

// The program that a process became, without its folders.
static void name_process(reading *x, size_t job, const call *c)
{
    char *program = strcmp(c->name, "execve") || !c->begins ? NULL : quoted_in(c->arguments);
    if (!program)
        return;
    const char *slash = strrchr(program, '/');
    free(x->r->jobs.at[job].name);
    x->r->jobs.at[job].name = base_copy(slash ? slash + 1 : program);
    free(program);
}

static bool read_line(reading *x)
{
    char *at = x->l.text;
    call c = {0};
    if (!*at)
        return true;
    if (!read_begin(&at, &c))
        return lines_fail(&x->l, "a process and a time in seconds are expected (strace -f -ttt -T -y)");
    process *p = find_process(x, &c);
    size_t job = (size_t)(p - x->processes.at);
    if (c.when > p->last)
        p->last = c.when;
    if (read_name(at, &c)) {
        name_process(x, job, &c);
        add_call(x, job, p, &c);
    }
    return true;
}

static void finish(reading *x)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < x->processes.n; i++)
        first = x->processes.at[i].first < first ? x->processes.at[i].first : first;
    for (size_t i = 0; i < x->processes.n; i++) {
        store_job *j = &x->r->jobs.at[i];
        j->begins = x->processes.at[i].first - first;
        j->ends = x->processes.at[i].last - first;
        if (j->ends > x->r->elapsed)
            x->r->elapsed = j->ends;
        free(x->processes.at[i].pending);
    }
    free(x->processes.at);
    map_free(&x->by_pid);
    index_free(&x->by_access);
}

bool store_read_strace(store_run *r, const char *path, char **ret_error)
{
    reading x = {.r = r};
    bool good = lines_open(&x.l, path);
    while (good && lines_next(&x.l))
        good = read_line(&x);
    finish(&x);
    return lines_close(&x.l, ret_error);
}
