// SPDX-License-Identifier: MIT
//
// What the text commands share: options, opening, tables, JSON.
#ifndef PAF_COMMAND_H
#define PAF_COMMAND_H

#include <getopt.h>
#include <jansson.h>

#include "iotree/iotree.h"

enum { COMMAND_OK = 0, COMMAND_NOTHING = 1, COMMAND_USAGE = 2 };

// "paf COMMAND: ..." on stderr. Here and below "" is the viewer.
void command_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// getopt_long() that complains itself: '?' after it means usage.
int command_option(const char *command, int argc, char **argv, const char *letters,
                   const struct option *options);
// Checks how many files follow the options; complains otherwise.
bool command_files(const char *command, int argc, int least, int most);
// A whole number of at least `least`. False, with a complaint that names the option, if it is none.
bool command_number(const char *command, const char *option, const char *text, int64_t least,
                    int64_t *ret);

// Is it PREDICATE/N or MODULE:PREDICATE/N?
bool command_is_indicator(const char *text);

// The trace, or NULL. A complaint says what is damaged; *status becomes COMMAND_NOTHING then.
trace *command_open(const char *command, const char *path, int *status);
// False, with a complaint, if the file has no history: a profile, or totals alone.
bool command_history(const char *command, const char *path, const trace *t);
// What was written: a partition or the name of a file that holds one; NULL: the default one.
// NULL with a complaint if it is wrong.
iot_partition *command_partition(const char *command, const trace *t, const char *text);
// The same for one of two traces: entries that only the other one has are left out.
iot_partition *command_partition_among(const char *command, const trace *t, const trace *other,
                                       const char *text);

const char *clock_name(const trace *t); // "virtual" or "real"
const char *ending_name(trace_ending ending);
const char *trace_end_name(const trace *t); // how the trace ends: as the run, or before it
json_t *cut_json(const trace_cut *cut); // what the whole run had
json_t *losses_json(const trace *t);    // events that were not kept, by place

// ---------------------------------------------------------------------------------------------
// Text. Style is used on a terminal only.

typedef enum { STYLE_PLAIN, STYLE_STRONG, STYLE_DIM, STYLE_NOTE, STYLE_BAD } text_style;

bool text_styled(void);
const char *style_begin(text_style style); // "" where there is no style
const char *style_end(text_style style);

// Columns as wide as their widest cell. Cells are copied.
typedef struct text_table text_table;

// alignment: a letter for each column, 'l' or 'r'.
text_table *table_create(const char *alignment);
void table_add(text_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A count of steps or reductions; of a measured run a time with its unit.
void table_add_amount(text_table *t, const trace *of, int64_t n);
// Prints the rows, the first as heading, indented by two spaces; frees the table.
void table_print(text_table *t);

// A field of comma-separated values on stdout, followed by `after` if that is not 0.
void csv_text(const char *text, char after);

// ---------------------------------------------------------------------------------------------
// JSON

json_t *json_text(const char *text); // bytes that are no UTF-8 are replaced
json_t *json_take(char *text);       // the same; frees the text
json_t *json_count(uint64_t n);
// Prints and frees it; false if stdout could not be written.
bool json_print(json_t *value);

#endif
