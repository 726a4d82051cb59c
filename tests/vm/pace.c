// SPDX-License-Identifier: MIT
//
// When workers share a run and when one is alone, for machines of several speeds.
#include "check.h"

#include "vm/schedule/pace.h"

#define MS ((uint64_t)1000000)

typedef struct {
    uint64_t now, made;   // ns, reductions
    uint64_t together;    // ns spent so
    uint64_t changes;
} course;

// A run that always has work for two: so many reductions per ms alone, and together.
static course run(vm_pace *p, uint64_t ms, uint64_t alone, uint64_t both)
{
    course c = {0};
    vm_pace_begin(p, 0, 0);
    while (c.now < ms * MS) {
        uint64_t step = MS / 32;
        c.now += step;
        c.made += (p->together ? both : alone) / 32;
        c.together += p->together ? step : 0;
        bool changes = p->together ? !vm_pace_pays(p, c.now, c.made, 2)
                                   : vm_pace_may_join(p, c.now, c.made);
        if (changes)
            vm_pace_change(p, !p->together, c.now, c.made);
        c.changes += changes;
    }
    return c;
}

static void slower_together_is_alone(void)
{
    vm_pace p;
    course c = run(&p, 500, 100000, 50000);
    CHECK(c.made >= 500u * 100000 * 97 / 100);
    CHECK(c.together > 0);
}

static void faster_together_is_together(void)
{
    vm_pace p;
    course c = run(&p, 2000, 100000, 190000);
    CHECK(c.together >= 2000 * MS * 97 / 100);
}

static void slow_reductions_are_measured_long_enough(void)
{
    vm_pace p;
    course c = run(&p, 3000, 1000, 1900);
    CHECK(c.together >= 3000 * MS * 95 / 100);
}

static void no_gain_is_not_worth_a_processor(void)
{
    vm_pace p;
    course c = run(&p, 1000, 100000, 101000);
    CHECK(c.together < 1000 * MS / 10);
}

// What was learned in one part of a program does not hold in the next one for long.
static void another_program_is_measured_anew(void)
{
    vm_pace p;
    course before = run(&p, 1000, 100000, 180000);
    uint64_t now = before.now, made = before.made, together = 0;
    for (int i = 0; i < 32 * 3000; i++) { // from now on 4 times as fast alone as it was together
        now += MS / 32;
        made += (p.together ? 400000 : 700000) / 32;
        together += p.together ? MS / 32 : 0;
        bool changes = p.together ? !vm_pace_pays(&p, now, made, 2) : vm_pace_may_join(&p, now, made);
        if (changes)
            vm_pace_change(&p, !p.together, now, made);
    }
    CHECK(together < 3000 * MS / 2);
    CHECK(!p.together || p.rest > 10 * MS);
}

void test_pace(void)
{
    slower_together_is_alone();
    faster_together_is_together();
    slow_reductions_are_measured_long_enough();
    no_gain_is_not_worth_a_processor();
    another_program_is_measured_anew();
}
