// SPDX-License-Identifier: MIT
//
// Built-in predicates: taking terms apart and making them, comparing them, arithmetic.
#include "vm/builtins/arguments.h"
#include "vm/code.h"
#include "vm/code/arithmetic.h"
#include "vm/engine/arith.h"
#include "vm/engine/builtin.h"
#include "vm/engine/compare.h"
#include "vm/look.h"
#include "vm/memory.h"

enum { MAX_ARITY = 1 << 24 };

// Name and arity of a bound term: of a list cell `.`, of a vector `{}`, of a constant itself.
static void inspect(vm_word w, vm_word *ret_name, vm_word *ret_arity)
{
    int64_t arity = vm_arguments(w);
    *ret_arity = vm_int(arity < 0 ? 0 : arity);
    if (vm_tag(w) == TAG_CONS)
        *ret_name = vm_atom(ATOM_DOT);
    else if (vm_tag(w) == TAG_STRUCT)
        *ret_name = vm_atom(vm_functor_name(vm_words(w)[0]));
    else
        *ret_name = arity >= 0 ? vm_atom(ATOM_CURLY) : w;
}

static vm_result check_arity(vm_machine *m, vm_word arity, uint32_t *ret)
{
    if (vm_tag(arity) != TAG_INT || vm_int_value(arity) < 0 || vm_int_value(arity) > MAX_ARITY)
        return vm_error(m, arity, "a number of arguments is expected");
    *ret = (uint32_t)vm_int_value(arity);
    return VM_DONE;
}

static vm_word new_term(vm_machine *m, uint32_t name, uint32_t arity)
{
    vm_word *args = vm_alloc(arity * sizeof *args);
    for (uint32_t i = 0; i < arity; i++)
        args[i] = vm_new_variable(m, "_");
    if (name == ATOM_CURLY)
        return vm_make_vector(m, args, arity);
    return vm_compound_from(m, name, args, arity);
}

vm_result vm_functor_of(vm_machine *m, vm_word *args)
{
    vm_word term = vm_deref(m, args[0]), name, arity;
    if (!vm_is_var(term)) {
        inspect(term, &name, &arity);
        if (!vm_unify(m, args[1], name))
            return VM_FAIL;
        return vm_return(m, args[2], arity);
    }
    name = vm_deref(m, args[1]);
    arity = vm_deref(m, args[2]);
    if (vm_is_var(name) || vm_is_var(arity)) {
        vm_wait(m, term);
        if (vm_is_var(name))
            vm_wait(m, name);
        if (vm_is_var(arity))
            vm_wait(m, arity);
        return VM_WAIT;
    }
    uint32_t n = 0;
    NEED(check_arity(m, arity, &n));
    if (n == 0)
        return vm_return(m, term, name);
    if (vm_tag(name) != TAG_ATOM)
        return vm_error(m, name, "an atom is expected");
    return vm_return(m, term, new_term(m, vm_atom_number(name), n));
}

vm_result vm_arg(vm_machine *m, vm_word *args)
{
    int64_t n;
    vm_word term;
    NEED(vm_need_small(m, args[0], &n));
    NEED(vm_need(m, args[1], &term));
    int64_t arity = vm_arguments(term);
    if (arity < 0)
        return vm_error(m, term, "a compound term is expected");
    if (n < 1 || n > arity)
        return vm_error(m, term, "there is no argument %lld", (long long)n);
    return vm_return(m, args[2], vm_argument(term, (uint32_t)n - 1));
}

static vm_result take_apart(vm_machine *m, vm_word term, vm_word list)
{
    vm_word name, arity;
    inspect(term, &name, &arity);
    vm_items items = {0};
    VM_PUSH(items, name);
    for (uint32_t i = 0; i < vm_int_value(arity); i++)
        VM_PUSH(items, vm_argument(term, i));
    return vm_return(m, list, vm_list_from(m, items.at, items.n, VM_NIL));
}

vm_result vm_univ(vm_machine *m, vm_word *args)
{
    vm_word term = vm_deref(m, args[0]), name;
    vm_items items;
    if (!vm_is_var(term))
        return take_apart(m, term, args[1]);
    vm_result list = vm_need_list(m, vm_progress(m), args[1], &items);
    if (list == VM_DONE && items.n == 0)
        return vm_error(m, VM_NIL, "a name and arguments are expected");
    if (list == VM_DONE)
        list = vm_need(m, items.at[0], &name);
    if (list == VM_WAIT)
        vm_wait(m, term);
    if (list != VM_DONE)
        return list;
    if (items.n == 1)
        return vm_return(m, term, name);
    if (vm_tag(name) != TAG_ATOM)
        return vm_error(m, name, "an atom is expected");
    if (vm_atom_number(name) == ATOM_CURLY)
        return vm_return(m, term, vm_make_vector(m, items.at + 1, items.n - 1));
    return vm_return(m, term, vm_compound_from(m, vm_atom_number(name), items.at + 1, items.n - 1));
}

// ---- Order ----------------------------------------------------------------------------------

vm_result vm_standard_order(vm_machine *m, vm_word *args)
{
    int order;
    NEED(vm_compare_terms(m, vm_progress(m), args[1], args[2], &order));
    return vm_return(m, args[0], vm_atom(order < 0   ? ATOM_LESS
                                         : order > 0 ? ATOM_GREATER
                                                     : ATOM_EQUALS));
}

// Merging of runs of `width` elements, the first two of which begin at `low`. It goes on where a
// comparison had to wait.
typedef struct {
    vm_word *from, *to;
    size_t n, width, low;
    size_t i, j, k;   // next of the left run, of the right run, of the place to go to
    void *comparison; // progress of the one under way
} sorting;

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

static vm_result compare_elements(vm_machine *m, void **progress, vm_word a, vm_word b,
                                  int *ret_order)
{
    if (!m->stamped && vm_tag(a) == TAG_INT && vm_tag(b) == TAG_INT) {
        *ret_order = (intptr_t)a < (intptr_t)b ? -1 : (intptr_t)a > (intptr_t)b;
        return VM_DONE;
    }
    NEED(vm_compare_terms(m, progress, a, b, ret_order));
    *progress = NULL;
    return VM_DONE;
}

static vm_result merge_runs(vm_machine *m, sorting *s)
{
    size_t middle = at_most(s->low + s->width, s->n), high = at_most(middle + s->width, s->n);
    while (s->i < middle && s->j < high) {
        int order;
        NEED(compare_elements(m, &s->comparison, s->from[s->i], s->from[s->j], &order));
        s->to[s->k++] = s->from[order > 0 ? s->j++ : s->i++];
    }
    while (s->i < middle)
        s->to[s->k++] = s->from[s->i++];
    while (s->j < high)
        s->to[s->k++] = s->from[s->j++];
    return VM_DONE;
}

static vm_result sort_on(vm_machine *m, sorting *s)
{
    while (s->width < s->n) {
        NEED(merge_runs(m, s));
        s->low += 2 * s->width;
        if (s->low >= s->n) {
            vm_word *sorted = s->to;
            s->to = s->from;
            s->from = sorted;
            s->width *= 2;
            s->low = 0;
        }
        s->i = s->k = s->low;
        s->j = at_most(s->low + s->width, s->n);
    }
    return VM_DONE;
}

static sorting *begin_sorting(const vm_vector *v)
{
    sorting *s = vm_alloc(sizeof *s);
    *s = (sorting){.n = v->length, .width = 1, .j = 1};
    s->from = vm_alloc((v->length + 1) * sizeof *s->from);
    s->to = vm_alloc((v->length + 1) * sizeof *s->to);
    for (size_t i = 0; i < v->length; i++)
        s->from[i] = vm_vector_get(v, i);
    return s;
}

vm_result vm_sort(vm_machine *m, vm_word *args)
{
    vm_vector *v;
    NEED(vm_need_vector(m, args[0], &v));
    sorting *s = *vm_progress(m);
    bool again = s != NULL;
    uint32_t reads = m->attempt.reads.n;
    if (!s)
        *vm_progress(m) = s = begin_sorting(v);
    NEED(sort_on(m, s));
    if (again && m->stamped) { // once more from the start, to record all that is read
        m->attempt.reads.n = reads;
        NEED(sort_on(m, begin_sorting(v)));
    }
    return vm_return(m, args[1], vm_make_vector(m, s->from, s->n));
}

// ---- Arithmetic -----------------------------------------------------------------------------

// The expression as the goal that runs was written in the text; NULL: it was called as a term.
static const vm_pattern *written_expression(const vm_machine *m)
{
    const vm_clause *clause = m->program->clauses[m->reduction.goal->site.clause];
    return clause->sites[m->reduction.goal->site.index].expression;
}

vm_result vm_assign(vm_machine *m, vm_word *args)
{
    vm_word value, culprit;
    const char *reason;
    switch (vm_evaluate(m, args[1], written_expression(m), &value, &reason, &culprit)) {
    case ARITH_WAIT:
        return VM_WAIT;
    case ARITH_ERROR:
        return vm_error(m, culprit, "%s", reason);
    case ARITH_OK:
        break;
    }
    return vm_return(m, args[0], value);
}

vm_result vm_compute(vm_machine *m, vm_word *args)
{
    uint32_t name;
    vm_word operands[2], value;
    const char *reason;
    NEED(vm_need_atom(m, args[0], &name));
    int op = vm_arith_operator(vm_functor(name, 2));
    if (op < 0)
        return vm_error(m, vm_atom(name), "an arithmetic operator is expected");
    for (int i = 0; i < 2; i++) {
        if (vm_arith_needs_integers(op))
            NEED(vm_need_integer(m, args[i + 1], &operands[i]));
        else
            NEED(vm_need(m, args[i + 1], &operands[i]));
        if (!vm_is_number(operands[i]))
            return vm_error(m, operands[i], "a number is expected");
    }
    if (vm_arith_apply(op, operands, &value, &reason) != ARITH_OK)
        return vm_error(m, 0, "%s", reason);
    return vm_return(m, args[3], value);
}
