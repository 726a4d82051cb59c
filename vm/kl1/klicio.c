// SPDX-License-Identifier: MIT
//
// Built-in predicates: KL1's requests to the operating system are messages of a stream,
// `klicio:klicio(S)` or `unix:unix(S)`. A request takes one reduction and leaves the rest of the
// stream to a new goal.
#include "base/access.h"
#include "vm/builtins/arguments.h"
#include "vm/engine/builtin.h"
#include "vm/kl1/channel.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <unistd.h>

// A request: its arguments are those of the term, the last of them is bound to the result.
typedef struct {
    vm_machine *machine;
    vm_word term, rest;
} request;

static vm_word argument(const request *r, uint32_t i)
{
    return vm_struct_arg(r->term, i);
}

static vm_result answer(const request *r, vm_word value)
{
    uint32_t last = vm_functor_arity(vm_words(r->term)[0]) - 1;
    vm_spawn(r->machine, r->machine->reduction.goal->predicate, &r->rest, NULL);
    return vm_return(r->machine, argument(r, last), value);
}

static vm_result answer_number(const request *r, int64_t n)
{
    return answer(r, vm_int(n));
}

// normal(S), S being the stream of the channel; or abnormal where there is none.
static vm_result answer_channel(const request *r, vm_channel *c)
{
    vm_word stream;
    if (!c)
        return answer(r, vm_atom_from("abnormal"));
    vm_channel_serve(r->machine, c, &stream);
    return answer(r, vm_make_struct(r->machine, vm_functor(ATOM_NORMAL, 1), &stream));
}

// ---- Streams --------------------------------------------------------------------------------

static vm_result do_stdin(request *r)
{
    return answer_channel(r, vm_channel_standard(r->machine, true, false, false));
}

static vm_result do_stdout(request *r)
{
    return answer_channel(r, vm_channel_standard(r->machine, false, true, false));
}

static vm_result do_stderr(request *r)
{
    return answer_channel(r, vm_channel_standard(r->machine, false, false, true));
}

static vm_result do_stdio(request *r)
{
    return answer_channel(r, vm_channel_standard(r->machine, true, true, false));
}

static vm_result open_file(request *r, vm_channel_mode mode)
{
    const char *name;
    NEED(vm_need_name(r->machine, argument(r, 0), &name));
    return answer_channel(r, vm_channel_open(r->machine, name, mode));
}

static vm_result do_read_open(request *r)
{
    return open_file(r, CHANNEL_READ);
}

static vm_result do_write_open(request *r)
{
    return open_file(r, CHANNEL_WRITE);
}

static vm_result do_append_open(request *r)
{
    return open_file(r, CHANNEL_APPEND);
}

static vm_result do_update_open(request *r)
{
    return open_file(r, CHANNEL_UPDATE);
}

// pipe(R): normal(In, Out)
static vm_result do_pipe(request *r)
{
    vm_channel *out, *in = vm_channel_pipe(r->machine, &out);
    vm_word streams[2];
    if (!in)
        return answer(r, vm_atom_from("abnormal"));
    vm_channel_serve(r->machine, in, &streams[0]);
    vm_channel_serve(r->machine, out, &streams[1]);
    return answer(r, vm_make_struct(r->machine, vm_functor(ATOM_NORMAL, 2), streams));
}

// string_input(R, String), string_output(R, String): the result comes first here.
static vm_result answer_first(request *r, vm_channel *c)
{
    vm_machine *m = r->machine;
    vm_word stream;
    vm_channel_serve(m, c, &stream);
    vm_spawn(m, m->reduction.goal->predicate, &r->rest, NULL);
    return vm_return(m, argument(r, 0), vm_make_struct(m, vm_functor(ATOM_NORMAL, 1), &stream));
}

static vm_result do_string_input(request *r)
{
    const vm_string *s;
    NEED(vm_need_string(r->machine, argument(r, 1), &s));
    return answer_first(r, vm_channel_from_string(s));
}

static vm_result do_string_output(request *r)
{
    return answer_first(r, vm_channel_to_string(argument(r, 1)));
}

// There are no sockets, and no signals as data: a program gets the answer for a file that cannot be
// opened.
static vm_result do_refuse(request *r)
{
    return answer_channel(r, NULL);
}

// ---- Files and environment --------------------------------------------------------------------

static vm_result do_cd(request *r)
{
    const char *name;
    NEED(vm_need_name(r->machine, argument(r, 0), &name));
    return answer_number(r, base_access_enter(name));
}

static vm_result do_unlink(request *r)
{
    const char *name;
    NEED(vm_need_name(r->machine, argument(r, 0), &name));
    return answer_number(r, base_access_remove(name));
}

// The name of a new, empty file that begins with the template; "" if there can be none.
static vm_result do_mktemp(request *r)
{
    const vm_string *s;
    NEED(vm_need_string(r->machine, argument(r, 0), &s));
    base_text t = VM_TEXT;
    text_add(&t, s->text, s->length);
    text_add(&t, "XXXXXX", 7);
    bool fits = vm_output_takes_file(r->machine->builtins.output);
    int fd = fits ? base_access_make(t.at) : -1;
    if (fd >= 0)
        close(fd);
    return answer(r, vm_string_from(t.at, fd < 0 ? 0 : t.n - 1));
}

static vm_result file_and_mode(request *r, int (*act)(const char *name, mode_t mode))
{
    const char *name;
    int64_t mode;
    NEED(vm_need_name(r->machine, argument(r, 0), &name));
    NEED(vm_need_small(r->machine, argument(r, 1), &mode));
    return answer_number(r, act(name, (mode_t)mode));
}

static vm_result do_access(request *r)
{
    return file_and_mode(r, base_access_check);
}

static vm_result do_chmod(request *r)
{
    return file_and_mode(r, base_access_set_mode);
}

static vm_result do_umask(request *r)
{
    mode_t old = umask(0);
    umask(old);
    return answer_number(r, old);
}

// umask(Old, New): the result comes first here.
static vm_result do_set_umask(request *r)
{
    int64_t mask;
    NEED(vm_need_small(r->machine, argument(r, 1), &mask));
    vm_spawn(r->machine, r->machine->reduction.goal->predicate, &r->rest, NULL);
    return vm_return(r->machine, argument(r, 0), vm_int(umask((mode_t)mask)));
}

static vm_result do_getenv(request *r)
{
    const char *name;
    NEED(vm_need_name(r->machine, argument(r, 0), &name));
    const char *value = base_access_has(ACCESS_ENVIRONMENT) ? getenv(name) : NULL;
    return answer(r, value ? vm_string_from(value, strlen(value)) : vm_int(0));
}

static vm_result do_putenv(request *r)
{
    const char *text;
    NEED(vm_need_name(r->machine, argument(r, 0), &text));
    const char *equals = strchr(text, '=');
    if (!equals || !base_access_has(ACCESS_ENVIRONMENT))
        return answer_number(r, -1);
    base_text name = VM_TEXT;
    text_add(&name, text, (size_t)(equals - text));
    text_add_char(&name, '\0');
    return answer_number(r, setenv(name.at, equals + 1, 1));
}

// The status of the command as wait(2) tells it, as in C.
static vm_result do_system(request *r)
{
    const char *command;
    NEED(vm_need_name(r->machine, argument(r, 0), &command));
    if (!base_access_has(ACCESS_RUN))
        return answer_number(r, -1);
    vm_output_flush(r->machine->builtins.output);
    return answer_number(r, system(command));
}

static vm_result do_kill(request *r)
{
    int64_t process, number;
    NEED(vm_need_small(r->machine, argument(r, 0), &process));
    NEED(vm_need_small(r->machine, argument(r, 1), &number));
    bool may = base_access_has(ACCESS_RUN);
    return answer_number(r, may ? kill((pid_t)process, (int)number) : -1);
}

// All that the program has written and that is still buffered.
static vm_result do_sync(request *r)
{
    return answer_number(r, vm_output_sync(r->machine->builtins.output) ? 0 : -1);
}

// ---- The stream -----------------------------------------------------------------------------

static const struct {
    const char *name;
    uint32_t arity;
    vm_result (*act)(request *r);
} requests[] = {
    {"stdin", 1, do_stdin},
    {"stdout", 1, do_stdout},
    {"stderr", 1, do_stderr},
    {"stdio", 1, do_stdio},
    {"read_open", 2, do_read_open},
    {"write_open", 2, do_write_open},
    {"append_open", 2, do_append_open},
    {"update_open", 2, do_update_open},
    {"string_input", 2, do_string_input},
    {"string_output", 2, do_string_output},
    {"pipe", 1, do_pipe},
    {"connect", 2, do_refuse},
    {"bind", 2, do_refuse},
    {"signal_stream", 2, do_refuse},
    {"system", 2, do_system},
    {"cd", 2, do_cd},
    {"unlink", 2, do_unlink},
    {"mktemp", 2, do_mktemp},
    {"access", 3, do_access},
    {"chmod", 3, do_chmod},
    {"umask", 1, do_umask},
    {"umask", 2, do_set_umask},
    {"getenv", 2, do_getenv},
    {"putenv", 2, do_putenv},
    {"kill", 3, do_kill},
    {"sync", 1, do_sync},
};

vm_result vm_klicio(vm_machine *m, vm_word *args)
{
    request r = {.machine = m};
    vm_word cell;
    NEED(vm_need(m, args[0], &cell));
    if (cell == VM_NIL)
        return VM_DONE;
    if (vm_tag(cell) != TAG_CONS)
        return vm_error(m, cell, "a list of requests is expected");
    NEED(vm_need(m, vm_head(cell), &r.term));
    r.rest = vm_tail(cell);
    if (vm_tag(r.term) == TAG_STRUCT) {
        uint32_t name = vm_functor_name(vm_words(r.term)[0]);
        uint32_t arity = vm_functor_arity(vm_words(r.term)[0]);
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
            if (requests[i].arity == arity && strcmp(requests[i].name, vm_atom_text(name)) == 0)
                return requests[i].act(&r);
    }
    return vm_error(m, r.term,
                    "a request is expected: stdin(R), stdout(R), stderr(R), read_open(File, R), "
                    "write_open(File, R), append_open(File, R), system(Command, R) ...");
}

// ---- Predicates -----------------------------------------------------------------------------

vm_result vm_argc(vm_machine *m, vm_word *args)
{
    return vm_return(m, args[0], vm_int(m->options.argc));
}

// unix:times(User, System, ChildrenUser, ChildrenSystem): milliseconds
vm_result vm_times(vm_machine *m, vm_word *args)
{
    struct tms t;
    times(&t);
    const clock_t ticks[] = {t.tms_utime, t.tms_stime, t.tms_cutime, t.tms_cstime};
    int64_t second = sysconf(_SC_CLK_TCK);
    for (int i = 0; i < 4; i++)
        if (!vm_unify(m, args[i], vm_int((int64_t)ticks[i] * 1000 / second)))
            return VM_FAIL;
    return VM_DONE;
}

// io:outstream(S) and the like: a stream on a standard file.
static vm_result serve_standard(vm_machine *m, vm_word stream, bool in, bool out, bool err)
{
    vm_channel_serve_stream(m, vm_channel_standard(m, in, out, err), stream);
    return VM_DONE;
}

vm_result vm_io_instream(vm_machine *m, vm_word *args)
{
    return serve_standard(m, args[0], true, false, false);
}

vm_result vm_io_outstream(vm_machine *m, vm_word *args)
{
    return serve_standard(m, args[0], false, true, false);
}

vm_result vm_io_errstream(vm_machine *m, vm_word *args)
{
    return serve_standard(m, args[0], false, false, true);
}

// io:instream(File, S), io:outstream(File, S): it must be possible to open the file.
static vm_result serve_file(vm_machine *m, vm_word *args, vm_channel_mode mode)
{
    const char *name;
    NEED(vm_need_name(m, args[0], &name));
    vm_channel *c = vm_channel_open(m, name, mode);
    if (!c)
        return vm_error(m, 0, "cannot open %s: %s", name, vm_output_reason(m->builtins.output, errno));
    vm_channel_serve_stream(m, c, args[1]);
    return VM_DONE;
}

vm_result vm_io_instream_of(vm_machine *m, vm_word *args)
{
    return serve_file(m, args, CHANNEL_READ);
}

vm_result vm_io_outstream_of(vm_machine *m, vm_word *args)
{
    return serve_file(m, args, CHANNEL_WRITE);
}
