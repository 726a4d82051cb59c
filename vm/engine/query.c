// SPDX-License-Identifier: MIT
//
// Type tests of guards (code/tests.def), and guards that look into terms (code/queries.def): the
// standard order, hashing, elements, constants that stand for code.
#include "vm/engine/query.h"

#include "base/utf8.h"
#include "vm/code.h"
#include "vm/engine/arith.h"
#include "vm/engine/builtin.h"
#include "vm/engine/compare.h"
#include "vm/look.h"
#include "vm/term/big.h"
#include "vm/term/names.h"
#include "vm/term/text.h"

// ---- Tests ----------------------------------------------------------------------------------

static bool is_bound(vm_word w)
{
    (void)w;
    return true;
}

static bool is_integer(vm_word w)
{
    return vm_tag(w) == TAG_INT || vm_is_box(w, BOX_BIG);
}

static bool is_float(vm_word w)
{
    return vm_is_box(w, BOX_FLOAT);
}

static bool is_atom(vm_word w)
{
    return vm_tag(w) == TAG_ATOM;
}

static bool is_string(vm_word w)
{
    return vm_is_box(w, BOX_STRING);
}

static bool is_atomic(vm_word w)
{
    return is_atom(w) || vm_is_number(w) || is_string(w);
}

static bool is_list(vm_word w)
{
    return vm_tag(w) == TAG_CONS;
}

static bool is_compound(vm_word w)
{
    return vm_tag(w) == TAG_STRUCT;
}

static bool is_vector(vm_word w)
{
    return vm_is_box(w, BOX_VECTOR);
}

static bool (*const tests[])(vm_word w) = {
#define TEST(name, text, kinds, function) function,
#include "vm/code/tests.def"
#undef TEST
};

bool vm_passes(uint32_t test, vm_word w)
{
    return tests[test](w);
}

void vm_name_and_arity(vm_word w, vm_word *ret_name, vm_word *ret_arity)
{
    int64_t arity = vm_arguments(w);
    *ret_name = w;
    if (vm_tag(w) == TAG_CONS)
        *ret_name = vm_atom(ATOM_DOT);
    else if (vm_tag(w) == TAG_STRUCT)
        *ret_name = vm_atom(vm_functor_name(vm_words(w)[0]));
    else if (arity >= 0) // a vector
        *ret_name = vm_atom_from("{}");
    *ret_arity = vm_int(arity < 0 ? 0 : arity);
}

enum { FIRST_CHECK = 1 << 24 };

typedef struct {
    vm_word compound;
    uint32_t next;
} place;

// ---- The standard order ---------------------------------------------------------------------

// Of two strings, one more than the index of the first difference, as strcmp-like programs expect.
static int64_t order_of(vm_word a, vm_word b, int order)
{
    if (order == 0 || !vm_is_box(a, BOX_STRING) || !vm_is_box(b, BOX_STRING))
        return order;
    const vm_string *s = (const vm_string *)vm_as_box(a), *t = (const vm_string *)vm_as_box(b);
    size_t i = 0;
    while (i < s->length && i < t->length && s->text[i] == t->text[i])
        i++;
    return order * ((int64_t)utf8_count(s->text, i) + 1);
}

// ---- Hashing --------------------------------------------------------------------------------

static uint64_t mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15u ^ h >> 29;
}

static uint64_t mix_bytes(uint64_t h, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = mix(h, ((const unsigned char *)bytes)[i]);
    return h;
}

static void name_of(vm_word w, const char **ret_text, size_t *ret_length)
{
    uint32_t name = vm_tag(w) == TAG_CONS     ? (uint32_t)ATOM_DOT
                    : vm_tag(w) == TAG_STRUCT ? vm_functor_name(vm_words(w)[0])
                                              : (uint32_t)ATOM_CURLY;
    *ret_text = vm_atom_text(name);
    *ret_length = vm_atom_length(name);
}

static uint64_t hash_top(uint64_t h, vm_word w)
{
    h = mix(h, vm_tag(w) == TAG_BOX ? (uint64_t)vm_as_box(w)->kind + TAG_MASK : vm_tag(w));
    if (vm_tag(w) == TAG_INT)
        return mix(h, (uint64_t)vm_int_value(w));
    if (vm_tag(w) == TAG_ATOM)
        return mix_bytes(h, vm_atom_text(vm_atom_number(w)), vm_atom_length(vm_atom_number(w)));
    if (vm_arguments(w) >= 0) {
        const char *name;
        size_t length;
        name_of(w, &name, &length);
        return mix(mix_bytes(h, name, length), (uint64_t)vm_arguments(w));
    }
    const vm_box *box = vm_as_box(w);
    if (box->kind == BOX_STRING)
        return mix_bytes(h, ((const vm_string *)box)->text, ((const vm_string *)box)->length);
    if (box->kind == BOX_FLOAT)
        return mix_bytes(h, &((const vm_float *)box)->value, sizeof(double));
    const mpz_t *z = &((const vm_big *)box)->value;
    for (size_t i = 0; i < mpz_size(*z); i++)
        h = mix(h, mpz_getlimbn(*z, (mp_size_t)i));
    return mix(h, mpz_sgn(*z) < 0);
}

// All of the term takes part; it is waited for as far as it is not bound.
static vm_answer hash_term(vm_machine *m, vm_word w, vm_word *ret)
{
    uint64_t h = 1, check = FIRST_CHECK;
    vm_word whole = w;
    ARRAY_OF(place) todo = {0};
    for (uint64_t steps = 0;; steps++) {
        w = vm_deref(m, w);
        if (vm_is_var(w)) {
            vm_wait(m, w);
            return VM_ANSWER_WAITS;
        }
        if (steps == check) {
            check *= 2;
            if (vm_is_cyclic(whole))
                return VM_ANSWER_NO;
        }
        h = hash_top(h, w);
        if (vm_arguments(w) > 0)
            VM_PUSH(todo, (place){.compound = w});
        if (todo.n == 0)
            break;
        place *top = &todo.at[todo.n - 1];
        w = vm_argument(top->compound, top->next++);
        if (top->next == vm_arguments(top->compound))
            todo.n--;
    }
    *ret = vm_int((int64_t)(h >> 36)); // below 2^28, as in KLIC
    return VM_ANSWER_YES;
}

// ---- Elements -------------------------------------------------------------------------------

static vm_answer vector_element(vm_word vector, vm_word index, vm_word *ret)
{
    int64_t i = vm_tag(index) == TAG_INT ? vm_int_value(index) : -1;
    const vm_vector *v = (const vm_vector *)vm_as_box(vector);
    if (i < 0 || (uint64_t)i >= v->length)
        return VM_ANSWER_NO;
    *ret = vm_vector_get(v, (size_t)i);
    return VM_ANSWER_YES;
}

static vm_answer string_element(vm_word string, vm_word index, vm_word *ret)
{
    int64_t i = vm_tag(index) == TAG_INT ? vm_int_value(index) : -1;
    uint32_t code;
    if (i < 0 || !vm_string_code((const vm_string *)vm_as_box(string), (size_t)i, &code))
        return VM_ANSWER_NO;
    *ret = vm_int(code);
    return VM_ANSWER_YES;
}

// ---- Code as data ---------------------------------------------------------------------------

static bool is_pair(vm_machine *m, vm_word w, uint32_t name, vm_word *ret)
{
    w = vm_deref(m, w);
    if (vm_tag(w) != TAG_STRUCT || vm_words(w)[0] != vm_functor(name, 2))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        ret[i] = vm_deref(m, vm_struct_arg(w, i));
    return true;
}

bool vm_code_constant(vm_machine *m, vm_word w, vm_code_object *ret)
{
    vm_word sharp[2], slash[2], path[2];
    if (!is_pair(m, w, ATOM_SHARP, sharp) || vm_tag(sharp[0]) != TAG_ATOM)
        return false;
    const char *kind = vm_atom_text(vm_atom_number(sharp[0]));
    ret->is_predicate = strcmp(kind, "predicate") == 0;
    if (!ret->is_predicate) {
        if (strcmp(kind, "module") != 0 || vm_tag(sharp[1]) != TAG_ATOM)
            return false;
        ret->module = vm_atom_text(vm_atom_number(sharp[1]));
        return true;
    }
    if (!is_pair(m, sharp[1], ATOM_SLASH, slash) || vm_tag(slash[1]) != TAG_INT ||
        !is_pair(m, slash[0], ATOM_COLON, path) || vm_tag(path[0]) != TAG_ATOM ||
        vm_tag(path[1]) != TAG_ATOM)
        return false;
    ret->module = vm_atom_text(vm_atom_number(path[0]));
    ret->name = vm_atom_text(vm_atom_number(path[1]));
    ret->arity = (uint32_t)vm_int_value(slash[1]);
    return true;
}

// ---- The queries ----------------------------------------------------------------------------

static vm_answer yes_or_no(bool yes)
{
    return yes ? VM_ANSWER_YES : VM_ANSWER_NO;
}

static vm_answer ask_vector(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)m;
    if (!is_vector(in[0]))
        return VM_ANSWER_NO;
    out[0] = vm_int((int64_t)((const vm_vector *)vm_as_box(in[0]))->length);
    return VM_ANSWER_YES;
}

static vm_answer ask_string(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)m;
    if (!is_string(in[0]))
        return VM_ANSWER_NO;
    out[0] = vm_int((int64_t)vm_string_count((const vm_string *)vm_as_box(in[0])));
    out[1] = vm_int(8);
    return VM_ANSWER_YES;
}

static vm_answer ask_vector_element(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)m;
    return is_vector(in[0]) ? vector_element(in[0], in[1], out) : VM_ANSWER_NO;
}

static vm_answer ask_string_element(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)m;
    return is_string(in[0]) ? string_element(in[0], in[1], out) : VM_ANSWER_NO;
}

static vm_answer ask_element(vm_machine *m, const vm_word *in, vm_word *out)
{
    return is_vector(in[0]) ? ask_vector_element(m, in, out) : ask_string_element(m, in, out);
}

// VM_ANSWER_YES: *ret_order is set.
static vm_answer order(vm_machine *m, const vm_word *in, int *ret_order)
{
    void *progress = NULL;
    vm_result compared = vm_compare_terms(m, &progress, in[0], in[1], ret_order);
    return compared == VM_DONE ? VM_ANSWER_YES : compared == VM_WAIT ? VM_ANSWER_WAITS : VM_ANSWER_NO;
}

static vm_answer ask_compare(vm_machine *m, const vm_word *in, vm_word *out)
{
    int order_is;
    vm_answer answer = order(m, in, &order_is);
    if (answer == VM_ANSWER_YES)
        out[0] = vm_int(order_of(in[0], in[1], order_is));
    return answer;
}

static vm_answer ask_strings(vm_machine *m, const vm_word *in, bool less)
{
    int order_is;
    if (!is_string(in[0]) || !is_string(in[1]))
        return VM_ANSWER_NO;
    vm_answer answer = order(m, in, &order_is);
    return answer == VM_ANSWER_YES ? yes_or_no((order_is < 0) == less) : answer;
}

static vm_answer ask_string_less(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)out;
    return ask_strings(m, in, true);
}

static vm_answer ask_string_not_less(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)out;
    return ask_strings(m, in, false);
}

static vm_answer ask_hash(vm_machine *m, const vm_word *in, vm_word *out)
{
    return hash_term(m, in[0], out);
}

static vm_answer ask_priority(vm_machine *m, const vm_word *in, vm_word *out)
{
    (void)in;
    out[0] = vm_int(m->ideal ? 0 : m->worker.priority);
    return VM_ANSWER_YES;
}

static vm_answer ask_predicate(vm_machine *m, const vm_word *in, vm_word *out)
{
    vm_code_object o;
    if (!vm_code_constant(m, in[0], &o) || !o.is_predicate)
        return VM_ANSWER_NO;
    out[0] = vm_int(o.arity);
    return VM_ANSWER_YES;
}

static vm_answer ask_module(vm_machine *m, const vm_word *in, vm_word *out)
{
    vm_code_object o;
    (void)out;
    return yes_or_no(vm_code_constant(m, in[0], &o) && !o.is_predicate);
}

static vm_answer (*const queries[])(vm_machine *m, const vm_word *in, vm_word *out) = {
#define QUERY(name, text, inputs, outputs, callers, function, meaning) function,
#include "vm/code/queries.def"
#undef QUERY
};

vm_answer vm_query(vm_machine *m, uint32_t query, const vm_word *registers, vm_word *out)
{
    vm_word in[2];
    for (uint32_t i = 0; i < vm_query_inputs(query); i++) {
        in[i] = vm_deref(m, registers[i]);
        if (vm_is_var(in[i])) {
            vm_wait(m, in[i]);
            return VM_ANSWER_WAITS;
        }
    }
    return queries[query](m, in, out);
}
