// SPDX-License-Identifier: MIT
//
// Reads a log with distrust: every count is checked against what the file holds.
#include "kpx-bridge/log/read_log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/search.h"
#include "kpx-bridge/log/faults.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"

static void complain(kpx_logs *logs, char *text)
{
    ARRAY_PUSH(logs->complaints, text);
}

// ---- Threads --------------------------------------------------------------------------------

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// How many of the first events a file has. Events that were moved out of the window come first.
static uint64_t events_there(const kpx_header *header, uint64_t room)
{
    uint64_t behind = room > header->window ? room - header->window : 0;
    if (header->window == 0 || header->moved == 0)
        return header->kept < room ? header->kept : room;
    if (header->moved > behind || header->kept < header->moved)
        return header->kept < behind ? header->kept : behind;
    uint64_t last = header->kept - header->moved;
    return header->moved + (last < header->window ? last : header->window);
}

static void copy_events(kpx_event *events, uint64_t n, const uint8_t *bytes, const kpx_header *header)
{
    uint64_t moved = header->window == 0 || header->moved > n ? n : header->moved;
    const uint8_t *first = bytes + KPX_HEADER_SIZE;
    size_t size = sizeof *events;
    if (header->window == 0 || header->moved == 0) {
        memcpy(events, first, n * size);
        return;
    }
    memcpy(events, first + header->window * size, moved * size);
    memcpy(events + moved, first, (n - moved) * size);
}

// ---- Ticks ----------------------------------------------------------------------------------

static bool is_in_ticks(const kpx_event *e)
{
    return e->kind == KPX_SITE_BEGIN || e->kind == KPX_SITE_END || e->kind == KPX_SITES_FULL;
}

// One moment by both clocks; in ascending order.
typedef struct {
    uint64_t tick, time;
} tick_mark;

typedef ARRAY_OF(tick_mark) tick_marks;

static tick_marks find_marks(const kpx_event *events, uint64_t n)
{
    tick_marks marks = {0};
    for (uint64_t i = 0; i < n; i++) {
        const kpx_event *e = &events[i];
        kpx_store_at(i);
        const tick_mark *last = marks.n > 0 ? &marks.at[marks.n - 1] : NULL;
        if (e->kind == KPX_TICKS && !(e->b >> 62) &&
            (!last || (e->a > last->tick && e->b > last->time)))
            ARRAY_PUSH(marks, ((tick_mark){e->a, e->b}));
    }
    return marks;
}

// Between two marks the line through them counts, after the last mark the line through the first
// and the last one. There are at least two marks.
static uint64_t time_of_tick(const tick_marks *marks, uint64_t tick)
{
    size_t behind;
    FIRST_NOT(behind, marks->n, i, marks->at[i].tick <= tick);
    size_t low = behind > 0 ? behind - 1 : 0; // the last mark that is not later, or the first mark
    const tick_mark *from = &marks->at[low], *a = from, *b = from + 1;
    if (low == marks->n - 1) {
        a = &marks->at[0];
        b = from;
    }
    double scale = (double)(b->time - a->time) / (double)(b->tick - a->tick);
    double time = (double)from->time;
    if (tick <= from->tick)
        return from->time;
    double later = (double)(tick - from->tick) * scale;
    return time + later < 0x1p62 ? from->time + (uint64_t)later : UINT64_MAX;
}

// Gives every event its time by CLOCK_MONOTONIC. A mark may be later than the event after it.
static void tell_times(kpx_event *events, uint64_t n)
{
    tick_marks marks = find_marks(events, n);
    for (uint64_t i = 0; i < n; i++) {
        kpx_store_at(i);
        if (is_in_ticks(&events[i]))
            events[i].time = marks.n < 2 ? 0 : time_of_tick(&marks, events[i].time);
    }
    for (uint64_t i = n; i-- > 1;) {
        kpx_store_at(i);
        if (events[i - 1].kind == KPX_TICKS && events[i].time < events[i - 1].time)
            events[i - 1].time = events[i].time;
    }
    free(marks.at);
}

// The two clocks are read one after the other, so times may differ a little.
static bool is_backwards(const kpx_event *before, const kpx_event *e)
{
    uint64_t most = is_in_ticks(before) || is_in_ticks(e) ? 1000000 : 0; // nanoseconds
    return before->time - e->time > most;
}

// ---- Files of threads -----------------------------------------------------------------------

// Returns how many events are usable.
static uint64_t check_events(const kpx_event *events, uint64_t n, char **ret_complaint)
{
    for (uint64_t i = 0; i < n; i++) {
        const kpx_event *e = &events[i];
        kpx_store_at(i);
        bool unknown = e->kind >= KPX_EVENTS;
        if (!unknown && !(e->time >> 62))
            continue;
        char *what = unknown ? base_format("has the unknown kind %u", e->kind)
                             : base_copy("has an impossible time");
        free(*ret_complaint);
        *ret_complaint = base_format("event %" PRIu64 " (byte %" PRIu64 ") %s; the events from there on "
                                     "are ignored",
                                     i, KPX_HEADER_SIZE + i * sizeof *e, what);
        free(what);
        return i;
    }
    return n;
}

// Makes times non-decreasing. Of a log that another thread goes on with, both threads have their times,
// and the second one's first event may have been under way before the first one ended.
static void straighten(kpx_event *events, uint64_t n, char **ret_complaint)
{
    uint64_t backwards = 0;
    for (uint64_t i = 1; i < n; i++) {
        kpx_store_at(i);
        if (events[i].time < events[i - 1].time) {
            backwards += is_backwards(&events[i - 1], &events[i]);
            events[i].time = events[i - 1].time;
        }
    }
    if (backwards > 0 && !*ret_complaint)
        *ret_complaint = base_format("its clock went backwards %" PRIu64 " times", backwards);
}

kpx_event *kpx_own_events(kpx_thread_log *log)
{
    if (log->is_mapped) {
        kpx_store *mapped = log->store;
        kpx_event *copy = kpx_store_take(&log->store, log->n, sizeof *copy);
        for (uint32_t i = 0; i < log->n; i++) {
            kpx_store_at(i);
            copy[i] = log->events[i];
        }
        kpx_store_free(mapped);
        log->events = copy;
        log->is_mapped = false;
    }
    return (kpx_event *)(uintptr_t)log->events;
}

void kpx_thread_log_free(kpx_thread_log *log)
{
    kpx_store_free(log->store);
    log->store = NULL;
    log->events = NULL;
    log->n = 0;
}

// The events of a large file are used where they are, if its pages allow it.
enum { MAPPED_FROM = 1 << 20 }; // bytes

// Parts of a file that are moved into place by mapping them: what left the window, then the window.
static bool map_events(const char *path, const uint8_t *bytes, size_t size, const kpx_header *header,
                       kpx_thread_log *log)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), each = sizeof(kpx_event);
    bool in_order = header->window == 0 || header->moved == 0;
    uint64_t moved = in_order ? log->n * each / page * page : header->moved * each;
    uint64_t offset = KPX_HEADER_SIZE + (in_order ? 0 : header->window * each);
    if (!path || log->n * each < MAPPED_FROM || offset % page != 0 || moved % page != 0 ||
        (!in_order && header->moved > log->n))
        return false;
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && fstat(file, &about) == 0 && (uint64_t)about.st_size >= size)
        log->events = kpx_store_map(&log->store, file, offset, moved,
                                    bytes + KPX_HEADER_SIZE + (in_order ? moved : 0), log->n * each - moved);
    if (file >= 0)
        close(file);
    log->is_mapped = log->events != NULL;
    return log->is_mapped;
}

// Whether nothing has to be changed in events.
static bool is_in_order(const kpx_event *events, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        kpx_store_at(i);
        if (events[i].kind == KPX_TICKS || is_in_ticks(&events[i]) ||
            (i > 0 && events[i].time < events[i - 1].time))
            return false;
    }
    return true;
}

static void take_events(kpx_thread_log *log, const char *path, const uint8_t *bytes, size_t size,
                        const kpx_header *header)
{
    if (!map_events(path, bytes, size, header, log)) {
        kpx_event *copy = kpx_store_take(&log->store, log->n, sizeof *copy);
        if (log->n > 0)
            copy_events(copy, log->n, bytes, header);
        log->events = copy;
    }
}

// Makes events usable, as far as they are.
static void prepare(kpx_thread_log *log, char **ret_complaint)
{
    bool good = is_in_order(log->events, log->n);
    if (!good)
        tell_times(kpx_own_events(log), log->n);
    log->n = (uint32_t)check_events(log->events, log->n, ret_complaint);
    if (!good)
        straighten(kpx_own_events(log), log->n, ret_complaint);
}

// path: of the file, if its events may be used where they are.
static bool parse(const char *path, const uint8_t *bytes, size_t size, kpx_thread_log *ret,
                  char **ret_complaint)
{
    kpx_header header;
    *ret_complaint = NULL;
    if (size < KPX_HEADER_SIZE) {
        *ret_complaint = size == 0 ? base_copy("it is empty")
                                   : base_format("it ends within the header, at byte %zu", size);
        return false;
    }
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, KPX_MAGIC, sizeof header.magic) != 0 ||
        header.event_size != sizeof(kpx_event)) {
        *ret_complaint = base_format("it is not a log of events, or has another version");
        return false;
    }
    uint64_t n = events_there(&header, (size - KPX_HEADER_SIZE) / sizeof(kpx_event));
    if (n < header.kept)
        *ret_complaint = base_format("it is cut off: it holds %" PRIu64 " of %" PRIu64 " events", n,
                                     header.kept);
    if (n > UINT32_MAX / 2)
        n = UINT32_MAX / 2;
    *ret = (kpx_thread_log){.number = header.thread, .tid = header.tid, .pid = header.pid, .n = (uint32_t)n};
    take_events(ret, path, bytes, size, &header);
    prepare(ret, ret_complaint);
    n = ret->n;
    uint64_t seen = most(n, most(header.seen, header.kept));
    uint64_t lost = header.lost < UINT64_MAX - seen ? header.lost : 0;
    ret->seen = seen + lost;
    ret->looks = header.looks < n ? header.looks : 0;
    ret->lost = lost;
    ret->cut = n < header.kept || n < header.seen;
    ret->capped = lost > 0 || (n < header.seen && header.kept >= header.cap);
    ret->unwritten = n == header.kept && n < header.seen && n < header.cap;
    return true;
}

bool kpx_thread_log_parse(const uint8_t *bytes, size_t size, kpx_thread_log *ret, char **ret_complaint)
{
    return parse(NULL, bytes, size, ret, ret_complaint);
}

static void take_thread(kpx_logs *logs, kpx_process_log *p, const char *path, uint32_t number,
                        const uint8_t *bytes, size_t size)
{
    char *complaint = NULL;
    kpx_thread_log log;
    if (parse(path, bytes, size, &log, &complaint)) {
        if (log.pid != p->id % KPX_PIDS || log.number != number)
            complain(logs,
                     base_format("%s: it claims to be of process %" PRIu32 ", thread %" PRIu32,
                                 path, log.pid, log.number));
        log.number = number;
        ARRAY_PUSH(p->threads, log);
    } else {
        logs->unusable++;
    }
    if (complaint)
        complain(logs, base_format("%s: %s", path, complaint));
    free(complaint);
}

// ---- Processes ------------------------------------------------------------------------------

enum { MOST_COMPLAINTS = 16 }; // of a process

// Returns `otherwise` for text that is not a number, and for numbers out of range.
static int small_number(const char *text, int otherwise)
{
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    return *end || end == text || errno || n < 0 || n > INT_MAX ? otherwise : (int)n;
}

// 0: invalid.
static uint64_t time_in(const char *text)
{
    uint64_t time = strtoull(text, NULL, 10);
    return time >> 62 ? 0 : time;
}

static void take_processors(kpx_process_log *p, const char *text)
{
    char *end;
    for (int i = 0; i < KPX_PROCESSOR_WORDS && *text; i++, text = *end ? end + 1 : end) {
        p->processors[i] = strtoull(text, &end, 16);
        if (end == text)
            return;
    }
}

static void take_line(kpx_process_log *p, const char *key, const char *value)
{
    if (strcmp(key, "program") == 0 && !p->program)
        p->program = base_copy(value);
    else if (strcmp(key, "command") == 0 && !p->command)
        p->command = base_copy(value);
    else if (strcmp(key, "host") == 0 && !p->host)
        p->host = base_copy(value);
    else if (strcmp(key, "boot") == 0 && !p->boot)
        p->boot = base_copy(value);
    else if (strcmp(key, "processors") == 0)
        take_processors(p, value);
    else if (strcmp(key, "threads") == 0)
        p->wanted = small_number(value, 0);
    else if (strcmp(key, "clock") == 0)
        p->clock = time_in(value);
    else if (strcmp(key, "cpu") == 0)
        p->by_cpu = true;
    else if (strcmp(key, "complaint") == 0 && p->complaints.n < MOST_COMPLAINTS)
        ARRAY_PUSH(p->complaints, base_copy(value));
    else if (strcmp(key, "pid") == 0)
        p->pid = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "paused") == 0)
        p->paused = true;
    else if (strcmp(key, "polls") == 0)
        p->no_polls = strcmp(value, "0") == 0;
    else if (strcmp(key, "chosen") == 0)
        p->chosen = true;
    else if (strcmp(key, "openmp") == 0 && !p->openmp)
        p->openmp = base_copy(value);
    else if (strcmp(key, "rank") == 0)
        p->rank = small_number(value, -1);
    else if (strcmp(key, "ranks") == 0)
        p->ranks = small_number(value, 0);
    else if (strcmp(key, "sites") == 0)
        p->sites = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "launched") == 0)
        p->launched = small_number(value, -1);
    else if (strcmp(key, "limit") == 0)
        p->limit = strtoull(value, NULL, 10);
    else if (strcmp(key, "eager_near") == 0)
        p->eager_near = strtoull(value, NULL, 10);
    else if (strcmp(key, "eager_far") == 0)
        p->eager_far = strtoull(value, NULL, 10);
    else if (strcmp(key, "begin") == 0)
        p->begin = time_in(value);
    else if (strcmp(key, "end") == 0)
        p->end = time_in(value);
    else if (strcmp(key, "exec") == 0)
        p->became = time_in(value);
    else if (strcmp(key, "stopped") == 0)
        p->stopped = time_in(value);
    else if (strcmp(key, "fault") == 0)
        kpx_fault_parse(&p->fault, value);
    else if (strcmp(key, "ident") == 0)
        kpx_symbols_ident(p->symbols, value);
    else if (strcmp(key, "body") == 0)
        kpx_symbols_body(p->symbols, value);
    else if (strcmp(key, "map") == 0) {
        kpx_symbols_map(p->symbols, value);
        p->by_gcc = p->by_gcc || strstr(value, "/libgomp.so");
    }
}

void kpx_process_parse(kpx_process_log *p, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        char *line = strndup(text, (size_t)(stop - text)), *space = line ? strchr(line, ' ') : NULL;
        if (space) {
            *space = 0;
            take_line(p, line, space + 1);
        }
        free(line);
        text = stop + 1;
    }
    p->end = p->end ? p->end : p->became;
    p->stopped = p->stopped ? p->stopped : p->fault.time;
}

static kpx_symbols *create_symbols(void)
{
    kpx_symbols *symbols = kpx_symbols_create();
    if (!symbols)
        base_out_of_memory(sizeof symbols, __FILE__, __LINE__);
    return symbols;
}

static kpx_process_log *process_of(kpx_logs *logs, uint32_t id)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        if (logs->processes.at[i].id == id)
            return &logs->processes.at[i];
    ARRAY_PUSH(logs->processes, ((kpx_process_log){.id = id,
                                                   .pid = id % KPX_PIDS,
                                                   .rank = -1,
                                                   .launched = -1,
                                                   .sites = KPX_NO_SITES,
                                                   .symbols = create_symbols()}));
    return &logs->processes.at[logs->processes.n - 1];
}

static int by_number(const void *a, const void *b)
{
    const kpx_thread_log *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_rank(const void *a, const void *b)
{
    const kpx_process_log *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->launched != y->launched)
        return x->launched < y->launched ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_events(const char *name, unsigned *ret_id, unsigned *ret_thread)
{
    int length = 0;
    return sscanf(name, "%u-%u.events%n", ret_id, ret_thread, &length) == 2 && length &&
           !name[length];
}

static bool is_process(const char *name, unsigned *ret_id)
{
    int length = 0;
    return sscanf(name, "%u.process%n", ret_id, &length) == 1 && length && !name[length];
}

static void take_file(kpx_logs *logs, const char *path, const uint8_t *bytes, size_t size)
{
    const char *name = kpx_base_name(path);
    unsigned id, thread;
    if (is_events(name, &id, &thread))
        take_thread(logs, process_of(logs, id), path, thread, bytes, size);
    else if (is_process(name, &id)) {
        process_of(logs, id)->described = size > 0;
        kpx_process_parse(process_of(logs, id), (const char *)bytes, size);
    }
}

static void read_file(kpx_logs *logs, const char *folder, const char *name)
{
    unsigned id, thread;
    if (!is_events(name, &id, &thread) && !is_process(name, &id))
        return;
    char *path = base_format("%s/%s", folder, name), *reason = NULL;
    size_t size;
    const uint8_t *bytes = kpx_map_file(path, &size, &reason);
    if (bytes) {
        take_file(logs, path, bytes, size);
        kpx_unmap_file(bytes, size);
    } else {
        complain(logs, reason);
        logs->unusable++;
    }
    free(path);
}

void kpx_process_free(kpx_process_log *p)
{
    for (uint32_t k = 0; k < p->threads.n; k++)
        kpx_thread_log_free(&p->threads.at[k]);
    free(p->threads.at);
    for (size_t i = 0; i < p->complaints.n; i++)
        free(p->complaints.at[i]);
    free(p->complaints.at);
    free(p->program);
    free(p->command);
    free(p->openmp);
    free(p->host);
    free(p->boot);
    kpx_symbols_destroy(p->symbols);
}

// It recorded nothing, but a fault ended it.
static void tell_early_fault(kpx_logs *logs, const kpx_process_log *p)
{
    if (!kpx_has_fault(p))
        return;
    char *fault = kpx_tell_fault(p);
    complain(logs, base_format("process %" PRIu32 " (%s) was ended by %s before it did anything that is recorded",
                               p->pid, p->program ? kpx_base_name(p->program) : "program", fault));
    free(fault);
}

// Releases the path.
static void tell_missing(kpx_logs *logs, char *path, const char *what)
{
    size_t n = strlen(path);
    bool told = false; // that it cannot be read
    for (uint32_t i = 0; i < logs->complaints.n; i++)
        told = told || strncmp(logs->complaints.at[i], path, n) == 0;
    if (!told) {
        complain(logs, base_format("%s: %s", path, what));
        logs->unusable++;
    }
    free(path);
}

// Takes the complaints of recorders; equal ones of several processes count once.
static void take_complaints(kpx_logs *logs, const kpx_process_log *p)
{
    for (size_t i = 0; i < p->complaints.n; i++) {
        char *text = p->complaints.at[i];
        bool told = logs->complaints.n >= 64; // that is enough to read
        for (char *at = text; *at; at++)
            *at = iscntrl((unsigned char)*at) ? '?' : *at;
        for (size_t k = 0; k < logs->complaints.n && !told; k++)
            told = strcmp(logs->complaints.at[k], text) == 0;
        if (!told)
            complain(logs, base_copy(text));
    }
}

// Threads have consecutive numbers from 0, so a gap is a missing file.
static void find_missing(kpx_logs *logs, const kpx_process_log *p, const char *folder)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < p->threads.n; i++) {
        uint32_t number = p->threads.at[i].number;
        if (number > next)
            tell_missing(logs,
                         base_format("%s/%" PRIu32 "-%" PRIu32 ".events", folder, p->id, next),
                         number > next + 1 ? "it is missing, and so are others" : "it is missing");
        next = number + 1;
    }
    if (!p->described)
        tell_missing(logs, base_format("%s/%" PRIu32 ".process", folder, p->id),
                     "it is missing or empty");
}

// Drops threads above the limit.
static void limit_threads(kpx_logs *logs, kpx_process_log *p)
{
    if (p->threads.n > KPX_MOST_LOGS)
        complain(logs, base_format("process %" PRIu32 ": only the first %u of %zu threads are used",
                                   p->pid, KPX_MOST_LOGS, p->threads.n));
    for (; p->threads.n > KPX_MOST_LOGS; p->threads.n--)
        kpx_thread_log_free(&p->threads.at[p->threads.n - 1]);
}

static void limit_processes(kpx_logs *logs)
{
    if (logs->processes.n > KPX_MOST_LOGS)
        complain(logs, base_format("only the first %u of %zu processes are used", KPX_MOST_LOGS,
                                   logs->processes.n));
    for (; logs->processes.n > KPX_MOST_LOGS; logs->processes.n--)
        kpx_process_free(&logs->processes.at[logs->processes.n - 1]);
}

kpx_logs *kpx_logs_read(const char *folder, char **ret_error)
{
    DIR *directory = opendir(folder);
    if (!directory) {
        *ret_error = base_format("%s: cannot read: %s", folder, strerror(errno));
        return NULL;
    }
    kpx_logs *logs = base_allocate(1, sizeof *logs);
    struct dirent *entry;
    while ((entry = readdir(directory)))
        read_file(logs, folder, entry->d_name);
    closedir(directory);
    uint32_t events = 0, kept = 0;
    size_t of_files = logs->complaints.n; // recorders know better why there is nothing
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        kpx_process_log *p = &logs->processes.at[i];
        if (p->threads.n > 0)
            qsort(p->threads.at, p->threads.n, sizeof *p->threads.at, by_number);
        events += p->threads.n;
        take_complaints(logs, p);
        if (p->threads.n == 0) { // mpirun, a shell: it recorded nothing
            tell_early_fault(logs, p);
            kpx_process_free(p);
            continue;
        }
        find_missing(logs, p, folder);
        limit_threads(logs, p);
        logs->processes.at[kept++] = *p;
    }
    logs->processes.n = kept;
    if (events == 0) {
        size_t told = logs->complaints.n > of_files ? of_files : 0;
        *ret_error = logs->complaints.n > 0 ? base_copy(logs->complaints.at[told]) : NULL;
        kpx_logs_destroy(logs);
        return NULL;
    }
    qsort(logs->processes.at, logs->processes.n, sizeof *logs->processes.at, by_rank);
    limit_processes(logs);
    return logs;
}

uint64_t kpx_logs_count_events(const char *folder)
{
    DIR *directory = opendir(folder);
    uint64_t n = 0;
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        unsigned id, thread;
        if (!is_events(entry->d_name, &id, &thread))
            continue;
        char *path = base_format("%s/%s", folder, entry->d_name), *reason = NULL;
        size_t size;
        const uint8_t *bytes = kpx_map_file(path, &size, &reason);
        kpx_header header;
        if (bytes && size >= KPX_HEADER_SIZE) {
            memcpy(&header, bytes, sizeof header);
            n += events_there(&header, (size - KPX_HEADER_SIZE) / sizeof(kpx_event));
        }
        if (bytes)
            kpx_unmap_file(bytes, size);
        free(reason);
        free(path);
    }
    if (directory)
        closedir(directory);
    return n;
}

bool kpx_same_machine(const kpx_process_log *a, const kpx_process_log *b)
{
    return a->boot || b->boot ? kpx_same_text(a->boot, b->boot) : kpx_same_text(a->host, b->host);
}

// Of the machine of process i: those that any of its processes might use.
static uint32_t processors_of_machine(const kpx_logs *logs, uint32_t i)
{
    uint32_t n = 0;
    for (int w = 0; w < KPX_PROCESSOR_WORDS; w++) {
        uint64_t bits = 0;
        for (uint32_t k = i; k < logs->processes.n; k++)
            if (kpx_same_machine(&logs->processes.at[i], &logs->processes.at[k]))
                bits |= logs->processes.at[k].processors[w];
        n += (uint32_t)__builtin_popcountll(bits);
    }
    return n;
}

uint32_t kpx_logs_processors(const kpx_logs *logs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < logs->processes.n; i++) {
        bool first = true;
        for (uint32_t k = 0; first && k < i; k++)
            first = !kpx_same_machine(&logs->processes.at[i], &logs->processes.at[k]);
        uint32_t here = first ? processors_of_machine(logs, i) : 0;
        if (first && here == 0)
            return 0;
        n += here;
    }
    return n;
}

bool kpx_logs_by_cpu(const kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        if (logs->processes.at[i].by_cpu)
            return true;
    return false;
}

uint32_t kpx_logs_threads(const kpx_logs *logs)
{
    const kpx_process_log *p = &logs->processes.at[0];
    uint32_t n = p->wanted > 0 ? (uint32_t)p->wanted : 0;
    for (int w = 0; p->wanted <= 0 && w < KPX_PROCESSOR_WORDS; w++)
        n += (uint32_t)__builtin_popcountll(p->processors[w]);
    return n;
}

void kpx_logs_drop_events(kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        for (uint32_t k = 0; k < logs->processes.at[i].threads.n; k++)
            kpx_thread_log_free(&logs->processes.at[i].threads.at[k]);
}

void kpx_logs_destroy(kpx_logs *logs)
{
    for (uint32_t i = 0; i < logs->processes.n; i++)
        kpx_process_free(&logs->processes.at[i]);
    for (uint32_t i = 0; i < logs->complaints.n; i++)
        free(logs->complaints.at[i]);
    free(logs->processes.at);
    free(logs->complaints.at);
    free(logs);
}
