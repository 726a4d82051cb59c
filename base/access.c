// SPDX-License-Identifier: MIT
//
// The doors of a sandbox.
//
//     name --(current folder in front, without . and ..)--> /srv/data/in/x.txt
//     door                                                  /srv/data            an open folder
//     below the door, one openat() for each step                      in  x.txt  no link is followed
//
// Whatever the name says, each step begins in an open folder below the door and never goes up, so the file
// that is opened is below the door.
#include "base/access.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char *name, *real; // the folder as it was named, absolute, and without links
    int folder;
    bool writes;
    bool lent;
} door;

static struct {
    bool closed;
    unsigned kinds;
    ARRAY_OF(door) doors;
} state;

void base_access_close(void)
{
    state.closed = true;
}

bool base_access_has(base_access_kind kind)
{
    return !state.closed || (state.kinds & kind);
}

const char *base_access_reason(int error)
{
    return state.closed && error == EPERM ? "the sandbox has no door to it (-allow)" : strerror(error);
}

// ---- Names ------------------------------------------------------------------------------------

// Adds `/step` for each step of the name; `..` takes one away.
static void add_steps(base_text *path, const char *name)
{
    while (*name) {
        size_t n = strcspn(name, "/");
        if (n == 2 && strncmp(name, "..", 2) == 0) {
            while (path->n > 0 && path->at[--path->n] != '/') {
            }
        } else if (n > 0 && !(n == 1 && *name == '.')) {
            text_add_char(path, '/');
            text_add(path, name, n);
        }
        name += n;
        name += *name == '/';
    }
}

// The name from the root on, without `.`, `..` and doubled strokes (malloc'ed); "" is the root itself.
// NULL: the current folder has no name.
static char *absolute(const char *name)
{
    base_text path = {0};
    char here[PATH_MAX];
    if (*name != '/') {
        if (!getcwd(here, sizeof here) || *here != '/')
            return NULL;
        add_steps(&path, here);
    }
    add_steps(&path, name);
    return text_finish(&path);
}

// What follows the folder in the name: "/in/x.txt". NULL: the file is not below it.
static const char *below(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    return strncmp(folder, name, n) == 0 && name[n] == '/' ? name + n : NULL;
}

// ---- Doors ------------------------------------------------------------------------------------

static bool add_folder(const char *name, bool writes, bool lent, const char **ret_reason)
{
    int folder = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *real = folder < 0 ? NULL : realpath(name, NULL);
    char *given = real ? absolute(name) : NULL;
    if (!given) {
        *ret_reason = strerror(errno);
        free(real);
        if (folder >= 0)
            close(folder);
        return false;
    }
    if (strcmp(real, "/") == 0)
        *real = '\0';
    ARRAY_PUSH(state.doors, (door){given, real, folder, writes, lent});
    return true;
}

bool base_access_allow(const char *text, const char **ret_reason)
{
    if (strcmp(text, "environment") == 0)
        state.kinds |= ACCESS_ENVIRONMENT;
    else if (strcmp(text, "run") == 0)
        state.kinds |= ACCESS_RUN;
    else if (strncmp(text, "read=", 5) == 0)
        return add_folder(text + 5, false, false, ret_reason);
    else if (strncmp(text, "write=", 6) == 0)
        return add_folder(text + 6, true, false, ret_reason);
    else {
        *ret_reason = "there are the doors read=DIR, write=DIR, environment and run";
        return false;
    }
    return true;
}

bool base_access_lend(const char *folder, const char **ret_reason)
{
    return add_folder(folder, false, true, ret_reason);
}

void base_access_end_loans(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < state.doors.n; i++) {
        door *d = &state.doors.at[i];
        if (d->lent) {
            free(d->name);
            free(d->real);
            close(d->folder);
        } else {
            state.doors.at[kept++] = *d;
        }
    }
    state.doors.n = kept;
}

// The folder of the file, opened by going down from `at`, which is closed; -1 and errno. *ret_last: the
// name of the file in it.
static int go_down(int at, const char *rest, const char **ret_last)
{
    char step[NAME_MAX + 1];
    for (;;) {
        rest++; // the stroke
        size_t n = strcspn(rest, "/");
        if (!rest[n]) {
            *ret_last = rest;
            return at;
        }
        int next = -1;
        if (n > NAME_MAX) {
            errno = ENAMETOOLONG;
        } else {
            memcpy(step, rest, n);
            step[n] = '\0';
            next = openat(at, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        int reason = errno == ELOOP || errno == ENOTDIR ? EPERM : errno; // a link, perhaps
        close(at);
        errno = reason;
        if (next < 0)
            return -1;
        at = next;
        rest += n;
    }
}

// Likewise for any file that there is a door to. *ret_path (malloc'ed) keeps *ret_last.
static int open_folder(const char *name, bool writes, char **ret_path, const char **ret_last)
{
    char *path = *ret_path = absolute(name);
    for (size_t i = 0; path && i < state.doors.n; i++) {
        const door *d = &state.doors.at[i];
        const char *rest = below(d->name, path);
        if (!rest)
            rest = below(d->real, path);
        int at = rest && (d->writes || !writes) ? fcntl(d->folder, F_DUPFD_CLOEXEC, 0) : -1;
        int folder = at >= 0 ? go_down(at, rest, ret_last) : -1;
        if (folder >= 0 || (at >= 0 && errno != EPERM))
            return folder;
    }
    errno = EPERM;
    return -1;
}

// ---- What programs do -------------------------------------------------------------------------

typedef int act(int folder, const char *name, int argument);

static int by_door(const char *name, bool writes, act *does, int argument)
{
    char *path;
    const char *last;
    int folder = open_folder(name, writes, &path, &last);
    int result = folder < 0 ? -1 : does(folder, last, argument);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    free(path);
    errno = reason;
    return result;
}

// O_NONBLOCK: a pipe without a partner is not waited for.
static int open_regular(int folder, const char *name, int flags)
{
    int fd = openat(folder, name, (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (fd < 0) {
        if (errno == ELOOP || errno == ENXIO)
            errno = EPERM;
        return -1;
    }
    struct stat status;
    bool good = fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    if (good && (!(flags & O_TRUNC) || ftruncate(fd, 0) == 0))
        return fd;
    int reason = good ? errno : EPERM;
    close(fd);
    errno = reason;
    return -1;
}

static int remove_file(int folder, const char *name, int unused)
{
    (void)unused;
    return unlinkat(folder, name, 0);
}

// By an open file: fchmodat() follows links.
static int set_mode(int folder, const char *name, int mode)
{
    int fd = open_regular(folder, name, O_RDONLY);
    int result = fd < 0 ? -1 : fchmod(fd, (mode_t)mode & 0777);
    if (fd >= 0)
        close(fd);
    return result;
}

static int check_file(int folder, const char *name, int mode)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (S_ISLNK(status.st_mode)) {
        errno = EPERM;
        return -1;
    }
    return faccessat(folder, name, mode, 0);
}

int base_access_file(const char *name, int flags)
{
    if (!state.closed)
        return open(name, flags | O_CLOEXEC, 0666);
    return by_door(name, (flags & O_ACCMODE) != O_RDONLY, open_regular, flags);
}

int base_access_remove(const char *name)
{
    return state.closed ? by_door(name, true, remove_file, 0) : unlink(name);
}

int base_access_set_mode(const char *name, mode_t mode)
{
    return state.closed ? by_door(name, true, set_mode, (int)mode) : chmod(name, mode);
}

int base_access_check(const char *name, mode_t mode)
{
    return state.closed ? by_door(name, mode & W_OK, check_file, (int)mode) : access(name, (int)mode);
}

int base_access_enter(const char *name)
{
    if (!state.closed)
        return chdir(name);
    errno = EPERM; // names would mean other files from then on
    return -1;
}

int base_access_make(char *name_template)
{
    if (!state.closed)
        return mkstemp(name_template);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t n = strlen(name_template);
    for (int tries = 0; tries < 100; tries++) {
        unsigned char bytes[6];
        if (n < sizeof bytes || getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
            break;
        for (size_t i = 0; i < sizeof bytes; i++)
            name_template[n - sizeof bytes + i] = letters[bytes[i] % (sizeof letters - 1)];
        int fd = base_access_file(name_template, O_RDWR | O_CREAT | O_EXCL);
        if (fd >= 0)
            fchmod(fd, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    errno = EEXIST;
    return -1;
}
