// SPDX-License-Identifier: MIT
//
// The recorder and the buffers of real runs, shared by the files of this room.
//
// The reductions of an ideal run arrive in the order of the file and are written at once
// (record.c). Those of a real run arrive in any order, from several workers at the same time. Each
// machine writes them to a buffer of its own (real_run.c). At the end of the run they are sorted
// by virtual time, their goals and cells get their final numbers, and they are written
// (sort_real_run.c).
#ifndef FLENG_RECORDER_H
#define FLENG_RECORDER_H

#include "fleng/reader/collected.h"
#include "fleng/record/snapshots.h"
#include "fleng/record/record.h"
#include "fleng/record/spill_file.h"
#include "fleng/compile/template.h"
#include "vm/recorder.h"
#include "vm/states.h"

#include <pthread.h>
#include <sys/types.h>

// A trace of some modules: the goals that are recorded in full (selected_modules.c).
typedef struct {
    bool *named;    // by predicate id: the program's predicates of these modules
    uint8_t *goals; // a bit for each goal: its parent is recorded in full
    uint32_t ngoals;
    size_t capacity; // bytes
} fl_part;

// The records of one machine of a real run. Only the machine's own thread writes here. Records hold
// no pointers and never change. A stamp leads to its record; during the run another thread that has
// the stamp from vm_stamps() may read the record and everything that it names (fl_look_at).
typedef struct {
    ARRAY_OF(uint8_t *) blocks; // on the collected heap; further ones are in the spill
    uint8_t *at, *end;          // free in the last block
    pthread_mutex_t lock;       // of the arrays below being replaced by longer ones
    ARRAY_OF(vm_word) boxes;    // constants that records name by place
    ARRAY_OF(vm_late) late;
    uint64_t ncells;
    char apart[64]; // two threads do not share a cache line
} fl_buffer;

// The contents of a buffer at one time; there may be more by now.
typedef struct {
    const vm_word *boxes;
    const vm_late *late;
    uint32_t nlate;
    uint64_t ncells;
} fl_look;

// The arrays of one reduction are kept from one to the next; values of cells and goals lie in one
// array and are pointed to when it has stopped growing.
enum { STATES_EVERY = 1000 }; // ns between samples of what the workers of a real run do

struct fl_recorder {
    vm_recorder interface;
    tw *writer;
    tw_room *room; // of the writer
    trace_cut cut;
    const char *path; // the caller's
    const fl_program *program;
    const vm_program *code;
    uint32_t *predicates; // trace index + 1 by predicate id, 0: not yet written
    uint32_t *dynamic;    // clause of a built-in + 1 by predicate id
    ARRAY_OF(uint32_t) atoms; // string + 1 by atom number
    uint32_t builtin_module;
    ARRAY_OF(const char *) module_names;
    ARRAY_OF(uint32_t) module_indices; // by place in module_names

    ARRAY_OF(uint32_t) reads;
    ARRAY_OF(uint32_t) followed;
    ARRAY_OF(int64_t) times; // of the reads
    ARRAY_OF(trace_binding) bindings;
    ARRAY_OF(uint32_t) passed_ends, passed; // of the bindings
    // Of a real run's bindings: what workers recorded as passed on, whether the value was a
    // variable; what others read on behalf of the reduction.
    ARRAY_OF(uint32_t) recorded_ends, recorded;
    ARRAY_OF(bool) to_variable;
    ARRAY_OF(uint32_t) read_late;
    ARRAY_OF(trace_value) holes;
    ARRAY_OF(trace_value) values;
    ARRAY_OF(trace_cell) cells;
    ARRAY_OF(trace_goal) goals;

    fl_part *part; // NULL: all is recorded in full

    // Of a real run, else 0 and NULL.
    uint32_t nbuffers; // machines
    fl_buffer *buffers;
    fl_spill *spill; // NULL: all is in memory
    fl_keeper *keeper;
    ino_t beginning; // the version of no reductions that has the name, or had it; 0: none
    uint32_t workers;
    vm_states *states; // NULL: of a seeded run, whose workers are no threads
    fl_record_options options;
};

#define FL_RESERVE(array, wanted)                                                                  \
    do {                                                                                           \
        if ((array).capacity < (wanted))                                                           \
            (array).at = array_grown_on(&fl_heap, (array).at, &(array).capacity, wanted,           \
                                        sizeof *(array).at);                                       \
        (array).n = (wanted);                                                                      \
    } while (0)

// Entries of the trace's tables, written when they are first asked for.
uint32_t fl_trace_atom(fl_recorder *r, uint32_t atom); // the string of its text
uint32_t fl_trace_predicate(fl_recorder *r, const vm_predicate *p);
uint32_t fl_trace_dynamic(fl_recorder *r, const vm_predicate *p); // the clause of a built-in
trace_value fl_trace_box(fl_recorder *r, vm_word w); // number or string

// ---- Some modules -----------------------------------------------------------------------------

// NULL, with *ret_error (malloc'ed), if the program has no such module.
fl_part *fl_part_create(const vm_program *code, const char *modules, char **ret_error);
// Called once for each reduction, in the order of the file. True if it is recorded in full, which
// the beginning (predicate NULL) always is. `ngoals`: how many goals the reduction creates.
bool fl_part_has(fl_part *p, const vm_predicate *predicate, uint32_t goal, uint32_t ngoals);
// Keeps of a reduction's reads only those that decided its time, and returns their number. `times`
// are the times of the bindings read.
uint32_t fl_part_decisive(uint32_t *reads, const int64_t *times, uint32_t n, int64_t created);

// ---- Real runs ------------------------------------------------------------------------------

void fl_record_real(void *data, const vm_event *event);
void *fl_take_room(void *data, size_t bytes);
fl_look fl_look_at(fl_buffer *b); // after vm_stamps()

// The beginning of a reduction's record (real_run.def).
typedef struct {
    uint32_t machine;
    uint64_t first_cell, ncells; // by the machine's count
    uint32_t clause;             // + 1; 0: a built-in
    uint32_t predicate;          // of a built-in
} fl_head;

// A value is recorded as 8 * n + kind.
enum {
    FL_TOKEN_OWN,     // n: zigzag of how far before this reduction's first cell, of the same machine
    FL_TOKEN_FOREIGN, // n: 256 * count + machine
    FL_TOKEN_INT,     // n: zigzag
    FL_TOKEN_ATOM,    // n: atom number
    FL_TOKEN_BOX,     // n: place in the buffer's boxes
    FL_TOKEN_FLOAT,   // n: 0; the double follows
};

// After the run: writes all records, the suspended goals, and how many reductions raced.
// *ret_failed is the number of the goal that failed, if there is one and the trace has it. False:
// out of memory.
bool fl_write_real(fl_recorder *r, vm_machine *m, const vm_goal *failure, uint32_t *ret_failed);
// During the run: writes the records so far. False when *stop is set, or without memory.
bool fl_write_so_far(fl_recorder *r, const vm_machine *m, const bool *stop);

// A recorder for the same run as r, which reads the records of r's machines and writes another version
// of the trace. r can write nothing afterwards: strings have the numbers of the new one.
fl_recorder *fl_recorder_version(const fl_recorder *r, char **ret_error);

#endif
