// SPDX-License-Identifier: MIT
//
// Numbers as text, changes of partitions as text, ticks, colours, shares of samples.
#include "paf/layout/layout_private.h"
#include "paf/layout/samples_picture.h"
#include "paf/model/partition_text.h"
#include "paf/say/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void same(char *got, const char *expected)
{
    if (g_strcmp0(got, expected)) {
        fprintf(stderr, "got '%s', expected '%s'\n", got ? got : "(null)", expected);
        failures++;
    }
    g_free(got);
}

static void check(bool right, const char *what)
{
    if (!right) {
        fprintf(stderr, "not so: %s\n", what);
        failures++;
    }
}

static void check_numbers(void)
{
    same(paf_number(0), "0");
    same(paf_number(999), "999");
    same(paf_number(1000), "1,000");
    same(paf_number(1234567), "1,234,567");
    same(paf_number(UINT64_MAX), "18,446,744,073,709,551,615");
    same(paf_sentence("spawn/3 (a.fl:1000) makes 100000 in a row, the last at step 200002; 1020 steps instead of 2004 "
                      "(−50 %)"),
         "spawn/3 (a.fl:1000) makes 100,000 in a row, the last at step 200,002; 1,020 steps instead of 2,004 (−50 %)");
    same(paf_sentence("K1 := K - 100000 (5000 times), X = 12345, about 1234.5 steps, p1000 2000x"),
         "K1 := K - 100000 (5,000 times), X = 12345, about 1234.5 steps, p1000 2000x");
    same(paf_short_number(9999), "9,999");
    same(paf_short_number(12345), "12k");
    same(paf_short_number(1234567), "1.2M");
    same(paf_short_number(999996), "1.0M");
    same(paf_short_number(999400), "999k");
    same(paf_count(1, "process", "processes"), "1 process");
    same(paf_count(1200, "process", "processes"), "1,200 processes");
    same(paf_percent(1, 3), "33 %");
    same(paf_percent(1, 300), "0.3 %");
    same(paf_percent(1, 1000000), "< 0.1 %");
    same(paf_percent(999999, 1000000), "> 99.9 %");
    same(paf_percent(995, 1000), "99.5 %");
    same(paf_percent(125, 1000), "13 %"); // and not the even 12
    same(paf_percent(0, 7), "0 %");
    same(paf_percent(0, 0), "0 %");
    same(paf_nanoseconds(999400000000), "999 s");
    same(paf_nanoseconds(134991000000000), "134,991 s");
    same(paf_nanoseconds(1234), "1.23 µs");
}

static void check_partitions(void)
{
    same(paf_partition_add("", "upd/5"), "upd=upd/5");
    same(paf_partition_add("a=f/1", "upd/5"), "a=f/1 upd=upd/5");
    same(paf_partition_add("a=f/1,upd/5", "upd/5"), "a=f/1,upd/5");
    same(paf_partition_add("upd=f/1", "upd/5"), "upd=f/1 upd_2=upd/5");
    same(paf_partition_add("a=f/1", "#123"), "a=f/1 goal_123=#123");
    same(paf_partition_add("a=f/1", "m:g/2"), "a=f/1 g=m:g/2");
    same(paf_partition_without("a=f/1 b=g/2 c=h/3", "b"), "a=f/1 c=h/3");
    same(paf_partition_without("a=f/1\nab=g/2", "a"), "ab=g/2");
    same(paf_partition_without("a=f/1", "a"), "");
    same(paf_partition_rename("a=f/1 ab=g/2", "a", "c"), "c=f/1 ab=g/2");
    check(!paf_partition_rename("a=f/1 b=g/2", "a", "b"), "a name that is taken");
    check(!paf_partition_rename("a=f/1", "a", "main"), "main is taken");
    check(!paf_partition_rename("a=f/1", "a", "x y") && !paf_partition_rename("a=f/1", "a", ""),
          "no names");
    same(paf_partition_merge("a=f/1 b=g/2,h/3 c=i/4", "b", "a"), "a=f/1,g/2,h/3 c=i/4");
    same(paf_partition_merge("a=f/1 b=g/2", "b", "main"), "a=f/1");
    same(paf_partition_split("a=f/1 b=g/2,h/3", "b"), "a=f/1 b=g/2 h=h/3");
    check(!paf_partition_split("a=f/1 b=g/2", "b"), "one entry cannot be split");
    same(paf_partition_move("a=f/1,g/2 b=h/3", "g/2", "b"), "a=f/1 b=h/3,g/2");
    same(paf_partition_move("a=f/1 b=h/3", "f/1", "b"), "b=h/3,f/1");
    same(paf_partition_move("a=f/1 b=h/3", "k/0", "b"), "a=f/1 b=h/3,k/0");
    same(paf_partition_move("a=f/1 b=h/3", "h/3", "b"), "a=f/1 b=h/3");
    check(paf_partition_has_entry("a=f/1,g/2 b=h/3", "g/2"), "g/2 is an entry");
    check(!paf_partition_has_entry("a=f/1,g/22", "g/2"), "g/2 is no entry of g/22");
}

static void check_ticks(void)
{
    check(fabs(paf_tick_step(1) - 1) < 1e-9, "ticks of 1");
    check(fabs(paf_tick_step(1.1) - 2) < 1e-9, "ticks of 2");
    check(fabs(paf_tick_step(3) - 5) < 1e-9, "ticks of 5");
    check(fabs(paf_tick_step(7000) - 10000) < 1e-9, "ticks of 10,000");
}

// Neighbouring hues must stay apart in lightness or hue also for red-green blind eyes: compared in
// what remains then, lightness and blue against yellow.
static void check_colours(void)
{
    const paf_theme *theme = paf_theme_get(false);
    for (uint32_t i = 1; i <= 4; i++)
        for (uint32_t k = i + 1; k <= 4; k++) {
            paf_colour a = paf_module_colour(theme, i), b = paf_module_colour(theme, k);
            double light = 0.3 * (a.r - b.r) + 0.59 * (a.g - b.g) + 0.11 * (a.b - b.b);
            double blue = (a.b - (a.r + a.g) / 2) - (b.b - (b.r + b.g) / 2);
            check(fabs(light) > 0.07 || fabs(blue) > 0.12, "two hues of the first four differ");
        }
    check(paf_module_pattern(1) == 0 && paf_module_pattern(10) == 0, "ten plain hues");
    check(paf_module_pattern(11) == 1 && paf_module_pattern(21) == 2, "then patterns");
}

// Ten samples of 4 ns: 4 busy, 2 looking, 1 collecting, 3 idle.
static void check_samples(void)
{
    const uint64_t runs[] = {4 << 2 | TRACE_BUSY, 2 << 2 | TRACE_LOOKING, 1 << 2 | TRACE_COLLECTING,
                             3 << 2 | TRACE_IDLE};
    const trace_sampled worker = {4, runs};
    const trace_samples s = {4, 10, 1, &worker};
    float all[TRACE_STATES] = {0}, halves[2 * TRACE_STATES] = {0}, late[TRACE_STATES] = {0};
    paf_add_samples(&s, 0, 0, 40, 1, all);
    check(fabsf(all[TRACE_BUSY] - 0.4f) < 1e-4f && fabsf(all[TRACE_LOOKING] - 0.2f) < 1e-4f &&
              fabsf(all[TRACE_COLLECTING] - 0.1f) < 1e-4f && fabsf(all[TRACE_IDLE] - 0.3f) < 1e-4f,
          "shares of all samples");
    paf_add_samples(&s, 0, 8, 32, 2, halves);
    check(fabsf(halves[2 * TRACE_BUSY] - 2.0f / 3) < 1e-4f &&
              fabsf(halves[2 * TRACE_LOOKING] - 1.0f / 3) < 1e-4f &&
              fabsf(halves[2 * TRACE_LOOKING + 1] - 1.0f / 3) < 1e-4f && halves[2 * TRACE_BUSY + 1] == 0,
          "shares within a window");
    paf_add_samples(&s, 0, 36, 44, 1, late);
    check(fabsf(late[TRACE_IDLE] - 0.5f) < 1e-4f, "nothing is known behind the last sample");
    check(paf_samples_end(&s) == 40, "the end of samples");
}

int main(void)
{
    check_numbers();
    check_samples();
    check_partitions();
    check_ticks();
    check_colours();
    return failures ? 1 : 0;
}
