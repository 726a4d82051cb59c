// SPDX-License-Identifier: MIT
//
// The engine counts, in the modules of the default partition; at the end the counts become a
// profile.
#include "fleng/record/profile.h"

#include "fleng/record/default_partition.h"
#include "fleng/record/record.h"
#include "fleng/compile/template.h"
#include "profiler/profile.h"
#include "vm/memory.h"
#include "vm/run.h"

#include <string.h>

struct fl_profiler {
    tw *writer;
    const vm_program *code;
    fl_partition partition;
    vm_profile *figures;
};

fl_profiler *fl_profiler_create(const char *path, const fl_program *p, const vm_program *code,
                                char **ret_error)
{
    fl_profiler *f = vm_alloc(sizeof *f);
    f->code = code;
    f->partition = fl_default_partition(code);
    f->figures = vm_profile_create(f->partition.entries, f->partition.nmodules);
    if (!f->figures) {
        *ret_error = strdup("not enough memory for a profile of so many modules");
        return NULL;
    }
    trace_run run = {.clock = TRACE_VIRTUAL};
    f->writer = tw_create(path, &run, p->nsources > 0 ? p->sources[0].name : "", ret_error);
    if (!f->writer) {
        vm_profile_destroy(f->figures);
        return NULL;
    }
    fl_write_sources(f->writer, p);
    return f;
}

vm_profile *fl_profiler_figures(fl_profiler *f)
{
    return f->figures;
}

// A beginning that failed has made its goals all the same, as in a trace.
static void count_first_goals(fl_profiler *f)
{
    const fl_template *t = f->code->clauses[0]->info;
    for (uint32_t i = 0; i <= f->figures->nmodules; i++)
        f->figures->rows[i].suspended = 0;
    for (uint32_t i = 0; i < t->clause->nitems; i++) {
        if (t->clause->items[i].unify)
            continue;
        uint32_t module = f->partition.entries[t->clause->items[i].predicate->id];
        f->figures->rows[module == VM_NO_MODULE ? 0 : module].suspended++;
        f->figures->rows[f->figures->nmodules].suspended++;
    }
}

static void write_figures(fl_profiler *f)
{
    const vm_profile *from = f->figures;
    trace_profile to = {.span = from->span,
                        .width = from->width,
                        .nbuckets = from->nbuckets,
                        .nmodules = from->nmodules};
    trace_profile_row *rows = vm_alloc((from->nmodules + 1) * sizeof *rows);
    for (uint32_t i = 0; i <= from->nmodules; i++) {
        const vm_profile_row *row = &from->rows[i];
        bool all = i == from->nmodules;
        const char *name = all ? "" : f->partition.names[i];
        rows[i] = (trace_profile_row){
            .name = all ? TRACE_NONE : tw_string(f->writer, name, strlen(name)),
            .suspended = row->suspended,
            .first = row->first,
            .last = row->last,
            .peak = row->peak,
            .reduced = row->reduced,
            .waiting = row->waiting,
        };
    }
    to.rows = rows;
    tw_profile(f->writer, &to);
}

bool fl_profiler_finish(fl_profiler *f, vm_machine *m, vm_ending ending, int status,
                        const char *message, char **ret_error)
{
    const vm_failure *failure = vm_get_failure(m);
    if (ending == END_FAILED && failure->kind == FAIL_UNIFY && !failure->goal)
        count_first_goals(f);
    write_figures(f);
    vm_profile_destroy(f->figures);
    return tw_finish(f->writer, fl_trace_ending(ending), status, TRACE_NONE, message ? message : "",
                     ret_error);
}
