// SPDX-License-Identifier: MIT
//
// Code as text: an instruction with its operands, and what it does in the words of their table.
#include "base/memory.h"
#include "vm/code.h"
#include "vm/memory.h"
#include "vm/print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const meanings[] = {
#define OP(name, operands, text) text,
#include "vm/code/code.def"
#undef OP
};

static const char *const test_names[] = {
#define TEST(name, text, ...) text,
#include "vm/code/tests.def"
#undef TEST
};

static const char *const query_names[] = {
#define QUERY(name, text, ...) text,
#include "vm/code/queries.def"
#undef QUERY
};

enum { MEANING_COLUMN = 56 };

typedef struct {
    const vm_program *program;
    const vm_code_names *names;
    FILE *out;
    const vm_clause *clause; // the last one named
} writer;

// ---- Operands -----------------------------------------------------------------------------------

static void put_constant(const writer *w, uint32_t k, bool functor)
{
    vm_word word = w->program->constants[k];
    if (functor) {
        fprintf(w->out, "%s/%u", vm_atom_text(vm_functor_name(word)), vm_functor_arity(word));
        return;
    }
    vm_print_options options = {.quoted = true, .max_cells = 20};
    char *text = vm_term_text(word, &options, NULL);
    fputs(text, w->out);
    free(text);
}

static bool takes_functor(uint32_t op)
{
    return op == OP_GET_STRUCT || op == OP_TAKE_STRUCT || op == OP_STRUCT;
}

// One operand of the kind that a letter stands for.
static void put_operand(writer *w, uint32_t op, char letter, uint32_t x)
{
    const vm_program *p = w->program;
    switch (letter) {
    case 'k':
        put_constant(w, x, takes_functor(op));
        break;
    case 'q':
        fprintf(w->out, "%s/%u", p->predicates[x]->name, p->predicates[x]->arity);
        break;
    case 'l':
        fprintf(w->out, "->%u", x);
        break;
    case 'g':
        fputs(test_names[x], w->out);
        break;
    case 'u':
        fputs(query_names[x], w->out);
        break;
    case 'c':
        w->clause = p->clauses[x];
        fprintf(w->out, "%u", w->clause->number);
        break;
    case 's':
        fputs(w->clause && x < w->clause->nnames ? w->clause->names[x] : "_", w->out);
        break;
    case 'i':
        fprintf(w->out, "%u", x + 1);
        break;
    case 'o':
        fputs(vm_arith_name((int)x), w->out);
        break;
    case 'r':
        fprintf(w->out, "r%u", x);
        break;
    default:
        fprintf(w->out, "%u", x);
    }
}

// The same with the name that a register has in the clause.
static void put_named(writer *w, uint32_t op, char letter, uint32_t x)
{
    const char *name = letter == 'r' && w->names && w->names->name_register
                           ? w->names->name_register(w->names->data, x)
                           : NULL;
    fputs(letter == 'i' ? " item " : letter == 'c' ? " clause " : " ", w->out);
    put_operand(w, op, letter, x);
    if (name)
        fprintf(w->out, ":%s", name);
}

static const uint32_t *put_operands(writer *w, uint32_t op, const uint32_t *x)
{
    uint32_t tables = 0;
    for (const char *o = vm_op_operands[op]; *o; o++) {
        if (*o == '*') {
            for (uint32_t n = x[-1]; n > 0; n--)
                put_named(w, op, 'r', *x++);
        } else if (*o == 'p') {
            tables++;
            for (uint32_t n = x[-1]; n > 0; n--, x += 2) {
                fputs(" ", w->out);
                put_constant(w, x[0], tables == 2);
                fprintf(w->out, "->%u", x[1]);
            }
        } else {
            put_named(w, op, *o, *x++);
        }
    }
    return x;
}

// ---- Meanings -----------------------------------------------------------------------------------

// The operand that a word of the meaning stands for: a letter, with a prime for the second of its
// kind and two for the third. False: it is a word like others.
static bool find_operand(uint32_t op, const uint32_t *x, char letter, unsigned primes,
                         uint32_t *ret_operand)
{
    for (const char *o = vm_op_operands[op]; *o && *o != '*' && *o != 'p'; o++, x++)
        if (*o == letter && primes-- == 0) {
            *ret_operand = *x;
            return true;
        }
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void put_meaning(writer *w, uint32_t op, const uint32_t *x)
{
    for (const char *at = meanings[op], *before = " "; *at; before = at - 1) {
        unsigned primes = 0;
        while (is_word(*at) && at[1 + primes] == '\'')
            primes++;
        uint32_t operand;
        if (!is_word(*before) && is_word(*at) && !is_word(at[1 + primes]) &&
            find_operand(op, x, *at, primes, &operand)) {
            put_operand(w, op, *at, operand);
            at += 1 + primes;
        } else {
            fputc(*at++, w->out);
        }
    }
}

// ---- Instructions -------------------------------------------------------------------------------

uint32_t vm_disassemble(const vm_program *p, uint32_t at, const vm_code_names *names, FILE *out)
{
    uint32_t op = p->code[at];
    const uint32_t *x = &p->code[at + 1];
    char *line = NULL;
    size_t length;
    writer w = {.program = p, .names = names, .out = open_memstream(&line, &length)};
    if (!w.out)
        base_out_of_memory(sizeof *w.out, __FILE__, __LINE__);
    fprintf(w.out, "%c%6u  %-14s", names && names->target && names->target[at] ? '>' : ' ', at,
            vm_op_names[op]);
    const uint32_t *end = put_operands(&w, op, x);
    fclose(w.out);
    w.out = out;
    fprintf(out, "%-*s  ; ", MEANING_COLUMN, line);
    put_meaning(&w, op, x);
    fputc('\n', out);
    free(line);
    return (uint32_t)(end - &p->code[at]);
}

static void mark_targets(const vm_program *p, uint32_t at, bool *targets)
{
    const uint32_t *x = &p->code[at + 1];
    for (const char *o = vm_op_operands[p->code[at]]; *o; o++) {
        if (*o == 'l')
            targets[*x] = true;
        if (*o == '*')
            x += x[-1];
        else if (*o == 'p')
            for (uint32_t n = x[-1]; n > 0; n--, x += 2)
                targets[x[1]] = true;
        else
            x++;
    }
}

bool *vm_jump_targets(const vm_program *p)
{
    bool *targets = vm_alloc_atomic(p->ncode + 1);
    memset(targets, 0, p->ncode + 1);
    for (uint32_t at = 0; at < p->ncode; at += vm_code_length(p, at))
        mark_targets(p, at, targets);
    return targets;
}
