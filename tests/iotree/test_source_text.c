// SPDX-License-Identifier: MIT
//
// The scanner of sources: loops, functions and calls of C and Fortran, and the place where most is
// computed between two lines.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "iotree/findings/source_text.h"

int npassed, nfailed;

void check_at(const char *file, int line, int ok, const char *what)
{
    npassed += ok;
    nfailed += !ok;
    if (!ok)
        printf("%s:%d: %s\n", file, line, what);
}

void check_number_at(const char *file, int line, int64_t got, int64_t want, const char *what)
{
    check_at(file, line, got == want, what);
    if (got != want)
        printf("    %lld instead of %lld\n", (long long)got, (long long)want);
}

static source_text read_text(const char *name, const char *text)
{
    return iot_read_source(name, text, strlen(text));
}

static const char frames[] = "static void prepare(int frame)\n" // 1
                             "{\n"
                             "    for (int i = 0; i < N; i++)\n" // 3
                             "        field[i] = frame;\n"
                             "}\n"
                             "static void render(void)\n"
                             "{\n"
                             "#pragma omp parallel for\n" // 8
                             "    for (int i = 0; i < N; i++)\n"
                             "        draw(i);\n"
                             "}\n"
                             "int main(void)\n"
                             "{\n"
                             "    for (int f = 0; f < 9; f++) {\n" // 14
                             "        prepare(f);\n"
                             "        render();\n"
                             "    }\n"
                             "}\n";

// From the end of a function to its next call the way leads through the function that calls it.
static void test_ways_through_callers(void)
{
    source_text s = read_text("frames.c", frames);
    uint32_t inner;
    CHECK_IS(s.functions.n, 3);
    CHECK_IS(iot_text_between(&s, 10, 8, &inner), 15);
    CHECK_IS(inner, 3);
    CHECK_IS(iot_text_between(&s, 0, 8, &inner), 15);
    iot_source_text_free(&s);
}

static const char quarry[] = "static void weigh(void)\n" // 1
                             "{\n"
                             "    for (int s = 0; s < N; s++)\n" // 3
                             "        w[s] = s;\n"
                             "}\n"
                             "static void carry(void)\n"
                             "{\n"
                             "#pragma omp parallel for\n" // 8
                             "    for (int g = 0; g < N; g++)\n"
                             "        for (int k = 0; k < g; k++)\n"
                             "            lift(k);\n"
                             "}\n"
                             "static void work(void)\n"
                             "{\n"
                             "    weigh();\n" // 15
                             "    carry();\n"
                             "}\n"
                             "int main(void)\n"
                             "{\n"
                             "#pragma omp parallel for\n" // 20
                             "    for (int s = 0; s < N; s++)\n"
                             "        w[s] = 0;\n"
                             "    work();\n"
                             "    for (int g = 0; g < N; g++)\n" // 24
                             "        for (int h = 0; h < N; h++)\n"
                             "            add(g, h);\n"
                             "}\n";

// The way to a line in a called function leads through the calls in between, not through the loop
// of the line itself, and not through what comes afterwards.
static void test_ways_into_calls(void)
{
    source_text s = read_text("quarry.c", quarry);
    uint32_t inner;
    CHECK_IS(iot_text_between(&s, 22, 8, &inner), 15);
    CHECK_IS(inner, 3);
    CHECK_IS(iot_text_between(&s, 11, 20, &inner), 24); // there is no such way: what is left
    CHECK_IS(inner, 0);
    iot_source_text_free(&s);
}

// What stands in comments, strings and directives opens nothing.
static void test_what_is_no_code(void)
{
    source_text s = read_text("a.c", "#define EACH for (;;) { \\\n"
                                     "    while (1) {\n"
                                     "/* for (;;) { */ // while (1) {\n"
                                     "int f(int c)\n" // 4
                                     "{\n"
                                     "    puts(\"for (;;) { \\\" {\");\n"
                                     "    c += '{' + '\\'';\n"
                                     "    while (c--)\n" // 8
                                     "        for (int k = 0; k < c; k++)\n"
                                     "            ;\n"
                                     "}\n"
                                     "int g(void) { return 1; }\n");
    CHECK_IS(s.functions.n, 2);
    CHECK_IS(s.functions.at[0].first, 4);
    CHECK_IS(s.functions.at[0].last, 11);
    CHECK_IS(s.functions.at[0].nest, 2);
    CHECK_IS(s.loops.n, 2);
    CHECK_IS(s.loops.at[1].inside, 0);
    CHECK_IS(iot_text_loop_around(&s, 10), 9);
    CHECK_IS(iot_text_end_of_loops(&s, 7), 10);
    CHECK(iot_text_function(&s, 12) == &s.functions.at[1]);
    iot_source_text_free(&s);
}

// Of two places the one with the deeper nest of loops wins, loops of called functions included.
static void test_deepest_nest(void)
{
    source_text s = read_text("b.c", "void deep(void)\n"
                                     "{\n"
                                     "    for (;;)\n"
                                     "        for (;;)\n"
                                     "            x();\n"
                                     "}\n"
                                     "void all(void)\n"
                                     "{\n"
                                     "    for (;;)\n" // 9
                                     "        y();\n"
                                     "    deep();\n"
                                     "    z();\n"
                                     "}\n");
    uint32_t inner;
    CHECK_IS(iot_text_work(&s, 8, 12, &inner), 11);
    CHECK_IS(inner, 3);
    CHECK_IS(iot_text_work(&s, 8, 11, &inner), 9);
    CHECK_IS(inner, 0);
    CHECK_IS(iot_text_work(&s, 11, 12, &inner), 0);
    iot_source_text_free(&s);
}

static void test_fortran(void)
{
    source_text s = read_text("c.f90", "program heat ! do not\n"
                                       "  print *, 'do i = 1, 2'\n"
                                       "  OUTER: DO i = 1, 9\n" // 3
                                       "    call relax(u)\n"
                                       "  END DO OUTER\n"
                                       "contains\n"
                                       "  subroutine relax(u)\n"
                                       "    do k = 1, n\n" // 8
                                       "      u(k) = 0\n"
                                       "    enddo\n"
                                       "  end subroutine\n"
                                       "end program\n");
    uint32_t inner;
    CHECK_IS(s.functions.n, 2);
    CHECK_IS(s.loops.n, 2);
    CHECK_IS(s.loops.at[0].first, 3);
    CHECK_IS(s.loops.at[0].last, 5);
    CHECK_IS(iot_text_work(&s, 3, 5, &inner), 4);
    CHECK_IS(inner, 8);
    iot_source_text_free(&s);
}

// Texts that are cut off or are no program at all are read to their end.
static void test_damaged(void)
{
    char *deep = malloc(100001);
    memset(deep, '{', 100000);
    deep[100000] = 0;
    const char *const texts[] = {"", "/*", "\"", "'\\", "#\\", "}}}})))", "int f(", "f() { for (",
                                 "f() { do {", deep};
    const char *const names[] = {"x.c", "x.f90", "x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < 3; k++)
            for (size_t n = 0, all = strlen(texts[i]); n <= all; n += all > 100 ? all : 1) {
                source_text s = iot_read_source(names[k], texts[i], n);
                uint32_t inner;
                CHECK_IS(iot_text_between(&s, 7, 9, &inner), 0);
                iot_source_text_free(&s);
            }
    free(deep);
}

int main(void)
{
    test_ways_through_callers();
    test_ways_into_calls();
    test_what_is_no_code();
    test_deepest_nest();
    test_fortran();
    test_damaged();
    printf("%d passed, %d failed\n", npassed, nfailed);
    return nfailed > 0;
}
