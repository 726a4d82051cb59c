// SPDX-License-Identifier: MIT
//
// Terms as text: quoting, abbreviations, depth.
#include "vm/print.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void test_constants(void)
{
    CHECK_TEXT(quoted(I(-5)), "-5");
    CHECK_TEXT(quoted(vm_make_integer("-123456789012345678901234567890", 10)),
               "-123456789012345678901234567890");
    CHECK_TEXT(quoted(A("foo")), "foo");
    CHECK_TEXT(quoted(A("Foo")), "'Foo'");
    CHECK_TEXT(written(A("Foo")), "Foo");
    CHECK_TEXT(quoted(A("it's")), "'it\\'s'");
    CHECK_TEXT(quoted(A("")), "''");
    CHECK_TEXT(quoted(A("[]")), "[]");
    CHECK_TEXT(quoted(A("{}")), "'{}'");
    CHECK_TEXT(quoted(A("+")), "+");
    CHECK_TEXT(quoted(A(".")), "'.'");
    CHECK_TEXT(quoted(A("/*")), "'/*'");
    CHECK_TEXT(quoted(A(",")), "','");
    CHECK_TEXT(quoted(S("a\"b\\c\n\t\001")), "\"a\\\"b\\\\c\\n\\t\\x1\\\"");
    CHECK_TEXT(written(S("a\"b")), "a\"b");
}

static void test_floats(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0.0"},
                 {-0.0, "-0.0"},
                 {1, "1.0"},
                 {0.1, "0.1"},
                 {1e15, "1000000000000000.0"},
                 {1e16, "1.0e+16"},
                 {1.5e300, "1.5e+300"},
                 {1e-5, "1.0e-05"},
                 {0.0001, "0.0001"},
                 {5e-324, "5.0e-324"},
                 {1.0 / 3, "0.3333333333333333"},
                 {123456.789, "123456.789"},
                 {1e22, "1.0e+22"},
                 {2.5e-7, "2.5e-07"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(quoted(vm_make_float(cases[i].value)), cases[i].text);
    for (int i = 0; i < 2000; i++) {
        union {
            uint64_t bits;
            double value;
        } d = {.bits = next_random()};
        if (d.value - d.value != 0)
            continue;
        const char *text = quoted(vm_make_float(d.value));
        CHECK_SAY(strtod(text, NULL) == d.value, "%s", text);
    }
}

static void test_operators(void)
{
    vm_word sum = T("+", I(1), I(2));
    CHECK_TEXT(quoted(sum), "1+2");
    CHECK_TEXT(quoted(T("*", sum, I(3))), "(1+2)*3");
    CHECK_TEXT(quoted(T("-", I(1), T("-", I(2), I(3)))), "1-(2-3)");
    CHECK_TEXT(quoted(T("-", T("-", I(1), I(2)), I(3))), "1-2-3");
    CHECK_TEXT(quoted(T("-", I(1), I(-1))), "1- -1");
    CHECK_TEXT(quoted(T("-", I(1))), "- 1");
    CHECK_TEXT(quoted(T("-", A("a"))), "-a");
    CHECK_TEXT(quoted(T("-", T("-", A("a")))), "- -a");
    CHECK_TEXT(quoted(T("-", sum)), "- (1+2)");
    CHECK_TEXT(quoted(T("=", A("a"), T("\\", A("b")))), "a= \\b");
    CHECK_TEXT(quoted(T("mod", A("a"), A("b"))), "a mod b");
    CHECK_TEXT(quoted(T(",", A("a"), T(",", A("b"), A("c")))), "a,b,c");
    CHECK_TEXT(quoted(T("f", T(",", A("a"), A("b")), T(":-", A("a"), A("b")))), "f((a,b),(a:-b))");
    CHECK_TEXT(quoted(T(":-", A("a"), T("|", A("b"), A("c")))), "a:-b|c");
    CHECK_TEXT(quoted(T(":=", V(), sum)), "_1:=1+2");
    CHECK_TEXT(quoted(T("+", A("+"), A("-"))), "(+)+(-)");
    CHECK_TEXT(quoted(T("f", A("+"), A("-"))), "f(+,-)");
    CHECK_TEXT(quoted(T("@", T(":", A("m"), T("g", I(1))), A("p"))), "m:g(1)@p");
    CHECK_TEXT(quoted(T("**", I(2), T("**", I(3), I(4)))), "2**(3**4)");
    CHECK_TEXT(quoted(T("^", I(2), T("^", I(3), I(4)))), "2^3^4");
}

static void test_compounds(void)
{
    vm_word x = V(), y = V();
    CHECK_TEXT(quoted(L(I(1), x, L(y, x))), "[1,_1,[_2,_1]]");
    CHECK_TEXT(quoted(term_list(1, &x, y)), "[_1|_2]");
    CHECK_TEXT(quoted(T("f", A("X"), S("s"))), "f('X',\"s\")");
    CHECK_TEXT(quoted(T("Foo bar", I(1))), "'Foo bar'(1)");
    CHECK_TEXT(quoted(vm_make_vector(NULL, (vm_word[]){I(1), A("a")}, 2)), "{1,a}");
    CHECK_TEXT(quoted(vm_make_vector(NULL, NULL, 0)), "{}");
    vm_as_var(x)->value = T("g", y);
    CHECK_TEXT(quoted(L(x)), "[g(_1)]");
    const vm_print_options brief = {.quoted = true, .max_cells = 3};
    CHECK_TEXT(vm_term_text(L(I(1), I(2), I(3), I(4), I(5)), &brief, NULL), "[1,2,3|...]");
    CHECK_TEXT(vm_term_text(T("f", T("g", T("h", T("i", I(1))))), &brief, NULL),
               "f(g(h(...)))");
    CHECK_TEXT(vm_term_text(T("f", L(I(1), I(2), I(3)), T("h", I(1))), &brief, NULL),
               "f([1,2|...],...)");
}

// Depth and length far beyond what a stack of calls could take.
static void test_large(void)
{
    enum { DEPTH = 1000000 };
    vm_word deep = A("a"), list = VM_NIL, sum = I(1);
    for (int i = 0; i < DEPTH; i++) {
        deep = T("f", deep);
        list = vm_make_cons(NULL, I(1), list);
        sum = T("+", sum, I(1));
    }
    size_t length;
    free(vm_term_text(deep, &(vm_print_options){0}, &length));
    CHECK(length == 3 * (size_t)DEPTH + 1);
    free(vm_term_text(list, &(vm_print_options){0}, &length));
    CHECK(length == 2 * (size_t)DEPTH + 1);
    free(vm_term_text(sum, &(vm_print_options){0}, &length));
    CHECK(length == 2 * (size_t)DEPTH + 1);
}

void test_print(void)
{
    test_constants();
    test_floats();
    test_operators();
    test_compounds();
    test_large();
}
