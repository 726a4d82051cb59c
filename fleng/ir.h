// SPDX-License-Identifier: MIT
//
// The clause IR: what the reader and checker hand to the compiler (private to fleng/).
//
//   source text --lex, parse--> terms with positions --analyse--> fl_program --compile--> vm_program
//
// Everything is allocated from the collected heap (vm_alloc) and lives as long as the program.
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
    GUARD_UNIFY,   // `=` of FGHC and KL1: a term is taken apart, variables that are new get its parts
    GUARD_ORDER,   // @<, @>, @=<, @>=
    GUARD_QUERY,   // number `query` of queries.def: args are its inputs, then what it gives
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

// Priority of a goal. It changes nothing but the order in which a plain run takes goals.
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
    bool after_otherwise;       // `otherwise.` stands between the clause before it and this one
    bool after_alternatively;   // likewise
    uint32_t nvariables;        // in order of first occurrence in the clause
    fl_variable *variables;
    fl_term **head;             // predicate->arity of them
    fl_guards guards;
    uint32_t nitems;
    fl_item *items;
} fl_clause;

typedef struct {
    const char *name; // as given on the command line
    const char *text;
    size_t length;
    bool library; // of the language's library: no file
    bool kl1; // of the KL1 dialect
    bool ghc; // FGHC
} fl_source;

typedef struct {
    vm_predicate *predicate;
    uint32_t nclauses;
    fl_clause **clauses; // in the order of the text
} fl_procedure;

typedef struct {
    uint32_t nsources;
    fl_source *sources;
    uint32_t npredicates; // built-ins (vm_nbuiltins) first, then the program's
    vm_predicate **predicates;
    uint32_t nprocedures;
    fl_procedure *procedures; // the program's own predicates
    fl_clause *beginning;     // body of -e, or the goal main; head empty; predicate `$goal`/0
    struct fl_names *names;   // what fl_find looks in
    struct fl_analysis *analysis; // of a program that is added to (grow.h), else NULL
} fl_program;

// ---- Messages -------------------------------------------------------------------------------

// Collects `file:line:column: error: text` lines (with the source line and a caret under the
// place), so that several are reported in one go.
typedef struct fl_messages fl_messages;
typedef enum { FL_ERROR, FL_WARNING, FL_NOTE, FL_SEVERITIES } fl_severity;
typedef struct { // what a message is about
    fl_severity severity;
    const char *code; // short name of the kind of warning, or NULL
    const fl_source *source;
    const char *file; // without a source: the file that the text names, for editors; or NULL
    uint32_t line, column;
    uint32_t end_column; // behind what is meant, on the same line; 0: only where it begins is known
    uint32_t other_line, other_column, other_width; // another part to be underlined; line 0: none
} fl_place;

fl_messages *fl_messages_create(void);
// How many of each severity are kept (else FL_MOST_MESSAGES); the rest are only counted.
void fl_messages_keep(fl_messages *m, uint32_t most);
void fl_message(fl_messages *m, const fl_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fl_error(fl_messages *m, const fl_source *source, uint32_t line, uint32_t column,
              const char *format, ...) __attribute__((format(printf, 5, 6)));
uint32_t fl_error_count(const fl_messages *m);
// Is there an error in these lines?
bool fl_error_within(const fl_messages *m, const fl_source *source, uint32_t first, uint32_t last);
char *fl_messages_text(const fl_messages *m, bool colour); // malloc'ed, sorted by place
// The line of a place and the caret below it, each behind the indentation; malloc'ed.
char *fl_excerpt(const fl_place *place, bool colour, const char *indent);
// The first one, as LINE:COLUMN: text with so much added to its line and, on its first line, to its
// column; malloc'ed.
char *fl_first_message(const fl_messages *m, uint32_t lines, uint32_t columns);
// The text from a place on; *ret_left bytes of it.
const char *fl_source_at(const fl_source *source, uint32_t line, uint32_t column, size_t *ret_left);
char *fl_messages_json(const fl_messages *m);              // the same as an array of objects
void fl_messages_destroy(fl_messages *m);

// ---- Reading and analysing ------------------------------------------------------------------

// Reads and resolves all files and the goal (text of -e, or NULL for main). Errors are collected,
// as many as can be found in one go; the result is usable only if there were none.
fl_program *fl_analyse(const char *const *files, uint32_t nfiles, const char *goal,
                       fl_messages *messages);
extern const char fl_main_if_any[]; // as goal: main, or nothing where there is no main
void fl_dump_ast(const fl_program *p, FILE *out); // clauses as the reader understood them
void fl_dump_code(const fl_program *p, const vm_program *code, bool stamped, FILE *out);
void fl_dump_ir(const fl_program *p, FILE *out);  // variables, head, guards, items resolved

// One term from [*text, end): 1 and *ret_term (and its variables), 0 at the end of the text,
// -1 error (in messages). *text is moved behind the full stop (or the end).
int fl_read_term(const fl_source *source, const char **text, const char *end, fl_term **ret_term,
                 uint32_t *ret_nvariables, fl_variable **ret_variables, fl_messages *messages);

// For the running program. vm_program.find, with the fl_program as data: the module NULL is the one
// the beginning stands in.
vm_predicate *fl_find(void *data, const char *module, const char *name, uint32_t arity);
// The predicate that may be meant by a name that there is not, as text; NULL if none is near.
const char *fl_suggest(const fl_program *p, const char *name, uint32_t arity);
// vm_program.read_term: the next term of the text as a term of machine m; its variables are new.
int fl_read_value(vm_machine *m, const char **text, const char *end, vm_word *ret_term);
// What vm_program says of syntax_error.
char *fl_syntax_error(const char *text, const char *end, const char **ret_term);
// A term of the text as one of machine m (or NULL), with values for its variables; 0: a new one for
// each occurrence.
vm_word fl_make_value(vm_machine *m, const fl_term *t, const vm_word *variables);

// ---- Compiling ------------------------------------------------------------------------------

// Code and clause tables. Errors (a clause too large) go to messages.
// stamped: for stamped runs, else for plain ones (code.def says how they differ).
vm_program *fl_compile(const fl_program *p, bool stamped, fl_messages *messages);
// The goal as the text has it: the same one, or one to be shown for a goal of a predicate that the
// compiler made.
vm_goal *fl_goal_of_text(const vm_program *code, vm_goal *goal);

#endif
