// SPDX-License-Identifier: MIT
//
// The files that commands write: parts, names, and what may not be replaced.
#include "base/output.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

enum { LINKS = 40 };        // symbolic links that are followed
enum { RANDOM_DIGITS = 16 };
enum { TRIES = 100 };       // of names and locks
enum { REMEMBERED = 64 };   // outputs that the end of the process undoes

// What is done if the process ends now: `from` goes, or it takes the name `to`.
typedef struct {
    const char *from, *to;
} undo;

struct base_output {
    base_output_kind kind;
    bool direct;             // no plain file: written to as it is
    bool named, settled;     // of a file that grows
    int fd;
    FILE *stream;
    char *path;              // as the caller named it
    char *name;              // behind all links
    char *part, *former;     // while they are there; else NULL
    undo undo;
    int slot;                // of `undo` among the remembered ones, or -1
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- Identity -----------------------------------------------------------------------------------

typedef struct {
    dev_t device;
    ino_t inode;
    const char *what;
} protected_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ARRAY_OF(protected_file) protected_files;
static ARRAY_OF(base_output *) open_outputs;

static bool protect(const struct stat *s, const char *what)
{
    pthread_mutex_lock(&lock);
    bool room = ARRAY_RESERVE(protected_files, 1);
    if (room)
        protected_files.at[protected_files.n++] =
            (protected_file){.device = s->st_dev, .inode = s->st_ino, .what = what};
    pthread_mutex_unlock(&lock);
    return room;
}

bool base_output_protect(const char *path, const char *what)
{
    struct stat s;
    return stat(path, &s) != 0 || !S_ISREG(s.st_mode) || protect(&s, what);
}

bool base_output_protect_folder(const char *path, const char *what)
{
    DIR *folder = opendir(path);
    struct stat itself;
    bool good = !folder || fstat(dirfd(folder), &itself) != 0 || protect(&itself, what);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat s;
        if (fstatat(dirfd(folder), entry->d_name, &s, 0) == 0 && S_ISREG(s.st_mode))
            good = protect(&s, what) && good;
    }
    if (folder)
        closedir(folder);
    return good;
}

static const char *find_protected(const struct stat *s)
{
    for (size_t i = 0; i < protected_files.n; i++)
        if (protected_files.at[i].device == s->st_dev && protected_files.at[i].inode == s->st_ino)
            return protected_files.at[i].what;
    return NULL;
}

// Of a file that is there or not: is it in a protected folder?
static const char *find_protected_folder(const char *name)
{
    struct stat s;
    char *folder = strndup(name, (size_t)(base_name(name) - name));
    const char *what = folder && stat(folder, &s) == 0 ? find_protected(&s) : NULL;
    free(folder);
    return what;
}

// Why this file may not be replaced, or NULL. The lock is held.
static const char *find_objection(const base_output *o, const struct stat *s)
{
    struct stat self;
    const char *what = s ? find_protected(s) : NULL;
    what = what ? what : find_protected_folder(o->name);
    if (what)
        return what;
    if (s && stat("/proc/self/exe", &self) == 0 && self.st_dev == s->st_dev &&
        self.st_ino == s->st_ino)
        return "it is this program";
    for (size_t i = 0; i < open_outputs.n; i++)
        if (strcmp(open_outputs.at[i]->name, o->name) == 0 && o->kind != BASE_OUTPUT_VERSION)
            return "it is another output of this command";
    return NULL;
}

// ---- Names --------------------------------------------------------------------------------------

// The folder behind all links, and the last part of the name as it is. NULL: errno.
static char *resolve_folder(const char *path)
{
    const char *base = base_name(path);
    char *folder = base == path ? strdup(".") : strndup(path, (size_t)(base - path));
    char *real = folder ? realpath(folder, NULL) : NULL, *name = NULL;
    if (real && asprintf(&name, "%s/%s", strcmp(real, "/") == 0 ? "" : real, base) < 0)
        name = NULL;
    free(real);
    free(folder);
    return name;
}

// What a link names, seen from its folder. NULL: errno.
static char *follow(const char *link)
{
    char target[PATH_MAX], *name = NULL;
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n < 0)
        return NULL;
    target[n] = 0;
    int folder = target[0] == '/' ? 0 : (int)(base_name(link) - link);
    return asprintf(&name, "%.*s%s", folder, link, target) < 0 ? NULL : name;
}

// The absolute name of the file that a path means, which need not be there. NULL: errno.
static char *resolve(const char *path)
{
    char *name = *base_name(path) ? resolve_folder(path) : NULL;
    if (!*base_name(path))
        errno = EISDIR;
    for (int i = 0; name && i < LINKS; i++) {
        struct stat s;
        if (lstat(name, &s) != 0 || !S_ISLNK(s.st_mode))
            return name;
        char *target = follow(name);
        free(name);
        name = target ? resolve_folder(target) : NULL;
        free(target);
    }
    if (name)
        errno = ELOOP;
    free(name);
    return NULL;
}

// The beginning that the names of all parts of a file have, with its length. A long name is cut.
static char *part_prefix(const char *name)
{
    char *prefix = NULL;
    int room = NAME_MAX - (int)sizeof "..part" - RANDOM_DIGITS;
    return asprintf(&prefix, ".%.*s.", room, base_name(name)) < 0 ? NULL : prefix;
}

static bool is_part(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 &&
           strspn(name + n, "0123456789abcdef") == RANDOM_DIGITS &&
           strcmp(name + n + RANDOM_DIGITS, ".part") == 0;
}

// ---- Parts --------------------------------------------------------------------------------------

// For the handler of signals: each is written whole before it is stored.
static undo *_Atomic remembered[REMEMBERED];

static void forget(base_output *o)
{
    if (o->slot >= 0)
        atomic_store(&remembered[o->slot], NULL);
    o->slot = -1;
}

static void remember(base_output *o, const char *from, const char *to)
{
    forget(o);
    o->undo = (undo){from, to};
    for (int i = 0; i < REMEMBERED && o->slot < 0; i++) {
        undo *none = NULL;
        if (atomic_compare_exchange_strong(&remembered[i], &none, &o->undo))
            o->slot = i;
    }
}

static void forget_part(base_output *o)
{
    forget(o);
    free(o->part);
    o->part = NULL;
}

void base_output_remove_parts(void)
{
    for (int i = 0; i < REMEMBERED; i++) {
        undo *u = atomic_load(&remembered[i]);
        if (u && (!u->to || rename(u->from, u->to) != 0))
            unlink(u->from);
    }
}

// Removes the parts of processes that are dead: nobody locks those.
static void remove_stale(const char *name, const char *prefix)
{
    char *folder_name = strndup(name, (size_t)(base_name(name) - name));
    DIR *folder = folder_name ? opendir(folder_name) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!is_part(entry->d_name, prefix))
            continue;
        int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (folder)
        closedir(folder);
    free(folder_name);
}

// A name that nobody can guess. NULL without memory or randomness.
static char *make_part_name(const char *name, const char *prefix)
{
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return NULL;
    char *part = NULL;
    int folder = (int)(base_name(name) - name);
    return asprintf(&part, "%.*s%s%0*llx.part", folder, name, prefix, RANDOM_DIGITS,
                    (unsigned long long)number) < 0
               ? NULL
               : part;
}

// Another process may take a new part for a stale one before it is locked: then it has no name any
// more. A file system without locks has no stale parts that can be told.
static bool lock_part(int fd)
{
    struct stat s;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(fd, &s) == 0 && s.st_nlink > 0;
}

// False: errno.
static bool create_part(base_output *o, mode_t mode)
{
    char *prefix = part_prefix(o->name);
    if (prefix)
        remove_stale(o->name, prefix);
    for (int i = 0; prefix && i < TRIES && o->fd < 0; i++) {
        o->part = make_part_name(o->name, prefix);
        if (!o->part)
            break;
        remember(o, o->part, NULL);
        o->fd = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (o->fd >= 0 && lock_part(o->fd))
            break;
        int reason = o->fd < 0 ? errno : EEXIST;
        if (o->fd >= 0) {
            unlink(o->part);
            close(o->fd);
        }
        o->fd = -1;
        forget_part(o);
        errno = reason;
        if (reason != EEXIST)
            break;
    }
    int reason = errno;
    free(prefix);
    errno = reason;
    return o->fd >= 0;
}

// ---- Files that are finished by another process -------------------------------------------------

// The mark is a lock of a byte that no file has; its place says whose process the first one is. It is there
// as long as the descriptor or the process. No moment is without: a version has it before it has the name.
enum { MARKS = 62, SPACES = 30, PROCESSES = 32, KILLED = 1 << (SIGKILL - 1) };

static pid_t first_process; // 0: this process writes for itself
static int marked = -1;     // has the mark of what has the name now

// Processes of another name space have other numbers.
static off_t place_of(pid_t first)
{
    struct stat s = {0};
    (void)!stat("/proc/self/ns/pid", &s);
    off_t space = (off_t)(s.st_ino & (((ino_t)1 << SPACES) - 1));
    return (off_t)1 << MARKS | space << PROCESSES | first;
}

static void mark(int fd)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    l.l_start = place_of(first_process);
    fcntl(fd, F_OFD_SETLK, &l);
}

// What has the name from now on. -1: it needs no mark.
static void keep_mark(int fd)
{
    if (marked >= 0)
        close(marked);
    marked = fd;
}

void base_output_for(pid_t first, const char *path)
{
    struct stat s;
    first_process = first;
    int fd = stat(path, &s) == 0 && S_ISREG(s.st_mode) ? open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0)
        mark(fd);
    keep_mark(fd);
}

static unsigned long long pending_signals(const char *line)
{
    bool tells = strncmp(line, "SigPnd:", 7) == 0 || strncmp(line, "ShdPnd:", 7) == 0;
    return tells ? strtoull(line + 7, NULL, 16) : 0;
}

// Ended, waited for or not, or about to end by SIGKILL. The line of groups may be long.
static bool is_dead(pid_t process)
{
    char name[32], *line = NULL;
    size_t size = 0;
    bool has_memory = false;
    unsigned long long pending = 0;
    snprintf(name, sizeof name, "/proc/%d/status", (int)process);
    FILE *status = fopen(name, "re");
    while (status && getline(&line, &size, status) > 0) {
        has_memory |= strncmp(line, "VmSize:", 7) == 0;
        pending |= pending_signals(line);
    }
    bool known = line && *line && feof(status);
    free(line);
    if (status)
        fclose(status);
    if (!known)
        return kill(process, 0) != 0 && errno == ESRCH;
    return !has_memory || pending & KILLED;
}

// The process that has marked the file for another one, which is dead.
static bool is_orphaned(const struct flock *mark)
{
    pid_t first = (pid_t)(mark->l_start & (((off_t)1 << PROCESSES) - 1));
    return mark->l_start == place_of(first) && is_dead(first);
}

bool base_output_await(int fd)
{
    struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << MARKS};
    int reason = errno;
    bool waits = fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK && is_orphaned(&l);
    if (waits) {
        l = (struct flock){.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = l.l_start, .l_len = 1};
        while (fcntl(fd, F_OFD_SETLKW, &l) != 0 && errno == EINTR)
            continue;
        l.l_type = F_UNLCK;
        fcntl(fd, F_OFD_SETLK, &l);
    }
    errno = reason;
    return waits;
}

// ---- Opening ------------------------------------------------------------------------------------

// A version of this process has the name, or may have it by now.
static bool replaces_own(const base_output *o)
{
    return o->kind == BASE_OUTPUT_VERSION && first_process;
}

// A file that grows, or gets versions, is locked by its process.
static bool grows_elsewhere(const char *name)
{
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool busy = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return busy;
}

static bool is_worth_keeping(const char *name, base_output_worth *worth)
{
    int fd = worth ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    bool kept = fd < 0 || worth(fd);
    if (fd >= 0)
        close(fd);
    return kept;
}

// As the file that is replaced. A file of somebody else may be replaced without becoming theirs.
static void take_attributes(int fd, const struct stat *former)
{
    if (fchown(fd, former->st_uid, former->st_gid) != 0 && fchown(fd, (uid_t)-1, former->st_gid) != 0)
        errno = 0;
    fchmod(fd, former->st_mode & 07777);
}

// NAME~ or, where there is a file of that name, NAME~2 ... False: errno.
static bool keep_former(base_output *o)
{
    for (int i = 1; i < TRIES; i++) {
        char number[12] = "";
        if (i > 1)
            snprintf(number, sizeof number, "%d", i);
        if (asprintf(&o->former, "%s~%s", o->name, number) < 0)
            o->former = NULL;
        if (!o->former || link(o->name, o->former) == 0)
            return o->former;
        // A file system may have no links.
        if (errno != EEXIST && rename(o->name, o->former) == 0)
            return true;
        int reason = errno;
        free(o->former);
        o->former = NULL;
        errno = reason;
        if (reason != EEXIST)
            return false;
    }
    return false;
}

// A growing file takes its name at once. False: errno.
static bool begin_to_grow(base_output *o, bool exists, base_output_worth *worth)
{
    if (exists && is_worth_keeping(o->name, worth) && !keep_former(o))
        return false;
    o->named = rename(o->part, o->name) == 0;
    if (!o->named)
        return false;
    forget_part(o);
    remember(o, o->former ? o->former : o->name, o->former ? o->name : NULL);
    return true;
}

// NULL: it is open. Else why not; "" says errno.
static const char *open_plain(base_output *o, const struct stat *former, base_output_worth *worth)
{
    const char *objection = find_objection(o, former);
    if (objection)
        return objection;
    if (former && access(o->name, W_OK) != 0)
        return "";
    if (former && !replaces_own(o) && grows_elsewhere(o->name))
        return "another process is writing it";
    if (!ARRAY_RESERVE(open_outputs, 1) || !create_part(o, former ? 0600 : 0666))
        return "";
    if (former)
        take_attributes(o->fd, former);
    if (o->kind == BASE_OUTPUT_GROWS && !begin_to_grow(o, former != NULL, worth))
        return "";
    open_outputs.at[open_outputs.n++] = o;
    return NULL;
}

// Each time another file may have the name.
static void await(const char *path)
{
    bool waited = true;
    while (waited) {
        int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        waited = fd >= 0 && base_output_await(fd);
        if (fd >= 0)
            close(fd);
    }
}

static const char *open_any(base_output *o, base_output_worth *worth)
{
    struct stat s;
    if (stat(o->path, &s) == 0 && S_ISREG(s.st_mode) && !replaces_own(o))
        await(o->path);
    bool exists = stat(o->path, &s) == 0;
    if (exists && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return "";
    }
    // The name of an open descriptor means the descriptor, whatever file that is.
    o->direct = strncmp(o->path, "/dev/", 5) == 0 || strncmp(o->path, "/proc/", 6) == 0 ||
                (exists && !S_ISREG(s.st_mode));
    if (o->direct) {
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        return o->fd < 0 ? "" : NULL;
    }
    o->name = resolve(o->path);
    if (!o->name)
        return "";
    pthread_mutex_lock(&lock);
    const char *complaint = open_plain(o, exists ? &s : NULL, worth);
    int reason = errno;
    pthread_mutex_unlock(&lock);
    errno = reason;
    return complaint;
}

static char *describe(const char *path, const char *doing, const char *reason)
{
    char *text = NULL;
    return asprintf(&text, "%s: cannot %s: %s", path, doing, reason) < 0 ? NULL : text;
}

base_output *base_output_open(const char *path, base_output_kind kind, base_output_worth *worth,
                              char **ret_error)
{
    base_output *o = calloc(1, sizeof *o);
    *ret_error = NULL;
    if (!o)
        return NULL;
    *o = (base_output){.kind = kind, .fd = -1, .slot = -1, .path = strdup(path)};
    errno = ENOMEM;
    const char *complaint = o->path ? open_any(o, worth) : "";
    if (!complaint)
        return o;
    if (*complaint == 0)
        *ret_error = describe(path, "create", strerror(errno));
    else if (asprintf(ret_error, "%s: %s; it is not %s", path, complaint,
                      access(path, F_OK) == 0 ? "overwritten" : "written") < 0)
        *ret_error = NULL;
    base_output_abandon(o);
    return NULL;
}

bool base_output_has_name(const base_output *o)
{
    return !o->direct;
}

int base_output_fd(const base_output *o)
{
    return o->fd;
}

FILE *base_output_stream(base_output *o)
{
    if (!o->stream)
        o->stream = fdopen(o->fd, "w");
    return o->stream;
}

// ---- Ends ---------------------------------------------------------------------------------------

static void leave_table(const base_output *o)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < open_outputs.n; i++)
        if (open_outputs.at[i] == o)
            open_outputs.at[i] = open_outputs.at[--open_outputs.n];
    pthread_mutex_unlock(&lock);
}

static void destroy(base_output *o)
{
    leave_table(o);
    forget_part(o);
    free(o->former);
    free(o->name);
    free(o->path);
    free(o);
}

void base_output_settle(base_output *o)
{
    o->settled = true;
    forget(o);
    if (o->former)
        unlink(o->former);
    free(o->former);
    o->former = NULL;
}

static bool close_file(base_output *o)
{
    FILE *stream = o->stream;
    int fd = o->fd;
    o->stream = NULL;
    o->fd = -1;
    if (!stream)
        return fd < 0 || close(fd) == 0;
    bool good = !ferror(stream);
    return fclose(stream) == 0 && good;
}

// The data is on the disk before the name means it: else a file that was replaced could be lost
// with the power. A file that cannot be closed does not get the name. The lock is kept until the part has
// its name, by another descriptor.
static bool take_name(base_output *o)
{
    struct stat s;
    int held = fcntl(o->fd, F_DUPFD_CLOEXEC, 3);
    bool good = held >= 0 && (!o->stream || fflush(o->stream) == 0);
    bool is_marked = good && o->kind == BASE_OUTPUT_VERSION && first_process;
    if (is_marked)
        mark(held);
    if (good && stat(o->name, &s) == 0)
        good = fdatasync(o->fd) == 0;
    good = good && close_file(o) && rename(o->part, o->name) == 0;
    if (good)
        forget_part(o);
    int reason = errno;
    if (good && is_marked)
        keep_mark(held);
    else if (held >= 0)
        close(held);
    errno = reason;
    return good;
}

bool base_output_close(base_output *o, char **ret_error)
{
    bool good = !o->part || take_name(o);
    int reason = errno;
    if (good && !close_file(o)) { // of a file that has its name, or needs none
        good = false;
        reason = errno;
    }
    if (good) {
        base_output_settle(o);
        destroy(o);
        return true;
    }
    *ret_error = describe(o->path, "write", strerror(reason));
    base_output_abandon(o);
    return false;
}

void base_output_abandon(base_output *o)
{
    if (!o)
        return;
    if (o->part)
        unlink(o->part);
    forget(o);
    // A growing file gives its name back to the one before, or to none.
    bool given = o->former && rename(o->former, o->name) == 0;
    if (o->named && !o->settled && !given)
        unlink(o->name);
    close_file(o);
    destroy(o);
}

// Whether the name means a version of this process that has less.
static bool has_less(const base_output *o)
{
    struct stat named, mine, part;
    return marked >= 0 && stat(o->name, &named) == 0 && fstat(marked, &mine) == 0 &&
           named.st_dev == mine.st_dev && named.st_ino == mine.st_ino && fstat(o->fd, &part) == 0 &&
           named.st_size < part.st_size;
}

void base_output_leave(base_output *o)
{
    if (o && o->kind == BASE_OUTPUT_VERSION && o->settled && o->part &&
        link(o->part, o->name) != 0 && has_less(o))
        (void)!rename(o->part, o->name);
    base_output_abandon(o);
}

// ---- Signals and descriptors --------------------------------------------------------------------

static void end_by_signal(int number)
{
    base_output_remove_parts();
    signal(number, SIG_DFL);
    raise(number);
}

void base_output_mind_signals(void)
{
    const int numbers[] = {SIGHUP, SIGINT, SIGTERM, SIGXCPU};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(numbers[i], end_by_signal);
    }
}

static void ignore_signal(int number)
{
    (void)number;
}

// The limit of the size of files fails a write, as a full disk does. Programs that are started are told by
// the signal, as ever: a handler does not reach them.
static void mind_limit_of_files(void)
{
    struct sigaction now, action = {.sa_handler = ignore_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGXFSZ, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

void base_output_begin(void)
{
    base_memory_before_end(base_output_remove_parts);
    mind_limit_of_files();
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            errno = EBADF; // no /dev/null: nothing can be done
}

// The reason of a failure that is long ago; 0 if it is none any more. An attempt to write meets it again.
static int find_reason(void)
{
    clearerr(stdout);
    return putchar('\n') == EOF || fflush(stdout) != 0 ? errno : 0;
}

int base_output_end(const char *command, int status)
{
    bool failed_before = ferror(stdout);
    if (fflush(stdout) == 0 && !failed_before)
        return status;
    int reason = failed_before ? find_reason() : errno;
    fprintf(stderr, "%s: standard output: cannot write%s%s\n", command, reason ? ": " : "",
            reason ? strerror(reason) : "");
    return status ? status : 1;
}
