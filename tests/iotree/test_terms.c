// SPDX-License-Identifier: MIT
//
// Names and terms as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "story.h"

// A trace whose beginning makes one term, T, by a clause's text.
static trace *term_run(const char *body, uint32_t more)
{
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false);
    uint32_t p = predicate(s, "p", 1, false);
    uint32_t begin = clause(s, start, 0, 1, "", "", body);
    uint32_t next = clause(s, p, 1, 2, "", "X", "X=[1|X1], p(X1)");
    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    trace_value x = cell(1);
    for (uint32_t i = 0; i < more; i++) {
        uint32_t r = reduce(s, i, next, i + 1, (cells){0}, (values){{x}});
        x = cell(cell_of(s, r, 0));
    }
    return story_end(s);
}

static void shows(const char *term, const char *want)
{
    char body[256];
    snprintf(body, sizeof body, "T=%s", term);
    trace *t = term_run(body, 0);
    CHECK_TEXT(iot_term(t, NULL, cell(0), 0, UINT32_MAX), want);
    trace_close(t);
}

static void test_operators(void)
{
    shows("+(1,2)", "1+2");
    shows("-(1,-(2,3))", "1-(2-3)");
    shows("-(-(1,2),3)", "1-2-3");
    shows("*(+(1,2),3)", "(1+2)*3");
    shows(":-(a,b)", "(a:-b)");
    shows("f(:-(a,b))", "f((a:-b))");
    shows("[:-(a,b)]", "[(a:-b)]");
    shows("-(1)", "- 1");
    shows("-(a)", "-a");
    shows("-(-(a))", "- -a");
    shows("mod(A,2)", "A mod 2");
    shows("f(+,-)", "f(+,-)");
    shows("+(-,1)", "(-)+1");
    shows("[]", "[]");
    shows("[a,b|C]", "[a,b|C]");
    shows("f([],g(X,Y,X))", "f([],g(X,Y,X))");
    shows("'two'(Big)", "'\\'two\\''(Big)");
    shows("f(Abc,_)", "f(Abc,_)");
}

static void test_constants(void)
{
    story *s = story_begin();
    uint32_t start = predicate(s, "start", 0, false), p = predicate(s, "p", 8, false);
    uint32_t begin = clause(s, start, 0, 1, "", "", "p(1,2,3,4,5,6,7,8)");
    uint32_t all = clause(s, p, 1, 2, "", "A B C D E F G H", "q(A,B,C,D,E,F,G,H)");
    reduce(s, 0, begin, 0, (cells){0}, (values){0});
    trace_value tenth = {.kind = TV_FLOAT, .d = 0.1}, big = {.kind = TV_FLOAT, .d = 1e100};
    trace_value two = {.kind = TV_FLOAT, .d = 2};
    trace_value quoted = atom(s, "it's"), text = atom(s, "a\"b\n"),
                digits = atom(s, "123456789012");
    text.kind = TV_STRING;
    digits.kind = TV_BIG;
    reduce(s, 0, all, 1, (cells){0},
           (values){{tenth, big, two, quoted, text, digits, integer(-5), atom(s, "Hello")}});
    trace *t = story_end(s);
    CHECK_TEXT(iot_goal_text(t, NULL, 1, 1, UINT32_MAX),
               "q(0.1,1.0e+100,2.0,'it\\'s',\"a\\\"b\\n\",123456789012,-5,'Hello')");
    trace_close(t);
}

// Bindings made later than asked about do not show; terms are abbreviated from the right.
static void test_time_and_depth(void)
{
    trace *t = term_run("T=f(X,g(h)), p(X)", 4);
    CHECK_TEXT(iot_term(t, NULL, cell(0), 0, UINT32_MAX), "f(X,g(h))");
    CHECK_TEXT(iot_term(t, NULL, cell(0), 2, UINT32_MAX), "f([1,1|X1],g(h))");
    CHECK_TEXT(iot_term(t, NULL, cell(1), 4, 2), "[1,1|...]");
    CHECK_TEXT(iot_term(t, NULL, cell(0), 4, 1), "f(...,...)");
    CHECK_TEXT(iot_goal_text(t, NULL, 0, 1, UINT32_MAX), "p([1|X1])");
    trace_close(t);
}

static void test_names(void)
{
    trace *t = term_run("T=f(X,_), p(X)", 3);
    iot_names *names = iot_names_create(t);
    for (int i = 4; i-- > 0;) // the order of registering means nothing
        iot_names_add(names, cell(0), i, UINT32_MAX);
    iot_names_finish(names);
    CHECK_TEXT(iot_term(t, names, cell(0), 1, UINT32_MAX), "f([1|X1],_)");
    CHECK_TEXT(iot_term(t, names, cell(0), 2, UINT32_MAX), "f([1,1|X2],_)");
    CHECK_TEXT(iot_term(t, names, cell(0), 3, UINT32_MAX), "f([1,1,1|X3],_)");
    CHECK(!iot_name(names, 0));
    iot_names_destroy(names);
    trace_close(t);
}

static void test_long_list(void)
{
    uint32_t n = 300000;
    trace *t = term_run("T=f(X), p(X)", n);
    char *text = iot_term(t, NULL, cell(1), n, UINT32_MAX);
    CHECK_IS((int64_t)strlen(text), 2 * (int64_t)n + 4); // [1,1,...,1|X1]
    free(text);
    trace_close(t);
}

void test_terms(void)
{
    test_operators();
    test_constants();
    test_time_and_depth();
    test_names();
    test_long_list();
}
