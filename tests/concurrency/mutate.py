#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants a fault in a copy of a source file, to see that the tests find it.

usage: mutate.py FAULT SOURCE COPY

A fault is a piece of text that must stand in the source once, and what takes its place. Of loop.h
the copy is a source file: the loop of several workers.
"""

import sys

FAULTS = {
    # Two workers that resume one goal both get it.
    'claim-without-swap': (
        '''        return __atomic_compare_exchange_n(&goal->generation, &generation, resumed, false,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
''',
        '''    {
        if (__atomic_load_n(&goal->generation, __ATOMIC_ACQUIRE) != generation)
            return false;
        __atomic_store_n(&goal->generation, resumed, __ATOMIC_SEQ_CST);
        return true;
    }
'''),
    # A goal that has a suspension record cannot be resumed yet.
    'suspended-too-late': (
        '''    // From now on others may take it.
    __atomic_store_n(&goal->generation, generation, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < m->attempt.waits.n; i++)
        if (!add_record(m, goal, generation, m->attempt.waits.at[i])) {
            if (claim(m, goal, generation))
                ready(m, goal);
            return;
        }
''',
        '''    for (uint32_t i = 0; i < m->attempt.waits.n; i++)
        if (!add_record(m, goal, generation, m->attempt.waits.at[i])) {
            __atomic_store_n(&goal->generation, generation, __ATOMIC_RELEASE);
            if (claim(m, goal, generation))
                ready(m, goal);
            return;
        }
    __atomic_store_n(&goal->generation, generation, __ATOMIC_RELEASE);
'''),
    # Finding the variable bound, nobody makes the goal ready.
    'lost-to-a-term': (
        '''            if (claim(m, goal, generation))
                ready(m, goal);
            return;
''',
        '''            return;
'''),
    # Generations are not counted: a stale suspension record resumes the goal that has the goal record
    # now.
    'generations-not-counted': (
        'uint64_t resumed = vm_next_generation(generation)',
        'uint64_t resumed = vm_generation_in(generation, GOAL_READY)'),
    # Variables are bound to each other in any order.
    'joined-in-any-order': (
        '!(m->worker.shared && vm_is_var(b) && a < b)',
        'true'),
    # A suspension record is added without looking whether the list has changed.
    'suspended-without-swap': (
        '''        if (!m->worker.shared) {
            v->value = (vm_word)record | TAG_UNBOUND;
            return true;
        }
''',
        '''        if (m) {
            __atomic_store_n(&v->value, (vm_word)record | TAG_UNBOUND, __ATOMIC_RELEASE);
            return true;
        }
'''),
    # What the goal is made of may be seen later than the goal.
    'pushed-before-made': (
        '''    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELEASE);
}
''',
        '''    __atomic_store_n(&d->bottom, bottom + 1, __ATOMIC_RELAXED);
}
'''),
    # Owner and thief both take the last goal.
    'last-without-swap': (
        '''    if (!__atomic_compare_exchange_n(&d->top, &top, top + 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_RELAXED))
        goal = NULL;
''',
        '''    __atomic_store_n(&d->top, top + 1, __ATOMIC_SEQ_CST);
'''),
    # The owner looks at top before thieves see the lower bottom (a store buffer does that).
    'bottom-seen-late': (
        '__atomic_store_n(&d->bottom, bottom, __ATOMIC_SEQ_CST);',
        '__atomic_store_n(&d->bottom, bottom, __ATOMIC_RELEASE);'),
    # The ring that is full is left as it is.
    'ring-too-small': (
        'bottom - top >= (int64_t)ring->size',
        'bottom - top > (int64_t)ring->size'),
    # The run is over when the last worker but one falls asleep.
    'over-too-early': (
        'if (count_of(&t->idle) == t->n && vm_queue_count(&t->handed)',
        'if (count_of(&t->idle) + 1 == t->n && vm_queue_count(&t->handed)'),
    # Nobody tells the sleeping workers that the run is over.
    'nobody-told': (
        '''    if (!goes_on)
        pthread_cond_broadcast(&t->woken);
''',
        ''),
    # The number of those who sleep is changed without the lock.
    'counted-without-lock': (
        '''    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + 1);
''',
        '''    set_count(&t->idle, count_of(&t->idle) + 1);
    pthread_mutex_lock(&t->lock);
'''),
    # Workers take goals out of a priority queue at the same time.
    'taken-without-lock': (
        '''        return NULL;
    vm_spin_lock(&p->lock);
''',
        '''        return NULL;
'''),
    # A worker takes itself to be alone while another one works.
    'not-alone': (
        '!must_hand_over(w) && count_of(&t->idle) == t->n - 1 && !must_leave(t)',
        '!must_hand_over(w) && !must_leave(t)'),
    # One that sleeps works on while another one is alone.
    'woken-while-alone': (
        'return w->team->alone || must_hand_over(w);',
        'return must_hand_over(w);'),
    # All are idle, and goals that were handed over are not looked at.
    'over-though-handed': (
        '== t->n && vm_queue_count(&t->handed) == 0)',
        '== t->n)'),
    # A sweep takes a record for stale without looking at it.
    'swept-too-far': (
        '''            __atomic_store_n(&last->in.next, rest, __ATOMIC_RELAXED);
''',
        '''            __atomic_store_n(&last->in.next, vm_after(record), __ATOMIC_RELAXED);
'''),
    # A clause that waits goes on as if what it waits for were still unbound.
    'waits-for-a-term': (
        '''    if (vm_tag(w) != TAG_REF) // another worker bound it meanwhile
        goto enter;
''',
        ''),
    'no-wait-no-clause': (
        '''    if (vm_match_head(m, TRIED(), x, NULL) == MATCH_FITS)
        goto enter;
''',
        '''    vm_match_head(m, TRIED(), x, NULL);
'''),
    # A called expression looks twice at an operand, which may be bound to a term in between.
    'looked-at-twice': (
        'w = written ? vm_deref(m, w) : w;',
        'w = vm_deref(m, w);'),
    # Two streams of a merge get one tail.
    'tail-without-swap': (
        '''    if (vm_threads)
        return __atomic_exchange_n(&p->tail, next, __ATOMIC_ACQ_REL);
    vm_word old = p->tail;
    p->tail = next;
''',
        '''    vm_word old = __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE);
    __atomic_store_n(&p->tail, next, __ATOMIC_RELEASE);
'''),
    # Words that several workers look at, by plain accesses.
    'plain-tail': (
        '''    if (vm_threads)
        return __atomic_exchange_n(&p->tail, next, __ATOMIC_ACQ_REL);
''',
        ''),
    'plain-binding': (
        '''    return left ? vm_bind(m, vm_as_var(a), b) : vm_bind(m, vm_as_var(b), a);
''',
        '''    vm_bind_alone(m, vm_as_var(left ? a : b), left ? b : a);
    return true;
'''),
    # Both of two streams that end think that the other one goes on.
    'ends-without-count': (
        '''    if (__atomic_sub_fetch(&p->open, 1, __ATOMIC_ACQ_REL) > 0)
        return VM_DONE;
''',
        '''    uint64_t open = __atomic_load_n(&p->open, __ATOMIC_ACQUIRE) - 1;
    __atomic_store_n(&p->open, open, __ATOMIC_RELEASE);
    if (open > 0)
        return VM_DONE;
'''),
    # Versions of a vector are updated beside each other.
    # A binding can be seen before it has its time.
    'stamped-too-late': (
        '''    v->time = by.maker->time;
    v->maker = by.maker;
    v->mark = by.item;
    __atomic_store_n(&v->value, value, __ATOMIC_RELEASE);
''',
        '''    __atomic_store_n(&v->value, value, __ATOMIC_RELEASE);
    v->time = by.maker->time;
    v->maker = by.maker;
    v->mark = by.item;
'''),
    'updated-without-lock': (
        '''    newer->cell = vm_heap_cell(m);
    vm_spin_lock(&locks[v->lock]);
''',
        '''    newer->cell = vm_heap_cell(m);
'''),
}

LOOP = '''#define STAMPED 0
#define SHARED 1
#define LOOP vm_loop_shared
'''


def main():
    fault, source, copy = sys.argv[1:]
    text, planted = FAULTS[fault]
    with open(source, encoding='utf-8') as file:
        content = file.read()
    if content.count(text) != 1:
        sys.exit('%s: the text that the fault %s replaces stands there %d times, not once'
                 % (source, fault, content.count(text)))
    with open(copy, 'w', encoding='utf-8') as file:
        if source.endswith('loop.h'):
            file.write(LOOP)
        file.write(content.replace(text, planted))


if __name__ == '__main__':
    main()
