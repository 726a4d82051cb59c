// SPDX-License-Identifier: MIT
//
// A Chrome trace: slices (B and E, X), flows (s, t, f) and names (M) in the order in which somebody
// wrote them.
//
//   file -> records, in their own file on the disk -> sorted by time -> lanes
//
// A flow is a dependence: what follows its arrival needs what its beginning had done until then. A
// flow that arrives without `bp: e` is for the next slice of the thread.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/table.h"
#include "base/text.h"
#include "kpx-bridge/imports/imports.h"
#include "kpx-bridge/imports/json.h"
#include "kpx-bridge/imports/lanes.h"
#include "kpx-bridge/log/store.h"

enum { MOST_THREADS = 1 << 16, MOST_NAMES = 1 << 20 };

// In the order in which records of one time are taken.
typedef enum {
    SLICE_ENDS,
    BY_HAND,
    SLICE_BEGINS,
    FLOW_BEGINS,
    FLOW_GOES_ON,
    FLOW_ARRIVES,
    EMPTY_ENDS
} rank;

typedef struct {
    int64_t time, length; // nanoseconds; length: of a slice with a known one
    uint64_t order;       // in the file
    uint64_t key;         // of the flow or slice
    uint32_t thread, name;
    uint8_t rank;
    bool ends, enclosing; // BY_HAND: an E; of a flow: for the slice that is open
} record;

typedef struct {
    uint64_t process;    // hash of its number
    char *number, *name; // name: of the thread, or NULL
    char *process_number;
    uint32_t lane; // or KPX_NONE
    bool used;
    ARRAY_OF(uint32_t) coming; // activities that its next slice needs
} thread;

typedef struct {
    uint64_t number; // hash
    char *name;
} process;

// The members of an event that mean something. Texts are reused.
typedef struct {
    base_text name, category, process, thread, id, called; // called: of args.name
    char phase;
    bool has_time, enclosing;
    long double time, length; // microseconds
} event;

typedef struct {
    kpx_activities *m;
    kpx_json json;
    STORE_OF(record) records;
    ARRAY_OF(thread) threads;
    ARRAY_OF(process) processes;
    ARRAY_OF(char *) names;
    base_index thread_of, name_of;
    uint64_t order, ignored[128], unopened, alone; // alone: arrivals without a beginning
    int64_t first;
} reading;

// ---- Events -------------------------------------------------------------------------------------

static bool fail(reading *r, const char *reason)
{
    return kpx_json_fail(&r->json, reason);
}

static bool fail_at(reading *r, kpx_json_token t, const char *expected)
{
    return fail(r, t == JSON_END ? "the file ends within its object" : expected);
}

static void set_text(base_text *to, const base_text *from)
{
    to->n = 0;
    text_add(to, from->at, from->n);
}

static const char *text_of(const base_text *t)
{
    return t->n > 0 ? t->at : "";
}

static bool take_number(reading *r, long double *ret)
{
    char *end;
    *ret = strtold(r->json.text.at, &end);
    if (*end || !isfinite(*ret) || fabsl(*ret) > 4e15L)
        return fail(r, "this is no time: a number of microseconds, at most 4e15, is expected");
    return true;
}

static bool take_args(reading *r, event *e, kpx_json_token t);

// Takes one member's value. The first token of the value was taken.
static bool take_member(reading *r, event *e, const char *key, kpx_json_token t)
{
    kpx_json *j = &r->json;
    bool text = t == JSON_STRING || t == JSON_NUMBER;
    base_text *to = !strcmp(key, "name")  ? &e->name
                    : !strcmp(key, "cat") ? &e->category
                    : !strcmp(key, "pid") ? &e->process
                    : !strcmp(key, "tid") ? &e->thread
                    : !strcmp(key, "id")  ? &e->id
                                          : NULL;
    if (to && text) {
        set_text(to, &j->text);
        return true;
    }
    if (!strcmp(key, "ph") && text)
        e->phase = (char)(strlen(j->text.at) == 1 && j->text.at[0] > 0 ? j->text.at[0] : '?');
    else if (!strcmp(key, "bp") && text)
        e->enclosing = !strcmp(j->text.at, "e");
    else if (!strcmp(key, "ts") && text)
        return e->has_time = take_number(r, &e->time);
    else if (!strcmp(key, "dur") && text)
        return take_number(r, &e->length) &&
               (e->length >= 0 || fail(r, "a slice of negative length"));
    else if (!strcmp(key, "args") && t == JSON_OPEN)
        return take_args(r, e, t);
    else
        return kpx_json_skip(j, t);
    return true;
}

// The members of an object whose `{` was taken. args: only `name`, of the metadata.
static bool take_members(reading *r, event *e, bool args)
{
    kpx_json *j = &r->json;
    base_text key = {0};
    kpx_json_token t = kpx_json_next(j);
    bool good = true;
    while (good && t != JSON_CLOSE) {
        good = t == JSON_STRING || fail_at(r, t, "the name of a member, in quotes, is expected");
        if (good)
            set_text(&key, &j->text);
        good = good && (kpx_json_next(j) == JSON_COLON || fail(r, "`:` is expected"));
        if (good)
            t = kpx_json_next(j);
        if (good && args && t == JSON_STRING && !strcmp(key.at, "name"))
            set_text(&e->called, &j->text);
        else
            good = good && (args ? kpx_json_skip(j, t) : take_member(r, e, key.at, t));
        t = good ? kpx_json_next(j) : t;
        good =
            good && (t == JSON_COMMA || t == JSON_CLOSE || fail_at(r, t, "`,` or `}` is expected"));
        if (good && t == JSON_COMMA)
            t = kpx_json_next(j);
    }
    free(key.at);
    return good;
}

static bool take_args(reading *r, event *e, kpx_json_token t)
{
    (void)t;
    return take_members(r, e, true);
}

// ---- Records ------------------------------------------------------------------------------------

static uint32_t process_of(reading *r, uint64_t number)
{
    for (uint32_t i = 0; i < r->processes.n; i++)
        if (r->processes.at[i].number == number)
            return i;
    ARRAY_PUSH(r->processes, ((process){number, NULL}));
    return (uint32_t)r->processes.n - 1;
}

static uint32_t thread_of(reading *r, const event *e)
{
    const char *p = text_of(&e->process), *t = text_of(&e->thread);
    uint64_t number = hash_bytes(0, p, strlen(p)), hash = hash_bytes(number, t, strlen(t));
    uint32_t found;
    INDEX_FIND(found, &r->thread_of, hash, i,
               r->threads.at[i].process == number && !strcmp(r->threads.at[i].number, t));
    if (found != INDEX_NONE)
        return found;
    if (r->threads.n == MOST_THREADS) {
        fail(r, "an event of more than 65536 threads");
        return KPX_NONE;
    }
    process_of(r, number);
    ARRAY_PUSH(r->threads, ((thread){.process = number,
                                     .number = base_copy(t),
                                     .process_number = base_copy(p),
                                     .lane = KPX_NONE}));
    index_add(&r->thread_of, hash, (uint32_t)r->threads.n - 1);
    return (uint32_t)r->threads.n - 1;
}

static uint32_t name_of(reading *r, const char *name)
{
    uint64_t hash = hash_bytes(0, name, strlen(name));
    uint32_t found;
    INDEX_FIND(found, &r->name_of, hash, i, !strcmp(r->names.at[i], name));
    if (found != INDEX_NONE)
        return found;
    if (r->names.n == MOST_NAMES) {
        fail(r, "slices of more than 1048576 names");
        return KPX_NONE;
    }
    ARRAY_PUSH(r->names, base_copy(name));
    index_add(&r->name_of, hash, (uint32_t)r->names.n - 1);
    return (uint32_t)r->names.n - 1;
}

static void add_name(reading *r, const event *e)
{
    uint32_t t = thread_of(r, e);
    bool of_thread = !strcmp(text_of(&e->name), "thread_name");
    if (t == KPX_NONE || e->called.n <= 1 ||
        (!of_thread && strcmp(text_of(&e->name), "process_name") != 0))
        return;
    char **to = of_thread ? &r->threads.at[t].name
                          : &r->processes.at[process_of(r, r->threads.at[t].process)].name;
    free(*to);
    *to = kpx_import_name(e->called.at);
}

static uint64_t flow_key(const event *e)
{
    const char *c = text_of(&e->category), *n = text_of(&e->name), *i = text_of(&e->id);
    return hash_bytes(hash_bytes(hash_bytes(1, c, strlen(c)), n, strlen(n)), i, strlen(i));
}

static void push(reading *r, record x)
{
    if (r->records.n == 0 || x.time < r->first)
        r->first = x.time;
    STORE_PUSH(r->records, x);
}

static bool add_slice(reading *r, const event *e, record x)
{
    const char *name = text_of(&e->name);
    x.name = name_of(r, *name ? name : "(no name)");
    if (x.name == KPX_NONE)
        return false;
    if (e->phase == 'B') {
        x.rank = BY_HAND;
        push(r, x);
        return true;
    }
    x.key = x.order + 1;
    x.rank = SLICE_BEGINS;
    x.length = (int64_t)llroundl((e->time + e->length) * 1000) - x.time;
    push(r, x);
    x.time += x.length;
    x.rank = x.length > 0 ? SLICE_ENDS : EMPTY_ENDS;
    push(r, x);
    return true;
}

static bool add_event(reading *r, const event *e)
{
    if (e->phase == 0)
        return fail(r, "an event without `ph`");
    if (e->phase == 'M') {
        add_name(r, e);
        return !r->json.error;
    }
    if (!strchr("BEXstf", e->phase)) {
        r->ignored[(unsigned char)e->phase]++;
        return true;
    }
    if (!e->has_time)
        return fail(r, "an event without `ts`");
    record x = {.time = (int64_t)llroundl(e->time * 1000),
                .order = r->order++,
                .thread = thread_of(r, e),
                .name = KPX_NONE,
                .enclosing = e->enclosing};
    if (x.thread == KPX_NONE)
        return false;
    r->threads.at[x.thread].used = true;
    if (e->phase == 'B' || e->phase == 'X')
        return add_slice(r, e, x);
    x.ends = e->phase == 'E';
    x.rank = x.ends            ? BY_HAND
             : e->phase == 's' ? FLOW_BEGINS
             : e->phase == 't' ? FLOW_GOES_ON
                               : FLOW_ARRIVES;
    x.key = x.ends ? 0 : flow_key(e);
    push(r, x);
    return true;
}

// ---- The file -----------------------------------------------------------------------------------

static void clear(event *e)
{
    e->name.n = e->category.n = e->process.n = e->thread.n = e->id.n = e->called.n = 0;
    e->phase = 0;
    e->has_time = e->enclosing = false;
    e->time = e->length = 0;
}

// The events of an array whose `[` was taken. open: the file may end instead of the array, as that
// of a program that was ended.
static bool take_events(reading *r, bool open)
{
    kpx_json *j = &r->json;
    event e = {0};
    kpx_json_token t = kpx_json_next(j);
    bool good = true;
    while (good && t != JSON_ARRAY_CLOSE && !(open && t == JSON_END)) {
        clear(&e);
        good = t == JSON_OPEN ||
               fail(r, t == JSON_END ? "the file ends within its events" : "an event is expected");
        good = good && take_members(r, &e, false) && add_event(r, &e);
        kpx_store_at(r->order);
        if (!good)
            break;
        t = kpx_json_next(j);
        if (t == JSON_COMMA)
            t = kpx_json_next(j);
        else
            good = t == JSON_ARRAY_CLOSE || (open && t == JSON_END) ||
                   fail(r, t == JSON_END ? "the file ends within its events"
                                         : "`,` or `]` is expected");
    }
    base_text *texts[] = {&e.name, &e.category, &e.process, &e.thread, &e.id, &e.called};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->at);
    return good && !j->error;
}

// The members of the object that holds `traceEvents`.
static bool take_object(reading *r)
{
    kpx_json *j = &r->json;
    bool found = false;
    kpx_json_token t = kpx_json_next(j);
    while (t != JSON_CLOSE) {
        if (t != JSON_STRING)
            return fail_at(r, t, "the name of a member is expected");
        bool events = !strcmp(j->text.at, "traceEvents");
        if (kpx_json_next(j) != JSON_COLON)
            return fail(r, "`:` is expected");
        t = kpx_json_next(j);
        if (events && t != JSON_ARRAY)
            return fail(r, "`traceEvents` is an array");
        if (!(events ? take_events(r, false) : kpx_json_skip(j, t)))
            return false;
        found = found || events;
        t = kpx_json_next(j);
        if (t == JSON_COMMA)
            t = kpx_json_next(j);
        else if (t != JSON_CLOSE)
            return fail_at(r, t, "`,` or `}` is expected");
    }
    return found || fail(r, "no `traceEvents`: this is no Chrome trace");
}

static bool take_file(reading *r)
{
    kpx_json_token t = kpx_json_next(&r->json);
    bool array = t == JSON_ARRAY;
    if (!array && t != JSON_OPEN)
        return fail(r, "neither an array of events nor an object with `traceEvents`");
    if (!(array ? take_events(r, true) : take_object(r)))
        return false;
    return kpx_json_next(&r->json) == JSON_END || fail(r, "the file goes on after its end");
}

// ---- Lanes --------------------------------------------------------------------------------------

static int by_time(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->length !=
        y->length) // of slices that begin the outer one first; of those that end the inner one
        return (x->length < y->length) == (x->rank == SLICE_ENDS) ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static const char *name_of_process(const reading *r, uint64_t number)
{
    for (uint32_t i = 0; i < r->processes.n; i++)
        if (r->processes.at[i].number == number)
            return r->processes.at[i].name;
    return NULL;
}

static void add_place(reading *r, kpx_lanes *l, thread *t, bool several)
{
    const char *p = name_of_process(r, t->process);
    char *number = kpx_import_name(t->number), *process_number = kpx_import_name(t->process_number);
    char *own = t->name ? base_copy(t->name) : base_format("thread %s", number);
    char *name = !several ? base_copy(own)
                 : p      ? base_format("%s %s", p, own)
                          : base_format("process %s %s", process_number, own);
    t->lane = kpx_lane_add(l, name);
    free(number);
    free(process_number);
    free(own);
    free(name);
}

static void add_places(reading *r, kpx_lanes *l)
{
    bool several = false;
    const thread *first = NULL;
    for (uint32_t i = 0; i < r->threads.n; i++) {
        const thread *t = &r->threads.at[i];
        if (!t->used)
            continue;
        several = several || (first && first->process != t->process);
        first = t;
    }
    for (uint32_t i = 0; i < r->threads.n; i++)
        if (r->threads.at[i].used)
            add_place(r, l, &r->threads.at[i], several);
}

static void begin_slice(const reading *r, kpx_lanes *l, uint32_t *constructs, const record *x,
                        uint64_t time)
{
    thread *t = &r->threads.at[x->thread];
    if (constructs[x->name] == KPX_NONE) {
        char *module = kpx_import_name(r->names.at[x->name]);
        constructs[x->name] = kpx_add_construct(l->m, module, TRACE_KIND_ROUTINE,
                                                kpx_doing_of(TRACE_KIND_ROUTINE), KPX_NONE, 0);
        free(module);
    }
    kpx_lane_enter(l, t->lane, time,
                   (kpx_slice){constructs[x->name], KPX_NONE, x->key, .execution = true});
    for (size_t i = 0; i < t->coming.n; i++)
        kpx_lane_need(l, t->lane, t->coming.at[i], TRACE_EDGE_DEPENDENCE);
    t->coming.n = 0;
}

static void arrive(reading *r, kpx_lanes *l, const base_map *flows, const record *x, uint64_t time)
{
    thread *t = &r->threads.at[x->thread];
    uint64_t from = map_get(flows, x->key);
    if (from == MAP_ABSENT) {
        r->alone++;
    } else if (x->enclosing || x->rank == FLOW_GOES_ON) {
        kpx_lane_mark(l, t->lane, time);
        kpx_lane_need(l, t->lane, (uint32_t)from, TRACE_EDGE_DEPENDENCE);
    } else {
        ARRAY_PUSH(t->coming, (uint32_t)from);
    }
}

static void take_record(reading *r, kpx_lanes *l, uint32_t *constructs, base_map *flows,
                        const record *x)
{
    uint64_t time = (uint64_t)(x->time - r->first), unbegun = l->unbegun;
    uint32_t lane = r->threads.at[x->thread].lane, last;
    switch ((rank)x->rank) {
    case BY_HAND:
        if (!x->ends) {
            begin_slice(r, l, constructs, x, time);
            break;
        }
        kpx_lane_leave(l, lane, time, 0);
        r->unopened += l->unbegun - unbegun;
        break;
    case SLICE_BEGINS:
        begin_slice(r, l, constructs, x, time);
        break;
    case SLICE_ENDS:
    case EMPTY_ENDS:
        kpx_lane_leave(l, lane, time, x->key);
        break;
    case FLOW_GOES_ON:
    case FLOW_BEGINS:
        if (x->rank == FLOW_GOES_ON)
            arrive(r, l, flows, x, time);
        last = kpx_lane_mark(l, lane, time);
        if (last != KPX_NONE)
            map_set(flows, x->key, last);
        break;
    case FLOW_ARRIVES:
        arrive(r, l, flows, x, time);
        break;
    }
}

static void make_lanes(reading *r, FILE *notes)
{
    kpx_lanes l = {.m = r->m};
    base_map flows = {0};
    uint64_t end = 0;
    uint32_t *constructs = base_allocate(r->names.n, sizeof *constructs);
    memset(constructs, 0xff, r->names.n * sizeof *constructs);
    kpx_store_sort(r->records.at, r->records.n, sizeof *r->records.at, by_time);
    add_places(r, &l);
    for (size_t i = 0; i < r->records.n; i++) {
        kpx_store_at(i);
        take_record(r, &l, constructs, &flows, &r->records.at[i]);
        end = (uint64_t)(r->records.at[i].time - r->first);
    }
    uint64_t open = kpx_lanes_finish(&l, end);
    if (open)
        fprintf(notes, "%" PRIu64 " slices had not ended; they end with the file's last event\n",
                open);
    map_free(&flows);
    free(constructs);
}

// ---- All ----------------------------------------------------------------------------------------

static const char *describe(int phase)
{
    switch (phase) {
    case 'C':
        return "counters";
    case 'i':
    case 'I':
    case 'R':
        return "moments without a length";
    case 'b':
    case 'e':
    case 'n':
        return "parts of asynchronous slices, which belong to no thread";
    case 'P':
        return "samples";
    default:
        return "events of a kind that is not read";
    }
}

static void tell(const reading *r, FILE *notes)
{
    for (int i = 0; i < 128; i++)
        if (r->ignored[i])
            fprintf(notes, "%" PRIu64 " events with ph %c are left out: %s\n", r->ignored[i],
                    isprint(i) ? i : '?', describe(i));
    if (r->unopened)
        fprintf(notes, "%" PRIu64 " ends of slices that had not begun are left out\n", r->unopened);
    if (r->alone)
        fprintf(notes, "%" PRIu64 " flows arrive and had not begun; they are left out\n", r->alone);
}

static void free_all(reading *r)
{
    for (size_t i = 0; i < r->threads.n; i++) {
        free(r->threads.at[i].number);
        free(r->threads.at[i].process_number);
        free(r->threads.at[i].name);
        free(r->threads.at[i].coming.at);
    }
    for (size_t i = 0; i < r->processes.n; i++)
        free(r->processes.at[i].name);
    for (size_t i = 0; i < r->names.n; i++)
        free(r->names.at[i]);
    free(r->threads.at);
    free(r->processes.at);
    free(r->names.at);
    free(r->json.text.at);
    index_free(&r->thread_of);
    index_free(&r->name_of);
    STORE_FREE(r->records);
}

bool kpx_import_chrome(kpx_activities *m, const char *path, FILE *notes, char **ret_error)
{
    base_output_protect(path, "it is read");
    FILE *file = fopen(path, "re");
    if (!file) {
        *ret_error = base_format("%s: cannot read: %s", path, strerror(errno));
        return false;
    }
    reading *r = base_allocate(1, sizeof *r);
    r->m = m;
    r->json = (kpx_json){.file = file, .line = 1};
    bool good = take_file(r);
    fclose(file);
    if (good)
        make_lanes(r, notes);
    if (good && kpx_nactivities(m) == 0) {
        *ret_error = base_format("%s: no slices are in it", path);
        good = false;
    } else if (!good) {
        *ret_error = base_format("%s: line %" PRIu64 ", byte %" PRIu64 ": %s", path,
                                 r->json.token_line, r->json.token, r->json.error);
    } else {
        tell(r, notes);
    }
    free_all(r);
    free(r);
    return good;
}
