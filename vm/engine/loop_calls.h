// SPDX-License-Identifier: MIT
//
// Goals of a body (part of loop.h): goals for the run queue, calls of built-ins, and the last goal,
// which stays in registers.

do_SPAWN:
#if STAMPED
    vm_goal_launch(m, make_goal(m, pc, x), m->worker.priority);
#else
    vm_push_alone(&m->worker, make_goal(m, pc, x));
#endif
    NEXT(5 + pc[4]);

do_PRIORITY:
    m->reduction.next_priority = vm_priority(&m->worker, pc[1], X(2));
    NEXT(3);

do_SPAWN_AT:
    vm_goal_launch(m, make_goal(m, pc, x), m->reduction.next_priority);
    NEXT(5 + pc[4]);

do_CALL:
#if STAMPED
    vm_goal_launch(m, make_goal(m, pc, x), m->worker.priority);
#else
    goal = vm_goal_take(m, m->program->predicates[pc[3]]);
    goal->site = ORIGIN();
    for (uint32_t i = 0; i < pc[4]; i++)
        goal->args[i] = X(5 + i);
    if (m->options.seeded && vm_toss(&m->worker)) {
        vm_push(&m->worker, goal);
    } else {
        VM_SET_COUNT(m->worker.reductions, DONE());
        vm_outcome outcome = vm_call_plain(m, goal);
        if (outcome == VM_REDUCED)
            COUNT();
        else if (outcome != VM_CONTINUE)
            LEAVE(outcome);
        else // what goes on here would run ahead of what it needs, and pile up goals that wait
            GIVE_WAY_AT_END();
    }
#endif
    NEXT(5 + pc[4]);

do_EXEC:
#if STAMPED
    vm_goal_launch(m, make_goal(m, pc, x), m->worker.priority);
    goto do_END;

do_EXEC_1:
do_EXEC_2:
do_EXEC_3:
do_EXEC_4:
do_EXEC_5:
do_EXEC_6:
do_EXEC_CALL:
    __builtin_unreachable();
#else
    COUNT();
    if (__builtin_expect(m->worker.quantum.yield, 0)) {
        vm_give_way(&m->worker, make_goal(m, pc, x));
        goto next_goal;
    }
    for (uint32_t i = 0; i < pc[4]; i++)
        m->frame.arguments[i] = X(5 + i);
    for (uint32_t i = 0; i < pc[4]; i++)
        x[i] = m->frame.arguments[i];
    w = x[0];
    caller = pc;
    pc = code + m->program->predicates[pc[3]]->code;
    goto begin;

do_EXEC_1:
    w = X(5);
    x[0] = w;
    goto execute;

do_EXEC_2: {
    vm_word a = X(7);
    w = X(5);
    x[0] = w, X(6) = a;
    goto execute;
}

do_EXEC_3: {
    vm_word a = X(7), b = X(9);
    w = X(5);
    x[0] = w, X(6) = a, X(8) = b;
    goto execute;
}

do_EXEC_4: {
    vm_word a = X(7), b = X(9), c = X(11);
    w = X(5);
    x[0] = w, X(6) = a, X(8) = b, X(10) = c;
    goto execute;
}

do_EXEC_5: {
    vm_word a = X(7), b = X(9), c = X(11), d = X(13);
    w = X(5);
    x[0] = w, X(6) = a, X(8) = b, X(10) = c, X(12) = d;
    goto execute;
}

do_EXEC_6: {
    vm_word a = X(7), b = X(9), c = X(11), d = X(13), e = X(15);
    w = X(5);
    x[0] = w, X(6) = a, X(8) = b, X(10) = c, X(12) = d, X(14) = e;
    goto execute;
}

execute:
    caller = pc;
    pc = code + pc[4];
    if (__builtin_expect(--left == 0, 0)) {
        quantum = next_quantum(m, quantum);
        left = quantum.length;
        if (m->worker.quantum.yield) {
            SETTLE();
            vm_give_way(&m->worker, goal_of_registers(m, predicate, site));
            goto next_goal;
        }
    }
    goto begin;

do_EXEC_CALL:
    COUNT();
    if (__builtin_expect(m->worker.quantum.yield, 0)) {
        vm_give_way(&m->worker, make_goal(m, pc, x));
        goto next_goal;
    }
    more = pc[4] - 1;
    called = X(5);
    predicate = vm_called(m, &called, more);
    if (!predicate) {
        goal = make_goal(m, pc, x);
        goto builtin;
    }
    site = ORIGIN();
    for (uint32_t i = 0; i < more; i++)
        m->frame.arguments[i] = X(6 + i);
apply: // of the goal `called` of predicate `predicate`, made at `site`
    COUNT();
    {
        uint32_t n = predicate->arity - more;
        vm_word *to = x;
        if (predicate->builtin && applied_quickly(m, predicate, called, more)) {
            COUNT();
            goto next_goal;
        }
        if (predicate->builtin) {
            goal = vm_goal_take(m, predicate);
            goal->site = site;
            to = goal->args;
        }
        for (uint32_t i = 0; i < n; i++)
            to[i] = vm_struct_arg(called, i);
        for (uint32_t i = 0; i < more; i++)
            to[n + i] = m->frame.arguments[i];
    }
    if (predicate->builtin)
        goto builtin;
    caller = NULL;
    if (__builtin_expect(m->worker.quantum.yield, 0)) {
        vm_give_way(&m->worker, goal_of_registers(m, predicate, site));
        goto next_goal;
    }
    w = x[0];
    pc = code + predicate->code;
    goto begin;
#endif
