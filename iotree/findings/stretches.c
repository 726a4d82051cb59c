// SPDX-License-Identifier: MIT
//
// Parts of a measured run in which one place does something several times in a row, or alone.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "iotree/findings/measured_run.h"

enum { LONGEST_BATCH = 4096 };

// ---------------------------------------------------------------------------------------------
// Serial stretches

// A region that a place is in.
typedef struct {
    uint32_t fork, at;  // activity, and its place in by_place
    uint32_t last;      // in by_place: the last activity that is in nothing but the region
} open_region;

typedef struct {
    measured_run *m;
    uint32_t place;
    ARRAY_OF(open_region) open;
} team_search;

static bool same_line(const measured_run *m, uint32_t a, uint32_t b)
{
    const trace_clause *x = trace_get_clause(m->t, clause_of(m, a));
    const trace_clause *y = trace_get_clause(m->t, clause_of(m, b));
    return x->source == y->source && x->line == y->line;
}

// The innermost region leaves; team 0: nobody met at its end.
static void leave(team_search *s, uint32_t team)
{
    measured_run *m = s->m;
    open_region r = s->open.at[--s->open.n];
    m->fork_teams[r.fork] = team > 0 ? team : 1;
    if (team > 1)
        return;
    stretch lone = {.place = s->place, .from = r.at + 1, .to = r.last + 1, .after = IOT_NONE,
                    .before = clause_of(m, r.fork), .team = 1, .nested = s->open.n > 0};
    for (uint32_t i = lone.from; i < lone.to; i++)
        lone.time += m->r->costs[m->r->by_place[i]];
    ARRAY_PUSH(m->lone, lone);
}

static void leave_down_to(team_search *s, uint32_t activity, uint32_t team)
{
    size_t i = s->open.n;
    while (i > 0 && !same_line(s->m, s->open.at[i - 1].fork, activity))
        i--;
    while (i > 0 && s->open.n > i)
        leave(s, 0);
    if (i > 0)
        leave(s, team);
}

void iot_find_teams(measured_run *m)
{
    const replay *r = m->r;
    m->fork_teams = base_allocate((size_t)r->n + 1, sizeof *m->fork_teams);
    team_search s = {.m = m};
    for (uint32_t p = 0; p < r->nplaces; p++) {
        s.place = p;
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i], meeting = r->meetings[x];
            trace_kind kind = kind_of(m, x);
            if (kind == TRACE_KIND_SERIAL)
                while (s.open.n > 0)
                    leave(&s, 0);
            if (kind == TRACE_KIND_FORK) {
                leave_down_to(&s, x, 0);
                if (s.open.n < LONGEST_BATCH) // deeper ones are not told apart
                    ARRAY_PUSH(s.open, ((open_region){x, i, i}));
            }
            if (kind == TRACE_KIND_IMPLIED_BARRIER && meeting != IOT_NONE)
                leave_down_to(&s, x, r->first_member[meeting + 1] - r->first_member[meeting]);
            if (kind == TRACE_KIND_REGION && s.open.n > 0 &&
                same_line(m, s.open.at[s.open.n - 1].fork, x))
                s.open.at[s.open.n - 1].last = i;
        }
        while (s.open.n > 0)
            leave(&s, 0);
    }
    free(s.open.at);
}

// What no region does. A rank computes between its calls of MPI.
static bool is_serial(const measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    return !m->r->waits[x] && (kind == TRACE_KIND_SERIAL || kind == TRACE_KIND_COMPUTATION ||
                               kind == TRACE_KIND_COMPUTATION_BEFORE);
}

void iot_each_stretch(const measured_run *m, void (*f)(void *data, const stretch *s), void *data)
{
    const replay *r = m->r;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        uint32_t to = r->at_place[p + 1];
        stretch s = {.place = p, .from = r->at_place[p], .before = IOT_NONE, .team = 1};
        for (uint32_t i = s.from; i <= to; i++) {
            uint32_t x = i < to ? r->by_place[i] : IOT_NONE;
            bool fork = x != IOT_NONE && kind_of(m, x) == TRACE_KIND_FORK;
            if (x != IOT_NONE && is_serial(m, x)) {
                s.from = s.time == 0 ? i : s.from;
                s.to = i + 1;
                s.time += r->costs[x];
            }
            if (!fork && i < to)
                continue;
            uint32_t team = fork ? m->fork_teams[x] : 1;
            s.after = fork ? clause_of(m, x) : IOT_NONE;
            uint32_t before = s.team;
            s.team = team > s.team ? team : s.team;
            if (s.time > 0)
                f(data, &s);
            s = (stretch){.place = p, .from = i + 1, .before = s.after, .team = team};
            s.team = team > 1 ? team : before; // a team of one says nothing
        }
    }
}

// The text from the line on; *ret_n: the length of the line.
static const char *text_of_line(const trace *t, uint32_t source, uint32_t line, size_t *ret_n)
{
    size_t length;
    const char *text = trace_string(t, trace_get_source(t, source)->text, &length);
    const char *end = text + length;
    for (uint32_t at = 1; at < line && text < end; text++)
        at += *text == '\n';
    *ret_n = strcspn(text, "\n");
    return text;
}

bool iot_line_has(const trace *t, uint32_t source, uint32_t line, const char *word)
{
    if (source == TRACE_NONE)
        return false;
    size_t n, w = strlen(word);
    const char *text = text_of_line(t, source, line, &n);
    for (size_t i = 0; i + w <= n; i++)
        if (strncasecmp(text + i, word, w) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Whether the line has the name as a whole word, followed by a parenthesis or, in Fortran, by nothing.
static bool calls(const char *line, size_t n, const char *name)
{
    size_t w = strlen(name);
    for (size_t i = 0; w > 0 && i + w <= n; i++) {
        if (strncasecmp(line + i, name, w) != 0 || (i > 0 && is_word(line[i - 1])))
            continue;
        size_t k = i + w + strspn(line + i + w, " \t");
        if (k >= n || line[k] == '(')
            return true;
    }
    return false;
}

uint32_t iot_line_that_calls(const trace *t, const iot_location *around, const text_function *within,
                             const char *name, bool further_on)
{
    uint32_t best = 0, nearest = 0, length = within->last - within->first + 1;
    size_t n, size;
    const char *end = trace_string(t, trace_get_source(t, around->source)->text, &size);
    end += size;
    const char *text = text_of_line(t, around->source, within->first, &n);
    for (uint32_t line = within->first; line <= within->last && text < end; line++) {
        uint32_t steps = (further_on ? line + length - around->line : around->line + length - line) % length;
        n = strcspn(text, "\n");
        if (line != around->line && (best == 0 || steps < nearest) && calls(text, n, name)) {
            best = line;
            nearest = steps;
        }
        text += n + 1;
    }
    return best;
}

// The variable that is the call's first argument: "cargo" of MPI_Send(&cargo, ...), or of
// MPI_Send(cargo[1], ...). *ret_whole: as a whole. Returns its length; 0: it is something else.
static size_t first_argument(const char *line, size_t n, const char **ret, bool *ret_whole)
{
    const char *call = memmem(line, n, "MPI_", 4);
    const char *open = call ? memchr(call, '(', n - (size_t)(call - line)) : NULL;
    *ret_whole = false;
    if (!open)
        return 0;
    const char *at = open + 1, *end = line + n;
    while (at < end && (*at == ' ' || *at == '&'))
        at++;
    *ret = at;
    while (at < end && is_word(*at))
        at++;
    *ret_whole = at < end && *at == ',';
    return at < end && (*at == ',' || *at == '[') ? (size_t)(at - *ret) : 0;
}

// The variable that the argument of this number belongs to: `all` of `&all.people[s]`. *ret_end: where
// the call's arguments end. 0: none.
static size_t argument(const char *call, const char *end, int number, const char **ret,
                       const char **ret_end)
{
    const char *at = memchr(call, '(', (size_t)(end - call)), *found = NULL;
    int depth = 0, seen = 0;
    size_t n = 0;
    for (; at && at < end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            break;
        seen += depth == 1 && *at == ',';
        if (seen == number && !found && is_word(*at))
            found = at;
    }
    *ret_end = at ? at : end;
    while (found && found + n < *ret_end && is_word(found[n]))
        n++;
    *ret = found;
    return n;
}

static bool has_word(const char *from, const char *to, const char *word, size_t n)
{
    for (const char *at = from; at + n <= to; at++)
        if (strncasecmp(at, word, n) == 0 && (at + n == to || !is_word(at[n])) &&
            (at == from || !is_word(at[-1])))
            return true;
    return false;
}

// Does the text assign to the variable, or to a part of it: `plate[i] = ...`, `sum += ...`?
static bool assigns_to(const char *from, const char *to, const char *name, size_t n)
{
    for (const char *at = from; at + n < to; at++) {
        if (strncmp(at, name, n) != 0 || is_word(at[n]) || (at > from && is_word(at[-1])))
            continue;
        const char *next = at + n;
        for (int depth = 0; next < to && (depth > 0 || *next == '[' || *next == ' '); next++)
            depth += (*next == '[') - (*next == ']');
        if (next < to && strchr("+-*/|&^", *next))
            next++;
        if (next + 1 < to && *next == '=' && next[1] != '=')
            return true;
    }
    return false;
}

// Does a function called in the line assign to the variable, which is none of its parameters?
static bool callee_makes(measured_run *m, const iot_location *work, const char *name, size_t n)
{
    const source_text *text = iot_text_of(m, work->source);
    for (size_t i = 0; i < text->calls.n; i++) {
        const text_function *f = &text->functions.at[text->calls.at[i].function];
        size_t w;
        if (text->calls.at[i].line != work->line)
            continue;
        const char *from = text_of_line(m->t, work->source, f->first, &w);
        const char *to = text_of_line(m->t, work->source, f->last, &w) + w;
        const char *body = memchr(from, '{', (size_t)(to - from));
        if (body && !has_word(from, body, name, n) && assigns_to(body, to, name, n))
            return true;
    }
    return false;
}

bool iot_line_makes(measured_run *m, const iot_location *work, const iot_location *call)
{
    if (work->source == TRACE_NONE || work->source != call->source || work->line >= call->line)
        return false;
    size_t ncall, n, w;
    const char *name, *line = text_of_line(m->t, call->source, call->line, &ncall);
    bool whole;
    w = first_argument(line, ncall, &name, &whole);
    line = text_of_line(m->t, work->source, work->line, &n);
    const char *equals = memchr(line, '=', n);
    for (const char *at = line; whole && w > 0 && equals && at + w <= equals; at++)
        if (strncmp(at, name, w) == 0 && !is_word(at[w]) && (at == line || !is_word(at[-1])))
            return true;
    const source_text *text = iot_text_of(m, work->source);
    uint32_t end = iot_text_end_of_loops(text, work->line);
    iot_location in_loop = *work;
    for (; w > 0 && in_loop.line <= end && in_loop.line < call->line; in_loop.line++) {
        const char *from = text_of_line(m->t, work->source, in_loop.line, &n);
        if (in_loop.line > work->line && assigns_to(from, from + n, name, w))
            return true;
        if (callee_makes(m, &in_loop, name, w))
            return true;
    }
    return w > 0 && callee_makes(m, work, name, w);
}

static bool other_functions_have(const measured_run *m, const source_text *text,
                                 const iot_location *call, const char *word, size_t n)
{
    size_t w;
    for (size_t i = 0; i < text->functions.n; i++) {
        const text_function *f = &text->functions.at[i];
        const char *from = text_of_line(m->t, call->source, f->first, &w);
        const char *to = text_of_line(m->t, call->source, f->last, &w) + w;
        if ((call->line < f->first || call->line > f->last) && has_word(from, to, word, n))
            return true;
    }
    return false;
}

bool iot_needs_result(measured_run *m, const iot_location *call)
{
    if (call->source == TRACE_NONE)
        return true;
    const source_text *text = iot_text_of(m, call->source);
    uint32_t loop = iot_text_loop_around(text, call->line);
    size_t w;
    const char *name, *left;
    if (loop == 0)
        return true;
    const char *begin = text_of_line(m->t, call->source, loop, &w);
    const char *over = text_of_line(m->t, call->source, iot_text_end_of_loops(text, loop), &w) + w;
    const char *line = text_of_line(m->t, call->source, call->line, &w);
    const char *at = memmem(line, w, "MPI_", 4);
    size_t n = at && at < over ? argument(at, over, 1, &name, &left) : 0;
    return n == 0 || over < left || has_word(begin, at, name, n) || has_word(left, over, name, n) ||
           other_functions_have(m, text, call, name, n);
}

// ---------------------------------------------------------------------------------------------
// Messages one after another

static uint32_t module_of(const measured_run *m, uint32_t activity)
{
    uint32_t predicate = trace_get_clause(m->t, clause_of(m, activity))->predicate;
    return trace_get_predicate(m->t, predicate)->module;
}

static bool is_known(const int64_t *ranks, uint32_t n, int64_t rank)
{
    uint32_t looked = n > 64 ? n - 64 : 0;
    for (uint32_t i = looked; i < n; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

typedef struct {
    uint32_t list[LONGEST_BATCH];
    int64_t ranks[LONGEST_BATCH];
    uint32_t n, nranks;
    int64_t tag;   // of the last receive
    bool others;   // something else was called since
} batch;

static bool is_call(const measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    return kind >= TRACE_KIND_MPI_CALL && kind <= TRACE_KIND_MPI_FILE;
}

// Whether the receive may have taken the message of an earlier one of the batch: a second message of
// a rank may if it has the same tag, and the place did nothing but receive and compute since.
static bool belongs_to_batch(const measured_run *m, const batch *b, uint32_t x, int64_t from)
{
    int64_t tag;
    if (b->n == LONGEST_BATCH)
        return false;
    return !is_known(b->ranks, b->n, from) ||
           (!b->others && iot_activity_value(m->t, x, TRACE_KEY_TAG, &tag) && tag == b->tag);
}

void iot_each_batch(const measured_run *m, uint32_t clause,
                    void (*f)(void *data, const uint32_t *receives, uint32_t n), void *data)
{
    const replay *r = m->r;
    batch *b = base_allocate(1, sizeof *b);
    for (uint32_t p = 0; p < r->nplaces; p++) {
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            int64_t from = -1;
            bool receives = clause_of(m, x) == clause && r->waits[x] &&
                            iot_activity_value(m->t, x, TRACE_KEY_FROM, &from);
            bool other = !receives && r->waits[x];
            if (other || (receives && !belongs_to_batch(m, b, x, from))) {
                if (b->n > 1)
                    f(data, b->list, b->n);
                b->n = 0;
            }
            b->others = !receives && (b->others || is_call(m, x));
            if (receives) {
                b->ranks[b->n] = from;
                b->list[b->n++] = x;
                iot_activity_value(m->t, x, TRACE_KEY_TAG, &b->tag);
            }
        }
        if (b->n > 1)
            f(data, b->list, b->n);
        b->n = 0;
    }
    free(b);
}

enum { LEAST_ROUNDS = 4 }; // for each of the ranks that are served

static bool is_answered(const measured_run *m, uint32_t receive, int64_t from)
{
    uint32_t x = m->after[receive];
    int64_t to;
    for (int i = 0; i < 8 && x != IOT_NONE; i++, x = m->after[x])
        if (iot_activity_value(m->t, x, TRACE_KEY_TO, &to))
            return to == from;
        else if (iot_activity_value(m->t, x, TRACE_KEY_FROM, &to))
            return false;
    return false;
}

void iot_each_service(const measured_run *m, uint32_t clause,
                      void (*f)(void *data, const uint32_t *receives, uint32_t n), void *data)
{
    const replay *r = m->r;
    for (uint32_t p = 0; p < r->nplaces; p++) {
        ARRAY_OF(uint32_t) list = {0};
        int64_t ranks[LONGEST_BATCH], from;
        uint32_t nranks = 0;
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            if (clause_of(m, x) != clause || !r->waits[x] ||
                !iot_activity_value(m->t, x, TRACE_KEY_FROM, &from) || !is_answered(m, x, from))
                continue;
            if (nranks < LONGEST_BATCH && !is_known(ranks, nranks, from))
                ranks[nranks++] = from;
            ARRAY_PUSH(list, x);
        }
        if (nranks > 1 && nranks < LONGEST_BATCH && list.n >= (size_t)LEAST_ROUNDS * nranks)
            f(data, list.at, (uint32_t)list.n);
        free(list.at);
    }
}

static void end_chain(batch *b, void (*f)(void *data, const uint32_t *sends, uint32_t n),
                      void *data)
{
    if (b->nranks >= 3)
        f(data, b->list, b->n);
    b->n = b->nranks = 0;
}

void iot_each_chain_of_sends(const measured_run *m, uint32_t clause,
                             void (*f)(void *data, const uint32_t *sends, uint32_t n), void *data)
{
    const replay *r = m->r;
    uint32_t predicate = trace_get_clause(m->t, clause)->predicate;
    uint32_t module = trace_get_predicate(m->t, predicate)->module;
    batch *b = base_allocate(1, sizeof *b);
    for (uint32_t p = 0; p < r->nplaces; p++) {
        int64_t sent = 0, between = 0;
        for (uint32_t i = r->at_place[p]; i < r->at_place[p + 1]; i++) {
            uint32_t x = r->by_place[i];
            int64_t to = -1;
            bool same = module_of(m, x) == module;
            bool first = same && iot_activity_value(m->t, x, TRACE_KEY_TO, &to);
            if (!same && computes(m, x)) {
                between += r->costs[x];
                if (between * 4 > sent) // what is sent is computed on the way
                    end_chain(b, f, data);
                continue;
            }
            if (!same || (first && is_known(b->ranks, b->nranks, to)) ||
                b->n == LONGEST_BATCH) {
                end_chain(b, f, data);
                sent = between = 0;
            }
            if (!same)
                continue;
            if (first)
                b->ranks[b->nranks++] = to;
            sent += r->costs[x];
            b->list[b->n++] = x;
        }
        end_chain(b, f, data);
    }
    free(b);
}
