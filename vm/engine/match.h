// SPDX-License-Identifier: MIT
//
// Head matching over patterns (private to vm/). This is the slow way. It is taken where the code of a
// clause meets an unbound variable, where `otherwise` needs to know why the clauses above it failed,
// and by the diagnostics.
#ifndef VM_MATCH_H
#define VM_MATCH_H

#include "vm/engine/machine.h"
#include "vm/look.h"

typedef enum { MATCH_FITS, MATCH_WAITS, MATCH_FAILS } vm_match;

// All arguments, inner ones too, are tried; a mismatch beats a wait. MATCH_WAITS: vm_wait was
// called for every variable needed. MATCH_FAILS: *ret_mismatch (may be NULL) says where.
vm_match vm_match_head(vm_machine *m, const vm_clause *clause, const vm_word *args,
                       vm_mismatch *ret_mismatch);

// Records the bindings on the path to the first mismatch (for a repeated variable, to both
// occurrences). False: the head does not fail (its guard did) and nothing was recorded.
bool vm_match_path(vm_machine *m, const vm_clause *clause, const vm_word *args);

#endif
