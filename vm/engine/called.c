// SPDX-License-Identifier: MIT
//
// A program finds a predicate by its printed name. Each machine keeps what it found in a table with
// one place for each hash value, so that calls of the same few predicates cost a comparison each.
#include "vm/engine/called.h"

#include "vm/memory.h"
#include "vm/term/names.h"

enum { CALLEES = 256 };

static vm_callee *place_of(vm_machine *m, const char *module, uint32_t name, uint32_t arity)
{
    vm_callees *c = &m->callees;
    if (c->program != m->program) {
        c->at = vm_alloc(CALLEES * sizeof *c->at);
        c->program = m->program;
    }
    uint64_t key = (uintptr_t)module ^ ((uint64_t)arity << 32 | name);
    return &c->at[(key * 0x9e3779b97f4a7c15u >> 32) % CALLEES];
}

vm_predicate *vm_find_predicate(vm_machine *m, const char *module, uint32_t name, uint32_t arity)
{
    const vm_program *p = m->program;
    vm_callee *c = place_of(m, module, name, arity);
    if (!c->predicate || c->module != module || c->name != name || c->arity != arity) {
        vm_predicate *found = p->find(p->find_data, module, vm_atom_text(name), arity);
        *c = (vm_callee){module, name, arity, found};
    }
    return c->predicate;
}

// Conjunctions, goals of a module and goals with a pragma.
static bool is_control(uint32_t name, uint32_t arity)
{
    return arity == 2 && (name == ATOM_COMMA || name == ATOM_COLON || name == ATOM_AT);
}

vm_predicate *vm_called(vm_machine *m, vm_word *goal, uint32_t more)
{
    vm_word w = vm_end_of(*goal);
    uint32_t name, arity = 0;
    if (vm_tag(w) == TAG_STRUCT) {
        name = vm_functor_name(vm_words(w)[0]);
        arity = vm_functor_arity(vm_words(w)[0]);
    } else if (vm_tag(w) == TAG_ATOM) {
        name = vm_atom_number(w);
    } else {
        return NULL;
    }
    if (is_control(name, arity))
        return NULL;
    arity += more;
    if ((arity == 0 && name == ATOM_TRUE) || (arity == 2 && name == ATOM_EQUALS))
        return NULL;
    *goal = w;
    return vm_find_predicate(m, NULL, name, arity);
}
