// SPDX-License-Identifier: MIT
//
// Classes of waits by name. Names of predicates may have any characters, also `<-`, `:`, `/` and
// `@`. So nothing is cut apart in advance: a text is compared with what the trace has, and a `<-`
// that gives two sides which the trace knows is the one that was meant.
#include "iotree/prices/classes.h"

#include "base/nearest.h"
#include "base/text.h"

#define MOST_LINES 8u // that a message names

// One side of a class.
typedef struct {
    const uint8_t *predicates; // bits
    const char *file;          // as it was given, or NULL
    size_t file_length;
    uint32_t line, number; // number 0: any
    wait_place_kind place_kind;
    uint32_t place;
} class_side;

// ---------------------------------------------------------------------------------------------
// Suffixes

// A number without sign that ends where the text does, or at `end`. False if it is none.
static bool read_number(const char *at, const char *end, uint32_t *ret)
{
    uint64_t n = 0;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9' || n > UINT32_MAX / 10)
            return false;
        n = n * 10 + (uint64_t)(*at - '0');
    }
    *ret = (uint32_t)n;
    return n < UINT32_MAX;
}

// The last such byte before the end, or NULL.
static const char *last_byte(const char *at, const char *end, char byte)
{
    while (end > at)
        if (*--end == byte)
            return end;
    return NULL;
}

static bool read_place(const char *at, const char *end, class_side *side)
{
    const char *digits = NULL;
    if (end - at > 4 && !strncmp(at, ".arg", 4)) {
        side->place_kind = PLACE_ARGUMENT;
        digits = at + 4;
    } else if (end - at > 6 && !strncmp(at, ".guard", 6)) {
        side->place_kind = PLACE_GUARD;
        digits = at + 6;
    }
    return digits && read_number(digits, end, &side->place) &&
           (side->place > 0 || side->place_kind == PLACE_GUARD);
}

// @FILE:LINE or @FILE:LINE#N, up to the end.
static bool read_line(const char *at, const char *end, class_side *side)
{
    if (at == end || *at != '@')
        return false;
    const char *colon = last_byte(at, end, ':'), *number = colon;
    while (number && number < end && *number != '#')
        number++;
    if (!colon || colon == at + 1 || !read_number(colon + 1, number, &side->line))
        return false;
    if (number < end && (!read_number(number + 1, end, &side->number) || side->number == 0))
        return false;
    side->file = at + 1;
    side->file_length = (size_t)(colon - at - 1);
    return true;
}

// What follows a predicate: a place and a line, in either order, or nothing.
static bool read_suffix(const char *at, const char *end, class_side *side)
{
    class_side none = {.predicates = side->predicates};
    *side = none;
    if (at == end || read_place(at, end, side) || read_line(at, end, side))
        return true;
    const char *dot = last_byte(at, end, '.'), *sign = memchr(at, '@', (size_t)(end - at));
    *side = none;
    if (dot && read_place(dot, end, side) && read_line(at, dot, side))
        return true;
    *side = none;
    return sign && read_place(at, sign, side) && read_line(sign, end, side);
}

// ---------------------------------------------------------------------------------------------
// Predicates

// How much of the text the predicate's name and arity take, with or without its module; 0: none.
static size_t begins_with(const trace *t, uint32_t predicate, const char *at, const char *end)
{
    const trace_predicate *p = trace_get_predicate(t, predicate);
    const char *name = trace_name(t, p->name), *module = trace_module_name(t, p->module);
    char *plain = base_format("%s/%u", name, p->arity);
    char *whole = base_format("%s:%s", module, plain);
    size_t n = strlen(plain), w = strlen(whole), room = (size_t)(end - at), found = 0;
    if (n <= room && !memcmp(at, plain, n))
        found = n;
    else if (w <= room && !memcmp(at, whole, w))
        found = w;
    free(plain);
    free(whole);
    return found;
}

// Where PREDICATE/N ends in the text, by its looks; NULL if nowhere.
static const char *end_of_indicator(const char *at, const char *end)
{
    for (const char *slash = at + 1; slash < end; slash++) {
        const char *digit = slash + 1;
        while (digit < end && *digit >= '0' && *digit <= '9')
            digit++;
        if (*slash == '/' && digit > slash + 1 && (digit == end || *digit == '@' || *digit == '.'))
            return digit;
    }
    return NULL;
}

static char *no_such_predicate(const trace *t, const char *at, const char *end)
{
    char *wanted = base_copy_bytes(at, (size_t)(end - at));
    uint32_t n = trace_npredicates(t);
    char **names = base_allocate(n, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        names[i] = iot_predicate_text(t, i);
    const char *near = nearest_of(wanted, (const char *const *)names, n);
    char *error = near ? base_format("the run has no %s; did you mean %s?", wanted, near)
                       : base_format("the run has no %s", wanted);
    for (uint32_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
    free(wanted);
    return error;
}

// A side of a class, whose predicates are set in `predicates`.
static iot_price_status read_side(const trace *t, const char *at, const char *end,
                                  uint8_t *predicates, class_side *ret, char **ret_error)
{
    bool found = false;
    *ret = (class_side){.predicates = predicates};
    memset(predicates, 0, trace_npredicates(t) / 8 + 1);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        size_t length = begins_with(t, i, at, end);
        class_side side = {.predicates = predicates};
        if (length && read_suffix(at + length, end, &side)) {
            bit_set(predicates, i);
            *ret = side;
            found = true;
        }
    }
    if (found)
        return IOT_PRICED;
    const char *indicator = end_of_indicator(at, end);
    class_side ignored = {0};
    if (indicator && read_suffix(indicator, end, &ignored)) {
        *ret_error = no_such_predicate(t, at, indicator);
        return IOT_NOTHING_MATCHES;
    }
    *ret_error = base_format("`%.*s` is not PREDICATE/N, MODULE:PREDICATE/N or "
                             "PREDICATE/N@FILE:LINE (#2: the second there), before `<-` also with "
                             ".arg2 or .guard1",
                             (int)(end - at), at);
    return IOT_NOT_UNDERSTOOD;
}

iot_price_status iot_find_predicates(const trace *t, const char *text, uint8_t *predicates,
                                     char **ret_error)
{
    class_side side;
    const char *end = text + strlen(text);
    iot_price_status status = read_side(t, text, end, predicates, &side, ret_error);
    if (status == IOT_PRICED && (side.file || side.place_kind != PLACE_UNKNOWN)) {
        *ret_error = base_format("`%s`: a predicate is wanted, without a line or a place", text);
        return IOT_NOT_UNDERSTOOD;
    }
    return status;
}

// ---------------------------------------------------------------------------------------------
// Sites

static bool is_file(const trace *t, uint32_t source, const class_side *side)
{
    if (source == TRACE_NONE)
        return false;
    const char *name = trace_name(t, trace_get_source(t, source)->name);
    const char *slash = strrchr(name, '/');
    size_t length = strlen(name), base = slash ? strlen(slash + 1) : 0;
    return (length == side->file_length && !memcmp(name, side->file, length)) ||
           (slash && base == side->file_length && !memcmp(slash + 1, side->file, base));
}

static bool is_at(const trace *t, const wait_site *site, const class_side *side)
{
    return bit_get(side->predicates, site->predicate) &&
           (!side->file || (site->line == side->line && is_file(t, site->source, side) &&
                            (!side->number || side->number == site->number)));
}

// Bits by site; false if there is none.
static bool find_sites(const trace *t, const wait_graph *g, const class_side *side, uint8_t *sites)
{
    bool found = false;
    for (uint32_t i = 0; i < g->nsites; i++) {
        if (is_at(t, &g->all_sites[i], side)) {
            bit_set(sites, i);
            found = true;
        }
    }
    return found;
}

// The predicate stands elsewhere: says where.
static char *no_such_line(const trace *t, const wait_graph *g, const class_side *side)
{
    base_text text = {0};
    uint32_t n = 0;
    bool file = false;
    for (uint32_t i = 0; i < trace_nsources(t); i++)
        file = file || is_file(t, i, side);
    text_add_format(&text, file ? "nothing of that name is there at %.*s:%u"
                                : "the run has no source %.*s (line %u)",
                    (int)side->file_length, side->file, side->line);
    if (side->number)
        text_add_format(&text, "#%u", side->number);
    for (uint32_t i = 0; i < g->nsites; i++) {
        const wait_site *s = &g->all_sites[i];
        if (!bit_get(side->predicates, s->predicate) || s->source == TRACE_NONE ||
            s->number > 1 || n++ >= MOST_LINES)
            continue;
        text_add_format(&text, "%s%s:%u", n == 1 ? "; there are " : ", ",
                        trace_name(t, trace_get_source(t, s->source)->name), s->line);
    }
    text_add_string(&text, n > MOST_LINES ? " and more" : "");
    return text_finish(&text);
}

// ---------------------------------------------------------------------------------------------
// Classes

static bool has_places(const wait_graph *g, wait_place_kind kind)
{
    for (uint32_t k = 0; k < g->nkinds; k++)
        if (g->kinds_of[k].place_kind == kind)
            return true;
    return false;
}

static iot_price_status choose_kinds(const trace *t, const wait_graph *g, const class_side *sides,
                                     const char *text, uint8_t *kinds, char **ret_error)
{
    uint8_t *sites[2] = {bits_allocate(g->nsites), bits_allocate(g->nsites)};
    bool found = false;
    int missing = !find_sites(t, g, &sides[0], sites[0])   ? 0
                  : !find_sites(t, g, &sides[1], sites[1]) ? 1
                                                           : -1;
    for (uint32_t k = 0; missing < 0 && k < g->nkinds; k++) {
        const wait_kind *kind = &g->kinds_of[k];
        if (bit_get(sites[0], kind->reader) && bit_get(sites[1], kind->maker) &&
            (sides[0].place_kind == PLACE_UNKNOWN ||
             (sides[0].place_kind == kind->place_kind && sides[0].place == kind->place))) {
            bit_set(kinds, k);
            found = true;
        }
    }
    free(sites[0]);
    free(sites[1]);
    if (found)
        return IOT_PRICED;
    if (missing >= 0)
        *ret_error = no_such_line(t, g, &sides[missing]);
    else if (sides[0].place_kind == PLACE_GUARD && !has_places(g, PLACE_GUARD) &&
             trace_version(t) < 5)
        *ret_error = base_format("%s: the file is older and does not tell what guards read: give "
                                 "the class without .guard%u, or record the run again",
                                 text, sides[0].place);
    else
        *ret_error = base_format("%s: nothing was read there that was made there", text);
    return IOT_NOTHING_MATCHES;
}

static iot_price_status read_sides(const trace *t, const char *text, const char *arrow,
                                   uint8_t *predicates[2], class_side *sides, char **ret_error)
{
    const char *end = text + strlen(text);
    iot_price_status read = read_side(t, text, arrow, predicates[0], &sides[0], ret_error);
    if (read == IOT_PRICED)
        read = read_side(t, arrow + 2, end, predicates[1], &sides[1], ret_error);
    if (read == IOT_PRICED && sides[1].place_kind != PLACE_UNKNOWN) {
        *ret_error = base_format("%s: .arg and .guard belong to the reader, before `<-`", text);
        read = IOT_NOT_UNDERSTOOD;
    }
    return read;
}

// By the first `<-` that gives two sides; if there is none, the error is about the first one.
static iot_price_status read_class(const trace *t, const char *text, uint8_t *predicates[2],
                                   class_side *sides, char **ret_error)
{
    const char *first = strstr(text, "<-");
    if (!first) {
        *ret_error = base_format("`%s` is not READER<-MAKER, as in append/3<-nrev/2 or "
                                 "append/3.arg1<-nrev/2",
                                 text);
        return IOT_NOT_UNDERSTOOD;
    }
    iot_price_status status = read_sides(t, text, first, predicates, sides, ret_error);
    for (const char *next = first; status != IOT_PRICED && (next = strstr(next + 1, "<-"));) {
        char *error = NULL;
        if (read_sides(t, text, next, predicates, sides, &error) == IOT_PRICED) {
            free(*ret_error);
            return IOT_PRICED;
        }
        free(error);
    }
    return status;
}

iot_price_status iot_find_class(const iot *a, const wait_graph *g, const char *text, uint8_t *kinds,
                                char **ret_error)
{
    class_side sides[2];
    uint8_t *predicates[2] = {bits_allocate(trace_npredicates(a->t)),
                              bits_allocate(trace_npredicates(a->t))};
    iot_price_status status = read_class(a->t, text, predicates, sides, ret_error);
    if (status == IOT_PRICED)
        status = choose_kinds(a->t, g, sides, text, kinds, ret_error);
    free(predicates[0]);
    free(predicates[1]);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Names

static bool is_alone(const wait_graph *g, const wait_site *site)
{
    for (uint32_t i = 0; i < g->nsites; i++) {
        const wait_site *s = &g->all_sites[i];
        if (s != site && s->predicate == site->predicate && s->source == site->source &&
            s->line == site->line)
            return false;
    }
    return true;
}

static void add_side(base_text *text, const trace *t, const wait_graph *g, uint32_t predicate,
                     uint32_t site)
{
    char *name = iot_predicate_text(t, predicate);
    text_add_string(text, name);
    free(name);
    if (site == IOT_NONE)
        return;
    const wait_site *s = &g->all_sites[site];
    text_add_format(text, "@%s:%u", trace_name(t, trace_get_source(t, s->source)->name),
                    s->line);
    if (!is_alone(g, s))
        text_add_format(text, "#%u", s->number);
}

char *iot_class_text(const trace *t, const wait_graph *g, class_name name)
{
    base_text text = {0};
    add_side(&text, t, g, name.reader, name.reader_site);
    if (name.place_kind != PLACE_UNKNOWN)
        text_add_format(&text, ".%s%u", name.place_kind == PLACE_GUARD ? "guard" : "arg",
                        name.place);
    text_add_string(&text, "<-");
    add_side(&text, t, g, name.maker, name.maker_site);
    return text_finish(&text);
}
