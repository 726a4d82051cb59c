// SPDX-License-Identifier: MIT
//
// Real runs: each machine records its reductions in a buffer of its own, without locks, as
// real_run.def says. Records hold no pointers, so the terms that they are about can be collected.
#include "fleng/record/recorder.h"
#include "fleng/record/short_record.h"
#include "vm/memory.h"
#include "vm/recorder.h"

#include "base/varint.h"

#include <string.h>

enum { BLOCK_BYTES = 256 << 10 };

typedef struct {
    fl_buffer *buffer;
    uint32_t machine;
    uint64_t first_cell; // count
    uint8_t *at;
} sink;

// A cell that a built-in made, as it is put.
typedef struct {
    const vm_cell *cell;
    trace_cell_kind kind;
    uint32_t name, n, nargs;
} made_cell;

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

// ---- Values ---------------------------------------------------------------------------------

static inline void put_number(sink *s, uint64_t n)
{
    s->at = varint_put(s->at, n);
}

static void put_token(sink *s, unsigned kind, uint64_t n)
{
    put_number(s, n << 3 | kind);
}

static void put_variable(sink *s, uint64_t number)
{
    if (VM_CELL_MACHINE(number) == s->machine)
        put_token(s, FL_TOKEN_OWN, zigzag((int64_t)(s->first_cell - VM_CELL_COUNT(number))));
    else
        put_token(s, FL_TOKEN_FOREIGN, VM_CELL_COUNT(number) << 8 | VM_CELL_MACHINE(number));
}

static void put_box(sink *s, vm_word w)
{
    if (vm_is_box(w, BOX_VECTOR)) {
        put_variable(s, ((const vm_vector *)vm_as_box(w))->cell);
    } else if (vm_is_box(w, BOX_FLOAT)) {
        put_token(s, FL_TOKEN_FLOAT, 0);
        memcpy(s->at, &((const vm_float *)vm_as_box(w))->value, sizeof(double));
        s->at += sizeof(double);
    } else {
        put_token(s, FL_TOKEN_BOX, s->buffer->boxes.n);
        add_box(s->buffer, w);
    }
}

static void put_value(sink *s, vm_word w)
{
    switch (vm_tag(w)) {
    case TAG_REF:
        put_variable(s, vm_as_var(w)->number);
        break;
    case TAG_INT:
        put_token(s, FL_TOKEN_INT, zigzag(vm_int_value(w)));
        break;
    case TAG_CONS:
        put_variable(s, vm_words(w)[2]);
        break;
    case TAG_STRUCT:
        put_variable(s, vm_words(w)[vm_functor_arity(vm_words(w)[0]) + 1]);
        break;
    case TAG_ATOM:
        put_token(s, FL_TOKEN_ATOM, vm_atom_number(w));
        break;
    default:
        put_box(s, w);
    }
}

// ---- What built-ins make --------------------------------------------------------------------

// How many values an event has of a vector: one if all elements are equal. Another worker may have
// updated the vector since, so it is read element by element.
static uint32_t different_values(const vm_vector *v)
{
    uint32_t n = (uint32_t)v->length;
    vm_word first = n > 0 ? vm_vector_get(v, 0) : 0;
    for (uint32_t i = 1; i < n; i++)
        if (vm_vector_get(v, i) != first)
            return n;
    return n > 1 ? 1 : n;
}

static made_cell made_of(const vm_cell *c)
{
    vm_word w = c->object;
    made_cell made = {.cell = c};
    if (c->older) {
        made.kind = TC_VECTOR_UPDATE;
        made.n = (uint32_t)c->older->length;
        made.nargs = 3;
    } else if (vm_tag(w) == TAG_REF) {
        made.kind = TC_VARIABLE;
        made.name = vm_as_var(w)->origin.index;
    } else if (vm_tag(w) == TAG_CONS) {
        made.kind = TC_CONS;
        made.n = made.nargs = 2;
    } else if (vm_tag(w) == TAG_STRUCT) {
        made.kind = TC_STRUCT;
        made.name = vm_functor_name(vm_words(w)[0]);
        made.n = made.nargs = vm_functor_arity(vm_words(w)[0]);
    } else {
        const vm_vector *v = (const vm_vector *)vm_as_box(w);
        made.kind = TC_VECTOR;
        made.n = (uint32_t)v->length;
        made.nargs = different_values(v);
    }
    return made;
}

// Value i of a cell. Those of an update are the older vector, the index and the new element.
static vm_word value_in(const made_cell *made, uint32_t i)
{
    const vm_cell *c = made->cell;
    switch (made->kind) {
    case TC_VECTOR_UPDATE:
        return i == 0   ? (vm_word)c->older | TAG_BOX
               : i == 1 ? vm_int((int64_t)c->index)
                        : c->element;
    case TC_VECTOR:
        return vm_vector_get((const vm_vector *)vm_as_box(c->object), i);
    case TC_STRUCT:
        return vm_words(c->object)[i + 1];
    default:
        return vm_words(c->object)[i];
    }
}

static const fl_template *template_of(const vm_event *event)
{
    return event->clause->info;
}

// ---- Records --------------------------------------------------------------------------------

#define put_amount    put_number
#define put_start     put_number
#define put_duration  put_number
#define put_item      put_number
#define put_kind      put_number
#define put_name      put_number
#define put_predicate put_number

static void put_vm_cell(sink *s, const vm_cell *c);

#define FIELD(field, coding, what) put_##coding(s, what);
#define GIVEN(count, known, field, array, coding, what)                                            \
    for (uint32_t i = 0, n_ = (count); i < n_; i++)                                                \
        put_##coding(s, what);
#define LIST(count, field, array, coding, what)                                                    \
    put_number(s, e->count);                                                                       \
    GIVEN(e->count, , field, array, coding, what)
#define RECORD(name, from, to, text, ...)                                                          \
    static inline void put_##name(sink *s, const from *e)                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#include "fleng/record/real_run.def"

static void put_vm_cell(sink *s, const vm_cell *c)
{
    made_cell made = made_of(c);
    put_cell(s, &made);
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
    uint64_t n = 17 + (uint64_t)event->nreads + event->nfollowed + 4 * (uint64_t)event->nbindings +
                 event->npassed;
    if (event->clause)
        return n + template_of(event)->nholes;
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

static __attribute__((noinline)) void add_block(fl_recorder *r, fl_buffer *b, uint64_t bytes)
{
    uint64_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    uint8_t *block = fl_take_room(r, size);
    if (!block) {
        block = vm_alloc_atomic(size);
        FL_PUSH(b->blocks, block);
    }
    b->at = block;
    b->end = block + size;
}

static inline void reserve(fl_recorder *r, fl_buffer *b, uint64_t bytes)
{
    if (__builtin_expect((uint64_t)(b->end - b->at) < bytes, 0))
        add_block(r, b, bytes);
}

static inline uint32_t *put_variables(uint32_t *at, uint64_t first_cell, vm_var *const *variables,
                                      uint32_t n, bool *ret_odd)
{
    for (uint32_t i = 0; i < n; i++)
        at = short_put_cell(at, first_cell, variables[i]->number, ret_odd);
    return at;
}

static inline uint32_t *put_short_bindings(uint32_t *at, const vm_event *e, bool *ret_to_variable,
                                           bool *ret_odd)
{
    uint64_t first_cell = e->first_cell;
    for (uint32_t i = 0, n = e->nbindings; i < n; i++) {
        const vm_binding *b = &e->bindings[i];
        bool is_variable = vm_tag(b->value) == TAG_REF;
        *ret_to_variable |= is_variable;
        at = short_put_cell(at, first_cell, b->variable->number, ret_odd);
        *at++ = b->item << 1 | is_variable;
        at = short_put_value(at, first_cell, b->value, ret_odd);
    }
    if (e->npassed == 0)
        return at;
    for (uint32_t i = 0; i < e->nbindings; i++)
        *at++ = e->bindings[i].passed_end;
    return put_variables(at, first_cell, e->passed, e->npassed, ret_odd);
}

// False: a value does not fit, so nothing was written.
static inline bool put_short(fl_recorder *r, fl_buffer *b, const vm_event *e)
{
    const fl_template *t = e->clause ? template_of(e) : NULL;
    uint32_t nholes = t ? t->nholes : 0;
    uint64_t first_cell = e->first_cell;
    bool to_variable = false, odd = false;
    reserve(r, b, sizeof(uint32_t) + short_most_bytes(e, nholes));
    fl_short *to = (void *)(((uintptr_t)b->at + 3) & ~(uintptr_t)3);
    uint32_t *at = put_variables((uint32_t *)(to + 1), first_cell, e->reads, e->nreads, &odd);
    at = put_variables(at, first_cell, e->followed, e->nfollowed, &odd);
    at = put_short_bindings(at, e, &to_variable, &odd);
    for (uint32_t i = 0; i < nholes; i++)
        at = short_put_value(at, first_cell, e->registers[t->hole_registers[i]], &odd);
    if (__builtin_expect(odd, 0))
        return false;
    *to = (fl_short){.start = (uint32_t)e->start,
                     .start_upper = (uint32_t)((uint64_t)e->start >> 32),
                     .duration = (uint32_t)(e->end - e->start),
                     .first_cell = (uint32_t)VM_CELL_COUNT(e->first_cell),
                     .code = e->clause ? e->clause->id : e->goal->predicate->id | SHORT_BUILTIN,
                     .ncells = (uint16_t)(e->end_cell - e->first_cell),
                     .worker = (uint16_t)e->worker,
                     .machine = (uint8_t)e->machine,
                     .nlooks = (uint8_t)(e->nfollowed << 4 | e->nreads),
                     .npassed = (uint8_t)e->npassed,
                     .nbindings = (uint8_t)e->nbindings & 127,
                     .to_variable = to_variable};
    e->stamp->recorder_place = short_tagged(to);
    b->at = (uint8_t *)at;
    return true;
}

static void put_long(fl_recorder *r, fl_buffer *b, const vm_event *event)
{
    reserve(r, b, 1 + VARINT_LONGEST * most_numbers(event));
    b->at += (uintptr_t)b->at & 1; // an odd address is that of a short record
    sink s = {.buffer = b,
              .machine = event->machine,
              .first_cell = VM_CELL_COUNT(event->first_cell),
              .at = b->at};
    put_head(&s, event);
    if (!event->clause)
        put_builtin(&s, event);
    put_run(&s, event);
    put_bindings(&s, event);
    put_ends(&s, event);
    if (event->clause)
        put_holes(&s, event);
    else
        put_made(&s, event);
    event->stamp->recorder_place = b->at;
    b->at = s.at;
}

void fl_record_real(void *data, const vm_event *event)
{
    fl_recorder *r = data;
    fl_buffer *b = &r->buffers[event->machine];
    if (!short_fits(event) || !put_short(r, b, event))
        put_long(r, b, event);
    for (uint32_t i = 0; i < event->nlate; i++)
        PUSH_SHARED(b, b->late, event->late[i]);
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
