// SPDX-License-Identifier: MIT
//
// The commands of `paf`, and what they share: options, opening traces, partitions, tables of text,
// CSV and JSON. A command answers on standard output and complains on standard error.
#ifndef PAF_COMMAND_H
#define PAF_COMMAND_H

#include <getopt.h>
#include <jansson.h>

#include "base/array.h"
#include "iotree/iotree.h"

// Exit statuses. NOTHING: a file is damaged or nothing matches.
enum { COMMAND_OK = 0, COMMAND_NOTHING = 1, COMMAND_USAGE = 2 };

// argv[0] is the command's name. The result is the exit status.
int paf_command_report(int argc, char **argv);
int paf_command_iotree(int argc, char **argv);
int paf_command_simulate(int argc, char **argv);
int paf_command_info(int argc, char **argv);
int paf_command_compare(int argc, char **argv);
int paf_command_export(int argc, char **argv);
int paf_command_whatif(int argc, char **argv);
int paf_command_store(int argc, char **argv);
int paf_command_serve(int argc, char **argv);

// ---------------------------------------------------------------------------------------------
// Options. In these functions the command "" is the viewer.

// Writes "paf COMMAND: ..." to standard error.
void paf_complain(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef enum {
    PAF_OPTION_FLAG,
    PAF_OPTION_TEXT,
    PAF_OPTION_NUMBER,
    PAF_OPTION_TEXTS, // may be given several times
} paf_option_kind;

typedef ARRAY_OF(const char *) paf_texts;

// One option and the variable that it sets. The last option of a list is all zero.
typedef struct {
    const char *name; // without its dashes
    char letter;      // of the short form; 0: there is none
    paf_option_kind kind;
    union {
        bool *flag;
        const char **text;
        int64_t *number; // a whole number of at least `least`
        paf_texts *texts;
    } to;
    int64_t least;
} paf_option;

// A command's options, beside --help, and how many files follow them.
typedef struct {
    const char *command, *help;
    const paf_option *options;
    int least_files, most_files;
} paf_usage;

// Reads the options; the files begin at argv[optind] then. False if the command ends here: help was
// asked for, or something is wrong, which it has complained about. *ret_status is the exit status.
bool paf_read_options(const paf_usage *usage, int argc, char **argv, int *ret_status);

// getopt_long() that complains; '?' means that it has.
int paf_next_option(const char *command, int argc, char **argv, const char *letters,
                    const struct option *options);

// True if the text looks like PREDICATE/N or MODULE:PREDICATE/N.
bool paf_is_indicator(const char *text);

// ---------------------------------------------------------------------------------------------
// Traces

// The process may take three quarters of what the machine has, or its control group.
// The figures of a long run of Fleng by virtual time, without its reductions (iotree/overview.h). NULL, and
// nothing is told: the run is short, or its figures cannot be had so.
iot *paf_sum_up(const char *path, const char *partition, bool more, iot_progress progress, void *data,
                trace **ret_trace);

void paf_limit_memory(void);
// --memory SIZE; false, with a complaint, if it is none.
bool paf_set_memory(const char *command, const char *size);
// The command does only that part of its work that takes less: no prices, or no history.
void paf_expect_part(void);
// False, with a complaint, if the command's analysis of the file would take more than it may, with those that were
// admitted before. No reductions are read for that; what cannot be looked at beforehand is admitted.
bool paf_admit(const char *command, const char *path);

// The trace, or NULL. If the file is damaged, it complains and sets *status to COMMAND_NOTHING;
// what is readable is returned all the same.
trace *paf_open_trace(const char *command, const char *path, int *status);
// False, with a complaint, if the file has no history: it is a profile, or holds totals alone.
bool paf_expect_history(const char *command, const char *path, const trace *t);
// text: a partition or the name of a file that holds one; NULL: the default partition. The result
// is NULL, with a complaint, if the text is wrong.
iot_partition *paf_read_partition(const char *command, const trace *t, const char *text);
// The same for one of two traces: entries that only the other trace has are left out.
iot_partition *paf_read_partition_among(const char *command, const trace *t, const trace *other,
                                        const char *text);

const char *paf_clock_name(const trace *t); // "virtual" or "real"
// False, with a complaint, if the option --clock names no clock; NULL is one.
bool paf_is_clock(const char *command, const char *name);
// The clock that the option names; NULL: real time of a measured run, virtual time of all others. Of a
// trace without real time it is virtual time in any case, with a complaint if real time was asked for.
iot_clock paf_choose_clock(const char *command, const trace *t, const char *name);
const char *paf_ending_name(trace_ending ending);
const char *paf_end_name(const trace *t); // how the trace ends: as the run did, or before it

// Tells a share of the work on standard error, if that is a terminal and the work takes a quarter of
// a second or more. data: the command's name, and what it does. Always true: an interrupt ends the command.
bool paf_tell_progress(void *data, double fraction);
void paf_end_progress(void); // takes the line away

// ---------------------------------------------------------------------------------------------
// Text. There is style on a terminal only.

typedef enum { STYLE_PLAIN, STYLE_STRONG, STYLE_DIM, STYLE_NOTE, STYLE_BAD } paf_style;

const char *paf_style_begin(paf_style style); // "" where there is no style
const char *paf_style_end(paf_style style);

// A table whose columns are as wide as their widest cells. Cells are copied.
typedef struct paf_table paf_table;

// alignment: a letter for each column, 'l' or 'r'.
paf_table *paf_table_create(const char *alignment);
void paf_table_add(paf_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds a count of steps or reductions; of a measured run, a time with its unit.
void paf_table_add_amount(paf_table *t, const trace *of, int64_t n);
void paf_table_add_nanoseconds(paf_table *t, int64_t n);
// An amount by virtual time, or nanoseconds.
void paf_table_add_time(paf_table *t, const trace *of, iot_clock clock, int64_t n);
// Prints the rows, the first as a heading, indented by two spaces. Frees the table.
void paf_table_print(paf_table *t);

// Writes a field of comma-separated values, and then `after` unless that is 0. A text that a
// spreadsheet would compute begins with an apostrophe, unless texts are to be kept as they are.
void paf_csv_keep_raw(void);
void paf_csv_text(const char *text, char after);

// ---------------------------------------------------------------------------------------------
// JSON

#define PAF_JSON_FORMAT 1 // raised when something that was there means something else

json_t *paf_json_text(const char *text); // invalid UTF-8 is replaced by U+FFFD
json_t *paf_json_take(char *text);       // the same; frees the text with free()
json_t *paf_json_count(uint64_t n);
json_t *paf_json_time(double time); // whole, unless costs were divided
json_t *paf_json_answer(void);      // of a command: an object that begins with its "format"
json_t *paf_json_cut(const trace_cut *cut); // what the whole run had
json_t *paf_json_dropped(const trace *t);   // dropped events, by place
void paf_json_print(json_t *value); // and frees it

#endif
