// SPDX-License-Identifier: MIT
//
// Buffered output and input of a run. Output is written when its buffer is full, when a line ends
// on a terminal, when somebody flushes it, and at the end of the run; standard output and error also a
// twentieth of a second later at the latest (flusher.h).
#ifndef VM_OUTPUT_H
#define VM_OUTPUT_H

#include "vm/engine/flusher.h"
#include "vm/engine/machine.h"
#include "vm/term/text.h"

#include <pthread.h>

typedef struct vm_stream {  // open for writing
    struct vm_stream *next; // in vm_output.files
    int fd;                 // -1: closed
    bool lines;             // written line by line
    bool within_line;       // the last byte written does not end a line
    int error;              // errno of the first write that failed; 0: none
    uint64_t *room;         // bytes that the run may still write; NULL: any number
    const char *name;       // for messages
    base_text buffer;
    vm_flusher *flusher; // writes it, too; NULL: nobody does
    void *cursor; // how far the current message was searched for variables
} vm_stream;

typedef struct { // open for reading
    int fd;      // -1: closed
    bool ended;
    size_t begin, end; // of the bytes in the buffer
    char *buffer;
} vm_reader;

typedef struct vm_output {
    vm_stream out, err;
    vm_reader in;
    vm_stream *files; // that are open
    vm_flusher *flusher; // of out and err
    uint64_t room;       // bytes that all these may still take
    base_text scratch;
} vm_output;

vm_output *vm_output_create(uint64_t limit); // bytes that may be written; 0: no limit
void vm_output_flush(vm_output *o); // standard output and error; vm_finish_output() tells of failures
bool vm_output_sync(vm_output *o);  // these and all open files; false: a write failed, now or before
// Has standard input something to read? waits: for some milliseconds. What was written before is seen by
// then. lock: of o, held by nobody meanwhile, so that others can write.
bool vm_output_has_input(vm_output *o, pthread_mutex_t *lock, bool waits);
void vm_output_destroy(vm_output *o); // flushes and closes everything

// All return false if a write fails (s->error).
bool vm_stream_write(vm_stream *s, const char *bytes, size_t n);
bool vm_stream_flush(vm_stream *s);
const char *vm_stream_reason(const vm_stream *s); // why it failed
bool vm_stream_close(vm_output *o, vm_stream *s);
// Files that are opened to write are output, too, though they stay empty. False and EFBIG: no room is left.
bool vm_output_takes_file(vm_output *o);
// Opens a file; -1 and errno if it cannot be.
int vm_output_file(vm_output *o, const char *name, int flags);
const char *vm_output_reason(const vm_output *o, int reason); // why it could not
// NULL and errno if the file cannot be made.
vm_stream *vm_stream_open(vm_output *o, const char *name);
// The same for a file that is open already, or for one that keeps all in its buffer (fd -1).
vm_stream *vm_stream_from(vm_output *o, int fd, const char *name);

// NULL and errno if the file cannot be opened.
vm_reader *vm_reader_open(const char *name);
vm_reader *vm_reader_from(int fd);
vm_reader *vm_reader_from_text(const char *text, size_t length);
void vm_reader_close(vm_reader *r);
// The next line without its end: 1 and the line in *line (cleared before), 0 at the end of the
// input, -1 and errno.
int vm_reader_line(vm_reader *r, base_text *line);
// The next byte; -1 at the end of the input, -2 and errno.
int vm_reader_byte(vm_reader *r);
int vm_reader_peek(vm_reader *r); // the same, and the byte stays
void vm_reader_unread(vm_reader *r, char byte);
bool vm_reader_is_empty(const vm_reader *r); // must the next byte be waited for?
// Forgets the bytes in the buffer. Returns their number.
size_t vm_reader_drop(vm_reader *r);
// All that is left: 0, or -1 and errno.
int vm_reader_rest(vm_reader *r, base_text *text);

#endif
