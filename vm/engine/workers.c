// SPDX-License-Identifier: MIT
//
// The threads of a run with several workers, and which loop each of them is in.
#define GC_THREADS
#include "vm/engine/workers.h"

#include "vm/engine/real.h"
#include "vm/memory.h"
#include "vm/schedule/team.h"

#include <gc.h>

static vm_machine *new_machine(const vm_machine *first, uint32_t number)
{
    vm_machine *m = vm_machine_create(first->program, &first->options);
    m->builtins.output = first->builtins.output;
    m->start.made = true;
    m->cells.made = VM_CELL_FIRST(number);
    if (m->real)
        m->real->began = first->real->began;
    // Made here: a thread has no lists of its own to make them from.
    m->worker.free_lists = vm_alloc((VM_SMALL_GRANULES + 1) * sizeof *m->worker.free_lists);
    return m;
}

void vm_workers_create(vm_machine *first)
{
    uint32_t n = first->options.workers;
    vm_machine **machines = vm_alloc(n * sizeof(vm_machine *));
    vm_worker **workers = vm_alloc(n * sizeof(vm_worker *));
    for (uint32_t i = 0; i < n; i++) {
        machines[i] = i == 0 ? first : new_machine(first, i);
        machines[i]->machines = machines;
        machines[i]->nmachines = n;
        workers[i] = &machines[i]->worker;
    }
    vm_team_create(workers, n, first->options.together);
}

static vm_outcome run_worker(vm_machine *m)
{
    vm_worker *w = &m->worker;
    if (w->number > 0 && !vm_team_join(w)) // it must not look around: the first may be alone
        return VM_EXHAUSTED;
    for (;;) {
        vm_outcome outcome = m->real     ? vm_real_run(m)
                             : w->shared ? vm_loop_shared(m, NULL)
                                         : vm_loop_plain(m, NULL);
        vm_forget_quantum(m); // before it may sleep, too
        if (outcome == VM_QUANTUM_OVER) {
            vm_team_quantum_over(w);
            continue;
        }
        if (!w->shared)
            vm_team_work_together(w);
        if (outcome != VM_EXHAUSTED || !vm_team_find(w))
            return outcome;
    }
}

static void *work(void *data)
{
    vm_machine *m = data;
    if (m->worker.number > 0)
        vm_heap_use_lists(m->worker.free_lists);
    vm_outcome outcome = vm_guarded(m, run_worker);
    vm_team_release(&m->worker);
    if (outcome != VM_EXHAUSTED)
        vm_team_end(&m->worker, outcome);
    return NULL;
}

vm_outcome vm_workers_run(vm_machine *first)
{
    uint32_t n = first->nmachines, started = 1;
    vm_team *t = first->worker.team;
    pthread_t *threads = vm_alloc_atomic(n * sizeof *threads);
    vm_team_begin(t, !first->real);
    while (started < n &&
           pthread_create(&threads[started], NULL, work, first->machines[started]) == 0)
        started++;
    if (started < n) // the system gives no more threads
        vm_team_miss(t, n - started);
    work(first);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    first->end.by = t->ended_by ? first->machines[t->ended_by->number] : first;
    return t->ended_by ? (vm_outcome)t->outcome : VM_EXHAUSTED;
}
