// SPDX-License-Identifier: MIT
//
// Real runs: each machine puts its reductions down in a buffer of its own, without locks. Records
// hold no pointers, so that the terms they are about can be collected.
#include "fleng/record/recorder.h"
#include "vm/memory.h"
#include "vm/recorder.h"

#include <string.h>

enum { BLOCK_BYTES = 256 << 10, LONGEST = 10 }; // of a number

typedef struct {
    fl_buffer *buffer;
    uint32_t machine;
    uint64_t first_cell; // count
    uint8_t *at;
} sink;

static void put(sink *s, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        *s->at++ = (uint8_t)(n | 0x80);
    *s->at++ = (uint8_t)n;
}

static void put_token(sink *s, unsigned kind, uint64_t n)
{
    put(s, n << 3 | kind);
}

static uint64_t zigzag(int64_t i)
{
    return (uint64_t)i << 1 ^ (uint64_t)(i >> 63);
}

static void put_cell(sink *s, uint64_t number)
{
    if (VM_CELL_MACHINE(number) == s->machine)
        put_token(s, FL_TOKEN_OWN, zigzag((int64_t)(s->first_cell - VM_CELL_COUNT(number))));
    else
        put_token(s, FL_TOKEN_FOREIGN, VM_CELL_COUNT(number) << 8 | VM_CELL_MACHINE(number));
}

// Another thread may look at the array (fl_look): it is replaced under the lock, by one that was
// made before, as memory may be exhausted then.
#define PUSH_SHARED(buffer, array, item)                                                           \
    do {                                                                                           \
        if ((array).n == (array).capacity) {                                                       \
            void *grown_ = array_grown_on(&fl_heap, (array).at, &(array).capacity, (array).n + 1,  \
                                          sizeof *(array).at);                                     \
            pthread_mutex_lock(&(buffer)->lock);                                                   \
            (array).at = grown_;                                                                   \
            pthread_mutex_unlock(&(buffer)->lock);                                                 \
        }                                                                                          \
        (array).at[(array).n] = (item);                                                            \
        __atomic_store_n(&(array).n, (array).n + 1, __ATOMIC_RELEASE);                             \
    } while (0)

static void add_box(fl_buffer *b, vm_word w)
{
    PUSH_SHARED(b, b->boxes, w);
}

static void put_value(sink *s, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_REF:
        put_cell(s, vm_as_var(w)->number);
        break;
    case TAG_INT:
        put_token(s, FL_TOKEN_INT, zigzag(vm_int_value(w)));
        break;
    case TAG_CONS:
        put_cell(s, vm_words(w)[2]);
        break;
    case TAG_STRUCT:
        put_cell(s, vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1]);
        break;
    case TAG_ATOM:
        put_token(s, FL_TOKEN_ATOM, vm_atom_number(w));
        break;
    default:
        if (vm_is_box(w, BOX_VECTOR)) {
            put_cell(s, ((const vm_vector *)vm_as_box(w))->cell);
        } else if (vm_is_box(w, BOX_FLOAT)) {
            put_token(s, FL_TOKEN_FLOAT, 0);
            memcpy(s->at, &((const vm_float *)vm_as_box(w))->value, sizeof(double));
            s->at += sizeof(double);
        } else {
            put_token(s, FL_TOKEN_BOX, s->buffer->boxes.n);
            add_box(s->buffer, w);
        }
    }
}

static void put_variables(sink *s, vm_var *const *at, uint32_t n)
{
    put(s, n);
    for (uint32_t i = 0; i < n; i++)
        put_cell(s, at[i]->number);
}

static void put_values(sink *s, const vm_word *words, uint32_t n)
{
    put(s, n);
    for (uint32_t i = 0; i < n; i++)
        put_value(s, words[i]);
}

// A vector may have been updated since by another worker: it is read element by element.
static void put_vector(sink *s, const vm_vector *v)
{
    uint32_t n = (uint32_t)v->length;
    bool uniform = n > 1;
    vm_word first = n > 0 ? vm_vector_get(v, 0) : 0;
    for (uint32_t i = 1; i < n && uniform; i++)
        uniform = vm_vector_get(v, i) == first;
    put(s, n);
    put(s, uniform ? 1 : n);
    for (uint32_t i = 0; i < (uniform ? 1 : n); i++)
        put_value(s, vm_vector_get(v, i));
}

static void put_made(sink *s, const vm_cell *made)
{
    vm_word w = made->object;
    if (made->older) {
        put(s, TC_VECTOR_UPDATE);
        put(s, 0);
        put(s, made->older->length);
        put(s, 3);
        put_cell(s, made->older->cell);
        put_token(s, FL_TOKEN_INT, zigzag((int64_t)made->index));
        put_value(s, made->element);
        return;
    }
    switch (vm_tag(w)) {
    case TAG_REF:
        put(s, TC_VARIABLE);
        put(s, vm_as_var(w)->origin.index);
        put(s, 0);
        put(s, 0);
        break;
    case TAG_CONS:
        put(s, TC_CONS);
        put(s, 0);
        put(s, 2);
        put_values(s, vm_words(w), 2);
        break;
    case TAG_STRUCT: {
        vm_word functor = vm_words(w)[0];
        put(s, TC_STRUCT);
        put(s, vm_functor_name(functor));
        put(s, vm_functor_arity(functor));
        put_values(s, vm_words(w) + 1, vm_functor_arity(functor));
        break;
    }
    default:
        put(s, TC_VECTOR);
        put(s, 0);
        put_vector(s, (const vm_vector *)vm_as_box(w));
    }
}

static void put_dynamic(sink *s, const vm_event *event)
{
    put(s, event->ncells);
    for (uint32_t i = 0; i < event->ncells; i++)
        put_made(s, &event->cells[i]);
    put(s, event->ngoals);
    for (uint32_t i = 0; i < event->ngoals; i++) {
        put(s, event->goals[i]->predicate->id);
        put_values(s, event->goals[i]->args, event->goals[i]->nargs);
    }
}

static uint64_t values_of(const vm_cell *made)
{
    if (made->older)
        return 3;
    if (vm_tag(made->object) == TAG_STRUCT)
        return vm_functor_arity(vm_words(made->object)[0]);
    if (vm_is_box(made->object, BOX_VECTOR))
        return ((const vm_vector *)vm_as_box(made->object))->length;
    return 2;
}

// Numbers there are in the record, at most.
static uint64_t most_numbers(const vm_event *event)
{
    uint64_t n = 16 + (uint64_t)event->nreads + event->nfollowed + 3 * (uint64_t)event->nbindings;
    if (event->clause)
        return n + ((const fl_template *)event->clause->info)->nholes;
    for (uint32_t i = 0; i < event->ncells; i++)
        n += 4 + values_of(&event->cells[i]);
    for (uint32_t i = 0; i < event->ngoals; i++)
        n += 2 + (uint64_t)event->goals[i]->nargs;
    return n;
}

void *fl_take_room(void *data, size_t bytes)
{
    fl_recorder *r = data;
    return r->spill ? fl_spill_take(r->spill, bytes) : NULL;
}

static void reserve(fl_recorder *r, fl_buffer *b, uint64_t bytes)
{
    if (b->at && (uint64_t)(b->end - b->at) >= bytes)
        return;
    uint64_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    uint8_t *block = fl_take_room(r, size);
    if (!block) {
        block = vm_alloc_atomic(size);
        FL_PUSH(b->blocks, block);
    }
    b->at = block;
    b->end = block + size;
}

void fl_record_real(void *data, const vm_event *event)
{
    fl_recorder *r = data;
    fl_buffer *b = &r->buffers[event->machine];
    reserve(r, b, LONGEST * most_numbers(event));
    sink s = {.buffer = b,
              .machine = event->machine,
              .first_cell = VM_CELL_COUNT(event->first_cell),
              .at = b->at};
    put(&s, event->machine);
    put(&s, s.first_cell);
    put(&s, event->end_cell - event->first_cell);
    put(&s, event->clause ? event->clause->id + 1 : 0);
    if (!event->clause)
        put(&s, event->goal->predicate->id);
    put(&s, event->worker);
    put(&s, (uint64_t)event->start);
    put(&s, (uint64_t)(event->end - event->start));
    put_variables(&s, event->reads, event->nreads);
    put_variables(&s, event->followed, event->nfollowed);
    put(&s, event->nbindings);
    for (uint32_t i = 0; i < event->nbindings; i++) {
        put_cell(&s, event->bindings[i].variable->number);
        put(&s, (uint64_t)event->bindings[i].item << 1 |
                    (vm_tag(event->bindings[i].value) == TAG_REF));
        put_value(&s, event->bindings[i].value);
    }
    if (event->clause) {
        const fl_template *t = event->clause->info;
        for (uint32_t i = 0; i < t->nholes; i++)
            put_value(&s, event->registers[t->hole_registers[i]]);
    } else {
        put_dynamic(&s, event);
    }
    for (uint32_t i = 0; i < event->nlate; i++)
        PUSH_SHARED(b, b->late, event->late[i]);
    event->stamp->record = b->at;
    b->at = s.at;
    __atomic_store_n(&b->ncells, VM_CELL_COUNT(event->end_cell), __ATOMIC_RELAXED);
}

fl_look fl_look_at(fl_buffer *b)
{
    fl_look look = {.ncells = __atomic_load_n(&b->ncells, __ATOMIC_RELAXED),
                    .nlate = __atomic_load_n(&b->late.n, __ATOMIC_ACQUIRE)};
    pthread_mutex_lock(&b->lock);
    look.boxes = b->boxes.at;
    look.late = b->late.at;
    pthread_mutex_unlock(&b->lock);
    return look;
}
