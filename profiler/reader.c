// SPDX-License-Identifier: MIT
//
// The file: header, chunks, checksums; opening, closing, verifying.
#include "profiler/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/decode.h"

// ---------------------------------------------------------------------------------------------
// Input: bytes in memory, or a file read piece by piece

typedef struct {
    const char *name;
    int fd;               // or -1
    const uint8_t *bytes; // of memory
    uint8_t *buffer;      // of what was last taken from a file, or all of what is no plain file
    size_t capacity;
    uint64_t size, at;
    int problem; // errno of a failed read
} input;

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

// Reads up to `size` bytes to the buffer's place `at`; how many came.
static size_t input_read(input *in, size_t at, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(in->fd, in->buffer + at + done, size - done);
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

// The next `size` bytes, valid until the next call; NULL if there are not so many.
static const uint8_t *input_take(input *in, uint64_t size)
{
    if (in->at > in->size || size > in->size - in->at || size > SIZE_MAX / 2)
        return NULL;
    in->at += size;
    if (in->bytes)
        return in->bytes + in->at - size;
    if (!input_reserve(in, (size_t)size) || input_read(in, 0, (size_t)size) < size)
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
        n = input_read(in, size, in->capacity - size);
        size += n;
    } while (n > 0);
    in->bytes = in->buffer;
    in->size = size;
    return !in->problem;
}

static void input_close(input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    free(in->buffer);
}

static bool input_open(input *in, const char *path, char **ret_error)
{
    struct stat status;
    *in = (input){.name = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    bool good = in->fd >= 0 && fstat(in->fd, &status) == 0;
    if (!good)
        in->problem = errno;
    else if (S_ISREG(status.st_mode))
        in->size = (uint64_t)status.st_size;
    else
        good = input_slurp(in);
    if (good)
        return true;
    *ret_error = text_format("%s: cannot read: %s", path, strerror(in->problem));
    input_close(in);
    return false;
}

// ---------------------------------------------------------------------------------------------
// Chunks

typedef struct {
    uint64_t offset;
    uint32_t kind, count;
    uint32_t raw[COLUMNS], stored[COLUMNS];
    const uint8_t *payload;
} chunk;

static const uint8_t columns_of[] = {
#define CHUNK(number, name, columns, text) [number] = columns,
#include "profiler/events.def"
};

static const char *const chunk_names[] = {
#define CHUNK(number, name, columns, text) [number] = #name,
#include "profiler/events.def"
};

static bool kind_exists(uint32_t kind)
{
    return kind < sizeof columns_of && columns_of[kind] > 0;
}

static const char *check_file_header(input *in)
{
    const uint8_t *h = input_take(in, FILE_HEADER);
    if (!h || memcmp(h, FILE_MAGIC, FILE_MAGIC_SIZE) != 0)
        return "not a trace";
    if (load32(h + FILE_MAGIC_SIZE) != FILE_VERSION)
        return "a trace of a version that is not known";
    return load32(h + FILE_MAGIC_SIZE + 4) == 0 ? NULL : "the header is damaged";
}

static const char *parse_chunk_header(const uint8_t *h, chunk *ret)
{
    ret->kind = load32(h);
    ret->count = load32(h + 4);
    if (!kind_exists(ret->kind))
        return "a chunk of unknown kind";
    for (int i = 0; i < COLUMNS; i++) {
        ret->raw[i] = load32(h + CHUNK_RAW + 4 * i);
        ret->stored[i] = load32(h + CHUNK_STORED + 4 * i);
        if (ret->stored[i] > ret->raw[i] || (i >= columns_of[ret->kind] && ret->raw[i] > 0))
            return "a chunk with a length that cannot be";
    }
    return NULL;
}

// The next chunk, checked against its checksum unless `trusting`; NULL, or what is wrong with it.
static const char *next_chunk(input *in, bool trusting, chunk *ret)
{
    ret->offset = in->at;
    const uint8_t *h = input_take(in, CHUNK_HEADER);
    if (!h)
        return in->problem ? strerror(in->problem) : "the file ends inside a chunk";
    const char *reason = parse_chunk_header(h, ret);
    if (reason)
        return reason;
    uint64_t size = 0, sum = checksum(0, h, CHUNK_SUM), expected = load64(h + CHUNK_SUM);
    for (int i = 0; i < COLUMNS; i++)
        size += ret->stored[i];
    ret->payload = input_take(in, size);
    if (!ret->payload)
        return in->problem ? strerror(in->problem) : "the file ends inside a chunk";
    if (!trusting && checksum(sum, ret->payload, (size_t)size) != expected)
        return "the checksum is wrong";
    return NULL;
}

// A zstd block of at most 128 kB takes 3 bytes at least: what claims more is not worth the memory.
static bool length_plausible(uint32_t stored_size, uint32_t raw_size)
{
    return raw_size == stored_size || raw_size / 65536 <= stored_size;
}

bool unpack_column(ZSTD_DCtx *zstd, const uint8_t *stored, uint32_t stored_size, uint8_t *ret,
                   uint32_t raw_size)
{
    if (stored_size == raw_size) {
        memcpy(ret, stored, raw_size);
        return true;
    }
    return ZSTD_decompressDCtx(zstd, ret, raw_size, stored, stored_size) == raw_size;
}

// ---------------------------------------------------------------------------------------------
// Opening

typedef struct {
    input in;
    loader l;
    bool trusting;
    uint8_t *raw[COLUMNS]; // the columns of a chunk
    size_t capacity[COLUMNS];
    char *error;
} opening;

static void note(opening *o, uint64_t offset, const char *reason)
{
    if (!o->error)
        o->error =
            text_format("%s: offset %llu: %s", o->in.name, (unsigned long long)offset, reason);
}

static bool unpack_chunk(opening *o, const chunk *c)
{
    const uint8_t *stored = c->payload;
    for (int i = 0; i < columns_of[c->kind]; i++) {
        if (!length_plausible(c->stored[i], c->raw[i]))
            return wrong(&o->l, "a chunk with a length that cannot be");
        if (o->capacity[i] <= c->raw[i]) {
            free(o->raw[i]);
            o->raw[i] = malloc(c->raw[i] + (size_t)1);
            o->capacity[i] = o->raw[i] ? c->raw[i] + (size_t)1 : 0;
        }
        if (!o->raw[i])
            return wrong(&o->l, "out of memory");
        if (!unpack_column(o->l.t->zstd, stored, c->stored[i], o->raw[i], c->raw[i]))
            return wrong(&o->l, "a chunk that cannot be decompressed");
        o->l.columns[i] = (column_in){.at = o->raw[i], .end = o->raw[i] + c->raw[i]};
        if (i == COLUMN_TERMS) {
            o->l.stored_terms = stored;
            o->l.stored_terms_size = c->stored[i];
            o->l.raw_terms_size = c->raw[i];
        }
        stored += c->stored[i];
    }
    return true;
}

static bool load_run(loader *l, uint32_t count)
{
    run_record r = {0};
    get_run(&l->columns[0], &l->k, &r);
    if (r.clock != TRACE_VIRTUAL)
        get_workers(&l->columns[1], &l->k, &r);
    if (!column_sound(l, &l->columns[0]) || !column_sound(l, &l->columns[1]))
        return false;
    if (count != 1 || l->begun)
        return wrong(l, "the run is described twice");
    if (r.places > TRACE_PLACES)
        return wrong(l, "more places than there can be");
    l->t->run = r;
    l->begun = true;
    return true;
}

static bool load_end(loader *l, uint32_t count)
{
    const trace *t = l->t;
    end_record r = {0};
    get_end(&l->columns[0], &l->k, &r);
    if (column_left(&l->columns[1]) > 0)
        get_races(&l->columns[1], &l->k, &r);
    if (!column_sound(l, &l->columns[0]) || !column_sound(l, &l->columns[1]))
        return false;
    if (count != 1)
        return wrong(l, "the run ends twice");
    if (r.failed_goal != TRACE_NONE && r.failed_goal >= t->goals.n)
        return wrong(l, "a goal that does not exist");
    if (r.reductions != t->goals_reduced.n || r.goals != t->goals.n || r.cells != t->cells.n ||
        r.bindings != t->binding_variables.n ||
        (t->run.clock != TRACE_VIRTUAL && t->places.n != t->goals_reduced.n))
        return wrong(l, "chunks are missing: the totals differ");
    l->t->end = r;
    l->ended = true;
    return true;
}

static bool load_records(loader *l, const chunk *c)
{
    switch ((enum chunk_kind)c->kind) {
    case CHUNK_RUN:
        return load_run(l, c->count);
    case CHUNK_STRINGS:
        return load_strings(l, c->count);
    case CHUNK_SOURCES:
        return load_sources(l, c->count);
    case CHUNK_MODULES:
        return load_modules(l, c->count);
    case CHUNK_PREDICATES:
        return load_predicates(l, c->count);
    case CHUNK_CLAUSES:
        return load_clauses(l, c->count);
    case CHUNK_REDUCTIONS:
        return load_reductions(l, c->count);
    case CHUNK_WAITING:
        return load_waiting(l, c->count);
    case CHUNK_END:
        return load_end(l, c->count);
    case CHUNK_PLACES:
        return load_places(l, c->count);
    case CHUNK_PROFILE:
        return load_profile(l, c->count);
    case CHUNK_PLACE_NAMES:
        return load_place_names(l, c->count);
    case CHUNK_KINDS:
        break;
    }
    return wrong(l, "a chunk of unknown kind");
}

static bool load_chunk(opening *o, const chunk *c)
{
    loader *l = &o->l;
    if (!l->begun && c->kind != CHUNK_RUN)
        return wrong(l, "the run is not described");
    if (!unpack_chunk(o, c))
        return false;
    bool scratch =
        c->kind == CHUNK_REDUCTIONS || c->kind == CHUNK_WAITING || c->kind == CHUNK_PLACES;
    for (int i = 0; i < columns_of[c->kind]; i++)
        l->columns[i].memory = scratch ? &l->t->scratch : &l->t->tables;
    if (!load_records(l, c))
        return false;
    for (int i = 0; i < columns_of[c->kind]; i++)
        if (column_left(&l->columns[i]) > 0)
            return wrong(l, "a chunk has bytes left over");
    return true;
}

static void note_record(opening *o, const chunk *c)
{
    char *reason =
        text_format("%s (%s, record %u)", o->l.reason, chunk_names[c->kind], o->l.record);
    note(o, c->offset, reason ? reason : "out of memory");
    free(reason);
}

// All chunks, up to the end or the first wrong one. False if the caller cancelled.
static bool load_chunks(opening *o, bool (*progress)(void *, uint64_t, uint64_t), void *data)
{
    while (o->in.at < o->in.size && !o->error) {
        chunk c = {.offset = o->in.at};
        const char *reason =
            o->l.ended ? "something follows the end" : next_chunk(&o->in, o->trusting, &c);
        o->l.record = 0;
        if (reason)
            note(o, c.offset, reason);
        else if (!load_chunk(o, &c))
            note_record(o, &c);
        if (progress && !progress(data, o->in.at, o->in.size))
            return false;
    }
    if (!o->l.ended && !o->error)
        note(o, o->in.at, "the file ends before the run did");
    return true;
}

static trace *trace_create(void)
{
    trace *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->version.lock, NULL);
    t->version.cell = TRACE_NONE;
    t->zstd = ZSTD_createDCtx();
    t->run.program = "";
    t->end = (end_record){
        .ending = TRACE_UNFINISHED, .status = -1, .failed_goal = TRACE_NONE, .message = ""};
    sequence *totals[] = {&t->first_read, &t->first_followed, &t->first_binding, &t->first_cell,
                          &t->first_goal};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        if (!t->zstd || !sequence_reserve(totals[i], 0)) {
            trace_close(t);
            return NULL;
        }
        sequence_push(totals[i], 0);
    }
    return t;
}

void trace_close(trace *t)
{
    if (!t)
        return;
    terms_finish(t);
    sequence *sequences[] = {&t->times,         &t->first_read, &t->first_followed,
                             &t->first_binding, &t->first_cell, &t->first_goal};
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        sequence_finish(sequences[i]);
    void *lists[] = {t->strings.items,
                     t->sources.items,
                     t->modules.items,
                     t->place_names.items,
                     t->predicates.items,
                     t->clauses.items,
                     t->goals_reduced.items,
                     t->clauses_used.items,
                     t->places.items,
                     t->starts.items,
                     t->ends.items,
                     t->reads.items,
                     t->followed.items,
                     t->goals.items,
                     t->cells.items,
                     t->vectors.items,
                     t->binding_values.items,
                     t->binding_variables.items,
                     t->binding_longs.items,
                     t->waiting.items,
                     t->waiting_variables.items,
                     t->blocks.items};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    arena_finish(&t->tables);
    arena_finish(&t->scratch);
    block_finish(&t->work);
    ZSTD_freeDCtx(t->zstd);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->version.lock);
    free(t->version.changed.items);
    free(t->version.changes.items);
    free(t);
}

// Whether what was read makes a trace.
static bool complete(opening *o)
{
    loader *l = &o->l;
    if (!finish_waiting(l))
        note(o, o->in.at, l->reason);
    finish_places(l->t);
    if (l->t->goals_reduced.n == 0 && !l->t->profile) {
        note(o, o->in.at, "it holds no reductions");
        return false;
    }
    if (l->lost_terms || !terms_prepare(l->t)) {
        note(o, o->in.at, "out of memory");
        return false;
    }
    return true;
}

static trace *open_input(opening *o, bool (*progress)(void *, uint64_t, uint64_t), void *data,
                         char **ret_error)
{
    trace *t = trace_create();
    const char *reason = t ? check_file_header(&o->in) : "out of memory";
    bool good = !reason;
    o->l.t = t;
    if (reason) {
        note(o, 0, reason);
    } else if (!load_chunks(o, progress, data)) {
        free(o->error);
        o->error = text_format("%s: cancelled", o->in.name);
        good = false;
    } else {
        t->file_size = o->in.size;
        good = complete(o);
    }
    if (!good) {
        trace_close(t);
        t = NULL;
    }
    for (int i = 0; i < COLUMNS; i++)
        free(o->raw[i]);
    free(o->l.skips.items);
    free(o->l.place_ends.items);
    input_close(&o->in);
    if (o->error)
        *ret_error = o->error;
    return t;
}

trace *trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                  void *data, char **ret_error)
{
    opening o = {0};
    if (!input_open(&o.in, path, ret_error))
        return NULL;
    return open_input(&o, progress, data, ret_error);
}

trace *trace_open_memory(const void *bytes, size_t size, const char *name, bool trusting,
                         char **ret_error)
{
    opening o = {.in = {.name = name, .fd = -1, .bytes = bytes, .size = size},
                 .trusting = trusting};
    return open_input(&o, NULL, NULL, ret_error);
}

bool trace_verify(const char *path, char **ret_error)
{
    opening o = {0};
    if (!input_open(&o.in, path, ret_error))
        return false;
    const char *reason = check_file_header(&o.in);
    chunk c = {0};
    while (!reason && o.in.at < o.in.size && c.kind != CHUNK_END)
        reason = next_chunk(&o.in, false, &c);
    if (reason)
        note(&o, c.offset, reason);
    else if (c.kind != CHUNK_END)
        note(&o, o.in.at, "the file ends before the run did");
    else if (o.in.at < o.in.size)
        note(&o, o.in.at, "something follows the end");
    input_close(&o.in);
    if (o.error)
        *ret_error = o.error;
    return !o.error;
}
