// SPDX-License-Identifier: MIT
//
// Built-in predicates: KL1's generic objects. `generic:new(Class, Object, ...)` makes one; a method
// `generic:m(Object, ...)` means what the type of the object says. Vectors, strings and floats are
// the language's own; a merger is a stream; a predicate or module is a constant
// `predicate#(m:p/n)`.

#include "vm/builtins/arguments.h"
#include "vm/builtins/merge.h"
#include "vm/code.h"
#include "vm/code/arithmetic.h"
#include "vm/engine/arith.h"
#include "vm/engine/builtin.h"
#include "vm/engine/query.h"
#include "vm/look.h"
#include "vm/memory.h"

// ---- Making ---------------------------------------------------------------------------------

static vm_result new_merger(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    vm_merge_streams(m, args[0], args[1]);
    return VM_DONE;
}

static vm_result new_float(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    vm_word init, value;
    const char *reason;
    NEED(vm_need(m, args[1], &init));
    if (vm_is_box(init, BOX_STRING)) {
        const vm_string *s = (const vm_string *)vm_as_box(init);
        if (!vm_number_from(s->text, s->length, &init))
            return vm_error(m, args[1], "the text of a number is expected");
    }
    if (!vm_is_number(init))
        return vm_error(m, init, "a number is expected");
    int op = vm_arith_operator(vm_functor(ATOM_FLOAT, 1));
    if (vm_arith_apply(op, &init, &value, &reason) != ARITH_OK)
        return vm_error(m, init, "%s", reason);
    return vm_return(m, args[0], value);
}

static vm_result new_vector(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    return vm_new_vector(m, args);
}

static vm_result new_string(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    return vm_new_string_bits(m, args);
}

static vm_word code_constant(vm_machine *m, const char *kind, vm_word what)
{
    vm_word args[2] = {vm_atom_from(kind), what};
    return vm_make_struct(m, vm_functor(ATOM_SHARP, 2), args);
}

static vm_result new_module(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    uint32_t name;
    NEED(vm_need_atom(m, args[1], &name));
    return vm_return(m, args[0], code_constant(m, "module", vm_atom(name)));
}

// The module is an atom or a module object.
static vm_result new_predicate(vm_machine *m, vm_word *args, uint32_t n)
{
    (void)n;
    vm_code_object o;
    vm_word module;
    uint32_t name;
    int64_t arity;
    NEED(vm_need(m, args[1], &module));
    NEED(vm_need_atom(m, args[2], &name));
    NEED(vm_need_small(m, args[3], &arity));
    if (vm_code_constant(m, module, &o) && !o.is_predicate)
        module = vm_atom_from(o.module);
    if (vm_tag(module) != TAG_ATOM)
        return vm_error(m, module, "a module is expected");
    vm_word path[2] = {module, vm_atom(name)};
    vm_word of[2] = {vm_make_struct(m, vm_functor(ATOM_COLON, 2), path), vm_int(arity)};
    vm_word term = vm_make_struct(m, vm_functor(ATOM_SLASH, 2), of);
    return vm_return(m, args[0], code_constant(m, "predicate", term));
}

static const struct {
    const char *name;
    uint32_t least, most; // arguments beside the class
    vm_result (*make)(vm_machine *m, vm_word *args, uint32_t n);
} classes[] = {
    {"merge", 2, 2, new_merger},  {"vector", 2, 2, new_vector},
    {"string", 3, 3, new_string}, {"float", 2, 2, new_float},
    {"module", 2, 2, new_module}, {"predicate", 4, 4, new_predicate},
    {"random_numbers", 2, 3, vm_random_numbers},
};

vm_result vm_generic_new(vm_machine *m, vm_word *args)
{
    uint32_t class, n = m->reduction.goal->predicate->arity - 1;
    NEED(vm_need_atom(m, args[0], &class));
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strcmp(classes[i].name, vm_atom_text(class)) != 0)
            continue;
        if (n < classes[i].least || n > classes[i].most)
            return vm_error(m, vm_atom(class), "this class of objects takes other arguments");
        return classes[i].make(m, args + 1, n);
    }
    return vm_error(m, vm_atom(class),
                    "a class is expected: merge, vector, string, float, random_numbers, module, "
                    "predicate");
}

// merge:in(A, B, Out): a merger of two streams.
vm_result vm_merge_in(vm_machine *m, vm_word *args)
{
    vm_merge_streams(m, vm_make_vector(m, args, 2), args[2]);
    return VM_DONE;
}

// ---- Vectors and strings ----------------------------------------------------------------------

static vm_result need_object(vm_machine *m, vm_word w, vm_word *ret)
{
    NEED(vm_need(m, w, ret));
    if (vm_is_box(*ret, BOX_VECTOR) || vm_is_box(*ret, BOX_STRING))
        return VM_DONE;
    return vm_error(m, *ret, "a vector or a string is expected");
}

vm_result vm_generic_size(vm_machine *m, vm_word *args)
{
    vm_word object;
    NEED(need_object(m, args[0], &object));
    return vm_is_box(object, BOX_VECTOR) ? vm_vector_length(m, args) : vm_string_length(m, args);
}

vm_result vm_generic_element_size(vm_machine *m, vm_word *args)
{
    const vm_string *s;
    NEED(vm_need_string(m, args[0], &s));
    return vm_return(m, args[1], vm_int(8));
}

// generic:string(S, N, Bits)
vm_result vm_generic_string(vm_machine *m, vm_word *args)
{
    const vm_string *s;
    NEED(vm_need_string(m, args[0], &s));
    if (!vm_unify(m, args[1], vm_int((int64_t)vm_string_count(s))))
        return VM_FAIL;
    return vm_return(m, args[2], vm_int(8));
}

// builtin:string(S, N, Bits, S2)
vm_result vm_string_and_size(vm_machine *m, vm_word *args)
{
    NEED(vm_generic_string(m, args));
    return vm_return(m, args[3], args[0]);
}

// builtin:vector(V, N, V2)
vm_result vm_vector_and_size(vm_machine *m, vm_word *args)
{
    NEED(vm_vector_length(m, args));
    return vm_return(m, args[2], args[0]);
}

vm_result vm_generic_element(vm_machine *m, vm_word *args)
{
    vm_word object;
    NEED(need_object(m, args[0], &object));
    return vm_is_box(object, BOX_VECTOR) ? vm_vector_element(m, args) : vm_string_element(m, args);
}

// set_element(Object, I, New, Object2)
vm_result vm_generic_set_element(vm_machine *m, vm_word *args)
{
    vm_word object;
    NEED(need_object(m, args[0], &object));
    return vm_is_box(object, BOX_VECTOR) ? vm_set_vector_element_new(m, args)
                                         : vm_set_string_element(m, args);
}

// set_element(Object, I, Old, New, Object2)
vm_result vm_generic_swap_element(vm_machine *m, vm_word *args)
{
    vm_word object, old[3] = {args[0], args[1], args[2]};
    vm_word set[4] = {args[0], args[1], args[3], args[4]};
    NEED(need_object(m, args[0], &object));
    if (vm_is_box(object, BOX_VECTOR))
        return vm_set_vector_element(m, args);
    NEED(vm_set_string_element(m, set));
    return vm_string_element(m, old);
}

vm_result vm_generic_split(vm_machine *m, vm_word *args)
{
    vm_word object, lower, upper;
    int64_t at;
    NEED(need_object(m, args[0], &object));
    NEED(vm_need_small(m, args[1], &at));
    bool vector = vm_is_box(object, BOX_VECTOR);
    const vm_string *s = (const vm_string *)vm_as_box(object);
    int64_t size = vector ? vm_arguments(object) : (int64_t)vm_string_count(s);
    if (at < 0 || at > size)
        return vm_error(m, vm_int(at), "an index from 0 to %lld is expected", (long long)size);
    if (vector) {
        vm_vector_split(m, (vm_vector *)vm_as_box(object), (size_t)at, &lower, &upper);
    } else {
        size_t bytes = vm_string_offset(s, (size_t)at);
        lower = vm_make_string(s->text, bytes);
        upper = vm_make_string(s->text + bytes, s->length - bytes);
    }
    return vm_unify(m, args[2], lower) ? vm_return(m, args[3], upper) : VM_FAIL;
}

vm_result vm_generic_join(vm_machine *m, vm_word *args)
{
    vm_word object;
    vm_vector *a, *b;
    NEED(need_object(m, args[0], &object));
    if (!vm_is_box(object, BOX_VECTOR))
        return vm_string_concat(m, args);
    NEED(vm_need_vector(m, args[0], &a));
    NEED(vm_need_vector(m, args[1], &b));
    return vm_return(m, args[2], vm_vector_join(m, a, b));
}

// search_character(S, From, To, Code, Where): from one index to the other, which may be before it;
// -1 if the code is not there.
vm_result vm_search_character(vm_machine *m, vm_word *args)
{
    const vm_string *s;
    int64_t from, to, code, where = -1;
    uint32_t found;
    NEED(vm_need_string(m, args[0], &s));
    NEED(vm_need_small(m, args[1], &from));
    NEED(vm_need_small(m, args[2], &to));
    NEED(vm_need_small(m, args[3], &code));
    int64_t count = (int64_t)vm_string_count(s), step = from <= to ? 1 : -1;
    if (from < 0 || from > count || to < 0 || to > count)
        return vm_error(m, args[0], "positions from 0 to %lld are expected", (long long)count);
    for (int64_t i = from; where < 0 && i != to + step; i += step)
        if (vm_string_code(s, (size_t)i, &found) && found == code)
            where = i;
    return vm_return(m, args[4], vm_int(where));
}

// generic:print(X, S): the text of X
vm_result vm_generic_print(vm_machine *m, vm_word *args)
{
    base_text t = VM_TEXT;
    NEED(vm_need_ground(m, vm_progress(m), args[0]));
    vm_text_add_term(&t, args[0], &vm_quote_options);
    return vm_return(m, args[1], vm_make_string(t.at, t.n));
}

// ---- Floats ---------------------------------------------------------------------------------

static const char *method_name(const vm_machine *m)
{
    const char *colon = strchr(m->reduction.goal->predicate->name, ':');
    return colon ? colon + 1 : m->reduction.goal->predicate->name;
}

// The operator that the goal's method is called after. *ret_integer: the result is turned into a
// float again.
static int method_operator(const vm_machine *m, uint32_t *ret_operands)
{
    static const struct {
        const char *method;
        uint32_t name;
    } table[] = {
        {"add", ATOM_PLUS},     {"subtract", ATOM_MINUS}, {"multiply", ATOM_TIMES},
        {"divide", ATOM_SLASH}, {"power", ATOM_POWER},    {"pow", ATOM_POWER},
        {"ceil", ATOM_CEILING}, {"plus", ATOM_PLUS},      {"minus", ATOM_MINUS},
        {"int", ATOM_TRUNCATE}, {"to_integer", ATOM_TRUNCATE},
    };
    const char *method = method_name(m);
    if (strncmp(method, "floating_point_", 15) == 0)
        method += 15;
    uint32_t operands = *ret_operands = m->reduction.goal->predicate->arity - 1;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].method, method) == 0)
            return vm_arith_operator(vm_functor(table[i].name, operands));
    return vm_arith_operator(vm_functor(vm_atom_intern(method, strlen(method)), operands));
}

static vm_result need_float(vm_machine *m, vm_word w, vm_word *ret)
{
    NEED(vm_need(m, w, ret));
    return vm_is_box(*ret, BOX_FLOAT) ? VM_DONE : vm_error(m, *ret, "a float is expected");
}

// generic:sin(X, Y), generic:add(X, Y, Z), floating_point_add(X, Y, Z) ...
vm_result vm_float_method(vm_machine *m, vm_word *args)
{
    vm_word operands[2], value;
    const char *reason;
    uint32_t n;
    int op = method_operator(m, &n);
    bool integer = op == vm_arith_operator(vm_functor(ATOM_TRUNCATE, 1));
    for (uint32_t i = 0; i < n; i++)
        NEED(need_float(m, args[i], &operands[i]));
    vm_arith_status status = vm_arith_apply(op, operands, &value, &reason);
    if (status == ARITH_OK && !integer && !vm_is_box(value, BOX_FLOAT)) {
        vm_word rounded = value;
        op = vm_arith_operator(vm_functor(ATOM_FLOAT, 1));
        status = vm_arith_apply(op, &rounded, &value, &reason);
    }
    if (status != ARITH_OK)
        return vm_error(m, 0, "%s", reason);
    return vm_return(m, args[n], value);
}

// ---- Code -----------------------------------------------------------------------------------

static vm_result need_code(vm_machine *m, vm_word w, vm_code_object *ret)
{
    vm_word value;
    NEED(vm_need(m, w, &value));
    if (vm_code_constant(m, value, ret))
        return VM_DONE;
    return vm_error(m, value, "a predicate (predicate#(m:p/n)) or a module is expected");
}

static vm_result call_code(vm_machine *m, vm_word object, const vm_word *args, uint32_t n)
{
    vm_code_object o;
    const vm_program *p = m->program;
    NEED(need_code(m, object, &o));
    if (!o.is_predicate || o.arity != n)
        return vm_error(m, object, "a predicate with %u arguments is expected", n);
    vm_predicate *called = p->find(p->find_data, o.module, o.name, n);
    if (!called)
        return vm_undefined(m, object, o.module, o.name, n);
    vm_spawn(m, called, args, NULL);
    return VM_DONE;
}

vm_result vm_generic_call(vm_machine *m, vm_word *args)
{
    return call_code(m, args[0], args + 1, m->reduction.goal->predicate->arity - 1);
}

// generic:apply(Predicate, Vector)
vm_result vm_generic_apply(vm_machine *m, vm_word *args)
{
    vm_code_object o;
    vm_vector *v;
    NEED(need_code(m, args[0], &o));
    NEED(vm_need_vector(m, args[1], &v));
    vm_word *elements = vm_alloc((v->length + 1) * sizeof *elements);
    for (size_t i = 0; i < v->length; i++)
        elements[i] = vm_vector_get(v, i);
    return call_code(m, args[0], elements, (uint32_t)v->length);
}

vm_result vm_generic_arity(vm_machine *m, vm_word *args)
{
    vm_code_object o;
    NEED(need_code(m, args[0], &o));
    if (!o.is_predicate)
        return vm_error(m, args[0], "a predicate is expected");
    return vm_return(m, args[1], vm_int(o.arity));
}

vm_result vm_generic_name(vm_machine *m, vm_word *args)
{
    vm_code_object o;
    NEED(need_code(m, args[0], &o));
    return vm_return(m, args[1], vm_atom_from(o.is_predicate ? o.name : o.module));
}

vm_result vm_generic_module(vm_machine *m, vm_word *args)
{
    vm_code_object o;
    NEED(need_code(m, args[0], &o));
    vm_word name = vm_atom_from(o.module);
    return vm_return(m, args[1], code_constant(m, "module", name));
}

// generic:generic(Object, Method(Args...)): the method is known when the program runs.
vm_result vm_generic_generic(vm_machine *m, vm_word *args)
{
    vm_word method;
    NEED(vm_need(m, args[1], &method));
    bool compound = vm_tag(method) == TAG_STRUCT;
    if (!compound && vm_tag(method) != TAG_ATOM)
        return vm_error(m, method, "a method and its arguments are expected");
    uint32_t name = compound ? vm_functor_name(vm_words(method)[0]) : vm_atom_number(method);
    uint32_t n = compound ? vm_functor_arity(vm_words(method)[0]) : 0;
    const vm_program *p = m->program;
    vm_predicate *called = p->find(p->find_data, "generic", vm_atom_text(name), n + 1);
    if (!called)
        return vm_error(m, method, "no object has a method of this name and arguments");
    vm_word *all = vm_alloc((n + 1) * sizeof *all);
    all[0] = args[0];
    for (uint32_t i = 0; i < n; i++)
        all[i + 1] = vm_struct_arg(method, i);
    vm_spawn(m, called, all, NULL);
    return VM_DONE;
}
