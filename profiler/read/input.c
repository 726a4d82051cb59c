// SPDX-License-Identifier: MIT
//
// Files, pipes and bytes in memory; headers of files and chunks; checksums and decompression.
#include "profiler/read/input.h"

#include "base/output.h"

#include "profiler/format/reason.h"
#include "profiler/trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool input_reserve(input *in, size_t size)
{
    if (size <= in->capacity)
        return true;
    uint8_t *buffer = realloc(in->buffer, size);
    if (!buffer) {
        in->problem = ENOMEM;
        return false;
    }
    in->buffer = buffer;
    in->capacity = size;
    return true;
}

// Reads up to `size` bytes to the buffer's place `at`; how many came. A pipe is read on; a file is
// read at its place `from`.
static size_t input_read(input *in, size_t at, size_t size, bool pipe, uint64_t from)
{
    size_t done = 0;
    while (done < size) {
        uint8_t *to = in->buffer + at + done;
        ssize_t n = pipe ? read(in->fd, to, size - done)
                         : pread(in->fd, to, size - done, (off_t)(from + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            in->problem = errno;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

const uint8_t *trace_input_take(input *in, uint64_t size)
{
    if (in->at > in->size || size > in->size - in->at || size > SIZE_MAX / 2)
        return NULL;
    in->at += size;
    if (in->bytes)
        return in->bytes + in->at - size;
    if (!input_reserve(in, (size_t)size + 1) ||
        input_read(in, 0, (size_t)size, false, in->at - size) < size)
        return NULL;
    return in->buffer;
}

// A pipe: all of it is read at once.
static bool input_slurp(input *in)
{
    size_t size = 0, n;
    do {
        if (size == in->capacity && !input_reserve(in, size ? 2 * size : 65536))
            return false;
        n = input_read(in, size, in->capacity - size, true, 0);
        size += n;
    } while (n > 0 && trace_begins(in->buffer, size)); // a device may have no end
    in->bytes = in->buffer;
    in->size = size;
    return !in->problem;
}

void trace_input_close(input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    free(in->buffer);
}

// Of a run that was killed, the trace that another process is about to replace by a longer one is not the
// one to read.
static int open_finished(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && base_output_await(fd)) {
        close(fd);
        fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    return fd;
}

bool trace_input_open(input *in, const char *path, char **ret_error)
{
    struct stat status;
    *in = (input){.name = path, .fd = open_finished(path)};
    bool good = in->fd >= 0 && fstat(in->fd, &status) == 0;
    if (!good)
        in->problem = errno;
    else if (S_ISREG(status.st_mode))
        in->size = (uint64_t)status.st_size;
    else
        good = input_slurp(in);
    if (good)
        return true;
    *ret_error = trace_text_format("%s: cannot read: %s", path, strerror(in->problem));
    trace_input_close(in);
    return false;
}

input trace_input_again(const input *in)
{
    return (input){.name = in->name, .fd = in->fd, .bytes = in->bytes, .size = in->size};
}

void trace_input_forget(input *in)
{
    free(in->buffer);
}

// ---------------------------------------------------------------------------------------------
// Chunks

static const uint8_t columns_of[] = {
#define CHUNK(number, name, columns, text) [number] = columns,
#include "profiler/format/events.def"
};

int trace_chunk_columns(uint32_t kind)
{
    return kind < sizeof columns_of ? columns_of[kind] : 0;
}

uint64_t trace_chunk_size(const chunk *c)
{
    uint64_t size = 0;
    for (int i = 0; i < COLUMNS; i++)
        size += c->stored[i];
    return size;
}

bool trace_begins(const void *bytes, size_t size)
{
    return size >= FILE_MAGIC_SIZE && memcmp(bytes, FILE_MAGIC, FILE_MAGIC_SIZE) == 0;
}

trace_error_kind trace_check_file_header(input *in, uint32_t *ret_version, const char **ret_reason)
{
    const uint8_t *h = trace_input_take(in, FILE_HEADER);
    *ret_reason = "not a trace";
    if (!h || !trace_begins(h, FILE_HEADER))
        return in->problem ? TRACE_CANNOT_READ : TRACE_NOT_A_TRACE;
    uint32_t version = load32(h + FILE_MAGIC_SIZE);
    *ret_reason = "a trace of a version that is not known";
    if (version < FILE_OLDEST || version > FILE_VERSION)
        return version > FILE_VERSION ? TRACE_TOO_NEW : TRACE_TOO_OLD;
    *ret_version = version;
    *ret_reason = "the header is damaged";
    uint32_t check = version < FILE_PASSES ? 0 : ~version;
    return load32(h + FILE_MAGIC_SIZE + 4) == check ? TRACE_SOUND : TRACE_DAMAGED_HEADER;
}

static const char *parse_chunk_header(const uint8_t *h, chunk *ret)
{
    ret->kind = load32(h);
    ret->count = load32(h + 4);
    if (trace_chunk_columns(ret->kind) == 0)
        return "a chunk of unknown kind";
    for (int i = 0; i < COLUMNS; i++) {
        ret->raw[i] = load32(h + CHUNK_RAW + 4 * i);
        ret->stored[i] = load32(h + CHUNK_STORED + 4 * i);
        if (ret->stored[i] > ret->raw[i] ||
            (i >= trace_chunk_columns(ret->kind) && ret->raw[i] > 0))
            return "a chunk with a length that cannot be";
    }
    return NULL;
}

static const char *no_chunk(const input *in)
{
    return in->problem ? strerror(in->problem) : "the file ends inside a chunk";
}

const char *trace_next_header(input *in, chunk *ret)
{
    ret->offset = in->at;
    ret->payload = NULL;
    const uint8_t *h = trace_input_take(in, CHUNK_HEADER);
    return h ? parse_chunk_header(h, ret) : no_chunk(in);
}

const char *trace_next_chunk(input *in, bool trusting, chunk *ret)
{
    ret->offset = in->at;
    const uint8_t *h = trace_input_take(in, CHUNK_HEADER);
    if (!h)
        return no_chunk(in);
    const char *reason = parse_chunk_header(h, ret);
    if (reason)
        return reason;
    uint64_t sum = trace_checksum(0, h, CHUNK_SUM), expected = load64(h + CHUNK_SUM);
    uint64_t size = trace_chunk_size(ret);
    ret->payload = trace_input_take(in, size);
    if (!ret->payload)
        return no_chunk(in);
    if (!trusting && trace_checksum(sum, ret->payload, (size_t)size) != expected)
        return "the checksum is wrong";
    return NULL;
}

// A zstd block of at most 128 kB takes 3 bytes at least: what claims more is not worth the memory.
static bool length_plausible(uint32_t stored_size, uint32_t raw_size)
{
    return raw_size == stored_size || raw_size / 65536 <= stored_size;
}

bool trace_unpack_column(ZSTD_DCtx *zstd, const uint8_t *stored, uint32_t stored_size, uint8_t *ret,
                         uint32_t raw_size)
{
    if (stored_size == raw_size) {
        memcpy(ret, stored, raw_size);
        return true;
    }
    return ZSTD_decompressDCtx(zstd, ret, raw_size, stored, stored_size) == raw_size;
}

const char *trace_unpack_chunk(unpacked *u, ZSTD_DCtx *zstd, const chunk *c)
{
    const uint8_t *stored = c->payload;
    for (int i = 0; i < trace_chunk_columns(c->kind); i++) {
        if (!length_plausible(c->stored[i], c->raw[i]))
            return "a chunk with a length that cannot be";
        if (u->capacity[i] <= c->raw[i]) {
            free(u->raw[i]);
            u->raw[i] = malloc(c->raw[i] + (size_t)1);
            u->capacity[i] = u->raw[i] ? c->raw[i] + (size_t)1 : 0;
        }
        if (!u->raw[i])
            return trace_no_memory;
        if (!trace_unpack_column(zstd, stored, c->stored[i], u->raw[i], c->raw[i]))
            return "a chunk that cannot be decompressed";
        stored += c->stored[i];
    }
    return NULL;
}

void trace_unpacked_finish(unpacked *u)
{
    for (int i = 0; i < COLUMNS; i++)
        free(u->raw[i]);
}
