// SPDX-License-Identifier: MIT
//
// Built-in predicates: calling goals, ending the run, the environment, random numbers.
#include "vm/builtins/arguments.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/called.h"
#include "vm/memory.h"
#include "vm/schedule/worker.h"
#include "vm/term/big.h"

#include <time.h>

// ---- call -----------------------------------------------------------------------------------

typedef struct {
    vm_predicate *predicate; // NULL: `=`
    const vm_word *args;
    int32_t priority;
} called;

typedef struct {
    vm_word goal;
    const char *module;
    int32_t priority;
} called_term;

typedef struct {
    ARRAY_OF(called) goals;
    ARRAY_OF(called_term) todo; // the goals still to be looked at, the next one last
} calls;

// The predicate that name/arity stands for in module (NULL: the program's own).
static vm_result find_predicate(vm_machine *m, calls *c, called_term t, vm_word term, uint32_t name,
                                const vm_word *args, uint32_t arity)
{
    if (arity == 0 && name == ATOM_TRUE)
        return VM_DONE;
    called found = {.args = args, .priority = t.priority};
    const char *module = t.module;
    if (arity != 2 || name != ATOM_EQUALS) {
        found.predicate = vm_find_predicate(m, module, name, arity);
        if (!found.predicate)
            return vm_undefined(m, term, module, vm_atom_text(name), arity);
    }
    VM_PUSH(c->goals, found);
    return VM_DONE;
}

// What a pragma of a called term says; the clause of the call gave t.priority.
static int32_t called_priority(const vm_machine *m, called_term t, vm_word pragma)
{
    vm_word w = vm_end_of(pragma);
    if (w == vm_atom(ATOM_LOWER_PRIORITY))
        return vm_priority(&m->worker, PRIORITY_LOWER, vm_int(1));
    if (vm_tag(w) != TAG_STRUCT)
        return t.priority;
    vm_word functor = vm_words(w)[0];
    if (functor == vm_functor(ATOM_LOWER_PRIORITY, 1))
        return vm_priority(&m->worker, PRIORITY_LOWER, vm_struct_arg(w, 0));
    if (functor == vm_functor(ATOM_PRIORITY, 1))
        return vm_priority(&m->worker, PRIORITY_ABSOLUTE, vm_struct_arg(w, 0));
    if (functor == vm_functor(ATOM_PRIORITY, 2))
        return vm_priority(&m->worker, PRIORITY_ABSOLUTE, vm_struct_arg(w, 1));
    return t.priority;
}

static vm_result call_term(vm_machine *m, calls *c, called_term t, const vm_word *extra,
                           uint32_t nextra)
{
    vm_word goal;
    uint32_t name, module, arity = 0;
    const vm_word *args = extra;
    NEED(vm_need(m, t.goal, &goal));
    if (vm_tag(goal) == TAG_ATOM) {
        name = vm_atom_number(goal);
    } else if (vm_tag(goal) == TAG_STRUCT) {
        name = vm_functor_name(vm_words(goal)[0]);
        arity = vm_functor_arity(vm_words(goal)[0]);
        vm_word *all = vm_alloc((arity + nextra) * sizeof *all);
        for (uint32_t i = 0; i < arity; i++)
            all[i] = vm_struct_arg(goal, i);
        memcpy(all + arity, extra, nextra * sizeof *all);
        args = all;
    } else {
        return vm_error(m, goal, "a goal is expected");
    }
    if (arity == 2 && name == ATOM_COMMA && nextra == 0) {
        VM_PUSH(c->todo, (called_term){args[1], t.module, t.priority});
        VM_PUSH(c->todo, (called_term){args[0], t.module, t.priority});
        return VM_DONE;
    }
    if (arity == 2 && name == ATOM_COLON) {
        NEED(vm_need_atom(m, args[0], &module));
        VM_PUSH(c->todo, (called_term){args[1], vm_atom_text(module), t.priority});
        return VM_DONE;
    }
    if (arity == 2 && name == ATOM_AT) {
        VM_PUSH(c->todo, (called_term){args[0], t.module, called_priority(m, t, args[1])});
        return VM_DONE;
    }
    return find_predicate(m, c, t, goal, name, args, arity + nextra);
}

vm_result vm_call(vm_machine *m, vm_word *args)
{
    calls c = {0};
    uint32_t nextra = m->reduction.goal->predicate->arity - 1;
    VM_PUSH(c.todo, (called_term){args[0], NULL, m->worker.priority});
    while (c.todo.n > 0)
        NEED(call_term(m, &c, c.todo.at[--c.todo.n], args + 1, nextra));
    for (uint32_t i = 0; i < c.goals.n; i++) {
        const called *g = &c.goals.at[i];
        if (g->predicate)
            vm_spawn_at(m, g->predicate, g->args, g->priority);
        else if (!vm_unify(m, g->args[0], g->args[1]))
            return VM_FAIL;
    }
    return VM_DONE;
}

// ---- The end --------------------------------------------------------------------------------

vm_result vm_halt(vm_machine *m, vm_word *args)
{
    (void)args;
    m->end.halt_status = 0;
    return VM_HALT;
}

vm_result vm_halt_with(vm_machine *m, vm_word *args)
{
    int64_t status;
    NEED(vm_need_small(m, args[0], &status));
    if (status < 0 || status > 255)
        return vm_error(m, vm_int(status), "an exit status (0 to 255) is expected");
    m->end.halt_status = (int)status;
    return VM_HALT;
}

// ---- Environment ----------------------------------------------------------------------------

vm_result vm_argv(vm_machine *m, vm_word *args)
{
    vm_items items = {0};
    for (int i = 0; i < m->options.argc; i++)
        VM_PUSH(items, vm_string_from(m->options.argv[i], strlen(m->options.argv[i])));
    return vm_return(m, args[0], vm_list_from(m, items.at, items.n, VM_NIL));
}

vm_result vm_time(vm_machine *m, vm_word *args)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return vm_return(m, args[0], vm_int((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000));
}

// A linear congruential step of 64 bits, the upper bits mixed down (PCG's output by xor and
// rotation).
static uint32_t next_random(uint64_t *state)
{
    uint64_t x = *state;
    *state = x * 6364136223846793005u + 1442695040888963407u;
    uint32_t mixed = (uint32_t)((x >> 18 ^ x) >> 27), by = (uint32_t)(x >> 59);
    return (mixed >> by | mixed << (-by & 31)) >> 1;
}

// The list is the consumer's: it makes a cell when it wants a number, so the sequence is as long
// as somebody asks. Each cell is one reduction.
vm_result vm_random(vm_machine *m, vm_word *args)
{
    vm_word seed, list;
    NEED(vm_need_integer(m, args[0], &seed));
    NEED(vm_need(m, args[1], &list));
    if (list == VM_NIL)
        return VM_DONE;
    if (vm_tag(list) != TAG_CONS)
        return vm_error(m, list, "a list is expected");
    uint64_t *state = *vm_progress(m);
    if (!state) {
        state = vm_alloc_atomic(sizeof *state);
        *state = vm_tag(seed) == TAG_INT ? (uint64_t)vm_int_value(seed)
                                         : mpz_get_ui(((vm_big *)vm_as_box(seed))->value);
        next_random(state); // a small seed has few bits to mix
    }
    vm_word number = vm_int(next_random(state));
    vm_spawn(m, vm_builtin_predicate(m, vm_random), (vm_word[]){seed, vm_tail(list)}, state);
    return vm_return(m, vm_head(list), number);
}

// A list of numbers below Range, made at once: nobody can tell when a consumer wants more.
enum { RANDOM_NUMBERS = 100000 };

vm_result vm_random_numbers(vm_machine *m, vm_word *args, uint32_t n)
{
    int64_t range, seed = 0;
    NEED(vm_need_small(m, args[1], &range));
    if (n > 2)
        NEED(vm_need_small(m, args[2], &seed));
    if (range < 1 || range > INT32_MAX)
        return vm_error(m, vm_int(range), "a number of at least 1, of 31 bits, is expected");
    uint64_t state = (uint64_t)seed;
    next_random(&state);
    vm_word *numbers = vm_alloc_atomic(RANDOM_NUMBERS * sizeof *numbers);
    for (int i = 0; i < RANDOM_NUMBERS; i++)
        numbers[i] = vm_int(next_random(&state) % range);
    vm_word tail = vm_new_variable(m, "Numbers");
    return vm_return(m, args[0], vm_list_from(m, numbers, RANDOM_NUMBERS, tail));
}
