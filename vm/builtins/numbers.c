// SPDX-License-Identifier: MIT
//
// Built-in predicates: arithmetic.
#include "vm/engine/machine.h"
#include "vm/builtins/builtins.h"

// The expression as the goal that runs was written in the text; NULL: it was called as a term.
static const vm_pattern *written_expression(const vm_machine *m)
{
    const vm_clause *clause = m->program->clauses[m->reduction.goal->site.clause];
    return clause->sites[m->reduction.goal->site.index].expression;
}

vm_result vm_assign(vm_machine *m, vm_word *args)
{
    vm_word value, culprit;
    const char *reason;
    switch (vm_evaluate(m, args[1], written_expression(m), &value, &reason, &culprit)) {
    case ARITH_WAIT:
        return VM_WAIT;
    case ARITH_ERROR:
        return vm_error(m, culprit, "%s", reason);
    case ARITH_OK:
        break;
    }
    return vm_return(m, args[0], value);
}

vm_result vm_compute(vm_machine *m, vm_word *args)
{
    uint32_t name;
    vm_word operands[2], value;
    const char *reason;
    NEED(vm_need_atom(m, args[0], &name));
    int op = vm_arith_operator(vm_functor(name, 2));
    if (op < 0)
        return vm_error(m, vm_atom(name), "an arithmetic operator is expected");
    for (int i = 0; i < 2; i++) {
        if (vm_arith_needs_integers(op))
            NEED(vm_need_integer(m, args[i + 1], &operands[i]));
        else
            NEED(vm_need(m, args[i + 1], &operands[i]));
        if (!vm_is_number(operands[i]))
            return vm_error(m, operands[i], "a number is expected");
    }
    if (vm_arith_apply(op, operands, &value, &reason) != ARITH_OK)
        return vm_error(m, 0, "%s", reason);
    return vm_return(m, args[3], value);
}
