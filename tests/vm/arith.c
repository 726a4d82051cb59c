// SPDX-License-Identifier: MIT
//
// Arithmetic against GMP itself, on random integers around the sizes where forms change.
#include "vm/engine/machine.h"
#include "vm/term/big.h"
#include "vm/code.h"
#include "vm/engine/arith.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static vm_word of_mpz(const mpz_t z)
{
    return vm_make_integer(mpz_get_str(NULL, 16, z), 16);
}

static void random_integer(mpz_t z)
{
    static const unsigned bits[] = {1, 3, 30, 31, 59, 60, 61, 62, 63, 64, 65, 127, 128, 200};
    unsigned n = bits[random_below(sizeof bits / sizeof *bits)];
    mpz_set_ui(z, 1);
    mpz_mul_2exp(z, z, n);
    if (random_below(2)) { // near the power of two
        mpz_add_ui(z, z, random_below(3));
        mpz_sub_ui(z, z, 1);
    } else {
        for (unsigned i = 0; i < n; i++)
            if (random_below(2))
                mpz_setbit(z, i);
        mpz_clrbit(z, n);
    }
    if (random_below(2))
        mpz_neg(z, z);
    if (random_below(20) == 0)
        mpz_set_ui(z, 0);
}

// 0: the operation is an error.
static int expected(const char *op, const mpz_t a, const mpz_t b, mpz_t r)
{
    bool zero = mpz_sgn(b) == 0;
    if (strcmp(op, "+") == 0)
        mpz_add(r, a, b);
    else if (strcmp(op, "-") == 0)
        mpz_sub(r, a, b);
    else if (strcmp(op, "*") == 0)
        mpz_mul(r, a, b);
    else if (strcmp(op, "/\\") == 0)
        mpz_and(r, a, b);
    else if (strcmp(op, "\\/") == 0)
        mpz_ior(r, a, b);
    else if (strcmp(op, "xor") == 0)
        mpz_xor(r, a, b);
    else if (strcmp(op, "min") == 0)
        mpz_set(r, mpz_cmp(a, b) <= 0 ? a : b);
    else if (strcmp(op, "max") == 0)
        mpz_set(r, mpz_cmp(a, b) >= 0 ? a : b);
    else if (zero)
        return 0;
    else if (strcmp(op, "/") == 0 || strcmp(op, "//") == 0)
        mpz_tdiv_q(r, a, b);
    else if (strcmp(op, "mod") == 0)
        mpz_fdiv_r(r, a, b);
    else
        mpz_tdiv_r(r, a, b);
    return 1;
}

static vm_arith_status apply(const char *name, uint32_t n, const vm_word *operands, vm_word *ret,
                             const char **reason)
{
    int op = vm_arith_operator(vm_functor(vm_atom_number(vm_atom_from(name)), n));
    CHECK_SAY(op >= 0, "%s/%u is an operator", name, n);
    return vm_arith_apply(op, operands, ret, reason);
}

static const char *value_of(const char *name, uint32_t n, const vm_word *operands)
{
    vm_word value;
    const char *reason;
    return apply(name, n, operands, &value, &reason) == ARITH_OK ? quoted(value) : reason;
}

#define VALUE(name, ...) value_of(name, WORDS(__VA_ARGS__))

static void test_binary(void)
{
    static const char *const ops[] = {"+", "-",  "*",   "/\\", "\\/", "xor",
                                      "/", "//", "mod", "rem", "min", "max"};
    mpz_t a, b, r;
    mpz_inits(a, b, r, NULL);
    for (int i = 0; i < 4000; i++) {
        random_integer(a);
        random_integer(b);
        const char *op = ops[random_below(sizeof ops / sizeof *ops)];
        vm_word operands[2] = {of_mpz(a), of_mpz(b)}, value;
        const char *reason;
        int wanted = expected(op, a, b, r);
        vm_arith_status got = apply(op, 2, operands, &value, &reason);
        CHECK(vm_number_compare(operands[0], operands[1]) ==
              (mpz_cmp(a, b) > 0) - (mpz_cmp(a, b) < 0));
        if (!wanted) {
            CHECK(got == ARITH_ERROR && strcmp(reason, "division by zero") == 0);
            continue;
        }
        if (!CHECK_SAY(got == ARITH_OK, "%s", op))
            continue;
        CHECK_TEXT(quoted(value), mpz_get_str(NULL, 10, r));
        bool fits =
            mpz_fits_slong_p(r) && mpz_get_si(r) >= VM_INT_MIN && mpz_get_si(r) <= VM_INT_MAX;
        CHECK_SAY((vm_tag(value) == TAG_INT) == fits, "form of %s", quoted(value));
    }
}

static void test_shifts(void)
{
    mpz_t a, r;
    mpz_inits(a, r, NULL);
    for (int i = 0; i < 500; i++) {
        random_integer(a);
        unsigned by = (unsigned)random_below(130);
        mpz_mul_2exp(r, a, by);
        CHECK_TEXT(VALUE("<<", of_mpz(a), I(by)), mpz_get_str(NULL, 10, r));
        CHECK_TEXT(VALUE(">>", of_mpz(a), I(-(int)by)), mpz_get_str(NULL, 10, r));
        mpz_fdiv_q_2exp(r, a, by);
        CHECK_TEXT(VALUE(">>", of_mpz(a), I(by)), mpz_get_str(NULL, 10, r));
        mpz_com(r, a);
        CHECK_TEXT(VALUE("\\", of_mpz(a)), mpz_get_str(NULL, 10, r));
        mpz_neg(r, a);
        CHECK_TEXT(VALUE("-", of_mpz(a)), mpz_get_str(NULL, 10, r));
        mpz_abs(r, a);
        CHECK_TEXT(VALUE("abs", of_mpz(a)), mpz_get_str(NULL, 10, r));
        CHECK_TEXT(VALUE("sign", of_mpz(a)), mpz_sgn(a) < 0 ? "-1" : mpz_sgn(a) ? "1" : "0");
    }
    vm_word large = vm_make_integer("100000000000000000000000000", 10);
    CHECK_TEXT(VALUE("<<", I(1), large), "the shift is too large");
    CHECK_TEXT(VALUE("<<", I(0), large), "0");
    CHECK_TEXT(VALUE(">>", I(-5), large), "-1");
    CHECK_TEXT(VALUE(">>", I(-5), vm_make_integer("-100000000000000000000000000", 10)),
               "the shift is too large");
}

static void test_powers(void)
{
    CHECK_TEXT(VALUE("**", I(2), I(100)), "1267650600228229401496703205376");
    CHECK_TEXT(VALUE("**", I(-3), I(3)), "-27");
    CHECK_TEXT(VALUE("**", I(0), I(0)), "1");
    CHECK_TEXT(VALUE("**", I(0), I(5)), "0");
    CHECK_TEXT(VALUE("**", I(-1), I(-3)), "-1");
    CHECK_TEXT(VALUE("**", I(-1), I(-4)), "1");
    CHECK_TEXT(VALUE("**", I(1), I(-4)), "1");
    CHECK_TEXT(VALUE("**", I(0), I(-1)), "division by zero");
    CHECK_TEXT(VALUE("**", I(2), I(-1)), "a negative exponent has no integer result");
    CHECK_TEXT(VALUE("**", I(3), I(1LL << 40)), "the result is too large");
    CHECK_TEXT(VALUE("**", vm_make_float(2), I(-1)), "0.5");
    CHECK_TEXT(VALUE("**", I(2), vm_make_float(0.5)), "1.4142135623730951");
}

static void test_doubles(void)
{
    vm_word half = vm_make_float(0.5), big = vm_make_integer("1000000000000000000000", 10);
    CHECK_TEXT(VALUE("+", I(1), half), "1.5");
    CHECK_TEXT(VALUE("/", I(1), half), "2.0");
    CHECK_TEXT(VALUE("/", half, I(0)), "division by zero");
    CHECK_TEXT(VALUE("sqrt", I(-1)), "the result is undefined");
    CHECK_TEXT(VALUE("log", I(0)), "only positive numbers have a logarithm");
    CHECK_TEXT(VALUE("exp", I(1000)), "the result is too large for a float");
    CHECK_TEXT(VALUE("float", big), "1.0e+21");
    CHECK_TEXT(VALUE("*", big, half), "5.0e+20");
    CHECK_TEXT(VALUE("integer", vm_make_float(2.5)), "3");
    CHECK_TEXT(VALUE("round", vm_make_float(-2.5)), "-3");
    CHECK_TEXT(VALUE("truncate", vm_make_float(-2.7)), "-2");
    CHECK_TEXT(VALUE("floor", vm_make_float(-2.2)), "-3");
    CHECK_TEXT(VALUE("ceiling", vm_make_float(2.2)), "3");
    CHECK_TEXT(VALUE("truncate", vm_make_float(1e20)), "100000000000000000000");
    CHECK_TEXT(VALUE("truncate", vm_make_float(0x1p60)), "1152921504606846976");
    CHECK_TEXT(VALUE("sign", vm_make_float(-3)), "-1.0");
    CHECK_TEXT(VALUE("max", I(2), vm_make_float(2.5)), "2.5");
    CHECK_TEXT(VALUE("min", I(2), vm_make_float(2)), "2");
}

// Conversion rounds to nearest, ties to even, and comparison with a double is exact.
static void test_rounding(void)
{
    mpz_t a, of_double;
    mpz_inits(a, of_double, NULL);
    for (int i = 0; i < 2000; i++) {
        random_integer(a);
        vm_word w = of_mpz(a), value;
        const char *reason;
        if (apply("float", 1, &w, &value, &reason) != ARITH_OK)
            continue;
        char *digits = mpz_get_str(NULL, 10, a);
        double wanted = strtod(digits, NULL), got = strtod(quoted(value), NULL);
        CHECK_SAY(wanted == got, "float(%s)", digits);
        mpz_set_d(of_double, wanted);
        int order = mpz_cmp(a, of_double);
        CHECK(vm_number_compare(w, value) == (order > 0) - (order < 0));
        CHECK(vm_number_compare(value, w) == (order < 0) - (order > 0));
    }
    CHECK(vm_number_compare(I(1), vm_make_float(1.0000001)) == -1);
    CHECK(vm_number_compare(I(1), vm_make_float(INFINITY)) == -1);
    CHECK(vm_number_compare(I(1), vm_make_float(NAN)) == 2);
}

void test_arith(void)
{
    test_binary();
    test_shifts();
    test_powers();
    test_doubles();
    test_rounding();
    CHECK(vm_arith_operator(vm_functor(vm_atom_number(A("foo")), 2)) == -1);
    CHECK(vm_arith_operator(vm_functor(vm_atom_number(A("sqrt")), 2)) == -1);
    CHECK(vm_arith_operator(vm_functor(vm_atom_number(A("+")), 3)) == -1);
}
