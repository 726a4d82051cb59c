// SPDX-License-Identifier: MIT
//
// Analysis: modules, names, clauses (private to fleng/: analyse*.c).
//
//   load      all files are read to sentences (analyse_load.c)
//   collect   directives and clause heads say what is defined where (analyse_modules.c)
//   resolve   every clause becomes IR, its goals bound to predicates (analyse_clause.c)
//
// What the program does not define it may find in the library (library.c).
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
    fl_term *head, *rest; // rest: what stands behind `:-`, or NULL
} fl_raw_clause;

typedef struct {
    vm_predicate *predicate; // of the library: NULL until something in the program reaches it
    uint32_t layer; // of the file it stands in
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
    bool has_exports; // else it exports all it defines
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
    uint32_t layer;  // what it defines hides what files of lower layers do
    ARRAY_OF(fl_sentence) sentences;
    ARRAY_OF(fl_module *) modules; // that stand in it
} fl_unit;

typedef struct fl_use {
    fl_unit *unit;
    fl_dictionary *only; // "name/arity" that are wanted; NULL: all
    const fl_source *source;
    uint32_t line, column;
} fl_use;

typedef struct fl_analysis fl_analysis;

// A module of the library: it is read when something of it is named.
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
    ARRAY_OF(fl_unit *) units; // those of the command line first
    fl_module *start;          // where the beginning stands; NULL: there is no file
    ARRAY_OF(fl_library) library; // empty until it is looked at
    fl_dictionary library_names;         // of what it exports, without arity
    fl_analysis *analysis;        // NULL when it is over: what is not compiled is not found any more
};

struct fl_analysis {
    fl_program *program;
    fl_messages *messages;
    struct fl_names *names;
    ARRAY_OF(fl_source *) sources;
    ARRAY_OF(vm_predicate *) predicates;
    ARRAY_OF(fl_definition *) definitions;
    ARRAY_OF(fl_procedure) built; // of the definitions
    uint32_t nreached;            // of built: what goals made of their texts may mean is there
    bool makes_goals;             // while it runs
    fl_dictionary files;   // canonical path: fl_unit
    uint32_t conditionals; // of KL1 that became predicates
    fl_dictionary skipped; // names that begin clauses in error: they may be defined there
};

// ---- analyse.c --------------------------------------------------------------------------------

// Reads and collects files as named on a command line. layers: of each (NULL: 0); those of higher
// ones stand first.
void fl_analyse_files(fl_analysis *a, const char *const *files, const uint32_t *layers,
                      uint32_t nfiles);
// IR of the definitions that have none yet, and of what they and the beginning (NULL: there is
// none) reach of the library.
void fl_build_procedures(fl_analysis *a, const fl_clause *beginning);
// Tables of the program as far as the analysis got.
void fl_finish_tables(fl_analysis *a);

// ---- analyse_load.c ---------------------------------------------------------------------------

// The unit of a source, its sentences read.
fl_unit *fl_read_unit(fl_analysis *a, fl_source *source);
// Reads a file unless it has been; NULL if it cannot be read (*ret_reason).
fl_unit *fl_load(fl_analysis *a, const char *path, const char **ret_reason);
// The file that a use_module names, tried relative to the one it stands in, and loaded. NULL if it
// cannot be (reported).
fl_unit *fl_load_used(fl_analysis *a, const fl_unit *from, const fl_term *name);

// ---- analyse_modules.c ------------------------------------------------------------------------

// Sorts the sentences of all units, and of those they use, into definitions.
void fl_collect(fl_analysis *a);
// The sentences of a module of the library.
void fl_collect_library(fl_analysis *a, fl_unit *unit);
fl_definition *fl_define(fl_analysis *a, fl_module *m, const char *name, uint32_t arity);

// ---- analyse_names.c --------------------------------------------------------------------------

// "name/arity" in the collected heap.
const char *fl_key(const char *name, uint32_t arity);
vm_predicate *fl_add_predicate(fl_analysis *a, const char *module, const char *name,
                               uint32_t arity);
void fl_add_builtins(fl_analysis *a);
bool fl_is_guard_test(const char *name, uint32_t arity);
fl_module *fl_find_module(const struct fl_names *names, const char *name);
fl_module *fl_find_any_module(struct fl_names *names, const char *name); // of the library, too
// The predicate that key ("name/arity") means to goals made while the program runs, or NULL.
vm_predicate *fl_look_up_called(struct fl_names *names, const char *module, const char *key);
bool fl_defines(const fl_module *m, const char *name, uint32_t arity); // m may be NULL
// The built-in predicate that module:name/arity means, m being the program's module of that name
// (NULL: it has none); NULL: none.
vm_predicate *fl_find_builtin(const struct fl_names *names, const fl_module *m,
                              const char *module, const char *name, uint32_t arity);
// Do built-in predicates stand in a module of that name?
bool fl_is_builtin_module(const char *module);
// The predicate that a goal at `at` in module m means; reports and returns NULL if there is none.
// start: a goal of the beginning, which sees all that the files of the command line define.
vm_predicate *fl_resolve(fl_analysis *a, fl_module *m, const fl_source *source, const fl_term *at,
                         const char *name, uint32_t arity, bool start);

// ---- library.c --------------------------------------------------------------------------------

// The library's index; the first use makes it.
void fl_library_open(struct fl_names *names);
// The module of that name, read if it has not been; NULL: the library has none.
fl_library *fl_library_find(struct fl_names *names, const char *name);
// The predicate that the library exports under key ("name/arity"), or NULL.
vm_predicate *fl_library_predicate(struct fl_names *names, const char *key);
// Makes a predicate of the library part of the program.
vm_predicate *fl_library_reach(struct fl_names *names, fl_module *m, fl_definition *d,
                               const char *key);
// Reaches what goals that are made while the program runs may mean, as far as the text of clause c
// tells: names of the library in its body.
void fl_library_reach_named(fl_analysis *a, const fl_clause *c);
// Reaches all that modules named by use_module export.
void fl_library_reach_used(fl_analysis *a);

// ---- analyse_clause.c, analyse_guard.c --------------------------------------------------------

// A clause under way.
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
// Items of a body: goals of `body` are appended to b->items.
void fl_build_body(fl_building *b, fl_term *body);
void fl_build_guards(fl_building *b, fl_term *guard);
// Adds the variables of t to their count of occurrences in one section.
typedef enum { SECTION_HEAD, SECTION_GUARD, SECTION_BODY } fl_section;
void fl_count_variables(fl_clause *c, const fl_term *t, fl_section section);

#endif
