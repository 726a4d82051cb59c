// SPDX-License-Identifier: MIT
//
// vm: terms, code, the machine that reduces, built-in predicates. It knows nothing of syntax or of
// trace files: `fleng/` gives it a program and, for a traced run, a recorder.
//
// A run is plain (goals in whatever order is fast) or stamped: every binding with its virtual time
// (time-and-trace: a goal reduces at cost + max(created, times of the bindings its commit read)). A
// stamped run is ideal, generation by generation in the order of virtual time, or real: workers
// reduce in whatever order is fast, and the stamps are computed along the flow of data.
#ifndef VM_H
#define VM_H

#include "vm/term/term.h"

#include <pthread.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------
// Programs

typedef struct vm_machine vm_machine;
typedef struct vm_predicate vm_predicate;
typedef struct vm_clause vm_clause;

// The pattern of a head argument, as data: what the slow matcher, `otherwise` and the diagnostics
// read. Clause variables are registers.
typedef enum {
    PATTERN_VOID,  // a variable that occurs nowhere else
    PATTERN_FIRST, // first occurrence of register reg
    PATTERN_AGAIN, // equal to register reg
    PATTERN_CONST, // equal to constant (any term without variables or arguments)
    PATTERN_CONS,  // children[0..1]
    PATTERN_STRUCT, // constant is the functor
    PATTERN_VECTOR, // n children
} vm_pattern_kind;

typedef struct vm_pattern {
    vm_pattern_kind kind;
    uint32_t reg;
    vm_word constant;
    uint32_t n;
    struct vm_pattern **children;
} vm_pattern;

struct vm_clause {
    vm_predicate *predicate;
    uint32_t id;     // number in the program
    uint32_t number; // 1.. within the predicate
    uint32_t source, line, column, end_line;
    vm_pattern **head;  // predicate->arity of them
    uint32_t nnames;
    const char **names; // clause variables, by index (vm_origin.index)
    uint32_t nitems;    // goals of the body in the order of the text (`=` included)
    const struct vm_site *sites;
    uint32_t code;      // where its code begins (its TRY) in vm_program.code
    uint32_t registers; // it uses
    void *info;         // the compiler's
};

typedef struct vm_site { // where a body item stands in the text
    uint32_t line, column;
    const vm_pattern *expression; // of `X := E`: E as written; NULL for all others
    bool queued; // a goal with a priority of its own
} vm_site;

// How a goal comes by its priority, in programs that have some. (The ideal machine has a processor
// for every goal, and need not know.)
typedef enum {
    PRIORITY_INHERITED, // from its parent
    PRIORITY_ABSOLUTE,
    PRIORITY_LOWER, // than its parent's
} vm_priority_kind;

// How a built-in ends.
typedef enum {
    VM_DONE,
    VM_WAIT, // vm_wait() was called for each variable it needs; nothing was changed
    VM_FAIL, // vm_error() said why: the run fails
    VM_HALT, // ends the run (halt/0,1)
} vm_result;

typedef vm_result (*vm_builtin)(vm_machine *m, vm_word *args);

struct vm_predicate {
    const char *module; // NULL for a built-in
    const char *name;
    uint32_t arity;
    uint32_t id;       // number in the program, built-ins first
    uint32_t code;     // entry
    uint32_t chains;   // where the code that selects one of its clauses begins
    int64_t cost;      // virtual time of one reduction
    vm_builtin builtin; // NULL for a program's own
    bool made;          // by the compiler, for one assignment of the text (plain runs)
    bool serial;        // a built-in that shares state: one worker at a time
    bool library;       // of the language's library, not the program's own
    uint32_t nclauses;
    vm_clause **clauses;
};

typedef struct {
    vm_predicate **predicates; // built-ins first: predicates[i]->id == i
    uint32_t npredicates;
    vm_clause **clauses; // clauses[i]->id == i; 0 is the beginning (-e, or main)
    uint32_t nclauses;
    uint32_t *code; // see code.def
    size_t ncode;
    vm_word *constants;
    size_t nconstants;
    uint32_t registers; // most registers any clause uses
    bool has_priorities; // some goal is created with a priority of its own (SPAWN_AT)
    const char **sources; // names, by clause->source
    // Finds what `call` calls: module may be NULL (the program's default). NULL if there is none.
    vm_predicate *(*find)(void *data, const char *module, const char *name, uint32_t arity);
    void *find_data;
    // Reads a term from text (term_string, read_terms): 1 and *ret_term, 0 at the end, -1 error.
    int (*read_term)(vm_machine *m, const char **text, const char *end, vm_word *ret_term);
    // The first syntax error in a text, as LINE:COLUMN: reason (malloc'ed), and in *ret_term where
    // the term it is in begins; NULL if there is none. May be NULL: places of errors are not told.
    char *(*syntax_error)(const char *text, const char *end, const char **ret_term);
} vm_program;

// Built-in predicates, in the order of their numbers.
typedef struct {
    const char *name;
    uint32_t arity;
    vm_builtin function;
    bool serial; // shares files or other state with others: one worker at a time
} vm_builtin_entry;
extern const vm_builtin_entry vm_builtins[];
extern const uint32_t vm_nbuiltins;

// ---------------------------------------------------------------------------------------------
// Instructions (code.def): every operand is one uint32_t after the opcode

typedef enum {
#define OP(name, operands, text) OP_##name,
#include "vm/code/code.def"
#undef OP
    OP_COUNT
} vm_opcode;

typedef enum { // type tests of guards
#define TEST(name, text) VM_TEST_##name,
#include "vm/code/tests.def"
#undef TEST
} vm_test;

typedef enum { // guards that look into terms
#define QUERY(name, text, inputs, outputs, meaning) VM_QUERY_##name,
#include "vm/code/queries.def"
#undef QUERY
} vm_query_kind;

int vm_test_number(const char *name); // a vm_test; -1: no test has this name
uint32_t vm_query_inputs(vm_query_kind query);
uint32_t vm_query_outputs(vm_query_kind query);

extern const char *const vm_op_names[];    // by opcode
extern const char *const vm_op_operands[]; // letters: see code.def

// Writes one instruction to out, and what it does; returns its length in words. names may be NULL.
typedef struct {
    const char *(*name_register)(void *data, uint32_t reg); // NULL result: it has none; may be NULL
    void *data;
    const bool *target; // by position: something goes on there; may be NULL
} vm_code_names;
uint32_t vm_disassemble(const vm_program *p, uint32_t at, const vm_code_names *names, FILE *out);
bool *vm_jump_targets(const vm_program *p); // of code that is verified
// Checks operands, targets and register bounds. NULL, or what is wrong (malloc'ed).
char *vm_verify(const vm_program *p);

// Where the variable was created. False: unknown, it lives in a place of a structure.
bool vm_get_origin(const vm_var *v, vm_origin *ret);

// Operators of expressions, by functor word; -1 if it is none.
int vm_arith_operator(vm_word functor);
const char *vm_arith_name(int op);
bool vm_arith_needs_integers(int op); // all its operands must be integers

// ---------------------------------------------------------------------------------------------
// Memory: the one allocation seam (Boehm GC)

void vm_memory_init(void);
void *vm_alloc(size_t bytes);        // zeroed, scanned
void *vm_alloc_atomic(size_t bytes); // not zeroed, holds no pointers
void vm_memory_limit(size_t bytes);  // of the heap; a run that needs more fails (FAIL_MEMORY)
size_t vm_memory_used(void); // bytes in use or not yet collected; for signal handlers, too
void vm_gc_stress(unsigned every);   // collect at every Nth allocation; 0: off
// A thread that may use all of this beside the workers. It ends where it finds no memory within the
// limit. False: there is none.
bool vm_start_thread(pthread_t *ret, void (*work)(void *data), void *data);

// ---------------------------------------------------------------------------------------------
// Running

// A reduction of a real stamped run, as those know it that come from it. The first three never
// change once others can see it. What is the recorder's is seen by others when it is complete.
typedef struct vm_stamp {
    int64_t time;
    struct vm_stamp *parent; // that created its goal; NULL: the beginning
    uint32_t item;           // its goal is this one of the parent's, from 0
    uint32_t first_goal;     // the recorder's; UINT32_MAX to begin with
    void *record;            // the recorder's
} vm_stamp;

// Which of two reductions is earlier in the order of the ideal machine: by time, and at one time
// the one whose goal is older. Negative, 0 (the same one) or positive.
int vm_stamp_compare(const vm_stamp *a, const vm_stamp *b);

typedef struct vm_goal {
    vm_predicate *predicate;
    struct vm_goal *next; // in whatever list it is
    uint64_t life;        // state and number of suspensions: see machine.h
    vm_origin site;       // clause and item that created it
    uint32_t id;          // stamped: number in order of creation; real: among its parent's goals
    uint32_t nargs;
    union {
        int64_t created;  // stamped
        vm_stamp *parent; // real: that created it
    };
    uint32_t module;      // of a run with a profile
    int32_t priority;     // plain and real runs of programs that have priorities
    void *progress;       // a built-in's state between attempts, or shared by its goals (merge)
    vm_word args[];
} vm_goal;

typedef struct {
    vm_var *variable;
    vm_word value;
    uint32_t item;
} vm_binding;

// A cell made by a built-in: object, or (vector updates) what it was made from.
typedef struct {
    vm_word object;
    vm_vector *older; // object is older with element index replaced by element
    size_t index;
    vm_word element;
} vm_cell;

// What a real run does on behalf of an earlier-made reduction: `maker` follows or (value != 0)
// binds the variable (unify.c says when).
typedef struct {
    vm_stamp *maker;
    vm_var *variable;
    vm_word value;
    uint32_t item;
} vm_late;

// One reduction of a stamped run, as the recorder sees it. All pointers are the machine's and
// valid during the call only.
typedef struct {
    const vm_goal *goal;     // NULL for the beginning
    const vm_clause *clause; // NULL for a built-in
    int64_t time;
    uint32_t nreads, nfollowed, nbindings;
    vm_var *const *reads;    // in the order of looking; in ideal runs without duplicates
    vm_var *const *followed;
    const vm_binding *bindings;
    const vm_word *registers; // clause variables
    uint32_t ncells, ngoals;  // built-ins only
    const vm_cell *cells;
    vm_goal *const *goals;
    // Real runs only. Cells are numbered by each machine for itself: VM_CELL_MACHINE and, in order
    // of creation, VM_CELL_COUNT.
    vm_stamp *stamp;
    uint32_t machine, worker; // which thread reduced; which worker that was (seeded: a virtual one)
    int64_t start, end;       // nanoseconds since the run began
    uint64_t first_cell, end_cell; // of this reduction: [first, end)
    uint32_t nlate;
    const vm_late *late;
} vm_event;

#define VM_CELL_MACHINE(number) ((uint32_t)((number) >> 48))
#define VM_CELL_COUNT(number) ((number) & (((uint64_t)1 << 48) - 1))
#define VM_CELL_FIRST(machine) ((uint64_t)(machine) << 48)

// In a real run the machines call it at the same time, each for its own reductions.
typedef struct {
    void *data;
    void (*reduction)(void *data, const vm_event *event);
    // Zeroed memory for stamps, kept to the end of the process; NULL: the collector gives some. Of
    // a real run.
    void *(*take_room)(void *data, size_t bytes);
} vm_recorder;

// Figures of a stamped run by module, counted as it goes: P(t), the goals of the module reduced at
// step t, and W(t), those created before t and not reduced by t; as sums over buckets of `width`
// steps, bucket i covering [1 + i * width, 1 + (i + 1) * width). A goal is of the module its
// predicate is an entry of, else of that of the goal whose reduction creates it.
#define VM_NO_MODULE UINT32_MAX

typedef struct {
    uint64_t suspended;  // goals never reduced
    int64_t first, last; // steps of the first and last reduction; 0: none
    uint64_t peak;       // largest P(t)
    uint64_t *reduced;   // P
    uint64_t *waiting;   // W
} vm_profile_row;

typedef struct {
    uint32_t nmodules;    // 0: of the goals of the beginning that are no entries
    vm_profile_row *rows; // by module, then one of all together; valid after the run
    int64_t span, width;
    uint32_t nbuckets;
    struct vm_profile_state *state;
} vm_profile;

// entries: by predicate id, a module below nmodules or VM_NO_MODULE; kept. NULL without memory.
vm_profile *vm_profile_create(const uint32_t *entries, uint32_t nmodules);
void vm_profile_destroy(vm_profile *p);

// How far a run is. In a run with several workers the figures need not be of the same moment.
typedef struct {
    uint64_t reductions; // plain: at most a few thousand per worker may be missing
    uint64_t ready;      // goals that run or could
    uint64_t waiting;    // suspended goals
    int64_t now;       // virtual time; 0 in plain runs
    size_t memory;     // bytes
} vm_progress_report;

typedef struct {
    bool stamped;            // ideal machine
    bool real;               // stamped: the parallel run with stamps
    uint32_t workers;        // threads that reduce, but in ideal runs or with a limit (0 counts as 1)
    bool together;           // plain: all of them from the beginning on (to test them)
    bool seeded;             // not in ideal runs: as many virtual workers on one thread,
    uint64_t seed;           // scheduled by this number
    uint64_t limit;          // reductions; 0: none
    int64_t until;           // virtual time; 0: none
    vm_recorder *recorder;   // NULL: not traced (stamped runs only)
    vm_profile *profile;     // NULL: none (stamped runs only)
    int argc;                // for argv/1
    char **argv;
    uint32_t result_registers; // registers of the beginning kept for vm_results()
} vm_options;

typedef enum {
    END_NORMAL,
    END_FAILED,
    END_HALTED,
    END_STOPPED,
    END_DEADLOCK,
    END_INTERRUPTED, // vm_interrupt() was called
} vm_ending;

// What went wrong, for diagnostics.
typedef enum { FAIL_NONE, FAIL_NO_CLAUSE, FAIL_UNIFY, FAIL_BUILTIN, FAIL_MEMORY } vm_failure_kind;
typedef struct {
    vm_failure_kind kind;
    vm_goal *goal;       // that failed (a copy of its arguments in any case); FAIL_MEMORY: or NULL
    vm_origin where;     // clause and item of a failed `=`
    vm_word left, right; // FAIL_UNIFY: the terms; FAIL_BUILTIN: the culprit in left (or 0)
    char *reason;        // FAIL_BUILTIN, malloc'ed
} vm_failure;

vm_machine *vm_create(const vm_program *p, const vm_options *o);
void vm_destroy(vm_machine *m);
vm_ending vm_run(vm_machine *m);
// Ends the runs of this process soon, between two reductions. A signal handler may call it.
void vm_interrupt(void);
void vm_clear_interrupt(void); // forgets that it was called
void vm_how_far(const vm_machine *m, vm_progress_report *ret); // a signal handler may call it

// Writes what is buffered, to files too. NULL, or what could not be written and why (malloc'ed).
char *vm_finish_output(vm_machine *m);
const vm_failure *vm_get_failure(const vm_machine *m);
int vm_halt_status(const vm_machine *m);
uint64_t vm_reductions(const vm_machine *m);
int64_t vm_now(const vm_machine *m);              // virtual time reached
const vm_word *vm_results(const vm_machine *m);   // registers of the beginning
// Goals that wait, oldest first where that is known. *ret_n of them, in one block.
vm_goal **vm_suspended(vm_machine *m, size_t *ret_n);
// Those that ran or could run when the run ended, or that will run next (vm_go_on).
vm_goal **vm_ready(vm_machine *m, size_t *ret_n);
// Of a real stamped run: reductions at which the schedule decided: another clause would have
// fitted, too, by the bindings that the goal could see at its time, or its `=` met a variable that,
// by virtual time, was bound later. Once, after the run.
uint32_t vm_count_races(vm_machine *m);
// The stamps of its completed reductions, in no order: malloc'ed; NULL without memory. While the
// run goes on it may be called by one more thread, and what the recorder put down of these can be
// read.
vm_stamp **vm_stamps(const vm_machine *m, size_t *ret_n);
// Variables a suspended goal waits for (found by trying it again). Valid until the next call.
vm_var **vm_goal_waits(vm_machine *m, vm_goal *goal, size_t *ret_n);

// ---- Machines that go on (session.c): stamped ones only ----

// From now on the machine's program is p: the one before with predicates, clauses, code and
// constants added behind its own.
void vm_extend(vm_machine *m, const vm_program *p);
// The next step makes the body of the clause, at the time reached, with `values` for the variables
// in its head (predicate->arity of them).
void vm_begin(vm_machine *m, const vm_clause *clause, const vm_word *values);
vm_word vm_session_variable(vm_machine *m, vm_origin origin); // a new one
// Makes what vm_begin asked for or, after that, reduces one generation. False: the run is over with
// *ret_ending (END_DEADLOCK: goals wait, and no other is left).
bool vm_go_on(vm_machine *m, vm_ending *ret_ending);
uint32_t vm_cells_made(const vm_machine *m); // a variable made from now on has at least this number
uint32_t vm_goals_made(const vm_machine *m); // likewise a goal
// Writes what is buffered. True if standard output does not end with the end of a line.
bool vm_flush_output(vm_machine *m);

// What waits, while nothing is ready.
typedef struct vm_saved vm_saved;
vm_saved *vm_save(vm_machine *m);
// Back to a saved state (NULL: nothing waits), whatever was going on: the goals made since are
// dropped, those of then are ready (and will wait again). `bound`: the variables bound since, of
// those that were made before; they are unbound again.
void vm_restore(vm_machine *m, const vm_saved *saved, vm_var *const *bound, size_t nbound);
// Has the goals that wait go on with the predicates that find names for theirs (NULL: their own).
void vm_redirect(vm_machine *m, vm_predicate *(*find)(void *data, vm_predicate *old), void *data);

// Why a clause does not fit a goal, for diagnostics.
typedef struct {
    bool fails;               // else it waits, or would commit
    uint32_t argument;        // 1.. of the head mismatch; 0: a guard failed
    const vm_pattern *wanted; // the pattern that did not match
    vm_word found;
    const vm_word *values; // by clause variable: what it matched, 0: nothing; until the next call
} vm_mismatch;
void vm_explain(vm_machine *m, const vm_goal *goal, const vm_clause *clause,
                vm_mismatch *ret_mismatch);

// Looking at terms and trying guards when a run is over: every binding is followed, nothing is
// changed. Terms given to these are results of vm_value or any others.
vm_word vm_value(vm_word w); // the end of its chain: no variable, or an unbound one
// Arguments of a compound (cons, structure, vector), from 0; -1 arguments: not a compound.
int64_t vm_arguments(vm_word w);
vm_word vm_argument(vm_word w, uint32_t i);
// The object of *ret_n words in which a variable lives that has no memory of its own, an argument's
// place in a cons or structure of a plain run. False: it has.
bool vm_get_home(const vm_var *v, const vm_word **ret_words, size_t *ret_n);

typedef enum { VM_LOOK_HOLDS, VM_LOOK_FAILS, VM_LOOK_WAITS } vm_look;
// The number an expression stands for; written as in vm_site, or NULL. If it fails, *ret_reason and
// *ret_culprit (the operand, or the operation) are set.
vm_look vm_look_number(vm_machine *m, vm_word expression, const vm_pattern *written,
                       vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit);
int vm_look_order(vm_word left, vm_word right); // of numbers: -1, 0, 1; 2: one is no number (NaN)
vm_look vm_look_equal(vm_machine *m, vm_word left, vm_word right);
vm_look vm_look_test(const char *name, vm_word w); // of a vm_test
void vm_look_functor(vm_word w, vm_word *ret_name, vm_word *ret_arity);

// ---------------------------------------------------------------------------------------------
// Text of terms (print.c): iterative, any depth and length

typedef struct {
    bool quoted;       // as the reader reads it (print), else as write does
    uint32_t max_cells; // abbreviate with ... beyond; 0: whole
    // Name of an unbound variable; NULL: _1, _2, ... in order of occurrence.
    const char *(*variable_name)(void *data, const vm_var *v);
    void *data;
} vm_print_options;

// malloc'ed, NUL-terminated; *ret_length may be NULL.
char *vm_term_text(vm_machine *m, vm_word term, const vm_print_options *o, size_t *ret_length);

// ---------------------------------------------------------------------------------------------
// For terms built from outside (constants of the program, results of read_term)

vm_word vm_make_integer(const char *digits, int base); // any size; digits may begin with '-'
vm_word vm_make_float(double d);
vm_word vm_make_string(const char *text, size_t length);
vm_word vm_make_cons(vm_machine *m, vm_word head, vm_word tail); // m NULL: plain, at compile time
vm_word vm_make_struct(vm_machine *m, vm_word functor, const vm_word *args);
vm_word vm_make_vector(vm_machine *m, const vm_word *elements, size_t n);
vm_word vm_make_variable(vm_machine *m, vm_origin origin);
vm_word vm_vector_get(const vm_vector *v, size_t index); // from 0; any version, by any worker

#endif
