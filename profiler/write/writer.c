// SPDX-License-Identifier: MIT
//
// The writer's calls. Tables are kept as far as later calls need them. Reductions and strings
// become records of a stream, which another thread encodes (stream.h). All other calls drain the
// stream first and then encode at once.
#include "base/table.h"
#include "profiler/write/encoder.h"
#include "profiler/write/limit.h"
#include "profiler/write/stream.h"

struct tw {
    stream s;
    encoder e; // the stream's; after trace_stream_drain() it may be looked at

    uint32_t nsources, nmodules, nplaces, npredicates;
    bool knows[MEANINGS][256]; // numbers whose strings were written
    ARRAY_OF(string_record) strings;
    base_index string_index; // of them, by text
    arena tables;            // texts of strings, templates of clauses
    ARRAY_OF(clause_entry) clauses;
    ARRAY_OF(uint64_t) longs; // of the reduction being written
    uint32_t raced;
    trace_cut *cut; // to be filled
};

static bool failed(const tw *w)
{
    return w->e.failed;
}

// The error is the encoder's, so nothing may be under way.
static void out_of_memory(tw *w)
{
    trace_stream_drain(&w->s);
    trace_encoder_fail(&w->e, "out of memory");
}

static void destroy(tw *w)
{
    trace_stream_finish(&w->s);
    trace_encoder_finish(&w->e);
    free(w->e.error);
    trace_arena_finish(&w->tables);
    index_free(&w->string_index);
    free(w->strings.at);
    free(w->clauses.at);
    free(w->longs.at);
    free(w);
}

static bool initialise(tw *w, const char *path, base_output_kind kind)
{
    trace_stream_init(&w->s, trace_encode_records, &w->e);
    return trace_encoder_init(&w->e, path, kind);
}

static void begin(tw *w, const trace_run *run, const char *program)
{
    const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;
    run_record r = {
        .program = base, .length = strlen(base), .clock = run->clock, .places = run->places};
    r.part = run->part;
    r.part_length = run->part ? strlen(run->part) : 0;
    r.summed = run->summed;
    trace_encode_run(&w->e, &r);
    if (run->places > TRACE_PLACES)
        trace_encoder_fail(&w->e, "more than %u places", TRACE_PLACES);
}

tw *tw_create(const char *path, const trace_run *run, const char *program, char **ret_error)
{
    return tw_create_as(path, BASE_OUTPUT_WHOLE, run, program, ret_error);
}

tw *tw_create_as(const char *path, base_output_kind kind, const trace_run *run, const char *program,
                 char **ret_error)
{
    tw *w = calloc(1, sizeof *w);
    if (!w) {
        *ret_error = strdup("out of memory");
        return NULL;
    }
    if (!initialise(w, path, kind)) {
        *ret_error = strdup("out of memory");
        destroy(w);
        return NULL;
    }
    begin(w, run, program);
    if (failed(w)) {
        *ret_error = w->e.error;
        w->e.error = NULL;
        destroy(w);
        return NULL;
    }
    return w;
}

// What is under way is no part of what the caller knows of a writer.
static encoder *drained(const tw *w)
{
    tw *mutable = (tw *)(uintptr_t)w;
    trace_stream_drain(&mutable->s);
    return &mutable->e;
}

void tw_limit(tw *w, uint64_t bytes, trace_cut *ret_cut)
{
    encoder *e = drained(w);
    *ret_cut = (trace_cut){0};
    w->cut = ret_cut;
    if (!e->limit && !trace_limit_create(e, bytes))
        trace_encoder_fail(e, "out of memory");
}

uint64_t tw_least(tw *w)
{
    encoder *e = drained(w);
    return e->limit && !e->failed ? trace_limit_least(e) : 0;
}

bool tw_has_name(const tw *w)
{
    const encoder *e = drained(w);
    return e->out && base_output_has_name(e->out);
}

uint64_t tw_bytes(const tw *w)
{
    return drained(w)->bytes;
}

const char *tw_error(const tw *w)
{
    return drained(w)->error;
}

// ---------------------------------------------------------------------------------------------
// Tables

static bool has_room(tw *w, size_t total)
{
    if (total < INDEX_LIMIT)
        return true;
    trace_encoder_fail(drained(w), "more than %u entries in a table", INDEX_LIMIT);
    return false;
}

// The index of the next entry of a table.
static uint32_t next_index(tw *w, uint32_t *total)
{
    return has_room(w, *total) ? (*total)++ : 0;
}

// A string that is new.
static uint32_t add_string(tw *w, const char *text, size_t length, uint64_t hash)
{
    size_t words = sizeof(raw_string) / sizeof(uint64_t);
    char *copy = trace_arena_take(&w->tables, length + 1);
    bool good = copy && ARRAY_RESERVE(w->strings, 1) && index_reserve(&w->string_index);
    uint64_t *room = good ? stream_room(&w->s, words) : NULL;
    if (!room) {
        out_of_memory(w);
        return 0;
    }
    if (!has_room(w, w->strings.n))
        return 0;
    memcpy(copy, text, length);
    uint32_t index = (uint32_t)w->strings.n;
    raw_string *raw = (void *)room;
    *raw = (raw_string){.kind = RAW_STRING, .size = words, .text = copy, .length = length};
    stream_add(&w->s, words);
    w->strings.at[w->strings.n++] = (string_record){.text = copy, .length = length};
    index_add(&w->string_index, hash, index);
    return index;
}

uint32_t tw_string(tw *w, const char *text, size_t length)
{
    if (failed(w))
        return 0;
    uint64_t hash = hash_bytes(length, text, length);
    uint32_t found;
    INDEX_FIND(found, &w->string_index, hash, i,
               w->strings.at[i].length == length &&
                   memcmp(w->strings.at[i].text, text, length) == 0);
    return found == INDEX_NONE ? add_string(w, text, length, hash) : found;
}

uint32_t tw_source(tw *w, const char *name, const char *text, size_t length)
{
    trace_source r;
    r.name = tw_string(w, name, strlen(name));
    r.text = tw_string(w, text, length);
    if (failed(w))
        return 0;
    trace_encode_source(drained(w), &r);
    return next_index(w, &w->nsources);
}

uint32_t tw_module(tw *w, const char *name)
{
    const trace_module none = {.source = TRACE_NONE};
    return tw_construct(w, name, &none);
}

uint32_t tw_construct(tw *w, const char *name, const trace_module *module)
{
    trace_module r = *module;
    r.name = tw_string(w, name, strlen(name));
    if (failed(w))
        return 0;
    trace_encode_module(drained(w), &r);
    return next_index(w, &w->nmodules);
}

uint32_t tw_place(tw *w, const char *name)
{
    place_name_record r = {.name = tw_string(w, name, strlen(name))};
    if (failed(w))
        return 0;
    trace_encode_place_name(drained(w), &r);
    return next_index(w, &w->nplaces);
}

static uint32_t add_predicate(tw *w, trace_predicate r, const char *name)
{
    r.name = tw_string(w, name, strlen(name));
    if (failed(w))
        return 0;
    trace_encode_predicate(drained(w), &r);
    return next_index(w, &w->npredicates);
}

uint32_t tw_predicate(tw *w, uint32_t module, const char *name, uint32_t arity,
                      trace_origin origin)
{
    trace_predicate r = {.module = module, .arity = arity, .origin = (uint8_t)origin};
    return add_predicate(w, r, name);
}

uint32_t tw_activities(tw *w, uint32_t module, const char *name, uint32_t arity, trace_kind kind)
{
    trace_predicate r = {.module = module, .arity = arity, .origin = TRACE_PROGRAM, .kind = kind};
    return add_predicate(w, r, name);
}

// The string of a number; the first time it is asked for the file learns what the string means.
static uint32_t add_meaning(tw *w, meaning_table table, trace_number number, const char *name)
{
    meaning_record r = {.table = table, .number = number};
    r.string = tw_string(w, name ? name : "", name ? strlen(name) : 0);
    if (failed(w) || !name || w->knows[table][number])
        return r.string;
    w->knows[table][number] = true;
    trace_encode_meaning(drained(w), &r);
    return r.string;
}

uint32_t tw_key(tw *w, trace_key key)
{
    return add_meaning(w, MEANS_KEY, key, trace_key_name(key));
}

uint32_t tw_schedule(tw *w, trace_schedule schedule)
{
    return add_meaning(w, MEANS_SCHEDULE, schedule, trace_schedule_name(schedule));
}

uint32_t tw_edge(tw *w, trace_edge edge)
{
    return add_meaning(w, MEANS_EDGE, edge, trace_edge_name(edge));
}

// The nodes with what has no meaning for their kind set to 0, so that the bytes do not depend on
// it. NULL without memory.
static trace_node *plain_nodes(const trace_node *from, uint32_t n)
{
    trace_node *nodes = calloc(n + 1u, sizeof *nodes);
    for (uint32_t i = 0; nodes && i < n; i++) {
        const trace_node *node = &from[i];
        nodes[i] = (trace_node){.kind = node->kind, .value = {.kind = TV_INT}};
        if (node->kind != TN_CONST)
            nodes[i].index = node->index;
        if (node->kind == TN_CONST || node->kind == TN_STRUCT)
            nodes[i].value = node->value;
        if (node->kind >= TN_CONS) {
            nodes[i].first = node->first;
            nodes[i].n = node->n;
        }
    }
    return nodes;
}

static void *copy_array(tw *w, const void *items, uint64_t n, size_t size)
{
    void *copy = n > SIZE_MAX / 2 / size ? NULL : trace_arena_take(&w->tables, (size_t)n * size);
    if (copy && n > 0)
        memcpy(copy, items, (size_t)n * size);
    return copy;
}

// Keeps what predictions need of a clause. The reason why it is none, or NULL.
static const char *keep_clause(tw *w, const trace_clause *clause, clause_entry *e)
{
    *e = (clause_entry){.clause = *clause};
    trace_clause *c = &e->clause;
    uint64_t nguesses = (uint64_t)HOLE_GUESSES + c->nholes;
    c->nodes = copy_array(w, clause->nodes, c->nnodes, sizeof *c->nodes);
    c->children = copy_array(w, clause->children, c->nchildren, sizeof *c->children);
    c->items = copy_array(w, clause->items, c->nitems, sizeof *c->items);
    c->looks = c->names = NULL; // the caller's
    c->head = c->unused = c->pattern_children = NULL;
    c->guards = NULL;
    c->patterns = NULL;
    e->guesses = trace_arena_take(&w->tables, (size_t)nguesses * sizeof *e->guesses);
    if (!c->nodes || !c->children || !c->items || !e->guesses || !ARRAY_RESERVE(w->clauses, 1))
        return "out of memory";
    for (uint64_t i = 0; i < nguesses; i++)
        e->guesses[i] = (guess){.address = {UINT32_MAX, UINT32_MAX}};
    return trace_clause_prepare(e, &w->tables);
}

uint32_t tw_clause(tw *w, const trace_clause *clause)
{
    if (failed(w))
        return 0;
    uint32_t index = (uint32_t)w->clauses.n;
    encoder *e = drained(w);
    trace_node *nodes = plain_nodes(clause->nodes, clause->nnodes);
    trace_node *patterns = plain_nodes(clause->patterns, clause->npatterns);
    trace_clause r = *clause;
    clause_entry entry;
    r.nodes = nodes;
    r.patterns = patterns;
    const char *reason = nodes && patterns ? trace_shape_check(&r) : "out of memory";
    if (!reason)
        reason = keep_clause(w, &r, &entry);
    if (reason) {
        trace_encoder_fail(e, "clause %u: %s", index, reason);
    } else {
        trace_encode_clause(e, &entry, &r);
        w->clauses.at[w->clauses.n++] = entry;
    }
    free(nodes);
    free(patterns);
    return index;
}

void tw_summarise(tw *w, const trace_sum_modules *modules, uint32_t least)
{
    uint32_t *names = base_allocate(modules->nmodules + (size_t)1, sizeof *names);
    for (uint32_t m = 0; m < modules->nmodules; m++)
        names[m] = tw_string(w, modules->names[m], strlen(modules->names[m]));
    if (!failed(w))
        trace_encode_summed(drained(w), modules, names, least);
    free(names);
}

// ---------------------------------------------------------------------------------------------
// The run

static size_t made_words(const trace_reduction *r)
{
    size_t made = sizeof(raw_made) / sizeof(uint64_t), n = 0;
    for (uint32_t i = 0; i < r->ncells; i++)
        n += made + r->cells[i].nargs;
    for (uint32_t i = 0; i < r->ngoals; i++)
        n += made + r->goals[i].nargs;
    return n;
}

static size_t passed_words(uint32_t nbindings, uint32_t npassed)
{
    return npassed == 0 ? 0
                        : tw_words(nbindings * sizeof(uint32_t)) + // their ends
                              tw_words(npassed * sizeof(uint32_t));
}

// The most words that the reduction may take: all its values may be long.
static size_t most_words(const tw *w, const trace_reduction *r, const trace_clause *c)
{
    size_t values = c->dynamic ? made_words(r) : c->nholes;
    return (sizeof(raw_reduction) + (w->e.real ? sizeof(tw_times) : 0)) / sizeof(uint64_t) +
           tw_words(r->nreads * sizeof *r->reads) + tw_words(r->nfollowed * sizeof *r->followed) +
           passed_words(r->nbindings, r->npassed) + 3 * (size_t)r->nbindings + 2 * values;
}

static inline uint64_t pack(tw *w, const trace_value *v)
{
    if (__builtin_expect(!value_is_long(v), 1))
        return pack_value(v, 0, NULL, 0);
    return pack_value(v, 0, w->longs.at, w->longs.n++);
}

static uint64_t *put_cells(uint64_t *at, const uint32_t *cells, uint32_t n)
{
    if (n > 0)
        memcpy(at, cells, n * sizeof *cells);
    return at + tw_words(n * sizeof *cells);
}

static uint64_t *put_values(tw *w, uint64_t *at, const trace_value *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        *at++ = pack(w, &values[i]);
    return at;
}

static uint64_t *put_raw_made(tw *w, uint64_t *at, raw_made made, const trace_value *args)
{
    memcpy(at, &made, sizeof made);
    return put_values(w, at + sizeof made / sizeof *at, args, made.nargs);
}

static uint64_t *put_lists(tw *w, uint64_t *at, const trace_reduction *r, const trace_clause *c)
{
    at = put_cells(at, r->reads, r->nreads);
    at = put_cells(at, r->followed, r->nfollowed);
    for (uint32_t i = 0; i < r->nbindings; i++) {
        const trace_binding *b = &r->bindings[i];
        step_binding *to = (void *)at;
        *to = (step_binding){b->variable, b->item, pack(w, &b->value)};
        at += sizeof *to / sizeof *at;
    }
    if (r->npassed > 0) {
        at = put_cells(at, r->passed_ends, r->nbindings);
        at = put_cells(at, r->passed, r->npassed);
    }
    if (!c->dynamic)
        return put_values(w, at, r->holes, c->nholes);
    for (uint32_t i = 0; i < r->ncells; i++) {
        const trace_cell *cell = &r->cells[i];
        raw_made made = {cell->kind, cell->name, cell->n, cell->nargs};
        at = put_raw_made(w, at, made, cell->args);
    }
    for (uint32_t i = 0; i < r->ngoals; i++) {
        const trace_goal *goal = &r->goals[i];
        at = put_raw_made(w, at, (raw_made){.name = goal->predicate, .nargs = goal->nargs},
                          goal->args);
    }
    return at;
}

void tw_reduction(tw *w, const trace_reduction *r)
{
    static const trace_clause none = {0}; // the encoder refuses it
    if (failed(w))
        return;
    const trace_clause *c = r->clause < w->clauses.n ? &w->clauses.at[r->clause].clause : &none;
    size_t most = most_words(w, r, c);
    uint64_t *room = stream_room(&w->s, most), *at;
    w->longs.n = 0;
    if (!room || !ARRAY_RESERVE(w->longs, most)) {
        out_of_memory(w);
        return;
    }
    raw_reduction *raw = (void *)room;
    at = (void *)(raw + 1);
    if (w->e.real) {
        tw_times place = {r->start, r->end};
        memcpy(at, &place, sizeof place);
        at += sizeof place / sizeof *at;
    }
    at = put_lists(w, at, r, c);
    for (size_t i = 0; i < w->longs.n; i++)
        *at++ = w->longs.at[i];
    *raw = (raw_reduction){.kind = RAW_REDUCTION,
                           .goal = r->goal,
                           .size = (uint64_t)(at - room),
                           .time = r->time,
                           .clause = r->clause,
                           .place = r->place,
                           .n = {.nreads = r->nreads,
                                 .nfollowed = r->nfollowed,
                                 .nbindings = r->nbindings,
                                 .npassed = r->npassed,
                                 .nlongs = (uint32_t)w->longs.n,
                                 .ncells = c->dynamic ? r->ncells : 0,
                                 .ngoals = c->dynamic ? r->ngoals : 0}};
    stream_add(&w->s, raw->size);
}

tw_room *tw_get_room(tw *w)
{
    return &w->s.room;
}

uint64_t *tw_make_room(tw *w, size_t n)
{
    return stream_room(&w->s, n);
}

void tw_raced(tw *w, uint32_t n)
{
    if (!__builtin_add_overflow(w->raced, n, &n))
        w->raced = n;
}

void tw_profile(tw *w, const trace_profile *p)
{
    trace_encode_profile(drained(w), p);
}

void tw_totals(tw *w, const trace_totals *t)
{
    trace_encode_totals(drained(w), t);
}

void tw_regions(tw *w, const trace_regions *r)
{
    trace_encode_regions(drained(w), r);
}

void tw_dropped(tw *w, const trace_dropped *dropped, uint32_t n)
{
    trace_encode_dropped(drained(w), dropped, n);
}

void tw_machine(tw *w, const trace_machine *machine)
{
    trace_encode_machine(drained(w), machine);
}

void tw_workers(tw *w, const trace_collector *collector, const trace_worker *workers, uint32_t n)
{
    trace_encode_workers(drained(w), collector, workers, n);
}

void tw_samples(tw *w, const trace_samples *s)
{
    trace_encode_samples(drained(w), s);
}

void tw_ready(tw *w, const trace_ready *ready, uint32_t nworkers)
{
    trace_encode_ready(drained(w), ready, nworkers);
}

void tw_waiting(tw *w, uint32_t goal, const uint32_t *variables, uint32_t n)
{
    waiting_record r = {.goal = goal, .n = n, .variables = variables};
    encoder *e = drained(w);
    if (!failed(w))
        trace_encode_waiting(e, &r);
}

void tw_abandon(tw *w)
{
    drained(w);
    destroy(w);
}

// Frees the writer, whose file is closed. False and *ret_error: something had failed.
static bool leave(tw *w, char **ret_error)
{
    encoder *e = &w->e;
    bool good = !e->failed;
    if (!good) {
        *ret_error = e->error;
        e->error = NULL;
    }
    destroy(w);
    return good;
}

bool tw_finish(tw *w, trace_ending ending, int status, uint32_t failed_goal, const char *message,
               char **ret_error)
{
    encoder *e = drained(w);
    end_record r = {.ending = ending,
                    .status = status,
                    .failed_goal = failed_goal,
                    .message = message ? message : "",
                    .length = message ? strlen(message) : 0,
                    .raced = w->raced};
    trace_encode_end(e, &r);
    if (w->cut)
        *w->cut = r.whole;
    return leave(w, ret_error);
}

bool tw_leave(tw *w, char **ret_error)
{
    encoder *e = drained(w);
    if (!e->limit) // else there is what is known to fit
        trace_flush_block(e);
    trace_close_file(e);
    return leave(w, ret_error);
}
