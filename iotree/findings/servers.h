// SPDX-License-Identifier: MIT
//
// What the detectors of servers share: of states in vectors and maps (servers.c), and of states in
// arguments (registers.c).
#ifndef IOTREE_FINDINGS_SERVERS_H
#define IOTREE_FINDINGS_SERVERS_H

#include "iotree/findings/loops.h"

// A candidate at the clause that takes requests; takes the draft. first, last: members of the loop
// in one turn. *ret_where: "serve/3 (x.fl:4)", malloc'ed.
candidate *iot_add_server(const loops *l, candidates *c, uint32_t first, uint32_t last,
                          change_draft *d, char **ret_where);

#endif
