// SPDX-License-Identifier: MIT
//
// Programs that grow while a machine runs them. Predicates, clauses, sources, code and constants
// keep their numbers; new ones get the next numbers.
#ifndef FLENG_ADDITIONS_H
#define FLENG_ADDITIONS_H

#include "fleng/reader/messages.h"
#include "fleng/reader/parse.h"

// As fl_analyse, but several files may define the same predicate. `layers` has a number for each
// file: a definition hides those in files with lower numbers. Files with higher numbers come first.
fl_program *fl_analyse_layers(const char *const *files, const uint32_t *layers, uint32_t nfiles,
                              const char *goal, fl_messages *messages);

// A program of these files, which continues the numbers of `before` (NULL: there is none) and
// replaces it. It has no beginning. Errors go to messages; `before` remains usable in any case.
fl_program *fl_add_files(const fl_program *before, const char *const *files,
                         const uint32_t *layers, uint32_t nfiles, fl_messages *messages);

// Adds a goal to a program made by fl_add_files, as its beginning: a clause whose head has those
// variables of the goal whose names do not begin with `_`. False: the goal is in error.
bool fl_add_goal(fl_program *p, fl_source *source, const fl_sentence *goal,
                  fl_messages *messages);

// Adds a predicate that the library exports, and the predicates that it needs.
void fl_add_library_predicate(fl_program *p, const char *name, uint32_t arity);

#endif
