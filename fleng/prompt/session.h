// SPDX-License-Identifier: MIT
//
// A session: a program that can be reloaded, and one ideal machine for all of its goals. Goals are
// entered one after the other. A variable's name means the same variable in all of them, and goals
// that wait remain for later goals to resume.
//
// An entry is one goal or several, from their input until no goal is ready. It is kept or undone as
// a whole: undoing removes its variables, goals and bindings.
#ifndef FLENG_SESSION_H
#define FLENG_SESSION_H

#include "fleng/analyse/additions.h"
#include "fleng/analyse/analyse.h"
#include "fleng/explain/run_end.h"
#include "vm/session.h"

typedef struct {
    const char *name;
    vm_word variable;
    uint64_t entry; // the last entry that mentioned it
    uint64_t shown; // hash of its value when last shown; 0: never
    bool whole;     // the value shown has no unbound variable, so it cannot change
} fl_session_variable;

// What a step did, if :step is to show it.
typedef struct {
    uint32_t goal; // its number
    const vm_clause *clause;
} fl_step_reduction;

typedef struct {
    bool wanted;
    ARRAY_OF(fl_step_reduction) reductions;
    ARRAY_OF(vm_binding) bindings;
} fl_step_log;

typedef struct {
    fl_program *program;
    vm_program *code;
    vm_machine *machine;
    uint32_t ncompiled; // of program->procedures
    vm_recorder recorder;

    // the files that are loaded, the latest first
    ARRAY_OF(const char *) files;
    ARRAY_OF(uint32_t) layers;
    uint32_t nloads;

    ARRAY_OF(fl_session_variable) variables;
    fl_dictionary names;          // of the variables: index + 1
    ARRAY_OF(uint32_t) mentioned; // by the entry: indices of variables, in order of occurrence

    // the current entry
    bool entered;
    uint64_t nentries;
    vm_saved *saved;
    uint32_t first_cell, first_goal; // the first ones that it made
    uint32_t nvariables;             // before it
    ARRAY_OF(vm_var *) bound;        // older variables that it bound
    fl_step_log log;

    fl_namer namer;            // names variables as they are shown, until the next entry
    uint32_t nnamed;           // variables that the namer knows
    uint64_t nvariables_shown; // unbound variables in all texts so far
} fl_session;

// argc, argv: for the goals (argv/1).
fl_session *fl_session_create(int argc, char **argv);
void fl_session_destroy(fl_session *s); // writes what is buffered

// Loads files. Their definitions replace earlier ones, and goals that wait continue with them, in
// an entry of their own. False: the files are in error, and nothing changes. Must not be called
// during an entry.
bool fl_session_load(fl_session *s, const char *const *files, uint32_t n, fl_messages *messages);
bool fl_session_reload(fl_session *s, fl_messages *messages);

// Begins an entry, or adds to the current one. False: the goal is in error.
bool fl_session_enter(fl_session *s, fl_source *source, const fl_sentence *goal,
                      fl_messages *messages);
// Reduces one generation. False: no goal is ready and the entry is kept, or *ret_ending is another
// one (END_FAILED, ...) and the caller must undo the entry.
bool fl_session_step(fl_session *s, vm_ending *ret_ending);
void fl_session_undo(fl_session *s);

void fl_session_reset(fl_session *s); // forgets all variables and goals, not the program
bool fl_session_forget(fl_session *s, const char *name); // a variable's name; false: there is none

const fl_session_variable *fl_session_find(const fl_session *s, const char *name);

// The value of a variable, or of any term, abbreviated beyond max_cells (0: whole), malloc'ed.
char *fl_session_text(fl_session *s, vm_word term, uint32_t max_cells);
// The same without the numbers of variables that no goal mentioned. So it changes only when more of
// the value is known.
char *fl_session_shape(fl_session *s, vm_word term, uint32_t max_cells);
const char *fl_session_variable_name(fl_session *s, const vm_var *v);
char *fl_session_goal_text(fl_session *s, const vm_goal *goal);
bool fl_session_is_bound(const fl_session_variable *v);
fl_report_context fl_session_report(fl_session *s, FILE *out, bool colour);

#endif
