// SPDX-License-Identifier: MIT
//
// Types of variables and bounds of linear forms, for deciding whether guards can hold.
#ifndef FLENG_CHECK_LINEAR_H
#define FLENG_CHECK_LINEAR_H

#include "fleng/check/terms.h"

typedef uint32_t fl_types; // a set
enum {
    FL_TYPE_INTEGER = 1,
    FL_TYPE_FLOAT = 2,
    FL_TYPE_NUMBER = 3,
    FL_TYPE_ATOM = 4,
    FL_TYPE_STRING = 8,
    FL_TYPE_LIST = 16,
    FL_TYPE_STRUCT = 32,
    FL_TYPE_VECTOR = 64,
    FL_TYPE_UNBOUND = 128,
    FL_TYPE_ANY = 255,
};

fl_types fl_type_of(const fl_term *t);           // of a term that is no variable
fl_types fl_types_of_test(const char *name);     // integer, atom, ...; 0: not known

// c1 * v1 + c2 * v2 + ..., the first factor 1.
enum { FL_MOST_TERMS = 6 };
typedef struct {
    uint32_t n;
    uint32_t variable[FL_MOST_TERMS];
    double factor[FL_MOST_TERMS];
    double constant;
} fl_form;

typedef struct {
    fl_form form;
    double low, high;
    bool low_open, high_open;
    ARRAY_OF(double) excluded;
} fl_bounds;

typedef struct {
    ARRAY_OF(fl_bounds) bounds;
    ARRAY_OF(struct fl_defined { uint32_t variable; fl_part expression; }) defined;
    ARRAY_OF(const char *) opaque; // expressions that are not linear; each counts as a variable
    bool floats; // set by the caller: numbers may be floats; else all are taken to be integers
    bool empty;  // no numbers satisfy the comparisons
} fl_linear;

// X := Expression. False: it cannot hold.
bool fl_linear_define(fl_linear *l, fl_store *s, fl_part variable, fl_part expression);
// left `name` right. False: it cannot hold.
bool fl_linear_compare(fl_linear *l, fl_store *s, const char *name, fl_part left, fl_part right);
bool fl_linear_holds(const fl_linear *l);

#endif
