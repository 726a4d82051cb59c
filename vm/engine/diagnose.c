// SPDX-License-Identifier: MIT
//
// Looking at goals and terms when a run is over, for diagnostics. These functions follow every binding
// and change nothing.
#include "vm/code.h"
#include "vm/engine/arith.h"
#include "vm/engine/bind.h"
#include "vm/engine/equal.h"
#include "vm/engine/loop_entry.h"
#include "vm/engine/match.h"
#include "vm/engine/query.h"
#include "vm/look.h"

#include <gc.h>
#include <string.h>

vm_word vm_value(vm_word w)
{
    return vm_end_of(w);
}

bool vm_get_origin(const vm_var *v, vm_origin *ret)
{
    vm_word value = vm_load(&v->value);
    while (vm_tag(value) == TAG_UNBOUND && !vm_is_unawaited(value) && vm_pointer(value))
        value = vm_after(vm_pointer(value));
    if (vm_tag(value) == TAG_UNBOUND && vm_origin_of_place(value))
        *ret = *vm_origin_of_place(value);
    else if (GC_base((void *)v) == (const void *)v)
        *ret = v->origin;
    else
        return false;
    return true;
}

void vm_explain(vm_machine *m, const vm_goal *goal, const vm_clause *clause,
                vm_mismatch *ret_mismatch)
{
    m->attempt.limit = INT64_MAX;
    *ret_mismatch = (vm_mismatch){0};
    m->attempt.waits.n = m->attempt.reads.n = 0;
    if (vm_match_head(m, clause, goal->args, ret_mismatch) == MATCH_FITS)
        ret_mismatch->fails = true; // the guard
    ret_mismatch->values = m->attempt.first;
}

// ---- Tests ------------------------------------------------------------------------------------

// Runs the test under way as if nothing had been bound later than now.
static void begin_look(vm_machine *m)
{
    m->attempt.limit = INT64_MAX;
    m->attempt.waits.n = m->attempt.reads.n = 0;
}

vm_look vm_look_number(vm_machine *m, vm_word expression, const vm_pattern *written,
                       vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit)
{
    begin_look(m);
    switch (vm_evaluate(m, expression, written, ret_value, ret_reason, ret_culprit)) {
    case ARITH_OK:
        return VM_LOOK_HOLDS;
    case ARITH_WAIT:
        return VM_LOOK_WAITS;
    case ARITH_ERROR:
        break;
    }
    return VM_LOOK_FAILS;
}

int vm_look_compare_numbers(vm_word left, vm_word right)
{
    return vm_number_compare(left, right);
}

vm_look vm_look_equal(vm_machine *m, vm_word left, vm_word right)
{
    begin_look(m);
    switch (vm_test_equal(m, left, right)) {
    case VM_EQUAL:
        return VM_LOOK_HOLDS;
    case VM_UNDECIDED:
        return VM_LOOK_WAITS;
    case VM_DIFFERENT:
        break;
    }
    return VM_LOOK_FAILS;
}

vm_look vm_look_test(const char *name, vm_word w)
{
    w = vm_end_of(w);
    if (vm_is_var(w))
        return VM_LOOK_WAITS;
    int test = vm_test_number(name);
    return test >= 0 && vm_passes((uint32_t)test, w) ? VM_LOOK_HOLDS : VM_LOOK_FAILS;
}

void vm_look_functor(vm_word w, vm_word *ret_name, vm_word *ret_arity)
{
    vm_name_and_arity(w, ret_name, ret_arity);
}
