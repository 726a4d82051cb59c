// SPDX-License-Identifier: MIT
//
// The machine's state and what built-in predicates may do with it (private to vm/).
//
// Life of a goal:
//
//   created --> READY --a clause commits--> FREE (the record goes to the free list)
//                 ^ |
//                 | +--no clause commits, some wait--> SUSPENDED
//                 |                                        |
//                 +---- first variable bound (hook.life == goal.life)
//
// A goal that waits for several variables hangs on each; waking it counts goal.life up, which makes
// its other hooks stale. Goal records live in slabs that are never freed, so a stale hook may
// always look at the record it names, and the goals that wait at the end are found by walking the
// slabs.
//
// Workers. A machine is one worker; several share a team (team.h). Who may write what:
//
//   goal record   READY, FREE: the worker that has it. SUSPENDED: whoever changes goal.life from
//                 the hook's value to READY (compare-and-swap) has it from then on.
//   variable      whoever changes its value from TAG_HOOK (compare-and-swap): to a longer list of
//                 hooks, or, once, to a term; the latter also wakes the hooks it found there.
//   all else in a machine: its own worker only.
//
//   worker A: suspend on x                          worker B: bind x
//     goal.life := SUSPENDED n                        swap x: hooks -> term
//     swap x: hooks -> goal's hook + hooks            for each hook: swap goal.life:
//       lost to a term: swap goal.life:                 SUSPENDED n -> READY n+1, push the goal
//       SUSPENDED n -> READY n+1, push the goal
//
// Either A's swap of x comes first, and B finds the hook; or B's, and A sees the term. Both may try
// to wake the goal, one of them succeeds.
#ifndef VM_MACHINE_H
#define VM_MACHINE_H

#include "vm/code.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/print.h"
#include "vm/run.h"
#include "vm/schedule/calendar.h"
#include "vm/schedule/worker.h"
#include "vm/term/heap.h"

enum { GOAL_FREE, GOAL_READY, GOAL_SUSPENDED, GOAL_STATES = 4 };

static inline uint64_t vm_get_life(const vm_goal *goal)
{
    return __atomic_load_n(&goal->life, __ATOMIC_RELAXED);
}

static inline uint32_t vm_goal_state(const vm_goal *goal)
{
    return (uint32_t)(vm_get_life(goal) % GOAL_STATES);
}

static inline uint64_t vm_life_in(uint64_t life, uint32_t state)
{
    return life - life % GOAL_STATES + state;
}

// By the worker that has the goal. Another one that comes by a stale hook may look at the same
// moment: hence atomic, on the usual processors by plain loads and stores.
static inline void vm_set_life(vm_goal *goal, uint64_t life)
{
    __atomic_store_n(&goal->life, life, __ATOMIC_RELAXED);
}

// In the list of a variable the newest hook is first. Where goals that hang on it are woken
// otherwise, stale hooks gather; so whoever adds one to a list that has become twice as long since
// it was last swept takes stale ones out. Others may be doing the same, or walking along the list:
// a `next` only ever moves on, past hooks that are stale for good.
typedef struct vm_hook {
    struct vm_hook *next;
    vm_goal *goal;
    uint64_t life; // of the goal while it hangs here
    uint32_t length; // of the list from here on, when the hook was hung, stale ones included
    uint32_t swept;  // what the length was after the last sweep
} vm_hook;

// A disjunction of a guard that is being tried.
typedef struct {
    uint32_t label; // next alternative
    bool waited;    // one of those before waits
    uint32_t waits; // listed before it
} vm_either;

// The attempt under way: what it looked at, what it needs. The loops and the matcher own it.
typedef struct {
    vm_goal *goal; // stamped: the goal that may reduce now; NULL: none
    int64_t limit; // stamped: a binding is visible if its time <= limit
    ARRAY_OF(vm_var *) reads;
    ARRAY_OF(vm_var *) waits;
    ARRAY_OF(vm_either) either;
    vm_word *first; // match.c: by register
    bool dry;       // only to see what a goal waits for
} vm_attempt;

// The reduction under way, after its commit, or the built-in that runs. What the recorder is told.
typedef struct {
    int64_t now;   // stamped: its virtual time
    vm_goal *goal; // of a built-in
    uint32_t item; // body item being made
    ARRAY_OF(vm_var *) followed;
    ARRAY_OF(vm_binding) bindings;
    ARRAY_OF(vm_goal *) goals;
    uint32_t next_goal, next_mark;
    int32_t next_priority; // of the goal that SPAWN_AT makes
} vm_reduction;

// Where the values of the goal that runs are while it runs.
typedef struct {
    vm_word *registers;
    vm_word *arguments; // of the goal that EXEC goes on with
    uint32_t room;      // of each of these and of attempt.first
} vm_frame;

// How the run begins.
typedef struct {
    const vm_clause *clause; // its body is made first
    bool made;               // that was done
    vm_word *results;        // registers that are kept of it
} vm_start;

// How the run ends.
typedef struct {
    vm_failure failure;
    int halt_status;
    vm_machine *by; // the worker whose failure or halt ended the run
} vm_end;

// Changes the order of the goals that are about to be tried at one step.
typedef void (*vm_arrange)(vm_machine *m, vm_goal **batch, uint32_t n);

// What built-ins keep between their goals.
typedef struct {
    vm_arrange arrange; // ideal runs: puts the goals of a step in order; NULL: they are
    uint32_t timers; // goals of timers that are made anew until their time has come
    struct vm_output *output; // standard output and error, other open files
} vm_builtin_state;

struct vm_machine {
    vm_cells cells; // first: vm_cells_of()
    const vm_program *program;
    vm_options options;
    bool stamped;
    bool ideal;           // stamped, not real
    struct vm_real *real; // of a real stamped run (real.h)
    vm_attempt attempt;
    vm_reduction reduction;
    vm_worker worker;     // which goal runs next, and the place in the team
    vm_calendar calendar; // the same on the ideal machine
    vm_frame frame;
    vm_start start;
    vm_end end;
    vm_builtin_state builtins;
    vm_memory_way way; // when memory is exhausted
    vm_machine **machines; // of all workers of the run, by number
    uint32_t nmachines;
    struct vm_slabs *slabs;
};

bool vm_is_interrupted(void);

// ---- What a built-in may call ---------------------------------------------------------------
//
// A built-in first looks (vm_deref, vm_number...), returns VM_WAIT if something it needs is
// unbound (having called vm_wait for it), and only then acts (vm_unify, vm_make_*, vm_spawn,
// output). Looking records reads; acting records bindings, cells and goals. All work on plain and
// stamped runs alike.

// Follows a chain of bound variables to its end, recording the bindings read. The result is a
// non-variable or an unbound variable (vm_is_var; in stamped runs also one bound later than
// visible). A built-in that needs the value of a variable calls vm_wait.
vm_word vm_deref(vm_machine *m, vm_word w);
vm_result vm_wait(vm_machine *m, vm_word variable); // returns VM_WAIT
// Says why the goal fails; culprit may be 0. Returns VM_FAIL.
vm_result vm_error(vm_machine *m, vm_word culprit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same, of a built-in that was to call a predicate that does not exist. module: where it was
// looked for; NULL: in the program.
vm_result vm_undefined(vm_machine *m, vm_word culprit, const char *module, const char *name,
                       uint32_t arity);

// X = T as the body does it. False: does not unify (the failure is recorded).
bool vm_unify(vm_machine *m, vm_word left, vm_word right);
// vm_unify as the last act of a built-in.
static inline vm_result vm_return(vm_machine *m, vm_word left, vm_word right)
{
    return vm_unify(m, left, right) ? VM_DONE : VM_FAIL;
}

// New terms: vm_make_* of vm.h with this machine, and those of heap.h.

// Creates a goal. progress: handed to it in vm_goal.progress.
void vm_spawn(vm_machine *m, vm_predicate *p, const vm_word *args, void *progress);
// The same, with a priority of its own.
void vm_spawn_at(vm_machine *m, vm_predicate *p, const vm_word *args, int32_t priority);
vm_predicate *vm_builtin_predicate(vm_machine *m, vm_builtin function);

// Leaves the built-in unless `look` ended with VM_DONE.
#define NEED(look)                                                                                 \
    do {                                                                                           \
        vm_result need_ = (look);                                                                  \
        if (need_ != VM_DONE)                                                                      \
            return need_;                                                                          \
    } while (0)

// Progress of the goal that runs (kept while it waits).
static inline void **vm_progress(vm_machine *m)
{
    return &m->reduction.goal->progress;
}

// Equality as guards, repeated head variables and \= decide it (compare.c).
typedef enum { VM_EQUAL, VM_DIFFERENT, VM_UNDECIDED } vm_comparison;
// Records every binding looked at if equal; if different, the path to the first difference only;
// if undecided, vm_wait is called for the variables it depends on.
vm_comparison vm_compare(vm_machine *m, vm_word a, vm_word b);

// Of two non-variables: equal constants (numbers, atoms, strings)?
bool vm_equal_constants(vm_word a, vm_word b);
bool vm_same_shape(vm_word a, vm_word b); // compounds with the same functor or length

// ---- Arithmetic (arith.c) -------------------------------------------------------------------

typedef enum {
    ARITH_OK,
    ARITH_WAIT,
    ARITH_ERROR, // *ret_culprit, reason
} vm_arith_status;

// Value of an expression term: functor first, operands left to right, the first unbound or wrong
// one decides. Iterative. *ret_value is an integer or float word. On ARITH_WAIT vm_wait was called.
// written: the expression as the program has it: where it has a variable only a number will do,
// whatever term the variable was replaced by; NULL: it is a term that was called, and the terms its
// variables are bound to are part of it.
vm_arith_status vm_evaluate(vm_machine *m, vm_word expression, const vm_pattern *written,
                            vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit);

// Applies operator op to numbers (the guard code's way in). *ret_reason on error.
vm_arith_status vm_arith_apply(int op, const vm_word *operands, vm_word *ret_value,
                               const char **ret_reason);
bool vm_is_number(vm_word w); // small or big integer, float
int vm_number_compare(vm_word a, vm_word b); // -1, 0, 1; 2: unordered (NaN)

// What the machine knows of the reduction that it just made.
static inline vm_event vm_event_of(const vm_machine *m, const vm_goal *goal,
                                   const vm_clause *clause)
{
    return (vm_event){
        .goal = goal,
        .clause = clause,
        .time = m->reduction.now,
        .nreads = m->attempt.reads.n,
        .nfollowed = m->reduction.followed.n,
        .nbindings = m->reduction.bindings.n,
        .reads = m->attempt.reads.at,
        .followed = m->reduction.followed.at,
        .bindings = m->reduction.bindings.at,
        .registers = m->frame.registers,
        .ncells = m->cells.list.n,
        .ngoals = m->reduction.goals.n,
        .cells = m->cells.list.at,
        .goals = m->reduction.goals.at,
    };
}

// Around a built-in of the kind that changes what all workers share, as streams are: no two of them
// reduce at a time. One that is going to read standard input waits for it before.
void vm_serial_begin(vm_machine *m, const vm_goal *goal);
void vm_serial_end(vm_machine *m);

#endif
