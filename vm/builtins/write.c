// SPDX-License-Identifier: MIT
//
// Built-in predicates: output of single terms. Each waits until its arguments are ground.
#include "vm/engine/machine.h"
#include "vm/builtins/builtins.h"
#include "vm/builtins/output.h"

static vm_text *scratch(vm_machine *m)
{
    m->builtins.output->scratch.n = 0;
    return &m->builtins.output->scratch;
}

static vm_result put(vm_machine *m, const vm_text *t)
{
    vm_stream *out = &m->builtins.output->out;
    if (!vm_stream_write(out, t->at, t->n))
        return vm_error(m, 0, "cannot write to %s: %s", out->name, strerror(out->error));
    return VM_DONE;
}

static vm_result put_term(vm_machine *m, vm_word term, const vm_print_options *options,
                          const char *end)
{
    NEED(vm_need_ground(m, vm_progress(m), term));
    vm_text *t = scratch(m);
    vm_text_add_term(t, term, options);
    vm_text_add_string(t, end);
    return put(m, t);
}

vm_result vm_write(vm_machine *m, vm_word *args)
{
    return put_term(m, args[0], &vm_write_options, "");
}

vm_result vm_writeln(vm_machine *m, vm_word *args)
{
    return put_term(m, args[0], &vm_write_options, "\n");
}

vm_result vm_print(vm_machine *m, vm_word *args)
{
    return put_term(m, args[0], &vm_quote_options, "");
}

vm_result vm_nl(vm_machine *m, vm_word *args)
{
    (void)args;
    vm_text *t = scratch(m);
    vm_text_add_char(t, '\n');
    return put(m, t);
}

vm_result vm_format_out(vm_machine *m, vm_word *args)
{
    vm_word format;
    NEED(vm_need(m, args[0], &format));
    NEED(vm_need_ground(m, vm_progress(m), args[1]));
    vm_text *t = scratch(m);
    NEED(vm_format(m, t, format, args[1]));
    return put(m, t);
}
