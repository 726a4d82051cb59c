// SPDX-License-Identifier: MIT
//
// The prompt: reads goals and commands and does one after the other.
//
//   prompt.c    makes goals of lines, and entries of the session of goals
//   commands.c  :load, :list, ...
//   show.c      shows the values of variables, and goals that wait
//   step.c      runs one generation at a time
//   trace.c     runs a goal by itself and records it
//   complete.c  finds names that may stand at the cursor
#ifndef FLENG_PROMPT_H
#define FLENG_PROMPT_H

#include "base/text.h"
#include "fleng/command/options.h"
#include "fleng/prompt/lines.h"
#include "fleng/prompt/session.h"
#include "vm/run.h"

#include <time.h>

typedef struct {
    fl_session *session;
    fl_lines *lines;
    bool terminal; // a user reads and types
    bool colour;   // of diagnostics
    int status;    // of the first failure; 0: there was none
    bool quit, halted;

    base_text text;  // the goals typed so far
    unsigned ngoals; // that were read

    char *typed; // the clauses that :add took, or NULL

    bool stepping;       // goals are not run, but wait for :step
    uint64_t generation; // of the entry
    time_t shown;        // when values were shown last while the entry runs
    char *trace;         // where to record the next goal, or NULL
} fl_prompt;

// Reads goals and commands from standard input until its end. Returns the exit status.
int fl_prompt_run(const fl_options *o);

// Prints the messages, and notes the failure.
void fl_prompt_complain(fl_prompt *p, const fl_messages *messages);
// The same for one message.
void fl_prompt_error(fl_prompt *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fl_prompt_fails(fl_prompt *p, int status);

// Reads goals from the text and calls take() for each. whole: no more text will come. Returns how
// many bytes were used.
typedef void (*fl_goal_reader)(fl_prompt *p, fl_source *source, const fl_sentence *goal,
                               const char *text, size_t length);
size_t fl_prompt_read(fl_prompt *p, const char *text, size_t length, bool whole,
                      fl_goal_reader take);
// Runs the current entry to its end and shows the result.
void fl_prompt_finish(fl_prompt *p);
void fl_prompt_ended(fl_prompt *p, vm_ending ending); // the current entry has ended
// Runs, steps or records a goal, as the prompt is set.
void fl_prompt_take(fl_prompt *p, fl_source *source, const fl_sentence *goal, const char *text,
                    size_t length);

// Does a command: a line that begins with `:` and a letter.
void fl_prompt_command(fl_prompt *p, const char *line);
extern const char *const fl_prompt_commands[]; // names, sorted; NULL at the end

void fl_show_values(fl_prompt *p);  // of the variables that changed
void fl_show_waiting(fl_prompt *p); // if an entry left goals
void fl_show_goals(fl_prompt *p);   // all
void fl_show_variable(fl_prompt *p, const fl_session_variable *v);
const char *fl_show_waits(fl_prompt *p, vm_goal *goal); // "X and Y", in the collected heap

void fl_step_begin(fl_prompt *p, fl_source *source, const fl_sentence *goal);
void fl_step_on(fl_prompt *p, uint64_t generations);

// Runs a goal by itself and records it.
void fl_prompt_record(fl_prompt *p, const char *path, const fl_sentence *goal, const char *text,
                      size_t length);

void fl_prompt_forget_typed(fl_prompt *p); // the clauses that :add took

char **fl_prompt_complete(void *prompt, const char *line, size_t cursor, size_t *ret_begin);

#endif
