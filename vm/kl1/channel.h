// SPDX-License-Identifier: MIT
//
// The files and strings behind KL1's I/O streams. A goal `klicio:stream(S)` reads and writes one as
// the messages of S say; the channel is the goal's progress.
#ifndef VM_CHANNEL_H
#define VM_CHANNEL_H

#include "vm/engine/output.h"

typedef struct vm_channel {
    vm_reader *in;   // NULL: not open for reading
    vm_stream *out;  // NULL: not open for writing
    const char *name;
    bool standard;   // standard input, output or error: never closed
    bool closed;     // fclose was asked for
    uint64_t lines;  // newlines read (written, where nothing is read)
    vm_word text;    // string_output: gets what was written; 0: there is none
    void *cursor;    // how far the message in turn was searched for variables
} vm_channel;

typedef enum { CHANNEL_READ, CHANNEL_WRITE, CHANNEL_APPEND, CHANNEL_UPDATE } vm_channel_mode;

vm_channel *vm_channel_standard(vm_machine *m, bool in, bool out, bool err);
vm_channel *vm_channel_open(vm_machine *m, const char *name, vm_channel_mode mode); // NULL: errno
vm_channel *vm_channel_pipe(vm_machine *m, vm_channel **ret_out);                   // NULL: errno
vm_channel *vm_channel_from_string(const vm_string *s);
vm_channel *vm_channel_to_string(vm_word text);

void vm_channel_rewind(void *progress); // for the table of built-ins

// A goal that serves the messages of a new variable: *ret_stream.
void vm_channel_serve(vm_machine *m, vm_channel *c, vm_word *ret_stream);
void vm_channel_serve_stream(vm_machine *m, vm_channel *c, vm_word stream);

#endif
