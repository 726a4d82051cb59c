// SPDX-License-Identifier: MIT
//
// The text of terms: shows the engine's words to base/term_writer.h.
#include "base/table.h"
#include "base/term_tokens.h"
#include "base/term_writer.h"
#include "vm/memory.h"
#include "vm/term/big.h"
#include "vm/term/heap.h"
#include "vm/term/text.h"
#include "vm/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 200 }; // of a string or number, where a term is abbreviated


typedef struct {
    const vm_print_options *options;
    base_map numbers; // of variables without a name, by address
    char name[16];    // of the variable looked at last
} printer;

static const char *variable_name(printer *p, const vm_var *v)
{
    const char *name = NULL;
    if (p->options->variable_name)
        name = p->options->variable_name(p->options->data, v);
    if (name)
        return name;
    uint64_t next = p->numbers.n + 1, *number = map_at(&p->numbers, (uintptr_t)v);
    if (*number == MAP_ABSENT)
        *number = next;
    snprintf(p->name, sizeof p->name, "_%u", (unsigned)*number);
    return p->name;
}

static void set_text(term_node *node, term_kind kind, const char *text, size_t length)
{
    node->kind = kind;
    node->text = text;
    node->length = length;
}

enum { LARGE_BITS = 1 << 16 }; // of an integer of which a shortened text shows the beginning only

// The first digits of a large integer: all of them would take longer than the run had taken.
static const char *first_digits(mpz_srcptr z)
{
    enum { SIZE = 16 };
    long exponent;
    double mantissa = fabs(mpz_get_d_2exp(&exponent, z));
    long double logarithm = log10l((long double)mantissa) + (long double)exponent * log10l(2);
    char *text = vm_alloc_atomic(SIZE);
    snprintf(text, SIZE, "%s%d...", mpz_sgn(z) < 0 ? "-" : "",
             (int)powl(10, logarithm - floorl(logarithm) + 5));
    return text;
}

static void look_at_box(const printer *p, vm_word w, term_node *node)
{
    const vm_box *box = vm_as_box(w);
    switch (box->kind) {
    case BOX_BIG: {
        mpz_srcptr z = ((const vm_big *)box)->value;
        bool large = p->options->max_cells && mpz_sizeinbase(z, 2) > LARGE_BITS;
        const char *digits = large ? first_digits(z) : mpz_get_str(NULL, 10, z);
        set_text(node, TERM_DIGITS, digits, strlen(digits));
        return;
    }
    case BOX_FLOAT:
        node->kind = TERM_FLOAT;
        node->number = ((const vm_float *)box)->value;
        return;
    case BOX_STRING: {
        const vm_string *s = (const vm_string *)box;
        set_text(node, TERM_STRING, s->text, s->length);
        return;
    }
    case BOX_VECTOR:
        node->kind = TERM_VECTOR;
        node->arity = (uint32_t)((const vm_vector *)box)->length;
        return;
    }
}

static void look(void *data, term_ref *term, term_node *node)
{
    vm_word w = vm_end_of(term->word), functor;
    term->word = w;
    switch (vm_tag(w)) {
    case TAG_INT:
        node->kind = TERM_INTEGER;
        node->integer = vm_int_value(w);
        return;
    case TAG_CONS:
        node->kind = TERM_CONS;
        return;
    case TAG_ATOM:
        set_text(node, TERM_ATOM, vm_atom_text(vm_atom_number(w)),
                 vm_atom_length(vm_atom_number(w)));
        return;
    case TAG_STRUCT:
        functor = vm_words(w)[0];
        set_text(node, TERM_STRUCT, vm_atom_text(vm_functor_name(functor)),
                 vm_atom_length(vm_functor_name(functor)));
        node->arity = vm_functor_arity(functor);
        return;
    case TAG_BOX:
        look_at_box(data, w, node);
        return;
    default: {
        const char *name = variable_name(data, vm_as_var(w));
        set_text(node, TERM_VARIABLE, name, strlen(name));
        return;
    }
    }
}

static term_ref argument(void *data, term_ref term, uint32_t i)
{
    (void)data;
    bool is_struct = vm_tag(term.word) == TAG_STRUCT;
    return (term_ref){.word = is_struct ? vm_struct_arg(term.word, i) : vm_argument(term.word, i)};
}

void vm_text_add_term(base_text *t, vm_word term, const vm_print_options *o)
{
    printer p = {.options = o, .numbers = {.heap = &vm_unscanned}};
    term_view view = {.look = look, .argument = argument, .data = &p};
    term_options options = {.quoted = o->quoted,
                            .dialect = TERM_FLENG,
                            .max_cells = o->max_cells ? o->max_cells : TERM_WHOLE,
                            .max_bytes = o->max_cells ? SHOWN_BYTES : TERM_WHOLE,
                            .heap = &vm_scanned};
    term_write(t, &view, (term_ref){.word = term}, TERM_CLAUSE, &options);
}

enum { CYCLIC_CELLS = 100 }; // shown of a term without end

char *vm_term_text(vm_word term, const vm_print_options *o, size_t *ret_length)
{
    base_text t = {0};
    vm_print_options options = *o;
    if (!options.max_cells && vm_is_cyclic(term))
        options.max_cells = CYCLIC_CELLS;
    vm_text_add_term(&t, term, &options);
    if (ret_length)
        *ret_length = t.n;
    return text_finish(&t);
}
