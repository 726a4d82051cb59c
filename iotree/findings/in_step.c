// SPDX-License-Identifier: MIT
//
// Threads that work in turn. One makes an item, hands it on, and waits until the other one is done with it;
// the other one waits for the next item. Neither works while the other does, though nothing of the item
// comes back: the first thread could make the next item meanwhile.
#include <ctype.h>
#include <string.h>

#include "iotree/findings/measured_run.h"

enum { MOST_BACK = 64 }; // activities of a thread from one wait to the next that are looked at

// What a thread does between two waits for other threads; for a lock it may wait meanwhile.
typedef struct {
    uint32_t wait;  // the one before it, or IOT_NONE
    uint32_t first; // its first activity
    int64_t work;
} turn;

static bool waits_for_signal(const measured_run *m, uint32_t x)
{
    trace_kind kind = kind_of(m, x);
    return m->r->waits[x] && (kind == TRACE_KIND_CONDITION || kind == TRACE_KIND_SEMAPHORE);
}

static bool ends_turn(const measured_run *m, uint32_t x)
{
    return m->r->waits[x] && trace_kind_role(kind_of(m, x), true) != TRACE_ROLE_TURN;
}

static turn turn_up_to(const measured_run *m, uint32_t last)
{
    turn t = {.wait = IOT_NONE, .first = last};
    for (int i = 0; i < MOST_BACK && last != IOT_NONE; i++, last = m->r->before[last]) {
        if (ends_turn(m, last)) {
            t.wait = last;
            return t;
        }
        t.first = last;
        t.work += m->r->waits[last] ? 0 : m->r->costs[last];
    }
    return t;
}

static bool is_within(const measured_run *m, const turn *t, uint32_t x, uint32_t last)
{
    return trace_place(m->t, x) == trace_place(m->t, last) &&
           replay_start(m->r, x) >= replay_start(m->r, t->first) &&
           replay_end(m->r, x) <= replay_end(m->r, last);
}

bool iot_is_in_step(const measured_run *m, uint32_t wait, uint32_t *ret_other, int64_t *ret_work)
{
    uint32_t before = m->r->before[wait], answer = iot_last_source(m, wait);
    if (!waits_for_signal(m, wait) || before == IOT_NONE || answer == IOT_NONE ||
        trace_place(m->t, answer) == trace_place(m->t, wait))
        return false;
    turn mine = turn_up_to(m, before), others = turn_up_to(m, answer);
    if (others.wait == IOT_NONE || !waits_for_signal(m, others.wait))
        return false;
    uint32_t item = iot_last_source(m, others.wait);
    *ret_other = others.wait;
    *ret_work = mine.work < others.work ? mine.work : others.work;
    return item != IOT_NONE && is_within(m, &mine, item, before) && 2 * waited(m, wait) > others.work &&
           2 * waited(m, others.wait) > mine.work;
}

// ---- The text -------------------------------------------------------------------------------

static const char *after_statement(const char *at, const char *end)
{
    int open = 0;
    for (; at < end; at++) {
        open += *at == '(' || *at == '{' || *at == '[';
        open -= *at == ')' || *at == '}' || *at == ']';
        if (*at == ';' && open <= 0)
            return at + 1;
    }
    return end;
}

static bool begins_with(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && strncmp(at, word, n) == 0;
}

static bool is_assignment(const char *at)
{
    return *at == '=' && at[1] != '=' && !strchr("=!<>", at[-1]);
}

// Does the text after a wait, while the lock is still held, take anything: an assignment, or a value that is
// returned? `at` stands behind the first character of the text.
static bool takes_value(const char *at, const char *end)
{
    for (int open = 0; at + 1 < end && open >= 0; at++) {
        open += (*at == '{') - (*at == '}');
        if (begins_with(at, end, "unlock") || begins_with(at, end, "_post") ||
            begins_with(at, end, "release"))
            return false;
        if (is_assignment(at))
            return true;
        if (!begins_with(at, end, "return") || isalnum((unsigned char)at[-1]))
            continue;
        for (at += strlen("return"); at + 1 < end && isspace((unsigned char)*at); at++)
            ;
        return *at != ';' && !begins_with(at, end, "NULL") && !begins_with(at, end, "0;");
    }
    return false;
}

bool iot_wait_brings_nothing(const measured_run *m, uint32_t clause)
{
    iot_location wait = iot_clause_location(m->a, clause);
    if (wait.source == TRACE_NONE || wait.line == 0)
        return false;
    size_t length;
    const char *text = trace_string(m->t, trace_get_source(m->t, wait.source)->text, &length);
    const char *end = text + length, *at = text;
    for (uint32_t line = 1; line < wait.line && at < end; at++)
        line += *at == '\n';
    return at < end && at > text && !takes_value(after_statement(at, end), end);
}
