// SPDX-License-Identifier: MIT
//
// From an address in a process that has ended to the place in its source (private to kpx-bridge/).
#ifndef KPX_SYMBOLS_H
#define KPX_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kpx_symbols kpx_symbols;

typedef struct {
    const char *file;     // as the compiler was given it; NULL: not known
    const char *function; // or NULL
    uint32_t line;        // 0: not known
    bool in_runtime;      // of OpenMP: the program's own call is not known
    uint32_t near;        // compiled by flang: a line that the construct does not stand before; else 0
    uint32_t until;       // compiled by gcc: the last line that may be its function's; else 0
} kpx_source_place;

kpx_symbols *kpx_symbols_create(void); // NULL without memory
void kpx_symbols_destroy(kpx_symbols *s);

// What was mapped: a line of /proc/PID/maps. Lines that mean nothing are left out.
void kpx_symbols_map(kpx_symbols *s, const char *line);

// What a call says of its place, `ADDRESS ;FILE;FUNCTION;LINE;COLUMN;;`: it has more weight than
// debug information. Texts that mean nothing are left out.
void kpx_symbols_ident(kpx_symbols *s, const char *text);

// `ADDRESS BODY`: the function that is carried out by a call begins with the line of the construct.
void kpx_symbols_body(kpx_symbols *s, const char *text);

// Of the call that returns to `address`. Texts live as long as s.
kpx_source_place kpx_symbols_find(kpx_symbols *s, uint64_t address);

// Functions that the call stands in, innermost first: those that the compiler wrote into others,
// and the one that has the code. Returns how many (at most `most`).
uint32_t kpx_symbols_functions(kpx_symbols *s, uint64_t address, const char **ret, uint32_t most);

// Where that call would be if the compiler had not written functions into others: the places of
// their calls, innermost first. Returns how many (at most `most`).
uint32_t kpx_symbols_callers(kpx_symbols *s, uint64_t address, kpx_source_place *ret, uint32_t most);

// The routine that the program calls is `callee`, but the call that returns to `address` may be one
// of a function that ends with calling it: the compiler makes a jump of that, which leaves no
// return address. Where the debug information tells so (GCC and clang do when they optimise): the
// address behind the jump. Else `address`. (symbols_calls.c)
uint64_t kpx_symbols_call(kpx_symbols *s, uint64_t address, const char *callee);
// `callee` as compilers name the routine of MPI: PMPI_Send, mpi_send_, mpi_send_f08.
bool kpx_is_name_of(const char *name, const char *callee);

// Lines of what comes before and after the statement of that call in the code, 0: none.
void kpx_symbols_lines_around(kpx_symbols *s, uint64_t address, uint32_t *ret_before,
                              uint32_t *ret_after);
// The line is known better than the debug information has it.
void kpx_symbols_correct(kpx_symbols *s, uint64_t address, uint32_t line);

// Calls `each` for the sources that the debug information names, of files where something was
// looked up already. One may come several times.
void kpx_symbols_sources(kpx_symbols *s, void (*each)(void *data, const char *path), void *data);

// Why lines are missing, for a message: "a.out has no debug information", or NULL.
const char *kpx_symbols_complaint(const kpx_symbols *s);

#endif
