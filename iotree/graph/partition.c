// SPDX-License-Identifier: MIT
//
// Partitions: parsed from text, written as text, and the default partition.
#include <ctype.h>

#include "base/text.h"
#include "base/utf8.h"
#include "iotree/graph/model.h"

// ---------------------------------------------------------------------------------------------
// Building

static iot_partition *new_partition(void)
{
    iot_partition *p = base_allocate(1, sizeof *p);
    p->names = base_allocate(1, sizeof *p->names);
    p->names[0] = base_format("main");
    p->nmodules = 1;
    return p;
}

void iot_partition_destroy(iot_partition *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->nmodules; i++)
        free(p->names[i]);
    free(p->names);
    free(p->entries);
    free(p);
}

static uint32_t module_named(iot_partition *p, const char *name)
{
    for (uint32_t i = 0; i < p->nmodules; i++) {
        if (!strcmp(p->names[i], name))
            return i;
    }
    p->names = base_resize(p->names, p->nmodules + 1, sizeof *p->names);
    p->names[p->nmodules] = base_copy(name);
    return p->nmodules++;
}

static const partition_entry *find_entry(const iot_partition *p, uint32_t predicate, uint32_t goal)
{
    for (uint32_t i = 0; i < p->nentries; i++) {
        if (p->entries[i].predicate == predicate && p->entries[i].goal == goal)
            return &p->entries[i];
    }
    return NULL;
}

static void add_entry(iot_partition *p, uint32_t module, uint32_t predicate, uint32_t goal)
{
    p->entries = base_resize(p->entries, p->nentries + 1, sizeof *p->entries);
    p->entries[p->nentries++] = (partition_entry){module, predicate, goal};
}

// ---------------------------------------------------------------------------------------------
// Parsing. Blanks and comments may stand between any two tokens:
//
//   partition: { NAME '=' entry { ',' entry } }      entry: [NAME ':'] NAME '/' N  |  '#' N

typedef struct {
    const trace *t;
    const trace *other; // what only this one has is left out; or NULL
    const char *at, *text;
    iot_partition *p;
    char *error; // the first
} parser;

// A number as it was typed. What is larger than any index has the largest value.
typedef struct {
    uint32_t value;
    int length;
    const char *text;
} number;

static void fail(parser *s, char *message)
{
    if (s->error)
        free(message);
    else
        s->error = message;
}

// A `#` begins a comment only as the first thing of a line; elsewhere it names a goal.
static void skip_blanks(parser *s)
{
    for (;; s->at++) {
        bool line_start = s->at == s->text || s->at[-1] == '\n';
        if (*s->at == '%' || (*s->at == '#' && line_start))
            s->at += strcspn(s->at, "\n");
        if (!*s->at || !isspace((unsigned char)*s->at))
            return;
    }
}

static bool accept(parser *s, char c)
{
    skip_blanks(s);
    if (*s->at != c)
        return false;
    s->at++;
    return true;
}

// `$` is in the names of KL1's conditionals.
static bool is_plain(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_-.$", c)) || (unsigned char)c >= 128;
}

// A plain or quoted name, malloc'ed; NULL if there is none here.
static char *parse_name(parser *s)
{
    skip_blanks(s);
    const char *start = s->at;
    if (*start != '\'') {
        while (is_plain(*s->at))
            s->at++;
        return s->at == start ? NULL : base_format("%.*s", (int)(s->at - start), start);
    }
    char *name = base_allocate(strlen(start) + 1, 1), *end = name;
    for (s->at++; *s->at; s->at++) {
        if (*s->at == '\\' && s->at[1])
            s->at++;
        else if (*s->at == '\'' && s->at[1] == '\'')
            s->at++;
        else if (*s->at == '\'')
            break;
        *end++ = *s->at;
    }
    if (*s->at)
        s->at++;
    else
        fail(s, base_format("a quoted name is not closed: %.40s", start));
    return name;
}

static bool parse_number(parser *s, number *ret)
{
    skip_blanks(s);
    if (!isdigit((unsigned char)*s->at))
        return false;
    uint64_t n = 0;
    const char *start = s->at;
    for (; isdigit((unsigned char)*s->at); s->at++) {
        if (n < UINT32_MAX)
            n = 10 * n + (uint64_t)(*s->at - '0');
    }
    *ret = (number){n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1, (int)(s->at - start), start};
    return true;
}

// The word that begins at `start`, quoted, or "the end". malloc'ed.
static char *word_text(const char *start)
{
    size_t n = strcspn(start, " \t\r\n\v\f,"), most = 40;
    if (n > most)
        return base_format("`%.*s...`", (int)utf8_cut(start, most), start);
    if (!n && *start)
        n = 1;
    return n ? base_format("`%.*s`", (int)n, start) : base_format("the end");
}

static bool is_named(const trace *t, uint32_t predicate, const char *name)
{
    const trace_predicate *q = trace_get_predicate(t, predicate);
    return q->origin != TRACE_BUILTIN && !strcmp(trace_string(t, q->name, NULL), name);
}

static bool named_in_several_modules(const trace *t, const char *name)
{
    uint32_t module = IOT_NONE;
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        uint32_t m = trace_get_predicate(t, i)->module;
        if (is_named(t, i, name) && module != IOT_NONE && m != module)
            return true;
        module = is_named(t, i, name) ? m : module;
    }
    return false;
}

// Is `entry` among those of the list, which are separated by ", "?
static bool is_listed(const char *list, const char *entry)
{
    size_t n = strlen(entry);
    for (const char *at = list; (at = strstr(at, entry)); at++) {
        if (at > list && at[-1] == ' ' && (!at[n] || at[n] == ','))
            return true;
    }
    return false;
}

// The list with the trace's predicates of the name added. Frees the old one; malloc'ed.
static char *list_named(char *list, const trace *t, const char *name)
{
    bool qualified = named_in_several_modules(t, name);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        if (!is_named(t, i, name))
            continue;
        const trace_predicate *q = trace_get_predicate(t, i);
        char *entry = base_format("%s%s%s/%u", qualified ? trace_module_name(t, q->module) : "",
                                 qualified ? ":" : "", name, q->arity);
        if (!is_listed(list, entry)) {
            char *more = base_format("%s%s %s", list, *list ? "," : "", entry);
            free(list);
            list = more;
        }
        free(entry);
    }
    return list;
}

// Says which predicates of the name there are, when there are some.
static char *no_such_predicate(const parser *s, const char *module, const char *name, number arity)
{
    char *list = list_named(base_copy(""), s->t, name);
    if (s->other)
        list = list_named(list, s->other, name);
    char *message = base_format(
        "%s predicate %s%s%s/%.*s%s%s%s", s->other ? "neither trace has a" : "the trace has no",
        module ? module : "", module ? ":" : "", name, arity.length, arity.text,
        !*list     ? ""
        : s->other ? " (but"
                   : " (it has",
        list, *list ? ")" : "");
    free(list);
    return message;
}

static bool has_predicate(const trace *t, const char *module, const char *name, uint32_t arity)
{
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        if (q->arity == arity && is_named(t, i, name) &&
            (!module || !strcmp(trace_module_name(t, q->module), module)))
            return true;
    }
    return false;
}

// Is the predicate one of the library that the other one, of the program, stands before?
static bool is_shadowed(const trace *t, uint32_t predicate, const trace_predicate *other)
{
    return trace_get_predicate(t, predicate)->origin == TRACE_LIBRARY &&
           other->origin == TRACE_PROGRAM;
}

// malloc'ed
static char *in_two_modules(const trace *t, uint32_t first, uint32_t second)
{
    const trace_predicate *p = trace_get_predicate(t, first), *q = trace_get_predicate(t, second);
    const char *name = trace_string(t, p->name, NULL);
    return base_format("%s/%u is in several modules: write %s:%s/%u or %s:%s/%u", name, p->arity,
                      trace_module_name(t, p->module), name, p->arity,
                      trace_module_name(t, q->module), name, q->arity);
}

// IOT_NONE: none, which is an error unless the other trace has it.
static uint32_t look_up(parser *s, const char *module, const char *name, number arity)
{
    uint32_t found = IOT_NONE, builtin = IOT_NONE;
    for (uint32_t i = 0; i < trace_npredicates(s->t); i++) {
        const trace_predicate *q = trace_get_predicate(s->t, i);
        if (q->arity != arity.value || strcmp(trace_string(s->t, q->name, NULL), name))
            continue;
        if (q->origin == TRACE_BUILTIN) {
            builtin = i;
        } else if (!module || !strcmp(trace_module_name(s->t, q->module), module)) {
            if (found == IOT_NONE || is_shadowed(s->t, found, q)) {
                found = i;
            } else if (!is_shadowed(s->t, i, trace_get_predicate(s->t, found))) {
                fail(s, in_two_modules(s->t, found, i));
                return IOT_NONE;
            }
        }
    }
    if (found != IOT_NONE || (s->other && has_predicate(s->other, module, name, arity.value)))
        return found;
    if (builtin != IOT_NONE && !module)
        fail(s, base_format("%s/%u is a built-in: it belongs to the process it occurs in", name,
                           arity.value));
    else
        fail(s, no_such_predicate(s, module, name, arity));
    return IOT_NONE;
}

static void add_parsed(parser *s, uint32_t module, uint32_t predicate, uint32_t goal)
{
    const partition_entry *old = find_entry(s->p, predicate, goal);
    if (!old) {
        add_entry(s->p, module, predicate, goal);
    } else if (old->module != module) {
        char *what =
            goal == IOT_NONE ? iot_predicate_text(s->t, predicate) : base_format("#%u", goal);
        fail(s, base_format("%s is an entry of both %s and %s", what, s->p->names[old->module],
                           s->p->names[module]));
        free(what);
    }
}

static void parse_predicate_entry(parser *s, uint32_t module)
{
    number arity;
    skip_blanks(s);
    const char *start = s->at;
    char *qualifier = NULL, *name = parse_name(s);
    if (name && accept(s, ':')) {
        qualifier = name;
        name = parse_name(s);
    }
    if (!name || !accept(s, '/') || !parse_number(s, &arity)) {
        char *word = word_text(start);
        fail(s, base_format("module %s: expected an entry PREDICATE/N or #GOAL at %s",
                           s->p->names[module], word));
        free(word);
    } else {
        uint32_t predicate = look_up(s, qualifier, name, arity);
        if (predicate != IOT_NONE)
            add_parsed(s, module, predicate, IOT_NONE);
    }
    free(qualifier);
    free(name);
}

static void parse_goal_entry(parser *s, uint32_t module)
{
    number goal;
    const char *start = s->at - 1;
    if (!parse_number(s, &goal)) {
        char *word = word_text(start);
        fail(s, base_format("module %s: expected a goal's number after `#` at %s",
                           s->p->names[module], word));
        free(word);
    } else if (goal.value < trace_ngoals(s->t)) {
        add_parsed(s, module, IOT_NONE, goal.value);
    } else if (!s->other) {
        fail(s, base_format("module %s: the trace has no goal #%.*s (it has %u)",
                           s->p->names[module], goal.length, goal.text, trace_ngoals(s->t)));
    } else if (goal.value >= trace_ngoals(s->other)) {
        fail(s, base_format("module %s: neither trace has a goal #%.*s (they have %u and %u)",
                           s->p->names[module], goal.length, goal.text, trace_ngoals(s->t),
                           trace_ngoals(s->other)));
    }
}

static void parse_module(parser *s)
{
    const char *start = s->at;
    char *name = parse_name(s);
    if (!name || !*name || !accept(s, '=')) {
        char *word = word_text(start);
        fail(s, base_format("expected NAME=PREDICATE/N,... at %s", word));
        free(word);
        free(name);
        return;
    }
    uint32_t module = module_named(s->p, name);
    free(name);
    do {
        if (accept(s, '#'))
            parse_goal_entry(s, module);
        else
            parse_predicate_entry(s, module);
    } while (!s->error && accept(s, ','));
}

iot_partition *iot_partition_parse_among(const trace *t, const trace *other, const char *text,
                                         char **ret_error)
{
    parser s = {.t = t, .other = other, .at = text, .text = text, .p = new_partition()};
    for (skip_blanks(&s); *s.at && !s.error; skip_blanks(&s))
        parse_module(&s);
    if (!s.error)
        return s.p;
    iot_partition_destroy(s.p);
    if (ret_error)
        *ret_error = s.error;
    else
        free(s.error);
    return NULL;
}

iot_partition *iot_partition_parse(const trace *t, const char *text, char **ret_error)
{
    return iot_partition_parse_among(t, NULL, text, ret_error);
}

// ---------------------------------------------------------------------------------------------
// Writing

static void write_name(base_text *f, const char *name)
{
    bool plain = *name;
    for (const char *c = name; *c; c++)
        plain = plain && is_plain(*c);
    if (plain) {
        text_add_string(f, name);
        return;
    }
    text_add_char(f, '\'');
    for (const char *c = name; *c; c++) {
        if (*c == '\'' || *c == '\\')
            text_add_char(f, '\\');
        text_add_char(f, *c);
    }
    text_add_char(f, '\'');
}

static bool in_several_modules(const trace *t, const trace_predicate *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        n += q->origin != TRACE_BUILTIN && q->name == p->name && q->arity == p->arity;
    }
    return n > 1;
}

static void write_entry(base_text *f, const trace *t, const partition_entry *e)
{
    if (e->goal != IOT_NONE) {
        text_add_format(f, "#%u", e->goal);
        return;
    }
    const trace_predicate *p = trace_get_predicate(t, e->predicate);
    if (in_several_modules(t, p)) {
        write_name(f, trace_module_name(t, p->module));
        text_add_char(f, ':');
    }
    write_name(f, trace_string(t, p->name, NULL));
    text_add_format(f, "/%u", p->arity);
}

char *iot_partition_text(const trace *t, const iot_partition *p)
{
    base_text text = {0};
    bool first_line = true;
    for (uint32_t m = 0; m < p->nmodules; m++) {
        bool first = true;
        for (uint32_t i = 0; i < p->nentries; i++) {
            if (p->entries[i].module != m)
                continue;
            if (first) {
                text_add_string(&text, first_line ? "" : "\n");
                write_name(&text, p->names[m]);
            }
            text_add_char(&text, first ? '=' : ',');
            write_entry(&text, t, &p->entries[i]);
            first = first_line = false;
        }
    }
    return text_finish(&text);
}

// ---------------------------------------------------------------------------------------------
// The default: predicates of the program only

// The predicate under which the beginning's clause is filed, if it has no other clause: it is not
// of the program.
static uint32_t beginning_predicate(const trace *t)
{
    uint32_t clause = trace_reduction_clause(t, 0);
    uint32_t predicate = trace_get_clause(t, clause)->predicate;
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        if (i != clause && trace_get_clause(t, i)->predicate == predicate)
            return IOT_NONE;
    }
    for (uint32_t g = 0; g < trace_first_goal(t, 1); g++) {
        if (trace_goal_predicate(t, g) == predicate)
            return IOT_NONE;
    }
    return predicate;
}

static bool add_source_modules(const trace *t, iot_partition *p)
{
    uint32_t n = 0, beginning = beginning_predicate(t);
    uint8_t *user = base_allocate(trace_nmodules(t), 1);
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        if (q->origin == TRACE_PROGRAM && i != beginning && !user[q->module]) {
            user[q->module] = 1;
            n++;
        }
    }
    free(user);
    if (n < 2)
        return false;
    for (uint32_t i = 0; i < trace_npredicates(t); i++) {
        const trace_predicate *q = trace_get_predicate(t, i);
        if (q->origin == TRACE_PROGRAM && i != beginning)
            add_entry(p, module_named(p, trace_module_name(t, q->module)), i, IOT_NONE);
    }
    return true;
}

static void add_called(const trace *t, iot_partition *p, uint32_t predicate)
{
    const trace_predicate *q = trace_get_predicate(t, predicate);
    if (q->origin == TRACE_PROGRAM && !find_entry(p, predicate, IOT_NONE))
        add_entry(p, module_named(p, trace_name(t, q->name)), predicate, IOT_NONE);
}

static void add_body(const trace *t, iot_partition *p, uint32_t predicate)
{
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (c->dynamic || c->predicate != predicate || i == trace_reduction_clause(t, 0))
            continue;
        for (uint32_t j = 0; j < c->nitems; j++) {
            if (c->items[j].kind == TI_GOAL)
                add_called(t, p, c->items[j].predicate);
        }
    }
}

iot_partition *iot_partition_default(const trace *t)
{
    iot_partition *p = new_partition();
    if (!trace_nreductions(t) || add_source_modules(t, p))
        return p;
    uint32_t n = trace_first_goal(t, 1);
    for (uint32_t g = 0; g < n; g++) {
        uint32_t predicate = trace_goal_predicate(t, g);
        const trace_predicate *q = trace_get_predicate(t, predicate);
        if (q->origin == TRACE_PROGRAM && !strcmp(trace_string(t, q->name, NULL), "main"))
            add_body(t, p, predicate);
        else
            add_called(t, p, predicate);
    }
    return p;
}
