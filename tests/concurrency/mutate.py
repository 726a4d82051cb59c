#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants a fault in a copy of a source file, to see that the tests find it.

usage: mutate.py FAULT SOURCE COPY

A fault is a piece of text that must stand in the source once, and what takes its place. Of loop.h
the copy is a source file: the loop of real runs.
"""

import sys

FAULTS = {
    # A suspension record is added without looking whether the list has changed.
    'suspended-without-swap': (
        '''    } while (!__atomic_compare_exchange_n(&v->value, &records, (vm_word)record | TAG_UNBOUND, true,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
''',
        '''        __atomic_store_n(&v->value, (vm_word)record | TAG_UNBOUND, __ATOMIC_RELEASE);
    } while (false);
'''),
    # Finding the variable bound, nobody makes the goal ready.
    'lost-to-a-term': (
        '''            if (claim(m, goal, generation))
                ready(m, goal);
            return;
''',
        '''            return;
'''),
    # A worker binds variables of others itself.
    'bound-by-anybody': (
        'if (m->stamped || vm_is_mine(m, now))',
        'if (true)'),
    # Variables are bound to each other in any order.
    'joined-in-any-order': (
        '!(m->worker.team && vm_is_var(b) && a < b)',
        'true'),
    # A sweep takes a record for stale without looking at it.
    'swept-too-far': (
        '''        if (!last)
            first = rest;
        else if (vm_after(last) != rest)
            __atomic_store_n(&last->in.next, rest, __ATOMIC_RELAXED);
        last = record;
''',
        '''        if (!last)
            first = rest;
        else if (vm_after(last) != rest)
            __atomic_store_n(&last->in.next, vm_after(record), __ATOMIC_RELAXED);
        last = record;
'''),
    # The owner finds the variable bound, and tells nobody.
    'hooked-too-late': (
        '''            vm_send_wake(m, mail->home, mail->goal, mail->generation);
''',
        '''            return VM_CONTINUE;
'''),
    # The run is over when all workers are idle, whatever letters there are.
    'over-too-early': (
        'count_of(&t->idle) == t->n && all_boxes_are_empty(t)',
        'count_of(&t->idle) == t->n && (all_boxes_are_empty(t) || true)'),
    # Nobody tells the sleeping workers that the run is over.
    'nobody-told': (
        '''        __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
        wake_all(t);
''',
        '''        __atomic_store_n(&t->ended, true, __ATOMIC_RELAXED);
'''),
    # The number of those who are idle is changed without the lock.
    'counted-without-lock': (
        '''    pthread_mutex_lock(&t->lock);
    set_count(&t->idle, count_of(&t->idle) + 1);
''',
        '''    set_count(&t->idle, count_of(&t->idle) + 1);
    pthread_mutex_lock(&t->lock);
'''),
    # A worker looks for letters before it says that it sleeps.
    'asleep-unseen': (
        '''    __atomic_store_n(&w->asleep, 1, __ATOMIC_SEQ_CST);
    while (!must_leave(w->team) && !__atomic_load_n(&w->mail.newest, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&w->woken, &w->team->lock);
''',
        '''    while (!must_leave(w->team) && !__atomic_load_n(&w->mail.newest, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&w->asleep, 1, __ATOMIC_SEQ_CST);
        pthread_cond_wait(&w->woken, &w->team->lock);
    }
'''),
    # A worker that got a letter still counts as hungry.
    'hungry-for-good': (
        '''    end_hunger(w);
    vm_state_enter(STATE_BUSY);''',
        '''    vm_state_enter(STATE_BUSY);'''),
    # A worker whose thread has begun still counts as idle.
    'begun-but-idle': (
        '''        set_count(&t->idle, count_of(&t->idle) - w->has_thread);
''',
        ''''''),
    # Two givers begin the same thread: the second looks before the first has begun it.
    'begun-twice': (
        '''    pthread_mutex_lock(&t->lock);
    if (count_of(&w->absent) && !must_leave(t)) {
''',
        '''    bool absent = count_of(&w->absent);
    pthread_mutex_lock(&t->lock);
    if (absent && !must_leave(t)) {
'''),
    # What nobody has a thread for is given all the same.
    'given-to-nobody': (
        '''        keep(w, &mail->goals);
        return;
''',
        '''        keep(w, &(vm_goals){0});
'''),
    'plain-binding': (
        'if (m->stamped || vm_is_mine(m, now))',
        'if (true)'),
    # Generations are not counted: a stale suspension record resumes the goal that has the goal record
    # now.
    'generations-not-counted': (
        'uint64_t resumed = vm_next_generation(generation)',
        'uint64_t resumed = vm_generation_in(generation, GOAL_READY)'),
    # A clause that waits goes on as if what it waits for were still unbound.
    'waits-for-a-term': (
        '''    if (vm_tag(w) != TAG_REF) // another worker bound it meanwhile
        goto enter;
''',
        ''),
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

LOOP = '''#define STAMPED 1
#define SHARED 1
#define LOOP vm_loop_real
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
