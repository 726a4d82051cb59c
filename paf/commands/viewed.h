// SPDX-License-Identifier: MIT
//
// viewed: what can be told of the viewer's arguments before there is a window.
#ifndef PAF_VIEWED_H
#define PAF_VIEWED_H

#include "iotree/prices.h"

typedef struct {
    const char *const *paths;
    int npaths;
    const char *const *commands; // one of them may have been meant by what is no file
    unsigned ncommands;
    const char *partition, *bookmark; // as asked for, or NULL
    const iot_operation *operations;  // what if: as asked for
    uint32_t noperations;
    bool desktop; // errors of files are for the window to tell
} paf_viewed;

// An exit status (command.h), with a complaint unless it is COMMAND_OK. ret_partitions: as text, of each of
// the files (free()), unless there is none to be told.
int paf_check_viewed(const paf_viewed *v, char *ret_partitions[2]);

#endif
