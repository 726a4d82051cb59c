// SPDX-License-Identifier: MIT
//
// Random terms with every operator: what the writer of terms writes in quotes, the reader reads as
// the same term, in Fleng and in KL1; and the engine, the reader's terms and a trace write the same
// text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term_tokens.h"
#include "base/term_writer.h"
#include "fleng/reader/parse.h"
#include "fleng/reader/source.h"
#include "iotree/iotree.h"
#include "tests/iotree/story.h"
#include "vm/memory.h"
#include "vm/print.h"

static unsigned passed, failed;

#define CHECK_SAY(condition, ...)                                                                  \
    do {                                                                                           \
        bool good_ = (condition);                                                                  \
        passed += good_;                                                                           \
        failed += !good_;                                                                          \
        if (!good_ && failed < 20) {                                                               \
            fprintf(stderr, "terms.c:%d: ", __LINE__);                                             \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

// ---- Random terms -----------------------------------------------------------------------------

enum { MOST_ARGUMENTS = 4 };

typedef struct node {
    term_kind kind;
    const char *text;
    int64_t integer;
    double number;
    uint32_t n;
    struct node *args[MOST_ARGUMENTS];
} node;

static uint64_t random_state = 1;

static uint64_t next_random(void) // splitmix64
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(next_random() % n);
}

static const char *const other_names[] = {
    "a", "b", "foo", "[]", "{}", "", "Ab c", "it's", "!", "_x", "\xc3\xa9t\xc3\xa9", "a\xc3\xa9",
    "a\xe2\x86\x92z", "line\nbreak", "&", ".", "/*", "x.", "=.", "a\tb", "9", "back\\slash", "`",
};

static const char *random_name(void)
{
    enum { N = sizeof other_names / sizeof *other_names };
    term_dialect dialect;
    if (below(3) == 0)
        return other_names[below(N)];
    return term_get_operator(below((uint32_t)term_noperators()), &dialect)->name;
}

static const char *random_bytes(void)
{
    static const char *const parts[] = {"a",  "\"", "'",    "\\", "\n",
                                        "\t", "\1", "\x7f", " ",  "\xc3\xa9"};
    char *text = calloc(64, 1);
    for (uint32_t n = below(6); n > 0; n--)
        strcat(text, parts[below(sizeof parts / sizeof *parts)]);
    return text;
}

static double random_double(void)
{
    static const double usual[] = {0, 0.5, 1, 1e15, 1e16, 1e-5, 1e22, 5e-324, 0.1};
    double d;
    uint64_t bits = next_random();
    memcpy(&d, &bits, sizeof d);
    if (below(2) || !isfinite(d))
        d = usual[below(sizeof usual / sizeof *usual)];
    return below(2) ? d : -d;
}

static node *random_simple(void)
{
    static const char *const digits[] = {"123456789012345678901234567890", "-98765432109876543210"};
    static const char *const variables[] = {"X", "Y1", "Long_name", "_z"};
    node *t = calloc(1, sizeof *t);
    switch (below(10)) {
    case 0:
        t->kind = TERM_VARIABLE;
        t->text = variables[below(4)];
        break;
    case 1:
    case 2:
        t->kind = TERM_INTEGER;
        t->integer = (int64_t)below(9) - 4;
        break;
    case 3:
        t->kind = TERM_DIGITS;
        t->text = digits[below(2)];
        break;
    case 4:
        t->kind = TERM_FLOAT;
        t->number = random_double();
        break;
    case 5:
        t->kind = TERM_STRING;
        t->text = random_bytes();
        break;
    default:
        t->kind = TERM_ATOM;
        t->text = random_name();
    }
    return t;
}

static node *random_term(unsigned depth)
{
    if (depth == 0 || below(5) == 0)
        return random_simple();
    node *t = calloc(1, sizeof *t);
    uint32_t kind = below(12);
    t->kind = kind == 0 ? TERM_CONS : kind == 1 ? TERM_VECTOR : TERM_STRUCT;
    t->text = random_name();
    t->n = t->kind == TERM_CONS     ? 2
           : t->kind == TERM_VECTOR ? below(MOST_ARGUMENTS)
           : below(5) == 0          ? 1 + below(MOST_ARGUMENTS)
                                    : 1 + below(2);
    for (uint32_t i = 0; i < t->n; i++)
        t->args[i] = random_term(depth - 1);
    return t;
}

static node *wrapped(node *inside)
{
    node *t = calloc(1, sizeof *t);
    *t = (node){.kind = TERM_STRUCT, .text = "t", .n = 1, .args = {inside}};
    return t;
}

// ---- A view of them, and their texts ----------------------------------------------------------

static void look(void *data, term_ref *term, term_node *ret)
{
    (void)data;
    const node *t = (const node *)(uintptr_t)term->word;
    ret->kind = t->kind;
    ret->arity = t->n;
    ret->text = t->text;
    ret->length = t->text ? strlen(t->text) : 0;
    ret->integer = t->integer;
    ret->number = t->number;
}

static term_ref argument(void *data, term_ref term, uint32_t i)
{
    (void)data;
    return (term_ref){.word = (uintptr_t)((const node *)(uintptr_t)term.word)->args[i]};
}

static char *text_of(const node *t, term_dialect dialect, bool spaced)
{
    term_view view = {.look = look, .argument = argument};
    term_options options = {.quoted = true,
                            .spaced = spaced,
                            .dialect = dialect,
                            .max_cells = TERM_WHOLE,
                            .max_bytes = TERM_WHOLE};
    base_text text = {0};
    term_write(&text, &view, (term_ref){.word = (uintptr_t)t}, TERM_CLAUSE, &options);
    return text_finish(&text);
}

static bool same(const fl_term *read, const node *t, const fl_variable *variables)
{
    static const fl_kind kinds[] = {
        [TERM_VARIABLE] = FL_VAR, [TERM_INTEGER] = FL_INT, [TERM_DIGITS] = FL_INT,
        [TERM_FLOAT] = FL_FLOAT,  [TERM_ATOM] = FL_ATOM,   [TERM_STRING] = FL_STRING,
        [TERM_CONS] = FL_CONS,    [TERM_STRUCT] = FL_STRUCT, [TERM_VECTOR] = FL_VECTOR,
    };
    if (read->kind != kinds[t->kind] || read->n != t->n)
        return false;
    for (uint32_t i = 0; i < t->n; i++)
        if (!same(read->args[i], t->args[i], variables))
            return false;
    switch (t->kind) {
    case TERM_VARIABLE:
        return strcmp(variables[read->var].name, t->text) == 0;
    case TERM_INTEGER:
        return strtoll(read->text, NULL, 10) == t->integer;
    case TERM_FLOAT:
        return memcmp(&read->number, &t->number, sizeof t->number) == 0;
    case TERM_CONS:
    case TERM_VECTOR:
        return true;
    default:
        return read->length == strlen(t->text) && memcmp(read->text, t->text, read->length) == 0;
    }
}

static const fl_term *read_back(const char *text, bool kl1, fl_variable **ret_variables)
{
    fl_source *source = fl_source_from_text("again", text, strlen(text));
    source->kl1 = kl1;
    const char *at = source->text;
    fl_term *term;
    uint32_t n;
    if (fl_read_term(source, &at, at + source->length, &term, &n, ret_variables, NULL) != 1)
        return NULL;
    return term;
}

static void check_reads_back(const node *t, term_dialect dialect, bool spaced)
{
    fl_variable *variables;
    char *text = text_of(t, dialect, spaced);
    const fl_term *read = read_back(text, dialect == TERM_KL1, &variables);
    CHECK_SAY(read && same(read, t, variables), "%s: %s", dialect == TERM_KL1 ? "KL1" : "Fleng",
              text);
    free(text);
}

// ---- The three views --------------------------------------------------------------------------

static const char *names_by_variable[1 << 16];
static vm_word made_variables[1 << 16];
static uint32_t nvariables;

static vm_word word_of(const node *t)
{
    vm_word args[MOST_ARGUMENTS];
    for (uint32_t i = 0; i < t->n; i++)
        args[i] = word_of(t->args[i]);
    switch (t->kind) {
    case TERM_VARIABLE:
        names_by_variable[nvariables] = t->text;
        made_variables[nvariables] = vm_make_variable(NULL, (vm_origin){VM_NO_CLAUSE, 0});
        return made_variables[nvariables++];
    case TERM_INTEGER:
        return vm_int(t->integer);
    case TERM_DIGITS:
        return vm_make_integer(t->text, 10);
    case TERM_FLOAT:
        return vm_make_float(t->number);
    case TERM_ATOM:
        return vm_atom_from(t->text);
    case TERM_STRING:
        return vm_make_string(t->text, strlen(t->text));
    case TERM_CONS:
        return vm_make_cons(NULL, args[0], args[1]);
    case TERM_STRUCT:
        return vm_make_struct(NULL, vm_functor(vm_atom_intern(t->text, strlen(t->text)), t->n),
                              args);
    case TERM_VECTOR:
        break;
    }
    return vm_make_vector(NULL, args, t->n);
}

static const char *name_of(void *data, const vm_var *v)
{
    (void)data;
    for (uint32_t i = 0; i < nvariables; i++)
        if (vm_as_var(made_variables[i]) == v)
            return names_by_variable[i];
    return NULL;
}

static char *engine_text(const node *t)
{
    nvariables = 0;
    vm_print_options options = {.quoted = true, .variable_name = name_of};
    return vm_term_text(word_of(t), &options, NULL);
}

enum { MOST_CELLS = 1 << 17 };

typedef struct {
    story *story;
    trace_cell *cells;
    uint32_t n;
} cell_list;

// Children come first: what a cell holds is older.
static trace_value value_of(cell_list *list, const node *t)
{
    trace_value *args = calloc(MOST_ARGUMENTS, sizeof *args), v = {.kind = TV_CELL};
    for (uint32_t i = 0; i < t->n; i++)
        args[i] = value_of(list, t->args[i]);
    uint32_t name = t->text ? atom(list->story, t->text).id : TRACE_NONE;
    static const trace_cell_kind kinds[] = {[TERM_VARIABLE] = TC_VARIABLE,
                                            [TERM_CONS] = TC_CONS,
                                            [TERM_STRUCT] = TC_STRUCT,
                                            [TERM_VECTOR] = TC_VECTOR};
    switch (t->kind) {
    case TERM_INTEGER:
        return integer(t->integer);
    case TERM_DIGITS:
        return (trace_value){.kind = TV_BIG, .id = name};
    case TERM_FLOAT:
        return (trace_value){.kind = TV_FLOAT, .d = t->number};
    case TERM_ATOM:
        return (trace_value){.kind = TV_ATOM, .id = name};
    case TERM_STRING:
        return (trace_value){.kind = TV_STRING, .id = name};
    default:
        v.id = list->n;
        list->cells[list->n++] = (trace_cell){
            .kind = kinds[t->kind], .name = name, .n = t->n, .nargs = t->n, .args = args};
        return v;
    }
}

static void check_traces(node *const *terms, uint32_t n)
{
    cell_list list = {.story = story_begin(), .cells = calloc(MOST_CELLS, sizeof *list.cells)};
    uint32_t begin = dynamic_clause(list.story, predicate(list.story, "start", 0, false));
    trace_value *roots = calloc(n, sizeof *roots);
    for (uint32_t i = 0; i < n; i++)
        roots[i] = value_of(&list, terms[i]);
    trace_reduction r = {.clause = begin, .ncells = list.n, .cells = list.cells};
    reduce_raw(list.story, &r);
    trace *t = story_end(list.story);
    for (uint32_t i = 0; i < n; i++) {
        char *text = iot_term(t, NULL, roots[i], 0, UINT32_MAX), *want = engine_text(terms[i]);
        CHECK_SAY(strcmp(text, want) == 0, "trace: %s, engine: %s", text, want);
        free(text);
        free(want);
    }
    trace_close(t);
}

static void check_engine_and_reader(const node *t)
{
    fl_variable *variables;
    char *want = text_of(t, TERM_FLENG, false), *spaced = text_of(t, TERM_FLENG, true);
    char *engine = engine_text(t);
    CHECK_SAY(strcmp(engine, want) == 0, "engine: %s, view: %s", engine, want);
    const fl_term *read = read_back(engine, false, &variables);
    const char *again = read ? fl_term_text(read, variables, 0) : "(nothing)";
    CHECK_SAY(strcmp(again, spaced) == 0, "reader: %s, view: %s", again, spaced);
    free(want);
    free(spaced);
    free(engine);
}

// ---- Fixed ones -------------------------------------------------------------------------------

// What differed before there was one writer.
static void check_texts(void)
{
    static const char *const texts[] = {
        "1.0e+16", "A $< B", "1.0e+16 $=:= B", "A $=\\= 1.0", "'a\xe2\x86\x92z'", "'[]'(a)",
        "1.0Inf",  "-1.0Inf", "1.5NaN",        "a:b",          "f(- 1, -1)",       "- (a, b)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fl_variable *variables;
        const fl_term *read = read_back(texts[i], false, &variables);
        const char *again = read ? fl_term_text(read, variables, 0) : "(nothing)";
        if (strcmp(texts[i], "a:b") == 0)
            CHECK_SAY(strcmp(again, "a : b") == 0, "%s: %s", texts[i], again);
        else
            CHECK_SAY(strcmp(again, texts[i]) == 0, "%s: %s", texts[i], again);
    }
}

int main(void)
{
    enum { TERMS = 20000, TRACED = 1500 };
    static node *terms[TRACED];
    vm_memory_init();
    check_texts();
    for (uint32_t i = 0; i < TERMS; i++) {
        node *t = random_term(1 + i % 5);
        check_reads_back(t, TERM_FLENG, false);
        check_reads_back(t, TERM_FLENG, true);
        check_reads_back(t, TERM_KL1, false);
        check_engine_and_reader(t);
        if (i < TRACED)
            terms[i] = wrapped(t);
    }
    check_traces(terms, TRACED);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
