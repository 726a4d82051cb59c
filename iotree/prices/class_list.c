// SPDX-License-Identifier: MIT
//
// The most promising classes: those on the critical path, which alone can shorten the span.
#include "iotree/prices/chains.h"
#include "iotree/prices/classes.h"
#include "iotree/prices/replay.h"

#define MOST_COARSE 64u
#define MOST_FINE   64u
#define MOST_KINDS  256u // that finer classes are made of
#define VARIANTS    6u // of one kind: which of its parts a finer class names

struct class_list {
    iot_class *at;
    uint32_t n;
};

typedef struct {
    class_name name;
    uint8_t *kinds; // bits
    uint64_t steps; // of the critical path
    uint64_t reads;
    double span;
} priced_class;

typedef struct {
    const iot *a;
    const wait_graph *g;
    uint64_t *steps; // by kind: of the critical path
    ARRAY_OF(priced_class) list;
} class_search;

// ---------------------------------------------------------------------------------------------
// The critical path

static void count_steps(class_search *s)
{
    const iot *a = s->a;
    const wait_graph *g = s->g;
    for (uint32_t i = 0; i + 1 < a->path.n; i++) {
        uint32_t r = a->path.steps[i], maker = a->path.steps[i + 1];
        if (!bit_get(a->path.data_bits, i))
            continue;
        for (uint64_t w = g->first[r]; w < g->first[r + 1]; w++)
            if (g->makers[w] == maker && !g->kinds_of[g->kinds[w]].passed)
                s->steps[g->kinds[w]]++;
    }
}

static uint32_t reader_predicate(const wait_graph *g, uint32_t kind)
{
    return g->all_sites[g->kinds_of[kind].reader].predicate;
}

static uint32_t maker_predicate(const wait_graph *g, uint32_t kind)
{
    return g->all_sites[g->kinds_of[kind].maker].predicate;
}

static bool is_in(const wait_graph *g, uint32_t kind, const class_name *name)
{
    const wait_kind *k = &g->kinds_of[kind];
    return reader_predicate(g, kind) == name->reader && maker_predicate(g, kind) == name->maker &&
           (name->reader_site == IOT_NONE || name->reader_site == k->reader) &&
           (name->maker_site == IOT_NONE || name->maker_site == k->maker) &&
           (name->place_kind == PLACE_UNKNOWN ||
            (name->place_kind == k->place_kind && name->place == k->place));
}

static priced_class make_class(const class_search *s, class_name name)
{
    priced_class c = {.name = name, .kinds = bits_allocate(s->g->nkinds)};
    for (uint32_t k = 0; k < s->g->nkinds; k++) {
        if (is_in(s->g, k, &name)) {
            bit_set(c.kinds, k);
            c.steps += s->steps[k];
        }
    }
    return c;
}

static bool is_known(const class_search *s, const priced_class *c)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (!memcmp(s->list.at[i].kinds, c->kinds, s->g->nkinds / 8 + 1))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// Coarse and fine classes

typedef struct {
    uint32_t reader, maker;
    uint64_t steps;
} predicate_pair;

static int by_pair(const void *x, const void *y)
{
    const predicate_pair *a = x, *b = y;
    if (a->reader != b->reader)
        return a->reader < b->reader ? -1 : 1;
    return a->maker < b->maker ? -1 : a->maker > b->maker;
}

static int by_steps(const void *x, const void *y)
{
    const predicate_pair *a = x, *b = y;
    if (a->steps != b->steps)
        return a->steps > b->steps ? -1 : 1;
    return by_pair(x, y);
}

static void add_coarse(class_search *s)
{
    ARRAY_OF(predicate_pair) pairs = {0};
    size_t n = 0;
    for (uint32_t k = 0; k < s->g->nkinds; k++)
        if (s->steps[k])
            ARRAY_PUSH(pairs, (predicate_pair){reader_predicate(s->g, k),
                                               maker_predicate(s->g, k), s->steps[k]});
    if (pairs.n)
        qsort(pairs.at, pairs.n, sizeof *pairs.at, by_pair);
    for (size_t i = 0; i < pairs.n; i++) {
        if (n > 0 && !by_pair(&pairs.at[n - 1], &pairs.at[i]))
            pairs.at[n - 1].steps += pairs.at[i].steps;
        else
            pairs.at[n++] = pairs.at[i];
    }
    if (n)
        qsort(pairs.at, n, sizeof *pairs.at, by_steps);
    for (size_t i = 0; i < n && i < MOST_COARSE; i++) {
        class_name name = {.reader = pairs.at[i].reader,
                           .maker = pairs.at[i].maker,
                           .reader_site = IOT_NONE,
                           .maker_site = IOT_NONE};
        ARRAY_PUSH(s->list, make_class(s, name));
    }
    free(pairs.at);
}

// A finer class than its predicates' that holds the kind: by place, by the reader's line, by the
// maker's line, and by several of them.
static class_name finer(const wait_graph *g, uint32_t kind, uint32_t variant)
{
    static const uint8_t parts[VARIANTS] = {1, 2, 4, 3, 6, 7};
    const wait_kind *k = &g->kinds_of[kind];
    class_name name = {.reader = reader_predicate(g, kind), .maker = maker_predicate(g, kind)};
    name.place_kind = parts[variant] & 1 ? k->place_kind : PLACE_UNKNOWN;
    name.place = name.place_kind == PLACE_UNKNOWN ? 0 : k->place;
    name.reader_site = parts[variant] & 2 ? k->reader : IOT_NONE;
    name.maker_site = parts[variant] & 4 ? k->maker : IOT_NONE;
    return name;
}

// A site without a line has no name of its own.
static bool has_name(const wait_graph *g, const class_name *name)
{
    return (name->reader_site == IOT_NONE || g->all_sites[name->reader_site].line) &&
           (name->maker_site == IOT_NONE || g->all_sites[name->maker_site].line);
}

static bool saves(const class_search *s, uint32_t kind, size_t ncoarse)
{
    for (size_t i = 0; i < ncoarse; i++)
        if (bit_get(s->list.at[i].kinds, kind))
            return s->list.at[i].span < (double)run_time(s->a);
    return false;
}

typedef struct {
    uint32_t kind;
    uint64_t steps;
} path_kind;

static int by_kind_steps(const void *x, const void *y)
{
    const path_kind *a = x, *b = y;
    if (a->steps != b->steps)
        return a->steps > b->steps ? -1 : 1;
    return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void add_fine(class_search *s)
{
    size_t ncoarse = s->list.n;
    ARRAY_OF(path_kind) kinds = {0};
    for (uint32_t k = 0; k < s->g->nkinds; k++)
        if (s->steps[k] && saves(s, k, ncoarse))
            ARRAY_PUSH(kinds, (path_kind){k, s->steps[k]});
    if (kinds.n)
        qsort(kinds.at, kinds.n, sizeof *kinds.at, by_kind_steps);
    for (size_t i = 0; i < kinds.n && i < MOST_KINDS; i++) {
        for (uint32_t v = 0; v < VARIANTS && s->list.n < ncoarse + MOST_FINE; v++) {
            class_name name = finer(s->g, kinds.at[i].kind, v);
            priced_class c = make_class(s, name);
            if (!has_name(s->g, &name) || is_known(s, &c))
                free(c.kinds);
            else
                ARRAY_PUSH(s->list, c);
        }
        if (s->list.n >= ncoarse + MOST_FINE)
            break;
    }
    free(kinds.at);
}

// ---------------------------------------------------------------------------------------------
// Prices and reads

static bool price(class_search *s, size_t from, iot_progress progress, void *data)
{
    uint32_t n = (uint32_t)(s->list.n - from);
    wait_change *changes = base_allocate(n, sizeof *changes);
    double *spans = base_allocate(n, sizeof *spans);
    for (uint32_t i = 0; i < n; i++)
        changes[i].without_kinds = s->list.at[from + i].kinds;
    bool done = iot_price_changes(s->a, s->g, NULL, changes, n, spans, progress, data);
    for (uint32_t i = 0; done && i < n; i++)
        s->list.at[from + i].span = spans[i];
    free(changes);
    free(spans);
    return done;
}

// Of at most 64 classes: a read counts once for a class, however many of its waits belong to it.
static void count_reads(class_search *s, size_t from, size_t to)
{
    const wait_graph *g = s->g;
    uint64_t *member = base_allocate(g->nkinds, sizeof *member), end = g->first[g->n];
    for (uint32_t k = 0; k < g->nkinds; k++)
        for (size_t i = from; i < to; i++)
            member[k] |= (uint64_t)bit_get(s->list.at[i].kinds, k) << (i - from);
    for (uint64_t w = 0; w < end;) {
        uint64_t in = 0;
        do
            in |= member[g->kinds[w++]];
        while (w < end && !wait_bit(g->begins, w));
        for (; in; in &= in - 1)
            s->list.at[from + (size_t)__builtin_ctzll(in)].reads++;
    }
    free(member);
}

static int by_saving(const void *x, const void *y)
{
    const iot_class *a = x, *b = y;
    if (a->span_without != b->span_without)
        return a->span_without < b->span_without ? -1 : 1;
    if (a->reads != b->reads)
        return a->reads > b->reads ? -1 : 1;
    return strcmp(a->name, b->name);
}

// Finer classes that save nothing say nothing.
static struct class_list *listed(class_search *s, size_t ncoarse)
{
    struct class_list *list = base_allocate(1, sizeof *list);
    list->at = base_allocate(s->list.n, sizeof *list->at);
    for (size_t i = 0; i < s->list.n; i++) {
        const priced_class *c = &s->list.at[i];
        if (i >= ncoarse && c->span >= (double)run_time(s->a))
            continue;
        list->at[list->n++] = (iot_class){iot_class_text(s->a->t, s->g, c->name), c->reads,
                                          c->span};
    }
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_saving);
    return list;
}

static struct class_list *find_classes(const iot *a, const wait_graph *g, iot_progress progress,
                                       void *data)
{
    class_search s = {.a = a, .g = g};
    struct class_list *list = NULL;
    s.steps = base_allocate(g->nkinds, sizeof *s.steps);
    count_steps(&s);
    add_coarse(&s);
    size_t ncoarse = s.list.n;
    bool done = price(&s, 0, progress, data);
    if (done) {
        add_fine(&s);
        done = price(&s, ncoarse, progress, data);
    }
    for (size_t i = 0; done && i < s.list.n; i += 64)
        count_reads(&s, i, s.list.n < i + 64 ? s.list.n : i + 64);
    if (done)
        list = listed(&s, ncoarse);
    for (size_t i = 0; i < s.list.n; i++)
        free(s.list.at[i].kinds);
    free(s.list.at);
    free(s.steps);
    return list;
}

// Of a measured run: its wait states by line.
static struct class_list *wait_states(const iot *a, iot_progress progress, void *data)
{
    uint32_t n;
    wait_class *states = iot_wait_classes(a, MOST_COARSE, &n, progress, data);
    if (!states)
        return NULL;
    struct class_list *list = base_allocate(1, sizeof *list);
    list->at = base_allocate(n, sizeof *list->at);
    list->n = n;
    for (uint32_t i = 0; i < n; i++)
        list->at[i] = (iot_class){iot_wait_class_text(a, &states[i]), states[i].waits,
                                  (double)states[i].elapsed_without};
    free(states);
    if (n)
        qsort(list->at, n, sizeof *list->at, by_saving);
    return list;
}

bool iot_classes(const iot *analysis, iot_progress progress, void *data, const iot_class **ret,
                 uint32_t *ret_n)
{
    iot *a = (iot *)analysis;
    pthread_mutex_lock(&a->locks.classes);
    if (!a->classes && trace_is_measured(a->t)) {
        a->classes = wait_states(a, progress, data);
    } else if (!a->classes) {
        const wait_graph *g = iot_waits(a, progress, data);
        a->classes = g ? find_classes(a, g, progress, data) : NULL;
    }
    pthread_mutex_unlock(&a->locks.classes);
    if (!a->classes)
        return false;
    *ret = a->classes->at;
    *ret_n = a->classes->n;
    return true;
}

void iot_free_classes(struct class_list *list)
{
    if (!list)
        return;
    for (uint32_t i = 0; i < list->n; i++)
        free(list->at[i].name);
    free(list->at);
    free(list);
}
