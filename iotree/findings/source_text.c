// SPDX-License-Identifier: MIT
//
// Reads sources in C and Fortran as far as findings need it (source_text.h). A text that is neither
// gives nothing, or loops where there are none; findings then name the lines of the constructs.
#include "iotree/findings/source_text.h"

#include <ctype.h>
#include <strings.h>

#include "base/text.h"

enum {
    MOST_DEPTH = 256, // of braces and loops; deeper ones are not told apart
    // Of a text that has more, which is generated, the rest is not looked at.
    MOST_LOOPS = 2000,
    MOST_FUNCTIONS = 1000,
    MOST_CALLED = 20000,
};

typedef struct {
    char name[64];
    uint32_t line;
} word;

typedef struct {
    source_text *s;
    ARRAY_OF(word) called; // words before a bracket; resolved when all functions are known
    uint32_t open[MOST_DEPTH], nopen; // loops
} reading;

static void open_loop(reading *x, uint32_t line)
{
    uint32_t inside = x->nopen > 0 ? x->open[x->nopen - 1] : TRACE_NONE;
    if (x->s->loops.n == MOST_LOOPS || x->nopen == MOST_DEPTH)
        return;
    ARRAY_PUSH(x->s->loops, ((text_loop){line, line, inside, x->nopen + 1}));
    x->open[x->nopen++] = (uint32_t)x->s->loops.n - 1;
}

static void close_loop(reading *x, uint32_t line)
{
    if (x->nopen > 0)
        x->s->loops.at[x->open[--x->nopen]].last = line;
}

static void add_function(reading *x, const char *name, uint32_t line)
{
    if (x->s->functions.n < MOST_FUNCTIONS)
        ARRAY_PUSH(x->s->functions, ((text_function){base_format("%s", name), line, line, 0}));
}

// ---------------------------------------------------------------------------------------------
// C

typedef struct {
    const char *at, *end;
    uint32_t line;
} cursor;

static bool starts(const cursor *c, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(c->end - c->at) >= n && memcmp(c->at, text, n) == 0;
}

static void step(cursor *c)
{
    c->line += *c->at == '\n';
    c->at++;
}

static void skip_line(cursor *c)
{
    while (c->at < c->end && *c->at != '\n') {
        if (*c->at == '\\' && c->at + 1 < c->end)
            step(c);
        step(c);
    }
}

static void skip_quoted(cursor *c)
{
    char quote = *c->at;
    step(c);
    while (c->at < c->end && *c->at != quote && *c->at != '\n') {
        if (*c->at == '\\' && c->at + 1 < c->end)
            step(c);
        step(c);
    }
    if (c->at < c->end)
        step(c);
}

// Blanks, comments, directives, strings. True if it moved.
static bool skip_c(cursor *c, bool *line_begins)
{
    if (*c->at == '\n') {
        *line_begins = true;
        step(c);
    } else if (isspace((unsigned char)*c->at)) {
        step(c);
    } else if (starts(c, "//") || (*c->at == '#' && *line_begins)) {
        skip_line(c);
    } else if (starts(c, "/*")) {
        while (c->at < c->end && !starts(c, "*/"))
            step(c);
        for (int i = 0; i < 2 && c->at < c->end; i++)
            step(c);
    } else if (*c->at == '"' || *c->at == '\'') {
        skip_quoted(c);
    } else {
        return false;
    }
    return true;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

static word take_word(cursor *c)
{
    word w = {.line = c->line};
    size_t n = 0;
    for (; c->at < c->end && is_word(*c->at); c->at++)
        if (n + 1 < sizeof w.name)
            w.name[n++] = *c->at;
    return w;
}

typedef struct {
    reading *x;
    int braces, brackets;
    uint32_t loops_at[MOST_DEPTH]; // by brace: how many loops were open before its own
    uint32_t lines[MOST_DEPTH];    // by brace
    word last, candidate;    // the last word; the function whose head this may be
} c_state;

static void close_statement_loops(c_state *s, uint32_t line)
{
    uint32_t floor = s->braces > 0 && s->braces <= MOST_DEPTH ? s->loops_at[s->braces - 1] : 0;
    while (s->x->nopen > floor)
        close_loop(s->x, line);
}

static void open_brace(c_state *s, uint32_t line)
{
    if (s->braces == 0 && s->candidate.name[0] != 0)
        add_function(s->x, s->candidate.name, s->candidate.line);
    if (s->braces < MOST_DEPTH) {
        s->loops_at[s->braces] = s->x->nopen;
        s->lines[s->braces] = line;
    }
    s->braces++;
    s->candidate.name[0] = 0;
}

// The end of a block ends the loops whose body it is, and those that have only these in them.
static void close_brace(c_state *s, uint32_t line)
{
    if (s->braces == 0)
        return;
    close_statement_loops(s, line);
    s->braces--;
    if (s->braces < MOST_DEPTH)
        ARRAY_PUSH(s->x->s->blocks, ((text_loop){s->lines[s->braces], line, TRACE_NONE, 0}));
    if (s->braces == 0) {
        while (s->x->nopen > 0)
            close_loop(s->x, line);
        if (s->x->s->functions.n > 0)
            s->x->s->functions.at[s->x->s->functions.n - 1].last = line;
        return;
    }
    uint32_t floor = s->braces <= MOST_DEPTH ? s->loops_at[s->braces - 1] : 0;
    while (s->x->nopen > floor)
        close_loop(s->x, line);
}

static void take_bracket(c_state *s, char ch)
{
    if (ch == '(') {
        if (s->brackets == 0 && s->braces == 0)
            s->candidate = s->last;
        else if (s->last.name[0] != 0 && s->braces > 0 && s->x->called.n < MOST_CALLED)
            ARRAY_PUSH(s->x->called, s->last);
        s->brackets++;
    } else if (s->brackets > 0) {
        s->brackets--;
    }
}

static void take_c_word(c_state *s, cursor *c)
{
    s->last = take_word(c);
    bool loop = !strcmp(s->last.name, "for") || !strcmp(s->last.name, "while");
    if (s->braces == 0 || !(loop || !strcmp(s->last.name, "do")))
        return;
    open_loop(s->x, s->last.line);
    s->last.name[0] = 0;
}

static void read_c(reading *x, cursor c)
{
    c_state s = {.x = x};
    bool line_begins = true;
    while (c.at < c.end) {
        if (skip_c(&c, &line_begins))
            continue;
        line_begins = false;
        char ch = *c.at;
        if (is_word(ch)) {
            take_c_word(&s, &c);
            continue;
        }
        if (ch == '(' || ch == ')')
            take_bracket(&s, ch);
        else if (ch == '{' && s.brackets == 0)
            open_brace(&s, c.line);
        else if (ch == '}' && s.brackets == 0)
            close_brace(&s, c.line);
        else if (ch == ';' && s.brackets == 0) {
            close_statement_loops(&s, c.line);
            if (s.braces == 0)
                s.candidate.name[0] = 0;
        }
        s.last.name[0] = 0;
        step(&c);
    }
}

// ---------------------------------------------------------------------------------------------
// Fortran: a statement a line, in lower case

static size_t take_line(cursor *c, char *line, size_t size)
{
    size_t n = 0;
    char quote = 0;
    bool comment = false;
    for (; c->at < c->end && *c->at != '\n'; c->at++) {
        char ch = (char)tolower((unsigned char)*c->at);
        if (quote) {
            quote = ch == quote ? 0 : quote;
            ch = ' ';
        } else if (ch == '\'' || ch == '"') {
            quote = ch;
            ch = ' ';
        }
        comment = comment || ch == '!';
        if (!comment && n + 1 < size && (n > 0 || !isspace((unsigned char)ch)))
            line[n++] = ch;
    }
    line[n] = 0;
    return n;
}

static bool begins(const char *line, const char *text)
{
    size_t n = strlen(text);
    return strncmp(line, text, n) == 0 && !is_word(line[n]);
}

// The name after `function`, `subroutine` or `program`, or NULL.
static const char *unit_name(const char *line)
{
    static const char *const units[] = {"program ", "subroutine ", "function "};
    if (begins(line, "end"))
        return NULL;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *at = strstr(line, units[i]);
        if (at && (at == line || at[-1] == ' ' || at[-1] == ')'))
            return at + strlen(units[i]);
    }
    return NULL;
}

static void add_called(reading *x, const char *line, uint32_t number)
{
    word w = {.line = number};
    size_t n = 0;
    for (; *line; line++) {
        if (is_word(*line) && n + 1 < sizeof w.name) {
            w.name[n++] = *line;
            continue;
        }
        w.name[n] = 0;
        if (n > 0 && *line == '(' && x->called.n < MOST_CALLED)
            ARRAY_PUSH(x->called, w);
        n = *line == ' ' && n > 0 && line[1] == '(' ? n : 0;
    }
    w.name[n] = 0;
    if (n > 0 && x->called.n < MOST_CALLED)
        ARRAY_PUSH(x->called, w);
}

static bool is_do(const char *line)
{
    const char *colon = strchr(line, ':');
    if (colon && colon[1] != ':' && colon - line < 64)
        for (line = colon + 1; *line == ' ';)
            line++;
    return begins(line, "do") && !begins(line, "do concurrent (") && line[2] != '=';
}

// Whether the line is `!$omp ` and these words.
static bool is_directive(const cursor *c, const char *words)
{
    const char *at = c->at;
    while (at < c->end && *at == ' ')
        at++;
    size_t n = strlen(words);
    return (size_t)(c->end - at) > n + 6 && strncasecmp(at, "!$omp ", 6) == 0 &&
           strncasecmp(at + 6, words, n) == 0;
}

static void read_fortran(reading *x, cursor c)
{
    uint32_t units[MOST_DEPTH], nunits = 0;
    char line[512];
    uint32_t regions[MOST_DEPTH], nregions = 0;
    for (; c.at < c.end; c.at++, c.line++) {
        if (is_directive(&c, "parallel") && nregions < MOST_DEPTH)
            regions[nregions++] = c.line;
        else if (is_directive(&c, "end parallel") && nregions > 0)
            ARRAY_PUSH(x->s->blocks, ((text_loop){regions[--nregions], c.line, TRACE_NONE, 0}));
        take_line(&c, line, sizeof line);
        const char *name = unit_name(line);
        if (name) {
            word w = {.line = c.line};
            for (size_t n = 0; is_word(name[n]) && n + 1 < sizeof w.name; n++)
                w.name[n] = name[n];
            add_function(x, w.name, c.line);
            if (nunits < MOST_DEPTH)
                units[nunits++] = (uint32_t)x->s->functions.n - 1;
        } else if (begins(line, "end do") || begins(line, "enddo")) {
            close_loop(x, c.line);
        } else if (begins(line, "end") &&
                   (line[3] == 0 || strstr(line, "program") || strstr(line, "subroutine") ||
                    strstr(line, "function"))) {
            if (nunits > 0)
                x->s->functions.at[units[--nunits]].last = c.line;
        } else if (begins(line, "contains")) {
            if (nunits > 0) // what follows are units of their own
                x->s->functions.at[units[nunits - 1]].last = c.line;
        } else if (is_do(line)) {
            open_loop(x, c.line);
        } else {
            add_called(x, line, c.line);
        }
        if (c.at >= c.end)
            break;
    }
}

// ---------------------------------------------------------------------------------------------
// Both

static bool is_fortran(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (dot[1] == 'f' || dot[1] == 'F');
}

// How many loops are around the line.
static uint32_t depth_at(const source_text *s, uint32_t line)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < s->loops.n; i++)
        depth += s->loops.at[i].first <= line && line <= s->loops.at[i].last;
    return depth;
}

static void resolve_calls(reading *x)
{
    for (size_t i = 0; i < x->called.n; i++)
        for (uint32_t f = 0; f < x->s->functions.n; f++)
            if (!strcmp(x->s->functions.at[f].name, x->called.at[i].name) &&
                x->s->functions.at[f].first != x->called.at[i].line) {
                uint32_t line = x->called.at[i].line;
                ARRAY_PUSH(x->s->calls, ((text_call){line, f, depth_at(x->s, line)}));
                break;
            }
}

// A few rounds are enough: programs whose functions call each other more deeply lose nothing but
// the order of two candidates.
static void find_nests(source_text *s)
{
    for (int round = 0; round < 4; round++)
        for (size_t f = 0; f < s->functions.n; f++) {
            text_function *of = &s->functions.at[f];
            for (size_t i = 0; i < s->loops.n; i++)
                if (s->loops.at[i].first >= of->first && s->loops.at[i].last <= of->last) {
                    uint32_t depth = s->loops.at[i].depth;
                    of->nest = depth > of->nest ? depth : of->nest;
                }
            for (size_t i = 0; i < s->calls.n; i++) {
                const text_call *c = &s->calls.at[i];
                if (c->line < of->first || c->line > of->last || c->function == f)
                    continue;
                uint32_t depth = c->depth + s->functions.at[c->function].nest;
                of->nest = depth > of->nest && depth < 64 ? depth : of->nest;
            }
        }
}

enum { MOST_SOURCE = 1 << 20 }; // bytes; larger ones are generated

source_text iot_source_text(const trace *t, uint32_t source)
{
    size_t length;
    if (source == TRACE_NONE)
        return (source_text){0};
    const char *text = trace_string(t, trace_get_source(t, source)->text, &length);
    return iot_read_source(trace_string(t, trace_get_source(t, source)->name, NULL), text, length);
}

source_text iot_read_source(const char *name, const char *text, size_t length)
{
    source_text s = {0};
    reading x = {.s = &s};
    cursor c = {text, text + (length < MOST_SOURCE ? length : 0), 1};
    if (is_fortran(name))
        read_fortran(&x, c);
    else
        read_c(&x, c);
    resolve_calls(&x);
    find_nests(&s);
    free(x.called.at);
    return s;
}

void iot_source_text_free(source_text *s)
{
    for (size_t i = 0; i < s->functions.n; i++)
        free(s->functions.at[i].name);
    free(s->functions.at);
    free(s->loops.at);
    free(s->calls.at);
    free(s->blocks.at);
    *s = (source_text){0};
}

// ---------------------------------------------------------------------------------------------
// Questions

const text_function *iot_text_function(const source_text *s, uint32_t line)
{
    const text_function *best = NULL;
    for (size_t i = 0; i < s->functions.n; i++) {
        const text_function *f = &s->functions.at[i];
        if (f->first <= line && line <= f->last && (!best || f->first > best->first))
            best = f;
    }
    return best;
}

static const text_loop *innermost(const source_text *s, uint32_t line, uint32_t also)
{
    const text_loop *best = NULL;
    for (size_t i = 0; i < s->loops.n; i++) {
        const text_loop *l = &s->loops.at[i];
        if (l->first < line && line <= l->last && l->first < also && also <= l->last &&
            (!best || l->first > best->first))
            best = l;
    }
    return best;
}

uint32_t iot_text_loop_around(const source_text *s, uint32_t line)
{
    const text_loop *l = innermost(s, line, line);
    return l ? l->first : 0;
}

uint32_t iot_text_end_of_loops(const source_text *s, uint32_t line)
{
    uint32_t last = line;
    for (size_t i = 0; i < s->loops.n; i++) {
        const text_loop *l = &s->loops.at[i];
        if (l->first >= line && l->first <= line + 2 && l->last > last)
            last = l->last;
    }
    for (size_t i = 0; i < s->blocks.n; i++) {
        const text_loop *b = &s->blocks.at[i];
        if (b->first >= line && b->first <= line + 2 && b->last > last)
            last = b->last;
    }
    return last;
}

// The deepest nest of the loop and of what is called in it, counted from the loop.
static uint32_t nest_of(const source_text *s, const text_loop *l)
{
    uint32_t outside = l->depth - 1, nest = 1;
    for (size_t i = 0; i < s->loops.n; i++)
        if (s->loops.at[i].first >= l->first && s->loops.at[i].last <= l->last) {
            uint32_t depth = s->loops.at[i].depth;
            nest = depth > outside + nest ? depth - outside : nest;
        }
    for (size_t i = 0; i < s->calls.n; i++) {
        const text_call *c = &s->calls.at[i];
        if (c->line < l->first || c->line > l->last)
            continue;
        uint32_t depth = c->depth + s->functions.at[c->function].nest;
        nest = depth > outside + nest ? depth - outside : nest;
    }
    return nest;
}

static bool is_in(const text_function *f, uint32_t line)
{
    return f->first <= line && line <= f->last;
}

// The loop of the function, or of a function that it calls, in which most is computed.
static uint32_t loop_of(const source_text *s, const text_function *f)
{
    for (int depth = 0; depth < 4 && f; depth++) {
        uint32_t best = 0, line = 0;
        for (size_t i = 0; i < s->loops.n; i++) {
            const text_loop *l = &s->loops.at[i];
            if (l->inside != TRACE_NONE || !is_in(f, l->first) || nest_of(s, l) <= best)
                continue;
            best = nest_of(s, l);
            line = l->first;
        }
        const text_function *deeper = NULL;
        for (size_t i = 0; i < s->calls.n; i++) {
            const text_function *g = &s->functions.at[s->calls.at[i].function];
            if (is_in(f, s->calls.at[i].line) && g != f && g->nest > best) {
                best = g->nest;
                deeper = g;
            }
        }
        if (!deeper || (line > 0 && best < f->nest))
            return line;
        f = deeper;
    }
    return 0;
}

static text_spot deeper_of(text_spot a, text_spot b)
{
    return b.nest > a.nest ? b : a;
}

text_spot iot_text_spot(const source_text *s, uint32_t after, uint32_t before)
{
    text_spot best = {0, 0, 0};
    for (size_t i = 0; i < s->loops.n; i++) {
        const text_loop *l = &s->loops.at[i];
        bool here = l->first > after && l->last <= before && l->first < before;
        if (!here || (l->inside != TRACE_NONE && s->loops.at[l->inside].first > after &&
                      s->loops.at[l->inside].last <= before))
            continue;
        best = deeper_of(best, (text_spot){l->first, 0, 2 * nest_of(s, l)});
    }
    for (size_t i = 0; i < s->calls.n; i++) {
        const text_call *c = &s->calls.at[i];
        const text_function *f = &s->functions.at[c->function];
        if (c->line > after && c->line < before)
            best = deeper_of(best,
                             (text_spot){c->line, loop_of(s, f), f->nest > 0 ? 2 * f->nest : 1});
    }
    return best;
}

uint32_t iot_text_work(const source_text *s, uint32_t after, uint32_t before, uint32_t *ret_inner)
{
    text_spot found = iot_text_spot(s, after, before);
    *ret_inner = found.inner;
    return found.line;
}
