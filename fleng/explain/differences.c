// SPDX-License-Identifier: MIT
//
// Two terms that differ, each with the differing part marked:
//
//     left   f(1,[2,3,4],g(h(5)))
//                     ^
//     right  f(1,[2,3,5],g(h(6)))
//                     ^
//
// The parts beside the path to it are abbreviated, the path itself never.
#include "fleng/explain/report.h"

#include "fleng/reader/collected.h"
#include "fleng/reader/source.h"
#include "vm/look.h"

#include <stdlib.h>

enum {
    MOST_STEPS = 1 << 22, // of the search for the difference
    NEAR = 2,             // arguments or elements shown on either side of the way
    LEVELS = 8,           // of the way that are shown, innermost
    BESIDE = 8,           // cells of a term beside the way
};

typedef ARRAY_OF(uint32_t) fl_path; // argument numbers, outermost first

// ---- The difference -----------------------------------------------------------------------------

typedef struct {
    vm_word left, right;
    uint32_t next, n;
} level;

static bool same_shape(vm_word a, vm_word b)
{
    int64_t n = vm_arguments(a);
    return n >= 0 && n == vm_arguments(b) && vm_tag(a) == vm_tag(b) &&
           (vm_tag(a) != TAG_STRUCT || vm_words(a)[0] == vm_words(b)[0]);
}

// The way to the first difference, as unification meets it. False: none was found.
static bool find_difference(fl_report_context *c, vm_word a, vm_word b, fl_path *ret_path)
{
    ARRAY_OF(level) stack = {0};
    for (uint32_t steps = 0; steps < MOST_STEPS; steps++) {
        a = vm_value(a);
        b = vm_value(b);
        bool inside = false;
        if (a != b && vm_tag(a) != TAG_REF && vm_tag(b) != TAG_REF) {
            inside = same_shape(a, b);
            if (!inside && vm_look_equal(c->machine, a, b) == VM_LOOK_FAILS)
                break;
        }
        if (inside)
            FL_PUSH(stack, (level){a, b, 0, (uint32_t)vm_arguments(a)});
        while (stack.n > 0 && stack.at[stack.n - 1].next == stack.at[stack.n - 1].n)
            stack.n--;
        if (stack.n == 0)
            return false;
        level *top = &stack.at[stack.n - 1];
        a = vm_argument(top->left, top->next);
        b = vm_argument(top->right, top->next++);
        if (steps + 1 == MOST_STEPS)
            return false;
    }
    for (uint32_t i = 0; i < stack.n; i++)
        FL_PUSH(*ret_path, stack.at[i].next - 1);
    return true;
}

// ---- A term with a mark -------------------------------------------------------------------------

// A variable that is written as this text.
static vm_word text_term(fl_report_context *c, const char *text)
{
    vm_word v = vm_make_variable(NULL, (vm_origin){VM_NO_CLAUSE, ATOM_NIL});
    fl_call_variable(&c->namer, vm_as_var(v), text);
    return v;
}

// Constants and small terms as they are.
static vm_word beside(fl_report_context *c, vm_word w)
{
    w = vm_value(w);
    if (vm_arguments(w) <= 0)
        return w;
    return text_term(c, fl_short_text(c, w, BESIDE));
}

// The list of which `cells` were passed on the way: its elements around them, `marked` in the place
// of the element (or, is_tail, of the tail) that the way goes on into.
static vm_word list_with(fl_report_context *c, const vm_word *cells, uint32_t n, vm_word marked,
                         bool is_tail)
{
    vm_word rest = marked;
    uint32_t i = n;
    if (!is_tail) {
        rest = vm_value(vm_argument(cells[n - 1], 1));
        vm_word after[NEAR];
        uint32_t k = 0;
        for (; k < NEAR && vm_tag(rest) == TAG_CONS; k++) {
            after[k] = beside(c, vm_argument(rest, 0));
            rest = vm_value(vm_argument(rest, 1));
        }
        if (vm_tag(rest) == TAG_CONS)
            rest = text_term(c, "...");
        while (k > 0)
            rest = vm_make_cons(NULL, after[--k], rest);
        rest = vm_make_cons(NULL, marked, rest);
        i--;
    }
    while (i > 0) {
        if (i == n - NEAR - 1 && i > NEAR + 1) {
            rest = vm_make_cons(NULL, text_term(c, "..."), rest);
            i = NEAR;
        }
        i--;
        rest = vm_make_cons(NULL, beside(c, vm_argument(cells[i], 0)), rest);
    }
    return rest;
}

// A structure or vector with `marked` as argument `at`; of many others only those around it.
static vm_word compound_with(fl_report_context *c, vm_word w, uint32_t at, vm_word marked)
{
    ARRAY_OF(vm_word) args = {0};
    uint32_t n = (uint32_t)vm_arguments(w);
    bool whole = n <= 4 * NEAR;
    for (uint32_t i = 0; i < n; i++) {
        bool near = i + NEAR >= at && i <= at + NEAR;
        if (i == at)
            FL_PUSH(args, marked);
        else if (whole || near || i < NEAR)
            FL_PUSH(args, beside(c, vm_argument(w, i)));
        else if (i == NEAR || i == at + NEAR + 1)
            FL_PUSH(args, text_term(c, "..."));
    }
    if (vm_tag(w) != TAG_STRUCT)
        return vm_make_vector(NULL, args.at, args.n);
    return vm_make_struct(NULL, vm_functor(vm_functor_name(vm_words(w)[0]), args.n), args.at);
}

// The compounds on the way, outermost first.
static void follow_path(vm_word w, const fl_path *path, vm_word *ret_compounds, vm_word *ret_end)
{
    for (uint32_t i = 0; i < path->n; i++) {
        ret_compounds[i] = vm_value(w);
        w = vm_argument(ret_compounds[i], path->at[i]);
    }
    *ret_end = vm_value(w);
}

static const char *const mark_begin = "\001", *const mark_end = "\002";

// The text of the term with characters around the part at the end of the path.
static const char *text_with_marks(fl_report_context *c, vm_word term, const fl_path *path)
{
    vm_word *compounds = vm_alloc((path->n + 1) * sizeof *compounds), end;
    follow_path(term, path, compounds, &end);
    vm_word made = text_term(c, fl_format("%s%s%s", mark_begin, fl_short_text(c, end, 2 * BESIDE),
                                          mark_end));
    uint32_t i = path->n, levels = 0;
    for (; i > 0 && levels < LEVELS; levels++) {
        if (vm_tag(compounds[i - 1]) != TAG_CONS) {
            i--;
            made = compound_with(c, compounds[i], path->at[i], made);
            continue;
        }
        bool is_tail = path->at[i - 1] == 1;
        uint32_t first = i - 1;
        while (first > 0 && vm_tag(compounds[first - 1]) == TAG_CONS && path->at[first - 1] == 1)
            first--;
        made = list_with(c, &compounds[first], i - first, made, is_tail);
        i = first;
    }
    const char *text = fl_short_text(c, made, 0);
    return i > 0 ? fl_format("... %s", text) : text;
}

// ---- Marks in a line ----------------------------------------------------------------------------

void fl_print_marked(const fl_report_context *c, const char *indent, const char *text)
{
    const char *begin = strchr(text, *mark_begin), *end = begin ? strchr(begin, *mark_end) : NULL;
    if (!end) {
        fprintf(c->out, "%s%s\n", indent, text);
        return;
    }
    size_t before = (size_t)(begin - text), marked = (size_t)(end - begin) - 1;
    fprintf(c->out, "%s%.*s%s%.*s%s%s\n", indent, (int)before, text, c->colour ? "\033[1;31m" : "",
            (int)marked, begin + 1, c->colour ? "\033[0m" : "", end + 1);
    unsigned column = fl_text_width(indent, strlen(indent)) + fl_text_width(text, before);
    unsigned width = fl_text_width(begin + 1, marked);
    fprintf(c->out, "%*s", (int)column, "");
    for (unsigned i = 0; i < (width ? width : 1); i++)
        fputc('^', c->out);
    fputc('\n', c->out);
}

void fl_print_difference(fl_report_context *c, vm_word left, vm_word right)
{
    fl_path path = {0};
    if (!find_difference(c, left, right, &path) || path.n == 0)
        return;
    fl_print_marked(c, "  left   ", text_with_marks(c, left, &path));
    fl_print_marked(c, "  right  ", text_with_marks(c, right, &path));
}
