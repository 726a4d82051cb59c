// SPDX-License-Identifier: MIT
//
// The makers of terms that are too large to be inline, and the storage of persistent vectors.
#include "vm/memory.h"
#include "vm/term/big.h"
#include "vm/term/heap.h"
#include "vm/term/text.h"
#include "vm/look.h"

// ---- Numbers and strings --------------------------------------------------------------------

vm_word vm_heap_big(const mpz_t value)
{
    if (mpz_fits_slong_p(value)) {
        long i = mpz_get_si(value);
        if (i >= VM_INT_MIN && i <= VM_INT_MAX)
            return vm_int(i);
    }
    size_t n = mpz_size(value), bytes = sizeof(vm_big) + n * sizeof(mp_limb_t);
    vm_big *big = bytes <= VM_SMALL_GRANULES * VM_GRANULE ? vm_heap_object(bytes) : vm_alloc_atomic(bytes);
    big->box = (vm_box){.kind = BOX_BIG};
    memcpy(big->limbs, mpz_limbs_read(value), n * sizeof(mp_limb_t));
    mpz_roinit_n(big->value, big->limbs, mpz_sgn(value) * (mp_size_t)n);
    return vm_heap_box(big);
}

vm_word vm_heap_big_of(const mpz_t value)
{
    vm_big *big = vm_heap_object(sizeof *big);
    big->box.kind = BOX_BIG;
    *big->value = *value;
    return vm_heap_box(big);
}

vm_word vm_make_integer(const char *digits, int base)
{
    mpz_t value;
    if (mpz_init_set_str(value, digits, base) != 0)
        mpz_set_ui(value, 0);
    vm_word w = vm_heap_big(value);
    mpz_clear(value);
    return w;
}

vm_word vm_heap_float(double d)
{
    vm_float *box = vm_heap_object(sizeof *box);
    box->box.kind = BOX_FLOAT;
    box->value = d;
    return vm_heap_box(box);
}

vm_word vm_make_float(double d)
{
    return vm_heap_float(d);
}

vm_string *vm_heap_string(size_t length)
{
    vm_string *s = vm_alloc_atomic(vm_string_size(length));
    s->box.kind = BOX_STRING;
    s->recorder_number = 0;
    s->length = length;
    s->kind = 0;
    s->text = s->own;
    s->text[length] = '\0';
    return s;
}

vm_word vm_make_string(const char *text, size_t length)
{
    vm_string *s = vm_heap_string(length);
    memcpy(s->text, text, length);
    return vm_heap_box(s);
}

char *vm_integer_digits(vm_word integer, int base)
{
    mpz_t small;
    if (vm_tag(integer) == TAG_BOX)
        return mpz_get_str(NULL, base, ((const vm_big *)vm_as_box(integer))->value);
    mpz_init_set_si(small, vm_int_value(integer));
    return mpz_get_str(NULL, base, small);
}

// ---- Compounds and variables ----------------------------------------------------------------

vm_word vm_make_cons(vm_machine *m, vm_word head, vm_word tail)
{
    return vm_heap_cons(m, head, tail);
}

vm_word vm_make_struct(vm_machine *m, vm_word functor, const vm_word *args)
{
    vm_word w = vm_heap_struct(m, functor);
    memcpy(vm_words(w) + 1, args, vm_functor_arity(functor) * sizeof *args);
    return w;
}

vm_word vm_make_variable(vm_machine *m, vm_origin origin)
{
    return vm_heap_variable(m, origin);
}

vm_word vm_new_variable(vm_machine *m, const char *name)
{
    vm_origin origin = {VM_NO_CLAUSE, vm_atom_intern(name, strlen(name))};
    return vm_heap_variable(m, origin);
}

// ---- Arguments ------------------------------------------------------------------------------

int64_t vm_arguments(vm_word w)
{
    if (vm_tag(w) == TAG_CONS)
        return 2;
    if (vm_tag(w) == TAG_STRUCT)
        return vm_functor_arity(vm_words(w)[0]);
    if (vm_is_box(w, BOX_VECTOR))
        return (int64_t)((vm_vector *)vm_as_box(w))->length;
    return -1;
}

vm_word vm_argument(vm_word w, uint32_t i)
{
    if (vm_tag(w) == TAG_CONS)
        return vm_field(vm_words(w) + i);
    if (vm_tag(w) == TAG_STRUCT)
        return vm_struct_arg(w, i);
    return vm_vector_get((vm_vector *)vm_as_box(w), i);
}

// ---- Vectors --------------------------------------------------------------------------------

// Where there are several workers, all versions of a vector are read and updated under one of
// these locks, chosen by the address of the first.
enum { LOCKS = 64 };
static uint32_t locks[LOCKS];

static vm_vector *new_vector(size_t n)
{
    vm_vector *v = vm_heap_object(sizeof *v);
    v->box.kind = BOX_VECTOR;
    v->length = n;
    v->lock = (uint32_t)((uintptr_t)v / sizeof *v % LOCKS);
    return v;
}

vm_word vm_heap_vector(vm_machine *m, size_t n, vm_word **ret_elements)
{
    vm_vector *v = new_vector(n);
    v->elements = vm_alloc(n * sizeof *v->elements);
    v->cell = vm_heap_cell(m);
    *ret_elements = v->elements;
    return vm_heap_listed(m, vm_heap_box(v));
}

vm_word vm_make_vector(vm_machine *m, const vm_word *elements, size_t n)
{
    vm_word *place;
    vm_word w = vm_heap_vector(m, n, &place);
    if (n)
        memcpy(place, elements, n * sizeof *place);
    return w;
}

vm_word vm_make_vector_of(vm_machine *m, size_t length, vm_word element)
{
    vm_word *place;
    vm_word w = vm_heap_vector(m, length, &place);
    for (size_t i = 0; i < length; i++)
        place[i] = element;
    return w;
}

// Gives an older version its own elements: a copy of the newest one's with the differences on the
// way undone, the last first (for an index that changed twice the difference nearest to v holds).
static void own_elements(vm_vector *v)
{
    size_t n = 0;
    vm_vector *newest = v;
    for (; !newest->elements; newest = newest->newer)
        n++;
    vm_vector **way = vm_alloc(n * sizeof(vm_vector *));
    n = 0;
    for (vm_vector *at = v; !at->elements; at = at->newer)
        way[n++] = at;
    vm_word *elements = vm_alloc(v->length * sizeof *elements);
    memcpy(elements, newest->elements, v->length * sizeof *elements);
    while (n--)
        elements[way[n]->index] = way[n]->old;
    v->elements = elements;
    v->newer = NULL;
    v->old = 0;
}

// An older version gets its own elements when reads of it went as far as the vector is long. So all
// reads of a version together walk no further than that, the copy aside.
static vm_word get(vm_vector *v, size_t index)
{
    const vm_vector *at = v;
    for (; !at->elements; at = at->newer) {
        if (at->index == index)
            return at->old;
        if (v->walked++ > v->length) {
            own_elements(v);
            at = v;
            break;
        }
    }
    return at->elements[index];
}

vm_word vm_vector_get(const vm_vector *v, size_t index)
{
    vm_spin_lock(&locks[v->lock]);
    vm_word element = get((vm_vector *)v, index);
    vm_spin_unlock();
    return element;
}

vm_word vm_update_vector(vm_machine *m, vm_vector *v, size_t index, vm_word element)
{
    vm_vector *newer = new_vector(v->length);
    newer->lock = v->lock;
    newer->cell = vm_heap_cell(m);
    vm_spin_lock(&locks[v->lock]);
    if (!v->elements)
        own_elements(v);
    newer->elements = v->elements;
    v->elements = NULL;
    v->newer = newer;
    v->index = index;
    v->old = newer->elements[index];
    newer->elements[index] = element;
    vm_spin_unlock();
    vm_word w = vm_heap_box(newer);
    if (m && vm_cells_of(m)->listing)
        VM_PUSH(vm_cells_of(m)->list, (vm_cell){w, v, index, element});
    return w;
}
