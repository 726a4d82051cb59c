// SPDX-License-Identifier: MIT
//
// The loop that reduces: one source for all kinds of run (private to vm/). loop_plain.c, loop_stamped.c
// and loop_real.c define STAMPED, SHARED and LOOP, and include it.
//
// Plain:   LOOP(m, NULL) reduces the worker's goals until it has none or the run ends. LOOP(m,
// goal)
//          is a dry attempt. Others may bind variables meanwhile, but not this worker's (bind.h).
// Stamped: LOOP(m, goal) makes one attempt at one goal at step m->reduction.now.
// Real:    stamped and shared, the only loop with atomic instructions: one attempt by a worker of a
//          team. A dry attempt ends where it would
//          commit; in a trial (real.h) it continues with the next clause.
//
// Registers 0..arity-1 hold the goal's arguments during all attempts. An `otherwise` may have the
// code of a clause above it run again, to see why the clause fails; `above` is where to continue
// then.

#include "vm/code.h"
#include "vm/code/arithmetic.h"
#include "vm/code/switch.h"
#include "vm/engine/arith.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/called.h"
#include "vm/engine/equal.h"
#include "vm/engine/goal.h"
#include "vm/engine/loop_entry.h"
#include "vm/engine/mail.h"
#include "vm/engine/match.h"
#include "vm/engine/query.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"
#include "vm/term/heap.h"
#include <math.h>

#define REAL (STAMPED && SHARED)
#define CONCURRENT (SHARED || !STAMPED) // others may bind variables during an attempt
#if REAL
#include "vm/engine/real.h"
#define REDUCED vm_real_reduced
#else
#define REDUCED vm_reduced
#endif

#if STAMPED
#define VISIBLE(v) (vm_is_bound(v) && (v)->time <= m->attempt.limit)
#define NOTE(v) VM_PUSH(m->attempt.reads, v)
#else
#define VISIBLE(v) vm_is_bound(v)
#define NOTE(v) ((void)0)
#endif

#if CONCURRENT
#define LOAD(place) vm_load(&(place))
#else
#define LOAD(place) (place)
#endif

// w := the end of its chain; goes to on_variable with an unbound variable in w.
#define DEREF(w, on_variable)                                                                      \
    while (vm_tag(w) == TAG_REF) {                                                                 \
        vm_var *v_ = vm_as_var(w);                                                                 \
        vm_word value_ = LOAD(v_->value);                                                          \
        if (vm_tag(value_) == TAG_UNBOUND || (STAMPED && v_->time > m->attempt.limit))                \
            goto on_variable;                                                                      \
        NOTE(v_);                                                                                  \
        (w) = value_;                                                                              \
    }

// The compiler would keep the position in memory, where each instruction waits for it.
#if defined __x86_64__ && !defined __clang__
#define PC_IN_REGISTER register
#define PC_REGISTER __asm__("rbx")
#else
#define PC_IN_REGISTER
#define PC_REGISTER
#endif

#define X(i) x[pc[i]]
#define K(i) constants[pc[i]]
#define NEXT(n)                                                                                    \
    do {                                                                                           \
        pc += (n);                                                                                 \
        goto *labels[*pc];                                                                         \
    } while (0)
#define RETRY()                                                                                    \
    do {                                                                                           \
        pc = next;                                                                                 \
        goto *labels[*pc];                                                                         \
    } while (0)
#define GOTO(target)                                                                               \
    do {                                                                                           \
        pc = code + (target);                                                                      \
        goto *labels[*pc];                                                                         \
    } while (0)

// The position in the text of the instruction at pc: clause, body item.
#define ORIGIN() ((vm_origin){.clause = pc[1], .index = pc[2]})
// A place that is a variable: the operands from n on say of which clause.
#define PLACE_MADE_AT(n) vm_unbound_place((const vm_origin *)(pc + (n)), own)
// The clause that is attempted.
#define TRIED() m->program->clauses[next[-2]]

static inline void take_apart(vm_word *registers, vm_word *words, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (STAMPED) {
            registers[i] = words[i];
        } else {
            vm_word w = LOAD(words[i]);
            registers[i] = vm_tag(w) == TAG_UNBOUND ? (vm_word)&words[i] : w;
        }
}

// No variable lives in the head of a cons.
static inline void take_cons(vm_word *registers, vm_word *words)
{
    registers[0] = words[0];
    take_apart(registers + 1, words + 1, 1);
}

// The goal of a SPAWN, CALL or EXEC at pc.
static inline vm_goal *make_goal(vm_machine *m, const uint32_t *pc, const vm_word *x)
{
    vm_predicate *predicate = m->program->predicates[pc[3]];
#if STAMPED
    vm_goal *goal = vm_goal_create(m, predicate, ORIGIN());
#else
    vm_goal *goal = vm_goal_take(m, predicate);
    goal->site = ORIGIN();
#endif
    for (uint32_t i = 0; i < pc[4]; i++)
        goal->args[i] = x[pc[5 + i]];
    return goal;
}

#if !STAMPED
// The goal in the registers as a record, in no queue.
static vm_goal *goal_of_registers(vm_machine *m, vm_predicate *p, vm_origin site)
{
    vm_goal *goal = vm_goal_take(m, p);
    goal->site = site;
    for (uint32_t i = 0; i < p->arity; i++)
        goal->args[i] = m->frame.registers[i];
    return goal;
}
#endif

#if !STAMPED
enum { MOST_QUICK = 8 }; // arguments

// A call of a built-in with the goal w and `more` arguments (m->frame.arguments), the last one for its
// result, by its quick way.
static __attribute__((noinline)) bool applied_quickly(vm_machine *m, const vm_predicate *predicate,
                                                      vm_word w, uint32_t more)
{
    const vm_builtin_entry *entry = predicate->entry;
    uint32_t n = predicate->arity - more;
    vm_word in[MOST_QUICK], value;
    if (!entry->quick || entry->quick_without || entry->modes[0] == 'o' || more == 0 ||
        predicate->arity > MOST_QUICK || m->options.seeded)
        return false;
    vm_word result = vm_end_of(m->frame.arguments[more - 1]);
    for (uint32_t i = 0; i < n; i++)
        in[i] = vm_struct_arg(w, i);
    for (uint32_t i = 0; i + 1 < more; i++)
        in[n + i] = m->frame.arguments[i];
    return vm_is_var(result) && entry->quick(m, in, &value) && !vm_is_var(vm_end_of(value)) &&
           vm_bind_mine(m, vm_as_var(result), value);
}

// goal_of_registers() in memory of its own.
static vm_goal *copy_of_registers(vm_machine *m, vm_predicate *p, vm_origin site)
{
    vm_goal *goal = vm_alloc(sizeof *goal + p->arity * sizeof *goal->args);
    goal->predicate = p;
    goal->site = site;
    goal->nargs = p->arity;
    memcpy(goal->args, m->frame.registers, p->arity * sizeof *goal->args);
    return goal;
}

// Predicate and place of the goal in the registers, for code that makes a record of it.
#define SETTLE()                                                                                   \
    do {                                                                                           \
        if (caller) {                                                                              \
            predicate = m->program->predicates[caller[3]];                                         \
            site = (vm_origin){.clause = caller[1], .index = caller[2]};                           \
        }                                                                                          \
    } while (0)

// X = T. What other workers are to bind is sent, with the goal that reduces, which is made for that.
#define UNIFY(left, right)                                                                         \
    do {                                                                                           \
        if (!vm_unify(m, left, right))                                                             \
            goto bind_failed;                                                                      \
        if (__builtin_expect(m->abroad.n > 0, 0)) {                                                \
            SETTLE();                                                                              \
            vm_send_bindings(m, copy_of_registers(m, predicate, site), ORIGIN());                  \
            END_QUANTUM_IF_CHATTY();                                                               \
        }                                                                                          \
    } while (0)

// The quantum ends with this reduction.
#define END_QUANTUM_IF_CHATTY()                                                                    \
    do {                                                                                           \
        if (vm_team_is_chatty(&m->worker, DONE())) {                                               \
            m->worker.quantum.end = DONE() + 1;                                                    \
            quantum = (vm_countdown){.before = DONE(), .length = 1};                               \
            left = 1;                                                                              \
        }                                                                                          \
    } while (0)

// Reductions are counted down from the length of the quantum.
typedef struct {
    uint64_t before, length; // reductions
} vm_countdown;

static vm_countdown begin_quantum(const vm_machine *m)
{
    uint64_t before = VM_GET_COUNT(m->worker.reductions);
    return (vm_countdown){.before = before,
                          .length = m->worker.in_steps || m->worker.quantum.yield
                                        ? 1
                                        : m->worker.quantum.end - before};
}

static __attribute__((noinline)) vm_countdown next_quantum(vm_machine *m, vm_countdown last)
{
    VM_SET_COUNT(m->worker.reductions, last.before + last.length);
    if (VM_GET_COUNT(m->worker.reductions) >= m->worker.quantum.end)
        vm_pause(m);
    return begin_quantum(m);
}
#endif

#if !STAMPED
static inline int64_t modulo(int64_t a, int64_t b) // b > 0
{
    // a division of 32 bits is several times faster
    int64_t rest = ((uint64_t)a | (uint64_t)b) >> 32 ? a % b : (uint32_t)a % (uint32_t)b;
    return rest < 0 ? rest + b : rest;
}
#endif

#if !STAMPED
// A float in the place that goes with a register, until the register is set anew.
static inline vm_word vm_frame_float(vm_machine *m, uint32_t reg, double d)
{
    m->frame.floats[reg] = (vm_float){.box.kind = BOX_FLOAT, .value = d};
    return vm_heap_box(&m->frame.floats[reg]);
}

_Static_assert(sizeof(vm_float) == 2 * sizeof(vm_word), "a float takes the room of a pair");

static inline vm_word new_float(void **lists, double d)
{
    vm_word *words = vm_heap_pair(lists);
    words[0] = 0;
    vm_float *made = (vm_float *)words;
    made->box.kind = BOX_FLOAT;
    made->value = d;
    return vm_heap_box(made);
}
#endif

vm_outcome LOOP(vm_machine *m, vm_goal *goal)
{
    static const void *const labels[] = {
#define OP(name, operands, text) &&do_##name,
#include "vm/code/code.def"
#undef OP
    };
    const uint32_t *const code = m->program->code;
    const vm_word *const constants = m->program->constants;
    vm_word *const x = m->frame.registers;
    PC_IN_REGISTER const uint32_t *pc PC_REGISTER;
    vm_predicate *predicate = m->start.clause->predicate;
    const uint32_t *next = NULL; // behind the TRY of the clause that is attempted
    uint32_t others = 0;         // of m->attempt.waits: what the clauses before this one wait for
    vm_word w;
#if STAMPED
    const uint32_t *above = NULL;
    if (goal)
        predicate = goal->predicate;
    if (goal && !m->attempt.dry) {
        m->attempt.compared = goal->progress;
        m->attempt.compares = m->attempt.whole = m->attempt.identity = false;
    }
#else
    void **const lists = vm_free_lists;
    const vm_word own = m->cells.unbound;
    vm_countdown quantum = begin_quantum(m);
    uint64_t left = quantum.length; // of the quantum, in reductions
    vm_origin site = {0};
    const uint32_t *caller = NULL; // the EXEC that created the goal in the registers; NULL: see site
    vm_word called; // by a `call`
    uint32_t more; // arguments in m->frame.arguments that a call adds to its goal
    if (goal)
        goto take;
#endif
    if (!m->start.made) {
        m->start.made = true;
        GOTO(m->start.clause->code);
    }

#if !STAMPED
#define DONE() (quantum.before + quantum.length - left) // reductions
#define LEAVE(outcome)                                                                             \
    do {                                                                                           \
        VM_SET_COUNT(m->worker.reductions, DONE());                                                \
        return outcome;                                                                            \
    } while (0)
// Counts a reduction just made; where the limit is reached the run stops.
#define COUNT()                                                                                    \
    do {                                                                                           \
        if (__builtin_expect(--left == 0, 0)) {                                                    \
            quantum = next_quantum(m, quantum);                                                    \
            left = quantum.length;                                                                 \
        }                                                                                          \
    } while (0)

// Where the body ends the goal that would go on makes way for all others.
#define GIVE_WAY_AT_END()                                                                          \
    do {                                                                                           \
        m->worker.quantum.yield = true;                                                            \
        quantum = (vm_countdown){.before = DONE(), .length = 1};                                   \
        left = 1;                                                                                  \
    } while (0)

next_goal:
    if (__builtin_expect(m->worker.quantum.over && !m->worker.quantum.forgotten, 0))
        LEAVE(VM_QUANTUM_OVER);
    if (__builtin_expect(vm_has_mail(&m->worker.mail), 0))
        LEAVE(VM_MAIL);
    goal = m->worker.quantum.yield ? NULL : vm_pop_alone(&m->worker);
    if (__builtin_expect(!goal, 0)) {
        goal = vm_next_goal(&m->worker);
        if (m->worker.quantum.stop) {
            m->worker.quantum.given = goal; // diagnostics ask for it
            LEAVE(VM_STOPPED);
        }
    }
    if (!goal)
        LEAVE(VM_EXHAUSTED);
    if (goal->predicate->builtin) {
        if (vm_is_call(goal) && !m->options.seeded) {
            called = goal->args[0];
            more = goal->nargs - 1;
            predicate = vm_called(m, &called, more);
            if (predicate) {
                site = goal->site;
                for (uint32_t i = 0; i < more; i++)
                    m->frame.arguments[i] = goal->args[i + 1];
                vm_goal_free(m, goal);
                goto apply;
            }
        }
    builtin:
        VM_SET_COUNT(m->worker.reductions, DONE()); // it may take long: vm_how_far
        vm_outcome outcome = vm_call_plain(m, goal);
        if (outcome == VM_REDUCED)
            COUNT();
        else if (outcome != VM_CONTINUE)
            LEAVE(outcome);
        goto next_goal;
    }
take:
    predicate = goal->predicate;
    site = goal->site;
    caller = NULL;
    if (!m->attempt.dry) {
        m->attempt.compared = goal->progress;
        m->attempt.compares = m->attempt.identity = false;
        vm_goal_unpack(m, goal, x);
    } else
#endif
        for (uint32_t i = 0; i < goal->nargs; i++)
            x[i] = goal->args[i];
enter:
#if !STAMPED
    SETTLE();
#endif
#if REAL
    m->real->settled = false;
    m->real->fits = 0;
#endif
#if !STAMPED
    w = x[0];
#endif
    pc = code + predicate->code;
#if !STAMPED
begin: // an entry of a predicate, w is register 0
#endif
    m->attempt.waits.n = 0;
    others = 0;
#if !STAMPED
    if (*pc == OP_SWITCH_FIRST)
        goto do_SWITCH_FIRST;
#endif
    goto *labels[*pc];

    // ---- Attempts

do_SWITCH:
    w = X(1);
do_SWITCH_FIRST:
#if STAMPED // has SWITCH only
    while (vm_tag(w) == TAG_REF) {
        if (!VISIBLE(vm_as_var(w)))
            GOTO(pc[2]);
        w = LOAD(vm_as_var(w)->value);
    }
#else
    if (vm_tag(w) == TAG_REF) {
        do {
            vm_word value = LOAD(vm_as_var(w)->value);
            if (vm_tag(value) == TAG_UNBOUND) {
                X(1) = w;
                GOTO(pc[2]);
            }
            w = value;
        } while (vm_tag(w) == TAG_REF);
        X(1) = w;
    }
#endif
    if (vm_tag(w) == TAG_CONS) {
        pc = code + pc[3];
#if !STAMPED
        if (*pc == OP_OPEN_CONS)
            goto do_OPEN_CONS;
#endif
        goto *labels[*pc];
    }
    GOTO(vm_switch(constants, pc, w));

do_WAIT:
    w = X(1);
    while (vm_tag(w) == TAG_REF && VISIBLE(vm_as_var(w)))
        w = LOAD(vm_as_var(w)->value);
#if CONCURRENT
    if (vm_tag(w) != TAG_REF) // another worker bound it meanwhile
        goto enter;
#endif
    vm_wait(m, w);
    goto suspend;

do_TRY:
    next = pc + 3;
#if STAMPED
    m->attempt.reads.n = 0;
    m->attempt.partial = false;
#endif
    GOTO(pc[2]);

do_OPEN_CONS:
    take_cons(&X(1), vm_words(w));
    pc = code + pc[2];
#if !STAMPED
    if (*pc == OP_TRY)
        goto do_TRY;
#endif
    goto *labels[*pc];

do_GOTO:
    GOTO(pc[1]);

do_OTHERWISE:
    if (m->attempt.waits.n > 0)
        goto suspend;
#if REAL
    if (m->real->settled)
        return VM_CONTINUE;
#endif
    NEXT(1);

do_ABOVE:
#if STAMPED
    if (!above && !vm_match_path(m, m->program->clauses[pc[1]], x)) {
        above = pc + 2;
        GOTO(m->program->clauses[pc[1]]->code);
    }
#endif
    NEXT(2);

do_LAST:
    if (m->attempt.waits.n > 0)
        goto suspend;
#if REAL
    if (m->real->settled)
        return VM_CONTINUE;
#endif
    m->end.failure.kind = FAIL_NO_CLAUSE;
    goto failed;

    // ---- Head

do_GET_CONS:
    w = X(1);
    DEREF(w, head_waits);
    if (vm_tag(w) != TAG_CONS)
        goto fails;
    take_cons(&X(2), vm_words(w));
    NEXT(3);

do_GET_STRUCT:
    w = X(1);
    DEREF(w, head_waits);
    if (vm_tag(w) != TAG_STRUCT || vm_words(w)[0] != K(2))
        goto fails;
    take_apart(&X(3), vm_words(w) + 1, vm_functor_arity(K(2)));
    NEXT(4);

do_GET_VECTOR:
    w = X(1);
    DEREF(w, head_waits);
    if (!vm_is_box(w, BOX_VECTOR) || vm_arguments(w) != pc[2])
        goto fails;
    for (uint32_t i = 0; i < pc[2]; i++)
        x[pc[3] + i] = vm_argument(w, i);
    NEXT(4);

do_GET_CONST:
    w = X(1);
    DEREF(w, head_waits);
    if (w != K(2))
        goto fails;
    NEXT(3);

do_GET_BOX:
    w = X(1);
    DEREF(w, head_waits);
    if (!vm_equal_constants(w, K(2)))
        goto fails;
    NEXT(3);

do_TAKE_CONS:
    take_cons(&X(2), vm_words(X(1)));
    NEXT(3);

do_TAKE_STRUCT:
    take_apart(&X(3), vm_words(X(1)) + 1, vm_functor_arity(K(2)));
    NEXT(4);

do_GET_AGAIN: {
    uint32_t waits = m->attempt.waits.n;
    switch (vm_test_equal(m, X(1), X(2))) {
    case VM_EQUAL:
        NEXT(3);
    case VM_DIFFERENT:
        goto fails;
    case VM_UNDECIDED:
        m->attempt.waits.n = waits;
        goto head_waits;
    }
}

    // ---- Guards

#include "vm/engine/loop_guards.h"

do_FAIL:
    goto fails;

do_EITHER:
    VM_PUSH(m->attempt.either, (vm_either){.label = pc[1], .waits = m->attempt.waits.n});
    NEXT(2);

do_ELSE:
    m->attempt.either.at[m->attempt.either.n - 1].label = pc[1];
    NEXT(2);

do_OR:
    m->attempt.either.n--;
    GOTO(pc[1]);

do_NEITHER: {
    const vm_either *top = &m->attempt.either.at[--m->attempt.either.n];
    if (top->waited)
        goto guard_undecided;
    m->attempt.waits.n = top->waits;
    goto fails;
}

guard_waits:
    vm_wait(m, w);
guard_undecided:
    if (m->attempt.either.n > 0) {
        m->attempt.either.at[m->attempt.either.n - 1].waited = true;
        GOTO(m->attempt.either.at[m->attempt.either.n - 1].label);
    }
    others = m->attempt.waits.n;
    RETRY();

head_waits:
#if CONCURRENT
    // What it waited for may be bound by now. It does not fail, then, for want of a wait.
    if (vm_match_head(m, TRIED(), x, NULL) == MATCH_FITS)
        goto enter;
#else
    vm_match_head(m, TRIED(), x, NULL);
#endif
    others = m->attempt.waits.n;
    RETRY();

fails:
    if (m->attempt.either.n > 0)
        GOTO(m->attempt.either.at[m->attempt.either.n - 1].label);
    m->attempt.waits.n = others; // a clause that fails waits for nothing
#if STAMPED
    if (above) {
        pc = above;
        above = NULL;
        goto *labels[*pc];
    }
#endif
    RETRY();

suspend:
#if STAMPED
    if (!m->attempt.dry)
        goal->progress = m->attempt.compares ? m->attempt.compared : NULL;
    vm_suspend(m, goal);
    return VM_CONTINUE;
#else
    if (m->attempt.dry)
        return VM_CONTINUE;
    SETTLE();
    goal = goal_of_registers(m, predicate, site);
    goal->progress = m->attempt.compares ? m->attempt.compared : NULL;
    vm_suspend(m, goal);
    m->attempt.waits.n = 0;
    if (m->worker.team)
        END_QUANTUM_IF_CHATTY();
    goto next_goal;
#endif

    // ---- Body

do_COMMIT:
#if REAL
    if (m->attempt.dry) {
        if (!m->real->trial)
            return VM_CONTINUE;
        m->real->settled = true;
        m->real->fits += TRIED() != m->real->trial;
        m->attempt.waits.n = others;
        RETRY();
    }
#endif
#if STAMPED
    if (m->attempt.partial) { // once more, to record all that is read
        m->attempt.whole = true;
        above = NULL;
        goto enter;
    }
#endif
#if REAL
    vm_real_commit(m, goal);
#endif
    m->cells.next = m->cells.made;
    NEXT(1);

do_CONST:
    X(1) = K(2);
    NEXT(3);

do_MOVE:
    X(1) = X(2);
    NEXT(3);

do_NEW:
    X(1) = vm_heap_variable(m, (vm_origin){.clause = pc[2], .index = pc[3]});
    NEXT(4);

do_CONS:
    X(1) = vm_heap_cons(m, X(2), X(3));
    NEXT(4);

do_STRUCT:
    w = vm_heap_struct(m, K(2));
    for (uint32_t i = 0; i < pc[3]; i++)
        vm_words(w)[i + 1] = X(4 + i);
    X(1) = w;
    NEXT(4 + pc[3]);

do_VECTOR: {
    vm_word *elements;
    w = vm_heap_vector(m, pc[2], &elements);
    for (uint32_t i = 0; i < pc[2]; i++)
        elements[i] = X(3 + i);
    X(1) = w;
    NEXT(3 + pc[2]);
}

#if STAMPED // only code for plain runs has them
do_HOLE:
do_PLACE:
do_CONS_TAIL:
do_BIND_CONS:
do_BIND_CONS_TAIL:
do_WHEN_LESS:
do_WHEN_LESS_K:
do_WHEN_GREATER_K:
do_WHEN_SAME:
do_WHEN_SAME_K:
do_ADD:
do_ADD_K:
do_SUB:
do_MUL:
do_MOD:
do_CALC:
do_QUICK:
do_ASSIGN:
do_AWAIT:
do_PASS:
    __builtin_unreachable();
#else
do_HOLE:
    X(1) = PLACE_MADE_AT(2);
    NEXT(4);

do_PLACE: {
    vm_word *words = vm_words(X(2));
    X(1) = (vm_word)(words + pc[3] + (vm_tag(X(2)) == TAG_STRUCT));
    NEXT(4);
}

do_CONS_TAIL: {
    vm_word *words = vm_heap_pair(lists);
    words[0] = X(2);
    words[1] = PLACE_MADE_AT(4);
    X(1) = (vm_word)words | TAG_CONS;
    X(3) = (vm_word)(words + 1);
    NEXT(6);
}

do_BIND_CONS: {
    vm_word *words = vm_heap_pair(lists);
    words[0] = X(4);
    words[1] = X(5);
    w = (vm_word)words | TAG_CONS;
    UNIFY(X(3), w);
    NEXT(6);
}

do_BIND_CONS_TAIL: {
    vm_word *words = vm_heap_pair(lists);
    words[0] = X(4);
    words[1] = PLACE_MADE_AT(6);
    w = (vm_word)words | TAG_CONS;
    vm_word target = X(3);
    X(5) = (vm_word)(words + 1);
    if (vm_tag(target) == TAG_REF && vm_fill(vm_as_var(target), w, own))
        NEXT(8);
    UNIFY(target, w);
    NEXT(8);
}
bind_failed:
    m->end.failure.where = ORIGIN();
    goto failed;

#include "vm/engine/loop_integers.h"

do_ASSIGN:
    w = vm_end_of(X(2));
    if (vm_tag(w) != TAG_REF || !vm_bind_mine(m, vm_as_var(w), X(3)))
        GOTO(pc[1]);
    NEXT(4);

do_AWAIT:
    w = X(1);
    DEREF(w, wait);
    NEXT(2);
wait:
    vm_wait(m, w);
    goto suspend;

do_PASS:
    goto next_goal;
#endif

do_UNIFY:
#if !STAMPED // a variable that nobody waits for gets its value
    w = X(3);
    if (vm_tag(w) == TAG_REF && vm_tag(X(4)) != TAG_REF && vm_fill(vm_as_var(w), X(4), own))
        NEXT(5);
    UNIFY(w, X(4));
#else
    m->reduction.item = pc[2];
    if (!vm_unify(m, X(3), X(4))) {
        m->end.failure.where = ORIGIN();
        goto failed;
    }
#endif
    NEXT(5);

#include "vm/engine/loop_calls.h"

failed:
#if STAMPED
    if (!goal) // a trace begins with the beginning, even if that fails
        REDUCED(m, NULL, m->start.clause);
    m->end.failure.goal = goal;
    return VM_FAILED;
#else
    SETTLE();
    m->end.failure.goal = goal_of_registers(m, predicate, site);
    LEAVE(VM_FAILED);
#endif

do_END:
    if (pc[1] == (STAMPED ? m->start.clause->id : 0)) // plain runs have one
        vm_began(m);
#if !STAMPED
    else
        COUNT();
#endif
#if STAMPED
#if !REAL
    m->cells.made = m->cells.next;
#endif
    REDUCED(m, goal, m->program->clauses[pc[1]]);
    return VM_CONTINUE;
#else
    goto next_goal;
#endif
}
