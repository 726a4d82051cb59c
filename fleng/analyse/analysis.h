// SPDX-License-Identifier: MIT
//
// The data of the analysis, for this room and the checker. It has three steps:
//
//   load      reads all files to sentences (load.c)
//   collect   notes which module defines what, from directives and clause heads (modules.c)
//   resolve   makes IR of every clause and finds the predicate of every goal (clause.c, names.c)
//
// Predicates that the program does not define may come from the library (library.c).
#ifndef FLENG_ANALYSIS_H
#define FLENG_ANALYSIS_H

#include "fleng/reader/messages.h"
#include "fleng/reader/parse.h"
#include "fleng/reader/terms.h"

typedef struct fl_module fl_module;

// A clause as collected.
typedef struct {
    fl_sentence sentence;
    fl_module *module;
    fl_source *source;
    uint32_t source_number;
    bool after_otherwise, after_alternatively;
    fl_term *head, *rest; // rest: the term after `:-`, or NULL
} fl_raw_clause;

typedef struct {
    vm_predicate *predicate; // in the library: NULL until the program reaches it
    uint32_t layer;          // of its file
    ARRAY_OF(fl_raw_clause) clauses;
} fl_definition;

typedef struct {
    const char *name;
    uint32_t arity;
    const fl_source *source;
    uint32_t line, column;
} fl_export;

struct fl_module {
    const char *name;
    bool library;
    bool has_exports; // else it exports all its predicates
    ARRAY_OF(fl_export) exports;
    fl_dictionary exported; // "name/arity"
    fl_dictionary defined;  // "name/arity": fl_definition
    ARRAY_OF(fl_definition *) definitions;
    ARRAY_OF(struct fl_use) uses;
    fl_dictionary reported; // undefined "name/arity" already reported
};

// A source file.
typedef struct {
    fl_source *source;
    uint32_t number; // of the source
    bool declares;   // has a module directive
    bool named;      // on the command line
    bool library;    // it is part of the command
    uint32_t layer;  // its definitions hide those of files with lower layers
    ARRAY_OF(fl_sentence) sentences;
    ARRAY_OF(fl_module *) modules; // in this file
} fl_unit;

typedef struct fl_use {
    fl_unit *unit;
    fl_dictionary *only; // the "name/arity" that are imported; NULL: all
    const fl_source *source;
    uint32_t line, column;
} fl_use;

typedef struct fl_analysis fl_analysis;

// A module of the library. It is read when the program names something of it.
typedef struct {
    fl_source *source;
    const char *name;
    ARRAY_OF(fl_export) exports;
    fl_dictionary exported; // "name/arity"
    bool used;       // by a use_module
    fl_unit *unit;   // NULL: not read yet
} fl_library;

struct fl_names {
    fl_dictionary modules;  // by name
    fl_dictionary builtins; // "name/arity": vm_predicate
    ARRAY_OF(fl_module *) module_list;
    uint32_t nbuiltins;
    vm_predicate **builtin_list;
    ARRAY_OF(fl_unit *) units;    // files of the command line first
    fl_module *start;             // where the run begins; NULL: there is no file
    ARRAY_OF(fl_library) library; // empty until the first use
    fl_dictionary library_names;  // of its exports, without arity
    fl_analysis *analysis;        // NULL afterwards: only compiled predicates are found then
};

struct fl_analysis {
    fl_program *program;
    fl_messages *messages;
    struct fl_names *names;
    ARRAY_OF(fl_source *) sources;
    ARRAY_OF(vm_predicate *) predicates;
    ARRAY_OF(fl_definition *) definitions;
    ARRAY_OF(fl_procedure) built; // of the definitions
    uint32_t nreached;     // of built: the library predicates that their texts name are reached
    bool makes_goals;      // some goals are made at run time
    fl_dictionary files;   // canonical path: fl_unit
    uint32_t conditionals; // of KL1 that became predicates
    fl_dictionary skipped; // names at the beginning of clauses in error, which may define them
};

// ---- analyse.c --------------------------------------------------------------------------------

// Reads and collects the files of a command line. `layers` has the layer of each (NULL: all 0);
// files of higher layers come first.
void fl_analyse_files(fl_analysis *a, const char *const *files, const uint32_t *layers,
                      uint32_t nfiles);
// Makes the IR of the definitions that have none yet, and of the library predicates that they and
// the beginning (NULL: there is none) reach.
void fl_build_procedures(fl_analysis *a, const fl_clause *beginning);
// Fills the tables of the program, as far as the analysis got.
void fl_finish_tables(fl_analysis *a);

// ---- load.c -----------------------------------------------------------------------------------

// The unit of a source, with its sentences.
fl_unit *fl_read_unit(fl_analysis *a, fl_source *source);
// Reads a file unless it is known; NULL if it cannot be read (*ret_reason).
fl_unit *fl_load(fl_analysis *a, const char *path, const char **ret_reason);
// Loads the file that a use_module names, first relative to the file that contains it. NULL: it
// cannot be loaded (reported).
fl_unit *fl_load_used(fl_analysis *a, const fl_unit *from, const fl_term *name);

// ---- modules.c --------------------------------------------------------------------------------

// Sorts the sentences of all units, and of the units they use, into definitions.
void fl_collect(fl_analysis *a);
// The sentences of a module of the library.
void fl_collect_library(fl_analysis *a, fl_unit *unit);
fl_definition *fl_define(fl_analysis *a, fl_module *m, const char *name, uint32_t arity);

// ---- names.c ----------------------------------------------------------------------------------

// "name/arity" in the collected heap.
const char *fl_key(const char *name, uint32_t arity);
vm_predicate *fl_add_predicate(fl_analysis *a, const char *module, const char *name,
                               uint32_t arity);
void fl_add_builtins(fl_analysis *a);
bool fl_is_guard_test(const char *name, uint32_t arity);
fl_module *fl_find_module(const struct fl_names *names, const char *name);
fl_module *fl_find_any_module(struct fl_names *names, const char *name); // of the library, too
// The predicate that a goal made at run time calls by this key ("name/arity"), or NULL.
vm_predicate *fl_look_up_called(struct fl_names *names, const char *module, const char *key);
bool fl_defines(const fl_module *m, const char *name, uint32_t arity); // m may be NULL
// The built-in predicate module:name/arity, or NULL. m: the program's module of that name, or NULL.
vm_predicate *fl_find_builtin(const struct fl_names *names, const fl_module *m,
                              const char *module, const char *name, uint32_t arity);
// Is there a module of that name with built-in predicates?
bool fl_is_builtin_module(const char *module);
// The predicate that the goal `at` in module m calls; reports an error and returns NULL if there is
// none. start: a goal of the beginning, which sees all definitions in files of the command line.
vm_predicate *fl_resolve(fl_analysis *a, fl_module *m, const fl_source *source, const fl_term *at,
                         const char *name, uint32_t arity, bool start);

// ---- library.c --------------------------------------------------------------------------------

// The library's index; the first use makes it.
void fl_library_open(struct fl_names *names);
// The module of that name, which is read at its first use; NULL: the library has none.
fl_library *fl_library_find(struct fl_names *names, const char *name);
// The predicate that the library exports under key ("name/arity"), or NULL.
vm_predicate *fl_library_predicate(struct fl_names *names, const char *key);
// Makes a predicate of the library part of the program.
vm_predicate *fl_library_reach(struct fl_names *names, fl_module *m, fl_definition *d,
                               const char *key);
// Reaches library predicates that goals made at run time may call, as far as the text of clause c
// tells: their names occur in its body.
void fl_library_reach_named(fl_analysis *a, const fl_clause *c);
// Reaches all exports of the modules named by use_module.
void fl_library_reach_used(fl_analysis *a);

// ---- clause.c, guard.c ------------------------------------------------------------------------

// A clause while it is made.
typedef struct {
    fl_analysis *analysis;
    fl_module *module;
    const fl_source *source;
    bool start; // the beginning
    fl_clause *clause;
    fl_priority priority; // of the goals that are added
    ARRAY_OF(fl_item) items;
} fl_building;

fl_clause *fl_build_clause(fl_analysis *a, const fl_definition *d, const fl_raw_clause *raw,
                           uint32_t number);
// Appends the goals of a body to b->items.
void fl_build_body(fl_building *b, fl_term *body);
void fl_build_guards(fl_building *b, fl_term *guard);
// Counts the occurrences of the variables of t in one section.
typedef enum { SECTION_HEAD, SECTION_GUARD, SECTION_BODY } fl_section;
void fl_count_variables(fl_clause *c, const fl_term *t, fl_section section);

#endif
