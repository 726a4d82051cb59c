// SPDX-License-Identifier: MIT
//
// What the text of a Fortran source says without being compiled (private to kpx-bridge/; the
// compiler plugin uses it, too): program units, DO statements and I/O statements, with the columns
// of the ktool report that only the text has (SEQ., LABEL, T), and calls of MPI.
//
// Fixed and free form; comments, continued lines, strings, Hollerith constants, `;`, lines of the
// preprocessor. The scanner reads both branches of an #if. It skips interface blocks and does not
// follow INCLUDE lines.
//
// The scanner refuses nothing and counts no errors. It recognises the statements that it looks for
// and skips all others, so it cannot tell a statement that it misread from one that it does not
// need. The compiler's view is the check: the report shows a loop that the scan found and the
// compiler did not (KPX_SITE_UNSEEN), and tests compare both on random programs.
#ifndef KPX_FORTRAN_SCAN_H
#define KPX_FORTRAN_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

#define KPX_NAME_SIZE 64 // longer names are cut off

typedef enum {
    KPX_UNIT_PROGRAM,
    KPX_UNIT_SUBROUTINE,
    KPX_UNIT_FUNCTION,
    KPX_UNIT_ENTRY,
    KPX_UNIT_OTHER, // module, submodule, block data: nothing is executed in it
} kpx_unit_kind;

typedef struct {
    kpx_unit_kind kind;
    char name[KPX_NAME_SIZE]; // lower case; a main program without a name: "main"
    uint32_t line, last_line;
    uint32_t nloops, nio;
} kpx_unit;

typedef enum {
    KPX_DO_COUNTED,    // DO I = 1, N
    KPX_DO_WHILE,      // DO WHILE (...)
    KPX_DO_FOREVER,    // DO
    KPX_DO_CONCURRENT, // no loop in the sense of the report
} kpx_do_kind;

typedef struct {
    kpx_do_kind kind;
    bool definite;          // nothing leaves it early: its trip count is known (T = 1)
    uint32_t unit;          // index
    uint32_t parent;        // the enclosing loop, or UINT32_MAX
    uint32_t seq;           // 1 for the first in its unit
    uint32_t label;         // of the statement that ends it, 0: END DO
    uint32_t line, column;  // of its first character
    uint32_t header_line, header_column; // of the last character of the DO statement
    uint32_t last_line;     // where it ends
    char name[KPX_NAME_SIZE];
} kpx_do_loop;

typedef struct {
    uint32_t unit, seq, line, last_line;
    const char *kind;             // "read", "write", "print", "open", ...
    char number[KPX_NAME_SIZE];   // the unit as written, "*" for the standard ones
} kpx_io_statement;

// A call of MPI: a CALL, or MPI_WTIME() and MPI_WTICK() in an expression.
typedef struct {
    uint32_t unit, line, last_line;
    char name[KPX_NAME_SIZE]; // lower case: mpi_send
} kpx_mpi_statement;

typedef struct {
    ARRAY_OF(kpx_unit) units;
    ARRAY_OF(kpx_do_loop) loops;    // by line
    ARRAY_OF(kpx_io_statement) ios; // by line
    ARRAY_OF(kpx_mpi_statement) calls; // likewise
} kpx_scan;

typedef struct {
    bool fixed;
    uint32_t line_length; // of fixed form, 0: 72
} kpx_scan_form;

// By the suffix of the name, as gfortran decides.
kpx_scan_form kpx_fortran_form(const char *path);
bool kpx_is_fortran(const char *path);

// NULL without memory: the compiler plugin goes on without the source.
kpx_scan *kpx_scan_fortran(const char *text, size_t length, kpx_scan_form form);
void kpx_scan_destroy(kpx_scan *s);

#endif
