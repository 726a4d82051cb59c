// SPDX-License-Identifier: MIT
//
// Streams and readers on file descriptors. A stream keeps its first error; later writes to it fail,
// too.
#include "vm/engine/output.h"

#include "base/access.h"
#include "vm/memory.h"
#include "vm/states.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536 };
enum { FILE_BYTES = 256 }; // what a file counts for, besides its bytes

// ---- Writing --------------------------------------------------------------------------------

// All from bytes to bytes + n, unless the stream has failed.
static void put(vm_stream *s, const char *bytes, size_t n)
{
    size_t done = 0;
    while (done < n && !s->error) {
        ssize_t written = write(s->fd, bytes + done, n - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            s->error = errno;
    }
}

static bool flush(vm_stream *s)
{
    if (s->fd < 0)
        return !s->error;
    if (s->buffer.n > 0)
        s->within_line = s->buffer.at[s->buffer.n - 1] != '\n';
    put(s, s->buffer.at, s->buffer.n);
    s->buffer.n = 0;
    return !s->error;
}

static void flush_standard(void *data)
{
    vm_output *o = data;
    flush(&o->out);
    flush(&o->err);
}

vm_output *vm_output_create(uint64_t limit)
{
    vm_output *o = vm_alloc(sizeof *o);
    o->out = (vm_stream){.fd = STDOUT_FILENO, .name = "standard output", .buffer = VM_TEXT};
    o->out.lines = isatty(STDOUT_FILENO);
    o->err = (vm_stream){.fd = STDERR_FILENO, .name = "standard error", .lines = true,
                         .buffer = VM_TEXT};
    o->scratch.heap = &vm_unscanned;
    o->in.fd = STDIN_FILENO;
    o->room = limit;
    o->out.room = o->err.room = limit ? &o->room : NULL;
    o->flusher = o->out.flusher = o->err.flusher = vm_flusher_create(flush_standard, o);
    return o;
}

bool vm_stream_flush(vm_stream *s)
{
    vm_flusher_lock(s->flusher);
    bool good = flush(s);
    vm_flusher_unlock(s->flusher);
    return good;
}

// The buffer has room for n bytes or becomes full. Nothing is allocated here: the lock may be held.
static bool add(vm_stream *s, const char *bytes, size_t n)
{
    if (n > BUFFER_BYTES - s->buffer.n)
        flush(s);
    if (n > BUFFER_BYTES) {
        put(s, bytes, n);
        s->within_line = bytes[n - 1] != '\n';
        return !s->error;
    }
    if (s->buffer.n == 0)
        vm_flusher_wake(s->flusher);
    memcpy(s->buffer.at + s->buffer.n, bytes, n);
    s->buffer.n += n;
    if (s->buffer.n == BUFFER_BYTES || (s->lines && memchr(bytes, '\n', n)))
        return flush(s);
    return !s->error;
}

// Of n bytes that are to be written, those that the limit of output leaves room for.
static size_t take_room(vm_stream *s, size_t n)
{
    uint64_t room = s->room ? __atomic_load_n(s->room, __ATOMIC_RELAXED) : n;
    while (s->room && !__atomic_compare_exchange_n(s->room, &room, room < n ? 0 : room - n, false,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return room < n ? (size_t)room : n;
}

static const char limit_reached[] = "the limit of output is reached (see -output-limit)";

const char *vm_stream_reason(const vm_stream *s)
{
    return s->error == EFBIG && s->room ? limit_reached : strerror(s->error);
}

bool vm_stream_write(vm_stream *s, const char *bytes, size_t n)
{
    if (n == 0)
        return !s->error;
    if (s->fd < 0) {
        text_add(&s->buffer, bytes, n);
        return !s->error;
    }
    size_t fits = take_room(s, n);
    if (s->flusher && s->buffer.capacity == 0)
        text_reserve(&s->buffer, BUFFER_BYTES);
    if (!s->flusher && fits <= BUFFER_BYTES - s->buffer.n)
        text_reserve(&s->buffer, fits);
    vm_flusher_lock(s->flusher);
    if (fits > 0)
        add(s, bytes, fits);
    if (fits < n && flush(s))
        s->error = EFBIG;
    bool good = !s->error;
    vm_flusher_unlock(s->flusher);
    return good;
}

bool vm_output_takes_file(vm_output *o)
{
    errno = EFBIG;
    return take_room(&o->out, FILE_BYTES) == FILE_BYTES;
}

int vm_output_file(vm_output *o, const char *name, int flags)
{
    return flags & O_CREAT && !vm_output_takes_file(o) ? -1 : base_access_file(name, flags);
}

const char *vm_output_reason(const vm_output *o, int reason)
{
    return reason == EFBIG && o->out.room ? limit_reached : base_access_reason(reason);
}

vm_stream *vm_stream_open(vm_output *o, const char *name)
{
    int fd = vm_output_file(o, name, O_WRONLY | O_CREAT | O_TRUNC);
    return fd < 0 ? NULL : vm_stream_from(o, fd, name);
}

vm_stream *vm_stream_from(vm_output *o, int fd, const char *name)
{
    vm_stream *s = vm_alloc(sizeof *s);
    s->fd = fd;
    s->buffer.heap = &vm_unscanned;
    size_t length = strlen(name) + 1;
    s->name = memcpy(vm_alloc_atomic(length), name, length);
    s->room = o->out.room;
    s->next = o->files;
    o->files = s;
    return s;
}

bool vm_stream_close(vm_output *o, vm_stream *s)
{
    vm_stream_flush(s);
    if (s->fd >= 0 && close(s->fd) != 0 && !s->error)
        s->error = errno;
    s->fd = -1;
    for (vm_stream **link = &o->files; *link; link = &(*link)->next)
        if (*link == s) {
            *link = s->next;
            break;
        }
    return !s->error;
}

void vm_output_flush(vm_output *o)
{
    vm_stream_flush(&o->out);
    vm_stream_flush(&o->err);
}

bool vm_output_sync(vm_output *o)
{
    bool good = vm_stream_flush(&o->out); // each is flushed, whether others fail or not
    good &= vm_stream_flush(&o->err);
    for (vm_stream *s = o->files; s; s = s->next)
        good &= vm_stream_flush(s);
    return good;
}

// Closes the files and writes what is buffered. The first stream that failed, or NULL.
static const vm_stream *finish(vm_output *o)
{
    const vm_stream *failed = NULL;
    vm_flusher_stop(o->flusher);
    while (o->files) {
        const vm_stream *s = o->files;
        if (!vm_stream_close(o, o->files) && !failed)
            failed = s;
    }
    vm_output_flush(o);
    return failed ? failed : o->out.error ? &o->out : NULL;
}

void vm_output_destroy(vm_output *o)
{
    if (o)
        finish(o);
}

char *vm_finish_output(vm_machine *m)
{
    const vm_stream *failed = finish(m->builtins.output);
    char *text = NULL;
    if (failed && asprintf(&text, "%s: cannot write: %s", failed->name,
                           vm_stream_reason(failed)) < 0)
        text = NULL;
    return text;
}

// ---- Reading --------------------------------------------------------------------------------

vm_reader *vm_reader_open(const char *name)
{
    int fd = base_access_file(name, O_RDONLY);
    if (fd < 0)
        return NULL;
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        errno = EISDIR;
        return NULL;
    }
    return vm_reader_from(fd);
}

vm_reader *vm_reader_from(int fd)
{
    vm_reader *r = vm_alloc(sizeof *r);
    r->fd = fd;
    return r;
}

vm_reader *vm_reader_from_text(const char *text, size_t length)
{
    vm_reader *r = vm_reader_from(-1);
    r->buffer = vm_alloc_atomic(length + 1);
    memcpy(r->buffer, text, length);
    r->end = length;
    r->ended = true;
    return r;
}

void vm_reader_close(vm_reader *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    r->ended = true;
}

// False, with errno, if the run is interrupted first. (A signal just before read() would be missed
// by waiting in it.)
static bool wait_for_input(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    vm_state before = vm_state_enter(STATE_IDLE);
    bool interrupted = true;
    while (interrupted && !vm_is_interrupted()) {
        int n = poll(&input, 1, 100);
        interrupted = n == 0 || (n < 0 && errno == EINTR);
    }
    vm_state_enter(before);
    if (interrupted)
        errno = EINTR;
    return !interrupted;
}

enum { INPUT_WAIT = 5 }; // ms

bool vm_output_has_input(vm_output *o, pthread_mutex_t *lock, bool waits)
{
    pthread_mutex_lock(lock);
    bool empty = o->in.begin == o->in.end && !o->in.ended;
    if (empty)
        vm_output_flush(o);
    pthread_mutex_unlock(lock);
    if (!empty)
        return true;
    struct pollfd input = {.fd = o->in.fd, .events = POLLIN};
    vm_state before = vm_state_enter(STATE_IDLE);
    bool some = poll(&input, 1, waits ? INPUT_WAIT : 0) > 0;
    vm_state_enter(before);
    return some;
}

// More into the empty buffer: 1, 0 at the end, -1 and errno.
static int fill(vm_reader *r)
{
    if (r->ended)
        return 0;
    if (!r->buffer)
        r->buffer = vm_alloc_atomic(BUFFER_BYTES);
    ssize_t n;
    do
        n = wait_for_input(r->fd) ? read(r->fd, r->buffer, BUFFER_BYTES) : -1;
    while (n < 0 && errno == EINTR && !vm_is_interrupted());
    if (n < 0)
        return -1;
    r->begin = 0;
    r->end = (size_t)n;
    r->ended = n == 0;
    return n > 0;
}

int vm_reader_line(vm_reader *r, base_text *line)
{
    bool some = false;
    line->n = 0;
    for (;;) {
        if (r->begin == r->end) {
            int more = fill(r);
            if (more <= 0)
                return more < 0 ? -1 : some;
        }
        some = true;
        char *from = r->buffer + r->begin;
        char *end = memchr(from, '\n', r->end - r->begin);
        size_t n = end ? (size_t)(end - from) : r->end - r->begin;
        text_add(line, from, n);
        r->begin += n + (end != NULL);
        if (end)
            return 1;
    }
}

int vm_reader_peek(vm_reader *r)
{
    if (r->begin == r->end) {
        int more = fill(r);
        if (more <= 0)
            return more < 0 ? -2 : -1;
    }
    return (unsigned char)r->buffer[r->begin];
}

int vm_reader_byte(vm_reader *r)
{
    int byte = vm_reader_peek(r);
    r->begin += byte >= 0;
    return byte;
}

// A buffer without room in front of what is in it is replaced by one that has.
void vm_reader_unread(vm_reader *r, char byte)
{
    if (r->begin == 0) {
        size_t left = r->end, room = left + BUFFER_BYTES;
        char *larger = vm_alloc_atomic(room + BUFFER_BYTES);
        if (left)
            memcpy(larger + BUFFER_BYTES, r->buffer, left);
        r->buffer = larger;
        r->begin = BUFFER_BYTES;
        r->end = BUFFER_BYTES + left;
    }
    r->buffer[--r->begin] = byte;
}

bool vm_reader_is_empty(const vm_reader *r)
{
    return r->begin == r->end && !r->ended;
}

size_t vm_reader_drop(vm_reader *r)
{
    size_t n = r->end - r->begin;
    r->begin = r->end = 0;
    r->ended = false;
    return n;
}

int vm_reader_rest(vm_reader *r, base_text *text)
{
    for (;;) {
        text_add(text, r->buffer + r->begin, r->end - r->begin);
        r->begin = r->end;
        int more = fill(r);
        if (more <= 0)
            return more;
    }
}
