// SPDX-License-Identifier: MIT
//
// States of workers: no sample is lost or counted twice, however they are taken; a collection counts for
// those that are not idle.
#include "vm/states.h"

#include "check.h"

enum { WORKERS = 2, EVERY = 1000 };

static uint64_t sum_of(const vm_state_runs *runs)
{
    uint64_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        n += runs->at[i] >> 2;
    return n;
}

static uint64_t samples_in(const vm_state_runs *runs, vm_state state)
{
    uint64_t n = 0;
    for (size_t i = 0; i < runs->n; i++)
        n += (runs->at[i] & 3) == state ? runs->at[i] >> 2 : 0;
    return n;
}

// Until there is another sample.
static void wait_for_sample(vm_states *s)
{
    for (uint64_t before = vm_states_due(s); vm_states_due(s) == before;)
        ;
}

static vm_state_runs taken(vm_states *s, uint32_t worker, uint64_t until)
{
    vm_state_runs runs = {0};
    vm_states_take(s, worker, until, &runs);
    return runs;
}

static void changes_are_kept(void)
{
    static const vm_state states[] = {STATE_LOOKING, STATE_IDLE, STATE_BUSY};
    vm_states *s = vm_states_create(WORKERS, EVERY);
    vm_states_begin(s);
    CHECK(vm_states_due(s) >= 1);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        wait_for_sample(s);
        vm_state before = vm_state_enter(states[i]);
        CHECK(before == (i == 0 ? STATE_BUSY : states[i - 1]));
    }
    wait_for_sample(s);
    uint64_t due = vm_states_due(s);
    vm_state_runs first = taken(s, 0, due), second = taken(s, 1, due);
    vm_states_end();
    CHECK(sum_of(&first) == due && first.n == 4);
    CHECK((first.at[0] & 3) == STATE_BUSY && (first.at[1] & 3) == STATE_LOOKING &&
          (first.at[2] & 3) == STATE_IDLE && (first.at[3] & 3) == STATE_BUSY);
    CHECK(second.n == 1 && second.at[0] == (due << 2 | STATE_IDLE));
    free(first.at);
    free(second.at);
    vm_states_destroy(s);
}

// What was due is taken later, when the worker has noted more.
static void later_samples_stay(void)
{
    vm_states *s = vm_states_create(WORKERS, EVERY);
    vm_states_begin(s);
    wait_for_sample(s);
    uint64_t due = vm_states_due(s);
    wait_for_sample(s);
    wait_for_sample(s);
    vm_state_enter(STATE_LOOKING);
    wait_for_sample(s);
    vm_state_enter(STATE_BUSY);
    vm_state_runs first = taken(s, 0, due);
    uint64_t all = vm_states_due(s);
    vm_state_runs rest = taken(s, 0, all);
    vm_states_end();
    CHECK(first.n == 1 && first.at[0] == (due << 2 | STATE_BUSY));
    CHECK(sum_of(&rest) == all - due && rest.n >= 2 && (rest.at[0] & 3) == STATE_BUSY &&
          (rest.at[1] & 3) == STATE_LOOKING);
    free(first.at);
    free(rest.at);
    vm_states_destroy(s);
}

static void collections_are_noted(void)
{
    vm_states *s = vm_states_create(WORKERS, 1);
    vm_states_begin(s);
    vm_gc_stress(1);
    vm_free(vm_alloc_atomic(64));
    vm_gc_stress(0);
    uint64_t due = vm_states_due(s);
    vm_state_runs first = taken(s, 0, due), second = taken(s, 1, due);
    vm_states_end();
    CHECK(sum_of(&first) == due && samples_in(&first, STATE_COLLECTING) > 0 &&
          samples_in(&first, STATE_BUSY) > 0);
    CHECK(sum_of(&second) == due && samples_in(&second, STATE_IDLE) == due);
    free(first.at);
    free(second.at);
    vm_states_destroy(s);
}

// Notes are kept while they differ; of very many some, in order, and the beginnings of rests.
static void ready_goals_are_noted(void)
{
    enum { MANY = 100000 };
    vm_states *s = vm_states_create(WORKERS, 1);
    vm_ready_counts first = {0}, second = {0};
    vm_states_begin(s);
    for (uint32_t i = 1; i <= 3; i++)
        vm_state_note_ready(i / 2);
    vm_states_take_ready(s, 0, &first);
    vm_states_take_ready(s, 1, &second);
    CHECK(first.n == 2 && first.at[0].goals == 0 && first.at[1].goals == 1 && second.n == 0);
    free(first.at);
    first = (vm_ready_counts){0};
    for (uint32_t i = 1; i <= MANY; i++)
        vm_state_note_ready(i);
    vm_state_note_ready(0);
    vm_states_take_ready(s, 0, &first);
    vm_states_end();
    CHECK(first.n > 10000 && first.n <= 1 << 15 && first.at[first.n - 1].goals == 0);
    for (size_t i = 0; i + 2 < first.n; i++)
        CHECK(first.at[i].sample <= first.at[i + 1].sample && first.at[i].goals < first.at[i + 1].goals);
    free(first.at);
    vm_states_destroy(s);
}

void test_states(void)
{
    ready_goals_are_noted();
    changes_are_kept();
    later_samples_stay();
    collections_are_noted();
    CHECK(vm_state_enter(STATE_IDLE) == STATE_IDLE); // nobody wants samples
}
