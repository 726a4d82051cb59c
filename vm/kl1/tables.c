// SPDX-License-Identifier: MIT
//
// Built-in predicates: KL1's tables of atoms and functors, wrapped terms, and the small predicates
// of its module `builtin`.
#include "vm/builtins/arguments.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/output.h"
#include "vm/kl1/objects.h"
#include "vm/look.h"
#include "vm/memory.h"

// ---- Atoms ----------------------------------------------------------------------------------

static vm_result need_atom_of(vm_machine *m, vm_word *args, vm_word *ret)
{
    const vm_string *s;
    NEED(vm_need_string(m, args[0], &s));
    if (memchr(s->text, '\0', s->length))
        return vm_error(m, args[0], "an atom cannot hold the character 0");
    *ret = vm_atom(vm_atom_intern(s->text, s->length));
    return VM_DONE;
}

static vm_result need_text_of(vm_machine *m, vm_word *args, vm_word *ret)
{
    uint32_t atom;
    NEED(vm_need_atom(m, args[0], &atom));
    *ret = vm_make_string(vm_atom_text(atom), vm_atom_length(atom));
    return VM_DONE;
}

static vm_word normal(vm_machine *m, vm_word value)
{
    return vm_make_struct(m, vm_functor(ATOM_NORMAL, 1), &value);
}

vm_result vm_make_atom(vm_machine *m, vm_word *args)
{
    vm_word atom;
    NEED(need_atom_of(m, args, &atom));
    return vm_return(m, args[1], atom);
}

vm_result vm_intern_atom(vm_machine *m, vm_word *args)
{
    vm_word atom;
    NEED(need_atom_of(m, args, &atom));
    return vm_return(m, args[1], normal(m, atom));
}

vm_result vm_get_atom_string(vm_machine *m, vm_word *args)
{
    vm_word text;
    NEED(need_text_of(m, args, &text));
    return vm_return(m, args[1], text);
}

vm_result vm_get_atom_name(vm_machine *m, vm_word *args)
{
    vm_word text;
    NEED(need_text_of(m, args, &text));
    return vm_return(m, args[1], normal(m, text));
}

vm_result vm_get_atom_number(vm_machine *m, vm_word *args)
{
    uint32_t atom;
    NEED(vm_need_atom(m, args[0], &atom));
    return vm_return(m, args[1], vm_int(atom));
}

// ---- Functors -------------------------------------------------------------------------------

enum { MAX_ARITY = 1 << 24 };

static vm_result need_position(vm_machine *m, vm_word *args, vm_word *ret_term, uint32_t *ret)
{
    int64_t n;
    NEED(vm_need_small(m, args[0], &n));
    NEED(vm_need(m, args[1], ret_term));
    if (vm_tag(*ret_term) != TAG_STRUCT && vm_tag(*ret_term) != TAG_CONS)
        return vm_error(m, *ret_term, "a functor structure is expected");
    if (n < 1 || n > vm_arguments(*ret_term))
        return vm_error(m, *ret_term, "there is no argument %lld", (long long)n);
    *ret = (uint32_t)n - 1;
    return VM_DONE;
}

// functor_table:arg(N, T, A, T2)
vm_result vm_arg_again(vm_machine *m, vm_word *args)
{
    vm_word term;
    uint32_t i;
    NEED(need_position(m, args, &term, &i));
    if (!vm_unify(m, args[2], vm_argument(term, i)))
        return VM_FAIL;
    return vm_return(m, args[3], term);
}

// functor_table:functor(T, F, N, T2)
vm_result vm_functor_again(vm_machine *m, vm_word *args)
{
    NEED(vm_functor_of(m, args));
    return vm_return(m, args[3], args[0]);
}

// functor_table:new_functor(T, F, N): the arguments are 0
vm_result vm_new_functor(vm_machine *m, vm_word *args)
{
    uint32_t name;
    int64_t n;
    NEED(vm_need_atom(m, args[1], &name));
    NEED(vm_need_small(m, args[2], &n));
    if (n < 0 || n > MAX_ARITY)
        return vm_error(m, vm_int(n), "a number of arguments is expected");
    vm_word *zeros = vm_alloc(((size_t)n + 1) * sizeof *zeros);
    for (int64_t i = 0; i < n; i++)
        zeros[i] = vm_int(0);
    return vm_return(m, args[0], vm_compound_from(m, name, zeros, (size_t)n));
}

// T with argument i replaced.
static vm_word with_argument(vm_machine *m, vm_word term, uint32_t i, vm_word argument)
{
    uint32_t n = (uint32_t)vm_arguments(term);
    vm_word *all = vm_alloc(n * sizeof *all);
    for (uint32_t k = 0; k < n; k++)
        all[k] = k == i ? argument : vm_argument(term, k);
    if (vm_tag(term) == TAG_CONS)
        return vm_make_cons(m, all[0], all[1]);
    return vm_make_struct(m, vm_words(term)[0], all);
}

// functor_table:setarg(N, T, New, T2)
vm_result vm_set_argument(vm_machine *m, vm_word *args)
{
    vm_word term;
    uint32_t i;
    NEED(need_position(m, args, &term, &i));
    return vm_return(m, args[3], with_argument(m, term, i, args[2]));
}

// functor_table:setarg(N, T, Old, New, T2)
vm_result vm_swap_argument(vm_machine *m, vm_word *args)
{
    vm_word term;
    uint32_t i;
    NEED(need_position(m, args, &term, &i));
    if (!vm_unify(m, args[2], vm_argument(term, i)))
        return VM_FAIL;
    return vm_return(m, args[4], with_argument(m, term, i, args[3]));
}

// ---- Wrapped terms --------------------------------------------------------------------------

typedef struct {
    vm_word term;
    vm_word *place; // where its result goes
    vm_word *parts; // of a compound: results of its arguments; NULL until they are under way
} work;

typedef ARRAY_OF(work) works;

static vm_word tagged(vm_machine *m, const char *kind, vm_word value)
{
    return vm_make_struct(m, vm_functor(vm_atom_intern(kind, strlen(kind)), 1), &value);
}

static vm_word variable_name(vm_word variable)
{
    vm_origin origin;
    const char *name = "_";
    if (vm_get_origin(vm_as_var(variable), &origin) && origin.clause == VM_NO_CLAUSE)
        name = vm_atom_text(origin.index);
    return vm_make_string(name, strlen(name));
}

static vm_word wrap_simple(vm_machine *m, vm_word w)
{
    if (vm_is_var(w))
        return tagged(m, "variable", variable_name(w));
    if (vm_tag(w) == TAG_ATOM)
        return tagged(m, "atom", w);
    if (vm_is_box(w, BOX_STRING))
        return tagged(m, "string", w);
    if (vm_is_box(w, BOX_VECTOR))
        return tagged(m, "vector", w);
    return tagged(m, vm_is_box(w, BOX_FLOAT) ? "floating_point" : "integer", w);
}

static vm_word rebuilt(vm_machine *m, vm_word like, const vm_word *parts)
{
    if (vm_tag(like) == TAG_CONS)
        return vm_make_cons(m, parts[0], parts[1]);
    if (vm_tag(like) == TAG_STRUCT)
        return vm_make_struct(m, vm_words(like)[0], parts);
    return vm_make_vector(m, parts, (size_t)vm_arguments(like));
}

static vm_word wrap_compound(vm_machine *m, vm_word like, const vm_word *parts)
{
    const char *kind = vm_tag(like) == TAG_CONS     ? "list"
                       : vm_tag(like) == TAG_STRUCT ? "functor"
                                                    : "vector";
    return tagged(m, kind, rebuilt(m, like, parts));
}

// The arguments of the compound on top of the stack come next.
static void push_parts(works *todo)
{
    work *top = &todo->at[todo->n - 1];
    vm_word compound = top->term;
    uint32_t n = (uint32_t)vm_arguments(compound);
    vm_word *parts = top->parts = vm_alloc(n * sizeof *parts);
    for (uint32_t i = n; i-- > 0;)
        VM_PUSH(*todo, (work){.term = vm_argument(compound, i), .place = &parts[i]});
}

vm_word vm_wrap_term(vm_machine *m, vm_word term)
{
    vm_word result = 0;
    works todo = {0};
    VM_PUSH(todo, (work){.term = term, .place = &result});
    while (todo.n > 0) {
        work *top = &todo.at[todo.n - 1];
        top->term = vm_deref(m, top->term);
        bool simple = vm_arguments(top->term) <= 0;
        if (!simple && !top->parts) {
            push_parts(&todo);
            continue;
        }
        *top->place = simple ? wrap_simple(m, top->term) : wrap_compound(m, top->term, top->parts);
        todo.n--;
    }
    return result;
}

typedef struct {
    const vm_string *name;
    vm_word variable;
} named;

typedef ARRAY_OF(named) names;

static vm_word variable_named(vm_machine *m, names *known, const vm_string *name)
{
    for (uint32_t i = 0; i < known->n; i++)
        if (known->at[i].name->length == name->length &&
            memcmp(known->at[i].name->text, name->text, name->length) == 0)
            return known->at[i].variable;
    vm_word variable = vm_new_variable(m, vm_string_terminated(name));
    VM_PUSH(*known, (named){name, variable});
    return variable;
}

// What a wrapped term holds: a compound whose parts are wrapped (*ret_compound), or its own value.
static vm_result unwrap_top(vm_machine *m, names *known, vm_word wrapped, bool *ret_compound,
                            vm_word *ret)
{
    *ret_compound = false;
    if (vm_tag(wrapped) != TAG_STRUCT || vm_functor_arity(vm_words(wrapped)[0]) != 1)
        return vm_error(m, wrapped, "a wrapped term is expected: atom(A), integer(I), list(L) ...");
    const char *kind = vm_atom_text(vm_functor_name(vm_words(wrapped)[0]));
    *ret = vm_end_of(vm_struct_arg(wrapped, 0));
    if (strcmp(kind, "variable") == 0 && vm_is_box(*ret, BOX_STRING)) {
        *ret = variable_named(m, known, (const vm_string *)vm_as_box(*ret));
        return VM_DONE;
    }
    if (strcmp(kind, "list") == 0 || strcmp(kind, "functor") == 0 || strcmp(kind, "vector") == 0) {
        *ret_compound = vm_arguments(*ret) > 0;
        return VM_DONE;
    }
    static const char *const simple[] = {"atom", "integer", "floating_point", "string", "unknown"};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(kind, simple[i]) == 0)
            return VM_DONE;
    return vm_error(m, wrapped, "a wrapped term is expected: atom(A), integer(I), list(L) ...");
}

vm_result vm_unwrap_term(vm_machine *m, vm_word wrapped, vm_word *ret)
{
    works todo = {0};
    names known = {0};
    VM_PUSH(todo, (work){.term = wrapped, .place = ret});
    while (todo.n > 0) {
        work *top = &todo.at[todo.n - 1];
        if (top->parts) {
            *top->place = rebuilt(m, top->term, top->parts);
            todo.n--;
            continue;
        }
        bool compound;
        vm_word value;
        NEED(unwrap_top(m, &known, vm_end_of(top->term), &compound, &value));
        top->term = value;
        if (compound) {
            push_parts(&todo);
        } else {
            *top->place = value;
            todo.n--;
        }
    }
    return VM_DONE;
}

vm_result vm_wrap(vm_machine *m, vm_word *args)
{
    return vm_return(m, args[1], vm_wrap_term(m, args[0]));
}

vm_result vm_unwrap(vm_machine *m, vm_word *args)
{
    vm_word term;
    NEED(vm_need_ground(m, vm_progress(m), args[0]));
    NEED(vm_unwrap_term(m, args[0], &term));
    return vm_return(m, args[1], term);
}

// ---- Others ---------------------------------------------------------------------------------

// unbound(X, R): R is {X} if X is bound by now, else {0, 0, X}.
vm_result vm_is_unbound(vm_machine *m, vm_word *args)
{
    vm_word x = vm_deref(m, args[0]);
    vm_word parts[3] = {vm_int(0), vm_int(0), x};
    return vm_return(m, args[1],
                     vm_is_var(x) ? vm_make_vector(m, parts, 3) : vm_make_vector(m, &x, 1));
}

// current_node(Node, Nodes): goals are not bound to nodes; there is one.
vm_result vm_current_node(vm_machine *m, vm_word *args)
{
    return vm_unify(m, args[0], vm_int(0)) ? vm_return(m, args[1], vm_int(1)) : VM_FAIL;
}

// builtin:print(X, Done), builtin:putc(C, Done)
vm_result vm_print_and_tell(vm_machine *m, vm_word *args)
{
    NEED(vm_print(m, args));
    return vm_return(m, args[1], VM_NIL);
}

// builtin:print(X): a line
vm_result vm_print_line(vm_machine *m, vm_word *args)
{
    NEED(vm_print(m, args));
    return vm_nl(m, args);
}

vm_result vm_putc_and_tell(vm_machine *m, vm_word *args)
{
    vm_word code;
    base_text t = VM_TEXT;
    NEED(vm_need(m, args[0], &code));
    NEED(vm_put_character(m, &t, code));
    if (!vm_stream_write(&m->builtins.output->out, t.at, t.n))
        return vm_error(m, 0, "cannot write to standard output");
    return vm_return(m, args[1], VM_NIL);
}

// system_control:gc(Before, After): nothing is collected by request.
vm_result vm_collect(vm_machine *m, vm_word *args)
{
    return vm_unify(m, args[0], vm_int(0)) ? vm_return(m, args[1], vm_int(0)) : VM_FAIL;
}
