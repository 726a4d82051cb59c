// SPDX-License-Identifier: MIT
//
// merge/2, and KL1's mergers. One goal carries each list that comes in; every reduction replaces it
// by a goal for the rest of the list. The goals of one merge share a port, which knows the tail of
// the list that goes out.
#include "vm/builtins/merge.h"

#include "vm/builtins/arguments.h"
#include "vm/engine/builtin.h"
#include "vm/engine/real.h"
#include "vm/memory.h"
#include "vm/term/names.h"

#include <stdlib.h>

// It begins like a variable that is bound to the newest tail (show_port()).
typedef struct {
    vm_word tail;  // of what goes out: the variable of whoever swaps it for the next
    uint64_t open; // streams
    bool plain;    // of a KL1 merger: merge(S) is an item like others
    // Real stamped runs: the goal that binds a tail is later than its maker in virtual time, too.
    uint32_t lock;
    int64_t time; // when the tail was made
} port;

typedef struct {
    port *port;
    uint32_t age; // number of the first goal that carried it
} stream;

// tail: to be shown only.
static void carry_on(vm_machine *m, stream *s, vm_word list, vm_word tail)
{
    // unless this is the first stream of a KL1 merger
    vm_predicate *p = m->reduction.goal->predicate;
    if (p->builtin != vm_merge)
        p = vm_builtin_predicate(m, vm_merge);
    vm_spawn(m, p, (vm_word[]){list, tail}, s);
}

// One that is counted already.
static stream *counted_stream(port *p, uint32_t age)
{
    stream *s = vm_alloc(sizeof *s);
    *s = (stream){.port = p, .age = age};
    return s;
}

static stream *new_stream(port *p, uint32_t age)
{
    __atomic_add_fetch(&p->open, 1, __ATOMIC_RELAXED);
    return counted_stream(p, age);
}

static stream *first_stream(vm_machine *m, vm_word out)
{
    port *p = vm_alloc(sizeof *p);
    p->tail = out;
    return new_stream(p, m->reduction.goal->id);
}

// The newest tail, whichever that is when somebody looks. A goal for a stream that is silent for long would
// keep a tail of its own alive, and with it all that the others have sent since.
static vm_word show_port(port *p)
{
    return vm_ref((vm_var *)p);
}

// The tail that a goal may bind: the newest one or, in a real stamped run, one that was made before
// the goal in virtual time. Recorders want the variable.
static vm_word shown_tail(const vm_machine *m, port *p)
{
    if (!m->stamped)
        return show_port(p);
    return m->real ? m->reduction.goal->args[1] : __atomic_load_n(&p->tail, __ATOMIC_RELAXED);
}

// Each tail goes to one worker. The next one is made before, so its worker sees it complete.
static vm_word swap_tail(port *p, vm_word next)
{
    if (vm_threads)
        return __atomic_exchange_n(&p->tail, next, __ATOMIC_ACQ_REL);
    vm_word old = p->tail;
    p->tail = next;
    return old;
}

static vm_word swap_stamped_tail(vm_machine *m, port *p, vm_word next)
{
    if (!m->real)
        return swap_tail(p, next);
    vm_spin_lock(&p->lock);
    m->real->floor = p->time;
    p->time = vm_real_stamp(m)->time;
    vm_word old = p->tail;
    p->tail = next;
    vm_spin_unlock();
    return old;
}

static const vm_origin made_here = {.clause = VM_NO_CLAUSE, .index = ATOM_OUT};

static vm_result pass_on(vm_machine *m, stream *s, vm_word item, vm_word rest)
{
    if (m->stamped) {
        vm_word tail = vm_new_variable(m, "Out");
        vm_word old = swap_stamped_tail(m, s->port, tail);
        carry_on(m, s, rest, m->real ? tail : shown_tail(m, s->port));
        return vm_return(m, old, vm_heap_cons(m, item, tail));
    }
    vm_word tail, cons = vm_heap_open_cons(m, item, &made_here, &tail);
    vm_word old = swap_tail(s->port, tail);
    carry_on(m, s, rest, shown_tail(m, s->port));
    return vm_return(m, old, cons);
}

static vm_result end_stream(vm_machine *m, port *p)
{
    if (__atomic_sub_fetch(&p->open, 1, __ATOMIC_ACQ_REL) > 0)
        return VM_DONE;
    if (m->real)
        m->real->floor = p->time; // the others are done
    return vm_return(m, p->tail, VM_NIL);
}

// ---- Older streams first --------------------------------------------------------------------

typedef struct {
    stream *stream;
    vm_goal *goal;
    uint32_t slot; // in the batch
} ready;

static int by_slot(const void *a, const void *b)
{
    const ready *x = a, *y = b;
    if (x->stream->port != y->stream->port)
        return x->stream->port < y->stream->port ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int by_age(const void *a, const void *b)
{
    const ready *x = a, *y = b;
    if (x->stream->port != y->stream->port)
        return x->stream->port < y->stream->port ? -1 : 1;
    return x->stream->age < y->stream->age ? -1 : x->stream->age > y->stream->age;
}

static bool is_ready(vm_machine *m, const vm_goal *goal)
{
    if (goal->predicate->builtin != vm_merge || !goal->progress)
        return false;
    m->attempt.limit = m->reduction.now - goal->predicate->cost;
    m->attempt.reads.n = 0;
    return !vm_is_var(vm_deref(m, goal->args[0]));
}

// Stamped runs: of the goals of one merge that can pass something on at this step, those of older
// streams go first. They change places among themselves; all other goals keep theirs.
static void order_batch(vm_machine *m, vm_goal **batch, uint32_t n)
{
    ARRAY_OF(ready) goals = {0};
    for (uint32_t i = 0; i < n; i++)
        if (is_ready(m, batch[i]))
            VM_PUSH(goals, (ready){batch[i]->progress, batch[i], i});
    if (goals.n < 2)
        return;
    uint32_t *slots = vm_alloc_atomic(goals.n * sizeof *slots);
    qsort(goals.at, goals.n, sizeof *goals.at, by_slot);
    for (uint32_t i = 0; i < goals.n; i++)
        slots[i] = goals.at[i].slot;
    qsort(goals.at, goals.n, sizeof *goals.at, by_age);
    for (uint32_t i = 0; i < goals.n; i++)
        batch[slots[i]] = goals.at[i].goal;
}

// ---- Merging --------------------------------------------------------------------------------

// The streams of a non-empty vector take the place of s. They are counted before any of them can
// end: the last one ends the output, which may have grown meanwhile.
static vm_result branch(vm_machine *m, stream *s, const vm_vector *v)
{
    __atomic_add_fetch(&s->port->open, v->length - 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < v->length; i++)
        carry_on(m, counted_stream(s->port, m->reduction.next_goal), vm_vector_get(v, i),
                 shown_tail(m, s->port));
    if (v->length > 1)
        m->builtins.arrange = order_batch;
    return VM_DONE;
}

void vm_merge_streams(vm_machine *m, vm_word in, vm_word out)
{
    stream *s = first_stream(m, out);
    s->port->plain = true;
    s->age = m->reduction.next_goal;
    carry_on(m, s, in, out);
}

bool vm_merger_is_idle(const vm_goal *goal)
{
    const stream *s = goal->progress;
    return s && s->port->plain && vm_stream_is_open(goal);
}

// One reduction per list cell. Only the cell and, if it is bound, its item are read: the tail is
// known to the port. The goal for the rest is made before the item goes out, so that in a plain
// run the consumer comes first.
vm_result vm_merge(vm_machine *m, vm_word *args)
{
    vm_word list;
    stream *s = *vm_progress(m);
    vm_result looked = vm_need(m, args[0], &list);
    if (looked == VM_WAIT && s && m->ideal && !m->attempt.dry)
        args[1] = show_port(s->port); // it is recorded already
    NEED(looked);
    bool vector = vm_is_box(list, BOX_VECTOR);
    if (list != VM_NIL && vm_tag(list) != TAG_CONS && !vector)
        return vm_error(m, list, "a list is expected");
    if (!s)
        s = first_stream(m, args[1]);
    const vm_vector *v = vector ? (const vm_vector *)vm_as_box(list) : NULL;
    if (v && v->length > 0)
        return branch(m, s, v);
    if (v || list == VM_NIL)
        return end_stream(m, s->port);
    vm_word rest = vm_tail(list);
    vm_word item = vm_deref(m, vm_head(list));
    if (!s->port->plain && vm_tag(item) == TAG_STRUCT &&
        vm_words(item)[0] == vm_functor(ATOM_MERGE, 1)) {
        stream *added = new_stream(s->port, m->reduction.next_goal + 1);
        carry_on(m, s, rest, shown_tail(m, s->port));
        carry_on(m, added, vm_struct_arg(item, 0), shown_tail(m, s->port));
        m->builtins.arrange = order_batch;
        return VM_DONE;
    }
    return pass_on(m, s, vm_head(list), rest);
}

// ---- Saved states ---------------------------------------------------------------------------

typedef struct {
    vm_word tail;
    uint64_t open;
} saved_port;

void *vm_merge_save(const vm_goal *goal)
{
    const stream *s = goal->progress;
    if (!s)
        return NULL;
    saved_port *saved = vm_alloc(sizeof *saved);
    *saved = (saved_port){.tail = s->port->tail, .open = s->port->open};
    return saved;
}

void vm_merge_restore(const vm_goal *goal, const void *saved)
{
    const saved_port *from = saved;
    stream *s = goal->progress;
    if (!from)
        return;
    s->port->tail = from->tail;
    s->port->open = from->open;
}
