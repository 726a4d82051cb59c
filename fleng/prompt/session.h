// SPDX-License-Identifier: MIT
//
// A session: a program that can be loaded anew and one ideal machine that lives as long as the
// session does (private to fleng/). Goals are entered one after the other; a name of a variable
// denotes the same variable in all of them, and goals that wait go on waiting for what comes.
//
// An entry is a goal, or several, from when it is entered until nothing is ready any more. It is
// kept or undone as a whole: undoing it takes back its variables, its goals and its bindings.
#ifndef FLENG_SESSION_H
#define FLENG_SESSION_H

#include "fleng/explain/run_end.h"
#include "fleng/analyse/additions.h"
#include "vm/session.h"

typedef struct {
    const char *name;
    vm_word variable;
    uint64_t entry; // the last one that mentioned it
    uint64_t shown; // hash of its value when last shown; 0: never
    bool whole;     // nothing is unbound in what was shown: it stays as it is
} fl_session_variable;

// What a step did, for who wants to see it.
typedef struct {
    uint32_t goal; // its number
    const vm_clause *clause;
} fl_step_reduction;

typedef struct {
    bool wanted;
    FL_ARRAY(fl_step_reduction) reductions;
    FL_ARRAY(vm_binding) bindings;
} fl_step_log;

typedef struct {
    fl_program *program;
    vm_program *code;
    vm_machine *machine;
    uint32_t ncompiled; // of program->procedures
    vm_recorder recorder;

    // what is loaded, the latest first
    FL_ARRAY(const char *) files;
    FL_ARRAY(uint32_t) layers;
    uint32_t nloads;

    FL_ARRAY(fl_session_variable) variables;
    fl_map names;                 // of the variables: index + 1
    FL_ARRAY(uint32_t) mentioned; // by the entry: indices of variables, in order of occurrence

    // the entry under way
    bool entered;
    uint64_t nentries;
    vm_saved *saved;
    uint32_t first_cell, first_goal; // made since
    uint32_t nvariables;             // before
    FL_ARRAY(vm_var *) bound;        // that are older
    fl_step_log log;

    fl_namer namer;      // of the variables as they are shown, until the next entry
    uint32_t nnamed;     // of variables, known to the namer
    uint64_t nvariables_shown; // unbound ones, in all texts so far
} fl_session;

// argc, argv: for the goals (argv/1).
fl_session *fl_session_create(int argc, char **argv);
void fl_session_destroy(fl_session *s); // writes what is buffered

// Loads files: what they define takes the place of what is defined already; the goals that wait go
// on with it, in an entry of their own. False: the files are in error, and all stays as it was. Not
// while an entry is under way.
bool fl_session_load(fl_session *s, const char *const *files, uint32_t n, fl_messages *messages);
bool fl_session_reload(fl_session *s, fl_messages *messages);

// Begins an entry, or adds to the one under way. False: the goal is in error.
bool fl_session_enter(fl_session *s, fl_source *source, const fl_sentence *goal,
                      fl_messages *messages);
// Reduces one generation. False: nothing is ready any more and the entry is kept, or it ended with
// *ret_ending otherwise (END_FAILED, ...) and is to be undone.
bool fl_session_step(fl_session *s, vm_ending *ret_ending);
void fl_session_undo(fl_session *s);

void fl_session_reset(fl_session *s); // forgets all variables and goals, not the program
bool fl_session_forget(fl_session *s, const char *name); // a variable's name; false: there is none

const fl_session_variable *fl_session_find(const fl_session *s, const char *name);

// The value of a variable, or of any term, abbreviated beyond max_cells (0: whole), malloc'ed.
char *fl_session_text(fl_session *s, vm_word term, uint32_t max_cells);
// The same without the numbers that variables have which no goal mentioned: it changes when more of
// the value is known, and not otherwise.
char *fl_session_shape(fl_session *s, vm_word term, uint32_t max_cells);
const char *fl_session_variable_name(fl_session *s, const vm_var *v);
char *fl_session_goal_text(fl_session *s, const vm_goal *goal);
bool fl_session_is_bound(const fl_session_variable *v);
fl_report_context fl_session_report(fl_session *s, FILE *out, bool colour);

#endif
