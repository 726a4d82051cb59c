// SPDX-License-Identifier: MIT
//
// Arithmetic (private to vm/): numbers, and expressions as terms.
#ifndef VM_ARITH_H
#define VM_ARITH_H

#include "vm/code/arithmetic.h"
#include "vm/engine/machine.h"
#include "vm/term/big.h"

typedef enum {
    ARITH_OK,
    ARITH_WAIT,
    ARITH_ERROR, // *ret_culprit, reason
} vm_arith_status;

// The value of an expression term, an integer or float word. The functor is looked at first, then the
// operands from left to right; the first unbound or wrong one decides. On ARITH_WAIT vm_wait was
// called. written: the expression as the program has it; its variables must be bound to numbers. NULL:
// the expression is a term that was called, and its variables may be bound to further expressions.
vm_arith_status vm_evaluate(vm_machine *m, vm_word expression, const vm_pattern *written,
                            vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit);

// Applies operator op to numbers (the guard code's way in). *ret_reason on error.
vm_arith_status vm_arith_apply(int op, const vm_word *operands, vm_word *ret_value,
                               const char **ret_reason);
// May applying the operator to numbers take so long, or so much memory, that a goal should do it?
bool vm_arith_is_long(int op, const vm_word *values, uint32_t n);
bool vm_is_number(vm_word w); // small or big integer, float
int vm_number_compare(vm_word a, vm_word b); // -1, 0, 1; 2: unordered (NaN)

// Numbers of which at least one is a float, as floats. False: they are none, or an integer is large.
static inline bool vm_as_floats(vm_word a, vm_word b, double *ret_a, double *ret_b)
{
    if (vm_is_box(a, BOX_FLOAT))
        *ret_a = ((const vm_float *)vm_as_box(a))->value;
    else if (vm_tag(a) == TAG_INT)
        *ret_a = (double)vm_int_value(a);
    else
        return false;
    if (vm_is_box(b, BOX_FLOAT))
        *ret_b = ((const vm_float *)vm_as_box(b))->value;
    else if (vm_tag(b) == TAG_INT && vm_tag(a) != TAG_INT)
        *ret_b = (double)vm_int_value(b);
    else
        return false;
    return true;
}

// The same, to be compared: false also where an integer has no float of its value, and without order.
static inline bool vm_as_exact_floats(vm_word a, vm_word b, double *ret_a, double *ret_b)
{
    enum { EXACT_BITS = 53 };
    if (!vm_as_floats(a, b, ret_a, ret_b))
        return false;
    vm_word whole = vm_tag(a) == TAG_INT ? a : b;
    if (vm_tag(whole) == TAG_INT && (vm_int_value(whole) >> EXACT_BITS) != 0 &&
        (vm_int_value(whole) >> EXACT_BITS) != -1)
        return false;
    return *ret_a == *ret_a && *ret_b == *ret_b;
}

// Two immediate integers; false: the general way must do it.
static inline bool vm_calculate_small(vm_arith_op op, int64_t a, int64_t b, vm_word *ret)
{
    int64_t r;
    switch (op) {
    case ARITH_PLUS_2:
        r = a + b; // of 61 bits each
        break;
    case ARITH_MINUS_2:
        r = a - b;
        break;
    case ARITH_TIMES_2:
        if (__builtin_mul_overflow(a, b, &r))
            return false;
        break;
    case ARITH_SLASH_2:
    case ARITH_INT_DIVIDE_2:
        if (b == 0)
            return false;
        r = a / b;
        break;
    case ARITH_REM_2:
        if (b == 0)
            return false;
        r = a % b;
        break;
    case ARITH_MOD_2:
        if (b == 0)
            return false;
        r = a % b;
        if (r != 0 && (r < 0) != (b < 0))
            r += b;
        break;
    case ARITH_MIN_2:
        r = b < a ? b : a;
        break;
    case ARITH_MAX_2:
        r = b > a ? b : a;
        break;
    case ARITH_AND_2:
        r = a & b;
        break;
    case ARITH_OR_2:
        r = a | b;
        break;
    case ARITH_XOR_2:
        r = a ^ b;
        break;
    case ARITH_SHIFT_LEFT_2:
        if (b < 0 || b > 60 || a > VM_INT_MAX >> b || a < VM_INT_MIN >> b)
            return false;
        r = (int64_t)((uint64_t)a << b);
        break;
    case ARITH_SHIFT_RIGHT_2:
        if (b < 0)
            return false;
        r = a >> (b < 63 ? b : 63);
        break;
    default:
        return false;
    }
    *ret = vm_heap_integer(r);
    return true;
}

#endif
