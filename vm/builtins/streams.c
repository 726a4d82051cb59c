// SPDX-License-Identifier: MIT
//
// Built-in predicates: output of single terms, streams of messages (output), streams of lines or
// terms (input). A goal that writes a term waits until the term is ground. A goal that serves a
// stream takes one step in each reduction and leaves the rest to a new goal of the same predicate,
// which gets the open file as its progress:
//
//     write_file(F, S) --opens--> write_file(F, S) --message--> write_file(F, S1) --[]--> (closed)
//     read_lines(F, S) --opens, reads--> read_lines(F, S1) --reads to the end--> (closed)
//
// The goal for the rest is made before the output variable is bound. So in a plain run the consumer
// runs first, and takes what is there before more is read.
#include "base/access.h"
#include "base/utf8.h"
#include "vm/builtins/arguments.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/engine/output.h"
#include "vm/memory.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 4096 }; // lines or terms that one reduction reads

// ---- Single terms ---------------------------------------------------------------------------

static vm_result write_failed(vm_machine *m, const vm_stream *s)
{
    return vm_error(m, 0, "cannot write to %s: %s", s->name, vm_stream_reason(s));
}

static base_text *scratch(vm_machine *m)
{
    m->builtins.output->scratch.n = 0;
    return &m->builtins.output->scratch;
}

static vm_result put(vm_machine *m, const base_text *t)
{
    vm_stream *out = &m->builtins.output->out;
    return vm_stream_write(out, t->at, t->n) ? VM_DONE : write_failed(m, out);
}

static vm_result put_term(vm_machine *m, vm_word term, const vm_print_options *options,
                          const char *end)
{
    NEED(vm_need_ground(m, vm_progress(m), term));
    base_text *t = scratch(m);
    vm_text_add_term(t, term, options);
    text_add_string(t, end);
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
    base_text *t = scratch(m);
    text_add_char(t, '\n');
    return put(m, t);
}

vm_result vm_format_out(vm_machine *m, vm_word *args)
{
    vm_word format;
    NEED(vm_need(m, args[0], &format));
    NEED(vm_need_ground(m, vm_progress(m), args[1]));
    base_text *t = scratch(m);
    NEED(vm_format(m, t, format, args[1]));
    return put(m, t);
}

// ---- Messages -------------------------------------------------------------------------------

vm_result vm_put_character(vm_machine *m, base_text *t, vm_word w)
{
    if (vm_tag(w) == TAG_INT && utf8_allowed(vm_int_value(w))) {
        text_add_code(t, (uint32_t)vm_int_value(w));
        return VM_DONE;
    }
    if (vm_tag(w) != TAG_ATOM && !vm_is_box(w, BOX_STRING))
        return vm_error(m, w, "putc: a character is expected");
    size_t from = t->n;
    vm_text_add_term(t, w, &vm_write_options);
    if (utf8_count(t->at + from, t->n - from) != 1)
        return vm_error(m, w, "putc: a character is expected");
    return VM_DONE;
}

vm_result vm_message_text(vm_machine *m, base_text *t, vm_word message)
{
    if (vm_is_box(message, BOX_STRING) || message == vm_atom(ATOM_NL)) {
        if (message != vm_atom(ATOM_NL))
            vm_text_add_term(t, message, &vm_write_options);
        text_add_char(t, '\n');
        return VM_DONE;
    }
    if (vm_tag(message) == TAG_STRUCT) {
        vm_word functor = vm_words(message)[0];
        if (functor == vm_functor(ATOM_WRITE, 1) || functor == vm_functor(ATOM_WRITELN, 1)) {
            vm_text_add_term(t, vm_struct_arg(message, 0), &vm_write_options);
            if (functor == vm_functor(ATOM_WRITELN, 1))
                text_add_char(t, '\n');
            return VM_DONE;
        }
        if (functor == vm_functor(ATOM_PRINT, 1) || functor == vm_functor(ATOM_PUTT, 1)) {
            vm_text_add_term(t, vm_struct_arg(message, 0), &vm_quote_options);
            return VM_DONE;
        }
        if (functor == vm_functor(ATOM_PUTC, 1))
            return vm_put_character(m, t, vm_end_of(vm_struct_arg(message, 0)));
        if (functor == vm_functor(ATOM_FORMAT, 2))
            return vm_format(m, t, vm_struct_arg(message, 0), vm_struct_arg(message, 1));
    }
    return vm_error(m, message,
                    "a message is expected: write(T), writeln(T), print(T), putt(T), putc(C), nl, "
                    "format(F,L), flush, flush(Done) or a string");
}

// flush(Done): Done is bound to ok when all that was written before has gone out. A program that is
// about to halt waits for it: goals have no order, so a message beside `halt` might come too late.
static vm_result flush_and_tell(vm_machine *m, vm_stream *s, vm_word done)
{
    if (!vm_stream_flush(s))
        return write_failed(m, s);
    return vm_return(m, done, vm_atom(ATOM_OK));
}

// One step of a stream of messages. On VM_DONE *ret_rest is what follows the message, or 0 at the
// end.
static vm_result message_step(vm_machine *m, vm_stream *s, void **cursor, vm_word stream,
                              vm_word *ret_rest)
{
    vm_word cell;
    *ret_rest = 0;
    NEED(vm_need(m, stream, &cell));
    if (cell == VM_NIL)
        return VM_DONE;
    if (vm_tag(cell) != TAG_CONS)
        return vm_error(m, cell, "a list of messages is expected");
    vm_word item = vm_deref(m, vm_head(cell));
    if (vm_tag(item) == TAG_STRUCT && vm_words(item)[0] == vm_functor(ATOM_FLUSH, 1)) {
        *ret_rest = vm_tail(cell);
        return flush_and_tell(m, s, vm_struct_arg(item, 0));
    }
    NEED(vm_need_ground(m, cursor, vm_head(cell)));
    vm_word message = vm_end_of(vm_head(cell));
    *ret_rest = vm_tail(cell);
    if (message == vm_atom(ATOM_FLUSH))
        return vm_stream_flush(s) ? VM_DONE : write_failed(m, s);
    base_text *t = &m->builtins.output->scratch;
    t->n = 0;
    NEED(vm_message_text(m, t, message));
    return vm_stream_write(s, t->at, t->n) ? VM_DONE : write_failed(m, s);
}

static vm_result standard_stream(vm_machine *m, vm_word *args, vm_stream *s, vm_builtin self)
{
    vm_word rest;
    NEED(message_step(m, s, vm_progress(m), args[0], &rest));
    if (rest)
        vm_spawn(m, vm_builtin_predicate(m, self), &rest, NULL);
    return VM_DONE;
}

vm_result vm_stdout(vm_machine *m, vm_word *args)
{
    return standard_stream(m, args, &m->builtins.output->out, vm_stdout);
}

vm_result vm_stderr(vm_machine *m, vm_word *args)
{
    return standard_stream(m, args, &m->builtins.output->err, vm_stderr);
}

// ---- Files ----------------------------------------------------------------------------------

// Binds the Status of a file that was opened (reason 0) or could not be (errno). Without one, what
// could not be opened fails.
static vm_result answer(vm_machine *m, const char *name, vm_word status, int reason)
{
    if (!reason)
        return status ? vm_return(m, status, vm_atom(ATOM_OK)) : VM_DONE;
    const char *text = vm_output_reason(m->builtins.output, reason);
    if (!status)
        return vm_error(m, 0, "cannot open %s: %s", name, text);
    vm_word why = vm_make_string(text, strlen(text));
    return vm_return(m, status, vm_make_struct(m, vm_functor(ATOM_ERROR, 1), &why));
}

static vm_result open_to_write(vm_machine *m, vm_word *args, vm_word status)
{
    const char *name;
    NEED(vm_need_name(m, args[0], &name));
    vm_stream *s = vm_stream_open(m->builtins.output, name);
    NEED(answer(m, name, status, s ? 0 : errno));
    if (s)
        vm_spawn(m, vm_builtin_predicate(m, vm_write_file), args, s);
    return VM_DONE;
}

void vm_file_rewind(void *progress)
{
    ((vm_stream *)progress)->cursor = NULL;
}

vm_result vm_write_file(vm_machine *m, vm_word *args)
{
    vm_stream *s = *vm_progress(m);
    vm_word rest;
    if (!s)
        return open_to_write(m, args, 0);
    NEED(message_step(m, s, &s->cursor, args[1], &rest));
    if (rest)
        vm_spawn(m, vm_builtin_predicate(m, vm_write_file), (vm_word[]){args[0], rest}, s);
    else if (!vm_stream_close(m->builtins.output, s))
        return write_failed(m, s);
    return VM_DONE;
}

vm_result vm_write_file_status(vm_machine *m, vm_word *args)
{
    return open_to_write(m, args, args[2]);
}

// Opens a file to be read. On VM_DONE *ret is NULL if it cannot be opened and args tell so.
static vm_result open_to_read(vm_machine *m, vm_word *args, vm_word status, vm_reader **ret)
{
    const char *name;
    NEED(vm_need_name(m, args[0], &name));
    *ret = vm_reader_open(name);
    NEED(answer(m, name, status, *ret ? 0 : errno));
    return *ret ? VM_DONE : vm_return(m, args[1], VM_NIL);
}

static vm_result read_failed(vm_machine *m)
{
    return vm_error(m, 0, "cannot read: %s", strerror(errno));
}

// Ends a step that read `items`: args[1] is bound to them and, if there may be more, a new goal of
// predicate self reads on.
static vm_result hand_out(vm_machine *m, vm_word *args, const vm_items *items, bool ended,
                          vm_builtin self, void *progress)
{
    vm_word tail = VM_NIL;
    if (!ended)
        tail = vm_new_variable(m, "S");
    vm_word list = vm_list_from(m, items->at, items->n, tail);
    if (!ended)
        vm_spawn(m, vm_builtin_predicate(m, self), (vm_word[]){args[0], tail}, progress);
    return vm_return(m, args[1], list);
}

// ---- Lines ----------------------------------------------------------------------------------

static vm_result lines_step(vm_machine *m, vm_word *args, vm_reader *r)
{
    vm_items lines = {0};
    base_text *line = &m->builtins.output->scratch;
    int more = 1;
    while (lines.n < CHUNK && (more = vm_reader_line(r, line)) == 1)
        VM_PUSH(lines, vm_string_from(line->n ? line->at : "", line->n));
    if (more < 0)
        return read_failed(m);
    if (more == 0)
        vm_reader_close(r);
    return hand_out(m, args, &lines, more == 0, vm_read_lines, r);
}

static vm_result open_lines(vm_machine *m, vm_word *args, vm_word status)
{
    vm_reader *r;
    NEED(open_to_read(m, args, status, &r));
    return r ? lines_step(m, args, r) : VM_DONE;
}

vm_result vm_read_lines(vm_machine *m, vm_word *args)
{
    vm_reader *r = *vm_progress(m);
    return r ? lines_step(m, args, r) : open_lines(m, args, 0);
}

vm_result vm_read_lines_status(vm_machine *m, vm_word *args)
{
    return open_lines(m, args, args[2]);
}

// One line per reduction, so that a dialogue goes on line by line.
vm_result vm_stdin(vm_machine *m, vm_word *args)
{
    base_text *line = &m->builtins.output->scratch;
    vm_output_flush(m->builtins.output);
    int more = vm_reader_line(&m->builtins.output->in, line);
    if (more < 0)
        return read_failed(m);
    if (more == 0)
        return vm_return(m, args[0], VM_NIL);
    vm_word tail = vm_new_variable(m, "S");
    vm_word string = vm_string_from(line->n ? line->at : "", line->n);
    vm_word list = vm_heap_cons(m, string, tail);
    vm_spawn(m, vm_builtin_predicate(m, vm_stdin), &tail, NULL);
    return vm_return(m, args[0], list);
}

// ---- Terms ----------------------------------------------------------------------------------

typedef struct {
    base_text text; // keeps alive what the others point into
    const char *at, *end;
} unread;

// What is wrong with the text, as FILE:LINE:COLUMN: reason; a string, or 0.
static vm_word syntax_error(vm_machine *m, vm_word name, const unread *u, const char **ret_term)
{
    const char *text = u->text.n ? u->text.at : "", *file = "";
    char *error = m->program->syntax_error ? m->program->syntax_error(text, u->end, ret_term) : NULL;
    if (!error)
        return 0;
    if (vm_need_name(m, name, &file) != VM_DONE)
        file = "";
    base_text t = VM_TEXT;
    text_add_string(&t, file);
    text_add_string(&t, ":");
    text_add_string(&t, error);
    free(error);
    return vm_make_string(t.at, t.n);
}

static vm_result terms_step(vm_machine *m, vm_word *args, unread *u)
{
    vm_items terms = {0};
    int more = 1;
    vm_word term;
    while (terms.n < CHUNK && (more = m->program->read_term(m, &u->at, u->end, &term)) == 1)
        VM_PUSH(terms, term);
    const char *where;
    vm_word error = more < 0 ? syntax_error(m, args[0], u, &where) : 0;
    if (error)
        return vm_error(m, 0, "%s", ((vm_string *)vm_as_box(error))->text);
    if (more < 0)
        return vm_error(m, args[0], "there is a syntax error in a term that is read");
    return hand_out(m, args, &terms, more == 0, vm_read_terms, u);
}

// Whoever asks for a status learns of a syntax error there, and gets the terms before it.
static vm_result check_terms(vm_machine *m, vm_word name, vm_word status, unread *u)
{
    vm_word error = syntax_error(m, name, u, &u->end);
    vm_word verdict = vm_atom(ATOM_OK);
    if (error)
        verdict = vm_make_struct(m, vm_functor(ATOM_ERROR, 1), &error);
    return vm_return(m, status, verdict);
}

static vm_result open_terms(vm_machine *m, vm_word *args, vm_word status)
{
    const char *name;
    if (!m->program->read_term)
        return vm_error(m, 0, "terms cannot be read here");
    NEED(vm_need_name(m, args[0], &name));
    vm_reader *r = vm_reader_open(name);
    if (!r) {
        NEED(answer(m, name, status, errno));
        return vm_return(m, args[1], VM_NIL);
    }
    unread *u = vm_alloc(sizeof *u);
    u->text.heap = &vm_unscanned;
    int failed = vm_reader_rest(r, &u->text);
    int reason = errno;
    vm_reader_close(r);
    errno = reason;
    if (failed)
        return read_failed(m);
    u->at = u->text.n ? u->text.at : "";
    u->end = u->at + u->text.n;
    if (status)
        NEED(check_terms(m, args[0], status, u));
    return terms_step(m, args, u);
}

vm_result vm_read_terms(vm_machine *m, vm_word *args)
{
    unread *u = *vm_progress(m);
    return u ? terms_step(m, args, u) : open_terms(m, args, 0);
}

vm_result vm_read_terms_status(vm_machine *m, vm_word *args)
{
    return open_terms(m, args, args[2]);
}
