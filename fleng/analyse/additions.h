// SPDX-License-Identifier: MIT
//
// Programs that are added to while a machine runs them (private to fleng/): predicates, clauses,
// sources, code and constants keep their numbers, and what is new is numbered behind them.
#ifndef FLENG_ADDITIONS_H
#define FLENG_ADDITIONS_H

#include "fleng/reader/messages.h"
#include "fleng/reader/parse.h"

// fl_analyse, where files may define what others do as well. layers: a number for each file: what
// it defines hides what files of lower ones do. Files of higher ones stand first.
fl_program *fl_analyse_layers(const char *const *files, const uint32_t *layers, uint32_t nfiles,
                              const char *goal, fl_messages *messages);

// A program of the files in place of what `before` (NULL: nothing) has loaded. It has no beginning.
// Errors are in messages; `before` stays good in any case.
fl_program *fl_add_files(const fl_program *before, const char *const *files,
                          const uint32_t *layers, uint32_t nfiles, fl_messages *messages);

// Adds a goal to a program made by fl_add_files, as its beginning: a clause whose head has the
// variables of the goal with a name that does not begin with `_`. False: it is in error.
bool fl_add_goal(fl_program *p, fl_source *source, const fl_sentence *goal,
                  fl_messages *messages);

// Adds a predicate that the library exports, and what it needs.
void fl_add_library_predicate(fl_program *p, const char *name, uint32_t arity);

#endif
