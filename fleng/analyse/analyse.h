// SPDX-License-Identifier: MIT
//
// From files to the program: reads them, resolves names, makes clauses.
#ifndef FLENG_ANALYSE_H
#define FLENG_ANALYSE_H

#include "fleng/reader/messages.h"

// Reads and resolves all files and the goal (text of -e, or NULL for main). Errors are collected,
// as many as one pass can find; the program is usable only if there were none.
fl_program *fl_analyse(const char *const *files, uint32_t nfiles, const char *goal,
                       fl_messages *messages);
extern const char fl_main_if_any[]; // as goal: main, or nothing where there is no main

// The predicate that a goal made at run time calls. module NULL: the one the run began in.
vm_predicate *fl_find(void *program, const char *module, const char *name, uint32_t arity);
// The predicate that may be meant by an undefined name, as text; NULL if none is near.
const char *fl_suggest(const fl_program *p, const char *name, uint32_t arity);

#endif
