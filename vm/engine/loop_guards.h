// SPDX-License-Identifier: MIT
//
// Tests of guards (part of loop.h, in the middle of the loop). A test that does not succeed goes to
// guard_waits with an unbound variable in w, to guard_undecided, or to fails.

do_NUMBER:
    w = X(2);
    DEREF(w, guard_waits);
    if (!vm_is_number(w))
        goto fails;
    X(1) = w;
    NEXT(3);

do_INTEGER:
    w = X(2);
    DEREF(w, guard_waits);
    if (!vm_is_number(w) || vm_is_box(w, BOX_FLOAT))
        goto fails;
    X(1) = w;
    NEXT(3);

do_CHECK_INTEGER:
    if (vm_is_box(X(1), BOX_FLOAT))
        goto fails;
    NEXT(2);

do_ARITH: {
    const char *reason;
    if (vm_arith_apply((int)pc[1], &X(4), &X(2), &reason) != ARITH_OK)
        goto fails;
    NEXT(5);
}

// Of numbers; small integers compare as their words do.
#define COMPARE_WORDS(a, b, small, general)                                                        \
    do {                                                                                           \
        if (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT) {                                        \
            if (!((intptr_t)(a)small(intptr_t)(b)))                                                \
                goto fails;                                                                        \
        } else {                                                                                   \
            int c = vm_number_compare(a, b);                                                       \
            if (!(general))                                                                        \
                goto fails;                                                                        \
        }                                                                                          \
    } while (0)

#define COMPARE(small, general)                                                                    \
    COMPARE_WORDS(X(1), X(2), small, general);                                                     \
    NEXT(3)

do_LESS:
    COMPARE(<, c == -1);
do_LESS_EQUAL:
    COMPARE(<=, c == -1 || c == 0);
do_SAME:
    COMPARE(==, c == 0);
do_NOT_SAME:
    COMPARE(!=, c != 0);

// Plain runs: a register that leads to a value gets it, so that nobody has to follow it again. Stamped
// runs keep what leads there: who follows it later reads it, too.
#define ENDS_IN(r, word) (STAMPED ? (word) : (X(r) = (word)))

// Two values, looked at from left to right.
#define IF(small, general)                                                                         \
    {                                                                                              \
        vm_word a = X(1), b = X(2);                                                                \
        if (vm_tag(a) != TAG_INT) {                                                                \
            w = a;                                                                                 \
            DEREF(w, guard_waits);                                                                 \
            a = ENDS_IN(1, w);                                                                     \
            if (!vm_is_number(a))                                                                  \
                goto fails;                                                                        \
        }                                                                                          \
        if (vm_tag(b) != TAG_INT) {                                                                \
            w = b;                                                                                 \
            DEREF(w, guard_waits);                                                                 \
            b = ENDS_IN(2, w);                                                                     \
            if (!vm_is_number(b))                                                                  \
                goto fails;                                                                        \
        }                                                                                          \
        COMPARE_WORDS(a, b, small, general);                                                       \
    }                                                                                              \
    NEXT(3)

#define IF_K(small, general)                                                                       \
    w = X(1);                                                                                      \
    if (vm_tag(w) != TAG_INT) {                                                                    \
        DEREF(w, guard_waits);                                                                     \
        w = ENDS_IN(1, w);                                                                         \
        if (!vm_is_number(w))                                                                      \
            goto fails;                                                                            \
    }                                                                                              \
    COMPARE_WORDS(w, K(2), small, general);                                                        \
    NEXT(3)

do_IF_LESS:
    IF(<, c == -1);
do_IF_LESS_EQUAL:
    IF(<=, c == -1 || c == 0);
do_IF_GREATER:
    IF(>, c == 1);
do_IF_GREATER_EQUAL:
    IF(>=, c == 1 || c == 0);
do_IF_SAME:
    IF(==, c == 0);
do_IF_NOT_SAME:
    IF(!=, c != 0);
do_IF_LESS_K:
    IF_K(<, c == -1);
do_IF_LESS_EQUAL_K:
    IF_K(<=, c == -1 || c == 0);
do_IF_GREATER_K:
    IF_K(>, c == 1);
do_IF_GREATER_EQUAL_K:
    IF_K(>=, c == 1 || c == 0);
do_IF_SAME_K:
    IF_K(==, c == 0);
do_IF_NOT_SAME_K:
    IF_K(!=, c != 0);

do_EQUAL:
    switch (vm_test_equal(m, X(1), X(2))) {
    case VM_EQUAL:
        NEXT(3);
    case VM_DIFFERENT:
        goto fails;
    case VM_UNDECIDED:
        goto guard_undecided;
    }

do_NOT_EQUAL:
    switch (vm_test_equal(m, X(1), X(2))) {
    case VM_EQUAL:
        goto fails;
    case VM_DIFFERENT:
        NEXT(3);
    case VM_UNDECIDED:
        goto guard_undecided;
    }

do_TEST:
    w = X(2);
    DEREF(w, guard_waits);
    if (!vm_passes(pc[1], w))
        goto fails;
    NEXT(3);

do_UNBOUND:
    w = X(1);
    DEREF(w, is_unbound);
    goto fails;
is_unbound:
    vm_wait(m, w); // if the clause waits, this may change before it can commit
    NEXT(2);

do_GUARD_FUNCTOR:
    w = X(1);
    DEREF(w, guard_waits);
    vm_name_and_arity(w, &X(2), &X(3));
    NEXT(4);

do_GUARD_ARG: {
    vm_word i = X(1);
    w = i;
    DEREF(w, guard_waits);
    i = w;
    w = X(2);
    DEREF(w, guard_waits);
    if (vm_tag(i) != TAG_INT || vm_int_value(i) < 1 || vm_int_value(i) > vm_arguments(w))
        goto fails;
    X(3) = vm_argument(w, (uint32_t)vm_int_value(i) - 1);
    NEXT(4);
}

do_QUERY:
    switch (vm_query(m, pc[1], &X(2), &X(3))) {
    case VM_ANSWER_NO:
        goto fails;
    case VM_ANSWER_YES:
        NEXT(4);
    case VM_ANSWER_WAITS:
        goto guard_undecided;
    }
