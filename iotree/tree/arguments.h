// SPDX-License-Identifier: MIT
//
// The arguments of a process's first goal that are no variables: which members look at them. A member
// has an argument if its goal is the first one, or if its parent took the argument as a whole and gave
// it as a whole; a built-in also if it stands anywhere in its arguments.
#ifndef IOTREE_ARGUMENTS_H
#define IOTREE_ARGUMENTS_H

#include "iotree/graph/model.h"

// A member has the argument `origin` of the first goal at this position of its own goal.
typedef struct {
    uint32_t position, origin;
} held_argument;

// Asked about the members of one process in order of time.
typedef struct {
    iot *a;
    uint32_t process;
    struct held_range {
        size_t first;
        uint32_t n;
    } *held_by; // by member; NULL: nobody has any
    ARRAY_OF(held_argument) held;
    ARRAY_OF(uint32_t) looked; // origins that the member asked about looks at
    ARRAY_OF(uint32_t) origin_at; // by position in its head, + 1
} argument_search;

void iot_arguments_begin(argument_search *s, iot *a, uint32_t process);
// Fills s->looked with the origins, from 0, that the member of this rank looks at.
void iot_arguments_looked(argument_search *s, uint32_t rank, uint32_t reduction);
void iot_arguments_free(argument_search *s);

void iot_destroy_argument_moves(iot *a);

#endif
