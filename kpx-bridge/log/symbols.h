// SPDX-License-Identifier: MIT
//
// From an address in a process that has ended to its place in the source (private to kpx-bridge/).
#ifndef KPX_SYMBOLS_H
#define KPX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kpx_symbols kpx_symbols;

typedef struct {
    const char *file;     // as the compiler was given it; NULL: not known
    const char *function; // or NULL
    uint64_t offset;      // from the beginning of the function, or of the image if that is not known
    const char *image;    // the file that has the code, or NULL
    uint32_t line;        // 0: not known
    bool in_runtime;      // the address is in OpenMP's runtime: the program's call is unknown
    uint32_t near;        // compiled by flang: the construct is at this line or later; else 0
    uint32_t until;       // compiled by gcc: the function ends at this line or before; else 0
} kpx_source_place;

kpx_symbols *kpx_symbols_create(void); // NULL without memory
void kpx_symbols_destroy(kpx_symbols *s);

// Adds a mapping: a line of /proc/PID/maps. Invalid lines are ignored.
void kpx_symbols_map(kpx_symbols *s, const char *line);

// Constructs of OpenMP have addresses that stand for them (kpx_omp_construct() of recorder.h); here they
// may be used like return addresses. Invalid texts are ignored.
//
// Adds an ident, the place that a call passes to the runtime: `IDENT ADDRESS BODY
// ;FILE;FUNCTION;LINE;COLUMN;;`, where the call returns to ADDRESS and runs the function BODY (or 0). It
// overrides debug information.
void kpx_symbols_ident(kpx_symbols *s, const char *text);

// Adds `BODY ADDRESS`: the call that returns to ADDRESS runs the function BODY, whose first line is the
// construct's.
void kpx_symbols_body(kpx_symbols *s, const char *text);

// The place of the call that returns to `address`, or of a construct. Texts live as long as s.
kpx_source_place kpx_symbols_find(kpx_symbols *s, uint64_t address);

// The functions that contain the call, innermost first: inlined functions, then the function that
// has the code. Returns their number (at most `most`).
uint32_t kpx_symbols_functions(kpx_symbols *s, uint64_t address, const char **ret, uint32_t most);

// The call sites of the inlined functions that contain the call, innermost first. Returns their
// number (at most `most`).
uint32_t kpx_symbols_callers(kpx_symbols *s, uint64_t address, kpx_source_place *ret, uint32_t most);

// The program calls `callee`, and that returns to `address`. But the call at `address` may be the
// call of another function, which ends by jumping to `callee` (a tail call leaves no return
// address). If the debug information says so (optimising GCC and clang write it), the result is the
// address after the jump; else it is `address`. (tail_calls.c)
uint64_t kpx_symbols_call(kpx_symbols *s, uint64_t address, const char *callee);
// Whether compilers use this name for the MPI routine `callee`: PMPI_Send, mpi_send_, mpi_send_f08.
bool kpx_is_name_of(const char *name, const char *callee);

// The first line of the function that contains the call which is in a file that is not to be skipped.
// Leaves *place alone if there is none.
void kpx_symbols_within(kpx_symbols *s, uint64_t address, bool (*skip)(const char *file),
                        kpx_source_place *place);
// The lines of the code before and after the statement of that call, 0: none.
void kpx_symbols_lines_around(kpx_symbols *s, uint64_t address, uint32_t *ret_before,
                              uint32_t *ret_after);
// Replaces the line that the debug information has.
void kpx_symbols_correct(kpx_symbols *s, uint64_t address, uint32_t line);

// Calls `each` for the sources in the debug information of those mapped files where something has
// been looked up. A source may come several times.
void kpx_symbols_sources(kpx_symbols *s, void (*each)(void *data, const char *path), void *data);

// Why lines are missing, for a message: "a.out has no debug information", or NULL.
const char *kpx_symbols_complaint(const kpx_symbols *s);

#endif
