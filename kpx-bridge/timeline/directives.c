// SPDX-License-Identifier: MIT
//
// Finds OpenMP directives in the text of a source.
#include "kpx-bridge/timeline/directives.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

// Words of directives by the kinds of constructs; the others have no directive.
static const char *const words_of[TRACE_KINDS][3] = {
    [TRACE_KIND_REGION] = {"parallel", "teams"},
    [TRACE_KIND_FORK] = {"parallel", "teams"},
    [TRACE_KIND_LOOP] = {"do", "for", "sections"},
    [TRACE_KIND_SECTIONS] = {"sections"},
    [TRACE_KIND_SINGLE] = {"single"},
    [TRACE_KIND_WORKSHARE] = {"workshare"},
    [TRACE_KIND_DISTRIBUTE] = {"distribute"},
    [TRACE_KIND_CRITICAL] = {"critical"},
    [TRACE_KIND_ORDERED] = {"ordered"},
    [TRACE_KIND_MASTER] = {"master", "masked"},
    [TRACE_KIND_TASK] = {"task"},
    [TRACE_KIND_TASKLOOP] = {"taskloop"},
    [TRACE_KIND_TASKWAIT] = {"taskwait"},
    [TRACE_KIND_TASKGROUP] = {"taskgroup"},
    [TRACE_KIND_BARRIER] = {"barrier"},
    [TRACE_KIND_SCOPE] = {"scope"},
    [TRACE_KIND_ATOMIC] = {"atomic"},
};

typedef struct {
    const char *at, *end;
} text_line;

// The next line of the text; false at its end.
static bool next_line(const char **at, const char *end, text_line *ret)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    *ret = (text_line){*at, newline ? newline : end};
    *at = newline ? newline + 1 : end;
    return true;
}

// A word of letters, after blanks; its length, 0: there is none.
static size_t next_word(text_line *l, const char **ret_word)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t'))
        l->at++;
    *ret_word = l->at;
    while (l->at < l->end && isalpha((unsigned char)*l->at))
        l->at++;
    return (size_t)(l->at - *ret_word);
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return word && strlen(word) == n && strncasecmp(text, word, n) == 0;
}

// `#pragma omp` of C and C++.
static bool skip_pragma(text_line *l)
{
    const char *word;
    if (l->at == l->end || *l->at != '#')
        return false;
    l->at++;
    size_t n = next_word(l, &word);
    if (!is_word(word, n, "pragma"))
        return false;
    n = next_word(l, &word);
    return is_word(word, n, "omp");
}

// `!$omp`, in fixed form also `c$omp` and `*$omp`: what is behind it, else false.
static bool skip_sentinel(text_line *l)
{
    bool first = true;
    for (; l->at < l->end && (*l->at == ' ' || *l->at == '\t'); l->at++)
        first = false;
    if (skip_pragma(l))
        return true;
    if (l->end - l->at < 5 || strncasecmp(l->at + 1, "$omp", 4) != 0 ||
        (*l->at != '!' && !(first && strchr("cC*", *l->at))))
        return false;
    l->at += 5;
    return true;
}

// Which of these words the line is a directive of that begins a construct, or NULL.
static const char *begins(text_line l, const char *const words[3])
{
    const char *word;
    size_t n;
    if (!skip_sentinel(&l))
        return NULL;
    for (bool first = true; (n = next_word(&l, &word)) > 0; first = false) {
        if (first && n >= 3 && strncasecmp(word, "end", 3) == 0)
            return NULL;
        for (int i = 0; i < 3; i++)
            if (is_word(word, n, words[i]) && (first || strcmp(words[i], "ordered") != 0))
                return words[i]; // ordered is a clause, too
        if (l.at < l.end && *l.at == '(')
            return NULL; // clauses
    }
    return NULL;
}

// END, END SUBROUTINE, END FUNCTION, END PROGRAM.
static bool ends_unit(text_line l)
{
    const char *word;
    size_t n = next_word(&l, &word);
    if (is_word(word, n, "endsubroutine") || is_word(word, n, "endfunction") ||
        is_word(word, n, "endprogram"))
        return true;
    if (!is_word(word, n, "end"))
        return false;
    n = next_word(&l, &word);
    return (n == 0 && (l.at == l.end || *l.at == '!' || *l.at == '\r')) ||
           is_word(word, n, "subroutine") || is_word(word, n, "function") ||
           is_word(word, n, "program");
}

static const char *const *find_words(trace_kind kind)
{
    return kind < TRACE_KINDS && words_of[kind][0] ? words_of[kind] : NULL;
}

uint32_t kpx_directive_line(const char *text, size_t length, uint32_t line, trace_kind *kind)
{
    const char *const *words = find_words(*kind);
    const char *at = text, *end = text + length;
    text_line l;
    for (uint32_t number = 1; words && next_line(&at, end, &l); number++) {
        if (number < line)
            continue;
        const char *word = begins(l, words);
        if (word) {
            *kind = strcmp(word, "sections") == 0 ? TRACE_KIND_SECTIONS : *kind;
            return number;
        }
        if (number > line && ends_unit(l))
            break;
    }
    return 0;
}

// A directive of C goes on in the next line.
static bool is_continued(text_line l)
{
    while (l.end > l.at && (l.end[-1] == '\r' || l.end[-1] == ' '))
        l.end--;
    return l.end > l.at && l.end[-1] == '\\';
}

// Blank, a comment, or a line of the preprocessor (#endif).
static bool is_no_statement(text_line l)
{
    while (l.at < l.end && isspace((unsigned char)*l.at))
        l.at++;
    return l.at == l.end || *l.at == '!' || *l.at == '#' || (l.end - l.at > 1 && l.at[0] == '/' &&
                                             (l.at[1] == '/' || l.at[1] == '*'));
}

// How many parentheses it opens more than it closes.
static int count_open(text_line l)
{
    int open = 0;
    for (; l.at < l.end; l.at++)
        open += (*l.at == '(') - (*l.at == ')');
    return open;
}

uint32_t kpx_directive_of(const char *text, size_t length, uint32_t line, trace_kind kind)
{
    const char *const *words = find_words(kind);
    const char *at = text, *end = text + length;
    uint32_t found = 0;
    int open = 0;
    bool goes_on = false;
    text_line l;
    for (uint32_t number = 1; words && number <= line && next_line(&at, end, &l); number++) {
        text_line rest = l;
        bool is_directive = goes_on || skip_sentinel(&rest);
        if (!goes_on && begins(l, words)) {
            found = number;
            open = 0;
        } else if (!is_directive && !is_no_statement(l) && number < line) {
            open += count_open(l); // the head of a loop may have several lines
            found = open > 0 ? found : 0;
        }
        goes_on = is_directive && is_continued(l);
    }
    return found;
}

uint32_t kpx_directive_before(const char *text, size_t length, uint32_t line, trace_kind kind)
{
    const char *const *words = find_words(kind);
    const char *at = text, *end = text + length;
    uint32_t found = 0;
    text_line l;
    for (uint32_t number = 1; words && number <= line && next_line(&at, end, &l); number++)
        if (begins(l, words))
            found = number;
    return found;
}
