// SPDX-License-Identifier: MIT
//
// The built-in predicate `klicio:stream(S)` carries out the messages of a KL1 I/O stream, one in
// each reduction, in the order of the stream. It makes the goal for the rest before it binds a
// result, so that in a plain run the consumer runs first.
//
// Errors. A message with a result answers -1 if it fails. A message without one fails the run,
// except fflush, whose failure the next message tells. A stream keeps its first error
// (vm_stream.error).
#include "vm/kl1/channel.h"

#include "base/access.h"
#include "base/utf8.h"
#include "vm/builtins/arguments.h"
#include "vm/engine/bind.h"
#include "vm/engine/builtin.h"
#include "vm/kl1/objects.h"
#include "vm/look.h"
#include "vm/memory.h"
#include "vm/term/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

// ---- Opening --------------------------------------------------------------------------------

vm_channel *vm_channel_standard(vm_machine *m, bool in, bool out, bool err)
{
    vm_channel *c = vm_alloc(sizeof *c);
    c->standard = true;
    c->in = in ? &m->builtins.output->in : NULL;
    c->out = out ? &m->builtins.output->out : err ? &m->builtins.output->err : NULL;
    c->name = in ? "standard input" : c->out->name;
    return c;
}

static const char *copy_name(const char *name)
{
    size_t size = strlen(name) + 1;
    return memcpy(vm_alloc_atomic(size), name, size);
}

vm_channel *vm_channel_open(vm_machine *m, const char *name, vm_channel_mode mode)
{
    static const int flags[] = {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC,
                                O_WRONLY | O_CREAT | O_APPEND, O_RDWR};
    vm_channel *c = vm_alloc(sizeof *c);
    c->name = copy_name(name);
    if (mode == CHANNEL_READ) {
        c->in = vm_reader_open(name);
        return c->in ? c : NULL;
    }
    int fd = vm_output_file(m->builtins.output, name, flags[mode]);
    if (fd < 0)
        return NULL;
    if (mode == CHANNEL_UPDATE) {
        int other = dup(fd); // both have one place in the file
        if (other < 0) {
            int reason = errno;
            close(fd); // nothing was written to it
            errno = reason;
            return NULL;
        }
        c->in = vm_reader_from(other);
    }
    c->out = vm_stream_from(m->builtins.output, fd, name);
    return c;
}

vm_channel *vm_channel_pipe(vm_machine *m, vm_channel **ret_out)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return NULL;
    vm_channel *in = vm_alloc(sizeof *in), *out = vm_alloc(sizeof *out);
    in->in = vm_reader_from(fds[0]);
    out->out = vm_stream_from(m->builtins.output, fds[1], "a pipe");
    in->name = out->name = "a pipe";
    *ret_out = out;
    return in;
}

vm_channel *vm_channel_from_string(const vm_string *s)
{
    vm_channel *c = vm_alloc(sizeof *c);
    c->name = "a string";
    c->in = vm_reader_from_text(s->text, s->length);
    return c;
}

vm_channel *vm_channel_to_string(vm_word text)
{
    vm_channel *c = vm_alloc(sizeof *c);
    c->name = "a string";
    c->out = vm_alloc(sizeof *c->out);
    c->out->fd = -1;
    c->out->buffer.heap = &vm_unscanned;
    c->out->name = c->name;
    c->text = text;
    return c;
}

void vm_channel_serve_stream(vm_machine *m, vm_channel *c, vm_word stream)
{
    vm_spawn(m, vm_builtin_predicate(m, vm_channel_stream), &stream, c);
}

void vm_channel_serve(vm_machine *m, vm_channel *c, vm_word *ret_stream)
{
    *ret_stream = vm_new_variable(m, "S");
    vm_channel_serve_stream(m, c, *ret_stream);
}

// ---- A message ------------------------------------------------------------------------------

// The message in turn: its arguments are those of the term, `rest` follows it.
typedef struct {
    vm_machine *machine;
    vm_channel *channel;
    vm_word term;
    vm_word rest;
} message;

static vm_word argument(const message *x, uint32_t i)
{
    return vm_struct_arg(x->term, i);
}

static vm_result go_on(const message *x)
{
    vm_channel_serve_stream(x->machine, x->channel, x->rest);
    return VM_DONE;
}

// The last argument of the message is bound to value.
static vm_result answer(const message *x, vm_word value)
{
    go_on(x);
    uint32_t last = vm_functor_arity(vm_words(x->term)[0]) - 1;
    return vm_return(x->machine, argument(x, last), value);
}

static vm_result need_writing(const message *x)
{
    const vm_channel *c = x->channel;
    if (c->closed)
        return vm_error(x->machine, x->term, "%s is closed already", c->name);
    if (!c->out)
        return vm_error(x->machine, x->term, "%s is not open for writing", c->name);
    return VM_DONE;
}

static vm_result write_failed(const message *x, int reason)
{
    const vm_stream *out = x->channel->out;
    return vm_error(x->machine, 0, "cannot write to %s: %s", x->channel->name,
                    out && out->error == reason ? vm_stream_reason(out) : strerror(reason));
}

// A file that is read and written has one place: what was read ahead is given back. A terminal has
// no place: what was read ahead stays for the next message that reads. False: errno says why.
static bool before_writing(vm_channel *c)
{
    if (!c->in || c->standard || vm_reader_is_empty(c->in))
        return true;
    off_t ahead = (off_t)(c->in->end - c->in->begin);
    if (lseek(c->in->fd, -ahead, SEEK_CUR) < 0)
        return errno == ESPIPE;
    vm_reader_drop(c->in);
    return true;
}

static vm_result put(const message *x, const char *bytes, size_t n)
{
    vm_channel *c = x->channel;
    if (!before_writing(c))
        return write_failed(x, errno);
    if (!c->in)
        for (size_t i = 0; i < n; i++)
            c->lines += bytes[i] == '\n';
    return vm_stream_write(c->out, bytes, n) ? VM_DONE : write_failed(x, c->out->error);
}

static vm_result need_reading(const message *x)
{
    vm_channel *c = x->channel;
    if (c->closed)
        return vm_error(x->machine, x->term, "%s is closed already", c->name);
    if (!c->in)
        return vm_error(x->machine, x->term, "%s is not open for reading", c->name);
    if (c->standard && vm_reader_is_empty(c->in))
        vm_output_flush(x->machine->builtins.output); // the end of the run tells of a failure
    else if (c->out && !c->standard && !vm_stream_flush(c->out))
        return write_failed(x, c->out->error);
    return VM_DONE;
}

static vm_result read_failed(const message *x)
{
    return vm_error(x->machine, 0, "cannot read from %s: %s", x->channel->name, strerror(errno));
}

// ---- Input ----------------------------------------------------------------------------------

static vm_result do_getc(message *x)
{
    NEED(need_reading(x));
    int byte = vm_reader_byte(x->channel->in);
    if (byte < -1)
        return read_failed(x);
    x->channel->lines += byte == '\n';
    return answer(x, vm_int(byte));
}

static vm_result do_ungetc(message *x)
{
    int64_t code;
    NEED(need_reading(x));
    NEED(vm_need_small(x->machine, argument(x, 0), &code));
    if (code < -1 || code > 255)
        return vm_error(x->machine, vm_int(code), "a byte is expected");
    if (code >= 0)
        vm_reader_unread(x->channel->in, (char)code);
    x->channel->lines -= code == '\n';
    return go_on(x);
}

static vm_result do_getl(message *x)
{
    NEED(need_reading(x));
    base_text *line = &x->machine->builtins.output->scratch;
    int more = vm_reader_line(x->channel->in, line);
    if (more < 0)
        return read_failed(x);
    x->channel->lines += more > 0;
    return answer(x, more ? vm_string_from(line->n ? line->at : "", line->n) : vm_int(-1));
}

// At most that many bytes, but no part of a character: a few bytes less, or one character.
static vm_result do_fread(message *x)
{
    int64_t most;
    NEED(need_reading(x));
    NEED(vm_need_small(x->machine, argument(x, 0), &most));
    if (most < 0)
        return vm_error(x->machine, vm_int(most), "a number of bytes is expected");
    vm_reader *r = x->channel->in;
    base_text t = VM_TEXT;
    int byte = 0;
    while ((int64_t)t.n < most && (t.n == 0 || !vm_reader_is_empty(r)) &&
           (byte = vm_reader_peek(r)) >= 0) {
        int n = (int)utf8_length((char)byte);
        if (t.n > 0 && (int64_t)t.n + n > most)
            break;
        for (int i = 0; i < n; i++) {
            byte = vm_reader_peek(r);
            if (byte < 0 || (i > 0 && !utf8_continues((char)byte)))
                break;
            text_add_char(&t, (char)vm_reader_byte(r));
            x->channel->lines += byte == '\n';
        }
    }
    if (byte < -1)
        return read_failed(x);
    return answer(x, vm_string_from(t.n ? t.at : "", t.n));
}

static vm_result do_linecount(message *x)
{
    return answer(x, vm_int((int64_t)x->channel->lines));
}

static vm_result do_feof(message *x)
{
    if (!x->channel->in)
        return answer(x, vm_int(0));
    NEED(need_reading(x));
    int byte = vm_reader_peek(x->channel->in);
    return byte < -1 ? read_failed(x) : answer(x, vm_int(byte < 0));
}

// ---- Terms that are read --------------------------------------------------------------------

// Where the text of a term stands: in a quoted part, in a comment, or outside.
typedef struct {
    int quote;     // the quote that is open; 0
    bool escaped;  // a backslash is before the next byte
    int skip;      // bytes that belong to a character code, 0'c
    bool line, block; // a comment of that kind is open
    int last, before; // bytes before the next one, outside of quotes and comments
} term_scan;

static bool is_symbol(int c)
{
    return c > 0 && strchr("+-*/\\^<>=~:.?@#&$", c);
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static void scan_outside(term_scan *s, int byte, int next)
{
    if (byte == '%')
        s->line = true;
    else if (byte == '/' && next == '*')
        s->block = true;
    else if (byte == '"' || (byte == '\'' && !is_digit(s->last)))
        s->quote = byte;
    else if (byte == '\'' && s->last == '0' && !is_name(s->before))
        s->skip = next == '\\' || next == '\'' ? 2 : 1; // else a based number, 16'ff
    s->before = s->last;
    s->last = byte;
}

// Moves on by one byte. True: it is the full stop that ends the term.
static bool scan_byte(term_scan *s, int byte, int next)
{
    if (s->line) {
        s->line = byte != '\n';
    } else if (s->block) {
        s->block = !(s->before == '*' && byte == '/');
        s->before = byte;
        s->last = ' ';
    } else if (s->quote) {
        if (s->escaped)
            s->escaped = false;
        else if (byte == '\\')
            s->escaped = true;
        else if (byte == s->quote)
            s->quote = 0;
    } else if (s->skip > 0) {
        s->skip--;
    } else {
        bool stop = byte == '.' && !is_symbol(s->last) &&
                    (next < 0 || next == '%' || next == ' ' || (next >= '\t' && next <= '\r'));
        scan_outside(s, byte, next);
        return stop;
    }
    return false;
}

// The text of the next term with its full stop, and of the layout before it: 1, 0 if nothing but
// layout is left, -1 and errno.
static int read_term_text(vm_channel *c, base_text *t)
{
    term_scan s = {0};
    int byte;
    t->n = 0;
    while ((byte = vm_reader_byte(c->in)) >= 0) {
        int next = vm_reader_peek(c->in);
        text_add_char(t, (char)byte);
        c->lines += byte == '\n';
        if (scan_byte(&s, byte, next))
            return 1;
    }
    return byte < -1 ? -1 : t->n > 0;
}

static vm_result complain(const message *x)
{
    base_text t = VM_TEXT;
    char number[40];
    snprintf(number, sizeof number, "%llu", (unsigned long long)x->channel->lines + 1);
    text_add_string(&t, x->channel->name);
    text_add_string(&t, ":");
    text_add_string(&t, number);
    text_add_string(&t, ": there is a syntax error in the term that ends here; it is skipped\n");
    vm_stream_write(&x->machine->builtins.output->err, t.at, t.n);
    return VM_DONE;
}

// Terms in error are told about and skipped.
static vm_result next_term(message *x, vm_word *ret)
{
    vm_machine *m = x->machine;
    NEED(need_reading(x));
    if (!m->program->read_term)
        return vm_error(m, x->term, "terms cannot be read here");
    for (;;) {
        base_text t = VM_TEXT;
        int more = read_term_text(x->channel, &t);
        if (more < 0)
            return read_failed(x);
        const char *at = t.n ? t.at : "";
        int read = more ? m->program->read_term(m, &at, t.at + t.n, ret) : 0;
        if (read == 0)
            *ret = vm_atom_from("end_of_file");
        if (read >= 0)
            return VM_DONE;
        complain(x);
    }
}

static vm_result do_gett(message *x)
{
    vm_word term;
    NEED(next_term(x, &term));
    return answer(x, term);
}

static vm_result do_getwt(message *x)
{
    vm_word term;
    NEED(next_term(x, &term));
    if (term != vm_atom_from("end_of_file"))
        term = vm_wrap_term(x->machine, term);
    return answer(x, vm_make_struct(x->machine, vm_functor(ATOM_NORMAL, 1), &term));
}

// ---- Output ---------------------------------------------------------------------------------

static vm_result put_code(const message *x, vm_word code)
{
    base_text t = VM_TEXT;
    if (vm_tag(code) == TAG_INT && vm_int_value(code) >= 0 && vm_int_value(code) <= 255)
        text_add_char(&t, (char)vm_int_value(code));
    else
        NEED(vm_put_character(x->machine, &t, code));
    return put(x, t.at, t.n);
}

static vm_result do_putc(message *x)
{
    vm_word code;
    NEED(need_writing(x));
    NEED(vm_need(x->machine, argument(x, 0), &code));
    NEED(put_code(x, code));
    return go_on(x);
}

static vm_result write_string(message *x, bool line, size_t *ret_bytes)
{
    const vm_string *s;
    NEED(need_writing(x));
    NEED(vm_need_string(x->machine, argument(x, 0), &s));
    *ret_bytes = s->length;
    NEED(put(x, s->text, s->length));
    return line ? put(x, "\n", 1) : VM_DONE;
}

static vm_result do_fwrite(message *x)
{
    size_t n = 0;
    NEED(write_string(x, false, &n));
    return go_on(x);
}

static vm_result do_fwrite_result(message *x)
{
    size_t n = 0;
    NEED(write_string(x, false, &n));
    return answer(x, vm_int((int64_t)n));
}

static vm_result do_putl(message *x)
{
    size_t n;
    NEED(write_string(x, true, &n));
    return go_on(x);
}

static const char *name_of_variable(void *data, const vm_var *v)
{
    vm_origin origin;
    (void)data;
    if (vm_get_origin(v, &origin) && origin.clause == VM_NO_CLAUSE)
        return vm_atom_text(origin.index);
    return "_";
}

static vm_result put_term(message *x, vm_word term)
{
    static const vm_print_options options = {.quoted = true, .variable_name = name_of_variable};
    base_text t = VM_TEXT;
    vm_text_add_term(&t, term, &options);
    NEED(put(x, t.at, t.n));
    return go_on(x);
}

static vm_result do_putt(message *x)
{
    NEED(need_writing(x));
    NEED(vm_need_ground(x->machine, &x->channel->cursor, argument(x, 0)));
    return put_term(x, argument(x, 0));
}

static vm_result do_putwt(message *x)
{
    vm_word term;
    NEED(need_writing(x));
    NEED(vm_need_ground(x->machine, &x->channel->cursor, argument(x, 0)));
    NEED(vm_unwrap_term(x->machine, argument(x, 0), &term));
    return put_term(x, term);
}

static vm_result do_nl(message *x)
{
    NEED(need_writing(x));
    NEED(put(x, "\n", 1));
    return go_on(x);
}

// write, writeln, format: as on the streams of stdout/1.
static vm_result do_message(message *x)
{
    base_text t = VM_TEXT;
    NEED(need_writing(x));
    NEED(vm_need_ground(x->machine, &x->channel->cursor, x->term));
    NEED(vm_message_text(x->machine, &t, vm_end_of(x->term)));
    NEED(put(x, t.at, t.n));
    return go_on(x);
}

static bool flush(const message *x)
{
    return !x->channel->out || vm_stream_flush(x->channel->out);
}

// The message has no result. If the flush fails, the stream keeps the error: the next message that
// writes or has a result tells of it, and at the latest the end of the messages.
static vm_result do_flush(message *x)
{
    (void)flush(x);
    return go_on(x);
}

static vm_result do_flush_result(message *x)
{
    return answer(x, vm_int(flush(x) ? 0 : -1));
}

// ---- Both -----------------------------------------------------------------------------------

static vm_result do_fseek(message *x)
{
    vm_channel *c = x->channel;
    int64_t offset, whence;
    NEED(vm_need_small(x->machine, argument(x, 0), &offset));
    NEED(vm_need_small(x->machine, argument(x, 1), &whence));
    if (c->closed || whence < 0 || whence > 2 || !flush(x))
        return answer(x, vm_int(-1));
    int fd = c->in ? c->in->fd : c->out->fd;
    off_t ahead = c->in ? (off_t)vm_reader_drop(c->in) : 0;
    static const int kinds[] = {SEEK_SET, SEEK_CUR, SEEK_END};
    off_t to = lseek(fd, whence == 1 ? offset - ahead : offset, kinds[whence]);
    return answer(x, vm_int(to < 0 ? -1 : 0));
}

static vm_result do_ftell(message *x)
{
    const vm_channel *c = x->channel;
    off_t at = c->closed || !flush(x) ? -1 : lseek(c->in ? c->in->fd : c->out->fd, 0, SEEK_CUR);
    if (at >= 0 && c->in)
        at -= (off_t)(c->in->end - c->in->begin);
    return answer(x, vm_int(at));
}

// Closes what the channel opened. False: something written before did not get out.
static bool close_channel(vm_machine *m, vm_channel *c)
{
    bool good = true;
    if (c->standard || c->closed)
        return c->out ? vm_stream_flush(c->out) : true;
    c->closed = true;
    if (c->out && c->out->fd >= 0)
        good = vm_stream_close(m->builtins.output, c->out);
    if (c->in)
        vm_reader_close(c->in);
    return good;
}

static vm_result do_fclose(message *x)
{
    bool good = close_channel(x->machine, x->channel);
    return answer(x, vm_int(good ? 0 : -1));
}

static vm_result end_of_messages(vm_machine *m, vm_channel *c)
{
    if (!close_channel(m, c))
        return vm_error(m, 0, "cannot write to %s: %s", c->name, strerror(c->out->error));
    if (!c->text)
        return VM_DONE;
    const base_text *t = &c->out->buffer;
    return vm_return(m, c->text, vm_string_from(t->n ? t->at : "", t->n));
}

// ---- The stream -----------------------------------------------------------------------------

static const struct {
    const char *name;
    uint32_t arity;
    vm_result (*act)(message *x);
} messages[] = {
    {"getc", 1, do_getc},           {"ungetc", 1, do_ungetc},
    {"getl", 1, do_getl},           {"fread", 2, do_fread},
    {"gett", 1, do_gett},           {"getwt", 1, do_getwt},
    {"linecount", 1, do_linecount}, {"feof", 1, do_feof},
    {"putc", 1, do_putc},           {"fwrite", 1, do_fwrite},
    {"puts", 1, do_fwrite},         {"fwrite", 2, do_fwrite_result},
    {"putl", 1, do_putl},           {"putt", 1, do_putt},
    {"puttq", 1, do_putt},          {"print", 1, do_putt},
    {"putwt", 1, do_putwt},         {"putwtq", 1, do_putwt},
    {"nl", 0, do_nl},               {"write", 1, do_message},
    {"writeln", 1, do_message},     {"format", 2, do_message},
    {"fflush", 0, do_flush},        {"flush", 0, do_flush},
    {"fflush", 1, do_flush_result}, {"flush", 1, do_flush_result},
    {"sync", 1, do_flush_result},           {"fseek", 3, do_fseek},
    {"ftell", 1, do_ftell},         {"fclose", 1, do_fclose},
};

static vm_result carry_out(message *x)
{
    bool compound = vm_tag(x->term) == TAG_STRUCT;
    if (vm_tag(x->term) == TAG_INT) {
        NEED(need_writing(x));
        NEED(put_code(x, x->term));
        return go_on(x);
    }
    if (compound || vm_tag(x->term) == TAG_ATOM) {
        uint32_t name = compound ? vm_functor_name(vm_words(x->term)[0]) : vm_atom_number(x->term);
        uint32_t arity = compound ? vm_functor_arity(vm_words(x->term)[0]) : 0;
        for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
            if (messages[i].arity == arity && strcmp(messages[i].name, vm_atom_text(name)) == 0)
                return messages[i].act(x);
    }
    return vm_error(x->machine, x->term,
                    "a message to an I/O stream is expected: putt(T), putc(C), fwrite(S), nl, "
                    "getc(C), getl(L), gett(T), fflush(R), fclose(R) ...");
}

void vm_channel_rewind(void *progress)
{
    ((vm_channel *)progress)->cursor = NULL;
}

vm_result vm_channel_stream(vm_machine *m, vm_word *args)
{
    vm_channel *c = *vm_progress(m);
    message x = {.machine = m, .channel = c};
    vm_word cell;
    if (!c)
        return vm_error(m, 0, "an I/O stream comes from klicio:klicio/1 or unix:unix/1");
    NEED(vm_need(m, args[0], &cell));
    if (cell == VM_NIL)
        return end_of_messages(m, c);
    if (vm_tag(cell) != TAG_CONS)
        return vm_error(m, cell, "a list of messages is expected");
    NEED(vm_need(m, vm_head(cell), &x.term));
    x.rest = vm_tail(cell);
    return carry_out(&x);
}
