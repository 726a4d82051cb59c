// SPDX-License-Identifier: MIT
//
// The prompt: goals and commands, one after the other (private to fleng/).
//
//   prompt.c           lines to goals, and goals to entries of the session
//   prompt_commands.c  :load, :list, ...
//   prompt_show.c      what became of variables and goals
//   prompt_step.c      one generation at a time
//   prompt_trace.c     a goal run apart, recorded
//   prompt_typed.c     clauses that are typed
//   prompt_complete.c  names that may stand at the cursor
#ifndef FLENG_PROMPT_H
#define FLENG_PROMPT_H

#include "fleng/prompt/lines.h"
#include "fleng/options.h"
#include "fleng/prompt/session.h"
#include "vm/run.h"

#include <time.h>

typedef struct {
    fl_session *session;
    fl_lines *lines;
    bool terminal; // somebody reads and types
    bool colour;   // of diagnostics
    int status;    // of the first thing that went wrong; 0: nothing did
    bool quit, halted;

    char *text; // of goals, as far as they were typed (malloc'ed)
    size_t length, capacity;
    unsigned ngoals; // that were read

    char *typed; // clauses, as :add took them, or NULL

    bool stepping;       // goals are not run, but wait for :step
    uint64_t generation; // of the entry
    time_t shown;        // when values were shown while the entry runs
    char *trace;         // the file that the next goal is to be recorded in, or NULL
} fl_prompt;

// Reads goals and commands from standard input until its end. Returns the exit status.
int fl_prompt_run(const fl_options *o);

// Prints what was collected, and notes that something went wrong.
void fl_prompt_complain(fl_prompt *p, const fl_messages *messages);
// The same for one message.
void fl_prompt_error(fl_prompt *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fl_prompt_fails(fl_prompt *p, int status);

// Reads goals from the text and hands them on one by one. whole: more text will not come.
// Returns how much of it was used.
typedef void (*fl_goal_reader)(fl_prompt *p, fl_source *source, const fl_sentence *goal,
                               const char *text, size_t length);
size_t fl_prompt_read(fl_prompt *p, const char *text, size_t length, bool whole,
                      fl_goal_reader take);
// Runs the entry under way to its end, and shows what came of it.
void fl_prompt_finish(fl_prompt *p);
void fl_prompt_ended(fl_prompt *p, vm_ending ending); // the entry did
// Does with a goal what is the way now: runs it, steps it, records it.
void fl_prompt_take(fl_prompt *p, fl_source *source, const fl_sentence *goal, const char *text,
                    size_t length);

// A line that begins with `:` and a letter.
void fl_prompt_command(fl_prompt *p, const char *line);
extern const char *const fl_prompt_commands[]; // names, sorted; NULL at the end

void fl_show_values(fl_prompt *p);  // of the variables that changed
void fl_show_waiting(fl_prompt *p); // if an entry left goals
void fl_show_goals(fl_prompt *p);   // all
void fl_show_variable(fl_prompt *p, const fl_session_variable *v);
const char *fl_show_waits(fl_prompt *p, vm_goal *goal); // "X and Y", in the collected heap

void fl_step_begin(fl_prompt *p, fl_source *source, const fl_sentence *goal);
void fl_step_on(fl_prompt *p, uint64_t generations);

// Runs a goal by itself, recorded.
void fl_prompt_record(fl_prompt *p, const char *path, const fl_sentence *goal, const char *text,
                      size_t length);

// Adds a clause to those that were typed before.
void fl_prompt_add(fl_prompt *p, const char *clause);
void fl_prompt_forget_typed(fl_prompt *p);

char **fl_prompt_complete(void *prompt, const char *line, size_t cursor, size_t *ret_begin);

#endif
