// SPDX-License-Identifier: MIT
//
// One lock that is taken at several lines of the text. The trace tells where a thread waited, and not for
// which lock; lines of one source with the same text mean the same lock. Without its turns nobody waits at
// any of them, so they are one cause.
#include <ctype.h>
#include <string.h>

#include "iotree/findings/measured_run.h"

typedef struct {
    const char *text;
    size_t length;
} line_text;

// Does the line name anything? A brace alone says nothing about the lock.
static bool has_a_name(const char *at, const char *to)
{
    while (at < to && !isalpha((unsigned char)*at))
        at++;
    return at < to;
}

static line_text trimmed_line(const measured_run *m, const trace_clause *c)
{
    line_text none = {NULL, 0};
    if (c->source == TRACE_NONE || c->line == 0)
        return none;
    size_t length;
    const char *at = trace_string(m->t, trace_get_source(m->t, c->source)->text, &length);
    const char *end = at + length;
    for (uint32_t line = 1; line < c->line && at < end; at++)
        line += *at == '\n';
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at >= end)
        return none;
    const char *to = memchr(at, '\n', (size_t)(end - at));
    to = to ? to : end;
    while (to > at && isspace((unsigned char)to[-1]))
        to--;
    return has_a_name(at, to) ? (line_text){at, (size_t)(to - at)} : none;
}

// Are both lines there, and the same?
static bool is_same_lock(const measured_run *m, uint32_t a, uint32_t b)
{
    const trace_clause *x = trace_get_clause(m->t, a), *y = trace_get_clause(m->t, b);
    if (x->source != y->source)
        return false;
    line_text s = trimmed_line(m, x), t = trimmed_line(m, y);
    return s.length > 0 && s.length == t.length && memcmp(s.text, t.text, s.length) == 0;
}

enum { MOST_LOCKS = 256 }; // lines at which threads wait for locks that are compared with each other

void iot_find_same_locks(measured_run *m)
{
    uint32_t n = trace_nclauses(m->t), firsts[MOST_LOCKS], nfirsts = 0;
    m->lock_group = base_allocate((size_t)n + 1, sizeof *m->lock_group);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t clause = m->same[i], found = clause;
        for (uint32_t k = 0; kind_of_clause(m, i) == TRACE_KIND_LOCK_WAIT && k < nfirsts; k++)
            if (firsts[k] == clause || is_same_lock(m, firsts[k], clause)) {
                found = firsts[k];
                break;
            }
        if (found == clause && kind_of_clause(m, i) == TRACE_KIND_LOCK_WAIT && nfirsts < MOST_LOCKS)
            firsts[nfirsts++] = clause;
        m->lock_group[i] = found;
    }
}
