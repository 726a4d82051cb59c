// SPDX-License-Identifier: MIT
//
// Programs as the engine runs them: predicates, clauses, the patterns of their heads. The compiler
// makes a program and owns it; the engine only reads it. Instructions are in vm/code.h, the table
// of the built-in predicates is vm/builtins.def.
#ifndef VM_PROGRAM_H
#define VM_PROGRAM_H

#include "vm/term.h"

typedef struct vm_predicate vm_predicate;
typedef struct vm_clause vm_clause;

// The pattern of a head argument, as data. The slow matcher, `otherwise` and the diagnostics read
// it. Clause variables are registers.
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

typedef struct vm_site { // the position of a body item in the text
    uint32_t line, column;
    const vm_pattern *expression; // of `X := E`: E as written; NULL for all others
    bool queued; // a goal with a priority of its own
} vm_site;

// How a goal gets its priority, in a program that uses priorities. (The ideal machine has a
// processor for every goal and ignores priorities.)
typedef enum {
    PRIORITY_INHERITED, // from its parent
    PRIORITY_ABSOLUTE,
    PRIORITY_LOWER, // than its parent's
} vm_priority_kind;

// ---- Built-in predicates ------------------------------------------------------------------------

// How a built-in ends.
typedef enum {
    VM_DONE,
    VM_WAIT, // vm_wait() was called for each variable it needs; nothing was changed
    VM_FAIL, // vm_error() said why: the run fails
    VM_HALT, // ends the run (halt/0,1)
} vm_result;

typedef vm_result (*vm_builtin)(vm_machine *m, vm_word *args);
struct vm_goal; // vm/goal.h

// One line of vm/builtins.def. All that the engine, the checker and the prompt know of a built-in
// they read here. A member that the line does not mention is false or NULL.
typedef struct vm_builtin_entry {
    const char *name;
    uint32_t arity;
    vm_builtin function;
    const char *modes; // one letter for each argument: see builtins.def
    bool calls;        // call/N: its first argument is a goal
    // Of a built-in with one result, its first argument if that is an output, else its last: computes it
    // in a plain run from the other arguments, without a goal. False: the goal has to do it.
    bool (*quick)(vm_machine *m, const vm_word *in, vm_word *ret_result);
    uint32_t quick_without; // argument (from 1) that it does not set, so that nobody may use it; 0: none
    bool serial;       // shares files or other state with others: one worker at a time
    bool reads_input;  // waits for standard input; other workers go on meanwhile
    // The progress of a goal (vm_goal.progress) survives an undo at the prompt. Otherwise it is
    // only a search for unbound variables, which begins anew.
    bool keeps_progress;
    void (*rewind)(void *progress); // makes a search within kept progress begin anew
    // A goal that waits for this is idle: the run has ended, and there is no deadlock.
    bool (*is_idle)(const struct vm_goal *goal);
    // State that the goal shares with others: a copy of it, to be put back at an undo. NULL: none.
    void *(*save)(const struct vm_goal *goal);
    void (*restore)(const struct vm_goal *goal, const void *saved);
} vm_builtin_entry;

struct vm_predicate {
    const char *module; // NULL for a built-in
    const char *name;
    uint32_t arity;
    uint32_t id;       // number in the program, built-ins first
    uint32_t code;     // entry
    uint32_t chains;   // where the code that selects one of its clauses begins
    int64_t cost;      // virtual time of one reduction
    vm_builtin builtin; // NULL for a program's own
    const vm_builtin_entry *entry; // of a built-in; NULL for a program's own
    bool made;          // by the compiler, for one assignment of the text (plain runs)
    bool small;         // a goal takes few reductions with all that it makes, whatever its arguments are
    uint64_t needs;     // bit i: without argument i a goal only waits, or makes goals that wait
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

#endif
