// SPDX-License-Identifier: MIT
//
// The files that commands write. A file is whole, or what had its name before is untouched:
//
//   open                              close
//    |                                  |
//   .NAME.4f1c….part  --- written --->  NAME        abandon, a failure or a signal: the part is gone
//
// A file that *grows* has its name from the beginning, so that it can be read meanwhile. What had the
// name is kept until the new file is worth something:
//
//   open                     settle                  close
//    |                          |                      |
//   NAME -> NAME~ (or ~2 ...)   |                      |
//   .NAME….part -> NAME  ---- grows ---------------- whole
//                            NAME~ is gone           abandon before settle: NAME~ -> NAME
//
// A part has a lock as long as its process lives. Who opens NAME the next time removes the parts
// that nobody locks, and refuses a file that still grows.
//
// No output may be a file that the command reads, the program itself, or another output. Files are
// compared by device and inode, so links deceive nobody. What is no plain file (a pipe, a terminal,
// /dev/null) is written to as it is.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct base_output base_output;

typedef enum {
    BASE_OUTPUT_WHOLE,
    BASE_OUTPUT_GROWS,
    BASE_OUTPUT_VERSION, // whole; the process may have other outputs of this name, and each replaces
                         // the one that was closed before
} base_output_kind;

// Whether a file that will be replaced by one that grows is worth being kept as NAME~.
typedef bool base_output_worth(int fd);

// No output of this process may replace this file; `what` says why ("it is read") and stays the
// caller's. A path where no file is counts as nothing. Without memory nothing is protected, and the
// result is false.
bool base_output_protect(const char *path, const char *what);
// The same for all files in a folder, as they are now; and no output is made there.
bool base_output_protect_folder(const char *path, const char *what);

// NULL and *ret_error ("PATH: cannot create: REASON" or "PATH: WHAT; it is not (over)written",
// malloc'ed; NULL without memory) if that cannot be written. `worth` is for files that grow; NULL: every
// file is worth being kept. Thread-safe, as all of this header.
base_output *base_output_open(const char *path, base_output_kind kind, base_output_worth *worth,
                              char **ret_error);
bool base_output_has_name(const base_output *o); // false: a pipe, a device
int base_output_fd(const base_output *o); // to write to; closed by base_output_close()
// A stream on it, which is the output's. NULL without memory.
FILE *base_output_stream(base_output *o);
// What is there of a growing file is worth more than what had its name before.
void base_output_settle(base_output *o);
// The file is whole and takes its name; it has the mode and, where allowed, the owner of the one
// before. False and *ret_error ("PATH: cannot write: REASON") if it is not: then NAME is what it was,
// or, of a growing file that has settled, what could be written. Frees o.
bool base_output_close(base_output *o, char **ret_error);
void base_output_abandon(base_output *o); // which may be NULL
// The same; but if a version has settled and no file has its name, or one of this process that has less
// (base_output_for()), what could be written takes it.
void base_output_leave(base_output *o);

// This process writes versions for another one, `first`, and the last one also when that was killed. From
// now on each version is marked so, and what has the name NAME now. While this process lives and `first`
// does not, what has the name is not the last one: opening it as an output waits, and so does
// base_output_await().
void base_output_for(pid_t first, const char *path);
// Waits if somebody finishes the file. True: it waited, so the name may mean another file now.
bool base_output_await(int fd);

// From now on a signal that would end the process (HUP, INT, TERM, XCPU) removes the parts before.
void base_output_mind_signals(void);
// The same for a handler of the caller's; async-signal-safe. A growing file that has not settled gives
// its name back.
void base_output_remove_parts(void);

// To be called first in main(). Descriptors 0, 1 and 2 that are closed become ones that cannot be read
// or written, so that no file opened later gets their numbers. A file that reaches the limit of sizes
// (ulimit -f) is one that cannot be written. The end of the process for want of memory (memory.h) removes
// parts.
void base_output_begin(void);

// The last thing in main(): has all that was written to standard output arrived? If not, it says so in
// the name of the command ("paf report"), and a status of 0 becomes 1.
int base_output_end(const char *command, int status);

#endif
