// SPDX-License-Identifier: MIT
//
// Reads lists of sites and tables of counters, which a killed program may have left unfinished.
#include "kpx-bridge/totals/counters.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/file.h"
#include "kpx-bridge/log/names.h"

// ---- Lists of sites -------------------------------------------------------------------------

static char *copy_of(const char *text, size_t n)
{
    char *copy = base_allocate(n + 1, 1);
    memcpy(copy, text, n);
    return copy;
}

const char *kpx_take_field(const char **at, const char *end, size_t *ret_length)
{
    const char *field = *at;
    if (!field)
        return NULL;
    const char *tab = memchr(field, '\t', (size_t)(end - field));
    *ret_length = (size_t)((tab ? tab : end) - field);
    *at = tab ? tab + 1 : NULL;
    return field;
}

bool kpx_take_number(const char **at, const char *end, uint64_t *ret)
{
    size_t n;
    const char *field = kpx_take_field(at, end, &n);
    uint64_t number = 0;
    if (!field || n == 0 || n > 19)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (field[i] < '0' || field[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(field[i] - '0');
    }
    *ret = number;
    return true;
}

static bool take_number(const char **at, const char *end, uint32_t *ret)
{
    uint64_t number;
    if (!kpx_take_number(at, end, &number) || number > UINT32_MAX)
        return false;
    *ret = (uint32_t)number;
    return true;
}

static bool take_site(kpx_site_list *list, const char *at, const char *end)
{
    enum { NUMBER, KIND, STATE, FLAGS, SEQ, LINE, LAST, LABEL, ROUTINE_LINE, NUMBERS };
    uint32_t n[NUMBERS];
    const char *texts[4];
    size_t lengths[4];
    for (int i = 0; i < NUMBERS; i++)
        if (!take_number(&at, end, &n[i]))
            return false;
    for (int i = 0; i < 4; i++)
        if (!(texts[i] = kpx_take_field(&at, end, &lengths[i])))
            return false;
    if (n[NUMBER] != list->sites.n || n[KIND] >= KPX_SITE_KINDS || n[STATE] >= KPX_SITE_STATES)
        return false;
    kpx_listed_site site = {.kind = (kpx_site_kind)n[KIND],
                            .state = (kpx_site_state)n[STATE],
                            .flags = n[FLAGS],
                            .seq = n[SEQ],
                            .line = n[LINE],
                            .last_line = n[LAST],
                            .label = n[LABEL],
                            .routine_line = n[ROUTINE_LINE],
                            .routine = copy_of(texts[0], lengths[0]),
                            .file = copy_of(texts[1], lengths[1]),
                            .folder = copy_of(texts[2], lengths[2]),
                            .extra = copy_of(texts[3], lengths[3])};
    ARRAY_PUSH(list->sites, site);
    return true;
}

// `key value`
static void take_key(kpx_site_list *list, const char *at, const char *end, uint32_t *sites)
{
    char line[4200];
    size_t n = (size_t)(end - at);
    if (n >= sizeof line)
        return;
    memcpy(line, at, n);
    line[n] = 0;
    char *space = strchr(line, ' ');
    const char *value = space ? space + 1 : "";
    if (space)
        *space = 0;
    if (strcmp(line, "pid") == 0)
        list->pid = atoi(value);
    else if (strcmp(line, "rank") == 0)
        list->rank = atoi(value);
    else if (strcmp(line, "ranks") == 0)
        list->ranks = atoi(value);
    else if (strcmp(line, "sites") == 0)
        *sites = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(line, "program") == 0 && !list->program)
        list->program = base_copy(value);
    else if (strcmp(line, "measured") == 0) {
        list->routines = strstr(value, "routines");
        list->loops = strstr(value, "loops");
        list->io = strstr(value, "io");
    }
}

bool kpx_sites_parse(const char *text, size_t length, kpx_site_list *ret, char **ret_complaint)
{
    *ret = (kpx_site_list){
        .pid = KPX_UNOBSERVED, .rank = KPX_UNOBSERVED, .ranks = KPX_UNOBSERVED};
    *ret_complaint = NULL;
    uint32_t announced = UINT32_MAX, line = 0;
    const char *end = text + length;
    for (const char *at = text; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            break; // it was being written
        if (announced == UINT32_MAX) {
            take_key(ret, at, stop, &announced);
        } else if (!take_site(ret, at, stop)) {
            *ret_complaint = base_format(
                "line %" PRIu32 " is not a site; the lines from there on are ignored", line + 1);
            return true;
        }
        at = stop + 1;
    }
    if (announced == UINT32_MAX) {
        *ret_complaint = base_format("it is not a list of sites");
        kpx_sites_free(ret);
        return false;
    }
    if (ret->sites.n < announced)
        *ret_complaint = base_format("it is cut off: it holds %zu of %" PRIu32 " sites",
                                     ret->sites.n, announced);
    return true;
}

void kpx_sites_free(kpx_site_list *list)
{
    for (uint32_t i = 0; i < list->sites.n; i++) {
        free(list->sites.at[i].routine);
        free(list->sites.at[i].file);
        free(list->sites.at[i].folder);
        free(list->sites.at[i].extra);
    }
    free(list->sites.at);
    free(list->program);
    *list = (kpx_site_list){0};
}

// ---- Tables ---------------------------------------------------------------------------------

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static kpx_counter *counter_of(const kpx_thread_counters *c, kpx_io_row *rows, uint64_t number)
{
    if (number >= KPX_IO_FRAME && number - KPX_IO_FRAME < KPX_IO_ROWS)
        return &rows[number - KPX_IO_FRAME].counter;
    return number < c->counters.n ? &c->counters.at[number] : NULL;
}

// Open executions end with the last event.
static void close_frames(kpx_thread_counters *c, kpx_frame_row *frames, kpx_io_row *rows)
{
    uint64_t now = c->head.last;
    for (uint64_t i = c->head.depth; i-- > 0;) {
        const kpx_frame_row *f = &frames[i];
        kpx_counter *counter = counter_of(c, rows, f->number);
        uint64_t time = less(now, f->start);
        if (!counter)
            continue;
        counter->self += less(time, f->inner);
        counter->exclusive += less(time, f->inner_same);
        if (counter->active > 0 && --counter->active == 0)
            counter->inclusive += time;
        if (i > 0)
            frames[i - 1].inner += time;
        if (f->outer_same > 0 && f->outer_same <= i)
            frames[f->outer_same - 1].inner_same += time;
    }
    c->head.depth = 0;
}

// A damaged table may have any ticks.
static uint64_t scaled(uint64_t ticks, double scale)
{
    double ns = (double)ticks * scale;
    return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
}

static void in_nanoseconds(kpx_counter *c, double scale)
{
    c->inclusive = scaled(c->inclusive, scale);
    c->exclusive = scaled(c->exclusive, scale);
    c->self = scaled(c->self, scale);
}

static double scale_of(const kpx_table *t)
{
    if (t->clock != 0 || t->tick1 <= t->tick0 || t->ns1 <= t->ns0)
        return 1.0;
    return (double)(t->ns1 - t->ns0) / (double)(t->tick1 - t->tick0);
}

// Rows are in the order of their keys' hashes.
static int in_source(const void *a, const void *b)
{
    const kpx_io_row *x = a, *y = b;
    int files = strcmp(x->file, y->file), names = strcmp(x->name, y->name);
    if (files != 0)
        return files;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return names ? names : (x->kind > y->kind) - (x->kind < y->kind);
}

enum { MOST_SITES = 1 << 20 }; // of a table that is cut off: its size does not prove them

// Copies the part of a table that the file has. The rest is 0.
static void copy_part(void *to, size_t length, const uint8_t *bytes, size_t size, uint64_t at)
{
    if (at < size)
        memcpy(to, bytes + at, length < size - at ? length : size - at);
}

static bool read_head(const uint8_t *bytes, size_t size, kpx_table *ret, char **ret_complaint)
{
    if (size < KPX_TABLE_HEADER) {
        *ret_complaint = size == 0 ? base_copy("it is empty")
                                   : base_format("it ends within the header, at byte %zu", size);
        return false;
    }
    memcpy(ret, bytes, sizeof *ret);
    uint64_t whole = kpx_table_size(ret->sites);
    if (memcmp(ret->magic, KPX_TABLE_MAGIC, sizeof ret->magic) != 0 || size > whole ||
        (size < whole && ret->sites > MOST_SITES) || ret->depth > KPX_FRAMES) {
        *ret_complaint = base_format("it is not a table, or has another version");
        return false;
    }
    if (size < whole)
        *ret_complaint =
            base_format("it is cut off: it holds %zu of %" PRIu64 " bytes", size, whole);
    // Then the open executions are unknown.
    if (size < kpx_table_frames_at(ret->sites) + ret->depth * sizeof(kpx_frame_row))
        ret->depth = 0;
    return true;
}

bool kpx_table_parse(const uint8_t *bytes, size_t size, kpx_thread_counters *ret,
                     char **ret_complaint)
{
    kpx_table head;
    *ret_complaint = NULL;
    *ret = (kpx_thread_counters){0};
    if (!read_head(bytes, size, &head, ret_complaint))
        return false;
    size_t counters = head.sites * sizeof(kpx_counter);
    ret->head = head;
    ret->counters.at = base_allocate(counters, 1);
    ret->counters.n = ret->counters.capacity = head.sites;
    kpx_frame_row *frames = base_allocate(KPX_FRAMES, sizeof *frames);
    kpx_io_row *rows = base_allocate(KPX_IO_ROWS, sizeof *rows);
    copy_part(ret->counters.at, counters, bytes, size, KPX_TABLE_HEADER);
    copy_part(frames, KPX_FRAMES * sizeof *frames, bytes, size, kpx_table_frames_at(head.sites));
    copy_part(rows, KPX_IO_ROWS * sizeof *rows, bytes, size, kpx_table_io_at(head.sites));
    close_frames(ret, frames, rows);
    double scale = scale_of(&head);
    for (uint32_t i = 0; i < head.sites; i++)
        in_nanoseconds(&ret->counters.at[i], scale);
    for (uint32_t i = 0; i < KPX_IO_ROWS; i++) {
        rows[i].file[KPX_IO_FILE - 1] = rows[i].name[KPX_IO_FILE - 1] = 0;
        in_nanoseconds(&rows[i].counter, scale);
        if (rows[i].key && rows[i].kind < KPX_IO_KINDS)
            ARRAY_PUSH(ret->ios, rows[i]);
    }
    if (ret->ios.n > 0)
        qsort(ret->ios.at, ret->ios.n, sizeof *ret->ios.at, in_source);
    free(frames);
    free(rows);
    return true;
}

void kpx_thread_counters_free(kpx_thread_counters *c)
{
    free(c->counters.at);
    free(c->ios.at);
    *c = (kpx_thread_counters){0};
}

// ---- Logs -----------------------------------------------------------------------------------

static void complain(kpx_counters *log, const char *path, const char *what)
{
    ARRAY_PUSH(log->complaints, base_format("%s: %s", path, what));
}

static kpx_process_counters *process_of(kpx_counters *log, uint32_t id)
{
    for (uint32_t i = 0; i < log->processes.n; i++)
        if (log->processes.at[i].id == id)
            return &log->processes.at[i];
    ARRAY_PUSH(log->processes, ((kpx_process_counters){.id = id}));
    return &log->processes.at[log->processes.n - 1];
}

static void take_list(kpx_counters *log, const char *path, uint32_t id, const uint8_t *bytes,
                      size_t size)
{
    char *complaint = NULL;
    kpx_site_list list;
    kpx_process_counters *p = process_of(log, id);
    p->listed = true;
    if (kpx_sites_parse((const char *)bytes, size, &list, &complaint)) {
        kpx_sites_free(&p->list);
        p->list = list;
    } else {
        log->unusable++;
    }
    if (complaint)
        complain(log, path, complaint);
    free(complaint);
}

static void take_table(kpx_counters *log, const char *path, uint32_t id, const uint8_t *bytes,
                       size_t size)
{
    char *complaint = NULL;
    kpx_thread_counters counters;
    if (kpx_table_parse(bytes, size, &counters, &complaint))
        ARRAY_PUSH(process_of(log, id)->threads, counters);
    else
        log->unusable++;
    if (complaint)
        complain(log, path, complaint);
    free(complaint);
}

static void take_file(kpx_counters *log, const char *path, const uint8_t *bytes, size_t size)
{
    const char *name = kpx_base_name(path);
    unsigned id, thread;
    int length = 0;
    if (strcmp(name, KPX_SUPPRESSED) == 0) {
        kpx_suppressed_free(&log->suppressed);
        kpx_parse_suppressed((const char *)bytes, size, &log->suppressed);
    } else if (sscanf(name, "%u.sites%n", &id, &length) == 1 && length && !name[length]) {
        take_list(log, path, id, bytes, size);
    } else if (sscanf(name, "%u-%u.table%n", &id, &thread, &length) == 2 && length &&
               !name[length]) {
        take_table(log, path, id, bytes, size);
    }
}

static bool is_ours(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strcmp(name, KPX_SUPPRESSED) == 0 ||
           (dot && (strcmp(dot, ".sites") == 0 || strcmp(dot, ".table") == 0));
}

// An unreadable list has a complaint already; it is not missing.
static void note_list(kpx_counters *log, const char *name)
{
    unsigned id;
    int length = 0;
    if (sscanf(name, "%u.sites%n", &id, &length) == 1 && length && !name[length])
        process_of(log, id)->listed = true;
}

static void read_file(kpx_counters *log, const char *folder, const char *name)
{
    char *path = base_format("%s/%s", folder, name), *reason = NULL;
    size_t size;
    const uint8_t *bytes = kpx_map_file(path, &size, &reason);
    if (bytes) {
        take_file(log, path, bytes, size);
        kpx_unmap_file(bytes, size);
    } else {
        ARRAY_PUSH(log->complaints, reason);
        log->unusable++;
        note_list(log, name);
    }
    free(path);
}

static int by_number(const void *a, const void *b)
{
    const kpx_thread_counters *x = a, *y = b;
    return x->head.thread < y->head.thread ? -1 : x->head.thread > y->head.thread;
}

static int by_rank(const void *a, const void *b)
{
    const kpx_process_counters *x = a, *y = b;
    if (x->list.rank != y->list.rank)
        return x->list.rank < y->list.rank ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

kpx_counters *kpx_counters_read(const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return NULL;
    kpx_counters *log = base_allocate(1, sizeof *log);
    struct dirent *entry;
    while ((entry = readdir(directory)))
        if (is_ours(entry->d_name))
            read_file(log, folder, entry->d_name);
    closedir(directory);
    for (uint32_t i = 0; i < log->processes.n; i++) {
        kpx_process_counters *p = &log->processes.at[i];
        if (p->threads.n > 0)
            qsort(p->threads.at, p->threads.n, sizeof *p->threads.at, by_number);
        if (!p->listed) {
            ARRAY_PUSH(log->complaints,
                       base_format("%s/%" PRIu32 ".sites: it is missing, so routines and "
                                   "loops are unknown",
                                   folder, p->id));
            log->unusable++;
        }
    }
    if (log->processes.n == 0 && log->complaints.n == 0) {
        kpx_counters_destroy(log);
        return NULL;
    }
    if (log->processes.n > 0)
        qsort(log->processes.at, log->processes.n, sizeof *log->processes.at, by_rank);
    return log;
}

void kpx_counters_destroy(kpx_counters *log)
{
    if (!log)
        return;
    for (uint32_t i = 0; i < log->processes.n; i++) {
        kpx_process_counters *p = &log->processes.at[i];
        for (uint32_t k = 0; k < p->threads.n; k++)
            kpx_thread_counters_free(&p->threads.at[k]);
        free(p->threads.at);
        kpx_sites_free(&p->list);
    }
    for (uint32_t i = 0; i < log->complaints.n; i++)
        free(log->complaints.at[i]);
    kpx_suppressed_free(&log->suppressed);
    free(log->processes.at);
    free(log->complaints.at);
    free(log);
}
