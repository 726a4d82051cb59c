// SPDX-License-Identifier: MIT
//
// Comparing small integers and computing with numbers in plain runs (part of loop.h, in the middle of
// the loop). What is left to do otherwise is left to the code at operand l.

// Both operands, from left to right; `unbound` stays a reference.
#define END_OF(word)                                                                               \
    ({                                                                                             \
        vm_word end_ = (word);                                                                     \
        while (vm_tag(end_) == TAG_REF) {                                                          \
            vm_word value_ = LOAD(vm_as_var(end_)->value);                                         \
            if (vm_tag(value_) == TAG_UNBOUND)                                                     \
                break;                                                                             \
            end_ = value_;                                                                         \
        }                                                                                          \
        end_;                                                                                      \
    })

// Two jumps behind a branch: what the comparison says is known long before where one jump would go.
#define WHEN_WORDS(a, relation, b)                                                                 \
    if ((intptr_t)(a)relation(intptr_t)(b)) {                                                      \
        pc = code + pc[2];                                                                         \
        __asm__("" : "+r"(pc));                                                                    \
    } else {                                                                                       \
        pc = code + pc[3];                                                                         \
    }                                                                                              \
    goto *labels[*pc]

// Two numbers that are not both small integers.
#define WHEN_FLOATS(a, relation, b)                                                                \
    {                                                                                              \
        double x_, y_;                                                                             \
        if (!vm_as_exact_floats((a), (b), &x_, &y_))                                               \
            GOTO(pc[1]);                                                                           \
        pc = code + (x_ relation y_ ? pc[2] : pc[3]);                                              \
        goto *labels[*pc];                                                                         \
    }

#define WHEN(relation)                                                                             \
    {                                                                                              \
        vm_word a = END_OF(X(4)), b = END_OF(X(5));                                                \
        if (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT) {                                        \
            WHEN_WORDS(a, relation, b);                                                            \
        }                                                                                          \
        WHEN_FLOATS(a, relation, b);                                                               \
    }

#define WHEN_K(relation)                                                                           \
    {                                                                                              \
        vm_word a = END_OF(X(4));                                                                  \
        if (vm_tag(a) == TAG_INT) {                                                                \
            WHEN_WORDS(a, relation, K(5));                                                         \
        }                                                                                          \
        WHEN_FLOATS(a, relation, K(5));                                                            \
    }

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

// The result of an operation on floats goes to register pc[2]. What only the rest of the expression
// uses needs no memory of its own.
#define FLOAT_RESULT(value)                                                                        \
    {                                                                                              \
        double result = (value);                                                                   \
        if (isfinite(result)) {                                                                    \
            X(2) = pc[5] ? vm_frame_float(m, pc[2], result) : new_float(lists, result);            \
            NEXT(6);                                                                               \
        }                                                                                          \
        GOTO(pc[1]);                                                                               \
    }

// An operation on a and b that are not both small integers, or whose result is none.
#define OTHER_NUMBERS(arith, relation)                                                             \
    {                                                                                              \
        double x_, y_;                                                                             \
        if (vm_as_floats(a, b, &x_, &y_))                                                          \
            FLOAT_RESULT(x_ relation y_);                                                          \
        w = vm_calculate(arith, (vm_word[]){a, b}, 2);                                             \
        goto calculated;                                                                           \
    }

#define SMALL_PAIR(a, b) (vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT)

do_ADD: {
    int64_t sum;
    vm_word a = END_OF(X(3)), b = END_OF(X(4));
    if (SMALL_PAIR(a, b) && !__builtin_add_overflow((int64_t)a, (int64_t)b - TAG_INT, &sum)) {
        X(2) = (vm_word)sum;
        NEXT(6);
    }
    OTHER_NUMBERS(ARITH_PLUS_2, +);
}

do_ADD_K: {
    int64_t sum;
    vm_word a = END_OF(X(3)), b = K(4);
    if (vm_tag(a) == TAG_INT && !__builtin_add_overflow((int64_t)a, (int64_t)b - TAG_INT, &sum)) {
        X(2) = (vm_word)sum;
        NEXT(6);
    }
    OTHER_NUMBERS(ARITH_PLUS_2, +);
}

do_SUB: {
    int64_t difference;
    vm_word a = END_OF(X(3)), b = END_OF(X(4));
    if (SMALL_PAIR(a, b) &&
        !__builtin_sub_overflow((int64_t)a, (int64_t)b - TAG_INT, &difference)) {
        X(2) = (vm_word)difference;
        NEXT(6);
    }
    OTHER_NUMBERS(ARITH_MINUS_2, -);
}

do_MUL: {
    int64_t product;
    vm_word a = END_OF(X(3)), b = END_OF(X(4));
    if (SMALL_PAIR(a, b) &&
        !__builtin_mul_overflow(vm_int_value(a), (int64_t)(b - TAG_INT), &product)) {
        X(2) = (vm_word)product + TAG_INT;
        NEXT(6);
    }
    OTHER_NUMBERS(ARITH_TIMES_2, *);
}

calculated:
    if (w == 0)
        GOTO(pc[1]);
    X(2) = w;
    NEXT(6);

do_MOD: {
    vm_word a = END_OF(X(3)), b = END_OF(X(4));
    if (SMALL_PAIR(a, b) && vm_int_value(b) > 0)
        w = vm_int(modulo(vm_int_value(a), vm_int_value(b)));
    else
        w = vm_calculate(ARITH_MOD_2, (vm_word[]){a, b}, 2);
    if (w == 0)
        GOTO(pc[1]);
    X(2) = w;
    NEXT(5);
}

do_QUICK: {
    for (uint32_t i = 0; i < pc[4]; i++)
        m->frame.arguments[i] = X(5 + i);
    vm_word result; // whose address is known elsewhere: it is not w
    if (m->options.seeded ||
        !m->program->predicates[pc[2]]->entry->quick(m, m->frame.arguments, &result))
        GOTO(pc[1]);
    X(3) = result;
    COUNT();
    NEXT(5 + pc[4]);
}

do_CALC:
    if (pc[4] == 2) {
        vm_word a = END_OF(X(5)), b = END_OF(x[pc[5] + 1]);
        if (SMALL_PAIR(a, b) &&
            vm_calculate_small((vm_arith_op)pc[2], vm_int_value(a), vm_int_value(b), &w)) {
            X(3) = w;
            NEXT(6);
        }
    }
    w = vm_calculate(pc[2], &X(5), pc[4]);
    if (w == 0)
        GOTO(pc[1]);
    X(3) = w;
    NEXT(6);
