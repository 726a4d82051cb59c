// SPDX-License-Identifier: MIT
//
// Opening, closing, verifying. A file is read in two passes. The first reads the headers of all
// chunks and loads the tables. The second loads everything else, in the order of the file, while
// other threads decode chunks of reductions ahead.
#include "base/text.h"
#include "profiler/read/loader.h"
#include "profiler/read/open.h"
#include "profiler/read/terms.h"
#include "profiler/trace_reader.h"

#include <stdio.h>
#include <sys/stat.h>

#include "profiler/format/decode.h"
#include "profiler/read/decode_ahead.h"
#include "profiler/read/stretch.h"
#include "profiler/read/sum_steps.h"
#include "profiler/read/version3.h"

typedef struct {
    chunk c; // without payload
    table_sizes tables;
} item;

typedef struct {
    input in;
    loader l;
    bool trusting;
    unpacked columns;
    ARRAY_OF(item) items;      // all chunks that are no tables
    ARRAY_OF(pool_task) tasks; // those of reductions
    // Where the first pass ended, and why if not at the end of the file.
    uint64_t scanned;
    bool stopped;
    trace_error scan_error;
    char *scan_text;
    trace_error error; // the first one
    char *text;        // of it; NULL, too, without memory
    trace_error summary_error; // what is wrong with the summary, which nothing else needs
    char *summary_text;
    bool head; // only what is no reduction is loaded
    bool tables; // not even a summary
    bool outline; // not even an end
    const trace_sum_modules *modules; // by which a summary is made from the reductions, or NULL
    bool more;                        // of it
    const trace_sum_stretch *stretch; // of which figures are made, without rows; or NULL
    bool (*progress)(void *, uint64_t, uint64_t);
    void *data;
} opening;

static const char *const chunk_names[] = {
#define CHUNK(number, name, columns, text) [number] = #name,
#include "profiler/format/events.def"
};

static bool failed(const opening *o)
{
    return o->error.kind != TRACE_SOUND;
}

static char *text_of(const opening *o, uint64_t offset, const char *reason)
{
    return trace_text_format("%s: offset %llu: %s", o->in.name, (unsigned long long)offset, reason);
}

// Keeps the first thing wrong; the text is taken.
static void keep_error(opening *o, trace_error error, char *text)
{
    if (failed(o)) {
        free(text);
        return;
    }
    o->error = error;
    o->text = text;
}

// Why bytes that should be a chunk are none, or why their records are not taken.
static trace_error_kind kind_of(const opening *o, const char *reason)
{
    if (reason == trace_no_memory)
        return TRACE_NO_MEMORY;
    return o->in.problem ? TRACE_CANNOT_READ : TRACE_DAMAGED;
}

static trace_error error_of(const opening *o, uint64_t offset, const char *reason)
{
    return (trace_error){kind_of(o, reason), offset};
}

static void note_kind(opening *o, trace_error_kind kind, uint64_t offset, const char *reason)
{
    if (!failed(o))
        keep_error(o, (trace_error){kind, offset}, text_of(o, offset, reason));
}

static void note(opening *o, uint64_t offset, const char *reason)
{
    note_kind(o, kind_of(o, reason), offset, reason);
}

// What is wrong with a record of the chunk.
static char *record_text(const opening *o, const chunk *c)
{
    char *reason =
        trace_text_format("%s (%s, record %u)", o->l.reason, chunk_names[c->kind], o->l.record);
    char *text = text_of(o, c->offset, reason ? reason : trace_no_memory);
    free(reason);
    return text;
}

static void note_record(opening *o, const chunk *c)
{
    keep_error(o, error_of(o, c->offset, o->l.reason), record_text(o, c));
}

// The trace is read on without its summary. What is wrong first is told.
static void note_summary(opening *o, const item *x, const char *reason)
{
    trace_refuse(&o->l, reason);
    if (!o->summary_text) {
        o->summary_error = error_of(o, x->c.offset, reason);
        o->summary_text = record_text(o, &x->c);
    }
    o->l.t->summary = NULL;
    o->l.reason = NULL;
}

static bool is_summary(uint32_t kind)
{
    return kind == CHUNK_SUMMARY || kind == CHUNK_DEPENDENCIES;
}

// What no other chunk needs.
static bool is_spare(uint32_t kind)
{
    return is_summary(kind) || kind == CHUNK_STANDING;
}

static bool load_run(loader *l, uint32_t count)
{
    run_record r = {0};
    get_run(&l->columns[COLUMN_RUN], &l->k, &r);
    if (r.clock != TRACE_VIRTUAL)
        get_workers(&l->columns[COLUMN_WORKERS], &l->k, &r);
    if (column_left(&l->columns[COLUMN_PART]) > 0)
        get_part(&l->columns[COLUMN_PART], &l->k, &r);
    for (int i = COLUMN_RUN; i <= COLUMN_PART; i++)
        if (!trace_column_sound(l, &l->columns[i]))
            return false;
    if (count != 1 || l->begun)
        return trace_refuse(l, "the run is described twice");
    if (r.places > TRACE_PLACES)
        return trace_refuse(l, "more places than there can be");
    l->t->run = r;
    l->begun = true;
    return true;
}

static bool load_end(loader *l, uint32_t count)
{
    const trace *t = l->t;
    end_record r = {0};
    get_end(&l->columns[0], &l->k, &r);
    if (column_left(&l->columns[COLUMN_RACES]) > 0)
        get_races(&l->columns[COLUMN_RACES], &l->k, &r);
    r.cut = column_left(&l->columns[COLUMN_CUT]) > 0;
    if (r.cut)
        get_cut(&l->columns[COLUMN_CUT], &l->k, &r.whole);
    for (int i = COLUMN_ENDING; i <= COLUMN_CUT; i++)
        if (!trace_column_sound(l, &l->columns[i]))
            return false;
    if (count != 1)
        return trace_refuse(l, "the run ends twice");
    if (r.cut && (r.whole.span < 0 || r.reductions == 0 || r.whole.reductions < r.reductions - 1))
        return trace_refuse(l, "a trace that was cut has more than the run");
    if (t->summary && !trace_summary_fits(t->summary, &r))
        l->t->summary = NULL;
    if (l->head) {
        l->t->end = r;
        l->ended = true;
        return true;
    }
    if (r.failed_goal != TRACE_NONE && r.failed_goal >= t->goals.n)
        return trace_refuse(l, "a goal that does not exist");
    if (r.reductions != t->goals_reduced.n || r.goals != t->goals.n || r.cells != t->cells.n ||
        r.bindings != t->binding_variables.n ||
        (t->run.clock != TRACE_VIRTUAL && t->places.n != t->goals_reduced.n))
        return trace_refuse(l, "chunks are missing: the totals differ");
    l->t->end = r;
    l->ended = true;
    return true;
}

// ---------------------------------------------------------------------------------------------
// The first pass

static bool is_table(uint32_t kind)
{
    return (kind >= CHUNK_RUN && kind <= CHUNK_CLAUSES) || kind == CHUNK_PLACE_NAMES ||
           kind == CHUNK_TOTALS || kind == CHUNK_DATA_FILES || kind == CHUNK_MEANINGS;
}

static bool load_table(loader *l, const chunk *c)
{
    switch ((enum chunk_kind)c->kind) {
    case CHUNK_RUN:
        return load_run(l, c->count);
    case CHUNK_STRINGS:
        return trace_load_strings(l, c->count);
    case CHUNK_SOURCES:
        return trace_load_sources(l, c->count);
    case CHUNK_MODULES:
        return trace_load_modules(l, c->count);
    case CHUNK_PREDICATES:
        return trace_load_predicates(l, c->count);
    case CHUNK_CLAUSES:
        return trace_load_clauses(l, c->count);
    case CHUNK_PLACE_NAMES:
        return trace_load_place_names(l, c->count);
    case CHUNK_TOTALS:
        return trace_load_totals(l, c->count);
    case CHUNK_DATA_FILES:
        return trace_load_data_files(l, c->count);
    case CHUNK_MEANINGS:
        return trace_load_meanings(l, c->count);
    default:
        return trace_refuse(l, "a chunk of unknown kind");
    }
}

// Unpacks the chunk and has its records loaded.
static bool load_chunk(opening *o, const chunk *c, arena *memory,
                       bool (*load)(loader *l, const chunk *c))
{
    loader *l = &o->l;
    const char *reason = trace_unpack_chunk(&o->columns, l->t->zstd, c);
    if (reason)
        return trace_refuse(l, reason);
    for (int i = 0; i < trace_chunk_columns(c->kind); i++)
        l->columns[i] = (column_in){
            .at = o->columns.raw[i], .end = o->columns.raw[i] + c->raw[i], .memory = memory};
    if (!load(l, c))
        return false;
    for (int i = 0; i < trace_chunk_columns(c->kind); i++)
        if (column_left(&l->columns[i]) > 0)
            return trace_refuse(l, "a chunk has bytes left over");
    return true;
}

static table_sizes sizes_of(const trace *t)
{
    return (table_sizes){(uint32_t)t->strings.n,    (uint32_t)t->sources.n,
                         (uint32_t)t->modules.n,    (uint32_t)t->place_names.n,
                         (uint32_t)t->predicates.n, (uint32_t)t->clauses.n,
                         t->totals != NULL};
}

// A chunk that is no table is left for later.
static const char *pass_over(opening *o, chunk *c)
{
    uint64_t size = trace_chunk_size(c);
    item x = {.c = *c, .tables = sizes_of(o->l.t)};
    if (size > o->in.size - o->in.at)
        return "the file ends inside a chunk";
    if (!ARRAY_RESERVE(o->items, 1) || !ARRAY_RESERVE(o->tasks, 1))
        return trace_no_memory;
    o->in.at += size;
    o->items.at[o->items.n++] = x;
    if (c->kind == CHUNK_REDUCTIONS)
        o->tasks.at[o->tasks.n++] = (pool_task){c->offset, x.tables};
    return NULL;
}

// Why the first pass ends here; the text is taken.
static void stop(opening *o, uint64_t offset, const char *reason, char *text)
{
    o->stopped = true;
    o->scan_error = error_of(o, offset, reason);
    o->scan_text = text;
}

static void stop_at(opening *o, uint64_t offset, const char *reason)
{
    stop(o, offset, reason, text_of(o, offset, reason));
}

static void stop_at_record(opening *o, const chunk *c)
{
    stop(o, c->offset, o->l.reason, record_text(o, c));
}

static void scan_chunk(opening *o)
{
    chunk c = {.offset = o->in.at};
    loader *l = &o->l;
    l->record = 0;
    const char *reason = trace_next_header(&o->in, &c);
    if (!reason && is_table(c.kind)) {
        o->in.at = c.offset;
        reason = trace_next_chunk(&o->in, o->trusting, &c);
    }
    if (reason) {
        stop_at(o, c.offset, reason);
    } else if (!l->begun && c.kind != CHUNK_RUN) {
        trace_refuse(l, "the run is not described");
        stop_at_record(o, &c);
    } else if (is_table(c.kind)) {
        if (!load_chunk(o, &c, &l->t->tables, load_table))
            stop_at_record(o, &c);
    } else if ((reason = pass_over(o, &c))) {
        stop_at(o, c.offset, reason);
    } else if (c.kind == CHUNK_END && o->in.at < o->in.size) {
        stop_at(o, o->in.at, "something follows the end");
    }
}

static void scan(opening *o)
{
    while (o->in.at < o->in.size && !o->stopped)
        scan_chunk(o);
    o->scanned = o->in.at;
    o->l.reason = NULL;
}

// ---------------------------------------------------------------------------------------------
// The second pass

static bool load_rest(loader *l, const chunk *c)
{
    switch ((enum chunk_kind)c->kind) {
    case CHUNK_WAITING:
        return trace_load_waiting(l, c->count);
    case CHUNK_END:
        return load_end(l, c->count);
    case CHUNK_PLACES:
        return trace_load_places(l, c->count);
    case CHUNK_PROFILE:
        return trace_load_profile(l, c->count);
    case CHUNK_REGIONS:
        return trace_load_regions(l, c->count);
    case CHUNK_FIGURES_RAN:
        return trace_load_figures_ran(l, c->count);
    case CHUNK_DROPPED:
        return trace_load_dropped(l, c->count);
    case CHUNK_MACHINE:
        return trace_load_machine(l, c->count);
    case CHUNK_WORKERS:
        return trace_load_workers(l, c->count);
    case CHUNK_SAMPLES:
        return trace_load_samples(l, c->count);
    case CHUNK_READY:
        return trace_load_ready(l, c->count);
    case CHUNK_SUMMARY:
        return trace_load_summary(l, c->count);
    case CHUNK_DEPENDENCIES:
        return trace_load_dependencies(l, c->count);
    case CHUNK_STANDING:
        return trace_load_standing(l, c->count);
    default:
        return trace_refuse(l, "a chunk of unknown kind");
    }
}

static void load_item(opening *o, const item *x, pool *p)
{
    chunk c = x->c;
    trace *t = o->l.t;
    o->l.record = 0;
    if (c.kind == CHUNK_REDUCTIONS) {
        steps *s = trace_pool_next(p);
        if (s->broken)
            note(o, c.offset, s->reason);
        else if (!trace_load_steps(&o->l, s))
            note_record(o, &c);
    } else {
        o->in.at = c.offset;
        const char *reason = trace_next_chunk(&o->in, o->trusting, &c);
        bool kept = c.kind == CHUNK_END || c.kind == CHUNK_PROFILE || c.kind == CHUNK_REGIONS ||
                    c.kind == CHUNK_FIGURES_RAN ||
                    c.kind == CHUNK_DROPPED || c.kind == CHUNK_READY || is_summary(c.kind);
        if (!reason && load_chunk(o, &c, kept ? &t->tables : &t->scratch, load_rest))
            return;
        if (is_spare(x->c.kind))
            note_summary(o, x, reason ? reason : o->l.reason);
        else if (reason)
            note(o, c.offset, reason);
        else
            note_record(o, &c);
    }
}

// What tables have that was only met after something wrong is taken back.
static void cut_tables(trace *t, const table_sizes *sizes)
{
    t->strings.n = sizes->strings;
    t->sources.n = sizes->sources;
    t->modules.n = sizes->modules;
    t->place_names.n = sizes->place_names;
    t->predicates.n = sizes->predicates;
    t->clauses.n = sizes->clauses;
    t->totals = sizes->totals ? t->totals : NULL;
}

static bool is_empty(const trace *t)
{
    return t->goals_reduced.n == 0 && !t->profile && !t->totals && !t->samples;
}

// A run that goes on writes its tables first, and reductions after a while.
static void note_unended(opening *o)
{
    bool empty = is_empty(o->l.t);
    note_kind(o, TRACE_UNENDED, o->scanned,
              empty ? "the file ends before the run did: nothing of the run is recorded yet, which has only begun "
                      "or was killed"
                    : "the file ends before the run did");
}

// All chunks, up to the end or the first wrong one. False if the caller cancelled.
static bool load_items(opening *o, pool *p, bool (*progress)(void *, uint64_t, uint64_t),
                       void *data)
{
    for (size_t i = 0; i < o->items.n && !failed(o); i++) {
        const item *x = &o->items.at[i];
        load_item(o, x, p);
        if (failed(o))
            cut_tables(o->l.t, &x->tables);
        uint64_t done = x->c.offset + CHUNK_HEADER + trace_chunk_size(&x->c);
        if (progress && !progress(data, done, o->in.size))
            return false;
    }
    if (o->stopped) {
        keep_error(o, o->scan_error, o->scan_text);
        o->scan_text = NULL;
    }
    if (!o->l.ended && !failed(o))
        note_unended(o);
    if (failed(o)) // it may tell of what is missing
        o->l.t->summary = NULL;
    if (o->summary_text) {
        keep_error(o, o->summary_error, o->summary_text);
        o->summary_text = NULL;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// A trace

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
    const uint32_t none = 0;
    bool good = t->zstd != NULL;
#define TOTALS(name, ends, before) good = good && trace_sequence_append(&t->name, &none, 1, 0);
#include "profiler/read/lists.def"
    if (!good) {
        trace_close(t);
        return NULL;
    }
    return t;
}

void trace_close(trace *t)
{
    if (!t)
        return;
    trace_terms_finish(t);
    if (t->sums && t->summary) {
        trace_sums_free(t->summary);
        free(t->summary);
    }
    trace_sums_destroy(t->sums);
    for (size_t i = 0; i < t->strings.n; i++)
        free(t->strings.at[i].printable);
    free(t->program);
    trace_stretch_free(t->stretch);
#define LIST(type, name)             free(t->name.at);
#define CHUNK_LIST(type, name, most) free(t->name.at);
#define SEQUENCE(name, append)       trace_sequence_finish(&t->name);
#include "profiler/read/lists.def"
    trace_arena_finish(&t->tables);
    trace_arena_finish(&t->scratch);
    trace_block_finish(&t->work);
    ZSTD_freeDCtx(t->zstd);
    pthread_mutex_destroy(&t->lock);
    pthread_mutex_destroy(&t->version.lock);
    trace_sequence_finish(&t->goal_parents);
    trace_sequence_finish(&t->cell_makers);
    trace_sequence_finish(&t->binding_makers);
    free(t->version.changed.at);
    free(t->version.changes.at);
    free(t);
}

// Whether what was read makes a trace.
static bool complete(opening *o)
{
    loader *l = &o->l;
    if (!trace_finish_waiting(l))
        note(o, o->scanned, l->reason);
    trace_finish_places(l->t);
    if (is_empty(l->t)) {
        note(o, o->scanned, "it holds no reductions");
        return false;
    }
    size_t n = l->t->goals_reduced.n;
    if (l->lost_terms || !trace_finish_samples(l->t) || !trace_terms_prepare(l->t) ||
        !trace_finish_passing(l->t) ||
        (n > 0 &&
         (!trace_sequence_invert(&l->t->first_goal, n, &l->t->goal_parents) ||
          !trace_sequence_invert(&l->t->first_cell, n, &l->t->cell_makers) ||
          !trace_sequence_invert(&l->t->first_binding, n, &l->t->binding_makers)))) {
        note(o, o->scanned, trace_no_memory);
        return false;
    }
    trace *t = l->t;
    t->program = base_printable(t->run.program);
    t->end.whole.recorded = n - 1;
    t->end.whole.last = n > 0 ? trace_time(t, (uint32_t)n - 1) : 0;
    return true;
}

// Of a trace that was read, for each reduction: up to 65 bytes in streams, merge sorts, Fibonacci numbers.
enum { BYTES_FOR_REDUCTION = 65 };

static uint64_t memory_limit;

void trace_limit_memory(uint64_t bytes)
{
    memory_limit = bytes;
}

static uint64_t count_reductions(const opening *o)
{
    uint64_t n = 0;
    for (size_t i = 0; i < o->items.n; i++)
        if (o->items.at[i].c.kind == CHUNK_REDUCTIONS)
            n += o->items.at[i].c.count;
    return n;
}

static bool fits_memory(opening *o)
{
    uint64_t reductions = count_reductions(o);
    uint64_t need = reductions * BYTES_FOR_REDUCTION;
    if (memory_limit == 0 || need <= memory_limit)
        return true;
    keep_error(o, (trace_error){.kind = TRACE_NO_MEMORY},
               trace_text_format("%s: reading its %llu records would take about %llu MB of memory, "
                                 "and %llu MB are allowed",
                                 o->in.name, (unsigned long long)reductions,
                                 (unsigned long long)(need >> 20),
                                 (unsigned long long)(memory_limit >> 20)));
    return false;
}

static bool load_all(opening *o, bool (*progress)(void *, uint64_t, uint64_t), void *data)
{
    trace *t = o->l.t;
    scan(o);
    if (!fits_memory(o))
        return false;
    pool *p = trace_pool_create(t, false, &o->in, o->trusting, o->tasks.at, o->tasks.n);
    if (!p) {
        note(o, 0, trace_no_memory);
        return false;
    }
    bool good = load_items(o, p, progress, data);
    trace_pool_destroy(p);
    if (!good) {
        free(o->text);
        o->error = (trace_error){.kind = TRACE_CANCELLED};
        o->text = trace_text_format("%s: cancelled", o->in.name);
        return false;
    }
    t->file_size = o->in.size;
    return complete(o);
}

// The end, and the summary of the file if it is wanted. False: anything is wrong or missing.
static bool load_ends(opening *o, bool summary)
{
    scan(o);
    bool sound = !o->stopped;
    o->l.head = true;
    for (size_t i = 0; i < o->items.n && sound; i++) {
        const item *x = &o->items.at[i];
        if (x->c.kind == CHUNK_END || (summary && is_summary(x->c.kind)))
            load_item(o, x, NULL);
        sound = !failed(o) && !o->summary_text;
    }
    trace *t = o->l.t;
    t->file_size = o->in.size;
    t->program = base_printable(t->run.program);
    t->end.whole.recorded = t->end.reductions - 1;
    return sound && o->l.ended;
}

// What is needed of a summary, and no reductions: if anything is wrong or missing there is none.
static bool load_head(opening *o)
{
    trace *t = o->l.t;
    if (!load_ends(o, true) || !t->summary)
        return false;
    t->end.whole.last = t->summary->span;
    return true;
}

// The first chunk has the beginning, which a partition by default asks for.
static bool load_tables(opening *o)
{
    trace *t = o->l.t;
    if (!load_ends(o, false) || t->run.clock != TRACE_VIRTUAL || o->tasks.n == 0)
        return false;
    pool *p = trace_pool_create(t, false, &o->in, o->trusting, o->tasks.at, 1);
    steps *s = p ? trace_pool_next(p) : NULL;
    bool good = s && !s->broken && trace_load_steps(&o->l, s);
    if (p)
        trace_pool_destroy(p);
    return good;
}

static bool load_outline(opening *o)
{
    trace *t = o->l.t;
    scan(o);
    uint64_t n = count_reductions(o);
    t->program = base_printable(t->run.program);
    t->end.reductions = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    return o->l.begun;
}

// ---------------------------------------------------------------------------------------------
// A summary made from the reductions

static bool sum_chunks(opening *o, pool *p, sums *s)
{
    size_t ndone = 0;
    for (size_t i = 0; i < o->items.n; i++) {
        const item *x = &o->items.at[i];
        if (x->c.kind != CHUNK_REDUCTIONS)
            continue;
        if (!trace_sum_steps(s, trace_pool_next(p)))
            return false;
        ndone += x->c.count;
        if (o->progress && !o->progress(o->data, ndone, o->l.t->end.reductions))
            return false;
    }
    return true;
}

static bool make_summary(opening *o, pool *p)
{
    trace *t = o->l.t;
    t->sums = trace_sums_of(t, o->modules, o->more);
    t->summary = t->sums ? calloc(1, sizeof *t->summary) : NULL;
    return t->summary && sum_chunks(o, p, t->sums) &&
           trace_sums_finish(t->sums, UINT64_MAX, t->summary) && trace_summary_fits(t->summary, &t->end);
}

static bool load_sums(opening *o)
{
    trace *t = o->l.t;
    if (!load_ends(o, false) || t->run.clock != TRACE_VIRTUAL || t->format < FILE_PASSES ||
        o->tasks.n == 0)
        return false;
    pool *p = trace_pool_create(t, true, &o->in, o->trusting, o->tasks.at, o->tasks.n);
    bool made = p && make_summary(o, p);
    if (p)
        trace_pool_destroy(p);
    if (made)
        t->end.whole.last = t->summary->span;
    return made;
}

// ---------------------------------------------------------------------------------------------
// A stretch of time

// What stands before a chunk of reductions. False: it is damaged.
static bool load_standing(opening *o, const item *x, standing *ret)
{
    chunk c;
    o->in.at = x->c.offset;
    o->l.record = 0;
    if (trace_next_chunk(&o->in, o->trusting, &c) || trace_unpack_chunk(&o->columns, o->l.t->zstd, &c))
        return false;
    for (int i = 0; i < trace_chunk_columns(c.kind); i++)
        o->l.columns[i] = (column_in){
            .at = o->columns.raw[i], .end = o->columns.raw[i] + c.raw[i], .memory = &o->l.t->scratch};
    return trace_get_standing(&o->l, c.count, ret);
}

// How many of these items, which tell what stands before a step, are of steps before `time`; by bisection.
static bool last_before(opening *o, const size_t *items, size_t n, int64_t time, size_t *ret)
{
    size_t first = 0;
    for (size_t end = n; first < end;) {
        size_t middle = first + (end - first) / 2;
        standing s;
        bool good = load_standing(o, &o->items.at[items[middle]], &s);
        trace_arena_reset(&o->l.t->scratch);
        if (!good)
            return false;
        if (s.time < time)
            first = middle + 1;
        else
            end = middle;
    }
    *ret = first;
    return true;
}

// Chunks of reductions from item `first` on, until the stretch is over.
static bool read_stretch(opening *o, stretch_sums *to, size_t first)
{
    size_t ntasks = 0;
    for (size_t i = 0; i < first; i++)
        ntasks += o->items.at[i].c.kind == CHUNK_REDUCTIONS;
    pool *p = trace_pool_create(o->l.t, true, &o->in, o->trusting, o->tasks.at + ntasks, o->tasks.n - ntasks);
    bool good = p != NULL;
    for (size_t i = first; good && i < o->items.n && !trace_stretch_over(to); i++) {
        const item *x = &o->items.at[i];
        standing before = {.nmodules = 0};
        if (x->c.kind != CHUNK_STANDING && x->c.kind != CHUNK_REDUCTIONS)
            continue;
        if (x->c.kind == CHUNK_STANDING)
            good = load_standing(o, x, &before) && ++i < o->items.n &&
                   o->items.at[i].c.kind == CHUNK_REDUCTIONS;
        good = good && trace_stretch_take(to, trace_pool_next(p), before.nmodules > 0 ? &before : NULL);
        trace_arena_reset(&o->l.t->scratch);
        if (o->progress && !o->progress(o->data, x->c.offset, o->in.size))
            good = false;
    }
    if (p)
        trace_pool_destroy(p);
    return good;
}

static bool load_stretch(opening *o)
{
    if (!load_head(o) || o->l.t->run.clock != TRACE_VIRTUAL || o->l.t->format < FILE_PASSES)
        return false;
    size_t n = 0, before = 0, *items = calloc(o->items.n + 1, sizeof *items);
    for (size_t i = 0; items && i < o->items.n; i++)
        if (o->items.at[i].c.kind == CHUNK_STANDING)
            items[n++] = i;
    bool good = items && n > 0 && last_before(o, items, n, o->stretch->from, &before);
    stretch_sums *to = good ? trace_stretch_create(o->l.t, o->stretch) : NULL;
    good = to && read_stretch(o, to, before > 0 ? items[before - 1] : 0);
    if (to)
        good = trace_stretch_finish(to, good ? o->l.t : NULL) && good;
    free(items);
    return good;
}

static char *taken_text(opening *o)
{
    return o->text ? o->text : strdup(trace_no_memory);
}

static bool check_header(opening *o, uint32_t *ret_version)
{
    const char *reason;
    trace_error_kind kind = trace_check_file_header(&o->in, ret_version, &reason);
    if (kind != TRACE_SOUND)
        note_kind(o, kind, 0, reason);
    else
        o->l.k.nfigures = *ret_version == 3 ? VERSION3_FIGURES : TRACE_FIGURES;
    return kind == TRACE_SOUND;
}

static trace *open_input(opening *o, bool (*progress)(void *, uint64_t, uint64_t), void *data,
                         trace_error *ret_error, char **ret_text)
{
    trace *t = trace_create();
    o->l.t = t;
    if (!t)
        note(o, 0, trace_no_memory);
    if (!t || !check_header(o, &t->format) ||
        !(o->modules  ? load_sums(o)
          : o->stretch ? load_stretch(o)
          : o->outline ? load_outline(o)
          : o->tables ? load_tables(o)
          : o->head   ? load_head(o)
                      : load_all(o, progress, data))) {
        trace_close(t);
        t = NULL;
    }
    trace_unpacked_finish(&o->columns);
    free(o->items.at);
    free(o->tasks.at);
    free(o->scan_text);
    free(o->summary_text);
    free(o->l.skips.at);
    trace_version3_finish(&o->l.version3);
    free(o->l.place_ends.at);
    trace_input_close(&o->in);
    *ret_error = o->error;
    if (failed(o))
        *ret_text = taken_text(o);
    return t;
}

trace *trace_open_explained(const char *path,
                            bool (*progress)(void *data, uint64_t done, uint64_t total), void *data,
                            trace_error *ret_error, char **ret_text)
{
    opening o = {0};
    if (trace_input_open(&o.in, path, ret_text))
        return open_input(&o, progress, data, ret_error, ret_text);
    *ret_error = (trace_error){.kind = TRACE_CANNOT_READ};
    return NULL;
}

static trace *open_quietly(opening *o, const char *path)
{
    trace_error ignored;
    char *text = NULL;
    trace *t = NULL;
    struct stat status; // a pipe can be read only once
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && trace_input_open(&o->in, path, &text))
        t = open_input(o, NULL, NULL, &ignored, &text);
    free(text);
    return t;
}

trace *trace_open_head(const char *path)
{
    opening o = {.head = true};
    return open_quietly(&o, path);
}

trace *trace_open_tables(const char *path)
{
    opening o = {.tables = true};
    return open_quietly(&o, path);
}

trace *trace_open_outline(const char *path)
{
    opening o = {.outline = true};
    return open_quietly(&o, path);
}

trace *trace_sum_up(const char *path, const trace_sum_modules *modules, bool more,
                    bool (*progress)(void *data, uint64_t done, uint64_t total), void *data)
{
    opening o = {.modules = modules, .more = more, .progress = progress, .data = data};
    return open_quietly(&o, path);
}

trace *trace_open_stretch(const char *path, int64_t from, int64_t width, uint32_t n,
                          bool (*progress)(void *data, uint64_t done, uint64_t total), void *data)
{
    trace_sum_stretch wanted = {.from = from, .width = width, .n = n};
    opening o = {.stretch = &wanted, .progress = progress, .data = data};
    return open_quietly(&o, path);
}

trace *trace_open(const char *path, bool (*progress)(void *data, uint64_t done, uint64_t total),
                  void *data, char **ret_error)
{
    trace_error ignored;
    return trace_open_explained(path, progress, data, &ignored, ret_error);
}

trace *trace_open_memory(const void *bytes, size_t size, const char *name, bool trusting,
                         trace_error *ret_error, char **ret_text)
{
    opening o = {.in = {.name = name, .fd = -1, .bytes = bytes, .size = size},
                 .trusting = trusting};
    return open_input(&o, NULL, NULL, ret_error, ret_text);
}

trace *trace_sum_up_memory(const void *bytes, size_t size, const char *name, bool trusting,
                           const trace_sum_modules *modules)
{
    trace_error ignored;
    char *text = NULL;
    opening o = {.in = {.name = name, .fd = -1, .bytes = bytes, .size = size},
                 .trusting = trusting,
                 .modules = modules,
                 .more = true};
    trace *t = open_input(&o, NULL, NULL, &ignored, &text);
    free(text);
    return t;
}

trace *trace_open_stretch_memory(const void *bytes, size_t size, const char *name, bool trusting,
                                 int64_t from, int64_t width, uint32_t n)
{
    trace_error ignored;
    char *text = NULL;
    trace_sum_stretch wanted = {.from = from, .width = width, .n = n};
    opening o = {.in = {.name = name, .fd = -1, .bytes = bytes, .size = size},
                 .trusting = trusting,
                 .stretch = &wanted};
    trace *t = open_input(&o, NULL, NULL, &ignored, &text);
    free(text);
    return t;
}

bool trace_verify(const char *path, char **ret_error)
{
    opening o = {0};
    if (!trace_input_open(&o.in, path, ret_error))
        return false;
    uint32_t version;
    const char *reason = NULL;
    chunk c = {0};
    bool begun = check_header(&o, &version);
    while (begun && !reason && o.in.at < o.in.size && c.kind != CHUNK_END)
        reason = trace_next_chunk(&o.in, false, &c);
    if (reason)
        note(&o, c.offset, reason);
    else if (begun && c.kind != CHUNK_END)
        note_kind(&o, TRACE_UNENDED, o.in.at, "the file ends before the run did");
    else if (begun && o.in.at < o.in.size)
        note(&o, o.in.at, "something follows the end");
    trace_input_close(&o.in);
    if (failed(&o))
        *ret_error = taken_text(&o);
    return !failed(&o);
}
