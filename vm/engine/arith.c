// SPDX-License-Identifier: MIT
//
// Arithmetic: unbounded integers (immediate, or GMP's beyond 61 bits; results are always brought
// back to the shorter form) and finite doubles. An operation on two integers gives an integer
// (`/` truncates), one with a double a double. What has no finite result is an error, so that
// infinities and NaN never come into being.
#include "vm/engine/arith.h"

#include "vm/code.h"
#include "vm/code/arithmetic.h"
#include "vm/engine/builtin.h"
#include "vm/engine/machine.h"
#include "vm/memory.h"
#include "vm/term/big.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

#include <math.h>

// Results beyond this many bits are refused before the memory is taken.
#define MAX_BITS ((uint64_t)1 << 31)

static const char *const too_large = "the result is too large";
static const char *const division_by_zero = "division by zero";

static bool is_integer(vm_word w)
{
    return vm_tag(w) == TAG_INT || vm_is_box(w, BOX_BIG);
}

bool vm_is_number(vm_word w)
{
    return vm_tag(w) == TAG_INT || (vm_tag(w) == TAG_BOX && vm_as_box(w)->kind <= BOX_FLOAT);
}

// ---- Views of integers ----------------------------------------------------------------------

typedef struct { // an immediate integer as GMP sees one, without allocating
    mpz_t value;
    mp_limb_t limb;
} integer_view;

static mpz_srcptr view(vm_word w, integer_view *v)
{
    if (vm_tag(w) == TAG_BOX)
        return ((const vm_big *)vm_as_box(w))->value;
    int64_t i = vm_int_value(w);
    v->limb = (mp_limb_t)(i < 0 ? -i : i);
    return mpz_roinit_n(v->value, &v->limb, i < 0 ? -1 : i > 0);
}

static uint64_t bits_of(mpz_srcptr z)
{
    return mpz_sizeinbase(z, 2);
}

// Bits of the larger one of result and operands, at most.
static uint64_t size_of(vm_arith_op op, mpz_srcptr x, mpz_srcptr y)
{
    uint64_t a = bits_of(x), b = bits_of(y), by = mpz_size(y) > 1 ? UINT32_MAX : mpz_getlimbn(y, 0);
    by = by < MAX_BITS ? by : MAX_BITS;
    bool grows;
    switch (op) {
    case ARITH_TIMES_2:
        return a + b;
    case ARITH_POWER_2:
        return a > MAX_BITS || a <= 1 ? a : a * by;
    case ARITH_SHIFT_LEFT_2:
    case ARITH_SHIFT_RIGHT_2:
        grows = mpz_sgn(x) != 0 && (op == ARITH_SHIFT_LEFT_2) == (mpz_sgn(y) > 0);
        return a + (grows ? by : 0);
    default:
        return a > b ? a : b;
    }
}

static bool is_division(vm_arith_op op)
{
    return op == ARITH_SLASH_2 || op == ARITH_INT_DIVIDE_2 || op == ARITH_MOD_2 || op == ARITH_REM_2;
}

// Asks for what GMP takes, measured in halves of the bytes of the result or of the number that is
// divided. What is too large in any case is left to the operation.
static void admit(vm_arith_op op, mpz_srcptr x, mpz_srcptr y)
{
    if (size_of(op, x, y) > MAX_BITS)
        return;
    enum { FOR_PRODUCT = 7, FOR_QUOTIENT = 12, FOR_OTHERS = 2 };
    bool product = op == ARITH_TIMES_2 || op == ARITH_POWER_2;
    bool long_divisor = mpz_size(y) > 1 && mpz_size(x) > mpz_size(y);
    vm_memory_admit(size_of(op, x, y) / 16 *
                    (product                    ? FOR_PRODUCT
                     : is_division(op) && long_divisor ? FOR_QUOTIENT
                                                : FOR_OTHERS));
}

bool vm_arith_is_long(int op, const vm_word *values, uint32_t n)
{
    enum { LONG_BITS = 1 << 20 };
    integer_view x, y;
    bool grows = op == ARITH_POWER_2 || op == ARITH_SHIFT_LEFT_2 || op == ARITH_SHIFT_RIGHT_2;
    if (n != 2 || vm_is_box(values[0], BOX_FLOAT) || vm_is_box(values[1], BOX_FLOAT) ||
        (!grows && vm_tag(values[0]) == TAG_INT && vm_tag(values[1]) == TAG_INT))
        return false;
    if (!grows && mpz_size(view(values[0], &x)) + mpz_size(view(values[1], &y)) < LONG_BITS / 128)
        return false;
    return size_of((vm_arith_op)op, view(values[0], &x), view(values[1], &y)) > LONG_BITS;
}

// Takes z over.
static vm_word finish(mpz_t z)
{
    if (mpz_size(z) <= 1) {
        vm_word w = vm_heap_big(z);
        mpz_clear(z);
        return w;
    }
    return vm_heap_big_of(z);
}

// Rounded to nearest, ties to even; infinite if too large. The upper 64 bits with a mark for what
// is below them in the lowest have enough digits to round once.
static double big_to_double(mpz_srcptr z)
{
    uint64_t bits = bits_of(z);
    if (bits > 1100)
        return mpz_sgn(z) < 0 ? -INFINITY : INFINITY;
    if (bits <= 64)
        return mpz_sgn(z) * (double)mpz_getlimbn(z, 0);
    mpz_t upper;
    mpz_init(upper);
    mpz_tdiv_q_2exp(upper, z, bits - 64);
    uint64_t top = mpz_getlimbn(upper, 0) | (mpz_scan1(z, 0) < bits - 64);
    mpz_clear(upper);
    return mpz_sgn(z) * ldexp((double)top, (int)(bits - 64));
}

static double to_double(vm_word w)
{
    if (vm_tag(w) == TAG_INT)
        return (double)vm_int_value(w);
    if (vm_as_box(w)->kind == BOX_FLOAT)
        return ((const vm_float *)vm_as_box(w))->value;
    return big_to_double(((const vm_big *)vm_as_box(w))->value);
}

// ---- Comparison -----------------------------------------------------------------------------

static int sign_of(int comparison)
{
    return (comparison > 0) - (comparison < 0);
}

static int compare_with_double(vm_word integer, double d)
{
    if (isnan(d))
        return 2;
    integer_view v;
    if (isinf(d))
        return d < 0 ? 1 : -1;
    return sign_of(mpz_cmp_d(view(integer, &v), d));
}

int vm_number_compare(vm_word a, vm_word b)
{
    if (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT) {
        int64_t x = vm_int_value(a), y = vm_int_value(b);
        return (x > y) - (x < y);
    }
    if (vm_is_box(a, BOX_FLOAT) && vm_is_box(b, BOX_FLOAT)) {
        double x = to_double(a), y = to_double(b);
        return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
    }
    if (vm_is_box(b, BOX_FLOAT))
        return compare_with_double(a, to_double(b));
    if (vm_is_box(a, BOX_FLOAT)) {
        int c = compare_with_double(b, to_double(a));
        return c == 2 ? 2 : -c;
    }
    integer_view x, y;
    return sign_of(mpz_cmp(view(a, &x), view(b, &y)));
}

// ---- Integers -------------------------------------------------------------------------------

static vm_arith_status failed(const char **ret_reason, const char *reason)
{
    *ret_reason = reason;
    return ARITH_ERROR;
}

static vm_arith_status shift(vm_word a, vm_word b, bool left, vm_word *ret, const char **reason)
{
    integer_view x, y;
    mpz_srcptr value = view(a, &x), count = view(b, &y);
    if (mpz_sgn(count) < 0)
        left = !left;
    uint64_t bits = mpz_size(count) > 1 ? UINT64_MAX : mpz_getlimbn(count, 0);
    if (left && mpz_sgn(value) != 0 && (bits > MAX_BITS || bits_of(value) + bits > MAX_BITS))
        return failed(reason, "the shift is too large");
    mpz_t z;
    mpz_init(z);
    if (left)
        mpz_mul_2exp(z, value, mpz_sgn(value) ? bits : 0);
    else
        mpz_fdiv_q_2exp(z, value, bits);
    *ret = finish(z);
    return ARITH_OK;
}

static vm_arith_status power(vm_word a, vm_word b, vm_word *ret, const char **reason)
{
    integer_view x, y;
    mpz_srcptr base = view(a, &x), exponent = view(b, &y);
    if (mpz_cmpabs_ui(base, 1) <= 0) {
        if (mpz_sgn(base) == 0 && mpz_sgn(exponent) < 0)
            return failed(reason, division_by_zero);
        bool same =
            mpz_odd_p(exponent); // odd powers of -1, 0, 1 are the base, even ones its square
        *ret = same ? a : vm_int(mpz_sgn(base) != 0 || mpz_sgn(exponent) == 0);
        return ARITH_OK;
    }
    if (mpz_sgn(exponent) < 0)
        return failed(reason, "a negative exponent has no integer result");
    if (mpz_cmp_ui(exponent, MAX_BITS) > 0 || (bits_of(base) - 1) * mpz_get_ui(exponent) > MAX_BITS)
        return failed(reason, too_large);
    mpz_t z;
    mpz_init(z);
    mpz_pow_ui(z, base, mpz_get_ui(exponent));
    *ret = finish(z);
    return ARITH_OK;
}

// Limbs of the result, at most.
static size_t limbs_of(vm_arith_op op, mpz_srcptr x, mpz_srcptr y)
{
    size_t a = mpz_size(x), b = mpz_size(y);
    if (op == ARITH_TIMES_2)
        return a + b;
    if (op == ARITH_MOD_2 || op == ARITH_REM_2)
        return b + 1;
    return (a > b ? a : b) + 1;
}

// Division truncates, but for `mod`. A divisor of one limb needs no quotient for the rest.
static void divide(vm_arith_op op, mpz_srcptr x, mpz_srcptr y, mpz_t z)
{
    bool is_short = mpz_fits_ulong_p(y);
    if (op == ARITH_MOD_2 && is_short)
        mpz_set_ui(z, mpz_fdiv_ui(x, mpz_get_ui(y)));
    else if (op == ARITH_MOD_2)
        mpz_fdiv_r(z, x, y);
    else if (op == ARITH_REM_2)
        mpz_tdiv_r(z, x, y);
    else if (is_short)
        mpz_tdiv_q_ui(z, x, mpz_get_ui(y));
    else
        mpz_tdiv_q(z, x, y);
}

// z has room for the result.
static void calculate(vm_arith_op op, mpz_srcptr x, mpz_srcptr y, mpz_t z)
{
    switch (op) {
    case ARITH_PLUS_2:
        mpz_add(z, x, y);
        break;
    case ARITH_MINUS_2:
        mpz_sub(z, x, y);
        break;
    case ARITH_TIMES_2:
        mpz_mul(z, x, y);
        break;
    case ARITH_AND_2:
        mpz_and(z, x, y);
        break;
    case ARITH_OR_2:
        mpz_ior(z, x, y);
        break;
    case ARITH_XOR_2:
        mpz_xor(z, x, y);
        break;
    default:
        divide(op, x, y, z);
        break;
    }
}

enum { FEW_LIMBS = 32 };

// Two integers of any size. A result of few limbs is computed on the stack: numbers that are soon
// small again, or that only the next operation uses, cost no more memory than they have.
static vm_arith_status integer_binary(vm_arith_op op, vm_word a, vm_word b, vm_word *ret,
                                      const char **reason)
{
    integer_view v, w;
    mpz_srcptr x = view(a, &v), y = view(b, &w);
    bool grows = op == ARITH_SHIFT_LEFT_2 || op == ARITH_SHIFT_RIGHT_2 || op == ARITH_POWER_2;
    size_t limbs = limbs_of(op, x, y);
    if (grows || limbs > FEW_LIMBS || mpz_size(x) > FEW_LIMBS)
        admit(op, x, y);
    if (op == ARITH_SHIFT_LEFT_2 || op == ARITH_SHIFT_RIGHT_2)
        return shift(a, b, op == ARITH_SHIFT_LEFT_2, ret, reason);
    if (op == ARITH_POWER_2)
        return power(a, b, ret, reason);
    if (op == ARITH_TIMES_2 && limbs > FEW_LIMBS && bits_of(x) + bits_of(y) > MAX_BITS)
        return failed(reason, too_large);
    if (mpz_sgn(y) == 0 && is_division(op))
        return failed(reason, division_by_zero);
    if (limbs <= FEW_LIMBS) {
        mp_limb_t room[FEW_LIMBS];
        mpz_t z = {{._mp_alloc = FEW_LIMBS, ._mp_d = room}};
        calculate(op, x, y, z);
        *ret = vm_heap_big(z);
        return ARITH_OK;
    }
    mpz_t z = {{._mp_alloc = (int)limbs, ._mp_d = vm_alloc_atomic(limbs * sizeof(mp_limb_t))}};
    calculate(op, x, y, z);
    *ret = finish(z);
    return ARITH_OK;
}

static vm_word integer_unary(vm_arith_op op, vm_word a)
{
    if (vm_tag(a) == TAG_INT) {
        int64_t i = vm_int_value(a);
        switch (op) {
        case ARITH_MINUS_1:
            return vm_heap_integer(-i);
        case ARITH_ABS_1:
            return vm_heap_integer(i < 0 ? -i : i);
        case ARITH_SIGN_1:
            return vm_int((i > 0) - (i < 0));
        case ARITH_COMPLEMENT_1:
            return vm_int(~i);
        default: // +, integer, truncate, round, floor, ceiling
            return a;
        }
    }
    mpz_srcptr x = ((const vm_big *)vm_as_box(a))->value;
    mpz_t z;
    mpz_init(z);
    switch (op) {
    case ARITH_MINUS_1:
        mpz_neg(z, x);
        break;
    case ARITH_ABS_1:
        mpz_abs(z, x);
        break;
    case ARITH_SIGN_1:
        mpz_set_si(z, mpz_sgn(x));
        break;
    case ARITH_COMPLEMENT_1:
        mpz_com(z, x);
        break;
    default:
        mpz_clear(z);
        return a;
    }
    return finish(z);
}

// ---- Doubles --------------------------------------------------------------------------------

static vm_arith_status float_result(double d, vm_word *ret, const char **reason)
{
    if (isnan(d))
        return failed(reason, "the result is undefined");
    if (isinf(d))
        return failed(reason, "the result is too large for a float");
    *ret = vm_heap_float(d);
    return ARITH_OK;
}

static vm_arith_status float_binary(vm_arith_op op, double a, double b, vm_word *ret,
                                    const char **reason)
{
    switch (op) {
    case ARITH_PLUS_2:
        return float_result(a + b, ret, reason);
    case ARITH_MINUS_2:
        return float_result(a - b, ret, reason);
    case ARITH_TIMES_2:
        return float_result(a * b, ret, reason);
    case ARITH_SLASH_2:
        if (b == 0)
            return failed(reason, division_by_zero);
        return float_result(a / b, ret, reason);
    case ARITH_POWER_2:
        if (a == 0 && b < 0)
            return failed(reason, division_by_zero);
        return float_result(pow(a, b), ret, reason);
    default:
        return failed(reason, "an integer is expected");
    }
}

static vm_arith_status to_integer(double d, vm_word *ret, const char **reason)
{
    if (!isfinite(d))
        return failed(reason, "the result is undefined");
    if (fabs(d) < 0x1p60) {
        *ret = vm_int((int64_t)d);
        return ARITH_OK;
    }
    mpz_t z;
    mpz_init_set_d(z, d);
    *ret = finish(z);
    return ARITH_OK;
}

static vm_arith_status float_unary(vm_arith_op op, double a, vm_word *ret, const char **reason)
{
    switch (op) {
    case ARITH_PLUS_1:
    case ARITH_FLOAT_1:
        return float_result(a, ret, reason);
    case ARITH_MINUS_1:
        return float_result(-a, ret, reason);
    case ARITH_ABS_1:
        return float_result(fabs(a), ret, reason);
    case ARITH_SIGN_1:
        return float_result((a > 0) - (a < 0), ret, reason);
    case ARITH_SQRT_1:
        return float_result(sqrt(a), ret, reason);
    case ARITH_EXP_1:
        return float_result(exp(a), ret, reason);
    case ARITH_LOG_1:
        return a > 0 ? float_result(log(a), ret, reason)
                     : failed(reason, "only positive numbers have a logarithm");
    case ARITH_SIN_1:
        return float_result(sin(a), ret, reason);
    case ARITH_COS_1:
        return float_result(cos(a), ret, reason);
    case ARITH_TAN_1:
        return float_result(tan(a), ret, reason);
    case ARITH_ATAN_1:
        return float_result(atan(a), ret, reason);
    case ARITH_ASIN_1:
        return float_result(asin(a), ret, reason);
    case ARITH_ACOS_1:
        return float_result(acos(a), ret, reason);
    case ARITH_SINH_1:
        return float_result(sinh(a), ret, reason);
    case ARITH_COSH_1:
        return float_result(cosh(a), ret, reason);
    case ARITH_TANH_1:
        return float_result(tanh(a), ret, reason);
    case ARITH_INTEGER_1:
    case ARITH_ROUND_1:
        return to_integer(round(a), ret, reason);
    case ARITH_TRUNCATE_1:
        return to_integer(trunc(a), ret, reason);
    case ARITH_FLOOR_1:
        return to_integer(floor(a), ret, reason);
    case ARITH_CEILING_1:
        return to_integer(ceil(a), ret, reason);
    default:
        return failed(reason, "an integer is expected");
    }
}

// ---- Operators ------------------------------------------------------------------------------

static vm_arith_status apply_unary(vm_arith_op op, vm_word a, vm_word *ret, const char **reason)
{
    bool makes_float = op >= ARITH_SQRT_1 && op <= ARITH_FLOAT_1;
    if (makes_float || vm_is_box(a, BOX_FLOAT)) {
        double d = to_double(a);
        if (isinf(d))
            return failed(reason, "the number is too large for a float");
        return float_unary(op, d, ret, reason);
    }
    *ret = integer_unary(op, a);
    return ARITH_OK;
}

vm_arith_status vm_arith_apply(int operator, const vm_word * operands, vm_word *ret_value,
                               const char **ret_reason)
{
    vm_arith_op op = (vm_arith_op)operator;
    vm_word a = operands[0];
    if (vm_arith_operators[op].arity == 1)
        return apply_unary(op, a, ret_value, ret_reason);
    vm_word b = operands[1];
    if (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT &&
        vm_calculate_small(op, vm_int_value(a), vm_int_value(b), ret_value))
        return ARITH_OK;
    if (op == ARITH_MIN_2 || op == ARITH_MAX_2) {
        *ret_value = vm_number_compare(b, a) == (op == ARITH_MIN_2 ? -1 : 1) ? b : a;
        return ARITH_OK;
    }
    if (is_integer(a) && is_integer(b))
        return integer_binary(op, a, b, ret_value, ret_reason);
    double x = to_double(a), y = to_double(b);
    if (isinf(x) || isinf(y))
        return failed(ret_reason, "the number is too large for a float");
    return float_binary(op, x, y, ret_value, ret_reason);
}

// ---- Expressions ----------------------------------------------------------------------------

typedef struct {
    vm_word expression;
    const vm_pattern *written; // of it; NULL: unknown
    int op;
    uint32_t next; // operand to be evaluated
    vm_word values[2];
} frame;

typedef struct {
    frame *at;
    size_t n, capacity;
} frames;

static void push_frame(frames *s, vm_word expression, const vm_pattern *written, int op)
{
    if (s->n == s->capacity) {
        frame *more = vm_alloc(2 * s->capacity * sizeof *more);
        memcpy(more, s->at, s->n * sizeof *more);
        s->at = more;
        s->capacity *= 2;
    }
    s->at[s->n++] = (frame){.expression = expression, .written = written, .op = op};
}

// True for an operation of the text, false for a variable's value that looks like one.
static bool is_operation(vm_word expression, const vm_pattern *written)
{
    return vm_tag(expression) == TAG_STRUCT && (!written || written->kind == PATTERN_STRUCT);
}

static const vm_pattern *operand_pattern(const vm_pattern *written, uint32_t operand)
{
    return written ? written->children[operand] : NULL;
}

// An operand that is no operation (a result of vm_deref): a number, or a variable for one.
static vm_arith_status operand(vm_machine *m, vm_word w, vm_word *ret, const char **reason,
                               vm_word *culprit)
{
    *ret = w;
    if (vm_is_number(*ret))
        return ARITH_OK;
    if (vm_is_var(*ret)) {
        vm_wait(m, *ret);
        return ARITH_WAIT;
    }
    *culprit = *ret;
    return failed(reason, vm_tag(*ret) == TAG_STRUCT ? "a number is expected, not a term (`:=` computes one)"
                                                     : "a number is expected");
}

// Gives a value to the operator that needs it, and continues as long as results complete operators.
// OK with *ret_next == 0: the whole expression has this value. Else *ret_next is the next operand,
// as written.
static vm_arith_status hand_up(frames *s, vm_word *value, vm_word *ret_next,
                               const vm_pattern **ret_written, const char **reason,
                               vm_word *culprit)
{
    *ret_next = 0;
    while (s->n > 0) {
        frame *top = &s->at[s->n - 1];
        if (vm_arith_operators[top->op].integers && !is_integer(*value)) {
            *culprit = *value;
            return failed(reason, "an integer is expected");
        }
        top->values[top->next++] = *value;
        if (top->next < vm_arith_operators[top->op].arity) {
            *ret_next = vm_struct_arg(top->expression, top->next);
            *ret_written = operand_pattern(top->written, top->next);
            return ARITH_OK;
        }
        if (vm_arith_apply(top->op, top->values, value, reason) != ARITH_OK) {
            *culprit = top->expression;
            return ARITH_ERROR;
        }
        s->n--;
    }
    return ARITH_OK;
}

enum { CYCLE_CHECK = 1 << 20 }; // nested operations at which the term is checked for being cyclic

vm_arith_status vm_evaluate(vm_machine *m, vm_word expression, const vm_pattern *written,
                            vm_word *ret_value, const char **ret_reason, vm_word *ret_culprit)
{
    frame local[8];
    frames stack = {local, 0, sizeof local / sizeof *local};
    vm_word w = expression;
    do {
        while (is_operation(w = written ? w : vm_deref(m, w), written)) {
            int op = vm_arith_operator(vm_words(w)[0]);
            if (op < 0) {
                *ret_culprit = w;
                return failed(ret_reason, "an arithmetic operator is expected");
            }
            push_frame(&stack, w, written, op);
            if (stack.n == CYCLE_CHECK && vm_is_cyclic(expression)) {
                *ret_culprit = expression;
                return failed(ret_reason, "a term that does not contain itself is expected");
            }
            w = vm_struct_arg(w, 0);
            written = operand_pattern(written, 0);
        }
        // Looked at once: another worker may bind to a term what was found unbound.
        w = written ? vm_deref(m, w) : w;
        vm_arith_status status = operand(m, w, ret_value, ret_reason, ret_culprit);
        if (status == ARITH_OK)
            status = hand_up(&stack, ret_value, &w, &written, ret_reason, ret_culprit);
        if (status != ARITH_OK)
            return status;
    } while (w);
    return ARITH_OK;
}
