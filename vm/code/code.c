// SPDX-License-Identifier: MIT
//
// What follows from the tables of instructions and guards: names, lengths, verification.
#include "vm/code.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const vm_op_names[] = {
#define OP(name, operands, text) #name,
#include "vm/code/code.def"
#undef OP
};

const char *const vm_op_operands[] = {
#define OP(name, operands, text) operands,
#include "vm/code/code.def"
#undef OP
};

static const struct {
    const char *name, *kinds;
} tests[] = {
#define TEST(name, text, kinds, function) {text, kinds},
#include "vm/code/tests.def"
#undef TEST
};

static const struct {
    const char *text, *callers;
    uint32_t inputs, outputs;
} queries[] = {
#define QUERY(name, text, inputs, outputs, callers, ...) {text, callers, inputs, outputs},
#include "vm/code/queries.def"
#undef QUERY
};

enum { QUERIES = sizeof queries / sizeof *queries };

int vm_test_number(const char *name)
{
    for (int i = 0; i < VM_TESTS; i++)
        if (strcmp(tests[i].name, name) == 0)
            return i;
    return -1;
}

const char *vm_test_name(vm_test test)
{
    return tests[test].name;
}

const char *vm_test_kinds(vm_test test)
{
    return tests[test].kinds;
}

int vm_query_number(char caller, const char *text, uint32_t arity)
{
    for (int i = 0; i < QUERIES; i++)
        if (strchr(queries[i].callers, caller) && strcmp(queries[i].text, text) == 0 &&
            queries[i].inputs + queries[i].outputs == arity)
            return i;
    return -1;
}

uint32_t vm_query_inputs(vm_query_kind query)
{
    return queries[query].inputs;
}

uint32_t vm_query_outputs(vm_query_kind query)
{
    return queries[query].outputs;
}

// Length in words of the instruction at `at`, or 0 if the code ends before it does.
size_t vm_code_length(const vm_program *p, size_t at)
{
    if (at >= p->ncode || p->code[at] >= OP_COUNT)
        return 0;
    size_t length = 1;
    for (const char *o = vm_op_operands[p->code[at]]; *o; o++) {
        if (at + length > p->ncode)
            return 0;
        length += *o == '*'   ? p->code[at + length - 1]
                  : *o == 'p' ? 2 * p->code[at + length - 1]
                              : 1;
    }
    return at + length <= p->ncode ? length : 0;
}

// ---- Verification ---------------------------------------------------------------------------

// malloc'ed
static char *complaint(size_t at, const char *format, ...)
{
    base_text text = {0};
    va_list args;
    va_start(args, format);
    text_add_format(&text, "code %zu: ", at);
    text_add_arguments(&text, format, args);
    va_end(args);
    return text_finish(&text);
}

static char *check_instruction(const vm_program *p, size_t at, const bool *starts)
{
    uint32_t op = p->code[at];
    const uint32_t *x = &p->code[at + 1];
    for (const char *o = vm_op_operands[op]; *o; o++) {
        uint32_t count = *o == '*' ? x[-1] : *o == 'p' ? 2 * x[-1] : 1;
        for (; count > 0; count--, x++) {
            char letter = *o == '*' ? 'r' : *o == 'p' ? (count % 2 ? 'l' : 'k') : *o;
            bool ok = letter == 'r'   ? *x < p->registers
                      : letter == 'k' ? *x < p->nconstants
                      : letter == 'q' ? *x < p->npredicates
                      : letter == 'c' ? *x < p->nclauses
                      : letter == 'l' ? *x < p->ncode && starts[*x]
                      : letter == 'g' ? *x < VM_TESTS
                      : letter == 'u' ? *x < QUERIES
                                      : true;
            if (!ok)
                return complaint(at, "%s: operand %c is %u", vm_op_names[op], letter, *x);
        }
    }
    if ((op == OP_SPAWN || op == OP_CALL || op == OP_EXEC ||
         op == OP_EXEC_CALL) &&
        p->code[at + 4] != p->predicates[p->code[at + 3]]->arity)
        return complaint(at, "%s with %u arguments", vm_op_names[op], p->code[at + 4]);
    if (op >= OP_EXEC_1 && op <= OP_EXEC_6 &&
        p->code[at + 4] != p->predicates[p->code[at + 3]]->code)
        return complaint(at, "%s to %u, which is no entry", vm_op_names[op], p->code[at + 4]);
    return NULL;
}

// Does another instruction never follow this one?
static bool goes_elsewhere(uint32_t op)
{
    switch (op) {
    case OP_SWITCH:
    case OP_SWITCH_FIRST:
    case OP_OPEN_CONS:
    case OP_WHEN_LESS:
    case OP_WHEN_LESS_K:
    case OP_WHEN_GREATER_K:
    case OP_WHEN_SAME:
    case OP_WHEN_SAME_K:
    case OP_WAIT:
    case OP_GOTO:
    case OP_LAST:
    case OP_END:
    case OP_PASS:
        return true;
    default:
        return op >= OP_EXEC && op <= OP_EXEC_CALL;
    }
}

char *vm_verify(const vm_program *p)
{
    bool *starts = base_allocate(p->ncode + 1, sizeof *starts);
    char *wrong = NULL;
    uint32_t last = OP_COUNT;
    for (size_t at = 0; at < p->ncode && !wrong;) {
        size_t length = vm_code_length(p, at);
        if (length == 0)
            wrong = complaint(at, "no instruction");
        starts[at] = true;
        last = p->code[at];
        at += length;
    }
    if (!wrong && !goes_elsewhere(last))
        wrong = complaint(p->ncode, "the code may be left at its end");
    for (size_t at = 0; at < p->ncode && !wrong; at += vm_code_length(p, at))
        wrong = check_instruction(p, at, starts);
    for (uint32_t i = 0; i < p->npredicates && !wrong; i++) {
        const vm_predicate *q = p->predicates[i];
        if (!q->builtin && (q->code >= p->ncode || !starts[q->code]))
            wrong = complaint(q->code, "entry of %s/%u", q->name, q->arity);
    }
    free(starts);
    return wrong;
}
