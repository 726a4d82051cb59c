// SPDX-License-Identifier: MIT
//
// heads FILE.paf: the head and the guards of each clause of the program, as the trace tells them.
// A variable that the body uses is written as NAME, another as NAME*.
#include <stdio.h>
#include <stdlib.h>

#include "profiler/trace_reader.h"

static const char *text_of(const trace *t, uint32_t string)
{
    return string == TRACE_NONE ? "?" : trace_string(t, string, NULL);
}

static void print_constant(const trace *t, const trace_value *v)
{
    if (v->kind == TV_INT)
        printf("%lld", (long long)v->i);
    else if (v->kind == TV_FLOAT)
        printf("%g", v->d);
    else if (v->kind == TV_STRING)
        printf("\"%s\"", text_of(t, v->id));
    else
        fputs(text_of(t, v->id), stdout);
}

static void print_pattern(const trace *t, const trace_clause *c, uint32_t pattern);

static void print_list(const trace *t, const trace_clause *c, const uint32_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        fputs(i > 0 ? "," : "", stdout);
        print_pattern(t, c, at[i]);
    }
}

// Clauses of the test are not deep.
static void print_pattern(const trace *t, const trace_clause *c, uint32_t pattern)
{
    const trace_node *n = &c->patterns[pattern];
    const uint32_t *children = &c->pattern_children[n->first];
    switch (n->kind) {
    case TN_HOLE:
        fputs(text_of(t, c->names[c->nfresh + n->index]), stdout);
        return;
    case TN_FRESH:
        printf("%s*", text_of(t, c->unused[n->index]));
        return;
    case TN_CONST:
        print_constant(t, &n->value);
        return;
    default:
        break;
    }
    if (n->kind == TN_STRUCT)
        fputs(text_of(t, n->value.id), stdout);
    fputs(n->kind == TN_CONS ? "[" : n->kind == TN_VECTOR ? "{" : "(", stdout);
    if (n->kind == TN_CONS) {
        print_list(t, c, children, 1);
        fputs("|", stdout);
        print_list(t, c, children + 1, 1);
    } else {
        print_list(t, c, children, n->n);
    }
    fputs(n->kind == TN_CONS ? "]" : n->kind == TN_VECTOR ? "}" : ")", stdout);
}

static void print_clause(const trace *t, const trace_clause *c)
{
    printf("%s(", text_of(t, trace_get_predicate(t, c->predicate)->name));
    print_list(t, c, c->head, c->nhead);
    fputs(")", stdout);
    for (uint32_t i = 0; i < c->nguards; i++) {
        const trace_guard *g = &c->guards[i];
        printf(" %s@%u(", text_of(t, g->name), g->line);
        print_list(t, c, &c->pattern_children[g->first], g->n);
        fputs(")", stdout);
    }
    puts("");
}

int main(int argc, char **argv)
{
    char *error = NULL;
    trace *t = argc == 2 ? trace_open(argv[1], NULL, NULL, &error) : NULL;
    if (!t || error) {
        fprintf(stderr, "heads: %s\n", error ? error : "usage: heads FILE.paf");
        return 2;
    }
    for (uint32_t i = 0; i < trace_nclauses(t); i++) {
        const trace_clause *c = trace_get_clause(t, i);
        if (trace_get_predicate(t, c->predicate)->origin == TRACE_PROGRAM && c->number > 0)
            print_clause(t, c);
    }
    trace_close(t);
    return EXIT_SUCCESS;
}
