// SPDX-License-Identifier: MIT
//
// vm-test [every]: the checks of vm; with a number, the collector runs at every so many
// allocations.
#include "vm/memory.h"
#include "vm/print.h"

#include "check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

unsigned checks_passed, checks_failed;

bool check_at(bool good, const char *file, int line, const char *format, ...)
{
    if (good) {
        checks_passed++;
        return true;
    }
    if (checks_failed++ < 50) {
        va_list args;
        va_start(args, format);
        printf("%s:%d: failed: ", file, line);
        vprintf(format, args);
        putchar('\n');
        va_end(args);
    }
    return false;
}

void check_text_at(const char *got, const char *wanted, const char *file, int line)
{
    check_at(strcmp(got, wanted) == 0, file, line, "got `%s`, wanted `%s`", got, wanted);
}

vm_word term_string(const char *text)
{
    return vm_make_string(text, strlen(text));
}

vm_word term_struct(const char *name, uint32_t n, const vm_word *args)
{
    return vm_make_struct(NULL, vm_functor(vm_atom_number(vm_atom_from(name)), n), args);
}

vm_word term_list(uint32_t n, const vm_word *items, vm_word tail)
{
    while (n-- > 0)
        tail = vm_make_cons(NULL, items[n], tail);
    return tail;
}

vm_word term_variable(void)
{
    return vm_make_variable(NULL, (vm_origin){0, 0});
}

const char *quoted(vm_word term)
{
    return vm_term_text(term, &(vm_print_options){.quoted = true}, NULL);
}

const char *written(vm_word term)
{
    return vm_term_text(term, &(vm_print_options){.quoted = false}, NULL);
}

uint64_t next_random(void)
{
    static uint64_t state = 1;
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t random_below(uint64_t n)
{
    return next_random() % n;
}

int main(int argc, char **argv)
{
    vm_memory_init();
    if (argc > 1)
        vm_gc_stress((unsigned)atoi(argv[1]));
    test_atoms();
    test_arith();
    test_print();
    test_vectors();
    test_builtins();
    test_states();
    test_order();
    printf("%u passed, %u failed\n", checks_passed, checks_failed);
    return checks_failed > 0;
}
