// SPDX-License-Identifier: MIT
//
// Forty shapes of parallel regions, each with a mark at its directive: `// KIND TIMES` says how often
// the program executes it. What compilers make of them differs: calls of the runtime that are jumps,
// calls that two regions share, functions that are inlined or cloned. test_shapes.py compares the
// marks with the recording and with counters in front of the runtime.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };
static double field[N], other[N];
static volatile int zero = 0, two = 2;
static double private_field[4];
#pragma omp threadprivate(private_field)

static void touch(int i)
{
    __atomic_fetch_add((int *)&field[i % N], 1, __ATOMIC_RELAXED);
}

// ---- The call of the runtime is the last thing that a function does: a jump
void ends_function(void)
{
#pragma omp parallel // region 1
    touch(1);
}

void ends_with_arguments(int n, double *f)
{
#pragma omp parallel firstprivate(n, f) // region 2
    f[omp_get_thread_num()] = n;
}

void ends_a(void)
{
#pragma omp parallel // region 3
    touch(2);
}

void ends_b(void)
{
#pragma omp parallel // region 4
    touch(3);
}

static void (*volatile table[])(void) = {ends_a, ends_b};

// The same return address for two regions.
static void through_a_pointer(int which)
{
    table[which]();
}

void ends_with_loop(void)
{
#pragma omp parallel for // region 5
    for (int i = 0; i < N; i++)
        field[i] += 1;
}

static void calls_in_a_row(void)
{
    ends_function();
}

// ---- Two regions that the optimiser may make one call of
void either(int which)
{
    if (which) {
#pragma omp parallel // region 6
        touch(4);
    } else {
#pragma omp parallel // region 7
        touch(5);
    }
}

void one_of_three(int which)
{
    switch (which) {
    case 0:
#pragma omp parallel // region 8
        touch(6);
        break;
    case 1:
#pragma omp parallel // region 9
        touch(7);
        break;
    default:
#pragma omp parallel // region 10
        touch(8);
        break;
    }
}

double either_with_values(int which, double *a, double *b)
{
    if (which) {
#pragma omp parallel for // region 11
        for (int i = 0; i < N; i++)
            a[i] = b[i] + 1;
    } else {
#pragma omp parallel for // region 12
        for (int i = 0; i < N; i++)
            a[i] = b[i] + 2;
    }
    return a[0];
}

// Equal bodies, and equal functions.
void equal_a(void)
{
#pragma omp parallel // region 13
    touch(9);
    field[0] += 1;
}

void equal_b(void)
{
#pragma omp parallel // region 14
    touch(9);
    field[0] += 1;
}

// ---- Several regions of one function
double several(double *a)
{
    double sum = 0;
#pragma omp parallel // region 15
    touch(10);
#pragma omp parallel for // region 15
    for (int i = 0; i < N; i++)
        a[i] += i;
#pragma omp parallel for reduction(+ : sum) // region 15
    for (int i = 0; i < N; i++)
        sum += a[i];
    return sum;
}

// ---- Combined with loops
void dynamic_loop(double *a)
{
#pragma omp parallel for schedule(dynamic) // region 16 loop 16
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

void dynamic_chunks(double *a)
{
#pragma omp parallel for schedule(dynamic, 4) // region 17 loop 17
    for (int i = 0; i < N; i++)
        a[i] += 1;
    a[0] = 0;
}

void guided_loop(double *a)
{
#pragma omp parallel for schedule(guided) // region 18 loop 18
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

void runtime_loop(double *a)
{
#pragma omp parallel for schedule(runtime) // region 19 loop 19
    for (int i = 0; i < N; i++)
        a[i] += 1;
    a[1] = 0;
}

void monotonic_loop(double *a)
{
#pragma omp parallel for schedule(monotonic : dynamic, 2) // region 20 loop 20
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

double dynamic_reduction(const double *a)
{
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum) // region 21 loop 21
    for (int i = 0; i < N; i++)
        sum += a[i];
    return sum;
}

void two_loops_in_one(double *a)
{
#pragma omp parallel // region 22
    {
#pragma omp for schedule(dynamic, 4) // loop 22
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma omp for schedule(guided) nowait // loop 22
        for (int i = 0; i < N; i++)
            other[i] += 1;
    }
}

void collapsed(double *a)
{
#pragma omp parallel for collapse(2) schedule(dynamic, 8) // region 23 loop 23
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            a[8 * i + j] += 1;
}

// ---- Orphaned constructs, which are the last of their functions
void orphaned_loop(double *a)
{
#pragma omp for schedule(dynamic, 4) // loop 24
    for (int i = 0; i < N; i++)
        a[i] += 1;
}

void orphaned_barrier(void)
{
    touch(11);
#pragma omp barrier
}

void with_orphans(double *a)
{
#pragma omp parallel // region 24
    {
        orphaned_loop(a);
        orphaned_barrier();
    }
}

// ---- Nested, serial, recursive
void around_another(void)
{
#pragma omp parallel num_threads(2) // region 5
    {
#pragma omp parallel num_threads(2) // region 10
        touch(12);
    }
}

void with_false_condition(void)
{
#pragma omp parallel if (zero) // region 25
    touch(13);
    field[1] = 0;
}

void with_condition(int n)
{
#pragma omp parallel if (n > 1) // region 26
    touch(14);
}

void of_one_thread(void)
{
#pragma omp parallel num_threads(1) // region 27
    touch(15);
}

void recursive(int n)
{
#pragma omp parallel // region 28
    touch(n);
    if (n > 1)
        recursive(n - 1);
}

// ---- Inlined into their callers
static inline void inlined(double *a)
{
#pragma omp parallel for schedule(dynamic, 16) // region 29 loop 29
    for (int i = 0; i < N; i++)
        a[i] *= 0.5;
}

void caller_a(double *a)
{
    inlined(a);
    a[0] += 1;
}

void caller_b(double *a)
{
    inlined(a);
    inlined(a);
}

static __attribute__((always_inline)) inline void always(int n)
{
#pragma omp parallel firstprivate(n) // region 30
    touch(n);
}

void caller_of_always(int n)
{
    always(n);
    always(n + 1);
}

// ---- With other constructs
void with_critical(double *a)
{
#pragma omp parallel num_threads(2) // region 31
    {
#pragma omp critical(first) // critical 62
        a[0] += 1;
#pragma omp critical(second) // critical 62
        a[1] += 1;
    }
}

void with_single(double *a)
{
#pragma omp parallel // region 32
    {
#pragma omp single // single 32
        a[0] += 1;
#pragma omp single nowait // single 32
        a[1] += 1;
    }
}

void with_sections(double *a)
{
#pragma omp parallel // region 33
    {
#pragma omp sections
        {
#pragma omp section
            a[0] = 1;
#pragma omp section
            a[1] = 2;
        }
    }
}

void combined_sections(double *a)
{
#pragma omp parallel sections // region 34
    {
#pragma omp section
        a[0] = 1;
#pragma omp section
        a[1] = 2;
    }
}

void with_tasks(double *a)
{
#pragma omp parallel // region 35
#pragma omp single // single 35
    {
#pragma omp task shared(a) // task 35
        a[0] = 1;
#pragma omp task shared(a) // task 35
        a[1] = 1;
#pragma omp taskwait
    }
}

void branches_of_tasks(int which, double *a)
{
#pragma omp parallel // region 36
#pragma omp single nowait // single 36
    for (int i = 0; i < 4; i++) {
        if ((i + which) % 2) {
#pragma omp task shared(a) firstprivate(i) // task 72
            a[i] = 1;
        } else {
#pragma omp task shared(a) firstprivate(i) // task 72
            a[i] = 2;
        }
    }
}

void with_ordered(double *a)
{
#pragma omp parallel for ordered schedule(dynamic) // region 37 loop 37
    for (int i = 0; i < 4; i++) {
#pragma omp ordered // ordered 148
        a[i] += 1;
    }
}

void with_lastprivate(double *a)
{
    double last = 0;
#pragma omp parallel for lastprivate(last) schedule(dynamic, 4) // region 38 loop 38
    for (int i = 0; i < N; i++)
        last = a[i];
    a[0] = last;
}

void with_copyin(void)
{
    private_field[0] = 1;
#pragma omp parallel copyin(private_field) // region 39
    touch((int)private_field[0]);
}

void with_much(void)
{
    double much[256] = {0};
    much[two] = 1;
#pragma omp parallel firstprivate(much) // region 40
    touch((int)much[omp_get_thread_num()]);
    field[2] = much[2];
}

#define TIMES(n) for (int i = 0; i < (n); i++)

static void first_half(void)
{
    calls_in_a_row();
    TIMES(2) ends_with_arguments(i, other);
    TIMES(7) through_a_pointer(i >= 3);
    TIMES(5) ends_with_loop();
    TIMES(13) either(i < 6);
    TIMES(27) one_of_three(i < 8 ? 0 : i < 17 ? 1 : 2);
    TIMES(23) either_with_values(i < 11, field, other);
    TIMES(13) equal_a();
    TIMES(14) equal_b();
    TIMES(15) several(field);
    TIMES(16) dynamic_loop(field);
    TIMES(17) dynamic_chunks(field);
    TIMES(18) guided_loop(field);
    TIMES(19) runtime_loop(field);
    TIMES(20) monotonic_loop(field);
    TIMES(21) dynamic_reduction(field);
    TIMES(22) two_loops_in_one(field);
    TIMES(23) collapsed(field);
}

static void second_half(void)
{
    TIMES(24) with_orphans(field);
    TIMES(5) around_another();
    TIMES(25) with_false_condition();
    TIMES(26) with_condition(i);
    TIMES(27) of_one_thread();
    recursive(28);
    TIMES(9) caller_a(field);
    TIMES(10) caller_b(field);
    TIMES(15) caller_of_always(i);
    TIMES(31) with_critical(field);
    TIMES(32) with_single(field);
    TIMES(33) with_sections(field);
    TIMES(34) combined_sections(field);
    TIMES(35) with_tasks(field);
    TIMES(36) branches_of_tasks(i, field);
    TIMES(37) with_ordered(field);
    TIMES(38) with_lastprivate(field);
    TIMES(39) with_copyin();
    TIMES(40) with_much();
}

int main(void)
{
    omp_set_max_active_levels(2);
    first_half();
    second_half();
#pragma omp parallel // region 1
    touch(16);
    return 0;
}
