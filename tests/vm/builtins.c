// SPDX-License-Identifier: MIT
//
// Built-in predicates, run by a machine whose program has no clauses but the beginning: it makes
// the goals of a test, in plain and in stamped runs.
#include "vm/engine/machine.h"
#include "vm/engine/output.h"
#include "vm/engine/arith.h"
#include "vm/look.h"
#include "vm/memory.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- A program of goals ---------------------------------------------------------------------

typedef struct {
    uint32_t reductions, reads, bindings, cells, goals; // sums over the events
} totals;

static struct {
    bool stamped;
    vm_ending ending;
    char *output;
    const char *reason; // of a failure
    uint64_t reductions;
    int64_t now;
    int status;
    size_t suspended;
    totals totals;
} last;

static vm_predicate **predicates;

static vm_predicate *find(void *data, const char *module, const char *name, uint32_t arity)
{
    (void)data;
    (void)module;
    for (uint32_t i = 0; i < vm_nbuiltins; i++)
        if (strcmp(predicates[i]->name, name) == 0 && predicates[i]->arity == arity)
            return predicates[i];
    return NULL;
}

// Reads integers, each ended by " ." or ".".
static int read_term(vm_machine *m, const char **text, const char *end, vm_word *ret_term)
{
    (void)m;
    while (*text < end && strchr(" .\n", **text))
        ++*text;
    if (*text == end)
        return 0;
    char *after;
    long i = strtol(*text, &after, 10);
    if (after == *text)
        return -1;
    *text = after;
    *ret_term = vm_int(i);
    return 1;
}

static void add_up(void *data, const vm_event *event)
{
    (void)data;
    if (!event->goal)
        return;
    last.totals.reductions++;
    last.totals.reads += event->nreads;
    last.totals.bindings += event->nbindings;
    last.totals.cells += event->ncells;
    last.totals.goals += event->ngoals;
}

static vm_program *program_of(uint32_t n, const vm_word *goals)
{
    vm_program *p = vm_alloc(sizeof *p);
    ARRAY_OF(uint32_t) code = {0};
    ARRAY_OF(vm_word) constants = {0};
    p->npredicates = vm_nbuiltins + 1;
    p->predicates = predicates = vm_alloc(p->npredicates * sizeof *p->predicates);
    for (uint32_t i = 0; i <= vm_nbuiltins; i++) {
        vm_predicate *q = predicates[i] = vm_alloc(sizeof *q);
        *q = (vm_predicate){.name = "$goal", .module = "test", .id = i, .cost = 1};
        if (i < vm_nbuiltins) {
            *q = (vm_predicate){.name = vm_builtins[i].name,
                                .arity = vm_builtins[i].arity,
                                .id = i,
                                .cost = 1,
                                .builtin = vm_builtins[i].function,
                                .entry = &vm_builtins[i]};
        }
    }
    p->clauses = vm_alloc(sizeof *p->clauses);
    p->clauses[0] = vm_alloc(sizeof *p->clauses[0]);
    p->clauses[0]->predicate = predicates[vm_nbuiltins];
    p->nclauses = 1;
    VM_PUSH(code, OP_COMMIT);
    for (uint32_t i = 0; i < n; i++) {
        bool atom = vm_tag(goals[i]) == TAG_ATOM;
        uint32_t name = atom ? vm_atom_number(goals[i]) : vm_functor_name(vm_words(goals[i])[0]);
        uint32_t arity = atom ? 0 : vm_functor_arity(vm_words(goals[i])[0]);
        for (uint32_t j = 0; j < arity; j++) {
            VM_PUSH(code, OP_CONST);
            VM_PUSH(code, j);
            VM_PUSH(code, constants.n);
            VM_PUSH(constants, vm_words(goals[i])[j + 1]);
        }
        vm_predicate *q = find(NULL, NULL, vm_atom_text(name), arity);
        if (!q)
            abort();
        VM_PUSH(code, OP_SPAWN);
        VM_PUSH(code, 0);
        VM_PUSH(code, i);
        VM_PUSH(code, q->id);
        VM_PUSH(code, arity);
        for (uint32_t j = 0; j < arity; j++)
            VM_PUSH(code, j);
    }
    VM_PUSH(code, OP_END);
    VM_PUSH(code, 0);
    predicates[vm_nbuiltins]->code = code.n;
    VM_PUSH(code, OP_TRY);
    VM_PUSH(code, 0);
    VM_PUSH(code, 0);
    VM_PUSH(code, OP_LAST);
    VM_PUSH(code, vm_nbuiltins);
    p->code = code.at;
    p->ncode = code.n;
    p->constants = constants.at;
    p->nconstants = constants.n;
    p->registers = 8;
    p->clauses[0]->sites = vm_alloc(n * sizeof *p->clauses[0]->sites);
    p->clauses[0]->nitems = n;
    p->clauses[0]->registers = 8;
    p->find = find;
    p->read_term = read_term;
    return p;
}

static char *contents(int fd)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    lseek(fd, 0, SEEK_SET);
    if (read(fd, text, (size_t)size) != size)
        abort();
    return text;
}

static void run(bool stamped, uint32_t n, const vm_word *goals)
{
    static char *arguments[] = {"one", "tw\xff"};
    vm_recorder recorder = {.reduction = add_up};
    vm_options options = {
        .stamped = stamped, .argc = 2, .argv = arguments, .recorder = stamped ? &recorder : NULL};
    int fd = memfd_create("output", 0);
    last.totals = (totals){0};
    vm_machine *m = vm_create(program_of(n, goals), &options);
    m->builtins.output->out.fd = fd;
    m->builtins.output->out.lines = false;
    last.stamped = stamped;
    last.ending = vm_run(m);
    last.output = contents(fd);
    const char *reason = vm_get_failure(m)->reason;
    last.reason = reason ? strdup(reason) : "";
    last.reductions = vm_reductions(m);
    last.now = vm_now(m);
    last.status = vm_halt_status(m);
    vm_suspended(m, &last.suspended);
    vm_destroy(m);
    close(fd);
}

// The block that follows, in both kinds of run; `stamped` tells which.
#define BOTH     for (int stamped = 0; stamped < 2; stamped++)
#define RUN(...) run(stamped, WORDS(__VA_ARGS__))
#define FAILS(why)                                                                                 \
    CHECK_SAY(last.ending == END_FAILED && strcmp(last.reason, why) == 0, "%d %s",                 \
              (int)last.ending, last.reason)
#define ENDS() CHECK_SAY(last.ending == END_NORMAL, "%d %s", (int)last.ending, last.reason)

// ---- Tests ----------------------------------------------------------------------------------

static void test_numbers(void)
{
    BOTH
    {
        vm_word x = V(), y = V(), z = V();
        RUN(T(":=", z, T("+", T("*", x, I(2)), y)), T(":=", x, I(3)), T(":=", y, T("-", x, I(1))));
        ENDS();
        CHECK_TEXT(quoted(z), "8");
        CHECK(last.reductions == 3);
        if (stamped) {
            CHECK(last.now == 3);
            CHECK(last.totals.reads == 3 && last.totals.bindings == 3);
        }
        RUN(T(":=", V(), T("+", I(1), A("a"))));
        FAILS("a number is expected");
        RUN(T(":=", V(), T("foo", I(1))));
        FAILS("an arithmetic operator is expected");
        RUN(T(":=", V(), T("mod", vm_make_float(1), V())));
        FAILS("an integer is expected");
        RUN(T(":=", V(), T("/", I(1), I(0))));
        FAILS("division by zero");
        vm_word e = V();
        vm_as_var(e)->value = T("+", I(1), I(2));
        vm_word value = V(); // no clause wrote this goal: what e is bound to is part of its term
        RUN(T(":=", value, e));
        ENDS();
        CHECK_TEXT(quoted(value), "3");
        RUN(T(":=", V(), T("+", V(), I(1))));
        CHECK(last.ending == END_DEADLOCK && last.suspended == 1);
        vm_word c = V();
        RUN(T("compute", A("<<"), I(1), I(70), c));
        CHECK_TEXT(quoted(c), "1180591620717411303424");
        vm_word deep = I(0);
        for (int i = 0; i < 100000; i++)
            deep = i % 2 ? T("+", deep, I(1)) : T("+", I(1), deep);
        vm_word d = V();
        RUN(T(":=", d, deep));
        CHECK_TEXT(quoted(d), "100000");
    }
}

static void test_control(void)
{
    BOTH
    {
        vm_word x = V(), y = V(), g = V();
        RUN(T("call", T(",", T("=", x, A("a")), T(",", A("true"), T(":=", y, I(7))))));
        ENDS();
        CHECK_TEXT(quoted(L(x, y)), "[a,7]");
        vm_word z = V(), op = V();
        RUN(T("call", T(":", A("m"), T(":=", z)), T("+", I(1), I(2))));
        ENDS();
        CHECK_TEXT(quoted(z), "3");
        RUN(T("call", g, I(5)), T("call", T("=", g, T(":=", op))));
        ENDS();
        CHECK_TEXT(quoted(op), "5");
        RUN(T("call", T("nothing", I(1))));
        FAILS("there is no predicate nothing/1");
        RUN(T("call", I(1)));
        FAILS("a goal is expected");
        RUN(T("halt", I(7)));
        CHECK(last.ending == END_HALTED && last.status == 7);
        RUN(T("halt", I(256)));
        FAILS("an exit status (0 to 255) is expected");
        vm_word l = V(), t = V();
        RUN(T("argv", l), T("time", t));
        CHECK_TEXT(quoted(l), "[\"one\",\"tw\xef\xbf\xbd\"]");
        vm_word a = V(), b = V(), c = V(), rest = V();
        RUN(T("random", I(42), L(a, b)), T("random", I(42), term_list(1, &c, rest)));
        CHECK(last.ending == END_DEADLOCK && last.suspended == 1);
        CHECK_TEXT(quoted(a), quoted(c));
        CHECK(vm_number_compare(vm_as_var(a)->value, I(0)) >= 0 &&
              vm_number_compare(vm_as_var(b)->value, I(0x7fffffff)) <= 0);
    }
}

static void test_merge(void)
{
    BOTH
    {
        vm_word out = V(), more = V(), late = V();
        RUN(T("merge", L(I(1), T("merge", L(I(10), I(11))), I(2), T("merge", more)), out),
            T("call", T("=", more, term_list(1, (vm_word[]){late}, VM_NIL))),
            T("call", T("=", late, A("z"))));
        ENDS();
        if (stamped)
            CHECK_TEXT(quoted(out), "[1,2,10,11,z]");
        vm_word length = V();
        vm_word text = V();
        (void)length;
        RUN(T("term_string", out, text));
        CHECK(strlen(quoted(text)) == strlen("\"[1,2,10,11,z]\""));
        vm_word nothing = V();
        RUN(T("merge", L(T("merge", VM_NIL), T("merge", VM_NIL)), nothing));
        ENDS();
        CHECK_TEXT(quoted(nothing), "[]");
        CHECK(last.reductions == 5);
        RUN(T("merge", I(1), V()));
        FAILS("a list is expected");
    }
}

static void test_terms(void)
{
    BOTH
    {
        vm_word f = V(), n = V(), t = V(), a = V(), l = V(), u = V(), c = V(), v = V();
        RUN(T("functor", T("p", I(1), I(2)), f, n), T("functor", t, A("q"), I(2)),
            T("arg", I(2), T("p", I(1), A("b")), a), T("=..", T("p", I(1)), l),
            T("=..", u, L(A("r"), I(3), I(4))), T("functor", c, A("."), I(2)),
            T("functor", v, A("{}"), I(1)));
        ENDS();
        CHECK_TEXT(quoted(L(f, n, t, a, l, u, c, v)), "[p,2,q(_1,_2),b,[p,1],r(3,4),[_3|_4],{_5}]");
        if (stamped)
            CHECK(last.totals.cells == 11); // q(_,_) [p,1] r(3,4) [_|_] {_}, with their variables
        vm_word k = V(), m = V();
        RUN(T("functor", k, A("s"), m), T("call", T("=", m, I(1))));
        CHECK_TEXT(quoted(k), "s(_1)");
        RUN(T("arg", I(3), T("p", I(1)), V()));
        FAILS("there is no argument 3");
        RUN(T("functor", V(), I(1), I(1)));
        FAILS("an atom is expected");
        RUN(T("functor", V(), V(), I(1)));
        CHECK(last.ending == END_DEADLOCK);
    }
}

static void test_strings(void)
{
    BOTH
    {
        vm_word a = V(), b = V(), c = V(), d = V(), e = V(), f = V(), g = V(), h = V();
        RUN(T("atom_string", A("x y"), a), T("atom_string", b, S("x y")),
            T("number_string", c, S(" -12.5e1 ")), T("number_string", vm_make_float(2), d),
            T("string_concat", S("gr\xc3\xbc"), S("n"), e), T("string_length", e, f),
            T("sub_string", e, I(2), I(2), g), T("split", S("a,b,,c"), S(","), h));
        ENDS();
        CHECK_TEXT(quoted(L(a, b, c, d, e, f, g, h)),
                   "[\"x y\",'x y',-125.0,\"2.0\",\"gr\xc3\xbcn\",4,\"\xc3\xbcn\","
                   "[\"a\",\"b\",\"\",\"c\"]]");
        vm_word i = V(), j = V(), k = V(), l = V(), n = V(), o = V(), p = V();
        RUN(T("string_codes", S("a\xc3\xbc"), i), T("string_codes", j, L(I(0x4e2d), n)),
            T("call", T("=", n, I(33))), T("term_string", T("f", A("X"), L(I(1))), k),
            T("term_string", l, S("17")), T("string_element", S("\xc3\xbcx"), I(1), o),
            T("set_string_element", S("abc"), I(1), I(0xfc), p));
        ENDS();
        CHECK_TEXT(quoted(L(i, j, k, l, o, p)),
                   "[[97,252],\"\xe4\xb8\xad!\",\"f('X',[1])\",17,120,\"a\xc3\xbc"
                   "c\"]");
        RUN(T("number_string", V(), S("12x")));
        FAILS("the text of a number is expected");
        RUN(T("sub_string", S("abc"), I(2), I(2), V()));
        FAILS("no 2 characters follow the first 2");
        RUN(T("string_length", I(1), V()));
        FAILS("a string is expected");
    }
}

static void test_vector_predicates(void)
{
    BOTH
    {
        vm_word v = V(), w = V(), old = V(), e = V(), n = V(), l = V(), x = V();
        RUN(T("new_vector", v, I(3)), T("set_vector_element", v, I(1), old, A("a"), w),
            T("vector_element", v, I(1), e), T("vector_length", w, n),
            T("new_vector", l, L(x, A("b"))));
        ENDS();
        CHECK_TEXT(quoted(L(v, w, old, e, n, l)), "[{0,0,0},{0,a,0},0,0,3,{_1,b}]");
        RUN(T("vector_element", v, I(3), V()));
        FAILS("an index from 0 to 2 is expected");
        RUN(T("vector_element", A("a"), I(3), V()));
        FAILS("a vector is expected");
    }
}

static void test_printing(void)
{
    BOTH
    {
        vm_word x = V();
        RUN(T("write", T("f", x, S("s"))), T("call", T("=", x, A("A"))));
        ENDS();
        CHECK_TEXT(last.output, "f(A,s)");
        if (stamped)
            CHECK(last.totals.reads == 1 && last.now == 2);
        RUN(T("writeln", V()));
        CHECK(last.ending == END_DEADLOCK);
        CHECK_TEXT(last.output, "");
        RUN(T("print", T("f", A("A"), S("s"))));
        CHECK_TEXT(last.output, "f('A',\"s\")");
        RUN(T("format", S("~w ~q ~a ~d ~2d ~D ~s ~c ~8r ~2f ~e ~g ~n~~"),
              L(A("A"), A("A"), S("s"), I(42), I(1234), I(1234567), L(I(104), I(105)), I(33), I(8),
                vm_make_float(2.345), I(1), vm_make_float(0.5))));
        ENDS();
        CHECK_TEXT(last.output, "A 'A' s 42 12.34 1,234,567 hi ! 10 2.35 1.000000e+00 0.5 \n~");
        RUN(T("format", S("[~w~t~6|~t~w~6+]~`-t~20|"), L(A("ab"), I(12))));
        CHECK_TEXT(last.output, "[ab       12]-------");
        RUN(T("format", S("~w~2f"), L(I(1))));
        FAILS("format: too few arguments");
        RUN(T("format", S("x"), L(I(1))));
        FAILS("format: too many arguments");
        RUN(T("format", S("~d"), A("a")));
        FAILS("format: an integer is expected");
    }
}

// A list that grows while somebody waits for it is not searched again and again.
static void test_growing(void)
{
    enum { LENGTH = 20000 };
    BOTH
    {
        vm_word list = V(), tail = list, goals[LENGTH + 3];
        for (int i = 0; i < LENGTH; i++) {
            vm_word next = V();
            goals[LENGTH - i] = T("call", T("=", tail, term_list(1, (vm_word[]){I(7)}, next)));
            tail = next;
        }
        goals[0] = T("write", list);
        goals[LENGTH + 1] = T("string_codes", V(), list);
        goals[LENGTH + 2] = T("call", T("=", tail, VM_NIL));
        run(stamped, LENGTH + 3, goals);
        ENDS();
        CHECK(strlen(last.output) == 2 * LENGTH + 1);
        if (stamped)
            CHECK(last.totals.reads >= 2 * (LENGTH + 1));
    }
}

static void test_cyclic(void)
{
    BOTH
    {
        vm_word x = V(), y = V(), z = V();
        vm_as_var(x)->value = term_list(1, (vm_word[]){I(1)}, x);
        vm_as_var(y)->value = T("f", T("g", y, A("a")));
        RUN(T("write", x));
        FAILS("a term that does not contain itself is expected");
        RUN(T("write", y));
        FAILS("a term that does not contain itself is expected");
        RUN(T("new_vector", z, x));
        FAILS("a list with an end is expected");
        CHECK(strlen(quoted(x)) < 1000);
    }
}

static void test_messages(void)
{
    BOTH
    {
        vm_word x = V(), rest = V();
        RUN(T("stdout", term_list(WORDS(T("write", T("f", x)), A("nl"), T("writeln", S("w")),
                                        T("putt", S("q")), T("putc", I(33)), T("putc", S("?")),
                                        T("format", S("~w~n"), L(I(1))), S("line")),
                                  rest)),
            T("call", T("=", rest, L(A("flush")))), T("call", T("=", x, I(1))));
        ENDS();
        CHECK_TEXT(last.output, "f(1)\nw\n\"q\"!?1\nline\n");
        CHECK(last.reductions == 2 + 9 + 1);
        RUN(T("stdout", L(A("jump"))));
        CHECK(last.ending == END_FAILED);
        RUN(T("stdout", A("jump")));
        FAILS("a list of messages is expected");
    }
}

static void test_files(void)
{
    char path[] = "/tmp/vm-test-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    BOTH
    {
        vm_word status = V(), lines = V(), bad = V(), none = V(), other = V();
        RUN(T("write_file", S(path), L(S("one"), T("write", I(2)), T("write", A("x"))), status));
        ENDS();
        RUN(T("read_lines", S(path), lines), T("read_lines", S("/nonexistent/file"), none, bad),
            T("read_lines", S(path), other, A("ok")));
        ENDS();
        CHECK_TEXT(quoted(L(status, lines, other)), "[ok,[\"one\",\"2x\"],[\"one\",\"2x\"]]");
        CHECK_TEXT(quoted(L(none, bad)), "[[],error(\"No such file or directory\")]");
        RUN(T("read_lines", S("/nonexistent/file"), V()));
        FAILS("cannot open /nonexistent/file: No such file or directory");
        RUN(T("read_lines", S("/tmp"), V()));
        FAILS("cannot open /tmp: Is a directory");
        vm_word terms = V();
        RUN(T("write_file", S(path), L(T("write", S("1. 22.\n333."))))), ENDS();
        RUN(T("read_terms", S(path), terms));
        ENDS();
        CHECK_TEXT(quoted(terms), "[1,22,333]");
        RUN(T("write_file", S(path), L(T("write", S("1. x."))))), ENDS();
        RUN(T("read_terms", S(path), V()));
        FAILS("there is a syntax error in a term that is read");
    }
    unlink(path);
}

// More lines than one reduction reads, and the last one unfinished.
static void test_long_file(void)
{
    enum { LINES = 10000 };
    char path[] = "/tmp/vm-test-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    for (int i = 0; i < LINES; i++)
        fprintf(file, i + 1 < LINES ? "%d\n" : "%d", i);
    fclose(file);
    BOTH
    {
        vm_word lines = V();
        RUN(T("read_lines", S(path), lines));
        ENDS();
        CHECK(last.reductions == LINES / 4096 + 1);
        uint32_t n = 0;
        const char *text = quoted(lines);
        for (const char *at = text; *at; at++)
            n += *at == ',';
        CHECK(n == LINES - 1);
        CHECK_TEXT(text + strlen(text) - 8, ",\"9999\"]");
    }
    unlink(path);
}

void test_builtins(void)
{
    test_numbers();
    test_control();
    test_merge();
    test_terms();
    test_strings();
    test_vector_predicates();
    test_printing();
    test_growing();
    test_cyclic();
    test_messages();
    test_files();
    test_long_file();
}
