// SPDX-License-Identifier: MIT
//
// Which schedules are run. States are those before each step of the execution under way:
//
//     states[0] --step by states[0].chosen--> states[1] --> ... --> states[depth]
//
// After an execution the deepest state at which another process is still to be tried first becomes
// the end of the prefix that the next execution repeats.
//
// `order` is the happens-before relation of the steps themselves (not that of memory, race.c):
// steps of one process are ordered, and steps that touch one place, unless both only read it.
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1 << 14, ALL_SHOWN = 400 };

typedef uint16_t process_set; // a bit for each
_Static_assert(PROCESSES <= 16, "process_set holds all processes");

typedef struct {
    uint16_t of[PROCESSES]; // steps of that process up to this number come before
} order;

typedef struct {
    process_set pending, enabled, to_try, tried, asleep;
    operation next[PROCESSES]; // what each process stops at
    unsigned chosen;
    order after; // the step that was made here
} state;

typedef struct {
    uintptr_t place;
    uint64_t execution;
    order writes, all;
} place_order;

static state states[STEPS + 1];
static unsigned depth;
static order orders[PROCESSES]; // what comes before the next step of each
static process_set fresh;       // processes that stop at something new since the last step
static place_order places[PLACES];
static uint64_t execution;
static const model_options *options;
static uint64_t random_state;

static void scenario(void *data)
{
    (void)data;
    options->scenario();
}

// ---- Order --------------------------------------------------------------------------------------

static void join(order *a, const order *b)
{
    for (unsigned p = 0; p < PROCESSES; p++)
        if (b->of[p] > a->of[p])
            a->of[p] = b->of[p];
}

static place_order *order_of(uintptr_t place)
{
    unsigned at = (unsigned)(place * 0x9e3779b97f4a7c15u >> 40) & (PLACES - 1);
    for (unsigned tries = 0; tries < PLACES; tries++, at = (at + 1) & (PLACES - 1)) {
        place_order *p = &places[at];
        if (p->execution != execution)
            *p = (place_order){.place = place, .execution = execution};
        if (p->place == place)
            return p;
    }
    fputs("the scenario uses too many places\n", stderr);
    abort();
}

static void order_at(uintptr_t place, bool only_reads, order *now)
{
    place_order *p = order_of(place);
    join(now, only_reads ? &p->writes : &p->all);
}

static void note_at(uintptr_t place, bool only_reads, const order *now)
{
    place_order *p = order_of(place);
    join(&p->all, now);
    if (!only_reads)
        join(&p->writes, now);
}

// The order of the step that the process is about to make, which it gets.
static void order_step(unsigned process, operation op)
{
    order now = orders[process];
    bool only_reads = op.kind == AT_LOAD;
    if (process >= THREADS)
        join(&now, &states[threads_issued(process)].after);
    else if (!only_reads) // its buffer is empty
        join(&now, &orders[process + THREADS]);
    order_at(op.place, only_reads, &now);
    if (op.second)
        order_at(op.second, only_reads, &now);
    now.of[process] = (uint16_t)(depth + 1);
    note_at(op.place, only_reads, &now);
    if (op.second)
        note_at(op.second, only_reads, &now);
    orders[process] = now;
    states[depth].after = now;
}

void model_woke(unsigned thread)
{
    join(&orders[thread], &states[depth].after);
    fresh |= (process_set)(1u << thread);
}

static bool share_place(operation a, operation b)
{
    return a.place == b.place || (b.second && a.place == b.second) ||
           (a.second && (a.second == b.place || a.second == b.second));
}

static bool dependent(operation a, operation b)
{
    return share_place(a, b) && !(a.kind == AT_LOAD && b.kind == AT_LOAD);
}

static bool frees_mutex(op_kind kind)
{
    return kind == AT_UNLOCK || kind == AT_WAIT;
}

// Could both have been next at one moment?
static bool compete(operation a, operation b)
{
    if ((a.kind == AT_LOCK && frees_mutex(b.kind)) || (b.kind == AT_LOCK && frees_mutex(a.kind)))
        return false;
    return !(a.kind == AT_JOIN && b.kind == AT_END) && !(a.kind == AT_END && b.kind == AT_JOIN);
}

// ---- What else is to be tried -------------------------------------------------------------------

static bool has(process_set set, unsigned process)
{
    return set >> process & 1;
}

// The process might have made its next step at state `at`, instead of the one made there.
static void try_at(unsigned at, unsigned process, const order *now)
{
    state *s = &states[at];
    if (has(s->enabled, process)) {
        s->to_try |= (process_set)(1u << process);
        return;
    }
    for (unsigned i = at + 1; i < depth; i++) { // or one that leads to it
        unsigned q = states[i].chosen;
        if (has(s->enabled, q) && states[i].after.of[q] <= now->of[q]) {
            s->to_try |= (process_set)(1u << q);
            return;
        }
    }
    s->to_try |= s->enabled;
}

static order before_next(unsigned process)
{
    order now = orders[process];
    if (process >= THREADS)
        join(&now, &states[threads_issued(process)].after);
    return now;
}

// Looks for the last step that competes with what the process stops at; from: the first to look at.
static void find_race(unsigned process, operation next, unsigned from)
{
    order now = before_next(process);
    for (unsigned i = depth; i-- > from;) {
        const state *s = &states[i];
        operation made = s->next[s->chosen];
        if (s->chosen == process || i + 1 <= now.of[s->chosen] || !dependent(made, next) ||
            !compete(made, next))
            continue;
        try_at(i, process, &now);
        return;
    }
}

// States before `repeated` have been searched by the execution that this one repeats.
static void find_races(unsigned repeated)
{
    if (depth == 0 || depth < repeated)
        return;
    const state *s = &states[depth];
    for (unsigned p = 0; p < PROCESSES; p++)
        if (has(s->pending, p))
            find_race(p, s->next[p], has(fresh, p) ? 0 : depth - 1);
}

// ---- One execution ------------------------------------------------------------------------------

static void look(state *s)
{
    s->pending = s->enabled = 0;
    for (unsigned p = 0; p < PROCESSES; p++) {
        if (!threads_pending(p, &s->next[p]))
            continue;
        s->pending |= (process_set)(1u << p);
        if (threads_can_go_on(p))
            s->enabled |= (process_set)(1u << p);
    }
}

// What was tried at the state before need not be tried here, unless the step made there matters.
static process_set still_asleep(const state *before)
{
    process_set asleep = 0, candidates = before->asleep | before->tried;
    operation made = before->next[before->chosen];
    for (unsigned p = 0; p < PROCESSES; p++)
        if (has(candidates, p) && p != before->chosen && !dependent(before->next[p], made))
            asleep |= (process_set)(1u << p);
    return asleep;
}

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static unsigned any_of(process_set set)
{
    unsigned n = (unsigned)(next_random() % (unsigned)__builtin_popcount(set)), p = 0;
    for (;; p++)
        if (has(set, p) && n-- == 0)
            return p;
}

// The first choice at a new state: to go on with the process that made the last step, if possible.
static unsigned first_choice(const state *s)
{
    process_set can = (process_set)(s->enabled & ~s->asleep);
    unsigned last = depth > 0 ? states[depth - 1].chosen : 0;
    if (options->seed && next_random() % 3 == 0)
        return any_of(can);
    return has(can, last) ? last : options->seed ? any_of(can) : (unsigned)__builtin_ctz(can);
}

// An execution that is broken off goes on to its end in any way, so that it leaves nothing behind
// (a lock that is taken).
static void finish_off(void)
{
    unsigned p = 0;
    for (unsigned n = 0; n < STEPS && p < PROCESSES && !threads_failed(); n++) {
        for (p = 0; p < PROCESSES && !threads_can_go_on(p);)
            p++;
        if (p < PROCESSES)
            threads_step(p, depth);
    }
}

typedef enum { ENDED, PRUNED, FAULTY } ending;

static ending run(unsigned repeated, model_result *ret)
{
    execution++;
    memset(orders, 0, sizeof orders);
    threads_begin(scenario, NULL, options->buffers);
    fresh = (process_set)-1;
    for (depth = 0;; depth++) {
        state *s = &states[depth];
        look(s);
        if (!options->seed)
            find_races(repeated);
        if (s->enabled == 0) {
            if (threads_all_ended())
                return ENDED;
            snprintf(ret->message, sizeof ret->message, "deadlock: all threads wait");
            return FAULTY;
        }
        if (depth == STEPS) {
            snprintf(ret->message, sizeof ret->message, "an execution does not end");
            return FAULTY;
        }
        if (depth < repeated && !has(s->enabled, s->chosen)) {
            snprintf(ret->message, sizeof ret->message, "the scenario cannot be repeated");
            return FAULTY;
        }
        if (depth >= repeated) {
            s->tried = 0;
            s->asleep = depth > 0 && !options->seed ? still_asleep(s - 1) : 0;
            if ((s->enabled & ~s->asleep) == 0) {
                finish_off();
                return PRUNED;
            }
            s->chosen = first_choice(s);
            s->to_try = (process_set)(1u << s->chosen);
        }
        s->tried |= (process_set)(1u << s->chosen);
        fresh = (process_set)(1u << s->chosen | 1u << (s->chosen + THREADS) % PROCESSES);
        order_step(s->chosen, s->next[s->chosen]);
        threads_step(s->chosen, depth);
        if (threads_failed()) {
            snprintf(ret->message, sizeof ret->message, "%s", threads_failed());
            depth++;
            return FAULTY;
        }
    }
}

// ---- All of them --------------------------------------------------------------------------------

static const char *const kind_names[] = {
    "load",   "store", "change", "flush", "lock", "unlock",
    "wait", "signal", "start",  "join",  "end",
};

static void show_schedule(void)
{
    unsigned from = depth > ALL_SHOWN ? depth - ALL_SHOWN : 0;
    for (unsigned i = from; i < depth; i++) {
        unsigned p = states[i].chosen;
        operation op = states[i].next[p];
        fprintf(stderr, "  thread %u: %-7s %#zx [%#zx]\n", p % THREADS, kind_names[op.kind],
                (size_t)op.place, (size_t)op.from);
    }
}

// The state at which the next execution departs from this one; -1: all were run.
static int next_departure(void)
{
    for (int at = (int)depth - 1; at >= 0; at--) {
        state *s = &states[at];
        process_set left = (process_set)(s->to_try & ~s->tried & ~s->asleep);
        if (left) {
            s->chosen = (unsigned)__builtin_ctz(left);
            return at;
        }
    }
    return -1;
}

void model_explore(const model_options *o, model_result *ret)
{
    options = o;
    random_state = o->seed * 0x9e3779b97f4a7c15u + 1;
    *ret = (model_result){0};
    threads_keep_memory();
    memset(states, 0, sizeof states);
    for (int repeated = 0; repeated >= 0;) {
        ending end = run((unsigned)repeated, ret);
        ret->executions += end != PRUNED;
        ret->pruned += end == PRUNED;
        if (depth > ret->longest)
            ret->longest = depth;
        if (end == FAULTY) {
            ret->fault = true;
            if (!o->quiet)
                show_schedule();
            return;
        }
        if (o->limit && ret->executions + ret->pruned >= o->limit)
            return;
        repeated = o->seed ? 0 : next_departure() + 1;
        if (repeated == 0 && !o->seed)
            repeated = -1;
    }
    ret->complete = true;
}
