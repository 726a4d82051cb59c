// SPDX-License-Identifier: MIT
//
// The intermediate representation (IR) of a program: what the analysis makes of the text, and what
// the checker, the compiler, the recorder and the diagnostics read.
//
//   text --reader--> terms with positions --kl1, analyse--> fl_program --compile--> vm_program
//
// Everything lies on the collected heap and lives as long as the program.
#ifndef FLENG_IR_H
#define FLENG_IR_H

#include "vm/goal.h"
#include "vm/program.h"

#include <stdio.h>

// ---- Terms of the text ----------------------------------------------------------------------

typedef enum {
    FL_VAR,    // var: index into the variables of the clause (or of the term being read)
    FL_INT,    // text: digits as vm_make_integer reads them (any size), base 10
    FL_FLOAT,  // number
    FL_ATOM,   // text
    FL_STRING, // text, length
    FL_CONS,   // args[0], args[1]
    FL_STRUCT, // text: name; n args
    FL_VECTOR, // n args
} fl_kind;

typedef struct fl_term {
    fl_kind kind;
    uint32_t line, column; // from 1; column counts characters
    uint32_t var;
    double number;
    const char *text; // NUL-terminated
    size_t length;    // of text
    uint32_t n;
    struct fl_term **args;
} fl_term;

// ---- Clauses --------------------------------------------------------------------------------

typedef struct {
    const char *name; // "_" for an anonymous one
    uint32_t line, column;
    uint32_t head, guard, body; // occurrences
} fl_variable;

typedef enum {
    GUARD_COMPARE, // text `<` ...: args are two expressions
    GUARD_ASSIGN,  // `:=`: args[0] a variable, args[1] an expression
    GUARD_EQUAL,   // ==
    GUARD_DIFFER,  // \=
    GUARD_TYPE,    // integer, float, number, atom, atomic, list, compound, string, vector, wait
    GUARD_UNBOUND,
    GUARD_FUNCTOR,  // functor/3
    GUARD_ARGUMENT, // arg/3
    GUARD_UNIFY,   // `=` of FGHC and KL1: matches a term; new variables get its parts
    GUARD_ORDER,   // @<, @>, @=<, @>=
    GUARD_QUERY,   // number `query` of queries.def: args are its inputs, then its outputs
    GUARD_FAIL,    // a test that can never hold
    GUARD_OR,      // alternatives
} fl_guard_kind;

typedef struct fl_guard {
    fl_guard_kind kind;
    const char *name; // as written: "<", "integer", ...
    uint32_t line, column;
    uint32_t n;
    fl_term **args;
    uint32_t query; // GUARD_QUERY
    // GUARD_OR: each alternative is a conjunction
    uint32_t nalternatives;
    struct fl_guards *alternatives;
} fl_guard;

typedef struct fl_guards {
    uint32_t n;
    fl_guard **at;
} fl_guards;

// Priority of a goal. It changes only the order in which a plain run takes goals.
typedef struct {
    vm_priority_kind kind;
    fl_term *value; // an integer or a variable; not of PRIORITY_INHERITED
} fl_priority;

typedef struct fl_item { // a goal of the body; `true` is left out
    bool unify;               // args[0] = args[1]
    vm_predicate *predicate;  // else
    fl_priority priority;
    uint32_t line, column;
    uint32_t n;
    fl_term **args;
} fl_item;

typedef struct {
    vm_predicate *predicate;
    uint32_t number;            // from 1 within its predicate
    uint32_t source;            // index into fl_program.sources
    uint32_t line, column, end_line;
    bool after_otherwise;       // `otherwise.` precedes this clause
    bool after_alternatively;   // likewise
    uint32_t nvariables;        // in order of first occurrence in the clause
    fl_variable *variables;
    fl_term **head;             // predicate->arity of them
    fl_guards guards;
    uint32_t nitems;
    fl_item *items;
} fl_clause;

typedef struct fl_source fl_source; // reader/source.h

typedef struct {
    vm_predicate *predicate;
    uint32_t nclauses;
    fl_clause **clauses; // in the order of the text
} fl_procedure;

typedef struct {
    uint32_t nsources;
    fl_source *sources;
    uint32_t npredicates; // built-ins (vm_nbuiltins) first, then those of the program
    vm_predicate **predicates;
    uint32_t nprocedures;
    fl_procedure *procedures; // the program's own predicates
    fl_clause *beginning;     // body of -e, or the goal main; head empty; predicate `$goal`/0
    struct fl_names *names;   // what `find` looks in
    // vm_program.find, with the program as data: the predicate that a goal made at run time calls.
    vm_predicate *(*find)(void *program, const char *module, const char *name, uint32_t arity);
    struct fl_analysis *analysis; // of a program that is added to (additions.h), else NULL
} fl_program;

#endif
