// SPDX-License-Identifier: MIT
//
// Inputs and outputs of one process, and the causes of each of its members: its parent and the
// makers of the bindings that it read, if they are members too, and the inputs that it read itself.
#ifndef IOTREE_CAUSES_H
#define IOTREE_CAUSES_H

#include "iotree/graph/model.h"

typedef struct process_io {
    uint32_t ninputs, noutputs;
    iot_input *inputs;
    iot_output *outputs;
    uint32_t *makers; // by output: rank of the member that made it
} process_io;

// A link is the rank of an earlier member, or an input.
#define LINK_INPUT 0x80000000u

// links[first[i] .. first[i + 1]): of the member of rank i, its parent first.
typedef struct process_causes {
    uint32_t process, n;
    size_t *first;
    uint32_t *links;
} process_causes;

// The caller holds the lock. The causes are good until those of another process are asked for.
const process_io *iot_ensure_io(iot *a, uint32_t process);
const process_causes *iot_ensure_causes(iot *a, uint32_t process);
void iot_destroy_io(iot *a);

// Writes the number of inputs that each output needs into io->outputs[].needed.
void iot_count_needed(const iot *a, const process_causes *causes, process_io *io);

#endif
