// SPDX-License-Identifier: MIT
//
// Comparing and computing with small integers in plain runs (part of loop.h, in the middle of the
// loop). All other values are left to the code at operand l.

// Small integers: their words compare as they do and, less the tag of one, add up.
#define SMALL(r)                                                                                   \
    w = X(r);                                                                                      \
    while (vm_tag(w) == TAG_REF) {                                                                 \
        vm_word value_ = LOAD(vm_as_var(w)->value);                                                \
        if (vm_tag(value_) == TAG_UNBOUND)                                                            \
            break;                                                                                 \
        w = value_;                                                                                \
    }                                                                                              \
    if (vm_tag(w) != TAG_INT)                                                                      \
        GOTO(pc[1])

// Two jumps behind a branch: what the comparison says is known long before where one jump would go.
#define WHEN_WORDS(a, relation, b)                                                                 \
    if ((intptr_t)(a)relation(intptr_t)(b)) {                                                      \
        pc = code + pc[2];                                                                         \
        __asm__("" : "+r"(pc));                                                                    \
    } else {                                                                                       \
        pc = code + pc[3];                                                                         \
    }                                                                                              \
    goto *labels[*pc]

#define WHEN(relation)                                                                             \
    {                                                                                              \
        SMALL(4);                                                                                  \
        vm_word a = w;                                                                             \
        SMALL(5);                                                                                  \
        WHEN_WORDS(a, relation, w);                                                                \
    }

#define WHEN_K(relation)                                                                           \
    SMALL(4);                                                                                      \
    WHEN_WORDS(w, relation, K(5))

do_WHEN_LESS:
    WHEN(<);
do_WHEN_LESS_K:
    WHEN_K(<);
do_WHEN_GREATER_K:
    WHEN_K(>);
do_WHEN_SAME:
    WHEN(==);
do_WHEN_SAME_K:
    WHEN_K(==);

do_ADD: {
    int64_t a, sum;
    SMALL(3);
    a = (int64_t)w;
    SMALL(4);
    if (__builtin_add_overflow(a, (int64_t)w - TAG_INT, &sum))
        GOTO(pc[1]);
    X(2) = (vm_word)sum;
    NEXT(5);
}

do_ADD_K: {
    int64_t sum;
    SMALL(3);
    if (__builtin_add_overflow((int64_t)w, (int64_t)K(4) - TAG_INT, &sum))
        GOTO(pc[1]);
    X(2) = (vm_word)sum;
    NEXT(5);
}

do_SUB: {
    int64_t a, difference;
    SMALL(3);
    a = (int64_t)w;
    SMALL(4);
    if (__builtin_sub_overflow(a, (int64_t)w - TAG_INT, &difference))
        GOTO(pc[1]);
    X(2) = (vm_word)difference;
    NEXT(5);
}

do_MUL: {
    int64_t a, product;
    SMALL(3);
    a = vm_int_value(w);
    SMALL(4);
    if (__builtin_mul_overflow(a, (int64_t)(w - TAG_INT), &product))
        GOTO(pc[1]);
    X(2) = (vm_word)product + TAG_INT;
    NEXT(5);
}

do_MOD: {
    int64_t a, b;
    SMALL(3);
    a = vm_int_value(w);
    SMALL(4);
    b = vm_int_value(w);
    if (b <= 0)
        GOTO(pc[1]);
    X(2) = vm_int(modulo(a, b));
    NEXT(5);
}

do_CALC:
    w = vm_calculate(pc[2], &X(5), pc[4]);
    if (w == 0)
        GOTO(pc[1]);
    X(3) = w;
    NEXT(6);
