// SPDX-License-Identifier: MIT
//
// Reads @@m_tool.f66, and the reports of vtool (PVM) and ptool (NX), which have the same tables. A call's place is known by its number (`loc.`), which the list of places and
// the times by node share. The averages name it by subprogram, line and routine.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kpx-bridge/log/names.h"
#include "kpx-bridge/reports/import_private.h"

typedef enum { NO_TABLE, PLACES, SOURCES, NODES, ELAPSED, OVERHEAD, AVERAGES } section;

enum { MOST_NODES = 65536 };

typedef struct {
    char *unit, *routine, *type; // or NULL
    uint32_t file, line, seq;
    int64_t number;
    int64_t share, mean, average;
    uint32_t next; // place + 1 of the same unit, line and routine; 0: none
} place;

typedef struct {
    uint32_t place, node;
    int64_t time, times;
} measure;

typedef struct {
    kpx_reading *r;
    ARRAY_OF(place) places;
    ARRAY_OF(measure) measures;
    ARRAY_OF(int64_t) overheads;  // by node
    base_map place_of;            // by number
    base_map named;               // by hash of unit, line and routine: the first
    uint32_t nnodes, open;        // the place whose nodes are listed, or KPX_NO_ITEM
    int64_t elapsed, mean_overhead;
} mtool;

static char *own(const char *word)
{
    const char *name = kpx_get_name(word);
    return name ? base_copy(name) : NULL;
}

static uint64_t hash_name(const char *unit, uint32_t line, const char *routine)
{
    return kpx_hash_text(kpx_hash_text(line, unit ? unit : "-"), routine ? routine : "-");
}

static uint32_t add_place(mtool *k, const place *p)
{
    uint64_t key = hash_name(p->unit, p->line, p->routine);
    uint64_t first = map_get(&k->named, key);
    ARRAY_PUSH(k->places, *p);
    if (first == MAP_ABSENT) {
        map_set(&k->named, key, k->places.n - 1);
    } else { // behind the first: which of the rest comes next does not matter
        k->places.at[k->places.n - 1].next = k->places.at[first].next;
        k->places.at[first].next = k->places.n;
    }
    if (p->number >= 0)
        map_set(&k->place_of, (uint64_t)p->number, k->places.n - 1);
    return k->places.n - 1;
}

static bool count_node(mtool *k, int64_t node)
{
    if (node < 1 || node > MOST_NODES)
        return kpx_bad_line(k->r, "no node has this number");
    k->nnodes = node > k->nnodes ? (uint32_t)node : k->nnodes;
    return true;
}

// ---- Rows -------------------------------------------------------------------------------------

// A number in brackets may stand apart from them.
static void join_brackets(kpx_reading *r)
{
    for (uint32_t i = 0; i + 1 < r->n; i++)
        if (strcmp(r->words[i], "(") == 0) {
            r->words[i] = --r->words[i + 1];
            *r->words[i] = '(';
            memmove(&r->words[i + 1], &r->words[i + 2], (r->n - i - 2) * sizeof *r->words);
            r->n--;
        }
}

static bool is_number(const char *word)
{
    return !word[strspn(word, "0123456789")];
}

// seq., subprogram, loc., routine, kind of routine (if it is there), line, file
static bool get_place(mtool *k)
{
    kpx_reading *r = k->r;
    place p = {.file = KPX_NO_ITEM, .share = -1, .mean = -1, .average = -1};
    uint32_t line = r->n > 5 && !is_number(r->words[4]) && strcmp(r->words[4], "-") != 0 ? 5 : 4;
    line = r->n == 7 ? 5 : line;
    if (r->n < line + 1)
        return kpx_bad_line(r, "fewer columns than the table has");
    if (!kpx_get_small(r, r->words[0], "seq.", &p.seq) ||
        !kpx_get_count(r, r->words[2], "loc.", &p.number) ||
        !kpx_get_small(r, r->words[line], "line", &p.line))
        return false;
    if (p.number >= 0 && map_get(&k->place_of, (uint64_t)p.number) != MAP_ABSENT)
        return true; // a page that comes again
    if (r->n > line + 1)
        p.file = kpx_totals_file(r->totals, kpx_get_file(r->words[line + 1]));
    p.unit = own(r->words[1]);
    p.routine = own(r->words[3]);
    p.type = line == 5 ? own(r->words[4]) : NULL;
    add_place(k, &p);
    return true;
}

static bool get_source(mtool *k)
{
    if (k->r->n < 2 || !is_number(k->r->words[0]))
        return false;
    kpx_totals_add_file(k->r->totals, kpx_base_name(k->r->words[1]));
    return true;
}

// seq., sub, loc., routine, File#, Line.: the place that is known already, or a new one.
static bool open_place(mtool *k)
{
    kpx_reading *r = k->r;
    place p = {.file = KPX_NO_ITEM, .share = -1, .mean = -1, .average = -1};
    uint32_t file;
    if (!kpx_get_small(r, r->words[0], "seq.", &p.seq) ||
        !kpx_get_count(r, r->words[2], "loc.", &p.number) ||
        !kpx_get_small(r, r->words[4], "File#", &file) ||
        !kpx_get_small(r, r->words[5], "Line.", &p.line))
        return false;
    uint64_t known = p.number < 0 ? MAP_ABSENT : map_get(&k->place_of, (uint64_t)p.number);
    k->open = known == MAP_ABSENT ? KPX_NO_ITEM : (uint32_t)known;
    if (k->open != KPX_NO_ITEM)
        return true;
    if (file > 0 && file <= kpx_totals_nfiles(r->totals))
        p.file = file - 1;
    p.unit = own(r->words[1]);
    p.routine = own(r->words[3]);
    k->open = add_place(k, &p);
    return true;
}

// node, time, and what it is: largest, smallest, mean or, in brackets, a count.
static bool get_node(mtool *k)
{
    kpx_reading *r = k->r;
    int64_t node = 0, time, times;
    join_brackets(r);
    if (r->n >= 8) {
        if (!open_place(k))
            return false;
        r->n -= 6;
        memmove(r->words, r->words + 6, r->n * sizeof *r->words);
    }
    if (r->n < 2 || r->n > 3 || k->open == KPX_NO_ITEM)
        return kpx_bad_line(r, "this is not the time of a node");
    if (!kpx_get_decimal(r, r->words[r->n - 2], "time(sec)", 9, &time))
        return false;
    char *mark = r->words[r->n - 1];
    if (strncasecmp(mark, "(mean", 5) == 0)
        k->places.at[k->open].mean = time;
    if (*mark != '(' || strncasecmp(mark, "(m", 2) == 0)
        return *mark == '(' || kpx_bad_line(r, "`%.40s` is no count in brackets", mark);
    mark++;
    mark[strcspn(mark, ")")] = '\0';
    if (r->n != 3 || !kpx_get_count(r, r->words[0], "Node", &node) || !count_node(k, node) ||
        !kpx_get_count(r, mark, "counts", &times))
        return kpx_bad_line(r, "this is not the time of a node");
    ARRAY_PUSH(k->measures, ((measure){k->open, (uint32_t)node - 1, time, times}));
    return true;
}

static bool get_elapsed(mtool *k)
{
    return kpx_get_decimal(k->r, k->r->words[0], "Elapsed Time", 9, &k->elapsed);
}

static bool get_overhead(mtool *k)
{
    kpx_reading *r = k->r;
    int64_t node, time;
    join_brackets(r);
    const char *mark = r->words[r->n - 1];
    bool mean = strncasecmp(mark, "(mean", 5) == 0;
    if (r->n < 2 || r->n > 3)
        return kpx_bad_line(r, "this is not the time of a node");
    if (!kpx_get_decimal(r, r->words[mean ? r->n - 2 : 1], "total time(sec)", 9, &time))
        return false;
    if (mean)
        k->mean_overhead = time;
    if (*mark == '(')
        return true;
    if (!kpx_get_count(r, r->words[0], "node", &node) || !count_node(k, node))
        return false;
    while (k->overheads.n < (size_t)node)
        ARRAY_PUSH(k->overheads, KPX_UNOBSERVED);
    k->overheads.at[node - 1] = time;
    return true;
}

// The place of that name that has no average yet, or a new one.
static place *place_named(mtool *k, const char *unit, uint32_t line, const char *routine)
{
    uint64_t i = map_get(&k->named, hash_name(kpx_get_name(unit), line, kpx_get_name(routine)));
    while (i != MAP_ABSENT && k->places.at[i].average >= 0)
        i = k->places.at[i].next > 0 ? k->places.at[i].next - 1 : MAP_ABSENT;
    if (i != MAP_ABSENT)
        return &k->places.at[i];
    place p = {.unit = own(unit),
               .routine = own(routine),
               .file = KPX_NO_ITEM,
               .line = line,
               .number = KPX_UNOBSERVED,
               .share = -1,
               .mean = -1,
               .average = -1};
    i = add_place(k, &p); // which may move them
    return &k->places.at[i];
}

static bool get_average(mtool *k)
{
    kpx_reading *r = k->r;
    uint32_t line;
    int64_t average, share;
    if (r->n != 5)
        return kpx_bad_line(r, "%s columns than the table has", r->n < 5 ? "fewer" : "more");
    if (!kpx_get_small(r, r->words[1], "Line.", &line) ||
        !kpx_get_decimal(r, r->words[3], "Avarage (sec)", 9, &average) ||
        !kpx_get_decimal(r, r->words[4], "ratio%", 3, &share))
        return false;
    place *p = place_named(k, r->words[0], line, r->words[2]);
    p->average = average;
    p->share = share;
    return true;
}

// ---- Tables -----------------------------------------------------------------------------------

// The section that a heading begins.
static section heading_of(const kpx_reading *r)
{
    if (kpx_has(r, "File# filename"))
        return SOURCES;
    if (kpx_has(r, "TOTAL Elapsed"))
        return ELAPSED;
    if (kpx_has(r, "TOTAL OVERHEAD"))
        return OVERHEAD;
    if (kpx_has(r, "time(sec)") && kpx_has(r, "loc."))
        return NODES;
    if (kpx_has(r, "ratio%"))
        return AVERAGES;
    if (kpx_has(r, "loc.") || kpx_has(r, "Cost List"))
        return PLACES;
    return NO_TABLE;
}

// A line above or between tables.
static bool is_aside(const kpx_reading *r)
{
    return kpx_is_remark(r) || strncmp(r->words[0], "---", 3) == 0 ||
           (strcmp(r->words[0], "node") == 0 && kpx_has(r, "total")) ||
           kpx_has(r, "call lines") || strncmp(r->words[0], "```", 3) == 0;
}

static bool get_number_of_nodes(mtool *k)
{
    const kpx_reading *r = k->r;
    uint32_t i = r->n > 3 && strcmp(r->words[3], ":") == 0 ? 4 : 3;
    int64_t n;
    if (r->n <= i || !is_number(r->words[i]))
        return kpx_bad_line(k->r, "Number of nodes: there is none");
    return kpx_get_count(k->r, r->words[i], "Number of nodes", &n) && (n == 0 || count_node(k, n));
}

static bool take_row(mtool *k, section now)
{
    switch (now) {
    case PLACES:
        return get_place(k);
    case NODES:
        return get_node(k);
    case ELAPSED:
        return get_elapsed(k);
    case OVERHEAD:
        return get_overhead(k);
    case AVERAGES:
        return get_average(k);
    default:
        return true;
    }
}

// Sources are read first: other tables refer to them.
static bool read_tables(mtool *k, bool sources)
{
    kpx_reading *r = k->r;
    section now = NO_TABLE;
    kpx_rewind(r);
    while (kpx_next_line(r)) {
        section heading = heading_of(r);
        if (heading != NO_TABLE)
            now = heading;
        else if (kpx_has(r, "Number of nodes")) {
            if (!get_number_of_nodes(k))
                return false;
        } else if (is_aside(r))
            continue;
        else if (now == SOURCES)
            now = !sources || get_source(k) ? now : NO_TABLE;
        else if (!sources && !take_row(k, now))
            return false;
        else if (now == ELAPSED)
            now = NO_TABLE; // it was that line
    }
    return true;
}

// ---- Result -----------------------------------------------------------------------------------

static uint32_t unit_named(kpx_totals *t, const char *name)
{
    kpx_item item = kpx_item_of(KPX_UNIT);
    item.name = name;
    uint32_t unit = name ? kpx_totals_find_unit(t, name) : KPX_NO_ITEM;
    return name && unit == KPX_NO_ITEM ? kpx_totals_add_item(t, &item) : unit;
}

static void finish(mtool *k)
{
    kpx_totals *t = k->r->totals;
    uint32_t *items = base_allocate((k->places.n + (size_t)1), sizeof *items);
    for (uint32_t i = 0; i < k->nnodes; i++)
        kpx_totals_add_node(
            t, &(kpx_node){.rank = i,
                           .pid = KPX_UNOBSERVED,
                           .thread = KPX_UNOBSERVED,
                           .elapsed = i == 0 ? k->elapsed : KPX_UNOBSERVED,
                           .overhead = i < k->overheads.n ? k->overheads.at[i] : KPX_UNOBSERVED});
    kpx_totals_observe(t, KPX_CALL);
    kpx_totals_report_total(t, KPX_CALL, k->mean_overhead);
    for (uint32_t i = 0; i < k->places.n; i++) {
        const place *p = &k->places.at[i];
        kpx_item item = kpx_item_of(KPX_CALL);
        item.name = p->routine;
        item.type = p->type;
        item.unit = unit_named(t, p->unit);
        item.file = p->file;
        item.line = p->line;
        item.seq = p->seq;
        item.number = p->number;
        item.reported = (kpx_reported){p->share, p->mean, p->average};
        items[i] = kpx_totals_add_item(t, &item);
    }
    for (uint32_t i = 0; i < k->measures.n; i++) {
        const measure *from = &k->measures.at[i];
        kpx_measure *to = kpx_totals_measure(t, items[from->place], from->node);
        to->time = from->time;
        to->times = from->times;
    }
    free(items);
}

bool kpx_import_mtool(kpx_reading *r)
{
    mtool k = {.r = r,
               .open = KPX_NO_ITEM,
               .elapsed = KPX_UNOBSERVED,
               .mean_overhead = KPX_UNOBSERVED};
    bool good = read_tables(&k, true) && read_tables(&k, false);
    if (good)
        finish(&k);
    for (uint32_t i = 0; i < k.places.n; i++) {
        free(k.places.at[i].unit);
        free(k.places.at[i].routine);
        free(k.places.at[i].type);
    }
    free(k.places.at), free(k.measures.at), free(k.overheads.at);
    map_free(&k.place_of);
    map_free(&k.named);
    return good;
}
